// SPDX-License-Identifier: MIT
#include "tools/seen_private.h"

#include <stdlib.h>

// Creases. Cloth that lies crumpled on itself crosses nothing and hardly stretches; what the eye sees is that neighbouring
// faces which were nearly level stand back to back. Edges of the bind pose over 60 degrees (rims, hems of two walls) are
// the modeller's and not asked.

#define LEVEL_COSINE 0.5f

enum { FACES_MAX = 8 }; // around one edge: two of a wall, four of cloth with two walls in one place

static void add_folds(seen_mesh* m, const seen_edge* edges, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            const vec3 a = seeni_face_normal(m, m->rest, edges[i].face);
            const vec3 b = seeni_face_normal(m, m->rest, edges[k].face);
            if (edges[i].layer == edges[k].layer && v3_dot(a, b) > LEVEL_COSINE * v3_length(a) * v3_length(b)) {
                m->folds[m->fold_count++] = (seen_fold){{edges[i].face, edges[k].face}, edges[i].rest, edges[i].layer};
                m->layers[edges[i].layer].fold_length += edges[i].rest;
            }
        }
    }
}

// From edges by their corners, an edge once for each face that has it.
bool seeni_make_folds(seen_mesh* m, const seen_edge* edges, uint32_t count) {
    m->folds = malloc(sizeof(seen_fold) * ((size_t)count * (FACES_MAX - 1) / 2 + 1));
    if (m->folds == NULL) {
        return false;
    }
    for (uint32_t first = 0, end = 0; first < count; first = end) {
        for (end = first + 1; end < count && edges[end].a == edges[first].a && edges[end].b == edges[first].b; end++) {}
        if (end - first <= FACES_MAX) {
            add_folds(m, edges + first, end - first);
        }
    }
    return true;
}

void seeni_measure_folds(seen_mesh* m, const float* positions) {
    for (uint32_t i = 0; i < m->layer_count; i++) {
        m->layers[i].folded_length = 0.0f;
    }
    for (uint32_t i = 0; i < m->fold_count; i++) {
        const seen_fold* f = &m->folds[i];
        const vec3 a = seeni_face_normal(m, positions, f->faces[0]), b = seeni_face_normal(m, positions, f->faces[1]);
        m->layers[f->layer].folded_length += v3_dot(a, b) < 0.0f ? f->length : 0.0f;
    }
}
