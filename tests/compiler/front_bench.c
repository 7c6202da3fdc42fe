// SPDX-License-Identifier: MIT
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L // dup, fileno
#endif
#include "front_bench.h"
#include "front_kit.h"

#include <stdio.h>
#include <string.h>
#ifndef _WIN32
#include <unistd.h>
#endif

const char bench_recipe[] =
    "{ \"parts\": [ { \"name\": \"sheet\", \"select\": { \"node\": \"Sheet\" }, \"spacing\": 0.3,\n"
    "  \"attach\": { \"top\": 0.2 } } ] }";

char* bench_path(bench* b, const char* name) {
    return hemc_format(b->arena, "%s/%s", b->folder, name);
}

bool bench_begin(bench* b) {
    memset(b, 0, sizeof(*b));
    b->arena = hemc_arena_create();
    kit_data d = kit_good();
    size_t size;
    uint8_t* glb = kit_glb(b->arena, &d, NULL, NULL, &size);
    return kit_folder(b->folder) && kit_write(b->folder, "a.glb", glb, size, b->input) &&
           kit_write(b->folder, "r.json", bench_recipe, strlen(bench_recipe), b->recipe);
}

void bench_end(bench* b) {
    kit_folder_end(b->folder);
    hemc_arena_destroy(b->arena);
}

bool bench_read(bench* b, const char* path, uint8_t** bytes, size_t* size) {
    return hemc_read_file(b->arena, path, bytes, size);
}

bool bench_same_file(bench* b, const char* one, const char* two) {
    uint8_t *x, *y;
    size_t nx, ny;
    return bench_read(b, one, &x, &nx) && bench_read(b, two, &y, &ny) && nx == ny && memcmp(x, y, nx) == 0;
}

// stdout or stderr into a file while something talks; -1 where that cannot be done.
int bench_divert(FILE* stream, const char* path) {
#ifndef _WIN32
    fflush(stream);
    int saved = dup(fileno(stream));
    FILE* to = fopen(path, "wb");
    if (to == NULL || saved < 0) {
        return -1;
    }
    dup2(fileno(to), fileno(stream));
    fclose(to);
    return saved;
#else
    (void)stream;
    (void)path;
    return -1;
#endif
}

void bench_restore(FILE* stream, int saved) {
#ifndef _WIN32
    fflush(stream);
    if (saved >= 0) {
        dup2(saved, fileno(stream));
        close(saved);
    }
#else
    (void)stream;
    (void)saved;
#endif
}

int bench_run_without_memory(bench* b, const char* const* words, uint32_t count, int64_t n) {
    char* argv[32] = {"hemc"};
    for (uint32_t i = 0; i < count; ++i) {
        argv[i + 1] = hemc_copy_string(b->arena, words[i], strlen(words[i]));
    }
    int out = bench_divert(stdout, bench_path(b, "stdout.txt"));
    int err = bench_divert(stderr, bench_path(b, "stderr.txt"));
    hemc_fail_allocations_from(n);
    int code = hemc_main((int)count + 1, argv);
    hemc_fail_allocations_from(-1);
    bench_restore(stdout, out);
    bench_restore(stderr, err);
    return code;
}

int bench_run(bench* b, const char* const* words, uint32_t count) {
    return bench_run_without_memory(b, words, count, -1);
}
