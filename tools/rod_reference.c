// SPDX-License-Identifier: MIT
#include "tools/rod_reference.h"

#include <math.h>

typedef struct rod_rates {
    rod_vector v[ROD_REFERENCE_MOST], a[ROD_REFERENCE_MOST], w[ROD_REFERENCE_MOST], b[ROD_REFERENCE_MOST];
} rod_rates;

rod_rotation rod_mul(rod_rotation a, rod_rotation b) {
    return (rod_rotation){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                          a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

rod_rotation rod_conjugate(rod_rotation a) {
    return (rod_rotation){-a.x, -a.y, -a.z, a.w};
}

static rod_vector turned(rod_rotation q, rod_vector v) {
    const rod_rotation r = rod_mul(rod_mul(q, (rod_rotation){v.x, v.y, v.z, 0}), rod_conjugate(q));
    return (rod_vector){r.x, r.y, r.z};
}

static rod_vector cross(rod_vector a, rod_vector b) {
    return (rod_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static rod_vector plus(rod_vector a, double s, rod_vector b) {
    return (rod_vector){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double dot(rod_vector a, rod_vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

void rod_reference_set(rod_reference* r, uint32_t k, const hem_rod* rod, uint32_t lane, double mass, rod_vector x) {
    r->mass[k] = mass;
    r->inertia[k] = 20 * (double)rod->inertia[lane]; // it rests where it rests, and steps may be longer
    // Softer along than the asset: what is stretched by a thousandth or by a ten thousandth lies alike.
    r->stretch[k] = 0.05 * (double)rod->stretch[lane];
    r->bend[k] = (double)rod->bend[lane];
    r->twist[k] = (double)rod->twist[lane];
    r->edge[k] = (rod_vector){(double)rod->edge[0][lane], (double)rod->edge[1][lane], (double)rod->edge[2][lane]};
    r->x[k] = x;
    r->v[k] = r->w[k] = (rod_vector){0, 0, 0};
    r->q[k] = (rod_rotation){0, 0, 0, 1};
}

static void derive(const rod_reference* r, double drag, rod_rates* out) {
    rod_vector force[ROD_REFERENCE_MOST], torque[ROD_REFERENCE_MOST];
    for (uint32_t k = 0; k < r->count; k++) {
        force[k] = (rod_vector){0, -r->gravity * r->mass[k], 0};
        torque[k] = (rod_vector){0, 0, 0};
    }
    for (uint32_t k = 0; k + 1 < r->count; k++) {
        const rod_vector edge = turned(r->q[k], r->edge[k]);
        const rod_vector c = plus(plus(r->x[k + 1], -1, r->x[k]), -1, edge);
        force[k] = plus(force[k], r->stretch[k], c);
        force[k + 1] = plus(force[k + 1], -r->stretch[k], c);
        torque[k] = plus(torque[k], r->stretch[k], cross(edge, c));
        const rod_rotation d = rod_mul(r->q[k + 1], rod_conjugate(r->q[k]));
        const double two = d.w < 0 ? -2 : 2, length = sqrt(dot(edge, edge));
        const rod_vector t = {two * d.x, two * d.y, two * d.z};
        const rod_vector along = {edge.x / length, edge.y / length, edge.z / length};
        const rod_vector moment = plus((rod_vector){r->bend[k] * t.x, r->bend[k] * t.y, r->bend[k] * t.z},
                                       (r->twist[k] - r->bend[k]) * dot(along, t), along);
        torque[k] = plus(torque[k], 1, moment);
        torque[k + 1] = plus(torque[k + 1], -1, moment);
    }
    for (uint32_t k = 0; k < r->count; k++) {
        const double held = k == 0 ? 0 : 1;
        out->v[k] = r->v[k];
        out->w[k] = r->w[k];
        out->a[k] = plus((rod_vector){0, 0, 0}, held / r->mass[k], plus(force[k], -drag * r->mass[k], r->v[k]));
        out->b[k] = plus((rod_vector){0, 0, 0}, held / r->inertia[k], plus(torque[k], -drag * r->inertia[k], r->w[k]));
    }
}

static void advance(const rod_reference* from, const rod_rates* rate, double h, rod_reference* to) {
    *to = *from;
    for (uint32_t k = 0; k < from->count; k++) {
        to->x[k] = plus(from->x[k], h, rate->v[k]);
        to->v[k] = plus(from->v[k], h, rate->a[k]);
        to->w[k] = plus(from->w[k], h, rate->b[k]);
        const rod_rotation spin = {0.5 * h * rate->w[k].x, 0.5 * h * rate->w[k].y, 0.5 * h * rate->w[k].z, 1};
        const rod_rotation q = rod_mul(spin, from->q[k]);
        const double n = 1 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
        to->q[k] = (rod_rotation){q.x * n, q.y * n, q.z * n, q.w * n};
    }
}

static rod_vector mean(rod_vector a, rod_vector b, rod_vector c, rod_vector d) {
    const rod_vector sum = plus(plus(plus(a, 2, b), 2, c), 1, d);
    return (rod_vector){sum.x / 6, sum.y / 6, sum.z / 6};
}

void rod_reference_step(rod_reference* r, double drag, double h) {
    static rod_rates k[4];
    static rod_reference t;
    derive(r, drag, &k[0]);
    advance(r, &k[0], 0.5 * h, &t);
    derive(&t, drag, &k[1]);
    advance(r, &k[1], 0.5 * h, &t);
    derive(&t, drag, &k[2]);
    advance(r, &k[2], h, &t);
    derive(&t, drag, &k[3]);
    for (uint32_t i = 0; i < r->count; i++) {
        k[0].v[i] = mean(k[0].v[i], k[1].v[i], k[2].v[i], k[3].v[i]);
        k[0].a[i] = mean(k[0].a[i], k[1].a[i], k[2].a[i], k[3].a[i]);
        k[0].w[i] = mean(k[0].w[i], k[1].w[i], k[2].w[i], k[3].w[i]);
        k[0].b[i] = mean(k[0].b[i], k[1].b[i], k[2].b[i], k[3].b[i]);
    }
    advance(r, &k[0], h, &t);
    *r = t;
}
