// SPDX-License-Identifier: MIT
// Opening assets: validated once, used in place. What follows never looks at a byte with suspicion again.

#include "runtime/src/internal.h"
#include "runtime/src/layout.h"
#include "runtime/src/refuse.h"

#define ASSET_COOKIE 0x48454d41u
#define FAULT_COOKIE 0x48454d46u // bytes were refused

const hem_view* hemi_asset_view(const hem_asset* asset) {
    const hemi_asset* a = (const hemi_asset*)asset;
    return a && a->cookie == ASSET_COOKIE ? a->views : NULL;
}

uint32_t hem_version(void) {
    return HEM_VERSION_MAJOR * 10000 + HEM_VERSION_MINOR * 100 + HEM_VERSION_PATCH;
}

const char* hem_result_text(hem_result result) {
    switch (result) {
#define TEXT(name, value, text)                                                                                        \
    case name:                                                                                                         \
        return text;
        HEM_RESULTS(TEXT)
#undef TEXT
    }
    return "unknown result";
}

// "bones[3].inverse_bind: a number is not finite or out of its range"
static void say_fault(hemi_asset* a, hem_format_result result, const hem_format_fault* fault) {
    hemi_text text = {a->fault_text, sizeof(a->fault_text), 0};
    // What to do about another version is the whole message.
    if (result != HEM_FORMAT_OLD_VERSION && result != HEM_FORMAT_BAD_VERSION) {
        hemi_text_add(&text, a->fault_section);
        if (fault->section) {
            hemi_text_add(&text, "[");
            hemi_text_number(&text, fault->element);
            hemi_text_add(&text, "]");
        }
        hemi_text_add(&text, fault->field && *fault->field ? "." : NULL);
        hemi_text_add(&text, fault->field);
        hemi_text_add(&text, ": ");
    }
    hemi_text_add(&text, hem_format_result_text(result));
}

hem_result hem_asset_open(hem_asset* asset, const void* bytes, size_t size) {
    if (!asset || !bytes) {
        return HEM_ERROR_NULL;
    }
    hemi_asset* a = (hemi_asset*)asset;
    memset(asset, 0, sizeof(*asset));
    hem_format_fault fault = {0, 0, NULL, 0, 0, 0};
    hem_format_result result = hem_validate(bytes, size, a->views, &fault);
    if (result != HEM_FORMAT_OK) {
        a->cookie = FAULT_COOKIE;
        a->fault_section = fault.section ? hem_section_name(fault.section) : "header";
        a->fault_element = fault.element;
        say_fault(a, result, &fault);
        return HEM_ERROR_ASSET;
    }
    for (uint32_t i = 0; i < a->views[0].level_count; ++i) { // which have been found good with the file
        const hem_asset_level* level = &a->views[0].levels[i];
        hem_validate(a->views[0].level_bytes + level->byte_begin, level->byte_count, &a->views[i + 1], NULL);
    }
    a->cookie = ASSET_COOKIE;
    return HEM_OK;
}

const char* hem_asset_fault(const hem_asset* asset, const char** section, uint32_t* element) {
    const hemi_asset* a = (const hemi_asset*)asset;
    int known = a && a->cookie == FAULT_COOKIE;
    if (section) {
        *section = known ? a->fault_section : "";
    }
    if (element) {
        *element = known ? a->fault_element : 0;
    }
    return known                       ? a->fault_text
           : !a                        ? "there is no asset: the pointer is NULL"
           : a->cookie == ASSET_COOKIE ? "the asset is open, nothing is wrong with it"
                                       : "no bytes were looked at: call hem_asset_open with bytes that are not NULL";
}

hem_result hem_asset_get_info(const hem_asset* asset, hem_asset_info* info) {
    const hem_view* view = hemi_asset_view(asset);
    if (!asset || !info) {
        return HEM_ERROR_NULL;
    }
    if (!view) {
        return HEM_ERROR_ASSET;
    }
    const hem_info* from = view->info;
    memset(info, 0, sizeof(*info));
    info->particle_count = from->particle_count;
    info->simulated_count = from->simulated_count;
    info->attached_count = from->attached_count;
    info->body_count = from->body_count;
    info->part_count = from->part_count;
    info->bone_count = from->bone_count;
    info->vertex_count = from->vertex_count;
    info->mesh_count = from->mesh_count;
    info->collider_count = view->collider_count;
    info->link_count = from->link_count;
    info->group_count = from->group_count;
    for (uint32_t i = 0; i < view->lattice_count; ++i) {
        info->spare_count += view->lattices[i].spare_count;
        info->torn_vertex_capacity += view->lattices[i].torn_vertices;
    }
    info->torn_index_capacity = 6 * view->tear_cap_count;
    memcpy(info->bounds_min, from->bounds_min, sizeof(info->bounds_min));
    memcpy(info->bounds_max, from->bounds_max, sizeof(info->bounds_max));
    info->unit = from->unit > 0.0f ? from->unit : 1.0f;
    hem_scene_def def = hem_scene_def_default();
    hemi_instance spare = {0};
    hemi_carve input = {.packed = 1}, state = {.packed = 1}, all = {0};
    hemi_layout_input(&input, view, def.collider_capacity, def.hull_plane_capacity, def.tie_capacity, 0, &spare);
    hemi_layout_state(&state, view, def.collider_capacity, def.tie_capacity, 0, &spare);
    info->input_size = (uint32_t)input.used;
    info->state_size = (uint32_t)state.used;
    hemi_layout_input(&all, view, def.collider_capacity, def.hull_plane_capacity, def.tie_capacity, 0, &spare);
    hemi_layout_state(&all, view, def.collider_capacity, def.tie_capacity, 0, &spare);
    hemi_layout_instance(&all, view, def.keep_previous, 0, &spare);
    info->instance_size = (uint32_t)all.used;
    return HEM_OK;
}

const char* hem_asset_bone_name(const hem_asset* asset, uint32_t bone) {
    const hem_view* view = hemi_asset_view(asset);
    return view && bone < view->info->bone_count ? view->strings + view->bones[bone].name_offset : NULL;
}

const char* hem_asset_part_name(const hem_asset* asset, uint32_t part) {
    const hem_view* view = hemi_asset_view(asset);
    return view && part < view->info->part_count ? view->strings + view->parts[part].name_offset : NULL;
}

static int same_text(const char* a, const char* b) {
    while (*a && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}

int32_t hem_asset_find_bone(const hem_asset* asset, const char* name) {
    const hem_view* view = hemi_asset_view(asset);
    for (uint32_t i = 0; view && name && i < view->info->bone_count; ++i) {
        if (same_text(view->strings + view->bones[i].name_offset, name)) {
            return (int32_t)i;
        }
    }
    return HEM_NONE;
}

int32_t hem_asset_find_part(const hem_asset* asset, const char* name) {
    const hem_view* view = hemi_asset_view(asset);
    for (uint32_t i = 0; view && name && i < view->info->part_count; ++i) {
        if (same_text(view->strings + view->parts[i].name_offset, name)) {
            return (int32_t)i;
        }
    }
    return HEM_NONE;
}
