// SPDX-License-Identifier: MIT
// Particles against bodies, and particles against particles.
//
// Bodies do not yield, so a row's particles are pushed out one candidate after the other (Gauss-Seidel). Simulated pairs
// are solved by both sides from the same frozen positions (Jacobi): each side moves by its own share, the two shares are
// equal and opposite times mass, so momentum is kept and no lane writes into another row.
//
// A contact never adds energy: of a push of depth s along n, only as much counts as velocity as the pair was approaching
// during the substep; the rest moves `prev` along.
//
// Ellipsoids: the depth of two convex bodies is the least overlap over all directions, f(n) = h1(n) + h2(n) - n.d with
// the supports h(n) = sqrt(n S n). Its minimum is sought from the line of centers by a few projected gradient steps
// whose length is the inverse of a bound of the curvature. Error: see docs/runtime.md.

#define ELLIPSOID_STEPS 3
#define SURFACE_DEPTH -0.35f     // how far below its center a tangent sphere still acts, of its radius
#define PUSH_LIMIT 0.006f        // metres out of a penetration per substep, besides undoing the approach
#define PARTICLE_RELAXATION 0.6f // of Jacobi: particles in several contacts would overshoot
#define CENTERED2 1e-9f          // m^2, nearer than that two particles have no direction from one to the other

typedef struct support8 {
    v8 s00, s11, s22, s01, s02, s12, widest2;
} support8;

HEM_INLINE v8x3 support_apply(const support8* s, v8x3 n) {
    return v8x3_make(v8_madd(s->s02, n.z, v8_madd(s->s01, n.y, v8_mul(s->s00, n.x))),
                     v8_madd(s->s12, n.z, v8_madd(s->s11, n.y, v8_mul(s->s01, n.x))),
                     v8_madd(s->s22, n.z, v8_madd(s->s12, n.y, v8_mul(s->s02, n.x))));
}

HEM_INLINE support8 support_make(v8x4 turn, v8 a, v8 b, v8 c) {
    v8_mat3 r = v8_mat3_from_quat(turn);
    v8 aa = v8_mul(a, a), bb = v8_mul(b, b), cc = v8_mul(c, c);
    v8x3 x = v8x3_make(v8_mul(r.row0.x, aa), v8_mul(r.row0.y, bb), v8_mul(r.row0.z, cc));
    v8x3 y = v8x3_make(v8_mul(r.row1.x, aa), v8_mul(r.row1.y, bb), v8_mul(r.row1.z, cc));
    v8x3 z = v8x3_make(v8_mul(r.row2.x, aa), v8_mul(r.row2.y, bb), v8_mul(r.row2.z, cc));
    support8 s;
    s.s00 = v8x3_dot(x, r.row0);
    s.s11 = v8x3_dot(y, r.row1);
    s.s22 = v8x3_dot(z, r.row2);
    s.s01 = v8x3_dot(x, r.row1);
    s.s02 = v8x3_dot(x, r.row2);
    s.s12 = v8x3_dot(y, r.row2);
    s.widest2 = v8_max(aa, v8_max(bb, cc));
    return s;
}

// Turns n towards the direction of least overlap; returns the sum of the supports along it.
HEM_INLINE v8 ellipsoid_direction(v8x3 d, const support8* s1, const support8* s2, v8x3* direction) {
    v8 tiny = v8_set1(1e-9f), one = v8_set1(1.0f);
    v8x3 n = *direction;
    v8 sum = v8_zero();
    for (int i = 0; i <= ELLIPSOID_STEPS; ++i) {
        v8x3 p1 = support_apply(s1, n), p2 = support_apply(s2, n);
        v8 h1 = v8_max(v8_sqrt(v8_max(v8x3_dot(p1, n), tiny)), tiny);
        v8 h2 = v8_max(v8_sqrt(v8_max(v8x3_dot(p2, n), tiny)), tiny);
        sum = v8_add(h1, h2);
        if (i == ELLIPSOID_STEPS) {
            break;
        }
        v8 i1 = v8_div(one, h1), i2 = v8_div(one, h2);
        v8x3 g = v8x3_nmadd(p2, i2, v8x3_nmadd(p1, i1, d));
        v8 along = v8x3_dot(g, n);
        g = v8x3_nmadd(n, along, g);
        v8 bend = v8_add(along, v8_madd(s1->widest2, i1, v8_mul(s2->widest2, i2)));
        v8 step = v8_div(one, v8_max(bend, v8_mul(sum, v8_set1(0.25f))));
        n = unit_or(v8x3_madd(g, step, n), n);
    }
    *direction = n;
    return sum;
}

static void supports(const hem_view* view, const hemi_row4* q, float* support) {
    for (uint32_t row = 0; row < view->info->oriented_row_count; ++row) {
        const hem_shape_row* s = &view->shape_rows[row];
        v8x4 rest = v8x4_make(v8_load(s->qx), v8_load(s->qy), v8_load(s->qz), v8_load(s->qw));
        support8 m = support_make(v8x4_mul(row4_load(&q[row]), rest), v8_load(s->a), v8_load(s->b), v8_load(s->c));
        float* out = support + (size_t)row * 56;
        v8_store(out, m.s00);
        v8_store(out + 8, m.s11);
        v8_store(out + 16, m.s22);
        v8_store(out + 24, m.s01);
        v8_store(out + 32, m.s02);
        v8_store(out + 40, m.s12);
        v8_store(out + 48, m.widest2);
    }
}

static void place_bodies(const hem_view* view, const hemi_row4* x, const hemi_row3* prev, const hemi_row4* q,
                         hemi_scratch* s, int surface) {
    uint32_t n = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (part->kind != HEM_PART_BODY) {
            continue;
        }
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row, n += 8) {
            const hem_shape_row* shape = &view->shape_rows[row];
            v8x4 rest = v8x4_make(v8_load(shape->qx), v8_load(shape->qy), v8_load(shape->qz), v8_load(shape->qw));
            v8x4 turn = v8x4_mul(row4_load(&q[row]), rest);
            v8x3 axis = v8x4_rotate(turn, v8x3_set1(1.0f, 0.0f, 0.0f));
            v8 a = v8_load(shape->a), b = v8_load(shape->b), c = v8_load(shape->c);
            HEM_ALIGN(32) float is_surface[8];
            for (uint32_t i = 0; i < 8; ++i) {
                is_surface[i] = surface && (view->particle_flags[row * 8 + i] & HEM_PARTICLE_SURFACE) ? 1.0f : 0.0f;
            }
            v8 flag = v8_load(is_surface);
            m8 tangent = v8_gt(flag, v8_zero());
            v8 radius = v8_load(s->body_data + n * 10 + 48);
            v8x3 center = v8x3_madd(axis, v8_keep(tangent, v8_sub(a, radius)), row4_load3(&x[row]));
            v8x3 moved = v8x3_sub(row4_load3(&x[row]), row3_load(&prev[row]));
            support8 m = support_make(turn, a, b, c);
            v8 zero = v8_zero();
            v8 first[8] = {center.x, center.y, center.z, radius, axis.x, axis.y, axis.z, flag};
            v8 second[8] = {moved.x, moved.y, moved.z, v8_set1(s->parts[p].friction), m.s00, m.s11, m.s22, m.s01};
            v8 third[8] = {m.s02, m.s12, m.widest2, zero, zero, zero, zero, zero};
            v8_transpose8(first);
            v8_transpose8(second);
            v8_transpose8(third);
            for (uint32_t i = 0; i < 8; ++i) {
                HEM_ALIGN(32) float tail[8];
                float* out = s->bodies[n + i].center;
                v8_storeu(out, first[i]);
                v8_storeu(out + 8, second[i]);
                v8_store(tail, third[i]);
                memcpy(out + 16, tail, 4 * sizeof(float));
            }
        }
    }
    hemi_body* dummy = &s->bodies[n];
    memset(dummy, 0, sizeof(*dummy));
    dummy->center[1] = 1e6f;
    dummy->axis[0] = 1.0f;
    dummy->surface = 1.0f;
}

// One contact of a row: pushes p out along n by depth where active, with friction against something that moved.
HEM_INLINE void push_out(v8x3* p, v8x3* prev, v8x3 n, v8 depth, m8 active, v8x3 moved, v8 friction, v8 restitution) {
    v8 zero = v8_zero(), tiny = v8_set1(1e-12f), one = v8_set1(1.0f);
    depth = v8_keep(active, depth);
    v8x3 rel = v8x3_sub(v8x3_sub(*p, *prev), moved);
    v8 along = v8x3_dot(rel, n);
    v8 approach = v8_max(v8_neg(along), zero);
    // What was deep before the substep comes out over several: a sudden jump would tear at its neighbours.
    depth = v8_min(depth, v8_add(approach, v8_set1(PUSH_LIMIT)));
    v8 excess = v8_max(v8_sub(depth, approach), zero);
    *p = v8x3_madd(n, depth, *p);
    // What bounces leaves with its share of the whole approach, also of the part that did not reach the surface.
    m8 springs = m8_and(v8_gt(depth, zero), v8_gt(restitution, zero));
    v8 bounce = v8_keep(springs, v8_madd(restitution, approach, v8_max(v8_sub(approach, depth), zero)));
    *prev = v8x3_madd(n, v8_sub(excess, bounce), *prev);
    v8x3 slide = v8x3_nmadd(n, along, rel);
    v8 length = v8x3_length(slide);
    v8 grip = v8_min(v8_div(v8_mul(friction, depth), v8_max(length, tiny)), one);
    *p = v8x3_nmadd(slide, v8_keep(active, grip), *p);
}

static void touch_bodies(const hem_view* view, hemi_row4* x, hemi_row3* prev, hemi_scratch* s) {
    const float* base = s->bodies[0].center;
    v8 zero = v8_zero(), one = v8_set1(1.0f), two = v8_set1(2.0f), tiny = v8_set1(1e-9f);
    uint32_t touching = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        const hemi_part_step* tune = &s->parts[p];
        v8 restitution = v8_set1(tune->restitution), own_friction = v8_set1(tune->friction);
        int soft = part->kind == HEM_PART_SOFT, still = hemi_frame_is_still(&tune->frame);
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            const hemi_near* near = &s->near_body[row];
            if (near->depth == 0) {
                continue;
            }
            v8x3 at = row4_load3(&x[row]), old = row3_load(&prev[row]);
            m8 free = v8_gt(v8_load(x[row].w), zero);
            uint32_t hit = 0;
            for (uint32_t k = 0; k < near->depth; ++k) {
                const uint16_t* list = s->near_list + near->first + k * 8;
                HEM_ALIGN(32) int32_t index[8];
                w8_store(index, w8_mul(w8_load_u16(list), w8_set1(5))); // hemi_body is five times four floats
                v8x3 c, axis, moved;
                v8 radius, surface, friction;
                v8_load_rows4(base, index, &c.x, &c.y, &c.z, &radius);
                v8 keep = v8_loadu(s->near_distance + near->first + k * 8);
                v8x3 d = v8x3_sub(at, c);
                v8 length2 = v8x3_dot(d, d);
                m8 active = m8_and(free, m8_and(v8_lt(length2, v8_mul(keep, keep)), v8_gt(keep, zero)));
                if (!m8_any(active)) {
                    continue;
                }
                v8_load_rows4(base + 4, index, &axis.x, &axis.y, &axis.z, &surface);
                v8_load_rows4(base + 8, index, &moved.x, &moved.y, &moved.z, &friction);
                if (!still) { // bodies move in the character's frame, the particles' `prev` has been moved by it
                    moved = v8x3_sub(c, transform3(tune->frame.m, v8x3_sub(c, moved), 1));
                }
                // The far side of a tangent sphere belongs to the far side of the limb: what lies there is not inside
                // through this surface.
                m8 near_side = v8_gt(v8x3_dot(d, axis), v8_mul(radius, v8_set1(SURFACE_DEPTH)));
                active = m8_and(active, m8_or(near_side, v8_le(surface, zero)));
                v8 length = v8_sqrt(length2);
                m8 centered = v8_gt(length, tiny);
                v8x3 n = v8x3_select(centered, v8x3_scale(d, v8_div(one, v8_max(length, tiny))), axis);
                v8 depth = v8_sub(keep, length);
                m8 is_surface = v8_gt(surface, zero);
                if (!m8_all(is_surface)) {
                    // Ellipsoids: the least overlap, and never more than the rest state allowed.
                    support8 theirs, own;
                    v8 spare;
                    v8_load_rows4(base + 12, index, &theirs.s00, &theirs.s11, &theirs.s22, &theirs.s01);
                    v8_load_rows4(base + 16, index, &theirs.s02, &theirs.s12, &theirs.widest2, &spare);
                    if (soft) {
                        const float* from = s->support + (size_t)row * 56;
                        own.s00 = v8_load(from);
                        own.s11 = v8_load(from + 8);
                        own.s22 = v8_load(from + 16);
                        own.s01 = v8_load(from + 24);
                        own.s02 = v8_load(from + 32);
                        own.s12 = v8_load(from + 40);
                        own.widest2 = v8_load(from + 48);
                    } else {
                        v8 t2 = v8_set1(tune->thickness * tune->thickness);
                        own.s00 = own.s11 = own.s22 = own.widest2 = t2;
                        own.s01 = own.s02 = own.s12 = zero;
                    }
                    v8x3 e = n;
                    v8 sum = ellipsoid_direction(d, &theirs, &own, &e);
                    v8 overlap = v8_min(v8_sub(sum, v8x3_dot(d, e)), depth);
                    n = v8x3_select(is_surface, n, e);
                    depth = v8_select(is_surface, depth, overlap);
                    active = m8_and(active, v8_gt(depth, zero));
                }
                v8 outward = v8x3_dot(n, axis);
                m8 against = m8_and(is_surface, v8_lt(outward, zero));
                n = v8x3_select(against, v8x3_nmadd(axis, v8_mul(two, outward), n), n);
                push_out(&at, &old, n, depth, active, moved, v8_max(friction, own_friction), restitution);
                hit |= m8_bits(active);
            }
            row4_store3(&x[row], at);
            row3_store(&prev[row], old);
            touching += hemi_bit_count(hit);
        }
    }
    s->contact_count = touching;
}

HEM_INLINE support8 gather_support(const float* support, const uint16_t list[8], m8 oriented) {
    HEM_ALIGN(32) int32_t index[8];
    uint32_t bits = m8_bits(oriented);
    for (int i = 0; i < 8; ++i) {
        index[i] = bits >> i & 1u ? (list[i] >> 3) * 56 + (list[i] & 7) : 0;
    }
    support8 m;
    m.s00 = v8_gather(support, index);
    m.s11 = v8_gather(support + 8, index);
    m.s22 = v8_gather(support + 16, index);
    m.s01 = v8_gather(support + 24, index);
    m.s02 = v8_gather(support + 32, index);
    m.s12 = v8_gather(support + 40, index);
    m.widest2 = v8_gather(support + 48, index);
    return m;
}

// -- Pairs of simulated particles. Few of those that may meet do: all are looked at once, eight pairs at a time, which
// marks in moved_rows the rows that have work.

typedef struct near_eight {
    uint16_t a[8], b[8];
    float keep[8];
} near_eight;

HEM_INLINE near_eight load_eight(const hemi_hit* hits) {
    near_eight e;
    for (int i = 0; i < 8; ++i) {
        e.a[i] = hits[i].slot;
        e.b[i] = hits[i].other;
        e.keep[i] = hits[i].distance;
    }
    return e;
}

HEM_INLINE void mark_rows(uint8_t* marks, const near_eight* e, uint32_t bits) {
    for (; bits; bits &= bits - 1) {
        uint32_t i = hem_lowest_bit(bits);
        marks[e->a[i] >> 3] = marks[e->b[i] >> 3] = 1;
    }
}

HEM_INLINE v8x3 between(const float* base, int32_t row_floats, const near_eight* e) { // from a to b
    HEM_ALIGN(32) int32_t a[8], b[8];
    places_of(e->a, row_floats, a);
    places_of(e->b, row_floats, b);
    return v8x3_sub(gather3(base, b), gather3(base, a));
}

HEM_INLINE m8 is_touching(v8 length2, v8 keep) {
    return m8_and(m8_and(v8_lt(length2, v8_mul(keep, keep)), v8_gt(keep, v8_zero())),
                  v8_gt(length2, v8_set1(CENTERED2)));
}

static void mark_touching(const hemi_row4* x, hemi_scratch* s) {
    for (uint32_t n = 0; n < s->pair_count; n += 8) {
        near_eight e = load_eight(s->hits + n);
        v8x3 d = between(x[0].x, 32, &e);
        mark_rows(s->moved_rows, &e, m8_bits(is_touching(v8x3_dot(d, d), v8_loadu(e.keep))));
    }
}

static void touch_particles(const hem_view* view, hemi_row4* x, hemi_row3* prev, hemi_scratch* s) {
    v8 zero = v8_zero(), one = v8_set1(1.0f), tiny = v8_set1(1e-9f), relax = v8_set1(PARTICLE_RELAXATION);
    const float* xs = x[0].x;
    const float* ps = prev[0].x;
    uint32_t touching = 0;
    mark_touching(x, s);
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        int soft = part->kind == HEM_PART_SOFT;
        v8 friction = v8_set1(s->parts[p].friction);
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            if (!s->moved_rows[row]) {
                continue;
            }
            s->moved_rows[row] = 0;
            const hemi_near* near = &s->near_self[row];
            v8x3 at = row4_load3(&x[row]);
            v8 w = v8_load(x[row].w);
            v8x3 move = v8x3_set1(0.0f, 0.0f, 0.0f), back_move = move;
            uint32_t hit = 0;
            for (uint32_t k = 0; k < near->depth; ++k) {
                const uint16_t* list = s->near_list + near->first + k * 8;
                HEM_ALIGN(32) int32_t index[8];
                slots_of(list, index);
                v8x3 d = v8x3_sub(at, gather3(xs, index));
                v8 keep = v8_loadu(s->near_distance + near->first + k * 8);
                v8 length2 = v8x3_dot(d, d);
                m8 active = is_touching(length2, keep);
                if (!m8_any(active)) {
                    continue;
                }
                v8 other_w = v8_gather(x[0].w, index);
                v8 length = v8_sqrt(length2);
                v8x3 n = v8x3_scale(d, v8_div(one, v8_max(length, tiny)));
                v8 depth = v8_sub(keep, length);
                if (soft) {
                    uint32_t bits = 0;
                    for (uint32_t i = 0; i < 8; ++i) {
                        bits |= (uint32_t)(list[i] < view->info->oriented_row_count * 8) << i;
                    }
                    m8 both = m8_from_bits(bits);
                    const float* from = s->support + (size_t)row * 56;
                    support8 own = {v8_load(from),      v8_load(from + 8),  v8_load(from + 16), v8_load(from + 24),
                                    v8_load(from + 32), v8_load(from + 40), v8_load(from + 48)};
                    support8 theirs = gather_support(s->support, list, both);
                    v8x3 e = n;
                    v8 overlap = v8_min(v8_sub(ellipsoid_direction(d, &theirs, &own, &e), v8x3_dot(d, e)), depth);
                    n = v8x3_select(both, e, n);
                    depth = v8_select(both, overlap, depth);
                    active = m8_and(active, v8_gt(depth, zero));
                }
                v8 sum = v8_add(w, other_w);
                v8 share = v8_keep(m8_and(active, v8_gt(sum, zero)), v8_div(w, v8_max(sum, tiny)));
                share = v8_mul(share, relax);
                HEM_ALIGN(32) int32_t back[8];
                places_of(list, 24, back);
                v8x3 rel = v8x3_sub(d, v8x3_sub(row3_load(&prev[row]), gather3(ps, back)));
                v8 along = v8x3_dot(rel, n);
                v8 excess = v8_max(v8_sub(depth, v8_max(v8_neg(along), zero)), zero);
                v8x3 slide = v8x3_nmadd(n, along, rel);
                v8 grip = v8_min(v8_div(v8_mul(friction, depth), v8_max(v8x3_length(slide), tiny)), one);
                move = v8x3_madd(v8x3_nmadd(slide, grip, v8x3_scale(n, depth)), share, move);
                back_move = v8x3_madd(n, v8_mul(excess, share), back_move);
                hit |= m8_bits(active);
            }
            if (hit) {
                row4_store(&s->delta[row], v8x4_make(move.x, move.y, move.z, zero));
                row3_store(&s->delta_prev[row], back_move);
                touching += hemi_bit_count(hit);
                s->moved_rows[row] = 1;
            }
        }
    }
    if (touching) {
        for (uint32_t row = 0; row < view->info->row_count; ++row) {
            if (s->moved_rows[row]) {
                row3_store(&prev[row], v8x3_add(row3_load(&prev[row]), row3_load(&s->delta_prev[row])));
                v8x4 d = row4_load(&s->delta[row]);
                row4_store3(&x[row], v8x3_add(row4_load3(&x[row]), v8x3_make(d.x, d.y, d.z)));
                row4_store(&s->delta[row], v8x4_make(zero, zero, zero, zero));
                s->moved_rows[row] = 0;
            }
        }
    }
    s->contact_count += touching;
}

// Section 5.1: two particles that come nearer than their radii during the substep and leave again on the other side are
// put back to just before they were nearest. The paper compares their order along the old line of centers (eq. 6) and
// moves them along the new one; that misses pairs that pass beside each other, and two woven sheets consist of such
// pairs. Here the order is taken along the relative motion, and so is the move. Both sides move by their share (eq. 7, 8).
// A particle that passes several others shares the move; a pair divides by the larger of its two counts, so that momentum
// is kept.
#define PASS_BACK 0.25f // of the distance to keep: how far before the nearest point

// Lanes that pass, and the part of the relative motion u = d1 - d0 that is taken back.
HEM_INLINE m8 passing(v8x3 d0, v8x3 d1, v8 keep, v8* share) {
    v8 zero = v8_zero(), one = v8_set1(1.0f);
    v8x3 u = v8x3_sub(d1, d0);
    v8 uu = v8_max(v8x3_dot(u, u), v8_set1(1e-20f));
    v8 t = v8_div(v8_neg(v8x3_dot(d0, u)), uu);
    v8x3 nearest = v8x3_madd(u, t, d0);
    m8 meet = m8_and(v8_lt(v8x3_dot(nearest, nearest), v8_mul(keep, keep)), v8_gt(keep, zero));
    v8 back = v8_div(v8_mul(keep, v8_set1(PASS_BACK)), v8_sqrt(uu));
    *share = v8_add(v8_sub(one, t), v8_min(back, v8_max(t, zero)));
    return m8_and(meet, m8_and(v8_gt(t, zero), v8_lt(t, one)));
}

static int mark_passing(const hemi_row4* x, const hemi_row3* prev, hemi_scratch* s) {
    int any = 0;
    for (uint32_t n = 0; n < s->pair_count; n += 8) {
        near_eight e = load_eight(s->hits + n);
        v8 taken;
        m8 passes = passing(between(prev[0].x, 24, &e), between(x[0].x, 32, &e), v8_loadu(e.keep), &taken);
        mark_rows(s->moved_rows, &e, m8_bits(passes));
        any |= m8_any(passes);
    }
    return any;
}

static void continuous(const hem_view* view, hemi_row4* x, const hemi_row3* prev, hemi_scratch* s) {
    const float* xs = x[0].x;
    const float* ps = prev[0].x;
    v8 zero = v8_zero(), one = v8_set1(1.0f);
    uint32_t rows = view->info->row_count;
    if (!mark_passing(x, prev, s)) {
        return;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t row = 0; row < rows; ++row) {
            if (!s->moved_rows[row]) {
                continue;
            }
            const hemi_near* near = &s->near_self[row];
            v8x3 at = row4_load3(&x[row]), old = row3_load(&prev[row]);
            v8 w = v8_load(x[row].w);
            v8 flips = zero;
            v8 own_count = v8_load(s->delta[row].w);
            v8x3 move = v8x3_set1(0.0f, 0.0f, 0.0f);
            for (uint32_t k = 0; k < near->depth; ++k) {
                const uint16_t* list = s->near_list + near->first + k * 8;
                HEM_ALIGN(32) int32_t index[8], back[8];
                slots_of(list, index);
                places_of(list, 24, back);
                v8 keep = v8_loadu(s->near_distance + near->first + k * 8);
                v8x3 d1 = v8x3_sub(gather3(xs, index), at);
                v8x3 d0 = v8x3_sub(gather3(ps, back), old);
                v8 taken;
                m8 turned = passing(d0, d1, keep, &taken);
                if (pass == 0) {
                    flips = v8_add(flips, v8_keep(turned, one));
                } else if (m8_any(turned)) {
                    v8 other_w = v8_gather(x[0].w, index);
                    v8 others = v8_gather(s->delta[0].w, index);
                    v8 share = v8_div(w, v8_max(v8_add(w, other_w), v8_set1(1e-20f)));
                    share = v8_div(v8_mul(share, taken), v8_max(v8_max(own_count, others), one));
                    move = v8x3_madd(v8x3_sub(d1, d0), v8_keep(turned, share), move);
                }
            }
            if (pass == 0) {
                v8_store(s->delta[row].w, flips);
                s->moved_rows[row] = m8_any(v8_gt(flips, zero)) ? 1 : 0;
            } else {
                v8_store(s->delta[row].x, move.x);
                v8_store(s->delta[row].y, move.y);
                v8_store(s->delta[row].z, move.z);
            }
        }
    }
    for (uint32_t row = 0; row < rows; ++row) {
        if (s->moved_rows[row]) {
            v8x4 d = row4_load(&s->delta[row]);
            row4_store3(&x[row], v8x3_add(row4_load3(&x[row]), v8x3_make(d.x, d.y, d.z)));
            row4_store(&s->delta[row], v8x4_make(zero, zero, zero, zero));
            s->moved_rows[row] = 0;
        }
    }
}
