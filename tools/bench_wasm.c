// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"
#include "tools/bytes.h"
#include "platform/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Hem and Jolt as WebAssembly modules in one node process. The cloth is made here and handed over as a file, so that both
// get the very same numbers:
//
//   uint32 particles, links, instances, frames with capsules (0 = none), capsules, bytes of the asset, width, height
//   float[3] positions, float mass, uint32 pinned                                   per particle
//   uint32 a, b, kind                                                               per link
//   float[3] origin                                                                 per instance
//   float position[3], rotation[4], radius, half                                    per capsule and frame
//   the asset, on a multiple of 64 from the start
//
// tools/bench_wasm.mjs prints a line per contestant: workload, name, median, p99 and best in ms, stretch mean and max,
// deep, bytes per particle; or "note" and a sentence.

static void put(bytes* b, uint32_t value) {
    bytes_append(b, &value, sizeof(value));
}

static bool write_world(const bench* b, const bench_world* world, const char* path) {
    const bench_sheet* s = world->sheet;
    uint8_t* asset = NULL;
    size_t asset_size = 0;
    if (bench_sheet_compile(s, false, &asset, &asset_size) != 0) {
        return false;
    }
    int32_t frames = world->variant == BENCH_CAPSULED ? b->warm_count + b->frame_count : 0;
    bytes out = {0};
    put(&out, (uint32_t)s->count);
    put(&out, (uint32_t)s->link_count);
    put(&out, (uint32_t)world->instance_count);
    put(&out, (uint32_t)frames);
    put(&out, BENCH_CAPSULES);
    put(&out, (uint32_t)asset_size);
    put(&out, (uint32_t)s->width);
    put(&out, (uint32_t)s->height);
    for (int32_t i = 0; i < s->count; i++) {
        bytes_append(&out, s->positions[i], sizeof(s->positions[i]));
        bytes_append(&out, &s->mass[i], sizeof(float));
        put(&out, s->pinned[i]);
    }
    for (size_t i = 0; i < s->link_count; i++) {
        put(&out, s->links[i].a);
        put(&out, s->links[i].b);
        put(&out, s->links[i].kind);
    }
    for (int32_t i = 0; i < world->instance_count; i++) {
        float origin[3];
        bench_origin(i, origin);
        bytes_append(&out, origin, sizeof(origin));
    }
    for (int32_t frame = 0; frame < frames; frame++) {
        bench_capsule capsules[BENCH_CAPSULES];
        bench_capsules_at((float)(frame + 1) * BENCH_DT, capsules);
        bytes_append(&out, capsules, sizeof(capsules));
    }
    while (out.size % 64 != 0) {
        bytes_append_u8(&out, 0);
    }
    bytes_append(&out, asset, asset_size);
    bool good = !out.failed && hem_file_write(path, out.data, out.size, 0, NULL);
    bytes_destroy(&out);
    hemc_free(asset);
    return good;
}

static double value_of(const char* word) {
    return strcmp(word, "-") == 0 ? NAN : atof(word);
}

static void take_line(bench* b, const bench_world* world, const char* workload, const char* line) {
    char name[16], words[7][32];
    if (strncmp(line, "note ", 5) == 0) {
        bench_note(b, "%s", line + 5);
        return;
    }
    if (sscanf(line, "%15s %31s %31s %31s %31s %31s %31s %31s", name, words[0], words[1], words[2], words[3], words[4],
               words[5], words[6]) != 8) {
        return;
    }
    bench_result* r = bench_add(b, workload, name);
    if (r != NULL) {
        r->times = (bench_times){value_of(words[0]), value_of(words[1]), value_of(words[2])};
        r->particle_count = (double)world->sheet->count * (double)world->instance_count;
        r->projection_count = (double)world->sheet->link_count * (double)world->instance_count * BENCH_SUBSTEPS;
        r->stretch_mean = value_of(words[3]);
        r->stretch_max = value_of(words[4]);
        r->deep = world->variant == BENCH_CAPSULED ? value_of(words[5]) : NAN;
        r->bytes_per_particle = value_of(words[6]);
    }
}

static bool run(bench* b, const char* workload, const bench_world* world, const char* module) {
    char path[BENCH_PATH_MAX], out[BENCH_PATH_MAX], command[5 * BENCH_PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s.world", b->work_folder, workload);
    snprintf(out, sizeof(out), "%s/%s.txt", b->work_folder, workload);
    if (!write_world(b, world, path)) {
        bench_note(b, "%s: cannot write %s", workload, path);
        return false;
    }
    snprintf(command, sizeof(command), "node tools/bench_wasm.mjs \"%s\" \"%s\" %d %d >\"%s\" 2>\"%s/wasm.log\"",
             module, path, (int)b->warm_count, (int)b->frame_count, out, b->work_folder);
    int code = system(command);
    hem_bytes text;
    if (code != 0 || !hem_file_read(out, &text, NULL)) {
        bench_note(b, "%s: tools/bench_wasm.mjs failed; see %s/wasm.log", workload, b->work_folder);
        return false;
    }
    for (char* line = strtok((char*)text.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        take_line(b, world, workload, line);
    }
    hem_bytes_free(&text);
    return true;
}

void bench_run_wasm(bench* b) {
    static const struct {
        const char* name;
        int32_t width, height, instances;
        bench_variant variant;
    } RUNS[] = {{"sheet-1406", 37, 38, 1, BENCH_PLAIN},
                {"sheet-1406-capsules", 37, 38, 1, BENCH_CAPSULED},
                {"sheet-6400", 80, 80, 1, BENCH_PLAIN},
                {"crowd-100x400", 20, 20, 100, BENCH_PLAIN}};
    char module[BENCH_PATH_MAX];
    bool wanted = false;
    for (size_t i = 0; i < sizeof(RUNS) / sizeof(RUNS[0]); i++) {
        wanted = wanted || bench_wants(b, RUNS[i].name);
    }
    if (!b->peers || !wanted) {
        return;
    }
    snprintf(module, sizeof(module), "%s/wasm/hem.wasm", b->folders.bin);
    if (!hem_file_exists(module)) {
        bench_note(b, "no %s: 'make bench' builds it; without it there is nothing to compare in WebAssembly", module);
        return;
    }
    if (system("node --version >/dev/null 2>&1") != 0) {
        bench_note(b, "node is not installed: WebAssembly is not measured");
        return;
    }
    for (size_t i = 0; i < sizeof(RUNS) / sizeof(RUNS[0]); i++) {
        if (!bench_wants(b, RUNS[i].name)) {
            continue;
        }
        char text[64];
        snprintf(text, sizeof(text), "%s in WebAssembly", RUNS[i].name);
        bench_progress(text);
        bench_sheet sheet;
        if (!bench_sheet_create(&sheet, RUNS[i].width, RUNS[i].height)) {
            bench_note(b, "no memory for a sheet");
            return;
        }
        const bench_world world = {&sheet, RUNS[i].variant, RUNS[i].instances};
        bool good = run(b, RUNS[i].name, &world, module);
        bench_sheet_destroy(&sheet);
        if (!good) {
            return;
        }
    }
}
