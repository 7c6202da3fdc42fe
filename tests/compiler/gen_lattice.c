// SPDX-License-Identifier: MIT
#include "compiler/shape/cells.h"
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

// Cells against the ball that they are made of, triangles against boxes by dense samples, weights by their definition.

#define PI 3.14159265358979323846

static hemc_d3 ball(double u, double v) {
    const double a = 2 * PI * u, b = PI * (v - 0.5);
    return d3(cos(a) * cos(b), sin(b), -sin(a) * cos(b));
}

static void make_ball(gen_kit* kit, bool inside) {
    gen_begin(kit, 0.0);
    kit->part.generator = HEMC_LATTICE;
    kit->part.kind = HEM_PART_SOFT;
    kit->part.lattice = (hemc_lattice_recipe){.spacing = {0.25f, 0.2f, 0.3f}, .inside = inside};
    gen_grid(kit, 48, 24, ball, false, 0);
}

// Nearest and farthest point of a cell from the middle.
static void cell_range(const hemc_lattice* l, const int32_t cell[3], double* near, double* far) {
    double n = 0, f = 0;
    for (int a = 0; a < 3; ++a) {
        const double low = (double)l->origin[a] + cell[a] * (double)l->spacing[a], high = low + (double)l->spacing[a];
        const double inside = low <= 0 && high >= 0 ? 0 : fmin(fabs(low), fabs(high));
        n += inside * inside;
        f += fmax(fabs(low), fabs(high)) * fmax(fabs(low), fabs(high));
    }
    *near = sqrt(n);
    *far = sqrt(f);
}

TEST cells_are_those_of_a_ball(void) {
    for (int inside = 0; inside < 2; ++inside) {
        gen_kit kit;
        make_ball(&kit, inside);
        ASSERT(gen_run(&kit));
        const hemc_lattice* l = kit.particles.lattice;
        ASSERT(l != NULL);
        hemc_cell_table table;
        hemc_cell_table_make(kit.arena, l, &table);
        uint32_t wrong = 0, cells = 0;
        for (int32_t z = 0; z + 1 < (int32_t)l->size[2]; ++z) {
            for (int32_t y = 0; y + 1 < (int32_t)l->size[1]; ++y) {
                for (int32_t x = 0; x + 1 < (int32_t)l->size[0]; ++x) {
                    const int32_t at[3] = {x, y, z};
                    double near, far;
                    cell_range(l, at, &near, &far);
                    const bool there =
                        table.cell[((size_t)z * table.size[1] + (size_t)y) * table.size[0] + (size_t)x] != HEM_NONE;
                    cells += there;
                    // The mesh lies between 0.985 and 1.
                    const bool crossed = near < 0.985 && far > 1, outside = near > 1, within = far < 0.985;
                    wrong += (crossed && !there) || (outside && there) || (within && there != (inside != 0));
                }
            }
        }
        ASSERT_EQ_FMT(0u, wrong, "%u");
        ASSERT_EQ_FMT(l->cell_count, cells, "%u");
        gen_end(&kit);
    }
    PASS();
}

TEST corners_are_shared_and_stand_on_the_grid(void) {
    gen_kit kit;
    make_ball(&kit, true);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    const hemc_lattice* l = p->lattice;
    uint8_t* used = hemc_alloc(kit.arena, p->count, 1);
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        for (int k = 0; k < 8; ++k) {
            const uint32_t i = l->corners[c][k];
            ASSERT(i < p->count);
            used[i] = 1;
            for (int a = 0; a < 3; ++a) {
                ASSERT_EQ(l->cells[c][a] + (k >> a & 1), l->indices[i][a]);
            }
        }
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        const float x[3] = {p->positions[i].x, p->positions[i].y, p->positions[i].z};
        ASSERT(used[i]);
        for (int a = 0; a < 3; ++a) {
            ASSERT_IN_RANGE((double)l->origin[a] + l->indices[i][a] * (double)l->spacing[a], (double)x[a], 1e-6);
        }
        for (uint32_t j = 0; j < i; ++j) { // nobody stands twice
            ASSERT(l->indices[i][0] != l->indices[j][0] || l->indices[i][1] != l->indices[j][1] ||
                   l->indices[i][2] != l->indices[j][2]);
        }
    }
    gen_end(&kit);
    PASS();
}

static double gap(hemc_d3 p, const double half[3]) {
    const double x = fmax(fabs(p.x) - half[0], 0), y = fmax(fabs(p.y) - half[1], 0), z = fmax(fabs(p.z) - half[2], 0);
    return sqrt(x * x + y * y + z * z);
}

TEST triangles_meet_boxes_as_samples_say(void) {
    hemc_random random = {7};
    const double half[3] = {0.5, 0.3, 0.4};
    uint32_t hits = 0, misses = 0;
    for (int n = 0; n < 400; ++n) {
        hemc_d3 t[3];
        for (int i = 0; i < 3; ++i) {
            t[i] = d3(3 * hemc_random_unit(&random) - 1.5, 3 * hemc_random_unit(&random) - 1.5,
                      3 * hemc_random_unit(&random) - 1.5);
        }
        double least = 1e30;
        for (int i = 0; i <= 60; ++i) {
            for (int j = 0; i + j <= 60; ++j) {
                const hemc_d3 p = d3_add(d3_scale(t[0], i / 60.0),
                                         d3_add(d3_scale(t[1], j / 60.0), d3_scale(t[2], (60 - i - j) / 60.0)));
                least = fmin(least, gap(p, half));
            }
        }
        const bool meets = hemc_triangle_meets_box(t, d3(0, 0, 0), half);
        ASSERT(meets || least > 0);
        ASSERT(!meets || least < 0.06); // samples are at most 0.07 apart
        hits += meets;
        misses += !meets;
    }
    ASSERT(hits > 50 && misses > 50);
    PASS();
}

// Weights: they sum to one and give a point back from the corners; outside of all cells the nearest one is taken.
TEST weights_give_the_point_back(void) {
    gen_kit kit;
    make_ball(&kit, true);
    ASSERT(gen_run(&kit));
    const hemc_lattice* l = kit.particles.lattice;
    hemc_cell_table table;
    hemc_cell_table_make(kit.arena, l, &table);
    hemc_random random = {3};
    for (int n = 0; n < 500; ++n) {
        const hemc_d3 p = d3(2.6 * hemc_random_unit(&random) - 1.3, 2.6 * hemc_random_unit(&random) - 1.3,
                             2.6 * hemc_random_unit(&random) - 1.3);
        double at[3], weights[8], sum = 0;
        const uint32_t cell = hemc_find_cell(&table, p, at);
        hemc_cell_weights(at, weights);
        hemc_d3 back = d3(0, 0, 0);
        for (int k = 0; k < 8; ++k) {
            sum += weights[k];
            back = d3_madd(back, d3_from(kit.particles.positions[l->corners[cell][k]]), weights[k]);
        }
        ASSERT_IN_RANGE(1.0, sum, 1e-9);
        ASSERT_IN_RANGE(0.0, d3_distance(back, p), 1e-5);
        if (d3_length(p) < 0.98) {
            for (int a = 0; a < 3; ++a) {
                ASSERT(at[a] >= -1e-9 && at[a] <= 1 + 1e-9);
            }
        }
    }
    gen_end(&kit);
    PASS();
}

// The mass of a ball, and a collision that begins where the surface is.
TEST a_ball_weighs_what_it_encloses_and_begins_at_its_surface(void) {
    gen_kit kit;
    make_ball(&kit, true);
    kit.part.density = 1000;
    ASSERT(gen_run(&kit));
    hemc_particles* p = &kit.particles;
    hemc_fit(kit.arena, &kit.surface, &kit.part, p);
    double mass = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        mass += (double)p->mass[i];
        ASSERT(p->mass[i] > 0);
    }
    ASSERT_IN_RANGE(1000 * 4.0 / 3.0 * PI, mass, 60);
    hemc_lattice_roles(kit.arena, &kit.log, "", &kit.part, &kit.surface, NULL, p);
    for (uint32_t i = 0; i < p->count; ++i) {
        const double r = d3_length(d3_from(p->positions[i])), depth = 1 - r;
        const double reach = (p->flags[i] & HEM_PARTICLE_COLLIDES ? 1.0 : -1.0) * (double)p->radii[i][0];
        if (fabs(depth) > 0.02 && fabs(depth) < 0.18) {
            ASSERT_IN_RANGE(depth, reach, 0.016);
        }
    }
    kit.part.lattice.meets = HEMC_MEETS_TRIMMED;
    hemc_lattice_roles(kit.arena, &kit.log, "", &kit.part, &kit.surface, NULL, p);
    uint32_t inner = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        uint32_t neighbours = 0;
        for (uint32_t c = 0; c < p->lattice->cell_count; ++c) {
            for (int k = 0; k < 8; ++k) {
                neighbours += p->lattice->corners[c][k] == i;
            }
        }
        ASSERT_EQ(neighbours == 8, (p->flags[i] & HEM_PARTICLE_COLLIDES) != 0);
        inner += neighbours == 8;
    }
    ASSERT(inner > 100);
    gen_end(&kit);
    PASS();
}

void gen_lattice_tests(void) {
    RUN_TEST(cells_are_those_of_a_ball);
    RUN_TEST(corners_are_shared_and_stand_on_the_grid);
    RUN_TEST(triangles_meet_boxes_as_samples_say);
    RUN_TEST(weights_give_the_point_back);
    RUN_TEST(a_ball_weighs_what_it_encloses_and_begins_at_its_surface);
}
