// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"

#include "compiler/surface/spatial.h"

#include <math.h>
#include <string.h>

// Automatic mode: second thoughts about connected pieces of what names have found.
//
//   A trim, a belt or a bow that lies on another loose part all along moves with that part: made on its own it
//   would be a strip two particles wide, or hold on to nothing and fall.
//   Hair that lies close to the head everywhere (a cropped head, brows) has no room to move and stays with the skeleton.
//   So does a hood: cloth that follows the head and encloses it. Simulated, it would fly off. And so do ears that lie
//   on the head, a person's on a rig that has bones for them.
//
// Distances are in shares of the model's height, since nothing says in which unit a file without a recipe is.

#define ON_TOP 0.012      // nearer than this at every vertex but a few: lies on it
#define ON_TOP_SHARE 0.95 // of the vertices
#define CLOSE 0.02        // hair farther than this from the skin hangs
#define HANGING_SHARE 0.1 // of a piece's vertices
#define HOOD 0.06         // how far from the head a hood may stand
#define HOOD_WEIGHT 0.6   // of its weight is the head's

typedef struct piece {
    double area;
    uint32_t vertices, hanging;
    uint32_t away; // farther from the rest than a hood is
    double head;   // weight of the bones of the head, over all vertices
    uint32_t* on;  // per part: vertices that lie on it
} piece;

// Triangles with this owner into a tree; false = there are none.
static bool build(hemc_arena* arena, const hemc_model* model, const int32_t* owner, int32_t who, hemc_bvh* bvh) {
    uint32_t* list = hemc_alloc(arena, model->triangle_count, sizeof(uint32_t));
    uint32_t count = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (owner[t] == who) {
            list[count++] = t;
        }
    }
    if (count != 0) {
        hemc_bvh_build(arena, bvh, model->positions, model->triangles, list, count);
    }
    return count != 0;
}

static double area_of(const hemc_vec3* positions, const uint32_t* corner) {
    hemc_d3 a = d3_from(positions[corner[0]]), b = d3_from(positions[corner[1]]), c = d3_from(positions[corner[2]]);
    hemc_d3 n = d3_cross(d3_sub(b, a), d3_sub(c, a));
    return 0.5 * sqrt(d3_dot(n, n));
}

// Per bone: those named so or, where none is (Rigify's is the end of a spine), the one that looks like it.
static uint8_t* find_heads(hemc_arena* arena, const hemc_model* model) {
    static const char* const words[] = {"head", "頭", "头", "머리"};
    uint8_t* heads = hemc_alloc(arena, (size_t)model->bone_count + 1, 1);
    bool any = false;
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        heads[b] = hemc_name_holds_any(model->bone_defs[b].name, words, 4);
        any = any || heads[b];
    }
    const int32_t head = any ? HEM_NONE : hemc_auto_head(arena, model);
    if (head != HEM_NONE) {
        heads[head] = 1;
    }
    return heads;
}

static double head_weight(const hemc_model* model, const uint8_t* heads, uint32_t v) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
        sum += heads[model->bones[v][k]] ? (double)model->bone_weights[v][k] : 0.0;
    }
    return sum;
}

static int32_t decide(const piece* p, const double* area, int32_t self, uint32_t part_count, hemc_auto_kind kind) {
    if (kind == HEMC_AUTO_EARS) { // whatever hair lies around them
        return p->hanging < HANGING_SHARE * p->vertices ? HEM_NONE : self;
    }
    for (uint32_t k = 0; k < part_count; ++k) {
        if ((int32_t)k != self && area[k] > p->area && p->on[k] >= ON_TOP_SHARE * p->vertices) {
            return (int32_t)k;
        }
    }
    const bool cropped = kind == HEMC_AUTO_HAIR && p->hanging < HANGING_SHARE * p->vertices;
    const bool hood =
        kind == HEMC_AUTO_CLOTH && p->away < HANGING_SHARE * p->vertices && p->head > HOOD_WEIGHT * p->vertices;
    return cropped || hood ? HEM_NONE : self;
}

void hemc_auto_pieces(hemc_arena* arena, const hemc_model* model, const hemc_auto_kind* kinds, uint32_t part_count,
                      int32_t* owner) {
    double low = 1e30, high = -1e30;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        low = model->positions[v].y < low ? model->positions[v].y : low;
        high = model->positions[v].y > high ? model->positions[v].y : high;
    }
    double height = high - low;
    int32_t* before = hemc_alloc(arena, model->triangle_count, sizeof(int32_t));
    memcpy(before, owner, model->triangle_count * sizeof(int32_t));
    hemc_bvh rest, *trees = hemc_alloc(arena, part_count, sizeof(hemc_bvh));
    bool has_rest = build(arena, model, before, HEM_NONE, &rest);
    const uint8_t* heads = find_heads(arena, model);
    double* area = hemc_alloc(arena, part_count, sizeof(double)); // 0 = nothing was left for it
    for (uint32_t k = 0; k < part_count; ++k) {
        build(arena, model, before, (int32_t)k, &trees[k]);
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (before[t] != HEM_NONE) {
            area[before[t]] += area_of(model->positions, &model->triangles[3 * (size_t)t]);
        }
    }
    for (uint32_t self = 0; self < part_count; ++self) {
        if (kinds[self] == HEMC_AUTO_SURE || !(area[self] > 0)) {
            continue;
        }
        uint8_t* used = hemc_alloc(arena, model->vertex_count, 1);
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            for (int c = 0; c < 3 && before[t] == (int32_t)self; ++c) {
                used[model->triangles[3 * (size_t)t + (size_t)c]] = 1;
            }
        }
        uint32_t* welded = hemc_alloc(arena, model->vertex_count, sizeof(uint32_t));
        uint32_t count = hemc_weld_positions(arena, model, used, 0, welded);
        uint32_t* parent = hemc_alloc(arena, count, sizeof(uint32_t));
        uint8_t* seen = hemc_alloc(arena, count, 1);
        piece* pieces = hemc_alloc(arena, count, sizeof(piece)); // at the root's index
        for (uint32_t v = 0; v < count; ++v) {
            parent[v] = v;
        }
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            const uint32_t* corner = &model->triangles[3 * (size_t)t];
            for (int c = 1; c < 3 && before[t] == (int32_t)self; ++c) {
                parent[hemc_root_of(parent, welded[corner[c]])] = hemc_root_of(parent, welded[corner[0]]);
            }
        }
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            const uint32_t* corner = &model->triangles[3 * (size_t)t];
            if (before[t] == (int32_t)self) {
                pieces[hemc_root_of(parent, welded[corner[0]])].area += area_of(model->positions, corner);
            }
        }
        for (uint32_t v = 0; v < model->vertex_count; ++v) {
            if (!used[v] || seen[welded[v]]) {
                continue;
            }
            seen[welded[v]] = 1;
            piece* p = &pieces[hemc_root_of(parent, welded[v])];
            p->on = p->on != NULL ? p->on : hemc_alloc(arena, part_count, sizeof(uint32_t));
            hemc_d3 at = d3_from(model->positions[v]);
            ++p->vertices;
            for (uint32_t k = 0; k < part_count; ++k) {
                if (k != self && area[k] > 0) {
                    p->on[k] += hemc_bvh_nearest(&trees[k], at, ON_TOP * height, NULL, NULL, NULL) != HEM_NONE;
                }
            }
            p->hanging += !has_rest || hemc_bvh_nearest(&rest, at, CLOSE * height, NULL, NULL, NULL) == HEM_NONE;
            p->away += !has_rest || hemc_bvh_nearest(&rest, at, HOOD * height, NULL, NULL, NULL) == HEM_NONE;
            p->head += head_weight(model, heads, v);
        }
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            if (before[t] == (int32_t)self) {
                const piece* p = &pieces[hemc_root_of(parent, welded[model->triangles[3 * (size_t)t]])];
                owner[t] = decide(p, area, (int32_t)self, part_count, kinds[self]);
            }
        }
    }
}
