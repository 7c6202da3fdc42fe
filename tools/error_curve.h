// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_ERROR_CURVE_H
#define HEM_TOOLS_ERROR_CURVE_H

#include "compiler/hemc.h"

// For hemc_set_curve_function.
bool error_curve_draw(const hemc_error_curve* curve, const char* path);

#endif
