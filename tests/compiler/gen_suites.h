// SPDX-License-Identifier: MIT
#ifndef GEN_SUITES_H
#define GEN_SUITES_H

// The generators' suite is spread over several files; gen_suite.c runs them in this order.

void gen_spatial_tests(void);
void gen_cut_tests(void);
void gen_cut_rough_tests(void);
void gen_cut_property_tests(void);
void gen_scatter_tests(void);
void gen_strands_tests(void);
void gen_vertices_tests(void);
void gen_lattice_tests(void);
void gen_roles_tests(void);
void gen_body_tests(void);
void gen_stitch_tests(void);
void gen_moved_tests(void);

#endif
