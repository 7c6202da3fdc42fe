// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_FONT_H
#define HEM_TOOLS_FONT_H

// A small stroke font of our own: printable ASCII and the few signs that units need (µ ° × · ² ± –). Text is UTF-8; a
// character the font lacks is drawn as a question mark. Sizes are the height of a capital letter, in pixels.

#include "tools/image.h"

typedef enum font_align { FONT_LEFT, FONT_CENTRE, FONT_RIGHT } font_align;

// The width of a line of text, in pixels.
float font_width(const char* text, float size);

// Draws one line with its baseline at y. `x` is the left end, the middle or the right end.
void font_draw(image* im, const char* text, float x, float y, float size, font_align align, image_colour colour);

// The same, turned a quarter to the left: the text runs upwards along x.
void font_draw_upward(image* im, const char* text, float x, float y, float size, font_align align, image_colour colour);

#endif
