// SPDX-License-Identifier: MIT
// The SSE2 backend of vec.h: two 128-bit registers, lanes 0..3 in lo and 4..7 in hi. Nothing newer than SSE2, since
// every 64-bit x86 has that and anything better has AVX2.
#ifndef HEM_PLATFORM_VEC_SSE2_H
#define HEM_PLATFORM_VEC_SSE2_H

#if !defined(HEM_PLATFORM_VEC_H)
#error "include platform/vec.h, not a backend"
#endif

#include <emmintrin.h>

typedef struct v8 {
    __m128 lo, hi;
} v8;
typedef struct w8 {
    __m128i lo, hi;
} w8;
typedef struct m8 { // each lane 0 or ~0
    __m128 lo, hi;
} m8;

// clang-format off

HEM_INLINE v8 hem_v8(__m128 lo, __m128 hi) { v8 r; r.lo = lo; r.hi = hi; return r; }
HEM_INLINE w8 hem_w8(__m128i lo, __m128i hi) { w8 r; r.lo = lo; r.hi = hi; return r; }
HEM_INLINE m8 hem_m8(__m128 lo, __m128 hi) { m8 r; r.lo = lo; r.hi = hi; return r; }
HEM_INLINE m8 hem_m8i(__m128i lo, __m128i hi) { return hem_m8(_mm_castsi128_ps(lo), _mm_castsi128_ps(hi)); }
HEM_INLINE __m128 hem_vec_sign_bits(void) { return _mm_set1_ps(-0.0f); }

// -- Memory

HEM_INLINE v8 v8_load(const float* p) { return hem_v8(_mm_load_ps(p), _mm_load_ps(p + 4)); }
HEM_INLINE v8 v8_loadu(const float* p) { return hem_v8(_mm_loadu_ps(p), _mm_loadu_ps(p + 4)); }
HEM_INLINE void v8_store(float* p, v8 a) { _mm_store_ps(p, a.lo); _mm_store_ps(p + 4, a.hi); }
HEM_INLINE void v8_storeu(float* p, v8 a) { _mm_storeu_ps(p, a.lo); _mm_storeu_ps(p + 4, a.hi); }
HEM_INLINE v8 v8_set1(float x) { return hem_v8(_mm_set1_ps(x), _mm_set1_ps(x)); }

HEM_INLINE float v8_lane(v8 a, int k) {
    HEM_ALIGN(16) float f[8];
    v8_store(f, a);
    return f[k & 7];
}

HEM_INLINE v8 v8_gather(const float* base, const int32_t* index) {
    return hem_v8(_mm_setr_ps(base[index[0]], base[index[1]], base[index[2]], base[index[3]]),
                  _mm_setr_ps(base[index[4]], base[index[5]], base[index[6]], base[index[7]]));
}

// Works both ways: four rows of four become four columns.
HEM_INLINE void hem_vec_transpose4(__m128* a, __m128* b, __m128* c, __m128* d) {
    __m128 ab01 = _mm_unpacklo_ps(*a, *b);
    __m128 ab23 = _mm_unpackhi_ps(*a, *b);
    __m128 cd01 = _mm_unpacklo_ps(*c, *d);
    __m128 cd23 = _mm_unpackhi_ps(*c, *d);
    *a = _mm_movelh_ps(ab01, cd01);
    *b = _mm_movehl_ps(cd01, ab01);
    *c = _mm_movelh_ps(ab23, cd23);
    *d = _mm_movehl_ps(cd23, ab23);
}

HEM_INLINE __m128 hem_vec_row4(const float* base, int32_t index) { return _mm_load_ps(base + 4 * (ptrdiff_t)index); }

HEM_INLINE void v8_load_rows4(const float* base, const int32_t* index, v8* x, v8* y, v8* z, v8* w) {
    __m128 a = hem_vec_row4(base, index[0]), b = hem_vec_row4(base, index[1]);
    __m128 c = hem_vec_row4(base, index[2]), d = hem_vec_row4(base, index[3]);
    __m128 e = hem_vec_row4(base, index[4]), f = hem_vec_row4(base, index[5]);
    __m128 g = hem_vec_row4(base, index[6]), h = hem_vec_row4(base, index[7]);
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
    _mm_store_ps(base + 4 * (ptrdiff_t)index[0], x.lo);
    _mm_store_ps(base + 4 * (ptrdiff_t)index[1], y.lo);
    _mm_store_ps(base + 4 * (ptrdiff_t)index[2], z.lo);
    _mm_store_ps(base + 4 * (ptrdiff_t)index[3], w.lo);
    _mm_store_ps(base + 4 * (ptrdiff_t)index[4], x.hi);
    _mm_store_ps(base + 4 * (ptrdiff_t)index[5], y.hi);
    _mm_store_ps(base + 4 * (ptrdiff_t)index[6], z.hi);
    _mm_store_ps(base + 4 * (ptrdiff_t)index[7], w.hi);
}

// Four points are a = x0 y0 z0 x1, b = y1 z1 x2 y2, c = z2 x3 y3 z3.
HEM_INLINE void hem_vec_load3(const float* p, __m128* x, __m128* y, __m128* z) {
    __m128 a = _mm_loadu_ps(p);
    __m128 b = _mm_loadu_ps(p + 4);
    __m128 c = _mm_loadu_ps(p + 8);
    __m128 x23 = _mm_shuffle_ps(b, c, _MM_SHUFFLE(1, 1, 2, 2));
    __m128 y01 = _mm_shuffle_ps(a, b, _MM_SHUFFLE(0, 0, 1, 1));
    __m128 y23 = _mm_shuffle_ps(b, c, _MM_SHUFFLE(2, 2, 3, 3));
    __m128 z01 = _mm_shuffle_ps(a, b, _MM_SHUFFLE(1, 1, 2, 2));
    *x = _mm_shuffle_ps(a, x23, _MM_SHUFFLE(2, 0, 3, 0));
    *y = _mm_shuffle_ps(y01, y23, _MM_SHUFFLE(2, 0, 2, 0));
    *z = _mm_shuffle_ps(z01, c, _MM_SHUFFLE(3, 0, 2, 0));
}

HEM_INLINE void hem_vec_store3(float* p, __m128 x, __m128 y, __m128 z) {
    __m128 a0 = _mm_shuffle_ps(x, y, _MM_SHUFFLE(0, 0, 0, 0));
    __m128 a1 = _mm_shuffle_ps(z, x, _MM_SHUFFLE(1, 1, 0, 0));
    __m128 b0 = _mm_shuffle_ps(y, z, _MM_SHUFFLE(1, 1, 1, 1));
    __m128 b1 = _mm_shuffle_ps(x, y, _MM_SHUFFLE(2, 2, 2, 2));
    __m128 c0 = _mm_shuffle_ps(z, x, _MM_SHUFFLE(3, 3, 2, 2));
    __m128 c1 = _mm_shuffle_ps(y, z, _MM_SHUFFLE(3, 3, 3, 3));
    _mm_storeu_ps(p, _mm_shuffle_ps(a0, a1, _MM_SHUFFLE(2, 0, 2, 0)));
    _mm_storeu_ps(p + 4, _mm_shuffle_ps(b0, b1, _MM_SHUFFLE(2, 0, 2, 0)));
    _mm_storeu_ps(p + 8, _mm_shuffle_ps(c0, c1, _MM_SHUFFLE(2, 0, 2, 0)));
}

HEM_INLINE void v8_load3(const float* p, v8* x, v8* y, v8* z) {
    hem_vec_load3(p, &x->lo, &y->lo, &z->lo);
    hem_vec_load3(p + 12, &x->hi, &y->hi, &z->hi);
}

HEM_INLINE void v8_store3(float* p, v8 x, v8 y, v8 z) {
    hem_vec_store3(p, x.lo, y.lo, z.lo);
    hem_vec_store3(p + 12, x.hi, y.hi, z.hi);
}

// -- Arithmetic. minps and maxps are a < b ? a : b and a > b ? a : b as they come

HEM_INLINE v8 v8_add(v8 a, v8 b) { return hem_v8(_mm_add_ps(a.lo, b.lo), _mm_add_ps(a.hi, b.hi)); }
HEM_INLINE v8 v8_sub(v8 a, v8 b) { return hem_v8(_mm_sub_ps(a.lo, b.lo), _mm_sub_ps(a.hi, b.hi)); }
HEM_INLINE v8 v8_mul(v8 a, v8 b) { return hem_v8(_mm_mul_ps(a.lo, b.lo), _mm_mul_ps(a.hi, b.hi)); }
HEM_INLINE v8 v8_div(v8 a, v8 b) { return hem_v8(_mm_div_ps(a.lo, b.lo), _mm_div_ps(a.hi, b.hi)); }
HEM_INLINE v8 v8_sqrt(v8 a) { return hem_v8(_mm_sqrt_ps(a.lo), _mm_sqrt_ps(a.hi)); }
HEM_INLINE v8 v8_min(v8 a, v8 b) { return hem_v8(_mm_min_ps(a.lo, b.lo), _mm_min_ps(a.hi, b.hi)); }
HEM_INLINE v8 v8_max(v8 a, v8 b) { return hem_v8(_mm_max_ps(a.lo, b.lo), _mm_max_ps(a.hi, b.hi)); }

HEM_INLINE v8 v8_neg(v8 a) {
    __m128 sign = hem_vec_sign_bits();
    return hem_v8(_mm_xor_ps(a.lo, sign), _mm_xor_ps(a.hi, sign));
}

HEM_INLINE v8 v8_abs(v8 a) {
    __m128 sign = hem_vec_sign_bits();
    return hem_v8(_mm_andnot_ps(sign, a.lo), _mm_andnot_ps(sign, a.hi));
}

HEM_INLINE v8 v8_copysign(v8 a, v8 b) {
    __m128 sign = hem_vec_sign_bits();
    return hem_v8(_mm_or_ps(_mm_andnot_ps(sign, a.lo), _mm_and_ps(sign, b.lo)),
                  _mm_or_ps(_mm_andnot_ps(sign, a.hi), _mm_and_ps(sign, b.hi)));
}

// roundps came with SSE4.1. Below 2^23 through an integer, then the sign put back for -0; above there are no fractions,
// and the comparison sends NaN the same way.
HEM_INLINE __m128 hem_vec_floor(__m128 a) {
    __m128 sign = hem_vec_sign_bits();
    __m128 t = _mm_cvtepi32_ps(_mm_cvttps_epi32(a));
    __m128 small = _mm_cmplt_ps(_mm_andnot_ps(sign, a), _mm_set1_ps(8388608.0f));
    t = _mm_sub_ps(t, _mm_and_ps(_mm_cmpgt_ps(t, a), _mm_set1_ps(1.0f)));
    t = _mm_or_ps(_mm_andnot_ps(sign, t), _mm_and_ps(sign, a));
    return _mm_or_ps(_mm_and_ps(small, t), _mm_andnot_ps(small, a));
}

HEM_INLINE v8 v8_floor(v8 a) { return hem_v8(hem_vec_floor(a.lo), hem_vec_floor(a.hi)); }

// -- Masks and choice

HEM_INLINE m8 v8_lt(v8 a, v8 b) { return hem_m8(_mm_cmplt_ps(a.lo, b.lo), _mm_cmplt_ps(a.hi, b.hi)); }
HEM_INLINE m8 v8_le(v8 a, v8 b) { return hem_m8(_mm_cmple_ps(a.lo, b.lo), _mm_cmple_ps(a.hi, b.hi)); }
HEM_INLINE m8 v8_eq(v8 a, v8 b) { return hem_m8(_mm_cmpeq_ps(a.lo, b.lo), _mm_cmpeq_ps(a.hi, b.hi)); }

HEM_INLINE m8 m8_and(m8 a, m8 b) { return hem_m8(_mm_and_ps(a.lo, b.lo), _mm_and_ps(a.hi, b.hi)); }
HEM_INLINE m8 m8_or(m8 a, m8 b) { return hem_m8(_mm_or_ps(a.lo, b.lo), _mm_or_ps(a.hi, b.hi)); }
HEM_INLINE m8 m8_andnot(m8 a, m8 b) { return hem_m8(_mm_andnot_ps(b.lo, a.lo), _mm_andnot_ps(b.hi, a.hi)); }

HEM_INLINE m8 m8_not(m8 a) {
    __m128 ones = _mm_castsi128_ps(_mm_set1_epi32(-1));
    return hem_m8(_mm_xor_ps(a.lo, ones), _mm_xor_ps(a.hi, ones));
}

HEM_INLINE uint32_t m8_bits(m8 m) { return (uint32_t)(_mm_movemask_ps(m.lo) | _mm_movemask_ps(m.hi) << 4); }
HEM_INLINE int m8_any(m8 m) { return _mm_movemask_ps(_mm_or_ps(m.lo, m.hi)) != 0; }
HEM_INLINE int m8_all(m8 m) { return _mm_movemask_ps(_mm_and_ps(m.lo, m.hi)) == 0xf; }

HEM_INLINE m8 m8_from_bits(uint32_t bits) {
    __m128i lo = _mm_setr_epi32(1, 2, 4, 8);
    __m128i hi = _mm_setr_epi32(16, 32, 64, 128);
    __m128i all = _mm_set1_epi32((int)bits);
    return hem_m8i(_mm_cmpeq_epi32(_mm_and_si128(all, lo), lo), _mm_cmpeq_epi32(_mm_and_si128(all, hi), hi));
}

HEM_INLINE v8 v8_select(m8 m, v8 a, v8 b) {
    return hem_v8(_mm_or_ps(_mm_and_ps(m.lo, a.lo), _mm_andnot_ps(m.lo, b.lo)),
                  _mm_or_ps(_mm_and_ps(m.hi, a.hi), _mm_andnot_ps(m.hi, b.hi)));
}

HEM_INLINE v8 v8_keep(m8 m, v8 a) { return hem_v8(_mm_and_ps(m.lo, a.lo), _mm_and_ps(m.hi, a.hi)); }

// -- Across lanes

// a1 a2 a3 b0
HEM_INLINE __m128 hem_vec_slide1(__m128 a, __m128 b) {
    __m128 t = _mm_move_ss(a, b);
    return _mm_shuffle_ps(t, t, _MM_SHUFFLE(0, 3, 2, 1));
}

// a2 a3 b0 b1
HEM_INLINE __m128 hem_vec_slide2(__m128 a, __m128 b) { return _mm_shuffle_ps(a, b, _MM_SHUFFLE(1, 0, 3, 2)); }

// a3 b0 b1 b2
HEM_INLINE __m128 hem_vec_slide3(__m128 a, __m128 b) {
    __m128 t = _mm_shuffle_ps(a, b, _MM_SHUFFLE(0, 0, 3, 3));
    return _mm_shuffle_ps(t, b, _MM_SHUFFLE(2, 1, 2, 0));
}

// SSE2 has no shuffle with a runtime control. A batch seam repeats its k, so the branch is well predicted and costs
// less than the store forwarding stall of a trip through memory.
HEM_INLINE v8 v8_rotate(v8 a, int k) {
    if (k & 4) {
        a = hem_v8(a.hi, a.lo);
    }
    switch (k & 3) {
    case 1: return hem_v8(hem_vec_slide1(a.lo, a.hi), hem_vec_slide1(a.hi, a.lo));
    case 2: return hem_v8(hem_vec_slide2(a.lo, a.hi), hem_vec_slide2(a.hi, a.lo));
    case 3: return hem_v8(hem_vec_slide3(a.lo, a.hi), hem_vec_slide3(a.hi, a.lo));
    default: return a;
    }
}

HEM_INLINE void v8_transpose8(v8* rows) {
    hem_vec_transpose4(&rows[0].lo, &rows[1].lo, &rows[2].lo, &rows[3].lo);
    hem_vec_transpose4(&rows[0].hi, &rows[1].hi, &rows[2].hi, &rows[3].hi);
    hem_vec_transpose4(&rows[4].lo, &rows[5].lo, &rows[6].lo, &rows[7].lo);
    hem_vec_transpose4(&rows[4].hi, &rows[5].hi, &rows[6].hi, &rows[7].hi);
    for (int i = 0; i < 4; ++i) {
        __m128 t = rows[i].hi;
        rows[i].hi = rows[i + 4].lo;
        rows[i + 4].lo = t;
    }
}

HEM_INLINE float v8_sum(v8 a) {
    __m128 s = _mm_add_ps(a.lo, a.hi);
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}

HEM_INLINE float v8_hmin(v8 a) {
    __m128 s = _mm_min_ps(a.lo, a.hi);
    s = _mm_min_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_min_ss(s, _mm_shuffle_ps(s, s, 1)));
}

HEM_INLINE float v8_hmax(v8 a) {
    __m128 s = _mm_max_ps(a.lo, a.hi);
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_shuffle_ps(s, s, 1)));
}

// -- Integers

HEM_INLINE w8 w8_load(const int32_t* p) {
    return hem_w8(_mm_load_si128((const __m128i*)(const void*)p), _mm_load_si128((const __m128i*)(const void*)(p + 4)));
}

HEM_INLINE w8 w8_loadu(const int32_t* p) {
    return hem_w8(_mm_loadu_si128((const __m128i*)(const void*)p),
                  _mm_loadu_si128((const __m128i*)(const void*)(p + 4)));
}

HEM_INLINE w8 w8_load_u16(const uint16_t* p) {
    __m128i v = _mm_loadu_si128((const __m128i*)(const void*)p), zero = _mm_setzero_si128();
    return hem_w8(_mm_unpacklo_epi16(v, zero), _mm_unpackhi_epi16(v, zero));
}

HEM_INLINE w8 w8_load_u8(const uint8_t* p) {
    __m128i zero = _mm_setzero_si128();
    __m128i v = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(const void*)p), zero);
    return hem_w8(_mm_unpacklo_epi16(v, zero), _mm_unpackhi_epi16(v, zero));
}

HEM_INLINE void w8_store(int32_t* p, w8 a) {
    _mm_store_si128((__m128i*)(void*)p, a.lo);
    _mm_store_si128((__m128i*)(void*)(p + 4), a.hi);
}

HEM_INLINE void w8_storeu(int32_t* p, w8 a) {
    _mm_storeu_si128((__m128i*)(void*)p, a.lo);
    _mm_storeu_si128((__m128i*)(void*)(p + 4), a.hi);
}

// pmulld came with SSE4.1: even and odd products to 64 bits, then the low halves back together.
HEM_INLINE __m128i hem_vec_mul32(__m128i a, __m128i b) {
    __m128i even = _mm_mul_epu32(a, b);
    __m128i odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_unpacklo_epi32(_mm_shuffle_epi32(even, _MM_SHUFFLE(0, 0, 2, 0)),
                              _mm_shuffle_epi32(odd, _MM_SHUFFLE(0, 0, 2, 0)));
}

HEM_INLINE w8 w8_set1(int32_t x) { return hem_w8(_mm_set1_epi32(x), _mm_set1_epi32(x)); }
HEM_INLINE w8 w8_add(w8 a, w8 b) { return hem_w8(_mm_add_epi32(a.lo, b.lo), _mm_add_epi32(a.hi, b.hi)); }
HEM_INLINE w8 w8_sub(w8 a, w8 b) { return hem_w8(_mm_sub_epi32(a.lo, b.lo), _mm_sub_epi32(a.hi, b.hi)); }
HEM_INLINE w8 w8_mul(w8 a, w8 b) { return hem_w8(hem_vec_mul32(a.lo, b.lo), hem_vec_mul32(a.hi, b.hi)); }
HEM_INLINE w8 w8_and(w8 a, w8 b) { return hem_w8(_mm_and_si128(a.lo, b.lo), _mm_and_si128(a.hi, b.hi)); }
HEM_INLINE w8 w8_or(w8 a, w8 b) { return hem_w8(_mm_or_si128(a.lo, b.lo), _mm_or_si128(a.hi, b.hi)); }
HEM_INLINE w8 w8_xor(w8 a, w8 b) { return hem_w8(_mm_xor_si128(a.lo, b.lo), _mm_xor_si128(a.hi, b.hi)); }
HEM_INLINE w8 w8_shl(w8 a, int n) { return hem_w8(_mm_slli_epi32(a.lo, n), _mm_slli_epi32(a.hi, n)); }
HEM_INLINE w8 w8_shr(w8 a, int n) { return hem_w8(_mm_srli_epi32(a.lo, n), _mm_srli_epi32(a.hi, n)); }
HEM_INLINE m8 w8_eq(w8 a, w8 b) { return hem_m8i(_mm_cmpeq_epi32(a.lo, b.lo), _mm_cmpeq_epi32(a.hi, b.hi)); }
HEM_INLINE m8 w8_gt(w8 a, w8 b) { return hem_m8i(_mm_cmpgt_epi32(a.lo, b.lo), _mm_cmpgt_epi32(a.hi, b.hi)); }

// -- Between the types. cvttps answers INT32_MIN for NaN and out of range, which is what vec.h asks for

HEM_INLINE w8 v8_to_w8(v8 a) { return hem_w8(_mm_cvttps_epi32(a.lo), _mm_cvttps_epi32(a.hi)); }
HEM_INLINE v8 w8_to_v8(w8 a) { return hem_v8(_mm_cvtepi32_ps(a.lo), _mm_cvtepi32_ps(a.hi)); }
HEM_INLINE w8 v8_as_w8(v8 a) { return hem_w8(_mm_castps_si128(a.lo), _mm_castps_si128(a.hi)); }
HEM_INLINE v8 w8_as_v8(w8 a) { return hem_v8(_mm_castsi128_ps(a.lo), _mm_castsi128_ps(a.hi)); }

// clang-format on

#endif
