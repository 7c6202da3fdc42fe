// SPDX-License-Identifier: MIT
// What is drawn of an instance that is not simulated in every frame.
//
// Each simulated step leaves a goal: where the particles are, as offsets from the pose. What is shown is an offset too, and
// goes to the goal in as many frames as there are to the next step: at half rate half of the way in each frame. So what
// is shown moves evenly, lies one frame behind at half rate and three at a quarter, and goes with its bones at every
// moment. (Going on with the velocities instead has no such delay, but shakes: the next step never ends there.) After a change
// of level the way is thirty frames long: longer substeps and cloth that is not kept off cloth hang a little differently.
// Between levels of detail the way would be long, and shown as too little motion: there what is shown is what is simulated, and
// what it differed by at the change goes to nothing in small steps (hemi_fade_from_here).
// Frozen is a goal that stays. An instance that is simulated in every frame is shown as it is, `direct`, once its offsets
// have arrived.

#include "runtime/src/step.h"

#define ARRIVE_FRAMES 30u // after a change of level

static void keep_offsets(hemi_instance* instance) {
    const hem_info* info = instance->view->info;
    memcpy(instance->offset, instance->goal, info->row_count * sizeof(hemi_row3));
    memcpy(instance->offset_q, instance->goal_q, info->oriented_row_count * sizeof(hemi_row4));
}

// After a change of level of detail what is shown goes to what is simulated, as fast as it went before and by a step; in the end
// faster. So what the first steps of the other level do is spread over many frames. All particles of a part go by one share.
#define FADE_SPACINGS 0.010f // the step
#define FADE_FRAMES 80.0f    // after which it goes twice as fast
#define FADE_LIMIT 240u      // frames, after which it gets no faster
#define FADE_CALM 110u       // frames, after which what moves faster is motion: that begins to count
#define FADE_RISE 0.2f       // a frame

static hemi_show_args args_of(const hemi_instance* instance, float share) {
    return (hemi_show_args){.view = instance->view,
                            .bones = instance->bones,
                            .goal = instance->goal,
                            .goal_q = instance->goal_q,
                            .offset = instance->offset,
                            .offset_q = instance->offset_q,
                            .pace = instance->pace,
                            .pace_q = instance->pace_q,
                            .share = share};
}

static void show_room(const hem_scene* scene, hemi_instance* instance, float share) {
    hemi_show_args args = args_of(instance, share);
    args.x = instance->room_x;
    args.q = instance->room_q;
    if (instance->coarse && instance->coarse->fades) {
        const float age = (float)instance->coarse->fades / FADE_FRAMES;
        args.fade = instance->fade;
        args.fade_q = instance->fade_q;
        args.fade_step = FADE_SPACINGS * instance->view->info->spacing;
        args.fade_times = 1.0f + age * age;
        args.fade_rise = instance->coarse->fades > FADE_CALM ? FADE_RISE : 0.0f;
    }
    const uint32_t fades = scene->kernels->repose(&args);
    if (instance->coarse) {
        const uint32_t next = instance->coarse->fades + (instance->coarse->fades < FADE_LIMIT);
        instance->coarse->fades = fades ? next : 0;
    }
    instance->show_x = instance->room_x;
    instance->show_q = instance->room_q;
}

static void show_directly(hemi_instance* instance) {
    if (instance->coarse) { // how far it goes is from there
        memcpy(instance->room_x, instance->x, instance->view->info->row_count * sizeof(hemi_row4));
    }
    instance->show_x = instance->x;
    instance->show_q = instance->q;
}

// Of turns that fade, all is offset.
static void fold_turns(hemi_instance* instance) {
    for (uint32_t row = 0; row < instance->view->info->oriented_row_count; ++row) {
        hemi_row4 *f = &instance->fade_q[row], *to = &instance->offset_q[row];
        for (uint32_t i = 0; i < 8; ++i) {
            const hem_quat t = hem_quat_mul(hem_quat_make(f->x[i], f->y[i], f->z[i], f->w[i]),
                                            hem_quat_make(to->x[i], to->y[i], to->z[i], to->w[i]));
            to->x[i] = t.x;
            to->y[i] = t.y;
            to->z[i] = t.z;
            to->w[i] = t.w;
        }
    }
}

static void add_fade(hemi_instance* instance) {
    for (uint32_t row = 0; row < instance->view->info->row_count; ++row) {
        for (uint32_t i = 0; i < 8; ++i) {
            instance->x[row].x[i] += instance->fade[row].x[i];
            instance->x[row].y[i] += instance->fade[row].y[i];
            instance->x[row].z[i] += instance->fade[row].z[i];
        }
    }
    instance->coarse->fades = 0;
}

void hemi_fade_from_here(const hem_scene* scene, hemi_instance* instance) {
    if (instance->coarse->placed) {
        return;
    }
    if (instance->given->direct) {
        keep_offsets(instance);
    } else if (instance->coarse->fades) {
        fold_turns(instance);
    }
    hemi_show_args args = args_of(instance, 1.0f);
    args.bones = instance->bones_past;
    args.fade = instance->fade;
    args.fade_q = instance->fade_q;
    args.fading = !instance->given->direct && instance->coarse->fades;
    scene->kernels->unpose(instance->view, instance->bones_past, instance->x, instance->q, instance->goal,
                           instance->goal_q);
    scene->kernels->begin_fade(&args);
    instance->coarse->fades = 1;
    instance->given->direct = 0;
    instance->given->show_left = 0;
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
    if (instance->coarse) {
        instance->coarse->fades = 0;
        instance->coarse->placed = 1;
        memset(instance->pace, 0, info->row_count * 8 * sizeof(float));
        memset(instance->pace_q, 0, info->oriented_row_count * 8 * sizeof(float));
    }
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
    const int fades = instance->coarse && instance->coarse->fades;
    if (fades) {
        fold_turns(instance);
    }
    const hemi_show_args args = {.view = instance->view,
                                 .bones = instance->bones,
                                 .goal = instance->offset,
                                 .goal_q = instance->offset_q,
                                 .offset = instance->offset,
                                 .offset_q = instance->offset_q,
                                 .x = instance->x,
                                 .q = instance->q,
                                 .share = 1.0f};
    s->scene->kernels->repose(&args);
    if (fades) {
        add_fade(instance);
    }
    hemi_keep_targets(instance);
    hemi_forget_level(instance);
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
        const uint32_t fades = instance->coarse && instance->coarse->fades;
        const uint32_t fade = given->age < ARRIVE_FRAMES && !fades ? ARRIVE_FRAMES - given->age : 1;
        const uint32_t left = fade > period ? fade : period;
        const int watches = given->direct && instance->coarse;
        if (given->direct && (left > 1 || watches)) {
            keep_offsets(instance); // what was shown a frame ago
        }
        s->scene->kernels->unpose(instance->view, instance->bones, instance->x, instance->q, instance->goal,
                                  instance->goal_q);
        if (watches) {
            hemi_show_args args = args_of(instance, 1.0f);
            args.x = instance->x;
            args.last = instance->room_x;
            s->scene->kernels->watch_pace(&args);
        }
        given->show_left = left;
        given->direct = left == 1 && !fades;
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
