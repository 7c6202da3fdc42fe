// SPDX-License-Identifier: MIT
#include "runtime/src/kernels/scalar/backend.h"
#include "runtime/src/kernels/chapter_skin.inl"
