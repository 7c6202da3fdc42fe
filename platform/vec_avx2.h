// SPDX-License-Identifier: MIT
// The AVX2 backend of vec.h: one 256-bit register.
//
// Gathers are scalar loads, not vgatherdps: the instruction is microcoded on Zen and, since the mitigation of
// gather data sampling, slower than eight loads on most Intel cores too.
#ifndef HEM_PLATFORM_VEC_AVX2_H
#define HEM_PLATFORM_VEC_AVX2_H

#if !defined(HEM_PLATFORM_VEC_H)
#error "include platform/vec.h, not a backend"
#endif

#include <immintrin.h>

typedef struct v8 {
    __m256 v;
} v8;
typedef struct w8 {
    __m256i v;
} w8;
typedef struct m8 { // each lane 0 or ~0
    __m256 v;
} m8;

// clang-format off

HEM_INLINE v8 hem_v8(__m256 v) { v8 r; r.v = v; return r; }
HEM_INLINE w8 hem_w8(__m256i v) { w8 r; r.v = v; return r; }
HEM_INLINE m8 hem_m8(__m256 v) { m8 r; r.v = v; return r; }
HEM_INLINE __m256 hem_vec_pair(__m128 lo, __m128 hi) { return _mm256_insertf128_ps(_mm256_castps128_ps256(lo), hi, 1); }
HEM_INLINE __m256 hem_vec_sign_bits(void) { return _mm256_set1_ps(-0.0f); }

// -- Memory

HEM_INLINE v8 v8_load(const float* p) { return hem_v8(_mm256_load_ps(p)); }
HEM_INLINE v8 v8_loadu(const float* p) { return hem_v8(_mm256_loadu_ps(p)); }
HEM_INLINE void v8_store(float* p, v8 a) { _mm256_store_ps(p, a.v); }
HEM_INLINE void v8_storeu(float* p, v8 a) { _mm256_storeu_ps(p, a.v); }
HEM_INLINE v8 v8_set1(float x) { return hem_v8(_mm256_set1_ps(x)); }

HEM_INLINE float v8_lane(v8 a, int k) {
    return _mm256_cvtss_f32(_mm256_permutevar8x32_ps(a.v, _mm256_castsi128_si256(_mm_cvtsi32_si128(k))));
}

HEM_INLINE v8 v8_gather(const float* base, const int32_t* index) {
    return hem_v8(_mm256_setr_ps(base[index[0]], base[index[1]], base[index[2]], base[index[3]],
                                 base[index[4]], base[index[5]], base[index[6]], base[index[7]]));
}

HEM_INLINE __m128 hem_vec_row4(const float* base, int32_t index) { return _mm_load_ps(base + 4 * (ptrdiff_t)index); }

// Lanes 0..3 in the low half, 4..7 in the high half, then a 4x4 transpose in each half at once.
HEM_INLINE void v8_load_rows4(const float* base, const int32_t* index, v8* x, v8* y, v8* z, v8* w) {
    __m256 r0 = hem_vec_pair(hem_vec_row4(base, index[0]), hem_vec_row4(base, index[4]));
    __m256 r1 = hem_vec_pair(hem_vec_row4(base, index[1]), hem_vec_row4(base, index[5]));
    __m256 r2 = hem_vec_pair(hem_vec_row4(base, index[2]), hem_vec_row4(base, index[6]));
    __m256 r3 = hem_vec_pair(hem_vec_row4(base, index[3]), hem_vec_row4(base, index[7]));
    __m256 xy01 = _mm256_unpacklo_ps(r0, r1);
    __m256 zw01 = _mm256_unpackhi_ps(r0, r1);
    __m256 xy23 = _mm256_unpacklo_ps(r2, r3);
    __m256 zw23 = _mm256_unpackhi_ps(r2, r3);
    x->v = _mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(1, 0, 1, 0));
    y->v = _mm256_shuffle_ps(xy01, xy23, _MM_SHUFFLE(3, 2, 3, 2));
    z->v = _mm256_shuffle_ps(zw01, zw23, _MM_SHUFFLE(1, 0, 1, 0));
    w->v = _mm256_shuffle_ps(zw01, zw23, _MM_SHUFFLE(3, 2, 3, 2));
}

HEM_INLINE void v8_store_rows4(float* base, const int32_t* index, v8 x, v8 y, v8 z, v8 w) {
    __m256 xy02 = _mm256_unpacklo_ps(x.v, y.v);
    __m256 xy13 = _mm256_unpackhi_ps(x.v, y.v);
    __m256 zw02 = _mm256_unpacklo_ps(z.v, w.v);
    __m256 zw13 = _mm256_unpackhi_ps(z.v, w.v);
    __m256 r0 = _mm256_shuffle_ps(xy02, zw02, _MM_SHUFFLE(1, 0, 1, 0));
    __m256 r1 = _mm256_shuffle_ps(xy02, zw02, _MM_SHUFFLE(3, 2, 3, 2));
    __m256 r2 = _mm256_shuffle_ps(xy13, zw13, _MM_SHUFFLE(1, 0, 1, 0));
    __m256 r3 = _mm256_shuffle_ps(xy13, zw13, _MM_SHUFFLE(3, 2, 3, 2));
    _mm_store_ps(base + 4 * (ptrdiff_t)index[0], _mm256_castps256_ps128(r0));
    _mm_store_ps(base + 4 * (ptrdiff_t)index[1], _mm256_castps256_ps128(r1));
    _mm_store_ps(base + 4 * (ptrdiff_t)index[2], _mm256_castps256_ps128(r2));
    _mm_store_ps(base + 4 * (ptrdiff_t)index[3], _mm256_castps256_ps128(r3));
    _mm_store_ps(base + 4 * (ptrdiff_t)index[4], _mm256_extractf128_ps(r0, 1));
    _mm_store_ps(base + 4 * (ptrdiff_t)index[5], _mm256_extractf128_ps(r1, 1));
    _mm_store_ps(base + 4 * (ptrdiff_t)index[6], _mm256_extractf128_ps(r2, 1));
    _mm_store_ps(base + 4 * (ptrdiff_t)index[7], _mm256_extractf128_ps(r3, 1));
}

// Four points are a = x0 y0 z0 x1, b = y1 z1 x2 y2, c = z2 x3 y3 z3; points 4..7 ride in the high halves.
HEM_INLINE void v8_load3(const float* p, v8* x, v8* y, v8* z) {
    __m256 a = hem_vec_pair(_mm_loadu_ps(p), _mm_loadu_ps(p + 12));
    __m256 b = hem_vec_pair(_mm_loadu_ps(p + 4), _mm_loadu_ps(p + 16));
    __m256 c = hem_vec_pair(_mm_loadu_ps(p + 8), _mm_loadu_ps(p + 20));
    __m256 x23 = _mm256_shuffle_ps(b, c, _MM_SHUFFLE(1, 1, 2, 2));
    __m256 y01 = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(0, 0, 1, 1));
    __m256 y23 = _mm256_shuffle_ps(b, c, _MM_SHUFFLE(2, 2, 3, 3));
    __m256 z01 = _mm256_shuffle_ps(a, b, _MM_SHUFFLE(1, 1, 2, 2));
    x->v = _mm256_shuffle_ps(a, x23, _MM_SHUFFLE(2, 0, 3, 0));
    y->v = _mm256_shuffle_ps(y01, y23, _MM_SHUFFLE(2, 0, 2, 0));
    z->v = _mm256_shuffle_ps(z01, c, _MM_SHUFFLE(3, 0, 2, 0));
}

HEM_INLINE void v8_store3(float* p, v8 x, v8 y, v8 z) {
    __m256 a0 = _mm256_shuffle_ps(x.v, y.v, _MM_SHUFFLE(0, 0, 0, 0));
    __m256 a1 = _mm256_shuffle_ps(z.v, x.v, _MM_SHUFFLE(1, 1, 0, 0));
    __m256 b0 = _mm256_shuffle_ps(y.v, z.v, _MM_SHUFFLE(1, 1, 1, 1));
    __m256 b1 = _mm256_shuffle_ps(x.v, y.v, _MM_SHUFFLE(2, 2, 2, 2));
    __m256 c0 = _mm256_shuffle_ps(z.v, x.v, _MM_SHUFFLE(3, 3, 2, 2));
    __m256 c1 = _mm256_shuffle_ps(y.v, z.v, _MM_SHUFFLE(3, 3, 3, 3));
    __m256 a = _mm256_shuffle_ps(a0, a1, _MM_SHUFFLE(2, 0, 2, 0));
    __m256 b = _mm256_shuffle_ps(b0, b1, _MM_SHUFFLE(2, 0, 2, 0));
    __m256 c = _mm256_shuffle_ps(c0, c1, _MM_SHUFFLE(2, 0, 2, 0));
    _mm_storeu_ps(p, _mm256_castps256_ps128(a));
    _mm_storeu_ps(p + 4, _mm256_castps256_ps128(b));
    _mm_storeu_ps(p + 8, _mm256_castps256_ps128(c));
    _mm_storeu_ps(p + 12, _mm256_extractf128_ps(a, 1));
    _mm_storeu_ps(p + 16, _mm256_extractf128_ps(b, 1));
    _mm_storeu_ps(p + 20, _mm256_extractf128_ps(c, 1));
}

// -- Arithmetic. minps and maxps are a < b ? a : b and a > b ? a : b as they come

HEM_INLINE v8 v8_add(v8 a, v8 b) { return hem_v8(_mm256_add_ps(a.v, b.v)); }
HEM_INLINE v8 v8_sub(v8 a, v8 b) { return hem_v8(_mm256_sub_ps(a.v, b.v)); }
HEM_INLINE v8 v8_mul(v8 a, v8 b) { return hem_v8(_mm256_mul_ps(a.v, b.v)); }
HEM_INLINE v8 v8_div(v8 a, v8 b) { return hem_v8(_mm256_div_ps(a.v, b.v)); }
HEM_INLINE v8 v8_sqrt(v8 a) { return hem_v8(_mm256_sqrt_ps(a.v)); }
HEM_INLINE v8 v8_min(v8 a, v8 b) { return hem_v8(_mm256_min_ps(a.v, b.v)); }
HEM_INLINE v8 v8_max(v8 a, v8 b) { return hem_v8(_mm256_max_ps(a.v, b.v)); }
HEM_INLINE v8 v8_floor(v8 a) { return hem_v8(_mm256_floor_ps(a.v)); }
HEM_INLINE v8 v8_neg(v8 a) { return hem_v8(_mm256_xor_ps(a.v, hem_vec_sign_bits())); }
HEM_INLINE v8 v8_abs(v8 a) { return hem_v8(_mm256_andnot_ps(hem_vec_sign_bits(), a.v)); }

HEM_INLINE v8 v8_copysign(v8 a, v8 b) {
    __m256 sign = hem_vec_sign_bits();
    return hem_v8(_mm256_or_ps(_mm256_andnot_ps(sign, a.v), _mm256_and_ps(sign, b.v)));
}

// -- Masks and choice

HEM_INLINE m8 v8_lt(v8 a, v8 b) { return hem_m8(_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)); }
HEM_INLINE m8 v8_le(v8 a, v8 b) { return hem_m8(_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)); }
HEM_INLINE m8 v8_eq(v8 a, v8 b) { return hem_m8(_mm256_cmp_ps(a.v, b.v, _CMP_EQ_OQ)); }

HEM_INLINE m8 m8_and(m8 a, m8 b) { return hem_m8(_mm256_and_ps(a.v, b.v)); }
HEM_INLINE m8 m8_or(m8 a, m8 b) { return hem_m8(_mm256_or_ps(a.v, b.v)); }
HEM_INLINE m8 m8_not(m8 a) { return hem_m8(_mm256_xor_ps(a.v, _mm256_castsi256_ps(_mm256_set1_epi32(-1)))); }
HEM_INLINE m8 m8_andnot(m8 a, m8 b) { return hem_m8(_mm256_andnot_ps(b.v, a.v)); }
HEM_INLINE uint32_t m8_bits(m8 m) { return (uint32_t)_mm256_movemask_ps(m.v); }
HEM_INLINE int m8_any(m8 m) { return _mm256_movemask_ps(m.v) != 0; }
HEM_INLINE int m8_all(m8 m) { return _mm256_movemask_ps(m.v) == 0xff; }

HEM_INLINE m8 m8_from_bits(uint32_t bits) {
    __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return hem_m8(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), bit), bit)));
}

HEM_INLINE v8 v8_select(m8 m, v8 a, v8 b) { return hem_v8(_mm256_blendv_ps(b.v, a.v, m.v)); }
HEM_INLINE v8 v8_keep(m8 m, v8 a) { return hem_v8(_mm256_and_ps(m.v, a.v)); }

// -- Across lanes

HEM_INLINE v8 v8_rotate(v8 a, int k) {
    static const int32_t lane[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
    return hem_v8(_mm256_permutevar8x32_ps(a.v, _mm256_loadu_si256((const __m256i*)(lane + (k & 7)))));
}

HEM_INLINE void v8_transpose8(v8* rows) {
    __m256 a0 = _mm256_unpacklo_ps(rows[0].v, rows[1].v);
    __m256 a1 = _mm256_unpackhi_ps(rows[0].v, rows[1].v);
    __m256 a2 = _mm256_unpacklo_ps(rows[2].v, rows[3].v);
    __m256 a3 = _mm256_unpackhi_ps(rows[2].v, rows[3].v);
    __m256 a4 = _mm256_unpacklo_ps(rows[4].v, rows[5].v);
    __m256 a5 = _mm256_unpackhi_ps(rows[4].v, rows[5].v);
    __m256 a6 = _mm256_unpacklo_ps(rows[6].v, rows[7].v);
    __m256 a7 = _mm256_unpackhi_ps(rows[6].v, rows[7].v);
    __m256 b0 = _mm256_shuffle_ps(a0, a2, _MM_SHUFFLE(1, 0, 1, 0));
    __m256 b1 = _mm256_shuffle_ps(a0, a2, _MM_SHUFFLE(3, 2, 3, 2));
    __m256 b2 = _mm256_shuffle_ps(a1, a3, _MM_SHUFFLE(1, 0, 1, 0));
    __m256 b3 = _mm256_shuffle_ps(a1, a3, _MM_SHUFFLE(3, 2, 3, 2));
    __m256 b4 = _mm256_shuffle_ps(a4, a6, _MM_SHUFFLE(1, 0, 1, 0));
    __m256 b5 = _mm256_shuffle_ps(a4, a6, _MM_SHUFFLE(3, 2, 3, 2));
    __m256 b6 = _mm256_shuffle_ps(a5, a7, _MM_SHUFFLE(1, 0, 1, 0));
    __m256 b7 = _mm256_shuffle_ps(a5, a7, _MM_SHUFFLE(3, 2, 3, 2));
    rows[0].v = _mm256_permute2f128_ps(b0, b4, 0x20);
    rows[1].v = _mm256_permute2f128_ps(b1, b5, 0x20);
    rows[2].v = _mm256_permute2f128_ps(b2, b6, 0x20);
    rows[3].v = _mm256_permute2f128_ps(b3, b7, 0x20);
    rows[4].v = _mm256_permute2f128_ps(b0, b4, 0x31);
    rows[5].v = _mm256_permute2f128_ps(b1, b5, 0x31);
    rows[6].v = _mm256_permute2f128_ps(b2, b6, 0x31);
    rows[7].v = _mm256_permute2f128_ps(b3, b7, 0x31);
}

HEM_INLINE float v8_sum(v8 a) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}

HEM_INLINE float v8_hmin(v8 a) {
    __m128 s = _mm_min_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    s = _mm_min_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_min_ss(s, _mm_shuffle_ps(s, s, 1)));
}

HEM_INLINE float v8_hmax(v8 a) {
    __m128 s = _mm_max_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    s = _mm_max_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_max_ss(s, _mm_shuffle_ps(s, s, 1)));
}

// -- Integers

HEM_INLINE w8 w8_load(const int32_t* p) { return hem_w8(_mm256_load_si256((const __m256i*)(const void*)p)); }
HEM_INLINE w8 w8_loadu(const int32_t* p) { return hem_w8(_mm256_loadu_si256((const __m256i*)(const void*)p)); }
HEM_INLINE w8 w8_load_u8(const uint8_t* p) { return hem_w8(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)(const void*)p))); }
HEM_INLINE w8 w8_load_u16(const uint16_t* p) { return hem_w8(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i*)(const void*)p))); }
HEM_INLINE void w8_store(int32_t* p, w8 a) { _mm256_store_si256((__m256i*)(void*)p, a.v); }
HEM_INLINE void w8_storeu(int32_t* p, w8 a) { _mm256_storeu_si256((__m256i*)(void*)p, a.v); }
HEM_INLINE w8 w8_set1(int32_t x) { return hem_w8(_mm256_set1_epi32(x)); }
HEM_INLINE w8 w8_add(w8 a, w8 b) { return hem_w8(_mm256_add_epi32(a.v, b.v)); }
HEM_INLINE w8 w8_sub(w8 a, w8 b) { return hem_w8(_mm256_sub_epi32(a.v, b.v)); }
HEM_INLINE w8 w8_mul(w8 a, w8 b) { return hem_w8(_mm256_mullo_epi32(a.v, b.v)); }
HEM_INLINE w8 w8_and(w8 a, w8 b) { return hem_w8(_mm256_and_si256(a.v, b.v)); }
HEM_INLINE w8 w8_or(w8 a, w8 b) { return hem_w8(_mm256_or_si256(a.v, b.v)); }
HEM_INLINE w8 w8_xor(w8 a, w8 b) { return hem_w8(_mm256_xor_si256(a.v, b.v)); }
HEM_INLINE w8 w8_shl(w8 a, int n) { return hem_w8(_mm256_slli_epi32(a.v, n)); }
HEM_INLINE w8 w8_shr(w8 a, int n) { return hem_w8(_mm256_srli_epi32(a.v, n)); }
HEM_INLINE m8 w8_eq(w8 a, w8 b) { return hem_m8(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a.v, b.v))); }
HEM_INLINE m8 w8_gt(w8 a, w8 b) { return hem_m8(_mm256_castsi256_ps(_mm256_cmpgt_epi32(a.v, b.v))); }

// -- Between the types. cvttps answers INT32_MIN for NaN and out of range, which is what vec.h asks for

HEM_INLINE w8 v8_to_w8(v8 a) { return hem_w8(_mm256_cvttps_epi32(a.v)); }
HEM_INLINE v8 w8_to_v8(w8 a) { return hem_v8(_mm256_cvtepi32_ps(a.v)); }
HEM_INLINE w8 v8_as_w8(v8 a) { return hem_w8(_mm256_castps_si256(a.v)); }
HEM_INLINE v8 w8_as_v8(w8 a) { return hem_v8(_mm256_castsi256_ps(a.v)); }

// clang-format on

#endif
