// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_SHADOW_H
#define HEM_TOOLS_SHADOW_H

// Shadow maps: for a direction of light, how far along it the first surface lies, on a square grid of texels.
// The main light has one large map. The sky is a dome of many directions with one small map each; together they darken
// folds and the places where things touch.

#include "tools/primitive.h"
#include "tools/render.h"

typedef struct shadow_map {
    vec3 right, up, forward; // forward: the way the light travels
    vec3 centre;
    float texels_per_metre;
    int32_t size;
    float* depth; // along forward from the centre; SHADOW_NOTHING where the light meets nothing
} shadow_map;

#define SHADOW_NOTHING 1e30f

// Draws what casts a shadow. `to_light` is a unit vector; the map covers a ball. Returns false if there is no memory.
bool shadow_map_create(shadow_map* map, const render_scene* scene, const primitive_set* primitives, vec3 to_light,
                       vec3 centre, float radius, int32_t size);
void shadow_map_destroy(shadow_map* map);

// The share of light that reaches p, filtered over a window of (2 * reach + 2) texels a side.
float shadow_map_light(const shadow_map* map, vec3 p, float bias, int32_t reach);

// The shadow on the ground, softer the farther the thing that casts it: the mask of the shadow, blurred more and more, and
// the mean distance to what casts it, which picks the blur.
enum { GROUND_LEVELS = 5 };

typedef struct ground_shadow {
    float x0, z0, texels_per_metre;
    float blur_metres; // of the sharpest level
    int32_t size;
    float* light[GROUND_LEVELS]; // 1 lit, 0 dark
    float* distance;             // from the ground to the blocker along the light, metres; smoothed
} ground_shadow;

bool ground_shadow_create(ground_shadow* ground, const shadow_map* map, vec3 to_light, vec3 centre, float radius,
                          float height, int32_t size);
void ground_shadow_destroy(ground_shadow* ground);
float ground_shadow_light(const ground_shadow* ground, float x, float z);

#endif
