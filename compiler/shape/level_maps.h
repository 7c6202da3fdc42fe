// SPDX-License-Identifier: MIT
#ifndef HEMC_LEVEL_MAPS_H
#define HEMC_LEVEL_MAPS_H

#include "compiler/hemc_internal.h"

// Per row of `to`: which particles of `from` move it. Two levels of one model, with the same parts.
hem_level_row* hemc_level_map(hemc_arena* arena, const hemc_model* model, const hemc_mesh* to,
                              const hemc_layout* to_layout, const hemc_mesh* from, const hemc_layout* from_layout);

#endif
