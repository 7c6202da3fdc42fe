// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_KERNELS_AVX2_H
#define HEM_RUNTIME_KERNELS_AVX2_H

#include "platform/base.h"

#if defined(HEM_ARCH_X86)
#define HEM_VEC_AVX2 1
#define HEMI_KERNEL HEM_KERNEL_AVX2
#define HEMI_NAME(name) hemi_##name##_avx2
#endif

#endif
