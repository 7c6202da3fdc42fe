// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include "platform/file.h"
#include "platform/map.h"

#include <meshoptimizer.h>
#include <string.h>

// Where a glTF's bytes come from: the GLB's binary chunk, data: URIs, files next to it; and buffer views packed with
// meshoptimizer's codecs. Nothing is allocated on the word of a count alone: a buffer must be as long as it claims, and
// a packed view may not claim more than its codec can make of the bytes it has.

static int base64_digit(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

static bool decode_base64(hemc_source* source, cgltf_buffer* buffer, const char* text, const char* where) {
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '=') {
        --length;
    }
    size_t decoded = length / 4 * 3 + (length % 4 * 3) / 4;
    if (decoded < buffer->size) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "byteLength is %zu, but its data: URI holds %zu bytes", buffer->size, decoded);
    }
    uint8_t* out = hemc_alloc(source->arena, decoded + 4, 1);
    size_t at = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < length; ++i) {
        int digit = base64_digit(text[i]);
        if (digit < 0) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where,
                              "its data: URI is not base64 at character %zu", i);
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 == 3) {
            out[at++] = (uint8_t)(bits >> 16);
            out[at++] = (uint8_t)(bits >> 8);
            out[at++] = (uint8_t)bits;
            bits = 0;
        }
    }
    if (length % 4 >= 2) {
        bits <<= length % 4 == 2 ? 12 : 6;
        out[at++] = (uint8_t)(bits >> 16);
        if (length % 4 == 3) {
            out[at++] = (uint8_t)(bits >> 8);
        }
    }
    buffer->data = out;
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

const char* hemc_path_beside(hemc_arena* arena, const char* file, const char* name) {
    const char *slash = strrchr(file, '/'), *back = strrchr(file, '\\');
    slash = slash == NULL || (back != NULL && back > slash) ? back : slash;
    const int folder = slash != NULL && name[0] != '/' ? (int)(slash - file) + 1 : 0;
    return hemc_format(arena, "%.*s%s", folder, file, name);
}

static char* path_of_uri(hemc_arena* arena, const char* gltf, const char* uri) {
    const char* slash = strrchr(gltf, '/');
    const char* back = strrchr(gltf, '\\');
    slash = slash == NULL || (back != NULL && back > slash) ? back : slash;
    size_t folder = slash != NULL ? (size_t)(slash - gltf) + 1 : 0;
    char* path = hemc_alloc(arena, folder + strlen(uri) + 1, 1);
    memcpy(path, gltf, folder);
    char* out = path + folder;
    for (const char* c = uri; *c != 0; ++c) {
        int high = *c == '%' ? hex_digit(c[1]) : -1;
        int low = high >= 0 ? hex_digit(c[2]) : -1;
        if (low >= 0 && high * 16 + low != 0) {
            *out++ = (char)(high * 16 + low);
            c += 2;
        } else {
            *out++ = *c;
        }
    }
    return path;
}

static bool load_file(hemc_source* source, cgltf_buffer* buffer, const char* where) {
    size_t length = strlen(buffer->uri);
    if (length == 0 || buffer->uri[length - 1] == '/' || buffer->uri[0] == '#' || buffer->uri[0] == '?') {
        return hemc_error(source->log, HEMC_INPUT, source->path, hemc_format(source->arena, "%s/uri", where),
                          "\"%.200s\" names no file", buffer->uri);
    }
    if (strstr(buffer->uri, "://") != NULL) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "its uri \"%.200s\" is not a file",
                          buffer->uri);
    }
    if (!source->files_allowed) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "needs the file \"%.200s\"", buffer->uri);
    }
    char* path = path_of_uri(source->arena, source->path, buffer->uri);
    uint8_t* bytes;
    size_t size;
    if (!hemc_read_file(source->arena, path, &bytes, &size)) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "cannot read its file %s", path);
    }
    hemc_model* model = source->model;
    size_t capacity = model->input_count;
    model->input_paths =
        hemc_grow(source->arena, model->input_paths, &capacity, (size_t)model->input_count + 1, sizeof(char*));
    model->input_paths[model->input_count++] = path;
    source->input_size += size;
    if (size < buffer->size) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "byteLength is %zu, but %s has %zu bytes",
                          buffer->size, path, size);
    }
    buffer->data = bytes;
    return true;
}

// The JSON of a glTF or GLB in memory of its own; NULL when there is none to be had. Mapped: a GLB's JSON is small beside
// its bytes, which are read later.
static char* read_json_only(hemc_arena* arena, const char* path, size_t* size) {
    hem_map map;
    if (!hem_file_is_regular(path) || !hem_map_open(path, &map, NULL)) {
        return NULL;
    }
    const uint8_t* bytes = map.data;
    size_t begin = 0;
    *size = map.size;
    if (map.size >= 20 && memcmp(bytes, "glTF", 4) == 0) {
        uint32_t chunk =
            (uint32_t)bytes[12] | (uint32_t)bytes[13] << 8 | (uint32_t)bytes[14] << 16 | (uint32_t)bytes[15] << 24;
        begin = 20;
        *size = chunk < map.size - 20 ? chunk : map.size - 20;
    } else if (map.size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        begin = 3;
        *size = map.size - 3;
    }
    char* text = hemc_try_alloc(arena, *size + 1);
    if (text != NULL) {
        memcpy(text, bytes + begin, *size);
        text[*size] = 0;
    }
    hem_map_close(&map);
    if (text == NULL) {
        hemc_out_of_memory(arena);
    }
    return text;
}

typedef struct named_files {
    hemc_arena* arena;
    const char* path;
    hemc_named_file* files;
    size_t count, capacity;
} named_files;

// The items of a list, each an object with such a string.
static void add_named_files(named_files* n, const hemc_json* list, const char* key) {
    for (const hemc_json* item = list->kind == HEMC_JSON_ARRAY ? list->first : NULL; item != NULL; item = item->next) {
        const hemc_json* name = item->kind == HEMC_JSON_OBJECT ? hemc_json_member(item, key) : NULL;
        if (name == NULL || name->kind != HEMC_JSON_STRING || name->string[0] == 0 ||
            strncmp(name->string, "data:", 5) == 0 || strstr(name->string, "://") != NULL) {
            continue;
        }
        n->files = hemc_grow(n->arena, n->files, &n->capacity, n->count + 1, sizeof(hemc_named_file));
        n->files[n->count++] =
            (hemc_named_file){strcmp(key, "uri") == 0 ? path_of_uri(n->arena, n->path, name->string)
                                                      : hemc_path_beside(n->arena, n->path, name->string),
                              hemc_json_pointer(n->arena, "", item)};
    }
}

// Animations that "clips" of a recipe name, wherever the recipe stands: extras of a glTF too. Depth is bounded by the parser.
static void add_animations(named_files* n, const hemc_json* value) {
    for (const hemc_json* item = value->first; item != NULL; item = item->next) {
        if (item->key != NULL && strcmp(item->key, "clips") == 0) {
            add_named_files(n, item, "file");
        }
        add_animations(n, item);
    }
}

uint32_t hemc_import_named_files(hemc_arena* arena, const char* path, hemc_named_file** files) {
    named_files n = {.arena = arena, .path = path};
    hemc_log unheard = {.arena = arena};
    size_t size;
    char* text = read_json_only(arena, path, &size);
    const hemc_json* json = text != NULL ? hemc_json_parse(arena, &unheard, path, "", text, size, true) : NULL;
    if (json != NULL) {
        for (const hemc_json* item = json->kind == HEMC_JSON_OBJECT ? json->first : NULL; item != NULL;
             item = item->next) {
            if (strcmp(item->key, "buffers") == 0 || strcmp(item->key, "images") == 0) {
                add_named_files(&n, item, "uri");
            }
        }
        add_animations(&n, json);
    }
    *files = n.files;
    return (uint32_t)n.count;
}

bool hemc_load_buffers(hemc_source* source) {
    cgltf_data* data = source->data;
    for (size_t i = 0; i < data->buffers_count; ++i) {
        cgltf_buffer* buffer = &data->buffers[i];
        char* where = hemc_format(source->arena, "/buffers/%zu", i);
        if (buffer->uri == NULL) {
            if (i != 0 || source->bin == NULL) {
                continue; // the stand-in for compressed data; an error where it is used
            }
            if (source->bin_size < buffer->size) {
                return hemc_error(source->log, HEMC_INPUT, source->path, where,
                                  "byteLength is %zu, but the GLB's binary chunk has %zu bytes", buffer->size,
                                  source->bin_size);
            }
            buffer->data = (void*)(uintptr_t)source->bin;
        } else if (strncmp(buffer->uri, "data:", 5) == 0) {
            const char* comma = strchr(buffer->uri, ',');
            if (comma == NULL || comma - buffer->uri < 7 || strncmp(comma - 7, ";base64", 7) != 0) {
                return hemc_error(source->log, HEMC_INPUT, source->path, where, "its data: URI is not base64");
            }
            if (!decode_base64(source, buffer, comma + 1, where)) {
                return false;
            }
        } else if (!load_file(source, buffer, where)) {
            return false;
        }
        buffer->data_free_method = cgltf_data_free_method_none;
    }
    return true;
}

// -- Packed views

// EXT_ and KHR_ have the same fields; the COLOR filter is KHR_'s alone.
static bool read_packed(hemc_source* source, cgltf_buffer_view* view, const hemc_json* json, bool khr) {
    static const char* const modes[] = {"", "ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char* const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"};
    cgltf_meshopt_compression* packed = &view->meshopt_compression;
    const hemc_json* offset = hemc_json_member(json, "byteOffset");
    const hemc_json* mode = hemc_json_member(json, "mode");
    const hemc_json* filter = hemc_json_member(json, "filter");
    int mode_index = 0, filter_index = filter == NULL ? 0 : -1;
    for (int i = 1; i < 4; ++i) {
        mode_index = strcmp(mode->string, modes[i]) == 0 ? i : mode_index;
    }
    for (int i = 0; i < (khr ? 5 : 4) && filter != NULL; ++i) {
        filter_index = strcmp(filter->string, filters[i]) == 0 ? i : filter_index;
    }
    if (mode_index == 0 || filter_index < 0) {
        const hemc_json* bad = mode_index == 0 ? mode : filter;
        return hemc_error(source->log, HEMC_INPUT, source->path, hemc_json_pointer(source->arena, "", bad),
                          "\"%.60s\" is no meshopt %s that is known", bad->string, mode_index == 0 ? "mode" : "filter");
    }
    *packed = (cgltf_meshopt_compression){
        .buffer = &source->data->buffers[(size_t)hemc_json_member(json, "buffer")->number],
        .offset = offset != NULL ? (size_t)offset->number : 0,
        .size = (size_t)hemc_json_member(json, "byteLength")->number,
        .stride = (size_t)hemc_json_member(json, "byteStride")->number,
        .count = (size_t)hemc_json_member(json, "count")->number,
        .mode = (cgltf_meshopt_compression_mode)mode_index,
        .filter = (cgltf_meshopt_compression_filter)filter_index,
    };
    view->has_meshopt_compression = 1;
    return true;
}

static uint32_t to_normalized(int32_t value, uint32_t scale, uint32_t limit) {
    int64_t rounded = ((int64_t)2 * value * limit + scale) / ((int64_t)2 * scale);
    return value <= 0 ? 0 : rounded < limit ? (uint32_t)rounded : limit;
}

// The COLOR filter of KHR_meshopt_compression, which the library at hand does not know: Y, Co, Cg of K bits, and alpha of
// K - 1 bits below a one that tells K. R = Y + Co - Cg, G = Y + Cg, B = Y - Co - Cg, all scaled from K bits to 8 or 16.
static void decode_color(uint8_t* data, size_t count, size_t stride) {
    uint32_t limit = stride == 4 ? 0xff : 0xffff;
    for (size_t i = 0; i < count; ++i) {
        uint8_t* p = data + i * stride;
        int32_t y, co, cg, a;
        if (stride == 4) {
            int8_t chroma[2] = {(int8_t)p[1], (int8_t)p[2]};
            y = p[0], co = chroma[0], cg = chroma[1], a = p[3];
        } else {
            uint16_t wide[4];
            memcpy(wide, p, 8);
            y = wide[0], co = (int16_t)wide[1], cg = (int16_t)wide[2], a = wide[3];
        }
        uint32_t scale = 1;
        while (scale < (uint32_t)a) {
            scale = scale << 1 | 1;
        }
        int32_t alpha = a & (int32_t)(scale >> 1);
        uint32_t rgba[4] = {to_normalized(y + co - cg, scale, limit), to_normalized(y + cg, scale, limit),
                            to_normalized(y - co - cg, scale, limit),
                            to_normalized(alpha << 1 | (alpha & 1), scale, limit)};
        for (size_t c = 0; c < 4; ++c) {
            uint16_t wide = (uint16_t)rgba[c];
            if (stride == 4) {
                p[c] = (uint8_t)wide;
            } else {
                memcpy(p + 2 * c, &wide, 2);
            }
        }
    }
}

static bool decode_view(hemc_source* source, cgltf_buffer_view* view, const char* where) {
    const cgltf_meshopt_compression* packed = &view->meshopt_compression;
    bool indices = packed->mode == cgltf_meshopt_compression_mode_triangles ||
                   packed->mode == cgltf_meshopt_compression_mode_indices;
    if (packed->buffer->data == NULL || packed->offset > packed->buffer->size ||
        packed->size > packed->buffer->size - packed->offset) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "its compressed bytes are outside their buffer");
    }
    bool stride_good = indices ? packed->stride == 2 || packed->stride == 4
                               : packed->stride % 4 == 0 && packed->stride >= 4 && packed->stride <= 256;
    if (!stride_good || (packed->mode == cgltf_meshopt_compression_mode_triangles && packed->count % 3 != 0)) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "meshopt byteStride %zu or count %zu is not allowed", packed->stride, packed->count);
    }
    // The best case of the codecs is far below 1 : 256 over a whole stream.
    uint64_t limit = (uint64_t)packed->size * 256 + 65536;
    if (packed->count > limit || packed->count > limit / packed->stride) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "%zu elements of %zu bytes cannot come from %zu bytes", packed->count, packed->stride,
                          packed->size);
    }
    int filter = (int)packed->filter;
    bool filter_good =
        filter == 0 || (!indices && (((filter == 1 || filter == 4) && (packed->stride == 4 || packed->stride == 8)) ||
                                     (filter == 2 && packed->stride == 8) || filter == 3));
    if (!filter_good) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "meshopt filter does not go with the byteStride or mode");
    }
    void* out = hemc_alloc(source->arena, packed->count, packed->stride);
    const uint8_t* in = (const uint8_t*)packed->buffer->data + packed->offset;
    int result = packed->mode == cgltf_meshopt_compression_mode_attributes
                     ? meshopt_decodeVertexBuffer(out, packed->count, packed->stride, in, packed->size)
                 : packed->mode == cgltf_meshopt_compression_mode_triangles
                     ? meshopt_decodeIndexBuffer(out, packed->count, packed->stride, in, packed->size)
                     : meshopt_decodeIndexSequence(out, packed->count, packed->stride, in, packed->size);
    if (result != 0) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "its meshopt data is damaged or of a newer codec version (code %d); export again", result);
    }
    if (filter == 1) {
        meshopt_decodeFilterOct(out, packed->count, packed->stride);
    } else if (filter == 2) {
        meshopt_decodeFilterQuat(out, packed->count, packed->stride);
    } else if (filter == 3) {
        meshopt_decodeFilterExp(out, packed->count, packed->stride);
    } else if (filter == 4) {
        decode_color(out, packed->count, packed->stride);
    }
    view->data = out;
    return true;
}

bool hemc_decode_views(hemc_source* source) {
    const hemc_json* views = hemc_json_member(source->json, "bufferViews");
    const hemc_json* json = views != NULL ? views->first : NULL;
    for (size_t i = 0; i < source->data->buffer_views_count && json != NULL; ++i, json = json->next) {
        cgltf_buffer_view* view = &source->data->buffer_views[i];
        const hemc_json* extensions = hemc_json_member(json, "extensions");
        const hemc_json* ext = hemc_json_member(extensions, "EXT_meshopt_compression");
        const hemc_json* khr = hemc_json_member(extensions, "KHR_meshopt_compression");
        const hemc_json* packed = ext != NULL ? ext : khr;
        view->has_meshopt_compression = 0; // cgltf's own reading passes over words it does not know
        if (packed != NULL && packed->kind == HEMC_JSON_OBJECT && !read_packed(source, view, packed, ext == NULL)) {
            return false;
        }
        if (view->has_meshopt_compression &&
            !decode_view(source, view, hemc_format(source->arena, "/bufferViews/%zu", i))) {
            return false;
        }
    }
    return true;
}
