// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"
#include "compiler/lanes/tuples.h"

#include "compiler/graph/graph.h"

// Whole strands into row batches, as rods or as chains.

static void fill_rod(const hemc_mesh* mesh, uint32_t strand, uint32_t k, uint32_t lane, hem_rod* out) {
    const hemc_rod* rod = &mesh->rods[mesh->strand_starts[strand] + k];
    for (int i = 0; i < 3; ++i) {
        out->edge[i][lane] = rod->edge[i];
        out->turn[i][lane] = rod->turn[i];
    }
    out->stretch[lane] = rod->stretch;
    out->bend[lane] = rod->bend;
    out->twist[lane] = rod->twist;
    out->inertia[lane] = rod->inertia;
}

void hemc_batch_strands(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_strand_kind kind,
                        hemc_layout* layout) {
    hemc_tuples t = {0};
    const uint32_t total = mesh->strand_count != 0 ? mesh->strand_starts[mesh->strand_count] : 0;
    uint32_t* starts = hemc_alloc(arena, (size_t)mesh->strand_count + 1, sizeof(uint32_t));
    uint32_t* slots = hemc_alloc(arena, total, sizeof(uint32_t));
    uint32_t* source = hemc_alloc(arena, mesh->strand_count, sizeof(uint32_t));
    for (uint32_t s = 0; s < mesh->strand_count; ++s) {
        const uint32_t begin = mesh->strand_starts[s], end = mesh->strand_starts[s + 1];
        if (mesh->strand_kinds[s] != kind ||
            hemc_part_of(mesh, mesh->strand_members[begin]) != layout->part_order[part]) {
            continue;
        }
        starts[t.count + 1] = starts[t.count];
        for (uint32_t k = begin; k < end; ++k) {
            slots[starts[t.count + 1]++] = layout->slot_of[mesh->strand_members[k]];
        }
        source[t.count++] = s;
    }
    if (t.count == 0) {
        return;
    }
    t.starts = starts;
    t.slots = slots;
    hemc_tuple_plan plan;
    hemc_batch_tuples(arena, &t, &plan);
    const bool rods = kind == HEMC_STRANDS_RODS;
    size_t records = 0;
    for (size_t i = 0; i < plan.count; ++i) {
        records += plan.batches[i].length;
    }
    hem_rod* rod = hemc_alloc(arena, rods ? records : 0, sizeof(hem_rod));
    hem_chain* chain = hemc_alloc(arena, rods ? 0 : records, sizeof(hem_chain));
    size_t at = 0;
    for (size_t i = 0; i < plan.count; ++i) {
        for (uint32_t k = 0; k < plan.batches[i].length; ++k, ++at) {
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                const int32_t tuple = plan.batches[i].tuple[lane];
                const uint32_t s = tuple != HEM_NONE ? source[tuple] : 0;
                const bool on = tuple != HEM_NONE && k < mesh->strand_starts[s + 1] - mesh->strand_starts[s];
                if (rods && on) {
                    fill_rod(mesh, s, k, lane, &rod[at]);
                } else if (rods) {
                    rod[at].inertia[lane] = 1;
                } else if (on && k + 1 < mesh->strand_starts[s + 1] - mesh->strand_starts[s]) {
                    const uint32_t* member = mesh->strand_members + mesh->strand_starts[s] + k;
                    chain[at].rest[lane] = hemc_rest_distance(mesh, member[0], member[1]);
                }
            }
        }
    }
    hemc_add_row_batches(arena, &plan, rods ? HEM_KIND_ROD : HEM_KIND_CHAIN, HEM_ARITY_MANY, part,
                         rods ? layout->rod_count : layout->chain_count, layout);
    if (rods) {
        layout->rods = hemc_append(arena, layout->rods, layout->rod_count, rod, records, sizeof(hem_rod));
        layout->rod_count += (uint32_t)records;
    } else {
        layout->chains = hemc_append(arena, layout->chains, layout->chain_count, chain, records, sizeof(hem_chain));
        layout->chain_count += (uint32_t)records;
    }
}
