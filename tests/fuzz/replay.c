// SPDX-License-Identifier: MIT
#include "platform/file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Gives files to a fuzz target, one after another, without a fuzzer: the corpus in `make test`, a found input under a
// debugger. Each is given whole and cut off after half, in a block of its exact size, so that a sanitizer sees its end.

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static int replay(const char* path) {
    hem_bytes bytes;
    hem_file_error error;
    if (!hem_file_read(path, &bytes, &error)) {
        printf("%s\n", error.text);
        return 1;
    }
    for (int cut = 0; cut < 2; ++cut) {
        size_t size = cut ? bytes.size / 2 : bytes.size;
        uint8_t* exact = malloc(size != 0 ? size : 1);
        if (exact != NULL) {
            memcpy(exact, bytes.data, size);
            LLVMFuzzerTestOneInput(exact, size);
        }
        free(exact);
    }
    hem_bytes_free(&bytes);
    return 0;
}

int main(int argc, char** argv) {
    int passed = 0, failed = 0;
    for (int i = 1; i < argc; ++i) {
        *(replay(argv[i]) == 0 ? &passed : &failed) += 1;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0 || argc < 2;
}
