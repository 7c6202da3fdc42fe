// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PREFLIGHT_H
#define HEM_TOOLS_PREFLIGHT_H

// An asset played through its own clips (or the test motions, without any) before anybody else does, and graded by what is
// seen on its triangles.

#include "tools/asset.h"
#include "compiler/hemc.h"

// A frame of a clip, played from `from` on.
typedef struct preflight_moment {
    int32_t clip;  // -1: nothing was seen
    float from;    // s into the clip
    float seconds; // s into the clip
    float hz;
} preflight_moment;

typedef struct preflight_part {
    const char* name;
    char grade;
    // Each of the clip and rate in which it is worst:
    float crossed_share; // mean over frames: triangles of the part that cross the body or other parts, beyond the pose
    float stretched_share; // mean: edges over SEEN_STRETCHED, beyond the pose
    float folded_share;    // mean, by length: edges folded by more than a right angle (seen_fold.c), beyond the pose
    float crossed_peak, stretched_peak, folded_peak; // the same, of the worst frame
    float stretch_max;
    float drift_max;         // m
    float restless;          // m/s, rms against the pose at the end of PREFLIGHT_HOLD_SECONDS of standing still
    float settle_seconds;    // until it stays below SEEN_SETTLED; -1: not in that time
    preflight_moment moment; // the worst
} preflight_part;

#define PREFLIGHT_HOLD_SECONDS 4.0f
#define PREFLIGHT_SETTLE_SECONDS 0.5f // in the first pose, before each clip

typedef struct preflight_clip {
    int32_t clip;
    char grade;   // of the worst part at the worst rate
    uint8_t part; // which
} preflight_clip;

typedef struct preflight {
    char grade; // of the worst part
    preflight_part parts[HEM_MAX_PARTS];
    int32_t part_count;
    preflight_clip clips[HEMC_PREFLIGHT_CLIPS]; // the first so many
    int32_t clip_count;
    float crossed, crossed_alone; // mean triangles over all clips, with physics and by the pose alone
    uint32_t mended;              // particles that were not finite
    int32_t frame_count;          // looked at
    float step_us;                // median of steps and skinning
} preflight;

// Says what is wrong on stderr and returns an exit code, or 0. The asset must have its preview. left_out: per triangle, what
// it crosses does not count; again: only the clips that were worse than B there; both may be NULL.
int preflight_run(preflight* f, const asset* a, const uint8_t* left_out, const hemc_preflight* again);
// What to change, as a sentence; "" when there is nothing.
void preflight_advice(const preflight* f, const asset* a, char* text, size_t size);

// For hemc_set_preflight_functions.
bool preflight_fly(const hemc_flight* plan, hemc_preflight* out);
// The worst moment of a part from three sides, as a PNG. (preflight_picture.c)
bool preflight_picture(const uint8_t* bytes, size_t size, const hemc_preflight_part* part, const char* path);

#endif
