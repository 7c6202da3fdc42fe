// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

#include <string.h>

// Cut planes on shapes whose particle mesh can be worked out by hand.

#define TAU 6.283185307179586

static hemc_d3 cylinder(double u, double v) { // radius 0.3, height 0.8
    return d3(0.3 * cos(TAU * u), 0.8 * v, 0.3 * sin(TAU * u));
}

TEST a_cylinder_gets_equal_closed_rings(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06);
    gen_grid(&kit, 64, 20, cylinder, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    // Height 0.8 / 0.06 = 13.3 gaps, so 14 levels; girth 1.885 / 0.06 = 31.4, so 32 columns.
    ASSERT_EQ(14u, p->level_count);
    ASSERT_EQ(14u * 32u, p->count);
    ASSERT_EQ(14u * 32u + 13u * 32u, p->link_count);
    gen_quality q = gen_measure(&kit);
    ASSERT_EQ(q.inner, q.regular);
    ASSERT_EQ(1u, q.pieces);
    ASSERT_EQ(0u, q.wrong);
    double sagitta = 0.3 * (1.0 - cos(TAU / 128.0));
    for (uint32_t i = 0; i < p->count; ++i) {
        hemc_d3 a = d3_from(p->positions[i]);
        ASSERT(sqrt(a.x * a.x + a.z * a.z) <= 0.3 + 1e-6);
        ASSERT(sqrt(a.x * a.x + a.z * a.z) >= 0.3 - sagitta - 1e-6);
        ASSERT_IN_RANGE(0.8 / 13.0 * p->level[i], a.y, 0.002);
        // Columns are upright: the same number, the same direction.
        for (uint32_t j = 0; j < i; ++j) {
            if (p->column[i] == p->column[j]) {
                hemc_d3 b = d3_from(p->positions[j]);
                ASSERT(d3_distance(d3(a.x, 0, a.z), d3(b.x, 0, b.z)) < 0.002);
            }
        }
    }
    for (size_t k = 0; k < p->link_count; ++k) {
        double d = d3_distance(d3_from(p->positions[p->links[k].a]), d3_from(p->positions[p->links[k].b]));
        double wanted = p->links[k].kind == HEM_LINK_WEFT ? 0.6 * sin(TAU / 64.0) : 0.8 / 13.0;
        ASSERT_IN_RANGE(wanted, d, 0.002);
    }
    gen_end(&kit);
    PASS();
}

static hemc_d3 cone(double u, double v) { // 45 degrees
    double r = 0.2 + 0.5 * (1.0 - v);
    return d3(r * cos(TAU * u), 0.5 * v, r * sin(TAU * u));
}

TEST levels_on_a_slope_are_one_spacing_apart_along_it(void) {
    gen_kit kit;
    gen_begin(&kit, 0.05);
    gen_grid(&kit, 96, 20, cone, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    // Slant length sqrt(1/2) = 0.7071: 14 gaps of 0.0505.
    ASSERT_EQ(15u, p->level_count);
    for (uint32_t i = 0; i < p->count; ++i) {
        ASSERT_IN_RANGE(0.5 / 14.0 * p->level[i], p->positions[i].y, 0.002);
    }
    gen_quality q = gen_measure(&kit);
    ASSERT_EQ(0u, q.loose);
    ASSERT_EQ(1u, q.pieces);
    ASSERT(q.regular >= 0.9 * q.inner);
    ASSERT(q.nearest >= 0.62);
    gen_end(&kit);
    PASS();
}

static hemc_d3 sheet(double u, double v) {
    return d3(0.5 * u, 1.0 * v, 0.0);
}

TEST a_sheet_gets_rows_and_columns_that_reach_its_borders(void) {
    gen_kit kit;
    gen_begin(&kit, 0.07);
    gen_grid(&kit, 9, 13, sheet, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    ASSERT_EQ(15u, p->level_count); // 1 / 0.07 = 14.3 gaps
    ASSERT_EQ(15u * 8u, p->count);  // 0.5 / 0.07 = 7.1 gaps
    ASSERT_EQ(15u * 7u + 14u * 8u, p->link_count);
    double low = 1e30, high = -1e30, left = 1e30, right = -1e30;
    for (uint32_t i = 0; i < p->count; ++i) {
        hemc_vec3 a = p->positions[i];
        low = a.y < low ? a.y : low, high = a.y > high ? a.y : high;
        left = a.x < left ? a.x : left, right = a.x > right ? a.x : right;
    }
    ASSERT_IN_RANGE(0.0, left, 1e-6);
    ASSERT_IN_RANGE(0.5, right, 1e-6);
    ASSERT_IN_RANGE(0.0, low, 0.001);
    ASSERT_IN_RANGE(1.0, high, 0.001);
    gen_end(&kit);
    PASS();
}

TEST a_given_axis_is_used(void) {
    gen_kit kit;
    gen_begin(&kit, 0.07);
    kit.part.axis_auto = false;
    kit.part.axis[0] = 2.0f;
    gen_grid(&kit, 9, 13, sheet, false, 0);
    ASSERT(gen_run(&kit));
    ASSERT_EQ(8u, kit.particles.level_count);
    for (uint32_t i = 0; i < kit.particles.count; ++i) {
        ASSERT_IN_RANGE(0.5 / 7.0 * kit.particles.level[i], kit.particles.positions[i].x, 0.001);
    }
    gen_end(&kit);
    PASS();
}

static hemc_d3 sleeve(double u, double v) {
    return d3(0.6 * v, 0.08 * cos(TAU * u), 0.08 * sin(TAU * u));
}
static hemc_d3 short_skirt(double u, double v) { // far wider than high
    return d3(0.5 * cos(TAU * u), 0.3 * v, 0.4 * sin(TAU * u));
}
static hemc_d3 carpet(double u, double v) {
    return d3(1.5 * u, 0.0, 0.6 * v);
}

TEST the_axis_follows_the_shape(void) {
    const gen_formula formulas[] = {sleeve, short_skirt, carpet};
    const hemc_d3 wanted[] = {{1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        gen_kit kit;
        gen_begin(&kit, 0.05);
        gen_grid(&kit, 32, 16, formulas[i], false, 0);
        ASSERT(gen_run(&kit));
        hemc_d3 axis = hemc_cut_axis(&kit.part, &kit.surface);
        ASSERT(fabs(d3_dot(axis, wanted[i])) > 0.999);
        gen_quality q = gen_measure(&kit);
        ASSERT(q.regular >= 0.99 * q.inner);
        gen_end(&kit);
    }
    PASS();
}

static hemc_d3 box_side(double u, double v) { // once around a slab 0.6 x 0.02
    double s = u * 1.24;
    double x = s < 0.6 ? s : s < 0.62 ? 0.6 : s < 1.22 ? 1.22 - s : 0.0;
    double z = s < 0.6 ? 0.0 : s < 0.62 ? s - 0.6 : s < 1.22 ? 0.02 : 1.24 - s;
    return d3(x, v * 0.9, z);
}

TEST a_two_sided_slab_gets_one_layer_in_its_middle(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06);
    gen_grid(&kit, 62, 18, box_side, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    ASSERT_EQ(16u, p->level_count);
    ASSERT_IN_RANGE(11.0 * 16.0, (double)p->count, 16.0);
    for (uint32_t i = 0; i < p->count; ++i) {
        ASSERT(p->positions[i].z > -1e-6 && p->positions[i].z < 0.02 + 1e-6);
        if (p->positions[i].x > 0.03 && p->positions[i].x < 0.57) {
            ASSERT_IN_RANGE(0.01, p->positions[i].z, 1e-5);
        }
    }
    gen_quality q = gen_measure(&kit);
    ASSERT_EQ(q.inner, q.regular);
    ASSERT(q.nearest >= 0.62);
    gen_end(&kit);
    PASS();
}

static hemc_d3 lining(double u, double v) {
    hemc_d3 p = cylinder(u, v);
    return d3(p.x * 0.95, p.y, p.z * 0.95);
}
static hemc_d3 near_sheet(double u, double v) {
    hemc_d3 p = sheet(u, v);
    return d3(p.x, p.y, 0.02 + 0.01 * sin(9.0 * u));
}

TEST linings_and_sheets_on_sheets_are_one_layer(void) {
    gen_kit one, two;
    gen_begin(&one, 0.06);
    gen_grid(&one, 64, 20, cylinder, false, 0);
    ASSERT(gen_run(&one));
    gen_begin(&two, 0.06);
    gen_grid(&two, 64, 20, lining, true, 0);
    gen_grid(&two, 64, 20, cylinder, false, 0);
    ASSERT(gen_run(&two));
    ASSERT_EQ(one.particles.count, two.particles.count);
    for (uint32_t i = 0; i < two.particles.count; ++i) {
        hemc_vec3 p = two.particles.positions[i];
        ASSERT(sqrt(p.x * p.x + p.z * p.z) > 0.295); // the outer one is longer and wins
    }
    gen_end(&one);
    gen_end(&two);
    gen_begin(&two, 0.07);
    gen_grid(&two, 9, 13, sheet, false, 0);
    gen_grid(&two, 9, 13, near_sheet, true, 0);
    ASSERT(gen_run(&two));
    ASSERT_EQ(15u * 8u, two.particles.count);
    gen_end(&two);
    PASS();
}

static hemc_d3 flared(double u, double v) {
    double r = 0.14 + 0.3 * (1.0 - v) + 0.02 * sin(TAU * 9.0 * u) * (1.0 - v);
    return d3(r * cos(TAU * u), 0.7 * v, r * sin(TAU * u));
}
static hemc_d3 cape(double u, double v) {
    double w = 0.25 + 0.35 * (1.0 - v), a = 2.6 * (u - 0.5);
    return d3(w * sin(a), 1.2 * v, -0.6 * w * cos(a) - 0.25 * (1.0 - v) * (1.0 - v));
}

TEST capes_and_skirts_are_quads(void) {
    const gen_formula formulas[] = {flared, cape};
    for (int i = 0; i < 2; ++i) {
        gen_kit kit;
        gen_begin(&kit, 0.055);
        gen_grid(&kit, 90, 24, formulas[i], false, 0);
        ASSERT(gen_run(&kit));
        gen_quality q = gen_measure(&kit);
        ASSERT_EQ(0u, q.loose);
        ASSERT_EQ(1u, q.pieces);
        ASSERT_EQ(0u, q.wrong);
        ASSERT(q.inner > 150);
        ASSERT(q.regular >= 0.9 * q.inner);
        ASSERT(q.nearest >= 0.62);
        ASSERT(q.longest <= 1.75);
        gen_end(&kit);
    }
    PASS();
}

// Inner particles by what the formula says, whatever the links: all but two levels of a tube, and no side of a sheet.
TEST regularity_counts_what_the_surface_surrounds(void) {
    const gen_formula formulas[] = {cylinder, sheet};
    for (int i = 0; i < 2; ++i) {
        gen_kit kit;
        gen_begin(&kit, 0.05);
        gen_grid(&kit, 64, 20, formulas[i], false, 0);
        ASSERT(gen_run(&kit));
        hemc_particles* p = &kit.particles;
        const uint32_t columns = p->count / p->level_count;
        ASSERT_EQ(p->count, columns * p->level_count);
        const uint32_t inner = (columns - (i == 0 ? 0 : 2)) * (p->level_count - 2);
        hemc_regularity r = hemc_measure_regularity(kit.arena, p);
        ASSERT_EQ(inner, r.inner);
        ASSERT_EQ(inner, r.regular);
        // A hole in the net is not a border: one link less spoils its two ends.
        for (size_t k = 0; k < p->link_count; ++k) {
            const uint32_t a = p->links[k].a, b = p->links[k].b;
            if (!p->border[a] && !p->border[b]) {
                p->links[k] = p->links[--p->link_count];
                break;
            }
        }
        r = hemc_measure_regularity(kit.arena, p);
        ASSERT_EQ(inner, r.inner);
        ASSERT_EQ(inner - 2, r.regular);
        gen_end(&kit);
    }
    PASS();
}

static hemc_d3 skirt_alone(double u, double v) {
    return d3(0.3 * cos(TAU * u), 0.6 * v, 0.3 * sin(TAU * u));
}
// Close to the skirt all round but for one side, where it stands off by more than a layer may.
static hemc_d3 loose_lining(double u, double v) {
    double r = 0.3 - 0.01 - (cos(TAU * u) > 0.0 ? 0.05 * cos(TAU * u) : 0.0);
    return d3(r * cos(TAU * u), 0.6 * v, r * sin(TAU * u));
}

TEST a_lining_that_stands_off_on_one_side_is_still_no_second_layer(void) {
    uint32_t counts[2];
    for (int i = 0; i < 2; ++i) {
        gen_kit kit;
        gen_begin(&kit, 0.05);
        gen_grid(&kit, 64, 12, skirt_alone, false, 0);
        if (i == 1) {
            gen_grid(&kit, 64, 12, loose_lining, true, 0);
        }
        ASSERT(gen_run(&kit));
        counts[i] = kit.particles.count;
        gen_end(&kit);
    }
    ASSERT_EQ(counts[0], counts[1]);
    PASS();
}

static hemc_d3 waisted(double u, double v) { // the last ring is a third shorter than the hem
    double r = 0.3 - 0.108 * v * v * v;
    return d3(r * cos(TAU * u), 0.6 * v, r * sin(TAU * u));
}

TEST a_narrow_waist_keeps_its_columns(void) {
    gen_kit kit;
    gen_begin(&kit, 0.055);
    gen_grid(&kit, 96, 24, waisted, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    uint32_t levels[64] = {0};
    for (uint32_t i = 0; i < p->count; ++i) {
        ++levels[p->level[i]];
    }
    for (uint32_t l = 1; l < p->level_count; ++l) {
        ASSERT_EQ(levels[0], levels[l]);
    }
    gen_end(&kit);
    PASS();
}

// Each ring of a skirt is one cycle: as many weft links as particles, two at each.
TEST skirts_close(void) {
    gen_kit kit;
    gen_begin(&kit, 0.055);
    gen_grid(&kit, 90, 24, flared, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    uint32_t* degree = hemc_alloc(kit.arena, p->count, sizeof *degree);
    for (size_t k = 0; k < p->link_count; ++k) {
        if (p->links[k].kind == HEM_LINK_WEFT) {
            ++degree[p->links[k].a];
            ++degree[p->links[k].b];
        }
    }
    uint32_t levels[64] = {0};
    for (uint32_t i = 0; i < p->count; ++i) {
        ASSERT_EQ(2u, degree[i]);
        ++levels[p->level[i]];
    }
    ASSERT_EQ(0u, levels[0] % 8u); // eight lanes
    for (uint32_t l = 0; l < p->level_count; ++l) {
        ASSERT(levels[l] == levels[0] || levels[l] * 2 == levels[0]);
    }
    gen_end(&kit);
    PASS();
}

TEST a_column_is_on_a_level_once_and_columns_run_in_order(void) {
    gen_kit kit;
    gen_begin(&kit, 0.055);
    gen_grid(&kit, 90, 24, cape, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    for (uint32_t i = 1; i < p->count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            ASSERT(p->level[i] != p->level[j] || p->column[i] != p->column[j]);
        }
    }
    uint32_t growing = 0, falling = 0;
    for (size_t k = 0; k < p->link_count; ++k) {
        if (p->links[k].kind == HEM_LINK_WEFT) {
            // x grows with u, so numbers grow or fall with x, the same way everywhere.
            float step = p->positions[p->links[k].b].x - p->positions[p->links[k].a].x;
            bool with_x = (step > 0.0f) == (p->column[p->links[k].b] > p->column[p->links[k].a]);
            growing += with_x;
            falling += !with_x;
        }
    }
    ASSERT(growing == 0 || falling == 0);
    gen_end(&kit);
    PASS();
}

TEST counts_are_met_within_five_percent(void) {
    const gen_formula formulas[] = {cylinder, flared, cape, sheet};
    const uint32_t targets[] = {60, 150, 380, 1000};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            gen_kit kit;
            gen_begin(&kit, 0.0);
            kit.part.particle_target = targets[j];
            gen_grid(&kit, 60, 20, formulas[i], false, 0);
            ASSERT(gen_run(&kit));
            ASSERT_IN_RANGE((double)targets[j], (double)kit.particles.count, 0.05 * targets[j]);
            ASSERT_EQ(0, kit.log.warning_count);
            gen_end(&kit);
        }
    }
    PASS();
}

// Every triangle that a plane crosses stands in the plane's bin, in ascending order, and bins are not much larger than that.
TEST a_survey_knows_what_a_plane_crosses(void) {
    gen_kit kit;
    gen_begin(&kit, 0.05);
    gen_grid(&kit, 60, 40, flared, false, 0);
    gen_grid(&kit, 3, 1, sheet, false, 0); // and a few that reach from end to end
    ASSERT(gen_run(&kit));
    hemc_survey s;
    hemc_survey_make(kit.arena, &kit.surface, d3_unit(d3(0.2, 1.0, -0.1), d3(0, 1, 0)), &s);
    ASSERT(s.bin_count > 40 && s.bin_start[s.bin_count] <= 6 * kit.surface.triangle_count);
    for (int i = 0; i <= 200; ++i) {
        double z = s.low + s.extent * i / 200.0, bin = (z - s.low) / s.extent * s.bin_count;
        uint32_t k = bin < s.bin_count ? (uint32_t)bin : s.bin_count - 1, at = s.bin_start[k];
        for (uint32_t t = 0; t < kit.surface.triangle_count; ++t) {
            if (s.range[t][0] <= z && z <= s.range[t][1]) {
                while (at < s.bin_start[k + 1] && s.bin_triangles[at] < t) {
                    ++at;
                }
                ASSERT(at < s.bin_start[k + 1] && s.bin_triangles[at] == t);
            }
        }
    }
    gen_end(&kit);
    PASS();
}

TEST without_a_spacing_a_few_hundred_particles_come_out(void) {
    gen_kit kit;
    gen_begin(&kit, 0.0);
    gen_grid(&kit, 60, 20, cape, false, 0);
    ASSERT(gen_run(&kit));
    ASSERT(kit.particles.count > 200 && kit.particles.count < 450);
    ASSERT_IN_RANGE(0.5 * kit.particles.spacing, kit.particles.radius, 1e-6);
    gen_end(&kit);
    PASS();
}

void gen_cut_tests(void) {
    RUN_TEST(a_cylinder_gets_equal_closed_rings);
    RUN_TEST(levels_on_a_slope_are_one_spacing_apart_along_it);
    RUN_TEST(a_sheet_gets_rows_and_columns_that_reach_its_borders);
    RUN_TEST(a_given_axis_is_used);
    RUN_TEST(the_axis_follows_the_shape);
    RUN_TEST(a_two_sided_slab_gets_one_layer_in_its_middle);
    RUN_TEST(linings_and_sheets_on_sheets_are_one_layer);
    RUN_TEST(capes_and_skirts_are_quads);
    RUN_TEST(regularity_counts_what_the_surface_surrounds);
    RUN_TEST(a_lining_that_stands_off_on_one_side_is_still_no_second_layer);
    RUN_TEST(a_narrow_waist_keeps_its_columns);
    RUN_TEST(skirts_close);
    RUN_TEST(a_column_is_on_a_level_once_and_columns_run_in_order);
    RUN_TEST(counts_are_met_within_five_percent);
    RUN_TEST(a_survey_knows_what_a_plane_crosses);
    RUN_TEST(without_a_spacing_a_few_hundred_particles_come_out);
}
