// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_RUNTIME_TRIMESH_KIT_H
#define HEM_TESTS_RUNTIME_TRIMESH_KIT_H

// Meshes for tests, made on the spot.

#include "hem/trimesh.h"

#include <stdint.h>

typedef struct dice {
    uint64_t state;
} dice;

uint32_t dice_below(dice* d, uint32_t limit);
double dice_real(dice* d); // 0..1

typedef enum mesh_kind {
    MESH_BALL,  // radius 1
    MESH_BOX,   // half extents 1
    MESH_TORUS, // about y, radii 1 and 0.4
    MESH_SHEET, // 2 x 2, y up, wavy; open
    MESH_SOUP,  // random triangles that share nothing
    MESH_KINDS
} mesh_kind;

typedef struct soup {
    float (*positions)[3];
    uint32_t* indices;
    uint32_t vertex_count, triangle_count;
    int closed;
} soup;

// detail^2 triangles, times a few.
soup soup_make(mesh_kind kind, uint32_t detail);
void soup_free(soup* s);

typedef struct built_mesh {
    void* bytes;
    hem_trimesh_report report;
    hem_result result;
} built_mesh;

// def may be NULL; its geometry is filled in here.
built_mesh mesh_build(const soup* s, const hem_trimesh_def* def);
void mesh_free(built_mesh* m);

#endif
