// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"
#include "compiler/surface/spatial.h"

#include <math.h>
#include <string.h>

// What a character wears or carries that is neither loose nor body: swords, hats, a hair tie. Cloth does not collide with
// it and does not hold on to it. Where the recipe does not say what it is:
//
//   by name   of mesh, node or material, or of the bone that a triangle follows ("weapon_r", "handslot.l");
//   by shape  a connected piece that follows one bone alone and sticks out of it: longer than HELD_LENGTH times all
//             that else follows this bone, or its parent where nothing does. So a staff in a fist is found without any name; a helmet is not.

#define HELD_LENGTH 2.5
#define ALONE 0.99f // weight

typedef struct extent {
    hemc_d3 low, high;
} extent;

static const extent nothing = {{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};

static void extend(extent* e, hemc_d3 p) {
    e->low = d3(fmin(e->low.x, p.x), fmin(e->low.y, p.y), fmin(e->low.z, p.z));
    e->high = d3(fmax(e->high.x, p.x), fmax(e->high.y, p.y), fmax(e->high.z, p.z));
}

static double length_of(extent e) {
    return e.low.x <= e.high.x ? d3_distance(e.low, e.high) : 0;
}

// The bone that a vertex follows most.
static uint32_t main_bone(const hemc_model* model, uint32_t vertex, float* weight) {
    int best = 0;
    for (int k = 1; k < 4; ++k) {
        best = model->bone_weights[vertex][k] > model->bone_weights[vertex][best] ? k : best;
    }
    *weight = model->bone_weights[vertex][best];
    return model->bones[vertex][best];
}

static void mark_named(hemc_arena* arena, const hemc_model* model, uint8_t* mask) {
    uint8_t* slots = hemc_alloc(arena, model->bone_count, 1);
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        const char* name = model->bone_defs[b].name;
        slots[b] = hemc_name_is_accessory(name) || hemc_name_is_slot(name);
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        const hemc_primitive* p = &model->primitives[model->triangle_primitive[t]];
        int follows = 0;
        for (int c = 0; c < 3; ++c) {
            float weight;
            follows += slots[main_bone(model, model->triangles[3 * (size_t)t + (size_t)c], &weight)];
        }
        mask[t] = hemc_primitive_is_accessory(p) || follows == 3;
    }
}

// One number per connected piece, by welded position.
static uint32_t* number_pieces(hemc_arena* arena, const hemc_model* model) {
    uint8_t* used = hemc_alloc(arena, model->vertex_count, 1);
    uint32_t* welded = hemc_alloc(arena, model->vertex_count, sizeof *welded);
    memset(used, 1, model->vertex_count);
    const uint32_t count = hemc_weld_positions(arena, model, used, 0.0, welded);
    uint32_t* parent = hemc_alloc(arena, count, sizeof *parent);
    for (uint32_t i = 0; i < count; ++i) {
        parent[i] = i;
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        const uint32_t* c = model->triangles + 3 * (size_t)t;
        for (int k = 1; k < 3; ++k) {
            const uint32_t a = hemc_root_of(parent, welded[c[0]]), b = hemc_root_of(parent, welded[c[k]]);
            parent[a > b ? a : b] = a < b ? a : b;
        }
    }
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        welded[v] = hemc_root_of(parent, welded[v]);
    }
    return welded;
}

static void mark_held(hemc_arena* arena, const hemc_model* model, uint8_t* mask) {
    enum { UNKNOWN = -2 };
    const uint32_t* piece = number_pieces(arena, model);
    extent* pieces = hemc_alloc(arena, model->vertex_count, sizeof *pieces);
    int32_t* follows = hemc_alloc(arena, model->vertex_count, sizeof *follows); // its one bone, HEM_NONE = several
    extent* others =
        hemc_alloc(arena, model->bone_count, sizeof *others); // of what follows a bone and is no such piece
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        pieces[v] = nothing;
        follows[v] = UNKNOWN;
    }
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        float weight;
        const int32_t bone = (int32_t)main_bone(model, v, &weight);
        int32_t* f = &follows[piece[v]];
        extend(&pieces[piece[v]], d3_from(model->positions[v]));
        *f = weight < ALONE ? HEM_NONE : *f == UNKNOWN || *f == bone ? bone : HEM_NONE;
    }
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        others[b] = nothing;
    }
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        float weight;
        if (follows[piece[v]] == HEM_NONE) {
            extend(&others[main_bone(model, v, &weight)], d3_from(model->positions[v]));
        }
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        const uint32_t p = piece[model->triangles[3 * (size_t)t]];
        const int32_t bone = follows[p], parent = bone >= 0 ? model->bone_defs[bone].parent : HEM_NONE;
        if (bone < 0 || parent == HEM_NONE) {
            continue;
        }
        const double own = length_of(others[bone]), hand = own > 0 ? own : length_of(others[parent]);
        mask[t] |= hand > 0 && length_of(pieces[p]) > HELD_LENGTH * hand;
    }
}

void hemc_select_accessories(hemc_arena* arena, const hemc_model* model, hemc_recipe* recipe) {
    uint8_t* mask = hemc_alloc(arena, model->triangle_count, 1);
    if (recipe->accessory_selector != NULL) {
        hemc_selector_mask(arena, model, recipe->accessory_selector, mask);
    } else if (!recipe->no_accessories) {
        mark_named(arena, model, mask);
        mark_held(arena, model, mask);
    }
    recipe->accessories = mask;
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        recipe->parts[p].accessories = mask;
    }
}
