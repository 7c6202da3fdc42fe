// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_VEC_DOUBLE_H
#define HEM_PLATFORM_VEC_DOUBLE_H

// Four doubles, for sums that are added to and taken from for long and must not drift. The backend is that of vec.h. The
// same rules hold: IEEE-754, one rounding per named operation, lane 0 is the lowest address, the same bits everywhere.
//
//   load(p) store(p,a)                    32-byte alignment
//   widen(p) narrow(p,a)                  from and to four floats; narrow rounds to nearest even; 16-byte alignment
//   set1(x) zero() add sub mul
//   v8_narrow(p)                          eight floats from eight doubles

#include "platform/vec.h"

// clang-format off

#if defined(HEM_VEC_AVX2)

typedef struct d4 { __m256d v; } d4;
HEM_INLINE d4 hem_d4(__m256d v) { d4 r; r.v = v; return r; }
HEM_INLINE d4 d4_load(const double* p) { return hem_d4(_mm256_load_pd(p)); }
HEM_INLINE void d4_store(double* p, d4 a) { _mm256_store_pd(p, a.v); }
HEM_INLINE d4 d4_widen(const float* p) { return hem_d4(_mm256_cvtps_pd(_mm_load_ps(p))); }
HEM_INLINE void d4_narrow(float* p, d4 a) { _mm_store_ps(p, _mm256_cvtpd_ps(a.v)); }
HEM_INLINE d4 d4_set1(double x) { return hem_d4(_mm256_set1_pd(x)); }
HEM_INLINE d4 d4_add(d4 a, d4 b) { return hem_d4(_mm256_add_pd(a.v, b.v)); }
HEM_INLINE d4 d4_sub(d4 a, d4 b) { return hem_d4(_mm256_sub_pd(a.v, b.v)); }
HEM_INLINE d4 d4_mul(d4 a, d4 b) { return hem_d4(_mm256_mul_pd(a.v, b.v)); }

#elif defined(HEM_VEC_SSE2)

typedef struct d4 { __m128d lo, hi; } d4;
HEM_INLINE d4 hem_d4(__m128d lo, __m128d hi) { d4 r; r.lo = lo; r.hi = hi; return r; }
HEM_INLINE d4 d4_load(const double* p) { return hem_d4(_mm_load_pd(p), _mm_load_pd(p + 2)); }
HEM_INLINE void d4_store(double* p, d4 a) { _mm_store_pd(p, a.lo); _mm_store_pd(p + 2, a.hi); }
HEM_INLINE d4 d4_widen(const float* p) {
    __m128 f = _mm_load_ps(p);
    return hem_d4(_mm_cvtps_pd(f), _mm_cvtps_pd(_mm_movehl_ps(f, f)));
}
HEM_INLINE void d4_narrow(float* p, d4 a) { _mm_store_ps(p, _mm_movelh_ps(_mm_cvtpd_ps(a.lo), _mm_cvtpd_ps(a.hi))); }
HEM_INLINE d4 d4_set1(double x) { return hem_d4(_mm_set1_pd(x), _mm_set1_pd(x)); }
HEM_INLINE d4 d4_add(d4 a, d4 b) { return hem_d4(_mm_add_pd(a.lo, b.lo), _mm_add_pd(a.hi, b.hi)); }
HEM_INLINE d4 d4_sub(d4 a, d4 b) { return hem_d4(_mm_sub_pd(a.lo, b.lo), _mm_sub_pd(a.hi, b.hi)); }
HEM_INLINE d4 d4_mul(d4 a, d4 b) { return hem_d4(_mm_mul_pd(a.lo, b.lo), _mm_mul_pd(a.hi, b.hi)); }

#elif defined(HEM_VEC_NEON)

typedef struct d4 { float64x2_t lo, hi; } d4;
HEM_INLINE d4 hem_d4(float64x2_t lo, float64x2_t hi) { d4 r; r.lo = lo; r.hi = hi; return r; }
HEM_INLINE d4 d4_load(const double* p) { return hem_d4(vld1q_f64(p), vld1q_f64(p + 2)); }
HEM_INLINE void d4_store(double* p, d4 a) { vst1q_f64(p, a.lo); vst1q_f64(p + 2, a.hi); }
HEM_INLINE d4 d4_widen(const float* p) {
    float32x4_t f = vld1q_f32(p);
    return hem_d4(vcvt_f64_f32(vget_low_f32(f)), vcvt_f64_f32(vget_high_f32(f)));
}
HEM_INLINE void d4_narrow(float* p, d4 a) { vst1q_f32(p, vcombine_f32(vcvt_f32_f64(a.lo), vcvt_f32_f64(a.hi))); }
HEM_INLINE d4 d4_set1(double x) { return hem_d4(vdupq_n_f64(x), vdupq_n_f64(x)); }
HEM_INLINE d4 d4_add(d4 a, d4 b) { return hem_d4(vaddq_f64(a.lo, b.lo), vaddq_f64(a.hi, b.hi)); }
HEM_INLINE d4 d4_sub(d4 a, d4 b) { return hem_d4(vsubq_f64(a.lo, b.lo), vsubq_f64(a.hi, b.hi)); }
HEM_INLINE d4 d4_mul(d4 a, d4 b) { return hem_d4(vmulq_f64(a.lo, b.lo), vmulq_f64(a.hi, b.hi)); }

#elif defined(HEM_VEC_WASM)

typedef struct d4 { v128_t lo, hi; } d4;
HEM_INLINE d4 hem_d4(v128_t lo, v128_t hi) { d4 r; r.lo = lo; r.hi = hi; return r; }
HEM_INLINE d4 d4_load(const double* p) { return hem_d4(wasm_v128_load(p), wasm_v128_load(p + 2)); }
HEM_INLINE void d4_store(double* p, d4 a) { wasm_v128_store(p, a.lo); wasm_v128_store(p + 2, a.hi); }
HEM_INLINE d4 d4_widen(const float* p) {
    v128_t f = wasm_v128_load(p);
    return hem_d4(wasm_f64x2_promote_low_f32x4(f), wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(f, f, 2, 3, 2, 3)));
}
HEM_INLINE void d4_narrow(float* p, d4 a) {
    v128_t lo = wasm_f32x4_demote_f64x2_zero(a.lo), hi = wasm_f32x4_demote_f64x2_zero(a.hi);
    wasm_v128_store(p, wasm_i32x4_shuffle(lo, hi, 0, 1, 4, 5));
}
HEM_INLINE d4 d4_set1(double x) {
    HEM_VEC_FROM_LOCAL(x);
    return hem_d4(wasm_f64x2_splat(x), wasm_f64x2_splat(x));
}
HEM_INLINE d4 d4_add(d4 a, d4 b) { return hem_d4(wasm_f64x2_add(a.lo, b.lo), wasm_f64x2_add(a.hi, b.hi)); }
HEM_INLINE d4 d4_sub(d4 a, d4 b) { return hem_d4(wasm_f64x2_sub(a.lo, b.lo), wasm_f64x2_sub(a.hi, b.hi)); }
HEM_INLINE d4 d4_mul(d4 a, d4 b) { return hem_d4(wasm_f64x2_mul(a.lo, b.lo), wasm_f64x2_mul(a.hi, b.hi)); }

#else

typedef struct d4 { double d[4]; } d4;
#define HEM_D4_EACH for (int l = 0; l < 4; ++l)
HEM_INLINE d4 d4_load(const double* p) { d4 r; HEM_D4_EACH r.d[l] = p[l]; return r; }
HEM_INLINE void d4_store(double* p, d4 a) { HEM_D4_EACH p[l] = a.d[l]; }
HEM_INLINE d4 d4_widen(const float* p) { d4 r; HEM_D4_EACH r.d[l] = (double)p[l]; return r; }
HEM_INLINE void d4_narrow(float* p, d4 a) { HEM_D4_EACH p[l] = (float)a.d[l]; }
HEM_INLINE d4 d4_set1(double x) { d4 r; HEM_D4_EACH r.d[l] = x; return r; }
HEM_INLINE d4 d4_add(d4 a, d4 b) { HEM_D4_EACH a.d[l] += b.d[l]; return a; }
HEM_INLINE d4 d4_sub(d4 a, d4 b) { HEM_D4_EACH a.d[l] -= b.d[l]; return a; }
HEM_INLINE d4 d4_mul(d4 a, d4 b) { HEM_D4_EACH a.d[l] *= b.d[l]; return a; }
#undef HEM_D4_EACH

#endif

HEM_INLINE d4 d4_zero(void) { return d4_set1(0.0); }

// Eight doubles as floats, 32-byte alignment.
HEM_INLINE v8 v8_narrow(const double* p) {
#if defined(HEM_VEC_AVX2)
    return hem_v8(hem_vec_pair(_mm256_cvtpd_ps(_mm256_load_pd(p)), _mm256_cvtpd_ps(_mm256_load_pd(p + 4))));
#else
    HEM_ALIGN(32) float f[8];
    d4_narrow(f, d4_load(p));
    d4_narrow(f + 4, d4_load(p + 4));
    return v8_load(f);
#endif
}

// clang-format on

#endif
