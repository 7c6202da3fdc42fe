// SPDX-License-Identifier: MIT
#ifndef HEMC_VERTEX_CACHE_H
#define HEMC_VERTEX_CACHE_H

// A point cache of a modelling tool as an animation of the vertices of a glTF.

#include "compiler/hemc_internal.h"
#include "formats/hem_point_cache.h"

typedef struct hemc_vertex_cache {
    hem_point_cache points;
    const uint32_t* point_of; // per vertex
    uint32_t vertex_count;
    double scale; // metres per unit of the file
    bool z_up;
    double offset[3];
} hemc_vertex_cache;

// rest: where the vertices are at rest, metres, which the first sample of the cache must be. Says what is wrong with `file`. The
// bytes must stay.
bool hemc_vertex_cache_open(hemc_arena* arena, hemc_log* log, const char* file, const void* bytes, size_t size,
                            double scale, const hemc_vec3* rest, uint32_t vertex_count, hemc_vertex_cache* cache);
void hemc_vertex_cache_sample(const hemc_vertex_cache* cache, uint32_t sample, hemc_vec3* places);
double hemc_vertex_cache_hz(const hemc_vertex_cache* cache, double fps); // samples a second

#endif
