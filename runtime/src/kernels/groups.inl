// SPDX-License-Identifier: MIT
// Generalised shape matching (oriented particles): one group per particle, itself and its neighbours.
//
//     A = sum_i [ (m_i / 5) R_i diag(a^2 b^2 c^2) Rrest_i^T + m_i x_i (r_i - crest)^T ]
//
// The orientation terms make the rotation well defined for two particles, and for one. They depend on one particle only,
// so they are computed once per particle and substep (`moments`) instead of once per member: seven times fewer.
//
// The rotation: Newton on the rotation group, started from the particle's own. With B = R^T A, the axial vector of B's
// skew part is the gradient and K = tr(B) I - sym(B) the Hessian: R <- R exp(K^-1 axial(B)). Quadratic near the answer;
// where K is not positive definite (inverted or nearly flat moments) the step is axial / |tr| instead, and a step is
// always less than pi. No SVD, no branches.

#define GROUP_SWEEPS 1 // per substep: starting from the last one's answer, the first sweep leaves the cube of an angle

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
    // A zero or overflowing moment says nothing: stay. And no step is longer than 2 atan(1/2): far from the answer Newton
    // overshoots, and a group that turns to and fro never comes to rest.
    v8 one = v8_set1(1.0f), size = v8x3_dot(step, step);
    m8 sound = v8_lt(size, v8_set1(1e6f));
    size = v8_keep(sound, size);
    v8 real2 = v8_max(one, size), real = v8_sqrt(real2); // beside the other root, not before it
    v8 unit = v8_div(one, v8_sqrt(v8_add(real2, v8_mul(size, v8_set1(0.25f)))));
    v8x3 turn = v8x3_scale(v8x3_keep(sound, step), v8_mul(v8_set1(0.5f), unit));
    return v8x4_mul(q, v8x4_make(turn.x, turn.y, turn.z, v8_mul(real, unit)));
}

// What the orientation terms of a part are at rest, once per step: six components of the symmetric
// (m / 5) Rrest diag(a^2 b^2 c^2) Rrest^T. Turned by q they are those of now.
void HEMI_NAME(rest_moments)(const hem_view* view, const hem_part* part, float* at_rest) {
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
        float* out = at_rest + (size_t)row * 48;
        const hem_shape_row* s = &view->shape_rows[row];
        v8_mat3 r = v8_mat3_from_quat(v8x4_make(v8_load(s->qx), v8_load(s->qy), v8_load(s->qz), v8_load(s->qw)));
        v8 fifth = v8_mul(v8_load(view->rest_rows[row].mass), v8_set1(0.2f));
        v8 a = v8_load(s->a), b = v8_load(s->b), c = v8_load(s->c);
        a = v8_mul(fifth, v8_mul(a, a));
        b = v8_mul(fifth, v8_mul(b, b));
        c = v8_mul(fifth, v8_mul(c, c));
        v8x3 x = v8x3_make(v8_mul(r.row0.x, a), v8_mul(r.row0.y, b), v8_mul(r.row0.z, c));
        v8x3 y = v8x3_make(v8_mul(r.row1.x, a), v8_mul(r.row1.y, b), v8_mul(r.row1.z, c));
        v8x3 z = v8x3_make(v8_mul(r.row2.x, a), v8_mul(r.row2.y, b), v8_mul(r.row2.z, c));
        v8_store(out, v8x3_dot(x, r.row0));
        v8_store(out + 8, v8x3_dot(x, r.row1));
        v8_store(out + 16, v8x3_dot(x, r.row2));
        v8_store(out + 24, v8x3_dot(y, r.row1));
        v8_store(out + 32, v8x3_dot(y, r.row2));
        v8_store(out + 40, v8x3_dot(z, r.row2));
    }
}

HEM_INLINE void moment_store(float* out, v8x3 turn, v8x3 x, v8x3 y, v8x3 z) {
    v8_store(out, v8x3_dot(turn, x));
    v8_store(out + 8, v8x3_dot(turn, y));
    v8_store(out + 16, v8x3_dot(turn, z));
}

HEM_INLINE v8x3 rest_load(const hem_rest_row* rest) {
    return v8x3_make(v8_load(rest->x), v8_load(rest->y), v8_load(rest->z));
}

// Tracking: the rest shape is what the pose makes of it, places `rest` and rotations `rest_q`, both of this substep. What keeps
// it from sagging turns with the pose.
void HEMI_NAME(track)(const hem_view* view, const hem_drive_row* rows, uint32_t count, const hemi_target_row* now,
                      hem_rest_row* rest, hemi_row4* rest_q) {
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t row = rows[i].row;
        const hemi_target_row* target = &now[rows[i].anim_row];
        if (view->group_rest_row_count) {
            const v8x3 held = v8x3_sub(rest_load(&view->group_rest_rows[row]), rest_load(&view->rest_rows[row]));
            const v8x3 place = v8x3_add(row3_load(&target->x), v8x4_rotate(row4_load(&target->q), held));
            v8_store(rest[row].x, place.x);
            v8_store(rest[row].y, place.y);
            v8_store(rest[row].z, place.z);
        } else {
            memcpy(rest[row].x, target->x.x, sizeof(target->x));
        }
        memcpy(rest[row].mass, view->rest_rows[row].mass, sizeof(rest[row].mass));
        rest_q[row] = target->q;
    }
}

HEM_INLINE void moments_of(const hem_part* part, const hemi_row4* q, const hemi_row4* rest_q, const float* at_rest,
                           float* moment, int tracked) {
    at_rest += (size_t)part->row_begin * 48;
    moment += (size_t)part->row_begin * 72;
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row, at_rest += 48, moment += 72) {
        v8_mat3 turn = v8_mat3_from_quat(row4_load(&q[row]));
        v8 xy = v8_load(at_rest + 8), xz = v8_load(at_rest + 16), yz = v8_load(at_rest + 32);
        v8x3 x = v8x3_make(v8_load(at_rest), xy, xz);
        v8x3 y = v8x3_make(xy, v8_load(at_rest + 24), yz);
        v8x3 z = v8x3_make(xz, yz, v8_load(at_rest + 40));
        if (tracked) { // m/5 R diag (rest_q Rrest)^T: the columns of the symmetric matrix are turned
            v8_mat3 s = {x, y, z}, r = v8_mat3_from_quat(row4_load(&rest_q[row]));
            x = v8_mat3_vector(&s, r.row0);
            y = v8_mat3_vector(&s, r.row1);
            z = v8_mat3_vector(&s, r.row2);
        }
        moment_store(moment, turn.row0, x, y, z);
        moment_store(moment + 24, turn.row1, x, y, z);
        moment_store(moment + 48, turn.row2, x, y, z);
    }
}

void HEMI_NAME(moments)(const hem_part* part, const hemi_row4* q, const hemi_row4* rest_q, const float* at_rest,
                        float* moment) {
    if (rest_q) {
        moments_of(part, q, rest_q, at_rest, moment, 1);
    } else {
        moments_of(part, q, NULL, at_rest, moment, 0);
    }
}

// Members of eight groups as the first pass leaves them for the second.
typedef struct group_member {
    v8x3 arm; // rest position from the group's rest center
    m8 active;
} group_member;

HEM_INLINE v8x3 row3_rotated(v8x3 a, int rotate) {
    return rotate ? v8x3_rotate_lanes(a, rotate) : a;
}

HEM_INLINE v8 row_rotated(v8 a, int rotate) {
    return rotate ? v8_rotate(a, rotate) : a;
}

// Adds m x arm^T and the orientation terms (t) to the moments, and m x to the center. x is relative to the
// group's own particle: the sum is divided by a rounded mass, and that error must not grow with the distance from the origin.
HEM_INLINE void add_member(v8x3 x, v8x3 arm, v8 mass, const v8_mat3* t, v8_mat3* a, v8x3* c) {
    v8x3 mx = v8x3_scale(x, mass);
    *c = v8x3_add(*c, mx);
    a->row0 = v8x3_madd(arm, mx.x, v8x3_add(a->row0, t->row0));
    a->row1 = v8x3_madd(arm, mx.y, v8x3_add(a->row1, t->row1));
    a->row2 = v8x3_madd(arm, mx.z, v8x3_add(a->row2, t->row2));
}

HEM_INLINE v8x3 moment_load(const float* moment, int rotate, m8 active, int full) {
    v8x3 t = row3_rotated(v8x3_make(v8_load(moment), v8_load(moment + 8), v8_load(moment + 16)), rotate);
    return full ? t : v8x3_keep(active, t);
}

// A member in a row, with what can be left out as constants: most are neither rotated nor have idle lanes.
HEM_INLINE void add_row_member(const hem_rest_row* rest, const hemi_row4* x, const float* moment, int rotate, m8 active,
                               int full, v8x3 x0, v8x3 r0, v8x3 center, v8_mat3* a, v8x3* c, group_member* out) {
    v8 mass = row_rotated(v8_load(rest->mass), rotate);
    v8_mat3 t = {moment_load(moment, rotate, active, full), moment_load(moment + 24, rotate, active, full),
                 moment_load(moment + 48, rotate, active, full)};
    out->active = active;
    out->arm = v8x3_sub(v8x3_sub(row3_rotated(rest_load(rest), rotate), r0), center);
    add_member(v8x3_sub(row3_rotated(row4_load3(x), rotate), x0), out->arm, full ? mass : v8_keep(active, mass), &t, a,
               c);
}

HEM_INLINE void add_index_member(const hem_rest_row* rests, const hemi_row4* x, const float* moment,
                                 const uint16_t particle[8], const int32_t index[8], m8 active, v8x3 x0, v8x3 r0,
                                 v8x3 center, v8_mat3* a, v8x3* c, group_member* out) {
    const float* rest = rests[0].x;
    HEM_ALIGN(32) int32_t at[8];
    places_of(particle, 72, at);
    v8_mat3 t = {v8x3_keep(active, gather3(moment, at)), v8x3_keep(active, gather3(moment + 24, at)),
                 v8x3_keep(active, gather3(moment + 48, at))};
    out->active = active;
    out->arm = v8x3_sub(v8x3_sub(gather3(rest, index), r0), center);
    add_member(v8x3_sub(gather3(x[0].x, index), x0), out->arm, v8_keep(active, v8_gather(rest + 24, index)), &t, a, c);
}

// New place of a member: a share of the way to its goal. Animated ones stay.
HEM_INLINE v8x3 toward_goal(const group_member* m, v8x3 x, v8 w, v8x3 goal_center, const v8_mat3* rotation, v8 share) {
    v8x3 goal = v8x3_add(goal_center, v8_mat3_vector(rotation, m->arm));
    v8 s = v8_keep(m8_and(m->active, v8_gt(w, v8_zero())), share);
    return v8x3_madd(v8x3_sub(goal, x), s, x);
}

// Where the eight groups' members want to be, from their summed moments and m x. Turns the particles' rotations.
HEM_INLINE v8x3 group_goal(const v8_mat3* a, v8x3 c, v8x3 x0, v8 total, v8x4* turn, v8_mat3* rotation) {
    for (int sweep = 0; sweep < GROUP_SWEEPS; ++sweep) {
        *turn = rotation_sweep(a, *turn);
    }
    *rotation = v8_mat3_from_quat(*turn);
    return v8x3_add(x0, v8x3_scale(c, v8_div(v8_set1(1.0f), total)));
}

HEM_INLINE v8x3 center_load(const hem_group_batch* batch) {
    return v8x3_make(v8_load(batch->center[0]), v8_load(batch->center[1]), v8_load(batch->center[2]));
}

// The same of a shape that the pose gives.
static v8x3 tracked_center_rows(const hem_view* view, const hem_group_batch* batch, const hem_rest_row* rest, v8x3 r0) {
    v8x3 c = v8x3_set1(0.0f, 0.0f, 0.0f);
    for (uint32_t k = 0; k < batch->member_count; ++k) {
        const hem_group_member* g = &view->group_members[batch->member_begin + k];
        v8 mass = v8_keep(m8_from_bits(g->lane_mask), row_rotated(v8_load(rest[g->row].mass), g->rotate));
        c = v8x3_madd(v8x3_sub(row3_rotated(rest_load(&rest[g->row]), g->rotate), r0), mass, c);
    }
    return v8x3_scale(c, v8_div(v8_set1(1.0f), v8_load(batch->total_mass)));
}

static v8x3 tracked_center_indices(const hem_view* view, const hem_group_batch* batch, const hem_rest_row* rest,
                                   v8x3 r0) {
    v8x3 c = v8x3_set1(0.0f, 0.0f, 0.0f);
    for (uint32_t k = 0; k < batch->member_count; ++k) {
        const hem_group_index* g = &view->group_indices[batch->member_begin + k];
        HEM_ALIGN(32) int32_t at[8];
        slots_of(g->index, at);
        v8 mass = v8_keep(m8_from_bits(g->lane_mask), v8_gather(rest[0].mass, at));
        c = v8x3_madd(v8x3_sub(gather3(rest[0].x, at), r0), mass, c);
    }
    return v8x3_scale(c, v8_div(v8_set1(1.0f), v8_load(batch->total_mass)));
}

// tracked = the shape is that of the pose (args->rest_q). A constant, since a test for it in the middle costs 4 % of a group:
// what lies before and behind it no longer stays in registers.
HEM_INLINE void group_rows_of(const hem_view* view, const hem_group_batch* batch, const hemi_group_args* args, v8 share,
                              int tracked) {
    group_member members[HEM_MAX_GROUP_MEMBERS];
    const hem_group_member* list = view->group_members + batch->member_begin;
    const hem_rest_row* rests = args->rest;
    const float* moment = args->moment;
    hemi_row4 *x = args->x, *q = args->q;
    uint32_t own = batch->own_row;
    v8x3 x0 = row4_load3(&x[own]), c = v8x3_set1(0.0f, 0.0f, 0.0f);
    v8x3 r0 = rest_load(&rests[own]);
    v8x3 center = tracked ? tracked_center_rows(view, batch, rests, r0) : center_load(batch);
    v8_mat3 a = {c, c, c}, rotation;
    m8 active = m8_from_bits(batch->lane_mask);
    group_member self;
    add_row_member(&rests[own], &x[own], moment + (size_t)own * 72, 0, active, 0, x0, r0, center, &a, &c, &self);
    for (uint32_t k = 0; k < batch->member_count; ++k) {
        const hem_group_member* g = &list[k];
        const hem_rest_row* rest = &rests[g->row];
        const float* t = moment + (size_t)g->row * 72;
        m8 in = m8_from_bits(g->lane_mask);
        if (g->rotate) {
            add_row_member(rest, &x[g->row], t, g->rotate, in, 0, x0, r0, center, &a, &c, &members[k]);
        } else if (g->lane_mask == 0xff) {
            add_row_member(rest, &x[g->row], t, 0, in, 1, x0, r0, center, &a, &c, &members[k]);
        } else {
            add_row_member(rest, &x[g->row], t, 0, in, 0, x0, r0, center, &a, &c, &members[k]);
        }
    }
    v8x4 before = row4_load(&q[own]), turn = before;
    if (tracked) { // the group turns from the shape of the pose, the particle from that of rest
        turn = v8x4_mul(turn, v8x4_conj(row4_load(&args->rest_q[own])));
    }
    v8x3 goal = group_goal(&a, c, x0, v8_load(batch->total_mass), &turn, &rotation);
    if (tracked) {
        turn = v8x4_mul(turn, row4_load(&args->rest_q[own]));
    }
    v8 w = v8_load(x[own].w);
    row4_store(&q[own], v8x4_select(m8_and(active, v8_gt(w, v8_zero())), turn, before));
    row4_store3(&x[own], toward_goal(&self, x0, w, goal, &rotation, share));
    for (uint32_t k = 0; k < batch->member_count; ++k) {
        const hem_group_member* g = &list[k];
        hemi_row4* at = &x[g->row];
        if (g->rotate) {
            v8x3 old = v8x3_rotate_lanes(row4_load3(at), g->rotate);
            v8x3 moved = toward_goal(&members[k], old, v8_rotate(v8_load(at->w), g->rotate), goal, &rotation, share);
            row4_store3(at, v8x3_rotate_lanes(moved, (8 - g->rotate) & 7));
        } else {
            row4_store3(at, toward_goal(&members[k], row4_load3(at), v8_load(at->w), goal, &rotation, share));
        }
    }
}

static void group_rows(const hem_view* view, const hem_group_batch* batch, const hemi_group_args* args, v8 share) {
    group_rows_of(view, batch, args, share, 0);
}

static void group_rows_tracked(const hem_view* view, const hem_group_batch* batch, const hemi_group_args* args,
                               v8 share) {
    group_rows_of(view, batch, args, share, 1);
}

static void group_indices(const hem_view* view, const hem_group_batch* batch, const hemi_group_args* args, v8 share) {
    group_member members[HEM_MAX_GROUP_MEMBERS];
    const hem_group_index* list = view->group_indices + batch->member_begin;
    const float* moment = args->moment;
    const hemi_row4* x = args->x;
    float* base = args->x[0].x;
    float* turns = args->q[0].x;
    HEM_ALIGN(32) int32_t own[8], at[8];
    slots_of(batch->own, own);
    v8x3 x0 = gather3(base, own), c = v8x3_set1(0.0f, 0.0f, 0.0f);
    v8x3 r0 = gather3(args->rest[0].x, own);
    v8x3 center = args->rest_q ? tracked_center_indices(view, batch, args->rest, r0) : center_load(batch);
    v8_mat3 a = {c, c, c}, rotation;
    m8 active = m8_from_bits(batch->lane_mask);
    group_member self;
    add_index_member(args->rest, x, moment, batch->own, own, active, x0, r0, center, &a, &c, &self);
    for (uint32_t k = 0; k < batch->member_count; ++k) {
        slots_of(list[k].index, at);
        add_index_member(args->rest, x, moment, list[k].index, at, m8_from_bits(list[k].lane_mask), x0, r0, center, &a,
                         &c, &members[k]);
    }
    v8x4 turn = gather4(turns, own);
    if (args->rest_q) {
        turn = v8x4_mul(turn, v8x4_conj(gather4(args->rest_q[0].x, own)));
    }
    v8x3 goal = group_goal(&a, c, x0, v8_load(batch->total_mass), &turn, &rotation);
    if (args->rest_q) {
        turn = v8x4_mul(turn, gather4(args->rest_q[0].x, own));
    }
    v8 w = v8_gather(base + 24, own);
    m8 turned = m8_and(active, v8_gt(w, v8_zero()));
    v8_scatter(turns, own, turn.x, turned);
    v8_scatter(turns + 8, own, turn.y, turned);
    v8_scatter(turns + 16, own, turn.z, turned);
    v8_scatter(turns + 24, own, turn.w, turned);
    scatter3(base, own, toward_goal(&self, x0, w, goal, &rotation, share), active);
    for (uint32_t k = 0; k < batch->member_count; ++k) {
        slots_of(list[k].index, at);
        v8x3 moved = toward_goal(&members[k], gather3(base, at), v8_gather(base + 24, at), goal, &rotation, share);
        scatter3(base, at, moved, members[k].active);
    }
}

void HEMI_NAME(groups)(const hem_view* view, const hem_group_batch* batches, uint32_t count,
                       const hemi_group_args* args) {
    v8 share = v8_set1(args->share);
    for (uint32_t n = 0; n < count; ++n) {
        if (batches[n].own_row == UINT32_MAX) {
            group_indices(view, &batches[n], args, share);
        } else if (args->rest_q) {
            group_rows_tracked(view, &batches[n], args, share);
        } else {
            group_rows(view, &batches[n], args, share);
        }
    }
}
