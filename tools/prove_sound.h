// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_SOUND_H
#define HEM_TOOLS_PROVE_SOUND_H

#include "tools/prove.h"

// An asset in a scene of its own, with one instance.
typedef struct sound_stage {
    const asset* source;
    void* block;
    hem_scene* scene;
    hem_instance_id id;
    float* pose;
    hem_tuning* tuning; // per part, as the asset has it
} sound_stage;

bool sound_open(sound_stage* s, const asset* a);
void sound_close(sound_stage* s);

// -1 to 1, and a whole number below a bound; the same on every machine.
double sound_random(uint32_t* seed);
uint32_t sound_choose(uint32_t* seed, uint32_t bound);

void prove_misuse(proof* p, const asset* a);               // every call, called wrongly
void prove_soak(proof* p, const asset* a, double seconds); // anything, at random, for so long

#endif
