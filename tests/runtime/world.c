// SPDX-License-Identifier: MIT
// Characters in a world: roots that move, jump and ride, time that stops, places far away, settings that change.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 4096 };

typedef struct shot { // of every particle
    float position[LIMIT][3], velocity[LIMIT][3];
    uint32_t count;
} shot;

static void take(const world* w, shot* s) {
    static hem_particle p[LIMIT];
    memset(s, 0, sizeof(*s));
    s->count = w->view.info->particle_count < LIMIT ? w->view.info->particle_count : LIMIT;
    hem_instance_get_particles(w->scene, w->id, 0, s->count, p);
    for (uint32_t i = 0; i < s->count; ++i) {
        if (!(p[i].flags & HEM_PARTICLE_PAD)) {
            memcpy(s->position[i], p[i].position, sizeof(p[i].position));
            memcpy(s->velocity[i], p[i].velocity, sizeof(p[i].velocity));
        }
    }
}

static double apart(const shot* a, const shot* b) { // farthest
    double worst = 0;
    for (uint32_t i = 0; i < a->count; ++i) {
        double d = 0;
        for (int k = 0; k < 3; ++k) {
            double e = (double)a->position[i][k] - (double)b->position[i][k];
            d += e * e;
        }
        worst = fmax(worst, sqrt(d));
    }
    return worst;
}

static shot first, second;

static hem_root at(double x, double y, double z) {
    hem_root root = {{x, y, z}, {0, 0, 0, 1}};
    return root;
}

static void turn_about_y(hem_root* root, double angle) {
    root->rotation[1] = (float)sin(angle / 2);
    root->rotation[3] = (float)cos(angle / 2);
}

// A cape that falls from level: it moves all the time that these tests look at.
TEST a_teleport_keeps_the_shape(void) {
    for (int keep = 0; keep < 2; ++keep) {
        world w;
        OPEN(w, "cape_half");
        world_step(&w, 1.0f / 60.0f, 0, 20);
        take(&w, &first);
        hem_root far = at(500, -20, 3);
        turn_about_y(&far, 2.0);
        ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &far, keep));
        take(&w, &second);
        ASSERT_EQ(0, memcmp(first.position, second.position, sizeof(first.position)));
        static const shot nothing;
        ASSERT_EQ(0, memcmp(keep ? first.velocity : nothing.velocity, second.velocity, sizeof(first.velocity)));
        // And the next step feels nothing of the way: with velocities kept, the same as had it stayed.
        world_step(&w, 1.0f / 60.0f, 0, 1);
        take(&w, &second);
        if (keep) {
            world stay;
            OPEN(stay, "cape_half");
            world_step(&stay, 1.0f / 60.0f, 0, 21);
            take(&stay, &first);
            world_close(&stay);
        }
        ASSERT(apart(&first, &second) < (keep ? 1e-4 : 0.02));
        world_close(&w);
    }
    PASS();
}

TEST a_root_that_moves_is_felt(void) {
    // The other tests say what is not felt; without this one an engine that ignores roots would pass them all.
    world w;
    OPEN(w, "cape_half");
    world still;
    OPEN(still, "cape_half");
    for (int f = 1; f <= 30; ++f) {
        hem_root root = at(0.1 * f, 0, 0);
        hem_instance_set_root(w.scene, w.id, &root);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    world_step(&still, 1.0f / 60.0f, 0, 30);
    take(&w, &first);
    take(&still, &second);
    ASSERT(apart(&first, &second) > 0.1);
    world_close(&w);
    world_close(&still);
    PASS();
}

TEST a_moving_platform_is_not_felt(void) {
    world w;
    OPEN(w, "cape_half");
    hem_root last = at(0, 0, 0);
    for (int f = 1; f <= 60; ++f) {
        // A lift that also turns, and speeds up.
        hem_root next = at(0.001 * f * f, 0.05 * f, 0.3 * sin(0.1 * f));
        turn_about_y(&next, 0.03 * f);
        ASSERT_EQ(HEM_OK, hem_instance_carry(w.scene, w.id, &last, &next));
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &next));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        last = next;
    }
    take(&w, &first);
    world_close(&w);
    OPEN(w, "cape_half");
    world_step(&w, 1.0f / 60.0f, 0, 60);
    take(&w, &second);
    world_close(&w);
    ASSERT(apart(&first, &second) < 1e-4);
    PASS();
}

TEST without_inertia_a_run_is_like_standing(void) {
    for (int n = 0; n < 2; ++n) {
        world w;
        OPEN(w, "cape_half");
        hem_tuning tuning;
        ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, &tuning, sizeof(tuning)));
        tuning.linear_inertia = 0;
        ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
        for (int f = 1; f <= 60; ++f) {
            hem_root root = at(n * f * 5.0 / 60.0, 0, 0);
            hem_instance_set_root(w.scene, w.id, &root);
            world_step(&w, 1.0f / 60.0f, 0, 1);
        }
        take(&w, n ? &second : &first);
        world_close(&w);
    }
    ASSERT(apart(&first, &second) < 1e-5);
    PASS();
}

TEST a_steady_run_with_full_inertia_ends_like_standing(void) {
    // Galileo: once at speed, moving steadily and standing still are the same.
    for (int n = 0; n < 2; ++n) {
        world w;
        OPEN(w, "cape_half");
        for (int f = 1; f <= 600; ++f) {
            hem_root root = at(n * f * 3.0 / 60.0, 0, 0);
            hem_instance_set_root(w.scene, w.id, &root);
            world_step(&w, 1.0f / 60.0f, 0, 1);
        }
        take(&w, n ? &second : &first);
        world_close(&w);
    }
    ASSERT(apart(&first, &second) < 0.02);
    PASS();
}

// The angle by which a particle without weight or damping, one metre off the axis, turns in the frame of a root that turns
// by `angle` within `frames` frames.
static double felt_turn(double angle, int frames, float hz, float limit) {
    world w;
    if (!world_open(&w, "free", NULL, NULL, 1)) {
        return -1;
    }
    const float none[3] = {0, 0, 0};
    hem_instance_set_gravity(w.scene, w.id, none);
    hem_tuning tuning;
    hem_instance_get_tuning(w.scene, w.id, &tuning, sizeof(tuning));
    tuning.damping = 0;
    hem_instance_set_tuning(w.scene, w.id, &tuning, 1);
    hem_instance_set_felt_limits(w.scene, w.id, 1e6f, limit);
    // The root is moved away from it, and it rests there.
    hem_root root = at(1, 0, 0);
    hem_instance_set_root(w.scene, w.id, &root);
    world_step(&w, 1.0f / hz, 0, 1);
    hem_root still = root;
    world_step(&w, 1.0f / hz, 0, 1);
    for (int f = 1; f <= frames; ++f) {
        root = still;
        turn_about_y(&root, angle * f / frames);
        hem_instance_set_root(w.scene, w.id, &root);
        world_step(&w, 1.0f / hz, 0, 1);
    }
    hem_particle p = particle_at(&w, nth_particle(&w, false, 0));
    world_close(&w);
    return atan2((double)p.position[2], -(double)p.position[0]);
}

TEST a_turn_is_felt_up_to_the_limit(void) {
    // Free of everything, a particle rests in the world, so in the frame it turns the other way, by the whole angle.
    ASSERT_IN_RANGE(1.0, fabs(felt_turn(1.0, 30, 60, 1e6f)), 0.01);
    ASSERT_IN_RANGE(3.0, fabs(felt_turn(3.0, 1, 60, 1e6f)), 0.01);
    // An about-face within a frame starts and stops with the acceleration a: a dt^2 are felt, for a frame.
    for (int i = 0; i < 3; ++i) {
        const float rates[] = {30, 60, 144};
        double most = 200.0 / ((double)rates[i] * (double)rates[i]);
        ASSERT_IN_RANGE(most, fabs(felt_turn(3.0, 1, rates[i], 200)), 0.02 * most + 1e-4);
    }
    // A turn with half that acceleration is felt whole.
    ASSERT_IN_RANGE(0.5, fabs(felt_turn(0.5, 30, 60, 200)), 0.01);
    PASS();
}

TEST a_start_within_a_frame_is_felt_with_the_limit(void) {
    world w;
    OPEN(w, "free");
    const float none[3] = {0, 0, 0};
    hem_instance_set_gravity(w.scene, w.id, none);
    hem_tuning tuning;
    hem_instance_get_tuning(w.scene, w.id, &tuning, sizeof(tuning));
    tuning.damping = 0;
    hem_instance_set_tuning(w.scene, w.id, &tuning, 1);
    ASSERT_EQ(HEM_OK, hem_instance_set_felt_limits(w.scene, w.id, 60, 200));
    // To 3 m/s at once: at 60 m/s^2 three frames of 1, 2 and 3 m/s are felt, then 3 m/s for as long as it lasts.
    double behind = 0;
    for (int f = 1; f <= 10; ++f) {
        hem_root root = at(3.0 * f / 60, 0, 0);
        hem_instance_set_root(w.scene, w.id, &root);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        behind += fmin(f, 3) / 60;
        ASSERT_IN_RANGE(-behind, (double)particle_at(&w, nth_particle(&w, false, 0)).position[0], 1e-4);
    }
    world_close(&w);
    PASS();
}

TEST time_scale_stops_and_slows(void) {
    world w;
    OPEN(w, "cape_half");
    world_step(&w, 1.0f / 60.0f, 0, 20);
    take(&w, &first);
    ASSERT_EQ(HEM_OK, hem_instance_set_time_scale(w.scene, w.id, 0));
    world_step(&w, 1.0f / 60.0f, 0, 10);
    take(&w, &second);
    ASSERT_EQ(0, memcmp(&first, &second, sizeof(first)));
    ASSERT_EQ(HEM_OK, hem_instance_set_time_scale(w.scene, w.id, 0.5f));
    world_step(&w, 1.0f / 60.0f, 0, 40);
    take(&w, &second);
    world_close(&w);
    OPEN(w, "cape_half");
    world_step(&w, 1.0f / 60.0f, 0, 40);
    take(&w, &first);
    world_close(&w);
    ASSERT(apart(&first, &second) < 1e-3);
    PASS();
}

TEST far_from_the_origin_the_bits_are_the_same(void) {
    for (int n = 0; n < 2; ++n) {
        world w;
        hem_instance_def def = hem_instance_def_default();
        // Exact in doubles, so that every difference is exact too.
        double base = n ? 1048576.0 : 0.0;
        def.root = at(base, -base, base);
        ASSERT(world_open(&w, "cape_half", NULL, &def, 1));
        hem_collider ball = hem_collider_default();
        ball.kind = HEM_COLLIDER_SPHERE;
        ball.bone = -1;
        ball.rotation[3] = 1;
        ball.size[0] = 0.25f;
        ball.mask = ~0u;
        for (int f = 1; f <= 60; ++f) {
            hem_root root = at(base + f / 64.0, -base, base + (f % 16) / 128.0);
            turn_about_y(&root, 0.02 * f);
            ball.position[0] = base + f / 64.0 + 0.25;
            ball.position[1] = -base - 0.5;
            ball.position[2] = base + 0.125;
            hem_instance_set_root(w.scene, w.id, &root);
            hem_instance_set_colliders(w.scene, w.id, &ball, 1);
            world_step(&w, 1.0f / 60.0f, 0, 1);
        }
        take(&w, n ? &second : &first);
        world_close(&w);
    }
    ASSERT_EQ(0, memcmp(&first, &second, sizeof(first)));
    PASS();
}

TEST a_bob_hangs_along_gravity(void) {
    const float directions[3][3] = {{9.81f, 0, 0}, {0, 9.81f, 0}, {0, -6, 8}};
    for (int i = 0; i < 3; ++i) {
        for (int turned = 0; turned < 2; ++turned) {
            world w;
            OPEN(w, "pendulum");
            hem_tuning tuning;
            hem_instance_get_tuning(w.scene, w.id, &tuning, sizeof(tuning));
            tuning.damping = 4;
            hem_instance_set_tuning(w.scene, w.id, &tuning, 1);
            hem_root root = at(0, 0, 0);
            root.rotation[2] = turned ? 0.6f : 0; // gravity is of the world, the particle of the character
            root.rotation[3] = turned ? 0.8f : 1;
            hem_instance_teleport(w.scene, w.id, &root, 0);
            // Straight up is a balance, so start from a push to the side.
            const float aside[3] = {3, 1, 5};
            hem_instance_set_gravity(w.scene, w.id, aside);
            world_step(&w, 1.0f / 60.0f, 0, 20);
            hem_instance_set_gravity(w.scene, w.id, directions[i]);
            world_step(&w, 1.0f / 60.0f, 0, 600);
            hem_particle p = particle_at(&w, nth_particle(&w, false, 0));
            double x = (double)p.position[0], y = (double)p.position[1], z = (double)p.position[2];
            if (turned) { // about z by twice atan(3/4): cos 7/25, sin 24/25
                double wx = 0.28 * x - 0.96 * y, wy = 0.96 * x + 0.28 * y;
                x = wx;
                y = wy;
            }
            const float* g = directions[i];
            double size = sqrt((double)(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
            double off = hypot(hypot(x - (double)g[0] / size, y - (double)g[1] / size), z - (double)g[2] / size);
            ASSERT(off < 0.03);
            world_close(&w);
        }
    }
    PASS();
}

TEST live_tuning_moves_nothing(void) {
    world w;
    OPEN(w, "cape_half");
    world_step(&w, 1.0f / 60.0f, 0, 20);
    take(&w, &first);
    hem_tuning tuning;
    ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, &tuning, sizeof(tuning)));
    tuning.gravity_scale = 0;
    tuning.damping = 20;
    ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
    take(&w, &second);
    ASSERT_EQ(0, memcmp(&first, &second, sizeof(first)));
    // But it acts: without weight and in honey the cape stops.
    world_step(&w, 1.0f / 60.0f, 0, 60);
    take(&w, &second);
    double fastest = 0;
    for (uint32_t i = 0; i < second.count; ++i) {
        const float* v = second.velocity[i];
        fastest = fmax(fastest, sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])));
    }
    ASSERT(fastest < 0.05);
    world_close(&w);
    PASS();
}

// The air pushes on what the particles' neighbours say about their normals: a snapshot must bring those back too.
TEST going_back_in_wind_gives_the_same_future(void) {
    world w;
    OPEN(w, "cape_half");
    hem_tuning tuning;
    ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, &tuning, sizeof(tuning)));
    tuning.drag = 5;
    tuning.lift = 1;
    ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
    const float wind[3] = {1, 2, 6};
    hem_instance_set_wind(w.scene, w.id, wind);
    world_step(&w, 1.0f / 60.0f, 0, 20);
    size_t size = hem_scene_save_size(w.scene, HEM_SAVE_STATE);
    void* saved = malloc(size);
    ASSERT(saved && hem_scene_save(w.scene, HEM_SAVE_STATE, saved, size) == HEM_OK);
    take(&w, &first);
    hem_particle before = particle_at(&w, nth_particle(&w, false, 40));
    world_step(&w, 1.0f / 60.0f, 0, 5);
    uint64_t once = hem_scene_hash(w.scene);
    ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saved, size));
    hem_particle after = particle_at(&w, nth_particle(&w, false, 40));
    ASSERT_EQ(0, memcmp(before.rotation, after.rotation, sizeof(before.rotation)));
    world_step(&w, 1.0f / 60.0f, 0, 5);
    ASSERT(once == hem_scene_hash(w.scene));
    free(saved);
    world_close(&w);
    PASS();
}

TEST a_step_of_almost_no_time_changes_nothing(void) {
    static const float seconds[] = {1e-7f, 1e-20f, 1e-30f, 1e-40f};
    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); ++i) {
        world w;
        OPEN(w, "block");
        world_step(&w, 1.0f / 60.0f, 0, 10);
        hem_particle before = particle_at(&w, nth_particle(&w, false, 5));
        world_step(&w, seconds[i], 0, 3);
        hem_instance_set_time_scale(w.scene, w.id, seconds[i]);
        world_step(&w, 1.0f / 60.0f, 0, 3);
        hem_step_report report;
        ASSERT_EQ(HEM_OK, hem_scene_get_report(w.scene, &report));
        ASSERT_EQ(0, report.mended_count);
        hem_particle after = particle_at(&w, nth_particle(&w, false, 5));
        ASSERT_EQ(0, memcmp(&before, &after, sizeof(before)));
        world_close(&w);
    }
    PASS();
}

SUITE(world_suite) {
    RUN_TEST(a_teleport_keeps_the_shape);
    RUN_TEST(a_root_that_moves_is_felt);
    RUN_TEST(a_moving_platform_is_not_felt);
    RUN_TEST(without_inertia_a_run_is_like_standing);
    RUN_TEST(a_steady_run_with_full_inertia_ends_like_standing);
    RUN_TEST(a_turn_is_felt_up_to_the_limit);
    RUN_TEST(a_start_within_a_frame_is_felt_with_the_limit);
    RUN_TEST(time_scale_stops_and_slows);
    RUN_TEST(a_step_of_almost_no_time_changes_nothing);
    RUN_TEST(far_from_the_origin_the_bits_are_the_same);
    RUN_TEST(a_bob_hangs_along_gravity);
    RUN_TEST(live_tuning_moves_nothing);
    RUN_TEST(going_back_in_wind_gives_the_same_future);
}
