// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"

#include <string.h>

// Levels and columns for a net that came without: cloth with one particle per vertex, woven of warp and weft but not
// numbered. Threads of warp are columns, threads of weft are levels. Both are put in order by walking from one end: next
// comes the thread that has most links to the last one.

static int32_t* order_threads(hemc_arena* arena, const hemc_net* net, const hemc_threads* threads, uint32_t kind) {
    // Links of the other kind join neighbouring threads; count them per pair.
    uint64_t* keys = hemc_alloc(arena, (size_t)net->weave_count * 2, sizeof(uint64_t));
    size_t count = 0;
    for (uint32_t i = 0; i < net->weave_count; ++i) {
        const uint32_t a = threads->thread_of[net->weave[i][0]], b = threads->thread_of[net->weave[i][1]];
        if (net->weave_kinds[i] == kind && a != b) {
            keys[count++] = (uint64_t)a << 32 | b;
            keys[count++] = (uint64_t)b << 32 | a;
        }
    }
    hemc_sort(arena, keys, NULL, count);
    uint32_t* starts = hemc_alloc(arena, (size_t)threads->count + 1, sizeof(uint32_t));
    uint32_t* degree = hemc_alloc(arena, threads->count, sizeof(uint32_t));
    for (size_t i = 0; i < count; ++i) {
        ++starts[(keys[i] >> 32) + 1];
        degree[keys[i] >> 32] += i == 0 || keys[i] != keys[i - 1];
    }
    for (uint32_t t = 0; t < threads->count; ++t) {
        starts[t + 1] += starts[t];
    }
    int32_t* place = hemc_alloc(arena, threads->count, sizeof(int32_t));
    memset(place, 0xff, threads->count * sizeof(int32_t));
    int32_t next = 0;
    for (uint32_t placed = 0; placed < threads->count;) {
        // An end: fewest neighbours, then the first.
        uint32_t at = threads->count;
        for (uint32_t t = 0; t < threads->count; ++t) {
            if (place[t] == HEM_NONE && (at == threads->count || degree[t] < degree[at])) {
                at = t;
            }
        }
        while (at != threads->count) {
            place[at] = next++;
            ++placed;
            uint32_t best = threads->count, best_links = 0;
            for (uint32_t i = starts[at]; i < starts[at + 1];) {
                const uint32_t other = (uint32_t)keys[i];
                uint32_t links = 0;
                for (; i < starts[at + 1] && (uint32_t)keys[i] == other; ++i) {
                    ++links;
                }
                if (place[other] == HEM_NONE && links > best_links) {
                    best = other;
                    best_links = links;
                }
            }
            at = best;
        }
    }
    return place;
}

void hemc_number_weave(hemc_arena* arena, hemc_net* net) {
    uint32_t kinds[2] = {0, 0};
    for (uint32_t i = 0; i < net->weave_count; ++i) {
        ++kinds[net->weave_kinds[i] == HEM_LINK_WEFT];
    }
    for (uint32_t i = 1; i < net->count; ++i) {
        if (net->level[i] != net->level[0] || net->column[i] != net->column[0]) {
            return; // numbered already
        }
    }
    if (kinds[0] == 0 || kinds[1] == 0) {
        return;
    }
    int32_t* numbers[2];
    for (int way = 0; way < 2; ++way) {
        const uint32_t along = way == 0 ? HEM_LINK_WARP : HEM_LINK_WEFT;
        const uint32_t across = way == 0 ? HEM_LINK_WEFT : HEM_LINK_WARP;
        hemc_threads threads;
        hemc_make_threads(arena, net, 1u << along, &threads);
        const int32_t* place = order_threads(arena, net, &threads, across);
        numbers[way] = hemc_alloc(arena, net->count, sizeof(int32_t));
        for (uint32_t i = 0; i < net->count; ++i) {
            numbers[way][i] = place[threads.thread_of[i]];
        }
    }
    net->column = numbers[0];
    net->level = numbers[1];
}
