// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"

#include <string.h>

// One particle per welded vertex, one link per edge: for simple cloth whose mesh already is a good particle mesh.
//
// Modelling tools split quads into triangles. An edge that is the longest of both its triangles and faces nearly right
// angles on both sides is such a diagonal: it becomes a shear link, so that the cloth is no stiffer along one diagonal
// than the tuning says. The others are warp or weft by their direction.

#define SQUARE_ENOUGH 0.34 // |cos| of the corners facing a diagonal: 70 to 110 degrees

static bool is_diagonal_of(const hemc_surface* surface, uint32_t triangle, int edge) {
    hemc_d3 a = hemc_corner(surface, triangle, edge), b = hemc_corner(surface, triangle, (edge + 1) % 3);
    hemc_d3 c = hemc_corner(surface, triangle, (edge + 2) % 3);
    hemc_d3 ca = d3_sub(a, c), cb = d3_sub(b, c);
    double lengths = d3_length(ca) * d3_length(cb);
    return lengths > 0.0 && fabs(d3_dot(ca, cb)) <= SQUARE_ENOUGH * lengths;
}

void hemc_gen_vertices(hemc_gen* gen, hemc_particles* particles) {
    const hemc_surface* surface = gen->surface;
    hemc_d3 axis = hemc_cut_axis(gen->part, surface);
    hemc_particles_reserve(gen->arena, particles, surface->vertex_count);
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        hemc_particles_add(gen->arena, particles, d3_from(surface->positions[v]), d3_from(surface->normals[v]), 0, 0);
    }
    double sum = 0.0;
    uint32_t sides = 0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        for (int e = 0; e < 3; ++e) {
            int32_t other = surface->neighbors[3 * (size_t)t + (size_t)e];
            ++gen->work;
            if (other != HEM_NONE && (uint32_t)other < t) {
                continue; // seen from the other side
            }
            uint32_t a = surface->triangles[3 * (size_t)t + (size_t)e];
            uint32_t b = surface->triangles[3 * (size_t)t + (size_t)(e + 1) % 3];
            hemc_d3 pa = d3_from(surface->positions[a]), pb = d3_from(surface->positions[b]);
            hem_link_kind kind = hemc_link_direction(pa, pb, axis);
            if (other != HEM_NONE && is_diagonal_of(surface, t, e)) {
                for (int f = 0; f < 3; ++f) {
                    if (surface->neighbors[3 * (size_t)other + (size_t)f] == (int32_t)t &&
                        is_diagonal_of(surface, (uint32_t)other, f)) {
                        kind = HEM_LINK_SHEAR;
                    }
                }
            }
            hemc_particles_link(gen->arena, particles, a, b, kind);
            if (kind != HEM_LINK_SHEAR) {
                sum += d3_distance(pa, pb);
                ++sides;
            }
        }
    }
    gen->spacing = sides > 0 ? sum / sides : gen->spacing;
    particles->level_count = 1;
    hemc_particles_finish(gen->arena, particles);
}
