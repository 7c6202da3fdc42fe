// SPDX-License-Identifier: MIT
#include "tools/prove_lattice.h"
#include "tools/prove_tear.h"
#include "tools/player.h"

#include <math.h>
#include <string.h>

// The bear of jelly, shaken at random places until it tears, for as long as its reserve lasts and after, then whole again, until
// many particles have been split: what is drawn stays closed and finite, and nothing is taken beyond the reserve.

enum { TEARS = 2000, FRAMES_MAX = 4000, FRAMES_AFTER = 10 };

// Two balls of particles that are thrown apart.
typedef struct shake {
    float place[2][3], speed[3]; // m/s^2
    float radius;
} shake;

static void push(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                 uint32_t row_count) {
    const shake* s = user;
    (void)id, (void)velocity;
    for (uint32_t i = 0; i < row_count * 8; i++) {
        const float* x = position + (i >> 3) * 32 + (i & 7);
        for (int32_t n = 0; n < 2; n++) {
            const float d[3] = {x[0] - s->place[n][0], x[8] - s->place[n][1], x[16] - s->place[n][2]};
            if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < s->radius * s->radius) {
                for (uint32_t k = 0; k < 3; k++) {
                    acceleration[(i >> 3) * 24 + 8 * k + (i & 7)] += n == 0 ? s->speed[k] : -s->speed[k];
                }
            }
        }
    }
}

static float chance(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

typedef struct torn_run {
    uint32_t split, refused, resets, over; // particles; faces; how often made whole; frames with more than the reserve
    double open, unsound;
    bool failed;
} torn_run;

static void shake_apart(player* p, torn_run* r) {
    const asset* a = p->setup.source;
    uint32_t seed = 7, after = 0;
    shake s = {.radius = 0.15f};
    player_frame frame;
    hem_scene_set_force_field(p->scene, push, &s);
    for (int32_t f = 0; f < FRAMES_MAX && r->split < TEARS && !r->failed; f++) {
        for (uint32_t k = 0; k < 3; k++) {
            for (uint32_t n = 0; n < 2; n++) {
                const uint32_t at =
                    (uint32_t)(chance(&seed) * (float)a->view.info->particle_count) % a->view.info->particle_count;
                s.place[n][k] = k == 0 || n == 1 ? p->puppet.particles[at].position[k] : s.place[n][k];
            }
            s.speed[k] = 1500.0f * (chance(&seed) - 0.5f);
        }
        r->failed = player_step(p, false, &frame) != 0;
        const hem_event* events;
        uint32_t count = 0;
        hem_torn torn;
        hem_scene_get_events(p->scene, &events, &count, NULL);
        for (uint32_t i = 0; i < count; i++) {
            r->split += events[i].kind == HEM_EVENT_TORN ? events[i].value : 0;
            r->refused += events[i].kind == HEM_EVENT_TEAR_REFUSED ? events[i].value : 0;
            after += events[i].kind == HEM_EVENT_TEAR_REFUSED;
        }
        hem_instance_get_torn(p->scene, p->id, &torn);
        r->over += torn.spare_used > a->info.spare_count || torn.vertex_count > a->info.torn_vertex_capacity ||
                   torn.cap_index_count > a->info.torn_index_capacity;
        r->open = fmax(r->open, proof_open_edges(p));
        r->unsound = fmax(r->unsound, proof_unsound_vertices(p));
        if (after >= FRAMES_AFTER) { // some frames with the reserve used up, then from the beginning
            r->failed = r->failed || hem_instance_reset(p->scene, p->id) != HEM_OK;
            r->resets++;
            after = 0;
        }
    }
    hem_scene_set_force_field(p->scene, NULL, NULL);
}

void prove_lattice_tears(proof* p) {
    asset a;
    player jelly;
    torn_run r = {0};
    if (!proof_sample(p, "jelly", &a)) {
        return;
    }
    memset(&jelly, 0, sizeof(jelly));
    player_setup setup = player_setup_default(&a);
    r.failed = player_begin(&jelly, &setup) != 0;
    if (!r.failed) {
        hem_tuning t[HEM_MAX_PARTS];
        hem_instance_get_tuning(jelly.scene, jelly.id, t, sizeof(t));
        t[0].strain_limit = 0.3f;
        t[0].buckle_angle = 0.6f;
        hem_instance_set_tuning(jelly.scene, jelly.id, t, a.view.info->part_count);
        shake_apart(&jelly, &r);
    }
    if (r.failed) {
        proof_unmeasured(p, "2000 particles", "it cannot be played", "random tears");
    } else {
        proof_at_least(p, TEARS, r.split, "particles", "split at random places, made whole %u times", r.resets);
        proof_at_least(p, 1.0, r.refused, "faces", "that would have torn with the reserve used up");
        proof_at_most(p, 0.0, r.open, "edges", "open in any of these frames");
        proof_at_most(p, 0.0, r.unsound, "vertices", "no numbers in any of them");
        proof_at_most(p, 0.0, r.over, "frames", "with more particles, vertices or indices than there is room for");
    }
    player_end(&jelly);
    asset_unload(&a);
}
