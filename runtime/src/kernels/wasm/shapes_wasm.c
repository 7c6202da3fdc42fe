// SPDX-License-Identifier: MIT
#include "runtime/src/kernels/wasm/backend.h"
#include "runtime/src/kernels/chapter_shapes.inl"
