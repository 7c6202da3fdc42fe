// SPDX-License-Identifier: MIT
// Rods: strands of oriented particles that resist stretch, shear, bending and twist; eight strands at a time.
//
// Frame k is the rotation of particle k from rest to now, and belongs to the segment from k to k + 1. With the rest vector r of
// a segment and the turn b that the next frame has to its own (Cosserat rods as in Kugelstadt and Schoemer 2016; in rotations
// from rest b is 1 for the modelled shape and tells of its weight where the compiler made it free of sag):
//
//     stretch and shear   C = x(k+1) - x(k) - q(k) r          stiffness K
//     bend and twist      C = 2 Im( q(k+1) (q(k) b)^-1 )      stiffness across and along the segment
//
// Solved one after the other, such constraints give way under a long strand's weight: each hands on only its half. So all of a
// strand are solved at once, a step of Newton's for backward Euler: (M / h^2 + J^T K J) D = -J^T K C in six unknowns a particle, block
// tridiagonal. Elimination goes from the tip to the root and back: what does not depend on anything else comes first, and strands of
// any length, held at one or both ends, are one sweep each way. Stiffness is that of the stuff whatever the substep.

#define ROD_TURN_LIMIT 1.0f // radians a substep: beyond, a step of Newton's is a guess

typedef struct rod_node {
    v8x3 x;
    v8x4 q;
    v8 w;
    m8 on;
} rod_node;

typedef struct rod_segment { // world; all zero where there is none
    v8 stretch;
    v8x3 edge;      // the rest vector, turned
    v8x3 force;     // stretch * C
    v8 bend, extra; // across, and what there is more along
    v8x3 along;
    v8x3 moment; // of bend and twist
} rod_segment;

HEM_INLINE m8 rod_free(const rod_node* node) {
    return m8_and(node->on, v8_gt(node->w, v8_zero()));
}

// What the way back needs: D(k) = y - W D(k - 1).
typedef struct rod_step {
    v8_mat3 xx, xt, tx, tt;
    v8x3 x, t;
} rod_step;

typedef struct rod_schur { // what is eliminated adds to its neighbour
    v8_mat3 xx, xt, tt;
    v8x3 x, t;
} rod_schur;

HEM_INLINE v8_mat3 mat3_mul(const v8_mat3* a, const v8_mat3* b) {
    v8_mat3 r;
    r.row0 = v8x3_madd(b->row2, a->row0.z, v8x3_madd(b->row1, a->row0.y, v8x3_scale(b->row0, a->row0.x)));
    r.row1 = v8x3_madd(b->row2, a->row1.z, v8x3_madd(b->row1, a->row1.y, v8x3_scale(b->row0, a->row1.x)));
    r.row2 = v8x3_madd(b->row2, a->row2.z, v8x3_madd(b->row1, a->row2.y, v8x3_scale(b->row0, a->row2.x)));
    return r;
}

HEM_INLINE v8_mat3 mat3_add(const v8_mat3* a, const v8_mat3* b) {
    v8_mat3 r = {v8x3_add(a->row0, b->row0), v8x3_add(a->row1, b->row1), v8x3_add(a->row2, b->row2)};
    return r;
}

HEM_INLINE v8_mat3 mat3_sub(const v8_mat3* a, const v8_mat3* b) {
    v8_mat3 r = {v8x3_sub(a->row0, b->row0), v8x3_sub(a->row1, b->row1), v8x3_sub(a->row2, b->row2)};
    return r;
}

HEM_INLINE v8_mat3 mat3_scale(const v8_mat3* a, v8 s) {
    v8_mat3 r = {v8x3_scale(a->row0, s), v8x3_scale(a->row1, s), v8x3_scale(a->row2, s)};
    return r;
}

HEM_INLINE v8_mat3 mat3_transposed(const v8_mat3* a) {
    v8_mat3 r = {v8x3_make(a->row0.x, a->row1.x, a->row2.x), v8x3_make(a->row0.y, a->row1.y, a->row2.y),
                 v8x3_make(a->row0.z, a->row1.z, a->row2.z)};
    return r;
}

HEM_INLINE v8x3 mat3_transposed_vector(const v8_mat3* a, v8x3 v) {
    return v8x3_madd(a->row2, v.z, v8x3_madd(a->row1, v.y, v8x3_scale(a->row0, v.x)));
}

HEM_INLINE v8_mat3 cross_mul(v8x3 v, const v8_mat3* m) { // [v]x m
    v8_mat3 r = {v8x3_nmadd(m->row1, v.z, v8x3_scale(m->row2, v.y)), v8x3_nmadd(m->row2, v.x, v8x3_scale(m->row0, v.z)),
                 v8x3_nmadd(m->row0, v.y, v8x3_scale(m->row1, v.x))};
    return r;
}

HEM_INLINE v8_mat3 mul_cross(const v8_mat3* m, v8x3 v) { // m [v]x
    v8_mat3 r = {v8x3_cross(m->row0, v), v8x3_cross(m->row1, v), v8x3_cross(m->row2, v)};
    return r;
}

HEM_INLINE v8_mat3 cross_rows(v8x3 v, const v8_mat3* m) { // -m [v]x
    v8_mat3 r = {v8x3_cross(v, m->row0), v8x3_cross(v, m->row1), v8x3_cross(v, m->row2)};
    return r;
}

// bend 1 + extra along along^T, times a vector and times a matrix.
HEM_INLINE v8x3 stiff_vector(const rod_segment* s, v8x3 v) {
    return v8x3_madd(s->along, v8_mul(s->extra, v8x3_dot(s->along, v)), v8x3_scale(v, s->bend));
}

HEM_INLINE v8_mat3 stiff_mul(const rod_segment* s, const v8_mat3* m) {
    v8x3 t = v8x3_scale(mat3_transposed_vector(m, s->along), s->extra);
    v8_mat3 r = {v8x3_madd(t, s->along.x, v8x3_scale(m->row0, s->bend)),
                 v8x3_madd(t, s->along.y, v8x3_scale(m->row1, s->bend)),
                 v8x3_madd(t, s->along.z, v8x3_scale(m->row2, s->bend))};
    return r;
}

// m + c (1 |v|^2 - v v^T) + d v v^T ... of a symmetric matrix only what is on and above the diagonal counts.
HEM_INLINE void add_stiff(v8_mat3* m, const rod_segment* s) {
    v8x3 a = v8x3_scale(s->along, s->extra);
    m->row0 = v8x3_madd(s->along, a.x, m->row0);
    m->row1 = v8x3_madd(s->along, a.y, m->row1);
    m->row2 = v8x3_madd(s->along, a.z, m->row2);
    m->row0.x = v8_add(m->row0.x, s->bend);
    m->row1.y = v8_add(m->row1.y, s->bend);
    m->row2.z = v8_add(m->row2.z, s->bend);
}

// Of a symmetric, positive definite matrix.
HEM_INLINE v8_mat3 symmetric_inverse(const v8_mat3* m) {
    v8 a = m->row0.x, b = m->row0.y, c = m->row0.z, d = m->row1.y, e = m->row1.z, f = m->row2.z;
    v8 c00 = v8_sub(v8_mul(d, f), v8_mul(e, e)), c01 = v8_sub(v8_mul(c, e), v8_mul(b, f));
    v8 c02 = v8_sub(v8_mul(b, e), v8_mul(c, d));
    v8 c11 = v8_sub(v8_mul(a, f), v8_mul(c, c)), c12 = v8_sub(v8_mul(b, c), v8_mul(a, e));
    v8 c22 = v8_sub(v8_mul(a, d), v8_mul(b, b));
    v8 s = v8_div(v8_set1(1.0f), v8_madd(a, c00, v8_madd(b, c01, v8_mul(c, c02))));
    v8_mat3 r = {v8x3_scale(v8x3_make(c00, c01, c02), s), v8x3_scale(v8x3_make(c01, c11, c12), s),
                 v8x3_scale(v8x3_make(c02, c12, c22), s)};
    return r;
}

HEM_INLINE v8_mat3 mat3_select(m8 on, const v8_mat3* a, const v8_mat3* b) {
    v8_mat3 r = {v8x3_select(on, a->row0, b->row0), v8x3_select(on, a->row1, b->row1),
                 v8x3_select(on, a->row2, b->row2)};
    return r;
}

// -- Members, in rows or by index

HEM_INLINE v8x4 rod_row4(const hemi_row4* rows, const hem_view* view, const hem_row_batch* batch, uint32_t k) {
    if (batch->form == HEM_FORM_STRANDS) {
        const hem_group_member* m = &view->row_members[batch->member_begin + k];
        v8x4 r = row4_load(&rows[m->row]);
        if (m->rotate) {
            r = v8x4_make(v8_rotate(r.x, m->rotate), v8_rotate(r.y, m->rotate), v8_rotate(r.z, m->rotate),
                          v8_rotate(r.w, m->rotate));
        }
        return r;
    }
    HEM_ALIGN(32) int32_t at[8];
    slots_of(view->row_indices[batch->member_begin + k].index, at);
    return gather4(rows[0].x, at);
}

HEM_INLINE m8 rod_lanes(const hem_view* view, const hem_row_batch* batch, uint32_t k) {
    return m8_from_bits(batch->form == HEM_FORM_STRANDS ? view->row_members[batch->member_begin + k].lane_mask
                                                        : view->row_indices[batch->member_begin + k].lane_mask);
}

HEM_INLINE void rod_store(hemi_row4* rows, const hem_view* view, const hem_row_batch* batch, uint32_t k, v8x4 r, m8 on,
                          int all) {
    if (batch->form == HEM_FORM_STRANDS) {
        const hem_group_member* m = &view->row_members[batch->member_begin + k];
        const int back = (8 - m->rotate) & 7;
        if (back) {
            r = v8x4_make(v8_rotate(r.x, back), v8_rotate(r.y, back), v8_rotate(r.z, back), v8_rotate(r.w, back));
        }
        row4_store3(&rows[m->row], v8x3_make(r.x, r.y, r.z));
        if (all) {
            v8_store(rows[m->row].w, r.w);
        }
        return;
    }
    HEM_ALIGN(32) int32_t at[8];
    slots_of(view->row_indices[batch->member_begin + k].index, at);
    scatter3(rows[0].x, at, v8x3_make(r.x, r.y, r.z), on);
    if (all) {
        v8_scatter(rows[0].w, at, r.w, on);
    }
}

HEM_INLINE rod_node rod_load(const hem_view* view, const hem_row_batch* batch, uint32_t k, const hemi_rod_args* args) {
    const v8x4 p = rod_row4(args->x, view, batch, k);
    rod_node n = {v8x3_make(p.x, p.y, p.z), rod_row4(args->q, view, batch, k), p.w, rod_lanes(view, batch, k)};
    return n;
}

// -- The system

// The rest vector and the turn to the next frame: as modelled, or with tracking as posed.
HEM_INLINE void rod_rest(const hem_view* view, const hem_row_batch* batch, uint32_t k, const hem_rod* rod,
                         const hemi_rod_args* args, v8x3* edge, v8x4* turn) {
    v8 softer = v8_set1(args->softer);
    v8x3 b = v8x3_scale(v8x3_make(v8_load(rod->turn[0]), v8_load(rod->turn[1]), v8_load(rod->turn[2])), softer);
    v8 size = v8x3_dot(b, b), most = v8_set1(0.8f);
    b = v8x3_scale(b, v8_select(v8_gt(size, most), v8_sqrt(v8_div(most, v8_max(size, most))), v8_set1(1.0f)));
    size = v8_min(size, most);
    *edge = v8x3_make(v8_load(rod->edge[0]), v8_load(rod->edge[1]), v8_load(rod->edge[2]));
    *turn = v8x4_make(b.x, b.y, b.z, v8_sqrt(v8_sub(v8_set1(1.0f), size)));
    if (args->rest_q) {
        // What the weight added to the modelled shape is added to the posed one.
        const v8x4 q0 = rod_row4(args->rest_q, view, batch, k), q1 = rod_row4(args->rest_q, view, batch, k + 1);
        const hemi_row4* posed = (const hemi_row4*)(const void*)args->rest;
        const hemi_row4* modelled = (const hemi_row4*)(const void*)view->rest_rows;
        const v8x4 p0 = rod_row4(posed, view, batch, k), p1 = rod_row4(posed, view, batch, k + 1);
        const v8x4 m0 = rod_row4(modelled, view, batch, k), m1 = rod_row4(modelled, view, batch, k + 1);
        v8x3 way = v8x4_rotate(v8x4_conj(q0), v8x3_make(v8_sub(p1.x, p0.x), v8_sub(p1.y, p0.y), v8_sub(p1.z, p0.z)));
        v8x3 was = v8x3_make(v8_sub(m1.x, m0.x), v8_sub(m1.y, m0.y), v8_sub(m1.z, m0.z));
        *edge = v8x3_add(way, v8x3_sub(*edge, was));
        *turn = v8x4_mul(v8x4_mul(v8x4_conj(q0), q1), *turn);
    }
}

HEM_INLINE rod_segment rod_between(const hem_view* view, const hem_row_batch* batch, uint32_t k, const rod_node* a,
                                   const rod_node* b, const hemi_rod_args* args) {
    const hem_rod* rod = &view->rods[batch->payload + k];
    const v8 stiffer = v8_set1(args->stiffer);
    rod_segment s;
    v8x3 edge;
    v8x4 turn;
    rod_rest(view, batch, k, rod, args, &edge, &turn);
    s.edge = v8x3_keep(b->on, v8x4_rotate(a->q, edge));
    s.stretch = v8_keep(b->on, v8_load(rod->stretch));
    s.bend = v8_keep(b->on, v8_mul(v8_load(rod->bend), stiffer));
    s.extra = v8_keep(b->on, v8_sub(v8_mul(v8_load(rod->twist), stiffer), s.bend));
    s.along = v8x3_normalise(s.edge);
    s.force = v8x3_scale(v8x3_sub(v8x3_sub(b->x, a->x), s.edge), s.stretch);
    v8x4 r = v8x4_mul(b->q, v8x4_conj(v8x4_mul(a->q, turn)));
    v8 two = v8_mul(v8_sign(r.w), v8_set1(2.0f)); // the shorter way
    s.moment = v8x3_keep(b->on, stiff_vector(&s, v8x3_scale(v8x3_make(r.x, r.y, r.z), two)));
    return s;
}

HEM_INLINE rod_segment rod_none(void) {
    const v8 o = v8_zero();
    const v8x3 z = v8x3_make(o, o, o);
    const rod_segment s = {o, z, z, o, o, z, z};
    return s;
}

// One particle's block, with what was eliminated below it; then its own elimination against the segment above.
static void rod_eliminate(const rod_node* node, v8 inertia, const rod_segment* below, const rod_segment* above,
                          v8 inverse_h2, rod_schur* s, rod_step* out) {
    const v8 zero = v8_zero(), one = v8_set1(1.0f), tiny = v8_set1(1e-12f);
    const v8x3 none = v8x3_make(zero, zero, zero);
    const v8_mat3 unit = {v8x3_make(one, zero, zero), v8x3_make(zero, one, zero), v8x3_make(zero, zero, one)};
    const v8_mat3 nothing = {none, none, none};
    const m8 free = rod_free(node);
    v8 mass = v8_div(inverse_h2, v8_max(node->w, tiny));
    v8 along = v8_add(mass, v8_add(below->stretch, above->stretch));
    v8_mat3 a = s->xx;
    a.row0.x = v8_add(along, a.row0.x);
    a.row1.y = v8_add(along, a.row1.y);
    a.row2.z = v8_add(along, a.row2.z);
    v8_mat3 b = s->xt; // and -stretch [edge]x
    const v8x3 ke = v8x3_scale(below->edge, below->stretch);
    b.row0.y = v8_add(b.row0.y, ke.z);
    b.row0.z = v8_sub(b.row0.z, ke.y);
    b.row1.x = v8_sub(b.row1.x, ke.z);
    b.row1.z = v8_add(b.row1.z, ke.x);
    b.row2.x = v8_add(b.row2.x, ke.y);
    b.row2.y = v8_sub(b.row2.y, ke.x);
    v8 round = v8_madd(inertia, inverse_h2, v8x3_dot(ke, below->edge));
    v8_mat3 c = {v8x3_make(round, zero, zero), v8x3_make(zero, round, zero), v8x3_make(zero, zero, round)};
    c.row0 = v8x3_nmadd(below->edge, ke.x, c.row0);
    c.row1 = v8x3_nmadd(below->edge, ke.y, c.row1);
    c.row2 = v8x3_nmadd(below->edge, ke.z, c.row2);
    add_stiff(&c, below);
    add_stiff(&c, above);
    c = mat3_add(&c, &s->tt);
    v8x3 rx = v8x3_add(v8x3_sub(below->force, above->force), s->x);
    v8x3 rt = v8x3_add(v8x3_sub(below->moment, above->moment), v8x3_add(v8x3_cross(below->edge, below->force), s->t));
    a = mat3_select(free, &a, &unit);
    b = mat3_select(free, &b, &nothing);
    c = mat3_select(free, &c, &unit);
    rx = v8x3_keep(free, rx);
    rt = v8x3_keep(free, rt);

    const v8_mat3 ai = symmetric_inverse(&a), p = mat3_mul(&ai, &b), bp = mat3_mul_transposed_first(&b, &p);
    const v8_mat3 schur = mat3_sub(&c, &bp), si = symmetric_inverse(&schur);
    out->t = v8_mat3_vector(&si, v8x3_sub(rt, mat3_transposed_vector(&p, rx)));
    out->x = v8x3_sub(v8_mat3_vector(&ai, rx), v8_mat3_vector(&p, out->t));

    // W = block^-1 L, L = [-K, K [edge]x; 0, -stiff] towards the particle above.
    const v8 k = v8_keep(free, above->stretch), minus_k = v8_sub(zero, k);
    const v8_mat3 pt = mat3_transposed(&p), kpt = mat3_scale(&pt, k);
    out->tx = mat3_mul(&si, &kpt);
    v8_mat3 ptx = mat3_mul(&p, &out->tx);
    out->xx = mat3_scale(&ai, minus_k);
    out->xx = mat3_sub(&out->xx, &ptx);
    const v8 bend = v8_keep(free, above->bend);
    const v8x3 t = v8x3_scale(above->along, v8_keep(free, above->extra));
    v8_mat3 stiff = {v8x3_scale(t, above->along.x), v8x3_scale(t, above->along.y), v8x3_scale(t, above->along.z)};
    stiff.row0.x = v8_add(stiff.row0.x, bend);
    stiff.row1.y = v8_add(stiff.row1.y, bend);
    stiff.row2.z = v8_add(stiff.row2.z, bend);
    v8_mat3 g = cross_rows(above->edge, &kpt);
    g = mat3_sub(&g, &stiff);
    out->tt = mat3_mul(&si, &g);
    v8_mat3 kai = mat3_scale(&ai, k), ptt = mat3_mul(&p, &out->tt);
    out->xt = mul_cross(&kai, above->edge);
    out->xt = mat3_sub(&out->xt, &ptt);

    // What that adds to the particle above: -L^T W and -L^T y.
    const v8x3 kedge = v8x3_scale(above->edge, k);
    s->xx = mat3_scale(&out->xx, k);
    s->xt = mat3_scale(&out->xt, k);
    // What is not free has nothing in y and W.
    v8_mat3 swept = cross_mul(kedge, &out->xt), turned = stiff_mul(above, &out->tt);
    s->tt = mat3_add(&swept, &turned);
    s->x = v8x3_scale(out->x, k);
    s->t = v8x3_add(v8x3_cross(kedge, out->x), stiff_vector(above, out->t));
}

static void rod_strands(const hem_view* view, const hem_row_batch* batch, const hemi_rod_args* args) {
    const v8 zero = v8_zero(), inverse_h2 = v8_set1(1.0f / (args->h * args->h));
    const v8x3 none = v8x3_make(zero, zero, zero);
    rod_step* steps = (rod_step*)args->room;
    const rod_schur nothing = {{none, none, none}, {none, none, none}, {none, none, none}, none, none};
    rod_schur schur = nothing;
    rod_segment below = rod_none();
    rod_node node = rod_load(view, batch, batch->member_count - 1u, args);
    int moves = m8_any(rod_free(&node)); // roots, which the pose holds in every lane, do not, and have no system
    for (uint32_t k = batch->member_count; k-- > 0;) {
        rod_node upper = node;
        rod_segment above = rod_none();
        int upper_moves = 0;
        if (k > 0) {
            upper = rod_load(view, batch, k - 1, args);
            upper_moves = m8_any(rod_free(&upper));
            if (moves | upper_moves) {
                above = rod_between(view, batch, k - 1, &upper, &node, args);
            }
        }
        if (moves) {
            rod_eliminate(&node, v8_load(view->rods[batch->payload + k].inertia), &below, &above, inverse_h2, &schur,
                          &steps[k]);
        } else {
            schur = nothing;
        }
        below = above;
        node = upper;
        moves = upper_moves;
    }
    v8x3 dx = none, dt = none;
    for (uint32_t k = 0; k < batch->member_count; ++k) {
        const rod_node n = rod_load(view, batch, k, args);
        const m8 free = rod_free(&n);
        if (!m8_any(free)) {
            dx = dt = none;
            continue;
        }
        const rod_step* step = &steps[k];
        const v8x3 ux = v8x3_add(v8_mat3_vector(&step->xx, dx), v8_mat3_vector(&step->xt, dt));
        const v8x3 ut = v8x3_add(v8_mat3_vector(&step->tx, dx), v8_mat3_vector(&step->tt, dt));
        dx = v8x3_sub(step->x, ux);
        dt = v8x3_sub(step->t, ut);
        const v8x3 x = v8x3_add(n.x, v8x3_keep(free, dx));
        v8 size = v8x3_dot(dt, dt), most = v8_set1(ROD_TURN_LIMIT * ROD_TURN_LIMIT), half = v8_set1(0.5f);
        v8 scale = v8_select(v8_gt(size, most), v8_mul(half, v8_sqrt(v8_div(most, v8_max(size, most)))), half);
        const v8x3 turn = v8x3_scale(dt, scale);
        v8x4 q = v8x4_normalise(v8x4_mul(v8x4_make(turn.x, turn.y, turn.z, v8_set1(1.0f)), n.q));
        rod_store(args->x, view, batch, k, v8x4_make(x.x, x.y, x.z, n.w), free, 0);
        rod_store(args->q, view, batch, k, v8x4_select(free, q, n.q), free, 1);
    }
}

void HEMI_NAME(rods)(const hem_view* view, const hem_row_batch* batches, uint32_t count, const hemi_rod_args* args) {
    for (uint32_t n = 0; n < count; ++n) {
        rod_strands(view, &batches[n], args);
    }
}
