// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_kit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// One valid glTF, one spoiled field per row, one message that names it.

typedef struct row {
    const char* from;
    const char* to;
    const char* message; // part of "path: text"
    bool mended;         // a warning, and the model is there
} row;

static const row rows[] = {
    {"{\"asset\": {\"version\": \"2.0\"}", "{\"asset\": {\"version\": \"1.0\"}", "/asset/version: glTF 1.0", false},
    {"{\"asset\": {\"version\": \"2.0\"}, ", "{", ": has no \"asset\"", false},
    {"\"scene\": 0", "\"scene\": 7", "/scene: points to scenes 7, but there are 1", false},
    {"\"nodes\": [0]", "\"nodes\": [-1]", "/scenes/0/nodes/0: must be an index into nodes", false},
    {"\"nodes\": [0]", "\"nodes\": [4]", "/scenes/0/nodes/0: node 4 is no root, it is a child of node 2", false},
    {"\"children\": [1, 3]", "\"children\": [1, 9]", "/nodes/0/children/1: points to nodes 9", false},
    {"\"children\": [4]", "\"children\": [0]", "node loop", false},
    {"\"children\": [4]", "\"children\": [2]", "node 2 already is a child of node 1", false},
    {"\"children\": [4]", "\"children\": [3]", "node 3 already is a child of node 0", false},
    {"\"children\": [4]", "\"children\": [4, 4]", "names node 4 twice", false},
    {"\"scale\": [100, 100, 100]", "\"scale\": [100, 100]", "/nodes/0/scale: must be an array of 3 numbers", false},
    {"\"scale\": [100, 100, 100]", "\"scale\": [100, 1e999, 100]", "/nodes/0/scale/1: must be a finite number", false},
    {"\"scale\": [100, 100, 100]", "\"scale\": [1e30, 1, 1]", "not a sensible number", false},
    {"\"mesh\": 0", "\"mesh\": 2", "/nodes/3/mesh: points to meshes 2", false},
    {"\"skin\": 0", "\"skin\": 1", "/nodes/3/skin: points to skins 1", false},
    {"\"POSITION\": 0", "\"POSITION\": 99", "/meshes/0/primitives/0/attributes/POSITION: points to accessors 99",
     false},
    {"\"POSITION\": 0", "\"POSITION\": 3", "POSITION (accessor 3) must be VEC3", false},
    {"\"POSITION\": 0, ", "", "/meshes/0/primitives/0: has no POSITION", true},
    {"\"POSITION\": 0", "\"POSITION\": 9", "NORMAL has 15 elements, but POSITION has 4", false},
    {"\"WEIGHTS_0\": 3,", "", "has 1 sets of JOINTS but 0 of WEIGHTS", false},
    {"\"WEIGHTS_0\": 3,", "\"WEIGHTS_0\": 1,", "JOINTS_0 and WEIGHTS_0 must be VEC4", false},
    {"\"JOINTS_0\": 2", "\"JOINTS_0\": 3", "JOINTS_0 and WEIGHTS_0 must be VEC4 of integers", false},
    {"\"indices\": 4", "\"indices\": 1", "indices must be unsigned integer scalars", false},
    {"\"indices\": 4", "\"indices\": 6", "indices must be unsigned integer scalars", false},
    {"\"joints\": [1, 2]", "\"joints\": [1, 12]", "/skins/0/joints/1: points to nodes 12", false},
    {"\"joints\": [1, 2]", "\"joints\": [1, 2, 3]", "/skins/0: 2 inverse bind matrices for 3 joints", false},
    {"\"joints\": [1, 2]", "\"joints\": [1]", "bound to joint 1", false},
    {"\"joints\": [1, 2]", "\"joints\": 1", "/skins/0/joints: must be an array, not a number", false},
    {"\"inverseBindMatrices\": 5", "\"inverseBindMatrices\": 7", "/skins/0: inverseBindMatrices must be MAT4", false},
    {"\"output\": 7", "\"output\": 1", "/animations/0/channels/0: 3 keys need 3 values of 4 numbers, not 15 of 3",
     false},
    {"\"output\": 7", "\"output\": 70", "/animations/0/samplers/0/output: points to accessors 70", false},
    {"\"interpolation\": \"LINEAR\"", "\"interpolation\": \"SLERP\"",
     "/animations/0/samplers/0/interpolation: must be LINEAR, STEP or CUBICSPLINE, not \"SLERP\"", true},
    {"\"interpolation\": \"LINEAR\"", "\"interpolation\": 1", "/interpolation: must be LINEAR, STEP or CUBICSPLINE",
     false},
    {"\"sampler\": 0", "\"sampler\": 3", "/animations/0/channels/0/sampler: points to sampler 3, but there are 1",
     false},
    {"\"input\": 6", "\"input\": 8", "15 keys need 15 values", false},
    {"\"node\": 2, \"path\"", "\"node\": 22, \"path\"", "/animations/0/channels/0/target/node: points to nodes 22",
     false},
    {"\"componentType\": 5126, \"count\": 15, \"type\": \"VEC3\", \"min\"",
     "\"componentType\": 5126, \"count\": 16, \"type\": \"VEC3\", \"min\"",
     "/accessors/0: 16 elements from byte 0 on end outside", false},
    {"\"componentType\": 5126, \"count\": 15, \"type\": \"VEC3\", \"min\"",
     "\"componentType\": 5126, \"count\": 1537228672809129302, \"type\": \"VEC3\", \"min\"", "/accessors/0", false},
    {"\"componentType\": 5126, \"count\": 15, \"type\": \"VEC3\", \"min\"",
     "\"componentType\": 5126, \"count\": -15, \"type\": \"VEC3\", \"min\"",
     "/accessors/0/count: must be a whole number, 1 or more", false},
    {"\"componentType\": 5126, \"count\": 15, \"type\": \"VEC3\", \"min\"",
     "\"componentType\": 5126, \"byteOffset\": 18446744073709551615, \"count\": 15, \"type\": \"VEC3\", \"min\"",
     "/accessors/0/byteOffset", false},
    {"\"componentType\": 5126, \"count\": 15, \"type\": \"VEC3\", \"min\"",
     "\"componentType\": 5126, \"byteOffset\": 4, \"count\": 15, \"type\": \"VEC3\", \"min\"",
     "/accessors/0: 15 elements from byte 4", false},
    {"\"componentType\": 5126, \"count\": 15, \"type\": \"VEC3\", \"min\"",
     "\"componentType\": 5126, \"byteOffset\": 1, \"count\": 14, \"type\": \"VEC3\", \"min\"", "not aligned", false},
    {"\"type\": \"MAT4\"", "\"type\": \"MAT9\"", "/accessors/5: has an unknown type", false},
    {"\"bufferView\": 0, ", "\"bufferView\": 77, ", "/accessors/0/bufferView: points to bufferViews 77", false},
    {"\"byteLength\": 180}", "\"byteLength\": 180, \"byteStride\": 8}",
     "byteStride 8 of its buffer view is smaller than an element", false},
    {"\"byteLength\": 180}", "\"byteLength\": 99999}", "/bufferViews/0: bytes 0 to 0 + 99999 are outside buffer 0",
     false},
    {"\"byteOffset\": 0, \"byteLength\": 180}", "\"byteOffset\": 9007199254740000, \"byteLength\": 180}",
     "/bufferViews/0", false},
    {"\"buffer\": 0, \"byteOffset\": 0,", "\"buffer\": 3, \"byteOffset\": 0,",
     "/bufferViews/0/buffer: points to buffers 3", false},
    {"\"buffers\": [{\"byteLength\": ", "\"buffers\": [{\"byteLength\": 9", "byteLength is 9", false},
    {";base64,", ";base64,!", "its data: URI is not base64", false},
    {"data:application/octet-stream;base64,", "data:application/octet-stream,", "its data: URI is not base64", false},
    {"data:application/octet-stream;base64,", "https://example.com/", "is not a file", false},
    {"\"version\": \"2.0\"}", "\"version\": 2.0}", "/asset/version: must be a string, not a number", false},
    {"\"version\": \"2.0\"}", "\"version\": \"2.0\"}, \"materials\": 7", "/materials: must be an array, not a number",
     false},
    {"\"asset\": {\"version\": \"2.0\"}, ", "\"meshes\": {\"a\": {}}, \"x\": [], ",
     "/meshes: is an object, as in glTF 1.0", false},
    {"{\"asset\": {\"version\": \"2.0\"}", "\xef\xbb\xbf{\"asset\": {\"version\": \"2.0\"}",
     "starts with a byte order mark", true},
    {"{\"asset\"", "\xff\xfe{\"asset\"", "is UTF-16 text", false},
    {"\"uri\": \"data:application/octet-stream;base64,", "\"uri\": \"\", \"x\": \"",
     "/buffers/0/uri: \"\" names no file", false},
    {"\"uri\": \"data:application/octet-stream;base64,", "\"uri\": \"a/\", \"x\": \"",
     "/buffers/0/uri: \"a/\" names no file", false},
    {"\"nodes\": [0]", "\"nodes\": [0], \"name\": {}", "/scenes/0/name: must be a string, not an object; ignored",
     true},
    {"\"indices\": 4", "\"indices\": 4, \"mode\": 9", "/meshes/0/primitives/0/mode: must be a whole number from 0 to 6",
     false},
    {"\"type\": \"MAT4\"", "\"type\": \"MAT4\", \"normalized\": 1", "/accessors/5/normalized: must be true or false",
     false},
    {"\"primitives\": [", "\"primitives\": [7, ", "/meshes/0/primitives/0: must be an object, not a number", false},
};

TEST each_spoiled_field_is_named(void) {
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        static char text[160]; // outlives a failure
        snprintf(text, sizeof(text), "row %zu: %.60s -> %.60s", i, rows[i].from, rows[i].to);
        size_t size;
        char* json = kit_gltf(k.arena, &d, rows[i].from, rows[i].to, &size);
        ASSERTm(text, json != NULL);
        bool good = hemc_import_memory(k.arena, &k.log, "spoiled.gltf", json, size, &k.model);
        if (good != rows[i].mended) {
            kit_log_print(&k.log);
        }
        ASSERT_EQm(text, rows[i].mended, good);
        bool named =
            kit_log_has(&k.log, HEMC_ERROR, rows[i].message) || kit_log_has(&k.log, HEMC_WARNING, rows[i].message);
        if (!named) {
            kit_log_print(&k.log);
        }
        ASSERTm(text, named);
        if (!good) {
            ASSERT_EQm(text, HEMC_INPUT, k.log.exit_code);
        }
        kit_end(&k);
    }
    PASS();
}

// What the compiler does not read cannot stop it, and a whole number may be written as JSON likes.
TEST what_is_not_read_is_not_judged(void) {
    static const struct {
        const char* from;
        const char* to;
    } slips[] = {
        {"\"version\": \"2.0\"}", "\"version\": \"2.0\", \"generator\": 5, \"copyright\": []}"},
        {"\"mesh\": 0", "\"mesh\": 0, \"extensions\": {\"KHR_lights_punctual\": {\"light\": 9}}"},
        {"\"mesh\": 0", "\"mesh\": 0, \"extensions\": 5"},
        {"\"mesh\": 0", "\"mesh\": 0, \"extras\": \"x\""},
        {"\"type\": \"MAT4\"", "\"type\": \"MAT4\", \"min\": \"low\", \"max\": [[]]"},
        {"{\"asset\"", "{\"extensions\": {\"KHR_lights_punctual\": {\"lights\": [{\"type\": 3}]}}, \"asset\""},
        {"{\"asset\"", "{\"cameras\": [{\"type\": 7, \"perspective\": []}], \"extensionsUsed\": [], \"asset\""},
        {"{\"asset\"", "{\"samplers\": [{\"magFilter\": \"x\"}], \"asset\""},
        {"{\"asset\"", "{\"extensions\": [], \"asset\""},
        {"\"scene\": 0", "\"scene\": 0.0"},
        {"\"mesh\": 0", "\"mesh\": 0e5"},
        {"\"nodes\": [0]", "\"nodes\": [0.00]"},
        {"\"indices\": 4", "\"indices\": 0.4e1"},
        {"\"componentType\": 5123", "\"componentType\": 5.123e3"},
        {"\"byteOffset\": 0, \"byteLength\": 180}", "\"byteOffset\": 0.0, \"byteLength\": 18e1}"},
        {"\"joints\": [1, 2]", "\"joints\": [1.0, 20e-1]"},
        {"\"sampler\": 0", "\"sampler\": 0.0"},
    };
    kit good;
    kit_begin(&good);
    kit_data d = kit_good();
    ASSERT(kit_import(&good, &d, NULL, NULL));
    for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); ++i) {
        kit k;
        kit_begin(&k);
        size_t size;
        char* json = kit_gltf(k.arena, &d, slips[i].from, slips[i].to, &size);
        ASSERTm(slips[i].to, json != NULL);
        bool read = hemc_import_memory(k.arena, &k.log, "slip.gltf", json, size, &k.model);
        if (!read) {
            kit_log_print(&k.log);
        }
        ASSERTm(slips[i].to, read);
        ASSERT_EQm(slips[i].to, good.model.vertex_count, k.model.vertex_count);
        ASSERT_EQm(slips[i].to, good.model.triangle_count, k.model.triangle_count);
        ASSERT_EQm(slips[i].to, good.model.bone_count, k.model.bone_count);
        ASSERTm(slips[i].to,
                memcmp(good.model.positions, k.model.positions, good.model.vertex_count * sizeof(hemc_vec3)) == 0);
        kit_end(&k);
    }
    kit_end(&good);
    PASS();
}

TEST spoiled_numbers_are_named(void) {
    static const struct {
        size_t offset;
        float value;
        const char* message;
        bool mended;
    } numbers[] = {
        {offsetof(kit_data, positions) + 28, NAN, "POSITION (accessor 0) holds NaN or infinity", false},
        {offsetof(kit_data, positions) + 28, INFINITY, "POSITION (accessor 0) holds NaN or infinity", false},
        {offsetof(kit_data, positions) + 28, 1e30f, "too far away", false},
        {offsetof(kit_data, normals) + 32, 3.0f, "1 of 15 normals are not of unit length; mended", true},
        {offsetof(kit_data, normals) + 28, NAN, "NORMAL is not usable", true},
        {offsetof(kit_data, weights) + 16, NAN, "JOINTS_0 and WEIGHTS_0", false},
        {offsetof(kit_data, weights) + 7 * 16, -1.0f, "do not sum to 1", true},
        {offsetof(kit_data, inverse_bind) + 4, NAN, "inverseBindMatrices hold NaN", false},
        {offsetof(kit_data, times) + 4, NAN, "keys hold NaN", false},
        {offsetof(kit_data, times) + 4, 7.0f, "times must increase", false},
        {offsetof(kit_data, times) + 4, 0.0f, "the time of the key before", true},
        {offsetof(kit_data, times), -1.0f, "before time 0", true},
        {offsetof(kit_data, rotations) + 4, INFINITY, "keys hold NaN or infinity", false},
        {offsetof(kit_data, pin) + 4, NAN, "_HEM_PIN holds NaN", true},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        memcpy((uint8_t*)&d + numbers[i].offset, &numbers[i].value, 4);
        bool good = kit_import(&k, &d, NULL, NULL);
        if (good != numbers[i].mended) {
            kit_log_print(&k.log);
        }
        ASSERT_EQm(numbers[i].message, numbers[i].mended, good);
        ASSERTm(numbers[i].message, kit_log_has(&k.log, HEMC_ERROR, numbers[i].message) ||
                                        kit_log_has(&k.log, HEMC_WARNING, numbers[i].message));
        kit_end(&k);
    }
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    d.indices[7] = 15;
    ASSERT_FALSE(kit_import(&k, &d, NULL, NULL));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "/meshes/0/primitives/0: index 7 is 15, but there are 15 vertices"));
    kit_end(&k);
    kit_begin(&k);
    d.indices[7] = 65535;
    ASSERT_FALSE(kit_import(&k, &d, NULL, NULL));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "/meshes/0/primitives/0: index 7 is 65535, a primitive restart"));
    kit_end(&k);
    PASS();
}

// 256 vertices and indices of one byte: 255 is a vertex, and also what glTF forbids.
TEST restarts_that_are_vertices_are_warned_of(void) {
    kit k;
    kit_begin(&k);
    uint8_t bytes[256 * 12 + 3] = {0}; // all at the origin but three, then the indices 0, 1, 255
    float one = 1.0f;
    memcpy(bytes + 12, &one, 4);
    memcpy(bytes + 255 * 12 + 4, &one, 4);
    bytes[256 * 12 + 1] = 1;
    bytes[256 * 12 + 2] = 255;
    ASSERT(kit_import_text(
        &k, hemc_format(k.arena,
                        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{"
                        "\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"accessors\":[{\"bufferView\":0,"
                        "\"componentType\":5126,\"count\":256,\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":"
                        "5121,\"count\":3,\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":3072},{"
                        "\"buffer\":0,\"byteOffset\":3072,\"byteLength\":3}],\"buffers\":[{\"byteLength\":3075,\"uri\":"
                        "\"data:application/octet-stream;base64,%s\"}]}",
                        kit_base64(k.arena, bytes, sizeof(bytes)))));
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "1 indices are 255, which glTF keeps for primitive restart"));
    ASSERT_EQ(1, k.model.triangle_count);
    ASSERT_EQ(255, k.model.triangles[2]);
    kit_end(&k);
    PASS();
}

// A small file must not make a large allocation.
TEST counts_do_not_buy_memory(void) {
    static const char* const hungry[] = {
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
        "\"POSITION\":0}}]}],"
        "\"accessors\":[{\"componentType\":5126,\"count\":4000000000,\"type\":\"VEC3\"}]}",
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":4,\"uri\":\"data:;base64,AAAAAA==\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":4000000000,"
        "\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,\"byteLength\":4,\"byteStride\":256,\"count\":"
        "16000000,\"mode\":\"ATTRIBUTES\"}}}]}",
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":8000000000,\"uri\":\"data:;base64,AAAAAA==\"}]}",
    };
    for (size_t i = 0; i < sizeof(hungry) / sizeof(hungry[0]); ++i) {
        kit k;
        kit_begin(&k);
        ASSERT_FALSE(kit_import_text(&k, hungry[i]));
        ASSERT(hemc_arena_size(k.arena) < 4000000);
        kit_end(&k);
    }
    PASS();
}

SUITE(front_spoiled_suite) {
    RUN_TEST(each_spoiled_field_is_named);
    RUN_TEST(what_is_not_read_is_not_judged);
    RUN_TEST(spoiled_numbers_are_named);
    RUN_TEST(restarts_that_are_vertices_are_warned_of);
    RUN_TEST(counts_do_not_buy_memory);
}
