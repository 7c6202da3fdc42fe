// SPDX-License-Identifier: MIT
#include "compiler/generate.h"

#include <string.h>

// One cutting plane through a surface: from triangles to chains, one per layer of cloth.
//
// 1. Walk. A triangle with corners on both sides of the plane is crossed on exactly two edges (a corner on the plane
//    counts as above, so there are no special cases). From the lowest unvisited triangle walk over shared edges both
//    ways until the surface ends or the walk comes round.
// 2. Join. Ends nearer than JOIN x spacing become one chain, nearest pairs first: triangle soups, non-manifold edges
//    (where the walk stops) and panels that touch without sharing vertices.
// 3. Fold. Cloth modelled with two sides is a flat loop. If its mean thickness is below LAYER x spacing, find the two
//    tips that pair its sides best and replace the loop by the middle line between them. An open chain that comes
//    back alongside itself (cloth folded over at one border) is cut off at the fold.
// 4. Layers. Longest chain first, drop what lies nearer than LAYER x spacing to a chain already kept: linings, and
//    sheets lying on each other. This is the paper's "only if there is no particle on the same level closer", applied
//    to the line instead of to each particle, so that what is left is one even line and not scattered survivors.
// 5. Measure. Stations along the chain, smoothed over one spacing.
//
// Choices are made by index (triangles, edges) or by lengths, never by coordinates, so a moved, turned, scaled or
// mirrored input gives the same chains, moved likewise.

#define JOIN 0.35
#define LAYER 0.7
#define LINGER 1.3        // a layer that was dropped stays dropped up to here,
#define LINGER_LESSER 2.0 // or to here, where most of its chain was dropped
#define FOLD_PAIRS 16

typedef struct raw_chain {
    bool closed;
    uint32_t count;
    hemc_d3* points;
    hemc_d3* normals; // not unit
    double length;
    uint32_t seed;
    bool cut_begin, cut_end;
} raw_chain;

void hemc_slicer_init(hemc_slicer* slicer, hemc_gen* gen) {
    memset(slicer, 0, sizeof *slicer);
    slicer->gen = gen;
    if (gen->survey != NULL) {
        slicer->survey = *gen->survey;
    } else {
        hemc_survey_make(gen->arena, gen->surface, hemc_cut_axis(gen->part, gen->surface), &slicer->survey);
    }
    slicer->stamp = hemc_alloc(gen->arena, gen->surface->triangle_count, sizeof *slicer->stamp);
}

// -- 1. Walk

static bool edge_crosses(const hemc_slicer* s, uint32_t triangle, int edge, double height) {
    const uint32_t* v = &s->gen->surface->triangles[3 * (size_t)triangle];
    return (s->survey.height[v[edge]] >= height) != (s->survey.height[v[(edge + 1) % 3]] >= height);
}

static hemc_d3 edge_point(const hemc_slicer* s, uint32_t triangle, int edge, double height) {
    const hemc_surface* surface = s->gen->surface;
    uint32_t a = surface->triangles[3 * (size_t)triangle + (size_t)edge];
    uint32_t b = surface->triangles[3 * (size_t)triangle + (size_t)(edge + 1) % 3];
    if (a > b) { // both triangles of an edge compute the same point
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    double t = (height - s->survey.height[a]) / (s->survey.height[b] - s->survey.height[a]);
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return d3_lerp(d3_from(surface->positions[a]), d3_from(surface->positions[b]), t);
}

// The edge of `triangle` that borders on `from`, given that `from` borders on it by `edge`.
static int facing_edge(const hemc_surface* surface, uint32_t triangle, uint32_t from, int edge) {
    uint32_t a = surface->triangles[3 * (size_t)from + (size_t)edge];
    uint32_t b = surface->triangles[3 * (size_t)from + (size_t)(edge + 1) % 3];
    const uint32_t* v = &surface->triangles[3 * (size_t)triangle];
    for (int e = 0; e < 3; ++e) {
        uint32_t c = v[e], d = v[(e + 1) % 3];
        if ((a == c && b == d) || (a == d && b == c)) {
            return e;
        }
    }
    return -1;
}

typedef struct step {
    uint32_t triangle;
    int in, out; // edges
} step;

typedef struct step_list {
    step* items;
    size_t count, capacity;
} step_list;

static void push_step(hemc_arena* arena, step_list* list, step s) {
    list->items = hemc_grow(arena, list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = s;
}

// Follows the chain out of `edge` of `triangle`. Returns true when it came back to the start.
static bool walk(hemc_slicer* s, uint32_t triangle, int edge, double height, uint32_t mark, step_list* list) {
    const hemc_surface* surface = s->gen->surface;
    uint32_t start = triangle;
    for (;;) {
        int32_t next = surface->neighbors[3 * (size_t)triangle + (size_t)edge];
        ++s->gen->work;
        if (next == HEM_NONE) {
            return false;
        }
        if ((uint32_t)next == start && list->count > 1) {
            return true;
        }
        if (s->stamp[next] == mark) {
            return false;
        }
        int in = facing_edge(surface, (uint32_t)next, triangle, edge);
        int out = -1;
        for (int e = 0; e < 3 && in >= 0; ++e) {
            if (e != in && edge_crosses(s, (uint32_t)next, e, height)) {
                out = e;
            }
        }
        if (in < 0 || out < 0) {
            return false;
        }
        s->stamp[next] = mark;
        step st = {(uint32_t)next, in, out};
        push_step(s->gen->arena, list, st);
        triangle = (uint32_t)next;
        edge = out;
    }
}

static uint64_t edge_sum(const uint32_t* v, int edge) {
    return (uint64_t)v[edge] + v[(edge + 1) % 3];
}

static raw_chain walk_chain(hemc_slicer* s, uint32_t triangle, double height, uint32_t mark, step_list* forward,
                            step_list* backward) {
    hemc_arena* arena = s->gen->arena;
    int edges[2] = {-1, -1};
    for (int e = 0; e < 3; ++e) {
        if (edge_crosses(s, triangle, e, height)) {
            edges[edges[0] < 0 ? 0 : 1] = e;
        }
    }
    // The way to go must not depend on how the triangle is wound, for a mirrored one is wound the other way: the two edges
    // share one corner, so their other corners tell them apart.
    const uint32_t* v = &s->gen->surface->triangles[3 * (size_t)triangle];
    if (edge_sum(v, edges[0]) > edge_sum(v, edges[1])) {
        const int swap = edges[0];
        edges[0] = edges[1];
        edges[1] = swap;
    }
    s->stamp[triangle] = mark;
    forward->count = backward->count = 0;
    step first = {triangle, edges[0], edges[1]};
    push_step(arena, forward, first);
    raw_chain chain;
    memset(&chain, 0, sizeof chain);
    chain.seed = triangle;
    chain.closed = walk(s, triangle, edges[1], height, mark, forward);
    if (!chain.closed) {
        walk(s, triangle, edges[0], height, mark, backward);
    }
    size_t triangles = forward->count + backward->count;
    chain.points = hemc_alloc(arena, triangles + 1, sizeof *chain.points);
    chain.normals = hemc_alloc(arena, triangles + 1, sizeof *chain.normals);
    uint32_t count = 0;
    for (size_t i = 0; i < triangles + (chain.closed ? 0 : 1); ++i) {
        // Point i lies between triangle i - 1 and triangle i of the chain.
        hemc_d3 normal = d3(0, 0, 0);
        hemc_d3 p = d3(0, 0, 0);
        for (int side = 0; side < 2; ++side) {
            size_t at = side == 0 ? (i == 0 && chain.closed ? triangles : i) : i;
            at = side == 0 ? at - 1 : at;
            if ((side == 0 && i == 0 && !chain.closed) || at >= triangles) {
                continue;
            }
            bool back = at < backward->count;
            step st = back ? backward->items[backward->count - 1 - at] : forward->items[at - backward->count];
            // A backward step was walked the other way round: its `in` is where the chain leaves it.
            int begin = back ? st.out : st.in, end = back ? st.in : st.out;
            normal = d3_add(normal, s->survey.normal[st.triangle]);
            p = edge_point(s, st.triangle, side == 0 ? end : begin, height);
        }
        if (count > 0 && d3_distance(p, chain.points[count - 1]) <= 1e-7 * s->gen->spacing) {
            chain.normals[count - 1] = d3_add(chain.normals[count - 1], normal);
            continue;
        }
        chain.points[count] = p;
        chain.normals[count++] = normal;
    }
    chain.count = count;
    return chain;
}

static double raw_length(const raw_chain* chain) {
    double length = 0.0;
    for (uint32_t i = 1; i < chain->count; ++i) {
        length += d3_distance(chain->points[i - 1], chain->points[i]);
    }
    if (chain->closed && chain->count > 1) {
        length += d3_distance(chain->points[chain->count - 1], chain->points[0]);
    }
    return length;
}

static void raw_reverse(raw_chain* chain) {
    for (uint32_t i = 0, j = chain->count - 1; i < j; ++i, --j) {
        hemc_d3 p = chain->points[i], n = chain->normals[i];
        chain->points[i] = chain->points[j];
        chain->normals[i] = chain->normals[j];
        chain->points[j] = p;
        chain->normals[j] = n;
    }
    bool cut = chain->cut_begin;
    chain->cut_begin = chain->cut_end;
    chain->cut_end = cut;
}

// -- 2. Join

// End 2 i is the first point of chain i, end 2 i + 1 its last.
static uint32_t join_ends(hemc_slicer* s, raw_chain* chains, uint32_t count) {
    hemc_arena* arena = s->gen->arena;
    double reach = JOIN * s->gen->spacing;
    uint32_t open_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        open_count += !chains[i].closed;
    }
    if (open_count == 0) {
        return count;
    }
    uint32_t* ends = hemc_alloc(arena, 2 * (size_t)open_count, sizeof *ends);
    hemc_vec3* points = hemc_alloc(arena, 2 * (size_t)open_count, sizeof *points);
    uint32_t end_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t side = 0; side < 2 && !chains[i].closed; ++side) {
            ends[end_count] = 2 * i + side;
            points[end_count++] = d3_to(chains[i].points[side ? chains[i].count - 1 : 0]);
        }
    }
    hemc_kd kd;
    hemc_kd_build(arena, &kd, points, end_count);
    typedef struct pair {
        uint32_t a, b;
    } pair;
    pair* pairs = NULL;
    hemc_sort_item* order = NULL;
    size_t pair_count = 0, pair_capacity = 0, order_capacity = 0;
    for (uint32_t i = 0; i < end_count; ++i) {
        hemc_near near[8];
        uint32_t found = hemc_kd_near(&kd, d3_from(points[i]), reach, 8, near);
        for (uint32_t k = 0; k < found; ++k) {
            uint32_t j = near[k].index;
            bool own = ends[i] / 2 == ends[j] / 2;
            // A chain closes on itself only if that makes a loop worth the name.
            if (j == i || (own && chains[ends[i] / 2].length < 4.0 * reach)) {
                continue;
            }
            pairs = hemc_grow(arena, pairs, &pair_capacity, pair_count + 1, sizeof *pairs);
            order = hemc_grow(arena, order, &order_capacity, pair_count + 1, sizeof *order);
            pairs[pair_count].a = i < j ? i : j;
            pairs[pair_count].b = i < j ? j : i;
            order[pair_count].key = near[k].distance;
            order[pair_count].index = (uint32_t)pair_count;
            ++pair_count;
        }
    }
    s->gen->work += kd.visit_count;
    hemc_sort_items(arena, order, pair_count);
    int32_t* partner = hemc_alloc(arena, 2 * (size_t)count, sizeof *partner);
    memset(partner, 0xff, 2 * (size_t)count * sizeof *partner);
    for (size_t k = 0; k < pair_count; ++k) {
        uint32_t a = ends[pairs[order[k].index].a], b = ends[pairs[order[k].index].b];
        if (partner[a] == HEM_NONE && partner[b] == HEM_NONE) {
            partner[a] = (int32_t)b;
            partner[b] = (int32_t)a;
        }
    }
    // String the joined chains together: first from free ends, then the rings that remain.
    uint8_t* used = hemc_alloc(arena, count, sizeof *used);
    raw_chain* joined = hemc_alloc(arena, count, sizeof *joined);
    uint32_t joined_count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < count; ++i) {
            if (used[i] ||
                (pass == 0 && !chains[i].closed && partner[2 * i] != HEM_NONE && partner[2 * i + 1] != HEM_NONE)) {
                continue;
            }
            if (chains[i].closed) {
                used[i] = 1;
                joined[joined_count++] = chains[i];
                continue;
            }
            uint32_t entry = pass == 0 && partner[2 * i] != HEM_NONE ? 2 * i + 1 : 2 * i;
            size_t total = 0;
            uint32_t at = entry;
            bool ring = false;
            for (;;) { // count first, then copy
                total += chains[at / 2].count;
                int32_t next = partner[at ^ 1u];
                if (next == HEM_NONE) {
                    break;
                }
                if ((uint32_t)next / 2 == i) {
                    ring = true;
                    break;
                }
                at = (uint32_t)next;
            }
            raw_chain chain;
            memset(&chain, 0, sizeof chain);
            chain.points = hemc_alloc(arena, total, sizeof *chain.points);
            chain.normals = hemc_alloc(arena, total, sizeof *chain.normals);
            chain.seed = chains[i].seed;
            chain.closed = ring;
            at = entry;
            for (;;) {
                raw_chain* piece = &chains[at / 2];
                used[at / 2] = 1;
                if (at & 1u) {
                    raw_reverse(piece);
                    // The ends changed places; partners are stored by side, so remember only the way on.
                }
                for (uint32_t k = 0; k < piece->count; ++k) {
                    if (chain.count > 0 &&
                        d3_distance(piece->points[k], chain.points[chain.count - 1]) <= 1e-7 * s->gen->spacing) {
                        continue;
                    }
                    chain.points[chain.count] = piece->points[k];
                    chain.normals[chain.count++] = piece->normals[k];
                }
                chain.seed = piece->seed < chain.seed ? piece->seed : chain.seed;
                int32_t next = partner[at ^ 1u];
                if (next == HEM_NONE || (uint32_t)next / 2 == i) {
                    break;
                }
                at = (uint32_t)next;
            }
            chain.length = raw_length(&chain);
            joined[joined_count++] = chain;
        }
    }
    memcpy(chains, joined, joined_count * sizeof *chains);
    return joined_count;
}

// -- 3. Fold

static double* raw_arcs(hemc_arena* arena, const raw_chain* chain) {
    double* arc = hemc_alloc(arena, (size_t)chain->count + 1, sizeof *arc);
    for (uint32_t i = 1; i < chain->count; ++i) {
        arc[i] = arc[i - 1] + d3_distance(chain->points[i - 1], chain->points[i]);
    }
    arc[chain->count] = arc[chain->count - 1];
    if (chain->closed) {
        arc[chain->count] += d3_distance(chain->points[chain->count - 1], chain->points[0]);
    }
    return arc;
}

// Arc lengths with, for as many stretches of equal length as there are points, the point at which each begins: a place along
// the chain is then found in a step or two.
typedef struct arc_index {
    const double* arc;
    uint32_t* first; // per stretch
    double per_length;
} arc_index;

static arc_index index_arcs(hemc_arena* arena, const raw_chain* chain, const double* arc) {
    const double length = arc[chain->count];
    arc_index index = {arc, hemc_alloc(arena, (size_t)chain->count + 1, sizeof(uint32_t)), 0.0};
    index.per_length = length > 0.0 ? chain->count / length : 0.0;
    for (uint32_t k = 0, i = 0; k <= chain->count; ++k) {
        while (i + 1 < chain->count && arc[i + 1] <= length * k / chain->count) {
            ++i;
        }
        index.first[k] = i;
    }
    return index;
}

static void raw_at(const raw_chain* chain, const arc_index* index, double s, hemc_d3* point, hemc_d3* normal) {
    const double* arc = index->arc;
    double length = arc[chain->count];
    if (chain->closed && length > 0.0) {
        s -= floor(s / length) * length;
    }
    s = s < 0.0 ? 0.0 : s > length ? length : s;
    // The last point not beyond s, but for the end of an open chain.
    const uint32_t top = chain->closed ? chain->count : chain->count - 1;
    const double stretch = s * index->per_length;
    uint32_t lo = index->first[stretch < chain->count ? (uint32_t)stretch : chain->count];
    while (lo > 0 && (arc[lo] > s || lo >= top)) {
        --lo;
    }
    while (lo + 1 < top && arc[lo + 1] <= s) {
        ++lo;
    }
    const uint32_t hi = lo + 1 < top ? lo + 1 : top;
    uint32_t next = hi == chain->count ? 0 : hi;
    double gap = arc[hi] - arc[lo];
    double t = gap > 0.0 ? (s - arc[lo]) / gap : 0.0;
    *point = d3_lerp(chain->points[lo], chain->points[next], t);
    if (normal) {
        *normal = d3_lerp(chain->normals[lo], chain->normals[next], t);
    }
}

// Twice the enclosed area over the length: the width of a flat loop, half the width of a round one... r for a circle.
static double loop_thickness(const raw_chain* chain) {
    hemc_d3 area = d3(0, 0, 0);
    hemc_d3 origin = chain->points[0];
    for (uint32_t i = 1; i + 1 < chain->count; ++i) {
        area = d3_add(area, d3_cross(d3_sub(chain->points[i], origin), d3_sub(chain->points[i + 1], origin)));
    }
    return chain->length > 0.0 ? d3_length(area) / chain->length : 0.0;
}

// Mean square distance of the two sides between tips at `from` and `from + forward`, paired at equal shares.
// Exact below the limit, else some number not below it.
static double fold_cost(const raw_chain* chain, const arc_index* index, double from, double forward, double limit) {
    double backward = index->arc[chain->count] - forward, cost = 0.0;
    for (uint32_t k = 1; k < 2 * FOLD_PAIRS && cost < limit; ++k) {
        hemc_d3 a, b;
        raw_at(chain, index, from + forward * k / (2 * FOLD_PAIRS), &a, NULL);
        raw_at(chain, index, from - backward * k / (2 * FOLD_PAIRS), &b, NULL);
        hemc_d3 r = d3_sub(a, b);
        cost += d3_dot(r, r) / (2 * FOLD_PAIRS - 1);
    }
    return cost;
}

// Replaces a flat loop by its middle line; leaves anything else alone.
static void fold_loop(hemc_slicer* s, raw_chain* chain) {
    double h = s->gen->spacing;
    if (!chain->closed || chain->count < 3 || loop_thickness(chain) > LAYER * h) {
        return;
    }
    hemc_arena* arena = s->gen->arena;
    const double* arc = raw_arcs(arena, chain);
    const arc_index index = index_arcs(arena, chain, arc);
    double length = arc[chain->count];
    double wanted = length / (0.25 * h);
    uint32_t n = wanted < 32.0 ? 32u : wanted > 256.0 ? 256u : (uint32_t)wanted;
    n += n & 1u;
    hemc_d3* p = hemc_alloc(arena, n, sizeof *p);
    for (uint32_t i = 0; i < n; ++i) {
        raw_at(chain, &index, length * i / n, &p[i], NULL);
    }
    // Tips at samples i and j: the two sides run i -> j forwards and backwards; pair them at equal shares.
    double best = -1.0;
    uint32_t best_i = 0, best_j = 0;
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t d = n / 2 - n / 8; d <= n / 2; ++d) {
            double cost = 0.0, limit = best < 0.0 ? 1e300 : best * (1.0 - 1e-9);
            for (uint32_t k = 1; k < FOLD_PAIRS && cost < limit; ++k) {
                uint32_t a = (i + (d * k + FOLD_PAIRS / 2) / FOLD_PAIRS) % n;
                uint32_t b = (i + n - ((n - d) * k + FOLD_PAIRS / 2) / FOLD_PAIRS) % n;
                hemc_d3 r = d3_sub(p[a], p[b]);
                cost += d3_dot(r, r);
            }
            s->gen->work += FOLD_PAIRS;
            if (cost < limit) {
                best = cost;
                best_i = i;
                best_j = (i + d) % n;
            }
        }
    }
    if (sqrt(best / (FOLD_PAIRS - 1)) > 1.2 * LAYER * h) {
        return;
    }
    // The samples start anywhere; the tips must not depend on where. Slide both to the true minimum.
    double from = length * best_i / n;
    double forward = length * ((best_j + n - best_i) % n) / n;
    double cost = fold_cost(chain, &index, from, forward, 1e300);
    for (double move = 0.5 * length / n; move > 1e-4 * h; move *= 0.5) {
        for (int turn = 0; turn < 8; ++turn) {
            bool better = false;
            for (int k = 0; k < 4; ++k) {
                double step_by = k & 1 ? -move : move; // tip one (keeping tip two), then tip two
                double f = k < 2 ? from + step_by : from, w = k < 2 ? forward - step_by : forward + step_by;
                double limit = cost * (1.0 - 1e-9), c = fold_cost(chain, &index, f, w, limit);
                s->gen->work += FOLD_PAIRS;
                if (c < limit) {
                    cost = c;
                    from = f;
                    forward = w;
                    better = true;
                }
            }
            if (!better) {
                break;
            }
        }
    }
    double backward = length - forward;
    uint32_t steps = (uint32_t)((forward > backward ? forward : backward) / (0.125 * h)) + 2;
    raw_chain line;
    memset(&line, 0, sizeof line);
    line.seed = chain->seed;
    line.count = steps + 1;
    line.points = hemc_alloc(arena, line.count, sizeof *line.points);
    line.normals = hemc_alloc(arena, line.count, sizeof *line.normals);
    for (uint32_t k = 0; k <= steps; ++k) {
        hemc_d3 a, b, na, nb;
        raw_at(chain, &index, from + forward * k / steps, &a, &na);
        raw_at(chain, &index, from - backward * k / steps, &b, &nb);
        line.points[k] = d3_lerp(a, b, 0.5);
        // The longer side is the outer one of a curved cloth.
        line.normals[k] = backward > forward * (1.0 + 1e-6) ? nb : na;
    }
    line.length = raw_length(&line);
    *chain = line;
}

// -- 4. Layers

typedef struct layer_state {
    hemc_grid kept; // points of kept chains of this level
    raw_chain* out;
    size_t out_count, out_capacity;
} layer_state;

// Fills gaps so that no two points are farther apart than `gap`.
static void subdivide(hemc_arena* arena, raw_chain* chain, double gap) {
    uint32_t spans = chain->closed ? chain->count : chain->count - 1;
    size_t total = 0;
    for (uint32_t i = 0; i < spans; ++i) {
        double d = d3_distance(chain->points[i], chain->points[(i + 1) % chain->count]);
        total += (size_t)(d / gap) + 1;
    }
    hemc_d3* points = hemc_alloc(arena, total + 1, sizeof *points);
    hemc_d3* normals = hemc_alloc(arena, total + 1, sizeof *normals);
    uint32_t count = 0;
    for (uint32_t i = 0; i < spans; ++i) {
        uint32_t j = (i + 1) % chain->count;
        uint32_t pieces = (uint32_t)(d3_distance(chain->points[i], chain->points[j]) / gap) + 1;
        for (uint32_t k = 0; k < pieces; ++k) {
            points[count] = d3_lerp(chain->points[i], chain->points[j], (double)k / pieces);
            normals[count++] = d3_lerp(chain->normals[i], chain->normals[j], (double)k / pieces);
        }
    }
    if (!chain->closed) {
        points[count] = chain->points[chain->count - 1];
        normals[count++] = chain->normals[chain->count - 1];
    }
    chain->points = points;
    chain->normals = normals;
    chain->count = count;
}

// Marks points of an open chain that run back alongside an earlier stretch of it.
static void shadow_self(hemc_slicer* s, const raw_chain* chain, const double* arc, uint8_t* shadowed) {
    double h = s->gen->spacing;
    if (chain->closed || chain->length < 3.0 * h) {
        return;
    }
    hemc_grid grid;
    hemc_grid_init(&grid, s->gen->arena, LAYER * h, chain->count);
    uint32_t inserted = 0;
    bool inside = false;
    for (uint32_t i = 0; i < chain->count; ++i) {
        while (arc[i] - arc[inserted] > 2.0 * h) {
            hemc_grid_add(&grid, chain->points[inserted]);
            ++inserted;
        }
        int32_t near = hemc_grid_nearest(&grid, chain->points[i], LAYER * h);
        bool hit = near != HEM_NONE && !shadowed[near];
        if (hit && !inside) {
            // The fold is halfway between the two points that face each other.
            double fold = 0.5 * (arc[i] + arc[near]);
            for (uint32_t k = i; k > 0 && arc[k] > fold; --k) {
                shadowed[k] = 1;
            }
        }
        shadowed[i] |= hit;
        inside = hit;
    }
    s->gen->work += grid.visit_count;
}

static void keep_range(hemc_arena* arena, layer_state* state, const raw_chain* chain, uint32_t begin, uint32_t count,
                       bool cut_begin, bool cut_end) {
    raw_chain piece = *chain;
    piece.closed = false;
    piece.count = count;
    piece.cut_begin = cut_begin;
    piece.cut_end = cut_end;
    piece.points = hemc_alloc(arena, count, sizeof *piece.points);
    piece.normals = hemc_alloc(arena, count, sizeof *piece.normals);
    for (uint32_t k = 0; k < count; ++k) {
        piece.points[k] = chain->points[(begin + k) % chain->count];
        piece.normals[k] = chain->normals[(begin + k) % chain->count];
    }
    piece.length = raw_length(&piece);
    state->out = hemc_grow(arena, state->out, &state->out_capacity, state->out_count + 1, sizeof *state->out);
    state->out[state->out_count++] = piece;
}

static void drop_layers(hemc_slicer* s, layer_state* state, raw_chain* chain) {
    hemc_arena* arena = s->gen->arena;
    double h = s->gen->spacing;
    uint8_t* shadowed = hemc_alloc(arena, chain->count, sizeof *shadowed);
    double* arc = raw_arcs(arena, chain);
    shadow_self(s, chain, arc, shadowed);
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < chain->count; ++i) {
        shadowed[i] |= hemc_grid_nearest(&state->kept, chain->points[i], LAYER * h) != HEM_NONE;
        hidden += shadowed[i];
    }
    size_t first = state->out_count;
    if (hidden == 0) {
        state->out = hemc_grow(arena, state->out, &state->out_capacity, state->out_count + 1, sizeof *state->out);
        state->out[state->out_count++] = *chain;
    } else if (hidden < chain->count) {
        // Start where something hidden ends, so that a closed chain needs no special case.
        uint32_t start = 0;
        if (chain->closed) {
            while (!shadowed[start]) {
                ++start;
            }
        }
        for (uint32_t k = 0; k < chain->count;) {
            uint32_t i = (start + k) % chain->count;
            if (shadowed[i]) {
                ++k;
                continue;
            }
            uint32_t run = 1;
            while (k + run < chain->count && !shadowed[(start + k + run) % chain->count]) {
                ++run;
            }
            double extent = 0.0;
            for (uint32_t r = 1; r < run; ++r) {
                extent += d3_distance(chain->points[(i + r - 1) % chain->count], chain->points[(i + r) % chain->count]);
            }
            bool at_begin = !chain->closed && i == 0, at_end = !chain->closed && i + run == chain->count;
            // Dropped before and after: a lining that stands off a little in between is still a lining.
            bool lingers = !at_begin && !at_end;
            double linger = (extent < 0.5 * chain->length ? LINGER_LESSER : LINGER) * h;
            for (uint32_t r = 0; r < run && lingers; ++r) {
                lingers = hemc_grid_nearest(&state->kept, chain->points[(i + r) % chain->count], linger) != HEM_NONE;
            }
            if (extent >= 0.5 * h && !lingers) {
                keep_range(arena, state, chain, i, run, !at_begin, !at_end);
            }
            k += run;
        }
    }
    for (size_t k = first; k < state->out_count; ++k) {
        for (uint32_t i = 0; i < state->out[k].count; ++i) {
            hemc_grid_add(&state->kept, state->out[k].points[i]);
        }
    }
}

// -- 5. Measure

typedef struct integral {
    const raw_chain* chain;
    const double* arc;
    hemc_d3* sums; // integral of the position from the start to each point
} integral;

static hemc_d3 integral_to(const integral* in, double s) {
    const raw_chain* chain = in->chain;
    double length = in->arc[chain->count];
    hemc_d3 turns = d3(0, 0, 0);
    if (chain->closed && length > 0.0) {
        double k = floor(s / length);
        s -= k * length;
        turns = d3_scale(in->sums[chain->count], k);
    }
    s = s < 0.0 ? 0.0 : s > length ? length : s;
    uint32_t lo = 0, hi = chain->closed ? chain->count : chain->count - 1;
    while (hi - lo > 1) {
        uint32_t middle = (lo + hi) / 2;
        if (in->arc[middle] <= s) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    uint32_t next = hi == chain->count ? 0 : hi;
    double gap = in->arc[hi] - in->arc[lo], d = s - in->arc[lo];
    hemc_d3 p = chain->points[lo], q = gap > 0.0 ? d3_lerp(p, chain->points[next], d / gap) : p;
    return d3_add(turns, d3_madd(in->sums[lo], d3_add(p, q), 0.5 * d));
}

static hemc_chain measure(hemc_slicer* s, const raw_chain* chain, uint32_t level) {
    hemc_arena* arena = s->gen->arena;
    double h = s->gen->spacing;
    hemc_chain out;
    memset(&out, 0, sizeof out);
    out.level = level;
    out.closed = chain->closed;
    out.cut_begin = chain->cut_begin;
    out.cut_end = chain->cut_end;
    out.count = chain->count;
    out.points = chain->points;
    out.normals = chain->normals;
    out.seed = chain->seed;
    out.station = hemc_alloc(arena, (size_t)chain->count + 1, sizeof *out.station);
    double* arc = raw_arcs(arena, chain);
    double length = arc[chain->count];
    integral in = {chain, arc, hemc_alloc(arena, (size_t)chain->count + 1, sizeof(hemc_d3))};
    for (uint32_t i = 0; i < chain->count; ++i) {
        hemc_d3 next = chain->points[(i + 1) % chain->count];
        in.sums[i + 1] = d3_madd(in.sums[i], d3_add(chain->points[i], next), 0.5 * (arc[i + 1] - arc[i]));
    }
    double width = 0.5 * h < length / 16.0 ? 0.5 * h : length / 16.0;
    hemc_d3 first = d3(0, 0, 0), last = d3(0, 0, 0);
    for (uint32_t i = 0; i < chain->count; ++i) {
        double w = width;
        if (!chain->closed) {
            w = arc[i] < w ? arc[i] : w;
            w = length - arc[i] < w ? length - arc[i] : w;
        }
        hemc_d3 smooth = chain->points[i];
        if (w > 1e-9 * h) {
            smooth = d3_scale(d3_sub(integral_to(&in, arc[i] + w), integral_to(&in, arc[i] - w)), 0.5 / w);
        }
        if (i == 0) {
            first = smooth;
        } else {
            out.station[i] = out.station[i - 1] + d3_distance(last, smooth);
        }
        last = smooth;
    }
    out.station[chain->count] = out.station[chain->count - 1] + (chain->closed ? d3_distance(last, first) : 0.0);
    out.length = out.station[chain->count];
    for (uint32_t i = 0; i < out.count; ++i) {
        out.normals[i] = d3_unit(out.normals[i], d3(0, 0, 0));
    }
    return out;
}

static void sort_by_length(hemc_arena* arena, raw_chain* chains, uint32_t count) {
    hemc_sort_item* order = hemc_alloc(arena, count, sizeof *order);
    raw_chain* copy = hemc_alloc(arena, count, sizeof *copy);
    memcpy(copy, chains, count * sizeof *copy);
    double longest = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        longest = chains[i].length > longest ? chains[i].length : longest;
    }
    for (uint32_t i = 0; i < count; ++i) {
        // Rounded to a thousandth of the longest: the same shape elsewhere must not swap two equal chains.
        order[i].key = longest > 0.0 ? -floor(chains[i].length / longest * 1000.0 + 0.5) : 0.0;
        order[i].index = i;
    }
    hemc_sort_items(arena, order, count);
    for (uint32_t i = 0; i < count; ++i) {
        chains[i] = copy[order[i].index];
    }
}

void hemc_slice(hemc_slicer* slicer, uint32_t level, double height, const uint32_t* triangles, size_t triangle_count,
                hemc_chains* chains) {
    hemc_arena* arena = slicer->gen->arena;
    raw_chain* raw = NULL;
    size_t raw_count = 0, raw_capacity = 0;
    step_list forward = {NULL, 0, 0}, backward = {NULL, 0, 0};
    for (size_t i = 0; i < triangle_count; ++i) {
        uint32_t t = triangles[i];
        ++slicer->gen->work;
        if (slicer->stamp[t] == level + 1 ||
            !(edge_crosses(slicer, t, 0, height) || edge_crosses(slicer, t, 1, height))) {
            continue;
        }
        raw_chain chain = walk_chain(slicer, t, height, level + 1, &forward, &backward);
        if (chain.count == 0) {
            continue;
        }
        chain.closed = chain.closed && chain.count >= 3;
        chain.length = raw_length(&chain);
        raw = hemc_grow(arena, raw, &raw_capacity, raw_count + 1, sizeof *raw);
        raw[raw_count++] = chain;
    }
    if (raw_count == 0) {
        return;
    }
    uint32_t count = join_ends(slicer, raw, (uint32_t)raw_count);
    layer_state state;
    memset(&state, 0, sizeof state);
    for (uint32_t i = 0; i < count; ++i) {
        fold_loop(slicer, &raw[i]);
        subdivide(arena, &raw[i], 0.125 * slicer->gen->spacing);
    }
    sort_by_length(arena, raw, count);
    hemc_grid_init(&state.kept, arena, LINGER_LESSER * slicer->gen->spacing, 1024);
    for (uint32_t i = 0; i < count; ++i) {
        drop_layers(slicer, &state, &raw[i]);
    }
    slicer->gen->work += state.kept.visit_count;
    sort_by_length(arena, state.out, (uint32_t)state.out_count);
    for (size_t i = 0; i < state.out_count; ++i) {
        chains->items = hemc_grow(arena, chains->items, &chains->capacity, chains->count + 1, sizeof *chains->items);
        chains->items[chains->count++] = measure(slicer, &state.out[i], level);
    }
}
