// SPDX-License-Identifier: MIT
#include "tools/shade.h"
#include "tools/colour.h"

#include <string.h>

// Four lights: a warm key with a shadow map; a cool sky whose shadow is the mean over a dome of directions, which darkens
// folds and contacts; a weak fill from the other side; and a rim where a surface turns away, which lifts a dark figure off
// the ground. White cloth facing the key comes out at about 1, so colours look as they were painted.

#define KEY_COLOUR v3(0.86f, 0.80f, 0.71f)
#define SKY_COLOUR v3(0.40f, 0.42f, 0.45f)
#define EARTH_COLOUR v3(0.21f, 0.19f, 0.17f)
#define FILL_COLOUR v3(0.10f, 0.11f, 0.13f)
#define RIM_STRENGTH 0.30f
#define DOME_SIZE 256
#define GROUND_SIZE 512

static bool empty_box(const render_stage* stage) {
    return stage->min[0] > stage->max[0] || stage->min[1] > stage->max[1] || stage->min[2] > stage->max[2];
}

// The box that lights and ground must cover.
static void stage_box(const render_scene* scene, const raster* r, vec3* low, vec3* high) {
    if (!empty_box(&scene->stage)) {
        *low = v3_load(scene->stage.min);
        *high = v3_load(scene->stage.max);
        return;
    }
    float box_min[3], box_max[3];
    render_box_empty(box_min, box_max);
    for (int32_t i = 0; i < scene->mesh_count; i++) {
        render_box_add(box_min, box_max, scene->meshes[i].positions, scene->meshes[i].vertex_count, 3 * sizeof(float));
    }
    for (int32_t i = 0; i < scene->ellipsoid_count; i++) {
        const ellipsoid* e = &r->primitives.ellipsoids[i];
        for (int32_t k = 0; k < 6; k++) {
            float p[3];
            v3_store(p, v3_mad(e->centre, e->arm[k / 2], k % 2 ? 1.0f : -1.0f));
            render_box_add(box_min, box_max, p, 1, 0);
        }
    }
    for (int32_t i = 0; i < scene->cone_count; i++) {
        render_box_add(box_min, box_max, scene->cones[i].a, 1, 0);
        render_box_add(box_min, box_max, scene->cones[i].b, 1, 0);
    }
    *low = v3_load(box_min);
    *high = v3_load(box_max);
    if (!(low->x <= high->x)) {
        *low = v3(-1.0f, 0.0f, -1.0f);
        *high = v3(1.0f, 2.0f, 1.0f);
    }
}

// Directions spread evenly over the upper sky, by turning through the golden angle (whose sine and cosine these are).
static void lay_dome(shader* s, int32_t count) {
    const float turn_cos = -0.73736888f, turn_sin = 0.67549029f;
    float c = 1.0f, n = 0.0f;
    s->dome_count = count;
    for (int32_t i = 0; i < count; i++) {
        float y = 1.0f - 0.92f * ((float)i + 0.5f) / (float)count;
        float ring = sqrtf(1.0f - y * y);
        s->to_dome[i] = v3(ring * c, y, ring * n);
        float next = c * turn_cos - n * turn_sin;
        n = c * turn_sin + n * turn_cos;
        c = next;
    }
}

void shader_create(shader* s, const render_scene* scene, const raster* r) {
    memset(s, 0, sizeof(*s));
    s->scene = scene;
    s->raster = r;
    vec3 low, high;
    stage_box(scene, r, &low, &high);
    s->stage_centre = v3_scale(v3_add(low, high), 0.5f);
    s->stage_radius = fmaxf(0.5f * v3_length(v3_sub(high, low)), 1e-4f);
    s->ground_height = scene->stage.ground_height;
    s->ground_visible = scene->stage.ground && r->view.eye.y > s->ground_height;
    s->sky = colour_linear(scene->stage.sky);
    s->floor = colour_linear(scene->stage.floor);

    vec3 up = v3(0.0f, 1.0f, 0.0f);
    vec3 right = v3_normalize(v3(r->view.right.x, 0.0f, r->view.right.z), v3(1.0f, 0.0f, 0.0f));
    vec3 back = v3_cross(right, up);
    vec3 key = v3_load(scene->stage.key_direction);
    if (scene->stage.key_follows_camera) {
        key = v3_add(v3_add(v3_scale(right, key.x), v3_scale(up, key.y)), v3_scale(back, key.z));
    }
    s->to_key = v3_normalize(key, up);
    s->to_fill = v3_normalize(v3(-s->to_key.x, 0.25f, -s->to_key.z), up);
    s->to_fill = v3_normalize(v3_mad(s->to_fill, r->view.forward, -0.8f), up);
    int32_t count = scene->stage.dome_count;
    lay_dome(s, count < 0 ? 0 : count > SHADE_DOME_MAX ? SHADE_DOME_MAX : count);
}

int32_t shader_map_count(const shader* s) {
    return 1 + s->dome_count;
}

bool shader_prepare_map(shader* s, int32_t index) {
    const primitive_set* primitives = &s->raster->primitives;
    float radius = 1.02f * s->stage_radius;
    if (index > 0) {
        return shadow_map_create(&s->dome[index - 1], s->scene, primitives, s->to_dome[index - 1], s->stage_centre,
                                 radius, DOME_SIZE);
    }
    int32_t size = s->scene->stage.shadow_size;
    size = size < 64 ? 64 : size > 4096 ? 4096 : size;
    if (!shadow_map_create(&s->key, s->scene, primitives, s->to_key, s->stage_centre, radius, size)) {
        return false;
    }
    return !s->ground_visible ||
           ground_shadow_create(&s->ground, &s->key, s->to_key, s->stage_centre, radius, s->ground_height, GROUND_SIZE);
}

// The ground is drawn over many pixels and changes slowly: its share of the sky is found on a coarse grid.
#define FLOOR_REACH 3.4f // in stage radii; beyond, the ground has faded

void shader_destroy(shader* s) {
    shadow_map_destroy(&s->key);
    ground_shadow_destroy(&s->ground);
    for (int32_t i = 0; i < s->dome_count; i++) {
        shadow_map_destroy(&s->dome[i]);
    }
}

// -- Finding the point again

static shade_point mesh_surface(const shader* s, const raster_triangle* t, vec3 ray) {
    const render_mesh* mesh = &s->scene->meshes[t->mesh];
    const uint32_t* index = mesh->indices + 3 * (size_t)t->triangle;
    vec3 corner[3];
    for (int32_t i = 0; i < 3; i++) {
        corner[i] = v3_load(mesh->positions + 3 * (size_t)index[i]);
    }
    vec3 ab = v3_sub(corner[1], corner[0]), ac = v3_sub(corner[2], corner[0]);
    vec3 flat = v3_cross(ab, ac);
    // Barycentric weights from the ray; clamped, because the middle of a pixel's covered part may lie just outside.
    vec3 from = v3_sub(s->raster->view.eye, corner[0]);
    float divisor = v3_dot(ray, flat);
    float inverse = fabsf(divisor) > 1e-30f ? 1.0f / divisor : 0.0f;
    vec3 q = v3_cross(from, ray);
    float b = clampf(v3_dot(ac, q) * -inverse, 0.0f, 1.0f);
    float c = clampf(v3_dot(ab, q) * inverse, 0.0f, 1.0f);
    if (b + c > 1.0f) {
        float scale = 1.0f / (b + c);
        b *= scale;
        c *= scale;
    }
    float a = 1.0f - b - c;
    shade_point result;
    result.position = v3_mad(v3_mad(corner[0], ab, b), ac, c);
    vec3 facing = divisor > 0.0f ? v3_scale(flat, -1.0f) : flat;
    result.normal = facing;
    if (mesh->normals != NULL) {
        vec3 n = v3_scale(v3_load(mesh->normals + 3 * (size_t)index[0]), a);
        n = v3_mad(n, v3_load(mesh->normals + 3 * (size_t)index[1]), b);
        n = v3_mad(n, v3_load(mesh->normals + 3 * (size_t)index[2]), c);
        // Cloth has two sides: the smooth normal is turned to the side of the triangle that is seen.
        result.normal = v3_dot(n, facing) < 0.0f ? v3_scale(n, -1.0f) : n;
    }
    result.normal = v3_normalize(result.normal, v3_normalize(facing, v3(0.0f, 1.0f, 0.0f)));
    result.colour = colour_linear(mesh->colour);
    if (mesh->colours != NULL) {
        float weight[3] = {a, b, c}, rgb[3] = {0};
        for (int32_t i = 0; i < 3; i++) {
            for (int32_t k = 0; k < 3; k++) {
                rgb[k] += weight[i] * COLOUR_LINEAR[mesh->colours[4 * (size_t)index[i] + (size_t)k]];
            }
        }
        result.colour = v3_mul(result.colour, v3_load(rgb));
    }
    result.gloss = mesh->gloss;
    result.unlit = (mesh->flags & RENDER_UNLIT) != 0;
    return result;
}

shade_point shade_find_surface(const shader* s, int32_t item, float x, float y) {
    const raster* r = s->raster;
    vec3 ray = raster_ray(&r->view, x, y);
    if (item < r->triangle_count) {
        return mesh_surface(s, &r->triangles[item], ray);
    }
    shade_point result;
    int32_t index = item - r->triangle_count;
    vec3 eye = r->view.eye;
    float depth;
    if (index < r->ellipsoid_count) {
        const ellipsoid* e = &r->primitives.ellipsoids[index];
        const render_ellipsoid* source = &s->scene->ellipsoids[index];
        if (!ellipsoid_hit(e, eye, ray, &depth)) {
            depth = v3_dot(v3_sub(e->centre, eye), ray) / v3_dot(ray, ray);
        }
        result.position = v3_mad(eye, ray, depth);
        result.normal = ellipsoid_normal(e, result.position);
        result.colour = colour_linear(source->colour);
        result.gloss = source->gloss;
        result.unlit = (source->flags & RENDER_UNLIT) != 0;
        return result;
    }
    index -= r->ellipsoid_count;
    const cone* c = &r->primitives.cones[index];
    const render_cone* source = &s->scene->cones[index];
    if (!cone_hit(c, eye, ray, &depth)) {
        depth = v3_dot(v3_sub(v3_mad(c->a, c->axis, 0.5f * c->length), eye), ray) / v3_dot(ray, ray);
    }
    float along;
    result.position = v3_mad(eye, ray, depth);
    result.normal = cone_normal(c, result.position, &along);
    result.colour = v3_lerp(colour_linear(source->colour_a), colour_linear(source->colour_b), along);
    result.gloss = 0.1f;
    result.unlit = (source->flags & RENDER_UNLIT) != 0;
    return result;
}

// -- Light

// The share of the sky seen from p, weighted towards the normal. A wider reach hides the single directions.
static float sky_light(const shader* s, vec3 p, vec3 normal, int32_t reach) {
    if (s->dome_count == 0) {
        return 1.0f;
    }
    float seen = 0.0f, total = 0.0f;
    float texel = 1.0f / s->dome[0].texels_per_metre;
    vec3 start = v3_mad(p, normal, 1.6f * texel);
    for (int32_t i = 0; i < s->dome_count; i++) {
        float weight = v3_dot(normal, s->to_dome[i]) + 0.15f;
        if (weight > 0.0f) {
            seen += weight * shadow_map_light(&s->dome[i], start, 1.2f * texel, reach);
            total += weight;
        }
    }
    return total > 0.0f ? seen / total : 1.0f;
}

void shader_prepare_floor(shader* s, int32_t row) {
    float cell = 2.0f * FLOOR_REACH * s->stage_radius / (SHADE_FLOOR_SIZE - 1);
    for (int32_t i = 0; i < SHADE_FLOOR_SIZE; i++) {
        vec3 p = v3(s->stage_centre.x + ((float)i - 0.5f * (SHADE_FLOOR_SIZE - 1)) * cell, s->ground_height,
                    s->stage_centre.z + ((float)row - 0.5f * (SHADE_FLOOR_SIZE - 1)) * cell);
        s->floor_sky[row * SHADE_FLOOR_SIZE + i] = sky_light(s, p, v3(0.0f, 1.0f, 0.0f), 4);
    }
}

static float floor_light(const shader* s, vec3 p) {
    float scale = 0.5f * (SHADE_FLOOR_SIZE - 1) / (FLOOR_REACH * s->stage_radius);
    float x = (p.x - s->stage_centre.x) * scale + 0.5f * (SHADE_FLOOR_SIZE - 1);
    float z = (p.z - s->stage_centre.z) * scale + 0.5f * (SHADE_FLOOR_SIZE - 1);
    int32_t ix = (int32_t)clampf(x, 0.0f, SHADE_FLOOR_SIZE - 2.0f),
            iz = (int32_t)clampf(z, 0.0f, SHADE_FLOOR_SIZE - 2.0f);
    float wx = clampf(x - (float)ix, 0.0f, 1.0f), wz = clampf(z - (float)iz, 0.0f, 1.0f);
    const float* f = s->floor_sky + iz * SHADE_FLOOR_SIZE + ix;
    return mixf(mixf(f[0], f[1], wx), mixf(f[SHADE_FLOOR_SIZE], f[SHADE_FLOOR_SIZE + 1], wx), wz);
}

vec3 shade_surface(const shader* s, const shade_point* p) {
    if (p->unlit) {
        return p->colour;
    }
    vec3 n = p->normal;
    vec3 to_eye = v3_normalize(v3_sub(s->raster->view.eye, p->position), v3(0.0f, 0.0f, 1.0f));
    float sky = sky_light(s, p->position, n, 1);
    float key_facing = v3_dot(n, s->to_key);
    float key_light = 0.0f;
    if (key_facing > 0.0f) {
        float texel = 1.0f / s->key.texels_per_metre;
        key_light = shadow_map_light(&s->key, v3_mad(p->position, n, 2.5f * texel), 2.0f * texel, 2);
    }
    vec3 light = v3_scale(v3_lerp(EARTH_COLOUR, SKY_COLOUR, 0.5f + 0.5f * n.y), 0.25f + 0.75f * sky);
    light = v3_mad(light, KEY_COLOUR, fmaxf(key_facing, 0.0f) * key_light);
    light = v3_mad(light, FILL_COLOUR, (0.5f + 0.5f * v3_dot(n, s->to_fill)) * sky);
    vec3 result = v3_mul(p->colour, light);

    float edge = 1.0f - clampf(v3_dot(n, to_eye), 0.0f, 1.0f);
    float rim = edge * edge * edge * (0.35f + 0.65f * clampf(n.y, 0.0f, 1.0f)) * sky * RIM_STRENGTH;
    result = v3_mad(result, v3_lerp(p->colour, v3(1.0f, 1.0f, 1.0f), 0.35f), rim);
    if (p->gloss > 0.0f && key_facing > 0.0f) {
        vec3 half = v3_normalize(v3_add(to_eye, s->to_key), n);
        float h = clampf(v3_dot(n, half), 0.0f, 1.0f);
        h *= h, h *= h, h *= h, h *= h, h *= h; // to the 32nd
        result = v3_mad(result, KEY_COLOUR, p->gloss * h * key_light);
    }
    return result;
}

// -- Ground and background

static float ground_depth(const shader* s, vec3 ray) {
    return ray.y < -1e-6f ? (s->ground_height - s->raster->view.eye.y) / ray.y : -1.0f;
}

float shade_ground_inverse_depth(const shader* s, float x, float y) {
    if (!s->ground_visible) {
        return 0.0f;
    }
    float depth = ground_depth(s, raster_ray(&s->raster->view, x, y));
    return depth > 0.0f ? 1.0f / depth : 0.0f;
}

// How much of a pixel that spans `width` around u (in lines) is covered by lines at whole numbers.
static float line_cover(float u, float width, float line) {
    float distance = fabsf(u - floorf(u + 0.5f));
    float half_line = 0.5f * line, half_width = 0.5f * fmaxf(width, 1e-6f);
    float cover = clampf((half_line + half_width - distance) / (2.0f * half_width), 0.0f, 1.0f) *
                  fminf(1.0f, line / (2.0f * half_width));
    return cover * (1.0f - smoothf(0.25f, 0.5f, width)); // too many lines a pixel: fade to nothing
}

static float grid(const shader* s, vec3 p, float x, float y) {
    float spacing = s->scene->stage.grid_spacing;
    if (!(spacing > 0.0f)) {
        return 0.0f;
    }
    // The ground seen one pixel to the right and one down gives the footprint.
    const raster_view* v = &s->raster->view;
    vec3 ray_x = raster_ray(v, x + 1.0f, y), ray_y = raster_ray(v, x, y + 1.0f);
    vec3 right = v3_mad(v->eye, ray_x, ground_depth(s, ray_x)), below = v3_mad(v->eye, ray_y, ground_depth(s, ray_y));
    float width_x = (fabsf(right.x - p.x) + fabsf(below.x - p.x)) / spacing;
    float width_z = (fabsf(right.z - p.z) + fabsf(below.z - p.z)) / spacing;
    float line = 0.018f;
    float a = line_cover(p.x / spacing, width_x, line), b = line_cover(p.z / spacing, width_z, line);
    return a + b - a * b;
}

vec3 shade_background(const shader* s, float x, float y) {
    const raster_view* v = &s->raster->view;
    float fx = x / (float)v->width - 0.5f, fy = y / (float)v->height;
    vec3 colour = v3_lerp(s->sky, s->floor, smoothf(0.0f, 1.0f, fy));
    float corner = fx * fx + (fy - 0.45f) * (fy - 0.45f);
    colour = v3_scale(colour, 1.04f - 0.16f * corner);
    if (!s->ground_visible) {
        return colour;
    }
    vec3 ray = raster_ray(v, x, y);
    float depth = ground_depth(s, ray);
    if (depth <= 0.0f) {
        return colour;
    }
    vec3 p = v3_mad(v->eye, ray, depth);
    float dx = p.x - s->stage_centre.x, dz = p.z - s->stage_centre.z;
    float away = sqrtf(dx * dx + dz * dz) / s->stage_radius;
    float near = 1.0f - smoothf(1.0f, FLOOR_REACH, away);
    if (near <= 0.0f) {
        return colour;
    }
    // Lit as a matt floor, relative to the same floor in full light, so that it melts into the background.
    float sky = floor_light(s, p);
    float key = ground_shadow_light(&s->ground, p.x, p.z);
    vec3 full = v3_mad(SKY_COLOUR, KEY_COLOUR, s->to_key.y);
    vec3 lit = v3_mad(v3_scale(SKY_COLOUR, sky), KEY_COLOUR, s->to_key.y * key);
    vec3 share = v3(lit.x / full.x, lit.y / full.y, lit.z / full.z);
    // A pool of light under the subject.
    float pool = 1.0f + 0.07f * (1.0f - smoothf(0.0f, 2.2f, away));
    float lines = 1.0f - 0.13f * grid(s, p, x, y);
    vec3 lit_colour = v3_scale(v3_mul(colour, share), pool * lines);
    return v3_lerp(colour, lit_colour, near);
}

uint8_t shade_to_byte(float linear) {
    const float knee = 0.72f;
    float x = linear;
    if (x > knee) {
        float over = (x - knee) / (1.0f - knee);
        x = knee + (1.0f - knee) * over / (1.0f + over);
    }
    float value = colour_from_linear(x) * 255.0f + 0.5f;
    return (uint8_t)(value < 0.0f ? 0.0f : value > 255.0f ? 255.0f : value);
}
