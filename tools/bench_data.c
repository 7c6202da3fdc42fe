// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"
#include "tools/asset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is not a step: opening an asset (which reads and checks all of it), snapshots, skinning. On the first sample that
// compiles, a whole character.

enum { REPEATS = 200 };

static const char* const SAMPLES[] = {"cape_girl", "robe", "hair", "somersault", "flag"};

static void add_rate(bench* b, const char* workload, uint64_t* samples, double amount, const char* unit) {
    bench_result* r = bench_add(b, workload, "hem");
    if (r != NULL) {
        r->times = bench_summarise(samples, REPEATS);
        r->rate = amount / (r->times.median_ms * 1e-3);
        r->rate_unit = unit;
    }
}

static void run_open(bench* b, asset* a, uint64_t* samples) {
    for (int32_t i = 0; i < REPEATS; i++) {
        hem_asset handle;
        uint64_t start = bench_clock();
        hem_asset_open(&handle, a->data, a->size);
        samples[i] = bench_clock() - start;
    }
    add_rate(b, "load", samples, (double)a->size * 1e-9, "GB/s");
}

static void run_snapshots(bench* b, hem_scene* scene, uint64_t* samples) {
    size_t size = hem_scene_save_size(scene, HEM_SAVE_STATE);
    void* state = malloc(size);
    if (state == NULL) {
        return;
    }
    if (bench_wants(b, "snapshot")) {
        for (int32_t i = 0; i < REPEATS; i++) {
            uint64_t start = bench_clock();
            hem_scene_save(scene, HEM_SAVE_STATE, state, size);
            samples[i] = bench_clock() - start;
        }
        add_rate(b, "snapshot", samples, (double)size * 1e-9, "GB/s");
    }
    if (bench_wants(b, "restore")) {
        hem_scene_save(scene, HEM_SAVE_STATE, state, size);
        for (int32_t i = 0; i < REPEATS; i++) {
            uint64_t start = bench_clock();
            hem_scene_load(scene, state, size);
            samples[i] = bench_clock() - start;
        }
        add_rate(b, "restore", samples, (double)size * 1e-9, "GB/s");
    }
    free(state);
}

static void run_skin(bench* b, hem_scene* scene, hem_instance_id id, uint32_t vertex_count, uint64_t* samples) {
    static const char* const NAMES[] = {"skin-positions", "skin-normals", "skin-tangents"};
    float* out = malloc((size_t)vertex_count * 10 * sizeof(float) + 1);
    for (int32_t level = 0; out != NULL && level < 3; level++) {
        hem_skin_args args = {.vertex_count = vertex_count, .positions = out};
        args.normals = level > 0 ? out + 3 * (size_t)vertex_count : NULL;
        args.tangents = level > 1 ? out + 6 * (size_t)vertex_count : NULL;
        if (!bench_wants(b, NAMES[level])) {
            continue;
        }
        for (int32_t i = 0; i < REPEATS; i++) {
            uint64_t start = bench_clock();
            hem_instance_skin(scene, id, &args);
            samples[i] = bench_clock() - start;
        }
        add_rate(b, NAMES[level], samples, (double)vertex_count * 1e-6, "M vertices/s");
    }
    free(out);
}

static void run_character(bench* b, asset* a, uint64_t* samples) {
    enum { CROWD = 64 };
    hem_slot_def slot = {&a->handle, CROWD};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    hem_memory need;
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return;
    }
    void* block = malloc(need.size + need.align);
    hem_scene* scene = NULL;
    hem_instance_id id = {0, 0};
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &a->handle;
    if (block != NULL) {
        void* aligned = (void*)(((uintptr_t)block + need.align - 1) & ~(uintptr_t)(need.align - 1));
        hem_scene_init(&scene, &def, aligned, need.size);
    }
    bool ready = scene != NULL;
    for (int32_t i = 0; ready && i < CROWD; i++) {
        ready = hem_scene_add(scene, &instance, &id) == HEM_OK;
    }
    const hem_step_args args = {BENCH_DT, 0};
    if (ready && hem_scene_step(scene, &args) == HEM_OK) {
        run_snapshots(b, scene, samples);
        run_skin(b, scene, id, a->info.vertex_count, samples);
    }
    free(block);
}

void bench_run_data(bench* b) {
    static const char* const NAMES[] = {"load",           "snapshot",     "restore",
                                        "skin-positions", "skin-normals", "skin-tangents"};
    bool wanted = false;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
        wanted = wanted || bench_wants(b, NAMES[i]);
    }
    for (size_t i = 0; wanted && i < sizeof(SAMPLES) / sizeof(SAMPLES[0]); i++) {
        char path[BENCH_PATH_MAX];
        asset a;
        if (!bench_sample_compile(b, SAMPLES[i], path) || asset_load(&a, path, NULL) != 0) {
            continue;
        }
        uint64_t* samples = malloc(REPEATS * sizeof(*samples));
        if (samples != NULL) {
            bench_progress("load, snapshots, skinning");
            if (bench_wants(b, "load")) {
                run_open(b, &a, samples);
            }
            run_character(b, &a, samples);
        }
        free(samples);
        asset_unload(&a);
        return;
    }
}
