// SPDX-License-Identifier: MIT
// The hemc program: the compiler with a renderer beside it, so that --picture can draw.

#include "compiler/hemc.h"
#include "tools/inspect.h"

static bool draw(const uint8_t* bytes, size_t size, const char* path) {
    asset a;
    if (asset_from_bytes(&a, path, bytes, size) != 0) {
        return false;
    }
    hem_file_error error;
    bool drawn = inspect_picture(&a, path, &error);
    asset_unload(&a);
    return drawn;
}

int main(int argc, char** argv) {
    hemc_set_picture_function(draw);
    return hemc_main(argc, argv);
}
