// SPDX-License-Identifier: MIT
#include "tests/compiler/lanes_kit.h"
#include "tests/compiler/pack_bare.h"

#include "formats/hem_hash.h"
#include "formats/hem_validate.h"
#include "tests/formats/walk.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What the packer writes: the hand-made model below goes in, and the file says the same.

void pack_file_tests(void);

#define VERTICES 21

typedef struct pack_kit {
    lanes_kit lanes;
    hemc_model model;
    hemc_primitive primitives[2];
    hemc_bone_def bones[2];
    hemc_clip clip;
    float frames[2 * 2][12];
    hemc_collider_recipe colliders[2];
    float planes[4][4];
    uint8_t* bytes;
    size_t size;
    hem_view view;
} pack_kit;

// Cloth first, then a soft part, then the body: the file wants cloth last.
static void pack_start(pack_kit* kit) {
    memset(kit, 0, sizeof *kit);
    lanes_kit* lanes = &kit->lanes;
    lanes_kit_start(lanes, 400);
    lanes_kit_sheet(lanes, 9, 7);
    lanes_kit_part(lanes, "cape", HEM_PART_CLOTH);
    lanes_kit_scatter(lanes, 40, 0.4, 0.15);
    lanes_kit_part(lanes, "belly", HEM_PART_SOFT);
    for (int i = 0; i < 11; ++i) {
        const uint32_t p = lanes_kit_add(lanes, i * 0.05, -1, 0, 0, 0, true);
        lanes->mesh.all.flags[p] |= HEM_PARTICLE_BODY | HEM_PARTICLE_SURFACE;
    }
    lanes_kit_part(lanes, "body", HEM_PART_BODY);
    lanes->masks[0] = 4;
    lanes->masks[2] = 1;
    lanes->mesh.all.max_distance[12] = 0.5f;
    lanes->mesh.all.backstop[13] = 0.25f;
    for (uint32_t p = 0; p < lanes->mesh.all.count; ++p) {
        lanes->mesh.skinning.particle_bone[p][1] = 1;
        lanes->mesh.skinning.particle_bone_weight[p][0] = 0.75f;
        lanes->mesh.skinning.particle_bone_weight[p][1] = 0.25f;
    }
    hemc_arena* arena = lanes->arena;
    hemc_model* m = &kit->model;
    m->path = "hand.gltf";
    m->primitives = kit->primitives;
    m->primitive_count = 2;
    m->vertex_count = VERTICES;
    m->triangle_count = 7;
    kit->primitives[0] =
        (hemc_primitive){.name = "a/b/0", .node = 3, .mesh = 4, .vertex_count = 12, .triangle_count = 4};
    kit->primitives[1] = (hemc_primitive){.name = "a/b/1",
                                          .node = 3,
                                          .mesh = 4,
                                          .primitive = 1,
                                          .vertex_begin = 12,
                                          .vertex_count = 9,
                                          .triangle_begin = 4,
                                          .triangle_count = 3};
    m->positions = hemc_alloc(arena, VERTICES, sizeof(*m->positions));
    m->normals = hemc_alloc(arena, VERTICES, sizeof(*m->normals));
    m->tangents = hemc_alloc(arena, VERTICES, sizeof(*m->tangents));
    m->colors = hemc_alloc(arena, VERTICES, sizeof(*m->colors));
    m->bones = hemc_alloc(arena, VERTICES, sizeof(*m->bones));
    m->bone_weights = hemc_alloc(arena, VERTICES, sizeof(*m->bone_weights));
    m->triangles = hemc_alloc(arena, VERTICES, sizeof(uint32_t));
    hemc_skinning* skin = &lanes->mesh.skinning;
    skin->vertex_particle = hemc_alloc(arena, VERTICES, sizeof(*skin->vertex_particle));
    skin->vertex_weight = hemc_alloc(arena, VERTICES, sizeof(*skin->vertex_weight));
    skin->vertex_blend = hemc_alloc(arena, VERTICES, sizeof(float));
    for (uint32_t v = 0; v < VERTICES; ++v) {
        m->positions[v] = (hemc_vec3){0.1f * (float)v, 0, 0};
        m->normals[v] = (hemc_vec3){0, v == 5 ? 0 : 3.0f, 0}; // too long, and one without
        m->tangents[v][0] = v == 6 ? 0 : 0.5f;
        m->tangents[v][3] = v % 2 != 0 ? -1 : 1;
        m->colors[v][0] = (uint8_t)(v * 3);
        m->colors[v][3] = 255;
        m->bones[v][1] = 1;
        m->bone_weights[v][0] = 1.0f / 3;
        m->bone_weights[v][1] = 2.0f / 3;
        m->triangles[v] = v;
        skin->vertex_blend[v] = v < 12 ? 1 : v < 16 ? 0.5f : 0;
        for (int k = 0; k < 4; ++k) {
            skin->vertex_particle[v][k] = (uint16_t)(v + (uint32_t)k);
            skin->vertex_weight[v][k] = 0.1f * (float)(k + 1);
        }
    }
    m->bone_defs = kit->bones;
    m->bone_count = 2;
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    kit->bones[0] = (hemc_bone_def){.name = "hips", .parent = HEM_NONE};
    kit->bones[1] = (hemc_bone_def){.name = "spine", .parent = 0};
    for (int i = 0; i < 4; ++i) {
        memcpy(kit->frames[i], identity, sizeof identity);
        memcpy(kit->bones[i % 2].inverse_bind, identity, sizeof identity);
    }
    kit->clip = (hemc_clip){.name = "walk", .hz = 30, .loops = true, .frame_count = 2, .frames = kit->frames};
    m->clips = &kit->clip;
    m->clip_count = 1;
    static const float planes[4][4] = {{1, 0, 0, 1}, {-1, 0, 0, 1}, {0, 1, 0, 1}, {0, -1, 0, 1}};
    memcpy(kit->planes, planes, sizeof planes);
    kit->colliders[0] = (hemc_collider_recipe){
        .name = "ball", .bone = "spine", .kind = HEM_SHAPE_SPHERE, .rotation = {0, 0, 0, 1}, .size = {0.25f}};
    kit->colliders[1] = (hemc_collider_recipe){
        .name = "hull", .kind = HEM_SHAPE_HULL, .rotation = {0, 0, 0, 1}, .planes = kit->planes, .plane_count = 4};
    lanes->recipe.colliders = kit->colliders;
    lanes->recipe.collider_count = 2;
    lanes->recipe.body.friction = 0.3f;
    memset(lanes->recipe.recipe_hash, 0x5a, 16);
    memset(m->source_hash, 0xa5, 16);
}

static bool pack_run(pack_kit* kit, bool ship) {
    const hemc_options options = {.ship = ship};
    const uint8_t key[16] = {1, 2, 3};
    return lanes_kit_run(&kit->lanes) &&
           hemc_pack(kit->lanes.arena, &kit->lanes.log, &kit->model, &kit->lanes.recipe, &kit->lanes.mesh,
                     &kit->lanes.layout, &options, key, &kit->bytes, &kit->size) &&
           hem_validate(kit->bytes, kit->size, &kit->view, NULL) == HEM_FORMAT_OK;
}

TEST parts_stand_in_file_order(void) {
    pack_kit kit;
    pack_start(&kit);
    ASSERT(pack_run(&kit, false));
    const hem_view* v = &kit.view;
    ASSERT_EQ(3, v->info->part_count);
    ASSERT_STR_EQ("belly", v->strings + v->parts[0].name_offset);
    ASSERT_STR_EQ("body", v->strings + v->parts[1].name_offset);
    ASSERT_STR_EQ("cape", v->strings + v->parts[2].name_offset);
    ASSERT_EQ(v->parts[2].row_begin, v->info->oriented_row_count);
    ASSERT_EQ(11, v->info->body_count);
    uint32_t simulated = 0;
    for (uint32_t p = 0; p < kit.lanes.mesh.all.count; ++p) {
        simulated += (kit.lanes.mesh.all.flags[p] & HEM_PARTICLE_ANIMATED) == 0;
    }
    ASSERT_EQ(simulated, v->info->simulated_count);
    ASSERT(walk_view(v) == walk_view(v));
    lanes_kit_end(&kit.lanes);
    PASS();
}

// Hulls by the dozen and of any number of planes, up to what a file may have; the validator says no to one more.
TEST as_many_hulls_as_planes_allow(void) {
    enum { HULLS = 32, PLANES = HEM_MAX_HULL_PLANES / HULLS };
    static float planes[PLANES + 1][4];
    for (int extra = 0; extra < 2; ++extra) {
        pack_kit kit;
        pack_start(&kit);
        hemc_collider_recipe* hulls = hemc_alloc(kit.lanes.arena, HULLS, sizeof(*hulls));
        for (uint32_t i = 0; i < HULLS; ++i) {
            hulls[i] = kit.colliders[1];
            hulls[i].planes = planes;
            hulls[i].plane_count = PLANES + (i == 0 ? (uint32_t)extra : 0);
        }
        for (uint32_t i = 0; i <= PLANES; ++i) {
            planes[i][i % 3] = 1;
            planes[i][3] = 1 + (float)i;
        }
        kit.lanes.recipe.colliders = hulls;
        kit.lanes.recipe.collider_count = HULLS;
        ASSERT_EQ(extra == 0, pack_run(&kit, false));
        for (uint32_t i = 0; extra == 0 && i < HULLS; ++i) {
            ASSERT_EQ(i * PLANES, kit.view.colliders[i].plane_begin);
            ASSERT_EQ((uint32_t)PLANES, kit.view.colliders[i].plane_count);
        }
        lanes_kit_end(&kit.lanes);
    }
    PASS();
}

TEST particles_keep_what_they_are(void) {
    pack_kit kit;
    pack_start(&kit);
    ASSERT(pack_run(&kit, false));
    const hem_view* v = &kit.view;
    const hemc_particles* all = &kit.lanes.mesh.all;
    for (uint32_t p = 0; p < all->count; ++p) {
        const uint32_t slot = kit.lanes.layout.slot_of[p], row = slot / HEM_LANES, lane = slot % HEM_LANES;
        ASSERT_EQ(all->positions[p].x, v->rest_rows[row].x[lane]);
        ASSERT_EQ(all->positions[p].y, v->rest_rows[row].y[lane]);
        ASSERT_EQ(all->mass[p], v->rest_rows[row].mass[lane]);
        ASSERT_EQ(all->flags[p], v->particle_flags[slot] & 0xff);
        ASSERT_EQ(1, v->bind_rows[row].bone[1][lane]);
        ASSERT_EQ(0.75f, v->bind_rows[row].weight[0][lane]);
        const bool fixed = (all->flags[p] & HEM_PARTICLE_ANIMATED) != 0;
        ASSERT_EQ(fixed ? 0 : 1.0f / all->mass[p], v->shape_rows[row].inverse_mass[lane]);
    }
    // Copies of anchors hang on the pose and hold tethers; they are not met a second time.
    uint32_t copies = 0;
    for (uint32_t slot = 0; slot < kit.lanes.layout.row_count * HEM_LANES; ++slot) {
        const int32_t p = kit.lanes.layout.particle_at[slot];
        if (p != HEM_NONE && kit.lanes.layout.slot_of[p] != slot) {
            ASSERT_EQ(HEM_PARTICLE_ANIMATED, v->particle_flags[slot] & 0xff);
            ASSERT_EQ(all->positions[p].x, v->rest_rows[slot / HEM_LANES].x[slot % HEM_LANES]);
            ++copies;
        }
    }
    ASSERT(copies > 0);
    const uint32_t near_slot = kit.lanes.layout.slot_of[12], stop_slot = kit.lanes.layout.slot_of[13];
    uint32_t found = 0;
    for (uint32_t i = 0; i < v->limit_row_count; ++i) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const uint32_t slot = v->limit_rows[i].row * HEM_LANES + lane;
            if (slot == near_slot) {
                ASSERT_EQ(0.5f, v->limit_rows[i].max_distance[lane]);
                ++found;
            } else {
                ASSERT(v->limit_rows[i].max_distance[lane] < 0);
            }
            if (slot == stop_slot) {
                ASSERT_EQ(0.25f, v->limit_rows[i].backstop_distance[lane]);
                ASSERT_IN_RANGE(0.4, v->limit_rows[i].backstop_radius[lane], 0.01); // ten spacings
                ++found;
            }
        }
    }
    ASSERT_EQ(2, found);
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST a_backstop_has_the_radius_of_the_recipe(void) {
    pack_kit kit;
    pack_start(&kit);
    for (uint32_t i = 0; i < kit.lanes.recipe.part_count; ++i) {
        kit.lanes.parts[i].backstop_radius = 0.7f;
    }
    ASSERT(pack_run(&kit, false));
    uint32_t found = 0;
    for (uint32_t i = 0; i < kit.view.limit_row_count; ++i) {
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const float radius = kit.view.limit_rows[i].backstop_radius[lane];
            ASSERT(radius < 0 || radius == 0.7f);
            found += radius > 0;
        }
    }
    ASSERT_EQ(1, found);
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST vertices_keep_what_they_are(void) {
    pack_kit kit;
    pack_start(&kit);
    ASSERT(pack_run(&kit, false));
    const hem_view* v = &kit.view;
    const hemc_skinning* skin = &kit.lanes.mesh.skinning;
    ASSERT_EQ(VERTICES, v->info->vertex_count);
    for (uint32_t i = 0; i < VERTICES; ++i) {
        const hem_vertex_bind* b = &v->vertex_bind[i];
        ASSERT_IN_RANGE(skin->vertex_blend[i], b->blend / 65535.0, 1e-5);
        ASSERT_IN_RANGE(2.0 / 3, b->bone_weight[1] / 65535.0, 2e-5);
        for (int k = 0; k < 4 && b->blend != 0; ++k) {
            ASSERT_IN_RANGE(skin->vertex_weight[i][k], b->particle_weight[k] / 65535.0, 2e-5);
            ASSERT_EQ(kit.lanes.layout.slot_of[skin->vertex_particle[i][k]], b->particle[k]);
        }
        const hem_vertex_rest* r = &v->vertex_rest[i];
        ASSERT_EQ(i == 5 ? 0.0f : 1.0f, r->normal[1]);
        ASSERT_EQ(i == 6 ? 0.0f : 1.0f, r->tangent[0]);
        ASSERT_EQ(i == 6 ? 0.0f : i % 2 != 0 ? -1.0f : 1.0f, r->tangent[3]);
    }
    ASSERT_EQ(HEM_BLOCK_PARTICLES, v->vertex_blocks[0]);
    ASSERT_EQ(HEM_BLOCK_MIXED, v->vertex_blocks[1]);
    ASSERT_EQ(HEM_BLOCK_BONES, v->vertex_blocks[2]);
    ASSERT_EQ(HEM_MESH_DYNAMIC, v->meshes[0].flags);
    ASSERT_EQ(HEM_MESH_DYNAMIC, v->meshes[1].flags);
    ASSERT_STR_EQ("a/b/1", v->strings + v->meshes[1].name_offset);
    ASSERT_EQ(12, v->preview_indices[v->meshes[1].index_begin]);
    ASSERT_EQ(60, v->preview_colors[20][0]);
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST colliders_and_clips_are_there(void) {
    pack_kit kit;
    pack_start(&kit);
    ASSERT(pack_run(&kit, false));
    const hem_view* v = &kit.view;
    ASSERT_EQ(2, v->collider_count);
    ASSERT_EQ(1, v->colliders[0].bone);
    ASSERT_EQ(HEM_NONE, v->colliders[1].bone);
    ASSERT_EQ(4, v->colliders[1].plane_count);
    ASSERT_EQ(0.3f, v->colliders[0].friction); // the body's
    ASSERT_EQ(0.3f, v->colliders[1].friction);
    ASSERT_EQ(-1.0f, v->hull_planes[1][0]);
    ASSERT_EQ(1, v->clip_count);
    ASSERT_EQ(HEM_CLIP_LOOPS, v->clips[0].flags);
    ASSERT_EQ(2, v->clip_frame_count);
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST shipping_leaves_the_preview_out(void) {
    pack_kit whole, ship;
    pack_start(&whole);
    pack_start(&ship);
    ASSERT(pack_run(&whole, false));
    ASSERT(pack_run(&ship, true));
    ASSERT_EQ(HEM_FILE_PREVIEW, whole.view.header->flags);
    ASSERT_EQ(0, ship.view.header->flags);
    ASSERT_EQ(NULL, ship.view.preview_indices);
    ASSERT_EQ(NULL, ship.view.preview_colors);
    ASSERT_EQ(0, ship.view.clip_count);
    ASSERT_EQ(0, ship.view.meshes[1].index_count);
    ASSERT(ship.size < whole.size);
    // The rest is the same, byte for byte.
    ASSERT_MEM_EQ(whole.view.link_batches, ship.view.link_batches,
                  whole.view.link_batch_count * sizeof(hem_link_batch));
    ASSERT_MEM_EQ(whole.view.vertex_bind, ship.view.vertex_bind, VERTICES * sizeof(hem_vertex_bind));
    lanes_kit_end(&whole.lanes);
    lanes_kit_end(&ship.lanes);
    PASS();
}

TEST the_header_tells_where_it_comes_from(void) {
    pack_kit kit;
    pack_start(&kit);
    ASSERT(pack_run(&kit, false));
    const hem_header* h = kit.view.header;
    ASSERT_EQ(1, h->cache_key[0]);
    ASSERT_EQ(0xa5, h->source_hash[15]);
    ASSERT_EQ(0x5a, h->recipe_hash[0]);
    ASSERT_STR_EQ("hemc " HEMC_VERSION, h->tool);
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST the_hash_tells_damage(void) {
    uint8_t* bytes;
    size_t size;
    ASSERT_EQ(0, pack_bare_sheet(5, 5, &bytes, &size));
    ASSERT(hem_content_hash_matches(bytes, size));
    for (size_t at = sizeof(hem_header); at < size; at += 37) {
        bytes[at] ^= 4;
        ASSERT_FALSE(hem_content_hash_matches(bytes, size));
        bytes[at] ^= 4;
    }
    ASSERT_FALSE(hem_content_hash_matches(bytes, size - 1));
    ASSERT_FALSE(hem_content_hash_matches(bytes, sizeof(hem_header) - 1));
    ASSERT_FALSE(hem_content_hash_matches(NULL, 0));
    free(bytes);
    PASS();
}

TEST too_much_is_an_error_of_the_input(void) {
    pack_kit kit;
    pack_start(&kit);
    ASSERT(lanes_kit_run(&kit.lanes));
    kit.model.bone_count = HEM_MAX_BONES + 1;
    const hemc_options options = {.ship = false};
    ASSERT_FALSE(hemc_pack(kit.lanes.arena, &kit.lanes.log, &kit.model, &kit.lanes.recipe, &kit.lanes.mesh,
                           &kit.lanes.layout, &options, NULL, &kit.bytes, &kit.size));
    ASSERT_EQ(HEMC_INPUT, kit.lanes.log.exit_code);
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST a_result_that_fails_validation_is_our_mistake(void) {
    pack_kit kit;
    pack_start(&kit);
    ASSERT(lanes_kit_run(&kit.lanes));
    kit.lanes.tunings[0].friction = 7;
    const hemc_options options = {.ship = false};
    ASSERT_FALSE(hemc_pack(kit.lanes.arena, &kit.lanes.log, &kit.model, &kit.lanes.recipe, &kit.lanes.mesh,
                           &kit.lanes.layout, &options, NULL, &kit.bytes, &kit.size));
    ASSERT_EQ(HEMC_INTERNAL, kit.lanes.log.exit_code);
    ASSERT(strstr(kit.lanes.log.messages[0].text, "tuning[2].friction") != NULL);
    lanes_kit_end(&kit.lanes);
    PASS();
}

// -- Bare meshes

TEST bare_meshes_are_checked(void) {
    static const float positions[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    static const float far[3][3] = {{0, 0, 0}, {1, 0, NAN}, {2, 0, 0}};
    static const float masses[3] = {1, 0, 1};
    static const hemc_bare_link good = {0, 1, HEM_LINK_WARP}, outside = {0, 3, HEM_LINK_WARP}, odd = {0, 1, 9};
    static const uint32_t starts[4] = {0, 1, 2, 3}, backwards[4] = {0, 2, 1, 3};
    static const uint16_t members[3] = {1, 2, 0}, strangers[3] = {1, 3, 0};
    const hemc_bare_mesh base = {
        .particle_count = 3, .positions = positions, .radius = 0.1f, .links = &good, .link_count = 1};
    hemc_bare_mesh rows[9] = {base, base, base, base, base, base, base, base, base};
    rows[1].particle_count = 0;
    rows[2].radius = 0;
    rows[3].links = &outside;
    rows[4].links = &odd;
    rows[5].positions = far;
    rows[6].mass = masses;
    rows[7].group_starts = backwards;
    rows[7].group_members = members;
    rows[8].group_starts = starts;
    rows[8].group_members = strangers;
    for (int i = 0; i < 9; ++i) {
        uint8_t* bytes;
        size_t size;
        ASSERT_EQ_FMT(i == 0 ? (int)HEMC_OK : (int)HEMC_INPUT, hemc_compile_bare(&rows[i], &bytes, &size), "%d");
        ASSERT_EQ(i == 0, bytes != NULL);
        free(bytes);
    }
    PASS();
}

TEST bare_meshes_of_any_size_are_valid(void) {
    for (int w = 1; w <= 9; ++w) {
        for (int h = 1; h <= 9; ++h) {
            uint8_t* bytes;
            size_t size;
            ASSERT_EQ(0, pack_bare_sheet(w, h, &bytes, &size));
            hem_view view;
            ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, NULL));
            ASSERT_EQ((uint32_t)(w * h), view.info->real_particle_count);
            free(bytes);
        }
    }
    for (int n = 1; n <= 4; ++n) {
        for (int z = 1; z <= 9; z += 2) {
            uint8_t* bytes;
            size_t size;
            ASSERT_EQ(0, pack_bare_block(n, 2, z, &bytes, &size));
            hem_view view;
            ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, NULL));
            ASSERT_EQ((uint32_t)(n * 2 * z), view.info->group_count);
            free(bytes);
        }
    }
    PASS();
}

TEST out_of_memory_is_reported(void) {
    int failures = 0;
    for (int64_t n = 0; n < 2000; ++n) {
        uint8_t* bytes;
        size_t size;
        hemc_fail_allocation_at(n);
        const int result = pack_bare_sheet(4, 4, &bytes, &size);
        hemc_fail_allocation_at(-1);
        ASSERT(result == HEMC_OK || result == HEMC_MEMORY);
        free(bytes);
        failures += result != HEMC_OK;
        if (result == HEMC_OK) {
            break;
        }
    }
    ASSERT(failures > 20);
    PASS();
}

void pack_file_tests(void) {
    RUN_TEST(parts_stand_in_file_order);
    RUN_TEST(as_many_hulls_as_planes_allow);
    RUN_TEST(particles_keep_what_they_are);
    RUN_TEST(a_backstop_has_the_radius_of_the_recipe);
    RUN_TEST(vertices_keep_what_they_are);
    RUN_TEST(colliders_and_clips_are_there);
    RUN_TEST(shipping_leaves_the_preview_out);
    RUN_TEST(the_header_tells_where_it_comes_from);
    RUN_TEST(the_hash_tells_damage);
    RUN_TEST(too_much_is_an_error_of_the_input);
    RUN_TEST(a_result_that_fails_validation_is_our_mistake);
    RUN_TEST(bare_meshes_are_checked);
    RUN_TEST(bare_meshes_of_any_size_are_valid);
    RUN_TEST(out_of_memory_is_reported);
}
