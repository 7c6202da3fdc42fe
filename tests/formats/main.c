// SPDX-License-Identifier: MIT
#include "greatest.h"

SUITE_EXTERN(validate_suite);
SUITE_EXTERN(rules_suite);
SUITE_EXTERN(damage_suite);
SUITE_EXTERN(trimesh_format_suite);
SUITE_EXTERN(lattice_text_suite);
SUITE_EXTERN(virtual_suite);
SUITE_EXTERN(point_cache_suite);
SUITE_EXTERN(body_mesh_suite);

GREATEST_MAIN_DEFS();

int main(int argc, char** argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(validate_suite);
    RUN_SUITE(rules_suite);
    RUN_SUITE(damage_suite);
    RUN_SUITE(trimesh_format_suite);
    RUN_SUITE(lattice_text_suite);
    RUN_SUITE(virtual_suite);
    RUN_SUITE(point_cache_suite);
    RUN_SUITE(body_mesh_suite);
    GREATEST_MAIN_END();
}
