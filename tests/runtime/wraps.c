// SPDX-License-Identifier: MIT
// Virtual particles: cloth of few particles on edges of meshes. Truth is brute force over all edges of cloth and all triangles,
// in doubles, and what the same cloth does without them.

#include "tests/runtime/suites.h"
#include "tests/runtime/trimesh_kit.h"
#include "hem/trimesh.h"
#include "runtime/src/kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct draped {
    world w;
    built_mesh built;
    hem_trimesh mesh;
    hem_mesh_def slot;
    hem_collider collider;
} draped;

static bool open_draped(draped* d, const char* asset, mesh_kind kind, uint32_t detail, const float size[3],
                        uint32_t capacity, hem_kernel kernel) {
    memset(d, 0, sizeof(*d));
    soup s = soup_make(kind, detail);
    for (uint32_t i = 0; i < s.vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            s.positions[i][k] *= size[k];
        }
    }
    d->built = mesh_build(&s, NULL);
    soup_free(&s);
    if (d->built.result != HEM_OK || hem_trimesh_open(&d->mesh, d->built.bytes, d->built.report.size) != HEM_OK) {
        return false;
    }
    hem_scene_def def = hem_scene_def_default();
    d->slot = (hem_mesh_def){&d->mesh, 0, 0};
    def.meshes = &d->slot;
    def.mesh_count = 1;
    def.virtual_capacity = capacity;
    def.kernel = kernel;
    d->collider = hem_collider_default();
    d->collider.kind = HEM_COLLIDER_MESH;
    d->collider.friction = 0.5f;
    if (!world_open(&d->w, asset, &def, NULL, 1)) {
        return false;
    }
    hem_tuning t = world_tuning(&d->w);
    t.collision_thickness = 0.004f;
    t.damping = 1.0f;
    t.friction = 0.5f;
    t.compliance[HEM_LINK_SHEAR] = 1e-3f;
    t.compliance[HEM_LINK_BEND] = 1e-2f;
    world_tune(&d->w, &t);
    hem_instance_set_features(d->w.scene, d->w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    return true;
}

static void close_draped(draped* d) {
    world_close(&d->w);
    mesh_free(&d->built);
}

static void put(draped* d, double x, double y, double z) {
    d->collider.position[0] = x;
    d->collider.position[1] = y;
    d->collider.position[2] = z;
    hem_instance_set_colliders(d->w.scene, d->w.id, &d->collider, 1);
}

static hem_step_report report_of(const draped* d) {
    hem_step_report r;
    hem_scene_get_report(d->w.scene, &r);
    return r;
}

// A box turned by 45 degrees about z: a ridge along z.
static bool open_ridge(draped* d, const char* asset, uint32_t capacity) {
    const float size[3] = {0.1f, 0.1f, 0.6f};
    if (!open_draped(d, asset, MESH_BOX, 1, size, capacity, wanted_kernel())) {
        return false;
    }
    d->collider.rotation[2] = (float)sin(0.39269908);
    d->collider.rotation[3] = (float)cos(0.39269908);
    put(d, 0.0, -0.16, 0.0); // its ridge is 1.9 cm below
    return true;
}

// How deep a point is in the turned box.
static double depth_in_ridge(const double p[3]) {
    const double y = p[1] + 0.16, u = (p[0] + y) * sqrt(0.5), v = (y - p[0]) * sqrt(0.5);
    const double across = fmin(0.1 - fabs(u), 0.1 - fabs(v)), along = 0.6 - fabs(p[2]);
    return fmin(across, along);
}

// The threads as they lie: through their virtual particles, a hundred points on each piece.
static double deepest_thread(const draped* d) {
    const hemi_wraps* w = &d->w.scene->scratch[0].wraps;
    const hem_view* v = &d->w.view;
    double deepest = -1;
    for (uint32_t i = 0; i < v->virtual_edge_count * 8; ++i) {
        const hem_virtual_edges* e = &v->virtual_edges[i / 8];
        if (!(e->lane_mask >> i % 8 & 1u)) {
            continue;
        }
        double path[4][3];
        int count = 0;
        const hem_particle a = particle_at(&d->w, e->a[i % 8]), b = particle_at(&d->w, e->b[i % 8]);
        for (int k = 0; k < 3; ++k) {
            path[0][k] = (double)a.position[k];
        }
        for (uint32_t n = 0; n < w->split_count; ++n) {
            for (int end = 0; w->splits[n].edge == i && end < 2; ++end) {
                ++count;
                for (int k = 0; k < 3; ++k) {
                    path[count][k] = (double)w->splits[n].place[end][k];
                }
            }
        }
        ++count;
        for (int k = 0; k < 3; ++k) {
            path[count][k] = (double)b.position[k];
        }
        for (int n = 0; n < count * 100; ++n) {
            double p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = path[n / 100][k] + (path[n / 100 + 1][k] - path[n / 100][k]) * (n % 100) / 100.0;
            }
            const double depth = depth_in_ridge(p);
            deepest = depth > deepest ? depth : deepest;
        }
    }
    return deepest;
}

// The paper's figure 10: a mesh of four particles falls onto an edge of a box. Three virtual particles, on both sides and on
// the diagonal; nothing inside; at rest for ten seconds.
TEST two_triangles_hang_on_a_box(void) {
    draped d;
    ASSERT(open_ridge(&d, "two_triangles", 64));
    world_step(&d.w, 1.0f / 60.0f, 0, 240);
    float before[4][3];
    for (uint32_t i = 0; i < 4; ++i) {
        memcpy(before[i], particle_at(&d.w, nth_particle(&d.w, false, i)).position, sizeof(before[i]));
    }
    for (int step = 0; step < 600; ++step) {
        world_step(&d.w, 1.0f / 60.0f, 0, 1);
        const hem_step_report r = report_of(&d);
        ASSERT_EQ(3, r.virtual_count);
        ASSERT_EQ(0, r.virtual_dropped_count);
        ASSERT(deepest_thread(&d) < 1e-4);
    }
    for (uint32_t i = 0; i < 4; ++i) {
        const hem_particle p = particle_at(&d.w, nth_particle(&d.w, false, i));
        for (int k = 0; k < 3; ++k) {
            ASSERT_IN_RANGE((double)before[i][k], (double)p.position[k], 5e-3);
            ASSERT_IN_RANGE(0.0, (double)p.velocity[k], 5e-3);
        }
    }
    close_draped(&d);
    PASS();
}

// Triangles as the edges have them: a, b, wing 0 and b, a, wing 1. The smallest corner first, in order.
static uint32_t list_faces(const hem_view* v, uint32_t (*faces)[3], uint32_t capacity) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < 16 * v->virtual_edge_count; ++i) {
        const hem_virtual_edges* e = &v->virtual_edges[i / 16];
        const uint32_t lane = i % 8, side = i / 8 % 2, wing = e->wing[side][lane];
        if (!(e->face_mask >> lane & 1u) || wing == HEM_VIRTUAL_NO_WING || count == capacity) {
            continue;
        }
        const uint32_t f[3] = {side ? e->b[lane] : e->a[lane], side ? e->a[lane] : e->b[lane], wing};
        const uint32_t first = f[0] < f[1] ? (f[0] < f[2] ? 0 : 2) : f[1] < f[2] ? 1 : 2;
        for (uint32_t k = 0; k < 3; ++k) {
            faces[count][k] = f[(first + k) % 3];
        }
        ++count;
    }
    return count;
}

// Three edges name each triangle, and all in the same sense; neighbours agree, since no edge is run along twice.
TEST faces_turn_the_same_way(void) {
    static const char* const names[] = {"virtual_sheet", "drape_box", "drape_round", "drape_horse", "drape_stairs"};
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); ++n) {
        static uint32_t faces[4096][3];
        world w;
        ASSERTm(names[n], world_open(&w, names[n], NULL, NULL, 1));
        const uint32_t count = list_faces(&w.view, faces, 4096);
        ASSERT(count > 0 && count < 4096 && count % 3 == 0);
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t same = 0, along = 0;
            for (uint32_t k = 0; k < count; ++k) {
                const int equal = memcmp(faces[i], faces[k], sizeof(faces[i])) == 0;
                same += (uint32_t)equal;
                for (uint32_t s = 0; !equal && s < 9; ++s) {
                    const uint32_t a = s / 3, b = s % 3;
                    along += faces[i][a] == faces[k][b] && faces[i][(a + 1) % 3] == faces[k][(b + 1) % 3];
                }
            }
            ASSERT_EQ_FMTm(names[n], 3u, same, "%u");
            ASSERT_EQ_FMTm(names[n], 0u, along, "%u");
        }
        world_close(&w);
    }
    PASS();
}

TEST without_virtual_particles_they_fall_through(void) {
    draped d;
    ASSERT(open_ridge(&d, "two_triangles", 0));
    world_step(&d.w, 1.0f / 60.0f, 0, 240);
    ASSERT_EQ(0, report_of(&d).virtual_count);
    for (uint32_t i = 0; i < 4; ++i) {
        ASSERT(particle_at(&d.w, nth_particle(&d.w, false, i)).position[1] < -2.0f);
    }
    close_draped(&d);
    PASS();
}

// A wall of 8 cm, thinner than an edge is long: the straight line between two ends may be below anything of its top, where a
// thread could as well be under it. What went around it remembers that it did. Without virtual particles it falls through.
TEST cloth_hangs_on_a_wall(void) {
    for (uint32_t capacity = 0; capacity <= 512; capacity += 512) {
        draped d;
        const float size[3] = {0.025f, 0.3f, 0.6f};
        ASSERT(open_draped(&d, "virtual_sheet", MESH_BOX, 1, size, capacity, wanted_kernel()));
        put(&d, 0.003, -0.32, 0.0);
        world_step(&d.w, 1.0f / 60.0f, 0, 600);
        uint32_t above = 0;
        for (uint32_t i = 0; i < 100; ++i) {
            const hem_particle p = particle_at(&d.w, nth_particle(&d.w, false, i));
            above += p.position[1] > -0.6f;
        }
        ASSERT_EQ(capacity ? 100 : 0, above);
        close_draped(&d);
    }
    PASS();
}

// The paper's figure 8: above the cloth is a board whose upper edges face it, with the lower side between.
TEST cloth_below_a_board_stays_there(void) {
    for (int away = 1; away <= 4; ++away) {
        draped d;
        const float size[3] = {0.3f, 0.01f, 0.3f}, none[3] = {0, 0, 0};
        ASSERT(open_draped(&d, "virtual_sheet", MESH_BOX, 1, size, 1024, wanted_kernel()));
        hem_instance_set_gravity(d.w.scene, d.w.id, none);
        put(&d, 0.013, 0.016 + 0.01 * away, 0.017);
        world_step(&d.w, 1.0f / 60.0f, 0, 60);
        ASSERT_EQ(0, report_of(&d).virtual_count);
        for (uint32_t i = 0; i < d.w.view.info->particle_count; ++i) {
            ASSERT_IN_RANGE(0.0, (double)particle_at(&d.w, i).position[1], 1e-4);
        }
        close_draped(&d);
    }
    PASS();
}

// What hangs on it goes with it, at the speed of the point that it hangs on.
TEST virtual_particles_move_with_the_mesh(void) {
    draped d;
    ASSERT(open_ridge(&d, "two_triangles", 64));
    world_step(&d.w, 1.0f / 60.0f, 0, 180);
    double before[4];
    for (uint32_t i = 0; i < 4; ++i) {
        before[i] = (double)particle_at(&d.w, nth_particle(&d.w, false, i)).position[1];
    }
    for (int i = 1; i <= 120; ++i) {
        put(&d, 0.0, -0.16 + 0.01 * (i < 100 ? i : 100), 0.0);
        world_step(&d.w, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(3, report_of(&d).virtual_count);
    }
    for (uint32_t i = 0; i < 4; ++i) {
        ASSERT_IN_RANGE(before[i] + 1.0, (double)particle_at(&d.w, nth_particle(&d.w, false, i)).position[1], 0.02);
    }
    close_draped(&d);
    PASS();
}

// -- A square table

static double depth_in_box(const double p[3], const double middle[3], const float size[3]) {
    double depth = 1e9;
    for (int k = 0; k < 3; ++k) {
        depth = fmin(depth, (double)size[k] - fabs(p[k] - middle[k]));
    }
    return depth;
}

// Sum over the threads of a sheet of what lies in a table, and the deepest point. Edges with more than two virtual particles
// are left out: only the first and the last one are kept.
static double inside_table(const draped* d, const double middle[3], const float size[3], double* deepest) {
    const hemi_wraps* w = &d->w.scene->scratch[0].wraps;
    const hem_view* v = &d->w.view;
    double sum = 0;
    *deepest = -1;
    for (uint32_t i = 0; i < v->virtual_edge_count * 8; ++i) {
        const hem_virtual_edges* e = &v->virtual_edges[i / 8];
        const hemi_split* split = NULL;
        for (uint32_t n = 0; n < w->split_count; ++n) {
            split = w->splits[n].edge == i ? &w->splits[n] : split;
        }
        if (!(e->lane_mask >> i % 8 & 1u) || (split && split->count > 2)) {
            continue;
        }
        const hem_particle a = particle_at(&d->w, e->a[i % 8]), b = particle_at(&d->w, e->b[i % 8]);
        const float* path[4] = {a.position, split ? split->place[0] : b.position, split ? split->place[1] : b.position,
                                b.position};
        for (int n = 0; n < 300; ++n) {
            double p[3], length = 0;
            for (int k = 0; k < 3; ++k) {
                const double from = (double)path[n / 100][k], to = (double)path[n / 100 + 1][k];
                p[k] = from + (to - from) * (n % 100) / 100.0;
                length += (to - from) * (to - from);
            }
            const double depth = depth_in_box(p, middle, size);
            sum += depth > 1e-4 ? sqrt(length) / 100 : 0;
            *deepest = depth > *deepest ? depth : *deepest;
        }
    }
    return sum;
}

TEST a_tablecloth_lies_outside_of_the_table(void) {
    const float size[3] = {0.26f, 0.15f, 0.26f};
    const double middle[3] = {0.02, -0.17, 0.03};
    double with, without, deepest;
    draped d;
    ASSERT(open_draped(&d, "virtual_sheet", MESH_BOX, 1, size, 1024, wanted_kernel()));
    put(&d, middle[0], middle[1], middle[2]);
    world_step(&d.w, 1.0f / 60.0f, 0, 300);
    with = inside_table(&d, middle, size, &deepest);
    const hem_step_report r = report_of(&d);
    ASSERT(r.virtual_count > 30);
    ASSERT_EQ(0, r.virtual_dropped_count);
    // The threads' shares of their rest lengths are those of their lengths, and sum to one.
    const hemi_wraps* w = &d.w.scene->scratch[0].wraps;
    for (uint32_t n = 0; n < w->split_count; ++n) {
        const hemi_split* s = &w->splits[n];
        ASSERT(s->share[0] > 0.0f && s->share[1] > 0.0f);
        if (s->count == 1) {
            ASSERT_IN_RANGE(1.0, (double)s->share[0] + (double)s->share[1], 1e-6);
        } else {
            ASSERT((double)s->share[0] + (double)s->share[1] < 1.0);
        }
        double length[2] = {0, 0};
        for (int end = 0; end < 2; ++end) {
            const hem_particle p = particle_at(&d.w, s->particle[end]);
            for (int k = 0; k < 3; ++k) {
                length[end] += pow((double)p.position[k] - (double)s->place[end][k], 2);
            }
        }
        length[0] = sqrt(length[0]);
        length[1] = sqrt(length[1]);
        ASSERT_IN_RANGE((double)(s->share[0] / (s->share[0] + s->share[1])), length[0] / (length[0] + length[1]), 0.03);
    }
    if (!(deepest < 1e-4)) {
        printf("deepest %g, %g m inside\n", deepest, with);
        FAIL();
    }
    close_draped(&d);
    ASSERT(open_draped(&d, "virtual_sheet", MESH_BOX, 1, size, 0, wanted_kernel()));
    put(&d, middle[0], middle[1], middle[2]);
    world_step(&d.w, 1.0f / 60.0f, 0, 300);
    without = inside_table(&d, middle, size, &deepest);
    ASSERT(deepest > 5e-3);
    ASSERT(without > 20 * with + 0.3);
    close_draped(&d);
    PASS();
}

// On a ball with many edges: those that are read are about those of the last search, all outside, in order along their edges,
// whose pieces sum to the whole; and reading changes nothing.
TEST what_is_read_lies_on_the_mesh(void) {
    draped d;
    const float size[3] = {0.3f, 0.3f, 0.3f};
    ASSERT(open_draped(&d, "virtual_sheet", MESH_BALL, 20, size, 4096, wanted_kernel()));
    put(&d, 0.02, -0.33, 0.03);
    world_step(&d.w, 1.0f / 60.0f, 0, 400);
    const uint64_t hash = hem_scene_hash(d.w.scene);
    static hem_virtual_particle v[4096];
    uint32_t count, all;
    ASSERT_EQ(HEM_OK, hem_instance_get_virtual(d.w.scene, d.w.id, NULL, 0, &all));
    ASSERT_EQ(HEM_OK, hem_instance_get_virtual(d.w.scene, d.w.id, v, 4096, &count));
    ASSERT_EQ(all, count);
    ASSERT(count > 30);
    ASSERT_EQ(0, report_of(&d).virtual_dropped_count);
    ASSERT_IN_RANGE((double)report_of(&d).virtual_count, (double)count, 0.2 * count);
    ASSERT_EQ(hash, hem_scene_hash(d.w.scene));
    for (uint32_t i = 0; i < count; ++i) {
        const double x = (double)v[i].position[0] - 0.02, y = (double)v[i].position[1] + 0.33;
        const double z = (double)v[i].position[2] - 0.03, r = sqrt(x * x + y * y + z * z);
        ASSERT(r > 0.3 * cos(3.15 / 20) && r < 0.31); // facets are a little inside, the thickness outside
        ASSERT(v[i].share > 0.0f && v[i].share < 1.0f);
        if (i > 0 && memcmp(v[i].particle, v[i - 1].particle, sizeof(v[i].particle)) == 0) {
            ASSERT(v[i].share > v[i - 1].share);
        }
    }
    close_draped(&d);
    ASSERT(open_draped(&d, "virtual_sheet", MESH_BALL, 20, size, 0, wanted_kernel()));
    ASSERT_EQ(HEM_OK, hem_instance_get_virtual(d.w.scene, d.w.id, v, 4096, &count));
    ASSERT_EQ(0, count);
    close_draped(&d);
    PASS();
}

// Room for fewer than there are: those are counted, nothing else changes hands, and the cloth stays cloth.
TEST what_finds_no_room_is_counted(void) {
    const float size[3] = {0.26f, 0.15f, 0.26f};
    for (uint32_t capacity = 1; capacity < 40; capacity += 13) {
        draped d;
        ASSERT(open_draped(&d, "virtual_sheet", MESH_BOX, 1, size, capacity, wanted_kernel()));
        put(&d, 0.02, -0.17, 0.03);
        world_step(&d.w, 1.0f / 60.0f, 0, 200);
        const hem_step_report r = report_of(&d);
        ASSERT(r.virtual_count <= capacity && r.virtual_dropped_count > 0);
        ASSERT_EQ(0, r.mended_count);
        hem_instance_stats stats;
        hem_instance_get_stats(d.w.scene, d.w.id, &stats);
        ASSERT(stats.penetration_max < 2e-3f);
        hem_scene_def def = hem_scene_def_default();
        const hem_slot_def slot = {&d.w.asset, 1};
        def.slots = &slot;
        def.slot_count = 1;
        def.virtual_capacity = 65536 + capacity;
        ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_def_check(&def, NULL, 0));
        close_draped(&d);
    }
    PASS();
}

// -- The surface that is drawn

typedef struct drawn {
    hem_refined refined;
    hem_refined_vertex vertices[4096];
    uint32_t indices[3 * 8192];
} drawn;

static drawn surfaces[2];

static hem_result draw(const draped* d, drawn* to) {
    memset(to, 0, sizeof(*to));
    to->refined = (hem_refined){to->vertices, to->indices, 4096, 8192, 0, 0, 0};
    return hem_instance_get_refined(d->w.scene, d->w.id, &to->refined);
}

static void drawn_at(const draped* d, const drawn* s, uint32_t index, double at[3]) {
    const uint32_t particles = d->w.view.info->particle_count;
    const hem_particle p = particle_at(&d->w, index < particles ? index : 0);
    for (int k = 0; k < 3; ++k) {
        at[k] = (double)(index < particles ? p.position[k] : s->vertices[index - particles].position[k]);
    }
}

// How deep a point lies in a convex mesh.
static double depth_in_soup(const soup* s, const float size[3], const double p[3]) {
    double depth = 1e9;
    for (uint32_t i = 0; i < s->triangle_count; ++i) {
        double c[3][3], n[3], length = 0, away = 0;
        for (int k = 0; k < 9; ++k) {
            c[k / 3][k % 3] = (double)s->positions[s->indices[3 * i + (uint32_t)k / 3]][k % 3] * (double)size[k % 3];
        }
        for (int k = 0; k < 3; ++k) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            n[k] = (c[1][u] - c[0][u]) * (c[2][v] - c[0][v]) - (c[1][v] - c[0][v]) * (c[2][u] - c[0][u]);
            length += n[k] * n[k];
            away += n[k] * (c[0][k] - p[k]);
        }
        depth = length > 1e-16 ? fmin(depth, away / sqrt(length)) : depth;
    }
    return depth;
}

// Every pair of corners that follow each other is there once, and the other way round once or, on the sheet's border, not at all.
// A disk has vertices - edges + triangles = 1.
static int is_a_disk(const draped* d, const drawn* s) {
    const uint32_t count = 3 * s->refined.triangle_count, particles = d->w.view.info->particle_count;
    static uint8_t used[8192];
    uint32_t edges = 0, vertices = 0;
    memset(used, 0, sizeof(used));
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t a = s->indices[i], b = s->indices[i % 3 == 2 ? i - 2 : i + 1];
        uint32_t same = 0, back = 0;
        used[a] = 1;
        for (uint32_t j = 0; j < count; ++j) {
            const uint32_t e = s->indices[j], f = s->indices[j % 3 == 2 ? j - 2 : j + 1];
            same += e == a && f == b;
            back += e == b && f == a;
        }
        if (same != 1 || back > 1 || a == b || a >= particles + s->refined.vertex_count) {
            return 0;
        }
        edges += back == 0 || a < b;
    }
    for (uint32_t i = 0; i < 8192; ++i) {
        vertices += used[i];
    }
    return vertices + s->refined.triangle_count == edges + 1;
}

// On a ball and on a table: nothing of them comes through, by brute force over all triangles; the faces fit together, all face one
// way and have the area of the sheet; the same from all kernels; and reading changes nothing.
TEST the_drawn_cloth_lies_outside_of_the_mesh(void) {
    static const mesh_kind kinds[2] = {MESH_BALL, MESH_BOX};
    for (int kind = 0; kind < 2; ++kind) {
        const float size[3] = {0.3f, kind ? 0.05f : 0.3f, 0.3f}, top = kind ? -0.07f : -0.33f;
        draped d, e;
        ASSERT(open_draped(&d, "virtual_sheet", kinds[kind], 20, size, 4096, wanted_kernel()));
        ASSERT(open_draped(&e, "virtual_sheet", kinds[kind], 20, size, 4096, reference_kernel()));
        put(&d, 0.02, (double)top, 0.03);
        put(&e, 0.02, (double)top, 0.03);
        world_step(&d.w, 1.0f / 60.0f, 0, 300);
        world_step(&e.w, 1.0f / 60.0f, 0, 300);
        const uint64_t hash = hem_scene_hash(d.w.scene);
        drawn* s = &surfaces[0];
        ASSERT_EQ(HEM_OK, draw(&d, s));
        ASSERT_EQ(HEM_OK, draw(&e, &surfaces[1]));
        ASSERT_EQ(hash, hem_scene_hash(d.w.scene));
        ASSERT_EQ(s->refined.triangle_count, surfaces[1].refined.triangle_count);
        ASSERT_EQ(0, memcmp(s->indices, surfaces[1].indices, sizeof(s->indices)));
        ASSERT_EQ(0, memcmp(s->vertices, surfaces[1].vertices, sizeof(s->vertices)));
        ASSERT_EQ(0, s->refined.dropped_count);
        ASSERT(s->refined.vertex_count > 30 && s->refined.triangle_count > 162);
        ASSERT(is_a_disk(&d, s));
        soup shape = soup_make(kinds[kind], 20);
        double area = 0, deepest = -1;
        for (uint32_t i = 0; i < s->refined.triangle_count; ++i) {
            double c[3][3], n2 = 0;
            for (int k = 0; k < 3; ++k) {
                drawn_at(&d, s, s->indices[3 * i + (uint32_t)k], c[k]);
            }
            for (int k = 0; k < 3; ++k) {
                const int u = (k + 1) % 3, v = (k + 2) % 3;
                n2 += pow((c[1][u] - c[0][u]) * (c[2][v] - c[0][v]) - (c[1][v] - c[0][v]) * (c[2][u] - c[0][u]), 2);
            }
            area += 0.5 * sqrt(n2);
            for (int u = 0; u <= 8; ++u) {
                for (int v = 0; u + v <= 8; ++v) {
                    double p[3];
                    for (int k = 0; k < 3; ++k) {
                        p[k] = c[0][k] + (c[1][k] - c[0][k]) * u / 8 + (c[2][k] - c[0][k]) * v / 8;
                    }
                    p[0] -= 0.02, p[1] -= (double)top, p[2] -= 0.03;
                    deepest = fmax(deepest, depth_in_soup(&shape, size, p));
                }
            }
        }
        if (getenv("HEM_DETERMINISM")) {
            printf("drawn: %u vertices, %u triangles, %.3f mm deep, %.4f m2\n", s->refined.vertex_count,
                   s->refined.triangle_count, 1e3 * deepest, area);
        }
        ASSERT(deepest < 1e-4);
        ASSERT_IN_RANGE(1.0, area, 0.04);
        for (uint32_t i = 0; i < s->refined.vertex_count; ++i) {
            const float* w = s->vertices[i].weight;
            ASSERT(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && fabsf(w[0] + w[1] + w[2] - 1.0f) < 1e-5f);
        }
        // Little room: coarser, counted, still nothing beyond it.
        hem_refined small = {s->vertices, s->indices, 9, 20, 0, 0, 0};
        const hem_refined_vertex after = s->vertices[9];
        ASSERT_EQ(HEM_OK, hem_instance_get_refined(d.w.scene, d.w.id, &small));
        ASSERT(small.vertex_count <= 9 && small.triangle_count >= 162 && small.dropped_count > 0);
        ASSERT_EQ(0, memcmp(&after, &s->vertices[9], sizeof(after)));
        soup_free(&shape);
        close_draped(&d);
        close_draped(&e);
    }
    PASS();
}

// -- Saves and bits

static void drive(draped* d, int step) {
    const double turn = 0.01 * (step > 60 ? step - 60 : 0);
    d->collider.rotation[1] = (float)sin(turn);
    d->collider.rotation[3] = (float)cos(turn);
    put(d, 0.02, -0.17 + 0.0005 * (step % 200), 0.03);
}

#define WRAPS_HASH 0xc2586cc232c15205ull

TEST all_kernels_and_a_restored_scene_give_the_same_bits(void) {
    static const mesh_kind kinds[] = {MESH_BOX, MESH_BALL, MESH_TORUS};
    const float size[3] = {0.26f, 0.15f, 0.26f};
    uint64_t hash = 0;
    for (int kind = 0; kind < 3; ++kind) {
        draped a, b, c;
        ASSERT(open_draped(&a, "virtual_sheet", kinds[kind], 12, size, 600, wanted_kernel()));
        ASSERT(open_draped(&b, "virtual_sheet", kinds[kind], 12, size, 600, reference_kernel()));
        ASSERT(open_draped(&c, "virtual_sheet", kinds[kind], 12, size, 600, reference_kernel()));
        hem_tuning t = world_tuning(&a.w);
        t.link_damping[HEM_LINK_WARP] = kind == 1 ? 0.1f : 0.0f;
        t.iterations = kind == 2 ? 3 : 1;
        world_tune(&a.w, &t);
        world_tune(&b.w, &t);
        world_tune(&c.w, &t);
        const size_t bytes = hem_scene_save_size(a.w.scene, HEM_SAVE_ALL);
        void* saved = malloc(bytes);
        uint32_t count = 0;
        for (int step = 0; step < 240; ++step) {
            drive(&a, step);
            drive(&b, step);
            if (step == 137) {
                ASSERT_EQ(HEM_OK, hem_scene_save(a.w.scene, HEM_SAVE_ALL, saved, bytes));
                ASSERT_EQ(HEM_OK, hem_scene_load(c.w.scene, saved, bytes));
            } else if (step > 137) {
                drive(&c, step);
            }
            const float dt = step % 5 ? 1.0f / 60.0f : 1.0f / 24.0f;
            world_step(&a.w, dt, 0, 1);
            world_step(&b.w, dt, 0, 1);
            ASSERT_EQ(hem_scene_hash(a.w.scene), hem_scene_hash(b.w.scene));
            if (step >= 137) {
                world_step(&c.w, dt, 0, 1);
                ASSERT_EQ(hem_scene_hash(a.w.scene), hem_scene_hash(c.w.scene));
            }
            count += report_of(&a).virtual_count;
        }
        ASSERT(count > 2000);
        hash = hash * 31 + hem_scene_hash(a.w.scene);
        // A save fits no scene with other room, and no state has a side that there is not.
        draped other;
        ASSERT(open_draped(&other, "virtual_sheet", kinds[kind], 12, size, 601, wanted_kernel()));
        ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(other.w.scene, saved, bytes));
        c.w.scene->instances[0].wrapped[3].now = 3;
        ASSERT_EQ(HEM_OK, hem_scene_save(c.w.scene, HEM_SAVE_ALL, saved, bytes));
        ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(a.w.scene, saved, bytes));
        free(saved);
        close_draped(&other);
        close_draped(&a);
        close_draped(&b);
        close_draped(&c);
    }
    if (getenv("HEM_DETERMINISM")) {
        printf("virtual particles 0x%016llx\n", (unsigned long long)hash);
    }
    ASSERT_EQ_FMT((unsigned long long)WRAPS_HASH, (unsigned long long)hash, "%llx"); // one constant for all builds
    PASS();
}

// -- The section

TEST wrong_edges_are_refused(void) {
    static const struct {
        size_t offset;
        uint32_t size, value;
        const char* field;
    } cases[] = {
        {offsetof(hem_virtual_edges, a), 2, 60000, "a"},
        {offsetof(hem_virtual_edges, b), 2, 60000, "b"},
        {offsetof(hem_virtual_edges, wing), 2, 60000, "wing"},
        {offsetof(hem_virtual_edges, wing) + 16, 2, 60000, "wing"},
        {offsetof(hem_virtual_edges, link), 4, 0x00ffffff, "link"},
        {offsetof(hem_virtual_edges, link), 4, HEM_VIRTUAL_INDEXED | 0x00ffffff, "link"},
        {offsetof(hem_virtual_edges, part), 1, 3, "part"},
        {offsetof(hem_virtual_edges, lane_mask), 1, 0, "lane_mask"},
        {offsetof(hem_virtual_edges, flags), 1, 4, "flags"},
        {offsetof(hem_virtual_edges, reserved), 4, 1, "reserved"},
    };
    size_t size;
    uint8_t* bytes = read_asset("virtual_sheet", &size);
    ASSERT(bytes);
    hem_view v;
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &v, NULL));
    ASSERT(v.virtual_edge_count > 30);
    const size_t at = (size_t)((const uint8_t*)v.virtual_edges - bytes);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        uint8_t* field = bytes + at + cases[i].offset;
        uint8_t before[4];
        memcpy(before, field, cases[i].size);
        memcpy(field, &cases[i].value, cases[i].size);
        ASSERT(hem_validate(bytes, size, &v, &fault) != HEM_FORMAT_OK);
        ASSERT_EQ(HEM_SECTION_VIRTUAL_EDGES, fault.section);
        ASSERT_STR_EQ(cases[i].field, fault.field);
        memcpy(field, before, cases[i].size);
    }
    // A link of two others.
    hem_virtual_edges* e = (hem_virtual_edges*)(void*)(bytes + at);
    const uint32_t first = e->link[0];
    e->link[0] = e->link[1];
    ASSERT(hem_validate(bytes, size, &v, &fault) != HEM_FORMAT_OK);
    e->link[0] = first;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &v, NULL));
    // Every edge of the triangulation has its triangles: 81 cells of two, five edges for each inner cell.
    uint32_t edges = 0, faces = 0, links = 0, borders = 0;
    for (uint32_t i = 0; i < v.virtual_edge_count * 8; ++i) {
        const hem_virtual_edges* one = &v.virtual_edges[i / 8];
        edges += one->lane_mask >> i % 8 & 1u;
        faces += one->face_mask >> i % 8 & 1u;
        links += one->link[i % 8] != HEM_VIRTUAL_NO_LINK;
        borders += (one->lane_mask >> i % 8 & 1u) && one->wing[1][i % 8] == HEM_VIRTUAL_NO_WING;
    }
    ASSERT_EQ(90 + 90 + 162, edges);
    ASSERT_EQ(90 + 90 + 81, faces);
    ASSERT_EQ(90 + 90 + 162, links);
    ASSERT_EQ(36, borders);
    free(bytes);
    PASS();
}

SUITE(wraps_suite) {
    RUN_TEST(what_finds_no_room_is_counted);
    RUN_TEST(all_kernels_and_a_restored_scene_give_the_same_bits);
    RUN_TEST(wrong_edges_are_refused);
    if (getenv("HEM_EMULATED")) {
        return; // see main.c
    }
    RUN_TEST(two_triangles_hang_on_a_box);
    RUN_TEST(faces_turn_the_same_way);
    RUN_TEST(without_virtual_particles_they_fall_through);
    RUN_TEST(cloth_hangs_on_a_wall);
    RUN_TEST(cloth_below_a_board_stays_there);
    RUN_TEST(virtual_particles_move_with_the_mesh);
    RUN_TEST(a_tablecloth_lies_outside_of_the_table);
    RUN_TEST(what_is_read_lies_on_the_mesh);
    RUN_TEST(the_drawn_cloth_lies_outside_of_the_mesh);
}
