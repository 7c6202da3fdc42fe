// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_SECTION_H
#define HEM_TOOLS_SECTION_H

// Cuts through a character: the mesh as lines, the particles as the ellipses in which a plane meets them.

#include "tools/puppet.h"

typedef struct section {
    int32_t axis; // the plane is where this coordinate (0 x, 1 y, 2 z) has the value `at`
    float at;
    int32_t across, up;    // the coordinates shown to the right and upwards
    float across_sign;     // so that x runs to the right as seen from the positive side of the axis
    float low[2], high[2]; // what is shown, metres
    int32_t part;          // only this part's particles and links; -1: all
} section;

// Along y: seen from above, the front at the bottom. Along x: from the side. Along z: from the front.
section section_make(int32_t axis, float at);

// Grows the shown rectangle by everything that the plane cuts. Returns false when it cuts nothing.
bool section_fit(section* s, const puppet* p, float margin);

// Shows a square around a point instead.
void section_look(section* s, const float position[3], float reach);

// Picture size for a width that keeps the proportions of the rectangle.
int32_t section_height(const section* s, int32_t width);
void section_point(const section* s, const image* im, const float position[3], float* x, float* y);
float section_scale(const section* s, const image* im); // pixels a metre

void section_draw_mesh(const section* s, const puppet* p, image* im); // black skeleton, green particles
void section_draw_particles(const section* s, const puppet* p, float alpha, image* im); // ellipses by role
void section_draw_links(const section* s, const puppet* p, float reach,
                        image* im); // both ends within reach of the plane

// The spheres that stand for surface particles (section 5.2), and the directions in which they push.
void section_draw_field(const section* s, const puppet* p, float step, image* im);

#endif
