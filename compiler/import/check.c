// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include <math.h>
#include <string.h>

// What a glTF must hold to before anything reads through its indices.
//
// Two passes. The first walks the JSON with a table of patterns ("/accessors/*/bufferView is an index into
// bufferViews"), so that every fault is named by its JSON pointer, where cgltf can only say that the file is bad; what
// no pattern names cgltf never sees (clean.c). It also finds node loops and bounds the nesting. The second looks at what cgltf made of it: every byte an accessor can
// touch must lie inside its view and its buffer, in 64-bit arithmetic that cannot wrap.
//
// Faults that cannot mislead the compiler (a texture's, an unaligned offset, a missing skeleton root) are warnings or
// nothing.

// -- Patterns

#define MESHOPT_RULES(name)                                                                                            \
    {"/bufferViews/*/extensions/" name "/buffer", RULE_INDEX, true, "buffers", 0, false},                              \
        {"/bufferViews/*/extensions/" name "/byteOffset", RULE_SIZE, false, NULL, 0, false},                           \
        {"/bufferViews/*/extensions/" name "/byteLength", RULE_COUNT, true, NULL, 0, false},                           \
        {"/bufferViews/*/extensions/" name "/byteStride", RULE_COUNT, true, NULL, 0, false},                           \
        {"/bufferViews/*/extensions/" name "/count", RULE_COUNT, true, NULL, 0, false},                                \
        {"/bufferViews/*/extensions/" name "/mode", RULE_STRING, true, NULL, 0, false}, {                              \
        "/bufferViews/*/extensions/" name "/filter", RULE_STRING, false, NULL, 0, false                                \
    }

static const hemc_rule rules[] = {
    {"/asset", RULE_OBJECT, true, NULL, 0, false},
    {"/asset/version", RULE_STRING, true, NULL, 0, false},
    {"/extensionsUsed", RULE_ARRAY, false, NULL, 0, true},
    {"/extensionsUsed/*", RULE_STRING, false, NULL, 0, true},
    {"/extensionsRequired", RULE_ARRAY, false, NULL, 0, false},
    {"/extensionsRequired/*", RULE_STRING, false, NULL, 0, false},
    {"/buffers", RULE_ARRAY, false, NULL, 0, false},
    {"/buffers/*", RULE_OBJECT, false, NULL, 0, false},
    {"/buffers/*/byteLength", RULE_COUNT, true, NULL, 0, false},
    {"/buffers/*/uri", RULE_STRING, false, NULL, 0, false},
    {"/bufferViews", RULE_ARRAY, false, NULL, 0, false},
    {"/bufferViews/*", RULE_OBJECT, false, NULL, 0, false},
    {"/bufferViews/*/buffer", RULE_INDEX, true, "buffers", 0, false},
    {"/bufferViews/*/byteOffset", RULE_SIZE, false, NULL, 0, false},
    {"/bufferViews/*/byteLength", RULE_COUNT, true, NULL, 0, false},
    {"/bufferViews/*/byteStride", RULE_COUNT, false, NULL, 0, false},
    MESHOPT_RULES("EXT_meshopt_compression"),
    MESHOPT_RULES("KHR_meshopt_compression"),
    {"/accessors", RULE_ARRAY, false, NULL, 0, false},
    {"/accessors/*", RULE_OBJECT, false, NULL, 0, false},
    {"/accessors/*/bufferView", RULE_INDEX, false, "bufferViews", 0, false},
    {"/accessors/*/byteOffset", RULE_SIZE, false, NULL, 0, false},
    {"/accessors/*/componentType", RULE_COMPONENT, true, NULL, 0, false},
    {"/accessors/*/normalized", RULE_FLAG, false, NULL, 0, false},
    {"/accessors/*/count", RULE_COUNT, true, NULL, 0, false},
    {"/accessors/*/type", RULE_STRING, true, NULL, 0, false},
    {"/accessors/*/sparse", RULE_OBJECT, false, NULL, 0, false},
    {"/accessors/*/sparse/count", RULE_COUNT, true, NULL, 0, false},
    {"/accessors/*/sparse/indices", RULE_OBJECT, true, NULL, 0, false},
    {"/accessors/*/sparse/indices/bufferView", RULE_INDEX, true, "bufferViews", 0, false},
    {"/accessors/*/sparse/indices/byteOffset", RULE_SIZE, false, NULL, 0, false},
    {"/accessors/*/sparse/indices/componentType", RULE_COMPONENT, true, NULL, 0, false},
    {"/accessors/*/sparse/values", RULE_OBJECT, true, NULL, 0, false},
    {"/accessors/*/sparse/values/bufferView", RULE_INDEX, true, "bufferViews", 0, false},
    {"/accessors/*/sparse/values/byteOffset", RULE_SIZE, false, NULL, 0, false},
    {"/cameras", RULE_ARRAY, false, NULL, 0, true},
    {"/samplers", RULE_ARRAY, false, NULL, 0, true},
    {"/images", RULE_ARRAY, false, NULL, 0, true},
    {"/images/*/bufferView", RULE_INDEX, false, "bufferViews", 0, true},
    {"/textures", RULE_ARRAY, false, NULL, 0, true},
    {"/textures/*/source", RULE_INDEX, false, "images", 0, true},
    {"/textures/*/extensions/KHR_texture_basisu/source", RULE_INDEX, false, "images", 0, true},
    {"/textures/*/extensions/EXT_texture_webp/source", RULE_INDEX, false, "images", 0, true},
    {"/materials", RULE_ARRAY, false, NULL, 0, false},
    {"/materials/*", RULE_OBJECT, false, NULL, 0, false},
    {"/materials/*/name", RULE_NAME, false, NULL, 0, false},
    {"/materials/*/pbrMetallicRoughness", RULE_OBJECT, false, NULL, 0, false},
    {"/materials/*/pbrMetallicRoughness/baseColorFactor", RULE_NUMBERS, false, NULL, 4, false},
    {"/materials/*/pbrMetallicRoughness/baseColorTexture/index", RULE_INDEX, false, "textures", 0, true},
    {"/materials/*/pbrMetallicRoughness/metallicRoughnessTexture/index", RULE_INDEX, false, "textures", 0, true},
    {"/materials/*/normalTexture/index", RULE_INDEX, false, "textures", 0, true},
    {"/materials/*/normalTexture/scale", RULE_LOOK, false, NULL, 0, true},
    {"/materials/*/pbrMetallicRoughness/metallicFactor", RULE_LOOK, false, NULL, 0, true},
    {"/materials/*/pbrMetallicRoughness/roughnessFactor", RULE_LOOK, false, NULL, 0, true},
    {"/materials/*/occlusionTexture/index", RULE_INDEX, false, "textures", 0, true},
    {"/materials/*/emissiveTexture/index", RULE_INDEX, false, "textures", 0, true},
    {"/meshes", RULE_ARRAY, false, NULL, 0, false},
    {"/meshes/*", RULE_OBJECT, false, NULL, 0, false},
    {"/meshes/*/name", RULE_NAME, false, NULL, 0, false},
    {"/meshes/*/weights", RULE_NUMBERS, false, NULL, 0, false},
    {"/meshes/*/primitives", RULE_ARRAY, true, NULL, 0, false},
    {"/meshes/*/primitives/*", RULE_OBJECT, false, NULL, 0, false},
    {"/meshes/*/primitives/*/attributes", RULE_OBJECT, true, NULL, 0, false},
    {"/meshes/*/primitives/*/attributes/*", RULE_INDEX, false, "accessors", 0, false},
    {"/meshes/*/primitives/*/indices", RULE_INDEX, false, "accessors", 0, false},
    {"/meshes/*/primitives/*/material", RULE_INDEX, false, "materials", 0, false},
    {"/meshes/*/primitives/*/mode", RULE_SIZE, false, NULL, 6, false},
    {"/meshes/*/primitives/*/targets", RULE_ARRAY, false, NULL, 0, false},
    {"/meshes/*/primitives/*/targets/*", RULE_OBJECT, false, NULL, 0, false},
    {"/meshes/*/primitives/*/targets/*/*", RULE_INDEX, false, "accessors", 0, false},
    {"/meshes/*/primitives/*/extensions/KHR_draco_mesh_compression/bufferView", RULE_INDEX, true, "bufferViews", 0,
     false},
    {"/skins", RULE_ARRAY, false, NULL, 0, false},
    {"/skins/*", RULE_OBJECT, false, NULL, 0, false},
    {"/skins/*/name", RULE_NAME, false, NULL, 0, false},
    {"/skins/*/joints", RULE_ARRAY, true, NULL, 0, false},
    {"/skins/*/joints/*", RULE_INDEX, false, "nodes", 0, false},
    {"/skins/*/inverseBindMatrices", RULE_INDEX, false, "accessors", 0, false},
    {"/skins/*/skeleton", RULE_INDEX, false, "nodes", 0, false},
    {"/nodes", RULE_ARRAY, false, NULL, 0, false},
    {"/nodes/*", RULE_OBJECT, false, NULL, 0, false},
    {"/nodes/*/name", RULE_NAME, false, NULL, 0, false},
    {"/nodes/*/mesh", RULE_INDEX, false, "meshes", 0, false},
    {"/nodes/*/skin", RULE_INDEX, false, "skins", 0, false},
    {"/nodes/*/camera", RULE_INDEX, false, "cameras", 0, true},
    {"/nodes/*/extensions/EXT_mesh_gpu_instancing", RULE_OBJECT, false, NULL, 0, false},
    {"/nodes/*/extensions/EXT_mesh_gpu_instancing/attributes", RULE_OBJECT, false, NULL, 0, false},
    {"/nodes/*/extensions/EXT_mesh_gpu_instancing/attributes/*", RULE_INDEX, false, "accessors", 0, false},
    {"/nodes/*/children", RULE_ARRAY, false, NULL, 0, false},
    {"/nodes/*/children/*", RULE_INDEX, false, "nodes", 0, false},
    {"/nodes/*/translation", RULE_NUMBERS, false, NULL, 3, false},
    {"/nodes/*/rotation", RULE_NUMBERS, false, NULL, 4, false},
    {"/nodes/*/scale", RULE_NUMBERS, false, NULL, 3, false},
    {"/nodes/*/matrix", RULE_NUMBERS, false, NULL, 16, false},
    {"/nodes/*/weights", RULE_NUMBERS, false, NULL, 0, false},
    {"/scene", RULE_INDEX, false, "scenes", 0, false},
    {"/scenes", RULE_ARRAY, false, NULL, 0, false},
    {"/scenes/*", RULE_OBJECT, false, NULL, 0, false},
    {"/scenes/*/name", RULE_NAME, false, NULL, 0, false},
    {"/scenes/*/nodes", RULE_ARRAY, false, NULL, 0, false},
    {"/scenes/*/nodes/*", RULE_INDEX, false, "nodes", 0, false},
    {"/animations", RULE_ARRAY, false, NULL, 0, false},
    {"/animations/*", RULE_OBJECT, false, NULL, 0, false},
    {"/animations/*/name", RULE_NAME, false, NULL, 0, false},
    {"/animations/*/samplers", RULE_ARRAY, true, NULL, 0, false},
    {"/animations/*/samplers/*", RULE_OBJECT, false, NULL, 0, false},
    {"/animations/*/samplers/*/input", RULE_INDEX, true, "accessors", 0, false},
    {"/animations/*/samplers/*/output", RULE_INDEX, true, "accessors", 0, false},
    {"/animations/*/samplers/*/interpolation", RULE_INTERPOLATION, false, NULL, 0, false},
    {"/animations/*/channels", RULE_ARRAY, true, NULL, 0, false},
    {"/animations/*/channels/*", RULE_OBJECT, false, NULL, 0, false},
    {"/animations/*/channels/*/sampler", RULE_SIZE, true, NULL, 0, false},
    {"/animations/*/channels/*/target", RULE_OBJECT, true, NULL, 0, false},
    {"/animations/*/channels/*/target/node", RULE_INDEX, false, "nodes", 0, false},
    {"/animations/*/channels/*/target/path", RULE_STRING, true, NULL, 0, false},
};

static bool fault(hemc_source* source, const hemc_json* value, const char* text) {
    return hemc_error(source->log, HEMC_INPUT, source->path, hemc_json_pointer(source->arena, "", value), "%s", text);
}

static bool is_whole(const hemc_json* value) {
    return value->kind == HEMC_JSON_NUMBER && value->number >= 0 && value->number <= 9007199254740991.0 &&
           floor(value->number) == value->number;
}

static bool check_value(hemc_source* source, const hemc_rule* r, const hemc_json* value) {
    hemc_arena* arena = source->arena;
    switch (r->kind) {
    case RULE_ARRAY:
    case RULE_OBJECT:
    case RULE_STRING: {
        hemc_json_kind wanted = r->kind == RULE_ARRAY    ? HEMC_JSON_ARRAY
                                : r->kind == RULE_OBJECT ? HEMC_JSON_OBJECT
                                                         : HEMC_JSON_STRING;
        return value->kind == wanted || fault(source, value,
                                              hemc_format(arena, "must be %s, not %s", hemc_json_kind_name(wanted),
                                                          hemc_json_kind_name(value->kind)));
    }
    case RULE_SIZE:
        if (r->limit != 0) {
            return (is_whole(value) && value->number <= r->limit) ||
                   fault(source, value, hemc_format(arena, "must be a whole number from 0 to %u", r->limit));
        }
        return is_whole(value) || fault(source, value, "must be a whole number, 0 or more");
    case RULE_COUNT:
        return (is_whole(value) && value->number >= 1) || fault(source, value, "must be a whole number, 1 or more");
    case RULE_COMPONENT:
        // Unknown types are refused where they are used, so that a file may carry more than it shows.
        return (is_whole(value) && value->number <= 65535) ||
               fault(source, value, "must be a component type, 5120 to 5126");
    case RULE_INDEX: {
        const hemc_json* collection = hemc_json_member(source->json, r->target);
        uint32_t count = collection != NULL && collection->kind == HEMC_JSON_ARRAY ? collection->count : 0;
        if (!is_whole(value)) {
            return fault(source, value, hemc_format(arena, "must be an index into %s", r->target));
        }
        return value->number < count ||
               fault(source, value,
                     hemc_format(arena, "points to %s %.0f, but there are %u", r->target, value->number, count));
    }
    case RULE_FLAG:
        return value->kind == HEMC_JSON_TRUE || value->kind == HEMC_JSON_FALSE ||
               fault(source, value, "must be true or false");
    case RULE_NAME:
        if (value->kind != HEMC_JSON_STRING) {
            hemc_warn(source->log, source->path, hemc_json_pointer(arena, "", value),
                      "must be a string, not %s; ignored", hemc_json_kind_name(value->kind));
        }
        return true;
    case RULE_INTERPOLATION:
        if (value->kind != HEMC_JSON_STRING) {
            return fault(source, value, "must be LINEAR, STEP or CUBICSPLINE");
        }
        if (strcmp(value->string, "LINEAR") != 0 && strcmp(value->string, "STEP") != 0 &&
            strcmp(value->string, "CUBICSPLINE") != 0) {
            hemc_warn(source->log, source->path, hemc_json_pointer(arena, "", value),
                      "must be LINEAR, STEP or CUBICSPLINE, not \"%s\"; taken as LINEAR", value->string);
        }
        return true;
    case RULE_LOOK:
        if (value->kind != HEMC_JSON_NUMBER) {
            hemc_warn(source->log, source->path, hemc_json_pointer(arena, "", value),
                      "must be a number, not %s; ignored", hemc_json_kind_name(value->kind));
        }
        return true;
    case RULE_NUMBERS:
        if (value->kind != HEMC_JSON_ARRAY || (r->limit != 0 && value->count != r->limit)) {
            return fault(source, value,
                         r->limit != 0 ? hemc_format(arena, "must be an array of %u numbers", r->limit)
                                       : "must be an array of numbers");
        }
        for (const hemc_json* item = value->first; item != NULL; item = item->next) {
            if (item->kind != HEMC_JSON_NUMBER || !(fabs(item->number) <= 3.4e38)) {
                return fault(source, item, "must be a finite number");
            }
        }
        return true;
    }
    return true;
}

static bool walk(hemc_source* source, const hemc_rule* r, const hemc_json* at, const char* pattern) {
    const char* begin = pattern + 1;
    const char* end = begin + strcspn(begin, "/");
    bool last = *end == 0;
    if (end - begin == 1 && *begin == '*') {
        if (at->kind != HEMC_JSON_ARRAY && at->kind != HEMC_JSON_OBJECT) {
            return true; // its own rule has said so
        }
        bool good = true;
        for (const hemc_json* item = at->first; item != NULL; item = item->next) {
            good = (last ? check_value(source, r, item) : walk(source, r, item, end)) && good;
            if (source->log->error_count > 20) {
                return false;
            }
        }
        return good;
    }
    if (at->kind != HEMC_JSON_OBJECT) {
        return true;
    }
    for (const hemc_json* member = at->first; member != NULL; member = member->next) {
        if (strncmp(member->key, begin, (size_t)(end - begin)) == 0 && member->key[end - begin] == 0) {
            return last ? check_value(source, r, member) : walk(source, r, member, end);
        }
    }
    if (last && r->required) {
        return fault(source, at, hemc_format(source->arena, "has no \"%s\"", begin));
    }
    return true;
}

static bool check_channels(hemc_source* source) {
    const hemc_json* animations = hemc_json_member(source->json, "animations");
    bool good = true;
    for (const hemc_json* a = animations != NULL ? animations->first : NULL; a != NULL; a = a->next) {
        uint32_t count = hemc_json_member(a, "samplers")->count;
        for (const hemc_json* c = hemc_json_member(a, "channels")->first; c != NULL; c = c->next) {
            const hemc_json* sampler = hemc_json_member(c, "sampler");
            if (sampler->number >= count) {
                good = fault(
                    source, sampler,
                    hemc_format(source->arena, "points to sampler %.0f, but there are %u", sampler->number, count));
            }
        }
    }
    return good;
}

// Each node has one parent, and following parents ends at a root.
static bool check_tree(hemc_source* source) {
    const hemc_json* nodes = hemc_json_member(source->json, "nodes");
    if (nodes == NULL) {
        return true;
    }
    int32_t* parent = hemc_alloc(source->arena, nodes->count, sizeof(int32_t));
    memset(parent, 0xff, nodes->count * sizeof(int32_t));
    int32_t index = 0;
    for (const hemc_json* node = nodes->first; node != NULL; node = node->next, ++index) {
        const hemc_json* children = hemc_json_member(node, "children");
        for (const hemc_json* c = children != NULL ? children->first : NULL; c != NULL; c = c->next) {
            uint32_t child = (uint32_t)c->number;
            if (parent[child] != HEM_NONE) {
                return fault(source, c,
                             parent[child] == index
                                 ? hemc_format(source->arena, "names node %u twice", child)
                                 : hemc_format(source->arena, "node %u already is a child of node %d", child,
                                               (int)parent[child]));
            }
            parent[child] = index;
        }
    }
    // 0 = not seen, 1 = on the way, 2 = leads to a root.
    uint8_t* state = hemc_alloc(source->arena, nodes->count, 1);
    for (uint32_t i = 0; i < nodes->count; ++i) {
        int32_t n = (int32_t)i;
        while (n != HEM_NONE && state[n] == 0) {
            state[n] = 1;
            n = parent[n];
        }
        if (n != HEM_NONE && state[n] == 1) {
            char* where = hemc_format(source->arena, "/nodes/%d", (int)n);
            return hemc_error(source->log, HEMC_INPUT, source->path, where, "node loop: the node is its own ancestor");
        }
        for (n = (int32_t)i; n != HEM_NONE && state[n] == 1; n = parent[n]) {
            state[n] = 2;
        }
    }
    const hemc_json* scenes = hemc_json_member(source->json, "scenes");
    for (const hemc_json* scene = scenes != NULL ? scenes->first : NULL; scene != NULL; scene = scene->next) {
        const hemc_json* roots = hemc_json_member(scene, "nodes");
        for (const hemc_json* n = roots != NULL ? roots->first : NULL; n != NULL; n = n->next) {
            int32_t above = parent[(uint32_t)n->number];
            if (above != HEM_NONE) {
                return fault(source, n,
                             hemc_format(source->arena, "node %u is no root, it is a child of node %d",
                                         (uint32_t)n->number, (int)above));
            }
        }
    }
    return true;
}

// First of all, since in glTF 1.0 everything else is different, too: its collections are objects.
static bool check_version(hemc_source* source) {
    const hemc_json* asset = hemc_json_member(source->json, "asset");
    const hemc_json* version =
        asset != NULL && asset->kind == HEMC_JSON_OBJECT ? hemc_json_member(asset, "version") : NULL;
    if (version != NULL && version->kind == HEMC_JSON_STRING && strncmp(version->string, "2.", 2) != 0) {
        return hemc_error(source->log, HEMC_INPUT, source->path, "/asset/version",
                          "glTF %.20s is not supported, only 2.x; export again as glTF 2.0", version->string);
    }
    const hemc_json* meshes = hemc_json_member(source->json, "meshes");
    if (version == NULL && meshes != NULL && meshes->kind == HEMC_JSON_OBJECT) {
        return hemc_error(source->log, HEMC_INPUT, source->path, "/meshes",
                          "is an object, as in glTF 1.0, which is not supported; export again as glTF 2.0");
    }
    return true;
}

const hemc_rule* hemc_check_rules(uint32_t* count) {
    _Static_assert(sizeof(rules) / sizeof(rules[0]) <= HEMC_RULE_LIMIT, "HEMC_RULE_LIMIT must grow");
    *count = sizeof(rules) / sizeof(rules[0]);
    return rules;
}

bool hemc_check_json(hemc_source* source) {
    if (source->json->kind != HEMC_JSON_OBJECT) {
        return hemc_error(source->log, HEMC_INPUT, source->path, "", "not a glTF: the JSON is %s, not an object",
                          hemc_json_kind_name(source->json->kind));
    }
    if (!check_version(source)) {
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); ++i) {
        good = walk(source, &rules[i], source->json, rules[i].pattern) && good;
    }
    if (!good) {
        return false;
    }
    return check_channels(source) && check_tree(source);
}

// -- Extensions

bool hemc_check_extensions(hemc_source* source) {
    // Those that change geometry and are understood, and those that only change how things look.
    static const char* const known[] = {"KHR_mesh_quantization",   "EXT_meshopt_compression",
                                        "KHR_meshopt_compression", "KHR_texture_transform",
                                        "KHR_texture_basisu",      "EXT_texture_webp",
                                        "EXT_texture_avif",        "KHR_lights_punctual",
                                        "KHR_xmp_json_ld",         "VRM",
                                        "KHR_animation_pointer",   "MSFT_texture_dds",
                                        "EXT_lights_image_based",  "KHR_audio"};
    static const char* const families[] = {"KHR_materials_", "EXT_materials_", "VRMC_", "ADOBE_materials_",
                                           "MSFT_packing_"};
    bool good = true;
    for (size_t i = 0; i < source->data->extensions_required_count; ++i) {
        const char* name = source->data->extensions_required[i];
        char* where = hemc_format(source->arena, "/extensionsRequired/%zu", i);
        bool fine = false;
        for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); ++k) {
            fine = fine || strcmp(name, known[k]) == 0;
        }
        for (size_t k = 0; k < sizeof(families) / sizeof(families[0]); ++k) {
            fine = fine || strncmp(name, families[k], strlen(families[k])) == 0;
        }
        if (strcmp(name, "KHR_draco_mesh_compression") == 0) {
            good = hemc_error(source->log, HEMC_INPUT, source->path, where,
                              "Draco compression (%s) is not supported; export again without compression, "
                              "or compress with meshopt (EXT_meshopt_compression)",
                              name);
        } else if (!fine) {
            good =
                hemc_error(source->log, HEMC_INPUT, source->path, where,
                           "the file requires the extension %s, which is not supported; export again without it", name);
        }
    }
    return good;
}

// -- Accessors

// offset + (count - 1) * stride + size <= limit, without wrapping.
static bool fits(uint64_t offset, uint64_t count, uint64_t stride, uint64_t size, uint64_t limit) {
    if (size > limit || offset > limit - size) {
        return false;
    }
    return count <= 1 || stride == 0 || count - 1 <= (limit - size - offset) / stride;
}

static bool check_views(hemc_source* source) {
    cgltf_data* data = source->data;
    bool good = true;
    for (size_t i = 0; i < data->buffer_views_count; ++i) {
        cgltf_buffer_view* view = &data->buffer_views[i];
        char* where = hemc_format(source->arena, "/bufferViews/%zu", i);
        if (!fits(view->offset, 1, 0, view->size, view->buffer->size)) {
            good = hemc_error(source->log, HEMC_INPUT, source->path, where,
                              "bytes %zu to %zu + %zu are outside buffer %u, which has %zu", view->offset, view->offset,
                              view->size, hemc_index_of(data->buffers, view->buffer, sizeof(cgltf_buffer)),
                              view->buffer->size);
        }
        if (view->stride > view->size) {
            hemc_warn(source->log, source->path, where, "byteStride %zu is larger than the view (%zu bytes)",
                      view->stride, view->size);
        }
        if (view->stride != 0 && (view->stride < 4 || view->stride > 252 || view->stride % 4 != 0) &&
            !view->has_meshopt_compression) {
            hemc_warn(source->log, source->path, where, "byteStride %zu is not a multiple of 4 between 4 and 252",
                      view->stride);
        }
    }
    return good;
}

static bool check_sparse(hemc_source* source, const cgltf_accessor* accessor, const char* where,
                         uint64_t element_size) {
    const cgltf_accessor_sparse* sparse = &accessor->sparse;
    if (sparse->count > accessor->count) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "%zu sparse values for %zu elements",
                          sparse->count, accessor->count);
    }
    size_t index_size = hemc_component_size(sparse->indices_component_type);
    if (index_size == 0 || sparse->indices_component_type == cgltf_component_type_r_32f ||
        sparse->indices_component_type == cgltf_component_type_r_8 ||
        sparse->indices_component_type == cgltf_component_type_r_16) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "sparse indices must be unsigned integers");
    }
    uint64_t index_limit, value_limit;
    const uint8_t* indices = hemc_view_bytes(sparse->indices_buffer_view, &index_limit);
    const uint8_t* values = hemc_view_bytes(sparse->values_buffer_view, &value_limit);
    if (indices == NULL || values == NULL) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "the sparse values lie in a buffer without data");
    }
    if (!fits(sparse->indices_byte_offset, sparse->count, index_size, index_size, index_limit) ||
        !fits(sparse->values_byte_offset, sparse->count, element_size, element_size, value_limit)) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where,
                          "sparse indices or values end outside their buffer view");
    }
    uint64_t last = 0;
    for (size_t i = 0; i < sparse->count; ++i) {
        uint64_t index = 0;
        memcpy(&index, indices + sparse->indices_byte_offset + i * index_size,
               index_size); // little-endian, as the host
        if (index >= accessor->count || (i > 0 && index <= last)) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where,
                              index >= accessor->count ? "sparse index %llu is outside the accessor's %zu elements"
                                                       : "sparse indices must increase (%llu, in %zu elements)",
                              (unsigned long long)index, accessor->count);
        }
        last = index;
    }
    return true;
}

static bool check_accessor(hemc_source* source, size_t i) {
    cgltf_accessor* accessor = &source->data->accessors[i];
    char* where = hemc_format(source->arena, "/accessors/%zu", i);
    uint32_t components = hemc_component_count(accessor);
    size_t size = hemc_component_size(accessor->component_type);
    if (components == 0 || size == 0) {
        hemc_warn(source->log, source->path, where, "has an unknown type or component type and is left alone");
        return true;
    }
    if ((accessor->type == cgltf_type_mat2 || accessor->type == cgltf_type_mat3) && size < 4) {
        hemc_warn(source->log, source->path, where, "is a matrix of small integers and is left alone");
        return true;
    }
    uint64_t element_size = (uint64_t)components * size;
    bool has_data = true;
    if (accessor->buffer_view == NULL && accessor->count > source->input_size * 64 + 65536) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "%zu elements without a buffer view",
                          accessor->count);
    }
    if (accessor->buffer_view != NULL) {
        const cgltf_buffer_view* view = accessor->buffer_view;
        uint64_t limit;
        const uint8_t* bytes = hemc_view_bytes(view, &limit);
        accessor->stride = view->has_meshopt_compression ? view->meshopt_compression.stride
                           : view->stride != 0           ? view->stride
                                                         : (size_t)element_size;
        if (accessor->stride < element_size) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where,
                              "byteStride %zu of its buffer view is smaller than an element (%llu bytes)",
                              accessor->stride, (unsigned long long)element_size);
        }
        has_data = bytes != NULL;
        limit = has_data ? limit : view->size;
        if (!fits(accessor->offset, accessor->count, accessor->stride, element_size, limit)) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where,
                              "%zu elements from byte %zu on end outside their buffer view of %llu bytes",
                              accessor->count, accessor->offset, (unsigned long long)limit);
        }
        if ((accessor->offset + view->offset) % size != 0) {
            hemc_warn(source->log, source->path, where, "is not aligned to its component size of %zu bytes", size);
        }
    }
    if (!has_data) {
        return true; // an image's, or the stand-in for compressed data; an error where it is used
    }
    if (accessor->is_sparse && !check_sparse(source, accessor, where, element_size)) {
        return false;
    }
    source->accessor_usable[i] = 1;
    uint64_t element = 0;
    source->accessor_finite[i] = hemc_accessor_is_finite(source, accessor, &element);
    if (!source->accessor_finite[i]) {
        hemc_warn(source->log, source->path, where, "element %llu is not a finite number", (unsigned long long)element);
    }
    return true;
}

bool hemc_check_accessors(hemc_source* source) {
    bool good = check_views(source);
    if (!good) {
        return false;
    }
    source->accessor_usable = hemc_alloc(source->arena, source->data->accessors_count, 1);
    source->accessor_finite = hemc_alloc(source->arena, source->data->accessors_count, 1);
    for (size_t i = 0; i < source->data->accessors_count; ++i) {
        good = check_accessor(source, i) && good;
        if (source->log->error_count > 20) {
            return false;
        }
    }
    return good;
}

// -- Meshes, whether a node shows them or not

static bool check_primitive(hemc_source* source, const cgltf_primitive* primitive, const char* where) {
    const cgltf_accessor* position = NULL;
    uint32_t joint_sets = 0, weight_sets = 0;
    for (size_t i = 0; i < primitive->attributes_count; ++i) {
        const cgltf_attribute* a = &primitive->attributes[i];
        if (a->type == cgltf_attribute_type_position) {
            position = a->data;
        }
        joint_sets += a->type == cgltf_attribute_type_joints ? 1 : 0;
        weight_sets += a->type == cgltf_attribute_type_weights ? 1 : 0;
    }
    if (position == NULL) {
        hemc_warn(source->log, source->path, where, "has no POSITION and is left out");
        return true;
    }
    if (joint_sets != weight_sets) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "has %u sets of JOINTS but %u of WEIGHTS",
                          joint_sets, weight_sets);
    }
    for (size_t i = 0; i < primitive->attributes_count; ++i) {
        const cgltf_attribute* a = &primitive->attributes[i];
        if (a->data->count != position->count) {
            return hemc_error(source->log, HEMC_INPUT, source->path, where, "%s has %zu elements, but POSITION has %zu",
                              a->name, a->data->count, position->count);
        }
    }
    const cgltf_accessor* indices = primitive->indices;
    if (indices != NULL &&
        (indices->type != cgltf_type_scalar || (indices->component_type != cgltf_component_type_r_8u &&
                                                indices->component_type != cgltf_component_type_r_16u &&
                                                indices->component_type != cgltf_component_type_r_32u))) {
        return hemc_error(source->log, HEMC_INPUT, source->path, where, "indices must be unsigned integer scalars");
    }
    if (indices != NULL &&
        source->accessor_usable[hemc_index_of(source->data->accessors, indices, sizeof(cgltf_accessor))]) {
        uint32_t* list = hemc_alloc(source->arena, indices->count, sizeof(uint32_t));
        hemc_read_uints(source, indices, list);
        size_t size = hemc_component_size(indices->component_type), restarts = 0;
        uint32_t restart = size == 1 ? 0xff : size == 2 ? 0xffff : 0xffffffffu;
        for (size_t i = 0; i < indices->count; ++i) {
            restarts += list[i] == restart ? 1 : 0;
            if (list[i] >= position->count) {
                return hemc_error(source->log, HEMC_INPUT, source->path, where,
                                  list[i] == restart
                                      ? "index %zu is %u, a primitive restart, which glTF does not allow "
                                        "(there are %zu vertices)"
                                      : "index %zu is %u, but there are %zu vertices",
                                  i, list[i], position->count);
            }
        }
        if (restarts != 0) {
            hemc_warn(source->log, source->path, where,
                      "%zu indices are %u, which glTF keeps for primitive restart; taken as vertex %u", restarts,
                      restart, restart);
        }
    }
    return hemc_check_targets(source, primitive, position->count, where);
}

bool hemc_check_meshes(hemc_source* source) {
    bool good = true;
    for (size_t m = 0; m < source->data->meshes_count; ++m) {
        const cgltf_mesh* mesh = &source->data->meshes[m];
        bool unequal = false;
        for (size_t p = 0; p < mesh->primitives_count; ++p) {
            char* where = hemc_format(source->arena, "/meshes/%zu/primitives/%zu", m, p);
            good = check_primitive(source, &mesh->primitives[p], where) && good;
            unequal = unequal || mesh->primitives[p].targets_count != mesh->primitives[0].targets_count;
            if (source->log->error_count > 20) {
                return false;
            }
        }
        if (unequal) {
            hemc_warn(source->log, source->path, hemc_format(source->arena, "/meshes/%zu", m),
                      "its primitives have unequal numbers of morph targets");
        }
    }
    return hemc_check_weights(source) && good;
}
