// SPDX-License-Identifier: MIT
#ifndef HEM_POINT_CACHE_H
#define HEM_POINT_CACHE_H

// Point caches, .pc2, in which modelling tools write where each point of a mesh is in each frame (Point Cache 2). Little-endian:
//
//   char[12] "POINTCACHE2\0" | int32 1 | int32 points | float first frame | float frames per sample | int32 samples |
//   samples x points x float[3]
//
// Nothing is allocated and nothing is copied.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEM_MAX_CACHE_POINTS (1u << 24)
#define HEM_MAX_CACHE_SAMPLES 20000u

typedef struct hem_point_cache {
    uint32_t point_count, sample_count;
    float first_frame, frames_per_sample;
    const uint8_t* places;
} hem_point_cache;

typedef struct hem_cache_fault {
    const char* what;       // never NULL after a refusal
    uint32_t sample, point; // of a number that is none; else 0
} hem_cache_fault;

// 1 = good: all of it is there, and every number is finite and within 1e6. The bytes must stay.
int hem_point_cache_open(const void* bytes, size_t size, hem_point_cache* cache, hem_cache_fault* fault);
void hem_point_cache_place(const hem_point_cache* cache, uint32_t sample, uint32_t point, float place[3]);

#ifdef __cplusplus
}
#endif
#endif
