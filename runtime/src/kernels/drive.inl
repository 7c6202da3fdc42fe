// SPDX-License-Identifier: MIT
// The drive: a damped spring from each particle to where the pose has it, row by row.
//
// With d the way from the target and s what it went in the last substep, both seen from the target, the oscillator
// d'' + 2 zeta omega d' + omega^2 d = 0 goes through points that obey, exactly,
//
//     d(t + h) = d(t) + E s - G d(t),   E = e^(-2 zeta omega h),   G = 1 + E - 2 e^(-zeta omega h) cos(omega' h)
//
// so that frequency and decay do not depend on the substep, and no stiffness is too stiff. A constant force shifts the place
// where it comes to rest: gravity g counts as g G / omega^2 instead of g h^2, and the sag is g / omega^2. For a painted share
// f of the frequency what differs from a free fall, 1 - E and 1 - G / (omega h)^2, is taken f times: right to second order
// in h, and the sag is exact.
//
// What was predicted is replaced; constraints and contacts come after it.

void HEMI_NAME(drives)(const hemi_drive_args* args) {
    const hemi_part_step* part = args->part;
    const float* m = part->frame.m;
    const float back[12] = {m[0], m[4], m[8], 0.0f, m[1],  m[5],
                            m[9], 0.0f, m[2], m[6], m[10], 0.0f}; // the frame's motion is rigid
    const int still = hemi_frame_is_still(&part->frame);
    const float h2 = args->h * args->h, hh = h2 * part->keep;
    v8 one = v8_set1(1.0f), zero = v8_zero();
    v8 lost = v8_set1(1.0f - part->drive_keep), pull = v8_set1(part->drive_pull);
    v8 stiff = v8_set1(part->drive_stiff), lighter = v8_set1(1.0f - part->drive_fall);
    v8 share_of_step = v8_set1(args->share_of_step);
    v8x3 fall = v8x3_set1(part->gravity[0] * hh, part->gravity[1] * hh, part->gravity[2] * hh);
    v8x3 gravity = v8x3_set1(part->gravity[0] * h2, part->gravity[1] * h2, part->gravity[2] * h2);
    v8x3 origin = v8x3_set1(m[3], m[7], m[11]);
    for (uint32_t i = 0; i < args->count; ++i) {
        const hem_drive_row* row = &args->rows[i];
        hemi_row4* x = &args->x[row->row];
        v8 f = v8_load(row->share);
        m8 on = m8_and(v8_gt(v8_load(x->w), zero), v8_gt(f, zero));
        v8x3 p = row4_load3(x), began = row3_load(&args->prev[row->row]);
        if (!still) {
            began = transform3(back, v8x3_sub(began, origin), 0);
        }
        v8x3 target = row3_load(&args->now[row->anim_row].x);
        v8x3 way = v8x3_scale(v8x3_sub(row3_load(&args->to[row->anim_row].x), row3_load(&args->from[row->anim_row].x)),
                              share_of_step);
        v8x3 there = v8x3_add(began, way); // had it gone with the target
        v8x3 d = v8x3_sub(there, target);  // began - where the target was
        if (args->maps) {
            fall = v8x3_scale(gravity, keep_painted(&args->maps[row->row], part->damped_h));
        }
        v8x3 s = v8x3_sub(v8x3_sub(p, there), fall); // the rest of what it went
        v8x3 goal = v8x3_madd(s, v8_nmadd(f, lost, one), there);
        v8 light = v8_nmadd(f, lighter, one);
        goal = v8x3_madd(fall, light, goal);
        goal = v8x3_nmadd(d, v8_min(v8_mul(v8_mul(f, f), v8_mul(stiff, light)), pull), goal);
        row4_store3(x, v8x3_select(on, goal, p));
    }
}

// Targets go from where they were in the last step the share `blend` of the way to where the keys have them, and no further
// than the limit. With blend = dt / (time left) in every step they arrive in time, on a straight way if the keys stand.
uint32_t HEMI_NAME(follow_keys)(const hemi_key_args* args) {
    v8 one = v8_set1(1.0f), share = v8_set1(args->share), all = v8_set1(args->blend), tiny = v8_set1(1e-20f);
    m8 arrived = v8_eq(one, one);
    for (uint32_t i = 0; i < args->count; ++i) {
        const uint32_t anim = args->rows[i].anim_row;
        const hemi_target_row* prev = &args->prev[anim];
        hemi_target_row* next = &args->next[anim];
        v8x3 x = row3_load(&next->x), from = row3_load(&prev->x);
        v8x4 q = row4_load(&next->q);
        if (args->a) {
            const hem_key_row *a = &args->a[i], *b = &args->b[i];
            v8x3 xa = v8x3_make(v8_load(a->x), v8_load(a->y), v8_load(a->z));
            v8x4 qa = v8x4_make(v8_load(a->qx), v8_load(a->qy), v8_load(a->qz), v8_load(a->qw));
            x = v8x3_lerp(xa, v8x3_make(v8_load(b->x), v8_load(b->y), v8_load(b->z)), share);
            q = v8x4_nlerp(qa, v8x4_make(v8_load(b->qx), v8_load(b->qy), v8_load(b->qz), v8_load(b->qw)), share);
        }
        v8 k = all;
        v8x3 d = v8x3_sub(x, from);
        if (args->limit >= 0.0f) {
            k = v8_min(k, v8_div(v8_set1(args->limit), v8_max(v8x3_length(d), tiny)));
        }
        m8 there = v8_ge(k, one);
        arrived = m8_and(arrived, there);
        v8x4 way = v8x4_nlerp(row4_load(&prev->q), q, v8_min(k, one));
        row3_store(&next->x, v8x3_select(there, x, v8x3_madd(d, k, from)));
        row4_store(&next->q, v8x4_select(there, q, way));
    }
    return m8_all(arrived);
}
