// SPDX-License-Identifier: MIT
#include "compiler/hemc_internal.h"

#include <math.h>
#include <string.h>

// From the triangles of one part to a surface without seams.
//
// A modelling tool splits a vertex wherever UVs, normals or materials change; the simulation must not come apart there.
// Vertices nearer than a tolerance become one: the tolerance is a share of the part's diagonal, far below any feature
// and far above the rounding of two skins that meet. Walking vertices in model order, each joins the first earlier
// representative it finds within the tolerance (27 cells of a hash grid, lowest index wins), so the outcome depends on
// nothing but the order of vertices.
//
// Then triangles that lost a corner or have no height go, and all but the first of those with the same three corners:
// double-sided cloth is often modelled as two coincident sheets with opposite winding, and one sheet is enough.

#define TOLERANCE_SHARE 2e-5
#define HEIGHT_SHARE 1e-3 // of the tolerance: lower triangles are degenerate

typedef struct cell_grid {
    double origin[3], inverse_cell;
    int32_t* heads; // representative or HEM_NONE, open hashing
    int32_t* next;  // per representative
    uint32_t mask;
} cell_grid;

static uint64_t hash_cell(int64_t x, int64_t y, int64_t z) {
    uint64_t h =
        (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)z * 0x165667b19e3779f9u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ (h >> 32);
}

static double squared_distance(hemc_vec3 a, hemc_vec3 b) {
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return x * x + y * y + z * z;
}

static int64_t cell_of(const cell_grid* grid, double x, int axis) {
    return (int64_t)floor((x - grid->origin[axis]) * grid->inverse_cell);
}

static int32_t find_near(const cell_grid* grid, const hemc_vec3* positions, hemc_vec3 p, double tolerance) {
    int64_t cx = cell_of(grid, p.x, 0), cy = cell_of(grid, p.y, 1), cz = cell_of(grid, p.z, 2);
    int32_t best = HEM_NONE;
    for (int64_t dz = -1; dz <= 1; ++dz) {
        for (int64_t dy = -1; dy <= 1; ++dy) {
            for (int64_t dx = -1; dx <= 1; ++dx) {
                uint32_t bucket = (uint32_t)hash_cell(cx + dx, cy + dy, cz + dz) & grid->mask;
                for (int32_t i = grid->heads[bucket]; i != HEM_NONE; i = grid->next[i]) {
                    if ((best == HEM_NONE || i < best) && squared_distance(positions[i], p) <= tolerance * tolerance) {
                        best = i;
                    }
                }
            }
        }
    }
    return best;
}

static void insert(cell_grid* grid, hemc_vec3 p, int32_t index) {
    int64_t cx = cell_of(grid, p.x, 0), cy = cell_of(grid, p.y, 1), cz = cell_of(grid, p.z, 2);
    uint32_t bucket = (uint32_t)hash_cell(cx, cy, cz) & grid->mask;
    grid->next[index] = grid->heads[bucket];
    grid->heads[bucket] = index;
}

// Twice the area times the normal.
static void cross_of(const hemc_vec3* positions, const uint32_t* corner, double out[3]) {
    hemc_vec3 a = positions[corner[0]], b = positions[corner[1]], c = positions[corner[2]];
    double ux = (double)b.x - a.x, uy = (double)b.y - a.y, uz = (double)b.z - a.z;
    double vx = (double)c.x - a.x, vy = (double)c.y - a.y, vz = (double)c.z - a.z;
    out[0] = uy * vz - uz * vy;
    out[1] = uz * vx - ux * vz;
    out[2] = ux * vy - uy * vx;
}

static bool is_flat(const hemc_vec3* positions, const uint32_t* corner, double limit) {
    double n[3];
    cross_of(positions, corner, n);
    double longest = 0;
    for (int i = 0; i < 3; ++i) {
        double d = squared_distance(positions[corner[i]], positions[corner[(i + 1) % 3]]);
        longest = d > longest ? d : longest;
    }
    // height = 2 area / longest edge
    return n[0] * n[0] + n[1] * n[1] + n[2] * n[2] <= limit * limit * longest;
}

static void sort_three(uint32_t out[3], const uint32_t* in) {
    uint32_t a = in[0], b = in[1], c = in[2], t;
    if (a > b) {
        t = a, a = b, b = t;
    }
    if (b > c) {
        t = b, b = c, c = t;
    }
    if (a > b) {
        t = a, a = b, b = t;
    }
    out[0] = a, out[1] = b, out[2] = c;
}

// Keeps the first triangle of each set of corners.
static void drop_duplicates(hemc_arena* arena, hemc_surface* surface) {
    uint32_t count = surface->triangle_count;
    uint64_t* keys = hemc_alloc(arena, count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, count, sizeof(uint32_t));
    uint32_t(*sorted)[3] = hemc_alloc(arena, count, sizeof(*sorted));
    for (uint32_t t = 0; t < count; ++t) {
        sort_three(sorted[t], &surface->triangles[3 * t]);
        order[t] = t;
        keys[t] = sorted[t][2];
    }
    hemc_sort(arena, keys, order, count);
    for (uint32_t i = 0; i < count; ++i) {
        keys[i] = (uint64_t)sorted[order[i]][0] << 32 | sorted[order[i]][1];
    }
    hemc_sort(arena, keys, order, count);
    uint8_t* dropped = hemc_alloc(arena, count, 1);
    for (uint32_t i = 1; i < count; ++i) {
        if (memcmp(sorted[order[i]], sorted[order[i - 1]], sizeof(*sorted)) == 0) {
            dropped[order[i]] = 1;
        }
    }
    uint32_t kept = 0;
    for (uint32_t t = 0; t < count; ++t) {
        if (!dropped[t]) {
            memmove(&surface->triangles[3 * kept], &surface->triangles[3 * t], 3 * sizeof(uint32_t));
            surface->source_triangle[kept++] = surface->source_triangle[t];
        }
    }
    surface->triangle_count = kept;
}

static void find_neighbors(hemc_arena* arena, hemc_surface* surface) {
    size_t count = (size_t)surface->triangle_count * 3;
    uint64_t* keys = hemc_alloc(arena, count, sizeof(uint64_t));
    uint32_t* edges = hemc_alloc(arena, count, sizeof(uint32_t));
    for (uint32_t e = 0; e < count; ++e) {
        uint32_t a = surface->triangles[e], b = surface->triangles[e - e % 3 + (e % 3 + 1) % 3];
        keys[e] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        edges[e] = e;
        surface->neighbors[e] = HEM_NONE;
    }
    hemc_sort(arena, keys, edges, count);
    for (size_t begin = 0; begin < count;) {
        size_t end = begin + 1;
        while (end < count && keys[end] == keys[begin]) {
            ++end;
        }
        if (end - begin == 2) {
            surface->neighbors[edges[begin]] = (int32_t)(edges[begin + 1] / 3);
            surface->neighbors[edges[begin + 1]] = (int32_t)(edges[begin] / 3);
        }
        begin = end;
    }
}

static void mean_normals(hemc_arena* arena, hemc_surface* surface) {
    double(*sums)[3] = hemc_alloc(arena, surface->vertex_count, sizeof(*sums));
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        double n[3];
        cross_of(surface->positions, &surface->triangles[3 * t], n);
        for (int i = 0; i < 3; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                sums[surface->triangles[3 * t + i]][axis] += n[axis];
            }
        }
    }
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        double* n = sums[v];
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        // Back to back sheets may cancel out; any unit vector is better than none.
        surface->normals[v] = length > 0
                                  ? (hemc_vec3){(float)(n[0] / length), (float)(n[1] / length), (float)(n[2] / length)}
                                  : (hemc_vec3){0, 1, 0};
    }
}

// Part of the tolerance that depends on the size of what is welded.
static double tolerance_of(const hemc_model* model, const uint8_t* used) {
    double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        double p[3] = {model->positions[v].x, model->positions[v].y, model->positions[v].z};
        for (int axis = 0; used[v] && axis < 3; ++axis) {
            low[axis] = p[axis] < low[axis] ? p[axis] : low[axis];
            high[axis] = p[axis] > high[axis] ? p[axis] : high[axis];
        }
    }
    double diagonal = 0, farthest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        diagonal += (high[axis] - low[axis]) * (high[axis] - low[axis]);
        farthest = fmax(farthest, fmax(fabs(low[axis]), fabs(high[axis])));
    }
    // A small part far from the origin: never below a few roundings of its coordinates.
    return fmax(fmax(sqrt(diagonal) * TOLERANCE_SHARE, farthest * 5e-7), 1e-30);
}

uint32_t hemc_weld_positions(hemc_arena* arena, const hemc_model* model, const uint8_t* used, double tolerance,
                             uint32_t* welded) {
    size_t limit = 0;
    const hemc_vec3* origin = NULL;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        origin = used[v] && origin == NULL ? &model->positions[v] : origin;
        limit += used[v] ? 1 : 0;
    }
    if (limit == 0) {
        return 0;
    }
    tolerance = tolerance > 0 ? tolerance : tolerance_of(model, used);
    cell_grid grid = {.origin = {origin->x, origin->y, origin->z}, .inverse_cell = 1.0 / tolerance};
    uint32_t bucket_count = 64;
    while (bucket_count < limit && bucket_count < (1u << 30)) {
        bucket_count *= 2;
    }
    grid.mask = bucket_count - 1;
    grid.heads = hemc_alloc(arena, bucket_count, sizeof(int32_t));
    memset(grid.heads, 0xff, (size_t)bucket_count * sizeof(int32_t));
    grid.next = hemc_alloc(arena, limit, sizeof(int32_t));
    hemc_vec3* positions = hemc_alloc(arena, limit, sizeof(hemc_vec3));
    uint32_t count = 0;
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        if (!used[v]) {
            continue;
        }
        int32_t found = find_near(&grid, positions, model->positions[v], tolerance);
        if (found == HEM_NONE) {
            found = (int32_t)count++;
            positions[found] = model->positions[v];
            insert(&grid, model->positions[v], found);
        }
        welded[v] = (uint32_t)found;
    }
    return count;
}

bool hemc_weld(hemc_arena* arena, const hemc_model* model, const int32_t* owner, int32_t part, hemc_surface* surface) {
    memset(surface, 0, sizeof(*surface));
    uint8_t* used = hemc_alloc(arena, model->vertex_count, 1);
    uint32_t triangle_count = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (owner[t] == part) {
            ++triangle_count;
            for (int i = 0; i < 3; ++i) {
                used[model->triangles[(size_t)3 * t + i]] = 1;
            }
        }
    }
    if (triangle_count == 0) {
        return true;
    }
    double tolerance = tolerance_of(model, used);
    uint32_t* welded = hemc_alloc(arena, model->vertex_count, sizeof(uint32_t));
    surface->vertex_count = hemc_weld_positions(arena, model, used, tolerance, welded);
    surface->positions = hemc_alloc(arena, surface->vertex_count, sizeof(hemc_vec3));
    surface->source_vertex = hemc_alloc(arena, surface->vertex_count, sizeof(uint32_t));
    for (uint32_t v = model->vertex_count; v-- > 0;) { // downwards: the first of each stays
        if (used[v]) {
            surface->positions[welded[v]] = model->positions[v];
            surface->source_vertex[welded[v]] = v;
        }
    }
    surface->triangles = hemc_alloc(arena, (size_t)triangle_count * 3, sizeof(uint32_t));
    surface->source_triangle = hemc_alloc(arena, triangle_count, sizeof(uint32_t));
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (owner[t] != part) {
            continue;
        }
        uint32_t corner[3];
        for (int i = 0; i < 3; ++i) {
            corner[i] = welded[model->triangles[(size_t)3 * t + i]];
        }
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0] ||
            is_flat(surface->positions, corner, tolerance * HEIGHT_SHARE)) {
            continue;
        }
        memcpy(&surface->triangles[(size_t)3 * surface->triangle_count], corner, sizeof(corner));
        surface->source_triangle[surface->triangle_count++] = t;
    }
    if (surface->triangle_count != 0) {
        drop_duplicates(arena, surface);
    }
    surface->neighbors = hemc_alloc(arena, (size_t)surface->triangle_count * 3, sizeof(int32_t));
    surface->normals = hemc_alloc(arena, surface->vertex_count, sizeof(hemc_vec3));
    find_neighbors(arena, surface);
    mean_normals(arena, surface);
    return true;
}
