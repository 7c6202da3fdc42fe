// SPDX-License-Identifier: MIT
#include "runtime/src/kernels/neon/backend.h"
#include "runtime/src/kernels/chapter_bonds.inl"
