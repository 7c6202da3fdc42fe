// SPDX-License-Identifier: MIT
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "tools/bench_private.h"

// Counts allocations, so that "none per frame" is measured and not said.
//
// The program's own malloc, calloc, realloc, free and aligned ones stand before the C library's, also for the shared
// libraries that it loads, and hand every call on. Only glibc gives the names to hand on to; elsewhere, and under the
// sanitizers, which do the same for themselves, the counts are unknown.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(__linux__)
#include <features.h>
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t align, size_t size);
void __libc_free(void* block);

static _Thread_local int64_t call_count;
static atomic_llong held_size;

static void* took(void* block) {
    call_count++;
    if (block != NULL) {
        atomic_fetch_add_explicit(&held_size, (long long)malloc_usable_size(block), memory_order_relaxed);
    }
    return block;
}

static void gives(void* block) {
    if (block != NULL) {
        atomic_fetch_sub_explicit(&held_size, (long long)malloc_usable_size(block), memory_order_relaxed);
    }
}

void* malloc(size_t size) {
    return took(__libc_malloc(size));
}

void* calloc(size_t count, size_t size) {
    return took(__libc_calloc(count, size));
}

void* realloc(void* block, size_t size) {
    gives(block);
    void* moved = __libc_realloc(block, size);
    if (moved == NULL && size > 0) {
        took(block); // it is still there
        return NULL;
    }
    return took(moved);
}

void free(void* block) {
    gives(block);
    __libc_free(block);
}

void* memalign(size_t align, size_t size) {
    return took(__libc_memalign(align, size));
}

void* aligned_alloc(size_t align, size_t size) {
    return took(__libc_memalign(align, size));
}

int posix_memalign(void** block, size_t align, size_t size) {
    if (align < sizeof(void*) || (align & (align - 1)) != 0) {
        return EINVAL;
    }
    void* taken = took(__libc_memalign(align, size));
    if (taken == NULL) {
        return ENOMEM;
    }
    *block = taken;
    return 0;
}

int64_t bench_allocation_count(void) {
    return call_count;
}

int64_t bench_allocated_size(void) {
    return (int64_t)atomic_load_explicit(&held_size, memory_order_relaxed);
}

#else

int64_t bench_allocation_count(void) {
    return -1;
}

int64_t bench_allocated_size(void) {
    return -1;
}

#endif
