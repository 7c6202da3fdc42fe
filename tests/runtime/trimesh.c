// SPDX-License-Identifier: MIT
// Triangle meshes against brute force in doubles: every triangle for every particle, no hierarchy, no lanes.

#include "tests/runtime/suites.h"
#include "tests/runtime/trimesh_kit.h"
#include "runtime/src/kernels/kernels.h"
#include "platform/hash.h"

#define MESH_HASH 0xfd2b9672614911dbull

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Brute force

static vec3d sub(vec3d a, vec3d b) {
    return (vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(vec3d a, vec3d b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec3d cross(vec3d a, vec3d b) {
    return (vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static vec3d along(vec3d a, vec3d b, double t) {
    return (vec3d){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t};
}

static vec3d vertex_of(const hem_trimesh_view* v, uint32_t triangle, uint32_t k) {
    const float* p = v->vertices[v->names[triangle / 8].vertex[k % 3][triangle % 8]].position;
    return (vec3d){p[0], p[1], p[2]};
}

// By regions, as in the textbooks.
static vec3d nearest_on(vec3d p, vec3d a, vec3d b, vec3d c) {
    vec3d ab = sub(b, a), ac = sub(c, a), ap = sub(p, a), bp = sub(p, b), cp = sub(p, c);
    double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
    double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (d1 <= 0 && d2 <= 0) {
        return a;
    }
    if (d3 >= 0 && d4 <= d3) {
        return b;
    }
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        return along(a, b, d1 / (d1 - d3));
    }
    if (d6 >= 0 && d5 <= d6) {
        return c;
    }
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        return along(a, c, d2 / (d2 - d6));
    }
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        return along(b, c, (d4 - d3) / (d4 - d3 + d5 - d6));
    }
    double v = vb / (va + vb + vc), w = vc / (va + vb + vc);
    return (vec3d){a.x + ab.x * v + ac.x * w, a.y + ab.y * v + ac.y * w, a.z + ab.z * v + ac.z * w};
}

// 1 inside by the solid angle that the closed mesh fills as seen from p.
static int is_inside(const hem_trimesh_view* v, vec3d p) {
    double sum = 0;
    for (uint32_t t = 0; t < v->header->triangle_count; ++t) {
        vec3d a = sub(vertex_of(v, t, 0), p), b = sub(vertex_of(v, t, 1), p), c = sub(vertex_of(v, t, 2), p);
        double la = sqrt(dot(a, a)), lb = sqrt(dot(b, b)), lc = sqrt(dot(c, c));
        sum += 2 * atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
    }
    return sum > 6.0;
}

// Time at which the way first goes through the mesh from its front (or either side), 2 = never.
static double first_crossing(const hem_trimesh_view* v, vec3d from, vec3d to) {
    int both = (v->header->flags & HEM_TRIMESH_TWO_SIDED) != 0;
    double first = 2;
    for (uint32_t t = 0; t < v->header->triangle_count; ++t) {
        vec3d a = vertex_of(v, t, 0), b = vertex_of(v, t, 1), c = vertex_of(v, t, 2);
        vec3d n = cross(sub(b, a), sub(c, a));
        double d0 = dot(sub(from, a), n), d1 = dot(sub(to, a), n);
        if (!((d0 > 0 && d1 <= 0) || (both && d0 < 0 && d1 >= 0))) {
            continue;
        }
        double time = d0 / (d0 - d1);
        vec3d x = along(from, to, time);
        if (dot(cross(sub(b, a), sub(x, a)), n) >= 0 && dot(cross(sub(c, b), sub(x, b)), n) >= 0 &&
            dot(cross(sub(a, c), sub(x, c)), n) >= 0) {
            first = time < first ? time : first;
        }
    }
    return first;
}

// -- Building

TEST built_meshes_are_valid_and_hold_every_triangle(void) {
    for (int kind = 0; kind < MESH_KINDS; ++kind) {
        soup s = soup_make((mesh_kind)kind, 24);
        built_mesh m = mesh_build(&s, NULL);
        hem_trimesh_view view;
        hem_trimesh_fault_place fault;
        hem_trimesh_result result = hem_trimesh_validate(m.bytes, m.report.size, &view, &fault);
        if (result != HEM_TRIMESH_OK) {
            printf("kind %d: %s %s %u\n", kind, fault.array, fault.field, fault.element);
        }
        ASSERT_EQ(HEM_TRIMESH_OK, result);
        ASSERT_EQ(s.triangle_count, view.header->triangle_count + m.report.degenerate_count + m.report.duplicate_count);
        ASSERT_EQ(s.closed, (view.header->flags & HEM_TRIMESH_CLOSED) != 0);
        // The triangles are those that went in: volumes and areas do not depend on their order.
        double in = 0, out = 0;
        for (uint32_t t = 0; t < s.triangle_count; ++t) {
            vec3d p[3];
            for (int k = 0; k < 3; ++k) {
                const float* x = s.positions[s.indices[3 * t + (uint32_t)k]];
                p[k] = (vec3d){x[0], x[1], x[2]};
            }
            vec3d n = cross(sub(p[1], p[0]), sub(p[2], p[0]));
            in += dot(p[0], cross(p[1], p[2])) + sqrt(dot(n, n));
        }
        for (uint32_t t = 0; t < view.header->triangle_count; ++t) {
            vec3d a = vertex_of(&view, t, 0), b = vertex_of(&view, t, 1), c = vertex_of(&view, t, 2);
            vec3d n = cross(sub(b, a), sub(c, a));
            out += dot(a, cross(b, c)) + sqrt(dot(n, n));
        }
        ASSERT_IN_RANGE(in, out, 1e-9 * fabs(in) + 1e-12);
        mesh_free(&m);
        soup_free(&s);
    }
    PASS();
}

TEST edges_know_their_bend_and_their_border(void) {
    soup s = soup_make(MESH_BOX, 1);
    built_mesh m = mesh_build(&s, NULL);
    hem_trimesh_view view;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.report.size, &view, NULL));
    ASSERT_EQ(8u, view.header->vertex_count);
    ASSERT_EQ(18u, view.header->edge_count);
    uint32_t convex = 0, flat = 0;
    for (uint32_t i = 0; i < 18; ++i) {
        convex += view.edges[i].flags == HEM_TRIMESH_EDGE_CONVEX;
        flat += view.edges[i].flags == 0;
    }
    ASSERT_EQ(12u, convex);
    ASSERT_EQ(6u, flat);
    for (uint32_t i = 0; i < 8; ++i) { // the corner's normal is its diagonal, however its faces are cut
        for (int k = 0; k < 3; ++k) {
            ASSERT_IN_RANGE(view.vertices[i].position[k] > 0 ? 0.57735 : -0.57735, view.vertices[i].normal[k], 1e-5);
        }
    }
    mesh_free(&m);
    // Inside out, every bend is concave.
    for (uint32_t t = 0; t < s.triangle_count; ++t) {
        uint32_t swap = s.indices[3 * t];
        s.indices[3 * t] = s.indices[3 * t + 1];
        s.indices[3 * t + 1] = swap;
    }
    m = mesh_build(&s, NULL);
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.report.size, &view, NULL));
    uint32_t concave = 0;
    for (uint32_t i = 0; i < 18; ++i) {
        concave += view.edges[i].flags == HEM_TRIMESH_EDGE_CONCAVE;
    }
    ASSERT_EQ(12u, concave);
    mesh_free(&m);
    // Without its last triangle it has a border of three, and one turned over tears three edges.
    s.triangle_count -= 1;
    m = mesh_build(&s, NULL);
    ASSERT_EQ(3u, m.report.border_count);
    ASSERT_EQ(0u, m.report.torn_count);
    mesh_free(&m);
    s.triangle_count += 1;
    uint32_t swap = s.indices[0];
    s.indices[0] = s.indices[1];
    s.indices[1] = swap;
    m = mesh_build(&s, NULL);
    ASSERT_EQ(0u, m.report.border_count);
    ASSERT_EQ(3u, m.report.torn_count);
    mesh_free(&m);
    soup_free(&s);
    PASS();
}

TEST bad_triangles_are_left_out_or_refused(void) {
    float p[7][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {2, 0, 0}, {0, 0, 1}, {-0.0f, 0, 0}};
    uint32_t i[18] = {0,
                      1,
                      2,
                      /* a twin */ 2,
                      3,
                      1,
                      /* turned over */ 0,
                      2,
                      1,
                      /* no area */ 0,
                      1,
                      4,
                      /* two corners in one place */ 0,
                      6,
                      5,
                      /* good */ 0,
                      5,
                      1};
    hem_trimesh_def def = hem_trimesh_def_default();
    def.positions = p[0];
    def.vertex_count = 7;
    def.indices = i;
    def.triangle_count = 6;
    hem_memory need, aside;
    ASSERT_EQ(HEM_OK, hem_trimesh_measure(&def, &need, &aside));
    void *block = aligned_alloc(64, need.size), *scratch = aligned_alloc(64, (aside.size + 63) / 64 * 64);
    hem_trimesh_report report;
    ASSERT_EQ(HEM_OK, hem_trimesh_build(&def, block, need.size, scratch, aside.size, &report));
    ASSERT_EQ(2u, report.degenerate_count);
    ASSERT_EQ(2u, report.duplicate_count);
    hem_trimesh mesh;
    hem_trimesh_info info;
    ASSERT_EQ(HEM_OK, hem_trimesh_open(&mesh, block, report.size));
    ASSERT_EQ(HEM_OK, hem_trimesh_get_info(&mesh, &info));
    ASSERT_EQ(2u, info.triangle_count);
    ASSERT_EQ(4u, info.vertex_count);
    ASSERT_EQ(HEM_ERROR_MEMORY, hem_trimesh_build(&def, block, need.size - 64, scratch, aside.size, &report));
    ASSERT_EQ(HEM_ERROR_MEMORY, hem_trimesh_build(&def, block, need.size, scratch, aside.size - 1, &report));
    i[4] = 7;
    ASSERT_EQ(HEM_ERROR_COUNT, hem_trimesh_build(&def, block, need.size, scratch, aside.size, &report));
    i[4] = 3;
    p[5][1] = NAN;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_trimesh_build(&def, block, need.size, scratch, aside.size, &report));
    ASSERT_EQ(5u, report.bad_vertex);
    ASSERT_EQ(HEM_ERROR_ASSET, hem_trimesh_open(&mesh, block, need.size)); // nothing half made
    p[5][1] = 0;
    def.triangle_count = 1;
    i[2] = 1;
    ASSERT_EQ(HEM_ERROR_COUNT, hem_trimesh_build(&def, block, need.size, scratch, aside.size, &report));
    def.cookie = 0;
    ASSERT_EQ(HEM_ERROR_COOKIE, hem_trimesh_measure(&def, &need, &aside));
    free(block);
    free(scratch);
    PASS();
}

// From what floats can hardly tell apart to the size of a country: a triangle is left out, or it has a normal of length one.
TEST triangles_of_any_size_have_normals_or_are_left_out(void) {
    static const float shapes[3][3][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},        // a half square
                                          {{0, 0, 0}, {1, 0, 0}, {0.5f, 4e-6f, 0}}, // a sliver
                                          {{0, 3e-38f, 1}, {1e-20f, 0, 0}, {4e-41f, 1e-38f, 0}}};
    uint32_t kept = 0, left_out = 0;
    for (int shape = 0; shape < 3; ++shape) {
        for (int power = -45; power <= 4; ++power) {
            soup s = {.triangle_count = 1, .vertex_count = 3};
            float p[3][3], size = (float)pow(10, power);
            uint32_t indices[3] = {0, 1, 2};
            for (int k = 0; k < 9; ++k) {
                p[k / 3][k % 3] = shapes[shape][k / 3][k % 3] * size;
            }
            s.positions = p;
            s.indices = indices;
            built_mesh m = mesh_build(&s, NULL);
            hem_trimesh_view v;
            if (m.result == HEM_OK) {
                ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.report.size, &v, NULL));
                for (int k = 0; k < 3; ++k) {
                    const float* n = v.edges[k].normal;
                    ASSERT_IN_RANGE(1.0, sqrt((double)n[0] * n[0] + (double)n[1] * n[1] + (double)n[2] * n[2]), 1e-5);
                }
            }
            ASSERT_EQ(m.result == HEM_OK ? 0u : 1u, m.report.degenerate_count);
            kept += m.result == HEM_OK;
            left_out += m.result == HEM_ERROR_COUNT;
            mesh_free(&m);
        }
    }
    ASSERT_EQ(22u, kept); // the first two from 1e-6 m on
    ASSERT_EQ(128u, left_out);
    PASS();
}

// -- Touching

static const hemi_kernels* kernels_here(void) {
    return hemi_kernels_choose(wanted_kernel());
}

static hemi_mesh_shape shape_of(const hem_trimesh_view* view) {
    hemi_mesh_shape shape = {
        .view = view, .nodes = view->nodes, .slabs = view->slabs, .corners = view->corners, .then = 0, .now = 1};
    return shape;
}

static void set_lane(hemi_mesh_touch* touch, uint32_t lane, vec3d from, vec3d to, float margin) {
    touch->from.x[lane] = (float)from.x;
    touch->from.y[lane] = (float)from.y;
    touch->from.z[lane] = (float)from.z;
    touch->to.x[lane] = (float)to.x;
    touch->to.y[lane] = (float)to.y;
    touch->to.z[lane] = (float)to.z;
    touch->margin[lane] = margin;
}

static vec3d lane_of(const hemi_row3* row, uint32_t lane) {
    return (vec3d){row->x[lane], row->y[lane], row->z[lane]};
}

// Eight random ways near the mesh; every second one short.
static void random_ways(dice* d, const hem_trimesh_view* v, hemi_mesh_touch* touch, float margin) {
    memset(touch, 0, sizeof(*touch));
    for (uint32_t lane = 0; lane < 8; ++lane) {
        uint32_t t = dice_below(d, v->header->triangle_count);
        vec3d a = vertex_of(v, t, 0), b = vertex_of(v, t, 1), c = vertex_of(v, t, 2);
        double x = dice_real(d), y = dice_real(d) * (1 - x), reach = lane % 2 ? 2 * margin : 0.5;
        vec3d at = {a.x + (b.x - a.x) * x + (c.x - a.x) * y, a.y + (b.y - a.y) * x + (c.y - a.y) * y,
                    a.z + (b.z - a.z) * x + (c.z - a.z) * y};
        vec3d from = at, to = at;
        from.x += reach * (2 * dice_real(d) - 1);
        from.y += reach * (2 * dice_real(d) - 1);
        from.z += reach * (2 * dice_real(d) - 1);
        to.x += reach * (2 * dice_real(d) - 1);
        to.y += reach * (2 * dice_real(d) - 1);
        to.z += reach * (2 * dice_real(d) - 1);
        set_lane(touch, lane, from, to, margin);
    }
}

// What the kernel says about one lane, against all triangles. NULL = the same, within what floats can tell.
static const char* compare_lane(const hem_trimesh_view* v, const hemi_mesh_touch* touch, uint32_t lane,
                                uint32_t* kinds) {
    vec3d from = lane_of(&touch->from, lane), to = lane_of(&touch->to, lane), n = lane_of(&touch->normal, lane);
    double margin = touch->margin[lane], time = first_crossing(v, from, to), hair = 1e-5;
    if (touch->through[lane]) {
        ++kinds[0];
        if (time > 1 || fabs(time - touch->reached[lane]) > 1e-4) {
            // A graze widens triangles a little: then some other point of the mesh is as near to that place.
            vec3d x = along(from, to, touch->reached[lane]);
            vec3d q = nearest_on(x, vertex_of(v, touch->triangle[lane], 0), vertex_of(v, touch->triangle[lane], 1),
                                 vertex_of(v, touch->triangle[lane], 2));
            if (sqrt(dot(sub(q, x), sub(q, x))) > 1e-3 || touch->reached[lane] > time + 1e-4) {
                return "a crossing that is none, or not the first";
            }
        }
        vec3d a = vertex_of(v, touch->triangle[lane], 0);
        double height = dot(sub(to, a), n) + touch->depth[lane];
        return fabs(height - margin) < hair && dot(sub(from, a), n) > -hair ? NULL : "put on the wrong side";
    }
    if (time < 1 - 1e-5 && time > 1e-5) {
        return "a crossing was missed";
    }
    double best = 1e30;
    for (uint32_t t = 0; t < v->header->triangle_count; ++t) {
        vec3d q = nearest_on(to, vertex_of(v, t, 0), vertex_of(v, t, 1), vertex_of(v, t, 2));
        double square = dot(sub(to, q), sub(to, q));
        best = square < best ? square : best;
    }
    best = sqrt(best);
    int one_sided = !(v->header->flags & HEM_TRIMESH_TWO_SIDED);
    int closed = (v->header->flags & HEM_TRIMESH_CLOSED) != 0;
    if (one_sided && !closed) {
        return NULL; // its borders have no inside
    }
    double distance = one_sided && is_inside(v, to) ? -best : best;
    double depth = best < (one_sided ? 4 : 1) * margin && distance < margin ? margin - distance : 0;
    if (best > 0.999 * 4 * margin && best < 1.001 * 4 * margin) {
        return NULL;
    }
    ++kinds[depth > 0 ? distance < 0 ? 1 : 2 : 3];
    if (fabs(depth - touch->depth[lane]) > hair) {
        printf("depth %g, not %g\n", (double)touch->depth[lane], depth);
        return "the wrong depth";
    }
    if (depth > hair && fabs(dot(n, n) - 1) > 1e-3) {
        return "the way out is not of length one";
    }
    return NULL;
}

TEST particles_find_the_mesh_as_brute_force_does(void) {
    static const mesh_kind kinds[] = {MESH_BALL, MESH_BOX, MESH_TORUS, MESH_SHEET, MESH_SOUP};
    dice d = {19};
    uint32_t seen[4] = {0, 0, 0, 0};
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); ++k) {
        for (uint32_t detail = 1; detail <= 12; detail += 11) {
            soup s = soup_make(kinds[k], detail);
            hem_trimesh_def def = hem_trimesh_def_default();
            def.two_sided = !s.closed;
            built_mesh m = mesh_build(&s, &def);
            hem_trimesh_view v;
            ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.report.size, &v, NULL));
            hemi_mesh_shape shape = shape_of(&v);
            for (int round = 0; round < 60; ++round) {
                hemi_mesh_touch touch;
                random_ways(&d, &v, &touch, 0.02f);
                uint32_t touching = kernels_here()->touch_mesh(&shape, &touch, 0xff);
                for (uint32_t lane = 0; lane < 8; ++lane) {
                    const char* fault = compare_lane(&v, &touch, lane, seen);
                    if (fault) {
                        printf("mesh %zu detail %u round %d lane %u: %s\n", k, detail, round, lane, fault);
                        FAIL();
                    }
                    ASSERT_EQ(touching >> lane & 1u, (uint32_t)(touch.depth[lane] > 0));
                }
            }
            mesh_free(&m);
            soup_free(&s);
        }
    }
    for (int k = 0; k < 4; ++k) {
        ASSERT(seen[k] > 50); // through, behind, near, far
    }
    PASS();
}

// Through edges and corners too: the ways are aimed at them exactly.
TEST nothing_slips_between_triangles(void) {
    soup s = soup_make(MESH_BALL, 10);
    built_mesh m = mesh_build(&s, NULL);
    hem_trimesh_view v;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.report.size, &v, NULL));
    hemi_mesh_shape shape = shape_of(&v);
    dice d = {7};
    for (uint32_t i = 0; i < v.header->edge_count; ++i) {
        hemi_mesh_touch touch;
        memset(&touch, 0, sizeof(touch));
        for (uint32_t lane = 0; lane < 8; ++lane) {
            const float *p = v.vertices[v.edges[i].vertex[0]].position, *q = v.vertices[v.edges[i].vertex[1]].position;
            vec3d at = along((vec3d){p[0], p[1], p[2]}, (vec3d){q[0], q[1], q[2]}, lane * (1.0 / 7)), from = at,
                  to = at;
            double out = 0.3 + dice_real(&d), in = 0.1 + dice_real(&d) * 0.5;
            from.x *= 1 + out, from.y *= 1 + out, from.z *= 1 + out;
            to.x *= 1 - in, to.y *= 1 - in, to.z *= 1 - in;
            set_lane(&touch, lane, from, to, 0.01f);
        }
        ASSERT_EQ(0xffu, kernels_here()->touch_mesh(&shape, &touch, 0xff));
        for (uint32_t lane = 0; lane < 8; ++lane) {
            ASSERT_EQ(1, touch.through[lane]);
        }
    }
    mesh_free(&m);
    soup_free(&s);
    PASS();
}

// -- Changing shape

static void bend(const hem_trimesh_view* v, float amount, float (*positions)[4]) {
    for (uint32_t i = 0; i < v->header->vertex_count; ++i) {
        const float* p = v->vertices[i].position;
        positions[i][0] = p[0];
        positions[i][1] = p[1] - amount;
        positions[i][2] = p[2] * (1.0f + amount);
        positions[i][3] = 0.0f;
    }
}

TEST a_mesh_that_changes_is_boxed_and_touched_where_it_is(void) {
    soup s = soup_make(MESH_BALL, 12);
    built_mesh m = mesh_build(&s, NULL);
    hem_trimesh_view v;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.report.size, &v, NULL));
    size_t n = v.header->vertex_count;
    float(*positions)[4] = aligned_alloc(64, (n * 16 + 63) / 64 * 64);
    hem_trimesh_corners* began = aligned_alloc(64, (v.block_count * sizeof(*began) + 63) / 64 * 64);
    hem_trimesh_corners* ended = aligned_alloc(64, (v.block_count * sizeof(*began) + 63) / 64 * 64);
    hem_trimesh_node* nodes = aligned_alloc(64, v.node_count * sizeof(*nodes));
    const hemi_kernels* kernels = kernels_here();
    bend(&v, 0.0f, positions);
    kernels->refit_mesh(&v, (const float(*)[4])positions, NULL, NULL, began, nodes);
    ASSERT_EQ(0, memcmp(began, v.corners, v.block_count * sizeof(*began))); // nothing changed, nothing changes
    ASSERT_EQ(0, memcmp(nodes, v.nodes, v.node_count * sizeof(*nodes)));
    bend(&v, 0.3f, positions);
    kernels->refit_mesh(&v, (const float(*)[4])positions, NULL, began, ended, nodes);
    // It sinks by 0.3 while a particle stays below it: the particle is taken along. One above is left alone.
    hemi_mesh_shape shape = {.view = &v, .nodes = nodes, .began = began, .corners = ended, .then = 0, .now = 1};
    hemi_mesh_touch touch;
    memset(&touch, 0, sizeof(touch));
    for (uint32_t lane = 0; lane < 8; ++lane) {
        vec3d p = {0.05 * lane - 0.2, lane < 4 ? -1.05 : 1.02, 0.1};
        set_lane(&touch, lane, p, p, 0.01f);
    }
    uint32_t touching = kernels->touch_mesh(&shape, &touch, 0xff);
    ASSERT_EQ(0x0fu, touching);
    for (uint32_t lane = 0; lane < 4; ++lane) {
        ASSERT_EQ(1, touch.through[lane]);
        ASSERT(touch.normal.y[lane] < -0.9f);
        ASSERT_IN_RANGE(-0.3, touch.moved.y[lane], 0.01);
        // It has to end below the new surface, which is near y = -1.3.
        ASSERT_IN_RANGE(-1.29, touch.to.y[lane] + touch.normal.y[lane] * touch.depth[lane], 0.05);
    }
    free(positions);
    free(began);
    free(ended);
    free(nodes);
    mesh_free(&m);
    soup_free(&s);
    PASS();
}

// -- Equal bits

TEST every_kernel_gives_the_same_bits(void) {
    soup s = soup_make(MESH_TORUS, 16);
    built_mesh m = mesh_build(&s, NULL);
    hem_trimesh_view v;
    ASSERT_EQ(HEM_TRIMESH_OK, hem_trimesh_validate(m.bytes, m.report.size, &v, NULL));
    hemi_mesh_shape shape = shape_of(&v);
    dice d = {3};
    uint64_t hash = hem_hash(m.bytes, m.report.size, 0);
    for (int round = 0; round < 300; ++round) {
        hemi_mesh_touch a, b;
        random_ways(&d, &v, &a, 0.03f);
        b = a;
        ASSERT_EQ(kernels_here()->touch_mesh(&shape, &a, 0xff), hemi_kernels_scalar()->touch_mesh(&shape, &b, 0xff));
        ASSERT_EQ(0, memcmp(&a, &b, sizeof(a)));
        hash = hem_hash(&a, sizeof(a), hash);
    }
    if (getenv("HEM_DETERMINISM")) {
        printf("meshes 0x%016llx\n", (unsigned long long)hash);
    }
    ASSERT_EQ_FMT((unsigned long long)MESH_HASH, (unsigned long long)hash, "%llx"); // one constant for all builds
    mesh_free(&m);
    soup_free(&s);
    PASS();
}

SUITE(trimesh_suite) {
    RUN_TEST(built_meshes_are_valid_and_hold_every_triangle);
    RUN_TEST(edges_know_their_bend_and_their_border);
    RUN_TEST(bad_triangles_are_left_out_or_refused);
    RUN_TEST(triangles_of_any_size_have_normals_or_are_left_out);
    RUN_TEST(particles_find_the_mesh_as_brute_force_does);
    RUN_TEST(nothing_slips_between_triangles);
    RUN_TEST(a_mesh_that_changes_is_boxed_and_touched_where_it_is);
    RUN_TEST(every_kernel_gives_the_same_bits);
}
