// SPDX-License-Identifier: MIT
// The character's frame about every axis: what of a turn is felt by inertia, what a carry hides, where teleport and reset
// leave the particles, and speed as the frame sees it.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float NO_GRAVITY[3] = {0, 0, 0};

// Turned about axis 0, 1 or 2.
static hem_root turned(int axis, double angle) {
    hem_root root = {{0, 0, 0}, {0, 0, 0, 0}};
    root.rotation[axis] = (float)sin(angle / 2);
    root.rotation[3] = (float)cos(angle / 2);
    return root;
}

static void multiply(const float a[4], const float b[4], float out[4]) {
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    out[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static bool open_weightless(world* w, const char* asset) {
    if (!world_open(w, asset, NULL, NULL, 1)) {
        return false;
    }
    hem_tuning t = world_tuning(w);
    t.damping = 0;
    t.sleep_speed = 0;
    hem_instance_set_gravity(w->scene, w->id, NO_GRAVITY);
    hem_instance_set_felt_limits(w->scene, w->id, 1e6f, 1e6f);
    return world_tune(w, &t);
}

static void set_inertia(world* w, float linear, float angular) {
    hem_tuning t = world_tuning(w);
    t.linear_inertia = linear;
    t.angular_inertia = angular;
    world_tune(w, &t);
}

// A free particle is thrown off the axis and stopped there; then the root turns. What is felt turns it the other way.
TEST a_turn_is_felt_by_the_share_of_angular_inertia_about_every_axis(void) {
    static const float inertias[] = {0, 0.5f, 1};
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < 3; ++i) {
            world w;
            ASSERT(open_weightless(&w, "free"));
            const int x = (axis + 1) % 3, y = (axis + 2) % 3;
            float there[3] = {0, 0, 0};
            there[x] = 1;
            world_throw(&w, 1.0f / 60.0f, 60 * there[0], 60 * there[1], 60 * there[2]); // a metre in a step
            const hem_root same = turned(axis, 0);
            ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &same, 0));
            world_step(&w, 1.0f / 60.0f, 0, 1); // nothing of the step of a teleport is felt
            set_inertia(&w, 1, inertias[i]);
            for (int f = 1; f <= 30; ++f) {
                const hem_root root = turned(axis, 0.8 * f / 30);
                ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
                world_step(&w, 1.0f / 60.0f, 0, 1);
            }
            const float* p = particle_at(&w, nth_particle(&w, false, 0)).position;
            const double angle = atan2((double)p[y], (double)p[x]);
            ASSERT_IN_RANGE(-0.8 * (double)inertias[i], angle, 0.005);
            ASSERT_IN_RANGE(1.0, hypot((double)p[x], (double)p[y]), 0.005);
            ASSERT_IN_RANGE(0.0, (double)p[axis], 1e-5);
            world_close(&w);
        }
    }
    PASS();
}

// Particles of chains have rotations that nothing holds: with full inertia they keep their direction in the world, so in the
// character's space they turn the other way.
TEST what_is_soft_keeps_its_direction_in_the_world(void) {
    for (int axis = 0; axis < 3; ++axis) {
        world w;
        ASSERT(open_weightless(&w, "chains"));
        set_inertia(&w, 1, 1);
        hem_tuning t = world_tuning(&w);
        t.angular_damping = 0;
        ASSERT(world_tune(&w, &t));
        for (int f = 1; f <= 30; ++f) {
            const hem_root root = turned(axis, 0.6 * f / 30);
            ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
            world_step(&w, 1.0f / 60.0f, 0, 1);
        }
        const uint32_t one = nth_particle(&w, false, 12);
        const hem_shape_row* rest = &w.view.shape_rows[one >> 3];
        const float back[4] = {-rest->qx[one & 7], -rest->qy[one & 7], -rest->qz[one & 7], rest->qw[one & 7]};
        float turn[4];
        multiply(particle_at(&w, one).rotation, back, turn);
        const double sign = turn[3] < 0 ? -1 : 1;
        for (int k = 0; k < 3; ++k) {
            ASSERT_IN_RANGE(k == axis ? -sin(0.3) : 0.0, sign * (double)turn[k], 0.01);
        }
        world_close(&w);
    }
    PASS();
}

// Thrown while the root turns about y: with full inertia it flies on straight in the world.
TEST what_flies_goes_straight_in_the_world(void) {
    world w;
    ASSERT(open_weightless(&w, "free"));
    set_inertia(&w, 1, 1);
    world_throw(&w, 1.0f / 240.0f, 2, 1, 0);
    const uint32_t one = nth_particle(&w, false, 0);
    const hem_particle start = particle_at(&w, one);
    for (int f = 1; f <= 30; ++f) {
        const hem_root root = turned(1, 1.2 * f / 30);
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    const float* p = particle_at(&w, one).position; // in the character's space, which is turned by 1.2 about y
    const double x = cos(1.2) * (double)p[0] + sin(1.2) * (double)p[2];
    const double z = cos(1.2) * (double)p[2] - sin(1.2) * (double)p[0];
    ASSERT_IN_RANGE((double)start.position[0] + 1, x, 0.01);
    ASSERT_IN_RANGE((double)start.position[1] + 0.5, (double)p[1], 0.01);
    ASSERT_IN_RANGE((double)start.position[2], z, 0.01);
    world_close(&w);
    PASS();
}

TEST a_way_is_felt_by_the_share_of_linear_inertia(void) {
    static const float inertias[] = {0, 0.5f, 1};
    for (int i = 0; i < 3; ++i) {
        world w;
        ASSERT(open_weightless(&w, "free"));
        set_inertia(&w, inertias[i], 1);
        for (int f = 1; f <= 30; ++f) {
            const hem_root root = {{0.02 * f, -0.01 * f, 0.03 * f}, {0, 0, 0, 1}};
            ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
            world_step(&w, 1.0f / 60.0f, 0, 1);
        }
        const float* p = particle_at(&w, nth_particle(&w, false, 0)).position;
        ASSERT_IN_RANGE(-0.6 * (double)inertias[i], (double)p[0], 1e-4);
        ASSERT_IN_RANGE(0.3 * (double)inertias[i], (double)p[1], 1e-4);
        ASSERT_IN_RANGE(-0.9 * (double)inertias[i], (double)p[2], 1e-4);
        world_close(&w);
    }
    PASS();
}

// At rest in the world, seen from a character that goes at 2 m/s: damping is against the character, so that what it left
// behind comes to go along, 2 (1 - exp(-d t)) / d behind.
TEST damping_is_against_the_character(void) {
    const double damping = 4;
    world w;
    ASSERT(open_weightless(&w, "free"));
    hem_tuning t = world_tuning(&w);
    t.linear_inertia = t.angular_inertia = 1;
    t.damping = (float)damping;
    ASSERT(world_tune(&w, &t));
    for (int f = 1; f <= 60; ++f) {
        const hem_root root = {{0, 0, 2.0 * f / 60}, {0, 0, 0, 1}};
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const double behind = 2 * (1 - exp(-damping * f / 60)) / damping;
        ASSERT_IN_RANGE(-behind, (double)particle_at(&w, nth_particle(&w, false, 0)).position[2], 0.01);
    }
    world_close(&w);
    PASS();
}

// Looking along x, a way along z is to the side: with full inertia the particle stays behind on that side.
TEST a_way_is_felt_in_the_characters_directions(void) {
    world w;
    ASSERT(open_weightless(&w, "free"));
    set_inertia(&w, 1, 1);
    hem_root root = turned(1, 1.0);
    ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &root, 0));
    world_step(&w, 1.0f / 60.0f, 0, 1);
    for (int f = 1; f <= 30; ++f) {
        root.position[2] = 0.02 * f;
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    const float* p = particle_at(&w, nth_particle(&w, false, 0)).position; // -0.6 along z, turned back
    ASSERT_IN_RANGE(0.6 * sin(1.0), (double)p[0], 1e-3);
    ASSERT_IN_RANGE(-0.6 * cos(1.0), (double)p[2], 1e-3);
    world_close(&w);
    PASS();
}

// However the character is turned, what is free falls down in the world: g t^2 / 2, seen from there.
TEST gravity_points_down_in_the_world(void) {
    for (int axis = 0; axis < 3; ++axis) {
        world w;
        ASSERT(open_weightless(&w, "free"));
        const float down[3] = {0, -10, 0};
        const hem_root root = turned(axis, 1.0);
        ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &root, 0));
        ASSERT_EQ(HEM_OK, hem_instance_set_gravity(w.scene, w.id, down));
        world_step(&w, 1.0f / 60.0f, 0, 30);
        const float* p = particle_at(&w, nth_particle(&w, false, 0)).position;
        const double fallen = 0.5 * 10 * 0.25;
        const double expected[3][3] = {{0, -cos(1.0), sin(1.0)}, {0, -1, 0}, {-sin(1.0), -cos(1.0), 0}};
        for (int k = 0; k < 3; ++k) {
            ASSERT_IN_RANGE(fallen * expected[axis][k], (double)p[k], 0.02);
        }
        world_close(&w);
    }
    PASS();
}

// Where colliders are as the character sees them: in the world, turned back by the root; on a bone, turned with it.
TEST colliders_are_where_root_and_bone_have_them(void) {
    world w;
    ASSERT(open_weightless(&w, "free"));
    hem_root root = turned(1, 0.7);
    root.position[0] = 3;
    const float up[12] = {(float)cos(0.5), -(float)sin(0.5), 0, 1, (float)sin(0.5), (float)cos(0.5), 0, 2, 0, 0, 1, 0};
    ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &root, 0));
    ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, up, 1, 0)); // by 0.5 about z, off by (1, 2, 0)
    hem_collider c[2];
    for (int i = 0; i < 2; ++i) {
        c[i] = hem_collider_default();
        c[i].kind = HEM_COLLIDER_BOX;
        c[i].bone = i - 1;
        c[i].size[0] = c[i].size[1] = c[i].size[2] = 0.1f;
    }
    c[0].position[0] = 3.4;
    c[0].position[2] = 0.2;
    c[1].position[0] = 0.5;
    ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, c, 2));
    world_step(&w, 1.0f / 60.0f, 0, 1);
    hem_collider out[2];
    uint32_t count = 0;
    ASSERT_EQ(HEM_OK, hem_instance_get_colliders(w.scene, w.id, out, 2, &count));
    ASSERT_EQ(2u, count);
    ASSERT_IN_RANGE(cos(0.7) * 0.4 - sin(0.7) * 0.2, out[0].position[0], 1e-5);
    ASSERT_IN_RANGE(sin(0.7) * 0.4 + cos(0.7) * 0.2, out[0].position[2], 1e-5);
    ASSERT_IN_RANGE(-sin(0.35), (double)out[0].rotation[1], 1e-5);
    ASSERT_IN_RANGE(1 + 0.5 * cos(0.5), out[1].position[0], 1e-5);
    ASSERT_IN_RANGE(2 + 0.5 * sin(0.5), out[1].position[1], 1e-5);
    ASSERT_IN_RANGE(sin(0.25), (double)out[1].rotation[2], 1e-5);
    world_close(&w);
    PASS();
}

static double farthest_apart(const world* a, const world* b) {
    double worst = 0;
    for (uint32_t i = 0; i < a->view.info->particle_count; ++i) {
        if (a->view.particle_flags[i] & HEM_PARTICLE_PAD) {
            continue;
        }
        const hem_particle p = particle_at(a, i), q = particle_at(b, i);
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, fabs((double)p.position[k] - (double)q.position[k]));
        }
    }
    return worst;
}

// A vehicle that rolls and yaws: nothing of it is felt. The cloth moves all
// the while, so that a difference would grow.
TEST a_carry_about_two_axes_hides_the_vehicle(void) {
    world w, still;
    ASSERT(open_weightless(&w, "cape_half") && open_weightless(&still, "cape_half"));
    world_throw(&w, 1.0f / 240.0f, 0.5f, -1, 0.7f);
    world_throw(&still, 1.0f / 240.0f, 0.5f, -1, 0.7f);
    hem_root last = turned(0, 0);
    for (int f = 1; f <= 60; ++f) {
        const hem_root roll = turned(0, 0.02 * f), yaw = turned(1, 0.03 * f);
        hem_root next = {{0.1 * f, 0.3 * sin(0.1 * f), 0}, {0, 0, 0, 1}};
        multiply(yaw.rotation, roll.rotation, next.rotation);
        ASSERT_EQ(HEM_OK, hem_instance_carry(w.scene, w.id, &last, &next));
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &next));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        world_step(&still, 1.0f / 60.0f, 0, 1);
        last = next;
    }
    ASSERT(farthest_apart(&w, &still) < 1e-3);
    world_close(&w);
    world_close(&still);
    PASS();
}

// Five metres from the axle of a vehicle that turns: nothing of it is felt.
TEST a_carry_far_from_the_axle_hides_the_vehicle(void) {
    world w, still;
    ASSERT(open_weightless(&w, "cape_half") && open_weightless(&still, "cape_half"));
    world_throw(&w, 1.0f / 240.0f, 0.5f, -1, 0.7f);
    world_throw(&still, 1.0f / 240.0f, 0.5f, -1, 0.7f);
    const hem_root aboard = {{5, 0, 0}, {0, 0, 0, 1}};
    ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &aboard, 1));
    ASSERT_EQ(HEM_OK, hem_instance_teleport(still.scene, still.id, &aboard, 1));
    world_step(&w, 1.0f / 60.0f, 0, 1);
    world_step(&still, 1.0f / 60.0f, 0, 1);
    for (int f = 1; f <= 40; ++f) {
        const hem_root from = turned(1, 0.03 * (f - 1)), to = turned(1, 0.03 * f);
        hem_root root = to;
        root.position[0] = 5 * cos(0.03 * f);
        root.position[2] = -5 * sin(0.03 * f);
        ASSERT_EQ(HEM_OK, hem_instance_carry(w.scene, w.id, &from, &to));
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        world_step(&still, 1.0f / 60.0f, 0, 1);
    }
    ASSERT(farthest_apart(&w, &still) < 1e-3);
    world_close(&w);
    world_close(&still);
    PASS();
}

// At 2 m/s along x, then also turning, while no change of speed is felt: what is felt is still 2 m/s along x in the world,
// so that a particle with full inertia stays where it is there.
TEST a_felt_speed_keeps_its_direction_in_the_world(void) {
    world w;
    ASSERT(open_weightless(&w, "free"));
    set_inertia(&w, 1, 1);
    hem_root root = turned(1, 0);
    for (int f = 1; f <= 60; ++f) {
        if (f == 31) {
            hem_instance_set_felt_limits(w.scene, w.id, 1e-3f, 1e6f);
        }
        const double angle = f > 30 ? 0.04 * (f - 30) : 0;
        root = turned(1, angle);
        root.position[0] = 2.0 * f / 60;
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    const float* p = particle_at(&w, nth_particle(&w, false, 0)).position;
    const double x = 2 + cos(1.2) * (double)p[0] + sin(1.2) * (double)p[2];
    const double z = cos(1.2) * (double)p[2] - sin(1.2) * (double)p[0];
    ASSERT_IN_RANGE(0.0, x, 0.02);
    ASSERT_IN_RANGE(0.0, z, 0.02);
    world_close(&w);
    PASS();
}

// A walk through a vehicle that drives: what is felt is the walk alone.
TEST of_a_walk_in_a_vehicle_the_walk_is_felt(void) {
    world w, walker;
    ASSERT(open_weightless(&w, "cape_half") && open_weightless(&walker, "cape_half"));
    for (int f = 1; f <= 40; ++f) {
        const double walk = 0.0002 * f * f, drive = 0.3 * f;
        const hem_root from = {{drive - 0.3, 0, 0}, {0, 0, 0, 1}}, to = {{drive, 0, 0}, {0, 0, 0, 1}};
        const hem_root inside = {{drive, walk, 0}, {0, 0, 0, 1}}, alone = {{0, walk, 0}, {0, 0, 0, 1}};
        ASSERT_EQ(HEM_OK, hem_instance_carry(w.scene, w.id, &from, &to));
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &inside));
        ASSERT_EQ(HEM_OK, hem_instance_set_root(walker.scene, walker.id, &alone));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        world_step(&walker, 1.0f / 60.0f, 0, 1);
    }
    ASSERT(farthest_apart(&w, &walker) < 1e-3);
    const uint32_t low = nth_particle(&w, false, 40);
    ASSERT(fabsf(particle_at(&w, low).velocity[1]) < 0.2f); // it feels the walk: in the world it barely moves
    world_close(&w);
    world_close(&walker);
    PASS();
}

TEST a_reset_puts_everything_on_the_pose_at_rest(void) {
    world w;
    ASSERT(open_weightless(&w, "cape_half"));
    world_throw(&w, 1.0f / 240.0f, 1, 2, -1);
    world_step(&w, 1.0f / 60.0f, 0, 10);
    const float m[12] = {0, 0, 1, 0.5f, 0, 1, 0, -0.25f, -1, 0, 0, 2}; // x becomes -z
    ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, m, 1, 0));
    ASSERT_EQ(HEM_OK, hem_instance_reset(w.scene, w.id));
    for (int again = 0; again < 2; ++again) {
        for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
            if (w.view.particle_flags[i] & HEM_PARTICLE_PAD) {
                continue;
            }
            const hem_rest_row* rest = &w.view.rest_rows[i >> 3];
            const double x = (double)rest->x[i & 7], y = (double)rest->y[i & 7], z = (double)rest->z[i & 7];
            const hem_particle p = particle_at(&w, i);
            ASSERT_IN_RANGE(z + 0.5, (double)p.position[0], 1e-5);
            ASSERT_IN_RANGE(y - 0.25, (double)p.position[1], 1e-5);
            ASSERT_IN_RANGE(2 - x, (double)p.position[2], 1e-5);
            ASSERT(fabsf(p.velocity[0]) + fabsf(p.velocity[1]) + fabsf(p.velocity[2]) < 1e-3f);
        }
        world_step(&w, 1.0f / 60.0f, 0, 5); // and there it stays
    }
    world_close(&w);
    PASS();
}

TEST a_teleport_stops_or_goes_on_by_its_argument(void) {
    for (int keep = 0; keep < 2; ++keep) {
        world w;
        ASSERT(open_weightless(&w, "free"));
        world_throw(&w, 1.0f / 240.0f, 2, 0, 0);
        const uint32_t one = nth_particle(&w, false, 0);
        const double before = (double)particle_at(&w, one).position[0];
        const hem_root far = {{-40, 7, 3}, {0, 0, 0, 1}};
        ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &far, keep));
        world_step(&w, 1.0f / 60.0f, 0, 30);
        ASSERT_IN_RANGE(before + (keep ? 1.0 : 0.0), (double)particle_at(&w, one).position[0], 1e-3);
        world_close(&w);
    }
    PASS();
}

// At rest in the world beside a character that goes at 2 m/s: it is left behind by 2 m/s, through a teleport that keeps
// velocities too, as if the character had gone on.
TEST what_is_felt_goes_on_through_a_teleport_that_keeps_velocities(void) {
    world w;
    ASSERT(open_weightless(&w, "free"));
    set_inertia(&w, 1, 1);
    hem_root root = turned(1, 0);
    for (int f = 1; f <= 30; ++f) {
        root.position[0] = 2.0 * f / 60 + (f >= 15 ? 100 : 0);
        if (f == 15) {
            ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &root, 1));
        } else {
            ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        }
        world_step(&w, 1.0f / 60.0f, 0, 1);
        ASSERT_IN_RANGE(-2.0 * f / 60, (double)particle_at(&w, nth_particle(&w, false, 0)).position[0], 1e-3);
    }
    world_close(&w);
    PASS();
}

// A character at 2 m/s, of which no change is felt but by 1 m/s^2, stops with a reset or a teleport without velocities:
// nothing is left of the motion before. Without one, what is felt dies away over two seconds and takes two metres.
TEST nothing_is_felt_of_the_motion_before_a_reset(void) {
    for (int how = 0; how < 3; ++how) {
        world w;
        ASSERT(open_weightless(&w, "free"));
        set_inertia(&w, 1, 1);
        hem_root root = turned(1, 0);
        for (int f = 1; f <= 30; ++f) {
            root.position[0] = 2.0 * f / 60;
            ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
            world_step(&w, 1.0f / 60.0f, 0, 1);
        }
        hem_instance_set_felt_limits(w.scene, w.id, 1, 1);
        if (how == 0) {
            ASSERT_EQ(HEM_OK, hem_instance_reset(w.scene, w.id));
        } else if (how == 1) {
            ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &root, 0));
        }
        const uint32_t one = nth_particle(&w, false, 0);
        const double before = (double)particle_at(&w, one).position[0];
        world_step(&w, 1.0f / 60.0f, 0, 120);
        const double way = (double)particle_at(&w, one).position[0] - before;
        ASSERT_IN_RANGE(how < 2 ? 0.0 : -2.0 * 2.0 / 2, way, how < 2 ? 1e-4 : 0.05);
        world_close(&w);
    }
    PASS();
}

// A ball stands in the world; the character jumps from one side of it to the other. The ball was never where it stands.
TEST a_teleport_sweeps_no_collider_over_the_character(void) {
    for (int keep = 0; keep < 2; ++keep) {
        world w;
        ASSERT(open_weightless(&w, "free"));
        hem_collider c = hem_collider_default();
        c.position[0] = 0.4;
        c.size[0] = 0.1f;
        ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &c, 1));
        world_step(&w, 1.0f / 60.0f, 0, 2);
        const hem_root other_side = {{0.8, 0, 0}, {0, 0, 0, 1}};
        ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &other_side, keep));
        world_step(&w, 1.0f / 60.0f, 0, 10);
        const float* p = particle_at(&w, nth_particle(&w, false, 0)).position;
        ASSERT_IN_RANGE(0.0, (double)(fabsf(p[0]) + fabsf(p[1]) + fabsf(p[2])), 1e-5);
        hem_step_report report;
        hem_scene_get_report(w.scene, &report);
        ASSERT_EQ(0u, report.contact_count);
        world_close(&w);
    }
    PASS();
}

// Under gravity and with a weight on it, a hook is where the pose has it at the end of every step, and at rest there.
TEST what_hangs_on_the_pose_is_there_at_the_end_of_a_step(void) {
    static const char* const assets[] = {"pendulum", "cape_half", "soft_arm"};
    for (int n = 0; n < 3; ++n) {
        world w;
        ASSERT(world_open(&w, assets[n], NULL, NULL, 1));
        for (int f = 0; f < 20; ++f) {
            world_step(&w, 1.0f / 60.0f, 0, 1);
            for (uint32_t k = 0; nth_particle(&w, true, k) != UINT32_MAX; ++k) {
                const uint32_t i = nth_particle(&w, true, k);
                const hem_particle p = particle_at(&w, i);
                ASSERT_IN_RANGE((double)w.view.rest_rows[i >> 3].y[i & 7], (double)p.position[1], 1e-6);
                ASSERT_IN_RANGE(0.0, (double)p.velocity[1], 1e-5);
            }
        }
        world_close(&w);
    }
    PASS();
}

// Lanes without a particle are where the pose has them, whatever falls beside them: bounds of rows need no mask.
TEST lanes_without_a_particle_do_not_move(void) {
    world w;
    ASSERT(world_open(&w, "free", NULL, NULL, 1));
    world_step(&w, 1.0f / 60.0f, 0, 60);
    uint32_t pads = 0;
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        const hem_particle p = particle_at(&w, i);
        if (p.flags & HEM_PARTICLE_PAD) {
            ASSERT_EQ(0.0f, p.position[1]);
            ASSERT_EQ(0.0f, p.velocity[1]);
            ++pads;
        } else {
            ASSERT(p.position[1] < -1);
        }
    }
    ASSERT_EQ(7u, pads);
    world_close(&w);
    PASS();
}

// -- Momentum

typedef struct push {
    uint32_t only; // UINT32_MAX = all, as a body that spins about `middle`
    float h, speed, middle[3];
} push;

static void push_or_spin(void* user, hem_instance_id id, const float* position, const float* velocity,
                         float* acceleration, uint32_t row_count) {
    const push* f = user;
    (void)id, (void)velocity;
    for (uint32_t i = 0; i < row_count * 8; ++i) {
        const float* at = position + (i >> 3) * 32 + (i & 7);
        float* a = acceleration + (i >> 3) * 24 + (i & 7);
        if (f->only == UINT32_MAX) { // about z
            a[0] = -f->speed * (at[8] - f->middle[1]) / f->h;
            a[8] = f->speed * (at[0] - f->middle[0]) / f->h;
        } else if (f->only == i) {
            a[8] = -f->speed / f->h;
        }
    }
}

static vec3d momentum_of_all(const world* w) {
    vec3d sum = {0, 0, 0};
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        if (!(w->view.particle_flags[i] & HEM_PARTICLE_PAD)) {
            const hem_particle p = particle_at(w, i);
            sum.x += mass_of(w, i) * (double)p.velocity[0];
            sum.y += mass_of(w, i) * (double)p.velocity[1];
            sum.z += mass_of(w, i) * (double)p.velocity[2];
        }
    }
    return sum;
}

// A bob is thrown away from its hook. Where momentum counts, the hook goes along and the sum stays; else it stays.
TEST in_momentum_mode_the_pose_is_pulled_by_what_hangs_on_it(void) {
    for (int mode = 0; mode < 2; ++mode) {
        world w;
        ASSERT(open_weightless(&w, "pendulum"));
        ASSERT_EQ(HEM_OK, hem_instance_set_animation(w.scene, w.id, mode));
        push f = {nth_particle(&w, false, 0), 1.0f / 240.0f, 1, {0, 0, 0}};
        hem_scene_set_force_field(w.scene, push_or_spin, &f);
        world_step(&w, f.h, 1, 1);
        hem_scene_set_force_field(w.scene, NULL, NULL);
        world_step(&w, 1.0f / 240.0f, 1, 60);
        const hem_particle hook = particle_at(&w, nth_particle(&w, true, 0));
        if (mode == HEM_ANIMATE_MOMENTUM) {
            ASSERT_IN_RANGE(-0.1, momentum_of_all(&w).y, 1e-3); // kg m/s
            ASSERT_IN_RANGE(-0.5, (double)hook.velocity[1], 0.02);
            ASSERT_IN_RANGE(-0.5 * 60 / 240, (double)hook.position[1], 0.01);
        } else {
            ASSERT_IN_RANGE(0.0, (double)hook.position[1], 1e-6);
        }
        world_close(&w);
    }
    PASS();
}

// A soft arm that spins freely, a third of it on the pose: the pose turns with the rest.
TEST in_momentum_mode_the_pose_turns_with_its_particles(void) {
    world w;
    ASSERT(open_weightless(&w, "soft_arm"));
    ASSERT_EQ(HEM_OK, hem_instance_set_animation(w.scene, w.id, HEM_ANIMATE_MOMENTUM));
    hem_tuning t = world_tuning(&w);
    t.angular_damping = 0;
    ASSERT(world_tune(&w, &t));
    push f = {UINT32_MAX, 1.0f / 240.0f, 2, {0.175f, 0.025f, 0}}; // 2 rad/s about its middle
    hem_scene_set_force_field(w.scene, push_or_spin, &f);
    world_step(&w, f.h, 1, 1);
    hem_scene_set_force_field(w.scene, NULL, NULL);
    world_step(&w, 1.0f / 240.0f, 1, 119);
    uint32_t left = UINT32_MAX, right = UINT32_MAX; // two on the pose that are beside each other along x
    for (uint32_t n = 0; n < 8; ++n) {
        const uint32_t i = nth_particle(&w, true, n);
        const hem_rest_row* rest = &w.view.rest_rows[i >> 3];
        if (rest->y[i & 7] < 0.01f && rest->z[i & 7] < 0.01f) {
            *(rest->x[i & 7] < 0.01f ? &left : &right) = i;
        }
    }
    ASSERT(left != UINT32_MAX && right != UINT32_MAX);
    const hem_particle a = particle_at(&w, left), b = particle_at(&w, right);
    const double angle = atan2((double)(b.position[1] - a.position[1]), (double)(b.position[0] - a.position[0]));
    ASSERT_IN_RANGE(1.0, angle, 0.1); // 2 rad/s for half a second
    ASSERT_IN_RANGE(0.0, hypot(momentum_of_all(&w).x, momentum_of_all(&w).y), 1e-3);
    world_close(&w);
    PASS();
}

// -- Speed and energy

TEST nothing_is_faster_than_max_speed(void) {
    world w;
    ASSERT(open_weightless(&w, "free"));
    hem_tuning t = world_tuning(&w);
    t.max_speed = 3;
    ASSERT(world_tune(&w, &t));
    world_throw(&w, 1.0f / 240.0f, 40, -30, 0);
    hem_step_report report;
    hem_scene_get_report(w.scene, &report);
    ASSERT_EQ(1u, report.clamped_count);
    const hem_particle p = particle_at(&w, nth_particle(&w, false, 0));
    ASSERT_IN_RANGE(3 * 0.8, (double)p.velocity[0], 1e-3);
    ASSERT_IN_RANGE(-3 * 0.6, (double)p.velocity[1], 1e-3);
    world_step(&w, 1.0f / 60.0f, 0, 1);
    hem_scene_get_report(w.scene, &report);
    ASSERT(report.clamped_count <= 4); // rounding may put it a bit above in a substep
    ASSERT_IN_RANGE(3.0, (double)hypotf(p.velocity[0], p.velocity[1]), 1e-3);
    world_close(&w);
    PASS();
}

// Eight particles that fall at 10 m/s^2 and may go 2 m/s: a fifth of a second of falling, then even motion, and each of
// them is counted in each of the four substeps.
TEST what_falls_goes_on_at_max_speed_and_is_counted(void) {
    world w;
    ASSERT(world_open(&w, "limited", NULL, NULL, 1));
    hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_LIMITS);
    hem_tuning t = world_tuning(&w);
    t.damping = 0;
    t.max_speed = 2;
    const float down[3] = {0, -10, 0};
    ASSERT(world_tune(&w, &t) && hem_instance_set_gravity(w.scene, w.id, down) == HEM_OK);
    world_step(&w, 1.0f / 60.0f, 4, 60);
    hem_step_report report;
    hem_scene_get_report(w.scene, &report);
    ASSERT_EQ(8u * 4u, report.clamped_count);
    for (uint32_t i = 0; i < 8; ++i) {
        const hem_particle p = particle_at(&w, nth_particle(&w, false, i));
        ASSERT_IN_RANGE(-2.0, (double)p.velocity[1], 1e-3);
        ASSERT_IN_RANGE(-(0.5 * 2 * 0.2 + 2 * 0.8), (double)p.position[1], 0.01);
    }
    world_close(&w);
    PASS();
}

TEST max_speed_counts_in_the_characters_frame(void) {
    // At rest in the world while the root goes at 5 m/s: in the frame that is too fast, and it is taken along at 3.
    world w;
    ASSERT(open_weightless(&w, "free"));
    hem_tuning t = world_tuning(&w);
    t.max_speed = 2;
    ASSERT(world_tune(&w, &t));
    for (int f = 1; f <= 60; ++f) {
        const hem_root root = {{5.0 * f / 60, 0, 0}, {0, 0, 0, 1}};
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    ASSERT_IN_RANGE(-2.0, (double)particle_at(&w, nth_particle(&w, false, 0)).position[0], 0.02);
    world_close(&w);
    PASS();
}

// What is found inside a collider comes out, and has no speed from it.
TEST being_pushed_out_gives_no_energy(void) {
    static const float sizes[][3] = {{0.05f, 0, 0}, {0.05f, 0.05f, 0.1f}, {0.05f, 0.05f, 0.05f}};
    static const hem_collider_kind kinds[] = {HEM_COLLIDER_SPHERE, HEM_COLLIDER_CAPSULE, HEM_COLLIDER_BOX};
    for (int i = 0; i < 3; ++i) {
        world w;
        ASSERT(open_weightless(&w, "free"));
        hem_collider c = hem_collider_default();
        c.kind = kinds[i];
        c.bone = -1;
        c.position[0] = 0.01;
        c.rotation[3] = 1;
        c.mask = ~0u;
        memcpy(c.size, sizes[i], sizeof(sizes[i]));
        ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &c, 1));
        double fastest = 0;
        for (int f = 0; f < 30; ++f) {
            world_step(&w, 1.0f / 60.0f, 0, 1);
            const float* v = particle_at(&w, nth_particle(&w, false, 0)).velocity;
            fastest = fmax(fastest, (double)(fabsf(v[0]) + fabsf(v[1]) + fabsf(v[2])));
        }
        ASSERT(fastest < 1e-3);
        ASSERT_IN_RANGE(-0.04, (double)particle_at(&w, nth_particle(&w, false, 0)).position[0], 1e-3);
        world_close(&w);
    }
    PASS();
}

// What was said for a step that is taken back is said again or does not hold; a whole save holds it.
TEST a_carry_holds_for_one_step_through_saves_and_rollbacks(void) {
    const hem_root from = {{0, 0, 0}, {0, 0, 0, 1}}, to = {{0.5, 0, 0}, {0, 0, 0, 1}};
    world w, plain, whole;
    OPEN(w, "cape");
    OPEN(plain, "cape");
    OPEN(whole, "cape");
    world_step(&w, 1.0f / 60.0f, 0, 3);
    world_step(&plain, 1.0f / 60.0f, 0, 3);
    size_t sizes[2] = {hem_scene_save_size(w.scene, HEM_SAVE_STATE), hem_scene_save_size(w.scene, HEM_SAVE_ALL)};
    void* saves[2] = {malloc(sizes[0]), malloc(sizes[1])};
    ASSERT_EQ(HEM_OK, hem_scene_save(w.scene, HEM_SAVE_STATE, saves[0], sizes[0]));
    ASSERT_EQ(HEM_OK, hem_instance_carry(w.scene, w.id, &from, &to));
    ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &to));
    ASSERT_EQ(HEM_OK, hem_scene_save(w.scene, HEM_SAVE_ALL, saves[1], sizes[1]));
    ASSERT_EQ(HEM_OK, hem_scene_load(whole.scene, saves[1], sizes[1]));
    world_step(&w, 1.0f / 60.0f, 0, 1);
    world_step(&whole, 1.0f / 60.0f, 0, 1);
    ASSERT_EQ(hem_scene_hash(w.scene), hem_scene_hash(whole.scene));
    // The same step again, without a carry: it is felt as in a scene that never heard of one.
    ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saves[0], sizes[0]));
    ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &to));
    ASSERT_EQ(HEM_OK, hem_instance_set_root(plain.scene, plain.id, &to));
    world_step(&w, 1.0f / 60.0f, 0, 1);
    world_step(&plain, 1.0f / 60.0f, 0, 1);
    uint32_t free_one = nth_particle(&w, false, 5);
    hem_particle a = particle_at(&w, free_one), b = particle_at(&plain, free_one), c = particle_at(&whole, free_one);
    ASSERT_MEM_EQ(&b, &a, sizeof(a));
    ASSERT(memcmp(&c, &a, sizeof(a)) != 0); // and the carry did matter
    free(saves[0]);
    free(saves[1]);
    world_close(&w);
    world_close(&plain);
    world_close(&whole);
    PASS();
}

SUITE(frames_suite) {
    RUN_TEST(a_turn_is_felt_by_the_share_of_angular_inertia_about_every_axis);
    RUN_TEST(what_is_soft_keeps_its_direction_in_the_world);
    RUN_TEST(what_flies_goes_straight_in_the_world);
    RUN_TEST(a_way_is_felt_by_the_share_of_linear_inertia);
    RUN_TEST(damping_is_against_the_character);
    RUN_TEST(a_way_is_felt_in_the_characters_directions);
    RUN_TEST(gravity_points_down_in_the_world);
    RUN_TEST(colliders_are_where_root_and_bone_have_them);
    RUN_TEST(a_carry_about_two_axes_hides_the_vehicle);
    RUN_TEST(a_carry_holds_for_one_step_through_saves_and_rollbacks);
    RUN_TEST(a_carry_far_from_the_axle_hides_the_vehicle);
    RUN_TEST(a_felt_speed_keeps_its_direction_in_the_world);
    RUN_TEST(of_a_walk_in_a_vehicle_the_walk_is_felt);
    RUN_TEST(a_reset_puts_everything_on_the_pose_at_rest);
    RUN_TEST(a_teleport_stops_or_goes_on_by_its_argument);
    RUN_TEST(what_is_felt_goes_on_through_a_teleport_that_keeps_velocities);
    RUN_TEST(nothing_is_felt_of_the_motion_before_a_reset);
    RUN_TEST(a_teleport_sweeps_no_collider_over_the_character);
    RUN_TEST(what_hangs_on_the_pose_is_there_at_the_end_of_a_step);
    RUN_TEST(lanes_without_a_particle_do_not_move);
    RUN_TEST(in_momentum_mode_the_pose_is_pulled_by_what_hangs_on_it);
    RUN_TEST(in_momentum_mode_the_pose_turns_with_its_particles);
    RUN_TEST(nothing_is_faster_than_max_speed);
    RUN_TEST(what_falls_goes_on_at_max_speed_and_is_counted);
    RUN_TEST(max_speed_counts_in_the_characters_frame);
    RUN_TEST(being_pushed_out_gives_no_energy);
}
