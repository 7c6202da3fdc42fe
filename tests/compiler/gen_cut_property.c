// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

#include <string.h>

// Moving, turning, mirroring or scaling the input moves, turns, mirrors or scales the particles. Twice the same input, the
// same bits. The work grows no faster than n log n.

#define TAU 6.283185307179586

static hemc_d3 skirt(double u, double v) { // no symmetry at all
    double r = 0.16 + 0.25 * (1.0 - v) + 0.03 * sin(TAU * u + 0.3) + 0.02 * sin(3.0 * TAU * u) * (1.0 - v);
    return d3(r * cos(TAU * u), 0.7 * v, 0.8 * r * sin(TAU * u));
}
static hemc_d3 cape(double u, double v) {
    double w = 0.25 + 0.3 * (1.0 - v), a = 2.4 * (u - 0.45);
    return d3(w * sin(a), 1.2 * v, -0.6 * w * cos(a) - 0.2 * (1.0 - v) * (1.0 - v));
}
static hemc_d3 sleeve(double u, double v) { // long: the principal axis decides
    double r = 0.06 + 0.04 * (1.0 - v) + 0.008 * sin(TAU * u);
    return d3(r * cos(TAU * u) + 0.05 * v * v, 0.7 * v, r * sin(TAU * u));
}
static hemc_d3 thick(double u, double v) {
    double s = u * 1.24;
    double x = s < 0.6 ? s : s < 0.62 ? 0.6 : s < 1.22 ? 1.22 - s : 0.0;
    double z = s < 0.6 ? 0.0 : s < 0.62 ? s - 0.6 : s < 1.22 ? 0.02 : 1.24 - s;
    return d3(x * (1.3 - 0.3 * v), v * 0.9, z + 0.1 * x * x);
}

static hemc_d3 turn_y(hemc_d3 p) {
    return d3(0.6 * p.x + 0.8 * p.z + 3.0, p.y - 2.0, -0.8 * p.x + 0.6 * p.z + 1.0);
}
static hemc_d3 turn_any(hemc_d3 p) { // about (1, 1, 1), then x
    hemc_d3 q = d3(0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y, p.z);
    return d3(q.x, 0.8 * q.y - 0.6 * q.z, 0.6 * q.y + 0.8 * q.z);
}
static hemc_d3 mirror(hemc_d3 p) {
    return d3(-p.x, p.y, p.z);
}
static hemc_d3 enlarge(hemc_d3 p) {
    return d3_scale(p, 100.0);
}

static hemc_d3 (*moved_by)(hemc_d3);
static gen_formula moved_formula;
static hemc_d3 moved(double u, double v) {
    return moved_by(moved_formula(u, v));
}

static double moved_difference(gen_formula formula, hemc_d3 (*move)(hemc_d3), double scale, bool flip) {
    gen_kit a, b;
    gen_begin(&a, 0.05);
    gen_grid(&a, 70, 24, formula, false, 0);
    gen_begin(&b, 0.05 * scale);
    moved_by = move;
    moved_formula = formula;
    gen_grid(&b, 70, 24, moved, flip, 0);
    double difference = -1.0;
    if (gen_run(&a) && gen_run(&b)) {
        difference = gen_set_difference(&a.particles, &b.particles, move) / (0.05 * scale);
    }
    gen_end(&a);
    gen_end(&b);
    return difference;
}

TEST particles_move_with_the_input(void) {
    const gen_formula formulas[] = {skirt, cape, sleeve, thick};
    for (int i = 0; i < 4; ++i) {
        ASSERT_IN_RANGE(0.0, moved_difference(formulas[i], turn_y, 1.0, false), 0.01);
        ASSERT_IN_RANGE(0.0, moved_difference(formulas[i], enlarge, 100.0, false), 0.01);
        ASSERT_IN_RANGE(0.0, moved_difference(formulas[i], mirror, 1.0, false), 0.01);
        ASSERT_IN_RANGE(0.0, moved_difference(formulas[i], mirror, 1.0, true), 0.01);
    }
    PASS();
}

TEST a_long_part_may_lie_anyhow(void) {
    ASSERT_IN_RANGE(0.0, moved_difference(sleeve, turn_any, 1.0, false), 0.01);
    PASS();
}

TEST the_same_input_gives_the_same_bits(void) {
    gen_kit a, b;
    gen_begin(&a, 0.05);
    gen_begin(&b, 0.05);
    gen_grid(&a, 70, 24, skirt, false, 0);
    gen_grid(&b, 70, 24, skirt, false, 0);
    ASSERT(gen_run(&a) && gen_run(&b));
    ASSERT_EQ(a.particles.count, b.particles.count);
    ASSERT_MEM_EQ(a.particles.positions, b.particles.positions, a.particles.count * sizeof(hemc_vec3));
    ASSERT_EQ(a.particles.link_count, b.particles.link_count);
    for (size_t k = 0; k < a.particles.link_count; ++k) {
        ASSERT_EQ(a.particles.links[k].a, b.particles.links[k].a);
        ASSERT_EQ(a.particles.links[k].b, b.particles.links[k].b);
        ASSERT_EQ(a.particles.links[k].kind, b.particles.links[k].kind);
    }
    gen_end(&a);
    gen_end(&b);
    PASS();
}

static uint64_t work_of(hemc_generator generator, int fineness) {
    gen_kit kit;
    gen_begin(&kit, 0.08 / fineness);
    kit.part.generator = generator;
    gen_grid(&kit, 40 * fineness, 20 * fineness, skirt, false, 0);
    gen_model(&kit);
    uint64_t work = 0;
    if (hemc_weld(kit.arena, &kit.model, kit.owner, 0, &kit.surface)) {
        hemc_gen gen;
        memset(&gen, 0, sizeof gen);
        gen.arena = kit.arena;
        gen.part = &kit.part;
        gen.surface = &kit.surface;
        gen.spacing = kit.part.spacing;
        gen.level_scale = 1.0;
        gen.column_multiple = 8;
        if (generator == HEMC_CUT) {
            hemc_gen_cut(&gen, &kit.particles);
        } else {
            hemc_gen_scatter(&gen, &kit.particles);
        }
        work = gen.work;
    }
    gen_end(&kit);
    return work;
}

TEST work_grows_no_faster_than_n_log_n(void) {
    const hemc_generator generators[] = {HEMC_CUT, HEMC_SCATTER};
    for (int i = 0; i < 2; ++i) {
        double one = (double)work_of(generators[i], 1), four = (double)work_of(generators[i], 2);
        double sixteen = (double)work_of(generators[i], 4);
        ASSERT(one > 1000.0);
        ASSERT(four < 4.0 * 1.4 * one); // log(6400) / log(1600) = 1.19
        ASSERT(sixteen < 16.0 * 1.7 * one);
    }
    PASS();
}

void gen_cut_property_tests(void) {
    RUN_TEST(particles_move_with_the_input);
    RUN_TEST(a_long_part_may_lie_anyhow);
    RUN_TEST(the_same_input_gives_the_same_bits);
    RUN_TEST(work_grows_no_faster_than_n_log_n);
}
