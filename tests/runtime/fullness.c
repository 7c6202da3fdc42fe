// SPDX-License-Identifier: MIT
// Guides that push each other apart: the kernels against the sum over all pairs and against the slope of its energy, in doubles; then
// hair that keeps its volume where without it would fall together, and the modelled shape, at rest however it is turned.

#include "tests/runtime/suites.h"
#include "runtime/src/kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 150, GUIDES = 12, SIDE = 3 };
#define REACH 0.05

typedef struct crowd {
    float x[3][POINTS + 8], guide[POINTS + 8], push[POINTS + 8], out[3][POINTS + 8];
    uint32_t begin[SIDE * SIDE * SIDE + 1];
} crowd;

static double random_share(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

// Points in a box of three reaches a side, cell by cell; what lies behind the last one is not a number.
static void scatter(crowd* c) {
    uint32_t seed = 7, n = 0;
    memset(c, 0, sizeof(*c));
    for (uint32_t cell = 0; cell < SIDE * SIDE * SIDE; ++cell) {
        const uint32_t at[3] = {cell % SIDE, cell / SIDE % SIDE, cell / (SIDE * SIDE)};
        c->begin[cell] = n;
        for (uint32_t i = 0; i < 1 + cell % 10 && n < POINTS; ++i, ++n) {
            for (int k = 0; k < 3; ++k) {
                c->x[k][n] = (float)(REACH * (at[k] + random_share(&seed)));
            }
            c->guide[n] = (float)(int)(GUIDES * random_share(&seed));
            c->push[n] = (float)random_share(&seed);
        }
    }
    c->begin[SIDE * SIDE * SIDE] = n;
    for (uint32_t i = n; i < POINTS + 8; ++i) {
        c->x[0][i] = c->x[1][i] = c->x[2][i] = c->guide[i] = c->push[i] = NAN;
    }
}

static hemi_crowd_args args_of(crowd* c) {
    return (hemi_crowd_args){.x = c->x[0],
                             .y = c->x[1],
                             .z = c->x[2],
                             .guide = c->guide,
                             .push = c->push,
                             .cell_begin = c->begin,
                             .size = {SIDE, SIDE, SIDE},
                             .inverse_reach2 = (float)(1 / (REACH * REACH)),
                             .out = {c->out[0], c->out[1], c->out[2]}};
}

static double crowd_of(const crowd* c, uint32_t i, const double at[3], uint32_t moved, const double there[3]) {
    double sum = 0;
    for (uint32_t j = 0; j < c->begin[SIDE * SIDE * SIDE]; ++j) {
        double r2 = 0;
        for (int k = 0; k < 3; ++k) {
            const double p = i == moved ? there[k] : at[k], q = j == moved ? there[k] : (double)c->x[k][j];
            r2 += (p - q) * (p - q);
        }
        const double u = 1 - r2 / (REACH * REACH);
        sum += c->guide[j] != c->guide[i] && u > 0 ? u * u : 0;
    }
    return sum;
}

// Of sum (crowd / rest - 1)^2 / 2, with one point moved.
static double energy(const crowd* c, const double* rest, uint32_t moved, const double there[3]) {
    double sum = 0;
    for (uint32_t i = 0; i < c->begin[SIDE * SIDE * SIDE]; ++i) {
        const double at[3] = {(double)c->x[0][i], (double)c->x[1][i], (double)c->x[2][i]};
        const double e = crowd_of(c, i, at, moved, there) / rest[i] - 1;
        sum += e > 0 ? e * e / 2 : 0;
    }
    return sum;
}

TEST sums_are_those_of_all_pairs(void) {
    static crowd c;
    scatter(&c);
    const hemi_crowd_args args = args_of(&c);
    hemi_kernels_choose(wanted_kernel())->crowd_sum(&args);
    for (uint32_t i = 0; i < c.begin[SIDE * SIDE * SIDE]; ++i) {
        const double at[3] = {(double)c.x[0][i], (double)c.x[1][i], (double)c.x[2][i]};
        ASSERT_IN_RANGE(crowd_of(&c, i, at, UINT32_MAX, at), (double)c.out[0][i], 1e-4);
    }
    PASS();
}

// Half the slope, times reach^2: the formula has no factors. Momentum follows, and is looked at by itself.
TEST pushes_are_the_slope_of_the_energy(void) {
    static crowd c;
    static double rest[POINTS];
    scatter(&c);
    const hemi_crowd_args args = args_of(&c);
    const hemi_kernels* kernels = hemi_kernels_choose(wanted_kernel());
    kernels->crowd_sum(&args);
    const uint32_t count = c.begin[SIDE * SIDE * SIDE];
    for (uint32_t i = 0; i < count; ++i) {
        rest[i] = 0.5 + 2.0 * (i % 5);
        const double e = (double)c.out[0][i] / rest[i] - 1;
        c.push[i] = (float)(e > 0 ? e / rest[i] : 0);
    }
    kernels->crowd_push(&args);
    double sum[3] = {0, 0, 0}, largest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double step = 1e-6;
            double at[2][3];
            for (int m = 0; m < 3; ++m) {
                at[0][m] = at[1][m] = (double)c.x[m][i];
            }
            at[0][k] -= step;
            at[1][k] += step;
            const double slope = (energy(&c, rest, i, at[1]) - energy(&c, rest, i, at[0])) / (2 * step);
            const double wanted = -slope * REACH * REACH / 4;
            ASSERT_IN_RANGE(wanted, (double)c.out[k][i], 2e-4 * (1 + fabs(wanted)));
            sum[k] += (double)c.out[k][i];
            largest = fmax(largest, fabs((double)c.out[k][i]));
        }
    }
    ASSERT(largest > 0.01);
    ASSERT_IN_RANGE(0.0, fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]), 1e-4);
    PASS();
}

static bool open_hair(world* w, const char* name, void (*spoil)(world*)) {
    if (!(spoil ? world_open_spoiled(w, name, spoil) : world_open(w, name, NULL, NULL, 1))) {
        return false;
    }
    hem_instance_set_features(w->scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    return true;
}

static void without(world* w) {
    hem_part* part = (hem_part*)(uintptr_t)&w->view.parts[0];
    part->fullness = 0;
}

// No gravity, and the head somewhere else, turned by two radians: nothing pushes anything.
TEST the_modelled_shape_is_at_rest_however_it_is_turned(void) {
    world w;
    ASSERT(open_hair(&w, "hair_full", NULL));
    const float none[3] = {0, 0, 0};
    ASSERT_EQ(HEM_OK, hem_instance_set_gravity(w.scene, w.id, none));
    const float c = cosf(2), s = sinf(2);
    const float pose[12] = {c, 0, s, 0.3f, 0, 1, 0, -0.1f, -s, 0, c, 2};
    hem_instance_set_pose(w.scene, w.id, pose, 1, 0);
    hem_instance_reset(w.scene, w.id);
    world_step(&w, 1.0f / 60.0f, 0, 120);
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        const hem_particle p = particle_at(&w, i);
        const hem_rest_row* r = &w.view.rest_rows[i / 8];
        const float x = r->x[i % 8], y = r->y[i % 8], z = r->z[i % 8];
        if (!(p.flags & HEM_PARTICLE_PAD)) {
            ASSERT_IN_RANGE(c * x + s * z + 0.3f, p.position[0], 1e-4f);
            ASSERT_IN_RANGE(y - 0.1f, p.position[1], 1e-4f);
            ASSERT_IN_RANGE(-s * x + c * z + 2, p.position[2], 1e-4f);
        }
    }
    world_close(&w);
    PASS();
}

// How wide the tips are about their middle beside how wide they were modelled, after the scalp has been drawn together to a third:
// strands hang beside each other at a third of their distance, unless they keep their volume.
static double width(void (*spoil)(world*), float dt) {
    world w;
    if (!open_hair(&w, "hair_full", spoil)) {
        return -1;
    }
    hem_tuning t = world_tuning(&w);
    t.damping = 4;
    world_tune(&w, &t);
    for (float s = 0; s < 3; s += dt) {
        const float by = s < 1 ? 1 - s * 2 / 3 : 1.0f / 3;
        const float pose[12] = {by, 0, 0, 0, 0, 1, 0, 0, 0, 0, by, 0};
        hem_instance_set_pose(w.scene, w.id, pose, 1, 0);
        world_step(&w, dt, 0, 1);
    }
    double middle[2] = {0, 0}, square = 0, rest = 0, rest_middle[2] = {0, 0};
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
            const hem_particle p = particle_at(&w, i);
            const hem_rest_row* r = &w.view.rest_rows[i / 8];
            if ((p.flags & HEM_PARTICLE_PAD) || r->y[i % 8] > -0.35f) {
                continue;
            }
            if (pass == 0) {
                middle[0] += (double)p.position[0];
                middle[1] += (double)p.position[2];
                rest_middle[0] += (double)r->x[i % 8];
                rest_middle[1] += (double)r->z[i % 8];
                ++count;
            } else {
                square += pow((double)p.position[0] - middle[0] / count, 2) +
                          pow((double)p.position[2] - middle[1] / count, 2);
                rest += pow((double)r->x[i % 8] - rest_middle[0] / count, 2) +
                        pow((double)r->z[i % 8] - rest_middle[1] / count, 2);
            }
        }
    }
    world_close(&w);
    return count ? sqrt(square / rest) : -1;
}

TEST hair_that_is_drawn_together_keeps_its_volume(void) {
    static const float rates[] = {30, 60, 120};
    double at_60 = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t i = 0; i < 3; ++i) {
            const double bare = width(without, 1 / rates[i]), full = width(NULL, 1 / rates[i]);
            if (getenv("HEM_FULLNESS") && pass == 0) {
                printf("%g Hz: %.3f of its width without, %.3f with\n", (double)rates[i], bare, full);
            }
            at_60 = i == 1 ? full : at_60;
            ASSERT_IN_RANGE(1.0 / 3, bare, 0.06);
            ASSERT(full > 0.6 && full < 1.2);
            ASSERT(pass == 0 || fabs(full - at_60) < 0.05);
        }
    }
    PASS();
}

SUITE(fullness_suite) {
    RUN_TEST(sums_are_those_of_all_pairs);
    RUN_TEST(pushes_are_the_slope_of_the_energy);
    RUN_TEST(the_modelled_shape_is_at_rest_however_it_is_turned);
    RUN_TEST(hair_that_is_drawn_together_keeps_its_volume);
}
