// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_TEAR_H
#define HEM_TOOLS_PROVE_TEAR_H

#include "tools/player.h"
#include "tools/prove.h"

void prove_tear(proof* p); // rows of `hem prove lattice`

// Of everything drawn of what can tear: edges whose faces do not cancel.
double proof_open_edges(const player* p);
// Vertices that are no numbers.
double proof_unsound_vertices(const player* p);

#endif
