// SPDX-License-Identifier: MIT
#ifndef FRONT_BENCH_H
#define FRONT_BENCH_H

// A folder with the kit's small glTF and a recipe for it, and the hemc program run upon them.

#include "compiler/driver/compile.h"

#include <stdio.h>

extern const char bench_recipe[];

typedef struct bench {
    hemc_arena* arena;
    char folder[512];
    char input[600], recipe[600]; // a.glb, r.json
} bench;

bool bench_begin(bench* b);
void bench_end(bench* b);
char* bench_path(bench* b, const char* name); // in the folder
bool bench_read(bench* b, const char* path, uint8_t** bytes, size_t* size);
bool bench_same_file(bench* b, const char* one, const char* two); // the same bytes

// The hemc program; what it says goes to stdout.txt and stderr.txt of the folder.
int bench_run(bench* b, const char* const* words, uint32_t count);
int bench_run_without_memory(bench* b, const char* const* words, uint32_t count, int64_t n); // from allocation n on
// stdout or stderr into a file while something talks; -1 where that cannot be done.
int bench_divert(FILE* stream, const char* path);
void bench_restore(FILE* stream, int saved);

#endif
