// SPDX-License-Identifier: MIT
// What a save holds: a scene that was never touched goes on from it as the one that was saved.

#include "hem/budget.h"
#include "tests/runtime/suites.h"
#include "tests/runtime/talk.h"
#include "runtime/src/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAVED_AT (TALK_STEPS + 3)
#define FURTHER 300
#define FURTHER_BRIEF 45
// In the first third of those the game says nothing: what it said before stays in force.

static void* save(const world* w, hem_save_kind kind, size_t* size) {
    *size = hem_scene_save_size(w->scene, kind);
    void* bytes = malloc(*size); // exactly as large, so that the address sanitizer sees an overrun
    return bytes && hem_scene_save(w->scene, kind, bytes, *size) == HEM_OK ? bytes : NULL;
}

// The same def and asset in a block of its own, and no call since.
static bool open_untouched(world* fresh, const world* like, const hem_scene_def* same, hem_kernel kernel) {
    *fresh = *like;
    hem_scene_def def = *same;
    hem_slot_def slot = {&like->asset, 2};
    def.slots = &slot;
    def.slot_count = 1;
    def.kernel = kernel;
    fresh->block = aligned_alloc(64, fresh->block_size);
    fresh->bytes = NULL;
    memset(fresh->block, 0xa5, fresh->block_size);
    return hem_scene_init(&fresh->scene, &def, fresh->block, fresh->block_size) == HEM_OK;
}

static int same_vertices(const world* a, const world* b) {
    uint32_t count = a->view.info->vertex_count;
    float* to[2] = {calloc(count + 1, 12), calloc(count + 1, 12)};
    hem_skin_args args = {.vertex_count = count, .positions = to[0]};
    int good = hem_instance_skin(a->scene, a->id, &args) == HEM_OK;
    args.positions = to[1];
    good = good && hem_instance_skin(b->scene, b->id, &args) == HEM_OK && memcmp(to[0], to[1], count * 12) == 0;
    free(to[0]);
    free(to[1]);
    return good;
}

TEST a_restored_scene_goes_on_bit_for_bit(const char* asset) {
    hem_scene_def def = hem_scene_def_default();
    def.collider_capacity = 5;
    def.gravity[0] = 0.5f;
    def.keep_previous = 1;
    def.meshes = talk_meshes();
    def.mesh_count = TALK_MESHES;
    def.force_capacity = def.tie_capacity = 7;
    def.budget = HEM_BUDGET_SKINNED;
    world w, fresh;
    size_t size = 0;
    void* there = read_asset(asset, &size);
    if (!there) {
        SKIPm("the sample has not been compiled");
    }
    free(there);
    ASSERT(world_open(&w, asset, &def, NULL, 2));
    for (int step = 0; step < SAVED_AT; ++step) {
        say_everything(&w, step);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    say_everything(&w, SAVED_AT); // said, and not stepped yet
    hem_root ground = {{0, 0, 0}, {0, 0, 0, 1}}, lifted = {{0, 0.02, 0}, {0, 0, 0, 1}};
    hem_instance_carry(w.scene, w.id, &ground, &lifted);
    void* saved = save(&w, HEM_SAVE_ALL, &size);
    ASSERT(saved);
    ASSERT(open_untouched(&fresh, &w, &def, reference_kernel()));
    uint64_t untouched = hem_scene_hash(fresh.scene);
    ASSERT_EQ(HEM_ERROR_FIELD, hem_scene_load(fresh.scene, saved, size));
    ASSERT_EQ(untouched, hem_scene_hash(fresh.scene));
    hem_scene_set_force_field(fresh.scene, lift, NULL);
    ASSERT_EQ(HEM_OK, hem_scene_load(fresh.scene, saved, size));
    ASSERT_EQ(hem_scene_hash(w.scene), hem_scene_hash(fresh.scene));
    ASSERT(same_vertices(&w, &fresh));
    const int further = as_long_as(FURTHER, FURTHER_BRIEF);
    for (int step = 0; step < further; ++step) {
        if (step >= further / 3) {
            say_everything(&w, step);
            say_everything(&fresh, step);
        }
        world_step(&w, 1.0f / 60.0f, 0, 1);
        world_step(&fresh, 1.0f / 60.0f, 0, 1);
        if (hem_scene_hash(w.scene) != hem_scene_hash(fresh.scene)) {
            printf("%s: differs %d steps after the load\n", asset, step + 1);
            FAILm("the restored scene went another way");
        }
    }
    ASSERT(same_vertices(&w, &fresh));
    free(saved);
    world_close(&fresh);
    world_close(&w);
    PASS();
}

// A bare cloth without air keeps no frames. When drag is switched on its next step needs them.
TEST air_that_is_switched_on_blows_on_after_a_load(void) {
    world w, fresh;
    hem_scene_def def = hem_scene_def_default();
    ASSERT(world_open(&w, "cape_half", &def, NULL, 2));
    hem_tuning tuning;
    ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, &tuning, sizeof(tuning)));
    tuning.drag = tuning.lift = 0;
    ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
    const float wind[3] = {1, 2, 6};
    hem_instance_set_wind(w.scene, w.id, wind);
    world_step(&w, 1.0f / 60.0f, 0, 20);
    tuning.drag = 5;
    tuning.lift = 1;
    ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
    size_t size;
    void* saved = save(&w, HEM_SAVE_ALL, &size);
    ASSERT(saved && open_untouched(&fresh, &w, &def, reference_kernel()));
    ASSERT_EQ(HEM_OK, hem_scene_load(fresh.scene, saved, size));
    world_step(&w, 1.0f / 60.0f, 0, 1);
    world_step(&fresh, 1.0f / 60.0f, 0, 1);
    ASSERT_EQ(hem_scene_hash(w.scene), hem_scene_hash(fresh.scene));
    free(saved);
    world_close(&fresh);
    world_close(&w);
    PASS();
}

TEST going_back_by_state_alone_wants_the_inputs_again(void) {
    world w;
    OPEN(w, "cape");
    for (int step = 0; step < SAVED_AT; ++step) {
        say_everything(&w, step);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    size_t size, all;
    void* saved = save(&w, HEM_SAVE_STATE, &size);
    ASSERT(saved);
    ASSERT(size < (all = hem_scene_save_size(w.scene, HEM_SAVE_ALL)));
    hem_save_kind kind;
    ASSERT(hem_save_get_kind(saved, size, &kind) == HEM_OK && kind == HEM_SAVE_STATE);
    uint64_t after[20];
    for (int step = 0; step < 20; ++step) {
        say_everything(&w, SAVED_AT + step);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        after[step] = hem_scene_hash(w.scene);
    }
    const float wind[3] = {9, 0, 0};
    hem_instance_set_wind(w.scene, w.id, wind);
    ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saved, size));
    world_step(&w, 1.0f / 60.0f, 0, 1);
    ASSERT(hem_scene_hash(w.scene) != after[0]); // the wind of the other future still blows
    ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saved, size));
    for (int step = 0; step < 20; ++step) {
        say_everything(&w, SAVED_AT + step);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(after[step], hem_scene_hash(w.scene));
    }
    free(saved);
    world_close(&w);
    PASS();
}

// Colliders that came, went and changed their kind since, and a wind that has woken it since: said again as they were, the
// past comes again bit by bit.
static bool say_of_the_past(world* w, int step, const float at[3]) {
    hem_collider c[2] = {hem_collider_default(), hem_collider_default()};
    for (int i = 0; i < 2; ++i) {
        c[i].kind = HEM_COLLIDER_SPHERE;
        c[i].size[0] = c[i].size[1] = 0.15f;
        for (int k = 0; k < 3; ++k) { // through the cloth and back
            c[i].position[k] = (double)at[k] + 0.1 * (step % 6) - 0.3 + 0.05 * i;
        }
        c[i].friction = 0.5f;
        c[i].restitution = 0.25f;
        c[i].slide = 0.75f;
    }
    c[1].kind = step < 25 ? HEM_COLLIDER_SPHERE : HEM_COLLIDER_CAPSULE;
    return hem_instance_set_colliders(w->scene, w->id, c, step < 15 || step > 22 ? 2 : 1) == HEM_OK &&
           hem_scene_set_colliders(w->scene, &c[0], step > 12 && step < 20 ? 0 : 1) == HEM_OK;
}

TEST going_back_over_colliders_that_changed_gives_the_same_future(void) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.collider_capacity = def.scene_collider_capacity = 2;
    ASSERT(world_open(&w, "cape", &def, NULL, 1));
    const hem_particle low = particle_at(&w, nth_particle(&w, false, 40));
    for (int back = 5; back < 30; back += 4) {
        uint64_t once[30];
        void* saved = NULL;
        size_t size = 0;
        hem_instance_reset(w.scene, w.id);
        for (int step = 0; step < 30; ++step) {
            if (step == back) {
                saved = save(&w, HEM_SAVE_STATE, &size);
                ASSERT(saved);
            }
            ASSERT(say_of_the_past(&w, step, low.position));
            world_step(&w, 1.0f / 60.0f, 0, 1);
            once[step] = hem_scene_hash(w.scene);
        }
        ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saved, size));
        for (int step = back; step < 30; ++step) {
            ASSERT(say_of_the_past(&w, step, low.position));
            world_step(&w, 1.0f / 60.0f, 0, 1);
            ASSERT_EQ(once[step], hem_scene_hash(w.scene));
        }
        free(saved);
    }
    world_close(&w);
    PASS();
}

// What woke it lies in a future that is taken back: it sleeps on, however often the old words are said.
TEST going_back_to_sleep_does_not_wake(void) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.collider_capacity = def.scene_collider_capacity = def.force_capacity = 1;
    ASSERT(world_open(&w, "pendulum", &def, NULL, 1));
    hem_tuning calm = world_tuning(&w), other;
    calm.sleep_speed = 0.02f;
    calm.damping = 1;
    other = calm;
    other.damping = 2;
    const float none[3] = {0, 0, 0}, wind[3] = {3, 0, 0};
    hem_collider c = hem_collider_default();
    c.kind = HEM_COLLIDER_SPHERE;
    c.size[0] = 0.1f;
    c.position[0] = 5;
    hem_force force = hem_force_default();
    force.kind = HEM_FORCE_CONSTANT;
    force.strength = 1;
    ASSERT(world_tune(&w, &calm));
    world_step(&w, 1.0f / 60.0f, 0, 60);
    hem_instance_stats stats;
    ASSERT(hem_instance_get_stats(w.scene, w.id, &stats) == HEM_OK && stats.asleep);
    size_t size;
    void* saved = save(&w, HEM_SAVE_STATE, &size);
    ASSERT(saved);
    const uint64_t hash = hem_scene_hash(w.scene);
    for (int way = 0; way < 5; ++way) {
        for (int later = 1; later >= 0; --later) {
            ASSERT_EQ(HEM_OK, hem_instance_set_wind(w.scene, w.id, later && way == 0 ? wind : none));
            ASSERT(world_tune(&w, later && way == 1 ? &other : &calm));
            ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &c, later && way == 2));
            ASSERT_EQ(HEM_OK, hem_scene_set_colliders(w.scene, &c, later && way == 3));
            ASSERT_EQ(HEM_OK, hem_scene_set_forces(w.scene, &force, later && way == 4));
            world_step(&w, 1.0f / 60.0f, 0, 1);
            ASSERT_EQ(HEM_OK, hem_instance_get_stats(w.scene, w.id, &stats));
            ASSERT_EQ(!later, (int)stats.asleep);
            if (later) {
                ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saved, size));
            }
        }
        ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saved, size));
        ASSERT_EQ(hash, hem_scene_hash(w.scene));
    }
    free(saved);
    world_close(&w);
    PASS();
}

// Back over a removal: the slot has been given to another in the meantime, who left words of its own behind.
TEST who_lives_again_begins_with_the_defaults(void) {
    world w;
    OPEN(w, "cape");
    hem_instance_id old = w.id, other;
    world_step(&w, 1.0f / 60.0f, 0, 10);
    size_t size;
    void* saved = save(&w, HEM_SAVE_STATE, &size);
    ASSERT(saved);
    world_step(&w, 1.0f / 60.0f, 0, 10);
    uint64_t hash = hem_scene_hash(w.scene);
    ASSERT_EQ(HEM_OK, hem_scene_remove(w.scene, old));
    hem_instance_def def = hem_instance_def_default();
    def.asset = &w.asset;
    def.user = 5;
    ASSERT_EQ(HEM_OK, hem_scene_add(w.scene, &def, &other));
    w.id = other;
    for (int step = 0; step < TALK_STEPS; ++step) {
        say_everything(&w, step);
    }
    hem_scene_set_force_field(w.scene, NULL, NULL);
    hem_scene_set_colliders(w.scene, NULL, 0); // what is said to the scene stays said
    hem_scene_set_forces(w.scene, NULL, 0);
    ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saved, size));
    ASSERT(hem_instance_is_valid(w.scene, old) && !hem_instance_is_valid(w.scene, other));
    w.id = old;
    world_step(&w, 1.0f / 60.0f, 0, 10);
    hem_particle a = particle_at(&w, nth_particle(&w, false, 3));
    world again;
    OPEN(again, "cape");
    world_step(&again, 1.0f / 60.0f, 0, 20);
    ASSERT_EQ(hash, hem_scene_hash(again.scene));
    hem_particle b = particle_at(&again, nth_particle(&again, false, 3));
    ASSERT_EQ(0, memcmp(&a, &b, sizeof(a)));
    free(saved);
    world_close(&w);
    world_close(&again);
    PASS();
}

TEST a_save_that_does_not_fit_is_refused_and_changes_nothing(void) {
    world w, other;
    OPEN(w, "pendulum");
    OPEN(other, "pair");
    world_step(&w, 1.0f / 60.0f, 0, 5);
    size_t size;
    uint8_t* saved = save(&w, HEM_SAVE_ALL, &size);
    ASSERT(saved);
    hem_save_kind kind;
    ASSERT(hem_save_get_kind(saved, size, &kind) == HEM_OK && kind == HEM_SAVE_ALL);
    uint64_t before = hem_scene_hash(w.scene);
    for (size_t cut = 0; cut < size; ++cut) {
        uint8_t* part = malloc(cut + 1);
        memcpy(part, saved, cut);
        ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(w.scene, part, cut));
        free(part);
    }
    for (int byte = 0; byte < 16; ++byte) { // the head
        saved[byte] ^= 0x10;
        ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(w.scene, saved, size));
        saved[byte] ^= 0x10;
    }
    ASSERT_EQ(before, hem_scene_hash(w.scene));
    ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(other.scene, saved, size));
    ASSERT_EQ(HEM_ERROR_MEMORY, hem_scene_save(w.scene, HEM_SAVE_ALL, saved, size - 1));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_save(w.scene, (hem_save_kind)3, saved, size));
    ASSERT_EQ(0, hem_scene_save_size(w.scene, (hem_save_kind)0));
    ASSERT_EQ(0, hem_scene_save_size(NULL, HEM_SAVE_ALL));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_load(w.scene, NULL, size));
    ASSERT_EQ(HEM_ERROR_NULL, hem_save_get_kind(saved, size, NULL));
    ASSERT_EQ(HEM_ERROR_STATE, hem_save_get_kind(saved, 15, &kind));
    free(saved);
    world_close(&w);
    world_close(&other);
    PASS();
}

// Whatever bits a word of a save has got: it is refused, or what it gives can be stepped.
TEST a_damaged_save_does_no_harm(void) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.collider_capacity = 3;
    ASSERT(world_open(&w, "pair", &def, NULL, 1));
    for (int step = 0; step < TALK_STEPS; ++step) {
        say_everything(&w, step);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    size_t size;
    uint8_t* saved = save(&w, HEM_SAVE_ALL, &size);
    uint8_t* spoiled = malloc(size + 1);
    ASSERT(saved && spoiled);
    uint32_t refused = 0, taken = 0;
    static const uint32_t odd[] = {0xffffffffu, 0x7f800000u, 0x80000000u, 2, 77, 0x7f7fffffu, 0x7149f2cau /* 1e30 */};
    for (size_t at = 16; at + 4 <= size; at += (size_t)as_long_as(4, 28)) {
        for (size_t k = 0; k < sizeof(odd) / sizeof(odd[0]); ++k) {
            memcpy(spoiled + 1, saved, size); // and no alignment is asked for
            memcpy(spoiled + 1 + at, &odd[k], 4);
            uint64_t before = hem_scene_hash(w.scene);
            hem_result result = hem_scene_load(w.scene, spoiled + 1, size);
            ASSERT(result == HEM_OK || (result == HEM_ERROR_STATE && before == hem_scene_hash(w.scene)));
            refused += result != HEM_OK;
            taken += result == HEM_OK;
            world_step(&w, 1.0f / 60.0f, 0, 2);
            for (uint32_t i = 0; i < w.view.info->particle_count && hem_instance_is_valid(w.scene, w.id); ++i) {
                hem_particle p = particle_at(&w, i);
                ASSERT(fabsf(p.position[0]) < 2e6f && fabsf(p.position[1]) < 2e6f); // false for NaN
            }
        }
    }
    printf("damaged words: %u refused, %u taken\n", refused, taken);
    ASSERT(refused > (uint32_t)as_long_as(500, 70));
    free(saved);
    free(spoiled);
    world_close(&w);
    PASS();
}

// The head of an instance's state, one field at a time with what no step leaves there.
TEST a_state_that_no_step_leaves_is_refused(void) {
    static const union word {
        uint32_t bits;
        float number;
    } three = {.bits = 3}, none = {.bits = 0}, many = {.bits = 65}, negative = {.number = -1}, half = {.number = 0.5f},
      endless = {.bits = 0x7f800000u};
    static const struct {
        const char* name;
        size_t offset;
        const union word* value;
    } rows[] = {{"generation", offsetof(hemi_state, generation), &none},
                {"asleep", offsetof(hemi_state, asleep), &three},
                {"middle", offsetof(hemi_state, middle[2]), &endless},
                {"substep_count", offsetof(hemi_state, substep_count), &many},
                {"still_seconds", offsetof(hemi_state, still_seconds), &negative},
                {"pose_still_seconds", offsetof(hemi_state, pose_still_seconds), &negative},
                {"root.rotation", offsetof(hemi_state, root.rotation[3]), &half},
                {"match_rotation", offsetof(hemi_state, match_rotation[3]), &half},
                {"felt_velocity", offsetof(hemi_state, felt_velocity[1]), &endless},
                {"felt_spin", offsetof(hemi_state, felt_spin[2]), &endless}};
    world w;
    OPEN(w, "pair");
    world_step(&w, 1.0f / 60.0f, 0, 5);
    size_t size, at = 0;
    uint8_t* saved = save(&w, HEM_SAVE_STATE, &size);
    ASSERT(saved);
    const hemi_state* state = w.scene->instances[0].state;
    while (at + sizeof(*state) < size && memcmp(saved + at, state, sizeof(*state)) != 0) {
        ++at;
    }
    ASSERT(at + sizeof(*state) < size); // it lies in a save as it is
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        uint8_t* field = saved + at + rows[i].offset;
        uint32_t good;
        memcpy(&good, field, sizeof(good));
        memcpy(field, rows[i].value, sizeof(good));
        ASSERT_EQm(rows[i].name, HEM_ERROR_STATE, hem_scene_load(w.scene, saved, size));
        memcpy(field, &good, sizeof(good));
        ASSERT_EQ(HEM_OK, hem_scene_load(w.scene, saved, size));
    }
    // Nor does it leave a mass below nothing.
    const hemi_row4* x = w.scene->instances[0].x;
    for (at = 0; at + sizeof(*x) < size && memcmp(saved + at, x, sizeof(*x)) != 0; ++at) {}
    ASSERT(at + sizeof(*x) < size);
    memcpy(saved + at + offsetof(hemi_row4, w), &negative, sizeof(negative));
    ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(w.scene, saved, size));
    free(saved);
    world_close(&w);
    PASS();
}

// Two sheets of the same size, one of which meets itself: a save of the one has the length of the other's.
TEST a_save_of_another_asset_is_refused(void) {
    world w, other;
    OPEN(w, "sheet");
    OPEN(other, "sheet_self");
    size_t size, other_size;
    void* saved = save(&w, HEM_SAVE_ALL, &size);
    void* others = save(&other, HEM_SAVE_ALL, &other_size);
    ASSERT(saved && others);
    ASSERT_EQ(size, other_size);
    ASSERT_EQ(HEM_OK, hem_scene_load(other.scene, others, size));
    ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(other.scene, saved, size));
    free(saved);
    free(others);
    world_close(&w);
    world_close(&other);
    PASS();
}

SUITE(restore_suite) {
    static const char* const assets[] = {
        "sheet", "cape",       "block",           "lattice_clips",   "lattice_pull",
        "jelly", "free",       "dressed",         "cape_girl",       "robe",
        "hair",  "curls",      "octopus",         "monster",         "monster_direct",
        "flag",  "somersault", "crossing_sheets", "sheet_over_ball", "sheet_over_table"};
    for (size_t i = 0; i < sizeof(assets) / sizeof(assets[0]); ++i) {
        greatest_set_test_suffix(assets[i]);
        RUN_TEST1(a_restored_scene_goes_on_bit_for_bit, assets[i]);
    }
    RUN_TEST(air_that_is_switched_on_blows_on_after_a_load);
    RUN_TEST(going_back_by_state_alone_wants_the_inputs_again);
    RUN_TEST(going_back_over_colliders_that_changed_gives_the_same_future);
    RUN_TEST(going_back_to_sleep_does_not_wake);
    RUN_TEST(who_lives_again_begins_with_the_defaults);
    RUN_TEST(a_save_that_does_not_fit_is_refused_and_changes_nothing);
    RUN_TEST(a_damaged_save_does_no_harm);
    RUN_TEST(a_state_that_no_step_leaves_is_refused);
    RUN_TEST(a_save_of_another_asset_is_refused);
}
