// SPDX-License-Identifier: MIT
#ifndef TEST_FORMATS_FIXTURE_H
#define TEST_FORMATS_FIXTURE_H

// A small valid file with every section in it, written by hand field by field, not by the compiler under test.
//
//   row 0..1  part "soft"   eight particles, then seven and a pad; one row batch of groups, one indexed
//   row 2     part "body"   three body particles and pads
//   row 3     part "cloth"  attached
//   row 4     part "cloth"  simulated, some with motion limits
//   row 5     part "cloth"  six particles and pads

#include "formats/hem_validate.h"

#include <stdbool.h>

typedef struct fixture {
    uint8_t* bytes; // 64-byte aligned, exactly `size` long
    size_t size;
    void* block; // to free
} fixture;

fixture fixture_make(void);
fixture fixture_copy(const fixture* from, size_t size); // the first `size` bytes
void fixture_free(fixture* f);

// Entry of the section table, and the section's first byte; NULL when absent.
hem_section* fixture_entry(const fixture* f, uint32_t kind);
void* fixture_section(const fixture* f, uint32_t kind);

#endif
