// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"

#include <string.h>

// Rows of anchors for tethers.
//
// A tether joins a particle to an attached one, often far away and shared with many: a cape hung from two corners has
// hundreds of tethers and two anchors. No placement lines those up, since a batch may hold a particle only once. But an
// anchor is moved by the pose alone, so it may be repeated: a row of eight copies, each following the pose like the
// original, gives a full batch to any row whose eight lanes want these anchors. A copy row costs about as much as
// COPY_COST batches and can serve many rows of particles, also rotated.
//
// Rows whose tethers already line up with the rows of real anchors stay as they are.

#define COPY_COST 1.5
typedef struct wanted {           // the anchors of one row's lanes
    int32_t anchor[2][HEM_LANES]; // HEM_NONE = no tether; two tethers per particle at most are lined up
    int32_t link[2][HEM_LANES];
    uint32_t set_count;
} wanted;

static void collect(const hemc_net* net, const uint32_t* slots, wanted* rows) {
    for (uint32_t i = 0; i < net->link_count; ++i) {
        if (!hem_kind_in(net->kinds[i], HEM_KINDS_PULLS)) {
            continue;
        }
        const uint32_t slot = slots[net->ends[i][0]];
        wanted* row = &rows[slot / HEM_LANES];
        for (uint32_t set = 0; set < 2; ++set) {
            if (row->link[set][slot % HEM_LANES] == HEM_NONE) {
                row->link[set][slot % HEM_LANES] = (int32_t)i;
                row->anchor[set][slot % HEM_LANES] = (int32_t)net->ends[i][1];
                row->set_count = row->set_count > set ? row->set_count : set + 1;
                break;
            }
        }
    }
}

// Batches that these tethers take with the anchors where they are.
static uint32_t natural_batches(const uint32_t* slots, const int32_t anchor[HEM_LANES]) {
    uint32_t keys[HEM_LANES], count = 0;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        if (anchor[lane] == HEM_NONE) {
            continue;
        }
        const uint32_t slot = slots[anchor[lane]];
        const uint32_t key = slot / HEM_LANES * HEM_LANES + ((slot - lane) & 7u);
        uint32_t at = 0;
        while (at < count && keys[at] != key) {
            ++at;
        }
        if (at == count) {
            keys[count++] = key;
        }
    }
    return count;
}

// A bit per anchor, by chance shared by some: a copy row that lacks one of the bits wanted cannot serve. One with an idle
// lane may take up anything.
static uint64_t anchor_bits(const int32_t anchor[HEM_LANES], uint64_t idle) {
    uint64_t bits = 0;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        bits |= anchor[lane] == HEM_NONE ? idle : 1ull << ((uint32_t)anchor[lane] * 0x9e3779b1u >> 26);
    }
    return bits;
}

// A rotation under which the copy row serves the lanes, or HEM_NONE. Lanes nobody wants yet may be taken.
static int32_t fitting_rotation(const int32_t copy[HEM_LANES], const int32_t anchor[HEM_LANES]) {
    for (int32_t rotate = 0; rotate < HEM_LANES; ++rotate) {
        bool fits = true;
        for (int32_t lane = 0; lane < HEM_LANES && fits; ++lane) {
            const int32_t there = copy[(lane + rotate) & 7];
            fits = anchor[lane] == HEM_NONE || there == HEM_NONE || there == anchor[lane];
        }
        if (fits) {
            return rotate;
        }
    }
    return HEM_NONE;
}

typedef struct copy_set {
    int32_t (*anchors)[HEM_LANES]; // per copy row
    uint64_t* bits;                // per copy row: anchor_bits
    uint32_t count;
} copy_set;

// The first copy row that serves the lanes, and under which rotation; the number of copies when none does.
static uint32_t find_copy(const copy_set* copies, const int32_t anchor[HEM_LANES], int32_t* rotate) {
    const uint64_t bits = anchor_bits(anchor, 0);
    uint32_t copy = 0;
    *rotate = HEM_NONE;
    while (copy < copies->count && ((bits & ~copies->bits[copy]) != 0 ||
                                    (*rotate = fitting_rotation(copies->anchors[copy], anchor)) == HEM_NONE)) {
        ++copy;
    }
    return copy;
}

static void use_copy(copy_set* copies, uint32_t copy, int32_t rotate, const int32_t anchor[HEM_LANES]) {
    for (int32_t lane = 0; lane < HEM_LANES; ++lane) {
        if (anchor[lane] != HEM_NONE) {
            copies->anchors[copy][(lane + rotate) & 7] = anchor[lane];
        }
    }
    copies->bits[copy] = anchor_bits(copies->anchors[copy], ~0ull);
}

// Rows that need `worth` batches or more get copies of their anchors.
static double copy_anchors(hemc_arena* arena, const hemc_net* net, const uint32_t* slots, uint32_t row_count,
                           uint32_t worth, hemc_anchor_rows* out) {
    wanted* rows = hemc_alloc(arena, row_count, sizeof(wanted));
    memset(rows, 0xff, row_count * sizeof(wanted));
    for (uint32_t i = 0; i < row_count; ++i) {
        rows[i].set_count = 0;
    }
    collect(net, slots, rows);
    copy_set copies = {hemc_alloc(arena, (size_t)row_count * 2, sizeof(*copies.anchors)),
                       hemc_alloc(arena, (size_t)row_count * 2, sizeof(uint64_t)), 0};
    double cost = 0;
    if (out != NULL) {
        out->slot_of_link = hemc_alloc(arena, net->link_count, sizeof(int32_t));
        memset(out->slot_of_link, 0xff, net->link_count * sizeof(int32_t));
    }
    // First those that pay for a copy row, then those that can use one that is there.
    for (uint32_t pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < 2 * row_count; ++i) {
            const wanted* row = &rows[i / 2];
            const uint32_t set = i % 2;
            const uint32_t natural = set < row->set_count ? natural_batches(slots, row->anchor[set]) : 0;
            if (set >= row->set_count || (natural >= worth) != (pass == 0)) {
                continue;
            }
            cost += natural != 0;
            if (natural <= 1) {
                continue;
            }
            int32_t rotate;
            const uint32_t copy = find_copy(&copies, row->anchor[set], &rotate);
            if (rotate == HEM_NONE && pass == 1) {
                cost += natural - 1.0;
                continue;
            }
            if (rotate == HEM_NONE) {
                memset(copies.anchors[copies.count++], 0xff, sizeof(*copies.anchors));
                rotate = 0;
            }
            use_copy(&copies, copy, rotate, row->anchor[set]);
            for (uint32_t lane = 0; lane < HEM_LANES && out != NULL; ++lane) {
                if (row->anchor[set][lane] != HEM_NONE) {
                    const uint32_t slot = (row_count + copy) * HEM_LANES + ((lane + (uint32_t)rotate) & 7u);
                    out->slot_of_link[row->link[set][lane]] = (int32_t)slot;
                }
            }
        }
    }
    if (out != NULL) {
        out->row_count = copies.count;
        out->anchors = copies.anchors;
    }
    return cost + copies.count * COPY_COST;
}

double hemc_place_tethers(hemc_arena* arena, const hemc_net* net, const uint32_t* slots, uint32_t row_count,
                          hemc_anchor_rows* out) {
    uint32_t tether_count = 0;
    for (uint32_t i = 0; i < net->link_count; ++i) {
        tether_count += hem_kind_in(net->kinds[i], HEM_KINDS_PULLS);
    }
    if (tether_count == 0 && out == NULL) {
        return 0;
    }
    uint32_t best = HEM_LANES + 1; // no copies at all
    double best_cost = copy_anchors(arena, net, slots, row_count, best, NULL);
    for (uint32_t worth = 2; worth <= 4 && net->copy_anchors; ++worth) {
        const double cost = copy_anchors(arena, net, slots, row_count, worth, NULL);
        if (cost < best_cost) {
            best_cost = cost;
            best = worth;
        }
    }
    if (out != NULL) {
        copy_anchors(arena, net, slots, row_count, best, out);
    }
    return best_cost;
}
