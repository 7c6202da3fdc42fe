// SPDX-License-Identifier: MIT
// What a contact does, whatever is touched: bodies, colliders or triangles.

// Of the part's spacing:
#define PUSH_LIMIT 0.14f // out of a penetration per substep, besides undoing the approach
#define LIES_BELOW 4e-5f // what may bounce is left so far inside, so that it is known to have lain there

// What a surface does to what touches it.
typedef struct grip8 {
    v8 friction, restitution;
    v8 loss; // share of the speed along the surface that a blow takes
    v8 blow; // metres in a substep: what comes faster than this is one
    float spacing;
} grip8;

// One contact of a row: pushes p out along n by depth where active, with friction against something that moved.
HEM_INLINE void push_out(v8x3* p, v8x3* prev, v8x3 n, v8 depth, m8 active, v8x3 moved, const grip8* on) {
    v8 zero = v8_zero(), tiny = v8_set1(1e-18f), one = v8_set1(1.0f);
    depth = v8_keep(active, depth);
    v8x3 rel = v8x3_sub(v8x3_sub(*p, *prev), moved);
    v8 along = v8x3_dot(rel, n);
    v8 approach = v8_max(v8_neg(along), zero);
    // What was deep before the substep comes out over several: a sudden jump would tear at its neighbours.
    depth = v8_min(depth, v8_add(approach, v8_set1(PUSH_LIMIT * on->spacing)));
    m8 elastic = v8_gt(on->restitution, zero);
    v8 left = v8_keep(m8_and(elastic, active), v8_set1(LIES_BELOW * on->spacing));
    v8 excess = v8_max(v8_sub(v8_sub(depth, left), approach), zero);
    // What bounces leaves with its share of the whole approach, also of the part that did not reach the surface. (Nor does a
    // blow that takes speed along the surface leave any of the approach: it would be a second blow in the next substep.) What
    // lay there at the start is pressed down by what it carries and does not bounce.
    m8 springs = m8_and(v8_gt(depth, zero), m8_or(elastic, v8_gt(on->loss, zero)));
    v8 above = v8_sub(approach, depth);
    v8 share = v8_keep(v8_gt(above, v8_set1(-0.5f * LIES_BELOW * on->spacing)), on->restitution);
    v8 bounce = v8_keep(springs, v8_madd(share, approach, v8_max(above, zero)));
    *p = v8x3_madd(n, v8_sub(depth, left), *p);
    *prev = v8x3_madd(n, v8_sub(excess, bounce), *prev);
    v8x3 slide = v8x3_nmadd(n, along, rel);
    v8 length = v8x3_length(slide);
    v8 grip = v8_min(v8_div(v8_mul(on->friction, depth), v8_max(length, tiny)), one);
    v8 loss = v8_keep(v8_gt(approach, on->blow), on->loss);
    grip = v8_madd(loss, v8_sub(one, grip), grip);
    *p = v8x3_nmadd(slide, v8_keep(active, grip), *p);
}

// A part's friction in a row of it.
HEM_INLINE v8 row_friction(const hem_view* view, const hemi_part_step* part, uint32_t row) {
    v8 friction = v8_set1(part->friction);
    return view->map_rows ? v8_mul(friction, v8_load(view->map_rows[row].friction)) : friction;
}

// A part's friction at eight of its particles.
HEM_INLINE v8 eight_friction(const hem_view* view, const hemi_part_step* part, const uint16_t slot[8]) {
    HEM_ALIGN(32) float painted[8];
    if (!view->map_rows) {
        return v8_set1(part->friction);
    }
    for (int i = 0; i < 8; ++i) {
        painted[i] = view->map_rows[slot[i] >> 3].friction[slot[i] & 7];
    }
    return v8_mul(v8_set1(part->friction), v8_load(painted));
}

typedef struct contact8 {
    v8x3 n;
    v8 depth; // > 0 inside
} contact8;

// Out of the space that m leads into, directions only.
HEM_INLINE v8x3 rotate_out(const float m[12], v8x3 v) {
    v8 x = v8_madd(v8_set1(m[8]), v.z, v8_madd(v8_set1(m[4]), v.y, v8_mul(v8_set1(m[0]), v.x)));
    v8 y = v8_madd(v8_set1(m[9]), v.z, v8_madd(v8_set1(m[5]), v.y, v8_mul(v8_set1(m[1]), v.x)));
    v8 z = v8_madd(v8_set1(m[10]), v.z, v8_madd(v8_set1(m[6]), v.y, v8_mul(v8_set1(m[2]), v.x)));
    return v8x3_make(x, y, z);
}

// Of friction and restitution the larger counts, the collider's or the part's.
HEM_INLINE grip8 shape_grip(const hemi_shape* shape, v8 friction, const hemi_part_step* tune) {
    const grip8 grip = {v8_max(v8_set1(shape->friction), friction),
                        v8_max(v8_set1(shape->restitution), v8_set1(tune->restitution)), v8_set1(1.0f - shape->slide),
                        v8_set1(tune->lying), tune->spacing};
    return grip;
}

// Lanes of a lattice that lie outside of what is drawn.
HEM_INLINE m8 sunk_lanes(const hem_view* view, const hem_part* part, uint32_t row) {
    uint32_t sunk = 0;
    for (uint32_t i = 0; (part->flags & HEM_PART_SUNK) && i < 8; ++i) {
        sunk |= (uint32_t) !(view->particle_flags[row * 8 + i] & HEM_PARTICLE_COLLIDES) << i;
    }
    return m8_from_bits(sunk);
}
