// SPDX-License-Identifier: MIT
// Skinning (eq. 1 and 2) against an implementation in double, on characters in the middle of their clips.

#include "hem/inspect.h"
#include "tests/runtime/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POSE_LIMIT = 256 * 12, VERTEX_LIMIT = 32768, PARTICLE_LIMIT = 8192 };

static float pose[POSE_LIMIT];
static float positions[VERTEX_LIMIT][3], normals[VERTEX_LIMIT][3];
static double truth[VERTEX_LIMIT][3], truth_normal[VERTEX_LIMIT][3];
static double moves[PARTICLE_LIMIT][12]; // rest -> now
static hem_particle particles[PARTICLE_LIMIT];

static const char* const names[] = {"robe", "hair", "somersault", "monster"};

// Some steps into the first clip. False when the character is missing.
static bool open_moving(world* w, const char* name, const hem_scene_def* def, int frames) {
    size_t size;
    void* bytes = read_asset(name, &size);
    free(bytes);
    if (!bytes || !world_open(w, name, def, NULL, 1)) {
        return false;
    }
    const hem_info* info = w->view.info;
    if (!w->view.clip_count || info->bone_count * 12 > POSE_LIMIT || info->vertex_count > VERTEX_LIMIT ||
        info->particle_count > PARTICLE_LIMIT) {
        return false;
    }
    for (int f = 1; f <= frames; ++f) {
        clip_pose(w, &w->view.clips[0], f / 60.0, pose);
        hem_instance_set_pose(w->scene, w->id, pose, info->bone_count, 0);
        world_step(w, 1.0f / 60.0f, 0, 1);
    }
    return true;
}

// From what hem_instance_get_particles tells: the rotation since rest, and the place.
static void particle_moves(const world* w) {
    const hem_view* v = &w->view;
    hem_instance_get_particles(w->scene, w->id, 0, v->info->particle_count, particles);
    for (uint32_t i = 0; i < v->info->particle_count; ++i) {
        const hem_shape_row* s = &v->shape_rows[i >> 3];
        const hem_rest_row* rest = &v->rest_rows[i >> 3];
        uint32_t k = i & 7;
        const float* q = particles[i].rotation;
        double ax = (double)q[0], ay = (double)q[1], az = (double)q[2], aw = (double)q[3];
        double bx = -(double)s->qx[k], by = -(double)s->qy[k], bz = -(double)s->qz[k], bw = (double)s->qw[k];
        double x = aw * bx + ax * bw + ay * bz - az * by, y = aw * by - ax * bz + ay * bw + az * bx;
        double z = aw * bz + ax * by - ay * bx + az * bw, u = aw * bw - ax * bx - ay * by - az * bz;
        double n = x * x + y * y + z * z + u * u;
        double r[9] = {1 - 2 * (y * y + z * z) / n, 2 * (x * y - u * z) / n,     2 * (x * z + u * y) / n,
                       2 * (x * y + u * z) / n,     1 - 2 * (x * x + z * z) / n, 2 * (y * z - u * x) / n,
                       2 * (x * z - u * y) / n,     2 * (y * z + u * x) / n,     1 - 2 * (x * x + y * y) / n};
        double at[3] = {(double)rest->x[k], (double)rest->y[k], (double)rest->z[k]};
        for (int row = 0; row < 3; ++row) {
            double moved = 0;
            for (int c = 0; c < 3; ++c) {
                moves[i][row * 4 + c] = r[row * 3 + c];
                moved += r[row * 3 + c] * at[c];
            }
            moves[i][row * 4 + 3] = (double)particles[i].position[row] - moved;
        }
    }
}

static void skin_in_double(const world* w, double pose_blend) {
    const hem_view* v = &w->view;
    particle_moves(w);
    for (uint32_t i = 0; i < v->info->vertex_count; ++i) {
        const hem_vertex_bind* bind = &v->vertex_bind[i];
        const hem_vertex_rest* rest = &v->vertex_rest[i];
        double blend = bind->blend / 65535.0 * pose_blend, m[12] = {0};
        for (int k = 0; k < 4; ++k) {
            for (int c = 0; c < 12; ++c) {
                m[c] += (1 - blend) * (bind->bone_weight[k] / 65535.0) * (double)pose[bind->bone[k] * 12 + c];
                m[c] += blend * (bind->particle_weight[k] / 65535.0) * moves[bind->particle[k]][c];
            }
        }
        double length = 0;
        for (int row = 0; row < 3; ++row) {
            truth[i][row] = m[row * 4 + 3];
            truth_normal[i][row] = 0;
            for (int c = 0; c < 3; ++c) {
                truth[i][row] += m[row * 4 + c] * (double)rest->position[c];
                truth_normal[i][row] += m[row * 4 + c] * (double)rest->normal[c];
            }
            length += truth_normal[i][row] * truth_normal[i][row];
        }
        for (int row = 0; row < 3; ++row) {
            truth_normal[i][row] /= length > 0 ? sqrt(length) : 1;
        }
    }
}

static hem_skin_args whole(const world* w) {
    hem_skin_args args;
    memset(&args, 0, sizeof(args));
    args.vertex_count = w->view.info->vertex_count;
    args.positions = positions[0];
    args.normals = normals[0];
    return args;
}

static double farthest(uint32_t count, const float (*a)[3], const double (*b)[3]) {
    double worst = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, fabs((double)a[i][k] - b[i][k]));
        }
    }
    return worst;
}

TEST vertices_follow_the_equations(void) {
    int seen = 0;
    for (int i = 0; i < 4; ++i) {
        world w;
        if (!open_moving(&w, names[i], NULL, 20)) {
            continue;
        }
        ++seen;
        const double blends[] = {1.0, 0.5, 0.0}; // with none of the particles it is plain skinning by bones
        for (int b = 0; b < 3; ++b) {
            ASSERT_EQ(HEM_OK, hem_instance_set_pose_blend(w.scene, w.id, (float)blends[b]));
            hem_skin_args args = whole(&w);
            ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
            skin_in_double(&w, blends[b]);
            double place = farthest(args.vertex_count, (const float(*)[3])positions, (const double(*)[3])truth);
            double normal = farthest(args.vertex_count, (const float(*)[3])normals, (const double(*)[3])truth_normal);
            printf("%s, blend %.1f: positions within %.2g m, normals within %.2g\n", names[i], blends[b], place,
                   normal);
            ASSERT(place < 1e-5);
            ASSERT(normal < 1e-3);
        }
        world_close(&w);
    }
    if (!seen) {
        SKIPm("no characters");
    }
    PASS();
}

TEST the_particles_matter(void) {
    // Guards the test above: vertices with and without simulation differ.
    world w;
    if (!open_moving(&w, "robe", NULL, 40)) {
        SKIPm("no robe.hem");
    }
    hem_skin_args args = whole(&w);
    hem_instance_skin(w.scene, w.id, &args);
    skin_in_double(&w, 0.0);
    ASSERT(farthest(args.vertex_count, (const float(*)[3])positions, (const double(*)[3])truth) > 0.01);
    world_close(&w);
    PASS();
}

TEST strides_and_ranges_give_the_same_bits(void) {
    world w;
    if (!open_moving(&w, "robe", NULL, 20)) {
        SKIPm("no robe.hem");
    }
    uint32_t count = w.view.info->vertex_count;
    hem_skin_args args = whole(&w);
    ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
    // One interleaved vertex: position, normal, tangent and a word that must stay.
    enum { FLOATS = 11 };
    float* mixed = malloc((size_t)count * FLOATS * sizeof(float));
    ASSERT(mixed);
    const float mark = -12345.0f;
    for (uint32_t i = 0; i < count * FLOATS; ++i) {
        mixed[i] = mark;
    }
    uint32_t begin = 0, turn = 0;
    while (begin < count) {
        const uint32_t sizes[] = {1, 7, 8, 9, 64, 333};
        uint32_t size = sizes[turn++ % 6];
        size = size < count - begin ? size : count - begin;
        float* to = mixed + (size_t)begin * FLOATS;
        hem_skin_args part = {begin, size, to, to + 3, to + 6, FLOATS * 4, FLOATS * 4, FLOATS * 4, 0, 0};
        ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &part));
        begin += size;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const float* at = mixed + (size_t)i * FLOATS;
        ASSERT_EQ(0, memcmp(at, positions[i], 12));
        ASSERT_EQ(0, memcmp(at + 3, normals[i], 12));
        ASSERT_EQ(w.view.vertex_rest[i].tangent[3], at[9]);
        ASSERT_EQ(mark, at[10]);
    }
    free(mixed);
    world_close(&w);
    PASS();
}

TEST dynamic_skinning_leaves_the_skeletons_vertices_alone(void) {
    world w;
    if (!open_moving(&w, "cape_girl", NULL, 20)) {
        SKIPm("no cape_girl.hem");
    }
    const uint32_t count = w.view.info->vertex_count;
    hem_skin_args args = whole(&w);
    ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
    uint8_t* written = calloc(count, 1);
    float(*some)[3] = malloc(count * sizeof(*some));
    ASSERT(written && some);
    // By brute force: a block of eight of which one vertex has a blend.
    uint32_t moved = 0, range_count = 0, more = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = i & ~7u; k < (i & ~7u) + 8 && k < count; ++k) {
            written[i] |= w.view.vertex_bind[k].blend != 0;
        }
        moved += written[i];
    }
    ASSERT(moved > count / 5 && moved < count / 2);
    hem_vertex_range ranges[256];
    ASSERT_EQ(HEM_OK, hem_asset_get_dynamic_ranges(&w.asset, ranges, 256, &range_count));
    ASSERT_EQ(HEM_OK, hem_asset_get_dynamic_ranges(&w.asset, NULL, 0, &more));
    ASSERT(range_count > 0 && range_count <= 256 && more == range_count);
    for (uint32_t r = 0; r < range_count; ++r) {
        ASSERT(r == 0 || ranges[r].begin > ranges[r - 1].begin + ranges[r - 1].count);
        for (uint32_t i = ranges[r].begin; i < ranges[r].begin + ranges[r].count; ++i) {
            ASSERT_EQ(1, written[i]);
            --moved;
        }
    }
    ASSERT_EQ(0, moved);
    const float mark = -12345.0f;
    const uint32_t sizes[] = {0xffffff, 1, 7, 8, 9, 64, 333};
    for (uint32_t pass = 0; pass < 2; ++pass) { // at once, and in pieces that begin anywhere
        for (uint32_t i = 0; i < count; ++i) {
            some[i][0] = some[i][1] = some[i][2] = mark;
        }
        for (uint32_t begin = 0, turn = 0; begin < count; ++turn) {
            uint32_t size = pass ? sizes[1 + turn % 6] : sizes[0];
            size = size < count - begin ? size : count - begin;
            hem_skin_args part = {
                .vertex_begin = begin, .vertex_count = size, .positions = some[begin], .flags = HEM_SKIN_DYNAMIC};
            ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &part));
            begin += size;
        }
        for (uint32_t i = 0; i < count; ++i) {
            ASSERT(written[i] ? memcmp(some[i], positions[i], 12) == 0 : some[i][0] == mark);
        }
    }
    args.flags = 2;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_skin(w.scene, w.id, &args));
    free(written);
    free(some);
    world_close(&w);
    PASS();
}

TEST previous_positions_are_those_of_the_last_frame(void) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.keep_previous = 1;
    if (!open_moving(&w, "robe", &def, 20)) {
        SKIPm("no robe.hem");
    }
    uint32_t count = w.view.info->vertex_count;
    float* last = malloc((size_t)count * 12);
    ASSERT(last);
    for (int f = 21; f <= 24; ++f) {
        hem_skin_args args = whole(&w);
        ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
        memcpy(last, positions, (size_t)count * 12);
        if (f != 23) { // once the pose stays
            clip_pose(&w, &w.view.clips[0], f / 60.0, pose);
            hem_instance_set_pose(w.scene, w.id, pose, w.view.info->bone_count, 0);
        }
        world_step(&w, 1.0f / 60.0f, 0, 1);
        args.previous = 1;
        ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
        ASSERT_EQ(0, memcmp(last, positions, (size_t)count * 12));
        args.previous = 0;
        ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
        ASSERT(memcmp(last, positions, (size_t)count * 12) != 0);
    }
    free(last);
    world_close(&w);
    PASS();
}

TEST matrices_carry_rest_to_now(void) {
    int seen = 0;
    for (int i = 0; i < 4; ++i) {
        world w;
        if (!open_moving(&w, names[i], NULL, 20)) {
            continue;
        }
        ++seen;
        uint32_t count = w.view.info->particle_count;
        float* matrices = malloc((size_t)count * 64);
        ASSERT(matrices);
        ASSERT_EQ(HEM_OK, hem_instance_get_matrices(w.scene, w.id, matrices, 64));
        particle_moves(&w);
        double worst = 0;
        for (uint32_t p = 0; p < count; ++p) {
            for (int c = 0; c < 12; ++c) {
                worst = fmax(worst, fabs((double)matrices[p * 16 + (uint32_t)c] - moves[p][c]));
            }
        }
        ASSERT(worst < 1e-5);
        free(matrices);
        world_close(&w);
    }
    if (!seen) {
        SKIPm("no characters");
    }
    PASS();
}

SUITE(skin_suite) {
    RUN_TEST(vertices_follow_the_equations);
    RUN_TEST(the_particles_matter);
    RUN_TEST(strides_and_ranges_give_the_same_bits);
    RUN_TEST(dynamic_skinning_leaves_the_skeletons_vertices_alone);
    RUN_TEST(previous_positions_are_those_of_the_last_frame);
    RUN_TEST(matrices_carry_rest_to_now);
}
