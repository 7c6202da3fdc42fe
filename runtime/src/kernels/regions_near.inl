// SPDX-License-Identifier: MIT
// Regions of bodies that are a few cells across, in floats. The equations are those of regions.inl.
//
// A moment is what is left of x r^T when c c_rest^T is taken away, and a running sum forgets nothing of what was rounded on
// its way. Both errors grow as the square of how far particles are from the origin, in cells. So the origin is the middle of
// the body, and whoever reaches further than NEAR_CELLS from it, now or at rest, is summed in doubles (regions.inl): of a bent
// cube of 15 cells the worst goal is 6e-6 of a cell from plain summation.
//
// A particle's numbers are fours, one after the other: what is summed along bars is added all alike, and to and from rows of
// eight particles a four is turned by half of the moves that an eight would take.
//
//   on the way there:   [m mrx mry mrz]   x (m mrx mry mrz)   y (...)   z (...)   [bx by bz 0]
//   on the way back:    tx ty tz dx   R00 R10 R20 dy   R01 R11 R21 dz   R02 R12 R22 0   [ux uy uz 0]
//
// with m for m/n, b = m/n where it began, t = c - R c_rest, u = s_c - d x x'_c. Only damping has b and u (and d is zero without).
// The first four depends on nothing but the shape at rest: unless that is the pose's, its sums are worked out once for a width
// (near_fix) and do not go along.

#include "platform/vec_four.h"

#define NEAR_CELLS 12.0f

typedef struct near_frame { // where sums are taken from
    v8x3 x, rest;
} near_frame;

HEM_INLINE m8 near_in(const hemi_region_args* r, uint32_t row) { // pads hold anything
    return v8_gt(v8_load(r->mass[row].mass), v8_zero());
}

HEM_INLINE v8x3 near_rest(const hemi_region_args* r, uint32_t row) {
    const hem_rest_row* rest = &r->rest[row];
    return v8x3_make(v8_load(rest->x), v8_load(rest->y), v8_load(rest->z));
}

HEM_INLINE v8x3 near_mean(v8x3 sum, float count) {
    const float one = 1.0f / hem_maxf(count, 1.0f);
    return v8x3_set1(v8_sum(sum.x) * one, v8_sum(sum.y) * one, v8_sum(sum.z) * one);
}

HEM_INLINE v8 near_longer(v8 most, v8x3 a) {
    return v8_max(most, v8_max(v8_abs(a.x), v8_max(v8_abs(a.y), v8_abs(a.z))));
}

HEM_INLINE v8 near_share(const hemi_region_args* r, uint32_t row) {
    return v8_narrow(r->share + (size_t)row * 8);
}

// The middle of the body.
HEM_INLINE v8x3 near_middle(const hemi_region_args* r, int at_rest) {
    v8x3 sum = v8x3_set1(0.0f, 0.0f, 0.0f);
    v8 count = v8_zero();
    for (uint32_t row = 0; row < r->row_count; ++row) {
        m8 in = near_in(r, row);
        sum = v8x3_add(sum, v8x3_keep(in, at_rest ? near_rest(r, row) : row4_load3(&r->x[row])));
        count = v8_add(count, v8_keep(in, v8_set1(1.0f)));
    }
    return near_mean(sum, v8_sum(count));
}

// -- Sums of `fours` fours a particle: up to two eights, and one more

HEM_INLINE uint32_t near_stride(uint32_t fours) { // floats; eights are aligned
    return fours == 1 ? 8 : fours <= 4 ? 16 : 24;
}

typedef struct near_sum {
    v8 a, b;
    f4 tail;
} near_sum;

HEM_INLINE near_sum near_get(const float* p, uint32_t fours) {
    near_sum s;
    s.a = fours > 1 ? v8_load(p) : v8_zero();
    s.b = fours > 3 ? v8_load(p + 8) : v8_zero();
    s.tail = (fours & 1) != 0 ? f4_load(p + 4 * (fours - 1)) : f4_zero();
    return s;
}

HEM_INLINE near_sum near_plus(near_sum s, near_sum t, uint32_t fours) {
    s.a = fours > 1 ? v8_add(s.a, t.a) : s.a;
    s.b = fours > 3 ? v8_add(s.b, t.b) : s.b;
    s.tail = (fours & 1) != 0 ? f4_add(s.tail, t.tail) : s.tail;
    return s;
}

HEM_INLINE near_sum near_less(near_sum s, near_sum t, uint32_t fours) {
    s.a = fours > 1 ? v8_sub(s.a, t.a) : s.a;
    s.b = fours > 3 ? v8_sub(s.b, t.b) : s.b;
    s.tail = (fours & 1) != 0 ? f4_sub(s.tail, t.tail) : s.tail;
    return s;
}

HEM_INLINE void near_put(float* out, near_sum s, uint32_t fours) {
    if (fours > 1) {
        v8_store(out, s.a);
    }
    if (fours > 3) {
        v8_store(out + 8, s.b);
    }
    if ((fours & 1) != 0) {
        f4_store(out + 4 * (fours - 1), s.tail);
    }
}

typedef struct near_bar {
    const uint32_t* at;
    uint32_t count, first;
    const float* from;
    float* to;
} near_bar;

HEM_INLINE near_sum near_at(const near_bar* bar, uint32_t i, uint32_t fours) {
    return near_get(bar->from + (size_t)(bar->at[i] - bar->first) * near_stride(fours), fours);
}

HEM_INLINE void near_to(const near_bar* bar, uint32_t i, near_sum sum, uint32_t fours) {
    near_put(bar->to + (size_t)(bar->at[i] - bar->first) * near_stride(fours), sum, fours);
}

// Three neighbours are added as they stand: each particle is read once, and nothing waits for the sum before.
HEM_INLINE void near_threes(const near_bar* bar, uint32_t fours) {
    near_sum here = near_at(bar, 0, fours), pair = here;
    const uint32_t last = bar->count - 1;
    for (uint32_t i = 0; i < last; ++i) {
        near_sum next = near_at(bar, i + 1, fours);
        near_to(bar, i, near_plus(pair, next, fours), fours);
        pair = near_plus(here, next, fours);
        here = next;
    }
    near_to(bar, last, pair, fours);
}

// Five neighbours, with sums of two s(i) = p(i) + p(i+1) that are each made once:  s(i-2) + s(i) + p(i+2). Four particles at least.
HEM_INLINE void near_fives(const near_bar* bar, uint32_t fours) {
    const uint32_t count = bar->count;
    near_sum first = near_at(bar, 0, fours), second = near_at(bar, 1, fours);
    near_sum last = near_at(bar, 2, fours);                                             // p(i+2)
    near_sum s0 = near_plus(first, second, fours), s1 = near_plus(second, last, fours); // s(i), s(i+1)
    near_to(bar, 0, near_plus(s0, last, fours), fours);
    near_sum before = s0; // s(i-1)
    s0 = s1;
    near_sum next = near_at(bar, 3, fours);
    s1 = near_plus(last, next, fours);
    near_to(bar, 1, near_plus(before, s1, fours), fours); // i = 1: before = s(0), s0 = s(1), s1 = s(2)
    for (uint32_t i = 2; i + 2 < count; ++i) {
        near_sum in = near_at(bar, i + 2, fours);
        near_to(bar, i, near_plus(near_plus(before, s1, fours), in, fours), fours);
        before = s0;
        s0 = s1;
        s1 = near_plus(next, in, fours);
        next = in;
    }
    near_to(bar, count - 2, near_plus(before, s1, fours), fours);
    near_to(bar, count - 1, near_plus(s0, next, fours), fours);
}

// A bar that no region is longer than has one sum.
HEM_INLINE void near_one(const near_bar* bar, uint32_t fours) {
    near_sum sum = near_at(bar, 0, fours);
    for (uint32_t i = 1; i < bar->count; ++i) {
        sum = near_plus(sum, near_at(bar, i, fours), fours);
    }
    for (uint32_t i = 0; i < bar->count; ++i) {
        near_to(bar, i, sum, fours);
    }
}

// Running sums: first they only grow, then one comes and one goes, then they only shrink. A bar that is shorter than a region
// has one sum.
HEM_INLINE void near_running(const near_bar* bar, uint32_t width, uint32_t fours) {
    const uint32_t count = bar->count, head = count < width ? count : width;
    near_sum sum = {v8_zero(), v8_zero(), f4_zero()};
    uint32_t in = 0, gone = 0, at = 0;
    for (; in < head; ++in) {
        sum = near_plus(sum, near_at(bar, in, fours), fours);
    }
    for (; at <= width && in < count; ++at, ++in) {
        sum = near_plus(sum, near_at(bar, in, fours), fours);
        near_to(bar, at, sum, fours);
    }
    for (; in < count; ++at, ++in, ++gone) { // one addition on the way from sum to sum
        near_sum change = near_less(near_at(bar, in, fours), near_at(bar, gone, fours), fours);
        sum = near_plus(sum, change, fours);
        near_to(bar, at, sum, fours);
    }
    for (; at < count; ++at) {
        if (at > width) { // else it still sees the beginning
            sum = near_less(sum, near_at(bar, gone++, fours), fours);
        }
        near_to(bar, at, sum, fours);
    }
}

HEM_INLINE void near_bars(const hemi_region_args* r, int axis, uint32_t fours, const double* from, double* to) {
    const hem_lattice_bar* bars = r->bars + r->tile->bar_begin[axis];
    near_bar bar = {NULL, 0, r->first, (const float*)(const void*)from, (float*)(void*)to};
    for (uint32_t b = 0; b < r->tile->bar_count[axis]; ++b) {
        bar.at = r->order + bars[b].first;
        bar.count = bars[b].count;
        if (bar.count <= r->width + 1) {
            near_one(&bar, fours);
        } else if (r->width == 1) {
            near_threes(&bar, fours);
        } else if (r->width == 2) {
            near_fives(&bar, fours);
        } else {
            near_running(&bar, r->width, fours);
        }
    }
}

// The three sums, x y z or z y x; they begin in sums[0] and end in sums[1].
HEM_INLINE void near_sums(const hemi_region_args* r, int back, uint32_t fours) {
    for (int pass = 0; pass < 3; ++pass) {
        near_bars(r, back ? 2 - pass : pass, fours, r->sums[pass & 1], r->sums[~pass & 1]);
    }
}

// -- Rows of eight particles to fours and back

HEM_INLINE void near_write4(float* first, uint32_t stride, v8 x, v8 y, v8 z, v8 w) {
    static const int32_t places[2][8] = {{0, 4, 8, 12, 16, 20, 24, 28}, {0, 6, 12, 18, 24, 30, 36, 42}};
    static const int32_t close[8] = {0, 2, 4, 6, 8, 10, 12, 14};
    v8_store_rows4(first, stride == 8 ? close : places[stride == 24], x, y, z, w);
}

HEM_INLINE void near_read4(const float* first, uint32_t stride, v8* x, v8* y, v8* z, v8* w) {
    static const int32_t places[2][8] = {{0, 4, 8, 12, 16, 20, 24, 28}, {0, 6, 12, 18, 24, 30, 36, 42}};
    static const int32_t close[8] = {0, 2, 4, 6, 8, 10, 12, 14};
    v8_load_rows4(first, stride == 8 ? close : places[stride == 24], x, y, z, w);
}

// -- What the shape at rest alone says, in hemi_region_args.fixed: of each particle m/n (1, r), of each region 1/M and c_rest

HEM_INLINE float* near_fixed(const hemi_region_args* r, uint32_t row) {
    return r->fixed + (size_t)row * HEMI_REGION_FIXED;
}

static void near_fix(const hemi_region_args* r) {
    const v8x3 middle = near_middle(r, 1);
    v8 most = v8_zero(), zero = v8_zero(), one = v8_set1(1.0f);
    float *from = (float*)(void*)r->sums[0], *sums = (float*)(void*)r->sums[1];
    for (uint32_t row = 0; row < r->row_count; ++row) {
        v8x3 rest = v8x3_keep(near_in(r, row), v8x3_sub(near_rest(r, row), middle));
        v8 m = v8_mul(v8_load(r->mass[row].mass), near_share(r, row));
        most = near_longer(most, rest);
        rest = v8x3_scale(rest, m);
        near_write4(from + (size_t)row * 64, 8, m, rest.x, rest.y, rest.z);
        v8_store_rows4(near_fixed(r, row), region_lanes, m, rest.x, rest.y, rest.z);
    }
    near_sums(r, 0, 1);
    for (uint32_t row = 0; row < r->row_count; ++row) {
        float* out = near_fixed(r, row) + 32;
        v8 m, x, y, z;
        near_read4(sums + (size_t)row * 64, 8, &m, &x, &y, &z);
        m8 some = m8_and(near_in(r, row), v8_gt(m, zero));
        v8 inverse = v8_keep(some, v8_div(one, v8_select(some, m, one)));
        v8_store(out, inverse);
        v8_store(out + 8, v8_keep(some, v8_mul(x, inverse)));
        v8_store(out + 16, v8_keep(some, v8_mul(y, inverse)));
        v8_store(out + 24, v8_keep(some, v8_mul(z, inverse)));
    }
    r->shape->middle[0] = v8_lane(middle.x, 0);
    r->shape->middle[1] = v8_lane(middle.y, 0);
    r->shape->middle[2] = v8_lane(middle.z, 0);
    r->shape->reach = v8_hmax(most);
}

// -- The steps of a substep. `moves`: the shape at rest does so, its sums go along. Both are constants wherever this is inlined.

HEM_INLINE uint32_t near_fours(int moves, int damped) { // three are as dear as four
    return moves && damped ? 5 : 4;
}

// A body is small and there are many: while one is summed, what the next one begins with is fetched. It lies behind it.
#define NEAR_AHEAD 24u // rows, at most

HEM_INLINE void near_ask(const hemi_region_args* r, uint32_t row) {
    const uint32_t next = row + (r->row_count < NEAR_AHEAD ? r->row_count : NEAR_AHEAD);
    for (uint32_t line = 0; line < 2; ++line) {
        HEM_PREFETCH(r->x, next * sizeof(hemi_row4) + 64 * line);
        HEM_PREFETCH(r->q, next * sizeof(hemi_row4) + 64 * line);
        HEM_PREFETCH(r->prev_q, next * sizeof(hemi_row4) + 64 * line);
        HEM_PREFETCH(r->prev, next * sizeof(hemi_row3) + 64 * line);
        HEM_PREFETCH(r->rest, next * sizeof(hem_rest_row) + 64 * line);
        HEM_PREFETCH(r->fixed, next * HEMI_REGION_FIXED * sizeof(float) + 64 * line);
        HEM_PREFETCH(r->fixed, next * HEMI_REGION_FIXED * sizeof(float) + 128 + 64 * line);
    }
    HEM_PREFETCH(r->share, next * 8 * sizeof(double));
}

// Returns whether nobody is too far from the middle; what is no number is.
HEM_INLINE int near_load(const hemi_region_args* r, const near_frame* frame, int moves, int damped) {
    const uint32_t first = moves ? 4 : 0, fours = near_fours(moves, damped), stride = near_stride(fours);
    v8 most = v8_zero(), most_rest = v8_zero();
    for (uint32_t row = 0; row < r->row_count; ++row) {
        HEM_ALIGN(32) float at[3][8];
        float* out = (float*)(void*)r->sums[0] + (size_t)row * 8 * stride;
        const float* fixed = near_fixed(r, row);
        m8 in = near_in(r, row);
        v8 m = v8_mul(v8_load(r->mass[row].mass), near_share(r, row));
        near_ask(r, row);
        v8x3 x = v8x3_keep(in, v8x3_sub(row4_load3(&r->x[row]), frame->x));
        most = near_longer(most, x);
        v8_store(at[0], x.x);
        v8_store(at[1], x.y);
        v8_store(at[2], x.z);
        if (moves) {
            v8x3 rest = v8x3_keep(in, v8x3_sub(near_rest(r, row), frame->rest));
            most_rest = near_longer(most_rest, rest);
            rest = v8x3_scale(rest, m);
            near_write4(out, stride, m, rest.x, rest.y, rest.z);
        }
        if (damped) {
            v8x3 began = v8x3_scale(v8x3_keep(in, v8x3_sub(row3_load(&r->prev[row]), frame->x)), m);
            near_write4(out + first + 12, stride, began.x, began.y, began.z, v8_zero());
        }
        for (uint32_t i = 0; i < 8; ++i) {
            float* p = out + (size_t)i * stride;
            f4 mr = f4_load(moves ? p : fixed + 4 * i);
            f4_store(p + first, f4_mul(mr, f4_set1(at[0][i])));
            f4_store(p + first + 4, f4_mul(mr, f4_set1(at[1][i])));
            f4_store(p + first + 8, f4_mul(mr, f4_set1(at[2][i])));
            if (!moves && !damped) {
                f4_store(p + 12, f4_zero());
            }
        }
    }
    const float limit = NEAR_CELLS * r->tile->cell;
    return v8_hmax(most) * (moves ? v8_hmax(most_rest) : r->shape->reach) <= limit * limit;
}

// A row of the moment about the centres, and the centre.
HEM_INLINE v8x3 near_moment(const float* in, uint32_t stride, v8 inverse, v8x3 rest, v8* center) {
    v8 c, x, y, z;
    near_read4(in, stride, &c, &x, &y, &z);
    *center = v8_mul(c, inverse);
    return flush_row(v8x3_nmadd(rest, *center, v8x3_scale(v8x3_make(x, y, z), inverse)));
}

HEM_INLINE void near_match(const hemi_region_args* r, int moves, int damped) {
    const uint32_t first = moves ? 4 : 0, fours = near_fours(moves, damped), stride = near_stride(fours);
    const uint32_t back = near_stride(damped ? 5 : 4);
    v8 zero = v8_zero(), one = v8_set1(1.0f);
    for (uint32_t row = 0; row < r->row_count; ++row) {
        const float* in = (const float*)(const void*)r->sums[1] + (size_t)row * 8 * stride;
        float* out = (float*)(void*)r->sums[0] + (size_t)row * 8 * back;
        const float* fixed = near_fixed(r, row) + 32;
        v8 inverse;
        v8x3 rest, center;
        if (moves) {
            v8 m;
            near_read4(in, stride, &m, &rest.x, &rest.y, &rest.z);
            m8 some = v8_gt(m, zero);
            inverse = v8_keep(some, v8_div(one, v8_select(some, m, one)));
            rest = v8x3_scale(rest, inverse);
        } else {
            inverse = v8_load(fixed);
            rest = v8x3_make(v8_load(fixed + 8), v8_load(fixed + 16), v8_load(fixed + 24));
        }
        v8_mat3 moment;
        moment.row0 = near_moment(in + first, stride, inverse, rest, &center.x);
        moment.row1 = near_moment(in + first + 4, stride, inverse, rest, &center.y);
        moment.row2 = near_moment(in + first + 8, stride, inverse, rest, &center.z);
        v8x4 turn = turn_regions(r, row, &moment);
        v8_mat3 turned = v8_mat3_from_quat(turn);
        turn = keep_turn(r, row, turn);
        v8x3 d = v8x3_make(zero, zero, zero);
        if (damped) {
            v8x3 began;
            v8 unused;
            near_read4(in + first + 12, stride, &began.x, &began.y, &began.z, &unused);
            began = v8x3_scale(began, inverse);
            d = turn_since(r, row, turn);
            v8x3 mid = v8x3_scale(v8x3_add(center, began), v8_set1(0.5f));
            v8x3 u = v8x3_sub(v8x3_sub(center, began), v8x3_cross(d, mid));
            near_write4(out + 16, back, u.x, u.y, u.z, zero);
        }
        near_write4(out, back, v8_sub(center.x, v8x3_dot(turned.row0, rest)),
                    v8_sub(center.y, v8x3_dot(turned.row1, rest)), v8_sub(center.z, v8x3_dot(turned.row2, rest)), d.x);
        near_write4(out + 4, back, turned.row0.x, turned.row1.x, turned.row2.x, d.y);
        near_write4(out + 8, back, turned.row0.y, turned.row1.y, turned.row2.y, d.z);
        near_write4(out + 12, back, turned.row0.z, turned.row1.z, turned.row2.z, zero);
    }
}

// Masses times moves add up to nothing but for rounding, and that would be a wind that always blows the same way: it is taken
// back. (Over those too that follow the pose and do not go.)
HEM_INLINE void near_move(const hemi_region_args* r, const near_frame* frame, int damped) {
    const uint32_t stride = near_stride(damped ? 5 : 4);
    hemi_row3* move = (hemi_row3*)(void*)r->sums[0];
    v8x3 drift = v8x3_set1(0.0f, 0.0f, 0.0f);
    v8 mass = v8_zero(), unused;
    for (uint32_t row = 0; row < r->row_count; ++row) {
        HEM_ALIGN(32) float at[3][8], wanted[8][4], d[3][8];
        const float* in = (const float*)(const void*)r->sums[1] + (size_t)row * 8 * stride;
        v8x3 rest = v8x3_sub(near_rest(r, row), frame->rest), x = row4_load3(&r->x[row]);
        v8_store(at[0], rest.x);
        v8_store(at[1], rest.y);
        v8_store(at[2], rest.z);
        for (uint32_t i = 0; i < 8; ++i) {
            const float* s = in + (size_t)i * stride;
            f4 goal = f4_add(f4_load(s), f4_mul(f4_load(s + 4), f4_set1(at[0][i])));
            f4 more = f4_add(f4_mul(f4_load(s + 8), f4_set1(at[1][i])), f4_mul(f4_load(s + 12), f4_set1(at[2][i])));
            f4_store(wanted[i], f4_add(goal, more));
            if (damped) {
                d[0][i] = s[3];
                d[1][i] = s[7];
                d[2][i] = s[11];
            }
        }
        v8 share = near_share(r, row);
        v8x3 goal, here = v8x3_sub(x, frame->x);
        v8_load_rows4(wanted[0], region_lanes, &goal.x, &goal.y, &goal.z, &unused);
        v8x3 way = v8x3_scale(v8x3_sub(v8x3_scale(goal, share), here), v8_set1(r->alpha));
        if (damped) {
            v8x3 u, prev = row3_load(&r->prev[row]);
            near_read4(in + 16, stride, &u.x, &u.y, &u.z, &unused);
            v8x3 mid = v8x3_scale(v8x3_add(here, v8x3_sub(prev, frame->x)), v8_set1(0.5f));
            v8x3 turning = v8x3_cross(v8x3_make(v8_load(d[0]), v8_load(d[1]), v8_load(d[2])), mid);
            v8x3 rigid = v8x3_scale(v8x3_add(u, turning), share);
            way = v8x3_madd(v8x3_sub(rigid, v8x3_sub(x, prev)), v8_set1(r->damping), way);
        }
        v8 m = v8_load(r->mass[row].mass);
        drift = v8x3_add(drift, v8x3_keep(near_in(r, row), v8x3_scale(way, m)));
        mass = v8_add(mass, m);
        row3_store(&move[row], way);
    }
    const float one = 1.0f / hem_maxf(v8_sum(mass), 1e-30f);
    drift = v8x3_set1(v8_sum(drift.x) * one, v8_sum(drift.y) * one, v8_sum(drift.z) * one);
    for (uint32_t row = 0; row < r->row_count; ++row) {
        v8x3 at = row4_load3(&r->x[row]), to = v8x3_add(at, v8x3_sub(row3_load(&move[row]), drift));
        row4_store3(&r->x[row], v8x3_select(v8_gt(v8_load(r->x[row].w), v8_zero()), to, at));
    }
}

// Returns 0, and has done nothing, where somebody is too far from the middle.
HEM_INLINE int near_regions(const hemi_region_args* r, int moves, int damped) {
    const float* middle = r->shape->middle;
    const near_frame frame = {near_middle(r, 0),
                              moves ? near_middle(r, 1) : v8x3_set1(middle[0], middle[1], middle[2])};
    if (!near_load(r, &frame, moves, damped)) {
        return 0;
    }
    near_sums(r, 0, near_fours(moves, damped));
    near_match(r, moves, damped);
    near_sums(r, 1, damped ? 5 : 4);
    near_move(r, &frame, damped);
    return 1;
}
