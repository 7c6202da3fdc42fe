// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

#include <string.h>

// Blue noise: how many, how far apart, no holes, links that stay on the shape.

#define TAU 6.283185307179586

static hemc_d3 ball(double u, double v) { // radius 0.5
    double a = TAU * u, b = 0.5 * TAU * v;
    return d3(0.5 * sin(b) * cos(a), -0.5 * cos(b), 0.5 * sin(b) * sin(a));
}

static double nearest_other(const hemc_particles* p, uint32_t i) {
    double nearest = 1e30;
    for (uint32_t j = 0; j < p->count; ++j) {
        double d = d3_distance(d3_from(p->positions[i]), d3_from(p->positions[j]));
        nearest = j != i && d < nearest ? d : nearest;
    }
    return nearest;
}

TEST a_ball_is_covered_evenly(void) {
    gen_kit kit;
    gen_begin(&kit, 0.1);
    kit.part.generator = HEMC_SCATTER;
    gen_grid(&kit, 48, 24, ball, true, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    // Area 4 pi r^2 = 3.1416 (a little less, it has facets): one point per h^2.
    ASSERT_IN_RANGE(3.1416 / 0.01, (double)p->count, 10.0);
    double mean = 0.0;
    for (uint32_t i = 0; i < p->count; ++i) {
        ASSERT_IN_RANGE(0.5, d3_length(d3_from(p->positions[i])), 0.006);
        double d = nearest_other(p, i);
        ASSERT(d > 0.6 * 0.1);
        mean += d / p->count;
        ASSERT(d3_dot(d3_from(p->positions[i]), d3_from(p->normals[i])) > 0.45); // outward
    }
    ASSERT(mean > 0.8 * 0.1); // random points: 0.5 h
    // No hole: every corner of the mesh has a particle within 1.05 h.
    for (uint32_t v = 0; v < kit.surface.vertex_count; ++v) {
        double nearest = 1e30;
        for (uint32_t i = 0; i < p->count; ++i) {
            double d = d3_distance(d3_from(kit.surface.positions[v]), d3_from(p->positions[i]));
            nearest = d < nearest ? d : nearest;
        }
        ASSERT(nearest < 1.05 * 0.1);
    }
    gen_end(&kit);
    PASS();
}

TEST links_are_short_few_and_leave_no_one_out(void) {
    gen_kit kit;
    gen_begin(&kit, 0.1);
    kit.part.generator = HEMC_SCATTER;
    gen_grid(&kit, 48, 24, ball, true, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    uint32_t* degree = hemc_alloc(kit.arena, p->count, sizeof *degree);
    for (size_t k = 0; k < p->link_count; ++k) {
        double d = d3_distance(d3_from(p->positions[p->links[k].a]), d3_from(p->positions[p->links[k].b]));
        ASSERT(d <= 1.6 * 0.1 + 1e-6);
        ++degree[p->links[k].a];
        ++degree[p->links[k].b];
    }
    double mean = 0.0;
    for (uint32_t i = 0; i < p->count; ++i) {
        ASSERT(degree[i] >= 3 && degree[i] <= 10);
        mean += (double)degree[i] / p->count;
    }
    ASSERT(mean > 5.0);
    ASSERT_EQ(1u, gen_measure(&kit).pieces);
    gen_end(&kit);
    PASS();
}

static hemc_d3 plate(double u, double v) {
    return d3(u, v, 0.0);
}
static hemc_d3 other_plate(double u, double v) {
    return d3(u, v, -0.12);
}

TEST two_sides_with_air_between_are_not_linked(void) {
    gen_kit kit;
    gen_begin(&kit, 0.1);
    kit.part.generator = HEMC_SCATTER;
    gen_grid(&kit, 10, 10, plate, false, 0);
    gen_grid(&kit, 10, 10, other_plate, true, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    ASSERT(p->count > 150);
    for (size_t k = 0; k < p->link_count; ++k) {
        ASSERT((p->positions[p->links[k].a].z > -0.06f) == (p->positions[p->links[k].b].z > -0.06f));
    }
    gen_end(&kit);
    PASS();
}

// Thinner than the spacing: hardly any neighbour faces the same way.
static hemc_d3 whip(double u, double v) {
    const double turn = 6.283185307179586, r = 0.03 * (1.0 - v) + 0.004;
    return d3(r * cos(turn * u), 2.0 * v, r * sin(turn * u));
}

TEST what_is_one_surface_hangs_together(void) {
    for (int i = 0; i < 4; ++i) {
        gen_kit kit;
        gen_begin(&kit, 0.05 + 0.02 * i);
        kit.part.generator = HEMC_SCATTER;
        gen_grid(&kit, 8, 60, whip, true, 0);
        ASSERT(gen_run(&kit));
        gen_quality q = gen_measure(&kit);
        ASSERT_EQ(1u, q.pieces);
        gen_end(&kit);
    }
    PASS();
}

TEST a_volume_is_filled_evenly(void) {
    gen_kit kit;
    gen_begin(&kit, 0.12);
    kit.part.generator = HEMC_SCATTER;
    kit.part.volume = true;
    gen_grid(&kit, 48, 24, ball, true, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    double volume = 4.0 / 3.0 * 3.14159265 * 0.125;
    ASSERT_IN_RANGE(volume / (0.12 * 0.12 * 0.12), (double)p->count, 8.0);
    uint32_t inner = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        double r = d3_length(d3_from(p->positions[i]));
        ASSERT(r < 0.5);
        inner += r < 0.25;
        ASSERT(nearest_other(p, i) > 0.6 * 0.12);
    }
    // The inner half of the radius holds an eighth of the volume; the border attracts a few.
    ASSERT_IN_RANGE(p->count / 8.0, (double)inner, p->count / 16.0);
    ASSERT_EQ(1u, gen_measure(&kit).pieces);
    gen_end(&kit);
    PASS();
}

TEST a_count_is_met_exactly(void) {
    for (int volume = 0; volume < 2; ++volume) {
        gen_kit kit;
        gen_begin(&kit, 0.0);
        kit.part.generator = HEMC_SCATTER;
        kit.part.volume = volume != 0;
        kit.part.particle_target = 137;
        gen_grid(&kit, 48, 24, ball, true, 0);
        ASSERT(gen_run(&kit));
        ASSERT_EQ(137u, kit.particles.count);
        gen_end(&kit);
    }
    PASS();
}

static hemc_d3 turn(hemc_d3 p) {
    hemc_d3 q = d3(0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y, p.z + 5.0);
    return d3(q.x, 0.8 * q.y - 0.6 * q.z, 0.6 * q.y + 0.8 * q.z);
}
static hemc_d3 egg(double u, double v) {
    hemc_d3 p = ball(u, v);
    return d3(p.x * (1.0 + 0.4 * p.y), 1.5 * p.y, p.z);
}
static hemc_d3 turned_egg(double u, double v) {
    return turn(egg(u, v));
}

TEST points_turn_with_the_shape(void) {
    for (int volume = 0; volume < 2; ++volume) {
        gen_kit a, b;
        gen_begin(&a, 0.12);
        gen_begin(&b, 0.12);
        a.part.generator = b.part.generator = HEMC_SCATTER;
        a.part.volume = b.part.volume = volume != 0;
        gen_grid(&a, 40, 20, egg, true, 0);
        gen_grid(&b, 40, 20, turned_egg, true, 0);
        ASSERT(gen_run(&a) && gen_run(&b));
        // Elimination is a long sequence of comparisons: rounding may tip one in a hundred.
        ASSERT_EQ(a.particles.count, b.particles.count);
        uint32_t same = 0;
        for (uint32_t i = 0; i < a.particles.count; ++i) {
            hemc_d3 p = turn(d3_from(a.particles.positions[i]));
            for (uint32_t j = 0; j < b.particles.count; ++j) {
                same += d3_distance(p, d3_from(b.particles.positions[j])) < 1e-4;
            }
        }
        ASSERT(same >= 0.9 * a.particles.count);
        gen_end(&a);
        gen_end(&b);
    }
    PASS();
}

void gen_scatter_tests(void) {
    RUN_TEST(a_ball_is_covered_evenly);
    RUN_TEST(links_are_short_few_and_leave_no_one_out);
    RUN_TEST(two_sides_with_air_between_are_not_linked);
    RUN_TEST(what_is_one_surface_hangs_together);
    RUN_TEST(a_volume_is_filled_evenly);
    RUN_TEST(a_count_is_met_exactly);
    RUN_TEST(points_turn_with_the_shape);
}
