// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"

#include "compiler/surface/spatial.h"

#include <string.h>

// Which way warp runs, where a recipe has a paint for it or takes the texture's coordinates: the way in which the number rises fastest
// over the triangle that is nearest to a particle. On a pattern laid out flat, as tailors' programs export it, v rises along the grain.
//
// Three corners with numbers s have the slope  ((s1 - s0) (e2 x n) + (s2 - s0) (n x e1)) / |n|^2,  n = e1 x e2.

static hemc_vec3 rise(const hemc_model* model, const float* values, const uint32_t v[3]) {
    const hemc_d3 x0 = d3_from(model->positions[v[0]]);
    const hemc_d3 e1 = d3_sub(d3_from(model->positions[v[1]]), x0), e2 = d3_sub(d3_from(model->positions[v[2]]), x0);
    const hemc_d3 n = d3_cross(e1, e2);
    const double s1 = (double)values[v[1]] - (double)values[v[0]], s2 = (double)values[v[2]] - (double)values[v[0]];
    const hemc_d3 g = d3_madd(d3_scale(d3_cross(e2, n), s1), d3_cross(n, e1), s2);
    const double size = d3_length(g);
    const hemc_vec3 none = {0, 0, 0}; // nothing rises
    return size > 0 && isfinite(size) ? d3_to(d3_scale(g, 1 / size)) : none;
}

void hemc_warp_make(hemc_arena* arena, const hemc_model* model, const hemc_recipe* recipe, const hemc_surface* surfaces,
                    hemc_mesh* mesh) {
    for (uint32_t part = 0; part < recipe->part_count; ++part) {
        const hemc_fabric* f = &recipe->parts[part].fabric;
        const bool uv = f->direction != NULL && strcmp(f->direction, "uv") == 0;
        const float* values = uv                     ? model->texture_v
                              : f->direction != NULL ? hemc_paint_values(model, f->direction)
                                                     : NULL;
        if (!f->triangles || values == NULL || surfaces[part].triangle_count == 0) {
            continue;
        }
        if (mesh->warp == NULL) {
            mesh->warp = hemc_alloc(arena, mesh->all.count, sizeof(hemc_vec3));
        }
        hemc_bvh bvh;
        hemc_bvh_build(arena, &bvh, model->positions, model->triangles, surfaces[part].source_triangle,
                       surfaces[part].triangle_count);
        for (uint32_t i = mesh->part_begin[part]; i < mesh->part_begin[part + 1]; ++i) {
            const int32_t t = hemc_bvh_nearest(&bvh, d3_from(mesh->all.positions[i]), 1e30, NULL, NULL, NULL);
            if (t != HEM_NONE) {
                mesh->warp[i] = rise(model, values, &model->triangles[3 * (size_t)t]);
            }
        }
    }
}
