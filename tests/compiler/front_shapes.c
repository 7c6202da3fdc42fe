// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_bench.h"
#include "front_kit.h"

#include "compiler/recipe/json.h"
#include "compiler/shape/clip_pose.h"
#include "formats/hem_lattice_text.h"
#include "formats/hem_validate.h"

#include <cgltf.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// Clips of morph weights as clips of a lattice: a box whose shape at any time is written out as a formula, with targets and
// keys of every storage, skinned to a bone that turns.

#define PI 3.14159265358979323846

enum { SIDE = 9, VERTICES = 6 * SIDE * SIDE, TRIANGLES = 6 * (SIDE - 1) * (SIDE - 1) * 2, TARGETS = 4, KEYS = 3 };

typedef struct box_data { // the buffer, as it lies in the file
    float positions[VERTICES][3];
    float bulge[VERTICES][3];   // target 0: plain
    float lean[VERTICES][3];    // target 1: sparse, on every vertex of its list
    int16_t twist[VERTICES][4]; // target 2: normalised, the fourth pads
    float ripple[VERTICES][3];  // target 3: not trilinear in a cell
    float weights[VERTICES][4];
    float times[KEYS];
    float keys[KEYS][TARGETS];
    float splines[KEYS][3][TARGETS];
    float ripples[KEYS][TARGETS];
    float turns[KEYS][4];
    uint16_t indices[TRIANGLES * 3], lean_at[VERTICES];
    uint8_t joints[VERTICES][4];
    uint8_t bytes[KEYS * TARGETS];
} box_data;

// The shapes, of a box from -1 to 1.
static hemc_d3 bulge(hemc_d3 x) {
    return d3(0.2 * x.x * x.y, 0.1 * x.y - 0.15 * x.y * x.z, 0.15 * x.x * x.y * x.z);
}
static hemc_d3 lean(hemc_d3 x) {
    return d3(0.3 * x.y, 0.0, 0.1 * x.x * x.z);
}
static hemc_d3 twist(hemc_d3 x) {
    return d3(0.2 * x.y * x.z, 0.0, -0.2 * x.x * x.y);
}
static hemc_d3 ripple(hemc_d3 x) {
    return d3(0.0, 0.0, 0.1 * cos(4 * PI * x.x));
}

static void store(hemc_d3 x, float to[3]) {
    to[0] = (float)x.x, to[1] = (float)x.y, to[2] = (float)x.z;
}

static const float default_weights[TARGETS] = {0.25f, -0.5f, 0.0f, 0.0f};

static box_data sample(void) {
    static const float keys[KEYS][TARGETS] = {{0, 0.5f, 0, 0}, {1, -1, 0.5f, 0}, {-0.5f, 0.25f, 1, 0}};
    static const uint8_t bytes[KEYS * TARGETS] = {0, 255, 51, 0, 255, 0, 102, 0, 51, 153, 255, 0};
    box_data d;
    memset(&d, 0, sizeof(d));
    uint32_t v = 0, corner = 0;
    for (int face = 0; face < 6; ++face) {
        const int a = face / 2, b = (a + 1) % 3, c = (a + 2) % 3, out = face % 2;
        for (int j = 0; j < SIDE; ++j) {
            for (int i = 0; i < SIDE; ++i, ++v) {
                d.positions[v][a] = out ? 1.0f : -1.0f;
                d.positions[v][b] = -1 + 2 * (float)i / (SIDE - 1);
                d.positions[v][c] = -1 + 2 * (float)j / (SIDE - 1);
                if (i + 1 < SIDE && j + 1 < SIDE) {
                    const uint32_t q[4] = {v, v + 1, v + SIDE + 1, v + SIDE};
                    const int order[2][6] = {{0, 2, 1, 0, 3, 2}, {0, 1, 2, 0, 2, 3}};
                    for (int k = 0; k < 6; ++k) {
                        d.indices[corner++] = (uint16_t)q[order[out][k]];
                    }
                }
            }
        }
    }
    for (v = 0; v < VERTICES; ++v) {
        const hemc_d3 x = d3(d.positions[v][0], d.positions[v][1], d.positions[v][2]), t = twist(x);
        store(bulge(x), d.bulge[v]);
        store(lean(x), d.lean[v]);
        store(ripple(x), d.ripple[v]);
        d.twist[v][0] = (int16_t)lround(32767 * t.x);
        d.twist[v][2] = (int16_t)lround(32767 * t.z);
        d.lean_at[v] = (uint16_t)v;
        d.weights[v][0] = 1;
    }
    memcpy(d.keys, keys, sizeof(keys));
    memcpy(d.bytes, bytes, sizeof(bytes));
    for (int k = 0; k < KEYS; ++k) {
        const double half = 0.4 * k;
        d.times[k] = 0.5f * (float)k;
        d.turns[k][2] = (float)sin(half), d.turns[k][3] = (float)cos(half);
        d.ripples[k][3] = 0.5f * (float)k;
        for (int i = 0; i < TARGETS; ++i) {
            d.splines[k][0][i] = i < 3 ? 0.5f * (float)i - 0.25f * (float)k : 0;
            d.splines[k][1][i] = keys[k][i];
            d.splines[k][2][i] = i < 3 ? 0.75f - 0.5f * (float)i * (float)k : 0;
        }
    }
    return d;
}

// Weights at a time by the definition of each interpolation.
static void weights_at(const box_data* d, const char* clip, double t, double w[TARGETS]) {
    const int k = t < 0.5 ? 0 : t < 1 ? 1 : 2, next = k + (k < 2);
    const double u = (t - 0.5 * k) / 0.5, u2 = u * u, u3 = u2 * u;
    for (int i = 0; i < TARGETS; ++i) {
        const float(*keys)[TARGETS] = strcmp(clip, "ripple") == 0 ? d->ripples : d->keys;
        w[i] = keys[k][i] + u * ((double)keys[next][i] - keys[k][i]);
        if (strcmp(clip, "jump") == 0) {
            w[i] = d->bytes[TARGETS * k + i] / 255.0;
        } else if (strcmp(clip, "spline") == 0) {
            w[i] = (2 * u3 - 3 * u2 + 1) * d->splines[k][1][i] + 0.5 * (u3 - 2 * u2 + u) * d->splines[k][2][i] +
                   (3 * u2 - 2 * u3) * d->splines[next][1][i] + 0.5 * (u3 - u2) * d->splines[next][0][i];
        }
    }
}

static hemc_d3 shape_of(hemc_d3 x, const double w[TARGETS]) {
    hemc_d3 p = d3_madd(d3_madd(x, bulge(x), w[0]), lean(x), w[1]);
    return d3_madd(d3_madd(p, twist(x), w[2]), ripple(x), w[3]);
}

// "turn" has the weights of "bulge" and a bone that turns by 1.6 rad about z in all.
static hemc_d3 place_of(const box_data* d, const char* clip, double t, hemc_d3 x) {
    double w[TARGETS];
    weights_at(d, strcmp(clip, "turn") == 0 ? "bulge" : clip, t, w);
    const hemc_d3 p = shape_of(x, w);
    const double a = strcmp(clip, "turn") == 0 ? 1.6 * t : 0;
    return d3(cos(a) * p.x - sin(a) * p.y, sin(a) * p.x + cos(a) * p.y, p.z);
}

#define VIEW(field) offsetof(box_data, field), sizeof(((box_data*)0)->field)

static const char json_format[] =
    "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0, 1]}],\n"
    " \"nodes\": [{\"name\": \"Box\", \"mesh\": 0, \"skin\": 0, \"weights\": [0.25, -0.5, 0, 0]}, {\"name\": "
    "\"Bone\"}],\n"
    " \"skins\": [{\"joints\": [1]}],\n"
    " \"meshes\": [{\"weights\": [9, 9, 9, 9], \"primitives\": [{\"attributes\": {\"POSITION\": 0, \"JOINTS_0\": 1,\n"
    "   \"WEIGHTS_0\": 2}, \"indices\": 3, \"targets\": [{\"POSITION\": 4}, {\"POSITION\": 5}, {\"POSITION\": 6},\n"
    "   {\"POSITION\": 7}]}]}],\n"
    " \"animations\": [\n"
    "  {\"name\": \"bulge\", \"samplers\": [{\"input\": 8, \"output\": 9}],\n"
    "   \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": \"weights\"}}]},\n"
    "  {\"name\": \"jump\", \"samplers\": [{\"input\": 8, \"output\": 10, \"interpolation\": \"STEP\"}],\n"
    "   \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": \"weights\"}}]},\n"
    "  {\"name\": \"spline\", \"samplers\": [{\"input\": 8, \"output\": 11, \"interpolation\": \"CUBICSPLINE\"}],\n"
    "   \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": \"weights\"}}]},\n"
    "  {\"name\": \"turn\", \"samplers\": [{\"input\": 8, \"output\": 9}, {\"input\": 8, \"output\": 12}],\n"
    "   \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": \"weights\"}},\n"
    "     {\"sampler\": 1, \"target\": {\"node\": 1, \"path\": \"rotation\"}}]},\n"
    "  {\"name\": \"ripple\", \"samplers\": [{\"input\": 8, \"output\": 13}],\n"
    "   \"channels\": [{\"sampler\": 0, \"target\": {\"node\": 0, \"path\": \"weights\"}}]}],\n"
    " \"accessors\": [\n"
    "  {\"bufferView\": 0, \"componentType\": 5126, \"count\": %d, \"type\": \"VEC3\", \"min\": [-1, -1, -1],\n"
    "   \"max\": [1, 1, 1]},\n"
    "  {\"bufferView\": 1, \"componentType\": 5121, \"count\": %d, \"type\": \"VEC4\"},\n"
    "  {\"bufferView\": 2, \"componentType\": 5126, \"count\": %d, \"type\": \"VEC4\"},\n"
    "  {\"bufferView\": 3, \"componentType\": 5123, \"count\": %d, \"type\": \"SCALAR\"},\n"
    "  {\"bufferView\": 4, \"componentType\": 5126, \"count\": %d, \"type\": \"VEC3\"},\n"
    "  {\"componentType\": 5126, \"count\": %d, \"type\": \"VEC3\", \"sparse\": {\"count\": %d,\n"
    "   \"indices\": {\"bufferView\": 5, \"componentType\": 5123}, \"values\": {\"bufferView\": 6}}},\n"
    "  {\"bufferView\": 7, \"componentType\": 5122, \"normalized\": true, \"count\": %d, \"type\": \"VEC3\"},\n"
    "  {\"bufferView\": 8, \"componentType\": 5126, \"count\": %d, \"type\": \"VEC3\"},\n"
    "  {\"bufferView\": 9, \"componentType\": 5126, \"count\": 3, \"type\": \"SCALAR\", \"min\": [0], \"max\": [1]},\n"
    "  {\"bufferView\": 10, \"componentType\": 5126, \"count\": 12, \"type\": \"SCALAR\"},\n"
    "  {\"bufferView\": 11, \"componentType\": 5121, \"normalized\": true, \"count\": 12, \"type\": \"SCALAR\"},\n"
    "  {\"bufferView\": 12, \"componentType\": 5126, \"count\": 36, \"type\": \"SCALAR\"},\n"
    "  {\"bufferView\": 13, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC4\"},\n"
    "  {\"bufferView\": 14, \"componentType\": 5126, \"count\": 12, \"type\": \"SCALAR\"}],\n"
    " \"bufferViews\": [";

// `from` in the JSON becomes `to`; NULL = nothing.
static uint8_t* make_glb(hemc_arena* arena, const box_data* d, const char* from, const char* to, size_t* size) {
    const size_t views[][2] = {{VIEW(positions)}, {VIEW(joints)}, {VIEW(weights)}, {VIEW(indices)}, {VIEW(bulge)},
                               {VIEW(lean_at)},   {VIEW(lean)},   {VIEW(twist)},   {VIEW(ripple)},  {VIEW(times)},
                               {VIEW(keys)},      {VIEW(bytes)},  {VIEW(splines)}, {VIEW(turns)},   {VIEW(ripples)}};
    const int n = VERTICES;
    hemc_text t = {.arena = arena};
    hemc_text_add(&t, json_format, n, n, n, TRIANGLES * 3, n, n, n, n, n);
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); ++i) {
        hemc_text_add(&t, "%s{\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu%s}", i > 0 ? ",\n  " : "",
                      views[i][0], views[i][1], i == 7 ? ", \"byteStride\": 8" : "");
    }
    hemc_text_add(&t, "],\n \"buffers\": [{\"byteLength\": %zu}]}", sizeof(*d));
    char* json = t.data;
    char* at = from != NULL ? strstr(json, from) : NULL;
    if (from != NULL && at != NULL) {
        *at = 0;
        json = hemc_format(arena, "%s%s%s", json, to, at + strlen(from));
    }
    const size_t length = strlen(json), padded = (length + 3) / 4 * 4, data = (sizeof(*d) + 3) / 4 * 4;
    *size = 28 + padded + data;
    uint8_t* glb = hemc_alloc(arena, *size, 1);
    const uint32_t head[5] = {0x46546c67, 2, (uint32_t)*size, (uint32_t)padded, 0x4e4f534a};
    const uint32_t chunk[2] = {(uint32_t)data, 0x4e4942};
    memcpy(glb, head, 20);
    memset(glb + 20, ' ', padded);
    memcpy(glb + 20, json, length);
    memcpy(glb + 20 + padded, chunk, 8);
    memcpy(glb + 28 + padded, d, sizeof(*d));
    return glb;
}

// -- What import keeps

static bool import(kit* k, const box_data* d, const char* clip, const char* from, const char* to) {
    static hemc_lattice_clip_recipe asked;
    static hemc_part_recipe part;
    hemc_recipe recipe;
    size_t size;
    uint8_t* glb = make_glb(k->arena, d, from, to, &size);
    hemc_recipe_defaults(&recipe);
    asked = (hemc_lattice_clip_recipe){.clip = clip};
    part = (hemc_part_recipe){.lattice = {.clips = &asked, .clip_count = 1}};
    recipe.parts = &part;
    recipe.part_count = 1;
    recipe.scale = 0.5f;
    return hemc_import_memory(k->arena, &k->log, "box.glb", glb, size, &k->model) &&
           hemc_import_finish(k->arena, &k->log, &recipe, &k->model);
}

// Every vertex of every frame is where the formula has it, in metres.
TEST clips_morph_and_then_skin(void) {
    static const char* const clips[] = {"bulge", "jump", "spline", "turn", "ripple"};
    const box_data d = sample();
    for (size_t i = 0; i < sizeof(clips) / sizeof(clips[0]); ++i) {
        kit k;
        kit_begin(&k);
        ASSERTm(clips[i], import(&k, &d, clips[i], NULL, NULL));
        const bool turns = strcmp(clips[i], "turn") == 0;
        ASSERT_EQm(clips[i], 1, k.model.clip_count); // "turn", for the preview
        ASSERT_EQm(clips[i], turns ? 0 : 1, k.model.shape_clip_count);
        const hemc_clip* clip = hemc_find_clip(&k.model, clips[i]);
        ASSERTm(clips[i], clip != NULL && clip->weights != NULL && !clip->loops);
        ASSERT_EQ(31, clip->frame_count);
        uint32_t* all = hemc_alloc(k.arena, VERTICES, sizeof *all);
        hemc_d3* shape = hemc_alloc(k.arena, VERTICES, sizeof *shape);
        hemc_vec3* now = hemc_alloc(k.arena, VERTICES, sizeof *now);
        for (uint32_t v = 0; v < VERTICES; ++v) {
            all[v] = v;
        }
        for (uint32_t f = 0; f < 31; ++f) {
            hemc_clip_pose(&k.model, clip, f, all, VERTICES, shape, now);
            for (uint32_t v = 0; v < VERTICES; ++v) {
                const hemc_d3 x = d3(d.positions[v][0], d.positions[v][1], d.positions[v][2]);
                const hemc_d3 place = d3_scale(place_of(&d, clips[i], f / 30.0, x), 0.5);
                // 16 bits of the third target: half a step of 1 / 32767, twice
                ASSERT_IN_RANGEm(clips[i], 0.0, d3_distance(place, d3_from(now[v])), 2e-5);
            }
        }
        kit_end(&k);
    }
    PASS();
}

// Without animated weights the shape is that of the default ones, the node's before the mesh's, and nobody who asks for no
// weights is given any.
TEST default_weights_are_the_rest(void) {
    const box_data d = sample();
    kit k;
    kit_begin(&k);
    ASSERT(import(&k, &d, "other", NULL, NULL));
    const double w[TARGETS] = {(double)default_weights[0], (double)default_weights[1], 0, 0};
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const hemc_d3 x = d3(d.positions[v][0], d.positions[v][1], d.positions[v][2]);
        ASSERT_IN_RANGE(0.0, d3_distance(d3_scale(shape_of(x, w), 0.5), d3_from(k.model.positions[v])), 1e-6);
    }
    ASSERT_EQ(0, k.model.weight_count);
    ASSERT_EQ(0, k.model.morph_target_count);
    ASSERT_EQ(0, k.model.shape_clip_count);
    ASSERT_EQ(1, k.model.clip_count);
    ASSERT(k.model.clips[0].weights == NULL);
    ASSERT(kit_log_has(&k.log, HEMC_NOTE, "/animations/0: clip \"bulge\" animates morph weights only"));
    kit_end(&k);
    PASS();
}

TEST a_clip_of_weights_that_ends_as_it_began_loops(void) {
    box_data d = sample();
    memcpy(d.keys[2], d.keys[0], sizeof(d.keys[0]));
    d.keys[2][0] += 0.01f; // moves no vertex by a hundredth of the size
    kit k;
    kit_begin(&k);
    ASSERT(import(&k, &d, "bulge", NULL, NULL));
    const hemc_clip* clip = hemc_find_clip(&k.model, "bulge");
    ASSERT(clip != NULL && clip->loops);
    ASSERT_EQ(0, memcmp(clip->weights, clip->weights + 30 * TARGETS, TARGETS * sizeof(float)));
    kit_end(&k);
    PASS();
}

TEST what_cannot_be_taken_is_named(void) {
    static const struct {
        const char *from, *to, *message;
        bool goes_on;
    } rows[] = {
        {"\"input\": 8, \"output\": 9", "\"input\": 8, \"output\": 11",
         "/animations/0/channels/0: 3 keys need 4 weights each (the mesh has 4 morph targets), not 36 in all", false},
        {"\"output\": 11, \"interpolation\": \"CUBICSPLINE\"", "\"output\": 9, \"interpolation\": \"CUBICSPLINE\"",
         "/animations/2/channels/0: 3 keys need 12 weights each (the mesh has 4 morph targets), not 12 in all", false},
        {"\"input\": 8, \"output\": 9", "\"input\": 8, \"output\": 12",
         "/animations/0/channels/0: 3 keys need 4 weights each", false},
        {"{\"POSITION\": 7}", "{\"POSITION\": 3}", "/meshes/0/primitives/0/targets/3/POSITION: has ", false},
        {"\"path\": \"weights\"", "\"path\": \"wights\"", "", true},
    };
    const box_data good = sample();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        ASSERT_EQm(rows[i].to, rows[i].goes_on, import(&k, &good, "bulge", rows[i].from, rows[i].to));
        ASSERTm(rows[i].to, rows[i].goes_on || kit_log_has(&k.log, HEMC_ERROR, rows[i].message));
        kit_end(&k);
    }
    // NaN in a target that rests at weight 0 is the clip's fault, and a weight out of range leaves the clip out.
    box_data d = good;
    d.ripple[5][1] = NAN;
    kit k;
    kit_begin(&k);
    ASSERT(import(&k, &d, "other", NULL, NULL));
    kit_end(&k);
    kit_begin(&k);
    ASSERT_FALSE(import(&k, &d, "ripple", NULL, NULL));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR,
                       "/meshes/0/primitives/0/targets/3/POSITION: holds NaN or infinity, and a clip animates"));
    kit_end(&k);
    d = good;
    d.keys[1][2] = FLT_MAX;
    kit_begin(&k);
    ASSERT(import(&k, &d, "bulge", NULL, NULL));
    ASSERT(hemc_find_clip(&k.model, "bulge") == NULL);
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "/animations/0: clip \"bulge\" throws bones or shapes to infinity"));
    kit_end(&k);
    // More frames than a clip may have.
    d = good;
    d.times[2] = 3000;
    kit_begin(&k);
    ASSERT(import(&k, &d, "bulge", NULL, NULL));
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "/animations/0: clip \"bulge\" is too long to bake (3000 seconds)"));
    kit_end(&k);
    PASS();
}

// Of the Khronos group's, read and interpolated by other code: eight targets on each of two primitives.
TEST the_stress_test_is_had_to_the_letter(void) {
    static const char path[] = "../shared/assets/khronos_MorphStressTest.glb";
    static const char* const clips[] = {"Individuals", "TheWave", "Pulse"};
    const cgltf_options options = {.type = cgltf_file_type_glb};
    cgltf_data* data;
    if (cgltf_parse_file(&options, path, &data) != cgltf_result_success) {
        SKIPm("no ../shared/assets");
    }
    ASSERT_EQ(cgltf_result_success, cgltf_load_buffers(&options, data, path));
    for (size_t i = 0; i < 3; ++i) {
        hemc_lattice_clip_recipe asked = {.clip = clips[i]};
        hemc_part_recipe part = {.lattice = {.clips = &asked, .clip_count = 1}};
        hemc_recipe recipe;
        kit k;
        kit_begin(&k);
        hemc_recipe_defaults(&recipe);
        recipe.parts = &part;
        recipe.part_count = 1;
        ASSERT(hemc_import(k.arena, &k.log, path, &k.model) && hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
        const hemc_clip* clip = hemc_find_clip(&k.model, clips[i]);
        ASSERTm(clips[i], clip != NULL && clip->weights != NULL);
        ASSERT_EQ(8, k.model.weight_count);
        const cgltf_animation_sampler* keys = &data->animations[i].samplers[0];
        uint32_t* all = hemc_alloc(k.arena, k.model.vertex_count, sizeof *all);
        hemc_d3* shape = hemc_alloc(k.arena, k.model.vertex_count, sizeof *shape);
        hemc_vec3* now = hemc_alloc(k.arena, k.model.vertex_count, sizeof *now);
        for (uint32_t v = 0; v < k.model.vertex_count; ++v) {
            all[v] = v;
        }
        float first, time, later, last;
        cgltf_accessor_read_float(keys->input, 0, &first, 1);
        cgltf_accessor_read_float(keys->input, keys->input->count - 1, &last, 1);
        double farthest = 0;
        // The last frame of a clip that loops is its first.
        for (uint32_t f = 0; f + 1 < clip->frame_count && first + f / (double)clip->hz < (double)last; f += 3) {
            const double t = first + f / (double)clip->hz;
            size_t key = 0;
            while (cgltf_accessor_read_float(keys->input, key + 1, &later, 1) && (double)later <= t) {
                ++key;
            }
            cgltf_accessor_read_float(keys->input, key, &time, 1);
            hemc_clip_pose(&k.model, clip, f, all, k.model.vertex_count, shape, now);
            for (uint32_t v = 0; v < k.model.vertex_count; ++v) {
                const bool second = v >= 24;
                const cgltf_primitive* p = &data->meshes[0].primitives[second];
                const size_t at = second ? v - 24 : v;
                float x[3], from, to;
                cgltf_accessor_read_float(p->attributes[0].data, at, x, 3);
                hemc_d3 place = d3((double)x[0], (double)x[1], (double)x[2]);
                const hemc_d3 rest = place;
                for (size_t n = 0; n < 8; ++n) {
                    cgltf_accessor_read_float(p->targets[n].attributes[0].data, at, x, 3);
                    cgltf_accessor_read_float(keys->output, 8 * key + n, &from, 1);
                    cgltf_accessor_read_float(keys->output, 8 * key + 8 + n, &to, 1);
                    const double u = (t - (double)time) / ((double)later - (double)time);
                    place = d3_madd(place, d3((double)x[0], (double)x[1], (double)x[2]),
                                    (double)from + u * ((double)to - (double)from));
                }
                ASSERT_IN_RANGEm(clips[i], 0.0, d3_distance(place, d3_from(now[v])), 1e-5);
                farthest = fmax(farthest, d3_distance(place, rest));
            }
        }
        ASSERT(farthest > 0.1);
        kit_end(&k);
    }
    cgltf_free(data);
    PASS();
}

// -- There and back

static const char recipe_format[] =
    "{ \"version\": 1, \"clips\": { \"once\": [\"*\"] }, \"parts\": [ { \"name\": \"jelly\", \"select\": { \"node\": "
    "\"Box\" },\n \"generator\": \"lattice\", \"spacing\": %s, \"attach\": \"none\",\n"
    " \"clips\": [ { \"clip\": \"%s\", \"every\": 5 } ] } ], \"body\": false }";

// `from` in the glTF becomes `to`; NULL = nothing.
static bool compile(bench* b, const box_data* d, const char* from, const char* to, const char* spacing,
                    const char* clip, hem_view* view) {
    size_t size;
    uint8_t *bytes, *glb = make_glb(b->arena, d, from, to, &size);
    char* recipe = hemc_alloc(b->arena, 600, 1);
    char input[600];
    const char* text = hemc_format(b->arena, recipe_format, spacing, clip);
    if (!kit_write(b->folder, "box.glb", glb, size, input) ||
        !kit_write(b->folder, "box.json", text, strlen(text), recipe)) {
        return false;
    }
    const hemc_job job = {.input = input,
                          .recipe = recipe,
                          .output = bench_path(b, "box.hem"),
                          .report = bench_path(b, "r.json"),
                          .verbosity = -1};
    return hemc_run(&job) == 0 && bench_read(b, job.output, &bytes, &size) &&
           hem_validate(bytes, size, view, NULL) == HEM_FORMAT_OK;
}

// The farthest that a vertex which its cell's particles carry is from the formula, over all keys.
static double forward_error(const box_data* d, const hem_view* v, const char* clip) {
    double worst = 0;
    for (uint32_t key = 0; key < v->lattice_clips[0].key_count; ++key) {
        const hem_key_row* rows = v->lattice_key_rows + v->lattice_keys[key].row_begin;
        for (uint32_t i = 0; i < v->vertex_cell_count; ++i) {
            const hem_vertex_cell* at = &v->vertex_cells[i];
            const double in[3] = {(double)at->at[0], (double)at->at[1], (double)at->at[2]};
            const float* x = d->positions[at->vertex];
            hemc_d3 p = d3(0, 0, 0);
            for (int k = 0; k < 8; ++k) {
                const uint32_t c = v->lattice_cells[at->cell].corner[k];
                const double share =
                    (k & 1 ? in[0] : 1 - in[0]) * (k & 2 ? in[1] : 1 - in[1]) * (k & 4 ? in[2] : 1 - in[2]);
                p = d3_madd(
                    p, d3((double)rows[c / 8].x[c % 8], (double)rows[c / 8].y[c % 8], (double)rows[c / 8].z[c % 8]),
                    share);
            }
            const hemc_d3 is = place_of(d, clip, (double)v->lattice_keys[key].seconds, d3(x[0], x[1], x[2]));
            worst = fmax(worst, d3_distance(p, is));
        }
    }
    return worst;
}

// At rest the box is a box, and what its shapes do to it is trilinear in every cell: within a thousandth of its size, by
// cells on the faces and cells across them. With default weights it rests bent, and then only small cells have it so well.
TEST a_trilinear_bulge_comes_back(void) {
    static const char* const clips[] = {"bulge", "jump", "spline", "turn"};
    static const struct {
        const char *from, *to, *spacing;
    } rows[] = {{"[0.25, -0.5, 0, 0]", "[0, 0, 0, 0]", "0.25"},
                {"[0.25, -0.5, 0, 0]", "[0, 0, 0, 0]", "0.5"},
                {"[0.25, -0.5, 0, 0]", "[0, 0, 0, 0]", "[0.3, 0.21, 0.27]"},
                {NULL, NULL, "0.25"}};
    const box_data d = sample();
    for (size_t s = 0; s < sizeof(rows) / sizeof(rows[0]); ++s) {
        for (size_t i = 0; i < sizeof(clips) / sizeof(clips[0]); ++i) {
            bench b;
            hem_view view;
            ASSERT(bench_begin(&b));
            ASSERTm(clips[i], compile(&b, &d, rows[s].from, rows[s].to, rows[s].spacing, clips[i], &view));
            ASSERT_EQ(1, view.lattice_clip_count);
            ASSERT_EQ(7, view.lattice_clips[0].key_count);
            ASSERT_EQ(VERTICES, view.vertex_cell_count);
            const double e = forward_error(&d, &view, clips[i]);
            ASSERTm(clips[i], e <= 0.001 * 2);
            bench_end(&b);
        }
    }
    PASS();
}

static bool says(bench* b, const char* file, const char* text) {
    uint8_t* bytes;
    size_t size;
    return bench_read(b, bench_path(b, file), &bytes, &size) && strstr((const char*)bytes, text) != NULL;
}

// Ripples shorter than a cell: what is left is said, the same by the formula and by the program, frame by frame.
TEST what_trilinear_cannot_express_is_said(void) {
    const box_data d = sample();
    bench b;
    hem_view view;
    ASSERT(bench_begin(&b));
    ASSERT(compile(&b, &d, NULL, NULL, "0.5", "ripple", &view));
    const double e = forward_error(&d, &view, "ripple");
    ASSERT_IN_RANGE(0.02, e, 0.2); // of ripples that are 0.2 high in all
    char words[100];
    snprintf(words, sizeof(words), "vertices at most %.1f mm from where the clip has them", 1000 * e);
    ASSERT(says(&b, "r.json", words));
    const char* hem = bench_path(&b, "box.hem");
    const char* inverse[] = {"lattice",
                             "inverse",
                             hem,
                             "--model",
                             bench_path(&b, "box.glb"),
                             "--clip",
                             "ripple",
                             "-o",
                             bench_path(&b, "r.txt"),
                             "-v"};
    ASSERT_EQ(0, bench_run(&b, inverse, 10));
    snprintf(words, sizeof(words), "31 frames of %d vertices", VERTICES);
    ASSERT(says(&b, "stdout.txt", words));
    snprintf(words, sizeof(words), "frame 30: worst %.2f mm", 1000 * e);
    ASSERT(says(&b, "stdout.txt", words));
    // The same without -v, what does not belong together, and what is not there.
    const char* alone[] = {
        "lattice", "inverse", hem, "--model", bench_path(&b, "box.glb"), "-o", bench_path(&b, "r.txt")};
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, alone, 7));
    const char* absent[] = {"lattice",
                            "inverse",
                            hem,
                            "--model",
                            bench_path(&b, "box.glb"),
                            "--clip",
                            "wave",
                            "-o",
                            bench_path(&b, "r.txt")};
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, absent, 9));
    ASSERT(says(&b, "stderr.txt", "has no clip \"wave\""));
    absent[4] = b.input;
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, absent, 9));
    ASSERT(says(&b, "stderr.txt", "was compiled from"));
    box_data moved = d;
    moved.positions[7][1] += 0.01f;
    size_t size;
    uint8_t* glb = make_glb(b.arena, &moved, NULL, NULL, &size);
    char path[600];
    ASSERT(kit_write(b.folder, "moved.glb", glb, size, path));
    inverse[4] = path;
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, inverse, 10));
    ASSERT(says(&b, "stderr.txt", "vertex 7 stands elsewhere"));
    bench_end(&b);
    PASS();
}

SUITE(front_shapes_suite);
SUITE(front_shapes_suite) {
    RUN_TEST(clips_morph_and_then_skin);
    RUN_TEST(default_weights_are_the_rest);
    RUN_TEST(a_clip_of_weights_that_ends_as_it_began_loops);
    RUN_TEST(what_cannot_be_taken_is_named);
    RUN_TEST(the_stress_test_is_had_to_the_letter);
    RUN_TEST(a_trilinear_bulge_comes_back);
    RUN_TEST(what_trilinear_cannot_express_is_said);
}
