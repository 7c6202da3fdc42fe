// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_WATCH_H
#define HEM_TOOLS_WATCH_H

// Measures what is seen (seen.h) of an asset, frame by frame: as simulated, and by the pose alone, which is the control.

#include "tools/puppet.h"
#include "tools/seen.h"

// One layer over the frames watched.
typedef struct watch_layer {
    double stretched_share, drift_rms; // sums over frames
    float stretched_worst, stretch_max, drift_max;
    uint32_t torn_worst;
} watch_layer;

typedef struct watch {
    const asset* source;
    seen_mesh mesh;
    float* pose_positions;
    float* pose_normals;
    int32_t frame_count;
    watch_layer layers[SEEN_LAYERS_MAX];
    double* crossed; // layer_count x layer_count: triangles of a that b cuts, sum over frames
    float* depths;   // the deepest
} watch;

// Says what is wrong and returns an exit code, or 0. The asset must have its preview.
int watch_begin(watch* w, const asset* a);
// Forgets the frames watched.
void watch_restart(watch* w);
// matrices: the pose of this frame. seconds: its time; frame_seconds since the one before. alone may be NULL.
void watch_frame(watch* w, const puppet* p, const float* matrices, float seconds, float frame_seconds,
                 seen_frame* physics, seen_frame* alone);
void watch_end(watch* w);

// "body", or the part's name.
const char* watch_layer_name(const watch* w, uint32_t layer);

#endif
