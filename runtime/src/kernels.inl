// SPDX-License-Identifier: MIT
// The solver, written once. A backend unit defines its vector backend and HEMI_SUFFIX(name), then includes this file.
// Nothing in here or below it may branch on the backend: the same source gives the same bits.

#include "runtime/src/internal.h"
#include "platform/vec.h"
#include "platform/vec_math.h"

#include "runtime/src/kernels_integrate.inl"
#include "runtime/src/kernels_links.inl"
#include "runtime/src/kernels_groups.inl"
#include "runtime/src/kernels_pairs.inl"
#include "runtime/src/kernels_contacts.inl"
#include "runtime/src/kernels_caught.inl"
#include "runtime/src/kernels_colliders.inl"
#include "runtime/src/kernels_skin.inl"

const hemi_kernels* HEMI_SUFFIX(hemi_kernels)(void) {
    static const hemi_kernels table = {
        .kernel = HEMI_KERNEL,
        .targets = targets,
        .pose_rows = pose_rows,
        .predict = predict,
        .predict_rotation = predict_rotation,
        .interpolate = interpolate,
        .links = links,
        .links_indexed = links_indexed,
        .rest_moments = rest_moments,
        .moments = moments,
        .groups = groups,
        .limits = limits,
        .apply_delta = apply_delta,
        .find_near = find_near,
        .continuous = continuous,
        .place_bodies = place_bodies,
        .supports = supports,
        .touch_bodies = touch_bodies,
        .touch_particles = touch_particles,
        .watch_links = watch_links,
        .pose_led = pose_led,
        .cull_colliders = cull_colliders,
        .touch_colliders = touch_colliders,
        .velocities = velocities,
        .angular_velocities = angular_velocities,
        .frames = frames,
        .normals = normals,
        .palette = palette,
        .skin = skin,
    };
    return &table;
}
