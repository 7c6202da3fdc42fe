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

static bool open_patient_of(patient* p, const char* asset) {
    memset(p, 0, sizeof(*p));
    if (!world_open(&p->w, asset, NULL, NULL, 1)) {
        return false;
    }
    hem_scene* scene = p->w.scene;
    hem_collider colliders[2] = {hem_collider_default(), hem_collider_default()};
    hem_instance_set_colliders(scene, p->w.id, colliders, 2);
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

static bool open_patient(patient* p) {
    return open_patient_of(p, "dressed");
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
    found->near_begin[p->w.view.info->part_count] = 1;
    found->near_body[0] = (hemi_near){.first = found->near_capacity - 4, .depth = 1};
}
static uint32_t simulated_row(const patient* p) {
    const hem_part* part = p->w.view.parts;
    while (part->kind == HEM_PART_BODY) {
        ++part;
    }
    return part->row_begin;
}
static void spoil_position(patient* p) {
    memset(&p->step.instance->x[simulated_row(p)].z[2], 0xff, 4); // not a number
}
static void spoil_match(patient* p) {
    p->step.instance->state->match_rotation[3] = 0.5f;
}

#define SPOIL(name, change)                                                                                            \
    static void spoil_##name(patient* p) {                                                                             \
        hemi_scratch* scratch = p->step.scratch;                                                                       \
        (void)scratch;                                                                                                 \
        change;                                                                                                        \
    }

SPOIL(delta_prev, scratch->solve.delta_prev[2].z[5] = 1)
SPOIL(many_substeps, p->step.substep_count = HEMI_MAX_SUBSTEPS + 1)
SPOIL(no_search, p->step.search_count = 0)
SPOIL(many_searches, p->step.search_count = 5)
SPOIL(long_substep, p->step.h = 1.0f / 50.0f)
SPOIL(more_time, p->step.dt = 1.0f / 30.0f)
SPOIL(keep_angular, scratch->solve.parts[0].keep_angular = -0.1f)
SPOIL(shape, scratch->solve.parts[0].shape = 1.1f)
SPOIL(passes, p->step.pass_count = 0)
SPOIL(many_led, scratch->untangle.led_count = p->w.view.info->row_count + 1)
SPOIL(led_nobody, (scratch->untangle.led_count = 1, scratch->untangle.led[0].row = scratch->untangle.led[0].mask = 0))
SPOIL(led_ninth,
      (scratch->untangle.led_count = 1, scratch->untangle.led[0].row = 0, scratch->untangle.led[0].mask = 256))
SPOIL(led_twice, (scratch->untangle.led_count = 2, scratch->untangle.led[0].row = scratch->untangle.led[1].row = 1,
                  scratch->untangle.led[0].mask = scratch->untangle.led[1].mask = 1))
SPOIL(many_colliders, scratch->colliders.count = scratch->colliders.stride + 1)
SPOIL(collider_began, scratch->colliders.paths[0].pose[0][3] = 2)
SPOIL(collider_ended, scratch->colliders.paths[1].pose[1][6] = 0)
SPOIL(collider_planes, scratch->colliders.paths[0].planes = (const float (*)[4])(const void*)scratch)
SPOIL(collider_mesh, scratch->colliders.paths[0].mesh = (const hemi_mesh*)(const void*)scratch)
SPOIL(collider_bone, p->step.instance->colliders[0].bone = (int32_t)p->w.view.info->bone_count)
SPOIL(search_over, p->step.search_end = p->step.substep)
SPOIL(search_beyond, p->step.search_end = 5)
SPOIL(many_pairs, scratch->contacts.pair_count = scratch->search.hit_capacity + 1)
SPOIL(many_near, scratch->contacts.near_count = scratch->contacts.near_capacity + 1)
SPOIL(pair_a, (scratch->contacts.pair_count = 8, memset(scratch->contacts.pair_b, 0, 16),
               memset(scratch->contacts.pair_a, 0, 16), scratch->contacts.pair_a[3] = 0xffff))
SPOIL(near_far,
      (scratch->contacts.near_begin[p->w.view.info->part_count] = 1,
       scratch->contacts.near_body[0] = ((hemi_near){.first = scratch->contacts.near_capacity + 1, .depth = 1})))
SPOIL(near_nobody,
      (scratch->contacts.near_begin[p->w.view.info->part_count] = 1,
       scratch->contacts.near_body[0] = ((hemi_near){.depth = 1}), scratch->contacts.near_list[3] = 0xffff))
SPOIL(near_who, (scratch->contacts.near_begin[p->w.view.info->part_count] = 1,
                 scratch->contacts.near_body[0] = ((hemi_near){.slot = {0xffff}})))
SPOIL(near_eights, scratch->contacts.near_begin[p->w.view.info->part_count] = p->w.view.info->row_count + 1)
SPOIL(row_collider, scratch->colliders.row_colliders[0] |= (uint64_t)1 << 63)
SPOIL(velocity, p->step.instance->v[simulated_row(p)].x[1] = 1e7f)
SPOIL(inverse_mass, p->step.instance->x[simulated_row(p)].w[1] = -1)
SPOIL(jumped, p->step.instance->state->jumped = 1)

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
                 {"a rotation that is none", spoil_match, HEMI_PHASE_settle},
                 {"a motion that is none and stayed", spoil_delta_prev, -1},
                 {"too many substeps", spoil_many_substeps, HEMI_PHASE_plan},
                 {"no search", spoil_no_search, HEMI_PHASE_plan},
                 {"more searches than substeps", spoil_many_searches, HEMI_PHASE_plan},
                 {"a substep of a fiftieth", spoil_long_substep, HEMI_PHASE_plan},
                 {"more time than there is", spoil_more_time, HEMI_PHASE_plan},
                 {"angular damping that turns round", spoil_keep_angular, HEMI_PHASE_plan},
                 {"a shape that goes too far", spoil_shape, HEMI_PHASE_plan},
                 {"a part with more passes than there are", spoil_passes, HEMI_PHASE_plan},
                 {"more led rows than rows", spoil_many_led, HEMI_PHASE_pose},
                 {"a led row with nobody in it", spoil_led_nobody, HEMI_PHASE_pose},
                 {"a led ninth lane", spoil_led_ninth, HEMI_PHASE_pose},
                 {"a row that is led twice", spoil_led_twice, HEMI_PHASE_pose},
                 {"more colliders than room", spoil_many_colliders, HEMI_PHASE_colliders},
                 {"a collider that began without a rotation", spoil_collider_began, HEMI_PHASE_colliders},
                 {"a collider that ended without one", spoil_collider_ended, HEMI_PHASE_colliders},
                 {"a sphere with planes", spoil_collider_planes, HEMI_PHASE_colliders},
                 {"a sphere with a mesh", spoil_collider_mesh, HEMI_PHASE_colliders},
                 {"a collider on a bone that is none", spoil_collider_bone, HEMI_PHASE_colliders},
                 {"a search for substeps that are over", spoil_search_over, HEMI_PHASE_search},
                 {"a search beyond the step", spoil_search_beyond, HEMI_PHASE_search},
                 {"more pairs than room", spoil_many_pairs, HEMI_PHASE_search},
                 {"more near bodies than room", spoil_many_near, HEMI_PHASE_search},
                 {"a pair of nobody", spoil_pair_a, HEMI_PHASE_search},
                 {"a list beyond its array", spoil_near_far, HEMI_PHASE_search},
                 {"a near body that is none", spoil_near_nobody, HEMI_PHASE_search},
                 {"a near particle that is none", spoil_near_who, HEMI_PHASE_search},
                 {"more near particles than there are", spoil_near_eights, HEMI_PHASE_search},
                 {"a row that meets a collider that is none", spoil_row_collider, HEMI_PHASE_search},
                 {"a velocity that is absurd", spoil_velocity, HEMI_PHASE_settle},
                 {"a mass below zero", spoil_inverse_mass, HEMI_PHASE_settle},
                 {"a jump that stayed", spoil_jumped, HEMI_PHASE_settle}};
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
            // Whoever sleeps is looked at for what all share, and no more.
            p.step.awake = 0;
            ASSERT_EQ(cases[i].after < 0, hemi_find_fault(&p.step, (hemi_phase)phase) != NULL);
            world_close(&p.w);
        }
    }
    PASS();
}

TEST rotations_of_soft_parts_have_unit_length(void) {
    patient p;
    ASSERT(open_patient_of(&p, "block"));
    ASSERT_EQ(NULL, hemi_find_fault(&p.step, HEMI_PHASE_settle));
    p.step.instance->q[0].w[3] += 0.5f;
    ASSERT(hemi_find_fault(&p.step, HEMI_PHASE_settle));
    world_close(&p.w);
    PASS();
}

TEST a_step_has_a_substep(void) {
    patient p;
    ASSERT(open_patient(&p));
    p.step.substep_count = 0;
    ASSERT(hemi_find_fault(&p.step, HEMI_PHASE_plan));
    world_close(&p.w);
    PASS();
}

TEST pairs_are_not_looked_at_where_nothing_may_touch(void) {
    patient p;
    ASSERT(open_patient(&p));
    p.step.touch = 0;
    spoil_many_pairs(&p);
    ASSERT_EQ(NULL, hemi_find_fault(&p.step, HEMI_PHASE_search));
    world_close(&p.w);
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
    ASSERT(gaps.arrays >= 5 + 9);
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
    RUN_TEST(rotations_of_soft_parts_have_unit_length);
    RUN_TEST(a_step_has_a_substep);
    RUN_TEST(pairs_are_not_looked_at_where_nothing_may_touch);
    RUN_TEST(what_lies_between_arrays_is_out_of_bounds);
}
