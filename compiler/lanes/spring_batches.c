// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"
#include "compiler/lanes/tuples.h"

#include "compiler/graph/graph.h"

// Springs into row batches. They go where they like and do not shape the placement.

static void fill_springs(const hemc_mesh* mesh, const hemc_tuple_batch* batch, const uint32_t* source,
                         hem_spring* out) {
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        const bool on = batch->tuple[lane] != HEM_NONE;
        const hemc_spring* s = on ? &mesh->springs[source[batch->tuple[lane]]] : NULL;
        out->rest[lane] = on ? s->rest : -1.0f;
        out->compliance[lane] = on ? 1.0f / s->stiffness : 1.0f;
        out->damping[lane] = on ? s->damping : 0.0f;
    }
}

void hemc_batch_springs(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout) {
    hemc_tuples t = {0};
    uint32_t* starts = hemc_alloc(arena, mesh->spring_count + 1, sizeof(uint32_t));
    uint32_t* slots = hemc_alloc(arena, mesh->spring_count * 2, sizeof(uint32_t));
    uint32_t* source = hemc_alloc(arena, mesh->spring_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < mesh->spring_count; ++i) {
        const hemc_spring* s = &mesh->springs[i];
        if (hemc_part_of(mesh, s->a) == layout->part_order[part]) {
            slots[2 * t.count] = layout->slot_of[s->a];
            slots[2 * t.count + 1] = layout->slot_of[s->b];
            source[t.count++] = i;
            starts[t.count] = (uint32_t)(2 * t.count);
        }
    }
    t.starts = starts;
    t.slots = slots;
    hemc_tuple_plan plan;
    hemc_batch_tuples(arena, &t, &plan);
    hem_spring* springs = hemc_alloc(arena, plan.count, sizeof(hem_spring));
    for (size_t i = 0; i < plan.count; ++i) {
        fill_springs(mesh, &plan.batches[i], source, &springs[i]);
    }
    hemc_add_row_batches(arena, &plan, HEM_KIND_SPRING, 2, part, layout->spring_count, layout);
    layout->springs =
        hemc_append(arena, layout->springs, layout->spring_count, springs, plan.count, sizeof(hem_spring));
    layout->spring_count += (uint32_t)plan.count;
}
