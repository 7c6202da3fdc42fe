// SPDX-License-Identifier: MIT
// Every kind of constraint far outside of what it is made for: a tenth of the mass, a thousand times the stiffness, shaken in frames of
// 1/15 s. All stays finite, and comes to rest when the shaking ends. Weight goes with mass, so stiffness over mass alone counts: ten
// thousand times as much.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME (1.0f / 15.0f)
#define STIFFER 1e4f
#define SOFTER (1.0f / STIFFER)

// Writes to the file's own numbers, which the view shows as const.
static void scale(const float* of, size_t count, float by, float least) {
    float* numbers = (float*)(uintptr_t)of;
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = fmaxf(numbers[i] * by, least);
    }
}

static void stiffen_springs(world* w) {
    for (uint32_t i = 0; i < w->view.spring_count; ++i) {
        for (int lane = 0; lane < 8; ++lane) { // idle lanes have 1
            const float softer = fmaxf(w->view.springs[i].compliance[lane] * SOFTER, HEM_MIN_SPRING_COMPLIANCE);
            ((float*)(uintptr_t)w->view.springs[i].compliance)[lane] =
                w->view.springs[i].compliance[lane] == 1 ? 1 : softer;
        }
    }
}

static bool stiffen(world* w, uint32_t solver) {
    hem_tuning t[8];
    if (w->view.info->part_count > 8) {
        return false;
    }
    hem_instance_get_tuning(w->scene, w->id, t, sizeof(t));
    for (uint32_t p = 0; p < w->view.info->part_count; ++p) {
        scale(t[p].compliance, 8, SOFTER, 0);
        scale(&t[p].shape_compliance, 1, SOFTER, 0);
        scale(&t[p].fabric_warp, 1, SOFTER, 1e-9f);
        scale(&t[p].fabric_weft, 1, SOFTER, 1e-9f);
        scale(&t[p].fabric_shear, 1, SOFTER, 1e-9f);
        scale(&t[p].fabric_bend, 1, SOFTER, 1e-3f);
        t[p].solid_young = fminf(t[p].solid_young * STIFFER, 1e9f);
        t[p].rod_stiffness = fminf(t[p].rod_stiffness * STIFFER, 1e3f);
        t[p].drive = fminf(t[p].drive * 100.0f, 100.0f); // Hz
        t[p].damping = t[p].angular_damping = 1;
        t[p].drag = t[p].lift = 0;
        t[p].solver = solver;
    }
    hem_instance_set_features(w->scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    return hem_instance_set_tuning(w->scene, w->id, t, w->view.info->part_count) == HEM_OK;
}

static void pose_at(world* w, float x, float y) {
    const float pose[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, 0};
    hem_instance_set_pose(w->scene, w->id, pose, 1, 0);
}

// How fast the fastest goes from one frame to the next; infinite where something is not finite or is far away. (Speeds that particles say
// of themselves are other things: those of chains that follow their leaders are what the rule needs.)
static double unrest(world* w) {
    static hem_particle before[4096];
    double most = 0;
    const uint32_t count = w->view.info->row_count * 8;
    hem_instance_get_particles(w->scene, w->id, 0, count, before);
    world_step(w, FRAME, 0, 1);
    for (uint32_t i = 0; i < count; ++i) {
        const hem_particle p = particle_at(w, i);
        for (int k = 0; k < 3 && !(w->view.particle_flags[i] & HEM_PARTICLE_PAD); ++k) {
            const double far = fabs((double)p.position[k]), way = (double)p.position[k] - (double)before[i].position[k];
            most = far < 20 ? fmax(most, fabs(way) / (double)FRAME) : INFINITY;
        }
    }
    return most;
}

TEST stiff_and_light_in_long_frames(const char* name, uint32_t solver) {
    world w;
    ASSERT(world_open_spoiled(&w, name, stiffen_springs));
    ASSERT(stiffen(&w, solver));
    hem_collider ground = hem_collider_default();
    ground.kind = HEM_COLLIDER_PLANE;
    ground.position[1] = -1.5;
    ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &ground, 1));
    for (int f = 1; f <= 30; ++f) { // two seconds, two swings a second, 20 cm
        const float a = 2 * 3.14159265f * 2 * FRAME * (float)f;
        pose_at(&w, 0.2f * sinf(a), 0.1f * sinf(1.3f * a));
        ASSERT(isfinite(unrest(&w)));
    }
    pose_at(&w, 0, 0);
    world_step(&w, FRAME, 0, as_long_as(300, 150));
    const double left = unrest(&w);
    if (getenv("HEM_STRESS")) {
        printf("%s: %.4f m/s\n", name, left);
    }
    ASSERT_IN_RANGE(0, left, 0.05);
    world_close(&w);
    PASS();
}

SUITE(stress_suite) {
    static const char* const names[] = {"cape",         "sprung",      "block",    "fabric",  "fabric_flat",
                                        "driven",       "chains",      "rods",     "tracked", "solid_held",
                                        "lattice_held", "chains_hung", "hair_full"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        greatest_set_test_suffix(names[i]);
        RUN_TESTp(stiff_and_light_in_long_frames, names[i], HEM_SOLVER_XPBD);
    }
    greatest_set_test_suffix("chains_follow");
    RUN_TESTp(stiff_and_light_in_long_frames, "chains", HEM_SOLVER_FOLLOW);
}
