// SPDX-License-Identifier: MIT
#include "tests/formats/fixture.h"
#include "tests/formats/walk.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

// Damage of every kind: whatever comes of it, nothing is read out of bounds, and what is accepted can be used.

static volatile float sink;

TEST every_truncation_is_refused(void) {
    fixture whole = fixture_make();
    hem_view view;
    for (size_t size = 0; size < whole.size; ++size) {
        fixture part = fixture_copy(&whole, size);
        hem_format_fault fault;
        const hem_format_result r = hem_validate(part.bytes, part.size, &view, &fault);
        ASSERT_EQ(HEM_FORMAT_TOO_SHORT, r);
        ASSERT_EQ(NULL, view.info);
        fixture_free(&part);
    }
    fixture_free(&whole);
    PASS();
}

TEST a_longer_file_is_refused(void) {
    fixture whole = fixture_make();
    hem_view view;
    hem_format_fault fault;
    uint8_t* longer = aligned_alloc(HEM_ALIGNMENT, whole.size + HEM_ALIGNMENT);
    memset(longer, 0, whole.size + HEM_ALIGNMENT);
    memcpy(longer, whole.bytes, whole.size);
    ASSERT_EQ(HEM_FORMAT_BAD_HEADER, hem_validate(longer, whole.size + 1, &view, &fault));
    ASSERT_STR_EQ("file_size", fault.field);
    ASSERT_EQ(HEM_FORMAT_BAD_HEADER, hem_validate(longer, whole.size + HEM_ALIGNMENT, &view, &fault));
    // Also when the header claims the extra bytes: they belong to no section.
    ((hem_header*)(void*)longer)->file_size += HEM_ALIGNMENT;
    ASSERT_EQ(HEM_FORMAT_BAD_HEADER, hem_validate(longer, whole.size + HEM_ALIGNMENT, &view, &fault));
    free(longer);
    fixture_free(&whole);
    PASS();
}

TEST every_bit_flip_is_refused_or_harmless(void) {
    fixture f = fixture_make();
    hem_view view;
    size_t accepted = 0;
    for (size_t bit = 0; bit < f.size * 8; ++bit) {
        f.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (hem_validate(f.bytes, f.size, &view, NULL) == HEM_FORMAT_OK) {
            sink = walk_view(&view);
            ++accepted;
        }
        f.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(f.bytes, f.size, &view, NULL));
    // Low bits of lengths and weights may change unseen (the hash tells), structure may not.
    ASSERT(accepted > 0);
    ASSERT(accepted < f.size * 8 / 2);
    fixture_free(&f);
    PASS();
}

TEST random_bytes_inside_sections_are_refused_or_harmless(void) {
    uint64_t state = 1;
    hem_view view;
    fixture good = fixture_make();
    for (int round = 0; round < 3000; ++round) {
        fixture f = fixture_copy(&good, good.size);
        for (int hits = 0; hits < 1 + round % 5; ++hits) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const size_t at = (size_t)(state >> 33) % (f.size / 4) * 4;
            const uint32_t values[] = {0, 1, 7, 8, 0xff, 0xffff, 0x7f800000u, 0x7fc00000u, 0x80000000u, 0xffffffffu};
            const uint32_t value = values[(state >> 20) % 10];
            memcpy(f.bytes + at, &value, sizeof value);
        }
        if (hem_validate(f.bytes, f.size, &view, NULL) == HEM_FORMAT_OK) {
            sink = walk_view(&view);
        }
        fixture_free(&f);
    }
    fixture_free(&good);
    PASS();
}

SUITE(damage_suite);
SUITE(damage_suite) {
    RUN_TEST(every_truncation_is_refused);
    RUN_TEST(a_longer_file_is_refused);
    RUN_TEST(every_bit_flip_is_refused_or_harmless);
    RUN_TEST(random_bytes_inside_sections_are_refused_or_harmless);
}
