// SPDX-License-Identifier: MIT
#ifndef HEMC_GEN_CUT_H
#define HEMC_GEN_CUT_H

// The three steps of the cut generator: where the planes lie (gen_levels.c), how many particles each chain gets and in
// which column (gen_rows.c), and particles and links (gen_cut.c, which also tells the whole story).

#include "compiler/generate.h"

// -- Levels

typedef struct hemc_levels {
    uint32_t count;
    double* height;
    uint32_t* starts; // [count + 1] into triangles
    uint32_t* triangles;
} hemc_levels;

hemc_levels hemc_find_levels(hemc_slicer* slicer);

// -- Rows: a chain with its particles

typedef struct hemc_column {
    double key; // order around the tree
    uint32_t tree;
    int32_t number;
} hemc_column;

typedef struct hemc_row {
    const hemc_chain* chain;
    hemc_kd kd; // its points
    hemc_vec3* kd_points;
    bool reversed;
    int32_t parent; // row, in the forest
    int32_t child;  // the child with the largest overlap, for looking ahead
    double child_weight;
    uint32_t tree;
    bool placed;
    uint32_t count;
    double* at;         // stations, ascending
    uint32_t* columns;  // per particle
    uint32_t* accepted; // per particle: index of the particle, or UINT32_MAX
} hemc_row;

typedef struct hemc_overlap {
    uint32_t low, high; // rows
    double weight;      // metres
} hemc_overlap;

typedef struct hemc_cut {
    hemc_gen* gen;
    hemc_row* rows;
    uint32_t row_count;
    uint32_t* level_starts; // [level_count + 1] rows of each level
    uint32_t level_count;
    hemc_overlap* overlaps; // sorted by (low, high)
    size_t overlap_count, overlap_capacity;
    hemc_bvh bvh;           // the whole surface
    hemc_kd* level_kd;      // per level: the points of all its chains
    uint32_t** level_owner; // their rows
    hemc_column* columns;
    size_t column_count, column_capacity;
    double* periods;  // per tree: keys of a closed root wrap here; 0 = open
    double* key_tops; // per tree: above every key
} hemc_cut;

// Fills in rows from the chains, which are in order of level; level_starts and level_count must be set.
void hemc_place_rows(hemc_cut* c, const hemc_chains* chains);
// Station along the row's own direction -> point and normal.
void hemc_row_point(const hemc_row* r, double t, hemc_d3* point, hemc_d3* normal);
bool hemc_rows_overlap(const hemc_cut* c, uint32_t a, uint32_t b);

#endif
