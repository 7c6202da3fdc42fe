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

// -- Bones that hang

// A bone with `hang` points where its rest, as its parent leads it, and gravity together lead: the rest of a VRM's spring
// bone, which is told here once and for all that follows the pose. What is below it goes along. All of it is rigid, so
// nothing stretches, and what hangs straight down already stays where it is.

static hem_mat34 matrix_of(const float m[12]) {
    hem_mat34 r;
    memcpy(r.m, m, sizeof(r.m));
    return r;
}

static hem_vec3 turned(const float m[12], hem_vec3 v) {
    const hem_mat34 a = matrix_of(m);
    return hem_mat34_vector(&a, v);
}

static hem_vec3 placed(const float m[12], hem_vec3 v) {
    const hem_mat34 a = matrix_of(m);
    return hem_mat34_point(&a, v);
}

static void multiply(const float a[12], const float b[12], float out[12]) {
    const hem_mat34 x = matrix_of(a), y = matrix_of(b), product = hem_mat34_mul(&x, &y);
    memcpy(out, product.m, sizeof(product.m));
}

// False where there is none.
static int invert(const float m[12], float out[12]) {
    float c[9];
    for (int i = 0; i < 3; ++i) {
        const float *a = m + 4 * ((i + 1) % 3), *b = m + 4 * ((i + 2) % 3);
        c[3 * i] = a[1] * b[2] - a[2] * b[1];
        c[3 * i + 1] = a[2] * b[0] - a[0] * b[2];
        c[3 * i + 2] = a[0] * b[1] - a[1] * b[0];
    }
    const float det = m[0] * c[0] + m[1] * c[1] + m[2] * c[2];
    if (!(hem_absf(det) > 1e-20f)) {
        return 0;
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            out[4 * i + k] = c[3 * k + i] / det;
        }
        out[4 * i + 3] = -(out[4 * i] * m[3] + out[4 * i + 1] * m[7] + out[4 * i + 2] * m[11]);
    }
    return 1;
}

static hem_vec3 head_of(const hem_bone* bone) { // at rest
    float bind[12];
    const hem_vec3 none = {0, 0, 0};
    return invert(bone->inverse_bind, bind) ? placed(bind, none) : none;
}

// Which way gravity goes for the character; no vector where there is none.
static hem_vec3 down_of(const hem_scene* scene, const hemi_input* input) {
    const float* q = input->root.rotation;
    const float* g = input->own_gravity ? input->gravity : scene->input->gravity;
    const hem_quat root = {q[0], q[1], q[2], q[3]};
    const hem_vec3 way = {g[0], g[1], g[2]};
    return hem_vec3_normalise(hem_quat_rotate_back(root, way));
}

// The turn by the shorter way from one unit vector to the other, about `at`.
static void turn_between(hem_vec3 from, hem_vec3 to, hem_vec3 at, float out[12]) {
    const hem_vec3 v = hem_vec3_cross(from, to);
    const float c = hem_vec3_dot(from, to), k = c > -0.999f ? 1.0f / (1.0f + c) : 0.0f;
    const float m[12] = {c + k * v.x * v.x,   k * v.x * v.y - v.z, k * v.x * v.z + v.y, 0.0f,
                         k * v.x * v.y + v.z, c + k * v.y * v.y,   k * v.y * v.z - v.x, 0.0f,
                         k * v.x * v.z - v.y, k * v.y * v.z + v.x, c + k * v.z * v.z,   0.0f};
    const hem_vec3 went = hem_vec3_sub(at, turned(m, at));
    memcpy(out, m, sizeof(m));
    out[3] = went.x;
    out[7] = went.y;
    out[11] = went.z;
}

static const float* given_bone(const float* matrices, size_t stride, uint32_t bone) {
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    return matrices ? (const float*)((const char*)matrices + bone * stride) : identity;
}

static int differ(const float a[12], const float b[12]) {
    int any = 0;
    for (int k = 0; k < 12; ++k) {
        any |= a[k] != b[k];
    }
    return any;
}

// The bones are as they were given, parents first; `matrices` still has them so.
static void hang_bones(const hem_scene* scene, hemi_instance* instance, const float* matrices, size_t stride) {
    const hem_view* view = instance->view;
    const hem_vec3 down = down_of(scene, instance->input);
    for (uint32_t i = 0; i < view->info->bone_count; ++i) {
        const hem_bone* bone = &view->bones[i];
        float* m = instance->bones[i].m;
        if (bone->parent >= 0) {
            const float *parent = instance->bones[bone->parent].m,
                        *was = given_bone(matrices, stride, (uint32_t)bone->parent);
            float back[12], led[12], raw[12];
            if (differ(parent, was) && invert(was, back)) {
                multiply(parent, back, led);
                memcpy(raw, m, sizeof(raw));
                multiply(led, raw, m);
            }
        }
        if (bone->hang == 0.0f) {
            continue;
        }
        const hem_vec3 head = head_of(bone), tail = head_of(&view->bones[bone->tail]);
        const int away = (int32_t)bone->tail == bone->parent;
        const hem_vec3 rest = hem_vec3_normalise(turned(m, away ? hem_vec3_sub(head, tail) : hem_vec3_sub(tail, head)));
        const hem_vec3 way = hem_vec3_normalise(hem_vec3_add(rest, hem_vec3_scale(down, bone->hang)));
        float turn[12], raw[12];
        if (hem_vec3_dot(way, way) > 0.5f && hem_vec3_dot(rest, rest) > 0.5f) {
            turn_between(rest, way, placed(m, head), turn);
            memcpy(raw, m, sizeof(raw));
            multiply(turn, raw, m);
        }
    }
}

void hemi_set_bones(const hem_scene* scene, hemi_instance* instance, const float* matrices, size_t stride) {
    const hem_view* view = instance->view;
    int hangs = 0;
    HEM_ASSERT(!matrices || stride >= sizeof(instance->bones->m));
    for (uint32_t i = 0; i < view->info->bone_count; ++i) {
        memcpy(instance->bones[i].m, given_bone(matrices, stride, i), sizeof(instance->bones[i].m));
        hangs |= view->bones[i].hang != 0.0f;
    }
    if (hangs) {
        hang_bones(scene, instance, matrices, stride);
    }
    for (uint32_t i = 0; i < view->info->bone_count; ++i) {
        hemi_bone_pose* bone = &instance->bones[i];
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
