// SPDX-License-Identifier: MIT
// Whether the game said something that a resting instance must wake for. Setters do not wake: they would have to compare with
// what INPUT held before, and who goes back to an older state finds a later input there. So the state remembers a hash of what
// was in force in its last step, and the next one compares. The same said again does not wake, and neither does a word that was
// taken back before anybody stepped. Pose, root, carry and places that move are left out: the plan sees how far they went.

#include "runtime/src/meshes.h"
#include "runtime/src/step.h"
#include "platform/hash.h"

static uint64_t hash_colliders(const hemi_collider* colliders, uint32_t count, const float (*planes)[4],
                               uint64_t hash) {
    hash = hem_hash(colliders, count * sizeof(*colliders), hash);
    for (uint32_t i = 0; i < count; ++i) {
        if (colliders[i].kind == HEM_SHAPE_HULL) {
            hash = hem_hash(planes[colliders[i].first_plane], colliders[i].plane_count * sizeof(*planes), hash);
        }
    }
    return hash;
}

void hemi_gather_words(hem_scene* scene) {
    if (!scene->spoken) {
        return;
    }
    const hemi_scene_input* in = scene->input;
    uint64_t hash = hem_hash(in->gravity, sizeof(in->gravity), in->has_force_field);
    hash = hash_colliders(scene->colliders, in->collider_count, (const float(*)[4])scene->planes, hash);
    for (uint32_t i = 0; i < scene->mesh_count; ++i) {
        const hemi_mesh* mesh = &scene->meshes[i];
        hash = hem_hash(mesh->triangles,
                        mesh->triangle_capacity ? mesh->input->triangle_count * sizeof(hemi_triangle) : 0, hash);
    }
    scene->said = hash;
    scene->spoken = 0;
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        scene->instances[i].spoken = 1;
    }
}

// Whose force it is matters: one for another instance wakes that one.
static uint64_t hash_forces(const hem_scene* scene, const hemi_instance* instance, uint64_t hash) {
    const uint32_t index1 = (uint32_t)(instance - scene->instances) + 1;
    for (uint32_t i = 0; i < scene->input->force_count; ++i) {
        const hemi_force* force = &scene->forces[i];
        if (!force->index1 || force->index1 == index1) {
            hash = hem_hash(force, sizeof(*force), hash + i);
        }
    }
    return hash;
}

static uint32_t hash_words(const hem_scene* scene, const hemi_instance* instance) {
    const hemi_input* in = instance->input;
    const size_t begin = offsetof(hemi_input, pose_blend), end = offsetof(hemi_input, user);
    uint64_t hash = hem_hash((const uint8_t*)in + begin, end - begin, scene->said);
    hash = hem_hash(instance->tuning, instance->view->info->part_count * sizeof(hem_tuning), hash);
    hash = hash_colliders(instance->colliders, in->collider_count, (const float(*)[4])instance->planes, hash);
    for (uint32_t i = 0; i < in->tie_count; ++i) {
        const size_t place = offsetof(hemi_tie, particle);
        hash = hem_hash((const uint8_t*)&instance->ties[i] + place, sizeof(hemi_tie) - place, hash);
    }
    hash = hash_forces(scene, instance, hash);
    return (uint32_t)(hash ^ hash >> 32);
}

int hemi_hears(hemi_step* s) {
    hemi_instance* instance = s->drawn; // what was said is said of all levels
    if (instance->spoken) {
        instance->said = hash_words(s->scene, instance);
        instance->spoken = 0;
    }
    const int changed = instance->said != instance->state->heard;
    instance->state->heard = instance->said;
    return changed;
}
