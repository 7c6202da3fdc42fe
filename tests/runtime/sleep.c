// SPDX-License-Identifier: MIT
// When an instance falls asleep, what that means, and what wakes it.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_asleep(const world* w) {
    hem_instance_stats stats;
    return hem_instance_get_stats(w->scene, w->id, &stats) == HEM_OK && stats.asleep;
}

static bool told(const world* w, hem_event_kind kind) {
    const hem_event* events;
    uint32_t count, lost;
    hem_scene_get_events(w->scene, &events, &count, &lost);
    for (uint32_t i = 0; i < count; ++i) {
        if (events[i].kind == kind && events[i].id.index1 == w->id.index1) {
            return true;
        }
    }
    return false;
}

static bool open_resting(world* w, const char* asset) {
    if (!world_open(w, asset, NULL, NULL, 1)) {
        return false;
    }
    hem_tuning t = world_tuning(w);
    t.sleep_speed = 0.02f;
    t.damping = 1;
    return world_tune(w, &t);
}

TEST a_bob_that_hangs_still_sleeps_after_half_a_second(void) {
    const float rates[] = {30, 60, 240};
    for (int r = 0; r < 3; ++r) {
        world w;
        ASSERT(open_resting(&w, "pendulum"));
        int frame = 0;
        while (!is_asleep(&w) && frame < 1000) {
            world_step(&w, 1.0f / rates[r], 0, 1);
            ++frame;
        }
        // The step that begins the half second may or may not count into it.
        ASSERT_IN_RANGE(0.5, (double)frame / (double)rates[r], 1.01 / (double)rates[r]);
        ASSERT(told(&w, HEM_EVENT_SLEEP));
        hem_step_report report;
        world_step(&w, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(HEM_OK, hem_scene_get_report(w.scene, &report));
        ASSERT_EQ(1u, report.instance_count);
        ASSERT_EQ(0u, report.stepped_count);
        ASSERT_FALSE(told(&w, HEM_EVENT_SLEEP));
        world_close(&w);
    }
    PASS();
}

// Half a second of travel is compared with sleep_speed: what drifts at half of it sleeps, at thrice it does not (for the
// first two seconds: the longer a pose stands still, the more is let pass).
TEST what_drifts_slower_than_sleep_speed_sleeps(void) {
    static const float speeds[] = {0.01f, 0.06f};
    for (int i = 0; i < 2; ++i) {
        world w;
        ASSERT(open_resting(&w, "free"));
        hem_tuning t = world_tuning(&w);
        t.damping = 0;
        ASSERT(world_tune(&w, &t));
        const float none[3] = {0, 0, 0};
        hem_instance_set_gravity(w.scene, w.id, none);
        world_throw(&w, 1.0f / 240.0f, speeds[i], 0, 0);
        world_step(&w, 1.0f / 60.0f, 0, 60);
        ASSERT_EQ(i == 0, is_asleep(&w));
        world_close(&w);
    }
    PASS();
}

TEST sleep_speed_zero_and_the_feature_off_never_sleep(void) {
    for (int i = 0; i < 2; ++i) {
        world w;
        ASSERT(open_resting(&w, "pendulum"));
        if (i == 0) {
            hem_tuning t = world_tuning(&w);
            t.sleep_speed = 0;
            ASSERT(world_tune(&w, &t));
        } else {
            hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        }
        world_step(&w, 1.0f / 60.0f, 0, 300);
        ASSERT_FALSE(is_asleep(&w));
        world_close(&w);
    }
    PASS();
}

TEST a_sleeper_does_not_move(void) {
    world w;
    ASSERT(open_resting(&w, "cape_half"));
    int frames = 0;
    while (!is_asleep(&w) && frames++ < 3000) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    ASSERT(is_asleep(&w));
    const uint32_t low = nth_particle(&w, false, 40);
    const hem_particle before = particle_at(&w, low);
    ASSERT_EQ(0.0f, before.velocity[1]);
    world_step(&w, 1.0f / 60.0f, 0, 60);
    const hem_particle after = particle_at(&w, low);
    ASSERT_EQ(0, memcmp(&before, &after, sizeof(before)));
    world_close(&w);
    PASS();
}

// -- What wakes

static void no_force(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                     uint32_t row_count) {
    (void)user, (void)id, (void)position, (void)velocity, (void)acceleration, (void)row_count;
}

static hem_collider ball(float friction) { // far from everything, on the only bone
    hem_collider c = hem_collider_default();
    c.kind = HEM_COLLIDER_SPHERE;
    c.bone = 0;
    c.size[0] = 0.1f;
    c.position[0] = 5;
    c.mask = ~0u;
    c.friction = friction;
    return c;
}

static hem_result disturb(world* w, int way) {
    hem_scene* scene = w->scene;
    float m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const float vector[3] = {0, 0, 1}, weak[3] = {0, -1, 0};
    const hem_root home = {{0, 0, 0}, {0, 0, 0, 1}};
    hem_root root = home;
    hem_tuning t = world_tuning(w);
    hem_collider c = ball(0);
    switch (way) {
    case 0:
        m[3] = 0.1f;
        return hem_instance_set_pose(scene, w->id, m, 1, 0);
    case 1:
        root.position[0] = 0.1;
        return hem_instance_set_root(scene, w->id, &root);
    case 2:
        root.rotation[2] = 0.1f;
        root.rotation[3] = 0.99498744f;
        return hem_instance_set_root(scene, w->id, &root);
    case 3:
        return hem_instance_wake(scene, w->id);
    case 4:
        return hem_instance_set_wind(scene, w->id, vector);
    case 5:
        return hem_instance_set_gravity(scene, w->id, weak);
    case 6:
        t.damping = 2;
        return world_tune(w, &t) ? HEM_OK : HEM_ERROR_RANGE;
    case 7:
        return hem_instance_set_felt_limits(scene, w->id, 20, 50);
    case 8:
        return hem_instance_set_features(scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_LIMITS);
    case 9:
        return hem_scene_set_force_field(scene, no_force, NULL);
    case 10:
        return hem_instance_set_pose_blend(scene, w->id, 0.5f);
    case 11:
        return hem_instance_set_animation(scene, w->id, 1);
    case 12:
        c.position[1] = 1;
        return hem_instance_set_colliders(scene, w->id, &c, 1);
    case 13:
        c.friction = 0.5f;
        return hem_instance_set_colliders(scene, w->id, &c, 1);
    case 14:
        return hem_instance_set_colliders(scene, w->id, NULL, 0);
    case 15:
        root.position[0] = 10;
        return hem_instance_teleport(scene, w->id, &root, 1);
    case 16:
        root.position[0] = 0.01;
        return hem_instance_carry(scene, w->id, &home, &root);
    case 17: // About the pendulum's pivot: no particle is moved, but the collider on the bone is, as one on a toe.
        for (int k = 0; k < 3; ++k) {
            m[5 * k] = 1.1f;
            m[4 * k + 3] = -0.1f * particle_at(w, nth_particle(w, true, 0)).position[k];
        }
        return hem_instance_set_pose(scene, w->id, m, 1, 0);
    case 18:
        return hem_instance_set_time_scale(scene, w->id, 0.5f);
    case 19:
        return hem_instance_reset(scene, w->id);
    default:
        return HEM_ERROR_RANGE;
    }
}

enum { WAYS = 20 };

static bool open_asleep(world* w) {
    hem_scene_def def = hem_scene_def_default();
    def.collider_capacity = 1;
    if (!world_open(w, "pendulum", &def, NULL, 1)) {
        return false;
    }
    hem_tuning t = world_tuning(w);
    t.sleep_speed = 0.02f;
    t.damping = 1;
    const hem_collider c = ball(0);
    if (!world_tune(w, &t) || hem_instance_set_colliders(w->scene, w->id, &c, 1) != HEM_OK) {
        return false;
    }
    world_step(w, 1.0f / 60.0f, 0, 60);
    return is_asleep(w);
}

TEST whatever_matters_wakes(void) {
    for (int way = 0; way < WAYS; ++way) {
        world w;
        char name[32];
        snprintf(name, sizeof(name), "way %d", way);
        ASSERT(open_asleep(&w));
        ASSERT_EQm(name, HEM_OK, disturb(&w, way));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        ASSERT_FALSEm(name, is_asleep(&w));
        ASSERTm(name, told(&w, HEM_EVENT_WAKE));
        // And it is awake for half a second at the least.
        world_step(&w, 1.0f / 60.0f, 0, 20);
        ASSERT_FALSEm(name, is_asleep(&w));
        world_close(&w);
    }
    PASS();
}

// Half way to sleep, what matters starts the half second anew.
TEST whatever_matters_starts_the_half_second_anew(void) {
    for (int way = 0; way < WAYS; ++way) {
        world w;
        char name[32];
        snprintf(name, sizeof(name), "way %d", way);
        ASSERT(open_asleep(&w));
        ASSERT_EQ(HEM_OK, hem_instance_wake(w.scene, w.id));
        world_step(&w, 1.0f / 60.0f, 0, 25);
        ASSERT_FALSE(is_asleep(&w));
        ASSERT_EQm(name, HEM_OK, disturb(&w, way));
        world_step(&w, 1.0f / 60.0f, 0, 25);
        ASSERT_FALSEm(name, is_asleep(&w));
        world_close(&w);
    }
    PASS();
}

TEST what_is_said_again_does_not_wake(void) {
    world w;
    ASSERT(open_asleep(&w));
    const float wind[3] = {0, 0, 0};
    const hem_root home = {{0, 0, 0}, {0, 0, 0, 1}};
    const float m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const hem_tuning t = world_tuning(&w);
    const hem_collider c = ball(0);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, m, 1, 0));
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &home));
        ASSERT_EQ(HEM_OK, hem_instance_carry(w.scene, w.id, &home, &home));
        ASSERT_EQ(HEM_OK, hem_instance_set_wind(w.scene, w.id, wind));
        ASSERT_EQ(HEM_OK, hem_instance_set_gravity(w.scene, w.id, NULL));
        ASSERT(world_tune(&w, &t));
        ASSERT_EQ(HEM_OK, hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL));
        ASSERT_EQ(HEM_OK, hem_instance_set_pose_blend(w.scene, w.id, 1));
        ASSERT_EQ(HEM_OK, hem_instance_set_time_scale(w.scene, w.id, 1));
        ASSERT_EQ(HEM_OK, hem_instance_set_animation(w.scene, w.id, -1));
        ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &c, 1));
        ASSERT_EQ(HEM_OK, hem_scene_set_force_field(w.scene, NULL, NULL));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        hem_step_report report;
        ASSERT_EQ(HEM_OK, hem_scene_get_report(w.scene, &report));
        ASSERT_EQ(0u, report.stepped_count); // it may fall asleep again within the step, but must not have been awake
        ASSERT(is_asleep(&w));
    }
    world_close(&w);
    PASS();
}

// A bob on a soft link of one metre hangs where compliance times its weight has it: what is stretched by .7 is snagged.
TEST what_is_snagged_does_not_sleep(void) {
    static const double stretches[] = {0.2, 0.7};
    for (int i = 0; i < 2; ++i) {
        world w;
        ASSERT(open_resting(&w, "pendulum"));
        hem_tuning t = world_tuning(&w);
        t.damping = 8;
        for (int k = 0; k < 8; ++k) {
            t.compliance[k] = (float)(stretches[i] / (mass_of(&w, nth_particle(&w, false, 0)) * 9.81));
        }
        ASSERT(world_tune(&w, &t));
        world_step(&w, 1.0f / 60.0f, 0, 900);
        hem_instance_stats stats;
        ASSERT_EQ(HEM_OK, hem_instance_get_stats(w.scene, w.id, &stats));
        ASSERT_IN_RANGE(stretches[i], (double)stats.stretch_max, 0.05);
        ASSERT_EQ(i == 0, is_asleep(&w));
        world_close(&w);
    }
    PASS();
}

TEST a_pose_that_keeps_moving_keeps_awake(void) {
    world w;
    ASSERT(open_resting(&w, "pendulum"));
    for (int f = 0; f < 120; ++f) {
        const float m[12] = {1, 0, 0, 1e-4f * (float)(f % 2), 0, 1, 0, 0, 0, 0, 1, 0};
        hem_instance_set_pose(w.scene, w.id, m, 1, 0);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        ASSERT_FALSE(is_asleep(&w));
    }
    world_close(&w);
    PASS();
}

// -- What keeps awake for ever

#define AWAY 1 // the axis across the sheet

// Any way but out of the plane.
static void crumple(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                    uint32_t row_count) {
    (void)user, (void)id, (void)position, (void)velocity;
    uint32_t seed = 7;
    for (uint32_t i = 0; i < row_count * 24; ++i) {
        seed = seed * 1664525u + 1013904223u;
        acceleration[i] = i / 8 % 3 == AWAY ? 0.0f : 10.0f * ((float)(seed >> 8) / (1 << 23) - 1.0f);
    }
}

static float thickness(const world* w) {
    float low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        const hem_particle p = particle_at(w, i);
        low = p.inverse_mass > 0 ? fminf(low, p.position[AWAY]) : low;
        high = p.inverse_mass > 0 ? fmaxf(high, p.position[AWAY]) : high;
    }
    return high - low;
}

// A weightless sheet, folded over within its own plane while it was soft. No link points out of the plane, so that in
// exact arithmetic it would stay as it is. Nor may it where a float's steps are a millimetre, after a fall of kilometres
// (of as many frames as leave none of those in which it is looked for, one in 128, before it is folded).
TEST what_is_folded_within_its_plane_unfolds(int falls) {
    world w;
    OPEN(w, "loose");
    const float none[3] = {0, 0, 0}, fall[3] = {0, -1000, 0};
    hem_tuning usual = world_tuning(&w), soft;
    usual.damping = 2;
    usual.max_speed = 1000;
    ASSERT(world_tune(&w, &usual));
    hem_instance_set_gravity(w.scene, w.id, fall);
    world_step(&w, 1.0f / 60.0f, 0, falls * 1088);
    ASSERT(!falls || particle_at(&w, 0).position[AWAY] < -8192.0f);
    hem_instance_set_gravity(w.scene, w.id, none);
    world_step(&w, 1.0f / 60.0f, 0, falls * 1088);
    soft = usual;
    for (int k = 0; k < 8; ++k) {
        soft.compliance[k] = HEM_MAX_COMPLIANCE;
    }
    ASSERT(world_tune(&w, &soft));
    hem_scene_set_force_field(w.scene, crumple, NULL);
    world_step(&w, 1.0f / 60.0f, 0, 60);
    hem_scene_set_force_field(w.scene, NULL, NULL);
    ASSERT(world_tune(&w, &usual));
    world_step(&w, 1.0f / 60.0f, 0, 60);
    hem_instance_stats folded, later;
    hem_instance_get_stats(w.scene, w.id, &folded);
    ASSERT_EQ(0.0f, thickness(&w)); // else this shows nothing
    ASSERT(folded.stretch_max > 0.8f && folded.speed_max > 1.0f);
    world_step(&w, 1.0f / 60.0f, 0, 360);
    hem_instance_get_stats(w.scene, w.id, &later);
    ASSERT(thickness(&w) > 0.1f);
    ASSERT(later.stretch_mean < 0.5f * folded.stretch_mean && later.stretch_max < 0.6f);
    ASSERT(falls || later.speed_max < 0.25f * folded.speed_max); // so far out a step of a float is a speed
    world_close(&w);
    PASS();
}

SUITE(sleep_suite) {
    RUN_TEST(a_bob_that_hangs_still_sleeps_after_half_a_second);
    RUN_TEST(what_drifts_slower_than_sleep_speed_sleeps);
    RUN_TEST(sleep_speed_zero_and_the_feature_off_never_sleep);
    RUN_TEST(a_sleeper_does_not_move);
    RUN_TEST(whatever_matters_wakes);
    RUN_TEST(whatever_matters_starts_the_half_second_anew);
    RUN_TEST(what_is_said_again_does_not_wake);
    RUN_TEST(what_is_snagged_does_not_sleep);
    RUN_TEST(a_pose_that_keeps_moving_keeps_awake);
    RUN_TESTp(what_is_folded_within_its_plane_unfolds, 0);
    RUN_TESTp(what_is_folded_within_its_plane_unfolds, 1);
}
