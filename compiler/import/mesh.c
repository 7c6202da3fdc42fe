// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include "platform/math_double.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Visual primitives: every mesh as often as a node of the scene shows it, vertices in source order, in character space.
//
// Vertices are never merged, split or reordered here: a game matches them one to one with its own vertex buffers.
// Triangle strips and fans become lists; points and lines are left out. A mirrored transform turns triangles around, so
// that outward stays outward.

#define TRIANGLE_LIMIT (3u * HEM_MAX_VERTICES)
#define INFLUENCE_SETS 4
#define DROPPED_WEIGHT_LIMIT 0.05 // of a vertex, on joints that do not exist: more is not a slip

typedef struct shown {
    uint32_t node, mesh, primitive;
    const cgltf_primitive* source;
    const cgltf_accessor* position;
    uint32_t triangle_count;
} shown;

static const cgltf_accessor* attribute(const cgltf_primitive* primitive, cgltf_attribute_type type, int index) {
    for (size_t i = 0; i < primitive->attributes_count; ++i) {
        if (primitive->attributes[i].type == type && primitive->attributes[i].index == index) {
            return primitive->attributes[i].data;
        }
    }
    return NULL;
}

static uint32_t accessor_index(const hemc_source* source, const cgltf_accessor* accessor) {
    return hemc_index_of(source->data->accessors, accessor, sizeof(cgltf_accessor));
}

static char* where_of(hemc_source* source, const shown* s) {
    return hemc_format(source->arena, "/meshes/%u/primitives/%u", s->mesh, s->primitive);
}

// Present, in bounds and of this width; finite unless told otherwise.
static bool readable(hemc_source* source, const cgltf_accessor* accessor, uint32_t components) {
    if (accessor == NULL || hemc_component_count(accessor) != components) {
        return false;
    }
    uint32_t i = accessor_index(source, accessor);
    return source->accessor_usable[i] && source->accessor_finite[i];
}

// -- What is shown

static bool count_primitive(hemc_source* source, shown* s, bool* wanted) {
    const cgltf_primitive* p = s->source;
    char* where = where_of(source, s);
    *wanted = false;
    s->position = attribute(p, cgltf_attribute_type_position, 0);
    if (s->position == NULL) {
        return true; // reported by the checks
    }
    bool strip = p->type == cgltf_primitive_type_triangle_strip, fan = p->type == cgltf_primitive_type_triangle_fan;
    if (p->type != cgltf_primitive_type_triangles && !strip && !fan) {
        hemc_note(source->log, source->path, where, "points and lines are left out");
        return true;
    }
    if (p->has_draco_mesh_compression && s->position->buffer_view == NULL) {
        return hemc_error(
            source->log, HEMC_INPUT, source->path, where,
            "Draco compression is not supported; export again without compression, or compress with meshopt");
    }
    uint32_t i = accessor_index(source, s->position);
    if (!source->accessor_usable[i] || hemc_component_count(s->position) != 3) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "POSITION (accessor %u) must be VEC3 with data",
                          i);
    }
    if (!source->accessor_finite[i]) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "POSITION (accessor %u) holds NaN or infinity",
                          i);
    }
    if (p->indices != NULL && !source->accessor_usable[accessor_index(source, p->indices)]) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "its indices have no data");
    }
    size_t corners = p->indices != NULL ? p->indices->count : s->position->count;
    if (s->position->count > HEM_MAX_VERTICES || corners > (size_t)TRIANGLE_LIMIT * 3) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "%zu vertices; up to %d are supported",
                          s->position->count, HEM_MAX_VERTICES);
    }
    if (!strip && !fan && corners % 3 != 0) {
        hemc_warn(source->log, source->path, where, "%zu indices are no whole number of triangles; the rest is ignored",
                  corners);
    }
    s->triangle_count = (uint32_t)(strip || fan ? (corners >= 3 ? corners - 2 : 0) : corners / 3);
    *wanted = s->triangle_count != 0;
    return true;
}

static bool list_primitives(hemc_source* source, shown** list, uint32_t* list_count) {
    cgltf_data* data = source->data;
    hemc_model* model = source->model;
    size_t capacity = 0, count = 0, hidden = 0;
    shown* items = NULL;
    uint64_t vertices = 0, triangles = 0;
    for (size_t n = 0; n < data->nodes_count; ++n) {
        const cgltf_mesh* mesh = data->nodes[n].mesh;
        if (mesh == NULL || !source->node_visible[n]) {
            hidden += mesh != NULL ? 1 : 0;
            continue;
        }
        if (data->nodes[n].has_mesh_gpu_instancing) {
            hemc_warn(source->log, source->path, hemc_format(source->arena, "/nodes/%zu", n),
                      "EXT_mesh_gpu_instancing is not supported: one instance is used");
        }
        hemc_note_morphs(source, (uint32_t)n);
        for (size_t p = 0; p < mesh->primitives_count; ++p) {
            shown s = {.node = (uint32_t)n,
                       .mesh = hemc_index_of(data->meshes, mesh, sizeof(cgltf_mesh)),
                       .primitive = (uint32_t)p,
                       .source = &mesh->primitives[p]};
            bool wanted;
            if (!count_primitive(source, &s, &wanted)) {
                return false;
            }
            if (!wanted) {
                continue;
            }
            vertices += s.position->count;
            triangles += s.triangle_count;
            if (vertices > HEM_MAX_VERTICES || triangles > TRIANGLE_LIMIT) {
                return hemc_error(source->log, HEMC_INPUT, source->path, "",
                                  "more than %d vertices or %u triangles; split the file", HEM_MAX_VERTICES,
                                  TRIANGLE_LIMIT);
            }
            items = hemc_grow(source->arena, items, &capacity, count + 1, sizeof(shown));
            items[count++] = s;
        }
    }
    if (hidden != 0) {
        hemc_note(source->log, source->path, "", "%zu nodes with meshes are not in the scene and left out", hidden);
    }
    if (count == 0) {
        return hemc_error(source->log, HEMC_INPUT, source->path, "",
                          "no node of the scene shows a mesh with triangles");
    }
    model->vertex_count = (uint32_t)vertices;
    model->triangle_count = (uint32_t)triangles;
    *list = items;
    *list_count = (uint32_t)count;
    return true;
}

// -- Parts of one primitive

static bool morph(hemc_source* source, const shown* s, cgltf_attribute_type type, uint32_t stride, float* values) {
    return hemc_morph(source, s->node, s->source, where_of(source, s), type, s->position->count, stride, values);
}

static bool fill_triangles(hemc_source* source, const shown* s, hemc_primitive* out, uint32_t index, bool mirrored) {
    hemc_model* model = source->model;
    const cgltf_primitive* p = s->source;
    size_t corners = p->indices != NULL ? p->indices->count : s->position->count;
    uint32_t* list = hemc_alloc(source->arena, corners, sizeof(uint32_t));
    if (p->indices != NULL) {
        hemc_read_uints(source, p->indices, list);
    }
    for (size_t i = 0; i < corners; ++i) {
        if (p->indices == NULL) {
            list[i] = (uint32_t)i;
        } else if (list[i] >= s->position->count) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where_of(source, s),
                              "index %zu is %u, but there are %zu vertices", i, list[i], s->position->count);
        }
    }
    uint32_t* to = &model->triangles[(size_t)3 * out->triangle_begin];
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        uint32_t a, b, c;
        if (p->type == cgltf_primitive_type_triangle_strip) {
            a = list[t], b = list[t + 1 + t % 2], c = list[t + 2 - t % 2];
        } else if (p->type == cgltf_primitive_type_triangle_fan) {
            a = list[t + 1], b = list[t + 2], c = list[0];
        } else {
            a = list[3 * (size_t)t], b = list[3 * (size_t)t + 1], c = list[3 * (size_t)t + 2];
        }
        to[3 * (size_t)t] = out->vertex_begin + a;
        to[3 * (size_t)t + 1] = out->vertex_begin + (mirrored ? c : b);
        to[3 * (size_t)t + 2] = out->vertex_begin + (mirrored ? b : c);
        model->triangle_primitive[out->triangle_begin + t] = index;
    }
    return true;
}

static hemc_vec3 unit_or(double x, double y, double z, hemc_vec3 fallback) {
    double length = sqrt(x * x + y * y + z * z);
    if (!(length > 1e-30)) {
        return fallback;
    }
    return (hemc_vec3){(float)(x / length), (float)(y / length), (float)(z / length)};
}

static bool fill_positions(hemc_source* source, const shown* s, const hemc_primitive* out, const hemc_affine* space) {
    float(*values)[3] = hemc_alloc(source->arena, s->position->count, sizeof(*values));
    hemc_read_floats(source, s->position, values[0]);
    if (!morph(source, s, cgltf_attribute_type_position, 3, values[0])) {
        return false;
    }
    const double* m = space->m;
    for (uint32_t v = 0; v < out->vertex_count; ++v) {
        double x = values[v][0], y = values[v][1], z = values[v][2];
        double p[3];
        for (int r = 0; r < 3; ++r) {
            p[r] = m[4 * r] * x + m[4 * r + 1] * y + m[4 * r + 2] * z + m[4 * r + 3];
            if (!(fabs(p[r]) < 1e12)) {
                return hemc_error(source->log, HEMC_INPUT, source->path, where_of(source, s),
                                  "vertex %u is too far away to be a character's", v);
            }
        }
        source->model->positions[out->vertex_begin + v] = (hemc_vec3){(float)p[0], (float)p[1], (float)p[2]};
    }
    return true;
}

// Two per cent are within what eight bits a number can do. All are made unit vectors; missing ones are computed.
static void warn_of_normals(hemc_source* source, const shown* s, float (*values)[3], size_t count) {
    size_t bad = 0;
    for (size_t v = 0; v < count; ++v) {
        double x = values[v][0], y = values[v][1], z = values[v][2];
        double square = x * x + y * y + z * z;
        bad += square < 0.98 * 0.98 || square > 1.02 * 1.02 ? 1 : 0;
    }
    if (bad != 0) {
        hemc_warn(source->log, source->path, where_of(source, s), "%zu of %zu normals are not of unit length; mended",
                  bad, count);
    }
}

static bool fill_normals(hemc_source* source, const shown* s, const hemc_primitive* out, const hemc_affine* space) {
    hemc_model* model = source->model;
    hemc_vec3* normals = model->normals + out->vertex_begin;
    hemc_vec3 none = {0, 0, 0};
    const cgltf_accessor* accessor = attribute(s->source, cgltf_attribute_type_normal, 0);
    if (readable(source, accessor, 3)) {
        float(*values)[3] = hemc_alloc(source->arena, accessor->count, sizeof(*values));
        hemc_read_floats(source, accessor, values[0]);
        warn_of_normals(source, s, values, accessor->count);
        if (!morph(source, s, cgltf_attribute_type_normal, 3, values[0])) {
            return false;
        }
        // Cofactors: the inverse transpose without its division, its sign made good for mirrors.
        const double* m = space->m;
        double sign = hemc_affine_determinant(space) < 0 ? -1.0 : 1.0;
        double k[9] = {m[5] * m[10] - m[6] * m[9], m[6] * m[8] - m[4] * m[10], m[4] * m[9] - m[5] * m[8],
                       m[2] * m[9] - m[1] * m[10], m[0] * m[10] - m[2] * m[8], m[1] * m[8] - m[0] * m[9],
                       m[1] * m[6] - m[2] * m[5],  m[2] * m[4] - m[0] * m[6],  m[0] * m[5] - m[1] * m[4]};
        for (uint32_t v = 0; v < out->vertex_count; ++v) {
            double x = values[v][0] * sign, y = values[v][1] * sign, z = values[v][2] * sign;
            normals[v] = unit_or(k[0] * x + k[1] * y + k[2] * z, k[3] * x + k[4] * y + k[5] * z,
                                 k[6] * x + k[7] * y + k[8] * z, none);
        }
    } else if (accessor != NULL) {
        hemc_warn(source->log, source->path, where_of(source, s), "NORMAL is not usable; normals are computed");
    }
    // The missing ones: mean of their triangles, by area.
    double(*sums)[3] = hemc_alloc(source->arena, out->vertex_count, sizeof(*sums));
    for (uint32_t t = out->triangle_begin; t < out->triangle_begin + out->triangle_count; ++t) {
        const uint32_t* corner = &model->triangles[(size_t)3 * t];
        hemc_vec3 a = model->positions[corner[0]], b = model->positions[corner[1]], c = model->positions[corner[2]];
        double ux = (double)b.x - a.x, uy = (double)b.y - a.y, uz = (double)b.z - a.z;
        double vx = (double)c.x - a.x, vy = (double)c.y - a.y, vz = (double)c.z - a.z;
        for (int i = 0; i < 3; ++i) {
            double* sum = sums[corner[i] - out->vertex_begin];
            sum[0] += uy * vz - uz * vy;
            sum[1] += uz * vx - ux * vz;
            sum[2] += ux * vy - uy * vx;
        }
    }
    for (uint32_t v = 0; v < out->vertex_count; ++v) {
        if (normals[v].x == 0 && normals[v].y == 0 && normals[v].z == 0) {
            normals[v] = unit_or(sums[v][0], sums[v][1], sums[v][2], (hemc_vec3){0, 1, 0});
        }
    }
    return true;
}

static bool fill_tangents(hemc_source* source, const shown* s, const hemc_primitive* out, const hemc_affine* space) {
    const cgltf_accessor* accessor = attribute(s->source, cgltf_attribute_type_tangent, 0);
    if (!readable(source, accessor, 4)) {
        return true;
    }
    float(*values)[4] = hemc_alloc(source->arena, accessor->count, sizeof(*values));
    hemc_read_floats(source, accessor, values[0]);
    if (!morph(source, s, cgltf_attribute_type_tangent, 4, values[0])) {
        return false;
    }
    const double* m = space->m;
    float sign = hemc_affine_determinant(space) < 0 ? -1.0f : 1.0f;
    for (uint32_t v = 0; v < out->vertex_count; ++v) {
        double x = values[v][0], y = values[v][1], z = values[v][2];
        hemc_vec3 t = unit_or(m[0] * x + m[1] * y + m[2] * z, m[4] * x + m[5] * y + m[6] * z,
                              m[8] * x + m[9] * y + m[10] * z, (hemc_vec3){0, 0, 0});
        float* to = source->model->tangents[out->vertex_begin + v];
        bool none = t.x == 0 && t.y == 0 && t.z == 0;
        to[0] = t.x, to[1] = t.y, to[2] = t.z;
        to[3] = none ? 0.0f : (values[v][3] < 0 ? -1.0f : 1.0f) * sign;
    }
    return true;
}

// -- Colours

// Linear value at which the sRGB byte becomes i: ((s + 0.055) / 1.055)^2.4, s halfway between bytes.
static void make_srgb_table(double thresholds[256]) {
    thresholds[0] = -1e30;
    for (int i = 1; i < 256; ++i) {
        double s = (i - 0.5) / 255.0;
        thresholds[i] = s <= 0.04045 ? s / 12.92 : hem_pow((s + 0.055) / 1.055, 2.4);
    }
}

static uint8_t srgb_byte(const double thresholds[256], double linear) {
    int low = 0, high = 256;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (linear >= thresholds[middle]) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint8_t)low;
}

static void fill_colors(hemc_source* source, const shown* s, const hemc_primitive* out, const double thresholds[256]) {
    const cgltf_accessor* accessor = attribute(s->source, cgltf_attribute_type_color, 0);
    uint32_t components = accessor != NULL ? hemc_component_count(accessor) : 0;
    float* values = NULL;
    if ((components == 3 || components == 4) && readable(source, accessor, components)) {
        values = hemc_alloc(source->arena, accessor->count, components * sizeof(float));
        hemc_read_floats(source, accessor, values);
    }
    const hemc_texture* texture = hemc_texture_of(source, out->material);
    const cgltf_accessor* coords =
        texture != NULL ? attribute(s->source, cgltf_attribute_type_texcoord, texture->set) : NULL;
    float(*uv)[2] = NULL;
    if (coords != NULL && coords->count == out->vertex_count && readable(source, coords, 2)) {
        uv = hemc_alloc(source->arena, coords->count, sizeof(*uv));
        hemc_read_floats(source, coords, uv[0]);
    }
    for (uint32_t v = 0; v < out->vertex_count; ++v) {
        uint8_t* to = source->model->colors[out->vertex_begin + v];
        uint8_t texel[3];
        if (uv != NULL) {
            hemc_texture_at(texture, uv[v], texel);
        }
        for (uint32_t c = 0; c < 4; ++c) {
            double value = out->base_color[c];
            if (uv != NULL && c < 3) { // the middle of what is rounded to this byte
                value *= texel[c] == 0    ? 0.0
                         : texel[c] < 255 ? 0.5 * (thresholds[texel[c]] + thresholds[texel[c] + 1])
                                          : 1.0;
            }
            if (values != NULL && c < components) {
                value *= values[(size_t)v * components + c];
            }
            value = value > 0 ? (value < 1 ? value : 1) : 0;
            to[c] = c < 3 ? srgb_byte(thresholds, value) : (uint8_t)(value * 255.0 + 0.5);
        }
    }
}

// -- Paint

static void add_paint(hemc_source* source, const hemc_primitive* out, uint32_t primitive, uint32_t primitive_count,
                      const char* name, const float* values, uint32_t components, uint32_t component) {
    hemc_model* model = source->model;
    hemc_paint* paint = NULL;
    for (uint32_t i = 0; i < model->paint_count && paint == NULL; ++i) {
        paint = strcmp(model->paints[i].name, name) == 0 ? &model->paints[i] : NULL;
    }
    if (paint == NULL) {
        if (model->paint_count == HEMC_PAINT_LIMIT) {
            hemc_warn(source->log, source->path, hemc_format(source->arena, "/meshes/%u", out->mesh),
                      "more than %d painted attributes; %s is left out", HEMC_PAINT_LIMIT, name);
            return;
        }
        paint = &model->paints[model->paint_count++];
        paint->name = name;
        paint->values = hemc_alloc(source->arena, model->vertex_count, sizeof(float));
        paint->present = hemc_alloc(source->arena, primitive_count, 1);
    }
    if (paint->present[primitive]) {
        hemc_warn(source->log, source->path, hemc_format(source->arena, "/meshes/%u", out->mesh),
                  "two attributes are %s under different spellings; the last counts", name);
    }
    paint->present[primitive] = 1;
    for (uint32_t v = 0; v < out->vertex_count; ++v) {
        paint->values[out->vertex_begin + v] = values[(size_t)v * components + component];
    }
}

// Where it cannot be read there is none.
static void fill_texture_v(hemc_source* source, const cgltf_attribute* a, const hemc_primitive* out) {
    hemc_model* model = source->model;
    if (hemc_component_count(a->data) != 2 || !readable(source, a->data, 2)) {
        return;
    }
    float* values = hemc_alloc(source->arena, a->data->count, 2 * sizeof(float));
    hemc_read_floats(source, a->data, values);
    if (model->texture_v == NULL) {
        model->texture_v = hemc_alloc(source->arena, model->vertex_count, sizeof(float));
    }
    for (uint32_t v = 0; v < out->vertex_count; ++v) {
        model->texture_v[out->vertex_begin + v] = values[2 * (size_t)v + 1];
    }
}

// Attributes of the application's own (recipe/paint.c) and vertex colours, one channel each.
static void fill_paints(hemc_source* source, const shown* s, const hemc_primitive* out, uint32_t primitive,
                        uint32_t primitive_count) {
    for (size_t i = 0; i < s->source->attributes_count; ++i) {
        const cgltf_attribute* a = &s->source->attributes[i];
        bool color = a->type == cgltf_attribute_type_color;
        bool own = !color && hemc_paint_is_ours(a->name);
        uint32_t components = hemc_component_count(a->data);
        if (a->type == cgltf_attribute_type_texcoord && a->index == 0) {
            fill_texture_v(source, a, out);
        }
        if ((!own && !color) || components > 4 || components == 0) {
            continue;
        }
        if (!readable(source, a->data, components)) {
            hemc_warn(source->log, source->path, where_of(source, s),
                      "%s holds NaN or infinity or has no data; left out", a->name);
            continue;
        }
        char* upper = hemc_paint_name(source->arena, a->name);
        float* values = hemc_alloc(source->arena, a->data->count, components * sizeof(float));
        hemc_read_floats(source, a->data, values);
        if (own) {
            add_paint(source, out, primitive, primitive_count, upper, values, components, 0);
        }
        for (uint32_t c = 0; c < components && (color || components > 1); ++c) {
            add_paint(source, out, primitive, primitive_count, hemc_format(source->arena, "%s.%c", upper, "rgba"[c]),
                      values, components, c);
        }
    }
}

// -- Influences

typedef struct influence {
    uint32_t joint;
    double weight;
} influence;

typedef struct mending {
    uint32_t absent, missing, unequal, weightless, crowded;
    uint32_t bad_vertex, bad_joint;
    double bad_weight;
} mending;

static void bind_rigidly(hemc_model* model, const hemc_primitive* out, int32_t bone) {
    for (uint32_t v = out->vertex_begin; v < out->vertex_begin + out->vertex_count; ++v) {
        model->bones[v][0] = (uint16_t)bone;
        model->bone_weights[v][0] = 1.0f;
    }
}

// The four largest (earlier slots win ties), equal joints merged, sum 1.
static void bind_vertex(influence* list, uint32_t count, uint32_t joint_count, uint32_t vertex, double tolerance,
                        const uint16_t* skin_bones, uint16_t bones[4], float weights[4], mending* m) {
    uint32_t kept = 0;
    double sum = 0, dropped = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double w = list[i].weight > 0 ? list[i].weight : 0;
        if (list[i].joint >= joint_count) {
            m->absent += w == 0 ? 1 : 0;
            m->missing += w != 0 ? 1 : 0;
            if (w > m->bad_weight) {
                m->bad_weight = w;
                m->bad_vertex = vertex;
                m->bad_joint = list[i].joint;
            }
            dropped += w;
            continue;
        }
        if (w == 0) {
            continue;
        }
        sum += w;
        uint32_t same = 0;
        while (same < kept && list[same].joint != list[i].joint) {
            ++same;
        }
        if (same < kept) {
            list[same].weight += w;
        } else {
            list[kept].joint = list[i].joint;
            list[kept++].weight = w;
        }
    }
    m->unequal += fabs(sum + dropped - 1.0) > tolerance ? 1 : 0;
    if (kept == 0) {
        ++m->weightless;
        bones[0] = skin_bones[0];
        weights[0] = 1.0f;
        return;
    }
    double top = 0;
    for (uint32_t slot = 0; slot < 4 && slot < kept; ++slot) {
        uint32_t best = slot;
        for (uint32_t i = slot + 1; i < kept; ++i) {
            best = list[i].weight > list[best].weight ? i : best;
        }
        influence chosen = list[best];
        for (uint32_t i = best; i > slot; --i) {
            list[i] = list[i - 1];
        }
        list[slot] = chosen;
        top += chosen.weight;
    }
    m->crowded += top < 0.99 * sum ? 1 : 0;
    for (uint32_t slot = 0; slot < 4 && slot < kept; ++slot) {
        bones[slot] = skin_bones[list[slot].joint];
        weights[slot] = (float)(list[slot].weight / top);
    }
}

static bool fill_influences(hemc_source* source, const shown* s, const hemc_primitive* out, int32_t carrier) {
    hemc_model* model = source->model;
    const cgltf_node* node = &source->data->nodes[s->node];
    const cgltf_accessor* first = attribute(s->source, cgltf_attribute_type_joints, 0);
    char* where = where_of(source, s);
    if (node->skin == NULL || first == NULL) {
        if (node->skin != NULL) {
            hemc_warn(source->log, source->path, where,
                      "its node has a skin, but it has no JOINTS_0; it follows the node");
        }
        bind_rigidly(model, out, carrier);
        return true;
    }
    uint32_t skin = hemc_index_of(source->data->skins, node->skin, sizeof(cgltf_skin));
    uint32_t joint_count = (uint32_t)node->skin->joints_count;
    uint32_t* joints[INFLUENCE_SETS];
    float* weights[INFLUENCE_SETS];
    uint32_t set_count = 0;
    double tolerance = 0.01;
    for (int set = 0; set < INFLUENCE_SETS; ++set) {
        const cgltf_accessor* j = attribute(s->source, cgltf_attribute_type_joints, set);
        const cgltf_accessor* w = attribute(s->source, cgltf_attribute_type_weights, set);
        if (j == NULL && w == NULL) {
            break;
        }
        if (j == NULL || w == NULL || !readable(source, j, 4) || !readable(source, w, 4) ||
            j->component_type == cgltf_component_type_r_32f) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where,
                              "JOINTS_%d and WEIGHTS_%d must be VEC4 of integers and of finite numbers", set, set);
        }
        joints[set_count] = hemc_alloc(source->arena, j->count, 4 * sizeof(uint32_t));
        weights[set_count] = hemc_alloc(source->arena, w->count, 4 * sizeof(float));
        hemc_read_uints(source, j, joints[set_count]);
        hemc_read_floats(source, w, weights[set_count]);
        tolerance = w->component_type == cgltf_component_type_r_8u ? 0.02 : tolerance;
        ++set_count;
    }
    if (joint_count == 0) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "its skin %u has no joints", skin);
    }
    mending m = {0};
    for (uint32_t v = 0; v < out->vertex_count; ++v) {
        influence list[4 * INFLUENCE_SETS];
        uint32_t count = 0;
        for (uint32_t set = 0; set < set_count; ++set) {
            for (uint32_t i = 0; i < 4; ++i) {
                list[count].joint = joints[set][4 * (size_t)v + i];
                list[count++].weight = weights[set][4 * (size_t)v + i];
            }
        }
        bind_vertex(list, count, joint_count, v, tolerance, source->skin_bones[skin],
                    model->bones[out->vertex_begin + v], model->bone_weights[out->vertex_begin + v], &m);
    }
    if (m.bad_weight > DROPPED_WEIGHT_LIMIT) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "vertex %u is bound to joint %u with %d %% of its weight, but skin %u has %u joints",
                          m.bad_vertex, m.bad_joint, (int)(m.bad_weight * 100.0 < 1e6 ? m.bad_weight * 100.0 : 1e6),
                          skin, joint_count);
    }
    if (m.absent + m.missing != 0) {
        hemc_warn(source->log, source->path, where,
                  "%u influences refer to joints that skin %u does not have; mended, their weight is %s",
                  m.absent + m.missing, skin, m.missing != 0 ? "small" : "0");
    }
    if (m.weightless != 0) {
        hemc_warn(source->log, source->path, where, "%u vertices have no weight at all and follow joint 0",
                  m.weightless);
    }
    if (m.unequal > m.weightless) {
        hemc_warn(source->log, source->path, where, "weights of %u vertices do not sum to 1; mended",
                  m.unequal - m.weightless);
    }
    if (m.crowded != 0) {
        hemc_note(source->log, source->path, where, "%u vertices have more than 4 influences; the 4 largest are kept",
                  m.crowded);
    }
    return true;
}

// -- All of it

// Where a primitive without a skin rests, and on which bone.
static hemc_affine rigid_space(const hemc_source* source, uint32_t node, int32_t* carrier) {
    *carrier = hemc_carrier_of(source, node);
    if (*carrier == HEM_NONE) {
        *carrier = (int32_t)source->model->bone_count - 1; // the added root
        return source->node_world[node];
    }
    hemc_affine inverse;
    if (!hemc_affine_invert(&source->node_world[source->bone_node[*carrier]], &inverse)) {
        return source->node_world[node];
    }
    hemc_affine local = hemc_affine_multiply(&inverse, &source->node_world[node]);
    return hemc_affine_multiply(&source->bone_bind[*carrier], &local);
}

bool hemc_import_meshes(hemc_source* source) {
    hemc_model* model = source->model;
    cgltf_data* data = source->data;
    shown* list = NULL;
    uint32_t count = 0;
    if (!list_primitives(source, &list, &count)) {
        return false;
    }
    bool any_tangents = false;
    for (uint32_t i = 0; i < count; ++i) {
        any_tangents = any_tangents || readable(source, attribute(list[i].source, cgltf_attribute_type_tangent, 0), 4);
    }
    size_t vertices = model->vertex_count;
    model->primitive_count = count;
    model->primitives = hemc_alloc(source->arena, count, sizeof(hemc_primitive));
    source->primitive_space = hemc_alloc(source->arena, count, sizeof(hemc_affine));
    model->positions = hemc_alloc(source->arena, vertices, sizeof(hemc_vec3));
    model->normals = hemc_alloc(source->arena, vertices, sizeof(hemc_vec3));
    model->tangents = any_tangents ? hemc_alloc(source->arena, vertices, sizeof(*model->tangents)) : NULL;
    model->colors = hemc_alloc(source->arena, vertices, sizeof(*model->colors));
    model->bones = hemc_alloc(source->arena, vertices, sizeof(*model->bones));
    model->bone_weights = hemc_alloc(source->arena, vertices, sizeof(*model->bone_weights));
    model->triangles = hemc_alloc(source->arena, model->triangle_count, 3 * sizeof(uint32_t));
    model->triangle_primitive = hemc_alloc(source->arena, model->triangle_count, sizeof(uint32_t));
    model->paints = hemc_alloc(source->arena, HEMC_PAINT_LIMIT, sizeof(hemc_paint));
    double thresholds[256];
    make_srgb_table(thresholds);

    uint32_t vertex = 0, triangle = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const shown* s = &list[i];
        hemc_primitive* out = &model->primitives[i];
        const cgltf_node* node = &data->nodes[s->node];
        const cgltf_material* material = s->source->material;
        out->node = s->node;
        out->mesh = s->mesh;
        out->primitive = s->primitive;
        out->material =
            material != NULL ? hemc_index_of(data->materials, material, sizeof(cgltf_material)) : UINT32_MAX;
        out->node_name = hemc_name_of(source, node->name, "node", s->node);
        out->mesh_name = hemc_name_of(source, data->meshes[s->mesh].name, "mesh", s->mesh);
        out->material_name = material != NULL ? hemc_name_of(source, material->name, "material", out->material) : "";
        out->name = hemc_format(source->arena, "%s/%s/%u", out->node_name, out->mesh_name, s->primitive);
        out->vertex_begin = vertex;
        out->vertex_count = (uint32_t)s->position->count;
        out->triangle_begin = triangle;
        out->triangle_count = s->triangle_count;
        vertex += out->vertex_count;
        triangle += out->triangle_count;
        for (int c = 0; c < 4; ++c) {
            out->base_color[c] =
                material == NULL                        ? 1.0f
                : material->has_pbr_metallic_roughness  ? material->pbr_metallic_roughness.base_color_factor[c]
                : material->has_pbr_specular_glossiness ? material->pbr_specular_glossiness.diffuse_factor[c]
                                                        : 1.0f;
        }
        int32_t carrier;
        hemc_affine space = rigid_space(source, s->node, &carrier);
        const bool skinned = node->skin != NULL && attribute(s->source, cgltf_attribute_type_joints, 0) != NULL;
        out->follows_nothing = !skinned && hemc_carrier_of(source, s->node) == HEM_NONE;
        if (skinned) {
            space = source->skin_space[hemc_index_of(data->skins, node->skin, sizeof(cgltf_skin))];
        }
        source->primitive_space[i] = space;
        if (!fill_positions(source, s, out, &space) ||
            !fill_triangles(source, s, out, i, hemc_affine_determinant(&space) < 0) ||
            !fill_influences(source, s, out, carrier) || !fill_normals(source, s, out, &space) ||
            (any_tangents && !fill_tangents(source, s, out, &space))) {
            return false;
        }
        fill_colors(source, s, out, thresholds);
        fill_paints(source, s, out, i, count);
    }
    return true;
}
