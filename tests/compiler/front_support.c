// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "compiler/hemc_internal.h"

#include <string.h>

// Arena, messages, sort.

static uint64_t random_state = 1;

static uint32_t random_u32(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

TEST memory_is_zero_aligned_and_apart(void) {
    hemc_arena* arena = hemc_arena_create();
    uint8_t* blocks[200];
    size_t sizes[200];
    for (int i = 0; i < 200; ++i) {
        sizes[i] = i % 7 == 0 ? 200000 : random_u32() % 3000;
        blocks[i] = hemc_alloc(arena, sizes[i], 1);
        ASSERT_EQ(0, (uintptr_t)blocks[i] % 64);
        for (size_t k = 0; k < sizes[i]; ++k) {
            ASSERT_EQ(0, blocks[i][k]);
        }
        memset(blocks[i], i, sizes[i]);
    }
    for (int i = 0; i < 200; ++i) {
        for (size_t k = 0; k < sizes[i]; ++k) {
            ASSERT_EQ((uint8_t)i, blocks[i][k]);
        }
    }
    hemc_arena_destroy(arena);
    PASS();
}

TEST growing_keeps_the_contents(void) {
    hemc_arena* arena = hemc_arena_create();
    uint32_t* items = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 10000; ++i) {
        items = hemc_grow(arena, items, &capacity, (size_t)i + 1, sizeof(uint32_t));
        items[i] = i * 3;
    }
    for (uint32_t i = 0; i < 10000; ++i) {
        ASSERT_EQ(i * 3, items[i]);
    }
    ASSERT(capacity >= 10000);
    hemc_arena_destroy(arena);
    PASS();
}

static int jumps;

static void take(hemc_arena* arena, size_t count, size_t size) {
    if (setjmp(*hemc_arena_guard(arena)) != 0) {
        ++jumps;
        return;
    }
    hemc_alloc(arena, count, size);
}

TEST running_out_jumps_to_the_guard(void) {
    hemc_arena* arena = hemc_arena_create();
    jumps = 0;
    take(arena, SIZE_MAX / 2, 4); // overflows
    ASSERT_EQ(1, jumps);
    take(arena, SIZE_MAX - 100, 1); // does not fit
    ASSERT_EQ(2, jumps);
    hemc_fail_allocation_at(1);
    take(arena, 10, 1);
    ASSERT_EQ(2, jumps);
    take(arena, 10, 1);
    ASSERT_EQ(3, jumps);
    take(arena, 10, 1); // once
    ASSERT_EQ(3, jumps);
    hemc_fail_allocation_at(-1);
    hemc_arena_destroy(arena);
    PASS();
}

TEST sort_is_stable_and_right(void) {
    hemc_arena* arena = hemc_arena_create();
    for (int round = 0; round < 20; ++round) {
        uint32_t count = random_u32() % 300;
        uint64_t keys[300], sorted[300];
        uint32_t values[300];
        int shift = (int)(random_u32() % 60);
        for (uint32_t i = 0; i < count; ++i) {
            keys[i] = (uint64_t)(random_u32() % 50) << shift;
            sorted[i] = keys[i];
            values[i] = i;
        }
        hemc_sort(arena, sorted, values, count);
        for (uint32_t i = 0; i < count; ++i) {
            ASSERT_EQ(keys[values[i]], sorted[i]);
            if (i > 0) {
                ASSERT(sorted[i - 1] < sorted[i] || (sorted[i - 1] == sorted[i] && values[i - 1] < values[i]));
            }
        }
    }
    hemc_arena_destroy(arena);
    PASS();
}

TEST messages_count_and_keep_the_first_code(void) {
    hemc_arena* arena = hemc_arena_create();
    hemc_log log = {.arena = arena};
    char path[8] = "/a/1";
    hemc_warn(&log, "f", path, "w %d", 1);
    strcpy(path, "/b"); // the log has its own copy
    ASSERT_EQ(false, hemc_error(&log, HEMC_INPUT, "f", "", "e %s", "x"));
    hemc_error(&log, HEMC_IO, "f", NULL, "later");
    hemc_note(&log, NULL, "", "n");
    ASSERT_EQ(2, log.error_count);
    ASSERT_EQ(1, log.warning_count);
    ASSERT_EQ(4, log.message_count);
    ASSERT_EQ(HEMC_INPUT, log.exit_code);
    ASSERT_STR_EQ("/a/1", log.messages[0].path);
    ASSERT_STR_EQ("e x", log.messages[1].text);
    hemc_arena_destroy(arena);
    PASS();
}

SUITE(front_support_suite) {
    RUN_TEST(memory_is_zero_aligned_and_apart);
    RUN_TEST(growing_keeps_the_contents);
    RUN_TEST(running_out_jumps_to_the_guard);
    RUN_TEST(sort_is_stable_and_right);
    RUN_TEST(messages_count_and_keep_the_first_code);
}
