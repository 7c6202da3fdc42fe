// SPDX-License-Identifier: MIT
#include "compiler/import.h"

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

static char* path_of_uri(hemc_source* source, const char* uri) {
    const char* slash = strrchr(source->path, '/');
    const char* back = strrchr(source->path, '\\');
    slash = slash == NULL || (back != NULL && back > slash) ? back : slash;
    size_t folder = slash != NULL ? (size_t)(slash - source->path) + 1 : 0;
    char* path = hemc_alloc(source->arena, folder + strlen(uri) + 1, 1);
    memcpy(path, source->path, folder);
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
    if (strstr(buffer->uri, "://") != NULL) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "its uri \"%.200s\" is not a file",
                          buffer->uri);
    }
    if (!source->files_allowed) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "needs the file \"%.200s\"", buffer->uri);
    }
    char* path = path_of_uri(source, buffer->uri);
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

bool hemc_load_buffers(hemc_source* source) {
    cgltf_data* data = source->data;
    for (size_t i = 0; i < data->buffers_count; ++i) {
        cgltf_buffer* buffer = &data->buffers[i];
        char* where = hemc_format(source->arena, "/buffers/%zu", i);
        if (buffer->uri == NULL) {
            if (i != 0 || data->bin == NULL) {
                continue; // the stand-in for compressed data; an error where it is used
            }
            if (data->bin_size < buffer->size) {
                return hemc_error(source->log, HEMC_INPUT, source->path, where,
                                  "byteLength is %zu, but the GLB's binary chunk has %zu bytes", buffer->size,
                                  data->bin_size);
            }
            buffer->data = (void*)(uintptr_t)data->bin;
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

// cgltf knows the EXT_ name alone. The KHR_ extension has the same fields.
static void read_khr(hemc_source* source, cgltf_buffer_view* view, const hemc_json* json) {
    static const char* const modes[] = {"", "ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char* const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"};
    cgltf_meshopt_compression* packed = &view->meshopt_compression;
    const hemc_json* offset = hemc_json_member(json, "byteOffset");
    const hemc_json* filter = hemc_json_member(json, "filter");
    packed->buffer = &source->data->buffers[(size_t)hemc_json_member(json, "buffer")->number];
    packed->offset = offset != NULL ? (size_t)offset->number : 0;
    packed->size = (size_t)hemc_json_member(json, "byteLength")->number;
    packed->stride = (size_t)hemc_json_member(json, "byteStride")->number;
    packed->count = (size_t)hemc_json_member(json, "count")->number;
    for (int i = 1; i < 4; ++i) {
        if (strcmp(hemc_json_member(json, "mode")->string, modes[i]) == 0) {
            packed->mode = (cgltf_meshopt_compression_mode)i;
        }
    }
    for (int i = 0; i < 5; ++i) {
        if (filter != NULL && strcmp(filter->string, filters[i]) == 0) {
            packed->filter = (cgltf_meshopt_compression_filter)i;
        }
    }
    view->has_meshopt_compression = 1;
}

static bool decode_view(hemc_source* source, cgltf_buffer_view* view, const char* where) {
    const cgltf_meshopt_compression* packed = &view->meshopt_compression;
    bool indices = packed->mode == cgltf_meshopt_compression_mode_triangles ||
                   packed->mode == cgltf_meshopt_compression_mode_indices;
    if (packed->mode != cgltf_meshopt_compression_mode_attributes && !indices) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "unknown meshopt mode");
    }
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
    bool filter_good = filter == 0 || (!indices && ((filter == 1 && (packed->stride == 4 || packed->stride == 8)) ||
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
    }
    view->data = out;
    return true;
}

bool hemc_decode_views(hemc_source* source) {
    const hemc_json* views = hemc_json_member(source->json, "bufferViews");
    const hemc_json* json = views != NULL ? views->first : NULL;
    for (size_t i = 0; i < source->data->buffer_views_count && json != NULL; ++i, json = json->next) {
        cgltf_buffer_view* view = &source->data->buffer_views[i];
        const hemc_json* khr = hemc_json_member(hemc_json_member(json, "extensions"), "KHR_meshopt_compression");
        if (!view->has_meshopt_compression && khr != NULL && khr->kind == HEMC_JSON_OBJECT) {
            read_khr(source, view, khr);
        }
        if (view->has_meshopt_compression &&
            !decode_view(source, view, hemc_format(source->arena, "/bufferViews/%zu", i))) {
            return false;
        }
    }
    return true;
}
