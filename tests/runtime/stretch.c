// SPDX-License-Identifier: MIT
// The limit of how long threads grow: it holds, at every rate, whatever hangs on them; it does nothing to what is shorter,
// gives neither momentum nor energy, and pulls nothing into what pushed it out.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 0.08f

// Of all warp and weft, the longest against its rest length.
static double longest(const world* w) {
    double most = 0;
    for (uint32_t n = 0; n < w->view.link_batch_count; ++n) {
        const hem_link_batch* b = &w->view.link_batches[n];
        for (uint32_t i = 0; i < 8 && (b->kind == HEM_LINK_WARP || b->kind == HEM_LINK_WEFT); ++i) {
            const hem_particle p = particle_at(w, b->row_a * 8 + i),
                               q = particle_at(w, b->row_b * 8 + ((i + b->rotate) & 7));
            double square = 0;
            for (int k = 0; k < 3; ++k) {
                const double d = (double)p.position[k] - (double)q.position[k];
                square += d * d;
            }
            if (b->lane_mask >> i & 1u) {
                most = fmax(most, sqrt(square) / (double)b->rest[i]);
            }
        }
    }
    return most;
}

static bool open_limited(world* w, const char* name, float limit) {
    if (!world_open(w, name, NULL, NULL, 1)) {
        return false;
    }
    hem_tuning t = world_tuning(w);
    t.stretch_limit = limit;
    return world_tune(w, &t);
}

// Twice its weight on threads that are solved once a substep, no tethers to help, swung about.
TEST threads_end_no_step_longer(int rate) {
    static const float heavy[3] = {0, -19.6f, 0};
    double free_most = 0, most = 0;
    for (int limited = 0; limited < 2; ++limited) {
        world w;
        ASSERT(open_limited(&w, "cape", limited ? LIMIT : 0.0f));
        hem_instance_set_gravity(w.scene, w.id, heavy);
        hem_instance_set_features(w.scene, w.id, (uint32_t)HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_TETHERS);
        for (int i = 0; i < 2 * rate; ++i) {
            hem_root root = {{0.1 * sin(6.0 * i / rate), 0, 0}, {0, 0, 0, 1}};
            hem_instance_set_root(w.scene, w.id, &root);
            world_step(&w, 1.0f / (float)rate, 0, 1);
            *(limited ? &most : &free_most) = fmax(limited ? most : free_most, longest(&w));
        }
        world_close(&w);
    }
    ASSERT(free_most > 1.15); // or it shows nothing
    ASSERT_IN_RANGE(1 + (double)LIMIT, most, 0.02);
    PASS();
}

// What is shorter than its limit moves as without one, to the bit.
TEST a_limit_that_nothing_reaches_changes_nothing(void) {
    world a, b;
    ASSERT(open_limited(&a, "cape", 0.0f));
    ASSERT(open_limited(&b, "cape", 100.0f));
    world_step(&a, 1.0f / 60.0f, 0, 60);
    world_step(&b, 1.0f / 60.0f, 0, 60);
    for (uint32_t i = 0; i < a.view.info->particle_count; ++i) {
        const hem_particle p = particle_at(&a, i), q = particle_at(&b, i);
        ASSERT_EQ(0, memcmp(p.position, q.position, sizeof(p.position)));
    }
    world_close(&a);
    world_close(&b);
    PASS();
}

// A loose sheet, soft, in no field: nothing but the limit acts.
static bool open_loose(world* w) {
    if (!world_open(w, "kite", NULL, NULL, 1)) {
        return false;
    }
    hem_tuning t = world_tuning(w);
    for (int k = 0; k < 8; ++k) {
        t.compliance[k] = 1;
    }
    t.damping = t.drag = t.lift = 0;
    t.stretch_limit = LIMIT;
    return world_tune(w, &t) && hem_instance_set_gravity(w->scene, w->id, (const float[3]){0, 0, 0}) == HEM_OK;
}

// Torn at by two particles that fly apart: ends move as their masses say.
TEST it_gives_no_momentum_and_no_energy(void) {
    world w;
    ASSERT(open_loose(&w));
    world_throw_apart(&w, nth_particle(&w, false, 0), nth_particle(&w, false, w.view.info->simulated_count - 1),
                      1.0f / 60.0f, 20.0f);
    const vec3d p = linear_momentum(&w), c = center_of_mass(&w);
    hem_instance_stats before, after;
    hem_instance_get_stats(w.scene, w.id, &before);
    world_step(&w, 1.0f / 60.0f, 0, 60);
    const vec3d q = linear_momentum(&w), d = center_of_mass(&w);
    hem_instance_get_stats(w.scene, w.id, &after);
    ASSERT_IN_RANGE(p.x, q.x, 1e-4);
    ASSERT_IN_RANGE(p.y, q.y, 1e-4);
    ASSERT_IN_RANGE(p.z, q.z, 1e-4);
    double mass = 0;
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        mass += mass_of(&w, i);
    }
    ASSERT_IN_RANGE(c.y + q.y / mass, d.y, 2e-3);
    ASSERT(after.kinetic_energy <= before.kinetic_energy * 1.001f);
    world_close(&w);
    PASS();
}

// A ball that comes up under a sheet whose border is held: the sheet has to give, and goes no deeper than a tenth of its
// spacing, where it is not pulled through.
TEST what_pushed_cloth_out_holds_it(void) {
    world w;
    ASSERT(open_limited(&w, "cape", LIMIT));
    hem_collider c = hem_collider_default();
    c.kind = HEM_COLLIDER_SPHERE;
    c.bone = -1;
    c.size[0] = 0.25f;
    const double spacing = (double)w.view.parts[0].spacing;
    double deepest = 0, touching = 0;
    const hem_particle low = particle_at(&w, nth_particle(&w, false, 200));
    for (int k = 0; k < 3; ++k) {
        c.position[k] = (double)low.position[k];
    }
    c.position[2] -= 0.5;
    for (int i = 0; i < 180; ++i) {
        c.position[2] += i < 60 ? 0.6 / 60 : 0;
        hem_instance_set_colliders(w.scene, w.id, &c, 1);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        for (uint32_t n = 0; i > 90 && n < w.view.info->particle_count; ++n) {
            const hem_particle p = particle_at(&w, n);
            double square = 0;
            for (int k = 0; k < 3; ++k) {
                const double d = (double)p.position[k] - c.position[k];
                square += d * d;
            }
            if (!(p.flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED))) {
                deepest = fmax(deepest, 0.25 - sqrt(square));
                touching += sqrt(square) < 0.25 + (double)world_tuning(&w).collision_thickness + 0.005;
            }
        }
    }
    ASSERT(touching > 0);
    ASSERT_IN_RANGE(0.0, deepest, 0.1 * spacing + 0.002);
    ASSERT(longest(&w) < 1.2);
    world_close(&w);
    PASS();
}

// The thread that was longest ends as long as it may be, no shorter: what one sweep took too much of, others give back.
TEST no_thread_is_shortened_beyond_its_limit(float speed) {
    world w;
    ASSERT(open_loose(&w));
    const uint32_t last = nth_particle(&w, false, w.view.info->simulated_count - 1);
    world_throw_apart(&w, nth_particle(&w, false, 0), last, 1.0f / 60.0f, speed);
    ASSERT_IN_RANGE(1 + (double)LIMIT, longest(&w), 0.001);
    world_close(&w);
    PASS();
}

// A sheet that hangs over a ball by threads at their limit: what contacts push out and limits pull back comes to an end.
TEST what_hangs_at_its_limit_lies_still(void) {
    world w;
    OPEN(w, "sheet_over_ball");
    hem_collider ground = hem_collider_default();
    ground.kind = HEM_COLLIDER_PLANE;
    ground.friction = 0.6f;
    for (uint32_t v = 0; v < w.view.vertex_rest_count; ++v) {
        ground.position[1] = fmin(ground.position[1], (double)w.view.vertex_rest[v].position[1]);
    }
    ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &ground, 1));
    hem_instance_set_features(w.scene, w.id, (uint32_t)HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    const float dt = 1001.0f / 60000.0f;
    world_step(&w, dt, 0, 720);
    hem_particle* before = calloc(w.view.info->particle_count, sizeof(*before));
    ASSERT(before != NULL);
    hem_instance_get_particles(w.scene, w.id, 0, w.view.info->particle_count, before);
    world_step(&w, dt, 0, 1);
    double most = 0;
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        const hem_particle now = particle_at(&w, i);
        for (int k = 0; k < 3; ++k) {
            most = fmax(most, fabs((double)now.position[k] - (double)before[i].position[k]));
        }
    }
    free(before);
    world_close(&w);
    ASSERT_IN_RANGE(0, most, 5e-5);
    PASS();
}

SUITE(stretch_suite) {
    RUN_TEST1(threads_end_no_step_longer, 30);
    RUN_TEST1(threads_end_no_step_longer, 60);
    RUN_TEST1(threads_end_no_step_longer, 120);
    RUN_TEST(a_limit_that_nothing_reaches_changes_nothing);
    RUN_TEST(it_gives_no_momentum_and_no_energy);
    RUN_TEST(what_pushed_cloth_out_holds_it);
    RUN_TEST1(no_thread_is_shortened_beyond_its_limit, 1.0f);
    RUN_TEST1(no_thread_is_shortened_beyond_its_limit, 2.0f);
    RUN_TEST1(no_thread_is_shortened_beyond_its_limit, 3.0f);
    RUN_TEST(what_hangs_at_its_limit_lies_still);
}
