// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"
#include "platform/file.h"
#include "tests/compiler/front_kit.h"

#include <greatest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Painted attributes: whatever a tool calls them, and what is said about them.

TEST one_paint_has_many_spellings(void) {
    static const char* const rows[] = {"_HEM_PIN", "__HEM_PIN", "HEM_PIN",   "_hem_pin",
                                       "hem_pin",  "_Hem_Pin",  "___HEM_pin"};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        ASSERTm(rows[i], kit_import(&k, &d, "_HEM_PIN", rows[i]));
        const float* pin = hemc_paint_values(&k.model, "_HEM_PIN");
        ASSERTm(rows[i], pin != NULL);
        for (uint32_t v = 0; v < KIT_VERTICES; ++v) {
            ASSERT_EQm(rows[i], d.pin[v], pin[v]);
        }
        bool holds; // and a recipe may spell it in any of these ways too
        ASSERTm(rows[i], hemc_paint_test(rows[i], &k.model, 0, &holds));
        kit_end(&k);
    }
    PASS();
}

TEST names_that_look_like_ours_are_told_apart(void) {
    static const struct {
        const char* name;
        const char* meant; // NULL = nothing like ours, or ours; "" = surely ours, but which?
    } rows[] = {{"_HEM_PIN", NULL},
                {"_HEM_PINS", "_HEM_PIN"},
                {"_HEMPIN", "_HEM_PIN"},
                {"_PIN", "_HEM_PIN"},
                {"_SPIN", NULL},
                {"_HEM_STIFFNES", "_HEM_STIFFNESS"},
                {"_HEM_MAXDISTANCE", "_HEM_MAX_DISTANCE"},
                {"_HEM_COLOUR", ""},
                {"_AO", NULL},
                {"_BATCHID", NULL},
                {"_WIND", NULL},
                {"_THEM", NULL}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        const char* meant = hemc_paint_meant(rows[i].name);
        ASSERT_EQm(rows[i].name, rows[i].meant != NULL, meant != NULL);
        if (meant != NULL) {
            ASSERT_STR_EQm(rows[i].name, rows[i].meant, meant);
        }
    }
    PASS();
}

typedef struct told {
    kit k;
    hemc_recipe recipe;
} told;

static bool tell(told* t, const char* attribute, const char* keys) {
    kit_begin(&t->k);
    kit_data d = kit_good();
    char text[300];
    snprintf(text, sizeof(text), "{\"parts\": [{\"name\": \"sheet\", \"select\": {\"node\": \"Sheet\"}%s}]}", keys);
    if (!kit_import(&t->k, &d, "_HEM_PIN", attribute) ||
        !hemc_recipe_load_memory(t->k.arena, &t->k.log, "r", text, strlen(text), &t->k.model, &t->recipe)) {
        return false;
    }
    int32_t* owner = hemc_alloc(t->k.arena, t->k.model.triangle_count, sizeof(int32_t));
    if (!hemc_select(t->k.arena, &t->k.log, &t->k.model, &t->recipe, owner)) {
        return false;
    }
    hemc_paint_settle(&t->k.model, &t->recipe, owner);
    hemc_paint_tell(t->k.arena, &t->k.log, &t->k.model, &t->recipe, owner);
    return true;
}

TEST every_paint_is_said_to_be_used_or_not(void) {
    static const struct {
        const char* attribute;
        const char* keys;
        hemc_severity severity;
        const char* words;
    } rows[] = {
        {"_HEM_PIN", "", HEMC_NOTE, "\"_HEM_PIN\" is used (what is attached) by \"sheet\""},
        {"_HEM_PIN", ", \"attach\": {\"top\": 0.1}", HEMC_NOTE, "\"_HEM_PIN\" (what is attached) is not used"},
        {"_HEM_PIN", ", \"attach\": {\"paint\": \"hem_pin < 0.5\"}", HEMC_NOTE,
         "is used (what is attached) by \"sheet\""},
        {"_HEM_STIFFNESS", "", HEMC_NOTE, "\"_HEM_STIFFNESS\" is used"},
        {"_HEM_DRIVE", "", HEMC_NOTE, "\"_HEM_DRIVE\" is used"},
        {"_HEM_MAX_DISTANCE", "", HEMC_NOTE, "\"_HEM_MAX_DISTANCE\" is used"},
        {"_HEM_MAX_DISTANCE", ", \"max_distance\": 0.1", HEMC_NOTE,
         "\"_HEM_MAX_DISTANCE\" (how far it may go from the pose) is not"},
        {"_HEM_PINN", "", HEMC_WARNING, "did you mean \"_HEM_PIN\"?"},
        {"_WETNESS", "", HEMC_NOTE, "\"_WETNESS\" is not used"},
        {"_WETNESS", ", \"stiffness_paint\": \"_wetness\"", HEMC_NOTE, "\"_WETNESS\" is used"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        told t;
        ASSERTm(rows[i].words, tell(&t, rows[i].attribute, rows[i].keys));
        ASSERTm(rows[i].words, kit_log_has(&t.k.log, rows[i].severity, rows[i].words));
        ASSERT_EQm(rows[i].words, rows[i].severity == HEMC_WARNING ? 1 : 0, t.k.log.warning_count);
        kit_end(&t.k);
    }
    PASS();
}

// The flag has no paint: what it reads of the sheet's would be 0, and make it limp and drive it nowhere.
TEST a_part_does_not_read_paint_that_it_does_not_carry(void) {
    static const char* const paints[] = {"_HEM_DRIVE", "_HEM_STIFFNESS", "_HEM_MAX_DISTANCE", "_HEM_BACKSTOP"};
    for (int i = 0; i < 4; ++i) {
        told t;
        ASSERT(tell(&t, paints[i], "}, {\"name\": \"flag\", \"select\": {\"node\": \"*Flag*\"}"));
        const hemc_part_recipe *sheet = &t.recipe.parts[0], *flag = &t.recipe.parts[1];
        ASSERT_EQ(i == 0, sheet->driven);
        ASSERT_EQ(i == 1, sheet->stiffness_paint != NULL);
        ASSERT_EQ(i == 2, sheet->max_distance_paint != NULL);
        ASSERT_EQ(i == 3, sheet->backstop_paint != NULL);
        ASSERT_FALSE(flag->driven);
        ASSERT_EQ(0.0f, flag->tuning.drive);
        ASSERT_EQ(NULL, flag->stiffness_paint);
        ASSERT_EQ(NULL, flag->max_distance_paint);
        ASSERT_EQ(NULL, flag->backstop_paint);
        kit_end(&t.k);
    }
    PASS();
}

TEST the_documentation_lists_the_names(void) {
    FILE* file = fopen("docs/recipe.md", "rb");
    if (file == NULL) {
        SKIPm("not run at the project's root");
    }
    static char text[200000];
    const size_t size = fread(text, 1, sizeof(text) - 1, file);
    text[size] = 0;
    fclose(file);
    const char* table = strstr(text, "## Paint");
    ASSERT(table != NULL);
    static const char* const names[] = {"| `_HEM_PIN` |",   "| `_HEM_BLEND` |",        "| `_HEM_STIFFNESS` |",
                                        "| `_HEM_DRIVE` |", "| `_HEM_MAX_DISTANCE` |", "| `_HEM_BACKSTOP` |"};
    for (int i = 0; i < 6; ++i) {
        ASSERTm(names[i], strstr(table, names[i]) != NULL);
    }
    PASS();
}

SUITE(front_paint_suite) {
    RUN_TEST(one_paint_has_many_spellings);
    RUN_TEST(names_that_look_like_ours_are_told_apart);
    RUN_TEST(every_paint_is_said_to_be_used_or_not);
    RUN_TEST(a_part_does_not_read_paint_that_it_does_not_carry);
    RUN_TEST(the_documentation_lists_the_names);
}
