// SPDX-License-Identifier: MIT
// What holds neighbours together: links, springs, triangles, tetrahedra, threads that may not stretch.

#include "runtime/src/kernels/kernels.h"

#if defined(HEMI_NAME) // this machine has the backend
#include "runtime/src/kernels/chapter.inl"
#include "runtime/src/kernels/links.inl"
#include "runtime/src/kernels/springs.inl"
#include "runtime/src/kernels/fabric.inl"
#include "runtime/src/kernels/solids.inl"
#include "runtime/src/kernels/stretch.inl"
#endif
