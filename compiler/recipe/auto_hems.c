// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"
#include "compiler/surface/spatial.h"

#include <math.h>
#include <string.h>

// Automatic mode: skirts that nobody has named so.
//
// A skirt is a connected piece of a mesh that ends below in a hem: a ring of open edges, wide, fairly level, in the lower
// third of the piece, with legs that go down through it and do not touch it. A shirt lies on the hips, a trouser leg
// is narrow, a hat is too high. Lengths are in shares of the model's height.

#define PIECE_LEAST 0.08 // height of the piece
#define PIECE_MOST 0.6   // more is a whole costume, which needs to be told what holds it
#define HANDS                                                                                                          \
    0.96 // of the width: it holds the hands, and is the character in one piece; its skirt goes up from the hem...
#define WAIST 0.62       // ... to here above the floor
#define FLOOD_LEAST 0.1  // height of it
#define HEM_WIDTH 0.12   // the wider way across; half of it the narrower
#define HEM_SLANT 0.5    // height of the hem, of its width
#define HEM_PLACE 0.35   // of the piece's height, from below
#define HEM_HIGHEST 0.62 // above the floor
#define HEM_FREE 0.015   // mean distance to everything else
#define HEM_VERTICES 8
#define NODE_LIMIT 256 // more are a scene, not a character
#define LEG_BELOW 0.05 // what goes through the hem reaches this much below it

typedef struct range {
    double low[3], high[3];
} range;

static const range nothing = {{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}};

static void range_add(range* r, hemc_vec3 p) {
    const double x[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; ++k) {
        r->low[k] = fmin(r->low[k], x[k]);
        r->high[k] = fmax(r->high[k], x[k]);
    }
}

static double extent(const range* r, int k) {
    return r->high[k] - r->low[k];
}

typedef struct net { // one node's triangles, welded
    const hemc_model* model;
    uint32_t count;
    uint32_t* welded;     // per model vertex
    hemc_vec3* positions; // per welded vertex
    uint32_t* piece;      // root of the connected piece, per welded vertex
    uint32_t* hem;        // root of the ring of open edges, per welded vertex; itself alone = on none
} net;

static void find_hems(hemc_arena* arena, net* n, const uint8_t* used, const uint8_t* inside) {
    const hemc_model* model = n->model;
    size_t edge_count = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        edge_count += inside[t] ? 3 : 0;
    }
    uint64_t* edges = hemc_alloc(arena, edge_count, sizeof(uint64_t));
    edge_count = 0;
    n->positions = hemc_alloc(arena, n->count, sizeof(hemc_vec3));
    n->piece = hemc_alloc(arena, n->count, sizeof(uint32_t));
    n->hem = hemc_alloc(arena, n->count, sizeof(uint32_t));
    for (uint32_t v = 0; v < n->count; ++v) {
        n->piece[v] = n->hem[v] = v;
    }
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        if (used[v]) {
            n->positions[n->welded[v]] = model->positions[v];
        }
    }
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        for (size_t c = 0; c < 3 && inside[t]; ++c) {
            uint32_t a = n->welded[model->triangles[3 * (size_t)t + c]];
            uint32_t b = n->welded[model->triangles[3 * (size_t)t + (c + 1) % 3]];
            n->piece[hemc_root_of(n->piece, a)] = hemc_root_of(n->piece, b);
            if (a != b) {
                edges[edge_count++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
            }
        }
    }
    hemc_sort(arena, edges, NULL, edge_count);
    for (size_t i = 0; i < edge_count; ++i) {
        bool open = (i == 0 || edges[i - 1] != edges[i]) && (i + 1 == edge_count || edges[i + 1] != edges[i]);
        if (open) {
            n->hem[hemc_root_of(n->hem, (uint32_t)(edges[i] >> 32))] = hemc_root_of(n->hem, (uint32_t)edges[i]);
        }
    }
}

// By all but what else the model holds.
static bool looks_like_hem(const range* hem, uint32_t vertices, const range* piece, double floor_y, double height) {
    double wide = fmax(extent(hem, 0), extent(hem, 2)), narrow = fmin(extent(hem, 0), extent(hem, 2));
    double middle = 0.5 * (hem->low[1] + hem->high[1]);
    return vertices >= HEM_VERTICES && wide >= HEM_WIDTH * height && narrow >= 0.5 * HEM_WIDTH * height &&
           extent(hem, 1) <= HEM_SLANT * wide && extent(piece, 1) >= PIECE_LEAST * height &&
           middle <= piece->low[1] + HEM_PLACE * extent(piece, 1) && middle <= floor_y + HEM_HIGHEST * height;
}

// Something goes down through it, and it touches nothing.
static bool hangs_free(hemc_arena* arena, net* n, const uint8_t* mine, uint32_t ring, const range* hem, double height) {
    const hemc_model* model = n->model;
    uint32_t* list = hemc_alloc(arena, model->triangle_count, sizeof(uint32_t));
    uint32_t count = 0, below = 0, vertices = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (mine[t]) {
            continue;
        }
        list[count++] = t;
        hemc_vec3 p = model->positions[model->triangles[3 * (size_t)t]];
        below += p.x > hem->low[0] && p.x < hem->high[0] && p.z > hem->low[2] && p.z < hem->high[2] &&
                 p.y < hem->low[1] - LEG_BELOW * height;
    }
    if (below == 0) {
        return false;
    }
    hemc_bvh rest;
    hemc_bvh_build(arena, &rest, model->positions, model->triangles, list, count);
    double sum = 0;
    for (uint32_t v = 0; v < n->count; ++v) {
        if (hemc_root_of(n->hem, v) == ring) {
            double distance = 0;
            hemc_bvh_nearest(&rest, d3_from(n->positions[v]), 1e30, &distance, NULL, NULL);
            sum += distance;
            ++vertices;
        }
    }
    return sum >= HEM_FREE * height * vertices;
}

// From one end of the character to the other, across.
static bool has_hands(const range* piece, const range* all) {
    const int side = extent(all, 0) > extent(all, 2) ? 0 : 2;
    return extent(piece, side) > HANDS * extent(all, side);
}

static bool above(const net* n, const uint32_t* corner, double y) {
    return (double)n->positions[n->welded[corner[0]]].y > y || (double)n->positions[n->welded[corner[1]]].y > y ||
           (double)n->positions[n->welded[corner[2]]].y > y;
}

// Per welded vertex, the root of what hangs together below the waist.
static uint32_t* flood_below(hemc_arena* arena, const net* n, const uint8_t* inside, double waist) {
    uint32_t* flood = hemc_alloc(arena, n->count, sizeof(uint32_t));
    for (uint32_t v = 0; v < n->count; ++v) {
        flood[v] = v;
    }
    for (uint32_t t = 0; t < n->model->triangle_count; ++t) {
        const uint32_t* corner = &n->model->triangles[3 * (size_t)t];
        if (inside[t] && !above(n, corner, waist)) {
            for (int c = 1; c < 3; ++c) {
                flood[hemc_root_of(flood, n->welded[corner[c]])] = hemc_root_of(flood, n->welded[corner[0]]);
            }
        }
    }
    return flood;
}

static bool try_node(hemc_arena* arena, net n, uint32_t node, const int32_t* owner, const range* all, uint8_t* inside,
                     uint8_t* used, uint8_t* skirt) {
    const hemc_model* model = n.model;
    const double floor_y = all->low[1], height = extent(all, 1);
    memset(used, 0, model->vertex_count);
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        inside[t] = owner[t] == HEM_NONE && model->primitives[model->triangle_primitive[t]].node == node;
        for (size_t c = 0; c < 3 && inside[t]; ++c) {
            used[model->triangles[3 * (size_t)t + c]] = 1;
        }
    }
    n.count = hemc_weld_positions(arena, model, used, 0, n.welded);
    find_hems(arena, &n, used, inside);
    range* pieces = hemc_alloc(arena, n.count, sizeof(range));
    range* hems = hemc_alloc(arena, n.count, sizeof(range));
    uint32_t* sizes = hemc_alloc(arena, n.count, sizeof(uint32_t));
    for (uint32_t v = 0; v < n.count; ++v) {
        pieces[v] = hems[v] = nothing;
    }
    for (uint32_t v = 0; v < n.count; ++v) {
        range_add(&pieces[hemc_root_of(n.piece, v)], n.positions[v]);
        range_add(&hems[hemc_root_of(n.hem, v)], n.positions[v]);
        ++sizes[hemc_root_of(n.hem, v)];
    }
    bool any = false;
    uint32_t* flood = NULL;
    for (uint32_t ring = 0; ring < n.count; ++ring) {
        if (hemc_root_of(n.hem, ring) != ring) {
            continue;
        }
        uint32_t piece = hemc_root_of(n.piece, ring);
        if (!looks_like_hem(&hems[ring], sizes[ring], &pieces[piece], floor_y, height)) {
            continue;
        }
        const bool costume = has_hands(&pieces[piece], all);
        const double waist = floor_y + WAIST * height;
        if (!costume && extent(&pieces[piece], 1) > PIECE_MOST * height) {
            continue;
        }
        if (costume && hems[ring].high[1] > waist - FLOOD_LEAST * height) {
            continue;
        }
        flood = flood == NULL && costume ? flood_below(arena, &n, inside, waist) : flood;
        uint8_t* mine = hemc_alloc(arena, model->triangle_count, 1);
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            const uint32_t* corner = &model->triangles[3 * (size_t)t];
            mine[t] = inside[t] && hemc_root_of(n.piece, n.welded[corner[0]]) == piece &&
                      (!costume || (hemc_root_of(flood, n.welded[corner[0]]) == hemc_root_of(flood, ring) &&
                                    !above(&n, corner, waist)));
        }
        if (hangs_free(arena, &n, mine, ring, &hems[ring], height)) {
            any = true;
            for (uint32_t t = 0; t < model->triangle_count; ++t) {
                skirt[t] |= mine[t];
            }
        }
    }
    return any;
}

bool hemc_auto_hems(hemc_arena* arena, const hemc_model* model, const int32_t* owner, uint8_t* skirt,
                    uint32_t* primitive) {
    range all = nothing;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        range_add(&all, model->positions[v]);
    }
    uint8_t* inside = hemc_alloc(arena, model->triangle_count, 1);
    uint8_t* used = hemc_alloc(arena, model->vertex_count, 1);
    net n = {.model = model, .welded = hemc_alloc(arena, model->vertex_count, sizeof(uint32_t))};
    bool any = false;
    uint32_t last = UINT32_MAX, tried = 0; // primitives of a node stand together
    for (uint32_t p = 0; p < model->primitive_count && tried < NODE_LIMIT; ++p) {
        uint32_t node = model->primitives[p].node;
        if (node == last) {
            continue;
        }
        last = node;
        ++tried;
        if (try_node(arena, n, node, owner, &all, inside, used, skirt)) {
            *primitive = any ? *primitive : p;
            any = true;
        }
    }
    return any;
}
