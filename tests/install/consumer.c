// SPDX-License-Identifier: MIT
//
// The smallest program that uses an installed Hem: the library is the header's version, and refuses what is no asset.

#include "hem/hem.h"

#include <stdio.h>

int main(void) {
    _Alignas(64) unsigned char bytes[64] = {0};
    hem_asset asset;
    hem_result result = hem_asset_open(&asset, bytes, sizeof bytes);
    printf("hem %u: %s\n", (unsigned)hem_version(), hem_result_text(result));
    return result == HEM_ERROR_ASSET &&
                   hem_version() == HEM_VERSION_MAJOR * 10000 + HEM_VERSION_MINOR * 100 + HEM_VERSION_PATCH
               ? 0
               : 1;
}
