// SPDX-License-Identifier: MIT
// Triangles and bending edges of a sheet: they tile it, they are at rest at rest, and bent sheets have the energy of a plate.

#include "compiler/hemc_internal.h"
#include "compiler/hemc.h"
#include "formats/hem_validate.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define W 9
#define H 12
#define SPACING 0.05f

static const hemc_material stuff = {"stuff", 0.3f, 100.0f, 200.0f, 30.0f, 0.03f, 0.05f, "tests"};

typedef struct sheet {
    uint8_t* bytes;
    hem_view view;
} sheet;

// A tube when `ring`: column W follows column 0 again.
static bool make_sheet(sheet* s, bool isometric, int clamped, bool ring) {
    static float positions[W * H][3];
    static hemc_bare_link links[3 * W * H];
    static uint8_t animated[W * H];
    size_t count = 0;
    for (int i = 0; i < W * H; ++i) {
        const float turn = 6.2831853f * (float)(i % W) / W, radius = SPACING * W / 6.2831853f;
        positions[i][0] = ring ? radius * cosf(turn) : SPACING * (float)(i % W);
        positions[i][1] = ring ? radius * sinf(turn) : 0.0f;
        positions[i][2] = SPACING * (float)(i / W);
        animated[i] = i / W < clamped;
        if (i % W + 1 < W || ring) {
            links[count++] = (hemc_bare_link){(uint32_t)i, (uint32_t)(i / W * W + (i % W + 1) % W), HEM_LINK_WEFT};
        }
        if (i / W + 1 < H) {
            links[count++] = (hemc_bare_link){(uint32_t)i, (uint32_t)(i + W), HEM_LINK_WARP};
        }
        if (clamped > 0 && i / W > 1 && i / W >= clamped) { // a tether is no thread
            links[count++] = (hemc_bare_link){(uint32_t)i, (uint32_t)(i % W), HEM_LINK_TETHER};
        }
    }
    const hemc_bare_mesh mesh = {.particle_count = W * H,
                                 .positions = (const float(*)[3])positions,
                                 .animated = animated,
                                 .radius = 0.5f * SPACING,
                                 .links = links,
                                 .link_count = count,
                                 .material = &stuff,
                                 .isometric = isometric};
    size_t size = 0;
    return hemc_compile_bare(&mesh, &s->bytes, &size) == 0 &&
           hem_validate(s->bytes, size, &s->view, NULL) == HEM_FORMAT_OK;
}

static uint32_t particle(const hem_view* v, const hem_row_batch* b, uint32_t k, uint32_t lane) {
    return b->form == HEM_FORM_INDICES ? v->row_indices[b->member_begin + k].index[lane]
                                       : b->rows[k] * 8u + ((lane + b->rotates[k]) & 7u);
}

static void place(const hem_view* v, uint32_t p, double x[3]) {
    x[0] = (double)v->rest_rows[p / 8].x[p % 8];
    x[1] = (double)v->rest_rows[p / 8].y[p % 8];
    x[2] = (double)v->rest_rows[p / 8].z[p % 8];
}

TEST triangles_tile_the_sheet(void) {
    for (int ring = 0; ring < 2; ++ring) {
        sheet s;
        ASSERT(make_sheet(&s, false, 1, ring != 0));
        uint32_t count = 0;
        double area = 0;
        for (uint32_t i = 0; i < s.view.row_batch_count; ++i) {
            const hem_row_batch* b = &s.view.row_batches[i];
            for (uint32_t lane = 0; b->kind == HEM_KIND_TRIANGLE && lane < 8; ++lane) {
                if ((b->lane_mask >> lane & 1) == 0) {
                    continue;
                }
                const hem_triangle* t = &s.view.triangles[b->payload];
                double x[3][3], f[2][3], dots[3] = {0};
                for (uint32_t k = 0; k < 3; ++k) {
                    place(&s.view, particle(&s.view, b, k, lane), x[k]);
                }
                for (int n = 0; n < 3; ++n) {
                    for (int k = 0; k < 2; ++k) {
                        f[k][n] = (double)t->q[2 * k][lane] * (x[1][n] - x[0][n]) +
                                  (double)t->q[2 * k + 1][lane] * (x[2][n] - x[0][n]);
                    }
                    dots[0] += f[0][n] * f[0][n];
                    dots[1] += f[1][n] * f[1][n];
                    dots[2] += f[0][n] * f[1][n];
                }
                ASSERT_IN_RANGE(1.0, dots[0], 1e-4);
                ASSERT_IN_RANGE(1.0, dots[1], 1e-4);
                ASSERT_IN_RANGE(0.0, dots[2], 1e-4);
                ASSERT_IN_RANGE(1.0, fabs(f[0][2]), 1e-4); // warp runs along z
                area += 1 / (double)t->inverse_area[lane];
                ++count;
            }
        }
        const int cells = (ring ? W : W - 1) * (H - 1);
        ASSERT_EQ((uint32_t)(2 * cells), count);
        const double side = ring ? 2 * (double)SPACING * W / 6.2831853 * sin(3.14159265 / W) : (double)SPACING;
        ASSERT_IN_RANGE(cells * side * (double)SPACING, area, 1e-4 * area);
        hemc_free(s.bytes);
    }
    PASS();
}

// Height of a bent sheet: kx, kz curvatures, t twist.
static double height(const double x[3], const double k[3]) {
    return 0.5 * k[0] * x[0] * x[0] + 0.5 * k[1] * x[2] * x[2] + k[2] * x[0] * x[2];
}

// Half the rigidity times the curvatures squared, times the area: a plate without Poisson's effect. Cylinders exactly but for
// the border, where half cells have no edge of their own; twists too.
TEST bent_sheets_have_the_energy_of_a_plate(void) {
    static const double bent[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.7, 0.7, 0.7}};
    for (int n = 0; n < 4; ++n) {
        sheet s;
        ASSERT(make_sheet(&s, true, 0, false));
        double energy = 0;
        for (uint32_t i = 0; i < s.view.row_batch_count; ++i) {
            const hem_row_batch* b = &s.view.row_batches[i];
            for (uint32_t lane = 0; b->kind == HEM_KIND_FLAT && lane < 8; ++lane) {
                if ((b->lane_mask >> lane & 1) == 0) {
                    continue;
                }
                const hem_bend* e = &s.view.bends[b->payload];
                double angle = 0;
                for (uint32_t k = 0; k < 4; ++k) {
                    double x[3];
                    place(&s.view, particle(&s.view, b, k, lane), x);
                    angle += (double)e->c[k][lane] * height(x, bent[n]);
                }
                energy += 0.5 * angle * angle / (double)e->compliance[lane];
            }
        }
        // Edges across x are W - 2 of W - 1 cells, those across z H - 2 of H - 1.
        const double cell = (double)(SPACING * SPACING);
        const double x_cells = (W - 2) * (H - 1), z_cells = (W - 1) * (H - 2), cells = (W - 1) * (H - 1);
        const double exact = 0.5 * cell *
                             (bent[n][0] * bent[n][0] * x_cells + bent[n][1] * bent[n][1] * z_cells +
                              2 * bent[n][2] * bent[n][2] * cells);
        ASSERT_IN_RANGE(exact, energy, 0.02 * exact);
        hemc_free(s.bytes);
    }
    PASS();
}

// A tube at rest has the angles of its ring, and nothing bends at a clamp that is held on both sides.
// Two pieces of a pattern: on the first v rises along (0.6, 0, 0.8), on the other, which stands upright, downwards; a third has no v.
TEST warp_runs_where_the_texture_rises(void) {
    hemc_vec3 positions[9] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {5, 0, 0}, {6, 0, 0},
                              {5, 1, 0}, {9, 0, 0}, {9, 0, 1}, {9, 1, 0}};
    float v[9] = {0, 3, 4, 1, 1, 0, 2, 2, 2};
    uint32_t triangles[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, sources[3] = {0, 1, 2}, begin[2] = {0, 3};
    hemc_model model;
    hemc_part_recipe part;
    hemc_mesh mesh;
    memset(&model, 0, sizeof(model));
    memset(&part, 0, sizeof(part));
    memset(&mesh, 0, sizeof(mesh));
    model.positions = positions;
    model.triangles = triangles;
    model.vertex_count = 9;
    model.triangle_count = 3;
    model.texture_v = v;
    part.fabric.triangles = true;
    part.fabric.direction = "uv";
    const hemc_recipe recipe = {.parts = &part, .part_count = 1};
    const hemc_surface surface = {.triangle_count = 3, .source_triangle = sources};
    hemc_vec3 particles[3] = {{0.2f, 0.1f, 0.3f}, {5.4f, 0.4f, -0.1f}, {9, 0.4f, 0.4f}};
    mesh.part_count = 1;
    mesh.part_begin = begin;
    mesh.all.count = 3;
    mesh.all.positions = particles;
    hemc_arena* arena = hemc_arena_create();
    hemc_warp_make(arena, &model, &recipe, &surface, &mesh);
    ASSERT(mesh.warp != NULL);
    const double wanted[3][3] = {{0.6, 0, 0.8}, {0, -1, 0}, {0, 0, 0}};
    for (int i = 0; i < 3; ++i) {
        ASSERT_IN_RANGE(wanted[i][0], (double)mesh.warp[i].x, 1e-6);
        ASSERT_IN_RANGE(wanted[i][1], (double)mesh.warp[i].y, 1e-6);
        ASSERT_IN_RANGE(wanted[i][2], (double)mesh.warp[i].z, 1e-6);
    }
    hemc_arena_destroy(arena);
    PASS();
}

TEST rest_angles_are_those_of_the_mesh(void) {
    sheet s;
    ASSERT(make_sheet(&s, false, 2, true));
    uint32_t turned = 0, straight = 0;
    for (uint32_t i = 0; i < s.view.row_batch_count; ++i) {
        const hem_row_batch* b = &s.view.row_batches[i];
        for (uint32_t lane = 0; b->kind == HEM_KIND_DIHEDRAL && lane < 8; ++lane) {
            if ((b->lane_mask >> lane & 1) == 0) {
                continue;
            }
            const double angle = fabs(atan2((double)s.view.dihedrals[b->payload].sine[lane],
                                            (double)s.view.dihedrals[b->payload].cosine[lane]));
            turned += fabs(angle - 6.2831853 / W) < 1e-3;
            straight += angle < 1e-3;
        }
    }
    ASSERT_EQ(W * (H - 2), turned);                 // upright edges but those of the clamped cells
    ASSERT_EQ(W * (H - 2) + W * (H - 2), straight); // level edges of which one side moves, and diagonals
    hemc_free(s.bytes);
    PASS();
}

SUITE(graph_fabric_suite) {
    RUN_TEST(triangles_tile_the_sheet);
    RUN_TEST(bent_sheets_have_the_energy_of_a_plate);
    RUN_TEST(warp_runs_where_the_texture_rises);
    RUN_TEST(rest_angles_are_those_of_the_mesh);
}
