// SPDX-License-Identifier: MIT
#include "samples/kit_samples.h"

const kit_sample kit_samples[] = {
    {"cape_girl", cape_girl_build},
    {"robe", robe_build},
    {"somersault", somersault_build},
    {"monster", monster_build},
    {"hair", hair_build},
    {"octopus", octopus_build},
    {"jelly", jelly_build},
    {"penguins", penguins_build},
    {"curls", curls_build},
    {"flag", flag_build},
    {"sheet_over_ball", sheet_over_ball_build},
    {"sheet_over_table", sheet_over_table_build},
    {"crossing_sheets", crossing_sheets_build},
    {"held_sheet", held_sheet_build},
    {"duck", duck_build},
    {"drape_box", drape_box_build},
    {"drape_round", drape_round_build},
    {"drape_square", drape_square_build},
    {"drape_square_fine", drape_square_fine_build},
    {"drape_ball", drape_ball_build},
    {"drape_horse", drape_horse_build},
    {"drape_stairs", drape_stairs_build},
};

const int32_t kit_sample_count = (int32_t)(sizeof kit_samples / sizeof kit_samples[0]);

const kit_sample kit_large_samples[] = {
    {"short_hair", short_hair_build},
    {"long_hair", long_hair_build},
};

const int32_t kit_large_sample_count = (int32_t)(sizeof kit_large_samples / sizeof kit_large_samples[0]);
