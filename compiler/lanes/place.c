// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"

#include <string.h>

// Who sits where: three ways to place a part, one measure, the best wins.
//
// The measure (cost.c) counts batches, since that is what the runtime pays for. Folded lines come first because they are exact for
// sheets, tubes and blocks; bands (band.c) follow clothes whose number of columns changes or whose borders
// slope; the search (search.c) takes what is left.

#define UNKNOWN (-1.0)

#define LINEAR_SIZES 32   // numbers of rows, at most, that lines are folded to where there are groups
#define SEARCH_ABOVE 1.15 // times the ideal cost
#define SEARCH_LIMIT 8192 // particles; above, the search takes too long
#define SEARCH_SIZES 12   // about so many numbers of rows are tried
#define SEARCH_TASTE 4    // builds after which to give up a way that is SEARCH_BEHIND
#define SEARCH_BEHIND 1.3
#define SEARCH_KEPT 2
#define SEARCH_ALLOWANCE 2500 // table look-ups for each particle

// -- Linear layouts
//
// Number the particles along some order and fold the line into eight lanes: lane = number / rows, row = number mod rows.
// Links between particles a fixed number apart then line up in every row, whatever the folding cuts through: a sheet of W
// columns of H particles has six kinds of links at six distances, and each takes one batch per row at most.

static void fold(const uint32_t* number, uint32_t count, uint32_t row_count, uint32_t* slots) {
    for (uint32_t i = 0; i < count; ++i) {
        slots[i] = number[i] % row_count * HEM_LANES + number[i] / row_count;
    }
}

typedef struct candidate {
    hemc_arena* arena;
    const hemc_net* net;
    hemc_bands* bands[2]; // without and with rows of attached particles apart; NULL = none
    hemc_cost_table table;
    uint32_t* slots; // of the trial
    uint32_t* best_slots;
    uint32_t best_rows;
    double best_cost;
} candidate;

// `cost` without tethers, if it is known; less than nothing = not yet.
static void consider(candidate* c, uint32_t row_count, double cost) {
    if (cost < 0) {
        cost = hemc_table_cost(&c->table, c->net, c->slots, row_count, c->best_cost);
    }
    if (cost < c->best_cost) {
        cost += hemc_place_tethers(c->arena, c->net, c->slots, row_count, NULL);
    }
    if (cost < c->best_cost) {
        c->best_cost = cost;
        c->best_rows = row_count;
        memcpy(c->best_slots, c->slots, c->net->count * sizeof(uint32_t));
    }
}

// numbers[] by (first key, second key), both from the hints.
static void number_by(hemc_arena* arena, const hemc_net* net, const int32_t* first, const int32_t* second,
                      uint32_t* number) {
    uint64_t* keys = hemc_alloc(arena, net->count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, net->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < net->count; ++i) {
        keys[i] = (uint64_t)((uint32_t)first[i] ^ 0x80000000u) << 32 | ((uint32_t)second[i] ^ 0x80000000u);
        order[i] = i;
    }
    hemc_sort(arena, keys, order, net->count);
    for (uint32_t i = 0; i < net->count; ++i) {
        number[order[i]] = i;
    }
}

// With links there are two rows at least: one row cannot hold a row batch, nor the idle lanes of an indexed one.
static uint32_t minimum_rows(const hemc_net* net) {
    const uint32_t rows = (net->count + HEM_LANES - 1) / HEM_LANES;
    return rows < 2 && net->count > 1 && net->link_count != 0 ? 2 : rows;
}

static void try_linear(candidate* c, const uint32_t* number, uint32_t period) {
    const uint32_t minimum = minimum_rows(c->net);
    // Groups need their members in different rows, which may take more room.
    const bool groups = c->net->group_starts != NULL;
    const uint32_t slack = groups ? minimum / 4 + 3 : minimum / 12 + 3, stride = 1 + slack / LINEAR_SIZES;
    for (uint32_t rows = minimum; rows <= minimum + slack; ++rows) {
        // Every size near the minimum, then, for groups, a number of them, and those that cut at whole columns.
        const bool near = rows <= minimum + 4 || (groups && (rows - minimum) % stride == 0);
        if (!near && (period == 0 || rows % period != 0)) {
            continue;
        }
        fold(number, c->net->count, rows, c->slots);
        consider(c, rows, UNKNOWN);
    }
}

static uint32_t span(const int32_t* values, uint32_t count) {
    int32_t low = values[0], high = values[0];
    for (uint32_t i = 1; i < count; ++i) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    return (uint32_t)high - (uint32_t)low + 1;
}

// -- The choice

typedef struct trial {
    double cost;
    uint32_t rows;
} trial;

static uint32_t maximum_rows(uint32_t minimum) {
    return minimum + minimum / 6 + 2;
}

// Builds for many numbers of rows, then improves the best few. A way of cutting threads that starts far behind what is
// known is not followed up.
static void try_search(candidate* c, hemc_searcher* searcher, const hemc_threads* threads) {
    const uint32_t minimum = minimum_rows(c->net), maximum = maximum_rows(minimum);
    const double known = c->best_cost;
    trial best[SEARCH_KEPT];
    uint32_t kept = 0, built = 0;
    for (uint32_t rows = minimum; rows <= maximum; rows += 1 + (maximum - minimum) / SEARCH_SIZES) {
        hemc_search_place(searcher, threads, rows, 0, c->slots);
        const trial t = {hemc_table_cost(&c->table, c->net, c->slots, rows, 1e300), rows};
        consider(c, rows, t.cost);
        uint32_t at = kept < SEARCH_KEPT ? kept++ : SEARCH_KEPT;
        while (at > 0 && best[at - 1].cost > t.cost) {
            if (at < SEARCH_KEPT) {
                best[at] = best[at - 1];
            }
            --at;
        }
        if (at < SEARCH_KEPT) {
            best[at] = t;
        }
        if (++built == SEARCH_TASTE && best[0].cost > SEARCH_BEHIND * known) {
            return;
        }
    }
    for (uint32_t i = 0; i < kept; ++i) {
        hemc_search_place(searcher, threads, best[i].rows, (uint64_t)c->net->count * SEARCH_ALLOWANCE, c->slots);
        consider(c, best[i].rows, UNKNOWN);
    }
}

// The net of the marked particles alone. numbers[p] becomes p's number there.
static void make_sub_net(hemc_arena* arena, const hemc_net* net, const uint8_t* marked, uint32_t* numbers,
                         hemc_net* sub) {
    memset(sub, 0, sizeof *sub);
    int32_t* level = hemc_alloc(arena, net->count, sizeof(int32_t));
    int32_t* column = hemc_alloc(arena, net->count, sizeof(int32_t));
    hemc_vec3* positions = hemc_alloc(arena, net->count, sizeof(hemc_vec3));
    sub->fixed = hemc_alloc(arena, net->count, 1);
    for (uint32_t i = 0; i < net->count; ++i) {
        if (marked[i]) {
            level[sub->count] = net->level[i];
            column[sub->count] = net->column[i];
            positions[sub->count] = net->positions[i];
            sub->fixed[sub->count] = net->fixed[i];
            numbers[i] = sub->count++;
        }
    }
    sub->level = level;
    sub->column = column;
    sub->positions = positions;
    sub->ends = hemc_alloc(arena, net->link_count, sizeof(*sub->ends));
    sub->kinds = hemc_alloc(arena, net->link_count, 1);
    for (uint32_t i = 0; i < net->link_count; ++i) {
        if (marked[net->ends[i][0]] && marked[net->ends[i][1]]) {
            sub->ends[sub->link_count][0] = numbers[net->ends[i][0]];
            sub->ends[sub->link_count][1] = numbers[net->ends[i][1]];
            sub->kinds[sub->link_count++] = net->kinds[i];
        }
    }
    sub->weave = hemc_alloc(arena, net->weave_count, sizeof(*sub->weave));
    sub->weave_kinds = hemc_alloc(arena, net->weave_count, 1);
    for (uint32_t i = 0; i < net->weave_count; ++i) {
        if (marked[net->weave[i][0]] && marked[net->weave[i][1]]) {
            sub->weave[sub->weave_count][0] = numbers[net->weave[i][0]];
            sub->weave[sub->weave_count][1] = numbers[net->weave[i][1]];
            sub->weave_kinds[sub->weave_count++] = net->weave_kinds[i];
        }
    }
    sub->copy_anchors = net->copy_anchors;
}

static void try_threads(candidate* c) {
    hemc_threads threads;
    hemc_searcher* searcher = hemc_search_create(c->arena, c->net, maximum_rows(minimum_rows(c->net)));
    hemc_make_threads(c->arena, c->net, 1u << HEM_LINK_WARP, &threads);
    try_search(c, searcher, &threads);
    hemc_make_threads(c->arena, c->net, 1u << HEM_LINK_WEFT, &threads);
    try_search(c, searcher, &threads);
}

// The skirt of a robe is one band, its sleeves are ten: bands for what is large, one search over all that is left.
static void try_bands_and_search(candidate* c, hemc_bands* bands) {
    if (bands == NULL) {
        return;
    }
    const hemc_net* net = c->net;
    uint8_t* scraps = hemc_alloc(c->arena, net->count, 1);
    uint32_t* numbers = hemc_alloc(c->arena, net->count, sizeof(uint32_t));
    hemc_net sub = {0};
    candidate inner = {.arena = c->arena, .net = &sub, .best_cost = 1e300};
    for (int folds = 0; folds < HEMC_FOLDS_COUNT; ++folds) {
        const uint32_t rows = hemc_bands_place(bands, (hemc_folds)folds, scraps, c->slots);
        if (rows == 0) {
            continue;
        }
        if (inner.best_slots == NULL) { // the same for every fold
            make_sub_net(c->arena, net, scraps, numbers, &sub);
            if (sub.link_count == 0 || sub.count > SEARCH_LIMIT) {
                return;
            }
            inner.slots = hemc_alloc(c->arena, sub.count, sizeof(uint32_t));
            inner.best_slots = hemc_alloc(c->arena, sub.count, sizeof(uint32_t));
            hemc_table_init(c->arena, &inner.table, &sub);
            try_threads(&inner);
        }
        for (uint32_t i = 0; i < net->count; ++i) {
            c->slots[i] = scraps[i] ? rows * HEM_LANES + inner.best_slots[numbers[i]] : c->slots[i];
        }
        consider(c, rows + inner.best_rows, UNKNOWN);
    }
}

// Rows without any particle go; the others close up.
static uint32_t drop_empty_rows(hemc_arena* arena, const hemc_net* net, uint32_t row_count, uint32_t* slots) {
    uint32_t* row_of = hemc_alloc(arena, row_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < net->count; ++i) {
        row_of[slots[i] / HEM_LANES] = 1;
    }
    uint32_t kept = 0;
    for (uint32_t row = 0; row < row_count; ++row) {
        kept += row_of[row];
        row_of[row] = kept - 1;
    }
    for (uint32_t i = 0; i < net->count; ++i) {
        slots[i] = row_of[slots[i] / HEM_LANES] * HEM_LANES + slots[i] % HEM_LANES;
    }
    return kept;
}

// Folded lines in three orders, bands of levels, and, where those stay far from full batches, threads by search. What
// needs the fewest batches wins; equal ones fall to the first.
uint32_t hemc_place(hemc_arena* arena, const hemc_net* net, uint32_t* slots) {
    if (net->count == 0) {
        return 0;
    }
    candidate c = {.arena = arena, .net = net, .best_slots = slots, .best_cost = 1e300};
    hemc_table_init(arena, &c.table, net);
    c.slots = hemc_alloc(arena, net->count, sizeof(uint32_t));
    uint32_t* number = hemc_alloc(arena, net->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < net->count; ++i) {
        number[i] = i;
    }
    try_linear(&c, number, 0);
    if (net->link_count == 0 && net->group_starts == NULL) {
        return drop_empty_rows(arena, net, c.best_rows, slots);
    }
    number_by(arena, net, net->column, net->level, number);
    try_linear(&c, number, span(net->level, net->count));
    number_by(arena, net, net->level, net->column, number);
    try_linear(&c, number, span(net->column, net->count));
    c.bands[0] = hemc_bands_find(arena, net, false);
    c.bands[1] = hemc_bands_find(arena, net, true);
    for (int variant = 0; variant < 2 * HEMC_FOLDS_COUNT; ++variant) {
        hemc_bands* bands = c.bands[variant % 2];
        const uint32_t rows = bands != NULL ? hemc_bands_place(bands, (hemc_folds)(variant / 2), NULL, c.slots) : 0;
        if (rows != 0) {
            consider(&c, rows, UNKNOWN);
        }
    }
    if (c.best_cost > SEARCH_ABOVE * hemc_ideal_cost(net) && net->count <= SEARCH_LIMIT) {
        try_bands_and_search(&c, c.bands[0]);
        try_bands_and_search(&c, c.bands[1]);
        try_threads(&c);
    }
    return drop_empty_rows(arena, net, c.best_rows, slots);
}
