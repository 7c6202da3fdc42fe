// SPDX-License-Identifier: MIT
#ifndef HEMC_SHAPE_ORNAMENTS_H
#define HEMC_SHAPE_ORNAMENTS_H

#include "compiler/graph/graph.h"
#include "compiler/surface/spatial.h"

// What was selected with a garment and lies on it follows the garment's surface. After weights and blends are known;
// `fixed` vertices stay as they are.
void hemc_sew_ornaments(hemc_arena* arena, const hemc_model* model, const int32_t* owner, const hemc_adjacency* net,
                        const int32_t* vertex_part, const uint8_t* fixed, uint32_t part, hemc_mesh* mesh);

// Particles and weights of a point of the part, which follows the bones and the neighbourhood of a vertex that is bound.
// (shape/maps.c)
void hemc_bind_point(const hemc_model* model, const hemc_adjacency* net, const hemc_mesh* mesh, uint32_t part,
                     uint32_t vertex, hemc_d3 point, uint16_t particles[4], float weights[4]);

#endif
