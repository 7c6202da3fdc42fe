// SPDX-License-Identifier: MIT
#include "compiler/hemc_internal.h"

#include <stdlib.h>
#include <string.h>

// Any text as a recipe for a small model with two bones, two meshes and names to select by: read, resolved, its
// selections made. What is accepted keeps within the format's limits.

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char model_text[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"Root\","
    "\"children\":[1,2]},"
    "{\"name\":\"Cape\",\"mesh\":0,\"skin\":0},{\"name\":\"Hip\",\"children\":[3],\"translation\":[0,1,0]},{\"name\":"
    "\"Tail\",\"mesh\":0}],"
    "\"skins\":[{\"joints\":[2,3]}],\"materials\":[{\"name\":\"wool\"}],"
    "\"meshes\":[{\"name\":\"Cloth\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"material\":0},{\"attributes\":{"
    "\"POSITION\":0}}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"bufferViews\":[{"
    "\"buffer\":0,"
    "\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";

static void run(hemc_arena* arena, const uint8_t* data, size_t size) {
    hemc_log log = {.arena = arena};
    hemc_model model;
    hemc_recipe recipe;
    if (!hemc_import_memory(arena, &log, "model", model_text, sizeof(model_text) - 1, &model)) {
        abort(); // the model itself must be good
    }
    if (!hemc_recipe_load_memory(arena, &log, "fuzz", data, size, &model, &recipe)) {
        if (log.error_count == 0) {
            abort(); // refused without a word
        }
        return;
    }
    if (recipe.collider_count > HEM_MAX_COLLIDERS || recipe.part_count > HEM_MAX_PARTS) {
        abort();
    }
    int32_t* owner = hemc_alloc(arena, model.triangle_count, sizeof(int32_t));
    if (hemc_import_finish(arena, &log, &recipe, &model) && hemc_recipe_fit_colliders(arena, &log, &model, &recipe)) {
        hemc_select(arena, &log, &model, &recipe, owner);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    hemc_arena* arena = hemc_arena_create();
    if (arena == NULL) {
        return 0;
    }
    if (setjmp(*hemc_arena_guard(arena)) == 0) {
        run(arena, data, size);
    }
    hemc_arena_destroy(arena);
    return 0;
}
