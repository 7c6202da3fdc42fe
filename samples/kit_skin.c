// SPDX-License-Identifier: MIT
#include "samples/kit.h"

#include <math.h>
#include <string.h>

// Binding skin to bones. Each bone pulls with (radius / distance)^6: on a limb the change-over at a joint is about
// one radius long. The pull is then diffused over the welded surface, which removes the creases that label masks and
// bone ends leave behind.

static double segment_distance(kit_vec p, kit_vec a, kit_vec b) {
    kit_vec d = kit_sub(b, a);
    double dd = kit_dot(d, d);
    double t = dd > 0.0 ? kit_clamp(kit_dot(kit_sub(p, a), d) / dd, 0.0, 1.0) : 0.0;
    return kit_distance(p, kit_mad(a, d, t));
}

static void normalise_row(double* row, int32_t count) {
    double sum = 0.0;
    for (int32_t b = 0; b < count; ++b) {
        sum += row[b];
    }
    for (int32_t b = 0; b < count && sum > 0.0; ++b) {
        row[b] /= sum;
    }
}

// Keeps the four largest, the lower bone first among equals.
static void keep_four(kit_vertex* vertex, const double* row, const kit_bind* binds, int32_t bind_count) {
    for (int32_t k = 0; k < 4; ++k) {
        vertex->joints[k] = 0;
        vertex->weights[k] = 0.0;
    }
    for (int32_t b = 0; b < bind_count; ++b) {
        int32_t k = 3;
        if (row[b] <= vertex->weights[3] || row[b] < 1e-3) {
            continue;
        }
        for (; k > 0 && vertex->weights[k - 1] < row[b]; --k) {
            vertex->weights[k] = vertex->weights[k - 1];
            vertex->joints[k] = vertex->joints[k - 1];
        }
        vertex->weights[k] = row[b];
        vertex->joints[k] = binds[b].bone;
    }
}

void kit_mesh_bind(kit_model* model, kit_mesh* mesh, int32_t first, int32_t count, const kit_bind* binds,
                   int32_t bind_count, int32_t smooth) {
    int32_t end = count < 0 ? mesh->vertex_count : first + count;
    size_t size = (size_t)mesh->vertex_count * (size_t)bind_count;
    double* weights = kit_alloc(model, size, sizeof(double));
    double* sums = kit_alloc(model, size, sizeof(double));
    double* degree = kit_alloc(model, (size_t)mesh->vertex_count, sizeof(double));
    int32_t* same = kit_alloc(model, (size_t)mesh->vertex_count, sizeof(int32_t));
    kit_mesh_weld(model, mesh, same);
    for (int32_t i = first; i < end; ++i) {
        double* row = weights + (size_t)i * (size_t)bind_count;
        const kit_vertex* vertex = &mesh->vertices[i];
        for (int32_t b = 0; b < bind_count; ++b) {
            bool wanted =
                binds[b].label_mask == 0 || (vertex->label < 64 && (binds[b].label_mask >> vertex->label & 1) != 0);
            const kit_bone_info* bone = &model->bones[binds[b].bone];
            double d = segment_distance(vertex->position, bone->head, bone->tail);
            double ratio = binds[b].radius / (d > 1e-4 ? d : 1e-4);
            row[b] = wanted ? ratio * ratio * ratio * ratio * ratio * ratio : 0.0;
        }
        normalise_row(row, bind_count);
    }
    for (int32_t round = 0; round < smooth; ++round) {
        memset(sums, 0, size * sizeof(double));
        memset(degree, 0, (size_t)mesh->vertex_count * sizeof(double));
        for (int32_t t = 0; t < mesh->triangle_count; ++t) {
            const int32_t* v = mesh->triangles[t].v;
            if (v[0] < first || v[0] >= end) {
                continue;
            }
            for (int32_t k = 0; k < 3; ++k) {
                int32_t a = same[v[k]], c = same[v[(k + 1) % 3]];
                degree[a] += 1.0;
                degree[c] += 1.0;
                for (int32_t b = 0; b < bind_count; ++b) {
                    sums[(size_t)a * (size_t)bind_count + (size_t)b] +=
                        weights[(size_t)c * (size_t)bind_count + (size_t)b];
                    sums[(size_t)c * (size_t)bind_count + (size_t)b] +=
                        weights[(size_t)a * (size_t)bind_count + (size_t)b];
                }
            }
        }
        for (int32_t i = first; i < end; ++i) {
            for (int32_t b = 0; b < bind_count && degree[same[i]] > 0.0; ++b) {
                size_t at = (size_t)i * (size_t)bind_count + (size_t)b;
                double mean = sums[(size_t)same[i] * (size_t)bind_count + (size_t)b] / degree[same[i]];
                weights[at] = kit_mix(weights[at], mean, 0.5);
            }
        }
    }
    for (int32_t i = first; i < end; ++i) {
        keep_four(&mesh->vertices[i], weights + (size_t)same[i] * (size_t)bind_count, binds, bind_count);
    }
}

void kit_mesh_bind_like(kit_mesh* mesh, int32_t first, int32_t count, const kit_mesh* source) {
    enum { NEAR = 6 };
    int32_t end = count < 0 ? mesh->vertex_count : first + count;
    for (int32_t i = first; i < end; ++i) {
        kit_vertex* vertex = &mesh->vertices[i];
        int32_t near[NEAR];
        double distance[NEAR];
        int32_t found = 0;
        for (int32_t j = 0; j < source->vertex_count; ++j) {
            kit_vec d = kit_sub(source->vertices[j].position, vertex->position);
            double dd = kit_dot(d, d);
            if (found == NEAR && dd >= distance[NEAR - 1]) {
                continue;
            }
            int32_t k = found < NEAR ? found++ : NEAR - 1;
            for (; k > 0 && distance[k - 1] > dd; --k) {
                distance[k] = distance[k - 1];
                near[k] = near[k - 1];
            }
            distance[k] = dd;
            near[k] = j;
        }
        kit_bind bones[NEAR * 4];
        double row[NEAR * 4];
        int32_t bone_count = 0;
        for (int32_t k = 0; k < found; ++k) {
            const kit_vertex* other = &source->vertices[near[k]];
            double closeness = 1.0 / (distance[k] + 1e-8);
            for (int32_t c = 0; c < 4; ++c) {
                int32_t b = 0;
                while (b < bone_count && bones[b].bone != other->joints[c]) {
                    ++b;
                }
                if (b == bone_count) {
                    bones[bone_count] = (kit_bind){other->joints[c], 0.0, 0};
                    row[bone_count++] = 0.0;
                }
                row[b] += other->weights[c] * closeness;
            }
        }
        normalise_row(row, bone_count);
        keep_four(vertex, row, bones, bone_count);
    }
}
