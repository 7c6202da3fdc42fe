// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_KERNELS_NEON_H
#define HEM_RUNTIME_KERNELS_NEON_H

#include "platform/base.h"

#if defined(HEM_ARCH_ARM64)
#define HEM_VEC_NEON 1
#define HEMI_KERNEL HEM_KERNEL_NEON
#define HEMI_NAME(name) hemi_##name##_neon
#endif

#endif
