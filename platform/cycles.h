// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_CYCLES_H
#define HEM_PLATFORM_CYCLES_H

// The machine's tick counter, for budgets and benches; never an input of the simulation. Freestanding.
//
// x86 reads the time stamp counter (constant rate, roughly the nominal clock), ARM the virtual counter (1 GHz on new
// cores, 24 to 100 MHz on older ones), WASM asks the host through the import env.hem_host_cycles. Compare differences
// on one thread only, and calibrate against hem_clock_seconds if seconds are wanted. WASM imports only with
// HEM_WASM_HOST_CYCLES, so that plain modules need no host. A build without a counter, or one that defines
// HEM_NO_CYCLES, reads 0.

#include "platform/base.h"

#if defined(HEM_NO_CYCLES)
#define HEM_HAS_CYCLES 0
#elif defined(HEM_ARCH_X86)
#define HEM_HAS_CYCLES 1
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <x86intrin.h>
#endif
#elif defined(HEM_ARCH_ARM64)
#define HEM_HAS_CYCLES 1
#if defined(_MSC_VER)
#include <intrin.h>
#endif
#elif defined(HEM_ARCH_WASM) && defined(HEM_WASM_HOST_CYCLES)
#define HEM_HAS_CYCLES 1
__attribute__((import_module("env"), import_name("hem_host_cycles"))) extern double hem_host_cycles(void);
#else
#define HEM_HAS_CYCLES 0
#endif

HEM_INLINE uint64_t hem_cycles(void) {
#if !HEM_HAS_CYCLES
    return 0;
#elif defined(HEM_ARCH_X86)
    return __rdtsc();
#elif defined(HEM_ARCH_ARM64) && defined(_MSC_VER)
    return (uint64_t)_ReadStatusReg(ARM64_CNTVCT);
#elif defined(HEM_ARCH_ARM64)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return (uint64_t)hem_host_cycles();
#endif
}

#endif
