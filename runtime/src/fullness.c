// SPDX-License-Identifier: MIT
// Hair keeps its volume: guides that come nearer to each other than they were modelled push each other apart.
//
// How crowded a particle is by other guides is summed with a kernel that ends at the part's reach (kernels/crowd.inl), and compared
// with what it may be, at least what it is in the modelled shape: e = crowd / rest - 1, where that is positive. The energy
// k e^2 / 2 of all particles has a slope, which is the force: momentum and turning momentum are kept, and the modelled shape, moved and
// turned as a whole, is at rest. Who is held pushes, too, and is not pushed. k is the mean mass times (2 pi f reach)^2, so that f
// means the same whatever hair weighs: two guides side by side, with particles as far apart along them as they are from each other, would
// swing against each other at 1.04 f (that is SHARE).
//
// Particles are sorted into cells as wide as the reach. Where hair is flung about, cells become wider, so that there are never more
// than four for each particle; results are the same, only slower.

#include "runtime/src/step.h"

#define SLACK                                                                                                          \
    0.03f // of the crowd at rest: less is not felt, since sums of floats differ in their last digits as hair turns
#define MOST_CROWDED 2.0f // e that counts: what is all in one place is not blown apart
#define SHARE 0.1f
#define MOST_TURN 0.5f // radians of that swing in a substep: what is stiffer would not come to rest
#define FARTHEST 1e5f  // metres: what is beyond has other troubles

static uint32_t gather(const hemi_step* s, const hem_part* part, float low[3], float high[3], float* mass) {
    const hem_view* view = s->instance->view;
    hemi_crowd* c = &s->scratch->crowd;
    uint32_t count = 0;
    float total = 0.0f;
    for (int k = 0; k < 3; ++k) {
        low[k] = FARTHEST;
        high[k] = -FARTHEST;
    }
    for (uint32_t slot = part->row_begin * 8; slot < (part->row_begin + part->row_count) * 8; ++slot) {
        if (!(view->hair_rows[slot >> 3].guide[slot & 7] >= 0.0f)) {
            continue;
        }
        const hemi_row4* row = &s->instance->x[slot >> 3];
        const float at[3] = {row->x[slot & 7], row->y[slot & 7], row->z[slot & 7]};
        for (int k = 0; k < 3; ++k) {
            if (!(hem_absf(at[k]) < FARTHEST)) {
                return 0;
            }
            low[k] = hem_minf(low[k], at[k]);
            high[k] = hem_maxf(high[k], at[k]);
        }
        total += view->rest_rows[slot >> 3].mass[slot & 7];
        c->slot[count++] = slot;
    }
    *mass = count ? total / (float)count : 0.0f;
    HEM_ASSERT(count <= c->capacity);
    return count;
}

static float lay_cells(const hemi_crowd* c, uint32_t count, float reach, const float low[3], const float high[3],
                       uint32_t size[3]) {
    float cell = reach;
    for (;;) {
        double product = 1.0;
        for (int k = 0; k < 3; ++k) {
            const float n = (high[k] - low[k]) / cell;
            product *= (double)n + 1.0;
            size[k] = n < 1e6f ? (uint32_t)n + 1 : 1000000;
        }
        if (product <= (double)HEMI_CROWD_CELLS(count) &&
            size[0] * size[1] * size[2] <= HEMI_CROWD_CELLS(c->capacity)) {
            return cell;
        }
        cell *= 1.25f;
    }
}

// Counted, summed up, dealt out: in the order of slots within a cell.
static void sort(const hemi_step* s, uint32_t count, float cell, const float low[3], const uint32_t size[3]) {
    const hem_view* view = s->instance->view;
    hemi_crowd* c = &s->scratch->crowd;
    const uint32_t cells = size[0] * size[1] * size[2];
    memset(c->cell_begin, 0, (cells + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; ++i) {
        const hemi_row4* row = &s->instance->x[c->slot[i] >> 3];
        const float at[3] = {row->x[c->slot[i] & 7], row->y[c->slot[i] & 7], row->z[c->slot[i] & 7]};
        uint32_t place = 0;
        for (int k = 2; k >= 0; --k) {
            const uint32_t n = (uint32_t)((at[k] - low[k]) / cell);
            place = place * size[k] + (n < size[k] ? n : size[k] - 1);
        }
        c->cell[i] = place;
        ++c->cell_begin[place + 1];
    }
    for (uint32_t i = 0; i < cells; ++i) {
        c->cell_begin[i + 1] += c->cell_begin[i];
    }
    for (uint32_t i = count;
         i-- > 0;) { // from behind, so that what is left in cell_begin[place + 1] is where the cell begins
        const uint32_t place = --c->cell_begin[c->cell[i] + 1], slot = c->slot[i];
        const hemi_row4* row = &s->instance->x[slot >> 3];
        c->x[place] = row->x[slot & 7];
        c->y[place] = row->y[slot & 7];
        c->z[place] = row->z[slot & 7];
        c->guide[place] = view->hair_rows[slot >> 3].guide[slot & 7];
        c->uncrowd[place] = view->hair_rows[slot >> 3].uncrowd[slot & 7];
        c->cell[i] = place; // from here on: where it went
    }
    memmove(c->cell_begin, c->cell_begin + 1, cells * sizeof(uint32_t));
    c->cell_begin[cells] = count;
}

static void keep_part_full(const hemi_step* s, const hem_part* part, hemi_row3* acceleration) {
    hemi_crowd* c = &s->scratch->crowd;
    float low[3], high[3], mass;
    const uint32_t count = gather(s, part, low, high, &mass);
    if (!count) {
        return;
    }
    hemi_crowd_args args = {.x = c->x,
                            .y = c->y,
                            .z = c->z,
                            .guide = c->guide,
                            .push = c->push,
                            .cell_begin = c->cell_begin,
                            .inverse_reach2 = 1.0f / (part->fullness_reach * part->fullness_reach),
                            .out = {c->out[0], c->out[1], c->out[2]}};
    const float cell = lay_cells(c, count, part->fullness_reach, low, high, args.size);
    sort(s, count, cell, low, args.size);
    s->scene->kernels->crowd_sum(&args);
    s->scratch->counters.work += 18 * (uint64_t)count; // nine runs, twice; at most eight eights in each
    uint32_t crowded = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const float e = hem_minf(c->out[0][i] * c->uncrowd[i] - (1.0f + SLACK), MOST_CROWDED);
        crowded |= e > 0.0f;
        c->push[i] = e > 0.0f ? e * c->uncrowd[i] : 0.0f;
    }
    if (!crowded) {
        return;
    }
    s->scene->kernels->crowd_push(&args);
    const float turn = hem_minf(6.28318531f * part->fullness, MOST_TURN / s->h), scale = SHARE * turn * turn * mass;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t slot = c->slot[i], lane = slot & 7, place = c->cell[i];
        const float by = scale * s->instance->x[slot >> 3].w[lane];
        acceleration[slot >> 3].x[lane] += by * c->out[0][place];
        acceleration[slot >> 3].y[lane] += by * c->out[1][place];
        acceleration[slot >> 3].z[lane] += by * c->out[2][place];
    }
}

void hemi_keep_full(const hemi_step* s, hemi_row3* acceleration) {
    const hem_view* view = s->instance->view;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        if (view->parts[p].fullness > 0.0f) {
            keep_part_full(s, &view->parts[p], acceleration);
        }
    }
}
