// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_H
#define HEM_TOOLS_PROVE_H

// `hem prove NAME`: what was promised beside what was measured just now, on this machine. A proof is a function that
// measures and adds rows. It adds no row for what it did not measure but proof_unmeasured, which counts as missed.

#include "tools/asset.h"
#include "tools/sample.h"
#include "platform/base.h"
#include "platform/terminal.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct proof_row {
    char what[96];
    char aimed[64];
    char reached[128];
    bool ok;
} proof_row;

typedef struct proof {
    sample_folders folders;
    hem_progress progress;
    const char* only; // groups of rows whose name has this in it; NULL: all
    double seconds;   // that each soak takes
    proof_row* rows;
    int32_t row_count, row_capacity;
    bool full; // there was no memory for a row
} proof;

// Long proofs measure in groups: whether this one is asked for. Its name is shown while it runs.
bool proof_wants(proof* p, const char* group);

// Texts that are too long are cut.
void proof_add(proof* p, bool ok, const char* aimed, const char* reached, const char* what, ...) HEM_PRINTF(5, 6);
void proof_at_most(proof* p, double limit, double value, const char* unit, const char* what, ...) HEM_PRINTF(5, 6);
void proof_at_least(proof* p, double limit, double value, const char* unit, const char* what, ...) HEM_PRINTF(5, 6);
// Two hashes that must agree.
void proof_same(proof* p, uint64_t aimed, uint64_t reached, const char* what, ...) HEM_PRINTF(4, 5);
// What should have been measured and could not be.
void proof_unmeasured(proof* p, const char* aimed, const char* why, const char* what, ...) HEM_PRINTF(4, 5);

// Compiles a sample in memory with its recipe. On failure adds a row that says so and returns false.
bool proof_sample(proof* p, const char* name, asset* a);
// Calls `visit` with each sample that has a recipe, in the order of their names. Returns how many there were.
int32_t proof_each_sample(proof* p, void (*visit)(proof* p, const char* name, asset* a, void* user), void* user);

// Characters that others made, with the recipes that an artist would write for them.
enum { PROOF_STRANGERS = 7 };
// Its name, or NULL where it is not beside the project. On failure adds a row that says so and returns NULL, too; then there is nothing
// to unload.
const char* proof_stranger(proof* p, int32_t i, asset* a);
const char* proof_stranger_name(int32_t i);

// -- The proofs, a file each

void prove_budget(proof* p);
void prove_house(proof* p);
void prove_lattice(proof* p);
void prove_meshes(proof* p);
void prove_seen(proof* p);
void prove_first_try(proof* p);
void prove_fabrics(proof* p);
void prove_sound(proof* p);

#endif
