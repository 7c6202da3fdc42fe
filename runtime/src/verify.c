// SPDX-License-Identifier: MIT
// What must hold after each phase of a step. A debug build walks all of it every time (run in step.c); nothing here
// changes anything.
//
// Positions may leave the numbers in the middle of a step, when a game pulls hard enough: the end of the step finds that
// out and puts the instance back on its pose. So numbers are looked at after `settle`, lists and scratch always.

#include "runtime/src/checks.h"
#include "runtime/src/step.h"

static int all_zero(const void* bytes, size_t size) {
    const uint8_t* b = bytes;
    uint8_t any = 0;
    for (size_t i = 0; i < size; ++i) {
        any |= b[i];
    }
    return any == 0;
}

// Negative zero is zero too.
static int all_zero_floats(const float* v, size_t count) {
    int zero = 1;
    for (size_t i = 0; i < count; ++i) {
        zero &= v[i] == 0.0f;
    }
    return zero;
}

static int rows_are_unit(const hemi_row4* q, uint32_t count) {
    int unit = 1;
    for (uint32_t row = 0; row < count; ++row) {
        for (uint32_t i = 0; i < 8; ++i) {
            const float one[4] = {q[row].x[i], q[row].y[i], q[row].z[i], q[row].w[i]};
            unit &= hemi_is_unit(one);
        }
    }
    return unit;
}

static const char* plan_fault(const hemi_step* s) {
    const hemi_solve* solve = &s->scratch->solve;
    if (s->substep_count < 1 || s->substep_count > HEMI_MAX_SUBSTEPS || s->search_count < 1 ||
        s->search_count > s->substep_count) {
        return "as many searches as substeps at most, and at least one";
    }
    const uint32_t level = s->instance->given ? s->instance->given->level : (uint32_t)HEM_LEVEL_FULL;
    if (!(s->h > 0.0f && s->h * hemi_pace_of(level)->slowest_hz <= 1.02f) ||
        !(s->dt <= s->seconds * 1.0051f)) { // even_length: half a percent
        return "no substep is longer than its level has them, a sixtieth of a second or a thirtieth";
    }
    for (uint32_t p = 0; p < s->instance->view->info->part_count; ++p) {
        const hemi_part_step* part = &solve->parts[p];
        if (!hemi_in_range(part->keep, 0.0f, 1.0f) || !hemi_in_range(part->keep_angular, 0.0f, 1.0f) ||
            !hemi_in_range(part->shape, 0.0f, 1.0f) || part->iterations > s->pass_count) {
            return "damping keeps a share, shapes take a share, and no part iterates more often than there are passes";
        }
    }
    return NULL;
}

static const char* untangle_fault(const hemi_step* s) {
    const hemi_untangle* u = &s->scratch->untangle;
    const uint32_t rows = s->instance->view->info->row_count;
    if (u->led_count > rows) {
        return "a row is led back once";
    }
    for (uint32_t i = 0; i < u->led_count; ++i) {
        if (u->led[i].row >= rows || u->led[i].mask == 0 || u->led[i].mask > 255 ||
            (i > 0 && u->led[i].row <= u->led[i - 1].row)) {
            return "rows that are led back ascend, and each has somebody to lead";
        }
    }
    return NULL;
}

static const char* colliders_fault(const hemi_step* s) {
    const hemi_colliders* c = &s->scratch->colliders;
    if (c->count > c->stride || c->count > HEM_MAX_COLLIDERS + HEMI_SCENE_COLLIDERS) {
        return "there is room for all colliders";
    }
    for (uint32_t i = 0; i < c->count; ++i) {
        const hemi_collider_path* path = &c->paths[i];
        if (!hemi_is_unit(path->pose[0] + 3) || !hemi_is_unit(path->pose[1] + 3)) {
            return "rotations of colliders have unit length";
        }
        if (path->collider->bone >= (int32_t)s->instance->view->info->bone_count ||
            (path->collider->kind == HEM_SHAPE_HULL) != (path->planes != NULL) ||
            (path->collider->kind == HEM_COLLIDER_MESH) != (path->mesh != NULL)) {
            return "a collider follows a bone that there is, and hulls have planes";
        }
    }
    return NULL;
}

static const char* near_fault(const hemi_step* s) {
    const hemi_contacts* found = &s->scratch->contacts;
    const uint32_t bodies = s->derived->body_row_count * 8;
    const hem_info* info = s->instance->view->info;
    const uint32_t count = s->derived->body_row_count ? found->near_begin[info->part_count] : 0;
    if (count > info->row_count) {
        return "there are no more eights near bodies than rows";
    }
    for (uint32_t n = 0; n < count; ++n) {
        const hemi_near* near = &found->near_body[n];
        if (near->first > found->near_capacity || near->depth * 8u > found->near_capacity - near->first) {
            return "the lists of near bodies lie in their array";
        }
        for (uint32_t i = 0; i < 8; ++i) {
            if (near->slot[i] >= info->particle_count) {
                return "who is near a body is a particle";
            }
        }
        for (uint32_t k = 0; k < near->depth * 8u; ++k) {
            if (found->near_list[near->first + k] > bodies) { // the last one is the dummy
                return "near bodies are bodies";
            }
        }
    }
    return NULL;
}

static const char* search_fault(const hemi_step* s) {
    const hemi_contacts* found = &s->scratch->contacts;
    const hemi_colliders* c = &s->scratch->colliders;
    const hem_info* info = s->instance->view->info;
    if (s->search_end <= s->substep || s->search_end > s->substep_count) {
        return "a search is for the substeps to come";
    }
    if (s->touch) {
        if (found->pair_count > s->scratch->search.hit_capacity || found->near_count > found->near_capacity) {
            return "there is room for all pairs";
        }
        if (found->side_begin > found->side_end ||
            (found->side_begin != found->side_end && found->pair_count > found->side_begin)) {
            return "pairs with an order lie behind the others";
        }
        const uint32_t ends[2][2] = {{0, found->pair_count}, {found->side_begin, found->side_end}};
        for (uint32_t k = 0; k < 2; ++k) {
            for (uint32_t i = ends[k][0]; i < ends[k][1]; ++i) {
                if (found->pair_a[i] >= info->particle_count || found->pair_b[i] >= info->particle_count) {
                    return "pairs are of particles";
                }
            }
        }
        const char* fault = near_fault(s);
        if (fault) {
            return fault;
        }
    }
    for (uint32_t row = 0; c->count && row < info->row_count; ++row) {
        uint64_t last = c->row_colliders[(size_t)row * c->words + c->words - 1];
        if (c->count % 64 && last >> (c->count % 64)) {
            return "a row meets colliders that there are";
        }
    }
    return NULL;
}

static const char* settle_fault(const hemi_step* s) {
    const hemi_instance* instance = s->instance;
    const hem_view* view = instance->view;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (part->kind == HEM_PART_BODY) {
            continue;
        }
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            if (!hemi_all_in_range(instance->x[row].x, 24, 1e6f) || !hemi_all_in_range(instance->v[row].x, 24, 1e6f)) {
                return "positions and velocities are numbers at the end of a step";
            }
            for (uint32_t i = 0; i < 8; ++i) {
                if (!(instance->x[row].w[i] >= 0.0f)) {
                    return "inverse masses are not negative";
                }
            }
        }
        if (part->kind == HEM_PART_SOFT && !rows_are_unit(instance->q + part->row_begin, part->row_count)) {
            return "rotations have unit length";
        }
    }
    if (!hemi_is_unit(instance->state->match_rotation) || instance->state->jumped) {
        return "what was said for this step alone is over";
    }
    return NULL;
}

const char* hemi_find_fault(const hemi_step* s, hemi_phase after) {
    const hemi_solve* solve = &s->scratch->solve;
    const uint32_t rows = s->instance->view->info->row_count;
    if (!all_zero(solve->moved_rows, rows) || !all_zero_floats(solve->delta[0].x, (size_t)rows * 32) ||
        !all_zero_floats(solve->delta_prev[0].x, (size_t)rows * 24)) {
        return "corrections are zero between the kernels that use them";
    }
    if (!s->awake) {
        return NULL;
    }
    switch (after) {
    case HEMI_PHASE_plan:
        return plan_fault(s);
    case HEMI_PHASE_pose:
        return untangle_fault(s);
    case HEMI_PHASE_colliders:
        return colliders_fault(s);
    case HEMI_PHASE_search:
        return search_fault(s);
    case HEMI_PHASE_settle:
        return settle_fault(s);
    default:
        return NULL;
    }
}
