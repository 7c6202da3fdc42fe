// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"
#include "compiler/surface/spatial.h"

#include <string.h>

// Placement of particles that no constraint joins, the animated ones on the body: nothing has to line up, but the
// runtime looks for contacts row by row, so each row should be a small patch. Halves along the longer side of the box,
// at multiples of eight, until eight are left.

static void halve(hemc_arena* arena, const hemc_vec3* x, uint32_t* order, uint32_t count, hemc_sort_item* items) {
    if (count <= HEM_LANES) {
        return;
    }
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    for (uint32_t i = 0; i < count; ++i) {
        const double p[3] = {x[order[i]].x, x[order[i]].y, x[order[i]].z};
        for (int k = 0; k < 3; ++k) {
            low[k] = p[k] < low[k] ? p[k] : low[k];
            high[k] = p[k] > high[k] ? p[k] : high[k];
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        axis = high[k] - low[k] > high[axis] - low[axis] ? k : axis;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const double p[3] = {x[order[i]].x, x[order[i]].y, x[order[i]].z};
        items[i].key = p[axis];
        items[i].index = order[i];
    }
    hemc_sort_items(arena, items, count);
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = items[i].index;
    }
    uint32_t left = (count / 2 + HEM_LANES - 1) / HEM_LANES * HEM_LANES;
    halve(arena, x, order, left, items);
    halve(arena, x, order + left, count - left, items);
}

uint32_t hemc_place_compact(hemc_arena* arena, const hemc_vec3* positions, uint32_t count, uint32_t* slots) {
    uint32_t* order = hemc_alloc(arena, count, sizeof *order);
    hemc_sort_item* items = hemc_alloc(arena, count, sizeof *items);
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = i;
    }
    halve(arena, positions, order, count, items);
    for (uint32_t i = 0; i < count; ++i) {
        slots[order[i]] = i;
    }
    return (count + HEM_LANES - 1) / HEM_LANES;
}
