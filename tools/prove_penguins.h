// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_PENGUINS_H
#define HEM_TOOLS_PROVE_PENGUINS_H

#include "tools/prove.h"

void prove_penguins(proof* p); // rows of `hem prove lattice`

#endif
