// SPDX-License-Identifier: MIT
// The scene: memory, instances, what the game tells them, snapshots.

#include "runtime/src/internal.h"
#include "runtime/src/layout.h"
#include "platform/hash.h"

#define SCENE_COOKIE 0x48454d53u
#define SCENE_DEF_COOKIE 0x48454d44u
#define INSTANCE_DEF_COOKIE 0x48454d49u

// -- Checks

static int is_finite(float v) {
    return v - v == 0.0f;
}

static int all_finite(const float* v, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!is_finite(v[i])) {
            return 0;
        }
    }
    return 1;
}

static int same_floats(const float* a, const float* b, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (a[i] != b[i]) {
            return 0;
        }
    }
    return 1;
}

static int in_range(float v, float low, float high) {
    return v >= low && v <= high; // false for NaN
}

static int is_unit(const float q[4]) {
    float n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return in_range(n, 0.98f, 1.02f);
}

static int is_place(const double p[3]) {
    for (int k = 0; k < 3; ++k) {
        if (!(p[k] >= -1e9 && p[k] <= 1e9)) {
            return 0;
        }
    }
    return 1;
}

static int is_root(const hem_root* root) {
    return is_place(root->position) && is_unit(root->rotation);
}

static int is_felt_limit(float v) {
    return v > 0.0f && v <= 1e6f;
}

// -- Defs

hem_scene_def hem_scene_def_default(void) {
    hem_scene_def def;
    memset(&def, 0, sizeof(def));
    def.cookie = SCENE_DEF_COOKIE;
    def.collider_capacity = 64;
    def.candidate_capacity = 48;
    def.worker_capacity = 1;
    def.event_capacity = 64;
    def.kernel = HEM_KERNEL_AUTO;
    def.substep_hz = 240.0f;
    def.substep_limit = 16;
    def.gravity[1] = -9.81f;
    return def;
}

hem_instance_def hem_instance_def_default(void) {
    hem_instance_def def;
    memset(&def, 0, sizeof(def));
    def.cookie = INSTANCE_DEF_COOKIE;
    def.root.rotation[3] = 1.0f;
    def.pose_blend = 1.0f;
    def.time_scale = 1.0f;
    def.gravity_scale = 1.0f;
    def.felt_acceleration = 60.0f;
    def.felt_turning = 200.0f;
    return def;
}

static hem_result check_scene_def(const hem_scene_def* def) {
    if (!def) {
        return HEM_ERROR_NULL;
    }
    if (def->cookie != SCENE_DEF_COOKIE) {
        return HEM_ERROR_COOKIE;
    }
    if (!def->slots) {
        return HEM_ERROR_NULL;
    }
    if (def->slot_count < 1 || def->slot_count > 1024 || def->collider_capacity > HEM_MAX_COLLIDERS ||
        def->candidate_capacity < 4 || def->candidate_capacity > 256 || def->worker_capacity < 1 ||
        def->worker_capacity > 64 || def->event_capacity > 65536 || def->keep_previous > 1 ||
        !in_range(def->substep_hz, 60.0f, 2000.0f) || def->substep_limit < 1 || def->substep_limit > 64 ||
        !all_finite(def->gravity, 3)) {
        return HEM_ERROR_RANGE;
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        if (!hemi_asset_view(def->slots[i].asset)) {
            return def->slots[i].asset ? HEM_ERROR_ASSET : HEM_ERROR_NULL;
        }
        total += def->slots[i].count;
        for (uint32_t k = 0; k < i; ++k) {
            if (def->slots[k].asset == def->slots[i].asset) {
                return HEM_ERROR_SLOT;
            }
        }
        if (def->slots[i].count < 1 || total > 65536) {
            return HEM_ERROR_RANGE;
        }
        if (def->collider_capacity + hemi_asset_view(def->slots[i].asset)->collider_count > HEM_MAX_COLLIDERS) {
            return HEM_ERROR_RANGE;
        }
    }
    if (!hemi_kernels_choose(def->kernel)) {
        return HEM_ERROR_KERNEL;
    }
    return HEM_OK;
}

hem_result hem_scene_measure(const hem_scene_def* def, hem_memory* need) {
    hem_result result = check_scene_def(def);
    if (result != HEM_OK) {
        return result;
    }
    if (!need) {
        return HEM_ERROR_NULL;
    }
    hemi_carve carve = {NULL, 0, 0};
    hem_scene* none;
    hemi_layout_scene(&carve, def, &none);
    if (carve.overflow) {
        return HEM_ERROR_RANGE;
    }
    need->size = carve.used;
    need->align = HEM_ALIGNMENT;
    return HEM_OK;
}

static void note_ignored(const hem_view* view, hemi_ignored* ignored) {
    if (!ignored) {
        return;
    }
    memset(ignored, 0xff, hemi_ignored_at(view->info->part_count, view->info->row_count, 0) * sizeof(hemi_ignored));
    for (uint32_t a = 0; a < view->info->particle_count; ++a) {
        uint32_t part = view->particle_flags[a] >> HEM_PARTICLE_PART_SHIFT, lane = a & 7;
        uint32_t begin = view->parts[part].row_begin, row_a = (a >> 3) - begin;
        hemi_ignored* own = &ignored[hemi_ignored_at(part, begin + (row_a & ~7u), lane)];
        for (uint32_t i = view->ignore_starts[a]; i < view->ignore_starts[a + 1]; ++i) {
            uint32_t b = view->ignore_list[i], row_b = (b >> 3) - begin;
            if ((b & 7) != lane || view->particle_flags[b] >> HEM_PARTICLE_PART_SHIFT != part ||
                row_b < (row_a & ~7u)) {
                continue;
            }
            uint16_t first = (uint16_t)(begin + (row_b & ~7u));
            for (uint32_t k = 0; k < 8; ++k) {
                if (own->row[k] == UINT16_MAX) {
                    own->row[k] = first;
                    own->pairs[k] = 0;
                }
                if (own->row[k] == first) {
                    own->pairs[k] |= (uint64_t)1 << (8 * (row_a & 7) + (row_b & 7));
                    break;
                }
            }
        }
    }
}

hem_result hem_scene_init(hem_scene** out, const hem_scene_def* def, void* block, size_t size) {
    hem_memory need;
    hem_result result = hem_scene_measure(def, &need);
    if (result != HEM_OK) {
        return result;
    }
    if (!out || !block) {
        return HEM_ERROR_NULL;
    }
    if (size < need.size || ((uintptr_t)block & (HEM_ALIGNMENT - 1)) != 0) {
        return HEM_ERROR_MEMORY;
    }
    memset(block, 0, need.size);
    hemi_carve carve = {block, 0, 0};
    hem_scene* scene;
    hemi_layout_scene(&carve, def, &scene);
    scene->cookie = SCENE_COOKIE;
    scene->collider_capacity = def->collider_capacity;
    scene->keep_previous = def->keep_previous;
    scene->substep_hz = def->substep_hz;
    scene->substep_limit = def->substep_limit;
    memcpy(scene->gravity, def->gravity, sizeof(scene->gravity));
    scene->kernels = hemi_kernels_choose(def->kernel);
    scene->kernel = scene->kernels->kernel;
    scene->layout_hash = hem_hash(&scene->state_size, sizeof(scene->state_size), HEM_FORMAT_VERSION);
    for (uint32_t i = 0; i < scene->class_count; ++i) {
        const hem_header* header = scene->classes[i].view->header;
        scene->layout_hash = hem_hash(header->content_hash, 16, scene->layout_hash);
        scene->layout_hash = hem_hash(&scene->classes[i].count, 4, scene->layout_hash);
        note_ignored(scene->classes[i].view, scene->classes[i].ignored);
    }
    *out = scene;
    return HEM_OK;
}

hem_kernel hem_scene_kernel(const hem_scene* scene) {
    return scene && scene->cookie == SCENE_COOKIE ? scene->kernel : HEM_KERNEL_AUTO;
}

hem_result hem_asset_get_info(const hem_asset* asset, hem_asset_info* info) {
    const hem_view* view = hemi_asset_view(asset);
    if (!asset || !info) {
        return HEM_ERROR_NULL;
    }
    if (!view) {
        return HEM_ERROR_ASSET;
    }
    const hem_info* from = view->info;
    memset(info, 0, sizeof(*info));
    info->particle_count = from->particle_count;
    info->simulated_count = from->simulated_count;
    info->attached_count = from->attached_count;
    info->body_count = from->body_count;
    info->part_count = from->part_count;
    info->bone_count = from->bone_count;
    info->vertex_count = from->vertex_count;
    info->mesh_count = from->mesh_count;
    info->collider_count = view->collider_count;
    info->link_count = from->link_count;
    info->group_count = from->group_count;
    memcpy(info->bounds_min, from->bounds_min, sizeof(info->bounds_min));
    memcpy(info->bounds_max, from->bounds_max, sizeof(info->bounds_max));
    hem_scene_def def = hem_scene_def_default();
    hemi_carve carve = {NULL, 0, 0};
    hemi_instance spare = {0};
    hemi_layout_state(&carve, view, def.collider_capacity, &spare);
    info->state_size = (uint32_t)carve.used;
    hemi_layout_instance(&carve, view, &def, &spare);
    info->instance_size = (uint32_t)carve.used;
    return HEM_OK;
}

// -- Instances

static hem_result find(const hem_scene* scene, hem_instance_id id, hemi_instance** instance) {
    if (!scene) {
        return HEM_ERROR_NULL;
    }
    if (scene->cookie != SCENE_COOKIE) {
        return HEM_ERROR_COOKIE;
    }
    if (id.index1 == 0 || id.index1 > scene->instance_count) {
        return HEM_ERROR_ID;
    }
    hemi_instance* found = &scene->instances[id.index1 - 1];
    if (!found->state->alive || found->state->generation != id.generation) {
        return HEM_ERROR_ID;
    }
    *instance = found;
    return HEM_OK;
}

// For calls that change an instance: not while a step is open.
static hem_result find_idle(const hem_scene* scene, hem_instance_id id, hemi_instance** instance) {
    hem_result result = find(scene, id, instance);
    return result != HEM_OK ? result : scene->step_open ? HEM_ERROR_BUSY : HEM_OK;
}

hem_result hemi_find(const hem_scene* scene, hem_instance_id id, hemi_instance** instance) {
    return find(scene, id, instance);
}

static void set_bones(hemi_instance* instance, const float* matrices, size_t stride) {
    for (uint32_t i = 0; i < instance->view->info->bone_count; ++i) {
        hemi_bone_pose* bone = &instance->bones[i];
        memset(bone, 0, sizeof(*bone));
        if (matrices) {
            memcpy(bone->m, (const char*)matrices + i * stride, sizeof(bone->m));
        } else {
            bone->m[0] = bone->m[5] = bone->m[10] = 1.0f;
        }
        // Columns made unit first: a scaled bone still has a rotation.
        hem_mat34 r;
        memset(&r, 0, sizeof(r));
        for (int c = 0; c < 3; ++c) {
            float x = bone->m[c], y = bone->m[4 + c], z = bone->m[8 + c];
            float n2 = x * x + y * y + z * z;
            float s = n2 > 1e-20f ? 1.0f / hem_sqrtf(n2) : 0.0f;
            r.m[0][c] = x * s;
            r.m[1][c] = y * s;
            r.m[2][c] = z * s;
        }
        hem_quat q = hem_quat_normalise(hem_quat_from_mat34(&r));
        bone->q[0] = q.x;
        bone->q[1] = q.y;
        bone->q[2] = q.z;
        bone->q[3] = q.w;
    }
}

static int pose_is_good(const float* matrices, uint32_t count, size_t stride) {
    for (uint32_t i = 0; i < count; ++i) {
        const float* m = (const float*)((const char*)matrices + i * stride);
        for (int k = 0; k < 12; ++k) {
            if (!in_range(m[k], -1e6f, 1e6f)) {
                return 0;
            }
        }
    }
    return 1;
}

void hemi_place_on_pose(const hem_scene* scene, hemi_instance* instance) {
    const hem_view* view = instance->view;
    uint32_t rows = view->info->row_count, oriented = view->info->oriented_row_count;
    scene->kernels->targets(view, instance->bones, instance->target_next);
    memcpy(instance->target_prev, instance->target_next, view->anim_row_count * sizeof(hemi_target_row));
    scene->kernels->pose_rows(view, instance->bones, instance->x, instance->q);
    memset(instance->v, 0, rows * sizeof(hemi_row3));
    memset(instance->w, 0, oriented * sizeof(hemi_row3));
    memset(instance->caught, 0, view->info->particle_count);
    for (uint32_t row = 0; row < rows; ++row) {
        memcpy(instance->x[row].w, view->shape_rows[row].inverse_mass, sizeof(instance->x[row].w));
    }
    instance->state->asleep = 0;
    instance->state->still_seconds = 0.0f;
    hemi_update_palette(scene, instance);
}

static void take_asset_colliders(const hem_scene* scene, hemi_instance* instance) {
    const hem_view* view = instance->view;
    uint32_t hull = 0;
    for (uint32_t i = 0; i < view->collider_count; ++i) {
        const hem_asset_collider* from = &view->colliders[i];
        hemi_collider* to = &instance->colliders[scene->collider_capacity + i];
        memset(to, 0, sizeof(*to));
        to->kind = from->kind;
        to->bone = from->bone == HEM_NONE ? -2 : from->bone;
        to->mask = from->collision_group;
        to->friction = from->friction;
        memcpy(to->size, from->size, sizeof(to->size));
        memcpy(to->rotation, from->rotation, sizeof(to->rotation));
        for (int k = 0; k < 3; ++k) {
            to->position[k] = from->position[k];
        }
        if (from->kind == HEM_SHAPE_HULL) {
            to->plane_count = from->plane_count < HEMI_HULL_PLANES ? from->plane_count : HEMI_HULL_PLANES;
            to->hull = hull < HEMI_HULLS ? hull++ : HEMI_HULLS - 1;
            memcpy(instance->hulls[to->hull].planes, view->hull_planes[from->plane_begin], to->plane_count * 16u);
        }
    }
}

hem_result hem_scene_add(hem_scene* scene, const hem_instance_def* def, hem_instance_id* id) {
    if (!scene || !def || !id) {
        return HEM_ERROR_NULL;
    }
    if (scene->cookie != SCENE_COOKIE || def->cookie != INSTANCE_DEF_COOKIE) {
        return HEM_ERROR_COOKIE;
    }
    if (scene->step_open) {
        return HEM_ERROR_BUSY;
    }
    const hem_view* view = hemi_asset_view(def->asset);
    if (!view) {
        return def->asset ? HEM_ERROR_ASSET : HEM_ERROR_NULL;
    }
    if (!is_root(&def->root) || !in_range(def->pose_blend, 0.0f, 1.0f) || !in_range(def->time_scale, 0.0f, 8.0f) ||
        !in_range(def->gravity_scale, -100.0f, 100.0f) || !is_felt_limit(def->felt_acceleration) ||
        !is_felt_limit(def->felt_turning) || (def->pose && !pose_is_good(def->pose, view->info->bone_count, 48))) {
        return HEM_ERROR_RANGE;
    }
    for (uint32_t c = 0; c < scene->class_count; ++c) {
        const hemi_class* slots = &scene->classes[c];
        if (slots->view != view) {
            continue;
        }
        for (uint32_t i = slots->first_instance; i < slots->first_instance + slots->count; ++i) {
            hemi_instance* instance = &scene->instances[i];
            if (instance->state->alive) {
                continue;
            }
            uint32_t generation = instance->state->generation + 1;
            memset(instance->state, 0, sizeof(*instance->state));
            hemi_state* s = instance->state;
            s->generation = generation ? generation : 1;
            s->alive = 1;
            s->pose_blend = def->pose_blend;
            s->time_scale = def->time_scale;
            s->gravity_scale = def->gravity_scale;
            s->felt_acceleration = def->felt_acceleration;
            s->felt_turning = def->felt_turning;
            s->features = HEM_FEATURE_ALL;
            s->animation = -1;
            s->match_rotation[3] = 1.0f;
            s->root = s->next_root = def->root;
            s->user = def->user;
            instance->collider_count = 0;
            memset(instance->past, 0, (scene->collider_capacity + view->collider_count) * sizeof(hemi_collider_past));
            memcpy(instance->tuning, view->tuning, view->info->part_count * sizeof(hem_tuning));
            take_asset_colliders(scene, instance);
            set_bones(instance, def->pose, 48);
            hemi_place_on_pose(scene, instance);
            if (scene->keep_previous) {
                memcpy(instance->bones_prev, instance->bones, view->info->bone_count * sizeof(hemi_bone_pose));
                memcpy(instance->palette_prev, instance->palette,
                       view->info->vertex_count ? view->info->particle_count * 64u : 0u);
            }
            id->index1 = i + 1;
            id->generation = s->generation;
            return HEM_OK;
        }
        return HEM_ERROR_FULL;
    }
    return HEM_ERROR_SLOT;
}

hem_result hem_scene_remove(hem_scene* scene, hem_instance_id id) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result == HEM_OK) {
        instance->state->alive = 0;
    }
    return result;
}

int hem_instance_is_valid(const hem_scene* scene, hem_instance_id id) {
    hemi_instance* instance;
    return find(scene, id, &instance) == HEM_OK;
}

hem_result hem_instance_user(const hem_scene* scene, hem_instance_id id, uint64_t* user) {
    hemi_instance* instance;
    hem_result result = find(scene, id, &instance);
    if (result == HEM_OK && !user) {
        return HEM_ERROR_NULL;
    }
    if (result == HEM_OK) {
        *user = instance->state->user;
    }
    return result;
}

hem_result hem_instance_set_pose(hem_scene* scene, hem_instance_id id, const float* matrices, uint32_t bone_count,
                                 size_t stride) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    stride = stride ? stride : 48;
    if (!matrices) {
        return HEM_ERROR_NULL;
    }
    if (bone_count != instance->view->info->bone_count) {
        return HEM_ERROR_COUNT;
    }
    if (stride < 48 || stride % 4 != 0 || !pose_is_good(matrices, bone_count, stride)) {
        return HEM_ERROR_RANGE;
    }
    if (scene->keep_previous && !instance->state->pose_changed) {
        memcpy(instance->bones_prev, instance->bones, bone_count * sizeof(hemi_bone_pose));
    }
    set_bones(instance, matrices, stride);
    scene->kernels->targets(instance->view, instance->bones, instance->target_next);
    instance->state->pose_changed = 1;
    return HEM_OK;
}

hem_result hem_instance_set_root(hem_scene* scene, hem_instance_id id, const hem_root* root) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!root) {
        return HEM_ERROR_NULL;
    }
    if (!is_root(root)) {
        return HEM_ERROR_RANGE;
    }
    instance->state->next_root = *root;
    return HEM_OK;
}

static void rest_felt(hemi_state* s) {
    memset(s->felt_velocity, 0, sizeof(s->felt_velocity));
    memset(s->felt_spin, 0, sizeof(s->felt_spin));
}

hem_result hem_instance_teleport(hem_scene* scene, hem_instance_id id, const hem_root* root, int keep_velocity) {
    hem_result result = hem_instance_set_root(scene, id, root);
    if (result != HEM_OK) {
        return result;
    }
    hemi_instance* instance = &scene->instances[id.index1 - 1];
    const hem_info* info = instance->view->info;
    instance->state->root = *root;
    instance->state->carried = 0;
    instance->state->jumped = 1;
    // Nothing in the character's frame moves. What the pose does between before and after is not motion either.
    memcpy(instance->target_prev, instance->target_next, instance->view->anim_row_count * sizeof(hemi_target_row));
    for (uint32_t i = 0; i < instance->collider_count; ++i) {
        instance->past[i].valid = 0;
    }
    if (!keep_velocity) {
        memset(instance->v, 0, info->row_count * sizeof(hemi_row3));
        memset(instance->w, 0, info->oriented_row_count * sizeof(hemi_row3));
        rest_felt(instance->state);
    }
    return HEM_OK;
}

hem_result hem_instance_set_felt_limits(hem_scene* scene, hem_instance_id id, float acceleration, float turning) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!is_felt_limit(acceleration) || !is_felt_limit(turning)) {
        return HEM_ERROR_RANGE;
    }
    instance->state->felt_acceleration = acceleration;
    instance->state->felt_turning = turning;
    return HEM_OK;
}

hem_result hem_instance_carry(hem_scene* scene, hem_instance_id id, const hem_root* from, const hem_root* to) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!from || !to) {
        return HEM_ERROR_NULL;
    }
    if (!is_root(from) || !is_root(to)) {
        return HEM_ERROR_RANGE;
    }
    hemi_state* s = instance->state;
    hem_quat a = hem_quat_make(from->rotation[0], from->rotation[1], from->rotation[2], from->rotation[3]);
    hem_quat b = hem_quat_make(to->rotation[0], to->rotation[1], to->rotation[2], to->rotation[3]);
    hem_quat d = hem_quat_normalise(hem_quat_mul(b, hem_quat_conj(a)));
    s->carry_rotation[0] = d.x;
    s->carry_rotation[1] = d.y;
    s->carry_rotation[2] = d.z;
    s->carry_rotation[3] = d.w;
    memcpy(s->carry_from, from->position, sizeof(s->carry_from));
    memcpy(s->carry_to, to->position, sizeof(s->carry_to));
    s->carried = 1;
    return HEM_OK;
}

hem_result hem_instance_reset(hem_scene* scene, hem_instance_id id) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result == HEM_OK) {
        instance->state->root = instance->state->next_root;
        instance->state->carried = 0;
        rest_felt(instance->state);
        hemi_place_on_pose(scene, instance);
    }
    return result;
}

static hem_result set_float(hem_scene* scene, hem_instance_id id, float value, float low, float high, size_t offset) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!in_range(value, low, high)) {
        return HEM_ERROR_RANGE;
    }
    memcpy((char*)instance->state + offset, &value, sizeof(value));
    return HEM_OK;
}

hem_result hem_instance_set_pose_blend(hem_scene* scene, hem_instance_id id, float blend) {
    return set_float(scene, id, blend, 0.0f, 1.0f, offsetof(hemi_state, pose_blend));
}

hem_result hem_instance_set_time_scale(hem_scene* scene, hem_instance_id id, float scale) {
    return set_float(scene, id, scale, 0.0f, 8.0f, offsetof(hemi_state, time_scale));
}

hem_result hem_instance_set_wind(hem_scene* scene, hem_instance_id id, const float velocity[3]) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!velocity) {
        return HEM_ERROR_NULL;
    }
    for (int k = 0; k < 3; ++k) {
        if (!in_range(velocity[k], -1000.0f, 1000.0f)) {
            return HEM_ERROR_RANGE;
        }
    }
    for (int k = 0; k < 3; ++k) {
        instance->state->asleep = instance->state->wind[k] != velocity[k] ? 0 : instance->state->asleep;
        instance->state->wind[k] = velocity[k];
    }
    return HEM_OK;
}

hem_result hem_instance_set_gravity(hem_scene* scene, hem_instance_id id, const float gravity[3]) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    for (int k = 0; gravity && k < 3; ++k) {
        if (!in_range(gravity[k], -1000.0f, 1000.0f)) {
            return HEM_ERROR_RANGE;
        }
    }
    instance->state->own_gravity = gravity != NULL;
    if (gravity) {
        memcpy(instance->state->gravity, gravity, sizeof(instance->state->gravity));
    }
    instance->state->asleep = 0;
    return HEM_OK;
}

hem_result hem_instance_set_animation(hem_scene* scene, hem_instance_id id, int mode) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (mode < -1 || mode > 1) {
        return HEM_ERROR_RANGE;
    }
    instance->state->animation = mode;
    return HEM_OK;
}

hem_result hem_instance_set_features(hem_scene* scene, hem_instance_id id, uint32_t features) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (features & ~(uint32_t)HEM_FEATURE_ALL) {
        return HEM_ERROR_RANGE;
    }
    instance->state->features = features;
    instance->state->asleep = 0;
    return HEM_OK;
}

hem_result hem_instance_wake(hem_scene* scene, hem_instance_id id) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result == HEM_OK) {
        instance->state->asleep = 0;
        instance->state->still_seconds = 0.0f;
    }
    return result;
}

hem_result hem_instance_set_tuning(hem_scene* scene, hem_instance_id id, const void* tuning, uint32_t part_count) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!tuning) {
        return HEM_ERROR_NULL;
    }
    if (part_count != instance->view->info->part_count) {
        return HEM_ERROR_COUNT;
    }
    if (((uintptr_t)tuning & 3) != 0 || hem_validate_tuning(tuning, part_count, NULL) != HEM_FORMAT_OK) {
        return HEM_ERROR_RANGE;
    }
    memcpy(instance->tuning, tuning, part_count * sizeof(hem_tuning));
    instance->state->asleep = 0;
    return HEM_OK;
}

hem_result hem_instance_get_tuning(const hem_scene* scene, hem_instance_id id, void* tuning, size_t size) {
    hemi_instance* instance;
    hem_result result = find(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!tuning) {
        return HEM_ERROR_NULL;
    }
    size_t need = instance->view->info->part_count * sizeof(hem_tuning);
    if (size < need) {
        return HEM_ERROR_COUNT;
    }
    memcpy(tuning, instance->tuning, need);
    return HEM_OK;
}

static hem_result check_collider(const hem_collider* c, uint32_t bone_count) {
    if (c->kind < HEM_COLLIDER_PLANE || c->kind > HEM_COLLIDER_HULL || c->bone < -1 || c->bone >= (int32_t)bone_count ||
        !is_place(c->position) || !is_unit(c->rotation) || !in_range(c->friction, 0.0f, 1.0f)) {
        return HEM_ERROR_RANGE;
    }
    for (int k = 0; k < 4; ++k) {
        if (!in_range(c->size[k], 0.0f, 1e6f)) {
            return HEM_ERROR_RANGE;
        }
    }
    if (c->kind == HEM_COLLIDER_HULL) {
        if (!c->planes) {
            return HEM_ERROR_NULL;
        }
        if (c->plane_count < 4 || c->plane_count > HEMI_HULL_PLANES) {
            return HEM_ERROR_COUNT;
        }
        for (uint32_t i = 0; i < c->plane_count; ++i) {
            const float* n = c->planes + i * 4;
            if (!in_range(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 0.98f, 1.02f) || !in_range(n[3], -1e6f, 1e6f)) {
                return HEM_ERROR_RANGE;
            }
        }
    }
    return HEM_OK;
}

hem_result hem_instance_set_colliders(hem_scene* scene, hem_instance_id id, const hem_collider* colliders,
                                      uint32_t count) {
    hemi_instance* instance;
    hem_result result = find_idle(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (count && !colliders) {
        return HEM_ERROR_NULL;
    }
    uint32_t hulls = 0;
    const hem_view* view = instance->view;
    for (uint32_t i = 0; i < view->collider_count; ++i) {
        hulls += view->colliders[i].kind == HEM_SHAPE_HULL;
    }
    hulls = hulls < HEMI_HULLS ? hulls : HEMI_HULLS;
    uint32_t first_hull = hulls;
    for (uint32_t i = 0; i < count && i <= scene->collider_capacity; ++i) {
        result = check_collider(&colliders[i], view->info->bone_count);
        if (result != HEM_OK) {
            return result;
        }
        hulls += colliders[i].kind == HEM_COLLIDER_HULL;
    }
    if (count > scene->collider_capacity || hulls > HEMI_HULLS) {
        return HEM_ERROR_COUNT;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const hem_collider* from = &colliders[i];
        hemi_collider* to = &instance->colliders[i];
        int same = i < instance->collider_count && to->kind == (uint32_t)from->kind && to->bone == from->bone;
        int still = same && same_floats(to->rotation, from->rotation, 4) && same_floats(to->size, from->size, 4) &&
                    to->position[0] == from->position[0] && to->position[1] == from->position[1] &&
                    to->position[2] == from->position[2];
        if (!still) {
            instance->state->asleep = 0;
        }
        if (!same || from->jumped) {
            instance->past[i].valid = 0;
        }
        to->kind = (uint32_t)from->kind;
        to->bone = from->bone;
        to->mask = from->mask;
        to->friction = from->friction;
        memcpy(to->size, from->size, sizeof(to->size));
        memcpy(to->position, from->position, sizeof(to->position));
        memcpy(to->rotation, from->rotation, sizeof(to->rotation));
        to->plane_count = 0;
        if (from->kind == HEM_COLLIDER_HULL) {
            to->hull = first_hull++;
            to->plane_count = from->plane_count;
            memcpy(instance->hulls[to->hull].planes, from->planes, from->plane_count * 16u);
        }
    }
    if (count != instance->collider_count) {
        instance->state->asleep = 0;
    }
    for (uint32_t i = count; i < instance->collider_count; ++i) {
        instance->past[i].valid = 0;
    }
    instance->collider_count = count;
    return HEM_OK;
}

hem_result hem_scene_set_force_field(hem_scene* scene, hem_force_field field, void* user) {
    if (!scene) {
        return HEM_ERROR_NULL;
    }
    if (scene->cookie != SCENE_COOKIE) {
        return HEM_ERROR_COOKIE;
    }
    if (scene->step_open) {
        return HEM_ERROR_BUSY;
    }
    scene->force_field = field;
    scene->force_user = user;
    return HEM_OK;
}

// -- Snapshots

#define STATE_HEAD 16 // layout hash and a spare

size_t hem_scene_state_size(const hem_scene* scene) {
    return scene && scene->cookie == SCENE_COOKIE ? scene->state_size + STATE_HEAD : 0;
}

hem_result hem_scene_save(const hem_scene* scene, void* bytes, size_t size) {
    if (!scene || !bytes) {
        return HEM_ERROR_NULL;
    }
    if (scene->cookie != SCENE_COOKIE) {
        return HEM_ERROR_COOKIE;
    }
    if (size < scene->state_size + STATE_HEAD) {
        return HEM_ERROR_MEMORY;
    }
    if (scene->step_open) {
        return HEM_ERROR_BUSY;
    }
    memset(bytes, 0, STATE_HEAD);
    memcpy(bytes, &scene->layout_hash, sizeof(scene->layout_hash));
    memcpy((char*)bytes + STATE_HEAD, scene->state, scene->state_size);
    return HEM_OK;
}

hem_result hem_scene_load(hem_scene* scene, const void* bytes, size_t size) {
    if (!scene || !bytes) {
        return HEM_ERROR_NULL;
    }
    if (scene->cookie != SCENE_COOKIE) {
        return HEM_ERROR_COOKIE;
    }
    if (scene->step_open) {
        return HEM_ERROR_BUSY;
    }
    uint64_t layout;
    if (size < scene->state_size + STATE_HEAD) {
        return HEM_ERROR_STATE;
    }
    memcpy(&layout, bytes, sizeof(layout));
    if (layout != scene->layout_hash) {
        return HEM_ERROR_STATE;
    }
    memcpy(scene->state, (const char*)bytes + STATE_HEAD, scene->state_size);
    // Derived from positions, and the air of the next step as well as skinning reads them.
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        if (scene->instances[i].state->alive) {
            hemi_update_palette(scene, &scene->instances[i]);
        }
    }
    return HEM_OK;
}

uint64_t hem_scene_hash(const hem_scene* scene) {
    return scene && scene->cookie == SCENE_COOKIE ? hem_hash(scene->state, scene->state_size, 0) : 0;
}

hem_result hem_instance_hash(const hem_scene* scene, hem_instance_id id, uint64_t* hash) {
    hemi_instance* instance;
    hem_result result = find(scene, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!hash) {
        return HEM_ERROR_NULL;
    }
    const uint8_t* begin = (const uint8_t*)instance->state;
    const uint8_t* end = (const uint8_t*)(instance->anchor + instance->view->info->row_count);
    *hash = hem_hash(begin, (size_t)(end - begin), 0);
    return HEM_OK;
}
