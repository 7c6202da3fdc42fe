// SPDX-License-Identifier: MIT
#include "compiler/hemc_internal.h"

#include "platform/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// Memory, messages and the one sort.
//
// A compile lives in one arena: a list of blocks, each twice the last up to a limit, handed out from the front and
// freed together. Stages therefore never free and never test for NULL: when memory ends, hemc_alloc jumps to the frame
// that set the guard, which drops the arena and reports HEMC_MEMORY. Nothing else may hold a resource across a stage.
//
// Under AddressSanitizer every allocation is a block of its own, so that an overrun is caught at its first byte.

#if defined(__SANITIZE_ADDRESS__)
#define SINGLE_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SINGLE_BLOCKS 1
#endif
#endif
#ifndef SINGLE_BLOCKS
#define SINGLE_BLOCKS 0
#endif

#define BLOCK_SIZE_FIRST ((size_t)64 << 10)
#define BLOCK_SIZE_LIMIT ((size_t)8 << 20)
#define ALIGNMENT ((size_t)64)

#if defined(_MSC_VER) && !defined(__clang__)
#define THREAD_LOCAL __declspec(thread)
#else
#define THREAD_LOCAL _Thread_local
#endif

typedef struct block {
    struct block* next;
    uint8_t* begin; // aligned
    size_t used, size;
} block;

struct hemc_arena {
    block* blocks; // newest first
    size_t next_size;
    size_t total_size;
    bool guarded;
    jmp_buf guard;
};

static THREAD_LOCAL int64_t fail_countdown = -1;
static THREAD_LOCAL bool fail_for_good;

void hemc_fail_allocation_at(int64_t n) {
    fail_countdown = n;
    fail_for_good = false;
}

void hemc_fail_allocations_from(int64_t n) {
    fail_countdown = n;
    fail_for_good = n >= 0;
}

static bool must_fail(void) {
    if (fail_countdown < 0) {
        return false;
    }
    if (fail_countdown == 0) {
        fail_countdown = fail_for_good ? 0 : -1;
        return true;
    }
    --fail_countdown;
    return false;
}

void* hemc_take(size_t size) {
    return must_fail() ? NULL : malloc(size);
}

hemc_arena* hemc_arena_create(void) {
    if (must_fail()) {
        return NULL;
    }
    hemc_arena* arena = calloc(1, sizeof(hemc_arena));
    if (arena != NULL) {
        arena->next_size = BLOCK_SIZE_FIRST;
    }
    return arena;
}

void hemc_arena_destroy(hemc_arena* arena) {
    if (arena == NULL) {
        return;
    }
    for (block* b = arena->blocks; b != NULL;) {
        block* next = b->next;
        free(b);
        b = next;
    }
    free(arena);
}

jmp_buf* hemc_arena_guard(hemc_arena* arena) {
    arena->guarded = true;
    return &arena->guard;
}

size_t hemc_arena_size(const hemc_arena* arena) {
    return arena->total_size;
}

static block* add_block(hemc_arena* arena, size_t size) {
    if (size > SIZE_MAX - sizeof(block) - ALIGNMENT) {
        return NULL;
    }
    // calloc: large blocks come zeroed from the system without being touched. AddressSanitizer cannot see past the
    // rounding up to the alignment, hence no tail room there.
    size_t whole = sizeof(block) + ALIGNMENT + size;
    block* b = calloc(1, whole);
    if (b == NULL) {
        return NULL;
    }
    uintptr_t address = (uintptr_t)(b + 1);
    size_t pad = (size_t)((ALIGNMENT - (address & (ALIGNMENT - 1))) & (ALIGNMENT - 1));
    b->begin = (uint8_t*)(b + 1) + pad;
    b->size = size;
    b->next = arena->blocks;
    arena->blocks = b;
    arena->total_size += whole;
    return b;
}

void* hemc_try_alloc(hemc_arena* arena, size_t size) {
    if (must_fail()) {
        return NULL;
    }
    if (size == 0) {
        size = 1;
    }
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size_t rounded = SINGLE_BLOCKS ? size : (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    block* b = arena->blocks;
    if (SINGLE_BLOCKS || b == NULL || b->size - b->used < rounded) {
        if (SINGLE_BLOCKS || rounded > arena->next_size / 4) {
            // A large request gets a block of its own, behind the newest, whose room stays in use.
            block* single = add_block(arena, rounded);
            if (single == NULL) {
                return NULL;
            }
            single->used = rounded;
            if (b != NULL) {
                arena->blocks = b;
                single->next = b->next;
                b->next = single;
            }
            return single->begin;
        }
        b = add_block(arena, arena->next_size);
        if (b == NULL) {
            return NULL;
        }
        if (arena->next_size < BLOCK_SIZE_LIMIT) {
            arena->next_size *= 2;
        }
    }
    void* memory = b->begin + b->used;
    b->used += rounded;
    return memory;
}

void hemc_out_of_memory(hemc_arena* arena) {
    if (!arena->guarded) {
        fputs("hemc: out of memory, and no guard is set\n", stderr);
        abort();
    }
    longjmp(arena->guard, 1);
}

void* hemc_alloc(hemc_arena* arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        hemc_out_of_memory(arena);
    }
    void* memory = hemc_try_alloc(arena, count * size);
    if (memory == NULL) {
        hemc_out_of_memory(arena);
    }
    return memory;
}

void* hemc_grow(hemc_arena* arena, void* items, size_t* capacity, size_t needed, size_t size) {
    if (needed <= *capacity) {
        return items;
    }
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < needed) {
        wanted = wanted > SIZE_MAX / 2 ? needed : wanted * 2;
    }
    void* grown = hemc_alloc(arena, wanted, size);
    if (*capacity != 0) {
        memcpy(grown, items, *capacity * size);
    }
    *capacity = wanted;
    return grown;
}

static char* format_list(hemc_arena* arena, const char* format, va_list list) {
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    if (length < 0) {
        length = 0;
    }
    char* text = hemc_alloc(arena, (size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

char* hemc_format(hemc_arena* arena, const char* format, ...) {
    va_list list;
    va_start(list, format);
    char* text = format_list(arena, format, list);
    va_end(list);
    return text;
}

char* hemc_copy_string(hemc_arena* arena, const char* text, size_t length) {
    char* copy = hemc_alloc(arena, length + 1, 1);
    if (length != 0) {
        memcpy(copy, text, length);
    }
    return copy;
}

bool hemc_read_file(hemc_arena* arena, const char* path, uint8_t** bytes, size_t* size) {
    hem_bytes file;
    if (!hem_file_read(path, &file, NULL)) {
        return false;
    }
    // The arena may jump; the file's own block must be gone by then.
    *bytes = hemc_try_alloc(arena, file.size + 1);
    if (*bytes != NULL) {
        memcpy(*bytes, file.data, file.size);
    }
    *size = file.size;
    hem_bytes_free(&file);
    if (*bytes == NULL) {
        hemc_out_of_memory(arena);
    }
    return true;
}

void hemc_hash128(const void* bytes, size_t size, uint8_t digest[16]) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, size));
    memcpy(digest, canonical.digest, 16);
}

// -- Messages

static void add_message(hemc_log* log, hemc_severity severity, const char* file, const char* path, char* text) {
    log->messages =
        hemc_grow(log->arena, log->messages, &log->message_capacity, log->message_count + 1, sizeof(hemc_message));
    log->messages[log->message_count++] = (hemc_message){
        .severity = severity,
        .file = file != NULL ? file : "",
        .path = path != NULL ? hemc_copy_string(log->arena, path, strlen(path)) : "",
        .text = text,
    };
}

bool hemc_error(hemc_log* log, hemc_exit code, const char* file, const char* path, const char* format, ...) {
    va_list list;
    va_start(list, format);
    char* text = format_list(log->arena, format, list);
    va_end(list);
    add_message(log, HEMC_ERROR, file, path, text);
    log->error_count++;
    if (log->exit_code == HEMC_OK) {
        log->exit_code = code;
    }
    return false;
}

void hemc_warn(hemc_log* log, const char* file, const char* path, const char* format, ...) {
    va_list list;
    va_start(list, format);
    char* text = format_list(log->arena, format, list);
    va_end(list);
    add_message(log, HEMC_WARNING, file, path, text);
    log->warning_count++;
}

void hemc_note(hemc_log* log, const char* file, const char* path, const char* format, ...) {
    va_list list;
    va_start(list, format);
    char* text = format_list(log->arena, format, list);
    va_end(list);
    add_message(log, HEMC_NOTE, file, path, text);
}

// -- Sorting

// Least significant digit first, eight bits at a time: stable, and passes whose digit is the same everywhere (the high
// bytes of small keys) are skipped.
void hemc_sort(hemc_arena* arena, uint64_t* keys, uint32_t* values, size_t count) {
    if (count < 2) {
        return;
    }
    uint64_t* key_in = keys;
    uint64_t* key_out = hemc_alloc(arena, count, sizeof(uint64_t));
    uint32_t* value_in = values;
    uint32_t* value_out = values != NULL ? hemc_alloc(arena, count, sizeof(uint32_t)) : NULL;
    for (int shift = 0; shift < 64; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < count; ++i) {
            starts[((key_in[i] >> shift) & 255) + 1]++;
        }
        if (starts[((key_in[0] >> shift) & 255) + 1] == count) {
            continue;
        }
        for (int digit = 0; digit < 256; ++digit) {
            starts[digit + 1] += starts[digit];
        }
        for (size_t i = 0; i < count; ++i) {
            size_t at = starts[(key_in[i] >> shift) & 255]++;
            key_out[at] = key_in[i];
            if (values != NULL) {
                value_out[at] = value_in[i];
            }
        }
        uint64_t* key_swap = key_in;
        key_in = key_out;
        key_out = key_swap;
        uint32_t* value_swap = value_in;
        value_in = value_out;
        value_out = value_swap;
    }
    if (key_in != keys) {
        memcpy(keys, key_in, count * sizeof(uint64_t));
        if (values != NULL) {
            memcpy(values, value_in, count * sizeof(uint32_t));
        }
    }
}
