// SPDX-License-Identifier: MIT
#include "tools/prove_seen.h"
#include "tools/command.h"
#include "platform/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every clip of every character: what crosses, with physics and by the pose alone, and what is stretched.

#define SETTLE_SECONDS 0.5f
#define LOOKS_HZ 20.0f // not every frame is looked at: the mean does not change and it takes a third of the time
#define LONGEST_SECONDS 6.0f
#define SHORTEST_SECONDS 3.0f

// -- Acts

bool act_begin(act* a, proof* p, const asset* source, int32_t clip) {
    memset(a, 0, sizeof(*a));
    player_setup setup = player_setup_default(source);
    setup.clip = clip;
    a->root = (hem_root){{0.0, 0.0, 0.0}, {0.0f, 0.0f, 0.0f, 1.0f}};
    bool made = watch_begin(&a->seen, source) == COMMAND_OK;
    made = made && player_begin(&a->live, &setup) == COMMAND_OK;
    if (!made) {
        proof_unmeasured(p, "a scene", "it could not be made", "%s", source->path);
        act_end(a);
    }
    return made;
}

bool act_step(act* a, float dt) {
    a->seconds += dt;
    return player_drive(&a->live, &a->root, dt) == COMMAND_OK;
}

bool act_clip(act* a, int32_t clip, float dt) {
    if (clip >= 0) {
        asset_pose(a->live.setup.source, clip, a->seconds + dt, a->live.pose);
    }
    return act_step(a, dt);
}

bool act_play(act* a, int32_t clip, float seconds) {
    bool going = true;
    for (int32_t i = 0; going && i < (int32_t)(seconds * PROVE_HZ + 0.5f); i++) {
        going = act_clip(a, clip, 1.0f / PROVE_HZ);
    }
    return going;
}

bool act_look(act* a, float frame_seconds, seen_frame* physics, seen_frame* alone) {
    if (puppet_read(&a->live.puppet, a->live.scene, a->live.id) != HEM_OK) {
        return false;
    }
    watch_frame(&a->seen, &a->live.puppet, a->live.pose, a->seconds, frame_seconds, physics, alone);
    return true;
}

void act_end(act* a) {
    if (a->live.setup.source != NULL) {
        player_end(&a->live);
    }
    if (a->seen.source != NULL) {
        watch_end(&a->seen);
    }
    memset(a, 0, sizeof(*a));
}

int32_t prove_clip(const asset* a, const char* name) {
    for (uint32_t i = 0; i < a->view.clip_count; i++) {
        if (strcmp(asset_text(a, a->view.clips[i].name_offset), name) == 0) {
            return (int32_t)i;
        }
    }
    return -1;
}

// -- A clip

typedef struct clip_run {
    seen_summary physics, alone;
    double hair_stretched; // mean share of the part called hair
    uint32_t hair_torn;    // most edges over 3 at once
    bool has_hair;
} clip_run;

static bool has_word(const char* text, const char* word) {
    for (; *text != 0; text++) {
        size_t i = 0;
        while (word[i] != 0 && (text[i] | 32) == word[i]) {
            i++;
        }
        if (word[i] == 0) {
            return true;
        }
    }
    return false;
}

float prove_clip_speed(const asset* a, const char* clip) {
    float high = 0.0f;
    for (uint32_t i = 0; i < a->view.info->vertex_count; i++) {
        high = fmaxf(high, a->view.vertex_rest[i].position[1]);
    }
    float speed = has_word(clip, "run") || has_word(clip, "gallop") ? 3.0f : has_word(clip, "walk") ? 1.3f : 0.0f;
    return speed * high / 1.7f;
}

// Who has no clip is led about: off at a walk, turned round in half a second, stopped.
static void lead_about(act* a, float seconds, float speed) {
    float turned = fminf(fmaxf(seconds - 1.0f, 0.0f) / 0.5f, 1.0f) * 3.14159265f;
    a->root.rotation[1] = sinf(0.5f * turned), a->root.rotation[3] = cosf(0.5f * turned);
    float share = fminf(seconds / 0.3f, 1.0f) * fminf(fmaxf((2.0f - seconds) / 0.3f, 0.0f), 1.0f);
    a->root.position[0] += (double)(speed * share * sinf(turned) / PROVE_HZ);
    a->root.position[2] += (double)(speed * share * cosf(turned) / PROVE_HZ);
}

static bool run_clip(proof* p, const asset* source, int32_t clip, float hz, clip_run* r) {
    enum { LOOKS_MAX = 200 };
    static const char* const none = "led about";
    const char* name = clip >= 0 ? asset_text(source, source->view.clips[clip].name_offset) : none;
    float length = clip >= 0 ? asset_clip_seconds(source, clip) : 0.0f, speed = prove_clip_speed(source, name);
    bool loops = clip >= 0 && (source->view.clips[clip].flags & HEM_CLIP_LOOPS) != 0;
    length = fminf(fmaxf(length, loops || clip < 0 ? SHORTEST_SECONDS : 0.5f), LONGEST_SECONDS);
    seen_frame physics[LOOKS_MAX], alone[LOOKS_MAX];
    act a;
    memset(r, 0, sizeof(*r));
    if (!act_begin(&a, p, source, clip)) {
        return false;
    }
    int32_t settle = (int32_t)(SETTLE_SECONDS * hz + 0.5f), count = (int32_t)(length * hz + 0.5f), looks = 0;
    int32_t between = (int32_t)(hz / LOOKS_HZ + 0.5f);
    bool going = true;
    for (int32_t i = 0; going && i < settle; i++) { // in the first pose, coming up to speed
        a.root.position[2] += (double)(speed * (float)(i + 1) / (float)settle / hz);
        going = player_drive(&a.live, &a.root, 1.0f / hz) == COMMAND_OK;
    }
    for (int32_t i = 0; going && i < count; i++) {
        if (clip < 0) {
            lead_about(&a, a.seconds, prove_clip_speed(source, "walk"));
        } else {
            a.root.position[2] += (double)(speed / hz);
        }
        going = act_clip(&a, clip, 1.0f / hz);
        if (going && i % between == between - 1 && looks < LOOKS_MAX) {
            going = act_look(&a, 0.0f, &physics[looks], &alone[looks]);
            looks++;
        }
    }
    r->physics = seen_summarise(physics, looks);
    r->alone = seen_summarise(alone, looks);
    for (uint32_t i = 1; i < a.seen.mesh.layer_count; i++) {
        if (has_word(watch_layer_name(&a.seen, i), "hair")) {
            r->has_hair = true;
            r->hair_stretched = a.seen.layers[i].stretched_share / (looks > 0 ? looks : 1);
            r->hair_torn = a.seen.layers[i].torn_worst;
        }
    }
    act_end(&a);
    if (!going) {
        proof_unmeasured(p, "a clip", "it could not be played", "%s %s", source->path, name);
    }
    return going;
}

static double crossed(const seen_summary* s) {
    return (double)s->layers_crossed.mean + (double)s->body_crossed.mean;
}

static void add_against_pose(proof* p, const char* who, const char* clip, const clip_run* r) {
    char aimed[64], reached[128];
    double alone = crossed(&r->alone), physics = crossed(&r->physics);
    snprintf(aimed, sizeof(aimed), "at most the pose's %.1f", alone);
    snprintf(reached, sizeof(reached), "%.1f (layers %.1f, body %.1f)", physics, (double)r->physics.layers_crossed.mean,
             (double)r->physics.body_crossed.mean);
    proof_add(p, physics <= alone + 0.05, aimed, reached, "%s %s: crossed", who, clip);
}

static void add_hair(proof* p, const char* who, const char* clip, const clip_run* r) {
    proof_at_most(p, 0.5, 100.0 * r->hair_stretched, "%", "%s %s: hair's edges over 1.5", who, clip);
    proof_at_most(p, 0.0, (double)r->hair_torn, "", "%s %s: hair's edges over 3, worst frame", who, clip);
}

static void add_clip(proof* p, const char* who, const asset* a, int32_t clip) {
    clip_run r;
    const char* name = clip >= 0 ? asset_text(a, a->view.clips[clip].name_offset) : "led about";
    if (!run_clip(p, a, clip, PROVE_HZ, &r)) {
        return;
    }
    add_against_pose(p, who, name, &r);
    bool girl = strncmp(who, "cape_girl", 9) == 0, tumbler = strcmp(who, "somersault") == 0;
    if (girl) {
        proof_at_most(p, 5.0, (double)r.physics.layers_crossed.mean, "", "%s %s: layers crossed", who, name);
    }
    if (girl || strcmp(who, "robe") == 0 || tumbler) {
        proof_at_most(p, 10.0, (double)r.physics.body_crossed.mean, "", "%s %s: body crossed", who, name);
    }
    if (tumbler) {
        proof_at_most(p, 40.0, (double)r.physics.body_crossed.worst, "", "%s %s: body crossed, worst frame", who, name);
    }
    if ((girl || strcmp(who, "hair") == 0) && r.has_hair) {
        add_hair(p, who, name, &r);
    }
}

static void add_clips(proof* p, const char* who, const asset* a) {
    for (uint32_t i = 0; i < a->view.clip_count; i++) {
        add_clip(p, who, a, (int32_t)i);
    }
    if (a->view.clip_count == 0) {
        add_clip(p, who, a, -1);
    }
}

static const char* const SAMPLES[] = {"cape_girl", "cape_girl_mesh", "robe",    "somersault", "hair",
                                      "curls",     "monster",        "octopus", "flag"};

static void prove_clips(proof* p) {
    for (size_t i = 0; i < sizeof(SAMPLES) / sizeof(SAMPLES[0]); i++) {
        char group[64];
        asset a;
        snprintf(group, sizeof(group), "clips/%s", SAMPLES[i]);
        if (proof_wants(p, group) && proof_sample(p, SAMPLES[i], &a)) {
            add_clips(p, SAMPLES[i], &a);
            asset_unload(&a);
        }
    }
}

// -- The same at other rates

static void add_rates(proof* p, const char* name, asset* a) {
    for (uint32_t i = 0; i < a->view.clip_count; i++) {
        clip_run r[3];
        static const float hz[3] = {60.0f, 30.0f, 120.0f};
        bool good = true;
        for (int32_t k = 0; good && k < 3; k++) {
            good = run_clip(p, a, (int32_t)i, hz[k], &r[k]);
        }
        for (int32_t k = 1; good && k < 3; k++) {
            char aimed[64], reached[64];
            double at60 = crossed(&r[0].physics), here = crossed(&r[k].physics);
            snprintf(aimed, sizeof(aimed), "%.1f within 20 %% (or 2)", at60);
            snprintf(reached, sizeof(reached), "%.1f", here);
            proof_add(p, fabs(here - at60) <= fmax(0.2 * at60, 2.0), aimed, reached, "%s %s: crossed at %g Hz", name,
                      asset_text(a, a->view.clips[i].name_offset), (double)hz[k]);
        }
    }
}

static void prove_rates(proof* p) {
    static const char* const names[] = {"cape_girl", "robe", "somersault", "hair", "monster"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char group[64];
        asset a;
        snprintf(group, sizeof(group), "rates/%s", names[i]);
        if (proof_wants(p, group) && proof_sample(p, names[i], &a)) {
            add_rates(p, names[i], &a);
            asset_unload(&a);
        }
    }
}

// -- Characters from elsewhere

static void prove_strangers(proof* p) {
    for (int32_t i = 0; i < PROOF_STRANGERS; i++) {
        char group[64];
        asset a;
        snprintf(group, sizeof(group), "shared/%s", proof_stranger_name(i));
        if (proof_wants(p, group) && proof_stranger(p, i, &a) != NULL) {
            add_clips(p, proof_stranger_name(i), &a);
            asset_unload(&a);
        }
    }
}

void prove_seen(proof* p) {
    prove_seen_stops(p);
    prove_clips(p);
    prove_seen_sheets(p);
    prove_seen_curls(p);
    prove_seen_strain(p);
    prove_seen_extremes(p);
    prove_rates(p);
    prove_strangers(p);
}
