// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_kit.h"

#include <stdio.h>
#include <string.h>

// Selectors on the small glTF (16 triangles of a sheet, bottom to top, then 2 of a flag) and globs against a plain
// recursive definition.

static bool glob_truth(const char* p, const char* n) {
    if (*p == 0) {
        return *n == 0;
    }
    if (*p == '*') {
        return glob_truth(p + 1, n) || (*n != 0 && glob_truth(p, n + 1));
    }
    char a = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p, b = *n >= 'A' && *n <= 'Z' ? (char)(*n + 32) : *n;
    return *n != 0 && (*p == '?' || a == b) && glob_truth(p + 1, n + 1);
}

TEST globs_equal_their_definition(void) {
    uint64_t state = 5;
    for (int i = 0; i < 20000; ++i) {
        char p[9], n[9];
        for (int k = 0; k < 8; ++k) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            p[k] = "abA*?*b"[(state >> 40) % 7];
            n[k] = "abAB"[(state >> 50) % 4];
        }
        p[(state >> 33) % 9] = 0;
        n[(state >> 36) % 9] = 0;
        p[8] = n[8] = 0;
        ASSERT_EQ(glob_truth(p, n), hemc_glob(p, n));
    }
    PASS();
}

enum { ALL = KIT_TRIANGLES + 2 };

static bool owners(kit* k, const char* selectors, int32_t* owner) {
    kit_data d = kit_good();
    char folder[512], path[600];
    hemc_recipe recipe;
    return kit_import(k, &d, NULL, NULL) && kit_folder(folder) &&
           kit_write(folder, "r.json", selectors, strlen(selectors), path) &&
           hemc_recipe_load(k->arena, &k->log, path, &k->model, &recipe) && (kit_folder_end(folder), true) &&
           hemc_select(k->arena, &k->log, &k->model, &recipe, owner);
}

TEST each_selector_picks_its_triangles(void) {
    // Triangle t of the sheet lies between levels t / 4 and t / 4 + 1, that is, 0.5 m each.
    static const struct {
        const char* selector;
        const char* picked; // one digit per triangle
    } rows[] = {
        {"{\"node\": \"sheet\"}", "111111111111111100"},
        {"{\"mesh\": \"FlagM*\"}", "000000000000000011"},
        {"{\"material\": [\"nothing\", \"CL?TH\"]}", "111111111111111100"},
        {"{\"not\": {\"node\": \"Sheet\"}}", "000000000000000011"},
        {"{\"any\": [{\"node\": \"Flag\"}, {\"box\": {\"max\": [9, 0.5, 9]}}]}", "111100000000000011"},
        {"{\"box\": {\"min\": [-9, 1.5, -9]}, \"node\": \"Sheet\"}", "000000000000111100"},
        {"{\"paint\": \"_HEM_PIN >= 0.3\"}", "000000000000111100"},
        {"{\"paint\": \"_HEM_PIN < 0.3\"}", "111111111111000011"},
        {"{\"paint\": \"_HEM_PIN\"}", "000000000000010100"}, // two of three corners
        {"{\"bones\": \"Upper\"}", "000000001111111100"},
        {"{\"bones\": \"Upper\", \"bone_weight\": 0.8}", "000000000000111100"},
        {"{\"bones\": \"Upper\", \"bones_below\": true}", "111111111111111111"},
        {"{\"component\": 0}", "111111111111111100"},
        {"{\"component\": 1}", "000000000000000011"},
        {"{\"component\": [0, 1]}", "111111111111111111"},
        {"{\"component\": 1, \"any\": [{\"box\": {\"max\": [9, 0.5, 9]}}, {\"box\": {\"min\": [-9, 1.5, -9]}, "
         "\"node\": \"Sheet\"}]}",
         "000000000000111100"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        int32_t owner[ALL];
        char picked[ALL + 1] = {0};
        char* text = hemc_format(k.arena, "{\"parts\": [{\"name\": \"a\", \"select\": %s}]}", rows[i].selector);
        bool good = owners(&k, text, owner);
        if (!good) {
            kit_log_print(&k.log);
        }
        ASSERTm(rows[i].selector, good);
        for (int t = 0; t < ALL; ++t) {
            picked[t] = owner[t] == 0 ? '1' : '0';
        }
        if (strcmp(rows[i].picked, picked) != 0) {
            printf("    %s: %s\n", rows[i].selector, picked);
        }
        ASSERTm(rows[i].selector, strcmp(rows[i].picked, picked) == 0);
        kit_end(&k);
    }
    PASS();
}

TEST the_first_part_wins(void) {
    kit k;
    kit_begin(&k);
    int32_t owner[ALL];
    ASSERT(owners(&k,
                  "{\"parts\": [{\"name\": \"a\", \"select\": {\"box\": {\"max\": [9, 1, 9]}}}, {\"name\": \"b\", "
                  "\"select\": {\"node\": \"*\"}}]}",
                  owner));
    ASSERT_EQ(0, owner[0]);
    ASSERT_EQ(1, owner[KIT_TRIANGLES - 1]);
    ASSERT(kit_log_has(&k.log, HEMC_NOTE, "already belong to earlier parts"));
    kit_end(&k);
    PASS();
}

TEST nothing_selected_is_an_error_with_help(void) {
    kit k;
    kit_begin(&k);
    int32_t owner[ALL];
    ASSERT_FALSE(owners(&k, "{\"parts\": [{\"name\": \"a\", \"select\": {\"node\": \"Shet\"}}]}", owner));
    ASSERT(kit_log_has(
        &k.log, HEMC_WARNING,
        "/parts/0/select/node: nothing is named \"Shet\"; did you mean \"Sheet\"?; there are: Sheet, Flag"));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "/parts/0/select: part \"a\" selects no triangles"));
    kit_end(&k);
    kit_begin(&k);
    ASSERT_FALSE(owners(&k,
                        "{\"parts\": [{\"name\": \"a\", \"select\": {\"node\": \"*\"}}, {\"name\": \"b\", \"select\": "
                        "{\"node\": \"Flag\"}}]}",
                        owner));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "already belongs to an earlier part"));
    kit_end(&k);
    PASS();
}

TEST paint_tests_follow_their_relation(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, NULL, NULL));
    bool holds;
    ASSERT(hemc_paint_test("_hem_pin > 0.5", &k.model, KIT_VERTICES - 1, &holds) && holds);
    ASSERT(hemc_paint_test("_HEM_PIN>=1", &k.model, KIT_VERTICES - 1, &holds) && holds);
    ASSERT(hemc_paint_test("_HEM_PIN", &k.model, 0, &holds) && !holds);
    ASSERT(hemc_paint_test("_HEM_PIN <= 0", &k.model, 0, &holds) && holds);
    ASSERT_FALSE(hemc_paint_test("_HEM_PI", &k.model, 0, &holds));
    ASSERT_FALSE(hemc_paint_test("_HEM_PIN > ", &k.model, 0, &holds));
    ASSERT_FALSE(hemc_paint_test("_HEM_PIN > 1 2", &k.model, 0, &holds));
    kit_end(&k);
    PASS();
}

SUITE(front_select_suite) {
    RUN_TEST(globs_equal_their_definition);
    RUN_TEST(each_selector_picks_its_triangles);
    RUN_TEST(the_first_part_wins);
    RUN_TEST(nothing_selected_is_an_error_with_help);
    RUN_TEST(paint_tests_follow_their_relation);
}
