// SPDX-License-Identifier: MIT
// Coarser levels of detail.
//
// The finest level is what everybody else sees: its particles are named, shown, read, bound to vertices. A coarser one only
// takes the step in its place: it has arrays of its own for what constraints and contacts move, and after each step moves the
// particles of the finest one as its own have gone. So at any moment the finest level holds positions and velocities, and a
// level that takes over begins from those; what the two differ in is faded as every other change is (show.c). The instance of a
// coarser level lives for one step: it is the instance itself with other arrays.

#include "runtime/src/layout.h"
#include "runtime/src/step.h"

// Which level the plan's one simulates with: each goes one deeper, as far as the asset has them. Ties name particles of the
// finest, so who has some keeps it.
uint32_t hemi_level_wanted(const hemi_instance* instance, uint32_t level) {
    const uint32_t count = instance->coarse ? instance->view->level_count : 0;
    if (level < HEM_LEVEL_COARSE || level >= HEM_LEVEL_FROZEN || instance->input->tie_count) {
        return 0;
    }
    const uint32_t depth = level - HEM_LEVEL_COARSE + 1;
    return depth < count ? depth : count;
}

void hemi_forget_level(hemi_instance* instance) {
    if (instance->coarse) {
        instance->coarse->level = 0;
    }
}

void hemi_keep_bones(hemi_instance* instance) {
    if (instance->bones_past) {
        memcpy(instance->bones_past, instance->bones, instance->view->info->bone_count * sizeof(hemi_bone_pose));
    }
}

// -- The instance of a level

// What the game changed of the finest level's tuning holds for all; the rest is as the compiler made it for each.
static void tune_level(const hemi_instance* instance, hemi_instance* level) {
    for (uint32_t p = 0; p < level->view->info->part_count; ++p) {
        uint32_t said[sizeof(hem_tuning) / 4], made[sizeof(hem_tuning) / 4], own[sizeof(hem_tuning) / 4];
        memcpy(said, &instance->tuning[p], sizeof(hem_tuning));
        memcpy(made, &instance->view->tuning[p], sizeof(hem_tuning));
        memcpy(own, &level->view->tuning[p], sizeof(hem_tuning));
        for (uint32_t i = 0; i < sizeof(hem_tuning) / 4; ++i) {
            own[i] = said[i] == made[i] ? own[i] : said[i];
        }
        memcpy(&level->tuning[p], own, sizeof(hem_tuning));
    }
}

void hemi_open_level(hemi_instance* instance, uint32_t level, hemi_instance* out) {
    HEM_ASSERT(level > 0 && level <= instance->view->level_count);
    *out = *instance;
    out->coarse = NULL; // the finest has it
    hemi_carve state = {.base = instance->level_state}, derived = {.base = instance->level_derived};
    for (uint32_t i = 1; i <= level; ++i) {
        out->view = hemi_level_view(instance->view, i);
        hemi_layout_level_state(&state, out->view, out);
        hemi_layout_level_derived(&derived, out->view, out);
    }
    out->wrapped = NULL;
    out->goal = out->offset = NULL;
    out->goal_q = out->offset_q = out->room_q = out->room_x = NULL;
    out->palette = out->palette_prev = NULL;
    out->show_x = out->x;
    out->show_q = out->q;
    tune_level(instance, out);
}

void hemi_frame_level(const hem_scene* scene, hemi_instance* level) {
    if (level->view->frame_row_count) {
        scene->kernels->frames(level->view, level->x, 0, level->view->frame_row_count, level->frame_q);
    }
}

// -- Handing over

static void follow(const hem_scene* scene, const hemi_instance* from, const hem_level_row* rows, hemi_instance* to) {
    const hemi_level_args args = {to->view, from->view, rows,  from->x, from->q, from->frame_q,
                                  from->v,  from->w,    to->x, to->q,   to->v,   to->w};
    scene->kernels->follow_level(&args);
}

// What the pose holds is exactly there.
static void hold(hemi_instance* instance, const hemi_target_row* targets) {
    const hem_view* view = instance->view;
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const hem_anim_row* anim = &view->anim_rows[i];
        const uint32_t part = view->particle_flags[anim->row * 8] >> HEM_PARTICLE_PART_SHIFT;
        if (hemi_part_mode(view, instance->input, part) == HEM_ANIMATE_DIRECT) {
            hemi_hold_row(instance, &targets[i], anim->row, anim->animated_mask & 0xffu);
        }
    }
}

static void begin_anew(hemi_instance* instance) {
    const hem_info* info = instance->view->info;
    for (uint32_t row = 0; row < info->row_count; ++row) {
        memcpy(instance->x[row].w, instance->view->shape_rows[row].inverse_mass, sizeof(instance->x[row].w));
    }
    memset(instance->caught, 0, info->particle_count);
}

// A level that nobody has stepped yet has nothing where the body is.
static void place(const hem_scene* scene, hemi_instance* level) {
    const hem_info* info = level->view->info;
    scene->kernels->pose_rows(level->view, level->bones_past, level->x, level->q);
    memset(level->v, 0, info->row_count * sizeof(hemi_row3));
    memset(level->w, 0, info->oriented_row_count * sizeof(hemi_row3));
    memset(level->anchor, 0, info->row_count * sizeof(hemi_anchor_row));
    scene->kernels->targets(level->view, level->bones_past, level->target_prev);
    begin_anew(level);
}

// Before a step: the level that takes it. `room` is where its instance lives.
void hemi_enter_level(hemi_step* s, hemi_instance* room) {
    hemi_instance* finest = s->instance;
    if (!finest->coarse || finest->state->asleep == HEMI_AWAY) {
        return;
    }
    const hem_view* view = finest->view;
    const uint32_t level = hemi_level_wanted(finest, finest->given->level), before = finest->coarse->level;
    if (level == 0) {
        if (before) {
            begin_anew(finest);
            hemi_fade_from_here(s->scene, finest);
        }
        finest->coarse->level = finest->coarse->placed = 0;
        return;
    }
    hemi_open_level(finest, level, room);
    if (level != before) {
        hemi_frame_level(s->scene, finest);
        place(s->scene, room);
        follow(s->scene, finest, view->level_rows + view->levels[level - 1].down_begin, room);
        hold(room, room->target_prev);
        hemi_frame_level(s->scene, room);
        follow(s->scene, room, view->level_rows + view->levels[level - 1].up_begin, finest);
        hold(finest, finest->target_prev);
        hemi_fade_from_here(s->scene, finest);
        finest->coarse->level = level;
    }
    finest->coarse->placed = 0;
    s->scene->kernels->targets(room->view, room->bones, room->target_next);
    s->instance = room;
    s->derived = s->scene->classes[finest->class_index].levels[level - 1].derived;
    s->reframe = 0;
}

// After it: the finest level is where the other one has moved it. stepped: or nothing has.
void hemi_leave_level(hemi_step* s, int stepped) {
    hemi_instance *level = s->instance, *finest = s->drawn;
    if (level == finest) {
        return;
    }
    const hem_view* view = finest->view;
    s->instance = finest;
    s->derived = s->scene->classes[finest->class_index].derived;
    memcpy(finest->target_prev, finest->target_next, view->anim_row_count * sizeof(hemi_target_row));
    if (stepped && finest->coarse->level) { // else it has been placed on the pose
        hemi_frame_level(s->scene, level);
        follow(s->scene, level, view->level_rows + view->levels[finest->coarse->level - 1].up_begin, finest);
        hold(finest, finest->target_next);
    }
}

void hemi_phase_raise(hemi_step* s) {
    hemi_leave_level(s, 1);
}

void hemi_place_level(hemi_step* s) {
    if (s->instance != s->drawn) {
        place(s->scene, s->instance);
    }
}
