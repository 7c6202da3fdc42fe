// SPDX-License-Identifier: MIT
#include "formats/hem_hash.h"

#include "compiler/hemc_internal.h"

#include <string.h>

bool hem_content_hash_matches(const void* bytes, size_t size) {
    if (bytes == NULL || size < sizeof(hem_header)) {
        return false;
    }
    hem_header header;
    memcpy(&header, bytes, sizeof header);
    uint8_t digest[16];
    hemc_hash128((const uint8_t*)bytes + sizeof header, size - sizeof header, digest);
    return memcmp(digest, header.content_hash, sizeof digest) == 0;
}
