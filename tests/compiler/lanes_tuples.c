// SPDX-License-Identifier: MIT
#include "tests/compiler/lanes_kit.h"

#include "compiler/lanes/tuples.h"

#include "greatest.h"

#include <stdlib.h>
#include <string.h>

// Constraints of two, three and four particles and whole strands: whatever they are, each stands in exactly one lane, with
// its own particles in their order, and no particle in two lanes of a batch. Read back from the format's own structs.

#define MOST_SLOTS (HEM_LANES * 512)
#define MOST_TUPLES 8192
#define MOST_ENTRIES (MOST_TUPLES * 8)

typedef struct tuple_kit {
    lanes_kit lanes;
    hemc_tuples t;
    uint32_t starts[MOST_TUPLES + 1];
    uint32_t slots[MOST_ENTRIES];
    hemc_layout layout;
    hemc_tuple_plan plan;
} tuple_kit;

static tuple_kit* start(void) {
    tuple_kit* kit = calloc(1, sizeof *kit);
    lanes_kit_start(&kit->lanes, 8);
    kit->t.starts = kit->starts;
    kit->t.slots = kit->slots;
    return kit;
}

static void end(tuple_kit* kit) {
    lanes_kit_end(&kit->lanes);
    free(kit);
}

static void add(tuple_kit* kit, const uint32_t* slots, uint32_t length) {
    const uint32_t begin = kit->starts[kit->t.count];
    memcpy(kit->slots + begin, slots, length * sizeof(uint32_t));
    kit->starts[++kit->t.count] = begin + length;
}

// Different slots, at random.
static void add_random(tuple_kit* kit, uint32_t length, uint32_t slot_count) {
    uint32_t slots[64];
    for (uint32_t k = 0; k < length;) {
        slots[k] = (uint32_t)(lanes_kit_random(&kit->lanes) * slot_count);
        uint32_t n = 0;
        while (n < k && slots[n] != slots[k]) {
            ++n;
        }
        k += n == k;
    }
    add(kit, slots, length);
}

static void batch(tuple_kit* kit, uint32_t arity) {
    memset(&kit->layout, 0, sizeof kit->layout);
    hemc_batch_tuples(kit->lanes.arena, &kit->t, &kit->plan);
    // Twice, so that the second ones begin behind others.
    for (int i = 0; i < 2; ++i) {
        hemc_add_row_batches(kit->lanes.arena, &kit->plan, HEM_KIND_WARP, arity, 3, i == 0 ? 0 : 1000, &kit->layout);
    }
}

// Particle k of a lane as the runtime would find it; HEM_NONE when the lane has none.
static int32_t particle_in(const hemc_layout* l, const hem_row_batch* b, uint32_t k, uint32_t lane) {
    if (b->form == HEM_FORM_INDICES) {
        const hem_group_index* r = &l->row_indices[b->member_begin + k];
        return (r->lane_mask >> lane & 1) != 0 ? r->index[lane] : HEM_NONE;
    }
    if (b->form == HEM_FORM_STRANDS) {
        const hem_group_member* r = &l->row_members[b->member_begin + k];
        const uint32_t slot = r->row * HEM_LANES + ((lane + r->rotate) & 7);
        return (r->lane_mask >> lane & 1) != 0 ? (int32_t)slot : HEM_NONE;
    }
    const uint32_t slot = (uint32_t)b->rows[k] * HEM_LANES + ((lane + b->rotates[k]) & 7);
    return (b->lane_mask >> lane & 1) != 0 ? (int32_t)slot : HEM_NONE;
}

static enum greatest_test_res check(const tuple_kit* kit, uint32_t arity) {
    static uint8_t found[MOST_TUPLES];
    static uint32_t used[MOST_SLOTS];
    const hemc_layout* l = &kit->layout;
    memset(found, 0, sizeof found);
    memset(used, 0, sizeof used);
    ASSERT_EQ_FMT((uint32_t)kit->plan.count * 2, l->row_batch_count, "%u");
    uint32_t payload = 1000;
    for (uint32_t i = 0; i < kit->plan.count; ++i) {
        const hem_row_batch* b = &l->row_batches[kit->plan.count + i];
        const hemc_tuple_batch* plan = &kit->plan.batches[i];
        ASSERT_EQ(3, b->part);
        ASSERT_EQ(payload, b->payload);
        payload += arity == HEM_ARITY_MANY ? b->member_count : 1;
        ASSERT(b->lane_mask != 0);
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const int32_t tuple = plan->tuple[lane];
            ASSERT_EQ((b->lane_mask >> lane & 1) != 0, tuple != HEM_NONE);
            const uint32_t length = tuple != HEM_NONE ? kit->starts[tuple + 1] - kit->starts[tuple] : 0;
            ASSERT(length <= b->member_count);
            for (uint32_t k = 0; k < b->member_count; ++k) {
                const int32_t particle = particle_in(l, b, k, lane);
                if (k >= length) {
                    ASSERT_EQ(HEM_NONE, particle);
                    continue;
                }
                ASSERT_EQ_FMT((int32_t)kit->slots[kit->starts[tuple] + k], particle, "%d");
                ASSERT(used[particle] != i + 1); // in no other lane
                used[particle] = i + 1;
            }
            if (tuple != HEM_NONE) {
                ASSERT_EQ(0, found[tuple]);
                found[tuple] = 1;
            }
        }
        for (uint32_t k = 0; b->form == HEM_FORM_ROWS && k < b->member_count; ++k) {
            ASSERT(k != 0 || b->rotates[0] == 0);
            for (uint32_t n = 0; n < k; ++n) {
                ASSERT(b->rows[n] != b->rows[k]);
            }
        }
        for (uint32_t k = 0; b->form == HEM_FORM_INDICES && k < b->member_count; ++k) {
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                ASSERT(l->row_indices[b->member_begin + k].index[lane] < MOST_SLOTS);
            }
        }
    }
    for (uint32_t i = 0; i < kit->t.count; ++i) {
        ASSERT_EQ(1, found[i]);
    }
    PASS();
}

static uint32_t indexed_count(const tuple_kit* kit) {
    uint32_t count = 0;
    for (size_t i = 0; i < kit->plan.count; ++i) {
        count += kit->plan.batches[i].indexed;
    }
    return count;
}

TEST random_constraints_stand_once_and_apart(void) {
    for (uint32_t arity = 2; arity <= HEM_MAX_ARITY; ++arity) {
        for (uint32_t rows = 1; rows <= 64; rows *= 4) {
            tuple_kit* kit = start();
            for (uint32_t i = 0; i < 500; ++i) {
                add_random(kit, arity, rows * HEM_LANES);
            }
            batch(kit, arity);
            CHECK_CALL(check(kit, arity));
            end(kit);
        }
    }
    PASS();
}

// A sheet of strips: column c in lane c, level r in row r. What is the same in every column is one batch, and full but for
// the last column where it reaches across.
TEST constraints_of_a_sheet_line_up(void) {
    static const struct {
        uint32_t arity;
        int down[4], across[4];
        uint32_t per_batch;
    } kinds[] = {
        {2, {0, 1}, {0, 0}, 8},
        {3, {0, 1, 2}, {0, 0, 0}, 8},
        {3, {0, 1, 1}, {0, 0, 1}, 0}, // a triangle: two of its particles share a row
        {3, {0, 1, 2}, {0, 1, 0}, 7},
        {4, {0, 1, 2, 3}, {0, 1, 1, 0}, 7}, // two triangles and their edge
        {4, {3, 0, 2, 1}, {1, 0, 0, 0}, 7},
    };
    enum { LEVELS = 40 };
    for (size_t n = 0; n < sizeof kinds / sizeof kinds[0]; ++n) {
        tuple_kit* kit = start();
        for (int r = 0; r + 3 < LEVELS; ++r) {
            for (int c = 0; c < HEM_LANES; ++c) {
                uint32_t slots[4], inside = 1;
                for (uint32_t k = 0; k < kinds[n].arity; ++k) {
                    const int column = c + kinds[n].across[k];
                    inside &= column < HEM_LANES;
                    slots[k] = (uint32_t)((r + kinds[n].down[k]) * HEM_LANES + (column & 7));
                }
                if (inside) {
                    add(kit, slots, kinds[n].arity);
                }
            }
        }
        batch(kit, kinds[n].arity);
        CHECK_CALL(check(kit, kinds[n].arity));
        if (kinds[n].per_batch != 0) {
            ASSERT_EQ_FMT((uint32_t)LEVELS - 3, (uint32_t)kit->plan.count, "%u");
            ASSERT_EQ(0, indexed_count(kit));
            ASSERT_EQ_FMT((uint32_t)(kit->plan.count * kinds[n].per_batch), (uint32_t)kit->t.count, "%u");
        } else {
            ASSERT_EQ_FMT((uint32_t)kit->plan.count, indexed_count(kit), "%u");
            ASSERT(kit->plan.count * 6 <= kit->t.count); // neighbours share particles; still six of eight lanes
        }
        end(kit);
    }
    PASS();
}

// In a strip of triangles each shares two rows with the next. Batches next to each other share none, but for the last few.
TEST batches_next_to_each_other_share_no_row(void) {
    enum { LEVELS = 64 };
    tuple_kit* kit = start();
    for (uint32_t r = 0; r + 2 < LEVELS; ++r) {
        for (uint32_t c = 0; c < HEM_LANES; ++c) {
            const uint32_t slots[3] = {r * HEM_LANES + c, (r + 1) * HEM_LANES + c, (r + 2) * HEM_LANES + c};
            add(kit, slots, 3);
        }
    }
    batch(kit, 3);
    CHECK_CALL(check(kit, 3));
    uint32_t close = 0;
    for (size_t i = 0; i + 1 < kit->plan.count; ++i) {
        for (uint32_t k = 0; k < 9; ++k) {
            close += kit->layout.row_batches[i].rows[k / 3] == kit->layout.row_batches[i + 1].rows[k % 3];
        }
    }
    ASSERT_EQ_FMT((uint32_t)LEVELS - 2, (uint32_t)kit->plan.count, "%u");
    ASSERT(close < 4);
    end(kit);
    PASS();
}

// Twenty heads of eight strands each, of unequal length, lane by lane: one batch a head.
TEST strands_that_line_up_share_batches(void) {
    tuple_kit* kit = start();
    enum { HEADS = 20, LONGEST = 24 };
    for (uint32_t strand = 0; strand < HEADS * HEM_LANES; ++strand) {
        uint32_t slots[LONGEST];
        const uint32_t head = strand % HEADS, lane = strand / HEADS;
        const uint32_t length = 2 + (uint32_t)(lanes_kit_random(&kit->lanes) * (LONGEST - 1));
        for (uint32_t k = 0; k < length; ++k) {
            slots[k] = (head * LONGEST + k) * HEM_LANES + ((lane + k / 5) & 7); // drifts from lane to lane
        }
        add(kit, slots, length);
    }
    batch(kit, HEM_ARITY_MANY);
    CHECK_CALL(check(kit, HEM_ARITY_MANY));
    ASSERT_EQ_FMT((uint32_t)HEADS, (uint32_t)kit->plan.count, "%u");
    ASSERT_EQ(0, indexed_count(kit));
    end(kit);
    PASS();
}

TEST strands_that_do_not_line_up_are_indexed(void) {
    tuple_kit* kit = start();
    for (uint32_t i = 0; i < 200; ++i) {
        add_random(kit, 1 + i % 40, MOST_SLOTS);
    }
    batch(kit, HEM_ARITY_MANY);
    CHECK_CALL(check(kit, HEM_ARITY_MANY));
    ASSERT(indexed_count(kit) > 0);
    ASSERT(kit->plan.count < 200);
    end(kit);
    PASS();
}

TEST no_constraints_make_no_batches(void) {
    tuple_kit* kit = start();
    batch(kit, 2);
    ASSERT_EQ(0, kit->layout.row_batch_count);
    end(kit);
    PASS();
}

SUITE(tuples_suite);
SUITE(tuples_suite) {
    RUN_TEST(random_constraints_stand_once_and_apart);
    RUN_TEST(constraints_of_a_sheet_line_up);
    RUN_TEST(batches_next_to_each_other_share_no_row);
    RUN_TEST(strands_that_line_up_share_batches);
    RUN_TEST(strands_that_do_not_line_up_are_indexed);
    RUN_TEST(no_constraints_make_no_batches);
}
