// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_KERNELS_SCALAR_H
#define HEM_RUNTIME_KERNELS_SCALAR_H

// The reference for tests and for machines without vectors. Inlining eight scalar lanes by force takes gcc minutes.
#define HEM_INLINE static inline
#define HEM_VEC_SCALAR 1
#define HEMI_KERNEL HEM_KERNEL_SCALAR
#define HEMI_NAME(name) hemi_##name##_scalar

#endif
