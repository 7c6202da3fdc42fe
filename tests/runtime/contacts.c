// SPDX-License-Identifier: MIT
// Which contacts there are and which way they push, by construction: tangent spheres, who passes whom, who meets whom.

#include "tests/runtime/suites.h"

#include <math.h>
#include <string.h>

static const float NO_GRAVITY[3] = {0, 0, 0};

typedef struct push {
    uint32_t slot;
    float y; // m/s^2
} push;

static void push_one(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                     uint32_t row_count) {
    const push* p = user;
    (void)id, (void)position, (void)velocity, (void)row_count;
    acceleration[(p->slot >> 3) * 24 + 8 + (p->slot & 7)] = p->y;
}

// The slot of the particle that rests at this height on x = z = 0.
static uint32_t slot_at(const world* w, double y) {
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        const hem_rest_row* rest = &w->view.rest_rows[i >> 3];
        if (!(w->view.particle_flags[i] & HEM_PARTICLE_PAD) && fabs((double)rest->y[i & 7] - y) < 1e-4 &&
            rest->x[i & 7] == 0.0f) {
            return i;
        }
    }
    return UINT32_MAX;
}

static double height_of(const world* w, uint32_t slot) {
    return (double)particle_at(w, slot).position[1];
}

// -- Tangent spheres. The particle of "on_body" lies on the top of a ball of two metres, which becomes the surface of a limb
// whose outer side looks along (cos angle, sin angle).

static bool open_surface(world* w, double angle) {
    if (!world_open(w, "on_body", NULL, NULL, 1)) {
        return false;
    }
    uint32_t* flags = (uint32_t*)(uintptr_t)w->view.particle_flags; // in w->bytes, which are the test's own
    flags[slot_at(w, 0.0)] |= HEM_PARTICLE_SURFACE;
    const float c = (float)cos(angle), s = (float)sin(angle), pose[12] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0};
    hem_instance_set_gravity(w->scene, w->id, NO_GRAVITY);
    const bool good = hem_instance_set_pose(w->scene, w->id, pose, 1, 0) == HEM_OK;
    world_step(w, 1.0f / 60.0f, 4, 1); // it turns into place
    return good;
}

TEST the_far_side_of_a_tangent_sphere_does_not_push(void) {
    const double g = 9.81, t = 0.4, h = 1.0 / 240.0, fall = 0.5 * g * t * (t + h);
    for (int far = 0; far < 2; ++far) {
        world w;
        ASSERT(open_surface(&w, far ? -1.2 : 1.2));
        hem_instance_set_gravity(w.scene, w.id, NULL);
        world_step(&w, 1.0f / 60.0f, 4, 24);
        ASSERT_IN_RANGE(far ? 2.0 - fall : 2.0, height_of(&w, slot_at(&w, 2.0)), 1e-3);
        world_close(&w);
    }
    PASS();
}

// Seen from its center n points to the particle. Where that is a little behind the outer side a, it is pushed along n mirrored
// by the plane of a: n - 2 (n.a) a.
TEST a_tangent_sphere_pushes_to_its_outer_side(void) {
    static const double angles[] = {-0.3, -0.17, -0.05, 0.1, 0.5};
    const float h = 1.0f / 240.0f;
    for (size_t i = 0; i < sizeof(angles) / sizeof(angles[0]); ++i) {
        world w;
        ASSERT(open_surface(&w, angles[i]));
        const uint32_t slot = slot_at(&w, 2.0);
        world_throw(&w, h, 0, -0.2f, 0);
        const double depth = 0.2 * (double)h, along = sin(angles[i]) < 0 ? sin(angles[i]) : 0;
        const hem_particle p = particle_at(&w, slot);
        ASSERT_IN_RANGE(-2 * along * cos(angles[i]) * depth, (double)p.position[0], 0.01 * depth);
        ASSERT_IN_RANGE(2 - 2 * along * along * depth, (double)p.position[1], 1e-6);
        world_close(&w);
    }
    PASS();
}

// -- Particles

// Two that are held 98 mm to the sides keep 100 mm. Who flies through between them within a substep is put back to a quarter of
// that before the line between them: by half of it for each, not twice.
TEST who_passes_two_is_put_back_once(void) {
    world w;
    OPEN(w, "gate");
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    const uint32_t slot = slot_at(&w, 0.5);
    world_throw(&w, 1.0f / 2400.0f, 0, -48, 0); // the search knows speeds, not forces
    world_step(&w, 1.0f / 60.0f, 1, 1);
    ASSERT_IN_RANGE(0.25 * 0.1, height_of(&w, slot), 1e-4);
    ASSERT_IN_RANGE(0.0, (double)particle_at(&w, slot).position[0], 1e-6);
    world_close(&w);
    PASS();
}

static bool open_three(world* w, push* p, uint32_t slot_height_mm, float y) {
    if (!world_open(w, "three_parts", NULL, NULL, 1) || w->view.info->part_count != 3) {
        return false;
    }
    hem_instance_set_gravity(w->scene, w->id, NO_GRAVITY);
    hem_tuning tuning = world_tuning(w);
    tuning.self_thickness = 0.02f;
    tuning.contact_radius = 0.05f;
    *p = (push){slot_at(w, slot_height_mm / 1000.0), y};
    return world_tune(w, &tuning) && hem_scene_set_force_field(w->scene, push_one, p) == HEM_OK;
}

// Its radius against others, 50 mm, is none against itself.
TEST cloth_keeps_self_thickness_from_itself(void) {
    world w;
    push p;
    ASSERT(open_three(&w, &p, 100, -0.5f));
    const uint32_t lower = slot_at(&w, 0.0);
    double nearest = 1;
    for (int i = 0; i < 72; ++i) {
        world_step(&w, 1.0f / 60.0f, 4, 1);
        nearest = fmin(nearest, height_of(&w, p.slot) - height_of(&w, lower));
    }
    ASSERT(height_of(&w, lower) < -0.01); // it was pushed along
    ASSERT_IN_RANGE(0.02, nearest, 0.001);
    world_close(&w);
    PASS();
}

// The first and the third part both meet the second, and not each other: the third would, but the first does not want to.
TEST parts_meet_whom_their_masks_name(void) {
    world w;
    push p;
    ASSERT(open_three(&w, &p, 0, -2.0f));
    const uint32_t in_the_way = slot_at(&w, -0.1);
    ASSERT(p.slot != UINT32_MAX && in_the_way != UINT32_MAX);
    world_step(&w, 1.0f / 60.0f, 4, 30);
    ASSERT_IN_RANGE(-0.5 * 2.0 * 0.5 * (0.5 + 1.0 / 240.0), height_of(&w, p.slot), 1e-4);
    ASSERT_IN_RANGE(-0.1, height_of(&w, in_the_way), 1e-6);
    world_close(&w);
    PASS();
}

// 64 particles, each near eight bodies, and room for four times as many as there are particles of either sort.
TEST all_the_room_for_bodies_is_used(void) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.candidate_capacity = 4;
    ASSERT(world_open(&w, "crowded", &def, NULL, 1));
    static hem_particle p[256];
    const uint32_t n = w.view.info->particle_count, room = 4 * n;
    ASSERT(n <= 256);
    uint32_t surely, perhaps;
    hem_instance_get_particles(w.scene, w.id, 0, n, p);
    count_candidates(&w, p, 1.0 / 60.0, &surely, &perhaps);
    ASSERT_EQ(64u * 8u, surely);
    ASSERT(surely > room);
    world_step(&w, 1.0f / 60.0f, 4, 1);
    hem_step_report report;
    hem_scene_get_report(w.scene, &report);
    ASSERT_EQ_FMT(room, report.candidate_count, "%u");
    ASSERT(report.dropped_count > 0);
    world_close(&w);
    PASS();
}

SUITE(contacts_suite) {
    RUN_TEST(the_far_side_of_a_tangent_sphere_does_not_push);
    RUN_TEST(a_tangent_sphere_pushes_to_its_outer_side);
    RUN_TEST(who_passes_two_is_put_back_once);
    RUN_TEST(cloth_keeps_self_thickness_from_itself);
    RUN_TEST(parts_meet_whom_their_masks_name);
    RUN_TEST(all_the_room_for_bodies_is_used);
}
