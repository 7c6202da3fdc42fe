// SPDX-License-Identifier: MIT
// The NEON backend of vec.h, 64-bit ARM: two 128-bit registers, lanes 0..3 in lo and 4..7 in hi.
//
// Where ARM differs from x86 and C, the long way is taken: fmin and fmax treat NaN and zeros their own way (compare and
// select instead), float to int saturates (mended with one compare), and multiply-add must not be fused, which only
// -ffp-contract=off guarantees, since compilers fuse intrinsics too.
#ifndef HEM_PLATFORM_VEC_NEON_H
#define HEM_PLATFORM_VEC_NEON_H

#if !defined(HEM_PLATFORM_VEC_H)
#error "include platform/vec.h, not a backend"
#endif
#if !defined(HEM_ARCH_ARM64)
#error "HEM_VEC_NEON needs 64-bit ARM"
#endif

#include <arm_neon.h>

typedef struct v8 {
    float32x4_t lo, hi;
} v8;
typedef struct w8 {
    int32x4_t lo, hi;
} w8;
typedef struct m8 { // each lane 0 or ~0
    uint32x4_t lo, hi;
} m8;

// clang-format off

HEM_INLINE v8 hem_v8(float32x4_t lo, float32x4_t hi) { v8 r; r.lo = lo; r.hi = hi; return r; }
HEM_INLINE w8 hem_w8(int32x4_t lo, int32x4_t hi) { w8 r; r.lo = lo; r.hi = hi; return r; }
HEM_INLINE m8 hem_m8(uint32x4_t lo, uint32x4_t hi) { m8 r; r.lo = lo; r.hi = hi; return r; }

// -- Memory

HEM_INLINE v8 v8_load(const float* p) { return hem_v8(vld1q_f32(p), vld1q_f32(p + 4)); }
HEM_INLINE v8 v8_loadu(const float* p) { return hem_v8(vld1q_f32(p), vld1q_f32(p + 4)); }
HEM_INLINE void v8_store(float* p, v8 a) { vst1q_f32(p, a.lo); vst1q_f32(p + 4, a.hi); }
HEM_INLINE void v8_storeu(float* p, v8 a) { vst1q_f32(p, a.lo); vst1q_f32(p + 4, a.hi); }
HEM_INLINE v8 v8_set1(float x) { return hem_v8(vdupq_n_f32(x), vdupq_n_f32(x)); }

HEM_INLINE float v8_lane(v8 a, int k) {
    float f[8];
    v8_store(f, a);
    return f[k & 7];
}

HEM_INLINE float32x4_t hem_vec_gather4(const float* base, const int32_t* index) {
    float32x4_t r = vld1q_dup_f32(base + index[0]);
    r = vld1q_lane_f32(base + index[1], r, 1);
    r = vld1q_lane_f32(base + index[2], r, 2);
    return vld1q_lane_f32(base + index[3], r, 3);
}

HEM_INLINE v8 v8_gather(const float* base, const int32_t* index) {
    return hem_v8(hem_vec_gather4(base, index), hem_vec_gather4(base, index + 4));
}

// The low and the high 64 bits of two registers side by side.
HEM_INLINE float32x4_t hem_vec_lows(float32x4_t a, float32x4_t b) {
    return vreinterpretq_f32_f64(vtrn1q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
}

HEM_INLINE float32x4_t hem_vec_highs(float32x4_t a, float32x4_t b) {
    return vreinterpretq_f32_f64(vtrn2q_f64(vreinterpretq_f64_f32(a), vreinterpretq_f64_f32(b)));
}

// Works both ways: four rows of four become four columns.
HEM_INLINE void hem_vec_transpose4(float32x4_t* a, float32x4_t* b, float32x4_t* c, float32x4_t* d) {
    float32x4_t ab02 = vtrn1q_f32(*a, *b);
    float32x4_t ab13 = vtrn2q_f32(*a, *b);
    float32x4_t cd02 = vtrn1q_f32(*c, *d);
    float32x4_t cd13 = vtrn2q_f32(*c, *d);
    *a = hem_vec_lows(ab02, cd02);
    *b = hem_vec_lows(ab13, cd13);
    *c = hem_vec_highs(ab02, cd02);
    *d = hem_vec_highs(ab13, cd13);
}

HEM_INLINE float32x4_t hem_vec_row4(const float* base, int32_t index) { return vld1q_f32(base + 4 * (ptrdiff_t)index); }

HEM_INLINE void v8_load_rows4(const float* base, const int32_t* index, v8* x, v8* y, v8* z, v8* w) {
    float32x4_t a = hem_vec_row4(base, index[0]), b = hem_vec_row4(base, index[1]);
    float32x4_t c = hem_vec_row4(base, index[2]), d = hem_vec_row4(base, index[3]);
    float32x4_t e = hem_vec_row4(base, index[4]), f = hem_vec_row4(base, index[5]);
    float32x4_t g = hem_vec_row4(base, index[6]), h = hem_vec_row4(base, index[7]);
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
    vst1q_f32(base + 4 * (ptrdiff_t)index[0], x.lo);
    vst1q_f32(base + 4 * (ptrdiff_t)index[1], y.lo);
    vst1q_f32(base + 4 * (ptrdiff_t)index[2], z.lo);
    vst1q_f32(base + 4 * (ptrdiff_t)index[3], w.lo);
    vst1q_f32(base + 4 * (ptrdiff_t)index[4], x.hi);
    vst1q_f32(base + 4 * (ptrdiff_t)index[5], y.hi);
    vst1q_f32(base + 4 * (ptrdiff_t)index[6], z.hi);
    vst1q_f32(base + 4 * (ptrdiff_t)index[7], w.hi);
}

HEM_INLINE void v8_load3(const float* p, v8* x, v8* y, v8* z) {
    float32x4x3_t a = vld3q_f32(p);
    float32x4x3_t b = vld3q_f32(p + 12);
    *x = hem_v8(a.val[0], b.val[0]);
    *y = hem_v8(a.val[1], b.val[1]);
    *z = hem_v8(a.val[2], b.val[2]);
}

HEM_INLINE void v8_store3(float* p, v8 x, v8 y, v8 z) {
    float32x4x3_t a, b;
    a.val[0] = x.lo;
    a.val[1] = y.lo;
    a.val[2] = z.lo;
    b.val[0] = x.hi;
    b.val[1] = y.hi;
    b.val[2] = z.hi;
    vst3q_f32(p, a);
    vst3q_f32(p + 12, b);
}

// -- Arithmetic

HEM_INLINE v8 v8_add(v8 a, v8 b) { return hem_v8(vaddq_f32(a.lo, b.lo), vaddq_f32(a.hi, b.hi)); }
HEM_INLINE v8 v8_sub(v8 a, v8 b) { return hem_v8(vsubq_f32(a.lo, b.lo), vsubq_f32(a.hi, b.hi)); }
HEM_INLINE v8 v8_mul(v8 a, v8 b) { return hem_v8(vmulq_f32(a.lo, b.lo), vmulq_f32(a.hi, b.hi)); }
HEM_INLINE v8 v8_div(v8 a, v8 b) { return hem_v8(vdivq_f32(a.lo, b.lo), vdivq_f32(a.hi, b.hi)); }
HEM_INLINE v8 v8_sqrt(v8 a) { return hem_v8(vsqrtq_f32(a.lo), vsqrtq_f32(a.hi)); }
HEM_INLINE v8 v8_floor(v8 a) { return hem_v8(vrndmq_f32(a.lo), vrndmq_f32(a.hi)); }
HEM_INLINE v8 v8_neg(v8 a) { return hem_v8(vnegq_f32(a.lo), vnegq_f32(a.hi)); }
HEM_INLINE v8 v8_abs(v8 a) { return hem_v8(vabsq_f32(a.lo), vabsq_f32(a.hi)); }

HEM_INLINE v8 v8_min(v8 a, v8 b) {
    return hem_v8(vbslq_f32(vcltq_f32(a.lo, b.lo), a.lo, b.lo), vbslq_f32(vcltq_f32(a.hi, b.hi), a.hi, b.hi));
}

HEM_INLINE v8 v8_max(v8 a, v8 b) {
    return hem_v8(vbslq_f32(vcgtq_f32(a.lo, b.lo), a.lo, b.lo), vbslq_f32(vcgtq_f32(a.hi, b.hi), a.hi, b.hi));
}

HEM_INLINE v8 v8_copysign(v8 a, v8 b) {
    uint32x4_t sign = vdupq_n_u32(0x80000000u);
    return hem_v8(vbslq_f32(sign, b.lo, a.lo), vbslq_f32(sign, b.hi, a.hi));
}

// -- Masks and choice

HEM_INLINE m8 v8_lt(v8 a, v8 b) { return hem_m8(vcltq_f32(a.lo, b.lo), vcltq_f32(a.hi, b.hi)); }
HEM_INLINE m8 v8_le(v8 a, v8 b) { return hem_m8(vcleq_f32(a.lo, b.lo), vcleq_f32(a.hi, b.hi)); }
HEM_INLINE m8 v8_eq(v8 a, v8 b) { return hem_m8(vceqq_f32(a.lo, b.lo), vceqq_f32(a.hi, b.hi)); }

HEM_INLINE m8 m8_and(m8 a, m8 b) { return hem_m8(vandq_u32(a.lo, b.lo), vandq_u32(a.hi, b.hi)); }
HEM_INLINE m8 m8_or(m8 a, m8 b) { return hem_m8(vorrq_u32(a.lo, b.lo), vorrq_u32(a.hi, b.hi)); }
HEM_INLINE m8 m8_not(m8 a) { return hem_m8(vmvnq_u32(a.lo), vmvnq_u32(a.hi)); }
HEM_INLINE m8 m8_andnot(m8 a, m8 b) { return hem_m8(vbicq_u32(a.lo, b.lo), vbicq_u32(a.hi, b.hi)); }
HEM_INLINE int m8_any(m8 m) { return vmaxvq_u32(vorrq_u32(m.lo, m.hi)) != 0; }
HEM_INLINE int m8_all(m8 m) { return vminvq_u32(vandq_u32(m.lo, m.hi)) != 0; }

HEM_INLINE uint32_t m8_bits(m8 m) {
    static const uint32_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u32(vorrq_u32(vandq_u32(m.lo, vld1q_u32(bit)), vandq_u32(m.hi, vld1q_u32(bit + 4))));
}

HEM_INLINE m8 m8_from_bits(uint32_t bits) {
    static const uint32_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    uint32x4_t all = vdupq_n_u32(bits);
    return hem_m8(vtstq_u32(all, vld1q_u32(bit)), vtstq_u32(all, vld1q_u32(bit + 4)));
}

HEM_INLINE v8 v8_select(m8 m, v8 a, v8 b) { return hem_v8(vbslq_f32(m.lo, a.lo, b.lo), vbslq_f32(m.hi, a.hi, b.hi)); }

HEM_INLINE v8 v8_keep(m8 m, v8 a) {
    return hem_v8(vreinterpretq_f32_u32(vandq_u32(m.lo, vreinterpretq_u32_f32(a.lo))),
                  vreinterpretq_f32_u32(vandq_u32(m.hi, vreinterpretq_u32_f32(a.hi))));
}

// -- Across lanes

// One byte lookup over both registers per half. The high half's byte numbers are the low half's, 16 further around.
HEM_INLINE v8 v8_rotate(v8 a, int k) {
    static const uint8_t byte[44] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                     15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
                                     30, 31, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11};
    uint8x16_t lo = vld1q_u8(byte + 4 * (k & 7));
    uint8x16_t hi = veorq_u8(lo, vdupq_n_u8(16));
    uint8x16x2_t both;
    both.val[0] = vreinterpretq_u8_f32(a.lo);
    both.val[1] = vreinterpretq_u8_f32(a.hi);
    return hem_v8(vreinterpretq_f32_u8(vqtbl2q_u8(both, lo)), vreinterpretq_f32_u8(vqtbl2q_u8(both, hi)));
}

HEM_INLINE void v8_transpose8(v8* rows) {
    hem_vec_transpose4(&rows[0].lo, &rows[1].lo, &rows[2].lo, &rows[3].lo);
    hem_vec_transpose4(&rows[0].hi, &rows[1].hi, &rows[2].hi, &rows[3].hi);
    hem_vec_transpose4(&rows[4].lo, &rows[5].lo, &rows[6].lo, &rows[7].lo);
    hem_vec_transpose4(&rows[4].hi, &rows[5].hi, &rows[6].hi, &rows[7].hi);
    for (int i = 0; i < 4; ++i) {
        float32x4_t t = rows[i].hi;
        rows[i].hi = rows[i + 4].lo;
        rows[i + 4].lo = t;
    }
}

HEM_INLINE float v8_sum(v8 a) {
    float32x4_t s = vaddq_f32(a.lo, a.hi);
    return vpadds_f32(vadd_f32(vget_low_f32(s), vget_high_f32(s)));
}

HEM_INLINE float v8_hmin(v8 a) {
    float32x4_t s = vbslq_f32(vcltq_f32(a.lo, a.hi), a.lo, a.hi);
    float32x2_t l = vget_low_f32(s), h = vget_high_f32(s);
    float32x2_t t = vbsl_f32(vclt_f32(l, h), l, h);
    float32x2_t u = vdup_lane_f32(t, 1);
    return vget_lane_f32(vbsl_f32(vclt_f32(t, u), t, u), 0);
}

HEM_INLINE float v8_hmax(v8 a) {
    float32x4_t s = vbslq_f32(vcgtq_f32(a.lo, a.hi), a.lo, a.hi);
    float32x2_t l = vget_low_f32(s), h = vget_high_f32(s);
    float32x2_t t = vbsl_f32(vcgt_f32(l, h), l, h);
    float32x2_t u = vdup_lane_f32(t, 1);
    return vget_lane_f32(vbsl_f32(vcgt_f32(t, u), t, u), 0);
}

// -- Integers

HEM_INLINE w8 w8_load(const int32_t* p) { return hem_w8(vld1q_s32(p), vld1q_s32(p + 4)); }
HEM_INLINE w8 w8_loadu(const int32_t* p) { return hem_w8(vld1q_s32(p), vld1q_s32(p + 4)); }
HEM_INLINE w8 hem_vec_widen(uint16x8_t v) {
    return hem_w8(vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(v))), vreinterpretq_s32_u32(vmovl_u16(vget_high_u16(v))));
}

HEM_INLINE w8 w8_load_u8(const uint8_t* p) { return hem_vec_widen(vmovl_u8(vld1_u8(p))); }
HEM_INLINE w8 w8_load_u16(const uint16_t* p) { return hem_vec_widen(vld1q_u16(p)); }
HEM_INLINE void w8_store(int32_t* p, w8 a) { vst1q_s32(p, a.lo); vst1q_s32(p + 4, a.hi); }
HEM_INLINE void w8_storeu(int32_t* p, w8 a) { vst1q_s32(p, a.lo); vst1q_s32(p + 4, a.hi); }
HEM_INLINE w8 w8_set1(int32_t x) { return hem_w8(vdupq_n_s32(x), vdupq_n_s32(x)); }
HEM_INLINE w8 w8_add(w8 a, w8 b) { return hem_w8(vaddq_s32(a.lo, b.lo), vaddq_s32(a.hi, b.hi)); }
HEM_INLINE w8 w8_sub(w8 a, w8 b) { return hem_w8(vsubq_s32(a.lo, b.lo), vsubq_s32(a.hi, b.hi)); }
HEM_INLINE w8 w8_mul(w8 a, w8 b) { return hem_w8(vmulq_s32(a.lo, b.lo), vmulq_s32(a.hi, b.hi)); }
HEM_INLINE w8 w8_and(w8 a, w8 b) { return hem_w8(vandq_s32(a.lo, b.lo), vandq_s32(a.hi, b.hi)); }
HEM_INLINE w8 w8_or(w8 a, w8 b) { return hem_w8(vorrq_s32(a.lo, b.lo), vorrq_s32(a.hi, b.hi)); }
HEM_INLINE w8 w8_xor(w8 a, w8 b) { return hem_w8(veorq_s32(a.lo, b.lo), veorq_s32(a.hi, b.hi)); }
HEM_INLINE m8 w8_eq(w8 a, w8 b) { return hem_m8(vceqq_s32(a.lo, b.lo), vceqq_s32(a.hi, b.hi)); }
HEM_INLINE m8 w8_gt(w8 a, w8 b) { return hem_m8(vcgtq_s32(a.lo, b.lo), vcgtq_s32(a.hi, b.hi)); }

HEM_INLINE w8 w8_shl(w8 a, int n) {
    int32x4_t by = vdupq_n_s32(n);
    return hem_w8(vshlq_s32(a.lo, by), vshlq_s32(a.hi, by));
}

HEM_INLINE w8 w8_shr(w8 a, int n) {
    int32x4_t by = vdupq_n_s32(-n);
    return hem_w8(vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(a.lo), by)),
                  vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(a.hi), by)));
}

// -- Between the types

// fcvtzs saturates and sends NaN to 0; |x| < 2^31 says where its answer may stand.
HEM_INLINE w8 v8_to_w8(v8 a) {
    float32x4_t limit = vdupq_n_f32(2147483648.0f);
    int32x4_t outside = vdupq_n_s32(INT32_MIN);
    return hem_w8(vbslq_s32(vcaltq_f32(a.lo, limit), vcvtq_s32_f32(a.lo), outside),
                  vbslq_s32(vcaltq_f32(a.hi, limit), vcvtq_s32_f32(a.hi), outside));
}

HEM_INLINE v8 w8_to_v8(w8 a) { return hem_v8(vcvtq_f32_s32(a.lo), vcvtq_f32_s32(a.hi)); }
HEM_INLINE w8 v8_as_w8(v8 a) { return hem_w8(vreinterpretq_s32_f32(a.lo), vreinterpretq_s32_f32(a.hi)); }
HEM_INLINE v8 w8_as_v8(w8 a) { return hem_v8(vreinterpretq_f32_s32(a.lo), vreinterpretq_f32_s32(a.hi)); }

// clang-format on

#endif
