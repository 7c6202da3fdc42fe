// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_TRIANGULATE_H
#define HEM_RUNTIME_TRIANGULATE_H

// A constrained Delaunay triangulation of one triangular face, in fixed room: what a face of cloth becomes when points and
// edges of a mesh are pressed into it (seed 002, section 5).
//
// Points are barycentric coordinates in whole units of 2^-20, so a point on a side of the face lies exactly on it, and
// every question (which side, in the circle) is answered by whole numbers: right, and equal on every machine. The
// shape of the face enters as three whole numbers, the squares and the product of two of its sides.
//
//   hemi_cdt_begin, then hemi_cdt_add and hemi_cdt_join in any order; the triangulation is valid after each.

#include "platform/base.h"

#define HEMI_CDT_POINTS 96 // the face's corners are 0, 1 and 2
#define HEMI_CDT_TRIANGLES (2 * HEMI_CDT_POINTS)
#define HEMI_CDT_ONE (1 << 20)
#define HEMI_CDT_NONE 255

typedef struct hemi_cdt_point {
    int32_t u, v; // weights of corners 1 and 2; corner 0 has the rest
} hemi_cdt_point;

typedef struct hemi_cdt {
    int32_t uu, uv, vv; // the metric
    uint32_t point_count, triangle_count;
    hemi_cdt_point point[HEMI_CDT_POINTS];
    uint8_t corner[HEMI_CDT_TRIANGLES][3]; // counter-clockwise in (u, v)
    uint8_t across[HEMI_CDT_TRIANGLES]
                  [3];                 // triangle behind the side from this corner to the next, HEMI_CDT_NONE = none
    uint8_t fixed[HEMI_CDT_TRIANGLES]; // bit k: that side is one that was joined
} hemi_cdt;

// The face alone. Its corners give the shape only; a face without area counts as equilateral.
void hemi_cdt_begin(hemi_cdt* t, const float corners[3][3]);
// The index of the point, which may have been there before; HEMI_CDT_NONE = outside of the face, or no room.
uint32_t hemi_cdt_add(hemi_cdt* t, int32_t u, int32_t v);
// The segment between two points becomes sides of triangles, in pieces where other points lie on it. 0 = not done, since it
// crosses one that was joined before, and nothing has changed. Points added later split it.
int hemi_cdt_join(hemi_cdt* t, uint32_t a, uint32_t b);
// With a height for each point: sides that were not joined are flipped while that raises the surface, which is then convex wherever
// a flip could have made it so. No longer Delaunay.
void hemi_cdt_raise(hemi_cdt* t, const float* height);

#endif
