// SPDX-License-Identifier: MIT
// Tests of platform/: the vector backends this machine has, mathematics, hashing, and the thin cover over the system.
#include "tests/platform/suites.h"

#include <stdio.h>

#if HEM_TEST_AVX2
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static int has_avx2(void) {
    int leaf[4];
    __cpuidex(leaf, 7, 0);
    return (leaf[1] >> 5 & 1) && (_xgetbv(0) & 6) == 6;
}
#else
static int has_avx2(void) {
    return __builtin_cpu_supports("avx2");
}
#endif
#endif

GREATEST_MAIN_DEFS();

int main(int argc, char** argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(vec_scalar_suite);
#if HEM_TEST_SSE2
    RUN_SUITE(vec_sse2_suite);
#endif
#if HEM_TEST_AVX2
    if (has_avx2()) {
        RUN_SUITE(vec_avx2_suite);
    } else {
        puts("vec_avx2_suite skipped: this processor has no AVX2");
    }
#endif
#if HEM_TEST_NEON
    RUN_SUITE(vec_neon_suite);
#endif
#if HEM_TEST_WASM
    RUN_SUITE(vec_wasm_suite);
#endif
    RUN_SUITE(math_suite);
    RUN_SUITE(math_double_suite);
    RUN_SUITE(rigid_suite);
    RUN_SUITE(hash_suite);
    RUN_SUITE(file_suite);
    RUN_SUITE(thread_suite);
    RUN_SUITE(terminal_suite);
    GREATEST_MAIN_END();
}
