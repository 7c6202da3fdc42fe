// SPDX-License-Identifier: MIT
// The tests of the runtime that use threads, for the thread sanitizer.
#include "tests/runtime/suites.h"

GREATEST_MAIN_DEFS();

int main(int argc, char** argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(jobs_suite);
    GREATEST_MAIN_END();
}
