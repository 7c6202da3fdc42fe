// SPDX-License-Identifier: MIT
// Cloth that a limb has gone through.
//
// Particles stand for cloth, and the cloth between two of them is not tested against the body: a limb that jumps (a clip
// that starts without a blend, a pose that crosses itself) can end up between neighbours. Contacts then push them apart,
// the link pulls them together, and they would struggle for ever. Such a pair is known by its length: no cloth is
// stretched to HEMI_STRAINED times its length for HEMI_CAUGHT_SECONDS otherwise, or to HEMI_TORN for a third of that. Both ends are then led back to where the pose has
// them, through whatever is in the way.
//
// One byte per particle of the state: below HEMI_LED, for how long its links have been strained; from there on, how
// much time is left until it arrives; both in units of 1 / HEMI_CAUGHT_HZ seconds.

HEM_INLINE uint32_t rotate_bits(uint32_t bits, uint32_t by) {
    return (bits << by | bits >> (8 - by)) & 0xffu;
}

// Marks, in one byte per row, the lanes that have a structural link of more than `times` its rest length.
void HEMI_NAME(watch_links)(const hem_view* view, const hem_part* part, const hemi_row4* x, float times,
                            uint8_t* strained) {
    v8 zero = v8_zero(), limit = v8_set1(times * times);
    hem_range rows = hem_range_of(view->ranges, part, HEM_BATCH_LINKS);
    for (uint32_t n = rows.begin; n < rows.begin + rows.count; ++n) {
        const hem_link_batch* batch = &view->link_batches[n];
        if (!hem_kind_in(batch->kind, HEM_KINDS_WEAVE)) {
            continue;
        }
        v8x3 d = v8x3_sub(row4_load3(&x[batch->row_a]), v8x3_rotate_lanes(row4_load3(&x[batch->row_b]), batch->rotate));
        v8 rest = v8_loadu(batch->rest);
        m8 far = m8_and(v8_gt(v8x3_dot(d, d), v8_mul(v8_mul(rest, rest), limit)), v8_gt(rest, zero));
        uint32_t bits = m8_bits(far);
        if (bits) {
            strained[batch->row_a] |= (uint8_t)bits;
            strained[batch->row_b] |= (uint8_t)rotate_bits(bits, batch->rotate);
        }
    }
    hem_range indexed = hem_range_of(view->ranges, part, HEM_BATCH_INDEXED_LINKS);
    for (uint32_t n = indexed.begin; n < indexed.begin + indexed.count; ++n) {
        const hem_index_batch* batch = &view->index_batches[n];
        if (!hem_kind_in(batch->kind, HEM_KINDS_WEAVE)) {
            continue;
        }
        HEM_ALIGN(32) int32_t ia[8], ib[8];
        slots_of(batch->a, ia);
        slots_of(batch->b, ib);
        v8x3 d = v8x3_sub(gather3(x[0].x, ia), gather3(x[0].x, ib));
        v8 rest = v8_loadu(batch->rest);
        m8 far = m8_and(v8_gt(v8x3_dot(d, d), v8_mul(v8_mul(rest, rest), limit)), v8_gt(rest, zero));
        for (uint32_t bits = m8_bits(far) & batch->lane_mask; bits; bits &= bits - 1) {
            uint32_t i = hem_lowest_bit(bits);
            strained[batch->a[i] >> 3] |= (uint8_t)(1u << (batch->a[i] & 7));
            strained[batch->b[i] >> 3] |= (uint8_t)(1u << (batch->b[i] & 7));
        }
    }
}

void HEMI_NAME(pose_led)(const hem_view* view, const hemi_bone_pose* bones, hemi_led* led) {
    HEM_ALIGN(32) hemi_target_row t;
    pose_row(view, led->row, bones, &t);
    led->goal = t.x;
}

// Of the lanes of led->mask, those whose straight way to the goal leads through the inside of the body: nearer to a
// sphere's center than LIMB_CORE of its radius, while both ends lie outside of LIMB_SKIN. An end within is no side that
// one could be on: what lies close at rest, or a pose that is inside itself.
#define LIMB_CORE 0.75f
#define LIMB_SKIN 0.9f

uint32_t HEMI_NAME(find_astray)(const hemi_body* bodies, uint32_t count, const hemi_row4* x, const hemi_led* led) {
    const v8 zero = v8_zero(), one = v8_set1(1.0f), core = v8_set1(LIMB_CORE * LIMB_CORE);
    const v8 skin = v8_set1(LIMB_SKIN * LIMB_SKIN);
    uint32_t astray = 0;
    for (uint32_t bits = led->mask; bits; bits &= bits - 1) {
        const uint32_t i = hem_lowest_bit(bits);
        const v8x3 from = v8x3_set1(x->x[i], x->y[i], x->z[i]);
        const v8x3 way = v8x3_sub(v8x3_set1(led->goal.x[i], led->goal.y[i], led->goal.z[i]), from);
        const v8 scale = v8_div(one, v8_max(v8x3_dot(way, way), v8_set1(1e-12f)));
        for (uint32_t n = 0; n < count && !(astray >> i & 1u); n += 8) {
            static const int32_t each[8] = {0, 5, 10, 15, 20, 25, 30, 35}; // hemi_body is five times four floats
            v8x3 center;
            v8 radius;
            v8_load_rows4(bodies[n].center, each, &center.x, &center.y, &center.z, &radius);
            const v8x3 out = v8x3_sub(center, from), back = v8x3_sub(out, way);
            const v8 t = v8_max(v8_min(v8_mul(v8x3_dot(out, way), scale), one), zero);
            const v8x3 off = v8x3_nmadd(way, t, out);
            const v8 radius2 = v8_mul(radius, radius), end2 = v8_min(v8x3_dot(out, out), v8x3_dot(back, back));
            const m8 through =
                m8_and(v8_lt(v8x3_dot(off, off), v8_mul(radius2, core)), v8_gt(end2, v8_mul(radius2, skin)));
            astray |= (uint32_t)m8_any(through) << i;
        }
    }
    return astray;
}
