// SPDX-License-Identifier: MIT
// Particles that follow the pose: directly, or so that momentum is kept.

#include "runtime/src/step.h"

int hemi_part_mode(const hem_view* view, const hemi_input* input, uint32_t p) {
    HEM_ASSERT(p < view->info->part_count);
    if (view->parts[p].kind == HEM_PART_BODY) {
        return HEM_ANIMATE_DIRECT;
    }
    return input->animation >= 0 ? input->animation : (int)view->parts[p].animation;
}

// Animated lanes are immovable when they follow the pose directly and have their mass when momentum counts.
static void set_animated_masses(hemi_instance* instance) {
    const hem_view* view = instance->view;
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const hem_anim_row* row = &view->anim_rows[i];
        uint32_t p = view->particle_flags[row->row * 8] >> HEM_PARTICLE_PART_SHIFT;
        int momentum = hemi_part_mode(view, instance->input, p) == HEM_ANIMATE_MOMENTUM;
        for (uint32_t bits = row->animated_mask & 0xffu; bits; bits &= bits - 1) {
            const uint32_t k = hem_lowest_bit(bits);
            float mass = view->rest_rows[row->row].mass[k];
            instance->x[row->row].w[k] = momentum && mass > 0.0f ? 1.0f / mass : 0.0f;
        }
    }
}

static void copy_lane(hemi_instance* instance, const hemi_target_row* from, uint32_t row, uint32_t k) {
    HEM_ASSERT(row < instance->view->info->row_count && k < 8);
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

void hemi_hold_row(hemi_instance* instance, const hemi_target_row* from, uint32_t row, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
        copy_lane(instance, from, row, hem_lowest_bit(lanes));
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
            if (hemi_part_mode(view, instance->input, part) != HEM_ANIMATE_MOMENTUM) {
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
    hem_quat turn = match_rotation(m, hemi_quat_of(instance->state->match_rotation));
    memcpy(instance->state->match_rotation, &turn, sizeof(turn));
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const hem_anim_row* anim = &view->anim_rows[i];
        uint32_t part = view->particle_flags[anim->row * 8] >> HEM_PARTICLE_PART_SHIFT;
        if (hemi_part_mode(view, instance->input, part) != HEM_ANIMATE_MOMENTUM) {
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

static void overwrite(hemi_instance* instance, const hemi_target_row* now) {
    const hem_view* view = instance->view;
    int momentum = 0;
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const hem_anim_row* anim = &view->anim_rows[i];
        uint32_t part = view->particle_flags[anim->row * 8] >> HEM_PARTICLE_PART_SHIFT;
        if (anim->animated_mask == 0) {
            continue; // only driven, or limited
        }
        if (hemi_part_mode(view, instance->input, part) == HEM_ANIMATE_MOMENTUM) {
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
        hemi_hold_row(instance, &now[i], anim->row, anim->animated_mask & 0xffu);
    }
    if (momentum) {
        animate_with_momentum(instance, now);
    }
}

void hemi_phase_pose(hemi_step* s) {
    hemi_instance *instance = s->instance, *drawn = s->drawn;
    const hem_info* info = drawn->view->info;
    if (s->scene->keep_previous) {
        memcpy(drawn->palette_prev, drawn->palette, info->vertex_count ? info->particle_count * 64u : 0u);
        if (!drawn->state->pose_changed) {
            memcpy(drawn->bones_prev, drawn->bones, info->bone_count * sizeof(hemi_bone_pose));
        }
    }
    if (!s->awake) {
        return;
    }
    set_animated_masses(instance);
    s->scratch->untangle.led_count = 0;
    if (s->untangle) {
        hemi_take_caught(s);
    }
    hemi_damp_inner(s);
}

void hemi_phase_animate(hemi_step* s) {
    hemi_instance* instance = s->instance;
    hemi_target_row* now = s->scratch->solve.now;
    s->scene->kernels->interpolate(instance->target_prev, instance->target_next, s->s1, instance->view->anim_row_count,
                                   now);
    overwrite(instance, now);
    hemi_lead_caught(s);
}
