// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_MOTION_H
#define HEM_TOOLS_MOTION_H

// Motions for characters that bring none: what a game does to every character sooner or later. They are numbered behind an
// asset's own clips, so whoever plays a clip plays these too.

#include "tools/asset.h"

int32_t motion_count(void);
const char* motion_name(int32_t motion); // "test", "test-turn", ...
float motion_seconds(int32_t motion);
// Bind pose -> posed; a motion begins and ends in the bind pose and repeats.
void motion_pose(const asset* a, int32_t motion, float seconds, float* matrices);

#endif
