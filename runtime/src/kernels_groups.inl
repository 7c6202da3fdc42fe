// SPDX-License-Identifier: MIT
// Generalised shape matching (oriented particles): one group per particle, itself and its neighbours.
//
//     A = sum_i [ (m_i / 5) R_i diag(a^2 b^2 c^2) Rrest_i^T + m_i x_i r_i^T ] - M c crest^T
//
// The orientation terms make the rotation well defined for two particles, and for one. They depend on one particle only,
// so they are computed once per particle and substep (`moments`) instead of once per member: seven times fewer.
// Positions are taken relative to the group's own particle, which keeps digits.
//
// The rotation: Newton on the rotation group, started from the particle's own. With B = R^T A, the axial vector of B's
// skew part is the gradient and K = tr(B) I - sym(B) the Hessian: R <- R exp(K^-1 axial(B)). Quadratic near the answer;
// where K is not positive definite (inverted or nearly flat moments) the step is axial / |tr| instead, and a step is
// always less than pi. No SVD, no branches.

HEM_INLINE v8_mat3 mat3_mul_transposed_first(const v8_mat3* a, const v8_mat3* b) { // a^T b
    v8_mat3 r;
    r.row0 = v8x3_madd(b->row2, a->row2.x, v8x3_madd(b->row1, a->row1.x, v8x3_scale(b->row0, a->row0.x)));
    r.row1 = v8x3_madd(b->row2, a->row2.y, v8x3_madd(b->row1, a->row1.y, v8x3_scale(b->row0, a->row0.y)));
    r.row2 = v8x3_madd(b->row2, a->row2.z, v8x3_madd(b->row1, a->row1.z, v8x3_scale(b->row0, a->row0.z)));
    return r;
}

HEM_INLINE v8x4 rotation_sweep(const v8_mat3* moment, v8x4 q) {
    v8 tiny = v8_set1(1e-30f), zero = v8_zero();
    v8_mat3 r = v8_mat3_from_quat(q);
    v8_mat3 b = mat3_mul_transposed_first(&r, moment);
    v8x3 g = v8x3_make(v8_sub(b.row2.y, b.row1.z), v8_sub(b.row0.z, b.row2.x), v8_sub(b.row1.x, b.row0.y));
    v8 k00 = v8_add(b.row1.y, b.row2.z), k11 = v8_add(b.row0.x, b.row2.z), k22 = v8_add(b.row0.x, b.row1.y);
    v8 half = v8_set1(-0.5f);
    v8 k01 = v8_mul(half, v8_add(b.row0.y, b.row1.x));
    v8 k02 = v8_mul(half, v8_add(b.row0.z, b.row2.x));
    v8 k12 = v8_mul(half, v8_add(b.row1.z, b.row2.y));
    v8 c00 = v8_sub(v8_mul(k11, k22), v8_mul(k12, k12));
    v8 c01 = v8_sub(v8_mul(k02, k12), v8_mul(k01, k22));
    v8 c02 = v8_sub(v8_mul(k01, k12), v8_mul(k02, k11));
    v8 c11 = v8_sub(v8_mul(k00, k22), v8_mul(k02, k02));
    v8 c12 = v8_sub(v8_mul(k01, k02), v8_mul(k00, k12));
    v8 c22 = v8_sub(v8_mul(k00, k11), v8_mul(k01, k01));
    v8 det = v8_madd(k00, c00, v8_madd(k01, c01, v8_mul(k02, c02)));
    v8 trace = v8_add(b.row0.x, v8_add(b.row1.y, b.row2.z));
    v8 scale = v8_abs(trace);
    m8 convex = m8_and(m8_and(v8_gt(k22, zero), v8_gt(c00, zero)),
                       v8_gt(det, v8_mul(v8_set1(1e-5f), v8_mul(scale, v8_mul(scale, scale)))));
    v8 newton = v8_div(v8_set1(1.0f), v8_select(convex, det, v8_add(scale, tiny)));
    v8x3 solved = v8x3_make(v8_madd(c00, g.x, v8_madd(c01, g.y, v8_mul(c02, g.z))),
                            v8_madd(c01, g.x, v8_madd(c11, g.y, v8_mul(c12, g.z))),
                            v8_madd(c02, g.x, v8_madd(c12, g.y, v8_mul(c22, g.z))));
    v8x3 step = v8x3_scale(v8x3_select(convex, solved, g), newton);
    // A zero or overflowing moment says nothing: stay.
    v8 size = v8x3_dot(step, step);
    step = v8x3_keep(v8_lt(size, v8_set1(1e6f)), step);
    return v8x4_normalise(v8x4_mul(q, v8x4_from_small_rotation(step)));
}

static void moments(const hem_view* view, const hemi_row4* q, uint32_t row_begin, uint32_t count, float* moment) {
    for (uint32_t row = row_begin; row < row_begin + count; ++row) {
        const hem_shape_row* s = &view->shape_rows[row];
        v8x4 rest = v8x4_make(v8_load(s->qx), v8_load(s->qy), v8_load(s->qz), v8_load(s->qw));
        v8 fifth = v8_mul(v8_load(view->rest_rows[row].mass), v8_set1(0.2f));
        v8 a = v8_load(s->a), b = v8_load(s->b), c = v8_load(s->c);
        a = v8_mul(fifth, v8_mul(a, a));
        b = v8_mul(fifth, v8_mul(b, b));
        c = v8_mul(fifth, v8_mul(c, c));
        v8_mat3 now = v8_mat3_from_quat(v8x4_mul(row4_load(&q[row]), rest));
        v8_mat3 from = v8_mat3_from_quat(rest);
        float* out = moment + (size_t)row * 72;
        const v8x3 rows[3] = {now.row0, now.row1, now.row2};
        const v8x3 cols[3] = {from.row0, from.row1, from.row2};
        for (int i = 0; i < 3; ++i) {
            v8x3 scaled = v8x3_make(v8_mul(rows[i].x, a), v8_mul(rows[i].y, b), v8_mul(rows[i].z, c));
            for (int j = 0; j < 3; ++j) {
                v8_store(out + (i * 3 + j) * 8, v8x3_dot(scaled, cols[j]));
            }
        }
    }
}

typedef struct group_member {
    v8x3 x, rest;
    v8 mass, w;
    m8 active;
} group_member;

HEM_INLINE void add_member(const group_member* m, const float* moment, int rotate, const int32_t* index, v8x3 x0,
                           v8x3 r0, v8_mat3* a, v8x3* c) {
    v8 mass = v8_keep(m->active, m->mass);
    v8x3 x = v8x3_sub(m->x, x0), r = v8x3_sub(m->rest, r0);
    v8x3 mx = v8x3_scale(x, mass);
    *c = v8x3_add(*c, mx);
    v8 t[9];
    for (int i = 0; i < 9; ++i) {
        v8 value = index ? v8_gather(moment + i * 8, index) : v8_load(moment + i * 8);
        t[i] = v8_keep(m->active, rotate ? v8_rotate(value, rotate) : value);
    }
    a->row0 = v8x3_madd(r, mx.x, v8x3_add(a->row0, v8x3_make(t[0], t[1], t[2])));
    a->row1 = v8x3_madd(r, mx.y, v8x3_add(a->row1, v8x3_make(t[3], t[4], t[5])));
    a->row2 = v8x3_madd(r, mx.z, v8x3_add(a->row2, v8x3_make(t[6], t[7], t[8])));
}

HEM_INLINE group_member load_row_member(const hem_view* view, const hemi_row4* x, uint32_t row, int rotate,
                                        uint32_t lane_mask) {
    const hem_rest_row* rest = &view->rest_rows[row];
    group_member m;
    m.x = row4_load3(&x[row]);
    m.w = v8_load(x[row].w);
    m.rest = v8x3_make(v8_load(rest->x), v8_load(rest->y), v8_load(rest->z));
    m.mass = v8_load(rest->mass);
    if (rotate) {
        m.x = v8x3_rotate_lanes(m.x, rotate);
        m.rest = v8x3_rotate_lanes(m.rest, rotate);
        m.w = v8_rotate(m.w, rotate);
        m.mass = v8_rotate(m.mass, rotate);
    }
    m.active = m8_from_bits(lane_mask);
    return m;
}

HEM_INLINE group_member load_index_member(const hem_view* view, const hemi_row4* x, const int32_t index[8],
                                          uint32_t lane_mask) {
    group_member m;
    const float* rest = view->rest_rows[0].x;
    m.x = gather3(x[0].x, index);
    m.w = v8_gather(x[0].w, index);
    m.rest = gather3(rest, index);
    m.mass = v8_gather(rest + 24, index);
    m.active = m8_from_bits(lane_mask);
    return m;
}

// New place of a member: a share of the way to its goal. Animated ones stay.
HEM_INLINE v8x3 toward_goal(const group_member* m, v8x3 r0, v8x3 goal_center, const v8_mat3* rotation, v8x3 center,
                            v8 share) {
    v8x3 goal = v8x3_add(goal_center, v8_mat3_vector(rotation, v8x3_sub(v8x3_sub(m->rest, r0), center)));
    v8 s = v8_keep(m8_and(m->active, v8_gt(m->w, v8_zero())), share);
    return v8x3_madd(v8x3_sub(goal, m->x), s, m->x);
}

#define GROUP_SWEEPS 2

static void groups(const hem_view* view, const hem_group_batch* batches, uint32_t count, hemi_row4* x, hemi_row4* q,
                   const float* moment, float share) {
    v8 vshare = v8_set1(share);
    for (uint32_t n = 0; n < count; ++n) {
        const hem_group_batch* batch = &batches[n];
        int indexed = batch->own_row == UINT32_MAX;
        HEM_ALIGN(32) int32_t own[8], own_moment[8];
        group_member self;
        v8x4 turn;
        if (indexed) {
            slots_of(batch->own, own);
            for (int i = 0; i < 8; ++i) {
                own_moment[i] = (batch->own[i] >> 3) * 72 + (batch->own[i] & 7);
            }
            self = load_index_member(view, x, own, batch->lane_mask);
            const float* base = q[0].x;
            turn = v8x4_make(v8_gather(base, own), v8_gather(base + 8, own), v8_gather(base + 16, own),
                             v8_gather(base + 24, own));
        } else {
            self = load_row_member(view, x, batch->own_row, 0, batch->lane_mask);
            turn = row4_load(&q[batch->own_row]);
        }
        v8x3 x0 = self.x, r0 = self.rest;
        v8x3 c = v8x3_set1(0.0f, 0.0f, 0.0f);
        v8_mat3 a = {c, c, c};
        if (indexed) {
            add_member(&self, moment, 0, own_moment, x0, r0, &a, &c);
        } else {
            add_member(&self, moment + (size_t)batch->own_row * 72, 0, NULL, x0, r0, &a, &c);
        }
        for (uint32_t k = 0; k < batch->member_count; ++k) {
            if (indexed) {
                const hem_group_index* g = &view->group_indices[batch->member_begin + k];
                HEM_ALIGN(32) int32_t at[8], at_moment[8];
                slots_of(g->index, at);
                for (int i = 0; i < 8; ++i) {
                    at_moment[i] = (g->index[i] >> 3) * 72 + (g->index[i] & 7);
                }
                group_member m = load_index_member(view, x, at, g->lane_mask);
                add_member(&m, moment, 0, at_moment, x0, r0, &a, &c);
            } else {
                const hem_group_member* g = &view->group_members[batch->member_begin + k];
                group_member m = load_row_member(view, x, g->row, g->rotate, g->lane_mask);
                add_member(&m, moment + (size_t)g->row * 72, g->rotate, NULL, x0, r0, &a, &c);
            }
        }
        v8 total = v8_load(batch->total_mass);
        v8x3 center = v8x3_make(v8_load(batch->center[0]), v8_load(batch->center[1]), v8_load(batch->center[2]));
        a.row0 = v8x3_nmadd(center, c.x, a.row0);
        a.row1 = v8x3_nmadd(center, c.y, a.row1);
        a.row2 = v8x3_nmadd(center, c.z, a.row2);
        for (int sweep = 0; sweep < GROUP_SWEEPS; ++sweep) {
            turn = rotation_sweep(&a, turn);
        }
        v8_mat3 rotation = v8_mat3_from_quat(turn);
        v8x3 goal_center = v8x3_add(x0, v8x3_scale(c, v8_div(v8_set1(1.0f), total)));
        m8 turns = m8_and(self.active, v8_gt(self.w, v8_zero()));
        v8x3 moved = toward_goal(&self, r0, goal_center, &rotation, center, vshare);
        if (indexed) {
            float* base = q[0].x;
            scatter3(x[0].x, own, moved, self.active);
            v8_scatter(base, own, turn.x, turns);
            v8_scatter(base + 8, own, turn.y, turns);
            v8_scatter(base + 16, own, turn.z, turns);
            v8_scatter(base + 24, own, turn.w, turns);
        } else {
            row4_store3(&x[batch->own_row], moved);
            row4_store(&q[batch->own_row], v8x4_select(turns, turn, row4_load(&q[batch->own_row])));
        }
        for (uint32_t k = 0; k < batch->member_count; ++k) {
            if (indexed) {
                const hem_group_index* g = &view->group_indices[batch->member_begin + k];
                HEM_ALIGN(32) int32_t at[8];
                slots_of(g->index, at);
                group_member m = load_index_member(view, x, at, g->lane_mask);
                scatter3(x[0].x, at, toward_goal(&m, r0, goal_center, &rotation, center, vshare), m.active);
            } else {
                const hem_group_member* g = &view->group_members[batch->member_begin + k];
                group_member m = load_row_member(view, x, g->row, g->rotate, g->lane_mask);
                moved = toward_goal(&m, r0, goal_center, &rotation, center, vshare);
                row4_store3(&x[g->row], g->rotate ? v8x3_rotate_lanes(moved, (8 - g->rotate) & 7) : moved);
            }
        }
    }
}
