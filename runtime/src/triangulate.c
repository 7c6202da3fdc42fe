// SPDX-License-Identifier: MIT
#include "runtime/src/triangulate.h"

#include "platform/math.h"

// Points go in one by one: the triangle around it is split, then sides are flipped until each circle is empty again
// (Lawson). A segment goes in by flipping the sides that it crosses (Sloan 1993), then the sides so made are flipped back
// to Delaunay where no segment holds them. Faces have a few dozen points: triangles are found by looking at all of them,
// which for that many costs less than a walk and cannot go in circles.
//
// Sizes: coordinates have 20 bits, the metric 14. A cross product of differences has 41 bits and a squared length 56, so
// the in-circle determinant, three products of these, has 99: it is summed in 128.

#define METRIC_ONE 16384.0f

static int64_t cross_at(const hemi_cdt* t, uint32_t o, uint32_t a, uint32_t b) {
    const hemi_cdt_point *p = &t->point[o], *q = &t->point[a], *r = &t->point[b];
    return (int64_t)(q->u - p->u) * (r->v - p->v) - (int64_t)(q->v - p->v) * (r->u - p->u);
}

typedef struct wide {
    uint64_t low, high; // two's complement
} wide;

static void add_product(wide* sum, uint64_t a, int64_t b) {
    uint64_t m = b < 0 ? 0u - (uint64_t)b : (uint64_t)b;
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, m0 = m & 0xffffffffu, m1 = m >> 32;
    uint64_t middle = a1 * m0 + (a0 * m0 >> 32), other = a0 * m1 + (middle & 0xffffffffu);
    uint64_t low = a * m, high = a1 * m1 + (middle >> 32) + (other >> 32);
    if (b < 0) {
        low = 0u - low;
        high = ~high + (low == 0);
    }
    sum->low += low;
    sum->high += high + (sum->low < low);
}

static uint64_t square_at(const hemi_cdt* t, uint32_t o, uint32_t a) {
    int64_t u = t->point[a].u - t->point[o].u, v = t->point[a].v - t->point[o].v;
    return (uint64_t)(t->uu * u * u + 2 * t->uv * u * v + t->vv * v * v);
}

// Whether d lies strictly inside the circle through a, b, c, which go round counter-clockwise.
static int is_in_circle(const hemi_cdt* t, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    wide sum = {0, 0};
    add_product(&sum, square_at(t, d, a), cross_at(t, d, b, c));
    add_product(&sum, square_at(t, d, b), cross_at(t, d, c, a));
    add_product(&sum, square_at(t, d, c), cross_at(t, d, a, b));
    return (sum.high >> 63) == 0 && (sum.high | sum.low) != 0;
}

static uint32_t next3(uint32_t k) {
    return k == 2 ? 0 : k + 1;
}

static uint32_t last3(uint32_t k) {
    return k == 0 ? 2 : k - 1;
}

// The side of triangle n that lies against triangle `from`.
static uint32_t side_towards(const hemi_cdt* t, uint32_t n, uint32_t from) {
    return t->across[n][0] == from ? 0 : t->across[n][1] == from ? 1 : 2;
}

static void set_triangle(hemi_cdt* t, uint32_t n, uint32_t a, uint32_t b, uint32_t c) {
    t->corner[n][0] = (uint8_t)a;
    t->corner[n][1] = (uint8_t)b;
    t->corner[n][2] = (uint8_t)c;
    t->fixed[n] = 0;
}

// Side k of n gets the neighbour and the mark that `side` of some triangle had, and the neighbour is told.
static void take_side(hemi_cdt* t, uint32_t n, uint32_t k, uint32_t neighbour, uint32_t was, uint32_t fixed) {
    t->across[n][k] = (uint8_t)neighbour;
    t->fixed[n] = (uint8_t)(t->fixed[n] | fixed << k);
    if (neighbour != HEMI_CDT_NONE) {
        t->across[neighbour][side_towards(t, neighbour, was)] = (uint8_t)n;
    }
}

// Turns the side between two triangles within their quadrangle. Afterwards side 0 of n runs from n's far corner to the
// other's far corner, and side 0 of m back.
static void flip(hemi_cdt* t, uint32_t n, uint32_t k) {
    uint32_t m = t->across[n][k], j = side_towards(t, m, n);
    uint32_t a = t->corner[n][k], b = t->corner[n][next3(k)], c = t->corner[n][last3(k)], d = t->corner[m][last3(j)];
    uint32_t bc = t->across[n][next3(k)], ca = t->across[n][last3(k)];
    uint32_t ad = t->across[m][next3(j)], db = t->across[m][last3(j)];
    uint32_t fixed_bc = t->fixed[n] >> next3(k) & 1u, fixed_ca = t->fixed[n] >> last3(k) & 1u;
    uint32_t fixed_ad = t->fixed[m] >> next3(j) & 1u, fixed_db = t->fixed[m] >> last3(j) & 1u;
    set_triangle(t, n, c, d, b);
    set_triangle(t, m, d, c, a);
    t->across[n][0] = (uint8_t)m;
    t->across[m][0] = (uint8_t)n;
    take_side(t, n, 1, db, m, fixed_db);
    take_side(t, n, 2, bc, n, fixed_bc);
    take_side(t, m, 1, ca, n, fixed_ca);
    take_side(t, m, 2, ad, m, fixed_ad);
}

static int should_flip(const hemi_cdt* t, uint32_t n, uint32_t k) {
    uint32_t m = t->across[n][k];
    if (m == HEMI_CDT_NONE || (t->fixed[n] >> k & 1u)) {
        return 0;
    }
    uint32_t d = t->corner[m][last3(side_towards(t, m, n))];
    return is_in_circle(t, t->corner[n][0], t->corner[n][1], t->corner[n][2], d);
}

// Triangles around a new point, whose sides opposite to it may have to be flipped; those that a flip makes follow.
static void settle_around(hemi_cdt* t, uint32_t point, const uint8_t* fresh, uint32_t count) {
    uint8_t stack[HEMI_CDT_TRIANGLES];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < count; ++i) {
        stack[depth++] = fresh[i];
    }
    while (depth > 0) {
        uint32_t n = stack[--depth];
        uint32_t k = t->corner[n][0] == point ? 1 : t->corner[n][1] == point ? 2 : 0;
        if (should_flip(t, n, k)) {
            uint32_t m = t->across[n][k];
            flip(t, n, k);
            stack[depth++] = (uint8_t)n;
            stack[depth++] = (uint8_t)m;
        }
    }
}

void hemi_cdt_begin(hemi_cdt* t, const float corners[3][3]) {
    float uu = 0.0f, uv = 0.0f, vv = 0.0f;
    for (int k = 0; k < 3; ++k) {
        float a = corners[1][k] - corners[0][k], b = corners[2][k] - corners[0][k];
        uu += a * a;
        uv += a * b;
        vv += b * b;
    }
    float most = uu > vv ? uu : vv;
    t->uu = 2;
    t->uv = 1;
    t->vv = 2;
    if (most > 1e-30f && most < 1e30f) {
        int32_t e = (int32_t)(METRIC_ONE * (uu / most)), g = (int32_t)(METRIC_ONE * (vv / most));
        int32_t f = (int32_t)(METRIC_ONE * (uv / most));
        if (e > 0 && g > 0 && (int64_t)f * f < (int64_t)e * g) {
            t->uu = e;
            t->uv = f;
            t->vv = g;
        }
    }
    t->point[0] = (hemi_cdt_point){0, 0};
    t->point[1] = (hemi_cdt_point){HEMI_CDT_ONE, 0};
    t->point[2] = (hemi_cdt_point){0, HEMI_CDT_ONE};
    t->point_count = 3;
    t->triangle_count = 1;
    set_triangle(t, 0, 0, 1, 2);
    t->across[0][0] = t->across[0][1] = t->across[0][2] = HEMI_CDT_NONE;
}

// p inside of triangle n: three triangles.
static void split_inside(hemi_cdt* t, uint32_t n, uint32_t p) {
    uint32_t a = t->corner[n][0], b = t->corner[n][1], c = t->corner[n][2], fixed = t->fixed[n];
    uint32_t bc = t->across[n][1], ca = t->across[n][2];
    uint32_t second = t->triangle_count++, third = t->triangle_count++;
    set_triangle(t, n, a, b, p);
    set_triangle(t, second, b, c, p);
    set_triangle(t, third, c, a, p);
    t->fixed[n] = (uint8_t)(fixed & 1u);
    take_side(t, second, 0, bc, n, fixed >> 1 & 1u);
    take_side(t, third, 0, ca, n, fixed >> 2 & 1u);
    t->across[n][1] = (uint8_t)second;
    t->across[n][2] = (uint8_t)third;
    t->across[second][1] = (uint8_t)third;
    t->across[second][2] = (uint8_t)n;
    t->across[third][1] = (uint8_t)n;
    t->across[third][2] = (uint8_t)second;
    uint8_t fresh[3] = {(uint8_t)n, (uint8_t)second, (uint8_t)third};
    settle_around(t, p, fresh, 3);
}

// Cuts triangle n from the middle of side k to the corner opposite: n keeps the side's beginning, the new one its end.
static uint32_t halve(hemi_cdt* t, uint32_t n, uint32_t k, uint32_t p) {
    uint32_t a = t->corner[n][k], b = t->corner[n][next3(k)], c = t->corner[n][last3(k)];
    uint32_t bc = t->across[n][next3(k)], ca = t->across[n][last3(k)];
    uint32_t fixed = t->fixed[n] >> k & 1u, fixed_bc = t->fixed[n] >> next3(k) & 1u,
             fixed_ca = t->fixed[n] >> last3(k) & 1u;
    uint32_t half = t->triangle_count++;
    set_triangle(t, n, a, p, c);
    set_triangle(t, half, p, b, c);
    t->fixed[n] = (uint8_t)(fixed | fixed_ca << 2);
    t->fixed[half] = (uint8_t)fixed;
    t->across[n][1] = (uint8_t)half;
    t->across[n][2] = (uint8_t)ca;
    take_side(t, half, 1, bc, n, fixed_bc);
    t->across[half][2] = (uint8_t)n;
    return half;
}

// p on side k of triangle n: both triangles there are halved.
static void split_side(hemi_cdt* t, uint32_t n, uint32_t k, uint32_t p) {
    uint32_t m = t->across[n][k], j = m != HEMI_CDT_NONE ? side_towards(t, m, n) : 0;
    uint8_t fresh[4];
    uint32_t count = 2, n_half = halve(t, n, k, p);
    fresh[0] = (uint8_t)n;
    fresh[1] = (uint8_t)n_half;
    t->across[n][0] = t->across[n_half][0] = HEMI_CDT_NONE;
    if (m != HEMI_CDT_NONE) {
        uint32_t m_half = halve(t, m, j, p); // runs the other way: m begins where n_half ends
        t->across[n][0] = (uint8_t)m_half;
        t->across[m_half][0] = (uint8_t)n;
        t->across[n_half][0] = (uint8_t)m;
        t->across[m][0] = (uint8_t)n_half;
        fresh[count++] = (uint8_t)m;
        fresh[count++] = (uint8_t)m_half;
    }
    settle_around(t, p, fresh, count);
}

uint32_t hemi_cdt_add(hemi_cdt* t, int32_t u, int32_t v) {
    if (u < 0 || v < 0 || u > HEMI_CDT_ONE || v > HEMI_CDT_ONE - u) {
        return HEMI_CDT_NONE;
    }
    for (uint32_t i = 0; i < t->point_count; ++i) {
        if (t->point[i].u == u && t->point[i].v == v) {
            return i;
        }
    }
    if (t->point_count == HEMI_CDT_POINTS) {
        return HEMI_CDT_NONE;
    }
    uint32_t p = t->point_count++;
    t->point[p] = (hemi_cdt_point){u, v};
    for (uint32_t n = 0; n < t->triangle_count; ++n) {
        const uint8_t* c = t->corner[n];
        int64_t side[3] = {cross_at(t, c[0], c[1], p), cross_at(t, c[1], c[2], p), cross_at(t, c[2], c[0], p)};
        if (side[0] < 0 || side[1] < 0 || side[2] < 0) {
            continue;
        }
        if (side[0] > 0 && side[1] > 0 && side[2] > 0) {
            split_inside(t, n, p);
        } else {
            split_side(t, n, side[0] == 0 ? 0 : side[1] == 0 ? 1 : 2, p);
        }
        break;
    }
    return p;
}

// -- Segments

typedef struct pair {
    uint8_t a, b;
} pair;

// The triangle and side that run from a to b; 0 = no such side.
static int find_side(const hemi_cdt* t, uint32_t a, uint32_t b, uint32_t* n, uint32_t* k) {
    for (uint32_t i = 0; i < t->triangle_count; ++i) {
        for (uint32_t s = 0; s < 3; ++s) {
            if (t->corner[i][s] == a && t->corner[i][next3(s)] == b) {
                *n = i;
                *k = s;
                return 1;
            }
        }
    }
    return 0;
}

// The same in either direction.
static void find_edge(const hemi_cdt* t, pair ends, uint32_t* n, uint32_t* k) {
    if (!find_side(t, ends.a, ends.b, n, k)) {
        find_side(t, ends.b, ends.a, n, k);
    }
}

static void fix_side(hemi_cdt* t, uint32_t n, uint32_t k) {
    uint32_t m = t->across[n][k];
    t->fixed[n] = (uint8_t)(t->fixed[n] | 1u << k);
    if (m != HEMI_CDT_NONE) {
        t->fixed[m] = (uint8_t)(t->fixed[m] | 1u << side_towards(t, m, n));
    }
}

// Whether the open segments cut through each other.
static int do_cross(const hemi_cdt* t, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    int64_t s = cross_at(t, a, b, c), r = cross_at(t, a, b, d), p = cross_at(t, c, d, a), q = cross_at(t, c, d, b);
    return ((s > 0 && r < 0) || (s < 0 && r > 0)) && ((p > 0 && q < 0) || (p < 0 && q > 0));
}

// The first point behind a on the way to b: b, or one that lies on the segment.
static uint32_t next_on_way(const hemi_cdt* t, uint32_t a, uint32_t b) {
    uint32_t nearest = b;
    for (uint32_t i = 0; i < t->point_count; ++i) {
        if (i == a || i == b || cross_at(t, a, b, i) != 0) {
            continue;
        }
        int64_t du = t->point[nearest].u - t->point[a].u, dv = t->point[nearest].v - t->point[a].v;
        int64_t iu = t->point[i].u - t->point[a].u, iv = t->point[i].v - t->point[a].v;
        int64_t along = iu * du + iv * dv;
        nearest = along > 0 && along < du * du + dv * dv ? i : nearest;
    }
    return nearest;
}

// Sides that the segment cuts through, each once. -1 = one of them is fixed.
static int crossed_sides(const hemi_cdt* t, uint32_t a, uint32_t b, pair* crossed) {
    int count = 0;
    for (uint32_t n = 0; n < t->triangle_count; ++n) {
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t c = t->corner[n][k], d = t->corner[n][next3(k)];
            if (t->across[n][k] == HEMI_CDT_NONE || c > d || !do_cross(t, a, b, c, d)) {
                continue;
            }
            if (t->fixed[n] >> k & 1u) {
                return -1;
            }
            crossed[count++] = (pair){(uint8_t)c, (uint8_t)d};
        }
    }
    return count;
}

// Flips until nothing crosses from a to b. A side whose quadrangle is not convex waits for its turn; some other one's is.
static int clear_way(hemi_cdt* t, uint32_t a, uint32_t b, pair* made) {
    pair queue[3 * HEMI_CDT_TRIANGLES / 2];
    const uint32_t room = HEM_COUNT_OF(queue);
    uint32_t head = 0, made_count = 0;
    int waiting = crossed_sides(t, a, b, queue);
    uint32_t tail = waiting > 0 ? (uint32_t)waiting % room : 0;
    while (waiting > 0) {
        pair side = queue[head];
        head = (head + 1) % room;
        uint32_t n = 0, k = 0;
        find_side(t, side.a, side.b, &n, &k);
        uint32_t m = t->across[n][k], c = t->corner[n][last3(k)], d = t->corner[m][last3(side_towards(t, m, n))];
        --waiting;
        if (do_cross(t, side.a, side.b, c, d)) { // convex
            flip(t, n, k);
            side = (pair){(uint8_t)c, (uint8_t)d};
            if (!do_cross(t, a, b, c, d)) {
                made[made_count++] = side;
                continue;
            }
        }
        queue[tail] = side;
        tail = (tail + 1) % room;
        ++waiting;
    }
    return (int)made_count;
}

static void join_clear(hemi_cdt* t, uint32_t a, uint32_t b) {
    pair made[3 * HEMI_CDT_TRIANGLES / 2];
    int count = clear_way(t, a, b, made), changed = 1;
    uint32_t n = 0, k = 0;
    find_edge(t, (pair){(uint8_t)a, (uint8_t)b}, &n, &k);
    fix_side(t, n, k);
    while (changed) { // each flip takes a point out of a circle, so this ends
        changed = 0;
        for (int i = 0; i < count; ++i) {
            find_edge(t, made[i], &n, &k);
            if (should_flip(t, n, k)) {
                flip(t, n, k);
                made[i] = (pair){t->corner[n][0], t->corner[n][1]};
                changed = 1;
            }
        }
    }
}

int hemi_cdt_join(hemi_cdt* t, uint32_t a, uint32_t b) {
    if (a >= t->point_count || b >= t->point_count) {
        return 0;
    }
    pair crossed[3 * HEMI_CDT_TRIANGLES / 2];
    for (uint32_t from = a, to; from != b; from = to) {
        to = next_on_way(t, from, b);
        if (crossed_sides(t, from, to, crossed) < 0) {
            return 0;
        }
    }
    for (uint32_t from = a, to; from != b; from = to) {
        to = next_on_way(t, from, b);
        join_clear(t, from, to);
    }
    return 1;
}

// -- Heights

#define RAISE_LEAST 1e-6f // of the heights: a smaller gain is rounding
#define RAISE_PASSES 64   // each raises the surface; faces need three or four

// The other diagonal minus this side, where they cross, whose ends the four are.
static float gain_of(const hemi_cdt* t, const float* height, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const float ca = (float)cross_at(t, c, d, a), cb = (float)cross_at(t, c, d, b);
    const float ac = (float)cross_at(t, a, b, c), ad = (float)cross_at(t, a, b, d);
    const float along = ca / (ca - cb), across = ac / (ac - ad);
    const float side = height[a] + (height[b] - height[a]) * along;
    return height[c] + (height[d] - height[c]) * across - side;
}

void hemi_cdt_raise(hemi_cdt* t, const float* height) {
    float most = 0.0f;
    for (uint32_t i = 0; i < t->point_count; ++i) {
        most = hem_maxf(most, hem_absf(height[i]));
    }
    int changed = 1;
    for (int pass = 0; changed && pass < RAISE_PASSES; ++pass) {
        changed = 0;
        for (uint32_t i = 0; i < 3 * t->triangle_count; ++i) {
            const uint32_t n = i / 3, k = i % 3, m = t->across[n][k];
            if (m == HEMI_CDT_NONE || (t->fixed[n] >> k & 1u)) {
                continue;
            }
            const uint32_t a = t->corner[n][k], b = t->corner[n][next3(k)];
            const uint32_t c = t->corner[n][last3(k)], d = t->corner[m][last3(side_towards(t, m, n))];
            if (do_cross(t, a, b, c, d) && gain_of(t, height, a, b, c, d) > RAISE_LEAST * most) {
                flip(t, n, k);
                changed = 1;
            }
        }
    }
}
