// SPDX-License-Identifier: MIT
#include "tools/play.h"
#include "tools/command.h"
#include "tools/json.h"
#include "platform/math.h"

#include <math.h>
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

// -- On triangles

// Of the frames after the first, or of the pose alone in them.
static seen_summary summarise_seen(const play_run* r, bool alone) {
    int32_t count = r->frame_count - 1;
    seen_summary none;
    memset(&none, 0, sizeof(none));
    seen_frame* frames = malloc(sizeof(seen_frame) * (size_t)(count > 0 ? count : 1));
    if (frames == NULL || count < 1) {
        free(frames);
        return none;
    }
    for (int32_t i = 0; i < count; i++) {
        frames[i] = alone ? r->frames[i + 1].alone : r->frames[i + 1].seen;
    }
    seen_summary s = seen_summarise(frames, count);
    free(frames);
    return s;
}

static void json_value(json* j, const char* name, seen_value v) {
    json_begin(j, name, '{');
    json_number(j, "mean", (double)v.mean);
    json_number(j, "worst", (double)v.worst);
    json_integer(j, "frame", v.worst_frame + 1);
    json_end(j, '}');
}

static void json_seen_summary(json* j, const char* name, const seen_summary* s) {
    json_begin(j, name, '{');
    json_value(j, "layers_crossed", s->layers_crossed);
    json_value(j, "body_crossed", s->body_crossed);
    json_value(j, "layers_depth", s->layers_depth);
    json_value(j, "body_depth", s->body_depth);
    json_value(j, "layers_area", s->layers_area);
    json_value(j, "body_area", s->body_area);
    json_value(j, "stretched_share", s->stretched_share);
    json_value(j, "longest_edge", s->stretch);
    json_value(j, "torn", s->torn);
    json_value(j, "turned_share", s->turned_share);
    json_end(j, '}');
}

static void json_seen_pairs(json* j, const watch* w) {
    uint32_t layers = w->mesh.layer_count;
    json_begin(j, "pairs", '[');
    for (uint32_t i = 0; i < layers * layers; i++) {
        if (w->crossed[i] > 0.0) {
            json_begin(j, NULL, '{');
            json_text(j, "of", watch_layer_name(w, i / layers));
            json_text(j, "cut_by", watch_layer_name(w, i % layers));
            json_number(j, "crossed", w->crossed[i] / w->frame_count);
            json_number(j, "depth_max", (double)w->depths[i]);
            json_end(j, '}');
        }
    }
    json_end(j, ']');
    json_begin(j, "parts", '[');
    for (uint32_t i = 1; i < layers; i++) {
        if (w->mesh.layers[i].moved_count == 0) {
            continue;
        }
        const watch_layer* l = &w->layers[i];
        json_begin(j, NULL, '{');
        json_text(j, "part", watch_layer_name(w, i));
        json_integer(j, "edges", w->mesh.layers[i].edge_count);
        json_number(j, "stretched_share", l->stretched_share / w->frame_count);
        json_number(j, "stretched_worst", (double)l->stretched_worst);
        json_number(j, "longest_edge", (double)l->stretch_max);
        json_integer(j, "torn_worst", l->torn_worst);
        json_number(j, "drift_rms", l->drift_rms / w->frame_count);
        json_number(j, "drift_max", (double)l->drift_max);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void json_seen(json* j, const play_run* r) {
    seen_summary s = summarise_seen(r, false), alone = summarise_seen(r, true);
    json_begin(j, "seen", '{');
    json_integer(j, "triangles", r->seen.mesh.triangle_count);
    json_integer(j, "triangles_moved", r->seen.mesh.moved_triangle_count);
    json_integer(j, "pairs_crossed_at_rest", r->seen.mesh.rest_pair_count);
    json_number(j, "crossed_mean", (double)(s.layers_crossed.mean + s.body_crossed.mean));
    json_number(j, "crossed_alone_mean", (double)(alone.layers_crossed.mean + alone.body_crossed.mean));
    json_seen_summary(j, "physics", &s);
    json_seen_summary(j, "alone", &alone);
    json_value(j, "drift_rms", s.drift_rms);
    json_value(j, "drift_max", s.drift_max);
    // JSON's null where the pose never stands still.
    json_number(j, "jitter", s.jitter >= 0.0f ? (double)s.jitter : NAN);
    json_number(j, "settle_seconds", s.settle_seconds >= 0.0f ? (double)s.settle_seconds : NAN);
    json_seen_pairs(j, &r->seen);
    json_end(j, '}');
}

static void print_seen(const play_run* r) {
    seen_summary s = summarise_seen(r, false), alone = summarise_seen(r, true);
    printf(
        "  crossed      layers %.1f (worst %.0f), body %.1f (worst %.0f) triangles; by the pose alone %.1f and %.1f\n",
        (double)s.layers_crossed.mean, (double)s.layers_crossed.worst, (double)s.body_crossed.mean,
        (double)s.body_crossed.worst, (double)alone.layers_crossed.mean, (double)alone.body_crossed.mean);
    printf("  wrong side   layers %.1f mm deep, %.1f cm2; body %.1f mm, %.1f cm2 on average\n",
           (double)s.layers_depth.mean * 1e3, (double)s.layers_area.mean * 1e4, (double)s.body_depth.mean * 1e3,
           (double)s.body_area.mean * 1e4);
    printf("  edges        %.2f%% over 1.5 times their length, longest %.1f times; by the pose alone %.2f%% and %.1f\n",
           (double)s.stretched_share.mean * 100.0, (double)s.stretch.worst, (double)alone.stretched_share.mean * 100.0,
           (double)alone.stretch.worst);
    printf("  faces        %.2f%% turned against their normals; by the pose alone %.2f%%\n",
           (double)s.turned_share.mean * 100.0, (double)alone.turned_share.mean * 100.0);
    printf("  drift        %.1f mm rms from the pose, %.1f mm at most\n", (double)s.drift_rms.mean * 1e3,
           (double)s.drift_max.worst * 1e3);
    if (s.jitter >= 0.0f) {
        printf("  held pose    %.4f mm rms a frame", (double)s.jitter * 1e3);
        printf(s.settle_seconds >= 0.0f ? ", still after %.2f s\n" : ", not still\n", (double)s.settle_seconds);
    }
}

// -- All of it

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
        if (!p->unseen) {
            json_seen(j, r);
        }
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
        if (!p->unseen) {
            print_seen(r);
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
