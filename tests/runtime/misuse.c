// SPDX-License-Identifier: MIT
// What is done wrong has a code of its own, changes nothing, and is told in words: which call, which field, which value.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const hem_step_args sixtieth = {1.0f / 60.0f, 0};

static int says(const hem_scene* scene, const char* what) {
    const char* text = hem_scene_refusal(scene);
    if (!strstr(text, what)) {
        fprintf(stderr, "said: \"%s\"\nwanted: \"%s\"\n", text, what);
        return 0;
    }
    return 1;
}

// -- Jobs

#define CROWD 3

static uint64_t hash_of_a_plain_step(void) {
    world w;
    if (!world_open(&w, "cape", NULL, NULL, CROWD)) {
        return 0;
    }
    world_step(&w, sixtieth.dt_seconds, 0, 2);
    uint64_t hash = hem_scene_hash(w.scene);
    world_close(&w);
    return hash;
}

TEST a_job_that_was_run_is_refused_and_the_step_is_what_it_would_have_been(void) {
    world w;
    ASSERT(world_open(&w, "cape", NULL, NULL, CROWD));
    for (int step = 0; step < 2; ++step) {
        uint32_t jobs;
        ASSERT_EQ(HEM_OK, hem_scene_step_begin(w.scene, &sixtieth, &jobs));
        ASSERT_EQ(CROWD, jobs);
        for (uint32_t i = jobs; i-- > 0;) {
            ASSERT_EQ(HEM_OK, hem_scene_step_job(w.scene, i, 0));
            ASSERT_EQ(HEM_ERROR_JOB_TWICE, hem_scene_step_job(w.scene, i, 0));
        }
        ASSERT_EQ(HEM_ERROR_JOB_TWICE, hem_scene_step_job(w.scene, 1, 0));
        ASSERT(says(w.scene, "hem_scene_step_job: job is 1: "));
        ASSERT_EQ(HEM_OK, hem_scene_step_end(w.scene));
    }
    ASSERT_EQ(hash_of_a_plain_step(), hem_scene_hash(w.scene));
    world_close(&w);
    PASS();
}

TEST a_step_ended_early_stays_open_and_can_be_completed(void) {
    world w;
    ASSERT(world_open(&w, "cape", NULL, NULL, CROWD));
    for (int step = 0; step < 2; ++step) {
        uint32_t jobs;
        ASSERT_EQ(HEM_OK, hem_scene_step_begin(w.scene, &sixtieth, &jobs));
        ASSERT_EQ(HEM_ERROR_JOBS_LEFT, hem_scene_step_end(w.scene));
        ASSERT_EQ(HEM_OK, hem_scene_step_job(w.scene, 2, 0));
        ASSERT_EQ(HEM_OK, hem_scene_step_job(w.scene, 0, 0));
        ASSERT_EQ(HEM_ERROR_JOBS_LEFT, hem_scene_step_end(w.scene));
        ASSERT(says(w.scene, "hem_scene_step_end: job is 1: "));
        ASSERT_EQ(HEM_OK, hem_scene_step_job(w.scene, 1, 0));
        ASSERT_EQ(HEM_OK, hem_scene_step_end(w.scene));
    }
    ASSERT_EQ(hash_of_a_plain_step(), hem_scene_hash(w.scene));
    world_close(&w);
    PASS();
}

TEST jobs_and_an_end_without_a_step_have_a_code(void) {
    world w;
    ASSERT(world_open(&w, "cape", NULL, NULL, 1));
    uint64_t before = hem_scene_hash(w.scene);
    ASSERT_EQ(HEM_ERROR_NO_STEP, hem_scene_step_job(w.scene, 0, 0));
    ASSERT(says(w.scene, "hem_scene_step_job: no step is open"));
    ASSERT_EQ(HEM_ERROR_NO_STEP, hem_scene_step_end(w.scene));
    ASSERT_EQ(HEM_OK, hem_scene_step(w.scene, &sixtieth));
    ASSERT_EQ(HEM_ERROR_NO_STEP, hem_scene_step_end(w.scene));
    ASSERT(before != hem_scene_hash(w.scene));
    world_close(&w);
    PASS();
}

// -- An open step

TEST whoever_reads_during_an_open_step_is_told_so(void) {
    world w;
    ASSERT(world_open(&w, "cape", NULL, NULL, 1));
    static float floats[65536];
    hem_particle particle;
    hem_collider collider;
    hem_instance_stats stats;
    hem_step_report report;
    const hem_event* events;
    uint32_t count;
    uint64_t number;
    static hem_tuning tuning[64];
    hem_skin_args skin = {.vertex_count = 1, .positions = floats};
    size_t size = hem_scene_save_size(w.scene, HEM_SAVE_ALL);
    void* save = malloc(size);
    ASSERT_EQ(HEM_OK, hem_scene_save(w.scene, HEM_SAVE_ALL, save, size));
    ASSERT(hem_scene_hash(w.scene) != 0);
    ASSERT_EQ(HEM_OK, hem_scene_step_begin(w.scene, &sixtieth, &count));
#define BUSY(call)                                                                                                     \
    do {                                                                                                               \
        ASSERT_EQ_FMT((int)HEM_ERROR_BUSY, (int)(call), "%d");                                                         \
        ASSERT(says(w.scene, "a step is open"));                                                                       \
        ASSERT(strncmp(hem_scene_refusal(w.scene), #call, strcspn(#call, "(")) == 0);                                  \
    } while (0)
    BUSY(hem_instance_get_particles(w.scene, w.id, 0, 1, &particle));
    BUSY(hem_instance_get_matrices(w.scene, w.id, floats, 0));
    BUSY(hem_instance_skin(w.scene, w.id, &skin));
    BUSY(hem_instance_get_stats(w.scene, w.id, &stats));
    BUSY(hem_instance_get_colliders(w.scene, w.id, &collider, 1, &count));
    hem_virtual_particle point;
    BUSY(hem_instance_get_virtual(w.scene, w.id, &point, 1, &count));
    hem_refined refined = {0};
    BUSY(hem_instance_get_refined(w.scene, w.id, &refined));
    BUSY(hem_instance_get_tuning(w.scene, w.id, tuning, sizeof(tuning)));
    BUSY(hem_instance_hash(w.scene, w.id, &number));
    BUSY(hem_scene_get_report(w.scene, &report));
    BUSY(hem_scene_get_events(w.scene, &events, &count, NULL));
    BUSY(hem_scene_save(w.scene, HEM_SAVE_ALL, save, size));
    BUSY(hem_scene_load(w.scene, save, size));
    BUSY(hem_instance_wake(w.scene, w.id));
    BUSY(hem_scene_set_force_field(w.scene, NULL, NULL));
    BUSY(hem_scene_step_begin(w.scene, &sixtieth, &count));
#undef BUSY
    ASSERT_EQ(0, hem_scene_hash(w.scene));
    ASSERT(hem_instance_is_valid(w.scene, w.id));
    ASSERT_EQ(HEM_OK, hem_instance_user(w.scene, w.id, &number));
    ASSERT_EQ(size, hem_scene_save_size(w.scene, HEM_SAVE_ALL));
    ASSERT_EQ(HEM_OK, hem_scene_step_job(w.scene, 0, 0));
    ASSERT_EQ(HEM_OK, hem_scene_step_end(w.scene));
    ASSERT_EQ(HEM_OK, hem_scene_get_report(w.scene, &report));
    ASSERT_EQ(1, report.stepped_count);
    free(save);
    world_close(&w);
    PASS();
}

// -- Words

TEST a_refusal_names_the_call_the_field_and_the_value(void) {
    world w;
    ASSERT(world_open(&w, "cape", NULL, NULL, 1));
    ASSERT_STR_EQ("", hem_scene_refusal(w.scene));
    uint64_t before = hem_scene_hash(w.scene);
    uint32_t bones = w.view.info->bone_count, parts = w.view.info->part_count;
#define REFUSED(code, call, text)                                                                                      \
    do {                                                                                                               \
        ASSERT_EQ_FMT((int)(code), (int)(call), "%d");                                                                 \
        ASSERT(says(w.scene, text));                                                                                   \
    } while (0)
    float wind[3] = {0, 1234.5f, 0};
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_wind(w.scene, w.id, wind),
            "hem_instance_set_wind: velocity[1] is 1234.5: must be within 1000 m/s");
    wind[1] = NAN;
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_gravity(w.scene, w.id, wind),
            "hem_instance_set_gravity: gravity[1] is not a number: ");
    REFUSED(HEM_ERROR_NULL, hem_instance_set_wind(w.scene, w.id, NULL), "hem_instance_set_wind: velocity is NULL");
    static float pose[4096][12];
    REFUSED(HEM_ERROR_COUNT, hem_instance_set_pose(w.scene, w.id, pose[0], bones + 1, 0), "bone_count is ");
    pose[bones - 1][7] = -2e6f;
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_pose(w.scene, w.id, pose[0], bones, 0), "[7] is -2000000: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_pose(w.scene, w.id, pose[0], bones, 50), "stride is 50: ");
    hem_root root = {{0, 2e9, 0}, {0, 0, 0, 1}};
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_root(w.scene, w.id, &root), "root.position[1] is 2000000000: ");
    root.position[1] = 0;
    root.rotation[3] = 0.5f;
    REFUSED(HEM_ERROR_RANGE, hem_instance_teleport(w.scene, w.id, &root, 0),
            "hem_instance_teleport: root.rotation is 0.25: ");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_pose_blend(w.scene, w.id, 1.5f), "blend is 1.5: must be 0 to 1");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_time_scale(w.scene, w.id, -0.125f), "scale is -0.125: must be 0 to 8");
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_features(w.scene, w.id, 4096), "features is 4096: ");
    hem_collider c[2] = {hem_collider_default(), hem_collider_default()};
    c[1].size[2] = -0.05f;
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_colliders(w.scene, w.id, c, 2),
            "hem_instance_set_colliders: colliders[1].size[2] is -0.05: ");
    hem_tuning tuning[64];
    ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, tuning, sizeof(tuning)));
    tuning[parts - 1].friction = 3;
    REFUSED(HEM_ERROR_RANGE, hem_instance_set_tuning(w.scene, w.id, tuning, parts), "].friction is 3: must be 0 to 1");
    hem_step_args args = {1.0f / 60.0f, 65};
    REFUSED(HEM_ERROR_RANGE, hem_scene_step(w.scene, &args), "hem_scene_step_begin: args.substeps is 65: ");
    args = (hem_step_args){-1e-30f, 0};
    REFUSED(HEM_ERROR_RANGE, hem_scene_step(w.scene, &args), "args.dt_seconds is -1e-30: ");
    hem_particle particle;
    REFUSED(HEM_ERROR_COUNT, hem_instance_get_particles(w.scene, w.id, 70000, 1, &particle),
            "begin + count is 70001: ");
    REFUSED(HEM_ERROR_ID, hem_instance_wake(w.scene, (hem_instance_id){77, 1}),
            "hem_instance_wake: id.index1 is 77: the id names no living instance");
    hem_instance_def def = hem_instance_def_default();
    def.asset = &w.asset;
    hem_instance_id id;
    REFUSED(HEM_ERROR_FULL, hem_scene_add(w.scene, &def, &id), "hem_scene_add: slots.count is 1: no free slot");
    def.felt_turning = 0;
    REFUSED(HEM_ERROR_RANGE, hem_scene_add(w.scene, &def, &id), "def.felt_turning is 0: ");
    char junk[64] = {0};
    REFUSED(HEM_ERROR_STATE, hem_scene_load(w.scene, junk, sizeof(junk)), "hem_scene_load: save.head ");
#undef REFUSED
    ASSERT_EQ(before, hem_scene_hash(w.scene));
    ASSERT(strlen(hem_scene_refusal(NULL)) > 10);
    world_close(&w);
    PASS();
}

TEST a_scene_def_is_told_what_is_wrong_with_it(void) {
    world w;
    ASSERT(world_open(&w, "cape", NULL, NULL, 1));
    hem_slot_def slots[2] = {{&w.asset, 1}, {&w.asset, 1}};
    hem_scene_def def = hem_scene_def_default();
    def.slots = slots;
    def.slot_count = 1;
    char text[200];
    ASSERT_EQ(HEM_OK, hem_scene_def_check(&def, text, sizeof(text)));
    ASSERT_STR_EQ("done", text);
    def.worker_capacity = 65;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_def_check(&def, text, sizeof(text)));
    ASSERT_STR_EQ("hem_scene_def: worker_capacity is 65: must be 1 to 64", text);
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_def_check(&def, text, 17)); // cut, and ended
    ASSERT_STR_EQ("hem_scene_def: w", text);
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_def_check(&def, NULL, 0));
    def.worker_capacity = 1;
    def.slot_count = 2;
    ASSERT_EQ(HEM_ERROR_SLOT, hem_scene_def_check(&def, text, sizeof(text)));
    ASSERT(strstr(text, "slots[1].asset"));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_def_check(NULL, text, sizeof(text)));
    ASSERT_STR_EQ("hem_scene_def: def is NULL", text);
    world_close(&w);
    PASS();
}

// A sentence has a subject and says something about it.
static int is_sentence(const char* text) {
    return text && strlen(text) > 15 && strchr(text, ' ') && strlen(text) < 384;
}

TEST the_fault_of_an_asset_is_a_sentence_whatever_it_is(void) {
    size_t size;
    unsigned char* good = read_asset("cape", &size);
    ASSERT(good);
    unsigned char* bytes = aligned_alloc(64, (size + 63) & ~(size_t)63);
    hem_asset asset;
    memset(&asset, 0, sizeof(asset));
    ASSERT(is_sentence(hem_asset_fault(NULL, NULL, NULL)));
    ASSERT(is_sentence(hem_asset_fault(&asset, NULL, NULL)));
    ASSERT_EQ(HEM_ERROR_NULL, hem_asset_open(&asset, NULL, 0));
    ASSERT(is_sentence(hem_asset_fault(&asset, NULL, NULL)));
    ASSERT_EQ(HEM_OK, hem_asset_open(&asset, good, size));
    ASSERT(is_sentence(hem_asset_fault(&asset, NULL, NULL)));
    uint32_t refused = 0;
    for (size_t at = 0; at < size; at += 1 + at / 40) {
        memcpy(bytes, good, size);
        bytes[at] ^= 0x91;
        const char* section = NULL;
        uint32_t element = 0;
        if (hem_asset_open(&asset, bytes, size) == HEM_ERROR_ASSET) {
            ++refused;
            const char* text = hem_asset_fault(&asset, &section, &element);
            ASSERTm(text ? text : "NULL", is_sentence(text) && section);
            ASSERT(strstr(text, ": ") || strstr(text, "version"));
        }
    }
    ASSERT(refused > 50);
    ASSERT_EQ(HEM_ERROR_ASSET, hem_asset_open(&asset, good, 100));
    ASSERT(is_sentence(hem_asset_fault(&asset, NULL, NULL)));
    free(bytes);
    free(good);
    PASS();
}

SUITE(misuse_suite) {
    RUN_TEST(a_job_that_was_run_is_refused_and_the_step_is_what_it_would_have_been);
    RUN_TEST(a_step_ended_early_stays_open_and_can_be_completed);
    RUN_TEST(jobs_and_an_end_without_a_step_have_a_code);
    RUN_TEST(whoever_reads_during_an_open_step_is_told_so);
    RUN_TEST(a_refusal_names_the_call_the_field_and_the_value);
    RUN_TEST(a_scene_def_is_told_what_is_wrong_with_it);
    RUN_TEST(the_fault_of_an_asset_is_a_sentence_whatever_it_is);
}
