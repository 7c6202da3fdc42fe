// SPDX-License-Identifier: MIT
#ifndef HEMC_H
#define HEMC_H

// The compiler as a library: what the hemc program, the tools, the benchmark and the tests call.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEMC_VERSION "0.1.0"

typedef struct hemc_job {
    const char* input;        // .glb, .gltf or .vrm
    const char* recipe;       // NULL = extras or automatic
    const char* output;       // NULL = compile only
    const char* report;       // JSON, NULL = none
    const char* picture;      // PNG, NULL = none
    const char* depfile;      // NULL = none
    const char* cache;        // directory, NULL = none
    const char* print_recipe; // what automatic mode decided, "-" = stdout, NULL = none
    float scale;              // metres per unit of the input; 0 = as the recipe says, or found out
    bool ship, strict;
    bool ship_all;              // with ship: meshes that no particle moves stay
    const char* const* targets; // files of costs for the certificate (hem calibrate), target_count of them
    uint32_t target_count;
    bool preflight;                // play the result and grade it
    struct hemc_preflight* grades; // filled when that was done; NULL = nobody asks
    int verbosity;                 // -1 quiet, 0 normal, 1 verbose
    // In place of the files: bytes in memory, for which `input` and `recipe` are only names. A glTF in memory has no
    // files beside it.
    const void* input_bytes;
    size_t input_size;
    const void* recipe_bytes;
    size_t recipe_size;
    // Files that the command line came from, ends with NULL; NULL = none. No output may be one of them.
    const char* const* responses;
    const struct hemc_claims* claims; // of a batch, set by it; else NULL
} hemc_job;

// Compiles one asset. Messages go to stderr unless quiet. Returns the exit code of the hemc program (0 = good).
int hemc_run(const hemc_job* job);

// Whether a path is this input, a glTF or a recipe, or a file that it names: nobody should write there.
bool hemc_reads(const char* input, const char* path);

// Triangles to collide with, .hemmesh (formats/hem_trimesh.h).
typedef struct hemc_mesh_job {
    const char* input;   // .glb, .gltf or .vrm; a PNG of heights
    const char* output;  // NULL = compile only
    const char* report;  // JSON, NULL = none
    const char* depfile; // NULL = none
    bool two_sided;      // a sheet that holds from both sides
    bool skinned;        // follows the bones
    bool field;          // input is a PNG, packed as a height field
    float heights[2];    // metres of black and of white
    float cell[2];       // metres between pixels, along x and z
    bool strict;
    int verbosity;                // -1 quiet, 0 normal, 1 verbose
    const char* const* responses; // as in hemc_job
} hemc_mesh_job;

// As hemc_run. bytes may be NULL; else the caller frees *bytes with hemc_free.
int hemc_mesh_run(const hemc_mesh_job* job, uint8_t** bytes, size_t* size);

// Prints what a glTF holds by the names that a recipe uses. Returns an exit code.
int hemc_list_run(const char* input, bool as_json);

// Compiles in memory. The caller frees *bytes with hemc_free. Returns an exit code.
int hemc_compile(const hemc_job* job, uint8_t** bytes, size_t* size);
void hemc_free(void* bytes);

// The inverse of an animation, as `hemc lattice inverse` works it out: where the particles of a lattice are to be so that
// it has the vertices where they are. Opening does what depends on the rest shape alone.
typedef struct hemc_inverter hemc_inverter;

// lattice: which one of a compiled asset. bytes are 64-byte aligned and stay until it is closed. NULL: there is no such
// lattice, its vertices lie in a plane, or there is no memory.
hemc_inverter* hemc_inverter_open(const void* bytes, size_t size, uint32_t lattice);
// Three floats for each vertex of the asset and each of its particles; those of other parts are left alone.
void hemc_inverter_frame(hemc_inverter* inverter, const float* vertices, float* particles);
void hemc_inverter_close(hemc_inverter* inverter); // NULL is allowed

// The hemc program: its command line, messages and exit code. docs/hemc.md describes it.
int hemc_main(int argc, char** argv);

// A stuff in its own units; what a recipe's "material" and "fabric" mean.
typedef struct hemc_material {
    const char* name;
    float density;           // kg/m^2
    float warp, weft, shear; // N/m: force per width over strain
    float bending_length;    // metres
    float damping_ratio;     // share of critical
    const char* source;      // of the numbers
} hemc_material;

uint32_t hemc_material_count(void);
const hemc_material* hemc_material_at(uint32_t index);     // NULL = none
const hemc_material* hemc_material_find(const char* name); // NULL = none

// A bare particle mesh without any glTF: sheets and blocks for benchmarks and tests.
typedef struct hemc_bare_link {
    uint32_t a, b;
    uint8_t kind; // hem_link_kind
} hemc_bare_link;

// Strands of particles, root first.
typedef struct hemc_bare_rods {
    uint32_t strand_count;
    const uint32_t* starts; // [strand_count + 1] into members
    const uint32_t* members;
    int chains;              // 1: chains, 0: rods
    float bend;              // N m^2
    float twist, taper;      // over bending; at the tip over the root
    int sag_free;            // for gravity along -y
    const float (*turns)[3]; // per member: rest turn to the next frame, see hem_rod; NULL = as modelled
} hemc_bare_rods;

typedef struct hemc_bare_spring {
    uint32_t a, b;
    float rest; // metres, negative = as placed
    float stiffness, damping;
} hemc_bare_spring;

typedef struct hemc_bare_part {
    uint8_t kind;            // hem_part_kind; a body comes last
    uint32_t particle_count; // those after the ones of the part before
    float radius;            // metres, of its particles
    uint32_t collision_group, collision_mask;
} hemc_bare_part;

// What may be painted besides stiffness and drive: shares of a part's own number, 0 to 1.
typedef enum hemc_map { HEMC_FRICTION, HEMC_DRAG, HEMC_DAMPING, HEMC_CONTACT, HEMC_TETHER, HEMC_MAP_COUNT } hemc_map;

typedef struct hemc_bare_lattice_clip {
    const char* name;
    bool interpolates, loops;
    uint32_t key_count;
    const float* seconds;
    const float (*places)[3]; // key after key, per particle
} hemc_bare_lattice_clip;

// Cells over all particles, which make one soft part.
typedef struct hemc_bare_lattice {
    uint32_t cell_count;
    const int32_t (*cells)[3];    // index of the lowest corner
    const uint32_t (*corners)[8]; // particles
    uint32_t size[3];             // particles along each axis
    float origin[3], spacing[3];
    float alpha, damping; // see hem_tuning.region_*
    float young, poisson; // see hem_tuning.solid_*; young 0 = no tetrahedra
    uint32_t width;
    const hemc_bare_lattice_clip* clips; // its particles know their pose: `drive` of the mesh
    uint32_t clip_count;
    uint32_t reserve; // particles that tears may take; 0 = it cannot tear
} hemc_bare_lattice;

typedef struct hemc_bare_mesh {
    uint32_t particle_count;
    const float (*positions)[3];
    const uint8_t* animated; // per particle, NULL = none; animated ones are bound to the only bone
    const float* mass;       // kg, NULL = 0.01 each
    const float* area;       // m2, for the air, NULL = 4 radius^2 each
    float radius;            // metres
    const hemc_bare_link* links;
    size_t link_count;
    const hemc_bare_spring* springs;
    size_t spring_count;
    const uint32_t* group_starts;  // [particle_count + 1], NULL = no groups (cloth); else a soft part
    const uint16_t* group_members; // without the particle itself
    const int32_t* level;          // grid hints for the lane layout (level and column of a sheet), NULL = unknown
    const int32_t* column;
    const float* max_distance;         // metres, per particle, NULL = no limits, negative = none for this one
    const float* backstop;             // the same
    const struct hemc_bare_rods* rods; // strands as rods or chains, all in soft parts; NULL = none
    const hemc_bare_lattice* lattice;  // NULL = none
    const float* drive;                // share of hem_tuning.drive, 0..1, all of a part or (negative) none; NULL = none
    const float (*maps)[HEMC_MAP_COUNT]; // per particle; NULL = all 1
    const hemc_bare_part* parts;         // NULL = one, cloth or soft, that radius and self_collision describe
    uint32_t part_count;
    const hemc_material*
        material;   // cloth of triangles, made of this; its mass is the caller's. NULL = links as they are. With a
                    // bending length of 0 it bends as its links do
    bool isometric; // bends as if flat and by little; else by angles, those of the mesh at rest
    uint8_t virtual_particles; // on edges of meshes: 0 none, 1 of the edges of cloth, 2 of its faces as well
    bool self_collision;
    float self_thickness;
    float thickness; // metres that cloth keeps from colliders
    float damping;   // 1/s
    float friction;  // 0..1
    float fullness;  // Hz: particles of other columns that crowd are pushed apart; 0 = not
} hemc_bare_mesh;

int hemc_compile_bare(const hemc_bare_mesh* mesh, uint8_t** bytes, size_t* size);

// Draws a compiled asset (two views: particles, ellipsoids, links, roles). Set by programs that have a renderer;
// hemc --picture says so when there is none.
typedef bool (*hemc_picture_function)(const uint8_t* bytes, size_t size, const char* path);
void hemc_set_picture_function(hemc_picture_function function);

// Plays a compiled asset through its clips and grades what is seen. Set by programs that have the runtime and the tools;
// hemc --preflight says so when there is none.
#define HEMC_PREFLIGHT_PARTS 64
#define HEMC_PREFLIGHT_CLIPS 256
typedef struct hemc_preflight_part {
    char name[64];
    char grade; // 'A' to 'F'
    // Each of the clip and rate in which it is worst:
    float crossed_share;   // mean over frames: its triangles that cross the body or other parts beyond the pose alone
    float stretched_share; // mean: its edges over 1.5 times their length, beyond the pose alone
    float folded_share;    // mean, by length: its edges folded by more than a right angle, beyond the pose alone
    float crossed_peak, stretched_peak, folded_peak; // the same, of the worst frame
    float stretch_max;                               // times its length
    float drift_max;                                 // metres from the pose
    float restless;                                  // m/s rms after four seconds of standing still
    float settle_seconds;                            // until it stands still; -1 = not in four seconds
    // The worst moment:
    int32_t clip; // -1 = nothing was seen
    char clip_name[64];
    float clip_from, clip_seconds, clip_hz; // played from here, looked at there
} hemc_preflight_part;

typedef struct hemc_preflight_clip {
    char name[64];
    char grade;   // of the worst part at the worst rate
    uint8_t part; // which
} hemc_preflight_clip;

typedef struct hemc_preflight {
    char grade;       // of the worst part
    char advice[512]; // what to change; "" = nothing
    uint32_t clip_count, frame_count;
    float crossed, crossed_alone; // triangles, mean over frames; by the pose alone
    float step_us;                // median of stepping and skinning a frame
    hemc_preflight_part parts[HEMC_PREFLIGHT_PARTS];
    uint32_t part_count;
    hemc_preflight_clip clips[HEMC_PREFLIGHT_CLIPS]; // the first so many
} hemc_preflight;

typedef struct hemc_flight {
    const uint8_t* bytes; // compiled, with its preview
    size_t size;
    const char* path;            // for messages
    const uint8_t* left_out;     // per triangle: 1 = an accessory, whatever crosses it; NULL = none
    const hemc_preflight* again; // only the clips that were worse than B there; NULL = all
} hemc_flight;

typedef bool (*hemc_preflight_function)(const hemc_flight* flight, hemc_preflight* result);
// Draws the worst moment of a part into a PNG.
typedef bool (*hemc_moment_function)(const uint8_t* bytes, size_t size, const hemc_preflight_part* part,
                                     const char* path);
void hemc_set_preflight_functions(hemc_preflight_function fly, hemc_moment_function draw);

// How far the vertices are from where an animation has them, frame by frame, when a lattice carries them.
typedef struct hemc_error_curve {
    const char* name;
    uint32_t frame_count;
    float seconds; // of a frame
    float *worst_mm, *mean_mm;
} hemc_error_curve;

typedef bool (*hemc_curve_function)(const hemc_error_curve* curve, const char* path); // into a PNG
void hemc_set_curve_function(hemc_curve_function function);

#endif
