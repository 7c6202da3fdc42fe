// SPDX-License-Identifier: MIT
#ifndef HEM_SAMPLES_GLB_H
#define HEM_SAMPLES_GLB_H

#include "samples/kit.h"

// The bytes of a glTF 2.0 binary file. The same model gives the same bytes everywhere.
typedef struct glb_file {
    uint8_t* bytes; // owned by the model
    size_t size;
    int32_t triangle_count, vertex_count, bone_count, clip_count;
} glb_file;

glb_file glb_pack(kit_model* model);

#endif
