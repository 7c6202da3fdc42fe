// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

// One particle per vertex, one link per edge.

static hemc_d3 sheet(double u, double v) {
    return d3(0.6 * u, 1.2 * v, 0.0);
}

TEST a_grid_of_quads_gives_warp_weft_and_diagonals(void) {
    gen_kit kit;
    gen_begin(&kit, 0.0);
    kit.part.generator = HEMC_VERTICES;
    gen_grid(&kit, 6, 12, sheet, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    ASSERT_EQ(7u * 13u, p->count);
    uint32_t kinds[HEM_LINK_KIND_COUNT] = {0};
    for (size_t k = 0; k < p->link_count; ++k) {
        ++kinds[p->links[k].kind];
        ASSERT(p->links[k].a < p->links[k].b);
    }
    ASSERT_EQ(7u * 12u, kinds[HEM_LINK_WARP]);
    ASSERT_EQ(6u * 13u, kinds[HEM_LINK_WEFT]);
    ASSERT_EQ(6u * 12u, kinds[HEM_LINK_SHEAR]);
    ASSERT_IN_RANGE(0.1, p->spacing, 1e-5);
    gen_end(&kit);
    PASS();
}

static hemc_d3 strip(double u, double v) { // equilateral triangles: no edge is a diagonal
    return d3(0.1 * u + 0.05 * v, 0.0866025 * v, 0.0);
}

TEST triangles_that_are_no_halves_of_quads_have_no_diagonals(void) {
    gen_kit kit;
    gen_begin(&kit, 0.0);
    kit.part.generator = HEMC_VERTICES;
    gen_grid(&kit, 1, 1, strip, false, 0);
    ASSERT(gen_run(&kit));
    ASSERT_EQ(4u, kit.particles.count);
    ASSERT_EQ(5u, kit.particles.link_count);
    for (size_t k = 0; k < kit.particles.link_count; ++k) {
        ASSERT(kit.particles.links[k].kind != HEM_LINK_SHEAR);
    }
    gen_end(&kit);
    PASS();
}

void gen_vertices_tests(void) {
    RUN_TEST(a_grid_of_quads_gives_warp_weft_and_diagonals);
    RUN_TEST(triangles_that_are_no_halves_of_quads_have_no_diagonals);
}
