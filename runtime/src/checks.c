// SPDX-License-Identifier: MIT
// What values from outside must hold, and what is said about those that do not.

#include "runtime/src/checks.h"

int hemi_is_fine(float value, float low, float high, const char* field, const char* rule, hemi_fault* fault) {
    if (!hemi_in_range(value, low, high)) {
        *fault = hemi_fault_value(field, HEM_NONE, (double)value, rule);
        return 0;
    }
    return 1;
}

int hemi_all_are_fine(const float* v, uint32_t count, float limit, const char* field, const char* rule,
                      hemi_fault* fault) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!hemi_in_range(v[i], -limit, limit)) {
            *fault = hemi_fault_value(field, (int32_t)i, (double)v[i], rule);
            return 0;
        }
    }
    return 1;
}

#define PLACE_RULE "must be within 1e9 metres"
#define UNIT_RULE "in squared length; a rotation must have length 1"

static double square(const float q[4]) {
    return (double)(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

static int place_is_fine(const double p[3], const float q[4], hemi_fault* fault) {
    for (int k = 0; k < 3; ++k) {
        if (!(p[k] >= -1e9 && p[k] <= 1e9)) {
            *fault = hemi_fault_value("position", k, p[k], PLACE_RULE);
            return 0;
        }
    }
    if (!hemi_is_unit(q)) {
        *fault = hemi_fault_value("rotation", HEM_NONE, square(q), UNIT_RULE);
        return 0;
    }
    return 1;
}

int hemi_root_is_fine(const hem_root* root, const char* of, hemi_fault* fault) {
    if (!place_is_fine(root->position, root->rotation, fault)) {
        *fault = hemi_fault_of(of, HEM_NONE, *fault);
        return 0;
    }
    return 1;
}

int hemi_felt_limit_is_fine(float value, const char* field, hemi_fault* fault) {
    if (!hemi_is_felt_limit(value)) {
        *fault = hemi_fault_value(field, HEM_NONE, (double)value, "must be above 0 and at most 1e6");
        return 0;
    }
    return 1;
}

// The longest of its three columns.
static float scale_of(const float m[12]) {
    float most = 0.0f;
    for (int c = 0; c < 3; ++c) {
        most = hem_maxf(most, m[c] * m[c] + m[4 + c] * m[4 + c] + m[8 + c] * m[8 + c]);
    }
    return hem_sqrtf(most);
}

// Games scale heads and hide hands. Nobody makes a bone 32 times as large, or all of them that much smaller: such matrices
// come from inverse binds of another space than the asset's.
#define ABSURD_SCALE 32.0f
#define SCALE_RULE "times its size at rest: is it joint x the glTF's inverse bind? See hem_asset_pose_from_joints"

int hemi_bone_is_sane(const float m[12]) {
    return hemi_all_in_range(m, 12, 1e6f) && scale_of(m) <= ABSURD_SCALE;
}

int hemi_pose_is_fine(const float* matrices, uint32_t count, size_t stride, const char* field, hemi_fault* fault) {
    float most = 0.0f;
    for (uint32_t i = 0; i < count; ++i) {
        const float* m = (const float*)((const char*)matrices + i * stride);
        if (!hemi_all_are_fine(m, 12, 1e6f, NULL, "must be within 1e6", fault)) {
            fault->of = field;
            fault->of_index = (int32_t)i;
            return 0;
        }
        const float scale = scale_of(m);
        if (scale > ABSURD_SCALE) {
            *fault = hemi_fault_value(field, (int32_t)i, (double)scale, SCALE_RULE);
            return 0;
        }
        most = hem_maxf(most, scale);
    }
    if (most > 0.0f && most * ABSURD_SCALE < 1.0f) {
        *fault = hemi_fault_value(field, HEM_NONE, (double)most, SCALE_RULE);
        return 0;
    }
    return 1;
}

int hemi_collider_is_fine(const hemi_collider* c, uint32_t bone_count, uint32_t mesh_count, hemi_fault* fault) {
    if (c->kind > HEM_COLLIDER_MESH) {
        *fault = hemi_fault_value("kind", HEM_NONE, c->kind, "must be one of hem_collider_kind");
        return 0;
    }
    if (c->bone < -1 || c->bone >= (int32_t)bone_count) {
        *fault = hemi_fault_value("bone", HEM_NONE, c->bone, "must be -1 or a bone of the asset");
        return 0;
    }
    if (c->kind == HEM_COLLIDER_MESH && c->first_plane >= mesh_count) {
        *fault = hemi_fault_value("mesh", HEM_NONE, c->first_plane, "must be one of hem_scene_def.meshes");
        return 0;
    }
    for (int k = 0; k < 4; ++k) {
        if (!hemi_in_range(c->size[k], 0.0f, 1e6f)) {
            *fault = hemi_fault_value("size", k, (double)c->size[k], "must be 0 to 1e6 metres");
            return 0;
        }
    }
    return place_is_fine(c->position, c->rotation, fault) &&
           hemi_is_fine(c->friction, 0.0f, 1.0f, "friction", "must be 0 to 1", fault);
}

int hemi_plane_is_fine(const float n[4], int32_t index, hemi_fault* fault) {
    const float length2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (!hemi_in_range(length2, 0.98f, 1.02f)) {
        *fault = hemi_fault_value("planes", index, (double)length2, "in squared length; its normal must have length 1");
        return 0;
    }
    if (!hemi_in_range(n[3], -1e6f, 1e6f)) {
        *fault = hemi_fault_value("planes", index, (double)n[3], "metres from the origin; must be within 1e6");
        return 0;
    }
    return 1;
}
