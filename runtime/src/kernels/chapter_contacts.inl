// SPDX-License-Identifier: MIT
// Who touches whom: the search, bodies, particles, cloth that a limb went through.

#include "runtime/src/kernels/kernels.h"

#if defined(HEMI_NAME) // this machine has the backend
#include "runtime/src/kernels/chapter.inl"
#include "runtime/src/kernels/push.inl"
#include "runtime/src/kernels/pairs.inl"
#include "runtime/src/kernels/contacts.inl"
#include "runtime/src/kernels/caught.inl"
#endif
