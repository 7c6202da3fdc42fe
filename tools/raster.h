// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_RASTER_H
#define HEM_TOOLS_RASTER_H

// Visibility: which item each sample of a tile sees, and how far away it is. Nothing is shaded here; the shader later
// finds the exact point again from the sample's ray. That keeps the tile small, treats triangles and curved items alike,
// and shades each visible item once a pixel.
//
// Items are numbered: screen triangles first, then ellipsoids, then cones.

#include "tools/primitive.h"
#include "tools/render.h"

enum {
    RASTER_TILE = 32,
    RASTER_SAMPLES = 8,
    RASTER_NOTHING = -1,
    RASTER_TILE_SAMPLES = RASTER_TILE * RASTER_TILE * RASTER_SAMPLES,
};

typedef struct raster_view {
    vec3 eye, right, up, forward;
    float pixels_per_slope;
    float middle_x, middle_y;
    int32_t width, height;
} raster_view;

typedef struct raster_rect {
    int32_t x0, y0, x1, y1; // pixels, half open
} raster_rect;

// A triangle, or the part of one in front of the near plane, snapped to 1/256 of a pixel: edge tests are exact in whole
// numbers, so triangles that share an edge leave no gap and do not overlap by more than a sample that lies on it.
typedef struct raster_triangle {
    int32_t x[3], y[3];
    float inverse_depth[3];
    int32_t mesh, triangle;
} raster_triangle;

typedef struct raster_layer {
    int32_t first_item, item_count;
    raster_rect rect;
    float nearest; // depth of its nearest point; layers are drawn farthest first
    float alpha;
} raster_layer;

typedef struct raster {
    raster_view view;
    raster_triangle* triangles;
    int32_t triangle_count;
    primitive_set primitives;
    int32_t ellipsoid_count, cone_count;
    int32_t item_count;
    raster_rect* rects; // per item
    // Opaque items by tile: bin_items[bin_first[t] .. bin_first[t + 1]), in item order.
    int32_t tiles_x, tiles_y;
    int32_t* bin_first;
    int32_t* bin_items;
    raster_layer* layers; // translucent things, farthest first
    int32_t layer_count;
} raster;

typedef struct raster_tile {
    raster_rect rect;
    float inverse_depth[RASTER_TILE_SAMPLES]; // larger is nearer; by ((y * RASTER_TILE) + x) * RASTER_SAMPLES + sample
    int32_t item[RASTER_TILE_SAMPLES];
} raster_tile;

raster_view raster_view_make(const render_camera* camera, int32_t width, int32_t height);

// The ray through a point of the picture; its part along `forward` is 1, so a multiple of it is a depth.
static inline vec3 raster_ray(const raster_view* v, float x, float y) {
    vec3 d = v3_mad(v->forward, v->right, (x - v->middle_x) / v->pixels_per_slope);
    return v3_mad(d, v->up, (v->middle_y - y) / v->pixels_per_slope);
}

// Where sample `index` lies within its pixel, 0..1.
void raster_sample_offset(int32_t index, float* x, float* y);

bool raster_create(raster* r, const render_scene* scene, const render_camera* camera, int32_t width, int32_t height);
void raster_destroy(raster* r);

// Tests one item against the samples of a tile and keeps what is nearer.
void raster_draw(const raster* r, int32_t item, raster_tile* tile);

#endif
