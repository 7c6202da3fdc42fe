// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_bench.h"
#include "front_kit.h"

#include "compiler/driver/compile.h"
#include "formats/hem_validate.h"
#include "hem/hem.h"
#include "platform/file.h"
#include "platform/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The whole compile and the command line: files, exit codes, depfiles, cache, batches, and memory that runs out.

TEST a_compile_writes_its_files(void) {
    bench b;
    ASSERT(bench_begin(&b));
    hemc_job job = {.input = b.input,
                    .recipe = b.recipe,
                    .output = bench_path(&b, "a.hem"),
                    .report = bench_path(&b, "a.json"),
                    .depfile = bench_path(&b, "a.d"),
                    .verbosity = -1};
    ASSERT_EQ(0, hemc_run(&job));
    uint8_t* bytes;
    size_t size;
    ASSERT(bench_read(&b, job.output, &bytes, &size));
    hem_view view;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, NULL));
    ASSERT_EQ(size, view.header->file_size);
    ASSERT_EQ(KIT_VERTICES + KIT_FLAG_VERTICES, view.info->vertex_count);
    ASSERT_EQ(2, view.info->bone_count);
    ASSERT_EQ(1, view.clip_count);
    ASSERT(view.info->attached_count > 0 && view.info->simulated_count > 0);
    uint8_t hash[16];
    hemc_hash128(bytes + sizeof(hem_header), size - sizeof(hem_header), hash);
    ASSERT_EQ(0, memcmp(hash, view.header->content_hash, 16));
    // The report says the same.
    uint8_t* text;
    size_t text_size;
    ASSERT(bench_read(&b, job.report, &text, &text_size));
    hemc_log log = {.arena = b.arena};
    const hemc_json* report = hemc_json_parse(b.arena, &log, "report", "", (const char*)text, text_size, false);
    ASSERT(report != NULL);
    ASSERT_EQ(HEMC_JSON_TRUE, hemc_json_member(report, "ok")->kind);
    ASSERT_EQ((double)size, hemc_json_member(hemc_json_member(report, "sizes"), "file")->number);
    ASSERT_EQ((double)view.info->real_particle_count,
              hemc_json_member(hemc_json_member(report, "asset"), "particles")->number);
    ASSERT(hemc_json_member(hemc_json_member(report, "runtime"), "instance_bytes")->number > 0);
    ASSERT_STR_EQ("sheet", hemc_json_member(hemc_json_member(report, "parts")->first, "name")->string);
    bench_end(&b);
    PASS();
}

TEST the_same_bytes_every_time(void) {
    bench b;
    ASSERT(bench_begin(&b));
    uint8_t *one = NULL, *two = NULL, *three = NULL;
    size_t n1, n2, n3;
    hemc_job job = {.input = b.input, .recipe = b.recipe, .verbosity = -1};
    ASSERT_EQ(0, hemc_compile(&job, &one, &n1));
    ASSERT_EQ(0, (uintptr_t)one % 64);
    ASSERT_EQ(0, hemc_compile(&job, &two, &n2));
    ASSERT(n1 == n2 && memcmp(one, two, n1) == 0);
    // Embedded instead of binary: all but the header's hashes of the source.
    kit_data d = kit_good();
    size_t size;
    char* text = kit_gltf(b.arena, &d, NULL, NULL, &size);
    char path[600];
    ASSERT(kit_write(b.folder, "b.gltf", text, size, path));
    job.input = path;
    ASSERT_EQ(0, hemc_compile(&job, &three, &n3));
    ASSERT_EQ(n1, n3);
    ASSERT_EQ(0, memcmp(one + sizeof(hem_header), three + sizeof(hem_header), n1 - sizeof(hem_header)));
    hemc_free(one);
    hemc_free(two);
    hemc_free(three);
    bench_end(&b);
    PASS();
}

TEST a_failure_leaves_what_was_there(void) {
    bench b;
    ASSERT(bench_begin(&b));
    char out[600], bad[600];
    ASSERT(kit_write(b.folder, "a.hem", "old", 3, out));
    ASSERT(kit_write(b.folder, "bad.json", "{\"parts\": 1}", 12, bad));
    hemc_job job = {.input = b.input,
                    .recipe = bad,
                    .output = out,
                    .report = bench_path(&b, "a.json"),
                    .depfile = bench_path(&b, "a.d"),
                    .verbosity = -1};
    int err = bench_divert(stderr, bench_path(&b, "stderr.txt"));
    int code = hemc_run(&job);
    bench_restore(stderr, err);
    ASSERT_EQ(HEMC_INPUT, code);
    uint8_t* bytes;
    size_t size;
    ASSERT(bench_read(&b, out, &bytes, &size) && size == 3 && memcmp(bytes, "old", 3) == 0);
    ASSERT_FALSE(hem_file_exists(job.depfile));
    ASSERT(bench_read(&b, job.report, &bytes, &size)); // the report says why
    ASSERT(strstr((char*)bytes, "\"ok\": false") != NULL);
    ASSERT(strstr((char*)bytes, "/parts") != NULL);
    bench_end(&b);
    PASS();
}

TEST exit_codes_are_distinct(void) {
    bench b;
    ASSERT(bench_begin(&b));
    const char* out = bench_path(&b, "o.hem");
    char path[600];
    ASSERT(kit_write(b.folder, "bad.rsp", "'open", 5, path));
    struct {
        const char* words[8];
        uint32_t count;
        int code;
        const char* says;
    } rows[] = {
        {{NULL}, 0, HEMC_USAGE, "Examples"},
        {{"--help"}, 1, HEMC_OK, ""},
        {{"--version"}, 1, HEMC_OK, ""},
        {{"--outptu", "x", b.input}, 3, HEMC_USAGE, "did you mean --output?"},
        {{b.input}, 1, HEMC_USAGE, "no output"},
        {{"-o", out}, 2, HEMC_USAGE, "no input"},
        {{b.input, b.input, "-o", out}, 4, HEMC_USAGE, "more than one input"},
        {{b.input, "-o"}, 2, HEMC_USAGE, "a value must follow"},
        {{b.input, "-o", b.input}, 3, HEMC_USAGE, "the same file"},
        {{b.input, "-o", out, "-j", "4"}, 5, HEMC_USAGE, "-j goes with --batch"},
        {{"--batch", "x.json", "-j", "0"}, 4, HEMC_USAGE, "1 to 256"},
        {{"--batch", "x.json", "-o", out}, 4, HEMC_USAGE, "from its list"},
        {{"--batch", bench_path(&b, "none.json")}, 2, HEMC_IO, "cannot read the list"},
        {{bench_path(&b, "none.glb"), "-o", out}, 3, HEMC_IO, "none.glb"},
        {{b.recipe, "-o", out}, 3, HEMC_INPUT, "has no \"asset\""},
        {{b.input, "-o", out, "-r", bench_path(&b, "none.json")}, 5, HEMC_IO, "cannot read the recipe"},
        {{b.input, "-o", bench_path(&b, "a.glb/folder/o.hem"), "-r", b.recipe, "-q"}, 6, HEMC_IO, "a.glb/folder"},
        {{b.input, "-o", out, "-r", b.recipe, "--picture", "p.png"}, 7, HEMC_USAGE, "no renderer"},
        {{hemc_format(b.arena, "@%s", path)}, 1, HEMC_IO, "has no end"},
        {{"@none.rsp"}, 1, HEMC_IO, "response file"},
        {{b.input, hemc_format(b.arena, "--output=%s", out), "-r", b.recipe, "-v"}, 5, HEMC_OK, "particles"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        static char name[32];
        snprintf(name, sizeof(name), "row %zu", i);
        ASSERT_EQm(name, rows[i].code, bench_run(&b, rows[i].words, rows[i].count));
        uint8_t* text;
        size_t size;
        ASSERT(bench_read(&b, bench_path(&b, "stderr.txt"), &text, &size));
        if (strstr((char*)text, rows[i].says) == NULL) {
            printf("    %s\n", (char*)text);
        }
        ASSERTm(name, strstr((char*)text, rows[i].says) != NULL);
    }
    bench_end(&b);
    PASS();
}

// What the format cannot hold is a fault of the input, named with its part and its file, never one of the program.
TEST numbers_out_of_range_are_the_inputs_fault(void) {
    bench b;
    ASSERT(bench_begin(&b));
    static const struct {
        const char* keys;
        const char* says;
    } rows[] = {
        {"\"scale\": 1e6, \"parts\": [ { \"name\": \"sheet\", \"select\": { \"node\": \"Sheet\" } } ]",
         "is more than 1000 km away; is the model in metres?"},
        {"\"scale\": 1e-7, \"parts\": [ { \"name\": \"sheet\", \"select\": { \"node\": \"Sheet\" } } ]",
         "w.json:/parts/0: error: a particle of part \"sheet\" is smaller than"},
        {"\"scale\": 3e4, \"parts\": [ { \"name\": \"sheet\", \"select\": { \"node\": \"Sheet\" } } ]",
         "w.json:/parts/0: error: a particle of part \"sheet\" weighs more than"},
        {"\"parts\": [ { \"name\": \"sheet\", \"select\": { \"node\": \"Sheet\" }, \"mass\": 1e-9 } ]",
         "w.json:/parts/0: error: a particle of part \"sheet\" weighs less than"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char path[600];
        char* text = hemc_format(b.arena, "{ %s, \"body\": false }", rows[i].keys);
        ASSERT(kit_write(b.folder, "w.json", text, strlen(text), path));
        hemc_job job = {.input = b.input, .recipe = path, .verbosity = -1};
        hemc_outcome out;
        hemc_execute(&job, &out, NULL, NULL);
        if (out.exit_code != HEMC_INPUT || strstr(out.messages, rows[i].says) == NULL) {
            printf("    %d %s\n", out.exit_code, out.messages != NULL ? out.messages : "");
        }
        ASSERT_EQm(rows[i].says, HEMC_INPUT, out.exit_code);
        ASSERTm(rows[i].says, strstr(out.messages, rows[i].says) != NULL);
        hemc_outcome_free(&out);
    }
    bench_end(&b);
    PASS();
}

// Names out of files are escaped where they are shown.
TEST messages_cannot_speak_to_the_terminal(void) {
    bench b;
    ASSERT(bench_begin(&b));
    char path[600];
    static const char text[] = "{ \"\\u001b[2J\": 1, \"parts\": [] }";
    ASSERT(kit_write(b.folder, "w.json", text, strlen(text), path));
    const char* words[] = {b.input, "-r", path, "-o", bench_path(&b, "o.hem")};
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, words, 5));
    uint8_t* said;
    size_t size;
    ASSERT(bench_read(&b, bench_path(&b, "stderr.txt"), &said, &size));
    ASSERT(memchr(said, 0x1b, size) == NULL);
    ASSERT(strstr((char*)said, "/\\x1b[2J: error: unknown key") != NULL);
    bench_end(&b);
    PASS();
}

TEST response_files_hold_arguments(void) {
    bench b;
    ASSERT(bench_begin(&b));
    char* text = hemc_format(b.arena, "-r \"%s\"\n  -o '%s/a b.hem'\t--ship -q", b.recipe, b.folder);
    char path[600];
    ASSERT(kit_write(b.folder, "args.rsp", text, strlen(text), path));
    const char* words[] = {b.input, hemc_format(b.arena, "@%s", path)};
    ASSERT_EQ(0, bench_run(&b, words, 2));
    ASSERT(hem_file_exists(bench_path(&b, "a b.hem")));
    bench_end(&b);
    PASS();
}

TEST ship_leaves_out_the_preview(void) {
    bench b;
    ASSERT(bench_begin(&b));
    uint8_t *whole = NULL, *ship = NULL;
    size_t n1, n2;
    hemc_job job = {.input = b.input, .recipe = b.recipe, .verbosity = -1};
    ASSERT_EQ(0, hemc_compile(&job, &whole, &n1));
    job.ship = true;
    ASSERT_EQ(0, hemc_compile(&job, &ship, &n2));
    ASSERT(n2 < n1);
    hem_view view;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(ship, n2, &view, NULL));
    ASSERT_EQ(0, view.clip_count);
    ASSERT_EQ(NULL, view.preview_indices);
    hemc_free(whole);
    hemc_free(ship);
    bench_end(&b);
    PASS();
}

// Skins every vertex after half a second of the asset's own simulation; returns how many, 0 = something failed.
static uint32_t play_and_skin(const uint8_t* bytes, size_t size, float* positions) {
    hem_asset asset;
    hem_scene* scene = NULL;
    hem_instance_id id;
    hem_memory need;
    if (hem_asset_open(&asset, bytes, size) != HEM_OK) {
        return 0;
    }
    hem_slot_def slot = {&asset, 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return 0;
    }
    void* block = aligned_alloc(need.align, (need.size + need.align - 1) / need.align * need.align);
    hem_instance_def one = hem_instance_def_default();
    one.asset = &asset;
    hem_view view;
    bool good = hem_scene_init(&scene, &def, block, need.size) == HEM_OK && hem_scene_add(scene, &one, &id) == HEM_OK &&
                hem_validate(bytes, size, &view, NULL) == HEM_FORMAT_OK;
    for (int i = 0; i < 30 && good; ++i) {
        good = hem_scene_step(scene, &(hem_step_args){.dt_seconds = 1.0f / 60.0f}) == HEM_OK;
    }
    uint32_t count = good ? view.info->vertex_count : 0;
    good =
        good && hem_instance_skin(scene, id, &(hem_skin_args){.vertex_count = count, .positions = positions}) == HEM_OK;
    free(block);
    return good ? count : 0;
}

// The flag hangs on a bone and no particle moves it: the game draws it, the file need not hold it.
TEST ship_keeps_only_meshes_that_move(void) {
    bench b;
    ASSERT(bench_begin(&b));
    uint8_t *whole = NULL, *ship = NULL, *all = NULL;
    size_t n1, n2, n3;
    hemc_job job = {.input = b.input, .recipe = b.recipe, .verbosity = -1};
    ASSERT_EQ(0, hemc_compile(&job, &whole, &n1));
    job.ship = true;
    job.report = bench_path(&b, "ship.json");
    ASSERT_EQ(0, hemc_compile(&job, &ship, &n2));
    job.ship_all = true;
    job.report = NULL;
    ASSERT_EQ(0, hemc_compile(&job, &all, &n3));
    hem_view v1, v2, v3;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(whole, n1, &v1, NULL));
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(ship, n2, &v2, NULL));
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(all, n3, &v3, NULL));
    ASSERT_EQ(2, v1.mesh_count);
    ASSERT_EQ(2, v3.mesh_count);
    ASSERT_EQ(KIT_VERTICES + KIT_FLAG_VERTICES, v3.info->vertex_count);
    ASSERT_EQ(1, v2.mesh_count);
    ASSERT_EQ(KIT_VERTICES, v2.info->vertex_count);
    ASSERT(v2.meshes[0].flags & HEM_MESH_DYNAMIC);
    ASSERT_EQ(v1.info->bone_count, v2.info->bone_count); // the pose is the same
    // Particles and what is left of the vertices move alike, bit for bit.
    uint32_t moving = v1.meshes[0].flags & HEM_MESH_DYNAMIC ? 0 : 1;
    ASSERT_EQ(v1.meshes[moving].source_node, v2.meshes[0].source_node);
    float one[KIT_VERTICES + KIT_FLAG_VERTICES][3], two[KIT_VERTICES + KIT_FLAG_VERTICES][3];
    ASSERT_EQ(KIT_VERTICES + KIT_FLAG_VERTICES, play_and_skin(whole, n1, one[0]));
    ASSERT_EQ(KIT_VERTICES, play_and_skin(ship, n2, two[0]));
    ASSERT_EQ(0, memcmp(one[v1.meshes[moving].vertex_begin], two[0], KIT_VERTICES * sizeof(one[0])));
    // Who looks into the report finds what is missing.
    uint8_t* text;
    size_t size;
    ASSERT(bench_read(&b, bench_path(&b, "ship.json"), &text, &size));
    ASSERT(strstr((char*)text, "\"vertices\": 4}") != NULL &&
           strstr((char*)text, "\"left_out\": {\"meshes\": [\"Flag") != NULL);
    hemc_free(whole);
    hemc_free(ship);
    hemc_free(all);
    // On the command line.
    const char* words[] = {b.input, "-r", b.recipe, "-o", bench_path(&b, "a.hem"), "--ship=all"};
    ASSERT_EQ(HEMC_OK, bench_run(&b, words, 6));
    words[5] = "--ship=most";
    ASSERT_EQ(HEMC_USAGE, bench_run(&b, words, 6));
    bench_end(&b);
    PASS();
}

TEST strict_turns_warnings_into_errors(void) {
    bench b;
    ASSERT(bench_begin(&b));
    kit_data d = kit_good();
    d.joints[4][3] = 77; // mended with a warning
    size_t size;
    uint8_t* glb = kit_glb(b.arena, &d, NULL, NULL, &size);
    ASSERT(kit_write(b.folder, "a.glb", glb, size, b.input));
    hemc_job job = {.input = b.input,
                    .recipe = b.recipe,
                    .output = bench_path(&b, "a.hem"),
                    .cache = bench_path(&b, "cache"),
                    .verbosity = -1};
    ASSERT_EQ(0, hemc_run(&job));
    hem_file_remove(job.output, NULL);
    job.strict = true; // also when a lenient compile is in the cache
    int err = bench_divert(stderr, bench_path(&b, "stderr.txt"));
    int code = hemc_run(&job);
    bench_restore(stderr, err);
    ASSERT_EQ(HEMC_VALIDATION, code);
    ASSERT_FALSE(hem_file_exists(job.output));
    bench_end(&b);
    PASS();
}

// -- Depfiles

TEST depfiles_are_escaped(void) {
    hemc_arena* arena = hemc_arena_create();
    const char* inputs[] = {"plain.glb", "a b#c$d.json", "back\\ slash"};
    ASSERT_STR_EQ("out\\ put.hem: \\\n  plain.glb \\\n  a\\ b\\#c$$d.json \\\n  back\\\\\\ slash\n",
                  hemc_depfile_make(arena, "out put.hem", inputs, 3));
    hemc_arena_destroy(arena);
    PASS();
}

TEST make_reads_the_depfile(void) {
#ifdef _WIN32
    SKIPm("no make");
#else
    if (system("make --version > /dev/null 2>&1") != 0) {
        SKIPm("no make");
    }
    bench b;
    ASSERT(bench_begin(&b));
    kit_data d = kit_good();
    size_t size;
    char* text = kit_gltf(b.arena, &d, ", \"uri\": \"data:application/octet-stream;base64,",
                          ", \"uri\": \"a%20b%23%24.bin\", \"x\": \"", &size);
    char input[600], bin[600], recipe[600], makefile[600];
    ASSERT(kit_write(b.folder, "a b#c$d.gltf", text, size, input));
    ASSERT(kit_write(b.folder, "a b#$.bin", &d, sizeof(d), bin));
    ASSERT(kit_write(b.folder, "r $(x).json", bench_recipe, strlen(bench_recipe), recipe));
    static const char rules[] = "include a.d\n%.hem:\n\ttouch built\n";
    ASSERT(kit_write(b.folder, "Makefile", rules, strlen(rules), makefile));
    hemc_job job = {.input = input,
                    .recipe = recipe,
                    .output = bench_path(&b, "a.hem"),
                    .depfile = bench_path(&b, "a.d"),
                    .verbosity = -1};
    ASSERT_EQ(0, hemc_run(&job));
    char* question = hemc_format(b.arena, "cd '%s' && make -q -f Makefile '%s' > make.txt 2>&1", b.folder, job.output);
    ASSERT_EQ(0, system(question)); // up to date
    const char* parts[] = {"a b#c$d.gltf", "a b#$.bin", "r $(x).json"};
    for (int i = 0; i < 3; ++i) {
        uint8_t* bytes;
        size_t n;
        char path[600];
        ASSERT(bench_read(&b, bench_path(&b, parts[i]), &bytes, &n));
        ASSERT(kit_write(b.folder, parts[i], bytes, n, path)); // newer than the output
        ASSERT_NEQm(parts[i], 0, system(question));
        ASSERT(bench_read(&b, job.output, &bytes, &n));
        ASSERT(kit_write(b.folder, "a.hem", bytes, n, path));
        ASSERT_EQm(parts[i], 0, system(question));
    }
    bench_end(&b);
    PASS();
#endif
}

// -- Cache

static char* only_entry(bench* b, const char* extension) {
    hem_directory_list outer, inner;
    char* found = NULL;
    char* cache = bench_path(b, "cache");
    if (!hem_directory_read(cache, &outer, NULL)) {
        return NULL;
    }
    for (size_t i = 0; i < outer.count; ++i) {
        char* folder = hemc_format(b->arena, "%s/%s", cache, outer.entries[i].name);
        if (hem_directory_read(folder, &inner, NULL)) {
            for (size_t k = 0; k < inner.count; ++k) {
                if (strcmp(hem_path_extension(inner.entries[k].name), extension) == 0) {
                    found = hemc_format(b->arena, "%s/%s", folder, inner.entries[k].name);
                }
            }
            hem_directory_list_free(&inner);
        }
    }
    hem_directory_list_free(&outer);
    return found;
}

static bool report_says(bench* b, const char* path, const char* words) {
    uint8_t* text;
    size_t size;
    hemc_log log = {.arena = b->arena};
    return bench_read(b, path, &text, &size) && strstr((char*)text, words) != NULL &&
           hemc_json_parse(b->arena, &log, "r", "", (char*)text, size, false) != NULL;
}

TEST the_cache_gives_back_what_it_took(void) {
    bench b;
    ASSERT(bench_begin(&b));
    hemc_job job = {.input = b.input,
                    .recipe = b.recipe,
                    .output = bench_path(&b, "1.hem"),
                    .report = bench_path(&b, "1.json"),
                    .cache = bench_path(&b, "cache"),
                    .verbosity = -1};
    ASSERT_EQ(0, hemc_run(&job));
    ASSERT(report_says(&b, job.report, "\"cache\": \"miss\""));
    job.output = bench_path(&b, "2.hem");
    ASSERT_EQ(0, hemc_run(&job));
    ASSERT(report_says(&b, job.report, "\"cache\": \"hit\""));
    ASSERT(bench_same_file(&b, bench_path(&b, "1.hem"), bench_path(&b, "2.hem")));
    // Anything that matters makes another key.
    job.ship = true;
    ASSERT_EQ(0, hemc_run(&job));
    ASSERT(report_says(&b, job.report, "\"cache\": \"miss\""));
    job.ship = false;
    char* other = hemc_format(b.arena, "%s ", bench_recipe);
    ASSERT(kit_write(b.folder, "r.json", other, strlen(other), b.recipe));
    ASSERT_EQ(0, hemc_run(&job));
    ASSERT(report_says(&b, job.report, "\"cache\": \"miss\""));
    kit_data d = kit_good();
    d.positions[0][0] += 1e-4f;
    size_t size;
    uint8_t* glb = kit_glb(b.arena, &d, NULL, NULL, &size);
    ASSERT(kit_write(b.folder, "a.glb", glb, size, b.input));
    ASSERT_EQ(0, hemc_run(&job));
    ASSERT(report_says(&b, job.report, "\"cache\": \"miss\""));
    bench_end(&b);
    PASS();
}

TEST damaged_entries_are_made_anew(void) {
    bench b;
    ASSERT(bench_begin(&b));
    hemc_job job = {.input = b.input,
                    .recipe = b.recipe,
                    .output = bench_path(&b, "1.hem"),
                    .report = bench_path(&b, "1.json"),
                    .cache = bench_path(&b, "cache"),
                    .verbosity = -1};
    ASSERT_EQ(0, hemc_run(&job));
    job.output = bench_path(&b, "2.hem");
    char* entry = only_entry(&b, ".hem");
    char* json = only_entry(&b, ".json");
    ASSERT(entry != NULL && json != NULL);
    uint8_t* good;
    size_t size;
    ASSERT(bench_read(&b, entry, &good, &size));
    size_t places[] = {0, 8, 16, 40, 60, 80, 100, 250, size / 2, size - 1};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
        uint8_t* bad = hemc_alloc(b.arena, size, 1);
        memcpy(bad, good, size);
        bad[places[i]] ^= 0x10;
        ASSERT(hem_file_write(entry, bad, size, 0, NULL));
        ASSERT_EQ(0, hemc_run(&job));
        ASSERT(report_says(&b, job.report, "\"cache\": \"miss\""));
        ASSERT(bench_same_file(&b, bench_path(&b, "1.hem"), bench_path(&b, "2.hem")));
        ASSERT(bench_same_file(&b, bench_path(&b, "1.hem"), entry)); // and the entry is mended
    }
    for (size_t cut = 0; cut < size; cut += size / 5) {
        ASSERT(hem_file_write(entry, good, cut, 0, NULL));
        ASSERT_EQ(0, hemc_run(&job));
        ASSERT(bench_same_file(&b, bench_path(&b, "1.hem"), bench_path(&b, "2.hem")));
    }
    ASSERT(hem_file_write(json, "{", 1, 0, NULL));
    ASSERT_EQ(0, hemc_run(&job));
    ASSERT(report_says(&b, job.report, "\"cache\": \"miss\""));
    ASSERT_EQ(0, hemc_run(&job));
    ASSERT(report_says(&b, job.report, "\"cache\": \"hit\""));
    bench_end(&b);
    PASS();
}

TEST warnings_come_back_from_the_cache(void) {
    bench b;
    ASSERT(bench_begin(&b));
    kit_data d = kit_good();
    d.joints[4][3] = 77;
    size_t size;
    uint8_t* glb = kit_glb(b.arena, &d, NULL, NULL, &size);
    ASSERT(kit_write(b.folder, "a.glb", glb, size, b.input));
    hemc_job job = {
        .input = b.input, .recipe = b.recipe, .output = bench_path(&b, "a.hem"), .cache = bench_path(&b, "cache")};
    for (int i = 0; i < 2; ++i) {
        hemc_outcome out;
        hemc_execute(&job, &out, NULL, NULL);
        ASSERT_EQ(i == 1, out.cached);
        ASSERT_EQ(0, out.exit_code);
        ASSERT_EQ(1, out.warning_count);
        ASSERT(out.messages != NULL &&
               strstr(out.messages, "a.glb:/meshes/0/primitives/0: warning: 1 influences") != NULL);
        hemc_outcome_free(&out);
    }
    bench_end(&b);
    PASS();
}

typedef struct crowd {
    bench* b;
    hemc_job jobs[8];
    int codes[8];
} crowd;

static void compile_some(void* user, uint32_t begin, uint32_t end, uint32_t worker) {
    crowd* c = user;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        hemc_outcome out;
        hemc_execute(&c->jobs[i], &out, NULL, NULL);
        c->codes[i] = out.exit_code;
        hemc_outcome_free(&out);
    }
}

TEST many_at_once_share_a_cache(void) {
    bench b;
    ASSERT(bench_begin(&b));
    crowd c = {.b = &b};
    for (int i = 0; i < 8; ++i) {
        c.jobs[i] = (hemc_job){.input = b.input,
                               .recipe = b.recipe,
                               .output = bench_path(&b, hemc_format(b.arena, "%d.hem", i)),
                               .cache = bench_path(&b, "cache"),
                               .verbosity = -1};
    }
    hem_parallel_for(8, 8, compile_some, &c);
    for (int i = 0; i < 8; ++i) {
        ASSERT_EQ(0, c.codes[i]);
        ASSERT(bench_same_file(&b, c.jobs[0].output, c.jobs[i].output));
    }
    ASSERT(bench_same_file(&b, c.jobs[0].output, only_entry(&b, ".hem")));
    bench_end(&b);
    PASS();
}

// -- Batches

TEST a_batch_goes_on_after_a_failure(void) {
    bench b;
    ASSERT(bench_begin(&b));
    char path[600];
    static const char list[] =
        "// three\n[ {\"input\": \"a.glb\", \"recipe\": \"r.json\", \"output\": \"1.hem\", \"report\": \"1.json\"},\n"
        "  {\"input\": \"r.json\", \"output\": \"2.hem\"},\n  {\"input\": \"a.glb\", \"recipe\": \"r.json\", "
        "\"output\": \"3.hem\", \"ship\": true} ]";
    ASSERT(kit_write(b.folder, "list.json", list, strlen(list), path));
    const char* words[] = {"--batch", path, "-j", "3", "-q"};
    ASSERT_EQ(HEMC_INPUT, bench_run(&b, words, 5));
    ASSERT(hem_file_exists(bench_path(&b, "1.hem")) && hem_file_exists(bench_path(&b, "1.json")));
    ASSERT_FALSE(hem_file_exists(bench_path(&b, "2.hem")));
    ASSERT(hem_file_exists(bench_path(&b, "3.hem")));
#ifndef _WIN32
    uint8_t* text;
    size_t size;
    ASSERT(bench_read(&b, bench_path(&b, "stdout.txt"), &text, &size));
    uint32_t lines = 0, failed = 0;
    for (char* line = strtok((char*)text, "\n"); line != NULL; line = strtok(NULL, "\n"), ++lines) {
        hemc_log log = {.arena = b.arena};
        const hemc_json* json = hemc_json_parse(b.arena, &log, "line", "", line, strlen(line), false);
        ASSERTm(line, json != NULL);
        failed += hemc_json_member(json, "exit")->number != 0 ? 1 : 0;
        ASSERT(hemc_json_member(json, "messages")->kind == HEMC_JSON_ARRAY);
    }
    ASSERT_EQ(3, lines);
    ASSERT_EQ(1, failed);
#endif
    bench_end(&b);
    PASS();
}

TEST wrong_lists_are_named(void) {
    bench b;
    ASSERT(bench_begin(&b));
    static const struct {
        const char* text;
        const char* says;
    } rows[] = {
        {"{}", "must be an array of assets"},
        {"[1]", "/0: error: must be an object"},
        {"[{\"input\": \"a.glb\"}]", "/0: error: has no \"output\""},
        {"[{\"input\": \"a.glb\", \"output\": \"b\", \"outptu\": 1}]", "/0/outptu: error: unknown key"},
        {"[{\"input\": \"a.glb\", \"output\": 3}]", "/0/output: error: must be a path"},
        {"[{\"input\": \"a.glb\", \"output\": \"b\"}, {\"input\": \"a.glb\", \"output\": \"b\"}]",
         "/1: error: writes the same file as asset 0"},
        {"[", "1:1: error"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char path[600];
        ASSERT(kit_write(b.folder, "list.json", rows[i].text, strlen(rows[i].text), path));
        const char* words[] = {"--batch", path};
        ASSERT_EQm(rows[i].text, HEMC_INPUT, bench_run(&b, words, 2));
        uint8_t* text;
        size_t size;
        ASSERT(bench_read(&b, bench_path(&b, "stderr.txt"), &text, &size));
        ASSERTm(rows[i].says, strstr((char*)text, rows[i].says) != NULL);
    }
    bench_end(&b);
    PASS();
}

// -- Memory

TEST memory_may_run_out_anywhere(void) {
    bench b;
    ASSERT(bench_begin(&b));
    hemc_job job = {.input = b.input,
                    .recipe = b.recipe,
                    .output = bench_path(&b, "a.hem"),
                    .report = bench_path(&b, "a.json"),
                    .verbosity = -1};
    uint32_t failures = 0;
    bool succeeded = false;
    // Every allocation of the first, those of the import and of cgltf among them, then ever wider steps; all stages are met.
    for (int64_t n = 0; n < 1000000 && !succeeded; n += n < 500 ? 1 : n / 40) {
        hemc_outcome out;
        hemc_fail_allocation_at(n);
        hemc_execute(&job, &out, NULL, NULL);
        hemc_fail_allocation_at(-1);
        succeeded = out.exit_code == HEMC_OK;
        if (!succeeded) {
            if (out.exit_code != HEMC_MEMORY) {
                printf("    allocation %d: %s\n", (int)n, out.messages != NULL ? out.messages : "");
            }
            ASSERT_EQ(HEMC_MEMORY, out.exit_code);
            ASSERT(out.messages != NULL);
            ++failures;
        }
        hemc_outcome_free(&out);
    }
    ASSERT(succeeded);
    ASSERT(failures > 100);
    bench_end(&b);
    PASS();
}

// Not for a moment but for good, from any allocation on: there is a message and a code all the same.
TEST memory_may_be_gone_for_good(void) {
    bench b;
    ASSERT(bench_begin(&b));
    const char* single[] = {b.input, "-r", b.recipe, "-o", bench_path(&b, "a.hem"), "-q"};
    char list[600];
    static const char text[] = "[{\"input\": \"a.glb\", \"recipe\": \"r.json\", \"output\": \"b.hem\"}]";
    ASSERT(kit_write(b.folder, "list.json", text, strlen(text), list));
    const char* many[] = {"--batch", list, "-j", "1", "-q"};
    for (int batch = 0; batch < 2; ++batch) {
        int code = -1;
        uint32_t failures = 0;
        for (int64_t n = 0; n < 1000000 && code != HEMC_OK; n += n < 40 ? 1 : n / 12) {
            code = bench_run_without_memory(&b, batch ? many : single, batch ? 5 : 6, n);
            failures += code != HEMC_OK ? 1 : 0;
            if (code != HEMC_OK) {
                uint8_t *err, *out;
                size_t size;
                ASSERT_EQ(HEMC_MEMORY, code);
                ASSERT(bench_read(&b, bench_path(&b, "stderr.txt"), &err, &size));
                ASSERT(bench_read(&b, bench_path(&b, "stdout.txt"), &out, &size));
                ASSERT(strstr((char*)err, "out of memory") != NULL || strstr((char*)out, "out of memory") != NULL);
            }
        }
        ASSERT_EQ(HEMC_OK, code);
        ASSERT(failures > 40);
    }
    bench_end(&b);
    PASS();
}

SUITE(front_cli_suite) {
    RUN_TEST(a_compile_writes_its_files);
    RUN_TEST(the_same_bytes_every_time);
    RUN_TEST(a_failure_leaves_what_was_there);
    RUN_TEST(exit_codes_are_distinct);
    RUN_TEST(numbers_out_of_range_are_the_inputs_fault);
    RUN_TEST(messages_cannot_speak_to_the_terminal);
    RUN_TEST(response_files_hold_arguments);
    RUN_TEST(ship_leaves_out_the_preview);
    RUN_TEST(ship_keeps_only_meshes_that_move);
    RUN_TEST(strict_turns_warnings_into_errors);
    RUN_TEST(depfiles_are_escaped);
    RUN_TEST(make_reads_the_depfile);
    RUN_TEST(the_cache_gives_back_what_it_took);
    RUN_TEST(damaged_entries_are_made_anew);
    RUN_TEST(warnings_come_back_from_the_cache);
    RUN_TEST(many_at_once_share_a_cache);
    RUN_TEST(a_batch_goes_on_after_a_failure);
    RUN_TEST(wrong_lists_are_named);
    RUN_TEST(memory_may_run_out_anywhere);
    RUN_TEST(memory_may_be_gone_for_good);
}
