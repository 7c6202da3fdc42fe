// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_SEEN_H
#define HEM_TOOLS_PROVE_SEEN_H

// What the files of `hem prove seen` share: prove_seen.c has clips of all characters, prove_seen_stops.c stops and extremes,
// prove_seen_rest.c what hangs and lies still, prove_seen_strain.c threads that stay too long.

#include "tools/player.h"
#include "tools/prove.h"
#include "tools/watch.h"

// Counts at 60 Hz; "crossed": layers and body together.
#define PROVE_HZ 60.0f

void prove_seen_stops(proof* p);
void prove_seen_extremes(proof* p);
void prove_seen_sheets(proof* p);
void prove_seen_curls(proof* p);
void prove_seen_strain(proof* p);

// A player with its watch, and the script's place and time.
typedef struct act {
    player live;
    watch seen;
    hem_root root;
    float seconds; // in the clip
} act;

// Stands in a clip's first pose, at rest; -1: the bind pose. On failure adds a row and returns false.
bool act_begin(act* a, proof* p, const asset* source, int32_t clip);
// Steps by dt in p->pose at a->root; a->seconds goes on.
bool act_step(act* a, float dt);
// The same in a clip at the time a->seconds + dt.
bool act_clip(act* a, int32_t clip, float dt);
// Plays a clip where it stands.
bool act_play(act* a, int32_t clip, float seconds);
// Reads the vertices and measures them. alone may be NULL.
bool act_look(act* a, float frame_seconds, seen_frame* physics, seen_frame* alone);
void act_end(act* a);

// How fast a figure of this height goes in a clip of this name, m/s.
float prove_clip_speed(const asset* a, const char* clip);
// A clip's index by name, or -1.
int32_t prove_clip(const asset* a, const char* name);

#endif
