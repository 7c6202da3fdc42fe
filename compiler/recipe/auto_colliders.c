// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"
#include "compiler/surface/spatial.h"

#include <math.h>
#include <string.h>

// Colliders of a VRM's spring bones become colliders of the asset.
//
// There each spring meets the groups that it names; here a collider meets every part. So only groups that some part of ours
// names are taken, and none reaches farther than to what moves at rest: a sphere of a metre that keeps a fringe from the eyes
// must not push a bun off the head. A collider of which nothing is left is not taken.

#define INSIDE 0.05 // of the vertices that move may lie in it at rest
#define LEAST 0.25  // of its radius must be left

static double distance_from(const hemc_spring_collider* c, hemc_vec3 p) {
    const hemc_d3 a = d3(c->from[0], c->from[1], c->from[2]), q = d3_from(p);
    const hemc_d3 d = d3_sub(d3(c->to[0], c->to[1], c->to[2]), a);
    const double dd = d3_dot(d, d), t = dd > 0 ? d3_dot(d3_sub(q, a), d) / dd : 0;
    return d3_distance(q, d3_madd(a, d, t < 0 ? 0 : t > 1 ? 1 : t));
}

// The radius beyond which all but a few of these vertices lie.
static double room_of(hemc_arena* arena, const hemc_model* model, const uint8_t* moves, const hemc_spring_collider* c) {
    hemc_sort_item* order = hemc_alloc(arena, (size_t)model->vertex_count + 1, sizeof(hemc_sort_item));
    uint32_t count = 0;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        if (moves[v]) {
            order[count].key = distance_from(c, model->positions[v]);
            order[count].index = count;
            ++count;
        }
    }
    hemc_sort_items(arena, order, count);
    return count != 0 ? order[(uint32_t)(INSIDE * (count - 1))].key : 0;
}

void hemc_auto_colliders(hemc_arena* arena, hemc_log* log, const hemc_model* model, const uint8_t* moves,
                         uint64_t groups, double hit_radius, hemc_recipe* recipe) {
    hemc_spring_collider* list = hemc_alloc(arena, HEM_MAX_COLLIDERS, sizeof(hemc_spring_collider));
    const uint32_t count = hemc_import_spring_colliders(model, list);
    const double scale = (double)recipe->scale;
    if (recipe->collider_count != 0 || count == 0) { // those of a recipe are all there are
        return;
    }
    recipe->colliders = hemc_alloc(arena, count, sizeof(hemc_collider_recipe));
    uint32_t cut = 0, left = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const hemc_spring_collider* c = &list[i];
        const double room = room_of(arena, model, moves, c) - hit_radius;
        if ((c->groups & groups) == 0 || room < LEAST * (double)c->radius) {
            ++left;
            continue;
        }
        cut += room < (double)c->radius;
        hemc_collider_recipe* out = &recipe->colliders[recipe->collider_count++];
        const float radius = (float)(scale * fmin(room, (double)c->radius));
        out->bone = model->bone_defs[c->bone].name;
        out->name = hemc_format(arena, "%s_%u", out->bone, i);
        out->kind = c->capsule ? HEM_SHAPE_CAPSULE : HEM_SHAPE_SPHERE;
        out->rotation[3] = 1;
        // As a recipe reads them, so that the printed one makes the same.
        for (int k = 0; k < 3; ++k) {
            out->ends[0][k] = (float)(scale * c->from[k]);
            out->ends[1][k] = (float)(scale * c->to[k]);
            out->position[k] = out->ends[0][k];
        }
        out->size[0] = radius;
        if (c->capsule) {
            const double a[3] = {out->ends[0][0], out->ends[0][1], out->ends[0][2]};
            const double b[3] = {out->ends[1][0], out->ends[1][1], out->ends[1][2]};
            hemc_collider_capsule(out, a, b, (double)radius, (double)radius);
        }
    }
    recipe->spring_collider_count = recipe->collider_count;
    hemc_note(log, model->path, "",
              "%u of the VRM's %u colliders are taken, %u of them smaller so that nothing lies in them at rest; %u are "
              "met by "
              "nothing that moves, or hold it",
              recipe->collider_count, count, cut, left);
}
