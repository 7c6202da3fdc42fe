// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_DEFLATE_H
#define HEM_TOOLS_DEFLATE_H

#include "tools/bytes.h"

// Appends a zlib stream (RFC 1950, 1951) of `size` bytes to `out`. Deterministic. Check out->failed afterwards.
void deflate_zlib(bytes* out, const uint8_t* data, size_t size);

// Huffman code lengths for symbol counts (0: no code), none longer than bits_max. At most 286 symbols.
void deflate_code_lengths(const uint32_t* counts, int32_t count, int32_t bits_max, uint8_t* lengths);

#endif
