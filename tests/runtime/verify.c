// SPDX-License-Identifier: MIT
// What debug builds look for after each phase is found when it is there; and what lies between the arrays of a block is
// out of bounds for the address sanitizer.

#include "runtime/src/layout.h"
#include "runtime/src/step.h"
#include "tests/runtime/suites.h"

#include <string.h>

typedef struct patient {
    world w;
    hemi_step step;
} patient;

static bool open_patient(patient* p) {
    memset(p, 0, sizeof(*p));
    if (!world_open(&p->w, "dressed", NULL, NULL, 1)) {
        return false;
    }
    hem_scene* scene = p->w.scene;
    world_step(&p->w, 1.0f / 60.0f, 0, 5);
    p->step = (hemi_step){.scene = scene,
                          .instance = &scene->instances[0],
                          .scratch = &scene->scratch[0],
                          .derived = scene->classes[0].derived,
                          .awake = 1,
                          .touch = 1,
                          .seconds = 1.0f / 60.0f,
                          .dt = 1.0f / 60.0f,
                          .h = 1.0f / 240.0f,
                          .substep_count = 4,
                          .search_count = 1,
                          .search_end = 4,
                          .pass_count = 64};
    return true;
}

static void spoil_delta(patient* p) {
    p->step.scratch->solve.delta[1].y[3] = 1e-20f;
}
static void spoil_moved(patient* p) {
    p->step.scratch->solve.moved_rows[0] = 4;
}
static void spoil_plan(patient* p) {
    p->step.h = 0.0f;
}
static void spoil_keep(patient* p) {
    p->step.scratch->solve.parts[0].keep = 1.5f;
}
static void spoil_led(patient* p) {
    p->step.scratch->untangle.led_count = 1;
    p->step.scratch->untangle.led[0].row = p->w.view.info->row_count;
    p->step.scratch->untangle.led[0].mask = 1;
}
static void spoil_pair(patient* p) {
    p->step.scratch->contacts.pair_count = 8;
    p->step.scratch->contacts.pair_b[7] = 0xffff;
}
static void spoil_near(patient* p) {
    hemi_contacts* found = &p->step.scratch->contacts;
    found->near_body[0] = (hemi_near){found->near_capacity - 4, 1};
}
static void spoil_position(patient* p) {
    const hem_part* part = p->w.view.parts;
    while (part->kind == HEM_PART_BODY) {
        ++part;
    }
    memset(&p->step.instance->x[part->row_begin].z[2], 0xff, 4); // not a number
}
static void spoil_match(patient* p) {
    p->step.instance->state->match_rotation[3] = 0.5f;
}

TEST each_fault_is_found_after_its_phase(void) {
    static const struct {
        const char* name;
        void (*spoil)(patient* p);
        int after; // -1 = all of them
    } cases[] = {{"a correction that stayed", spoil_delta, -1},
                 {"a row that stayed marked", spoil_moved, -1},
                 {"a substep of no time", spoil_plan, HEMI_PHASE_plan},
                 {"damping that adds", spoil_keep, HEMI_PHASE_plan},
                 {"a led row beyond the last", spoil_led, HEMI_PHASE_pose},
                 {"a pair with nobody", spoil_pair, HEMI_PHASE_search},
                 {"a list that runs out of its array", spoil_near, HEMI_PHASE_search},
                 {"a position that is no number", spoil_position, HEMI_PHASE_settle},
                 {"a rotation that is none", spoil_match, HEMI_PHASE_settle}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        for (int phase = 0; phase < HEMI_PHASE_COUNT; ++phase) {
            patient p;
            ASSERT(open_patient(&p));
            ASSERTm("well before", hemi_find_fault(&p.step, (hemi_phase)phase) == NULL);
            cases[i].spoil(&p);
            const char* fault = hemi_find_fault(&p.step, (hemi_phase)phase);
            int expected = cases[i].after < 0 || cases[i].after == phase;
            if ((fault != NULL) != expected) {
                printf("%s, after %s: %s\n", cases[i].name, hem_phase_name((uint32_t)phase), fault ? fault : "nothing");
                FAIL();
            }
            world_close(&p.w);
        }
    }
    PASS();
}

#ifdef HEM_POISON
int __asan_address_is_poisoned(void const volatile* address);

typedef struct gap_count {
    uint32_t arrays, open;
} gap_count;

static void look_behind(void* user, void* array, size_t size) {
    gap_count* gaps = user;
    const char* end = (const char*)array + size;
    ++gaps->arrays;
    gaps->open += !__asan_address_is_poisoned(end) || !__asan_address_is_poisoned(end + 63) ||
                  (size && __asan_address_is_poisoned(end - 1));
}
#endif

TEST what_lies_between_arrays_is_out_of_bounds(void) {
#ifdef HEM_POISON
    world w;
    OPEN(w, "dressed");
    gap_count gaps = {0, 0};
    hemi_visit_input(w.scene, &w.scene->instances[0], look_behind, &gaps);
    hemi_visit_state(w.scene, &w.scene->instances[0], look_behind, &gaps);
    ASSERT_EQ(5 + 9, gaps.arrays);
    ASSERT_EQ(0, gaps.open);
    const hemi_solve* solve = &w.scene->scratch[0].solve;
    ASSERT(__asan_address_is_poisoned(solve->moved_rows + w.view.info->row_count));
    ASSERT(__asan_address_is_poisoned(solve->delta + w.view.info->row_count));
    ASSERT(__asan_address_is_poisoned(w.scene->instances + 1));
    // The same block again.
    hem_scene_def def = hem_scene_def_default();
    hem_slot_def slot = {&w.asset, 1};
    def.slots = &slot;
    def.slot_count = 1;
    ASSERT_EQ(HEM_OK, hem_scene_init(&w.scene, &def, w.block, w.block_size));
    world_close(&w);
    PASS();
#else
    SKIPm("only with the address sanitizer");
#endif
}

SUITE(verify_suite) {
    RUN_TEST(each_fault_is_found_after_its_phase);
    RUN_TEST(what_lies_between_arrays_is_out_of_bounds);
}
