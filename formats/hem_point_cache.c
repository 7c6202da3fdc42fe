// SPDX-License-Identifier: MIT
#include "formats/hem_point_cache.h"

#define HEAD_SIZE 32u

static uint32_t read_u32(const uint8_t* p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static float read_float(const uint8_t* p) {
    const union {
        uint32_t bits;
        float number;
    } both = {read_u32(p)};
    return both.number;
}

static int refuse(hem_cache_fault* fault, const char* what, uint32_t sample, uint32_t point) {
    fault->what = what;
    fault->sample = sample;
    fault->point = point;
    return 0;
}

void hem_point_cache_place(const hem_point_cache* cache, uint32_t sample, uint32_t point, float place[3]) {
    const uint8_t* p = cache->places + 12 * ((size_t)sample * cache->point_count + point);
    for (int k = 0; k < 3; ++k) {
        place[k] = read_float(p + 4 * k);
    }
}

int hem_point_cache_open(const void* bytes, size_t size, hem_point_cache* cache, hem_cache_fault* fault) {
    static const uint8_t tag[12] = "POINTCACHE2";
    const uint8_t* head = bytes;
    for (size_t i = 0; i < sizeof(tag); ++i) {
        if (i >= size || head[i] != tag[i]) {
            return refuse(fault, "is no point cache: it does not begin with POINTCACHE2", 0, 0);
        }
    }
    if (size < HEAD_SIZE) {
        return refuse(fault, "is cut short: 32 bytes come before the points", 0, 0);
    }
    cache->point_count = read_u32(head + 16);
    cache->first_frame = read_float(head + 20);
    cache->frames_per_sample = read_float(head + 24);
    cache->sample_count = read_u32(head + 28);
    cache->places = head + HEAD_SIZE;
    if (read_u32(head + 12) != 1) {
        return refuse(fault, "is of another version than 1", 0, 0);
    }
    if (cache->point_count - 1 >= HEM_MAX_CACHE_POINTS) {
        return refuse(fault, "must have 1 to 16777216 points", 0, 0);
    }
    if (cache->sample_count - 1 >= HEM_MAX_CACHE_SAMPLES) {
        return refuse(fault, "must have 1 to 20000 samples", 0, 0);
    }
    if (!(cache->first_frame >= -1e6f && cache->first_frame <= 1e6f)) {
        return refuse(fault, "begins at no frame within a million", 0, 0);
    }
    if (!(cache->frames_per_sample >= 1e-3f && cache->frames_per_sample <= 1e3f)) {
        return refuse(fault, "must have 0.001 to 1000 frames from sample to sample", 0, 0);
    }
    const uint64_t want = (uint64_t)cache->point_count * cache->sample_count * 12;
    if (size - HEAD_SIZE != want) {
        return refuse(fault,
                      size - HEAD_SIZE < want ? "is cut short: there are fewer places than samples times points"
                                              : "has more bytes than its samples times points",
                      0, 0);
    }
    for (uint32_t s = 0; s < cache->sample_count; ++s) {
        for (uint32_t i = 0; i < cache->point_count; ++i) {
            float x[3];
            hem_point_cache_place(cache, s, i, x);
            for (int k = 0; k < 3; ++k) {
                if (!(x[k] >= -1e6f && x[k] <= 1e6f)) {
                    return refuse(fault, "has a number that is none, or beyond a million", s, i);
                }
            }
        }
    }
    return 1;
}
