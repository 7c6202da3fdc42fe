// SPDX-License-Identifier: MIT
#include "compiler/hemc_internal.h"
#include "hem/trimesh.h"

#include <string.h>

// The body as it is: its triangles, welded, in a tree, following the bones. The runtime's own builder makes the bytes, as
// for hemc mesh.

static bool refused(hemc_log* log, const hemc_model* model, const char* text) {
    return hemc_error(log, HEMC_INPUT, model->path, "/body/mesh", "the body's triangles cannot be built: %s", text);
}

static bool build(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hem_trimesh_def* def,
                  hemc_mesh* mesh) {
    hem_memory need, aside;
    hem_trimesh_report report;
    hem_result result = hem_trimesh_measure(def, &need, &aside);
    if (result != HEM_OK) {
        return refused(log, model, hem_result_text(result));
    }
    mesh->body_mesh = hemc_alloc(arena, need.size, 1);
    result = hem_trimesh_build(def, mesh->body_mesh, need.size, hemc_alloc(arena, aside.size, 1), aside.size, &report);
    mesh->body_mesh_size = report.size;
    return result == HEM_OK || refused(log, model, hem_result_text(result));
}

bool hemc_body_mesh(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                    const int32_t* owner, hemc_mesh* mesh) {
    hemc_surface surface;
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        mesh->body_mesh_groups |= hemc_meets_body(&recipe->parts[p]) ? mesh->collision_groups[p] : 0;
    }
    if (mesh->body_mesh_groups == 0) {
        return true; // nobody would meet it
    }
    if (!hemc_body_surface(arena, model, recipe, owner, &surface)) {
        return hemc_error(log, HEMC_INPUT, model->path, "/body/mesh",
                          "the body has no triangles: all of them belong to parts or accessories, or \"select\" finds "
                          "none");
    }
    if (surface.triangle_count > HEM_MAX_BODY_TRIANGLES) {
        return hemc_error(log, HEMC_INPUT, model->path, "/body/mesh",
                          "%u triangles; a body has up to %d. Choose those that lie below cloth by \"select\"",
                          surface.triangle_count, HEM_MAX_BODY_TRIANGLES);
    }
    const uint32_t n = surface.vertex_count;
    uint16_t(*bones)[4] = hemc_alloc(arena, n, sizeof(*bones));
    uint16_t(*weights)[4] = hemc_alloc(arena, n, sizeof(*weights));
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t v = surface.source_vertex[i];
        memcpy(bones[i], model->bones[v], sizeof(bones[i]));
        hemc_quantize_weights(model->bone_weights[v], weights[i]);
    }
    hem_trimesh_def def = hem_trimesh_def_default();
    def.positions = &surface.positions[0].x;
    def.position_stride = sizeof(hemc_vec3);
    def.vertex_count = n;
    def.indices = surface.triangles;
    def.triangle_count = surface.triangle_count;
    def.bone_count = model->bone_count;
    def.bones = bones[0];
    def.weights = weights[0];
    return build(arena, log, model, &def, mesh);
}
