// SPDX-License-Identifier: MIT
// Solids of tetrahedra against the theory of elasticity: how far a column hangs, how thin it becomes, that nothing pushes
// itself, that volume is kept, and that what is far too stiff stays whole.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool tune_solid(world* w, float young, float poisson, float damping) {
    hem_tuning t = world_tuning(w);
    t.solid_young = young;
    t.solid_poisson = poisson;
    t.damping = damping;
    t.inner_damping = 0;
    t.drag = t.lift = 0;
    t.max_speed = 1000;
    hem_instance_set_features(w->scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    return world_tune(w, &t);
}

// The particle that was at x, y, z at rest.
static hem_particle at_rest(const world* w, float x, float y, float z) {
    const hem_view* v = &w->view;
    uint32_t best = 0;
    float nearest = 1e9f;
    for (uint32_t i = 0; i < v->info->row_count * 8; ++i) {
        const hem_rest_row* r = &v->rest_rows[i / 8];
        const float d = fabsf(r->x[i % 8] - x) + fabsf(r->y[i % 8] - y) + fabsf(r->z[i % 8] - z);
        if (d < nearest && !(v->particle_flags[i] & HEM_PARTICLE_PAD)) {
            nearest = d;
            best = i;
        }
    }
    return particle_at(w, best);
}

// Ten layers of ten cells of 10 cm hang below the held one, 10 kg each: cell k from below carries k of them, so the column is longer
// by sum k m g l / (E A) = 55 m g l / (E A).
TEST a_column_hangs_by_its_weight_over_its_stiffness(void) {
    static const float rates[] = {30, 60, 240};
    static const float youngs[] = {5e4f, 2e5f};
    for (int i = 0; i < 6; ++i) {
        const float rate = rates[i % 3], young = youngs[i / 3];
        world w;
        OPEN(w, "solid_held");
        ASSERT(tune_solid(&w, young, 0, 6));
        hem_tuning t = world_tuning(&w);
        t.gravity_scale = 0.1f; // strains of one and a quarter percent
        ASSERT(world_tune(&w, &t));
        world_step(&w, 1.0f / rate, 0, (int)(8 * rate));
        const double exact = 55 * 10 * 0.981 * 0.1 / ((double)young * 0.04);
        const double hangs = -(double)at_rest(&w, 0.1f, 0, 0.1f).position[1];
        if (getenv("HEM_SOLIDS")) {
            printf("E %g kPa at %g Hz: %.3f mm, exact %.3f mm\n", (double)young / 1000, (double)rate, 1000 * hangs,
                   1000 * exact);
        }
        ASSERT_IN_RANGE(exact, hangs, 0.05 * exact);
        world_close(&w);
    }
    PASS();
}

// In the middle, far from the held end, sides come nearer by Poisson's ratio of how much it is longer.
TEST a_stretched_column_becomes_thinner(void) {
    static const float ratios[] = {0, 0.3f, 0.45f};
    for (int i = 0; i < 3; ++i) {
        world w;
        OPEN(w, "solid_held");
        ASSERT(tune_solid(&w, 1e5f, ratios[i], 6));
        hem_tuning t = world_tuning(&w);
        t.gravity_scale = 0.2f;
        ASSERT(world_tune(&w, &t));
        world_step(&w, 1.0f / 60.0f, 0, 480);
        const double length =
            (double)at_rest(&w, 0.1f, 0.6f, 0.1f).position[1] - (double)at_rest(&w, 0.1f, 0.4f, 0.1f).position[1];
        const double width =
            (double)at_rest(&w, 0.2f, 0.5f, 0.1f).position[0] - (double)at_rest(&w, 0, 0.5f, 0.1f).position[0];
        const double longer = length / 0.2 - 1, thinner = 1 - width / 0.2;
        ASSERT(longer > 0.01);
        ASSERT_IN_RANGE((double)ratios[i] * longer, thinner, 0.07 * longer);
        world_close(&w);
    }
    PASS();
}

static double length_of(vec3d v) {
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

TEST a_free_solid_keeps_its_momentum(void) {
    world w;
    OPEN(w, "solid");
    ASSERT(tune_solid(&w, 2e4f, 0.45f, 0));
    hem_tuning t = world_tuning(&w);
    t.gravity_scale = 0;
    ASSERT(world_tune(&w, &t));
    world_throw(&w, 1.0f / 240.0f, 1, 2, -1);
    world_throw_apart(&w, nth_particle(&w, false, 3), nth_particle(&w, false, 90), 1.0f / 240.0f, 4);
    const vec3d before = linear_momentum(&w), spin = angular_momentum(&w);
    world_step(&w, 1.0f / 60.0f, 0, 120);
    const vec3d after = linear_momentum(&w), turns = angular_momentum(&w);
    const vec3d p = {after.x - before.x, after.y - before.y, after.z - before.z};
    const vec3d l = {turns.x - spin.x, turns.y - spin.y, turns.z - spin.z};
    ASSERT(length_of(p) < 1e-3 * length_of(before));
    ASSERT(length_of(l) < 0.02 * length_of(spin) + 1e-4);
    world_close(&w);
    PASS();
}

static double volume_of(const world* w) {
    double sum = 0;
    for (uint32_t i = 0; i < w->view.row_batch_count; ++i) {
        const hem_row_batch* b = &w->view.row_batches[i];
        for (uint32_t lane = 0; lane < 8 && b->kind == HEM_KIND_TETRAHEDRON; ++lane) {
            if (!(b->lane_mask >> lane & 1)) {
                continue;
            }
            double x[4][3];
            for (uint32_t k = 0; k < 4; ++k) {
                const uint32_t slot = b->form == HEM_FORM_INDICES ? w->view.row_indices[b->member_begin + k].index[lane]
                                                                  : b->rows[k] * 8u + ((lane + b->rotates[k]) & 7u);
                const hem_particle p = particle_at(w, slot);
                for (int axis = 0; axis < 3; ++axis) {
                    x[k][axis] = (double)p.position[axis] - (k ? x[0][axis] : 0);
                }
            }
            sum += fabs(x[1][0] * (x[2][1] * x[3][2] - x[2][2] * x[3][1]) -
                        x[1][1] * (x[2][0] * x[3][2] - x[2][2] * x[3][0]) +
                        x[1][2] * (x[2][0] * x[3][1] - x[2][1] * x[3][0])) /
                   6;
        }
    }
    return sum;
}

// Dropped from half a metre onto the ground it flattens, and has its volume all the while; friction lets it lie.
TEST a_dropped_solid_keeps_its_volume_and_stops(void) {
    world w;
    OPEN(w, "solid");
    const double whole = volume_of(&w);
    hem_collider ground = hem_collider_default();
    ground.kind = HEM_COLLIDER_PLANE;
    ground.position[1] = -0.5;
    ground.friction = 0.8f;
    ASSERT(tune_solid(&w, 5e3f, 0.48f, 0));
    hem_tuning t = world_tuning(&w);
    t.inner_damping = 4;
    ASSERT(world_tune(&w, &t));
    ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &ground, 1));
    world_throw(&w, 1.0f / 60.0f, 0.5f, 0, 0);
    double least = 1, most = 1;
    for (int f = 0; f < 240; ++f) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const double share = volume_of(&w) / whole;
        least = fmin(least, share);
        most = fmax(most, share);
    }
    if (getenv("HEM_SOLIDS")) {
        printf("volume %.4f to %.4f, in the end %.4f\n", least, most, volume_of(&w) / whole);
    }
    ASSERT(least > 0.9 && most < 1.03); // when it hits the ground
    ASSERT_IN_RANGE(0.99, volume_of(&w) / whole, 0.01);
    const vec3d lies = center_of_mass(&w);
    world_step(&w, 1.0f / 60.0f, 0, 120);
    const vec3d later = center_of_mass(&w);
    ASSERT_IN_RANGE(lies.x, later.x, 0.002);
    ASSERT_IN_RANGE(lies.z, later.z, 0.002);
    world_close(&w);
    PASS();
}

static double greatest_speed(const world* w) {
    double most = 0;
    for (uint32_t i = 0; i < w->view.info->row_count * 8; ++i) {
        const hem_particle p = particle_at(w, i);
        const vec3d v = {(double)p.velocity[0], (double)p.velocity[1], (double)p.velocity[2]};
        most = w->view.particle_flags[i] & HEM_PARTICLE_PAD ? most : fmax(most, length_of(v));
    }
    return most;
}

static bool lay_on_ground(world* w, float friction, float restitution) {
    hem_collider ground = hem_collider_default();
    ground.kind = HEM_COLLIDER_PLANE;
    hem_tuning t = world_tuning(w);
    t.friction = friction;
    t.restitution = restitution;
    t.inner_damping = 4;
    t.solid_young = 2e4f;
    return world_tune(w, &t) && hem_instance_set_colliders(w->scene, w->id, &ground, 1) == HEM_OK;
}

// A ball with a heavy side, tipped by a pull to the side and let go, rocks, and friction takes that, too.
TEST a_rocking_solid_comes_to_lie(void) {
    const float aside[3] = {9.0f, -9.81f, 3.0f}, down[3] = {0, -9.81f, 0};
    world w;
    OPEN(w, "solid_round");
    ASSERT(tune_solid(&w, 2e4f, 0.45f, 0));
    ASSERT(lay_on_ground(&w, 0.8f, 0));
    hem_instance_set_gravity(w.scene, w.id, aside);
    world_step(&w, 1.0f / 60.0f, 0, 12);
    hem_instance_set_gravity(w.scene, w.id, down);
    world_step(&w, 1.0f / 60.0f, 0, 30);
    ASSERT(greatest_speed(&w) > 0.1); // it does rock
    world_step(&w, 1.0f / 60.0f, 0, 270);
    if (getenv("HEM_SOLIDS")) {
        printf("rocks: %.2f mm/s are left after 5 s\n", 1000 * greatest_speed(&w));
    }
    ASSERT_IN_RANGE(0, greatest_speed(&w), 2e-3);
    world_close(&w);
    PASS();
}

// What lies is pressed down by what it carries: that is no blow, and nothing to bounce from. It sleeps.
TEST a_solid_that_bounces_comes_to_lie(void) {
    world w;
    OPEN(w, "solid");
    ASSERT(tune_solid(&w, 2e4f, 0.45f, 0));
    ASSERT(lay_on_ground(&w, 0.6f, 0.5f));
    world_step(&w, 1.0f / 60.0f, 0, 300);
    if (getenv("HEM_SOLIDS")) {
        printf("bounces: %.2f mm/s are left after 5 s\n", 1000 * greatest_speed(&w));
    }
    ASSERT_IN_RANGE(0, greatest_speed(&w), 5e-3);
    world_close(&w);
    PASS();
}

// A thousand times the stiffness, frames of 1/15 s, shaken at first: finite all the while, and still in the end.
TEST stiff_solids_come_to_rest(void) {
    world w;
    OPEN(w, "solid_held");
    ASSERT(tune_solid(&w, 1e9f, 0.49f, 1));
    world_throw(&w, 1.0f / 15.0f, 3, 5, -2);
    world_step(&w, 1.0f / 15.0f, 0, 300);
    for (uint32_t i = 0; i < 90; ++i) {
        const hem_particle p = particle_at(&w, nth_particle(&w, false, i));
        for (int k = 0; k < 3; ++k) {
            ASSERT(fabsf(p.velocity[k]) < 0.02f);
            ASSERT(fabsf(p.position[k]) < 1.5f);
        }
    }
    world_close(&w);
    PASS();
}

static const struct {
    size_t offset;
    float value;
    const char* field;
} faults[] = {
    {offsetof(hem_tetrahedron, q), 1e9f, "q"},
    {offsetof(hem_tetrahedron, volume), -1, "volume"},
};

TEST spoiled_solids_are_refused_by_name(void) {
    size_t size;
    uint8_t* bytes = read_asset("solid", &size);
    ASSERT(bytes);
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, &fault));
    for (int i = 0; i < 2; ++i) {
        uint8_t* to = bytes + ((const uint8_t*)view.tetrahedra - bytes) + faults[i].offset;
        uint8_t kept[4];
        memcpy(kept, to, 4);
        memcpy(to, &faults[i].value, 4);
        ASSERT_EQ(HEM_FORMAT_BAD_VALUE, hem_validate(bytes, size, &view, &fault));
        ASSERT_STR_EQ(faults[i].field, fault.field);
        memcpy(to, kept, 4);
        ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, &fault));
    }
    free(bytes);
    PASS();
}

SUITE(solids_suite) {
    RUN_TEST(a_column_hangs_by_its_weight_over_its_stiffness);
    RUN_TEST(a_stretched_column_becomes_thinner);
    RUN_TEST(a_free_solid_keeps_its_momentum);
    RUN_TEST(a_dropped_solid_keeps_its_volume_and_stops);
    RUN_TEST(a_rocking_solid_comes_to_lie);
    RUN_TEST(a_solid_that_bounces_comes_to_lie);
    RUN_TEST(stiff_solids_come_to_rest);
    RUN_TEST(spoiled_solids_are_refused_by_name);
}
