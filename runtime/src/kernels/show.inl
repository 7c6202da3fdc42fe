// SPDX-License-Identifier: MIT
// Particles as offsets from the pose: x = p + R d, q = R t, with p and R where the bones have the particle. What is not
// simulated in a frame goes with its bones by keeping d and t (show.c). R is a rotation, so unlike a blend of matrices it
// can always be taken back.

void HEMI_NAME(unpose)(const hem_view* view, const hemi_bone_pose* bones, const hemi_row4* x, const hemi_row4* q,
                       hemi_row3* offset, hemi_row4* turn) {
    for (uint32_t row = 0; row < view->info->row_count; ++row) {
        HEM_ALIGN(32) hemi_target_row pose;
        pose_row(view, row, bones, &pose);
        const v8x4 r = row4_load(&pose.q);
        row3_store(&offset[row], v8x4_rotate_back(r, v8x3_sub(row4_load3(&x[row]), row3_load(&pose.x))));
        if (row < view->info->oriented_row_count) {
            row4_store(&turn[row], v8x4_normalise(v8x4_mul(v8x4_conj(r), row4_load(&q[row]))));
        }
    }
}

#define FADE_SHARE (1.0f / 200.0f) // of what is far, in a frame
#define FADE_TURN 0.003f           // sine of half the angle
#define FADE_FASTER 1.05f          // than it goes anyway
#define PACE_KEPT 0.96f            // from frame to frame

// Share of a length that is left when so much of it goes, or FADE_SHARE where that is more.
HEM_INLINE v8 less_by(v8 length2, v8 way, float share, m8* left) {
    const v8 length = v8_sqrt(v8_max(length2, v8_set1(TINY)));
    const v8 less = v8_sub(length, v8_max(way, v8_mul(length, v8_set1(share))));
    *left = v8_gt(less, v8_zero());
    return v8_keep(*left, v8_div(less, length));
}

HEM_INLINE v8 bend_of(v8x4 q) { // its sine of half the angle, squared
    return v8_madd(q.z, q.z, v8_madd(q.y, q.y, v8_mul(q.x, q.x)));
}

HEM_INLINE v8x4 shorter_turn(v8x4 q, v8 share) {
    const v8 s = v8_mul(v8_sign(q.w), share);
    return v8x4_normalise(v8x4_make(v8_mul(q.x, s), v8_mul(q.y, s), v8_mul(q.z, s), v8_abs(q.w)));
}

HEM_INLINE v8 raise_pace(float* pace, v8 way2, float rise) {
    const v8 old = v8_load(pace), up = v8_madd(v8_sub(v8_sqrt(way2), old), v8_set1(rise), old);
    const v8 now = v8_max(up, old);
    v8_store(pace, now);
    return now;
}

HEM_INLINE void keep_pace(float* pace, v8 way2) {
    v8_store(pace, v8_max(v8_mul(v8_load(pace), v8_set1(PACE_KEPT)), v8_sqrt(way2)));
}

// The largest share of a way m that, after the way g, ends within `limit`; g alone does.
HEM_INLINE v8 share_within(v8x3 g, v8x3 m, v8 limit) {
    const v8 mm = v8_max(v8x3_dot(m, m), v8_set1(TINY)), gm = v8x3_dot(g, m);
    const v8 over = v8_sub(v8x3_dot(g, g), v8_mul(limit, limit));
    const v8 root = v8_sqrt(v8_max(v8_sub(v8_mul(gm, gm), v8_mul(mm, over)), v8_zero()));
    return v8_min(v8_max(v8_div(v8_sub(root, gm), mm), v8_zero()), v8_set1(1.0f));
}

// The difference that is left, and how much of the way there all particles of a part go together.
typedef struct fade_share {
    float left, way;
} fade_share;

// Where what is simulated was a frame ago.
HEM_INLINE v8x3 simulated_before(const hemi_show_args* a, uint32_t row) {
    return v8x3_sub(row4_load3(&a->x[row]), row3_load(&a->fade[row]));
}

HEM_INLINE float most_of(v8 a) {
    HEM_ALIGN(32) float lanes[8];
    v8_store(lanes, a);
    float most = lanes[0];
    for (int i = 1; i < 8; ++i) {
        most = lanes[i] > most ? lanes[i] : most;
    }
    return most;
}

// What bones take along goes with them whatever it does. Neighbours that are held back by different shares would bend what lies
// between them: so it is one share for all, the largest with which nobody goes faster than of late, or else that with which the
// fastest is least too fast.
HEM_INLINE fade_share share_of_part(const hemi_show_args* a, uint32_t begin, uint32_t count) {
    fade_share s = {1.0f, 1.0f};
    if (!a->fade) {
        return s;
    }
    v8 far2 = v8_zero();
    for (uint32_t row = begin; row < begin + count; ++row) {
        const v8x3 f = row3_load(&a->fade[row]);
        far2 = v8_max(far2, v8x3_dot(f, f));
    }
    const float far = most_of(v8_sqrt(far2)), step = a->fade_step * a->fade_times,
                part = far * FADE_SHARE * a->fade_times;
    const float less = step > part ? step : part;
    s.left = far > less ? 1.0f - less / far : 0.0f;
    v8 way = v8_set1(1.0f);
    for (uint32_t row = begin; row < begin + count; ++row) {
        HEM_ALIGN(32) hemi_target_row pose;
        pose_row(a->view, row, a->bones, &pose);
        const v8x4 r = row4_load(&pose.q);
        const v8x3 before = row3_load(&a->offset[row]), f = row3_load(&a->fade[row]);
        const v8x3 own = v8x4_rotate(r, v8x3_scale(v8x3_sub(row3_load(&a->goal[row]), before), v8_set1(a->share)));
        const v8x3 held = v8x3_add(row3_load(&pose.x), v8x4_rotate(r, before)),
                   g = v8x3_sub(held, simulated_before(a, row));
        const v8x3 m = v8x3_madd(f, v8_set1(s.left - 1.0f), own), all = v8x3_add(g, own);
        const v8 pace = raise_pace(a->pace + (size_t)row * 8, v8x3_dot(all, all), a->fade_rise);
        const v8 usual = v8_madd(pace, v8_set1(FADE_FASTER), v8_set1(a->fade_step)), bones = v8_sqrt(v8x3_dot(g, g));
        const v8 limit = v8_max(usual, v8_madd(v8_set1(0.1f), v8_set1(a->fade_step), bones));
        way = v8_min(way, share_within(g, m, limit));
    }
    s.way = -most_of(v8_neg(way));
    return s;
}

// x: where it goes, without what fades, which is in the axes of the character: so it does not swing with the bones.
HEM_INLINE uint32_t fade_row(const hemi_show_args* a, uint32_t row, fade_share s, v8x3 own, v8x3* x) {
    if (!a->fade) {
        const v8x3 went = v8x3_sub(*x, row4_load3(&a->x[row]));
        keep_pace(a->pace + (size_t)row * 8, v8x3_dot(went, went));
        return 0;
    }
    const v8x3 less = v8x3_scale(row3_load(&a->fade[row]), v8_set1(s.left));
    const v8x3 m = v8x3_madd(row3_load(&a->fade[row]), v8_set1(s.left - 1.0f), own);
    const v8x3 f = v8x3_madd(m, v8_set1(s.way - 1.0f), less); // what is too fast is kept for later
    row3_store(&a->fade[row], f);
    *x = v8x3_add(*x, f);
    return (uint32_t)m8_any(v8_gt(v8x3_dot(f, f), v8_zero()));
}

HEM_INLINE uint32_t fade_turn(const hemi_show_args* a, uint32_t row, v8x4 before, v8x4* t) {
    const v8x4 back = v8x4_mul(before, v8x4_conj(*t));
    if (!a->fade) {
        keep_pace(a->pace_q + (size_t)row * 8, bend_of(back));
        return 0;
    }
    m8 left;
    const v8 pace = raise_pace(a->pace_q + (size_t)row * 8, bend_of(back), a->fade_rise);
    const v8 anyway = v8_mul(pace, v8_set1(FADE_FASTER * a->fade_times)), step = v8_set1(FADE_TURN * a->fade_times);
    const v8x4 f0 = row4_load(&a->fade_q[row]);
    const v8x4 old = shorter_turn(f0, less_by(bend_of(f0), step, FADE_SHARE, &left));
    const v8x4 f = v8x4_mul(old, shorter_turn(back, less_by(bend_of(back), anyway, 0.0f, &left)));
    left = v8_gt(bend_of(f), v8_zero());
    row4_store(&a->fade_q[row], f);
    *t = v8x4_mul(f, *t);
    return (uint32_t)m8_any(left);
}

// First goes a share of the way from the offsets shown to their goal.
uint32_t HEMI_NAME(repose)(const hemi_show_args* a) {
    const v8 share = v8_set1(a->share);
    const int all = a->share == 1.0f;
    uint32_t fades = 0;
    for (uint32_t p = 0; p < a->view->info->part_count; ++p) {
        const hem_part* part = &a->view->parts[p];
        const fade_share of_part = share_of_part(a, part->row_begin, part->row_count);
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            HEM_ALIGN(32) hemi_target_row pose;
            pose_row(a->view, row, a->bones, &pose);
            const v8x4 r = row4_load(&pose.q);
            const v8x3 goal = row3_load(&a->goal[row]), before = row3_load(&a->offset[row]);
            v8x3 d = all ? goal : v8x3_lerp(before, goal, share);
            row3_store(&a->offset[row], d);
            v8x3 x = v8x3_add(row3_load(&pose.x), v8x4_rotate(r, d));
            fades |= a->pace ? fade_row(a, row, of_part, v8x4_rotate(r, v8x3_sub(d, before)), &x) : 0u;
            row4_store3(&a->x[row], x);
            if (row < a->view->info->oriented_row_count) {
                const v8x4 to = row4_load(&a->goal_q[row]), was = row4_load(&a->offset_q[row]);
                v8x4 t = all ? to : v8x4_nlerp(was, to, share);
                row4_store(&a->offset_q[row], t);
                fades |= a->pace ? fade_turn(a, row, was, &t) : 0u;
                row4_store(&a->q[row], v8x4_normalise(v8x4_mul(r, t)));
            }
        }
    }
    return fades;
}

// How fast it goes anyway: from where it was shown a frame ago, `last`, to x.
void HEMI_NAME(watch_pace)(const hemi_show_args* a) {
    for (uint32_t row = 0; row < a->view->info->row_count; ++row) {
        const v8x3 way = v8x3_sub(row4_load3(&a->last[row]), row4_load3(&a->x[row]));
        keep_pace(a->pace + (size_t)row * 8, v8x3_dot(way, way));
        if (row < a->view->info->oriented_row_count) {
            const v8x4 turn = v8x4_mul(row4_load(&a->offset_q[row]), v8x4_conj(row4_load(&a->goal_q[row])));
            keep_pace(a->pace_q + (size_t)row * 8, bend_of(turn));
        }
    }
}

// offset: as it was shown, but for what fades already; goal: where what comes now begins. Nobody sees a difference yet.
void HEMI_NAME(begin_fade)(const hemi_show_args* a) {
    for (uint32_t row = 0; row < a->view->info->row_count; ++row) {
        HEM_ALIGN(32) hemi_target_row pose;
        pose_row(a->view, row, a->bones, &pose);
        const v8x3 from = row3_load(&a->goal[row]), more = v8x3_sub(row3_load(&a->offset[row]), from);
        const v8x3 f = v8x4_rotate(row4_load(&pose.q), more);
        row3_store(&a->fade[row], a->fading ? v8x3_add(row3_load(&a->fade[row]), f) : f);
        row3_store(&a->offset[row], from);
        if (row < a->view->info->oriented_row_count) {
            const v8x4 q = row4_load(&a->goal_q[row]);
            row4_store(&a->fade_q[row], v8x4_normalise(v8x4_mul(row4_load(&a->offset_q[row]), v8x4_conj(q))));
            row4_store(&a->offset_q[row], q);
        }
    }
}
