// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_KERNELS_WASM_H
#define HEM_RUNTIME_KERNELS_WASM_H

#include "platform/base.h"

#if defined(HEM_ARCH_WASM) && defined(__wasm_simd128__)
#define HEM_VEC_WASM 1
#define HEMI_KERNEL HEM_KERNEL_WASM
#define HEMI_NAME(name) hemi_##name##_wasm
#endif

#endif
