// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_MESHES_H
#define HEM_RUNTIME_MESHES_H

// The meshes of a scene: what its def names, and what the game says about them. A mesh is rigid (its bytes are all), or
// skinned (INPUT has its bones, STATE those at the end of the last step), or a soup (INPUT has its triangles). What
// particles meet is derived: corners, boxes, normals, and for a soup the whole mesh, built anew in its own room.

#include "runtime/src/layout.h"
#include "runtime/src/refuse.h"
#include "runtime/src/trimesh.h"

typedef struct hemi_mesh_input {
    uint32_t triangle_count; // of a soup
    uint32_t said;           // 1 = a skinned mesh has a pose; until then its bind pose
} hemi_mesh_input;

typedef struct hemi_mesh_state {
    uint32_t jumped; // until the end of the next step: it did not travel here
    uint32_t reserved;
} hemi_mesh_state;

typedef struct hemi_triangle {
    float at[3][3]; // [corner][axis]
} hemi_triangle;

struct hemi_mesh {
    const hem_trimesh_view* view; // what there is now; NULL = a soup without triangles
    uint32_t bone_count;          // above 0: skinned
    uint32_t triangle_capacity;   // above 0: a soup
    uint32_t two_sided;
    // INPUT
    hemi_mesh_input* input;
    hemi_bone_pose* bones;
    hemi_triangle* triangles;
    // STATE
    hemi_mesh_state* state;
    hemi_bone_pose* bones_prev;
    // Derived. Skinned: corners[end] belongs to the bones of INPUT once a step has begun, the other to those of STATE.
    float (*positions)[4];
    float (*normals)[4];
    hem_trimesh_corners* corners[2];
    hem_trimesh_node* nodes;
    uint8_t* stirred; // per vertex: moved by this step; then per block: the two corners differ, or its box holds both
    uint32_t end;
    uint32_t moved;     // in the running step: its pose is another, also one that it jumps to
    uint32_t changed;   // in the running step: its shape goes from corners[!end] to corners[end]
    uint32_t unsettled; // some block has its byte of `stirred` set
    // Soups
    hem_trimesh_view soup;
    void *room, *aside;
    size_t room_size, aside_size;
};

// layout: one mesh's arrays of each range, and the same for save, load and hash
void hemi_layout_mesh_input(hemi_carve* c, hemi_mesh* mesh);
void hemi_layout_mesh_state(hemi_carve* c, hemi_mesh* mesh);
void hemi_layout_mesh_derived(hemi_carve* c, hemi_mesh* mesh);

// From the def; checks nothing.
hemi_mesh hemi_mesh_of(const hem_mesh_def* def);
hem_result hemi_check_mesh_def(const hem_mesh_def* def, hemi_fault* fault);
uint64_t hemi_mesh_hash(const hem_mesh_def* def, uint64_t seed); // of what a save relies on

void hemi_init_mesh(const hem_scene* scene, hemi_mesh* mesh);
void hemi_derive_mesh(const hem_scene* scene, hemi_mesh* mesh); // all that follows from INPUT and STATE
void hemi_begin_meshes(hem_scene* scene);                       // of a step
void hemi_end_meshes(hem_scene* scene);
int hemi_mesh_moves(const hemi_mesh* mesh); // whether the next step changes its shape

// -- The mesh of an asset itself, which follows its pose without a word of the game: each instance has its own

typedef struct hemi_own_mesh {
    hemi_mesh mesh; // bones: the instance's; bones_prev: body_bones
    hem_trimesh_view view;
    hemi_mesh_state state;
    uint32_t begun; // by the running step
    uint32_t fresh; // its shape is that of body_bones
} hemi_own_mesh;

size_t hemi_body_size(const hem_view* view);
void hemi_derive_body(const hem_scene* scene, hemi_instance* instance); // all that follows from bones and body_bones
void hemi_begin_body(const hem_scene* scene, hemi_instance* instance);
void hemi_end_body(hemi_instance* instance);  // of a step: the next one begins with these bones
void hemi_keep_body(hemi_instance* instance); // it did not travel here

// As particles meet it between two shares of the step.
hemi_mesh_shape hemi_mesh_shape_of(const hemi_mesh* mesh, float s0, float s1);

#endif
