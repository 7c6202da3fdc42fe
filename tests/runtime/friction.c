// SPDX-License-Identifier: MIT
// Coulomb's law where a particle meets a body or another particle: of an impact, the change along the surface is the
// friction times the change across it, or all that slides if that is less. Whose friction is larger decides.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float NO_GRAVITY[3] = {0, 0, 0};

// The upper of two parts, thrown down at an angle at the other, with a friction each.
typedef struct impact {
    const char* asset;
    float upper, lower;
    double along, across; // speeds
} impact;

typedef struct outcome {
    double along, across;      // changes of the upper one's velocity
    double given_x, given_y;   // of the lower one's momentum
    double upper_mass, height; // of the upper one after it
} outcome;

static uint32_t upper_of(const world* w) {
    uint32_t best = 0;
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        if (!(w->view.particle_flags[i] & HEM_PARTICLE_PAD) &&
            particle_at(w, i).position[1] >= particle_at(w, best).position[1]) {
            best = i;
        }
    }
    return best;
}

static uint32_t lower_of(const world* w) {
    const uint32_t upper = upper_of(w);
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        if (!(w->view.particle_flags[i] & HEM_PARTICLE_PAD) && i != upper) {
            return i;
        }
    }
    return upper;
}

static void tune_two(world* w, float upper, float lower) {
    hem_tuning t[2];
    hem_instance_get_tuning(w->scene, w->id, t, sizeof(t));
    const uint32_t part = particle_at(w, upper_of(w)).part;
    t[part].friction = upper;
    t[1 - part].friction = lower;
    hem_instance_set_tuning(w->scene, w->id, t, 2);
}

typedef struct push {
    uint32_t slot;
    float x, y;
} push;

static void push_one(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                     uint32_t row_count) {
    const push* p = user;
    (void)id, (void)position, (void)velocity, (void)row_count;
    acceleration[(p->slot >> 3) * 24 + (p->slot & 7)] = p->x;
    acceleration[(p->slot >> 3) * 24 + 8 + (p->slot & 7)] = p->y;
}

static bool collide(impact c, outcome* out) {
    const float h = 1.0f / 240.0f;
    world w;
    if (!world_open(&w, c.asset, NULL, NULL, 1) || w.view.info->part_count != 2) {
        return false;
    }
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    tune_two(&w, c.upper, c.lower);
    const uint32_t upper = upper_of(&w), lower = lower_of(&w);
    push p = {upper, (float)c.along / h, (float)-c.across / h};
    hem_scene_set_force_field(w.scene, push_one, &p);
    world_step(&w, h, 1, 1);
    const hem_particle a = particle_at(&w, upper), b = particle_at(&w, lower);
    out->upper_mass = mass_of(&w, upper);
    out->along = (double)a.velocity[0] - c.along;
    out->across = (double)a.velocity[1] + c.across;
    out->given_x = mass_of(&w, lower) * (double)b.velocity[0];
    out->given_y = mass_of(&w, lower) * (double)b.velocity[1];
    out->height = (double)(a.position[1] - b.position[1]);
    world_close(&w);
    return true;
}

TEST an_impact_slides_by_coulombs_law(const char* asset) {
    static const float frictions[][2] = {{0.2f, 0}, {0, 0.2f}, {0.2f, 0.5f}, {0.5f, 0.2f}, {0, 0}};
    for (size_t i = 0; i < sizeof(frictions) / sizeof(frictions[0]); ++i) {
        outcome o;
        // Slow enough that the direction from one to the other stays as it is.
        ASSERT(collide((impact){asset, frictions[i][0], frictions[i][1], 0.1, 0.1}, &o));
        const double larger = fmax((double)frictions[i][0], (double)frictions[i][1]);
        ASSERT(o.across > 0.04);
        ASSERT_IN_RANGE(-larger * o.across, o.along, 0.02 * o.across);
    }
    PASS();
}

TEST what_slides_less_than_friction_holds_does_not_turn_back(const char* asset) {
    outcome o;
    ASSERT(collide((impact){asset, 1.0f, 0, 0.05, 1.0}, &o));
    ASSERT(o.along < -0.02 && o.along > -0.0501);
    PASS();
}

// How near to the other a particle comes that is pushed towards it with 2 m/s^2 for a second.
static double nearest_with(float contact_radius) {
    world w;
    if (!world_open(&w, "on_particle", NULL, NULL, 1)) {
        return -1;
    }
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_tuning tuning = world_tuning(&w);
    tuning.self_thickness = 0;
    tuning.contact_radius = contact_radius;
    const bool tuned = world_tune(&w, &tuning);
    push p = {upper_of(&w), 0, -2.0f};
    hem_scene_set_force_field(w.scene, push_one, &p);
    double nearest = 1;
    for (int i = 0; i < 60; ++i) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const hem_particle a = particle_at(&w, upper_of(&w)), b = particle_at(&w, lower_of(&w));
        nearest = fmin(nearest, (double)(a.position[1] - b.position[1]));
    }
    world_close(&w);
    return tuned ? nearest : -1;
}

TEST parts_keep_the_sum_of_their_contact_radii(void) {
    ASSERT_IN_RANGE(0.04, nearest_with(0.02f), 0.001);
    ASSERT_IN_RANGE(0.07, nearest_with(0.035f), 0.001);
    ASSERT_IN_RANGE(0.1, nearest_with(0.07f), 0.001); // no more than at rest
    PASS();
}

TEST a_body_stops_what_hits_it(void) {
    outcome o;
    ASSERT(collide((impact){"on_body", 0, 0, 0, 1.0}, &o));
    ASSERT_IN_RANGE(1.0, o.across, 1e-3); // no bounce, nothing left of the fall
    ASSERT_IN_RANGE(2.0, o.height, 1e-5);
    PASS();
}

TEST particles_share_their_momentum(void) {
    outcome o;
    ASSERT(collide((impact){"on_particle", 0.4f, 0, 0.5, 0.5}, &o));
    ASSERT(fabs(o.given_y) > 0.01);
    ASSERT_IN_RANGE(0.0, o.upper_mass * o.across + o.given_y, 1e-5);
    ASSERT_IN_RANGE(0.0, o.upper_mass * o.along + o.given_x, 1e-5);
    PASS();
}

// On the top of a ball of two metres, with gravity tilted: it stays if the tangent of the tilt is below the friction.
TEST a_tilt_beyond_friction_slides_off_a_body(void) {
    static const double tilts[] = {0.2, 0.28, 0.34, 0.45}; // tangents; the friction is 0.3
    for (size_t i = 0; i < sizeof(tilts) / sizeof(tilts[0]); ++i) {
        world w;
        OPEN(w, "on_body");
        tune_two(&w, 0.3f, 0);
        hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        const double cosine = 1 / sqrt(1 + tilts[i] * tilts[i]), sine = tilts[i] * cosine, g = 9.81, t = 0.5;
        const float gravity[3] = {(float)(g * sine), (float)(-g * cosine), 0};
        hem_instance_set_gravity(w.scene, w.id, gravity);
        world_step(&w, 1.0f / 60.0f, 4, 30);
        const double moved = (double)particle_at(&w, upper_of(&w)).position[0];
        if (tilts[i] < 0.3) {
            ASSERT(fabs(moved) < 0.002);
        } else {
            // g (sin - 0.3 cos), a little more once the ball falls away.
            const double way = 0.5 * g * (sine - 0.3 * cosine) * t * t;
            ASSERT(moved > 0.9 * way && moved < 1.2 * way + 0.01);
        }
        world_close(&w);
    }
    PASS();
}

// Under a particle the body slides away at 0.2 m/s: it follows with friction times gravity, until it has the body's speed.
TEST a_body_that_moves_takes_along_what_lies_on_it(void) {
    world w;
    OPEN(w, "on_body");
    tune_two(&w, 0.3f, 0);
    const uint32_t upper = upper_of(&w);
    for (int f = 1; f <= 48; ++f) {
        const double t = f / 240.0, speed = 0.2;
        const float pose[12] = {1, 0, 0, (float)(speed * t), 0, 1, 0, 0, 0, 0, 1, 0};
        ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, pose, 1, 0));
        world_step(&w, 1.0f / 240.0f, 1, 1);
        ASSERT_IN_RANGE(fmin(speed, 0.3 * 9.81 * t), (double)particle_at(&w, upper).velocity[0], 0.02);
    }
    ASSERT_IN_RANGE(0.2, (double)particle_at(&w, upper).velocity[0], 0.004);
    world_close(&w);
    PASS();
}

// -- Colliders of an asset

static float given_friction;

static void give_friction(world* w) {
    for (uint32_t i = 0; i < w->view.collider_count; ++i) {
        ((hem_asset_collider*)(uintptr_t)&w->view.colliders[i])->friction = given_friction;
    }
    for (uint32_t p = 0; p < w->view.info->part_count; ++p) {
        ((hem_tuning*)(uintptr_t)&w->view.tuning[p])->friction = 0.0f;
    }
}

// A sheet that has just fallen on the table which came with it, under gravity that is tilted: how far it slides in the next
// fifth of a second, before its edges hang down.
static double slide_on_table(float friction) {
    world w;
    given_friction = friction;
    if (!world_open_spoiled(&w, "sheet_over_table", give_friction)) {
        return -1;
    }
    world_step(&w, 1.0f / 60.0f, 4, 15);
    const vec3d before = center_of_mass(&w);
    const float tilted[3] = {3, -9.3f, 0};
    hem_instance_set_gravity(w.scene, w.id, tilted);
    world_step(&w, 1.0f / 60.0f, 4, 12);
    const vec3d after = center_of_mass(&w);
    world_close(&w);
    return after.x - before.x;
}

TEST an_assets_collider_has_its_friction(void) {
    size_t size;
    void* there = read_asset("sheet_over_table", &size);
    free(there);
    if (!there) {
        SKIPm("the sample has not been compiled");
    }
    const double smooth = slide_on_table(0), rough = slide_on_table(1);
    printf("sheet on a tilted table: slides %.3f m, %.3f m where it is rough\n", smooth, rough);
    ASSERT(smooth > 0.015);
    ASSERT(fabs(rough) < 0.5 * smooth);
    PASS();
}

SUITE(friction_suite) {
    static const char* const assets[] = {"on_body", "on_particle"};
    for (size_t i = 0; i < sizeof(assets) / sizeof(assets[0]); ++i) {
        greatest_set_test_suffix(assets[i]);
        RUN_TESTp(an_impact_slides_by_coulombs_law, assets[i]);
        greatest_set_test_suffix(assets[i]);
        RUN_TESTp(what_slides_less_than_friction_holds_does_not_turn_back, assets[i]);
    }
    RUN_TEST(parts_keep_the_sum_of_their_contact_radii);
    RUN_TEST(a_body_stops_what_hits_it);
    RUN_TEST(particles_share_their_momentum);
    RUN_TEST(a_tilt_beyond_friction_slides_off_a_body);
    RUN_TEST(a_body_that_moves_takes_along_what_lies_on_it);
    RUN_TEST(an_assets_collider_has_its_friction);
}
