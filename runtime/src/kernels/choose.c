// SPDX-License-Identifier: MIT
// Which kernels this machine has.

#include "runtime/src/kernels/kernels.h"

#if defined(HEM_ARCH_X86)
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#else
#include <cpuid.h>
#endif

static int has_avx2(void) {
    unsigned a = 0, b = 0, c = 0, d = 0;
#if defined(_MSC_VER) && !defined(__clang__)
    int r[4];
    __cpuid(r, 0);
    if (r[0] < 7) {
        return 0;
    }
    __cpuid(r, 1);
    c = (unsigned)r[2];
    if ((c & (1u << 27)) == 0 || (c & (1u << 28)) == 0 || (_xgetbv(0) & 6) != 6) {
        return 0;
    }
    __cpuidex(r, 7, 0);
    b = (unsigned)r[1];
    (void)a, (void)d;
#else
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (1u << 27)) == 0 || (c & (1u << 28)) == 0) {
        return 0;
    }
    unsigned low, high; // the system must save the upper halves of the registers too
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
    if ((low & 6) != 6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        return 0;
    }
#endif
    return (b >> 5) & 1;
}
#endif

const hemi_kernels* hemi_kernels_choose(hem_kernel wanted) {
    int any = wanted == HEM_KERNEL_AUTO;
#if defined(HEM_ARCH_X86)
    if ((any || wanted == HEM_KERNEL_AVX2) && has_avx2()) {
        return hemi_kernels_avx2();
    }
    if (any || wanted == HEM_KERNEL_SSE2) {
        return hemi_kernels_sse2();
    }
#elif defined(HEM_ARCH_ARM64)
    if (any || wanted == HEM_KERNEL_NEON) {
        return hemi_kernels_neon();
    }
#elif defined(HEM_ARCH_WASM) && defined(__wasm_simd128__)
    if (any || wanted == HEM_KERNEL_WASM) {
        return hemi_kernels_wasm();
    }
#endif
    return any || wanted == HEM_KERNEL_SCALAR ? hemi_kernels_scalar() : NULL;
}

const char* hem_kernel_name(hem_kernel kernel) {
    switch (kernel) {
    case HEM_KERNEL_AUTO:
        return "auto";
    case HEM_KERNEL_SCALAR:
        return "scalar";
    case HEM_KERNEL_SSE2:
        return "sse2";
    case HEM_KERNEL_AVX2:
        return "avx2";
    case HEM_KERNEL_NEON:
        return "neon";
    case HEM_KERNEL_WASM:
        return "wasm";
    }
    return "unknown";
}
