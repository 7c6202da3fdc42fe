// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_MOTION_H
#define HEM_TOOLS_MOTION_H

// Motions for characters that bring none: what a game does to every character sooner or later. They are numbered behind an
// asset's own clips, so whoever plays a clip plays these too.

#include "tools/asset.h"

int32_t motion_count(void);
const char* motion_name(int32_t motion); // "test", "test-turn", ...
float motion_seconds(int32_t motion);
// m/s, world: of the one that stands in a wind; 0 in all others.
void motion_wind(int32_t motion, float seconds, float wind[3]);
// Where a bone's joint is in the bind pose.
void motion_joint(const asset* a, int32_t bone, float joint[3]);
// Bind pose -> posed; a motion begins and ends in the bind pose and repeats.
void motion_pose(const asset* a, int32_t motion, float seconds, float* matrices);

#endif
