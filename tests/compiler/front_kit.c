// SPDX-License-Identifier: MIT
#include "front_kit.h"

#include "compiler/recipe/json.h"
#include "platform/file.h"

#include <stdio.h>
#include <string.h>

static const char json_format[] =
    "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0,\n"
    " \"scenes\": [{\"nodes\": [0]}],\n"
    " \"nodes\": [\n"
    "  {\"name\": \"Armature\", \"children\": [1, 3], \"scale\": [100, 100, 100]},\n"
    "  {\"name\": \"Upper\", \"children\": [2], \"translation\": [0, 0.02, 0]},\n"
    "  {\"name\": \"Lower\", \"children\": [4], \"translation\": [0, -0.01, 0], \"scale\": [0.01, 0.01, 0.01]},\n"
    "  {\"name\": \"Sheet\", \"mesh\": 0, \"skin\": 0},\n"
    "  {\"name\": \"Flag\", \"mesh\": 1, \"translation\": [0, 0.5, 0]}],\n"
    " \"meshes\": [\n"
    "  {\"name\": \"SheetMesh\", \"primitives\": [{\"attributes\": {\"POSITION\": 0, \"NORMAL\": 1, \"JOINTS_0\": 2, "
    "\"WEIGHTS_0\": 3,\n"
    "    \"_HEM_PIN\": 8}, \"indices\": 4, \"material\": 0}]},\n"
    "  {\"name\": \"FlagMesh\", \"primitives\": [{\"attributes\": {\"POSITION\": 9}, \"mode\": 5}]}],\n"
    " \"materials\": [{\"name\": \"Cloth\", \"pbrMetallicRoughness\": {\"baseColorFactor\": [0.5, 0.25, 1, 1]}}],\n"
    " \"skins\": [{\"joints\": [1, 2], \"inverseBindMatrices\": 5, \"skeleton\": 0}],\n"
    " \"animations\": [{\"name\": \"swing\", \"samplers\": [{\"input\": 6, \"output\": 7, \"interpolation\": "
    "\"LINEAR\"}],\n"
    "   \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 2, \"path\": \"rotation\"}}]}],\n"
    " \"accessors\": [\n"
    "  {\"bufferView\": 0, \"componentType\": 5126, \"count\": 15, \"type\": \"VEC3\", \"min\": [-1, 0, 0], \"max\": "
    "[1, 2, 0]},\n"
    "  {\"bufferView\": 1, \"componentType\": 5126, \"count\": 15, \"type\": \"VEC3\"},\n"
    "  {\"bufferView\": 9, \"componentType\": 5121, \"count\": 15, \"type\": \"VEC4\"},\n"
    "  {\"bufferView\": 2, \"componentType\": 5126, \"count\": 15, \"type\": \"VEC4\"},\n"
    "  {\"bufferView\": 8, \"componentType\": 5123, \"count\": 48, \"type\": \"SCALAR\"},\n"
    "  {\"bufferView\": 3, \"componentType\": 5126, \"count\": 2, \"type\": \"MAT4\"},\n"
    "  {\"bufferView\": 4, \"componentType\": 5126, \"count\": 3, \"type\": \"SCALAR\", \"min\": [0], \"max\": [1]},\n"
    "  {\"bufferView\": 5, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC4\"},\n"
    "  {\"bufferView\": 6, \"componentType\": 5126, \"count\": 15, \"type\": \"SCALAR\"},\n"
    "  {\"bufferView\": 7, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\", \"min\": [0, 0, 0], \"max\": [1, "
    "1, 0]},\n"
    "  {\"bufferView\": 10, \"componentType\": 5126, \"count\": 2, \"type\": \"MAT4\"}],\n"
    " \"bufferViews\": [\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 180},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 180},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 240},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 128},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 12},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 48},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 60},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 48},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 96},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 60},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 128}],\n"
    " \"buffers\": [{\"byteLength\": %zu%s}]}\n";

kit_data kit_good(void) {
    kit_data d = {0};
    for (int v = 0; v < KIT_VERTICES; ++v) {
        int column = v % KIT_COLUMNS, level = v / KIT_COLUMNS;
        d.positions[v][0] = 0.5f * (float)(column - 1); // centimetres' hundredth: the armature makes metres of it
        d.positions[v][1] = 0.5f * (float)level;
        d.positions[v][2] = 0.125f * (float)(column == 1);
        for (int i = 0; i < 3; ++i) {
            d.positions[v][i] *= 0.01f;
        }
        d.normals[v][2] = 1;
        float upper = (float)level / (KIT_LEVELS - 1);
        d.weights[v][0] = upper;
        d.weights[v][1] = 1.0f - upper;
        d.joints[v][1] = 1;
        d.pin[v] = level == KIT_LEVELS - 1 ? 1.0f : 0.0f;
    }
    uint16_t* index = d.indices;
    for (uint16_t level = 0; level + 1 < KIT_LEVELS; ++level) {
        for (uint16_t column = 0; column + 1 < KIT_COLUMNS; ++column) {
            uint16_t a = (uint16_t)(level * KIT_COLUMNS + column), b = (uint16_t)(a + KIT_COLUMNS);
            uint16_t corner[6] = {a, (uint16_t)(a + 1), b, (uint16_t)(a + 1), (uint16_t)(b + 1), b};
            memcpy(index, corner, sizeof(corner));
            index += 6;
        }
    }
    // Inverse bind matrices: from armature space (mesh space) to the joints.
    for (int j = 0; j < 2; ++j) {
        float scale = j == 0 ? 1.0f : 100.0f, height = j == 0 ? 0.02f : 0.01f;
        d.inverse_bind[j][0] = d.inverse_bind[j][5] = d.inverse_bind[j][10] = scale;
        d.inverse_bind[j][13] = -height * scale;
        d.inverse_bind[j][15] = 1;
    }
    memcpy(d.turned_bind, d.inverse_bind, sizeof(d.turned_bind));
    float* turned = d.turned_bind[1]; // x stays, y becomes z, z becomes -y
    turned[5] = turned[10] = turned[13] = 0;
    turned[6] = 100;
    turned[9] = -100;
    turned[14] = -1;
    float turn[KIT_KEYS] = {0, 0.38268343f, 0}; // 45 degrees about x and back
    for (int k = 0; k < KIT_KEYS; ++k) {
        d.times[k] = 0.5f * (float)k;
        d.rotations[k][0] = turn[k];
        d.rotations[k][3] = k == 1 ? 0.92387953f : 1.0f;
    }
    float corners[KIT_FLAG_VERTICES][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    memcpy(d.flag, corners, sizeof(corners));
    return d;
}

static char* make_json(hemc_arena* arena, const char* uri, const char* from, const char* to) {
    char* json = hemc_format(arena, json_format, offsetof(kit_data, positions), offsetof(kit_data, normals),
                             offsetof(kit_data, weights), offsetof(kit_data, inverse_bind), offsetof(kit_data, times),
                             offsetof(kit_data, rotations), offsetof(kit_data, pin), offsetof(kit_data, flag),
                             offsetof(kit_data, indices), offsetof(kit_data, joints), offsetof(kit_data, turned_bind),
                             sizeof(kit_data), uri);
    if (from == NULL) {
        return json;
    }
    char* at = strstr(json, from);
    if (at == NULL) {
        return NULL;
    }
    *at = 0;
    return hemc_format(arena, "%s%s%s", json, to, at + strlen(from));
}

char* kit_base64(hemc_arena* arena, const void* data, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t* bytes = (const uint8_t*)data;
    hemc_text text = {.arena = arena};
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t bits =
            (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], left > 1 ? digits[bits >> 6 & 63] : '=',
                        left > 2 ? digits[bits & 63] : '='};
        hemc_text_bytes(&text, four, 4);
    }
    return text.data;
}

char* kit_gltf(hemc_arena* arena, const kit_data* data, const char* from, const char* to, size_t* size) {
    char* uri = hemc_format(arena, ", \"uri\": \"data:application/octet-stream;base64,%s\"",
                            kit_base64(arena, data, sizeof(*data)));
    char* text = make_json(arena, uri, from, to);
    *size = text != NULL ? strlen(text) : 0;
    return text;
}

static void put_u32(uint8_t* p, uint32_t value) {
    memcpy(p, &value, 4);
}

uint8_t* kit_glb(hemc_arena* arena, const kit_data* data, const char* from, const char* to, size_t* size) {
    char* json = make_json(arena, "", from, to);
    if (json == NULL) {
        return NULL;
    }
    size_t length = strlen(json), padded = (length + 3) / 4 * 4, bin = (sizeof(*data) + 3) / 4 * 4;
    *size = 12 + 8 + padded + 8 + bin;
    uint8_t* out = hemc_alloc(arena, *size, 1);
    memcpy(out, "glTF", 4);
    put_u32(out + 4, 2);
    put_u32(out + 8, (uint32_t)*size);
    put_u32(out + 12, (uint32_t)padded);
    memcpy(out + 16, "JSON", 4);
    memset(out + 20, ' ', padded);
    memcpy(out + 20, json, length);
    put_u32(out + 20 + padded, (uint32_t)bin);
    memcpy(out + 24 + padded, "BIN\0", 4);
    memcpy(out + 28 + padded, data, sizeof(*data));
    return out;
}

void kit_begin(kit* k) {
    memset(k, 0, sizeof(*k));
    k->arena = hemc_arena_create();
    k->log.arena = k->arena;
}

void kit_end(kit* k) {
    hemc_arena_destroy(k->arena);
}

bool kit_import_text(kit* k, const char* text) {
    return hemc_import_memory(k->arena, &k->log, "test.gltf", text, strlen(text), &k->model);
}

bool kit_import(kit* k, const kit_data* data, const char* from, const char* to) {
    size_t size;
    char* text = kit_gltf(k->arena, data, from, to, &size);
    return text != NULL && hemc_import_memory(k->arena, &k->log, "test.gltf", text, size, &k->model);
}

bool kit_log_has(const hemc_log* log, hemc_severity severity, const char* part) {
    for (size_t i = 0; i < log->message_count; ++i) {
        const hemc_message* m = &log->messages[i];
        char line[2048];
        snprintf(line, sizeof(line), "%s: %s", m->path, m->text);
        if (m->severity == severity && strstr(line, part) != NULL) {
            return true;
        }
    }
    return false;
}

void kit_log_print(const hemc_log* log) {
    static const char* const words[] = {"note", "warning", "error"};
    for (size_t i = 0; i < log->message_count; ++i) {
        const hemc_message* m = &log->messages[i];
        printf("    %s:%s: %s: %s\n", m->file, m->path, words[m->severity], m->text);
    }
}

bool kit_folder(char path[512]) {
    return hem_file_temp_name(path, 512, "hemc_test") && hem_directory_make(path, NULL);
}

void kit_folder_end(const char* path) {
    hem_directory_list list;
    if (!hem_directory_read(path, &list, NULL)) {
        return;
    }
    for (size_t i = 0; i < list.count; ++i) {
        char name[1024];
        if (hem_path_join(name, sizeof(name), path, list.entries[i].name)) {
            if (list.entries[i].is_directory) {
                kit_folder_end(name);
            } else {
                hem_file_remove(name, NULL);
            }
        }
    }
    hem_directory_list_free(&list);
    hem_directory_remove(path, NULL);
}

bool kit_write(const char* folder, const char* name, const void* bytes, size_t size, char path[600]) {
    return hem_path_join(path, 600, folder, name) && hem_file_write(path, bytes, size, 0, NULL);
}
