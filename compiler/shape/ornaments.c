// SPDX-License-Identifier: MIT
#include "compiler/shape/ornaments.h"
#include "compiler/surface/spatial.h"

#include <math.h>
#include <string.h>

// Belts, trims, buttons and pendants that were selected with a garment. Bound by their own places they would follow other
// particles than the cloth below them, or, painted differently, not move at all, and it would come through. So each of their
// vertices takes particles, weights and blend of the garment's nearest point.
//
// An ornament is a connected piece with less than ORNAMENT_SHARE of the area of the part's largest that lies on the pieces
// that are none.

#define ORNAMENT_SHARE 0.12
#define ON_IT 1.0     // spacings: what reaches farther from the garment hangs by itself
#define ONE_PIECE 1.0 // spacings: what is smaller, a button, does not bend

typedef struct piece {
    double area;
    double farthest; // from the garment
    hemc_d3 low, high;
    bool sewn;
} piece;

// One number per connected piece, by its first welded vertex.
static uint32_t* find_pieces(hemc_arena* arena, const hemc_surface* surface) {
    uint32_t* parent = hemc_alloc(arena, surface->vertex_count, sizeof *parent);
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        parent[i] = i;
    }
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t* c = surface->triangles + 3 * (size_t)t;
        for (int k = 1; k < 3; ++k) {
            const uint32_t a = hemc_root_of(parent, c[0]), b = hemc_root_of(parent, c[k]);
            parent[a > b ? a : b] = a < b ? a : b;
        }
    }
    for (uint32_t i = 0; i < surface->vertex_count; ++i) {
        parent[i] = hemc_root_of(parent, i);
    }
    return parent;
}

static double mean_link(const hemc_mesh* mesh, uint32_t part) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < mesh->all.link_count; ++i) {
        const hemc_link* link = &mesh->all.links[i];
        if (link->a >= mesh->part_begin[part] && link->a < mesh->part_begin[part + 1]) {
            sum += d3_distance(d3_from(mesh->all.positions[link->a]), d3_from(mesh->all.positions[link->b]));
            ++count;
        }
    }
    return count > 0 ? sum / (double)count : 0;
}

// Particles, weights and blend of a point of the garment, which lies on the triangle.
static void take_point(const hemc_model* model, const hemc_adjacency* net, uint32_t part, uint32_t triangle,
                       hemc_d3 point, const double bary[3], hemc_mesh* mesh, uint32_t vertex) {
    hemc_skinning* skin = &mesh->skinning;
    const uint32_t* corners = model->triangles + 3 * (size_t)triangle;
    double blend = 0;
    uint32_t most = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        blend += bary[k] * (double)skin->vertex_blend[corners[k]];
        most = bary[k] > bary[most] ? k : most;
    }
    hemc_bind_point(model, net, mesh, part, corners[most], point, skin->vertex_particle[vertex],
                    skin->vertex_weight[vertex]);
    skin->vertex_blend[vertex] = (float)fmin(fmax(blend, 0), 1);
}

void hemc_sew_ornaments(hemc_arena* arena, const hemc_model* model, const int32_t* owner, const hemc_adjacency* net,
                        const int32_t* vertex_part, const uint8_t* fixed, uint32_t part, hemc_mesh* mesh) {
    hemc_surface surface;
    memset(&surface, 0, sizeof surface);
    if (!hemc_weld(arena, model, owner, (int32_t)part, &surface) || surface.triangle_count == 0) {
        return;
    }
    const uint32_t* number = find_pieces(arena, &surface);
    piece* pieces = hemc_alloc(arena, surface.vertex_count, sizeof *pieces);
    double largest = 0;
    for (uint32_t t = 0; t < surface.triangle_count; ++t) {
        piece* p = &pieces[number[surface.triangles[3 * (size_t)t]]];
        p->area += d3_length(hemc_triangle_area_normal(&surface, t));
        largest = fmax(largest, p->area);
    }
    uint32_t* garment = hemc_alloc(arena, surface.triangle_count, sizeof *garment);
    uint32_t garment_count = 0;
    for (uint32_t t = 0; t < surface.triangle_count; ++t) {
        piece* p = &pieces[number[surface.triangles[3 * (size_t)t]]];
        p->low = d3(1e30, 1e30, 1e30), p->high = d3(-1e30, -1e30, -1e30);
        p->sewn = p->area < ORNAMENT_SHARE * largest;
        if (!p->sewn) {
            garment[garment_count++] = surface.source_triangle[t];
        }
    }
    if (garment_count == surface.triangle_count) {
        return;
    }
    hemc_bvh bvh;
    hemc_bvh_build(arena, &bvh, model->positions, model->triangles, garment, garment_count);
    for (uint32_t v = 0; v < surface.vertex_count; ++v) {
        piece* p = &pieces[number[v]];
        double distance = 0;
        if (p->sewn) {
            const hemc_d3 at = d3_from(surface.positions[v]);
            p->low = d3(fmin(p->low.x, at.x), fmin(p->low.y, at.y), fmin(p->low.z, at.z));
            p->high = d3(fmax(p->high.x, at.x), fmax(p->high.y, at.y), fmax(p->high.z, at.z));
            (void)hemc_bvh_nearest(&bvh, d3_from(surface.positions[v]), 1e30, &distance, NULL, NULL);
            p->farthest = fmax(p->farthest, distance);
        }
    }
    const double spacing = mean_link(mesh, part);
    uint8_t* done = hemc_alloc(arena, model->vertex_count, 1);
    for (uint32_t t = 0; t < surface.triangle_count; ++t) {
        const piece* p = &pieces[number[surface.triangles[3 * (size_t)t]]];
        for (int k = 0; p->sewn && p->farthest <= ON_IT * spacing && k < 3; ++k) {
            const uint32_t v = model->triangles[3 * (size_t)surface.source_triangle[t] + (size_t)k];
            double bary[3];
            if (done[v] || fixed[v] || vertex_part[v] != (int32_t)part) {
                continue;
            }
            done[v] = 1;
            const bool small = d3_distance(p->low, p->high) < ONE_PIECE * spacing;
            const hemc_d3 at = small ? d3_scale(d3_add(p->low, p->high), 0.5) : d3_from(model->positions[v]);
            hemc_d3 point = at;
            const int32_t under = hemc_bvh_nearest(&bvh, at, 1e30, NULL, &point, bary);
            take_point(model, net, part, (uint32_t)under, point, bary, mesh, v);
        }
    }
}
