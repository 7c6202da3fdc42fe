// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_SAMPLES_FIXTURE_H
#define HEM_TESTS_SAMPLES_FIXTURE_H

// The samples, each built once for all tests, and a second reading of them: the written bytes as cgltf understands
// them, posed and skinned by matrices alone. What the kit believes is compared with what a reader of the file sees.

#include "samples/glb.h"
#include "samples/kit_samples.h"

#include "cgltf.h"

typedef struct sample {
    const char* name;
    kit_model* model;
    glb_file file;
    cgltf_data* data;
    cgltf_node* rest; // the nodes as they stand in the file
} sample;

// Built on first use. Null when there is no such sample.
sample* sample_get(const char* name);
void sample_free_all(void);

cgltf_animation* sample_clip(const sample* s, const char* name);
int32_t clip_frame_count(const cgltf_animation* clip);
// Writes the keys of one frame into the nodes (everything else at rest). Null clip: the bind pose.
void sample_pose(sample* s, const cgltf_animation* clip, int32_t frame);
// World position of a node's origin in the pose set last.
kit_vec node_place(const cgltf_node* node);
const cgltf_node* sample_node(const sample* s, const char* name);

const cgltf_accessor* primitive_attribute(const cgltf_primitive* primitive, const char* name);
// Vertex `index` in the pose set last, by linear blend skinning as the glTF specification states it.
kit_vec skinned_vertex(const cgltf_skin* skin, const cgltf_primitive* primitive, cgltf_size index);

#endif
