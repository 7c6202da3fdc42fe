// SPDX-License-Identifier: MIT
#include "formats/hem_point_cache.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Two samples of three points, written byte by byte: what the format says, not what a writer of ours does.

enum { POINTS = 3, SAMPLES = 2, SIZE = 32 + POINTS * SAMPLES * 12 };

static void put_u32(uint8_t* to, uint32_t x) {
    for (int k = 0; k < 4; ++k) {
        to[k] = (uint8_t)(x >> 8 * k);
    }
}

static void put_float(uint8_t* to, float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    put_u32(to, bits);
}

static void make(uint8_t bytes[SIZE]) {
    memcpy(bytes, "POINTCACHE2", 12);
    put_u32(bytes + 12, 1);
    put_u32(bytes + 16, POINTS);
    put_float(bytes + 20, -5.0f);
    put_float(bytes + 24, 0.5f);
    put_u32(bytes + 28, SAMPLES);
    for (int i = 0; i < POINTS * SAMPLES * 3; ++i) {
        put_float(bytes + 32 + 4 * i, 0.25f * (float)i - 1.0f);
    }
}

TEST a_point_cache_is_read_as_the_format_says(void) {
    uint8_t bytes[SIZE];
    make(bytes);
    hem_point_cache cache;
    hem_cache_fault fault;
    ASSERT(hem_point_cache_open(bytes, SIZE, &cache, &fault));
    ASSERT(cache.point_count == POINTS && cache.sample_count == SAMPLES);
    ASSERT(cache.first_frame == -5.0f && cache.frames_per_sample == 0.5f);
    float place[3];
    hem_point_cache_place(&cache, 1, 2, place);
    for (int k = 0; k < 3; ++k) {
        ASSERT_EQ(0.25f * (float)((1 * POINTS + 2) * 3 + k) - 1.0f, place[k]);
    }
    PASS();
}

TEST every_truncation_of_a_point_cache_is_refused(void) {
    uint8_t whole[SIZE];
    make(whole);
    hem_point_cache cache;
    hem_cache_fault fault;
    for (size_t size = 0; size < SIZE; ++size) {
        uint8_t* part = malloc(size + (size == 0)); // as large as it is, for the sanitizers
        memcpy(part, whole, size);
        ASSERT_FALSE(hem_point_cache_open(part, size, &cache, &fault));
        ASSERT(strstr(fault.what, size < 12 ? "is no point cache" : "is cut short"));
        free(part);
    }
    PASS();
}

TEST every_rule_of_point_caches_has_its_words(void) {
    static const struct {
        size_t at;
        int is_float;
        double value;
        const char* words;
    } rows[] = {
        {11, 0, 0x100, "is no point cache"}, // the tag ends with a zero; the version begins with one
        {12, 0, 2, "another version"},
        {16, 0, 0, "1 to 16777216 points"},
        {16, 0, HEM_MAX_CACHE_POINTS + 1.0, "1 to 16777216 points"},
        {28, 0, 0, "1 to 20000 samples"},
        {28, 0, HEM_MAX_CACHE_SAMPLES + 1.0, "1 to 20000 samples"},
        {20, 1, -2e6, "begins at no frame"},
        {20, 1, 2e6, "begins at no frame"},
        {20, 1, (double)NAN, "begins at no frame"},
        {24, 1, 0, "0.001 to 1000 frames"},
        {24, 1, 2000, "0.001 to 1000 frames"},
        {24, 1, (double)NAN, "0.001 to 1000 frames"},
        {28, 0, 1, "has more bytes"},
        {28, 0, 3, "is cut short"},
    };
    uint8_t bytes[SIZE];
    hem_point_cache cache;
    hem_cache_fault fault;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        make(bytes);
        if (rows[i].is_float) {
            put_float(bytes + rows[i].at, (float)rows[i].value);
        } else {
            put_u32(bytes + rows[i].at, (uint32_t)rows[i].value | (rows[i].at == 11));
        }
        ASSERT_FALSEm(rows[i].words, hem_point_cache_open(bytes, SIZE, &cache, &fault));
        ASSERTm(fault.what, strstr(fault.what, rows[i].words));
    }
    // A place that is none is named; so is the last.
    const float wrong[] = {NAN, INFINITY, -INFINITY, 1.1e6f, -1.1e6f};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        make(bytes);
        put_float(bytes + SIZE - 4, wrong[i]);
        ASSERT_FALSE(hem_point_cache_open(bytes, SIZE, &cache, &fault));
        ASSERT(strstr(fault.what, "a number that is none"));
        ASSERT(fault.sample == SAMPLES - 1 && fault.point == POINTS - 1);
    }
    PASS();
}

SUITE(point_cache_suite);
SUITE(point_cache_suite) {
    RUN_TEST(a_point_cache_is_read_as_the_format_says);
    RUN_TEST(every_truncation_of_a_point_cache_is_refused);
    RUN_TEST(every_rule_of_point_caches_has_its_words);
}
