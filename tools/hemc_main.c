// SPDX-License-Identifier: MIT
// The hemc program: the compiler with a renderer and the runtime beside it, so that --picture can draw and --preflight play.

#include "compiler/hemc.h"
#include "tools/error_curve.h"
#include "tools/inspect.h"
#include "tools/preflight.h"

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
    hemc_set_preflight_functions(preflight_fly, preflight_picture);
    hemc_set_curve_function(error_curve_draw);
    return hemc_main(argc, argv);
}
