// SPDX-License-Identifier: MIT
// What a scene tells of itself, against numbers worked out by hand; and capacities filled to the last.

#include "tests/runtime/suites.h"

#include <math.h>
#include <string.h>

static const float NO_GRAVITY[3] = {0, 0, 0};

static hem_instance_stats stats_of(const world* w) {
    hem_instance_stats stats;
    memset(&stats, 0, sizeof(stats));
    hem_instance_get_stats(w->scene, w->id, &stats);
    return stats;
}

TEST a_thrown_particle_has_the_energy_of_its_speed(void) {
    world w;
    OPEN(w, "free");
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    world_throw(&w, 1.0f / 240.0f, 3, 0, -4);
    const hem_instance_stats s = stats_of(&w);
    ASSERT_IN_RANGE(0.5 * 0.5 * 25, (double)s.kinetic_energy, 1e-3); // half a kilogram at 5 m/s
    ASSERT_IN_RANGE(5.0, (double)s.speed_max, 1e-4);
    ASSERT_IN_RANGE(3.0 / 240, (double)s.center_of_mass[0], 1e-5);
    ASSERT_IN_RANGE(0.0, (double)s.center_of_mass[1], 1e-6);
    ASSERT_IN_RANGE(-4.0 / 240, (double)s.center_of_mass[2], 1e-5);
    ASSERT_EQ(1u, s.simulated_count);
    ASSERT_EQ(0u, s.asleep);
    world_close(&w);
    PASS();
}

TEST the_center_of_mass_counts_masses(void) {
    world w;
    OPEN(w, "on_particle"); // 0.1 kg at 0.1 m, 0.3 kg at 0
    ASSERT_IN_RANGE(0.025, (double)stats_of(&w).center_of_mass[1], 1e-6);
    ASSERT_EQ(2u, stats_of(&w).simulated_count);
    world_close(&w);
    PASS();
}

// A pose that pulls a string from 1 m to 1.25 m: warp, so it counts.
TEST stretch_is_length_over_rest(void) {
    world w;
    OPEN(w, "two_strings");
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    ASSERT_IN_RANGE(0.0, (double)stats_of(&w).stretch_max, 1e-6);
    hem_tuning t = world_tuning(&w);
    for (int k = 0; k < 8; ++k) {
        t.compliance[k] = 0.2f;
    }
    t.damping = 5;
    ASSERT(world_tune(&w, &t));
    const float load[3] = {0, -25, 0}; // 2.5 N on two strings of 0.2 m/N
    hem_instance_set_gravity(w.scene, w.id, load);
    world_step(&w, 1.0f / 60.0f, 4, 600);
    const hem_instance_stats s = stats_of(&w);
    const float* bob = particle_at(&w, nth_particle(&w, false, 0)).position;
    const double strain = sqrt((double)(bob[0] * bob[0] + bob[1] * bob[1])) - 1;
    ASSERT_IN_RANGE(0.25, strain, 0.01);
    ASSERT_IN_RANGE(strain, (double)s.stretch_max, 1e-3);
    ASSERT_IN_RANGE(strain, (double)s.stretch_mean, 1e-3);
    world_close(&w);
    PASS();
}

// Threads that hardly hold, thrown up by a tenth of their length: shorter counts as longer does.
TEST a_shortened_link_is_stretched_too(void) {
    world w;
    OPEN(w, "two_strings");
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_tuning t = world_tuning(&w);
    for (int k = 0; k < 8; ++k) {
        t.compliance[k] = 100;
    }
    ASSERT(world_tune(&w, &t));
    world_throw(&w, 1.0f / 240.0f, 0, 24, 0);
    const float* bob = particle_at(&w, nth_particle(&w, false, 0)).position;
    const double strain = 1 - sqrt((double)(bob[0] * bob[0] + bob[1] * bob[1]));
    ASSERT_IN_RANGE(0.1, strain, 0.01);
    ASSERT_IN_RANGE(strain, (double)stats_of(&w).stretch_max, 1e-3);
    world_close(&w);
    PASS();
}

TEST depth_in_a_collider_is_told(void) {
    world w;
    OPEN(w, "free");
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_collider c = hem_collider_default();
    c.kind = HEM_COLLIDER_SPHERE;
    c.bone = -1;
    c.position[0] = 0.06;
    c.rotation[3] = 1;
    c.size[0] = 0.1f;
    c.mask = ~0u;
    ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &c, 1));
    world_step(&w, 1.0f / 240.0f, 1, 1);
    hem_instance_stats s = stats_of(&w);
    const double left = 0.1 - (0.06 - (double)particle_at(&w, nth_particle(&w, false, 0)).position[0]);
    ASSERT(left > 0.02);
    ASSERT_IN_RANGE(left, (double)s.penetration_max, 1e-5);
    ASSERT_EQ(1u, s.penetrating_count); // deeper than a fifth of 0.02 m
    ASSERT_EQ(1u, s.contact_count);
    world_step(&w, 1.0f / 60.0f, 0, 60);
    s = stats_of(&w);
    ASSERT(s.penetration_max < 1e-4f);
    ASSERT_EQ(0u, s.penetrating_count);
    world_close(&w);
    PASS();
}

TEST depth_in_a_body_is_told(void) {
    world w;
    OPEN(w, "on_body");
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_PARTICLE_CONTACTS);
    ASSERT(stats_of(&w).penetration_max < 1e-6f);
    world_throw(&w, 1.0f / 240.0f, 0, -12, 0); // five centimetres
    ASSERT_IN_RANGE(0.05, (double)stats_of(&w).penetration_max, 1e-4);
    ASSERT_EQ(1u, stats_of(&w).penetrating_count);
    world_close(&w);
    PASS();
}

// A pair that overlaps as modelled is not deep; what it is deeper than that, it is deep.
TEST a_depth_that_a_pair_has_at_rest_is_none(void) {
    world w;
    OPEN(w, "in_body"); // a quarter of a metre inside a body of half a metre
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_PARTICLE_CONTACTS);
    ASSERT(stats_of(&w).penetration_max < 1e-6f);
    ASSERT_EQ(0u, stats_of(&w).penetrating_count);
    world_throw(&w, 1.0f / 240.0f, 0, -7.2f, 0); // three centimetres
    ASSERT_IN_RANGE(0.03, (double)stats_of(&w).penetration_max, 1e-4);
    ASSERT_EQ(1u, stats_of(&w).penetrating_count);
    world_close(&w);
    PASS();
}

// With a radius of 0.02 m, 3 mm are not deep and 5 mm are.
TEST deep_is_more_than_a_fifth_of_a_radius(void) {
    static const double depths[] = {0.003, 0.005};
    for (uint32_t i = 0; i < 2; ++i) {
        world w;
        OPEN(w, "on_body");
        hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
        hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_PARTICLE_CONTACTS);
        world_throw(&w, 1.0f / 240.0f, 0, (float)(-240 * depths[i]), 0);
        ASSERT_IN_RANGE(0.02, (double)particle_at(&w, nth_particle(&w, false, 0)).radii[1], 1e-6);
        ASSERT_IN_RANGE(depths[i], (double)stats_of(&w).penetration_max, 1e-5);
        ASSERT_EQ(i, stats_of(&w).penetrating_count);
        world_close(&w);
    }
    PASS();
}

TEST the_report_counts_substeps_and_instances(void) {
    hem_scene_def def = hem_scene_def_default();
    world w;
    ASSERT(world_open(&w, "free", &def, NULL, 3));
    hem_step_report r;
    world_step(&w, 1.0f / 60.0f, 0, 1);
    ASSERT_EQ(HEM_OK, hem_scene_get_report(w.scene, &r));
    ASSERT_EQ(3u, r.instance_count);
    ASSERT_EQ(3u, r.stepped_count);
    ASSERT_EQ(4u, r.substep_count); // 240 Hz
    ASSERT_EQ(0u, r.mended_count + r.dropped_count + r.clamped_count + r.led_count + r.contact_count);
    world_step(&w, 1.0f / 60.0f, 7, 1);
    hem_scene_get_report(w.scene, &r);
    ASSERT_EQ(7u, r.substep_count);
    world_step(&w, 1.0f, 0, 1);
    hem_scene_get_report(w.scene, &r);
    ASSERT_EQ(16u, r.substep_count); // the limit
    world_step(&w, 0, 0, 1);
    hem_scene_get_report(w.scene, &r);
    ASSERT_EQ(0u, r.stepped_count);
    ASSERT_EQ(HEM_OK, hem_scene_remove(w.scene, w.id));
    hem_instance_id second = {2, 0};
    while (!hem_instance_is_valid(w.scene, second) && second.generation < 100) {
        ++second.generation;
    }
    ASSERT_EQ(HEM_OK, hem_instance_set_time_scale(w.scene, second, 0));
    world_step(&w, 1.0f / 60.0f, 0, 1);
    hem_scene_get_report(w.scene, &r);
    ASSERT_EQ(2u, r.instance_count);
    ASSERT_EQ(1u, r.stepped_count); // the other is paused
    world_close(&w);
    PASS();
}

// A hitch of a second is sixteen substeps of at most a sixtieth.
// Of two instances the second is in slow motion and needs fewer.
TEST the_report_has_the_most_substeps_of_any(void) {
    world w;
    ASSERT(world_open(&w, "free", NULL, NULL, 2));
    const hem_instance_id other = {w.id.index1 == 1 ? 2 : 1, w.id.generation};
    const hem_instance_id last = w.id.index1 > other.index1 ? w.id : other;
    ASSERT_EQ(HEM_OK, hem_instance_set_time_scale(w.scene, last, 0.25f));
    world_step(&w, 1.0f / 60.0f, 0, 1);
    hem_step_report report;
    hem_scene_get_report(w.scene, &report);
    ASSERT_EQ(4u, report.substep_count);
    ASSERT_EQ(2u, report.stepped_count);
    world_close(&w);
    PASS();
}

TEST a_long_frame_loses_time(void) {
    world w;
    OPEN(w, "free");
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    world_throw(&w, 1.0f / 240.0f, 3, 0, 0);
    const uint32_t one = nth_particle(&w, false, 0);
    const double before = (double)particle_at(&w, one).position[0];
    world_step(&w, 1.0f, 0, 1);
    ASSERT_IN_RANGE(3.0 * 16 / 60, (double)particle_at(&w, one).position[0] - before, 1e-3);
    world_close(&w);
    PASS();
}

// -- Capacities

static hem_collider ball(double x, double y, double z, float radius) {
    hem_collider c = hem_collider_default();
    c.kind = HEM_COLLIDER_SPHERE;
    c.bone = -1;
    c.position[0] = x;
    c.position[1] = y;
    c.position[2] = z;
    c.rotation[3] = 1;
    c.size[0] = radius;
    c.mask = ~0u;
    return c;
}

// 256 colliders and the last of them is the floor.
TEST as_many_colliders_as_there_is_room_for_all_act(void) {
    static hem_collider colliders[257];
    const uint32_t capacities[] = {1, 63, 64, 65, 256};
    for (size_t n = 0; n < sizeof(capacities) / sizeof(capacities[0]); ++n) {
        hem_scene_def def = hem_scene_def_default();
        def.collider_capacity = capacities[n];
        world w;
        ASSERT(world_open(&w, "sheet_self", &def, NULL, 1));
        for (uint32_t i = 0; i <= capacities[n]; ++i) {
            colliders[i] = ball(0.1 * (i % 16), -50, 0.1 * (i / 16), 0.2f);
        }
        hem_collider* floor = &colliders[capacities[n] - 1];
        *floor = ball(0, -0.3, 0, 0);
        floor->kind = HEM_COLLIDER_PLANE;
        ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, colliders, capacities[n]));
        ASSERT_EQ(HEM_ERROR_COUNT, hem_instance_set_colliders(w.scene, w.id, colliders, capacities[n] + 1));
        world_step(&w, 1.0f / 60.0f, 0, 40);
        for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
            ASSERT((w.view.particle_flags[i] & HEM_PARTICLE_PAD) || particle_at(&w, i).position[1] > -0.301f);
        }
        hem_collider out[256];
        uint32_t count;
        ASSERT_EQ(HEM_OK, hem_instance_get_colliders(w.scene, w.id, out, 256, &count));
        ASSERT_EQ(capacities[n], count);
        ASSERT_EQ(HEM_COLLIDER_PLANE, out[count - 1].kind);
        world_close(&w);
    }
    PASS();
}

static void gather(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                   uint32_t row_count) {
    (void)user, (void)id, (void)velocity;
    for (uint32_t row = 0; row < row_count; ++row) {
        for (uint32_t i = 0; i < 24; ++i) {
            acceleration[row * 24 + i] = -200.0f * position[row * 32 + i];
        }
    }
}

TEST the_least_of_every_room_still_steps(void) {
    static const char* const assets[] = {"crossing", "blocks", "dressed", "sheet_self"};
    for (size_t n = 0; n < sizeof(assets) / sizeof(assets[0]); ++n) {
        hem_scene_def def = hem_scene_def_default();
        def.candidate_capacity = 4;
        def.collider_capacity = 0;
        def.event_capacity = 1;
        def.worker_capacity = 1;
        world w;
        ASSERT(world_open(&w, assets[n], &def, NULL, 3));
        uint32_t dropped = 0, lost = 0;
        for (int f = 0; f < 40; ++f) {
            // Everything is driven towards the middle.
            hem_scene_set_force_field(w.scene, gather, NULL);
            world_step(&w, 1.0f / 20.0f, 0, 1);
            hem_step_report report;
            hem_scene_get_report(w.scene, &report);
            dropped += report.dropped_count;
            ASSERT_EQ(0u, report.mended_count);
            const hem_event* events;
            uint32_t count, lost_now;
            ASSERT_EQ(HEM_OK, hem_scene_get_events(w.scene, &events, &count, &lost_now));
            ASSERT(count <= 1);
            lost += lost_now;
        }
        ASSERT(n > 0 || dropped > 0);
        ASSERT(lost > 0 || dropped == 0);
        world_close(&w);
    }
    PASS();
}

SUITE(stats_suite) {
    RUN_TEST(a_thrown_particle_has_the_energy_of_its_speed);
    RUN_TEST(the_center_of_mass_counts_masses);
    RUN_TEST(stretch_is_length_over_rest);
    RUN_TEST(a_shortened_link_is_stretched_too);
    RUN_TEST(depth_in_a_collider_is_told);
    RUN_TEST(depth_in_a_body_is_told);
    RUN_TEST(a_depth_that_a_pair_has_at_rest_is_none);
    RUN_TEST(deep_is_more_than_a_fifth_of_a_radius);
    RUN_TEST(the_report_counts_substeps_and_instances);
    RUN_TEST(the_report_has_the_most_substeps_of_any);
    RUN_TEST(a_long_frame_loses_time);
    RUN_TEST(as_many_colliders_as_there_is_room_for_all_act);
    RUN_TEST(the_least_of_every_room_still_steps);
}
