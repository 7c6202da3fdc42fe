// SPDX-License-Identifier: MIT
// Rest.
//
// Speeds do not tell rest: a particle between two contacts that push it to and fro has one and stays where it is. So an
// instance sleeps when for half a second nothing has strayed further than sleep_speed would have taken it. Cloth that
// lies on cloth creeps for long; nobody watches it for long. So the longer the pose stands still, the more is let pass.

#include "runtime/src/checks.h"
#include "runtime/src/step.h"

#define SLEEP_SECONDS 0.5f
#define SLEEP_PATIENCE 2.0f // seconds of a still pose after which twice sleep_speed is rest, and so on
#define SLEEP_TIMES 4.0f    // at most
#define STRAY_LIMIT 120.0f  // millimetres; anchors are kept modulo 256

// A pose may put particles anywhere; far out they all stay at the edge.
static uint8_t millimetres(float x) {
    const float near = hem_clampf(x, -HEMI_FAR, HEMI_FAR);
    return (uint8_t)((int32_t)(near * 1000.0f) & 255);
}

static void drop_anchor(hemi_instance* instance) {
    for (uint32_t row = 0; row < instance->view->info->row_count; ++row) {
        for (uint32_t i = 0; i < 8; ++i) {
            instance->anchor[row].mm[0][i] = millimetres(instance->x[row].x[i]);
            instance->anchor[row].mm[1][i] = millimetres(instance->x[row].y[i]);
            instance->anchor[row].mm[2][i] = millimetres(instance->x[row].z[i]);
        }
    }
}

static int stays_at_anchor(const hemi_instance* instance) {
    const hem_view* view = instance->view;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (part->kind == HEM_PART_BODY) {
            continue;
        }
        float times = hem_minf(1.0f + instance->state->pose_still_seconds / SLEEP_PATIENCE, SLEEP_TIMES);
        float limit = hem_minf(instance->tuning[p].sleep_speed * times * SLEEP_SECONDS * 1000.0f, STRAY_LIMIT);
        int32_t limit2 = (int32_t)(limit * limit);
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            const hemi_row4* x = &instance->x[row];
            const hemi_anchor_row* a = &instance->anchor[row];
            for (uint32_t i = 0; i < 8; ++i) {
                int32_t dx = (int8_t)(millimetres(x->x[i]) - a->mm[0][i]);
                int32_t dy = (int8_t)(millimetres(x->y[i]) - a->mm[1][i]);
                int32_t dz = (int8_t)(millimetres(x->z[i]) - a->mm[2][i]);
                if (dx * dx + dy * dy + dz * dz >= limit2) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

void hemi_wake(hemi_state* state) {
    state->woken |= state->asleep;
    state->asleep = 0;
    state->still_seconds = state->pose_still_seconds = 0.0f;
}

void hemi_wake_moved(hemi_step* s) {
    hemi_state* state = s->instance->state;
    if (s->moved | hemi_hears(s)) {
        hemi_wake(state);
    }
    if (state->woken) {
        s->instance->event_mask |= 1u << HEM_EVENT_WAKE;
    }
}

// Cloth that is held by something between its particles pulls as long as it is held, and sleep would keep it so.
static int is_snagged(const hemi_step* s) {
    const hem_view* view = s->instance->view;
    uint8_t* strained_rows = s->scratch->solve.moved_rows; // zero between the kernels that use it
    int snagged = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        s->scene->kernels->watch_links(view, &view->parts[p], s->instance->x, HEMI_SNAGGED, strained_rows);
    }
    for (uint32_t row = 0; row < view->info->row_count; ++row) {
        snagged |= strained_rows[row];
    }
    memset(strained_rows, 0, view->info->row_count);
    return snagged;
}

void hemi_rest(hemi_step* s) {
    hemi_instance* instance = s->instance;
    hemi_state* state = instance->state;
    const hem_info* info = instance->view->info;
    state->pose_still_seconds = s->moved ? 0.0f : hem_minf(state->pose_still_seconds + s->dt, 1000.0f);
    int rests = s->finite && !s->moved && (instance->input->features & HEM_FEATURE_SLEEP);
    if (rests && state->still_seconds > 0.0f && stays_at_anchor(instance)) {
        state->still_seconds += s->dt;
        if (state->still_seconds < SLEEP_SECONDS) {
            return;
        }
        if (!is_snagged(s)) {
            state->asleep = 1;
            memset(instance->v, 0, info->row_count * sizeof(hemi_row3));
            memset(instance->w, 0, info->oriented_row_count * sizeof(hemi_row3));
            instance->event_mask |= 1u << HEM_EVENT_SLEEP;
            return;
        }
    }
    state->still_seconds = rests ? s->dt : 0.0f;
    if (rests) {
        drop_anchor(instance);
    }
}
