// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_LATTICE_H
#define HEM_TOOLS_PROVE_LATTICE_H

#include "tools/prove.h"

// Rows of `hem prove lattice`, a file each but the first two.
void prove_lattice_sums(proof* p);
void prove_lattice_momentum(proof* p);
void prove_lattice_inverse(proof* p);
void prove_lattice_files(proof* p);
void prove_lattice_wall(proof* p);
void prove_lattice_tears(proof* p);

#endif
