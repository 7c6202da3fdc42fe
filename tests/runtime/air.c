// SPDX-License-Identifier: MIT
// The air: drag acts along the normal, lift along the surface, each linear in the speed against the wind. So a sheet that
// falls through it reaches m g / (k A) and comes nearer to it by 1 / e in every v / g, and one that moves the other way
// falls freely. The sheet faces x. Nothing holds it stiff: what is compared is over before it begins to flutter.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>

#define MASS 0.4 // kg
#define G 9.81

typedef struct fall {
    float drag, lift;
    int across;    // gravity along the normal, else along the sheet
    double wind;   // the same way as gravity
    float seconds; // of falling
    int rate;      // steps a second, 240 unless given
} fall;

static double speed_after(fall f) {
    world w;
    if (!world_open(&w, "kite", NULL, NULL, 1)) {
        return -1;
    }
    hem_tuning t = world_tuning(&w);
    t.drag = f.drag;
    t.lift = f.lift;
    world_tune(&w, &t);
    const float gravity[3] = {f.across ? (float)G : 0, f.across ? 0 : (float)G, 0};
    const float wind[3] = {f.across ? (float)f.wind : 0, f.across ? 0 : (float)f.wind, 0};
    hem_instance_set_gravity(w.scene, w.id, gravity);
    hem_instance_set_wind(w.scene, w.id, wind);
    const int rate = f.rate ? f.rate : 240;
    world_step(&w, 1.0f / (float)rate, 1, (int)(f.seconds * (float)rate + 0.5f));
    vec3d p = linear_momentum(&w);
    world_close(&w);
    return (f.across ? p.x : p.y) / MASS + G / rate; // the air has the last word in a substep: its fall is missing
}

TEST drag_alone_brakes_across_and_not_along(void) {
    const double terminal = speed_after((fall){.drag = 2, .across = 1, .seconds = 1.5f});
    // A square metre, with or without half of its border particles' share.
    ASSERT_IN_RANGE(MASS * G / 2.0, terminal, 0.12 * terminal);
    const double after_one = speed_after((fall){.drag = 2, .across = 1, .seconds = (float)(terminal / G)});
    ASSERT_IN_RANGE((1 - exp(-1.0)) * terminal, after_one, 0.02 * terminal);
    ASSERT_IN_RANGE(0.5 * terminal, speed_after((fall){.drag = 4, .across = 1, .seconds = 1.5f}), 0.01 * terminal);
    ASSERT_IN_RANGE(G * 0.5, speed_after((fall){.drag = 2, .seconds = 0.5f}), 0.05);
    PASS();
}

TEST lift_alone_brakes_along_and_not_across(void) {
    const double terminal = speed_after((fall){.lift = 2, .seconds = 1.5f});
    ASSERT_IN_RANGE(speed_after((fall){.drag = 2, .across = 1, .seconds = 1.5f}), terminal, 0.01 * terminal);
    ASSERT_IN_RANGE(0.5 * terminal, speed_after((fall){.lift = 4, .seconds = 1.5f}), 0.01 * terminal);
    ASSERT_IN_RANGE(G * 0.5, speed_after((fall){.lift = 2, .across = 1, .seconds = 0.5f}), 0.05);
    PASS();
}

// Wind across a sheet whose character is turned: it goes along with the wind, as the world sees it.
TEST wind_blows_in_the_worlds_direction(void) {
    world w;
    ASSERT(world_open(&w, "kite", NULL, NULL, 1));
    hem_tuning t = world_tuning(&w);
    t.drag = 20;
    world_tune(&w, &t);
    const float none[3] = {0, 0, 0}, wind[3] = {2 * cosf(1), 0, -2 * sinf(1)}; // x turned by 1 about y
    const hem_root root = {{0, 0, 0}, {0, sinf(0.5f), 0, cosf(0.5f)}};
    hem_instance_teleport(w.scene, w.id, &root, 0);
    hem_instance_set_gravity(w.scene, w.id, none);
    hem_instance_set_wind(w.scene, w.id, wind);
    world_step(&w, 1.0f / 240.0f, 1, 60);
    const vec3d p = linear_momentum(&w);
    ASSERT_IN_RANGE(2.0, p.x / MASS, 0.05);
    ASSERT_IN_RANGE(0.0, p.z / MASS, 0.05);
    world_close(&w);
    PASS();
}

// The sheet is turned to face z, and blown at in air so thick that it goes with the wind from the first substep on: drag
// takes it along z, where it faces, lift along x, where it lies. Nothing skins it, so its normals are known only if the
// air asks for them.
static vec3d blown_after_a_turn(float drag, float lift, int air_first, int steps) {
    world w;
    vec3d p = {-9, -9, -9};
    if (!world_open(&w, "kite", NULL, NULL, 1) || w.view.info->vertex_count) {
        return p;
    }
    hem_tuning t = world_tuning(&w);
    const float none[3] = {0, 0, 0}, wind[3] = {3, 0, 5};
    const float turn[12] = {0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0}; // x becomes -z
    hem_instance_set_gravity(w.scene, w.id, none);
    hem_instance_set_wind(w.scene, w.id, wind);
    t.drag = t.lift = 0;
    world_tune(&w, &t);
    world_step(&w, 1.0f / 240.0f, 1, 1); // without air
    for (int k = 0; k < 2; ++k) {
        if (k == air_first) {
            hem_instance_set_pose(w.scene, w.id, turn, 1, 0);
            hem_instance_reset(w.scene, w.id);
        } else {
            t.drag = drag;
            t.lift = lift;
            world_tune(&w, &t);
        }
    }
    world_step(&w, 1.0f / 240.0f, 1, steps);
    p = linear_momentum(&w);
    world_close(&w);
    return (vec3d){p.x / MASS, p.y / MASS, p.z / MASS};
}

TEST the_air_knows_where_a_turned_sheet_faces(void) {
    for (int air_first = 0; air_first < 2; ++air_first) {
        for (int steps = 1; steps < 4; ++steps) {
            const vec3d drag = blown_after_a_turn(1e5f, 0, air_first, steps);
            ASSERT_IN_RANGE(5.0, drag.z, 0.05);
            ASSERT_IN_RANGE(0.0, drag.x, 0.05);
            const vec3d lift = blown_after_a_turn(0, 1e5f, air_first, steps);
            ASSERT_IN_RANGE(3.0, lift.x, 0.05);
            ASSERT_IN_RANGE(0.0, lift.z, 0.05);
        }
    }
    PASS();
}

TEST the_air_is_the_same_at_every_rate(void) {
    const double drag = speed_after((fall){.drag = 2, .across = 1, .seconds = 0.25f});
    const double lift = speed_after((fall){.lift = 2, .seconds = 0.25f});
    for (int rate = 60; rate <= 480; rate *= 2) {
        ASSERT_IN_RANGE(drag, speed_after((fall){.drag = 2, .across = 1, .seconds = 0.25f, .rate = rate}), 0.04 * drag);
        ASSERT_IN_RANGE(lift, speed_after((fall){.lift = 2, .seconds = 0.25f, .rate = rate}), 0.04 * lift);
    }
    PASS();
}

TEST each_has_its_own_coefficient(void) {
    const double one = speed_after((fall){.drag = 1, .across = 1, .seconds = 2.5f});
    ASSERT_IN_RANGE(one / 3, speed_after((fall){.drag = 3, .lift = 5, .across = 1, .seconds = 2.5f}), 0.01 * one);
    ASSERT_IN_RANGE(one / 5, speed_after((fall){.drag = 3, .lift = 5, .seconds = 2.5f}), 0.01 * one);
    PASS();
}

TEST wind_carries_the_speed_along(void) {
    const double still = speed_after((fall){.drag = 2, .lift = 1, .across = 1, .seconds = 1.5f});
    const double windy = speed_after((fall){.drag = 2, .lift = 1, .across = 1, .wind = 3, .seconds = 1.5f});
    ASSERT_IN_RANGE(still + 3, windy, 0.01 * still);
    const double against = speed_after((fall){.drag = 2, .lift = 1, .wind = -2, .seconds = 2.5f});
    ASSERT_IN_RANGE(speed_after((fall){.drag = 2, .lift = 1, .seconds = 2.5f}) - 2, against, 0.05);
    PASS();
}

// However thick the air: never faster than the wind within a substep, never back.
TEST thick_air_takes_along_and_no_more(void) {
    const double speed = speed_after((fall){.drag = 1e5f, .lift = 1e5f, .across = 1, .wind = 5, .seconds = 0.1f});
    ASSERT(speed > 4.9 && speed < 5.1);
    PASS();
}

// A sheet that swings: lifted by gravity across, then let go. How far its hem goes on the second swing to the other side.
static double second_swing(const char* name, float drag) {
    world w;
    if (!world_open(&w, name, NULL, NULL, 1)) {
        return -1;
    }
    hem_tuning t = world_tuning(&w);
    t.damping = 20;
    world_tune(&w, &t);
    const float across[3] = {0, -4, 8.9f}; // the particles' normals are along x, the sheet's own along z
    hem_instance_set_gravity(w.scene, w.id, across);
    world_step(&w, 1.0f / 60.0f, 8, 240);
    t.damping = 0;
    t.drag = t.lift = drag;
    world_tune(&w, &t);
    hem_instance_set_gravity(w.scene, w.id, NULL);
    uint32_t last = 0;
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        last = (w.view.particle_flags[i] & HEM_PARTICLE_PAD) ||
                       w.view.rest_rows[i >> 3].y[i & 7] > w.view.rest_rows[last >> 3].y[last & 7]
                   ? last
                   : i;
    }
    double sign = 1, most = 0;
    int swings = 0;
    for (int i = 0; i < 600 && swings < 3; ++i) {
        world_step(&w, 1.0f / 60.0f, 8, 1);
        const double z = (double)particle_at(&w, last).position[2];
        if (z * sign < 0) {
            most = 0;
            sign = -sign;
            ++swings;
        }
        most = swings == 2 ? fmax(most, fabs(z)) : 0;
        if (swings == 2 && fabs(z) < 0.7 * most) {
            break;
        }
    }
    world_close(&w);
    return most;
}

// 104, 400 and 1568 particles of the same sheet. Without air they swing alike; with it, they must too.
TEST finer_cloth_does_not_drag_more(void) {
    const char* const names[] = {"cape_half", "cape", "cape_double"};
    double swing[3];
    for (int i = 0; i < 3; ++i) {
        swing[i] = second_swing(names[i], 0.6f);
        if (getenv("HEM_PRINT")) {
            printf("%s: second swing %.3f m, without air %.3f m\n", names[i], swing[i], second_swing(names[i], 0));
        }
    }
    ASSERT(swing[0] > 0.05);
    ASSERT_IN_RANGE(swing[0], swing[1], 0.2 * swing[0]);
    ASSERT_IN_RANGE(swing[0], swing[2], 0.2 * swing[0]);
    PASS();
}

SUITE(air_suite) {
    RUN_TEST(finer_cloth_does_not_drag_more);
    RUN_TEST(drag_alone_brakes_across_and_not_along);
    RUN_TEST(lift_alone_brakes_along_and_not_across);
    RUN_TEST(wind_blows_in_the_worlds_direction);
    RUN_TEST(the_air_knows_where_a_turned_sheet_faces);
    RUN_TEST(the_air_is_the_same_at_every_rate);
    RUN_TEST(each_has_its_own_coefficient);
    RUN_TEST(wind_carries_the_speed_along);
    RUN_TEST(thick_air_takes_along_and_no_more);
}
