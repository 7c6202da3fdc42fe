// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_kit.h"

#include "compiler/driver/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The public files, where they are present: characters with known counts, and the odd ones against what the Khronos
// validator says of them.

static const char root[] = "../shared/assets/";

TEST characters_have_the_expected_counts(void) {
    // Counted from the files' JSON by hand.
    static const struct {
        const char* file;
        uint32_t vertices, triangles, bones, clips;
    } rows[] = {
        {"kaykit_Knight.glb", 7024, 6952, 41, 76},
        {"quaternius_Witch.gltf", 13884, 6872, 62, 24},
        {"decentraland_LongSkirt.glb", 367, 544, 62, 0},
        {"godette_vrm0.vrm", 8067, 3439, 68, 0},
        {"quaternius_Horse.glb", 4400, 2182, 50, 13},
        {"quaternius_PlatformerCharacter.glb", 1895, 2908, 29, 18},
        {"quaternius_PlatformerEnemy.glb", 1454, 1968, 7, 10},
        {"khronos_Fox.glb", 1728, 576, 24, 3},
        {"khronos_RiggedFigure.glb", 370, 256, 19, 1},
        {"khronos_SimpleSkin.gltf", 10, 8, 2, 1},
        {"khronos_MorphStressTest.glb", 1528, 2412, 1, 0},
        {"khronos_Suzanne/Suzanne.gltf", 11808, 3936, 1, 0},
        {"babylon_Yeti/Yeti.gltf", 19476, 35146, 67, 1},
    };
    uint32_t seen = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char path[512];
        snprintf(path, sizeof(path), "%s%s", root, rows[i].file);
        FILE* probe = fopen(path, "rb");
        if (probe == NULL) {
            continue;
        }
        fclose(probe);
        ++seen;
        kit k;
        kit_begin(&k);
        hemc_recipe recipe;
        hemc_recipe_defaults(&recipe);
        ASSERTm(rows[i].file, hemc_import(k.arena, &k.log, path, &k.model));
        ASSERTm(rows[i].file, hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
        ASSERT_EQm(rows[i].file, rows[i].vertices, k.model.vertex_count);
        ASSERT_EQm(rows[i].file, rows[i].triangles, k.model.triangle_count);
        ASSERT_EQm(rows[i].file, rows[i].bones, k.model.bone_count);
        ASSERT_EQm(rows[i].file, rows[i].clips, k.model.clip_count);
        kit_end(&k);
    }
    if (seen == 0) {
        SKIPm("no ../shared/assets");
    }
    PASS();
}

// What our message must say for each code of the validator; a file passes when any of its codes is named.
static const struct {
    const char* code;
    const char* words;
} code_words[] = {
    {"GLB_LENGTH_MISMATCH", "header says"},
    {"GLB_UNEXPECTED_END_OF_CHUNK_DATA", "cut off"},
    {"GLB_UNEXPECTED_FIRST_CHUNK", "first chunk is not JSON"},
    {"GLB_CHUNK_LENGTH_UNALIGNED", "multiple of 4"},
    {"GLB_LENGTH_TOO_SMALL", "cut off"},
    {"ACCESSOR_TOO_LONG", "outside their buffer view"},
    {"ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", "sparse values for"},
    {"ACCESSOR_SMALL_BYTESTRIDE", "smaller than an element"},
    {"UNRESOLVED_REFERENCE", "points to"},
    {"ACCESSOR_INVALID_FLOAT", "not a finite number"},
    {"ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", "keys need"},
    {"ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", "at least 2 keys"},
    {"ACCESSOR_ANIMATION_INPUT_NON_INCREASING", "the time of the key before"},
    {"BUFFER_BYTE_LENGTH_MISMATCH", "byteLength"},
    {"IO_ERROR", "cannot read its file"},
    {"VALUE_NOT_IN_RANGE", "must be a"},
    {"BUFFER_VIEW_TOO_LONG", "are outside buffer"},
    {"BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", "larger than the view"},
    {"MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", "but POSITION has"},
    {"MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", "sets of JOINTS"},
    {"MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", "unequal numbers of morph targets"},
    {"MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", "unsigned integer scalars"},
    {"ACCESSOR_INDEX_OOB", "but there are"},
    {"NODE_LOOP", "node loop"},
    {"NODE_PARENT_OVERRIDE", "already is a child"},
    {"INVALID_IBM_ACCESSOR_COUNT", "inverse bind matrices for"},
    {"SKIN_NO_COMMON_ROOT", "no common root"},
    {"INVALID_JSON", "expected"},
    {"INVALID_JSON", "byte order mark"},
    {"TYPE_MISMATCH", "must be a"},
    {"ACCESSOR_JOINTS_INDEX_OOB", "refer to joints"},
    {"REJECT", "the file is empty"},
    {"REJECT", "neither a GLB"},
    // Nothing the compiler reads: bounds are not used, primitive restart only concerns strips it then refuses.
    {"ACCESSOR_MIN_MISMATCH", ""},
    {"ACCESSOR_INDEX_PRIMITIVE_RESTART", ""},
    {"SKIN_SKELETON_INVALID", ""},
};

TEST odd_files_are_taken_or_named(void) {
    char path[5000];
    snprintf(path, sizeof(path), "%sodd_expected.tsv", root);
    FILE* list = fopen(path, "rb");
    if (list == NULL) {
        SKIPm("no ../shared/assets");
    }
    static char line[4096];
    uint32_t count = 0, taken = 0;
    while (fgets(line, sizeof(line), list) != NULL) {
        char* fields[5] = {line, NULL, NULL, NULL, NULL};
        for (int i = 1; i < 5; ++i) {
            fields[i] = strchr(fields[i - 1], '\t');
            if (fields[i] == NULL) {
                break;
            }
            *fields[i]++ = 0;
        }
        if (fields[4] == NULL || strcmp(fields[0], "file") == 0) {
            continue;
        }
        ++count;
        snprintf(path, sizeof(path), "%s%s", root, fields[0]);
        kit k;
        kit_begin(&k);
        bool good = hemc_import(k.arena, &k.log, path, &k.model);
        int errors = atoi(fields[1]);
        taken += good ? 1 : 0;
        if (errors == 0) {
            // Right files are taken, unless there is nothing to take or Draco stands in the way.
            bool excused = kit_log_has(&k.log, HEMC_ERROR, "no node of the scene shows a mesh with triangles") ||
                           kit_log_has(&k.log, HEMC_ERROR, "Draco");
            if (!good && !excused) {
                kit_log_print(&k.log);
            }
            ASSERTm(line, good || excused);
        } else {
            bool named = false;
            for (size_t i = 0; i < sizeof(code_words) / sizeof(code_words[0]); ++i) {
                named =
                    named || (strstr(fields[3], code_words[i].code) != NULL &&
                              (code_words[i].words[0] == 0 || kit_log_has(&k.log, HEMC_ERROR, code_words[i].words) ||
                               kit_log_has(&k.log, HEMC_WARNING, code_words[i].words)));
            }
            // Texture files that are missing are none of ours.
            named = named || (good && strcmp(fields[3], "IO_ERROR") == 0);
            if (!named) {
                kit_log_print(&k.log);
            }
            ASSERTm(line, named);
        }
        ASSERT_EQm(line, good, k.log.error_count == 0);
        kit_end(&k);
    }
    fclose(list);
    ASSERT(count >= 70);
    ASSERT(taken >= 20);
    PASS();
}

TEST automatic_mode_finds_what_is_loose(void) {
    static const struct {
        const char* file;
        const char* parts[3];
    } rows[] = {
        {"kaykit_Knight.glb", {"cape"}},
        {"quaternius_Witch.gltf", {"hair", "skirt"}},
        {"decentraland_LongSkirt.glb", {"skirt"}},
        {"godette_vrm0.vrm", {"hair"}},
        {"quaternius_Horse.glb", {"tail", "ears", "hair"}},
        {"quaternius_PlatformerCharacter.glb", {"ears"}},
        {"khronos_Fox.glb", {"tail"}},
        {"babylon_Yeti/Yeti.gltf", {"tail", "beard"}},
        {"khronos_Suzanne/Suzanne.gltf", {"all"}},
        {"khronos_RiggedFigure.glb", {NULL}},
    };
    uint32_t seen = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char path[512];
        snprintf(path, sizeof(path), "%s%s", root, rows[i].file);
        kit k;
        kit_begin(&k);
        if (hemc_import(k.arena, &k.log, path, &k.model)) {
            ++seen;
            hemc_recipe recipe;
            ASSERT_EQm(rows[i].file, rows[i].parts[0] != NULL,
                       hemc_recipe_load(k.arena, &k.log, NULL, &k.model, &recipe));
            for (int p = 0; p < 3 && rows[i].parts[p] != NULL; ++p) {
                bool found = false;
                for (uint32_t q = 0; q < recipe.part_count; ++q) {
                    found = found || strcmp(recipe.parts[q].name, rows[i].parts[p]) == 0;
                    ASSERT(recipe.parts[q].why != NULL && recipe.parts[q].spacing > 0);
                }
                ASSERTm(rows[i].file, found);
            }
            if (strstr(rows[i].file, "LongSkirt") != NULL) { // without the legs of the same mesh
                int32_t* owner = hemc_alloc(k.arena, k.model.triangle_count, sizeof(int32_t));
                uint32_t taken = 0;
                ASSERT(hemc_select(k.arena, &k.log, &k.model, &recipe, owner));
                for (uint32_t t = 0; t < k.model.triangle_count; ++t) {
                    taken += owner[t] == 0 ? 1 : 0;
                }
                ASSERT_EQ(464, taken);
            }
        }
        kit_end(&k);
    }
    if (seen == 0) {
        SKIPm("no ../shared/assets");
    }
    PASS();
}

// The recipes of tests/recipes: selections that an artist would make, on characters as they come.
TEST recipes_compile(void) {
    static const struct {
        const char* file;
        const char* recipe;
        uint32_t part_count; // with the body
        uint32_t least;      // particles
    } rows[] = {
        {"kaykit_Knight.glb", "knight_cape", 2, 150},
        {"quaternius_Witch.gltf", "witch_skirt", 3, 250},
        {"decentraland_LongSkirt.glb", "long_skirt", 2, 200},
        {"godette_vrm0.vrm", "godette_hair", 3, 120},
        {"quaternius_Horse.glb", "horse_tail_mane", 3, 100},
        {"quaternius_PlatformerCharacter.glb", "rabbit_ears", 2, 150},
        {"babylon_Yeti/Yeti.gltf", "yeti_belly_beard", 3, 200},
    };
    uint32_t seen = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char path[512], recipe[512];
        snprintf(path, sizeof(path), "%s%s", root, rows[i].file);
        snprintf(recipe, sizeof(recipe), "tests/recipes/%s.json", rows[i].recipe);
        FILE* probes[2] = {fopen(path, "rb"), fopen(recipe, "rb")};
        bool both = probes[0] != NULL && probes[1] != NULL;
        for (int k = 0; k < 2; ++k) {
            if (probes[k] != NULL) {
                fclose(probes[k]);
            }
        }
        if (!both) {
            continue;
        }
        ++seen;
        hemc_job job = {.input = path, .recipe = recipe, .verbosity = -1};
        hemc_outcome out;
        hemc_execute(&job, &out, NULL, NULL);
        if (out.messages != NULL) {
            printf("%s", out.messages);
        }
        ASSERT_EQm(rows[i].recipe, 0, out.exit_code);
        ASSERT_EQm(rows[i].recipe, rows[i].part_count, out.part_count);
        ASSERTm(rows[i].recipe, out.particle_count >= rows[i].least);
        hemc_outcome_free(&out);
    }
    if (seen == 0) {
        SKIPm("no ../shared/assets");
    }
    PASS();
}

SUITE(front_assets_suite) {
    RUN_TEST(characters_have_the_expected_counts);
    RUN_TEST(odd_files_are_taken_or_named);
    RUN_TEST(automatic_mode_finds_what_is_loose);
    RUN_TEST(recipes_compile);
}
