// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"
#include "compiler/surface/spatial.h"

#include <math.h>
#include <string.h>

// Models leave out what a garment hides: the legs inside a long skirt, the arms inside sleeves. Cloth would then fall through
// where a limb should be. So from every bone to its child we look around, at right angles: where the cloth is met almost all
// round and the body hardly ever before it, a capsule along the bone stands in for the limb.
//
// Its radius is that of a slim limb of this length, and at most a share of the way to the cloth, so that nothing is pushed in
// the modelled pose. The cloth's own vertices say nothing else about it: a wide skirt does not make thick legs.
//
// Only for the default body: a recipe that selects its body, or has a collider on the bone, knows what it wants.

enum { SAMPLES = 3, AROUND = 16, RAYS = SAMPLES * AROUND };

#define LEAST_LENGTH 0.08 // of the figure's height: fingers and vertebrae are no limbs
#define ENCLOSED 0.75     // of the rays that meet cloth
#define BARE 0.3          // of the rays that meet the body first
#define SLIM 0.15         // radius of a limb / its length
#define ROOM 0.6          // of the way to the cloth, at one ray in ten

typedef struct seeker {
    hemc_bvh cloth, body;
    double height;
} seeker;

static void make_seeker(hemc_arena* arena, const hemc_model* model, const hemc_recipe* recipe, const int32_t* owner,
                        seeker* s) {
    uint32_t* cloth = hemc_alloc(arena, model->triangle_count, sizeof *cloth);
    uint32_t* body = hemc_alloc(arena, model->triangle_count, sizeof *body);
    uint32_t cloth_count = 0, body_count = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (owner[t] != HEM_NONE && recipe->parts[owner[t]].kind == HEM_PART_CLOTH) {
            cloth[cloth_count++] = t;
        } else if (owner[t] == HEM_NONE && !(recipe->accessories != NULL && recipe->accessories[t])) {
            body[body_count++] = t;
        }
    }
    hemc_bvh_build(arena, &s->cloth, model->positions, model->triangles, cloth, cloth_count);
    hemc_bvh_build(arena, &s->body, model->positions, model->triangles, body, body_count);
    double low = 1e30, high = -1e30;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        low = fmin(low, (double)model->positions[v].y);
        high = fmax(high, (double)model->positions[v].y);
    }
    for (uint32_t b = 0; b < model->bone_count; ++b) { // a skirt alone is no figure, its skeleton is
        low = fmin(low, (double)model->bone_defs[b].bind[7]);
        high = fmax(high, (double)model->bone_defs[b].bind[7]);
    }
    s->height = high - low;
}

// The radius of what is missing between two joints; 0 = nothing is.
static double bare_radius(seeker* s, hemc_d3 from, hemc_d3 to) {
    const double length = d3_distance(from, to);
    if (s->cloth.triangle_count == 0 || !(length > LEAST_LENGTH * s->height)) {
        return 0;
    }
    const hemc_d3 axis = d3_scale(d3_sub(to, from), 1.0 / length);
    const hemc_d3 u = d3_unit(d3_cross(axis, fabs(axis.y) < 0.9 ? d3(0, 1, 0) : d3(1, 0, 0)), d3(0, 0, 1));
    const hemc_d3 v = d3_cross(axis, u);
    double away[RAYS];
    int cloth = 0, body = 0;
    for (int i = 0; i < RAYS; ++i) {
        const double along = (0.5 + i / AROUND) / SAMPLES, turn = 6.283185307179586 * (i % AROUND) / AROUND;
        const hemc_d3 p = d3_lerp(from, to, along);
        const hemc_d3 out = d3_add(d3_scale(u, cos(turn)), d3_scale(v, sin(turn)));
        away[i] = hemc_bvh_first_hit(&s->cloth, p, out);
        body += hemc_bvh_first_hit(&s->body, p, out) < away[i];
        cloth += away[i] < s->height;
    }
    if (cloth < ENCLOSED * RAYS || body > BARE * RAYS) {
        return 0;
    }
    for (int i = 1; i < RAYS; ++i) { // few enough to be sorted by insertion
        const double value = away[i];
        int k = i;
        for (; k > 0 && away[k - 1] > value; --k) {
            away[k] = away[k - 1];
        }
        away[k] = value;
    }
    return fmin(SLIM * length, ROOM * away[RAYS / 10]);
}

static bool has_collider(const hemc_recipe* recipe, const char* bone) {
    for (uint32_t i = 0; i < recipe->collider_count; ++i) {
        if (recipe->colliders[i].bone != NULL && strcmp(recipe->colliders[i].bone, bone) == 0) {
            return true;
        }
    }
    return false;
}

void hemc_recipe_bare_limbs(hemc_arena* arena, hemc_log* log, const hemc_model* model, hemc_recipe* recipe,
                            const int32_t* owner) {
    if (!recipe->body.enabled || !recipe->body.limbs || recipe->body.selector != NULL || model->bone_count < 3) {
        return;
    }
    seeker s;
    memset(&s, 0, sizeof s);
    make_seeker(arena, model, recipe, owner, &s);
    const uint32_t given = recipe->collider_count;
    hemc_collider_recipe* list = hemc_alloc(arena, HEM_MAX_COLLIDERS, sizeof *list);
    if (given != 0) {
        memcpy(list, recipe->colliders, given * sizeof *list);
    }
    uint32_t count = given;
    for (uint32_t b = 0; b < model->bone_count && count < HEM_MAX_COLLIDERS; ++b) {
        const int32_t parent = model->bone_defs[b].parent;
        if (parent == HEM_NONE || has_collider(recipe, model->bone_defs[parent].name)) {
            continue;
        }
        const float *m = model->bone_defs[parent].bind, *n = model->bone_defs[b].bind;
        const double from[3] = {m[3], m[7], m[11]}, to[3] = {n[3], n[7], n[11]};
        const double radius = bare_radius(&s, d3(from[0], from[1], from[2]), d3(to[0], to[1], to[2]));
        if (!(radius > 0)) {
            continue;
        }
        hemc_collider_recipe* c = &list[count++];
        c->name = c->bone = model->bone_defs[parent].name;
        c->kind = HEM_SHAPE_CAPSULE;
        hemc_collider_capsule(c, from, to, radius, radius);
        hemc_note(log, model->path, "",
                  "nothing but cloth lies around the bone \"%s\": a capsule of %.3g m stands in for the limb", c->name,
                  radius);
    }
    recipe->colliders = list;
    recipe->collider_count = count;
}
