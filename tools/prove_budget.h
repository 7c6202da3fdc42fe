// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_BUDGET_H
#define HEM_TOOLS_PROVE_BUDGET_H

// Groups of `hem prove budget` that have files of their own.

#include "tools/asset.h"
#include "tools/prove.h"

double proof_median(double* values, uint32_t count); // sorts them

// prove_crowds.c
void prove_sleepers(proof* p, const asset* a);
void prove_layout(proof* p, const asset* a);

// prove_levels.c
bool proof_levels(proof* p, const char* name, uint32_t levels, asset* a); // a sample with levels of detail
void prove_pops(proof* p, const asset* a, const char* name, const char* clip);

// prove_workers.c
void prove_workers(proof* p, const asset* a);

#endif
