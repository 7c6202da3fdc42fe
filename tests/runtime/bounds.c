// SPDX-License-Identifier: MIT
// No accepted asset and no tuning that a call takes makes a step hang: what a step looks at is bounded by the asset's size
// and the scene's capacities. docs/runtime.md states the bound, `worst_work` is it.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEARCH_LOOKS = 128, CONTACT_PASSES = 4, MOST_PARTS = 64 };

static uint32_t random_next(uint32_t* state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static double worst_work(const world* w, const hem_tuning* tuning, uint32_t substeps, uint32_t searches,
                         const hem_scene_def* def) {
    const hem_view* v = &w->view;
    const double particles = v->info->particle_count, rows = v->info->row_count;
    const double colliders = def->collider_capacity + v->collider_count;
    const double planes = def->hull_plane_capacity + v->hull_plane_count;
    const double near = 2.0 * def->candidate_capacity * particles / 8; // with bodies, and with particles
    uint32_t passes = 1;
    double constraints = 0;
    for (uint32_t p = 0; p < v->info->part_count; ++p) {
        const hem_part* part = &v->parts[p];
        double batches = 0;
        for (uint32_t n = part->range_begin; n < part->range_begin + part->range_count; ++n) {
            const hem_range* range = &v->ranges[n];
            batches += range->count;
            for (uint32_t i = 0; range->kind == HEM_BATCH_GROUPS && i < range->count; ++i) {
                batches += v->group_batches[range->begin + i].member_count;
            }
        }
        constraints += batches * tuning[p].iterations;
        passes = tuning[p].iterations > passes ? tuning[p].iterations : passes;
    }
    const double contacts = passes < CONTACT_PASSES ? passes : CONTACT_PASSES;
    return searches * (2 * SEARCH_LOOKS * particles + rows * colliders / 8 + rows) +
           substeps * (rows + rows * def->force_capacity + (double)passes * def->tie_capacity + constraints + near +
                       contacts * (near + rows * (colliders + planes)));
}

// As long as the validator takes, against everybody, 32 times.
static void make_greedy(hem_tuning* t, float longest) {
    t->collision_thickness = t->self_thickness = t->contact_radius = longest;
    t->iterations = HEM_MAX_ITERATIONS;
    t->max_speed = 1e6f;
}

static void spoil_lengths(world* w) {
    for (uint32_t p = 0; p < w->view.info->part_count; ++p) {
        hem_tuning* t = (hem_tuning*)(uintptr_t)&w->view.tuning[p];
        hem_part* part = (hem_part*)(uintptr_t)&w->view.parts[p];
        make_greedy(t, hem_longest(w->view.info));
        part->collision_mask = ~0u;
    }
}

// Neighbours in the mesh lie anywhere: every box of the search spans the whole.
static void spoil_places(world* w) {
    const uint32_t rows = w->view.info->row_count;
    uint32_t seed = 5;
    hem_rest_row* rest = (hem_rest_row*)(uintptr_t)w->view.rest_rows;
    for (uint32_t i = 0; i < rows; ++i) { // whole lanes of three: pads go on repeating what they repeat
        const uint32_t k = random_next(&seed) % rows;
        const uint32_t pads_i = w->view.particle_flags[i * 8 + 7] & HEM_PARTICLE_PAD;
        const uint32_t pads_k = w->view.particle_flags[k * 8 + 7] & HEM_PARTICLE_PAD;
        if (!pads_i && !pads_k) {
            for (int lane = 0; lane < 8; ++lane) {
                float a[3] = {rest[i].x[lane], rest[i].y[lane], rest[i].z[lane]};
                rest[i].x[lane] = rest[k].x[lane];
                rest[i].y[lane] = rest[k].y[lane];
                rest[i].z[lane] = rest[k].z[lane];
                rest[k].x[lane] = a[0];
                rest[k].y[lane] = a[1];
                rest[k].z[lane] = a[2];
            }
        }
    }
    spoil_lengths(w);
}

static void spoil_links(world* w) {
    spoil_lengths(w);
    hem_link_batch* batches = (hem_link_batch*)(uintptr_t)w->view.link_batches;
    for (uint32_t i = 0; i < w->view.link_batch_count; ++i) {
        for (int lane = 0; lane < 8; ++lane) {
            if (batches[i].lane_mask >> lane & 1) {
                batches[i].rest[lane] = HEM_MAX_LINK * hem_longest(w->view.info);
            }
        }
    }
}

TEST a_bad_asset_is_bounded(const char* name, void (*spoil)(world* w), const char* how) {
    world w;
    ASSERT(world_open_spoiled(&w, name, spoil));
    hem_tuning tuning[MOST_PARTS];
    ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, tuning, sizeof(tuning)));
    const hem_scene_def def = hem_scene_def_default();
    const double bound = worst_work(&w, tuning, 16, 16, &def);
    double most = 0;
    uint32_t mended = 0;
    for (int i = 0; i < 6; ++i) {
        world_step(&w, i % 2 ? 1.0f : 1.0f / 60.0f, 0, 1);
        hem_step_report r;
        hem_scene_get_report(w.scene, &r);
        most = fmax(most, (double)r.work_count);
        mended += r.mended_count;
    }
    if (getenv("HEM_PRINT")) {
        printf("%s, %s: %.3g eights, bound %.3g, %.3g a KiB, mended %u\n", name, how, most, bound,
               most * 1024 / (double)w.byte_count, mended);
    }
    ASSERT(most > 0 && most <= bound);
    hem_instance_stats stats;
    ASSERT_EQ(HEM_OK, hem_instance_get_stats(w.scene, w.id, &stats));
    ASSERT(isfinite(stats.stretch_max) && isfinite(stats.stretch_mean) && isfinite(stats.kinetic_energy));
    world_close(&w);
    PASS();
}

// What is found is a small multiple of what is needed when everything is near everything: the square of the number of
// particles is not looked at.
TEST a_search_that_is_full_ends(void) {
    world w;
    ASSERT(world_open_spoiled(&w, "crossing_large", spoil_places));
    hem_tuning tuning[MOST_PARTS];
    ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, tuning, sizeof(tuning)));
    for (uint32_t p = 0; p < w.view.info->part_count; ++p) {
        tuning[p].iterations = 1;
    }
    ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, tuning, w.view.info->part_count));
    world_step(&w, 1.0f / 240.0f, 1, 1);
    hem_step_report r;
    hem_scene_get_report(w.scene, &r);
    const double n = w.view.info->particle_count;
    if (getenv("HEM_PRINT")) {
        printf("full search: %g particles, %.4g eights, %.4g a particle, %u found, %u dropped\n", n,
               (double)r.work_count, (double)r.work_count / n, r.candidate_count, r.dropped_count);
    }
    ASSERT(r.candidate_count >= 40 * n && r.dropped_count > 0);
    ASSERT(r.dropped_count < 16 * n);          // it was not counted to the end either: n^2 / 2 pairs are near
    ASSERT((double)r.work_count < n * n / 64); // a tenth of what all pairs would be, eight at a time
    world_close(&w);
    PASS();
}

// Every field at the ends of its range, at random, on every sample that there is.
static void extreme_tuning(hem_tuning* t, float longest, uint32_t* seed) {
#define ENDS(low, high) (random_next(seed) % 3 ? (random_next(seed) % 2 ? (high) : (low)) : 0.5f * ((low) + (high)))
    for (int k = 0; k < 8; ++k) {
        t->compliance[k] = ENDS(0.0f, HEM_MAX_COMPLIANCE);
        t->link_damping[k] = ENDS(0.0f, HEM_MAX_LINK_DAMPING);
        t->stiffness[k] = ENDS(0.0f, 1.0f);
    }
    t->shape_compliance = ENDS(0.0f, 1e9f);
    t->shape_stiffness = ENDS(0.0f, 1.0f);
    t->tether_allowance = ENDS(0.0f, 100.0f);
    t->gravity_scale = ENDS(-1e4f, 1e4f);
    t->damping = ENDS(0.0f, 1e4f);
    t->angular_damping = ENDS(0.0f, 1e4f);
    t->inner_damping = ENDS(0.0f, 1e4f);
    t->solid_young = ENDS(0.0f, 1e9f);
    t->solid_poisson = ENDS(0.0f, 0.49f);
    t->stretch_limit = ENDS(0.0f, 1e3f);
    t->drag = ENDS(0.0f, 1e6f);
    t->lift = ENDS(0.0f, 1e6f);
    t->friction = ENDS(0.0f, 1.0f);
    t->restitution = ENDS(0.0f, 1.0f);
    t->collision_thickness = ENDS(0.0f, longest);
    t->self_thickness = ENDS(0.0f, longest);
    t->contact_radius = ENDS(0.0f, longest);
    t->max_speed = ENDS(1e-6f, 1e6f);
    t->linear_inertia = ENDS(0.0f, 1.0f);
    t->angular_inertia = ENDS(0.0f, 1.0f);
    t->solver = random_next(seed) % 4;
    t->iterations = random_next(seed) % 2 ? HEM_MAX_ITERATIONS : 1 + random_next(seed) % HEM_MAX_ITERATIONS;
#undef ENDS
}

TEST no_tuning_breaks_the_bound(const char* name) {
    world w;
    if (!world_open(&w, name, NULL, NULL, 1)) {
        FAILm(name);
    }
    hem_tuning usual[MOST_PARTS], tuning[MOST_PARTS];
    const uint32_t parts = w.view.info->part_count;
    const hem_scene_def def = hem_scene_def_default();
    ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, usual, sizeof(usual)));
    hem_step_report r;
    world_step(&w, 1.0f / 60.0f, 0, 30);
    hem_scene_get_report(w.scene, &r);
    const double normal = (double)r.work_count;
    double most = 0;
    uint32_t seed = 11;
    for (int round = 0; round < 6; ++round) {
        memcpy(tuning, usual, sizeof(tuning));
        for (uint32_t p = 0; p < parts; ++p) {
            extreme_tuning(&tuning[p], hem_longest(w.view.info), &seed);
        }
        ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, tuning, parts));
        const double bound = worst_work(&w, tuning, 4, 1, &def);
        for (int i = 0; i < 4; ++i) {
            world_step(&w, 1.0f / 60.0f, 0, 1);
            hem_scene_get_report(w.scene, &r);
            ASSERT((double)r.work_count <= bound);
            most = fmax(most, (double)r.work_count);
        }
    }
    if (getenv("HEM_PRINT")) {
        printf("%s: usual %.3g eights, extreme %.3g, %.0f times\n", name, normal, most, most / normal);
    }
    ASSERT(most <= 64 * normal);
    world_close(&w);
    PASS();
}

// A link of a hundredth of a micrometre between particles that are apart is stretched, and how much is no number.
static void spoil_rest(world* w) {
    hem_link_batch* batches = (hem_link_batch*)(uintptr_t)w->view.link_batches;
    for (uint32_t i = 0; i < w->view.link_batch_count; ++i) {
        batches[i].run = 0;
        for (int lane = 0; lane < 8; ++lane) {
            if (batches[i].lane_mask >> lane & 1) {
                batches[i].rest[lane] = 1e-40f;
            }
        }
    }
}

TEST a_tiny_link_leaves_statistics_finite(void) {
    world w;
    ASSERT(world_open_spoiled(&w, "sheet", spoil_rest));
    hem_instance_stats stats;
    ASSERT_EQ(HEM_OK, hem_instance_get_stats(w.scene, w.id, &stats));
    ASSERT(isfinite(stats.stretch_max) && isfinite(stats.stretch_mean));
    world_close(&w);
    PASS();
}

TEST lengths_beyond_the_asset_are_refused(void) {
    world w;
    OPEN(w, "sheet_self");
    const hem_tuning usual = world_tuning(&w);
    const float longest = hem_longest(w.view.info);
    for (int field = 0; field < 3; ++field) {
        hem_tuning t = usual;
        float* length = field == 0 ? &t.collision_thickness : field == 1 ? &t.self_thickness : &t.contact_radius;
        *length = longest;
        ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &t, 1));
        *length = longest * 1.001f;
        ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_tuning(w.scene, w.id, &t, 1));
        ((hem_tuning*)(uintptr_t)w.view.tuning)[0] = t;
        hem_view view;
        hem_format_fault fault;
        ASSERT_EQ(HEM_FORMAT_BAD_VALUE, hem_validate(w.bytes, w.byte_count, &view, &fault));
        ASSERT_EQ((uint32_t)HEM_SECTION_TUNING, fault.section);
        ((hem_tuning*)(uintptr_t)w.view.tuning)[0] = usual;
    }
    world_close(&w);
    PASS();
}

SUITE(bounds_suite) {
    const char* const bad[] = {"sheet_self", "crossing", "crossing_large", "dressed", "blocks"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        greatest_set_test_suffix(bad[i]);
        RUN_TESTp(a_bad_asset_is_bounded, bad[i], spoil_lengths, "long lengths");
        greatest_set_test_suffix(bad[i]);
        RUN_TESTp(a_bad_asset_is_bounded, bad[i], spoil_links, "long links");
    }
    RUN_TESTp(a_bad_asset_is_bounded, "crossing_large", spoil_places, "shuffled");
    RUN_TEST(a_search_that_is_full_ends);
    const char* const samples[] = {"cape_girl",  "crossing_sheets", "curls",           "flag",
                                   "hair",       "monster",         "octopus",         "robe",
                                   "somersault", "sheet_over_ball", "sheet_over_table"};
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); ++i) {
        greatest_set_test_suffix(samples[i]);
        RUN_TESTp(no_tuning_breaks_the_bound, samples[i]);
    }
    RUN_TEST(a_tiny_link_leaves_statistics_finite);
    RUN_TEST(lengths_beyond_the_asset_are_refused);
}
