// SPDX-License-Identifier: MIT
// The suite of vec_suite.inl for the SSE2 backend.
#include "tests/platform/suites.h"

#if HEM_TEST_SSE2
#define HEM_VEC_SSE2 1
#define VEC_SUITE vec_sse2_suite
#define VEC_BACKEND "sse2"
#include "tests/platform/vec_suite.inl"
#endif
