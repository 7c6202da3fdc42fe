// SPDX-License-Identifier: MIT
// Colliders of the scene: said once, they are there for all, and do what the same colliders of each instance would do.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 90
#define KINDS 5

static const float wedge[5][4] = {
    {-0.6f, 0.8f, 0, 0.1f}, {0, -1, 0, 0.3f}, {1, 0, 0, 0.2f}, {0, 0, 1, 0.2f}, {0, 0, -1, 0.2f}};

// One of each kind below the cloth, in the world, some of them moving.
static void surroundings(hem_collider c[KINDS], int frame) {
    for (int i = 0; i < KINDS; ++i) {
        c[i] = hem_collider_default();
        c[i].kind = (hem_collider_kind)i;
        c[i].position[0] = 0.3 * i - 0.6;
        c[i].position[1] = -0.7;
        c[i].position[2] = 0.2 * sin(0.1 * frame + i);
        c[i].rotation[1] = (float)sin(0.02 * frame);
        c[i].rotation[3] = (float)cos(0.02 * frame);
        c[i].friction = 0.2f;
        for (int k = 0; k < 3; ++k) {
            c[i].size[k] = 0.15f;
        }
    }
    c[0].position[1] = -1.0;
    c[3].size[3] = 0.02f;
    c[3].jumped = frame % 30 == 0;
    c[4].planes = wedge[0];
    c[4].plane_count = 5;
}

static hem_root place_of(int frame) {
    hem_root root = {{0.01 * frame, 0.1 * sin(0.07 * frame), 0}, {0, 0, 0, 1}};
    root.rotation[1] = (float)sin(0.01 * frame);
    root.rotation[3] = (float)cos(0.01 * frame);
    return root;
}

TEST colliders_of_the_scene_do_what_those_of_an_instance_do_bit_for_bit(const char* asset) {
    world own, shared;
    ASSERT(world_open(&own, asset, NULL, NULL, 1));
    ASSERT(world_open(&shared, asset, NULL, NULL, 1));
    uint32_t n = own.view.info->particle_count, touched = 0;
    hem_particle* a = malloc(n * sizeof(*a));
    hem_particle* b = malloc(n * sizeof(*b));
    for (int f = 0; f < FRAMES; ++f) {
        hem_collider c[KINDS];
        surroundings(c, f);
        ASSERT_EQ(HEM_OK, hem_instance_set_colliders(own.scene, own.id, c, KINDS));
        ASSERT_EQ(HEM_OK, hem_scene_set_colliders(shared.scene, c, KINDS));
        hem_root root = place_of(f);
        if (f == 50) {
            root.position[0] += 0.2;
            hem_instance_teleport(own.scene, own.id, &root, 1);
            hem_instance_teleport(shared.scene, shared.id, &root, 1);
        } else {
            hem_instance_set_root(own.scene, own.id, &root);
            hem_instance_set_root(shared.scene, shared.id, &root);
        }
        world_step(&own, 1.0f / 60.0f, 0, 1);
        world_step(&shared, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(HEM_OK, hem_instance_get_particles(own.scene, own.id, 0, n, a));
        ASSERT_EQ(HEM_OK, hem_instance_get_particles(shared.scene, shared.id, 0, n, b));
        // A teleport takes the way of an instance's own colliders from them; the scene's are where they were.
        if (f < 50) {
            ASSERT_MEM_EQ(a, b, n * sizeof(*a));
        }
        hem_instance_stats stats[2];
        ASSERT_EQ(HEM_OK, hem_instance_get_stats(shared.scene, shared.id, &stats[1]));
        ASSERT_EQ(HEM_OK, hem_instance_get_stats(own.scene, own.id, &stats[0]));
        ASSERT(f >= 50 || stats[0].penetration_max == stats[1].penetration_max);
        hem_step_report report;
        hem_scene_get_report(shared.scene, &report);
        touched += report.contact_count;
        hem_collider seen[2][2 * KINDS];
        uint32_t count[2];
        hem_instance_get_colliders(own.scene, own.id, seen[0], 2 * KINDS, &count[0]);
        hem_instance_get_colliders(shared.scene, shared.id, seen[1], 2 * KINDS, &count[1]);
        ASSERT_EQ(count[0], count[1]);
        for (uint32_t i = 0; i < count[0]; ++i) {
            ASSERT_EQ(seen[0][i].kind, seen[1][i].kind);
            ASSERT_MEM_EQ(seen[0][i].position, seen[1][i].position, sizeof(seen[0][i].position));
            ASSERT_MEM_EQ(seen[0][i].rotation, seen[1][i].rotation, sizeof(seen[0][i].rotation));
        }
    }
    ASSERT(touched > 0);
    free(a);
    free(b);
    world_close(&own);
    world_close(&shared);
    PASS();
}

TEST a_ground_said_once_holds_whoever_comes_later(void) {
    world w;
    ASSERT(world_open(&w, "free", NULL, NULL, 2));
    hem_collider ground = hem_collider_default();
    ground.kind = HEM_COLLIDER_PLANE;
    ground.position[1] = -0.5;
    ASSERT_EQ(HEM_OK, hem_scene_set_colliders(w.scene, &ground, 1));
    world_step(&w, 1.0f / 60.0f, 0, 20);
    ASSERT_EQ(HEM_OK, hem_scene_remove(w.scene, w.id));
    hem_instance_def def = hem_instance_def_default();
    def.asset = &w.asset;
    def.root.position[1] = 0.25; // the ground stays where it is in the world
    ASSERT_EQ(HEM_OK, hem_scene_add(w.scene, &def, &w.id));
    world_step(&w, 1.0f / 60.0f, 0, 120);
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        hem_particle p = particle_at(&w, i);
        ASSERT((p.flags & HEM_PARTICLE_PAD) || (p.position[1] > -0.751f && p.position[1] < -0.7f));
    }
    ASSERT_EQ(HEM_OK, hem_scene_set_colliders(w.scene, NULL, 0));
    world_step(&w, 1.0f / 60.0f, 0, 60);
    ASSERT(particle_at(&w, nth_particle(&w, false, 0)).position[1] < -2.0f);
    world_close(&w);
    PASS();
}

static int sleeps(const world* w) {
    hem_instance_stats stats;
    return hem_instance_get_stats(w->scene, w->id, &stats) == HEM_OK && stats.asleep;
}

TEST a_collider_of_the_scene_that_changes_wakes_and_one_said_again_does_not(void) {
    world w;
    ASSERT(world_open(&w, "pendulum", NULL, NULL, 1));
    hem_tuning t = world_tuning(&w);
    t.sleep_speed = 0.02f;
    t.damping = 1;
    ASSERT(world_tune(&w, &t));
    hem_collider c[2] = {hem_collider_default(), hem_collider_default()};
    c[0].kind = HEM_COLLIDER_PLANE;
    c[0].position[1] = -9;
    c[1].size[0] = 0.1f;
    c[1].position[0] = 5;
    hem_scene_set_colliders(w.scene, c, 2);
    world_step(&w, 1.0f / 60.0f, 0, 60);
    ASSERT(sleeps(&w));
    hem_scene_set_colliders(w.scene, c, 2);
    world_step(&w, 1.0f / 60.0f, 0, 1);
    ASSERT(sleeps(&w));
    c[1].position[0] = 5.01;
    hem_scene_set_colliders(w.scene, c, 2);
    world_step(&w, 1.0f / 60.0f, 0, 1);
    ASSERT_FALSE(sleeps(&w));
    world_close(&w);
    PASS();
}

TEST colliders_are_refused_by_name(void) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.scene_collider_capacity = 2;
    ASSERT(world_open(&w, "free", &def, NULL, 1));
    uint64_t before = hem_scene_hash(w.scene);
    hem_collider c[3] = {hem_collider_default(), hem_collider_default(), hem_collider_default()};
    ASSERT_EQ(HEM_ERROR_COUNT, hem_scene_set_colliders(w.scene, c, 3));
    ASSERT(strstr(hem_scene_refusal(w.scene), "hem_scene_set_colliders: count is 3: "));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_set_colliders(w.scene, NULL, 1));
    c[1].bone = 0; // the scene has none
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_set_colliders(w.scene, c, 2));
    ASSERT(strstr(hem_scene_refusal(w.scene), "colliders[1].bone is 0: must be -1: "));
    // The trap of old: all zero and a rotation has mask 0 and touches nothing.
    hem_collider zero;
    memset(&zero, 0, sizeof(zero));
    zero.rotation[3] = 1;
    ASSERT_EQ(HEM_ERROR_COOKIE, hem_scene_set_colliders(w.scene, &zero, 1));
    ASSERT_EQ(HEM_ERROR_COOKIE, hem_instance_set_colliders(w.scene, w.id, &zero, 1));
    ASSERT(strstr(hem_scene_refusal(w.scene), "colliders[0].cookie is 0: make it with hem_collider_default"));
    ASSERT_EQ(before, hem_scene_hash(w.scene));
    ASSERT_EQ(HEM_OK, hem_scene_set_colliders(w.scene, c, 1));
    ASSERT(before != hem_scene_hash(w.scene)); // hashed
    world_close(&w);
    PASS();
}

TEST a_scene_with_surroundings_goes_on_in_an_untouched_one(void) {
    world w, again;
    ASSERT(world_open(&w, "cape", NULL, NULL, 1));
    ASSERT(world_open(&again, "cape", NULL, NULL, 1));
    hem_collider c[KINDS];
    for (int f = 0; f < 20; ++f) {
        surroundings(c, f);
        hem_scene_set_colliders(w.scene, c, KINDS);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    surroundings(c, 20); // said, not yet stepped: the way there is part of the save
    hem_scene_set_colliders(w.scene, c, KINDS);
    size_t size = hem_scene_save_size(w.scene, HEM_SAVE_ALL);
    uint8_t* save = malloc(size);
    ASSERT_EQ(HEM_OK, hem_scene_save(w.scene, HEM_SAVE_ALL, save, size));
    ASSERT_EQ(HEM_OK, hem_scene_load(again.scene, save, size));
    for (int f = 21; f < 60; ++f) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
        world_step(&again, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(hem_scene_hash(w.scene), hem_scene_hash(again.scene));
        surroundings(c, f);
        hem_scene_set_colliders(w.scene, c, KINDS);
        hem_scene_set_colliders(again.scene, c, KINDS);
    }
    free(save);
    world_close(&w);
    world_close(&again);
    PASS();
}

SUITE(ground_suite) {
    RUN_TESTp(colliders_of_the_scene_do_what_those_of_an_instance_do_bit_for_bit, "cape");
    RUN_TESTp(colliders_of_the_scene_do_what_those_of_an_instance_do_bit_for_bit, "block");
    RUN_TEST(a_ground_said_once_holds_whoever_comes_later);
    RUN_TEST(a_collider_of_the_scene_that_changes_wakes_and_one_said_again_does_not);
    RUN_TEST(colliders_are_refused_by_name);
    RUN_TEST(a_scene_with_surroundings_goes_on_in_an_untouched_one);
}
