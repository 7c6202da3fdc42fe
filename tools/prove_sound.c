// SPDX-License-Identifier: MIT
#include "tools/prove_sound.h"
#include "tools/command.h"
#include "formats/hem_validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Soundness: nothing buzzes, nothing hangs, nothing is stuck, and whoever calls wrongly is told so.

bool sound_open(stage* s, const asset* a) {
    return stage_open(s, a) && stage_add(s);
}

double sound_random(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1.0;
}

uint32_t sound_choose(uint32_t* seed, uint32_t bound) {
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*seed >> 8) * bound >> 24);
}

// -- Frame times

#define REST_SECONDS 120.0 // in which it must have come to rest
#define REST_MOTION 2e-5   // metres a frame of a sixtieth second: rest
#define REST_FOR 4.0       // seconds of it: a fold that stands on end creeps before it topples, and rests only then
#define WATCH_SECONDS 6.0

typedef struct watched {
    stage s;
    hem_particle *then, *now;
} watched;

// A floor under the lowest vertex: some samples hang on nothing.
static bool lay_floor(stage* s) {
    const hem_view* view = &s->source->view;
    hem_collider ground = hem_collider_default();
    ground.kind = HEM_COLLIDER_PLANE;
    ground.friction = 0.6f;
    for (uint32_t v = 0; v < view->vertex_rest_count; v++) {
        ground.position[1] = fmin(ground.position[1], (double)view->vertex_rest[v].position[1]);
    }
    return hem_scene_set_colliders(s->scene, &ground, 1) == HEM_OK;
}

static bool watch_open(watched* w, const asset* a) {
    w->then = calloc(a->info.particle_count, sizeof(*w->then));
    w->now = calloc(a->info.particle_count, sizeof(*w->now));
    return sound_open(&w->s, a) && w->then != NULL && w->now != NULL && lay_floor(&w->s) &&
           hem_instance_set_features(w->s.scene, w->s.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP) == HEM_OK;
}

static void watch_close(watched* w) {
    free(w->then);
    free(w->now);
    stage_close(&w->s);
}

// One frame: metres that the particle that moves most goes in it.
static double watch_frame(watched* w, double seconds) {
    const uint32_t count = w->s.source->info.particle_count;
    stage_step(&w->s, seconds);
    hem_instance_get_particles(w->s.scene, w->s.id, 0, count, w->now);
    double most = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        double d2 = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            const double d = (double)(w->now[k].position[axis] - w->then[k].position[axis]);
            d2 += d * d;
        }
        most = fmax(most, sqrt(d2));
    }
    hem_particle* swap = w->then;
    w->then = w->now;
    w->now = swap;
    return most;
}

// The pose is held until nothing moves any more, for REST_FOR. From there on frame times tremble, and all that moves
// in a frame is buzz: nothing is taken off. Not a number when it does not come to rest.
static double buzz(const asset* a, double hz, double tremble, double* rested_seconds) {
    watched w;
    double most = NAN, frames = 0.0, still = 0.0;
    uint32_t seed = 3;
    if (watch_open(&w, a)) {
        while (still < REST_FOR * hz && frames < REST_SECONDS * hz) {
            still = watch_frame(&w, 1.0 / hz) * hz <= REST_MOTION * 60.0 ? still + 1.0 : 0.0;
            frames += 1.0;
        }
        if (still >= REST_FOR * hz) {
            most = 0.0;
            for (int i = 0; i < (int)(WATCH_SECONDS * hz); i++) {
                most = fmax(most, watch_frame(&w, (1.0 + tremble * sound_random(&seed)) / hz));
            }
        }
    }
    *rested_seconds = frames / hz;
    watch_close(&w);
    return most;
}

static void prove_buzz(proof* p, const asset* a) {
    const double rates[] = {60.0, 60000.0 / 1001.0, 120.0, 120000.0 / 1001.0};
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        double seconds;
        const double moved = buzz(a, rates[i], 0.001, &seconds);
        proof_at_most(p, 0.05, 1000.0 * moved, "mm", "%s: a frame at %.2f Hz +-0.1 %%, held and at rest after %.0f s",
                      a->path, rates[i], seconds);
    }
}

static void prove_rate(proof* p, const asset* a, double hz) {
    stage whole, less;
    if (sound_open(&whole, a) && sound_open(&less, a)) {
        hem_instance_set_features(whole.scene, whole.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        hem_instance_set_features(less.scene, less.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        double work[2] = {0, 0};
        uint32_t substeps[2] = {0, 0};
        for (int i = 0; i < 120; i++) {
            const hem_step_report x = stage_step(&whole, 1.0 / hz), y = stage_step(&less, 1.001 / hz);
            work[0] += (double)x.work_count;
            work[1] += (double)y.work_count;
            substeps[0] += x.substep_count;
            substeps[1] += y.substep_count;
        }
        char reached[128];
        snprintf(reached, sizeof(reached), "%.2f and %.2f substeps a frame, work %.4f", substeps[1] / 120.0,
                 substeps[0] / 120.0, work[1] / work[0]);
        proof_add(p, substeps[0] == substeps[1] && work[1] <= 1.01 * work[0], "as many substeps, work at most 1.01",
                  reached, "%s: %.2f Hz against %.0f", a->path, hz / 1.001, hz);
    }
    stage_close(&whole);
    stage_close(&less);
}

// -- Bad assets

#define HIGHEST 100.0 // times the work of a usual step

typedef struct cost {
    double work;    // eights of the dearest step
    double seconds; // of the processor, a step in the mean
} cost;

static cost cost_of(const asset* a, int steps) {
    stage s;
    cost c = {NAN, NAN};
    if (sound_open(&s, a)) {
        c.work = 0.0;
        const clock_t begin = clock();
        for (int i = 0; i < steps; i++) {
            c.work = fmax(c.work, (double)stage_step(&s, 1.0 / 60.0).work_count);
        }
        c.seconds = (double)(clock() - begin) / (double)CLOCKS_PER_SEC / steps;
    }
    stage_close(&s);
    return c;
}

// All lengths as long as the validator takes them, all masks, 32 iterations.
static void prove_bad(proof* p, const asset* a) {
    asset bad;
    if (asset_from_bytes(&bad, a->path, a->data, a->size) != COMMAND_OK) {
        proof_unmeasured(p, "a bad asset", "no memory", "%s", a->path);
        return;
    }
    hem_tuning* tuning = (hem_tuning*)(uintptr_t)bad.view.tuning;
    hem_part* parts = (hem_part*)(uintptr_t)bad.view.parts;
    for (uint32_t i = 0; i < bad.info.part_count; i++) {
        const float longest = hem_longest(bad.view.info);
        tuning[i].collision_thickness = tuning[i].self_thickness = tuning[i].contact_radius = longest;
        tuning[i].iterations = HEM_MAX_ITERATIONS;
        tuning[i].max_speed = 1e6f;
        parts[i].collision_mask = ~0u;
    }
    hem_view view;
    const bool taken = hem_validate(bad.data, bad.size, &view, NULL) == HEM_FORMAT_OK;
    const cost usual = cost_of(a, 60), worst = taken ? cost_of(&bad, 8) : (cost){NAN, NAN};
    char reached[128];
    snprintf(reached, sizeof(reached), "%.1f times a usual step's work; %.2f ms against %.2f, %.1f us a particle",
             worst.work / usual.work, 1e3 * worst.seconds, 1e3 * usual.seconds,
             1e6 * worst.seconds / a->info.particle_count);
    proof_add(p, worst.work <= HIGHEST * usual.work, "at most 100 times a usual step's", reached,
              "%s: worst step when bad", a->path);
    tuning[0].collision_thickness = 1e4f;
    proof_add(p, hem_validate(bad.data, bad.size, &view, NULL) != HEM_FORMAT_OK, "refused", "refused by the validator",
              "%s: thickness of 10 km", a->path);
    asset_unload(&bad);
}

// -- The proof

static void prove_one(proof* p, const char* name, asset* a, void* user) {
    (void)user;
    char group[128];
    snprintf(group, sizeof(group), "buzz/%s", name);
    if (proof_wants(p, group)) {
        prove_buzz(p, a);
    }
    snprintf(group, sizeof(group), "rate/%s", name);
    if (proof_wants(p, group)) {
        prove_rate(p, a, 60.0);
        prove_rate(p, a, 120.0);
    }
    snprintf(group, sizeof(group), "bad/%s", name);
    if (proof_wants(p, group)) {
        prove_bad(p, a);
    }
    snprintf(group, sizeof(group), "soak/%s", name);
    if (proof_wants(p, group)) {
        prove_soak(p, a, p->seconds);
    }
}

void prove_sound(proof* p) {
    proof_each_sample(p, prove_one, NULL);
    asset a;
    if (proof_wants(p, "misuse") && proof_sample(p, "cape_girl", &a)) {
        prove_misuse(p, &a);
        asset_unload(&a);
    }
}
