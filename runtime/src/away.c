// SPDX-License-Identifier: MIT
// Sleep by distance: what is far from where the game looks does not move.
//
// Far and near are the distance of the middle of all that is simulated from the viewpoint, with a gap between the two, so that
// nobody falls asleep and wakes in turns. Far away nothing that is said wakes but the distance alone. What hangs on the pose goes
// with its bones meanwhile; what is free stays where it is, seen from the root. Who comes back begins at rest, and colliders
// have not travelled.
//
// Who sleeps has no job (jobs.c), so a viewpoint that moves is compared with a list of the places of those who rest.

#include "runtime/src/checks.h"
#include "runtime/src/ops.h"
#include "runtime/src/step.h"
#include "runtime/src/tear.h"

// -- What the game says

hem_result hem_scene_set_viewpoint(hem_scene* scene, const double position[3]) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    hemi_op_viewpoint op = {{0, 0, 0}, position != NULL, 0};
    if (position) {
        memcpy(op.position, position, sizeof(op.position));
    }
    if (!hemi_is_place(op.position)) {
        const hemi_fault fault = hemi_fault_plain(NULL, HEM_NONE, "position", "must be within 1e9 metres");
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    hemi_apply(scene, NULL, &(hemi_op){HEMI_OP_VIEWPOINT, 0, &op, NULL, 0});
    return HEM_OK;
}

hem_result hem_instance_set_sleep_distance(hem_scene* scene, hem_instance_id id, float sleep, float wake) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    hemi_fault fault;
    if (!hemi_sleep_distance_is_fine(sleep, wake, &fault)) {
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    const hemi_op_sleep_distance op = {sleep, wake};
    hemi_apply(scene, instance, &(hemi_op){HEMI_OP_SLEEP_DISTANCE, 0, &op, NULL, 0});
    return HEM_OK;
}

// -- Where it is

// Of all that is simulated, in the space of the character; where nothing is, the root's own place.
static hem_vec3 middle_of(const hemi_instance* instance) {
    hemi_row4 sum; // w: how many
    memset(&sum, 0, sizeof(sum));
    for (uint32_t row = 0; row < instance->view->info->row_count; ++row) {
        const hemi_row4* x = &instance->x[row];
        for (uint32_t i = 0; i < 8; ++i) {
            const float one = x->w[i] > 0.0f ? 1.0f : 0.0f;
            sum.x[i] += one * x->x[i];
            sum.y[i] += one * x->y[i];
            sum.z[i] += one * x->z[i];
            sum.w[i] += one;
        }
    }
    hem_vec3 middle = hem_vec3_make(0.0f, 0.0f, 0.0f);
    float count = 0.0f;
    for (uint32_t i = 0; i < 8; ++i) {
        middle = hem_vec3_add(middle, hem_vec3_make(sum.x[i], sum.y[i], sum.z[i]));
        count += sum.w[i];
    }
    return hem_vec3_scale(middle, 1.0f / hem_maxf(count, 1.0f));
}

static void place_of(const hemi_instance* instance, hem_vec3 middle, double place[3]) {
    const hem_root* root = &instance->input->root;
    const hem_vec3 arm = hem_quat_rotate(hemi_quat_of(root->rotation), middle);
    place[0] = root->position[0] + (double)arm.x;
    place[1] = root->position[1] + (double)arm.y;
    place[2] = root->position[2] + (double)arm.z;
}

static int is_beyond(const hem_scene* scene, const double place[3], float limit) {
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double d = scene->input->viewpoint[k] - place[k];
        square += d * d;
    }
    return square > (double)limit * (double)limit;
}

static int knows_distance(const hem_scene* scene, const hemi_instance* instance) {
    return scene->input->has_viewpoint && instance->input->sleep_distance > 0.0f &&
           (instance->input->features & HEM_FEATURE_SLEEP);
}

// -- In a step

// Particles that nothing holds to the pose, and those that have torn, are where they are.
static int hangs_on_pose(const hemi_instance* instance) {
    const hem_info* info = instance->view->info;
    int held = info->attached_count != 0;
    for (uint32_t p = 0; p < info->part_count; ++p) {
        held |= instance->tuning[p].drive > 0.0f;
    }
    return held && !(instance->torn && instance->torn->spare_used);
}

static void leave(hemi_step* s, hem_vec3 middle) {
    hemi_instance* instance = s->drawn;
    hemi_state* state = instance->state;
    hemi_forget_level(instance);
    memcpy(state->middle, &middle, sizeof(state->middle));
    instance->event_mask |= state->asleep ? 0u : 1u << HEM_EVENT_SLEEP;
    state->asleep = HEMI_AWAY;
    state->still_seconds = state->pose_still_seconds = 0.0f;
    memset(instance->v, 0, instance->view->info->row_count * sizeof(hemi_row3));
    memset(instance->w, 0, instance->view->info->oriented_row_count * sizeof(hemi_row3));
}

static void come_back(const hemi_step* s) {
    const hemi_instance* instance = s->drawn;
    instance->state->asleep = 0;
    instance->state->woken = 1;
    memset(instance->past, 0,
           (s->scene->collider_capacity + instance->view->collider_count) * sizeof(hemi_collider_past));
}

// Steady motion of the root goes on being felt, so that who comes back while it runs is not jerked.
static void follow(hemi_step* s) {
    hemi_instance* instance = s->drawn;
    hemi_state* state = instance->state;
    if (hemi_root_moved(instance->input, state, s->derived->still)) {
        instance->quiet = 0;
        if (s->seconds >= 1e-6f) {
            hemi_frame_follow(instance->input, state, s->seconds, s->seconds);
        }
    } else {
        memset(state->felt_velocity, 0, sizeof(state->felt_velocity));
        memset(state->felt_spin, 0, sizeof(state->felt_spin));
    }
    if (state->pose_changed && hangs_on_pose(instance) && hemi_targets_moved(instance, s->derived->still)) {
        hemi_place_on_pose(s->scene, instance);
    }
}

int hemi_stays_away(hemi_step* s) {
    hemi_instance* instance = s->drawn;
    hemi_state* state = instance->state;
    const hemi_input* in = instance->input;
    const int was = state->asleep == HEMI_AWAY;
    hem_vec3 middle = hemi_vec3_of(state->middle);
    int away = 0;
    if (knows_distance(s->scene, instance)) {
        double place[3];
        middle = was ? middle : middle_of(instance);
        place_of(instance, middle, place);
        away = is_beyond(s->scene, place, was ? in->wake_distance : in->sleep_distance);
    }
    if (away && !was) {
        leave(s, middle);
    } else if (was && !away) {
        come_back(s);
    }
    if (away) {
        follow(s);
    }
    return away;
}

// -- Those who have no job

void hemi_note_place(hem_scene* scene, uint32_t index) {
    const hemi_instance* instance = &scene->instances[index];
    hemi_rest_place* rest = &scene->rest_places[index];
    rest->limit = 0.0f;
    if (instance->input->sleep_distance > 0.0f && (instance->input->features & HEM_FEATURE_SLEEP)) {
        rest->away = instance->state->asleep == HEMI_AWAY;
        rest->limit = rest->away ? instance->input->wake_distance : instance->input->sleep_distance;
        // The middle of who slept before there was a viewpoint has not been looked for.
        const hem_vec3 middle = rest->away ? hemi_vec3_of(instance->state->middle) : middle_of(instance);
        place_of(instance, middle, rest->place);
    }
}

void hemi_look_around(hem_scene* scene) {
    if (!scene->looks_elsewhere) {
        return;
    }
    scene->looks_elsewhere = 0;
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        const hemi_rest_place* rest = &scene->rest_places[i];
        if (scene->slots[i] == HEMI_SLOT_REST && rest->limit > 0.0f) {
            const int away = scene->input->has_viewpoint && is_beyond(scene, rest->place, rest->limit);
            if (away != (int)rest->away) {
                hemi_disturb(scene, &scene->instances[i]);
            }
        }
    }
}
