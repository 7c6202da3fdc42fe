// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_RUNTIME_FIXTURE_H
#define HEM_TESTS_RUNTIME_FIXTURE_H

// A small world for one test: an asset file, a scene with one or more instances, on the kernel that HEM_KERNEL names.

#include "hem/hem.h"
#include "formats/hem_format.h"
#include "formats/hem_validate.h"

#include "greatest.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct world {
    void* bytes; // of the asset, 64-byte aligned
    size_t byte_count;
    hem_asset asset;
    hem_view view; // the same bytes, seen through the validator
    void* block;
    size_t block_size;
    hem_scene* scene;
    hem_instance_id id;
    uint32_t mesh_count; // of its def
} world;

// Reads HEM_TEST_ASSETS/NAME.hem (default build/test_assets). NULL when it is not there.
void* read_asset(const char* name, size_t* size);
hem_kernel wanted_kernel(void);

// def may be NULL for the defaults; its slots are filled in here. instance may be NULL.
bool world_open(world* w, const char* name, const hem_scene_def* def, const hem_instance_def* instance, uint32_t count);
// The same with the asset's bytes changed in place, seen through w->view, in a way that the validator still accepts.
bool world_open_spoiled(world* w, const char* name, void (*spoil)(world* w));
void world_close(world* w);
void world_step(world* w, float dt, uint32_t substeps, int count);

hem_tuning world_tuning(const world* w);             // of its first part
bool world_tune(world* w, const hem_tuning* tuning); // all its parts
// Gives every particle a velocity, within one step of h seconds.
void world_throw(world* w, float h, float x, float y, float z);
void world_throw_apart(world* w, uint32_t a, uint32_t b, float h, float speed); // a down, b up

typedef struct vec3d {
    double x, y, z;
} vec3d;

vec3d center_of_mass(const world* w);   // of simulated particles
vec3d linear_momentum(const world* w);  // kg m/s
vec3d angular_momentum(const world* w); // about the centre of mass, without spin of particles
hem_particle particle_at(const world* w, uint32_t index);
double mass_of(const world* w, uint32_t index);
// The slot of the n-th real particle that is (not) animated.
uint32_t nth_particle(const world* w, bool animated, uint32_t n);

bool is_listed(const hem_view* view, uint32_t a, uint32_t b); // among the pairs to ignore
// By brute force, all pairs that may touch when everybody goes on as they do for dt and no bone moves: those that come near
// enough, and those that do so within a hair.
void count_candidates(const world* w, const hem_particle* p, double dt, uint32_t* surely, uint32_t* perhaps);

// Clips of the asset's preview: matrices blended between frames. NULL when there is none of that name.
const hem_clip* find_clip(const world* w, const char* name);
void clip_pose(const world* w, const hem_clip* clip, double seconds, float* pose); // bone_count 3x4 matrices

#define OPEN(w, name)                                                                                                  \
    do {                                                                                                               \
        if (!world_open(&(w), (name), NULL, NULL, 1)) {                                                                \
            FAILm("cannot open the test asset " name);                                                                 \
        }                                                                                                              \
    } while (0)

// Counts of long tests: `whole`, or `brief` where HEM_BRIEF is in the environment, which is said to runners that are slow for
// reasons of their own (emulated, sanitized). What they look for shows in fewer steps; the promise itself is kept natively.
int as_long_as(int whole, int brief);

// Under the sanitizers it is their reports that count, not bits, which all other builds compare: nothing needs to be stepped a second
// time by the scalar kernel, which takes them ten times as long as the others.
bool is_sanitized(void);
hem_kernel reference_kernel(void); // the scalar one where bits count

#endif
