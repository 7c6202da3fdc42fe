// SPDX-License-Identifier: MIT
// The validator and the runtime together: a good asset with some words changed, and if the validator lets it pass, a few
// steps among random calls, on the plainest and on the widest kernel. Whatever is accepted steps within its memory, stays
// finite, and gives the same bits on both.
//
//   byte 0: which asset    1: how many edits    then edits: section, element, word, how (kit.h)    then calls and steps

#include "tests/fuzz/kit.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { STEP_LIMIT = 6 };

static const char* const NAMES[] = {
    "limited",      "springs",       "pair",       "soft_arm",  "two_strings",     "on_body",       "pendulum",
    "block",        "fabric",        "strip",      "lattice",   "lattice_tear",    "lattice_clips", "lattice_pull",
    "lattice_held", "solid",         "solid_held", "hair_full", "rods_driven",     "chains",        "driven",
    "drape_square", "painted_sheet", "sprung",     "jelly",     "cape_girl_levels"};
#define NAME_COUNT (sizeof(NAMES) / sizeof(NAMES[0]))

static void edit(input* in, uint8_t* bytes) {
    const hem_header* header = (const hem_header*)bytes;
    const hem_section* sections = (const hem_section*)(bytes + sizeof(hem_header));
    const uint8_t where = take_byte(in);
    const hem_section* s = &sections[where % header->section_count];
    if (where == 255 || s->size < 4) { // the table itself, now and then
        edit_word(in,
                  bytes + take_byte(in) % ((sizeof(hem_header) + header->section_count * sizeof(hem_section)) / 4) * 4);
        return;
    }
    const uint32_t words = (uint32_t)(s->size / 4);
    const uint32_t word = (take_byte(in) | (uint32_t)take_byte(in) << 8) % words;
    edit_word(in, bytes + s->offset + (size_t)word * 4);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static asset_bytes originals[NAME_COUNT];
    static int made;
    for (size_t i = 0; !made && i < NAME_COUNT; ++i) {
        originals[i] = read_test_asset(NAMES[i]);
    }
    made = 1;
    input in = {data, size};
    const asset_bytes* original = &originals[take_byte(&in) % NAME_COUNT];
    uint8_t* bytes = allocate_aligned(original->size);
    memcpy(bytes, original->bytes, original->size);
    for (int edits = take_byte(&in) % 8; edits > 0; --edits) {
        // Each edit but the last must be accepted, or is taken back: so that several can be so together.
        uint8_t* before = malloc(original->size);
        require(before != NULL);
        memcpy(before, bytes, original->size);
        edit(&in, bytes);
        hem_view view;
        if (hem_validate(bytes, original->size, &view, NULL) != HEM_FORMAT_OK) {
            memcpy(bytes, before, original->size);
        }
        free(before);
    }
    hem_asset asset;
    if (hem_asset_open(&asset, bytes, original->size) == HEM_OK) {
        hem_asset_info info;
        require(hem_asset_get_info(&asset, &info) == HEM_OK);
        const stage_def with = take_stage_def(&in);
        stage stages[2] = {stage_open(&asset, HEM_KERNEL_SCALAR, with), stage_open(&asset, HEM_KERNEL_AUTO, with)};
        for (int n = 0; n < STEP_LIMIT && (n < 2 || in.left > 0); ++n) {
            static const float lengths[4] = {1.0f / 60.0f, 1.0f / 30.0f, 1.0f / 240.0f, 0.1f};
            const uint8_t how = take_byte(&in);
            for (int calls = how >> 6; calls > 0; --calls) {
                stage_call(&in, stages, 2);
            }
            stage_step(stages, 2, info.particle_count, lengths[how & 3], how >> 2 & 3);
        }
        stage_close(&stages[0]);
        stage_close(&stages[1]);
    }
    free(bytes);
    return 0;
}
