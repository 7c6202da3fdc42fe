// SPDX-License-Identifier: MIT
// Slots that come and go in a running scene, instances saved alone, and sleepers that have no job.

#include "hem/budget.h"
#include "tests/runtime/suites.h"
#include "tests/runtime/talk.h"

#include <stdlib.h>
#include <string.h>

// Two assets, and a scene that has slots for the first and a reserve for `reserved` of the second.
typedef struct pair {
    world w;
    void* bytes;
    hem_asset other;
    hem_slots_need need;
} pair;

static bool open_pair(pair* p, const char* first, const char* second, uint32_t reserved, hem_scene_def* def) {
    size_t size, first_size;
    hem_asset asset;
    memset(p, 0, sizeof(*p));
    p->bytes = read_asset(second, &size);
    void* bytes = read_asset(first, &first_size);
    if (!p->bytes || !bytes || hem_asset_open(&p->other, p->bytes, size) != HEM_OK ||
        hem_asset_open(&asset, bytes, first_size) != HEM_OK) {
        return false;
    }
    const hem_slot_def fixed = {&asset, 2}, one = {&p->other, 1};
    const hem_slot_def later[6] = {one, one, one, one, one, one}; // one by one they take most
    def->slots = &fixed;
    def->slot_count = 1;
    if (hem_slots_measure(def, later, reserved, &p->need) != HEM_OK) {
        return false;
    }
    def->reserve_slots = reserved;
    def->reserve_size = p->need.size;
    def->reserve_scratch = p->need.scratch;
    free(bytes);
    return world_open(&p->w, first, def, NULL, 2);
}

static void close_pair(pair* p) {
    world_close(&p->w);
    free(p->bytes);
}

static hem_instance_id add_one(hem_scene* scene, const hem_asset* asset) {
    hem_instance_id id = {0, 0};
    hem_instance_def def = hem_instance_def_default();
    def.asset = asset;
    hem_scene_add(scene, &def, &id);
    return id;
}

static int same_particles(const hem_scene* a, hem_instance_id of_a, const hem_scene* b, hem_instance_id of_b) {
    static hem_particle p[2][8192];
    uint32_t count = 0;
    while (count < 8192 && hem_instance_get_particles(a, of_a, count, 1, &p[0][count]) == HEM_OK) {
        ++count;
    }
    return count > 0 && hem_instance_get_particles(b, of_b, 0, count, p[1]) == HEM_OK &&
           memcmp(p[0], p[1], count * sizeof(p[0][0])) == 0;
}

static void sway(hem_scene* scene, hem_instance_id id, int step) {
    const hem_root root = {{0.05 * (step % 7), 0.02 * (step % 3), 0}, {0, 0, 0, 1}};
    hem_instance_set_root(scene, id, &root);
}

TEST nothing_else_moves_when_slots_come_and_go(void) {
    pair p;
    world alone;
    hem_scene_def def = hem_scene_def_default(), none = hem_scene_def_default();
    ASSERT(open_pair(&p, "cape", "soft_arm", 3, &def) && world_open(&alone, "cape", &none, NULL, 2));
    hem_instance_id id = add_one(p.w.scene, &p.other);
    ASSERT_EQ(0u, id.index1);
    for (int step = 0; step < 60; ++step) {
        if (step == 20) {
            ASSERT_EQ(HEM_OK, hem_scene_add_slots(p.w.scene, &(hem_slot_def){&p.other, 3}));
            id = add_one(p.w.scene, &p.other);
            ASSERT_EQ(3u, id.index1);
        } else if (step == 40) {
            ASSERT_EQ(HEM_OK, hem_scene_remove(p.w.scene, id));
            ASSERT_EQ(HEM_OK, hem_scene_remove_slots(p.w.scene, &p.other));
        }
        sway(p.w.scene, p.w.id, step);
        sway(alone.scene, alone.id, step);
        world_step(&p.w, 1.0f / 60.0f, 0, 1);
        world_step(&alone, 1.0f / 60.0f, 0, 1);
        ASSERT(same_particles(p.w.scene, p.w.id, alone.scene, alone.id));
    }
    world_close(&alone);
    close_pair(&p);
    PASS();
}

// In the same slot number of an own scene, said the same: the same bits.
TEST what_comes_later_moves_as_what_was_there(void) {
    pair p;
    world plain;
    hem_scene_def def = hem_scene_def_default(), none = hem_scene_def_default();
    ASSERT(open_pair(&p, "cape", "soft_arm", 3, &def));
    ASSERT(world_open(&plain, "soft_arm", &none, NULL, 3));
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(p.w.scene, &(hem_slot_def){&p.other, 3}));
    const hem_instance_id id = add_one(p.w.scene, &p.other), third = {3, 1};
    ASSERT_EQ(3u, id.index1);
    for (int step = 0; step < 200; ++step) {
        sway(p.w.scene, id, step);
        sway(plain.scene, third, step);
        world_step(&p.w, 1.0f / 60.0f, 0, 1);
        world_step(&plain, 1.0f / 60.0f, 0, 1);
        ASSERT(same_particles(p.w.scene, id, plain.scene, third));
    }
    world_close(&plain);
    close_pair(&p);
    PASS();
}

TEST the_reserve_says_what_it_has_and_refuses_the_rest(void) {
    pair p;
    hem_scene_def def = hem_scene_def_default();
    ASSERT(open_pair(&p, "cape", "soft_arm", 4, &def));
    hem_scene* scene = p.w.scene;
    hem_reserve_report left;
    ASSERT_EQ(HEM_OK, hem_scene_get_reserve(scene, &left));
    ASSERT_EQ(4u, left.slots_left);
    ASSERT_EQ(p.need.size, left.bytes_left);
    const uint64_t before = hem_scene_hash(scene);
    ASSERT_EQ(HEM_ERROR_RESERVE, hem_scene_add_slots(scene, &(hem_slot_def){&p.other, 5}));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_add_slots(scene, &(hem_slot_def){&p.other, 0}));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_add_slots(scene, &(hem_slot_def){NULL, 1}));
    ASSERT_EQ(HEM_ERROR_SLOT, hem_scene_remove_slots(scene, &p.w.asset)); // what the def gave stays
    ASSERT_EQ(before, hem_scene_hash(scene));
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(scene, &(hem_slot_def){&p.other, 1}));
    ASSERT_EQ(HEM_OK, hem_scene_get_reserve(scene, &left));
    ASSERT_EQ(3u, left.slots_left);
    ASSERT(left.bytes_left < p.need.size && left.bytes_left == left.largest_bytes);
    const hem_instance_id id = add_one(scene, &p.other);
    ASSERT_EQ(HEM_ERROR_IN_USE, hem_scene_remove_slots(scene, &p.other));
    ASSERT(strstr(hem_scene_refusal(scene), "id.index1 is 3"));
    ASSERT_EQ(HEM_OK, hem_scene_remove(scene, id));
    ASSERT_EQ(HEM_OK, hem_scene_remove_slots(scene, &p.other));
    ASSERT_EQ(HEM_OK, hem_scene_get_reserve(scene, &left));
    ASSERT(left.slots_left == 4 && left.bytes_left == p.need.size && left.largest_bytes == p.need.size);
    // An id of before names nobody, whoever lives there now.
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(scene, &(hem_slot_def){&p.other, 1}));
    const hem_instance_id now = add_one(scene, &p.other);
    ASSERT(now.index1 == id.index1 && now.generation != id.generation && !hem_instance_is_valid(scene, id));
    close_pair(&p);
    PASS();
}

TEST gaps_in_the_reserve_are_found_again(void) {
    pair p;
    hem_scene_def def = hem_scene_def_default();
    ASSERT(open_pair(&p, "cape", "soft_arm", 6, &def));
    hem_scene* scene = p.w.scene;
    hem_slots_need one;
    hem_scene_def bare = def;
    bare.slots = &(hem_slot_def){&p.w.asset, 2};
    ASSERT_EQ(HEM_OK, hem_slots_measure(&bare, &(hem_slot_def){&p.w.asset, 1}, 1, &one));
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(scene, &(hem_slot_def){&p.other, 2})); // [2][.][...]
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(scene, &(hem_slot_def){&p.w.asset, 1}));
    hem_reserve_report left;
    hem_scene_get_reserve(scene, &left);
    const size_t tail = left.bytes_left;
    ASSERT(left.bytes_left == left.largest_bytes && left.slots_left == 3);
    ASSERT_EQ(HEM_OK, hem_scene_remove_slots(scene, &p.other)); // a gap before the other piece
    hem_scene_get_reserve(scene, &left);
    ASSERT(left.bytes_left > tail && left.bytes_left == p.need.size - one.size && left.largest_bytes < left.bytes_left);
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(scene, &(hem_slot_def){&p.other, 2})); // back into it
    hem_scene_get_reserve(scene, &left);
    ASSERT_EQ(tail, left.bytes_left);
    // The third of the first asset's slots came out of the reserve; it is the last that is filled.
    const hem_instance_id third = add_one(scene, &p.w.asset);
    ASSERT_EQ(5u, third.index1);
    ASSERT_EQ(0u, add_one(scene, &p.w.asset).index1);
    close_pair(&p);
    PASS();
}

// The long way, with slots that came, went and came, and a scene that is made so at once and loads.
TEST a_save_knows_the_slots_of_the_reserve(void) {
    pair p, fresh;
    hem_scene_def def = hem_scene_def_default(), same = hem_scene_def_default();
    ASSERT(open_pair(&p, "cape", "soft_arm", 4, &def) && open_pair(&fresh, "cape", "soft_arm", 4, &same));
    hem_scene* scene = p.w.scene;
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(scene, &(hem_slot_def){&p.other, 4}));
    const hem_instance_id gone = add_one(scene, &p.other);
    world_step(&p.w, 1.0f / 60.0f, 0, 3);
    ASSERT_EQ(HEM_OK, hem_scene_remove(scene, gone));
    ASSERT_EQ(HEM_OK, hem_scene_remove_slots(scene, &p.other));
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(scene, &(hem_slot_def){&p.other, 2}));
    const hem_instance_id id = add_one(scene, &p.other);
    world_step(&p.w, 1.0f / 60.0f, 0, 10);
    const size_t size = hem_scene_save_size(scene, HEM_SAVE_ALL);
    void* saved = malloc(size);
    ASSERT_EQ(HEM_OK, hem_scene_save(scene, HEM_SAVE_ALL, saved, size));
    ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(fresh.w.scene, saved, size)); // it has no such slots yet
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(fresh.w.scene, &(hem_slot_def){&fresh.other, 2}));
    ASSERT_EQ(HEM_OK, hem_scene_load(fresh.w.scene, saved, size));
    ASSERT(hem_instance_is_valid(fresh.w.scene, id));
    for (int step = 0; step < 30; ++step) {
        sway(scene, id, step);
        sway(fresh.w.scene, id, step);
        world_step(&p.w, 1.0f / 60.0f, 0, 1);
        world_step(&fresh.w, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(hem_scene_hash(scene), hem_scene_hash(fresh.w.scene));
    }
    // Generations of slots that nobody has are part of it: the next to live there is the same in both.
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(scene, &(hem_slot_def){&p.other, 2}));
    ASSERT_EQ(HEM_OK, hem_scene_add_slots(fresh.w.scene, &(hem_slot_def){&fresh.other, 2}));
    ASSERT_EQ(hem_scene_hash(scene), hem_scene_hash(fresh.w.scene));
    free(saved);
    close_pair(&fresh);
    close_pair(&p);
    PASS();
}

// -- One instance alone

static void* save_one(const hem_scene* scene, hem_instance_id id, hem_save_kind kind, size_t* size) {
    *size = hem_instance_save_size(scene, id, kind);
    void* bytes = malloc(*size); // exactly as large, so that the address sanitizer sees an overrun
    return bytes && hem_instance_save(scene, id, kind, bytes, *size) == HEM_OK ? bytes : NULL;
}

TEST an_instance_goes_back_alone(const char* asset, uint32_t budget) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.force_capacity = def.tie_capacity = 7;
    def.budget = budget;
    ASSERT(world_open(&w, asset, &def, NULL, 2));
    for (int step = 0; step < TALK_STEPS; ++step) {
        say_everything(&w, step);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    uint64_t there, other, later;
    size_t size;
    const hem_instance_id second = {2, 1};
    ASSERT_EQ(HEM_OK, hem_instance_hash(w.scene, w.id, &there));
    void* saved = save_one(w.scene, w.id, HEM_SAVE_ALL, &size);
    ASSERT(saved);
    for (int step = TALK_STEPS; step < TALK_STEPS + 20; ++step) {
        say_everything(&w, step);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    ASSERT_EQ(HEM_OK, hem_instance_hash(w.scene, w.id, &later));
    ASSERT(later != there);
    ASSERT_EQ(HEM_OK, hem_instance_hash(w.scene, second, &other));
    ASSERT_EQ(HEM_OK, hem_instance_load(w.scene, w.id, saved, size));
    ASSERT_EQ(HEM_OK, hem_instance_hash(w.scene, w.id, &later));
    ASSERT_EQ(there, later);
    ASSERT_EQ(HEM_OK, hem_instance_hash(w.scene, second, &later));
    ASSERT_EQ(other, later); // nobody else has moved
    free(saved);
    world_close(&w);
    PASS();
}

// From a scene with much room to one with little, in other slots, with and without a budget: it goes on as it would have.
TEST an_instance_goes_on_in_another_scene(const char* asset, uint32_t from_budget, uint32_t to_budget) {
    world from, to;
    hem_scene_def def = hem_scene_def_default(), small = hem_scene_def_default();
    def.budget = from_budget;
    def.tie_capacity = 9;
    small.collider_capacity = 2;
    small.hull_plane_capacity = 8;
    small.budget = to_budget;
    small.keep_previous = 1;
    ASSERT(world_open(&from, asset, &def, NULL, 1) && world_open(&to, asset, &small, NULL, 1));
    hem_collider ball[3] = {hem_collider_default(), hem_collider_default(), hem_collider_default()};
    ball[0].kind = ball[1].kind = ball[2].kind = HEM_COLLIDER_SPHERE;
    for (int i = 0; i < 3; ++i) {
        ball[i].size[0] = 0.1f;
        ball[i].position[1] = -0.3 - 0.2 * i;
    }
    const float wind[3] = {2, 0, 1};
    for (int step = 0; step < 40; ++step) {
        sway(from.scene, from.id, step);
        hem_instance_set_wind(from.scene, from.id, wind);
        hem_instance_set_colliders(from.scene, from.id, ball, 3);
        world_step(&from, 1.0f / 60.0f, 0, 1);
        world_step(&to, 1.0f / 60.0f, 0, step % 2); // it has another history
    }
    size_t size;
    void* saved = save_one(from.scene, from.id, HEM_SAVE_ALL, &size);
    uint64_t before = hem_scene_hash(to.scene);
    ASSERT_EQ(HEM_ERROR_COUNT, hem_instance_load(to.scene, to.id, saved, size));
    ASSERT(strstr(hem_scene_refusal(to.scene), "colliders of the save is 3: are more than collider_capacity"));
    ASSERT_EQ(before, hem_scene_hash(to.scene));
    free(saved);
    hem_instance_set_colliders(from.scene, from.id, ball, 2);
    world_step(&from, 1.0f / 60.0f, 0, 1);
    saved = save_one(from.scene, from.id, HEM_SAVE_ALL, &size);
    hem_instance_set_pose_blend(to.scene, to.id, 0.25f); // taken over too
    ASSERT_EQ(HEM_OK, hem_instance_load(to.scene, to.id, saved, size));
    ASSERT(same_particles(from.scene, from.id, to.scene, to.id));
    for (int step = 0; step < 60; ++step) {
        sway(from.scene, from.id, step);
        sway(to.scene, to.id, step);
        world_step(&from, 1.0f / 60.0f, 0, 1);
        world_step(&to, 1.0f / 60.0f, 0, 1);
        ASSERT(same_particles(from.scene, from.id, to.scene, to.id));
    }
    free(saved);
    world_close(&to);
    world_close(&from);
    PASS();
}

TEST a_damaged_instance_is_refused_or_goes_on(void) {
    world w;
    pair p;
    hem_scene_def def = hem_scene_def_default();
    OPEN(w, "soft_arm");
    ASSERT(open_pair(&p, "cape", "soft_arm", 1, &def));
    world_step(&w, 1.0f / 60.0f, 0, 5);
    size_t size;
    uint8_t* saved = save_one(w.scene, w.id, HEM_SAVE_ALL, &size);
    ASSERT(saved);
    ASSERT_EQ(HEM_ERROR_STATE, hem_instance_load(p.w.scene, p.w.id, saved, size)); // another asset
    ASSERT(strstr(hem_scene_refusal(p.w.scene), "another asset"));
    const uint64_t before = hem_scene_hash(w.scene);
    for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 61) {
        uint8_t* part = malloc(cut + 1);
        memcpy(part, saved, cut);
        ASSERT_EQ(HEM_ERROR_STATE, hem_instance_load(w.scene, w.id, part, cut));
        free(part);
    }
    ASSERT_EQ(before, hem_scene_hash(w.scene));
    int refused = 0;
    for (size_t at = 0; at + 4 <= size; at += 4) {
        static const uint32_t wrong[3] = {0xffffffffu, 0x7fc00000u, 0x7149f2cau}; // the last: 1e30
        uint32_t word;
        memcpy(&word, saved + at, 4);
        memcpy(saved + at, &wrong[at / 4 % 3], 4);
        const hem_result result = hem_instance_load(w.scene, w.id, saved, size);
        memcpy(saved + at, &word, 4);
        ASSERT(result == HEM_OK || result == HEM_ERROR_STATE || result == HEM_ERROR_COUNT);
        refused += result != HEM_OK;
        ASSERT_EQ(HEM_OK, hem_instance_load(w.scene, w.id, saved, size));
        ASSERT_EQ(before, hem_scene_hash(w.scene)); // whatever was loaded between, all of it is loaded anew
    }
    ASSERT(refused > (int)size / 16);
    free(saved);
    close_pair(&p);
    world_close(&w);
    PASS();
}

// -- Sleepers

static uint32_t jobs_of(hem_scene* scene) {
    uint32_t jobs = 0;
    hem_scene_step_begin(scene, &(hem_step_args){1.0f / 60.0f, 0}, &jobs);
    for (uint32_t i = 0; i < jobs; ++i) {
        hem_scene_step_job(scene, i, 0);
    }
    hem_scene_step_end(scene);
    return jobs;
}

// Beside a scene in which everybody is spoken to in every step, so that nobody rests unseen.
TEST who_rests_has_no_job_and_nobody_can_tell(int keep_previous) {
    enum { COUNT = 5 };
    world w, spoken;
    hem_scene_def def = hem_scene_def_default();
    def.keep_previous = (uint32_t)keep_previous;
    ASSERT(world_open(&w, "pendulum", &def, NULL, COUNT) && world_open(&spoken, "pendulum", &def, NULL, COUNT));
    hem_tuning tuning = world_tuning(&w);
    tuning.sleep_speed = 0.02f;
    tuning.damping = 1;
    for (uint32_t i = 1; i <= COUNT; ++i) {
        ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, (hem_instance_id){i, 1}, &tuning, 1));
        ASSERT_EQ(HEM_OK, hem_instance_set_tuning(spoken.scene, (hem_instance_id){i, 1}, &tuning, 1));
    }
    uint32_t fewest = COUNT, wakes = 0;
    for (int step = 0; step < 700; ++step) {
        world* both[2] = {&w, &spoken};
        const hem_instance_id id = {1 + (uint32_t)(step / 100) % COUNT, 1};
        for (int i = 0; i < 2; ++i) {
            if (step % 100 == 90) { // one of them is moved, each time by another call
                const hem_root root = {{0.1 + 0.001 * step, 0, 0}, {0, 0, 0, 1}};
                const float wind[3] = {0, 0, (float)step};
                switch (step / 100) {
                case 3:
                    hem_instance_set_root(both[i]->scene, id, &root);
                    break;
                case 4:
                    hem_instance_set_wind(both[i]->scene, id, wind);
                    break;
                case 5:
                    hem_instance_wake(both[i]->scene, id);
                    break;
                default:
                    hem_instance_set_gravity(both[i]->scene, id, wind);
                    break;
                }
            }
        }
        hem_scene_set_colliders(spoken.scene, NULL, 0);
        const uint32_t jobs = jobs_of(w.scene);
        ASSERT_EQ(COUNT, jobs_of(spoken.scene));
        fewest = jobs < fewest ? jobs : fewest;
        wakes += step > 300 && jobs > 0;
        hem_step_report report;
        hem_scene_get_report(w.scene, &report);
        ASSERT_EQ(COUNT, report.instance_count);
        if (step % 3 == 0) { // not always: counts that lag behind are caught up in one go
            ASSERT_EQ(hem_scene_hash(spoken.scene), hem_scene_hash(w.scene));
        }
    }
    ASSERT_EQ(0u, fewest);
    ASSERT(wakes > 0);
    world_close(&spoken);
    world_close(&w);
    PASS();
}

SUITE(crowds_suite) {
    RUN_TEST(nothing_else_moves_when_slots_come_and_go);
    RUN_TEST(what_comes_later_moves_as_what_was_there);
    RUN_TEST(the_reserve_says_what_it_has_and_refuses_the_rest);
    RUN_TEST(gaps_in_the_reserve_are_found_again);
    RUN_TEST(a_save_knows_the_slots_of_the_reserve);
    RUN_TESTp(an_instance_goes_back_alone, "cape", 0);
    RUN_TESTp(an_instance_goes_back_alone, "lattice_clips", HEM_BUDGET_SKINNED);
    RUN_TESTp(an_instance_goes_back_alone, "block", HEM_BUDGET_STEP);
    RUN_TESTp(an_instance_goes_on_in_another_scene, "cape", 0, 0);
    RUN_TESTp(an_instance_goes_on_in_another_scene, "soft_arm", 0, HEM_BUDGET_STEP);
    RUN_TESTp(an_instance_goes_on_in_another_scene, "soft_arm", HEM_BUDGET_SKINNED, 0);
    RUN_TEST(a_damaged_instance_is_refused_or_goes_on);
    RUN_TESTp(who_rests_has_no_job_and_nobody_can_tell, 0);
    RUN_TESTp(who_rests_has_no_job_and_nobody_can_tell, 1);
}
