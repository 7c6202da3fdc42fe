// SPDX-License-Identifier: MIT
#include "tools/preflight.h"
#include "tools/player.h"
#include "tools/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The number of frames is bounded, not the time, so that the grade is the same on every machine: many clips are each
// played for less. The clip with the worst moment is played again at 30 and 120 frames a second.

enum { FRAME_LIMIT = 1200, CLIP_FRAMES_LEAST = 24, CLIP_SECONDS_MOST = 4 };
#define SETTLE_SECONDS 0.5f

// The least that each grade asks for. Shares of a part's own triangles and edges; drift of the character's size.
typedef struct limits {
    char grade;
    float crossed, stretched, drift;
} limits;

static const limits LIMITS[] = {{'A', 0.01f, 0.005f, 0.35f},
                                {'B', 0.03f, 0.02f, 0.45f},
                                {'C', 0.07f, 0.05f, 0.6f},
                                {'D', 0.15f, 0.1f, 0.8f},
                                {'E', 0.3f, 0.2f, 1.2f}};

static char grade_of(const preflight_part* part, float size) {
    for (size_t i = 0; i < sizeof(LIMITS) / sizeof(LIMITS[0]); i++) {
        if (part->crossed_share <= LIMITS[i].crossed && part->stretched_share <= LIMITS[i].stretched &&
            part->drift_max <= LIMITS[i].drift * size) {
            return LIMITS[i].grade;
        }
    }
    return 'F';
}

typedef struct flight {
    preflight* out;
    const asset* source;
    watch seen;
    double crossed[SEEN_LAYERS_MAX]; // what is more than by the pose alone, sums
    double stretched[SEEN_LAYERS_MAX];
    double total, alone;
    float* costs;
    int32_t worst_clip;
} flight;

static int play_clip(flight* f, int32_t clip, float hz, int32_t frames) {
    player live;
    player_setup setup = player_setup_default(f->source);
    setup.clip = clip;
    setup.hz = hz;
    setup.settle_seconds = SETTLE_SECONDS;
    int code = player_begin(&live, &setup);
    if (code != 0) {
        return code;
    }
    preflight* out = f->out;
    for (int32_t i = 0; code == 0 && i < frames; i++) {
        player_frame frame;
        code = player_step(&live, false, &frame);
        if (code != 0) {
            break;
        }
        watch_frame(&f->seen, &live.puppet, live.pose, frame.seconds, i > 0 ? 1.0f / hz : 0.0f, &frame.seen,
                    &frame.alone);
        const uint32_t crossed = frame.seen.layers_crossed + frame.seen.body_crossed;
        const uint32_t alone = frame.alone.layers_crossed + frame.alone.body_crossed;
        if (crossed > alone && crossed - alone > out->worst_crossed) {
            out->worst_crossed = crossed - alone;
            out->worst_clip = asset_clip_name(f->source, clip);
            out->worst_seconds = frame.seconds;
            f->worst_clip = clip;
        }
        f->total += crossed;
        f->alone += alone;
        out->mended += frame.report.mended_count;
        f->costs[out->frame_count++] = frame.step_us + frame.skin_us;
    }
    player_end(&live);
    return code;
}

static int compare_floats(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static void grade_parts(flight* f) {
    preflight* out = f->out;
    const watch* w = &f->seen;
    const double frames = w->frame_count > 0 ? w->frame_count : 1;
    // Of what crosses, the share that is not the pose's own doing.
    const double added = f->total > 0.0 ? 1.0 - f->alone / f->total : 0.0;
    const uint32_t layers = w->mesh.layer_count;
    uint32_t triangles[SEEN_LAYERS_MAX] = {0};
    for (uint32_t t = 0; t < w->mesh.triangle_count; t++) {
        triangles[w->mesh.triangle_layers[t]]++;
    }
    out->grade = 'A';
    for (uint32_t layer = 1; layer < layers; layer++) {
        double crossed = 0.0;
        for (uint32_t other = 0; other < layers; other++) {
            crossed += w->crossed[layer * layers + other];
        }
        if (w->mesh.layers[layer].moved_count == 0 || triangles[layer] == 0) {
            continue;
        }
        preflight_part* part = &out->parts[out->part_count++];
        part->name = watch_layer_name(w, layer);
        part->crossed_share = (float)((added > 0.0 ? added : 0.0) * crossed / frames / triangles[layer]);
        part->stretched_share = (float)(w->layers[layer].stretched_share / frames);
        part->stretch_max = w->layers[layer].stretch_max;
        part->drift_max = w->layers[layer].drift_max;
        part->grade = out->mended > 0 ? 'F' : grade_of(part, w->mesh.size);
        out->grade = part->grade > out->grade ? part->grade : out->grade;
    }
    out->crossed = (float)(f->total / frames);
    out->crossed_alone = (float)(f->alone / frames);
    qsort(f->costs, (size_t)out->frame_count, sizeof(float), compare_floats);
    out->step_us = out->frame_count > 0 ? f->costs[out->frame_count / 2] : 0.0f;
}

int preflight_run(preflight* out, const asset* a) {
    memset(out, 0, sizeof(*out));
    out->worst_clip = "";
    flight f = {.out = out, .source = a, .worst_clip = -1};
    const int32_t own = (int32_t)a->view.clip_count;
    // Without clips: the test motions, but not the row of all of them.
    const int32_t first = own > 0 ? 0 : 1, last = own > 0 ? own : asset_clip_count(a);
    f.costs = malloc(sizeof(float) * (FRAME_LIMIT * 2 + CLIP_FRAMES_LEAST * (size_t)(last + 2)));
    int code = f.costs == NULL ? 70 : watch_begin(&f.seen, a);
    if (code != 0) {
        free(f.costs);
        return code;
    }
    int32_t share = FRAME_LIMIT / (last - first);
    share = share > CLIP_FRAMES_LEAST ? share : CLIP_FRAMES_LEAST;
    share = share < 60 * CLIP_SECONDS_MOST ? share : 60 * CLIP_SECONDS_MOST;
    for (int32_t clip = first; code == 0 && clip < last; clip++) {
        int32_t frames = (int32_t)(asset_clip_seconds(a, clip) * 60.0f) + 1;
        code = play_clip(&f, clip, 60.0f, frames < share ? frames : share);
        out->clip_count++;
    }
    const int32_t again = f.worst_clip >= 0 ? f.worst_clip : first;
    if (code == 0) {
        code = play_clip(&f, again, 30.0f, 60);
    }
    if (code == 0) {
        code = play_clip(&f, again, 120.0f, 120);
    }
    grade_parts(&f);
    watch_end(&f.seen);
    free(f.costs);
    return code;
}

void preflight_advice(const preflight* f, char* text, size_t size) {
    text[0] = 0;
    const preflight_part* worst = NULL;
    for (int32_t i = 0; i < f->part_count; i++) {
        worst = worst == NULL || f->parts[i].grade > worst->grade ? &f->parts[i] : worst;
    }
    if (f->mended > 0) {
        snprintf(text, size, "%u particles left the numbers: it is too stiff or too light somewhere", f->mended);
    } else if (worst != NULL && worst->grade > 'A') {
        const limits* b = &LIMITS[1];
        if (worst->crossed_share > b->crossed) {
            snprintf(text, size,
                     "\"%s\" goes through the body or another part, worst in %s at %.2f s (%u triangles): raise "
                     "\"thickness\", give it \"drive\" or \"max_distance\", or attach more of it",
                     worst->name, f->worst_clip, (double)f->worst_seconds, f->worst_crossed);
        } else if (worst->stretched_share > b->stretched) {
            snprintf(
                text, size,
                "%.1f %% of the edges of \"%s\" are over 1.5 times their length, up to %.1f: a finer \"spacing\", or "
                "\"drive\" to keep it near the pose",
                100.0 * (double)worst->stretched_share, worst->name, (double)worst->stretch_max);
        } else if (worst->grade > 'B') {
            snprintf(text, size, "\"%s\" goes %.2f m from the pose: attach more of it, or give it \"drive\"",
                     worst->name, (double)worst->drift_max);
        }
    }
}

bool preflight_bytes(const uint8_t* bytes, size_t size, const char* path, hemc_preflight* out) {
    asset a;
    preflight f;
    memset(out, 0, sizeof(*out));
    if (asset_from_bytes(&a, path, bytes, size) != 0) {
        return false;
    }
    if (preflight_run(&f, &a) != 0) {
        asset_unload(&a);
        return false;
    }
    out->grade = f.grade;
    preflight_advice(&f, out->advice, sizeof(out->advice));
    out->clip_count = (uint32_t)f.clip_count;
    out->frame_count = (uint32_t)f.frame_count;
    out->crossed = f.crossed, out->crossed_alone = f.crossed_alone;
    out->worst_seconds = f.worst_seconds;
    snprintf(out->worst_clip, sizeof(out->worst_clip), "%s", f.worst_clip);
    for (int32_t i = 0; i < f.part_count; i++) {
        hemc_preflight_part* part = &out->parts[out->part_count++];
        snprintf(part->name, sizeof(part->name), "%s", f.parts[i].name);
        part->grade = f.parts[i].grade;
        part->crossed_share = f.parts[i].crossed_share;
        part->stretched_share = f.parts[i].stretched_share;
        part->stretch_max = f.parts[i].stretch_max;
        part->drift_max = f.parts[i].drift_max;
    }
    asset_unload(&a);
    return true;
}
