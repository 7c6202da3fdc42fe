// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PROVE_MESHES_H
#define HEM_TOOLS_PROVE_MESHES_H

// What the proofs about triangle meshes share: meshes and sheets that are made on the spot.

#include "tools/prove.h"
#include "hem/hem.h"
#include "hem/trimesh.h"

typedef struct made_mesh {
    void* bytes;
    hem_trimesh mesh;
    hem_trimesh_info info;
} made_mesh;

bool build_mesh(const hem_trimesh_def* def, made_mesh* m);
void forget_mesh(made_mesh* m);

typedef struct made_cloth {
    uint8_t* bytes;
    void* aligned;
    hem_asset asset;
    uint32_t count;
} made_cloth;

// Columns x levels particles; around: a tube that hangs from its upmost level, else a level sheet, nothing held.
// virtual_particles as in hemc_bare_mesh.
bool make_cloth(int32_t columns, int32_t levels, float width, float height, bool around, int virtual_particles,
                made_cloth* c);
void forget_cloth(made_cloth* c);

void prove_virtual(proof* p);
void prove_faces(proof* p); // triangulated, any
void prove_box(proof* p);   // two triangles of cloth on its edge, and what is odd

#endif
