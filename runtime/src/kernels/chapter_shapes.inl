// SPDX-License-Identifier: MIT
// What keeps a shape: groups, regions of a lattice, strands.

#include "runtime/src/kernels/kernels.h"

#if defined(HEMI_NAME) // this machine has the backend
#include "runtime/src/kernels/chapter.inl"
#include "runtime/src/kernels/groups.inl"
#include "runtime/src/kernels/regions.inl"
#include "runtime/src/kernels/rods.inl"
#include "runtime/src/kernels/chains.inl"
#include "runtime/src/kernels/drawn.inl"
#endif
