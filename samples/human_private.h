// SPDX-License-Identifier: MIT
#ifndef HEM_SAMPLES_HUMAN_PRIVATE_H
#define HEM_SAMPLES_HUMAN_PRIVATE_H

#include "samples/human.h"

// Skeleton and shapes; the first half of human_new().
void human_body_make(human* h);

// The weights of a cage point, one for each bone.
static inline double* human_weights_of(const human* h, int32_t point) {
    return h->weights + (size_t)point * HUMAN_BONE_COUNT;
}

#endif
