// SPDX-License-Identifier: MIT
// What the game says to an instance: each call finds it, checks its arguments and applies one op of ops.inl.

#include "runtime/src/checks.h"
#include "runtime/src/ops.h"

static hem_result say(hem_scene* scene, hemi_instance* instance, hemi_op_id id, const void* payload) {
    hemi_apply(scene, instance, &(hemi_op){id, 0, payload, NULL, 0});
    return HEM_OK;
}

static hem_result say_many(hem_scene* scene, hemi_instance* instance, hemi_op_id id, const void* elements,
                           uint32_t count, size_t stride) {
    static const hemi_op_nothing nothing = {0};
    hemi_apply(scene, instance, &(hemi_op){id, count, &nothing, elements, stride});
    return HEM_OK;
}

// -- Pose and place

hem_result hem_instance_set_pose(hem_scene* scene, hem_instance_id id, const float* matrices, uint32_t bone_count,
                                 size_t stride) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    stride = stride ? stride : sizeof(hemi_op_bone);
    if (!matrices) {
        return hemi_refuse_null(scene, __func__, "matrices");
    }
    if (bone_count != instance->view->info->bone_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_COUNT, "bone_count", bone_count,
                                 "must be bone_count of the asset");
    }
    if (stride < sizeof(hemi_op_bone) || stride % 4 != 0) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "stride", (double)stride,
                                 "must be 0 or a multiple of 4 bytes, at least 48");
    }
    hemi_fault fault;
    if (!hemi_pose_is_fine(matrices, bone_count, stride, "matrices", &fault)) {
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    return say_many(scene, instance, HEMI_OP_POSE, matrices, bone_count, stride);
}

static hem_result check_root(const hem_scene* scene, const char* call, const hem_root* root, const char* field) {
    hemi_fault fault;
    if (!root) {
        return hemi_refuse_null(scene, call, field);
    }
    return hemi_root_is_fine(root, field, &fault) ? HEM_OK : hemi_refuse(scene, call, HEM_ERROR_RANGE, &fault);
}

static hem_result find_for_root(hem_scene* scene, const char* call, hem_instance_id id, const hem_root* root,
                                hemi_instance** instance) {
    hem_result result = hemi_find_idle(scene, call, id, instance);
    return result != HEM_OK ? result : check_root(scene, call, root, "root");
}

hem_result hem_instance_set_root(hem_scene* scene, hem_instance_id id, const hem_root* root) {
    hemi_instance* instance;
    hem_result result = find_for_root(scene, __func__, id, root, &instance);
    return result != HEM_OK ? result : say(scene, instance, HEMI_OP_ROOT, &(hemi_op_root){*root});
}

hem_result hem_instance_teleport(hem_scene* scene, hem_instance_id id, const hem_root* root, int keep_velocity) {
    hemi_instance* instance;
    hem_result result = find_for_root(scene, __func__, id, root, &instance);
    if (result != HEM_OK) {
        return result;
    }
    return say(scene, instance, HEMI_OP_TELEPORT, &(hemi_op_teleport){*root, keep_velocity != 0, 0});
}

hem_result hem_instance_set_felt_limits(hem_scene* scene, hem_instance_id id, float acceleration, float turning) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    hemi_fault fault;
    if (!hemi_felt_limit_is_fine(acceleration, "acceleration", &fault) ||
        !hemi_felt_limit_is_fine(turning, "turning", &fault)) {
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    return say(scene, instance, HEMI_OP_FELT_LIMITS, &(hemi_op_felt_limits){acceleration, turning});
}

hem_result hem_instance_carry(hem_scene* scene, hem_instance_id id, const hem_root* from, const hem_root* to) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    result = result != HEM_OK ? result : check_root(scene, __func__, from, "from");
    result = result != HEM_OK ? result : check_root(scene, __func__, to, "to");
    return result != HEM_OK ? result : say(scene, instance, HEMI_OP_CARRY, &(hemi_op_carry){*from, *to});
}

hem_result hem_instance_reset(hem_scene* scene, hem_instance_id id) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    return result != HEM_OK ? result : say(scene, instance, HEMI_OP_RESET, &(hemi_op_nothing){0});
}

// -- Surroundings

hem_result hem_instance_set_wind(hem_scene* scene, hem_instance_id id, const float velocity[3]) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!velocity) {
        return hemi_refuse_null(scene, __func__, "velocity");
    }
    hemi_fault fault;
    if (!hemi_all_are_fine(velocity, 3, 1000.0f, "velocity", "must be within 1000 m/s", &fault)) {
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    return say(scene, instance, HEMI_OP_WIND, &(hemi_op_wind){{velocity[0], velocity[1], velocity[2]}});
}

hem_result hem_instance_set_gravity(hem_scene* scene, hem_instance_id id, const float gravity[3]) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    hemi_op_gravity op = {{0, 0, 0}, gravity != NULL};
    if (gravity) {
        memcpy(op.gravity, gravity, sizeof(op.gravity));
    }
    hemi_fault fault;
    return hemi_all_are_fine(op.gravity, 3, 1000.0f, "gravity", "must be within 1000 m/s^2", &fault)
               ? say(scene, instance, HEMI_OP_GRAVITY, &op)
               : hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
}

#define COLLIDER_COOKIE 0x48454d43u

hem_collider hem_collider_default(void) {
    hem_collider collider;
    memset(&collider, 0, sizeof(collider));
    collider.cookie = COLLIDER_COOKIE;
    collider.kind = HEM_COLLIDER_SPHERE;
    collider.bone = -1;
    collider.rotation[3] = 1.0f;
    collider.mask = ~0u;
    collider.slide = 1.0f;
    return collider;
}

static hemi_collider plain(const hem_collider* from) {
    hemi_collider to;
    memset(&to, 0, sizeof(to));
    memcpy(to.position, from->position, sizeof(to.position));
    memcpy(to.rotation, from->rotation, sizeof(to.rotation));
    memcpy(to.size, from->size, sizeof(to.size));
    to.kind = (uint32_t)from->kind;
    to.bone = from->bone;
    to.mask = from->mask;
    to.friction = from->friction;
    to.restitution = from->restitution;
    to.slide = from->slide;
    to.first_plane = from->kind == HEM_COLLIDER_MESH ? from->mesh : 0;
    return to;
}

// *room: planes that are left for hulls.
static hem_result check_collider(const hem_scene* scene, const hem_collider* c, uint32_t bone_count, uint32_t* room,
                                 hemi_fault* fault) {
    if (c->cookie != COLLIDER_COOKIE) {
        *fault = hemi_fault_value("cookie", HEM_NONE, c->cookie, "make it with hem_collider_default, then fill it in");
        return HEM_ERROR_COOKIE;
    }
    const hemi_collider as_kept = plain(c);
    if (!hemi_collider_is_fine(&as_kept, bone_count, scene->mesh_count, fault)) {
        return HEM_ERROR_RANGE;
    }
    if (c->kind != HEM_COLLIDER_HULL) {
        return HEM_OK;
    }
    if (!c->planes) {
        *fault = hemi_fault_null("planes");
        return HEM_ERROR_NULL;
    }
    if (c->plane_count < HEM_MIN_HULL_PLANES) {
        *fault = hemi_fault_value("plane_count", HEM_NONE, c->plane_count, "must be at least 4");
        return HEM_ERROR_COUNT;
    }
    if (c->plane_count > *room) {
        *fault = hemi_fault_value("plane_count", HEM_NONE, c->plane_count,
                                  "has no room: raise hull_plane_capacity in hem_scene_def");
        return HEM_ERROR_COUNT;
    }
    *room -= c->plane_count;
    for (uint32_t i = 0; i < c->plane_count; ++i) {
        if (!hemi_plane_is_fine(c->planes + (size_t)i * 4, (int32_t)i, fault)) {
            return HEM_ERROR_RANGE;
        }
    }
    return HEM_OK;
}

static hem_result check_colliders(const hem_scene* scene, const char* call, const hem_collider* colliders,
                                  uint32_t count, uint32_t capacity, uint32_t bone_count) {
    if (count && !colliders) {
        return hemi_refuse_null(scene, call, "colliders");
    }
    uint32_t room = scene->hull_plane_capacity;
    for (uint32_t i = 0; i < count && i <= capacity; ++i) {
        hemi_fault fault;
        hem_result result = check_collider(scene, &colliders[i], bone_count, &room, &fault);
        if (result != HEM_OK) {
            fault = hemi_fault_of("colliders", (int32_t)i, fault);
            return hemi_refuse(scene, call, result, &fault);
        }
    }
    if (count > capacity) {
        return hemi_refuse_value(scene, call, HEM_ERROR_COUNT, "count", count,
                                 "is more than the capacity in hem_scene_def");
    }
    return HEM_OK;
}

// instance NULL = the scene's. They have been checked.
static hem_result say_colliders(hem_scene* scene, hemi_instance* instance, const hem_collider* colliders,
                                uint32_t count) {
    hemi_op_planes planes = {0};
    for (uint32_t i = 0; i < count; ++i) {
        const hem_collider* from = &colliders[i];
        hemi_op_collider op = {i, from->jumped != 0, plain(from)};
        if (from->kind == HEM_COLLIDER_HULL) {
            op.collider.first_plane = planes.first;
            op.collider.plane_count = from->plane_count;
            hemi_apply(scene, instance,
                       &(hemi_op){instance ? HEMI_OP_PLANES : HEMI_OP_SCENE_PLANES, from->plane_count, &planes,
                                  from->planes, sizeof(hemi_op_plane)});
            planes.first += from->plane_count;
        }
        say(scene, instance, instance ? HEMI_OP_COLLIDER : HEMI_OP_SCENE_COLLIDER, &op);
    }
    const hemi_op_count total = {count};
    return say(scene, instance, instance ? HEMI_OP_COLLIDER_COUNT : HEMI_OP_SCENE_COLLIDER_COUNT, &total);
}

hem_result hem_instance_set_colliders(hem_scene* scene, hem_instance_id id, const hem_collider* colliders,
                                      uint32_t count) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result == HEM_OK) {
        const uint32_t bones = instance->view->info->bone_count;
        result = check_colliders(scene, __func__, colliders, count, scene->collider_capacity, bones);
    }
    return result != HEM_OK ? result : say_colliders(scene, instance, colliders, count);
}

hem_result hem_scene_set_colliders(hem_scene* scene, const hem_collider* colliders, uint32_t count) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result == HEM_OK) {
        result = check_colliders(scene, __func__, colliders, count, scene->scene_collider_capacity, 0);
    }
    return result != HEM_OK ? result : say_colliders(scene, NULL, colliders, count);
}

hem_result hem_scene_set_force_field(hem_scene* scene, hem_force_field field, void* user) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    const uint32_t another = scene->force_field != field || scene->force_user != user;
    scene->force_field = field;
    scene->force_user = user;
    return say(scene, NULL, HEMI_OP_FORCE_FIELD, &(hemi_op_force_field){field != NULL, another});
}

// -- How it moves

static hem_result say_number(hem_scene* scene, const char* call, hem_instance_id id, hemi_op_id op, float value,
                             float high, const char* field, const char* rule) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, call, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    hemi_fault fault;
    return hemi_is_fine(value, 0.0f, high, field, rule, &fault) ? say(scene, instance, op, &(hemi_op_number){value})
                                                                : hemi_refuse(scene, call, HEM_ERROR_RANGE, &fault);
}

hem_result hem_instance_set_pose_blend(hem_scene* scene, hem_instance_id id, float blend) {
    return say_number(scene, __func__, id, HEMI_OP_POSE_BLEND, blend, 1.0f, "blend", "must be 0 to 1");
}

hem_result hem_instance_set_time_scale(hem_scene* scene, hem_instance_id id, float scale) {
    return say_number(scene, __func__, id, HEMI_OP_TIME_SCALE, scale, 8.0f, "scale", "must be 0 to 8");
}

hem_result hem_instance_set_animation(hem_scene* scene, hem_instance_id id, int mode) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (mode < -1 || mode > 1) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "mode", mode, "must be -1, 0 or 1");
    }
    return say(scene, instance, HEMI_OP_ANIMATION, &(hemi_op_animation){mode});
}

hem_result hem_instance_set_features(hem_scene* scene, hem_instance_id id, uint32_t features) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (features & ~(uint32_t)HEM_FEATURE_ALL) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "features", features, "must be bits of hem_feature");
    }
    return say(scene, instance, HEMI_OP_FEATURES, &(hemi_op_features){features});
}

hem_result hem_instance_wake(hem_scene* scene, hem_instance_id id) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    return result != HEM_OK ? result : say(scene, instance, HEMI_OP_WAKE, &(hemi_op_nothing){0});
}

hem_result hem_instance_set_tuning(hem_scene* scene, hem_instance_id id, const hem_tuning* tuning,
                                   uint32_t part_count) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!tuning) {
        return hemi_refuse_null(scene, __func__, "tuning");
    }
    if (part_count != instance->view->info->part_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_COUNT, "part_count", part_count,
                                 "must be part_count of the asset");
    }
    if (((uintptr_t)tuning & 3) != 0) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "tuning", (double)((uintptr_t)tuning & 3),
                                 "bytes past a multiple of 4, where floats must lie");
    }
    hem_format_fault found;
    if (hem_validate_tuning_of(instance->view->info, tuning, part_count, &found) != HEM_FORMAT_OK) {
        const hemi_fault fault = {"tuning", (int32_t)found.element, found.field,
                                  HEM_NONE, (double)found.value,    found.low < found.high,
                                  NULL,     (double)found.low,      (double)found.high};
        return hemi_refuse(scene, __func__, HEM_ERROR_RANGE, &fault);
    }
    return say_many(scene, instance, HEMI_OP_TUNING, tuning, part_count, sizeof(hem_tuning));
}

hem_result hem_instance_get_tuning(const hem_scene* scene, hem_instance_id id, hem_tuning* tuning, size_t size) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!tuning) {
        return hemi_refuse_null(scene, __func__, "tuning");
    }
    size_t need = instance->view->info->part_count * sizeof(hem_tuning);
    if (size < need) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_COUNT, "size", (double)size,
                                 "must be part_count of the asset times 192 bytes");
    }
    memcpy(tuning, instance->tuning, need);
    return HEM_OK;
}
