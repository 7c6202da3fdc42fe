// SPDX-License-Identifier: MIT
#ifndef HEMC_PNG_H
#define HEMC_PNG_H

#include "compiler/hemc_internal.h"

enum { HEMC_PNG_SIDE = 256 };

// A PNG, made smaller to at most HEMC_PNG_SIDE texels a side; sRGB, rows from the top.
typedef struct hemc_png {
    uint32_t width, height;
    uint8_t (*texels)[3];
} hemc_png;

// NULL, or what is wrong with it as the rest of a sentence.
const char* hemc_png_read(hemc_arena* arena, const uint8_t* bytes, size_t size, hemc_png* out);

// Every pixel's first sample, 0 to 65535 whatever its depth; where the picture is transparent, HEMC_PNG_HOLE.
#define HEMC_PNG_HOLE UINT32_MAX
typedef struct hemc_png_heights {
    uint32_t width, height;
    uint32_t* samples;
} hemc_png_heights;

const char* hemc_png_read_heights(hemc_arena* arena, const uint8_t* bytes, size_t size, hemc_png_heights* out);

// As hemc_png_read for a JPEG, which begins with ff d8 (jpeg.c).
const char* hemc_jpeg_read(hemc_arena* arena, const uint8_t* bytes, size_t size, hemc_png* out);

#endif
