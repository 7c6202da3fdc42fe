// SPDX-License-Identifier: MIT
// Threads that are longer than cloth is, brought back at the end of a step (stretch.c).
//
// A sweep goes over the weave once, Gauss-Seidel, and looks only at threads of which an end has moved since it last looked:
// the others are as long as they were. A hoop that is too wide all round has no end to begin with, and plain sweeps take
// hundreds to close it; over-relaxed they take a dozen.
//
// What sweeps have taken off a thread is kept, and what was too much is given back, but never more than was taken: a limit
// pulls and does not push (projected successive over-relaxation). So the end is the nearest place where no thread is too long, and
// places that hardly differ end so. Without it a thread that was a little too long became as much too short in a step, and
// between its weight and its limit it trembled for ever.
//
// As with contacts, no energy comes of it: of what a thread is shortened, only what its ends were moving apart counts as
// velocity, the rest moves where the substep began along, as does what is given back.

#define NOTHING 1e-3f // of a thread: so little more or less does not count as work left

typedef struct stretched {
    m8 turned;      // lanes that change
    uint32_t found; // how many of them by more than nothing
    v8 pull, shift; // times d: of x, and of where the substep began
} stretched;

// before: what lay between the ends when the substep began. taken: lengths that sweeps have taken off so far.
HEM_INLINE stretched shorten(v8x3 d, v8x3 before, v8 longest, v8 w, float* taken, float relax) {
    const v8 zero = v8_zero(), tiny = v8_set1(TINY);
    const v8 length = v8_max(v8x3_length(d), tiny), so_far = v8_load(taken);
    const m8 there = m8_and(v8_gt(longest, zero), v8_gt(w, zero));
    const v8 over = v8_keep(there, v8_mul(v8_sub(length, longest), v8_set1(relax)));
    const v8 more = v8_max(over, v8_neg(so_far));
    const m8 turned = m8_or(v8_gt(more, zero), v8_lt(more, zero));
    const v8 enough = v8_mul(longest, v8_set1(NOTHING)), sum = v8_mul(length, v8_max(w, tiny));
    const v8 apart = v8_max(v8_div(v8x3_dot(v8x3_sub(d, before), d), length), zero);
    const v8 shift = v8_max(v8_sub(more, apart), v8_min(more, zero));
    v8_store(taken, v8_add(so_far, more));
    const m8 work = m8_or(v8_gt(more, enough), v8_lt(more, v8_neg(enough)));
    stretched s = {turned, hemi_bit_count(m8_bits(work)), v8_div(more, sum), v8_div(shift, sum)};
    return s;
}

// Threads that none of the sweeps has had to shorten.
HEM_INLINE int is_slack(v8x3 d, v8 longest, const float* taken) {
    const v8 zero = v8_zero();
    const m8 far = m8_and(v8_gt(v8x3_dot(d, d), v8_mul(longest, longest)), v8_gt(longest, zero));
    return !m8_any(m8_or(far, v8_gt(v8_load(taken), zero)));
}

static uint32_t shorten_rows(const hemi_stretch_args* args) {
    const hem_range range = args->rows;
    const v8 times = v8_set1(1.0f + args->limit);
    uint32_t found = 0, looked = 0, pulled = 0;
    for (uint32_t n = range.begin; n < range.begin + range.count; ++n) {
        const hem_link_batch* batch = &args->view->link_batches[n];
        uint8_t *stamp_a = &args->stamps[batch->row_a], *stamp_b = &args->stamps[batch->row_b];
        if (!hem_kind_in(batch->kind, HEM_KINDS_WEAVE) ||
            (*stamp_a + 1u < args->sweep && *stamp_b + 1u < args->sweep)) {
            continue;
        }
        ++looked;
        hemi_row4 *a = &args->x[batch->row_a], *b = &args->x[batch->row_b];
        const int rotate = batch->rotate, back = (8 - rotate) & 7;
        v8x3 d = v8x3_sub(row4_load3(a), v8x3_rotate_lanes(row4_load3(b), rotate));
        v8 wa = v8_load(a->w), wb = v8_rotate(v8_load(b->w), rotate);
        v8 longest = v8_mul(v8_loadu(batch->rest), times);
        float* taken = args->taken + (size_t)n * 8;
        if (is_slack(d, longest, taken)) {
            continue;
        }
        hemi_row3 *pa = &args->prev[batch->row_a], *pb = &args->prev[batch->row_b];
        v8x3 before = v8x3_sub(row3_load(pa), v8x3_rotate_lanes(row3_load(pb), rotate));
        stretched s = shorten(d, before, longest, v8_add(wa, wb), taken, args->relax);
        if (!m8_any(s.turned)) {
            continue;
        }
        found += s.found;
        ++pulled;
        *stamp_a = *stamp_b = (uint8_t)args->sweep;
        // Both ends may lie in one row: each is loaded after the other is stored.
        row4_store3(a, v8x3_nmadd(d, v8_mul(s.pull, wa), row4_load3(a)));
        row4_store3(b, v8x3_add(row4_load3(b), v8x3_rotate_lanes(v8x3_scale(d, v8_mul(s.pull, wb)), back)));
        row3_store(pa, v8x3_nmadd(d, v8_mul(s.shift, wa), row3_load(pa)));
        row3_store(pb, v8x3_add(row3_load(pb), v8x3_rotate_lanes(v8x3_scale(d, v8_mul(s.shift, wb)), back)));
    }
    *args->looked += looked;
    *args->pulled += pulled;
    return found;
}

static uint32_t shorten_indexed(const hemi_stretch_args* args) {
    const hem_range range = args->indexed;
    float *x = args->x[0].x, *prev = args->prev[0].x;
    const v8 times = v8_set1(1.0f + args->limit);
    uint32_t found = 0, pulled = 0;
    for (uint32_t n = range.begin; n < range.begin + range.count; ++n) {
        const hem_index_batch* batch = &args->view->index_batches[n];
        if (!hem_kind_in(batch->kind, HEM_KINDS_WEAVE)) {
            continue;
        }
        HEM_ALIGN(32) int32_t ia[8], ib[8], pa[8], pb[8];
        slots_of(batch->a, ia);
        slots_of(batch->b, ib);
        v8x3 a = gather3(x, ia), b = gather3(x, ib), d = v8x3_sub(a, b);
        v8 wa = v8_gather(x + 24, ia), wb = v8_gather(x + 24, ib);
        v8 longest = v8_keep(m8_from_bits(batch->lane_mask), v8_mul(v8_loadu(batch->rest), times));
        float* taken = args->taken + (size_t)(args->view->link_batch_count + n) * 8;
        if (is_slack(d, longest, taken)) {
            continue;
        }
        places_of(batch->a, 24, pa);
        places_of(batch->b, 24, pb);
        v8x3 from_a = gather3(prev, pa), from_b = gather3(prev, pb);
        stretched s = shorten(d, v8x3_sub(from_a, from_b), longest, v8_add(wa, wb), taken, args->relax);
        found += s.found;
        ++pulled;
        for (uint32_t bits = m8_bits(s.turned); bits; bits &= bits - 1) {
            const uint32_t i = hem_lowest_bit(bits);
            args->stamps[batch->a[i] >> 3] = args->stamps[batch->b[i] >> 3] = (uint8_t)args->sweep;
        }
        scatter3(x, ia, v8x3_nmadd(d, v8_mul(s.pull, wa), a), s.turned);
        scatter3(x, ib, v8x3_madd(d, v8_mul(s.pull, wb), b), s.turned);
        scatter3(prev, pa, v8x3_nmadd(d, v8_mul(s.shift, wa), from_a), s.turned);
        scatter3(prev, pb, v8x3_madd(d, v8_mul(s.shift, wb), from_b), s.turned);
    }
    *args->looked += 4 * range.count; // they are gathered
    *args->pulled += 4 * pulled;
    return found;
}

// One sweep. Returns how many threads became shorter or longer by more than nothing.
uint32_t HEMI_NAME(limit_links)(const hemi_stretch_args* args) {
    return shorten_rows(args) + shorten_indexed(args);
}

// Where the last contacts pushed a particle is as deep as it may go, less `give`: a plane across the way that it was pushed.
// `planes` holds where it was before, afterwards n and n.x >= offset. What was not pushed is free.
void HEMI_NAME(make_planes)(const hemi_stretch_args* args) {
    const v8 give = v8_set1(args->give), least = v8_set1(1e-6f * args->part->spacing), one = v8_set1(1.0f);
    for (uint32_t n = 0; n < args->part->row_count; ++n) {
        const uint32_t row = args->part->row_begin + n;
        hemi_row4* plane = &args->planes[row];
        v8x3 x = row4_load3(&args->x[row]), way = v8x3_sub(x, row4_load3(plane));
        v8 length = v8x3_length(way);
        m8 pushed = v8_gt(length, least);
        v8x3 normal = v8x3_scale(way, v8_keep(pushed, v8_div(one, v8_max(length, v8_set1(TINY)))));
        v8 offset = v8_select(pushed, v8_sub(v8x3_dot(normal, x), give), v8_set1(-1e30f));
        row4_store(plane, v8x4_make(normal.x, normal.y, normal.z, offset));
    }
}

// Rows that this sweep has moved, back above their planes. Where the substep began goes along: nothing is thrown.
void HEMI_NAME(hold_planes)(const hemi_stretch_args* args) {
    for (uint32_t n = 0; n < args->part->row_count; ++n) {
        const uint32_t row = args->part->row_begin + n;
        if (args->stamps[row] != args->sweep) {
            continue;
        }
        v8x4 plane = row4_load(&args->planes[row]);
        v8x3 normal = v8x3_make(plane.x, plane.y, plane.z), x = row4_load3(&args->x[row]);
        v8 below = v8_keep(v8_gt(v8_load(args->x[row].w), v8_zero()), v8_sub(plane.w, v8x3_dot(normal, x)));
        m8 deep = v8_gt(below, v8_zero());
        if (m8_any(deep)) {
            v8x3 move = v8x3_scale(normal, v8_keep(deep, below));
            row4_store3(&args->x[row], v8x3_add(x, move));
            row3_store(&args->prev[row], v8x3_add(row3_load(&args->prev[row]), move));
        }
    }
}
