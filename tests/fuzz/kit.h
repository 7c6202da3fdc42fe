// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_FUZZ_KIT_H
#define HEM_TESTS_FUZZ_KIT_H

// What the targets that step a scene share: input read byte by byte, test assets, scenes on a given kernel, random calls.

#include "formats/hem_format.h"
#include "formats/hem_validate.h"
#include "hem/budget.h"
#include "hem/hem.h"
#include "hem/inspect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct input {
    const uint8_t* at;
    size_t left;
} input;

static inline uint8_t take_byte(input* in) {
    if (in->left == 0) {
        return 0;
    }
    --in->left;
    return *in->at++;
}

static inline uint32_t take_word(input* in) {
    uint32_t word = take_byte(in);
    word |= (uint32_t)take_byte(in) << 8;
    word |= (uint32_t)take_byte(in) << 16;
    return word | (uint32_t)take_byte(in) << 24;
}

static inline void require(int condition) {
    if (!condition) {
        abort();
    }
}

static inline void* allocate_aligned(size_t size) {
    void* block = aligned_alloc(64, (size + 63) / 64 * 64);
    require(block != NULL);
    return block;
}

typedef struct asset_bytes {
    uint8_t* bytes; // 64-byte aligned
    size_t size;
} asset_bytes;

// HEM_TEST_ASSETS/NAME.hem (default build/test_assets). Without it nothing would be tried, so that it ends the run.
static inline asset_bytes read_test_asset(const char* name) {
    const char* folder = getenv("HEM_TEST_ASSETS");
    char path[1024];
    asset_bytes a;
    snprintf(path, sizeof(path), "%s/%s.hem", folder ? folder : "build/test_assets", name);
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s is not there; tools/run_tests makes it\n", path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    a.size = (size_t)ftell(file);
    fseek(file, 0, SEEK_SET);
    a.bytes = allocate_aligned(a.size);
    require(fread(a.bytes, 1, a.size, file) == a.size);
    fclose(file);
    return a;
}

// The word becomes another: given, next to what it was, a plain number, an odd one.
static inline void edit_word(input* in, uint8_t* at) {
    static const float odd[8] = {0.0f, -0.0f, 1e-30f, -1e30f, 3e38f, INFINITY, -INFINITY, NAN};
    const uint8_t how = take_byte(in);
    uint32_t word;
    memcpy(&word, at, sizeof(word));
    float number;
    memcpy(&number, at, sizeof(number));
    switch (how % 8) {
    case 0:
        word = take_word(in);
        break;
    case 1:
        word += how & 8 ? 1u : UINT32_MAX;
        break;
    case 2:
        word ^= 1u << (how >> 3);
        break;
    case 3:
        number = odd[how >> 5];
        memcpy(&word, &number, sizeof(word));
        break;
    case 4:
        number *= how & 8 ? 2.0f : 0.5f;
        memcpy(&word, &number, sizeof(word));
        break;
    case 5:
        number = ((float)take_byte(in) - 128.0f) / 32.0f;
        memcpy(&word, &number, sizeof(word));
        break;
    case 6:
        word = take_byte(in);
        break;
    default:
        word ^= (uint32_t)take_byte(in) << 8 * (how >> 3 & 3);
        break;
    }
    memcpy(at, &word, sizeof(word));
}

typedef struct stage {
    void* block;
    size_t block_size;
    const hem_asset* asset;
    hem_scene* scene;
    hem_instance_id id;
} stage;

// Besides the assets: with a soup that a collider of the scene is, with a budget, or with neither.
typedef struct stage_def {
    uint32_t candidates;
    int has_mesh, has_budget;
} stage_def;

static inline stage_def take_stage_def(input* in) {
    const uint8_t what = take_byte(in);
    return (stage_def){what & 1 ? 4 : 24, what >> 1 & 1, what >> 2 & 1};
}

// A ridge across the whole stage, and a single triangle that stands in the air.
static const float SOUP[5][9] = {{-3, 0, -3, -3, 0, 3, 0, 0.4f, 3},
                                 {-3, 0, -3, 0, 0.4f, 3, 0, 0.4f, -3},
                                 {0, 0.4f, -3, 0, 0.4f, 3, 3, 0, 3},
                                 {0, 0.4f, -3, 3, 0, 3, 3, 0, -3},
                                 {-0.5f, 0.2f, 0, 0.5f, 0.2f, 0.1f, 0, 1.5f, 0}};

static inline stage stage_open(const hem_asset* asset, hem_kernel kernel, stage_def with) {
    stage s;
    hem_slot_def slot = {asset, 1};
    hem_scene_def def = hem_scene_def_default();
    const hem_mesh_def soup = {.triangle_capacity = 5, .two_sided = 1};
    def.slots = &slot;
    def.slot_count = 1;
    def.kernel = kernel;
    def.collider_capacity = 2;
    def.candidate_capacity = with.candidates;
    def.tie_capacity = def.force_capacity = 2;
    def.virtual_capacity = 64;
    def.meshes = with.has_mesh ? &soup : NULL;
    def.mesh_count = (uint32_t)with.has_mesh;
    def.budget = with.has_budget ? HEM_BUDGET_SKINNED : HEM_BUDGET_NONE;
    hem_memory need;
    require(hem_scene_measure(&def, &need) == HEM_OK);
    s.asset = asset;
    s.block_size = need.size;
    s.block = allocate_aligned(need.size);
    require(hem_scene_init(&s.scene, &def, s.block, s.block_size) == HEM_OK);
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = asset;
    require(hem_scene_add(s.scene, &instance, &s.id) == HEM_OK);
    if (with.has_mesh) {
        hem_collider collider = hem_collider_default();
        collider.kind = HEM_COLLIDER_MESH;
        collider.friction = 0.3f;
        require(hem_scene_set_mesh_triangles(s.scene, 0, SOUP[0], 5) == HEM_OK);
        require(hem_scene_set_colliders(s.scene, &collider, 1) == HEM_OK);
    }
    return s;
}

static inline void stage_close(stage* s) {
    free(s->block);
}

static inline float take_number(input* in) {
    return ((float)take_byte(in) - 128.0f) / 32.0f;
}

enum { STAGE_PARTS = 32, STAGE_VERTICES = 65536 };

static inline uint32_t tuning_count(const stage* s) {
    hem_asset_info info;
    require(hem_asset_get_info(s->asset, &info) == HEM_OK);
    return info.part_count;
}

// A number of the first part is changed; NULL when there are too many parts.
static inline const hem_tuning* tuning_of(const stage* s, uint8_t what, float number, hem_tuning* tuning) {
    if (tuning_count(s) > STAGE_PARTS ||
        hem_instance_get_tuning(s->scene, s->id, tuning, STAGE_PARTS * sizeof(hem_tuning)) != HEM_OK) {
        return NULL;
    }
    number = what & 64 ? number * 1e6f : fabsf(number);
    memcpy((uint8_t*)tuning + (what * 7u) % (sizeof(hem_tuning) / 4) * 4, &number, sizeof(number));
    return tuning;
}

// One call of those that matter most to a step, the same on each stage. What one refuses, all refuse.
static inline void stage_call(input* in, stage* stages, int count) {
    const uint8_t what = take_byte(in);
    hem_root root = {{(double)take_number(in), (double)take_number(in), (double)take_number(in)}, {0, 0, 0, 1}};
    if (what & 64) {
        root.rotation[what & 1] = 0.6f;
        root.rotation[3] = 0.8f;
    }
    hem_collider collider = hem_collider_default();
    collider.kind = (hem_collider_kind)(what % 4); // all but hulls
    collider.bone = what & 128 ? 0 : -1;
    collider.mask = ~0u;
    collider.friction = 0.4f;
    memcpy(collider.position, root.position, sizeof(collider.position));
    memcpy(collider.rotation, root.rotation, sizeof(collider.rotation));
    for (int k = 0; k < 4; ++k) {
        collider.size[k] = fabsf((float)root.position[k % 3]) * 0.25f;
    }
    const float v[3] = {(float)root.position[0] * 4, (float)root.position[1] * 4, (float)root.position[2] * 4};
    hem_force force = hem_force_default();
    force.kind = (hem_force_kind)(what >> 4 & 7);
    force.strength = v[0] * 20.0f;
    force.radius = fabsf(v[1]);
    memcpy(force.velocity, v, sizeof(v));
    memcpy(force.position, root.position, sizeof(force.position));
    hem_tie tie = hem_tie_default();
    tie.particle = what >> 4;
    tie.other = what & 1 ? -1 : what >> 5;
    tie.bone = what & 2 ? 0 : -1;
    tie.joint = what >> 2 & 1u;
    tie.stiffness = what & 128 ? 1e6f : 100.0f;
    memcpy(tie.position, root.position, sizeof(tie.position));
    hem_clip_play play = hem_clip_play_default();
    play.clip = what >> 6 & 1;
    play.speed = fabsf(v[0]);
    play.start_seconds = fabsf(v[1]);
    play.blend_seconds = fabsf(v[2]) * 0.02f;
    hem_tuning tuning[STAGE_PARTS];
    hem_result first = HEM_OK;
    for (int i = 0; i < count; ++i) {
        stage* s = &stages[i];
        hem_result r = HEM_OK;
        switch (what % 14) {
        case 0:
            r = hem_instance_set_root(s->scene, s->id, &root);
            break;
        case 1:
            r = hem_instance_set_wind(s->scene, s->id, v);
            break;
        case 2:
            r = hem_instance_set_gravity(s->scene, s->id, v);
            break;
        case 3:
            r = hem_instance_set_colliders(s->scene, s->id, &collider, 1);
            break;
        case 4:
            r = hem_instance_teleport(s->scene, s->id, &root, what & 1);
            break;
        case 5:
            r = hem_instance_set_animation(s->scene, s->id, what >> 6);
            break;
        case 6:
            r = hem_instance_reset(s->scene, s->id);
            break;
        case 7:
            r = hem_instance_set_features(s->scene, s->id, HEM_FEATURE_ALL & ~(1u << (what >> 4)));
            break;
        case 8:
            force.only = what & 128 ? s->id : force.only;
            r = hem_scene_set_forces(s->scene, &force, what >> 5 & 1);
            break;
        case 9:
            r = hem_instance_set_ties(s->scene, s->id, &tie, 1);
            break;
        case 10:
            r = what & 128 ? hem_instance_stop_clip(s->scene, s->id, 0, 0.05f)
                           : hem_instance_play_clip(s->scene, s->id, &play);
            break;
        case 11:
            r = what & 128
                    ? hem_scene_set_budget(s->scene, fabsf(v[0]) * 10.0f)
                    : hem_instance_set_levels(s->scene, s->id, (hem_level)(what >> 4 & 1), (hem_level)(what >> 5 & 3));
            break;
        case 12:
            r = hem_scene_set_mesh_triangles(s->scene, 0, SOUP[what >> 6], 1 + (what >> 4 & 1));
            break;
        default:
            r = hem_instance_set_tuning(s->scene, s->id, tuning_of(s, what, v[0], tuning), tuning_count(s));
            break;
        }
        first = i == 0 ? r : first;
        require(r == first);
    }
}

static inline void no_line(void* user, const float a[3], const float b[3], const hem_link_info* link) {
    *(float*)user += (a[0] - b[0]) * (float)(link->a != link->b);
}

// What a game may ask for: within the memory, and only numbers.
static inline void stage_read(const stage* s) {
    static float positions[STAGE_VERTICES * 3];
    hem_asset_info info;
    hem_virtual_particle points[8];
    hem_refined_vertex vertices[64];
    uint32_t indices[3 * 64], count;
    hem_refined refined = {.vertices = vertices, .indices = indices, .vertex_capacity = 64, .triangle_capacity = 64};
    hem_torn torn;
    hem_instance_stats stats;
    float sum = 0.0f;
    const hem_draw draw = {.user = &sum, .line = no_line};
    require(hem_asset_get_info(s->asset, &info) == HEM_OK);
    require(hem_instance_get_virtual(s->scene, s->id, points, 8, &count) == HEM_OK);
    require(hem_instance_get_refined(s->scene, s->id, &refined) == HEM_OK);
    require(hem_instance_get_torn(s->scene, s->id, &torn) == HEM_OK && torn.vertex_count <= info.torn_vertex_capacity);
    require(hem_instance_draw(s->scene, s->id, &draw) == HEM_OK);
    require(hem_instance_get_stats(s->scene, s->id, &stats) == HEM_OK && stats.speed_max - stats.speed_max == 0.0f);
    const uint32_t vertex_count = info.vertex_count + torn.vertex_count;
    const hem_skin_args skin = {.vertex_count = vertex_count, .positions = positions};
    if (vertex_count && vertex_count <= STAGE_VERTICES) {
        require(hem_instance_skin(s->scene, s->id, &skin) == HEM_OK);
        for (uint32_t i = 0; i < 3 * vertex_count; ++i) {
            require(positions[i] - positions[i] == 0.0f);
        }
    }
}

// Steps all of them and compares: the same bits, and only numbers.
static inline void stage_step(stage* stages, int count, uint32_t particle_count, float dt, uint32_t substeps) {
    uint64_t first = 0;
    for (int i = 0; i < count; ++i) {
        const hem_step_args args = {dt, substeps};
        require(hem_scene_step(stages[i].scene, &args) == HEM_OK);
        const uint64_t hash = hem_scene_hash(stages[i].scene);
        first = i == 0 ? hash : first;
        require(hash == first);
    }
    stage_read(&stages[0]);
    for (uint32_t p = 0; p < particle_count; ++p) {
        hem_particle particle;
        require(hem_instance_get_particles(stages[0].scene, stages[0].id, p, 1, &particle) == HEM_OK);
        for (int k = 0; k < 3; ++k) {
            require(particle.position[k] - particle.position[k] == 0.0f);
            require(particle.velocity[k] - particle.velocity[k] == 0.0f);
        }
    }
}

#endif
