// SPDX-License-Identifier: MIT
#include "compiler/pack/pack.h"

#include "compiler/lanes/lanes.h"

#include <string.h>

// What lattices that can tear have besides, in the numbers of the file.

typedef struct numbers {
    uint32_t* vertex; // per vertex of the model
    uint32_t* mesh;   // per primitive
} numbers;

static numbers file_numbers(const hemc_packer* p) {
    const hemc_model* model = p->model;
    numbers n = {hemc_alloc(p->arena, model->vertex_count, sizeof(uint32_t)),
                 hemc_alloc(p->arena, model->primitive_count, sizeof(uint32_t))};
    uint32_t meshes = 0, vertices = 0;
    for (uint32_t i = 0; i < model->primitive_count; ++i) {
        const hemc_primitive* primitive = &model->primitives[i];
        if (hemc_ships(p->mesh, primitive, p->ship, p->ship_all)) {
            n.mesh[i] = meshes++;
            for (uint32_t k = 0; k < primitive->vertex_count; ++k) {
                n.vertex[primitive->vertex_begin + k] = vertices++;
            }
        }
    }
    return n;
}

static int compare(const hem_tear_triangle* a, const hem_tear_triangle* b) {
    return a->mesh != b->mesh          ? (a->mesh < b->mesh ? -1 : 1)
           : a->triangle < b->triangle ? -1
                                       : a->triangle > b->triangle;
}

// Of several parts that share meshes: merged, so that each mesh has its triangles in order.
static void merge_triangles(hemc_packer* p, const hem_tear_triangle* more, uint32_t count) {
    hem_view* v = &p->view;
    hem_tear_triangle* all = hemc_alloc(p->arena, (size_t)v->tear_triangle_count + count, sizeof(hem_tear_triangle));
    uint32_t a = 0, b = 0, n = 0;
    while (a < v->tear_triangle_count || b < count) {
        const bool first = b == count || (a < v->tear_triangle_count && compare(&v->tear_triangles[a], &more[b]) < 0);
        all[n++] = first ? v->tear_triangles[a++] : more[b++];
    }
    v->tear_triangles = all;
    v->tear_triangle_count = n;
}

static void pack_lattice(hemc_packer* p, hem_lattice* to, const hemc_tears_made* t, const numbers* n) {
    hem_view* v = &p->view;
    hem_tear_face* faces = hemc_alloc(p->arena, t->face_count, sizeof(hem_tear_face));
    hem_tear_point* points = hemc_alloc(p->arena, t->point_count, sizeof(hem_tear_point));
    uint32_t* cells = hemc_alloc(p->arena, t->cell_count, sizeof(uint32_t));
    hem_tear_cap* caps = hemc_alloc(p->arena, t->cap_count, sizeof(hem_tear_cap));
    hem_tear_triangle* triangles = hemc_alloc(p->arena, t->triangle_count, sizeof(hem_tear_triangle));
    for (uint32_t i = 0; i < t->face_count; ++i) {
        faces[i] = t->faces[i];
        faces[i].cell[0] += to->cell_begin;
        faces[i].cell[1] += to->cell_begin;
        faces[i].cap_begin += v->tear_cap_count;
    }
    for (uint32_t i = 0; i < t->point_count; ++i) {
        points[i] = t->points[i];
        points[i].cell_begin += v->tear_cell_count;
        points[i].vertex = points[i].vertex != HEM_TEAR_NONE ? n->vertex[points[i].vertex] : HEM_TEAR_NONE;
    }
    for (uint32_t i = 0; i < t->cell_count; ++i) {
        cells[i] = t->cells[i] + to->cell_begin;
    }
    for (uint32_t i = 0; i < t->cap_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            caps[i].point[k] = t->caps[i].point[k] + v->tear_point_count;
        }
    }
    for (uint32_t i = 0; i < t->triangle_count; ++i) {
        triangles[i] = t->triangles[i];
        triangles[i].cell += to->cell_begin;
        triangles[i].mesh = n->mesh[triangles[i].mesh];
        for (int k = 0; k < 3; ++k) {
            triangles[i].vertex[k] = n->vertex[triangles[i].vertex[k]];
            triangles[i].point[k] += triangles[i].point[k] != HEM_TEAR_NONE ? v->tear_point_count : 0;
        }
    }
    to->face_begin = v->tear_face_count;
    to->face_count = t->face_count;
    v->tear_faces = hemc_append(p->arena, v->tear_faces, v->tear_face_count, faces, t->face_count, sizeof(*faces));
    v->tear_points =
        hemc_append(p->arena, v->tear_points, v->tear_point_count, points, t->point_count, sizeof(*points));
    v->tear_cells = hemc_append(p->arena, v->tear_cells, v->tear_cell_count, cells, t->cell_count, sizeof(*cells));
    v->tear_caps = hemc_append(p->arena, v->tear_caps, v->tear_cap_count, caps, t->cap_count, sizeof(*caps));
    v->tear_face_count += t->face_count;
    v->tear_point_count += t->point_count;
    v->tear_cell_count += t->cell_count;
    v->tear_cap_count += t->cap_count;
    merge_triangles(p, triangles, t->triangle_count);
}

void hemc_pack_tears(hemc_packer* p) {
    numbers n = {0};
    for (uint32_t i = 0; i < p->layout->lattice_count; ++i) {
        hem_lattice* l = &p->layout->lattices[i];
        const hemc_lattice* from = p->mesh->part_lattices[p->layout->part_order[l->part]];
        l->face_begin = p->view.tear_face_count;
        if (l->spare_count == 0) {
            continue;
        }
        if (n.vertex == NULL && p->model != NULL) {
            n = file_numbers(p);
        }
        pack_lattice(p, l, from->tears, &n);
    }
}
