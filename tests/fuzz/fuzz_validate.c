// SPDX-License-Identifier: MIT

// Any bytes into the validator; what it accepts is walked through to its end.
//
// An even first byte: the rest is the file. An odd one: the rest is a list of patches, each an offset (3 bytes, modulo the
// size) and a 32-bit word, applied to a valid file with every section in it. That gets past the checks of the
// container, which random bytes never do.

#include "tests/formats/fixture.c"
#include "tests/formats/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static volatile float sink;

static void look(const fixture* f) {
    hem_view view;
    hem_format_fault fault;
    if (hem_validate(f->bytes, f->size, &view, &fault) == HEM_FORMAT_OK) {
        sink = walk_view(&view);
    } else if (fault.field == NULL || fault.field[0] == 0 || view.info != NULL) {
        abort(); // a refusal names its field and gives no view
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    if (data[0] % 2 == 0) {
        const fixture raw = {.bytes = (uint8_t*)(uintptr_t)(data + 1), .size = size - 1};
        fixture f = fixture_copy(&raw, raw.size);
        look(&f);
        fixture_free(&f);
        return 0;
    }
    fixture f = fixture_make();
    for (size_t at = 1; at + 7 <= size && at < 7 * 64; at += 7) {
        const size_t offset = (data[at] | (size_t)data[at + 1] << 8 | (size_t)data[at + 2] << 16) % (f.size - 3);
        memcpy(f.bytes + offset, data + at + 3, 4);
    }
    look(&f);
    fixture_free(&f);
    return 0;
}
