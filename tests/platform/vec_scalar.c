// SPDX-License-Identifier: MIT
// The suite of vec_suite.inl for the scalar backend.
#include "tests/platform/suites.h"

#define HEM_VEC_SCALAR 1
#define VEC_SUITE vec_scalar_suite
#define VEC_BACKEND "scalar"
#include "tests/platform/vec_suite.inl"
