// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"
#include "compiler/surface/spatial.h"

#include <string.h>

// The net cut into threads: paths along links of some kinds, as straight as they come. Shortest links first; a link joins two
// threads when it carries both on in about the same direction, and closes none.

static bool opposite(const hemc_vec3* x, uint32_t center, uint32_t a, uint32_t b) {
    const double u[3] = {(double)x[a].x - x[center].x, (double)x[a].y - x[center].y, (double)x[a].z - x[center].z};
    const double v[3] = {(double)x[b].x - x[center].x, (double)x[b].y - x[center].y, (double)x[b].z - x[center].z};
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2] < 0;
}

// Links of these kinds, shortest first. Returns how many.
static uint32_t order_links(hemc_arena* arena, const hemc_net* net, uint32_t kind_mask, uint32_t* order) {
    uint64_t* keys = hemc_alloc(arena, net->weave_count, sizeof(uint64_t));
    uint32_t count = 0;
    for (uint32_t i = 0; i < net->weave_count; ++i) {
        if ((kind_mask >> net->weave_kinds[i] & 1) == 0) {
            continue;
        }
        const hemc_vec3 a = net->positions[net->weave[i][0]], b = net->positions[net->weave[i][1]];
        const double x = (double)b.x - a.x, y = (double)b.y - a.y, z = (double)b.z - a.z;
        const double square = x * x + y * y + z * z;
        memcpy(&keys[count], &square, sizeof square); // positive doubles sort like their bits
        order[count++] = i;
    }
    hemc_sort(arena, keys, order, count);
    return count;
}

// Per particle the two that it hangs on in its thread, HEM_NONE = none.
static void join_particles(hemc_arena* arena, const hemc_net* net, uint32_t kind_mask, int32_t (*sides)[2]) {
    uint32_t* order = hemc_alloc(arena, net->weave_count, sizeof(uint32_t));
    const uint32_t count = order_links(arena, net, kind_mask, order);
    uint32_t* parent = hemc_alloc(arena, net->count, sizeof(uint32_t));
    memset(sides, 0xff, net->count * sizeof(*sides));
    for (uint32_t i = 0; i < net->count; ++i) {
        parent[i] = i;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t* ends = net->weave[order[i]];
        bool fits = hemc_root_of(parent, ends[0]) != hemc_root_of(parent, ends[1]);
        for (int e = 0; e < 2 && fits; ++e) {
            const int32_t* side = sides[ends[e]];
            fits = side[1] == HEM_NONE &&
                   (side[0] == HEM_NONE || opposite(net->positions, ends[e], (uint32_t)side[0], ends[1 - e]));
        }
        if (!fits) {
            continue;
        }
        for (int e = 0; e < 2; ++e) {
            sides[ends[e]][sides[ends[e]][0] != HEM_NONE] = (int32_t)ends[1 - e];
        }
        parent[hemc_root_of(parent, ends[0])] = hemc_root_of(parent, ends[1]);
    }
}

void hemc_make_threads(hemc_arena* arena, const hemc_net* net, uint32_t kind_mask, hemc_threads* threads) {
    int32_t(*sides)[2] = hemc_alloc(arena, net->count, sizeof(*sides));
    join_particles(arena, net, kind_mask, sides);
    threads->starts = hemc_alloc(arena, (size_t)net->count + 1, sizeof(uint32_t));
    threads->particles = hemc_alloc(arena, net->count, sizeof(uint32_t));
    threads->thread_of = hemc_alloc(arena, net->count, sizeof(uint32_t));
    threads->index_of = hemc_alloc(arena, net->count, sizeof(uint32_t));
    uint8_t* done = hemc_alloc(arena, net->count, 1);
    uint32_t next = 0;
    threads->count = 0;
    for (uint32_t i = 0; i < net->count; ++i) {
        if (done[i] || sides[i][1] != HEM_NONE) {
            continue; // not an end
        }
        threads->starts[threads->count] = next;
        uint32_t number = 0;
        for (int32_t p = (int32_t)i, from = HEM_NONE; p != HEM_NONE;) {
            done[p] = 1;
            threads->particles[next++] = (uint32_t)p;
            threads->thread_of[p] = threads->count;
            threads->index_of[p] = number++;
            const int32_t onward = sides[p][0] != from ? sides[p][0] : sides[p][1];
            from = p;
            p = onward;
        }
        ++threads->count;
    }
    threads->starts[threads->count] = next;
}
