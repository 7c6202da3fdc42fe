// SPDX-License-Identifier: MIT
// What is drawn of an instance that is not simulated in every frame.
//
// Each simulated step leaves a goal: where the particles are, as offsets from the pose. What is shown is an offset too, and
// goes to the goal in as many frames as there are to the next step: at half rate half of the way in each frame. So what
// is shown moves evenly, lies one frame behind at half rate and three at a quarter, and goes with its bones at every
// moment. (Going on with the velocities instead has no such delay, but shakes: the next step never ends there.) After a change
// of level the way is thirty frames long: longer substeps and cloth that is not kept off cloth hang a little differently.
// Frozen is a goal that stays. An instance that is simulated in every frame is shown as it is, `direct`, once its offsets
// have arrived.

#include "runtime/src/step.h"

#define ARRIVE_FRAMES 30u // after a change of level

static void keep_offsets(hemi_instance* instance) {
    const hem_info* info = instance->view->info;
    memcpy(instance->offset, instance->goal, info->row_count * sizeof(hemi_row3));
    memcpy(instance->offset_q, instance->goal_q, info->oriented_row_count * sizeof(hemi_row4));
}

static void show(const hem_scene* scene, hemi_instance* instance, float share, hemi_row4* x, hemi_row4* q) {
    const hemi_show_args args = {
        instance->view, instance->bones, instance->goal, instance->goal_q, instance->offset, instance->offset_q, x, q,
        share};
    scene->kernels->repose(&args);
}

static void show_room(const hem_scene* scene, hemi_instance* instance, float share) {
    show(scene, instance, share, instance->room_x, instance->room_q);
    instance->show_x = instance->room_x;
    instance->show_q = instance->room_q;
}

static void show_directly(hemi_instance* instance) {
    instance->show_x = instance->x;
    instance->show_q = instance->q;
}

void hemi_show_pose(hemi_instance* instance) {
    const hem_info* info = instance->view->info;
    show_directly(instance);
    if (!instance->given) {
        return;
    }
    memset(instance->goal, 0, info->row_count * sizeof(hemi_row3));
    memset(instance->goal_q, 0, info->oriented_row_count * sizeof(hemi_row4));
    for (uint32_t row = 0; row < info->oriented_row_count; ++row) {
        for (uint32_t i = 0; i < 8; ++i) {
            instance->goal_q[row].w[i] = 1.0f;
        }
    }
    keep_offsets(instance); // what lies there is saved too
    hemi_given* given = instance->given;
    given->direct = 1;
    given->show_left = 0;
    given->waited = 0;
    given->waited_seconds = 0.0f;
}

void hemi_show_again(hemi_instance* instance) {
    const int direct = !instance->given || instance->given->direct;
    instance->show_x = direct ? instance->x : instance->room_x;
    instance->show_q = direct ? instance->q : instance->room_q;
}

float hemi_blend_of(const hemi_instance* instance) {
    const float blend = instance->input->pose_blend;
    return instance->given ? blend * ((float)instance->given->blend / (float)HEMI_BLEND) : blend;
}

// From a shape that was kept to one that is simulated: at rest where it is shown, as of this pose.
void hemi_thaw(hemi_step* s) {
    hemi_instance* instance = s->instance;
    const hem_info* info = instance->view->info;
    hemi_given* given = instance->given;
    if (given->waited < HEMI_THAW_FRAMES) {
        return;
    }
    if (given->blend == 0) { // bones alone were seen: that is where they are
        hemi_place_on_pose(s->scene, instance);
        return;
    }
    if (given->direct) {
        keep_offsets(instance);
    }
    const hemi_show_args args = {instance->view,     instance->bones,  instance->offset,
                                 instance->offset_q, instance->offset, instance->offset_q,
                                 instance->x,        instance->q,      1.0f};
    s->scene->kernels->repose(&args);
    hemi_keep_targets(instance);
    memset(instance->v, 0, info->row_count * sizeof(hemi_row3));
    memset(instance->w, 0, info->oriented_row_count * sizeof(hemi_row3));
    memset(instance->caught, 0, info->particle_count);
    memset(instance->past, 0,
           (s->scene->collider_capacity + instance->view->collider_count) * sizeof(hemi_collider_past));
    hemi_wake(instance->state);
    given->show_left = 0;
    given->direct = 0;
    given->waited = 0;
    given->waited_seconds = 0.0f;
}

// Kept shapes go with the character. Others stay where they are in time: their next step begins where the last one ended
// and feels all that has happened since. (What a vehicle does is not felt, so the begin goes along.)
void hemi_wait(hemi_step* s) {
    hemi_instance* instance = s->instance;
    hemi_given* given = instance->given;
    hemi_state* state = instance->state;
    const float seconds = s->scene->args.dt_seconds * instance->input->time_scale;
    given->waited = given->waited < 255 ? given->waited + 1 : 255;
    if (given->level >= HEM_LEVEL_FROZEN) {
        if (seconds >= 1e-6f) {
            hemi_frame_follow(instance->input, state, seconds, seconds);
        }
        given->waited = 255;
        given->waited_seconds = 0.0f;
        hemi_keep_targets(instance);
        hemi_arrive(instance);
        return;
    }
    hemi_frame_carry(instance->input, state);
    given->waited_seconds = hem_minf(given->waited_seconds + seconds, 1.0f);
    ++state->step_count;
    state->pose_changed = 0;
}

// After a step, and in a frame without one.
void hemi_phase_show(hemi_step* s) {
    hemi_instance* instance = s->instance;
    hemi_given* given = instance->given;
    if (!given) {
        return;
    }
    const uint32_t period = given->level < HEM_LEVEL_FROZEN ? hemi_pace_of(given->level)->period : 1;
    if (s->awake) {
        const uint32_t fade = given->age < ARRIVE_FRAMES ? ARRIVE_FRAMES - given->age : 1;
        const uint32_t left = fade > period ? fade : period;
        if (given->direct && left > 1) {
            keep_offsets(instance); // what was shown a frame ago
        }
        s->scene->kernels->unpose(instance->view, instance->bones, instance->x, instance->q, instance->goal,
                                  instance->goal_q);
        given->show_left = left;
        given->direct = left == 1;
    } else if (given->direct && !given->turn) {
        keep_offsets(instance);
        given->direct = 0;
    }
    if (given->direct) {
        show_directly(instance);
        return;
    }
    if (given->level == HEM_LEVEL_POSE && given->blend == 0) {
        return; // nobody sees them
    }
    show_room(s->scene, instance, given->show_left ? 1.0f / (float)given->show_left : 1.0f);
    given->show_left -= given->show_left > 0;
}
