// SPDX-License-Identifier: MIT
#include "platform/base.h"
#if defined(HEM_ARCH_X86)
#define HEM_VEC_SSE2 1
#define HEMI_KERNEL HEM_KERNEL_SSE2
#define HEMI_SUFFIX(name) name##_sse2
#include "runtime/src/kernels/kernels.inl"
#else
typedef int hemi_no_sse2; // a unit may not be empty
#endif
