// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_FIELD_H
#define HEM_RUNTIME_FIELD_H

// Height fields as triangles, blocks and boxes, made when they are asked for: to all others a field is a mesh.

#include "runtime/src/trimesh.h"

typedef struct hemi_mesh_edge {
    uint32_t triangle[2]; // the lower one first; HEM_NONE as uint32 on a border
    uint32_t flags;       // HEM_TRIMESH_EDGE_*
} hemi_mesh_edge;

uint32_t hemi_field_block(uint32_t x, uint32_t z); // that this cell is in
// Missing triangles are points, farther than anything.
void hemi_field_corners(const hem_trimesh_view* view, uint32_t block, hem_trimesh_corners* corners);
int hemi_field_triangle(const hem_trimesh_view* view, uint32_t triangle, hem_vec3 corner[3]); // 0 = it is missing
void hemi_field_node(const hem_trimesh_view* view, uint32_t level, uint32_t index, hem_trimesh_node* node);
hemi_mesh_edge hemi_field_edge(const hem_trimesh_view* view, uint32_t triangle, uint32_t k);
uint32_t hemi_field_vertex(const hem_trimesh_view* view, uint32_t triangle, uint32_t k); // its place in the heights
// Whether some triangle around it is missing.
int hemi_field_is_open(const hem_trimesh_view* view, uint32_t triangle, uint32_t k);

#endif
