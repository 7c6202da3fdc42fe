// SPDX-License-Identifier: MIT
#ifndef HEMC_GRAPH_H
#define HEMC_GRAPH_H

// Pieces of the graph stage that other makers of particle meshes (driver/bare.c) and the packer share.

#include "compiler/hemc_internal.h"

// Who is linked to whom: neighbours of particle i are [starts[i], starts[i + 1]).
typedef struct hemc_adjacency {
    uint32_t* starts;
    uint32_t* neighbors;
    uint32_t* links; // index of the link, per neighbour
} hemc_adjacency;

void hemc_adjacency_build(hemc_arena* arena, const hemc_link* links, size_t link_count, uint32_t particle_count,
                          hemc_adjacency* adjacency);

// Sorts by kind and ends, drops links to oneself, repeated ones, and those between two immovable particles.
void hemc_links_clean(hemc_arena* arena, hemc_mesh* mesh);
// Rest lengths (but of tethers, whose length runs along the mesh) and painted stiffness.
void hemc_links_measure(hemc_mesh* mesh);
void hemc_frames_make(hemc_arena* arena, hemc_mesh* mesh);
void hemc_layers_find(hemc_arena* arena, const hemc_recipe* recipe, hemc_mesh* mesh);
void hemc_ignore_make(hemc_arena* arena, hemc_mesh* mesh);

// The strands of parts that the recipe wants as rods or chains. (strand_rods.c)
bool hemc_strands_make(hemc_arena* arena, hemc_log* log, const hemc_recipe* recipe, const hemc_adjacency* net,
                       hemc_mesh* mesh);
// The numbers of one strand; gravity in m/s^2. Adds the joints that are too soft to hold the modelled shape to `soft`.
void hemc_rods_fill(hemc_mesh* mesh, uint32_t strand, const hemc_rod_recipe* recipe, double gravity, uint32_t* soft);

// Rest shapes of soft parts that hold the modelled shape against gravity. (sag.c)
void hemc_sag_remove(hemc_arena* arena, hemc_log* log, const hemc_recipe* recipe, hemc_mesh* mesh);

// The rest frame of a particle without orientation (see hem_frame_row).
void hemc_frame_rotation(const hemc_mesh* mesh, uint32_t particle, float q[4]);

float hemc_rest_distance(const hemc_mesh* mesh, uint32_t a, uint32_t b);

// The part of a particle; parts are few.
uint32_t hemc_part_of(const hemc_mesh* mesh, uint32_t particle);
// Cannot be moved by constraints: animated and not of a momentum-conserving part.
bool hemc_is_fixed(const hemc_mesh* mesh, uint32_t particle);
bool hemc_is_driven(const hemc_mesh* mesh, uint32_t part); // it has a row of targets for each of its rows

#endif
