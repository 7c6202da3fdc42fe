// SPDX-License-Identifier: MIT
// Ties: damped springs that the game lays from a particle to another, or to a place in the world or on a bone.
//
// They are few and any of them may share particles, so they are solved in the order in which they were given, as many at
// once as have all their particles to themselves. Springs come once a substep, before what holds harder: cloth and jelly pull
// them straight again. Joints come after that, in every pass.

#include "runtime/src/checks.h"
#include "runtime/src/ops.h"
#include "runtime/src/step.h"

#define TIE_COOKIE 0x48454d54u

hem_tie hem_tie_default(void) {
    hem_tie tie;
    memset(&tie, 0, sizeof(tie));
    tie.cookie = TIE_COOKIE;
    tie.other = tie.bone = -1;
    tie.stiffness = 100.0f;
    tie.damping = 1.0f;
    return tie;
}

// -- What the game says

static hemi_tie plain(const hem_tie* from) {
    hemi_tie to;
    memset(&to, 0, sizeof(to));
    memcpy(to.position, from->position, sizeof(to.position));
    to.particle = from->particle;
    to.other = from->other == HEMI_TIE_WORLD && from->bone >= 0 ? HEMI_TIE_BONE(from->bone) : from->other;
    to.rest = from->rest;
    to.stiffness = from->stiffness;
    to.damping = from->damping;
    to.force_limit = from->force_limit;
    to.joint = from->joint;
    return to;
}

hem_result hem_instance_set_ties(hem_scene* scene, hem_instance_id id, const hem_tie* ties, uint32_t count) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (count && !ties) {
        return hemi_refuse_null(scene, __func__, "ties");
    }
    for (uint32_t i = 0; i < count && i <= scene->tie_capacity; ++i) {
        hemi_fault fault;
        const hemi_tie as_kept = plain(&ties[i]);
        if (ties[i].cookie != TIE_COOKIE) {
            fault =
                hemi_fault_value("cookie", HEM_NONE, ties[i].cookie, "make it with hem_tie_default, then fill it in");
            result = HEM_ERROR_COOKIE;
        } else if (ties[i].bone < -1 || ties[i].bone >= (int32_t)instance->view->info->bone_count) {
            fault = hemi_fault_value("bone", HEM_NONE, ties[i].bone, "must be -1 or a bone of the asset");
            result = HEM_ERROR_RANGE;
        } else if (ties[i].other < -1) {
            fault = hemi_fault_value("other", HEM_NONE, ties[i].other, HEMI_TIE_OTHER_RULE);
            result = HEM_ERROR_RANGE;
        } else if (!hemi_tie_is_fine(&as_kept, instance->view, &fault)) {
            result = HEM_ERROR_RANGE;
        }
        if (result != HEM_OK) {
            fault = hemi_fault_of("ties", (int32_t)i, fault);
            return hemi_refuse(scene, __func__, result, &fault);
        }
    }
    if (count > scene->tie_capacity) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_COUNT, "count", count,
                                 "has no room: raise tie_capacity in hem_scene_def");
    }
    for (uint32_t i = 0; i < count; ++i) {
        const hemi_op_tie op = {i, ties[i].jumped != 0, plain(&ties[i])};
        hemi_apply(scene, instance, &(hemi_op){HEMI_OP_TIE, 0, &op, NULL, 0});
    }
    const hemi_op_count total = {count};
    hemi_apply(scene, instance, &(hemi_op){HEMI_OP_TIE_COUNT, 0, &total, NULL, 0});
    return HEM_OK;
}

static hem_vec3 from_world(const double root[3], hem_quat turn, const double position[3]) {
    const hem_vec3 p =
        hem_vec3_make((float)(position[0] - root[0]), (float)(position[1] - root[1]), (float)(position[2] - root[2]));
    return hem_quat_rotate_back(turn, p);
}

hem_result hem_instance_find_particle(const hem_scene* scene, hem_instance_id id, const double position[3], float reach,
                                      int32_t* particle) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!position || !particle) {
        return hemi_refuse_null(scene, __func__, position ? "particle" : "position");
    }
    hemi_fault fault;
    if (!hemi_is_place(position)) {
        fault = hemi_fault_plain(NULL, HEM_NONE, "position", "must be within 1e9 metres");
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    if (!hemi_is_fine(reach, 0.0f, 1e6f, "reach", "must be 0 to 1e6 metres", &fault)) {
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    const hem_view* view = instance->view;
    const hem_root* root = &instance->state->root;
    const hem_vec3 at = from_world(root->position, hemi_quat_of(root->rotation), position);
    float nearest = reach > 0.0f ? reach * reach : HEMI_FINITE;
    *particle = -1;
    for (uint32_t i = 0; i < view->info->particle_count; ++i) {
        const hemi_row4* x = &instance->x[i >> 3];
        const hem_vec3 d = hem_vec3_sub(hem_vec3_make(x->x[i & 7], x->y[i & 7], x->z[i & 7]), at);
        const float square = hem_vec3_dot(d, d);
        const uint32_t flags = view->particle_flags[i];
        if (!(flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED)) && square <= nearest) {
            nearest = *particle < 0 || square < nearest ? square : nearest;
            *particle = (int32_t)i;
        }
    }
    return HEM_OK;
}

// -- In a step

// Where the place of a tie is at the end of the step: in the world, or in the space of the character.
static void place_of(const hemi_instance* instance, const hemi_tie* tie, double place[3]) {
    memcpy(place, tie->position, sizeof(tie->position));
    if (tie->other < HEMI_TIE_WORLD) {
        const float* m = instance->bones[HEMI_TIE_BONE(tie->other)].m;
        for (int k = 0; k < 3; ++k, m += 4) {
            place[k] = (double)m[0] * tie->position[0] + (double)m[1] * tie->position[1] +
                       (double)m[2] * tie->position[2] + (double)m[3];
        }
    }
}

int hemi_ties_moved(const hemi_step* s) {
    const hemi_instance* instance = s->instance;
    const double still = (double)s->derived->still;
    int moved = 0;
    for (uint32_t i = 0; i < instance->input->tie_count; ++i) {
        const hemi_tie_past* past = &instance->tie_past[i];
        double place[3];
        place_of(instance, &instance->ties[i], place);
        for (int k = 0; k < 3 && past->particle1 && instance->ties[i].other < 0; ++k) {
            const double d = place[k] - past->position[k];
            moved |= d > still || d < -still;
        }
    }
    return moved;
}

void hemi_keep_ties(hemi_instance* instance) {
    for (uint32_t i = 0; i < instance->input->tie_count; ++i) {
        hemi_tie_past* past = &instance->tie_past[i];
        place_of(instance, &instance->ties[i], past->position);
        past->particle1 = instance->ties[i].particle + 1;
        past->other = instance->ties[i].other;
    }
}

// Where the place of a tie is at this share of the step, in the character's space as it is then.
static hem_vec3 place_at(const hemi_step* s, uint32_t index, float share) {
    const hemi_instance* instance = s->instance;
    const hemi_tie* tie = &instance->ties[index];
    const hemi_tie_past* past = &instance->tie_past[index];
    const double *was = instance->state->root.position, *will = instance->input->root.position;
    double root[3], place[3];
    place_of(instance, tie, place);
    for (int k = 0; k < 3; ++k) {
        const double from = past->particle1 ? past->position[k] : place[k];
        root[k] = was[k] + (will[k] - was[k]) * (double)share;
        place[k] = from + (place[k] - from) * (double)share;
    }
    if (tie->other < HEMI_TIE_WORLD) {
        return hem_vec3_make((float)place[0], (float)place[1], (float)place[2]);
    }
    return from_world(root, hem_quat_slerp(s->path.from, s->path.to, share), place);
}

static void add_lane(const hemi_step* s, uint32_t index, uint32_t lane, hemi_tie_batch* batch) {
    const hemi_tie* tie = &s->instance->ties[index];
    const int is_place = tie->other < 0;
    batch->a[lane] = (uint16_t)tie->particle;
    batch->b[lane] = (uint16_t)(is_place ? tie->particle : (uint32_t)tie->other);
    batch->spring.rest[lane] = tie->rest;
    batch->spring.compliance[lane] = 1.0f / tie->stiffness;
    batch->spring.damping[lane] = tie->damping;
    batch->limit[lane] = tie->force_limit > 0.0f ? tie->force_limit : 1e30f;
    batch->mask |= 1u << lane;
    if (is_place) {
        // What the particle was has been moved by the frame of its part; so is the place.
        const hem_vec3 end = place_at(s, index, s->s1);
        hem_mat34 frame;
        const uint32_t part = s->instance->view->particle_flags[tie->particle] >> HEM_PARTICLE_PART_SHIFT;
        memcpy(frame.m, s->scratch->solve.parts[part].frame.m, sizeof(frame.m));
        const hem_vec3 begin = hem_mat34_point(&frame, place_at(s, index, s->s0));
        batch->places |= 1u << lane;
        batch->place[0][lane] = end.x;
        batch->place[1][lane] = end.y;
        batch->place[2][lane] = end.z;
        batch->began[0][lane] = begin.x;
        batch->began[1][lane] = begin.y;
        batch->began[2][lane] = begin.z;
    }
}

// Lanes without a tie do nothing and divide by nothing.
static hemi_tie_batch empty_batch(void) {
    hemi_tie_batch batch;
    memset(&batch, 0, sizeof(batch));
    for (int i = 0; i < 8; ++i) {
        batch.spring.compliance[i] = 1.0f;
        batch.limit[i] = 1.0f;
    }
    return batch;
}

static int shares(const hemi_tie_batch* batch, uint32_t lanes, const hemi_tie* tie) {
    int any = 0;
    for (uint32_t i = 0; i < lanes; ++i) {
        any |= batch->a[i] == tie->particle || batch->b[i] == tie->particle;
        any |= tie->other >= 0 && (batch->a[i] == (uint32_t)tie->other || batch->b[i] == (uint32_t)tie->other);
    }
    return any;
}

void hemi_solve_ties(const hemi_step* s, uint32_t joint) {
    hemi_instance* instance = s->instance;
    const hemi_spring_args args = {instance->x, instance->v, NULL, s->h, 1.0f / (s->h * s->h), 0.0f, 0.0f};
    hemi_tie_batch batch = empty_batch();
    uint32_t lanes = 0, count = 0;
    for (uint32_t i = 0; i < instance->input->tie_count; ++i) {
        if (instance->ties[i].joint != joint) {
            continue;
        }
        if (lanes == 8 || shares(&batch, lanes, &instance->ties[i])) {
            s->scene->kernels->ties(&batch, &args);
            batch = empty_batch();
            lanes = 0;
        }
        add_lane(s, i, lanes++, &batch);
        ++count;
    }
    if (lanes) {
        s->scene->kernels->ties(&batch, &args);
    }
    s->scratch->counters.work += count;
}
