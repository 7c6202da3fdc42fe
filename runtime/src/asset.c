// SPDX-License-Identifier: MIT
// Opening assets: validated once, used in place. What follows never looks at a byte with suspicion again.

#include "runtime/src/internal.h"

#define ASSET_COOKIE 0x48454d41u

const hem_view* hemi_asset_view(const hem_asset* asset) {
    const hemi_asset* a = (const hemi_asset*)asset;
    return a && a->cookie == ASSET_COOKIE ? &a->view : NULL;
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

hem_result hem_asset_open(hem_asset* asset, const void* bytes, size_t size) {
    if (!asset || !bytes) {
        return HEM_ERROR_NULL;
    }
    hemi_asset* a = (hemi_asset*)asset;
    memset(asset, 0, sizeof(*asset));
    hem_format_fault fault = {0, 0, NULL};
    hem_format_result result = hem_validate(bytes, size, &a->view, &fault);
    if (result != HEM_FORMAT_OK) {
        a->fault_text = fault.field ? fault.field : hem_format_result_text(result);
        a->fault_section = fault.section ? hem_section_name(fault.section) : "header";
        a->fault_element = fault.element;
        return HEM_ERROR_ASSET;
    }
    a->cookie = ASSET_COOKIE;
    return HEM_OK;
}

const char* hem_asset_fault(const hem_asset* asset, const char** section, uint32_t* element) {
    const hemi_asset* a = (const hemi_asset*)asset;
    int known = a && a->fault_text;
    if (section) {
        *section = known ? a->fault_section : "";
    }
    if (element) {
        *element = known ? a->fault_element : 0;
    }
    return known ? a->fault_text : "no fault";
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
