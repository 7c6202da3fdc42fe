// SPDX-License-Identifier: MIT
// Painted maps: each particle has its share of its part's number, against the closed form of what that number means. The asset
// has eight loose particles above eight that are held, and a share for each: see write_painted in tests/assets/main.c.

#include "tests/runtime/suites.h"

#include <math.h>

#define COUNT 8
#define H (1.0f / 240.0f)

static const float NO_GRAVITY[3] = {0, 0, 0};

static double up(int i) {
    return (i + 1) / 8.0;
}

static double down(int i) {
    return 1 - i / 16.0;
}

static int column_of(const hem_particle* p) {
    return (int)lround((double)p->position[0]);
}

static void tune_all(world* w, float friction, float drag, float damping, float contact) {
    hem_tuning t[2];
    hem_instance_get_tuning(w->scene, w->id, t, sizeof(t));
    for (int i = 0; i < 2; ++i) {
        t[i].friction = friction;
        t[i].drag = drag;
        t[i].damping = damping;
        t[i].contact_radius = contact;
    }
    hem_instance_set_tuning(w->scene, w->id, t, 2);
    hem_instance_set_features(w->scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
}

// v = v0 e^(-share damping t), whatever the rate.
TEST painted_damping_decays_by_its_share(void) {
    static const int rates[] = {30, 60, 240};
    for (int r = 0; r < 3; ++r) {
        world w;
        OPEN(w, "painted");
        tune_all(&w, 0, 0, 3, 0);
        hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
        world_throw(&w, H, 0, 0, 0.4f);
        double first[COUNT];
        for (uint32_t n = 0; n < COUNT; ++n) {
            const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
            first[column_of(&p)] = (double)p.velocity[2];
        }
        world_step(&w, 1.0f / (float)rates[r], 0, rates[r] / 2);
        for (uint32_t n = 0; n < COUNT; ++n) {
            const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
            const int i = column_of(&p);
            ASSERT_IN_RANGE(first[i] * exp(-3 * up(i) * 0.5), (double)p.velocity[2], 1e-4);
        }
        world_close(&w);
    }
    PASS();
}

// Half a second of wind of 2 m/s: 1 - (1 - k A h share / m)^n of it.
TEST painted_drag_takes_its_share_along(void) {
    world w;
    OPEN(w, "painted");
    tune_all(&w, 0, 4, 0, 0);
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_instance_set_wind(w.scene, w.id, (const float[3]){2, 0, 0}); // along the normals
    world_step(&w, H, 1, 24);
    for (uint32_t n = 0; n < COUNT; ++n) {
        const uint32_t at = nth_particle(&w, false, n);
        const hem_particle p = particle_at(&w, at);
        const double mass = mass_of(&w, at);
        const int i = (int)lround(mass / 0.01) - 1;
        const double k = 4 * 0.01 * (double)H * down(i) / mass;
        ASSERT_IN_RANGE(2 * (1 - pow(1 - k, 24)), (double)p.velocity[0], 1e-3); // places have 24 bits, at 8 m
    }
    world_close(&w);
    PASS();
}

// An impact at an angle on a plane without friction of its own: what is lost along it is share x friction x what is lost
// across it.
TEST painted_friction_is_coulombs_share(void) {
    world w;
    OPEN(w, "painted");
    tune_all(&w, 0.4f, 0, 0, 0);
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_collider plane = hem_collider_default();
    plane.kind = HEM_COLLIDER_PLANE;
    plane.position[1] = 0.499;
    plane.friction = 0;
    ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &plane, 1));
    world_throw(&w, H, 0, -1.0f, 1.0f);
    for (uint32_t n = 0; n < COUNT; ++n) {
        const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
        const int i = column_of(&p);
        const double across = (double)p.velocity[1] + 1, along = 1 - (double)p.velocity[2];
        ASSERT(across > 0.5);
        ASSERT_IN_RANGE(0.4 * up(i) * across, along, 0.01);
    }
    world_close(&w);
    PASS();
}

// What falls on one that is held comes to rest at the sum of both shares of the contact radius.
TEST painted_contact_radii_add_up(void) {
    world w;
    OPEN(w, "painted");
    tune_all(&w, 0, 0, 2, 0.1f);
    world_step(&w, 1.0f / 60.0f, 0, 600);
    for (uint32_t n = 0; n < COUNT; ++n) {
        const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
        const int i = column_of(&p);
        ASSERT_IN_RANGE(0.1 * (down(i) + up(i)), (double)p.position[1], 0.001);
    }
    world_close(&w);
    PASS();
}

SUITE(maps_suite) {
    RUN_TEST(painted_damping_decays_by_its_share);
    RUN_TEST(painted_drag_takes_its_share_along);
    RUN_TEST(painted_friction_is_coulombs_share);
    RUN_TEST(painted_contact_radii_add_up);
}
