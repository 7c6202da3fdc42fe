// SPDX-License-Identifier: MIT
#ifndef HEMC_GENERATE_SECTION_H
#define HEMC_GENERATE_SECTION_H

// Between the two halves of a cut: section.c finds the lines in which a plane meets the surface, contour.c makes of them
// one contour per layer of cloth.

#include "compiler/generate/generate.h"

typedef struct hemc_raw_contour {
    bool closed;
    uint32_t count;
    hemc_d3* points;
    hemc_d3* normals; // not unit
    double length;
    uint32_t seed;
    bool cut_begin, cut_end;
} hemc_raw_contour;

double hemc_raw_length(const hemc_raw_contour* contour);

// contour.c: appends what is left of the lines of one plane.
void hemc_contours_add(hemc_slicer* slicer, uint32_t level, hemc_raw_contour* raw, uint32_t count,
                       hemc_contours* contours);

#endif
