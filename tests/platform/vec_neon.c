// SPDX-License-Identifier: MIT
// The suite of vec_suite.inl for the NEON backend.
#include "tests/platform/suites.h"

#if HEM_TEST_NEON
#define HEM_VEC_NEON 1
#define VEC_SUITE vec_neon_suite
#define VEC_BACKEND "neon"
#include "tests/platform/vec_suite.inl"
#endif
