// SPDX-License-Identifier: MIT
#include "tools/prove_fabrics.h"
#include "tools/player.h"
#include "tools/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Strands of characters that are shaken against body, cape and each other: how much longer their segments are than at rest, or than in
// the animated pose where that pulls them apart, the longest of each frame. Contacts come after strands are solved, and what they push
// apart has to be drawn together again.

typedef struct segment {
    uint32_t a, b; // particles
    float rest;
} segment;

typedef struct segments {
    segment* all;
    uint32_t count;
} segments;

static uint32_t slot_of(const hem_view* v, const hem_row_batch* batch, uint32_t k, uint32_t lane) {
    if (batch->form == HEM_FORM_STRANDS) {
        const hem_group_member* m = &v->row_members[batch->member_begin + k];
        return m->row * 8u + ((lane + m->rotate) & 7u);
    }
    return v->row_indices[batch->member_begin + k].index[lane];
}

static bool is_there(const hem_view* v, const hem_row_batch* batch, uint32_t k, uint32_t lane) {
    const uint32_t at = batch->member_begin + k;
    const uint32_t mask = batch->form == HEM_FORM_STRANDS ? v->row_members[at].lane_mask : v->row_indices[at].lane_mask;
    return (mask >> lane & 1u) != 0;
}

static float rest_of(const hem_view* v, const hem_row_batch* batch, uint32_t k, uint32_t lane) {
    if (batch->kind == HEM_KIND_CHAIN) {
        return v->chains[batch->payload + k].rest[lane];
    }
    const hem_rod* rod = &v->rods[batch->payload + k];
    return sqrtf(rod->edge[0][lane] * rod->edge[0][lane] + rod->edge[1][lane] * rod->edge[1][lane] +
                 rod->edge[2][lane] * rod->edge[2][lane]);
}

// Those that move, of rods and chains.
static segments find_segments(const hem_view* v) {
    segments found = {NULL, 0};
    found.all = malloc((8 * (size_t)v->info->particle_count + 1) * sizeof(segment));
    for (uint32_t i = 0; found.all != NULL && i < v->row_batch_count; i++) {
        const hem_row_batch* batch = &v->row_batches[i];
        if (batch->kind != HEM_KIND_ROD && batch->kind != HEM_KIND_CHAIN) {
            continue;
        }
        for (uint32_t n = 0; n < 8u * (batch->member_count - 1u); n++) {
            const uint32_t k = n / 8, lane = n % 8;
            if (is_there(v, batch, k + 1, lane)) {
                const segment s = {slot_of(v, batch, k, lane), slot_of(v, batch, k + 1, lane),
                                   rest_of(v, batch, k, lane)};
                const uint32_t held = v->particle_flags[s.a] & v->particle_flags[s.b];
                found.all[found.count] = s;
                found.count += s.rest > 0.0f && (held & HEM_PARTICLE_ANIMATED) == 0;
            }
        }
    }
    return found;
}

static double length_of(const hem_particle* all, const segment* s) {
    double square = 0.0;
    for (int32_t c = 0; c < 3; c++) {
        square += pow((double)all[s->b].position[c] - (double)all[s->a].position[c], 2);
    }
    return sqrt(square);
}

static double longest_now(const segments* s, const hem_particle* now, const hem_particle* posed) {
    double worst = 0.0;
    for (uint32_t i = 0; i < s->count; i++) {
        const double rest = fmax((double)s->all[i].rest, length_of(posed, &s->all[i]));
        worst = fmax(worst, length_of(now, &s->all[i]) / rest - 1.0);
    }
    return worst;
}

typedef struct shake {
    double worst, sum, deep;
    int32_t frames;
} shake;

enum { FRAMES = 240 };

static bool play_shake(player* run, stage* posed, const segments* s, hem_particle* room, shake* got) {
    const uint32_t particles = s->count != 0 ? posed->source->info.particle_count : 0;
    player_frame frame;
    bool going = particles != 0;
    for (; going && got->frames < FRAMES; got->frames++) {
        going =
            player_step(run, true, &frame) == 0 &&
            hem_instance_set_pose(posed->scene, posed->id, run->pose, posed->source->info.bone_count, 0) == HEM_OK &&
            hem_instance_reset(posed->scene, posed->id) == HEM_OK &&
            hem_instance_get_particles(posed->scene, posed->id, 0, particles, room) == HEM_OK;
        const double longest = going ? longest_now(s, run->puppet.particles, room) : 0.0;
        got->worst = fmax(got->worst, longest);
        got->deep = fmax(got->deep, (double)frame.stats.penetration_max);
        got->sum += longest;
    }
    return going;
}

static void prove_motion(proof* p, const asset* a, const char* who, const char* clip, float speed) {
    player_setup setup = player_setup_default(a);
    setup.settle_seconds = 0.5f;
    setup.velocity[2] = speed;
    player run;
    stage posed;
    shake got = {0};
    segments s = find_segments(&a->view);
    hem_particle* room = calloc((size_t)a->info.particle_count + 1, sizeof(*room));
    const bool opened =
        s.all != NULL && room != NULL && asset_find_clip(a, clip, &setup.clip) == 0 && player_begin(&run, &setup) == 0;
    const bool shown = opened && stage_open(&posed, a);
    if (shown && stage_add(&posed) && play_shake(&run, &posed, &s, room, &got)) {
        char reached[128];
        snprintf(reached, sizeof(reached), "%.2f and %.2f %%, %.1f mm into the body", 100.0 * got.sum / FRAMES,
                 100.0 * got.worst, 1000.0 * got.deep);
        proof_add(p, got.sum <= 0.03 * FRAMES && got.worst <= 0.1, "3 % in the mean, 10 % at most", reached,
                  "%s %s: longest segment of %u", who, clip, s.count);
    } else {
        proof_unmeasured(p, "lengths", "it could not be played", "%s %s: strands", who, clip);
    }
    if (shown) {
        stage_close(&posed);
    }
    if (opened) {
        player_end(&run);
    }
    free(room);
    free(s.all);
}

void prove_fabrics_strands(proof* p) {
    static const struct {
        const char *name, *clip;
        float speed;
    } shaken[] = {{"curls", "bounce", 0},     {"curls", "test", 0},     {"hair", "shake", 0},    {"hair", "test", 0},
                  {"cape_girl", "run", 3.0f}, {"cape_girl", "turn", 0}, {"cape_girl", "test", 0}};
    for (size_t i = 0; i < sizeof(shaken) / sizeof(shaken[0]); i++) {
        char group[64];
        asset a;
        snprintf(group, sizeof(group), "strands %s", shaken[i].name);
        if (!proof_wants(p, group) || !proof_sample(p, shaken[i].name, &a)) {
            continue;
        }
        prove_motion(p, &a, shaken[i].name, shaken[i].clip, shaken[i].speed);
        asset_unload(&a);
    }
}
