// SPDX-License-Identifier: MIT
// Nothing depends on how large a thing is: an asset at an eighth of its size, in a world whose lengths, speeds and accelerations are
// an eighth as well, moves as the whole one does. Eight is a power of two, so that floats scale exactly and what is an eighth has
// the same bits but for the exponent. Any length, speed or square of one that a step takes from nowhere shows.
//
// Masses and times stay. So forces are an eighth, springs as stiff, bending rigidity a 64th, pressure eightfold.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SMALL 0.125f

static void times(float* v, size_t count, float factor) { // what is negative says that there is none
    for (size_t i = 0; i < count; ++i) {
        v[i] *= v[i] < 0.0f ? 1.0f : factor;
    }
}

static void lengths(float* v, size_t count, float factor) {
    for (size_t i = 0; i < count; ++i) {
        v[i] *= factor;
    }
}

static void filled(float v[8], float factor) { // lanes without anything have exactly one
    for (int i = 0; i < 8; ++i) {
        v[i] *= v[i] == 1.0f ? 1.0f : factor;
    }
}

// Every element of a section, as something that may be written.
#define EACH(type, name, count)                                                                                        \
    for (type* it = (type*)(uintptr_t)w->view.name, *end_of = it + w->view.count; it < end_of; ++it)

static void shrink_matrices(world* w) {
    EACH(hem_bone, bones, bone_count) {
        for (int k = 3; k < 12; k += 4) {
            it->inverse_bind[k] *= SMALL;
        }
    }
    EACH(hem_matrix34, clip_frames, clip_matrix_count) {
        for (int k = 3; k < 12; k += 4) {
            (*it)[k] *= SMALL;
        }
    }
}

static void shrink_rows(world* w) {
    EACH(hem_rest_row, rest_rows, rest_row_count) {
        lengths(it->x, 24, SMALL);
    }
    EACH(hem_rest_row, group_rest_rows, group_rest_row_count) {
        lengths(it->x, 24, SMALL);
    }
    EACH(hem_shape_row, shape_rows, shape_row_count) {
        lengths(it->a, 24, SMALL);
    }
    EACH(hem_area_row, area_rows, area_row_count) {
        lengths(it->area, 8, SMALL * SMALL);
    }
    EACH(hem_limit_row, limit_rows, limit_row_count) {
        times(it->max_distance, 8, SMALL);
        lengths(it->backstop_distance, 16, SMALL); // and backstop_radius; what is negative is added and taken away
    }
    EACH(hem_key_row, lattice_key_rows, lattice_key_row_count) {
        lengths(it->x, 24, SMALL);
    }
    EACH(hem_vertex_rest, vertex_rest, vertex_rest_count) {
        lengths(it->position, 3, SMALL);
    }
}

static void shrink_constraints(world* w) {
    EACH(hem_link_batch, link_batches, link_batch_count) {
        times(it->rest, 8, SMALL);
    }
    EACH(hem_index_batch, index_batches, index_batch_count) {
        times(it->rest, 8, SMALL);
    }
    EACH(hem_group_batch, group_batches, group_batch_count) {
        lengths(it->center[0], 24, SMALL);
    }
    EACH(hem_spring, springs, spring_count) {
        times(it->rest, 8, SMALL);
    }
    EACH(hem_rod, rods, rod_count) {
        lengths(it->edge[0], 24, SMALL);
        lengths(it->bend, 16, SMALL * SMALL); // and twist
        filled(it->inertia, SMALL * SMALL);
    }
    EACH(hem_chain, chains, chain_count) {
        lengths(it->rest, 8, SMALL);
    }
    EACH(hem_triangle, triangles, triangle_count) {
        lengths(it->q[0], 32, 1.0f / SMALL);
        filled(it->inverse_area, 1.0f / (SMALL * SMALL));
    }
    EACH(hem_bend, bends, bend_count) {
        lengths(it->c[0], 32, 1.0f / SMALL);
    }
    EACH(hem_tetrahedron, tetrahedra, tetrahedron_count) {
        lengths(it->q[0], 72, 1.0f / SMALL);
        lengths(it->volume, 8, SMALL * SMALL * SMALL);
    }
    EACH(hem_lattice, lattices, lattice_count) {
        lengths(it->origin, 6, SMALL);
    }
}

static void shrink(world* w) {
    shrink_matrices(w);
    shrink_rows(w);
    shrink_constraints(w);
    EACH(hem_info, info, info_count) {
        lengths(&it->particle_radius, 1, SMALL);
        lengths(it->bounds_min, 7, SMALL); // and bounds_max, and spacing
    }
    EACH(hem_part, parts, part_count) {
        it->spacing *= SMALL;
    }
    EACH(hem_tuning, tuning, tuning_count) {
        it->collision_thickness *= SMALL;
        it->self_thickness *= SMALL;
        it->contact_radius *= SMALL;
        it->max_speed *= SMALL;
        it->sleep_speed *= SMALL;
        it->drag *= 1.0f / (SMALL * SMALL);
        it->lift *= 1.0f / (SMALL * SMALL);
        it->fabric_bend *= 1.0f / (SMALL * SMALL);
        it->solid_young *= 1.0f / SMALL;
    }
    EACH(hem_asset_collider, colliders, collider_count) {
        lengths(it->position, 3, SMALL);
        lengths(it->size, 4, SMALL);
    }
    EACH(hem_plane, hull_planes, hull_plane_count) {
        (*it)[3] *= SMALL;
    }
}

static void as_it_is(world* w) {
    (void)w;
}

// An octahedron.
static void make_planes(float (*planes)[4], float size) {
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k) {
            planes[i][k] = (i >> k & 1 ? 1.0f : -1.0f) * 0.577350269f;
        }
        planes[i][3] = 0.577350269f * size;
    }
}

// Speeding up and turning with wind and things in the way, then a stand: less sudden than what is felt in full.
static void drive(world* w, int frame, float scale) {
    static float pose[256 * 12];
    const double s = (double)scale;
    const int moves = frame < 90;
    const float way = moves ? (float)frame / 60.0f : 1.5f;
    if (w->view.clip_count && w->view.info->bone_count <= 256) {
        clip_pose(w, &w->view.clips[0], (double)way, pose);
        hem_instance_set_pose(w->scene, w->id, pose, w->view.info->bone_count, 0);
    }
    hem_root root = {{s * 0.25 * (double)(way * way), 0, 0}, {0, 0, 0, 1}};
    root.rotation[1] = 0.1f * way * way;
    root.rotation[3] = sqrtf(1.0f - root.rotation[1] * root.rotation[1]);
    hem_instance_set_root(w->scene, w->id, &root);
    const float wind[3] = {moves ? 2.0f * scale : 0.0f, 0, moves ? -3.0f * scale : 0.0f};
    hem_instance_set_wind(w->scene, w->id, wind);
    float planes[8][4];
    make_planes(planes, 0.3f * scale);
    hem_collider c[5];
    for (int i = 0; i < 5; ++i) {
        c[i] = hem_collider_default();
        c[i].friction = 0.2f;
        c[i].position[0] = s * (0.15 * i - 0.3 + 0.3 * (double)way);
        c[i].position[1] = s * (w->view.clip_count ? 0.9 : -0.25);
        c[i].position[2] = s * (0.2 - 0.3 * (double)way);
        c[i].size[0] = c[i].size[1] = c[i].size[2] = 0.12f * scale;
    }
    c[0].kind = HEM_COLLIDER_PLANE;
    c[0].position[1] = s * (w->view.clip_count ? 0.3 : -0.6);
    c[1].kind = HEM_COLLIDER_SPHERE;
    c[2].kind = HEM_COLLIDER_CAPSULE;
    c[2].size[1] = 0.06f * scale;
    c[3].kind = HEM_COLLIDER_BOX;
    c[3].restitution = 0.3f;
    c[4].kind = HEM_COLLIDER_HULL;
    c[4].planes = planes[0];
    c[4].plane_count = 8;
    hem_instance_set_colliders(w->scene, w->id, c, 5);
}

// All that moves, part by part, in bits.
static bool is_alike(const world* whole, const world* small, uint32_t* which) {
    for (uint32_t i = 0; i < whole->view.info->particle_count; ++i) {
        const hem_particle a = particle_at(whole, i), b = particle_at(small, i);
        for (int k = 0; k < 3; ++k) {
            const float off = a.velocity[k] * SMALL - b.velocity[k]; // beyond 1e-15 nothing moves
            if (a.position[k] * SMALL != b.position[k] || fabsf(off) > 1e-14f) {
                *which = i;
                return false;
            }
        }
    }
    return true;
}

TEST an_eighth_of_the_size_moves_as_the_whole_does(const char* asset) {
    world whole, small;
    ASSERT(world_open_spoiled(&whole, asset, as_it_is));
    ASSERT(world_open_spoiled(&small, asset, shrink));
    const float down[3] = {0, -9.81f, 0}, less[3] = {0, -9.81f * SMALL, 0};
    hem_instance_set_gravity(whole.scene, whole.id, down);
    hem_instance_set_gravity(small.scene, small.id, less);
    const int frames = as_long_as(240, 60);
    for (int f = 0; f < frames; ++f) {
        const float dt = f < 120 ? 1.0f / 60.0f : 1.0f / 30.0f;
        drive(&whole, f, 1.0f);
        drive(&small, f, SMALL);
        world_step(&whole, dt, 0, 1);
        world_step(&small, dt, 0, 1);
        uint32_t which = 0;
        if (!is_alike(&whole, &small, &which)) {
            printf("%s: frame %d, particle %u\n", asset, f, which);
            FAILm("moves otherwise");
        }
        hem_instance_stats a, b;
        ASSERT_EQ(HEM_OK, hem_instance_get_stats(whole.scene, whole.id, &a));
        ASSERT_EQ(HEM_OK, hem_instance_get_stats(small.scene, small.id, &b));
        ASSERT_EQ(a.asleep, b.asleep);
    }
    world_close(&whole);
    world_close(&small);
    PASS();
}

SUITE(scale_suite) {
    static const char* const assets[] = {"cape_girl", "somersault", "flag",    "octopus",      "curls",  "sheet_self",
                                         "crossing",  "fabric",     "blocks",  "rods_helix",   "chains", "fabric_flat",
                                         "limited",   "driven",     "springs", "lattice_cube", "solid",  "dressed"};
    for (size_t i = 0; i < sizeof(assets) / sizeof(assets[0]); ++i) {
        RUN_TESTp(an_eighth_of_the_size_moves_as_the_whole_does, assets[i]);
    }
}
