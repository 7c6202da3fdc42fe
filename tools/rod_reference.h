// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_ROD_REFERENCE_H
#define HEM_TOOLS_ROD_REFERENCE_H

// One strand as a rod, in double precision, with the same energies as runtime/src/kernels/rods.inl, by Runge and Kutta's fourth order with
// small steps: what a rod of the runtime is compared with. Its root is held.

#include "formats/hem_format.h"

enum { ROD_REFERENCE_MOST = 64 };

typedef struct rod_vector {
    double x, y, z;
} rod_vector;

typedef struct rod_rotation {
    double x, y, z, w;
} rod_rotation;

rod_rotation rod_mul(rod_rotation a, rod_rotation b); // first b, then a
rod_rotation rod_conjugate(rod_rotation a);

typedef struct rod_reference {
    uint32_t count;
    double gravity;                                               // m/s^2, along -y
    double mass[ROD_REFERENCE_MOST], inertia[ROD_REFERENCE_MOST]; // kg, kg m^2
    double stretch[ROD_REFERENCE_MOST];                           // N/m
    double bend[ROD_REFERENCE_MOST], twist[ROD_REFERENCE_MOST];   // N m of a joint
    rod_vector edge[ROD_REFERENCE_MOST];                          // to the next one at rest, in its own frame
    rod_vector x[ROD_REFERENCE_MOST], v[ROD_REFERENCE_MOST], w[ROD_REFERENCE_MOST];
    rod_rotation q[ROD_REFERENCE_MOST];
} rod_reference;

// Member k as a lane of the asset has it, standing at x with no turn.
void rod_reference_set(rod_reference* r, uint32_t k, const hem_rod* rod, uint32_t lane, double mass, rod_vector x);

// Drag in 1/s, h in seconds.
void rod_reference_step(rod_reference* r, double drag, double h);

#endif
