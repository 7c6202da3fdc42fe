// SPDX-License-Identifier: MIT
#ifndef HEMC_CLIP_POSE_H
#define HEMC_CLIP_POSE_H

// Where a clip of the glTF has the vertices.

#include "compiler/surface/spatial.h"

// By name, also among those that animate morph weights alone; NULL = there is none.
const hemc_clip* hemc_find_clip(const hemc_model* model, const char* name);

// Morphed, then skinned: `count` vertices of the model in a frame. shape: room for all of the model's vertices.
void hemc_clip_pose(const hemc_model* model, const hemc_clip* clip, uint32_t frame, const uint32_t* vertices,
                    uint32_t count, hemc_d3* shape, hemc_vec3* out);

#endif
