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

// The same with what grows on the soft part: both of its rows driven to the pose, rods in rows and by indices (of three
// members, the second lane of two), a chain; and with areas.
fixture fixture_make_strands(void);

// Takes `f` and gives it back with a section of `count` elements: `bytes`, or what it held, cut or followed by zeros.
// None at all takes the section out.
fixture fixture_with(fixture f, uint32_t kind, uint32_t element_size, uint32_t count, const void* bytes);

// One field of a section's element, or of the header.
typedef enum value_type { U8, U16, U32, U64, F32 } value_type;

typedef struct fixture_edit {
    uint32_t section; // 0 = header
    uint32_t element;
    size_t offset;
    value_type type;
    double value; // exact for every type used here; -1 for UINT32_MAX and HEM_NONE
} fixture_edit;

#define NAN_VALUE 1e300 // becomes a NaN

void fixture_set(const fixture* f, const fixture_edit* edit);

fixture fixture_copy(const fixture* from, size_t size); // the first `size` bytes
void fixture_free(fixture* f);

// Entry of the section table, and the section's first byte; NULL when absent.
hem_section* fixture_entry(const fixture* f, uint32_t kind);
void* fixture_section(const fixture* f, uint32_t kind);

#endif
