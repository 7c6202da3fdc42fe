// SPDX-License-Identifier: MIT
#include "greatest.h"

// Every suite of the compiler. Run one with -s NAME, one test with -t NAME.

SUITE_EXTERN(front_support_suite);
SUITE_EXTERN(front_weld_suite);
SUITE_EXTERN(front_json_suite);
SUITE_EXTERN(front_import_suite);
SUITE_EXTERN(front_morph_suite);
SUITE_EXTERN(front_spoiled_suite);
SUITE_EXTERN(front_stripped_suite);
SUITE_EXTERN(front_called_suite);
SUITE_EXTERN(front_trials_suite);
SUITE_EXTERN(front_skin_suite);
SUITE_EXTERN(front_pose_suite);
SUITE_EXTERN(front_recipe_suite);
SUITE_EXTERN(front_select_suite);
SUITE_EXTERN(front_auto_suite);
SUITE_EXTERN(front_first_suite);
SUITE_EXTERN(front_jpeg_suite);
SUITE_EXTERN(front_paint_suite);
SUITE_EXTERN(front_print_suite);
SUITE_EXTERN(front_assets_suite);
SUITE_EXTERN(front_cli_suite);
SUITE_EXTERN(front_outputs_suite);
SUITE_EXTERN(front_certificate_suite);
SUITE_EXTERN(front_trimesh_suite);
SUITE_EXTERN(front_lattice_suite);
SUITE_EXTERN(front_shapes_suite);
SUITE_EXTERN(gen_suite);
SUITE_EXTERN(fit_suite);
SUITE_EXTERN(graph_suite);
SUITE_EXTERN(lanes_suite);
SUITE_EXTERN(tuples_suite);
SUITE_EXTERN(springs_suite);
SUITE_EXTERN(graph_fabric_suite);
SUITE_EXTERN(pack_suite);

GREATEST_MAIN_DEFS();

int main(int argc, char** argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(front_support_suite);
    RUN_SUITE(front_weld_suite);
    RUN_SUITE(front_json_suite);
    RUN_SUITE(front_import_suite);
    RUN_SUITE(front_morph_suite);
    RUN_SUITE(front_spoiled_suite);
    RUN_SUITE(front_stripped_suite);
    RUN_SUITE(front_called_suite);
    RUN_SUITE(front_trials_suite);
    RUN_SUITE(front_skin_suite);
    RUN_SUITE(front_pose_suite);
    RUN_SUITE(front_recipe_suite);
    RUN_SUITE(front_select_suite);
    RUN_SUITE(front_auto_suite);
    RUN_SUITE(front_first_suite);
    RUN_SUITE(front_jpeg_suite);
    RUN_SUITE(front_paint_suite);
    RUN_SUITE(front_print_suite);
    RUN_SUITE(front_assets_suite);
    RUN_SUITE(front_cli_suite);
    RUN_SUITE(front_outputs_suite);
    RUN_SUITE(front_certificate_suite);
    RUN_SUITE(front_trimesh_suite);
    RUN_SUITE(front_lattice_suite);
    RUN_SUITE(front_shapes_suite);
    RUN_SUITE(gen_suite);
    RUN_SUITE(fit_suite);
    RUN_SUITE(graph_suite);
    RUN_SUITE(lanes_suite);
    RUN_SUITE(tuples_suite);
    RUN_SUITE(springs_suite);
    RUN_SUITE(graph_fabric_suite);
    RUN_SUITE(pack_suite);
    GREATEST_MAIN_END();
}
