// SPDX-License-Identifier: MIT
#include "tools/prove_seen.h"
#include "tools/command.h"
#include "platform/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The girl with the cape stops out of other clips, and comes back to herself after things that no animator meant.

#define DT (1.0f / PROVE_HZ)
#define FOREWARD_SECONDS 2.0f // in the clip before it stops
#define LATER_SECONDS 5.0f

// -- Stops

static bool run_stop(const asset* source, watch* seen, int32_t from, int32_t idle, float speed, float phase,
                     seen_frame* frame, seen_frame* alone) {
    player live;
    player_frame stepped;
    player_setup setup = player_setup_default(source);
    setup.clip = from;
    setup.settle_seconds = 0.5f;
    setup.velocity[2] = speed;
    setup.then_clip = idle;
    setup.then_seconds = FOREWARD_SECONDS + phase;
    bool going = player_begin(&live, &setup) == COMMAND_OK;
    if (!going) {
        return false;
    }
    float end = setup.then_seconds + PLAYER_STOP_SECONDS + LATER_SECONDS;
    for (int32_t i = 0; going && i <= (int32_t)(end * PROVE_HZ + 0.5f); i++) {
        going = player_step(&live, false, &stepped) == COMMAND_OK;
    }
    if (going) {
        watch_frame(seen, &live.puppet, live.pose, stepped.seconds, 0.0f, frame, alone);
    }
    player_end(&live);
    return going;
}

void prove_seen_stops(proof* p) {
    enum { PHASES = 8, LIMIT = 8 };
    static const struct {
        const char* clip;
        float speed;
    } list[] = {{"run", 3.0f}, {"walk", 1.3f}, {"turn", 0.0f}, {"jump", 0.0f}};
    asset source;
    if (!proof_wants(p, "stops") || !proof_sample(p, "cape_girl", &source)) {
        return;
    }
    watch seen;
    int32_t idle = prove_clip(&source, "idle");
    if (watch_begin(&seen, &source) != COMMAND_OK) {
        proof_unmeasured(p, "0 of 8", "no memory", "stops");
        asset_unload(&source);
        return;
    }
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        int32_t from = prove_clip(&source, list[i].clip), missed = 0, done = 0;
        double sum = 0.0, most = 0.0, pose = 0.0;
        for (int32_t k = 0; from >= 0 && idle >= 0 && k < PHASES; k++) {
            seen_frame frame, alone;
            float offset = asset_clip_seconds(&source, from) * (float)k / PHASES;
            if (run_stop(&source, &seen, from, idle, list[i].speed, offset, &frame, &alone)) {
                double crossed = (double)(frame.layers_crossed + frame.body_crossed);
                done++;
                missed += crossed > LIMIT;
                sum += crossed, most = fmax(most, crossed);
                pose = (double)(alone.layers_crossed + alone.body_crossed);
            }
        }
        char reached[128];
        snprintf(reached, sizeof(reached), "%d of %d (mean %.0f, most %.0f; pose alone %.0f)", missed, done,
                 sum / (done > 0 ? done : 1), most, pose);
        proof_add(p, missed == 0 && done == PHASES, "0 of 8", reached,
                  "cape_girl stops from %s: more than 8 crossed 5 s later", list[i].clip);
    }
    watch_end(&seen);
    asset_unload(&source);
}

// -- Extremes

typedef bool (*ordeal)(act* a, int32_t idle, float size);

static bool long_frames(act* a, int32_t idle, float dt, int32_t count) {
    bool going = true;
    for (int32_t i = 0; going && i < count; i++) {
        going = act_clip(a, idle, dt);
    }
    return going;
}

static bool frames_of_200_ms(act* a, int32_t idle, float size) {
    (void)size;
    return long_frames(a, idle, 0.2f, 15);
}

static bool frames_of_1_s(act* a, int32_t idle, float size) {
    (void)size;
    return long_frames(a, idle, 1.0f, 5);
}

static bool sudden_speed(act* a, int32_t idle, float size) {
    bool going = true;
    for (int32_t i = 0; going && i < 60; i++) {
        a->root.position[2] += (double)(10.0f * size * DT);
        going = act_clip(a, idle, DT);
    }
    return going;
}

static bool spin(act* a, int32_t idle, float size) {
    (void)size;
    bool going = true;
    for (int32_t i = 0; going && i < 120; i++) {
        float half = 0.5f * 20.0f * (float)(i + 1) * DT;
        a->root.rotation[1] = sinf(half), a->root.rotation[3] = cosf(half);
        going = act_clip(a, idle, DT);
    }
    return going;
}

static bool gale(act* a, int32_t idle, float size) {
    (void)size;
    static const float winds[4][3] = {
        {40.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 40.0f}, {-28.3f, 0.0f, -28.3f}, {0.0f, 0.0f, 0.0f}};
    bool going = true;
    for (int32_t i = 0; going && i < 4; i++) {
        going =
            hem_instance_set_wind(a->live.scene, a->live.id, winds[i]) == HEM_OK && (i == 3 || act_play(a, idle, 1.0f));
    }
    return going;
}

// Over in half a second, about the middle of the figure; held for two; and back.
static bool upside_down(act* a, int32_t idle, float size) {
    const float middle = 1.0f * size;
    bool going = true;
    for (int32_t i = 0; going && i < 180; i++) {
        float share = fminf(fminf((float)(i + 1), (float)(180 - i - 1)) / 30.0f, 1.0f), angle = share * 3.14159265f;
        a->root.rotation[2] = sinf(0.5f * angle), a->root.rotation[3] = cosf(0.5f * angle);
        a->root.position[0] = (double)(middle * sinf(angle));
        a->root.position[1] = (double)(middle - middle * cosf(angle));
        going = act_clip(a, idle, DT);
    }
    a->root.rotation[2] = 0.0f, a->root.rotation[3] = 1.0f;
    a->root.position[0] = a->root.position[1] = 0.0;
    return going;
}

static bool gravity_reversed(act* a, int32_t idle, float size) {
    (void)size;
    const float up[3] = {0.0f, 9.81f, 0.0f};
    return hem_instance_set_gravity(a->live.scene, a->live.id, up) == HEM_OK && act_play(a, idle, 2.0f) &&
           hem_instance_set_gravity(a->live.scene, a->live.id, NULL) == HEM_OK;
}

static bool run_for(act* a, int32_t idle, float seconds, float hz, float size) {
    const asset* source = a->live.setup.source;
    int32_t run = prove_clip(source, "run");
    bool going = run >= 0;
    (void)idle;
    for (int32_t i = 0; going && i < (int32_t)(seconds * hz + 0.5f); i++) {
        a->root.position[2] += (double)(3.0f * size / hz);
        going = act_clip(a, run, 1.0f / hz);
    }
    return going;
}

static bool minute_of_run(act* a, int32_t idle, float size) {
    return run_for(a, idle, 60.0f, 30.0f, size);
}

static bool short_run(act* a, int32_t idle, float size) {
    return run_for(a, idle, 2.0f, PROVE_HZ, size);
}

static bool felt_jump(act* a, int32_t idle, float size) {
    bool going = hem_instance_set_felt_limits(a->live.scene, a->live.id, 1e6f, 1e6f) == HEM_OK;
    a->root.position[0] += (double)(5.0f * size);
    return going && act_play(a, idle, 0.5f) &&
           hem_instance_set_felt_limits(a->live.scene, a->live.id, 60.0f, 200.0f) == HEM_OK;
}

static double distance_rms(const act* a, const act* b) {
    const seen_mesh* m = &a->seen.mesh;
    double sum = 0.0;
    for (uint32_t i = 0; i < 3 * m->vertex_count; i++) {
        double d = (double)a->live.puppet.positions[i] - (double)b->live.puppet.positions[i];
        sum += m->moved[i / 3] > 0.0f ? d * d : 0.0;
    }
    return sqrt(sum / (m->moved_count > 0 ? m->moved_count : 1));
}

// Two seconds of idle, the ordeal, four of idle; and one that stood in idle for as long.
static void add_ordeal(proof* p, const asset* source, const char* name, ordeal what, float size) {
    int32_t idle = prove_clip(source, "idle");
    act a, control;
    seen_frame frame, still;
    if (!act_begin(&a, p, source, idle)) {
        return;
    }
    if (!act_begin(&control, p, source, idle)) {
        act_end(&a);
        return;
    }
    bool going = act_play(&a, idle, 2.0f) && what(&a, idle, size) && act_play(&a, idle, 4.0f) &&
                 act_play(&control, idle, a.seconds) && act_look(&a, 0.0f, &frame, NULL) &&
                 act_look(&control, 0.0f, &still, NULL);
    if (going) {
        uint32_t crossed = frame.layers_crossed + frame.body_crossed, aim = still.layers_crossed + still.body_crossed;
        double rms = 1000.0 * distance_rms(&a, &control), limit = 20.0 * (double)size;
        char aimed[64], reached[128];
        snprintf(aimed, sizeof(aimed), "%.4g mm, crossed %u, edges %.2f %%", limit, aim,
                 100.0 * (double)still.stretched_share);
        snprintf(reached, sizeof(reached), "%.1f mm, crossed %u, edges %.2f %%", rms, crossed,
                 100.0 * (double)frame.stretched_share);
        bool ok = rms <= limit && (double)crossed <= fmax(1.2 * aim, aim + 8.0) &&
                  frame.stretched_share <= still.stretched_share + 0.001f;
        proof_add(p, ok, aimed, reached, "cape_girl after %s, against one that stood in idle", name);
    } else {
        proof_unmeasured(p, "as before", "it could not be played", "cape_girl after %s", name);
    }
    act_end(&control);
    act_end(&a);
}

// The recipe with its lengths at another size, as text: numbers behind the names of lengths are multiplied.
static char* scaled_recipe(const char* text, size_t size, float scale) {
    static const char* const lengths[] = {"\"radius\":",         "\"thickness\":", "\"max_distance\":", "\"backstop\":",
                                          "\"self_thickness\":", "\"spacing\":",   "\"near\":"};
    char* scaled = malloc(2 * size + 256);
    size_t used = 0, at = 0;
    bool opened = false;
    while (scaled != NULL && at < size) {
        size_t name = 0, count = sizeof(lengths) / sizeof(lengths[0]);
        while (name < count && strncmp(text + at, lengths[name], strlen(lengths[name])) != 0) {
            name++;
        }
        if (name < count) {
            char* end = NULL;
            double value = strtod(text + at + strlen(lengths[name]), &end);
            used += (size_t)sprintf(scaled + used, "%s %.9g", lengths[name], value * (double)scale);
            at = (size_t)(end - text);
            continue;
        }
        if (!opened && strncmp(text + at, "\"version\"", 9) == 0) {
            opened = true;
            used += (size_t)sprintf(scaled + used, "\"scale\": %.9g, ", (double)scale);
        }
        scaled[used++] = text[at++];
    }
    if (scaled != NULL) {
        scaled[used] = 0;
    }
    return scaled;
}

static bool scaled_sample(proof* p, const char* name, float scale, asset* a) {
    char glb[SAMPLE_PATH_MAX], recipe[SAMPLE_PATH_MAX], why[SAMPLE_PATH_MAX], path[512];
    hem_bytes file = {0};
    char* text = NULL;
    bool made = sample_find(&p->folders, name, glb, recipe, why) && hem_file_read(recipe, &file, NULL) &&
                hem_file_temp_name(path, sizeof(path), "hem_scaled");
    if (made) {
        char* ended = calloc(file.size + 1, 1);
        if (ended != NULL) {
            memcpy(ended, file.data, file.size);
            text = scaled_recipe(ended, file.size, scale);
        }
        free(ended);
        made = text != NULL && hem_file_write(path, text, strlen(text), 0, NULL);
    }
    if (made) {
        made = asset_load(a, glb, path) == COMMAND_OK;
        hem_file_remove(path, NULL);
        a->path = name;
    }
    hem_bytes_free(&file);
    free(text);
    return made;
}

void prove_seen_extremes(proof* p) {
    static const struct {
        const char* name;
        ordeal what;
        float size;
    } list[] = {
        {"frames of 200 ms", frames_of_200_ms, 1.0f},
        {"frames of 1 s", frames_of_1_s, 1.0f},
        {"10 m/s from nothing and to nothing", sudden_speed, 1.0f},
        {"a spin of 20 rad/s", spin, 1.0f},
        {"wind of 40 m/s from three sides", gale, 1.0f},
        {"being upside down", upside_down, 1.0f},
        {"gravity reversed", gravity_reversed, 1.0f},
        {"60 s of run at 30 Hz", minute_of_run, 1.0f},
        {"a jump of 5 m with felt limits off", felt_jump, 1.0f},
        {"a run at a tenth of the size", short_run, 0.1f},
        {"a run at ten times the size", short_run, 10.0f},
    };
    asset source;
    memset(&source, 0, sizeof(source));
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        char group[96];
        snprintf(group, sizeof(group), "extremes/%s", list[i].name);
        if (!proof_wants(p, group)) {
            continue;
        }
        asset_unload(&source);
        bool made = list[i].size == 1.0f ? proof_sample(p, "cape_girl", &source)
                                         : scaled_sample(p, "cape_girl", list[i].size, &source);
        if (made) {
            add_ordeal(p, &source, list[i].name, list[i].what, list[i].size);
        } else if (list[i].size != 1.0f) {
            proof_unmeasured(p, "as before", "it does not compile", "cape_girl after %s", list[i].name);
        }
    }
    asset_unload(&source);
}
