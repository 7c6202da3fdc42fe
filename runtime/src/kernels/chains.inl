// SPDX-License-Identifier: MIT
// Chains: strands whose links keep their lengths, all at once; eight strands at a time.
//
// For C(k) = |x(k+1) - x(k)| - L with unit directions n(k) and inverse masses w, the system J W J^T lambda = C is tridiagonal (Han and
// Harada 2013): w(k) + w(k+1) on the diagonal, -w(k+1) n(k).n(k+1) beside it. It is dominated by its diagonal, so one sweep down and
// one up solve it without pivots, and a strand of any length keeps its own to second order of what it moved.

#define CHAIN_SWEEPS                                                                                                   \
    2 // the second takes what the first one's turning left: a whip's tip turns by a third of a radian a substep

typedef struct chain_step {
    v8x3 n;
    v8 upper; // c' of the sweep
    v8 value; // d' of the sweep
} chain_step;

HEM_INLINE v8x3 chain_way(v8x4 a, v8x4 b) {
    return v8x3_make(v8_sub(b.x, a.x), v8_sub(b.y, a.y), v8_sub(b.z, a.z));
}

// Whether a link is there and can do anything.
HEM_INLINE m8 chain_link(const hem_view* view, const hem_row_batch* batch, uint32_t k, v8x4 a, v8x4 b) {
    return m8_and(rod_lanes(view, batch, k + 1), v8_gt(v8_add(a.w, b.w), v8_zero()));
}

static void chain_strands(const hem_view* view, const hem_row_batch* batch, const hemi_rod_args* args) {
    const v8 zero = v8_zero(), one = v8_set1(1.0f), tiny = v8_set1(TINY), alpha = v8_set1(args->alpha);
    chain_step* steps = (chain_step*)args->room;
    const uint32_t last = batch->member_count - 1u;
    v8x4 a = rod_row4(args->x, view, batch, 0), b = rod_row4(args->x, view, batch, 1);
    m8 on = chain_link(view, batch, 0, a, b);
    v8x3 d = chain_way(a, b);
    v8 length = v8_max(v8_sqrt(v8x3_dot(d, d)), tiny), beside = zero, upper = zero, value = zero;
    v8x3 n = v8x3_keep(on, v8x3_scale(d, v8_div(one, length)));
    for (uint32_t k = 0; k < last; ++k) {
        const v8 c = v8_keep(on, v8_sub(length, v8_load(view->chains[batch->payload + k].rest)));
        const v8 diagonal = v8_select(on, v8_add(v8_add(a.w, b.w), alpha), one);
        const v8 pivot = v8_div(one, v8_nmadd(beside, upper, diagonal));
        value = v8_mul(v8_madd(beside, value, c), pivot);
        steps[k].n = n;
        steps[k].value = value;
        steps[k].upper = zero;
        if (k + 1 < last) {
            a = b;
            b = rod_row4(args->x, view, batch, k + 2);
            on = chain_link(view, batch, k + 1, a, b);
            d = chain_way(a, b);
            length = v8_max(v8_sqrt(v8x3_dot(d, d)), tiny);
            n = v8x3_keep(on, v8x3_scale(d, v8_div(one, length)));
            beside = v8_mul(a.w, v8x3_dot(steps[k].n, n));
            upper = v8_mul(beside, pivot);
            steps[k].upper = upper;
        }
    }
    v8 lambda = zero;
    v8x3 below = v8x3_make(zero, zero, zero); // the pull of the link below
    for (uint32_t k = batch->member_count; k-- > 0;) {
        v8x3 above = v8x3_make(zero, zero, zero);
        if (k > 0) {
            lambda = v8_madd(steps[k - 1].upper, lambda, steps[k - 1].value);
            above = v8x3_scale(steps[k - 1].n, lambda);
        }
        const v8x4 p = rod_row4(args->x, view, batch, k);
        const v8x3 x = v8x3_madd(v8x3_sub(below, above), p.w, v8x3_make(p.x, p.y, p.z));
        rod_store(args->x, view, batch, k, v8x4_make(x.x, x.y, x.z, p.w), rod_lanes(view, batch, k), 0);
        below = above;
    }
}

void HEMI_NAME(chains)(const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_rod_args* args) {
    for (uint32_t n = 0; n < count; ++n) {
        for (int sweep = 0; sweep < CHAIN_SWEEPS; ++sweep) {
            chain_strands(view, &batches[n], args);
        }
    }
}

// -- Follow the leader
//
// From the root on each particle comes to its length from the one before, along the way between them (Brown 2004); one pass, and none is
// longer than it is. That moves only who follows, as if every leader were heavier without end, and strands would whirl. So what the
// next one was moved, d(k + 1), is taken from the speed of k (Mueller, Kim and Chentanez 2012):
//
//     v(k) = (p(k) - x(k)) / h - FOLLOW_SHARE d(k + 1) / h
//
// here as a later beginning, prev(k) += FOLLOW_SHARE d(k + 1). It is not momentum: strands hang and swing, somewhat slower than they should.

#define FOLLOW_SHARE 0.9f

HEM_INLINE void follow_shift(hemi_row3* prev, const hem_view* view, const hem_row_batch* batch, uint32_t k, v8x3 d,
                             m8 on) {
    if (batch->form == HEM_FORM_STRANDS) {
        const hem_group_member* m = &view->row_members[batch->member_begin + k];
        hemi_row3* row = &prev[m->row];
        row3_store(row, v8x3_add(row3_load(row), v8x3_rotate_lanes(v8x3_keep(on, d), (8 - m->rotate) & 7)));
        return;
    }
    HEM_ALIGN(32) int32_t at[8];
    places_of(view->row_indices[batch->member_begin + k].index, 24, at);
    scatter3(prev[0].x, at, v8x3_add(gather3(prev[0].x, at), d), on);
}

static void follow_strands(const hem_view* view, const hem_row_batch* batch, const hemi_rod_args* args) {
    const v8 zero = v8_zero(), tiny = v8_set1(TINY), share = v8_set1(FOLLOW_SHARE);
    v8x4 a = rod_row4(args->x, view, batch, 0);
    for (uint32_t k = 1; k < batch->member_count; ++k) {
        const v8x4 b = rod_row4(args->x, view, batch, k);
        const m8 there = rod_lanes(view, batch, k), free = m8_and(there, v8_gt(b.w, zero));
        const v8x3 way = chain_way(a, b);
        const v8 length = v8_max(v8_sqrt(v8x3_dot(way, way)), tiny);
        const v8 rest = v8_load(view->chains[batch->payload + k - 1].rest);
        const v8x3 d = v8x3_keep(free, v8x3_scale(way, v8_div(v8_sub(rest, length), length)));
        follow_shift(args->prev, view, batch, k - 1, v8x3_scale(d, share), m8_and(free, v8_gt(a.w, zero)));
        a = v8x4_make(v8_add(b.x, d.x), v8_add(b.y, d.y), v8_add(b.z, d.z), b.w);
        rod_store(args->x, view, batch, k, a, there, 0);
    }
}

void HEMI_NAME(follow)(const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_rod_args* args) {
    for (uint32_t n = 0; n < count; ++n) {
        follow_strands(view, &batches[n], args);
    }
}
