// SPDX-License-Identifier: MIT
// Distance constraints, eight at a time.
//
// C = |d| - L, d = xa - xb. XPBD with one pass per substep needs no multiplier kept:
//
//     s = C / (|d| (wa + wb + alpha)),   xa -= wa s d,   xb += wb s d,   alpha = compliance / h^2
//
// With more passes the multiplier lambda of each link is kept, so that stiffness does not depend on their number:
// dlambda = (C - alpha lambda) / (wa + wb + alpha), s = dlambda / |d|. Damping adds gamma (xa - xa_prev - xb + xb_prev) . d/|d|.
// Tethers are the same with a longer L and no push.
//
// Where |d| itself is not asked for, C / |d| = 1 - L / |d| is taken without its root, see ratio_of.
//
// Cost per batch on AVX2: 17 loads, most of them operands, about thirty operations, six stores; some fifty vector
// instructions of which a core begins three or four a clock. Whole rows load without indices; a seam costs unaligned
// loads or, where it closes a ring, a lane rotation of one side, there and back.

// The least that C may be: tethers only pull.
HEM_INLINE v8 link_floor(uint32_t kind) {
    return v8_set1(hem_kind_in(kind, HEM_KINDS_PULLS) ? 0.0f : -1e30f);
}

HEM_INLINE int all_scaled_full(const uint8_t scale[8]) {
    return hemi_eight_bytes(scale) == UINT64_MAX;
}

// Painted stiffness: alpha / scale^2, so that halving the paint softens four times, which is what halving looks like.
typedef struct link_softness {
    v8 alpha, scale2;
} link_softness;

HEM_INLINE link_softness softness_of(v8 alpha, const uint8_t scale[8]) {
    v8 s = v8_mul(v8_max(w8_to_v8(w8_load_u8(scale)), v8_set1(1.0f)), v8_set1(1.0f / 255.0f));
    // A rigid part that is painted soft becomes soft all the same.
    link_softness r = {v8_select(v8_lt(s, v8_set1(1.0f)), v8_max(alpha, v8_set1(1e-9f)), alpha), v8_mul(s, s)};
    return r;
}

// C / |d| = 1 - L / |d| without its root: with u = d^2 / L^2 and to the third order of u - 1,
//
//     1 - 1 / sqrt(u) = 2 (u - 1) / (3 u + 1) = (d^2 - L^2) / (1.5 (d^2 + L^2 / 3))
//
// (the Pade approximant at 1). The same zero; 0.2 % less at a length 10 % off, 3 % less at one and a half times the
// length. Far away it stays on the safe side: never past L from beyond it, and no push without bound where d vanishes.
typedef struct link_ratio {
    v8 gap, size; // C / |d| = -gap / (1.5 size)
} link_ratio;

HEM_INLINE link_ratio ratio_of(v8 d2, v8 rest) {
    v8 rest2 = v8_mul(rest, rest);
    link_ratio r = {v8_sub(rest2, d2), v8_madd(v8_set1(1.0f / 3.0f), rest2, d2)};
    return r;
}

// How far to move along d; everything but the loads and stores.
HEM_INLINE v8 link_solve(v8x3 d, v8 wa, v8 wb, v8 rest, link_softness soft, v8 floor_c, float* lambda, v8 gamma,
                         v8x3 moved, int damped) {
    v8 tiny = v8_set1(TINY), w = v8_add(wb, wa);
    m8 linked = v8_ge(rest, v8_zero());
    if (!lambda && !damped) {
        link_ratio ratio = ratio_of(v8x3_dot(d, d), rest);
        v8 over = v8_mul(v8_keep(linked, v8_max(v8_neg(ratio.gap), floor_c)), soft.scale2);
        v8 sum = v8_madd(w, soft.scale2, soft.alpha);
        return v8_div(over, v8_max(v8_mul(ratio.size, v8_mul(sum, v8_set1(1.5f))), tiny));
    }
    v8 alpha = v8_div(soft.alpha, soft.scale2), sum = v8_add(w, alpha);
    v8 length = v8_sqrt(v8x3_dot(d, d));
    v8 c = v8_max(v8_sub(length, rest), floor_c);
    if (damped) {
        v8 rate = v8_mul(gamma, v8_div(v8x3_dot(moved, d), v8_max(length, tiny)));
        c = v8_add(c, v8_keep(v8_gt(c, floor_c), rate));
        sum = v8_add(v8_add(w, v8_mul(gamma, w)), alpha);
    }
    c = v8_keep(linked, c);
    if (lambda) {
        v8 l = v8_load(lambda);
        v8 dl = v8_div(v8_nmadd(alpha, l, c), v8_max(sum, tiny));
        // A tether's multiplier may not change sign; otherwise it would push on the way back.
        dl = v8_select(v8_eq(floor_c, v8_zero()), v8_max(dl, v8_neg(l)), dl);
        dl = v8_keep(linked, dl);
        v8_store(lambda, v8_add(l, dl));
        return v8_div(dl, v8_max(length, tiny));
    }
    return v8_div(c, v8_max(v8_mul(length, sum), tiny));
}

// The same for a batch of either sort, with its part's tuning. lambda: of this batch, when there are several passes.
HEM_INLINE v8 link_step(const hemi_part_step* part, uint32_t kind, const uint8_t scale[8], v8 rest, v8x3 d, v8x3 moved,
                        v8 wa, v8 wb, float* lambda) {
    if (hem_kind_in(kind, HEM_KINDS_PULLS)) {
        rest = v8_mul(rest, v8_set1(part->tether_scale));
    }
    if (part->solver != HEM_SOLVER_XPBD) {
        link_softness rigid = {v8_zero(), v8_set1(1.0f)};
        v8 s = link_solve(d, wa, wb, rest, rigid, link_floor(kind), NULL, v8_zero(), moved, 0);
        return v8_mul(s, v8_set1(part->stiffness[kind]));
    }
    link_softness soft = softness_of(v8_set1(part->alpha[kind]), scale);
    return link_solve(d, wa, wb, rest, soft, link_floor(kind), lambda, v8_set1(part->beta[kind]), moved, part->damped);
}

// How the lanes of row b are had. The components of a row follow each other, so that eight floats from lane r on are
// the lanes r..7 and then the first ones of the next component. In an open seam, one that is not closed to a ring, no
// link stands in those: reading and writing there adds 0 to them, and no lane has to be moved.
enum { STRAIGHT, OPEN_SEAM, ROTATED };

HEM_INLINE int seam_of(const hem_link_batch* batch) {
    return batch->rotate == 0 ? STRAIGHT : hem_is_open_seam(batch) ? OPEN_SEAM : ROTATED;
}

HEM_INLINE v8x3 load_across(const hemi_row4* row, int rotate, int seam) {
    if (seam == OPEN_SEAM) {
        return v8x3_make(v8_loadu(row->x + rotate), v8_loadu(row->y + rotate), v8_loadu(row->z + rotate));
    }
    v8x3 x = row4_load3(row);
    return seam == ROTATED ? v8x3_rotate_lanes(x, rotate) : x;
}

// Moves row b against `move`: subtracting saves turning a sign.
HEM_INLINE void subtract_across(hemi_row4* row, int rotate, int seam, v8x3 move) {
    if (seam == OPEN_SEAM) {
        v8x3 x = v8x3_sub(load_across(row, rotate, OPEN_SEAM), move);
        v8_storeu(row->x + rotate, x.x);
        v8_storeu(row->y + rotate, x.y);
        v8_storeu(row->z + rotate, x.z);
        return;
    }
    row4_store3(row, v8x3_sub(row4_load3(row), seam == ROTATED ? v8x3_rotate_lanes(move, 8 - rotate) : move));
}

HEM_INLINE void link_jacobi(hemi_row4* delta, v8x3 move, m8 active) {
    v8x4 d = row4_load(delta);
    row4_store(delta, v8x4_make(v8_add(d.x, move.x), v8_add(d.y, move.y), v8_add(d.z, move.z),
                                v8_add(d.w, v8_keep(active, v8_set1(1.0f)))));
}

HEM_INLINE void links_general(const hem_link_batch* batches, uint32_t count, const hemi_link_args* args) {
    const hemi_part_step* part = args->part;
    for (uint32_t n = 0; n < count; ++n) {
        const hem_link_batch* batch = &batches[n];
        uint32_t kind = batch->kind;
        if (hem_kind_in(kind, HEM_KINDS_PULLS) && !args->tethers) {
            continue;
        }
        int rotate = batch->rotate, back = (8 - rotate) & 7, seam = seam_of(batch);
        hemi_row4* xa = &args->x[batch->row_a];
        hemi_row4* xb = &args->x[batch->row_b];
        v8x3 a = row4_load3(xa), b = load_across(xb, rotate, seam);
        v8 wa = v8_load(xa->w), wb = v8_rotate(v8_load(xb->w), rotate);
        v8 rest = v8_loadu(batch->rest); // sits at 16 bytes, inside one cache line
        v8x3 d = v8x3_sub(a, b);
        v8x3 moved = d;
        if (part->damped) {
            v8x3 pa = row3_load(&args->prev[batch->row_a]);
            v8x3 pb = v8x3_rotate_lanes(row3_load(&args->prev[batch->row_b]), rotate);
            moved = v8x3_sub(d, v8x3_sub(pa, pb));
        }
        float* lambda = args->lambda ? args->lambda + 8 * n : NULL;
        v8 s = link_step(part, kind, batch->scale, rest, d, moved, wa, wb, lambda);
        v8x3 ma = v8x3_scale(d, v8_neg(v8_mul(s, wa))), mb = v8x3_scale(d, v8_mul(s, wb));
        if (part->solver == HEM_SOLVER_JACOBI) {
            m8 active = v8_ge(rest, v8_zero());
            link_jacobi(&args->delta[batch->row_a], ma, active);
            link_jacobi(&args->delta[batch->row_b], v8x3_rotate_lanes(mb, back),
                        v8_ge(v8_rotate(rest, back), v8_zero()));
        } else {
            row4_store3(xa, v8x3_add(a, ma));
            subtract_across(xb, rotate, seam, v8x3_scale(d, v8_neg(v8_mul(s, wb))));
        }
    }
}

// -- Runs: batches of which neighbours share no row (see hem_may_follow), so the next one is begun before the division of
// this one ends. The results are those of one after the other.

typedef struct link_run {
    v8 alpha;
    int rotate;
} link_run;

typedef struct link_pair {
    hemi_row4 *a, *b;
    v8x3 d;
    v8 gap, weight, wb; // -s = gap / weight
} link_pair;

HEM_INLINE link_pair link_begin(const hem_link_batch* batch, const link_run* run, hemi_row4* x, int seam, int painted) {
    link_pair p;
    p.a = &x[batch->row_a];
    p.b = &x[batch->row_b];
    p.d = v8x3_sub(row4_load3(p.a), load_across(p.b, run->rotate, seam));
    p.wb = v8_load(p.b->w);
    if (seam != STRAIGHT) {
        p.wb = v8_rotate(p.wb, run->rotate);
    }
    v8 rest = v8_loadu(batch->rest); // sits at 16 bytes, inside one cache line
    link_ratio ratio = ratio_of(v8x3_dot(p.d, p.d), rest);
    p.gap = v8_keep(v8_ge(rest, v8_zero()), ratio.gap);
    v8 w = v8_add(p.wb, v8_load(p.a->w)), alpha = run->alpha;
    if (painted) {
        link_softness soft = softness_of(alpha, batch->scale);
        p.gap = v8_mul(p.gap, soft.scale2);
        w = v8_mul(w, soft.scale2);
        alpha = soft.alpha;
    }
    p.weight = v8_mul(ratio.size, v8_mul(v8_add(w, alpha), v8_set1(1.5f))); // not 0: rest and alpha are not
    return p;
}

HEM_INLINE void link_end(link_pair p, const link_run* run, int seam) {
    v8 s = v8_div(p.gap, p.weight);
    // gcc would load the rows for this as soon as the last batch is stored, and spill them for want of registers.
    HEM_FORGET(p.a);
    HEM_FORGET(p.b);
    row4_store3(p.a, v8x3_add(v8x3_scale(p.d, v8_mul(s, v8_load(p.a->w))), row4_load3(p.a)));
    v8x3 move = v8x3_scale(p.d, v8_mul(s, seam != STRAIGHT ? p.wb : v8_load(p.b->w)));
    subtract_across(p.b, run->rotate, seam, move);
}

// Batches are read once a substep, one after the other, so those of all but the smallest meshes are never in the nearest
// cache, and the processor's own prefetching does not keep up: so many bytes ahead. 16 to 48 batches are all alike.
#define AHEAD (24 * sizeof(hem_link_batch))

HEM_INLINE void solve_run(const hem_link_batch* batch, hemi_row4* x, const float* alphas, int seam, int painted) {
    link_run run = {v8_set1(hem_maxf(alphas[batch->kind], TINY)), batch->rotate};
    const hem_link_batch* last = batch + batch->run - 1;
    link_pair pair = link_begin(batch, &run, x, seam, painted);
    while (batch < last) {
        HEM_PREFETCH(batch, AHEAD);
        link_pair next = link_begin(++batch, &run, x, seam, painted);
        link_end(pair, &run, seam);
        pair = next;
    }
    link_end(pair, &run, seam);
}

void HEMI_NAME(links)(const hem_link_batch* batches, uint32_t count, const hemi_link_args* args) {
    const hemi_part_step* part = args->part;
    HEM_ASSERT(count == 0 || hemi_is_aligned(batches, 64));
    if (args->lambda || part->damped || part->solver != HEM_SOLVER_XPBD) {
        links_general(batches, count, args);
        return;
    }
    for (uint32_t n = 0; n < count;) {
        const hem_link_batch* batch = &batches[n];
        if (batch->run == 0) {
            links_general(batch, 1, args);
            ++n;
            continue;
        }
        // One way through the code for each: what is the same for a whole run is not asked for at every batch.
        int painted = !all_scaled_full(batch->scale);
        switch (seam_of(batch) * 2 + painted) {
        case STRAIGHT * 2:
            solve_run(batch, args->x, part->alpha, STRAIGHT, 0);
            break;
        case STRAIGHT * 2 + 1:
            solve_run(batch, args->x, part->alpha, STRAIGHT, 1);
            break;
        case OPEN_SEAM * 2:
            solve_run(batch, args->x, part->alpha, OPEN_SEAM, 0);
            break;
        case OPEN_SEAM * 2 + 1:
            solve_run(batch, args->x, part->alpha, OPEN_SEAM, 1);
            break;
        case ROTATED * 2:
            solve_run(batch, args->x, part->alpha, ROTATED, 0);
            break;
        default:
            solve_run(batch, args->x, part->alpha, ROTATED, 1);
            break;
        }
        n += batch->run;
    }
}

void HEMI_NAME(links_indexed)(const hem_index_batch* batches, uint32_t count, const hemi_link_args* args) {
    const hemi_part_step* part = args->part;
    float* base = args->x[0].x;
    for (uint32_t n = 0; n < count; ++n) {
        const hem_index_batch* batch = &batches[n];
        uint32_t kind = batch->kind;
        if (hem_kind_in(kind, HEM_KINDS_PULLS) && !args->tethers) {
            continue;
        }
        HEM_ALIGN(32) int32_t ia[8], ib[8];
        slots_of(batch->a, ia);
        slots_of(batch->b, ib);
        m8 active = m8_from_bits(batch->lane_mask);
        v8x3 a = gather3(base, ia), b = gather3(base, ib);
        v8 wa = v8_gather(base + 24, ia), wb = v8_gather(base + 24, ib);
        v8 rest = v8_loadu(batch->rest); // sits at 16 bytes, inside one cache line
        v8x3 d = v8x3_sub(a, b);
        v8x3 moved = d;
        if (part->damped) {
            HEM_ALIGN(32) int32_t pa[8], pb[8];
            places_of(batch->a, 24, pa);
            places_of(batch->b, 24, pb);
            const float* prev = args->prev[0].x;
            moved = v8x3_sub(d, v8x3_sub(gather3(prev, pa), gather3(prev, pb)));
        }
        float* lambda = args->lambda ? args->lambda + 8 * n : NULL;
        v8 s = link_step(part, kind, batch->scale, rest, d, moved, wa, wb, lambda);
        v8x3 ma = v8x3_scale(d, v8_neg(v8_mul(s, wa))), mb = v8x3_scale(d, v8_mul(s, wb));
        if (part->solver == HEM_SOLVER_JACOBI) {
            float* delta = args->delta[0].x;
            v8 one = v8_set1(1.0f);
            scatter3(delta, ia, v8x3_add(gather3(delta, ia), ma), active);
            v8_scatter(delta + 24, ia, v8_add(v8_gather(delta + 24, ia), one), active);
            scatter3(delta, ib, v8x3_add(gather3(delta, ib), mb), active);
            v8_scatter(delta + 24, ib, v8_add(v8_gather(delta + 24, ib), one), active);
        } else {
            scatter3(base, ia, v8x3_add(a, ma), active);
            scatter3(base, ib, v8x3_add(b, mb), active);
        }
    }
}
