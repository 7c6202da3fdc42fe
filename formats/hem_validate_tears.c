// SPDX-License-Identifier: MIT
#include "formats/hem_validate_internal.h"

// Lattices that can tear: a reserve at the end of the part, faces between cells that are neighbours, and what is drawn there.

static int is_spare(const hem_view* v, uint32_t particle) {
    return (v->particle_flags[particle] & HEM_PARTICLE_SPARE) != 0;
}

// Spares are the last rows of the part, all of them and nothing else.
static hem_format_result check_reserve(hemi_checker* c, uint32_t i, uint32_t* spares) {
    const hem_view* v = c->view;
    const hem_lattice* l = &v->lattices[i];
    const hem_part* part = &v->parts[l->part];
    const uint32_t end = (part->row_begin + part->row_count) * HEM_LANES;
    REFUSE_IF(l->spare_count == 0 && (l->spare_begin != 0 || l->face_count != 0 || l->torn_vertices != 0), BAD_COUNT,
              LATTICES, i, "spare_count");
    if (l->spare_count == 0) {
        return HEM_FORMAT_OK;
    }
    REFUSE_IF(l->torn_vertices > HEM_MAX_VERTICES, BAD_COUNT, LATTICES, i, "torn_vertices");
    REFUSE_IF(l->spare_begin % HEM_LANES != 0 || l->spare_count % HEM_LANES != 0 || l->spare_begin > end ||
                  l->spare_count != end - l->spare_begin || l->spare_begin < part->row_begin * HEM_LANES,
              BAD_COUNT, LATTICES, i, "spare_begin");
    for (uint32_t p = l->spare_begin; p < end; ++p) {
        REFUSE_IF(!is_spare(v, p), BAD_VALUE, PARTICLE_FLAGS, p, "spare");
    }
    *spares += l->spare_count;
    return HEM_FORMAT_OK;
}

static hem_format_result check_faces(hemi_checker* c, uint32_t i, uint32_t* next_face, uint32_t* next_cap) {
    const hem_view* v = c->view;
    const hem_lattice* l = &v->lattices[i];
    REFUSE_IF(!hemi_take_range(l->face_begin, l->face_count, v->tear_face_count, next_face), BAD_COUNT, LATTICES, i,
              "face_begin");
    for (uint32_t k = l->face_begin; k < *next_face; ++k) {
        const hem_tear_face* f = &v->tear_faces[k];
        REFUSE_IF(f->axis > 2, BAD_VALUE, TEAR_FACES, k, "axis");
        for (int side = 0; side < 2; ++side) {
            REFUSE_IF(f->cell[side] < l->cell_begin || f->cell[side] - l->cell_begin >= l->cell_count, BAD_INDEX,
                      TEAR_FACES, k, "cell");
        }
        const hem_lattice_cell *a = &v->lattice_cells[f->cell[0]], *b = &v->lattice_cells[f->cell[1]];
        for (int axis = 0; axis < 3; ++axis) {
            REFUSE_IF(b->index[axis] != a->index[axis] + (axis == f->axis), BAD_INDEX, TEAR_FACES, k, "cell");
        }
        for (uint32_t corner = 0; corner < 8; ++corner) {
            const uint32_t bit = 1u << f->axis;
            REFUSE_IF((corner & bit) != 0 && a->corner[corner] != b->corner[corner & ~bit], BAD_INDEX, TEAR_FACES, k,
                      "corner");
        }
        REFUSE_IF(!hemi_take_range(f->cap_begin, f->cap_count, v->tear_cap_count, next_cap), BAD_COUNT, TEAR_FACES, k,
                  "cap_begin");
        REFUSE_IF(f->vertex_count > HEM_MAX_VERTICES, BAD_COUNT, TEAR_FACES, k, "vertex_count");
        REFUSE_IF(!hemi_is_zero(f->reserved, sizeof f->reserved), BAD_VALUE, TEAR_FACES, k, "reserved");
    }
    return HEM_FORMAT_OK;
}

static int point_has(const hem_view* v, uint32_t point, uint32_t cell) {
    const hem_tear_point* p = &v->tear_points[point];
    for (uint32_t i = p->cell_begin; i < p->cell_begin + p->cell_count; ++i) {
        if (v->tear_cells[i] == cell) {
            return 1;
        }
    }
    return 0;
}

static hem_format_result check_points(hemi_checker* c) {
    const hem_view* v = c->view;
    uint32_t next_cell = 0;
    for (uint32_t i = 0; i < v->tear_point_count; ++i) {
        const hem_tear_point* p = &v->tear_points[i];
        REFUSE_IF(p->cell_count == 0 || p->cell_count > HEM_MAX_TEAR_CELLS ||
                      !hemi_take_range(p->cell_begin, p->cell_count, v->tear_cell_count, &next_cell),
                  BAD_COUNT, TEAR_POINTS, i, "cell_begin");
        REFUSE_IF(p->vertex != HEM_TEAR_NONE && p->vertex >= v->info->vertex_count, BAD_INDEX, TEAR_POINTS, i,
                  "vertex");
        for (int axis = 0; axis < 3; ++axis) {
            REFUSE_IF(!hemi_in_range(p->at[axis], -HEM_MAX_LATTICE_SIZE, 2 * HEM_MAX_LATTICE_SIZE), BAD_VALUE,
                      TEAR_POINTS, i, "at");
        }
        for (uint32_t k = p->cell_begin; k < next_cell; ++k) {
            const uint32_t cell = v->tear_cells[k];
            REFUSE_IF(cell >= v->lattice_cell_count ||
                          v->lattice_cells[cell].lattice != v->lattice_cells[v->tear_cells[p->cell_begin]].lattice,
                      BAD_INDEX, TEAR_CELLS, k, "cell");
        }
        REFUSE_IF(!hemi_is_zero(p->reserved, sizeof p->reserved), BAD_VALUE, TEAR_POINTS, i, "reserved");
    }
    REFUSE_IF(next_cell != v->tear_cell_count, BAD_COUNT, TEAR_CELLS, next_cell, "element_count");
    return HEM_FORMAT_OK;
}

static hem_format_result check_drawn(hemi_checker* c) {
    const hem_view* v = c->view;
    for (uint32_t i = 0; i < v->tear_face_count; ++i) {
        const hem_tear_face* f = &v->tear_faces[i];
        for (uint32_t k = f->cap_begin; k < f->cap_begin + f->cap_count; ++k) {
            for (int n = 0; n < 3; ++n) {
                const uint32_t point = v->tear_caps[k].point[n];
                REFUSE_IF(point >= v->tear_point_count || !point_has(v, point, f->cell[0]) ||
                              !point_has(v, point, f->cell[1]),
                          BAD_INDEX, TEAR_CAPS, k, "point");
            }
            REFUSE_IF(v->tear_caps[k].reserved != 0, BAD_VALUE, TEAR_CAPS, k, "reserved");
        }
    }
    for (uint32_t i = 0; i < v->tear_triangle_count; ++i) {
        const hem_tear_triangle* t = &v->tear_triangles[i];
        REFUSE_IF(t->mesh >= v->mesh_count || (i > 0 && t->mesh < t[-1].mesh), BAD_INDEX, TEAR_TRIANGLES, i, "mesh");
        REFUSE_IF(i > 0 && t->mesh == t[-1].mesh && t->triangle <= t[-1].triangle, BAD_INDEX, TEAR_TRIANGLES, i,
                  "triangle");
        REFUSE_IF(t->reserved != 0, BAD_VALUE, TEAR_TRIANGLES, i, "reserved");
        REFUSE_IF(t->cell >= v->lattice_cell_count, BAD_INDEX, TEAR_TRIANGLES, i, "cell");
        for (int n = 0; n < 3; ++n) {
            REFUSE_IF(t->vertex[n] >= v->info->vertex_count, BAD_INDEX, TEAR_TRIANGLES, i, "vertex");
            REFUSE_IF(t->point[n] != HEM_TEAR_NONE &&
                          (t->point[n] >= v->tear_point_count || !point_has(v, t->point[n], t->cell)),
                      BAD_INDEX, TEAR_TRIANGLES, i, "point");
        }
    }
    return HEM_FORMAT_OK;
}

hem_format_result hemi_check_tears(hemi_checker* c) {
    const hem_view* v = c->view;
    uint32_t next_face = 0, next_cap = 0, spares = 0, flagged = 0;
    for (uint32_t i = 0; i < v->lattice_count; ++i) {
        hem_format_result r = check_reserve(c, i, &spares);
        r = r == HEM_FORMAT_OK ? check_faces(c, i, &next_face, &next_cap) : r;
        if (r != HEM_FORMAT_OK) {
            return r;
        }
    }
    for (uint32_t p = 0; p < v->info->particle_count; ++p) {
        flagged += (uint32_t)is_spare(v, p);
    }
    REFUSE_IF(flagged != spares, BAD_COUNT, PARTICLE_FLAGS, 0, "spare");
    REFUSE_IF(next_face != v->tear_face_count, BAD_COUNT, TEAR_FACES, next_face, "element_count");
    REFUSE_IF(next_cap != v->tear_cap_count, BAD_COUNT, TEAR_CAPS, next_cap, "element_count");
    const hem_format_result r = check_points(c);
    return r == HEM_FORMAT_OK ? check_drawn(c) : r;
}
