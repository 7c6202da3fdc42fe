// SPDX-License-Identifier: MIT
// What is drawn of a torn lattice. Triangles stay whole and go with their cell. A vertex that several cells share is moved
// by those of them that closed faces join, as one; each such group that its own vertex is not of has a torn vertex. Open faces
// have their closing surface, prepared by the compiler, once for either side (compiler/shape/tears.c says why that closes).

#include "runtime/src/kernels/kernels.h"
#include "runtime/src/refuse.h"
#include "runtime/src/tear.h"

#define NOTHING 0xffffffffu

// The cell that stands for the group of a point's cells that `cell` is of: the first of the list.
static uint32_t leader(const hemi_torn* t, const hem_tear_point* point, uint32_t cell) {
    const uint32_t* cells = t->view.tear_cells + point->cell_begin;
    uint8_t group[HEM_MAX_TEAR_CELLS];
    const uint32_t count = point->cell_count;
    int parted = 0;
    for (uint32_t i = 0; i < count; ++i) {
        group[i] = (uint8_t)i;
        for (int axis = 0; axis < 3; ++axis) {
            parted |= t->face_of[cells[i]][axis] != HEM_NONE && t->open[t->face_of[cells[i]][axis]];
        }
    }
    if (!parted) { // its cells were found along closed ways
        return cells[0];
    }
    for (int changed = 1; changed;) { // few cells, near each other
        changed = 0;
        for (uint32_t i = 0; i < count; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                const int32_t f = t->face_of[cells[i]][axis];
                for (uint32_t k = 0; f != HEM_NONE && !t->open[f] && k < count; ++k) {
                    if (cells[k] == t->view.tear_faces[f].cell[1] && group[i] != group[k]) {
                        group[i] = group[k] = group[i] < group[k] ? group[i] : group[k];
                        changed = 1;
                    }
                }
            }
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (cells[i] == cell) {
            return cells[group[i]];
        }
    }
    return cells[0];
}

// A torn vertex at a point, for a cell. Those of the mesh have a source and its normal; those of closing surfaces a side of
// a face, and stand alone there, since their normals are that face's.
static uint32_t torn_vertex(hemi_torn* t, uint32_t point, uint32_t cell, uint32_t source, uint32_t side) {
    for (uint32_t i = t->at_point[point]; i != NOTHING; i = t->same_point[i]) {
        const hem_torn_vertex* v = &t->torn_vertices[i];
        if (v->cell == cell && v->source == source && v->side == side) {
            return i;
        }
    }
    HEM_ASSERT(t->vertex_count < t->vertex_capacity); // the budget is checked before a face opens
    const uint32_t i = t->vertex_count++;
    const hem_tear_point* p = &t->view.tear_points[point];
    const hem_lattice_cell* c = &t->view.lattice_cells[cell];
    const hem_lattice* l = &t->view.lattices[c->lattice];
    t->same_point[i] = t->at_point[point];
    t->at_point[point] = i;
    hem_vertex_rest* rest = &t->vertex_rest[i];
    hem_vertex_bind* bind = &t->vertex_bind[i];
    hem_vertex_cell* at = &t->vertex_cells[i];
    memset(rest, 0, sizeof(*rest));
    memset(bind, 0, sizeof(*bind));
    memset(at, 0, sizeof(*at));
    bind->particle_weight[0] = bind->bone_weight[0] = bind->blend = 65535;
    if (p->vertex != HEM_TEAR_NONE) {
        *bind = t->view.vertex_bind[source != HEM_TEAR_NONE ? source : p->vertex];
    }
    at->vertex = i;
    at->cell = cell;
    for (int k = 0; k < 3; ++k) {
        at->at[k] = p->at[k] - (float)c->index[k];
        rest->position[k] = l->origin[k] + p->at[k] * l->spacing[k];
    }
    if (source != HEM_TEAR_NONE) {
        *rest = t->view.vertex_rest[source];
    } else {
        const uint32_t axis = t->view.tear_faces[side >> 1].axis;
        rest->normal[axis] = side & 1 ? -1.0f : 1.0f;
        rest->tangent[(axis + 1) % 3] = 1.0f;
        rest->tangent[3] = side & 1 ? -1.0f : 1.0f;
    }
    hem_torn_vertex* v = &t->torn_vertices[i];
    *v = (hem_torn_vertex){.source = source, .point = point, .cell = cell, .side = side};
    memcpy(v->rest, rest->position, sizeof(v->rest));
    return i;
}

void hemi_draw_torn(hemi_instance* instance) {
    hemi_torn* t = instance->torn;
    const hem_view* v = &t->view;
    const uint32_t whole = v->info->vertex_count;
    t->vertex_count = t->cap_index_count = 0;
    memset(t->at_point, 0xff, v->tear_point_count * sizeof(uint32_t));
    for (uint32_t i = 0; i < v->tear_triangle_count; ++i) {
        const hem_tear_triangle* triangle = &v->tear_triangles[i];
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t point = triangle->point[k];
            uint32_t index = triangle->vertex[k];
            if (point != HEM_TEAR_NONE && t->spare_used) { // a point's first cell is its vertex's own
                const hem_tear_point* p = &v->tear_points[point];
                const uint32_t lead = leader(t, p, triangle->cell);
                index =
                    lead == v->tear_cells[p->cell_begin] ? index : whole + torn_vertex(t, point, lead, index, NOTHING);
            }
            t->indices[3 * i + k] = index;
        }
    }
    for (uint32_t f = 0; f < v->tear_face_count && t->spare_used; ++f) {
        const hem_tear_face* face = &v->tear_faces[f];
        for (uint32_t side = 0; side < 2 && t->open[f]; ++side) {
            for (uint32_t i = face->cap_begin; i < face->cap_begin + face->cap_count; ++i) {
                for (uint32_t k = 0; k < 3; ++k) { // the other way round for the second cell
                    const uint32_t point = v->tear_caps[i].point[side ? 2 - k : k];
                    const uint32_t lead = leader(t, &v->tear_points[point], face->cell[side]);
                    t->cap_indices[t->cap_index_count++] =
                        whole + torn_vertex(t, point, lead, HEM_TEAR_NONE, 2 * f + side);
                }
            }
        }
    }
    t->vertices = t->view;
    t->vertices.vertex_rest = t->vertex_rest;
    t->vertices.vertex_bind = t->vertex_bind;
    t->vertices.vertex_cells = t->vertex_cells;
    t->vertices.vertex_cell_count = t->vertex_count;
}

// -- What the game reads

hem_result hem_instance_get_torn(const hem_scene* scene, hem_instance_id id, hem_torn* torn) {
    hemi_instance* instance;
    const hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!torn) {
        return hemi_refuse_null(scene, __func__, "torn");
    }
    memset(torn, 0, sizeof(*torn));
    const hemi_torn* t = instance->torn;
    if (t) {
        torn->change_count = t->change_count;
        torn->piece_count = t->piece_count;
        torn->spare_used = t->spare_used;
        torn->vertex_count = t->vertex_count;
        torn->vertices = t->torn_vertices;
        torn->cap_indices = t->cap_indices;
        torn->cap_index_count = t->cap_index_count;
    }
    return HEM_OK;
}

hem_result hem_instance_get_torn_indices(const hem_scene* scene, hem_instance_id id, uint32_t mesh, uint32_t* indices,
                                         uint32_t count) {
    hemi_instance* instance;
    const hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!indices) {
        return hemi_refuse_null(scene, __func__, "indices");
    }
    const hem_view* view = instance->view;
    if (mesh >= view->mesh_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "mesh", mesh, "must be below mesh_count");
    }
    for (uint32_t i = 0; instance->torn && i < view->tear_triangle_count; ++i) {
        const hem_tear_triangle* t = &view->tear_triangles[i];
        if (t->mesh == mesh && t->triangle >= count / 3) {
            return hemi_refuse_value(scene, __func__, HEM_ERROR_COUNT, "count", count,
                                     "must be the number of indices of the mesh");
        }
    }
    for (uint32_t i = 0; instance->torn && i < view->tear_triangle_count; ++i) {
        const hem_tear_triangle* t = &view->tear_triangles[i];
        if (t->mesh == mesh) {
            memcpy(indices + 3 * (size_t)t->triangle, instance->torn->indices + 3 * (size_t)i, 3 * sizeof(uint32_t));
        }
    }
    return HEM_OK;
}

hem_result hem_instance_get_piece(const hem_scene* scene, hem_instance_id id, uint32_t particle, uint32_t* piece) {
    hemi_instance* instance;
    const hem_result result = hemi_find_idle(scene, __func__, id, &instance);
    if (result != HEM_OK) {
        return result;
    }
    if (!piece) {
        return hemi_refuse_null(scene, __func__, "piece");
    }
    if (!instance->torn || particle >= instance->view->info->particle_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "particle", particle,
                                 "must be one of an asset with a lattice that can tear");
    }
    *piece = instance->torn->piece[particle];
    return HEM_OK;
}
