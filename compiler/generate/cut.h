// SPDX-License-Identifier: MIT
#ifndef HEMC_GEN_CUT_H
#define HEMC_GEN_CUT_H

// The three steps of the cut generator: where the planes lie (levels.c), how many particles each contour gets and in
// which column (columns.c), and particles and links (cut.c, which also tells the whole story).

#include "compiler/generate/generate.h"

// -- Levels

typedef struct hemc_levels {
    uint32_t count;
    double* height;
    uint32_t* starts; // [count + 1] into triangles
    uint32_t* triangles;
} hemc_levels;

hemc_levels hemc_find_levels(hemc_slicer* slicer);

// -- Courses: a contour with its particles, as a knitter calls one round

typedef struct hemc_column {
    double key; // order around the tree
    uint32_t tree;
    int32_t number;
} hemc_column;

typedef struct hemc_course {
    const hemc_contour* contour;
    hemc_kd kd; // its points
    hemc_vec3* kd_points;
    bool reversed;
    int32_t parent; // course, in the forest
    int32_t child;  // the child with the largest overlap, for looking ahead
    double child_weight;
    uint32_t tree;
    bool placed;
    uint32_t count;
    double* at;         // stations, ascending
    uint32_t* columns;  // per particle
    uint32_t* accepted; // per particle: index of the particle, or UINT32_MAX
} hemc_course;

typedef struct hemc_overlap {
    uint32_t low, high; // courses
    double weight;      // metres
} hemc_overlap;

typedef struct hemc_cut {
    hemc_gen* gen;
    hemc_course* courses;
    uint32_t course_count;
    uint32_t* level_starts; // [level_count + 1] courses of each level
    uint32_t level_count;
    hemc_overlap* overlaps; // sorted by (low, high)
    size_t overlap_count, overlap_capacity;
    hemc_bvh bvh;           // the whole surface
    hemc_kd* level_kd;      // per level: the points of all its contours
    uint32_t** level_owner; // their courses
    hemc_column* columns;
    size_t column_count, column_capacity;
    double* periods;  // per tree: keys of a closed root wrap here; 0 = open
    double* key_tops; // per tree: above every key
} hemc_cut;

// Fills in courses from the contours, which are in order of level; level_starts and level_count must be set.
void hemc_place_courses(hemc_cut* c, const hemc_contours* contours);
// Station along the course's own direction -> point and normal.
void hemc_course_point(const hemc_course* r, double t, hemc_d3* point, hemc_d3* normal);
bool hemc_courses_overlap(const hemc_cut* c, uint32_t a, uint32_t b);

#endif
