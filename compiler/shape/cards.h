// SPDX-License-Identifier: MIT
#ifndef HEMC_CARDS_H
#define HEMC_CARDS_H

// Vertex to particle for the parts of the `strands` generator (shape/cards.c).

#include "compiler/hemc_internal.h"

// How much farther the particle counts for the vertex: 1 where they follow the same bones. (shape/maps.c)
double hemc_strangeness(const hemc_model* model, const hemc_mesh* mesh, uint32_t vertex, uint32_t particle);

// Fills vertex_particle and vertex_weight of the vertices with vertex_part[v] == part.
void hemc_bind_cards(hemc_arena* arena, const hemc_model* model, const int32_t* vertex_part, uint32_t part,
                     hemc_mesh* mesh);

#endif
