// SPDX-License-Identifier: MIT
#include "compiler/generate/section.h"

#include <string.h>

// One cutting plane through a surface: from triangles to lines. What becomes of these is in contour.c.
//
// 1. Walk. A triangle with corners on both sides of the plane is crossed on exactly two edges (a corner on the plane
//    counts as above, so there are no special cases). From the lowest unvisited triangle walk over shared edges both
//    ways until the surface ends or the walk comes round.
// 2. Join. Ends nearer than JOIN x spacing become one contour, nearest pairs first: triangle soups, non-manifold edges
//    (where the walk stops) and panels that touch without sharing vertices.
//
// Choices are made by index (triangles, edges) or by lengths, never by coordinates, so a moved, turned, scaled or
// mirrored input gives the same contours, moved likewise.

#define JOIN 0.35

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

// Follows the contour out of `edge` of `triangle`. Returns true when it came back to the start.
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

static hemc_raw_contour walk_contour(hemc_slicer* s, uint32_t triangle, double height, uint32_t mark,
                                     step_list* forward, step_list* backward) {
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
    hemc_raw_contour contour;
    memset(&contour, 0, sizeof contour);
    contour.seed = triangle;
    contour.closed = walk(s, triangle, edges[1], height, mark, forward);
    if (!contour.closed) {
        walk(s, triangle, edges[0], height, mark, backward);
    }
    size_t triangles = forward->count + backward->count;
    contour.points = hemc_alloc(arena, triangles + 1, sizeof *contour.points);
    contour.normals = hemc_alloc(arena, triangles + 1, sizeof *contour.normals);
    uint32_t count = 0;
    for (size_t i = 0; i < triangles + (contour.closed ? 0 : 1); ++i) {
        // Point i lies between triangle i - 1 and triangle i of the contour.
        hemc_d3 normal = d3(0, 0, 0);
        hemc_d3 p = d3(0, 0, 0);
        for (int side = 0; side < 2; ++side) {
            size_t at = side == 0 ? (i == 0 && contour.closed ? triangles : i) : i;
            at = side == 0 ? at - 1 : at;
            if ((side == 0 && i == 0 && !contour.closed) || at >= triangles) {
                continue;
            }
            bool back = at < backward->count;
            step st = back ? backward->items[backward->count - 1 - at] : forward->items[at - backward->count];
            // A backward step was walked the other way round: its `in` is where the contour leaves it.
            int begin = back ? st.out : st.in, end = back ? st.in : st.out;
            normal = d3_add(normal, s->survey.normal[st.triangle]);
            p = edge_point(s, st.triangle, side == 0 ? end : begin, height);
        }
        if (count > 0 && d3_distance(p, contour.points[count - 1]) <= 1e-7 * s->gen->spacing) {
            contour.normals[count - 1] = d3_add(contour.normals[count - 1], normal);
            continue;
        }
        contour.points[count] = p;
        contour.normals[count++] = normal;
    }
    contour.count = count;
    return contour;
}

double hemc_raw_length(const hemc_raw_contour* contour) {
    double length = 0.0;
    for (uint32_t i = 1; i < contour->count; ++i) {
        length += d3_distance(contour->points[i - 1], contour->points[i]);
    }
    if (contour->closed && contour->count > 1) {
        length += d3_distance(contour->points[contour->count - 1], contour->points[0]);
    }
    return length;
}

static void raw_reverse(hemc_raw_contour* contour) {
    for (uint32_t i = 0, j = contour->count - 1; i < j; ++i, --j) {
        hemc_d3 p = contour->points[i], n = contour->normals[i];
        contour->points[i] = contour->points[j];
        contour->normals[i] = contour->normals[j];
        contour->points[j] = p;
        contour->normals[j] = n;
    }
    bool cut = contour->cut_begin;
    contour->cut_begin = contour->cut_end;
    contour->cut_end = cut;
}

// -- 2. Join

// End 2 i is the first point of contour i, end 2 i + 1 its last. Two ends that are to meet, nearest first.
typedef struct end_pairs {
    uint32_t (*pairs)[2];
    hemc_sort_item* order; // by distance
    size_t count, pair_capacity, order_capacity;
} end_pairs;

static void find_end_pairs(hemc_slicer* s, const hemc_raw_contour* contours, uint32_t count, uint32_t open_count,
                           end_pairs* found) {
    hemc_arena* arena = s->gen->arena;
    double reach = JOIN * s->gen->spacing;
    uint32_t* ends = hemc_alloc(arena, 2 * (size_t)open_count, sizeof *ends);
    hemc_vec3* points = hemc_alloc(arena, 2 * (size_t)open_count, sizeof *points);
    uint32_t end_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t side = 0; side < 2 && !contours[i].closed; ++side) {
            ends[end_count] = 2 * i + side;
            points[end_count++] = d3_to(contours[i].points[side ? contours[i].count - 1 : 0]);
        }
    }
    hemc_kd kd;
    hemc_kd_build(arena, &kd, points, end_count);
    for (uint32_t i = 0; i < end_count; ++i) {
        hemc_near near[8];
        uint32_t near_count = hemc_kd_near(&kd, d3_from(points[i]), reach, 8, near);
        for (uint32_t k = 0; k < near_count; ++k) {
            uint32_t j = near[k].index;
            bool own = ends[i] / 2 == ends[j] / 2;
            // A contour closes on itself only if that makes a loop worth the name.
            if (j == i || (own && contours[ends[i] / 2].length < 4.0 * reach)) {
                continue;
            }
            size_t at = found->count++;
            found->pairs = hemc_grow(arena, found->pairs, &found->pair_capacity, found->count, sizeof *found->pairs);
            found->order = hemc_grow(arena, found->order, &found->order_capacity, found->count, sizeof *found->order);
            found->pairs[at][0] = ends[i < j ? i : j];
            found->pairs[at][1] = ends[i < j ? j : i];
            found->order[at].key = near[k].distance;
            found->order[at].index = (uint32_t)at;
        }
    }
    s->gen->work += kd.visit_count;
    hemc_sort_items(arena, found->order, found->count);
}

// One contour out of all that are joined from the end `entry` on, which belongs to the contour `first`.
static hemc_raw_contour string_together(hemc_slicer* s, hemc_raw_contour* contours, const int32_t* partner,
                                        uint32_t first, uint32_t entry, uint8_t* used) {
    hemc_arena* arena = s->gen->arena;
    hemc_raw_contour contour;
    memset(&contour, 0, sizeof contour);
    contour.seed = contours[first].seed;
    size_t total = 0; // count first, then copy
    for (uint32_t at = entry;;) {
        total += contours[at / 2].count;
        int32_t next = partner[at ^ 1u];
        contour.closed = next != HEM_NONE && (uint32_t)next / 2 == first;
        if (next == HEM_NONE || contour.closed) {
            break;
        }
        at = (uint32_t)next;
    }
    contour.points = hemc_alloc(arena, total, sizeof *contour.points);
    contour.normals = hemc_alloc(arena, total, sizeof *contour.normals);
    for (uint32_t at = entry;;) {
        hemc_raw_contour* piece = &contours[at / 2];
        used[at / 2] = 1;
        if (at & 1u) {
            raw_reverse(piece); // partner stays as it was, by side: the way on is still at ^ 1
        }
        for (uint32_t k = 0; k < piece->count; ++k) {
            if (contour.count > 0 &&
                d3_distance(piece->points[k], contour.points[contour.count - 1]) <= 1e-7 * s->gen->spacing) {
                continue;
            }
            contour.points[contour.count] = piece->points[k];
            contour.normals[contour.count++] = piece->normals[k];
        }
        contour.seed = piece->seed < contour.seed ? piece->seed : contour.seed;
        int32_t next = partner[at ^ 1u];
        if (next == HEM_NONE || (uint32_t)next / 2 == first) {
            break;
        }
        at = (uint32_t)next;
    }
    contour.length = hemc_raw_length(&contour);
    return contour;
}

static uint32_t join_ends(hemc_slicer* s, hemc_raw_contour* contours, uint32_t count) {
    hemc_arena* arena = s->gen->arena;
    uint32_t open_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        open_count += !contours[i].closed;
    }
    if (open_count == 0) {
        return count;
    }
    end_pairs found = {0};
    find_end_pairs(s, contours, count, open_count, &found);
    int32_t* partner = hemc_alloc(arena, 2 * (size_t)count, sizeof *partner);
    memset(partner, 0xff, 2 * (size_t)count * sizeof *partner);
    for (size_t k = 0; k < found.count; ++k) {
        const uint32_t* pair = found.pairs[found.order[k].index];
        if (partner[pair[0]] == HEM_NONE && partner[pair[1]] == HEM_NONE) {
            partner[pair[0]] = (int32_t)pair[1];
            partner[pair[1]] = (int32_t)pair[0];
        }
    }
    // First from free ends, then the rings that remain.
    uint8_t* used = hemc_alloc(arena, count, sizeof *used);
    hemc_raw_contour* joined = hemc_alloc(arena, count, sizeof *joined);
    uint32_t joined_count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < count; ++i) {
            bool between = !contours[i].closed && partner[2 * i] != HEM_NONE && partner[2 * i + 1] != HEM_NONE;
            if (used[i] || (pass == 0 && between)) {
                continue;
            }
            if (contours[i].closed) {
                used[i] = 1;
                joined[joined_count++] = contours[i];
            } else {
                uint32_t entry = pass == 0 && partner[2 * i] != HEM_NONE ? 2 * i + 1 : 2 * i;
                joined[joined_count++] = string_together(s, contours, partner, i, entry, used);
            }
        }
    }
    memcpy(contours, joined, joined_count * sizeof *contours);
    return joined_count;
}
void hemc_slice(hemc_slicer* slicer, uint32_t level, double height, const uint32_t* triangles, size_t triangle_count,
                hemc_contours* contours) {
    hemc_arena* arena = slicer->gen->arena;
    hemc_raw_contour* raw = NULL;
    size_t raw_count = 0, raw_capacity = 0;
    step_list forward = {NULL, 0, 0}, backward = {NULL, 0, 0};
    for (size_t i = 0; i < triangle_count; ++i) {
        uint32_t t = triangles[i];
        ++slicer->gen->work;
        if (slicer->stamp[t] == level + 1 ||
            !(edge_crosses(slicer, t, 0, height) || edge_crosses(slicer, t, 1, height))) {
            continue;
        }
        hemc_raw_contour contour = walk_contour(slicer, t, height, level + 1, &forward, &backward);
        if (contour.count == 0) {
            continue;
        }
        contour.closed = contour.closed && contour.count >= 3;
        contour.length = hemc_raw_length(&contour);
        raw = hemc_grow(arena, raw, &raw_capacity, raw_count + 1, sizeof *raw);
        raw[raw_count++] = contour;
    }
    if (raw_count == 0) {
        return;
    }
    uint32_t count = join_ends(slicer, raw, (uint32_t)raw_count);
    hemc_contours_add(slicer, level, raw, count, contours);
}
