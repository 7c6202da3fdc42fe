// SPDX-License-Identifier: MIT
// All kernels: result, name, arguments. Whoever includes this says what KERNEL makes of them.
// clang-format off (it takes the first argument for a product)

// Bones -> targets of anim rows (eq. 4).
KERNEL(void, targets, (const hem_view* view, const hemi_bone_pose* bones, hemi_target_row* out))
// The same for every row, straight into positions and rotations.
KERNEL(void, pose_rows, (const hem_view* view, const hemi_bone_pose* bones, hemi_row4* x, hemi_row4* q))
KERNEL(void, forces, (const hemi_force_args* args))
// How crowded guides are by each other, and which way that pushes them (kernels/crowd.inl).
KERNEL(void, crowd_sum, (const hemi_crowd_args* args))
KERNEL(void, crowd_push, (const hemi_crowd_args* args))
KERNEL(void, predict, (const hemi_predict* args))
KERNEL(void, predict_rotation,
       (hemi_row4 * q, const hemi_row3* w, hemi_row4* prev_q, const hem_shape_row* shape, const hem_map_row* map,
        uint32_t count, const hemi_part_step* part, float h))
// Targets between two poses, and the direct overwrite.
KERNEL(void, interpolate,
       (const hemi_target_row* a, const hemi_target_row* b, float t, uint32_t count, hemi_target_row* out))
KERNEL(void, drives, (const hemi_drive_args* args))
KERNEL(uint32_t, follow_keys,
       (const hemi_key_args* args)) // whether all targets have arrived
KERNEL(void, links, (const hem_link_batch* batches, uint32_t count, const hemi_link_args* args))
KERNEL(void, links_indexed, (const hem_index_batch* batches, uint32_t count, const hemi_link_args* args))
KERNEL(void, springs,
       (const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_spring_args* args))
KERNEL(void, ties, (const hemi_tie_batch* batch, const hemi_spring_args* args))
// Where the pose has a part's rows becomes their rest shape.
KERNEL(void, track,
       (const hem_view* view, const hem_drive_row* rows, uint32_t count, const hemi_target_row* now, hem_rest_row* rest,
        hemi_row4* rest_q))
KERNEL(void, triangles,
       (const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_fabric_args* args))
KERNEL(void, bends, (const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_fabric_args* args))
KERNEL(void, dihedrals,
       (const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_fabric_args* args))
KERNEL(void, tetrahedra,
       (const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_solid_args* args))
// Orientation terms of a soft part's rows: at rest, and turned.
KERNEL(void, rest_moments, (const hem_view* view, const hem_part* part, float* at_rest))
KERNEL(void, moments,
       (const hem_part* part, const hemi_row4* q, const hemi_row4* rest_q, const float* at_rest, float* moment))
KERNEL(void, groups,
       (const hem_view* view, const hem_group_batch* batches, uint32_t count, const hemi_group_args* args))
// How many regions each particle of a lattice is in: when the width or the step is new.
KERNEL(void, region_weights, (const hemi_region_args* args))
KERNEL(void, regions, (const hemi_region_args* args))
KERNEL(void, rods, (const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_rod_args* args))
KERNEL(void, chains, (const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_rod_args* args))
KERNEL(void, follow, (const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_rod_args* args))
// Of either: what contacts have done to their lengths is taken back (kernels/drawn.inl).
KERNEL(void, draw_strands,
       (const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_rod_args* args))
KERNEL(void, limits, (const hem_view* view, const hemi_target_row* now, hemi_row4* x))
KERNEL(void, apply_delta, (hemi_row4 * x, hemi_row4* delta, uint32_t count, int average)) // and clears it
KERNEL(void, find_near, (const hemi_search_args* args))
KERNEL(void, continuous, (const hemi_contact_args* args))
// Bodies of this substep, from where the pose has them now and had them before.
KERNEL(void, place_bodies,
       (const hem_view* view, const hemi_row4* x, const hemi_row3* prev, const hemi_row4* q,
        const hemi_part_step* parts, hemi_contacts* contacts))
KERNEL(void, supports, (const hem_view* view, const hem_part* part, const hemi_row4* q, float* support))
KERNEL(void, touch_bodies, (const hemi_contact_args* args))
KERNEL(void, touch_particles, (const hemi_contact_args* args))
// Cloth that a limb went through (kernels/caught.inl).
KERNEL(void, watch_links,
       (const hem_view* view, const hem_part* part, const hemi_row4* x, float times, uint8_t* strained))
// Threads that are too long, at the end of a step (kernels/stretch.inl).
KERNEL(uint32_t, limit_links, (const hemi_stretch_args* args))
KERNEL(void, make_planes, (const hemi_stretch_args* args))
KERNEL(void, hold_planes, (const hemi_stretch_args* args))
KERNEL(void, pose_led, (const hem_view* view, const hemi_bone_pose* bones, hemi_led* led))
KERNEL(uint32_t, find_astray, (const hemi_body* bodies, uint32_t count, const hemi_row4* x, const hemi_led* led))
// Colliders: which rows they may touch while everybody goes on for dt, then the push.
KERNEL(void, cull_colliders,
       (const hem_view* view, const hemi_row4* x, const hemi_row3* v, const hemi_part_step* parts,
        const hemi_mat34* part_frames, float dt, hemi_colliders* colliders))
KERNEL(void, touch_colliders,
       (const hem_view* view, hemi_row4* x, hemi_row3* prev, const hemi_part_step* parts,
        const hemi_colliders* colliders, hemi_counters* counters))
// The same for what lies between particles, where colliders are thin (kernels/edges.inl).
KERNEL(void, touch_edges,
       (const hem_view* view, hemi_row4* x, hemi_row3* prev, const hemi_part_step* parts,
        const hemi_colliders* colliders, hemi_counters* counters))
// Triangle meshes: eight particles against one, and one that changes its shape (kernels/meshes.inl).
KERNEL(uint32_t, touch_mesh, (const hemi_mesh_shape* shape, hemi_mesh_touch* touch, uint32_t lanes))
KERNEL(void, skin_mesh,
       (const hem_trimesh_view* view, const hemi_bone_pose* bones, const uint8_t* stirred, float (*positions)[4],
        float (*normals)[4]))
KERNEL(void, refit_mesh,
       (const hem_trimesh_view* view, const float (*positions)[4], uint8_t* stirred, const hem_trimesh_corners* began,
        hem_trimesh_corners* corners, hem_trimesh_node* nodes))
// Which triangles rows may touch until the next search; then the push (kernels/mesh_near.inl).
KERNEL(void, find_meshes, (const hemi_mesh_args* args, const hemi_mat34* part_frames, float dt))
KERNEL(void, touch_meshes, (const hemi_mesh_args* args))
// Which edges of meshes edges of cloth may meet until the next search; then which of them go around some, in this
// substep (kernels/wraps.inl).
KERNEL(void, find_wraps, (const hemi_wrap_args* args, const hemi_mat34* part_frames, float dt))
KERNEL(void, wrap_edges, (hemi_wrap_args * args))
// From where a substep began to velocities, in place. Returns whether all positions are below 32 km and all speeds
// below 32 km/s, none of them NaN.
KERNEL(uint32_t, velocities, (const hemi_row4* x, hemi_row3* v, uint32_t count, float inverse_h))
KERNEL(void, angular_velocities,
       (const hemi_row4* q, const hemi_row4* prev_q, hemi_row3* w, uint32_t count, float inverse_h))
KERNEL(void, frames, (const hem_view* view, const hemi_row4* x, uint32_t begin, uint32_t count, hemi_row4* out))
KERNEL(void, normals, (const hem_view* view, const hemi_row4* q, const hemi_row4* frame_q, hemi_row3* out))
KERNEL(void, palette,
       (const hem_view* view, const hemi_row4* x, const hemi_row4* q, const hemi_row4* frame_q, uint32_t begin,
        uint32_t end, float (*out)[16])) // rows
KERNEL(void, skin,
       (const hem_view* view, const uint8_t* weights, const float (*palette)[16], const hemi_bone_pose* bones,
        float pose_blend, const hem_skin_args* args))
// Vertices in cells, over what the one before wrote of them. `whole`: it is known that none follows a bone too.
KERNEL(void, skin_cells,
       (const hem_view* view, const float (*palette)[16], const hemi_bone_pose* bones, float pose_blend, uint32_t whole,
        const hem_skin_args* args))
// Particles as offsets from the pose, and back (kernels/show.inl).
KERNEL(void, unpose,
       (const hem_view* view, const hemi_bone_pose* bones, const hemi_row4* x, const hemi_row4* q, hemi_row3* offset,
        hemi_row4* turn))
KERNEL(uint32_t, repose, (const hemi_show_args* args)) // whether something still fades
// What was shown as offsets that begin elsewhere, and what is to fade.
KERNEL(void, begin_fade, (const hemi_show_args* args))
KERNEL(void, watch_pace, (const hemi_show_args* args))
// Particles of one level of detail by those of another (kernels/level.inl).
KERNEL(void, follow_level, (const hemi_level_args* args))

#undef KERNEL
