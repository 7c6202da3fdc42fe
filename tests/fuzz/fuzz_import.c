// SPDX-License-Identifier: MIT
#include "compiler/hemc_internal.h"

// Any bytes into the importer, and what it accepts through everything else that reads a model: clips, automatic
// recipe, selection, welding. External files are never touched.

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void run(hemc_arena* arena, const uint8_t* data, size_t size) {
    hemc_log log = {.arena = arena};
    hemc_model model;
    hemc_recipe recipe;
    if (!hemc_import_memory(arena, &log, "fuzz", data, size, &model)) {
        return;
    }
    if (!hemc_recipe_load(arena, &log, NULL, &model, &recipe)) {
        hemc_recipe_defaults(&recipe);
    }
    if (!hemc_import_finish(arena, &log, &recipe, &model) || model.triangle_count > 20000) {
        return;
    }
    int32_t* owner = hemc_alloc(arena, model.triangle_count, sizeof(int32_t));
    hemc_select(arena, &log, &model, &recipe, owner);
    for (int32_t part = -1; part < (int32_t)recipe.part_count; ++part) {
        hemc_surface surface;
        hemc_weld(arena, &model, owner, part, &surface);
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
