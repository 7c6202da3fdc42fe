// SPDX-License-Identifier: MIT
#ifndef _WIN32
#define _DEFAULT_SOURCE // symlink
#endif
#include "greatest.h"

#include "front_bench.h"
#include "front_kit.h"

#include "platform/file.h"

#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

// Outputs: none may be a file that is read, however it is spelt; folders are made; what cannot be written is said at once.

#ifndef _WIN32

// Everything a compile may read, in one folder, with other names for it.
static bool add_sources(bench* b) {
    kit_data d = kit_good();
    size_t size;
    char path[600];
    char* text = kit_gltf(b->arena, &d, ", \"uri\": \"data:application/octet-stream;base64,",
                          ", \"uri\": \"b%20c.bin\", \"x\": \"", &size);
    static const char images[] = "{\"images\": [{\"uri\": \"skin.png\"}], "
                                 "\"extras\": {\"hem\": {\"parts\": [{\"clips\": [{\"file\": \"swim.txt\"}]}]}},";
    static const char clips[] =
        "{\"parts\": [{\"clips\": [{\"name\": \"swim\", \"file\": \"swim.txt\"},]}]} // a comment";
    char* whole = hemc_format(b->arena, "%s%s", images, text + 1);
    return kit_write(b->folder, "b.gltf", whole, strlen(whole), path) &&
           kit_write(b->folder, "b c.bin", &d, sizeof(d), path) && kit_write(b->folder, "skin.png", "art", 3, path) &&
           kit_write(b->folder, "args.txt", "@more.txt", 9, path) &&
           kit_write(b->folder, "clips.json", clips, sizeof(clips) - 1, path) &&
           kit_write(b->folder, "swim.txt", "work of days", 12, path) &&
           kit_write(b->folder, "more.txt", "a.glb", 5, path) && symlink("a.glb", bench_path(b, "soft.glb")) == 0 &&
           link(b->input, bench_path(b, "hard.glb")) == 0 && symlink(".", bench_path(b, "here")) == 0;
}

static const char* const sources[] = {"a.glb",    "r.json",   "b.gltf",   "b c.bin",   "skin.png",
                                      "args.txt", "more.txt", "swim.txt", "clips.json"};
enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };

typedef struct snapshot {
    uint8_t* bytes[SOURCES];
    size_t sizes[SOURCES];
} snapshot;

static bool take(bench* b, snapshot* s) {
    bool good = true;
    for (int i = 0; i < SOURCES; ++i) {
        good = bench_read(b, bench_path(b, sources[i]), &s->bytes[i], &s->sizes[i]) && good;
    }
    return good;
}

static bool untouched(bench* b, const snapshot* before) {
    snapshot now;
    if (!take(b, &now)) {
        return false;
    }
    for (int i = 0; i < SOURCES; ++i) {
        if (now.sizes[i] != before->sizes[i] || memcmp(now.bytes[i], before->bytes[i], now.sizes[i]) != 0) {
            printf("    %s was overwritten\n", sources[i]);
            return false;
        }
    }
    return true;
}

static bool said(bench* b, const char* words) {
    uint8_t* text;
    size_t size;
    if (!bench_read(b, bench_path(b, "stderr.txt"), &text, &size)) {
        return false;
    }
    if (strstr((char*)text, words) == NULL) {
        printf("    %s\n", (char*)text);
        return false;
    }
    return true;
}

TEST no_output_is_an_input(void) {
    bench b;
    ASSERT(bench_begin(&b) && add_sources(&b));
    char back[1024];
    ASSERT(getcwd(back, sizeof back) != NULL && chdir(b.folder) == 0);
    snapshot before;
    ASSERT(take(&b, &before));
    struct {
        const char* words[8];
        uint32_t count;
        const char* says;
    } rows[] = {
        {{"a.glb", "-o", "a.glb"}, 3, "the output is the same file as the input, a.glb"},
        {{"a.glb", "-o", "./a.glb"}, 3, "the output is the same file as the input"},
        {{"a.glb", "-o", "../x/../here/a.glb"}, 3, NULL}, // no folder x: refused, whatever it says
        {{"a.glb", "-o", b.input}, 3, "the output is the same file as the input"},
        {{b.input, "-o", "here/a.glb"}, 3, "the output is the same file as the input"},
        {{"a.glb", "-o", "soft.glb"}, 3, "the output is the same file as the input"},
        {{"a.glb", "-o", "hard.glb"}, 3, "the output is the same file as the input"},
        {{"soft.glb", "-o", "a.glb"}, 3, "the output is the same file as the input"},
        {{"a.glb", "-r", "r.json", "-o", "here/r.json"}, 5, "the output is the same file as the recipe, r.json"},
        {{"a.glb", "-r", "r.json", "-o", "o.hem", "--report", "./a.glb"},
         7,
         "the report is the same file as the input"},
        {{"a.glb", "-r", "r.json", "-o", "o.hem", "--depfile", "./r.json"}, 7, "the depfile is the same file"},
        {{"a.glb", "-r", "r.json", "-o", "o.hem", "--picture", "./r.json"}, 7, "the picture is the same file"},
        {{"a.glb", "-r", "r.json", "-o", "o.hem", "--report", "here/o.hem"},
         7,
         "the report is the same file as the output"},
        {{"b.gltf", "-r", "r.json", "-o", "b c.bin"}, 5, "the same file as the /buffers/0 of the glTF"},
        {{"here/b.gltf", "-o", "o.hem", "--report", "b c.bin"}, 5, "the same file as the /buffers/0 of the glTF"},
        {{"b.gltf", "-r", "r.json", "-o", "here/skin.png"}, 5, "the same file as the /images/0 of the glTF"},
        {{"@args.txt", "-o", "here/args.txt"}, 3, "the same file as the response file, args.txt"},
        {{"mesh", "@args.txt", "-o", "./more.txt"}, 4, "the same file as the response file, more.txt"},
        {{"lattice", "export", "a.glb", "-o", "here/a.glb"}, 5, "the output is the same file as the input"},
        {{"lattice", "mesh", "soft.glb", "-o", "a.glb"}, 5, "the output is the same file as the input"},
        {{"lattice", "inverse", "a.glb", "-o", "hard.glb"}, 5, "the output is the same file as the input"},
        {{"lattice", "check", "swim.txt", "-o", "./swim.txt"}, 5, "the output is the same file as the input"},
        {{"lattice", "export", "@args.txt", "-o", "args.txt"}, 5, "the same file as the response file, args.txt"},
        {{"a.glb", "-r", "clips.json", "-o", "here/swim.txt"},
         5,
         "the same file as the /parts/0/clips/0 of the recipe"},
        {{"b.gltf", "-o", "o.hem", "--depfile", "swim.txt"}, 5, "the same file as the /extras/hem/parts/0/clips/0"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        static char name[32];
        snprintf(name, sizeof(name), "row %zu", i);
        int code = bench_run(&b, rows[i].words, rows[i].count);
        ASSERTm(name, untouched(&b, &before));
        ASSERTm(name, !hem_file_exists("o.hem"));
        ASSERTm(name, rows[i].says != NULL ? code == HEMC_USAGE : code != HEMC_OK);
        ASSERTm(name, rows[i].says == NULL || said(&b, rows[i].says));
    }
    ASSERT_EQ(0, chdir(back));
    ASSERT(hem_file_remove(bench_path(&b, "here"), NULL)); // else cleaning up would go round
    bench_end(&b);
    PASS();
}

TEST no_output_of_a_batch_is_an_input_of_it(void) {
    bench b;
    ASSERT(bench_begin(&b) && add_sources(&b));
    snapshot before;
    ASSERT(take(&b, &before));
    static const char first[] = "{\"input\": \"a.glb\", \"recipe\": \"r.json\", \"output\": \"1.hem\"}";
    static const struct {
        const char* second;
        const char* says;
    } rows[] = {
        {"\"input\": \"b.gltf\", \"output\": \"./a.glb\"", "/1: error: its output"},
        {"\"input\": \"b.gltf\", \"output\": \"hard.glb\"", "is the same file as the input of asset 0"},
        {"\"input\": \"b.gltf\", \"output\": \"here/r.json\"", "is the same file as the recipe of asset 0"},
        {"\"input\": \"a.glb\", \"output\": \"2.hem\", \"report\": \"here/1.hem\"", "writes the same file as asset 0"},
        {"\"input\": \"a.glb\", \"output\": \"new/../1.hem\"", "writes the same file as asset 0"},
        {"\"input\": \"a.glb\", \"output\": \"here/list.json\"", "is the same file as the list"},
        {"\"input\": \"a.glb\", \"output\": \"2.hem\", \"depfile\": \"./b c.bin\"}, {\"input\": \"b.gltf\", "
         "\"output\": "
         "\"3.hem\"",
         "/1: error: its depfile"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char list[600];
        char* text = hemc_format(b.arena, "[%s, {%s}]", first, rows[i].second);
        ASSERT(kit_write(b.folder, "list.json", text, strlen(text), list));
        const char* words[] = {"--batch", list, "-q"};
        ASSERT_EQm(rows[i].second, HEMC_INPUT, bench_run(&b, words, 3));
        ASSERTm(rows[i].second, said(&b, rows[i].says));
        ASSERTm(rows[i].second, untouched(&b, &before));
        ASSERT(!hem_file_exists(bench_path(&b, "1.hem"))); // refused before anything is computed
    }
    ASSERT(hem_file_remove(bench_path(&b, "here"), NULL));
    bench_end(&b);
    PASS();
}

static bool fly_one_part(const hemc_flight* flight, hemc_preflight* result) {
    (void)flight;
    memset(result, 0, sizeof *result);
    result->grade = 'A';
    result->part_count = 1;
    result->parts[0].grade = 'A';
    memcpy(result->parts[0].name, "cape", 5);
    memcpy(result->parts[0].clip_name, "walk", 5);
    return true;
}

static bool draw_a_moment(const uint8_t* bytes, size_t size, const hemc_preflight_part* part, const char* path) {
    (void)bytes, (void)size, (void)part;
    return hem_file_write(path, "drawn", 5, 0, NULL);
}

// Pictures of a pre-flight get their names from parts: they too are no file of this asset, nor of another of the batch.
TEST no_picture_of_a_preflight_is_another_file(void) {
    bench b;
    ASSERT(bench_begin(&b) && add_sources(&b));
    char path[600], list[600];
    ASSERT(kit_write(b.folder, "k.cape.png", "mine", 4, path));
    hemc_set_preflight_functions(fly_one_part, draw_a_moment);
    static const struct {
        const char* jobs;
        const char* says; // NULL = goes well
    } rows[] = {
        {"{\"input\": \"a.glb\", \"recipe\": \"r.json\", \"output\": \"1.hem\", \"report\": \"k.json\", \"depfile\": "
         "\"k.cape.png\"}",
         "would be the same file as the depfile"},
        {"{\"input\": \"a.glb\", \"recipe\": \"r.json\", \"output\": \"1.hem\", \"report\": \"k.json\"}, "
         "{\"input\": \"a.glb\", \"recipe\": \"r.json\", \"output\": \"./k.cape.png\"}",
         "would be the same file as the output"},
        {"{\"input\": \"a.glb\", \"recipe\": \"r.json\", \"output\": \"1.hem\", \"report\": \"here/r.json.json\"}",
         NULL},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char* text = hemc_format(b.arena, "[%s]", rows[i].jobs);
        ASSERT(kit_write(b.folder, "list.json", text, strlen(text), list));
        const char* words[] = {"--batch", list, "-j", "1", "--preflight"};
        uint8_t* out;
        size_t size;
        ASSERT_EQm(rows[i].jobs, rows[i].says != NULL ? HEMC_USAGE : HEMC_OK, bench_run(&b, words, 5));
        ASSERT(bench_read(&b, bench_path(&b, "stdout.txt"), &out, &size));
        ASSERTm(rows[i].jobs, rows[i].says == NULL || strstr((char*)out, rows[i].says) != NULL);
    }
    ASSERT(hem_file_exists(bench_path(&b, "r.json.cape.png")));
    hemc_set_preflight_functions(NULL, NULL);
    ASSERT(hem_file_remove(bench_path(&b, "here"), NULL));
    bench_end(&b);
    PASS();
}

TEST a_device_may_be_named_twice(void) {
    bench b;
    ASSERT(bench_begin(&b));
    const char* words[] = {b.input,    "-r",        b.recipe,    "-o",        "/dev/null",
                           "--report", "/dev/null", "--depfile", "/dev/null", "-q"};
    ASSERT_EQ(HEMC_OK, bench_run(&b, words, 10));
    ASSERT(hem_file_exists("/dev/null") && !hem_file_is_regular("/dev/null"));
    bench_end(&b);
    PASS();
}

#endif

TEST folders_are_made(void) {
    bench b;
    ASSERT(bench_begin(&b));
    const char* words[] = {b.input,    "-r", b.recipe,    "-o", bench_path(&b, "x/y/a.hem"),
                           "--report", "",   "--depfile", "",   "-q"};
    words[6] = bench_path(&b, "z/r/a.json");
    words[8] = bench_path(&b, "d/a.d");
    ASSERT_EQ(HEMC_OK, bench_run(&b, words, 10));
    ASSERT(hem_file_exists(words[4]) && hem_file_exists(words[6]) && hem_file_exists(words[8]));
    bench_end(&b);
    PASS();
}

// A file where a folder should be: said before the input is so much as opened, and no folder is made.
TEST what_cannot_be_written_is_said_first(void) {
    bench b;
    ASSERT(bench_begin(&b));
    hemc_job job = {.input = bench_path(&b, "none.glb"), .output = bench_path(&b, "a.glb/o.hem"), .verbosity = -1};
    hemc_outcome out;
    hemc_execute(&job, &out, NULL, NULL);
    ASSERT_EQ(HEMC_IO, out.exit_code);
    ASSERT(out.messages != NULL && strstr(out.messages, "a.glb/o.hem") != NULL);
    ASSERT(strstr(out.messages, "none.glb") == NULL);
    hemc_outcome_free(&out);
    job.output = bench_path(&b, "new/o.hem");
    hemc_execute(&job, &out, NULL, NULL);
    ASSERT_EQ(HEMC_IO, out.exit_code);
    ASSERT(strstr(out.messages, "none.glb") != NULL);
    ASSERT(!hem_directory_exists(bench_path(&b, "new")));
    hemc_outcome_free(&out);
    bench_end(&b);
    PASS();
}

SUITE(front_outputs_suite) {
#ifndef _WIN32
    RUN_TEST(no_output_is_an_input);
    RUN_TEST(no_output_of_a_batch_is_an_input_of_it);
    RUN_TEST(no_picture_of_a_preflight_is_another_file);
    RUN_TEST(a_device_may_be_named_twice);
#endif
    RUN_TEST(folders_are_made);
    RUN_TEST(what_cannot_be_written_is_said_first);
}
