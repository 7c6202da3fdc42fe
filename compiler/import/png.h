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

// The same for a JPEG, which begins with ff d8 (jpeg.c).
const char* hemc_jpeg_read(hemc_arena* arena, const uint8_t* bytes, size_t size, hemc_png* out);

#endif
