// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"

#include "greatest.h"

#include <string.h>

// Ellipsoids and masses against closed formulas and plain numerical integration.

SUITE(fit_suite);

#define TAU 6.283185307179586

static hemc_d3 sheet(double u, double v) {
    return d3(0.8 * u, 1.0 * v, 0.0);
}

static bool fit(gen_kit* kit) {
    bool good = gen_run(kit);
    if (good) {
        hemc_fit(kit->arena, &kit->surface, &kit->part, &kit->particles);
    }
    return good;
}

TEST a_sheet_gets_flat_discs_facing_out(void) {
    gen_kit kit;
    gen_begin(&kit, 0.08);
    gen_grid(&kit, 10, 12, sheet, false, 0); // faces +z
    ASSERT(fit(&kit));
    const hemc_particles* p = &kit.particles;
    double r = p->radius;
    for (uint32_t i = 0; i < p->count; ++i) {
        ASSERT(d3_distance(hemc_quat_axis(p->rotation[i], 0), d3(0, 0, 1)) < 1e-3);
        ASSERT_IN_RANGE(0.5 * r, p->radii[i][0], 1e-6); // aspect two at most
        hemc_vec3 a = p->positions[i];
        if (a.x > 0.1f && a.x < 0.7f && a.y > 0.1f && a.y < 0.9f) {
            ASSERT_IN_RANGE(r, p->radii[i][1], 1e-6);
            ASSERT_IN_RANGE(r, p->radii[i][2], 1e-6);
            // Round discs are turned along the part's axis.
            ASSERT(d3_distance(hemc_quat_axis(p->rotation[i], 1), d3(0, 1, 0)) < 1e-3);
        }
    }
    gen_end(&kit);
    PASS();
}

static hemc_d3 ball(double u, double v) {
    double a = TAU * u, b = 0.5 * TAU * v;
    return d3(0.5 * sin(b) * cos(a), -0.5 * cos(b), 0.5 * sin(b) * sin(a));
}

TEST every_ellipsoid_is_sound_and_faces_out(void) {
    gen_kit kit;
    gen_begin(&kit, 0.1);
    kit.part.generator = HEMC_SCATTER;
    kit.part.kind = HEM_PART_SOFT;
    gen_grid(&kit, 48, 24, ball, true, 0);
    ASSERT(fit(&kit));
    const hemc_particles* p = &kit.particles;
    for (uint32_t i = 0; i < p->count; ++i) {
        hemc_d3 a = hemc_quat_axis(p->rotation[i], 0), b = hemc_quat_axis(p->rotation[i], 1);
        hemc_d3 c = hemc_quat_axis(p->rotation[i], 2);
        const float* q = p->rotation[i];
        ASSERT_IN_RANGE(1.0, (double)q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1e-5);
        ASSERT(d3_distance(d3_cross(a, b), c) < 1e-5);
        ASSERT(d3_dot(a, d3_scale(d3_from(p->positions[i]), 2.0)) > 0.97);
        double largest = 0.0;
        for (int k = 0; k < 3; ++k) {
            ASSERT(p->radii[i][k] >= 0.5f * p->radius - 1e-6f && p->radii[i][k] <= p->radius + 1e-6f);
            largest = p->radii[i][k] > largest ? p->radii[i][k] : largest;
        }
        ASSERT_IN_RANGE(p->radius, largest, 1e-6);
    }
    gen_end(&kit);
    PASS();
}

// A long strip narrower than the gathering radius: the ratio of the radii across and along follows from integrals over
// the disc of radius h cut off at half the strip's width, weighted by (1 - r^2/h^2)^2.
static hemc_d3 strip(double u, double v) {
    return d3(0.09 * (u - 0.5), 1.0 * v, 0.0);
}

TEST radii_follow_the_second_moments(void) {
    gen_kit kit;
    gen_begin(&kit, 0.1);
    kit.part.generator = HEMC_VERTICES;
    gen_triangle(&kit, gen_vertex(&kit, d3(9, 0, 0)), gen_vertex(&kit, d3(9.1, 0, 0)), gen_vertex(&kit, d3(9, 0.1, 0)),
                 1);
    gen_grid(&kit, 6, 60, strip, false, 0);
    ASSERT(gen_run(&kit));
    // One particle in the middle of the strip, spacing 0.1.
    memset(&kit.particles, 0, sizeof kit.particles);
    hemc_particles_add(kit.arena, &kit.particles, d3(0, 0.5, 0), d3(0, 0, 1), 0, 0);
    kit.particles.spacing = 0.1f;
    kit.particles.radius = 0.05f;
    hemc_fit(kit.arena, &kit.surface, &kit.part, &kit.particles);
    double xx = 0.0, yy = 0.0;
    for (int i = 0; i < 400; ++i) {
        for (int j = 0; j < 400; ++j) {
            double x = 0.09 * ((i + 0.5) / 400.0 - 0.5), y = 0.2 * ((j + 0.5) / 400.0 - 0.5);
            double fade = 1.0 - (x * x + y * y) / 0.01;
            double w = fade > 0.0 ? fade * fade : 0.0;
            xx += w * x * x;
            yy += w * y * y;
        }
    }
    double ratio = sqrt(xx / yy);
    ASSERT(ratio > 0.55 && ratio < 0.85); // neither clamped nor round
    ASSERT_IN_RANGE(0.05, kit.particles.radii[0][1], 1e-6);
    ASSERT_IN_RANGE(0.05 * ratio, kit.particles.radii[0][2], 0.03 * 0.05);
    ASSERT(fabs(hemc_quat_axis(kit.particles.rotation[0], 1).y) > 0.99);
    gen_end(&kit);
    PASS();
}

static double total_mass(const hemc_particles* p) {
    double sum = 0.0;
    for (uint32_t i = 0; i < p->count; ++i) {
        sum += p->mass[i];
    }
    return sum;
}

TEST cloth_weighs_area_times_density_and_borders_less(void) {
    gen_kit kit;
    gen_begin(&kit, 0.08);
    gen_grid(&kit, 10, 12, sheet, false, 0);
    ASSERT(fit(&kit));
    ASSERT_IN_RANGE(0.8 * 0.2, total_mass(&kit.particles), 1e-4);
    double corner = 1e30, inner = 0.0;
    for (uint32_t i = 0; i < kit.particles.count; ++i) {
        corner = kit.particles.mass[i] < corner ? kit.particles.mass[i] : corner;
        inner = kit.particles.mass[i] > inner ? kit.particles.mass[i] : inner;
    }
    ASSERT_IN_RANGE(0.25, corner / inner, 0.08); // a corner has a quarter of a cell
    gen_end(&kit);
    PASS();
}

static hemc_d3 back_sheet(double u, double v) {
    return d3(0.8 * u, 1.0 * v, -0.02);
}

TEST two_sides_weigh_as_one_cloth(void) {
    gen_kit kit;
    gen_begin(&kit, 0.08);
    gen_grid(&kit, 10, 12, sheet, false, 0);
    gen_grid(&kit, 10, 12, back_sheet, true, 0);
    ASSERT(fit(&kit));
    ASSERT_IN_RANGE(0.8 * 0.2, total_mass(&kit.particles), 0.002);
    gen_end(&kit);
    PASS();
}

TEST a_given_mass_is_shared_out(void) {
    gen_kit kit;
    gen_begin(&kit, 0.08);
    kit.part.mass = 3.0f;
    gen_grid(&kit, 10, 12, sheet, false, 0);
    ASSERT(fit(&kit));
    ASSERT_IN_RANGE(3.0, total_mass(&kit.particles), 1e-4);
    gen_end(&kit);
    PASS();
}

TEST a_closed_soft_body_weighs_its_volume(void) {
    for (int volume = 0; volume < 2; ++volume) {
        gen_kit kit;
        gen_begin(&kit, 0.12);
        kit.part.generator = HEMC_SCATTER;
        kit.part.kind = HEM_PART_SOFT;
        kit.part.volume = volume != 0;
        kit.part.density = 1000.0f;
        gen_grid(&kit, 96, 48, ball, true, 0);
        ASSERT(fit(&kit));
        ASSERT_IN_RANGE(1000.0 * TAU / 12.0, total_mass(&kit.particles), 5.0); // 4/3 pi 0.5^3, with facets
        gen_end(&kit);
    }
    PASS();
}

SUITE(fit_suite) {
    RUN_TEST(a_sheet_gets_flat_discs_facing_out);
    RUN_TEST(every_ellipsoid_is_sound_and_faces_out);
    RUN_TEST(radii_follow_the_second_moments);
    RUN_TEST(cloth_weighs_area_times_density_and_borders_less);
    RUN_TEST(two_sides_weigh_as_one_cloth);
    RUN_TEST(a_given_mass_is_shared_out);
    RUN_TEST(a_closed_soft_body_weighs_its_volume);
}
