// SPDX-License-Identifier: MIT
#include "greatest.h"

SUITE_EXTERN(render_suite);
SUITE_EXTERN(png_suite);
SUITE_EXTERN(plot_suite);
SUITE_EXTERN(command_suite);
SUITE_EXTERN(seen_suite);
SUITE_EXTERN(prove_suite);
SUITE_EXTERN(preflight_suite);
SUITE_EXTERN(vrm_suite);

GREATEST_MAIN_DEFS();

int main(int argc, char** argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(render_suite);
    RUN_SUITE(png_suite);
    RUN_SUITE(plot_suite);
    RUN_SUITE(command_suite);
    RUN_SUITE(seen_suite);
    RUN_SUITE(prove_suite);
    RUN_SUITE(preflight_suite);
    RUN_SUITE(vrm_suite);
    GREATEST_MAIN_END();
}
