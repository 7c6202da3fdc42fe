// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_STEP_H
#define HEM_RUNTIME_STEP_H

// The phases of a step and what they hand on to each other.

#include "runtime/src/kernels/kernels.h"

// In the order in which they run. The search comes back within a long step (hemi_step.search_count). Limits come before
// contacts: what the painted distance from the pose allows may still not be inside of anything.
#define HEMI_PHASES_ALWAYS(X) X(plan) X(pose) // also when it sleeps or is paused
#define HEMI_PHASES_BEFORE(X) X(colliders)
#define HEMI_PHASES_SEARCH(X) X(search)
#define HEMI_PHASES_SUBSTEP_BEGIN(X) X(wrap) X(predict) X(animate) X(drive) X(continuous)
#define HEMI_PHASES_PASS(X) X(constrain) X(limit) X(contact) // once per iteration of the part that has most
#define HEMI_PHASES_SUBSTEP_END(X) X(stretch) X(velocity)
#define HEMI_PHASES_DRAWN(X) X(show) X(frames) X(skin) // also in a frame that a budget has no step for
#define HEMI_PHASES_AFTER(X) X(settle) X(raise) HEMI_PHASES_DRAWN(X)

#define HEMI_PHASES(X)                                                                                                 \
    HEMI_PHASES_ALWAYS(X)                                                                                              \
    HEMI_PHASES_BEFORE(X)                                                                                              \
    HEMI_PHASES_SEARCH(X)                                                                                              \
    HEMI_PHASES_SUBSTEP_BEGIN(X)                                                                                       \
    HEMI_PHASES_PASS(X)                                                                                                \
    HEMI_PHASES_SUBSTEP_END(X)                                                                                         \
    HEMI_PHASES_AFTER(X)

typedef enum hemi_phase {
#define HEMI_PHASE_ENUM(name) HEMI_PHASE_##name,
    HEMI_PHASES(HEMI_PHASE_ENUM)
#undef HEMI_PHASE_ENUM
        HEMI_PHASE_COUNT
} hemi_phase;

typedef struct hemi_frame_path { // of the root during the step
    hem_quat from, to;
    hem_vec3 way;  // that the particles feel; world axes
    hem_vec3 turn; // the same of the rotation, as a rotation vector in the character's axes
} hemi_frame_path;

typedef struct hemi_step {
    const hem_scene* scene;
    hemi_instance* instance; // of a coarser level while that takes the step
    hemi_instance* drawn;    // the finest, which everybody sees
    hemi_scratch* scratch;
    const hemi_derived* derived;
    const hem_profile_hooks* hooks; // NULL = nobody profiles
    hem_instance_id id;
    hemi_section* section; // of the worker; NULL = nobody shares
    // The plan
    int awake;
    int moved;     // pose, root or a collider, since the last step
    float seconds; // that pass for the character
    float dt;      // of them, those that are simulated
    float h;       // of one substep
    uint32_t substep_count, search_count, pass_count;
    uint32_t contact_passes; // of them, those after which contacts come
    hemi_frame_path path;
    int touch;    // particles against particles
    int untangle; // caught cloth is watched and led back
    int air;      // some part has drag or lift
    int stretch;  // some part has a limit of how long its threads grow
    int light;    // cloth is not kept off cloth
    int reframe;  // frame_q is of what was shown, not of x
    // Where it is
    uint32_t substep, pass;
    uint32_t search_begin, search_end; // the substeps before which the last search came and the next one comes
    float s0, s1;                      // shares of the step at the start and the end of the substep
    int chained;                       // instance->v still holds where the last substep began
    uint32_t finite;                   // all positions and speeds, when last looked at
} hemi_step;

#define HEMI_PHASE_DECLARE(name) void hemi_phase_##name(hemi_step* s);
HEMI_PHASES(HEMI_PHASE_DECLARE)
#undef HEMI_PHASE_DECLARE

HEM_INLINE hem_quat hemi_quat_of(const float q[4]) {
    return hem_quat_make(q[0], q[1], q[2], q[3]);
}

HEM_INLINE hem_vec3 hemi_vec3_of(const float v[3]) {
    return hem_vec3_make(v[0], v[1], v[2]);
}

// verify.c
const char* hemi_find_fault(const hemi_step* s, hemi_phase after); // what does not hold; NULL = all is well

// share.c
// Calls work for every item, here and on workers that are idle; `mine` is scratch of whoever does it.
void hemi_share(const hemi_step* s, uint32_t count, hemi_section_work work, void* user);
void hemi_help(hem_scene* scene, uint32_t worker, const uint32_t* others); // until that, atomic, is 0

// step.c
// next: who probably comes after it, to be fetched into the cache; NULL = nobody
void hemi_step_instance(const hem_scene* scene, hemi_instance* instance, const hemi_instance* next, uint32_t worker);

// frame.c
hemi_frame_path hemi_frame_follow(const hemi_input* input, hemi_state* state, float seconds, float dt);
void hemi_frame_carry(const hemi_input* input, hemi_state* state); // the ride of a frame without a step
// What a point fixed in the world does in the frame while the root goes from share s0 to s1 of its path, where it is
// turned by q1.
hemi_mat34 hemi_frame_motion(const hemi_frame_path* path, hem_quat q1, float s0, float s1, float linear, float angular);

// animate.c
void hemi_hold_row(hemi_instance* instance, const hemi_target_row* from, uint32_t row, uint32_t lanes);
int hemi_part_mode(const hem_view* view, const hemi_input* input, uint32_t part); // HEM_ANIMATE_*

// colliders.c
int hemi_colliders_moved(const hemi_step* s); // since they were last placed, also those on bones that move no particle
void hemi_place_colliders(hemi_step* s);      // for this substep

// forces.c
int hemi_find_forces(hemi_step* s); // that reach the instance; whether one of them keeps it awake
void hemi_add_forces(const hemi_step* s, hemi_row3* acceleration); // of this substep
const hemi_row3* hemi_find_air(const hemi_step* s, hem_vec3 wind); // how it moves in this substep; NULL = as the wind

// fullness.c
void hemi_keep_full(const hemi_step* s, hemi_row3* acceleration); // guides of hair that crowd go apart

// shelter.c
const float* hemi_find_shelter(const hemi_step* s, const float wind[3],
                               float share); // what is left of it, eight a row; NULL = all

// ties.c
int hemi_ties_moved(const hemi_step* s);                  // since the last step
void hemi_solve_ties(const hemi_step* s, uint32_t joint); // those that are joints, or those that are not
void hemi_keep_ties(hemi_instance* instance);             // their places are where the input has them

// clips.c
void hemi_follow_clips(hemi_step* s); // time passes, and targets of lattices that play are those of their clips

// tear.c
void hemi_tear(hemi_step* s); // after the step: cells that are too far from each other part

// damping.c
void hemi_damp_inner(hemi_step* s);     // before the step, of parts that have it
void hemi_resist_rolling(hemi_step* s); // after the step, of solids that lie on something

// stretch.c
void hemi_stretch_prepare(hemi_step* s);         // before contacts: where cloth is
void hemi_stretch_prepare_strands(hemi_step* s); // where they were solved

// untangle.c
void hemi_take_caught(hemi_step* s);    // before the step: those that are led back are immovable
void hemi_lead_caught(hemi_step* s);    // in a substep
void hemi_watch_strained(hemi_step* s); // after the last contacts: which links are too long
void hemi_watch_caught(hemi_step* s);   // after the step: who has arrived, and who is strained for how long
void hemi_shake_snagged(hemi_step* s);  // now and then: what is stretched may lie in a plane
void hemi_watch_astray(hemi_step* s);   // then: who came to rest on the wrong side of the body

// wraps.c
void hemi_solve_wraps(const hemi_step* s, uint32_t part);
// refine.c: thread_points of `to` are there, edge by edge.
void hemi_refine(const hemi_wrap_args* args, hem_refined* to, uint32_t thread_points);

// away.c
int hemi_stays_away(hemi_step* s); // it is far from the viewpoint, and nothing of it moves

// sleep.c
int hemi_hears(hemi_step* s); // whether what is in force has changed since the last step
void hemi_wake_moved(hemi_step* s);
void hemi_rest(hemi_step* s); // after the step: has it come to rest?

// show.c
#define HEMI_THAW_FRAMES 9    // without a step: it goes on from rest
void hemi_thaw(hemi_step* s); // before a step: has it been kept for so long?
void hemi_wait(hemi_step* s); // a frame without a step

// levels.c
void hemi_enter_level(hemi_step* s, hemi_instance* room); // before a step; room: where the level's instance lives
void hemi_leave_level(hemi_step* s, int stepped);
void hemi_place_level(hemi_step* s); // on the pose

// settle.c
void hemi_arrive(hemi_instance* instance); // pose and root are where the input has them

#endif
