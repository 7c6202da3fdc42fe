// SPDX-License-Identifier: MIT
// Triangle meshes, and cloth that goes around their edges.

#include "runtime/src/kernels/kernels.h"

#if defined(HEMI_NAME) // this machine has the backend
#include "runtime/src/kernels/chapter.inl"
#include "runtime/src/kernels/push.inl"
#include "runtime/src/kernels/meshes.inl"
#include "runtime/src/kernels/mesh_seek.inl"
#include "runtime/src/kernels/mesh_near.inl"
#include "runtime/src/kernels/wraps.inl"
#endif
