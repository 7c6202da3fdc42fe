// SPDX-License-Identifier: MIT
#ifndef HEMC_INVERSE_H
#define HEMC_INVERSE_H

// From an animated mesh to the lattice that moves it best (Sullivan, 5.3).

#include "compiler/shape/cells.h"

typedef struct hemc_inverse hemc_inverse;

// What depends on the rest shape alone, once: which vertices each cell learns from, and the inverse of their moments.
// positions: vertex_count places at rest. NULL when the whole mesh lies in a plane: nothing tells what is across it.
hemc_inverse* hemc_inverse_make(hemc_arena* arena, const hemc_lattice* lattice, uint32_t particle_count,
                                const hemc_vec3* positions, uint32_t vertex_count);

// One frame: places of the vertices to places of the particles.
void hemc_inverse_frame(hemc_inverse* inverse, const hemc_vec3* positions, hemc_vec3* particles);

typedef struct hemc_inverse_error {
    double worst, mean; // metres, between the vertices and where the lattice has them
    uint32_t vertex;    // the worst
} hemc_inverse_error;

hemc_inverse_error hemc_inverse_measure(const hemc_inverse* inverse, const hemc_vec3* positions,
                                        const hemc_vec3* particles);

#endif
