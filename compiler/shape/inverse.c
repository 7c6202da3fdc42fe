// SPDX-License-Identifier: MIT
#include "compiler/shape/inverse.h"

#include <string.h>

// Each cell takes the linear map that carries its vertices from rest to now best, in the sense of least squares,
//
//     x = A (x0 - t0) + t,   A = (sum p q^T) (sum q q^T)^-1,   q = x0 - t0, p = x - t       (eq. 5-4 to 5-6)
//
// and moves its corners by it; a particle stands at the mean of what its cells want. A cell with too few vertices, or with
// all of them in a plane, learns from those of its neighbours too, ring after ring, until the inverse exists. The
// inverse depends on the rest shape alone and is made once.
//
// Linear maps alone miss what is trilinear in a cell: from where they put the particles these go on to where the vertices
// are met best, by steps of conjugate gradients on the normal equations, over their diagonal
//
//     min sum_v |sum_k w_vk x_k - p_v|^2 + tie sum_k |x_k - x0_k|^2
//
// The tie keeps corners that no vertex is near where the linear maps have them. The matrix, W^T W, is of the rest shape alone
// too, and is kept cell by cell, 8 by 8: a step costs what the lattice has cells, however many vertices there are. (Steps that
// went over the vertices took 40 of the 43 ms of a frame of 21 017 vertices.)
//
// What is not trilinear in a cell cannot be had: vertices on a line along an axis stay on a line. The error says how much of the
// animation that is.

#define SINGULAR 1e-4 // of det(sum q q^T) over the cube of a third of its trace: flatter than a hundredth

#define TIE 1e-3      // of the mean of sum_v w_vk^2
#define STEPS 30      // at most
#define SETTLED 1e-12 // of the first gradient's square over the diagonal

typedef struct cell_fit {
    uint32_t begin, count; // of the pool
    hemc_d3 center;        // t0
    double inverse[6];     // of sum q q^T: xx xy xz yy yz zz
} cell_fit;

struct hemc_inverse {
    const hemc_lattice* lattice;
    uint32_t particle_count, vertex_count;
    hemc_vec3* rest;
    uint32_t* cell_of;    // per vertex
    double (*at)[3];      // in its cell
    uint32_t* pool;       // vertices, cell after cell
    cell_fit* fits;       // per cell
    uint8_t* corner_of;   // how many cells each particle is a corner of
    double (*weights)[8]; // per vertex, of its cell's corners
    double (*normal)[64]; // per cell: the sum of w w^T over its vertices
    uint8_t* has_vertex;  // per cell
    double tie;
    double* diagonal; // of W^T W
    // Per particle: x0, x, the gradient, that over the diagonal, d, (W^T W + tie) d
    hemc_d3 *start, *place, *slope, *eased, *way, *turned;
};

// False when the points tell no linear map.
static bool fit_rest(const hemc_inverse* s, const uint32_t* pool, uint32_t count, cell_fit* fit) {
    hemc_d3 sum = d3(0, 0, 0);
    double m[6] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        sum = d3_add(sum, d3_from(s->rest[pool[i]]));
    }
    fit->center = count > 0 ? d3_scale(sum, 1.0 / count) : sum;
    for (uint32_t i = 0; i < count; ++i) {
        const hemc_d3 q = d3_sub(d3_from(s->rest[pool[i]]), fit->center);
        const double products[6] = {q.x * q.x, q.x * q.y, q.x * q.z, q.y * q.y, q.y * q.z, q.z * q.z};
        for (int k = 0; k < 6; ++k) {
            m[k] += products[k];
        }
    }
    const double c[6] = {m[3] * m[5] - m[4] * m[4], m[2] * m[4] - m[1] * m[5], m[1] * m[4] - m[2] * m[3],
                         m[0] * m[5] - m[2] * m[2], m[1] * m[2] - m[0] * m[4], m[0] * m[3] - m[1] * m[1]};
    const double det = m[0] * c[0] + m[1] * c[1] + m[2] * c[2], third = (m[0] + m[3] + m[5]) / 3;
    if (!(det > SINGULAR * third * third * third)) {
        return false;
    }
    for (int k = 0; k < 6; ++k) {
        fit->inverse[k] = c[k] / det;
    }
    return true;
}

// Vertices of all cells within `ring` of cell c.
static uint32_t gather_ring(const hemc_inverse* s, const hemc_cell_table* table, const uint32_t* starts,
                            const uint32_t* by_cell, uint32_t c, int32_t ring, uint32_t* out) {
    const int32_t* at = s->lattice->cells[c];
    uint32_t count = 0;
    for (int32_t z = at[2] - ring; z <= at[2] + ring; ++z) {
        for (int32_t y = at[1] - ring; y <= at[1] + ring; ++y) {
            for (int32_t x = at[0] - ring; x <= at[0] + ring; ++x) {
                if (x < 0 || y < 0 || z < 0 || x >= (int32_t)table->size[0] || y >= (int32_t)table->size[1] ||
                    z >= (int32_t)table->size[2]) {
                    continue;
                }
                const int32_t cell = table->cell[((size_t)z * table->size[1] + (size_t)y) * table->size[0] + (size_t)x];
                for (uint32_t i = cell != HEM_NONE ? starts[cell] : 0; cell != HEM_NONE && i < starts[cell + 1]; ++i) {
                    out[count++] = by_cell[i];
                }
            }
        }
    }
    return count;
}

static bool make_pools(hemc_arena* arena, hemc_inverse* s, const hemc_cell_table* table) {
    const uint32_t cells = s->lattice->cell_count;
    uint32_t* starts = hemc_alloc(arena, (size_t)cells + 2, sizeof(uint32_t));
    uint32_t* by_cell = hemc_alloc(arena, s->vertex_count, sizeof(uint32_t));
    uint32_t* found = hemc_alloc(arena, s->vertex_count, sizeof(uint32_t));
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        ++starts[s->cell_of[v] + 2];
    }
    for (uint32_t c = 0; c < cells; ++c) {
        starts[c + 2] += starts[c + 1];
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        by_cell[starts[s->cell_of[v] + 1]++] = v;
    }
    int32_t widest = 1;
    for (int a = 0; a < 3; ++a) {
        widest = (int32_t)table->size[a] > widest ? (int32_t)table->size[a] : widest;
    }
    size_t total = 0, capacity = 0;
    for (uint32_t c = 0; c < cells; ++c) {
        uint32_t count = 0;
        bool good = false;
        for (int32_t ring = 0; ring <= widest && !good; ++ring) {
            count = gather_ring(s, table, starts, by_cell, c, ring, found);
            good = fit_rest(s, found, count, &s->fits[c]);
        }
        if (!good) {
            return false;
        }
        s->fits[c].begin = (uint32_t)total;
        s->fits[c].count = count;
        s->pool = hemc_grow(arena, s->pool, &capacity, total + count, sizeof(uint32_t));
        memcpy(s->pool + total, found, count * sizeof(uint32_t));
        total += count;
    }
    return true;
}

hemc_inverse* hemc_inverse_make(hemc_arena* arena, const hemc_lattice* lattice, uint32_t particle_count,
                                const hemc_vec3* positions, uint32_t vertex_count) {
    hemc_inverse* s = hemc_alloc(arena, 1, sizeof(hemc_inverse));
    s->lattice = lattice;
    s->particle_count = particle_count;
    s->vertex_count = vertex_count;
    s->rest = hemc_alloc(arena, vertex_count, sizeof(hemc_vec3));
    s->cell_of = hemc_alloc(arena, vertex_count, sizeof(uint32_t));
    s->at = hemc_alloc(arena, vertex_count, sizeof(*s->at));
    s->fits = hemc_alloc(arena, lattice->cell_count, sizeof(cell_fit));
    s->corner_of = hemc_alloc(arena, particle_count, 1);
    s->weights = hemc_alloc(arena, vertex_count, sizeof(*s->weights));
    s->normal = hemc_alloc(arena, lattice->cell_count, sizeof(*s->normal));
    s->has_vertex = hemc_alloc(arena, lattice->cell_count, 1);
    s->start = hemc_alloc(arena, particle_count, sizeof(hemc_d3));
    s->place = hemc_alloc(arena, particle_count, sizeof(hemc_d3));
    s->slope = hemc_alloc(arena, particle_count, sizeof(hemc_d3));
    s->way = hemc_alloc(arena, particle_count, sizeof(hemc_d3));
    s->turned = hemc_alloc(arena, particle_count, sizeof(hemc_d3));
    s->eased = hemc_alloc(arena, particle_count, sizeof(hemc_d3));
    s->diagonal = hemc_alloc(arena, particle_count, sizeof(double));
    memcpy(s->rest, positions, vertex_count * sizeof(hemc_vec3));
    hemc_cell_table table;
    hemc_cell_table_make(arena, lattice, &table);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        s->cell_of[v] = hemc_find_cell(&table, d3_from(positions[v]), s->at[v]);
        hemc_cell_weights(s->at[v], s->weights[v]);
        const double* w = s->weights[v];
        double* normal = s->normal[s->cell_of[v]];
        s->has_vertex[s->cell_of[v]] = 1;
        for (int k = 0; k < 8; ++k) {
            s->tie += TIE / particle_count * w[k] * w[k];
            s->diagonal[lattice->corners[s->cell_of[v]][k]] += w[k] * w[k];
            for (int j = 0; j < 8; ++j) {
                normal[8 * k + j] += w[k] * w[j];
            }
        }
    }
    for (uint32_t c = 0; c < lattice->cell_count; ++c) {
        for (int k = 0; k < 8; ++k) {
            ++s->corner_of[lattice->corners[c][k]];
        }
    }
    return make_pools(arena, s, &table) ? s : NULL;
}

// A, row by row, and t.
static hemc_d3 fit_frame(const hemc_inverse* s, const cell_fit* fit, const hemc_vec3* now, hemc_d3 a[3]) {
    hemc_d3 t = d3(0, 0, 0);
    double m[3][3] = {{0}};
    const uint32_t* pool = s->pool + fit->begin;
    for (uint32_t i = 0; i < fit->count; ++i) {
        t = d3_add(t, d3_from(now[pool[i]]));
    }
    t = d3_scale(t, 1.0 / fit->count);
    for (uint32_t i = 0; i < fit->count; ++i) {
        const hemc_d3 p = d3_sub(d3_from(now[pool[i]]), t), q = d3_sub(d3_from(s->rest[pool[i]]), fit->center);
        const double x[3] = {p.x, p.y, p.z}, y[3] = {q.x, q.y, q.z};
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                m[r][c] += x[r] * y[c];
            }
        }
    }
    const double* n = fit->inverse;
    for (int r = 0; r < 3; ++r) {
        a[r] = d3(m[r][0] * n[0] + m[r][1] * n[1] + m[r][2] * n[2], m[r][0] * n[1] + m[r][1] * n[3] + m[r][2] * n[4],
                  m[r][0] * n[2] + m[r][1] * n[4] + m[r][2] * n[5]);
    }
    return t;
}

// out = W^T W x
static void apply(const hemc_inverse* s, const hemc_d3* x, hemc_d3* out) {
    memset(out, 0, s->particle_count * sizeof(*out));
    for (uint32_t c = 0; c < s->lattice->cell_count; ++c) {
        const uint32_t* corner = s->lattice->corners[c];
        const double* normal = s->normal[c];
        for (int k = 0; k < 8 && s->has_vertex[c]; ++k) {
            hemc_d3 sum = out[corner[k]];
            for (int j = 0; j < 8; ++j) {
                sum = d3_madd(sum, x[corner[j]], normal[8 * k + j]);
            }
            out[corner[k]] = sum;
        }
    }
}

// s->eased = the gradient over the diagonal; their product.
static double ease(const hemc_inverse* s) {
    double product = 0;
    for (uint32_t i = 0; i < s->particle_count; ++i) {
        s->eased[i] = d3_scale(s->slope[i], 1.0 / (s->diagonal[i] + s->tie));
        product += d3_dot(s->slope[i], s->eased[i]);
    }
    return product;
}

// s->place from s->start.
static void meet_vertices(const hemc_inverse* s, const hemc_vec3* positions) {
    const uint32_t count = s->particle_count;
    memcpy(s->place, s->start, count * sizeof(hemc_d3));
    apply(s, s->start, s->turned);
    for (uint32_t i = 0; i < count; ++i) {
        s->slope[i] = d3_scale(s->turned[i], -1);
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const uint32_t* corner = s->lattice->corners[s->cell_of[v]];
        for (int k = 0; k < 8; ++k) {
            s->slope[corner[k]] = d3_madd(s->slope[corner[k]], d3_from(positions[v]), s->weights[v][k]);
        }
    }
    const double first = ease(s);
    memcpy(s->way, s->eased, count * sizeof(hemc_d3));
    double square = first;
    for (int n = 0; n < STEPS && square > SETTLED * first; ++n) {
        double bend = 0;
        apply(s, s->way, s->turned);
        for (uint32_t i = 0; i < count; ++i) {
            s->turned[i] = d3_madd(s->turned[i], s->way[i], s->tie);
            bend += d3_dot(s->way[i], s->turned[i]);
        }
        if (!(bend > 0)) {
            return; // nothing is left to be met
        }
        const double step = square / bend;
        for (uint32_t i = 0; i < count; ++i) {
            s->place[i] = d3_madd(s->place[i], s->way[i], step);
            s->slope[i] = d3_madd(s->slope[i], s->turned[i], -step);
        }
        const double next = ease(s);
        for (uint32_t i = 0; i < count; ++i) {
            s->way[i] = d3_madd(s->eased[i], s->way[i], next / square);
        }
        square = next;
    }
}

void hemc_inverse_frame(hemc_inverse* s, const hemc_vec3* positions, hemc_vec3* particles) {
    const hemc_lattice* l = s->lattice;
    memset(s->start, 0, s->particle_count * sizeof(*s->start));
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        hemc_d3 a[3];
        const hemc_d3 t = fit_frame(s, &s->fits[c], positions, a);
        for (int k = 0; k < 8; ++k) {
            const uint32_t i = l->corners[c][k];
            const hemc_d3 at = d3((double)l->origin[0] + (l->cells[c][0] + (k & 1)) * (double)l->spacing[0],
                                  (double)l->origin[1] + (l->cells[c][1] + (k >> 1 & 1)) * (double)l->spacing[1],
                                  (double)l->origin[2] + (l->cells[c][2] + (k >> 2)) * (double)l->spacing[2]);
            const hemc_d3 q = d3_sub(at, s->fits[c].center);
            const double share = 1.0 / s->corner_of[i];
            const hemc_d3 at_now = d3(d3_dot(a[0], q) + t.x, d3_dot(a[1], q) + t.y, d3_dot(a[2], q) + t.z);
            s->start[i] = d3_madd(s->start[i], at_now, share);
        }
    }
    meet_vertices(s, positions);
    for (uint32_t i = 0; i < s->particle_count; ++i) {
        particles[i] = d3_to(s->place[i]);
    }
}

hemc_inverse_error hemc_inverse_measure(const hemc_inverse* s, const hemc_vec3* positions, const hemc_vec3* particles) {
    hemc_inverse_error e = {0};
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double weights[8];
        hemc_d3 p = d3(0, 0, 0);
        hemc_cell_weights(s->at[v], weights);
        for (int k = 0; k < 8; ++k) {
            p = d3_madd(p, d3_from(particles[s->lattice->corners[s->cell_of[v]][k]]), weights[k]);
        }
        const double d = d3_distance(p, d3_from(positions[v]));
        e.mean += d / s->vertex_count;
        if (d > e.worst) {
            e.worst = d;
            e.vertex = v;
        }
    }
    return e;
}
