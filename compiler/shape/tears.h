// SPDX-License-Identifier: MIT
#ifndef HEMC_TEARS_H
#define HEMC_TEARS_H

#include "compiler/hemc_internal.h"

// What is drawn of a lattice where it is torn: faces, points, closing surfaces and triangles, into lattice->tears.
// surfaces: one per part of the recipe.
bool hemc_tears(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                const hemc_surface* surfaces, hemc_mesh* mesh);
// Of a lattice that nothing is drawn of: faces alone.
void hemc_tear_faces(hemc_arena* arena, hemc_lattice* lattice);

#endif
