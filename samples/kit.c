// SPDX-License-Identifier: MIT
#include "samples/kit.h"

#include "platform/math_double.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Vectors, quaternions and the model's arrays. A model is a list of blocks; growing an array takes a new block of
// twice the size and leaves the old one in the list, which wastes at most half and keeps every pointer's owner
// obvious.

enum {
    KIT_BONE_CAPACITY = 512,
    KIT_MATERIAL_CAPACITY = 32,
    KIT_MESH_CAPACITY = 32,
    KIT_CLIP_CAPACITY = 32,
};

void kit_die(const char* message, const char* detail) {
    fprintf(stderr, "hem_samples: %s: %s\n", message, detail);
    exit(1);
}

// -- Scalars

double kit_sin(double radians) {
    return hem_sin(radians);
}

double kit_cos(double radians) {
    return hem_cos(radians);
}

double kit_atan2(double y, double x) {
    double ax = fabs(x), ay = fabs(y);
    double high = ax > ay ? ax : ay, low = ax > ay ? ay : ax;
    if (high == 0.0) {
        return 0.0;
    }
    // Halve the angle three times, then the series converges at once.
    double t = low / high;
    for (int32_t i = 0; i < 3; ++i) {
        t = t / (1.0 + sqrt(1.0 + t * t));
    }
    double s = t * t, sum = 0.0;
    for (int32_t k = 15; k >= 1; k -= 2) {
        sum = 1.0 / (double)k - s * sum;
    }
    double angle = 8.0 * t * sum;
    angle = ay > ax ? 0.5 * KIT_PI - angle : angle;
    angle = x < 0.0 ? KIT_PI - angle : angle;
    return y < 0.0 ? -angle : angle;
}

double kit_acos(double x) {
    x = kit_clamp(x, -1.0, 1.0);
    return kit_atan2(sqrt((1.0 - x) * (1.0 + x)), x);
}

double kit_exp(double x) {
    return hem_exp(x);
}

double kit_smooth(double low, double high, double x) {
    double t = kit_clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

double kit_bump(double centre, double width, double x) {
    return 1.0 - kit_smooth(0.0, width, fabs(x - centre));
}

static uint32_t scramble(uint32_t h) {
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    return h;
}

double kit_random(uint32_t seed, uint32_t index) {
    return (double)(scramble(index + scramble(seed + 0x9e3779b9u)) >> 8) / 16777216.0;
}

static double lattice_noise(int32_t x, int32_t y, int32_t z, uint32_t seed) {
    uint32_t h = scramble((uint32_t)x + scramble((uint32_t)y + scramble((uint32_t)z + scramble(seed))));
    return (double)(h >> 8) / 8388608.0 - 1.0;
}

double kit_noise(kit_vec p, uint32_t seed) {
    double fx = floor(p.x), fy = floor(p.y), fz = floor(p.z);
    int32_t x = (int32_t)fx, y = (int32_t)fy, z = (int32_t)fz;
    double u = kit_smooth(0.0, 1.0, p.x - fx), v = kit_smooth(0.0, 1.0, p.y - fy), w = kit_smooth(0.0, 1.0, p.z - fz);
    double c[2][2];
    for (int32_t j = 0; j < 2; ++j) {
        for (int32_t k = 0; k < 2; ++k) {
            c[j][k] = kit_mix(lattice_noise(x, y + j, z + k, seed), lattice_noise(x + 1, y + j, z + k, seed), u);
        }
    }
    return kit_mix(kit_mix(c[0][0], c[1][0], v), kit_mix(c[0][1], c[1][1], v), w);
}

double kit_blotches(kit_vec p, uint32_t seed) {
    kit_quat a = {0.36, 0.48, 0.64, 0.48}, b = {-0.48, 0.64, 0.36, -0.48};
    return 0.6 * (kit_noise(kit_rotate(a, p), seed) + kit_noise(kit_mul(kit_rotate(b, p), 1.37), seed + 1)) +
           0.3 * kit_noise(kit_mul(p, 2.71), seed + 2);
}

// -- Vectors

kit_vec kit_unit(kit_vec a) {
    double length = kit_length(a);
    return length > 1e-12 ? kit_mul(a, 1.0 / length) : kit_v(1.0, 0.0, 0.0);
}

// -- Quaternions and frames

kit_quat kit_identity(void) {
    return (kit_quat){0.0, 0.0, 0.0, 1.0};
}

kit_quat kit_turn(kit_vec axis, double radians) {
    kit_vec u = kit_mul(kit_unit(axis), kit_sin(0.5 * radians));
    return (kit_quat){u.x, u.y, u.z, kit_cos(0.5 * radians)};
}

kit_quat kit_euler(double x_degrees, double y_degrees, double z_degrees) {
    double r = KIT_PI / 180.0;
    kit_quat x = kit_turn(kit_v(1.0, 0.0, 0.0), x_degrees * r);
    kit_quat y = kit_turn(kit_v(0.0, 1.0, 0.0), y_degrees * r);
    kit_quat z = kit_turn(kit_v(0.0, 0.0, 1.0), z_degrees * r);
    return kit_qmul(y, kit_qmul(x, z));
}

kit_quat kit_between(kit_vec from, kit_vec to) {
    from = kit_unit(from);
    to = kit_unit(to);
    double d = kit_dot(from, to);
    if (d < -0.999999) {
        kit_vec side = kit_cross(from, kit_v(1.0, 0.0, 0.0));
        if (kit_length(side) < 1e-3) {
            side = kit_cross(from, kit_v(0.0, 0.0, 1.0));
        }
        return kit_turn(side, KIT_PI);
    }
    kit_vec c = kit_cross(from, to);
    return kit_qunit((kit_quat){c.x, c.y, c.z, 1.0 + d});
}

kit_quat kit_qmul(kit_quat a, kit_quat b) {
    return (kit_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                      a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

kit_quat kit_qinv(kit_quat q) {
    return (kit_quat){-q.x, -q.y, -q.z, q.w};
}

kit_quat kit_qunit(kit_quat q) {
    double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (n < 1e-12) {
        return kit_identity();
    }
    return (kit_quat){q.x / n, q.y / n, q.z / n, q.w / n};
}

kit_quat kit_slerp(kit_quat a, kit_quat b, double t) {
    double s = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0.0 ? -t : t;
    double r = 1.0 - t;
    return kit_qunit((kit_quat){a.x * r + b.x * s, a.y * r + b.y * s, a.z * r + b.z * s, a.w * r + b.w * s});
}

kit_quat kit_qmirror(kit_quat q) {
    return (kit_quat){q.x, -q.y, -q.z, q.w};
}

kit_quat kit_quat_of_frame(kit_frame f) {
    double m00 = f.x.x, m11 = f.y.y, m22 = f.z.z;
    kit_quat q;
    if (m00 + m11 + m22 > 0.0) {
        q = (kit_quat){f.y.z - f.z.y, f.z.x - f.x.z, f.x.y - f.y.x, 1.0 + m00 + m11 + m22};
    } else if (m00 > m11 && m00 > m22) {
        q = (kit_quat){1.0 + m00 - m11 - m22, f.x.y + f.y.x, f.z.x + f.x.z, f.y.z - f.z.y};
    } else if (m11 > m22) {
        q = (kit_quat){f.x.y + f.y.x, 1.0 - m00 + m11 - m22, f.y.z + f.z.y, f.z.x - f.x.z};
    } else {
        q = (kit_quat){f.z.x + f.x.z, f.y.z + f.z.y, 1.0 - m00 - m11 + m22, f.x.y - f.y.x};
    }
    return kit_qunit(q);
}

kit_frame kit_frame_of(kit_quat q, kit_vec origin) {
    return (kit_frame){kit_rotate(q, kit_v(1.0, 0.0, 0.0)), kit_rotate(q, kit_v(0.0, 1.0, 0.0)),
                       kit_rotate(q, kit_v(0.0, 0.0, 1.0)), origin};
}

kit_frame kit_frame_mul(kit_frame a, kit_frame b) {
    return (kit_frame){kit_direction(a, b.x), kit_direction(a, b.y), kit_direction(a, b.z), kit_point(a, b.origin)};
}

kit_frame kit_frame_inverse(kit_frame f) {
    kit_vec yz = kit_cross(f.y, f.z), zx = kit_cross(f.z, f.x), xy = kit_cross(f.x, f.y);
    double s = 1.0 / kit_dot(f.x, yz);
    kit_frame r;
    r.x = kit_v(yz.x * s, zx.x * s, xy.x * s);
    r.y = kit_v(yz.y * s, zx.y * s, xy.y * s);
    r.z = kit_v(yz.z * s, zx.z * s, xy.z * s);
    r.origin = kit_v(0.0, 0.0, 0.0);
    r.origin = kit_mul(kit_direction(r, f.origin), -1.0);
    return r;
}

kit_vec kit_point(kit_frame f, kit_vec p) {
    return kit_add(kit_direction(f, p), f.origin);
}

kit_vec kit_direction(kit_frame f, kit_vec d) {
    return kit_mad(kit_mad(kit_mul(f.x, d.x), f.y, d.y), f.z, d.z);
}

// -- Model

static void* take(size_t size) {
    void* block = calloc(1, size > 0 ? size : 1);
    if (block == NULL) {
        kit_die("out of memory", "a sample needs some hundred megabytes at most");
    }
    return block;
}

kit_model* kit_model_new(const char* name) {
    kit_model* model = take(sizeof(kit_model));
    model->name = name;
    model->block_capacity = 256;
    model->blocks = take((size_t)model->block_capacity * sizeof(void*));
    model->bones = kit_alloc(model, KIT_BONE_CAPACITY, sizeof(kit_bone_info));
    model->materials = kit_alloc(model, KIT_MATERIAL_CAPACITY, sizeof(kit_material_info));
    model->meshes = kit_alloc(model, KIT_MESH_CAPACITY, sizeof(kit_mesh*));
    model->clips = kit_alloc(model, KIT_CLIP_CAPACITY, sizeof(kit_clip*));
    return model;
}

void kit_model_free(kit_model* model) {
    for (int32_t i = 0; i < model->block_count; ++i) {
        free(model->blocks[i]);
    }
    free(model->blocks);
    free(model);
}

void* kit_alloc(kit_model* model, size_t count, size_t size) {
    if (size != 0 && count > ((size_t)1 << 40) / size) {
        kit_die("array too large", model->name);
    }
    if (model->block_count == model->block_capacity) {
        void** blocks = take((size_t)model->block_capacity * 2 * sizeof(void*));
        memcpy(blocks, model->blocks, (size_t)model->block_count * sizeof(void*));
        free(model->blocks);
        model->blocks = blocks;
        model->block_capacity *= 2;
    }
    void* block = take(count * size);
    model->blocks[model->block_count++] = block;
    return block;
}

int32_t kit_bone(kit_model* model, const char* name, int32_t parent, kit_vec head) {
    return kit_bone_to(model, name, parent, head, head);
}

int32_t kit_bone_to(kit_model* model, const char* name, int32_t parent, kit_vec head, kit_vec tail) {
    if (model->bone_count == KIT_BONE_CAPACITY) {
        kit_die("too many bones", name);
    }
    if (parent >= model->bone_count || (parent == KIT_NONE && model->bone_count > 0)) {
        kit_die("a bone's parent must be made first, and there is one root", name);
    }
    int32_t index = model->bone_count++;
    model->bones[index] = (kit_bone_info){name, NULL, parent, head, tail, {0.0, 0.0, 0.0, 1.0}};
    return index;
}

int32_t kit_bone_find(const kit_model* model, const char* name) {
    for (int32_t i = 0; i < model->bone_count; ++i) {
        if (strcmp(model->bones[i].name, name) == 0) {
            return i;
        }
    }
    kit_die("no such bone", name);
    return KIT_NONE;
}

void kit_bones_orient(kit_model* model) {
    for (int32_t i = 0; i < model->bone_count; ++i) {
        kit_bone_info* bone = &model->bones[i];
        kit_vec along = kit_sub(bone->tail, bone->head);
        if (bone->parent != KIT_NONE && kit_length(along) > 1e-9) {
            bone->orientation = kit_between(kit_v(0.0, 1.0, 0.0), along);
        }
    }
}

int32_t kit_material(kit_model* model, const char* name, double r, double g, double b, double roughness) {
    if (model->material_count == KIT_MATERIAL_CAPACITY) {
        kit_die("too many materials", name);
    }
    int32_t index = model->material_count++;
    model->materials[index] = (kit_material_info){name, NULL, {r, g, b, 1.0}, roughness, 0.0, false};
    return index;
}

kit_mesh* kit_mesh_add(kit_model* model, const char* name, uint32_t attributes) {
    if (model->mesh_count == KIT_MESH_CAPACITY) {
        kit_die("too many meshes", name);
    }
    kit_mesh* mesh = kit_alloc(model, 1, sizeof(kit_mesh));
    mesh->name = name;
    mesh->attributes = attributes;
    model->meshes[model->mesh_count++] = mesh;
    return mesh;
}

int32_t kit_vertex_add(kit_model* model, kit_mesh* mesh, kit_vec position, kit_vec normal, double u, double v) {
    if (mesh->vertex_count == mesh->vertex_capacity) {
        int32_t capacity = mesh->vertex_capacity == 0 ? 1024 : mesh->vertex_capacity * 2;
        kit_vertex* vertices = kit_alloc(model, (size_t)capacity, sizeof(kit_vertex));
        if (mesh->vertex_count > 0) {
            memcpy(vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof(kit_vertex));
        }
        mesh->vertices = vertices;
        mesh->vertex_capacity = capacity;
    }
    int32_t index = mesh->vertex_count++;
    mesh->vertices[index] = (kit_vertex){.position = position,
                                         .normal = normal,
                                         .u = u,
                                         .v = v,
                                         .color = {1.0, 1.0, 1.0, 1.0},
                                         .blend = 1.0,
                                         .weights = {1.0, 0.0, 0.0, 0.0}};
    return index;
}

void kit_triangle_add(kit_model* model, kit_mesh* mesh, int32_t a, int32_t b, int32_t c, int32_t material) {
    if (mesh->triangle_count == mesh->triangle_capacity) {
        int32_t capacity = mesh->triangle_capacity == 0 ? 1024 : mesh->triangle_capacity * 2;
        kit_triangle* triangles = kit_alloc(model, (size_t)capacity, sizeof(kit_triangle));
        if (mesh->triangle_count > 0) {
            memcpy(triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof(kit_triangle));
        }
        mesh->triangles = triangles;
        mesh->triangle_capacity = capacity;
    }
    mesh->triangles[mesh->triangle_count++] = (kit_triangle){{a, b, c}, material, 0};
}
