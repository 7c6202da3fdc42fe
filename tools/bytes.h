// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_BYTES_H
#define HEM_TOOLS_BYTES_H

// A byte buffer that grows. A failed allocation is remembered, not reported at each call: whoever hands the finished
// buffer on looks at `failed` once.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bytes {
    uint8_t* data;
    size_t size, capacity;
    bool failed;
} bytes;

void bytes_append(bytes* b, const void* data, size_t size);
void bytes_append_u8(bytes* b, uint8_t value);
void bytes_append_u32_be(bytes* b, uint32_t value); // most significant byte first, as PNG wants
void bytes_destroy(bytes* b);

#endif
