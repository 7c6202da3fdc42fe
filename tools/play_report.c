// SPDX-License-Identifier: MIT
#include "tools/play.h"
#include "tools/command.h"
#include "tools/json.h"
#include "platform/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A run in numbers, for people and for scripts.

typedef struct summary {
    float stretch_mean, stretch_max, penetration_max, energy_max, speed_max;
    uint32_t penetrating_max;
    float step_mean, step_median, step_max, skin_mean;
    uint64_t dropped, clamped, mended, candidates, contacts;
} summary;

static summary summarise(const play_run* r) {
    summary s;
    memset(&s, 0, sizeof(s));
    int32_t count = r->frame_count - 1; // frame 0 only stands there
    float* costs = malloc(sizeof(float) * (size_t)(count > 0 ? count : 1));
    for (int32_t i = 1; i < r->frame_count; i++) {
        const player_frame* f = &r->frames[i];
        s.stretch_mean += f->stats.stretch_mean / (float)count;
        s.stretch_max = hem_maxf(s.stretch_max, f->stats.stretch_max);
        s.penetration_max = hem_maxf(s.penetration_max, f->stats.penetration_max);
        s.energy_max = hem_maxf(s.energy_max, f->stats.kinetic_energy);
        s.speed_max = hem_maxf(s.speed_max, f->stats.speed_max);
        s.penetrating_max =
            f->stats.penetrating_count > s.penetrating_max ? f->stats.penetrating_count : s.penetrating_max;
        s.step_mean += f->step_us / (float)count;
        s.skin_mean += f->skin_us / (float)count;
        s.step_max = hem_maxf(s.step_max, f->step_us);
        s.dropped += f->report.dropped_count;
        s.clamped += f->report.clamped_count;
        s.mended += f->report.mended_count;
        s.candidates += f->report.candidate_count;
        s.contacts += f->report.contact_count;
        if (costs != NULL) {
            costs[i - 1] = f->step_us;
        }
    }
    if (costs != NULL && count > 0) {
        qsort(costs, (size_t)count, sizeof(float), play_compare_floats);
        s.step_median = costs[count / 2];
    }
    free(costs);
    return s;
}

void play_print_json(const play* p) {
    const hem_info* info = p->source.view.info;
    json writer = {.out = stdout};
    json* j = &writer;
    json_begin(j, NULL, '{');
    json_text(j, "file", p->source.path);
    json_text(j, "clip", play_clip_name(p));
    json_number(j, "seconds", (double)p->seconds);
    json_number(j, "hz", (double)p->hz);
    json_begin(j, "particles", '{');
    json_integer(j, "simulated", info->simulated_count);
    json_integer(j, "attached", info->attached_count);
    json_integer(j, "body", info->body_count);
    json_end(j, '}');
    json_begin(j, "runs", '[');
    for (int32_t i = 0; i < p->run_count; i++) {
        const play_run* r = &p->runs[i];
        summary s = summarise(r);
        char hash[24];
        snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)r->hash);
        json_begin(j, NULL, '{');
        json_text(j, "name", r->kind != NULL ? r->kind->name : "on");
        json_text(j, "kernel", hem_kernel_name(r->kernel));
        json_integer(j, "frames", r->frame_count - 1);
        json_number(j, "stretch_mean", (double)s.stretch_mean);
        json_number(j, "stretch_max", (double)s.stretch_max);
        json_number(j, "penetration_max", (double)s.penetration_max);
        json_integer(j, "penetrating_max", s.penetrating_max);
        json_number(j, "kinetic_energy_max", (double)s.energy_max);
        json_number(j, "speed_max", (double)s.speed_max);
        json_begin(j, "step_us", '{');
        json_number(j, "mean", (double)s.step_mean);
        json_number(j, "median", (double)s.step_median);
        json_number(j, "max", (double)s.step_max);
        json_end(j, '}');
        json_number(j, "skin_us_mean", (double)s.skin_mean);
        json_begin(j, "memory", '{');
        json_integer(j, "scene", (int64_t)r->scene_size);
        json_integer(j, "instance", p->source.info.instance_size);
        json_integer(j, "state", p->source.info.state_size);
        json_integer(j, "asset", (int64_t)p->source.size);
        json_end(j, '}');
        json_integer(j, "candidates_dropped", (int64_t)s.dropped);
        json_integer(j, "particles_clamped", (int64_t)s.clamped);
        json_integer(j, "particles_mended", (int64_t)s.mended);
        json_text(j, "state_hash", hash);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_end(j, '}');
}

void play_print_summary(const play* p) {
    char title[256];
    play_describe(p, title, sizeof(title));
    printf("%s, %.2f s: %u simulated, %u attached, %u body particles\n", title, (double)p->seconds,
           p->source.view.info->simulated_count, p->source.view.info->attached_count, p->source.view.info->body_count);
    for (int32_t i = 0; i < p->run_count; i++) {
        const play_run* r = &p->runs[i];
        summary s = summarise(r);
        if (r->kind != NULL) {
            printf("%s\n", r->kind->title);
        }
        printf("  stretch      mean %.2f%%, largest %.2f%%\n", (double)s.stretch_mean * 100.0,
               (double)s.stretch_max * 100.0);
        printf("  penetration  deepest %.2f mm, at most %u particles at once\n", (double)s.penetration_max * 1000.0,
               s.penetrating_max);
        printf("  motion       fastest %.2f m/s, most energy %.3g J\n", (double)s.speed_max, (double)s.energy_max);
        printf("  cost         %.1f us a step (median %.1f, worst %.1f), reading and skinning %.1f us, kernel %s\n",
               (double)s.step_mean, (double)s.step_median, (double)s.step_max, (double)s.skin_mean,
               hem_kernel_name(r->kernel));
        printf("  memory       %zu bytes for the scene, %u an instance, %u of state\n", r->scene_size,
               p->source.info.instance_size, p->source.info.state_size);
        printf("  state        %016llx\n", (unsigned long long)r->hash);
        if (s.dropped + s.clamped + s.mended > 0) {
            command_warn("%llu near pairs dropped, %llu particles slowed, %llu put back on the pose",
                         (unsigned long long)s.dropped, (unsigned long long)s.clamped, (unsigned long long)s.mended);
        }
    }
    const char* paths[3] = {p->strip_path, p->film_path, p->plot_path};
    for (int32_t i = 0; i < 3; i++) {
        if (paths[i] != NULL) {
            printf("wrote %s\n", paths[i]);
        }
    }
}
