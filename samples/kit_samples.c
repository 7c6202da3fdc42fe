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
    {"curls", curls_build},
    {"flag", flag_build},
    {"sheet_over_ball", sheet_over_ball_build},
    {"sheet_over_table", sheet_over_table_build},
    {"crossing_sheets", crossing_sheets_build},
    {"held_sheet", held_sheet_build},
    {"duck", duck_build},
};

const int32_t kit_sample_count = (int32_t)(sizeof kit_samples / sizeof kit_samples[0]);
