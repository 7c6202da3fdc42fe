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
