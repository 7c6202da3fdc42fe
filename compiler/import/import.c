// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include "platform/file.h"

#include <string.h>

#define CGLTF_ATOF(text) hemc_parse_float(text) // no locale
#define CGLTF_IMPLEMENTATION
#include <stdlib.h>
#include <cgltf.h>

// glTF to model: the order of things.
//
//   bytes -> container and JSON checks -> cgltf -> buffers -> packed views -> accessor and mesh checks
//         -> nodes -> bones and bind pose -> primitives            (hemc_import)
//         -> scale, clips                                          (hemc_import_finish, once the recipe is known)
//
// cgltf allocates from the arena and never frees; its tree stays alive as long as the compile, so that the second half
// can read animations from it.

uint32_t hemc_index_of(const void* array, const void* item, size_t size) {
    return (uint32_t)((size_t)((const char*)item - (const char*)array) / size);
}

const char* hemc_name_of(hemc_source* source, const char* name, const char* what, uint32_t index) {
    if (name == NULL || name[0] == 0) {
        return hemc_format(source->arena, "%s_%u", what, index);
    }
    char* copy = hemc_copy_string(source->arena, name, strlen(name));
    cgltf_decode_string(copy);
    return copy;
}

// Comes back with memory or not at all: cgltf 1.12 and 1.14 set the count of a list before they have the list, and fall over it
// when they clean up.
static void* cgltf_take(void* user, cgltf_size size) {
    const hemc_source* source = user;
    return hemc_alloc(source->arena, 1, size);
}

static void cgltf_give(void* user, void* memory) {
    (void)user;
    (void)memory;
}

// -- Container

static uint32_t read_u32(const uint8_t* p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

#define MARK_SIZE 3 // UTF-8's byte order mark

static bool starts_with_mark(const uint8_t* bytes, size_t size) {
    return size >= MARK_SIZE && memcmp(bytes, "\xef\xbb\xbf", MARK_SIZE) == 0;
}

// A byte order mark before the JSON is forbidden, common and harmless.
static void skip_mark(hemc_source* source, const uint8_t* bytes, size_t* begin, size_t* size) {
    if (starts_with_mark(bytes + *begin, *size)) {
        hemc_warn(source->log, source->path, "",
                  "the JSON starts with a byte order mark, which glTF does not allow; ignored");
        *begin += MARK_SIZE;
        *size -= MARK_SIZE;
    }
}

static bool open_text(hemc_source* source, const uint8_t* bytes, size_t size, size_t* json_begin, size_t* json_size) {
    if (size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0)) {
        return hemc_error(source->log, HEMC_INPUT, source->path, "", "is UTF-16 text; glTF must be saved as UTF-8");
    }
    size_t at = starts_with_mark(bytes, size) ? MARK_SIZE : 0;
    while (at < size && (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\n' || bytes[at] == '\r')) {
        ++at;
    }
    if (at == size || bytes[at] != '{') {
        return hemc_error(source->log, HEMC_INPUT, source->path, "",
                          "neither a GLB (no \"glTF\" at its start) nor a glTF (no JSON object)");
    }
    *json_begin = 0;
    *json_size = size;
    skip_mark(source, bytes, json_begin, json_size);
    return true;
}

// Finds the JSON and the binary chunk, and says what is wrong with a GLB.
static bool open_container(hemc_source* source, const uint8_t* bytes, size_t size, size_t* json_begin,
                           size_t* json_size) {
    hemc_log* log = source->log;
    if (size == 0) {
        return hemc_error(log, HEMC_INPUT, source->path, "", "the file is empty");
    }
    if (size < 4 || memcmp(bytes, "glTF", 4) != 0) {
        return open_text(source, bytes, size, json_begin, json_size);
    }
    if (size < 20) {
        return hemc_error(log, HEMC_INPUT, source->path, "", "the GLB is cut off: %zu bytes", size);
    }
    uint32_t version = read_u32(bytes + 4), length = read_u32(bytes + 8), chunk = read_u32(bytes + 12);
    if (version != 2) {
        return hemc_error(log, HEMC_INPUT, source->path, "", "GLB version %u is not supported, only 2", version);
    }
    if (length > size) {
        return hemc_error(log, HEMC_INPUT, source->path, "",
                          "the GLB is cut off: its header says %u bytes, the file has %zu", length, size);
    }
    if (length < size) {
        hemc_warn(log, source->path, "", "the GLB's header says %u bytes, the file has %zu", length, size);
    }
    if (memcmp(bytes + 16, "JSON", 4) != 0) {
        return hemc_error(log, HEMC_INPUT, source->path, "", "the GLB's first chunk is not JSON");
    }
    if (chunk > size - 20) {
        return hemc_error(log, HEMC_INPUT, source->path, "", "the GLB's JSON chunk says %u bytes, but %zu follow",
                          chunk, size - 20);
    }
    size_t at = 20 + (size_t)chunk;
    if (size - at >= 8) {
        uint32_t bin = read_u32(bytes + at);
        if (memcmp(bytes + at + 4, "BIN\0", 4) != 0) {
            return hemc_error(log, HEMC_INPUT, source->path, "", "the GLB's second chunk is not BIN");
        }
        if (bin > size - at - 8) {
            return hemc_error(log, HEMC_INPUT, source->path, "", "the GLB's BIN chunk says %u bytes, but %zu follow",
                              bin, size - at - 8);
        }
        source->bin = bytes + at + 8;
        source->bin_size = bin;
    }
    if (chunk % 4 != 0) {
        hemc_warn(log, source->path, "", "the GLB's JSON chunk length %u is not a multiple of 4", chunk);
    }
    *json_begin = 20;
    *json_size = chunk;
    skip_mark(source, bytes, json_begin, json_size);
    return true;
}

static bool parse(hemc_source* source) {
    hemc_text text = {.arena = source->arena};
    hemc_clean_json(source, &text);
    cgltf_options options = {.type = cgltf_file_type_gltf,
                             .memory = {.alloc_func = cgltf_take, .free_func = cgltf_give, .user_data = source}};
    cgltf_result result = cgltf_parse(&options, text.data, text.size, &source->data);
    if (result == cgltf_result_out_of_memory) { // a size that overflows
        return hemc_error(source->log, HEMC_MEMORY, source->path, "", "out of memory");
    }
    return result == cgltf_result_success ||
           hemc_error(source->log, HEMC_INTERNAL, source->path, "",
                      "cgltf refuses (code %d) what the checks have passed: a fault of hemc", (int)result);
}

// -- Recipe keys in extras

static void add_members(hemc_text* out, const hemc_json* object, const char* text, bool* first, const char* skip) {
    for (const hemc_json* m = object->first; m != NULL; m = m->next) {
        if (skip != NULL && strcmp(m->key, skip) == 0) {
            continue;
        }
        hemc_text_add(out, "%s\n  ", *first ? "" : ",");
        hemc_text_quoted(out, m->key);
        hemc_text_add(out, ": ");
        hemc_text_bytes(out, text + m->begin, m->end - m->begin);
        *first = false;
    }
}

// extras.hem: an object; or, since modelling tools have no nested properties, the same as text; or true for defaults.
static bool find_extras(hemc_source* source, const hemc_json* thing, const char* where, const hemc_json** object,
                        const char** text) {
    const hemc_json* found = hemc_json_member(hemc_json_member(thing, "extras"), "hem");
    *object = NULL;
    *text = source->json_text;
    if (found == NULL) {
        return true;
    }
    bool yes = found->kind == HEMC_JSON_TRUE || (found->kind == HEMC_JSON_NUMBER && found->number == 1);
    if (found->kind == HEMC_JSON_STRING || yes) {
        *text = yes ? "{}" : found->string;
        found = hemc_json_parse(source->arena, source->log, source->path, where, *text, strlen(*text), true);
        if (found == NULL) {
            return false;
        }
    }
    if (found->kind == HEMC_JSON_FALSE || found->kind == HEMC_JSON_NULL) {
        return true;
    }
    if (found->kind != HEMC_JSON_OBJECT) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "must be an object of recipe keys, the same as text, or true");
    }
    *object = found;
    return true;
}

static bool add_part(hemc_source* source, hemc_text* out, const hemc_json* thing, const char* collection,
                     uint32_t index, const char* selector, const char* name, bool* first) {
    char* where = hemc_format(source->arena, "/%s/%u/extras/hem", collection, index);
    const hemc_json* object;
    const char* text;
    if (!find_extras(source, thing, where, &object, &text)) {
        return false;
    }
    if (object == NULL) {
        return true;
    }
    hemc_text_add(out, "%s\n{\n  \"$from\": \"%s\"", *first ? "" : ",", where);
    bool none = false;
    if (hemc_json_member(object, "name") == NULL) {
        hemc_text_add(out, ",\n  \"name\": ");
        hemc_text_quoted(out, name);
    }
    if (hemc_json_member(object, "select") == NULL) {
        hemc_text_add(out, ",\n  \"select\": {\"$%s\": %u}", selector, index);
    }
    add_members(out, object, text, &none, NULL);
    hemc_text_add(out, "\n}");
    *first = false;
    return true;
}

static bool collect_extras(hemc_source* source) {
    const cgltf_data* data = source->data;
    hemc_text out = {.arena = source->arena};
    hemc_text_add(&out, "{");
    bool first = true, any_top = false;
    const hemc_json* top_parts = NULL;
    const char* top_text = NULL;
    const hemc_json* scenes = hemc_json_member(source->json, "scenes");
    const hemc_json* scene = scenes != NULL ? scenes->first : NULL;
    uint32_t shown = data->scene != NULL ? hemc_index_of(data->scenes, data->scene, sizeof(cgltf_scene)) : 0;
    for (uint32_t i = 0; scene != NULL && i < shown; ++i) {
        scene = scene->next;
    }
    const hemc_json* tops[2] = {hemc_json_member(source->json, "asset"), scene};
    const char* wheres[2] = {"/asset/extras/hem", hemc_format(source->arena, "/scenes/%u/extras/hem", shown)};
    for (int i = 0; i < 2; ++i) {
        const hemc_json* object;
        const char* text;
        if (!find_extras(source, tops[i], wheres[i], &object, &text)) {
            return false;
        }
        if (object != NULL) {
            any_top = true;
            add_members(&out, object, text, &first, "parts");
            const hemc_json* parts = hemc_json_member(object, "parts");
            if (parts != NULL && parts->kind == HEMC_JSON_ARRAY) {
                top_parts = parts;
                top_text = text;
            }
        }
    }
    hemc_text_add(&out, "%s\n\"parts\": [", first ? "" : ",");
    bool first_part = true;
    for (const hemc_json* part = top_parts != NULL ? top_parts->first : NULL; part != NULL; part = part->next) {
        hemc_text_add(&out, first_part ? "\n" : ",\n");
        hemc_text_bytes(&out, top_text + part->begin, part->end - part->begin);
        first_part = false;
    }
    static const char* const collections[] = {"nodes", "meshes", "materials"};
    for (int c = 0; c < 3; ++c) {
        const hemc_json* list = hemc_json_member(source->json, collections[c]);
        uint32_t i = 0;
        for (const hemc_json* thing = list != NULL ? list->first : NULL; thing != NULL; thing = thing->next, ++i) {
            const char* raw = c == 0 ? data->nodes[i].name : c == 1 ? data->meshes[i].name : data->materials[i].name;
            const char* selector = c == 1                                                            ? "mesh"
                                   : c == 2                                                          ? "material"
                                   : source->node_bone[i] != HEM_NONE && data->nodes[i].mesh == NULL ? "bone"
                                                                                                     : "node";
            const char* name = hemc_name_of(source, raw, c == 0 ? "node" : c == 1 ? "mesh" : "material", i);
            if (!add_part(source, &out, thing, collections[c], i, selector, name, &first_part)) {
                return false;
            }
        }
    }
    hemc_text_add(&out, "\n]\n}\n");
    if (any_top || !first_part) {
        source->model->extras_recipe = out.data;
    }
    return true;
}

// -- Entry

static void hash_inputs(hemc_source* source, const uint8_t* bytes, size_t size) {
    // One file: its hash. Several: the hash of their hashes.
    hemc_text digests = {.arena = source->arena};
    uint8_t digest[16];
    hemc_hash128(bytes, size, digest);
    hemc_text_bytes(&digests, (const char*)digest, 16);
    for (size_t i = 0; i < source->data->buffers_count; ++i) {
        const cgltf_buffer* buffer = &source->data->buffers[i];
        if (buffer->uri != NULL && strncmp(buffer->uri, "data:", 5) != 0 && buffer->data != NULL) {
            hemc_hash128(buffer->data, buffer->size, digest);
            hemc_text_bytes(&digests, (const char*)digest, 16);
        }
    }
    if (digests.size > 16) {
        hemc_hash128(digests.data, digests.size, digest);
    }
    memcpy(source->model->source_hash, digest, 16);
}

static bool import_bytes(hemc_arena* arena, hemc_log* log, const char* path, const uint8_t* bytes, size_t size,
                         bool files, hemc_model* model) {
    hemc_source* source = hemc_alloc(arena, 1, sizeof(hemc_source));
    *source = (hemc_source){.arena = arena,
                            .log = log,
                            .path = path,
                            .files_allowed = files,
                            .input_size = size,
                            .model = model,
                            .unit = 1.0};
    memset(model, 0, sizeof(*model));
    model->path = path;
    model->source = source;
    model->input_paths = hemc_alloc(arena, 1, sizeof(char*));
    model->input_paths[0] = path;
    model->input_count = 1;

    size_t json_begin = 0, json_size = 0;
    if (!open_container(source, bytes, size, &json_begin, &json_size)) {
        return false;
    }
    source->json_text = (const char*)bytes + json_begin;
    source->json = hemc_json_parse(arena, log, path, "", source->json_text, json_size, false);
    if (source->json == NULL || !hemc_check_json(source)) {
        return false;
    }
    if (!parse(source) || !hemc_check_extensions(source) || !hemc_load_buffers(source) || !hemc_decode_views(source) ||
        !hemc_check_accessors(source) || !hemc_check_meshes(source)) {
        return false;
    }
    hash_inputs(source, bytes, size);
    return hemc_import_nodes(source) && hemc_check_animations(source) && hemc_import_bones(source) &&
           hemc_import_meshes(source) && collect_extras(source);
}

bool hemc_import(hemc_arena* arena, hemc_log* log, const char* path, hemc_model* model) {
    hem_bytes file;
    hem_file_error error;
    if (!hem_file_read(path, &file, &error)) {
        return hemc_error(log, HEMC_IO, path, "", "%s", error.text);
    }
    uint8_t* bytes = hemc_try_alloc(arena, file.size + 1);
    if (bytes != NULL) {
        memcpy(bytes, file.data, file.size);
    }
    size_t size = file.size;
    hem_bytes_free(&file);
    if (bytes == NULL) {
        return hemc_error(log, HEMC_MEMORY, path, "", "out of memory");
    }
    return import_bytes(arena, log, path, bytes, size, true, model);
}

bool hemc_import_memory(hemc_arena* arena, hemc_log* log, const char* name, const void* bytes, size_t size,
                        hemc_model* model) {
    return import_bytes(arena, log, name, bytes, size, false, model);
}

int32_t hemc_import_bone_of_node(const hemc_model* model, uint32_t node) {
    return node < model->source->data->nodes_count ? model->source->node_bone[node] : HEM_NONE;
}

bool hemc_import_node_is_below(const hemc_model* model, uint32_t node, uint32_t ancestor) {
    int32_t n = (int32_t)node;
    while (n != HEM_NONE && (uint32_t)n != ancestor) {
        n = model->source->node_parent[n];
    }
    return n != HEM_NONE;
}

bool hemc_import_finish(hemc_arena* arena, hemc_log* log, const hemc_recipe* recipe, hemc_model* model) {
    hemc_source* source = model->source;
    source->arena = arena;
    source->log = log;
    if (recipe->scale != 1.0f) {
        source->unit = recipe->scale;
        for (uint32_t v = 0; v < model->vertex_count; ++v) {
            hemc_vec3* p = &model->positions[v];
            *p = (hemc_vec3){p->x * recipe->scale, p->y * recipe->scale, p->z * recipe->scale};
        }
        for (uint32_t b = 0; b < model->bone_count; ++b) {
            for (int k = 0; k < 12; ++k) {
                model->bone_defs[b].bind[k] = (float)(source->bone_bind[b].m[k] * source->unit);
                double inverse = source->bone_inverse_bind[b].m[k];
                model->bone_defs[b].inverse_bind[k] = (float)(k % 4 == 3 ? inverse : inverse / source->unit);
                model->bone_defs[b].space[k] /= k % 4 == 3 ? 1.0f : recipe->scale;
            }
        }
    }
    return hemc_import_animations(source, recipe);
}
