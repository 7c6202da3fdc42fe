// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_MATH_DOUBLE_H
#define HEM_PLATFORM_MATH_DOUBLE_H

// Double precision functions with the same bits everywhere, for tools and for whatever is computed once and stored.
// No libm, only + - * / and sqrt. Plain Taylor series on small ranges: a term more costs nothing here, and anybody can
// check the coefficients.
//
// Accuracy (tests/platform holds these against long double):
//
//   hem_sin  hem_cos  3 ulp for |x| <= 2^22. Beyond, the argument counts as 0: sin +-0, cos 1. inf, NaN -> NaN.
//   hem_exp           1 ulp. Results below DBL_MIN are +0, above DBL_MAX +inf. NaN -> NaN.
//   hem_log           1 ulp. 0 -> -inf, negative -> NaN.
//   hem_pow           4 ulp while |y ln x| <= 64, 64 ulp up to the ends of the range. Special cases as in C,
//                     except that results below DBL_MIN are 0 with their sign.
//   hem_sqrt          exactly rounded.

#include "platform/base.h"

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

HEM_INLINE double hem_abs(double x) {
    return hem_double_of_bits(hem_bits_of_double(x) & 0x7fffffffffffffffull);
}

HEM_INLINE double hem_sqrt(double x) {
#if defined(_MSC_VER) && !defined(__clang__)
#if defined(HEM_ARCH_X86)
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)));
#else
    return vget_lane_f64(vsqrt_f64(vdup_n_f64(x)), 0);
#endif
#else
    return __builtin_sqrt(x);
#endif
}

HEM_INLINE double hem_floor(double x) {
    if (x > -4503599627370496.0 && x < 4503599627370496.0) {
        double t = (double)(int64_t)x;
        t = t > x ? t - 1.0 : t;
        return hem_double_of_bits((hem_bits_of_double(t) & 0x7fffffffffffffffull) |
                                  (hem_bits_of_double(x) & 0x8000000000000000ull));
    }
    return x;
}

// 2^n for -1022 <= n <= 1023.
HEM_INLINE double hem_exp2_whole(int32_t n) {
    return hem_double_of_bits((uint64_t)(n + 1023) << 52);
}

// pi / 2 in parts of 30 bits, so that products with a whole number below 2^23 are exact.
HEM_INLINE double hem_trig_reduce_double(double x, uint32_t* quadrant) {
    double a = hem_abs(x);
    a = a <= 4194304.0 ? a : a * 0.0;
    double n = hem_floor(a * 0.63661977236758134308 + 0.5);
    *quadrant = n <= 4194304.0 ? (uint32_t)n & 3u : 0u;
    double r = (a - n * 0x1.921fb54p+0) - n * 0x1.10b46118p-30;
    return (r - n * 0x1.313198ap-61) - n * 0x1.701b839a25205p-92;
}

HEM_INLINE double hem_sin_kernel_double(double r) {
    double z = r * r;
    double p = 1.0 / 355687428096000.0;
    p = p * z - 1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z - 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    p = p * z - 1.0 / 6.0;
    return r + r * z * p;
}

HEM_INLINE double hem_cos_kernel_double(double r) {
    double z = r * r;
    double p = -1.0 / 6402373705728000.0;
    p = p * z + 1.0 / 20922789888000.0;
    p = p * z - 1.0 / 87178291200.0;
    p = p * z + 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    p = p * z + 1.0 / 24.0;
    return (1.0 - 0.5 * z) + z * z * p;
}

HEM_INLINE double hem_sin(double x) {
    uint32_t q;
    double r = hem_trig_reduce_double(x, &q);
    double s = q & 1u ? hem_cos_kernel_double(r) : hem_sin_kernel_double(r);
    return hem_double_of_bits(hem_bits_of_double(s) ^ (uint64_t)(q & 2u) << 62 ^
                              (hem_bits_of_double(x) & 0x8000000000000000ull));
}

HEM_INLINE double hem_cos(double x) {
    uint32_t q;
    double r = hem_trig_reduce_double(x, &q);
    double c = q & 1u ? hem_sin_kernel_double(r) : hem_cos_kernel_double(r);
    return hem_double_of_bits(hem_bits_of_double(c) ^ (uint64_t)((q + 1u) & 2u) << 62);
}

#define HEM_LN2_HI_DOUBLE 0x1.62e42fefa2p-1 // 40 bits: exact times any exponent
#define HEM_LN2_LO_DOUBLE 0x1.9ef35793c7673p-41

// exp(x + tail) for a tail far smaller than x.
static inline double hem_exp_sum(double x, double tail) {
    if (!(x <= 709.782712893384)) {
        return x + hem_double_of_bits(0x7ff0000000000000ull); // +inf, or NaN stays NaN
    }
    if (x < -709.0) {
        return 0.0;
    }
    double n = hem_floor(x * 1.44269504088896340736 + 0.5);
    double r = ((x - n * HEM_LN2_HI_DOUBLE) - n * HEM_LN2_LO_DOUBLE) + tail;
    double p = 1.0 / 87178291200.0;
    p = p * r + 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 1.0 / 2.0;
    p = (r * r * p + r) + 1.0;
    int32_t whole = (int32_t)n;
    int32_t half = whole / 2;
    double result = p * hem_exp2_whole(half) * hem_exp2_whole(whole - half);
    return result >= 2.2250738585072014e-308 ? result : 0.0;
}

HEM_INLINE double hem_exp(double x) {
    return hem_exp_sum(x, 0.0);
}

// a * b exactly, as a sum: the halves of 26 bits multiply without rounding.
HEM_INLINE double hem_product_exact(double a, double b, double* low) {
    double p = a * b;
    double ta = a * 134217729.0, tb = b * 134217729.0;
    double ah = ta - (ta - a), bh = tb - (tb - b);
    double al = a - ah, bl = b - bh;
    *low = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return p;
}

// ln x for finite x > 0 as high + low. With x = 2^k m and s = (m - 1) / (m + 1): ln m = 2 (s + s^3/3 + s^5/5 + ...).
// s is carried with its remainder, so the sum is good to about 2^-62 of its larger parts.
static inline double hem_log_sum(double x, double* low) {
    int32_t k = 0;
    if (x < 2.2250738585072014e-308) {
        x *= 18014398509481984.0;
        k = -54;
    }
    uint64_t bits = hem_bits_of_double(x);
    k += (int32_t)(bits >> 52) - 1023;
    double m = hem_double_of_bits((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        k += 1;
    }
    double d = m + 1.0;
    double d_low = m - (d - 1.0);
    double s = (m - 1.0) / d;
    double product_low;
    double product = hem_product_exact(s, d, &product_low);
    double s_low = ((((m - 1.0) - product) - product_low) - s * d_low) / d;
    double z = s * s;
    double p = 1.0 / 23.0;
    p = p * z + 1.0 / 21.0;
    p = p * z + 1.0 / 19.0;
    p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z + 1.0 / 3.0;
    double tail = 2.0 * (s_low + s * z * p) + k * HEM_LN2_LO_DOUBLE;
    double a = k * HEM_LN2_HI_DOUBLE;
    double b = 2.0 * s;
    double sum = a + b; // |a| is larger than |b|, or zero
    double rest = a == 0.0 ? 0.0 : b - (sum - a);
    tail += rest;
    double high = sum + tail;
    *low = tail - (high - sum);
    return high;
}

static inline double hem_log(double x) {
    if (!(x > 0.0)) {
        return x == 0.0 ? -hem_double_of_bits(0x7ff0000000000000ull) : hem_double_of_bits(0x7ff8000000000000ull);
    }
    if (x > 1.7976931348623157e308) {
        return x;
    }
    double low;
    return hem_log_sum(x, &low);
}

static inline double hem_pow(double x, double y) {
    const double infinity = hem_double_of_bits(0x7ff0000000000000ull);
    if (y == 0.0 || x == 1.0) {
        return 1.0;
    }
    if (x != x || y != y) {
        return x + y;
    }
    double ax = hem_abs(x);
    double ay = hem_abs(y);
    int whole = ay >= 9007199254740992.0 || hem_floor(ay) == ay;
    int odd = ay < 9007199254740992.0 && whole && ((int64_t)ay & 1) != 0;
    double sign = hem_bits_of_double(x) >> 63 && odd ? -1.0 : 1.0;
    if (ax == 0.0 || ax == infinity) {
        return (ax == 0.0) == (y > 0.0) ? sign * 0.0 : sign * infinity;
    }
    if (ay == infinity) {
        return ax == 1.0 ? 1.0 : (ax > 1.0) == (y > 0.0) ? infinity : 0.0;
    }
    if (x < 0.0 && !whole) {
        return hem_double_of_bits(0x7ff8000000000000ull);
    }
    double log_low;
    double log_high = hem_log_sum(ax, &log_low);
    // From here |y| only decides between 0 and infinity, and the exact product must not overflow inside.
    y = y > 36893488147419103232.0 ? 36893488147419103232.0 : y;
    y = y < -36893488147419103232.0 ? -36893488147419103232.0 : y;
    double low;
    double high = hem_product_exact(y, log_high, &low);
    return sign * hem_exp_sum(high, low + y * log_low);
}

#endif
