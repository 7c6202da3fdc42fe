// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

#include <string.h>

// Cut planes on meshes that no one cleaned up: soups, fins, doubles, branches, crumbs.

#define TAU 6.283185307179586

static hemc_d3 cylinder(double u, double v) {
    return d3(0.3 * cos(TAU * u), 0.8 * v, 0.3 * sin(TAU * u));
}

// Every triangle on its own, shrunk a little: no two share a vertex or an edge.
static void explode(gen_kit* kit, double size) {
    uint32_t count = kit->model.triangle_count;
    for (uint32_t t = 0; t < count; ++t) {
        hemc_d3 p[3];
        for (int c = 0; c < 3; ++c) {
            p[c] = d3_from(kit->model.positions[kit->model.triangles[3 * t + (uint32_t)c]]);
        }
        hemc_d3 middle = d3_scale(d3_add(d3_add(p[0], p[1]), p[2]), 1.0 / 3.0);
        for (int c = 0; c < 3; ++c) {
            kit->model.triangles[3 * t + (uint32_t)c] = gen_vertex(kit, d3_lerp(middle, p[c], size));
        }
    }
}

TEST a_soup_gives_what_the_clean_mesh_gives(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06);
    gen_grid(&kit, 64, 20, cylinder, false, 0);
    explode(&kit, 0.97);
    ASSERT(gen_run(&kit));
    ASSERT_EQ(14u * 32u, kit.particles.count);
    gen_quality q = gen_measure(&kit);
    ASSERT_EQ(0u, q.loose);
    ASSERT_EQ(1u, q.pieces);
    ASSERT(q.regular >= 0.95 * q.inner);
    gen_end(&kit);
    PASS();
}

TEST doubled_and_degenerate_triangles_change_nothing(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06);
    gen_grid(&kit, 64, 20, cylinder, false, 0);
    uint32_t count = kit.model.triangle_count;
    for (uint32_t t = 0; t < count; t += 3) {
        uint32_t a = kit.model.triangles[3 * t], b = kit.model.triangles[3 * t + 1], c = kit.model.triangles[3 * t + 2];
        gen_triangle(&kit, a, c, b, 0); // the back side
        gen_triangle(&kit, a, a, b, 0);
        gen_triangle(&kit, b, c, b, 0);
    }
    ASSERT(gen_run(&kit));
    ASSERT_EQ(14u * 32u, kit.particles.count);
    gen_quality q = gen_measure(&kit);
    ASSERT_EQ(q.inner, q.regular);
    gen_end(&kit);
    PASS();
}

static hemc_d3 sheet(double u, double v) {
    return d3(0.8 * u - 0.4, 0.9 * v, 0.0);
}
static hemc_d3 fin(double u, double v) { // stands on the sheet's middle column: three triangles share each edge
    return d3(0.0, 0.9 * v, 0.4 * u);
}

TEST a_fin_on_a_sheet_hangs_together(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06);
    gen_grid(&kit, 16, 18, sheet, false, 0);
    gen_grid(&kit, 8, 18, fin, false, 0);
    ASSERT(gen_run(&kit));
    gen_quality q = gen_measure(&kit);
    ASSERT_EQ(0u, q.loose);
    ASSERT_EQ(1u, q.pieces);
    ASSERT(q.nearest >= 0.66);
    ASSERT(kit.particles.count > 16 * 18 && kit.particles.count < 16 * 24);
    gen_end(&kit);
    PASS();
}

// A panel that hangs beside the sheet, 0.9 spacings away, and ends halfway down: near enough for links, but through air.
static hemc_d3 beside(double u, double v) {
    return d3(0.4 * u - 0.2, 0.45 + 0.45 * v, 0.9 * 0.06);
}

TEST nothing_is_linked_across_a_gap(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06);
    gen_grid(&kit, 16, 18, sheet, false, 0);
    gen_grid(&kit, 8, 9, beside, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    uint32_t hanging = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        hanging += p->positions[i].z > 0.03f;
    }
    ASSERT(hanging > 40);
    for (size_t k = 0; k < p->link_count; ++k) {
        ASSERT_EQ(p->positions[p->links[k].a].z > 0.03f, p->positions[p->links[k].b].z > 0.03f);
    }
    gen_end(&kit);
    PASS();
}

static hemc_d3 trunk(double u, double v) {
    return d3(0.3 * cos(TAU * u), 0.5 + 0.5 * v, 0.2 * sin(TAU * u));
}
static hemc_d3 left_leg(double u, double v) {
    return d3(-0.155 + 0.145 * cos(TAU * u), 0.5 * v, (0.1 + 0.1 * v) * sin(TAU * u));
}
static hemc_d3 right_leg(double u, double v) {
    hemc_d3 p = left_leg(u, v);
    return d3(p.x + 0.31, p.y, p.z);
}

TEST branches_are_linked_to_the_trunk(void) {
    gen_kit kit;
    gen_begin(&kit, 0.05);
    gen_grid(&kit, 48, 16, left_leg, false, 0);
    gen_grid(&kit, 48, 16, right_leg, false, 0);
    gen_grid(&kit, 64, 16, trunk, false, 0);
    ASSERT(gen_run(&kit));
    gen_quality q = gen_measure(&kit);
    ASSERT_EQ(0u, q.loose);
    ASSERT_EQ(1u, q.pieces);
    ASSERT_EQ(0u, q.wrong);
    ASSERT(q.regular >= 0.85 * q.inner);
    gen_end(&kit);
    PASS();
}

static hemc_d3 crumb(double u, double v) {
    return d3(0.02 * u, 0.03 * v, 0.0);
}

TEST a_part_smaller_than_its_spacing_gets_a_handful(void) {
    gen_kit kit;
    gen_begin(&kit, 0.1);
    gen_grid(&kit, 3, 3, crumb, false, 0);
    ASSERT(gen_run(&kit));
    ASSERT(kit.particles.count >= 6);
    ASSERT(kit.particles.count < 40);
    ASSERT_EQ(1u, gen_measure(&kit).pieces);
    gen_end(&kit);
    PASS();
}

TEST one_triangle_is_enough(void) {
    gen_kit kit;
    gen_begin(&kit, 0.05);
    gen_triangle(&kit, gen_vertex(&kit, d3(0, 0, 0)), gen_vertex(&kit, d3(0.3, 0, 0)),
                 gen_vertex(&kit, d3(0, 0.4, 0.1)), 0);
    ASSERT(gen_run(&kit));
    ASSERT(kit.particles.count >= 6);
    ASSERT_EQ(0u, gen_measure(&kit).loose);
    gen_end(&kit);
    PASS();
}

TEST impossible_requests_are_refused_by_name(void) {
    gen_kit kit;
    gen_begin(&kit, 0.0001);
    gen_grid(&kit, 16, 18, sheet, false, 0);
    ASSERT_FALSE(gen_run(&kit));
    ASSERT_EQ(HEMC_INPUT, kit.log.exit_code);
    ASSERT(strstr(kit.log.messages[0].text, "spacing"));
    ASSERT(strstr(kit.log.messages[0].text, "part"));
    gen_end(&kit);
    gen_begin(&kit, 0.05);
    gen_triangle(&kit, gen_vertex(&kit, d3(0, 0, 0)), gen_vertex(&kit, d3(1, 0, 0)), gen_vertex(&kit, d3(2, 0, 0)), 0);
    ASSERT_FALSE(gen_run(&kit));
    ASSERT_EQ(HEMC_INPUT, kit.log.exit_code);
    gen_end(&kit);
    PASS();
}

// Pleats must not crowd particles: the row is measured after smoothing them away.
static hemc_d3 pleated(double u, double v) {
    double r = 0.3 + 0.01 * sin(TAU * 40.0 * u);
    return d3(r * cos(TAU * u), 0.6 * v, r * sin(TAU * u));
}

TEST pleats_finer_than_the_spacing_are_smoothed_away(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06);
    gen_grid(&kit, 400, 12, pleated, false, 0);
    ASSERT(gen_run(&kit));
    ASSERT_EQ(11u * 32u, kit.particles.count); // as on the smooth cylinder
    gen_end(&kit);
    PASS();
}

// A slit skirt stays open: the two lips of the slit are not sewn together.
static hemc_d3 slit(double u, double v) {
    double a = 0.05 + (TAU - 0.1) * u;
    return d3(0.3 * cos(a), 0.6 * v, 0.3 * sin(a));
}

TEST a_slit_stays_open(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06); // the slit is half a spacing wide
    gen_grid(&kit, 64, 12, slit, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    uint32_t across = 0;
    for (size_t k = 0; k < p->link_count; ++k) {
        hemc_vec3 a = p->positions[p->links[k].a], b = p->positions[p->links[k].b];
        across += a.x > 0.2f && b.x > 0.2f && (a.z > 0.0f) != (b.z > 0.0f);
    }
    ASSERT_EQ(0u, across);
    gen_end(&kit);
    PASS();
}

// Two lobes joined by a neck a third of a spacing wide: one loop, but the neck's two sides are too close for two rows.
static hemc_d3 dumbbell(double u, double v) {
    double a = TAU * u, x = 0.5 * cos(a);
    double bulge = fabs(x) > 0.25 ? 0.1 * sin((fabs(x) - 0.25) * 4.0 * 0.5 * TAU) : 0.0;
    double z = 0.01 + bulge;
    return d3(x, 0.6 * v, (sin(a) >= 0.0 ? z : -z) * (fabs(sin(a)) < 0.05 ? fabs(sin(a)) * 20.0 : 1.0));
}

TEST no_two_particles_of_a_level_crowd_each_other(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06);
    gen_grid(&kit, 240, 12, dumbbell, false, 0);
    ASSERT(gen_run(&kit));
    gen_quality q = gen_measure(&kit);
    ASSERT(q.nearest >= 0.66);
    ASSERT_EQ(0u, q.loose);
    ASSERT_EQ(1u, q.pieces);
    gen_end(&kit);
    PASS();
}

static hemc_d3 funnel(double u, double v) { // opens upwards, far enough for columns to be added and to end
    double r = 0.1 + 0.5 * v;
    return d3(r * cos(TAU * u), 0.5 * v, r * sin(TAU * u));
}
static hemc_d3 bell(double u, double v) {
    double r = 0.6 - 0.5 * v;
    return d3(r * cos(TAU * u), 0.5 * v, r * sin(TAU * u));
}

TEST every_particle_is_held_from_above_and_from_below(void) {
    const gen_formula formulas[] = {funnel, bell};
    for (int f = 0; f < 2; ++f) {
        gen_kit kit;
        gen_begin(&kit, 0.05);
        gen_grid(&kit, 96, 20, formulas[f], false, 0);
        ASSERT(gen_run(&kit));
        const hemc_particles* p = &kit.particles;
        uint8_t(*held)[2] = hemc_alloc(kit.arena, p->count, sizeof *held);
        for (size_t k = 0; k < p->link_count; ++k) {
            if (p->links[k].kind == HEM_LINK_WARP) {
                uint32_t a = p->links[k].a, b = p->links[k].b;
                held[a][p->level[b] > p->level[a]] = 1;
                held[b][p->level[a] > p->level[b]] = 1;
            }
        }
        for (uint32_t i = 0; i < p->count; ++i) {
            ASSERT(held[i][0] || p->level[i] == 0);
            ASSERT(held[i][1] || p->level[i] + 1 == (int32_t)p->level_count);
        }
        gen_end(&kit);
    }
    PASS();
}

void gen_cut_rough_tests(void) {
    RUN_TEST(no_two_particles_of_a_level_crowd_each_other);
    RUN_TEST(every_particle_is_held_from_above_and_from_below);
    RUN_TEST(a_soup_gives_what_the_clean_mesh_gives);
    RUN_TEST(doubled_and_degenerate_triangles_change_nothing);
    RUN_TEST(a_fin_on_a_sheet_hangs_together);
    RUN_TEST(nothing_is_linked_across_a_gap);
    RUN_TEST(branches_are_linked_to_the_trunk);
    RUN_TEST(a_part_smaller_than_its_spacing_gets_a_handful);
    RUN_TEST(one_triangle_is_enough);
    RUN_TEST(impossible_requests_are_refused_by_name);
    RUN_TEST(pleats_finer_than_the_spacing_are_smoothed_away);
    RUN_TEST(a_slit_stays_open);
}
