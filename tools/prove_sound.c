// SPDX-License-Identifier: MIT
#include "tools/prove_sound.h"
#include "tools/command.h"
#include "formats/hem_validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Soundness: nothing buzzes, nothing hangs, nothing is stuck, and whoever calls wrongly is told so.

bool sound_open(sound_stage* s, const asset* a) {
    *s = (sound_stage){.source = a};
    const hem_slot_def slot = {&a->handle, 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    hem_memory need;
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return false;
    }
    s->block = malloc(need.size + need.align);
    s->pose = malloc(sizeof(float) * 12 * ((size_t)a->info.bone_count + 1));
    s->tuning = malloc(sizeof(*s->tuning) * ((size_t)a->info.part_count + 1));
    if (s->block == NULL || s->pose == NULL || s->tuning == NULL) {
        return false;
    }
    uintptr_t at = ((uintptr_t)s->block + need.align - 1) / need.align * need.align;
    hem_instance_def one = hem_instance_def_default();
    one.asset = &a->handle;
    return hem_scene_init(&s->scene, &def, (void*)at, need.size) == HEM_OK &&
           hem_scene_add(s->scene, &one, &s->id) == HEM_OK &&
           hem_instance_get_tuning(s->scene, s->id, s->tuning, sizeof(*s->tuning) * a->info.part_count) == HEM_OK;
}

void sound_close(sound_stage* s) {
    free(s->block);
    free(s->pose);
    free(s->tuning);
}

double sound_random(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1.0;
}

uint32_t sound_choose(uint32_t* seed, uint32_t bound) {
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*seed >> 8) * bound >> 24);
}

static hem_step_report step(sound_stage* s, double seconds) {
    const hem_step_args args = {(float)seconds, 0};
    hem_step_report report = {0};
    hem_scene_step(s->scene, &args);
    hem_scene_get_report(s->scene, &report);
    return report;
}

// -- Frame times

#define SETTLE_SECONDS 12
#define WATCH_SECONDS 2

// Metres that the particle that moves most goes in a frame, the pose held, with frame times that tremble.
static double buzz(const asset* a, double hz, double tremble) {
    sound_stage s;
    double most = NAN;
    const uint32_t count = a->info.particle_count;
    hem_particle* then = malloc(count * sizeof(*then));
    hem_particle* now = malloc(count * sizeof(*now));
    if (sound_open(&s, a) && then != NULL && now != NULL) {
        uint32_t seed = 3;
        hem_instance_set_features(s.scene, s.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        most = 0.0;
        for (int i = 0; i < (int)((SETTLE_SECONDS + WATCH_SECONDS) * hz); i++) {
            step(&s, (1.0 + tremble * sound_random(&seed)) / hz);
            hem_instance_get_particles(s.scene, s.id, 0, count, now);
            for (uint32_t k = 0; k < count && i > (int)(SETTLE_SECONDS * hz); k++) {
                double d2 = 0.0;
                for (int axis = 0; axis < 3; axis++) {
                    double d = (double)(now[k].position[axis] - then[k].position[axis]);
                    d2 += d * d;
                }
                most = fmax(most, sqrt(d2));
            }
            memcpy(then, now, count * sizeof(*then));
        }
    }
    free(then);
    free(now);
    sound_close(&s);
    return most;
}

static void prove_buzz(proof* p, const asset* a) {
    const double rates[] = {60.0, 60000.0 / 1001.0, 120.0};
    for (int i = 0; i < 3; i++) {
        // What moves anyway goes farther in a longer frame; that is no buzz.
        const double still = buzz(a, rates[i], 0.0), moved = buzz(a, rates[i], 0.001) - 1.002 * still;
        proof_at_most(p, 0.05, moved <= 0.0 ? 0.0 : 1000.0 * moved, "mm",
                      "%s: added to a held pose (%.3f mm) at %.2f Hz +-0.1 %%", a->path, 1000.0 * still, rates[i]);
    }
}

static void prove_rate(proof* p, const asset* a, double hz) {
    sound_stage whole, less;
    if (sound_open(&whole, a) && sound_open(&less, a)) {
        hem_instance_set_features(whole.scene, whole.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        hem_instance_set_features(less.scene, less.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        double work[2] = {0, 0};
        uint32_t substeps[2] = {0, 0};
        for (int i = 0; i < 120; i++) {
            const hem_step_report x = step(&whole, 1.0 / hz), y = step(&less, 1.001 / hz);
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
    sound_close(&whole);
    sound_close(&less);
}

// -- Bad assets

#define HIGHEST 100.0 // times the work of a usual step

static double most_work(const asset* a, const asset* usual, double* ordinary, double* mended) {
    sound_stage s;
    double most = NAN;
    if (sound_open(&s, usual)) {
        for (int i = 0; i < 30; i++) {
            *ordinary = (double)step(&s, 1.0 / 60.0).work_count;
        }
    }
    sound_close(&s);
    if (sound_open(&s, a)) {
        most = 0.0;
        for (int i = 0; i < 8; i++) {
            const hem_step_report r = step(&s, 1.0 / 60.0);
            most = fmax(most, (double)r.work_count);
            *mended += r.mended_count != 0;
        }
    }
    sound_close(&s);
    return most;
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
    double ordinary = NAN, mended = 0.0;
    const bool taken = hem_validate(bad.data, bad.size, &view, NULL) == HEM_FORMAT_OK;
    const double most = taken ? most_work(&bad, a, &ordinary, &mended) : NAN;
    char reached[128];
    snprintf(reached, sizeof(reached), "%.1f times a usual step, %.1f eights a KiB of file", most / ordinary,
             most * 1024.0 / (double)bad.size);
    proof_add(p, most <= HIGHEST * ordinary, "at most 100 times a usual step", reached, "%s: worst step when bad",
              a->path);
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
