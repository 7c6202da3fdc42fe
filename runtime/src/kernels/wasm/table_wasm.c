// SPDX-License-Identifier: MIT
#include "runtime/src/kernels/wasm/backend.h"
#include "runtime/src/kernels/table.inl"
