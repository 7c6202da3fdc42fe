// SPDX-License-Identifier: MIT
#ifndef HEM_HASH_H
#define HEM_HASH_H

// Has a file been damaged on its way? The validator makes any bytes safe to use; this tells whether they are the bytes
// that the compiler wrote. It needs xxHash and therefore lives in the compiler library (compiler/pack/content_hash.c), for
// tools and build farms; a game that wants to know asks its own package format.

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// True when the header's content_hash is the XXH3-128 of all bytes after the header. Any bytes of any length.
bool hem_content_hash_matches(const void* bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
