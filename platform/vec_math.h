// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_VEC_MATH_H
#define HEM_PLATFORM_VEC_MATH_H

// Eight sines, eight quaternions: the vector twin of platform/math.h.
//
// Each lane does exactly the operations of the scalar function of the same name, in the same order, so the bits agree;
// branches become selects. Accuracy, ranges and special values are those stated in math.h.
//
//   v8x3     eight vectors          hem_vec3
//   v8x4     eight quaternions      hem_quat      (w real; mul(a, b) turns by b first)
//   v8_mat3  eight 3x3 matrices, three rows

#include "platform/vec.h"
#include "platform/math.h"

// -- Functions

HEM_INLINE v8 v8_trig_reduce(v8 x, w8* quadrant) {
    v8 a = v8_abs(x);
    a = v8_select(v8_le(a, v8_set1(HEM_TRIG_LIMIT)), a, v8_mul(a, v8_zero()));
    v8 n = v8_floor(v8_madd(a, v8_set1(HEM_TWO_OVER_PI), v8_set1(0.5f)));
    *quadrant = w8_and(v8_to_w8(n), w8_set1(3)); // NaN converts to INT32_MIN, quadrant 0
    v8 r = v8_nmadd(n, v8_set1(HEM_HALF_PI_A), a);
    r = v8_nmadd(n, v8_set1(HEM_HALF_PI_B), r);
    r = v8_nmadd(n, v8_set1(HEM_HALF_PI_C), r);
    return v8_nmadd(n, v8_set1(HEM_HALF_PI_D), r);
}

HEM_INLINE v8 v8_sin_kernel(v8 r) {
    v8 z = v8_mul(r, r);
    v8 p = v8_madd(v8_madd(v8_set1(HEM_SIN_P2), z, v8_set1(HEM_SIN_P1)), z, v8_set1(HEM_SIN_P0));
    return v8_madd(v8_mul(r, z), p, r);
}

HEM_INLINE v8 v8_cos_kernel(v8 r) {
    v8 z = v8_mul(r, r);
    v8 p = v8_madd(v8_madd(v8_set1(HEM_COS_Q2), z, v8_set1(HEM_COS_Q1)), z, v8_set1(HEM_COS_Q0));
    return v8_madd(v8_mul(z, z), p, v8_nmadd(v8_set1(0.5f), z, v8_set1(1.0f)));
}

// Bit 1 of a quadrant number, moved to the sign.
HEM_INLINE w8 v8_quadrant_sign(w8 quadrant) {
    return w8_shl(w8_and(quadrant, w8_set1(2)), 30);
}

HEM_INLINE void v8_sincos(v8 x, v8* sine, v8* cosine) {
    w8 q;
    v8 r = v8_trig_reduce(x, &q);
    v8 s = v8_sin_kernel(r);
    v8 c = v8_cos_kernel(r);
    m8 even = w8_eq(w8_and(q, w8_set1(1)), w8_set1(0));
    w8 sign = w8_xor(v8_quadrant_sign(q), w8_and(v8_as_w8(x), w8_set1(INT32_MIN)));
    *sine = w8_as_v8(w8_xor(v8_as_w8(v8_select(even, s, c)), sign));
    *cosine = w8_as_v8(w8_xor(v8_as_w8(v8_select(even, c, s)), v8_quadrant_sign(w8_add(q, w8_set1(1)))));
}

HEM_INLINE v8 v8_sin(v8 x) {
    v8 s, c;
    v8_sincos(x, &s, &c);
    return s;
}

HEM_INLINE v8 v8_cos(v8 x) {
    v8 s, c;
    v8_sincos(x, &s, &c);
    return c;
}

HEM_INLINE v8 v8_acos(v8 x) {
    v8 a = v8_abs(x);
    m8 near_end = v8_gt(a, v8_set1(0.5f));
    m8 negative = v8_lt(x, v8_zero());
    v8 outer = v8_mul(v8_max(v8_sub(v8_set1(1.0f), a), v8_zero()), v8_set1(0.5f));
    v8 z = v8_select(near_end, outer, v8_mul(a, a));
    v8 s = v8_select(near_end, v8_sqrt(z), a);
    v8 p = v8_madd(v8_set1(HEM_ASIN_R5), z, v8_set1(HEM_ASIN_R4));
    p = v8_madd(p, z, v8_set1(HEM_ASIN_R3));
    p = v8_madd(p, z, v8_set1(HEM_ASIN_R2));
    p = v8_madd(p, z, v8_set1(HEM_ASIN_R1));
    p = v8_madd(p, z, v8_set1(HEM_ASIN_R0));
    p = v8_madd(v8_mul(s, z), p, s);
    v8 t = v8_select(near_end, v8_add(p, p), p);
    v8 signed_t = v8_select(negative, v8_neg(t), t);
    v8 middle = v8_sub(v8_set1(0.5f * HEM_PI_HI), v8_sub(signed_t, v8_set1(0.5f * HEM_PI_LO)));
    v8 end = v8_select(negative, v8_sub(v8_set1(HEM_PI_HI), v8_sub(t, v8_set1(HEM_PI_LO))), t);
    return v8_select(v8_eq(x, x), v8_select(near_end, end, middle), x);
}

HEM_INLINE v8 v8_atan2(v8 y, v8 x) {
    v8 ax = v8_abs(x), ay = v8_abs(y);
    m8 steep = v8_gt(ay, ax);
    v8 large = v8_select(steep, ay, ax);
    v8 small = v8_select(steep, ax, ay);
    v8 one = v8_set1(1.0f);
    v8 t = v8_select(v8_eq(small, large), one, v8_div(small, large));
    t = v8_keep(v8_gt(large, v8_zero()), t);
    m8 turn = v8_gt(t, v8_set1(HEM_TAN_PI_8));
    v8 u = v8_select(turn, v8_div(v8_sub(t, one), v8_add(t, one)), t);
    v8 z = v8_mul(u, u);
    v8 p = v8_madd(v8_set1(HEM_ATAN_T4), z, v8_set1(HEM_ATAN_T3));
    p = v8_madd(p, z, v8_set1(HEM_ATAN_T2));
    p = v8_madd(p, z, v8_set1(HEM_ATAN_T1));
    p = v8_madd(p, z, v8_set1(HEM_ATAN_T0));
    v8 a = v8_madd(v8_mul(u, z), p, u);
    a = v8_select(turn, v8_add(v8_set1(0.25f * HEM_PI_HI), v8_add(a, v8_set1(0.25f * HEM_PI_LO))), a);
    m8 back = w8_gt(w8_set1(0), v8_as_w8(x));
    v8 signed_a = v8_select(back, v8_neg(a), a);
    v8 upright = v8_sub(v8_set1(0.5f * HEM_PI_HI), v8_sub(signed_a, v8_set1(0.5f * HEM_PI_LO)));
    v8 level = v8_select(back, v8_sub(v8_set1(HEM_PI_HI), v8_sub(a, v8_set1(HEM_PI_LO))), a);
    a = v8_copysign(v8_select(steep, upright, level), y);
    return v8_select(m8_and(v8_eq(x, x), v8_eq(y, y)), a, v8_add(x, y));
}

HEM_INLINE v8 v8_exp(v8 x) {
    v8 n = v8_floor(v8_madd(x, v8_set1(HEM_LOG2_E), v8_set1(0.5f)));
    v8 r = v8_nmadd(n, v8_set1(HEM_LN2_LO), v8_nmadd(n, v8_set1(HEM_LN2_HI), x));
    v8 e = v8_madd(v8_set1(HEM_EXP_E4), r, v8_set1(HEM_EXP_E3));
    e = v8_madd(e, r, v8_set1(HEM_EXP_E2));
    e = v8_madd(e, r, v8_set1(HEM_EXP_E1));
    e = v8_madd(e, r, v8_set1(HEM_EXP_E0));
    v8 p = v8_add(v8_madd(v8_mul(r, r), e, r), v8_set1(1.0f));
    w8 biased = w8_add(v8_to_w8(n), w8_set1(254));
    w8 half = w8_shr(biased, 1);
    v8 scaled = v8_mul(v8_mul(p, w8_as_v8(w8_shl(half, 23))), w8_as_v8(w8_shl(w8_sub(biased, half), 23)));
    v8 infinity = v8_set1(hem_float_of_bits(0x7f800000u));
    m8 low = v8_lt(x, v8_set1(HEM_EXP_MIN));
    m8 inside = v8_le(x, v8_set1(HEM_EXP_MAX));
    return v8_select(inside, v8_keep(m8_not(low), scaled), v8_add(x, infinity));
}

// -- Eight vectors

typedef struct v8x3 {
    v8 x, y, z;
} v8x3;

HEM_INLINE v8x3 v8x3_make(v8 x, v8 y, v8 z) {
    v8x3 r;
    r.x = x;
    r.y = y;
    r.z = z;
    return r;
}

HEM_INLINE v8x3 v8x3_set1(float x, float y, float z) {
    return v8x3_make(v8_set1(x), v8_set1(y), v8_set1(z));
}

HEM_INLINE v8x3 v8x3_add(v8x3 a, v8x3 b) {
    return v8x3_make(v8_add(a.x, b.x), v8_add(a.y, b.y), v8_add(a.z, b.z));
}

HEM_INLINE v8x3 v8x3_sub(v8x3 a, v8x3 b) {
    return v8x3_make(v8_sub(a.x, b.x), v8_sub(a.y, b.y), v8_sub(a.z, b.z));
}

HEM_INLINE v8x3 v8x3_neg(v8x3 a) {
    return v8x3_make(v8_neg(a.x), v8_neg(a.y), v8_neg(a.z));
}

HEM_INLINE v8x3 v8x3_scale(v8x3 a, v8 s) {
    return v8x3_make(v8_mul(a.x, s), v8_mul(a.y, s), v8_mul(a.z, s));
}

// a * s + b
HEM_INLINE v8x3 v8x3_madd(v8x3 a, v8 s, v8x3 b) {
    return v8x3_make(v8_madd(a.x, s, b.x), v8_madd(a.y, s, b.y), v8_madd(a.z, s, b.z));
}

// b - a * s
HEM_INLINE v8x3 v8x3_nmadd(v8x3 a, v8 s, v8x3 b) {
    return v8x3_make(v8_nmadd(a.x, s, b.x), v8_nmadd(a.y, s, b.y), v8_nmadd(a.z, s, b.z));
}

HEM_INLINE v8x3 v8x3_lerp(v8x3 a, v8x3 b, v8 t) {
    return v8x3_madd(v8x3_sub(b, a), t, a);
}

HEM_INLINE v8 v8x3_dot(v8x3 a, v8x3 b) {
    return v8_add(v8_add(v8_mul(a.x, b.x), v8_mul(a.y, b.y)), v8_mul(a.z, b.z));
}

HEM_INLINE v8x3 v8x3_cross(v8x3 a, v8x3 b) {
    return v8x3_make(v8_sub(v8_mul(a.y, b.z), v8_mul(a.z, b.y)), v8_sub(v8_mul(a.z, b.x), v8_mul(a.x, b.z)),
                     v8_sub(v8_mul(a.x, b.y), v8_mul(a.y, b.x)));
}

HEM_INLINE v8 v8x3_length(v8x3 a) {
    return v8_sqrt(v8x3_dot(a, a));
}

HEM_INLINE v8x3 v8x3_select(m8 m, v8x3 a, v8x3 b) {
    return v8x3_make(v8_select(m, a.x, b.x), v8_select(m, a.y, b.y), v8_select(m, a.z, b.z));
}

HEM_INLINE v8x3 v8x3_keep(m8 m, v8x3 a) {
    return v8x3_make(v8_keep(m, a.x), v8_keep(m, a.y), v8_keep(m, a.z));
}

// Zero where there is no direction.
HEM_INLINE v8x3 v8x3_normalise(v8x3 a) {
    v8 d = v8x3_dot(a, a);
    m8 long_enough = v8_gt(d, v8_set1(HEM_LENGTH_SQUARED_MIN));
    return v8x3_keep(long_enough, v8x3_scale(a, v8_div(v8_set1(1.0f), v8_sqrt(d))));
}

// Rows of the particle arrays: x at p, y at p + stride, z at p + 2 stride; stride in floats, a multiple of 8.
HEM_INLINE v8x3 v8x3_load(const float* p, ptrdiff_t stride) {
    return v8x3_make(v8_load(p), v8_load(p + stride), v8_load(p + 2 * stride));
}

HEM_INLINE void v8x3_store(float* p, ptrdiff_t stride, v8x3 a) {
    v8_store(p, a.x);
    v8_store(p + stride, a.y);
    v8_store(p + 2 * stride, a.z);
}

HEM_INLINE v8x3 v8x3_rotate_lanes(v8x3 a, int k) {
    return v8x3_make(v8_rotate(a.x, k), v8_rotate(a.y, k), v8_rotate(a.z, k));
}

// -- Eight quaternions

typedef struct v8x4 {
    v8 x, y, z, w;
} v8x4;

HEM_INLINE v8x4 v8x4_make(v8 x, v8 y, v8 z, v8 w) {
    v8x4 r;
    r.x = x;
    r.y = y;
    r.z = z;
    r.w = w;
    return r;
}

HEM_INLINE v8x4 v8x4_identity(void) {
    return v8x4_make(v8_zero(), v8_zero(), v8_zero(), v8_set1(1.0f));
}

HEM_INLINE v8 v8x4_dot(v8x4 a, v8x4 b) {
    return v8_add(v8_add(v8_mul(a.x, b.x), v8_mul(a.y, b.y)), v8_add(v8_mul(a.z, b.z), v8_mul(a.w, b.w)));
}

HEM_INLINE v8x4 v8x4_conj(v8x4 a) {
    return v8x4_make(v8_neg(a.x), v8_neg(a.y), v8_neg(a.z), a.w);
}

HEM_INLINE v8x4 v8x4_scale(v8x4 a, v8 s) {
    return v8x4_make(v8_mul(a.x, s), v8_mul(a.y, s), v8_mul(a.z, s), v8_mul(a.w, s));
}

HEM_INLINE v8x4 v8x4_select(m8 m, v8x4 a, v8x4 b) {
    return v8x4_make(v8_select(m, a.x, b.x), v8_select(m, a.y, b.y), v8_select(m, a.z, b.z), v8_select(m, a.w, b.w));
}

HEM_INLINE v8x4 v8x4_mul(v8x4 a, v8x4 b) {
    v8 x = v8_add(v8_add(v8_mul(a.w, b.x), v8_mul(a.x, b.w)), v8_sub(v8_mul(a.y, b.z), v8_mul(a.z, b.y)));
    v8 y = v8_add(v8_add(v8_mul(a.w, b.y), v8_mul(a.y, b.w)), v8_sub(v8_mul(a.z, b.x), v8_mul(a.x, b.z)));
    v8 z = v8_add(v8_add(v8_mul(a.w, b.z), v8_mul(a.z, b.w)), v8_sub(v8_mul(a.x, b.y), v8_mul(a.y, b.x)));
    v8 w = v8_sub(v8_sub(v8_mul(a.w, b.w), v8_mul(a.x, b.x)), v8_add(v8_mul(a.y, b.y), v8_mul(a.z, b.z)));
    return v8x4_make(x, y, z, w);
}

// Identity where there is no direction.
HEM_INLINE v8x4 v8x4_normalise(v8x4 a) {
    v8 d = v8x4_dot(a, a);
    m8 long_enough = v8_gt(d, v8_set1(HEM_LENGTH_SQUARED_MIN));
    return v8x4_select(long_enough, v8x4_scale(a, v8_div(v8_set1(1.0f), v8_sqrt(d))), v8x4_identity());
}

HEM_INLINE v8x3 v8x4_rotate(v8x4 q, v8x3 v) {
    v8x3 u = v8x3_make(q.x, q.y, q.z);
    v8x3 c = v8x3_cross(u, v);
    v8x3 t = v8x3_add(c, c);
    return v8x3_add(v8x3_madd(t, q.w, v), v8x3_cross(u, t));
}

HEM_INLINE v8x3 v8x4_rotate_back(v8x4 q, v8x3 v) {
    return v8x4_rotate(v8x4_conj(q), v);
}

HEM_INLINE v8x4 v8x4_from_rotation(v8x3 v) {
    v8 d = v8x3_dot(v, v);
    v8 angle = v8_sqrt(d);
    v8 sine, cosine;
    v8_sincos(v8_mul(v8_set1(0.5f), angle), &sine, &cosine);
    v8 s = v8_select(v8_gt(d, v8_set1(HEM_LENGTH_SQUARED_MIN)), v8_div(sine, angle), v8_set1(0.5f));
    return v8x4_make(v8_mul(v.x, s), v8_mul(v.y, s), v8_mul(v.z, s), cosine);
}

HEM_INLINE v8x4 v8x4_from_small_rotation(v8x3 v) {
    v8 half = v8_set1(0.5f);
    return v8x4_normalise(v8x4_make(v8_mul(half, v.x), v8_mul(half, v.y), v8_mul(half, v.z), v8_set1(1.0f)));
}

HEM_INLINE v8x4 v8x4_nlerp(v8x4 a, v8x4 b, v8 t) {
    v8 sign = v8_select(v8_lt(v8x4_dot(a, b), v8_zero()), v8_neg(t), t);
    v8 tb = v8_copysign(t, sign);
    v8 ta = v8_sub(v8_set1(1.0f), t);
    return v8x4_normalise(v8x4_make(v8_add(v8_mul(a.x, ta), v8_mul(b.x, tb)), v8_add(v8_mul(a.y, ta), v8_mul(b.y, tb)),
                                    v8_add(v8_mul(a.z, ta), v8_mul(b.z, tb)),
                                    v8_add(v8_mul(a.w, ta), v8_mul(b.w, tb))));
}

// -- Eight matrices

typedef struct v8_mat3 {
    v8x3 row0, row1, row2;
} v8_mat3;

HEM_INLINE v8_mat3 v8_mat3_from_quat(v8x4 q) {
    v8 one = v8_set1(1.0f);
    v8 x2 = v8_add(q.x, q.x), y2 = v8_add(q.y, q.y), z2 = v8_add(q.z, q.z);
    v8 xx = v8_mul(q.x, x2), yy = v8_mul(q.y, y2), zz = v8_mul(q.z, z2);
    v8 xy = v8_mul(q.x, y2), xz = v8_mul(q.x, z2), yz = v8_mul(q.y, z2);
    v8 wx = v8_mul(q.w, x2), wy = v8_mul(q.w, y2), wz = v8_mul(q.w, z2);
    v8_mat3 r;
    r.row0 = v8x3_make(v8_sub(one, v8_add(yy, zz)), v8_sub(xy, wz), v8_add(xz, wy));
    r.row1 = v8x3_make(v8_add(xy, wz), v8_sub(one, v8_add(xx, zz)), v8_sub(yz, wx));
    r.row2 = v8x3_make(v8_sub(xz, wy), v8_add(yz, wx), v8_sub(one, v8_add(xx, yy)));
    return r;
}

HEM_INLINE v8x3 v8_mat3_vector(const v8_mat3* a, v8x3 v) {
    return v8x3_make(v8x3_dot(a->row0, v), v8x3_dot(a->row1, v), v8x3_dot(a->row2, v));
}

#endif
