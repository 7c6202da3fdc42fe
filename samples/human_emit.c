// SPDX-License-Identifier: MIT
#include "samples/human.h"
#include "samples/human_private.h"

#include <math.h>

// Out of the cage: skin and close clothes as meshes, hair cut along a line that no edge follows, and weights for what hangs near.

void human_weights_set(kit_vertex* vertex, const double* dense) {
    double total = 0;
    for (int32_t k = 0; k < 4; k++) {
        int32_t best = 0;
        double largest = -1;
        for (int32_t b = 0; b < HUMAN_BONE_COUNT; b++) {
            bool taken = false;
            for (int32_t i = 0; i < k; i++) {
                taken = taken || vertex->joints[i] == b;
            }
            if (!taken && dense[b] > largest) {
                largest = dense[b];
                best = b;
            }
        }
        vertex->joints[k] = best;
        vertex->weights[k] = largest > 1e-4 ? largest : 0;
        total += vertex->weights[k];
    }
    for (int32_t k = 0; k < 4; k++) {
        vertex->weights[k] = total > 0 ? vertex->weights[k] / total : (k == 0 ? 1.0 : 0.0);
        if (vertex->weights[k] == 0) {
            vertex->joints[k] = 0;
        }
    }
}

int32_t human_emit(human* h, kit_mesh* mesh, int32_t material, human_choose* choose, human_move* move,
                   const void* context) {
    const int32_t first = mesh->vertex_count;
    int32_t* map = kit_alloc(h->model, (size_t)h->point_count, sizeof(int32_t));
    for (int32_t i = 0; i < h->point_count; i++) {
        map[i] = KIT_NONE;
    }
    for (int32_t f = 0; f < h->face_count; f++) {
        const human_face* face = &h->faces[f];
        if (choose != NULL && !choose(h, face, context)) {
            continue;
        }
        int32_t v[4] = {KIT_NONE, KIT_NONE, KIT_NONE, KIT_NONE};
        for (int32_t k = 0; k < 4; k++) {
            const int32_t p = face->v[k];
            if (p == KIT_NONE) {
                continue;
            }
            if (map[p] == KIT_NONE) {
                const kit_vec position = move != NULL ? move(h, p, context) : h->points[p];
                map[p] = kit_vertex_add(h->model, mesh, position, h->normals[p], 0, 0);
                human_weights_set(&mesh->vertices[map[p]], human_weights_of(h, p));
                mesh->vertices[map[p]].label = face->region;
            }
            v[k] = map[p];
        }
        for (int32_t t = 0; t < 2; t++) {
            const int32_t a = v[0], b = v[1 + t], c = v[2 + t];
            if (c != KIT_NONE && a != b && b != c && c != a) {
                kit_triangle_add(h->model, mesh, a, b, c, material);
                mesh->triangles[mesh->triangle_count - 1].label = face->region;
            }
        }
    }
    if (move != NULL) {
        kit_mesh_normals(h->model, mesh, first, -1, true);
    }
    return first;
}

// A point of the hair: the crossing of a cage edge with the hairline (a != b), or a cage point (a == b).
typedef struct hair_point {
    int32_t a, b;
    int32_t vertex;
} hair_point;

static int32_t hair_vertex(human* h, kit_mesh* mesh, hair_point* made, int32_t* made_count, const double* values,
                           int32_t a, int32_t b, double lift) {
    if (a > b) {
        const int32_t t = a;
        a = b;
        b = t;
    }
    for (int32_t i = 0; i < *made_count; i++) {
        if (made[i].a == a && made[i].b == b) {
            return made[i].vertex;
        }
    }
    const double t = a == b ? 0.0 : values[a] / (values[a] - values[b]);
    const kit_vec n = kit_unit(kit_lerp(h->normals[a], h->normals[b], t));
    const double rise = a == b ? kit_mix(-0.0015, lift, kit_smooth(0.0, 9.0, values[a])) : -0.0015;
    const kit_vec p = kit_mad(kit_lerp(h->points[a], h->points[b], t), n, rise * h->scale);
    const int32_t v = kit_vertex_add(h->model, mesh, p, n, 0, 0);
    kit_mesh_rigid(mesh, v, 1, HUMAN_HEAD);
    mesh->vertices[v].label = HUMAN_REGION_HEAD;
    made[(*made_count)++] = (hair_point){a, b, v};
    return v;
}

double human_field_at(const human* h, human_field* field, int32_t point) {
    const kit_vec d = kit_sub(h->points[point], human_place(h, 0, 1.552, 0.002));
    const double flat = sqrt(d.x * d.x + d.z * d.z);
    return field(kit_atan2(fabs(d.x), d.z) * 180.0 / KIT_PI, kit_atan2(d.y, flat) * 180.0 / KIT_PI);
}

int32_t human_emit_hair(human* h, kit_mesh* mesh, int32_t material, human_field* field, double lift) {
    const int32_t first = mesh->vertex_count;
    double* values = kit_alloc(h->model, (size_t)h->point_count, sizeof(double));
    for (int32_t i = 0; i < h->point_count; i++) {
        const double value = human_field_at(h, field, i);
        values[i] = fabs(value) < 1e-3 ? 1e-3 : value; // no crossing exactly on a point
    }
    hair_point* made = kit_alloc(h->model, (size_t)h->point_count * 4, sizeof(hair_point));
    int32_t made_count = 0;
    for (int32_t f = 0; f < h->face_count; f++) {
        const human_face* face = &h->faces[f];
        if (face->region != HUMAN_REGION_HEAD) {
            continue;
        }
        for (int32_t t = 0; t < 2; t++) {
            const int32_t corner[3] = {face->v[0], face->v[1 + t], face->v[2 + t]};
            if (corner[2] == KIT_NONE || corner[1] == corner[2]) {
                continue;
            }
            // Walk round the triangle, keep what is inside, add a point where an edge crosses the line.
            int32_t polygon[4], count = 0;
            for (int32_t k = 0; k < 3; k++) {
                const int32_t a = corner[k], b = corner[(k + 1) % 3];
                if (values[a] > 0) {
                    polygon[count++] = hair_vertex(h, mesh, made, &made_count, values, a, a, lift);
                }
                if ((values[a] > 0) != (values[b] > 0)) {
                    polygon[count++] = hair_vertex(h, mesh, made, &made_count, values, a, b, lift);
                }
            }
            for (int32_t k = 1; k + 1 < count; k++) {
                kit_triangle_add(h->model, mesh, polygon[0], polygon[k], polygon[k + 1], material);
                mesh->triangles[mesh->triangle_count - 1].label = HUMAN_REGION_HEAD;
            }
        }
    }
    kit_mesh_normals(h->model, mesh, first, -1, true);
    return first;
}

void human_bind(human* h, kit_mesh* mesh, int32_t first, int32_t count, int32_t rounds) {
    const int32_t end = count < 0 ? mesh->vertex_count : first + count;
    const size_t size = (size_t)(end - first) * HUMAN_BONE_COUNT;
    double* dense = kit_alloc(h->model, size + 1, sizeof(double));
    double* sum = kit_alloc(h->model, size + 1, sizeof(double));
    int32_t* degree = kit_alloc(h->model, (size_t)(end - first) + 1, sizeof(int32_t));
    double* squared = kit_alloc(h->model, (size_t)h->point_count, sizeof(double));
    for (int32_t i = first; i < end; i++) {
        double nearest = 1e30;
        for (int32_t p = 0; p < h->point_count; p++) {
            const kit_vec d = kit_sub(mesh->vertices[i].position, h->points[p]);
            squared[p] = kit_dot(d, d) + 1e-8;
            nearest = squared[p] < nearest ? squared[p] : nearest;
        }
        double* row = dense + (size_t)(i - first) * HUMAN_BONE_COUNT;
        for (int32_t p = 0; p < h->point_count; p++) {
            if (squared[p] < 4.0 * nearest + 4e-4) {
                const double q = nearest / squared[p];
                const double w = q * q * q;
                for (int32_t b = 0; b < HUMAN_BONE_COUNT; b++) {
                    row[b] += w * human_weights_of(h, p)[b];
                }
            }
        }
        double total = 0;
        for (int32_t b = 0; b < HUMAN_BONE_COUNT; b++) {
            total += row[b];
        }
        for (int32_t b = 0; b < HUMAN_BONE_COUNT; b++) {
            row[b] /= total;
        }
    }
    for (int32_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < size; i++) {
            sum[i] = 0;
        }
        for (int32_t i = 0; i < end - first; i++) {
            degree[i] = 0;
        }
        for (int32_t t = 0; t < mesh->triangle_count; t++) {
            const int32_t* v = mesh->triangles[t].v;
            if (v[0] < first || v[0] >= end) {
                continue;
            }
            for (int32_t k = 0; k < 3; k++) {
                const size_t a = (size_t)(v[k] - first), b = (size_t)(v[(k + 1) % 3] - first);
                for (size_t bone = 0; bone < HUMAN_BONE_COUNT; bone++) {
                    sum[a * HUMAN_BONE_COUNT + bone] += dense[b * HUMAN_BONE_COUNT + bone];
                    sum[b * HUMAN_BONE_COUNT + bone] += dense[a * HUMAN_BONE_COUNT + bone];
                }
                degree[a]++;
                degree[b]++;
            }
        }
        for (int32_t i = 0; i < end - first; i++) {
            for (size_t bone = 0; bone < HUMAN_BONE_COUNT && degree[i] > 0; bone++) {
                double* w = &dense[(size_t)i * HUMAN_BONE_COUNT + bone];
                *w = 0.5 * *w + 0.5 * sum[(size_t)i * HUMAN_BONE_COUNT + bone] / degree[i];
            }
        }
    }
    for (int32_t i = first; i < end; i++) {
        human_weights_set(&mesh->vertices[i], dense + (size_t)(i - first) * HUMAN_BONE_COUNT);
    }
}
