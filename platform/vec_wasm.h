// SPDX-License-Identifier: MIT
// The WebAssembly SIMD backend of vec.h: two v128, lanes 0..3 in lo and 4..7 in hi. WASM fixes every result but the
// payload of NaN, so this is mostly spelling; pmin(b, a) is a < b ? a : b.
#ifndef HEM_PLATFORM_VEC_WASM_H
#define HEM_PLATFORM_VEC_WASM_H

#if !defined(HEM_PLATFORM_VEC_H)
#error "include platform/vec.h, not a backend"
#endif
#if !defined(__wasm_simd128__)
#error "HEM_VEC_WASM needs this unit compiled with -msimd128"
#endif

#include <wasm_simd128.h>

typedef struct v8 {
    v128_t lo, hi;
} v8;
typedef struct w8 {
    v128_t lo, hi;
} w8;
typedef struct m8 { // each lane 0 or ~0
    v128_t lo, hi;
} m8;

// clang 14 makes one load32_splat of a load and a splat, and may then move it behind a later store to the same place. A number
// that is not a constant therefore goes through a local first, which the empty assembly is for. Every splat below is told so.
#define HEM_VEC_FROM_LOCAL(x)                                                                                          \
    do {                                                                                                               \
        if (!__builtin_constant_p(x)) {                                                                                \
            __asm__("" : "+r"(x));                                                                                     \
        }                                                                                                              \
    } while (0)

// clang-format off

HEM_INLINE v8 hem_v8(v128_t lo, v128_t hi) { v8 r; r.lo = lo; r.hi = hi; return r; }
HEM_INLINE w8 hem_w8(v128_t lo, v128_t hi) { w8 r; r.lo = lo; r.hi = hi; return r; }
HEM_INLINE m8 hem_m8(v128_t lo, v128_t hi) { m8 r; r.lo = lo; r.hi = hi; return r; }

// -- Memory

HEM_INLINE v8 v8_load(const float* p) { return hem_v8(wasm_v128_load(p), wasm_v128_load(p + 4)); }
HEM_INLINE v8 v8_loadu(const float* p) { return hem_v8(wasm_v128_load(p), wasm_v128_load(p + 4)); }
HEM_INLINE void v8_store(float* p, v8 a) { wasm_v128_store(p, a.lo); wasm_v128_store(p + 4, a.hi); }
HEM_INLINE void v8_storeu(float* p, v8 a) { wasm_v128_store(p, a.lo); wasm_v128_store(p + 4, a.hi); }

HEM_INLINE v8 v8_set1(float x) {
    HEM_VEC_FROM_LOCAL(x);
    return hem_v8(wasm_f32x4_splat(x), wasm_f32x4_splat(x));
}


HEM_INLINE float v8_lane(v8 a, int k) {
    float f[8];
    v8_store(f, a);
    return f[k & 7];
}

HEM_INLINE v128_t hem_vec_gather4(const float* base, const int32_t* index) {
    v128_t r = wasm_v128_load32_zero(base + index[0]);
    r = wasm_v128_load32_lane(base + index[1], r, 1);
    r = wasm_v128_load32_lane(base + index[2], r, 2);
    return wasm_v128_load32_lane(base + index[3], r, 3);
}

HEM_INLINE v8 v8_gather(const float* base, const int32_t* index) {
    return hem_v8(hem_vec_gather4(base, index), hem_vec_gather4(base, index + 4));
}

// Works both ways: four rows of four become four columns.
HEM_INLINE void hem_vec_transpose4(v128_t* a, v128_t* b, v128_t* c, v128_t* d) {
    v128_t ab01 = wasm_i32x4_shuffle(*a, *b, 0, 4, 1, 5);
    v128_t ab23 = wasm_i32x4_shuffle(*a, *b, 2, 6, 3, 7);
    v128_t cd01 = wasm_i32x4_shuffle(*c, *d, 0, 4, 1, 5);
    v128_t cd23 = wasm_i32x4_shuffle(*c, *d, 2, 6, 3, 7);
    *a = wasm_i32x4_shuffle(ab01, cd01, 0, 1, 4, 5);
    *b = wasm_i32x4_shuffle(ab01, cd01, 2, 3, 6, 7);
    *c = wasm_i32x4_shuffle(ab23, cd23, 0, 1, 4, 5);
    *d = wasm_i32x4_shuffle(ab23, cd23, 2, 3, 6, 7);
}

HEM_INLINE v128_t hem_vec_row4(const float* base, int32_t index) { return wasm_v128_load(base + 4 * (ptrdiff_t)index); }

HEM_INLINE void v8_load_rows4(const float* base, const int32_t* index, v8* x, v8* y, v8* z, v8* w) {
    v128_t a = hem_vec_row4(base, index[0]), b = hem_vec_row4(base, index[1]);
    v128_t c = hem_vec_row4(base, index[2]), d = hem_vec_row4(base, index[3]);
    v128_t e = hem_vec_row4(base, index[4]), f = hem_vec_row4(base, index[5]);
    v128_t g = hem_vec_row4(base, index[6]), h = hem_vec_row4(base, index[7]);
    hem_vec_transpose4(&a, &b, &c, &d);
    hem_vec_transpose4(&e, &f, &g, &h);
    *x = hem_v8(a, e);
    *y = hem_v8(b, f);
    *z = hem_v8(c, g);
    *w = hem_v8(d, h);
}

HEM_INLINE void v8_store_rows4(float* base, const int32_t* index, v8 x, v8 y, v8 z, v8 w) {
    hem_vec_transpose4(&x.lo, &y.lo, &z.lo, &w.lo);
    hem_vec_transpose4(&x.hi, &y.hi, &z.hi, &w.hi);
    wasm_v128_store(base + 4 * (ptrdiff_t)index[0], x.lo);
    wasm_v128_store(base + 4 * (ptrdiff_t)index[1], y.lo);
    wasm_v128_store(base + 4 * (ptrdiff_t)index[2], z.lo);
    wasm_v128_store(base + 4 * (ptrdiff_t)index[3], w.lo);
    wasm_v128_store(base + 4 * (ptrdiff_t)index[4], x.hi);
    wasm_v128_store(base + 4 * (ptrdiff_t)index[5], y.hi);
    wasm_v128_store(base + 4 * (ptrdiff_t)index[6], z.hi);
    wasm_v128_store(base + 4 * (ptrdiff_t)index[7], w.hi);
}

// Four points are a = x0 y0 z0 x1, b = y1 z1 x2 y2, c = z2 x3 y3 z3.
HEM_INLINE void hem_vec_load3(const float* p, v128_t* x, v128_t* y, v128_t* z) {
    v128_t a = wasm_v128_load(p);
    v128_t b = wasm_v128_load(p + 4);
    v128_t c = wasm_v128_load(p + 8);
    *x = wasm_i32x4_shuffle(wasm_i32x4_shuffle(a, b, 0, 3, 6, 6), c, 0, 1, 2, 5);
    *y = wasm_i32x4_shuffle(wasm_i32x4_shuffle(a, b, 1, 4, 7, 7), c, 0, 1, 2, 6);
    *z = wasm_i32x4_shuffle(wasm_i32x4_shuffle(a, b, 2, 5, 5, 5), c, 0, 1, 4, 7);
}

HEM_INLINE void hem_vec_store3(float* p, v128_t x, v128_t y, v128_t z) {
    wasm_v128_store(p, wasm_i32x4_shuffle(wasm_i32x4_shuffle(x, y, 0, 4, 1, 1), z, 0, 1, 4, 2));
    wasm_v128_store(p + 4, wasm_i32x4_shuffle(wasm_i32x4_shuffle(x, y, 5, 5, 2, 6), z, 0, 5, 2, 3));
    wasm_v128_store(p + 8, wasm_i32x4_shuffle(wasm_i32x4_shuffle(x, y, 3, 3, 7, 7), z, 6, 0, 2, 7));
}

HEM_INLINE void v8_load3(const float* p, v8* x, v8* y, v8* z) {
    hem_vec_load3(p, &x->lo, &y->lo, &z->lo);
    hem_vec_load3(p + 12, &x->hi, &y->hi, &z->hi);
}

HEM_INLINE void v8_store3(float* p, v8 x, v8 y, v8 z) {
    hem_vec_store3(p, x.lo, y.lo, z.lo);
    hem_vec_store3(p + 12, x.hi, y.hi, z.hi);
}

// -- Arithmetic

HEM_INLINE v8 v8_add(v8 a, v8 b) { return hem_v8(wasm_f32x4_add(a.lo, b.lo), wasm_f32x4_add(a.hi, b.hi)); }
HEM_INLINE v8 v8_sub(v8 a, v8 b) { return hem_v8(wasm_f32x4_sub(a.lo, b.lo), wasm_f32x4_sub(a.hi, b.hi)); }
HEM_INLINE v8 v8_mul(v8 a, v8 b) { return hem_v8(wasm_f32x4_mul(a.lo, b.lo), wasm_f32x4_mul(a.hi, b.hi)); }
HEM_INLINE v8 v8_div(v8 a, v8 b) { return hem_v8(wasm_f32x4_div(a.lo, b.lo), wasm_f32x4_div(a.hi, b.hi)); }
HEM_INLINE v8 v8_min(v8 a, v8 b) { return hem_v8(wasm_f32x4_pmin(b.lo, a.lo), wasm_f32x4_pmin(b.hi, a.hi)); }
HEM_INLINE v8 v8_max(v8 a, v8 b) { return hem_v8(wasm_f32x4_pmax(b.lo, a.lo), wasm_f32x4_pmax(b.hi, a.hi)); }
HEM_INLINE v8 v8_sqrt(v8 a) { return hem_v8(wasm_f32x4_sqrt(a.lo), wasm_f32x4_sqrt(a.hi)); }
HEM_INLINE v8 v8_floor(v8 a) { return hem_v8(wasm_f32x4_floor(a.lo), wasm_f32x4_floor(a.hi)); }
HEM_INLINE v8 v8_neg(v8 a) { return hem_v8(wasm_f32x4_neg(a.lo), wasm_f32x4_neg(a.hi)); }
HEM_INLINE v8 v8_abs(v8 a) { return hem_v8(wasm_f32x4_abs(a.lo), wasm_f32x4_abs(a.hi)); }

HEM_INLINE v8 v8_copysign(v8 a, v8 b) {
    v128_t sign = wasm_i32x4_splat(INT32_MIN);
    return hem_v8(wasm_v128_bitselect(b.lo, a.lo, sign), wasm_v128_bitselect(b.hi, a.hi, sign));
}

// -- Masks and choice

HEM_INLINE m8 v8_lt(v8 a, v8 b) { return hem_m8(wasm_f32x4_lt(a.lo, b.lo), wasm_f32x4_lt(a.hi, b.hi)); }
HEM_INLINE m8 v8_le(v8 a, v8 b) { return hem_m8(wasm_f32x4_le(a.lo, b.lo), wasm_f32x4_le(a.hi, b.hi)); }
HEM_INLINE m8 v8_eq(v8 a, v8 b) { return hem_m8(wasm_f32x4_eq(a.lo, b.lo), wasm_f32x4_eq(a.hi, b.hi)); }

HEM_INLINE m8 m8_and(m8 a, m8 b) { return hem_m8(wasm_v128_and(a.lo, b.lo), wasm_v128_and(a.hi, b.hi)); }
HEM_INLINE m8 m8_or(m8 a, m8 b) { return hem_m8(wasm_v128_or(a.lo, b.lo), wasm_v128_or(a.hi, b.hi)); }
HEM_INLINE m8 m8_not(m8 a) { return hem_m8(wasm_v128_not(a.lo), wasm_v128_not(a.hi)); }
HEM_INLINE m8 m8_andnot(m8 a, m8 b) { return hem_m8(wasm_v128_andnot(a.lo, b.lo), wasm_v128_andnot(a.hi, b.hi)); }
HEM_INLINE uint32_t m8_bits(m8 m) { return (uint32_t)(wasm_i32x4_bitmask(m.lo) | wasm_i32x4_bitmask(m.hi) << 4); }
HEM_INLINE int m8_any(m8 m) { return wasm_v128_any_true(wasm_v128_or(m.lo, m.hi)); }
HEM_INLINE int m8_all(m8 m) { return wasm_i32x4_all_true(wasm_v128_and(m.lo, m.hi)); }

HEM_INLINE m8 m8_from_bits(uint32_t bits) {
    v128_t lo = wasm_i32x4_const(1, 2, 4, 8);
    v128_t hi = wasm_i32x4_const(16, 32, 64, 128);
    HEM_VEC_FROM_LOCAL(bits);
    v128_t all = wasm_i32x4_splat((int32_t)bits);
    return hem_m8(wasm_i32x4_eq(wasm_v128_and(all, lo), lo), wasm_i32x4_eq(wasm_v128_and(all, hi), hi));
}

HEM_INLINE v8 v8_select(m8 m, v8 a, v8 b) {
    return hem_v8(wasm_v128_bitselect(a.lo, b.lo, m.lo), wasm_v128_bitselect(a.hi, b.hi, m.hi));
}

HEM_INLINE v8 v8_keep(m8 m, v8 a) { return hem_v8(wasm_v128_and(m.lo, a.lo), wasm_v128_and(m.hi, a.hi)); }

// -- Across lanes

// swizzle answers 0 for byte numbers past 15, so a lookup over two registers is an or of two, the second with its
// numbers moved down by 16; and what is "near" for the low half is "far" for the high half.
HEM_INLINE v8 v8_rotate(v8 a, int k) {
    HEM_VEC_FROM_LOCAL(k);
    v128_t iota = wasm_i8x16_const(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    v128_t near = wasm_v128_and(wasm_i8x16_add(iota, wasm_i8x16_splat((int8_t)(4 * (k & 7)))), wasm_i8x16_splat(31));
    v128_t far = wasm_v128_xor(near, wasm_i8x16_splat(16));
    return hem_v8(wasm_v128_or(wasm_i8x16_swizzle(a.lo, near), wasm_i8x16_swizzle(a.hi, far)),
                  wasm_v128_or(wasm_i8x16_swizzle(a.lo, far), wasm_i8x16_swizzle(a.hi, near)));
}

HEM_INLINE void v8_transpose8(v8* rows) {
    hem_vec_transpose4(&rows[0].lo, &rows[1].lo, &rows[2].lo, &rows[3].lo);
    hem_vec_transpose4(&rows[0].hi, &rows[1].hi, &rows[2].hi, &rows[3].hi);
    hem_vec_transpose4(&rows[4].lo, &rows[5].lo, &rows[6].lo, &rows[7].lo);
    hem_vec_transpose4(&rows[4].hi, &rows[5].hi, &rows[6].hi, &rows[7].hi);
    for (int i = 0; i < 4; ++i) {
        v128_t t = rows[i].hi;
        rows[i].hi = rows[i + 4].lo;
        rows[i + 4].lo = t;
    }
}

HEM_INLINE v128_t hem_vec_fold2(v128_t s) { return wasm_i32x4_shuffle(s, s, 2, 3, 2, 3); }
HEM_INLINE v128_t hem_vec_fold1(v128_t s) { return wasm_i32x4_shuffle(s, s, 1, 1, 1, 1); }

HEM_INLINE float v8_sum(v8 a) {
    v128_t s = wasm_f32x4_add(a.lo, a.hi);
    s = wasm_f32x4_add(s, hem_vec_fold2(s));
    return wasm_f32x4_extract_lane(wasm_f32x4_add(s, hem_vec_fold1(s)), 0);
}

HEM_INLINE float v8_hmin(v8 a) {
    v128_t s = wasm_f32x4_pmin(a.hi, a.lo);
    s = wasm_f32x4_pmin(hem_vec_fold2(s), s);
    return wasm_f32x4_extract_lane(wasm_f32x4_pmin(hem_vec_fold1(s), s), 0);
}

HEM_INLINE float v8_hmax(v8 a) {
    v128_t s = wasm_f32x4_pmax(a.hi, a.lo);
    s = wasm_f32x4_pmax(hem_vec_fold2(s), s);
    return wasm_f32x4_extract_lane(wasm_f32x4_pmax(hem_vec_fold1(s), s), 0);
}

// -- Integers

HEM_INLINE w8 w8_load(const int32_t* p) { return hem_w8(wasm_v128_load(p), wasm_v128_load(p + 4)); }
HEM_INLINE w8 w8_loadu(const int32_t* p) { return hem_w8(wasm_v128_load(p), wasm_v128_load(p + 4)); }
HEM_INLINE w8 hem_vec_widen(v128_t v) { return hem_w8(wasm_u32x4_extend_low_u16x8(v), wasm_u32x4_extend_high_u16x8(v)); }
HEM_INLINE w8 w8_load_u8(const uint8_t* p) { return hem_vec_widen(wasm_u16x8_load8x8(p)); }
HEM_INLINE w8 w8_load_u16(const uint16_t* p) { return hem_vec_widen(wasm_v128_load(p)); }
HEM_INLINE void w8_store(int32_t* p, w8 a) { wasm_v128_store(p, a.lo); wasm_v128_store(p + 4, a.hi); }
HEM_INLINE void w8_storeu(int32_t* p, w8 a) { wasm_v128_store(p, a.lo); wasm_v128_store(p + 4, a.hi); }

HEM_INLINE w8 w8_set1(int32_t x) {
    HEM_VEC_FROM_LOCAL(x);
    return hem_w8(wasm_i32x4_splat(x), wasm_i32x4_splat(x));
}

HEM_INLINE w8 w8_add(w8 a, w8 b) { return hem_w8(wasm_i32x4_add(a.lo, b.lo), wasm_i32x4_add(a.hi, b.hi)); }
HEM_INLINE w8 w8_sub(w8 a, w8 b) { return hem_w8(wasm_i32x4_sub(a.lo, b.lo), wasm_i32x4_sub(a.hi, b.hi)); }
HEM_INLINE w8 w8_mul(w8 a, w8 b) { return hem_w8(wasm_i32x4_mul(a.lo, b.lo), wasm_i32x4_mul(a.hi, b.hi)); }
HEM_INLINE w8 w8_and(w8 a, w8 b) { return hem_w8(wasm_v128_and(a.lo, b.lo), wasm_v128_and(a.hi, b.hi)); }
HEM_INLINE w8 w8_or(w8 a, w8 b) { return hem_w8(wasm_v128_or(a.lo, b.lo), wasm_v128_or(a.hi, b.hi)); }
HEM_INLINE w8 w8_xor(w8 a, w8 b) { return hem_w8(wasm_v128_xor(a.lo, b.lo), wasm_v128_xor(a.hi, b.hi)); }
HEM_INLINE w8 w8_shl(w8 a, int n) { return hem_w8(wasm_i32x4_shl(a.lo, n), wasm_i32x4_shl(a.hi, n)); }
HEM_INLINE w8 w8_shr(w8 a, int n) { return hem_w8(wasm_u32x4_shr(a.lo, n), wasm_u32x4_shr(a.hi, n)); }
HEM_INLINE m8 w8_eq(w8 a, w8 b) { return hem_m8(wasm_i32x4_eq(a.lo, b.lo), wasm_i32x4_eq(a.hi, b.hi)); }
HEM_INLINE m8 w8_gt(w8 a, w8 b) { return hem_m8(wasm_i32x4_gt(a.lo, b.lo), wasm_i32x4_gt(a.hi, b.hi)); }

// -- Between the types

// trunc_sat saturates and sends NaN to 0; |x| < 2^31 says where its answer may stand.
HEM_INLINE v128_t hem_vec_to_int(v128_t a) {
    v128_t inside = wasm_f32x4_lt(wasm_f32x4_abs(a), wasm_f32x4_splat(2147483648.0f));
    return wasm_v128_bitselect(wasm_i32x4_trunc_sat_f32x4(a), wasm_i32x4_splat(INT32_MIN), inside);
}

HEM_INLINE w8 v8_to_w8(v8 a) { return hem_w8(hem_vec_to_int(a.lo), hem_vec_to_int(a.hi)); }
HEM_INLINE v8 w8_to_v8(w8 a) { return hem_v8(wasm_f32x4_convert_i32x4(a.lo), wasm_f32x4_convert_i32x4(a.hi)); }
HEM_INLINE w8 v8_as_w8(v8 a) { return hem_w8(a.lo, a.hi); }
HEM_INLINE v8 w8_as_v8(w8 a) { return hem_v8(a.lo, a.hi); }

// clang-format on

#endif
