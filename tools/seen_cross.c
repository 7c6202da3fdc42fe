// SPDX-License-Identifier: MIT
#include "tools/seen_private.h"

#include <stdlib.h>
#include <string.h>

// Which triangles cut each other.
//
// Two triangles are compared after Moeller, "A fast triangle-triangle intersection test" (1997), in double precision, with
// distances in metres: a corner nearer to the other plane than the tolerance lies in it, and a triangle that only touches a
// plane does not reach through it. So contact without crossing stays 0 however the last bits fall. The cuts must overlap by
// more than the tolerance too.

typedef struct real3 {
    double x, y, z;
} real3;

static real3 real_from(const float from[3], const float origin[3]) {
    real3 r = {(double)from[0] - (double)origin[0], (double)from[1] - (double)origin[1],
               (double)from[2] - (double)origin[2]};
    return r;
}

static real3 real_sub(real3 a, real3 b) {
    real3 r = {a.x - b.x, a.y - b.y, a.z - b.z};
    return r;
}

static real3 real_cross(real3 a, real3 b) {
    real3 r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}

static double real_dot(real3 a, real3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool real_unit(real3* a, double least) {
    double length = sqrt(real_dot(*a, *a));
    if (!(length > least)) {
        return false;
    }
    a->x /= length, a->y /= length, a->z /= length;
    return true;
}

// Distances of b's corners from a's plane. False if b does not reach through it.
static bool reaches_through(const real3 a[3], real3 normal, const real3 b[3], double tolerance, double distance[3]) {
    bool above = false, below = false;
    for (int32_t k = 0; k < 3; k++) {
        double d = real_dot(normal, real_sub(b[k], a[0]));
        distance[k] = d > tolerance || d < -tolerance ? d : 0.0;
        above |= distance[k] > 0.0;
        below |= distance[k] < 0.0;
    }
    return above && below;
}

// The part of the line `direction` that lies in a triangle, from its corners' distances to the other plane.
static void cut(const real3 t[3], const double distance[3], real3 direction, double* low, double* high) {
    *low = 1e300, *high = -1e300;
    for (int32_t k = 0; k < 3; k++) {
        int32_t n = (k + 1) % 3;
        double from = distance[k], to = distance[n], s = from == 0.0 ? 0.0 : from / (from - to);
        if (from == 0.0 || (from > 0.0) != (to > 0.0)) {
            if (to == 0.0 && from != 0.0) {
                s = 1.0;
            }
            double a = real_dot(direction, t[k]), at = a + s * (real_dot(direction, t[n]) - a);
            *low = at < *low ? at : *low;
            *high = at > *high ? at : *high;
        }
    }
}

bool seen_triangles_cross(const float a[3][3], const float b[3][3], float tolerance) {
    real3 ta[3], tb[3];
    for (int32_t k = 0; k < 3; k++) {
        ta[k] = real_from(a[k], a[0]);
        tb[k] = real_from(b[k], a[0]);
    }
    double least = (double)tolerance * (double)tolerance, da[3], db[3];
    real3 na = real_cross(ta[1], ta[2]);
    if (!real_unit(&na, least) || !reaches_through(ta, na, tb, (double)tolerance, db)) {
        return false;
    }
    real3 nb = real_cross(real_sub(tb[1], tb[0]), real_sub(tb[2], tb[0]));
    if (!real_unit(&nb, least) || !reaches_through(tb, nb, ta, (double)tolerance, da)) {
        return false;
    }
    real3 line = real_cross(na, nb);
    if (!real_unit(&line, 1e-9)) {
        return false;
    }
    double low_a, high_a, low_b, high_b;
    cut(ta, da, line, &low_a, &high_a);
    cut(tb, db, line, &low_b, &high_b);
    double low = low_a > low_b ? low_a : low_b, high = high_a < high_b ? high_a : high_b;
    return high - low > (double)tolerance;
}

// -- What the bind pose allows: a set of pairs of welded vertices

static uint64_t pair_key(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static uint32_t slot_of(uint64_t key, uint32_t capacity) {
    return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & (capacity - 1);
}

static bool grow_allowed(seen_mesh* m) {
    uint32_t capacity = m->allowed_capacity > 0 ? 2 * m->allowed_capacity : 1024;
    uint64_t* set = malloc(sizeof(uint64_t) * capacity);
    if (set == NULL) {
        return false;
    }
    memset(set, 0xff, sizeof(uint64_t) * capacity);
    for (uint32_t i = 0; i < m->allowed_capacity; i++) {
        if (m->allowed[i] != UINT64_MAX) {
            uint32_t slot = slot_of(m->allowed[i], capacity);
            while (set[slot] != UINT64_MAX) {
                slot = (slot + 1) & (capacity - 1);
            }
            set[slot] = m->allowed[i];
        }
    }
    free(m->allowed);
    m->allowed = set;
    m->allowed_capacity = capacity;
    return true;
}

static bool is_allowed(const seen_mesh* m, uint64_t key) {
    for (uint32_t slot = slot_of(key, m->allowed_capacity); m->allowed[slot] != UINT64_MAX;
         slot = (slot + 1) & (m->allowed_capacity - 1)) {
        if (m->allowed[slot] == key) {
            return true;
        }
    }
    return false;
}

static uint32_t welded_corner(const seen_mesh* m, uint32_t triangle, uint32_t k) {
    return m->weld[m->triangles[3 * (size_t)triangle + k]];
}

bool seeni_allow(seen_mesh* m, uint32_t triangle_a, uint32_t triangle_b) {
    for (uint32_t i = 0; i < 9; i++) {
        uint64_t key = pair_key(welded_corner(m, triangle_a, i / 3), welded_corner(m, triangle_b, i % 3));
        if (2 * (m->allowed_count + 1) > m->allowed_capacity && !grow_allowed(m)) {
            return false;
        }
        uint32_t slot = slot_of(key, m->allowed_capacity);
        while (m->allowed[slot] != UINT64_MAX && m->allowed[slot] != key) {
            slot = (slot + 1) & (m->allowed_capacity - 1);
        }
        m->allowed_count += m->allowed[slot] == UINT64_MAX;
        m->allowed[slot] = key;
    }
    return true;
}

// -- A frame

typedef struct search {
    seen_mesh* m;
    const float* positions;
    bool rest;
} search;

static void visit_pair(void* user, uint32_t a, uint32_t b) {
    search* s = user;
    seen_mesh* m = s->m;
    float ta[3][3], tb[3][3];
    for (int32_t k = 0; k < 3; k++) {
        v3_store(ta[k], seeni_corner(m, s->positions, a, k));
        v3_store(tb[k], seeni_corner(m, s->positions, b, k));
    }
    if (!seen_triangles_cross((const float(*)[3])ta, (const float(*)[3])tb, m->tolerance)) {
        return;
    }
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t wa = welded_corner(m, a, i / 3), wb = welded_corner(m, b, i % 3);
        if (wa == wb || (!s->rest && is_allowed(m, pair_key(wa, wb)))) {
            return;
        }
    }
    if (m->pair_count == m->pair_capacity) {
        uint32_t capacity = m->pair_capacity > 0 ? 2 * m->pair_capacity : 4096;
        struct seen_pair* pairs = realloc(m->pairs, sizeof(*pairs) * capacity);
        if (pairs == NULL) {
            m->failed = true;
            return;
        }
        m->pairs = pairs;
        m->pair_capacity = capacity;
    }
    m->pairs[m->pair_count++] = (struct seen_pair){a, b};
}

void seeni_find_crossings(seen_mesh* m, const float* positions, bool rest) {
    search s = {m, positions, rest};
    m->pair_count = 0;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        vec3 a = seeni_corner(m, positions, t, 0), b = seeni_corner(m, positions, t, 1);
        vec3 c = seeni_corner(m, positions, t, 2);
        v3_store(m->boxes + 6 * (size_t)t, v3_min(a, v3_min(b, c)));
        v3_store(m->boxes + 6 * (size_t)t + 3, v3_max(a, v3_max(b, c)));
    }
    for (uint32_t i = 0; i < m->layer_count; i++) {
        seeni_tree_refit(&m->trees[i], m);
    }
    for (uint32_t a = 0; a < m->layer_count; a++) {
        for (uint32_t b = a + 1; b < m->layer_count; b++) {
            seeni_tree_pairs(&m->trees[a], &m->trees[b], m, visit_pair, &s);
        }
    }
}
