// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_FABRICS_H
#define HEM_TOOLS_PROVE_FABRICS_H

// The rows of `hem prove fabrics`, a file a subject.

#include "tools/prove.h"

void prove_fabrics_cloth(proof* p);   // materials in the machines that they are measured with
void prove_fabrics_capes(proof* p);   // the same one of every material (prove_capes.c)
void prove_fabrics_hair(proof* p);    // rods and chains
void prove_fabrics_strands(proof* p); // in contacts (prove_strands.c)
void prove_fabrics_scenes(proof* p);  // by the clock (prove_scenes.c)

#endif
