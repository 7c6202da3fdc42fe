// SPDX-License-Identifier: MIT
#ifndef GEN_KIT_H
#define GEN_KIT_H

// Surfaces from formulas, for tests of the generators: a growing list of triangles, welded into a hemc_surface, and a
// recipe to go with it.

#include "compiler/generate/generate.h"

typedef struct gen_kit {
    hemc_arena* arena;
    hemc_log log;
    hemc_model model; // one primitive, one bone
    int32_t* owner;   // per triangle
    size_t position_capacity, triangle_capacity, owner_capacity;
    hemc_part_recipe part;
    hemc_surface surface;
    hemc_particles particles;
} gen_kit;

typedef hemc_d3 (*gen_formula)(double u, double v); // 0..1

void gen_begin(gen_kit* kit, double spacing);
void gen_end(gen_kit* kit);
uint32_t gen_vertex(gen_kit* kit, hemc_d3 p);
void gen_triangle(gen_kit* kit, uint32_t a, uint32_t b, uint32_t c, int32_t owner);
// Quads, each split in two; flip turns the sides.
void gen_grid(gen_kit* kit, int columns, int rows, gen_formula formula, bool flip, int32_t owner);
// Fills in what import would: bones, weights, normals. Call after the last triangle.
void gen_model(gen_kit* kit);
// Welds owner 0 and generates. False = an error was logged.
bool gen_run(gen_kit* kit);

typedef struct gen_quality {
    uint32_t inner, regular;  // inner: two weft links and neither on the first nor on the last level
    uint32_t loose;           // without a link
    uint32_t wrong;           // links that are neither weft within a level nor warp to the next
    uint32_t pieces;          // connected
    double shortest, longest; // links / spacing
    double nearest;           // particles of one level / spacing
} gen_quality;

gen_quality gen_measure(const gen_kit* kit);
// Largest distance between particles of the same index, after `move` has been applied to a's. Negative: counts differ.
double gen_difference(const hemc_particles* a, const hemc_particles* b, hemc_d3 (*move)(hemc_d3));
// The same, whatever the order: each particle of a to the nearest of b.
double gen_set_difference(const hemc_particles* a, const hemc_particles* b, hemc_d3 (*move)(hemc_d3));

#endif
