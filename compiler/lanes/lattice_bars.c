// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"

#include <string.h>

// A lattice as the runtime reads it: cells with the slots of their corners, and per axis the bars, runs of particles that
// edges of cells join. Slots follow the numbers of the particles, and those go along x: nothing has to line up, since the
// sums have the numbers of one particle in their lanes (runtime/src/kernels/regions.inl).

static uint32_t spare_rows(const hemc_lattice* l) {
    return (l->spare_count + HEM_LANES - 1) / HEM_LANES;
}

uint32_t hemc_place_lattice(const hemc_lattice* lattice, uint32_t count, uint32_t* slots) {
    for (uint32_t i = 0; i < count; ++i) {
        slots[i] = i;
    }
    return (count + HEM_LANES - 1) / HEM_LANES + spare_rows(lattice);
}

// next[i]: the particle one further along the axis, where an edge of a cell leads to it.
static void find_next(const hemc_lattice* l, int axis, uint32_t count, int32_t* next, uint8_t* has_before) {
    memset(next, 0xff, count * sizeof(int32_t));
    memset(has_before, 0, count);
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        for (int k = 0; k < 8; ++k) {
            if ((k >> axis & 1) == 0) {
                next[l->corners[c][k]] = (int32_t)l->corners[c][k | 1 << axis];
                has_before[l->corners[c][k | 1 << axis]] = 1;
            }
        }
    }
}

void hemc_batch_lattice(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout) {
    const uint32_t source = layout->part_order[part], begin = mesh->part_begin[source];
    const uint32_t count = mesh->part_begin[source + 1] - begin;
    const hemc_lattice* l = mesh->part_lattices != NULL ? mesh->part_lattices[source] : NULL;
    if (l == NULL) {
        return;
    }
    const hem_lattice empty = {.part = part};
    layout->lattices = hemc_append(arena, layout->lattices, layout->lattice_count, &empty, 1, sizeof(hem_lattice));
    hem_lattice* out = &layout->lattices[layout->lattice_count];
    out->particle_count = count;
    out->cell_begin = layout->cell_count;
    out->cell_count = l->cell_count;
    memcpy(out->size, l->size, sizeof(out->size));
    memcpy(out->origin, l->origin, sizeof(out->origin));
    memcpy(out->spacing, l->spacing, sizeof(out->spacing));
    if (l->spare_count != 0) {
        const hem_part* rows = &layout->parts[part];
        out->spare_count = spare_rows(l) * HEM_LANES;
        out->spare_begin = (rows->row_begin + rows->row_count) * HEM_LANES - out->spare_count;
        out->torn_vertices = l->tears->vertex_limit;
    }
    hem_lattice_cell* cells = hemc_alloc(arena, l->cell_count, sizeof(hem_lattice_cell));
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        hem_lattice_cell* cell = &cells[c];
        cell->lattice = (uint16_t)layout->lattice_count;
        for (int k = 0; k < 3; ++k) {
            cell->index[k] = (uint16_t)l->cells[c][k];
        }
        for (int k = 0; k < 8; ++k) {
            cell->corner[k] = (uint16_t)layout->slot_of[begin + l->corners[c][k]];
        }
    }
    int32_t* next = hemc_alloc(arena, count, sizeof(int32_t));
    uint8_t* has_before = hemc_alloc(arena, count, 1);
    hem_lattice_bar* bars = hemc_alloc(arena, 3 * (size_t)count, sizeof(hem_lattice_bar));
    uint32_t* order = hemc_alloc(arena, 3 * (size_t)count, sizeof(uint32_t));
    uint32_t bar_count = 0, placed = 0;
    for (int axis = 0; axis < 3; ++axis) {
        find_next(l, axis, count, next, has_before);
        out->bar_begin[axis] = layout->bar_count + bar_count;
        for (uint32_t i = 0; i < count; ++i) {
            if (has_before[i]) {
                continue;
            }
            hem_lattice_bar* bar = &bars[bar_count++];
            bar->first = layout->order_count + placed;
            for (int32_t p = (int32_t)i; p != HEM_NONE; p = next[p]) {
                order[placed++] = layout->slot_of[begin + (uint32_t)p];
                ++bar->count;
            }
        }
        out->bar_count[axis] = layout->bar_count + bar_count - out->bar_begin[axis];
    }
    layout->cells = hemc_append(arena, layout->cells, layout->cell_count, cells, l->cell_count, sizeof(*cells));
    layout->bars = hemc_append(arena, layout->bars, layout->bar_count, bars, bar_count, sizeof(hem_lattice_bar));
    layout->order = hemc_append(arena, layout->order, layout->order_count, order, placed, sizeof(uint32_t));
    layout->bar_count += bar_count;
    layout->order_count += placed;
    layout->cell_count += l->cell_count;
    ++layout->lattice_count;
}
