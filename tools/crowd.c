// SPDX-License-Identifier: MIT
#if !defined(_WIN32) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif

#include "tools/crowd.h"
#include "platform/clock.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POSE_LIMIT = 240, LATER = 7 };

uint64_t crowd_clock(void) {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) {
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    }
#endif
    return hem_clock_nanoseconds();
}

static bool sample_poses(crowd* c) {
    const asset* a = c->source;
    const float seconds = asset_clip_count(a) > 0 ? asset_clip_seconds(a, 0) : 0.0f;
    const uint32_t frames = (uint32_t)(seconds * 60.0f + 0.5f);
    c->pose_count = frames < 1 ? 1 : frames > POSE_LIMIT ? POSE_LIMIT : frames;
    c->poses = malloc((size_t)c->pose_count * a->info.bone_count * 48 + 1);
    for (uint32_t i = 0; c->poses != NULL && i < c->pose_count; i++) {
        float* to = c->poses + (size_t)i * a->info.bone_count * 12;
        if (asset_clip_count(a) > 0) {
            asset_pose(a, 0, (float)i / 60.0f, to);
        } else {
            asset_bind_pose(a, to);
        }
    }
    return c->poses != NULL;
}

// To and fro where the clip does not loop.
static const float* pose_of(const crowd* c, uint32_t i, uint32_t frame) {
    const uint32_t at = frame + i * LATER, turn = at / c->pose_count, place = at % c->pose_count;
    const bool back = turn % 2 == 1 && !(asset_clip_count(c->source) > 0 && asset_clip_loops(c->source, 0));
    return c->poses + (size_t)(back ? c->pose_count - 1 - place : place) * c->source->info.bone_count * 12;
}

bool crowd_open(crowd* c, const asset* a, uint32_t count, hem_budget_mode mode, const hem_costs* costs,
                uint32_t workers) {
    const float speed = c->speed;
    memset(c, 0, sizeof(*c));
    c->source = a;
    c->count = count;
    c->speed = speed;
    c->workers = workers;
    hem_slot_def slot = {&a->handle, count};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    def.budget = (uint32_t)mode;
    def.costs = costs;
    def.worker_capacity = workers;
    hem_memory need = {0, 64};
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return false;
    }
    const size_t vertices = (size_t)a->info.vertex_count + 1;
    c->block = malloc(need.size + need.align);
    c->ids = calloc(count, sizeof(*c->ids));
    c->positions = malloc(vertices * 12);
    c->normals = malloc(vertices * 12);
    if (c->block == NULL || c->ids == NULL || c->positions == NULL || c->normals == NULL || !sample_poses(c)) {
        return false;
    }
    void* aligned = (void*)(((uintptr_t)c->block + need.align - 1) & ~(uintptr_t)(need.align - 1));
    return hem_scene_init(&c->scene, &def, aligned, need.size) == HEM_OK;
}

void crowd_close(crowd* c) {
    free(c->block);
    free(c->ids);
    free(c->poses);
    free(c->positions);
    free(c->normals);
    memset(c, 0, sizeof(*c));
}

static hem_root root_of(const crowd* c, uint32_t frame) {
    const hem_root root = {{0.0, 0.0, (double)c->speed * (double)frame / 60.0}, {0.0f, 0.0f, 0.0f, 1.0f}};
    return root;
}

bool crowd_add(crowd* c, uint32_t i, uint32_t frame) {
    hem_instance_def def = hem_instance_def_default();
    def.asset = &c->source->handle;
    def.pose = pose_of(c, i, frame);
    def.root = root_of(c, frame);
    return hem_scene_add(c->scene, &def, &c->ids[i]) == HEM_OK;
}

void crowd_remove(crowd* c, uint32_t i) {
    hem_scene_remove(c->scene, c->ids[i]);
    c->ids[i].index1 = 0;
}

static void run_jobs(crowd* c, uint32_t jobs, const uint32_t* order) {
    for (uint32_t i = 0; i < jobs; i++) {
        hem_scene_step_job(c->scene, order ? order[i] : i, i % c->workers);
    }
    hem_scene_step_end(c->scene);
}

static bool is_skinned(const crowd* c, uint32_t i, hem_budget_mode mode) {
    hem_plan plan;
    if (mode == HEM_BUDGET_MOVING && hem_instance_get_plan(c->scene, c->ids[i], &plan) == HEM_OK) {
        return plan.level != HEM_LEVEL_POSE || plan.blend > 0.0f;
    }
    return mode == HEM_BUDGET_SKINNED;
}

void crowd_say(crowd* c, uint32_t frame) {
    const hem_root root = root_of(c, frame);
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->ids[i].index1) {
            hem_instance_set_pose(c->scene, c->ids[i], pose_of(c, i, frame), c->source->info.bone_count, 0);
            hem_instance_set_root(c->scene, c->ids[i], &root);
        }
    }
}

crowd_time crowd_frame(crowd* c, uint32_t frame, hem_budget_mode mode, const uint32_t* order) {
    const hem_step_args args = {.dt_seconds = 1.0f / 60.0f};
    const hem_skin_args skin = {
        .vertex_count = c->source->info.vertex_count, .positions = c->positions, .normals = c->normals};
    crowd_time t = {0};
    uint64_t begin = crowd_clock();
    crowd_say(c, frame);
    uint64_t now = crowd_clock();
    uint32_t jobs = 0;
    t.pose = now - begin;
    hem_scene_step_begin(c->scene, &args, &jobs);
    begin = crowd_clock();
    t.plan = begin - now;
    run_jobs(c, jobs, order);
    now = crowd_clock();
    t.step = now - begin;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->ids[i].index1 && is_skinned(c, i, mode)) {
            hem_instance_skin(c->scene, c->ids[i], &skin);
        }
    }
    t.skin = crowd_clock() - now;
    return t;
}
