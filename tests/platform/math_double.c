// SPDX-License-Identifier: MIT
// platform/math_double.h against libm in long double where that is longer than double and good (glibc on x86 and ARM);
// elsewhere the hash says that the bits are those that were checked there.
#include "tests/platform/suites.h"
#include "tests/platform/vec_reference.h"
#include "platform/hash.h"
#include "platform/math.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define DOUBLE_GOLDEN 0x2532a5cfb15cf6a9ull

#if LDBL_MANT_DIG >= 64 && defined(__GLIBC__)
#define HAS_TRUTH 1
#else
#define HAS_TRUTH 0
#endif

// Software long double under emulation is a hundred times slower.
#if LDBL_MANT_DIG > 64
#define SAMPLES 4000
#else
#define SAMPLES 200000
#endif

static char message[256];

static double between(uint64_t* state, double low, double high) {
    return low + (high - low) * ((double)(vec_random(state) >> 11) * 0x1p-53);
}

#if HAS_TRUTH

static double error_of(double got, long double truth) {
    int exponent;
    frexpl(fabsl(truth), &exponent);
    return (double)(fabsl((long double)got - truth) / ldexpl(1.0L, exponent - 53));
}

static int within(const char* name, double bound, double x, double y, double got, long double truth) {
    double error = error_of(got, truth);
    if (error <= bound) {
        return 1;
    }
    snprintf(message, sizeof message, "%s(%.17g, %.17g) is %.17g, %.2f ulp off", name, x, y, got, error);
    return 0;
}

TEST functions_keep_their_stated_error(void) {
    uint64_t state = 3;
    for (int i = 0; i < SAMPLES; ++i) {
        double x = between(&state, -4194304.0, 4194304.0);
        double n = between(&state, -7.0, 7.0);
        double m = (double)((long double)(i % 2600000) * 1.57079632679489661923132169164L);
        ASSERTm(message, within("sin", 3.0, x, 0.0, hem_sin(x), sinl(x)));
        ASSERTm(message, within("cos", 3.0, x, 0.0, hem_cos(x), cosl(x)));
        ASSERTm(message, within("sin", 3.0, n, 0.0, hem_sin(n), sinl(n)));
        ASSERTm(message, within("cos", 3.0, n, 0.0, hem_cos(n), cosl(n)));
        ASSERTm(message, i == 0 || within("sin", 3.0, m, 0.0, hem_sin(m), sinl(m)));
        ASSERTm(message, within("cos", 3.0, m, 0.0, hem_cos(m), cosl(m)));
        double e = between(&state, -708.0, 709.7);
        ASSERTm(message, within("exp", 1.0, e, 0.0, hem_exp(e), expl(e)));
        ASSERTm(message, within("exp", 1.0, n, 0.0, hem_exp(n), expl(n)));
        double p = hem_exp(e);
        double near_one = between(&state, 0.5, 2.0);
        ASSERTm(message, within("log", 1.0, p, 0.0, hem_log(p), logl(p)));
        ASSERTm(message, within("log", 1.0, near_one, 0.0, hem_log(near_one), logl(near_one)));
        ASSERT(hem_sqrt(p) == sqrt(p));
    }
    PASS();
}

TEST pow_keeps_its_stated_error(void) {
    uint64_t state = 8;
    for (int i = 0; i < SAMPLES; ++i) {
        double x = i & 1 ? between(&state, 0.5, 2.0) : hem_exp(between(&state, -30.0, 30.0));
        double y = i & 2 ? between(&state, -700.0, 700.0) / hem_log(x) : between(&state, -20.0, 20.0);
        long double size = fabsl(y * logl(x));
        if (size < 708.0L) {
            ASSERTm(message, within("pow", size <= 64.0L ? 4.0 : 64.0, x, y, hem_pow(x, y), powl(x, y)));
        }
    }
    PASS();
}

#endif

TEST special_values_are_as_in_c(void) {
    const double infinity = hem_double_of_bits(0x7ff0000000000000ull);
    const double nan = hem_double_of_bits(0x7ff8000000000000ull);
    const double values[] = {0.0, -0.0, 1.0, -1.0,  2.0,    -2.0,     0.5,      -0.5,
                             3.0, -3.0, 2.5, 1e300, -1e300, infinity, -infinity};
    for (size_t i = 0; i < HEM_COUNT_OF(values); ++i) {
        for (size_t j = 0; j < HEM_COUNT_OF(values); ++j) {
            double want = pow(values[i], values[j]);
            double got = hem_pow(values[i], values[j]);
            snprintf(message, sizeof message, "pow(%g, %g) is %g, not %g", values[i], values[j], got, want);
            // Exact cases are exact, NaN is NaN, zeros and infinities have their sign.
            int same = (want != want && got != got) || hem_bits_of_double(want) == hem_bits_of_double(got) ||
                       fabs(got / want - 1.0) < 1e-15;
            ASSERTm(message, same);
        }
        ASSERT(hem_pow(values[i], 0.0) == 1.0 && hem_pow(1.0, values[i]) == 1.0);
    }
    ASSERT(hem_pow(nan, 0.0) == 1.0 && hem_pow(1.0, nan) == 1.0 && hem_pow(nan, 1.0) != hem_pow(nan, 1.0));
    ASSERT(hem_pow(2.0, -1074.0) == 0.0 && hem_pow(2.0, -1022.0) == DBL_MIN && hem_pow(2.0, 1023.0) == 0x1p1023);
    ASSERT(hem_exp(infinity) == infinity && hem_exp(-infinity) == 0.0 && hem_exp(0.0) == 1.0);
    ASSERT(hem_exp(710.0) == infinity && hem_exp(-709.0) == 0.0 && hem_exp(nan) != hem_exp(nan));
    ASSERT(hem_log(0.0) == -infinity && hem_log(-1.0) != hem_log(-1.0) && hem_log(1.0) == 0.0);
    ASSERT(hem_log(infinity) == infinity && hem_log(nan) != hem_log(nan));
    ASSERT(fabs(hem_log(4.9406564584124654e-324) + 744.44007192138126) < 1e-12);
    ASSERT(hem_bits_of_double(hem_sin(-0.0)) == 0x8000000000000000ull && hem_cos(0.0) == 1.0);
    ASSERT(hem_sin(4194305.0) == 0.0 && hem_cos(4194305.0) == 1.0);
    ASSERT(hem_sin(infinity) != hem_sin(infinity) && hem_cos(nan) != hem_cos(nan));
    ASSERT(hem_floor(-0.5) == -1.0 && hem_floor(2.5) == 2.0 && hem_floor(1e300) == 1e300 && hem_floor(-3.0) == -3.0);
    ASSERT(hem_bits_of_double(hem_floor(-0.0)) == 0x8000000000000000ull);
    PASS();
}

TEST results_hash_to_one_number_everywhere(void) {
    uint64_t state = 1234, hash = 0;
    for (int i = 0; i < 100000; ++i) {
        double x = between(&state, -1000.0, 1000.0);
        double y = between(&state, 1e-3, 100.0);
        double results[] = {hem_sin(x), hem_cos(x), hem_exp(x * 0.5), hem_log(y), hem_pow(y, x * 0.05), hem_sqrt(y)};
        hash = hem_hash(results, sizeof results, hash);
    }
    snprintf(message, sizeof message, "results hash to 0x%016llx", (unsigned long long)hash);
    ASSERTm(message, hash == DOUBLE_GOLDEN);
    PASS();
}

SUITE(math_double_suite) {
#if HAS_TRUTH
    RUN_TEST(functions_keep_their_stated_error);
    RUN_TEST(pow_keeps_its_stated_error);
#endif
    RUN_TEST(special_values_are_as_in_c);
    RUN_TEST(results_hash_to_one_number_everywhere);
}
