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

// A tube of cloth, radius 0.3, whose upper end is turned in and down again, as a waistband is.
static hemc_d3 turned_in(double u, double v) {
    const double a = TAU * u, y = v < 0.8 ? v / 0.8 : 1.0 - 0.4 * (v - 0.8) / 0.2, r = v < 0.8 ? 0.3 : 0.28;
    return d3(r * cos(a), 0.8 * y, -r * sin(a));
}

TEST cloth_has_one_outer_side(void) {
    gen_kit kit;
    gen_begin(&kit, 0.1);
    gen_grid(&kit, 48, 40, turned_in, false, 0);
    ASSERT(fit(&kit));
    const hemc_particles* p = &kit.particles;
    for (size_t k = 0; k < p->link_count; ++k) {
        ASSERT(d3_dot(d3_from(p->normals[p->links[k].a]), d3_from(p->normals[p->links[k].b])) > 0.0);
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        const hemc_d3 axis = hemc_quat_axis(p->rotation[i], 0);
        ASSERT(d3_distance(axis, d3_from(p->normals[i])) < 1e-5);
        ASSERT(axis.x * p->positions[i].x + axis.z * p->positions[i].z > 0.0); // away from the tube's middle
    }
    gen_end(&kit);
    PASS();
}

// What the air acts on does not depend on radius or spacing: together it is the surface, of a cloth with two sides one.
TEST areas_are_those_of_the_surface(void) {
    const double spacings[] = {0.05, 0.08, 0.13};
    for (int i = 0; i < 3; ++i) {
        double sums[2] = {0, 0}, least = 1e9;
        for (int wide = 0; wide < 2; ++wide) {
            gen_kit kit;
            gen_begin(&kit, spacings[i]);
            kit.part.density = 0.3f;
            kit.part.radius = wide ? (float)spacings[i] * 2 : 0;
            gen_grid(&kit, 10, 12, sheet, false, 0);
            ASSERT(fit(&kit));
            for (uint32_t k = 0; k < kit.particles.count; ++k) {
                sums[wide] += (double)kit.particles.area[k];
                least = fmin(least, (double)kit.particles.area[k]);
            }
            ASSERT_IN_RANGE(0.8, sums[wide], 0.004); // square metres
            gen_end(&kit);
        }
        ASSERT_IN_RANGE(sums[0], sums[1], 1e-5);
        ASSERT(least > 0.05 * spacings[i] * spacings[i]);
    }
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

// A lock 2 cm wide at its root that ends in a point.
static hemc_d3 lock(double u, double v) {
    return d3(0.02 * (1.0 - 0.9 * v) * (u - 0.5), 1.5 - 0.4 * v, 0.0);
}

// Each particle of a strand weighs its ellipsoid: what is thinner weighs less, whatever the spacing.
TEST a_strand_weighs_its_ellipsoids(void) {
    gen_kit kit;
    gen_begin(&kit, 0.0);
    kit.part.generator = HEMC_STRANDS;
    kit.part.kind = HEM_PART_SOFT;
    kit.part.segment_count = 12;
    kit.part.density = 500.0f;
    gen_grid(&kit, 4, 60, lock, false, 0);
    ASSERT(fit(&kit));
    const hemc_particles* p = &kit.particles;
    ASSERT_EQ(12u, p->count);
    double volume = 0.0;
    for (uint32_t i = 0; i < p->count; ++i) {
        volume += TAU * 2.0 / 3.0 * p->radii[i][0] * p->radii[i][1] * p->radii[i][2];
    }
    ASSERT_IN_RANGE(500.0 * volume, total_mass(p), 1e-6 * 500.0 * volume);
    for (uint32_t i = 0; i < p->count; ++i) {
        const double own = TAU * 2.0 / 3.0 * p->radii[i][0] * p->radii[i][1] * p->radii[i][2];
        if (own > 0.3 * volume / p->count) { // the lightest are raised
            ASSERT_IN_RANGE(500.0 * own, p->mass[i], 0.02 * 500.0 * own);
        }
    }
    gen_end(&kit);
    PASS();
}

// Cloth on a ball: its particles at the distance that was worked out, a cell's diagonal between them. The middle of that chord
// must lie on the ball, neither in it nor above; on a sharp edge, between two faces at right angles.
TEST a_chord_of_the_thickness_touches_what_it_lies_on(void) {
    const float radii[4] = {0.0f, 0.03f, 0.2f, 2.0f};
    for (int i = 0; i < 4; ++i) {
        gen_kit kit;
        gen_begin(&kit, 0.05);
        gen_grid(&kit, 20, 20, sheet, false, 0);
        ASSERT(fit(&kit));
        hemc_collider_recipe collider;
        memset(&collider, 0, sizeof collider);
        collider.kind = radii[i] > 0 ? HEM_SHAPE_SPHERE : HEM_SHAPE_BOX;
        collider.size[0] = radii[i];
        hemc_recipe recipe;
        memset(&recipe, 0, sizeof recipe);
        recipe.parts = &kit.part;
        recipe.part_count = 1;
        recipe.colliders = &collider;
        recipe.collider_count = 1;
        kit.part.tuning.collision_thickness = -1.0f;
        hemc_mesh mesh;
        hemc_particles none;
        memset(&none, 0, sizeof none);
        ASSERT(hemc_assemble(kit.arena, &kit.log, &kit.model, &recipe, &kit.particles, NULL, &mesh));
        hemc_work_out_thickness(kit.arena, &recipe, &kit.surface, &kit.particles, &none, &mesh);
        const double t = mesh.part_tunings[0].collision_thickness, s = kit.particles.spacing, r = radii[i];
        // Ends at r + t from the centre, sqrt(2) s apart: by Pythagoras the middle is at sqrt((r + t)^2 - s^2 / 2), to the
        // second order of s / (r + t).
        const double middle = (r + t) * (1 - s * s / (4 * (r + t) * (r + t)));
        if (t > 0.081 * s) { // not where the least thickness rules
            ASSERT_IN_RANGE(r, middle, 1e-4 * s);
        } else {
            ASSERT(middle >= r);
        }
        kit.part.tuning.collision_thickness = 0.0125f; // what the recipe says stays
        ASSERT(hemc_assemble(kit.arena, &kit.log, &kit.model, &recipe, &kit.particles, NULL, &mesh));
        hemc_work_out_thickness(kit.arena, &recipe, &kit.surface, &kit.particles, &none, &mesh);
        ASSERT_EQ(0.0125f, mesh.part_tunings[0].collision_thickness);
        gen_end(&kit);
    }
    PASS();
}

SUITE(fit_suite) {
    RUN_TEST(a_chord_of_the_thickness_touches_what_it_lies_on);
    RUN_TEST(a_sheet_gets_flat_discs_facing_out);
    RUN_TEST(every_ellipsoid_is_sound_and_faces_out);
    RUN_TEST(radii_follow_the_second_moments);
    RUN_TEST(cloth_weighs_area_times_density_and_borders_less);
    RUN_TEST(two_sides_weigh_as_one_cloth);
    RUN_TEST(cloth_has_one_outer_side);
    RUN_TEST(areas_are_those_of_the_surface);
    RUN_TEST(a_given_mass_is_shared_out);
    RUN_TEST(a_closed_soft_body_weighs_its_volume);
    RUN_TEST(a_strand_weighs_its_ellipsoids);
}
