// SPDX-License-Identifier: MIT
// Particles against planes, spheres, capsules, boxes and hulls that move.
//
// Once per step every row gets the list of colliders that one of its lanes can meet, as bits, from boxes around the ways
// that both will go (a box around the whole row would span the mesh: lanes are strips). In a substep each of these
// answers, for eight particles at once, how deep they are and which way is out.
//
// Moving: the way of a particle during the substep is seen from the collider (its start is carried along with the
// collider's motion). A particle whose way crosses the collider is pushed out on the side that it came from, so that a
// thin limb that passes over it in one substep takes it along.

// Of the part's spacing:
#define BOX_SKIN 0.02f    // so much smaller than the surface is what a way has to go through
#define HULL_SKIN 0.01f   // the same of hulls
#define NEAR_MARGIN 0.28f // what constraints and contacts may add to the way

// In the collider's own space. `from` is where the particle came from, seen from the collider.
HEM_INLINE contact8 touch_sphere(v8x3 p, v8x3 from, v8 radius) {
    v8 tiny = v8_set1(1e-9f), zero = v8_zero(), one = v8_set1(1.0f);
    v8x3 up = v8x3_set1(0.0f, 1.0f, 0.0f);
    contact8 c = {up, zero};
    m8 inside = v8_lt(v8x3_dot(p, p), v8_mul(radius, radius)), beyond = v8_lt(v8x3_dot(from, p), zero);
    if (!m8_any(m8_or(inside, beyond))) {
        return c;
    }
    v8x3 u = v8x3_sub(p, from);
    // Out on the far side, but the way went through: take the side that it came from.
    v8 uu = v8_max(v8x3_dot(u, u), tiny);
    v8 t = v8_min(v8_max(v8_div(v8_neg(v8x3_dot(from, u)), uu), zero), one);
    v8x3 nearest = v8x3_madd(u, t, from);
    m8 through = m8_and(v8_lt(v8x3_dot(nearest, nearest), v8_mul(radius, radius)), beyond);
    // It came from outside; the hundredth is for what lay on the surface.
    v8 outside = v8_mul(radius, v8_set1(0.99f));
    through = m8_and(through, v8_ge(v8x3_dot(from, from), v8_mul(outside, outside)));
    c.n = v8x3_select(through, unit_or(from, up), unit_or(p, up));
    c.depth = v8_sub(radius, v8x3_dot(p, c.n));
    return c;
}

// Two radii: the surface is the hull of two spheres. The nearest point of the axis is slid towards the larger end by the
// slope of the cone, then clamped.
HEM_INLINE contact8 touch_capsule(v8x3 p, v8x3 from, const hemi_shape* shape, v8 margin) {
    float half = shape->size[2];
    v8 y = p.y, radius = v8_set1(0.5f * (shape->size[0] + shape->size[1]));
    if (shape->slope != 0.0f) {
        y = v8_sub(y, v8_mul(v8_sqrt(v8_madd(p.x, p.x, v8_mul(p.z, p.z))), v8_set1(shape->tangent)));
    }
    y = v8_min(v8_max(y, v8_set1(-half)), v8_set1(half));
    if (shape->slope != 0.0f) {
        radius = v8_nmadd(v8_set1(shape->slope), y, radius);
    }
    v8x3 a = v8x3_make(p.x, v8_sub(p.y, y), p.z);
    v8x3 b = v8x3_make(from.x, v8_sub(from.y, y), from.z);
    return touch_sphere(a, b, v8_add(radius, margin));
}

// One pair of faces of the slab test: when the way from f to p enters and leaves |x| < h.
HEM_INLINE void slab(v8 f, v8 p, v8 h, v8 none, v8* enter, v8* leave) {
    v8 u = v8_sub(p, f), side = v8_copysign(h, f);
    m8 outside = v8_gt(v8_abs(f), h), inwards = v8_lt(v8_mul(u, f), v8_zero());
    v8 step = v8_copysign(v8_max(v8_abs(u), v8_set1(1e-12f)), u);
    *enter = v8_select(outside, v8_select(inwards, v8_div(v8_sub(side, f), step), v8_set1(2.0f)), none);
    *leave = v8_div(v8_sub(v8_copysign(h, u), f), step);
}

// A way that went in through a face and past the middle between it and the opposite one ends outside that face again.
HEM_INLINE contact8 touch_box(v8x3 p, v8x3 from, const float size[4], v8 margin, float spacing) {
    v8 zero = v8_zero(), one = v8_set1(1.0f), tiny = v8_set1(1e-9f), none = v8_set1(-1.0f);
    v8 hx = v8_set1(size[0]), hy = v8_set1(size[1]), hz = v8_set1(size[2]);
    v8 round = v8_add(margin, v8_set1(size[3]));
    v8x3 q = v8x3_make(v8_sub(v8_abs(p.x), hx), v8_sub(v8_abs(p.y), hy), v8_sub(v8_abs(p.z), hz));
    v8x3 o = v8x3_make(v8_max(q.x, zero), v8_max(q.y, zero), v8_max(q.z, zero));
    v8 outside = v8x3_length(o);
    v8 inside = v8_max(q.x, v8_max(q.y, q.z));
    m8 out = v8_gt(outside, tiny);
    // Inside: the nearest face.
    m8 fx = v8_ge(q.x, inside), fy = v8_ge(q.y, inside);
    v8x3 face = v8x3_make(v8_keep(fx, one), v8_select(fx, zero, v8_keep(fy, one)), v8_select(m8_or(fx, fy), zero, one));
    v8x3 n = v8x3_select(out, v8x3_scale(o, v8_div(one, v8_max(outside, tiny))), face);
    contact8 c;
    c.n = v8x3_make(v8_copysign(n.x, p.x), v8_copysign(n.y, p.y), v8_copysign(n.z, p.z));
    c.depth = v8_sub(round, v8_select(out, outside, inside));
    // A little smaller than the surface: what lies on it is outside in spite of rounding errors.
    v8 half = v8_mul(round, v8_set1(0.5f)), less = v8_set1(0.75f), skin = v8_set1(BOX_SKIN * spacing);
    v8x3 in, end;
    slab(from.x, p.x, v8_add(v8_max(v8_mul(hx, less), v8_sub(hx, skin)), half), none, &in.x, &end.x);
    slab(from.y, p.y, v8_add(v8_max(v8_mul(hy, less), v8_sub(hy, skin)), half), none, &in.y, &end.y);
    slab(from.z, p.z, v8_add(v8_max(v8_mul(hz, less), v8_sub(hz, skin)), half), none, &in.z, &end.z);
    v8 enter = v8_max(in.x, v8_max(in.y, in.z)), leave = v8_min(end.x, v8_min(end.y, end.z));
    m8 crosses = m8_and(v8_ge(enter, zero), m8_and(v8_lt(enter, one), v8_le(enter, leave)));
    if (m8_any(crosses)) {
        m8 by_x = v8_ge(in.x, enter), by_y = v8_ge(in.y, enter);
        v8 f = v8_select(by_x, from.x, v8_select(by_y, from.y, from.z));
        v8 at = v8_select(by_x, p.x, v8_select(by_y, p.y, p.z));
        v8 h = v8_select(by_x, hx, v8_select(by_y, hy, hz));
        v8 side = v8_copysign(one, f);
        v8x3 back = v8x3_make(v8_keep(by_x, side), v8_select(by_x, zero, v8_keep(by_y, side)),
                              v8_select(m8_or(by_x, by_y), zero, side));
        m8 through = m8_and(crosses, v8_lt(v8_mul(at, side), zero));
        c.n = v8x3_select(through, back, c.n);
        c.depth = v8_select(through, v8_sub(v8_add(h, round), v8_mul(at, side)), c.depth);
    }
    return c;
}

// The plane that is least deep. `from` breaks the tie of thin hulls: among planes that it was outside of, the deepest. And
// when the way went in through one plane and out through another, the one that it went in through.
HEM_INLINE contact8 touch_hull(v8x3 p, v8x3 from, const float (*planes)[4], uint32_t count, v8 margin, float spacing) {
    v8 best = v8_set1(-1e30f), best_from = v8_set1(-1e30f), zero = v8_zero(), one = v8_set1(1.0f);
    v8x3 n = v8x3_set1(0.0f, 1.0f, 0.0f), n_from = n, n_in = n;
    v8 at_from = best, at_in = best, enter = v8_set1(-1.0f), leave = v8_set1(2.0f);
    v8 skin = v8_set1(-HULL_SKIN * spacing); // what lies on the surface is outside in spite of rounding errors
    v8 half = v8_madd(margin, v8_set1(0.5f), skin);
    for (uint32_t i = 0; i < count; ++i) {
        v8x3 m = v8x3_set1(planes[i][0], planes[i][1], planes[i][2]);
        v8 offset = v8_set1(planes[i][3]);
        v8 d = v8_sub(v8x3_dot(m, p), offset), e = v8_sub(v8x3_dot(m, from), offset);
        m8 better = v8_gt(d, best);
        n = v8x3_select(better, m, n);
        best = v8_max(d, best);
        m8 earlier = v8_gt(e, best_from);
        n_from = v8x3_select(earlier, m, n_from);
        at_from = v8_select(earlier, d, at_from);
        best_from = v8_max(e, best_from);
        // The way is in front of the plane moved out by half the margin until, or from, t.
        v8 fall = v8_sub(e, d);
        v8 t = v8_div(v8_sub(e, half), v8_copysign(v8_max(v8_abs(fall), v8_set1(1e-12f)), fall));
        m8 before = v8_gt(e, half), after = v8_gt(d, half);
        m8 later = m8_and(before, v8_gt(v8_select(after, v8_set1(2.0f), t), enter));
        n_in = v8x3_select(later, m, n_in);
        at_in = v8_select(later, d, at_in);
        enter = v8_select(later, v8_select(after, v8_set1(2.0f), t), enter);
        leave = v8_select(m8_and(after, v8_le(e, half)), v8_min(leave, t), leave);
    }
    m8 came = m8_and(v8_gt(best_from, skin), v8_lt(best, margin));
    v8x3 u = v8x3_sub(p, from);
    v8 chord = v8_mul(v8_sub(v8_min(leave, one), enter), v8x3_length(u)); // a grazed edge is no crossing
    m8 through =
        m8_and(m8_and(v8_ge(enter, zero), v8_lt(enter, one)), m8_and(v8_gt(chord, margin), v8_lt(at_in, zero)));
    through = m8_and(through, v8_ge(best, margin));
    contact8 c;
    c.n = v8x3_select(through, n_in, v8x3_select(came, n_from, n));
    c.depth = v8_sub(margin, v8_select(through, at_in, v8_select(came, at_from, best)));
    return c;
}

// How far from its middle a particle of a soft part begins: those that are sunk begin behind it.
HEM_INLINE v8 margin_of(const hem_view* view, const hem_part* part, uint32_t row) {
    v8 a = v8_load(view->shape_rows[row].a);
    return part->flags & HEM_PART_SUNK ? v8_select(sunk_lanes(view, part, row), v8_neg(a), a) : a;
}

// Lanes that a capsule or sphere cannot touch, whatever it does in the substep: seen from it, what ends at `local` comes
// from no farther than its own way and the collider's, and all of that is outside of the larger radius. Of a thread,
// whose ends are no farther than `extent`, too. A hair too careful, for rounding errors.
HEM_INLINE m8 stays_clear(const hemi_shape* shape, v8x3 local, v8 extent, v8 way, v8 margin, float spacing) {
    const float half = shape->kind == HEM_SHAPE_CAPSULE ? shape->size[2] : 0.0f;
    v8 up = v8_sub(local.y, v8_min(v8_max(local.y, v8_set1(-half)), v8_set1(half)));
    v8 distance2 = v8_madd(up, up, v8_madd(local.x, local.x, v8_mul(local.z, local.z)));
    v8 far = v8_add(v8_add(v8_abs(local.x), v8_abs(local.y)), v8_add(v8_abs(local.z), extent));
    v8 reach = v8_add(v8_madd(v8_set1(shape->twist), far, way), v8_add(margin, v8_set1(shape->widest + shape->shift)));
    reach = v8_madd(reach, v8_set1(1.0001f), v8_set1(2e-4f * spacing));
    return v8_gt(distance2, v8_mul(reach, reach));
}

void HEMI_NAME(touch_colliders)(const hem_view* view, hemi_row4* x, hemi_row3* prev, const hemi_part_step* parts,
                                const hemi_colliders* s, hemi_counters* counters) {
    v8 zero = v8_zero();
    uint32_t touching = 0, looks = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        const hemi_part_step* tune = &parts[p];
        if (part->kind == HEM_PART_BODY) {
            continue;
        }
        for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
            const uint64_t* words = s->row_colliders + (size_t)row * s->words;
            uint64_t any = 0;
            for (uint32_t word = 0; word < s->words; ++word) {
                any |= words[word];
            }
            if (!any) {
                continue;
            }
            uint32_t hit = 0;
            v8x3 at = row4_load3(&x[row]), old = row3_load(&prev[row]);
            const m8 free = v8_gt(v8_load(x[row].w), zero);
            v8 way = v8x3_length(v8x3_sub(at, old)), margin = v8_set1(tune->thickness);
            if (part->kind == HEM_PART_SOFT) {
                margin = v8_add(margin, margin_of(view, part, row));
            }
            for (uint32_t word = 0; word < s->words; ++word) {
                for (uint64_t bits = words[word]; bits; bits &= bits - 1) {
                    uint32_t bit = hem_lowest_bit(bits);
                    const hemi_shape* shape = &s->shapes[p * s->count + word * 64 + bit];
                    if (shape->kind == HEM_COLLIDER_MESH) {
                        continue; // mesh_near.inl
                    }
                    looks += 1 + shape->plane_count;
                    v8x3 local = transform3(shape->now, at, 1);
                    if ((shape->kind == HEM_SHAPE_CAPSULE || shape->kind == HEM_SHAPE_SPHERE) &&
                        m8_all(stays_clear(shape, local, way, way, margin, part->spacing))) {
                        continue; // most of what the boxes let through
                    }
                    contact8 c = {v8x3_set1(0.0f, 1.0f, 0.0f), v8_sub(margin, local.y)}; // of a plane
                    if (shape->kind == HEM_SHAPE_PLANE && !m8_any(m8_and(free, v8_gt(c.depth, zero)))) {
                        continue;
                    }
                    v8x3 from = transform3(shape->then, old, 1); // where it came from, as the collider saw it then
                    switch (shape->kind) {
                    case HEM_SHAPE_PLANE:
                        break;
                    case HEM_SHAPE_SPHERE:
                        c = touch_sphere(local, from, v8_add(margin, v8_set1(shape->size[0])));
                        break;
                    case HEM_SHAPE_CAPSULE:
                        c = touch_capsule(local, from, shape, margin);
                        break;
                    case HEM_SHAPE_BOX:
                        c = touch_box(local, from, shape->size, margin, part->spacing);
                        break;
                    default:
                        c = touch_hull(local, from, shape->planes, shape->plane_count, margin, part->spacing);
                        break;
                    }
                    m8 active = m8_and(free, v8_gt(c.depth, zero));
                    if (!m8_any(active)) {
                        continue;
                    }
                    // How the touched point of the collider moved: its place now, minus where that point started.
                    v8x3 start = v8x3_set1(shape->began[0], shape->began[1], shape->began[2]);
                    v8x3 moved = v8x3_sub(at, v8x3_add(rotate_out(shape->then, local), start));
                    const grip8 grip = shape_grip(shape, row_friction(view, tune, row), tune);
                    push_out(&at, &old, rotate_out(shape->now, c.n), c.depth, active, moved, &grip);
                    way = v8x3_length(v8x3_sub(at, old));
                    hit |= m8_bits(active);
                }
            }
            if (hit) {
                row4_store3(&x[row], at);
                row3_store(&prev[row], old);
                touching += hemi_bit_count(hit);
                counters->touched |= 1ull << p;
            }
        }
    }
    counters->contact_count += touching;
    counters->work += looks;
}

// Of a mesh, in its own space, over the whole step: false when there is nothing.
static int mesh_box(const hemi_mesh* mesh, hem_vec3* middle, hem_vec3* half) {
    const hem_trimesh_view* view = mesh->view;
    if (!view) {
        return 0;
    }
    const hem_trimesh_node* root =
        view->heights ? NULL : &(mesh->bone_count ? mesh->nodes : view->nodes)[view->node_count - 1];
    float low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = root ? v8_hmin(v8_load(root->low[k])) : view->header->low[k];
        high[k] = root ? v8_hmax(v8_load(root->high[k])) : view->header->high[k];
    }
    hem_vec3 l = hem_vec3_make(low[0], low[1], low[2]), h = hem_vec3_make(high[0], high[1], high[2]);
    *middle = hem_vec3_scale(hem_vec3_add(l, h), 0.5f);
    *half = hem_vec3_scale(hem_vec3_sub(h, l), 0.5f);
    return 1;
}

// One that turns stays within the ball around its origin; one that does not, within its turned box.
static void mesh_bounds(const hemi_collider_path* path, float low[3], float high[3]) {
    hem_vec3 middle, half;
    const float *a = path->pose[0], *b = path->pose[1];
    for (int k = 0; k < 3; ++k) {
        low[k] = 1e30f;
        high[k] = -1e30f;
    }
    if (!mesh_box(path->mesh, &middle, &half)) {
        return;
    }
    hem_quat q = hem_quat_make(a[3], a[4], a[5], a[6]);
    hem_vec3 o = hem_quat_rotate(q, middle);
    hem_mat34 m = hem_mat34_from_quat(q, o);
    float reach[3];
    for (int k = 0; k < 3; ++k) {
        reach[k] = hem_absf(m.m[k][0]) * half.x + hem_absf(m.m[k][1]) * half.y + hem_absf(m.m[k][2]) * half.z;
    }
    float center[3] = {o.x, o.y, o.z};
    if (a[3] != b[3] || a[4] != b[4] || a[5] != b[5] || a[6] != b[6]) {
        float ball = hem_vec3_length(middle) + hem_vec3_length(half);
        for (int k = 0; k < 3; ++k) {
            center[k] = 0.0f;
            reach[k] = ball;
        }
    }
    for (int k = 0; k < 3; ++k) {
        low[k] = hem_minf(a[k], b[k]) + center[k] - reach[k];
        high[k] = hem_maxf(a[k], b[k]) + center[k] + reach[k];
    }
}

// Bounds of a collider over the whole step.
static void collider_bounds(const hemi_collider_path* path, float low[3], float high[3]) {
    const hemi_collider* c = path->collider;
    float reach;
    switch (c->kind) {
    case HEM_SHAPE_SPHERE:
        reach = c->size[0];
        break;
    case HEM_SHAPE_CAPSULE:
        reach = 0.0f;
        break;
    case HEM_SHAPE_BOX:
        reach = c->size[3] + hem_sqrtf(c->size[0] * c->size[0] + c->size[1] * c->size[1] + c->size[2] * c->size[2]);
        break;
    case HEM_COLLIDER_MESH:
        mesh_bounds(path, low, high);
        return;
    default: // planes and hulls go everywhere
        for (int k = 0; k < 3; ++k) {
            low[k] = -1e30f;
            high[k] = 1e30f;
        }
        return;
    }
    for (int k = 0; k < 3; ++k) {
        low[k] = 1e30f;
        high[k] = -1e30f;
    }
    for (int t = 0; t < 2; ++t) {
        const float* pose = path->pose[t];
        hem_quat q = hem_quat_make(pose[3], pose[4], pose[5], pose[6]);
        for (int end = 0; end < (c->kind == HEM_SHAPE_CAPSULE ? 2 : 1); ++end) {
            hem_vec3 o = hem_vec3_make(0.0f, 0.0f, 0.0f);
            float r = reach;
            if (c->kind == HEM_SHAPE_CAPSULE) {
                o = hem_quat_rotate(q, hem_vec3_make(0.0f, end ? c->size[2] : -c->size[2], 0.0f));
                r = c->size[end];
            }
            float p[3] = {pose[0] + o.x, pose[1] + o.y, pose[2] + o.z};
            for (int k = 0; k < 3; ++k) {
                low[k] = p[k] - r < low[k] ? p[k] - r : low[k];
                high[k] = p[k] + r > high[k] ? p[k] + r : high[k];
            }
        }
    }
}

// Boxes around the ways of eight particles.
typedef struct way_box {
    v8x3 low, high;
} way_box;

HEM_INLINE way_box no_way(void) {
    way_box b = {v8x3_set1(1e30f, 1e30f, 1e30f), v8x3_set1(-1e30f, -1e30f, -1e30f)};
    return b;
}

// The box of those that can move; `all` has those of the others, too.
HEM_INLINE way_box way_of(const hemi_row4* x, const hemi_row3* v, const hemi_mat34* frame, float dt, float margin,
                          hemi_way_row* all) {
    v8x3 a = row4_load3(x), b = v8x3_madd(row3_load(v), v8_set1(dt), transform3(frame->m, a, 1));
    v8x3 low = v8x3_least(a, b), high = v8x3_most(a, b);
    // What constraints and other contacts may add to the way: as much again.
    v8x3 extra = v8x3_add(v8x3_sub(high, low), v8x3_set1(margin, margin, margin));
    m8 free = v8_gt(v8_load(x->w), v8_zero());
    low = v8x3_sub(low, extra);
    high = v8x3_add(high, extra);
    row3_store(&all->low, low);
    row3_store(&all->high, high);
    way_box none = no_way();
    way_box box = {v8x3_select(free, low, none.low), v8x3_select(free, high, none.high)};
    return box;
}

// Whether none of the eight comes into the box from low to high.
HEM_INLINE int is_apart(const way_box* ways, v8x3 low, v8x3 high) {
    m8 x = m8_or(v8_gt(low.x, ways->high.x), v8_lt(high.x, ways->low.x));
    m8 y = m8_or(v8_gt(low.y, ways->high.y), v8_lt(high.y, ways->low.y));
    m8 z = m8_or(v8_gt(low.z, ways->high.z), v8_lt(high.z, ways->low.z));
    return m8_all(m8_or(x, m8_or(y, z)));
}

// Whether cloth whose particles stay outside may still be cut between them: by a thread with a pinned end, or by any. See
// edges.inl.
enum { CUTS_NOTHING, CUTS_PINNED, CUTS_ALL };

HEM_INLINE int what_is_cut(uint32_t kind, const float size[4], float spacing, float thickness) {
    const float radius = kind == HEM_SHAPE_CAPSULE ? hem_minf(size[0], size[1]) : size[0];
    const float room = thickness * (2.0f * radius + thickness), square = spacing * spacing;
    if (kind != HEM_SHAPE_CAPSULE && kind != HEM_SHAPE_SPHERE) {
        return CUTS_NOTHING;
    }
    return 4.0f * room < square ? CUTS_ALL : room < square ? CUTS_PINNED : CUTS_NOTHING;
}

// Threads that may come to thin colliders: each lies within the box around the ways of both its ends.
static void find_edges(const hem_view* view, const hemi_row4* x, uint32_t p, const hemi_part_step* tune,
                       hemi_colliders* s) {
    const hem_part* part = &view->parts[p];
    const hem_range rows = hem_range_of(view->ranges, part, HEM_BATCH_LINKS);
    const float* bounds = s->bounds;
    const uint32_t stride = s->stride;
    uint64_t thin[2][(HEM_MAX_COLLIDERS + HEMI_SCENE_COLLIDERS) / 64] = {{0}},
                                                                  some = 0; // for threads that hang free; for all
    for (uint32_t c = 0; c < s->count; ++c) {
        const hemi_collider* k = s->paths[c].collider;
        const int cut = k->mask & part->collision_group ? what_is_cut(k->kind, k->size, part->spacing, tune->thickness)
                                                        : CUTS_NOTHING;
        thin[0][c / 64] |= (uint64_t)(cut == CUTS_ALL) << (c % 64);
        thin[1][c / 64] |= (uint64_t)(cut != CUTS_NOTHING) << (c % 64);
        some |= (uint64_t)(cut != CUTS_NOTHING);
    }
    if (part->kind != HEM_PART_CLOTH || !some) {
        return;
    }
    for (uint32_t n = rows.begin; n < rows.begin + rows.count; ++n) {
        const hem_link_batch* batch = &view->link_batches[n];
        if (!hem_kind_in(batch->kind, HEM_KINDS_WEAVE)) {
            continue;
        }
        const uint64_t* near_a = s->row_colliders + (size_t)batch->row_a * s->words;
        const uint64_t* near_b = s->row_colliders + (size_t)batch->row_b * s->words;
        const v8 least = v8_min(v8_load(x[batch->row_a].w), v8_rotate(v8_load(x[batch->row_b].w), batch->rotate));
        const uint32_t pinned = m8_bits(v8_eq(least, v8_zero())) & batch->lane_mask;
        const uint64_t* wanted = thin[pinned != 0];
        way_box ways = no_way();
        int known = 0;
        for (uint32_t word = 0; word < s->words; ++word) {
            for (uint64_t bits = (near_a[word] | near_b[word]) & wanted[word]; bits; bits &= bits - 1) {
                const uint32_t c = word * 64 + hem_lowest_bit(bits);
                if (!known) {
                    known = 1;
                    const hemi_way_row *a = &s->ways[batch->row_a], *b = &s->ways[batch->row_b];
                    const m8 linked = m8_from_bits(batch->lane_mask);
                    const v8x3 low = v8x3_rotate_lanes(row3_load(&b->low), batch->rotate);
                    const v8x3 high = v8x3_rotate_lanes(row3_load(&b->high), batch->rotate);
                    ways.low = v8x3_select(linked, v8x3_least(row3_load(&a->low), low), ways.low);
                    ways.high = v8x3_select(linked, v8x3_most(row3_load(&a->high), high), ways.high);
                }
                if (is_apart(&ways, v8x3_set1(bounds[c], bounds[stride + c], bounds[2 * stride + c]),
                             v8x3_set1(bounds[3 * stride + c], bounds[4 * stride + c], bounds[5 * stride + c]))) {
                    continue;
                }
                if (s->edge_count == s->edge_capacity) {
                    s->edges_full = 1;
                    return;
                }
                s->edges[s->edge_count++] = (hemi_edge_near){n, c};
            }
        }
    }
}

void HEMI_NAME(cull_colliders)(const hem_view* view, const hemi_row4* x, const hemi_row3* v,
                               const hemi_part_step* parts, const hemi_mat34* part_frames, float dt,
                               hemi_colliders* s) {
    uint32_t collider_count = s->count, words = (collider_count + 63) / 64;
    s->words = words;
    s->edge_count = s->edges_full = 0;
    memset(s->met, 0, sizeof(s->met));
    memset(s->row_colliders, 0, (size_t)view->info->row_count * words * sizeof(uint64_t));
    float* bounds = s->bounds;
    uint32_t stride = s->stride;
    for (uint32_t c = 0; c < stride; ++c) {
        float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f};
        if (c < collider_count) {
            collider_bounds(&s->paths[c], low, high);
        }
        for (uint32_t k = 0; k < 3; ++k) {
            bounds[k * stride + c] = low[k];
            bounds[(k + 3) * stride + c] = high[k];
        }
    }
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (part->kind == HEM_PART_BODY) {
            continue;
        }
        uint64_t allowed[(HEM_MAX_COLLIDERS + HEMI_SCENE_COLLIDERS) / 64] = {0};
        for (uint32_t c = 0; c < collider_count; ++c) {
            if (s->paths[c].collider->mask & part->collision_group) {
                allowed[c / 64] |= 1ull << (c % 64);
            }
        }
        float margin = parts[p].thickness + NEAR_MARGIN * part->spacing;
        if (part->kind == HEM_PART_SOFT) {
            margin += view->info->particle_radius;
        }
        // Eight rows are eight clusters of neighbours, as in the search for pairs: first their boxes, then those of rows.
        uint32_t end = part->row_begin + part->row_count;
        for (uint32_t begin = part->row_begin; begin < end; begin += 8) {
            uint32_t count = end - begin < 8 ? end - begin : 8;
            way_box row[8], all = no_way();
            for (uint32_t i = 0; i < count; ++i) {
                row[i] = way_of(&x[begin + i], &v[begin + i], &part_frames[p], dt, margin, &s->ways[begin + i]);
                all.low = v8x3_least(all.low, row[i].low);
                all.high = v8x3_most(all.high, row[i].high);
            }
            for (uint32_t c = 0; c < collider_count; ++c) {
                const hemi_collider* k = s->paths[c].collider;
                v8x3 low = v8x3_set1(bounds[c], bounds[stride + c], bounds[2 * stride + c]);
                v8x3 high = v8x3_set1(bounds[3 * stride + c], bounds[4 * stride + c], bounds[5 * stride + c]);
                if (part->kind == HEM_PART_CLOTH && what_is_cut(k->kind, k->size, part->spacing, parts[p].thickness) !=
                                                        CUTS_NOTHING) { // between two of them
                    const v8x3 half = v8x3_set1(0.6f * part->spacing, 0.6f * part->spacing, 0.6f * part->spacing);
                    low = v8x3_sub(low, half);
                    high = v8x3_add(high, half);
                }
                if (!(allowed[c / 64] >> (c % 64) & 1u) || is_apart(&all, low, high)) {
                    continue;
                }
                for (uint32_t i = 0; i < count; ++i) {
                    uint64_t meets = is_apart(&row[i], low, high) ? 0 : 1;
                    s->row_colliders[(size_t)(begin + i) * words + c / 64] |= meets << (c % 64);
                    s->met[c / 32] |= (uint32_t)meets << (c % 32);
                }
            }
        }
        find_edges(view, x, p, &parts[p], s);
    }
}
