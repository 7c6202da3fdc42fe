// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_HASH_H
#define HEM_PLATFORM_HASH_H

// A 64-bit hash of memory with the same value on every machine: the state hash that tells two simulations apart.
// Freestanding, no tables, no alignment needed. (Files carry XXH3-128; the runtime needs no dependency for this.)
//
// The input is read as little-endian 32-byte stripes of four 64-bit words, one for each of four accumulators:
//
//     a = rotl(a ^ word * P, 31) * Q      for every stripe and each of the four
//
// P and Q are odd, so each step is a bijection of a for a fixed word and of the word for a fixed a,
// so a change confined to one word always changes its accumulator. The tail is padded with zeros to one more stripe,
// which is absent when the size is a multiple of 32; the size is mixed in at the end, so padding cannot collide. Then
// the four are folded one after another through a finaliser of two xor-shift-multiply rounds, each a bijection.
// Not for adversaries: it is no keyed or cryptographic hash.

#include "platform/base.h"

#define HEM_HASH_P 0x9e3779b97f4a7c15ull // 2^64 over the golden ratio
#define HEM_HASH_Q 0xd1342543de82ef95ull // a full-period multiplier of good spectrum
#define HEM_HASH_R 0xff51afd7ed558ccdull // xor-shift-multiply rounds with strong avalanche
#define HEM_HASH_S 0xc4ceb9fe1a85ec53ull

HEM_INLINE uint64_t hem_hash_mix(uint64_t x) {
    x ^= x >> 33;
    x *= HEM_HASH_R;
    x ^= x >> 33;
    x *= HEM_HASH_S;
    return x ^ x >> 33;
}

HEM_INLINE uint64_t hem_hash_read(const unsigned char* p) {
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
           (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

HEM_INLINE uint64_t hem_hash_step(uint64_t a, uint64_t word) {
    a ^= word * HEM_HASH_P;
    return (a << 31 | a >> 33) * HEM_HASH_Q;
}

// seed joins them: the hash of one array is the seed of the next.
static inline uint64_t hem_hash(const void* data, size_t size, uint64_t seed) {
    const unsigned char* p = (const unsigned char*)data;
    uint64_t a0 = seed + HEM_HASH_P;
    uint64_t a1 = seed ^ HEM_HASH_Q;
    uint64_t a2 = seed + HEM_HASH_R;
    uint64_t a3 = seed ^ HEM_HASH_S;
    size_t left = size;
    for (; left >= 32; left -= 32, p += 32) {
        a0 = hem_hash_step(a0, hem_hash_read(p));
        a1 = hem_hash_step(a1, hem_hash_read(p + 8));
        a2 = hem_hash_step(a2, hem_hash_read(p + 16));
        a3 = hem_hash_step(a3, hem_hash_read(p + 24));
    }
    if (left > 0) {
        unsigned char last[32] = {0};
        for (size_t i = 0; i < left; ++i) {
            last[i] = p[i];
        }
        a0 = hem_hash_step(a0, hem_hash_read(last));
        a1 = hem_hash_step(a1, hem_hash_read(last + 8));
        a2 = hem_hash_step(a2, hem_hash_read(last + 16));
        a3 = hem_hash_step(a3, hem_hash_read(last + 24));
    }
    uint64_t h = hem_hash_mix((uint64_t)size ^ seed);
    h = hem_hash_mix(h ^ a0) + HEM_HASH_P;
    h = hem_hash_mix(h ^ a1) + HEM_HASH_P;
    h = hem_hash_mix(h ^ a2) + HEM_HASH_P;
    return hem_hash_mix(h ^ a3);
}

#endif
