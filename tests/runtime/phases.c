// SPDX-License-Identifier: MIT
// Profiling hooks: every phase is reported when it begins and when it ends, in the order of the public table, and who
// watches changes nothing.

#include "tests/runtime/suites.h"

#include <stdlib.h>
#include <string.h>

enum { CALL_LIMIT = 4096 };

typedef struct record {
    struct {
        const char* phase;
        hem_instance_id id;
        int end;
    } calls[CALL_LIMIT];
    int count;
} record;

static record seen;

static void note(record* r, const char* phase, hem_instance_id id, int end) {
    if (r->count < CALL_LIMIT) {
        r->calls[r->count].phase = phase;
        r->calls[r->count].id = id;
        r->calls[r->count++].end = end;
    }
}

static void begin(void* user, const char* phase, hem_instance_id id) {
    note(user, phase, id, 0);
}

static void end(void* user, const char* phase, hem_instance_id id) {
    note(user, phase, id, 1);
}

static const hem_profile_hooks HOOKS = {begin, end, &seen};

// The phases that one step of one instance was reported to go through, as indices into the table. -1 = a phase ended that
// was not the last begun, another began before it had, or a name is not of the table.
static int take_phases(const record* r, hem_instance_id id, int* phases) {
    int count = 0;
    for (int i = 0; i < r->count; i += 2) {
        if (i + 1 >= r->count || r->calls[i].end || !r->calls[i + 1].end ||
            r->calls[i].phase != r->calls[i + 1].phase) {
            return -1;
        }
        int phase = -1;
        for (uint32_t p = 0; p < hem_phase_count(); ++p) {
            phase = hem_phase_name(p) == r->calls[i].phase ? (int)p : phase; // the pointer: names are static
        }
        if (phase < 0 || r->calls[i].id.generation != r->calls[i + 1].id.generation ||
            r->calls[i].id.index1 != r->calls[i + 1].id.index1) {
            return -1;
        }
        if (r->calls[i].id.index1 == id.index1 && r->calls[i].id.generation == id.generation) {
            phases[count++] = phase;
        }
    }
    return count;
}

static int phase_of(const char* name) {
    for (uint32_t p = 0; p < hem_phase_count(); ++p) {
        if (strcmp(hem_phase_name(p), name) == 0) {
            return (int)p;
        }
    }
    return -1;
}

static int add_range(int* to, int count, const char* first, const char* last) {
    for (int p = phase_of(first); p <= phase_of(last); ++p) {
        to[count++] = p;
    }
    return count;
}

// What docs/runtime.md says: searches evenly over the substeps, constraints to contacts once per iteration.
static int expect_phases(int substeps, int searches, int passes, int* to) {
    int count = add_range(to, 0, "plan", "colliders");
    for (int i = 0, search = 0; i < substeps; ++i) {
        if (i == search * substeps / searches) {
            to[count++] = phase_of("search");
            ++search;
        }
        count = add_range(to, count, "wrap", "continuous");
        for (int pass = 0; pass < passes; ++pass) {
            count = add_range(to, count, "constrain", "contact");
        }
        count = add_range(to, count, "stretch", "velocity");
    }
    return add_range(to, count, "settle", "skin");
}

TEST check_step(world* w, float dt, uint32_t substeps, int searches, int passes) {
    int expected[CALL_LIMIT], phases[CALL_LIMIT];
    seen.count = 0;
    world_step(w, dt, substeps, 1);
    const int count = take_phases(&seen, w->id, phases);
    ASSERT_EQ(expect_phases((int)substeps, searches, passes, expected), count);
    ASSERT_MEM_EQ(expected, phases, (size_t)count * sizeof(int));
    PASS();
}

TEST the_table_names_each_phase_once(void) {
    ASSERT(hem_phase_count() > 10);
    for (uint32_t a = 0; a < hem_phase_count(); ++a) {
        ASSERT(hem_phase_name(a) && *hem_phase_name(a));
        for (uint32_t b = 0; b < a; ++b) {
            ASSERT(strcmp(hem_phase_name(a), hem_phase_name(b)) != 0);
        }
    }
    ASSERT_EQ(NULL, hem_phase_name(hem_phase_count()));
    PASS();
}

TEST phases_nest_and_follow_the_table(void) {
    world w;
    OPEN(w, "cape");
    ASSERT_EQ(HEM_OK, hem_scene_set_profile_hooks(w.scene, &HOOKS));
    CHECK_CALL(check_step(&w, 1.0f / 60.0f, 1, 1, 1));
    CHECK_CALL(check_step(&w, 1.0f / 60.0f, 4, 1, 1));
    CHECK_CALL(check_step(&w, 1.0f / 20.0f, 7, 3, 1)); // 60 searches a second
    hem_tuning tuning[64];
    ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, tuning, sizeof(tuning)));
    tuning[0].iterations = 3;
    ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, tuning, w.view.info->part_count));
    CHECK_CALL(check_step(&w, 1.0f / 60.0f, 2, 1, 3));
    world_close(&w);
    PASS();
}

TEST who_is_paused_is_planned_and_posed(void) {
    world w;
    OPEN(w, "cape");
    ASSERT_EQ(HEM_OK, hem_scene_set_profile_hooks(w.scene, &HOOKS));
    ASSERT_EQ(HEM_OK, hem_instance_set_time_scale(w.scene, w.id, 0));
    seen.count = 0;
    world_step(&w, 1.0f / 60.0f, 0, 1);
    int phases[CALL_LIMIT];
    ASSERT_EQ(2, take_phases(&seen, w.id, phases));
    ASSERT_EQ(phase_of("plan"), phases[0]);
    ASSERT_EQ(phase_of("pose"), phases[1]);
    world_close(&w);
    PASS();
}

TEST watching_changes_nothing(void) {
    world watched, alone;
    OPEN(watched, "sheet_self");
    OPEN(alone, "sheet_self");
    const hem_profile_hooks only_begin = {begin, NULL, &seen}, only_end = {NULL, end, &seen};
    for (int i = 0; i < 30; ++i) {
        seen.count = 0;
        ASSERT_EQ(HEM_OK, hem_scene_set_profile_hooks(watched.scene, i % 3 == 0   ? &HOOKS
                                                                     : i % 3 == 1 ? &only_begin
                                                                                  : &only_end));
        world_step(&watched, 1.0f / 60.0f, 0, 1);
        world_step(&alone, 1.0f / 60.0f, 0, 1);
        ASSERT(seen.count > 10);
        ASSERT_EQ(hem_scene_hash(alone.scene), hem_scene_hash(watched.scene));
    }
    ASSERT_EQ(HEM_OK, hem_scene_set_profile_hooks(watched.scene, NULL));
    seen.count = 0;
    world_step(&watched, 1.0f / 60.0f, 0, 1);
    ASSERT_EQ(0, seen.count);
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_set_profile_hooks(NULL, &HOOKS));
    const hem_step_args args = {1.0f / 60.0f, 0};
    uint32_t jobs;
    ASSERT_EQ(HEM_OK, hem_scene_step_begin(watched.scene, &args, &jobs));
    ASSERT_EQ(HEM_ERROR_BUSY, hem_scene_set_profile_hooks(watched.scene, &HOOKS));
    world_close(&watched);
    world_close(&alone);
    PASS();
}

SUITE(phases_suite) {
    RUN_TEST(the_table_names_each_phase_once);
    RUN_TEST(phases_nest_and_follow_the_table);
    RUN_TEST(who_is_paused_is_planned_and_posed);
    RUN_TEST(watching_changes_nothing);
}
