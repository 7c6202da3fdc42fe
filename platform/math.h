// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_MATH_H
#define HEM_PLATFORM_MATH_H

// Scalar mathematics with the same bits on every machine, and the same bits as a lane of platform/vec_math.h.
//
// libm differs from system to system, so nothing here calls it: only + - * / and sqrt, which IEEE-754 fixes, each
// rounded once, in an order that the vector version repeats operation by operation. Change one, change both;
// tests/platform compares them bit by bit. Freestanding and header only.
//
// Accuracy, in units in the last place of the exact result (tests/platform holds these against long double):
//
//   hem_sinf  hem_cosf   2.5 ulp for |x| <= 8192. Beyond, the argument counts as 0: sin +-0, cos 1. inf, NaN -> NaN.
//   hem_acosf            1.5 ulp. Arguments outside [-1, 1] count as the nearer end. NaN -> NaN.
//   hem_atan2f           3.0 ulp. Zeros and infinities as in C. NaN -> NaN.
//   hem_expf             1.2 ulp. Results below FLT_MIN are +0 (no denormals), above FLT_MAX +inf. NaN -> NaN.
//   hem_sqrtf            exactly rounded.
//
// The polynomials are minimax fits in relative error on the reduced range, rounded to float.
// Double precision: platform/math_double.h, included below.

#include "platform/base.h"

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

#define HEM_PI 3.14159265358979323846f

// Shared with vec_math.h: the vector version must use the very same numbers.
#define HEM_TRIG_LIMIT 8192.0f
#define HEM_TWO_OVER_PI 0.636619747f

// pi / 2 in four parts. The first three have 11 bits, so that their products with a whole number below 2^13 are exact.
#define HEM_HALF_PI_A 1.5703125f
#define HEM_HALF_PI_B 4.837512970e-04f
#define HEM_HALF_PI_C 7.549533620e-08f
#define HEM_HALF_PI_D 2.563344068e-12f

// sin r = r + r z P(z), cos r = 1 - z / 2 + z z Q(z), z = r r, |r| <= pi / 4. Errors 2^-28 and 2^-33.
#define HEM_SIN_P0 -1.666665524e-01f
#define HEM_SIN_P1 8.332158439e-03f
#define HEM_SIN_P2 -1.951495797e-04f
#define HEM_COS_Q0 4.166664556e-02f
#define HEM_COS_Q1 -1.388731296e-03f
#define HEM_COS_Q2 2.443278572e-05f

// asin s = s + s z R(z), z = s s <= 1 / 4. Error 2^-31.7.
#define HEM_ASIN_R0 1.666665971e-01f
#define HEM_ASIN_R1 7.500505447e-02f
#define HEM_ASIN_R2 4.451670870e-02f
#define HEM_ASIN_R3 3.180989996e-02f
#define HEM_ASIN_R4 1.442988124e-02f
#define HEM_ASIN_R5 3.752932325e-02f

// atan u = u + u z T(z), z = u u, |u| <= tan(pi / 8). Error 2^-30.4.
#define HEM_TAN_PI_8 0.414213562f
#define HEM_ATAN_T0 -3.333331645e-01f
#define HEM_ATAN_T1 1.999846548e-01f
#define HEM_ATAN_T2 -1.424342245e-01f
#define HEM_ATAN_T3 1.059294939e-01f
#define HEM_ATAN_T4 -6.075922772e-02f

// pi as the nearest float and what that leaves out; halves and quarters of both are exact.
#define HEM_PI_HI 3.141592741e+00f
#define HEM_PI_LO -8.742277657e-08f

// exp r = 1 + r + r r E(r), |r| <= ln 2 / 2. Error 2^-28. ln 2 in two parts, the first with 15 bits.
#define HEM_EXP_E0 4.999999404e-01f
#define HEM_EXP_E1 1.666651964e-01f
#define HEM_EXP_E2 4.166839272e-02f
#define HEM_EXP_E3 8.368780836e-03f
#define HEM_EXP_E4 1.381446258e-03f
#define HEM_LN2_HI 6.931457520e-01f
#define HEM_LN2_LO 1.428606765e-06f
#define HEM_LOG2_E 1.442695041e+00f
#define HEM_EXP_MAX 88.7228317f  // exp of the next float overflows
#define HEM_EXP_MIN -87.3365402f // exp of the next float below is a denormal

// -- Floats

HEM_INLINE float hem_minf(float a, float b) {
    return a < b ? a : b;
}

HEM_INLINE float hem_maxf(float a, float b) {
    return a > b ? a : b;
}

HEM_INLINE float hem_clampf(float x, float low, float high) {
    return hem_minf(hem_maxf(x, low), high);
}

HEM_INLINE float hem_absf(float x) {
    return hem_float_of_bits(hem_bits_of_float(x) & 0x7fffffffu);
}

HEM_INLINE float hem_copysignf(float x, float sign) {
    return hem_float_of_bits((hem_bits_of_float(x) & 0x7fffffffu) | (hem_bits_of_float(sign) & 0x80000000u));
}

// One instruction wherever we run; -fno-math-errno keeps gcc and clang from adding a call for negative arguments.
HEM_INLINE float hem_sqrtf(float x) {
#if defined(_MSC_VER) && !defined(__clang__)
#if defined(HEM_ARCH_X86)
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)));
#else
    return vget_lane_f32(vsqrt_f32(vdup_n_f32(x)), 0);
#endif
#else
    return __builtin_sqrtf(x);
#endif
}

// Through an integer below 2^23, where fractions end; the sign is put back for -0.
HEM_INLINE float hem_floorf(float x) {
    if (x > -8388608.0f && x < 8388608.0f) {
        float t = (float)(int32_t)x;
        return hem_copysignf(t > x ? t - 1.0f : t, x);
    }
    return x;
}

// |x| less its nearest multiple of pi / 2, and that multiple modulo 4.
HEM_INLINE float hem_trig_reduce(float x, uint32_t* quadrant) {
    float a = hem_absf(x);
    a = a <= HEM_TRIG_LIMIT ? a : a * 0.0f;
    float n = hem_floorf(a * HEM_TWO_OVER_PI + 0.5f);
    *quadrant = n <= HEM_TRIG_LIMIT ? (uint32_t)n & 3u : 0u; // the comparison is there for NaN
    return (((a - n * HEM_HALF_PI_A) - n * HEM_HALF_PI_B) - n * HEM_HALF_PI_C) - n * HEM_HALF_PI_D;
}

HEM_INLINE float hem_sin_kernel(float r) {
    float z = r * r;
    return r + r * z * ((HEM_SIN_P2 * z + HEM_SIN_P1) * z + HEM_SIN_P0);
}

HEM_INLINE float hem_cos_kernel(float r) {
    float z = r * r;
    return (1.0f - 0.5f * z) + z * z * ((HEM_COS_Q2 * z + HEM_COS_Q1) * z + HEM_COS_Q0);
}

HEM_INLINE float hem_sinf(float x) {
    uint32_t q;
    float r = hem_trig_reduce(x, &q);
    float s = q & 1u ? hem_cos_kernel(r) : hem_sin_kernel(r);
    return hem_float_of_bits(hem_bits_of_float(s) ^ (q & 2u) << 30 ^ (hem_bits_of_float(x) & 0x80000000u));
}

HEM_INLINE float hem_cosf(float x) {
    uint32_t q;
    float r = hem_trig_reduce(x, &q);
    float c = q & 1u ? hem_sin_kernel(r) : hem_cos_kernel(r);
    return hem_float_of_bits(hem_bits_of_float(c) ^ ((q + 1u) & 2u) << 30);
}

HEM_INLINE float hem_asin_kernel(float s, float z) {
    float p =
        ((((HEM_ASIN_R5 * z + HEM_ASIN_R4) * z + HEM_ASIN_R3) * z + HEM_ASIN_R2) * z + HEM_ASIN_R1) * z + HEM_ASIN_R0;
    return s + s * z * p;
}

// Near 0 it is pi/2 - asin x; near the ends 2 asin sqrt((1 - |x|) / 2), where 1 - |x| is exact.
HEM_INLINE float hem_acosf(float x) {
    float a = hem_absf(x);
    int near_end = a > 0.5f;
    int negative = x < 0.0f;
    float z = near_end ? hem_maxf(1.0f - a, 0.0f) * 0.5f : a * a;
    float p = hem_asin_kernel(near_end ? hem_sqrtf(z) : a, z);
    float t = near_end ? p + p : p;
    float middle = 0.5f * HEM_PI_HI - ((negative ? -t : t) - 0.5f * HEM_PI_LO);
    float end = negative ? HEM_PI_HI - (t - HEM_PI_LO) : t;
    float result = near_end ? end : middle;
    return x == x ? result : x;
}

// The smaller over the larger is in [0, 1]; above tan(pi/8) turn by pi/4, then unfold the octants.
HEM_INLINE float hem_atan2f(float y, float x) {
    float ax = hem_absf(x), ay = hem_absf(y);
    int steep = ay > ax;
    float large = steep ? ay : ax;
    float small = steep ? ax : ay;
    float t = small == large ? 1.0f : small / large; // also infinity over infinity
    t = large > 0.0f ? t : 0.0f;
    int turn = t > HEM_TAN_PI_8;
    float u = turn ? (t - 1.0f) / (t + 1.0f) : t;
    float z = u * u;
    float p = (((HEM_ATAN_T4 * z + HEM_ATAN_T3) * z + HEM_ATAN_T2) * z + HEM_ATAN_T1) * z + HEM_ATAN_T0;
    float a = u + u * z * p;
    a = turn ? 0.25f * HEM_PI_HI + (a + 0.25f * HEM_PI_LO) : a;
    int back = (int)(hem_bits_of_float(x) >> 31);
    float upright = 0.5f * HEM_PI_HI - ((back ? -a : a) - 0.5f * HEM_PI_LO);
    float level = back ? HEM_PI_HI - (a - HEM_PI_LO) : a;
    a = hem_copysignf(steep ? upright : level, y);
    return x == x && y == y ? a : x + y;
}

// The scale 2^n goes in as two factors, since 2^128 is no float.
HEM_INLINE float hem_expf(float x) {
    if (!(x <= HEM_EXP_MAX)) {
        return x + hem_float_of_bits(0x7f800000u); // +inf, or NaN stays NaN
    }
    if (x < HEM_EXP_MIN) {
        return 0.0f;
    }
    float n = hem_floorf(x * HEM_LOG2_E + 0.5f);
    float r = (x - n * HEM_LN2_HI) - n * HEM_LN2_LO;
    float e = (((HEM_EXP_E4 * r + HEM_EXP_E3) * r + HEM_EXP_E2) * r + HEM_EXP_E1) * r + HEM_EXP_E0;
    float p = (r * r * e + r) + 1.0f;
    uint32_t biased = (uint32_t)((int32_t)n + 254);
    uint32_t half = biased >> 1;
    return p * hem_float_of_bits(half << 23) * hem_float_of_bits((biased - half) << 23);
}

// -- Vectors, quaternions, matrices. Plain structs, right-handed, radians
//
// A quaternion (x, y, z, w) has w as its real part; mul(a, b) turns by b first, then by a.
// A mat34 is three rows of four: the left 3x3 turns and scales, the right column moves. mul(a, b) applies b first.

typedef struct hem_vec3 {
    float x, y, z;
} hem_vec3;

typedef struct hem_quat {
    float x, y, z, w;
} hem_quat;

typedef struct hem_mat34 {
    float m[3][4];
} hem_mat34;

// Vectors and quaternions shorter than the root of this have no direction.
#define HEM_LENGTH_SQUARED_MIN 1e-30f

HEM_INLINE hem_vec3 hem_vec3_make(float x, float y, float z) {
    hem_vec3 r = {x, y, z};
    return r;
}

HEM_INLINE hem_vec3 hem_vec3_add(hem_vec3 a, hem_vec3 b) {
    return hem_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

HEM_INLINE hem_vec3 hem_vec3_sub(hem_vec3 a, hem_vec3 b) {
    return hem_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

HEM_INLINE hem_vec3 hem_vec3_scale(hem_vec3 a, float s) {
    return hem_vec3_make(a.x * s, a.y * s, a.z * s);
}

// a * s + b
HEM_INLINE hem_vec3 hem_vec3_madd(hem_vec3 a, float s, hem_vec3 b) {
    return hem_vec3_make(a.x * s + b.x, a.y * s + b.y, a.z * s + b.z);
}

HEM_INLINE hem_vec3 hem_vec3_lerp(hem_vec3 a, hem_vec3 b, float t) {
    return hem_vec3_madd(hem_vec3_sub(b, a), t, a);
}

HEM_INLINE float hem_vec3_dot(hem_vec3 a, hem_vec3 b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

HEM_INLINE hem_vec3 hem_vec3_cross(hem_vec3 a, hem_vec3 b) {
    return hem_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

HEM_INLINE float hem_vec3_length(hem_vec3 a) {
    return hem_sqrtf(hem_vec3_dot(a, a));
}

// Zero when there is no direction.
HEM_INLINE hem_vec3 hem_vec3_normalise(hem_vec3 a) {
    float d = hem_vec3_dot(a, a);
    return d > HEM_LENGTH_SQUARED_MIN ? hem_vec3_scale(a, 1.0f / hem_sqrtf(d)) : hem_vec3_make(0.0f, 0.0f, 0.0f);
}

HEM_INLINE hem_quat hem_quat_make(float x, float y, float z, float w) {
    hem_quat r = {x, y, z, w};
    return r;
}

HEM_INLINE hem_quat hem_quat_identity(void) {
    return hem_quat_make(0.0f, 0.0f, 0.0f, 1.0f);
}

HEM_INLINE float hem_quat_dot(hem_quat a, hem_quat b) {
    return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

HEM_INLINE hem_quat hem_quat_conj(hem_quat a) {
    return hem_quat_make(-a.x, -a.y, -a.z, a.w);
}

HEM_INLINE hem_quat hem_quat_scale(hem_quat a, float s) {
    return hem_quat_make(a.x * s, a.y * s, a.z * s, a.w * s);
}

HEM_INLINE hem_quat hem_quat_mul(hem_quat a, hem_quat b) {
    return hem_quat_make(
        (a.w * b.x + a.x * b.w) + (a.y * b.z - a.z * b.y), (a.w * b.y + a.y * b.w) + (a.z * b.x - a.x * b.z),
        (a.w * b.z + a.z * b.w) + (a.x * b.y - a.y * b.x), (a.w * b.w - a.x * b.x) - (a.y * b.y + a.z * b.z));
}

// Identity when there is no direction.
HEM_INLINE hem_quat hem_quat_normalise(hem_quat a) {
    float d = hem_quat_dot(a, a);
    return d > HEM_LENGTH_SQUARED_MIN ? hem_quat_scale(a, 1.0f / hem_sqrtf(d)) : hem_quat_identity();
}

// v + w t + q x t, with t = 2 q x v. q is of unit length.
HEM_INLINE hem_vec3 hem_quat_rotate(hem_quat q, hem_vec3 v) {
    hem_vec3 u = hem_vec3_make(q.x, q.y, q.z);
    hem_vec3 c = hem_vec3_cross(u, v);
    hem_vec3 t = hem_vec3_add(c, c);
    return hem_vec3_add(hem_vec3_madd(t, q.w, v), hem_vec3_cross(u, t));
}

HEM_INLINE hem_vec3 hem_quat_rotate_back(hem_quat q, hem_vec3 v) {
    return hem_quat_rotate(hem_quat_conj(q), v);
}

// The turn by |v| radians about v.
HEM_INLINE hem_quat hem_quat_from_rotation(hem_vec3 v) {
    float d = hem_vec3_dot(v, v);
    float angle = hem_sqrtf(d);
    float half = 0.5f * angle;
    float s = d > HEM_LENGTH_SQUARED_MIN ? hem_sinf(half) / angle : 0.5f;
    return hem_quat_make(v.x * s, v.y * s, v.z * s, hem_cosf(half));
}

// The same for small |v|, without sin and cos: (v / 2, 1) made unit. Turns by 2 atan(|v| / 2), short by |v|^3 / 12.
HEM_INLINE hem_quat hem_quat_from_small_rotation(hem_vec3 v) {
    return hem_quat_normalise(hem_quat_make(0.5f * v.x, 0.5f * v.y, 0.5f * v.z, 1.0f));
}

// axis is of unit length.
HEM_INLINE hem_quat hem_quat_from_axis_angle(hem_vec3 axis, float angle_radians) {
    float half = 0.5f * angle_radians;
    float s = hem_sinf(half);
    return hem_quat_make(axis.x * s, axis.y * s, axis.z * s, hem_cosf(half));
}

// The inverse of from_rotation, with an angle in [0, pi]. q is of unit length.
HEM_INLINE hem_vec3 hem_quat_to_rotation(hem_quat q) {
    float flip = hem_copysignf(1.0f, q.w);
    hem_vec3 u = hem_vec3_make(q.x * flip, q.y * flip, q.z * flip);
    float s = hem_vec3_length(u);
    float scale = s > 1e-15f ? 2.0f * hem_atan2f(s, hem_absf(q.w)) / s : 2.0f;
    return hem_vec3_scale(u, scale);
}

// Straight blend of the shorter way, made unit: same path as slerp, uneven speed, a tenth of the cost.
HEM_INLINE hem_quat hem_quat_nlerp(hem_quat a, hem_quat b, float t) {
    float tb = hem_copysignf(t, hem_quat_dot(a, b) < 0.0f ? -t : t);
    float ta = 1.0f - t;
    return hem_quat_normalise(
        hem_quat_make(a.x * ta + b.x * tb, a.y * ta + b.y * tb, a.z * ta + b.z * tb, a.w * ta + b.w * tb));
}

// Even speed along the shorter way. Below about 2 degrees it is nlerp, which differs by less than rounding there.
HEM_INLINE hem_quat hem_quat_slerp(hem_quat a, hem_quat b, float t) {
    float d = hem_quat_dot(a, b);
    if (hem_absf(d) > 0.9998f) {
        return hem_quat_nlerp(a, b, t);
    }
    float angle = hem_acosf(hem_absf(d));
    float scale = 1.0f / hem_sinf(angle);
    float ta = hem_sinf((1.0f - t) * angle) * scale;
    float tb = hem_sinf(t * angle) * scale;
    tb = d < 0.0f ? -tb : tb;
    return hem_quat_normalise(
        hem_quat_make(a.x * ta + b.x * tb, a.y * ta + b.y * tb, a.z * ta + b.z * tb, a.w * ta + b.w * tb));
}

// The shortest turn that takes the direction a to the direction b, both of unit length. For opposite directions the
// axis is chosen square to a, from its smallest component, so the answer is always a turn.
HEM_INLINE hem_quat hem_quat_between(hem_vec3 a, hem_vec3 b) {
    hem_vec3 c = hem_vec3_cross(a, b);
    float w = 1.0f + hem_vec3_dot(a, b);
    if (w > 1e-6f) {
        return hem_quat_normalise(hem_quat_make(c.x, c.y, c.z, w));
    }
    float x = hem_absf(a.x), y = hem_absf(a.y), z = hem_absf(a.z);
    hem_vec3 least = x <= y && x <= z ? hem_vec3_make(1.0f, 0.0f, 0.0f)
                     : y <= z         ? hem_vec3_make(0.0f, 1.0f, 0.0f)
                                      : hem_vec3_make(0.0f, 0.0f, 1.0f);
    hem_vec3 axis = hem_vec3_normalise(hem_vec3_cross(a, least));
    return hem_quat_make(axis.x, axis.y, axis.z, 0.0f);
}

HEM_INLINE hem_mat34 hem_mat34_identity(void) {
    hem_mat34 r = {{{1.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f, 0.0f}}};
    return r;
}

// q is of unit length.
HEM_INLINE hem_mat34 hem_mat34_from_quat(hem_quat q, hem_vec3 translation) {
    float x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    float xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    float xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    float wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    hem_mat34 r = {{{1.0f - (yy + zz), xy - wz, xz + wy, translation.x},
                    {xy + wz, 1.0f - (xx + zz), yz - wx, translation.y},
                    {xz - wy, yz + wx, 1.0f - (xx + yy), translation.z}}};
    return r;
}

// The rotation part of m must be a pure turn (no scale, no mirror); the result is of unit length. The branch divides by
// the largest of the four components, so nothing cancels.
HEM_INLINE hem_quat hem_quat_from_mat34(const hem_mat34* a) {
    float xx = a->m[0][0], yy = a->m[1][1], zz = a->m[2][2];
    float zy = a->m[2][1] - a->m[1][2], xz = a->m[0][2] - a->m[2][0], yx = a->m[1][0] - a->m[0][1];
    float pyx = a->m[1][0] + a->m[0][1], pxz = a->m[0][2] + a->m[2][0], pzy = a->m[2][1] + a->m[1][2];
    hem_quat q;
    if (xx + yy + zz > 0.0f) {
        q = hem_quat_make(zy, xz, yx, 1.0f + (xx + yy + zz));
    } else if (xx >= yy && xx >= zz) {
        q = hem_quat_make(1.0f + ((xx - yy) - zz), pyx, pxz, zy);
    } else if (yy >= zz) {
        q = hem_quat_make(pyx, 1.0f + ((yy - xx) - zz), pzy, xz);
    } else {
        q = hem_quat_make(pxz, pzy, 1.0f + ((zz - xx) - yy), yx);
    }
    return hem_quat_normalise(q);
}

HEM_INLINE hem_vec3 hem_mat34_vector(const hem_mat34* a, hem_vec3 v) {
    return hem_vec3_make((a->m[0][0] * v.x + a->m[0][1] * v.y) + a->m[0][2] * v.z,
                         (a->m[1][0] * v.x + a->m[1][1] * v.y) + a->m[1][2] * v.z,
                         (a->m[2][0] * v.x + a->m[2][1] * v.y) + a->m[2][2] * v.z);
}

HEM_INLINE hem_vec3 hem_mat34_translation(const hem_mat34* a) {
    return hem_vec3_make(a->m[0][3], a->m[1][3], a->m[2][3]);
}

HEM_INLINE hem_vec3 hem_mat34_point(const hem_mat34* a, hem_vec3 p) {
    return hem_vec3_add(hem_mat34_vector(a, p), hem_mat34_translation(a));
}

HEM_INLINE hem_mat34 hem_mat34_mul(const hem_mat34* a, const hem_mat34* b) {
    hem_mat34 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            r.m[i][j] = (a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j]) + a->m[i][2] * b->m[2][j];
        }
        r.m[i][3] += a->m[i][3];
    }
    return r;
}

// The inverse of a turn and a move, without scale: the transpose.
HEM_INLINE hem_mat34 hem_mat34_inverse_rigid(const hem_mat34* a) {
    hem_mat34 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = a->m[j][i];
        }
        r.m[i][3] = -((a->m[0][i] * a->m[0][3] + a->m[1][i] * a->m[1][3]) + a->m[2][i] * a->m[2][3]);
    }
    return r;
}

#include "platform/math_double.h"

#endif
