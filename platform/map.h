// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_MAP_H
#define HEM_PLATFORM_MAP_H

// A file as read-only memory, for tools that use assets in place. The pages are aligned to at least 4096 bytes.
// Whoever truncates the file meanwhile makes reads past its new end fault: map what you own, read what you do not.

#include "platform/file.h"

typedef struct hem_map {
    const void* data; // never NULL while open, also for an empty file
    size_t size;
} hem_map;

bool hem_map_open(const char* path, hem_map* map, hem_file_error* error);
void hem_map_close(hem_map* map); // leaves it zeroed; closing twice is fine

#endif
