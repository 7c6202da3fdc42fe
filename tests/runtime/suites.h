// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_RUNTIME_SUITES_H
#define HEM_TESTS_RUNTIME_SUITES_H

#include "tests/runtime/fixture.h"

extern SUITE(api_suite);
extern SUITE(physics_suite);
extern SUITE(rotation_suite);
extern SUITE(collision_suite);
extern SUITE(world_suite);
extern SUITE(skin_suite);
extern SUITE(characters_suite);
extern SUITE(determinism_suite);

#endif
