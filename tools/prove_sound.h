// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_SOUND_H
#define HEM_TOOLS_PROVE_SOUND_H

#include "tools/prove.h"
#include "tools/stage.h"

bool sound_open(stage* s, const asset* a); // a scene with one instance

// -1 to 1, and a whole number below a bound; the same on every machine.
double sound_random(uint32_t* seed);
uint32_t sound_choose(uint32_t* seed, uint32_t bound);

void prove_misuse(proof* p, const asset* a);               // every call, called wrongly
void prove_soak(proof* p, const asset* a, double seconds); // anything, at random, for so long

#endif
