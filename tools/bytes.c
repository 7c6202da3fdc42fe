// SPDX-License-Identifier: MIT
#include "tools/bytes.h"

#include <stdlib.h>
#include <string.h>

void bytes_append(bytes* b, const void* data, size_t size) {
    if (b->failed || size == 0) {
        return;
    }
    if (size > b->capacity - b->size) {
        size_t capacity = b->capacity < 4096 ? 4096 : b->capacity;
        while (capacity - b->size < size) {
            if (capacity > SIZE_MAX / 2) {
                b->failed = true;
                return;
            }
            capacity *= 2;
        }
        uint8_t* grown = realloc(b->data, capacity);
        if (grown == NULL) {
            b->failed = true;
            return;
        }
        b->data = grown;
        b->capacity = capacity;
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void bytes_append_u8(bytes* b, uint8_t value) {
    bytes_append(b, &value, 1);
}

void bytes_append_u32_be(bytes* b, uint32_t value) {
    uint8_t four[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    bytes_append(b, four, 4);
}

void bytes_destroy(bytes* b) {
    free(b->data);
    memset(b, 0, sizeof(*b));
}
