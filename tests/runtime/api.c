// SPDX-License-Identifier: MIT
// The API refuses what is wrong, by code, and changes nothing; and does what it says with what is right.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ONE_MORE(name, value, text) +1
enum { RESULT_COUNT = 0 HEM_RESULTS(ONE_MORE) };

TEST every_result_has_a_text_of_its_own(void) {
    for (int a = HEM_OK; a < RESULT_COUNT; ++a) {
        ASSERT(strlen(hem_result_text((hem_result)a)) > 3);
        for (int b = HEM_OK; b < a; ++b) {
            ASSERT(strcmp(hem_result_text((hem_result)a), hem_result_text((hem_result)b)) != 0);
        }
    }
    ASSERT_EQ(HEM_VERSION_MAJOR * 10000 + HEM_VERSION_MINOR * 100 + HEM_VERSION_PATCH, (int)hem_version());
    PASS();
}

static hem_scene_def good_def(world* w, hem_slot_def* slot) {
    hem_scene_def def = hem_scene_def_default();
    slot->asset = &w->asset;
    slot->count = 2;
    def.slots = slot;
    def.slot_count = 1;
    return def;
}

TEST a_spoiled_scene_def_is_refused(void) {
    world w;
    OPEN(w, "sheet");
    hem_slot_def slot;
    hem_memory need;
    hem_scene_def def = good_def(&w, &slot);
    ASSERT_EQ(HEM_OK, hem_scene_measure(&def, &need));
    ASSERT(need.size > 0 && need.align == 64);
#define SPOIL(change, code)                                                                                            \
    do {                                                                                                               \
        def = good_def(&w, &slot);                                                                                     \
        change;                                                                                                        \
        ASSERT_EQ_FMT((int)(code), (int)hem_scene_measure(&def, &need), "%d");                                         \
    } while (0)
    SPOIL(def.cookie = 0, HEM_ERROR_COOKIE);
    SPOIL(def.slots = NULL, HEM_ERROR_NULL);
    SPOIL(def.slot_count = 0, HEM_ERROR_RANGE);
    SPOIL(slot.count = 0, HEM_ERROR_RANGE);
    SPOIL(slot.count = 1u << 30, HEM_ERROR_RANGE);
    SPOIL(slot.asset = NULL, HEM_ERROR_NULL);
    SPOIL(def.collider_capacity = 100000, HEM_ERROR_RANGE);
    SPOIL(def.hull_plane_capacity = 4097, HEM_ERROR_RANGE);
    SPOIL(def.candidate_capacity = 0, HEM_ERROR_RANGE);
    SPOIL(def.worker_capacity = 0, HEM_ERROR_RANGE);
    SPOIL(def.worker_capacity = 65, HEM_ERROR_RANGE);
    SPOIL(def.substep_hz = NAN, HEM_ERROR_RANGE);
    SPOIL(def.substep_hz = 1, HEM_ERROR_RANGE);
    SPOIL(def.substep_limit = 0, HEM_ERROR_RANGE);
    SPOIL(def.gravity[1] = INFINITY, HEM_ERROR_RANGE);
    SPOIL(def.kernel = (hem_kernel)99, HEM_ERROR_KERNEL);
#undef SPOIL
    hem_asset unopened;
    memset(&unopened, 0, sizeof(unopened));
    def = good_def(&w, &slot);
    slot.asset = &unopened;
    ASSERT_EQ(HEM_ERROR_ASSET, hem_scene_measure(&def, &need));
    world_close(&w);
    PASS();
}

TEST a_block_too_small_or_crooked_is_refused(void) {
    world w;
    OPEN(w, "sheet");
    hem_slot_def slot;
    hem_memory need;
    hem_scene* scene = NULL;
    hem_scene_def def = good_def(&w, &slot);
    ASSERT_EQ(HEM_OK, hem_scene_measure(&def, &need));
    char* block = aligned_alloc(64, need.size + 64);
    ASSERT_EQ(HEM_ERROR_MEMORY, hem_scene_init(&scene, &def, block, need.size - 1));
    ASSERT_EQ(HEM_ERROR_MEMORY, hem_scene_init(&scene, &def, block + 8, need.size));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_init(&scene, &def, NULL, need.size));
    ASSERT_EQ(NULL, scene);
    ASSERT_EQ(HEM_OK, hem_scene_init(&scene, &def, block, need.size));
    free(block);
    world_close(&w);
    PASS();
}

TEST ids_die_with_their_instance(void) {
    world w;
    OPEN(w, "sheet");
    hem_instance_id old = w.id, fresh;
    ASSERT(hem_instance_is_valid(w.scene, old));
    hem_instance_def def = hem_instance_def_default();
    def.asset = &w.asset;
    ASSERT_EQ(HEM_ERROR_FULL, hem_scene_add(w.scene, &def, &fresh));
    ASSERT_EQ(HEM_OK, hem_scene_remove(w.scene, old));
    ASSERT_FALSE(hem_instance_is_valid(w.scene, old));
    ASSERT_EQ(HEM_ERROR_ID, hem_scene_remove(w.scene, old));
    ASSERT_EQ(HEM_OK, hem_scene_add(w.scene, &def, &fresh));
    ASSERT_FALSE(hem_instance_is_valid(w.scene, old));
    ASSERT(hem_instance_is_valid(w.scene, fresh));
    hem_instance_id null = {0, 0}, beyond = {77, 1};
    ASSERT_FALSE(hem_instance_is_valid(w.scene, null));
    ASSERT_FALSE(hem_instance_is_valid(w.scene, beyond));
    world_close(&w);
    PASS();
}

TEST wrong_calls_are_named_and_change_nothing(void) {
    world w;
    OPEN(w, "sheet");
    world_step(&w, 1.0f / 60.0f, 0, 3);
    uint64_t before = hem_scene_hash(w.scene);
    float pose[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    ASSERT_EQ(HEM_ERROR_NULL, hem_instance_set_pose(w.scene, w.id, NULL, 1, 0));
    ASSERT_EQ(HEM_ERROR_COUNT, hem_instance_set_pose(w.scene, w.id, pose, 2, 0));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_pose(w.scene, w.id, pose, 1, 4));
    pose[3] = NAN;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_pose(w.scene, w.id, pose, 1, 0));
    hem_root root = {{0, 0, 0}, {0, 0, 0, 0}};
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_root(w.scene, w.id, &root));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_teleport(w.scene, w.id, &root, 0));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_pose_blend(w.scene, w.id, 2));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_time_scale(w.scene, w.id, -1));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_features(w.scene, w.id, 4096));
    const float odd[] = {0, -1, 2e6f, INFINITY, NAN};
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_felt_limits(w.scene, w.id, odd[i], 1));
        ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_felt_limits(w.scene, w.id, 1, odd[i]));
    }
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_animation(w.scene, w.id, 7));
    hem_step_args args = {NAN, 0};
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_step(w.scene, &args));
    args.dt_seconds = -1;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_step(w.scene, &args));
    hem_collider collider = hem_collider_default();
    collider.rotation[3] = 1;
    collider.bone = 5;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_colliders(w.scene, w.id, &collider, 1));
    collider.bone = -1;
    collider.kind = HEM_COLLIDER_HULL;
    ASSERT_EQ(HEM_ERROR_NULL, hem_instance_set_colliders(w.scene, w.id, &collider, 1));
    ASSERT_EQ(HEM_ERROR_NULL, hem_instance_set_colliders(w.scene, w.id, NULL, 1));
    hem_tuning tuning;
    ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, &tuning, sizeof(tuning)));
    ASSERT_EQ(HEM_ERROR_COUNT, hem_instance_get_tuning(w.scene, w.id, &tuning, 8));
    tuning.damping = NAN;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
    ASSERT_EQ(HEM_ERROR_COUNT, hem_instance_set_tuning(w.scene, w.id, &tuning, 2));
    hem_skin_args skin;
    memset(&skin, 0, sizeof(skin));
    ASSERT_EQ(HEM_ERROR_NULL, hem_instance_skin(w.scene, w.id, &skin));
    hem_particle p;
    ASSERT_EQ(HEM_ERROR_COUNT, hem_instance_get_particles(w.scene, w.id, 100000, 1, &p));
    ASSERT_EQ(before, hem_scene_hash(w.scene));
    world_close(&w);
    PASS();
}

TEST nothing_may_change_while_a_step_is_open(void) {
    world w;
    OPEN(w, "sheet");
    hem_step_args args = {1.0f / 60.0f, 0};
    uint32_t jobs;
    float pose[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    ASSERT_EQ(HEM_OK, hem_scene_step_begin(w.scene, &args, &jobs));
    ASSERT_EQ(HEM_ERROR_BUSY, hem_scene_step_begin(w.scene, &args, &jobs));
    ASSERT_EQ(HEM_ERROR_BUSY, hem_instance_set_pose(w.scene, w.id, pose, 1, 0));
    ASSERT_EQ(HEM_ERROR_BUSY, hem_scene_remove(w.scene, w.id));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_step_job(w.scene, jobs, 0));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_step_job(w.scene, 0, 9));
    ASSERT_EQ(HEM_OK, hem_scene_step_job(w.scene, 0, 0));
    ASSERT_EQ(HEM_OK, hem_scene_step_end(w.scene));
    ASSERT_EQ(HEM_ERROR_NO_STEP, hem_scene_step_end(w.scene));
    world_close(&w);
    PASS();
}

TEST damaged_bytes_are_refused_by_name(void) {
    size_t size;
    unsigned char* bytes = read_asset("sheet", &size);
    ASSERT(bytes);
    hem_asset asset;
    ASSERT_EQ(HEM_OK, hem_asset_open(&asset, bytes, size));
    ASSERT_EQ(HEM_ERROR_ASSET, hem_asset_open(&asset, bytes, size - 1));
    ASSERT(strlen(hem_asset_fault(&asset, NULL, NULL)) > 3);
    ASSERT_EQ(HEM_ERROR_ASSET, hem_asset_open(&asset, bytes + 1, size - 1));
    bytes[0] ^= 1;
    ASSERT_EQ(HEM_ERROR_ASSET, hem_asset_open(&asset, bytes, size));
    hem_asset_info info;
    ASSERT_EQ(HEM_ERROR_ASSET, hem_asset_get_info(&asset, &info));
    free(bytes);
    PASS();
}

TEST state_of_a_distance_only_part_is_at_most_64_bytes_a_particle(void) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.collider_capacity = 0;
    ASSERT(world_open(&w, "sheet", &def, NULL, 1));
    double per = (double)hem_scene_save_size(w.scene, HEM_SAVE_STATE) / 400.0;
    printf("state: %.1f bytes per particle\n", per);
    ASSERT(per <= 64.0);
    hem_asset_info info;
    ASSERT_EQ(HEM_OK, hem_asset_get_info(&w.asset, &info));
    printf("sheet: asset %.1f bytes per particle, %.1f links each\n", (double)w.byte_count / info.particle_count,
           (double)info.link_count / info.particle_count);
    world_close(&w);
    PASS();
}

SUITE(api_suite) {
    RUN_TEST(every_result_has_a_text_of_its_own);
    RUN_TEST(a_spoiled_scene_def_is_refused);
    RUN_TEST(a_block_too_small_or_crooked_is_refused);
    RUN_TEST(ids_die_with_their_instance);
    RUN_TEST(wrong_calls_are_named_and_change_nothing);
    RUN_TEST(nothing_may_change_while_a_step_is_open);
    RUN_TEST(damaged_bytes_are_refused_by_name);
    RUN_TEST(state_of_a_distance_only_part_is_at_most_64_bytes_a_particle);
}
