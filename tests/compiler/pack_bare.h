// SPDX-License-Identifier: MIT
#ifndef PACK_BARE_H
#define PACK_BARE_H

// Bare sheets and blocks, compiled. The caller frees the bytes.

#include "compiler/hemc.h"

int pack_bare_sheet(int columns, int levels, uint8_t** bytes, size_t* size);
int pack_bare_block(int nx, int ny, int nz, uint8_t** bytes, size_t* size);

#endif
