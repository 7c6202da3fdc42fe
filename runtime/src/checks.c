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
#define SCALE_RULE "times its size at rest: is it joint x the glTF's inverse bind? See hem_asset_pose_from_skin"

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
        *fault =
            hemi_fault_value("bone", HEM_NONE, c->bone,
                             bone_count ? "must be -1 or a bone of the asset" : "must be -1: the scene has no bones");
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
           hemi_is_fine(c->friction, 0.0f, 1.0f, "friction", "must be 0 to 1", fault) &&
           hemi_is_fine(c->restitution, 0.0f, 1.0f, "restitution", "must be 0 to 1", fault) &&
           hemi_is_fine(c->slide, 0.0f, 1.0f, "slide", "must be 0 to 1", fault);
}

static int keys_are_fine(const hemi_force* f, hemi_fault* fault) {
    if (f->key_count > HEM_FORCE_KEYS) {
        *fault = hemi_fault_value("key_count", HEM_NONE, f->key_count, "must be at most 8");
        return 0;
    }
    for (uint32_t i = 0; i < f->key_count; ++i) {
        const hem_force_key* key = &f->keys[i];
        const float least = i ? f->keys[i - 1].seconds : 0.0f;
        if (!hemi_in_range(key->seconds, least, 1e6f)) {
            *fault = hemi_fault_value("keys", (int32_t)i, (double)key->seconds,
                                      "seconds; must be 0 to 1e6 and not before the key before it");
            return 0;
        }
        if (!hemi_in_range(key->strength, -1000.0f, 1000.0f)) {
            *fault = hemi_fault_value("keys", (int32_t)i, (double)key->strength, "as strength; must be -1000 to 1000");
            return 0;
        }
    }
    return 1;
}

int hemi_force_is_fine(const hemi_force* f, hemi_fault* fault) {
    if (f->kind > HEM_FORCE_WIND) {
        *fault = hemi_fault_value("kind", HEM_NONE, f->kind, "must be one of hem_force_kind");
        return 0;
    }
    const int drag = f->kind == HEM_FORCE_DRAG, wind = f->kind == HEM_FORCE_WIND,
              explosion = f->kind == HEM_FORCE_EXPLOSION;
    for (int k = 0; k < 3; ++k) {
        if (!hemi_in_range(f->size[k], 0.0f, 1e6f)) {
            *fault = hemi_fault_value("size", k, (double)f->size[k], "must be 0 to 1e6 metres");
            return 0;
        }
    }
    return place_is_fine(f->position, f->rotation, fault) &&
           hemi_all_are_fine(f->velocity, 3, 1000.0f, "velocity", "must be within 1000 m/s", fault) &&
           hemi_is_fine(f->strength, drag || wind ? 0.0f : -1e4f, wind ? 10.0f : 1e4f, "strength",
                        drag   ? "of drag must be 0 to 1e4 1/s"
                        : wind ? "of wind must be 0 to 10 times its speed"
                               : "must be within 1e4",
                        fault) &&
           hemi_is_fine(f->shelter, 0.0f, 1.0f, "shelter", "must be 0 to 1", fault) &&
           hemi_is_fine(f->radius, explosion ? 0.001f : 0.0f, 1e6f, "radius",
                        explosion ? "of an explosion must be 0.001 to 1e6 metres" : "must be 0 to 1e6 metres", fault) &&
           hemi_is_fine(f->length, 0.001f, 1e6f, "length", "must be 0.001 to 1e6 metres", fault) &&
           hemi_is_fine(f->speed, explosion ? 0.001f : 0.0f, 1e4f, "speed",
                        explosion ? "of an explosion must be 0.001 to 1e4 m/s" : "must be 0 to 1e4 m/s", fault) &&
           (f->period == 0.0f ||
            hemi_is_fine(f->period, 0.001f, 1e6f, "period", "must be 0, or 0.001 to 1e6 seconds", fault)) &&
           keys_are_fine(f, fault);
}

int hemi_sleep_distance_is_fine(float sleep, float wake, hemi_fault* fault) {
    return hemi_is_fine(sleep, 0.0f, 1e9f, "sleep", "must be 0 to 1e9 metres", fault) &&
           hemi_is_fine(wake, 0.0f, sleep, "wake", "must be 0 to sleep: nearer than where it falls asleep", fault);
}

static int is_real(const hem_view* view, uint32_t particle) {
    return particle < view->info->particle_count && !(view->particle_flags[particle] & HEM_PARTICLE_PAD);
}

int hemi_tie_is_fine(const hemi_tie* t, const hem_view* view, hemi_fault* fault) {
    static const float still[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    if (!is_real(view, t->particle)) {
        *fault = hemi_fault_value("particle", HEM_NONE, t->particle, "must be a particle of the asset and no pad");
        return 0;
    }
    const int place = t->other < 0 && t->other >= HEMI_TIE_BONE((int32_t)view->info->bone_count - 1);
    if (!place && (t->other < 0 || !is_real(view, (uint32_t)t->other) || (uint32_t)t->other == t->particle)) {
        *fault = hemi_fault_value("other", HEM_NONE, t->other, HEMI_TIE_OTHER_RULE);
        return 0;
    }
    if (t->joint > 1) {
        *fault = hemi_fault_value("joint", HEM_NONE, t->joint, "must be 0 or 1");
        return 0;
    }
    return place_is_fine(t->position, still, fault) &&
           hemi_is_fine(t->rest, 0.0f, 1e4f, "rest", "must be 0 to 1e4 metres", fault) &&
           hemi_is_fine(t->stiffness, 1e-3f, 1e6f, "stiffness", "must be 1e-3 to 1e6 N/m", fault) &&
           hemi_is_fine(t->damping, 0.0f, 1e6f, "damping", "must be 0 to 1e6 N s/m", fault) &&
           hemi_is_fine(t->force_limit, 0.0f, 1e6f, "force_limit", "must be 0 to 1e6 N", fault);
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
