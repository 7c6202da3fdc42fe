// SPDX-License-Identifier: MIT
// Opening triangle meshes: validated once, used in place.

#include "runtime/src/trimesh.h"

#define TRIMESH_COOKIE 0x484d4d31u

const hem_trimesh_view* hemi_trimesh_view(const hem_trimesh* mesh) {
    const hemi_trimesh* m = (const hemi_trimesh*)mesh;
    return m && m->cookie == TRIMESH_COOKIE ? &m->view : NULL;
}

hem_result hem_trimesh_open(hem_trimesh* mesh, const void* bytes, size_t size) {
    if (!mesh || !bytes) {
        return HEM_ERROR_NULL;
    }
    hemi_trimesh* m = (hemi_trimesh*)mesh;
    memset(mesh, 0, sizeof(*mesh));
    hem_trimesh_fault_place fault;
    m->result = hem_trimesh_validate(bytes, size, &m->view, &fault);
    m->fault = fault;
    if (m->result != HEM_TRIMESH_OK) {
        return HEM_ERROR_ASSET;
    }
    m->cookie = TRIMESH_COOKIE;
    return HEM_OK;
}

const char* hem_trimesh_fault(const hem_trimesh* mesh, const char** array, const char** field, uint32_t* element) {
    const hemi_trimesh* m = (const hemi_trimesh*)mesh;
    int known = m && m->result != HEM_TRIMESH_OK;
    if (array) {
        *array = known ? m->fault.array : "";
    }
    if (field) {
        *field = known ? m->fault.field : "";
    }
    if (element) {
        *element = known ? m->fault.element : 0;
    }
    return known ? hem_trimesh_result_text(m->result) : "no fault";
}

hem_result hem_trimesh_get_info(const hem_trimesh* mesh, hem_trimesh_info* info) {
    const hem_trimesh_view* view = hemi_trimesh_view(mesh);
    if (!view || !info) {
        return HEM_ERROR_NULL;
    }
    const hem_trimesh_header* h = view->header;
    memset(info, 0, sizeof(*info));
    info->vertex_count = h->vertex_count;
    info->triangle_count = h->triangle_count;
    info->edge_count = h->edge_count;
    info->border_count = h->border_count;
    info->bone_count = h->bone_count;
    info->closed = (h->flags & HEM_TRIMESH_CLOSED) != 0;
    info->two_sided = (h->flags & HEM_TRIMESH_TWO_SIDED) != 0;
    info->columns = h->columns;
    info->rows = h->rows;
    for (int k = 0; k < 3; ++k) {
        info->bounds_min[k] = h->low[k];
        info->bounds_max[k] = h->high[k];
    }
    info->size = h->file_size;
    return HEM_OK;
}
