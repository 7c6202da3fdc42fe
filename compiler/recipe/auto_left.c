// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"

#include <string.h>

// What automatic mode looked at and left alone, and why: notes for -v, one a primitive and one a chain of bones, and a list
// of names for whoever is told that nothing was found.

enum { NAMES_TOLD = 12 };

// Why a primitive stays as it is: of whatever of it nobody claimed. (Second thoughts speak for themselves.)
static void tell_primitive(hemc_log* log, const hemc_model* model, uint32_t p, uint32_t left) {
    const hemc_primitive* primitive = &model->primitives[p];
    const char* const names[3] = {primitive->material_name, primitive->node_name, primitive->mesh_name};
    static const char* const what[3] = {"material", "node", "mesh"};
    for (int i = 0; i < 3; ++i) {
        const char* word = hemc_name_accessory(names[i]);
        if (word != NULL) {
            hemc_note(log, model->path, "", "left alone: \"%s\", an accessory: %s \"%s\" holds the word \"%s\"",
                      primitive->name, what[i], names[i], word);
            return;
        }
    }
    if (left < primitive->triangle_count) {
        hemc_note(log, model->path, "", "left alone: %u of %u triangles of \"%s\": nothing tells that they are loose",
                  left, primitive->triangle_count, primitive->name);
        return;
    }
    hemc_note(
        log, model->path, "",
        "left alone: \"%s\", %u triangles: neither node, mesh nor material tells of cloth or hair, and its shape does "
        "not either",
        primitive->name, left);
}

static void tell_bones(hemc_log* log, const hemc_model* model) {
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        const char* name = model->bone_defs[b].name;
        const hemc_loose_word* word = hemc_name_accessory(name) != NULL ? NULL : hemc_name_loose(name);
        if (word == NULL) {
            continue;
        }
        uint32_t children = 0;
        for (uint32_t k = 0; k < model->bone_count; ++k) {
            children += model->bone_defs[k].parent == (int32_t)b;
        }
        const int32_t parent = model->bone_defs[b].parent;
        const bool begins = parent == HEM_NONE || hemc_name_loose(model->bone_defs[parent].name) == NULL;
        if (begins && children == 0) {
            hemc_note(log, model->path, "",
                      "left alone: bone \"%s\" holds the word \"%s\" and is no chain: nothing follows it", name,
                      word->word);
        }
    }
}

void hemc_auto_tell_left(hemc_log* log, const hemc_model* model, const int32_t* claimed) {
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const hemc_primitive* primitive = &model->primitives[p];
        uint32_t left = 0;
        for (uint32_t t = 0; t < primitive->triangle_count; ++t) {
            left += claimed[primitive->triangle_begin + t] == HEM_NONE;
        }
        if (left != 0) {
            tell_primitive(log, model, p, left);
        }
    }
    tell_bones(log, model);
}

const char* hemc_auto_names_told(hemc_arena* arena, const hemc_model* model) {
    hemc_text text = {.arena = arena};
    for (uint32_t p = 0; p < model->primitive_count && p < NAMES_TOLD; ++p) {
        hemc_text_add(&text, "%s\"%s\"", p != 0 ? ", " : "", model->primitives[p].name);
    }
    if (model->primitive_count > NAMES_TOLD) {
        hemc_text_add(&text, " and %u more", model->primitive_count - NAMES_TOLD);
    }
    return text.data != NULL ? text.data : "nothing";
}
