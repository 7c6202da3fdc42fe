// SPDX-License-Identifier: MIT
// Limits and backstops: where they let a particle go, by geometry. The asset has eight particles at x = 0, 1 .. 7 that
// face x; number i may go 0.05 i from its place (the last two: anywhere), and every second one 0.03 i back.

#include "tests/runtime/suites.h"

#include <math.h>
#include <string.h>

#define BACKSTOP_RADIUS 0.4 // ten times the spacing, which is twice the radius of 0.02

static double limit_of(int i) {
    return i < 6 ? 0.05 * i : -1;
}

static double backstop_of(int i) {
    return i % 2 ? 0.03 * i : -1;
}

// The slot of the particle that stands at x = i.
static uint32_t slot_at(const world* w, int i) {
    for (uint32_t n = 0; n < w->view.info->particle_count; ++n) {
        if (!(w->view.particle_flags[n] & HEM_PARTICLE_PAD) && w->view.rest_rows[n >> 3].x[n & 7] == (float)i) {
            return n;
        }
    }
    return 0;
}

static void set_gravity(world* w, double x, double y, double z) {
    const float g[3] = {(float)x, (float)y, (float)z};
    hem_instance_set_gravity(w->scene, w->id, g);
}

TEST the_asset_has_the_limits_it_was_given(void) {
    world w;
    OPEN(w, "limited");
    int limited = 0, backed = 0;
    for (uint32_t r = 0; r < w.view.limit_row_count; ++r) {
        const hem_limit_row* row = &w.view.limit_rows[r];
        for (uint32_t lane = 0; lane < 8; ++lane) {
            if (w.view.particle_flags[row->row * 8 + lane] & HEM_PARTICLE_PAD) {
                continue;
            }
            const int i = (int)w.view.rest_rows[row->row].x[lane];
            if (row->max_distance[lane] >= 0) {
                ASSERT_IN_RANGE(limit_of(i), (double)row->max_distance[lane], 1e-6);
                ++limited;
            }
            if (row->backstop_radius[lane] >= 0) {
                ASSERT_IN_RANGE(backstop_of(i), (double)row->backstop_distance[lane], 1e-6);
                ASSERT_IN_RANGE(BACKSTOP_RADIUS, (double)row->backstop_radius[lane], 1e-6);
                ++backed;
            }
        }
    }
    ASSERT_EQ(6, limited);
    ASSERT_EQ(4, backed);
    world_close(&w);
    PASS();
}

TEST a_particle_hangs_at_its_greatest_distance(void) {
    world w;
    OPEN(w, "limited");
    set_gravity(&w, 0, -9.81, 0);
    const int frames = 60;
    world_step(&w, 1.0f / 60.0f, 4, frames);
    const double t = frames / 60.0, fallen = 0.5 * 9.81 * t * (t + 1.0 / 240);
    for (int i = 0; i < 8; ++i) {
        hem_particle p = particle_at(&w, slot_at(&w, i));
        if (i % 2) {
            continue; // those with a backstop do not hang straight down
        }
        ASSERT_IN_RANGE((double)i, (double)p.position[0], 1e-5);
        ASSERT_IN_RANGE(i < 6 ? -limit_of(i) : -fallen, (double)p.position[1], i < 6 ? 1e-5 : 1e-3);
    }
    world_close(&w);
    PASS();
}

TEST a_backstop_holds_where_its_sphere_begins(void) {
    world w;
    OPEN(w, "limited");
    set_gravity(&w, -9.81, 0, 0);
    world_step(&w, 1.0f / 60.0f, 4, 60);
    for (int i = 0; i < 8; ++i) {
        hem_particle p = particle_at(&w, slot_at(&w, i));
        const double back = (double)i - (double)p.position[0];
        if (i % 2) {
            ASSERT_IN_RANGE(backstop_of(i), back, 1e-5);
        } else if (i < 6) {
            ASSERT_IN_RANGE(limit_of(i), back, 1e-5);
        } else {
            ASSERT(back > 4);
        }
    }
    // Forward there is none.
    set_gravity(&w, 9.81, 0, 0);
    world_step(&w, 1.0f / 60.0f, 4, 120);
    for (int i = 1; i < 6; ++i) {
        ASSERT_IN_RANGE((double)i + limit_of(i), (double)particle_at(&w, slot_at(&w, i)).position[0], 1e-5);
    }
    world_close(&w);
    PASS();
}

// Pulled aside, a particle comes to lie in both: in the ball around its place, outside the sphere behind it.
TEST aside_both_hold(void) {
    world w;
    OPEN(w, "limited");
    for (int n = 0; n < 240; ++n) {
        set_gravity(&w, -6, n % 60 - 30, n % 40 - 20);
        world_step(&w, 1.0f / 60.0f, 4, 1);
        for (int i = 1; i < 6; i += 2) {
            const float* x = particle_at(&w, slot_at(&w, i)).position;
            const double dx = (double)x[0] - i, dy = (double)x[1], dz = (double)x[2];
            const double cx = dx + backstop_of(i) + BACKSTOP_RADIUS;
            const double away = sqrt(dx * dx + dy * dy + dz * dz), center = sqrt(cx * cx + dy * dy + dz * dz);
            ASSERT(center > BACKSTOP_RADIUS - 1e-5);
            // The backstop is the last to act and may push out of the ball, by what the sphere's curve adds.
            ASSERT(away < limit_of(i) + 0.01);
        }
    }
    world_close(&w);
    PASS();
}

TEST they_turn_with_the_pose(void) {
    world w;
    OPEN(w, "limited");
    set_gravity(&w, 0, 0, 0);
    const float quarter[12] = {0, -1, 0, 2, 1, 0, 0, 3, 0, 0, 1, 0}; // x becomes y, and off by (2, 3, 0)
    ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, quarter, 1, 0));
    ASSERT_EQ(HEM_OK, hem_instance_reset(w.scene, w.id));
    set_gravity(&w, 0, -9.81, 0); // against what is outward now
    world_step(&w, 1.0f / 60.0f, 4, 60);
    for (int i = 0; i < 6; ++i) {
        const float* x = particle_at(&w, slot_at(&w, i)).position;
        ASSERT_IN_RANGE(2.0, (double)x[0], 1e-5);
        ASSERT_IN_RANGE(3.0 + i - (i % 2 ? backstop_of(i) : limit_of(i)), (double)x[1], 2e-5);
    }
    world_close(&w);
    PASS();
}

TEST without_the_feature_all_fall(void) {
    world w;
    OPEN(w, "limited");
    hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_LIMITS);
    world_step(&w, 1.0f / 60.0f, 4, 60);
    for (int i = 0; i < 8; ++i) {
        ASSERT(particle_at(&w, slot_at(&w, i)).position[1] < -4.8f);
    }
    world_close(&w);
    PASS();
}

// A bob on three tethers, some of them in rows and some not: it hangs by their length, or falls.
TEST tethers_hold_unless_they_are_switched_off(void) {
    const double t = 0.5, fall = 0.5 * 9.81 * t * (t + 1.0 / 240.0);
    for (int off = 0; off < 2; ++off) {
        world w;
        OPEN(w, "three_tethers");
        ASSERT(w.view.index_batch_count > 0 && w.view.link_batch_count > 0);
        const uint32_t feature = off ? HEM_FEATURE_TETHERS : 0;
        hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~feature);
        world_step(&w, 1.0f / 60.0f, 4, 30);
        const double y = (double)particle_at(&w, nth_particle(&w, false, 0)).position[1];
        ASSERT_IN_RANGE(off ? -1.0 - fall : -1.0, y, 1e-3);
        world_close(&w);
    }
    PASS();
}

SUITE(limits_suite) {
    RUN_TEST(the_asset_has_the_limits_it_was_given);
    RUN_TEST(a_particle_hangs_at_its_greatest_distance);
    RUN_TEST(a_backstop_holds_where_its_sphere_begins);
    RUN_TEST(aside_both_hold);
    RUN_TEST(they_turn_with_the_pose);
    RUN_TEST(without_the_feature_all_fall);
    RUN_TEST(tethers_hold_unless_they_are_switched_off);
}
