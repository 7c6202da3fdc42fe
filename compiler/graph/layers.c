// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"
#include "compiler/surface/spatial.h"

#include <math.h>

// Which part lies outside which, found from the modelled shape where the recipe does not say it ("layer").
//
// Cloth has a side: its particles know outward. A part lies outside cloth when nearly all of its particles that are over
// the cloth, straight out or in from the nearest of it rather than beside it, are out; and inside when they are in. Hair
// and flesh have no side of their own, so nothing is found against them alone. Two garments are asked both ways. What
// does not come near, or lies on both sides (a scarf round a braid), has no order.

#define OVER 0.5    // cosine: within 60 degrees of straight out or in
#define AGREED 0.85 // of those that are over the cloth
#define LEAST_WITNESSES 4

typedef struct witnesses {
    uint32_t out, in;
} witnesses;

// Particles of `part` over the cloth of `cloth`.
static witnesses ask(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, uint32_t cloth) {
    const uint32_t first = mesh->part_begin[cloth], count = mesh->part_begin[cloth + 1] - first;
    const hem_tuning *a = &mesh->part_tunings[part], *b = &mesh->part_tunings[cloth];
    const double reach = 1.5 * ((double)a->contact_radius + (double)b->contact_radius);
    witnesses w = {0, 0};
    if (mesh->part_kinds[cloth] != HEM_PART_CLOTH || count == 0) {
        return w;
    }
    hemc_kd kd;
    hemc_kd_build(arena, &kd, mesh->all.positions + first, count);
    for (uint32_t i = mesh->part_begin[part]; i < mesh->part_begin[part + 1]; ++i) {
        const hemc_d3 at = d3_from(mesh->all.positions[i]);
        const int32_t near = hemc_kd_nearest(&kd, at, reach, NULL);
        if (near < 0) {
            continue;
        }
        const uint32_t j = first + (uint32_t)near;
        const hemc_d3 d = d3_sub(at, d3_from(mesh->all.positions[j]));
        const double height = d3_dot(d, hemc_quat_axis(mesh->all.rotation[j], 0)), length = sqrt(d3_dot(d, d));
        w.out += height > OVER * length;
        w.in += height < -OVER * length;
    }
    return w;
}

static bool agreed(uint32_t yes, uint32_t no) {
    return yes >= LEAST_WITNESSES && yes >= AGREED * (yes + no);
}

void hemc_layers_find(hemc_arena* arena, const hemc_recipe* recipe, hemc_mesh* mesh) {
    mesh->outside_of = hemc_alloc(arena, (size_t)mesh->part_count + 1, sizeof *mesh->outside_of);
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        for (uint32_t q = 0; q < p; ++q) {
            const hemc_part_recipe *a = &recipe->parts[p], *b = &recipe->parts[q];
            bool p_out = false, q_out = false;
            if (a->layer >= 0.0f && b->layer >= 0.0f) {
                p_out = a->layer > b->layer;
                q_out = a->layer < b->layer;
            } else {
                const witnesses over_q = ask(arena, mesh, p, q), over_p = ask(arena, mesh, q, p);
                p_out = agreed(over_q.out + over_p.in, over_q.in + over_p.out);
                q_out = agreed(over_q.in + over_p.out, over_q.out + over_p.in);
            }
            mesh->outside_of[p] |= (uint64_t)p_out << q;
            mesh->outside_of[q] |= (uint64_t)q_out << p;
        }
    }
}
