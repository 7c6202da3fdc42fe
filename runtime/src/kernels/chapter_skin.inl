// SPDX-License-Identifier: MIT
// Vertices.

#include "runtime/src/kernels/kernels.h"

#if defined(HEMI_NAME) // this machine has the backend
#include "runtime/src/kernels/chapter.inl"
#include "runtime/src/kernels/skin.inl"
#endif
