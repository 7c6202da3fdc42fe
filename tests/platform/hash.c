// SPDX-License-Identifier: MIT
// platform/hash.h: every bit matters, half of the output flips with it, lengths and seeds count, no two of many short
// inputs collide, and the values are the same on every machine.
#include "tests/platform/suites.h"
#include "tests/platform/vec_reference.h"
#include "platform/hash.h"

#include <stdlib.h>
#include <string.h>

static int ones(uint64_t x) {
    int n = 0;
    for (; x != 0; x &= x - 1) {
        ++n;
    }
    return n;
}

TEST values_are_fixed(void) {
    unsigned char text[100];
    for (int i = 0; i < 100; ++i) {
        text[i] = (unsigned char)(i * 7 + 1);
    }
    ASSERT_EQ_FMT(0xdf24d0a87afe14c4ull, (unsigned long long)hem_hash(text, 0, 0), "%llx");
    ASSERT_EQ_FMT(0xcc3e952a917199d5ull, (unsigned long long)hem_hash(text, 1, 0), "%llx");
    ASSERT_EQ_FMT(0x4a732430c4784f3ull, (unsigned long long)hem_hash(text, 32, 0), "%llx");
    ASSERT_EQ_FMT(0x7c199356b1c09455ull, (unsigned long long)hem_hash(text, 100, 0x123456789abcdefull), "%llx");
    PASS();
}

TEST alignment_does_not_matter(void) {
    unsigned char buffer[128 + 16];
    for (int offset = 0; offset < 16; ++offset) {
        for (int i = 0; i < 100; ++i) {
            buffer[offset + i] = (unsigned char)(i * 7 + 1);
        }
        unsigned char plain[100];
        memcpy(plain, buffer + offset, 100);
        ASSERT(hem_hash(plain, 100, 5) == hem_hash(buffer + offset, 100, 5));
    }
    PASS();
}

TEST each_input_bit_flips_half_of_the_output(void) {
    uint64_t state = 9;
    enum { SIZE = 72, ROUNDS = 400 };
    static int flips[64];
    memset(flips, 0, sizeof flips);
    for (int bit = 0; bit < SIZE * 8; ++bit) {
        int total = 0;
        for (int round = 0; round < ROUNDS; ++round) {
            unsigned char data[SIZE];
            for (int i = 0; i < SIZE; ++i) {
                data[i] = (unsigned char)vec_random(&state);
            }
            uint64_t before = hem_hash(data, SIZE, 0);
            data[bit / 8] ^= (unsigned char)(1u << bit % 8);
            uint64_t change = before ^ hem_hash(data, SIZE, 0);
            ASSERT(change != 0);
            total += ones(change);
            for (int k = 0; k < 64; ++k) {
                flips[k] += (int)(change >> k & 1);
            }
        }
        // 400 x 64 coin throws: the mean is 32 with a deviation of 0.2, and six of those are allowed.
        double mean = (double)total / ROUNDS;
        ASSERT(mean > 30.8 && mean < 33.2);
    }
    for (int k = 0; k < 64; ++k) {
        double share = (double)flips[k] / (SIZE * 8.0 * ROUNDS);
        ASSERT(share > 0.49 && share < 0.51);
    }
    PASS();
}

TEST length_and_seed_count(void) {
    unsigned char zeros[256] = {0};
    for (size_t i = 0; i < 256; ++i) {
        for (size_t j = 0; j < i; ++j) {
            ASSERT(hem_hash(zeros, i, 0) != hem_hash(zeros, j, 0));
        }
        ASSERT(hem_hash(zeros, i, 0) != hem_hash(zeros, i, 1));
    }
    PASS();
}

static int compare(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

// Float states that differ in two places by little, the way simulations part company: 300000 of them, none alike.
TEST near_states_do_not_collide(void) {
    enum { COUNT = 300000 };
    uint64_t* hashes = (uint64_t*)malloc(COUNT * sizeof(uint64_t));
    ASSERT(hashes != NULL);
    uint32_t state[64];
    for (int i = 0; i < 64; ++i) {
        state[i] = 0x3f800000u;
    }
    for (int i = 0; i < COUNT; ++i) {
        state[i % 64] = 0x3f800000u + (uint32_t)(i / 64);
        state[(i * 5 + 3) % 64] ^= 1u;
        state[0] = (uint32_t)i;
        hashes[i] = hem_hash(state, sizeof state, 0);
    }
    qsort(hashes, COUNT, sizeof hashes[0], compare);
    int collisions = 0;
    for (int i = 1; i < COUNT; ++i) {
        collisions += hashes[i] == hashes[i - 1];
    }
    free(hashes);
    ASSERT_EQ(0, collisions);
    PASS();
}

// Swapping words or stripes must show: they go through the same accumulators or through different ones.
TEST order_counts(void) {
    uint64_t words[12];
    for (int i = 0; i < 12; ++i) {
        words[i] = (uint64_t)i * 0x0101010101010101ull;
    }
    uint64_t before = hem_hash(words, sizeof words, 0);
    for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < i; ++j) {
            uint64_t t = words[i];
            words[i] = words[j];
            words[j] = t;
            ASSERT(hem_hash(words, sizeof words, 0) != before);
            words[j] = words[i];
            words[i] = t;
        }
    }
    PASS();
}

SUITE(hash_suite) {
    RUN_TEST(values_are_fixed);
    RUN_TEST(alignment_does_not_matter);
    RUN_TEST(each_input_bit_flips_half_of_the_output);
    RUN_TEST(length_and_seed_count);
    RUN_TEST(near_states_do_not_collide);
    RUN_TEST(order_counts);
}
