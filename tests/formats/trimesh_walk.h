// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_FORMATS_TRIMESH_WALK_H
#define HEM_TESTS_FORMATS_TRIMESH_WALK_H

// A small .hemmesh with everything in it, and a reader that follows every index and adds up every number of one.

#include "formats/hem_trimesh_validate.h"
#include "hem/trimesh.h"

#include <stdlib.h>
#include <string.h>

typedef struct mesh_file {
    uint8_t* bytes;
    size_t size;
} mesh_file;

// A bent sheet of 5 x 4 quads with a torn fin on it.
static inline mesh_file mesh_file_make(int skinned) {
    float p[33][3];
    uint32_t index[42][3], n = 0;
    uint16_t bones[33][4], weights[33][4];
    for (uint32_t i = 0; i < 33; ++i) {
        p[i][0] = (float)(i % 6);
        p[i][2] = (float)(i / 6 % 5);
        p[i][1] = i < 30 ? 0.25f * p[i][0] * p[i][0] : 3.0f;
        for (uint32_t k = 0; k < 4; ++k) {
            bones[i][k] = (uint16_t)((i + k) % 3);
            weights[i][k] = (uint16_t)(k == 0 ? 65535 - 300 : 100);
        }
    }
    for (uint32_t z = 0; z < 4; ++z) {
        for (uint32_t x = 0; x < 5; ++x) {
            uint32_t a = z * 6 + x;
            uint32_t six[6] = {a, a + 6, a + 1, a + 1, a + 6, a + 7};
            memcpy(index[n], six, sizeof(six));
            n += 2;
        }
    }
    uint32_t fin[2][3] = {{7, 8, 30}, {8, 9, 31}};
    memcpy(index[n], fin, sizeof(fin));
    hem_trimesh_def def = hem_trimesh_def_default();
    def.positions = p[0];
    def.vertex_count = 33;
    def.indices = index[0];
    def.triangle_count = 42;
    def.bone_count = skinned ? 3 : 0;
    def.bones = bones[0];
    def.weights = weights[0];
    hem_memory need, aside;
    mesh_file m = {NULL, 0};
    if (hem_trimesh_measure(&def, &need, &aside) != HEM_OK) {
        abort();
    }
    void* scratch = aligned_alloc(64, aside.size);
    uint8_t* room = aligned_alloc(64, need.size);
    hem_trimesh_report report;
    if (hem_trimesh_build(&def, room, need.size, scratch, aside.size, &report) != HEM_OK) {
        abort();
    }
    m.size = report.size;
    m.bytes = aligned_alloc(64, m.size);
    memcpy(m.bytes, room, m.size);
    free(room);
    free(scratch);
    return m;
}

// Seven by five heights, with a hole.
static inline mesh_file field_file_make(void) {
    float y[35];
    for (int i = 0; i < 35; ++i) {
        y[i] = i == 17 ? HEM_NO_GROUND : 0.25f * (float)(i * i % 11);
    }
    hem_trimesh_field_def def = hem_trimesh_field_def_default();
    def.columns = 7;
    def.rows = 5;
    def.heights = y;
    def.cell[1] = 0.75f;
    hem_memory need;
    if (hem_trimesh_measure_field(&def, &need) != HEM_OK) {
        abort();
    }
    mesh_file m = {aligned_alloc(64, need.size), need.size};
    if (hem_trimesh_build_field(&def, m.bytes, m.size, NULL) != HEM_OK) {
        abort();
    }
    return m;
}

static inline float walk_mesh(const hem_trimesh_view* v) {
    float sum = 0;
    for (uint32_t i = 0; v->heights && i < v->header->vertex_count; ++i) {
        sum += v->heights[i];
    }
    if (v->heights) {
        return sum;
    }
    for (uint32_t i = 0; i < v->header->vertex_count; ++i) {
        sum += v->vertices[i].position[0] + v->vertices[i].normal[2];
        sum += v->binds ? (float)v->binds[i].bone[3] : 0;
    }
    for (uint32_t t = 0; t < v->block_count * 8; ++t) {
        for (uint32_t k = 0; k < 3; ++k) {
            sum += v->vertices[v->names[t / 8].vertex[k][t % 8]].position[k];
            sum += v->edges[v->names[t / 8].edge[k][t % 8]].normal[k] + v->corners[t / 8].at[k][k][t % 8];
        }
    }
    for (uint32_t i = 0; i < v->header->edge_count; ++i) {
        const hem_trimesh_edge* e = &v->edges[i];
        sum += v->vertices[e->vertex[1]].position[0] + v->corners[e->triangle[0] / 8].at[0][0][0];
    }
    for (uint32_t level = 0; level < v->level_count; ++level) {
        for (uint32_t i = v->level_begin[level]; i < v->level_begin[level + 1]; ++i) {
            sum += v->nodes[i].low[2][7];
        }
    }
    for (uint32_t i = 0; v->slabs && i < v->node_count; ++i) {
        sum += v->slabs[i].most[7];
    }
    return sum;
}

#endif
