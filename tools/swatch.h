// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_SWATCH_H
#define HEM_TOOLS_SWATCH_H

// A piece of cloth in a testing machine: a grid of one material, some of it clamped, let go under gravity until it rests.

#include "compiler/hemc.h"
#include "tools/asset.h"
#include "tools/image.h"

typedef struct swatch_def {
    const hemc_material* material;
    int32_t columns, rows; // particles along x and along the way down
    float spacing;         // metres
    bool along_weft;       // the rows go along weft, not warp
    bool lying;            // in the plane of x and z, else of x and y
    bool isometric;
    float disc;         // metres: only what is within this radius of the middle; 0 = all of it
    float support;      // metres: what is within this radius of the middle is clamped; 0 = none
    int32_t clamped;    // rows from the top that are clamped
    bool tethers;       // each to the last clamped particle of its column
    float damping;      // 1/s
    int32_t iterations; // 0 = as the compiler says
    float hz;           // frames a second
    float gravity[3];   // m/s^2
    float substep_hz;   // 0 = as a game's
} swatch_def;

typedef struct swatch {
    swatch_def def;
    asset a;
    int32_t count;  // particles; 0 = it could not be made
    int32_t* place; // row * columns + column of each
    int32_t* slot;  // of each: its particle in the asset
    float (*start)[3];
    float (*now)[3];
    double seconds; // simulated
    double speed;   // of the fastest at the end, m/s
    bool good;      // made, and finite to the end
} swatch;

// Makes it and lets it hang for at most so many seconds, less when nothing moves faster than 0.1 mm/s any more.
void swatch_hang(swatch* s, const swatch_def* def, double seconds);
void swatch_free(swatch* s);
// The particle of a row and column, -1 = none.
int32_t swatch_at(const swatch* s, int32_t row, int32_t column);
// The cell below and beside that as triangles: two, one where a corner is missing, or none. Returns how many.
int32_t swatch_cell(const swatch* s, int32_t row, int32_t column, int32_t corners[6]);
// Mean of a coordinate over a row.
double swatch_row_mean(const swatch* s, int32_t row, int32_t axis);

// What a length of overhang says about the bending length, from the slope of the line to its tip (Peirce 1930).
double swatch_bending_length(double overhang, double slope_radians);
// Area of the shadow from above, m^2.
double swatch_shadow(const swatch* s);
// How it lies, from above and before it, with a line of text (swatch_picture.c). The caller destroys the image.
image swatch_picture(const swatch* s, const char* caption, image_colour colour, int32_t width, int32_t height);

#endif
