// SPDX-License-Identifier: MIT
#include "tools/render.h"
#include "tools/shade.h"
#include "platform/thread.h"

#include <stdlib.h>
#include <string.h>

// A frame is drawn in three steps: prepare (project, sort into tiles), shadow maps, tiles. Maps do not depend on each
// other, neither do tiles, so each of the last two is spread over the threads; who draws what does not change the result.
//
// A tile: fill the samples with the ground, draw its opaque items, then for each pixel shade what its eight samples see and
// average. Samples of one smooth surface share one shading. Translucent layers follow, farthest first, each in a fresh
// set of samples tested against the opaque ones.

enum { GROUPS_MAX = RASTER_SAMPLES, WORKERS_MAX = 64 };

typedef struct tile_work {
    raster_tile opaque, layer;
    float colour[RASTER_TILE * RASTER_TILE][3];
} tile_work;

typedef struct frame {
    raster raster;
    shader shader;
    image im;
    tile_work* work;  // one per worker
    hem_counter next; // the next map or tile that nobody has taken
    bool map_failed[SHADE_DOME_MAX + 1];
} frame;

// -- Scene and camera

render_scene render_scene_default(void) {
    render_scene scene;
    memset(&scene, 0, sizeof(scene));
    render_box_empty(scene.stage.min, scene.stage.max);
    scene.stage.sky = 0xf1efebff;
    scene.stage.floor = 0xdedad3ff;
    scene.stage.ground = true;
    scene.stage.grid_spacing = 0.5f;
    scene.stage.key_direction[0] = -0.55f;
    scene.stage.key_direction[1] = 1.0f;
    scene.stage.key_direction[2] = 0.6f;
    scene.stage.key_follows_camera = true;
    scene.stage.dome_count = 24;
    scene.stage.shadow_size = 1024;
    return scene;
}

void render_box_empty(float box_min[3], float box_max[3]) {
    for (int32_t i = 0; i < 3; i++) {
        box_min[i] = 1e30f;
        box_max[i] = -1e30f;
    }
}

void render_box_add(float box_min[3], float box_max[3], const float* positions, int32_t count, size_t stride) {
    const char* at = (const char*)positions;
    for (int32_t i = 0; i < count; i++, at += stride) {
        float p[3];
        memcpy(p, at, sizeof(p));
        if (!(fabsf(p[0]) + fabsf(p[1]) + fabsf(p[2]) < 1e18f)) {
            continue; // a point that is not a number has no place in a picture
        }
        for (int32_t k = 0; k < 3; k++) {
            box_min[k] = p[k] < box_min[k] ? p[k] : box_min[k];
            box_max[k] = p[k] > box_max[k] ? p[k] : box_max[k];
        }
    }
}

static vec3 view_up(vec3 forward) {
    if (fabsf(forward.y) > 0.999f) { // looking straight down or up
        return v3(0.0f, 0.0f, forward.y < 0.0f ? -1.0f : 1.0f);
    }
    return v3(0.0f, 1.0f, 0.0f);
}

void render_view_axes(const float direction[3], float axes[3][3]) {
    vec3 forward = v3_normalize(v3_load(direction), v3(0.0f, 0.0f, -1.0f));
    vec3 right = v3_normalize(v3_cross(forward, view_up(forward)), v3(1.0f, 0.0f, 0.0f));
    v3_store(axes[0], right);
    v3_store(axes[1], v3_cross(right, forward));
    v3_store(axes[2], forward);
}

// Looking along `forward`, a corner at (x, z) from the middle of the box lies within the picture's right edge when
// (x - cx) k - z <= d, and within the left when -(x - cx) k - z <= d, with k the slope of the edge, d the distance and cx
// the sideways shift. The two tightest corners give both cx and d; the same upwards. The larger distance serves both.
static render_camera frame_corners(const vec3 corners[8], const float direction[3], float focal, float margin,
                                   int32_t width, int32_t height) {
    render_camera camera;
    memset(&camera, 0, sizeof(camera));
    camera.focal = focal;
    float axes[3][3];
    render_view_axes(direction, axes);
    vec3 right = v3_load(axes[0]), up = v3_load(axes[1]), forward = v3_load(axes[2]);
    v3_store(camera.up, view_up(forward));
    vec3 middle = v3_scale(v3_add(corners[0], corners[7]), 0.5f);
    float slope_x = focal * (float)height / (float)width / (1.0f - margin), slope_y = focal / (1.0f - margin);
    float edge[4] = {-1e30f, -1e30f, -1e30f, -1e30f}; // right, left, top, bottom
    for (int32_t i = 0; i < 8; i++) {
        vec3 q = v3_sub(corners[i], middle);
        float x = v3_dot(q, right) * slope_x, y = v3_dot(q, up) * slope_y, z = v3_dot(q, forward);
        edge[0] = fmaxf(edge[0], x - z);
        edge[1] = fmaxf(edge[1], -x - z);
        edge[2] = fmaxf(edge[2], y - z);
        edge[3] = fmaxf(edge[3], -y - z);
    }
    float distance = fmaxf(fmaxf(0.5f * (edge[0] + edge[1]), 0.5f * (edge[2] + edge[3])), 1e-3f);
    vec3 target = v3_mad(middle, right, 0.5f * (edge[0] - edge[1]) / slope_x);
    target = v3_mad(target, up, 0.5f * (edge[2] - edge[3]) / slope_y);
    v3_store(camera.target, target);
    v3_store(camera.eye, v3_mad(target, forward, -distance));
    return camera;
}

render_camera render_camera_frame(const float box_min[3], const float box_max[3], const float direction[3], float focal,
                                  float margin, int32_t width, int32_t height) {
    vec3 low = v3_load(box_min), high = v3_load(box_max), corners[8];
    if (!(low.x <= high.x && low.y <= high.y && low.z <= high.z)) {
        low = v3(-1.0f, 0.0f, -1.0f);
        high = v3(1.0f, 2.0f, 1.0f);
    }
    for (int32_t i = 0; i < 8; i++) {
        corners[i] = v3(i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z);
    }
    return frame_corners(corners, direction, focal, margin, width, height);
}

render_camera render_camera_frame_view(const float low[3], const float high[3], const float direction[3], float focal,
                                       float margin, int32_t width, int32_t height) {
    if (!(low[0] <= high[0] && low[1] <= high[1] && low[2] <= high[2])) {
        return render_camera_frame((const float[3]){1.0f, 0.0f, 0.0f}, (const float[3]){0.0f, 0.0f, 0.0f}, direction,
                                   focal, margin, width, height);
    }
    float axes[3][3];
    render_view_axes(direction, axes);
    vec3 corners[8];
    for (int32_t i = 0; i < 8; i++) {
        corners[i] = v3(0.0f, 0.0f, 0.0f);
        for (int32_t k = 0; k < 3; k++) {
            corners[i] = v3_mad(corners[i], v3_load(axes[k]), (i >> k & 1) != 0 ? high[k] : low[k]);
        }
    }
    return frame_corners(corners, direction, focal, margin, width, height);
}

bool render_camera_project(const render_camera* camera, int32_t width, int32_t height, const float point[3], float* x,
                           float* y) {
    raster_view v = raster_view_make(camera, width, height);
    vec3 q = v3_sub(v3_load(point), v.eye);
    float depth = v3_dot(q, v.forward);
    if (!(depth > 1e-9f)) {
        return false;
    }
    *x = v.middle_x + v3_dot(q, v.right) / depth * v.pixels_per_slope;
    *y = v.middle_y - v3_dot(q, v.up) / depth * v.pixels_per_slope;
    return true;
}

// -- Tiles

static raster_rect tile_rect(const frame* f, int32_t index) {
    raster_rect r;
    r.x0 = index % f->raster.tiles_x * RASTER_TILE;
    r.y0 = index / f->raster.tiles_x * RASTER_TILE;
    r.x1 = r.x0 + RASTER_TILE < f->raster.view.width ? r.x0 + RASTER_TILE : f->raster.view.width;
    r.y1 = r.y0 + RASTER_TILE < f->raster.view.height ? r.y0 + RASTER_TILE : f->raster.view.height;
    return r;
}

typedef struct group {
    shade_point sum; // position, normal and colour are sums weighted by samples
    float weight;
} group;

// Collects what the samples of one pixel see into groups that can be shaded as one. Returns how many samples see anything.
static int32_t gather(const frame* f, const int32_t* items, int32_t x, int32_t y, group* groups, int32_t* group_count) {
    int32_t covered = 0, count = 0;
    uint32_t done = 0;
    for (int32_t i = 0; i < RASTER_SAMPLES; i++) {
        if (items[i] == RASTER_NOTHING || (done >> i & 1u)) {
            continue;
        }
        float sum_x = 0.0f, sum_y = 0.0f;
        int32_t same = 0;
        for (int32_t k = i; k < RASTER_SAMPLES; k++) {
            if (items[k] == items[i]) {
                float sx, sy;
                raster_sample_offset(k, &sx, &sy);
                sum_x += sx;
                sum_y += sy;
                done |= 1u << k;
                same++;
            }
        }
        covered += same;
        float weight = (float)same;
        shade_point found =
            shade_find_surface(&f->shader, items[i], (float)x + sum_x / weight, (float)y + sum_y / weight);
        int32_t g = 0;
        float close = 0.02f * f->shader.stage_radius;
        for (; g < count; g++) {
            vec3 apart = v3_sub(found.position, v3_scale(groups[g].sum.position, 1.0f / groups[g].weight));
            float facing = v3_dot(found.normal, groups[g].sum.normal) / v3_length(groups[g].sum.normal);
            if (v3_dot(apart, apart) < close * close && facing > 0.85f && found.unlit == groups[g].sum.unlit) {
                break;
            }
        }
        if (g == count) {
            memset(&groups[count++], 0, sizeof(group));
        }
        groups[g].sum.position = v3_mad(groups[g].sum.position, found.position, weight);
        groups[g].sum.normal = v3_mad(groups[g].sum.normal, found.normal, weight);
        groups[g].sum.colour = v3_mad(groups[g].sum.colour, found.colour, weight);
        groups[g].sum.gloss += found.gloss * weight;
        groups[g].sum.unlit = found.unlit;
        groups[g].weight += weight;
    }
    *group_count = count;
    return covered;
}

// Shades the groups; adds up colour times share of the pixel. Translucent things are clearer where one looks straight at
// them and denser at the edge, as thin glass is; the shares then sum to the layer's opacity.
static float shade_groups(const frame* f, group* groups, int32_t group_count, float alpha, vec3* sum) {
    float total = 0.0f;
    for (int32_t g = 0; g < group_count; g++) {
        float inverse = 1.0f / groups[g].weight;
        shade_point s = groups[g].sum;
        s.position = v3_scale(s.position, inverse);
        s.normal = v3_normalize(s.normal, v3(0.0f, 1.0f, 0.0f));
        s.colour = v3_scale(s.colour, inverse);
        s.gloss *= inverse;
        float share = groups[g].weight / RASTER_SAMPLES;
        if (alpha < 1.0f) {
            vec3 to_eye = v3_normalize(v3_sub(f->raster.view.eye, s.position), s.normal);
            float edge = 1.0f - clampf(fabsf(v3_dot(s.normal, to_eye)), 0.0f, 1.0f);
            share *= s.unlit ? alpha : alpha + (1.0f - alpha) * 0.7f * edge * edge;
        }
        *sum = v3_mad(*sum, shade_surface(&f->shader, &s), share);
        total += share;
    }
    return total;
}

static void draw_opaque(const frame* f, int32_t tile_index, tile_work* w) {
    raster_tile* tile = &w->opaque;
    raster_rect r = tile->rect;
    for (int32_t y = r.y0; y < r.y1; y++) {
        for (int32_t x = r.x0; x < r.x1; x++) {
            size_t k = (size_t)((y - r.y0) * RASTER_TILE + (x - r.x0)) * RASTER_SAMPLES;
            for (int32_t s = 0; s < RASTER_SAMPLES; s++) {
                float sx, sy;
                raster_sample_offset(s, &sx, &sy);
                tile->item[k + (size_t)s] = RASTER_NOTHING;
                tile->inverse_depth[k + (size_t)s] =
                    shade_ground_inverse_depth(&f->shader, (float)x + sx, (float)y + sy);
            }
        }
    }
    for (int32_t i = f->raster.bin_first[tile_index]; i < f->raster.bin_first[tile_index + 1]; i++) {
        raster_draw(&f->raster, f->raster.bin_items[i], tile);
    }
    for (int32_t y = r.y0; y < r.y1; y++) {
        for (int32_t x = r.x0; x < r.x1; x++) {
            size_t pixel = (size_t)((y - r.y0) * RASTER_TILE + (x - r.x0));
            group groups[GROUPS_MAX];
            int32_t group_count;
            int32_t covered = gather(f, tile->item + pixel * RASTER_SAMPLES, x, y, groups, &group_count);
            vec3 colour = v3(0.0f, 0.0f, 0.0f);
            if (covered < RASTER_SAMPLES) {
                float share = 1.0f - (float)covered / RASTER_SAMPLES;
                colour = v3_scale(shade_background(&f->shader, (float)x + 0.5f, (float)y + 0.5f), share);
            }
            shade_groups(f, groups, group_count, 1.0f, &colour);
            v3_store(w->colour[pixel], colour);
        }
    }
}

static void draw_layer(const frame* f, const raster_layer* layer, tile_work* w) {
    raster_tile* tile = &w->layer;
    raster_rect r = tile->rect;
    r.x0 = r.x0 > layer->rect.x0 ? r.x0 : layer->rect.x0;
    r.y0 = r.y0 > layer->rect.y0 ? r.y0 : layer->rect.y0;
    r.x1 = r.x1 < layer->rect.x1 ? r.x1 : layer->rect.x1;
    r.y1 = r.y1 < layer->rect.y1 ? r.y1 : layer->rect.y1;
    if (r.x1 <= r.x0 || r.y1 <= r.y0) {
        return;
    }
    for (int32_t y = r.y0; y < r.y1; y++) {
        size_t k = (size_t)((y - tile->rect.y0) * RASTER_TILE + (r.x0 - tile->rect.x0)) * RASTER_SAMPLES;
        size_t count = (size_t)(r.x1 - r.x0) * RASTER_SAMPLES;
        memcpy(tile->inverse_depth + k, w->opaque.inverse_depth + k, count * sizeof(float));
        memset(tile->item + k, 0xff, count * sizeof(int32_t));
    }
    for (int32_t i = 0; i < layer->item_count; i++) {
        raster_draw(&f->raster, layer->first_item + i, tile);
    }
    for (int32_t y = r.y0; y < r.y1; y++) {
        for (int32_t x = r.x0; x < r.x1; x++) {
            size_t pixel = (size_t)((y - tile->rect.y0) * RASTER_TILE + (x - tile->rect.x0));
            group groups[GROUPS_MAX];
            int32_t group_count;
            if (gather(f, tile->item + pixel * RASTER_SAMPLES, x, y, groups, &group_count) > 0) {
                vec3 sum = v3(0.0f, 0.0f, 0.0f);
                float opacity = shade_groups(f, groups, group_count, layer->alpha, &sum);
                v3_store(w->colour[pixel], v3_mad(sum, v3_load(w->colour[pixel]), 1.0f - opacity));
            }
        }
    }
}

static void draw_tile(frame* f, int32_t index, tile_work* w) {
    raster_rect r = tile_rect(f, index);
    w->opaque.rect = w->layer.rect = r;
    draw_opaque(f, index, w);
    for (int32_t i = 0; i < f->raster.layer_count; i++) {
        draw_layer(f, &f->raster.layers[i], w);
    }
    for (int32_t y = r.y0; y < r.y1; y++) {
        uint8_t* pixel = f->im.pixels + 4 * ((size_t)y * (size_t)f->im.width + (size_t)r.x0);
        for (int32_t x = r.x0; x < r.x1; x++, pixel += 4) {
            const float* colour = w->colour[(y - r.y0) * RASTER_TILE + (x - r.x0)];
            pixel[0] = shade_to_byte(colour[0]);
            pixel[1] = shade_to_byte(colour[1]);
            pixel[2] = shade_to_byte(colour[2]);
        }
    }
}

// Workers take the next map or tile from a counter, whoever is free. Each writes to its own place only.

static void draw_maps(void* user, uint32_t begin, uint32_t end, uint32_t worker) {
    (void)begin, (void)end, (void)worker;
    frame* f = user;
    for (int64_t i; (i = hem_counter_add(&f->next, 1)) < shader_map_count(&f->shader);) {
        f->map_failed[i] = !shader_prepare_map(&f->shader, (int32_t)i);
    }
}

static void draw_floor(void* user, uint32_t begin, uint32_t end, uint32_t worker) {
    (void)worker;
    for (uint32_t i = begin; i < end; i++) {
        shader_prepare_floor(&((frame*)user)->shader, (int32_t)i);
    }
}

static void draw_tiles(void* user, uint32_t begin, uint32_t end, uint32_t worker) {
    (void)begin, (void)end;
    frame* f = user;
    tile_work* w = &f->work[worker];
    for (int64_t i; (i = hem_counter_add(&f->next, 1)) < f->raster.tiles_x * f->raster.tiles_y;) {
        draw_tile(f, (int32_t)i, w);
    }
}

static bool draw_frame(frame* f, uint32_t worker_count) {
    hem_parallel_for(worker_count, worker_count, draw_maps, f);
    for (int32_t i = 0; i < shader_map_count(&f->shader); i++) {
        if (f->map_failed[i]) {
            return false;
        }
    }
    f->work = malloc(sizeof(tile_work) * worker_count);
    if (f->work == NULL) {
        return false;
    }
    if (f->shader.ground_visible) {
        hem_parallel_for(SHADE_FLOOR_SIZE, worker_count, draw_floor, f);
    }
    f->next.value = 0;
    hem_parallel_for(worker_count, worker_count, draw_tiles, f);
    free(f->work);
    return true;
}

image render_image(const render_scene* scene, const render_camera* camera, int32_t width, int32_t height) {
    image none = {0};
    frame f;
    memset(&f, 0, sizeof(f));
    f.im = image_create(width, height, scene->stage.sky | 255u);
    if (f.im.pixels == NULL) {
        return none;
    }
    if (!raster_create(&f.raster, scene, camera, width, height)) {
        image_destroy(&f.im);
        return none;
    }
    shader_create(&f.shader, scene, &f.raster);
    uint32_t worker_count = scene->thread_count > 0 ? (uint32_t)scene->thread_count : hem_processor_count();
    bool ok = draw_frame(&f, worker_count < WORKERS_MAX ? worker_count : WORKERS_MAX);
    shader_destroy(&f.shader);
    raster_destroy(&f.raster);
    if (!ok) {
        image_destroy(&f.im);
    }
    return f.im;
}
