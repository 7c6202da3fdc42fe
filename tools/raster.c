// SPDX-License-Identifier: MIT
#include "tools/raster.h"

#include <stdlib.h>
#include <string.h>

enum {
    SUBPIXEL = 256,
    CLIPPED_MAX = 2, // a triangle cut by one plane is at most two
    COORDINATE_MAX = 1 << 27,
};

// Eight places no two of which share a row or a column of the 16 x 16 grid: edges near to upright and near to level,
// the most visible ones, get eight shades. In sixteenths of a pixel.
static const int8_t SAMPLE_X[RASTER_SAMPLES] = {9, 7, 13, 5, 3, 1, 11, 15};
static const int8_t SAMPLE_Y[RASTER_SAMPLES] = {5, 11, 9, 3, 13, 7, 15, 1};

void raster_sample_offset(int32_t index, float* x, float* y) {
    *x = (float)SAMPLE_X[index] / 16.0f;
    *y = (float)SAMPLE_Y[index] / 16.0f;
}

raster_view raster_view_make(const render_camera* camera, int32_t width, int32_t height) {
    raster_view v;
    v.eye = v3_load(camera->eye);
    v.forward = v3_normalize(v3_sub(v3_load(camera->target), v.eye), v3(0.0f, 0.0f, -1.0f));
    v.right = v3_normalize(v3_cross(v.forward, v3_load(camera->up)), v3_perpendicular(v.forward));
    v.up = v3_cross(v.right, v.forward);
    v.pixels_per_slope = 0.5f * (float)height * camera->focal;
    v.middle_x = 0.5f * (float)width;
    v.middle_y = 0.5f * (float)height;
    v.width = width;
    v.height = height;
    return v;
}

// -- Preparing items

static raster_rect rect_between(const raster_view* v, float x0, float y0, float x1, float y1) {
    raster_rect r;
    r.x0 = (int32_t)floorf(clampf(x0, 0.0f, (float)v->width));
    r.y0 = (int32_t)floorf(clampf(y0, 0.0f, (float)v->height));
    r.x1 = (int32_t)ceilf(clampf(x1, 0.0f, (float)v->width));
    r.y1 = (int32_t)ceilf(clampf(y1, 0.0f, (float)v->height));
    return r;
}

static raster_rect rect_cut(raster_rect a, raster_rect b) {
    raster_rect r;
    r.x0 = a.x0 > b.x0 ? a.x0 : b.x0;
    r.y0 = a.y0 > b.y0 ? a.y0 : b.y0;
    r.x1 = a.x1 < b.x1 ? a.x1 : b.x1;
    r.y1 = a.y1 < b.y1 ? a.y1 : b.y1;
    return r;
}

static raster_rect rect_join(raster_rect a, raster_rect b) {
    if (a.x1 <= a.x0 || a.y1 <= a.y0) {
        return b;
    }
    if (b.x1 <= b.x0 || b.y1 <= b.y0) {
        return a;
    }
    raster_rect r;
    r.x0 = a.x0 < b.x0 ? a.x0 : b.x0;
    r.y0 = a.y0 < b.y0 ? a.y0 : b.y0;
    r.x1 = a.x1 > b.x1 ? a.x1 : b.x1;
    r.y1 = a.y1 > b.y1 ? a.y1 : b.y1;
    return r;
}

static vec3 to_view(const raster_view* v, vec3 p) {
    vec3 q = v3_sub(p, v->eye);
    return v3(v3_dot(q, v->right), v3_dot(q, v->up), v3_dot(q, v->forward));
}

static int32_t snap(float pixels) {
    return (int32_t)clampf(floorf(pixels * SUBPIXEL + 0.5f), -COORDINATE_MAX, COORDINATE_MAX);
}

static void emit_triangle(raster* r, const vec3 corner[3], int32_t mesh, int32_t triangle) {
    raster_triangle t;
    for (int32_t i = 0; i < 3; i++) {
        float inverse = 1.0f / corner[i].z;
        t.x[i] = snap(r->view.middle_x + corner[i].x * inverse * r->view.pixels_per_slope);
        t.y[i] = snap(r->view.middle_y - corner[i].y * inverse * r->view.pixels_per_slope);
        t.inverse_depth[i] = inverse;
    }
    t.mesh = mesh;
    t.triangle = triangle;
    int64_t area = (int64_t)(t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) - (int64_t)(t.y[1] - t.y[0]) * (t.x[2] - t.x[0]);
    if (area == 0) {
        return;
    }
    if (area < 0) { // one winding from here on; both sides are drawn
        int32_t x = t.x[1], y = t.y[1];
        float depth = t.inverse_depth[1];
        t.x[1] = t.x[2], t.y[1] = t.y[2], t.inverse_depth[1] = t.inverse_depth[2];
        t.x[2] = x, t.y[2] = y, t.inverse_depth[2] = depth;
    }
    float x0 = (float)t.x[0], x1 = x0, y0 = (float)t.y[0], y1 = y0;
    for (int32_t i = 1; i < 3; i++) {
        x0 = fminf(x0, (float)t.x[i]), x1 = fmaxf(x1, (float)t.x[i]);
        y0 = fminf(y0, (float)t.y[i]), y1 = fmaxf(y1, (float)t.y[i]);
    }
    raster_rect rect = rect_between(&r->view, x0 / SUBPIXEL, y0 / SUBPIXEL, x1 / SUBPIXEL, y1 / SUBPIXEL);
    if (rect.x1 > rect.x0 && rect.y1 > rect.y0) {
        r->rects[r->triangle_count] = rect;
        r->triangles[r->triangle_count++] = t;
    }
}

// Cuts a triangle at the near plane, then projects what is left.
static void add_triangle(raster* r, const vec3 corner[3], float near, int32_t mesh, int32_t triangle) {
    vec3 kept[4];
    int32_t count = 0;
    for (int32_t i = 0; i < 3; i++) {
        vec3 a = corner[i], b = corner[(i + 1) % 3];
        if (a.z >= near) {
            kept[count++] = a;
        }
        if ((a.z >= near) != (b.z >= near)) {
            vec3 cut = v3_lerp(a, b, (near - a.z) / (b.z - a.z));
            cut.z = near;
            kept[count++] = cut;
        }
    }
    for (int32_t i = 2; i < count; i++) {
        vec3 part[3] = {kept[0], kept[i - 1], kept[i]};
        emit_triangle(r, part, mesh, triangle);
    }
}

static bool finite3(vec3 p) {
    float sum = fabsf(p.x) + fabsf(p.y) + fabsf(p.z);
    return sum < 1e18f; // false for NaN as well
}

static float add_mesh(raster* r, const render_mesh* mesh, int32_t mesh_index, float near) {
    float nearest = 1e30f;
    for (int32_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t* index = mesh->indices + 3 * (size_t)i;
        uint32_t count = (uint32_t)mesh->vertex_count;
        if (index[0] >= count || index[1] >= count || index[2] >= count) {
            continue;
        }
        vec3 corner[3];
        bool good = true;
        for (int32_t k = 0; k < 3; k++) {
            corner[k] = to_view(&r->view, v3_load(mesh->positions + 3 * (size_t)index[k]));
            good = good && finite3(corner[k]);
            nearest = corner[k].z < nearest ? corner[k].z : nearest;
        }
        if (good) {
            add_triangle(r, corner, near, mesh_index, i);
        }
    }
    return nearest;
}

// The picture's rectangle around an ellipsoid. Planes through the eye that touch it obey a quadratic: with c its centre and
// S = sum arm arm^T in view space, the slope m of an upright touching plane solves
//     (c.z^2 - S.zz) m^2 - 2 (c.x c.z - S.xz) m + (c.x^2 - S.xx) = 0.
static bool touching_slopes(float c, float z, float s_cc, float s_cz, float s_zz, float* low, float* high) {
    float qa = z * z - s_zz, qb = c * z - s_cz, qc = c * c - s_cc;
    float discriminant = qb * qb - qa * qc;
    if (!(qa > 0.0f) || !(discriminant >= 0.0f)) {
        return false;
    }
    float root = sqrtf(discriminant);
    *low = (qb - root) / qa;
    *high = (qb + root) / qa;
    return true;
}

static raster_rect ellipsoid_rect(const raster_view* v, const ellipsoid* e) {
    raster_rect none = {0, 0, 0, 0};
    vec3 c = to_view(v, e->centre);
    float xx = 0.0f, yy = 0.0f, zz = 0.0f, xz = 0.0f, yz = 0.0f;
    for (int32_t i = 0; i < 3; i++) {
        float x = v3_dot(e->arm[i], v->right), y = v3_dot(e->arm[i], v->up), z = v3_dot(e->arm[i], v->forward);
        xx += x * x, yy += y * y, zz += z * z, xz += x * z, yz += y * z;
    }
    float x0, x1, y0, y1;
    if (!finite3(c) || c.z <= 0.0f || !touching_slopes(c.x, c.z, xx, xz, zz, &x0, &x1) ||
        !touching_slopes(c.y, c.z, yy, yz, zz, &y0, &y1)) {
        return none; // reaches the eye, or lies behind it
    }
    return rect_between(v, v->middle_x + x0 * v->pixels_per_slope - 0.5f, v->middle_y - y1 * v->pixels_per_slope - 0.5f,
                        v->middle_x + x1 * v->pixels_per_slope + 0.5f, v->middle_y - y0 * v->pixels_per_slope + 0.5f);
}

static raster_rect ball_rect(const raster_view* v, vec3 centre, float radius) {
    ellipsoid e;
    e.centre = centre;
    e.arm[0] = v3(radius, 0.0f, 0.0f);
    e.arm[1] = v3(0.0f, radius, 0.0f);
    e.arm[2] = v3(0.0f, 0.0f, radius);
    return ellipsoid_rect(v, &e);
}

// The hull of two balls projects into the hull of their rectangles.
static raster_rect cone_rect(const raster_view* v, const cone* c) {
    return rect_join(ball_rect(v, c->a, c->radius_a), ball_rect(v, v3_mad(c->a, c->axis, c->length), c->radius_b));
}

static cone widen_cone(const raster_view* v, const render_cone* c) {
    vec3 a = v3_load(c->a), b = v3_load(c->b);
    float pixel_a = fabsf(to_view(v, a).z) / v->pixels_per_slope * c->pixels_min;
    float pixel_b = fabsf(to_view(v, b).z) / v->pixels_per_slope * c->pixels_min;
    return cone_prepare(a, b, fmaxf(c->radius_a, pixel_a), fmaxf(c->radius_b, pixel_b));
}

static void add_layer(raster* r, int32_t first_item, int32_t item_count, image_colour colour, float nearest) {
    raster_layer layer = {.first_item = first_item, .item_count = item_count, .nearest = nearest};
    layer.alpha = (float)(colour & 255u) / 255.0f;
    for (int32_t i = 0; i < item_count; i++) {
        layer.rect = rect_join(layer.rect, r->rects[first_item + i]);
    }
    // Farthest first; equals keep their order. The list is short.
    int32_t place = r->layer_count++;
    while (place > 0 && r->layers[place - 1].nearest < nearest) {
        r->layers[place] = r->layers[place - 1];
        place--;
    }
    r->layers[place] = layer;
}

// Two passes over the items: count per tile, then fill.
static bool build_bins(raster* r, const uint8_t* opaque) {
    r->tiles_x = (r->view.width + RASTER_TILE - 1) / RASTER_TILE;
    r->tiles_y = (r->view.height + RASTER_TILE - 1) / RASTER_TILE;
    int32_t tile_count = r->tiles_x * r->tiles_y;
    r->bin_first = calloc((size_t)tile_count + 1, sizeof(int32_t));
    int32_t* fill = calloc((size_t)tile_count, sizeof(int32_t));
    if (r->bin_first == NULL || fill == NULL) {
        free(fill);
        return false;
    }
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < r->item_count; i++) {
            raster_rect q = r->rects[i];
            if (!opaque[i] || q.x1 <= q.x0 || q.y1 <= q.y0) {
                continue;
            }
            for (int32_t y = q.y0 / RASTER_TILE; y <= (q.y1 - 1) / RASTER_TILE; y++) {
                for (int32_t x = q.x0 / RASTER_TILE; x <= (q.x1 - 1) / RASTER_TILE; x++) {
                    int32_t tile = y * r->tiles_x + x;
                    if (pass == 0) {
                        r->bin_first[tile + 1]++;
                    } else {
                        r->bin_items[r->bin_first[tile] + fill[tile]++] = i;
                    }
                }
            }
        }
        if (pass == 0) {
            for (int32_t i = 0; i < tile_count; i++) {
                r->bin_first[i + 1] += r->bin_first[i];
            }
            size_t total = (size_t)r->bin_first[tile_count];
            r->bin_items = malloc(sizeof(int32_t) * (total > 0 ? total : 1));
            if (r->bin_items == NULL) {
                free(fill);
                return false;
            }
        }
    }
    free(fill);
    return true;
}

bool raster_create(raster* r, const render_scene* scene, const render_camera* camera, int32_t width, int32_t height) {
    memset(r, 0, sizeof(*r));
    r->view = raster_view_make(camera, width, height);
    r->ellipsoid_count = scene->ellipsoid_count;
    r->cone_count = scene->cone_count;
    size_t triangle_max = 0;
    for (int32_t i = 0; i < scene->mesh_count; i++) {
        triangle_max += (size_t)scene->meshes[i].triangle_count * CLIPPED_MAX;
    }
    size_t round_count = (size_t)scene->ellipsoid_count + (size_t)scene->cone_count;
    size_t item_max = triangle_max + round_count + 1;
    if (item_max > INT32_MAX / 4) {
        return false;
    }
    r->triangles = malloc(sizeof(raster_triangle) * (triangle_max + 1));
    r->rects = malloc(sizeof(raster_rect) * item_max);
    r->primitives.ellipsoids = malloc(sizeof(ellipsoid) * ((size_t)scene->ellipsoid_count + 1));
    r->primitives.cones = malloc(sizeof(cone) * ((size_t)scene->cone_count + 1));
    r->layers = malloc(sizeof(raster_layer) * (round_count + (size_t)scene->mesh_count + 1));
    uint8_t* opaque = calloc(item_max, 1);
    if (r->triangles == NULL || r->rects == NULL || r->primitives.ellipsoids == NULL || r->primitives.cones == NULL ||
        r->layers == NULL || opaque == NULL) {
        free(opaque);
        raster_destroy(r);
        return false;
    }
    float distance = v3_length(v3_sub(v3_load(camera->target), r->view.eye));
    for (int32_t i = 0; i < scene->mesh_count; i++) {
        const render_mesh* mesh = &scene->meshes[i];
        int32_t first = r->triangle_count;
        float nearest = add_mesh(r, mesh, i, 0.01f * distance);
        if ((mesh->colour & 255u) == 255u) {
            memset(opaque + first, 1, (size_t)(r->triangle_count - first));
        } else {
            add_layer(r, first, r->triangle_count - first, mesh->colour, nearest);
        }
    }
    int32_t item = r->triangle_count;
    for (int32_t i = 0; i < scene->ellipsoid_count; i++, item++) {
        ellipsoid* e = &r->primitives.ellipsoids[i];
        *e = ellipsoid_prepare(&scene->ellipsoids[i]);
        r->rects[item] = ellipsoid_rect(&r->view, e);
        opaque[item] = (scene->ellipsoids[i].colour & 255u) == 255u;
        if (!opaque[item]) {
            add_layer(r, item, 1, scene->ellipsoids[i].colour, to_view(&r->view, e->centre).z);
        }
    }
    for (int32_t i = 0; i < scene->cone_count; i++, item++) {
        cone* c = &r->primitives.cones[i];
        *c = widen_cone(&r->view, &scene->cones[i]);
        r->rects[item] = cone_rect(&r->view, c);
        opaque[item] = (scene->cones[i].colour_a & 255u) == 255u;
        if (!opaque[item]) {
            add_layer(r, item, 1, scene->cones[i].colour_a,
                      to_view(&r->view, v3_mad(c->a, c->axis, 0.5f * c->length)).z);
        }
    }
    r->item_count = item;
    bool ok = build_bins(r, opaque);
    free(opaque);
    if (!ok) {
        raster_destroy(r);
    }
    return ok;
}

void raster_destroy(raster* r) {
    free(r->triangles);
    free(r->rects);
    free(r->primitives.ellipsoids);
    free(r->primitives.cones);
    free(r->bin_first);
    free(r->bin_items);
    free(r->layers);
    memset(r, 0, sizeof(*r));
}

// -- Drawing

static void draw_triangle(const raster_triangle* t, int32_t item, raster_rect q, raster_tile* tile) {
    // Edge i is opposite to corner i; inside, all three are >= 0 and they sum to twice the area.
    int64_t step_x[3], step_y[3], start[3], reach[3];
    for (int32_t i = 0; i < 3; i++) {
        int32_t a = (i + 1) % 3, b = (i + 2) % 3;
        step_x[i] = (int64_t)t->y[a] - t->y[b];
        step_y[i] = (int64_t)t->x[b] - t->x[a];
        start[i] = -(step_x[i] * t->x[a] + step_y[i] * t->y[a]);
        reach[i] =
            ((step_x[i] < 0 ? -step_x[i] : step_x[i]) + (step_y[i] < 0 ? -step_y[i] : step_y[i])) * (SUBPIXEL / 2);
    }
    double area = (double)(start[0] + start[1] + start[2]);
    double slope_x = 0.0, slope_y = 0.0, base = 0.0;
    for (int32_t i = 0; i < 3; i++) {
        slope_x += (double)step_x[i] * t->inverse_depth[i] / area;
        slope_y += (double)step_y[i] * t->inverse_depth[i] / area;
        base += (double)start[i] * t->inverse_depth[i] / area;
    }
    for (int32_t y = q.y0; y < q.y1; y++) {
        for (int32_t x = q.x0; x < q.x1; x++) {
            int64_t px = (int64_t)x * SUBPIXEL, py = (int64_t)y * SUBPIXEL;
            int64_t edge[3];
            bool outside = false;
            for (int32_t i = 0; i < 3; i++) {
                edge[i] = start[i] + step_x[i] * px + step_y[i] * py;
                int64_t centre = edge[i] + (step_x[i] + step_y[i]) * (SUBPIXEL / 2);
                outside = outside || centre + reach[i] < 0;
            }
            if (outside) {
                continue;
            }
            size_t k = (size_t)((y - tile->rect.y0) * RASTER_TILE + (x - tile->rect.x0)) * RASTER_SAMPLES;
            for (int32_t s = 0; s < RASTER_SAMPLES; s++, k++) {
                int64_t sx = SAMPLE_X[s] * (SUBPIXEL / 16), sy = SAMPLE_Y[s] * (SUBPIXEL / 16);
                if ((edge[0] + step_x[0] * sx + step_y[0] * sy) < 0 ||
                    (edge[1] + step_x[1] * sx + step_y[1] * sy) < 0 ||
                    (edge[2] + step_x[2] * sx + step_y[2] * sy) < 0) {
                    continue;
                }
                float inverse_depth = (float)(base + slope_x * (double)(px + sx) + slope_y * (double)(py + sy));
                if (inverse_depth > tile->inverse_depth[k]) {
                    tile->inverse_depth[k] = inverse_depth;
                    tile->item[k] = item;
                }
            }
        }
    }
}

static void draw_round(const raster* r, int32_t item, raster_rect q, raster_tile* tile) {
    int32_t index = item - r->triangle_count;
    const ellipsoid* e = index < r->ellipsoid_count ? &r->primitives.ellipsoids[index] : NULL;
    const cone* c = e == NULL ? &r->primitives.cones[index - r->ellipsoid_count] : NULL;
    for (int32_t y = q.y0; y < q.y1; y++) {
        for (int32_t x = q.x0; x < q.x1; x++) {
            size_t k = (size_t)((y - tile->rect.y0) * RASTER_TILE + (x - tile->rect.x0)) * RASTER_SAMPLES;
            for (int32_t s = 0; s < RASTER_SAMPLES; s++, k++) {
                vec3 ray =
                    raster_ray(&r->view, (float)x + (float)SAMPLE_X[s] / 16.0f, (float)y + (float)SAMPLE_Y[s] / 16.0f);
                float depth;
                bool hit =
                    e != NULL ? ellipsoid_hit(e, r->view.eye, ray, &depth) : cone_hit(c, r->view.eye, ray, &depth);
                if (hit && 1.0f / depth > tile->inverse_depth[k]) {
                    tile->inverse_depth[k] = 1.0f / depth;
                    tile->item[k] = item;
                }
            }
        }
    }
}

void raster_draw(const raster* r, int32_t item, raster_tile* tile) {
    raster_rect q = rect_cut(r->rects[item], tile->rect);
    if (q.x1 <= q.x0 || q.y1 <= q.y0) {
        return;
    }
    if (item < r->triangle_count) {
        draw_triangle(&r->triangles[item], item, q, tile);
    } else {
        draw_round(r, item, q, tile);
    }
}
