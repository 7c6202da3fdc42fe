// SPDX-License-Identifier: MIT
// Damped springs between two particles, eight at a time.
//
// XPBD with damping, C = |d| - L, d = xa - xb, W = wa + wb, alpha = compliance / h^2, gamma = compliance damping / h:
//
//     dlambda = (C + gamma dC - alpha lambda) / ((1 + gamma) W + alpha),   dC = (d - d at the start) . d / |d|
//
// A step of this is backward Euler, which damps by itself as a damper of stiffness times h would, to first order in
// u = W / alpha: a spring of 2 Hz with sixty steps a second would lose three quarters of its swing in a second. So that
// much is taken from the damper: gamma - 1 / (1 + 4 u). What is left of the error is of third order in h.
//
// Stability: (1 + gamma) W + alpha stays above alpha whatever the stiffness. Of springs that share a particle each takes
// u / (1 + 4 u) < 1/4 of its own, and the sum may reach 2 before their common swing could grow: eight of any stiffness.
// The stiffer a spring, the less is taken, and the more it damps by itself.

HEM_INLINE v8 spring_solve(const hem_spring* spring, const hemi_spring_args* args, v8x3 d, v8x3 moved, v8 sum, m8 on,
                           float* lambda) {
    v8 one = v8_set1(1.0f), tiny = v8_set1(TINY);
    v8 alpha = v8_madd(v8_load(spring->compliance), v8_set1(args->inverse_h2), v8_set1(args->alpha));
    v8 gamma = v8_mul(alpha, v8_mul(v8_add(v8_load(spring->damping), v8_set1(args->damping)), v8_set1(args->h)));
    gamma = v8_sub(gamma, v8_div(one, v8_add(one, v8_div(v8_mul(sum, v8_set1(4.0f)), alpha))));
    v8 length = v8_max(v8_sqrt(v8x3_dot(d, d)), tiny);
    v8 c = v8_add(v8_sub(length, v8_load(spring->rest)), v8_mul(gamma, v8_div(v8x3_dot(moved, d), length)));
    if (lambda) {
        c = v8_nmadd(alpha, v8_load(lambda), c);
    }
    v8 change = v8_keep(on, v8_div(c, v8_add(v8_madd(gamma, sum, sum), alpha)));
    if (lambda) {
        v8_store(lambda, v8_add(v8_load(lambda), change));
    }
    return v8_div(change, length);
}

HEM_INLINE void spring_rows(const hem_row_batch* batch, const hem_spring* spring, const hemi_spring_args* args,
                            float* lambda) {
    int rotate = batch->rotates[1], back = (8 - rotate) & 7;
    hemi_row4* xa = &args->x[batch->rows[0]];
    hemi_row4* xb = &args->x[batch->rows[1]];
    v8x3 a = row4_load3(xa), b = v8x3_rotate_lanes(row4_load3(xb), rotate);
    v8x3 before = v8x3_sub(row3_load(&args->prev[batch->rows[0]]),
                           v8x3_rotate_lanes(row3_load(&args->prev[batch->rows[1]]), rotate));
    v8 wa = v8_load(xa->w), wb = v8_rotate(v8_load(xb->w), rotate);
    v8x3 d = v8x3_sub(a, b);
    v8 s = spring_solve(spring, args, d, v8x3_sub(d, before), v8_add(wa, wb), m8_from_bits(batch->lane_mask), lambda);
    row4_store3(xa, v8x3_sub(a, v8x3_scale(d, v8_mul(s, wa))));
    row4_store3(xb, v8x3_add(row4_load3(xb), v8x3_rotate_lanes(v8x3_scale(d, v8_mul(s, wb)), back)));
}

HEM_INLINE void spring_indices(const hem_row_batch* batch, const hem_group_index* index, const hem_spring* spring,
                               const hemi_spring_args* args, float* lambda) {
    HEM_ALIGN(32) int32_t ia[8], ib[8], pa[8], pb[8];
    slots_of(index[0].index, ia);
    slots_of(index[1].index, ib);
    places_of(index[0].index, 24, pa);
    places_of(index[1].index, 24, pb);
    float* base = args->x[0].x;
    const float* prev = args->prev[0].x;
    m8 on = m8_from_bits(batch->lane_mask);
    v8x3 a = gather3(base, ia), b = gather3(base, ib), d = v8x3_sub(a, b);
    v8x3 before = v8x3_sub(gather3(prev, pa), gather3(prev, pb));
    v8 wa = v8_gather(base + 24, ia), wb = v8_gather(base + 24, ib);
    v8 s = spring_solve(spring, args, d, v8x3_sub(d, before), v8_add(wa, wb), on, lambda);
    scatter3(base, ia, v8x3_sub(a, v8x3_scale(d, v8_mul(s, wa))), on);
    scatter3(base, ib, v8x3_add(b, v8x3_scale(d, v8_mul(s, wb))), on);
}

void HEMI_NAME(springs)(const hem_view* view, const hem_row_batch* batches, uint32_t count,
                        const hemi_spring_args* args) {
    for (uint32_t n = 0; n < count; ++n) {
        const hem_row_batch* batch = &batches[n];
        const hem_spring* spring = &view->springs[batch->payload];
        float* lambda = args->lambda ? args->lambda + 8 * n : NULL;
        if (batch->form == HEM_FORM_ROWS) {
            spring_rows(batch, spring, args, lambda);
        } else {
            spring_indices(batch, &view->row_indices[batch->member_begin], spring, args, lambda);
        }
    }
}

// The same for ties, which are the game's: to a place that moves as said, or to another particle, and with a force that
// is not passed: |dlambda| <= limit h^2.
void HEMI_NAME(ties)(const hemi_tie_batch* batch, const hemi_spring_args* args) {
    HEM_ALIGN(32) int32_t ia[8], ib[8], pa[8], pb[8];
    HEM_ALIGN(32) hem_spring spring = batch->spring;
    slots_of(batch->a, ia);
    slots_of(batch->b, ib);
    places_of(batch->a, 24, pa);
    places_of(batch->b, 24, pb);
    float* base = args->x[0].x;
    const float* prev = args->prev[0].x;
    m8 on = m8_from_bits(batch->mask), place = m8_from_bits(batch->places);
    v8x3 end = v8x3_make(v8_loadu(batch->place[0]), v8_loadu(batch->place[1]), v8_loadu(batch->place[2]));
    v8x3 begin = v8x3_make(v8_loadu(batch->began[0]), v8_loadu(batch->began[1]), v8_loadu(batch->began[2]));
    v8x3 a = gather3(base, ia), other = gather3(base, ib), b = v8x3_select(place, end, other), d = v8x3_sub(a, b);
    v8x3 before = v8x3_sub(gather3(prev, pa), v8x3_select(place, begin, gather3(prev, pb)));
    v8 wa = v8_gather(base + 24, ia), wb = v8_select(place, v8_zero(), v8_gather(base + 24, ib));
    v8 length = v8_max(v8_sqrt(v8x3_dot(d, d)), v8_set1(TINY)), h2 = v8_set1(args->h * args->h);
    v8 s = spring_solve(&spring, args, d, v8x3_sub(d, before), v8_add(wa, wb), on, NULL);
    v8 most = v8_div(v8_mul(v8_loadu(batch->limit), h2), length);
    s = v8_max(v8_min(s, most), v8_neg(most));
    scatter3(base, ia, v8x3_sub(a, v8x3_scale(d, v8_mul(s, wa))), on);
    scatter3(base, ib, v8x3_add(other, v8x3_scale(d, v8_mul(s, wb))), m8_andnot(on, place));
}
