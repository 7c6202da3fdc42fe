// SPDX-License-Identifier: MIT
// The kernels of one backend.

#include "runtime/src/kernels/kernels.h"

#if defined(HEMI_NAME)
#define KERNEL(result, name, arguments) result HEMI_NAME(name) arguments;
#include "runtime/src/kernels/list.inl"

const hemi_kernels* HEMI_NAME(kernels)(void) {
    static const hemi_kernels table = {
        .kernel = HEMI_KERNEL,
#define KERNEL(result, name, arguments) .name = HEMI_NAME(name),
#include "runtime/src/kernels/list.inl"
    };
    return &table;
}
#endif
