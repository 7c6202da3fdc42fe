// SPDX-License-Identifier: MIT
// Row by row without neighbours: targets, forces, prediction, velocities, offsets from the pose, one level by another.

#include "runtime/src/kernels/kernels.h"

#if defined(HEMI_NAME) // this machine has the backend
#include "runtime/src/kernels/chapter.inl"
#include "runtime/src/kernels/integrate.inl"
#include "runtime/src/kernels/forces.inl"
#include "runtime/src/kernels/crowd.inl"
#include "runtime/src/kernels/drive.inl"
#include "runtime/src/kernels/show.inl"
#include "runtime/src/kernels/level.inl"
#endif
