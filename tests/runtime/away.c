// SPDX-License-Identifier: MIT
// Sleep by distance: when somebody falls asleep and wakes, by distances of the test's own; that a sleeper keeps its shape and has
// no job; and that coming back is a quiet matter.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t sleep_of(const world* w) {
    hem_instance_stats stats;
    return hem_instance_get_stats(w->scene, w->id, &stats) == HEM_OK ? stats.asleep : 9;
}

static uint32_t events_of(const world* w, hem_event_kind kind) {
    const hem_event* events;
    uint32_t count, lost, found = 0;
    hem_scene_get_events(w->scene, &events, &count, &lost);
    for (uint32_t i = 0; i < count; ++i) {
        found += events[i].kind == kind;
    }
    return found;
}

static uint32_t jobs_of(const world* w) {
    uint32_t jobs;
    const hem_step_args args = {1.0f / 60.0f, 0};
    hem_scene_step_begin(w->scene, &args, &jobs);
    for (uint32_t i = 0; i < jobs; ++i) {
        hem_scene_step_job(w->scene, i, 0);
    }
    hem_scene_step_end(w->scene);
    return jobs;
}

// A jelly that falls for ever from a root that stands elsewhere, and a viewpoint that goes away and comes back twice: asleep
// beyond 20 m from the middle of its particles, awake again within 15, and whatever it was in between.
TEST far_is_asleep_and_near_awake(void) {
    world w;
    OPEN(w, "lattice");
    const hem_root root = {{7, 2, -3}, {0, 0.6f, 0, 0.8f}};
    ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &root, 0));
    ASSERT_EQ(HEM_OK, hem_instance_set_sleep_distance(w.scene, w.id, 20, 15));
    uint32_t expected = 0, slept = 0, woke = 0;
    for (int i = 0; i < 400; ++i) {
        const double point[3] = {7 + 25 * sin(0.03 * i), 2, -3};
        const vec3d m =
            center_of_mass(&w); // masses of a lattice are nearly equal, at rest and in free fall it is its middle
        const double turn = 2 * atan2(0.6, 0.8), x = 7 + cos(turn) * m.x + sin(turn) * m.z, y = 2 + m.y,
                     z = -3 - sin(turn) * m.x + cos(turn) * m.z;
        const double d = hypot(hypot(point[0] - x, point[1] - y), point[2] - z);
        ASSERT_EQ(HEM_OK, hem_scene_set_viewpoint(w.scene, point));
        if (i > 200) { // it is spoken to, and so has a job in every step
            ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        }
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const int sure = fabs(d - (expected ? 15.0 : 20.0)) > 0.2; // the middle is that of places, not of masses
        expected = sure ? (expected ? d > 15 : d > 20) : sleep_of(&w) == 2;
        ASSERT_EQ(expected ? 2u : 0u, sleep_of(&w));
        slept += events_of(&w, HEM_EVENT_SLEEP);
        woke += events_of(&w, HEM_EVENT_WAKE);
    }
    ASSERT(slept >= 3 && woke + 1 >= slept && woke <= slept);
    ASSERT_EQ(HEM_OK, hem_scene_set_viewpoint(w.scene, NULL)); // nothing is far from nowhere
    world_step(&w, 1.0f / 60.0f, 0, 1);
    ASSERT_EQ(0u, sleep_of(&w));
    world_close(&w);
    PASS();
}

// Asleep in the air: it stays there bit for bit, has no job while the viewpoint moves about and while it is said that it shall
// wake, and falls on from rest as soon as somebody comes.
TEST who_is_far_has_no_job(void) {
    world w;
    OPEN(w, "lattice_clips");
    const double far[3] = {100, 0, 0}, near[3] = {1, 0, 0};
    ASSERT_EQ(HEM_OK, hem_instance_set_sleep_distance(w.scene, w.id, 50, 40));
    hem_clip_play play = hem_clip_play_default();
    ASSERT_EQ(HEM_OK, hem_instance_play_clip(w.scene, w.id, &play));
    ASSERT_EQ(HEM_OK, hem_scene_set_viewpoint(w.scene, near));
    world_step(&w, 1.0f / 60.0f, 0, 20);
    ASSERT_EQ(HEM_OK, hem_scene_set_viewpoint(w.scene, far));
    ASSERT_EQ(1u, jobs_of(&w));
    ASSERT_EQ(1u, events_of(&w, HEM_EVENT_SLEEP));
    const uint32_t one = nth_particle(&w, false, 5);
    const hem_particle before = particle_at(&w, one);
    jobs_of(&w);
    for (int i = 0; i < 30; ++i) {
        const double point[3] = {60 + i, 0.5 * i, 0};
        ASSERT_EQ(HEM_OK, hem_scene_set_viewpoint(w.scene, point));
        ASSERT_EQ(0u, jobs_of(&w));
    }
    ASSERT_EQ(HEM_OK, hem_instance_wake(w.scene, w.id));
    world_step(&w, 1.0f / 60.0f, 0, 2);
    ASSERT_EQ(2u, sleep_of(&w));
    const hem_particle after = particle_at(&w, one);
    ASSERT_EQ(0, memcmp(before.position, after.position, sizeof(after.position)));
    ASSERT_EQ(HEM_OK, hem_scene_set_viewpoint(w.scene, near));
    ASSERT_EQ(1u, jobs_of(&w));
    ASSERT_EQ(1u, events_of(&w, HEM_EVENT_WAKE));
    ASSERT_EQ(0u, sleep_of(&w));
    hem_step_report report;
    ASSERT_EQ(HEM_OK, hem_scene_get_report(w.scene, &report));
    ASSERT_EQ(1u, report.stepped_count);
    world_close(&w);
    PASS();
}

// Who rests where it lies is found too when the viewpoint goes and comes; it needs no event for that, as it slept before.
TEST who_rests_may_go_far_too(void) {
    world w;
    OPEN(w, "pendulum");
    hem_tuning t = world_tuning(&w);
    t.sleep_speed = 0.02f;
    t.damping = 1;
    ASSERT(world_tune(&w, &t));
    ASSERT_EQ(HEM_OK, hem_instance_set_sleep_distance(w.scene, w.id, 50, 40));
    const double near[3] = {0, 0, 0}, far[3] = {0, 0, 51};
    ASSERT_EQ(HEM_OK, hem_scene_set_viewpoint(w.scene, near));
    world_step(&w, 1.0f / 60.0f, 0, 120);
    ASSERT_EQ(1u, sleep_of(&w));
    ASSERT_EQ(0u, jobs_of(&w));
    ASSERT_EQ(HEM_OK, hem_scene_set_viewpoint(w.scene, far));
    ASSERT_EQ(1u, jobs_of(&w));
    ASSERT_EQ(0u, events_of(&w, HEM_EVENT_SLEEP));
    ASSERT_EQ(2u, sleep_of(&w));
    ASSERT_EQ(HEM_OK, hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP));
    world_step(&w, 1.0f / 60.0f, 0, 1);
    ASSERT_EQ(0u, sleep_of(&w));
    world_close(&w);
    PASS();
}

// A character that walked on while it was far: what hangs on it is where its bones are, and it comes back without a jerk.
TEST who_comes_back_is_on_its_pose(void) {
    world w;
    OPEN(w, "lattice_held");
    const double far[3] = {100, 0, 0}, near[3] = {0, 0, 0};
    ASSERT_EQ(HEM_OK, hem_instance_set_sleep_distance(w.scene, w.id, 50, 40));
    ASSERT_EQ(HEM_OK, hem_scene_set_viewpoint(w.scene, near));
    hem_tuning t = world_tuning(&w);
    t.drive = 6;
    t.gravity_scale = 0;
    world_tune(&w, &t);
    hem_root root = {{0, 0, 0}, {0, 0, 0, 1}};
    double worst = 0, apart = 0;
    const uint32_t one = nth_particle(&w, false, 80);
    const hem_particle rest = particle_at(&w, one);
    for (int i = 0; i < 240; ++i) { // at 2 m/s, and its bone is turned to the side while nobody looks
        const double a = i < 100 ? 0 : 1.2;
        const float m[12] = {(float)cos(a), (float)-sin(a), 0, 0, (float)sin(a), (float)cos(a), 0, 0, 0, 0, 1, 0};
        root.position[2] = i / 30.0;
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, m, 1, 0));
        ASSERT_EQ(HEM_OK, hem_scene_set_viewpoint(w.scene, i >= 60 && i < 180 ? far : near));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(i >= 60 && i < 180 ? 2u : 0u, sleep_of(&w));
        const hem_particle p = particle_at(&w, one);
        const double want[2] = {cos(a) * (double)rest.position[0] - sin(a) * (double)rest.position[1],
                                sin(a) * (double)rest.position[0] + cos(a) * (double)rest.position[1]};
        const double off = hypot(hypot((double)p.position[0] - want[0], (double)p.position[1] - want[1]),
                                 (double)(p.position[2] - rest.position[2]));
        worst = i >= 180 ? fmax(worst, off) : worst;
        apart = i >= 100 && i < 180 ? fmax(apart, off) : apart;
    }
    ASSERT_IN_RANGE(0.0, apart, 1e-5);
    ASSERT_IN_RANGE(0.0, worst, 0.02); // of a bar of a metre
    world_close(&w);
    PASS();
}

// The same from a save in the middle of it, of state alone and of all: jobs follow from INPUT and STATE.
TEST a_save_from_far_away_goes_on_with_the_same_bits(void) {
    for (int kind = HEM_SAVE_STATE; kind <= HEM_SAVE_ALL; ++kind) {
        for (int at = 20; at < 160; at += 20) {
            world w;
            OPEN(w, "lattice_held");
            uint64_t ends[2] = {0, 0};
            void* save = NULL;
            for (int run = 0; run < 2; ++run) {
                for (int i = run ? at : 0; i < 180; ++i) {
                    const double point[3] = {25 * sin(0.05 * i), 0, 0};
                    hem_instance_set_sleep_distance(w.scene, w.id, 20, 10);
                    hem_scene_set_viewpoint(w.scene, point);
                    if (!run && i == at) {
                        save = malloc(hem_scene_save_size(w.scene, (hem_save_kind)kind));
                        hem_scene_save(w.scene, (hem_save_kind)kind, save,
                                       hem_scene_save_size(w.scene, (hem_save_kind)kind));
                    }
                    world_step(&w, 1.0f / 60.0f, 0, 1);
                }
                ends[run] = hem_scene_hash(w.scene);
                ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, save, hem_scene_save_size(w.scene, (hem_save_kind)kind)));
            }
            ASSERT_EQ(ends[0], ends[1]);
            free(save);
            world_close(&w);
        }
    }
    PASS();
}

SUITE(away_suite) {
    RUN_TEST(far_is_asleep_and_near_awake);
    RUN_TEST(who_is_far_has_no_job);
    RUN_TEST(who_rests_may_go_far_too);
    RUN_TEST(who_comes_back_is_on_its_pose);
    RUN_TEST(a_save_from_far_away_goes_on_with_the_same_bits);
}
