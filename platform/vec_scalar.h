// SPDX-License-Identifier: MIT
// The scalar backend of vec.h: eight floats and plain C. It is the slow one that runs everywhere, and the one to read
// to learn what an operation means. Compilers may vectorise the loops; no operation here leaves them room to round
// differently when they do.
#ifndef HEM_PLATFORM_VEC_SCALAR_H
#define HEM_PLATFORM_VEC_SCALAR_H

#if !defined(HEM_PLATFORM_VEC_H)
#error "include platform/vec.h, not a backend"
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <emmintrin.h>
#endif

// 16 and not 32: gcc notes an old ABI change for every function that passes a struct aligned to more.
typedef struct HEM_ALIGN(16) v8 {
    float f[8];
} v8;
typedef struct HEM_ALIGN(16) w8 {
    int32_t i[8];
} w8;
typedef struct HEM_ALIGN(16) m8 { // each lane 0 or ~0
    uint32_t u[8];
} m8;

// clang-format off

#define HEM_VEC_EACH for (int l = 0; l < 8; ++l)

// -- Memory

HEM_INLINE v8 v8_load(const float* p) { v8 r; HEM_VEC_EACH r.f[l] = p[l]; return r; }
HEM_INLINE v8 v8_loadu(const float* p) { v8 r; HEM_VEC_EACH r.f[l] = p[l]; return r; }
HEM_INLINE void v8_store(float* p, v8 a) { HEM_VEC_EACH p[l] = a.f[l]; }
HEM_INLINE void v8_storeu(float* p, v8 a) { HEM_VEC_EACH p[l] = a.f[l]; }
HEM_INLINE v8 v8_set1(float x) { v8 r; HEM_VEC_EACH r.f[l] = x; return r; }
HEM_INLINE float v8_lane(v8 a, int k) { return a.f[k & 7]; }

HEM_INLINE v8 v8_gather(const float* base, const int32_t* index) {
    v8 r;
    HEM_VEC_EACH r.f[l] = base[index[l]];
    return r;
}

HEM_INLINE void v8_load_rows4(const float* base, const int32_t* index, v8* x, v8* y, v8* z, v8* w) {
    HEM_VEC_EACH {
        const float* p = base + 4 * (ptrdiff_t)index[l];
        x->f[l] = p[0];
        y->f[l] = p[1];
        z->f[l] = p[2];
        w->f[l] = p[3];
    }
}

HEM_INLINE void v8_store_rows4(float* base, const int32_t* index, v8 x, v8 y, v8 z, v8 w) {
    HEM_VEC_EACH {
        float* p = base + 4 * (ptrdiff_t)index[l];
        p[0] = x.f[l];
        p[1] = y.f[l];
        p[2] = z.f[l];
        p[3] = w.f[l];
    }
}

HEM_INLINE void v8_load3(const float* p, v8* x, v8* y, v8* z) {
    HEM_VEC_EACH {
        x->f[l] = p[3 * l];
        y->f[l] = p[3 * l + 1];
        z->f[l] = p[3 * l + 2];
    }
}

HEM_INLINE void v8_store3(float* p, v8 x, v8 y, v8 z) {
    HEM_VEC_EACH {
        p[3 * l] = x.f[l];
        p[3 * l + 1] = y.f[l];
        p[3 * l + 2] = z.f[l];
    }
}

// -- Arithmetic

HEM_INLINE v8 v8_add(v8 a, v8 b) { HEM_VEC_EACH a.f[l] = a.f[l] + b.f[l]; return a; }
HEM_INLINE v8 v8_sub(v8 a, v8 b) { HEM_VEC_EACH a.f[l] = a.f[l] - b.f[l]; return a; }
HEM_INLINE v8 v8_mul(v8 a, v8 b) { HEM_VEC_EACH a.f[l] = a.f[l] * b.f[l]; return a; }
HEM_INLINE v8 v8_div(v8 a, v8 b) { HEM_VEC_EACH a.f[l] = a.f[l] / b.f[l]; return a; }
HEM_INLINE v8 v8_min(v8 a, v8 b) { HEM_VEC_EACH a.f[l] = a.f[l] < b.f[l] ? a.f[l] : b.f[l]; return a; }
HEM_INLINE v8 v8_max(v8 a, v8 b) { HEM_VEC_EACH a.f[l] = a.f[l] > b.f[l] ? a.f[l] : b.f[l]; return a; }

HEM_INLINE v8 v8_sqrt(v8 a) {
#if defined(_MSC_VER) && !defined(__clang__)
    HEM_VEC_EACH a.f[l] = _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a.f[l])));
#else
    HEM_VEC_EACH a.f[l] = __builtin_sqrtf(a.f[l]);
#endif
    return a;
}

HEM_INLINE v8 v8_neg(v8 a) {
    HEM_VEC_EACH a.f[l] = hem_float_of_bits(hem_bits_of_float(a.f[l]) ^ 0x80000000u);
    return a;
}

HEM_INLINE v8 v8_abs(v8 a) {
    HEM_VEC_EACH a.f[l] = hem_float_of_bits(hem_bits_of_float(a.f[l]) & 0x7fffffffu);
    return a;
}

HEM_INLINE v8 v8_copysign(v8 a, v8 b) {
    HEM_VEC_EACH a.f[l] = hem_float_of_bits((hem_bits_of_float(a.f[l]) & 0x7fffffffu) |
                                            (hem_bits_of_float(b.f[l]) & 0x80000000u));
    return a;
}

// Below 2^23 through an integer, then the sign put back for -0; above there are no fractions.
HEM_INLINE v8 v8_floor(v8 a) {
    HEM_VEC_EACH {
        float x = a.f[l];
        if (x > -8388608.0f && x < 8388608.0f) {
            float t = (float)(int32_t)x;
            t = t > x ? t - 1.0f : t;
            a.f[l] = hem_float_of_bits((hem_bits_of_float(t) & 0x7fffffffu) | (hem_bits_of_float(x) & 0x80000000u));
        }
    }
    return a;
}

// -- Masks and choice

HEM_INLINE m8 v8_lt(v8 a, v8 b) { m8 r; HEM_VEC_EACH r.u[l] = a.f[l] < b.f[l] ? ~0u : 0u; return r; }
HEM_INLINE m8 v8_le(v8 a, v8 b) { m8 r; HEM_VEC_EACH r.u[l] = a.f[l] <= b.f[l] ? ~0u : 0u; return r; }
HEM_INLINE m8 v8_eq(v8 a, v8 b) { m8 r; HEM_VEC_EACH r.u[l] = a.f[l] == b.f[l] ? ~0u : 0u; return r; }

HEM_INLINE m8 m8_and(m8 a, m8 b) { HEM_VEC_EACH a.u[l] &= b.u[l]; return a; }
HEM_INLINE m8 m8_or(m8 a, m8 b) { HEM_VEC_EACH a.u[l] |= b.u[l]; return a; }
HEM_INLINE m8 m8_not(m8 a) { HEM_VEC_EACH a.u[l] = ~a.u[l]; return a; }
HEM_INLINE m8 m8_andnot(m8 a, m8 b) { HEM_VEC_EACH a.u[l] &= ~b.u[l]; return a; }
HEM_INLINE uint32_t m8_bits(m8 m) { uint32_t r = 0; HEM_VEC_EACH r |= (m.u[l] & 1u) << l; return r; }
HEM_INLINE m8 m8_from_bits(uint32_t bits) { m8 r; HEM_VEC_EACH r.u[l] = 0u - (bits >> l & 1u); return r; }
HEM_INLINE int m8_any(m8 m) { return m8_bits(m) != 0; }
HEM_INLINE int m8_all(m8 m) { return m8_bits(m) == 0xffu; }

HEM_INLINE v8 v8_select(m8 m, v8 a, v8 b) { HEM_VEC_EACH b.f[l] = m.u[l] ? a.f[l] : b.f[l]; return b; }
HEM_INLINE v8 v8_keep(m8 m, v8 a) { HEM_VEC_EACH a.f[l] = m.u[l] ? a.f[l] : 0.0f; return a; }

// -- Across lanes

HEM_INLINE v8 v8_rotate(v8 a, int k) { v8 r; HEM_VEC_EACH r.f[l] = a.f[(l + k) & 7]; return r; }

HEM_INLINE void v8_transpose8(v8* rows) {
    for (int i = 0; i < 8; ++i) {
        for (int j = i + 1; j < 8; ++j) {
            float t = rows[i].f[j];
            rows[i].f[j] = rows[j].f[i];
            rows[j].f[i] = t;
        }
    }
}

HEM_INLINE float v8_sum(v8 a) {
    return ((a.f[0] + a.f[4]) + (a.f[2] + a.f[6])) + ((a.f[1] + a.f[5]) + (a.f[3] + a.f[7]));
}

HEM_INLINE float hem_vec_min(float a, float b) { return a < b ? a : b; }
HEM_INLINE float hem_vec_max(float a, float b) { return a > b ? a : b; }

HEM_INLINE float v8_hmin(v8 a) {
    return hem_vec_min(hem_vec_min(hem_vec_min(a.f[0], a.f[4]), hem_vec_min(a.f[2], a.f[6])),
                       hem_vec_min(hem_vec_min(a.f[1], a.f[5]), hem_vec_min(a.f[3], a.f[7])));
}

HEM_INLINE float v8_hmax(v8 a) {
    return hem_vec_max(hem_vec_max(hem_vec_max(a.f[0], a.f[4]), hem_vec_max(a.f[2], a.f[6])),
                       hem_vec_max(hem_vec_max(a.f[1], a.f[5]), hem_vec_max(a.f[3], a.f[7])));
}

// -- Integers: unsigned underneath, so that overflow wraps instead of being undefined

HEM_INLINE w8 w8_load(const int32_t* p) { w8 r; HEM_VEC_EACH r.i[l] = p[l]; return r; }
HEM_INLINE w8 w8_loadu(const int32_t* p) { w8 r; HEM_VEC_EACH r.i[l] = p[l]; return r; }
HEM_INLINE w8 w8_load_u8(const uint8_t* p) { w8 r; HEM_VEC_EACH r.i[l] = p[l]; return r; }
HEM_INLINE w8 w8_load_u16(const uint16_t* p) { w8 r; HEM_VEC_EACH r.i[l] = p[l]; return r; }
HEM_INLINE void w8_store(int32_t* p, w8 a) { HEM_VEC_EACH p[l] = a.i[l]; }
HEM_INLINE void w8_storeu(int32_t* p, w8 a) { HEM_VEC_EACH p[l] = a.i[l]; }
HEM_INLINE w8 w8_set1(int32_t x) { w8 r; HEM_VEC_EACH r.i[l] = x; return r; }
HEM_INLINE w8 w8_add(w8 a, w8 b) { HEM_VEC_EACH a.i[l] = (int32_t)((uint32_t)a.i[l] + (uint32_t)b.i[l]); return a; }
HEM_INLINE w8 w8_sub(w8 a, w8 b) { HEM_VEC_EACH a.i[l] = (int32_t)((uint32_t)a.i[l] - (uint32_t)b.i[l]); return a; }
HEM_INLINE w8 w8_mul(w8 a, w8 b) { HEM_VEC_EACH a.i[l] = (int32_t)((uint32_t)a.i[l] * (uint32_t)b.i[l]); return a; }
HEM_INLINE w8 w8_and(w8 a, w8 b) { HEM_VEC_EACH a.i[l] &= b.i[l]; return a; }
HEM_INLINE w8 w8_or(w8 a, w8 b) { HEM_VEC_EACH a.i[l] |= b.i[l]; return a; }
HEM_INLINE w8 w8_xor(w8 a, w8 b) { HEM_VEC_EACH a.i[l] ^= b.i[l]; return a; }
HEM_INLINE w8 w8_shl(w8 a, int n) { HEM_VEC_EACH a.i[l] = (int32_t)((uint32_t)a.i[l] << n); return a; }
HEM_INLINE w8 w8_shr(w8 a, int n) { HEM_VEC_EACH a.i[l] = (int32_t)((uint32_t)a.i[l] >> n); return a; }
HEM_INLINE m8 w8_eq(w8 a, w8 b) { m8 r; HEM_VEC_EACH r.u[l] = a.i[l] == b.i[l] ? ~0u : 0u; return r; }
HEM_INLINE m8 w8_gt(w8 a, w8 b) { m8 r; HEM_VEC_EACH r.u[l] = a.i[l] > b.i[l] ? ~0u : 0u; return r; }

// -- Between the types

HEM_INLINE w8 v8_to_w8(v8 a) {
    w8 r;
    HEM_VEC_EACH r.i[l] = a.f[l] >= -2147483648.0f && a.f[l] < 2147483648.0f ? (int32_t)a.f[l] : INT32_MIN;
    return r;
}

HEM_INLINE v8 w8_to_v8(w8 a) { v8 r; HEM_VEC_EACH r.f[l] = (float)a.i[l]; return r; }
HEM_INLINE w8 v8_as_w8(v8 a) { w8 r; HEM_VEC_EACH r.i[l] = (int32_t)hem_bits_of_float(a.f[l]); return r; }
HEM_INLINE v8 w8_as_v8(w8 a) { v8 r; HEM_VEC_EACH r.f[l] = hem_float_of_bits((uint32_t)a.i[l]); return r; }

#undef HEM_VEC_EACH

// clang-format on

#endif
