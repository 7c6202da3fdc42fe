// SPDX-License-Identifier: MIT
// Triangles of the body that travel inside an asset. The same mesh as a mesh of the scene, said by the game frame by frame,
// moves every particle the same way to the last bit; and what that does is tested in meshes.c.

#include "tests/runtime/suites.h"
#include "hem/trimesh.h"
#include "formats/hem_trimesh.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY (1u << 30) // a collision group of no part

static hem_asset_collider* mesh_collider(world* w) {
    for (uint32_t i = 0; i < w->view.collider_count; ++i) {
        if (w->view.colliders[i].kind == HEM_SHAPE_MESH) {
            return (hem_asset_collider*)&w->view.colliders[i];
        }
    }
    return NULL;
}

static void nobody_meets_it(world* w) {
    mesh_collider(w)->collision_group = NOBODY;
}

static void pose_at(world* w, double seconds) {
    float pose[64 * 12];
    clip_pose(w, find_clip(w, "run"), seconds, pose);
    hem_instance_set_pose(w->scene, w->id, pose, w->view.info->bone_count, 0);
}

// w->scene anew, with a mesh of the scene.
static bool open_again(world* w, const hem_trimesh* mesh) {
    hem_scene_def def = hem_scene_def_default();
    const hem_slot_def slot = {&w->asset, 1};
    const hem_mesh_def one = {mesh, 0, 0};
    hem_memory need;
    hem_instance_def instance = hem_instance_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    def.meshes = &one;
    def.mesh_count = 1;
    def.kernel = wanted_kernel();
    instance.asset = &w->asset;
    free(w->block);
    w->block = NULL;
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return false;
    }
    w->block = aligned_alloc(64, (need.size + 63) / 64 * 64);
    return hem_scene_init(&w->scene, &def, w->block, need.size) == HEM_OK &&
           hem_scene_add(w->scene, &instance, &w->id) == HEM_OK;
}

TEST it_does_what_a_mesh_of_the_scene_does(void) {
    world a, b;
    hem_trimesh mesh;
    ASSERT(world_open(&a, "cape_girl_mesh", NULL, NULL, 1));
    ASSERT(world_open_spoiled(&b, "cape_girl_mesh", nobody_meets_it));
    ASSERT(mesh_collider(&a) != NULL && a.view.body_mesh_size > 0);
    ASSERT_EQ(HEM_OK, hem_trimesh_open(&mesh, b.view.body_mesh, b.view.body_mesh_size));
    ASSERT(open_again(&b, &mesh));
    hem_collider c = hem_collider_default();
    c.kind = HEM_COLLIDER_MESH;
    c.mask = mesh_collider(&a)->collision_group;
    c.friction = mesh_collider(&a)->friction;
    uint32_t contacts[2] = {0, 0};
    for (int frame = 0; frame < as_long_as(200, 40); ++frame) {
        // Poses that stay, jump with a teleport, and go on after a rest.
        const double seconds = frame % 60 > 45 ? 0.3 : frame / 60.0;
        float pose[64 * 12];
        clip_pose(&b, find_clip(&b, "run"), seconds, pose);
        pose_at(&a, seconds);
        pose_at(&b, seconds);
        ASSERT_EQ(HEM_OK,
                  hem_scene_set_mesh_pose(b.scene, 0, pose, b.view.info->bone_count, 0, frame == 70 || frame == 0));
        const hem_root root = {{0.02 * frame + (frame >= 70 ? 3.0 : 0.0), 0, 0}, {0, 0, 0, 1}};
        memcpy(c.position, root.position, sizeof(c.position)); // in the world, where the character is
        ASSERT_EQ(HEM_OK, hem_instance_set_colliders(b.scene, b.id, &c, 1));
        for (int i = 0; i < 2; ++i) {
            world* w = i == 0 ? &a : &b;
            if (frame == 70 || frame == 0) {
                hem_instance_teleport(w->scene, w->id, &root, 1);
            } else {
                hem_instance_set_root(w->scene, w->id, &root);
            }
            world_step(w, 1.0f / 60.0f, 0, 1);
            hem_step_report report;
            hem_scene_get_report(w->scene, &report);
            contacts[i] += report.contact_count;
        }
        for (uint32_t i = 0; i < a.view.info->particle_count; ++i) {
            const hem_particle p = particle_at(&a, i), q = particle_at(&b, i);
            if (memcmp(p.position, q.position, sizeof(p.position)) != 0) {
                printf("frame %d, particle %u\n", frame, i);
                FAIL();
            }
        }
    }
    ASSERT_EQ(contacts[0], contacts[1]);
    ASSERT(contacts[0] > 1000);
    world_close(&a);
    world_close(&b);
    PASS();
}

// A game says nothing but the pose, and what lies on the thighs goes with them. With nobody to meet it falls through.
TEST it_follows_the_pose_by_itself(void) {
    world a, b;
    uint32_t contacts[2] = {0, 0};
    ASSERT(world_open(&a, "cape_girl_mesh", NULL, NULL, 1));
    ASSERT(world_open_spoiled(&b, "cape_girl_mesh", nobody_meets_it));
    for (int frame = 0; frame < 40; ++frame) {
        world* both[2] = {&a, &b};
        for (int i = 0; i < 2; ++i) {
            pose_at(both[i], frame / 60.0);
            world_step(both[i], 1.0f / 60.0f, 0, 1);
            hem_instance_stats stats;
            hem_instance_get_stats(both[i]->scene, both[i]->id, &stats);
            hem_step_report report;
            hem_scene_get_report(both[i]->scene, &report);
            contacts[i] += report.contact_count;
        }
    }
    ASSERT(contacts[0] > contacts[1] + 1000);
    world_close(&a);
    world_close(&b);
    PASS();
}

// -- Saves and bits

#define OWN_MESH_HASH 0xba198c9f3771be7full

TEST all_kernels_and_restored_ones_give_the_same_bits(void) {
    world w[4]; // wanted, scalar, the scene restored, the instance restored
    for (int i = 0; i < 4; ++i) {
        hem_scene_def def = hem_scene_def_default();
        def.kernel = i == 0 ? wanted_kernel() : reference_kernel();
        ASSERT(world_open(&w[i], "cape_girl_mesh", &def, NULL, 1));
    }
    const size_t size = hem_scene_save_size(w[0].scene, HEM_SAVE_ALL);
    size_t one_size = hem_instance_save_size(w[0].scene, w[0].id, HEM_SAVE_ALL);
    void *saved = malloc(size), *one = malloc(one_size);
    for (int frame = 0; frame < 90; ++frame) {
        for (int i = 0; i < 4; ++i) {
            pose_at(&w[i], frame / 60.0);
        }
        if (frame == 47) { // said, and not stepped yet
            ASSERT_EQ(HEM_OK, hem_scene_save(w[0].scene, HEM_SAVE_ALL, saved, size));
            ASSERT_EQ(HEM_OK, hem_scene_load(w[2].scene, saved, size));
            ASSERT_EQ(HEM_OK, hem_instance_save(w[0].scene, w[0].id, HEM_SAVE_ALL, one, one_size));
            ASSERT_EQ(HEM_OK, hem_instance_load(w[3].scene, w[3].id, one, one_size));
        }
        for (int i = 0; i < 4; ++i) {
            world_step(&w[i], frame % 7 ? 1.0f / 60.0f : 1.0f / 24.0f, 0, 1);
        }
        ASSERT_EQ(hem_scene_hash(w[0].scene), hem_scene_hash(w[1].scene));
        for (int i = 2; i < 4 && frame >= 47; ++i) {
            for (uint32_t k = 0; k < w[0].view.info->particle_count; ++k) {
                const hem_particle p = particle_at(&w[0], k), q = particle_at(&w[i], k);
                ASSERT_EQ(0, memcmp(&p, &q, sizeof(p)));
            }
        }
    }
    // Bones that no step leaves are refused.
    float nan = (float)strtod("nan", NULL);
    uint32_t refused = 0;
    for (size_t at = size - 4096; at + 4 <= size; at += 4) {
        uint8_t* place = (uint8_t*)saved + at;
        uint32_t was;
        memcpy(&was, place, 4);
        memcpy(place, &nan, 4);
        refused += hem_scene_load(w[2].scene, saved, size) != HEM_OK;
        memcpy(place, &was, 4);
    }
    ASSERT(refused > 100);
    const uint64_t hash = hem_scene_hash(w[0].scene);
    if (getenv("HEM_DETERMINISM")) {
        printf("an asset's own mesh 0x%016llx\n", (unsigned long long)hash);
    }
    ASSERT_EQ_FMT((unsigned long long)OWN_MESH_HASH, (unsigned long long)hash, "%llx"); // one constant for all builds
    free(saved);
    free(one);
    for (int i = 0; i < 4; ++i) {
        world_close(&w[i]);
    }
    PASS();
}

TEST a_spoiled_one_is_refused(void) {
    world w;
    ASSERT(world_open(&w, "cape_girl_mesh", NULL, NULL, 1));
    hem_trimesh_header* head = (hem_trimesh_header*)(void*)w.view.body_mesh;
    hem_asset_collider* collider = mesh_collider(&w);
    const struct {
        void* place;
        uint32_t value;
        const char* field;
    } rows[] = {{&head->bone_count, head->bone_count + 1, "bone_count"},
                {&head->magic, 7, "bytes"},
                {&head->vertex_count, UINT32_MAX, "bytes"},
                {(uint8_t*)head + sizeof(*head), 0x7fc00000u, "bytes"}, // a NaN
                {&collider->kind, HEM_SHAPE_MESH + 1, "kind"},
                {&collider->kind, HEM_SHAPE_PLANE, "element_count"},
                {&collider->bone, 0, "position"},
                {&collider->position[1], 0x3f800000u, "position"},
                {&collider->size[0], 0x3f800000u, "size"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        uint32_t was;
        hem_view view;
        hem_format_fault fault;
        memcpy(&was, rows[i].place, 4);
        memcpy(rows[i].place, &rows[i].value, 4);
        ASSERTm(rows[i].field, hem_validate(w.bytes, w.byte_count, &view, &fault) != HEM_FORMAT_OK);
        ASSERT_STR_EQ(rows[i].field, fault.field);
        memcpy(rows[i].place, &was, 4);
    }
    world_close(&w);
    PASS();
}

static uint32_t cloth_thicknesses(const world* w, float thickness[8]) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < w->view.info->part_count && count < 8; ++p) {
        if (w->view.parts[p].kind == HEM_PART_CLOTH) {
            thickness[count++] = w->view.tuning[p].collision_thickness;
        }
    }
    return count;
}

// Elbows and knees stand out of the spheres of particles, which say how thin limbs are: a share of that counts.
TEST cloth_keeps_off_triangles_for_what_stands_out_of_limbs(void) {
    world a, b;
    float from_triangles[8], from_particles[8];
    ASSERT(world_open(&a, "cape_girl_mesh", NULL, NULL, 1));
    ASSERT(world_open(&b, "cape_girl", NULL, NULL, 1));
    ASSERT_EQ(2u, cloth_thicknesses(&a, from_triangles));
    ASSERT_EQ(2u, cloth_thicknesses(&b, from_particles));
    for (int i = 0; i < 2; ++i) {
        printf("%.4f m from triangles, %.4f from particles\n", (double)from_triangles[i], (double)from_particles[i]);
        ASSERT(from_triangles[i] < from_particles[i] - 1e-3f);
        ASSERT(from_triangles[i] > 0.85f * from_particles[i]);
    }
    world_close(&a);
    world_close(&b);
    PASS();
}

SUITE(own_mesh_suite) {
    RUN_TEST(cloth_keeps_off_triangles_for_what_stands_out_of_limbs);
    RUN_TEST(all_kernels_and_restored_ones_give_the_same_bits);
    if (getenv("HEM_EMULATED")) {
        return; // see main.c
    }
    RUN_TEST(it_does_what_a_mesh_of_the_scene_does);
    RUN_TEST(it_follows_the_pose_by_itself);
    RUN_TEST(a_spoiled_one_is_refused);
}
