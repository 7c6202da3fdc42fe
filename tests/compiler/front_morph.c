// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_kit.h"

#include <math.h>
#include <meshoptimizer.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Morph targets at rest: base + sum of weight x target, against the formula written out, for targets of every storage.

enum { VERTICES = 4, TARGETS = 3, KEYS = 2 };

typedef struct morph_data { // the buffer, as it lies in the file
    float positions[VERTICES][3];
    float normals[VERTICES][3];
    float tangents[VERTICES][4];
    float bulge[VERTICES][3], bulge_normals[VERTICES][3], bulge_tangents[VERTICES][3]; // target 0: plain floats
    float lift[2][3];                                                                  // target 1: sparse, on 1 and 3
    int16_t twist[VERTICES][4]; // target 2: normalised shorts, the fourth pads
    float times[KEYS];
    float weights[KEYS][TARGETS];
    uint16_t lift_at[2];
    uint16_t indices[6];
    uint8_t packed[256]; // target 0 once more, meshopt; in no target
} morph_data;

static const char json_format[] =
    "{\"asset\": {\"version\": \"2.0\"}, \"extensionsUsed\": [\"EXT_meshopt_compression\"],\n"
    " \"nodes\": [{\"mesh\": 0, \"weights\": [0.5, -2, 0.25]}, {\"mesh\": 0, \"translation\": [10, 0, 0]}],\n"
    " \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0, \"NORMAL\": 1, \"TANGENT\": 2}, \"indices\": "
    "3,\n"
    "   \"targets\": [{\"POSITION\": 4, \"NORMAL\": 5, \"TANGENT\": 6}, {\"POSITION\": 7}, {\"POSITION\": 8}]}],\n"
    "   \"weights\": [1, 0, 0]}],\n"
    " \"animations\": [{\"name\": \"breathe\", \"samplers\": [{\"input\": 9, \"output\": 10}],\n"
    "   \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": \"weights\"}}]}],\n"
    " \"accessors\": [\n"
    "  {\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"},\n"
    "  {\"bufferView\": 1, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"},\n"
    "  {\"bufferView\": 2, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC4\"},\n"
    "  {\"bufferView\": 3, \"componentType\": 5123, \"count\": 6, \"type\": \"SCALAR\"},\n"
    "  {\"bufferView\": 4, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"},\n"
    "  {\"bufferView\": 4, \"byteOffset\": 48, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"},\n"
    "  {\"bufferView\": 4, \"byteOffset\": 96, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"},\n"
    "  {\"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\", \"sparse\": {\"count\": 2,\n"
    "    \"indices\": {\"bufferView\": 5, \"componentType\": 5123}, \"values\": {\"bufferView\": 6}}},\n"
    "  {\"bufferView\": 7, \"componentType\": 5122, \"normalized\": true, \"count\": 4, \"type\": \"VEC3\"},\n"
    "  {\"bufferView\": 8, \"componentType\": 5126, \"count\": 2, \"type\": \"SCALAR\"},\n"
    "  {\"bufferView\": 9, \"componentType\": 5126, \"count\": 6, \"type\": \"SCALAR\"},\n"
    "  {\"bufferView\": 10, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"},\n"
    "  {\"bufferView\": 4, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"},\n"
    "  {\"bufferView\": 6, \"componentType\": 5126, \"count\": 2, \"type\": \"VEC3\"}],\n"
    " \"bufferViews\": [\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 48},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 48},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 64},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 12},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 144},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 4},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 24},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 32, \"byteStride\": 8},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 8},\n"
    "  {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 24},\n"
    "  {\"buffer\": 1, \"byteLength\": 48, \"byteStride\": 12, \"extensions\": {\"EXT_meshopt_compression\":\n"
    "    {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu, \"byteStride\": 12, \"count\": 4, \"mode\": "
    "\"ATTRIBUTES\"}}}],\n"
    " \"buffers\": [{\"byteLength\": %zu}, {\"byteLength\": 48}]}\n";

static morph_data sample(void) {
    morph_data d = {0};
    float square[VERTICES][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    uint16_t indices[6] = {0, 1, 2, 1, 3, 2};
    memcpy(d.positions, square, sizeof(square));
    memcpy(d.indices, indices, sizeof(indices));
    for (int v = 0; v < VERTICES; ++v) {
        d.normals[v][2] = d.tangents[v][0] = d.tangents[v][3] = 1;
        for (int c = 0; c < 3; ++c) {
            d.bulge[v][c] = 0.125f * (float)(v + 1) - 0.0625f * (float)c;
        }
        d.bulge_normals[v][0] = 0.5f * (float)v;
        d.bulge_tangents[v][1] = -0.25f * (float)v;
        d.twist[v][0] = (int16_t)(1000 * v);
        d.twist[v][1] = -32767;
        d.twist[v][3] = 12345;
    }
    d.lift_at[0] = 1, d.lift_at[1] = 3;
    d.lift[0][2] = 0.75f, d.lift[1][0] = -0.375f;
    d.times[1] = 1;
    return d;
}

// `from` in the JSON becomes `to`; NULL = nothing.
static bool import(kit* k, const morph_data* original, const char* from, const char* to) {
    morph_data d = *original;
    meshopt_encodeVertexVersion(0);
    size_t packed = meshopt_encodeVertexBuffer(d.packed, sizeof(d.packed), d.bulge, VERTICES, 12);
    char* json = hemc_format(k->arena, json_format, offsetof(morph_data, positions), offsetof(morph_data, normals),
                             offsetof(morph_data, tangents), offsetof(morph_data, indices), offsetof(morph_data, bulge),
                             offsetof(morph_data, lift_at), offsetof(morph_data, lift), offsetof(morph_data, twist),
                             offsetof(morph_data, times), offsetof(morph_data, weights), offsetof(morph_data, packed),
                             packed, sizeof(d));
    if (from != NULL) {
        char* at = strstr(json, from);
        if (packed == 0 || at == NULL) {
            return false;
        }
        *at = 0;
        json = hemc_format(k->arena, "%s%s%s", json, to, at + strlen(from));
    }
    size_t length = strlen(json), padded = (length + 3) / 4 * 4, size = 28 + padded + sizeof(d);
    uint8_t* glb = hemc_alloc(k->arena, size, 1);
    uint32_t head[5] = {0x46546c67, 2, (uint32_t)size, (uint32_t)padded, 0x4e4f534a}, chunk[2] = {sizeof(d), 0x4e4942};
    memcpy(glb, head, 20);
    memset(glb + 20, ' ', padded);
    memcpy(glb + 20, json, length);
    memcpy(glb + 20 + padded, chunk, 8);
    memcpy(glb + 28 + padded, &d, sizeof(d));
    return hemc_import_memory(k->arena, &k->log, "morph.glb", glb, size, &k->model);
}

// Position, normal and tangent of every vertex, by the formula, for weights w; moved by x.
static bool has_shape(const hemc_model* m, const morph_data* d, uint32_t begin, double x, const double w[TARGETS]) {
    bool good = true;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        double position[3], n[3], t[3];
        for (int c = 0; c < 3; ++c) {
            double lift = v == 1 ? d->lift[0][c] : v == 3 ? d->lift[1][c] : 0;
            position[c] =
                d->positions[v][c] + w[0] * d->bulge[v][c] + w[1] * lift + w[2] * fmax(d->twist[v][c] / 32767.0, -1);
            n[c] = d->normals[v][c] + w[0] * d->bulge_normals[v][c];
            t[c] = d->tangents[v][c] + w[0] * d->bulge_tangents[v][c];
        }
        double ln = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), lt = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        const float* p = &m->positions[begin + v].x;
        const float* normal = &m->normals[begin + v].x;
        for (int c = 0; c < 3; ++c) {
            good = good && fabs(p[c] - position[c] - (c == 0 ? x : 0)) < 1e-6 * (1 + x);
            good = good && fabs(normal[c] - n[c] / ln) < 1e-6 && fabs(m->tangents[begin + v][c] - t[c] / lt) < 1e-6;
        }
        good = good && m->tangents[begin + v][3] == 1;
    }
    return good;
}

TEST the_rest_shape_has_the_default_weights(void) {
    kit k;
    kit_begin(&k);
    morph_data d = sample();
    ASSERT(import(&k, &d, NULL, NULL));
    ASSERT_EQ(2, k.model.primitive_count);
    ASSERT(has_shape(&k.model, &d, 0, 0, (double[]){0.5, -2, 0.25}));   // the node's own
    ASSERT(has_shape(&k.model, &d, VERTICES, 10, (double[]){1, 0, 0})); // the mesh's
    ASSERT_FALSE(has_shape(&k.model, &d, 0, 0, (double[]){0.5, -2, 0.3}));
    ASSERT_EQ(0, k.log.warning_count);
    ASSERT(kit_log_has(&k.log, HEMC_NOTE, "/nodes/0: 3 morph targets: the rest shape has their default weights, 3 of"));
    kit_end(&k);
    // Neither: the base, bit for bit.
    kit_begin(&k);
    ASSERT(import(&k, &d, ",\n   \"weights\": [1, 0, 0]}]", "}]"));
    ASSERT_EQ(0, memcmp(&k.model.normals[VERTICES], d.normals, sizeof(d.normals)));
    ASSERT(has_shape(&k.model, &d, VERTICES, 10, (double[]){0, 0, 0}));
    ASSERT(kit_log_has(&k.log, HEMC_NOTE, "/nodes/1: 3 morph targets: their default weights are 0"));
    kit_end(&k);
    // The same numbers packed by meshopt give the same shape.
    kit_begin(&k);
    ASSERT(import(&k, &d, "[{\"POSITION\": 4,", "[{\"POSITION\": 11,"));
    ASSERT(has_shape(&k.model, &d, 0, 0, (double[]){0.5, -2, 0.25}));
    kit_end(&k);
    PASS();
}

TEST missing_normals_are_those_of_the_shape(void) {
    kit k;
    kit_begin(&k);
    morph_data d = sample();
    memset(d.bulge, 0, sizeof(d.bulge));
    for (int v = 0; v < VERTICES; ++v) { // z = x at weight 1: the plane turns by 45 degrees
        d.bulge[v][2] = d.positions[v][0];
    }
    ASSERT(import(&k, &d, "\"NORMAL\": 1, ", ""));
    for (int v = 0; v < VERTICES; ++v) {
        hemc_vec3 n = k.model.normals[VERTICES + v];
        ASSERT(fabs(n.x + sqrt(0.5)) < 1e-6 && fabs(n.y) < 1e-6 && fabs(n.z - sqrt(0.5)) < 1e-6);
    }
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "/meshes/0/primitives/0/targets/0/NORMAL: the primitive has no NORMAL"));
    kit_end(&k);
    PASS();
}

TEST wrong_targets_and_weights_are_named(void) {
    static const struct {
        const char* from;
        const char* to;
        const char* message;
        bool mended;
    } rows[] = {
        {"{\"POSITION\": 8}", "{\"POSITION\": 12}",
         "/meshes/0/primitives/0/targets/2/POSITION: has 3 elements, but the base POSITION has 4", false},
        {"{\"POSITION\": 8}", "{\"POSITION\": 2}", "/meshes/0/primitives/0/targets/2/POSITION: must be VEC3", false},
        {"{\"POSITION\": 8}", "{\"POSITION\": 99}", "/meshes/0/primitives/0/targets/2/POSITION: points to accessors 99",
         false},
        {"[0.5, -2, 0.25]", "[0.5, -2]", "/nodes/0/weights: 2 weights, but the mesh has 3 morph targets", false},
        {"[0.5, -2, 0.25]", "[0.5, -2, 1e999]", "/nodes/0/weights/2: must be a finite number", false},
        {"[0.5, -2, 0.25]", "[0.5, -2, 1e38]", "default morph weights move POSITION of vertex 0", false},
        {"[0.5, -2, 0.25]", "0.5", "/nodes/0/weights: must be an array of numbers", false},
        {"[1, 0, 0]", "[1, 0, 0, 0]", "/meshes/0/weights: 4 weights, but the mesh has 3 morph targets", false},
        {"[1, 0, 0]", "[1, null, 0]", "/meshes/0/weights/1: must be a finite number", false},
        {"{\"mesh\": 0, \"weights\"", "{\"weights\"", "/nodes/0/weights: 3 weights, but there are no morph targets",
         true},
        {"\"output\": 10", "\"output\": 9", "/animations/0/channels/0: 2 keys need 3 weights each", false},
        {"{\"mesh\": 0, \"weights\": [0.5, -2, 0.25]}", "{}",
         "/animations/0/channels/0: animates weights, but its node shows no mesh", true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        morph_data d = sample();
        bool good = import(&k, &d, rows[i].from, rows[i].to);
        bool named =
            kit_log_has(&k.log, HEMC_ERROR, rows[i].message) || kit_log_has(&k.log, HEMC_WARNING, rows[i].message);
        if (good != rows[i].mended || !named) {
            kit_log_print(&k.log);
        }
        ASSERT_EQm(rows[i].message, rows[i].mended, good);
        ASSERTm(rows[i].message, named);
        kit_end(&k);
    }
    PASS();
}

// NaN in a target matters only where its weight is not 0.
TEST numbers_that_are_none_are_named(void) {
    kit k;
    morph_data d = sample();
    d.lift[1][1] = NAN;
    kit_begin(&k);
    ASSERT_FALSE(import(&k, &d, NULL, NULL));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "/meshes/0/primitives/0/targets/1/POSITION: holds NaN or infinity"));
    kit_end(&k);
    kit_begin(&k);
    ASSERT(import(&k, &d, "[0.5, -2, 0.25]", "[0.5, 0, 0.25]"));
    ASSERT(has_shape(&k.model, &d, VERTICES, 10, (double[]){1, 0, 0}) == false); // NaN x 0 in the formula
    d.lift[1][1] = 0;
    ASSERT(has_shape(&k.model, &d, 0, 0, (double[]){0.5, 0, 0.25}));
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "/accessors/7: element 1 is not a finite number"));
    kit_end(&k);
    d.bulge_normals[2][1] = INFINITY;
    kit_begin(&k);
    ASSERT_FALSE(import(&k, &d, NULL, NULL));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "/meshes/0/primitives/0/targets/0/NORMAL: holds NaN or infinity"));
    kit_end(&k);
    PASS();
}

TEST animated_weights_are_spoken_of(void) {
    kit k;
    morph_data d = sample();
    hemc_recipe recipe;
    hemc_recipe_defaults(&recipe);
    kit_begin(&k);
    ASSERT(import(&k, &d, NULL, NULL) && hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
    ASSERT_EQ(0, k.model.clip_count);
    ASSERT(kit_log_has(&k.log, HEMC_NOTE, "/animations/0: clip \"breathe\" animates morph weights only"));
    kit_end(&k);
    // With a node that moves as well, the clip is there.
    kit_begin(&k);
    ASSERT(import(&k, &d, "[{\"input\": 9, \"output\": 10}],\n   \"channels\": [",
                  "[{\"input\": 9, \"output\": 10}, {\"input\": 9, \"output\": 13}],\n   \"channels\": "
                  "[{\"sampler\": 1, \"target\": {\"node\": 1, \"path\": \"translation\"}}, "));
    ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
    ASSERT_EQ(1, k.model.clip_count);
    ASSERT(kit_log_has(&k.log, HEMC_NOTE, "/animations/0: clip \"breathe\" animates morph weights too; the preview"));
    kit_end(&k);
    PASS();
}

SUITE(front_morph_suite) {
    RUN_TEST(the_rest_shape_has_the_default_weights);
    RUN_TEST(missing_normals_are_those_of_the_shape);
    RUN_TEST(wrong_targets_and_weights_are_named);
    RUN_TEST(numbers_that_are_none_are_named);
    RUN_TEST(animated_weights_are_spoken_of);
}
