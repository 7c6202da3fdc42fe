// SPDX-License-Identifier: MIT
#include "compiler/surface/spatial.h"

#include <math.h>
#include <string.h>

// How far cloth keeps from the body so that what is seen stays outside, where the recipe does not say it. Particles are
// kept out, and three things reach further in than they do:
//
//   wall   the vertices of a lining, which lie below the particles' sheet;
//   chord  the cloth across a cell, whose corners are s sqrt(2) apart and rest on something of radius r: at the distance t
//          from it the chord's middle lies s^2 / 4(r + t) deeper than its ends, and t has to be that. On a sharp edge,
//          r = 0, this gives s / 2, which is what two faces at right angles ask for;
//   sag    the skin between two of the body's particles, which lies outside their spheres. Triangles are the skin itself,
//          but r is that of the spheres: what stands out of them is the sharper part, on which a cell sags so much more.
//
// Each is worked out from both surfaces, and their sum is `thickness`. Pairs that are nearer at rest stay as near.

#define WALL_RANK 0.95   // of the vertices' depths: a seam turned in does not count
#define SAG_RANK 0.95    // of the skin's heights
#define RADIUS_RANK 0.1  // of the body's spheres: limbs count, fingers do not
#define LEAST_SHARE 0.08 // of the spacing: what lies flat on something flat keeps that
#define MOST_SHARE 0.6   // more would show as a gap
#define SOFT_SHARE 0.08  // soft particles have a volume of their own

static double tangent_radius(const float r[3]) {
    return ((double)r[1] * r[1] + (double)r[2] * r[2]) / (2.0 * (double)r[0]);
}

static double at_rank(hemc_arena* arena, const double* values, uint32_t count, double rank) {
    if (count == 0) {
        return 0.0;
    }
    hemc_sort_item* items = hemc_alloc(arena, count, sizeof *items);
    for (uint32_t i = 0; i < count; ++i) {
        items[i].key = values[i];
        items[i].index = i;
    }
    hemc_sort_items(arena, items, count);
    return items[(uint32_t)(rank * (count - 1))].key;
}

// How far the skin stands out of the spheres of the particles around it.
double hemc_body_sag(hemc_arena* arena, const hemc_surface* surface, const hemc_particles* body) {
    enum { AROUND = 6 };
    hemc_vec3* tips = hemc_alloc(arena, body->count, sizeof *tips);
    for (uint32_t i = 0; i < body->count; ++i) {
        const hemc_d3 out = hemc_quat_axis(body->rotation[i], 0);
        tips[i] = d3_to(d3_madd(d3_from(body->positions[i]), out, (double)body->radii[i][0]));
    }
    hemc_kd kd;
    hemc_kd_build(arena, &kd, tips, body->count);
    double* heights = hemc_alloc(arena, surface->vertex_count, sizeof *heights);
    uint32_t count = 0;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        const hemc_d3 p = d3_from(surface->positions[v]);
        hemc_near near[AROUND];
        const uint32_t found = hemc_kd_near(&kd, p, 0.75 * (double)body->spacing, AROUND, near);
        double height = 1e30;
        for (uint32_t k = 0; k < found; ++k) {
            const uint32_t i = near[k].index;
            const double radius = tangent_radius(body->radii[i]);
            const hemc_d3 out = hemc_quat_axis(body->rotation[i], 0);
            const hemc_d3 center = d3_madd(d3_from(tips[i]), out, -radius);
            height = fmin(height, d3_distance(p, center) - radius);
        }
        if (found > 0) {
            heights[count++] = fmax(height, 0.0);
        }
    }
    return at_rank(arena, heights, count, SAG_RANK);
}

// How deep the cloth's own vertices lie below its particles.
static double wall_depth(hemc_arena* arena, const hemc_surface* surface, const hemc_particles* p) {
    hemc_kd kd;
    hemc_kd_build(arena, &kd, p->positions, p->count);
    double* depths = hemc_alloc(arena, surface->vertex_count, sizeof *depths);
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        const hemc_d3 at = d3_from(surface->positions[v]);
        const int32_t i = hemc_kd_nearest(&kd, at, 1e30, NULL);
        const hemc_d3 out = hemc_quat_axis(p->rotation[i], 0);
        depths[v] = fmax(d3_dot(d3_sub(d3_from(p->positions[i]), at), out), 0.0);
    }
    return at_rank(arena, depths, surface->vertex_count, WALL_RANK);
}

// The radius of what cloth may lie on: of the thinner limbs, or of a collider that is thinner still.
static double thinnest(hemc_arena* arena, const hemc_recipe* recipe, const hemc_particles* body) {
    double* radii = hemc_alloc(arena, body->count, sizeof *radii);
    for (uint32_t i = 0; i < body->count; ++i) {
        const float* r = body->radii[i];
        radii[i] = body->flags[i] & HEM_PARTICLE_SURFACE ? tangent_radius(r) : fmax(r[0], fmax(r[1], r[2]));
    }
    double least = body->count > 0 ? at_rank(arena, radii, body->count, RADIUS_RANK) : 1e30;
    for (uint32_t i = 0; i < recipe->collider_count; ++i) {
        const hemc_collider_recipe* c = &recipe->colliders[i];
        const bool round = c->kind == HEM_SHAPE_SPHERE || c->kind == HEM_SHAPE_CAPSULE;
        least = fmin(least, round ? (double)c->size[0] : c->kind == HEM_SHAPE_PLANE ? 1e30 : (double)c->size[3]);
    }
    return least;
}

static double chord_depth(double spacing, double radius) {
    return 0.5 * (sqrt(radius * radius + spacing * spacing) - radius);
}

void hemc_work_out_thickness(hemc_arena* arena, const hemc_recipe* recipe, const hemc_surface* surfaces,
                             const hemc_particles* parts, const hemc_particles* body, hemc_mesh* mesh) {
    const double radius = fmin(thinnest(arena, recipe, body), 1e3 * (double)mesh->all.spacing);
    for (uint32_t k = 0; k < recipe->part_count; ++k) {
        hem_tuning* tuning = &mesh->part_tunings[k];
        const double spacing = parts[k].spacing;
        if (tuning->collision_thickness >= 0.0f) {
            continue;
        }
        double thickness = SOFT_SHARE * spacing;
        if (mesh->part_kinds[k] == HEM_PART_CLOTH && parts[k].count > 0) {
            const double sum =
                wall_depth(arena, &surfaces[k], &parts[k]) + chord_depth(spacing, radius) + (double)body->sag;
            thickness = fmin(fmax(sum, LEAST_SHARE * spacing), MOST_SHARE * spacing);
        }
        tuning->collision_thickness = (float)thickness;
    }
}
