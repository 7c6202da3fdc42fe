// SPDX-License-Identifier: MIT
#include "tools/play.h"
#include "tools/command.h"

#include <stdlib.h>
#include <string.h>

static int build(play* p, const hem_trimesh_def* def, void* scratch, hem_memory room, hem_memory aside) {
    hem_trimesh_report report;
    hem_result result = hem_trimesh_build(def, p->mesh_bytes, room.size, scratch, aside.size, &report);
    if (result == HEM_OK) {
        result = hem_trimesh_open(&p->mesh, p->mesh_bytes, report.size);
    }
    if (result != HEM_OK) {
        return command_fail(COMMAND_INPUT, "--mesh: %s", hem_result_text(result));
    }
    return COMMAND_OK;
}

static void* take(size_t size) {
    return aligned_alloc(64, (size + 63) / 64 * 64);
}

int play_build_mesh(play* p, const bool* taken) {
    const hem_view* v = &p->source.view;
    if (v->preview_indices == NULL) {
        return command_fail(COMMAND_INPUT, "'%s' was compiled with --ship and has no triangles", p->source.path);
    }
    uint32_t* indices = malloc(sizeof(uint32_t) * ((size_t)v->preview_index_count + 1));
    hem_trimesh_def def = hem_trimesh_def_default();
    for (uint32_t i = 0; indices != NULL && i < v->mesh_count; i++) {
        if (taken[i]) {
            memcpy(indices + 3 * (size_t)def.triangle_count, v->preview_indices + v->meshes[i].index_begin,
                   sizeof(uint32_t) * v->meshes[i].index_count);
            def.triangle_count += v->meshes[i].index_count / 3;
        }
    }
    def.vertex_count = v->info->vertex_count;
    def.positions = v->vertex_rest[0].position;
    def.position_stride = sizeof(v->vertex_rest[0]);
    def.indices = indices;
    hem_memory room = {0}, aside = {0};
    const hem_result result = hem_trimesh_measure(&def, &room, &aside);
    void* scratch = take(aside.size + 1);
    p->mesh_bytes = take(room.size + 1);
    int code = COMMAND_OK;
    if (indices == NULL || scratch == NULL || p->mesh_bytes == NULL) {
        code = command_fail(COMMAND_INTERNAL, "no memory for a mesh of %u triangles", def.triangle_count);
    } else if (result != HEM_OK) {
        code = command_fail(COMMAND_INPUT, "--mesh: %s", hem_result_text(result));
    } else {
        code = build(p, &def, scratch, room, aside);
    }
    free(indices);
    free(scratch);
    return code;
}
