// SPDX-License-Identifier: MIT
// Height fields against the same surface as a mesh of triangles, which brute force and the tests of meshes vouch for; and
// against their own heights, by formulas.

#include "tests/runtime/suites.h"
#include "tests/runtime/trimesh_kit.h"
#include "runtime/src/kernels/kernels.h"
#include "platform/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- The same surface twice

typedef struct twins {
    uint32_t columns, rows;
    float cell[2], *heights;
    void* bytes; // of the field
    hem_trimesh_report report;
    hem_trimesh field, mesh;
    built_mesh built; // of the mesh
} twins;

static int is_ground(const twins* t, uint32_t c, uint32_t r) {
    return t->heights[(size_t)r * t->columns + c] < HEM_NO_GROUND;
}

static void add_triangle(const twins* t, soup* s, const uint32_t corner[3]) {
    for (int k = 0; k < 3; ++k) {
        if (!is_ground(t, corner[k] % t->columns, corner[k] / t->columns)) {
            return;
        }
    }
    memcpy(s->indices + 3 * (size_t)s->triangle_count++, corner, 12);
}

static soup as_soup(const twins* t) {
    soup s = {.vertex_count = t->columns * t->rows};
    s.positions = malloc(s.vertex_count * sizeof(*s.positions));
    s.indices = malloc((size_t)s.vertex_count * 24);
    for (uint32_t i = 0; i < s.vertex_count; ++i) {
        const uint32_t c = i % t->columns, r = i / t->columns;
        s.positions[i][0] = (float)c * t->cell[0];
        s.positions[i][1] = is_ground(t, c, r) ? t->heights[i] : 0.0f;
        s.positions[i][2] = (float)r * t->cell[1];
        if (c + 1 < t->columns && r + 1 < t->rows) {
            add_triangle(t, &s, (const uint32_t[3]){i, i + t->columns, i + 1});
            add_triangle(t, &s, (const uint32_t[3]){i + 1, i + t->columns, i + t->columns + 1});
        }
    }
    return s;
}

static bool make_field(twins* t, int two_sided) {
    hem_trimesh_field_def def = hem_trimesh_field_def_default();
    hem_memory need;
    def.columns = t->columns;
    def.rows = t->rows;
    def.heights = t->heights;
    def.cell[0] = t->cell[0];
    def.cell[1] = t->cell[1];
    def.two_sided = two_sided;
    if (hem_trimesh_measure_field(&def, &need) != HEM_OK) {
        return false;
    }
    t->bytes = aligned_alloc(64, need.size);
    return hem_trimesh_build_field(&def, t->bytes, need.size, &t->report) == HEM_OK &&
           hem_trimesh_open(&t->field, t->bytes, t->report.size) == HEM_OK;
}

static bool make_twins(twins* t, int two_sided) {
    if (!make_field(t, two_sided)) {
        return false;
    }
    soup s = as_soup(t);
    hem_trimesh_def def = hem_trimesh_def_default();
    def.two_sided = two_sided;
    t->built = mesh_build(&s, &def);
    soup_free(&s);
    return t->built.result == HEM_OK && hem_trimesh_open(&t->mesh, t->built.bytes, t->built.report.size) == HEM_OK;
}

static void forget_twins(twins* t) {
    free(t->heights);
    free(t->bytes);
    mesh_free(&t->built);
}

// Hills of about half a cell to three cells, steps, flat land and holes.
static void make_heights(twins* t, uint32_t columns, uint32_t rows, float cell, dice* d, int holes) {
    memset(t, 0, sizeof(*t));
    t->columns = columns;
    t->rows = rows;
    t->cell[0] = cell;
    t->cell[1] = 1.25f * cell;
    t->heights = malloc((size_t)columns * rows * 4);
    for (uint32_t i = 0; i < columns * rows; ++i) {
        const float x = (float)(i % columns), z = (float)(i / columns);
        float y = cell * (1.5f * hem_sinf(0.4f * x) * hem_cosf(0.3f * z) + (float)dice_real(d));
        y = i % columns > columns / 2 && i / columns > rows / 2 ? 0.5f * cell : y;
        t->heights[i] = holes && dice_below(d, 23) == 0 ? HEM_NO_GROUND : y;
    }
}

TEST a_field_has_the_triangles_of_its_cells(void) {
    static const uint32_t sides[][2] = {{2, 2}, {5, 2}, {2, 9}, {6, 9}, {17, 17}, {18, 3}, {40, 70}, {131, 140}};
    dice d = {5};
    for (size_t n = 0; n < HEM_COUNT_OF(sides); ++n) {
        twins t;
        make_heights(&t, sides[n][0], sides[n][1], 0.25f, &d, n > 3);
        ASSERT(make_twins(&t, 0));
        const hem_trimesh_view *f = hemi_trimesh_view(&t.field), *m = hemi_trimesh_view(&t.mesh);
        ASSERT_EQ(m->header->triangle_count, f->header->triangle_count);
        hem_trimesh_info info;
        hem_trimesh_get_info(&t.field, &info);
        ASSERT_EQ(sides[n][0], info.columns);
        ASSERT_EQ(192u + (4 * (size_t)info.columns * info.rows + 63) / 64 * 64, info.size);
        // All that is there, and nothing twice: areas and volumes of blocks that can be reached through boxes which hold them.
        double area[2] = {0, 0}, volume[2] = {0, 0};
        uint32_t seen = 0, borders = 0, convex = 0, concave = 0, edges = 0;
        for (uint32_t block = 0; block < f->block_count; ++block) {
            HEM_ALIGN(32) hem_trimesh_corners c;
            hemi_field_corners(f, block, &c);
            for (uint32_t lane = 0; lane < 8; ++lane) {
                hem_vec3 p[3];
                if (!hemi_field_triangle(f, block * 8 + lane, p)) {
                    ASSERT(c.at[0][0][lane] > 1e14f);
                    continue;
                }
                ++seen;
                for (int k = 0; k < 3; ++k) {
                    ASSERT(p[k].x == c.at[k][0][lane] && p[k].y == c.at[k][1][lane] && p[k].z == c.at[k][2][lane]);
                    const hemi_mesh_edge e = hemi_field_edge(f, block * 8 + lane, (uint32_t)k);
                    if (e.triangle[0] != block * 8 + lane) {
                        continue;
                    }
                    ++edges;
                    borders += e.flags == HEM_TRIMESH_EDGE_BORDER;
                    convex += e.flags == HEM_TRIMESH_EDGE_CONVEX;
                    concave += e.flags == HEM_TRIMESH_EDGE_CONCAVE;
                }
                const hem_vec3 normal = hem_vec3_cross(hem_vec3_sub(p[1], p[0]), hem_vec3_sub(p[2], p[0]));
                ASSERT(normal.y > 0.0f);
                area[0] += (double)hem_vec3_length(normal);
                volume[0] += (double)normal.y * ((double)p[0].y + (double)p[1].y + (double)p[2].y);
                uint32_t index = block;
                for (uint32_t level = 0; level < f->level_count; ++level, index /= 8) {
                    hem_trimesh_node node;
                    hemi_field_node(f, level, index / 8, &node);
                    for (int k = 0; k < 9; ++k) {
                        const float x = c.at[k / 3][k % 3][lane];
                        ASSERT(x >= node.low[k % 3][index % 8] && x <= node.high[k % 3][index % 8]);
                    }
                }
            }
        }
        for (uint32_t i = 0; i < m->header->triangle_count; ++i) {
            hem_vec3 p[3];
            for (int k = 0; k < 3; ++k) {
                const float* at = m->vertices[m->names[i / 8].vertex[k][i % 8]].position;
                p[k] = hem_vec3_make(at[0], at[1], at[2]);
            }
            const hem_vec3 normal = hem_vec3_cross(hem_vec3_sub(p[1], p[0]), hem_vec3_sub(p[2], p[0]));
            area[1] += (double)hem_vec3_length(normal);
            volume[1] += (double)normal.y * ((double)p[0].y + (double)p[1].y + (double)p[2].y);
        }
        ASSERT_EQ(m->header->triangle_count, seen);
        ASSERT_EQ(m->header->edge_count, edges);
        ASSERT_EQ(m->header->border_count, borders);
        uint32_t bends[2] = {0, 0};
        for (uint32_t i = 0; i < m->header->edge_count; ++i) {
            bends[0] += m->edges[i].flags == HEM_TRIMESH_EDGE_CONVEX;
            bends[1] += m->edges[i].flags == HEM_TRIMESH_EDGE_CONCAVE;
        }
        ASSERT_EQ(bends[0], convex);
        ASSERT_EQ(bends[1], concave);
        ASSERT_IN_RANGE(area[1], area[0], 1e-5 * area[1]);
        ASSERT_IN_RANGE(volume[1], volume[0], 1e-5 * fabs(volume[1]) + 1e-6);
        forget_twins(&t);
    }
    PASS();
}

static hemi_mesh_shape shape_of(const hem_trimesh* mesh) {
    const hem_trimesh_view* view = hemi_trimesh_view(mesh);
    return (hemi_mesh_shape){.view = view, .nodes = view->nodes, .corners = view->corners, .now = 1};
}

static int is_over(const twins* t, double x, double z) {
    return x >= 0 && z >= 0 && x < (t->columns - 1) * (double)t->cell[0] && z < (t->rows - 1) * (double)t->cell[1];
}

static double height_at(const twins* t, double x, double z) {
    const double u = x / (double)t->cell[0], w = z / (double)t->cell[1];
    const uint32_t c = (uint32_t)u, r = (uint32_t)w;
    const float* y = t->heights + (size_t)r * t->columns + c;
    const double a = y[0], b = y[1], e = y[t->columns], f = y[t->columns + 1], s = u - c, q = w - r;
    return s + q <= 1 ? a + (b - a) * s + (e - a) * q : f + (e - f) * (1 - s) + (b - f) * (1 - q);
}

// Where a way leads, near and far, through hills, holes and borders: what the mesh says of the same triangles. And of what
// lies over ground: below it is what its height says.
TEST particles_find_a_field_as_they_find_the_mesh(void) {
    dice d = {23};
    const hemi_kernels* kernels = hemi_kernels_choose(wanted_kernel());
    uint32_t through = 0, below = 0, above = 0;
    for (int kind = 0; kind < 8; ++kind) {
        twins t;
        make_heights(&t, 9 + 23 * (uint32_t)kind, 70 - 8 * (uint32_t)kind, 0.1f, &d, kind % 2);
        ASSERT(make_twins(&t, kind / 4));
        const hemi_mesh_shape field = shape_of(&t.field), mesh = shape_of(&t.mesh);
        for (int round = 0; round < 400; ++round) {
            hemi_mesh_touch a, b;
            memset(&a, 0, sizeof(a));
            for (uint32_t lane = 0; lane < 8; ++lane) {
                const double reach = lane < 4 ? 0.06 : 1.0;
                const double x = (double)(t.columns - 1) * (double)t.cell[0] * (1.1 * dice_real(&d) - 0.05);
                const double z = (double)(t.rows - 1) * (double)t.cell[1] * (1.1 * dice_real(&d) - 0.05);
                a.from.x[lane] = (float)(x + reach * (dice_real(&d) - 0.5));
                a.to.x[lane] = (float)(x + reach * (dice_real(&d) - 0.5));
                a.from.z[lane] = (float)(z + reach * (dice_real(&d) - 0.5));
                a.to.z[lane] = (float)(z + reach * (dice_real(&d) - 0.5));
                a.from.y[lane] = (float)(0.05 + 0.5 * (dice_real(&d) - 0.4));
                a.to.y[lane] = (float)(0.05 + 0.5 * (dice_real(&d) - 0.5));
                a.margin[lane] = 0.02f;
            }
            b = a;
            const uint32_t touching = kernels->touch_mesh(&field, &a, 0xff);
            if (touching != kernels->touch_mesh(&mesh, &b, 0xff)) {
                FAILm("another touch");
            }
            for (uint32_t i = 0; i < 8; ++i) {
                ASSERT_EQ(b.through[i], a.through[i]);
                ASSERT_IN_RANGE((double)b.reached[i], (double)a.reached[i], 1e-5);
                through += a.through[i];
                if (touching >> i &
                    1u) { // of two triangles that are equally near, or crossed at once, it may be either
                    const double up[3] = {(double)(a.normal.x[i] - b.normal.x[i]),
                                          (double)(a.normal.y[i] - b.normal.y[i]),
                                          (double)(a.normal.z[i] - b.normal.z[i])};
                    const int alike = fabs(up[0]) + fabs(up[1]) + fabs(up[2]) < 2e-3;
                    ASSERT(alike || a.through[i]);
                    ASSERT(!alike || fabs((double)(a.depth[i] - b.depth[i])) < 1e-5);
                }
                // Away from the borders, below is below.
                const double x = (double)a.to.x[i], z = (double)a.to.z[i];
                const int inner = x > 0.2 && z > 0.2 && x < (double)(t.columns - 3) * (double)t.cell[0] &&
                                  z < (double)(t.rows - 3) * (double)t.cell[1];
                if (inner && kind % 2 == 0 && kind < 4 && !a.through[i] && a.depth[i] > 0.0f) {
                    const int sunk = (double)a.to.y[i] < height_at(&t, x, z);
                    ASSERT_EQ(sunk, a.depth[i] > a.margin[i]);
                    below += (uint32_t)sunk;
                    above += !sunk;
                }
            }
        }
        forget_twins(&t);
    }
    ASSERT(through > 2000 && below > 100 && above > 100);
    PASS();
}

// -- In a scene

typedef struct field_world {
    world w;
    twins t;
    hem_mesh_def slot;
    hem_collider collider;
} field_world;

static bool open_field(field_world* f, const char* asset, hem_kernel kernel) {
    hem_scene_def def = hem_scene_def_default();
    f->slot = (hem_mesh_def){&f->t.field, 0, 0};
    def.meshes = &f->slot;
    def.mesh_count = 1;
    def.kernel = kernel;
    f->collider = hem_collider_default();
    f->collider.kind = HEM_COLLIDER_MESH;
    f->collider.friction = 0.5f;
    return world_open(&f->w, asset, &def, NULL, 1);
}

static void put(field_world* f, double x, double y, double z) {
    f->collider.position[0] = x;
    f->collider.position[1] = y;
    f->collider.position[2] = z;
    hem_instance_set_colliders(f->w.scene, f->w.id, &f->collider, 1);
}

static void tune(field_world* f, float thickness) {
    hem_tuning t = world_tuning(&f->w);
    t.collision_thickness = thickness;
    t.friction = 0.5f;
    t.restitution = 0.0f;
    t.damping = 0.0f;
    world_tune(&f->w, &t);
}

// Steep valleys, from half a metre wide to hardly wider than the thickness, of a field and of a mesh: what slides along one slope
// must not slide through the next.
TEST nothing_falls_through_rough_ground_at_40_metres_a_second(void) {
    uint32_t all = 0;
    for (int seed = 0; seed < as_long_as(12, 3); ++seed) {
        for (int fine = 0; fine < 3; ++fine) {
            const int speed = 10 << seed % 3;
            field_world f = {0};
            dice d = {(uint64_t)seed};
            const float cell = fine == 0 ? 0.5f : fine == 1 ? 0.03f : 0.004f;
            make_heights(&f.t, 90, 90, cell, &d, 0);
            ASSERT(make_twins(&f.t, 0));
            f.t.field = seed % 2 ? f.t.mesh : f.t.field;
            ASSERT(open_field(&f, "free", wanted_kernel()));
            tune(&f, 0.004f);
            const float none[3] = {0, 0, 0};
            hem_instance_set_gravity(f.w.scene, f.w.id, none);
            const double middle = 45.3 * (double)cell;
            put(&f, -middle, -0.7 - 5 * (double)cell, -1.25 * middle);
            world_throw(&f.w, 1.0f / 240.0f, 0, (float)-speed, 0);
            uint32_t touched = 0;
            for (int i = 0; i < 40; ++i) {
                world_step(&f.w, 1.0f / 60.0f, i % 2 ? 1 : 0, 1);
                const hem_particle p = particle_at(&f.w, nth_particle(&f.w, false, 0));
                const double x = (double)p.position[0] + middle, z = (double)p.position[2] + 1.25 * middle;
                if (!is_over(&f.t, x, z)) {
                    break; // it slid off
                }
                const double over = (double)p.position[1] + 0.7 + 5 * (double)cell - height_at(&f.t, x, z);
                ASSERT(over > -1e-4);
                hem_step_report report;
                hem_scene_get_report(f.w.scene, &report);
                touched += report.contact_count > 0;
            }
            all += touched;
            world_close(&f.w);
            forget_twins(&f.t);
        }
    }
    ASSERT(all > 10);
    PASS();
}

// Cloth on hills, as lists and tree have them in a scene: no particle ends below the ground, and where there is none they fall.
TEST cloth_lies_on_a_field_and_falls_through_its_holes(void) {
    static const float cells[] = {0.2f, 0.05f, 0.01f, 0.004f};
    for (size_t n = 0; n < HEM_COUNT_OF(cells); ++n) {
        for (int hole = 0; hole < 2; ++hole) {
            field_world f = {0};
            dice d = {n};
            const uint32_t side = (uint32_t)(2.4f / cells[n]) + 2;
            make_heights(&f.t, side, side, cells[n], &d, 0);
            for (uint32_t i = 0; i < side * side && hole; ++i) {
                const float x = ((float)(i % side) / (float)side - 0.5f), z = ((float)(i / side) / (float)side - 0.5f);
                f.t.heights[i] = x * x + z * z < 0.16f ? HEM_NO_GROUND : f.t.heights[i];
            }
            ASSERT(make_field(&f.t, 0) && open_field(&f, "loose", wanted_kernel()));
            tune(&f, 0.006f);
            const double x0 = -1.2, y0 = -0.4, z0 = -1.5;
            put(&f, x0, y0, z0);
            uint32_t touched = 0, fallen = 0;
            for (int step = 0; step < as_long_as(150, 60); ++step) {
                world_step(&f.w, 1.0f / 60.0f, 0, 1);
                for (uint32_t i = 0; i < f.w.view.info->particle_count; ++i) {
                    const hem_particle p = particle_at(&f.w, i);
                    if (p.flags & HEM_PARTICLE_PAD) {
                        continue;
                    }
                    const double x = (double)p.position[0] - x0, z = (double)p.position[2] - z0;
                    fallen += (double)p.position[1] < y0 - 0.7;
                    if (hole || !is_over(&f.t, x, z)) {
                        continue;
                    }
                    const double over = (double)p.position[1] - y0 - height_at(&f.t, x, z);
                    touched += over < 0.02;
                    if (over < 0.0) {
                        printf("cell %g step %d particle %u: %g\n", (double)cells[n], step, i, over);
                        FAIL();
                    }
                }
            }
            ASSERT_EQ(hole, fallen > 0);
            ASSERT(hole || touched > 50);
            world_close(&f.w);
            forget_twins(&f.t);
        }
    }
    PASS();
}

static double lowest_of(const twins* t, double x0, double y0, double z0, const hem_virtual_particle* v,
                        uint32_t count) {
    double least = 1e30;
    for (uint32_t i = 0; i < count; ++i) {
        const double x = (double)v[i].position[0] - x0, z = (double)v[i].position[2] - z0;
        if (!is_over(t, x, z)) {
            continue;
        }
        const double over = (double)v[i].position[1] - y0 - height_at(t, x, z);
        least = over < least ? over : least;
    }
    return least;
}

// Coarse cloth over a ridge: its edges go around it as they do around a mesh's.
TEST edges_of_cloth_go_around_a_ridge(void) {
    field_world f = {0};
    f.t.columns = 41;
    f.t.rows = 3;
    f.t.cell[0] = 0.05f;
    f.t.cell[1] = 1.0f;
    f.t.heights = malloc(sizeof(float) * 41 * 3);
    for (uint32_t i = 0; i < 41 * 3; ++i) {
        f.t.heights[i] = i % 41 == 20 ? 0.2f : 0.0f;
    }
    ASSERT(make_field(&f.t, 0) && open_field(&f, "virtual_sheet", wanted_kernel()));
    tune(&f, 0.004f);
    put(&f, -0.97, -0.3, -1.0);
    hem_virtual_particle v[256];
    uint32_t count = 0;
    world_step(&f.w, 1.0f / 60.0f, 0, 240);
    ASSERT_EQ(HEM_OK, hem_instance_get_virtual(f.w.scene, f.w.id, v, 256, &count));
    ASSERT(count > 3 && count <= 256);
    ASSERT(lowest_of(&f.t, -0.97, -0.3, -1.0, v, count) > 0.003);
    world_close(&f.w);
    forget_twins(&f.t);
    PASS();
}

// -- Refusals

TEST wrong_fields_are_refused(void) {
    float heights[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    HEM_ALIGN(64) uint8_t block[256];
    hem_trimesh_field_def good = hem_trimesh_field_def_default(), def;
    hem_memory need;
    hem_trimesh_report report;
    hem_trimesh mesh;
    good.columns = 4;
    good.rows = 3;
    good.heights = heights;
    ASSERT_EQ(HEM_OK, hem_trimesh_measure_field(&good, &need));
    ASSERT_EQ(256u, need.size);
    ASSERT_EQ(HEM_ERROR_MEMORY, hem_trimesh_build_field(&good, block, 255, &report));
    ASSERT_EQ(HEM_ERROR_NULL, hem_trimesh_build_field(&good, NULL, 256, &report));
    ASSERT_EQ(HEM_ERROR_NULL, hem_trimesh_measure_field(NULL, &need));
#define WRONG(code, change)                                                                                            \
    do {                                                                                                               \
        def = good;                                                                                                    \
        change;                                                                                                        \
        ASSERT_EQm(#change, code, hem_trimesh_build_field(&def, block, sizeof(block), &report));                       \
    } while (0)
    WRONG(HEM_ERROR_COOKIE, def.cookie = 0);
    WRONG(HEM_ERROR_NULL, def.heights = NULL);
    WRONG(HEM_ERROR_COUNT, def.columns = 1);
    WRONG(HEM_ERROR_COUNT, def.rows = 8194);
    WRONG(HEM_ERROR_RANGE, def.cell[0] = 0);
    WRONG(HEM_ERROR_RANGE, def.cell[1] = NAN);
    WRONG(HEM_ERROR_RANGE, def.cell[1] = 1e5f);
    WRONG(HEM_ERROR_RANGE, def.stride = 12);
    WRONG(HEM_ERROR_RANGE, def.stride = 17);
    heights[6] = NAN;
    WRONG(HEM_ERROR_RANGE, def.two_sided = 1);
    ASSERT_EQ(6u, report.bad_vertex);
    ASSERT_EQ(HEM_ERROR_ASSET, hem_trimesh_open(&mesh, block, sizeof(block))); // nothing half made
    heights[6] = 2e5f;
    WRONG(HEM_ERROR_RANGE, def.two_sided = 1);
    heights[6] = 6;
    heights[1] = heights[4] = heights[6] = heights[9] = heights[3] = heights[11] = HEM_NO_GROUND;
    WRONG(HEM_ERROR_COUNT, def.two_sided = 1); // no triangle is left
    // Rows apart from each other, and heights that are where they belong.
    float* inside = (float*)(void*)(block + 192);
    def = good;
    def.columns = 2;
    def.stride = 16;
    for (int i = 0; i < 12; ++i) {
        heights[i] = (float)i;
    }
    ASSERT_EQ(HEM_OK, hem_trimesh_build_field(&def, block, sizeof(block), NULL));
    ASSERT(inside[2] == 4.0f && inside[5] == 9.0f && inside[6] == 0.0f);
    inside[3] = 0.5f;
    def.heights = inside;
    def.stride = 0;
    ASSERT_EQ(HEM_OK, hem_trimesh_build_field(&def, block, sizeof(block), NULL));
    ASSERT(inside[3] == 0.5f);
    ASSERT_EQ(HEM_OK, hem_trimesh_open(&mesh, block, sizeof(block)));
    PASS();
}

// -- Saves and bits

#define FIELDS_HASH 0xeda13a86be007bbbull

TEST all_kernels_and_a_restored_scene_give_the_same_bits(void) {
    field_world a = {0}, b = {0}, c = {0};
    field_world* all[3] = {&a, &b, &c};
    for (int i = 0; i < 3; ++i) {
        dice d = {11};
        make_heights(&all[i]->t, 60, 50, 0.04f, &d, 1);
        ASSERT(make_field(&all[i]->t, 0));
        ASSERT(open_field(all[i], "virtual_sheet", i == 0 ? wanted_kernel() : reference_kernel()));
        tune(all[i], 0.005f);
    }
    const size_t size = hem_scene_save_size(a.w.scene, HEM_SAVE_ALL);
    void* saved = malloc(size);
    uint32_t contacts = 0;
    for (int step = 0; step < 240; ++step) {
        for (int i = 0; i < 3; ++i) {
            all[i]->collider.rotation[1] = hem_sinf(0.002f * (float)step);
            all[i]->collider.rotation[3] = hem_cosf(0.002f * (float)step);
            put(all[i], -1.2 + 0.0005 * step, -0.35, -1.3);
        }
        if (step == 117) {
            ASSERT_EQ(HEM_OK, hem_scene_save(a.w.scene, HEM_SAVE_ALL, saved, size));
            ASSERT_EQ(HEM_OK, hem_scene_load(c.w.scene, saved, size));
        }
        const float dt = step % 5 ? 1.0f / 60.0f : 1.0f / 24.0f;
        world_step(&a.w, dt, 0, 1);
        world_step(&b.w, dt, 0, 1);
        ASSERT_EQ(hem_scene_hash(a.w.scene), hem_scene_hash(b.w.scene));
        if (step >= 117) {
            world_step(&c.w, dt, 0, 1);
            ASSERT_EQ(hem_scene_hash(a.w.scene), hem_scene_hash(c.w.scene));
        }
        hem_step_report report;
        hem_scene_get_report(a.w.scene, &report);
        contacts += report.contact_count;
    }
    ASSERT(contacts > 1000);
    // Of other heights a save is refused.
    field_world other = {0};
    dice d = {12};
    make_heights(&other.t, 60, 50, 0.04f, &d, 1);
    ASSERT(make_field(&other.t, 0) && open_field(&other, "virtual_sheet", wanted_kernel()));
    ASSERT_EQ(HEM_ERROR_STATE, hem_scene_load(other.w.scene, saved, size));
    const uint64_t hash = hem_scene_hash(a.w.scene);
    if (getenv("HEM_DETERMINISM")) {
        printf("height fields 0x%016llx\n", (unsigned long long)hash);
    }
    ASSERT_EQ_FMT((unsigned long long)FIELDS_HASH, (unsigned long long)hash, "%llx"); // one constant for all builds
    free(saved);
    for (int i = 0; i < 3; ++i) {
        world_close(&all[i]->w);
        forget_twins(&all[i]->t);
    }
    world_close(&other.w);
    forget_twins(&other.t);
    PASS();
}

SUITE(fields_suite) {
    RUN_TEST(all_kernels_and_a_restored_scene_give_the_same_bits);
    RUN_TEST(particles_find_a_field_as_they_find_the_mesh);
    if (getenv("HEM_EMULATED")) {
        return; // see main.c
    }
    RUN_TEST(a_field_has_the_triangles_of_its_cells);
    RUN_TEST(nothing_falls_through_rough_ground_at_40_metres_a_second);
    RUN_TEST(cloth_lies_on_a_field_and_falls_through_its_holes);
    RUN_TEST(edges_of_cloth_go_around_a_ridge);
    RUN_TEST(wrong_fields_are_refused);
}
