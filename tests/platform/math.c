// SPDX-License-Identifier: MIT
// platform/math.h: the float functions against libm in double, within the errors that math.h states; special values one
// by one; and one hash of many results, the same on every machine. That a vector lane gives the same bits as these is
// checked in vec_suite.inl.
#include "tests/platform/suites.h"
#include "tests/platform/vec_reference.h"
#include "platform/math.h"
#include "platform/hash.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define MATH_GOLDEN 0xc5a8c37411090ee2ull

static char message[256];

// The distance between floats at the size of the exact result.
static double ulp_of(double truth) {
    int exponent;
    double size = fabs(truth);
    if (size < FLT_MIN) {
        return 0x1p-149;
    }
    frexp(size, &exponent);
    return ldexp(1.0, exponent - 24);
}

typedef float float_fn(float x);
typedef double truth_fn(double x);

static float sine(float x) {
    return hem_sinf(x);
}

static float cosine(float x) {
    return hem_cosf(x);
}

static float arc_cosine(float x) {
    return hem_acosf(x);
}

static float exponential(float x) {
    return hem_expf(x);
}

typedef struct accuracy {
    const char* name;
    float_fn* function;
    truth_fn* truth;
    float low, high;
    double bound;
} accuracy;

static const accuracy accuracies[] = {
    {"sin", sine, sin, -8192.0f, 8192.0f, 2.5},
    {"cos", cosine, cos, -8192.0f, 8192.0f, 2.5},
    {"acos", arc_cosine, acos, -1.0f, 1.0f, 1.5},
    {"exp", exponential, exp, HEM_EXP_MIN, HEM_EXP_MAX, 1.2},
};

static int within(const accuracy* a, float x) {
    double truth = a->truth((double)x);
    double error = fabs((double)a->function(x) - truth) / ulp_of(truth);
    if (error <= a->bound) {
        return 1;
    }
    snprintf(message, sizeof message, "%s(%.9g) is %.9g, %.2f ulp from %.12g", a->name, x, a->function(x), error,
             truth);
    return 0;
}

TEST functions_keep_their_stated_error(void) {
    uint64_t state = 2024;
    for (size_t k = 0; k < HEM_COUNT_OF(accuracies); ++k) {
        const accuracy* a = &accuracies[k];
        // Every 4999th float there is, so all exponents and both signs; then evenly through the range.
        for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 4999) {
            float x = hem_float_of_bits((uint32_t)bits);
            if (x >= a->low && x <= a->high) {
                ASSERTm(message, within(a, x));
            }
        }
        for (int i = 0; i < 200000; ++i) {
            double t = (double)(vec_random(&state) >> 11) * 0x1p-53;
            ASSERTm(message, within(a, (float)(a->low + (a->high - a->low) * t)));
        }
        ASSERTm(message, within(a, a->low) && within(a, a->high));
    }
    // Where sin and cos nearly vanish, cancellation would show.
    for (int n = 0; n <= 5215; ++n) {
        float x = (float)(n * 1.57079632679489661923);
        for (int step = -2; step <= 2; ++step) {
            float y = hem_float_of_bits(hem_bits_of_float(x) + (uint32_t)(n > 0 ? step : 0));
            ASSERTm(message, within(&accuracies[0], y) && within(&accuracies[1], y));
        }
    }
    PASS();
}

TEST atan2_keeps_its_stated_error(void) {
    uint64_t state = 7;
    for (int i = 0; i < 1000000; ++i) {
        float y = hem_float_of_bits(vec_random_lane(&state));
        float x = hem_float_of_bits(vec_random_lane(&state));
        if (x != x || y != y) {
            continue;
        }
        double truth = atan2((double)y, (double)x);
        double error = fabs((double)hem_atan2f(y, x) - truth) / ulp_of(truth);
        snprintf(message, error > 3.0 ? sizeof message : 0, "atan2(%.9g, %.9g) is %.2f ulp off", y, x, error);
        ASSERTm(message, error <= 3.0);
    }
    PASS();
}

TEST special_values_are_as_stated(void) {
    const float infinity = hem_float_of_bits(0x7f800000u);
    const float nan = hem_float_of_bits(0x7fc00000u);
    ASSERT(hem_bits_of_float(hem_sinf(-0.0f)) == 0x80000000u && hem_bits_of_float(hem_sinf(0.0f)) == 0);
    ASSERT(hem_sinf(8192.001f) == 0.0f && hem_cosf(8192.001f) == 1.0f && hem_cosf(-1e30f) == 1.0f);
    ASSERT(hem_bits_of_float(hem_sinf(-1e30f)) == 0x80000000u);
    ASSERT(hem_sinf(infinity) != hem_sinf(infinity) && hem_cosf(-infinity) != hem_cosf(-infinity));
    ASSERT(hem_sinf(nan) != hem_sinf(nan) && hem_cosf(nan) != hem_cosf(nan));
    ASSERT(hem_cosf(0.0f) == 1.0f);

    ASSERT(hem_acosf(1.0f) == 0.0f && hem_acosf(2.0f) == 0.0f && hem_acosf(infinity) == 0.0f);
    ASSERT(hem_acosf(-1.0f) == HEM_PI && hem_acosf(-3.0f) == HEM_PI);
    ASSERT(hem_acosf(0.0f) == 0.5f * HEM_PI && hem_acosf(-0.0f) == 0.5f * HEM_PI);
    ASSERT(hem_acosf(nan) != hem_acosf(nan));

    // All pairs of the values C names for atan2.
    const float axis[] = {0.0f, -0.0f, 1.0f, -1.0f, infinity, -infinity};
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            float want = (float)atan2((double)axis[i], (double)axis[j]);
            ASSERT_EQ_FMT((unsigned)hem_bits_of_float(want), (unsigned)hem_bits_of_float(hem_atan2f(axis[i], axis[j])),
                          "%x");
        }
        ASSERT(hem_atan2f(nan, axis[i]) != hem_atan2f(nan, axis[i]));
        ASSERT(hem_atan2f(axis[i], nan) != hem_atan2f(axis[i], nan));
    }

    ASSERT(hem_expf(0.0f) == 1.0f && hem_expf(-0.0f) == 1.0f);
    ASSERT(hem_expf(infinity) == infinity && hem_expf(-infinity) == 0.0f && hem_expf(nan) != hem_expf(nan));
    float above = hem_float_of_bits(hem_bits_of_float(HEM_EXP_MAX) + 1);
    float below = hem_float_of_bits(hem_bits_of_float(HEM_EXP_MIN) + 1);
    ASSERT(hem_expf(HEM_EXP_MAX) < infinity && hem_expf(above) == infinity && exp((double)above) > (double)FLT_MAX);
    ASSERT(hem_expf(HEM_EXP_MIN) >= FLT_MIN && hem_expf(below) == 0.0f && exp((double)below) < (double)FLT_MIN);
    PASS();
}

TEST small_functions_equal_libm(void) {
    uint64_t state = 12;
    for (int i = 0; i < 300000; ++i) {
        uint32_t bits = i < vec_special_count ? vec_specials[i] : vec_random_lane(&state);
        float x = hem_float_of_bits(bits);
        float y = hem_float_of_bits(vec_random_lane(&state));
        if (x == x) {
            ASSERT_EQ_FMT((unsigned)hem_bits_of_float(floorf(x)), (unsigned)hem_bits_of_float(hem_floorf(x)), "%x");
        }
        if (x >= 0.0f) {
            ASSERT(hem_sqrtf(x) == (float)sqrt((double)x));
        }
        ASSERT(hem_bits_of_float(hem_absf(x)) == hem_bits_of_float(fabsf(x)));
        ASSERT(hem_bits_of_float(hem_copysignf(x, y)) == hem_bits_of_float(copysignf(x, y)));
    }
    ASSERT(hem_clampf(5.0f, -1.0f, 2.0f) == 2.0f && hem_clampf(-5.0f, -1.0f, 2.0f) == -1.0f);
    ASSERT(hem_clampf(0.5f, -1.0f, 2.0f) == 0.5f);
    PASS();
}

TEST results_hash_to_one_number_everywhere(void) {
    uint64_t state = 4711, hash = 0;
    for (int i = 0; i < 200000; ++i) {
        float x = (float)(int32_t)(vec_random(&state) >> 32) * 0x1p-20f; // +-2048
        float y = (float)(int32_t)(vec_random(&state) >> 32) * 0x1p-31f; // +-1
        hem_quat q = hem_quat_from_rotation(hem_vec3_make(x, y, x * y));
        hem_quat r = hem_quat_slerp(q, hem_quat_from_small_rotation(hem_vec3_make(y, y * y, x)), hem_absf(y));
        hem_mat34 m = hem_mat34_from_quat(r, hem_vec3_make(x, y, x));
        hem_quat s = hem_quat_from_mat34(&m);
        float results[] = {hem_sinf(x), hem_cosf(x), hem_acosf(y), hem_atan2f(x, y), hem_expf(x * 0.04f), q.x, q.w, r.x,
                           r.w,         s.x,         s.w,          m.m[1][2]};
        hash = hem_hash(results, sizeof results, hash);
    }
    snprintf(message, sizeof message, "results hash to 0x%016llx", (unsigned long long)hash);
    ASSERTm(message, hash == MATH_GOLDEN);
    PASS();
}

SUITE(math_suite) {
    RUN_TEST(functions_keep_their_stated_error);
    RUN_TEST(atan2_keeps_its_stated_error);
    RUN_TEST(special_values_are_as_stated);
    RUN_TEST(small_functions_equal_libm);
    RUN_TEST(results_hash_to_one_number_everywhere);
}
