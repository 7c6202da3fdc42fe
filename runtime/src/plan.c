// SPDX-License-Identifier: MIT
// What this step of an instance will do: whether anything, in how many substeps, with which numbers.

#include "runtime/src/step.h"

// What stands still: lengths are shares of hemi_derived.still.
#define STILL_TURN 1e-5f // of a quaternion
#define STILL_ROOT 0.1f  // the root stands in doubles, and everything goes with it

int hemi_targets_moved(const hemi_instance* instance, float still) {
    const hem_view* view = instance->view;
    HEM_ALIGN(32) float limit[sizeof(hemi_target_row) / sizeof(float)]; // of places, then of rotations
    for (uint32_t k = 0; k < sizeof(limit) / sizeof(float); ++k) {
        limit[k] = k < sizeof(hemi_row3) / sizeof(float) ? still : STILL_TURN;
    }
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const float* a = instance->target_prev[i].x.x;
        const float* b = instance->target_next[i].x.x;
        int moved = 0;
        for (uint32_t k = 0; k < sizeof(hemi_target_row) / sizeof(float); ++k) {
            float d = a[k] - b[k];
            moved |= !(d < limit[k]) | !(d > -limit[k]); // no early way out: the compiler makes vectors of it
        }
        if (moved) {
            return 1;
        }
    }
    return 0;
}

int hemi_root_moved(const hemi_input* input, const hemi_state* s, float still) {
    const double limit = (double)(STILL_ROOT * still);
    for (int k = 0; k < 3; ++k) {
        double d = s->root.position[k] - input->root.position[k];
        if (d > limit || d < -limit) {
            return 1;
        }
    }
    float dot = 0.0f;
    for (int k = 0; k < 4; ++k) {
        dot += s->root.rotation[k] * input->root.rotation[k];
    }
    return hem_absf(dot) < 0.9999999f;
}

// The spring to the pose as the rule of kernels/drive.inl, from its two roots: G = (1 - r1)(1 - r2).
static void tune_drive(const hem_tuning* t, float h, hemi_part_step* out) {
    if (!(t->drive > 0.0f)) { // what follows comes to the same, for three exponentials
        out->drive_keep = out->drive_fall = 1.0f;
        out->drive_pull = out->drive_stiff = 0.0f;
        return;
    }
    const float omega = 2.0f * HEM_PI * t->drive, ratio = t->drive_damping, y = ratio * omega * h;
    const float decay = hem_expf(-y);
    out->drive_keep = decay * decay;
    if (ratio < 1.0f) {
        // Beyond a quarter turn per substep there is no swing to be seen.
        const float half = hem_minf(0.5f * omega * h * hem_sqrtf(1.0f - ratio * ratio), 0.25f * HEM_PI);
        const float s = hem_sinf(half);
        out->drive_pull = (1.0f - decay) * (1.0f - decay) + 4.0f * decay * s * s;
    } else {
        const float z = omega * h * hem_sqrtf(ratio * ratio - 1.0f);
        out->drive_pull = (1.0f - hem_expf(z - y)) * (1.0f - hem_expf(-z - y));
    }
    out->drive_stiff = omega * omega * h * h;
    out->drive_fall = out->drive_stiff > 0.0f ? hem_minf(out->drive_pull / out->drive_stiff, 1.0f) : 1.0f;
}

static void tune_part(const hem_tuning* t, float mean_inverse_mass, float h, hemi_part_step* out) {
    out->damped_h = t->damping * h;
    out->damped_angular_h = t->angular_damping * h;
    out->keep = hem_expf(-out->damped_h);
    out->keep_angular = hem_expf(-out->damped_angular_h);
    out->drag = t->drag * h;
    out->lift = t->lift * h;
    out->max_speed = t->max_speed;
    out->damped = 0;
    for (int k = 0; k < 8; ++k) {
        out->alpha[k] = t->compliance[k] / (h * h);
        out->beta[k] = t->compliance[k] * t->link_damping[k] / h;
        out->stiffness[k] = t->stiffness[k];
        out->damped |= out->beta[k] > 0.0f;
    }
    tune_drive(t, h, out);
    out->tracking = t->tracking;
    out->rod_stiffness = hem_maxf(t->rod_stiffness, 1e-3f);
    // The share of 1/60 s as a compliance, so that a substep of any length is as stiff: with 1/60 s it is the share itself.
    const float reference = 1.0f / 60.0f, soft = t->region_alpha > 0.0f ? 1.0f / t->region_alpha - 1.0f : 0.0f;
    out->region_alpha = t->region_alpha > 0.0f ? 1.0f / (1.0f + soft * (reference / h) * (reference / h)) : 0.0f;
    out->region_damping = t->region_damping > 0.0f ? 1.0f - hem_expf(-t->region_damping * h) : 0.0f;
    out->region_width = t->region_width > 1 ? t->region_width : 1;
    out->tether_scale = 1.0f + t->tether_allowance;
    out->thickness = t->collision_thickness;
    out->self_thickness = t->self_thickness;
    out->contact_radius = t->contact_radius;
    out->friction = t->friction;
    out->restitution = t->restitution;
    out->solver = t->solver == HEM_SOLVER_FOLLOW ? HEM_SOLVER_XPBD : t->solver;
    out->follows = t->solver == HEM_SOLVER_FOLLOW;
    out->iterations = t->iterations;
    // Shape matching as a compliant constraint on the distance to the goal, with the part's mean inverse mass: one
    // share for all members, so that the group's centre of mass stays where it is.
    float w = mean_inverse_mass;
    out->shape = out->solver == HEM_SOLVER_XPBD ? w / (w + t->shape_compliance / (h * h)) : t->shape_stiffness;
}

// Frame times tremble, and a substep more or less moves whatever hangs. So the number stays as long as it will do: until
// substeps would be longer than LONGEST allows, or one less would do. 59.94 Hz is sixty to it.
#define LONGER 1.005f // times 1 / substep_hz: what a new number may begin with
#define LONGEST 1.05f // and what it is kept for

static uint32_t substeps_of(const hem_scene* scene, hemi_state* state, float hz, float dt) {
    const float wanted = dt * hz, last = (float)state->substep_count;
    if (state->substep_count == 0 || wanted > last * LONGEST || wanted <= (last - 1.0f) * LONGER ||
        state->substep_count > scene->substep_limit) {
        const float least = hem_minf(wanted / LONGER, (float)scene->substep_limit);
        const uint32_t whole = (uint32_t)least;
        state->substep_count = least <= 1.0f ? 1 : whole + ((float)whole < least ? 1u : 0u);
    }
    HEM_ASSERT(state->substep_count >= 1 && state->substep_count <= scene->substep_limit);
    return state->substep_count;
}

// Nor may the length of a substep tremble. What one pass leaves of the weight of a long cloth goes with its square, so a
// hem would go up and down with the frame times. A length that is nearly that of the step before comes nearer to it by a
// share; what a frame is longer or shorter by, others give back.
#define TREMBLES 0.005f  // of its length; more is another rate
#define FOLLOWS 0.03125f // share

static float even_length(hemi_state* state, float h) {
    const float off = h - state->h;
    state->h = hem_absf(off) < TREMBLES * h ? state->h + FOLLOWS * off : h;
    return state->h;
}

// Contacts come after every pass, but not more often than this in a substep, evenly: with 32 iterations they would take
// most of the time and change nothing that can be seen.
#define CONTACT_PASSES 4u

// Less than this is no time: a compliance over its square would be no number.
#define SHORTEST_SECONDS 1e-6f

void hemi_phase_plan(hemi_step* s) {
    const hem_scene* scene = s->scene;
    hemi_instance* instance = s->instance;
    const hem_view* view = instance->view;
    const uint32_t features = instance->input->features;
    hemi_given* given = instance->given;
    const hemi_pace* pace = hemi_pace_of(given ? given->level : HEM_LEVEL_FULL);
    s->seconds = scene->args.dt_seconds * instance->input->time_scale;
    if (given) {
        s->seconds += given->waited_seconds;
        given->waited_seconds = 0.0f;
        given->waited = 0;
    }
    if (hemi_stays_away(s)) {
        return;
    }
    s->moved = hemi_find_forces(s); // before the others: all of it is wanted
    hemi_follow_clips(s);
    s->moved = s->moved || hemi_targets_moved(instance, s->derived->still) ||
               hemi_root_moved(instance->input, instance->state, s->derived->still) || hemi_colliders_moved(s) ||
               hemi_ties_moved(s);
    hemi_wake_moved(s);
    s->awake = !instance->state->asleep && s->seconds >= SHORTEST_SECONDS;
    if (!s->awake) {
        return;
    }
    if (s->scratch->solve.region_owner != s->derived) { // sums of another asset's shape at rest
        s->scratch->solve.region_owner = s->derived;
        memset(s->scratch->solve.region_width, 0, view->lattice_count * sizeof(uint32_t));
    }
    s->light = (int)pace->light;
    const uint32_t n = scene->args.substeps
                           ? (scene->args.substeps + pace->light) >> pace->light
                           : substeps_of(scene, instance->state, scene->substep_hz * pace->hz, s->seconds);
    // A hitch loses time rather than stability: no substep is longer than a sixtieth of a second, or its level's thirtieth.
    s->substep_count = n;
    s->h = even_length(instance->state, hem_minf(s->seconds, (float)n / pace->slowest_hz) / (float)n);
    s->dt = s->h * (float)n;
    s->path = hemi_frame_follow(instance->input, instance->state, s->seconds, s->dt);
    // What may meet is looked for once per step, but at least 60 times a second: within a long frame contacts turn
    // particles to where nobody expected them.
    const uint32_t searches = (uint32_t)(s->dt * pace->searches_hz + 0.75f);
    s->search_count = searches < 1 ? 1 : searches > n ? n : searches;
    s->pass_count = 1;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        hemi_part_step* part = &s->scratch->solve.parts[p];
        tune_part(&instance->tuning[p], s->derived->mean_inverse_mass[p], s->h, part);
        part->spacing = view->parts[p].spacing;
        s->stretch |= instance->tuning[p].stretch_limit > 0.0f;
        s->air |= part->drag > 0.0f || part->lift > 0.0f;
        s->pass_count = part->iterations > s->pass_count ? part->iterations : s->pass_count;
        s->scratch->counters.work += (uint64_t)n * part->iterations * s->derived->pass_work[p];
    }
    s->contact_passes = s->pass_count < CONTACT_PASSES ? s->pass_count : CONTACT_PASSES;
    s->scratch->counters.work += (uint64_t)n * view->info->row_count;
    s->touch = (features & HEM_FEATURE_PARTICLE_CONTACTS) && s->derived->meets;
    const int bodies = s->touch && s->derived->body_row_count;
    const int colliders =
        (features & HEM_FEATURE_COLLIDERS) && s->derived->hung_parts && hemi_collider_total(s->scene, s->instance) != 0;
    s->untangle = (bodies || colliders) && (features & HEM_FEATURE_UNTANGLE);
}
