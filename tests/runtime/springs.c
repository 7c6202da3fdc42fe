// SPDX-License-Identifier: MIT
// Damped springs against the closed form: a weight that is let go swings about its rest with
//
//     y(t) = -(g / w^2) (1 - e^(-d t) (cos(v t) + d / v sin(v t))),   w^2 = k / m, d = c / (2 m), v^2 = w^2 - d^2
//
// whatever the frame rate. The asset has weights on springs of 1, 2 and 3 Hz, damped by 0, 5, 20 and 100 % of critical.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define WEIGHTS 12
#define GRAVITY 9.81

static const double ratios[4] = {0, 0.05, 0.2, 1};

typedef struct swing {
    double frequency, ratio; // what it is made as: 1/s (of the angle) and share of critical
    double crossed[64];      // when it passed its rest on the way up
    double peak[64];         // how far above its rest it came between
    double last, top, worst; // worst: distance from the closed form, as a share of the first drop
    int count;
} swing;

static double closed_form(const swing* s, double t) {
    const double w = s->frequency, d = s->ratio * w, drop = GRAVITY / (w * w);
    const double v2 = w * w - d * d;
    if (v2 < 1e-9 * w * w) {
        return -drop * (1 - exp(-d * t) * (1 + d * t));
    }
    const double v = sqrt(v2);
    return -drop * (1 - exp(-d * t) * (cos(v * t) + d / v * sin(v * t)));
}

static void watch(swing* s, double t, double dt, double y) {
    const double drop = GRAVITY / (s->frequency * s->frequency), x = y + drop;
    s->worst = fmax(s->worst, fabs(y - closed_form(s, t)) / drop);
    s->top = fmax(s->top, x);
    if (s->last < 0 && x >= 0 && s->count < 64) {
        s->crossed[s->count] = t - dt * x / (x - s->last);
        s->peak[s->count] = 0;
        s->top = 0;
        ++s->count;
    }
    if (s->count != 0) {
        s->peak[s->count - 1] = fmax(s->peak[s->count - 1], s->top);
    }
    s->last = x;
}

static enum greatest_test_res run(float rate, uint32_t substeps, swing* swings) {
    world w;
    OPEN(w, "springs");
    hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    for (int i = 0; i < WEIGHTS; ++i) {
        swings[i] = (swing){.frequency = 2 * PI * (1 + i / 4), .ratio = ratios[i % 4], .last = 1};
    }
    for (int f = 1; f <= (int)(4 * rate); ++f) {
        world_step(&w, 1.0f / rate, substeps, 1);
        for (int n = 0; n < WEIGHTS; ++n) {
            const hem_particle p = particle_at(&w, nth_particle(&w, false, (uint32_t)n));
            const int which = (int)lround((double)p.position[0] / 0.5);
            ASSERT(which >= 0 && which < WEIGHTS);
            ASSERT_IN_RANGE(0.0, (double)p.position[2], 1e-6);
            watch(&swings[which], f / (double)rate, 1 / (double)rate, (double)p.position[1] + 0.5);
        }
    }
    world_close(&w);
    PASS();
}

// With the substeps of every rate; and with one step a frame, where a spring of 3 Hz has twenty steps a swing.
TEST springs_swing_as_the_closed_form_says(void) {
    static const struct {
        float rate;
        uint32_t substeps;
        double frequency, decay, path; // what may be off: shares; decay as a share of the frequency
    } rows[] = {
        {30, 0, 0.003, 0.002, 0.1}, {60, 0, 0.003, 0.002, 0.1}, {240, 0, 0.003, 0.002, 0.1}, {60, 1, 0.03, 0.05, 1.2}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        swing swings[WEIGHTS];
        CHECK_CALL(run(rows[r].rate, rows[r].substeps, swings));
        for (int i = 0; i < WEIGHTS; ++i) {
            const swing* s = &swings[i];
            double frequency = 0, decay = 0;
            if (s->ratio < 0.15) {
                ASSERT(s->count >= 3);
                const double span = s->crossed[s->count - 1] - s->crossed[0];
                frequency = 2 * PI * (s->count - 1) / span;
                // The last peak may have been cut off.
                decay = log(s->peak[0] / s->peak[s->count - 2]) / (s->crossed[s->count - 2] - s->crossed[0]);
                const double exact = s->frequency * sqrt(1 - s->ratio * s->ratio);
                if (getenv("HEM_SPRINGS")) {
                    printf("%3.0f Hz %u: %.0f Hz %.2f: frequency %+.4f decay %.4f (%.4f) path %.4f\n",
                           (double)rows[r].rate, rows[r].substeps, s->frequency / 2 / PI, s->ratio,
                           frequency / exact - 1, decay, s->ratio * s->frequency, s->worst);
                }
                ASSERT_IN_RANGE(exact, frequency, rows[r].frequency * exact);
                ASSERT_IN_RANGE(s->ratio * s->frequency, decay, rows[r].decay * s->frequency);
            }
            ASSERT_IN_RANGE(0.0, s->worst, rows[r].path);
        }
    }
    PASS();
}

// The pull of a spring is stiffness times stretch, so at rest it hangs by m g / k, whatever the damper; and live tuning adds
// to the compliance of every spring.
TEST springs_hang_by_weight_over_stiffness(void) {
    for (int n = 0; n < 4; ++n) {
        const int added = n & 1, passes = n & 2 ? 5 : 1;
        world w;
        OPEN(w, "springs");
        hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        hem_tuning tuning;
        ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, &tuning, sizeof(tuning)));
        tuning.compliance[HEM_KIND_SPRING] = added ? 0.02f : 0.0f;
        tuning.link_damping[HEM_KIND_SPRING] = 5.0f;
        tuning.iterations = (uint32_t)passes;
        ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
        world_step(&w, 1.0f / 60.0f, 0, 600);
        for (int i = 0; i < WEIGHTS; ++i) {
            const hem_particle p = particle_at(&w, nth_particle(&w, false, (uint32_t)i));
            const int which = (int)lround((double)p.position[0] / 0.5);
            const double frequency = 2 * PI * (1 + which / 4), stiffness = 0.5 * frequency * frequency;
            const double drop = 0.5 * GRAVITY * (1 / stiffness + (added ? 0.02 : 0.0));
            ASSERT_IN_RANGE(-0.5 - drop, (double)p.position[1], 1e-3 * drop + 1e-5);
        }
        world_close(&w);
    }
    PASS();
}

// No stiffness makes it unstable: a thousand times what a step can follow, on a sheet that has links as well.
TEST stiff_springs_come_to_rest(void) {
    world w;
    OPEN(w, "sprung");
    for (int f = 0; f < 600; ++f) {
        world_step(&w, 1.0f / 15.0f, 1, 1);
    }

    for (uint32_t n = 0; n < 200; ++n) {
        const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
        for (int k = 0; k < 3; ++k) {
            ASSERT(fabs((double)p.position[k]) < 5 && fabs((double)p.velocity[k]) < 0.5);
        }
    }
    world_close(&w);
    PASS();
}

// Particles of five masses, and springs that find no rows to stand in.
TEST springs_between_free_particles_keep_momentum(void) {
    world w;
    OPEN(w, "sprung_free");
    uint32_t indexed = 0;
    for (uint32_t i = 0; i < w.view.row_batch_count; ++i) {
        indexed += w.view.row_batches[i].form != HEM_FORM_ROWS;
    }
    ASSERT(indexed > 0);
    const float none[3] = {0, 0, 0};
    hem_instance_set_gravity(w.scene, w.id, none);
    double most = 0, pushed = 0;
    for (int f = 0; f < 60; ++f) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const vec3d p = linear_momentum(&w);
        most = fmax(most, sqrt(p.x * p.x + p.y * p.y + p.z * p.z));
        const hem_particle one = particle_at(&w, nth_particle(&w, false, 0));
        pushed = fmax(pushed, mass_of(&w, nth_particle(&w, false, 0)) * fabs((double)one.velocity[0]));
    }
    ASSERT(pushed > 1e-3);
    ASSERT(most < 1e-3 * pushed);
    world_close(&w);
    PASS();
}

SUITE(springs_suite) {
    RUN_TEST(springs_swing_as_the_closed_form_says);
    RUN_TEST(springs_hang_by_weight_over_stiffness);
    RUN_TEST(stiff_springs_come_to_rest);
    RUN_TEST(springs_between_free_particles_keep_momentum);
}
