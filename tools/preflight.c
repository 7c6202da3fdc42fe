// SPDX-License-Identifier: MIT
#include "tools/preflight.h"
#include "tools/command.h"
#include "tools/motion.h"
#include "tools/player.h"
#include "tools/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every clip is played at 60, 30 and 120 frames a second and looked at 30 times a second, at the same moments, so that the
// pose alone, the control, is measured once for all three. Each clip at each rate is judged by itself and a part is as good
// as in its worst one: what is right in fifty clips does not make up for the one that is wrong. Nor does a frame in which
// physics mends what the pose has wrong: what is more than by the pose is summed frame by frame.
//
// The length is bounded in frames, not in time, so that the grade is the same on every machine. Of clips that are longer
// than their share the fastest stretch is played.

#define FLOOR_SLACK 0.002f // of the character's size
#define BURIED_SHARE 0.2f  // of a part's triangles
// Of its height in the bind pose. Lower is sitting or lying; so is higher, where controls of the feet stay behind.
#define STANDING_SHARE 0.2f
// Of the mean height of its vertices in the bind pose: below it sits or lies, and what is under it has no place to hang.
#define LOW_SHARE 0.6f
enum { LOOK_HZ = 30, LOOKS_LEAST = 12, LOOKS_MOST = 4 * LOOK_HZ, LOOK_LIMIT = 600 };

static const float RATES[] = {60.0f, 30.0f, 120.0f};
enum { RATE_COUNT = sizeof(RATES) / sizeof(RATES[0]) };

// The least that each grade asks for. Shares of a part's own triangles, edges and length of edges; drift in sizes of the character, unrest in
// sizes a second.
typedef struct limits {
    char grade;
    float crossed, stretched, folded, drift, restless;
} limits;

static const limits LIMITS[] = {{'A', 0.01f, 0.005f, 0.02f, 0.35f, 0.01f},
                                {'B', 0.03f, 0.02f, 0.04f, 0.45f, 0.03f},
                                {'C', 0.07f, 0.05f, 0.08f, 0.6f, 0.06f},
                                {'D', 0.15f, 0.1f, 0.15f, 0.8f, 0.12f},
                                {'E', 0.3f, 0.2f, 0.25f, 1.2f, 0.25f}};
enum { LIMIT_B = 1 };

// Wind may carry what is held at one end this far, of its size: a long cape that flies is no fault.
#define SWING 1.5f

static char grade_of(const preflight_part* part, float size) {
    for (size_t i = 0; i < sizeof(LIMITS) / sizeof(LIMITS[0]); i++) {
        if (part->crossed_share <= LIMITS[i].crossed && part->stretched_share <= LIMITS[i].stretched &&
            part->folded_share <= LIMITS[i].folded && part->drift_max <= LIMITS[i].drift * size &&
            part->restless <= LIMITS[i].restless * size) {
            return LIMITS[i].grade;
        }
    }
    return 'F';
}

// One layer at one moment, by the pose alone.
typedef struct control {
    uint32_t crossed, stretched;
    float folded; // m
    bool buried;  // in the floor
} control;

typedef struct flight {
    preflight* out;
    const asset* source;
    seen_mesh mesh;
    float* posed; // vertices by the pose alone
    uint32_t triangles[SEEN_LAYERS_MAX];
    uint8_t part_of[SEEN_LAYERS_MAX]; // UINT8_MAX: not moved
    float worst[HEM_MAX_PARTS];       // of the moments so far: the largest share of a limit
    control alone[SEEN_LAYERS_MAX];   // now
    double total, total_alone;
    float ground; // height
    float* costs;
    size_t cost_count;
    int32_t calm_clip; // moves least, of those in which it stands if there are any; -1: none yet
    float calm_speed;
    bool calm_stands;
    float standing;               // mean height of the vertices above the ground in the bind pose
    bool low;                     // now: sits or lies
    bool blown;                   // the clip is one in which wind blows
    float reach[SEEN_LAYERS_MAX]; // m, size of what moves, in the bind pose
    float* last;                  // positions of the frame before
    float* joint;                 // of each bone, bind pose
} flight;

static uint32_t crossed_of(const seen_mesh* m, uint32_t layer) {
    uint32_t sum = 0;
    for (uint32_t other = 0; other < m->layer_count; other++) {
        sum += m->crossed[layer * m->layer_count + other];
    }
    return sum;
}

// Which layers the pose has in the floor: under somebody who lies on his back. Between floor and back there is no right place
// for a cape, and nobody sees it there: such moments are not judged.
static void find_buried(const flight* f, bool buried[SEEN_LAYERS_MAX]) {
    const seen_mesh* m = &f->mesh;
    const float floor_height = f->ground - FLOOR_SLACK * m->size;
    uint32_t below[SEEN_LAYERS_MAX] = {0};
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        bool under = false;
        for (size_t k = 0; k < 3 && m->triangle_moved[t]; k++) {
            under = under || f->posed[3 * (size_t)m->triangles[3 * (size_t)t + k] + 1] < floor_height;
        }
        below[m->triangle_layers[t]] += under;
    }
    for (uint32_t layer = 0; layer < m->layer_count; layer++) {
        buried[layer] = (float)below[layer] > BURIED_SHARE * (float)f->triangles[layer];
    }
}

static float mean_height(const flight* f, const float* positions) {
    double sum = 0.0;
    for (uint32_t v = 0; v < f->mesh.vertex_count; v++) {
        sum += (double)(positions[3 * (size_t)v + 1] - f->ground);
    }
    return (float)(sum / (f->mesh.vertex_count > 0 ? f->mesh.vertex_count : 1));
}

static uint32_t look_alone(flight* f, const float* pose) {
    seen_mesh* m = &f->mesh;
    seen_frame frame;
    asset_skin(f->source, pose, f->posed, NULL);
    seen_count(m, f->posed, NULL, &frame);
    bool buried[SEEN_LAYERS_MAX];
    find_buried(f, buried);
    f->low = mean_height(f, f->posed) < LOW_SHARE * f->standing;
    for (uint32_t layer = 1; layer < m->layer_count; layer++) {
        const seen_layer* l = &m->layers[layer];
        f->alone[layer] = (control){crossed_of(m, layer), l->stretched_count, l->folded_length, buried[layer]};
    }
    return frame.layers_crossed + frame.body_crossed;
}

// What is more than by the pose alone, as shares; adds to the run's parts and keeps the worst moment.
static void look(flight* f, const player* live, preflight_moment now, preflight_part* run) {
    seen_mesh* m = &f->mesh;
    seen_frame frame;
    seen_count(m, live->puppet.positions, f->posed, &frame);
    f->total += frame.layers_crossed + frame.body_crossed;
    for (uint32_t layer = 1; layer < m->layer_count; layer++) {
        const control* alone = &f->alone[layer];
        if (f->part_of[layer] == UINT8_MAX || alone->buried) {
            continue;
        }
        const seen_layer* l = &m->layers[layer];
        const uint32_t crossed = crossed_of(m, layer);
        const float more = crossed > alone->crossed ? (float)(crossed - alone->crossed) : 0.0f;
        const float longer =
            l->stretched_count > alone->stretched ? (float)(l->stretched_count - alone->stretched) : 0.0f;
        const float share = more / (float)f->triangles[layer];
        const float stretched = longer / (float)(l->edge_count > 0 ? l->edge_count : 1);
        const float folds = f->low ? 0.0f : fmaxf(l->folded_length - alone->folded, 0.0f);
        const float folded = l->fold_length > 0.0f ? folds / l->fold_length : 0.0f;
        preflight_part* part = &run[f->part_of[layer]];
        part->crossed_share += share;
        part->stretched_share += stretched;
        part->folded_share += folded;
        part->folded_peak = fmaxf(part->folded_peak, folded);
        part->crossed_peak = fmaxf(part->crossed_peak, share);
        part->stretched_peak = fmaxf(part->stretched_peak, stretched);
        part->stretch_max = fmaxf(part->stretch_max, l->stretch_max);
        const float drift = f->blown && l->drift_max <= SWING * f->reach[layer] ? 0.0f : l->drift_max;
        part->drift_max = fmaxf(part->drift_max, drift);
        const limits* b = &LIMITS[LIMIT_B];
        const float bad = fmaxf(fmaxf(share / b->crossed, folded / b->folded),
                                fmaxf(stretched / b->stretched, drift / (b->drift * m->size)));
        if (bad > f->worst[f->part_of[layer]]) {
            f->worst[f->part_of[layer]] = bad;
            f->out->parts[f->part_of[layer]].moment = now;
        }
    }
}

static player_setup setup_of(const flight* f, int32_t clip, float from, float hz) {
    player_setup setup = player_setup_default(f->source);
    setup.clip = clip;
    setup.from = from;
    setup.hz = hz;
    setup.settle_seconds = PREFLIGHT_SETTLE_SECONDS;
    return setup;
}

static bool wind_blows(const flight* f, int32_t clip) {
    const int32_t motion = clip - (int32_t)f->source->view.clip_count;
    bool blows = false;
    for (int32_t i = 0; motion >= 0 && i < (int32_t)(asset_clip_seconds(f->source, clip) * LOOK_HZ); i++) {
        float wind[3];
        motion_wind(motion, (float)i / LOOK_HZ, wind);
        blows = blows || v3_length(v3_load(wind)) > 0.0f;
    }
    return blows;
}

// At all rates side by side, so that the pose is looked at once.
static int play_clip(flight* f, int32_t clip, float from, int32_t looks, preflight_part (*runs)[HEM_MAX_PARTS]) {
    player live[RATE_COUNT];
    int32_t begun = 0;
    int code = 0;
    f->blown = wind_blows(f, clip);
    while (code == 0 && begun < RATE_COUNT) {
        player_setup setup = setup_of(f, clip, from, RATES[begun]);
        setup.settled = begun > 0 ? &live[0] : NULL;
        code = player_begin(&live[begun], &setup);
        begun += code == 0;
    }
    for (int32_t i = 0; code == 0 && i < looks; i++) {
        for (int32_t rate = 0; code == 0 && rate < RATE_COUNT; rate++) {
            player_frame frame;
            for (int32_t k = i > 0 ? (int32_t)RATES[rate] / LOOK_HZ : 1; code == 0 && k > 1; k--) {
                code = player_skip(&live[rate]);
            }
            code = code == 0 ? player_step(&live[rate], false, &frame) : code;
            if (code != 0) {
                break;
            }
            if (rate == 0) {
                f->total_alone += RATE_COUNT * look_alone(f, live[0].pose);
            }
            look(f, &live[rate], (preflight_moment){clip, from, frame.seconds, RATES[rate]}, runs[rate]);
            f->costs[f->cost_count++] = frame.step_us + frame.skin_us;
            f->out->frame_count++;
            f->out->mended += frame.report.mended_count;
        }
    }
    while (begun > 0) {
        player_end(&live[--begun]);
    }
    return code;
}

// The worst of what a part has shown.
static void keep_worst(flight* f, int32_t looks, preflight_part* run, preflight_clip* judged) {
    for (int32_t i = 0; i < f->out->part_count; i++) {
        preflight_part* part = &f->out->parts[i];
        run[i].crossed_share /= (float)looks;
        run[i].stretched_share /= (float)looks;
        run[i].folded_share /= (float)looks;
        const char grade = grade_of(&run[i], f->mesh.size);
        if (grade > judged->grade) {
            judged->grade = grade;
            judged->part = (uint8_t)i;
        }
        part->crossed_share = fmaxf(part->crossed_share, run[i].crossed_share);
        part->stretched_share = fmaxf(part->stretched_share, run[i].stretched_share);
        part->folded_share = fmaxf(part->folded_share, run[i].folded_share);
        part->folded_peak = fmaxf(part->folded_peak, run[i].folded_peak);
        part->crossed_peak = fmaxf(part->crossed_peak, run[i].crossed_peak);
        part->stretched_peak = fmaxf(part->stretched_peak, run[i].stretched_peak);
        part->stretch_max = fmaxf(part->stretch_max, run[i].stretch_max);
        part->drift_max = fmaxf(part->drift_max, run[i].drift_max);
        f->out->grade = grade > f->out->grade ? grade : f->out->grade;
        part->grade = grade > part->grade ? grade : part->grade;
    }
}

typedef struct clip_motion {
    float from;   // where the moments begin that move the joints most
    float speed;  // of all joints, mean of the clip
    float height; // from the lowest joint to the highest, mean
} clip_motion;

static clip_motion find_motion(const flight* f, int32_t clip, int32_t looks, float* pose) {
    const uint32_t bones = f->source->view.info->bone_count;
    const int32_t count = (int32_t)(asset_clip_seconds(f->source, clip) * LOOK_HZ) + 1;
    double all = 0.0, heights = 0.0;
    float* speed = calloc((size_t)count + 1, sizeof(float));
    vec3* was = calloc((size_t)bones + 1, sizeof(vec3));
    int32_t best = 0;
    double most = -1.0, sum = 0.0;
    for (int32_t i = 0; speed != NULL && was != NULL && i < count; i++) {
        asset_pose(f->source, clip, (float)i / LOOK_HZ, pose);
        float low = INFINITY, high = -INFINITY;
        for (uint32_t b = 0; b < bones; b++) {
            const float *m = pose + 12 * (size_t)b, *j = f->joint + 3 * (size_t)b;
            const vec3 at =
                v3(m[0] * j[0] + m[1] * j[1] + m[2] * j[2] + m[3], m[4] * j[0] + m[5] * j[1] + m[6] * j[2] + m[7],
                   m[8] * j[0] + m[9] * j[1] + m[10] * j[2] + m[11]);
            speed[i] += i > 0 ? v3_length(v3_sub(at, was[b])) : 0.0f;
            was[b] = at;
            low = fminf(low, at.y);
            high = fmaxf(high, at.y);
        }
        all += (double)speed[i];
        heights += bones > 0 ? (double)(high - low) : 0.0;
        sum += (double)speed[i] - (i >= looks ? (double)speed[i - looks] : 0.0);
        if (i >= looks - 1 && sum > most * 1.001) { // the earliest of equals
            most = sum;
            best = i - looks + 1;
        }
    }
    free(speed);
    free(was);
    return (clip_motion){(float)best / LOOK_HZ, (float)(all / count), (float)(heights / count)};
}

static float bind_height(const flight* f) {
    float low = INFINITY, high = -INFINITY;
    for (uint32_t b = 0; b < f->source->view.info->bone_count; b++) {
        low = fminf(low, f->joint[3 * (size_t)b + 1]);
        high = fmaxf(high, f->joint[3 * (size_t)b + 1]);
    }
    return fmaxf(high - low, 0.0f);
}

// -- Standing still

// After a second of the calmest clip in which it stands the pose is held, as a game's characters do for most of their time. What
// still moves at the end is unrest. Somebody who sits or lies on his cape leaves it no place to rest in.
static int stand_still(flight* f, int32_t clip) {
    const seen_mesh* m = &f->mesh;
    const float hz = 60.0f;
    player live;
    const player_setup setup = setup_of(f, clip, 0.0f, hz);
    int code = player_begin(&live, &setup);
    if (code != 0) {
        return code;
    }
    player_frame frame;
    for (int32_t i = 0; code == 0 && i <= 60; i++) {
        code = player_step(&live, false, &frame);
    }
    const hem_root root = {{0.0, 0.0, 0.0}, {0.0f, 0.0f, 0.0f, 1.0f}};
    const int32_t frames = (int32_t)(PREFLIGHT_HOLD_SECONDS * hz);
    float late[SEEN_LAYERS_MAX] = {0};
    int32_t settled[SEEN_LAYERS_MAX] = {0};
    for (int32_t i = 0; code == 0 && i < frames; i++) {
        memcpy(f->last, live.puppet.positions, sizeof(float) * 3 * m->vertex_count);
        code = player_drive(&live, &root, 1.0f / hz);
        if (code != 0 || puppet_read(&live.puppet, live.scene, live.id) != HEM_OK) {
            break;
        }
        double sums[SEEN_LAYERS_MAX] = {0.0};
        for (uint32_t v = 0; v < m->vertex_count; v++) {
            if (m->moved[v] > 0.0f) {
                const vec3 d = v3_sub(v3_load(live.puppet.positions + 3 * (size_t)v), v3_load(f->last + 3 * (size_t)v));
                sums[m->vertex_layers[v]] += (double)v3_dot(d, d);
            }
        }
        for (uint32_t layer = 1; layer < m->layer_count; layer++) {
            const uint32_t moved = m->layers[layer].moved_count;
            const float speed = (float)sqrt(sums[layer] / (moved > 0 ? moved : 1)) * hz;
            settled[layer] = speed > SEEN_SETTLED ? i + 1 : settled[layer];
            late[layer] = i >= frames - 30 ? fmaxf(late[layer], speed) : 0.0f;
        }
    }
    bool buried[SEEN_LAYERS_MAX];
    asset_skin(f->source, live.pose, f->posed, NULL);
    find_buried(f, buried);
    player_end(&live);
    for (uint32_t layer = 1; code == 0 && layer < m->layer_count; layer++) {
        if (f->part_of[layer] != UINT8_MAX && !buried[layer]) {
            preflight_part* part = &f->out->parts[f->part_of[layer]];
            part->restless = late[layer];
            part->settle_seconds = settled[layer] < frames ? (float)settled[layer] / hz : -1.0f;
            const preflight_part only = {.restless = late[layer]};
            const char grade = grade_of(&only, m->size);
            part->grade = grade > part->grade ? grade : part->grade;
        }
    }
    return code;
}

// -- All of it

static int compare_floats(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static void begin_parts(flight* f) {
    const seen_mesh* m = &f->mesh;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        f->triangles[m->triangle_layers[t]]++;
    }
    memset(f->part_of, 0xff, sizeof(f->part_of));
    vec3 low[SEEN_LAYERS_MAX], high[SEEN_LAYERS_MAX];
    for (uint32_t layer = 0; layer < m->layer_count; layer++) {
        low[layer] = v3(INFINITY, INFINITY, INFINITY);
        high[layer] = v3(-INFINITY, -INFINITY, -INFINITY);
    }
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        const uint32_t layer = m->vertex_layers[v];
        if (m->moved[v] > 0.0f) {
            const vec3 p = v3_load(m->rest + 3 * (size_t)v);
            low[layer] = v3(fminf(low[layer].x, p.x), fminf(low[layer].y, p.y), fminf(low[layer].z, p.z));
            high[layer] = v3(fmaxf(high[layer].x, p.x), fmaxf(high[layer].y, p.y), fmaxf(high[layer].z, p.z));
        }
    }
    for (uint32_t layer = 0; layer < m->layer_count; layer++) {
        f->reach[layer] = m->layers[layer].moved_count > 0 ? v3_length(v3_sub(high[layer], low[layer])) : 0.0f;
    }
    for (uint32_t layer = 1; layer < m->layer_count; layer++) {
        if (m->layers[layer].moved_count > 0 && f->triangles[layer] > 0) {
            f->part_of[layer] = (uint8_t)f->out->part_count;
            f->out->parts[f->out->part_count++] =
                (preflight_part){.name = asset_text(f->source, f->source->view.parts[layer - 1].name_offset),
                                 .grade = 'A',
                                 .moment = {.clip = -1}};
        }
    }
    for (uint32_t b = 0; b < f->source->view.info->bone_count; b++) {
        motion_joint(f->source, (int32_t)b, f->joint + 3 * (size_t)b);
    }
}

static int play_all(flight* f, int32_t first, int32_t last, const hemc_preflight* again, float* pose) {
    preflight* out = f->out;
    int32_t share = LOOK_LIMIT / (last - first);
    share = share > LOOKS_LEAST ? share : LOOKS_LEAST;
    share = share < LOOKS_MOST ? share : LOOKS_MOST;
    const float height = bind_height(f);
    int code = 0;
    for (int32_t clip = first; code == 0 && clip < last; clip++) {
        int32_t looks = (int32_t)(asset_clip_seconds(f->source, clip) * LOOK_HZ) + 1;
        looks = looks < share ? looks : share;
        const int32_t number = clip - first;
        const clip_motion motion = find_motion(f, clip, looks, pose);
        const bool stands = fabsf(motion.height - height) <= STANDING_SHARE * height;
        const bool calmer = stands == f->calm_stands ? motion.speed < f->calm_speed : stands;
        if (looks >= LOOKS_LEAST && (f->calm_clip < 0 || calmer)) {
            f->calm_clip = clip;
            f->calm_speed = motion.speed;
            f->calm_stands = stands;
        }
        if (again != NULL && number < HEMC_PREFLIGHT_CLIPS && again->clips[number].grade <= 'B') {
            continue;
        }
        preflight_clip judged = {clip, 'A', 0};
        preflight_part runs[RATE_COUNT][HEM_MAX_PARTS];
        memset(runs, 0, sizeof(runs));
        code = play_clip(f, clip, motion.from, looks, runs);
        for (int32_t rate = 0; code == 0 && rate < RATE_COUNT; rate++) {
            keep_worst(f, looks, runs[rate], &judged);
        }
        if (out->clip_count < HEMC_PREFLIGHT_CLIPS) {
            out->clips[out->clip_count] = judged;
        }
        out->clip_count++;
    }
    return code;
}

int preflight_run(preflight* out, const asset* a, const uint8_t* left_out, const hemc_preflight* again) {
    memset(out, 0, sizeof(*out));
    flight f = {.out = out, .source = a, .calm_clip = -1, .ground = player_ground_height(a)};
    const int32_t own = (int32_t)a->view.clip_count;
    // Without clips: the test motions, but not the row of all of them.
    const int32_t first = own > 0 ? 0 : 1, last = own > 0 ? own : asset_clip_count(a);
    const size_t bones = (size_t)a->view.info->bone_count + 1, vertices = (size_t)a->view.info->vertex_count + 1;
    if (!asset_has_preview(a)) {
        return command_fail(COMMAND_INPUT, "'%s' was compiled with --ship and has no triangles to measure", a->path);
    }
    f.costs = malloc(sizeof(float) * RATE_COUNT * (LOOK_LIMIT + LOOKS_LEAST * (size_t)(last - first)));
    f.last = malloc(sizeof(float) * 3 * vertices);
    f.joint = malloc(sizeof(float) * 3 * bones);
    float* pose = malloc(sizeof(float) * 12 * bones);
    f.posed = malloc(sizeof(float) * 3 * vertices);
    int code = COMMAND_OK;
    if (!seen_create_some(&f.mesh, &a->view, left_out) || f.costs == NULL || f.last == NULL || f.joint == NULL ||
        f.posed == NULL || pose == NULL) {
        code = command_fail(COMMAND_INTERNAL, "no memory to measure '%s'", a->path);
    }
    if (code == 0) {
        begin_parts(&f);
        f.standing = mean_height(&f, f.mesh.rest);
        out->grade = 'A';
        code = play_all(&f, first, last, again, pose);
    }
    if (code == 0) {
        code = stand_still(&f, f.calm_clip >= 0 ? f.calm_clip : first);
    }
    for (int32_t i = 0; i < out->part_count; i++) {
        out->parts[i].grade = out->mended > 0 ? 'F' : out->parts[i].grade;
        out->grade = out->parts[i].grade > out->grade ? out->parts[i].grade : out->grade;
    }
    const double frames = out->frame_count > 0 ? out->frame_count : 1;
    out->crossed = (float)(f.total / frames);
    out->crossed_alone = (float)(f.total_alone / frames);
    if (code == 0) {
        qsort(f.costs, f.cost_count, sizeof(float), compare_floats);
        out->step_us = f.cost_count > 0 ? f.costs[f.cost_count / 2] : 0.0f;
    }
    seen_destroy(&f.mesh);
    free(f.posed);
    free(f.costs);
    free(f.last);
    free(f.joint);
    free(pose);
    return code;
}

// -- In words

void preflight_advice(const preflight* f, const asset* a, char* text, size_t size) {
    text[0] = 0;
    const preflight_part* worst = NULL;
    for (int32_t i = 0; i < f->part_count; i++) {
        worst = worst == NULL || f->parts[i].grade > worst->grade ? &f->parts[i] : worst;
    }
    if (f->mended > 0) {
        snprintf(text, size, "%u particles left the numbers: it is too stiff or too light somewhere", f->mended);
        return;
    }
    if (worst == NULL || worst->grade <= 'A') {
        return;
    }
    // What its grade comes from speaks, not what is also wrong.
    const char crossed = grade_of(&(preflight_part){.crossed_share = worst->crossed_share}, 1.0f);
    const char stretched = grade_of(&(preflight_part){.stretched_share = worst->stretched_share}, 1.0f);
    const char folded = grade_of(&(preflight_part){.folded_share = worst->folded_share}, 1.0f);
    const char least = worst->grade > 'C' ? worst->grade : 'C';
    const preflight_moment* at = &worst->moment;
    char when[160] = "";
    if (at->clip >= 0) {
        snprintf(when, sizeof(when), ", worst in %.100s at %.2f s", asset_clip_name(a, at->clip), (double)at->seconds);
    }
    if (crossed >= least) {
        snprintf(text, size,
                 "\"%s\" goes through the body or another part%s (%.0f %% of its triangles in the mean of that clip): "
                 "raise \"thickness\", give it \"drive\" or \"max_distance\", or attach more of it",
                 worst->name, when, 100.0 * (double)worst->crossed_share);
    } else if (stretched >= least) {
        snprintf(
            text, size,
            "%.1f %% of the edges of \"%s\" are over 1.5 times their length, up to %.1f%s: a finer \"spacing\", or "
            "\"drive\" to keep it near the pose",
            100.0 * (double)worst->stretched_share, worst->name, (double)worst->stretch_max, when);
    } else if (folded >= least) {
        snprintf(text, size,
                 "\"%s\" lies crumpled%s (%.0f %% of its length of edges folded back in the mean of that clip): less "
                 "\"bend\", which makes it stiffer, or \"drive\" to keep it near the pose",
                 worst->name, when, 100.0 * (double)worst->folded_share);
    } else if (worst->grade > 'B' && worst->restless > 0.0f && worst->settle_seconds < 0.0f) {
        snprintf(text, size,
                 "\"%s\" still moves at %.0f mm/s after %.0f s of standing still: raise \"damping\", or a larger "
                 "\"thickness\" where it is squeezed",
                 worst->name, 1000.0 * (double)worst->restless, (double)PREFLIGHT_HOLD_SECONDS);
    } else if (worst->grade > 'B') {
        snprintf(text, size, "\"%s\" goes %.2f m from the pose%s: attach more of it, or give it \"drive\"", worst->name,
                 (double)worst->drift_max, when);
    }
}

bool preflight_fly(const hemc_flight* plan, hemc_preflight* out) {
    asset a;
    preflight f;
    memset(out, 0, sizeof(*out));
    if (asset_from_bytes(&a, plan->path, plan->bytes, plan->size) != 0) {
        return false;
    }
    if (preflight_run(&f, &a, plan->left_out, plan->again) != 0) {
        asset_unload(&a);
        return false;
    }
    out->grade = f.grade;
    preflight_advice(&f, &a, out->advice, sizeof(out->advice));
    out->clip_count = (uint32_t)f.clip_count;
    out->frame_count = (uint32_t)f.frame_count;
    out->crossed = f.crossed, out->crossed_alone = f.crossed_alone;
    out->step_us = f.step_us;
    for (int32_t i = 0; i < f.clip_count && i < HEMC_PREFLIGHT_CLIPS; i++) {
        hemc_preflight_clip* clip = &out->clips[i];
        snprintf(clip->name, sizeof(clip->name), "%s", asset_clip_name(&a, f.clips[i].clip));
        clip->grade = f.clips[i].grade;
        clip->part = f.clips[i].part;
    }
    for (int32_t i = 0; i < f.part_count; i++) {
        hemc_preflight_part* part = &out->parts[out->part_count++];
        const preflight_part* from = &f.parts[i];
        snprintf(part->name, sizeof(part->name), "%s", from->name);
        part->grade = from->grade;
        part->crossed_share = from->crossed_share;
        part->stretched_share = from->stretched_share;
        part->folded_share = from->folded_share;
        part->folded_peak = from->folded_peak;
        part->crossed_peak = from->crossed_peak;
        part->stretched_peak = from->stretched_peak;
        part->stretch_max = from->stretch_max;
        part->drift_max = from->drift_max;
        part->restless = from->restless;
        part->settle_seconds = from->settle_seconds;
        part->clip = from->moment.clip;
        snprintf(part->clip_name, sizeof(part->clip_name), "%s",
                 part->clip >= 0 ? asset_clip_name(&a, part->clip) : "");
        part->clip_from = from->moment.from;
        part->clip_seconds = from->moment.seconds;
        part->clip_hz = from->moment.hz;
    }
    asset_unload(&a);
    return true;
}
