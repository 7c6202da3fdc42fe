// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_kit.h"

#include "compiler/driver/compile.h"
#include "compiler/recipe/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Automatic mode on a doll made of tubes: a body, a skirt with a ribbon on its hem, a cap of hair and a long tress.

enum { AROUND = 24, RINGS = 9, TUBES = 5 };

typedef struct tube {
    const char* name;
    double x, low, high;       // metres; its axis is upright at x
    double low_radius, radius; // at the lower and at the upper end
} tube;

static const tube named[TUBES] = {
    {"Body", 0, 0, 1.7, 0.12, 0.12},
    {"Skirt", 0, 0.45, 1.0, 0.42, 0.15},
    {"Ribbon", 0, 0.44, 0.5, 0.43, 0.405},
    {"Hair", 0, 1.5, 1.7, 0.13, 0.13},
    {"Hair_Tress", 0.22, 1.0, 1.6, 0.03, 0.03},
};

// Nothing tells what these are. A shirt lies on the hips, and the skirt's hem is free.
static const tube nameless[TUBES] = {
    {"Leg_L", 0.1, 0, 0.9, 0.06, 0.08},   {"Leg_R", -0.1, 0, 0.9, 0.06, 0.08}, {"Part_3", 0, 0.5, 1.0, 0.4, 0.16},
    {"Part_4", 0, 0.95, 1.4, 0.17, 0.15}, {"Part_5", 0, 1.4, 1.7, 0.11, 0.11},
};

static void put(hemc_text* bin, const void* bytes, size_t size) {
    hemc_text_bytes(bin, bytes, size);
}

// A .glb of the tubes, one mesh and node each, of which one is animated and so a bone.
static uint8_t* doll_glb(hemc_arena* arena, const tube* doll, size_t* size) {
    hemc_text bin = {.arena = arena}, nodes = {.arena = arena}, meshes = {.arena = arena}, views = {.arena = arena},
              accessors = {.arena = arena};
    for (uint32_t m = 0; m < TUBES; ++m) {
        const tube* t = &doll[m];
        size_t begin = bin.size;
        for (uint32_t ring = 0; ring < RINGS; ++ring) {
            for (uint32_t k = 0; k < AROUND; ++k) {
                double f = (double)ring / (RINGS - 1), angle = 6.283185307179586 * k / AROUND;
                double r = t->low_radius + f * (t->radius - t->low_radius);
                float p[3] = {(float)(t->x + r * cos(angle)), (float)(t->low + f * (t->high - t->low)),
                              (float)(r * sin(angle))};
                put(&bin, p, sizeof(p));
            }
        }
        size_t middle = bin.size;
        for (uint16_t ring = 0; ring + 1 < RINGS; ++ring) {
            for (uint16_t k = 0; k < AROUND; ++k) {
                uint16_t a = (uint16_t)(ring * AROUND + k), b = (uint16_t)(ring * AROUND + (k + 1) % AROUND);
                uint16_t corner[6] = {a, (uint16_t)(a + AROUND), b, b, (uint16_t)(a + AROUND), (uint16_t)(b + AROUND)};
                put(&bin, corner, sizeof(corner));
            }
        }
        const char* comma = m == 0 ? "" : ", ";
        hemc_text_add(&nodes, "%s{\"name\": \"%s\", \"mesh\": %u}", comma, t->name, m);
        hemc_text_add(&meshes, "%s{\"primitives\": [{\"attributes\": {\"POSITION\": %u}, \"indices\": %u}]}", comma,
                      2 * m, 2 * m + 1);
        hemc_text_add(&views, "%s{\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu}", comma, begin,
                      middle - begin);
        hemc_text_add(&views, ", {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu}", middle, bin.size - middle);
        hemc_text_add(&accessors, "%s{\"bufferView\": %u, \"componentType\": 5126, \"count\": %d, \"type\": \"VEC3\"}",
                      comma, 2 * m, AROUND * RINGS);
        hemc_text_add(&accessors,
                      ", {\"bufferView\": %u, \"componentType\": 5123, \"count\": %d, \"type\": \"SCALAR\"}", 2 * m + 1,
                      6 * AROUND * (RINGS - 1));
    }
    const float keys[2 + 8] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    hemc_text_add(&views, ", {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 8}", bin.size);
    hemc_text_add(&views, ", {\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": 32}", bin.size + 8);
    put(&bin, keys, sizeof(keys));
    hemc_text_add(&accessors, ", {\"bufferView\": %d, \"componentType\": 5126, \"count\": 2, \"type\": \"SCALAR\"}",
                  2 * TUBES);
    hemc_text_add(&accessors, ", {\"bufferView\": %d, \"componentType\": 5126, \"count\": 2, \"type\": \"VEC4\"}",
                  2 * TUBES + 1);
    char* json =
        hemc_format(arena,
                    "{\"asset\": {\"version\": \"2.0\"}, \"animations\": [{\"samplers\": [{\"input\": 10, \"output\": "
                    "11}], \"channels\": "
                    "[{\"sampler\": 0, \"target\": {\"node\": 3, \"path\": \"rotation\"}}]}], \"nodes\": [%s], "
                    "\"meshes\": [%s], \"accessors\": "
                    "[%s], \"bufferViews\": [%s], \"buffers\": [{\"byteLength\": %zu}]}",
                    nodes.data, meshes.data, accessors.data, views.data, bin.size);
    size_t length = strlen(json), padded = (length + 3) / 4 * 4;
    *size = 28 + padded + bin.size;
    uint8_t* glb = hemc_alloc(arena, *size, 1);
    uint32_t head[5] = {0x46546c67, 2, (uint32_t)*size, (uint32_t)padded, 0x4e4f534a};
    uint32_t chunk[2] = {(uint32_t)bin.size, 0x4e4942};
    memcpy(glb, head, 20);
    memset(glb + 20, ' ', padded);
    memcpy(glb + 20, json, length);
    memcpy(glb + 20 + padded, chunk, 8);
    memcpy(glb + 28 + padded, bin.data, bin.size);
    return glb;
}

TEST trims_and_cropped_hair_are_no_parts(void) {
    kit k;
    kit_begin(&k);
    size_t size;
    uint8_t* glb = doll_glb(k.arena, named, &size);
    ASSERT(hemc_import_memory(k.arena, &k.log, "doll.glb", glb, size, &k.model));
    hemc_recipe recipe;
    ASSERT(hemc_recipe_load(k.arena, &k.log, NULL, &k.model, &recipe));
    ASSERT(recipe.automatic);
    ASSERT_EQ(2, recipe.part_count);
    ASSERT_STR_EQ("skirt", recipe.parts[0].name);
    ASSERT_STR_EQ("hair", recipe.parts[1].name);
    int32_t* owner = hemc_alloc(k.arena, k.model.triangle_count, sizeof(int32_t));
    ASSERT(hemc_select(k.arena, &k.log, &k.model, &recipe, owner));
    static const int32_t wanted[TUBES] = {HEM_NONE, 0, 0, HEM_NONE, 1}; // the ribbon goes with the skirt
    for (uint32_t t = 0; t < k.model.triangle_count; ++t) {
        ASSERT_EQ(wanted[k.model.triangle_primitive[t]], owner[t]);
    }
    ASSERT(strstr(recipe.parts[0].why, "with 384 triangles of \"ribbon\" that lie on it") != NULL);
    ASSERT(kit_log_has(&k.log, HEMC_NOTE, "384 triangles of \"hair\""));
    kit_end(&k);
    PASS();
}

// Every mesh is in a part, or a note says why it is not; and who is told that nothing was found is told what there is.
TEST what_is_left_alone_is_said(void) {
    tube doll[TUBES];
    memcpy(doll, named, sizeof(doll));
    doll[0].name = "Round_Shield";
    kit k;
    kit_begin(&k);
    size_t size;
    uint8_t* glb = doll_glb(k.arena, doll, &size);
    ASSERT(hemc_import_memory(k.arena, &k.log, "doll.glb", glb, size, &k.model));
    hemc_recipe recipe;
    ASSERT(hemc_recipe_load(k.arena, &k.log, NULL, &k.model, &recipe));
    ASSERT(kit_log_has(&k.log, HEMC_NOTE, "an accessory: node \"Round_Shield\" holds the word \"shield\""));
    kit_end(&k);
    kit_begin(&k);
    memcpy(doll, nameless, sizeof(doll)); // tight, as in the next test
    doll[0] = (tube){"Stem", 0, 0, 0.9, 0.155, 0.155};
    doll[2].low_radius = 0.175;
    glb = doll_glb(k.arena, doll, &size);
    ASSERT(hemc_import_memory(k.arena, &k.log, "doll.glb", glb, size, &k.model));
    ASSERT_FALSE(hemc_recipe_load(k.arena, &k.log, NULL, &k.model, &recipe));
    for (uint32_t p = 0; p < k.model.primitive_count; ++p) {
        char left[256];
        snprintf(left, sizeof(left), "left alone: \"%s\"", k.model.primitives[p].name);
        ASSERTm(doll[p].name, kit_log_has(&k.log, HEMC_NOTE, left));
        snprintf(left, sizeof(left), "\"%s\"", k.model.primitives[p].name);
        ASSERTm(doll[p].name, kit_log_has(&k.log, HEMC_ERROR, left));
    }
    kit_end(&k);
    PASS();
}

TEST a_skirt_is_known_by_its_hem(void) {
    for (int free = 0; free < 2; ++free) {
        tube doll[TUBES];
        memcpy(doll, nameless, sizeof(doll));
        if (!free) { // a tight one over a trunk
            doll[0] = (tube){"Stem", 0, 0, 0.9, 0.155, 0.155};
            doll[2].low_radius = 0.175;
        }
        kit k;
        kit_begin(&k);
        size_t size;
        uint8_t* glb = doll_glb(k.arena, doll, &size);
        ASSERT(hemc_import_memory(k.arena, &k.log, "doll.glb", glb, size, &k.model));
        hemc_recipe recipe;
        bool found = hemc_recipe_load(k.arena, &k.log, NULL, &k.model, &recipe);
        if (found != free) {
            kit_log_print(&k.log);
        }
        ASSERT_EQ(free, found);
        if (free) {
            int32_t* owner = hemc_alloc(k.arena, k.model.triangle_count, sizeof(int32_t));
            ASSERT_EQ(1, recipe.part_count);
            ASSERT_STR_EQ("skirt", recipe.parts[0].name);
            ASSERT(strstr(recipe.parts[0].why, "a piece of \"Part_3\" has a wide open hem") != NULL);
            ASSERT(hemc_select(k.arena, &k.log, &k.model, &recipe, owner));
            for (uint32_t t = 0; t < k.model.triangle_count; ++t) {
                ASSERT_EQ(k.model.triangle_primitive[t] == 2 ? 0 : HEM_NONE, owner[t]);
            }
        }
        kit_end(&k);
    }
    PASS();
}

static const hemc_json* part_named(const hemc_json* report, const char* name) {
    const hemc_json* parts = hemc_json_member(report, "parts");
    for (const hemc_json* p = parts != NULL ? parts->first : NULL; p != NULL; p = p->next) {
        if (strcmp(hemc_json_member(p, "name")->string, name) == 0) {
            return p;
        }
    }
    return NULL;
}

// Compiles without a recipe and reads the report.
static const hemc_json* report_of(kit* k, const char* input, const char* folder) {
    char report[600];
    uint8_t* text;
    size_t size;
    hemc_outcome out;
    snprintf(report, sizeof(report), "%s/report.json", folder);
    hemc_job job = {.input = input, .report = report, .verbosity = -1};
    hemc_execute(&job, &out, NULL, NULL);
    bool good = out.exit_code == 0;
    hemc_outcome_free(&out);
    return good && hemc_read_file(k->arena, report, &text, &size)
               ? hemc_json_parse(k->arena, &k->log, report, "", (const char*)text, size, false)
               : NULL;
}

static bool write_doll(kit* k, char folder[512], char path[600]) {
    size_t size;
    uint8_t* glb = doll_glb(k->arena, named, &size);
    return kit_folder(folder) && kit_write(folder, "doll.glb", glb, size, path);
}

TEST automatic_nets_fill_the_lanes(void) {
    kit k;
    kit_begin(&k);
    char folder[512], path[600];
    ASSERT(write_doll(&k, folder, path));
    const struct {
        const char* input;
        const char* part;
    } rows[] = {{path, "skirt"},
                {"../shared/assets/decentraland_LongSkirt.glb", "skirt"},
                {"../shared/assets/kaykit_Knight.glb", "cape"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        FILE* probe = fopen(rows[i].input, "rb");
        if (probe == NULL) {
            continue;
        }
        fclose(probe);
        const hemc_json* report = report_of(&k, rows[i].input, folder);
        ASSERTm(rows[i].input, report != NULL);
        const hemc_json* part = part_named(report, rows[i].part);
        ASSERTm(rows[i].input, part != NULL);
        ASSERTm(rows[i].input, hemc_json_member(part, "lane_fill")->number >= 0.85);
        ASSERTm(rows[i].input, hemc_json_member(part, "regular")->number >= 0.9);
        ASSERTm(rows[i].input, strstr(hemc_json_member(part, "why")->string, "a spacing of 0.0") != NULL);
        double count = hemc_json_member(part, "particles")->number;
        ASSERTm(rows[i].input, count >= 100 && count <= 600);
    }
    kit_folder_end(folder);
    kit_end(&k);
    PASS();
}

// Trials have memory of their own; where that ends, the compile ends as it does elsewhere.
TEST trials_may_run_out_of_memory(void) {
    kit k;
    kit_begin(&k);
    char folder[512], path[600];
    ASSERT(write_doll(&k, folder, path));
    bool succeeded = false;
    for (int64_t n = 512; n < 10000000 && !succeeded; n *= 2) {
        hemc_job job = {.input = path, .verbosity = -1};
        hemc_outcome out;
        hemc_fail_allocation_at(n);
        hemc_execute(&job, &out, NULL, NULL);
        hemc_fail_allocation_at(-1);
        succeeded = out.exit_code == HEMC_OK;
        ASSERT(succeeded || out.exit_code == HEMC_MEMORY);
        ASSERT(succeeded || strstr(out.messages, "out of memory") != NULL);
        hemc_outcome_free(&out);
    }
    ASSERT(succeeded);
    kit_folder_end(folder);
    kit_end(&k);
    PASS();
}

SUITE(front_auto_suite) {
    RUN_TEST(trims_and_cropped_hair_are_no_parts);
    RUN_TEST(what_is_left_alone_is_said);
    RUN_TEST(a_skirt_is_known_by_its_hem);
    RUN_TEST(automatic_nets_fill_the_lanes);
    RUN_TEST(trials_may_run_out_of_memory);
}
