// SPDX-License-Identifier: MIT
// The second implementation of platform/vec.h: one lane, plain C, slow and obvious. Sums, products and quotients are
// computed in double and rounded once to float, which IEEE-754 makes exact for operands of 24 bits; floor is libm's.
#include "tests/platform/vec_reference.h"
#include "platform/math.h"

#include <math.h>

static float f(uint32_t u) {
    return hem_float_of_bits(u);
}

static uint32_t u(float x) {
    return hem_bits_of_float(x);
}

static uint32_t yes(int condition) {
    return condition ? 0xffffffffu : 0u;
}

// clang-format off
#define LANE(name, result) \
    static uint32_t name(uint32_t a, uint32_t b, uint32_t c) { (void)a; (void)b; (void)c; return result; }

LANE(ref_add, u((float)((double)f(a) + (double)f(b))))
LANE(ref_sub, u((float)((double)f(a) - (double)f(b))))
LANE(ref_mul, u((float)((double)f(a) * (double)f(b))))
LANE(ref_div, u((float)((double)f(a) / (double)f(b))))
LANE(ref_sqrt, u((float)sqrt((double)f(a))))
LANE(ref_neg, a ^ 0x80000000u)
LANE(ref_abs, a & 0x7fffffffu)
LANE(ref_min, f(a) < f(b) ? a : b)
LANE(ref_max, f(a) > f(b) ? a : b)
LANE(ref_madd, ref_add(ref_mul(a, b, 0), c, 0))
LANE(ref_nmadd, ref_sub(c, ref_mul(a, b, 0), 0))
LANE(ref_floor, u(floorf(f(a))))
LANE(ref_lt, yes(f(a) < f(b)))
LANE(ref_le, yes(f(a) <= f(b)))
LANE(ref_gt, yes(f(a) > f(b)))
LANE(ref_ge, yes(f(a) >= f(b)))
LANE(ref_eq, yes(f(a) == f(b)))
LANE(ref_select, f(c) < 0.0f ? a : b)
LANE(ref_keep, f(c) < 0.0f ? a : 0u)
LANE(ref_flush, fabs((double)f(a)) > (double)1e-15f ? a : 0u)
LANE(ref_sign, a >> 31 ? 0xbf800000u : 0x3f800000u)
LANE(ref_copysign, (a & 0x7fffffffu) | (b & 0x80000000u))
LANE(ref_m_and, yes(f(a) < 0.0f && f(b) < 0.0f))
LANE(ref_m_or, yes(f(a) < 0.0f || f(b) < 0.0f))
LANE(ref_m_not, yes(!(f(a) < 0.0f)))
LANE(ref_m_andnot, yes(f(a) < 0.0f && !(f(b) < 0.0f)))
LANE(ref_w_add, (uint32_t)((uint64_t)a + b))
LANE(ref_w_sub, (uint32_t)((uint64_t)a - b))
LANE(ref_w_mul, (uint32_t)((uint64_t)a * b))
LANE(ref_w_and, a & b)
LANE(ref_w_or, a | b)
LANE(ref_w_xor, a ^ b)
LANE(ref_w_shl, (uint32_t)((uint64_t)a * (1u << VEC_SHL_BITS)))
LANE(ref_w_shr, a / (1u << VEC_SHR_BITS))
LANE(ref_w_eq, yes(a == b))
LANE(ref_w_gt, yes((int64_t)(int32_t)a > (int64_t)(int32_t)b))
LANE(ref_w_select, f(c) < 0.0f ? a : b)
LANE(ref_to_w8, f(a) >= -2147483648.0f && f(a) < 2147483648.0f ? (uint32_t)(int32_t)f(a) : 0x80000000u)
LANE(ref_to_v8, u((float)(double)(int32_t)a))
LANE(ref_sin, u(hem_sinf(f(a))))
LANE(ref_cos, u(hem_cosf(f(a))))
LANE(ref_acos, u(hem_acosf(f(a))))
LANE(ref_atan2, u(hem_atan2f(f(a), f(b))))
LANE(ref_exp, u(hem_expf(f(a))))

const vec_reference vec_references[VEC_OP_COUNT] = {
    [VEC_ADD] = {"add", VEC_ARITHMETIC, ref_add},
    [VEC_SUB] = {"sub", VEC_ARITHMETIC, ref_sub},
    [VEC_MUL] = {"mul", VEC_ARITHMETIC, ref_mul},
    [VEC_DIV] = {"div", VEC_ARITHMETIC, ref_div},
    [VEC_SQRT] = {"sqrt", VEC_ARITHMETIC, ref_sqrt},
    [VEC_NEG] = {"neg", VEC_BITS, ref_neg},
    [VEC_ABS] = {"abs", VEC_BITS, ref_abs},
    [VEC_MIN] = {"min", VEC_BITS, ref_min},
    [VEC_MAX] = {"max", VEC_BITS, ref_max},
    [VEC_MADD] = {"madd", VEC_ARITHMETIC, ref_madd},
    [VEC_NMADD] = {"nmadd", VEC_ARITHMETIC, ref_nmadd},
    [VEC_FLOOR] = {"floor", VEC_ARITHMETIC, ref_floor},
    [VEC_LT] = {"lt", VEC_BITS, ref_lt},
    [VEC_LE] = {"le", VEC_BITS, ref_le},
    [VEC_GT] = {"gt", VEC_BITS, ref_gt},
    [VEC_GE] = {"ge", VEC_BITS, ref_ge},
    [VEC_EQ] = {"eq", VEC_BITS, ref_eq},
    [VEC_SELECT] = {"select", VEC_BITS, ref_select},
    [VEC_KEEP] = {"keep", VEC_BITS, ref_keep},
    [VEC_FLUSH] = {"flush", VEC_BITS, ref_flush},
    [VEC_SIGN] = {"sign", VEC_BITS, ref_sign},
    [VEC_COPYSIGN] = {"copysign", VEC_BITS, ref_copysign},
    [VEC_M_AND] = {"m8_and", VEC_BITS, ref_m_and},
    [VEC_M_OR] = {"m8_or", VEC_BITS, ref_m_or},
    [VEC_M_NOT] = {"m8_not", VEC_BITS, ref_m_not},
    [VEC_M_ANDNOT] = {"m8_andnot", VEC_BITS, ref_m_andnot},
    [VEC_W_ADD] = {"w8_add", VEC_BITS, ref_w_add},
    [VEC_W_SUB] = {"w8_sub", VEC_BITS, ref_w_sub},
    [VEC_W_MUL] = {"w8_mul", VEC_BITS, ref_w_mul},
    [VEC_W_AND] = {"w8_and", VEC_BITS, ref_w_and},
    [VEC_W_OR] = {"w8_or", VEC_BITS, ref_w_or},
    [VEC_W_XOR] = {"w8_xor", VEC_BITS, ref_w_xor},
    [VEC_W_SHL] = {"w8_shl", VEC_BITS, ref_w_shl},
    [VEC_W_SHR] = {"w8_shr", VEC_BITS, ref_w_shr},
    [VEC_W_EQ] = {"w8_eq", VEC_BITS, ref_w_eq},
    [VEC_W_GT] = {"w8_gt", VEC_BITS, ref_w_gt},
    [VEC_W_SELECT] = {"w8_select", VEC_BITS, ref_w_select},
    [VEC_TO_W8] = {"v8_to_w8", VEC_BITS, ref_to_w8},
    [VEC_TO_V8] = {"w8_to_v8", VEC_BITS, ref_to_v8},
    [VEC_SIN] = {"sin", VEC_ARITHMETIC, ref_sin},
    [VEC_COS] = {"cos", VEC_ARITHMETIC, ref_cos},
    [VEC_ACOS] = {"acos", VEC_ARITHMETIC, ref_acos},
    [VEC_ATAN2] = {"atan2", VEC_ARITHMETIC, ref_atan2},
    [VEC_EXP] = {"exp", VEC_ARITHMETIC, ref_exp},
};

const uint32_t vec_specials[] = {
    0x00000000u, 0x80000000u,              // zeros
    0x00000001u, 0x80000001u,              // the smallest denormals
    0x007fffffu, 0x807fffffu, 0x00123456u, // other denormals
    0x00800000u, 0x80800000u,              // the smallest normals
    0x7f7fffffu, 0xff7fffffu,              // the largest
    0x7f800000u, 0xff800000u,              // infinities
    0x7fc00000u, 0xffc00000u,              // quiet NaN
    0x7fc12345u, 0xffd54321u,              // with a payload
    0x3f800000u, 0xbf800000u, 0x3f000000u, 0xbf000000u, 0x40000000u, // 1, -1, 1/2, -1/2, 2
    0x3f7fffffu, 0x3f800001u, 0xbf800001u, // next to 1
    0x40490fdbu, 0x3fc90fdbu, 0xc0490fdbu, // pi, pi/2, -pi
    0x4b000000u, 0xcb000000u, 0x4afffffeu, 0x4affffffu, // around 2^23, where fractions end
    0x4b800000u, 0x4b800001u, 0xcb800001u, // 2^24 and its neighbour 2^24 + 2
    0x4effffffu, 0x4f000000u, 0xcf000000u, 0xcf000001u, // around 2^31
    0x46000000u, 0x46000001u, 0xc6000001u, // around 8192, where sin ends
    0x42b17217u, 0x42b17218u, 0xc2aeac4fu, 0xc2aeac50u, // around the ends of exp
    0x26901d7du, 0x26901d7eu, 0xa6901d7du, // around 1e-15
    0x01000001u, 0x4b7fffffu,              // 2^24 + 1 as an integer, and 2^24 - 1
};
const int vec_special_count = (int)(sizeof vec_specials / sizeof vec_specials[0]);
// clang-format on

uint64_t vec_random(uint64_t* state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1dull;
}

// Signalling NaN become quiet ones: hardware may quieten them on the way through a register.
uint32_t vec_random_lane(uint64_t* state) {
    uint64_t r = vec_random(state);
    uint32_t bits = (uint32_t)(r >> 32);
    if (r & 1) {
        bits = (bits & 0x80ffffffu) | (uint32_t)(0x38 + (r >> 8) % 16) << 24;
    }
    return (bits & 0x7f800000u) == 0x7f800000u && (bits & 0x007fffffu) != 0 ? bits | 0x00400000u : bits;
}
