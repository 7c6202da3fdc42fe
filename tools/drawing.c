// SPDX-License-Identifier: MIT
#include "tools/drawing.h"
#include "tools/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { HULL_PLANES_MAX = 64, POLYGON_MAX = HULL_PLANES_MAX + 8 };

// Makes room for one more and returns it, zeroed; NULL if there is none.
static void* grow(drawing* d, void** array, int32_t* count, int32_t* capacity, size_t size) {
    if (*count == *capacity) {
        int32_t larger = *capacity < 16 ? 16 : *capacity * 2;
        void* moved = *capacity <= INT32_MAX / 2 ? realloc(*array, (size_t)larger * size) : NULL;
        if (moved == NULL) {
            d->failed = true;
            return NULL;
        }
        *array = moved;
        *capacity = larger;
    }
    char* item = (char*)*array + (size_t)*count * size;
    (*count)++;
    memset(item, 0, size);
    return item;
}

void drawing_clear(drawing* d) {
    for (int32_t i = 0; i < d->owned_count; i++) {
        free(d->owned[i]);
    }
    d->mesh_count = d->ellipsoid_count = d->cone_count = d->owned_count = 0;
}

void drawing_destroy(drawing* d) {
    drawing_clear(d);
    free(d->meshes);
    free(d->ellipsoids);
    free(d->cones);
    free(d->owned);
    memset(d, 0, sizeof(*d));
}

void drawing_mesh(drawing* d, const render_mesh* mesh) {
    render_mesh* m = grow(d, (void**)&d->meshes, &d->mesh_count, &d->mesh_capacity, sizeof(render_mesh));
    if (m != NULL) {
        *m = *mesh;
    }
}

void drawing_ellipsoid(drawing* d, const float position[3], const float rotation[4], const float radii[3],
                       image_colour colour) {
    render_ellipsoid* e =
        grow(d, (void**)&d->ellipsoids, &d->ellipsoid_count, &d->ellipsoid_capacity, sizeof(render_ellipsoid));
    if (e != NULL) {
        memcpy(e->position, position, sizeof(e->position));
        memcpy(e->rotation, rotation, sizeof(e->rotation));
        memcpy(e->radii, radii, sizeof(e->radii));
        e->colour = colour;
        e->gloss = 0.12f;
    }
}

void drawing_ball(drawing* d, const float position[3], float radius, image_colour colour) {
    const float rotation[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    const float radii[3] = {radius, radius, radius};
    drawing_ellipsoid(d, position, rotation, radii, colour);
}

static render_cone* add_cone(drawing* d, const float a[3], const float b[3], image_colour colour) {
    render_cone* c = grow(d, (void**)&d->cones, &d->cone_count, &d->cone_capacity, sizeof(render_cone));
    if (c != NULL) {
        memcpy(c->a, a, sizeof(c->a));
        memcpy(c->b, b, sizeof(c->b));
        c->colour_a = c->colour_b = colour;
    }
    return c;
}

void drawing_link(drawing* d, const float a[3], const float b[3], float radius, float pixels_min, image_colour colour) {
    render_cone* c = add_cone(d, a, b, colour);
    if (c != NULL) {
        c->radius_a = c->radius_b = radius;
        c->pixels_min = pixels_min;
    }
}

static image_colour between(image_colour a, image_colour b, float t) {
    image_colour c = 0;
    for (int32_t shift = 0; shift < 32; shift += 8) {
        const float x = (float)(a >> shift & 255), y = (float)(b >> shift & 255);
        c |= (image_colour)(x + t * (y - x) + 0.5f) << shift;
    }
    return c;
}

void drawing_strand(drawing* d, const float (*points)[3], int32_t count, float radius_root, float radius_tip,
                    float pixels_min, image_colour root, image_colour tip) {
    for (int32_t i = 0; i + 1 < count; i++) {
        const float a = (float)i / (float)(count - 1), b = (float)(i + 1) / (float)(count - 1);
        render_cone* c = add_cone(d, points[i], points[i + 1], between(root, tip, a));
        if (c != NULL) {
            c->colour_b = between(root, tip, b);
            c->radius_a = radius_root + a * (radius_tip - radius_root);
            c->radius_b = radius_root + b * (radius_tip - radius_root);
            c->pixels_min = pixels_min;
        }
    }
}

void drawing_capsule(drawing* d, const float a[3], const float b[3], float radius_a, float radius_b,
                     image_colour colour) {
    render_cone* c = add_cone(d, a, b, colour);
    if (c != NULL) {
        c->radius_a = radius_a;
        c->radius_b = radius_b;
    }
}

// The shaft is a tube, the head a round cone that ends in a point.
void drawing_arrow(drawing* d, const float from[3], const float to[3], float radius, image_colour colour) {
    vec3 a = v3_load(from), b = v3_load(to);
    vec3 along = v3_sub(b, a);
    float length = v3_length(along);
    float head = fminf(7.0f * radius, 0.5f * length);
    vec3 neck = length > 0.0f ? v3_mad(b, along, -head / length) : a;
    float middle[3];
    v3_store(middle, neck);
    drawing_capsule(d, from, middle, radius, radius, colour);
    drawing_capsule(d, middle, to, fminf(2.6f * radius, 0.45f * head), 0.2f * radius, colour);
}

static void* own(drawing* d, size_t size) {
    void* memory = malloc(size);
    void** place =
        memory != NULL ? grow(d, (void**)&d->owned, &d->owned_count, &d->owned_capacity, sizeof(void*)) : NULL;
    if (place == NULL) {
        free(memory);
        d->failed = true;
        return NULL;
    }
    *place = memory;
    return memory;
}

// Cuts a polygon to one side of a plane.
static int32_t cut(vec3* polygon, int32_t count, vec3 normal, float offset) {
    vec3 kept[POLYGON_MAX];
    int32_t kept_count = 0;
    for (int32_t i = 0; i < count; i++) {
        vec3 a = polygon[i], b = polygon[(i + 1) % count];
        float da = v3_dot(normal, a) - offset, db = v3_dot(normal, b) - offset;
        if (da <= 0.0f && kept_count < POLYGON_MAX) {
            kept[kept_count++] = a;
        }
        if ((da <= 0.0f) != (db <= 0.0f) && kept_count < POLYGON_MAX) {
            kept[kept_count++] = v3_lerp(a, b, da / (da - db));
        }
    }
    memcpy(polygon, kept, sizeof(vec3) * (size_t)kept_count);
    return kept_count;
}

// Each plane starts as a large square and is cut by all the others; what is left is its face.
void drawing_hull(drawing* d, const float position[3], const float rotation[4], const float (*planes)[4],
                  int32_t plane_count, float reach, image_colour colour) {
    plane_count = plane_count > HULL_PLANES_MAX ? HULL_PLANES_MAX : plane_count;
    size_t vertex_max = (size_t)plane_count * POLYGON_MAX;
    float* positions = own(d, vertex_max * 3 * sizeof(float));
    uint32_t* indices = own(d, vertex_max * 3 * sizeof(uint32_t));
    if (positions == NULL || indices == NULL) {
        return;
    }
    int32_t vertex_count = 0, index_count = 0;
    vec3 origin = v3_load(position);
    for (int32_t i = 0; i < plane_count; i++) {
        vec3 n = v3_load(planes[i]);
        vec3 u = v3_scale(v3_perpendicular(n), reach), v = v3_scale(v3_cross(n, v3_perpendicular(n)), reach);
        vec3 c = v3_scale(n, planes[i][3]);
        vec3 face[POLYGON_MAX] = {v3_sub(v3_sub(c, u), v), v3_sub(v3_add(c, u), v), v3_add(v3_add(c, u), v),
                                  v3_add(v3_sub(c, u), v)};
        int32_t count = 4;
        for (int32_t k = 0; k < plane_count && count > 0; k++) {
            if (k != i) {
                count = cut(face, count, v3_load(planes[k]), planes[k][3]);
            }
        }
        for (int32_t k = 2; k < count; k++) {
            indices[index_count++] = (uint32_t)vertex_count;
            indices[index_count++] = (uint32_t)(vertex_count + k - 1);
            indices[index_count++] = (uint32_t)(vertex_count + k);
        }
        for (int32_t k = 0; k < count; k++) {
            v3_store(positions + 3 * vertex_count++, v3_add(origin, v3_rotate(rotation, face[k])));
        }
    }
    render_mesh mesh = {.positions = positions,
                        .indices = indices,
                        .vertex_count = vertex_count,
                        .triangle_count = index_count / 3,
                        .colour = colour};
    drawing_mesh(d, &mesh);
}

void drawing_box(drawing* d, const float position[3], const float rotation[4], const float half[3],
                 image_colour colour) {
    const float planes[6][4] = {{1.0f, 0.0f, 0.0f, half[0]}, {-1.0f, 0.0f, 0.0f, half[0]},
                                {0.0f, 1.0f, 0.0f, half[1]}, {0.0f, -1.0f, 0.0f, half[1]},
                                {0.0f, 0.0f, 1.0f, half[2]}, {0.0f, 0.0f, -1.0f, half[2]}};
    float reach = 2.0f * (half[0] + half[1] + half[2]);
    drawing_hull(d, position, rotation, planes, 6, reach, colour);
}

void drawing_fill(const drawing* d, render_scene* scene) {
    scene->meshes = d->meshes;
    scene->mesh_count = d->mesh_count;
    scene->ellipsoids = d->ellipsoids;
    scene->ellipsoid_count = d->ellipsoid_count;
    scene->cones = d->cones;
    scene->cone_count = d->cone_count;
}
