// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"
#include "compiler/surface/spatial.h"

#include <math.h>
#include <string.h>

// Automatic mode without a telling name anywhere: garments and hair by shape and bones.
//
// What may be loose is what an artist keeps apart: a node, a connected piece of a node, a material of a node. Each is looked at
// beside all the rest of the character, the largest first:
//   a skirt or robe goes around something low down, all around and without touching it, on both sides of the middle;
//   a cape is a thin thing on the bones of the middle that is held above, hangs free, and has the body beside it at every
//   height (a shirt without a body inside it has not);
//   hair follows the head and hangs far below where it lies on it (horns and ears stand up, helmets and hoods end).
// Chains of three bones and more that go down from the head are hair as well, and those in the middle that lead away from it
// a tail.
//
// The head is the bone of the middle that is followed most, high bones before low ones. Lengths are in shares of the
// model's height. A figure lying down or in pieces has none of these, and is left alone.

#define CLOSE 0.02       // farther from the rest than this hangs
#define FREE 0.015       // mean distance of a hem from what is inside
#define RIM 0.15         // of a garment's height: its hem
#define HEM_HIGHEST 0.62 // above the floor
#define HEAD_LEAST 0.4   // where the head begins, above the floor
#define MIRRORED 0.01    // mean distance of a joint from the mirrored one
#define MIDDLE 0.04      // bones nearer to the plane between left and right
#define THIN 0.006       // volume over area
#define OPEN_SHARE 0.04  // of the edges are borders: a sheet
#define ON_TOP 0.012
#define TRIM_SHARE 0.35 // of the area of what it lies on
#define TWIN_SHARE 0.75
#define SKULL 0.4   // of the size of the hair around it
#define LONGER 0.25 // of hair hangs below what it grows on; of helmets and hoods less
#define SEWN 0.002  // a rim nearer than this to the rest goes on there, as a leg does in its foot
#define HANDS 0.02  // of the width of the character
#define ACROSS 0.25 // of a skirt's width lies on either side of the middle; a leg is on one
#define SLICES 8    // of a cape's height, in which the body must be beside it
#define SECTORS 8   // around a hem
#define CANDIDATE_LIMIT 48
#define SKULLS 3        // pieces that may be the skull among the locks
#define PIECE_LIMIT 16  // of a node, the largest first
#define LOCK_LEAST 0.06 // the longest side of a lock's box; eyes, teeth and brows are smaller
#define LEAST_TRIANGLES 24
#define CHAIN_LEAST 3
#define CHAINS_LEAST 3 // two are legs
#define EAR_LEAST 2    // bones
#define EAR_UP 0.03    // from the first bone of an ear to its last
#define EAR_MOST 0.15  // of the weight, each
#define TAIL_MOST 0.15 // of the weight; more is the body of a fish or a snake

typedef struct shape {
    uint8_t* mask;
    double area;
} shape;

typedef struct looker {
    hemc_arena* arena;
    const hemc_model* model;
    double floor_y, height;
    int side;               // the axis from left to right: 0, or 2 on who faces along x
    double middle;          // along it
    double left, right;     // ends of the character along it
    const uint8_t* midline; // per bone
    int32_t head;           // HEM_NONE = none
    bool upright;           // its bones are: neither fish nor wolf
    shape* shapes;
    uint32_t shape_count;
    uint32_t node_count; // of them: whole nodes, which come first
} looker;

typedef struct traits { // of one shape
    uint32_t vertices, hanging;
    double low[3], high[3];
    double midline, head;           // shares of the weight
    double hanging_y, lying_y;      // means
    double lowest_hanging, highest; // y
    bool thin, held_above;
} traits;

static hemc_d3 at(const hemc_model* model, uint32_t t, int c) {
    return d3_from(model->positions[model->triangles[3 * (size_t)t + (size_t)c]]);
}

static double area_of(const hemc_model* model, uint32_t t) {
    const hemc_d3 a = at(model, t, 0);
    const hemc_d3 n = d3_cross(d3_sub(at(model, t, 1), a), d3_sub(at(model, t, 2), a));
    return 0.5 * sqrt(d3_dot(n, n));
}

// -- The skeleton without its names

// Whoever faces along x has left and right along z: the axis in which the joints are mirrored better, and the wider where
// both do, as on a flat skeleton with its arms out.
static int find_side(looker* l, const double* weight) {
    const hemc_model* model = l->model;
    double error[3] = {0}, low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        for (int k = 0; k < 3 && weight[b] > 0; ++k) {
            low[k] = fmin(low[k], (double)model->bone_defs[b].bind[4 * k + 3]);
            high[k] = fmax(high[k], (double)model->bone_defs[b].bind[4 * k + 3]);
        }
    }
    uint32_t count = 0;
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        count += weight[b] > 0;
        for (int axis = 0; axis < 3 && weight[b] > 0; axis += 2) {
            double nearest = 1e30;
            for (uint32_t o = 0; o < model->bone_count; ++o) {
                double square = 0;
                for (int k = 0; k < 3; ++k) {
                    const double x = model->bone_defs[b].bind[4 * k + 3];
                    const double d =
                        (k == axis ? low[k] + high[k] - x : x) - (double)model->bone_defs[o].bind[4 * k + 3];
                    square += d * d;
                }
                nearest = weight[o] > 0 ? fmin(nearest, square) : nearest;
            }
            error[axis] += sqrt(nearest);
        }
    }
    const double flat = MIRRORED * l->height * count;
    const bool wide = high[2] - low[2] > high[0] - low[0];
    return error[2] < 0.5 * error[0] || (wide && error[0] < flat && error[2] < flat) ? 2 : 0;
}

static void find_skeleton(looker* l) {
    const hemc_model* model = l->model;
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    double* weight = hemc_alloc(l->arena, model->bone_count, sizeof(double));
    double* height = hemc_alloc(l->arena, model->bone_count, sizeof(double));
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        const double x[3] = {model->positions[v].x, model->positions[v].y, model->positions[v].z};
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
        }
        for (int k = 0; k < 4; ++k) {
            weight[model->bones[v][k]] += (double)model->bone_weights[v][k];
            height[model->bones[v][k]] += (double)model->bone_weights[v][k] * x[1];
        }
    }
    l->floor_y = low[1];
    l->height = fmax(high[1] - low[1], 1e-9);
    l->side = find_side(l, weight);
    l->left = low[l->side], l->right = high[l->side];
    l->middle = 0.5 * (l->left + l->right);
    uint8_t* midline = hemc_alloc(l->arena, model->bone_count, 1);
    double best = 0;
    l->head = HEM_NONE;
    double tall[2] = {1e30, -1e30}, deep[2] = {1e30, -1e30};
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        const float* bind = model->bone_defs[b].bind;
        const double forward = bind[4 * (2 - l->side) + 3];
        if (weight[b] > 0) {
            tall[0] = fmin(tall[0], (double)bind[7]), tall[1] = fmax(tall[1], (double)bind[7]);
            deep[0] = fmin(deep[0], forward), deep[1] = fmax(deep[1], forward);
        }
        midline[b] = fabs((double)bind[4 * l->side + 3] - l->middle) < MIDDLE * l->height;
        const double up = weight[b] > 0 ? (height[b] / weight[b] - l->floor_y) / l->height : 0;
        const double origin = ((double)bind[7] - l->floor_y) / l->height;
        if (midline[b] && origin > HEAD_LEAST && weight[b] * up * up * up > best) {
            best = weight[b] * up * up * up;
            l->head = (int32_t)b;
        }
    }
    l->midline = midline;
    l->upright = tall[1] - tall[0] > 1.2 * (deep[1] - deep[0]);
}

// -- What may be loose

static void add_shape(looker* l, const uint8_t* mask) {
    uint32_t count = 0;
    double area = 0;
    for (uint32_t t = 0; t < l->model->triangle_count; ++t) {
        count += mask[t];
        area += mask[t] ? area_of(l->model, t) : 0;
    }
    if (count >= LEAST_TRIANGLES && count < l->model->triangle_count && l->shape_count < CANDIDATE_LIMIT) {
        shape* s = &l->shapes[l->shape_count++];
        s->mask = hemc_alloc(l->arena, l->model->triangle_count, 1);
        memcpy(s->mask, mask, l->model->triangle_count);
        s->area = area;
    }
}

static void add_pieces(looker* l, const uint8_t* node) {
    const uint32_t triangles = l->model->triangle_count;
    uint32_t* numbers = hemc_alloc(l->arena, triangles, sizeof(uint32_t));
    const uint32_t count = hemc_number_components(l->arena, l->model, node, numbers);
    uint8_t* mask = hemc_alloc(l->arena, triangles, 1);
    for (uint32_t piece = 0; piece < count && piece < PIECE_LIMIT && count > 1; ++piece) {
        for (uint32_t t = 0; t < triangles; ++t) {
            mask[t] = node[t] && numbers[t] == piece;
        }
        add_shape(l, mask);
    }
}

// Locks and cards are pieces too small to tell anything alone: those of a node that follow the head, together, and without
// one of the largest, which may be the skull.
static void add_locks(looker* l, const uint8_t* node) {
    const hemc_model* model = l->model;
    uint32_t* numbers = hemc_alloc(l->arena, model->triangle_count, sizeof(uint32_t));
    const uint32_t count = hemc_number_components(l->arena, model, node, numbers);
    if (count < 3 || l->head == HEM_NONE) {
        return;
    }
    double(*box)[6] = hemc_alloc(l->arena, count, sizeof(*box));
    double(*weight)[2] = hemc_alloc(l->arena, count, sizeof(*weight)); // of the head, of all
    for (uint32_t i = 0; i < 6 * count; ++i) {
        box[i / 6][i % 6] = i % 6 < 3 ? 1e30 : -1e30;
    }
    for (uint32_t i = 0; i < 3 * model->triangle_count; ++i) {
        if (!node[i / 3]) {
            continue;
        }
        const uint32_t v = model->triangles[i], piece = numbers[i / 3];
        const double x[3] = {model->positions[v].x, model->positions[v].y, model->positions[v].z};
        for (int k = 0; k < 3; ++k) {
            box[piece][k] = fmin(box[piece][k], x[k]);
            box[piece][3 + k] = fmax(box[piece][3 + k], x[k]);
        }
        for (int k = 0; k < 4; ++k) {
            const double w = (double)model->bone_weights[v][k];
            weight[piece][0] += model->bones[v][k] == (uint32_t)l->head ? w : 0;
            weight[piece][1] += w;
        }
    }
    uint32_t largest[SKULLS] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, locks = 0;
    uint8_t* is_lock = hemc_alloc(l->arena, count, 1);
    for (uint32_t piece = 0; piece < count; ++piece) {
        const double* b = box[piece];
        is_lock[piece] = weight[piece][0] > 0.6 * weight[piece][1] &&
                         fmax(b[3] - b[0], fmax(b[4] - b[1], b[5] - b[2])) > LOCK_LEAST * l->height;
        if (is_lock[piece] && locks < SKULLS) {
            largest[locks] = piece;
        }
        locks += is_lock[piece];
    }
    uint8_t* mask = hemc_alloc(l->arena, model->triangle_count, 1);
    for (uint32_t without = 0; without <= SKULLS && locks >= 3; ++without) {
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            mask[t] = node[t] && is_lock[numbers[t]] && (without == 0 || numbers[t] != largest[without - 1]);
        }
        add_shape(l, mask);
    }
}

// Whether a material of a node is pieces of their own: a belly in another colour is still the body.
static bool is_apart(const looker* l, const uint8_t* mask, uint32_t node) {
    const hemc_model* model = l->model;
    uint8_t* whole = hemc_alloc(l->arena, model->triangle_count, 1);
    uint32_t* numbers = hemc_alloc(l->arena, model->triangle_count, sizeof(uint32_t));
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        whole[t] = model->primitives[model->triangle_primitive[t]].node == node;
    }
    const uint32_t count = hemc_number_components(l->arena, model, whole, numbers);
    uint8_t* sides = hemc_alloc(l->arena, (size_t)count + 1, 1);
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (whole[t]) {
            sides[numbers[t]] |= mask[t] ? 1 : 2;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (sides[i] == 3) {
            return false;
        }
    }
    return true;
}

static void find_candidates(looker* l) {
    const hemc_model* model = l->model;
    uint8_t* mask = hemc_alloc(l->arena, model->triangle_count, 1);
    l->shapes = hemc_alloc(l->arena, CANDIDATE_LIMIT, sizeof(shape));
    for (int pass = 0; pass < 3; ++pass) { // nodes, their pieces, their materials
        l->node_count = pass == 1 ? l->shape_count : l->node_count;
        for (uint32_t p = 0; p < model->primitive_count; ++p) {
            const hemc_primitive* primitive = &model->primitives[p];
            if (pass < 2 && p > 0 && model->primitives[p - 1].node == primitive->node) {
                continue;
            }
            memset(mask, 0, model->triangle_count);
            for (uint32_t q = p; q < model->primitive_count; ++q) {
                const hemc_primitive* other = &model->primitives[q];
                if (pass == 2 ? q == p : other->node == primitive->node) {
                    memset(mask + other->triangle_begin, 1, other->triangle_count);
                }
            }
            if (pass == 1) {
                add_locks(l, mask);
                add_pieces(l, mask);
            } else if (pass == 0 || is_apart(l, mask, primitive->node)) {
                add_shape(l, mask);
            }
        }
    }
}

// -- What a shape is

// Volume over area, and borders: a closed shell of two layers is as thin as a sheet.
static bool is_thin(const looker* l, const shape* s) {
    const hemc_model* model = l->model;
    int32_t* owner = hemc_alloc(l->arena, model->triangle_count, sizeof(int32_t));
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        owner[t] = s->mask[t] ? 0 : HEM_NONE;
    }
    hemc_surface surface;
    if (!hemc_weld(l->arena, model, owner, 0, &surface) || surface.triangle_count == 0) {
        return false;
    }
    uint32_t open = 0;
    double volume = 0;
    const hemc_d3 origin = d3_from(surface.positions[0]);
    for (uint32_t t = 0; t < surface.triangle_count; ++t) {
        hemc_d3 corner[3];
        for (size_t c = 0; c < 3; ++c) {
            open += surface.neighbors[3 * (size_t)t + c] == HEM_NONE;
            corner[c] = d3_sub(d3_from(surface.positions[surface.triangles[3 * (size_t)t + c]]), origin);
        }
        volume += d3_dot(corner[0], d3_cross(corner[1], corner[2])) / 6.0;
    }
    return open > OPEN_SHARE * 3.0 * surface.triangle_count || fabs(volume) < THIN * l->height * s->area;
}

static traits look_at(const looker* l, const shape* s, hemc_bvh* rest) {
    const hemc_model* model = l->model;
    traits r = {.low = {1e30, 1e30, 1e30},
                .high = {-1e30, -1e30, -1e30},
                .lowest_hanging = 1e30,
                .highest = -1e30,
                .thin = is_thin(l, s)};
    uint8_t* seen = hemc_alloc(l->arena, model->vertex_count, 1);
    uint8_t* far = hemc_alloc(l->arena, model->vertex_count, 1);
    for (uint32_t i = 0; i < 3 * model->triangle_count; ++i) {
        const uint32_t v = model->triangles[i];
        if (!s->mask[i / 3] || seen[v]) {
            continue;
        }
        seen[v] = 1;
        ++r.vertices;
        const hemc_d3 p = d3_from(model->positions[v]);
        const double x[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; ++k) {
            r.low[k] = fmin(r.low[k], x[k]);
            r.high[k] = fmax(r.high[k], x[k]);
        }
        for (int k = 0; k < 4; ++k) {
            const double w = (double)model->bone_weights[v][k];
            r.midline += l->midline[model->bones[v][k]] ? w : 0;
            r.head += model->bones[v][k] == (uint32_t)l->head ? w : 0;
        }
        far[v] = hemc_bvh_nearest(rest, p, CLOSE * l->height, NULL, NULL, NULL) == HEM_NONE;
        r.hanging += far[v];
        r.hanging_y += far[v] ? p.y : 0;
        r.lying_y += far[v] ? 0 : p.y;
        r.lowest_hanging = far[v] ? fmin(r.lowest_hanging, p.y) : r.lowest_hanging;
        r.highest = fmax(r.highest, p.y);
    }
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        r.held_above =
            r.held_above || (seen[v] && !far[v] && model->positions[v].y > r.high[1] - 0.2 * (r.high[1] - r.low[1]));
    }
    r.midline /= fmax(r.vertices, 1);
    r.head /= fmax(r.vertices, 1);
    r.hanging_y /= fmax(r.hanging, 1);
    r.lying_y /= fmax(r.vertices - r.hanging, 1);
    return r;
}

// All around something, low down, and free of it.
static bool is_skirt(const looker* l, const shape* s, const traits* r, hemc_bvh* rest) {
    const hemc_model* model = l->model;
    const double tall = r->high[1] - r->low[1], rim = r->low[1] + RIM * tall;
    if (tall < 0.08 * l->height || tall > 0.9 * l->height || rim > l->floor_y + HEM_HIGHEST * l->height ||
        r->head > 0.3) {
        return false;
    }
    const double low = r->low[l->side], high = r->high[l->side], across = ACROSS * (high - low);
    if (low > l->middle - across || high < l->middle + across) {
        return false;
    }
    // From hand to hand it is the character in one piece, not what it wears.
    if (low < l->left + HANDS * (l->right - l->left) && high > l->right - HANDS * (l->right - l->left)) {
        return false;
    }
    double inner[3] = {0, 0, 0}, count = 0; // of the rest, at the hem's height
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        const hemc_d3 p = at(model, t, 0);
        if (!s->mask[t] && p.y < rim + 0.05 * l->height && p.y > r->low[1] - 0.1 * l->height && p.x > r->low[0] &&
            p.x < r->high[0] && p.z > r->low[2] && p.z < r->high[2]) {
            inner[0] += p.x, inner[2] += p.z, count += 1;
        }
    }
    if (count < 4) {
        return false;
    }
    const double cx = inner[0] / count, cz = inner[2] / count;
    double least[SECTORS], most = 0, sum = 0, n = 0, edge = 0, sewn = 0;
    for (int i = 0; i < SECTORS; ++i) {
        least[i] = 1e30;
    }
    for (uint32_t i = 0; i < 3 * model->triangle_count; ++i) {
        const hemc_d3 p = d3_from(model->positions[model->triangles[i]]);
        if (!s->mask[i / 3] || p.y > rim) {
            continue;
        }
        const double dx = p.x - cx, dz = p.z - cz, radius = sqrt(dx * dx + dz * dz);
        const int sector = (dx > 0 ? 1 : 0) + (dz > 0 ? 2 : 0) + (fabs(dx) > fabs(dz) ? 4 : 0);
        least[sector] = fmin(least[sector], radius);
        most = fmax(most, radius);
        double distance = 0;
        hemc_bvh_nearest(rest, p, 1e30, &distance, NULL, NULL);
        sum += distance;
        n += 1;
        if (p.y < r->low[1] + 0.05 * tall) {
            edge += 1;
            sewn += distance < SEWN * l->height;
        }
    }
    if (sewn > 0.5 * edge) {
        return false;
    }
    int around = 0;
    for (int i = 0; i < SECTORS; ++i) {
        around += least[i] < 1e29;
        if (least[i] < 0.35 * most) {
            return false; // two trouser legs
        }
    }
    return around >= SECTORS - 1 && sum >= FREE * l->height * n;
}

static bool is_cape(const looker* l, const shape* s, const traits* r) {
    const hemc_model* model = l->model;
    const double tall = r->high[1] - r->low[1];
    if (!r->thin || !r->held_above || tall < 0.2 * l->height || r->hanging < 0.35 * r->vertices || r->midline < 0.6 ||
        r->head > 0.5 || r->hanging_y > r->lying_y) {
        return false;
    }
    bool beside[SLICES] = {false};
    const double width = r->high[l->side] - r->low[l->side], middle = 0.5 * (r->high[l->side] + r->low[l->side]);
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        const hemc_d3 p = at(model, t, 0);
        const int slice = (int)floor(SLICES * (p.y - r->low[1]) / tall);
        if (!s->mask[t] && slice >= 0 && slice < SLICES && fabs((l->side == 0 ? p.x : p.z) - middle) < 0.35 * width) {
            beside[slice] = true;
        }
    }
    int count = 0;
    for (int i = 0; i < SLICES; ++i) {
        count += beside[i];
    }
    return count >= SLICES - 1;
}

// Box and mean distance from a point, of the vertices above it that follow the head.
typedef struct crown {
    double size[3], radius;
    hemc_d3 center; // of the box
    double lowest;  // of all that follow the head
} crown;

static crown crown_of(const looker* l, const shape* s, bool inside, hemc_d3 from) {
    const hemc_model* model = l->model;
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30}, sum = 0, weight = 0, lowest = 1e30;
    for (uint32_t i = 0; i < 3 * model->triangle_count; ++i) {
        const uint32_t v = model->triangles[i];
        const hemc_d3 p = d3_from(model->positions[v]);
        double head = 0;
        for (int k = 0; k < 4; ++k) {
            head += model->bones[v][k] == (uint32_t)l->head ? (double)model->bone_weights[v][k] : 0;
        }
        if ((s->mask[i / 3] != 0) != inside || head < 0.5) {
            continue;
        }
        lowest = fmin(lowest, p.y);
        if (p.y < from.y) {
            continue;
        }
        const double x[3] = {p.x, p.y, p.z}, area = area_of(model, i / 3);
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
        sum += area * d3_distance(p, from);
        weight += area;
    }
    crown c = {.radius = weight > 0 ? sum / weight : 0, .lowest = lowest};
    for (int k = 0; k < 3; ++k) {
        c.size[k] = fmax(high[k] - low[k], 0);
    }
    c.center = d3(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]));
    return c;
}

// Of what lies close to the shape on the head, how much is farther out than it: a head in one piece has its hair there.
static double share_outside(const looker* l, const shape* s, hemc_d3 center, double from_y) {
    const hemc_model* model = l->model;
    uint32_t* list = hemc_alloc(l->arena, model->triangle_count, sizeof(uint32_t));
    uint32_t count = 0, close = 0, outside = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (s->mask[t]) {
            list[count++] = t;
        }
    }
    hemc_bvh own;
    hemc_bvh_build(l->arena, &own, model->positions, model->triangles, list, count);
    for (uint32_t i = 0; i < 3 * model->triangle_count; ++i) {
        const hemc_d3 p = d3_from(model->positions[model->triangles[i]]);
        hemc_d3 nearest;
        if (!s->mask[i / 3] && p.y > from_y &&
            hemc_bvh_nearest(&own, p, CLOSE * l->height, NULL, &nearest, NULL) != HEM_NONE) {
            ++close;
            outside += d3_distance(p, center) > d3_distance(nearest, center);
        }
    }
    return close > 0 ? (double)outside / close : 0.0;
}

// On the head, outside of it, and longer than it: there is a skull inside, and it goes on below where the head begins.
static bool is_hair(const looker* l, const shape* s, const traits* r) {
    if (l->head == HEM_NONE || r->head < 0.6 || r->hanging < 0.1 * r->vertices ||
        r->highest - l->floor_y < 0.8 * l->height) {
        return false;
    }
    const float* bind = l->model->bone_defs[l->head].bind;
    const hemc_d3 from = d3(bind[3], bind[7], bind[11]);
    const crown hair = crown_of(l, s, true, from), skull = crown_of(l, s, false, from);
    return skull.size[0] > SKULL * hair.size[0] && skull.size[1] > SKULL * hair.size[1] &&
           skull.size[2] > SKULL * hair.size[2] && hair.radius > 1.02 * skull.radius &&
           share_outside(l, s, skull.center, from.y) < 0.5 &&
           skull.lowest - r->low[1] > LONGER * (r->high[1] - r->low[1]);
}

// Trims: smaller shapes that lie on this one all along, and the other wall of thick cloth, which is as large. They are no body
// to it, and go with it.
static void add_trims(const looker* l, uint32_t self, const uint8_t* taken) {
    const hemc_model* model = l->model;
    shape* s = &l->shapes[self];
    const double area = s->area;
    uint32_t* list = hemc_alloc(l->arena, model->triangle_count, sizeof(uint32_t));
    uint32_t count = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (s->mask[t]) {
            list[count++] = t;
        }
    }
    hemc_bvh own;
    hemc_bvh_build(l->arena, &own, model->positions, model->triangles, list, count);
    for (uint32_t i = 0; i < l->shape_count; ++i) {
        const shape* other = &l->shapes[i];
        uint32_t corners = 0, away = 0;
        const bool wall = other->area > TWIN_SHARE * area && area > TWIN_SHARE * other->area;
        bool free = i != self && (other->area < TRIM_SHARE * area || wall);
        for (uint32_t k = 0; k < 3 * model->triangle_count && free; ++k) {
            if (!other->mask[k / 3]) {
                continue;
            }
            free = !taken[k / 3] && !s->mask[k / 3];
            ++corners;
            away += hemc_bvh_nearest(&own, d3_from(model->positions[model->triangles[k]]), ON_TOP * l->height, NULL,
                                     NULL, NULL) == HEM_NONE;
        }
        free = free && away <= 0.05 * corners;
        s->area += free ? other->area : 0;
        for (uint32_t t = 0; t < model->triangle_count && free; ++t) {
            s->mask[t] |= other->mask[t];
        }
    }
}

typedef enum verdict { NOTHING, SKIRT, CAPE, HAIR } verdict;

static verdict judge(const looker* l, uint32_t index, const uint8_t* taken, traits* r) {
    const hemc_model* model = l->model;
    const shape* s = &l->shapes[index];
    uint32_t* list = hemc_alloc(l->arena, model->triangle_count, sizeof(uint32_t));
    for (int pass = 0; pass < 2; ++pass) { // hair alone, then garments with what is sewn on them
        uint32_t others = 0;
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            if (pass == 0 && s->mask[t] && taken[t]) {
                return NOTHING;
            }
            if (!s->mask[t]) {
                list[others++] = t;
            }
        }
        hemc_bvh rest;
        hemc_bvh_build(l->arena, &rest, model->positions, model->triangles, list, others);
        *r = look_at(l, s, &rest);
        if (pass == 0 && is_hair(l, s, r)) {
            return HAIR;
        }
        if (pass == 1) {
            return is_skirt(l, s, r, &rest) ? SKIRT : is_cape(l, s, r) ? CAPE : NOTHING;
        }
        if (r->head > 0.5 || r->high[1] - r->low[1] < 0.08 * l->height) {
            return NOTHING;
        }
        add_trims(l, index, taken);
    }
    return NOTHING;
}

uint32_t hemc_auto_shapes(hemc_arena* arena, const hemc_model* model, hemc_auto_shape found[HEMC_AUTO_SHAPES]) {
    looker l = {.arena = arena, .model = model};
    find_skeleton(&l);
    if (!l.upright) {
        return 0;
    }
    find_candidates(&l);
    uint8_t* taken = hemc_alloc(arena, model->triangle_count, 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < l.shape_count && count < HEMC_AUTO_SHAPES; ++i) {
        const shape* s = &l.shapes[i];
        traits r;
        const verdict v = judge(&l, i, taken, &r);
        if (v == NOTHING) {
            continue;
        }
        hemc_auto_shape* f = &found[count++];
        const bool robe = v == SKIRT && r.high[1] - r.low[1] > 0.6 * l.height;
        f->part = robe ? "robe" : v == SKIRT ? "skirt" : v == CAPE ? "cape" : "hair";
        f->kind = v == HAIR ? HEMC_LOOSE_HAIR : HEMC_LOOSE_CLOTH;
        f->why = v == SKIRT  ? "goes all around the legs and touches nothing below"
                 : v == CAPE ? "is thin, held above and hangs beside the body"
                             : "is around the head and hangs below it";
        f->mask = s->mask;
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            taken[t] |= s->mask[t];
        }
    }
    return count;
}

int32_t hemc_auto_head(hemc_arena* arena, const hemc_model* model) {
    looker l = {.arena = arena, .model = model};
    find_skeleton(&l);
    return l.head;
}

bool hemc_auto_upright(hemc_arena* arena, const hemc_model* model) {
    looker l = {.arena = arena, .model = model};
    find_skeleton(&l);
    return l.upright;
}

uint32_t hemc_auto_head_chains(hemc_arena* arena, const hemc_model* model, uint8_t* bones, uint8_t* anchors) {
    looker l = {.arena = arena, .model = model};
    find_skeleton(&l);
    uint32_t chains = 0;
    for (uint32_t b = 0; b < model->bone_count && l.head != HEM_NONE; ++b) {
        if (model->bone_defs[b].parent != l.head) {
            continue;
        }
        uint8_t* below = hemc_alloc(arena, model->bone_count, 1);
        uint32_t length = 0;
        double lowest = 1e30;
        for (uint32_t k = b; k < model->bone_count; ++k) {
            const int32_t parent = model->bone_defs[k].parent;
            below[k] = k == b || (parent != HEM_NONE && below[parent]);
            length += below[k];
            lowest = below[k] ? fmin(lowest, (double)model->bone_defs[k].bind[7]) : lowest;
        }
        if (length < CHAIN_LEAST || (double)model->bone_defs[b].bind[7] - lowest < 0.05 * l.height) {
            continue;
        }
        ++chains;
        anchors[b] = anchors[l.head] = 1;
        for (uint32_t k = 0; k < model->bone_count; ++k) {
            bones[k] |= below[k];
        }
    }
    return chains >= CHAINS_LEAST ? chains : 0;
}

// A chain from b downwards: no bone of it has two children that carry anything. In the middle, or anywhere.
static bool is_chain(const looker* l, uint32_t b, const double* weight, bool middle, uint8_t* chain, uint32_t* length,
                     double* sum) {
    const hemc_model* model = l->model;
    uint8_t* carries = hemc_alloc(l->arena, model->bone_count, 1); // a bone, or one below it
    uint8_t* children = hemc_alloc(l->arena, model->bone_count, 1);
    for (uint32_t k = model->bone_count; k-- > b;) {
        carries[k] |= weight[k] > 0;
        const int32_t parent = model->bone_defs[k].parent;
        if (carries[k] && parent != HEM_NONE) {
            carries[parent] = 1;
            children[parent] += children[parent] < 2;
        }
    }
    *length = 0;
    *sum = 0;
    for (uint32_t k = b; k < model->bone_count; ++k) {
        const int32_t parent = model->bone_defs[k].parent;
        chain[k] = carries[k] && (k == b || (parent != HEM_NONE && chain[parent]));
        if (chain[k] && (children[k] > 1 || (middle && !l->midline[k]))) {
            return false;
        }
        *length += chain[k] && weight[k] > 0;
        *sum += chain[k] ? weight[k] : 0;
    }
    return true;
}

uint32_t hemc_auto_tail_chains(hemc_arena* arena, const hemc_model* model, uint8_t* bones, uint8_t* anchors) {
    looker l = {.arena = arena, .model = model};
    find_skeleton(&l);
    double* weight = hemc_alloc(arena, model->bone_count, sizeof(double));
    double all = 0;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        for (int k = 0; k < 4; ++k) {
            weight[model->bones[v][k]] += (double)model->bone_weights[v][k];
            all += (double)model->bone_weights[v][k];
        }
    }
    uint8_t* of_head = hemc_alloc(arena, model->bone_count, 1); // the head and what it carries
    uint8_t* chain = hemc_alloc(arena, model->bone_count, 1);
    uint32_t chains = 0;
    for (uint32_t b = 0; b < model->bone_count && l.head != HEM_NONE; ++b) {
        const int32_t parent = model->bone_defs[b].parent;
        of_head[b] = (int32_t)b == l.head || (parent != HEM_NONE && of_head[parent]);
        uint32_t length;
        double sum;
        memset(chain, 0, model->bone_count);
        if (of_head[b] || parent == HEM_NONE || bones[b] || !is_chain(&l, b, weight, true, chain, &length, &sum) ||
            chain[l.head] || length < CHAIN_LEAST || sum > TAIL_MOST * all) {
            continue;
        }
        uint32_t tip = b;
        for (uint32_t k = b; k < model->bone_count; ++k) {
            tip = chain[k] ? k : tip;
        }
        const float *from = model->bone_defs[b].bind, *to = model->bone_defs[tip].bind;
        const float* head = model->bone_defs[l.head].bind;
        const hemc_d3 root = d3(from[3], from[7], from[11]), end = d3(to[3], to[7], to[11]);
        const hemc_d3 skull = d3(head[3], head[7], head[11]);
        if (d3_distance(end, skull) < d3_distance(root, skull) + 0.5 * d3_distance(root, end)) {
            continue;
        }
        ++chains;
        anchors[b] = anchors[parent] = 1;
        for (uint32_t k = b; k < model->bone_count; ++k) {
            bones[k] |= chain[k];
        }
    }
    return chains;
}

static hemc_d3 joint(const looker* l, uint32_t bone) {
    const float* bind = l->model->bone_defs[bone].bind;
    return d3(bind[3], bind[7], bind[11]);
}

static hemc_d3 mirrored(const looker* l, hemc_d3 p) {
    return l->side == 0 ? d3(2 * l->middle - p.x, p.y, p.z) : d3(p.x, p.y, 2 * l->middle - p.z);
}

uint32_t hemc_auto_ear_chains(hemc_arena* arena, const hemc_model* model, uint8_t* bones, uint8_t* anchors) {
    looker l = {.arena = arena, .model = model};
    find_skeleton(&l);
    if (l.head == HEM_NONE) {
        return 0;
    }
    double* weight = hemc_alloc(arena, model->bone_count, sizeof(double));
    double all = 0;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        for (int k = 0; k < 4; ++k) {
            weight[model->bones[v][k]] += (double)model->bone_weights[v][k];
            all += (double)model->bone_weights[v][k];
        }
    }
    uint32_t* tips = hemc_alloc(arena, model->bone_count, sizeof(uint32_t)); // of chains that stand up from the head
    uint8_t** chains = hemc_alloc(arena, model->bone_count, sizeof(uint8_t*));
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        if (model->bone_defs[b].parent != l.head || bones[b]) {
            continue;
        }
        uint8_t* chain = hemc_alloc(arena, model->bone_count, 1);
        uint32_t length;
        double sum;
        if (!is_chain(&l, b, weight, false, chain, &length, &sum) || length < EAR_LEAST || sum > EAR_MOST * all) {
            continue;
        }
        for (uint32_t k = b; k < model->bone_count; ++k) {
            tips[b] = chain[k] ? k : tips[b];
        }
        chains[b] = joint(&l, tips[b]).y - joint(&l, b).y > EAR_UP * l.height ? chain : NULL;
    }
    uint32_t pairs = 0;
    for (uint32_t a = 0; a < model->bone_count; ++a) {
        for (uint32_t b = a + 1; b < model->bone_count && chains[a] != NULL; ++b) {
            const double off = MIRRORED * l.height;
            if (chains[b] == NULL || d3_distance(joint(&l, a), joint(&l, b)) < 2 * off ||
                d3_distance(mirrored(&l, joint(&l, a)), joint(&l, b)) > off ||
                d3_distance(mirrored(&l, joint(&l, tips[a])), joint(&l, tips[b])) > off) {
                continue;
            }
            ++pairs;
            anchors[a] = anchors[b] = anchors[l.head] = 1;
            for (uint32_t k = 0; k < model->bone_count; ++k) {
                bones[k] |= chains[a][k] | chains[b][k];
            }
        }
    }
    return pairs;
}
