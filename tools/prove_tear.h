// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_TEAR_H
#define HEM_TOOLS_PROVE_TEAR_H

#include "tools/prove.h"

void prove_tear(proof* p); // rows of `hem prove lattice`

#endif
