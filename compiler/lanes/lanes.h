// SPDX-License-Identifier: MIT
#ifndef HEMC_LANES_H
#define HEMC_LANES_H

// What the files of the lane stage share: lanes.c (the stage), hints.c (numbers for nets without), place.c (who
// sits where) with band.c, threads.c, search.c and cost.c, tether.c (copies of anchors),
// batches.c (batches of links and their order), group.c (batches of shape-matching groups).

#include "compiler/hemc_internal.h"

// One part on its own: particles 0..count, links among them.
typedef struct hemc_net {
    uint32_t count;
    const int32_t* level; // hints of the generator
    const int32_t* column;
    const hemc_vec3* positions;
    uint8_t* fixed; // moved by the pose alone
    uint32_t link_count;
    uint32_t (*ends)[2];  // a, b
    uint8_t* kinds;       // hem_link_kind
    uint32_t weave_count; // warp and weft links of the generator, those between animated particles too: the structure
    uint32_t (*weave)[2];
    uint8_t* weave_kinds;
    uint32_t* group_starts; // [count + 1]; NULL = no groups
    uint32_t* group_members;
    uint32_t* link_index; // per link: its number in the mesh
    bool copy_anchors;    // attached particles may be repeated
} hemc_net;

// Fills slots[count] with row * 8 + lane and returns the number of rows.
uint32_t hemc_place(hemc_arena* arena, const hemc_net* net, uint32_t* slots);

// The same for particles that nothing joins (compact.c): each row a small patch.
uint32_t hemc_place_compact(hemc_arena* arena, const hemc_vec3* positions, uint32_t count, uint32_t* slots);

// Renumbers the rows of a part so that each lane of successive rows holds neighbours (row_order.c).
void hemc_order_rows(hemc_arena* arena, const hemc_net* net, uint32_t row_count, uint32_t* slots);

// The net cut into threads: paths of particles, each particle in exactly one.
typedef struct hemc_threads {
    uint32_t count;
    uint32_t* starts;    // [count + 1]
    uint32_t* particles; // by thread, in order
    uint32_t* thread_of; // per particle
    uint32_t* index_of;  // per particle: its number in the thread
} hemc_threads;

// Along links of the weave of these kinds (threads.c).
void hemc_make_threads(hemc_arena* arena, const hemc_net* net, uint32_t kind_mask, hemc_threads* threads);

// Fills in level and column where the generator gave none (hints.c).
void hemc_number_weave(hemc_arena* arena, hemc_net* net);

// Placement by search (search.c): one searcher serves any number of rows up to its limit.
typedef struct hemc_searcher hemc_searcher;

hemc_searcher* hemc_search_create(hemc_arena* arena, const hemc_net* net, uint32_t row_limit);
// allowance: table look-ups to be spent on improving what was built.
void hemc_search_place(hemc_searcher* searcher, const hemc_threads* threads, uint32_t row_count, uint64_t allowance,
                       uint32_t* slots);

// Placement by bands of levels (band.c).
typedef struct hemc_bands hemc_bands;

typedef enum hemc_folds {
    HEMC_FOLD_ANY,           // whatever takes the fewest batches in each band
    HEMC_FOLD_COLUMNS,       // columns next to each other: bands agree better where they meet
    HEMC_FOLD_WHOLE_COLUMNS, // and no column cut: tethers need fewer copies of their anchors
    HEMC_FOLDS_COUNT
} hemc_folds;

// split_fixed: levels that are attached throughout make bands of their own. NULL when the net has no such structure.
hemc_bands* hemc_bands_find(hemc_arena* arena, const hemc_net* net, bool split_fixed);
// Returns the number of rows, 0 when there is no such fold. scraps, unless NULL, gets 1 for particles of bands too small to
// fill lanes; those have no slot then.
uint32_t hemc_bands_place(hemc_bands* bands, hemc_folds folds, uint8_t* scraps, uint32_t* slots);

// What a placement costs, in row batches: distinct (row, row, rotation, kind) of links, links that no row batch can
// hold at what they cost in indexed batches, group batches, and a little per row (cost.c). Tethers are left out.
typedef struct hemc_cost_table {
    uint64_t* entries; // number of the trial, key
    uint32_t mask;
    uint32_t trial;
    uint8_t* row_uses; // per row, 0 in between
} hemc_cost_table;

void hemc_table_init(hemc_arena* arena, hemc_cost_table* table, const hemc_net* net);
// Exact when less than the limit; else some number not less than it.
double hemc_table_cost(hemc_cost_table* table, const hemc_net* net, const uint32_t* slots, uint32_t row_count,
                       double limit);
double hemc_ideal_cost(const hemc_net* net); // every batch full

// Rows of copied anchors, to follow the part's own rows (tether.c).
typedef struct hemc_anchor_rows {
    uint32_t row_count;
    int32_t (*anchors)[HEM_LANES]; // per row: particles, HEM_NONE = pad
    int32_t* slot_of_link;         // per link of the net: slot of the copy it ends in, HEM_NONE = the anchor itself
} hemc_anchor_rows;

// Returns the cost of the tethers; out may be NULL.
double hemc_place_tethers(hemc_arena* arena, const hemc_net* net, const uint32_t* slots, uint32_t row_count,
                          hemc_anchor_rows* out);

// Batches of the links of one part, in final slots, appended to the layout.
typedef struct hemc_slot_link {
    uint32_t a, b; // slots
    uint8_t kind;
    uint8_t scale;
    float rest;
} hemc_slot_link;

void hemc_batch_links(hemc_arena* arena, const hemc_slot_link* links, size_t count, uint32_t part, uint32_t row_count,
                      hemc_layout* layout);
// The two arrays as one.
void* hemc_append(hemc_arena* arena, const void* head, size_t head_count, const void* tail, size_t tail_count,
                  size_t size);
// Into which batches the bending edges of a part go.
hem_batch_kind hemc_bends_as(const hemc_mesh* mesh, uint32_t source_part);
void hemc_batch_bends(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout);
void hemc_batch_triangles(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout);
void hemc_batch_tetrahedra(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout);
void hemc_batch_springs(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout);
void hemc_batch_strands(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_strand_kind kind,
                        hemc_layout* layout);
// Lattices (lattice_bars.c): slots for the particles of a part, returns how many rows with the reserve; then cells and bars.
uint32_t hemc_place_lattice(hemc_arena* arena, const hemc_mesh* mesh, uint32_t source_part, uint32_t* slots);
void hemc_batch_lattice(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout);
// After all links have their places (virtual_batches.c).
void hemc_batch_virtual(hemc_arena* arena, const hemc_mesh* mesh, hemc_layout* layout);
void hemc_batch_groups(hemc_arena* arena, const hemc_mesh* mesh, uint32_t source_part, uint32_t part,
                       hemc_layout* layout);

#endif
