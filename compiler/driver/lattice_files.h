// SPDX-License-Identifier: MIT
#ifndef HEMC_LATTICE_FILES_H
#define HEMC_LATTICE_FILES_H

#include "compiler/hemc_internal.h"

// `hemc lattice ...`: the words after "lattice". responses: files that the command line came from, ends with NULL.
// Returns an exit code.
int hemc_lattice_run(hemc_arena* arena, int argc, char** argv, const char* const* responses);

#endif
