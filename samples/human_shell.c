// SPDX-License-Identifier: MIT
#include "samples/human.h"

// Thick cloth of any topology. A robe has sleeves and so is no grid; it is a net of quads that is walked once for the front, once, pushed inward
// and turned round, for the lining, and once along its borders for the rims that join the two.

human_net human_net_new(kit_model* model, int32_t point_capacity, int32_t face_capacity) {
    const size_t points = (size_t)point_capacity, faces = (size_t)face_capacity;
    return (human_net){.points = kit_alloc(model, points, sizeof(kit_vec)),
                       .normals = kit_alloc(model, points, sizeof(kit_vec)),
                       .weights = kit_alloc(model, points * HUMAN_BONE_COUNT, sizeof(double)),
                       .free = kit_alloc(model, points, sizeof(double)),
                       .point_capacity = point_capacity,
                       .faces = kit_alloc(model, faces, sizeof(int32_t[4])),
                       .labels = kit_alloc(model, faces, sizeof(int32_t)),
                       .face_capacity = face_capacity};
}

int32_t human_net_point(human_net* net, kit_vec point, const double* weights, double free) {
    if (net->point_count == net->point_capacity) {
        kit_die("a net has too many points", "human_net_point");
    }
    const int32_t i = net->point_count++;
    net->points[i] = point;
    net->free[i] = free;
    for (int32_t b = 0; b < HUMAN_BONE_COUNT; b++) {
        net->weights[(size_t)i * HUMAN_BONE_COUNT + (size_t)b] = weights[b];
    }
    return i;
}

void human_net_face(human_net* net, int32_t a, int32_t b, int32_t c, int32_t d, int32_t label) {
    if (net->face_count == net->face_capacity) {
        kit_die("a net has too many faces", "human_net_face");
    }
    const int32_t i = net->face_count++;
    const int32_t v[4] = {a, b, c, d};
    for (int32_t k = 0; k < 4; k++) {
        net->faces[i][k] = v[k];
    }
    net->labels[i] = label;
}

void human_net_normals(human_net* net) {
    for (int32_t i = 0; i < net->point_count; i++) {
        net->normals[i] = kit_v(0, 0, 0);
    }
    for (int32_t f = 0; f < net->face_count; f++) {
        const int32_t* v = net->faces[f];
        const int32_t last = v[3] == KIT_NONE ? v[2] : v[3];
        const kit_vec n =
            kit_cross(kit_sub(net->points[v[2]], net->points[v[0]]), kit_sub(net->points[last], net->points[v[1]]));
        for (int32_t k = 0; k < 4 && v[k] != KIT_NONE; k++) {
            net->normals[v[k]] = kit_add(net->normals[v[k]], n);
        }
    }
    for (int32_t i = 0; i < net->point_count; i++) {
        net->normals[i] = kit_unit(net->normals[i]);
    }
}

static int32_t add_vertex(human* h, kit_mesh* mesh, const human_net* net, int32_t point, double depth) {
    const kit_vec n = net->normals[point];
    const int32_t i =
        kit_vertex_add(h->model, mesh, kit_mad(net->points[point], n, -depth), kit_mul(n, depth > 0 ? -1 : 1), 0, 0);
    kit_vertex* v = &mesh->vertices[i];
    human_weights_set(v, net->weights + (size_t)point * HUMAN_BONE_COUNT);
    v->blend = net->free[point];
    v->pin = 1.0 - kit_smooth(0.02, 0.35, net->free[point]);
    v->stiffness = kit_mix(0.7, 0.4, net->free[point]);
    return i;
}

static void add_triangle(human* h, kit_mesh* mesh, int32_t a, int32_t b, int32_t c, int32_t material, int32_t label) {
    kit_triangle_add(h->model, mesh, a, b, c, material);
    mesh->triangles[mesh->triangle_count - 1].label = label;
}

// True when no face runs from b to a.
static bool is_border(const human_net* net, int32_t a, int32_t b) {
    for (int32_t f = 0; f < net->face_count; f++) {
        const int32_t* v = net->faces[f];
        const int32_t n = v[3] == KIT_NONE ? 3 : 4;
        for (int32_t k = 0; k < n; k++) {
            if (v[k] == b && v[(k + 1) % n] == a) {
                return false;
            }
        }
    }
    return true;
}

void human_shell(human* h, kit_mesh* mesh, const human_net* net, double thickness, int32_t front, int32_t lining) {
    const int32_t first = mesh->vertex_count;
    for (int32_t layer = 0; layer < 2; layer++) {
        for (int32_t i = 0; i < net->point_count; i++) {
            add_vertex(h, mesh, net, i, layer == 0 ? 0.0 : thickness);
        }
        const int32_t base = first + layer * net->point_count;
        for (int32_t f = 0; f < net->face_count; f++) {
            const int32_t* v = net->faces[f];
            for (int32_t t = 0; t < 2; t++) {
                const int32_t a = v[0], b = v[1 + t], c = v[2 + t];
                if (c == KIT_NONE) {
                    continue;
                }
                if (layer == 0) {
                    add_triangle(h, mesh, base + a, base + b, base + c, front, net->labels[f]);
                } else {
                    add_triangle(h, mesh, base + a, base + c, base + b, lining, net->labels[f] + HUMAN_LINING);
                }
            }
        }
    }
    kit_mesh_normals(h->model, mesh, first, -1, true);
    const int32_t rims = mesh->vertex_count;
    int32_t* rim =
        kit_alloc(h->model, (size_t)net->point_count, sizeof(int32_t)); // front vertex + 1; the lining's follows it
    for (int32_t f = 0; f < net->face_count; f++) {
        const int32_t* v = net->faces[f];
        const int32_t n = v[3] == KIT_NONE ? 3 : 4;
        for (int32_t k = 0; k < n; k++) {
            const int32_t ends[2] = {v[k], v[(k + 1) % n]};
            if (!is_border(net, ends[0], ends[1])) {
                continue;
            }
            for (int32_t e = 0; e < 2; e++) {
                if (rim[ends[e]] == 0) {
                    rim[ends[e]] = add_vertex(h, mesh, net, ends[e], 0.0) + 1;
                    add_vertex(h, mesh, net, ends[e], thickness);
                }
            }
            const int32_t a = rim[ends[0]] - 1, b = rim[ends[1]] - 1;
            add_triangle(h, mesh, b, a, a + 1, front, net->labels[f]);
            add_triangle(h, mesh, b, a + 1, b + 1, front, net->labels[f]);
        }
    }
    kit_mesh_normals(h->model, mesh, rims, -1, true);
}
