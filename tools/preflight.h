// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PREFLIGHT_H
#define HEM_TOOLS_PREFLIGHT_H

// An asset played through its own clips (or the test motions, without any) before anybody else does, and graded by what is
// seen on its triangles.

#include "tools/asset.h"
#include "compiler/hemc.h"

typedef struct preflight_part {
    const char* name;
    char grade;
    float crossed_share;   // mean over frames: triangles of the part that cross the body or other parts, of its own
    float stretched_share; // mean: edges over SEEN_STRETCHED
    float stretch_max;
    float drift_max; // m
} preflight_part;

typedef struct preflight {
    char grade; // of the worst part
    preflight_part parts[HEM_MAX_PARTS];
    int32_t part_count;
    float crossed, crossed_alone; // mean triangles, with physics and by the pose alone
    uint32_t mended;              // particles that were not finite
    const char* worst_clip;
    float worst_seconds;
    uint32_t worst_crossed;
    int32_t frame_count, clip_count;
    float step_us; // median of steps and skinning
} preflight;

// Says what is wrong on stderr and returns an exit code, or 0. The asset must have its preview.
int preflight_run(preflight* f, const asset* a);
// What to change, as a sentence; "" when there is nothing.
void preflight_advice(const preflight* f, char* text, size_t size);

// For hemc_set_preflight_function.
bool preflight_bytes(const uint8_t* bytes, size_t size, const char* path, hemc_preflight* out);

#endif
