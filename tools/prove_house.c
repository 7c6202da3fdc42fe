// SPDX-License-Identifier: MIT
#include "tools/prove.h"
#include "tools/stage.h"
#include "formats/hem_kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The house: what stands in tables, and that a save holds all that the next step reads.

// -- Kinds

typedef struct kind_row {
    const char* word;
    uint32_t number;
    const char* batches;
    uint32_t arity;
} kind_row;

static const kind_row KINDS[] = {
#define KIND_ROW(name, number, word, batches, arity, order, tuned, traits) {#word, number, #batches, arity},
    HEM_KINDS(KIND_ROW)
#undef KIND_ROW
};
enum { KIND_COUNT = sizeof(KINDS) / sizeof(KINDS[0]) };

static void prove_kinds(proof* p, const uint64_t* counts) {
    for (int32_t i = 0; i < KIND_COUNT; i++) {
        int32_t alike = 0;
        for (int32_t k = 0; k < KIND_COUNT; k++) {
            alike += KINDS[k].number == KINDS[i].number || strcmp(KINDS[k].word, KINDS[i].word) == 0;
        }
        char reached[128], arity[16] = "many";
        if (KINDS[i].arity != HEM_ARITY_MANY) {
            snprintf(arity, sizeof(arity), "%u", KINDS[i].arity);
        }
        snprintf(reached, sizeof(reached), "number %u, of %s particles, in %s batches, %llu in the samples",
                 KINDS[i].number, arity, KINDS[i].batches, (unsigned long long)counts[KINDS[i].number]);
        bool named = strcmp(hem_kind_name(KINDS[i].number), KINDS[i].word) == 0;
        proof_add(p, alike == 1 && named, "one row of the table", reached, "kind %s", KINDS[i].word);
    }
}

static void count_kinds(const asset* a, uint64_t* counts) {
    for (uint32_t part = 0; part < a->info.part_count; part++) {
        asset_part_counts c = asset_count_part(a, part);
        for (uint32_t kind = 0; kind < HEM_LINK_KIND_COUNT; kind++) {
            counts[kind] += c.links[kind];
        }
        counts[HEM_KIND_GROUP] += c.groups;
    }
}

// -- Scenes

#define DT (1.0f / 60.0f)
#define FRAMES_BEFORE 120
#define FRAMES_ALONE 150 // nobody says anything: what was saved must be enough
#define FRAMES_TOLD 150  // both games say the same

static void pose_of(const asset* a, int32_t frame, float* matrices) {
    if (a->view.clip_count > 0) {
        asset_pose(a, 0, (float)frame * DT, matrices);
    } else {
        asset_bind_pose(a, matrices);
    }
    for (uint32_t b = 0; b < a->info.bone_count; b++) { // samples without clips move too
        matrices[12 * b + 3] += 0.002f * (float)(frame % 40 < 20 ? frame % 20 : 20 - frame % 20);
    }
}

// A ball that goes to and fro through the middle of the character, and a capsule on its first bone.
static bool say_colliders(stage* s, int32_t frame, const hem_root* root) {
    const hem_asset_info* info = &s->source->info;
    float wide = info->bounds_max[0] - info->bounds_min[0], tall = info->bounds_max[1] - info->bounds_min[1];
    float swing = (float)(frame % 60 < 30 ? frame % 30 : 30 - frame % 30) / 30.0f - 0.5f;
    hem_collider colliders[2];
    for (int32_t i = 0; i < 2; i++) {
        colliders[i] = hem_collider_default();
        colliders[i].bone = i == 0 ? -1 : 0;
        colliders[i].rotation[3] = 1.0f;
        colliders[i].friction = 0.3f;
        colliders[i].mask = ~0u;
        colliders[i].position[1] = (double)(info->bounds_min[1] + 0.5f * tall);
    }
    colliders[0].kind = HEM_COLLIDER_SPHERE;
    colliders[0].size[0] = 0.1f * tall + 0.02f;
    colliders[0].position[0] = root->position[0] + (double)(swing * wide);
    colliders[0].position[2] = root->position[2] + (double)info->bounds_min[2];
    colliders[1].kind = HEM_COLLIDER_CAPSULE;
    colliders[1].size[0] = colliders[1].size[1] = 0.05f * tall + 0.01f;
    colliders[1].size[2] = 0.1f * tall;
    return hem_instance_set_colliders(s->scene, s->id, colliders, 2) == HEM_OK;
}

// What the game says in a frame: everything moves, and some of what lasts is said only now and then.
static bool say(stage* s, int32_t frame) {
    hem_root root = {{0.1 * (double)frame * (double)DT, 0.0, (double)frame * (double)DT}, {0.0f, 0.0f, 0.0f, 1.0f}};
    pose_of(s->source, frame, s->pose);
    bool good = hem_instance_set_pose(s->scene, s->id, s->pose, s->source->info.bone_count, 0) == HEM_OK &&
                hem_instance_set_root(s->scene, s->id, &root) == HEM_OK && say_colliders(s, frame, &root);
    if (frame % 50 == 20) {
        const uint32_t parts = s->source->info.part_count;
        const float wind[3] = {1.0f + 0.02f * (float)frame, 0.0f, -0.5f}, gravity[3] = {0.5f, -8.0f, 0.0f};
        good = good && hem_instance_get_tuning(s->scene, s->id, s->tuning, sizeof(hem_tuning) * parts) == HEM_OK;
        for (uint32_t k = 0; good && k < parts; k++) {
            s->tuning[k].damping = 0.3f + 0.001f * (float)frame;
            s->tuning[k].compliance[HEM_LINK_SHEAR] = 2e-5f;
            s->tuning[k].friction = 0.25f;
        }
        good = good && hem_instance_set_tuning(s->scene, s->id, s->tuning, parts) == HEM_OK &&
               hem_instance_set_wind(s->scene, s->id, wind) == HEM_OK &&
               hem_instance_set_gravity(s->scene, s->id, gravity) == HEM_OK &&
               hem_instance_set_time_scale(s->scene, s->id, 0.9f) == HEM_OK &&
               hem_instance_set_pose_blend(s->scene, s->id, 0.95f) == HEM_OK &&
               hem_instance_set_felt_limits(s->scene, s->id, 40.0f, 150.0f) == HEM_OK &&
               hem_instance_set_features(s->scene, s->id, HEM_FEATURE_ALL & ~HEM_FEATURE_UNTANGLE) == HEM_OK;
    }
    return good;
}

static bool step(stage* s) {
    return hem_scene_step(s->scene, &(hem_step_args){.dt_seconds = DT}) == HEM_OK;
}

static bool go_on(stage* s) {
    bool good = true;
    for (int32_t i = 0; good && i < FRAMES_ALONE; i++) {
        good = step(s);
    }
    for (int32_t i = 0; good && i < FRAMES_TOLD; i++) {
        good = say(s, FRAMES_BEFORE + 1 + i) && step(s);
    }
    return good;
}

// -- Phases, counted through the profiler's hooks

enum { PHASE_LIMIT = 64 };

typedef struct phase_counts {
    uint32_t begun[PHASE_LIMIT], ended[PHASE_LIMIT];
    uint32_t strangers; // names that the table does not have
    const char* open;   // what has begun and not ended
    bool nested;
} phase_counts;

static void count_phase(phase_counts* c, uint32_t* counts, const char* name) {
    for (uint32_t i = 0; i < hem_phase_count() && i < PHASE_LIMIT; i++) {
        if (strcmp(hem_phase_name(i), name) == 0) {
            counts[i]++;
            return;
        }
    }
    c->strangers++;
}

static void on_begin(void* user, const char* phase, hem_instance_id id) {
    phase_counts* c = user;
    (void)id;
    c->nested = c->nested || c->open != NULL;
    c->open = phase;
    count_phase(c, c->begun, phase);
}

static void on_end(void* user, const char* phase, hem_instance_id id) {
    phase_counts* c = user;
    (void)id;
    c->nested = c->nested || c->open == NULL || strcmp(c->open, phase) != 0;
    c->open = NULL;
    count_phase(c, c->ended, phase);
}

static void prove_phases(proof* p, const phase_counts* c, int32_t step_count) {
    for (uint32_t i = 0; i < hem_phase_count() && i < PHASE_LIMIT; i++) {
        char reached[64];
        snprintf(reached, sizeof(reached), "begun %u, ended %u in %d steps", c->begun[i], c->ended[i], (int)step_count);
        proof_add(p, c->begun[i] > 0 && c->begun[i] == c->ended[i], "begun, and ended as often", reached, "phase %s",
                  hem_phase_name(i));
    }
    proof_add(p, c->strangers == 0 && !c->nested, "one after the other, by those names",
              c->strangers != 0 ? "other names"
              : c->nested       ? "one within another"
                                : "so",
              "phases");
}

// -- Restoring

typedef struct house {
    uint64_t kinds[32]; // constraints of each kind in all samples
    phase_counts phases;
    int32_t steps; // that the phases were counted in
    int32_t restored_count, told_apart_count;
} house;

// One scene runs and is saved right after the game has spoken. A fresh one, never touched, loads that. Both go on. A
// third is fresh too and loads nothing: its hash must differ, or the others would prove nothing.
static bool restore(proof* p, const char* name, const asset* a, house* h, stage stages[3]) {
    stage *first = &stages[0], *second = &stages[1], *third = &stages[2];
    if (!stage_open(first, a) || !stage_open(second, a) || !stage_open(third, a) || !stage_add(first) ||
        !stage_add(third)) {
        return false;
    }
    hem_profile_hooks hooks = {on_begin, on_end, &h->phases};
    hem_scene_set_profile_hooks(first->scene, &hooks);
    for (int32_t frame = 0; frame < FRAMES_BEFORE; frame++) {
        if (!say(first, frame) || !step(first)) {
            return false;
        }
    }
    h->steps += FRAMES_BEFORE;
    hem_scene_set_profile_hooks(first->scene, NULL);
    const size_t size = hem_scene_save_size(first->scene, HEM_SAVE_ALL);
    void* bytes = malloc(size);
    bool good = bytes != NULL && say(first, FRAMES_BEFORE) &&
                hem_scene_save(first->scene, HEM_SAVE_ALL, bytes, size) == HEM_OK &&
                hem_scene_load(second->scene, bytes, size) == HEM_OK;
    free(bytes);
    second->id = first->id;
    good = good && go_on(first) && go_on(second) && go_on(third);
    if (good) {
        const uint64_t aimed = hem_scene_hash(first->scene), reached = hem_scene_hash(second->scene);
        proof_same(p, aimed, reached, "%s, restored, after %d further steps", name, FRAMES_ALONE + FRAMES_TOLD);
        h->restored_count++;
        h->told_apart_count += hem_scene_hash(third->scene) != aimed;
    }
    return good;
}

static void visit_sample(proof* p, const char* name, asset* a, void* user) {
    house* h = user;
    count_kinds(a, h->kinds);
    stage stages[3];
    memset(stages, 0, sizeof(stages));
    if (!restore(p, name, a, h, stages)) {
        proof_unmeasured(p, "a scene", "it could not be made, told or stepped", "%s, restored", name);
    }
    for (int32_t i = 0; i < 3; i++) {
        stage_close(&stages[i]);
    }
}

void prove_house(proof* p) {
    house h;
    memset(&h, 0, sizeof(h));
    if (proof_each_sample(p, visit_sample, &h) > 0) {
        char aimed[32], reached[32];
        snprintf(aimed, sizeof(aimed), "another hash, %d times", (int)h.restored_count);
        snprintf(reached, sizeof(reached), "%d times", (int)h.told_apart_count);
        proof_add(p, h.restored_count > 0 && h.told_apart_count == h.restored_count, aimed, reached,
                  "the same steps without the load");
        prove_phases(p, &h.phases, h.steps);
    }
    prove_kinds(p, h.kinds);
}
