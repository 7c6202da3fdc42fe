// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_CHECKS_H
#define HEM_RUNTIME_CHECKS_H

// What values from outside must hold. Each of them is false for NaN.

#include "runtime/src/refuse.h"

#define HEMI_FINITE 3.4e38f      // as a limit: any number will do
#define HEMI_FAR 2e6f            // metres; no step leaves a particle there, unless a huge asset is posed so
#define HEMI_LONGEST_SECONDS 1e9 // that a force may have been there; it stays at that

static inline int hemi_in_range(float v, float low, float high) {
    return v >= low && v <= high;
}

static inline int hemi_all_in_range(const float* v, uint32_t count, float limit) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!hemi_in_range(v[i], -limit, limit)) {
            return 0;
        }
    }
    return 1;
}

static inline int hemi_is_unit(const float q[4]) {
    return hemi_in_range(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 0.98f, 1.02f);
}

static inline int hemi_is_place(const double p[3]) {
    for (int k = 0; k < 3; ++k) {
        if (!(p[k] >= -1e9 && p[k] <= 1e9)) {
            return 0;
        }
    }
    return 1;
}

static inline int hemi_is_root(const hem_root* root) {
    return hemi_is_place(root->position) && hemi_is_unit(root->rotation);
}

static inline int hemi_is_felt_limit(float v) {
    return v > 0.0f && v <= 1e6f;
}

int hemi_bone_is_sane(const float m[12]); // as hemi_pose_is_fine asks of each

// The same for values that a game gives: false with the fault filled in. See checks.c.
int hemi_is_fine(float value, float low, float high, const char* field, const char* rule, hemi_fault* fault);
int hemi_all_are_fine(const float* v, uint32_t count, float limit, const char* field, const char* rule,
                      hemi_fault* fault);
int hemi_root_is_fine(const hem_root* root, const char* of, hemi_fault* fault);
int hemi_felt_limit_is_fine(float value, const char* field, hemi_fault* fault);
int hemi_pose_is_fine(const float* matrices, uint32_t count, size_t stride, const char* field, hemi_fault* fault);
int hemi_collider_is_fine(const hemi_collider* collider, uint32_t bone_count, uint32_t mesh_count, hemi_fault* fault);
int hemi_sleep_distance_is_fine(float sleep, float wake, hemi_fault* fault);
#define HEMI_TIE_OTHER_RULE "must be -1 or another particle, and no pad"
int hemi_tie_is_fine(const hemi_tie* tie, const hem_view* view, hemi_fault* fault);
int hemi_track_is_fine(const hemi_track* track, const hem_view* view, uint32_t lattice, hemi_fault* fault); // clips.c
int hemi_track_past_is_fine(const hemi_track_past* past, const hem_view* view);
int hemi_force_is_fine(const hemi_force* force, hemi_fault* fault);
int hemi_plane_is_fine(const float plane[4], int32_t index, hemi_fault* fault);

#endif
