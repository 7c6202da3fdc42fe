// SPDX-License-Identifier: MIT
// Rest.
//
// Speeds do not tell rest: a particle between two contacts that push it to and fro has one, of a metre a second even, and
// stays where it is. So an instance sleeps when for half a second nothing has strayed further than sleep_speed would have taken it. Cloth that
// lies on cloth creeps for long; nobody watches it for long. So the longer the pose stands still, the more is let pass.

#include "runtime/src/checks.h"
#include "runtime/src/step.h"

#define SLEEP_SECONDS 0.5f
#define SLEEP_PATIENCE 2.0f // seconds of a still pose after which twice sleep_speed is rest, and so on
#define SLEEP_TIMES 4.0f    // at most
#define HEAP_TIMES 10.0f    // at most, of a lattice of many bodies
#define STRAY_UNITS                                                                                                    \
    120.0f // that something may stray in the end; anchors are kept modulo 65536, far more than a step moves anything
#define UNITS_LIMIT 2e9f // still an int32_t

// Many bodies in one part.
static int is_heap(const hem_view* view, const hemi_derived* derived, uint32_t part) {
    int heap = 0;
    for (uint32_t l = 0; l < view->lattice_count; ++l) {
        heap |= view->lattices[l].part == part && derived->tile_begin[l + 1] - derived->tile_begin[l] > 1;
    }
    return heap;
}

// How much longer than at first a part may stray in the end.
static float most_times(const hemi_instance* instance, const hemi_derived* derived, uint32_t p) {
    return is_heap(instance->view, derived, p) ? HEAP_TIMES : SLEEP_TIMES;
}

// Of a part, per metre: the farthest that it may stray is STRAY_UNITS. 0 = it never rests.
static float units_of(const hemi_instance* instance, const hemi_derived* derived, uint32_t p) {
    const float strays = instance->tuning[p].sleep_speed * SLEEP_SECONDS * most_times(instance, derived, p);
    return strays > 0.0f ? hem_minf(STRAY_UNITS / strays, UNITS_LIMIT) : 0.0f;
}

// A pose may put particles anywhere; far out they all stay at the edge.
static uint16_t anchor_place(float x, float units) {
    return (uint16_t)((int32_t)hem_clampf(x * units, -UNITS_LIMIT, UNITS_LIMIT) & 65535);
}

static void drop_anchor(hemi_instance* instance, const hemi_derived* derived) {
    const hem_view* view = instance->view;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        const float units = units_of(instance, derived, p);
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            for (uint32_t i = 0; i < 8; ++i) {
                instance->anchor[row].place[0][i] = anchor_place(instance->x[row].x[i], units);
                instance->anchor[row].place[1][i] = anchor_place(instance->x[row].y[i], units);
                instance->anchor[row].place[2][i] = anchor_place(instance->x[row].z[i], units);
            }
        }
    }
}

static int stays_at_anchor(const hemi_instance* instance, const hemi_derived* derived) {
    const hem_view* view = instance->view;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (part->kind == HEM_PART_BODY) {
            continue;
        }
        const float most = most_times(instance, derived, p), units = units_of(instance, derived, p);
        const float times = hem_minf(1.0f + instance->state->pose_still_seconds / SLEEP_PATIENCE, most);
        const float limit = units > 0.0f ? STRAY_UNITS * times / most : 0.0f;
        const uint32_t limit2 = (uint32_t)(limit * limit);
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            const hemi_row4* x = &instance->x[row];
            const hemi_anchor_row* a = &instance->anchor[row];
            for (uint32_t i = 0; i < 8; ++i) {
                const int32_t dx = (int16_t)(anchor_place(x->x[i], units) - a->place[0][i]);
                const int32_t dy = (int16_t)(anchor_place(x->y[i], units) - a->place[1][i]);
                const int32_t dz = (int16_t)(anchor_place(x->z[i], units) - a->place[2][i]);
                if ((uint32_t)(dx * dx) + (uint32_t)(dy * dy) + (uint32_t)(dz * dz) >= limit2) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

void hemi_wake(hemi_state* state) {
    if (state->asleep == HEMI_AWAY) {
        return; // whom nothing but the distance wakes
    }
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
        s->drawn->event_mask |= 1u << HEM_EVENT_WAKE;
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
    const int rests = s->finite && !s->moved && (instance->input->features & HEM_FEATURE_SLEEP);
    if (rests && state->still_seconds > 0.0f && stays_at_anchor(instance, s->derived)) {
        state->still_seconds += s->dt;
        if (state->still_seconds < SLEEP_SECONDS) {
            return;
        }
        if (!is_snagged(s)) {
            state->asleep = 1;
            memset(instance->v, 0, info->row_count * sizeof(hemi_row3));
            memset(instance->w, 0, info->oriented_row_count * sizeof(hemi_row3));
            s->drawn->event_mask |= 1u << HEM_EVENT_SLEEP;
            return;
        }
    }
    state->still_seconds = rests ? s->dt : 0.0f;
    if (rests) {
        drop_anchor(instance, s->derived);
    }
}
