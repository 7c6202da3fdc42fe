// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"

#include <string.h>

// A lattice as the runtime reads it: cells with the slots of their corners, and per axis the bars, runs of particles that
// edges of cells join. Slots follow the numbers of the particles, and those go along x: nothing has to line up, since the
// sums have the numbers of one particle in their lanes (runtime/src/kernels/regions.inl). Of many bodies that meet each other
// each has rows of its own, so that the runtime can go through them one by one (runtime/src/derive.c, hemi_region_tile).

static uint32_t spare_rows(const hemc_lattice* l) {
    return (l->spare_count + HEM_LANES - 1) / HEM_LANES;
}

// -- Bodies: particles that cells join. A part may be many, a heap of things that fall.

static uint32_t root_of(uint32_t* parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Particles body by body, otherwise in the order that they have; body_end, per body, is where the next one begins. Returns how
// many bodies there are.
static uint32_t order_bodies(hemc_arena* arena, const hemc_lattice* l, uint32_t count, uint32_t* order,
                             uint32_t* body_end) {
    uint32_t* parent = hemc_alloc(arena, count, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; ++i) {
        parent[i] = i;
    }
    for (uint32_t c = 0; c < l->cell_count; ++c) {
        for (int k = 1; k < 8; ++k) { // the lowest number leads, so that bodies come in the order of their first
            const uint32_t a = root_of(parent, l->corners[c][0]), b = root_of(parent, l->corners[c][k]);
            parent[a < b ? b : a] = a < b ? a : b;
        }
    }
    uint32_t* body = hemc_alloc(arena, count, sizeof(uint32_t));
    uint32_t bodies = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t root = root_of(parent, i);
        body[i] = root == i ? bodies++ : body[root];
        ++body_end[body[i]];
    }
    uint32_t* next = hemc_alloc(arena, bodies, sizeof(uint32_t));
    for (uint32_t b = 1; b < bodies; ++b) {
        next[b] = body_end[b - 1];
        body_end[b] += body_end[b - 1];
    }
    for (uint32_t i = 0; i < count; ++i) {
        order[next[body[i]]++] = i;
    }
    return bodies;
}

// Where a particle that collides goes: in lane after lane of `depth` rows, and block of rows after block.
static uint32_t colliding_slot(uint32_t first_row, uint32_t depth, uint32_t n) {
    const uint32_t block = n / (depth * HEM_LANES), rest = n % (depth * HEM_LANES);
    return (first_row + block * depth + rest % depth) * HEM_LANES + rest / depth;
}

// One body in rows of its own. A cluster of the contact search is a lane of eight successive rows, counted from the part's first
// (runtime/src/kernels/pairs.inl): what collides fills such eights, where the body has whole ones, lane by lane, so that clusters
// are as few as can be. Where it has not, it fills the first rows. The rest fills up.
static uint32_t place_body(const hemc_particles* all, uint32_t begin, const uint32_t* members, uint32_t count,
                           uint32_t row, uint8_t* taken, uint32_t* slots) {
    const uint32_t rows = (count + HEM_LANES - 1) / HEM_LANES;
    uint32_t colliding = 0, placed = 0, slot = 0;
    for (uint32_t i = 0; i < count; ++i) {
        colliding += (all->flags[begin + members[i]] & HEM_PARTICLE_COLLIDES) != 0;
    }
    const uint32_t eights = (colliding + 63) / 64, aligned = (row + 7) / 8 * 8;
    const bool whole = aligned + 8 * eights <= row + rows;
    const uint32_t depth = whole ? 8 : (colliding + HEM_LANES - 1) / HEM_LANES;
    memset(taken, 0, (size_t)rows * HEM_LANES);
    for (uint32_t i = 0; i < count; ++i) {
        if (all->flags[begin + members[i]] & HEM_PARTICLE_COLLIDES) {
            slots[members[i]] = colliding_slot(whole ? aligned : row, depth, placed++);
            taken[slots[members[i]] - row * HEM_LANES] = 1;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if ((all->flags[begin + members[i]] & HEM_PARTICLE_COLLIDES) == 0) {
            while (taken[slot]) {
                ++slot;
            }
            slots[members[i]] = row * HEM_LANES + slot++;
        }
    }
    return rows;
}

uint32_t hemc_place_lattice(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, uint32_t* slots) {
    const hemc_lattice* l = mesh->part_lattices[part];
    const uint32_t begin = mesh->part_begin[part], count = mesh->part_begin[part + 1] - begin;
    uint32_t* order = hemc_alloc(arena, count, sizeof(uint32_t));
    uint32_t* body_end = hemc_alloc(arena, count, sizeof(uint32_t));
    const uint32_t bodies = order_bodies(arena, l, count, order, body_end);
    const bool itself = (mesh->collision_masks[part] & mesh->collision_groups[part]) != 0;
    uint8_t* taken = hemc_alloc(arena, (size_t)count + HEM_LANES, 1);
    uint32_t rows = 0;
    if (bodies == 1 || !itself) {
        for (uint32_t i = 0; i < count; ++i) {
            slots[i] = i;
        }
        rows = (count + HEM_LANES - 1) / HEM_LANES;
    } else {
        for (uint32_t b = 0; b < bodies; ++b) {
            const uint32_t from = b > 0 ? body_end[b - 1] : 0;
            rows += place_body(&mesh->all, begin, order + from, body_end[b] - from, rows, taken, slots);
        }
    }
    return rows + spare_rows(l);
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

static uint32_t bar_length(const int32_t* next, uint32_t head) {
    uint32_t length = 1;
    for (int32_t p = next[head]; p != HEM_NONE; p = next[p]) {
        ++length;
    }
    return length;
}

// The first particles of a body's bars, in the order that they have. Sorted, the shortest bars first: bars of a length take the
// same way through the solver, and a processor that sees it change guesses wrong. `room` has count + 2.
static uint32_t list_bars(const uint32_t* members, uint32_t count, const int32_t* next, const uint8_t* has_before,
                          bool sorted, uint32_t* room, uint32_t* heads) {
    uint32_t found = 0;
    memset(room, 0, ((size_t)count + 2) * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; ++i) {
        if (!has_before[members[i]]) {
            ++room[sorted ? bar_length(next, members[i]) + 1 : 1];
            ++found;
        }
    }
    for (uint32_t n = 1; n < count + 2; ++n) {
        room[n] += room[n - 1];
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!has_before[members[i]]) {
            heads[room[sorted ? bar_length(next, members[i]) : 0]++] = members[i];
        }
    }
    return found;
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
    uint32_t* by_body = hemc_alloc(arena, count, sizeof(uint32_t)); // so that the bars of a body follow each other
    uint32_t* body_end = hemc_alloc(arena, count, sizeof(uint32_t));
    const uint32_t bodies = order_bodies(arena, l, count, by_body, body_end);
    uint32_t* starts = hemc_alloc(arena, count, sizeof(uint32_t));
    uint32_t* length = hemc_alloc(arena, (size_t)count + 2, sizeof(uint32_t));
    uint32_t bar_count = 0, placed = 0;
    for (int axis = 0; axis < 3; ++axis) {
        find_next(l, axis, count, next, has_before);
        out->bar_begin[axis] = layout->bar_count + bar_count;
        for (uint32_t b = 0, from = 0; b < bodies; from = body_end[b++]) {
            // What can tear makes bars of its own at each tear, in the order of particles.
            const uint32_t heads =
                list_bars(by_body + from, body_end[b] - from, next, has_before, l->spare_count == 0, length, starts);
            for (uint32_t n = 0; n < heads; ++n) {
                hem_lattice_bar* bar = &bars[bar_count++];
                bar->first = layout->order_count + placed;
                for (int32_t p = (int32_t)starts[n]; p != HEM_NONE; p = next[p]) {
                    order[placed++] = layout->slot_of[begin + (uint32_t)p];
                    ++bar->count;
                }
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
