// SPDX-License-Identifier: MIT
#include "tests/runtime/talk.h"

#include "hem/budget.h"
#include "hem/trimesh.h"
#include "platform/base.h"

#include <string.h>

void lift(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
          uint32_t row_count) {
    (void)user, (void)id, (void)position, (void)velocity;
    for (uint32_t row = 0; row < row_count; ++row) {
        acceleration[row * 24 + 8 + row % 8] = 1.0f;
    }
}

const hem_mesh_def* talk_meshes(void) {
    static const float corners[4][3] = {{0, 0.3f, 0}, {0.3f, -0.2f, 0}, {-0.2f, -0.2f, 0.3f}, {-0.2f, -0.2f, -0.3f}};
    static const uint32_t faces[12] = {0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3};
    static const uint16_t bones[16] = {0, 0, 0, 0, 1},
                          weights[16] = {65535, 0, 0, 0, 65535, 0, 0, 0, 65535, 0, 0, 0, 65535};
    static HEM_ALIGN(64) uint8_t bytes[4096], aside[4096];
    static hem_trimesh mesh;
    static hem_mesh_def defs[TALK_MESHES];
    hem_trimesh_def def = hem_trimesh_def_default();
    hem_trimesh_report report;
    def.vertex_count = 4;
    def.positions = corners[0];
    def.indices = faces;
    def.triangle_count = 4;
    def.bone_count = 2;
    def.bones = bones;
    def.weights = weights;
    if (hem_trimesh_build(&def, bytes, sizeof(bytes), aside, sizeof(aside), &report) == HEM_OK) {
        hem_trimesh_open(&mesh, bytes, report.size);
    }
    defs[0] = (hem_mesh_def){&mesh, 0, 0};
    defs[1] = (hem_mesh_def){NULL, 2, 1};
    return defs;
}

static void talk_of_meshes(world* w, int step, float sway) {
    const float matrices[24] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0.1f * sway, 0, 1, 0, 0, 0, 0, 1, 0};
    const float triangle[9] = {-1, -0.9f, -1, 0, -0.9f + 0.01f * (float)(step / 4), 1, 1, -0.9f, -1};
    hem_scene_set_mesh_pose(w->scene, 0, matrices, 2, 0, step == 16);
    hem_scene_set_mesh_triangles(w->scene, 1, triangle, 1);
}

// All kinds of forces, some of them for a while, one of them for the second instance's place alone.
static void talk_of_forces(world* w, int step, const hem_root* root) {
    static const hem_force_key keys[3] = {{0, 0}, {0.2f, 1}, {0.4f, -0.5f}};
    hem_force forces[7];
    for (int i = 0; i < 7; ++i) {
        forces[i] = hem_force_default();
        forces[i].kind = (hem_force_kind)i;
        forces[i].position[0] = root->position[0] + 0.1;
        forces[i].strength = i == HEM_FORCE_DRAG ? 2.0f : 3.0f;
        forces[i].radius = i % 2 ? 0.0f : 2.0f;
        forces[i].size[0] = forces[i].size[1] = forces[i].size[2] = 0.5f;
        forces[i].velocity[0] = 0.5f;
        forces[i].keys = keys;
        forces[i].key_count = i < 3 ? 3 : 0;
        forces[i].period = i == 1 ? 0.3f : 0.0f;
        forces[i].restart = step % 16 == 8;
    }
    forces[2].only = w->id;
    hem_scene_set_forces(w->scene, forces, step % 12 == 8 ? 2 : 7);
}

static void talk_of_ties(world* w, int step, const hem_root* root) {
    hem_tie ties[3] = {hem_tie_default(), hem_tie_default(), hem_tie_default()};
    ties[0].particle = nth_particle(w, false, 1);
    ties[0].position[0] = root->position[0] + 0.1 * (step % 5);
    ties[0].force_limit = 2.0f;
    ties[0].jumped = step % 9 == 0;
    ties[1].particle = nth_particle(w, false, 2);
    ties[1].other = (int32_t)ties[0].particle;
    ties[1].rest = 0.1f;
    ties[2].particle = nth_particle(w, false, 3);
    ties[2].bone = 0;
    ties[2].joint = 1;
    hem_instance_set_ties(w->scene, w->id, ties, step % 11 == 3 ? 0 : 3);
}

// Where the scene has no room for a budget the calls are refused and nothing is said.
static void talk_of_the_budget(world* w, int step) {
    static const float budgets[] = {0.0f, 400.0f, 60.0f, 20.0f, 150.0f};
    const hem_level best = step % 10 < 5 ? HEM_LEVEL_FULL : HEM_LEVEL_HALF;
    hem_scene_set_budget(w->scene, budgets[step / 4 % 5]);
    hem_scene_set_measured(w->scene, (float)(step % 7) * 20.0f);
    hem_instance_set_importance(w->scene, w->id, hem_importance(1.0f, 1.0f + (float)(step % 6), step % 9 != 0));
    hem_instance_set_levels(w->scene, w->id, best, step % 4 ? HEM_LEVEL_POSE : HEM_LEVEL_HALF);
}

// A slot of the reserve comes and goes, where there is one; and the instance is loaded from its own save.
static void talk_of_crowds(world* w, int step) {
    static uint8_t saved[1 << 20];
    const hem_slot_def one = {&w->asset, 1};
    if (step % 6 == 2) {
        hem_scene_add_slots(w->scene, &one);
    } else if (step % 6 == 5) {
        hem_scene_remove_slots(w->scene, &w->asset);
    }
    if (step == 10) {
        hem_instance_save(w->scene, w->id, HEM_SAVE_ALL, saved, sizeof(saved));
        hem_instance_load(w->scene, w->id, saved, sizeof(saved));
    }
}

static void talk_of_clips(world* w, int step) {
    hem_clip_play play = hem_clip_play_default();
    play.clip = (uint32_t)step % w->view.lattice_clip_count;
    play.blend_seconds = 0.1f * (float)(step % 3);
    play.lerp_speed = step % 2 ? 1.0f : 0.0f;
    const uint32_t part = w->view.lattices[w->view.lattice_clips[play.clip].lattice].part;
    if (step % 7 == 1) {
        hem_instance_play_clip(w->scene, w->id, &play);
    } else if (step % 7 == 5) {
        hem_instance_stop_clip(w->scene, w->id, part, 0.05f);
    }
    hem_instance_pause_clip(w->scene, w->id, part, step % 5 == 4);
}

static void talk_of_distance(world* w, int step) {
    const double near[3] = {0.5, 0, 0}, far[3] = {30, 0, 0};
    hem_scene_set_viewpoint(w->scene, step % 10 == 9 ? NULL : step % 10 < 6 ? near : far);
    hem_instance_set_sleep_distance(w->scene, w->id, step < 4 ? 0.0f : 10.0f, step < 4 ? 0.0f : 8.0f);
}

// Bones lie beside padding, as a game has them.
void say_everything(world* w, int step) {
    static float pose[256][16];
    hem_scene* scene = w->scene;
    float sway = (float)(step % 20) / 10.0f - 1.0f;
    sway = sway < 0 ? -sway : sway;
    uint32_t bones = w->view.info->bone_count;
    for (uint32_t i = 0; i < bones; ++i) {
        memset(pose[i], 0, sizeof(pose[i]));
        pose[i][0] = pose[i][5] = pose[i][10] = 1.0f;
        pose[i][3] = 0.05f * sway;
    }
    hem_instance_set_pose(scene, w->id, pose[0], bones, sizeof(pose[0]));
    hem_root root = {{0.02 * step, 0, 0}, {0, 0, 0, 1}}, lifted = {{0, 0.01, 0}, {0, 0, 0, 1}};
    hem_root ground = {{0, 0, 0}, {0, 0, 0, 1}};
    hem_instance_set_root(scene, w->id, &root);
    float wind[3] = {2.0f * sway, 0, 1}, gravity[3] = {0, -5.0f, 0};
    hem_instance_set_wind(scene, w->id, wind);
    static const float planes[6][4] = {{1, 0, 0, 0.1f},  {-1, 0, 0, 0.1f}, {0, 1, 0, 0.1f},
                                       {0, -1, 0, 0.1f}, {0, 0, 1, 0.1f},  {0, 0, -1, 0.1f}};
    hem_collider colliders[4];
    for (int i = 0; i < 4; ++i) {
        colliders[i] = hem_collider_default();
        colliders[i].bone = -1;
        colliders[i].rotation[3] = 1.0f;
        colliders[i].mask = ~0u;
        colliders[i].position[0] = root.position[0];
        colliders[i].position[1] = -0.4;
        colliders[i].position[2] = 0.4 * (double)sway;
    }
    colliders[0].kind = HEM_COLLIDER_SPHERE;
    colliders[0].size[0] = 0.15f;
    colliders[1].kind = HEM_COLLIDER_HULL;
    colliders[1].planes = planes[0];
    colliders[1].plane_count = 6;
    colliders[1].jumped = step % 7 == 0;
    colliders[2].kind = colliders[3].kind = HEM_COLLIDER_MESH;
    colliders[3].mesh = 1;
    hem_instance_set_colliders(scene, w->id, colliders, step % 11 == 0 ? 1 : w->mesh_count ? 4 : 2);
    if (w->mesh_count) {
        talk_of_meshes(w, step, sway);
    }
    colliders[0].position[1] = -0.9; // and the world about all of them
    hem_scene_set_colliders(scene, colliders, step % 13 == 0 ? 1 : 2);
    talk_of_forces(w, step / 4 * 4, &root);
    talk_of_ties(w, step, &root);
    talk_of_the_budget(w, step);
    talk_of_crowds(w, step);
    talk_of_distance(w, step);
    if (w->view.lattice_clip_count) {
        talk_of_clips(w, step);
    }
    hem_tuning tuning[16];
    switch (step) {
    case 3:
        hem_scene_set_force_field(scene, lift, NULL);
        break;
    case 5:
        hem_instance_set_gravity(scene, w->id, gravity);
        hem_instance_set_pose_blend(scene, w->id, 0.5f);
        break;
    case 8:
        hem_instance_get_tuning(scene, w->id, tuning, sizeof(tuning));
        for (uint32_t i = 0; i < w->view.info->part_count; ++i) {
            tuning[i].damping += 0.5f;
        }
        hem_instance_set_tuning(scene, w->id, tuning, w->view.info->part_count);
        break;
    case 12:
        hem_instance_teleport(scene, w->id, &root, 1);
        hem_instance_set_felt_limits(scene, w->id, 20.0f, 50.0f);
        break;
    case 15:
        hem_instance_carry(scene, w->id, &ground, &lifted);
        hem_instance_set_time_scale(scene, w->id, 0.75f);
        break;
    case 18:
        hem_instance_set_animation(scene, w->id, 1);
        hem_instance_set_features(scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_TETHERS);
        break;
    case 21:
        hem_instance_set_animation(scene, w->id, -1);
        hem_instance_reset(scene, w->id);
        hem_instance_wake(scene, w->id);
        break;
    default:
        break;
    }
}
