// SPDX-License-Identifier: MIT
// What is told about an asset and an instance, against what follows from it: lengths, masses, and vertices blended by the
// formula of docs/runtime.md.

#include "hem/inspect.h"
#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double rest_distance(const world* w, uint32_t a, uint32_t b) {
    const hem_rest_row *p = &w->view.rest_rows[a / 8], *q = &w->view.rest_rows[b / 8];
    double x = (double)p->x[a % 8] - (double)q->x[b % 8], y = (double)p->y[a % 8] - (double)q->y[b % 8];
    double z = (double)p->z[a % 8] - (double)q->z[b % 8];
    return sqrt(x * x + y * y + z * z);
}

TEST links_and_springs_are_as_long_as_their_particles_are_apart(const char* asset, uint32_t springs) {
    world w;
    ASSERT(world_open(&w, asset, NULL, NULL, 1));
    uint32_t count, again, found = 0;
    ASSERT_EQ(HEM_OK, hem_asset_get_links(&w.asset, NULL, 0, &count));
    ASSERT(count >= w.view.info->link_count);
    hem_link_info* links = malloc(count * sizeof(*links));
    ASSERT_EQ(HEM_OK, hem_asset_get_links(&w.asset, links, count, &again));
    ASSERT_EQ(count, again);
    for (uint32_t i = 0; i < count; ++i) {
        const hem_link_info* l = &links[i];
        ASSERT(l->a < w.view.info->particle_count && l->b < w.view.info->particle_count && l->a != l->b);
        ASSERT(!(w.view.particle_flags[l->a] & HEM_PARTICLE_PAD) && !(w.view.particle_flags[l->b] & HEM_PARTICLE_PAD));
        ASSERT(l->scale > 0 && l->scale <= 1);
        found += l->kind == HEM_KIND_SPRING;
        if (l->kind <= HEM_LINK_WEFT) {
            ASSERT_IN_RANGE(rest_distance(&w, l->a, l->b), (double)l->rest, 0.02 * (double)l->rest);
        }
    }
    ASSERT_EQ_FMT(w.view.info->link_count, count - found, "%u");
    ASSERT(springs ? found > 0 : found == 0);
    free(links);
    world_close(&w);
    PASS();
}

TEST groups_weigh_what_their_members_weigh(void) {
    world w;
    OPEN(w, "block");
    uint32_t count;
    ASSERT_EQ(HEM_OK, hem_asset_get_groups(&w.asset, NULL, 0, &count));
    ASSERT_EQ(w.view.info->group_count, count);
    hem_group_info* groups = malloc(count * sizeof(*groups));
    ASSERT_EQ(HEM_OK, hem_asset_get_groups(&w.asset, groups, count, &count));
    for (uint32_t i = 0; i < count; ++i) {
        double mass = 0;
        for (uint32_t k = 0; k < groups[i].member_count; ++k) {
            mass += mass_of(&w, groups[i].members[k]);
        }
        ASSERT_EQ(groups[i].particle, groups[i].members[0]);
        ASSERT_IN_RANGE(mass, (double)groups[i].mass, 1e-4 * mass);
    }
    free(groups);
    world_close(&w);
    PASS();
}

TEST parts_bones_and_meshes_cover_what_there_is(void) {
    world w;
    OPEN(w, "dressed");
    hem_asset_info info;
    ASSERT_EQ(HEM_OK, hem_asset_get_info(&w.asset, &info));
    uint32_t next = 0, real = 0, vertex = 0;
    double mass = 0, all = 0;
    for (uint32_t i = 0; i < info.part_count; ++i) {
        hem_part_info part;
        ASSERT_EQ(HEM_OK, hem_asset_get_part(&w.asset, i, &part));
        ASSERT_EQ(next, part.particle_begin);
        ASSERT_STR_EQ(hem_asset_part_name(&w.asset, i), part.name);
        next += part.particle_count;
        real += part.real_count;
        mass += (double)part.mass;
    }
    ASSERT_EQ(info.particle_count, next);
    ASSERT_EQ(w.view.info->real_particle_count, real);
    for (uint32_t i = 0; i < info.particle_count; ++i) {
        all += mass_of(&w, i);
    }
    ASSERT_IN_RANGE(all, mass, 1e-3 * all);
    for (uint32_t i = 0; i < info.bone_count; ++i) {
        hem_bone_info bone;
        ASSERT_EQ(HEM_OK, hem_asset_get_bone(&w.asset, i, &bone));
        ASSERT(bone.parent >= -1 && bone.parent < (int32_t)i);
        ASSERT_STR_EQ(hem_asset_bone_name(&w.asset, i), bone.name);
    }
    for (uint32_t i = 0; i < info.mesh_count; ++i) {
        hem_mesh_info mesh;
        ASSERT_EQ(HEM_OK, hem_asset_get_mesh(&w.asset, i, &mesh));
        ASSERT_EQ(vertex, mesh.vertex_begin);
        vertex += mesh.vertex_count;
        int dynamic = 0;
        for (uint32_t v = mesh.vertex_begin; v < vertex; ++v) {
            hem_vertex_info one;
            ASSERT_EQ(HEM_OK, hem_asset_get_vertices(&w.asset, v, 1, &one));
            dynamic |= one.blend > 0;
        }
        ASSERT_EQ(dynamic, (int)mesh.dynamic);
    }
    ASSERT_EQ(info.vertex_count, vertex);
    hem_mesh_info mesh;
    hem_vertex_info one;
    hem_bone_info bone;
    hem_part_info part;
    ASSERT_EQ(HEM_ERROR_COUNT, hem_asset_get_mesh(&w.asset, info.mesh_count, &mesh));
    ASSERT_EQ(HEM_ERROR_COUNT, hem_asset_get_vertices(&w.asset, info.vertex_count, 1, &one));
    ASSERT_EQ(HEM_ERROR_COUNT, hem_asset_get_bone(&w.asset, info.bone_count, &bone));
    ASSERT_EQ(HEM_ERROR_COUNT, hem_asset_get_part(&w.asset, info.part_count, &part));
    ASSERT_EQ(HEM_ERROR_NULL, hem_asset_get_bone(NULL, 0, &bone));
    world_close(&w);
    PASS();
}

static void transform(const float m[12], const float p[3], double weight, double out[3]) {
    for (int r = 0; r < 3; ++r) {
        out[r] += weight * ((double)m[4 * r] * (double)p[0] + (double)m[4 * r + 1] * (double)p[1] +
                            (double)m[4 * r + 2] * (double)p[2] + (double)m[4 * r + 3]);
    }
}

TEST a_shader_that_blends_by_the_formula_draws_what_skin_draws(void) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.keep_previous = 1;
    ASSERT(world_open(&w, "cape_girl", &def, NULL, 1));
    const uint32_t vertices = w.view.info->vertex_count, particles = w.view.info->particle_count;
    float* pose = malloc(w.view.info->bone_count * 48);
    float* matrices = malloc(particles * 48);
    float* before = malloc(particles * 48);
    float* places = malloc(vertices * 12);
    hem_vertex_info* bind = malloc(vertices * sizeof(*bind));
    const double own_blend = 0.75;
    ASSERT_EQ(HEM_OK, hem_instance_set_pose_blend(w.scene, w.id, (float)own_blend));
    for (int f = 0; f < 20; ++f) {
        ASSERT_EQ(HEM_OK, hem_instance_get_matrices(w.scene, w.id, before, 0));
        clip_pose(&w, &w.view.clips[0], f / 60.0, pose);
        ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, pose, w.view.info->bone_count, 0));
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    ASSERT_EQ(HEM_OK, hem_instance_get_previous_matrices(w.scene, w.id, matrices, 0));
    for (uint32_t i = 0; i < particles * 12; ++i) {
        ASSERT_IN_RANGE((double)before[i], (double)matrices[i], 1e-5);
    }
    ASSERT_EQ(HEM_OK, hem_instance_get_matrices(w.scene, w.id, matrices, 0));
    ASSERT(memcmp(before, matrices, particles * 48) != 0);
    hem_skin_args args = {.vertex_count = vertices, .positions = places};
    ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
    ASSERT_EQ(HEM_OK, hem_asset_get_vertices(&w.asset, 0, vertices, bind));
    for (uint32_t v = 0; v < vertices; ++v) {
        double at[3] = {0, 0, 0};
        const double blend = (double)bind[v].blend * own_blend;
        for (int k = 0; k < 4; ++k) {
            transform(matrices + 12 * bind[v].particle[k], bind[v].position, blend * (double)bind[v].particle_weight[k],
                      at);
            transform(pose + 12 * bind[v].bone[k], bind[v].position, (1 - blend) * (double)bind[v].bone_weight[k], at);
        }
        for (int k = 0; k < 3; ++k) {
            ASSERT_IN_RANGE((double)places[3 * v + (uint32_t)k], at[k], 1e-4);
        }
    }
    free(pose), free(matrices), free(before), free(places), free(bind);
    world_close(&w);
    PASS();
}

typedef struct sketch {
    const world* w;
    uint32_t lines, ellipsoids, colliders, wrong;
} sketch;

static void draw_line(void* user, const float a[3], const float b[3], const hem_link_info* link) {
    sketch* s = user;
    hem_particle p = particle_at(s->w, link->a), q = particle_at(s->w, link->b);
    s->wrong += memcmp(p.position, a, 12) != 0 || memcmp(q.position, b, 12) != 0;
    ++s->lines;
}

static void draw_ellipsoid(void* user, uint32_t index, const hem_particle* particle) {
    sketch* s = user;
    hem_particle p = particle_at(s->w, index);
    s->wrong += memcmp(&p, particle, sizeof(p)) != 0;
    ++s->ellipsoids;
}

static void draw_collider(void* user, const hem_collider* collider) {
    sketch* s = user;
    s->wrong += collider->kind != (s->colliders ? HEM_COLLIDER_PLANE : HEM_COLLIDER_SPHERE);
    ++s->colliders;
}

TEST a_debug_draw_hands_out_everything_that_is_there(void) {
    world w;
    OPEN(w, "cape");
    hem_collider ball = hem_collider_default(), ground = hem_collider_default();
    ball.size[0] = 0.1f;
    ground.kind = HEM_COLLIDER_PLANE;
    ground.position[1] = -3;
    hem_instance_set_colliders(w.scene, w.id, &ball, 1);
    hem_scene_set_colliders(w.scene, &ground, 1);
    world_step(&w, 1.0f / 60.0f, 0, 30);
    sketch s = {.w = &w};
    const hem_draw draw = {&s, draw_line, draw_ellipsoid, draw_collider};
    ASSERT_EQ(HEM_OK, hem_instance_draw(w.scene, w.id, &draw));
    ASSERT_EQ(w.view.info->link_count, s.lines);
    ASSERT_EQ(w.view.info->real_particle_count, s.ellipsoids);
    ASSERT_EQ(2, s.colliders);
    ASSERT_EQ(0, s.wrong);
    const hem_draw nothing = {0};
    ASSERT_EQ(HEM_OK, hem_instance_draw(w.scene, w.id, &nothing));
    ASSERT_EQ(HEM_ERROR_NULL, hem_instance_draw(w.scene, w.id, NULL));
    world_close(&w);
    PASS();
}

TEST a_pose_of_absurd_size_is_refused_and_a_large_head_is_not(void) {
    world w;
    OPEN(w, "cape_girl");
    const uint32_t bones = w.view.info->bone_count;
    float(*pose)[12] = malloc(bones * 48);
    const float scales[] = {1, 3, 100, 0.01f, 0};
    const hem_result wanted[] = {HEM_OK, HEM_OK, HEM_ERROR_RANGE, HEM_ERROR_RANGE, HEM_OK};
    for (int n = 0; n < 5; ++n) {
        memset(pose, 0, bones * 48);
        for (uint32_t i = 0; i < bones; ++i) {
            pose[i][0] = pose[i][5] = pose[i][10] = scales[n];
        }
        ASSERT_EQ_FMT((int)wanted[n], (int)hem_instance_set_pose(w.scene, w.id, pose[0], bones, 0), "%d");
    }
    pose[2][0] = pose[2][5] = pose[2][10] = 540;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_set_pose(w.scene, w.id, pose[0], bones, 0));
    ASSERT(strstr(hem_scene_refusal(w.scene), "matrices[2] is 540: times its size at rest"));
    for (uint32_t i = 0; i < bones; ++i) { // one hidden hand, one large head
        pose[i][0] = pose[i][5] = pose[i][10] = i == 1 ? 0.0f : i == 2 ? 4.0f : 1.0f;
    }
    ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, pose[0], bones, 0));
    free(pose);
    world_close(&w);
    PASS();
}

SUITE(inspect_suite) {
    RUN_TESTp(links_and_springs_are_as_long_as_their_particles_are_apart, "sheet", 0);
    RUN_TESTp(links_and_springs_are_as_long_as_their_particles_are_apart, "sprung", 1);
    RUN_TEST(groups_weigh_what_their_members_weigh);
    RUN_TEST(parts_bones_and_meshes_cover_what_there_is);
    RUN_TEST(a_shader_that_blends_by_the_formula_draws_what_skin_draws);
    RUN_TEST(a_debug_draw_hands_out_everything_that_is_there);
    RUN_TEST(a_pose_of_absurd_size_is_refused_and_a_large_head_is_not);
}
