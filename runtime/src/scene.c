// SPDX-License-Identifier: MIT
// The scene: its memory, and instances that come and go.

#include "runtime/src/checks.h"
#include "runtime/src/kernels/kernels.h"
#include "runtime/src/layout.h"
#include "runtime/src/ops.h"
#include "runtime/src/refuse.h"
#include "runtime/src/tear.h"
#include "platform/hash.h"

#define SCENE_COOKIE 0x48454d53u
#define SCENE_DEF_COOKIE 0x48454d44u
#define INSTANCE_DEF_COOKIE 0x48454d49u

// -- Defs

hem_scene_def hem_scene_def_default(void) {
    hem_scene_def def;
    memset(&def, 0, sizeof(def));
    def.cookie = SCENE_DEF_COOKIE;
    def.collider_capacity = 64;
    def.hull_plane_capacity = 128;
    def.scene_collider_capacity = 16;
    def.candidate_capacity = 48;
    def.virtual_capacity = 1024;
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
    def.felt_acceleration = HEMI_FELT_ACCELERATION;
    def.felt_turning = HEMI_FELT_TURNING;
    return def;
}

typedef struct number_rule {
    const char* name;
    size_t offset;
    uint32_t low, high;
    const char* rule;
} number_rule;

#define NUMBER(field, low, high)                                                                                       \
    { #field, offsetof(hem_scene_def, field), low, high, "must be " #low " to " #high }
static const number_rule scene_numbers[] = {
    NUMBER(slot_count, 0, 1024),
    NUMBER(reserve_slots, 0, 65536),
    NUMBER(collider_capacity, 0, 256),
    NUMBER(hull_plane_capacity, 0, 4096),
    NUMBER(candidate_capacity, 4, 256),
    NUMBER(worker_capacity, 1, 64),
    NUMBER(event_capacity, 0, 65536),
    NUMBER(keep_previous, 0, 1),
    NUMBER(substep_limit, 1, 64),
    NUMBER(mesh_count, 0, 1024),
    NUMBER(scene_collider_capacity, 0, 256),
    NUMBER(force_capacity, 0, 256),
    NUMBER(tie_capacity, 0, 256),
    NUMBER(budget, 0, 4),
    NUMBER(virtual_capacity, 0, 65536),
};
#undef NUMBER
HEM_STATIC_ASSERT(HEM_MAX_COLLIDERS == 256 && HEMI_SCENE_COLLIDERS == 256, "the rules above name them");
HEM_STATIC_ASSERT(HEM_MAX_HULL_PLANES == 4096, "the rule of hull_plane_capacity names it");
HEM_STATIC_ASSERT(HEMI_WORKERS == 64, "the rule of worker_capacity names it");
HEM_STATIC_ASSERT(HEMI_FORCES == 256 && HEMI_TIES == 256, "the rules above name them");
HEM_STATIC_ASSERT(HEMI_MAX_SUBSTEPS == 64, "the rule of substep_limit names it");
HEM_STATIC_ASSERT(HEM_MAX_MESHES == 1024, "the rule of mesh_count names it");

static hem_result check_slots(const hem_scene_def* def, hemi_fault* fault) {
    uint64_t total = def->reserve_slots;
    if (def->slot_count == 0 && def->reserve_slots == 0) {
        *fault = hemi_fault_value("slot_count", HEM_NONE, 0, "must be 1 to 1024, or 0 with reserve_slots");
        return HEM_ERROR_RANGE;
    }
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        const hem_slot_def* slot = &def->slots[i];
        const hem_view* view = hemi_asset_view(slot->asset);
        if (!view) {
            const char* rule = slot->asset ? "is not open: call hem_asset_open first" : "is NULL";
            *fault = hemi_fault_plain("slots", (int32_t)i, "asset", rule);
            return slot->asset ? HEM_ERROR_ASSET : HEM_ERROR_NULL;
        }
        for (uint32_t k = 0; k < i; ++k) {
            if (def->slots[k].asset == slot->asset) {
                *fault = hemi_fault_plain("slots", (int32_t)i, "asset", "has slots already: each once");
                return HEM_ERROR_SLOT;
            }
        }
        total += slot->count;
        if (slot->count < 1 || total > 65536) {
            *fault = hemi_fault_of(
                "slots", (int32_t)i,
                hemi_fault_value("count", HEM_NONE, slot->count,
                                 "must be at least 1, and at most 65536 over all slots and reserve_slots"));
            return HEM_ERROR_RANGE;
        }
        if (def->collider_capacity + view->collider_count > HEM_MAX_COLLIDERS) {
            *fault = hemi_fault_value("collider_capacity", HEM_NONE, def->collider_capacity,
                                      "with the colliders of each asset it must be at most 256");
            return HEM_ERROR_RANGE;
        }
    }
    return HEM_OK;
}

static hem_result check_meshes(const hem_scene_def* def, hemi_fault* fault) {
    if (def->mesh_count && !def->meshes) {
        *fault = hemi_fault_null("meshes");
        return HEM_ERROR_NULL;
    }
    for (uint32_t i = 0; i < def->mesh_count; ++i) {
        const hem_result result = hemi_check_mesh_def(&def->meshes[i], fault);
        if (result != HEM_OK) {
            *fault = hemi_fault_of("meshes", (int32_t)i, *fault);
            return result;
        }
    }
    return HEM_OK;
}

static hem_result check_scene_def(const hem_scene_def* def, hemi_fault* fault) {
    *fault = hemi_fault_null("def");
    if (!def) {
        return HEM_ERROR_NULL;
    }
    if (def->cookie != SCENE_DEF_COOKIE) {
        *fault = hemi_fault_value("def.cookie", HEM_NONE, def->cookie, NULL);
        return HEM_ERROR_COOKIE;
    }
    if (!def->slots && def->slot_count) {
        *fault = hemi_fault_null("slots");
        return HEM_ERROR_NULL;
    }
    for (uint32_t i = 0; i < HEM_COUNT_OF(scene_numbers); ++i) {
        const number_rule* rule = &scene_numbers[i];
        uint32_t value;
        memcpy(&value, (const uint8_t*)def + rule->offset, sizeof(value));
        if (value < rule->low || value > rule->high) {
            *fault = hemi_fault_value(rule->name, HEM_NONE, value, rule->rule);
            return HEM_ERROR_RANGE;
        }
    }
    if (!hemi_in_range(def->substep_hz, 60.0f, 2000.0f)) {
        *fault = hemi_fault_value("substep_hz", HEM_NONE, (double)def->substep_hz, "must be 60 to 2000");
        return HEM_ERROR_RANGE;
    }
    if (!hemi_all_are_fine(def->gravity, 3, HEMI_FINITE, "gravity", "must be a number", fault)) {
        return HEM_ERROR_RANGE;
    }
    uint32_t worst;
    if (def->costs && !hemi_costs_are_fine(def->costs, &worst)) {
        const int value = worst < HEM_COST_COUNT;
        *fault =
            value ? hemi_fault_value("costs.ns", (int32_t)worst, (double)def->costs->ns[worst], "must be 0 to 1000000")
                  : hemi_fault_value("costs.cookie", HEM_NONE, def->costs->cookie, NULL);
        return value ? HEM_ERROR_RANGE : HEM_ERROR_COOKIE;
    }
    hem_result result = check_slots(def, fault);
    result = result == HEM_OK ? check_meshes(def, fault) : result;
    if (result == HEM_OK && !hemi_kernels_choose(def->kernel)) {
        *fault = hemi_fault_value("kernel", HEM_NONE, def->kernel, NULL);
        return HEM_ERROR_KERNEL;
    }
    return result;
}

hem_result hem_scene_def_check(const hem_scene_def* def, char* text, size_t size) {
    hemi_fault fault;
    hem_result result = check_scene_def(def, &fault);
    hemi_text to = {text, text ? size : 0, 0};
    if (result == HEM_OK) {
        hemi_text_add(&to, hem_result_text(result));
    } else {
        hemi_text_fault(&to, "hem_scene_def", result, &fault);
    }
    return result;
}

static hem_result measure(const hem_scene_def* def, hemi_carve* carve) {
    hemi_fault fault;
    hem_result result = check_scene_def(def, &fault);
    hem_scene* none;
    if (result == HEM_OK) {
        hemi_layout_scene(carve, def, &none);
        result = carve->overflow ? HEM_ERROR_RANGE : HEM_OK;
    }
    return result;
}

hem_result hem_scene_measure(const hem_scene_def* def, hem_memory* need) {
    hemi_carve carve = {0};
    hem_result result = measure(def, &carve);
    if (result != HEM_OK) {
        return result;
    }
    if (!need) {
        return HEM_ERROR_NULL;
    }
    need->size = carve.used;
    need->align = HEM_ALIGNMENT;
    return HEM_OK;
}

// All but the slots, scratch and the reserve, which are cleared when they are laid out or used.
static void clear_block(uint8_t* block, const hemi_carve* measured) {
    size_t at = 0;
    for (int i = 0; i < 3; ++i) {
        memset(block + at, 0, measured->raw[i][0] - at);
        at = measured->raw[i][1];
    }
    memset(block + at, 0, measured->scratch_begin - at);
}

hem_result hem_scene_init(hem_scene** out, const hem_scene_def* def, void* block, size_t size) {
    hemi_carve need = {0};
    hem_result result = measure(def, &need);
    if (result != HEM_OK) {
        return result;
    }
    if (!out || !block) {
        return HEM_ERROR_NULL;
    }
    if (size < need.used || ((uintptr_t)block & (HEM_ALIGNMENT - 1)) != 0) {
        return HEM_ERROR_MEMORY;
    }
    HEMI_UNPOISON(block, need.used);
    clear_block(block, &need);
    hemi_carve carve = {.base = block};
    hem_scene* scene;
    hemi_layout_scene(&carve, def, &scene);
    HEM_ASSERT(carve.used == need.used);
    scene->cookie = SCENE_COOKIE;
    scene->capacity = *def;
    scene->capacity.slots = NULL;
    scene->capacity.slot_count = 0;
    scene->capacity.meshes = NULL;
    scene->capacity.costs = NULL;
    scene->collider_capacity = def->collider_capacity;
    scene->hull_plane_capacity = def->hull_plane_capacity;
    scene->scene_collider_capacity = def->scene_collider_capacity;
    scene->force_capacity = def->force_capacity;
    scene->tie_capacity = def->tie_capacity;
    scene->virtual_capacity = def->virtual_capacity;
    scene->keep_previous = def->keep_previous;
    scene->budget = def->budget;
    scene->substep_hz = def->substep_hz;
    scene->substep_limit = def->substep_limit;
    memcpy(scene->input->gravity, def->gravity, sizeof(scene->input->gravity));
    scene->kernels = hemi_kernels_choose(def->kernel);
    scene->kernel = scene->kernels->kernel;
    hemi_begin_slots(scene);
    if (scene->budget) {
        scene->costs = def->costs ? *def->costs : hem_costs_default();
    }
    for (uint32_t i = 0; i < def->slot_count; ++i) {
        hemi_derive_class(scene, &scene->classes[i]);
    }
    hemi_measure_saves(scene);
    if (scene->budget) {
        scene->spent->scale = 1.0f;
        scene->layout_hash = hem_hash(&scene->costs, sizeof(scene->costs), scene->layout_hash + scene->budget);
    }
    for (uint32_t i = 0; i < scene->mesh_count; ++i) {
        scene->layout_hash = hemi_mesh_hash(&def->meshes[i], scene->layout_hash);
        hemi_init_mesh(scene, &scene->meshes[i]);
    }
    scene->fixed_hash = scene->layout_hash;
    scene->spoken = 1;
    *out = scene;
    return HEM_OK;
}

hem_kernel hem_scene_kernel(const hem_scene* scene) {
    return scene && scene->cookie == SCENE_COOKIE ? scene->kernel : HEM_KERNEL_AUTO;
}

// -- Instances

hem_result hemi_check(const hem_scene* scene) {
    return !scene ? HEM_ERROR_NULL : scene->cookie != SCENE_COOKIE ? HEM_ERROR_COOKIE : HEM_OK;
}

hem_result hemi_check_idle(const hem_scene* scene, const char* call) {
    hem_result result = hemi_check(scene);
    return result != HEM_OK || !scene->step_open ? result : hemi_refuse(scene, call, HEM_ERROR_BUSY, NULL);
}

hem_result hemi_find(const hem_scene* scene, const char* call, hem_instance_id id, hemi_instance** instance) {
    hem_result result = hemi_check(scene);
    if (result != HEM_OK) {
        return result;
    }
    if (id.index1 == 0 || id.index1 > scene->instance_count) {
        return hemi_refuse_value(scene, call, HEM_ERROR_ID, "id.index1", id.index1, NULL);
    }
    hemi_instance* found = &scene->instances[id.index1 - 1];
    if (!found->state->alive || found->state->generation != id.generation) {
        return hemi_refuse_value(scene, call, HEM_ERROR_ID, "id.generation", id.generation,
                                 "that instance has been removed");
    }
    *instance = found;
    return HEM_OK;
}

hem_result hemi_find_idle(const hem_scene* scene, const char* call, hem_instance_id id, hemi_instance** instance) {
    hem_result result = hemi_check_idle(scene, call);
    return result != HEM_OK ? result : hemi_find(scene, call, id, instance);
}

// The first slot of the asset where nobody lives; instance_count = none. count: those that it has in all.
static uint32_t find_free(const hem_scene* scene, const hem_view* view, uint32_t* count) {
    uint32_t found = scene->instance_count;
    *count = 0;
    for (uint32_t i = 0; i < scene->class_count; ++i) {
        const hemi_class* slots = &scene->classes[i];
        for (uint32_t k = 0; slots->view == view && found == scene->instance_count && k < slots->count; ++k) {
            const uint32_t index = slots->first_instance + k;
            const int empty = scene->slots[index] == HEMI_SLOT_FREE || scene->slots[index] == HEMI_SLOT_RAW;
            found = empty ? index : found;
        }
        *count += slots->view == view ? slots->count : 0;
    }
    return found;
}

static hem_result check_instance_def(const hem_instance_def* def, hemi_fault* fault) {
    if (def->cookie != INSTANCE_DEF_COOKIE) {
        *fault = hemi_fault_value("def.cookie", HEM_NONE, def->cookie, NULL);
        return HEM_ERROR_COOKIE;
    }
    const hem_view* view = hemi_asset_view(def->asset);
    if (!view) {
        *fault = hemi_fault_plain("def", HEM_NONE, "asset",
                                  def->asset ? "is not open: call hem_asset_open first" : "is NULL");
        return def->asset ? HEM_ERROR_ASSET : HEM_ERROR_NULL;
    }
    const uint32_t bones = view->info->bone_count;
    int good = hemi_root_is_fine(&def->root, "def.root", fault) &&
               hemi_is_fine(def->pose_blend, 0.0f, 1.0f, "def.pose_blend", "must be 0 to 1", fault) &&
               hemi_is_fine(def->time_scale, 0.0f, 8.0f, "def.time_scale", "must be 0 to 8", fault) &&
               hemi_is_fine(def->gravity_scale, -100.0f, 100.0f, "def.gravity_scale", "must be -100 to 100", fault) &&
               hemi_felt_limit_is_fine(def->felt_acceleration, "def.felt_acceleration", fault) &&
               hemi_felt_limit_is_fine(def->felt_turning, "def.felt_turning", fault) &&
               (!def->pose || hemi_pose_is_fine(def->pose, bones, sizeof(hemi_op_bone), "def.pose", fault));
    return good ? HEM_OK : HEM_ERROR_RANGE;
}

hem_result hem_scene_add(hem_scene* scene, const hem_instance_def* def, hem_instance_id* id) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (!def || !id) {
        return hemi_refuse_null(scene, __func__, def ? "id" : "def");
    }
    hemi_fault fault;
    result = check_instance_def(def, &fault);
    if (result != HEM_OK) {
        return hemi_refuse(scene, __func__, result, &fault);
    }
    const hem_view* view = hemi_asset_view(def->asset);
    uint32_t slot_count;
    const uint32_t index = find_free(scene, view, &slot_count);
    if (!slot_count) {
        return hemi_refuse(scene, __func__, HEM_ERROR_SLOT, NULL);
    }
    if (index == scene->instance_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_FULL, "slots.count", slot_count, NULL);
    }
    hemi_instance* instance = &scene->instances[index];
    hemi_op_add payload = {
        def->root, def->pose_blend, def->time_scale, def->gravity_scale, def->felt_acceleration, def->felt_turning,
        0,         def->user};
    hemi_op op = {HEMI_OP_ADD, def->pose ? view->info->bone_count : 0, &payload, def->pose, sizeof(hemi_op_bone)};
    hemi_apply(scene, instance, &op);
    id->index1 = index + 1;
    id->generation = instance->state->generation;
    return HEM_OK;
}

hem_result hem_scene_remove(hem_scene* scene, hem_instance_id id) {
    hemi_instance* instance;
    hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result == HEM_OK) {
        hemi_apply(scene, instance, &(hemi_op){HEMI_OP_REMOVE, 0, &(hemi_op_nothing){0}, NULL, 0});
    }
    return result;
}

int hem_instance_is_valid(const hem_scene* scene, hem_instance_id id) {
    if (hemi_check(scene) != HEM_OK || id.index1 == 0 || id.index1 > scene->instance_count) {
        return 0;
    }
    const hemi_state* state = scene->instances[id.index1 - 1].state;
    return state->alive && state->generation == id.generation;
}

hem_result hem_instance_user(const hem_scene* scene, hem_instance_id id, uint64_t* user) {
    hemi_instance* instance;
    hem_result result = hemi_find(scene, __func__, id, &instance);
    if (result == HEM_OK && !user) {
        return hemi_refuse_null(scene, __func__, "user");
    }
    if (result == HEM_OK) {
        *user = instance->input->user;
    }
    return result;
}
