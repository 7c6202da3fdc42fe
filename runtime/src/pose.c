// SPDX-License-Identifier: MIT
// From skinning matrices to bones, targets and particles.

#include "runtime/src/kernels/kernels.h"
#include "runtime/src/meshes.h"

// Columns made unit first: a scaled bone still has a rotation.
static hem_quat rotation_of(const float m[12]) {
    hem_mat34 r;
    memset(&r, 0, sizeof(r));
    for (int c = 0; c < 3; ++c) {
        float x = m[c], y = m[4 + c], z = m[8 + c];
        float n2 = x * x + y * y + z * z;
        float s = n2 > 1e-20f ? 1.0f / hem_sqrtf(n2) : 0.0f;
        r.m[0][c] = x * s;
        r.m[1][c] = y * s;
        r.m[2][c] = z * s;
    }
    return hem_quat_normalise(hem_quat_from_mat34(&r));
}

void hemi_set_bones(hemi_instance* instance, const float* matrices, size_t stride) {
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    HEM_ASSERT(!matrices || stride >= sizeof(instance->bones->m));
    for (uint32_t i = 0; i < instance->view->info->bone_count; ++i) {
        hemi_bone_pose* bone = &instance->bones[i];
        memcpy(bone->m, matrices ? (const float*)((const char*)matrices + i * stride) : identity, sizeof(bone->m));
        hem_quat q = rotation_of(bone->m);
        bone->q[0] = q.x;
        bone->q[1] = q.y;
        bone->q[2] = q.z;
        bone->q[3] = q.w;
    }
}

void hemi_place_on_pose(const hem_scene* scene, hemi_instance* instance) {
    const hem_view* view = instance->view;
    uint32_t rows = view->info->row_count, oriented = view->info->oriented_row_count;
    HEM_ASSERT(instance->state->alive && instance->input->generation == instance->state->generation);
    scene->kernels->targets(view, instance->bones, instance->target_next);
    memcpy(instance->target_prev, instance->target_next, view->anim_row_count * sizeof(hemi_target_row));
    hemi_keep_bones(instance);
    hemi_forget_level(instance);
    for (uint32_t i = 0; view->lattice_clip_count && i < view->lattice_count; ++i) {
        instance->track_past[i].settled = 0; // a clip goes on from here
    }
    scene->kernels->pose_rows(view, instance->bones, instance->x, instance->q);
    memset(instance->v, 0, rows * sizeof(hemi_row3));
    memset(instance->w, 0, oriented * sizeof(hemi_row3));
    memset(instance->caught, 0, view->info->particle_count);
    if (view->virtual_edge_count) {
        memset(instance->wrapped, 0, view->virtual_edge_count * 8 * sizeof(hemi_wrapped));
    }
    for (uint32_t row = 0; row < rows; ++row) {
        memcpy(instance->x[row].w, view->shape_rows[row].inverse_mass, sizeof(instance->x[row].w));
    }
    hemi_keep_body(instance);
    hemi_derive_body(scene, instance);
    hemi_wake(instance->state);
    hemi_show_pose(instance);
    hemi_update_palette(scene, instance);
}
