// SPDX-License-Identifier: MIT
#ifndef HEMC_COMPILE_H
#define HEMC_COMPILE_H

// What compile.c, report.c, cache.c, cli.c and batch.c share.

#include "compiler/hemc.h"
#include "compiler/hemc_internal.h"
#include "compiler/recipe/json.h"

#include "hem/budget.h"

typedef enum hemc_stage {
    HEMC_STAGE_IMPORT,
    HEMC_STAGE_RECIPE,
    HEMC_STAGE_CLIPS,
    HEMC_STAGE_SELECT,
    HEMC_STAGE_GENERATE, // weld, generate, fit, roles
    HEMC_STAGE_BODY,
    HEMC_STAGE_ASSEMBLE,
    HEMC_STAGE_MAPS,
    HEMC_STAGE_GRAPH,
    HEMC_STAGE_LANES,
    HEMC_STAGE_PACK,
    HEMC_STAGE_PREFLIGHT,
    HEMC_STAGE_COUNT
} hemc_stage;

typedef enum hemc_cache_state { HEMC_CACHE_OFF, HEMC_CACHE_MISS, HEMC_CACHE_HIT } hemc_cache_state;

// One compile, everything it made. Lives in its arena.
// -- The certificate: certificate.c

typedef struct hemc_target {
    const char* path; // NULL = the costs that ship
    hem_costs costs;
} hemc_target;

typedef struct hemc_predicted { // microseconds a frame of one instance, poses and skinning included
    double mean_us[HEM_LEVEL_COUNT], worst_us[HEM_LEVEL_COUNT];
} hemc_predicted;

typedef struct hemc_certified_clip {
    const char* name;
    uint32_t frames;         // at 60 Hz
    hemc_predicted* targets; // one each
} hemc_certified_clip;

typedef struct hemc_certificate {
    size_t instance_bytes, instance_bytes_with_budget; // of the scene's block, each
    size_t shared_bytes;                               // by all instances of the asset and the scene itself
    size_t worker_bytes;                               // scratch
    hemc_certified_clip* clips;
    uint32_t clip_count;
    bool within; // the recipe's budget
} hemc_certificate;

typedef struct hemc_compilation {
    const hemc_job* job;
    hemc_arena* arena;
    hemc_log log;
    hemc_model model;
    hemc_recipe recipe;
    bool has_model, has_recipe;
    int32_t* owner;            // per triangle
    hemc_surface* surfaces;    // per part
    hemc_particles* particles; // per part
    hemc_particles body;
    hemc_mesh mesh;
    hemc_layout layout;
    bool has_layout;
    hemc_coarser levels;   // coarser than the mesh
    uint8_t cache_key[16]; // in the asset's header
    uint8_t entry_key[16]; // names the cache entry: with the compiler's revision
    hemc_cache_state cache;
    uint8_t* bytes;
    size_t size;
    hemc_collider_recipe* given_colliders; // before limbs that have no surface got theirs
    uint32_t given_collider_count;
    double looked;             // vertices that pre-flights have looked at
    hemc_preflight* preflight; // NULL = not asked for, or not reached
    hemc_target* targets;
    uint32_t target_count;
    hemc_certificate* certificate;    // NULL = not asked for, or not reached
    bool outputs_good;                // none of them is a file that is read
    const struct hemc_claims* claims; // what this job, or its batch, reads and writes
    const char* report;               // text, once made
    size_t report_size;
    double seconds[HEMC_STAGE_COUNT];
    double total_seconds;
} hemc_compilation;

// What is left of a compile when its arena is gone. Free with hemc_outcome_free.
typedef struct hemc_outcome {
    int exit_code;
    int error_count, warning_count;
    char* messages; // as printed; NULL = none, or no memory for them: then exit_code is HEMC_MEMORY
    char* json;     // the messages as a JSON array; NULL = out of memory
    uint32_t part_count, particle_count;
    size_t output_size;
    bool cached;
    double seconds;
} hemc_outcome;

void hemc_message_line(hemc_text* text, const hemc_message* m); // "file:path: severity: text\n", safe to show
extern const char hemc_no_memory[];                             // said when there is no memory to say more

// Compiles and writes every file that the job names. bytes may be NULL.
void hemc_execute(const hemc_job* job, hemc_outcome* outcome, uint8_t** bytes, size_t* size);
void hemc_outcome_free(hemc_outcome* outcome);

// compile.c: what trimesh.c shares with it
bool hemc_write_output(hemc_log* log, const char* path, const void* bytes, size_t size);
void hemc_print_messages(const hemc_log* log, int verbosity); // on stderr

// compile.c: what trials.c needs again
void hemc_doubt(hemc_compilation* c); // warns of what nobody can have meant: doubts.c
bool hemc_make_asset(hemc_compilation* c, hemc_options options, double* clock); // from parts with all numbers to bytes
bool hemc_fly(hemc_compilation* c, hemc_options options, const hemc_preflight* again); // plays what was made

// coarser.c: coarser levels of the asset that is being made, as its recipe asks, into c->levels.
bool hemc_make_levels(hemc_compilation* c, hemc_options options, double* clock);

// Automatic mode, after a first pre-flight: other numbers for what looks bad, and without it where nothing helps. (trials.c)
bool hemc_trials(hemc_compilation* c, hemc_options options, double* clock);

// report.c
// Plays the result and weighs it where a target or a budget asks for it; over the budget is a warning.
bool hemc_certify(hemc_compilation* c);
void hemc_report_certificate(hemc_text* t, const hemc_compilation* c);
void hemc_report_make(hemc_compilation* c);                      // fills report, report_size
void hemc_report_messages(hemc_text* text, const hemc_log* log); // as a JSON array
// Draws the worst moment of each part beside the report, and puts the files' names into it. (pictures.c)
bool hemc_report_pictures(hemc_compilation* c, hemc_moment_function draw);
char* hemc_depfile_make(hemc_arena* arena, const char* output, const char* const* inputs, uint32_t count);

// cache.c
void hemc_cache_key(hemc_compilation* c); // of the entry, and of the asset unless automatic mode has yet to decide
void hemc_asset_key(hemc_compilation* c);
bool hemc_cache_fetch(hemc_compilation* c); // true = bytes, report and messages are as the first compile left them
void hemc_cache_store(hemc_compilation* c); // failures are warnings: a cache must never break a build

// outputs.c: before anything is computed. The list of a batch, NULL = one job. claims: what is read and written, in the
// arena, for names that come later; NULL = nobody asks.
typedef struct hemc_claims hemc_claims;
bool hemc_check_outputs(hemc_arena* arena, hemc_log* log, const char* list_path, const hemc_job* jobs, uint32_t count,
                        const hemc_claims** claims);
const char* hemc_claimed(const hemc_claims* claims, const char* path); // as what; NULL = the place is free
bool hemc_check_writable(hemc_log* log, const hemc_job* job);

// batch.c
int hemc_batch_run(const char* list_path, uint32_t worker_count, const hemc_job* defaults);

// What a glTF holds, as text or as JSON; NULL after an error. (list.c)
char* hemc_list_text(hemc_arena* arena, hemc_log* log, const char* input, bool as_json);

#endif
