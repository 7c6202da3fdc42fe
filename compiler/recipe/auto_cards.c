// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"
#include "compiler/surface/spatial.h"

#include <math.h>

// Automatic mode: is this hair made of cards and locks?
//
// Long pieces side by side (cards, locks, ringlets, dreadlocks) must move one by one: as one soft block they are bent in the
// middle and torn from each other. Such hair becomes strands, one line of particles for a few of them. A cap of hair in one
// piece, or a plait, stays a soft block, which needs no lines and keeps its volume.
//
// A piece is long when the square of its length is several times its area: a card five times as long as wide has 5, a
// tube twelve times as long as thick has 4, a ringlet 3, short locks that lie on a head 2.5, a square 2, half a sphere 0.6.

#define LONG 2.8        // longest way squared / area
#define LONG_SHARE 0.6  // of the area
#define LEAST_LOCKS 6u  // fewer are tails
#define MOST_GUIDES 24u // locks share guides beyond
#define PIECE_LIMIT 4096u

typedef struct lock {
    double low[3], high[3], area;
} lock;

static double size_of(const lock* k) {
    const double x = k->high[0] - k->low[0], y = k->high[1] - k->low[1], z = k->high[2] - k->low[2];
    return sqrt(x * x + y * y + z * z);
}

uint32_t hemc_auto_locks(hemc_arena* arena, const hemc_model* model, const uint8_t* mask, double* length) {
    uint32_t* numbers = hemc_alloc(arena, model->triangle_count, sizeof(uint32_t));
    const uint32_t count = hemc_number_components(arena, model, mask, numbers);
    *length = 0;
    if (count < LEAST_LOCKS || count > PIECE_LIMIT) {
        return 0;
    }
    lock* locks = hemc_alloc(arena, count, sizeof(lock));
    for (uint32_t i = 0; i < count; ++i) {
        locks[i] = (lock){{1e30, 1e30, 1e30}, {-1e30, -1e30, -1e30}, 0};
    }
    double all = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (!mask[t]) {
            continue;
        }
        lock* k = &locks[numbers[t]];
        hemc_d3 corner[3];
        for (size_t c = 0; c < 3; ++c) {
            corner[c] = d3_from(model->positions[model->triangles[3 * (size_t)t + c]]);
            const double x[3] = {corner[c].x, corner[c].y, corner[c].z};
            for (int i = 0; i < 3; ++i) {
                k->low[i] = fmin(k->low[i], x[i]);
                k->high[i] = fmax(k->high[i], x[i]);
            }
        }
        const double area = 0.5 * d3_length(d3_cross(d3_sub(corner[1], corner[0]), d3_sub(corner[2], corner[0])));
        k->area += area;
        all += area;
    }
    uint32_t found = 0;
    double long_area = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const double size = size_of(&locks[i]);
        if (size * size > LONG * locks[i].area) {
            ++found;
            long_area += locks[i].area;
            *length += locks[i].area * size; // the mean, by area
        }
    }
    *length = long_area > 0 ? *length / long_area : 0;
    if (found < LEAST_LOCKS || long_area < LONG_SHARE * all) {
        return 0;
    }
    return found < MOST_GUIDES ? found : MOST_GUIDES;
}
