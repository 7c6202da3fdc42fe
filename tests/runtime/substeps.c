// SPDX-License-Identifier: MIT
// How many substeps a step has: as many as the frame rate asks for, and the same again while frame times tremble, since
// each change of their length moves whatever hangs.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double random_one(uint32_t* state) { // -1 to 1
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 23) - 1.0;
}

static uint32_t substeps_at(world* w, double hz) {
    hem_step_report r = {0};
    world_step(w, (float)(1.0 / hz), 0, 1);
    hem_scene_get_report(w->scene, &r);
    return r.substep_count;
}

TEST television_rates_cost_what_whole_ones_do(void) {
    const struct {
        double whole;
        uint32_t substeps;
    } rows[] = {{24, 10}, {30, 8}, {48, 5}, {60, 4}, {72, 4}, {90, 3}, {120, 2}, {144, 2}, {240, 1}, {1000, 1}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        world a, b;
        OPEN(a, "free");
        OPEN(b, "free");
        ASSERT_EQ_FMT(rows[i].substeps, substeps_at(&a, rows[i].whole), "%u");
        ASSERT_EQ_FMT(rows[i].substeps, substeps_at(&b, rows[i].whole * 1000.0 / 1001.0), "%u");
        // And whatever the frame before was like.
        substeps_at(&b, rows[i].whole * 0.5);
        ASSERT_EQ_FMT(rows[i].substeps, substeps_at(&b, rows[i].whole * 1000.0 / 1001.0), "%u");
        substeps_at(&b, rows[i].whole * 2.0);
        ASSERT_EQ_FMT(rows[i].substeps, substeps_at(&b, rows[i].whole * 1000.0 / 1001.0), "%u");
        world_close(&a);
        world_close(&b);
    }
    PASS();
}

// Whatever the rate, also where one more would be needed: after a few frames the number stays.
TEST a_tremble_does_not_change_their_number(void) {
    uint32_t seed = 1, changes = 0;
    for (double hz = 15.5; hz < 300; hz *= 1.0037) {
        world w;
        OPEN(w, "free");
        for (int i = 0; i < 50; ++i) {
            substeps_at(&w, hz * (1.0 + 0.001 * random_one(&seed)));
        }
        const uint32_t before = substeps_at(&w, hz);
        for (int i = 0; i < 200; ++i) {
            changes += substeps_at(&w, hz * (1.0 + 0.001 * random_one(&seed))) != before;
        }
        world_close(&w);
    }
    ASSERT_EQ_FMT(0u, changes, "%u");
    PASS();
}

// From frame to frame by any ratio: never longer than a twentieth above 1 / 240 s, never one more than that needs.
TEST none_is_longer_than_it_may_be(void) {
    world w;
    OPEN(w, "free");
    uint32_t seed = 7;
    for (int i = 0; i < 20000; ++i) {
        const double seconds = exp(log(1.0 / 500) + (0.5 + 0.5 * random_one(&seed)) * log(500.0 / 16));
        const uint32_t n = substeps_at(&w, 1.0 / seconds);
        ASSERT(seconds * 240 <= n * 1.0501);
        ASSERT(n == 1 || seconds * 240 > (n - 1) * 1.0049);
    }
    world_close(&w);
    PASS();
}

// Millimetres that the particle that moves most goes in a frame, once it hangs still. With compliance above 0 it is of stuff that
// stretches so much.
static double buzz(const char* asset, double hz, double tremble, float compliance) {
    world w;
    if (!world_open(&w, asset, NULL, NULL, 1)) {
        return INFINITY;
    }
    hem_tuning t = world_tuning(&w);
    for (int k = 0; compliance > 0 && k < 8; ++k) {
        t.compliance[k] = compliance;
        t.stretch_limit = 0;
    }
    if (!world_tune(&w, &t)) {
        return INFINITY;
    }
    uint32_t off = HEM_FEATURE_SLEEP | (compliance > 0 ? HEM_FEATURE_TETHERS : 0);
    hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~off);
    const uint32_t count = w.view.info->particle_count;
    hem_particle* then = malloc(count * sizeof(*then));
    hem_particle* now = malloc(count * sizeof(*now));
    uint32_t seed = 3;
    double worst = 0;
    for (int i = 0; then && now && i < (int)(12 * hz); ++i) {
        world_step(&w, (float)((1.0 + tremble * random_one(&seed)) / hz), 0, 1);
        hem_instance_get_particles(w.scene, w.id, 0, count, now);
        for (uint32_t k = 0; k < count && i > (int)(10 * hz); ++k) {
            const double d[3] = {(double)(now[k].position[0] - then[k].position[0]),
                                 (double)(now[k].position[1] - then[k].position[1]),
                                 (double)(now[k].position[2] - then[k].position[2])};
            worst = fmax(worst, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
        }
        hem_particle* swap = then;
        then = now;
        now = swap;
    }
    free(then);
    free(now);
    world_close(&w);
    return worst * 1000;
}

TEST what_hangs_does_not_buzz(void) {
    const double rates[] = {30, 50, 59.7, 59.94, 60, 120};
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); ++i) {
        const double moved = buzz("cape", rates[i], 0.001, 0), still = buzz("cape", rates[i], 0, 0);
        if (getenv("HEM_PRINT")) {
            printf("buzz at %g Hz: %.4f mm a frame, %.4f without tremble\n", rates[i], moved, still);
        }
        ASSERT(moved < 0.05);
    }
    PASS();
}

// Where one pass leaves more of the weight, more goes up and down with the length of a substep.
TEST what_stretches_does_not_buzz(void) {
    const double moved = buzz("cape", 60, 0.001, 0.002f), still = buzz("cape", 60, 0, 0.002f);
    if (getenv("HEM_PRINT")) {
        printf("buzz of rubber: %.4f mm a frame, %.4f without tremble\n", moved, still);
    }
    ASSERT(moved < 0.005 + still);
    PASS();
}

// What substeps are shorter by in one frame they are longer by in another: a fall takes the time that has passed.
TEST even_lengths_lose_no_time(void) {
    world w;
    OPEN(w, "free");
    hem_tuning t = world_tuning(&w);
    t.damping = 0;
    t.max_speed = 1000;
    ASSERT(world_tune(&w, &t));
    const uint32_t n = nth_particle(&w, false, 0);
    const double from = (double)particle_at(&w, n).position[1];
    double seconds = 0;
    uint32_t seed = 5;
    for (int i = 0; i < 240; ++i) {
        const float dt = (float)((1.0 + 0.001 * random_one(&seed)) / (i < 120 ? 60.0 : 59.94));
        world_step(&w, dt, 0, 1);
        seconds += (double)dt;
    }
    const double fallen = from - (double)particle_at(&w, n).position[1];
    ASSERT_IN_RANGE(0.5 * 9.81 * seconds * seconds, fallen, 0.002 * fallen);
    world_close(&w);
    PASS();
}

TEST a_load_brings_their_number_back(void) {
    world a, b;
    OPEN(a, "cape");
    OPEN(b, "cape");
    ASSERT_EQ_FMT(5u, substeps_at(&a, 50), "%u");
    ASSERT_EQ_FMT(5u, substeps_at(&a, 59), "%u"); // 4.07 are asked for: a scene that comes from above keeps five
    const size_t size = hem_scene_save_size(a.scene, HEM_SAVE_ALL);
    void* save = malloc(size);
    ASSERT(save && hem_scene_save(a.scene, HEM_SAVE_ALL, save, size) == HEM_OK);
    substeps_at(&b, 60);
    ASSERT_EQ(HEM_OK, hem_scene_load(b.scene, save, size));
    ASSERT_EQ_FMT(5u, substeps_at(&b, 59), "%u");
    substeps_at(&a, 59);
    ASSERT(hem_scene_hash(a.scene) == hem_scene_hash(b.scene));
    free(save);
    world_close(&a);
    world_close(&b);
    PASS();
}

// A number that is the game's is taken as it is, and is not remembered.
TEST a_given_number_is_not_remembered(void) {
    world w;
    OPEN(w, "free");
    ASSERT_EQ_FMT(4u, substeps_at(&w, 60), "%u");
    world_step(&w, 1.0f / 60.0f, 9, 1);
    ASSERT_EQ_FMT(4u, substeps_at(&w, 60), "%u");
    world_close(&w);
    PASS();
}

SUITE(substeps_suite) {
    RUN_TEST(television_rates_cost_what_whole_ones_do);
    RUN_TEST(a_tremble_does_not_change_their_number);
    RUN_TEST(none_is_longer_than_it_may_be);
    RUN_TEST(what_hangs_does_not_buzz);
    RUN_TEST(what_stretches_does_not_buzz);
    RUN_TEST(even_lengths_lose_no_time);
    RUN_TEST(a_load_brings_their_number_back);
    RUN_TEST(a_given_number_is_not_remembered);
}
