// SPDX-License-Identifier: MIT
#include "tools/seen_private.h"

#include <string.h>

// How deep and how much lies on the wrong side.
//
// The right side of a vertex is the one it has in the bind pose. What is on the wrong side now is found by walking: from the
// corners of triangles that cross, on to neighbours as long as they are on the wrong side. So a sheet that hangs far from
// another, where "side" means nothing, is never asked.
//
// Distance to a surface changes no faster than one moves. A corner of a triangle that is cut lies no deeper than the triangle is
// long, and a neighbour no deeper than the vertex before it and the way between them. What claims more has met another sheet's
// back, and is left out.
//
// Cloth and the body have sides. Hair and flesh are asked for theirs, but have none themselves: between locks "inside" means
// nothing.
//
// The side is the sign of the pseudonormal at the nearest point (Baerentzen and Aanaes 2005): the face's normal, the sum of
// two on an edge, the angle-weighted sum at a corner.

#define REACH 0.1f      // of the mesh's size: farther away there are no sides
#define HEM_COSINE 0.5f // beyond a hem, but within 60 degrees of its normal, is above or below it
#define SLACK 1.05f     // rounding, and surfaces that are not smooth

static bool counts_as_surface(const seen_mesh* m, uint32_t t, uint32_t layer, int32_t wall) {
    return m->triangle_layers[t] != layer || m->walls[t] == wall;
}

static vec3 unit_normal(const seen_mesh* m, const float* positions, uint32_t t) {
    return v3_normalize(seeni_face_normal(m, positions, t), v3(0.0f, 0.0f, 0.0f));
}

static uint32_t corner_weld(const seen_mesh* m, uint32_t t, uint32_t k) {
    return m->weld[m->triangles[3 * (size_t)t + k]];
}

static bool has_corner(const seen_mesh* m, uint32_t t, uint32_t weld) {
    return corner_weld(m, t, 0) == weld || corner_weld(m, t, 1) == weld || corner_weld(m, t, 2) == weld;
}

// How many triangles of the surface share an edge.
static uint32_t edge_faces(const seen_mesh* m, uint32_t a, uint32_t b, uint32_t layer, int32_t wall) {
    uint32_t count = 0;
    for (uint32_t i = m->fan_starts[a]; i < m->fan_starts[a + 1]; i++) {
        count += has_corner(m, m->fan[i], b) && counts_as_surface(m, m->fan[i], layer, wall);
    }
    return count;
}

static float corner_angle(const seen_mesh* m, const float* positions, uint32_t t, uint32_t weld) {
    for (int32_t k = 0; k < 3; k++) {
        if (corner_weld(m, t, (uint32_t)k) == weld) {
            vec3 c = seeni_corner(m, positions, t, k);
            vec3 u = v3_sub(seeni_corner(m, positions, t, (k + 1) % 3), c);
            vec3 v = v3_sub(seeni_corner(m, positions, t, (k + 2) % 3), c);
            return atan2f(v3_length(v3_cross(u, v)), v3_dot(u, v));
        }
    }
    return 0.0f;
}

// The pseudonormal at a hit; *hem tells that the surface ends there.
static vec3 normal_at(const seen_mesh* m, const float* positions, const seen_hit* hit, bool* hem) {
    uint32_t t = hit->triangle, layer = m->triangle_layers[t], used[3], count = 0;
    int32_t wall = m->walls[t];
    *hem = false;
    for (uint32_t k = 0; k < 3; k++) {
        if (hit->weights[k] > 0.0f) {
            used[count++] = corner_weld(m, t, k);
        }
    }
    if (count == 3) {
        return unit_normal(m, positions, t);
    }
    vec3 sum = v3(0.0f, 0.0f, 0.0f);
    for (uint32_t i = m->fan_starts[used[0]]; i < m->fan_starts[used[0] + 1]; i++) {
        uint32_t other = m->fan[i];
        if (!counts_as_surface(m, other, layer, wall) || (count == 2 && !has_corner(m, other, used[1]))) {
            continue;
        }
        float weight = count == 2 ? 1.0f : corner_angle(m, positions, other, used[0]);
        sum = v3_mad(sum, unit_normal(m, positions, other), weight);
        for (uint32_t k = 0; count == 1 && k < 3; k++) {
            uint32_t end = corner_weld(m, other, k);
            *hem = *hem || (end != used[0] && edge_faces(m, used[0], end, layer, wall) < 2);
        }
    }
    if (count == 2) {
        *hem = edge_faces(m, used[0], used[1], layer, wall) < 2;
    }
    return sum;
}

static seen_rest_side rest_side(seen_mesh* m, uint32_t vertex, uint32_t layer) {
    seen_rest_side* side = &m->sides[(size_t)vertex * m->layer_count + layer];
    if (side->sign == 0) {
        seen_hit hit;
        bool hem;
        vec3 p = v3_load(m->rest + 3 * (size_t)vertex);
        side->sign = 1;
        side->wall = SEEN_ANY_WALL;
        if (seeni_tree_nearest(&m->trees[layer], m, m->rest, p, SEEN_ANY_WALL, 1e30f, &hit)) {
            vec3 normal = v3_normalize(normal_at(m, m->rest, &hit, &hem), v3(0.0f, 0.0f, 0.0f));
            float above = v3_dot(v3_sub(p, hit.point), normal);
            // Sideways of a hem, as an arm stretched out beside a cape, there is no side.
            side->sign = hem && fabsf(above) < HEM_COSINE * hit.distance ? SEEN_NO_SIDE : above >= 0.0f ? 1 : -1;
            side->wall = m->walls[hit.triangle];
        }
    }
    return *side;
}

// How far a vertex is on the wrong side of a layer; 0 when it is not. The trees' boxes must be those of `positions`.
static float wrong_depth(seen_mesh* m, const float* positions, uint32_t vertex, uint32_t layer) {
    seen_rest_side side = rest_side(m, vertex, layer);
    seen_hit hit;
    bool hem;
    vec3 p = v3_load(positions + 3 * (size_t)vertex);
    if (side.sign == SEEN_NO_SIDE ||
        !seeni_tree_nearest(&m->trees[layer], m, positions, p, side.wall, REACH * m->size, &hit)) {
        return 0.0f;
    }
    float sign = v3_dot(v3_sub(p, hit.point), normal_at(m, positions, &hit, &hem));
    return !hem && sign * (float)side.sign < 0.0f && hit.distance > m->tolerance ? hit.distance : 0.0f;
}

typedef struct flood {
    seen_mesh* m;
    const float* positions;
    uint32_t from, against; // layers
    uint32_t queued;
    float depth, area;
} flood;

// Vertices of one place are asked once. limit: no deeper than that.
static void reach(flood* f, uint32_t vertex, float limit) {
    seen_mesh* m = f->m;
    uint32_t weld = m->weld[vertex];
    if (m->stamps[weld] == m->stamp || m->vertex_layers[vertex] != f->from) {
        return;
    }
    m->stamps[weld] = m->stamp;
    float depth = wrong_depth(m, f->positions, vertex, f->against);
    if (depth > 0.0f && depth <= SLACK * limit) {
        f->depth = depth > f->depth ? depth : f->depth;
        m->wrong[weld] = 1;
        m->vertex_depths[weld] = depth;
        m->queue[f->queued++] = weld;
    }
}

static float longest_edge(const flood* f, uint32_t t) {
    float longest = 0.0f;
    for (int32_t k = 0; k < 3; k++) {
        vec3 edge = v3_sub(seeni_corner(f->m, f->positions, t, k), seeni_corner(f->m, f->positions, t, (k + 1) % 3));
        longest = fmaxf(longest, v3_length(edge));
    }
    return longest;
}

static void run_flood(flood* f) {
    seen_mesh* m = f->m;
    m->stamp++;
    for (uint32_t i = 0; i < m->pair_count; i++) {
        uint32_t a = m->pairs[i].a, b = m->pairs[i].b;
        bool forward = m->triangle_layers[a] == f->from && m->triangle_layers[b] == f->against;
        bool backward = m->triangle_layers[b] == f->from && m->triangle_layers[a] == f->against;
        uint32_t own = forward ? a : b;
        float limit = forward || backward ? longest_edge(f, own) : 0.0f;
        for (uint32_t k = 0; (forward || backward) && k < 3; k++) {
            reach(f, m->triangles[3 * (size_t)own + k], limit);
        }
    }
    for (uint32_t i = 0; i < f->queued; i++) {
        uint32_t weld = m->queue[i];
        for (uint32_t k = m->fan_starts[weld]; k < m->fan_starts[weld + 1]; k++) {
            uint32_t t = m->fan[k];
            // A third of the area around each corner that is wrong.
            f->area += v3_length(seeni_face_normal(m, f->positions, t)) / 6.0f;
            for (uint32_t c = 0; c < 3; c++) {
                uint32_t next = m->triangles[3 * (size_t)t + c];
                vec3 way = v3_sub(v3_load(f->positions + 3 * (size_t)next), v3_load(f->positions + 3 * (size_t)weld));
                reach(f, next, m->vertex_depths[weld] + v3_length(way));
            }
        }
    }
}

void seeni_measure_sides(seen_mesh* m, const float* positions, seen_frame* frame) {
    memset(m->wrong, 0, m->vertex_count);
    for (uint32_t i = 0; i < m->layer_count * m->layer_count; i++) {
        uint32_t from = i / m->layer_count, against = i % m->layer_count;
        m->depths[i] = 0.0f;
        if (from == against || m->crossed[i] == 0 || !m->has_sides[against]) {
            continue;
        }
        flood f = {.m = m, .positions = positions, .from = from, .against = against};
        run_flood(&f);
        m->depths[i] = f.depth;
        bool body = from == SEEN_BODY || against == SEEN_BODY;
        float* area = body ? &frame->body_area : &frame->layers_area;
        float* depth = body ? &frame->body_depth : &frame->layers_depth;
        *area += f.area;
        *depth = f.depth > *depth ? f.depth : *depth;
    }
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        m->wrong[i] = m->wrong[m->weld[i]];
    }
}
