// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_VEC_FOUR_H
#define HEM_PLATFORM_VEC_FOUR_H

// Four floats, for numbers that belong to one particle. The backend and the rules are those of vec.h.
//
//   load(p) store(p,a)                    16-byte alignment
//   set1(x) zero() add sub mul

#include "platform/vec.h"

// clang-format off

#if defined(HEM_VEC_AVX2) || defined(HEM_VEC_SSE2)

typedef struct f4 { __m128 v; } f4;
HEM_INLINE f4 hem_f4(__m128 v) { f4 r; r.v = v; return r; }
HEM_INLINE f4 f4_load(const float* p) { return hem_f4(_mm_load_ps(p)); }
HEM_INLINE void f4_store(float* p, f4 a) { _mm_store_ps(p, a.v); }
HEM_INLINE f4 f4_set1(float x) { return hem_f4(_mm_set1_ps(x)); }
HEM_INLINE f4 f4_add(f4 a, f4 b) { return hem_f4(_mm_add_ps(a.v, b.v)); }
HEM_INLINE f4 f4_sub(f4 a, f4 b) { return hem_f4(_mm_sub_ps(a.v, b.v)); }
HEM_INLINE f4 f4_mul(f4 a, f4 b) { return hem_f4(_mm_mul_ps(a.v, b.v)); }

#elif defined(HEM_VEC_NEON)

typedef struct f4 { float32x4_t v; } f4;
HEM_INLINE f4 hem_f4(float32x4_t v) { f4 r; r.v = v; return r; }
HEM_INLINE f4 f4_load(const float* p) { return hem_f4(vld1q_f32(p)); }
HEM_INLINE void f4_store(float* p, f4 a) { vst1q_f32(p, a.v); }
HEM_INLINE f4 f4_set1(float x) { return hem_f4(vdupq_n_f32(x)); }
HEM_INLINE f4 f4_add(f4 a, f4 b) { return hem_f4(vaddq_f32(a.v, b.v)); }
HEM_INLINE f4 f4_sub(f4 a, f4 b) { return hem_f4(vsubq_f32(a.v, b.v)); }
HEM_INLINE f4 f4_mul(f4 a, f4 b) { return hem_f4(vmulq_f32(a.v, b.v)); }

#elif defined(HEM_VEC_WASM)

typedef struct f4 { v128_t v; } f4;
HEM_INLINE f4 hem_f4(v128_t v) { f4 r; r.v = v; return r; }
HEM_INLINE f4 f4_load(const float* p) { return hem_f4(wasm_v128_load(p)); }
HEM_INLINE void f4_store(float* p, f4 a) { wasm_v128_store(p, a.v); }
HEM_INLINE f4 f4_set1(float x) {
    HEM_VEC_FROM_LOCAL(x);
    return hem_f4(wasm_f32x4_splat(x));
}
HEM_INLINE f4 f4_add(f4 a, f4 b) { return hem_f4(wasm_f32x4_add(a.v, b.v)); }
HEM_INLINE f4 f4_sub(f4 a, f4 b) { return hem_f4(wasm_f32x4_sub(a.v, b.v)); }
HEM_INLINE f4 f4_mul(f4 a, f4 b) { return hem_f4(wasm_f32x4_mul(a.v, b.v)); }

#else

typedef struct f4 { float f[4]; } f4;
#define HEM_F4_EACH for (int l = 0; l < 4; ++l)
HEM_INLINE f4 f4_load(const float* p) { f4 r; HEM_F4_EACH r.f[l] = p[l]; return r; }
HEM_INLINE void f4_store(float* p, f4 a) { HEM_F4_EACH p[l] = a.f[l]; }
HEM_INLINE f4 f4_set1(float x) { f4 r; HEM_F4_EACH r.f[l] = x; return r; }
HEM_INLINE f4 f4_add(f4 a, f4 b) { HEM_F4_EACH a.f[l] += b.f[l]; return a; }
HEM_INLINE f4 f4_sub(f4 a, f4 b) { HEM_F4_EACH a.f[l] -= b.f[l]; return a; }
HEM_INLINE f4 f4_mul(f4 a, f4 b) { HEM_F4_EACH a.f[l] *= b.f[l]; return a; }
#undef HEM_F4_EACH

#endif

HEM_INLINE f4 f4_zero(void) { return f4_set1(0.0f); }

// clang-format on

#endif
