// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PALETTE_H
#define HEM_TOOLS_PALETTE_H

#include "tools/image.h"

enum { PALETTE_MAX = 255 };

typedef struct palette {
    int32_t count;
    uint8_t rgb[PALETTE_MAX][3];
    uint16_t* nearest; // the nearest entry for each colour of seven bits a channel, found when first asked for
} palette;

// Chooses at most PALETTE_MAX colours for all images together. Returns false if there is no memory.
bool palette_build(palette* p, const image* images, int32_t image_count);
void palette_destroy(palette* p);

// The index of the entry for each pixel. A faint fixed pattern hides the steps in smooth gradients; it depends on the
// place alone, so what stands still in a film keeps its index.
void palette_apply(palette* p, const image* im, uint8_t* indices);

#endif
