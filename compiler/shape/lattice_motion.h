// SPDX-License-Identifier: MIT
#ifndef HEMC_LATTICE_MOTION_H
#define HEMC_LATTICE_MOTION_H

#include "compiler/shape/cells.h"

// Fills the clips of each lattice that its recipe asks for, from text files or by hemc_inverse. After hemc_maps.
bool hemc_lattice_motion(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                         hemc_mesh* mesh);

// How the lattice is turned at each particle, against its rest shape: the rotation of the linear map that fits its cells'
// corners best. turns holds guesses, unit; moments is room to work in.
void hemc_lattice_turns(const hemc_lattice* lattice, uint32_t count, const hemc_vec3* places, double (*moments)[3][3],
                        double (*turns)[4]);

#endif
