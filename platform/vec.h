// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_VEC_H
#define HEM_PLATFORM_VEC_H

// Eight lanes of float, on every machine.
//
// The width is part of the file format, not of the machine: scalar is 8 floats, SSE2, NEON and WASM are two halves of
// 4, AVX2 is one register. One kernel source is compiled once per backend and gives the same bits in each. The backend
// is chosen by defining one of
//
//     HEM_VEC_SCALAR   HEM_VEC_SSE2   HEM_VEC_AVX2   HEM_VEC_NEON   HEM_VEC_WASM
//
// before this file is included; with none, scalar. Freestanding, header only, no globals, no calls.
//
// Types:  v8  eight floats        w8  eight 32-bit integers, wrapping        m8  a mask: each lane is yes or no
//
// The meaning, the same in every backend (tests/platform checks it op by op, bit by bit):
//
// - Arithmetic is IEEE-754 binary32, round to nearest even, one rounding per named operation. No fused multiply-add,
//   no reciprocal or square root estimates, no flush to zero: denormals are honoured. The caller must not have switched
//   the FPU to FTZ/DAZ or to another rounding mode.
// - NaN: whether a result is NaN is specified, the sign and payload of a NaN made by arithmetic (add sub mul div sqrt
//   madd nmadd floor sum) is not. Operations that only move or mask bits (load store select keep neg abs copysign
//   rotate transpose min max hmin hmax ...) keep the bits of what they pass on, NaN or not.
// - Every comparison with a NaN is false; +0 equals -0.
// - min(a, b) is a < b ? a : b and max(a, b) is a > b ? a : b, so b wins when either is NaN and when both are zeros.
// - neg flips the sign bit, abs clears it, also of NaN and zeros. copysign(a, b): magnitude of a, sign bit of b.
//   sign(x) is copysign(1, x): -1 for -0 and for negative NaN, never 0.
// - floor keeps -0, infinities and NaN.
// - sqrt(-0) is -0, sqrt of anything below is NaN.
// - flush(x) is |x| > 1e-15 ? x : +0: it also turns -0 and NaN into +0.
// - keep(m, a) is a where m, else +0.
// - to_w8 truncates towards zero; NaN and anything outside [-2^31, 2^31) gives INT32_MIN.
//   to_v8 rounds to nearest even.
// - Lane numbers are memory order: lane 0 is the lowest address.
// - sum, hmin and hmax fold as ((0+4)+(2+6))+((1+5)+(3+7)), the tree that is cheapest on all of them.
// - scatter and store_rows4 write lanes in order 0..7: where indices repeat, the highest lane wins.
// - load and store need 32-byte alignment, the rows4 pair 16 bytes, everything else the alignment of its element.

#include "platform/base.h"

#if defined(HEM_VEC_SCALAR) + defined(HEM_VEC_SSE2) + defined(HEM_VEC_AVX2) + defined(HEM_VEC_NEON) +                  \
        defined(HEM_VEC_WASM) >                                                                                        \
    1
#error "define exactly one HEM_VEC_ backend before including platform/vec.h"
#endif

#if !defined(HEM_VEC_SCALAR) && !defined(HEM_VEC_SSE2) && !defined(HEM_VEC_AVX2) && !defined(HEM_VEC_NEON) &&          \
    !defined(HEM_VEC_WASM)
#define HEM_VEC_SCALAR 1
#endif

// Only the AVX2 unit may be compiled with -mavx2: a flag that leaks puts AVX instructions into code that is supposed to
// run where there are none. A build for one fixed machine may say HEM_VEC_ALLOW_AVX; the bits are the same either way.
#if defined(HEM_VEC_AVX2)
#if !defined(__AVX2__)
#error "HEM_VEC_AVX2 needs this unit compiled with -mavx2 (MSVC: /arch:AVX2)"
#endif
#elif defined(__AVX__) && !defined(HEM_VEC_ALLOW_AVX)
#error "an AVX flag leaked into a unit that is not the AVX2 one; define HEM_VEC_ALLOW_AVX if that is wanted"
#endif

#define HEM_LANES 8

#if defined(HEM_VEC_AVX2)
#include "platform/vec_avx2.h"
#elif defined(HEM_VEC_SSE2)
#include "platform/vec_sse2.h"
#elif defined(HEM_VEC_NEON)
#include "platform/vec_neon.h"
#elif defined(HEM_VEC_WASM)
#include "platform/vec_wasm.h"
#else
#include "platform/vec_scalar.h"
#endif

// Every backend above defines exactly these (v8_, w8_ and m8_ prefixes; p = pointer, i = index array, k n = int):
//
//   v8 memory      load(p) store(p,a) loadu(p) storeu(p,a) set1(x) lane(a,k)
//                  gather(p,i) load_rows4(p,i,&x,&y,&z,&w) store_rows4(p,i,x,y,z,w) load3(p,&x,&y,&z) store3(p,x,y,z)
//   v8 arithmetic  add sub mul div sqrt min max floor neg abs copysign
//   v8 lanes       rotate(a,k) transpose8(rows) sum hmin hmax
//   v8 choice      lt le eq -> m8, select(m,a,b) keep(m,a)
//   m8             and or not andnot(a,b)=a&~b any all bits(m) from_bits(u)
//   w8             load store loadu storeu load_u8(p) load_u16(p) (widened) set1 add sub mul and or xor shl(a,n) shr(a,n) eq gt -> m8
//   between        v8_to_w8 w8_to_v8 v8_as_w8 w8_as_v8
//
// The rest is written once, in terms of those.

HEM_INLINE v8 v8_zero(void) {
    return v8_set1(0.0f);
}

// a * b + c, rounded twice.
HEM_INLINE v8 v8_madd(v8 a, v8 b, v8 c) {
    return v8_add(v8_mul(a, b), c);
}

// c - a * b, rounded twice.
HEM_INLINE v8 v8_nmadd(v8 a, v8 b, v8 c) {
    return v8_sub(c, v8_mul(a, b));
}

HEM_INLINE m8 v8_gt(v8 a, v8 b) {
    return v8_lt(b, a);
}

HEM_INLINE m8 v8_ge(v8 a, v8 b) {
    return v8_le(b, a);
}

HEM_INLINE int m8_none(m8 m) {
    return !m8_any(m);
}

// Springs decay into denormals, which cost a hundred cycles each. Nothing we simulate is smaller than this.
HEM_INLINE v8 v8_flush(v8 a) {
    return v8_keep(v8_gt(v8_abs(a), v8_set1(1e-15f)), a);
}

HEM_INLINE v8 v8_sign(v8 a) {
    return v8_copysign(v8_set1(1.0f), a);
}

HEM_INLINE w8 w8_select(m8 m, w8 a, w8 b) {
    return v8_as_w8(v8_select(m, w8_as_v8(a), w8_as_v8(b)));
}

HEM_INLINE void v8_scatter(float* base, const int32_t* index, v8 value, m8 mask) {
    HEM_ALIGN(32) float lane[HEM_LANES];
    uint32_t bits = m8_bits(mask);
    v8_store(lane, value);
    for (int i = 0; i < HEM_LANES; ++i) {
        if (bits >> i & 1u) {
            base[index[i]] = lane[i];
        }
    }
}

#endif
