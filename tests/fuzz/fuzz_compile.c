// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"
#include "formats/hem_validate.h"

#include <stdlib.h>
#include <string.h>

// A whole compile in memory: a recipe, a zero byte, a glTF. (Without a zero byte all of it is the glTF, and the recipe is
// found automatically.) What is accepted passes the validator; what is refused has a message and is never called a
// fault of the compiler itself.

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const uint8_t* zero = size != 0 ? memchr(data, 0, size) : NULL;
    bool recipe = zero != NULL && size >= 4 && memcmp(data, "glTF", 4) != 0;
    size_t begin = recipe ? (size_t)(zero - data) + 1 : 0;
    hemc_job job = {.input = "fuzz.gltf",
                    .input_bytes = data + begin,
                    .input_size = size - begin,
                    .recipe = recipe ? "fuzz.json" : NULL,
                    .recipe_bytes = recipe ? data : NULL,
                    .recipe_size = recipe ? begin - 1 : 0,
                    .ship = size % 2 != 0,
                    .verbosity = -1};
    hemc_outcome outcome;
    uint8_t* bytes;
    size_t bytes_size;
    hemc_execute(&job, &outcome, &bytes, &bytes_size);
    hem_view view;
    if (outcome.exit_code == HEMC_OK ? hem_validate(bytes, bytes_size, &view, NULL) != HEM_FORMAT_OK
                                     : outcome.exit_code == HEMC_INTERNAL || outcome.messages == NULL) {
        abort();
    }
    hemc_free(bytes);
    hemc_outcome_free(&outcome);
    return 0;
}
