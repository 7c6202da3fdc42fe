// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"

#include <math.h>
#include <string.h>

// Which way warp runs, where a recipe has a paint for it or takes the texture's coordinates: the way in which the number rises fastest
// over the triangle that is nearest to a particle. On a pattern laid out flat, as tailors' programs export it, v rises along the grain.
//
// Three corners with numbers s have the slope  ((s1 - s0) (e2 x n) + (s2 - s0) (n x e1)) / |n|^2,  n = e1 x e2.

typedef struct d3 {
    double x, y, z;
} d3;

static d3 sub(hemc_vec3 a, hemc_vec3 b) {
    return (d3){(double)a.x - b.x, (double)a.y - b.y, (double)a.z - b.z};
}

static d3 cross(d3 a, d3 b) {
    return (d3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(d3 a, d3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static hemc_vec3 rise(const hemc_model* model, const float* values, const uint32_t v[3]) {
    const hemc_vec3* x = model->positions;
    const d3 e1 = sub(x[v[1]], x[v[0]]), e2 = sub(x[v[2]], x[v[0]]), n = cross(e1, e2);
    const double s1 = (double)values[v[1]] - (double)values[v[0]], s2 = (double)values[v[2]] - (double)values[v[0]];
    const d3 a = cross(e2, n), b = cross(n, e1), g = {s1 * a.x + s2 * b.x, s1 * a.y + s2 * b.y, s1 * a.z + s2 * b.z};
    const double size = sqrt(dot(g, g));
    const hemc_vec3 none = {0, 0, 0}; // nothing rises
    return size > 0 && isfinite(size) ? (hemc_vec3){(float)(g.x / size), (float)(g.y / size), (float)(g.z / size)}
                                      : none;
}

static uint32_t nearest_triangle(const hemc_model* model, const hemc_surface* surface, hemc_vec3 p) {
    double best = HUGE_VAL;
    uint32_t found = 0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t* v = &model->triangles[3 * (size_t)surface->source_triangle[t]];
        const hemc_vec3 *a = &model->positions[v[0]], *b = &model->positions[v[1]], *c = &model->positions[v[2]];
        const d3 d = {((double)a->x + b->x + c->x) / 3 - p.x, ((double)a->y + b->y + c->y) / 3 - p.y,
                      ((double)a->z + b->z + c->z) / 3 - p.z};
        if (dot(d, d) < best) {
            best = dot(d, d);
            found = surface->source_triangle[t];
        }
    }
    return found;
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
        for (uint32_t i = mesh->part_begin[part]; i < mesh->part_begin[part + 1]; ++i) {
            const uint32_t t = nearest_triangle(model, &surfaces[part], mesh->all.positions[i]);
            mesh->warp[i] = rise(model, values, &model->triangles[3 * (size_t)t]);
        }
    }
}
