// SPDX-License-Identifier: MIT
// Planes, spheres, capsules, boxes and hulls against particles and threads.

#include "runtime/src/kernels/kernels.h"

#if defined(HEMI_NAME) // this machine has the backend
#include "runtime/src/kernels/chapter.inl"
#include "runtime/src/kernels/push.inl"
#include "runtime/src/kernels/colliders.inl"
#include "runtime/src/kernels/edges.inl"
#endif
