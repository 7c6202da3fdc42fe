// SPDX-License-Identifier: MIT
#include "platform/base.h"
#if defined(HEM_ARCH_WASM) && defined(__wasm_simd128__)
#define HEM_VEC_WASM 1
#define HEMI_KERNEL HEM_KERNEL_WASM
#define HEMI_SUFFIX(name) name##_wasm
#include "runtime/src/kernels/kernels.inl"
#else
typedef int hemi_no_wasm; // a unit may not be empty
#endif
