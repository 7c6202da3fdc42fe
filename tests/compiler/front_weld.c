// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "compiler/hemc_internal.h"

#include <math.h>
#include <string.h>

// Welding, against brute force over all pairs.

static uint64_t random_state = 7;

static uint32_t random_u32(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

typedef struct soup {
    hemc_arena* arena;
    hemc_model model;
    int32_t* owner;
    hemc_surface surface;
} soup;

static void weld(soup* s, hemc_vec3* positions, uint32_t vertices, uint32_t* triangles, uint32_t count) {
    memset(s, 0, sizeof(*s));
    s->arena = hemc_arena_create();
    s->model.positions = positions;
    s->model.vertex_count = vertices;
    s->model.triangles = triangles;
    s->model.triangle_count = count;
    s->owner = hemc_alloc(s->arena, count, sizeof(int32_t));
    hemc_weld(s->arena, &s->model, s->owner, 0, &s->surface);
}

TEST seams_close(void) {
    // A closed tube of 8 x 3 quads, every triangle with corners of its own: the worst UV layout there is.
    hemc_vec3 p[8 * 3 * 6];
    uint32_t t[8 * 3 * 6], n = 0;
    for (int level = 0; level < 3; ++level) {
        for (int i = 0; i < 8; ++i) {
            float c[8] = {1, 0.70710678f, 0, -0.70710678f, -1, -0.70710678f, 0, 0.70710678f};
            int j = (i + 1) % 8;
            hemc_vec3 a = {c[i], (float)level, c[(i + 6) % 8]}, b = {c[j], (float)level, c[(j + 6) % 8]};
            hemc_vec3 d = a, e = b;
            d.y = e.y = (float)level + 1.0f;
            hemc_vec3 six[6] = {a, d, b, b, d, e};
            for (int k = 0; k < 6; ++k) {
                six[k].x += (float)(k % 2) * 1e-6f; // two exporters' rounding
                p[n] = six[k];
                t[n] = n;
                ++n;
            }
        }
    }
    soup s;
    weld(&s, p, n, t, n / 3);
    ASSERT_EQ(8 * 4, s.surface.vertex_count);
    ASSERT_EQ(8 * 3 * 2, s.surface.triangle_count);
    uint32_t open = 0;
    for (uint32_t e = 0; e < 3 * s.surface.triangle_count; ++e) {
        open += s.surface.neighbors[e] == HEM_NONE ? 1 : 0;
    }
    ASSERT_EQ(16, open); // the two rims
    for (uint32_t v = 0; v < s.surface.vertex_count; ++v) {
        hemc_vec3 q = s.surface.positions[v], m = s.surface.normals[v];
        ASSERT(fabsf(m.x * q.x + m.z * q.z) > 0.9f && fabsf(m.y) < 0.1f);
        ASSERT_EQ(0, memcmp(&q, &p[s.surface.source_vertex[v]], sizeof(q)));
    }
    hemc_arena_destroy(s.arena);
    PASS();
}

// Random triangles over few points: duplicates, degenerates, edges with many triangles.
TEST neighbours_equal_brute_force(void) {
    for (int round = 0; round < 30; ++round) {
        enum { POINTS = 9, TRIANGLES = 24 };
        hemc_vec3 p[POINTS * 2];
        for (int i = 0; i < POINTS; ++i) {
            p[i] =
                (hemc_vec3){(float)(random_u32() % 1000), (float)(random_u32() % 1000), (float)(random_u32() % 1000)};
            p[i + POINTS] = p[i];
        }
        uint32_t t[TRIANGLES * 3];
        for (int i = 0; i < TRIANGLES * 3; ++i) {
            t[i] = random_u32() % (POINTS * 2);
        }
        soup s;
        weld(&s, p, POINTS * 2, t, TRIANGLES);
        const hemc_surface* f = &s.surface;

        // Which triangles stay: the first of each set of three distinct points.
        uint32_t kept[TRIANGLES], kept_count = 0;
        for (uint32_t i = 0; i < TRIANGLES; ++i) {
            uint32_t a = t[3 * i] % POINTS, b = t[3 * i + 1] % POINTS, c = t[3 * i + 2] % POINTS;
            bool keep = a != b && b != c && a != c;
            uint32_t mask = 1u << a | 1u << b | 1u << c;
            for (uint32_t k = 0; k < i && keep; ++k) {
                uint32_t d = t[3 * k] % POINTS, e = t[3 * k + 1] % POINTS, g = t[3 * k + 2] % POINTS;
                keep = !(d != e && e != g && d != g && (1u << d | 1u << e | 1u << g) == mask);
            }
            if (keep) {
                kept[kept_count++] = i;
            }
        }
        ASSERT_EQ(kept_count, f->triangle_count);
        for (uint32_t i = 0; i < kept_count; ++i) {
            ASSERT_EQ(kept[i], f->source_triangle[i]);
        }
        for (uint32_t e = 0; e < 3 * f->triangle_count; ++e) {
            uint32_t a = f->triangles[e], b = f->triangles[e - e % 3 + (e + 1) % 3];
            b = f->triangles[e - e % 3 + (e % 3 + 1) % 3];
            int32_t other = HEM_NONE;
            uint32_t sharing = 0;
            for (uint32_t k = 0; k < f->triangle_count; ++k) {
                uint32_t hits = 0;
                for (int i = 0; i < 3; ++i) {
                    hits += f->triangles[3 * k + i] == a || f->triangles[3 * k + i] == b ? 1 : 0;
                }
                if (k != e / 3 && hits == 2) {
                    ++sharing;
                    other = (int32_t)k;
                }
            }
            ASSERT_EQ(sharing == 1 ? other : HEM_NONE, f->neighbors[e]);
        }
        hemc_arena_destroy(s.arena);
    }
    PASS();
}

TEST other_parts_are_left_alone(void) {
    hemc_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    uint32_t t[6] = {0, 1, 2, 1, 3, 2};
    soup s;
    weld(&s, p, 4, t, 2);
    s.owner[1] = 5;
    hemc_weld(s.arena, &s.model, s.owner, 0, &s.surface);
    ASSERT_EQ(1, s.surface.triangle_count);
    ASSERT_EQ(3, s.surface.vertex_count);
    hemc_weld(s.arena, &s.model, s.owner, 5, &s.surface);
    ASSERT_EQ(1, s.surface.triangle_count);
    ASSERT_EQ(1, s.surface.source_triangle[0]);
    hemc_weld(s.arena, &s.model, s.owner, 6, &s.surface);
    ASSERT_EQ(0, s.surface.triangle_count);
    hemc_arena_destroy(s.arena);
    PASS();
}

TEST tolerance_follows_the_size(void) {
    // The same gap closes on a house and stays open on a coin.
    for (int big = 0; big < 2; ++big) {
        float size = big ? 10.0f : 0.01f;
        hemc_vec3 p[6] = {{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {size, 1e-5f, 0}, {size, size, 0}, {1e-5f, size, 0}};
        uint32_t t[6] = {0, 1, 2, 3, 4, 5};
        soup s;
        weld(&s, p, 6, t, 2);
        ASSERT_EQ(big ? 4u : 6u, s.surface.vertex_count);
        ASSERT_EQ(big ? 1 : HEM_NONE, s.surface.neighbors[1]);
        hemc_arena_destroy(s.arena);
    }
    PASS();
}

TEST flat_triangles_go(void) {
    hemc_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0.5f, 0, 0}, {0, 1, 0}};
    uint32_t t[9] = {0, 1, 2, 0, 1, 3, 0, 0, 1};
    soup s;
    weld(&s, p, 4, t, 3);
    ASSERT_EQ(1, s.surface.triangle_count);
    ASSERT_EQ(1, s.surface.source_triangle[0]);
    hemc_arena_destroy(s.arena);
    PASS();
}

SUITE(front_weld_suite) {
    RUN_TEST(seams_close);
    RUN_TEST(neighbours_equal_brute_force);
    RUN_TEST(other_parts_are_left_alone);
    RUN_TEST(tolerance_follows_the_size);
    RUN_TEST(flat_triangles_go);
}
