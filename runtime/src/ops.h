// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_OPS_H
#define HEM_RUNTIME_OPS_H

// The one way in: see ops.inl for the list.

#include "runtime/src/internal.h"
#include "runtime/src/meshes.h"
#include "runtime/src/ops.inl"

typedef struct hemi_op_nothing {
    uint32_t reserved;
} hemi_op_nothing;

typedef struct hemi_op_bone { // bind pose -> posed, rows of four
    float m[12];
} hemi_op_bone;

typedef struct hemi_op_add {
    hem_root root;
    float pose_blend, time_scale, gravity_scale;
    float felt_acceleration, felt_turning;
    uint32_t reserved;
    uint64_t user;
} hemi_op_add;

typedef struct hemi_op_root {
    hem_root root;
} hemi_op_root;

typedef struct hemi_op_teleport {
    hem_root root;
    uint32_t keep_velocity;
    uint32_t reserved;
} hemi_op_teleport;

typedef struct hemi_op_felt_limits {
    float acceleration, turning;
} hemi_op_felt_limits;

typedef struct hemi_op_carry {
    hem_root from, to;
} hemi_op_carry;

typedef struct hemi_op_wind {
    float velocity[3];
} hemi_op_wind;

typedef struct hemi_op_gravity {
    float gravity[3];
    uint32_t own; // 0 = the scene's
} hemi_op_gravity;

typedef struct hemi_op_number {
    float value;
} hemi_op_number;

typedef struct hemi_op_levels { // hem_level
    uint32_t best, worst;
} hemi_op_levels;

typedef struct hemi_op_animation {
    int32_t mode;
} hemi_op_animation;

typedef struct hemi_op_features {
    uint32_t features;
} hemi_op_features;

typedef struct hemi_op_plane { // x y z d
    float plane[4];
} hemi_op_plane;

typedef struct hemi_op_planes {
    uint32_t first; // of the instance's planes
} hemi_op_planes;

typedef struct hemi_op_collider {
    uint32_t index;
    uint32_t jumped;
    hemi_collider collider;
} hemi_op_collider;

typedef struct hemi_op_count {
    uint32_t count;
} hemi_op_count;

typedef struct hemi_op_force_field {
    uint32_t set;     // the function itself is the game's and not recorded
    uint32_t another; // than before, or for another user
} hemi_op_force_field;

typedef struct hemi_op_tie {
    uint32_t index;
    uint32_t jumped;
    hemi_tie tie;
} hemi_op_tie;

typedef struct hemi_op_clip_play {
    uint32_t lattice;
    float start, blend; // seconds
    uint32_t reserved;
    hemi_track track;
} hemi_op_clip_play;

typedef struct hemi_op_clip_pause {
    uint32_t lattice;
    uint32_t paused;
} hemi_op_clip_pause;

typedef struct hemi_op_clip_stop {
    uint32_t lattice;
    float blend;
} hemi_op_clip_stop;

typedef struct hemi_op_force {
    uint32_t index;
    uint32_t restart;
    hemi_force force;
} hemi_op_force;

typedef struct hemi_op_mesh_pose {
    uint32_t mesh;
    uint32_t jumped;
} hemi_op_mesh_pose;

typedef struct hemi_op_mesh_triangles {
    uint32_t mesh;
    uint32_t reserved;
} hemi_op_mesh_triangles;

typedef struct hemi_op_slots {
    uint8_t asset[16]; // content_hash: whoever replays it finds the asset by this and sets hem_scene.coming
    uint32_t count;
    uint32_t reserved;
} hemi_op_slots;

typedef struct hemi_op_slots_remove {
    uint32_t class_index;
} hemi_op_slots_remove;

typedef struct hemi_op_viewpoint {
    double position[3];
    uint32_t set; // 0 = there is none
    uint32_t reserved;
} hemi_op_viewpoint;

typedef struct hemi_op_sleep_distance {
    float sleep, wake;
} hemi_op_sleep_distance;

typedef enum hemi_op_id {
#define HEMI_OP_ENUM(NAME, number, name, payload, element) HEMI_OP_##NAME = number,
    HEMI_OPS(HEMI_OP_ENUM)
#undef HEMI_OP_ENUM
} hemi_op_id;

static inline int hemi_op_is_of_scene(uint32_t id) { // else it is said about an instance
    return (id >= HEMI_OP_FORCE_FIELD && id <= HEMI_OP_FORCE_COUNT) || id == HEMI_OP_BUDGET || id == HEMI_OP_MEASURED ||
           id == HEMI_OP_SLOTS_ADD || id == HEMI_OP_SLOTS_REMOVE || id == HEMI_OP_VIEWPOINT;
}

typedef struct hemi_op {
    hemi_op_id id;
    uint32_t count;       // of elements
    const void* payload;  // hemi_op_payload_size bytes
    const void* elements; // hemi_op_element_size bytes each
    size_t stride;        // bytes from one element to the next
} hemi_op;

// NULL and 0 when there is no such op.
const char* hemi_op_name(uint32_t id);
size_t hemi_op_payload_size(uint32_t id);
size_t hemi_op_element_size(uint32_t id);

// The op's arguments have been checked. instance NULL = the whole scene.
void hemi_apply(hem_scene* scene, hemi_instance* instance, const hemi_op* op);

#endif
