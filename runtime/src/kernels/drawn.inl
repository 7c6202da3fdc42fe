// SPDX-License-Identifier: MIT
// Strands that contacts have pulled apart or pressed together, drawn to their lengths again at the end of a step; eight at a time.
//
// Contacts and limits move one particle and not its neighbours. Segments get back the lengths that they had before, by the sweep of chains
// (chains.inl), but what was pushed goes on across the way m that it was pushed, and hardly along it: its inverse mass is
//
//     W = w (1 - s m m^T),   s = RESIST push / (push + SOFT length)
//
// The system stays tridiagonal: n.W(k) n + n.W(k+1) n on the diagonal for a segment with direction n, -n(k).W(k+1) n(k+1) beside it. So
// strands go along what they lie on and are hardly pulled into it. A push of nothing has no direction to speak of: with SOFT 0 hair on a
// collar trembles by a tenth of a millimetre. Nothing is thrown by it: where the substep began moves along.
//
// Once a step is enough, for the strand is solved again in each substep: ringlets that hop stretch by 0.7 % where it was 29 %.

#define DRAWN_SWEEPS 2
#define DRAWN_SLACK 0.005f // of a length: what is nearer stays
#define DRAWN_RESIST 0.95f
#define DRAWN_SOFT 0.01f

typedef struct drawn_step {
    v8x3 m;         // times the root of s; 0: the particle was not pushed
    v8 least, most; // lengths of the segment below it
    v8x3 n;
    v8 upper, value; // of the sweep
} drawn_step;

HEM_INLINE v8x3 drawn_weight(v8 w, v8x3 m, v8x3 v) {
    return v8x3_scale(v8x3_nmadd(m, v8x3_dot(m, v), v), w);
}

// Where it was pushed, and what lengths segments may have. Whether any of them has another.
static int drawn_begin(const hem_view* view, const hem_row_batch* batch, const hemi_rod_args* args, drawn_step* steps) {
    const v8 zero = v8_zero(), one = v8_set1(1.0f), tiny = v8_set1(TINY), resist = v8_set1(DRAWN_RESIST);
    v8x3 was_above = v8x3_make(zero, zero, zero), now_above = was_above;
    v8 then = zero;
    uint32_t off = 0;
    for (uint32_t k = 0; k < batch->member_count; ++k) {
        const v8x4 a = rod_row4(args->before, view, batch, k), b = rod_row4(args->x, view, batch, k);
        const v8x3 was = v8x3_make(a.x, a.y, a.z), now = v8x3_make(b.x, b.y, b.z), way = v8x3_sub(now, was);
        if (k > 0) {
            then = v8x3_length(v8x3_sub(was, was_above));
            const v8 length = v8x3_length(v8x3_sub(now, now_above));
            steps[k - 1].most = v8_mul(then, v8_set1(1.0f + DRAWN_SLACK));
            steps[k - 1].least = v8_mul(then, v8_set1(1.0f - DRAWN_SLACK));
            off |= m8_bits(m8_and(rod_lanes(view, batch, k),
                                  m8_or(v8_gt(length, steps[k - 1].most), v8_lt(length, steps[k - 1].least))));
        }
        const v8 pushed = v8x3_length(way), wide = v8_mul(pushed, v8_madd(v8_set1(DRAWN_SOFT), then, pushed));
        const v8 share = v8_sqrt(v8_div(resist, v8_max(wide, tiny)));
        steps[k].m = v8x3_scale(way, v8_keep(v8_gt(pushed, zero), v8_min(share, v8_div(one, v8_max(pushed, tiny)))));
        was_above = was;
        now_above = now;
    }
    return off != 0;
}

static void drawn_sweep(const hem_view* view, const hem_row_batch* batch, const hemi_rod_args* args,
                        drawn_step* steps) {
    const v8 zero = v8_zero(), one = v8_set1(1.0f), tiny = v8_set1(TINY);
    const uint32_t last = batch->member_count - 1u;
    v8x4 a = rod_row4(args->x, view, batch, 0);
    v8x3 pulled = v8x3_make(zero, zero, zero); // W(k) n(k - 1)
    v8 upper = zero, value = zero, pivot = zero;
    for (uint32_t k = 0; k < last; ++k) {
        const v8x4 b = rod_row4(args->x, view, batch, k + 1);
        const v8x3 d = chain_way(a, b);
        const v8 length = v8_max(v8x3_length(d), tiny);
        const m8 on = chain_link(view, batch, k, a, b);
        const v8x3 n = v8x3_keep(on, v8x3_scale(d, v8_div(one, length)));
        const v8x3 own = drawn_weight(a.w, steps[k].m, n), next = drawn_weight(b.w, steps[k + 1].m, n);
        const v8 c = v8_keep(on, v8_sub(length, v8_min(v8_max(length, steps[k].least), steps[k].most)));
        const v8 beside = v8x3_dot(pulled, n);
        const v8 diagonal = v8_select(on, v8_add(v8x3_dot(own, n), v8x3_dot(next, n)), one);
        upper = v8_mul(beside, pivot);
        if (k > 0) {
            steps[k - 1].upper = upper;
        }
        pivot = v8_div(one, v8_max(v8_nmadd(beside, upper, diagonal), tiny));
        value = v8_mul(v8_madd(beside, value, c), pivot);
        steps[k].n = n;
        steps[k].value = value;
        steps[k].upper = zero;
        pulled = next;
        a = b;
    }
    v8 lambda = zero;
    v8x3 below = v8x3_make(zero, zero, zero); // the pull of the segment below
    for (uint32_t k = batch->member_count; k-- > 0;) {
        v8x3 above = v8x3_make(zero, zero, zero);
        if (k > 0) {
            lambda = v8_madd(steps[k - 1].upper, lambda, steps[k - 1].value);
            above = v8x3_scale(steps[k - 1].n, lambda);
        }
        const v8x4 p = rod_row4(args->x, view, batch, k);
        const v8x3 move = drawn_weight(p.w, steps[k].m, v8x3_sub(below, above));
        const v8x3 x = v8x3_add(v8x3_make(p.x, p.y, p.z), move);
        const m8 on = rod_lanes(view, batch, k);
        rod_store(args->x, view, batch, k, v8x4_make(x.x, x.y, x.z, p.w), on, 0);
        follow_shift(args->prev, view, batch, k, move, on);
        below = above;
    }
}

void HEMI_NAME(draw_strands)(const hem_view* view, const hem_row_batch* batches, uint32_t count,
                             const hemi_rod_args* args) {
    drawn_step* steps = (drawn_step*)args->room;
    for (uint32_t n = 0; n < count; ++n) {
        if (drawn_begin(view, &batches[n], args, steps)) {
            for (int sweep = 0; sweep < DRAWN_SWEEPS; ++sweep) {
                drawn_sweep(view, &batches[n], args, steps);
            }
        }
    }
}
