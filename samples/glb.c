// SPDX-License-Identifier: MIT
#include "samples/glb.h"

#include <math.h>
#include <string.h>

// Writing a kit_model as glTF 2.0.
//
// Everything is rounded here, once: positions to 2^-20 m, weights to 2^-16 (the largest takes what is left, so that
// they sum to exactly one), the rest to float. Numbers in the JSON are printed by integer arithmetic; bounds, which
// must equal the data, are printed exactly. Meshes are split by material and each piece keeps only its own vertices.
// Bones are written in their own orientations: with O the bone's, P its parent's, a joint (t, q) of the author
// becomes (P^-1 t, P^-1 q O).

typedef struct text {
    kit_model* model;
    char* bytes;
    size_t size, capacity;
} text;

typedef struct writer {
    kit_model* model;
    text nodes, meshes, materials, animations, accessors, views;
    text binary;
    int32_t accessor_count, view_count;
} writer;

enum {
    TARGET_NONE = 0,
    TARGET_VERTEX = 34962,
    TARGET_INDEX = 34963,
    TYPE_U8 = 5121,
    TYPE_U16 = 5123,
    TYPE_U32 = 5125,
    TYPE_FLOAT = 5126,
};

static void put_bytes(text* out, const void* bytes, size_t size) {
    if (out->size + size > out->capacity) {
        size_t capacity = (out->size + size) * 2 + 256;
        char* grown = kit_alloc(out->model, capacity, 1);
        if (out->size > 0) {
            memcpy(grown, out->bytes, out->size);
        }
        out->bytes = grown;
        out->capacity = capacity;
    }
    if (size > 0) {
        memcpy(out->bytes + out->size, bytes, size);
        out->size += size;
    }
}

static void put(text* out, const char* string) {
    put_bytes(out, string, strlen(string));
}

static void put_integer(text* out, int64_t value) {
    char digits[24];
    int32_t at = (int32_t)sizeof digits;
    uint64_t rest = value < 0 ? (uint64_t)-value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        digits[--at] = '-';
    }
    put_bytes(out, digits + at, sizeof digits - (size_t)at);
}

// The exact decimal expansion of a multiple of 2^-30.
static void put_exact(text* out, double value) {
    uint64_t scaled = (uint64_t)floor(fabs(value) * 1073741824.0 + 0.5);
    if (value < 0.0 && scaled > 0) {
        put(out, "-");
    }
    put_integer(out, (int64_t)(scaled >> 30));
    uint64_t fraction = scaled & 0x3fffffffu;
    if (fraction > 0) {
        put(out, ".");
    }
    while (fraction > 0) {
        fraction *= 10;
        put_integer(out, (int64_t)(fraction >> 30));
        fraction &= 0x3fffffffu;
    }
}

// Nine decimals, trailing zeros dropped.
static void put_decimal(text* out, double value) {
    int64_t scaled = (int64_t)floor(fabs(value) * 1e9 + 0.5);
    if (value < 0.0 && scaled > 0) {
        put(out, "-");
    }
    put_integer(out, scaled / 1000000000);
    int64_t fraction = scaled % 1000000000;
    if (fraction == 0) {
        return;
    }
    char digits[11] = ".";
    int32_t length = 10;
    for (int32_t i = 9; i >= 1; --i) {
        digits[i] = (char)('0' + fraction % 10);
        fraction /= 10;
    }
    while (digits[length - 1] == '0') {
        --length;
    }
    put_bytes(out, digits, (size_t)length);
}

static void put_string(text* out, const char* string) {
    put(out, "\"");
    for (const char* c = string; *c != 0; ++c) {
        if ((unsigned char)*c < 0x20 || *c == '"' || *c == '\\') {
            kit_die("names may not need escapes", string);
        }
    }
    put(out, string);
    put(out, "\"");
}

static void put_list(text* out, const double* values, int32_t count) {
    put(out, "[");
    for (int32_t i = 0; i < count; ++i) {
        put(out, i > 0 ? "," : "");
        put_decimal(out, values[i]);
    }
    put(out, "]");
}

static void put_extras(text* out, const char* extras) {
    if (extras != NULL) {
        put(out, ",\"extras\":");
        put(out, extras);
    }
}

// -- Accessors

static double grid(double value) {
    return floor(value * 1048576.0 + 0.5) / 1048576.0;
}

static void put_float(text* out, double value) {
    float f = (float)value;
    f = f == 0.0f ? 0.0f : f; // no negative zeros
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint8_t bytes[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};
    put_bytes(out, bytes, 4);
}

static void put_u16(text* out, uint32_t value) {
    uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    put_bytes(out, bytes, 2);
}

static void put_u32(text* out, uint32_t value) {
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
    put_bytes(out, bytes, 4);
}

// Describes what was appended to the binary since `start` as one view with one accessor.
static int32_t accessor_add(writer* w, size_t start, int32_t component, const char* type, int32_t count, int32_t target,
                            bool normalized, const double* low, const double* high, int32_t bound_count) {
    text* views = &w->views;
    put(views, w->view_count > 0 ? ",{\"buffer\":0,\"byteOffset\":" : "{\"buffer\":0,\"byteOffset\":");
    put_integer(views, (int64_t)start);
    put(views, ",\"byteLength\":");
    put_integer(views, (int64_t)(w->binary.size - start));
    if (target != TARGET_NONE) {
        put(views, ",\"target\":");
        put_integer(views, target);
    }
    put(views, "}");
    text* out = &w->accessors;
    put(out, w->accessor_count > 0 ? ",{\"bufferView\":" : "{\"bufferView\":");
    put_integer(out, w->view_count);
    put(out, ",\"componentType\":");
    put_integer(out, component);
    put(out, ",\"count\":");
    put_integer(out, count);
    put(out, ",\"type\":");
    put_string(out, type);
    put(out, normalized ? ",\"normalized\":true" : "");
    for (int32_t side = 0; side < 2 && bound_count > 0; ++side) {
        put(out, side == 0 ? ",\"min\":[" : ",\"max\":[");
        for (int32_t i = 0; i < bound_count; ++i) {
            put(out, i > 0 ? "," : "");
            put_exact(out, side == 0 ? low[i] : high[i]);
        }
        put(out, "]");
    }
    put(out, "}");
    while (w->binary.size % 4 != 0) {
        put_bytes(&w->binary, "", 1);
    }
    ++w->view_count;
    return w->accessor_count++;
}

static int32_t vectors_add(writer* w, const kit_vec* vectors, int32_t count, bool bounded) {
    size_t start = w->binary.size;
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    for (int32_t i = 0; i < count; ++i) {
        double p[3] = {vectors[i].x, vectors[i].y, vectors[i].z};
        for (int32_t k = 0; k < 3; ++k) {
            double x = bounded ? grid(p[k]) : p[k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
            put_float(&w->binary, x);
        }
    }
    return accessor_add(w, start, TYPE_FLOAT, "VEC3", count, TARGET_VERTEX, false, low, high, bounded ? 3 : 0);
}

// -- Meshes

static void attribute(text* out, bool first, const char* name, int32_t accessor) {
    put(out, first ? "\"" : ",\"");
    put(out, name);
    put(out, "\":");
    put_integer(out, accessor);
}

static int32_t scalars_add(writer* w, const kit_mesh* mesh, const int32_t* pick, int32_t count, uint32_t which) {
    size_t start = w->binary.size;
    for (int32_t i = 0; i < count; ++i) {
        const kit_vertex* v = &mesh->vertices[pick[i]];
        double x = which == KIT_BLEND ? v->blend : which == KIT_PIN ? v->pin : v->stiffness;
        put_float(&w->binary, kit_clamp(x, 0.0, 1.0));
    }
    return accessor_add(w, start, TYPE_FLOAT, "SCALAR", count, TARGET_VERTEX, false, NULL, NULL, 0);
}

static void quantise_weights(const kit_vertex* vertex, int32_t* units) {
    double sum = 0.0;
    int32_t largest = 0, left = 65536;
    for (int32_t k = 0; k < 4; ++k) {
        sum += vertex->weights[k];
        largest = vertex->weights[k] > vertex->weights[largest] ? k : largest;
    }
    for (int32_t k = 0; k < 4; ++k) {
        units[k] = (int32_t)floor(vertex->weights[k] / sum * 65536.0 + 0.5);
        left -= units[k];
    }
    units[largest] += left;
}

static void attributes_add(writer* w, const kit_mesh* mesh, const int32_t* pick, int32_t count) {
    text* out = &w->meshes;
    text* bin = &w->binary;
    kit_vec* vectors = kit_alloc(w->model, (size_t)count, sizeof(kit_vec));
    for (int32_t i = 0; i < count; ++i) {
        vectors[i] = mesh->vertices[pick[i]].position;
    }
    attribute(out, true, "POSITION", vectors_add(w, vectors, count, true));
    for (int32_t i = 0; i < count; ++i) {
        vectors[i] = kit_unit(mesh->vertices[pick[i]].normal);
    }
    attribute(out, false, "NORMAL", vectors_add(w, vectors, count, false));
    if ((mesh->attributes & KIT_UV) != 0) {
        size_t start = bin->size;
        for (int32_t i = 0; i < count; ++i) {
            put_float(bin, mesh->vertices[pick[i]].u);
            put_float(bin, mesh->vertices[pick[i]].v);
        }
        attribute(out, false, "TEXCOORD_0",
                  accessor_add(w, start, TYPE_FLOAT, "VEC2", count, TARGET_VERTEX, false, NULL, NULL, 0));
    }
    if ((mesh->attributes & KIT_COLOR) != 0) {
        size_t start = bin->size;
        for (int32_t i = 0; i < count; ++i) {
            for (int32_t k = 0; k < 4; ++k) {
                uint8_t c = (uint8_t)floor(kit_clamp(mesh->vertices[pick[i]].color[k], 0.0, 1.0) * 255.0 + 0.5);
                put_bytes(bin, &c, 1);
            }
        }
        attribute(out, false, "COLOR_0",
                  accessor_add(w, start, TYPE_U8, "VEC4", count, TARGET_VERTEX, true, NULL, NULL, 0));
    }
    bool wide = w->model->bone_count > 256 || (mesh->attributes & KIT_WIDE_JOINTS) != 0;
    size_t start = bin->size;
    for (int32_t i = 0; i < count; ++i) {
        const kit_vertex* v = &mesh->vertices[pick[i]];
        int32_t units[4];
        quantise_weights(v, units);
        for (int32_t k = 0; k < 4; ++k) {
            uint32_t joint = units[k] > 0 ? (uint32_t)v->joints[k] : 0; // unused slots must name joint 0
            uint8_t narrow = (uint8_t)joint;
            if (wide) {
                put_u16(bin, joint);
            } else {
                put_bytes(bin, &narrow, 1);
            }
        }
    }
    attribute(out, false, "JOINTS_0",
              accessor_add(w, start, wide ? TYPE_U16 : TYPE_U8, "VEC4", count, TARGET_VERTEX, false, NULL, NULL, 0));
    start = bin->size;
    for (int32_t i = 0; i < count; ++i) {
        int32_t units[4];
        quantise_weights(&mesh->vertices[pick[i]], units);
        for (int32_t k = 0; k < 4; ++k) {
            put_float(bin, units[k] / 65536.0);
        }
    }
    attribute(out, false, "WEIGHTS_0",
              accessor_add(w, start, TYPE_FLOAT, "VEC4", count, TARGET_VERTEX, false, NULL, NULL, 0));
    if ((mesh->attributes & KIT_BLEND) != 0) {
        attribute(out, false, "_HEM_BLEND", scalars_add(w, mesh, pick, count, KIT_BLEND));
    }
    if ((mesh->attributes & KIT_PIN) != 0) {
        attribute(out, false, "_HEM_PIN", scalars_add(w, mesh, pick, count, KIT_PIN));
    }
    if ((mesh->attributes & KIT_STIFFNESS) != 0) {
        attribute(out, false, "_HEM_STIFFNESS", scalars_add(w, mesh, pick, count, KIT_STIFFNESS));
    }
}

static void targets_add(writer* w, const kit_mesh* mesh, const int32_t* pick, int32_t count) {
    text* out = &w->meshes;
    kit_vec* vectors = kit_alloc(w->model, (size_t)count, sizeof(kit_vec));
    put(out, ",\"targets\":[");
    for (int32_t m = 0; m < mesh->morph_count; ++m) {
        const kit_morph* morph = &mesh->morphs[m];
        put(out, m > 0 ? ",{" : "{");
        for (int32_t i = 0; i < count; ++i) {
            vectors[i] = morph->position_deltas[pick[i]];
        }
        attribute(out, true, "POSITION", vectors_add(w, vectors, count, true));
        for (int32_t i = 0; i < count; ++i) {
            vectors[i] = morph->normal_deltas[pick[i]];
        }
        attribute(out, false, "NORMAL", vectors_add(w, vectors, count, false));
        put(out, "}");
    }
    put(out, "]");
}

// One glTF primitive: the triangles of one material. Returns how many vertices it took.
static int32_t primitive_add(writer* w, const kit_mesh* mesh, int32_t material, int32_t* remap, int32_t* pick) {
    int32_t count = 0, index_count = 0;
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        remap[i] = KIT_NONE;
    }
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        for (int32_t k = 0; k < 3 && mesh->triangles[t].material == material; ++k) {
            int32_t v = mesh->triangles[t].v[k];
            if (remap[v] == KIT_NONE) {
                remap[v] = count;
                pick[count++] = v;
            }
            ++index_count;
        }
    }
    text* out = &w->meshes;
    put(out, "{\"attributes\":{");
    attributes_add(w, mesh, pick, count);
    put(out, "}");
    if (mesh->morph_count > 0) {
        targets_add(w, mesh, pick, count);
    }
    size_t start = w->binary.size;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        for (int32_t k = 0; k < 3 && mesh->triangles[t].material == material; ++k) {
            uint32_t index = (uint32_t)remap[mesh->triangles[t].v[k]];
            if (count < 65535) {
                put_u16(&w->binary, index);
            } else {
                put_u32(&w->binary, index);
            }
        }
    }
    int32_t indices = accessor_add(w, start, count < 65535 ? TYPE_U16 : TYPE_U32, "SCALAR", index_count, TARGET_INDEX,
                                   false, NULL, NULL, 0);
    put(out, ",\"indices\":");
    put_integer(out, indices);
    put(out, ",\"material\":");
    put_integer(out, material);
    put(out, "}");
    return count;
}

static int32_t mesh_write(writer* w, int32_t index) {
    const kit_mesh* mesh = w->model->meshes[index];
    text* out = &w->meshes;
    int32_t* remap = kit_alloc(w->model, (size_t)mesh->vertex_count, sizeof(int32_t));
    int32_t* pick = kit_alloc(w->model, (size_t)mesh->vertex_count, sizeof(int32_t));
    put(out, index > 0 ? ",{\"name\":" : "{\"name\":");
    put_string(out, mesh->name);
    put(out, ",\"primitives\":[");
    int32_t vertex_count = 0, primitive_count = 0;
    for (int32_t m = 0; m < w->model->material_count; ++m) {
        bool used = false;
        for (int32_t t = 0; t < mesh->triangle_count && !used; ++t) {
            used = mesh->triangles[t].material == m;
        }
        if (used) {
            put(out, primitive_count++ > 0 ? "," : "");
            vertex_count += primitive_add(w, mesh, m, remap, pick);
        }
    }
    put(out, "]");
    if (mesh->morph_count > 0) {
        put(out, ",\"weights\":[");
        for (int32_t m = 0; m < mesh->morph_count; ++m) {
            put(out, m > 0 ? ",0" : "0");
        }
        put(out, "],\"extras\":{\"targetNames\":[");
        for (int32_t m = 0; m < mesh->morph_count; ++m) {
            put(out, m > 0 ? "," : "");
            put_string(out, mesh->morphs[m].name);
        }
        put(out, "]");
        if (mesh->extras != NULL) {
            put(out, ",");
            put(out, mesh->extras + 1); // its own members and closing brace
        } else {
            put(out, "}");
        }
    } else {
        put_extras(out, mesh->extras);
    }
    put(out, "}");
    return vertex_count;
}

// -- Nodes and skin

static kit_quat parent_orientation(const kit_model* model, int32_t bone) {
    int32_t parent = model->bones[bone].parent;
    return parent == KIT_NONE ? kit_identity() : model->bones[parent].orientation;
}

static kit_vec written_position(const kit_model* model, int32_t bone, kit_vec position) {
    return kit_rotate(kit_qinv(parent_orientation(model, bone)), position);
}

static kit_quat written_rotation(const kit_model* model, int32_t bone, kit_quat rotation) {
    kit_quat q = kit_qmul(rotation, model->bones[bone].orientation);
    return kit_qunit(kit_qmul(kit_qinv(parent_orientation(model, bone)), q));
}

static void nodes_write(writer* w) {
    const kit_model* model = w->model;
    text* out = &w->nodes;
    kit_joint* rest = kit_alloc(w->model, (size_t)model->bone_count, sizeof(kit_joint));
    kit_pose_rest(model, rest);
    for (int32_t b = 0; b < model->bone_count; ++b) {
        put(out, b > 0 ? ",{\"name\":" : "{\"name\":");
        put_string(out, model->bones[b].name);
        bool any = false;
        for (int32_t c = b + 1; c < model->bone_count; ++c) {
            if (model->bones[c].parent == b) {
                put(out, any ? "," : ",\"children\":[");
                put_integer(out, c);
                any = true;
            }
        }
        put(out, any ? "]" : "");
        kit_vec t = written_position(model, b, rest[b].position);
        kit_quat q = written_rotation(model, b, kit_identity());
        put(out, ",\"translation\":");
        put_list(out, (double[]){t.x, t.y, t.z}, 3);
        if (fabs(q.w) < 1.0 - 1e-15) {
            put(out, ",\"rotation\":");
            put_list(out, (double[]){q.x, q.y, q.z, q.w}, 4);
        }
        put_extras(out, model->bones[b].extras);
        put(out, "}");
    }
    for (int32_t m = 0; m < model->mesh_count; ++m) {
        put(out, ",{\"name\":");
        put_string(out, model->meshes[m]->name);
        put(out, ",\"mesh\":");
        put_integer(out, m);
        put(out, ",\"skin\":0");
        put_extras(out, model->meshes[m]->node_extras);
        put(out, "}");
    }
}

static int32_t inverse_binds_add(writer* w) {
    const kit_model* model = w->model;
    size_t start = w->binary.size;
    for (int32_t b = 0; b < model->bone_count; ++b) {
        kit_frame f = kit_frame_inverse(kit_frame_of(model->bones[b].orientation, model->bones[b].head));
        kit_vec columns[4] = {f.x, f.y, f.z, f.origin};
        for (int32_t c = 0; c < 4; ++c) {
            put_float(&w->binary, columns[c].x);
            put_float(&w->binary, columns[c].y);
            put_float(&w->binary, columns[c].z);
            put_float(&w->binary, c == 3 ? 1.0 : 0.0);
        }
    }
    return accessor_add(w, start, TYPE_FLOAT, "MAT4", model->bone_count, TARGET_NONE, false, NULL, NULL, 0);
}

// -- Animations

enum { PATH_TRANSLATION, PATH_ROTATION, PATH_SCALE };

static bool channel_moves(kit_clip* clip, const kit_joint* rest, int32_t bone, int32_t path) {
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        const kit_joint* j = &kit_clip_pose(clip, f)[bone];
        const kit_joint* r = &rest[bone];
        double d = 0.0;
        if (path == PATH_TRANSLATION) {
            d = kit_distance(j->position, r->position);
        } else if (path == PATH_ROTATION) {
            d = fabs(j->rotation.x) + fabs(j->rotation.y) + fabs(j->rotation.z);
        } else {
            d = kit_distance(j->scale, r->scale);
        }
        if (d > 1e-7) {
            return true;
        }
    }
    return false;
}

static int32_t channel_add(writer* w, kit_clip* clip, int32_t bone, int32_t path) {
    size_t start = w->binary.size;
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        const kit_joint* j = &kit_clip_pose(clip, f)[bone];
        if (path == PATH_ROTATION) {
            kit_quat q = written_rotation(w->model, bone, j->rotation);
            put_float(&w->binary, q.x);
            put_float(&w->binary, q.y);
            put_float(&w->binary, q.z);
            put_float(&w->binary, q.w);
        } else {
            kit_vec v = path == PATH_TRANSLATION ? written_position(w->model, bone, j->position) : j->scale;
            put_float(&w->binary, v.x);
            put_float(&w->binary, v.y);
            put_float(&w->binary, v.z);
        }
    }
    return accessor_add(w, start, TYPE_FLOAT, path == PATH_ROTATION ? "VEC4" : "VEC3", clip->frame_count, TARGET_NONE,
                        false, NULL, NULL, 0);
}

static void channel_describe(text* channels, text* samplers, int32_t index, int32_t node, const char* path,
                             int32_t times, int32_t values) {
    put(channels, index > 0 ? ",{\"sampler\":" : "{\"sampler\":");
    put_integer(channels, index);
    put(channels, ",\"target\":{\"node\":");
    put_integer(channels, node);
    put(channels, ",\"path\":");
    put_string(channels, path);
    put(channels, "}}");
    put(samplers, index > 0 ? ",{\"input\":" : "{\"input\":");
    put_integer(samplers, times);
    put(samplers, ",\"output\":");
    put_integer(samplers, values);
    put(samplers, "}");
}

static void clip_write(writer* w, int32_t index) {
    static const char* const names[3] = {"translation", "rotation", "scale"};
    kit_model* model = w->model;
    kit_clip* clip = model->clips[index];
    text channels = {model, NULL, 0, 0}, samplers = {model, NULL, 0, 0};
    kit_joint* rest = kit_alloc(model, (size_t)model->bone_count, sizeof(kit_joint));
    kit_pose_rest(model, rest);
    size_t start = w->binary.size;
    for (int32_t f = 0; f < clip->frame_count; ++f) {
        put_float(&w->binary, (double)f / KIT_FRAMES_PER_SECOND);
    }
    double low = 0.0, high = (double)(float)((double)(clip->frame_count - 1) / KIT_FRAMES_PER_SECOND);
    int32_t times = accessor_add(w, start, TYPE_FLOAT, "SCALAR", clip->frame_count, TARGET_NONE, false, &low, &high, 1);
    int32_t count = 0;
    for (int32_t b = 0; b < model->bone_count; ++b) {
        for (int32_t path = 0; path < 3; ++path) {
            if (channel_moves(clip, rest, b, path)) {
                channel_describe(&channels, &samplers, count++, b, names[path], times, channel_add(w, clip, b, path));
            }
        }
    }
    if (clip->weights_mesh != KIT_NONE) {
        int32_t morphs = model->meshes[clip->weights_mesh]->morph_count;
        start = w->binary.size;
        for (int32_t i = 0; i < clip->frame_count * morphs; ++i) {
            put_float(&w->binary, clip->weights[i]);
        }
        int32_t values =
            accessor_add(w, start, TYPE_FLOAT, "SCALAR", clip->frame_count * morphs, TARGET_NONE, false, NULL, NULL, 0);
        channel_describe(&channels, &samplers, count++, model->bone_count + clip->weights_mesh, "weights", times,
                         values);
    }
    if (count == 0) { // a clip that stands still still needs a channel
        channel_describe(&channels, &samplers, count++, 0, names[0], times, channel_add(w, clip, 0, PATH_TRANSLATION));
    }
    text* out = &w->animations;
    put(out, index > 0 ? ",{\"name\":" : "{\"name\":");
    put_string(out, clip->name);
    put(out, ",\"channels\":[");
    put_bytes(out, channels.bytes, channels.size);
    put(out, "],\"samplers\":[");
    put_bytes(out, samplers.bytes, samplers.size);
    put(out, clip->loops ? "],\"extras\":{\"loop\":true}}" : "]}");
}

// -- File

static void materials_write(writer* w) {
    text* out = &w->materials;
    for (int32_t m = 0; m < w->model->material_count; ++m) {
        const kit_material_info* info = &w->model->materials[m];
        put(out, m > 0 ? ",{\"name\":" : "{\"name\":");
        put_string(out, info->name);
        put(out, ",\"pbrMetallicRoughness\":{\"baseColorFactor\":");
        put_list(out, info->color, 4);
        put(out, ",\"metallicFactor\":");
        put_decimal(out, info->metallic);
        put(out, ",\"roughnessFactor\":");
        put_decimal(out, info->roughness);
        put(out, "}");
        put(out, info->double_sided ? ",\"doubleSided\":true" : "");
        put_extras(out, info->extras);
        put(out, "}");
    }
}

static void section(text* out, const char* name, const text* body) {
    if (body->size > 0) {
        put(out, ",\"");
        put(out, name);
        put(out, "\":[");
        put_bytes(out, body->bytes, body->size);
        put(out, "]");
    }
}

static void document_write(writer* w, text* json, int32_t inverse_binds) {
    const kit_model* model = w->model;
    put(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"hem_samples\"},\"scene\":0,\"scenes\":[{\"name\":");
    put_string(json, model->name);
    put(json, ",\"nodes\":[0");
    for (int32_t m = 0; m < model->mesh_count; ++m) {
        put(json, ",");
        put_integer(json, model->bone_count + m);
    }
    put(json, "]");
    put_extras(json, model->extras);
    put(json, "}]");
    section(json, "nodes", &w->nodes);
    section(json, "meshes", &w->meshes);
    put(json, ",\"skins\":[{\"name\":");
    put_string(json, model->name);
    put(json, ",\"skeleton\":0,\"inverseBindMatrices\":");
    put_integer(json, inverse_binds);
    put(json, ",\"joints\":[");
    for (int32_t b = 0; b < model->bone_count; ++b) {
        put(json, b > 0 ? "," : "");
        put_integer(json, b);
    }
    put(json, "]}]");
    section(json, "materials", &w->materials);
    section(json, "animations", &w->animations);
    section(json, "accessors", &w->accessors);
    section(json, "bufferViews", &w->views);
    put(json, ",\"buffers\":[{\"byteLength\":");
    put_integer(json, (int64_t)w->binary.size);
    put(json, "}]}");
    while (json->size % 4 != 0) {
        put(json, " ");
    }
}

glb_file glb_pack(kit_model* model) {
    text empty = {model, NULL, 0, 0};
    writer w = {model, empty, empty, empty, empty, empty, empty, empty, 0, 0};
    glb_file file = {0};
    for (int32_t m = 0; m < model->mesh_count; ++m) {
        file.vertex_count += mesh_write(&w, m);
        file.triangle_count += model->meshes[m]->triangle_count;
    }
    int32_t inverse_binds = inverse_binds_add(&w);
    nodes_write(&w);
    materials_write(&w);
    for (int32_t c = 0; c < model->clip_count; ++c) {
        kit_clip_finish(model->clips[c]);
        clip_write(&w, c);
    }
    file.bone_count = model->bone_count;
    file.clip_count = model->clip_count;
    text json = empty, out = empty;
    document_write(&w, &json, inverse_binds);
    put_u32(&out, 0x46546c67u); // glTF
    put_u32(&out, 2);
    put_u32(&out, (uint32_t)(12 + 8 + json.size + 8 + w.binary.size));
    put_u32(&out, (uint32_t)json.size);
    put_u32(&out, 0x4e4f534au); // JSON
    put_bytes(&out, json.bytes, json.size);
    put_u32(&out, (uint32_t)w.binary.size);
    put_u32(&out, 0x004e4942u); // BIN
    put_bytes(&out, w.binary.bytes, w.binary.size);
    file.bytes = (uint8_t*)out.bytes;
    file.size = out.size;
    return file;
}
