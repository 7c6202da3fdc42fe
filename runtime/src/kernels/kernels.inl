// SPDX-License-Identifier: MIT
// The solver, written once. A backend unit defines its vector backend and HEMI_SUFFIX(name), then includes this file.
// Nothing in here or below it may branch on the backend: the same source gives the same bits.

#include "runtime/src/kernels/kernels.h"
#include "platform/vec.h"
#include "platform/vec_math.h"

#include "runtime/src/kernels/integrate.inl"
#include "runtime/src/kernels/forces.inl"
#include "runtime/src/kernels/drive.inl"
#include "runtime/src/kernels/links.inl"
#include "runtime/src/kernels/springs.inl"
#include "runtime/src/kernels/fabric.inl"
#include "runtime/src/kernels/solids.inl"
#include "runtime/src/kernels/groups.inl"
#include "runtime/src/kernels/regions.inl"
#include "runtime/src/kernels/rods.inl"
#include "runtime/src/kernels/chains.inl"
#include "runtime/src/kernels/pairs.inl"
#include "runtime/src/kernels/contacts.inl"
#include "runtime/src/kernels/caught.inl"
#include "runtime/src/kernels/stretch.inl"
#include "runtime/src/kernels/meshes.inl"
#include "runtime/src/kernels/colliders.inl"
#include "runtime/src/kernels/edges.inl"
#include "runtime/src/kernels/mesh_near.inl"
#include "runtime/src/kernels/wraps.inl"
#include "runtime/src/kernels/skin.inl"
#include "runtime/src/kernels/show.inl"

const hemi_kernels* HEMI_SUFFIX(hemi_kernels)(void) {
    static const hemi_kernels table = {
        .kernel = HEMI_KERNEL,
        .targets = targets,
        .pose_rows = pose_rows,
        .forces = forces,
        .predict = predict,
        .predict_rotation = predict_rotation,
        .interpolate = interpolate,
        .drives = drives,
        .follow_keys = follow_keys,
        .links = links,
        .links_indexed = links_indexed,
        .springs = springs,
        .ties = ties,
        .track = track,
        .triangles = triangles,
        .bends = bends,
        .dihedrals = dihedrals,
        .tetrahedra = tetrahedra,
        .rest_moments = rest_moments,
        .moments = moments,
        .groups = groups,
        .region_weights = region_weights,
        .regions = regions,
        .rods = rods,
        .chains = chains,
        .limits = limits,
        .apply_delta = apply_delta,
        .find_near = find_near,
        .continuous = continuous,
        .place_bodies = place_bodies,
        .supports = supports,
        .touch_bodies = touch_bodies,
        .touch_particles = touch_particles,
        .watch_links = watch_links,
        .limit_links = limit_links,
        .make_planes = make_planes,
        .hold_planes = hold_planes,
        .pose_led = pose_led,
        .find_astray = find_astray,
        .cull_colliders = cull_colliders,
        .touch_colliders = touch_colliders,
        .touch_edges = touch_edges,
        .touch_mesh = touch_mesh,
        .skin_mesh = skin_mesh,
        .refit_mesh = refit_mesh,
        .find_meshes = find_meshes,
        .touch_meshes = touch_meshes,
        .find_wraps = find_wraps,
        .wrap_edges = wrap_edges,
        .velocities = velocities,
        .angular_velocities = angular_velocities,
        .frames = frames,
        .normals = normals,
        .palette = palette,
        .skin = skin,
        .skin_cells = skin_cells,
        .unpose = unpose,
        .repose = repose,
    };
    return &table;
}
