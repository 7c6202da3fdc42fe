// SPDX-License-Identifier: MIT
#ifndef HEM_SAMPLES_KIT_SAMPLES_H
#define HEM_SAMPLES_KIT_SAMPLES_H

#include "samples/kit.h"

// The catalogue: every sample character, by name. Each build function lives in the file of the same name.
typedef struct kit_sample {
    const char* name;
    void (*build)(kit_model* model);
} kit_sample;

extern const kit_sample kit_samples[];
extern const int32_t kit_sample_count;

// Too large to be made every time: only when named.
extern const kit_sample kit_large_samples[];
extern const int32_t kit_large_sample_count;

void monster_build(kit_model* model);
void octopus_build(kit_model* model);
void jelly_build(kit_model* model);
void penguins_build(kit_model* model);
void hair_build(kit_model* model);
void curls_build(kit_model* model);
void flag_build(kit_model* model);
void sheet_over_ball_build(kit_model* model);
void sheet_over_table_build(kit_model* model);
void crossing_sheets_build(kit_model* model);
void held_sheet_build(kit_model* model);
void duck_build(kit_model* model);
// drapes.c
void drape_box_build(kit_model* model);
void drape_round_build(kit_model* model);
void drape_square_build(kit_model* model);
void drape_square_fine_build(kit_model* model);
void drape_ball_build(kit_model* model);
void drape_horse_build(kit_model* model);
void drape_stairs_build(kit_model* model);
// heads.c
void short_hair_build(kit_model* model);
void long_hair_build(kit_model* model);
void cape_girl_build(kit_model* model);
void robe_build(kit_model* model);
void somersault_build(kit_model* model);

#endif
