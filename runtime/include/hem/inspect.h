// SPDX-License-Identifier: MIT
#ifndef HEM_INSPECT_H
#define HEM_INSPECT_H

// What lies in an asset and what an instance looks like now: for games that skin on the GPU, for tools and for debug views.
// Nothing here is needed to simulate. Reading an asset is free of scenes and may be done from any thread.

#include "hem/hem.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Bones and the pose

typedef struct hem_bone_info {
    const char* name;
    int32_t parent;         // a lower index, or -1
    float inverse_bind[12]; // character space (metres) -> the joint's own space; rows of four
} hem_bone_info;

hem_result hem_asset_get_bone(const hem_asset* asset, uint32_t bone, hem_bone_info* info);

// The matrices that hem_instance_set_pose wants, from where the joints are: bone_count 3x4 matrices, rows of four, each
// from the joint's own space into the space of the glTF's scene, in the order of the asset's bones; stride in bytes
// (0 = 48). unit: metres per unit of the joints' translations; 0 = as in the glTF (hem_asset_info.unit).
//
//   matrix[b] = unit * joint[b] * inverse_bind[b]
//
// inverse_bind is the asset's, not the glTF's: hemc moves rest shapes of all skins into one space in metres, and where a
// mesh is bound in another (a node scaled by 100, a skeleton that lies on its back) joint * inverseBindMatrix of the glTF
// would give a horse of 540 metres. A bone that no joint moves (the name "root") takes the identity.
hem_result hem_asset_pose_from_joints(const hem_asset* asset, const float* joints, size_t stride, float unit,
                                      float* matrices);
// The same from the usual matrices, as the engine already has them: global joint * inverseBindMatrix of the glTF, in its
// units, in the order of the asset's bones. A bone that is a node and no joint takes the node's global transform, "root" the
// identity. Of a joint of several skins the matrix of the skin with the most joints is meant; one that another skin binds
// elsewhere is a bone of its own, "joint@skin".
hem_result hem_asset_pose_from_skin(const hem_asset* asset, const float* skin, size_t stride, float* matrices);

// -- Meshes

typedef struct hem_mesh_info {
    const char* name; // "node/mesh/primitive"
    uint32_t vertex_begin, vertex_count;
    uint32_t source_node, source_mesh, source_primitive; // of the glTF; vertices are in the order of the primitive
    uint32_t dynamic;                                    // 1 = particles move some of its vertices
} hem_mesh_info;

typedef struct hem_vertex_info {
    float position[3]; // bind pose, character space, metres
    float normal[3];
    float tangent[4]; // 0 0 0 0 = none
    uint16_t particle[4];
    float particle_weight[4]; // their sum is 1
    uint16_t bone[4];
    float bone_weight[4]; // their sum is 1
    float blend;          // 0 = bones alone, 1 = particles alone
} hem_vertex_info;

hem_result hem_asset_get_mesh(const hem_asset* asset, uint32_t mesh, hem_mesh_info* info);
// Vertices [begin, begin + count). docs/runtime.md has the formula that a shader blends them by.
hem_result hem_asset_get_vertices(const hem_asset* asset, uint32_t begin, uint32_t count, hem_vertex_info* vertices);

typedef struct hem_vertex_range {
    uint32_t begin, count;
} hem_vertex_range;

// What hem_instance_skin writes with HEM_SKIN_DYNAMIC, ascending and apart from each other. *count is how many ranges there
// are; at most capacity are written.
hem_result hem_asset_get_dynamic_ranges(const hem_asset* asset, hem_vertex_range* ranges, uint32_t capacity,
                                        uint32_t* count);

// -- Parts and what holds them together

typedef struct hem_part_info {
    const char* name;
    uint32_t kind;                           // 0 cloth, 1 soft, 2 body: hem_part_kind of hem_format.h
    uint32_t animation;                      // 0 direct, 1 momentum conserving
    uint32_t particle_begin, particle_count; // with pads
    uint32_t real_count;                     // without
    uint32_t collision_group, collision_mask;
    float spacing; // metres
    float mass;    // kg, of all its particles
} hem_part_info;

typedef struct hem_link_info { // a distance constraint, or a spring
    uint32_t a, b;             // particles
    uint32_t part;
    uint32_t kind;             // hem_kind of hem_kinds.h: 0 warp, 1 weft, 2 shear, 3 bend, 4 tether, 5 stitch, 6 spring
    float rest;                // metres
    float scale;               // painted stiffness, 0..1
    float compliance, damping; // of a spring: m/N, N s/m; else 0, see the part's tuning
} hem_link_info;

typedef struct hem_group_info { // shape matching
    uint32_t particle;          // whose it is
    uint32_t part;
    uint32_t member_count; // with the particle itself, which is the first
    uint16_t members[32];
    float mass; // kg
} hem_group_info;

hem_result hem_asset_get_part(const hem_asset* asset, uint32_t part, hem_part_info* info);
// All of them, in the order in which they lie in the file: *count is how many there are; at most capacity are written.
hem_result hem_asset_get_links(const hem_asset* asset, hem_link_info* links, uint32_t capacity, uint32_t* count);
hem_result hem_asset_get_groups(const hem_asset* asset, hem_group_info* groups, uint32_t capacity, uint32_t* count);

// -- An instance

// As hem_instance_get_matrices, of the frame before: for motion vectors of games that skin on the GPU. Needs keep_previous
// and an asset with vertices.
hem_result hem_instance_get_previous_matrices(const hem_scene* scene, hem_instance_id id, float* matrices,
                                              size_t stride);

// Debug draw: whatever is there is handed to these, character space. NULL = not wanted. They must not call into the scene.
typedef struct hem_draw {
    void* user;
    void (*line)(void* user, const float a[3], const float b[3], const hem_link_info* link); // links and springs
    void (*ellipsoid)(void* user, uint32_t index, const hem_particle* particle);             // without pads
    void (*collider)(void* user, const hem_collider* collider); // of the instance, the scene and the asset
} hem_draw;
hem_result hem_instance_draw(const hem_scene* scene, hem_instance_id id, const hem_draw* draw);

#ifdef __cplusplus
}
#endif
#endif
