// SPDX-License-Identifier: MIT
// The suite of vec_suite.inl for the WASM backend.
#include "tests/platform/suites.h"

#if HEM_TEST_WASM
#define HEM_VEC_WASM 1
#define VEC_SUITE vec_wasm_suite
#define VEC_BACKEND "wasm"
#include "tests/platform/vec_suite.inl"
#endif
