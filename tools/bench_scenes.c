// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"
#include "tools/asset.h"
#include "tools/seen.h"
#include "platform/file.h"
#include "platform/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The five scenes of the paper's table 1 (there: one core of a Core i7 at 3.1 GHz), with our own characters, on one core: pose and root in, one step at 60 Hz,
// vertices and normals out. Sampling the clip is the game's work and stands outside the clock.

static const struct {
    const char* name;
    const char* clip;
    uint32_t skin_flags;
    float speed;      // along z, m/s
    double paper_fps; // table 1, "simple": with skinning (on a GPU)
} SCENES[] = {
    {"cape_girl", "run", 0, 3.0f, 40.0}, {"cape_girl", "run", HEM_SKIN_DYNAMIC, 3.0f, 40.0},
    {"monster", "leap", 0, 0.0f, 250.0}, {"robe", "spin", 0, 0.0f, 60.0},
    {"hair", "shake", 0, 0.0f, 300.0},   {"somersault", "somersault", 0, 0.0f, 90.0},
};

bool bench_sample_path(bench* b, const char* name, char* glb, char* recipe) {
    char why[SAMPLE_PATH_MAX];
    if (!sample_find(&b->folders, name, glb, recipe, why)) {
        bench_note(b, "%s: %s", name, why);
        return false;
    }
    return true;
}

bool bench_sample_compile(bench* b, const char* name, char* hem) {
    // Names already compiled in this run; the file on the disk may be of an older compiler.
    static char done[32][32];
    static bool good[32];
    static int32_t done_count;
    char glb[BENCH_PATH_MAX], recipe[BENCH_PATH_MAX];
    snprintf(hem, BENCH_PATH_MAX, "%s/%s.hem", b->work_folder, name);
    for (int32_t i = 0; i < done_count; i++) {
        if (strcmp(done[i], name) == 0) {
            return good[i];
        }
    }
    bool compiled = false;
    if (bench_sample_path(b, name, glb, recipe)) {
        const hemc_job job = {.input = glb, .recipe = recipe, .output = hem, .verbosity = -1};
        compiled = hemc_run(&job) == 0;
        if (!compiled) {
            bench_note(b, "%s: does not compile; left out", name);
        }
    }
    if (done_count < 32) {
        snprintf(done[done_count], sizeof(done[0]), "%s", name);
        good[done_count++] = compiled;
    }
    return compiled;
}

typedef struct stage {
    asset source;
    int32_t clip;
    void* block;
    size_t block_size;
    hem_scene* scene;
    hem_instance_id id;
    float *pose, *positions, *normals;
    uint64_t* samples;
    seen_mesh seen;
} stage;

static void close_stage(stage* s) {
    free(s->block);
    free(s->pose);
    free(s->positions);
    free(s->normals);
    free(s->samples);
    seen_destroy(&s->seen);
    asset_unload(&s->source);
}

static hem_result open_stage(stage* s, int32_t sample_count) {
    size_t vertices = s->source.info.vertex_count;
    hem_slot_def slot = {&s->source.handle, 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    hem_memory need;
    hem_result result = hem_scene_measure(&def, &need);
    if (result != HEM_OK) {
        return result;
    }
    s->block_size = need.size;
    s->block = malloc(need.size + need.align);
    s->pose = malloc(12 * sizeof(float) * ((size_t)s->source.info.bone_count + 1));
    s->positions = malloc(3 * sizeof(float) * (vertices + 1));
    s->normals = malloc(3 * sizeof(float) * (vertices + 1));
    s->samples = malloc((size_t)sample_count * sizeof(uint64_t));
    if (!s->block || !s->pose || !s->positions || !s->normals || !s->samples) {
        return HEM_ERROR_MEMORY;
    }
    void* aligned = (void*)(((uintptr_t)s->block + need.align - 1) & ~(uintptr_t)(need.align - 1));
    result = hem_scene_init(&s->scene, &def, aligned, need.size);
    if (result != HEM_OK) {
        return result;
    }
    asset_pose(&s->source, s->clip, 0.0f, s->pose);
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &s->source.handle;
    instance.pose = s->pose;
    result = hem_scene_add(s->scene, &instance, &s->id);
    return result == HEM_OK ? hem_instance_set_features(s->scene, s->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP)
                            : result;
}

// A clip that does not loop is played again from its start, with the cloth put there: outside the clock.
static float clip_time(const stage* s, int32_t frame, bool* restarts) {
    float seconds = (float)frame * BENCH_DT, length = asset_clip_seconds(&s->source, s->clip);
    bool loops = asset_clip_loops(&s->source, s->clip);
    float begun = length > BENCH_DT && !loops ? floorf(seconds / length) : 0.0f;
    *restarts = begun > 0.0f && seconds - begun * length < BENCH_DT;
    return seconds - begun * length;
}

static hem_result play_frame(stage* s, float seconds, float speed, uint32_t flags, uint64_t* nanoseconds) {
    const hem_step_args args = {BENCH_DT, 0};
    const hem_skin_args skin = {
        .vertex_count = s->source.info.vertex_count, .positions = s->positions, .normals = s->normals, .flags = flags};
    hem_root root = {{0.0, 0.0, (double)speed * (double)seconds}, {0.0f, 0.0f, 0.0f, 1.0f}};
    asset_pose(&s->source, s->clip, seconds, s->pose);
    uint64_t start = bench_clock();
    hem_result result = hem_instance_set_pose(s->scene, s->id, s->pose, s->source.info.bone_count, 0);
    result = result == HEM_OK ? hem_instance_set_root(s->scene, s->id, &root) : result;
    result = result == HEM_OK ? hem_scene_step(s->scene, &args) : result;
    result = result == HEM_OK ? hem_instance_skin(s->scene, s->id, &skin) : result;
    *nanoseconds = bench_clock() - start;
    return result;
}

static uint32_t count_crossed(stage* s) {
    seen_frame frame;
    seen_measure(&s->seen, s->positions, s->normals, NULL, 0.0f, &frame);
    return frame.layers_crossed + frame.body_crossed;
}

static void run_scene(bench* b, const char* workload, int32_t index) {
    char path[BENCH_PATH_MAX];
    stage s;
    memset(&s, 0, sizeof(s));
    if (!bench_sample_compile(b, SCENES[index].name, path)) {
        return;
    }
    if (asset_load(&s.source, path, NULL) != 0 || asset_find_clip(&s.source, SCENES[index].clip, &s.clip) != 0) {
        bench_note(b, "%s: has no clip %s; left out", workload, SCENES[index].clip);
        asset_unload(&s.source);
        return;
    }
    hem_result result = open_stage(&s, b->frame_count);
    bool watched = result == HEM_OK && SCENES[index].skin_flags == 0 && seen_create_view(&s.seen, &s.source.view);
    double stretch_sum = 0, stretch_max = 0, deep = 0, crossed = 0;
    int64_t calls = 0;
    uint32_t substeps = 0;
    int32_t looks = 0;
    const int32_t length = b->warm_count + b->frame_count;
    for (int32_t n = 0; result == HEM_OK && n < b->turn_count * length; n++) {
        int32_t turn = n / length, i = n % length - b->warm_count;
        int64_t before = bench_allocation_count();
        uint64_t nanoseconds;
        bool restarts;
        float seconds = clip_time(&s, i + b->warm_count + 1, &restarts);
        if (restarts || (turn > 0 && n % length == 0)) {
            asset_pose(&s.source, s.clip, seconds, s.pose);
            hem_instance_set_pose(s.scene, s.id, s.pose, s.source.info.bone_count, 0);
            hem_instance_reset(s.scene, s.id);
        }
        result = play_frame(&s, seconds, SCENES[index].speed, SCENES[index].skin_flags, &nanoseconds);
        if (i < 0 || result != HEM_OK) {
            continue;
        }
        bench_keep_least(s.samples, i, turn, nanoseconds);
        if (turn > 0) {
            continue;
        }
        calls += bench_allocation_count() - before;
        if (i % 10 == 9) {
            hem_instance_stats stats;
            hem_step_report report;
            hem_instance_get_stats(s.scene, s.id, &stats);
            hem_scene_get_report(s.scene, &report);
            substeps = report.substep_count > substeps ? report.substep_count : substeps;
            stretch_sum += (double)stats.stretch_mean;
            stretch_max = (double)stats.stretch_max > stretch_max ? (double)stats.stretch_max : stretch_max;
            deep = (double)stats.penetrating_count > deep ? (double)stats.penetrating_count : deep;
            crossed += watched ? (double)count_crossed(&s) : 0;
            looks++;
        }
    }
    bench_result* r = result == HEM_OK ? bench_add(b, workload, "hem") : NULL;
    if (r != NULL) {
        const hem_asset_info* info = &s.source.info;
        r->times = bench_summarise(s.samples, b->frame_count);
        r->particle_count = (double)info->simulated_count;
        r->projection_count = (double)(info->link_count + info->group_count) * (double)substeps;
        r->bytes_per_particle = (double)(s.block_size + s.source.size) / (double)info->simulated_count;
        r->state_bytes_per_particle = (double)info->state_size / (double)info->simulated_count;
        r->allocations_per_frame = bench_allocation_count() >= 0 ? (double)calls / (double)b->frame_count : NAN;
        r->stretch_mean = looks > 0 ? stretch_sum / looks : NAN;
        r->stretch_max = stretch_max;
        r->deep = deep;
        r->crossed = watched && looks > 0 ? crossed / looks : NAN;
        r->lane_fill = (double)s.source.view.info->lane_fill;
        r->rate = 1000.0 / r->times.median_ms / SCENES[index].paper_fps;
        r->rate_unit = "x paper";
    } else if (result != HEM_OK) {
        bench_note(b, "%s: %s", workload, hem_result_text(result));
    }
    close_stage(&s);
}

void bench_run_scenes(bench* b) {
    for (int32_t i = 0; i < (int32_t)HEM_COUNT_OF(SCENES); i++) {
        char workload[48];
        snprintf(workload, sizeof(workload), "scene-%s%s", SCENES[i].name, SCENES[i].skin_flags ? "-dynamic" : "");
        if (bench_wants(b, workload)) {
            bench_progress(workload);
            run_scene(b, workload, i);
        }
    }
}
