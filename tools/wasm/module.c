// SPDX-License-Identifier: MIT
#include "hem/hem.h"

// The runtime as a WebAssembly module: no libc, no imports, one linear memory that JavaScript reads and writes.
//
// Memory is a bump: module_reserve hands out room behind what is in use and never takes it back, growing the memory when
// needed; module_reset starts anew. Structs cross the border as plain arrays of numbers, so that JavaScript need not
// know any layout. One scene of one asset at a time.
//
// Functions return 0 or a hem_result, unless they say otherwise.

#define PAGE 65536u

extern unsigned char __heap_base; // from the linker: the first free byte

// Seen by JavaScript under their own names (-Wl,--export-dynamic); everything else is hidden, as is usual on this target.
#define EXPORT __attribute__((visibility("default")))

EXPORT void module_reset(void);
EXPORT void* module_reserve(uint32_t size);
EXPORT uint32_t module_used(void);
EXPORT int32_t module_load(const void* bytes, uint32_t size, uint32_t instance_capacity, uint32_t collider_capacity);
EXPORT int32_t module_add(double x, double y, double z);
EXPORT int32_t module_keep_awake(uint32_t instance);
EXPORT int32_t module_capsules(uint32_t instance, const float* capsules, uint32_t count, float friction);
EXPORT int32_t module_pose(uint32_t instance, const float* matrices, uint32_t bone_count);
EXPORT int32_t module_step(float dt_seconds, uint32_t substeps);
EXPORT int32_t module_particles(uint32_t instance, float* positions, uint32_t* flags);
EXPORT int32_t module_skin(uint32_t instance, float* positions, float* normals);
EXPORT uint32_t module_count(uint32_t what);
EXPORT int32_t module_stats(uint32_t instance, float* numbers);

enum { INSTANCES_MAX = 256, CAPSULES_MAX = 64, CAPSULE_FLOATS = 9, STATS_FLOATS = 8 };

static uintptr_t used;
static hem_asset asset;
static hem_asset_info info;
static hem_scene* scene;
static hem_instance_id ids[INSTANCES_MAX];
static uint32_t instance_count;

void module_reset(void) {
    used = 0;
    scene = NULL;
    instance_count = 0;
}

// 64-byte aligned, or NULL when the host gives no more memory.
void* module_reserve(uint32_t size) {
    if (used == 0) {
        used = (uintptr_t)&__heap_base;
    }
    uintptr_t start = (used + 63u) & ~(uintptr_t)63u;
    uintptr_t have = __builtin_wasm_memory_size(0) * PAGE;
    if (size > UINT32_MAX - PAGE - start) {
        return NULL;
    }
    if (start + size > have && __builtin_wasm_memory_grow(0, (start + size - have + PAGE - 1) / PAGE) == (size_t)-1) {
        return NULL;
    }
    used = start + size;
    return (void*)start;
}

uint32_t module_used(void) {
    return (uint32_t)used;
}

int32_t module_load(const void* bytes, uint32_t size, uint32_t instance_capacity, uint32_t collider_capacity) {
    scene = NULL;
    instance_count = 0;
    hem_result result = hem_asset_open(&asset, bytes, size);
    if (result == HEM_OK) {
        result = hem_asset_get_info(&asset, &info);
    }
    hem_slot_def slot = {&asset, instance_capacity};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    def.collider_capacity = collider_capacity;
    hem_memory need;
    if (result == HEM_OK) {
        result = instance_capacity <= INSTANCES_MAX ? hem_scene_measure(&def, &need) : HEM_ERROR_RANGE;
    }
    if (result != HEM_OK) {
        return result;
    }
    void* block = module_reserve(need.size);
    return block != NULL ? (int32_t)hem_scene_init(&scene, &def, block, need.size) : HEM_ERROR_MEMORY;
}

int32_t module_add(double x, double y, double z) {
    if (scene == NULL) {
        return HEM_ERROR_NULL;
    }
    hem_instance_def def = hem_instance_def_default();
    def.asset = &asset;
    def.root.position[0] = x;
    def.root.position[1] = y;
    def.root.position[2] = z;
    hem_result result = hem_scene_add(scene, &def, &ids[instance_count < INSTANCES_MAX ? instance_count : 0]);
    instance_count += result == HEM_OK;
    return result;
}

int32_t module_keep_awake(uint32_t instance) {
    return instance < instance_count ? (int32_t)hem_instance_set_features(
                                           scene, ids[instance], HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP)
                                     : HEM_ERROR_ID;
}

// Nine floats each: world position, rotation, radius, half length.
int32_t module_capsules(uint32_t instance, const float* capsules, uint32_t count, float friction) {
    hem_collider colliders[CAPSULES_MAX];
    if (instance >= instance_count || count > CAPSULES_MAX) {
        return instance >= instance_count ? HEM_ERROR_ID : HEM_ERROR_COUNT;
    }
    for (uint32_t i = 0; i < count; ++i, capsules += CAPSULE_FLOATS) {
        hem_collider c = hem_collider_default();
        c.kind = HEM_COLLIDER_CAPSULE;
        c.friction = friction;
        for (uint32_t k = 0; k < 3; ++k) {
            c.position[k] = (double)capsules[k];
        }
        for (uint32_t k = 0; k < 4; ++k) {
            c.rotation[k] = capsules[3 + k];
        }
        c.size[0] = c.size[1] = capsules[7];
        c.size[2] = capsules[8];
        colliders[i] = c;
    }
    return hem_instance_set_colliders(scene, ids[instance], colliders, count);
}

int32_t module_pose(uint32_t instance, const float* matrices, uint32_t bone_count) {
    return instance < instance_count ? (int32_t)hem_instance_set_pose(scene, ids[instance], matrices, bone_count, 0)
                                     : HEM_ERROR_ID;
}

int32_t module_step(float dt_seconds, uint32_t substeps) {
    const hem_step_args args = {dt_seconds, substeps};
    return scene != NULL ? (int32_t)hem_scene_step(scene, &args) : HEM_ERROR_NULL;
}

// Three floats and a word of flags per particle, pads included.
int32_t module_particles(uint32_t instance, float* positions, uint32_t* flags) {
    hem_result result = instance < instance_count ? HEM_OK : HEM_ERROR_ID;
    for (uint32_t i = 0; result == HEM_OK && i < info.particle_count; ++i) {
        hem_particle p;
        result = hem_instance_get_particles(scene, ids[instance], i, 1, &p);
        for (uint32_t k = 0; k < 3; ++k) {
            positions[3 * i + k] = p.position[k];
        }
        flags[i] = p.flags;
    }
    return result;
}

int32_t module_skin(uint32_t instance, float* positions, float* normals) {
    const hem_skin_args args = {.vertex_count = info.vertex_count, .positions = positions, .normals = normals};
    return instance < instance_count ? (int32_t)hem_instance_skin(scene, ids[instance], &args) : HEM_ERROR_ID;
}

// 0 particles with pads, 1 vertices, 2 bones, 3 bytes of state per instance, 4 instances. Returns the count.
uint32_t module_count(uint32_t what) {
    const uint32_t counts[] = {info.particle_count, info.vertex_count, info.bone_count, info.state_size,
                               instance_count};
    return what < sizeof(counts) / sizeof(counts[0]) ? counts[what] : 0;
}

// Stretch mean and max, kinetic energy, deepest penetration, particles penetrating, contacts, simulated, top speed.
int32_t module_stats(uint32_t instance, float* numbers) {
    hem_instance_stats s;
    hem_result result = instance < instance_count ? hem_instance_get_stats(scene, ids[instance], &s) : HEM_ERROR_ID;
    if (result == HEM_OK) {
        const float all[STATS_FLOATS] = {s.stretch_mean,
                                         s.stretch_max,
                                         s.kinetic_energy,
                                         s.penetration_max,
                                         (float)s.penetrating_count,
                                         (float)s.contact_count,
                                         (float)s.simulated_count,
                                         s.speed_max};
        for (uint32_t i = 0; i < STATS_FLOATS; ++i) {
            numbers[i] = all[i];
        }
    }
    return result;
}
