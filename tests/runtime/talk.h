// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_RUNTIME_TALK_H
#define HEM_TESTS_RUNTIME_TALK_H

// A game that makes every call there is.

#include "tests/runtime/fixture.h"

#define TALK_STEPS 22 // after so many, each has been made

// Meshes to talk about: a skinned one and a soup. For a def; it stays valid.
#define TALK_MESHES 2
const hem_mesh_def* talk_meshes(void);

// What it says before this step. Pose, root, wind and two moving colliders every time, the others at steps of their own.
void say_everything(world* w, int step);

// A force field.
void lift(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
          uint32_t row_count);

#endif
