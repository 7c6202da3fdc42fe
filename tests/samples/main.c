// SPDX-License-Identifier: MIT
#include "fixture.h"

#include "greatest.h"

SUITE_EXTERN(kit_suite);
SUITE_EXTERN(files_suite);
SUITE_EXTERN(clips_suite);
SUITE_EXTERN(people_suite);

GREATEST_MAIN_DEFS();

int main(int argc, char** argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(kit_suite);
    RUN_SUITE(files_suite);
    RUN_SUITE(clips_suite);
    RUN_SUITE(people_suite);
    sample_free_all();
    GREATEST_MAIN_END();
}
