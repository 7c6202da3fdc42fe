// SPDX-License-Identifier: MIT
#ifndef LANES_KIT_H
#define LANES_KIT_H

// Particle meshes made by hand, for tests of the graph, lanes and pack stages: what the generators would give, without a
// model. Particles and links are added to the open part; lanes_kit_part closes it.

#include "compiler/hemc_internal.h"

#define LANES_KIT_PARTS 4

typedef struct lanes_kit {
    hemc_arena* arena;
    hemc_log log;
    hemc_mesh mesh;
    hemc_recipe recipe;
    hemc_part_recipe parts[LANES_KIT_PARTS];
    const char* names[LANES_KIT_PARTS];
    hem_part_kind kinds[LANES_KIT_PARTS];
    hem_animation_mode animations[LANES_KIT_PARTS];
    hem_tuning tunings[LANES_KIT_PARTS];
    uint32_t groups[LANES_KIT_PARTS], masks[LANES_KIT_PARTS];
    uint32_t begin[LANES_KIT_PARTS + 1];
    uint32_t capacity;
    uint64_t random;
    hemc_layout layout;
} lanes_kit;

void lanes_kit_start(lanes_kit* kit, uint32_t capacity);
void lanes_kit_end(lanes_kit* kit);
uint32_t lanes_kit_add(lanes_kit* kit, double x, double y, double z, int32_t level, int32_t column, bool animated);
void lanes_kit_link(lanes_kit* kit, uint32_t a, uint32_t b, hem_link_kind kind);
void lanes_kit_part(lanes_kit* kit, const char* name, hem_part_kind kind);
double lanes_kit_random(lanes_kit* kit); // [0, 1), the same sequence in every kit

// Whole parts. Levels run upwards from 0; the top one is attached.
void lanes_kit_sheet(lanes_kit* kit, int columns, int levels);
void lanes_kit_ring(lanes_kit* kit, int columns, int levels);
// Ring or sheet of columns that exist on the levels [low, high] of each; a column that ends below the top is linked to its
// left neighbour above.
void lanes_kit_columns(lanes_kit* kit, int columns, int levels, const int* low, const int* high, bool closed);
// A ring of n[level] evenly spaced particles a level, linked to the nearest above and below.
void lanes_kit_skirt(lanes_kit* kit, int levels, const int* n);
void lanes_kit_strands(lanes_kit* kit, int strands, int shortest, int longest);
void lanes_kit_scatter(lanes_kit* kit, int count, double size, double reach);

bool lanes_kit_graph(lanes_kit* kit);
bool lanes_kit_run(lanes_kit* kit); // graph and lanes

// Links of a kind in mesh.links.
uint32_t lanes_kit_count(const lanes_kit* kit, hem_link_kind kind);

#endif
