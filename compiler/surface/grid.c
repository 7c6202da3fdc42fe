// SPDX-License-Identifier: MIT
#include "compiler/surface/spatial.h"

#include <string.h>

// Points that arrive one by one: a hash of cells as wide as the radius, each a list.

static uint32_t cell_hash(int64_t x, int64_t y, int64_t z) {
    uint64_t h =
        (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)z * 0x165667b19e3779f9u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32);
}

static int64_t cell_of(double x, double cell) {
    double c = floor(x / cell);
    return c < -4e18 ? INT64_MIN / 4 : c > 4e18 ? INT64_MAX / 4 : (int64_t)c;
}

void hemc_grid_init(hemc_grid* grid, hemc_arena* arena, double cell, uint32_t expected_count) {
    memset(grid, 0, sizeof *grid);
    grid->arena = arena;
    grid->cell = cell > 1e-12 ? cell : 1e-12;
    uint32_t buckets = 64;
    while (buckets < expected_count && buckets < 1u << 24) {
        buckets *= 2;
    }
    grid->bucket_mask = buckets - 1;
    grid->buckets = hemc_alloc(arena, buckets, sizeof *grid->buckets);
    memset(grid->buckets, 0xff, buckets * sizeof *grid->buckets);
}

uint32_t hemc_grid_add(hemc_grid* grid, hemc_d3 p) {
    grid->points = hemc_grow(grid->arena, grid->points, &grid->point_capacity, grid->count + 1, sizeof *grid->points);
    grid->next = hemc_grow(grid->arena, grid->next, &grid->next_capacity, grid->count + 1, sizeof *grid->next);
    uint32_t bucket =
        cell_hash(cell_of(p.x, grid->cell), cell_of(p.y, grid->cell), cell_of(p.z, grid->cell)) & grid->bucket_mask;
    grid->points[grid->count] = p;
    grid->next[grid->count] = grid->buckets[bucket];
    grid->buckets[bucket] = (int32_t)grid->count;
    return (uint32_t)grid->count++;
}

int32_t hemc_grid_nearest(hemc_grid* grid, hemc_d3 p, double radius) {
    double best = radius * radius;
    int32_t found = HEM_NONE;
    if (grid->count == 0) {
        return HEM_NONE;
    }
    int64_t cx = cell_of(p.x, grid->cell), cy = cell_of(p.y, grid->cell), cz = cell_of(p.z, grid->cell);
    for (int64_t x = cx - 1; x <= cx + 1; ++x) {
        for (int64_t y = cy - 1; y <= cy + 1; ++y) {
            for (int64_t z = cz - 1; z <= cz + 1; ++z) {
                // Two of the 27 cells may share a bucket; meeting a point twice does not change the answer.
                for (int32_t i = grid->buckets[cell_hash(x, y, z) & grid->bucket_mask]; i >= 0; i = grid->next[i]) {
                    hemc_d3 d = d3_sub(p, grid->points[i]);
                    double square = d3_dot(d, d);
                    ++grid->visit_count;
                    if (square < best || (square == best && found != HEM_NONE && i < found)) {
                        best = square;
                        found = i;
                    }
                }
            }
        }
    }
    return found;
}
