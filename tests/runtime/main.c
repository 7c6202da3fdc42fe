// SPDX-License-Identifier: MIT
// Tests of the runtime. HEM_KERNEL=scalar|sse2|avx2|neon|wasm forces a kernel; the assets come from test_assets.
#include "tests/runtime/suites.h"

GREATEST_MAIN_DEFS();

int main(int argc, char** argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(api_suite);
    RUN_SUITE(physics_suite);
    RUN_SUITE(rotation_suite);
    RUN_SUITE(collision_suite);
    RUN_SUITE(world_suite);
    RUN_SUITE(skin_suite);
    RUN_SUITE(characters_suite);
    RUN_SUITE(determinism_suite);
    GREATEST_MAIN_END();
}
