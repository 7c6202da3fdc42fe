// SPDX-License-Identifier: MIT
#include "runtime/src/kernels/sse2/backend.h"
#include "runtime/src/kernels/chapter_colliders.inl"
