// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include <math.h>
#include <string.h>

// What a recipe asks for and surely did not mean, seen on the particles that it made: a collider around the garment that it
// should keep off, which throws it out in the first step; and a body to collide with that is not there.

#define DEEP 0.3        // of a collider's radius
#define HELD_SHARE 0.15 // of a part's simulated particles

// How far a place is inside a collider, in metres; less than 0 outside.
static double depth_in(const hemc_collider_recipe* c, hemc_vec3 at) {
    const double v[3] = {(double)at.x - c->position[0], (double)at.y - c->position[1], (double)at.z - c->position[2]};
    const double q[4] = {-c->rotation[0], -c->rotation[1], -c->rotation[2], c->rotation[3]}; // into its frame
    const double t[3] = {2.0 * (q[1] * v[2] - q[2] * v[1]), 2.0 * (q[2] * v[0] - q[0] * v[2]),
                         2.0 * (q[0] * v[1] - q[1] * v[0])};
    const double x[3] = {v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1], v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2],
                         v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0]};
    if (c->kind == HEM_SHAPE_SPHERE) {
        return (double)c->size[0] - sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    }
    if (c->kind == HEM_SHAPE_CAPSULE) {
        const double half = (double)c->size[2], y = fmin(fmax(x[1], -half), half);
        const double share = half > 0.0 ? 0.5 * (y / half + 1.0) : 0.0;
        const double radius = (double)c->size[0] + share * ((double)c->size[1] - (double)c->size[0]);
        return radius - sqrt(x[0] * x[0] + (x[1] - y) * (x[1] - y) + x[2] * x[2]);
    }
    if (c->kind == HEM_SHAPE_BOX) {
        return fmin((double)c->size[0] - fabs(x[0]),
                    fmin((double)c->size[1] - fabs(x[1]), (double)c->size[2] - fabs(x[2])));
    }
    return -1.0;
}

static double width_of(const hemc_collider_recipe* c) {
    return c->kind == HEM_SHAPE_BOX ? fmin((double)c->size[0], fmin((double)c->size[1], (double)c->size[2]))
                                    : fmax((double)c->size[0], (double)c->size[1]);
}

static void doubt_collider(hemc_compilation* c, uint32_t index) {
    const hemc_collider_recipe* collider = &c->recipe.colliders[index];
    for (uint32_t p = 0; p < c->recipe.part_count; ++p) {
        uint32_t inside = 0, count = 0;
        for (uint32_t i = c->mesh.part_begin[p]; i < c->mesh.part_begin[p + 1]; ++i) {
            if ((c->mesh.all.flags[i] & HEM_PARTICLE_ANIMATED) == 0) {
                ++count;
                inside += depth_in(collider, c->mesh.all.positions[i]) > DEEP * width_of(collider);
            }
        }
        if (inside > HELD_SHARE * count && !hemc_part_ignores(&c->recipe.parts[p], collider)) {
            hemc_warn(
                &c->log, c->recipe.path != NULL ? c->recipe.path : c->job->input,
                hemc_format(c->arena, "/colliders/%u", index),
                "collider \"%s\" holds %u of the %u simulated particles of part \"%s\" inside it as modelled, and "
                "throws them out when it begins: make it smaller, or move it under the garment",
                collider->name, inside, count, c->recipe.parts[p].name);
        }
    }
}

void hemc_doubt(hemc_compilation* c) {
    const bool has_body = c->mesh.part_count > c->recipe.part_count;
    for (uint32_t p = 0; p < c->recipe.part_count && !has_body; ++p) {
        const hemc_part_recipe* part = &c->recipe.parts[p];
        for (uint32_t i = 0; i < part->collides_with_count; ++i) {
            if (strcmp(part->collides_with[i], "body") == 0) {
                hemc_warn(&c->log, hemc_part_file(part, &c->model),
                          hemc_format(c->arena, "%s/collides_with", part->json_path),
                          "part \"%s\" is to collide with the body, and there is none: %s", part->name,
                          c->recipe.body.enabled ? "no triangles are left for it that the part could reach"
                                                 : "\"body\" is false");
            }
        }
    }
    // A VRM's own and those of limbs were cut back to what is free.
    for (uint32_t i = c->recipe.spring_collider_count; i < c->given_collider_count; ++i) {
        doubt_collider(c, i);
    }
}
