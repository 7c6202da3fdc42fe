// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"
#include "compiler/recipe/recipe.h"
#include "platform/file.h"
#include "tests/compiler/front_kit.h"

#include <greatest.h>
#include <stdio.h>
#include <string.h>

// A recipe that automatic mode prints, read again, is what automatic mode did.

// Exit code of automatic mode, or 0 and whether both ways give the same bytes.
static int print_and_read(const char* input, const char* folder, bool ship, float scale, bool* same) {
    char recipe[600];
    snprintf(recipe, sizeof(recipe), "%s/printed.json", folder);
    const hemc_job first = {.input = input, .print_recipe = recipe, .ship = ship, .scale = scale, .verbosity = -1};
    const hemc_job second = {.input = input, .recipe = recipe, .ship = ship, .verbosity = -1};
    uint8_t *a = NULL, *b = NULL;
    size_t a_size = 0, b_size = 0;
    int code = hemc_compile(&first, &a, &a_size);
    if (code == 0) {
        code = hemc_compile(&second, &b, &b_size);
        *same = code == 0 && a_size == b_size && memcmp(a, b, a_size) == 0;
    }
    hemc_free(a);
    hemc_free(b);
    return code;
}

TEST a_printed_recipe_gives_the_same_bytes(void) {
    static const char* const files[] = {
        "build/samples/cape_girl.glb",
        "build/samples/curls.glb",
        "build/samples/hair.glb",
        "build/samples/monster.glb",
        "build/samples/octopus.glb",
        "build/samples/robe.glb",
        "build/samples/somersault.glb",
        "build/samples/crossing_sheets.glb",
        "../shared/assets/kaykit_Knight.glb",
        "../shared/assets/quaternius_Witch.gltf",
        "../shared/assets/decentraland_LongSkirt.glb",
        "../shared/assets/decentraland_PonyTail.glb",
        "../shared/assets/quaternius_FormalDress.glb",
        "../shared/assets/quaternius_Wolf.glb",
        "../shared/assets/quaternius_Horse.glb",
        "../shared/assets/khronos_Fox.glb",
        "../shared/assets/khronos_MorphStressTest.glb",
        "../shared/assets/quaternius_Goldfish.glb",
        "../shared/assets/quaternius_PlatformerCharacter.glb",
        "../shared/assets/quaternius_Ranger.glb",
        "../shared/assets/godette_vrm0.vrm",
        "../shared/assets/babylon_Yeti/Yeti.gltf",
    };
    char folder[512];
    ASSERT(kit_folder(folder));
    uint32_t seen = 0;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        bool same = false;
        if (!hem_file_exists(files[i])) {
            continue;
        }
        ++seen;
        const int code = print_and_read(files[i], folder, i % 2 == 1, i % 3 == 1 ? 0.5f : 0, &same);
        ASSERTm(files[i], code == HEMC_INPUT || same); // nothing loose, or the same
    }
    kit_folder_end(folder);
    if (seen == 0) {
        SKIPm("neither build/samples nor ../shared/assets");
    }
    PASS();
}

static bool select_again(kit* k, const char* text, int32_t* owner) {
    hemc_recipe recipe;
    return hemc_recipe_load_memory(k->arena, &k->log, "printed", text, strlen(text), &k->model, &recipe) &&
           hemc_select(k->arena, &k->log, &k->model, &recipe, owner);
}

// Two parts of random triangles of the kit's 18: whatever describes them, it takes just those.
TEST printed_selectors_take_the_same_triangles(void) {
    uint32_t random = 1;
    bool by_number = false, by_name = false;
    for (int round = 0; round < 40; ++round) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        ASSERT(kit_import(&k, &d, NULL, NULL));
        const uint32_t count = k.model.triangle_count;
        hemc_recipe recipe;
        hemc_recipe_defaults(&recipe);
        hemc_part_recipe parts[2];
        uint8_t* mask = hemc_alloc(k.arena, count, 1);
        for (int p = 0; p < 2; ++p) {
            for (uint32_t t = 0; t < count; ++t) {
                random = random * 1664525u + 1013904223u;
                // In some rounds whole primitives: the sheet's first, then the flag's.
                mask[t] = round % 4 == 0 ? (k.model.triangle_primitive[t] != 0) == p : (random >> 24) % 3 == 0;
            }
            hemc_part_defaults(&parts[p]);
            hemc_recipe_preset("cotton", &parts[p]);
            parts[p].name = p == 0 ? "first" : "second";
            parts[p].selector = hemc_selector_of_triangles(k.arena, mask, count);
        }
        recipe.parts = parts;
        recipe.part_count = 2;
        int32_t* owner = hemc_alloc(k.arena, count, sizeof(int32_t));
        int32_t* again = hemc_alloc(k.arena, count, sizeof(int32_t));
        ASSERT(hemc_select(k.arena, &k.log, &k.model, &recipe, owner));
        const char* text = hemc_recipe_print(k.arena, &k.model, &recipe, owner);
        ASSERTm(text, select_again(&k, text, again));
        ASSERT_MEM_EQm(text, owner, again, count * sizeof(int32_t));
        by_number = by_number || strstr(text, "\"triangles\"") != NULL;
        by_name = by_name || strstr(text, "\"node\"") != NULL || strstr(text, "\"mesh\"") != NULL ||
                  strstr(text, "\"material\"") != NULL;
        kit_end(&k);
    }
    ASSERT(by_number);
    ASSERT(by_name);
    PASS();
}

TEST numbers_of_triangles_are_checked(void) {
    static const struct {
        const char* value;
        bool good;
    } rows[] = {{"\"0-3, 5\"", true},
                {"\"17\"", true},
                {"\"18\"", false},
                {"\"3-2\"", false},
                {"\"\"", false},
                {"\"1,\"", false},
                {"\"a\"", false},
                {"\"1-\"", false},
                {"\"-1\"", false},
                {"\"1 2\"", false},
                {"3", false},
                {"\"4294967296\"", false},
                {"\"0-99999999999999999999\"", false}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        ASSERT(kit_import(&k, &d, NULL, NULL));
        char text[200];
        hemc_recipe recipe;
        snprintf(text, sizeof(text), "{\"parts\": [{\"name\": \"p\", \"select\": {\"triangles\": %s}}]}",
                 rows[i].value);
        ASSERT_EQm(rows[i].value, rows[i].good,
                   hemc_recipe_load_memory(k.arena, &k.log, "r", text, strlen(text), &k.model, &recipe));
        ASSERT_EQm(rows[i].value, !rows[i].good, kit_log_has(&k.log, HEMC_ERROR, "numbers of triangles"));
        kit_end(&k);
    }
    PASS();
}

TEST what_stands_beside_the_parts_is_kept(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, "\"name\": \"Sheet\"", "\"name\": \"Cape\""));
    static const char text[] =
        "{\"scale\": 0.5, \"body\": {\"reach\": 0.25}, \"clips\": {\"hz\": 24}, \"accept\": \"B\"}";
    hemc_recipe recipe, again;
    ASSERT(hemc_recipe_load_memory(k.arena, &k.log, "r", text, strlen(text), &k.model, &recipe));
    int32_t* owner = hemc_alloc(k.arena, k.model.triangle_count, sizeof(int32_t));
    ASSERT(hemc_select(k.arena, &k.log, &k.model, &recipe, owner));
    const char* printed = hemc_recipe_print(k.arena, &k.model, &recipe, owner);
    ASSERT(hemc_recipe_load_memory(k.arena, &k.log, "p", printed, strlen(printed), &k.model, &again));
    ASSERT_FALSE(again.automatic);
    ASSERT_EQ(0.5f, again.scale);
    ASSERT_EQ(0.25f, again.body.reach);
    ASSERT_EQ(24.0f, again.clip_hz);
    ASSERT_EQ('B', again.accept);
    kit_end(&k);
    PASS();
}

TEST parts_that_are_given_are_not_printed(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    size_t size;
    const char* gltf = kit_gltf(k.arena, &d, NULL, NULL, &size);
    static const char text[] = "{\"parts\": [{\"name\": \"p\", \"select\": {\"node\": \"*\"}}]}";
    const hemc_job job = {.input = "kit.gltf",
                          .input_bytes = gltf,
                          .input_size = size,
                          .recipe = "r.json",
                          .recipe_bytes = text,
                          .recipe_size = strlen(text),
                          .print_recipe = "-",
                          .verbosity = -1};
    hemc_outcome out;
    hemc_execute(&job, &out, NULL, NULL);
    ASSERT_EQ(HEMC_USAGE, out.exit_code);
    ASSERT(strstr(out.messages, "given already") != NULL);
    hemc_outcome_free(&out);
    kit_end(&k);
    PASS();
}

SUITE(front_print_suite) {
    RUN_TEST(a_printed_recipe_gives_the_same_bytes);
    RUN_TEST(printed_selectors_take_the_same_triangles);
    RUN_TEST(numbers_of_triangles_are_checked);
    RUN_TEST(what_stands_beside_the_parts_is_kept);
    RUN_TEST(parts_that_are_given_are_not_printed);
}
