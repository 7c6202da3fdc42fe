// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_BENCH_PRIVATE_H
#define HEM_TOOLS_BENCH_PRIVATE_H

// What the files of `hem bench` share: the results, the clock, and the cloth that all engines are given.
// C++-clean, since Bullet's side is C++.

#include "tools/sample.h"
#include "compiler/hemc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// -- Measuring

// Nanoseconds that this thread has spent on a core; wall time where the system cannot tell. Others on the machine then
// cost cache and frequency, but not whole time slices.
uint64_t bench_clock(void);
// The same for a process that ended, and for all threads of this one.
double bench_process_seconds(void);
double bench_children_seconds(void);

// Calls of malloc, calloc, realloc and the aligned ones by this thread so far, and the bytes this process holds. -1 in
// builds that cannot count (other C libraries, sanitizers).
int64_t bench_allocation_count(void);
int64_t bench_allocated_size(void);

typedef struct bench_times {
    double median_ms, p99_ms, best_ms;
} bench_times;

// Keeps the least of what a frame took in all turns: the work of a frame is the same each time, others on the machine only
// add to it.
void bench_keep_least(uint64_t* samples, int32_t frame, int32_t turn, uint64_t nanoseconds);
// Sorts the samples.
bench_times bench_summarise(uint64_t* nanoseconds, int32_t count);

// -- Results. Numbers that a workload does not have are NaN; the report shows a dash and the JSON null.

#define BENCH_KIND_UNIT "ns a constraint" // rate_unit of a kind of constraint

typedef struct bench_result {
    char workload[48];
    char contestant[16];
    bench_times times;
    double particle_count;   // simulated, all instances
    double projection_count; // constraint projections per frame
    double bytes_per_particle, state_bytes_per_particle;
    double allocations_per_frame;
    double stretch_mean, stretch_max; // of structural and shear links, over all frames looked at
    double deep;                      // particles, or pairs, deeper in than allowed; most in a frame
    double crossed; // triangles of layers and body that cut each other, mean over the frames looked at
    double lane_fill;
    double bytes_per_constraint; // of kinds of constraint: in the file
    double rate;                 // of workloads that are not frames
    const char* rate_unit;
} bench_result;

enum { BENCH_RESULTS_MAX = 128, BENCH_NOTES_MAX = 32, BENCH_PATH_MAX = SAMPLE_PATH_MAX };

typedef struct bench {
    bench_result results[BENCH_RESULTS_MAX];
    int32_t result_count;
    char notes[BENCH_NOTES_MAX][256]; // what was left out, and why
    int32_t note_count;
    const char* only; // glob on workload names, NULL = all
    sample_folders folders;
    const char* work_folder; // for what is passed to other programs
    int32_t warm_count, frame_count;
    int32_t turn_count; // sheets, groups and scenes this many times, from their start
    bool peers;
} bench;

bench_result* bench_add(bench* b, const char* workload, const char* contestant);
const bench_result* bench_find(const bench* b, const char* workload, const char* contestant);
void bench_note(bench* b, const char* format, ...);
bool bench_wants(const bench* b, const char* workload);
// One line on a terminal while it runs.
void bench_progress(const char* text);

// -- The cloth: 2 m x 2 m, level, pinned at both ends of one edge, or hung by its middle

typedef struct bench_sheet {
    int32_t width, height, count;
    float spacing; // of neighbours, the smaller of the two directions
    float (*positions)[3];
    float* mass;
    uint8_t* pinned;
    hemc_bare_link* links;
    size_t link_count;
    int32_t *level, *column;
} bench_sheet;

bool bench_sheet_create(bench_sheet* s, int32_t width, int32_t height);
void bench_sheet_hang(bench_sheet* s); // by its middle: it falls together in folds
void bench_sheet_destroy(bench_sheet* s);
int bench_sheet_compile(const bench_sheet* s, bool self_collision, uint8_t** bytes, size_t* size);

typedef struct bench_capsule { // along y of its rotation
    float position[3];         // from the sheet's origin
    float rotation[4];
    float radius, half;
} bench_capsule;

enum { BENCH_CAPSULES = 20 };
// They weave through the place where the sheet hangs, each in its own beat.
void bench_capsules_at(float seconds, bench_capsule capsules[BENCH_CAPSULES]);

typedef enum bench_variant {
    BENCH_PLAIN,
    BENCH_CAPSULED,
    BENCH_SELF,
    BENCH_CAPSULED_16,
    BENCH_HANG_SELF
} bench_variant;

// 16 are the first of the 20.
static inline int32_t bench_capsule_count(bench_variant variant) {
    return variant == BENCH_CAPSULED ? BENCH_CAPSULES : variant == BENCH_CAPSULED_16 ? 16 : 0;
}

static inline bool bench_is_self(bench_variant variant) {
    return variant == BENCH_SELF || variant == BENCH_HANG_SELF;
}

typedef struct bench_world {
    const bench_sheet* sheet;
    bench_variant variant;
    int32_t instance_count; // side by side, bench_origin apart
} bench_world;

#define BENCH_DT (1.0f / 60.0f)
#define BENCH_SUBSTEPS 4
#define BENCH_DAMPING 5.0f // 1/s
#define BENCH_FRICTION 0.3f
#define BENCH_THICKNESS 0.005f // metres kept from capsules: Bullet's margin

void bench_origin(int32_t instance, float origin[3]);

// How well the cloth holds, from positions alone (from the sheet's origin), the same measure for every engine.
typedef struct bench_quality {
    double stretch_mean, stretch_max;
    double deep;
} bench_quality;

// capsules: NULL = none. Deep is a particle more than a tenth of the spacing inside a capsule or, with self-collision, a
// pair of particles beyond each other's two rings nearer than half the thickness that is kept.
bool bench_judge(const bench_world* world, const float (*positions)[3], const bench_capsule* capsules,
                 bench_quality* quality);
float bench_self_thickness(const bench_sheet* s);

// -- Engines

typedef struct bench_engine {
    const char* name;
    // NULL when it cannot be had; says why in a note.
    void* (*create)(bench* b, const bench_world* world);
    void (*destroy)(void* self);
    void (*step)(void* self, const bench_capsule* capsules); // one frame; NULL = no capsules
    void (*read)(void* self, int32_t instance, float (*positions)[3]);
    // Fills what is not measured from outside: bytes, fill.
    void (*describe)(void* self, bench_result* result);
} bench_engine;

extern const bench_engine bench_engine_hem;
#if HEM_WITH_BULLET
extern const bench_engine bench_engine_bullet;
#endif

// -- Workloads

void bench_run_sheets(bench* b);
void bench_run_groups(bench* b);
void bench_run_kinds(bench* b); // constraints one by one
void bench_run_scenes(bench* b);
void bench_run_data(bench* b);    // loading, snapshots, skinning
void bench_run_compile(bench* b); // the compiler
void bench_run_wasm(bench* b);

// NAME.glb of the samples, made if need be. False, with a note, if that cannot be.
bool bench_sample_path(bench* b, const char* name, char* glb, char* recipe);
// The compiled sample as a file. Compiled at most once a run.
bool bench_sample_compile(bench* b, const char* name, char* hem);

// -- Reports

void bench_print(const bench* b);
int bench_write_json(const bench* b, const char* path);
int bench_write_plot(const bench* b, const char* path);

#ifdef __cplusplus
}
#endif
#endif
