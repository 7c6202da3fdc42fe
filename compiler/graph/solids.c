// SPDX-License-Identifier: MIT
#include "compiler/graph/graph.h"

#include <math.h>

// Lattices that are solid: six tetrahedra a cell, around the diagonal from its lowest corner to its highest (Kuhn). Cells side
// by side cut the face between them along the same diagonal, so the pieces fit.

static void subtract(hemc_vec3 a, hemc_vec3 b, double d[3]) {
    d[0] = (double)a.x - (double)b.x;
    d[1] = (double)a.y - (double)b.y;
    d[2] = (double)a.z - (double)b.z;
}

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int k = 0; k < 3; ++k) {
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

// The rows of the inverse of the matrix with columns d are cross products of the others over the determinant.
static void measure(const hemc_mesh* mesh, hemc_tetrahedron* t) {
    double d[3][3], row[3];
    for (int k = 0; k < 3; ++k) {
        subtract(mesh->all.positions[t->p[k + 1]], mesh->all.positions[t->p[0]], d[k]);
    }
    cross(d[1], d[2], row);
    const double determinant = d[0][0] * row[0] + d[0][1] * row[1] + d[0][2] * row[2];
    for (int k = 0; k < 3; ++k) {
        cross(d[(k + 1) % 3], d[(k + 2) % 3], row);
        for (int axis = 0; axis < 3; ++axis) {
            t->q[3 * k + axis] = (float)(row[axis] / determinant);
        }
    }
    t->volume = (float)(fabs(determinant) / 6.0);
}

static void fill_cell(const hemc_mesh* mesh, const uint32_t corners[8], uint32_t begin, hemc_tetrahedron* out) {
    for (int k = 0; k < 6; ++k) { // ways from corner 0 to 7 along the axes, one after another
        const int first = k % 3, second = (first + 1 + k / 3) % 3;
        out[k].p[0] = begin + corners[0];
        out[k].p[1] = begin + corners[1 << first];
        out[k].p[2] = begin + corners[1 << first | 1 << second];
        out[k].p[3] = begin + corners[7];
        measure(mesh, &out[k]);
    }
}

void hemc_solids(hemc_arena* arena, hemc_mesh* mesh) {
    size_t total = 0;
    for (uint32_t part = 0; mesh->part_lattices != NULL && part < mesh->part_count; ++part) {
        const hemc_lattice* l = mesh->part_lattices[part];
        total += l != NULL && mesh->part_tunings[part].solid_young > 0 ? 6 * (size_t)l->cell_count : 0;
    }
    mesh->tetrahedra = hemc_alloc(arena, total, sizeof(hemc_tetrahedron));
    mesh->tetrahedron_count = 0;
    for (uint32_t part = 0; total != 0 && part < mesh->part_count; ++part) {
        const hemc_lattice* l = mesh->part_lattices[part];
        for (uint32_t c = 0; l != NULL && mesh->part_tunings[part].solid_young > 0 && c < l->cell_count; ++c) {
            fill_cell(mesh, l->corners[c], mesh->part_begin[part], mesh->tetrahedra + mesh->tetrahedron_count);
            mesh->tetrahedron_count += 6;
        }
    }
}
