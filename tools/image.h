// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_IMAGE_H
#define HEM_TOOLS_IMAGE_H

// An image: RGBA, eight bits a channel, sRGB, rows from the top, no padding. Everything the tools draw ends here.
//
// Drawing is "coverage first": a stroke of any number of segments is turned into one mask of how much of each pixel it
// covers, then blended once. So joints do not darken and thin lines keep their weight at any angle.

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

typedef struct image {
    int32_t width, height;
    uint8_t* pixels; // 4 * width * height bytes
} image;

// A colour as it is written down: 0xRRGGBBAA, sRGB.
typedef uint32_t image_colour;

#define IMAGE_INK 0x2b2a28ffu
#define IMAGE_MUTED 0x6f6b66ffu
#define IMAGE_FAINT 0xd9d5cfffu
#define IMAGE_PAPER 0xfbfaf8ffu

// Returns an image filled with `fill`, or one with pixels == NULL if there is no memory or a side is out of 1..32768.
image image_create(int32_t width, int32_t height, image_colour fill);
void image_destroy(image* im);

// Copies `from` into `to` with its top left corner at (x, y); what falls outside is cut.
void image_copy(image* to, const image* from, int32_t x, int32_t y);
void image_fill_rect(image* im, int32_t x, int32_t y, int32_t width, int32_t height, image_colour colour);

// A path of points (x, y pairs, in pixels, pixel centres at .5). Consecutive points are joined; a new part starts where
// `starts` has a 1 (starts == NULL: one part). Drawn with round ends and joints, `width` pixels wide.
void image_stroke(image* im, const float* points, const uint8_t* starts, int32_t point_count, float width,
                  image_colour colour);
void image_line(image* im, float x0, float y0, float x1, float y1, float width, image_colour colour);
void image_disc(image* im, float x, float y, float radius, image_colour colour);

// A closed polygon without self-crossings, filled, antialiased.
void image_polygon(image* im, const float* points, int32_t point_count, image_colour colour);

#endif
