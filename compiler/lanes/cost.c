// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"

#include <string.h>

// What a placement costs: the batches that the runtime will run, and a little more. Placements are tried by the hundred
// and nearly all lose, so counting stops once a placement is known to cost as much as the best.
//
// Distinct batches are counted in a hash table whose entries carry the number of the trial, so that it is never cleared.

#define ROW_COST 0.5    // of integrating and skinning one more row, in link batches
#define STRAY_COST 0.75 // of a link in an indexed batch: an eighth of one
#define GROUP_COST 6.0  // of a group batch
#define RECORD_COST 1.5 // of one member record of it
#define CLASH_COST 1.5  // of a member that shares a row with another of its group: the batch will be split

// A key: row (16 bits), other row (16), rotation (3), kind (3). A part has at most 8191 rows of particles and, with what bands
// leave empty, no more than 4 times as many.
#define KEY_BITS 38
#define TRIAL_LIMIT ((1u << (64 - KEY_BITS)) - 1)

static uint64_t batch_key(uint32_t a, uint32_t b, uint32_t kind) {
    return (uint64_t)(a / HEM_LANES) << 22 | (uint64_t)(b / HEM_LANES) << 6 | ((b - a) & 7u) << 3 | kind;
}

void hemc_table_init(hemc_arena* arena, hemc_cost_table* table, const hemc_net* net) {
    const uint32_t members = net->group_starts != NULL ? net->group_starts[net->count] : 0;
    const uint32_t capacity = net->link_count > members ? net->link_count : members;
    uint32_t size = 16;
    while (size < capacity * 2) {
        size *= 2;
    }
    memset(table, 0, sizeof *table);
    table->entries = hemc_alloc(arena, size, sizeof(uint64_t));
    table->mask = size - 1;
    if (members != 0) {
        table->row_uses = hemc_alloc(arena, net->count / 6 + 16, 1); // no placement takes as many rows
    }
}

static void start_trial(hemc_cost_table* table) {
    if (++table->trial > TRIAL_LIMIT) {
        memset(table->entries, 0, ((size_t)table->mask + 1) * sizeof(uint64_t));
        table->trial = 1;
    }
}

// 1 when the key is new in this trial.
static uint32_t add_key(hemc_cost_table* table, uint64_t key) {
    const uint64_t entry = (uint64_t)table->trial << KEY_BITS | key;
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & table->mask;
    while (table->entries[at] >> KEY_BITS == table->trial) {
        if (table->entries[at] == entry) {
            return 0;
        }
        at = (at + 1) & table->mask;
    }
    table->entries[at] = entry;
    return 1;
}

// Pairs in the particle's group, itself included, that share a row. A row that a lane's group uses with two rotations means
// that batches will be split.
static uint32_t count_clashes(hemc_cost_table* table, const hemc_net* net, const uint32_t* slots, uint32_t p) {
    uint8_t* uses = table->row_uses;
    uint32_t clashes = 0;
    uses[slots[p] / HEM_LANES] = 1;
    for (uint32_t i = net->group_starts[p]; i < net->group_starts[p + 1]; ++i) {
        clashes += uses[slots[net->group_members[i]] / HEM_LANES]++;
    }
    uses[slots[p] / HEM_LANES] = 0;
    for (uint32_t i = net->group_starts[p]; i < net->group_starts[p + 1]; ++i) {
        uses[slots[net->group_members[i]] / HEM_LANES] = 0;
    }
    return clashes;
}

double hemc_table_cost(hemc_cost_table* table, const hemc_net* net, const uint32_t* slots, uint32_t row_count,
                       double limit) {
    const bool groups = net->group_starts != NULL;
    double cost = row_count * (groups ? ROW_COST + GROUP_COST : ROW_COST);
    start_trial(table);
    for (uint32_t i = 0; i < net->link_count && cost < limit; ++i) {
        if (!hem_kind_in(net->kinds[i], HEM_KINDS_PLACES)) {
            continue;
        }
        const uint32_t a = slots[net->ends[i][0]], b = slots[net->ends[i][1]];
        const uint32_t low = a < b ? a : b, high = a < b ? b : a;
        if (low / HEM_LANES == high / HEM_LANES) {
            cost += STRAY_COST;
        } else {
            cost += add_key(table, batch_key(low, high, net->kinds[i]));
        }
    }
    if (groups) {
        start_trial(table);
        for (uint32_t p = 0; p < net->count && cost < limit; ++p) {
            uint32_t records = 0;
            for (uint32_t i = net->group_starts[p]; i < net->group_starts[p + 1]; ++i) {
                records += add_key(table, batch_key(slots[p], slots[net->group_members[i]], 0));
            }
            cost += records * RECORD_COST + count_clashes(table, net, slots, p) * CLASH_COST;
        }
    }
    return cost;
}

double hemc_ideal_cost(const hemc_net* net) {
    const uint32_t members = net->group_starts != NULL ? net->group_starts[net->count] : 0;
    const double rows = net->count / 8.0;
    return net->link_count / 8.0 + rows * ROW_COST +
           (members != 0 ? rows * GROUP_COST + members / 8.0 * RECORD_COST : 0);
}
