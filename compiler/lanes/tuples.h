// SPDX-License-Identifier: MIT
#ifndef HEMC_TUPLES_H
#define HEMC_TUPLES_H

// Batches of constraints of any number of particles: two, three, four, or whole strands (tuples.c). Kinds that are stored
// in row batches give their particles as lists of slots, and get back which constraint is in which lane of which batch.

#include "compiler/hemc_internal.h"

// Constraint i is slots[starts[i]] .. slots[starts[i + 1]], in an order that means something: no kind has its particles
// exchanged. None stands twice in a constraint.
typedef struct hemc_tuples {
    size_t count;
    const uint32_t* starts; // [count + 1]
    const uint32_t* slots;
} hemc_tuples;

typedef struct hemc_tuple_batch {
    uint32_t length;       // particles of the longest; record k holds each lane's particle k
    uint32_t member_begin; // rows: members, indexed: indices
    bool indexed;
    uint8_t lane_mask;
    int32_t tuple[HEM_LANES]; // HEM_NONE = idle
} hemc_tuple_batch;

typedef struct hemc_tuple_plan {
    hemc_tuple_batch* batches; // those in rows first
    size_t count;
    hem_group_member* members; // of row batches, one after the other
    size_t member_count;
    hem_group_index* indices; // of indexed ones
    size_t index_count;
} hemc_tuple_plan;

void hemc_batch_tuples(hemc_arena* arena, const hemc_tuples* tuples, hemc_tuple_plan* plan);

// Appends the plan's batches to the layout: constraints of up to four particles, or strands (HEM_ARITY_MANY), of a part. The
// lanes' numbers go to the kind's own section: one element a batch, of strands one a record, from first_payload on.
void hemc_add_row_batches(hemc_arena* arena, const hemc_tuple_plan* plan, hem_kind kind, uint32_t arity, uint32_t part,
                          uint32_t first_payload, hemc_layout* layout);

#endif
