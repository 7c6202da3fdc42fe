// SPDX-License-Identifier: MIT
// What every chapter begins with: rows of eight in and out, particles by index, places in the pose.

#include "platform/vec.h"
#include "platform/vec_math.h"

#define TINY 1e-20f // below any length or mass that there is

HEM_INLINE v8x3 row3_load(const hemi_row3* r) {
    return v8x3_make(v8_load(r->x), v8_load(r->y), v8_load(r->z));
}

HEM_INLINE void row3_store(hemi_row3* r, v8x3 a) {
    v8_store(r->x, a.x);
    v8_store(r->y, a.y);
    v8_store(r->z, a.z);
}

HEM_INLINE v8x3 row4_load3(const hemi_row4* r) {
    return v8x3_make(v8_load(r->x), v8_load(r->y), v8_load(r->z));
}

HEM_INLINE void row4_store3(hemi_row4* r, v8x3 a) {
    v8_store(r->x, a.x);
    v8_store(r->y, a.y);
    v8_store(r->z, a.z);
}

HEM_INLINE v8x4 row4_load(const hemi_row4* r) {
    return v8x4_make(v8_load(r->x), v8_load(r->y), v8_load(r->z), v8_load(r->w));
}

HEM_INLINE void row4_store(hemi_row4* r, v8x4 a) {
    v8_store(r->x, a.x);
    v8_store(r->y, a.y);
    v8_store(r->z, a.z);
    v8_store(r->w, a.w);
}

// Where the particles' values begin in an array with so many floats per row.
HEM_INLINE void places_of(const uint16_t particle[8], int32_t row_floats, int32_t index[8]) {
    w8 p = w8_load_u16(particle);
    w8_store(index, w8_add(w8_mul(w8_shr(p, 3), w8_set1(row_floats)), w8_and(p, w8_set1(7))));
}

HEM_INLINE void slots_of(const uint16_t particle[8], int32_t index[8]) { // of a hemi_row4
    places_of(particle, 32, index);
}

HEM_INLINE v8x3 gather3(const float* base, const int32_t index[8]) {
    return v8x3_make(v8_gather(base, index), v8_gather(base + 8, index), v8_gather(base + 16, index));
}

HEM_INLINE void scatter3(float* base, const int32_t index[8], v8x3 value, m8 mask) {
    v8_scatter(base, index, value.x, mask);
    v8_scatter(base + 8, index, value.y, mask);
    v8_scatter(base + 16, index, value.z, mask);
}

HEM_INLINE v8x4 gather4(const float* base, const int32_t at[8]) {
    return v8x4_make(v8_gather(base, at), v8_gather(base + 8, at), v8_gather(base + 16, at), v8_gather(base + 24, at));
}

HEM_INLINE v8x3 v8x3_least(v8x3 a, v8x3 b) {
    return v8x3_make(v8_min(a.x, b.x), v8_min(a.y, b.y), v8_min(a.z, b.z));
}

HEM_INLINE v8x3 v8x3_most(v8x3 a, v8x3 b) {
    return v8x3_make(v8_max(a.x, b.x), v8_max(a.y, b.y), v8_max(a.z, b.z));
}

HEM_INLINE v8x3 transform3(const float m[12], v8x3 p, int translate) {
    v8 zero = v8_zero();
    v8 tx = translate ? v8_set1(m[3]) : zero, ty = translate ? v8_set1(m[7]) : zero;
    v8 tz = translate ? v8_set1(m[11]) : zero;
    v8 x = v8_madd(v8_set1(m[2]), p.z, v8_madd(v8_set1(m[1]), p.y, v8_madd(v8_set1(m[0]), p.x, tx)));
    v8 y = v8_madd(v8_set1(m[6]), p.z, v8_madd(v8_set1(m[5]), p.y, v8_madd(v8_set1(m[4]), p.x, ty)));
    v8 z = v8_madd(v8_set1(m[10]), p.z, v8_madd(v8_set1(m[9]), p.y, v8_madd(v8_set1(m[8]), p.x, tz)));
    return v8x3_make(x, y, z);
}

HEM_INLINE v8x3 unit_or(v8x3 a, v8x3 otherwise) {
    v8 n2 = v8x3_dot(a, a);
    m8 good = v8_gt(n2, v8_set1(1e-16f));
    v8 s = v8_div(v8_set1(1.0f), v8_sqrt(v8_select(good, n2, v8_set1(1.0f))));
    return v8x3_select(good, v8x3_scale(a, s), otherwise);
}

// Position of a row by linear blending, rotation by blending the bones' quaternions on one hemisphere (eq. 4, rigid).
HEM_INLINE void pose_row(const hem_view* view, uint32_t row, const hemi_bone_pose* bones, hemi_target_row* out) {
    const hem_bind_row* bind = &view->bind_rows[row];
    const hem_rest_row* rest = &view->rest_rows[row];
    v8x3 r = v8x3_make(v8_load(rest->x), v8_load(rest->y), v8_load(rest->z));
    v8x3 x = v8x3_set1(0.0f, 0.0f, 0.0f);
    v8x4 q = v8x4_make(v8_zero(), v8_zero(), v8_zero(), v8_zero());
    v8x4 first = q;
    for (int k = 0; k < 4; ++k) {
        v8 weight = v8_load(bind->weight[k]);
        if (k > 0 && m8_all(v8_eq(weight, v8_zero()))) { // most follow one or two bones, and so do their neighbours
            continue;
        }
        HEM_ALIGN(32) int32_t index[8];
        w8_store(index, w8_shl(w8_load_u16(bind->bone[k]), 2)); // hemi_bone_pose is four times four floats
        const float* base = bones[0].m;
        v8 m[4];
        v8x3 p;
        v8_load_rows4(base, index, &m[0], &m[1], &m[2], &m[3]);
        p.x = v8_add(v8_madd(m[2], r.z, v8_madd(m[1], r.y, v8_mul(m[0], r.x))), m[3]);
        v8_load_rows4(base + 4, index, &m[0], &m[1], &m[2], &m[3]);
        p.y = v8_add(v8_madd(m[2], r.z, v8_madd(m[1], r.y, v8_mul(m[0], r.x))), m[3]);
        v8_load_rows4(base + 8, index, &m[0], &m[1], &m[2], &m[3]);
        p.z = v8_add(v8_madd(m[2], r.z, v8_madd(m[1], r.y, v8_mul(m[0], r.x))), m[3]);
        x = v8x3_madd(p, weight, x);
        v8x4 b;
        v8_load_rows4(base + 12, index, &b.x, &b.y, &b.z, &b.w);
        first = k == 0 ? b : first;
        v8 sign = v8_sign(v8x4_dot(first, b));
        v8 ws = v8_mul(weight, sign);
        q = v8x4_make(v8_madd(b.x, ws, q.x), v8_madd(b.y, ws, q.y), v8_madd(b.z, ws, q.z), v8_madd(b.w, ws, q.w));
    }
    row3_store(&out->x, x);
    row4_store(&out->q, v8x4_normalise(q));
}

// Of a velocity, what painted damping leaves.
HEM_INLINE v8 keep_painted(const hem_map_row* map, float damped_h) {
    return v8_exp(v8_mul(v8_load(map->damping), v8_set1(-damped_h)));
}
