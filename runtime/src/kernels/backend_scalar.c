// SPDX-License-Identifier: MIT
// The reference for tests and for machines without vectors. Inlining eight scalar lanes by force takes gcc minutes.
#define HEM_INLINE static inline
#define HEM_VEC_SCALAR 1
#define HEMI_KERNEL HEM_KERNEL_SCALAR
#define HEMI_SUFFIX(name) name##_scalar
#include "runtime/src/kernels/kernels.inl"
