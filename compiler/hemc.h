// SPDX-License-Identifier: MIT
#ifndef HEMC_H
#define HEMC_H

// The compiler as a library: what the hemc program, the tools, the benchmark and the tests call.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEMC_VERSION "0.1.0"

typedef struct hemc_job {
    const char* input;   // .glb, .gltf or .vrm
    const char* recipe;  // NULL = extras or automatic
    const char* output;  // NULL = compile only
    const char* report;  // JSON, NULL = none
    const char* picture; // PNG, NULL = none
    const char* depfile; // NULL = none
    const char* cache;   // directory, NULL = none
    bool ship, strict;
    int verbosity; // -1 quiet, 0 normal, 1 verbose
} hemc_job;

// Compiles one asset. Messages go to stderr unless quiet. Returns the exit code of the hemc program (0 = good).
int hemc_run(const hemc_job* job);

// Compiles in memory. The caller frees *bytes with hemc_free. Returns an exit code.
int hemc_compile(const hemc_job* job, uint8_t** bytes, size_t* size);
void hemc_free(void* bytes);

// The hemc program: its command line, messages and exit code. docs/hemc.md describes it.
int hemc_main(int argc, char** argv);

// A bare particle mesh without any glTF: sheets and blocks for benchmarks and tests.
typedef struct hemc_bare_link {
    uint32_t a, b;
    uint8_t kind; // hem_link_kind
} hemc_bare_link;

typedef struct hemc_bare_mesh {
    uint32_t particle_count;
    const float (*positions)[3];
    const uint8_t* animated; // per particle, NULL = none; animated ones are bound to the only bone
    const float* mass;       // kg, NULL = 0.01 each
    float radius;            // metres
    const hemc_bare_link* links;
    size_t link_count;
    const uint32_t* group_starts;  // [particle_count + 1], NULL = no groups (cloth); else a soft part
    const uint16_t* group_members; // without the particle itself
    const int32_t* level;          // grid hints for the lane layout (row and column of a sheet), NULL = unknown
    const int32_t* chain;
    bool self_collision;
    float self_thickness;
    float damping;  // 1/s
    float friction; // 0..1
} hemc_bare_mesh;

int hemc_compile_bare(const hemc_bare_mesh* mesh, uint8_t** bytes, size_t* size);

// Draws a compiled asset (two views: particles, ellipsoids, links, roles). Set by programs that have a renderer;
// hemc --picture says so when there is none.
typedef bool (*hemc_picture_function)(const uint8_t* bytes, size_t size, const char* path);
void hemc_set_picture_function(hemc_picture_function function);

#endif
