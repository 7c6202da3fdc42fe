// SPDX-License-Identifier: MIT
// Everything that a game can say to a scene, one line each: X(NAME, number, name, payload, size of an element). A setter
// checks its arguments and applies one of these (colliders: one for each, and one for their number). What is applied
// depends on the op, on the asset, on INPUT and on STATE alone, so the same ops on the same save give the same bits.
//
// Payloads and elements are plain data without pointers, the same on every machine. Numbers are for ever: they stand in
// recordings.
#define HEMI_OPS(X)                                                                                                    \
    X(ADD, 1, add, hemi_op_add, sizeof(hemi_op_bone)) /* no element = the bind pose */                                 \
    X(REMOVE, 2, remove, hemi_op_nothing, 0)                                                                           \
    X(POSE, 3, pose, hemi_op_nothing, sizeof(hemi_op_bone))                                                            \
    X(ROOT, 4, root, hemi_op_root, 0)                                                                                  \
    X(TELEPORT, 5, teleport, hemi_op_teleport, 0)                                                                      \
    X(FELT_LIMITS, 6, felt_limits, hemi_op_felt_limits, 0)                                                             \
    X(CARRY, 7, carry, hemi_op_carry, 0)                                                                               \
    X(RESET, 8, reset, hemi_op_nothing, 0)                                                                             \
    X(WIND, 9, wind, hemi_op_wind, 0)                                                                                  \
    X(GRAVITY, 10, gravity, hemi_op_gravity, 0)                                                                        \
    X(POSE_BLEND, 11, pose_blend, hemi_op_number, 0)                                                                   \
    X(TIME_SCALE, 12, time_scale, hemi_op_number, 0)                                                                   \
    X(ANIMATION, 13, animation, hemi_op_animation, 0)                                                                  \
    X(FEATURES, 14, features, hemi_op_features, 0)                                                                     \
    X(WAKE, 15, wake, hemi_op_nothing, 0)                                                                              \
    X(TUNING, 16, tuning, hemi_op_nothing, sizeof(hem_tuning))                                                         \
    X(PLANES, 17, planes, hemi_op_planes, sizeof(hemi_op_plane)) /* of the hull that comes next */                     \
    X(COLLIDER, 18, collider, hemi_op_collider, 0)                                                                     \
    X(COLLIDER_COUNT, 19, collider_count, hemi_op_count, 0)                                                            \
    X(FORCE_FIELD, 20, force_field, hemi_op_force_field, 0) /* of the whole scene, like those that follow */           \
    X(MESH_POSE, 21, mesh_pose, hemi_op_mesh_pose, sizeof(hemi_op_bone))                                               \
    X(MESH_TRIANGLES, 22, mesh_triangles, hemi_op_mesh_triangles, sizeof(hemi_triangle))                               \
    X(SCENE_PLANES, 23, scene_planes, hemi_op_planes, sizeof(hemi_op_plane))                                           \
    X(SCENE_COLLIDER, 24, scene_collider, hemi_op_collider, 0)                                                         \
    X(SCENE_COLLIDER_COUNT, 25, scene_collider_count, hemi_op_count, 0)                                                \
    X(FORCE, 26, force, hemi_op_force, 0)                                                                              \
    X(FORCE_COUNT, 27, force_count, hemi_op_count, 0)                                                                  \
    X(TIE, 28, tie, hemi_op_tie, 0) /* of an instance */                                                               \
    X(TIE_COUNT, 29, tie_count, hemi_op_count, 0)                                                                      \
    X(CLIP_PLAY, 34, clip_play, hemi_op_clip_play, 0)                                                                  \
    X(CLIP_PAUSE, 35, clip_pause, hemi_op_clip_pause, 0)                                                               \
    X(CLIP_STOP, 36, clip_stop, hemi_op_clip_stop, 0)                                                                  \
    X(BUDGET, 40, budget, hemi_op_number, 0) /* of the scene, like the next */                                         \
    X(MEASURED, 41, measured, hemi_op_number, 0)                                                                       \
    X(IMPORTANCE, 42, importance, hemi_op_number, 0) /* of an instance, like the next */                               \
    X(LEVELS, 43, levels, hemi_op_levels, 0)                                                                           \
    X(SLOTS_ADD, 44, slots_add, hemi_op_slots, 0) /* of the scene, like the next */                                    \
    X(SLOTS_REMOVE, 45, slots_remove, hemi_op_slots_remove, 0)                                                         \
    X(RESTORE, 46, restore, hemi_op_nothing, sizeof(uint32_t))       /* of an instance: the words of its save */       \
    X(VIEWPOINT, 47, viewpoint, hemi_op_viewpoint, 0)                /* of the scene */                                \
    X(SLEEP_DISTANCE, 48, sleep_distance, hemi_op_sleep_distance, 0) /* of an instance */
