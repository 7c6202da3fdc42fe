// SPDX-License-Identifier: MIT
#ifndef HEMC_FABRIC_H
#define HEMC_FABRIC_H

// Cloth as a stuff: what a material says in units of its own, and what becomes of it on a mesh.

#include "compiler/hemc_internal.h"

#define HEMC_GRAVITY 9.81 // m/s^2, by which a bending length is a rigidity

// N m: a strip's bending rigidity per width, from the length by which cloth of this weight (kg/m^2) holds itself out
// (Peirce 1930: length^3 = rigidity / weight per area).
double hemc_bending_rigidity(double length, double density);

// The tuning of a part that is made of a material: compliances of the stuff itself. The links of its weave say who is whose
// neighbour, and pull no more.
void hemc_fabric_tuning(const hemc_fabric* fabric, double density, double spacing, hem_tuning* tuning);

// Triangles and bending edges of the parts that have a fabric, from the weave; after the links were measured. Tethers become
// longer by what the stuff gives under its own weight.
void hemc_fabric_make(hemc_arena* arena, hemc_mesh* mesh);

// The cells of one part's weave as triangles, each halved by one diagonal; their sense is not the same. Returns how many.
size_t hemc_weave_faces(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, uint32_t (**faces)[3]);

#endif
