// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_PLATFORM_SUITES_H
#define HEM_TESTS_PLATFORM_SUITES_H

// Which suites this machine can run. AVX2 is compiled on every x86 and skipped at run time where there is none.

#include "platform/base.h"

#if defined(HEM_ARCH_X86)
#define HEM_TEST_SSE2 1
#define HEM_TEST_AVX2 1
#else
#define HEM_TEST_SSE2 0
#define HEM_TEST_AVX2 0
#endif
#if defined(HEM_ARCH_ARM64)
#define HEM_TEST_NEON 1
#else
#define HEM_TEST_NEON 0
#endif
#if defined(HEM_ARCH_WASM) && defined(__wasm_simd128__)
#define HEM_TEST_WASM 1
#else
#define HEM_TEST_WASM 0
#endif

#if defined(__wasi__)
#define GREATEST_USE_TIME 0 // clock() would need an emulation library
#endif
#include "greatest.h"

SUITE_EXTERN(vec_scalar_suite);
SUITE_EXTERN(vec_sse2_suite);
SUITE_EXTERN(vec_avx2_suite);
SUITE_EXTERN(vec_neon_suite);
SUITE_EXTERN(vec_wasm_suite);
SUITE_EXTERN(math_suite);
SUITE_EXTERN(math_double_suite);
SUITE_EXTERN(rigid_suite);
SUITE_EXTERN(hash_suite);
SUITE_EXTERN(file_suite);
SUITE_EXTERN(thread_suite);
SUITE_EXTERN(terminal_suite);

#endif
