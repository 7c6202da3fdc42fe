// SPDX-License-Identifier: MIT
#include "samples/kit.h"

#include <math.h>
#include <string.h>

// Things done to whole meshes: normals, paint, mirrors, unwrapping.
//
// Welding goes through a hash of the exact position: vertices doubled for a seam are copies, so their bits agree.

static int32_t range_end(const kit_mesh* mesh, int32_t first, int32_t count) {
    return count < 0 || first + count > mesh->vertex_count ? mesh->vertex_count : first + count;
}

static uint32_t position_hash(kit_vec p) {
    uint64_t bits[3];
    p = kit_v(p.x + 0.0, p.y + 0.0, p.z + 0.0); // -0 becomes +0
    memcpy(bits, &p, sizeof bits);
    uint64_t h = bits[0] * 0x9e3779b97f4a7c15u ^ bits[1] * 0xc2b2ae3d27d4eb4fu ^ bits[2] * 0x165667b19e3779f9u;
    return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

void kit_mesh_weld(kit_model* model, const kit_mesh* mesh, int32_t* representative) {
    int32_t size = 1;
    while (size < mesh->vertex_count * 2) {
        size *= 2;
    }
    int32_t* table = kit_alloc(model, (size_t)size, sizeof(int32_t)); // index + 1
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        kit_vec p = mesh->vertices[i].position;
        uint32_t slot = position_hash(p) & (uint32_t)(size - 1);
        while (table[slot] != 0) {
            kit_vec o = mesh->vertices[table[slot] - 1].position;
            if (o.x == p.x && o.y == p.y && o.z == p.z) {
                break;
            }
            slot = (slot + 1) & (uint32_t)(size - 1);
        }
        if (table[slot] == 0) {
            table[slot] = i + 1;
        }
        representative[i] = table[slot] - 1;
    }
}

void kit_mesh_normals(kit_model* model, kit_mesh* mesh, int32_t first, int32_t count, bool weld) {
    int32_t end = range_end(mesh, first, count);
    int32_t* same = kit_alloc(model, (size_t)mesh->vertex_count, sizeof(int32_t));
    kit_vec* sums = kit_alloc(model, (size_t)mesh->vertex_count, sizeof(kit_vec));
    if (weld) {
        kit_mesh_weld(model, mesh, same);
    } else {
        for (int32_t i = 0; i < mesh->vertex_count; ++i) {
            same[i] = i;
        }
    }
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* v = mesh->triangles[t].v;
        if (v[0] < first || v[0] >= end) {
            continue;
        }
        kit_vec a = mesh->vertices[v[0]].position, b = mesh->vertices[v[1]].position, c = mesh->vertices[v[2]].position;
        kit_vec area = kit_cross(kit_sub(b, a), kit_sub(c, a));
        for (int32_t k = 0; k < 3; ++k) {
            sums[same[v[k]]] = kit_add(sums[same[v[k]]], area);
        }
    }
    for (int32_t i = first; i < end; ++i) {
        mesh->vertices[i].normal = kit_unit(sums[same[i]]);
    }
}

void kit_mesh_paint(kit_mesh* mesh, int32_t first, int32_t count, double r, double g, double b) {
    for (int32_t i = first; i < range_end(mesh, first, count); ++i) {
        mesh->vertices[i].color[0] = r;
        mesh->vertices[i].color[1] = g;
        mesh->vertices[i].color[2] = b;
    }
}

void kit_mesh_rigid(kit_mesh* mesh, int32_t first, int32_t count, int32_t bone) {
    for (int32_t i = first; i < range_end(mesh, first, count); ++i) {
        kit_vertex* v = &mesh->vertices[i];
        memset(v->joints, 0, sizeof v->joints);
        memset(v->weights, 0, sizeof v->weights);
        v->joints[0] = bone;
        v->weights[0] = 1.0;
    }
}

void kit_mesh_transform(kit_mesh* mesh, int32_t first, int32_t count, kit_frame frame) {
    // Normals go by the inverse transpose.
    kit_frame n = {
        kit_cross(frame.y, frame.z), kit_cross(frame.z, frame.x), kit_cross(frame.x, frame.y), {0.0, 0.0, 0.0}};
    for (int32_t i = first; i < range_end(mesh, first, count); ++i) {
        kit_vertex* v = &mesh->vertices[i];
        v->position = kit_point(frame, v->position);
        v->normal = kit_unit(kit_direction(n, v->normal));
    }
}

int32_t kit_mesh_mirror(kit_model* model, kit_mesh* mesh, int32_t first, int32_t count, const int32_t* bone_map) {
    int32_t end = range_end(mesh, first, count), copy = mesh->vertex_count, triangles = mesh->triangle_count;
    for (int32_t i = first; i < end; ++i) {
        kit_vertex v = mesh->vertices[i];
        v.position = kit_mirror(v.position);
        v.normal = kit_mirror(v.normal);
        for (int32_t k = 0; k < 4 && bone_map != NULL; ++k) {
            v.joints[k] = bone_map[v.joints[k]];
        }
        int32_t index = kit_vertex_add(model, mesh, v.position, v.normal, v.u, v.v);
        mesh->vertices[index] = v;
    }
    for (int32_t t = 0; t < triangles; ++t) {
        kit_triangle tri = mesh->triangles[t];
        if (tri.v[0] >= first && tri.v[0] < end) {
            int32_t shift = copy - first;
            kit_triangle_add(model, mesh, tri.v[0] + shift, tri.v[2] + shift, tri.v[1] + shift, tri.material);
            mesh->triangles[mesh->triangle_count - 1].label = tri.label;
        }
    }
    return copy;
}

// -- Unwrapping

static void chart_coordinates(const kit_chart* chart, kit_vec p, double* u, double* v) {
    kit_vec axis = kit_unit(chart->axis);
    kit_vec front = kit_unit(kit_mad(chart->front, axis, -kit_dot(chart->front, axis)));
    kit_vec side = kit_cross(axis, front);
    kit_vec d = kit_sub(p, chart->origin);
    *u = 0.5 + kit_atan2(kit_dot(d, side), kit_dot(d, front)) / (2.0 * KIT_PI);
    *v = kit_dot(d, axis);
}

void kit_mesh_unwrap(kit_model* model, kit_mesh* mesh, const kit_chart* charts, int32_t chart_count) {
    // A vertex is copied once for each (chart, side of the seam) it is seen from; copies hang in a list per vertex.
    int32_t original = mesh->vertex_count;
    int32_t capacity = original + mesh->triangle_count * 3;
    int32_t* next = kit_alloc(model, (size_t)capacity, sizeof(int32_t));
    int32_t* owner =
        kit_alloc(model, (size_t)capacity, sizeof(int32_t)); // chart * 2 + wrapped, plus 1; 0 when not yet taken
    double* low = kit_alloc(model, (size_t)chart_count, sizeof(double));
    double* high = kit_alloc(model, (size_t)chart_count, sizeof(double));
    for (int32_t c = 0; c < chart_count; ++c) {
        low[c] = 1e30;
        high[c] = -1e30;
    }
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        kit_triangle* tri = &mesh->triangles[t];
        int32_t c = 0;
        while (c < chart_count && charts[c].label != tri->label) {
            ++c;
        }
        if (c == chart_count) {
            continue;
        }
        double u[3], v[3], minimum = 2.0, maximum = -1.0;
        for (int32_t k = 0; k < 3; ++k) {
            chart_coordinates(&charts[c], mesh->vertices[tri->v[k]].position, &u[k], &v[k]);
            minimum = u[k] < minimum ? u[k] : minimum;
            maximum = u[k] > maximum ? u[k] : maximum;
        }
        bool crosses = maximum - minimum > 0.5;
        for (int32_t k = 0; k < 3; ++k) {
            bool wrapped = crosses && u[k] < 0.5;
            int32_t key = c * 2 + (wrapped ? 1 : 0) + 1, at = tri->v[k];
            while (owner[at] != 0 && owner[at] != key) {
                if (next[at] == 0) {
                    kit_vertex copy = mesh->vertices[at];
                    int32_t index = kit_vertex_add(model, mesh, copy.position, copy.normal, 0.0, 0.0);
                    mesh->vertices[index] = copy;
                    next[at] = index;
                }
                at = next[at];
            }
            owner[at] = key;
            tri->v[k] = at;
            mesh->vertices[at].u = (u[k] + (wrapped ? 1.0 : 0.0)) / 1.1; // room for the wrapped rim
            mesh->vertices[at].v = v[k];
            low[c] = v[k] < low[c] ? v[k] : low[c];
            high[c] = v[k] > high[c] ? v[k] : high[c];
        }
    }
    for (int32_t i = 0; i < mesh->vertex_count; ++i) {
        if (owner[i] == 0) {
            continue;
        }
        const kit_chart* chart = &charts[(owner[i] - 1) / 2];
        int32_t c = (owner[i] - 1) / 2;
        kit_vertex* vertex = &mesh->vertices[i];
        double across = kit_clamp(vertex->u, 0.0, 1.0);
        double along = high[c] > low[c] ? (vertex->v - low[c]) / (high[c] - low[c]) : 0.0;
        vertex->u = kit_mix(chart->u0, chart->u1, across);
        vertex->v = kit_mix(chart->v1, chart->v0, along); // glTF's v runs downward
    }
}
