// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_RENDER_H
#define HEM_TOOLS_RENDER_H

// A small software renderer for pictures of characters: smooth triangle meshes, ellipsoids and round cones (links, bones,
// capsules) on a softly lit ground. Metres, Y up, right-handed, as glTF has it.
//
// The scene is plain arrays that the caller owns for the length of the call. The picture depends on its inputs alone:
// thread count, machine and compiler do not change a byte.

#include "tools/image.h"

// Anything with alpha below 255 is translucent: drawn after the opaque things, farthest first, nearest surface only.
typedef struct render_mesh {
    const float* positions;  // x y z per vertex
    const float* normals;    // x y z per vertex, any length; NULL: flat triangles
    const uint8_t* colours;  // r g b a per vertex, sRGB, times `colour`; alpha is not read; NULL: white
    const uint32_t* indices; // three per triangle; those out of range are left out
    int32_t vertex_count;
    int32_t triangle_count;
    image_colour colour;
    float gloss; // strength of the highlight; 0 is cloth, 0.5 leather
    uint32_t flags;
} render_mesh;

typedef struct render_ellipsoid {
    float position[3];
    float rotation[4]; // unit quaternion x y z w
    float radii[3];
    image_colour colour;
    float gloss;
    uint32_t flags;
} render_ellipsoid;

// The hull of two balls: a link, a bone, a tapered capsule. `pixels_min` keeps thin things visible: neither radius falls
// below that many pixels.
typedef struct render_cone {
    float a[3], b[3];
    float radius_a, radius_b;
    float pixels_min;
    image_colour colour_a, colour_b;
    uint32_t flags;
} render_cone;

enum {
    RENDER_NO_SHADOW = 1, // casts none
    RENDER_UNLIT = 2,     // shown in its plain colour
};

typedef struct render_stage {
    float min[3], max[3];    // what the light and the ground must reach; empty (min > max): the scene's own bounds.
                             // Films give the box of all their frames, so that nothing flickers
    image_colour sky, floor; // background at the top and at the bottom of the picture
    bool ground;             // a ground that takes shadows and fades into the background
    float ground_height;     // its Y
    float grid_spacing;      // metres between the faint lines; 0: none
    float key_direction[3];  // towards the main light, any length
    bool key_follows_camera; // key_direction is relative to the camera: x right, y up, z towards it
    int32_t dome_count;      // directions of the sky that cast soft ambient shadow: 0 (none) to 32
    int32_t shadow_size;     // side of the main light's shadow map, in texels: 64 to 4096
} render_stage;

typedef struct render_scene {
    const render_mesh* meshes;
    int32_t mesh_count;
    const render_ellipsoid* ellipsoids;
    int32_t ellipsoid_count;
    const render_cone* cones;
    int32_t cone_count;
    render_stage stage;
    int32_t thread_count; // 0: as many as the machine has
} render_scene;

typedef struct render_camera {
    float eye[3], target[3], up[3];
    float focal; // 1 / tan(half the vertical field of view); 3 is a portrait lens
} render_camera;

render_scene render_scene_default(void);

// Places a camera that looks along `direction` (from the eye into the scene) and sees the whole box with `margin` (0.05 is
// a twentieth of the picture) to spare on the tightest side.
render_camera render_camera_frame(const float box_min[3], const float box_max[3], const float direction[3], float focal,
                                  float margin, int32_t width, int32_t height);

// The axes of a picture that looks along `direction`: right, up, forward; unit vectors.
void render_view_axes(const float direction[3], float axes[3][3]);

// As render_camera_frame, for a box along those axes: low and high are the least and largest dot products with them. Of
// things seen at an angle it is much tighter than a box along the axes of the world.
render_camera render_camera_frame_view(const float low[3], const float high[3], const float direction[3], float focal,
                                       float margin, int32_t width, int32_t height);

// Where a point lands in a picture of that size. Returns false if it lies behind the camera.
bool render_camera_project(const render_camera* camera, int32_t width, int32_t height, const float point[3], float* x,
                           float* y);

// Grows a box (min, max) by points with the given stride in bytes. Start from min = +big, max = -big: render_box_empty.
void render_box_empty(float box_min[3], float box_max[3]);
void render_box_add(float box_min[3], float box_max[3], const float* positions, int32_t count, size_t stride);

// Draws. The caller destroys the image. pixels == NULL if there is no memory or the size is out of range.
image render_image(const render_scene* scene, const render_camera* camera, int32_t width, int32_t height);

#endif
