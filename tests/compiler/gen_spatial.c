// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

#include <string.h>

// Searches against brute force, eigenvectors against their definition.

static hemc_vec3 random_point(hemc_random* random) {
    // Coarse steps, so that equal coordinates and equal distances happen often.
    hemc_vec3 p;
    p.x = (float)(floor(hemc_random_unit(random) * 16.0) / 16.0);
    p.y = (float)(floor(hemc_random_unit(random) * 16.0) / 16.0);
    p.z = (float)hemc_random_unit(random);
    return p;
}

TEST nearest_points_are_those_of_brute_force(void) {
    hemc_arena* arena = hemc_arena_create();
    hemc_random random = {7};
    enum { COUNT = 700 };
    hemc_vec3* points = hemc_alloc(arena, COUNT, sizeof *points);
    for (uint32_t i = 0; i < COUNT; ++i) {
        points[i] = i > 600 ? points[i - 600] : random_point(&random); // some twice
    }
    hemc_kd kd;
    hemc_kd_build(arena, &kd, points, COUNT);
    hemc_index_list list = {NULL, 0, 0};
    for (int trial = 0; trial < 300; ++trial) {
        hemc_d3 p = d3_from(random_point(&random));
        double radius = 0.02 + 0.4 * hemc_random_unit(&random);
        hemc_sort_item order[COUNT];
        uint32_t within = 0;
        for (uint32_t i = 0; i < COUNT; ++i) {
            double d = d3_distance(p, d3_from(points[i]));
            if (d <= radius) {
                order[within].key = d;
                order[within++].index = i;
            }
        }
        hemc_sort_items(arena, order, within);
        hemc_near near[12];
        uint32_t found = hemc_kd_near(&kd, p, radius, 12, near);
        ASSERT_EQ(found, within < 12 ? within : 12);
        for (uint32_t i = 0; i < found; ++i) {
            ASSERT_EQ(near[i].index, order[i].index);
        }
        double distance = 0.0;
        int32_t nearest = hemc_kd_nearest(&kd, p, radius, &distance);
        ASSERT_EQ(nearest, within ? (int32_t)order[0].index : HEM_NONE);
        hemc_kd_radius(arena, &kd, p, radius, &list);
        ASSERT_EQ(list.count, within);
    }
    hemc_arena_destroy(arena);
    PASS();
}

TEST the_growing_grid_agrees_with_brute_force(void) {
    hemc_arena* arena = hemc_arena_create();
    hemc_random random = {8};
    hemc_grid grid;
    hemc_grid_init(&grid, arena, 0.11, 16);
    for (uint32_t n = 0; n < 400; ++n) {
        hemc_d3 p = d3_sub(d3_from(random_point(&random)), d3(0.5, 0.5, 0.5));
        int32_t best = HEM_NONE;
        double nearest = 0.11;
        for (uint32_t i = 0; i < n; ++i) {
            double d = d3_distance(p, grid.points[i]);
            if (d < nearest) {
                nearest = d;
                best = (int32_t)i;
            }
        }
        ASSERT_EQ(hemc_grid_nearest(&grid, p, 0.11), best);
        hemc_grid_add(&grid, p);
    }
    hemc_arena_destroy(arena);
    PASS();
}

static hemc_d3 ball(double u, double v) {
    double a = 6.283185307179586 * u, b = 3.141592653589793 * v;
    return d3(sin(b) * cos(a), -cos(b), sin(b) * sin(a));
}

TEST nearest_triangle_and_inside_agree_with_brute_force_and_formula(void) {
    gen_kit kit;
    gen_begin(&kit, 0.1);
    gen_grid(&kit, 24, 12, ball, true, 0);
    hemc_bvh bvh;
    hemc_bvh_build(kit.arena, &bvh, kit.model.positions, kit.model.triangles, NULL, kit.model.triangle_count);
    hemc_random random = {9};
    for (int trial = 0; trial < 300; ++trial) {
        hemc_d3 p = d3(2.6 * hemc_random_unit(&random) - 1.3, 2.6 * hemc_random_unit(&random) - 1.3,
                       2.6 * hemc_random_unit(&random) - 1.3);
        double nearest = 1e30;
        for (uint32_t t = 0; t < kit.model.triangle_count; ++t) {
            const uint32_t* v = &kit.model.triangles[3 * t];
            // Brute force by descent is no truth; sample the triangle instead and allow for the sampling.
            for (int i = 0; i <= 8; ++i) {
                for (int j = 0; i + j <= 8; ++j) {
                    hemc_d3 a = d3_from(kit.model.positions[v[0]]), b = d3_from(kit.model.positions[v[1]]);
                    hemc_d3 c = d3_from(kit.model.positions[v[2]]);
                    hemc_d3 q =
                        d3_add(d3_scale(a, (8 - i - j) / 8.0), d3_add(d3_scale(b, i / 8.0), d3_scale(c, j / 8.0)));
                    double d = d3_distance(p, q);
                    nearest = d < nearest ? d : nearest;
                }
            }
        }
        double distance = 0.0;
        hemc_d3 point;
        int32_t t = hemc_bvh_nearest(&bvh, p, 10.0, &distance, &point, NULL);
        ASSERT(t >= 0);
        ASSERT(distance <= nearest + 1e-6);
        ASSERT(distance >= nearest - 0.02);
        ASSERT_IN_RANGE(d3_distance(p, point), distance, 1e-6);
        ASSERT_EQ(hemc_bvh_nearest(&bvh, p, 0.5 * distance, NULL, NULL, NULL), HEM_NONE);
        double r = d3_length(p);
        if (r < 0.95 || r > 1.0) {
            ASSERT_EQ(hemc_bvh_inside(&bvh, p), r < 1.0);
        }
    }
    gen_end(&kit);
    PASS();
}

TEST eigenvectors_satisfy_their_equation(void) {
    hemc_random random = {10};
    for (int trial = 0; trial < 200; ++trial) {
        double m[6];
        for (int i = 0; i < 6; ++i) {
            m[i] = trial % 5 == 0 && i != 0 && i != 3 && i != 5 ? 0.0 : 2.0 * hemc_random_unit(&random) - 1.0;
        }
        if (trial % 7 == 0) {
            m[3] = m[0]; // equal values
        }
        double values[3];
        hemc_d3 v[3];
        hemc_eigen3(m, values, v);
        ASSERT(values[0] >= values[1] && values[1] >= values[2]);
        for (int k = 0; k < 3; ++k) {
            hemc_d3 av =
                d3(m[0] * v[k].x + m[1] * v[k].y + m[2] * v[k].z, m[1] * v[k].x + m[3] * v[k].y + m[4] * v[k].z,
                   m[2] * v[k].x + m[4] * v[k].y + m[5] * v[k].z);
            ASSERT(d3_distance(av, d3_scale(v[k], values[k])) < 1e-12);
            ASSERT_IN_RANGE(1.0, d3_length(v[k]), 1e-12);
        }
        ASSERT(d3_distance(d3_cross(v[0], v[1]), v[2]) < 1e-12);
        float q[4];
        hemc_quat_from_axes(v[0], v[1], v[2], q);
        for (int k = 0; k < 3; ++k) {
            ASSERT(d3_distance(hemc_quat_axis(q, k), v[k]) < 1e-6);
        }
    }
    PASS();
}

TEST the_cube_root_cubes_back(void) {
    for (double x = 1e-9; x < 1e9; x *= 3.7) {
        double r = hemc_cube_root(x);
        ASSERT_IN_RANGE(1.0, r * r * r / x, 1e-14);
    }
    ASSERT_EQ(0.0, hemc_cube_root(0.0));
    PASS();
}

static uint64_t search_work(uint32_t count) {
    hemc_arena* arena = hemc_arena_create();
    hemc_random random = {11};
    hemc_vec3* points = hemc_alloc(arena, count, sizeof *points);
    for (uint32_t i = 0; i < count; ++i) {
        points[i] = d3_to(d3(hemc_random_unit(&random), hemc_random_unit(&random), hemc_random_unit(&random)));
    }
    hemc_kd kd;
    hemc_kd_build(arena, &kd, points, count);
    for (uint32_t i = 0; i < count; ++i) {
        hemc_near near[4];
        hemc_kd_near(&kd, d3_from(points[i]), 2.0, 4, near);
    }
    uint64_t work = kd.visit_count;
    hemc_arena_destroy(arena);
    return work;
}

TEST all_nearest_take_n_log_n(void) {
    double small = (double)search_work(1000), large = (double)search_work(16000);
    // 16 x log(16000) / log(1000) = 22.4
    ASSERT(large / small < 26.0);
    PASS();
}

// Points on a flat sheet, asked for the nearest from a plane beside it: all of the sheet is about as far away.
static double work_from_afar(uint32_t side) {
    hemc_arena* arena = hemc_arena_create();
    hemc_vec3* points = hemc_alloc(arena, (size_t)side * side, sizeof *points);
    for (uint32_t i = 0; i < side * side; ++i) {
        double u = (double)(i % side) / side, v = (double)(i / side) / side;
        points[i] = d3_to(d3(u, v, 0.0));
    }
    hemc_kd kd;
    hemc_kd_build(arena, &kd, points, side * side);
    hemc_random random = {5};
    for (uint32_t i = 0; i < 500; ++i) {
        hemc_kd_nearest(&kd, d3(hemc_random_unit(&random), hemc_random_unit(&random), 0.4), 1e30, NULL);
    }
    double work = (double)kd.visit_count;
    hemc_arena_destroy(arena);
    return work;
}

TEST a_search_from_afar_takes_log_n(void) {
    // By planes alone every point nearer to the foot than the sheet is away would be met: sixteen times as many.
    ASSERT(work_from_afar(128) / work_from_afar(32) < 2.5);
    PASS();
}

void gen_spatial_tests(void) {
    RUN_TEST(nearest_points_are_those_of_brute_force);
    RUN_TEST(the_growing_grid_agrees_with_brute_force);
    RUN_TEST(nearest_triangle_and_inside_agree_with_brute_force_and_formula);
    RUN_TEST(eigenvectors_satisfy_their_equation);
    RUN_TEST(the_cube_root_cubes_back);
    RUN_TEST(all_nearest_take_n_log_n);
    RUN_TEST(a_search_from_afar_takes_log_n);
}
