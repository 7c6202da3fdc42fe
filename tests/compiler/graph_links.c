// SPDX-License-Identifier: MIT
#include "tests/compiler/lanes_kit.h"

#include "compiler/graph/graph.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Links, groups and frames against closed formulas, and against all-pairs shortest paths.

#define SPACING 0.04

static uint32_t sheet_id(int columns, int column, int level) {
    return (uint32_t)(level * columns + column);
}

TEST a_sheet_has_the_links_of_a_sheet(void) {
    static const int sizes[][2] = {{9, 7}, {2, 2}, {5, 20}, {20, 3}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        const int w = sizes[i][0], h = sizes[i][1];
        lanes_kit kit;
        lanes_kit_start(&kit, (uint32_t)(w * h));
        lanes_kit_sheet(&kit, w, h);
        lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
        ASSERT(lanes_kit_graph(&kit));
        // The top level is attached: no links inside it.
        ASSERT_EQ_FMT((uint32_t)(w * (h - 1)), lanes_kit_count(&kit, HEM_LINK_WARP), "%u");
        ASSERT_EQ_FMT((uint32_t)((w - 1) * (h - 1)), lanes_kit_count(&kit, HEM_LINK_WEFT), "%u");
        ASSERT_EQ_FMT((uint32_t)(2 * (w - 1) * (h - 1)), lanes_kit_count(&kit, HEM_LINK_SHEAR), "%u");
        ASSERT_EQ_FMT((uint32_t)(w * (h - 2) + (w - 2) * (h - 1)), lanes_kit_count(&kit, HEM_LINK_BEND), "%u");
        ASSERT_EQ_FMT((uint32_t)(w * (h > 2 ? h - 2 : 0)), lanes_kit_count(&kit, HEM_LINK_TETHER), "%u");
        lanes_kit_end(&kit);
    }
    PASS();
}

TEST rest_lengths_are_distances(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 200);
    lanes_kit_ring(&kit, 12, 9);
    lanes_kit_part(&kit, "ring", HEM_PART_CLOTH);
    for (uint32_t p = 0; p < kit.mesh.all.count; ++p) {
        kit.mesh.all.stiffness[p] = p % 2 != 0 ? 0.5f : 1;
    }
    ASSERT(lanes_kit_graph(&kit));
    for (size_t i = 0; i < kit.mesh.link_count; ++i) {
        const hemc_link* l = &kit.mesh.links[i];
        const hemc_vec3 a = kit.mesh.all.positions[l->a], b = kit.mesh.all.positions[l->b];
        const double d = sqrt(pow((double)a.x - b.x, 2) + pow((double)a.y - b.y, 2) + pow((double)a.z - b.z, 2));
        if (l->kind != HEM_LINK_TETHER) {
            ASSERT_IN_RANGE(d, l->rest, 1e-7);
        } else {
            ASSERT(l->rest >= (float)d * 0.999999f);
        }
        ASSERT_IN_RANGE((kit.mesh.all.stiffness[l->a] + kit.mesh.all.stiffness[l->b]) / 2, l->scale, 1e-6);
    }
    lanes_kit_end(&kit);
    PASS();
}

// On a sheet that hangs from its top, the way up the column.
TEST tethers_run_up_the_column(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 200);
    lanes_kit_sheet(&kit, 10, 12);
    lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
    ASSERT(lanes_kit_graph(&kit));
    for (size_t i = 0; i < kit.mesh.link_count; ++i) {
        const hemc_link* l = &kit.mesh.links[i];
        if (l->kind == HEM_LINK_TETHER) {
            ASSERT_EQ_FMT(sheet_id(10, kit.mesh.all.column[l->a], 11), l->b, "%u");
            ASSERT_IN_RANGE((11 - kit.mesh.all.level[l->a]) * SPACING, l->rest, 1e-6);
        }
    }
    lanes_kit_end(&kit);
    PASS();
}

// Painted: so much longer, down to a sixteenth, below which there is none. The particle that hangs decides.
TEST a_painted_tether_acts_farther_away(void) {
    static const float painted[] = {1.0f, 0.5f, 0.0625f, 0.06f, 0.0f};
    lanes_kit kit;
    lanes_kit_start(&kit, 200);
    lanes_kit_sheet(&kit, 10, 12);
    lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
    hemc_particles* all = &kit.mesh.all;
    all->maps = hemc_alloc(kit.arena, 200, sizeof *all->maps);
    for (uint32_t i = 0; i < all->count; ++i) {
        all->maps[i][HEMC_TETHER] = (all->flags[i] & HEM_PARTICLE_ANIMATED) != 0 ? 0.0f : painted[all->column[i] % 5];
    }
    ASSERT(lanes_kit_graph(&kit));
    uint32_t found[5] = {0};
    for (size_t i = 0; i < kit.mesh.link_count; ++i) {
        const hemc_link* l = &kit.mesh.links[i];
        if (l->kind == HEM_LINK_TETHER) {
            const int column = kit.mesh.all.column[l->a] % 5;
            const double straight = (11 - kit.mesh.all.level[l->a]) * SPACING;
            ASSERT_IN_RANGE(straight / (double)painted[column], l->rest, 1e-5 / (double)painted[column]);
            ++found[column];
        }
    }
    for (int column = 0; column < 5; ++column) {
        ASSERT_EQ_FMT(column < 3 ? 20u : 0u, found[column], "%u"); // two columns of ten below the first link
    }
    lanes_kit_end(&kit);
    PASS();
}

// All-pairs shortest paths (Floyd and Warshall) over the same links.
static double* all_paths(const lanes_kit* kit) {
    const uint32_t n = kit->mesh.all.count;
    double* d = malloc((size_t)n * n * sizeof(double));
    for (uint32_t i = 0; i < n * n; ++i) {
        d[i] = i / n == i % n ? 0 : 1e9;
    }
    // Tethers were looked for along the net and its diagonals, between attached particles too.
    const hemc_link* sets[2] = {kit->mesh.links, kit->mesh.all.links};
    const size_t counts[2] = {kit->mesh.link_count, kit->mesh.all.link_count};
    for (int set = 0; set < 2; ++set) {
        for (size_t i = 0; i < counts[set]; ++i) {
            const hemc_link* l = &sets[set][i];
            if (l->kind <= HEM_LINK_SHEAR) {
                const hemc_vec3 a = kit->mesh.all.positions[l->a], b = kit->mesh.all.positions[l->b];
                const double length =
                    sqrt(pow((double)a.x - b.x, 2) + pow((double)a.y - b.y, 2) + pow((double)a.z - b.z, 2));
                d[l->a * n + l->b] = d[l->b * n + l->a] = length;
            }
        }
    }
    for (uint32_t k = 0; k < n; ++k) {
        for (uint32_t i = 0; i < n; ++i) {
            for (uint32_t j = 0; j < n; ++j) {
                const double through = d[i * n + k] + d[k * n + j];
                d[i * n + j] = through < d[i * n + j] ? through : d[i * n + j];
            }
        }
    }
    return d;
}

TEST tethers_are_nearly_shortest_paths(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 400);
    lanes_kit_scatter(&kit, 200, 1, 0.16);
    lanes_kit_part(&kit, "scatter", HEM_PART_CLOTH);
    ASSERT(lanes_kit_graph(&kit));
    const uint32_t n = kit.mesh.all.count;
    double* d = all_paths(&kit);
    uint32_t* tethers = calloc(n, sizeof(uint32_t));
    for (size_t i = 0; i < kit.mesh.link_count; ++i) {
        const hemc_link* l = &kit.mesh.links[i];
        if (l->kind != HEM_LINK_TETHER) {
            continue;
        }
        ASSERT_EQ(0, kit.mesh.all.flags[l->a] & HEM_PARTICLE_ANIMATED);
        ASSERT(kit.mesh.all.flags[l->b] & HEM_PARTICLE_ANIMATED);
        // Its length is that of a way there; the first one is a nearest anchor but for the detour allowed.
        ASSERT(l->rest >= (float)d[l->a * n + l->b] * 0.99999f);
        double nearest = 1e9;
        for (uint32_t k = 0; k < n; ++k) {
            if (kit.mesh.all.flags[k] & HEM_PARTICLE_ANIMATED) {
                nearest = fmin(nearest, d[l->a * n + k]);
            }
        }
        ASSERT(l->rest <= (float)nearest * 2.11f);
        ++tethers[l->a];
    }
    for (uint32_t p = 0; p < n; ++p) {
        bool direct = false, reachable = false;
        for (uint32_t k = 0; k < n; ++k) {
            reachable |= (kit.mesh.all.flags[k] & HEM_PARTICLE_ANIMATED) != 0 && d[p * n + k] < 1e8;
        }
        for (size_t i = 0; i < kit.mesh.link_count; ++i) {
            const hemc_link* l = &kit.mesh.links[i];
            direct |= (l->a == p && (kit.mesh.all.flags[l->b] & HEM_PARTICLE_ANIMATED)) ||
                      (l->b == p && (kit.mesh.all.flags[l->a] & HEM_PARTICLE_ANIMATED));
        }
        if (!(kit.mesh.all.flags[p] & HEM_PARTICLE_ANIMATED) && reachable && !direct) {
            ASSERT(tethers[p] == 1 || tethers[p] == 2);
        }
    }
    free(d);
    free(tethers);
    lanes_kit_end(&kit);
    PASS();
}

// A hammock: both ends attached. In the middle both hold, near an end only that one.
TEST particles_between_two_regions_have_two_tethers(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 200);
    lanes_kit_sheet(&kit, 5, 21);
    lanes_kit_part(&kit, "hammock", HEM_PART_CLOTH);
    for (uint32_t c = 0; c < 5; ++c) {
        kit.mesh.all.flags[c] |= HEM_PARTICLE_ANIMATED;
    }
    ASSERT(lanes_kit_graph(&kit));
    uint32_t counts[21] = {0};
    for (size_t i = 0; i < kit.mesh.link_count; ++i) {
        if (kit.mesh.links[i].kind == HEM_LINK_TETHER) {
            ++counts[kit.mesh.all.level[kit.mesh.links[i].a]];
        }
    }
    ASSERT_EQ(10, counts[10]);
    ASSERT_EQ(10, counts[8]);
    ASSERT_EQ(5, counts[3]);
    ASSERT_EQ(5, counts[17]);
    ASSERT_EQ(0, counts[1]); // its own link holds it
    lanes_kit_end(&kit);
    PASS();
}

TEST tethers_can_be_switched_off(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 200);
    lanes_kit_sheet(&kit, 10, 12);
    lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
    kit.parts[0].tethers = false;
    ASSERT(lanes_kit_graph(&kit));
    ASSERT_EQ(0, lanes_kit_count(&kit, HEM_LINK_TETHER));
    lanes_kit_end(&kit);
    PASS();
}

TEST links_between_attached_particles_are_left_out(void) {
    for (int momentum = 0; momentum < 2; ++momentum) {
        lanes_kit kit;
        lanes_kit_start(&kit, 200);
        lanes_kit_sheet(&kit, 6, 6);
        lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
        kit.animations[0] = momentum ? HEM_ANIMATE_MOMENTUM : HEM_ANIMATE_DIRECT;
        ASSERT(lanes_kit_graph(&kit));
        uint32_t attached = 0;
        for (size_t i = 0; i < kit.mesh.link_count; ++i) {
            const hemc_link* l = &kit.mesh.links[i];
            attached += (kit.mesh.all.flags[l->a] & kit.mesh.all.flags[l->b] & HEM_PARTICLE_ANIMATED) != 0;
        }
        // With momentum, attached particles move too: five weft links and four bends along the top.
        ASSERT_EQ_FMT(momentum ? 9u : 0u, attached, "%u");
        lanes_kit_end(&kit);
    }
    PASS();
}

TEST a_column_that_begins_midway_makes_no_double_link(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 2000);
    int low[24] = {0}, high[24];
    for (int c = 0; c < 24; ++c) {
        high[c] = c % 2 != 0 ? 7 : 15;
    }
    lanes_kit_columns(&kit, 24, 16, low, high, true);
    lanes_kit_part(&kit, "skirt", HEM_PART_CLOTH);
    ASSERT(lanes_kit_graph(&kit));
    const size_t n = kit.mesh.all.count;
    uint8_t* linked = calloc(n * n, 1);
    for (size_t i = 0; i < kit.mesh.link_count; ++i) {
        const hemc_link* l = &kit.mesh.links[i];
        ASSERT(l->a != l->b);
        if (l->kind != HEM_LINK_TETHER) {
            ASSERT_EQ(0, linked[l->a * n + l->b]);
            linked[l->a * n + l->b] = linked[l->b * n + l->a] = 1;
        }
    }
    free(linked);
    lanes_kit_end(&kit);
    PASS();
}

// -- Groups

TEST groups_are_neighbours_of_the_same_part(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 600);
    lanes_kit_strands(&kit, 6, 5, 9);
    lanes_kit_part(&kit, "hair", HEM_PART_SOFT);
    const uint32_t second = kit.mesh.all.count;
    lanes_kit_scatter(&kit, 200, 1, 0.2);
    lanes_kit_link(&kit, 3, second + 3, HEM_LINK_STITCH);
    lanes_kit_part(&kit, "belly", HEM_PART_SOFT);
    ASSERT(lanes_kit_graph(&kit));
    const hemc_mesh* mesh = &kit.mesh;
    uint32_t full = 0;
    for (uint32_t p = 0; p < mesh->all.count; ++p) {
        const uint32_t count = mesh->group_starts[p + 1] - mesh->group_starts[p];
        ASSERT(count <= 12);
        full += count == 12;
        for (uint32_t i = mesh->group_starts[p]; i < mesh->group_starts[p + 1]; ++i) {
            ASSERT(mesh->group_members[i] != p);
            ASSERT_EQ(p < second, mesh->group_members[i] < second);
            for (uint32_t k = mesh->group_starts[p]; k < i; ++k) {
                ASSERT(mesh->group_members[k] != mesh->group_members[i]);
            }
        }
        // The ends of strands borrow from their neighbour.
        if (p < second) {
            ASSERT_EQ(2, count);
        }
    }
    ASSERT(full > 0); // the limit was met, or the test shows nothing
    lanes_kit_end(&kit);
    PASS();
}

TEST cloth_has_no_groups(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 600);
    lanes_kit_sheet(&kit, 10, 10);
    lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
    ASSERT(lanes_kit_graph(&kit));
    ASSERT_EQ(0, kit.mesh.group_starts[kit.mesh.all.count]);
    lanes_kit_end(&kit);
    PASS();
}

// -- Frames

static void rotate(const float q[4], const double v[3], double out[3]) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; ++i) {
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
    }
}

TEST frames_turn_with_the_sheet(void) {
    static const float turns[][4] = {
        {0, 0, 0, 1},        {0.6f, 0, 0, 0.8f},       {0, 1, 0, 0}, {0.5f, 0.5f, 0.5f, 0.5f}, {1, 0, 0, 0},
        {0, 0, 0.8f, -0.6f}, {-0.1f, 0.7f, 0.1f, 0.7f}};
    for (size_t t = 0; t < sizeof(turns) / sizeof(turns[0]); ++t) {
        lanes_kit kit;
        lanes_kit_start(&kit, 100);
        lanes_kit_sheet(&kit, 5, 5);
        lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
        for (uint32_t p = 0; p < kit.mesh.all.count; ++p) {
            hemc_vec3* x = &kit.mesh.all.positions[p];
            const double from[3] = {x->x, x->y, x->z};
            double to[3];
            rotate(turns[t], from, to);
            *x = (hemc_vec3){(float)to[0], (float)to[1], (float)to[2]};
        }
        ASSERT(lanes_kit_graph(&kit));
        // In the sheet's own frame u = x, v = y, so the rest frame is the turn itself, at every particle.
        for (uint32_t p = 0; p < kit.mesh.all.count; ++p) {
            float q[4];
            hemc_frame_rotation(&kit.mesh, p, q);
            const double norm =
                sqrt((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] + (double)q[3] * q[3]);
            ASSERT_IN_RANGE(1.0, norm, 1e-6);
            for (int axis = 0; axis < 3; ++axis) {
                const double unit[3] = {axis == 0, axis == 1, axis == 2};
                double a[3], b[3];
                rotate(q, unit, a);
                rotate(turns[t], unit, b);
                for (int k = 0; k < 3; ++k) {
                    ASSERT_IN_RANGE(b[k], a[k], 2e-5);
                }
            }
        }
        lanes_kit_end(&kit);
    }
    PASS();
}

TEST frames_name_neighbours(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 100);
    lanes_kit_sheet(&kit, 5, 5);
    lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
    ASSERT(lanes_kit_graph(&kit));
    const uint16_t* middle = kit.mesh.frame[sheet_id(5, 2, 2)];
    ASSERT_EQ(sheet_id(5, 1, 2), middle[0]);
    ASSERT_EQ(sheet_id(5, 3, 2), middle[1]);
    ASSERT_EQ(sheet_id(5, 2, 1), middle[2]);
    ASSERT_EQ(sheet_id(5, 2, 3), middle[3]);
    const uint16_t* corner = kit.mesh.frame[0];
    ASSERT_EQ(0, corner[0]);
    ASSERT_EQ(1, corner[1]);
    ASSERT_EQ(0, corner[2]);
    ASSERT_EQ(5, corner[3]);
    lanes_kit_end(&kit);
    PASS();
}

TEST too_many_particles_are_an_error(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 8);
    lanes_kit_part(&kit, "nothing", HEM_PART_CLOTH);
    ASSERT_FALSE(lanes_kit_graph(&kit));
    ASSERT_EQ(HEMC_INPUT, kit.log.exit_code);
    lanes_kit_end(&kit);
    PASS();
}

void graph_ignore_tests(void);
void graph_layers_tests(void);
void graph_maps_tests(void);
void graph_cards_tests(void);

SUITE(graph_suite);
SUITE(graph_suite) {
    RUN_TEST(a_sheet_has_the_links_of_a_sheet);
    RUN_TEST(rest_lengths_are_distances);
    RUN_TEST(tethers_run_up_the_column);
    RUN_TEST(a_painted_tether_acts_farther_away);
    RUN_TEST(tethers_are_nearly_shortest_paths);
    RUN_TEST(particles_between_two_regions_have_two_tethers);
    RUN_TEST(tethers_can_be_switched_off);
    RUN_TEST(links_between_attached_particles_are_left_out);
    RUN_TEST(a_column_that_begins_midway_makes_no_double_link);
    RUN_TEST(groups_are_neighbours_of_the_same_part);
    RUN_TEST(cloth_has_no_groups);
    RUN_TEST(frames_turn_with_the_sheet);
    RUN_TEST(frames_name_neighbours);
    RUN_TEST(too_many_particles_are_an_error);
    graph_ignore_tests();
    graph_layers_tests();
    graph_maps_tests();
    graph_cards_tests();
}
