// SPDX-License-Identifier: MIT
// Damaged saves: a scene after some calls and steps is saved, or one instance of it, words of the save are changed, and a
// scene that was never touched loads it. Refused, it stays as it was; accepted, it goes on within its memory, with numbers, and
// with the same bits on the plainest and on the widest kernel.
//
//   byte 0: which asset    1: calls, steps, kind of save    2: scene (kit.h)    3: edits    then edits: place, how    then steps

#include "tests/fuzz/kit.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char* const NAMES[] = {"limited",       "soft_arm",  "on_body",         "springs", "lattice_tear",
                                    "lattice_clips", "hair_full", "rods_driven",     "strip",   "drape_square",
                                    "solid_held",    "jelly",     "cape_girl_levels"};
#define NAME_COUNT (sizeof(NAMES) / sizeof(NAMES[0]))

static hem_asset assets[NAME_COUNT];

static void damage(input* in, uint8_t* saved, size_t saved_size) {
    for (int edits = take_byte(in) % 8; edits > 0; --edits) {
        // Near its end or near its beginning, where the words are that say what the others mean.
        const size_t place = take_byte(in) | (size_t)take_byte(in) << 8, words = saved_size / 4;
        const size_t word = place & 0x8000 ? words - 1 - (place & 0x7fff) % words : place % words;
        edit_word(in, saved + word * 4);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static int made;
    for (size_t i = 0; !made && i < NAME_COUNT; ++i) {
        const asset_bytes a = read_test_asset(NAMES[i]); // lives as long as the program
        require(hem_asset_open(&assets[i], a.bytes, a.size) == HEM_OK);
    }
    made = 1;
    input in = {data, size};
    const hem_asset* asset = &assets[take_byte(&in) % NAME_COUNT];
    hem_asset_info info;
    require(hem_asset_get_info(asset, &info) == HEM_OK);
    const uint8_t how = take_byte(&in);
    const stage_def with = take_stage_def(&in);
    stage from = stage_open(asset, HEM_KERNEL_AUTO, with);
    for (int n = how & 3; n > 0; --n) {
        stage_call(&in, &from, 1);
        stage_step(&from, 1, info.particle_count, 1.0f / 60.0f, 0);
    }
    const hem_save_kind kind = how & 4 ? HEM_SAVE_STATE : HEM_SAVE_ALL;
    const int alone = how >> 3 & 1;
    const size_t saved_size =
        alone ? hem_instance_save_size(from.scene, from.id, kind) : hem_scene_save_size(from.scene, kind);
    uint8_t* saved = malloc(saved_size); // of exact size, and nowhere in particular
    require(saved != NULL && (alone ? hem_instance_save(from.scene, from.id, kind, saved, saved_size)
                                    : hem_scene_save(from.scene, kind, saved, saved_size)) == HEM_OK);
    damage(&in, saved, saved_size);
    stage stages[2] = {stage_open(asset, HEM_KERNEL_SCALAR, with), stage_open(asset, HEM_KERNEL_AUTO, with)};
    const uint64_t before = hem_scene_hash(stages[0].scene);
    hem_result loaded = HEM_OK;
    for (int i = 0; i < 2; ++i) {
        const hem_result r = alone ? hem_instance_load(stages[i].scene, stages[i].id, saved, saved_size)
                                   : hem_scene_load(stages[i].scene, saved, saved_size);
        loaded = i == 0 ? r : loaded;
        require(r == loaded);
    }
    if (loaded != HEM_OK) {
        require(hem_scene_hash(stages[0].scene) == before && hem_scene_hash(stages[1].scene) == before);
    } else if (hem_instance_is_valid(stages[0].scene, stages[0].id)) { // else its slot was empty, or is of another life
        for (int n = 0; n < 3; ++n) {
            stage_call(&in, stages, 2);
            stage_step(stages, 2, info.particle_count, 1.0f / 60.0f, 0);
        }
    }
    stage_close(&stages[0]);
    stage_close(&stages[1]);
    stage_close(&from);
    free(saved);
    return 0;
}
