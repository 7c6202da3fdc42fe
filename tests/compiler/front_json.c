// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_kit.h"

#include "compiler/recipe/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The JSON reader: strtod as the truth for numbers, written-out truths for the rest.

static uint64_t random_state = 3;

static uint32_t random_u32(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

static const hemc_json* parse(kit* k, const char* text, bool comments) {
    return hemc_json_parse(k->arena, &k->log, "t.json", "", text, strlen(text), comments);
}

TEST numbers_equal_strtod(void) {
    for (int i = 0; i < 20000; ++i) {
        char text[64];
        uint64_t bits = (uint64_t)random_u32() << 32 | random_u32();
        double value;
        memcpy(&value, &bits, 8);
        if (!isfinite(value) || i % 3 == 0) {
            snprintf(text, sizeof(text), "%s%u.%ue%d", i % 2 ? "-" : "", random_u32() % 100000, random_u32() % 1000000,
                     (int)(random_u32() % 60) - 30);
        } else {
            snprintf(text, sizeof(text), "%.*g", 1 + (int)(random_u32() % 20), value);
        }
        double got = 0;
        size_t used = hemc_parse_number(text, strlen(text), &got);
        ASSERT_EQm(text, strlen(text), used);
        double truth = strtod(text, NULL);
        ASSERTm(text, memcmp(&truth, &got, 8) == 0);
    }
    const char* more[] = {"0",
                          "-0",
                          "1e400",
                          "1e-400",
                          "123456789012345678901234567890",
                          "0.1000000000000000055511151231257827021181583404541015625",
                          "9007199254740993",
                          "9007199254740993.00000000000000000000001"};
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); ++i) {
        double got = 1, truth = strtod(more[i], NULL);
        ASSERT_EQ(strlen(more[i]), hemc_parse_number(more[i], strlen(more[i]), &got));
        ASSERTm(more[i], memcmp(&truth, &got, 8) == 0);
    }
    const char* bad[] = {"", "-", ".5", "01", "1.", "1e", "1e+", "+1", "x"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        double got;
        ASSERT_EQm(bad[i], 0, hemc_parse_number(bad[i], strlen(bad[i]), &got));
    }
    PASS();
}

TEST comments_end_where_strings_begin(void) {
    kit k;
    kit_begin(&k);
    const hemc_json* json = parse(&k,
                                  "// first\n{ /* {\"no\": 1} */ \"url\": \"http://x/*y*/\", \"q\": \"\\\"// no "
                                  "comment\", // \"c\": 3\n \"n\": [1, 2, /* 3, */ 4,],\n}",
                                  true);
    ASSERT(json != NULL);
    ASSERT_EQ(3, json->count);
    ASSERT_STR_EQ("http://x/*y*/", hemc_json_member(json, "url")->string);
    ASSERT_STR_EQ("\"// no comment", hemc_json_member(json, "q")->string);
    ASSERT_EQ(3, hemc_json_member(json, "n")->count);
    ASSERT(parse(&k, "{} // no", false) == NULL);
    kit_end(&k);
    PASS();
}

TEST strings_are_decoded(void) {
    kit k;
    kit_begin(&k);
    const hemc_json* json = parse(&k, "[\"a\\u00e9\\n\\ud83d\\ude00\\/\", \"\\\\\"]", false);
    ASSERT(json != NULL);
    ASSERT_STR_EQ("a\xc3\xa9\n\xf0\x9f\x98\x80/", json->first->string);
    ASSERT_STR_EQ("\\", json->first->next->string);
    kit_end(&k);
    PASS();
}

TEST faults_are_named_with_line_and_column(void) {
    static const struct {
        const char* text;
        const char* where;
        const char* what;
    } rows[] = {
        {"{\n  \"a\": 1\n  \"b\": 2\n}", "3:3", "','"},
        {"{\"a\" 1}", "1:6", "':'"},
        {"[1, 2", "1:1", "closing ]"},
        {"{\"a\": [1}", "1:9", "',' or ']'"},
        {"{\"a\": tru}", "1:7", "expected a value"},
        {"{\"a\": \"x}", "1:7", "closing quote"},
        {"{\"a\": 1, \"a\": 2}", "1:10", "already given"},
        {"/* x", "1:1", "*/"},
        {"{} {}", "1:4", "end of the document"},
        {"[\"\\x\"]", "1:4", "escape"},
        {"[\"\\u0000\"]", "1:3", "must not hold \\u0000"},
        {"[\"ab\\u0000\"]", "1:5", "must not hold \\u0000"},
        {"[\"a\nb\"]", "1:4", "line break"},
        {"{a: 1}", "1:2", "double quotes"},
        {"", "1:1", "end of the file"},
        {"{\"\xc3\xa9\": x}", "1:7", "expected a value"}, // columns count characters
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        ASSERT_EQm(rows[i].text, NULL, (const void*)parse(&k, rows[i].text, true));
        ASSERT_EQm(rows[i].text, 1, k.log.error_count);
        ASSERTm(k.log.messages[0].text, strstr(k.log.messages[0].text, rows[i].what) != NULL);
        if (rows[i].where[0] != 0) {
            ASSERT_STR_EQm(rows[i].text, rows[i].where, k.log.messages[0].path);
        }
        kit_end(&k);
    }
    PASS();
}

TEST nesting_is_bounded(void) {
    kit k;
    kit_begin(&k);
    char deep[200001];
    memset(deep, '[', 200000);
    deep[200000] = 0;
    ASSERT(parse(&k, deep, false) == NULL);
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "64 levels"));
    kit_end(&k);
    PASS();
}

TEST every_cut_is_refused_quietly(void) {
    const char* text = "{\"a\": [1.5e3, true, null, \"x\\u00e9\\\"\"], /* c */ \"b\": {\"c\": -2}} // d\n";
    kit k;
    kit_begin(&k);
    size_t whole = strlen("{\"a\": [1.5e3, true, null, \"x\\u00e9\\\"\"], /* c */ \"b\": {\"c\": -2}}");
    for (size_t size = 0; size < whole; ++size) {
        char* exact = malloc(size + 1); // so that AddressSanitizer sees a read beyond
        memcpy(exact, text, size);
        char* tight = size != 0 ? malloc(size) : malloc(1);
        memcpy(tight, exact, size);
        ASSERT(hemc_json_parse(k.arena, &k.log, "t", "", tight, size, true) == NULL);
        free(tight);
        free(exact);
    }
    ASSERT(parse(&k, text, true) != NULL);
    kit_end(&k);
    PASS();
}

TEST pointers_are_escaped(void) {
    kit k;
    kit_begin(&k);
    const hemc_json* json = parse(&k, "{\"a/b\": [0, {\"c~d\": 1}]}", false);
    const hemc_json* inner = hemc_json_member(json->first->first->next, "c~d");
    ASSERT_STR_EQ("/x/a~1b/1/c~0d", hemc_json_pointer(k.arena, "/x", inner));
    kit_end(&k);
    PASS();
}

TEST distances_are_known(void) {
    ASSERT_EQ(0, hemc_edit_distance("spacing", "spacing"));
    ASSERT_EQ(1, hemc_edit_distance("spaceing", "spacing") - 0);
    ASSERT_EQ(1, hemc_edit_distance("spcaing", "spacing")); // neighbours swapped
    ASSERT_EQ(3, hemc_edit_distance("kitten", "sitting"));
    ASSERT_EQ(3, hemc_edit_distance("", "abc"));
    PASS();
}

TEST numbers_are_written_to_be_read_back(void) {
    kit k;
    kit_begin(&k);
    for (int i = 0; i < 2000; ++i) {
        uint32_t bits = random_u32();
        float value;
        memcpy(&value, &bits, 4);
        if (!isfinite(value)) {
            continue;
        }
        hemc_text t = {.arena = k.arena};
        hemc_text_number(&t, (double)value);
        ASSERT_EQ(value, (float)hemc_parse_float(t.data));
    }
    hemc_text t = {.arena = k.arena};
    hemc_text_number(&t, 0.05f);
    ASSERT_STR_EQ("0.05", t.data);
    kit_end(&k);
    PASS();
}

SUITE(front_json_suite) {
    RUN_TEST(numbers_equal_strtod);
    RUN_TEST(comments_end_where_strings_begin);
    RUN_TEST(strings_are_decoded);
    RUN_TEST(faults_are_named_with_line_and_column);
    RUN_TEST(nesting_is_bounded);
    RUN_TEST(every_cut_is_refused_quietly);
    RUN_TEST(pointers_are_escaped);
    RUN_TEST(distances_are_known);
    RUN_TEST(numbers_are_written_to_be_read_back);
}
