// SPDX-License-Identifier: MIT
// Everything that a game says passes one list of ops: what is written down of them, applied to another scene, gives the
// same bits as the calls did.

#include "runtime/src/ops.h"
#include "hem/budget.h"
#include "tests/runtime/suites.h"
#include "tests/runtime/talk.h"

#include <stdlib.h>
#include <string.h>

#define OP_NUMBERS 64
#define STEP_MARK 0 // no op has this number

typedef struct recording {
    uint8_t* bytes;
    size_t size, capacity;
    uint32_t seen[OP_NUMBERS];
} recording;

typedef struct record_head { // then the payload, then the elements without gaps
    uint32_t id, instance1, count, reserved;
} record_head;

static void write_down(recording* r, const void* bytes, size_t size) {
    if (r->size + size > r->capacity) {
        r->capacity = (r->size + size) * 2;
        r->bytes = realloc(r->bytes, r->capacity);
    }
    if (size) {
        memcpy(r->bytes + r->size, bytes, size);
    }
    r->size += size;
}

static void record(void* user, const hem_scene* scene, const hemi_instance* instance, const hemi_op* op) {
    recording* r = user;
    ++r->seen[op->id % OP_NUMBERS];
    record_head head = {op->id, instance ? (uint32_t)(instance - scene->instances) + 1 : 0, op->count, 0};
    write_down(r, &head, sizeof(head));
    write_down(r, op->payload, hemi_op_payload_size(op->id));
    for (uint32_t i = 0; i < op->count; ++i) {
        write_down(r, (const char*)op->elements + i * op->stride, hemi_op_element_size(op->id));
    }
}

// One record, out of memory of its own: nothing behind it is read.
static size_t replay(hem_scene* scene, const hem_asset* asset, const uint8_t* bytes) {
    record_head head;
    memcpy(&head, bytes, sizeof(head));
    if (head.id == STEP_MARK) {
        hem_scene_step(scene, &(hem_step_args){1.0f / 60.0f, 0});
        return sizeof(head);
    }
    size_t payload_size = hemi_op_payload_size(head.id), element_size = hemi_op_element_size(head.id);
    void* payload = malloc(payload_size);
    void* elements = malloc(head.count * element_size + 1);
    memcpy(payload, bytes + sizeof(head), payload_size);
    memcpy(elements, bytes + sizeof(head) + payload_size, head.count * element_size);
    hemi_op op = {(hemi_op_id)head.id, head.count, payload, elements, element_size};
    if (op.id == HEMI_OP_FORCE_FIELD) { // a recording knows that there is one, not what it does
        scene->force_field = lift;
    }
    if (op.id == HEMI_OP_SLOTS_ADD) { // and which asset it was, not where it lies
        scene->coming = asset;
    }
    hemi_apply(scene, head.instance1 ? &scene->instances[head.instance1 - 1] : NULL, &op);
    free(payload);
    free(elements);
    return sizeof(head) + payload_size + head.count * element_size;
}

TEST a_replay_of_ops_gives_the_bits_of_the_calls(const char* asset) {
    world w, again;
    hem_scene_def with = hem_scene_def_default();
    with.meshes = talk_meshes();
    with.mesh_count = TALK_MESHES;
    with.force_capacity = with.tie_capacity = 7;
    with.budget = HEM_BUDGET_SKINNED;
    with.reserve_slots = 1;
    with.reserve_size = 4 << 20;
    ASSERT(world_open(&w, asset, &with, NULL, 2));
    ASSERT(world_open(&again, asset, &with, NULL, 2));
    hem_instance_id none = w.id;
    hem_instance_id second = {3 - w.id.index1, 1};
    ASSERT_EQ(HEM_OK, hem_scene_remove(w.scene, w.id)); // its slot has been used before
    ASSERT_EQ(HEM_OK, hem_scene_remove(again.scene, again.id));
    ASSERT_EQ(HEM_OK, hem_scene_remove(w.scene, second));
    ASSERT_EQ(HEM_OK, hem_scene_remove(again.scene, second));
    ASSERT_FALSE(hem_instance_is_valid(w.scene, none));
    recording r = {0};
    w.scene->op_watch = record;
    w.scene->op_watch_user = &r;
    uint64_t hashes[40];
    hem_instance_def def = hem_instance_def_default();
    def.asset = &w.asset;
    def.user = 7;
    float pose[256][12] = {{0}};
    for (uint32_t i = 0; i < w.view.info->bone_count; ++i) {
        pose[i][0] = pose[i][5] = pose[i][10] = 1.0f;
    }
    def.pose = pose[0];
    ASSERT_EQ(HEM_OK, hem_scene_add(w.scene, &def, &w.id));
    def.pose = NULL;
    ASSERT_EQ(HEM_OK, hem_scene_add(w.scene, &def, &second));
    for (int step = 0; step < 40; ++step) {
        say_everything(&w, step);
        if (step == 30) {
            ASSERT_EQ(HEM_OK, hem_scene_remove(w.scene, second));
        }
        record_head mark = {STEP_MARK, 0, 0, 0};
        write_down(&r, &mark, sizeof(mark));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        hashes[step] = hem_scene_hash(w.scene);
    }
    const int without_clips = w.view.lattice_clip_count == 0;
#define SEEN(NAME, number, name, payload, element)                                                                     \
    ASSERTm("not said: " #name, r.seen[number] > 0 || (without_clips && (int)number >= HEMI_OP_CLIP_PLAY &&            \
                                                       (int)number <= HEMI_OP_CLIP_STOP));
    HEMI_OPS(SEEN)
#undef SEEN
    int step = 0;
    for (size_t at = 0; at < r.size;) {
        int stepped = !memcmp(r.bytes + at, &(uint32_t){STEP_MARK}, 4);
        at += replay(again.scene, &again.asset, r.bytes + at);
        if (stepped) {
            ASSERT_EQ(hashes[step], hem_scene_hash(again.scene));
            ++step;
        }
    }
    ASSERT_EQ(40, step);
    free(r.bytes);
    world_close(&w);
    world_close(&again);
    PASS();
}

TEST ops_have_names_and_sizes_of_their_own(void) {
    uint32_t known = 0;
    for (uint32_t a = 0; a < 256; ++a) {
        const char* name = hemi_op_name(a);
        ASSERT_EQ(name != NULL, hemi_op_payload_size(a) != 0);
        ASSERT(hemi_op_payload_size(a) % 4 == 0 && hemi_op_element_size(a) % 4 == 0);
        known += name != NULL;
        for (uint32_t b = 0; b < a && name; ++b) {
            ASSERT(!hemi_op_name(b) || strcmp(name, hemi_op_name(b)) != 0);
        }
    }
    ASSERT_EQ(41, known);
    ASSERT_EQ(NULL, hemi_op_name(0));
    PASS();
}

SUITE(ops_suite) {
    RUN_TEST(ops_have_names_and_sizes_of_their_own);
    RUN_TESTp(a_replay_of_ops_gives_the_bits_of_the_calls, "cape");
    RUN_TESTp(a_replay_of_ops_gives_the_bits_of_the_calls, "block");
    RUN_TESTp(a_replay_of_ops_gives_the_bits_of_the_calls, "lattice_clips");
}
