// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_SHADE_H
#define HEM_TOOLS_SHADE_H

// Light: what colour a point of a surface, the ground or the background has, in linear RGB.

#include "tools/raster.h"
#include "tools/shadow.h"

enum { SHADE_DOME_MAX = 32, SHADE_FLOOR_SIZE = 160 };

typedef struct shade_point {
    vec3 position;
    vec3 normal; // unit, towards the viewer
    vec3 colour; // linear
    float gloss;
    bool unlit;
} shade_point;

typedef struct shader {
    const render_scene* scene;
    const raster* raster;
    vec3 stage_centre;
    float stage_radius;
    float ground_height;
    vec3 to_key, to_fill;
    shadow_map key;
    ground_shadow ground;
    bool ground_visible;
    shadow_map dome[SHADE_DOME_MAX];
    vec3 to_dome[SHADE_DOME_MAX];
    int32_t dome_count;
    float floor_sky[SHADE_FLOOR_SIZE * SHADE_FLOOR_SIZE]; // share of the sky seen from the ground, around the stage
    vec3 sky, floor;                                      // linear background
} shader;

// Lays out the lights. The maps are drawn one by one with shader_prepare_map, 0 <= index < shader_map_count, in any order
// and on any thread.
void shader_create(shader* s, const render_scene* scene, const raster* r);
int32_t shader_map_count(const shader* s);
bool shader_prepare_map(shader* s, int32_t index);
// Then the light on the ground, row by row, 0 <= row < SHADE_FLOOR_SIZE.
void shader_prepare_floor(shader* s, int32_t row);
void shader_destroy(shader* s);

// The surface of an item where the ray through (x, y) meets it. Near an outline the ray may just miss; then the nearest
// point of the item is taken.
shade_point shade_find_surface(const shader* s, int32_t item, float x, float y);
vec3 shade_surface(const shader* s, const shade_point* p);
vec3 shade_background(const shader* s, float x, float y);

// 1 / depth of the ground along the ray through (x, y), or 0 where it is not seen.
float shade_ground_inverse_depth(const shader* s, float x, float y);

// Linear light to a byte for the screen: straight up to a knee, then a soft shoulder.
uint8_t shade_to_byte(float linear);

#endif
