// SPDX-License-Identifier: MIT
#include "tools/prove_sound.h"
#include "formats/hem_validate.h"
#include "platform/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A soak: frames of 1/240 to 1/10 s, any clip, roots that walk, turn and jump, colliders that come and go, tuning over its
// whole range. What was said is seeded, so that a finding comes again. Now and then the asset's own tuning and some seconds
// of rest, beside an instance that was put into the same pose just then: what is stretched more than there is stuck. (A pose
// may pinch cloth; that is no fault of the soak.)

#define STUCK_MEAN 0.1f   // of its length, more than in the one that was put there
#define STUCK_MOST 0.5f   // the same of the link that is stretched most
#define REST_SECONDS 6.0  // at 60 Hz
#define BACK_SECONDS 60.0 // more for what is still on its way: weak threads that hung 900 m long take 20 s to shrink
#define ON_ITS_WAY 0.5f   // m/s
#define FRAMES_A_REST 400 // between two rests

typedef struct soak {
    stage stage, fresh;
    uint32_t seed;
    int32_t clip;
    float clip_seconds;
    hem_root root;
    uint64_t frames;
    uint32_t not_finite, mended, refused, stuck, rests;
    double longest;                           // rest, seconds
    float mean, most, fresh_mean, fresh_most; // stretch in the worst rest, and of the fresh one then
} soak;

static float between(uint32_t* seed, float low, float high) {
    return low + (high - low) * (float)(0.5 + 0.5 * sound_random(seed));
}

// Mostly the ends of the range and what lies near them: small numbers by their size.
static float anywhere(uint32_t* seed, float low, float high) {
    switch (sound_choose(seed, 4)) {
    case 0:
        return low;
    case 1:
        return high;
    case 2:
        return between(seed, low, high);
    default:
        return low >= 0.0f ? low + (high - low) * powf(10.0f, -between(seed, 0.0f, 9.0f)) : between(seed, low, high);
    }
}

static void any_tuning(soak* s, hem_tuning* t) {
    uint32_t* r = &s->seed;
    const float longest = hem_longest(s->stage.source->view.info);
    for (int k = 0; k < 8; k++) {
        t->compliance[k] = anywhere(r, 0.0f, HEM_MAX_COMPLIANCE);
        t->link_damping[k] = anywhere(r, 0.0f, HEM_MAX_LINK_DAMPING);
        t->stiffness[k] = anywhere(r, 0.0f, 1.0f);
    }
    t->shape_compliance = anywhere(r, 0.0f, 1e9f);
    t->shape_stiffness = anywhere(r, 0.0f, 1.0f);
    t->tether_allowance = anywhere(r, 0.0f, 100.0f);
    t->gravity_scale = anywhere(r, -1e4f, 1e4f);
    t->damping = anywhere(r, 0.0f, 1e4f);
    t->angular_damping = anywhere(r, 0.0f, 1e4f);
    t->inner_damping = anywhere(r, 0.0f, 1e4f);
    t->solid_young = anywhere(r, 0.0f, 1e9f);
    t->solid_poisson = anywhere(r, 0.0f, 0.49f);
    t->stretch_limit = anywhere(r, 0.0f, 1e3f);
    t->drag = anywhere(r, 0.0f, 1e6f);
    t->lift = anywhere(r, 0.0f, 1e6f);
    t->friction = anywhere(r, 0.0f, 1.0f);
    t->restitution = anywhere(r, 0.0f, 1.0f);
    t->collision_thickness = anywhere(r, 0.0f, longest);
    t->self_thickness = anywhere(r, 0.0f, longest);
    t->contact_radius = anywhere(r, 0.0f, longest);
    t->max_speed = anywhere(r, 1e-6f, 1e6f);
    t->linear_inertia = anywhere(r, 0.0f, 1.0f);
    t->angular_inertia = anywhere(r, 0.0f, 1.0f);
    t->sleep_speed = anywhere(r, 0.0f, 1e6f);
    t->solver = sound_choose(r, 4);
    t->iterations = 1 + sound_choose(r, sound_choose(r, 8) == 0 ? HEM_MAX_ITERATIONS : 4);
}

static void say_tuning(soak* s, bool usual) {
    const uint32_t count = s->stage.source->info.part_count;
    hem_tuning tuning[HEM_MAX_PARTS];
    memcpy(tuning, s->stage.tuning, count * sizeof(*tuning));
    for (uint32_t p = 0; p < count && !usual; p++) {
        any_tuning(s, &tuning[p]);
    }
    s->refused += hem_instance_set_tuning(s->stage.scene, s->stage.id, tuning, count) != HEM_OK;
}

static void say_colliders(soak* s, uint32_t count) {
    const hem_asset_info* info = &s->stage.source->info;
    hem_collider all[8];
    for (uint32_t i = 0; i < count; i++) {
        hem_collider* c = &all[i];
        *c = hem_collider_default();
        c->kind = (hem_collider_kind)sound_choose(&s->seed, 4); // no hull
        c->bone =
            sound_choose(&s->seed, 2) && info->bone_count ? (int32_t)sound_choose(&s->seed, info->bone_count) : -1;
        for (int k = 0; k < 3; k++) {
            c->position[k] = (double)between(&s->seed, info->bounds_min[k] - 0.5f, info->bounds_max[k] + 0.5f);
            c->position[k] += c->bone < 0 ? s->root.position[k] : 0.0;
            c->size[k] = between(&s->seed, 0.0f, 0.4f);
        }
        if (c->kind == HEM_COLLIDER_PLANE) {
            c->size[0] = c->size[1] = c->size[2] = 0.0f;
        }
        c->friction = between(&s->seed, 0.0f, 1.0f);
        c->jumped = sound_choose(&s->seed, 2);
    }
    s->refused += hem_instance_set_colliders(s->stage.scene, s->stage.id, all, count) != HEM_OK;
}

static void say_root(soak* s, bool jump) {
    for (int k = 0; k < 3; k++) {
        s->root.position[k] += sound_random(&s->seed) * (jump ? 50.0 : 0.2);
    }
    float angle = between(&s->seed, -0.3f, 0.3f) * (jump ? 10.0f : 1.0f), length = 0.0f;
    s->root.rotation[1] += angle * s->root.rotation[3];
    s->root.rotation[3] -= angle * s->root.rotation[1];
    for (int k = 0; k < 4; k++) {
        length += s->root.rotation[k] * s->root.rotation[k];
    }
    for (int k = 0; k < 4; k++) {
        s->root.rotation[k] /= sqrtf(length);
    }
    s->refused += (jump && sound_choose(&s->seed, 2)
                       ? hem_instance_teleport(s->stage.scene, s->stage.id, &s->root, (int)sound_choose(&s->seed, 2))
                       : hem_instance_set_root(s->stage.scene, s->stage.id, &s->root)) != HEM_OK;
}

static void say_pose(soak* s, float seconds) {
    const asset* a = s->stage.source;
    if (a->view.clip_count == 0) {
        return;
    }
    s->clip_seconds += seconds;
    asset_pose(a, s->clip, s->clip_seconds, s->stage.pose);
    s->refused += hem_instance_set_pose(s->stage.scene, s->stage.id, s->stage.pose, a->info.bone_count, 0) != HEM_OK;
}

static void step(soak* s, float seconds) {
    const hem_step_args args = {seconds, 0};
    hem_step_report report;
    s->refused += hem_scene_step(s->stage.scene, &args) != HEM_OK;
    hem_scene_get_report(s->stage.scene, &report);
    s->mended += report.mended_count != 0;
    s->frames++;
}

static hem_instance_stats look(soak* s, const stage* at) {
    hem_instance_stats stats = {0};
    hem_instance_get_stats(at->scene, at->id, &stats);
    const float sum = stats.stretch_mean + stats.kinetic_energy + stats.speed_max + stats.center_of_mass[0] +
                      stats.center_of_mass[1] + stats.center_of_mass[2] + stats.penetration_max;
    s->not_finite += !isfinite(sum);
    return stats;
}

static void frame(soak* s) {
    const float seconds = expf(between(&s->seed, logf(1.0f / 240.0f), logf(0.1f)));
    const uint32_t what = sound_choose(&s->seed, 40);
    const float wind[3] = {between(&s->seed, -30.0f, 30.0f), 0.0f, between(&s->seed, -30.0f, 30.0f)};
    if (what == 0) {
        say_tuning(s, sound_choose(&s->seed, 3) == 0);
    } else if (what == 1) {
        say_colliders(s, sound_choose(&s->seed, 9));
    } else if (what == 2) {
        s->clip = (int32_t)sound_choose(&s->seed, s->stage.source->view.clip_count + 1u);
        s->clip = s->clip > 0 ? s->clip - 1 : 0;
        s->clip_seconds = between(&s->seed, 0.0f, 10.0f);
    } else if (what == 3) {
        hem_instance_set_wind(s->stage.scene, s->stage.id, wind);
    } else if (what == 4) {
        hem_instance_set_time_scale(s->stage.scene, s->stage.id, between(&s->seed, 0.0f, 2.0f));
    }
    say_root(s, what == 5);
    say_pose(s, seconds);
    step(s, seconds);
    if (s->frames % 16 == 0) {
        look(s, &s->stage);
    }
}

// The asset's own tuning, nothing in the way, and a pose that is held: it must hang as the fresh one does.
static void rest(soak* s) {
    static const float no_wind[3] = {0.0f, 0.0f, 0.0f};
    const uint32_t bones = s->stage.source->view.clip_count != 0 ? s->stage.source->info.bone_count : 0;
    say_tuning(s, true);
    say_colliders(s, 0);
    hem_instance_set_wind(s->stage.scene, s->stage.id, no_wind);
    hem_instance_set_time_scale(s->stage.scene, s->stage.id, 1.0f);
    s->refused += hem_instance_teleport(s->fresh.scene, s->fresh.id, &s->root, 0) != HEM_OK;
    s->refused += bones && hem_instance_set_pose(s->fresh.scene, s->fresh.id, s->stage.pose, bones, 0) != HEM_OK;
    s->refused += hem_instance_reset(s->fresh.scene, s->fresh.id) != HEM_OK;
    hem_instance_stats now = {0}, fresh = {0};
    double seconds = 0.0;
    bool stuck = true;
    while (seconds < REST_SECONDS || (stuck && now.speed_max > ON_ITS_WAY && seconds < BACK_SECONDS)) {
        for (int i = 0; i < 60; i++) {
            step(s, 1.0f / 60.0f);
            stage_step(&s->fresh, 1.0 / 60.0);
        }
        seconds += 1.0;
        now = look(s, &s->stage);
        fresh = look(s, &s->fresh);
        stuck =
            !(now.stretch_mean < fresh.stretch_mean + STUCK_MEAN && now.stretch_max < fresh.stretch_max + STUCK_MOST);
    }
    s->longest = fmax(s->longest, seconds);
    s->rests++;
    s->stuck += stuck;
    if (now.stretch_max - fresh.stretch_max >= s->most - s->fresh_most) {
        s->mean = now.stretch_mean;
        s->most = now.stretch_max;
        s->fresh_mean = fresh.stretch_mean;
        s->fresh_most = fresh.stretch_max;
    }
}

void prove_soak(proof* p, const asset* a, double seconds) {
    soak s = {.seed = 1, .root = {{0, 0, 0}, {0, 0, 0, 1}}};
    const bool opened = sound_open(&s.stage, a), fresh = sound_open(&s.fresh, a);
    const uint64_t begin = hem_clock_nanoseconds();
    while (opened && fresh && (s.rests == 0 || (double)(hem_clock_nanoseconds() - begin) < seconds * 1e9)) {
        for (int i = 0; i < FRAMES_A_REST; i++) {
            frame(&s);
        }
        rest(&s);
    }
    if (s.rests == 0) {
        proof_unmeasured(p, "a scene", "it cannot be made", "%s: soak", a->path);
    } else {
        char reached[160];
        snprintf(reached, sizeof(reached),
                 "%u of %u rests, the longest %.0f s; worst stretch %.3f, most %.2f; fresh %.3f, %.2f; %llu frames",
                 s.stuck, s.rests, s.longest, (double)s.mean, (double)s.most, (double)s.fresh_mean,
                 (double)s.fresh_most, (unsigned long long)s.frames);
        proof_add(p, s.stuck == 0, "0", reached, "%s: stuck after a soak", a->path);
        snprintf(reached, sizeof(reached), "%u not finite, %u calls refused; %u steps mended", s.not_finite, s.refused,
                 s.mended);
        proof_add(p, s.not_finite + s.refused == 0, "0 not finite, 0 refused", reached, "%s: what a soak leaves",
                  a->path);
    }
    stage_close(&s.stage);
    stage_close(&s.fresh);
}
