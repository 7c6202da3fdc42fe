// SPDX-License-Identifier: MIT
// Damping of what is not motion as a whole (Mueller, Heidelberger, Hennix and Ratcliff, "Position Based Dynamics", section
// 3.5), per part, once a step:
//
//     c = sum m x / sum m,   u = sum m v / sum m,   L = sum m (x - c) x v,   I = sum m (|r|^2 1 - r r^T)
//     v += k (u + I^-1 L x (x - c) - v),            k = 1 - exp(-inner_damping dt)
//
// What falls and turns goes on falling and turning, however heavy the damping: only ripples die away. By construction
// neither sum m v nor L changes. Plain C in double, so every backend gives the same bits.
//
// And what a solid loses that lies on something and rolls or rocks: stuff that is pressed flat gives back less than it took. As friction
// does, this torque stops a slow turn altogether, and never turns it back:
//
//     |torque| <= ROLLING friction m g R,   R^2 = 5 tr I / (6 m), the ball with this inertia
//
// Without it a round solid rocks for a quarter of a minute, which looks like ice.

#include "runtime/src/step.h"

typedef struct whole {
    double mass, place[3], speed[3], turn[3]; // turn: radians a second
    double inertia[6];                        // xx, yy, zz, xy, xz, yz
} whole;

static int is_free(const hemi_instance* instance, uint32_t row, uint32_t i) {
    return instance->x[row].w[i] > 0.0f;
}

static void load(const hemi_instance* instance, uint32_t row, uint32_t i, double x[3], double v[3]) {
    const hemi_row4* at = &instance->x[row];
    const hemi_row3* moves = &instance->v[row];
    x[0] = (double)at->x[i], x[1] = (double)at->y[i], x[2] = (double)at->z[i];
    v[0] = (double)moves->x[i], v[1] = (double)moves->y[i], v[2] = (double)moves->z[i];
}

static whole mean_of(const hemi_instance* instance, const hem_part* part) {
    whole all = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
        for (uint32_t i = 0; i < 8; ++i) {
            const double m = is_free(instance, row, i) ? (double)instance->view->rest_rows[row].mass[i] : 0;
            double x[3], v[3];
            load(instance, row, i, x, v);
            all.mass += m;
            for (int k = 0; m > 0 && k < 3; ++k) {
                all.place[k] += m * x[k];
                all.speed[k] += m * v[k];
            }
        }
    }
    for (int k = 0; all.mass > 0 && k < 3; ++k) {
        all.place[k] /= all.mass;
        all.speed[k] /= all.mass;
    }
    return all;
}

// I turn = L, with so much added to I that a strand, which has none about itself, does not turn about itself.
static void solve_turn(const double inertia[6], const double momentum[3], double turn[3]) {
    const double more = 1e-9 * (inertia[0] + inertia[1] + inertia[2]);
    const double a = inertia[0] + more, b = inertia[1] + more, c = inertia[2] + more;
    const double d = inertia[3], e = inertia[4], f = inertia[5]; // xy, xz, yz
    const double aa = b * c - f * f, bb = a * c - e * e, cc = a * b - d * d;
    const double ab = e * f - d * c, ac = d * f - e * b, bc = d * e - a * f;
    const double det = a * aa + d * ab + e * ac;
    const double scale = det > 0 ? 1.0 / det : 0.0;
    turn[0] = scale * (aa * momentum[0] + ab * momentum[1] + ac * momentum[2]);
    turn[1] = scale * (ab * momentum[0] + bb * momentum[1] + bc * momentum[2]);
    turn[2] = scale * (ac * momentum[0] + bc * momentum[1] + cc * momentum[2]);
}

static void find_turn(const hemi_instance* instance, const hem_part* part, whole* all) {
    double momentum[3] = {0, 0, 0}, inertia[6] = {0, 0, 0, 0, 0, 0};
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
        for (uint32_t i = 0; i < 8; ++i) {
            const double m = (double)instance->view->rest_rows[row].mass[i];
            double r[3], v[3];
            if (!is_free(instance, row, i)) {
                continue;
            }
            load(instance, row, i, r, v);
            for (int k = 0; k < 3; ++k) {
                r[k] -= all->place[k];
                v[k] -= all->speed[k];
            }
            momentum[0] += m * (r[1] * v[2] - r[2] * v[1]);
            momentum[1] += m * (r[2] * v[0] - r[0] * v[2]);
            momentum[2] += m * (r[0] * v[1] - r[1] * v[0]);
            inertia[0] += m * (r[1] * r[1] + r[2] * r[2]);
            inertia[1] += m * (r[0] * r[0] + r[2] * r[2]);
            inertia[2] += m * (r[0] * r[0] + r[1] * r[1]);
            inertia[3] -= m * r[0] * r[1];
            inertia[4] -= m * r[0] * r[2];
            inertia[5] -= m * r[1] * r[2];
        }
    }
    solve_turn(inertia, momentum, all->turn);
    memcpy(all->inertia, inertia, sizeof(inertia));
}

// Place and velocity of one that moves, its place from the centre of the whole.
static int load_about(const hemi_instance* instance, const whole* all, uint32_t row, uint32_t i, double r[3],
                      double v[3]) {
    if (!is_free(instance, row, i)) {
        return 0;
    }
    load(instance, row, i, r, v);
    for (int k = 0; k < 3; ++k) {
        r[k] -= all->place[k];
    }
    return 1;
}

static void damp(hemi_instance* instance, const hem_part* part, const whole* all, double share) {
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
        hemi_row3* moves = &instance->v[row];
        for (uint32_t i = 0; i < 8; ++i) {
            double r[3], v[3];
            if (!load_about(instance, all, row, i, r, v)) {
                continue;
            }
            const double x = all->speed[0] + all->turn[1] * r[2] - all->turn[2] * r[1];
            const double y = all->speed[1] + all->turn[2] * r[0] - all->turn[0] * r[2];
            const double z = all->speed[2] + all->turn[0] * r[1] - all->turn[1] * r[0];
            moves->x[i] = (float)(v[0] + share * (x - v[0]));
            moves->y[i] = (float)(v[1] + share * (y - v[1]));
            moves->z[i] = (float)(v[2] + share * (z - v[2]));
        }
    }
}

void hemi_damp_inner(hemi_step* s) {
    hemi_instance* instance = s->instance;
    for (uint32_t p = 0; p < instance->view->info->part_count; ++p) {
        const hem_part* part = &instance->view->parts[p];
        const float rate = instance->tuning[p].inner_damping;
        if (!(rate > 0.0f) || part->kind == HEM_PART_BODY) {
            continue;
        }
        whole all = mean_of(instance, part);
        if (all.mass > 0) {
            find_turn(instance, part, &all);
            damp(instance, part, &all, 1.0 - (double)hem_expf(-rate * s->dt));
            s->scratch->counters.work += 3 * (uint64_t)part->row_count;
        }
    }
}

// -- Rolling

#define ROLLING 0.05 // of friction: car tyres have 0.01, balls on carpet and soft rubber some hundredths

static void slow_turn(hemi_instance* instance, const hem_part* part, const whole* all, const double change[3]) {
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
        hemi_row3* moves = &instance->v[row];
        for (uint32_t i = 0; i < 8; ++i) {
            double r[3], v[3];
            if (!load_about(instance, all, row, i, r, v)) {
                continue;
            }
            moves->x[i] = (float)(v[0] + change[1] * r[2] - change[2] * r[1]);
            moves->y[i] = (float)(v[1] + change[2] * r[0] - change[0] * r[2]);
            moves->z[i] = (float)(v[2] + change[0] * r[1] - change[1] * r[0]);
        }
    }
}

static void resist(hemi_step* s, uint32_t p) {
    hemi_instance* instance = s->instance;
    const hem_part* part = &instance->view->parts[p];
    whole all = mean_of(instance, part);
    if (!(all.mass > 0)) {
        return;
    }
    find_turn(instance, part, &all);
    const double *w = all.turn, *i = all.inertia;
    const double speed = (double)hem_sqrtf((float)(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    const double about = (i[0] * w[0] * w[0] + i[1] * w[1] * w[1] + i[2] * w[2] * w[2]) +
                         2.0 * (i[3] * w[0] * w[1] + i[4] * w[0] * w[2] + i[5] * w[1] * w[2]); // I speed^2
    if (!(about > 0)) {
        return;
    }
    const float* pull = s->scratch->solve.parts[p].gravity;
    const double g = (double)hem_vec3_length(hemi_vec3_of(pull));
    const double radius = (double)hem_sqrtf((float)(5.0 * (i[0] + i[1] + i[2]) / (6.0 * all.mass)));
    const double torque = ROLLING * (double)instance->tuning[p].friction * all.mass * g * radius;
    const double lost = torque * (double)s->dt * speed / about; // of the turn, as a share of it
    const double share = lost < 1.0 ? -lost : -1.0;
    const double change[3] = {share * w[0], share * w[1], share * w[2]};
    slow_turn(instance, part, &all, change);
    s->scratch->counters.work += 3 * (uint64_t)part->row_count;
}

void hemi_resist_rolling(hemi_step* s) {
    const hemi_instance* instance = s->instance;
    for (uint32_t p = 0; s->scratch->counters.touched && p < instance->view->info->part_count; ++p) {
        const int lies = s->scratch->counters.touched >> p & 1;
        if (lies && s->finite && instance->tuning[p].solid_young > 0.0f && instance->tuning[p].friction > 0.0f) {
            resist(s, p);
        }
    }
}
