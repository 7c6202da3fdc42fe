// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"

#include <string.h>

// Shape-matching groups to batches. A batch holds the groups of one row; its records are the union of what the lanes need,
// each a row and a rotation with the mask of the lanes that have such a member. Groups of a row that share a particle,
// or whose union of records would grow too long, go to a second batch of the same row. What is left with few lanes is
// gathered into indexed batches, in which lane i's group may belong to any particle.

#define RECORD_LIMIT (HEM_MAX_GROUP_MEMBERS - 1)
#define FEW_LANES 2 // a row batch with no more groups than this is gathered into indexed ones

typedef struct record {
    uint32_t row;
    uint8_t rotate, lane_mask;
} record;

typedef struct open_batch {
    uint32_t own_row;
    uint32_t lane_mask;
    uint32_t record_count;
    record records[RECORD_LIMIT];
} open_batch;

typedef struct group_store {
    hemc_arena* arena;
    const hemc_mesh* mesh;
    hemc_layout* layout;
    uint32_t part;
    size_t batch_capacity, member_capacity, index_capacity;
} group_store;

static bool touches(const open_batch* b, uint32_t slot) {
    if (slot / HEM_LANES == b->own_row && (b->lane_mask >> (slot % HEM_LANES) & 1) != 0) {
        return true;
    }
    for (uint32_t k = 0; k < b->record_count; ++k) {
        const record* r = &b->records[k];
        if (r->row == slot / HEM_LANES && (r->lane_mask >> ((slot - r->rotate) % HEM_LANES) & 1) != 0) {
            return true;
        }
    }
    return false;
}

// Adds the group of the particle in `slot` unless a particle would stand twice or there is no room.
static bool try_add(open_batch* b, const hemc_mesh* mesh, const uint32_t* slot_of, uint32_t particle) {
    const uint32_t slot = slot_of[particle], lane = slot % HEM_LANES;
    if (touches(b, slot)) {
        return false;
    }
    open_batch trial = *b;
    for (uint32_t k = mesh->group_starts[particle]; k < mesh->group_starts[particle + 1]; ++k) {
        const uint32_t member = slot_of[mesh->group_members[k]];
        if (touches(b, member)) {
            return false;
        }
        const uint32_t row = member / HEM_LANES, rotate = (member - lane) % HEM_LANES;
        uint32_t at = 0;
        while (at < trial.record_count && (trial.records[at].row != row || trial.records[at].rotate != rotate)) {
            ++at;
        }
        if (at == RECORD_LIMIT) {
            return false;
        }
        if (at == trial.record_count) {
            trial.records[trial.record_count++] = (record){row, (uint8_t)rotate, 0};
        }
        trial.records[at].lane_mask |= (uint8_t)(1u << lane);
    }
    trial.lane_mask |= 1u << lane;
    *b = trial;
    return true;
}

// Rest centroid minus the particle's position, and the mass, of one group.
static void measure_group(const hemc_mesh* mesh, uint32_t particle, uint32_t lane, hem_group_batch* b) {
    const hemc_particles* all = &mesh->all;
    const hemc_vec3 own = hemc_shape_place(mesh, particle);
    double mass = all->mass[particle], x = 0, y = 0, z = 0;
    for (uint32_t k = mesh->group_starts[particle]; k < mesh->group_starts[particle + 1]; ++k) {
        const uint32_t q = mesh->group_members[k];
        const double m = all->mass[q];
        mass += m;
        const hemc_vec3 place = hemc_shape_place(mesh, q);
        x += m * ((double)place.x - own.x);
        y += m * ((double)place.y - own.y);
        z += m * ((double)place.z - own.z);
    }
    b->center[0][lane] = (float)(x / mass);
    b->center[1][lane] = (float)(y / mass);
    b->center[2][lane] = (float)(z / mass);
    b->total_mass[lane] = (float)mass;
}

static hem_group_batch* start_batch(group_store* store) {
    hemc_layout* layout = store->layout;
    layout->groups = hemc_grow(store->arena, layout->groups, &store->batch_capacity,
                               (size_t)layout->group_batch_count + 1, sizeof(hem_group_batch));
    hem_group_batch* b = &layout->groups[layout->group_batch_count++];
    memset(b, 0, sizeof *b);
    b->part = (uint8_t)store->part;
    for (int lane = 0; lane < HEM_LANES; ++lane) {
        b->total_mass[lane] = 1;
    }
    return b;
}

static void write_row_batch(group_store* store, const open_batch* open) {
    hemc_layout* layout = store->layout;
    hem_group_batch* b = start_batch(store);
    b->own_row = open->own_row;
    b->member_begin = layout->member_count;
    b->member_count = (uint16_t)open->record_count;
    b->lane_mask = (uint8_t)open->lane_mask;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        const uint32_t slot = open->own_row * HEM_LANES + lane;
        b->own[lane] = (uint16_t)slot;
        if ((open->lane_mask >> lane & 1) != 0) {
            measure_group(store->mesh, (uint32_t)layout->particle_at[slot], lane, b);
        }
    }
    layout->members = hemc_grow(store->arena, layout->members, &store->member_capacity,
                                (size_t)layout->member_count + open->record_count, sizeof(hem_group_member));
    // In row order: the walk through memory goes one way.
    bool done[RECORD_LIMIT] = {false};
    for (uint32_t n = 0; n < open->record_count; ++n) {
        uint32_t best = UINT32_MAX;
        for (uint32_t k = 0; k < open->record_count; ++k) {
            const record* r = &open->records[k];
            if (!done[k] && (best == UINT32_MAX || r->row < open->records[best].row ||
                             (r->row == open->records[best].row && r->rotate < open->records[best].rotate))) {
                best = k;
            }
        }
        done[best] = true;
        const record* r = &open->records[best];
        layout->members[layout->member_count++] =
            (hem_group_member){.row = r->row, .rotate = r->rotate, .lane_mask = r->lane_mask};
    }
}

// -- Indexed batches

typedef struct loose_batch {
    uint32_t count; // lanes in use
    uint32_t particles[HEM_LANES];
} loose_batch;

static bool groups_meet(const hemc_mesh* mesh, uint32_t p, uint32_t q) {
    for (uint32_t i = mesh->group_starts[p]; i <= mesh->group_starts[p + 1]; ++i) {
        const uint32_t a = i < mesh->group_starts[p + 1] ? mesh->group_members[i] : p;
        for (uint32_t j = mesh->group_starts[q]; j <= mesh->group_starts[q + 1]; ++j) {
            const uint32_t b = j < mesh->group_starts[q + 1] ? mesh->group_members[j] : q;
            if (a == b) {
                return true;
            }
        }
    }
    return false;
}

static bool batch_uses(const hemc_mesh* mesh, const loose_batch* b, uint32_t particle) {
    for (uint32_t lane = 0; lane < b->count; ++lane) {
        const uint32_t p = b->particles[lane];
        if (p == particle) {
            return true;
        }
        for (uint32_t k = mesh->group_starts[p]; k < mesh->group_starts[p + 1]; ++k) {
            if (mesh->group_members[k] == particle) {
                return true;
            }
        }
    }
    return false;
}

// What the runtime does for a batch, in instructions on AVX2: gathering a member lane by lane costs four times as much as
// rotating its row. So few groups are better off with a row batch each.
static bool indexing_pays(const hemc_mesh* mesh, const loose_batch* b) {
    enum { BATCH = 400, ROW_MEMBER = 140, INDEX_MEMBER = 600 };
    uint32_t maximum = 0, rows = 0;
    for (uint32_t lane = 0; lane < b->count; ++lane) {
        const uint32_t p = b->particles[lane], count = mesh->group_starts[p + 1] - mesh->group_starts[p];
        maximum = count > maximum ? count : maximum;
        rows += BATCH + count * ROW_MEMBER;
    }
    return BATCH + maximum * INDEX_MEMBER < rows;
}

// An idle lane names a slot of an oriented row that nobody in this batch uses: a pad, or a particle of some other group.
static bool find_idle_slots(const group_store* store, const loose_batch* loose, uint16_t own[HEM_LANES]) {
    const hemc_layout* layout = store->layout;
    uint32_t slot = 0;
    for (uint32_t lane = loose->count; lane < HEM_LANES; ++lane) {
        while (slot < layout->oriented_row_count * HEM_LANES && layout->particle_at[slot] != HEM_NONE &&
               batch_uses(store->mesh, loose, (uint32_t)layout->particle_at[slot])) {
            ++slot;
        }
        if (slot == layout->oriented_row_count * HEM_LANES) {
            return false;
        }
        own[lane] = (uint16_t)slot++;
    }
    return true;
}

// False, with nothing written, when the asset is too small to find idle particles.
static bool write_index_batch(group_store* store, const loose_batch* loose) {
    const hemc_mesh* mesh = store->mesh;
    hemc_layout* layout = store->layout;
    uint16_t idle[HEM_LANES];
    if (!find_idle_slots(store, loose, idle)) {
        return false;
    }
    hem_group_batch* b = start_batch(store);
    b->own_row = (uint32_t)HEM_NONE;
    b->member_begin = layout->group_index_count;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        if (lane < loose->count) {
            const uint32_t p = loose->particles[lane];
            const uint32_t count = mesh->group_starts[p + 1] - mesh->group_starts[p];
            b->own[lane] = (uint16_t)layout->slot_of[p];
            b->lane_mask |= (uint8_t)(1u << lane);
            b->member_count = (uint16_t)(count > b->member_count ? count : b->member_count);
            measure_group(mesh, p, lane, b);
            continue;
        }
        b->own[lane] = idle[lane];
    }
    layout->group_indices = hemc_grow(store->arena, layout->group_indices, &store->index_capacity,
                                      (size_t)layout->group_index_count + b->member_count, sizeof(hem_group_index));
    for (uint32_t k = 0; k < b->member_count; ++k) {
        hem_group_index* record_out = &layout->group_indices[layout->group_index_count++];
        memset(record_out, 0, sizeof *record_out);
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            record_out->index[lane] = b->own[lane];
            if (lane < loose->count) {
                const uint32_t at = mesh->group_starts[loose->particles[lane]] + k;
                if (at < mesh->group_starts[loose->particles[lane] + 1]) {
                    record_out->index[lane] = (uint16_t)layout->slot_of[mesh->group_members[at]];
                    record_out->lane_mask |= (uint8_t)(1u << lane);
                }
            }
        }
    }
    return true;
}

void hemc_batch_groups(hemc_arena* arena, const hemc_mesh* mesh, uint32_t source_part, uint32_t part,
                       hemc_layout* layout) {
    const uint32_t begin = mesh->part_begin[source_part], end = mesh->part_begin[source_part + 1];
    if (mesh->group_starts[begin] == mesh->group_starts[end]) {
        return;
    }
    group_store store = {.arena = arena, .mesh = mesh, .layout = layout, .part = part};
    store.batch_capacity = layout->group_batch_count;
    store.member_capacity = layout->member_count;
    store.index_capacity = layout->group_index_count;
    loose_batch* loose = hemc_alloc(arena, end - begin, sizeof(loose_batch));
    size_t loose_count = 0;
    const hem_part* rows = &layout->parts[part];
    for (uint32_t row = rows->row_begin; row < rows->row_begin + rows->row_count; ++row) {
        open_batch open[HEM_LANES] = {{0}};
        uint32_t open_count = 0;
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int32_t p = layout->particle_at[row * HEM_LANES + lane];
            if (p == HEM_NONE || layout->slot_of[p] != row * HEM_LANES + lane ||
                mesh->group_starts[p] == mesh->group_starts[p + 1]) {
                continue;
            }
            uint32_t at = 0;
            while (at < open_count && !try_add(&open[at], mesh, layout->slot_of, (uint32_t)p)) {
                ++at;
            }
            if (at == open_count) {
                open[open_count].own_row = row;
                try_add(&open[open_count++], mesh, layout->slot_of, (uint32_t)p);
            }
        }
        for (uint32_t i = 0; i < open_count; ++i) {
            uint32_t lanes = 0;
            for (uint32_t mask = open[i].lane_mask; mask != 0; mask &= mask - 1) {
                ++lanes;
            }
            if (lanes > FEW_LANES) {
                write_row_batch(&store, &open[i]);
                continue;
            }
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                if ((open[i].lane_mask >> lane & 1) == 0) {
                    continue;
                }
                const uint32_t p = (uint32_t)layout->particle_at[row * HEM_LANES + lane];
                size_t at = 0;
                for (; at < loose_count; ++at) {
                    bool fits = loose[at].count < HEM_LANES;
                    for (uint32_t k = 0; k < loose[at].count && fits; ++k) {
                        fits = !groups_meet(mesh, p, loose[at].particles[k]);
                    }
                    if (fits) {
                        break;
                    }
                }
                loose_count += at == loose_count;
                loose[at].particles[loose[at].count++] = p;
            }
        }
    }
    for (size_t i = 0; i < loose_count; ++i) {
        if (indexing_pays(mesh, &loose[i]) && write_index_batch(&store, &loose[i])) {
            continue;
        }
        for (uint32_t k = 0; k < loose[i].count; ++k) {
            open_batch alone = {.own_row = layout->slot_of[loose[i].particles[k]] / HEM_LANES};
            try_add(&alone, mesh, layout->slot_of, loose[i].particles[k]);
            write_row_batch(&store, &alone);
        }
    }
}
