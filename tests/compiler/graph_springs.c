// SPDX-License-Identifier: MIT
#include "tests/compiler/lanes_kit.h"

#include "compiler/graph/graph.h"
#include "compiler/lanes/lanes.h"

#include "greatest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Springs of a recipe: the nearest particles of places, their rest length, and all of them in the batches.

static double square_to(const lanes_kit* kit, uint32_t i, const float x[3]) {
    const hemc_vec3 p = kit->mesh.all.positions[i];
    return (double)(p.x - x[0]) * (p.x - x[0]) + (double)(p.y - x[1]) * (p.y - x[1]) +
           (double)(p.z - x[2]) * (p.z - x[2]);
}

static void start(lanes_kit* kit, hemc_spring_recipe* springs, uint32_t count) {
    lanes_kit_start(kit, 12 * 12);
    lanes_kit_sheet(kit, 12, 12);
    lanes_kit_part(kit, "sheet", HEM_PART_CLOTH);
    for (uint32_t i = 0; i < count; ++i) {
        springs[i] =
            (hemc_spring_recipe){.json_path = "/parts/0/springs/0", .stiffness = 50, .damping = 0.5f, .length = -1};
        for (int k = 0; k < 3; ++k) {
            springs[i].from.position[k] = (float)lanes_kit_random(kit);
            springs[i].to.position[k] = (float)lanes_kit_random(kit);
        }
    }
    kit->parts[0].name = "sheet";
    kit->parts[0].springs = springs;
    kit->parts[0].spring_count = count;
}

TEST springs_join_the_nearest_particles(void) {
    enum { COUNT = 40 };
    lanes_kit kit;
    hemc_spring_recipe springs[COUNT];
    hemc_model model = {.path = "none"};
    start(&kit, springs, COUNT);
    springs[0].length = 0.25f;
    ASSERT(lanes_kit_graph(&kit));
    ASSERT(hemc_springs(kit.arena, &kit.log, &model, &kit.recipe, &kit.mesh));
    ASSERT_EQ(COUNT, kit.mesh.spring_count);
    for (uint32_t n = 0; n < COUNT; ++n) {
        const hemc_spring* s = &kit.mesh.springs[n];
        ASSERT((kit.mesh.all.flags[s->a] & HEM_PARTICLE_ANIMATED) == 0);
        ASSERT(s->a != s->b);
        for (uint32_t i = 0; i < kit.mesh.all.count; ++i) {
            const bool simulated = (kit.mesh.all.flags[i] & HEM_PARTICLE_ANIMATED) == 0;
            ASSERT(!simulated ||
                   square_to(&kit, i, springs[n].from.position) >= square_to(&kit, s->a, springs[n].from.position));
            ASSERT(i == s->a ||
                   square_to(&kit, i, springs[n].to.position) >= square_to(&kit, s->b, springs[n].to.position));
        }
        const hemc_vec3 a = kit.mesh.all.positions[s->a], b = kit.mesh.all.positions[s->b];
        const double length = sqrt(pow(a.x - b.x, 2) + pow(a.y - b.y, 2) + pow(a.z - b.z, 2));
        ASSERT_IN_RANGE(n == 0 ? 0.25 : length, (double)s->rest, 1e-6);
    }
    ASSERT(hemc_lanes(kit.arena, &kit.log, &kit.mesh, &kit.layout));
    uint32_t count = 0;
    for (uint32_t i = 0; i < kit.layout.row_batch_count; ++i) {
        count += hemc_count_bits(kit.layout.row_batches[i].lane_mask);
    }
    ASSERT_EQ(COUNT, count);
    ASSERT_EQ(HEM_BATCH_SPRINGS, kit.layout.ranges[kit.layout.parts[0].range_begin].kind); // the softest first
    lanes_kit_end(&kit);
    PASS();
}

TEST springs_without_particles_are_named(void) {
    lanes_kit kit;
    hemc_spring_recipe springs[2];
    hemc_model model = {.path = "none"};
    start(&kit, springs, 2);
    springs[0].part = "skirt";
    springs[1].to.bone = "tail";
    ASSERT(lanes_kit_graph(&kit));
    ASSERT_FALSE(hemc_springs(kit.arena, &kit.log, &model, &kit.recipe, &kit.mesh));
    lanes_kit_end(&kit);
    PASS();
}

// Guides beside each other: springs between neighbours at about the same height, as stiff as their frequency says, none
// twice, and never so many on one particle that they could swing each other up.
TEST neighbouring_guides_hold_each_other(void) {
    lanes_kit kit;
    hemc_model model = {.path = "none"};
    uint8_t tied[1024] = {0};
    lanes_kit_start(&kit, 20 * 9);
    lanes_kit_strands(&kit, 20, 9, 9);
    lanes_kit_part(&kit, "hair", HEM_PART_SOFT);
    kit.parts[0].name = "hair";
    kit.parts[0].lateral = 3;
    ASSERT(lanes_kit_graph(&kit));
    ASSERT(hemc_springs(kit.arena, &kit.log, &model, &kit.recipe, &kit.mesh));
    const hemc_particles* all = &kit.mesh.all;
    ASSERT(kit.mesh.spring_count >= all->count / 2 && all->count <= 1024);
    for (size_t n = 0; n < kit.mesh.spring_count; ++n) {
        const hemc_spring* s = &kit.mesh.springs[n];
        const double mass = 0.5 * ((double)all->mass[s->a] + (double)all->mass[s->b]), omega = 2 * 3.14159265358979 * 3;
        ASSERT(all->column[s->a] != all->column[s->b]);
        ASSERT(abs(all->level[s->a] - all->level[s->b]) <= 1);
        ASSERT(!(all->flags[s->a] & HEM_PARTICLE_ANIMATED));
        ASSERT_IN_RANGE((double)hemc_rest_distance(&kit.mesh, s->a, s->b), (double)s->rest, 1e-6);
        ASSERT_IN_RANGE(mass * omega * omega, (double)s->stiffness, 1e-4 * mass * omega * omega);
        for (size_t m = 0; m < n; ++m) {
            const hemc_spring* t = &kit.mesh.springs[m];
            ASSERT_FALSE((s->a == t->a && s->b == t->b) || (s->a == t->b && s->b == t->a));
        }
        ASSERT(++tied[s->a] <= 6 && ++tied[s->b] <= 6);
    }
    lanes_kit_end(&kit);
    PASS();
}

SUITE(springs_suite);
SUITE(springs_suite) {
    RUN_TEST(springs_join_the_nearest_particles);
    RUN_TEST(springs_without_particles_are_named);
    RUN_TEST(neighbouring_guides_hold_each_other);
}
