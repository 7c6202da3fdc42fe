// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

SUITE(gen_suite);

SUITE(gen_suite) {
    gen_spatial_tests();
    gen_cut_tests();
    gen_cut_rough_tests();
    gen_cut_property_tests();
    gen_scatter_tests();
    gen_strands_tests();
    gen_vertices_tests();
    gen_lattice_tests();
    gen_roles_tests();
    gen_body_tests();
    gen_stitch_tests();
    gen_moved_tests();
}
