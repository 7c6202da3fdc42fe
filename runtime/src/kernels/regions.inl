// SPDX-License-Identifier: MIT
// Region shape matching of lattices (Rivers and James, FastLSM; Sullivan, 3.2 and 3.3), with sums whose cost does not
// depend on the width of a region.
//
// The sum over a region is three sums along bars, B: over at most w steps to either side, inside the bar,
//
//     S = Bz By Bx v         bars, plates, cubes (eq. 3-5), each running along its bars (eq. 3-6)
//
// B is symmetric, so the sum over all regions that a particle is in is the same three the other way round, Bx By Bz. That
// gives n_i, their number, and the mean of what they want:
//
//     M = S m_i/n_i   c = S m_i/n_i x_i / M   A = S m_i/n_i x_i r_i^T - M c c_rest^T = R U      (eq. 3-1, 3-2)
//     g_i = 1/n_i sum over its regions of  c + R (r_i - c_rest)                                  (eq. 3-3)
//
// With m_i/n_i the masses of all regions add up to the body's, and sum m_i g_i = sum m_i x_i: linear momentum is kept to
// rounding, whatever the borders. A region whose particles lie as they should wants nothing of anybody.
//
// What lies in a lane. 1, x, y, z times 1, rx, ry, rz make sixteen numbers a particle, which are added all alike: so a
// particle is four vectors of four, and running along a bar is two loads, two additions and a store of each. Bars in lanes
// would do the same with fewer instructions if lattices were full boxes; a character fills a quarter of its box, tears,
// and would pay for the rest. The sums are doubles. With floats x r^T of a region at the far end of a lattice of 64 cells is
// a thousand times its own moment, and the rotation is off by 1e-4. Of small bodies it is not: regions_near.inl.
//
// Damping pulls a particle towards what its regions do as rigid bodies in this substep: with s_i the way of a particle,
// x'_i the middle of it, and d = 2 tan(angle / 2) axis of the region's turn, towards  s_c + d x (x'_i - x'_c). A body that
// turns as a whole is not slowed.

#include "platform/vec_double.h"

#define REGION_BLOCKS_MAX 5 // vectors of four, of a particle, on the way there; damping has one more than the rest
#define REGION_FORWARD 4
#define REGION_BACK 3
#define REGION_BACK_DAMPED 5

static const HEM_ALIGN(32) double region_nothing[4 * REGION_BLOCKS_MAX] = {0.0};

typedef struct bar_sum { // named, not an array: it has to stay in registers
    d4 a, b, c, d, e;
} bar_sum;

// sum += in - gone. `blocks` is a constant wherever this is inlined.
HEM_INLINE void bar_move(bar_sum* s, const double* in, const double* gone, uint32_t blocks) {
    s->a = d4_add(s->a, d4_sub(d4_load(in), d4_load(gone)));
    s->b = d4_add(s->b, d4_sub(d4_load(in + 4), d4_load(gone + 4)));
    s->c = d4_add(s->c, d4_sub(d4_load(in + 8), d4_load(gone + 8)));
    if (blocks > 3) {
        s->d = d4_add(s->d, d4_sub(d4_load(in + 12), d4_load(gone + 12)));
    }
    if (blocks > 4) {
        s->e = d4_add(s->e, d4_sub(d4_load(in + 16), d4_load(gone + 16)));
    }
}

HEM_INLINE void bar_store(const bar_sum* s, double* out, uint32_t blocks) {
    d4_store(out, s->a);
    d4_store(out + 4, s->b);
    d4_store(out + 8, s->c);
    if (blocks > 3) {
        d4_store(out + 12, s->d);
    }
    if (blocks > 4) {
        d4_store(out + 16, s->e);
    }
}

// Running sums along bars: what comes in at the front less what is left behind, in one addition, since each waits for the
// one before it. Beyond the ends of a bar lies nothing.
HEM_INLINE void bar_sums(const hem_lattice_bar* bars, uint32_t bar_count, const uint32_t* order, uint32_t first,
                         uint32_t width, uint32_t blocks, const double* from, double* to) {
    const size_t stride = 4 * (size_t)blocks;
    for (uint32_t b = 0; b < bar_count; ++b) {
        const uint32_t *at = order + bars[b].first, count = bars[b].count;
        bar_sum sum = {d4_zero(), d4_zero(), d4_zero(), d4_zero(), d4_zero()};
        for (uint32_t i = 0; i < width && i < count; ++i) {
            bar_move(&sum, from + (at[i] - first) * stride, region_nothing, blocks);
        }
        for (uint32_t i = 0; i < count; ++i) {
            const double* in = i + width < count ? from + (at[i + width] - first) * stride : region_nothing;
            const double* gone = i > width ? from + (at[i - width - 1] - first) * stride : region_nothing;
            bar_move(&sum, in, gone, blocks);
            bar_store(&sum, to + (at[i] - first) * stride, blocks);
        }
    }
}

// The three sums, x y z or z y x; they begin in sums[0] and end in sums[1].
HEM_INLINE void region_sums(const hemi_region_args* r, int back, uint32_t blocks) {
    for (int pass = 0; pass < 3; ++pass) {
        const int axis = back ? 2 - pass : pass;
        bar_sums(r->bars + r->tile->bar_begin[axis], r->tile->bar_count[axis], r->order, r->first, r->width, blocks,
                 r->sums[pass & 1], r->sums[~pass & 1]);
    }
}

// n_i, in whole numbers: the same three sums of ones, backwards.
static void count_regions(const hemi_region_args* r, uint32_t* from, uint32_t* to) {
    for (int axis = 2; axis >= 0; --axis) {
        for (uint32_t b = 0; b < r->tile->bar_count[axis]; ++b) {
            const hem_lattice_bar* bar = &r->bars[r->tile->bar_begin[axis] + b];
            const uint32_t *at = r->order + bar->first, count = bar->count;
            uint32_t sum = 0;
            for (uint32_t i = 0; i < r->width && i < count; ++i) {
                sum += from[at[i] - r->first];
            }
            for (uint32_t i = 0; i < count; ++i) {
                sum += i + r->width < count ? from[at[i + r->width] - r->first] : 0;
                sum -= i > r->width ? from[at[i - r->width - 1] - r->first] : 0;
                to[at[i] - r->first] = sum;
            }
        }
        uint32_t* swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t i = 0; i < r->row_count * 8; ++i) { // of pads nothing was summed
        const float mass = r->mass[i >> 3].mass[i & 7];
        const uint32_t n = mass > 0.0f ? from[i] : 0;
        r->share[i] = n ? 1.0 / (double)n : 0.0;
    }
}

static const int32_t region_lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};

// m/n times 1 x y z times 1 rx ry rz, into sums[0]; with damping also m/n times where each began.
HEM_INLINE void load_particles(const hemi_region_args* r, uint32_t blocks) {
    for (uint32_t row = 0; row < r->row_count; ++row) {
        HEM_ALIGN(32) float rest[8][4], at[8][4], began[8][4];
        const hem_rest_row* q = &r->rest[row];
        v8 one = v8_set1(1.0f);
        v8x3 x = row4_load3(&r->x[row]);
        v8_store_rows4(rest[0], region_lanes, one, v8_load(q->x), v8_load(q->y), v8_load(q->z));
        v8_store_rows4(at[0], region_lanes, one, x.x, x.y, x.z);
        if (blocks > REGION_FORWARD) {
            v8x3 p = row3_load(&r->prev[row]);
            v8_store_rows4(began[0], region_lanes, one, p.x, p.y, p.z);
        }
        for (uint32_t i = 0; i < 8; ++i) {
            double* out = r->sums[0] + (size_t)(row * 8 + i) * 4 * blocks;
            d4 m = d4_set1((double)r->mass[row].mass[i] * r->share[row * 8 + i]), mr = d4_mul(m, d4_widen(rest[i]));
            d4_store(out, mr);
            d4_store(out + 4, d4_mul(mr, d4_set1((double)at[i][1])));
            d4_store(out + 8, d4_mul(mr, d4_set1((double)at[i][2])));
            d4_store(out + 12, d4_mul(mr, d4_set1((double)at[i][3])));
            if (blocks > REGION_FORWARD) {
                d4_store(out + 16, d4_mul(m, d4_widen(began[i])));
            }
        }
    }
}

// Centres and moments of eight regions: c - the sums, divided by M; `moment` is row major, its first column unused.
typedef struct region_eight {
    HEM_ALIGN(32) float moment[3][8][4];
    double center[8][4], rest[8][4], began[8][4]; // behind a first number that is none of them
} region_eight;

HEM_INLINE void read_regions(const hemi_region_args* r, uint32_t row, uint32_t blocks, region_eight* e) {
    for (uint32_t i = 0; i < 8; ++i) {
        const double* s = r->sums[1] + (size_t)(row * 8 + i) * 4 * blocks;
        const double inverse = s[0] > 0.0 ? 1.0 / s[0] : 0.0;
        HEM_ALIGN(32) double kept[4];
        d4 scale = d4_set1(inverse), c0 = d4_mul(d4_load(s), scale);
        d4_store(kept, c0);
        memcpy(e->rest[i], kept, sizeof(kept));
        for (int a = 0; a < 3; ++a) {
            d4 m = d4_mul(d4_load(s + 4 + 4 * a), scale); // c_a, and the moment about the origin
            e->center[i][a + 1] = s[4 + 4 * a] * inverse;
            d4_narrow(e->moment[a][i], d4_sub(m, d4_mul(d4_set1(e->center[i][a + 1]), c0)));
        }
        for (int a = 1; a < 4 && blocks > REGION_FORWARD; ++a) {
            e->began[i][a] = s[16 + a] * inverse;
        }
    }
}

// A body that lies still has moments off the diagonal of 1e-18 and less, whose products have no normal number: a body at
// rest would take ten times as long as one that moves.
HEM_INLINE v8x3 flush_row(v8x3 a) {
    return v8x3_make(v8_flush(a.x), v8_flush(a.y), v8_flush(a.z));
}

HEM_INLINE void flush_moment(v8_mat3* m) {
    m->row0 = flush_row(m->row0);
    m->row1 = flush_row(m->row1);
    m->row2 = flush_row(m->row2);
}

// The turn of eight regions from their moments, one sweep from where it was. With a pose the region turns from the shape of
// the pose, the particle from that of rest.
HEM_INLINE v8x4 turn_regions(const hemi_region_args* r, uint32_t row, const v8_mat3* moment) {
    v8x4 turn = row4_load(&r->q[row]);
    if (r->rest_q) {
        turn = v8x4_mul(turn, v8x4_conj(row4_load(&r->rest_q[row])));
    }
    turn = rotation_sweep(moment, turn);
    return v8x4_make(v8_flush(turn.x), v8_flush(turn.y), v8_flush(turn.z), turn.w);
}

// It becomes the particle's, unless that follows the pose.
HEM_INLINE v8x4 keep_turn(const hemi_region_args* r, uint32_t row, v8x4 turn) {
    turn = r->rest_q ? v8x4_mul(turn, row4_load(&r->rest_q[row])) : turn;
    turn = v8x4_select(v8_gt(v8_load(r->x[row].w), v8_zero()), turn, row4_load(&r->q[row]));
    row4_store(&r->q[row], turn);
    return turn;
}

// d = 2 tan(angle / 2) axis, in this substep.
HEM_INLINE v8x3 turn_since(const hemi_region_args* r, uint32_t row, v8x4 turn) {
    v8x4 d = v8x4_mul(turn, v8x4_conj(row4_load(&r->prev_q[row])));
    m8 sound = v8_gt(v8_abs(d.w), v8_set1(0.1f)); // more than that in a substep is no motion to speak of
    v8 twice = v8_keep(sound, v8_div(v8_set1(2.0f), v8_select(sound, d.w, v8_set1(1.0f))));
    return v8x3_make(v8_mul(d.x, twice), v8_mul(d.y, twice), v8_mul(d.z, twice));
}

// From sums to what each region wants, into sums[0]: rows of c - R c_rest and R; damping has s_c - d x x'_c and d behind them.
HEM_INLINE void match_regions(const hemi_region_args* r, uint32_t blocks, uint32_t back) {
    for (uint32_t row = 0; row < r->row_count; ++row) {
        region_eight e;
        read_regions(r, row, blocks, &e);
        v8_mat3 moment, turned;
        v8 unused;
        v8_load_rows4(e.moment[0][0], region_lanes, &unused, &moment.row0.x, &moment.row0.y, &moment.row0.z);
        v8_load_rows4(e.moment[1][0], region_lanes, &unused, &moment.row1.x, &moment.row1.y, &moment.row1.z);
        v8_load_rows4(e.moment[2][0], region_lanes, &unused, &moment.row2.x, &moment.row2.y, &moment.row2.z);
        flush_moment(&moment);
        v8x4 turn = turn_regions(r, row, &moment);
        turned = v8_mat3_from_quat(turn);
        turn = keep_turn(r, row, turn);
        HEM_ALIGN(32) float rows[3][8][4], spin[8][4];
        v8_store_rows4(rows[0][0], region_lanes, unused, turned.row0.x, turned.row0.y, turned.row0.z);
        v8_store_rows4(rows[1][0], region_lanes, unused, turned.row1.x, turned.row1.y, turned.row1.z);
        v8_store_rows4(rows[2][0], region_lanes, unused, turned.row2.x, turned.row2.y, turned.row2.z);
        if (back == REGION_BACK_DAMPED) {
            v8x3 d = turn_since(r, row, turn);
            v8_store_rows4(spin[0], region_lanes, v8_zero(), d.x, d.y, d.z);
        }
        for (uint32_t i = 0; i < 8; ++i) {
            double* out = r->sums[0] + (size_t)(row * 8 + i) * 4 * back;
            for (int a = 0; a < 3; ++a) {
                const float* m = rows[a][i];
                d4_store(out + 4 * a, d4_widen(m));
                out[4 * a] = e.center[i][a + 1] -
                             ((double)m[1] * e.rest[i][1] + (double)m[2] * e.rest[i][2] + (double)m[3] * e.rest[i][3]);
            }
            if (back == REGION_BACK_DAMPED) {
                const double *c = e.center[i], *b = e.began[i];
                const double d[3] = {(double)spin[i][1], (double)spin[i][2], (double)spin[i][3]};
                const double mid[3] = {0.5 * (c[1] + b[1]), 0.5 * (c[2] + b[2]), 0.5 * (c[3] + b[3])};
                d4_store(out + 16, d4_widen(spin[i]));
                out[12] = 0.0;
                out[13] = c[1] - b[1] - (d[1] * mid[2] - d[2] * mid[1]);
                out[14] = c[2] - b[2] - (d[2] * mid[0] - d[0] * mid[2]);
                out[15] = c[3] - b[3] - (d[0] * mid[1] - d[1] * mid[0]);
            }
        }
    }
}

HEM_INLINE void move_particles(const hemi_region_args* r, uint32_t back) {
    for (uint32_t row = 0; row < r->row_count; ++row) {
        HEM_ALIGN(32) float goal[3][8], way[3][8];
        const hem_rest_row* rest = &r->rest[row];
        const hemi_row4* x = &r->x[row];
        const hemi_row3* p = &r->prev[row];
        for (uint32_t i = 0; i < 8; ++i) {
            const double* s = r->sums[1] + (size_t)(row * 8 + i) * 4 * back;
            const double share = r->share[row * 8 + i];
            const double q[3] = {(double)rest->x[i], (double)rest->y[i], (double)rest->z[i]};
            for (int a = 0; a < 3; ++a) {
                const double* m = s + 4 * a;
                goal[a][i] = (float)(share * (m[0] + m[1] * q[0] + m[2] * q[1] + m[3] * q[2]));
            }
            if (back == REGION_BACK_DAMPED) {
                const double mid[3] = {0.5 * ((double)x->x[i] + (double)p->x[i]),
                                       0.5 * ((double)x->y[i] + (double)p->y[i]),
                                       0.5 * ((double)x->z[i] + (double)p->z[i])};
                const double *u = s + 13, *d = s + 17;
                way[0][i] = (float)(share * (u[0] + d[1] * mid[2] - d[2] * mid[1]));
                way[1][i] = (float)(share * (u[1] + d[2] * mid[0] - d[0] * mid[2]));
                way[2][i] = (float)(share * (u[2] + d[0] * mid[1] - d[1] * mid[0]));
            }
        }
        v8x3 at = row4_load3(x);
        v8x3 to = v8x3_make(v8_load(goal[0]), v8_load(goal[1]), v8_load(goal[2]));
        v8x3 moved = v8x3_madd(v8x3_sub(to, at), v8_set1(r->alpha), at);
        if (back == REGION_BACK_DAMPED) {
            v8x3 rigid = v8x3_make(v8_load(way[0]), v8_load(way[1]), v8_load(way[2]));
            v8x3 off = v8x3_sub(rigid, v8x3_sub(at, row3_load(p)));
            moved = v8x3_madd(off, v8_set1(r->damping), moved);
        }
        // What follows the pose stays; of pads nothing was summed, and what they hold may be no number.
        row4_store3(&r->x[row], v8x3_select(v8_gt(v8_load(x->w), v8_zero()), moved, at));
    }
}

#include "runtime/src/kernels/regions_near.inl"

void HEMI_NAME(region_weights)(const hemi_region_args* r) {
    uint32_t* ones = (uint32_t*)(void*)r->sums[0];
    for (uint32_t i = 0; i < r->row_count * 8; ++i) {
        ones[i] = 1;
    }
    count_regions(r, ones, (uint32_t*)(void*)r->sums[1]);
    if (!r->rest_q) {
        near_fix(r);
    }
}

void HEMI_NAME(regions)(const hemi_region_args* r) {
    const int damped = r->damping > 0.0f;
    const int near = r->rest_q ? damped ? near_regions(r, 1, 1) : near_regions(r, 1, 0)
                     : damped ? near_regions(r, 0, 1)
                               : near_regions(r, 0, 0);
    if (near) {
        return;
    }
    if (damped) {
        load_particles(r, REGION_FORWARD + 1);
        region_sums(r, 0, REGION_FORWARD + 1);
        match_regions(r, REGION_FORWARD + 1, REGION_BACK_DAMPED);
        region_sums(r, 1, REGION_BACK_DAMPED);
        move_particles(r, REGION_BACK_DAMPED);
    } else {
        load_particles(r, REGION_FORWARD);
        region_sums(r, 0, REGION_FORWARD);
        match_regions(r, REGION_FORWARD, REGION_BACK);
        region_sums(r, 1, REGION_BACK);
        move_particles(r, REGION_BACK);
    }
}
