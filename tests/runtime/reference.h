// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_RUNTIME_REFERENCE_H
#define HEM_TESTS_RUNTIME_REFERENCE_H

// A second implementation to compare with, in double precision and without a trick: particles, forces as a list of functions
// that add to a force each, springs among them, and integrators that know nothing but how to ask for the derivative.

#include <stdint.h>

#define REFERENCE_LIMIT 64 // particles

typedef struct reference_spring { // damped; b below 0 = tied to the point `anchor`
    int a, b;
    double anchor[3];
    double stiffness, damping, rest;
} reference_spring;

typedef struct reference_system {
    int count;
    double x[REFERENCE_LIMIT][3], v[REFERENCE_LIMIT][3];
    double mass[REFERENCE_LIMIT];
    double gravity[3]; // m/s^2
    double drag;       // N s/m, of each particle
    const reference_spring* springs;
    int spring_count;
} reference_system;

typedef void reference_integrator(reference_system* s, double h);

void reference_euler(reference_system* s, double h);          // explicit, order 1
void reference_midpoint(reference_system* s, double h);       // explicit, order 2
void reference_runge_kutta(reference_system* s, double h);    // the classical one, order 4
void reference_implicit_euler(reference_system* s, double h); // Newton to convergence, order 1

void reference_run(reference_system* s, reference_integrator* integrator, double h, int steps);
double reference_energy(const reference_system* s); // of motion, place and springs, J

#endif
