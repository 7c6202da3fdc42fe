// SPDX-License-Identifier: MIT
// Particles against bodies, and particles against particles.
//
// Bodies do not yield, so particles are pushed out one candidate after the other (Gauss-Seidel), eight particles at a time. Simulated pairs
// are all solved from the same frozen positions (Jacobi), each once: what moves its two ends is equal and opposite times
// mass, so momentum is kept.
//
// A contact never adds energy: of a push of depth s along n, only as much counts as velocity as the pair was approaching
// during the substep; the rest moves `prev` along.
//
// Ellipsoids: the depth of two convex bodies is the least overlap over all directions, f(n) = h1(n) + h2(n) - n.d with
// the supports h(n) = sqrt(n S n). Its minimum is sought from the line of centers by a few projected gradient steps
// whose length is the inverse of a bound of the curvature. Error: see docs/runtime.md.

#define ELLIPSOID_STEPS 3
#define SURFACE_DEPTH -0.35f     // how far below its center a tangent sphere still acts, of its radius
#define PARTICLE_RELAXATION 0.6f // of Jacobi: particles in several contacts would overshoot
// Of what two solids slide on each other in a substep a contact takes back so much at most: a plate is in many at once, and each
// taking all of it turns the slide round. With 1 a heap of bodies rolled for ever, the more the rougher they were.
#define SOLID_GRIP 0.25f
#define CENTERED 6e-4f // of the spacing: nearer than that two particles have no direction from one to the other

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
    v8 tiny = v8_set1(TINY), zero = v8_zero(), one = v8_set1(1.0f);
    v8x3 n = *direction;
    v8 sum = v8_zero();
    for (int i = 0; i <= ELLIPSOID_STEPS; ++i) {
        v8x3 p1 = support_apply(s1, n), p2 = support_apply(s2, n);
        v8 h1 = v8_sqrt(v8_max(v8x3_dot(p1, n), zero)), h2 = v8_sqrt(v8_max(v8x3_dot(p2, n), zero));
        sum = v8_add(h1, h2);
        if (i == ELLIPSOID_STEPS) {
            break;
        }
        v8 i1 = v8_div(one, v8_max(h1, tiny)), i2 = v8_div(one, v8_max(h2, tiny)); // a point has no width
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

// Whether anybody asks for the supports of a row: inside of a lattice nobody collides.
HEM_INLINE int row_collides(const hem_view* view, uint32_t row) {
    uint32_t flags = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        flags |= view->particle_flags[row * 8 + i];
    }
    return (flags & HEM_PARTICLE_COLLIDES) != 0;
}

void HEMI_NAME(supports)(const hem_view* view, const hem_part* part, const hemi_row4* q, float* support) {
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
        if (!row_collides(view, row)) {
            continue;
        }
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

void HEMI_NAME(place_bodies)(const hem_view* view, const hemi_row4* x, const hemi_row3* prev, const hemi_row4* q,
                             const hemi_part_step* parts, hemi_contacts* s) {
    uint32_t n = 0;
    v8 zero = v8_zero();
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
            v8 a = v8_load(shape->a);
            m8 tangent = m8_from_bits(s->body_tangents[n >> 3]);
            v8 radius = v8_load(s->body_data + n * 10 + 48);
            v8x3 center = v8x3_madd(axis, v8_keep(tangent, v8_sub(a, radius)), row4_load3(&x[row]));
            v8x3 moved = v8x3_sub(row4_load3(&x[row]), row3_load(&prev[row]));
            support8 m = {zero, zero, zero, zero, zero, zero, zero};
            int round = m8_all(tangent); // nobody asks for their ellipsoids
            if (!round) {
                m = support_make(turn, a, v8_load(shape->b), v8_load(shape->c));
            }
            v8 first[8] = {center.x, center.y, center.z, radius,
                           axis.x,   axis.y,   axis.z,   v8_keep(tangent, v8_set1(1.0f))};
            v8 second[8] = {moved.x, moved.y, moved.z, v8_set1(parts[p].friction), m.s00, m.s11, m.s22, m.s01};
            v8_transpose8(first);
            v8_transpose8(second);
            for (uint32_t i = 0; i < 8; ++i) {
                v8_storeu(s->bodies[n + i].center, first[i]);
                v8_storeu(s->bodies[n + i].motion, second[i]);
            }
            if (!round) {
                static const int32_t each[8] = {0, 5, 10, 15, 20, 25, 30, 35}; // hemi_body is five times four floats
                v8_store_rows4(&s->bodies[n].s02, each, m.s02, m.s12, m.widest2, zero);
            }
        }
    }
    hemi_body* dummy = &s->bodies[n];
    memset(dummy, 0, sizeof(*dummy));
    dummy->center[1] = 1e6f;
    dummy->axis[0] = 1.0f;
    dummy->surface = 1.0f;
}

HEM_INLINE support8 gather_support(const float* support, const uint16_t list[8], uint32_t oriented) {
    HEM_ALIGN(32) int32_t index[8];
    for (int i = 0; i < 8; ++i) {
        index[i] = oriented >> i & 1u ? (list[i] >> 3) * 56 + (list[i] & 7) : 0;
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

void HEMI_NAME(touch_bodies)(const hemi_contact_args* args) {
    const hem_view* view = args->view;
    const hemi_contacts* s = args->contacts;
    hemi_row4* x = args->x;
    hemi_row3* prev = args->prev;
    const float* base = s->bodies[0].center;
    v8 zero = v8_zero(), one = v8_set1(1.0f), two = v8_set1(2.0f), tiny = v8_set1(1e-9f);
    uint32_t touching = 0;
    for (uint32_t p = args->part_begin; p < args->part_end; ++p) {
        const hem_part* part = &view->parts[p];
        const hemi_part_step* tune = &args->solve->parts[p];
        grip8 grip = {zero, v8_set1(tune->restitution), zero, zero, part->spacing};
        int soft = part->kind == HEM_PART_SOFT, still = hemi_frame_is_still(&tune->frame);
        for (uint32_t eight = s->near_begin[p]; eight < s->near_begin[p + 1]; ++eight) {
            const hemi_near* near = &s->near_body[eight];
            HEM_ALIGN(32) int32_t in_x[8], in_prev[8];
            slots_of(near->slot, in_x);
            places_of(near->slot, 24, in_prev);
            v8x3 at = gather3(x[0].x, in_x), old = gather3(prev[0].x, in_prev);
            v8 own_friction = eight_friction(view, tune, near->slot);
            m8 free = v8_gt(v8_gather(x[0].w, in_x), zero);
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
                        own = gather_support(s->support, near->slot, 0xff);
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
                grip.friction = v8_max(friction, own_friction);
                push_out(&at, &old, n, depth, active, moved, &grip);
                hit |= m8_bits(active);
            }
            const m8 there = m8_from_bits(near->mask);
            scatter3(x[0].x, in_x, at, there);
            scatter3(prev[0].x, in_prev, old, there);
            touching += hemi_bit_count(hit & near->mask);
        }
    }
    args->counters->contact_count += touching;
}

// -- Pairs of simulated particles, each once, eight at a time. Few of those that may meet do. What a pair moves is added
// to delta, particle by particle; moved_rows has a bit for each that has something there.

typedef struct pair8 {
    const uint16_t *a, *b;
    HEM_ALIGN(32) int32_t in_row4_a[8]; // offsets of floats
    HEM_ALIGN(32) int32_t in_row4_b[8];
    v8 keep;
} pair8;

HEM_INLINE void load_pairs(const hemi_contacts* s, uint32_t first, pair8* pairs) {
    pairs->a = s->pair_a + first;
    pairs->b = s->pair_b + first;
    pairs->keep = v8_load(s->pair_distance + first);
    slots_of(pairs->a, pairs->in_row4_a);
    slots_of(pairs->b, pairs->in_row4_b);
}

// All eights of pairs: those without an order, then those with one.
HEM_INLINE uint32_t first_eight(const hemi_contacts* s) {
    return s->pair_count ? 0 : s->side_begin;
}

HEM_INLINE uint32_t next_eight(const hemi_contacts* s, uint32_t n) {
    return n + 8 == s->pair_count ? s->side_begin : n + 8;
}

HEM_INLINE v8x3 between_now(const hemi_row4* x, const pair8* pairs) { // from a to b
    return v8x3_sub(gather3(x[0].x, pairs->in_row4_b), gather3(x[0].x, pairs->in_row4_a));
}

HEM_INLINE v8x3 between_then(const hemi_row3* prev, const pair8* pairs) {
    HEM_ALIGN(32) int32_t a[8], b[8];
    places_of(pairs->a, 24, a);
    places_of(pairs->b, 24, b);
    return v8x3_sub(gather3(prev[0].x, b), gather3(prev[0].x, a));
}

HEM_INLINE float particle_friction(const hem_view* view, const hemi_part_step* parts, uint32_t slot) {
    float friction = parts[view->particle_flags[slot] >> HEM_PARTICLE_PART_SHIFT].friction;
    return view->map_rows ? friction * view->map_rows[slot >> 3].friction[slot & 7] : friction;
}

HEM_INLINE v8 pair_friction(const hem_view* view, const hemi_part_step* parts, const pair8* pairs) {
    HEM_ALIGN(32) float friction[8];
    for (int i = 0; i < 8; ++i) {
        friction[i] =
            hem_maxf(particle_friction(view, parts, pairs->a[i]), particle_friction(view, parts, pairs->b[i]));
    }
    return v8_load(friction);
}

// Adds what pairs move to their two ends: to a as much as it is light, to b the opposite.
HEM_INLINE void add_moves(hemi_solve* s, const pair8* pairs, uint32_t bits, v8x3 move, v8x3 back, v8 wa, v8 wb) {
    HEM_ALIGN(32) float m[6][8], w[2][8];
    v8_store(m[0], move.x);
    v8_store(m[1], move.y);
    v8_store(m[2], move.z);
    v8_store(m[3], back.x);
    v8_store(m[4], back.y);
    v8_store(m[5], back.z);
    v8_store(w[0], wa);
    v8_store(w[1], v8_neg(wb));
    for (; bits; bits &= bits - 1) {
        uint32_t i = hem_lowest_bit(bits);
        for (uint32_t side = 0; side < 2; ++side) {
            uint32_t slot = side ? pairs->b[i] : pairs->a[i], row = slot >> 3, lane = slot & 7;
            float share = w[side][i];
            if (share == 0.0f) {
                continue; // what does not move is not cleared either
            }
            s->delta[row].x[lane] += share * m[0][i];
            s->delta[row].y[lane] += share * m[1][i];
            s->delta[row].z[lane] += share * m[2][i];
            s->delta_prev[row].x[lane] += share * m[3][i];
            s->delta_prev[row].y[lane] += share * m[4][i];
            s->delta_prev[row].z[lane] += share * m[5][i];
            s->moved_rows[row] |= (uint8_t)(1u << lane);
        }
    }
}

// Moves what has something to move. Returns how many particles that are.
static uint32_t apply_moves(const hem_view* view, hemi_row4* x, hemi_row3* prev, hemi_solve* s) {
    v8 zero = v8_zero();
    uint32_t moved = 0;
    for (uint32_t row = 0; row < view->info->row_count; ++row) {
        if (s->moved_rows[row]) {
            v8x4 d = row4_load(&s->delta[row]);
            row4_store3(&x[row], v8x3_add(row4_load3(&x[row]), v8x3_make(d.x, d.y, d.z)));
            row3_store(&prev[row], v8x3_add(row3_load(&prev[row]), row3_load(&s->delta_prev[row])));
            row4_store(&s->delta[row], v8x4_make(zero, zero, zero, zero));
            row3_store(&s->delta_prev[row], v8x3_make(zero, zero, zero));
            moved += hemi_bit_count(s->moved_rows[row]);
            s->moved_rows[row] = 0;
        }
    }
    return moved;
}

// -- Layers
//
// Of a pair with an order, a lies outside the cloth of b. Found below it and nearer than their radii, whatever the rest
// distance, it is on the wrong side: pushing the two apart would keep it there. It is led out along the cloth's normal
// instead, slowly, and without giving it a speed. Around a shoulder a particle that is out lies below the planes of
// particles further round, so one that is above anything near counts as out; what is in the middle of a cell, just below
// the cloth, is below all four corners.
//
// Who is out is not told by yes or no. A lock that lies on the edge of a collar is a little above one particle and far below
// the next; told to be on this side or that, it was thrown to and fro between the two for ever, a millimetre a frame. So being
// out is a share from 0 to 1 that grows with the way, and where leading and contact balance it comes to rest. (Shares for being
// below, too: hair that was drawn into a cape comes out to 87 % instead of 90.)

#define OVER_CLOTH 0.2f // cosine: nearer to the plane it is neither above nor below
#define OVER_BAND 0.1f  // of the radii: on so much of a way the share grows from 0 to 1
#define OUT_LIMIT 0.05f // of the radii, per substep: so far it is led out; once it is there the contact takes over

HEM_INLINE v8 radii_of(const hem_view* view, const hemi_part_step* parts, const pair8* pairs) {
    HEM_ALIGN(32) float radii[8];
    for (int i = 0; i < 8; ++i) {
        uint32_t a = view->particle_flags[pairs->a[i]] >> HEM_PARTICLE_PART_SHIFT;
        uint32_t b = view->particle_flags[pairs->b[i]] >> HEM_PARTICLE_PART_SHIFT;
        radii[i] = parts[a].contact_radius + parts[b].contact_radius;
    }
    return v8_load(radii);
}

HEM_INLINE v8x3 outward(const hemi_contact_args* args, const pair8* pairs) {
    HEM_ALIGN(32) int32_t b[8];
    places_of(pairs->b, 24, b);
    return gather3(args->solve->normal[0].x, b);
}

// How far a height is beyond the cone that is neither above nor below, in bands; not above 0 within.
HEM_INLINE v8 beyond_cone(v8 height, v8 length, v8 band) {
    return v8_div(v8_nmadd(length, v8_set1(OVER_CLOTH), height), band);
}

HEM_INLINE v8 as_share(v8 x) {
    return v8_min(v8_max(x, v8_zero()), v8_set1(1.0f));
}

// Notes in `above` by how much each is out.
static void find_above(const hemi_contact_args* args) {
    const hemi_contacts* s = args->contacts;
    float* above = args->solve->above;
    memset(above, 0, args->view->info->row_count * 8 * sizeof(float));
    for (uint32_t n = s->side_begin; n < s->side_end; n += 8) {
        pair8 pairs;
        load_pairs(s, n, &pairs);
        const v8x3 d = v8x3_neg(between_now(args->x, &pairs));
        const v8 height = v8x3_dot(d, outward(args, &pairs));
        const m8 higher = m8_and(v8_gt(height, v8_zero()), v8_gt(pairs.keep, v8_zero()));
        if (!m8_any(higher)) {
            continue;
        }
        const v8 radii = radii_of(args->view, args->solve->parts, &pairs);
        const v8 length = v8x3_length(d), band = v8_max(v8_mul(radii, v8_set1(OVER_BAND)), v8_set1(TINY));
        const v8 near = v8_div(v8_sub(radii, length), band);
        HEM_ALIGN(32) float share[8];
        v8_store(share, v8_keep(higher, as_share(v8_min(beyond_cone(height, length, band), near))));
        for (uint32_t bits = m8_bits(higher); bits; bits &= bits - 1) {
            const uint32_t i = hem_lowest_bit(bits), a = pairs.a[i];
            above[a] = hem_maxf(above[a], share[i]);
        }
    }
}

// d from b to a. Leads out what is on the wrong side; returns which lanes moved, and in `*wrong` by how much a lane counts
// as wrong, which the contact leaves off.
HEM_INLINE uint32_t lead_out(const hemi_contact_args* args, const pair8* pairs, v8x3 d, v8 length2, v8* wrong) {
    const v8x3 out = outward(args, pairs);
    const v8 height = v8x3_dot(d, out), zero = v8_zero();
    m8 below = m8_and(v8_lt(height, zero), v8_gt(pairs->keep, zero));
    *wrong = zero;
    if (!m8_any(below)) {
        return 0;
    }
    const v8 radii = radii_of(args->view, args->solve->parts, pairs);
    const v8 cone = v8_mul(length2, v8_set1(OVER_CLOTH * OVER_CLOTH));
    below = m8_and(below, m8_and(v8_gt(v8_mul(height, height), cone), v8_lt(length2, v8_mul(radii, radii))));
    HEM_ALIGN(32) float above[8];
    for (int i = 0; i < 8; ++i) {
        above[i] = args->solve->above[pairs->a[i]];
    }
    const v8 share = v8_keep(below, v8_sub(v8_set1(1.0f), v8_load(above)));
    *wrong = share;
    const uint32_t led = m8_bits(v8_gt(share, zero));
    if (led) {
        const hemi_row4* x = args->x;
        const v8 wa = v8_gather(x[0].w, pairs->in_row4_a), wb = v8_gather(x[0].w, pairs->in_row4_b);
        const v8 depth = v8_mul(v8_mul(radii, v8_set1(OUT_LIMIT)), share);
        const v8 sum = v8_max(v8_add(wa, wb), v8_set1(1e-9f));
        const v8x3 move = v8x3_scale(out, v8_div(v8_mul(depth, v8_set1(PARTICLE_RELAXATION)), sum));
        add_moves(args->solve, pairs, led, move, move, wa, wb);
    }
    return led;
}

HEM_INLINE uint32_t touch_pairs(const hemi_contact_args* args, uint32_t begin, uint32_t end, int sided) {
    const hem_view* view = args->view;
    const hemi_contacts* s = args->contacts;
    hemi_row4* x = args->x;
    hemi_row3* prev = args->prev;
    v8 zero = v8_zero(), one = v8_set1(1.0f), tiny = v8_set1(1e-18f);
    uint32_t oriented = view->info->oriented_row_count * 8, any = 0;
    const float centered = CENTERED * view->info->spacing;
    for (uint32_t n = begin; n < end; n += 8) {
        pair8 pairs;
        load_pairs(s, n, &pairs);
        v8 keep = pairs.keep;
        v8x3 d = v8x3_neg(between_now(x, &pairs));
        v8 length2 = v8x3_dot(d, d);
        m8 active = m8_and(m8_and(v8_lt(length2, v8_mul(keep, keep)), v8_gt(keep, zero)),
                           v8_gt(length2, v8_set1(centered * centered)));
        v8 right = one;
        if (sided) {
            v8 wrong;
            any |= lead_out(args, &pairs, d, length2, &wrong);
            right = v8_sub(one, wrong);
            active = m8_and(active, v8_gt(right, zero));
        }
        if (!m8_any(active)) {
            continue;
        }
        v8 wa = v8_gather(x[0].w, pairs.in_row4_a), wb = v8_gather(x[0].w, pairs.in_row4_b);
        v8 length = v8_sqrt(length2);
        v8x3 normal = v8x3_scale(d, v8_div(one, v8_max(length, tiny)));
        v8 depth = v8_sub(keep, length);
        uint32_t both = 0;
        for (uint32_t i = 0; i < 8; ++i) {
            both |= (uint32_t)((pairs.a[i] < oriented) & (pairs.b[i] < oriented)) << i;
        }
        if (both) {
            support8 own = gather_support(s->support, pairs.a, both);
            support8 theirs = gather_support(s->support, pairs.b, both);
            m8 ellipsoids = m8_from_bits(both);
            v8x3 e = normal;
            v8 reach = ellipsoid_direction(d, &theirs, &own, &e); // turns e: before anything reads it
            v8 overlap = v8_min(v8_sub(reach, v8x3_dot(d, e)), depth);
            normal = v8x3_select(ellipsoids, e, normal);
            depth = v8_select(ellipsoids, overlap, depth);
            active = m8_and(active, v8_gt(depth, zero));
        }
        depth = sided ? v8_mul(depth, right) : depth;
        v8 sum = v8_add(wa, wb);
        v8 push = v8_keep(m8_and(active, v8_gt(sum, zero)), v8_div(v8_set1(PARTICLE_RELAXATION), v8_max(sum, tiny)));
        v8x3 rel = v8x3_add(d, between_then(prev, &pairs));
        v8 along = v8x3_dot(rel, normal);
        v8 excess = v8_max(v8_sub(depth, v8_max(v8_neg(along), zero)), zero);
        v8x3 slide = v8x3_nmadd(normal, along, rel);
        v8 grip = v8_mul(pair_friction(view, args->solve->parts, &pairs), depth);
        v8 most = v8_select(m8_from_bits(both), v8_set1(SOLID_GRIP), one);
        grip = v8_min(v8_div(grip, v8_max(v8x3_length(slide), tiny)), most);
        v8x3 move = v8x3_scale(v8x3_nmadd(slide, grip, v8x3_scale(normal, depth)), push);
        add_moves(args->solve, &pairs, m8_bits(active), move, v8x3_scale(normal, v8_mul(excess, push)), wa, wb);
        any |= m8_bits(active);
    }
    return any;
}

void HEMI_NAME(touch_particles)(const hemi_contact_args* args) {
    const hemi_contacts* s = args->contacts;
    uint32_t any = touch_pairs(args, 0, s->pair_count, 0);
    if (s->side_begin != s->side_end) {
        find_above(args);
        any |= touch_pairs(args, s->side_begin, s->side_end, 1);
    }
    if (any) {
        args->counters->contact_count += apply_moves(args->view, args->x, args->prev, args->solve);
    }
}

// Section 5.1: two particles that come nearer than their radii during the substep and leave again on the other side are
// put back to just before they were nearest. The paper compares their order along the old line of centers (eq. 6) and
// moves them along the new one; that misses pairs that pass beside each other, and two woven sheets consist of such
// pairs. Here the order is taken along the relative motion, and so is the move. Both sides move by their share (eq. 7, 8).
// A particle that passes several others shares the move; a pair divides by the larger of its two counts, so that momentum
// is kept.
#define PASS_BACK 0.25f // of the distance to keep: how far before the nearest point

// Lanes that pass: nearest at t = -d0.u / u.u of the substep's relative motion u, 0 < t < 1, and nearer than they keep.
HEM_INLINE m8 passing(v8x3 d0, v8x3 u, v8 keep) {
    v8 zero = v8_zero(), uu = v8x3_dot(u, u), dot = v8_neg(v8x3_dot(d0, u));
    m8 within = m8_and(v8_gt(dot, zero), v8_lt(dot, uu));
    v8 outside2 = v8_nmadd(keep, keep, v8x3_dot(d0, d0));
    m8 near = v8_lt(v8_mul(outside2, uu), v8_mul(dot, dot)); // both sides times u.u
    return m8_and(m8_and(within, near), v8_gt(keep, zero));
}

// The part of their relative motion that lanes that pass take back.
HEM_INLINE v8 share_passed(v8x3 d0, v8x3 u, v8 keep) {
    v8 uu = v8_max(v8x3_dot(u, u), v8_set1(1e-20f)), zero = v8_zero();
    v8 t = v8_div(v8_neg(v8x3_dot(d0, u)), uu);
    v8 back = v8_div(v8_mul(keep, v8_set1(PASS_BACK)), v8_sqrt(uu));
    return v8_add(v8_sub(v8_set1(1.0f), t), v8_min(back, v8_max(t, zero)));
}

// Counts in delta.w how many others each particle passes; what does not move counts none. Returns whether any does.
static int count_passing(const hemi_contact_args* args) {
    const hemi_contacts* s = args->contacts;
    const hemi_row4* x = args->x;
    const hemi_row3* prev = args->prev;
    hemi_row4* delta = args->solve->delta;
    int any = 0;
    for (uint32_t n = first_eight(s); n < s->side_end; n = next_eight(s, n)) {
        pair8 pairs;
        load_pairs(s, n, &pairs);
        v8x3 d0 = between_then(prev, &pairs), u = v8x3_sub(between_now(x, &pairs), d0);
        uint32_t bits = m8_bits(passing(d0, u, pairs.keep));
        any |= bits != 0;
        for (; bits; bits &= bits - 1) {
            uint32_t i = hem_lowest_bit(bits), a = pairs.a[i], b = pairs.b[i];
            delta[a >> 3].w[a & 7] += x[a >> 3].w[a & 7] > 0.0f ? 1.0f : 0.0f;
            delta[b >> 3].w[b & 7] += x[b >> 3].w[b & 7] > 0.0f ? 1.0f : 0.0f;
        }
    }
    return any;
}

void HEMI_NAME(continuous)(const hemi_contact_args* args) {
    if (!count_passing(args)) {
        return;
    }
    const hemi_contacts* s = args->contacts;
    const hemi_row4* delta = args->solve->delta;
    hemi_row4* x = args->x;
    hemi_row3* prev = args->prev;
    for (uint32_t n = first_eight(s); n < s->side_end; n = next_eight(s, n)) {
        pair8 pairs;
        load_pairs(s, n, &pairs);
        v8x3 d0 = between_then(prev, &pairs), u = v8x3_sub(between_now(x, &pairs), d0);
        uint32_t bits = m8_bits(passing(d0, u, pairs.keep));
        if (!bits) {
            continue;
        }
        v8 wa = v8_gather(x[0].w, pairs.in_row4_a), wb = v8_gather(x[0].w, pairs.in_row4_b);
        v8 counts = v8_max(v8_gather(delta[0].w, pairs.in_row4_a), v8_gather(delta[0].w, pairs.in_row4_b));
        v8 sum = v8_mul(v8_max(v8_add(wa, wb), v8_set1(1e-20f)), v8_max(counts, v8_set1(1.0f)));
        v8 share = v8_div(share_passed(d0, u, pairs.keep), sum);
        add_moves(args->solve, &pairs, bits, v8x3_scale(u, share), v8x3_set1(0.0f, 0.0f, 0.0f), wa, wb);
    }
    (void)apply_moves(args->view, x, prev, args->solve);
}
