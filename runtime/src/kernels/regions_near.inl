// SPDX-License-Identifier: MIT
// Regions of bodies that are a few cells across, in floats. The equations are those of regions.inl.
//
// A moment is what is left of x r^T when c c_rest^T is taken away, and a running sum forgets nothing of what was rounded on
// its way. Both errors grow as the square of how far particles are from the origin, in cells. So the origin is the middle of
// the body, and whoever reaches further than NEAR_CELLS from it, now or at rest, is summed in doubles (regions.inl): of a bent
// cube of 15 cells the worst goal is 6e-6 of a cell from plain summation. Half the bytes, and nothing is done lane by lane:
// eight particles are turned from rows into vectors of eight numbers of one, and back, by transposing.
//
// Of a particle, on the way there:   1 rx ry rz  x xrx xry xrz | y yrx yry yrz  z zrx zry zrz | where it began
//              and on the way back:  tx R00 R01 R02  ty R10 R11 R12 | tz R20 R21 R22  ux uy uz dx | dy dz
// with m/n on everything there; t = c - R c_rest, u = s_c - d x x'_c. Only damping has what stands behind the last bar and u, d.

#define NEAR_CELLS 12.0f
#define NEAR_EIGHTS 2
#define NEAR_EIGHTS_DAMPED 3

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

// The middle of the body. Returns whether nobody is too far from it; what is no number is.
static int near_middle(const hemi_region_args* r, near_frame* frame) {
    v8x3 none = v8x3_set1(0.0f, 0.0f, 0.0f), x = none, rest = none;
    v8 count = v8_zero(), most = v8_zero(), most_rest = v8_zero();
    for (uint32_t row = 0; row < r->row_count; ++row) {
        m8 in = near_in(r, row);
        x = v8x3_add(x, v8x3_keep(in, row4_load3(&r->x[row])));
        rest = v8x3_add(rest, v8x3_keep(in, near_rest(r, row)));
        count = v8_add(count, v8_keep(in, v8_set1(1.0f)));
    }
    frame->x = near_mean(x, v8_sum(count));
    frame->rest = near_mean(rest, v8_sum(count));
    for (uint32_t row = 0; row < r->row_count; ++row) {
        m8 in = near_in(r, row);
        most = near_longer(most, v8x3_keep(in, v8x3_sub(row4_load3(&r->x[row]), frame->x)));
        most_rest = near_longer(most_rest, v8x3_keep(in, v8x3_sub(near_rest(r, row), frame->rest)));
    }
    const float limit = NEAR_CELLS * r->tile->cell;
    return v8_hmax(most) * v8_hmax(most_rest) <= limit * limit;
}

// -- Sums

typedef struct near_sum {
    v8 a, b, c;
} near_sum;

HEM_INLINE near_sum near_get(const float* p, uint32_t eights) {
    const near_sum s = {v8_load(p), v8_load(p + 8), eights > NEAR_EIGHTS ? v8_load(p + 16) : v8_zero()};
    return s;
}

HEM_INLINE near_sum near_plus(near_sum s, near_sum t, uint32_t eights) {
    const near_sum sum = {v8_add(s.a, t.a), v8_add(s.b, t.b), eights > NEAR_EIGHTS ? v8_add(s.c, t.c) : s.c};
    return sum;
}

HEM_INLINE near_sum near_less(near_sum s, near_sum t, uint32_t eights) {
    const near_sum sum = {v8_sub(s.a, t.a), v8_sub(s.b, t.b), eights > NEAR_EIGHTS ? v8_sub(s.c, t.c) : s.c};
    return sum;
}

HEM_INLINE void near_put(float* out, near_sum s, uint32_t eights) {
    v8_store(out, s.a);
    v8_store(out + 8, s.b);
    if (eights > NEAR_EIGHTS) {
        v8_store(out + 16, s.c);
    }
}

// Running sums: first they only grow, then one comes and one goes, then they only shrink. A bar that is shorter than a region
// has one sum.
HEM_INLINE void near_bars(const hem_lattice_bar* bars, uint32_t bar_count, const uint32_t* order, uint32_t first,
                          uint32_t width, uint32_t eights, const float* from, float* to) {
    const size_t stride = 8 * (size_t)eights;
    for (uint32_t b = 0; b < bar_count; ++b) {
        const uint32_t *at = order + bars[b].first, *end = at + bars[b].count, *in = at, *gone = at;
        const uint32_t head = bars[b].count < width ? bars[b].count : width;
        near_sum sum = {v8_zero(), v8_zero(), v8_zero()};
        for (uint32_t i = 0; i < head; ++i) {
            sum = near_plus(sum, near_get(from + (*in++ - first) * stride, eights), eights);
        }
        for (uint32_t i = 0; i <= width && in < end; ++i) {
            sum = near_plus(sum, near_get(from + (*in++ - first) * stride, eights), eights);
            near_put(to + (*at++ - first) * stride, sum, eights);
        }
        while (in < end) {
            near_sum come = near_get(from + (*in++ - first) * stride, eights);
            near_sum go = near_get(from + (*gone++ - first) * stride, eights);
            sum = near_plus(sum, near_less(come, go, eights), eights); // one addition on the way from sum to sum
            near_put(to + (*at++ - first) * stride, sum, eights);
        }
        for (uint32_t i = bars[b].count - (uint32_t)(end - at); at < end; ++i) {
            if (i > width) { // else it still sees the beginning
                sum = near_less(sum, near_get(from + (*gone++ - first) * stride, eights), eights);
            }
            near_put(to + (*at++ - first) * stride, sum, eights);
        }
    }
}

HEM_INLINE void near_sums(const hemi_region_args* r, int back, uint32_t eights) {
    for (int pass = 0; pass < 3; ++pass) {
        const int axis = back ? 2 - pass : pass;
        near_bars(r->bars + r->tile->bar_begin[axis], r->tile->bar_count[axis], r->order, r->first, r->width, eights,
                  (const float*)(const void*)r->sums[pass & 1], (float*)(void*)r->sums[~pass & 1]);
    }
}

// -- Rows to particles and back: the eights of a row's particles, k-th number in value[k].

HEM_INLINE void near_write(const hemi_region_args* r, uint32_t row, uint32_t eights, v8* value) {
    float* out = (float*)(void*)r->sums[0] + (size_t)row * 64 * eights;
    for (uint32_t e = 0; e < eights; ++e) {
        v8_transpose8(value + 8 * e);
        for (uint32_t i = 0; i < 8; ++i) {
            v8_store(out + 8 * (i * eights + e), value[8 * e + i]);
        }
    }
}

HEM_INLINE void near_read(const hemi_region_args* r, uint32_t row, uint32_t eights, v8* value) {
    const float* in = (const float*)(const void*)r->sums[1] + (size_t)row * 64 * eights;
    for (uint32_t e = 0; e < eights; ++e) {
        for (uint32_t i = 0; i < 8; ++i) {
            value[8 * e + i] = v8_load(in + 8 * (i * eights + e));
        }
        v8_transpose8(value + 8 * e);
    }
}

HEM_INLINE v8 near_share(const hemi_region_args* r, uint32_t row) {
    return v8_narrow(r->share + (size_t)row * 8);
}

HEM_INLINE void near_load(const hemi_region_args* r, const near_frame* frame, uint32_t eights) {
    for (uint32_t row = 0; row < r->row_count; ++row) {
        v8 m = v8_mul(v8_load(r->mass[row].mass), near_share(r, row)), value[8 * NEAR_EIGHTS_DAMPED];
        v8x3 rest = v8x3_scale(v8x3_sub(near_rest(r, row), frame->rest), m);
        v8x3 x = v8x3_sub(row4_load3(&r->x[row]), frame->x);
        const v8 along[3] = {x.x, x.y, x.z};
        value[0] = m;
        value[1] = rest.x;
        value[2] = rest.y;
        value[3] = rest.z;
        for (int a = 0; a < 3; ++a) {
            value[4 + 4 * a] = v8_mul(along[a], m);
            value[5 + 4 * a] = v8_mul(along[a], rest.x);
            value[6 + 4 * a] = v8_mul(along[a], rest.y);
            value[7 + 4 * a] = v8_mul(along[a], rest.z);
        }
        if (eights > NEAR_EIGHTS) {
            v8x3 began = v8x3_scale(v8x3_sub(row3_load(&r->prev[row]), frame->x), m);
            value[16] = began.x;
            value[17] = began.y;
            value[18] = began.z;
            value[19] = value[20] = value[21] = value[22] = value[23] = v8_zero();
        }
        near_write(r, row, eights, value);
    }
}

// Row a of the moment about the centres.
HEM_INLINE v8x3 near_moment(const v8* value, v8 inverse, v8 center, v8x3 rest) {
    v8x3 m = v8x3_scale(v8x3_make(value[1], value[2], value[3]), inverse);
    return flush_row(v8x3_nmadd(rest, center, m));
}

HEM_INLINE void near_match(const hemi_region_args* r, uint32_t eights) {
    v8 zero = v8_zero(), one = v8_set1(1.0f);
    for (uint32_t row = 0; row < r->row_count; ++row) {
        v8 value[8 * NEAR_EIGHTS_DAMPED];
        near_read(r, row, eights, value);
        m8 some = v8_gt(value[0], zero);
        v8 inverse = v8_keep(some, v8_div(one, v8_select(some, value[0], one)));
        v8x3 rest = v8x3_scale(v8x3_make(value[1], value[2], value[3]), inverse);
        v8x3 center = v8x3_scale(v8x3_make(value[4], value[8], value[12]), inverse);
        v8_mat3 moment = {near_moment(value + 4, inverse, center.x, rest),
                          near_moment(value + 8, inverse, center.y, rest),
                          near_moment(value + 12, inverse, center.z, rest)};
        v8x4 turn = turn_regions(r, row, &moment);
        v8_mat3 turned = v8_mat3_from_quat(turn);
        turn = keep_turn(r, row, turn);
        value[0] = v8_sub(center.x, v8x3_dot(turned.row0, rest));
        value[1] = turned.row0.x;
        value[2] = turned.row0.y;
        value[3] = turned.row0.z;
        value[4] = v8_sub(center.y, v8x3_dot(turned.row1, rest));
        value[5] = turned.row1.x;
        value[6] = turned.row1.y;
        value[7] = turned.row1.z;
        value[8] = v8_sub(center.z, v8x3_dot(turned.row2, rest));
        value[9] = turned.row2.x;
        value[10] = turned.row2.y;
        value[11] = turned.row2.z;
        value[12] = value[13] = value[14] = value[15] = zero;
        if (eights > NEAR_EIGHTS) {
            v8x3 began = v8x3_scale(v8x3_make(value[16], value[17], value[18]), inverse);
            v8x3 d = turn_since(r, row, turn), mid = v8x3_scale(v8x3_add(center, began), v8_set1(0.5f));
            v8x3 u = v8x3_sub(v8x3_sub(center, began), v8x3_cross(d, mid));
            value[12] = u.x;
            value[13] = u.y;
            value[14] = u.z;
            value[15] = d.x;
            value[16] = d.y;
            value[17] = d.z;
            value[18] = zero;
        }
        near_write(r, row, eights, value);
    }
}

HEM_INLINE v8 near_goal(const v8* t, v8x3 rest, v8 share) {
    return v8_mul(share, v8_add(t[0], v8x3_dot(v8x3_make(t[1], t[2], t[3]), rest)));
}

// Masses times moves add up to nothing but for rounding, and that would be a wind that always blows the same way: it is taken
// back. (Over those too that follow the pose and do not go.)
HEM_INLINE void near_move(const hemi_region_args* r, const near_frame* frame, uint32_t eights) {
    hemi_row3* move = (hemi_row3*)(void*)r->sums[0];
    v8x3 drift = v8x3_set1(0.0f, 0.0f, 0.0f);
    v8 mass = v8_zero();
    for (uint32_t row = 0; row < r->row_count; ++row) {
        v8 value[8 * NEAR_EIGHTS_DAMPED], share = near_share(r, row);
        near_read(r, row, eights, value);
        v8x3 rest = v8x3_sub(near_rest(r, row), frame->rest), at = row4_load3(&r->x[row]);
        v8x3 here = v8x3_sub(at, frame->x);
        v8x3 goal = v8x3_make(near_goal(value, rest, share), near_goal(value + 4, rest, share),
                              near_goal(value + 8, rest, share));
        v8x3 way = v8x3_scale(v8x3_sub(goal, here), v8_set1(r->alpha));
        if (eights > NEAR_EIGHTS) {
            v8x3 prev = row3_load(&r->prev[row]), d = v8x3_make(value[15], value[16], value[17]);
            v8x3 mid = v8x3_scale(v8x3_add(here, v8x3_sub(prev, frame->x)), v8_set1(0.5f));
            v8x3 rigid = v8x3_scale(v8x3_add(v8x3_make(value[12], value[13], value[14]), v8x3_cross(d, mid)), share);
            way = v8x3_madd(v8x3_sub(rigid, v8x3_sub(at, prev)), v8_set1(r->damping), way);
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

HEM_INLINE void near_regions(const hemi_region_args* r, const near_frame* frame, uint32_t eights) {
    near_load(r, frame, eights);
    near_sums(r, 0, eights);
    near_match(r, eights);
    near_sums(r, 1, eights);
    near_move(r, frame, eights);
}
