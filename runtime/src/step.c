// SPDX-License-Identifier: MIT
// One step of one instance, and the scene's step as a list of independent jobs (one per instance).
//
//   colliders, bodies, pairs (once) -> [ predict -> animate -> continuous -> (links, groups, limits, contacts) x n ->
//   velocities ] x substeps -> frames, matrices, sleep

#include "runtime/src/internal.h"

static hem_quat quat_of(const float q[4]) {
    return hem_quat_make(q[0], q[1], q[2], q[3]);
}

// -- The character's frame

typedef struct frame_path { // of the root during the step
    hem_quat from, to;
    hem_vec3 way;  // that the particles feel; world axes
    hem_vec3 turn; // the same of the rotation, as a rotation vector in the character's axes
} frame_path;

static hem_vec3 vec3_of(const float v[3]) {
    return hem_vec3_make(v[0], v[1], v[2]);
}

// `felt` follows `moved` by at most `limit`.
static hem_vec3 follow(hem_vec3 felt, hem_vec3 moved, float limit) {
    hem_vec3 change = hem_vec3_sub(moved, felt);
    float size = hem_vec3_length(change);
    return size > limit ? hem_vec3_madd(change, limit / size, felt) : moved;
}

// A game may start, stop or turn a character within a frame, with an acceleration that no body has and no cloth would
// outlive: the part of a skirt before the legs would be torn through them. So what the particles feel is a velocity that
// follows the root's with bounded acceleration. Once the root moves steadily both are the same.
static frame_path root_path(hemi_state* s, float seconds, float dt) {
    frame_path path;
    path.from = quat_of(s->root.rotation);
    path.to = quat_of(s->next_root.rotation);
    double start[3] = {s->root.position[0], s->root.position[1], s->root.position[2]};
    if (s->carried) {
        hem_quat carry = quat_of(s->carry_rotation);
        hem_vec3 arm = hem_vec3_make((float)(start[0] - s->carry_from[0]), (float)(start[1] - s->carry_from[1]),
                                     (float)(start[2] - s->carry_from[2]));
        arm = hem_quat_rotate(carry, arm);
        start[0] = s->carry_to[0] + (double)arm.x;
        start[1] = s->carry_to[1] + (double)arm.y;
        start[2] = s->carry_to[2] + (double)arm.z;
        path.from = hem_quat_normalise(hem_quat_mul(carry, path.from));
    }
    hem_vec3 velocity = vec3_of(s->felt_velocity), spin = vec3_of(s->felt_spin);
    if (!s->jumped) { // else it goes on as it did before
        hem_vec3 way =
            hem_vec3_make((float)(s->next_root.position[0] - start[0]), (float)(s->next_root.position[1] - start[1]),
                          (float)(s->next_root.position[2] - start[2]));
        hem_quat turn = hem_quat_normalise(hem_quat_mul(hem_quat_conj(path.from), path.to));
        spin = follow(spin, hem_vec3_scale(hem_quat_to_rotation(turn), 1.0f / seconds), s->felt_turning * seconds);
        // What is felt of the turn leaves the velocity where it is in the world.
        velocity = hem_quat_rotate_back(hem_quat_from_rotation(hem_vec3_scale(spin, seconds)), velocity);
        velocity = follow(velocity, hem_vec3_scale(hem_quat_rotate_back(path.to, way), 1.0f / seconds),
                          s->felt_acceleration * seconds);
    }
    memcpy(s->felt_velocity, &velocity, sizeof(s->felt_velocity));
    memcpy(s->felt_spin, &spin, sizeof(s->felt_spin));
    path.way = hem_vec3_scale(hem_quat_rotate(path.to, velocity), dt);
    path.turn = hem_vec3_scale(spin, dt);
    return path;
}

// What a point fixed in the world does in the frame while the root goes from share s0 to s1 of its path, where it is
// turned by q1.
static hemi_mat34 frame_motion(const frame_path* path, hem_quat q1, float s0, float s1, float linear, float angular) {
    if (hem_vec3_dot(path->way, path->way) + hem_vec3_dot(path->turn, path->turn) == 0.0f) {
        return (hemi_mat34){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}; // most of a crowd stands
    }
    hem_quat turn = hem_quat_from_rotation(hem_vec3_scale(path->turn, (s0 - s1) * angular));
    hem_vec3 shift = hem_quat_rotate_back(q1, hem_vec3_scale(path->way, (s0 - s1) * linear));
    hem_mat34 m = hem_mat34_from_quat(turn, shift);
    hemi_mat34 out;
    memcpy(out.m, m.m, sizeof(out.m));
    return out;
}

// -- Preparation, once per step

static void body_rows(const hem_view* view, hemi_scratch* s) {
    uint32_t n = 0;
    s->body_parts = 0;
    s->simulated_parts = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (part->kind != HEM_PART_BODY) {
            s->simulated_parts |= 1ull << p;
            continue;
        }
        s->body_parts |= 1ull << p;
        uint32_t target = 0; // anim rows are ascending
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row, ++n) {
            while (target + 1 < view->anim_row_count && view->anim_rows[target].row < row) {
                ++target;
            }
            s->body_row[n] = (uint16_t)row;
            s->body_target[n] = (uint16_t)target;
        }
    }
    s->body_row_count = n;
    s->body_stride = (n + 7) & ~7u;
    s->simulated_pairs = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        s->simulated_pairs |= (s->simulated_parts >> p & 1u) && (s->part_pairs[p] & s->simulated_parts);
    }
}

static void pair_parts(const hem_view* view, hemi_scratch* s) {
    uint32_t count = view->info->part_count;
    for (uint32_t a = 0; a < count; ++a) {
        s->part_pairs[a] = 0;
        for (uint32_t b = 0; b < count; ++b) {
            const hem_part* pa = &view->parts[a];
            const hem_part* pb = &view->parts[b];
            if ((pa->collision_mask & pb->collision_group) && (pb->collision_mask & pa->collision_group)) {
                s->part_pairs[a] |= 1ull << b;
            }
        }
    }
}

uint32_t hemi_collider_total(const hemi_instance* instance) {
    return instance->collider_count + instance->view->collider_count;
}

// The game's colliders and the asset's, gathered at [0, count), with where they are now and will be.
static uint32_t gather_colliders(const hem_scene* scene, hemi_instance* instance) {
    const hem_view* view = instance->view;
    const hemi_state* s = instance->state;
    uint32_t own = view->collider_count, given = instance->collider_count;
    hem_quat world = quat_of(s->next_root.rotation);
    for (uint32_t i = 0; i < given + own; ++i) {
        uint32_t slot = i < given ? i : scene->collider_capacity + i - given;
        hemi_collider* c = &instance->colliders[slot];
        hemi_collider_past* past = &instance->past[slot];
        hem_quat q = quat_of(c->rotation);
        hem_vec3 p;
        if (c->bone == -1) {
            p = hem_vec3_make((float)(c->position[0] - s->next_root.position[0]),
                              (float)(c->position[1] - s->next_root.position[1]),
                              (float)(c->position[2] - s->next_root.position[2]));
            p = hem_quat_rotate_back(world, p);
            q = hem_quat_mul(hem_quat_conj(world), q);
        } else {
            p = hem_vec3_make((float)c->position[0], (float)c->position[1], (float)c->position[2]);
            if (c->bone >= 0) {
                const hemi_bone_pose* bone = &instance->bones[c->bone];
                hem_mat34 m;
                memcpy(m.m, bone->m, sizeof(m.m));
                p = hem_mat34_point(&m, p);
                q = hem_quat_mul(quat_of(bone->q), q);
            }
        }
        q = hem_quat_normalise(q);
        float* now = c->now[1];
        now[0] = p.x;
        now[1] = p.y;
        now[2] = p.z;
        now[3] = q.x;
        now[4] = q.y;
        now[5] = q.z;
        now[6] = q.w;
        memcpy(c->now[0], past->valid ? past->pose : now, sizeof(c->now[0]));
        memcpy(past->pose, now, sizeof(past->pose));
        past->valid = 1;
    }
    // The cull and the substeps want them side by side; the asset's are moved down behind the game's.
    if (given < scene->collider_capacity && own) {
        memmove(&instance->colliders[given], &instance->colliders[scene->collider_capacity],
                own * sizeof(hemi_collider));
    }
    return given + own;
}

// And back, so that the next step finds the asset's where they belong.
static void return_colliders(const hem_scene* scene, hemi_instance* instance) {
    uint32_t own = instance->view->collider_count, given = instance->collider_count;
    if (given < scene->collider_capacity && own) {
        memmove(&instance->colliders[scene->collider_capacity], &instance->colliders[given],
                own * sizeof(hemi_collider));
    }
}

// From the frame that q and p are given in into their own.
static void matrix_into(hem_quat q, hem_vec3 p, float m[12]) {
    hem_vec3 origin = hem_quat_rotate_back(q, p);
    hem_mat34 into = hem_mat34_from_quat(hem_quat_conj(q), hem_vec3_make(-origin.x, -origin.y, -origin.z));
    memcpy(m, into.m, sizeof(into.m));
}

// Where the colliders are at the end of this substep, and where they were at its start: for a part that stands still
// that is where the last substep left them.
static void place_colliders(const hem_view* view, hemi_instance* instance, hemi_scratch* s, uint32_t count, float s0,
                            float s1) {
    s->collider_count = count;
    int first = s0 == 0.0f;
    for (uint32_t i = 0; i < count; ++i) {
        const hemi_collider* c = &instance->colliders[i];
        const float* a = c->now[0];
        const float* b = c->now[1];
        hem_vec3 pa = hem_vec3_make(a[0], a[1], a[2]), pb = hem_vec3_make(b[0], b[1], b[2]);
        hem_quat qa = quat_of(a + 3), qb = quat_of(b + 3);
        hem_vec3 p1 = hem_vec3_lerp(pa, pb, s1);
        hem_quat q1 = hem_quat_nlerp(qa, qb, s1);
        for (uint32_t p = 0; p < view->info->part_count; ++p) {
            hemi_shape* shape = &s->colliders[p * count + i];
            if (first) {
                shape->kind = c->kind;
                shape->mask = c->mask;
                shape->plane_count = c->plane_count;
                shape->planes = c->kind == HEM_SHAPE_HULL ? (const float(*)[4])instance->hulls[c->hull].planes : NULL;
                shape->friction = c->friction;
                memcpy(shape->size, c->size, sizeof(shape->size));
                shape->slope = hemi_cone_slope(c->size);
                shape->tangent = shape->slope / hem_sqrtf(1.0f - shape->slope * shape->slope);
                matrix_into(qa, pa, shape->now);
                memcpy(shape->position, &pa, sizeof(shape->position));
            }
            const hemi_mat34* frame = &s->parts[p].frame;
            if (hemi_frame_is_still(frame)) {
                memcpy(shape->then, shape->now, sizeof(shape->then));
                memcpy(shape->began, shape->position, sizeof(shape->began));
            } else {
                hem_mat34 moves;
                memcpy(moves.m, frame->m, sizeof(moves.m));
                hem_vec3 began = hem_mat34_point(&moves, hem_vec3_lerp(pa, pb, s0));
                hem_quat q0 = hem_quat_nlerp(qa, qb, s0);
                matrix_into(hem_quat_normalise(hem_quat_mul(hem_quat_from_mat34(&moves), q0)), began, shape->then);
                memcpy(shape->began, &began, sizeof(shape->began));
            }
            matrix_into(q1, p1, shape->now);
            memcpy(shape->position, &p1, sizeof(shape->position));
        }
    }
}

// -- Tuning, once per step and substep

static void tune_part(const hem_view* view, const hem_tuning* t, uint32_t p, float h, hemi_part_step* out) {
    out->keep = hem_expf(-t->damping * h);
    out->keep_angular = hem_expf(-t->angular_damping * h);
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
    out->tether_scale = 1.0f + t->tether_allowance;
    out->thickness = t->collision_thickness;
    out->self_thickness = t->self_thickness;
    out->friction = t->friction;
    out->restitution = t->restitution;
    out->solver = t->solver;
    out->iterations = t->iterations;
    // Shape matching as a compliant constraint on the distance to the goal, with the part's mean inverse mass: one
    // share for all members, so that the group's centre of mass stays where it is.
    const hem_part* part = &view->parts[p];
    float sum = 0.0f, count = 0.0f;
    for (uint32_t row = part->row_begin; part->group_count && row < part->row_begin + part->row_count; ++row) {
        for (uint32_t i = 0; i < 8; ++i) {
            float mass = view->rest_rows[row].mass[i];
            sum += mass;
            count += mass > 0.0f ? 1.0f : 0.0f;
        }
    }
    float w = sum > 0.0f ? count / sum : 1.0f;
    out->shape = t->solver == HEM_SOLVER_XPBD ? w / (w + t->shape_compliance / (h * h)) : t->shape_stiffness;
}

// -- Animation

static int part_mode(const hem_view* view, const hemi_state* s, uint32_t p) {
    if (view->parts[p].kind == HEM_PART_BODY) {
        return HEM_ANIMATE_DIRECT;
    }
    return s->animation >= 0 ? s->animation : (int)view->parts[p].animation;
}

// Animated lanes are immovable when they follow the pose directly and have their mass when momentum counts.
static void set_animated_masses(hemi_instance* instance) {
    const hem_view* view = instance->view;
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const hem_anim_row* row = &view->anim_rows[i];
        uint32_t p = view->particle_flags[row->row * 8] >> HEM_PARTICLE_PART_SHIFT;
        int momentum = part_mode(view, instance->state, p) == HEM_ANIMATE_MOMENTUM;
        for (uint32_t k = 0; k < 8; ++k) {
            if (row->animated_mask >> k & 1u) {
                float mass = view->rest_rows[row->row].mass[k];
                instance->x[row->row].w[k] = momentum && mass > 0.0f ? 1.0f / mass : 0.0f;
            }
        }
    }
}

static void copy_lane(hemi_instance* instance, const hemi_target_row* from, uint32_t row, uint32_t k) {
    hemi_row4* x = &instance->x[row];
    x->x[k] = from->x.x[k];
    x->y[k] = from->x.y[k];
    x->z[k] = from->x.z[k];
    if (row < instance->view->info->oriented_row_count) {
        hemi_row4* q = &instance->q[row];
        q->x[k] = from->q.x[k];
        q->y[k] = from->q.y[k];
        q->z[k] = from->q.z[k];
        q->w[k] = from->q.w[k];
    }
}

// Rotation R of A = R S, by the same Newton steps as the groups, in double: it is one body, once per substep.
static hem_quat match_rotation(double a[3][3], hem_quat start) {
    double q[4] = {start.x, start.y, start.z, start.w};
    for (int sweep = 0; sweep < 12; ++sweep) {
        double x = q[0], y = q[1], z = q[2], w = q[3];
        double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
        double b[3][3];
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                b[i][j] = r[0][i] * a[0][j] + r[1][i] * a[1][j] + r[2][i] * a[2][j];
            }
        }
        double g[3] = {b[2][1] - b[1][2], b[0][2] - b[2][0], b[1][0] - b[0][1]};
        double trace = b[0][0] + b[1][1] + b[2][2];
        double scale = trace < 0 ? -trace : trace;
        if (!(scale > 1e-30)) {
            break;
        }
        double k[3][3] = {{b[1][1] + b[2][2], -0.5 * (b[0][1] + b[1][0]), -0.5 * (b[0][2] + b[2][0])},
                          {0, b[0][0] + b[2][2], -0.5 * (b[1][2] + b[2][1])},
                          {0, 0, b[0][0] + b[1][1]}};
        double c00 = k[1][1] * k[2][2] - k[1][2] * k[1][2], c01 = k[0][2] * k[1][2] - k[0][1] * k[2][2];
        double c02 = k[0][1] * k[1][2] - k[0][2] * k[1][1], c11 = k[0][0] * k[2][2] - k[0][2] * k[0][2];
        double c12 = k[0][1] * k[0][2] - k[0][0] * k[1][2], c22 = k[0][0] * k[1][1] - k[0][1] * k[0][1];
        double det = k[0][0] * c00 + k[0][1] * c01 + k[0][2] * c02;
        double step[3];
        if (k[2][2] > 0 && c00 > 0 && det > 1e-6 * scale * scale * scale) {
            step[0] = (c00 * g[0] + c01 * g[1] + c02 * g[2]) / det;
            step[1] = (c01 * g[0] + c11 * g[1] + c12 * g[2]) / det;
            step[2] = (c02 * g[0] + c12 * g[1] + c22 * g[2]) / det;
        } else {
            for (int i = 0; i < 3; ++i) {
                step[i] = g[i] / scale;
            }
        }
        double e[4] = {0.5 * step[0], 0.5 * step[1], 0.5 * step[2], 1.0};
        double n[4] = {w * e[0] + x * e[3] + y * e[2] - z * e[1], w * e[1] + y * e[3] + z * e[0] - x * e[2],
                       w * e[2] + z * e[3] + x * e[1] - y * e[0], w * e[3] - x * e[0] - y * e[1] - z * e[2]};
        double length2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3];
        // 1/sqrt by Newton from the float root: no libm, the same bits everywhere.
        double s = 1.0 / (double)hem_sqrtf((float)length2);
        s = s * (1.5 - 0.5 * length2 * s * s);
        s = s * (1.5 - 0.5 * length2 * s * s);
        for (int i = 0; i < 4; ++i) {
            q[i] = n[i] * s;
        }
    }
    return hem_quat_normalise(hem_quat_make((float)q[0], (float)q[1], (float)q[2], (float)q[3]));
}

// Section 4.1: the pose is turned and moved so that it fits what the particles do, eq. 5.
static void animate_with_momentum(hemi_instance* instance, const hemi_target_row* now) {
    const hem_view* view = instance->view;
    double mass = 0, p[3] = {0}, a[3] = {0}, m[3][3] = {{0}};
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < view->anim_row_count; ++i) {
            const hem_anim_row* anim = &view->anim_rows[i];
            uint32_t part = view->particle_flags[anim->row * 8] >> HEM_PARTICLE_PART_SHIFT;
            if (part_mode(view, instance->state, part) != HEM_ANIMATE_MOMENTUM) {
                continue;
            }
            for (uint32_t k = 0; k < 8; ++k) {
                if (!(anim->animated_mask >> k & 1u)) {
                    continue;
                }
                double w = view->rest_rows[anim->row].mass[k];
                double at[3] = {instance->x[anim->row].x[k], instance->x[anim->row].y[k], instance->x[anim->row].z[k]};
                double to[3] = {now[i].x.x[k], now[i].x.y[k], now[i].x.z[k]};
                if (pass == 0) {
                    mass += w;
                }
                for (int r = 0; r < 3; ++r) {
                    if (pass == 0) {
                        p[r] += w * at[r];
                        a[r] += w * to[r];
                    } else {
                        for (int c = 0; c < 3; ++c) {
                            m[r][c] += w * (at[r] - p[r]) * (to[c] - a[c]);
                        }
                    }
                }
            }
        }
        if (!(mass > 0)) {
            return;
        }
        for (int r = 0; pass == 0 && r < 3; ++r) {
            p[r] /= mass;
            a[r] /= mass;
        }
    }
    hem_quat turn = match_rotation(m, quat_of(instance->state->match_rotation));
    memcpy(instance->state->match_rotation, &turn, sizeof(turn));
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const hem_anim_row* anim = &view->anim_rows[i];
        uint32_t part = view->particle_flags[anim->row * 8] >> HEM_PARTICLE_PART_SHIFT;
        if (part_mode(view, instance->state, part) != HEM_ANIMATE_MOMENTUM) {
            continue;
        }
        hemi_target_row goal = now[i];
        for (uint32_t k = 0; k < 8; ++k) {
            hem_vec3 d = hem_vec3_make((float)((double)goal.x.x[k] - a[0]), (float)((double)goal.x.y[k] - a[1]),
                                       (float)((double)goal.x.z[k] - a[2]));
            d = hem_quat_rotate(turn, d);
            goal.x.x[k] = (float)(p[0] + (double)d.x);
            goal.x.y[k] = (float)(p[1] + (double)d.y);
            goal.x.z[k] = (float)(p[2] + (double)d.z);
            hem_quat q = hem_quat_mul(turn, hem_quat_make(goal.q.x[k], goal.q.y[k], goal.q.z[k], goal.q.w[k]));
            goal.q.x[k] = q.x;
            goal.q.y[k] = q.y;
            goal.q.z[k] = q.z;
            goal.q.w[k] = q.w;
            if (anim->animated_mask >> k & 1u) {
                copy_lane(instance, &goal, anim->row, k);
            }
        }
    }
}

static void animate(hemi_instance* instance, const hemi_target_row* now) {
    const hem_view* view = instance->view;
    int momentum = 0;
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const hem_anim_row* anim = &view->anim_rows[i];
        uint32_t part = view->particle_flags[anim->row * 8] >> HEM_PARTICLE_PART_SHIFT;
        if (part_mode(view, instance->state, part) == HEM_ANIMATE_MOMENTUM) {
            momentum = 1;
            continue;
        }
        if (anim->animated_mask == 0xff) {
            memcpy(instance->x[anim->row].x, now[i].x.x, sizeof(hemi_row3));
            if (anim->row < view->info->oriented_row_count) {
                instance->q[anim->row] = now[i].q;
            }
            continue;
        }
        for (uint32_t k = 0; k < 8; ++k) {
            if (anim->animated_mask >> k & 1u) {
                copy_lane(instance, &now[i], anim->row, k);
            }
        }
    }
    if (momentum) {
        animate_with_momentum(instance, now);
    }
}

// -- The step

static void solve_links(const hem_scene* scene, hemi_instance* instance, hemi_scratch* s, uint32_t features,
                        uint32_t pass) {
    const hem_view* view = instance->view;
    const hemi_kernels* k = scene->kernels;
    int jacobi = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        const hemi_part_step* tune = &s->parts[p];
        if (pass >= tune->iterations) {
            continue;
        }
        hemi_link_args args = {instance->x, instance->v, s->delta, tune, NULL, (features & HEM_FEATURE_TETHERS) != 0};
        int keep = tune->iterations > 1 && tune->solver == HEM_SOLVER_XPBD;
        if (part->link_count) {
            args.lambda = keep ? s->lambda + (size_t)part->link_begin * 8 : NULL;
            k->links(view->link_batches + part->link_begin, part->link_count, &args);
        }
        if (part->index_count) {
            args.lambda = keep ? s->lambda + ((size_t)view->link_batch_count + part->index_begin) * 8 : NULL;
            k->links_indexed(view->index_batches + part->index_begin, part->index_count, &args);
        }
        jacobi |= tune->solver == HEM_SOLVER_JACOBI;
        if (part->group_count) {
            k->moments(part, instance->q, s->rest_moment, s->moment);
            k->groups(view, view->group_batches + part->group_begin, part->group_count, instance->x, instance->q,
                      s->moment, tune->shape);
        }
    }
    if (jacobi) {
        k->apply_delta(instance->x, s->delta, view->info->row_count, 1);
    }
}

// -- Cloth that a limb went through, see kernels_caught.inl

static uint32_t caught_time(float seconds) {
    uint32_t units = (uint32_t)(seconds * HEMI_CAUGHT_HZ + 0.5f);
    return units ? units : 1;
}

// Where the pose has a part's particles means something only if the part hangs on the pose and can meet the body.
static int can_be_caught(const hemi_instance* instance, const hemi_scratch* s, uint32_t p) {
    const hem_view* view = instance->view;
    return view->parts[p].kind != HEM_PART_BODY && (s->part_pairs[p] & s->body_parts) &&
           view->parts[p].link_count + view->parts[p].index_count &&
           part_mode(view, instance->state, p) == HEM_ANIMATE_DIRECT;
}

// Those that are led back are immovable during this step.
static void take_caught(const hem_scene* scene, hemi_instance* instance, hemi_scratch* s) {
    const hem_view* view = instance->view;
    for (uint32_t row = 0; row < view->info->row_count; ++row) {
        const uint8_t* caught = instance->caught + row * 8;
        if (!(hemi_eight_bytes(caught) & HEMI_LED * 0x0101010101010101u)) {
            continue;
        }
        uint32_t mask = 0;
        for (uint32_t i = 0; i < 8; ++i) {
            mask |= (uint32_t)(caught[i] >= HEMI_LED) << i;
        }
        hemi_led* led = &s->led[s->led_count++];
        led->row = row;
        led->mask = mask;
        for (uint32_t i = 0; i < 8; ++i) {
            led->left[i] = (float)(caught[i] - HEMI_LED) / HEMI_CAUGHT_HZ;
            instance->x[row].w[i] = mask >> i & 1u ? 0.0f : instance->x[row].w[i];
        }
        scene->kernels->pose_led(view, instance->bones, led);
    }
}

static void lead_caught(hemi_instance* instance, hemi_scratch* s, float h) {
    for (uint32_t n = 0; n < s->led_count; ++n) {
        hemi_led* led = &s->led[n];
        hemi_row4* x = &instance->x[led->row];
        for (uint32_t i = 0; i < 8; ++i) {
            if (led->mask >> i & 1u) {
                float share = led->left[i] > h ? h / led->left[i] : 1.0f;
                x->x[i] += (led->goal.x[i] - x->x[i]) * share;
                x->y[i] += (led->goal.y[i] - x->y[i]) * share;
                x->z[i] += (led->goal.z[i] - x->z[i]) * share;
                led->left[i] -= h;
            }
        }
    }
}

// After the step: who has arrived, and who is strained for how long.
static void watch_caught(const hem_scene* scene, hemi_instance* instance, hemi_scratch* s, float dt) {
    const hem_view* view = instance->view;
    uint32_t passed = caught_time(dt), patience = caught_time(HEMI_CAUGHT_SECONDS),
             lead = caught_time(HEMI_LED_SECONDS);
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        if (!can_be_caught(instance, s, p)) {
            continue;
        }
        const hem_part* part = &view->parts[p];
        scene->kernels->watch_links(view, part, instance->x, s->moved_rows);
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            uint8_t* caught = instance->caught + row * 8;
            if (!s->moved_rows[row] && !hemi_eight_bytes(caught)) {
                continue;
            }
            for (uint32_t i = 0; i < 8; ++i) {
                uint32_t c = caught[i], strained = s->moved_rows[row] >> i & 1u;
                if (c >= HEMI_LED) {
                    c = c > HEMI_LED + passed ? c - passed : 0;
                } else if (!strained || !(view->shape_rows[row].inverse_mass[i] > 0.0f)) {
                    c = 0;
                } else {
                    c = c + passed < patience ? c + passed : HEMI_LED + lead;
                }
                caught[i] = (uint8_t)c;
            }
            s->moved_rows[row] = 0;
        }
    }
    for (uint32_t n = 0; n < s->led_count; ++n) {
        uint32_t row = s->led[n].row;
        memcpy(instance->x[row].w, view->shape_rows[row].inverse_mass, sizeof(instance->x[row].w));
    }
}

// Who may meet whom, and which collider, during substeps [begin, end) of n.
static void look_ahead(const hem_scene* scene, hemi_instance* instance, hemi_scratch* s, const frame_path* path,
                       uint32_t begin, uint32_t end, uint32_t n, float h, int touch, uint32_t collider_count) {
    const hem_view* view = instance->view;
    const hemi_kernels* k = scene->kernels;
    float s0 = (float)begin / (float)n, s1 = (float)end / (float)n, dt = (float)(end - begin) * h;
    hem_quat world = hem_quat_slerp(path->from, path->to, s1);
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_tuning* t = &instance->tuning[p];
        s->part_frames[p] = frame_motion(path, world, s0, s1, t->linear_inertia, t->angular_inertia);
    }
    if (touch) {
        hemi_instance part_way = *instance;
        if (begin > 0) {
            part_way.target_prev = s->now; // where the last substep ended
        }
        if (end < n) {
            k->interpolate(instance->target_prev, instance->target_next, s1, view->anim_row_count, s->ahead);
            part_way.target_next = s->ahead;
        }
        s->ignored = scene->classes[instance->class_index].ignored;
        k->find_near(view, &part_way, s, dt, s->part_frames, (instance->state->features & HEM_FEATURE_SURFACE) != 0);
    }
    if (collider_count) {
        k->cull_colliders(view, instance, s, dt, s->part_frames, collider_count);
    }
}

static int targets_moved(const hem_view* view, const hemi_instance* instance) {
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const float* a = instance->target_prev[i].x.x;
        const float* b = instance->target_next[i].x.x;
        int moved = 0;
        for (uint32_t k = 0; k < sizeof(hemi_target_row) / sizeof(float); ++k) {
            float d = a[k] - b[k];
            moved |= !(d < 1e-5f) | !(d > -1e-5f); // no early way out: the compiler makes vectors of it
        }
        if (moved) {
            return 1;
        }
    }
    return 0;
}

static int root_moved(const hemi_state* s) {
    for (int k = 0; k < 3; ++k) {
        double d = s->root.position[k] - s->next_root.position[k];
        if (d > 1e-6 || d < -1e-6) {
            return 1;
        }
    }
    float dot = 0.0f;
    for (int k = 0; k < 4; ++k) {
        dot += s->root.rotation[k] * s->next_root.rotation[k];
    }
    return hem_absf(dot) < 0.9999999f;
}

// -- Sleep
//
// Speeds do not tell rest: a particle between two contacts that push it to and fro has one and stays where it is. So an
// instance sleeps when for half a second nothing has strayed further than sleep_speed would have taken it. Cloth that
// lies on cloth creeps for long; nobody watches it for long. So the longer the pose stands still, the more is let pass.

#define SLEEP_SECONDS 0.5f
#define SLEEP_PATIENCE 2.0f // seconds of a still pose after which twice sleep_speed is rest, and so on
#define SLEEP_TIMES 4.0f    // at most
#define STRAY_LIMIT 120.0f  // millimetres; anchors are kept modulo 256

static uint8_t millimetres(float x) {
    return (uint8_t)((int32_t)(x * 1000.0f) & 255); // positions are below 32 km, or the instance has been mended
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

// Derived rotations are worth computing every step only for who skins with them or blows against them.
int hemi_keeps_frames(const hemi_instance* instance) {
    const hem_view* view = instance->view;
    int wanted = view->info->vertex_count > 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        wanted |= instance->tuning[p].drag > 0.0f || instance->tuning[p].lift > 0.0f;
    }
    return wanted && view->frame_row_count > 0;
}

void hemi_update_palette(const hem_scene* scene, hemi_instance* instance) {
    const hem_view* view = instance->view;
    if (hemi_keeps_frames(instance)) {
        scene->kernels->frames(view, instance->x, 0, view->frame_row_count, instance->frame_q);
    }
    if (view->info->vertex_count) {
        scene->kernels->palette(view, instance->x, instance->q, instance->frame_q, instance->palette);
    }
}

static void finish(hemi_instance* instance) {
    hemi_state* s = instance->state;
    s->root = s->next_root;
    s->carried = 0;
    s->jumped = 0;
    s->pose_changed = 0;
    memcpy(instance->target_prev, instance->target_next, instance->view->anim_row_count * sizeof(hemi_target_row));
}

// In a game every frame finds the caches cold. So while one instance is stepped, what the next one begins with is
// fetched, a share of it in each substep: [ state | x | v | q | w ], see internal.h.
#define AHEAD_LIMIT 65536 // bytes; more would push out what is being worked on

static void fetch_ahead(const hem_scene* scene, const hemi_instance* instance, uint32_t step, uint32_t substeps) {
    const hemi_instance* next = instance + 1;
    if (next == scene->instances + scene->instance_count) {
        return;
    }
    size_t size = (size_t)((const uint8_t*)next->target_prev - (const uint8_t*)next->state);
    size = size < AHEAD_LIMIT ? size : AHEAD_LIMIT;
    for (size_t at = size * step / substeps & ~(size_t)63; at < size * (step + 1) / substeps; at += 64) {
        HEM_PREFETCH(next->state, at);
    }
}

void hemi_step_instance(const hem_scene* scene, hemi_instance* instance, hemi_scratch* s, float dt,
                        uint32_t forced_substeps) {
    const hem_view* view = instance->view;
    const hem_info* info = view->info;
    const hemi_kernels* k = scene->kernels;
    hemi_state* state = instance->state;
    uint32_t features = state->features;
    memset(&instance->report, 0, sizeof(instance->report));
    instance->event_mask = 0;
    instance->stepped = 0;
    if (scene->keep_previous) {
        memcpy(instance->palette_prev, instance->palette, info->vertex_count ? info->particle_count * 64u : 0u);
        if (!state->pose_changed) {
            memcpy(instance->bones_prev, instance->bones, info->bone_count * sizeof(hemi_bone_pose));
        }
    }
    dt *= state->time_scale;
    int moved = targets_moved(view, instance) || root_moved(state);
    if (state->asleep && moved) {
        state->asleep = 0;
        state->still_seconds = 0.0f;
        instance->event_mask |= 1u << HEM_EVENT_WAKE;
    }
    if (state->asleep || !(dt > 0.0f)) {
        finish(instance);
        return;
    }
    uint32_t n = forced_substeps;
    if (n == 0) {
        float wanted = dt * scene->substep_hz - 0.001f;
        n = wanted < 1.0f ? 1 : (uint32_t)wanted + ((float)(uint32_t)wanted < wanted ? 1u : 0u);
        n = n < scene->substep_limit ? n : scene->substep_limit;
    }
    // A hitch loses time rather than stability: no substep is longer than a sixtieth of a second.
    float seconds = dt, longest = (float)n / 60.0f;
    dt = dt < longest ? dt : longest;
    float h = dt / (float)n;
    instance->stepped = 1;
    s->candidate_count = s->contact_count = s->dropped_count = s->clamped_count = s->mended_count = 0;

    frame_path path = root_path(state, seconds, dt);
    set_animated_masses(instance);
    pair_parts(view, s);
    body_rows(view, s);
    for (uint32_t p = 0; p < info->part_count; ++p) {
        const hem_tuning* t = &instance->tuning[p];
        tune_part(view, t, p, h, &s->parts[p]);
    }
    uint64_t met = 0; // parts that collide with some particle
    for (uint32_t p = 0; p < info->part_count; ++p) {
        met |= view->parts[p].kind == HEM_PART_BODY ? 0 : s->part_pairs[p];
    }
    int touch = (features & HEM_FEATURE_PARTICLE_CONTACTS) && met;
    int untangle = touch && s->body_row_count && (features & HEM_FEATURE_UNTANGLE);
    s->led_count = 0;
    if (untangle) {
        take_caught(scene, instance, s);
    }
    uint32_t collider_count = 0;
    int gathered = (features & HEM_FEATURE_COLLIDERS) && hemi_collider_total(instance) > 0;
    if (gathered) {
        collider_count = gather_colliders(scene, instance);
    }
    int air = 0;
    uint32_t passes = 1;
    for (uint32_t p = 0; p < info->part_count; ++p) {
        if (view->parts[p].group_count) {
            k->rest_moments(view, &view->parts[p], s->rest_moment);
        }
        air |= s->parts[p].drag > 0.0f || s->parts[p].lift > 0.0f;
        passes = s->parts[p].iterations > passes ? s->parts[p].iterations : passes;
    }
    if (air) {
        k->normals(view, instance->q, instance->frame_q, s->normal);
    }

    const float* gravity = state->own_gravity ? state->gravity : scene->gravity;
    // What may meet is looked for once per step, but at least 60 times a second: within a long frame contacts turn
    // particles to where nobody expected them.
    uint32_t searches = (uint32_t)(dt * 60.0f + 0.75f);
    searches = searches < 1 ? 1 : searches > n ? n : searches;
    hemi_row3* prev = instance->v; // one memory for both, see hemi_instance
    int chained = 0;               // it still holds where the last substep began
    uint32_t finite = 1;
    for (uint32_t step = 0, search = 0; step < n; ++step) {
        fetch_ahead(scene, instance, step, n);
        if (step == search * n / searches) {
            ++search;
            look_ahead(scene, instance, s, &path, step, search * n / searches, n, h, touch, collider_count);
        }
        float s0 = (float)step / (float)n, s1 = (float)(step + 1) / (float)n;
        hem_quat world = hem_quat_slerp(path.from, path.to, s1);
        hem_vec3 g = hem_quat_rotate_back(world, hem_vec3_make(gravity[0], gravity[1], gravity[2]));
        hem_vec3 wind = hem_quat_rotate_back(world, hem_vec3_make(state->wind[0], state->wind[1], state->wind[2]));
        hemi_row3* force = NULL;
        if (scene->force_field) {
            force = s->force;
            memset(force, 0, info->row_count * sizeof(hemi_row3));
            hem_instance_id id = {(uint32_t)(instance - scene->instances) + 1, state->generation};
            scene->force_field(scene->force_user, id, instance->x[0].x, instance->v[0].x, force[0].x, info->row_count);
        }
        for (uint32_t p = 0; p < info->part_count; ++p) {
            const hem_part* part = &view->parts[p];
            const hem_tuning* t = &instance->tuning[p];
            hemi_part_step* tune = &s->parts[p];
            float scale = t->gravity_scale * state->gravity_scale;
            int body = part->kind == HEM_PART_BODY;
            tune->frame =
                frame_motion(&path, world, s0, s1, body ? 0.0f : t->linear_inertia, body ? 0.0f : t->angular_inertia);
            tune->gravity[0] = g.x * scale;
            tune->gravity[1] = g.y * scale;
            tune->gravity[2] = g.z * scale;
            tune->wind[0] = wind.x;
            tune->wind[1] = wind.y;
            tune->wind[2] = wind.z;
            uint32_t row = part->row_begin;
            hemi_predict predict = {instance->x + row,
                                    instance->v + row,
                                    s->normal + row,
                                    view->shape_rows + row,
                                    force ? force + row : NULL,
                                    tune,
                                    &s->clamped_count,
                                    part->row_count,
                                    h,
                                    body,
                                    chained};
            k->predict(&predict);
            if (part->kind == HEM_PART_SOFT) {
                k->predict_rotation(instance->q + row, instance->w + row, s->prev_q + row, view->shape_rows + row,
                                    part->row_count, tune, h);
            }
        }
        k->interpolate(instance->target_prev, instance->target_next, s1, view->anim_row_count, s->now);
        animate(instance, s->now);
        lead_caught(instance, s, h);
        if (touch) {
            if (features & HEM_FEATURE_CONTINUOUS) {
                k->continuous(view, instance->x, prev, s);
            }
            if (s->body_row_count) {
                k->place_bodies(view, instance->x, prev, instance->q, s);
            }
        }
        if (collider_count) {
            place_colliders(view, instance, s, collider_count, s0, s1);
        }
        if (passes > 1) {
            memset(s->lambda, 0, ((size_t)view->link_batch_count + view->index_batch_count) * 32);
        }
        for (uint32_t pass = 0; pass < passes; ++pass) {
            solve_links(scene, instance, s, features, pass);
            if ((features & HEM_FEATURE_LIMITS) && view->limit_row_count) {
                k->limits(view, s->now, instance->x);
            }
            s->contact_count = 0;
            if (touch) {
                int meets = s->near_count != 0 || s->pair_count != 0;
                for (uint32_t p = 0; meets && p < info->part_count; ++p) {
                    if (view->parts[p].kind == HEM_PART_SOFT) {
                        k->supports(view, &view->parts[p], instance->q, s->support);
                    }
                }
                if (s->body_row_count) {
                    k->touch_bodies(view, instance->x, prev, s);
                }
                k->touch_particles(view, instance->x, prev, s);
            }
            if (collider_count) {
                k->touch_colliders(view, instance->x, prev, s);
            }
        }
        chained = step + 1 != search * n / searches && !scene->force_field;
        if (!chained) {
            finite = 1;
            for (uint32_t p = 0; p < info->part_count; ++p) {
                const hem_part* part = &view->parts[p];
                uint32_t row = part->row_begin;
                uint32_t sound = k->velocities(instance->x + row, instance->v + row, part->row_count, 1.0f / h);
                finite &= part->kind == HEM_PART_BODY || sound; // bodies are where the pose has them
            }
        }
        for (uint32_t p = 0; p < info->part_count; ++p) {
            uint32_t row = view->parts[p].row_begin;
            if (view->parts[p].kind == HEM_PART_SOFT) { // bodies have a rotation, but nobody asks for its speed
                k->angular_velocities(instance->q + row, s->prev_q + row, instance->w + row, view->parts[p].row_count,
                                      1.0f / h);
            }
        }
    }
    if (gathered) {
        return_colliders(scene, instance);
    }

    if (untangle) {
        watch_caught(scene, instance, s, dt);
    }

    finish(instance);
    if (!finite) {
        hemi_place_on_pose(scene, instance);
        s->mended_count = info->simulated_count;
        instance->event_mask |= 1u << HEM_EVENT_MENDED;
    } else {
        hemi_update_palette(scene, instance);
    }
    state->pose_still_seconds = moved ? 0.0f : hem_minf(state->pose_still_seconds + dt, 1000.0f);
    int rests = finite && !moved && (features & HEM_FEATURE_SLEEP);
    if (rests && state->still_seconds > 0.0f && stays_at_anchor(instance)) {
        state->still_seconds += dt;
        if (state->still_seconds >= SLEEP_SECONDS) {
            state->asleep = 1;
            memset(instance->v, 0, info->row_count * sizeof(hemi_row3));
            memset(instance->w, 0, info->oriented_row_count * sizeof(hemi_row3));
            instance->event_mask |= 1u << HEM_EVENT_SLEEP;
        }
    } else {
        state->still_seconds = rests ? dt : 0.0f;
        if (rests) {
            drop_anchor(instance);
        }
    }
    ++state->step_count;
    if (s->dropped_count) {
        instance->event_mask |= 1u << HEM_EVENT_OVERFLOW;
    }
    instance->report.substep_count = n;
    instance->report.candidate_count = s->candidate_count;
    instance->report.contact_count = s->contact_count;
    instance->report.dropped_count = s->dropped_count;
    instance->report.clamped_count = s->clamped_count;
    instance->report.mended_count = s->mended_count;
    for (uint32_t i = 0; i < s->led_count; ++i) {
        instance->report.led_count += hemi_bit_count(s->led[i].mask);
    }
}

// -- The scene

hem_result hem_scene_step_begin(hem_scene* scene, const hem_step_args* args, uint32_t* job_count) {
    if (!scene || !args || !job_count) {
        return HEM_ERROR_NULL;
    }
    if (hem_scene_kernel(scene) == HEM_KERNEL_AUTO) {
        return HEM_ERROR_COOKIE;
    }
    if (scene->step_open) {
        return HEM_ERROR_BUSY;
    }
    if (!(args->dt_seconds >= 0.0f && args->dt_seconds <= 1.0f) || args->substeps > 64) {
        return HEM_ERROR_RANGE;
    }
    scene->step_open = 1;
    scene->args = *args;
    *job_count = scene->instance_count;
    return HEM_OK;
}

hem_result hem_scene_step_job(hem_scene* scene, uint32_t job, uint32_t worker) {
    if (!scene) {
        return HEM_ERROR_NULL;
    }
    if (!scene->step_open || job >= scene->instance_count || worker >= scene->worker_count) {
        return HEM_ERROR_RANGE;
    }
    hemi_instance* instance = &scene->instances[job];
    if (instance->state->alive) {
        hemi_step_instance(scene, instance, &scene->scratch[worker], scene->args.dt_seconds, scene->args.substeps);
    }
    return HEM_OK;
}

static void add_event(hem_scene* scene, hem_event_kind kind, uint32_t index, uint32_t value) {
    if (scene->event_count == scene->event_capacity) {
        ++scene->event_lost;
        return;
    }
    hem_event* event = &scene->events[scene->event_count++];
    event->kind = kind;
    event->id.index1 = index + 1;
    event->id.generation = scene->instances[index].state->generation;
    event->value = value;
}

hem_result hem_scene_step_end(hem_scene* scene) {
    if (!scene) {
        return HEM_ERROR_NULL;
    }
    if (!scene->step_open) {
        return HEM_ERROR_RANGE;
    }
    scene->step_open = 0;
    scene->event_count = scene->event_lost = 0;
    hem_step_report* sum = &scene->report;
    memset(sum, 0, sizeof(*sum));
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        const hemi_instance* instance = &scene->instances[i];
        if (!instance->state->alive) {
            continue;
        }
        const hem_step_report* r = &instance->report;
        ++sum->instance_count;
        sum->stepped_count += instance->stepped;
        sum->substep_count = r->substep_count > sum->substep_count ? r->substep_count : sum->substep_count;
        sum->candidate_count += r->candidate_count;
        sum->contact_count += r->contact_count;
        sum->dropped_count += r->dropped_count;
        sum->clamped_count += r->clamped_count;
        sum->mended_count += r->mended_count;
        sum->led_count += r->led_count;
        for (uint32_t kind = HEM_EVENT_SLEEP; kind <= HEM_EVENT_MENDED; ++kind) {
            if (instance->event_mask >> kind & 1u) {
                uint32_t value = kind == HEM_EVENT_OVERFLOW ? r->dropped_count
                                 : kind == HEM_EVENT_MENDED ? r->mended_count
                                                            : 0;
                add_event(scene, (hem_event_kind)kind, i, value);
            }
        }
    }
    return HEM_OK;
}

hem_result hem_scene_step(hem_scene* scene, const hem_step_args* args) {
    uint32_t jobs;
    hem_result result = hem_scene_step_begin(scene, args, &jobs);
    if (result != HEM_OK) {
        return result;
    }
    for (uint32_t i = 0; i < jobs; ++i) {
        hem_scene_step_job(scene, i, 0);
    }
    return hem_scene_step_end(scene);
}

hem_result hem_scene_get_report(const hem_scene* scene, hem_step_report* report) {
    if (!scene || !report) {
        return HEM_ERROR_NULL;
    }
    *report = scene->report;
    return HEM_OK;
}

hem_result hem_scene_get_events(const hem_scene* scene, const hem_event** events, uint32_t* count,
                                uint32_t* lost_count) {
    if (!scene || !events || !count) {
        return HEM_ERROR_NULL;
    }
    *events = scene->events;
    *count = scene->event_count;
    if (lost_count) {
        *lost_count = scene->event_lost;
    }
    return HEM_OK;
}
