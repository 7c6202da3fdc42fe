// SPDX-License-Identifier: MIT
// The triangulation of a face against truth of its own: whole-number areas, every pair of segments, circles in doubles.
//
// HEM_FACES=N sets the number of random faces (default 20000; a million were run when it was written).

#include "tests/runtime/suites.h"
#include "runtime/src/triangulate.h"
#include "platform/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct dice {
    uint64_t state;
} dice;

static uint32_t roll(dice* d, uint32_t below) {
    d->state = d->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((d->state >> 33) % below);
}

static int64_t cross_of(const hemi_cdt* t, uint32_t a, uint32_t b, uint32_t c) {
    int64_t bu = t->point[b].u - t->point[a].u, bv = t->point[b].v - t->point[a].v;
    int64_t cu = t->point[c].u - t->point[a].u, cv = t->point[c].v - t->point[a].v;
    return bu * cv - bv * cu;
}

static int sign_of(int64_t x) {
    return (x > 0) - (x < 0);
}

static int is_between(const hemi_cdt* t, uint32_t a, uint32_t b, uint32_t x) {
    if (cross_of(t, a, b, x) != 0) {
        return 0;
    }
    int64_t u = (int64_t)(t->point[x].u - t->point[a].u) * (t->point[x].u - t->point[b].u);
    int64_t v = (int64_t)(t->point[x].v - t->point[a].v) * (t->point[x].v - t->point[b].v);
    return x != a && x != b && u <= 0 && v <= 0;
}

// Cut through each other elsewhere than in a point of the triangulation.
static int segments_cross(const hemi_cdt* t, const uint32_t p[2], const uint32_t q[2]) {
    for (uint32_t x = 0; x < t->point_count; ++x) {
        if (is_between(t, p[0], p[1], x) && is_between(t, q[0], q[1], x)) {
            return 0;
        }
    }
    return sign_of(cross_of(t, p[0], p[1], q[0])) * sign_of(cross_of(t, p[0], p[1], q[1])) < 0 &&
           sign_of(cross_of(t, q[0], q[1], p[0])) * sign_of(cross_of(t, q[0], q[1], p[1])) < 0;
}

// In doubles, when these are sure of the sign; what lies within their rounding errors of the circle is let pass.
static int circle_holds(const hemi_cdt* t, const uint8_t c[3], uint32_t d) {
    double sum = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
        uint32_t a = c[k], b = c[(k + 1) % 3], e = c[(k + 2) % 3];
        double u = t->point[a].u - t->point[d].u, v = t->point[a].v - t->point[d].v;
        double square = t->uu * u * u + 2.0 * t->uv * u * v + t->vv * v * v;
        double term = square * (double)cross_of(t, d, b, e);
        sum += term;
        size += fabs(term) + fabs(t->uv * u * v) * fabs((double)cross_of(t, d, b, e));
    }
    return sum > 1e-14 * size;
}

// Positive triangles that fit side to side and have the area of the whole are a planar triangulation of it.
static const char* look_at_triangles(const hemi_cdt* t) {
    int64_t area = 0;
    uint8_t seen[HEMI_CDT_POINTS] = {0};
    for (uint32_t n = 0; n < t->triangle_count; ++n) {
        const uint8_t* c = t->corner[n];
        int64_t twice = cross_of(t, c[0], c[1], c[2]);
        if (twice <= 0) {
            return "a triangle is turned over or has no area";
        }
        area += twice;
        for (uint32_t k = 0; k < 3; ++k) {
            seen[c[k]] = 1;
            uint32_t m = t->across[n][k], a = c[k], b = c[(k + 1) % 3], back = 3;
            if (m == HEMI_CDT_NONE) {
                int64_t pu = t->point[a].u, pv = t->point[a].v, qu = t->point[b].u, qv = t->point[b].v;
                if (!(pu == 0 && qu == 0) && !(pv == 0 && qv == 0) &&
                    !(pu + pv == HEMI_CDT_ONE && qu + qv == HEMI_CDT_ONE)) {
                    return "a side without a neighbour lies inside the face";
                }
                continue;
            }
            for (uint32_t j = 0; j < 3; ++j) {
                if (t->corner[m][j] == b && t->corner[m][(j + 1) % 3] == a && t->across[m][j] == n) {
                    back = j;
                }
            }
            if (back == 3) {
                return "neighbours do not agree";
            }
            if ((t->fixed[n] >> k & 1) != (t->fixed[m] >> back & 1)) {
                return "a side is fixed on one side only";
            }
            if (!(t->fixed[n] >> k & 1) && circle_holds(t, c, t->corner[m][(back + 2) % 3])) {
                return "a side that nothing holds is not Delaunay";
            }
        }
    }
    for (uint32_t i = 0; i < t->point_count; ++i) {
        if (!seen[i]) {
            return "a point has no triangle";
        }
    }
    return area == (int64_t)HEMI_CDT_ONE * HEMI_CDT_ONE ? NULL : "the triangles do not cover the face once";
}

static int has_fixed_side(const hemi_cdt* t, uint32_t a, uint32_t b) {
    for (uint32_t n = 0; n < t->triangle_count; ++n) {
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t c = t->corner[n][k], d = t->corner[n][(k + 1) % 3];
            if (((c == a && d == b) || (c == b && d == a)) && (t->fixed[n] >> k & 1)) {
                return 1;
            }
        }
    }
    return 0;
}

// Every stretch of the segment between neighbouring points on it is a fixed side.
static int is_kept(const hemi_cdt* t, uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < t->point_count; ++i) {
        for (uint32_t j = 0; j < t->point_count; ++j) {
            int on = (i == a || is_between(t, a, b, i)) && (j == b || is_between(t, a, b, j)) && i != j;
            if (!on || (i != a && is_between(t, a, i, j))) {
                continue;
            }
            int neighbours = 1;
            for (uint32_t x = 0; x < t->point_count && neighbours; ++x) {
                neighbours = !is_between(t, i, j, x);
            }
            if (neighbours && !has_fixed_side(t, i, j)) {
                return 0;
            }
        }
    }
    return 1;
}

static void make_shape(dice* d, float corners[3][3]) {
    for (int i = 0; i < 9; ++i) {
        corners[i / 3][i % 3] = (float)roll(d, 2000) * 0.001f;
    }
    if (roll(d, 8) == 0) { // a needle, or nothing at all
        for (int k = 0; k < 3; ++k) {
            corners[2][k] = corners[1][k] + (float)roll(d, 3) * 1e-4f;
        }
    }
}

static void make_point(dice* d, int32_t* u, int32_t* v) {
    uint32_t style = roll(d, 6), grid = style < 2 ? 8 : HEMI_CDT_ONE;
    uint32_t a = roll(d, grid + 1), b = roll(d, grid + 1);
    if (a + b > grid) {
        a = grid - a;
        b = grid - b;
    }
    uint32_t border = roll(d, 5);
    a = border == 0 ? 0 : a;
    b = border == 1 ? 0 : border == 2 ? grid - a : b;
    *u = (int32_t)(a * (HEMI_CDT_ONE / grid));
    *v = (int32_t)(b * (HEMI_CDT_ONE / grid));
}

static const char* check_face(dice* d, uint64_t* hash, uint32_t* kept, uint32_t* refused) {
    hemi_cdt t;
    memset(&t, 0, sizeof(t));
    float corners[3][3];
    make_shape(d, corners);
    hemi_cdt_begin(&t, (const float(*)[3])corners);
    uint32_t wanted = roll(d, 33), joined[64][2], joined_count = 0;
    for (uint32_t i = 0; i < wanted; ++i) {
        int32_t u, v;
        make_point(d, &u, &v);
        uint32_t p = hemi_cdt_add(&t, u, v);
        if (p >= t.point_count || t.point[p].u != u || t.point[p].v != v) {
            return "a point inside was not taken";
        }
        if (i % 3 == 2) { // segments between points, and points between segments
            uint32_t q[2] = {p, roll(d, t.point_count)};
            int crosses = 0;
            for (uint32_t j = 0; j < joined_count; ++j) {
                crosses |= segments_cross(&t, q, joined[j]);
            }
            if (q[0] == q[1]) {
                continue;
            }
            if (hemi_cdt_join(&t, q[0], q[1]) != !crosses) {
                return crosses ? "a segment that crosses another was joined" : "a free segment was refused";
            }
            if (!crosses) {
                joined[joined_count][0] = q[0];
                joined[joined_count++][1] = q[1];
            }
            *(crosses ? refused : kept) += 1;
        }
    }
    for (uint32_t j = 0; j < joined_count; ++j) {
        if (!is_kept(&t, joined[j][0], joined[j][1])) {
            return "a segment that was joined is gone";
        }
    }
    *hash = hem_hash(t.corner, t.triangle_count * sizeof(t.corner[0]), *hash);
    *hash = hem_hash(t.fixed, t.triangle_count, *hash);
    return look_at_triangles(&t);
}

TEST random_faces_are_planar_and_keep_their_segments(void) {
    const char* wanted = getenv("HEM_FACES");
    uint32_t count = wanted ? (uint32_t)strtoul(wanted, NULL, 10) : 20000, kept = 0, refused = 0;
    dice d = {2002};
    uint64_t hash = 0, hash_20000 = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const char* fault = check_face(&d, &hash, &kept, &refused);
        if (fault) {
            printf("face %u: %s\n", i, fault);
            FAIL();
        }
        hash_20000 = i + 1 == 20000 ? hash : hash_20000;
    }
    if (getenv("HEM_DETERMINISM")) {
        printf("%u faces, %u segments joined, %u refused, hash of the first 20000 0x%016llx\n", count, kept, refused,
               (unsigned long long)hash_20000);
    }
    ASSERT(count < 100 || (kept > count && refused > count / 10));
    ASSERT(count < 20000 || hash_20000 == 0xd1fb5124b7ad7ad3ull);
    PASS();
}

TEST a_full_face_takes_no_more_points(void) {
    hemi_cdt t;
    const float corners[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    hemi_cdt_begin(&t, corners);
    for (uint32_t i = 3; i < HEMI_CDT_POINTS; ++i) {
        ASSERT_EQ(i, hemi_cdt_add(&t, 1000 + (int32_t)(i * 7919 % 61) * 6000, 1000 + (int32_t)i * 6000));
    }
    ASSERT_EQ(HEMI_CDT_NONE, hemi_cdt_add(&t, 5, 5));
    ASSERT_EQ(7u, hemi_cdt_add(&t, t.point[7].u, t.point[7].v));
    ASSERT_EQ(NULL, look_at_triangles(&t));
    PASS();
}

TEST what_is_outside_is_refused(void) {
    hemi_cdt t;
    const float corners[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    hemi_cdt_begin(&t, corners);
    ASSERT_EQ(HEMI_CDT_NONE, hemi_cdt_add(&t, -1, 0));
    ASSERT_EQ(HEMI_CDT_NONE, hemi_cdt_add(&t, 0, -1));
    ASSERT_EQ(HEMI_CDT_NONE, hemi_cdt_add(&t, HEMI_CDT_ONE / 2 + 1, HEMI_CDT_ONE / 2));
    ASSERT_EQ(HEMI_CDT_NONE, hemi_cdt_add(&t, INT32_MAX, INT32_MAX));
    ASSERT_EQ(HEMI_CDT_NONE, hemi_cdt_add(&t, INT32_MIN, INT32_MIN));
    ASSERT_EQ(0, hemi_cdt_join(&t, 0, 3));
    ASSERT_EQ(1u, t.triangle_count);
    PASS();
}

// The surface over random points: still a triangulation, no side that could be flipped upwards, and no lower anywhere than before.
TEST heights_are_raised(void) {
    dice d = {77};
    for (int face = 0; face < 2000; ++face) {
        hemi_cdt t;
        memset(&t, 0, sizeof(t));
        float corners[3][3], height[HEMI_CDT_POINTS];
        make_shape(&d, corners);
        hemi_cdt_begin(&t, (const float(*)[3])corners);
        for (uint32_t i = 0, wanted = roll(&d, 33); i < wanted; ++i) {
            int32_t u, v;
            make_point(&d, &u, &v);
            hemi_cdt_add(&t, u, v);
        }
        for (uint32_t i = 0; i < t.point_count; ++i) {
            height[i] = (float)roll(&d, 1000) * 1e-3f;
        }
        hemi_cdt_raise(&t, height);
        int64_t area = 0;
        for (uint32_t n = 0; n < t.triangle_count; ++n) {
            const uint8_t* c = t.corner[n];
            ASSERT(cross_of(&t, c[0], c[1], c[2]) > 0);
            area += cross_of(&t, c[0], c[1], c[2]);
            for (uint32_t k = 0; k < 3; ++k) {
                const uint32_t m = t.across[n][k], a = c[k], b = c[(k + 1) % 3], e = c[(k + 2) % 3];
                if (m == HEMI_CDT_NONE) {
                    continue;
                }
                uint32_t j = 0;
                while (t.corner[m][j] == a || t.corner[m][j] == b) {
                    ++j;
                }
                const uint32_t f = t.corner[m][j], p[2] = {a, b}, q[2] = {e, f};
                if (!segments_cross(&t, p, q)) {
                    continue;
                }
                const double ea = (double)cross_of(&t, e, f, a), eb = (double)cross_of(&t, e, f, b);
                const double ae = (double)cross_of(&t, a, b, e), af = (double)cross_of(&t, a, b, f);
                const double side = (double)height[a] + (double)(height[b] - height[a]) * ea / (ea - eb);
                const double other = (double)height[e] + (double)(height[f] - height[e]) * ae / (ae - af);
                ASSERT(other < side + 1e-5);
            }
        }
        ASSERT_EQ((int64_t)HEMI_CDT_ONE * HEMI_CDT_ONE, area);
    }
    PASS();
}

SUITE(triangulate_suite) {
    RUN_TEST(random_faces_are_planar_and_keep_their_segments);
    RUN_TEST(a_full_face_takes_no_more_points);
    RUN_TEST(what_is_outside_is_refused);
    RUN_TEST(heights_are_raised);
}
