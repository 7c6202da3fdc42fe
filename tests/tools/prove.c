// SPDX-License-Identifier: MIT
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L // dup2
#define HAS_DUP 1
#endif

#include "tools/command.h"
#include "tools/prove.h"
#include "platform/file.h"
#include "greatest.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if HAS_DUP
#include <fcntl.h>
#include <unistd.h>
#endif

// `hem prove`: rows that say what was measured and miss what was not, exit codes, and JSON that a stranger reads.

TEST a_row_is_good_only_within_its_bound(void) {
    proof p = {0};
    proof_at_most(&p, 2.0, 2.0, "mm", "%s", "at the bound");
    proof_at_most(&p, 2.0, 2.0001, "mm", "above");
    proof_at_most(&p, 2.0, (double)NAN, "mm", "no number");
    proof_at_least(&p, 2.0, 2.0, "", "at the bound");
    proof_at_least(&p, 2.0, 1.9999, "", "below");
    proof_at_least(&p, 2.0, (double)NAN, "", "no number");
    proof_same(&p, 0x12, 0x12, "same");
    proof_same(&p, 0x12, 0x1200000000000012u, "differs in its upper half");
    proof_unmeasured(&p, "a number", "there is no scale", "weight");
    static const bool good[] = {true, false, false, true, false, false, true, false, false};
    ASSERT_EQ(9, p.row_count);
    for (int i = 0; i < 9; i++) {
        ASSERT_EQ(good[i], p.rows[i].ok);
    }
    ASSERT_STR_EQ("at the bound", p.rows[0].what);
    ASSERT_STR_EQ("at most 2 mm", p.rows[0].aimed);
    ASSERT_STR_EQ("2 mm", p.rows[0].reached);
    ASSERT_STR_EQ("at least 2", p.rows[3].aimed);
    ASSERT_STR_EQ("0000000000000012", p.rows[6].reached);
    ASSERT_STR_EQ("not measured: there is no scale", p.rows[8].reached);
    free(p.rows);
    PASS();
}

TEST rows_grow_and_long_texts_are_cut(void) {
    proof p = {0};
    char text[1000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = 0;
    for (int i = 0; i < 200; i++) {
        proof_add(&p, i % 2 == 0, text, text, "%d %s", i, text);
    }
    ASSERT_EQ(200, p.row_count);
    ASSERT_FALSE(p.full);
    for (int i = 0; i < 200; i++) {
        ASSERT_EQ(i, atoi(p.rows[i].what));
        ASSERT_EQ(i % 2 == 0, p.rows[i].ok);
        ASSERT_EQ(sizeof(p.rows[i].what) - 1, strlen(p.rows[i].what));
        ASSERT_EQ(sizeof(p.rows[i].aimed) - 1, strlen(p.rows[i].aimed));
        ASSERT_EQ(sizeof(p.rows[i].reached) - 1, strlen(p.rows[i].reached));
    }
    free(p.rows);
    PASS();
}

#if HAS_DUP
// Runs the command with what it prints in `text`, a zero-terminated string to free. Messages go nowhere.
static int call(hem_bytes* text, const char* a, const char* b, const char* c, const char* d) {
    const char* list[5] = {"prove", a, b, c, d};
    char *argv[5], path[512];
    int argc = 0;
    for (int i = 0; i < 5; i++) {
        if (list[i] != NULL) {
            argv[argc++] = (char*)list[i];
        }
    }
    memset(text, 0, sizeof(*text));
    if (!hem_file_temp_name(path, sizeof(path), "hem_prove")) {
        return -1;
    }
    fflush(stdout);
    fflush(stderr);
    int saved[2] = {dup(1), dup(2)}, out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600),
        nowhere = open("/dev/null", O_WRONLY);
    dup2(out, 1);
    dup2(nowhere, 2);
    int code = command_prove(argc, argv);
    fflush(stdout);
    fflush(stderr);
    dup2(saved[0], 1);
    dup2(saved[1], 2);
    close(saved[0]);
    close(saved[1]);
    close(out);
    close(nowhere);
    bool read = hem_file_read(path, text, NULL);
    hem_file_remove(path, NULL);
    return read ? code : -1;
}

TEST without_a_name_it_lists_and_a_wrong_one_is_refused(void) {
    hem_bytes text;
    ASSERT_EQ(COMMAND_OK, call(&text, NULL, NULL, NULL, NULL));
    ASSERT(strstr((const char*)text.data, "  house ") != NULL);
    hem_bytes_free(&text);
    ASSERT_EQ(COMMAND_USAGE, call(&text, "hose", NULL, NULL, NULL));
    ASSERT_EQ(0, text.size);
    hem_bytes_free(&text);
    ASSERT_EQ(COMMAND_USAGE, call(&text, "house", "--jsn", NULL, NULL));
    hem_bytes_free(&text);
    PASS();
}

// Without samples the house is not proved, and the JSON says what was not measured.
TEST what_was_not_measured_is_missed(void) {
    char folder[512];
    ASSERT(hem_file_temp_name(folder, sizeof(folder), "hem_none"));
    hem_bytes text;
    ASSERT_EQ(COMMAND_MISSED, call(&text, "house", "--json", "--recipes", folder));
    cJSON* rows = cJSON_ParseWithLength((const char*)text.data, text.size);
    ASSERT(cJSON_IsArray(rows));
    int good = 0, missed = 0;
    const cJSON* row;
    cJSON_ArrayForEach(row, rows) {
        ASSERT(cJSON_IsString(cJSON_GetObjectItemCaseSensitive(row, "what")));
        ASSERT(cJSON_IsString(cJSON_GetObjectItemCaseSensitive(row, "aimed")));
        ASSERT(cJSON_IsString(cJSON_GetObjectItemCaseSensitive(row, "reached")));
        const cJSON* ok = cJSON_GetObjectItemCaseSensitive(row, "ok");
        ASSERT(cJSON_IsBool(ok));
        good += cJSON_IsTrue(ok);
        missed += cJSON_IsFalse(ok);
        if (cJSON_IsFalse(ok)) {
            const char* reached = cJSON_GetObjectItemCaseSensitive(row, "reached")->valuestring;
            ASSERT(strncmp(reached, "not measured: ", 14) == 0);
        }
    }
    ASSERT_EQ(1, missed);
    ASSERT(good > 0);
    cJSON_Delete(rows);
    hem_bytes_free(&text);
    PASS();
}

// Groups by a part of their name; one that is in none leaves nothing measured, which is no proof.
TEST only_the_groups_asked_for_are_measured(void) {
    proof p = {0};
    ASSERT(proof_wants(&p, "clips/robe"));
    p.only = "robe";
    ASSERT(proof_wants(&p, "clips/robe"));
    ASSERT_FALSE(proof_wants(&p, "stops"));
    char folder[512];
    ASSERT(hem_file_temp_name(folder, sizeof(folder), "hem_none"));
    hem_bytes text;
    char recipes[600];
    snprintf(recipes, sizeof(recipes), "--recipes=%s", folder);
    ASSERT_EQ(COMMAND_MISSED, call(&text, "seen", "--json", "--only=sheets", recipes));
    cJSON* rows = cJSON_ParseWithLength((const char*)text.data, text.size);
    ASSERT_EQ(2, cJSON_GetArraySize(rows));
    cJSON_Delete(rows);
    hem_bytes_free(&text);
    ASSERT_EQ(COMMAND_MISSED, call(&text, "seen", "--json", "--only=nothing of the kind", recipes));
    hem_bytes_free(&text);
    PASS();
}
#endif

SUITE_EXTERN(prove_suite);
SUITE(prove_suite) {
    RUN_TEST(a_row_is_good_only_within_its_bound);
    RUN_TEST(rows_grow_and_long_texts_are_cut);
#if HAS_DUP
    RUN_TEST(without_a_name_it_lists_and_a_wrong_one_is_refused);
    RUN_TEST(what_was_not_measured_is_missed);
    RUN_TEST(only_the_groups_asked_for_are_measured);
#endif
}
