// SPDX-License-Identifier: MIT
#include "fixture.h"

#include "greatest.h"

#include <math.h>
#include <string.h>

// The kit itself, against closed formulas, and the bytes it writes.

TEST functions_follow_libm(void) {
    for (int32_t i = -1000; i <= 1000; ++i) {
        double x = i * 0.0137;
        ASSERT_IN_RANGE(sin(x), kit_sin(x), 1e-14);
        ASSERT_IN_RANGE(cos(x), kit_cos(x), 1e-14);
        ASSERT_IN_RANGE(exp(0.5 * x), kit_exp(0.5 * x), 1e-13 * exp(0.5 * x));
        ASSERT_IN_RANGE(acos(i / 1000.0), kit_acos(i / 1000.0), 1e-12);
        for (int32_t k = -3; k <= 3; ++k) {
            ASSERT_IN_RANGE(atan2(x, k), kit_atan2(x, k), 1e-13);
        }
    }
    PASS();
}

// A ball of radius r meshed from its distance: vertices on the sphere, area and volume near the formulas.
TEST a_ball_is_meshed_as_a_ball(void) {
    kit_model* model = kit_model_new("ball");
    kit_shape shape = {0};
    kit_vec centre = {0.1, -0.2, 0.3};
    double r = 0.5, area = 0.0, volume = 0.0;
    kit_ball(model, &shape, 0, centre, kit_v(r, r, r), 0.0);
    kit_mesh* mesh = kit_mesh_add(model, "ball", 0);
    kit_shape_mesh(model, mesh, &shape, 0.03, 0);
    ASSERT(mesh->triangle_count > 1000);
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        kit_vec d = kit_sub(mesh->vertices[i].position, centre);
        ASSERT_IN_RANGE(r, kit_length(d), 1e-6);
        ASSERT_IN_RANGE(1.0, kit_dot(kit_unit(d), mesh->vertices[i].normal), 1e-6);
    }
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        kit_vec p[3];
        for (int32_t k = 0; k < 3; ++k) {
            p[k] = kit_sub(mesh->vertices[mesh->triangles[t].v[k]].position, centre);
        }
        area += 0.5 * kit_length(kit_cross(kit_sub(p[1], p[0]), kit_sub(p[2], p[0])));
        volume += kit_dot(p[0], kit_cross(p[1], p[2])) / 6.0;
    }
    ASSERT_IN_RANGE(4.0 * KIT_PI * r * r, area, 0.01 * 4.0 * KIT_PI * r * r);
    ASSERT_IN_RANGE(4.0 / 3.0 * KIT_PI * r * r * r, volume, 0.01 * 4.0 / 3.0 * KIT_PI * r * r * r);
    kit_model_free(model);
    PASS();
}

// Within nine tenths of its length a limb reaches its target exactly, keeps its bones' lengths and bends to the
// pole's side.
TEST inverse_kinematics_reach_the_target(void) {
    kit_model* model = kit_model_new("limb");
    int32_t root = kit_bone(model, "root", KIT_NONE, kit_v(0.0, 0.0, 0.0));
    int32_t upper = kit_bone(model, "upper", root, kit_v(0.1, 1.0, 0.0));
    int32_t lower = kit_bone(model, "lower", upper, kit_v(0.1, 0.55, 0.05));
    int32_t end = kit_bone(model, "end", lower, kit_v(0.1, 0.1, 0.0));
    double reach = kit_distance(model->bones[upper].head, model->bones[lower].head) +
                   kit_distance(model->bones[lower].head, model->bones[end].head);
    for (uint32_t i = 0; i < 200; ++i) {
        kit_joint pose[4];
        kit_frame frames[4];
        kit_pose_rest(model, pose);
        pose[root].rotation = kit_euler(40.0 * kit_random(1, i), 300.0 * kit_random(2, i), 30.0 * kit_random(3, i));
        kit_pose_world(model, pose, frames);
        kit_vec direction = kit_unit(kit_v(kit_random(4, i) - 0.5, kit_random(5, i) - 0.5, kit_random(6, i) - 0.5));
        kit_vec target = kit_mad(frames[upper].origin, direction, reach * kit_mix(0.2, 0.9, kit_random(7, i)));
        kit_vec pole = kit_cross(direction, kit_v(0.3, 0.5, 0.8));
        kit_quat foot = kit_euler(10.0, 20.0, 30.0);
        kit_pose_reach(model, pose, upper, lower, end, target, pole, foot);
        kit_pose_world(model, pose, frames);
        ASSERT_IN_RANGE(0.0, kit_distance(target, frames[end].origin), 1e-9);
        ASSERT(kit_dot(kit_sub(frames[lower].origin, frames[upper].origin), pole) > 0.0);
        ASSERT_IN_RANGE(0.0, kit_distance(frames[end].x, kit_rotate(foot, kit_v(1.0, 0.0, 0.0))), 1e-9);
    }
    kit_model_free(model);
    PASS();
}

TEST curves_pass_their_keys_and_never_overshoot(void) {
    static const kit_key keys[] = {{0.1, 1.0}, {0.4, 3.0}, {0.5, 3.0}, {0.9, -2.0}};
    for (int32_t i = 0; i < 4; ++i) {
        ASSERT_IN_RANGE(keys[i].value, kit_keys(keys, 4, 0.0, keys[i].time), 1e-12);
        ASSERT_IN_RANGE(keys[i].value, kit_keys(keys, 4, 1.0, keys[i].time + 3.0), 1e-9);
    }
    double before = kit_keys(keys, 4, 1.0, 0.0);
    for (int32_t i = 1; i <= 3000; ++i) {
        double now = kit_keys(keys, 4, 1.0, i / 1000.0);
        ASSERT(now <= 3.0 + 1e-12 && now >= -2.0 - 1e-12);
        ASSERT_IN_RANGE(before, now, 0.05);
        before = now;
    }
    PASS();
}

// -- Bytes

static uint64_t fnv(const uint8_t* bytes, size_t size) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; ++i) {
        h = (h ^ bytes[i]) * 0x100000001b3u;
    }
    return h;
}

TEST building_twice_gives_the_same_bytes(void) {
    static const char* const names[] = {"hair",           "curls", "flag", "sheet_over_ball", "sheet_over_table",
                                        "crossing_sheets"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        sample* s = sample_get(names[i]);
        for (int32_t k = 0; k < kit_sample_count; ++k) {
            if (strcmp(kit_samples[k].name, names[i]) == 0) {
                kit_model* model = kit_model_new(names[i]);
                kit_samples[k].build(model);
                glb_file file = glb_pack(model);
                bool same = file.size == s->file.size && memcmp(file.bytes, s->file.bytes, file.size) == 0;
                kit_model_free(model);
                ASSERTm(names[i], same);
            }
        }
    }
    PASS();
}

// The same bytes on every compiler and machine: one hash each. After a change to a sample, the new value is printed
// by the failure.
TEST bytes_are_the_golden_ones(void) {
    static const struct {
        const char* name;
        uint64_t hash;
    } golden[] = {{"monster", 0xfbb5bfb715e45a62u},
                  {"hair", 0x9facef1a22be3944u},
                  {"octopus", 0xc1f0b4495879f996u},
                  {"curls", 0x988e411310bb1138u},
                  {"flag", 0x575df2ed5c5c5fe1u},
                  {"sheet_over_ball", 0x4d561ccef2f4b33eu},
                  {"sheet_over_table", 0xbcbbdebab3603d6bu},
                  {"crossing_sheets", 0x2218ce2c1754e54bu}};
    int32_t wrong = 0;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; ++i) {
        sample* s = sample_get(golden[i].name);
        uint64_t hash = fnv(s->file.bytes, s->file.size);
        if (hash != golden[i].hash) {
            fprintf(GREATEST_STDOUT, "\n%s hashes to 0x%016llx", golden[i].name, (unsigned long long)hash);
            ++wrong;
        }
    }
    ASSERT_EQ(0, wrong);
    PASS();
}

SUITE(kit_suite) {
    RUN_TEST(functions_follow_libm);
    RUN_TEST(a_ball_is_meshed_as_a_ball);
    RUN_TEST(inverse_kinematics_reach_the_target);
    RUN_TEST(curves_pass_their_keys_and_never_overshoot);
    RUN_TEST(building_twice_gives_the_same_bytes);
    RUN_TEST(bytes_are_the_golden_ones);
}
