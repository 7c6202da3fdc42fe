// SPDX-License-Identifier: MIT
#include "platform/base.h"
#if defined(HEM_ARCH_ARM64)
#define HEM_VEC_NEON 1
#define HEMI_KERNEL HEM_KERNEL_NEON
#define HEMI_SUFFIX(name) name##_neon
#include "runtime/src/kernels/kernels.inl"
#else
typedef int hemi_no_neon; // a unit may not be empty
#endif
