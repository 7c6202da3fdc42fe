// SPDX-License-Identifier: MIT
#include "compiler/lanes/tuples.h"

#include "compiler/lanes/lanes.h"

#include <string.h>

// Constraints of any arity into batches of eight.
//
// A constraint lines up with another when their particles lie in the same rows with the same rotations: particle k of
// lane i is then (row k, lane i + rotation k), the rotation counted from the first particle's lane. All rows of such a
// batch differ, so that no particle stands twice and a kernel may load and store whole rows. Strands of different length
// share a batch when the shorter one is the beginning of the longer.
//
// What does not line up, has two particles in a row, or would be alone in its batch is collected into indexed batches, the
// first that has a free lane and none of its particles (greedy colouring). Longer constraints come first, since only
// shorter ones can join them; then by slots, so that neighbours in the list are neighbours in memory.
//
// At last batches in rows are put in an order in which those next to each other share no row, where there is one nearby:
// a core begins the next while it waits for roots and divisions of this one, unless it has to read what this one writes.

#define APART 4  // batches that a core has under way, at most
#define AHEAD 64 // how far to look for one: what lies near in the list lies near in memory

// An indexed batch of pairs costs about as much as six row batches, see batches.c.
#define LONELY_LIMIT 6

typedef struct open_batch {
    int32_t next;    // with the same head, HEM_NONE = last
    uint32_t leader; // the first tuple in it, the longest; its rows and rotations are the batch's
    uint32_t lanes;  // mask
    int32_t tuple[HEM_LANES];
} open_batch;

typedef struct builder {
    const hemc_tuples* t;
    uint32_t* order;
    open_batch* open;
    size_t open_count;
    int32_t* heads; // by hash of the first two rows
    uint32_t head_mask;
} builder;

static uint32_t length_of(const hemc_tuples* t, uint32_t i) {
    return t->starts[i + 1] - t->starts[i];
}

static const uint32_t* slots_of(const hemc_tuples* t, uint32_t i) {
    return t->slots + t->starts[i];
}

static uint32_t lane_of(uint32_t slot) {
    return slot % HEM_LANES;
}

static uint32_t rotation_of(const uint32_t* slots, uint32_t k) {
    return (slots[k] - slots[0]) & (HEM_LANES - 1);
}

static void sort_tuples(hemc_arena* arena, builder* b) {
    const hemc_tuples* t = b->t;
    uint64_t* keys = hemc_alloc(arena, t->count, sizeof(uint64_t));
    b->order = hemc_alloc(arena, t->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < t->count; ++i) {
        const uint32_t length = length_of(t, i), first = length != 0 ? slots_of(t, i)[0] : 0;
        keys[i] = (uint64_t)(UINT32_MAX - length) << 32 | first;
        b->order[i] = i;
    }
    hemc_sort(arena, keys, b->order, t->count);
}

static bool rows_differ(const uint32_t* slots, uint32_t length) {
    for (uint32_t k = 1; k < length; ++k) {
        for (uint32_t n = 0; n < k; ++n) {
            if (slots[k] / HEM_LANES == slots[n] / HEM_LANES) {
                return false;
            }
        }
    }
    return true;
}

static int32_t* head_of(const builder* b, const uint32_t* slots, uint32_t length) {
    uint64_t hash = slots[0] / HEM_LANES;
    // Strands of one particle look among those of the same first row only: they are alone, or few.
    if (length > 1) {
        hash = hash << 16 | slots[1] / HEM_LANES;
        hash = hash << 3 | rotation_of(slots, 1);
    }
    hash *= 0x9e3779b97f4a7c15u;
    return &b->heads[(uint32_t)(hash >> 32) & b->head_mask];
}

static bool lines_up(const uint32_t* slots, const uint32_t* leader, uint32_t length) {
    for (uint32_t k = 0; k < length; ++k) {
        if (slots[k] / HEM_LANES != leader[k] / HEM_LANES || rotation_of(slots, k) != rotation_of(leader, k)) {
            return false;
        }
    }
    return true;
}

static void put_in_row_batch(builder* b, uint32_t i) {
    const uint32_t length = length_of(b->t, i), lane = lane_of(slots_of(b->t, i)[0]);
    const uint32_t* slots = slots_of(b->t, i);
    int32_t* head = head_of(b, slots, length);
    int32_t at = *head;
    while (at != HEM_NONE &&
           ((b->open[at].lanes >> lane & 1) != 0 || !lines_up(slots, slots_of(b->t, b->open[at].leader), length))) {
        at = b->open[at].next;
    }
    if (at == HEM_NONE) {
        at = (int32_t)b->open_count++;
        b->open[at] = (open_batch){.next = *head, .leader = i};
        *head = at;
    }
    b->open[at].tuple[lane] = (int32_t)i;
    b->open[at].lanes |= 1u << lane;
}

// -- Indexed batches

static bool shares_particle(const hemc_tuples* t, const open_batch* batch, uint32_t count, uint32_t i) {
    const uint32_t* slots = slots_of(t, i);
    for (uint32_t lane = 0; lane < count; ++lane) {
        const uint32_t other = (uint32_t)batch->tuple[lane];
        for (uint32_t k = 0; k < length_of(t, other); ++k) {
            for (uint32_t n = 0; n < length_of(t, i); ++n) {
                if (slots_of(t, other)[k] == slots[n]) {
                    return true;
                }
            }
        }
    }
    return false;
}

static size_t colour(const hemc_tuples* t, const uint32_t* strays, size_t count, open_batch* batches) {
    size_t batch_count = 0, first_open = 0;
    for (size_t s = 0; s < count; ++s) {
        size_t at = first_open;
        while (at < batch_count && (batches[at].lanes == 0xff ||
                                    shares_particle(t, &batches[at], hemc_count_bits(batches[at].lanes), strays[s]))) {
            ++at;
        }
        if (at == batch_count) {
            batches[batch_count++] = (open_batch){.leader = strays[s]};
        }
        const uint32_t lane = hemc_count_bits(batches[at].lanes);
        batches[at].tuple[lane] = (int32_t)strays[s];
        batches[at].lanes |= 1u << lane;
        while (first_open < batch_count && batches[first_open].lanes == 0xff) {
            ++first_open;
        }
    }
    return batch_count;
}

// -- The plan

static hemc_tuple_batch* add_batch(hemc_tuple_plan* plan, const hemc_tuples* t, const open_batch* from, bool indexed) {
    hemc_tuple_batch* out = &plan->batches[plan->count++];
    out->indexed = indexed;
    out->lane_mask = (uint8_t)from->lanes;
    out->length = length_of(t, from->leader);
    out->member_begin = (uint32_t)(indexed ? plan->index_count : plan->member_count);
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        out->tuple[lane] = (from->lanes >> lane & 1) != 0 ? from->tuple[lane] : HEM_NONE;
    }
    return out;
}

// The lanes whose tuple has a particle k.
static uint8_t lanes_with(const hemc_tuples* t, const hemc_tuple_batch* batch, uint32_t k) {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        mask |= (uint32_t)(batch->tuple[lane] != HEM_NONE && length_of(t, (uint32_t)batch->tuple[lane]) > k) << lane;
    }
    return (uint8_t)mask;
}

static void add_row_batch(hemc_tuple_plan* plan, const hemc_tuples* t, const open_batch* from) {
    const hemc_tuple_batch* batch = add_batch(plan, t, from, false);
    const uint32_t* leader = slots_of(t, from->leader);
    for (uint32_t k = 0; k < batch->length; ++k) {
        plan->members[plan->member_count++] = (hem_group_member){.row = leader[k] / HEM_LANES,
                                                                 .rotate = (uint8_t)rotation_of(leader, k),
                                                                 .lane_mask = lanes_with(t, batch, k)};
    }
}

// A lane without a particle names one that the batch has anyway: read, never written.
static void add_index_batch(hemc_tuple_plan* plan, const hemc_tuples* t, const open_batch* from) {
    const hemc_tuple_batch* batch = add_batch(plan, t, from, true);
    for (uint32_t k = 0; k < batch->length; ++k) {
        hem_group_index* record = &plan->indices[plan->index_count++];
        *record = (hem_group_index){.lane_mask = lanes_with(t, batch, k)};
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            const bool has = (record->lane_mask >> lane & 1) != 0;
            const uint32_t tuple = has ? (uint32_t)batch->tuple[lane] : from->leader;
            record->index[lane] = (uint16_t)slots_of(t, tuple)[k];
        }
    }
}

// How many batches ago one of the rows was last written, up to APART.
static uint32_t age_of(const builder* b, const open_batch* batch, const uint32_t* written, uint32_t now) {
    uint32_t age = APART;
    for (uint32_t k = 0; k < length_of(b->t, batch->leader); ++k) {
        const uint32_t since = now - written[slots_of(b->t, batch->leader)[k] / HEM_LANES];
        age = since < age ? since : age;
    }
    return age;
}

static void keep_apart(hemc_arena* arena, builder* b) {
    uint32_t rows = 0;
    for (uint32_t i = 0; i < b->t->starts[b->t->count]; ++i) {
        const uint32_t row = b->t->slots[i] / HEM_LANES;
        rows = row >= rows ? row + 1 : rows;
    }
    uint32_t* written = hemc_alloc(arena, rows, sizeof(uint32_t)); // when last, counted from APART on
    for (uint32_t now = APART; now - APART < b->open_count; ++now) {
        open_batch* from = b->open + (now - APART);
        const size_t left = b->open_count - (now - APART), near = left < AHEAD ? left : AHEAD;
        size_t best = 0;
        uint32_t best_age = 0;
        for (size_t i = 0; i < near && best_age < APART; ++i) {
            const uint32_t age = age_of(b, &from[i], written, now);
            if (age > best_age) {
                best_age = age;
                best = i;
            }
        }
        const open_batch next = from[best];
        memmove(from + 1, from, best * sizeof(*from));
        from[0] = next;
        for (uint32_t k = 0; k < length_of(b->t, next.leader); ++k) {
            written[slots_of(b->t, next.leader)[k] / HEM_LANES] = now;
        }
    }
}

void hemc_batch_tuples(hemc_arena* arena, const hemc_tuples* t, hemc_tuple_plan* plan) {
    memset(plan, 0, sizeof *plan);
    builder b = {.t = t, .head_mask = 63};
    while (b.head_mask < t->count) {
        b.head_mask = b.head_mask * 2 + 1;
    }
    b.heads = hemc_alloc(arena, (size_t)b.head_mask + 1, sizeof(int32_t));
    memset(b.heads, 0xff, ((size_t)b.head_mask + 1) * sizeof(int32_t));
    b.open = hemc_alloc(arena, t->count, sizeof(open_batch));
    sort_tuples(arena, &b);
    uint8_t* is_stray = hemc_alloc(arena, t->count, 1);
    size_t stray_count = 0, lonely = 0;
    for (size_t n = 0; n < t->count; ++n) {
        const uint32_t i = b.order[n];
        if (length_of(t, i) != 0 && rows_differ(slots_of(t, i), length_of(t, i))) {
            put_in_row_batch(&b, i);
        } else if (length_of(t, i) != 0) {
            is_stray[i] = 1;
            ++stray_count;
        }
    }
    for (size_t i = 0; i < b.open_count; ++i) {
        lonely += hemc_count_bits(b.open[i].lanes) == 1;
    }
    keep_apart(arena, &b);
    const bool gather = lonely >= LONELY_LIMIT || (stray_count % HEM_LANES != 0 && lonely != 0);
    plan->batches = hemc_alloc(arena, t->count, sizeof(hemc_tuple_batch));
    plan->members = hemc_alloc(arena, t->starts[t->count], sizeof(hem_group_member));
    plan->indices = hemc_alloc(arena, t->starts[t->count], sizeof(hem_group_index));
    for (size_t i = 0; i < b.open_count; ++i) {
        if (gather && hemc_count_bits(b.open[i].lanes) == 1) {
            is_stray[b.open[i].leader] = 1;
            ++stray_count;
        } else {
            add_row_batch(plan, t, &b.open[i]);
        }
    }
    uint32_t* strays = hemc_alloc(arena, stray_count, sizeof(uint32_t));
    stray_count = 0;
    for (size_t n = 0; n < t->count; ++n) {
        if (is_stray[b.order[n]]) {
            strays[stray_count++] = b.order[n];
        }
    }
    open_batch* coloured = hemc_alloc(arena, stray_count, sizeof(open_batch));
    const size_t coloured_count = colour(t, strays, stray_count, coloured);
    for (size_t i = 0; i < coloured_count; ++i) {
        add_index_batch(plan, t, &coloured[i]);
    }
}

// -- Into the layout

void hemc_add_row_batches(hemc_arena* arena, const hemc_tuple_plan* plan, hem_kind kind, uint32_t arity, uint32_t part,
                          uint32_t first_payload, hemc_layout* layout) {
    const bool strands = arity == HEM_ARITY_MANY;
    hem_row_batch* batches = hemc_alloc(arena, plan->count, sizeof(hem_row_batch));
    uint32_t payload = first_payload;
    for (size_t i = 0; i < plan->count; ++i) {
        const hemc_tuple_batch* from = &plan->batches[i];
        hem_row_batch* b = &batches[i];
        b->kind = (uint8_t)kind;
        b->part = (uint8_t)part;
        b->lane_mask = from->lane_mask;
        b->member_count = (uint16_t)from->length;
        b->payload = payload;
        payload += strands ? from->length : 1;
        if (from->indexed) {
            b->form = HEM_FORM_INDICES;
            b->member_begin = layout->row_index_count + from->member_begin;
        } else if (strands) {
            b->form = HEM_FORM_STRANDS;
            b->member_begin = layout->row_member_count + from->member_begin;
        } else {
            b->form = HEM_FORM_ROWS;
            for (uint32_t k = 0; k < from->length; ++k) {
                b->rows[k] = (uint16_t)plan->members[from->member_begin + k].row;
                b->rotates[k] = plan->members[from->member_begin + k].rotate;
            }
        }
    }
    layout->row_batches =
        hemc_append(arena, layout->row_batches, layout->row_batch_count, batches, plan->count, sizeof *batches);
    layout->row_batch_count += (uint32_t)plan->count;
    layout->row_indices = hemc_append(arena, layout->row_indices, layout->row_index_count, plan->indices,
                                      plan->index_count, sizeof(hem_group_index));
    layout->row_index_count += (uint32_t)plan->index_count;
    if (strands) {
        layout->row_members = hemc_append(arena, layout->row_members, layout->row_member_count, plan->members,
                                          plan->member_count, sizeof(hem_group_member));
        layout->row_member_count += (uint32_t)plan->member_count;
    }
}
