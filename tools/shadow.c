// SPDX-License-Identifier: MIT
#include "tools/shadow.h"

#include <stdlib.h>
#include <string.h>

static bool casts(image_colour colour, uint32_t flags) {
    return (colour & 255u) == 255u && (flags & RENDER_NO_SHADOW) == 0;
}

// The texels between two map coordinates whose centres may be covered, cut to the map.
static void texel_range(const shadow_map* map, float low, float high, int32_t* first, int32_t* last) {
    low = clampf(low, -1.0f, (float)map->size);
    high = clampf(high, -1.0f, (float)map->size);
    *first = (int32_t)(low < 0.0f ? 0.0f : low);
    *last = (int32_t)high;
    *last = *last >= map->size ? map->size - 1 : *last;
}

static vec3 to_map(const shadow_map* map, vec3 p) {
    vec3 q = v3_sub(p, map->centre);
    float half = 0.5f * (float)map->size;
    return v3(v3_dot(q, map->right) * map->texels_per_metre + half, v3_dot(q, map->up) * map->texels_per_metre + half,
              v3_dot(q, map->forward));
}

static vec3 from_map(const shadow_map* map, float x, float y) {
    float half = 0.5f * (float)map->size;
    vec3 p = v3_mad(map->centre, map->right, (x - half) / map->texels_per_metre);
    return v3_mad(p, map->up, (y - half) / map->texels_per_metre);
}

static void draw_triangle(shadow_map* map, vec3 a, vec3 b, vec3 c) {
    float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if (!(fabsf(area) > 1e-12f)) {
        return;
    }
    vec3 low = v3_min(a, v3_min(b, c)), high = v3_max(a, v3_max(b, c));
    int32_t x0, x1, y0, y1;
    texel_range(map, low.x - 0.5f, high.x + 0.5f, &x0, &x1);
    texel_range(map, low.y - 0.5f, high.y + 0.5f, &y0, &y1);
    float inverse = 1.0f / area;
    float ux = (c.y - a.y) * inverse, uy = -(c.x - a.x) * inverse;
    float vx = -(b.y - a.y) * inverse, vy = (b.x - a.x) * inverse;
    // Neighbours overlap by a hair, so that no light leaks through a shared edge.
    const float slack = -1e-4f;
    for (int32_t y = y0; y <= y1; y++) {
        float* row = map->depth + (size_t)y * (size_t)map->size;
        float py = (float)y + 0.5f - a.y;
        for (int32_t x = x0; x <= x1; x++) {
            float px = (float)x + 0.5f - a.x;
            float u = ux * px + uy * py, v = vx * px + vy * py;
            if (u >= slack && v >= slack && u + v <= 1.0f - slack) {
                float depth = a.z + u * (b.z - a.z) + v * (c.z - a.z);
                row[x] = depth < row[x] ? depth : row[x];
            }
        }
    }
}

static void draw_mesh(shadow_map* map, const render_mesh* mesh) {
    for (int32_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t* index = mesh->indices + 3 * (size_t)i;
        uint32_t count = (uint32_t)mesh->vertex_count;
        if (index[0] >= count || index[1] >= count || index[2] >= count) {
            continue;
        }
        draw_triangle(map, to_map(map, v3_load(mesh->positions + 3 * (size_t)index[0])),
                      to_map(map, v3_load(mesh->positions + 3 * (size_t)index[1])),
                      to_map(map, v3_load(mesh->positions + 3 * (size_t)index[2])));
    }
}

// Rays start this far before the map's centre plane, in front of all that it covers.
static float ray_start(const shadow_map* map) {
    return 2.0f * (float)map->size / map->texels_per_metre;
}

static void draw_ellipsoid(shadow_map* map, const ellipsoid* e) {
    vec3 middle = to_map(map, e->centre);
    float width = 0.0f, height = 0.0f;
    for (int32_t i = 0; i < 3; i++) {
        float x = v3_dot(e->arm[i], map->right), y = v3_dot(e->arm[i], map->up);
        width += x * x;
        height += y * y;
    }
    width = sqrtf(width) * map->texels_per_metre;
    height = sqrtf(height) * map->texels_per_metre;
    int32_t x0, x1, y0, y1;
    texel_range(map, middle.x - width - 0.5f, middle.x + width + 0.5f, &x0, &x1);
    texel_range(map, middle.y - height - 0.5f, middle.y + height + 0.5f, &y0, &y1);
    for (int32_t y = y0; y <= y1; y++) {
        for (int32_t x = x0; x <= x1; x++) {
            vec3 origin = v3_mad(from_map(map, (float)x + 0.5f, (float)y + 0.5f), map->forward, -ray_start(map));
            float t;
            if (ellipsoid_hit(e, origin, map->forward, &t)) {
                float* depth = map->depth + (size_t)y * (size_t)map->size + (size_t)x;
                *depth = t - ray_start(map) < *depth ? t - ray_start(map) : *depth;
            }
        }
    }
}

static void draw_cone(shadow_map* map, const cone* c) {
    vec3 a = to_map(map, c->a), b = to_map(map, v3_mad(c->a, c->axis, c->length));
    float ra = c->radius_a * map->texels_per_metre + 0.5f, rb = c->radius_b * map->texels_per_metre + 0.5f;
    int32_t x0, x1, y0, y1;
    texel_range(map, fminf(a.x - ra, b.x - rb), fmaxf(a.x + ra, b.x + rb), &x0, &x1);
    texel_range(map, fminf(a.y - ra, b.y - rb), fmaxf(a.y + ra, b.y + rb), &y0, &y1);
    for (int32_t y = y0; y <= y1; y++) {
        for (int32_t x = x0; x <= x1; x++) {
            vec3 origin = v3_mad(from_map(map, (float)x + 0.5f, (float)y + 0.5f), map->forward, -ray_start(map));
            float t;
            if (cone_hit(c, origin, map->forward, &t)) {
                float* depth = map->depth + (size_t)y * (size_t)map->size + (size_t)x;
                *depth = t - ray_start(map) < *depth ? t - ray_start(map) : *depth;
            }
        }
    }
}

bool shadow_map_create(shadow_map* map, const render_scene* scene, const primitive_set* primitives, vec3 to_light,
                       vec3 centre, float radius, int32_t size) {
    map->forward = v3_scale(to_light, -1.0f);
    map->right = v3_perpendicular(map->forward);
    map->up = v3_cross(map->forward, map->right);
    map->centre = centre;
    map->size = size;
    map->texels_per_metre = (float)size / (2.0f * radius);
    size_t count = (size_t)size * (size_t)size;
    map->depth = malloc(count * sizeof(float));
    if (map->depth == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        map->depth[i] = SHADOW_NOTHING;
    }
    for (int32_t i = 0; i < scene->mesh_count; i++) {
        if (casts(scene->meshes[i].colour, scene->meshes[i].flags)) {
            draw_mesh(map, &scene->meshes[i]);
        }
    }
    for (int32_t i = 0; i < scene->ellipsoid_count; i++) {
        if (casts(scene->ellipsoids[i].colour, scene->ellipsoids[i].flags)) {
            draw_ellipsoid(map, &primitives->ellipsoids[i]);
        }
    }
    for (int32_t i = 0; i < scene->cone_count; i++) {
        if (casts(scene->cones[i].colour_a, scene->cones[i].flags)) {
            draw_cone(map, &primitives->cones[i]);
        }
    }
    return true;
}

void shadow_map_destroy(shadow_map* map) {
    free(map->depth);
    memset(map, 0, sizeof(*map));
}

float shadow_map_light(const shadow_map* map, vec3 p, float bias, int32_t reach) {
    vec3 q = to_map(map, p);
    float fx = q.x - 0.5f, fy = q.y - 0.5f;
    float margin = (float)reach + 1.0f;
    if (!(fx >= margin && fy >= margin && fx < (float)map->size - margin - 1.0f &&
          fy < (float)map->size - margin - 1.0f)) {
        return 1.0f;
    }
    int32_t ix = (int32_t)fx, iy = (int32_t)fy;
    float wx = fx - (float)ix, wy = fy - (float)iy;
    float limit = q.z - bias;
    float lit = 0.0f;
    // A box that slides smoothly: the first row and column fade out as the last fade in.
    for (int32_t y = -reach; y <= reach + 1; y++) {
        const float* row = map->depth + (size_t)(iy + y) * (size_t)map->size + (size_t)ix;
        float weight_y = y == -reach ? 1.0f - wy : y == reach + 1 ? wy : 1.0f;
        float sum = (row[-reach] >= limit ? 1.0f - wx : 0.0f) + (row[reach + 1] >= limit ? wx : 0.0f);
        for (int32_t x = 1 - reach; x <= reach; x++) {
            sum += row[x] >= limit ? 1.0f : 0.0f;
        }
        lit += weight_y * sum;
    }
    float side = 2.0f * (float)reach + 1.0f;
    return lit / (side * side);
}

// -- The ground

// Three box blurs in each direction come close to a Gaussian and cost the same at any radius.
static void blur(float* values, float* scratch, int32_t size, int32_t radius) {
    float inverse = 1.0f / (float)(2 * radius + 1);
    for (int32_t pass = 0; pass < 6; pass++) {
        bool across = pass < 3;
        size_t step = across ? 1 : (size_t)size, line = across ? (size_t)size : 1;
        for (int32_t l = 0; l < size; l++) {
            float* v = values + (size_t)l * line;
            float sum = 0.0f;
            for (int32_t i = 0; i < size; i++) {
                scratch[i] = v[(size_t)i * step];
            }
            for (int32_t i = -radius; i <= radius; i++) {
                sum += scratch[i < 0 ? 0 : i];
            }
            for (int32_t i = 0; i < size; i++) {
                v[(size_t)i * step] = sum * inverse;
                int32_t enter = i + radius + 1, leave = i - radius;
                sum += scratch[enter >= size ? size - 1 : enter] - scratch[leave < 0 ? 0 : leave];
            }
        }
    }
}

// Blur radius of each level in metres; doubling.
static float level_radius(const ground_shadow* ground, int32_t level) {
    return ground->blur_metres * (float)(1 << level);
}

bool ground_shadow_create(ground_shadow* ground, const shadow_map* map, vec3 to_light, vec3 centre, float radius,
                          float height, int32_t size) {
    memset(ground, 0, sizeof(*ground));
    // The middle of the shadow: the scene's centre carried down along the light.
    float fall = to_light.y > 0.05f ? (centre.y - height) / to_light.y : 0.0f;
    float reach = radius / (to_light.y > 0.2f ? to_light.y : 0.2f);
    ground->x0 = centre.x - to_light.x * fall - reach;
    ground->z0 = centre.z - to_light.z * fall - reach;
    ground->size = size;
    ground->blur_metres = 0.005f * radius;
    ground->texels_per_metre = (float)size / (2.0f * reach);
    size_t count = (size_t)size * (size_t)size;
    float* scratch = malloc(sizeof(float) * (size_t)size);
    ground->distance = malloc(sizeof(float) * count);
    bool ok = scratch != NULL && ground->distance != NULL;
    for (int32_t level = 0; level < GROUND_LEVELS; level++) {
        ground->light[level] = malloc(sizeof(float) * count);
        ok = ok && ground->light[level] != NULL;
    }
    if (!ok) {
        free(scratch);
        ground_shadow_destroy(ground);
        return false;
    }
    float texel = 1.0f / map->texels_per_metre;
    for (int32_t y = 0; y < size; y++) {
        for (int32_t x = 0; x < size; x++) {
            vec3 p = v3(ground->x0 + ((float)x + 0.5f) / ground->texels_per_metre, height,
                        ground->z0 + ((float)y + 0.5f) / ground->texels_per_metre);
            vec3 q = to_map(map, p);
            bool inside = q.x >= 0.0f && q.y >= 0.0f && q.x < (float)map->size && q.y < (float)map->size;
            float depth = inside ? map->depth[(size_t)q.y * (size_t)map->size + (size_t)q.x] : SHADOW_NOTHING;
            bool dark = depth < q.z - 0.5f * texel;
            size_t k = (size_t)y * (size_t)size + (size_t)x;
            ground->light[0][k] = dark ? 0.0f : 1.0f;
            ground->distance[k] = dark ? q.z - depth : 0.0f;
        }
    }
    for (int32_t level = GROUND_LEVELS - 1; level >= 0; level--) {
        if (level > 0) {
            memcpy(ground->light[level], ground->light[0], sizeof(float) * count);
        }
        int32_t texels = (int32_t)(level_radius(ground, level) * ground->texels_per_metre + 0.5f);
        blur(ground->light[level], scratch, size, texels < 1 ? 1 : texels > size / 8 ? size / 8 : texels);
    }
    // The mean distance where there is any shadow near: blurred distance over blurred darkness.
    int32_t texels = (int32_t)(level_radius(ground, 3) * ground->texels_per_metre + 0.5f);
    blur(ground->distance, scratch, size, texels < 1 ? 1 : texels > size / 8 ? size / 8 : texels);
    for (size_t k = 0; k < count; k++) {
        float dark = 1.0f - ground->light[3][k];
        ground->distance[k] = ground->distance[k] / (dark > 1e-4f ? dark : 1e-4f);
    }
    free(scratch);
    return true;
}

void ground_shadow_destroy(ground_shadow* ground) {
    for (int32_t level = 0; level < GROUND_LEVELS; level++) {
        free(ground->light[level]);
    }
    free(ground->distance);
    memset(ground, 0, sizeof(*ground));
}

static float sample(const float* values, int32_t size, float fx, float fy) {
    int32_t ix = (int32_t)fx, iy = (int32_t)fy;
    const float* p = values + (size_t)iy * (size_t)size + (size_t)ix;
    float wx = fx - (float)ix, wy = fy - (float)iy;
    return mixf(mixf(p[0], p[1], wx), mixf(p[size], p[size + 1], wx), wy);
}

float ground_shadow_light(const ground_shadow* ground, float x, float z) {
    float fx = (x - ground->x0) * ground->texels_per_metre - 0.5f;
    float fy = (z - ground->z0) * ground->texels_per_metre - 0.5f;
    float limit = (float)(ground->size - 1);
    if (!(fx >= 0.0f && fy >= 0.0f && fx < limit && fy < limit)) {
        return 1.0f;
    }
    // A light a sixth as wide as it is far: the penumbra grows with the distance to what casts it.
    float width = 0.07f * sample(ground->distance, ground->size, fx, fy);
    int32_t level = 0;
    while (level < GROUND_LEVELS - 2 && width > level_radius(ground, level + 1)) {
        level++;
    }
    float t =
        clampf((width - level_radius(ground, level)) / (level_radius(ground, level + 1) - level_radius(ground, level)),
               0.0f, 1.0f);
    return mixf(sample(ground->light[level], ground->size, fx, fy),
                sample(ground->light[level + 1], ground->size, fx, fy), t);
}
