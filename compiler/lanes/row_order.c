// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"
#include "compiler/surface/spatial.h"

#include <string.h>

// The order of a part's rows. Batches do not care for it; the runtime's contact search does: it takes the particles that
// eight successive rows have in one lane as a cluster, and eight successive clusters as a block, and works the less the
// smaller these are. Rows are points whose coordinates are the levels and columns of all their lanes (not positions, so
// that a turned model gives the same file); they are halved along the longest side of their box, at multiples of a block
// or of a cluster, until a cluster is left.

#define CLUSTER 8
#define BLOCK 64
#define SIDES (2 * HEM_LANES)

typedef struct row_orderer {
    hemc_arena* arena;
    const float (*rows)[SIDES];
    hemc_sort_item* items;
} row_orderer;

static void halve(const row_orderer* o, uint32_t* order, uint32_t count) {
    if (count <= CLUSTER) {
        return;
    }
    uint32_t side = 0;
    float longest = -1.0f;
    for (uint32_t k = 0; k < SIDES; ++k) {
        float low = o->rows[order[0]][k], high = low;
        for (uint32_t i = 1; i < count; ++i) {
            const float v = o->rows[order[i]][k];
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        if (high - low > longest) {
            longest = high - low;
            side = k;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        o->items[i].key = o->rows[order[i]][side];
        o->items[i].index = order[i];
    }
    hemc_sort_items(o->arena, o->items, count);
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = o->items[i].index;
    }
    const uint32_t step = count > BLOCK ? BLOCK : CLUSTER;
    const uint32_t left = (count / 2 + step - 1) / step * step;
    halve(o, order, left);
    halve(o, order + left, count - left);
}

void hemc_order_rows(hemc_arena* arena, const hemc_net* net, uint32_t row_count, uint32_t* slots) {
    float(*rows)[SIDES] = hemc_alloc(arena, row_count, sizeof *rows);
    uint32_t* order = hemc_alloc(arena, row_count, sizeof *order);
    uint32_t* number = hemc_alloc(arena, row_count, sizeof *number);
    double sum[SIDES] = {0};
    uint32_t present[HEM_LANES] = {0};
    for (uint32_t i = 0; i < net->count; ++i) {
        const uint32_t lane = slots[i] % HEM_LANES;
        sum[lane * 2] += net->level[i];
        sum[lane * 2 + 1] += net->column[i];
        ++present[lane];
    }
    for (uint32_t row = 0; row < row_count; ++row) { // an idle lane stands in the middle of its kind
        for (uint32_t k = 0; k < SIDES; ++k) {
            rows[row][k] = present[k / 2] != 0 ? (float)(sum[k] / present[k / 2]) : 0.0f;
        }
        order[row] = row;
    }
    for (uint32_t i = 0; i < net->count; ++i) {
        float* at = rows[slots[i] / HEM_LANES] + slots[i] % HEM_LANES * 2;
        at[0] = (float)net->level[i];
        at[1] = (float)net->column[i];
    }
    const row_orderer orderer = {arena, (const float(*)[SIDES])rows,
                                 hemc_alloc(arena, row_count, sizeof(hemc_sort_item))};
    halve(&orderer, order, row_count);
    for (uint32_t i = 0; i < row_count; ++i) {
        number[order[i]] = i;
    }
    for (uint32_t i = 0; i < net->count; ++i) {
        slots[i] = number[slots[i] / HEM_LANES] * HEM_LANES + slots[i] % HEM_LANES;
    }
}
