// SPDX-License-Identifier: MIT
// The solver is written once. A unit names its backend (avx2/backend.h and the like) and includes a chapter; chapters are
// apart so that they compile side by side and a change compiles one. Nothing in here or below may branch on the backend:
// the same source gives the same bits.

#include "runtime/src/kernels/rows.inl"

#define KERNEL(result, name, arguments) result HEMI_NAME(name) arguments;
#include "runtime/src/kernels/list.inl"
