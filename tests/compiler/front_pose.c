// SPDX-License-Identifier: MIT
// The pose: where joints are, times what the asset says about its bones, draws the vertices that plain glTF skinning has.
// The glTF is read here a second time, with cgltf's own readers, and skinned as its specification says.

#include "tests/compiler/front_bench.h"
#include "tests/compiler/front_kit.h"
#include "compiler/hemc.h"
#include "greatest.h"
#include "hem/inspect.h"

#include <cgltf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct stage {
    cgltf_data* gltf;
    uint8_t* bytes;
    size_t size;
    hem_asset asset;
    hem_asset_info info;
    void* block;
    hem_scene* scene;
    hem_instance_id id;
} stage;

static bool open_stage(stage* s, const char* input, const char* recipe, float scale) {
    memset(s, 0, sizeof(*s));
    const hemc_job job = {.input = input, .recipe = recipe, .scale = scale, .verbosity = -1};
    cgltf_options options = {0};
    if (cgltf_parse_file(&options, input, &s->gltf) != cgltf_result_success ||
        cgltf_load_buffers(&options, s->gltf, input) != cgltf_result_success ||
        hemc_compile(&job, &s->bytes, &s->size) != 0 || hem_asset_open(&s->asset, s->bytes, s->size) != HEM_OK ||
        hem_asset_get_info(&s->asset, &s->info) != HEM_OK) {
        return false;
    }
    hem_slot_def slot = {&s->asset, 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &s->asset;
    instance.pose_blend = 0.0f;
    hem_memory need;
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return false;
    }
    s->block = aligned_alloc(need.align, (need.size + need.align - 1) / need.align * need.align);
    return hem_scene_init(&s->scene, &def, s->block, need.size) == HEM_OK &&
           hem_scene_add(s->scene, &instance, &s->id) == HEM_OK;
}

static void close_stage(stage* s) {
    cgltf_free(s->gltf);
    hemc_free(s->bytes);
    free(s->block);
}

static const cgltf_node* node_named(const cgltf_data* gltf, const char* name) {
    for (size_t i = 0; i < gltf->nodes_count; ++i) {
        if (gltf->nodes[i].name && strcmp(gltf->nodes[i].name, name) == 0) {
            return &gltf->nodes[i];
        }
    }
    return NULL;
}

static void world_of(const cgltf_node* node, double m[12]) { // rows of four
    float columns[16];
    cgltf_node_transform_world(node, columns);
    for (int k = 0; k < 12; ++k) {
        m[k] = (double)columns[4 * (k % 4) + k / 4];
    }
}

static void apply(const double m[12], const double p[3], double out[3]) {
    for (int r = 0; r < 3; ++r) {
        out[r] = m[4 * r] * p[0] + m[4 * r + 1] * p[1] + m[4 * r + 2] * p[2] + m[4 * r + 3];
    }
}

static const cgltf_accessor* attribute(const cgltf_primitive* primitive, cgltf_attribute_type type) {
    for (size_t i = 0; i < primitive->attributes_count; ++i) {
        if (primitive->attributes[i].type == type && primitive->attributes[i].index == 0) {
            return primitive->attributes[i].data;
        }
    }
    return NULL;
}

// glTF 2.0, 3.7.3: sum of weight * globalJoint * inverseBind, whatever the node of the mesh does.
static void plain_skin(const cgltf_node* node, const cgltf_primitive* primitive, size_t vertex, double out[3]) {
    float p[3], w[4];
    cgltf_uint joints[4];
    double at[3], m[12], placed[3], moved[3];
    cgltf_accessor_read_float(attribute(primitive, cgltf_attribute_type_position), vertex, p, 3);
    for (int k = 0; k < 3; ++k) {
        at[k] = (double)p[k];
        out[k] = 0;
    }
    const cgltf_accessor* of_joints = attribute(primitive, cgltf_attribute_type_joints);
    if (!node->skin || !of_joints) {
        world_of(node, m);
        apply(m, at, out);
        return;
    }
    cgltf_accessor_read_uint(of_joints, vertex, joints, 4);
    cgltf_accessor_read_float(attribute(primitive, cgltf_attribute_type_weights), vertex, w, 4);
    double sum = (double)w[0] + (double)w[1] + (double)w[2] + (double)w[3];
    for (int j = 0; j < 4; ++j) {
        float columns[16];
        cgltf_accessor_read_float(node->skin->inverse_bind_matrices, joints[j], columns, 16);
        for (int k = 0; k < 12; ++k) {
            m[k] = (double)columns[4 * (k % 4) + k / 4];
        }
        apply(m, at, placed);
        world_of(node->skin->joints[joints[j]], m);
        apply(m, placed, moved);
        for (int k = 0; k < 3; ++k) {
            out[k] += (double)w[j] / sum * moved[k];
        }
    }
}

// Some joints are turned and the skeleton is carried off, in the glTF itself.
static void bend(cgltf_data* gltf) {
    for (size_t s = 0; s < gltf->skins_count; ++s) {
        for (size_t j = 0; j < gltf->skins[s].joints_count; ++j) {
            cgltf_node* node = gltf->skins[s].joints[j];
            if (node->has_matrix || j % 3 == 2) {
                continue;
            }
            const float half = 0.1f + 0.02f * (float)(j % 5), q[4] = {sinf(half), 0, 0, cosf(half)};
            const float* r = node->rotation;
            const float turned[4] = {r[3] * q[0] + r[0] * q[3], r[1] * q[3] + r[2] * q[0], r[2] * q[3] - r[1] * q[0],
                                     r[3] * q[3] - r[0] * q[0]};
            memcpy(node->rotation, turned, sizeof(turned));
            node->has_rotation = 1;
        }
    }
}

typedef enum way { FROM_JOINTS, FROM_SKIN, TRAP } way;

// What every engine has at hand: joint * inverseBindMatrix. Nodes that are no joints have their transform alone.
static void usual_matrices(const stage* s, const float* joints, float* skin) {
    memcpy(skin, joints, (size_t)s->info.bone_count * 48);
    const cgltf_skin* of = &s->gltf->skins[0];
    for (size_t j = 0; j < of->joints_count; ++j) {
        int32_t b = hem_asset_find_bone(&s->asset, of->joints[j]->name);
        float bind[16];
        double world[12];
        cgltf_accessor_read_float(of->inverse_bind_matrices, j, bind, 16);
        world_of(of->joints[j], world);
        for (int r = 0; b >= 0 && r < 3; ++r) {
            for (int c = 0; c < 4; ++c) {
                double sum = c == 3 ? world[4 * r + 3] : 0;
                for (int k = 0; k < 3; ++k) {
                    sum += world[4 * r + k] * (double)bind[4 * c + k];
                }
                skin[12 * b + 4 * r + c] = (float)sum;
            }
        }
    }
}

static hem_result pose(stage* s, way by) {
    float* joints = calloc(s->info.bone_count, 48);
    float* skin = calloc(s->info.bone_count, 48);
    float* matrices = calloc(s->info.bone_count, 48);
    for (uint32_t b = 0; b < s->info.bone_count; ++b) {
        const cgltf_node* node = node_named(s->gltf, hem_asset_bone_name(&s->asset, b));
        double m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        if (node) {
            world_of(node, m);
        }
        for (int k = 0; k < 12; ++k) {
            joints[12 * b + (uint32_t)k] = (float)m[k];
        }
    }
    usual_matrices(s, joints, skin);
    hem_result result = by == FROM_JOINTS ? hem_asset_pose_from_joints(&s->asset, joints, 0, 0.0f, matrices)
                        : by == FROM_SKIN ? hem_asset_pose_from_skin(&s->asset, skin, 0, matrices)
                                          : HEM_OK;
    if (result == HEM_OK) {
        result = hem_instance_set_pose(s->scene, s->id, by == TRAP ? skin : matrices, s->info.bone_count, 0);
    }
    free(joints);
    free(skin);
    free(matrices);
    return result;
}

// The farthest that a vertex is from where plain skinning has it, of the size of the model; *size in metres.
static double worst_error(stage* s, double* size) {
    float* places = malloc((size_t)s->info.vertex_count * 12 + 12);
    const hem_skin_args args = {.vertex_count = s->info.vertex_count, .positions = places};
    double worst = hem_instance_skin(s->scene, s->id, &args) == HEM_OK ? 0 : 1e9;
    double low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
    for (uint32_t i = 0; i < s->info.mesh_count; ++i) {
        hem_mesh_info mesh;
        hem_asset_get_mesh(&s->asset, i, &mesh);
        const cgltf_node* node = &s->gltf->nodes[mesh.source_node];
        const cgltf_primitive* primitive = &node->mesh->primitives[mesh.source_primitive];
        for (uint32_t v = 0; v < mesh.vertex_count; ++v) {
            double at[3], away = 0;
            plain_skin(node, primitive, v, at);
            for (int k = 0; k < 3; ++k) {
                at[k] *= (double)s->info.unit;
                double d = (double)places[3 * (mesh.vertex_begin + v) + (uint32_t)k] - at[k];
                away += d * d;
                low[k] = fmin(low[k], at[k]);
                high[k] = fmax(high[k], at[k]);
            }
            worst = fmax(worst, sqrt(away));
        }
    }
    free(places);
    *size = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    return worst / *size;
}

static int check_pose(const char* input, const char* recipe, float scale, float unit, hem_result trap, char* said,
                      size_t room) {
    stage s;
    double size = 0, worst[2] = {0, 0};
    if (!open_stage(&s, input, recipe, scale)) {
        snprintf(said, room, "%s does not compile", input);
        return 0;
    }
    bend(s.gltf);
    const hem_step_args step = {1.0f / 60.0f, 0};
    hem_result result = HEM_OK;
    for (int by = FROM_JOINTS; by <= FROM_SKIN && result == HEM_OK; ++by) {
        hem_instance_reset(s.scene, s.id);
        result = pose(&s, (way)by);
        hem_scene_step(s.scene, &step);
        worst[by] = worst_error(&s, &size);
    }
    hem_result trapped = pose(&s, TRAP);
    snprintf(said, room, "%s: result %d, off by %.2g and %.2g of %.3g m, unit %g, the glTF's own matrices: %d, \"%s\"",
             input, (int)result, worst[0], worst[1], size, (double)s.info.unit, (int)trapped,
             hem_scene_refusal(s.scene));
    const int good = s.info.unit == unit;
    close_stage(&s);
    return good && result == HEM_OK && worst[0] < 5e-4 && worst[1] < 5e-4 && trapped == trap;
}

TEST joints_of_a_mesh_in_centimetres_draw_what_plain_skinning_draws(void) {
    bench b;
    char said[512];
    ASSERT(bench_begin(&b));
    const int good = check_pose(b.input, b.recipe, 1.0f, 1.0f, HEM_ERROR_RANGE, said, sizeof(said));
    bench_end(&b);
    ASSERTm(said, good);
    PASS();
}

TEST joints_of_a_public_character_draw_what_plain_skinning_draws(const char* name, float scale, float unit,
                                                                 hem_result trap) {
    char path[256];
    static char said[512];
    snprintf(path, sizeof(path), "../shared/assets/%s", name);
    FILE* there = fopen(path, "rb");
    if (!there) {
        SKIPm("no ../shared/assets");
    }
    fclose(there);
    ASSERTm(said, check_pose(path, NULL, scale, unit, trap, said, sizeof(said)));
    PASS();
}

SUITE(front_pose_suite) {
    RUN_TEST(joints_of_a_mesh_in_centimetres_draw_what_plain_skinning_draws);
    RUN_TESTp(joints_of_a_public_character_draw_what_plain_skinning_draws, "quaternius_Horse.glb", 1.0f, 1.0f,
              HEM_ERROR_RANGE);
    RUN_TESTp(joints_of_a_public_character_draw_what_plain_skinning_draws, "khronos_Fox.glb", 1.0f, 1.0f, HEM_OK);
    // Automatic mode takes it as centimetres; the game need not know.
    RUN_TESTp(joints_of_a_public_character_draw_what_plain_skinning_draws, "khronos_Fox.glb", 0.0f, 0.01f, HEM_OK);
}
