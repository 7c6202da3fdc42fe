// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"
#include "compiler/recipe/auto.h"
#include "platform/file.h"
#include "tests/compiler/front_kit.h"

#include <greatest.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// What automatic mode does after a pre-flight, with a pre-flight that says what the test wants; and hair in locks.

#define GIRL "build/samples/cape_girl.glb"

static const char* bad; // the part that looks bad; NULL = all
static char bad_grade;
static int flights, mends_after; // from this flight on it looks good

static bool pretend(const hemc_flight* flight, hemc_preflight* out) {
    static const char* const names[] = {"skirt", "cape", "hair"};
    memset(out, 0, sizeof(*out));
    ++flights;
    out->grade = flight->size != 0 ? 'A' : 'F';
    out->clip_count = 1;
    out->clips[0].grade = bad_grade;
    out->frame_count = 1;
    for (int i = 0; i < 3; ++i) {
        hemc_preflight_part* part = &out->parts[out->part_count++];
        snprintf(part->name, sizeof(part->name), "%s", names[i]);
        part->clip = -1;
        part->grade = (bad == NULL || strcmp(bad, names[i]) == 0) && flights < mends_after ? bad_grade : 'A';
        out->grade = part->grade > out->grade ? part->grade : out->grade;
    }
    return true;
}

static void compile(const char* recipe, const char* print, bool strict, hemc_outcome* out, uint8_t** bytes,
                    size_t* size) {
    const hemc_job job = {
        .input = GIRL, .recipe = recipe, .print_recipe = print, .preflight = recipe == NULL, .strict = strict};
    flights = 0;
    hemc_execute(&job, out, bytes, size);
}

// A cape that looks bad whatever is tried stays with the skeleton, and a warning says so; the recipe that is printed makes the same.
TEST what_looks_bad_is_left_with_the_skeleton(void) {
    if (!hem_file_exists(GIRL)) {
        SKIPm("no build/samples");
    }
    kit k;
    kit_begin(&k);
    char folder[512];
    ASSERT(kit_folder(folder));
    const char* recipe = hemc_format(k.arena, "%s/r.json", folder);
    hemc_set_preflight_functions(pretend, NULL);
    bad = "cape", bad_grade = 'D', mends_after = 1000;
    hemc_outcome out, again;
    uint8_t *bytes = NULL, *same = NULL;
    size_t size = 0, same_size = 0;
    compile(NULL, recipe, false, &out, &bytes, &size);
    ASSERT_EQm(out.messages, HEMC_OK, out.exit_code);
    ASSERT_EQ(3, out.part_count); // skirt, hair, body
    ASSERT_EQ(7, flights);        // the first, five trials, without the cape
    ASSERT(strstr(out.messages, "\"cape\"") != NULL && strstr(out.messages, "stays with the skeleton") != NULL);
    compile(recipe, NULL, false, &again, &same, &same_size);
    ASSERT_EQm(again.messages, HEMC_OK, again.exit_code);
    ASSERT(size == same_size && memcmp(bytes, same, size) == 0);
    hemc_free(bytes);
    hemc_free(same);
    hemc_outcome_free(&out);
    hemc_outcome_free(&again);

    compile(NULL, NULL, true, &out, NULL, NULL);
    ASSERT_EQ(HEMC_VALIDATION, out.exit_code);
    hemc_outcome_free(&out);

    bad = NULL, bad_grade = 'F';
    compile(NULL, NULL, false, &out, NULL, NULL);
    ASSERT_EQ(HEMC_INPUT, out.exit_code);
    ASSERT(strstr(out.messages, "nothing is left that moves") != NULL);
    hemc_outcome_free(&out);
    hemc_set_preflight_functions(NULL, NULL);
    kit_folder_end(folder);
    kit_end(&k);
    PASS();
}

// The second trial helps, and no third is made; of what is C nothing is left out.
TEST what_helps_is_kept(void) {
    if (!hem_file_exists(GIRL)) {
        SKIPm("no build/samples");
    }
    hemc_set_preflight_functions(pretend, NULL);
    hemc_outcome out;
    bad = "skirt", bad_grade = 'E', mends_after = 3;
    compile(NULL, NULL, false, &out, NULL, NULL);
    ASSERT_EQm(out.messages, HEMC_OK, out.exit_code);
    ASSERT_EQ(3, flights); // the clips are all of them: a trial is not played twice
    ASSERT_EQ(4, out.part_count);
    ASSERT(strstr(out.messages, "stays with the skeleton") == NULL);
    hemc_outcome_free(&out);
    bad_grade = 'C', mends_after = 2;
    compile(NULL, NULL, false, &out, NULL, NULL);
    ASSERT(strstr(out.messages, "\"skirt\" looks better without a limit to its stretch") != NULL);
    hemc_outcome_free(&out);
    mends_after = 3;
    compile(NULL, NULL, false, &out, NULL, NULL);
    ASSERT(strstr(out.messages, "\"skirt\" looks better stiffer against bending") != NULL);
    ASSERT(strstr(out.messages, "without a limit to its stretch") == NULL); // which did not help
    hemc_outcome_free(&out);
    mends_after = 1000;
    compile(NULL, NULL, false, &out, NULL, NULL);
    ASSERT_EQ(4, out.part_count);
    hemc_outcome_free(&out);
    hemc_set_preflight_functions(NULL, NULL);
    PASS();
}

// -- Hair in locks

enum { CARDS = 30, ROWS = 6 };

typedef struct wig {
    hemc_model model;
    hemc_vec3 positions[CARDS * 2 * (ROWS + 1)];
    uint32_t triangles[3 * CARDS * 2 * ROWS];
    uint8_t mask[CARDS * 2 * ROWS];
} wig;

// `count` cards in a ring, 30 cm long and `width` wide, apart from each other or, when `joined`, side by side in one piece.
static void make_wig(wig* w, uint32_t count, float width, bool joined) {
    memset(w, 0, sizeof(*w));
    for (uint32_t c = 0; c < count; ++c) {
        for (uint32_t i = 0; i < 2 * (ROWS + 1); ++i) {
            const float x = joined ? width * (float)(c + i % 2) : 0.3f * (float)c + width * (float)(i % 2);
            w->positions[c * 2 * (ROWS + 1) + i] = (hemc_vec3){x, 1.7f - 0.3f * (float)(i / 2) / ROWS, 0};
        }
        for (uint32_t t = 0; t < 2 * ROWS; ++t) {
            const uint32_t at = c * 2 * (ROWS + 1) + 2 * (t / 2);
            const uint32_t corners[2][3] = {{at, at + 1, at + 2}, {at + 1, at + 3, at + 2}};
            memcpy(&w->triangles[3 * (c * 2 * ROWS + t)], corners[t % 2], sizeof(corners[0]));
            w->mask[c * 2 * ROWS + t] = 1;
        }
    }
    w->model = (hemc_model){.path = "wig",
                            .positions = w->positions,
                            .vertex_count = count * 2 * (ROWS + 1),
                            .triangles = w->triangles,
                            .triangle_count = count * 2 * ROWS};
}

TEST hair_in_locks_becomes_strands(void) {
    static const struct {
        uint32_t cards;
        float width;
        bool joined;
        uint32_t guides;
    } rows[] = {
        {8, 0.04f, false, 8},   // a guide each
        {30, 0.04f, false, 24}, // more share them
        {4, 0.04f, false, 0},   // two plaits and two tails
        {8, 0.25f, false, 0},   // as wide as long: plates
        {8, 0.04f, true, 0},    // one piece: a cap
    };
    static wig w;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        double length;
        make_wig(&w, rows[i].cards, rows[i].width, rows[i].joined);
        ASSERT_EQ(rows[i].guides, hemc_auto_locks(k.arena, &w.model, w.mask, &length));
        if (rows[i].guides != 0) {
            ASSERT_IN_RANGE(hypot(0.3, 0.04), length, 1e-4);
        }
        kit_end(&k);
    }
    PASS();
}

SUITE(front_trials_suite) {
    RUN_TEST(what_looks_bad_is_left_with_the_skeleton);
    RUN_TEST(what_helps_is_kept);
    RUN_TEST(hair_in_locks_becomes_strands);
}
