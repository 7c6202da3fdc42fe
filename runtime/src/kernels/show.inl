// SPDX-License-Identifier: MIT
// Particles as offsets from the pose: x = p + R d, q = R t, with p and R where the bones have the particle. What is not
// simulated in a frame goes with its bones by keeping d and t (show.c). R is a rotation, so unlike a blend of matrices it
// can always be taken back.

void HEMI_NAME(unpose)(const hem_view* view, const hemi_bone_pose* bones, const hemi_row4* x, const hemi_row4* q,
                       hemi_row3* offset, hemi_row4* turn) {
    for (uint32_t row = 0; row < view->info->row_count; ++row) {
        HEM_ALIGN(32) hemi_target_row pose;
        pose_row(view, row, bones, &pose);
        const v8x4 r = row4_load(&pose.q);
        row3_store(&offset[row], v8x4_rotate_back(r, v8x3_sub(row4_load3(&x[row]), row3_load(&pose.x))));
        if (row < view->info->oriented_row_count) {
            row4_store(&turn[row], v8x4_normalise(v8x4_mul(v8x4_conj(r), row4_load(&q[row]))));
        }
    }
}

// First goes a share of the way from the offsets shown to their goal.
void HEMI_NAME(repose)(const hemi_show_args* a) {
    const v8 share = v8_set1(a->share);
    const int all = a->share == 1.0f;
    for (uint32_t row = 0; row < a->view->info->row_count; ++row) {
        HEM_ALIGN(32) hemi_target_row pose;
        pose_row(a->view, row, a->bones, &pose);
        const v8x4 r = row4_load(&pose.q);
        const v8x3 goal = row3_load(&a->goal[row]);
        const v8x3 d = all ? goal : v8x3_lerp(row3_load(&a->offset[row]), goal, share);
        row3_store(&a->offset[row], d);
        row4_store3(&a->x[row], v8x3_add(row3_load(&pose.x), v8x4_rotate(r, d)));
        if (row < a->view->info->oriented_row_count) {
            const v8x4 to = row4_load(&a->goal_q[row]);
            const v8x4 t = all ? to : v8x4_nlerp(row4_load(&a->offset_q[row]), to, share);
            row4_store(&a->offset_q[row], t);
            row4_store(&a->q[row], v8x4_normalise(v8x4_mul(r, t)));
        }
    }
}
