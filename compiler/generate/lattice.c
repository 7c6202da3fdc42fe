// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"

#include <string.h>

// Cells of a grid that the surface crosses, and for closed surfaces those inside; particles on their corners, shared
// (Sullivan, 3.1). The grid stands along the axes, its middle on the middle of the surface.
//
// Particles are numbered along x, then y, then z, so that the runtime's sums along x walk straight through memory.

#define GRID_LIMIT (1 << 24)     // cells of the box
#define AUTO_LATTICE_CELLS 600.0 // of the box, where nobody gives a spacing
#define WIDER 1e-5               // of a side: what lies on the border of the box is inside of it

typedef struct voxels {
    int32_t count[3]; // cells along each axis
    double origin[3], side[3];
    uint8_t* filled;
} voxels;

static size_t cell_at(const voxels* v, int32_t x, int32_t y, int32_t z) {
    return ((size_t)z * (size_t)v->count[1] + (size_t)y) * (size_t)v->count[0] + (size_t)x;
}

// -- A triangle and a box: separating axes (Akenine-Moeller). p are the corners seen from the box's middle.

static bool apart_along(const double p[3][3], const double half[3], const double axis[3]) {
    double low = 1e300, high = -1e300;
    const double reach = half[0] * fabs(axis[0]) + half[1] * fabs(axis[1]) + half[2] * fabs(axis[2]);
    for (int i = 0; i < 3; ++i) {
        const double d = p[i][0] * axis[0] + p[i][1] * axis[1] + p[i][2] * axis[2];
        low = d < low ? d : low;
        high = d > high ? d : high;
    }
    return low > reach || high < -reach;
}

bool hemc_triangle_meets_box(const hemc_d3 corners[3], hemc_d3 middle, const double half[3]) {
    double p[3][3];
    for (int i = 0; i < 3; ++i) {
        const hemc_d3 d = d3_sub(corners[i], middle);
        p[i][0] = d.x;
        p[i][1] = d.y;
        p[i][2] = d.z;
    }
    for (int a = 0; a < 3; ++a) {
        const double axis[3] = {a == 0, a == 1, a == 2};
        if (apart_along(p, half, axis)) {
            return false;
        }
    }
    double side[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 3; ++a) {
            side[i][a] = p[(i + 1) % 3][a] - p[i][a];
        }
    }
    const double normal[3] = {side[0][1] * side[1][2] - side[0][2] * side[1][1],
                              side[0][2] * side[1][0] - side[0][0] * side[1][2],
                              side[0][0] * side[1][1] - side[0][1] * side[1][0]};
    if (apart_along(p, half, normal)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 3; ++a) { // axis a cross the side
            double axis[3] = {0, 0, 0};
            axis[(a + 1) % 3] = -side[i][(a + 2) % 3];
            axis[(a + 2) % 3] = side[i][(a + 1) % 3];
            if (apart_along(p, half, axis)) {
                return false;
            }
        }
    }
    return true;
}

static void fill_crossed(hemc_gen* gen, voxels* v) {
    const double half[3] = {0.5 * v->side[0], 0.5 * v->side[1], 0.5 * v->side[2]};
    for (uint32_t t = 0; t < gen->surface->triangle_count; ++t) {
        const hemc_d3 corners[3] = {hemc_corner(gen->surface, t, 0), hemc_corner(gen->surface, t, 1),
                                    hemc_corner(gen->surface, t, 2)};
        int32_t low[3], high[3];
        for (int a = 0; a < 3; ++a) {
            const double x[3] = {a == 0   ? corners[0].x
                                 : a == 1 ? corners[0].y
                                          : corners[0].z,
                                 a == 0   ? corners[1].x
                                 : a == 1 ? corners[1].y
                                          : corners[1].z,
                                 a == 0   ? corners[2].x
                                 : a == 1 ? corners[2].y
                                          : corners[2].z};
            const double least = x[0] < x[1] ? (x[0] < x[2] ? x[0] : x[2]) : (x[1] < x[2] ? x[1] : x[2]);
            const double most = x[0] > x[1] ? (x[0] > x[2] ? x[0] : x[2]) : (x[1] > x[2] ? x[1] : x[2]);
            low[a] = (int32_t)floor((least - v->origin[a]) / v->side[a]);
            high[a] = (int32_t)floor((most - v->origin[a]) / v->side[a]);
            low[a] = low[a] < 0 ? 0 : low[a];
            high[a] = high[a] >= v->count[a] ? v->count[a] - 1 : high[a];
        }
        for (int32_t z = low[2]; z <= high[2]; ++z) {
            for (int32_t y = low[1]; y <= high[1]; ++y) {
                for (int32_t x = low[0]; x <= high[0]; ++x) {
                    uint8_t* cell = &v->filled[cell_at(v, x, y, z)];
                    const hemc_d3 middle =
                        d3(v->origin[0] + (x + 0.5) * v->side[0], v->origin[1] + (y + 0.5) * v->side[1],
                           v->origin[2] + (z + 0.5) * v->side[2]);
                    ++gen->work;
                    *cell = (uint8_t)(*cell || hemc_triangle_meets_box(corners, middle, half));
                }
            }
        }
    }
}

// What the surface does not cross is wholly inside or wholly outside: its middle tells which.
static void fill_inside(hemc_gen* gen, voxels* v) {
    hemc_bvh bvh;
    hemc_bvh_build(gen->arena, &bvh, gen->surface->positions, gen->surface->triangles, NULL,
                   gen->surface->triangle_count);
    for (int32_t z = 0; z < v->count[2]; ++z) {
        for (int32_t y = 0; y < v->count[1]; ++y) {
            for (int32_t x = 0; x < v->count[0]; ++x) {
                uint8_t* cell = &v->filled[cell_at(v, x, y, z)];
                if (!*cell) {
                    *cell = (uint8_t)hemc_bvh_inside(&bvh, d3(v->origin[0] + (x + 0.5) * v->side[0],
                                                              v->origin[1] + (y + 0.5) * v->side[1],
                                                              v->origin[2] + (z + 0.5) * v->side[2]));
                }
            }
        }
    }
}

// False when the box has too many cells for the spacing.
static bool make_grid(hemc_gen* gen, voxels* v) {
    double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300}, volume = 1;
    for (uint32_t i = 0; i < gen->surface->vertex_count; ++i) {
        const double x[3] = {gen->surface->positions[i].x, gen->surface->positions[i].y, gen->surface->positions[i].z};
        for (int a = 0; a < 3; ++a) {
            low[a] = x[a] < low[a] ? x[a] : low[a];
            high[a] = x[a] > high[a] ? x[a] : high[a];
        }
    }
    const double widest = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    for (int a = 0; a < 3; ++a) {
        volume *= fmax(high[a] - low[a], 0.05 * widest);
    }
    double cells = 1;
    for (int a = 0; a < 3; ++a) {
        const float given = gen->part->lattice.spacing[a];
        v->side[a] = given > 0 ? given : hemc_cube_root(volume / AUTO_LATTICE_CELLS);
        const double extent = (high[a] - low[a]) / v->side[a] + 2 * WIDER;
        const double count = fmax(ceil(extent), 1);
        if (count >= HEM_MAX_LATTICE_SIZE) {
            return false;
        }
        v->count[a] = (int32_t)count;
        v->origin[a] = 0.5 * (low[a] + high[a]) - 0.5 * count * v->side[a];
        cells *= count;
    }
    return cells <= GRID_LIMIT;
}

// Numbers for the corners of filled cells, along x first, and the particles that stand there.
static void add_particles(hemc_gen* gen, const voxels* v, hemc_lattice* l, hemc_particles* particles) {
    const size_t nx = (size_t)v->count[0] + 1, ny = (size_t)v->count[1] + 1, nz = (size_t)v->count[2] + 1;
    int32_t* number = hemc_alloc(gen->arena, nx * ny * nz, sizeof(int32_t));
    uint32_t count = 0;
    for (int32_t z = 0; z < v->count[2]; ++z) {
        for (int32_t y = 0; y < v->count[1]; ++y) {
            for (int32_t x = 0; x < v->count[0]; ++x) {
                l->cell_count += v->filled[cell_at(v, x, y, z)];
                for (int k = 0; k < 8 && v->filled[cell_at(v, x, y, z)]; ++k) {
                    number[(((size_t)z + (size_t)(k >> 2)) * ny + (size_t)y + (size_t)(k >> 1 & 1)) * nx + (size_t)x +
                           (size_t)(k & 1)] = 1;
                }
            }
        }
    }
    for (size_t i = 0; i < nx * ny * nz; ++i) {
        count += (uint32_t)number[i];
    }
    hemc_particles_reserve(gen->arena, particles, count);
    l->indices = hemc_alloc(gen->arena, count, sizeof(*l->indices));
    const hemc_d3 middle = d3(0.5 * (double)nx, 0.5 * (double)ny, 0.5 * (double)nz);
    for (size_t i = 0; i < nx * ny * nz; ++i) {
        if (number[i] == 0) {
            continue;
        }
        const int32_t at[3] = {(int32_t)(i % nx), (int32_t)(i / nx % ny), (int32_t)(i / nx / ny)};
        memcpy(l->indices[particles->count], at, sizeof(at));
        const hemc_d3 x =
            d3(v->origin[0] + at[0] * v->side[0], v->origin[1] + at[1] * v->side[1], v->origin[2] + at[2] * v->side[2]);
        const hemc_d3 out = d3_unit(d3_sub(d3(at[0], at[1], at[2]), middle), d3(0, 1, 0));
        number[i] = (int32_t)hemc_particles_add(gen->arena, particles, x, out, at[1], at[0]);
    }
    l->cells = hemc_alloc(gen->arena, l->cell_count, sizeof(*l->cells));
    l->corners = hemc_alloc(gen->arena, l->cell_count, sizeof(*l->corners));
    uint32_t next = 0;
    for (int32_t z = 0; z < v->count[2]; ++z) {
        for (int32_t y = 0; y < v->count[1]; ++y) {
            for (int32_t x = 0; x < v->count[0]; ++x) {
                if (!v->filled[cell_at(v, x, y, z)]) {
                    continue;
                }
                const int32_t at[3] = {x, y, z};
                memcpy(l->cells[next], at, sizeof(at));
                for (int k = 0; k < 8; ++k) {
                    l->corners[next][k] =
                        (uint32_t)number[(((size_t)z + (size_t)(k >> 2)) * ny + (size_t)y + (size_t)(k >> 1 & 1)) * nx +
                                         (size_t)x + (size_t)(k & 1)];
                }
                ++next;
            }
        }
    }
}

// Edges of cells: who is whose neighbour, for attachments, blends and pictures.
static void link_corners(hemc_gen* gen, const hemc_lattice* l, hemc_particles* particles) {
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        for (int k = 0; k < 8; ++k) {
            for (int axis = 0; axis < 3; ++axis) {
                if ((k >> axis & 1) == 0) {
                    hemc_particles_link(gen->arena, particles, l->corners[c][k], l->corners[c][k | 1 << axis],
                                        axis == 1 ? HEM_LINK_WARP : HEM_LINK_WEFT);
                }
            }
        }
    }
    hemc_particles_finish(gen->arena, particles); // once each; all have one
}

void hemc_gen_lattice(hemc_gen* gen, hemc_particles* particles) {
    voxels v;
    if (!make_grid(gen, &v)) {
        return; // no particles: hemc_generate says so
    }
    v.filled = hemc_alloc(gen->arena, (size_t)v.count[0] * (size_t)v.count[1] * (size_t)v.count[2], 1);
    fill_crossed(gen, &v);
    if (gen->part->lattice.inside && hemc_surface_is_closed(gen->surface)) {
        fill_inside(gen, &v);
    }
    hemc_lattice* l = hemc_alloc(gen->arena, 1, sizeof(hemc_lattice));
    for (int a = 0; a < 3; ++a) {
        l->origin[a] = (float)v.origin[a];
        l->spacing[a] = (float)v.side[a];
        l->size[a] = (uint32_t)v.count[a] + 1;
    }
    add_particles(gen, &v, l, particles);
    link_corners(gen, l, particles);
    particles->lattice = l;
    particles->level_count = l->size[1];
    gen->spacing = hemc_cube_root(v.side[0] * v.side[1] * v.side[2]);
}
