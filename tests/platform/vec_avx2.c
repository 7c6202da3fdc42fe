// SPDX-License-Identifier: MIT
// The suite of vec_suite.inl for the AVX2 backend.
#include "tests/platform/suites.h"

#if HEM_TEST_AVX2
#define HEM_VEC_AVX2 1
#define VEC_SUITE vec_avx2_suite
#define VEC_BACKEND "avx2"
#include "tests/platform/vec_suite.inl"
#endif
