// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_COLOUR_H
#define HEM_TOOLS_COLOUR_H

// Colours between the eye (sRGB bytes) and the light (linear floats), and the maps that turn numbers into colours.
// Tables and square roots stand in for the standard's powers, so that pictures do not depend on a machine's pow.

#include "tools/image.h"
#include "tools/vec3.h"

extern const float COLOUR_LINEAR[256]; // of an sRGB byte

// 0..1 to 0..1. A sum of roots, within half a step of a byte of the standard's power.
static inline float colour_from_linear(float x) {
    if (x < 0.0031308f) {
        return x > 0.0f ? 12.92f * x : 0.0f;
    }
    float a = sqrtf(x), b = sqrtf(a), c = sqrtf(b);
    return 0.662002687f * a + 0.684122060f * b - 0.323583601f * c - 0.0225411470f * x;
}

// 0xRRGGBBAA to linear RGB; alpha is left out.
vec3 colour_linear(image_colour colour);
image_colour colour_mix(image_colour a, image_colour b, float t);
image_colour colour_with_alpha(image_colour colour, float alpha);

typedef enum colour_map {
    COLOUR_MAP_HEAT,    // 0 calm grey-blue, through yellow, 1 red: cost, penetration, speed
    COLOUR_MAP_STRETCH, // 0 blue (short), 0.5 near white, 1 red (long)
} colour_map;

// t outside 0..1 takes the end's colour; NaN takes a loud magenta, since it must never be overlooked.
image_colour colour_from_map(colour_map map, float t);

// Distinct colours for parts, series and roles: index 0, 1, 2... repeating after COLOUR_SERIES_COUNT.
enum { COLOUR_SERIES_COUNT = 8 };
image_colour colour_series(int32_t index);

#endif
