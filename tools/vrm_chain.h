// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_VRM_CHAIN_H
#define HEM_TOOLS_VRM_CHAIN_H

// A chain of spring bones as a VRM file of its own, compiled in automatic mode and played, beside the formula of the VRM
// specification in doubles at 60 Hz.

#include <stdbool.h>

typedef struct vrm_chain {
    int version;   // 0 or 1
    int count;     // of bones that swing, 1 to VRM_CHAIN_MOST
    double length; // of each, metres
    double slope;  // radians: 0 = level, -pi / 2 = hanging down
    double stiffness, drag, gravity;
} vrm_chain;

enum { VRM_CHAIN_MOST = 6 };

typedef struct vrm_swing {
    double hang[2];   // of the tip against the modelled one, along and up; metres
    double hz, decay; // of its swing, led aside as a whole and let go; 0 where it does not swing
} vrm_swing;

void vrm_chain_reference(const vrm_chain* c, vrm_swing* out);
bool vrm_chain_play(const vrm_chain* c, vrm_swing* out); // false: it did not compile

#endif
