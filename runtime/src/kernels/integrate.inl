// SPDX-License-Identifier: MIT
// Everything that goes row by row without neighbours: targets, prediction, velocities, derived frames, matrices.
//
// A substep runs in the character's own frame. When that frame moves, a free particle stays where it is in the world,
// so in the frame it moves the other way: `frame` is that motion (already scaled by the part's inertia). `prev` is the
// particle's old place after the frame's motion, so v = (x - prev) / h is its velocity in the world, in frame axes, and
// (x_old - prev) / h is the velocity of a point that rides with the frame.

void HEMI_NAME(targets)(const hem_view* view, const hemi_bone_pose* bones, hemi_target_row* out) {
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        pose_row(view, view->anim_rows[i].row, bones, &out[i]);
    }
}

void HEMI_NAME(pose_rows)(const hem_view* view, const hemi_bone_pose* bones, hemi_row4* x, hemi_row4* q) {
    for (uint32_t row = 0; row < view->info->row_count; ++row) {
        HEM_ALIGN(32) hemi_target_row t;
        pose_row(view, row, bones, &t);
        row4_store3(&x[row], row3_load(&t.x));
        if (row < view->info->oriented_row_count) {
            row4_store(&q[row], row4_load(&t.q));
        }
    }
}

void HEMI_NAME(interpolate)(const hemi_target_row* a, const hemi_target_row* b, float t, uint32_t count,
                            hemi_target_row* out) {
    v8 s = v8_set1(t);
    for (uint32_t i = 0; i < count; ++i) {
        row3_store(&out[i].x, v8x3_lerp(row3_load(&a[i].x), row3_load(&b[i].x), s));
        row4_store(&out[i].q, v8x4_nlerp(row4_load(&a[i].q), row4_load(&b[i].q), s));
    }
}

HEM_INLINE v8x3 velocity_of(v8x3 now, v8x3 prev, v8 inverse_h) {
    v8x3 u = v8x3_scale(v8x3_sub(now, prev), inverse_h);
    return v8x3_make(v8_flush(u.x), v8_flush(u.y), v8_flush(u.z));
}

// The body of predict, with what does not change during a call as constants, so that each variant is straight code.
HEM_INLINE void predict_rows(const hemi_predict* a, int air, int chained, int painted) {
    const hemi_part_step* part = a->part;
    v8 vh = v8_set1(a->h), inverse_h = v8_set1(1.0f / a->h), zero = v8_zero();
    v8x3 gravity = v8x3_scale(v8x3_set1(part->gravity[0], part->gravity[1], part->gravity[2]), vh);
    v8x3 wind = v8x3_set1(part->wind[0], part->wind[1], part->wind[2]);
    v8 keep = v8_set1(part->keep), limit = v8_set1(part->max_speed * part->max_speed);
    v8 drag = v8_set1(part->drag), lift = v8_set1(part->lift), one = v8_set1(1.0f);
    uint32_t slowed = 0;
    for (uint32_t i = 0; i < a->count; ++i) {
        v8x3 p = row4_load3(&a->x[i]);
        v8 w = v8_load(a->x[i].w);
        m8 free = v8_gt(w, zero);
        v8x3 u;
        if (chained) {
            // The velocity that the last substep ended with, without a round trip through memory.
            u = velocity_of(p, row3_load(&a->v[i]), inverse_h);
        } else {
            u = row3_load(&a->v[i]);
        }
        v8x3 old = transform3(part->frame.m, p, 1);
        v8x3 ride = v8x3_scale(v8x3_sub(p, old), inverse_h);
        u = v8x3_add(transform3(part->frame.m, u, 0), gravity);
        if (a->force) {
            u = v8x3_madd(row3_load(&a->force[i]), vh, u);
        }
        if (air) {
            // Linear in the relative speed and never more than all of it, whatever the step.
            v8x3 n = row3_load(&a->normal[i]);
            v8x3 rel = v8x3_sub(a->wind ? row3_load(&a->wind[i]) : wind, u);
            v8 across = v8x3_dot(rel, n);
            v8 area = a->area ? v8_load(a->area[i].area)
                              : v8_mul(v8_mul(v8_load(a->shape[i].b), v8_load(a->shape[i].c)), v8_set1(4.0f));
            v8 scale = v8_mul(painted ? v8_mul(area, v8_load(a->map[i].drag)) : area, w);
            v8 kd = v8_min(v8_mul(scale, drag), one), kl = v8_min(v8_mul(scale, lift), one);
            u = v8x3_madd(n, v8_mul(across, v8_sub(kd, kl)), v8x3_madd(rel, kl, u));
        }
        if (painted) {
            keep = keep_painted(&a->map[i], part->damped_h);
        }
        v8x3 rel = v8x3_scale(v8x3_sub(u, ride), keep);
        v8 speed2 = v8x3_dot(rel, rel);
        m8 fast = m8_and(v8_gt(speed2, limit), free);
        if (HEM_UNLIKELY(m8_any(fast))) {
            v8 s = v8_select(fast, v8_div(v8_set1(part->max_speed), v8_sqrt(speed2)), one);
            rel = v8x3_scale(rel, s);
            slowed += hemi_bit_count(m8_bits(fast));
        }
        u = v8x3_add(rel, ride);
        row3_store(&a->v[i], old);
        row4_store3(&a->x[i], v8x3_select(free, v8x3_madd(u, vh, old), p));
    }
    *a->clamped += slowed;
}

// The most common case, a character that stands in still air: Verlet's form of the same, in half the operations.
HEM_INLINE void predict_still_rows(const hemi_predict* a, int chained, int painted) {
    const hemi_part_step* part = a->part;
    float most = part->max_speed * a->h;
    v8 vh = v8_set1(a->h), hh = v8_set1(a->h * a->h), limit = v8_set1(most * most), keep = v8_set1(part->keep),
       zero = v8_zero();
    v8x3 fall = v8x3_scale(v8x3_set1(part->gravity[0], part->gravity[1], part->gravity[2]), hh);
    hemi_row4* x = a->x; // read once: a store through a vector may change anything
    hemi_row3* v = a->v;
    uint32_t count = a->count, slowed = 0;
    for (uint32_t i = 0; i < count; ++i) {
        v8x3 p = row4_load3(&x[i]);
        if (painted) {
            keep = keep_painted(&a->map[i], part->damped_h);
        }
        v8 kept = v8_keep(v8_gt(v8_load(x[i].w), zero), keep); // what does not move freely stays
        v8x3 u = row3_load(&v[i]), step = chained ? v8x3_sub(p, u) : v8x3_scale(u, vh);
        step = v8x3_scale(v8x3_add(step, fall), kept);
        v8 size = v8x3_dot(step, step);
        m8 fast = v8_gt(size, limit);
        if (HEM_UNLIKELY(m8_any(fast))) {
            step = v8x3_scale(step, v8_select(fast, v8_div(v8_set1(most), v8_sqrt(size)), v8_set1(1.0f)));
            slowed += hemi_bit_count(m8_bits(fast));
        }
        row3_store(&v[i], p);
        row4_store3(&x[i], v8x3_add(p, step));
    }
    *a->clamped += slowed;
}

void HEMI_NAME(predict)(const hemi_predict* a) {
    HEM_ASSERT(a->h > 0.0f && hemi_is_aligned(a->x, 32) && hemi_is_aligned(a->v, 32));
    if (a->body) {
        for (uint32_t i = 0; i < a->count; ++i) {
            row3_store(&a->v[i], row4_load3(&a->x[i]));
        }
        return;
    }
    int still = hemi_frame_is_still(&a->part->frame), air = a->part->drag > 0.0f || a->part->lift > 0.0f;
    if (a->map) { // no further variants: what is painted pays for itself
        still && !air && !a->force ? predict_still_rows(a, a->chained, 1) : predict_rows(a, air, a->chained, 1);
    } else if (still && !air && !a->force) {
        a->chained ? predict_still_rows(a, 1, 0) : predict_still_rows(a, 0, 0);
    } else {
        a->chained ? predict_rows(a, air, 1, 0) : predict_rows(a, air, 0, 0);
    }
}

#define SPIN_LIMIT 60.0f // rad/s

HEM_INLINE void predict_rotation_rows(hemi_row4* q, const hemi_row3* w, hemi_row4* prev_q, const hem_shape_row* shape,
                                      const hem_map_row* map, uint32_t count, const hemi_part_step* part, float h,
                                      int still) {
    // The frame's own turn, as a quaternion, is the same for every particle; small, so a series is exact enough.
    const float* m = part->frame.m;
    v8x4 turn =
        v8x4_normalise(v8x4_make(v8_set1((m[9] - m[6]) * 0.25f), v8_set1((m[2] - m[8]) * 0.25f),
                                 v8_set1((m[4] - m[1]) * 0.25f), v8_set1((1.0f + m[0] + m[5] + m[10]) * 0.25f)));
    v8 scale = v8_set1(0.5f * h * part->keep_angular), zero = v8_zero(), one = v8_set1(1.0f);
    float most = 0.5f * h * SPIN_LIMIT;
    v8 limit = v8_set1(most * most);
    for (uint32_t i = 0; i < count; ++i) {
        m8 free = v8_gt(v8_load(shape[i].inverse_mass), zero);
        v8x4 old = row4_load(&q[i]);
        v8x3 dq = row3_load(&w[i]);
        if (!still) {
            old = v8x4_mul(turn, old);
            dq = transform3(m, dq, 0);
        }
        if (map) {
            scale = v8_mul(keep_painted(&map[i], part->damped_angular_h), v8_set1(0.5f * h));
        }
        dq = v8x3_scale(dq, scale);
        v8 size = v8x3_dot(dq, dq);
        m8 fast = v8_gt(size, limit);
        if (HEM_UNLIKELY(m8_any(fast))) {
            dq = v8x3_scale(dq, v8_select(fast, v8_div(v8_set1(most), v8_sqrt(size)), one));
        }
        v8x4 next = v8x4_normalise(v8x4_mul(v8x4_make(dq.x, dq.y, dq.z, one), old));
        row4_store(&prev_q[i], old);
        row4_store(&q[i], v8x4_select(free, next, old));
    }
}

void HEMI_NAME(predict_rotation)(hemi_row4* q, const hemi_row3* w, hemi_row4* prev_q, const hem_shape_row* shape,
                                 const hem_map_row* map, uint32_t count, const hemi_part_step* part, float h) {
    if (hemi_frame_is_still(&part->frame)) {
        predict_rotation_rows(q, w, prev_q, shape, map, count, part, h, 1);
    } else {
        predict_rotation_rows(q, w, prev_q, shape, map, count, part, h, 0);
    }
}

uint32_t HEMI_NAME(velocities)(const hemi_row4* x, hemi_row3* v, uint32_t count, float inverse_h) {
    v8 s = v8_set1(inverse_h), big = v8_set1(1e9f);
    m8 good = v8_eq(s, s);
    for (uint32_t i = 0; i < count; ++i) {
        v8x3 p = row4_load3(&x[i]), u = velocity_of(p, row3_load(&v[i]), s);
        row3_store(&v[i], u);
        good = m8_and(good, v8_lt(v8_add(v8x3_dot(p, p), v8x3_dot(u, u)), big)); // false for NaN
    }
    return m8_all(good);
}

void HEMI_NAME(angular_velocities)(const hemi_row4* q, const hemi_row4* prev_q, hemi_row3* w, uint32_t count,
                                   float inverse_h) {
    for (uint32_t i = 0; i < count; ++i) {
        v8x4 d = v8x4_mul(row4_load(&q[i]), v8x4_conj(row4_load(&prev_q[i])));
        v8 s = v8_mul(v8_sign(d.w), v8_set1(2.0f * inverse_h)); // the shorter way
        row3_store(&w[i], v8x3_make(v8_flush(v8_mul(d.x, s)), v8_flush(v8_mul(d.y, s)), v8_flush(v8_mul(d.z, s))));
    }
}

// Painted limits: a ball around the animated position, and a large sphere behind it that stands for the body.
void HEMI_NAME(limits)(const hem_view* view, const hemi_target_row* now, hemi_row4* x) {
    v8 zero = v8_zero(), tiny = v8_set1(1e-12f), one = v8_set1(1.0f);
    for (uint32_t i = 0; i < view->limit_row_count; ++i) {
        const hem_limit_row* l = &view->limit_rows[i];
        const hemi_target_row* t = &now[l->anim_row];
        const hem_shape_row* shape = &view->shape_rows[l->row];
        v8x3 p = row4_load3(&x[l->row]);
        v8x3 a = row3_load(&t->x);
        m8 free = v8_gt(v8_load(x[l->row].w), zero);
        v8 max_distance = v8_load(l->max_distance);
        v8x3 d = v8x3_sub(p, a);
        v8 length = v8x3_length(d);
        m8 far = m8_and(free, m8_and(v8_ge(max_distance, zero), v8_gt(length, max_distance)));
        v8 s = v8_select(far, v8_div(max_distance, v8_max(length, tiny)), one);
        p = v8x3_madd(d, s, a);
        v8 radius = v8_load(l->backstop_radius);
        m8 guarded = m8_and(free, v8_ge(radius, zero));
        if (m8_any(guarded)) {
            v8x4 rest = v8x4_make(v8_load(shape->qx), v8_load(shape->qy), v8_load(shape->qz), v8_load(shape->qw));
            v8x3 out = v8x4_rotate(v8x4_mul(row4_load(&t->q), rest), v8x3_set1(1.0f, 0.0f, 0.0f));
            v8x3 center = v8x3_nmadd(out, v8_add(v8_load(l->backstop_distance), radius), a);
            v8x3 e = v8x3_sub(p, center);
            v8 dist = v8x3_length(e);
            m8 in = m8_and(guarded, v8_lt(dist, radius));
            v8 push = v8_select(in, v8_div(radius, v8_max(dist, tiny)), one);
            p = v8x3_madd(e, push, center);
        }
        row4_store3(&x[l->row], p);
    }
}

void HEMI_NAME(apply_delta)(hemi_row4* x, hemi_row4* delta, uint32_t count, int average) {
    HEM_ASSERT(hemi_is_aligned(x, 32) && hemi_is_aligned(delta, 32));
    v8 one = v8_set1(1.0f), zero = v8_zero();
    for (uint32_t i = 0; i < count; ++i) {
        v8x4 d = row4_load(&delta[i]);
        v8 s = average ? v8_div(one, v8_max(d.w, one)) : one;
        row4_store3(&x[i], v8x3_madd(v8x3_make(d.x, d.y, d.z), s, row4_load3(&x[i])));
        row4_store(&delta[i], v8x4_make(zero, zero, zero, zero));
    }
}

HEM_INLINE v8x3 gather_row4(const hemi_row4* rows, const uint16_t particle[8]) {
    HEM_ALIGN(32) int32_t index[8];
    slots_of(particle, index);
    const float* base = rows[0].x;
    return v8x3_make(v8_gather(base, index), v8_gather(base + 8, index), v8_gather(base + 16, index));
}

// A rotation whose x axis is u and whose z axis is u x v, as a quaternion. Branch-free: the largest component decides.
HEM_INLINE v8x4 quat_from_axes(v8x3 ax, v8x3 ay, v8x3 az) {
    v8 one = v8_set1(1.0f), half = v8_set1(0.5f), tiny = v8_set1(1e-12f);
    v8 tw = v8_add(one, v8_add(ax.x, v8_add(ay.y, az.z)));
    v8 tx = v8_add(v8_sub(one, v8_add(ay.y, az.z)), ax.x);
    v8 ty = v8_add(v8_sub(one, v8_add(ax.x, az.z)), ay.y);
    v8 tz = v8_add(v8_sub(one, v8_add(ax.x, ay.y)), az.z);
    v8 yz = v8_sub(ay.z, az.y), zx = v8_sub(az.x, ax.z), xy = v8_sub(ax.y, ay.x);
    v8 sxy = v8_add(ay.x, ax.y), szx = v8_add(az.x, ax.z), syz = v8_add(ay.z, az.y);
    v8x4 q = v8x4_make(yz, zx, xy, tw);
    v8 t = tw;
    m8 m = v8_gt(tx, t);
    q = v8x4_select(m, v8x4_make(tx, sxy, szx, yz), q);
    t = v8_max(tx, t);
    m = v8_gt(ty, t);
    q = v8x4_select(m, v8x4_make(sxy, ty, syz, zx), q);
    t = v8_max(ty, t);
    m = v8_gt(tz, t);
    q = v8x4_select(m, v8x4_make(szx, syz, tz, xy), q);
    t = v8_max(tz, t);
    return v8x4_scale(q, v8_div(half, v8_sqrt(v8_max(t, tiny))));
}

// Rotations rest -> now of rows without their own, from their neighbours: frame rows [begin, begin + count).
void HEMI_NAME(frames)(const hem_view* view, const hemi_row4* x, uint32_t begin, uint32_t count, hemi_row4* out) {
    for (uint32_t i = 0; i < count; ++i) {
        const hem_frame_row* f = &view->frame_rows[begin + i];
        v8x3 u = v8x3_sub(gather_row4(x, f->u1), gather_row4(x, f->u0));
        v8x3 v = v8x3_sub(gather_row4(x, f->v1), gather_row4(x, f->v0));
        v8x3 ax = unit_or(u, v8x3_set1(1.0f, 0.0f, 0.0f));
        v8x3 n = v8x3_cross(ax, v);
        v8x3 az = unit_or(n, unit_or(v8x3_cross(ax, v8x3_set1(0.0f, 1.0f, 0.0f)), v8x3_set1(0.0f, 0.0f, 1.0f)));
        v8x3 ay = v8x3_cross(az, ax);
        v8x4 rest = v8x4_make(v8_load(f->qx), v8_load(f->qy), v8_load(f->qz), v8_load(f->qw));
        row4_store(&out[i], v8x4_normalise(v8x4_mul(quat_from_axes(ax, ay, az), v8x4_conj(rest))));
    }
}

void HEMI_NAME(normals)(const hem_view* view, const hemi_row4* q, const hemi_row4* frame_q, hemi_row3* out) {
    uint32_t oriented = view->info->oriented_row_count;
    for (uint32_t row = 0; row < view->info->row_count; ++row) {
        const hem_shape_row* s = &view->shape_rows[row];
        v8x4 rest = v8x4_make(v8_load(s->qx), v8_load(s->qy), v8_load(s->qz), v8_load(s->qw));
        v8x4 turn = row4_load(row < oriented ? &q[row] : &frame_q[row - oriented]);
        row3_store(&out[row], v8x4_rotate(v8x4_mul(turn, rest), v8x3_set1(1.0f, 0.0f, 0.0f)));
    }
}

// Matrices rest -> now, sixteen floats per particle: three rows of four, for skinning, and where the particle is.
void HEMI_NAME(palette)(const hem_view* view, const hemi_row4* x, const hemi_row4* q, const hemi_row4* frame_q,
                        uint32_t begin, uint32_t end, float (*out)[16]) {
    uint32_t oriented = view->info->oriented_row_count;
    for (uint32_t row = begin; row < end; ++row) {
        const hem_rest_row* rest = &view->rest_rows[row];
        v8x4 turn = row4_load(row < oriented ? &q[row] : &frame_q[row - oriented]);
        v8_mat3 m = v8_mat3_from_quat(turn);
        v8x3 r = v8x3_make(v8_load(rest->x), v8_load(rest->y), v8_load(rest->z));
        v8x3 at = row4_load3(&x[row]), t = v8x3_sub(at, v8_mat3_vector(&m, r));
        v8 low[8] = {m.row0.x, m.row0.y, m.row0.z, t.x, m.row1.x, m.row1.y, m.row1.z, t.y};
        v8 high[8] = {m.row2.x, m.row2.y, m.row2.z, t.z, at.x, at.y, at.z, v8_zero()};
        v8_transpose8(low);
        v8_transpose8(high);
        for (uint32_t i = 0; i < 8; ++i) {
            v8_store(&out[row * 8 + i][0], low[i]);
            v8_store(&out[row * 8 + i][8], high[i]);
        }
    }
}
