// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_BASE_H
#define HEM_PLATFORM_BASE_H

// Words every compiler spells differently, and the guards that keep floating point honest.
//
// Freestanding: sees <stddef.h> and <stdint.h> only. Everything here is a macro or a static inline function,
// so including it costs nothing and exports nothing.

#include <stddef.h>
#include <stdint.h>

// The same bits on every machine is a promise (docs/determinism.md); these switches break it silently.
#if defined(__FAST_MATH__)
#error "Hem must not be compiled with -ffast-math: results would differ between machines"
#endif
#if defined(_MSC_VER) && defined(_M_FP_FAST)
#error "Hem must not be compiled with /fp:fast: results would differ between machines"
#endif

// a * b + c is two roundings everywhere. gcc has no pragma for it and needs -ffp-contract=off on the command line.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define HEM_TRAP() __debugbreak()
#ifndef HEM_INLINE
#define HEM_INLINE static __forceinline
#endif
#define HEM_NOINLINE __declspec(noinline)
#define HEM_ALIGN(n) __declspec(align(n))
#define HEM_RESTRICT __restrict
#define HEM_LIKELY(x) (x)
#define HEM_UNLIKELY(x) (x)
#define HEM_ASSUME_ALIGNED(p, n) (p)
#define HEM_PRINTF(format_index, first_index)
#define HEM_UNROLL8
#define HEM_FORGET(p) ((void)(p))
#define HEM_ATOMIC_SWAP(p, value) ((uint32_t)_InterlockedExchange((volatile long*)(p), (long)(value)))
#define HEM_ATOMIC_LOAD(p) ((uint32_t)_InterlockedOr((volatile long*)(p), 0))
#define HEM_ATOMIC_STORE(p, value) ((void)HEM_ATOMIC_SWAP(p, value))
#define HEM_ATOMIC_ADD(p, value) ((uint32_t)_InterlockedExchangeAdd((volatile long*)(p), (long)(value)))
#if defined(_M_X64)
#define HEM_PAUSE() _mm_pause()
#else
#define HEM_PAUSE() __yield()
#endif
#if defined(_M_X64)
#define HEM_PREFETCH(p, bytes) _mm_prefetch((const char*)((uintptr_t)(p) + (bytes)), _MM_HINT_T0)
#else
#define HEM_PREFETCH(p, bytes) ((void)(p))
#endif
#else
#define HEM_TRAP() __builtin_trap()
#ifndef HEM_INLINE // a unit that would rather compile fast than run fast defines its own
#define HEM_INLINE static inline __attribute__((always_inline, unused))
#endif
#define HEM_NOINLINE __attribute__((noinline))
#define HEM_ALIGN(n) __attribute__((aligned(n)))
#define HEM_RESTRICT __restrict__
#define HEM_LIKELY(x) __builtin_expect(!!(x), 1)
#define HEM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HEM_ASSUME_ALIGNED(p, n) __builtin_assume_aligned((p), (n))
#define HEM_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
// Of a uint32_t that several threads see: the swap gives what was there, loads see what was written before the store.
#define HEM_ATOMIC_SWAP(p, value) __atomic_exchange_n((p), (value), __ATOMIC_ACQ_REL)
#define HEM_ATOMIC_LOAD(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define HEM_ATOMIC_STORE(p, value) __atomic_store_n((p), (value), __ATOMIC_RELEASE)
// Gives what was there before; all threads see all of these in one order.
#define HEM_ATOMIC_ADD(p, value) __atomic_fetch_add((p), (value), __ATOMIC_SEQ_CST)
// While waiting for another thread.
#if defined(__x86_64__)
#define HEM_PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define HEM_PAUSE() __asm__ volatile("yield")
#else
#define HEM_PAUSE() ((void)0)
#endif
// What lies so many bytes behind p will be read; need not exist.
#define HEM_PREFETCH(p, bytes) __builtin_prefetch((const void*)((uintptr_t)(p) + (bytes)))
// HEM_UNROLL8: before a loop of eight that is to be written out. HEM_FORGET: gcc no longer knows what p points to.
#if defined(__clang__)
#define HEM_UNROLL8 _Pragma("clang loop unroll(full)")
#define HEM_FORGET(p) ((void)(p))
#else
#define HEM_UNROLL8 _Pragma("GCC unroll 8")
#define HEM_FORGET(p) __asm__("" : "+r"(p) : : "memory")
#endif
#endif

#if defined(__cplusplus)
#define HEM_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define HEM_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

// The number of items in a true array (not a pointer).
#define HEM_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

// Architectures with a vector backend of their own. 32-bit ARM is left out on purpose: its NEON flushes denormals.
#if defined(__x86_64__) || defined(_M_X64) || (defined(__i386__) && defined(__SSE2__))
#define HEM_ARCH_X86 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#define HEM_ARCH_ARM64 1
#elif defined(__wasm__)
#define HEM_ARCH_WASM 1
#endif

// Assets are little-endian and used in place, so a big-endian build cannot work; refuse it here, once.
#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "Hem supports little-endian machines only"
#endif
#endif

// x87 keeps intermediate results in 80 bits, which rounds differently.
#if defined(__FLT_EVAL_METHOD__)
#if __FLT_EVAL_METHOD__ != 0
#error "Hem needs FLT_EVAL_METHOD 0; on 32-bit x86 add -msse2 -mfpmath=sse"
#endif
#endif

typedef union hem_float_bits {
    float f;
    uint32_t u;
} hem_float_bits;

typedef union hem_double_bits {
    double f;
    uint64_t u;
} hem_double_bits;

HEM_INLINE uint32_t hem_bits_of_float(float x) {
    hem_float_bits b;
    b.f = x;
    return b.u;
}

HEM_INLINE float hem_float_of_bits(uint32_t x) {
    hem_float_bits b;
    b.u = x;
    return b.f;
}

HEM_INLINE uint64_t hem_bits_of_double(double x) {
    hem_double_bits b;
    b.f = x;
    return b.u;
}

HEM_INLINE double hem_double_of_bits(uint64_t x) {
    hem_double_bits b;
    b.u = x;
    return b.f;
}

// Number of the lowest bit that is set; the argument must not be 0.
HEM_INLINE uint32_t hem_lowest_bit(uint64_t bits) {
#if defined(_MSC_VER) && !defined(__clang__)
    unsigned long index;
    _BitScanForward64(&index, bits);
    return (uint32_t)index;
#else
    return (uint32_t)__builtin_ctzll(bits);
#endif
}

#endif
