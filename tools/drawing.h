// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_DRAWING_H
#define HEM_TOOLS_DRAWING_H

// A render_scene that grows: things are added one by one, then drawn together. Meshes given by the caller stay the
// caller's; boxes, hulls and arrows are built here. A failed allocation is remembered in `failed`.

#include "tools/render.h"

typedef struct drawing {
    render_mesh* meshes;
    int32_t mesh_count, mesh_capacity;
    render_ellipsoid* ellipsoids;
    int32_t ellipsoid_count, ellipsoid_capacity;
    render_cone* cones;
    int32_t cone_count, cone_capacity;
    void** owned; // vertex and index arrays of meshes made here
    int32_t owned_count, owned_capacity;
    bool failed;
} drawing;

void drawing_clear(drawing* d); // keeps the room for the next frame
void drawing_destroy(drawing* d);

void drawing_mesh(drawing* d, const render_mesh* mesh);
void drawing_ellipsoid(drawing* d, const float position[3], const float rotation[4], const float radii[3],
                       image_colour colour);
void drawing_ball(drawing* d, const float position[3], float radius, image_colour colour);
// A tube between two points; radius in metres, but at least pixels_min wide in the picture.
void drawing_link(drawing* d, const float a[3], const float b[3], float radius, float pixels_min, image_colour colour);
// A strand of hair: thin tapered tubes from root to tip, `pixels_min` of both as above.
void drawing_strand(drawing* d, const float (*points)[3], int32_t count, float radius_root, float radius_tip,
                    float pixels_min, image_colour root, image_colour tip);
void drawing_capsule(drawing* d, const float a[3], const float b[3], float radius_a, float radius_b,
                     image_colour colour);
void drawing_arrow(drawing* d, const float from[3], const float to[3], float radius, image_colour colour);
void drawing_box(drawing* d, const float position[3], const float rotation[4], const float half[3],
                 image_colour colour);
// The convex body of all points with dot(n, p) <= d for every plane (n.x n.y n.z d), cut to `reach` metres around the
// origin of the planes; then turned and moved.
void drawing_hull(drawing* d, const float position[3], const float rotation[4], const float (*planes)[4],
                  int32_t plane_count, float reach, image_colour colour);

// Hands the arrays to a scene made by render_scene_default.
void drawing_fill(const drawing* d, render_scene* scene);

#endif
