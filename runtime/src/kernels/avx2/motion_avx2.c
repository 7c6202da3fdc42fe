// SPDX-License-Identifier: MIT
#include "runtime/src/kernels/avx2/backend.h"
#include "runtime/src/kernels/chapter_motion.inl"
