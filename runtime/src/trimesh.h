// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_TRIMESH_H
#define HEM_RUNTIME_TRIMESH_H

// Triangle meshes inside the runtime (trimesh.c, trimesh_build.c, kernels/meshes.inl).

#include "runtime/src/internal.h"
#include "hem/trimesh.h"
#include "formats/hem_trimesh_validate.h"

#define HEMI_BEND_SHARE 1e-5f // of an edge's length: what leans less to one side is flat
#define HEMI_FIELD_COOKIE 0x484d4d46u

typedef struct hemi_trimesh { // what lies inside hem_trimesh
    uint32_t cookie;
    hem_trimesh_result result;
    hem_trimesh_fault_place fault;
    hem_trimesh_view view;
} hemi_trimesh;

HEM_STATIC_ASSERT(sizeof(hemi_trimesh) <= sizeof(hem_trimesh), "hem_trimesh is too small");

// A mesh as particles meet it during a substep, in its own space.
typedef struct hemi_mesh_shape {
    const hem_trimesh_view* view;
    const hem_trimesh_node* nodes;      // around all that follows
    const hem_trimesh_slab* slabs;      // around the blocks; NULL = unknown
    const hem_trimesh_corners* began;   // where the triangles were when the step began; NULL = where they are
    const hem_trimesh_corners* corners; // and where they are when it ends
    const float (*normals)[4];          // of vertices, when the step ends; NULL = the file's
    float then, now;                    // of the step, 0..1: when the substep began and ends
} hemi_mesh_shape;

// Eight particles and what they touch. A lane that touches nothing has depth 0.
typedef struct hemi_mesh_touch {
    hemi_row3 from, to; // the way of each during the substep, as the mesh sees it
    float margin[8];    // metres kept to the surface, above 0
    hemi_row3 normal;   // the way out
    hemi_row3 moved;    // of the touched point, by the mesh's change of shape
    float depth[8];
    uint32_t triangle[8]; // HEM_NONE as uint32
    uint8_t through[8];   // 1 = its way crosses the triangle
    float reached[8];     // the share of its way up to there
} hemi_mesh_touch;

const hem_trimesh_view* hemi_trimesh_view(const hem_trimesh* mesh); // NULL = not open

#endif
