// SPDX-License-Identifier: MIT
// The certificate in the report: bytes as the runtime measures them, microseconds as counts times the costs of a target,
// and what happens over the budget of a recipe.

#include "tests/compiler/front_bench.h"
#include "tests/compiler/front_kit.h"

#include "formats/hem_validate.h"
#include "hem/budget.h"
#include "platform/file.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

// A file of costs in which one kind of work has so many nanoseconds and all others none.
static char* write_costs(bench* b, const char* name, hem_cost which, double ns) {
    hemc_text t = {.arena = b->arena};
    hemc_text_add(&t, "{\"kind\": \"hem_costs\", \"ns\": {");
    for (uint32_t i = 0; i < HEM_COST_COUNT; ++i) {
        hemc_text_add(&t, "%s\"%s\": %g", i == 0 ? "" : ", ", hem_cost_name((hem_cost)i), i == which ? ns : 0.0);
    }
    hemc_text_add(&t, "}}");
    char* path = bench_path(b, name);
    return hem_file_write(path, t.data, t.size, 0, NULL) ? path : NULL;
}

static char* write_recipe(bench* b, const char* budget) {
    char* path = bench_path(b, "budget.json");
    char* text = hemc_format(b->arena, "{\"budget\": %s,%s", budget, strchr(bench_recipe, '{') + 1);
    return hem_file_write(path, text, strlen(text), 0, NULL) ? path : NULL;
}

static const hemc_json* certificate_of(bench* b, const char* path) {
    uint8_t* text;
    size_t size;
    hemc_log log = {.arena = b->arena};
    if (!bench_read(b, path, &text, &size)) {
        return NULL;
    }
    return hemc_json_member(hemc_json_parse(b->arena, &log, path, "", (const char*)text, size, false), "certificate");
}

static double number_at(const hemc_json* object, const char* key) {
    const hemc_json* value = hemc_json_member(object, key);
    return value != NULL && value->kind == HEMC_JSON_NUMBER ? value->number : -1.0;
}

// Of the first clip of a target.
static double us_of(const hemc_json* certificate, int target, const char* level, const char* which) {
    const hemc_json* t = hemc_json_member(certificate, "targets")->first;
    for (; target > 0 && t != NULL; --target) {
        t = t->next;
    }
    const hemc_json* levels = hemc_json_member(hemc_json_member(t, "clips")->first, "levels");
    return number_at(hemc_json_member(levels, level), which);
}

TEST microseconds_are_counts_times_costs(void) {
    bench b;
    ASSERT(bench_begin(&b));
    const char* bones = write_costs(&b, "bones.json", HEM_COST_bone, 10000.0);
    const char* steps = write_costs(&b, "steps.json", HEM_COST_step, 8000.0);
    const char* substeps = write_costs(&b, "substeps.json", HEM_COST_substep, 2000.0);
    ASSERT(bones && steps && substeps);
    const char* words[] = {b.input,
                           "-r",
                           b.recipe,
                           "-o",
                           bench_path(&b, "a.hem"),
                           "--report",
                           bench_path(&b, "a.json"),
                           "--target",
                           bones,
                           "--target",
                           steps,
                           "--target",
                           substeps};
    ASSERT_EQ(HEMC_OK, bench_run(&b, words, 13));
    uint8_t* bytes;
    size_t size;
    hem_view view;
    ASSERT(bench_read(&b, words[4], &bytes, &size));
    void* aligned = aligned_alloc(64, (size + 63) / 64 * 64);
    memcpy(aligned, bytes, size);
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(aligned, size, &view, NULL));
    const hemc_json* c = certificate_of(&b, words[6]);
    ASSERT(c != NULL && hemc_json_member(c, "within")->kind == HEMC_JSON_TRUE);
    // Every level poses its bones; ten microseconds each.
    ASSERT_IN_RANGE(10.0 * view.info->bone_count, us_of(c, 0, "full", "mean_us"), 0.06);
    ASSERT_IN_RANGE(10.0 * view.info->bone_count, us_of(c, 0, "pose", "worst_us"), 0.06);
    // A step in every frame, in every other, in every fourth, and none.
    ASSERT_IN_RANGE(8.0, us_of(c, 1, "full", "mean_us"), 0.06);
    ASSERT_IN_RANGE(8.0, us_of(c, 1, "light", "mean_us"), 0.06);
    ASSERT_IN_RANGE(4.0, us_of(c, 1, "half", "mean_us"), 0.06);
    ASSERT_IN_RANGE(2.0, us_of(c, 1, "quarter", "mean_us"), 0.06);
    ASSERT_IN_RANGE(0.0, us_of(c, 1, "frozen", "mean_us"), 0.06);
    // Four substeps in full, two in light.
    ASSERT_IN_RANGE(8.0, us_of(c, 2, "full", "mean_us"), 0.06);
    ASSERT_IN_RANGE(4.0, us_of(c, 2, "light", "mean_us"), 0.06);
    // Bytes as a game measures them: 64 more slots are 64 times as many.
    hem_asset asset;
    hem_slot_def slot = {&asset, 1};
    hem_scene_def def = hem_scene_def_default();
    hem_memory one, many;
    def.slots = &slot;
    def.slot_count = 1;
    ASSERT_EQ(HEM_OK, hem_asset_open(&asset, aligned, size));
    ASSERT_EQ(HEM_OK, hem_scene_measure(&def, &one));
    slot.count = 65;
    ASSERT_EQ(HEM_OK, hem_scene_measure(&def, &many));
    const double each = number_at(c, "instance_bytes");
    ASSERT_IN_RANGE((double)(many.size - one.size), 64.0 * each, 63.0);
    ASSERT_IN_RANGE((double)one.size, each + number_at(c, "shared_bytes") + number_at(c, "worker_bytes"), 0.5);
    ASSERT(number_at(c, "instance_bytes_with_budget") > each);
    free(aligned);
    bench_end(&b);
    PASS();
}

TEST over_budget_is_a_warning_and_under_strict_an_error(void) {
    bench b;
    ASSERT(bench_begin(&b));
    const char* out = bench_path(&b, "a.hem");
    const char* report = bench_path(&b, "a.json");
    const struct {
        const char* budget;
        bool within;
        const char* said;
    } cases[] = {{"{\"us\": 100000, \"bytes\": 100000000}", true, ""},
                 {"{\"bytes\": 100}", false, "/budget/bytes"},
                 {"{\"us\": 0.5}", false, "/budget/us"}};
    for (int i = 0; i < 3; ++i) {
        const char* recipe = write_recipe(&b, cases[i].budget);
        const char* words[] = {
            b.input, "-r", recipe, "-o", out, "--report", report, "--cache", bench_path(&b, "cache"), "--strict"};
        ASSERT_EQ(HEMC_OK, bench_run(&b, words, 9));
        const hemc_json* c = certificate_of(&b, report);
        ASSERT(c != NULL);
        ASSERT_EQ(cases[i].within ? HEMC_JSON_TRUE : HEMC_JSON_FALSE, hemc_json_member(c, "within")->kind);
        uint8_t* text;
        size_t size;
        ASSERT(bench_read(&b, report, &text, &size) && strstr((const char*)text, cases[i].said) != NULL);
        ASSERT_EQ(HEMC_OK, bench_run(&b, words, 9)); // out of the cache it says the same
        ASSERT(certificate_of(&b, report) != NULL);
        ASSERT_EQ(cases[i].within ? HEMC_OK : HEMC_VALIDATION, bench_run(&b, words, 10));
    }
    bench_end(&b);
    PASS();
}

TEST wrong_budgets_and_targets_are_named(void) {
    bench b;
    ASSERT(bench_begin(&b));
    const char* out = bench_path(&b, "a.hem");
    const char* wrong[] = {"{\"us\": 0}", "{\"us\": \"much\"}", "{\"bytes\": -1}", "{\"time\": 3}", "7"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        const char* words[] = {b.input, "-r", write_recipe(&b, wrong[i]), "-o", out};
        ASSERT_EQ(HEMC_INPUT, bench_run(&b, words, 5));
    }
    const char* absent[] = {b.input, "-r", b.recipe, "-o", out, "--target", bench_path(&b, "nowhere.json")};
    ASSERT_EQ(HEMC_IO, bench_run(&b, absent, 7));
    const char* other[] = {b.input, "-r", b.recipe, "-o", out, "--target", b.recipe};
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, other, 7));
    ASSERT(
        hem_file_write(bench_path(&b, "half.json"), "{\"kind\": \"hem_costs\", \"ns\": {\"bone\": 1}}", 39, 0, NULL));
    const char* half[] = {b.input, "-r", b.recipe, "-o", out, "--target", bench_path(&b, "half.json")};
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, half, 7));
    bench_end(&b);
    PASS();
}

SUITE(front_certificate_suite) {
    RUN_TEST(microseconds_are_counts_times_costs);
    RUN_TEST(over_budget_is_a_warning_and_under_strict_an_error);
    RUN_TEST(wrong_budgets_and_targets_are_named);
}
