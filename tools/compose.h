// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_COMPOSE_H
#define HEM_TOOLS_COMPOSE_H

// Pictures put together: strips of frames, two runs side by side, sheets, and the legend of a colour map.

#include "tools/colour.h"
#include "tools/image.h"

typedef struct compose_page {
    const char* title;            // NULL: none
    const char* note;             // one line under the title; NULL: none
    const image* images;          // all of one size; pixels == NULL leaves a gap
    const char* const* captions;  // one per image, entries may be NULL; or NULL
    const char* const* row_names; // one per row, written upwards at the left; or NULL
    int32_t image_count;
    int32_t columns;
} compose_page;

// Images in rows. pixels == NULL: no memory.
image compose_grid(const compose_page* page);

// A colour bar with its ends and middle written under it; `width` pixels wide, about 34 high, top left at (x, y).
void compose_legend(image* im, int32_t x, int32_t y, int32_t width, const char* title, colour_map map, const char* low,
                    const char* middle, const char* high);

// Coloured dots with names, one under another from (x, y). Returns the y below the last.
int32_t compose_key(image* im, int32_t x, int32_t y, const char* const* names, const image_colour* colours,
                    int32_t count);

// A line of text on a quiet plate in the top left corner, for film frames.
void compose_caption(image* im, const char* text);

#endif
