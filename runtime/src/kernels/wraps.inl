// SPDX-License-Identifier: MIT
// Where edges of meshes come through edges of cloth.
//
// Between two triangles of cloth stands a plane, through their common edge and along the mean of their normals: these planes
// part the space above the cloth among its triangles, and where three of them meet is a triangle's centre of projection
// (the paper's section 5; its formula for the plane's normal, n_f x n_fi, lies along the edge, so that the plane would cut
// across it, and is nothing where cloth is flat). An edge of a mesh is projected onto an edge of cloth exactly where it
// goes through that plane. So the virtual particles of an edge of cloth are those of a drawing in its plane:
//
//     t along the edge, h along the mean normal m:   V = X + (Y - X) dX / (dX - dY),   d = distance from the plane
//
// No centre, no cross ratio. Heights count from the line between the two particles, with the thickness of the cloth on top.
// Of all points above it the thread lies on those of their convex hull, as a taut one does; a mesh's own convex edges are
// enough for that.
//
// Which way is above? The one that the edge of the mesh faces. An edge of cloth that begins to go around something asks in
// addition whether a triangle that faces it lies between (the paper's figure 8: it is on the other side of a thin thing); one
// that goes around remembers its side, however far the thing is above the line.
//
// Eight neighbouring edges of cloth ask the tree with one box, once per search; in a substep the lanes are those eight,
// against one edge of a mesh after the other.

#define WRAP_AT_FIRST 0.25f // lengths of the edge: no higher does anything new come through it in a substep
#define WRAP_STRAYS 0.05f   // the same: so much farther is looked for it, since it turns until the next search
#define WRAP_BEYOND 0.25f   // rest lengths: so far beside its ends an edge that goes around something may do so
#define WRAP_STEEP 2.0f     // and as many times higher than that it has to be
#define WRAP_ALIKE 0.5f     // cosine between which way was up and where the triangles face, for
#define WRAP_TURNS 0.1f     // so much of the latter
#define WRAP_SINKS 0.02f    // of the thickness: so far a thread may lie in it before it goes around
#define WRAP_FLAT 1e-3f     // the same: points that are no farther from a straight piece are on it
#define WRAP_LEANS 0.05f    // cosine: by so much a triangle beside an edge may face away from the thread at first
#define WRAP_FACES 0.1f     // the same of both together, later
#define WRAP_SLOW 0.5f      // of the thickness: who moves less until the next search looks once
#define WRAP_SHORT 0.98f    // of the way to a virtual particle: not yet on the triangles beside it

typedef struct wrap_lanes { // eight edges of cloth, character space
    v8x3 a, along, out, side;
    v8 length, low, high; // low and high: where on the line it may have virtual particles
    uint32_t lanes, wrapped;
} wrap_lanes;

typedef struct wrap_point {
    float t, y; // y: height on its side, with the thickness
    float h;
    float u;   // along the mesh's edge
    float key; // by which they are ordered: as seen from the first particle
    uint32_t near, up;
} wrap_point;

typedef struct wrap_list {
    wrap_point point[HEMI_WRAP_POINTS];
    uint32_t count;
} wrap_list;

typedef struct wrap_mesh { // of one collider, in a substep
    hemi_mesh_shape then, now;
    hem_mat34 out[2]; // into the character's space, at both ends
    float into[12];   // and from there, at the start
    int two_sided;
} wrap_mesh;

static hem_mat34 wrap_matrix(const hemi_collider_path* path, float share) {
    const float *a = path->pose[0], *b = path->pose[1];
    hem_vec3 p = hem_vec3_lerp(hem_vec3_make(a[0], a[1], a[2]), hem_vec3_make(b[0], b[1], b[2]), share);
    hem_quat q = hem_quat_nlerp(hem_quat_make(a[3], a[4], a[5], a[6]), hem_quat_make(b[3], b[4], b[5], b[6]), share);
    return hem_mat34_from_quat(q, p);
}

HEM_INLINE float wrap_margin(const hemi_wrap_args* args, const hem_virtual_edges* e) {
    const hemi_part_step* part = &args->parts[e->part];
    return hem_maxf(part->thickness, MESH_LEAST_MARGIN * args->view->parts[e->part].spacing);
}

HEM_INLINE hem_vec3 wrap_lane(v8x3 v, uint32_t i) {
    return hem_vec3_make(v8_lane(v.x, (int)i), v8_lane(v.y, (int)i), v8_lane(v.z, (int)i));
}

// Edges that move: one of both particles at least.
HEM_INLINE uint32_t wrap_movable(const hem_virtual_edges* e, const hemi_row4* x) {
    HEM_ALIGN(32) int32_t ia[8], ib[8];
    slots_of(e->a, ia);
    slots_of(e->b, ib);
    v8 w = v8_add(v8_gather(x[0].w, ia), v8_gather(x[0].w, ib));
    return m8_bits(v8_gt(w, v8_zero())) & e->lane_mask;
}

HEM_INLINE v8x3 wrap_particles(const hemi_row4* x, const uint16_t particle[8]) {
    HEM_ALIGN(32) int32_t index[8];
    slots_of(particle, index);
    return gather3(x[0].x, index);
}

HEM_INLINE float wrap_rest(const hem_view* view, uint32_t link) {
    const uint32_t at = link & ~HEM_VIRTUAL_INDEXED;
    return link == HEM_VIRTUAL_NO_LINK  ? 0.0f
           : link & HEM_VIRTUAL_INDEXED ? view->index_batches[at / 8].rest[at % 8]
                                        : view->link_batches[at / 8].rest[at % 8];
}

// Which way was up, turned with the edge as little as may be, and a little towards where the triangles face now.
static v8x3 wrap_turned(const wrap_lanes* l, const hemi_wrapped* wrapped, v8x3 n) {
    HEM_ALIGN(32) float up[3][8];
    for (uint32_t i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k) {
            up[k][i] = (float)wrapped[i].up[k] * (1.0f / 127.0f);
        }
    }
    v8x3 m = v8x3_make(v8_load(up[0]), v8_load(up[1]), v8_load(up[2]));
    v8 same = v8x3_dot(m, n);
    m8 alike = v8_gt(v8_abs(same), v8_set1(WRAP_ALIKE));
    m = v8x3_madd(n, v8_keep(alike, v8_mul(v8_sign(same), v8_set1(WRAP_TURNS))), m);
    m = v8x3_nmadd(l->along, v8x3_dot(m, l->along), m);
    v8 size = v8x3_length(m);
    // Along the old direction itself: the triangles know better.
    return v8x3_select(v8_gt(size, v8_set1(0.1f)), v8x3_scale(m, v8_div(v8_set1(1.0f), v8_max(size, v8_set1(0.1f)))),
                       n);
}

static wrap_lanes wrap_load(const hemi_wrap_args* args, uint32_t index) {
    const hem_virtual_edges* e = &args->view->virtual_edges[index];
    const hemi_wrapped* wrapped = args->wrapped + 8 * (size_t)index;
    wrap_lanes l;
    HEM_ALIGN(32) uint16_t second[8];
    uint32_t borders = 0;
    HEM_ALIGN(32) float beyond[8];
    l.wrapped = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        const int border = e->wing[1][i] == HEM_VIRTUAL_NO_WING, now = wrapped[i].now == 1;
        l.wrapped |= (uint32_t)now << i;
        beyond[i] = now ? WRAP_BEYOND * wrap_rest(args->view, e->link[i]) : 0.0f;
        borders |= (uint32_t)border << i;
        second[i] = border ? e->wing[0][i] : e->wing[1][i];
    }
    v8 tiny = v8_set1(1e-12f), zero = v8_zero();
    l.a = wrap_particles(args->x, e->a);
    v8x3 b = v8x3_sub(wrap_particles(args->x, e->b), l.a);
    v8x3 n0 = v8x3_cross(b, v8x3_sub(wrap_particles(args->x, e->wing[0]), l.a));
    v8x3 n1 = v8x3_cross(v8x3_sub(wrap_particles(args->x, second), l.a), b);
    v8 size0 = v8x3_length(n0), size1 = v8x3_length(n1);
    n0 = v8x3_scale(n0, v8_div(v8_set1(1.0f), v8_max(size0, tiny)));
    n1 = v8x3_scale(n1, v8_keep(v8_gt(size1, tiny), v8_div(v8_set1(1.0f), v8_max(size1, tiny))));
    n1 = v8x3_select(m8_from_bits(borders), v8x3_make(zero, zero, zero), n1);
    v8x3 n = v8x3_add(n0, n1);
    // Folded flat onto itself: one side is as good as the other.
    n = v8x3_select(v8_gt(v8x3_dot(n, n), v8_set1(1e-6f)), n, n0);
    v8 size = v8x3_length(n);
    l.length = v8x3_length(b);
    l.lanes = wrap_movable(e, args->x) & m8_bits(m8_and(v8_gt(l.length, v8_set1(1e-6f)), v8_gt(size, v8_set1(1e-6f))));
    l.along = v8x3_scale(b, v8_div(v8_set1(1.0f), v8_max(l.length, tiny)));
    l.out = v8x3_scale(n, v8_div(v8_set1(1.0f), v8_max(size, tiny)));
    if (l.wrapped) {
        l.out = v8x3_select(m8_from_bits(l.wrapped), wrap_turned(&l, wrapped, l.out), l.out);
    }
    // What hangs on something high above the line may have it beside its ends.
    v8 inset = v8_mul(l.length, v8_set1(1e-4f)), more = v8_load(beyond);
    l.low = v8_sub(inset, more);
    l.high = v8_add(v8_sub(l.length, inset), more);
    l.side = v8x3_cross(l.along, l.out);
    return l;
}

// -- The search

// What eight edges of cloth may meet until the next search: a box each along its own axes, the mesh's space, and one around all.
typedef struct wrap_boxes {
    v8x3 a, along, out, side;
    v8 low, high;    // along it
    v8 above, aside; // to both sides of its plane and of the line
    float least[3], most[3];
} wrap_boxes;

// Lanes whose plane an edge of the mesh goes through, from p to q, where it matters.
HEM_INLINE uint32_t wrap_meets(const wrap_boxes* b, hem_vec3 p, hem_vec3 q) {
    v8x3 x = v8x3_sub(v8x3_set1(p.x, p.y, p.z), b->a), y = v8x3_sub(v8x3_set1(q.x, q.y, q.z), b->a);
    v8 dx = v8x3_dot(x, b->side), dy = v8x3_dot(y, b->side);
    m8 meets = m8_and(v8_le(v8_min(dx, dy), b->aside), v8_ge(v8_max(dx, dy), v8_neg(b->aside)));
    if (!m8_bits(meets)) {
        return 0;
    }
    v8 tx = v8x3_dot(x, b->along), ty = v8x3_dot(y, b->along), hx = v8x3_dot(x, b->out), hy = v8x3_dot(y, b->out);
    meets = m8_and(meets, m8_and(v8_le(v8_min(tx, ty), b->high), v8_ge(v8_max(tx, ty), b->low)));
    meets = m8_and(meets, m8_and(v8_le(v8_min(hx, hy), b->above), v8_ge(v8_max(hx, hy), v8_neg(b->above))));
    return m8_bits(meets);
}

// Many eights meet the same edges: each is kept once. A slot holds an edge if that edge says so; whatever else is in it is old.
// HEMI_WRAP_FREE = no room.
static uint32_t wrap_edge_named(hemi_wraps* w, uint32_t name, uint32_t collider) {
    const uint32_t mask = w->slot_count - 1;
    uint32_t slot = (name * 2654435761u + collider * 40503u) >> 7 & mask;
    for (;; slot = (slot + 1) & mask) { // half of them are free
        const uint32_t at = w->slots[slot];
        if (at >= w->edge_count || w->edges[at].slot != slot) {
            break;
        }
        if (w->edges[at].name == name && w->edges[at].collider == collider) {
            return at;
        }
    }
    if (w->edge_count == w->edge_capacity) {
        return HEMI_WRAP_FREE;
    }
    hemi_wrap_edge* e = &w->edges[w->edge_count];
    memset(e, 0, sizeof(*e));
    e->name = name;
    e->slot = slot;
    e->collider = (uint16_t)collider;
    w->slots[slot] = (uint16_t)w->edge_count;
    return w->edge_count++;
}

// Edges k of a block's triangles whose boxes meet a box.
HEM_INLINE uint32_t wrap_edges_in(const hemi_mesh_shape* shape, uint32_t block, int k, const float low[3],
                                  const float high[3]) {
    v8x3 least = v8x3_set1(low[0], low[1], low[2]), most = v8x3_set1(high[0], high[1], high[2]);
    HEM_ALIGN(32) hem_trimesh_corners made;
    const hem_trimesh_corners* corners = mesh_corners(shape, block, &made);
    v8x3 a = mesh_corner(corners, k), b = mesh_corner(corners, (k + 1) % 3);
    v8x3 lowest = v8x3_least(a, b), highest = v8x3_most(a, b);
    if (shape->began) {
        a = mesh_corner(&shape->began[block], k), b = mesh_corner(&shape->began[block], (k + 1) % 3);
        lowest = v8x3_least(lowest, v8x3_least(a, b));
        highest = v8x3_most(highest, v8x3_most(a, b));
    }
    m8 x = m8_and(v8_le(lowest.x, most.x), v8_ge(highest.x, least.x));
    m8 y = m8_and(v8_le(lowest.y, most.y), v8_ge(highest.y, least.y));
    m8 z = m8_and(v8_le(lowest.z, most.z), v8_ge(highest.z, least.z));
    return m8_bits(m8_and(x, m8_and(y, z))) & mesh_lanes(shape->view, block);
}

// Each edge belongs to its first triangle. One that is bent by bones may become convex.
HEM_INLINE int wrap_is_wanted(const hemi_mesh_shape* shape, uint32_t triangle, int k) {
    const uint32_t wanted = HEM_TRIMESH_EDGE_CONVEX | HEM_TRIMESH_EDGE_BORDER | HEM_TRIMESH_EDGE_TORN;
    const hemi_mesh_edge e = mesh_edge(shape->view, triangle, (uint32_t)k);
    return e.triangle[0] == triangle && (shape->normals || (e.flags & wanted));
}

static int wrap_has_any(const hemi_mesh_shape* shape, const near_list* blocks, const float low[3],
                        const float high[3]) {
    for (uint32_t i = 0; i < 3 * blocks->count; ++i) {
        const uint32_t block = blocks->block[i / 3];
        const int k = (int)(i % 3);
        for (uint32_t bits = wrap_edges_in(shape, block, k, low, high); bits; bits &= bits - 1) {
            if (wrap_is_wanted(shape, block * 8 + hem_lowest_bit(bits), k)) {
                return 1;
            }
        }
    }
    return 0;
}

// Edges of a block that may matter to one of the eight.
static void wrap_block(const hemi_wrap_args* args, const hemi_mesh_shape* shape, uint32_t collider, uint32_t block,
                       const wrap_boxes* boxes, uint32_t lanes) {
    hemi_wraps* w = args->wraps;
    HEM_ALIGN(32) hem_trimesh_corners made;
    const hem_trimesh_corners* corners = mesh_corners(shape, block, &made);
    for (int k = 0; k < 3; ++k) {
        v8x3 a = mesh_corner(corners, k), b = mesh_corner(corners, (k + 1) % 3);
        for (uint32_t bits = wrap_edges_in(shape, block, k, boxes->least, boxes->most); bits; bits &= bits - 1) {
            const uint32_t lane = hem_lowest_bit(bits), triangle = block * 8 + lane;
            if (!wrap_is_wanted(shape, triangle, k)) {
                continue;
            }
            // One that moves with bones is taken as its box has it.
            if (!shape->began && !(wrap_meets(boxes, wrap_lane(a, lane), wrap_lane(b, lane)) & lanes)) {
                continue;
            }
            const uint32_t edge = wrap_edge_named(w, 4 * triangle + (uint32_t)k, collider);
            if (w->near_count == w->near_capacity || edge == HEMI_WRAP_FREE) {
                ++args->counters->virtual_dropped_count;
                continue;
            }
            w->near[w->near_count++] = (uint16_t)edge;
        }
    }
}

// A box around all eight, whichever way their triangles face.
static void wrap_rough_box(const hemi_wrap_args* args, uint32_t i, const float into[2][12], const hemi_mat34* frame,
                           float dt, float low[3], float high[3]) {
    const hem_virtual_edges* e = &args->view->virtual_edges[i];
    HEM_ALIGN(32) int32_t va[8], vb[8];
    places_of(e->a, 24, va);
    places_of(e->b, 24, vb);
    const float* v = args->v[0].x;
    v8x3 a = wrap_particles(args->x, e->a), b = wrap_particles(args->x, e->b);
    v8x3 to_a = v8x3_madd(gather3(v, va), v8_set1(dt), transform3(frame->m, a, 1));
    v8x3 to_b = v8x3_madd(gather3(v, vb), v8_set1(dt), transform3(frame->m, b, 1));
    float hangs = 0.0f;
    for (uint32_t lane = 0; lane < 8; ++lane) {
        hangs = args->wrapped[8 * i + lane].now == 1 ? hem_maxf(hangs, wrap_rest(args->view, e->link[lane])) : hangs;
    }
    v8 pad = v8_max(v8_mul(v8x3_length(v8x3_sub(b, a)), v8_set1(WRAP_AT_FIRST + WRAP_STRAYS)),
                    v8_set1((1.0f + WRAP_STRAYS) * hangs));
    pad = v8_add(pad, v8_set1(wrap_margin(args, e)));
    v8x3 p = transform3(into[0], a, 1), q = transform3(into[0], b, 1);
    v8x3 r = transform3(into[1], to_a, 1), s = transform3(into[1], to_b, 1);
    v8x3 least = v8x3_least(v8x3_least(p, q), v8x3_least(r, s)), most = v8x3_most(v8x3_most(p, q), v8x3_most(r, s));
    v8 far = v8_set1(1e30f), near = v8_set1(-1e30f);
    m8 on = m8_from_bits(e->lane_mask);
    low[0] = v8_hmin(v8_select(on, v8_sub(least.x, pad), far));
    low[1] = v8_hmin(v8_select(on, v8_sub(least.y, pad), far));
    low[2] = v8_hmin(v8_select(on, v8_sub(least.z, pad), far));
    high[0] = v8_hmax(v8_select(on, v8_add(most.x, pad), near));
    high[1] = v8_hmax(v8_select(on, v8_add(most.y, pad), near));
    high[2] = v8_hmax(v8_select(on, v8_add(most.z, pad), near));
}

HEM_INLINE v8 wrap_moves(v8x3 a, v8x3 b, v8x3 axis) { // of both ends, along an axis
    return v8_max(v8_abs(v8x3_dot(a, axis)), v8_abs(v8x3_dot(b, axis)));
}

// Around each edge and all that may come through it until the next search. What is new comes from where its triangles face; what
// hangs down on both sides of something may be as far below it as it is long.
// Returns whether none moves far.
static int wrap_box(const hemi_wrap_args* args, uint32_t i, const wrap_lanes* l, const float into[2][12],
                    const hemi_mat34* frame, float dt, wrap_boxes* boxes) {
    const hem_virtual_edges* e = &args->view->virtual_edges[i];
    HEM_ALIGN(32) int32_t va[8], vb[8];
    places_of(e->a, 24, va);
    places_of(e->b, 24, vb);
    const float* v = args->v[0].x;
    v8x3 b = wrap_particles(args->x, e->b);
    v8x3 to_a = v8x3_madd(gather3(v, va), v8_set1(dt), transform3(frame->m, l->a, 1));
    v8x3 to_b = v8x3_madd(gather3(v, vb), v8_set1(dt), transform3(frame->m, b, 1));
    HEM_ALIGN(32) float rest[8];
    for (uint32_t lane = 0; lane < 8; ++lane) {
        rest[lane] = l->wrapped >> lane & 1u ? wrap_rest(args->view, e->link[lane]) : 0.0f;
    }
    v8 hangs = v8_load(rest);
    const float margin = wrap_margin(args, e);
    v8 slack = v8_add(v8_set1(margin), v8_mul(v8_max(l->length, hangs), v8_set1(WRAP_STRAYS)));
    v8x3 p = transform3(into[0], l->a, 1), q = transform3(into[0], b, 1);
    v8x3 way_p = v8x3_sub(transform3(into[1], to_a, 1), p), way_q = v8x3_sub(transform3(into[1], to_b, 1), q);
    boxes->a = p;
    boxes->along = transform3(into[0], l->along, 0);
    boxes->out = transform3(into[0], l->out, 0);
    boxes->side = transform3(into[0], l->side, 0);
    v8 more = v8_add(slack, wrap_moves(way_p, way_q, boxes->along));
    boxes->low = v8_sub(l->low, more);
    boxes->high = v8_add(l->high, more);
    boxes->aside = v8_add(slack, wrap_moves(way_p, way_q, boxes->side));
    boxes->above = v8_add(v8_max(v8_mul(l->length, v8_set1(WRAP_AT_FIRST)), hangs),
                          v8_add(slack, wrap_moves(way_p, way_q, boxes->out)));
    // The same along the mesh's axes, of all.
    v8 half = v8_mul(v8_sub(boxes->high, boxes->low), v8_set1(0.5f));
    v8x3 middle = v8x3_madd(boxes->along, v8_add(boxes->low, half), p), *u = &boxes->along, *o = &boxes->out;
    v8x3* s = &boxes->side;
    v8x3 size =
        v8x3_make(v8_madd(v8_abs(u->x), half, v8_madd(v8_abs(o->x), boxes->above, v8_mul(v8_abs(s->x), boxes->aside))),
                  v8_madd(v8_abs(u->y), half, v8_madd(v8_abs(o->y), boxes->above, v8_mul(v8_abs(s->y), boxes->aside))),
                  v8_madd(v8_abs(u->z), half, v8_madd(v8_abs(o->z), boxes->above, v8_mul(v8_abs(s->z), boxes->aside))));
    v8x3 least = v8x3_sub(middle, size), most = v8x3_add(middle, size);
    v8 far = v8_set1(1e30f), near = v8_set1(-1e30f);
    m8 on = m8_from_bits(l->lanes);
    boxes->least[0] = v8_hmin(v8_select(on, least.x, far)), boxes->most[0] = v8_hmax(v8_select(on, most.x, near));
    boxes->least[1] = v8_hmin(v8_select(on, least.y, far)), boxes->most[1] = v8_hmax(v8_select(on, most.y, near));
    boxes->least[2] = v8_hmin(v8_select(on, least.z, far)), boxes->most[2] = v8_hmax(v8_select(on, most.z, near));
    v8 moves = v8_max(v8x3_dot(way_p, way_p), v8x3_dot(way_q, way_q)), few = v8_set1(WRAP_SLOW * margin);
    return !(m8_bits(v8_gt(moves, v8_mul(few, few))) & l->lanes);
}

void HEMI_NAME(find_wraps)(const hemi_wrap_args* args, const hemi_mat34* part_frames, float dt) {
    const hem_view* view = args->view;
    hemi_wraps* w = args->wraps;
    near_list blocks;
    for (uint32_t c = 0; c < args->colliders->count; ++c) {
        const hemi_collider_path* path = &args->colliders->paths[c];
        if (!path->mesh || !path->mesh->view) {
            continue;
        }
        const hemi_mesh_shape shape = hemi_mesh_shape_of(path->mesh, args->s0, args->s1);
        float into[2][12];
        near_matrix(path, args->s0, into[0]);
        near_matrix(path, args->s1, into[1]);
        for (uint32_t i = 0; i < view->virtual_edge_count; ++i) {
            const hem_virtual_edges* e = &view->virtual_edges[i];
            const uint32_t first = w->near_count;
            if (!(path->collider->mask & view->parts[e->part].collision_group)) {
                continue;
            }
            float low[3], high[3];
            wrap_rough_box(args, i, (const float(*)[12])into, &part_frames[e->part], dt, low, high);
            near_blocks(&shape, low, high, &blocks);
            if (!blocks.full && !wrap_has_any(&shape, &blocks, low, high)) {
                continue;
            }
            const wrap_lanes l = wrap_load(args, i);
            wrap_boxes boxes;
            const int slow = wrap_box(args, i, &l, (const float(*)[12])into, &part_frames[e->part], dt, &boxes);
            if (blocks.full) {
                near_blocks(&shape, boxes.least, boxes.most, &blocks);
                args->counters->virtual_dropped_count += blocks.full;
            }
            for (uint32_t k = 0; k < blocks.count; ++k) {
                wrap_block(args, &shape, c, blocks.block[k], &boxes, l.lanes);
            }
            if (w->near_count == first) {
                continue;
            }
            if (w->eight_count == w->eight_capacity) {
                args->counters->virtual_dropped_count += w->near_count - first;
                w->near_count = first;
                continue;
            }
            w->eights[w->eight_count++] = (hemi_wrap_eight){i, c, first, w->near_count - first, (uint32_t)slow};
        }
    }
}

// -- A substep

static void wrap_edge_of(const hemi_mesh_shape* shape, uint32_t near, float time, hem_vec3 ends[2]) {
    hem_vec3 corner[3];
    const uint32_t k = near % 4;
    mesh_triangle(shape, near / 4, time, corner);
    ends[0] = corner[k];
    ends[1] = corner[k == 2 ? 0 : k + 1];
}

HEM_INLINE void wrap_store(hem_vec3 v, float to[3]) {
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

HEM_INLINE hem_vec3 wrap_read3(const float v[3]) {
    return hem_vec3_make(v[0], v[1], v[2]);
}

// Normals of the triangles beside a mesh's edge, worked out when they are asked for. 0 = it has no inside.
static int wrap_faces(const wrap_mesh* m, hemi_wrap_edge* edge) {
    if (edge->asked) {
        return edge->asked == HEMI_WRAP_CLOSED;
    }
    const hemi_mesh_edge e = mesh_edge(m->then.view, edge->name / 4, edge->name % 4);
    if (m->two_sided || (e.flags & (HEM_TRIMESH_EDGE_BORDER | HEM_TRIMESH_EDGE_TORN))) {
        edge->asked = HEMI_WRAP_OPEN;
        return 0;
    }
    for (int i = 0; i < 2; ++i) {
        hem_vec3 corner[3];
        mesh_triangle(&m->then, e.triangle[i], m->then.now, corner);
        wrap_store(hem_mat34_vector(&m->out[0], mesh_unit_normal(corner)), edge->faces[i]);
    }
    edge->asked = HEMI_WRAP_CLOSED;
    return 1;
}

// Edges of a collider, [first, end), where the substep finds them. Returns the end.
static uint32_t wrap_place(const hemi_wrap_args* args, const wrap_mesh* m, uint32_t collider, uint32_t first) {
    hemi_wraps* w = args->wraps;
    for (; first < w->edge_count && w->edges[first].collider <= collider; ++first) {
        hemi_wrap_edge* e = &w->edges[first];
        hem_vec3 ends[2];
        if (e->collider < collider) {
            continue;
        }
        wrap_edge_of(&m->then, e->name, args->s0, ends);
        wrap_store(hem_mat34_point(&m->out[0], ends[0]), e->ends[0]);
        wrap_store(hem_mat34_point(&m->out[0], ends[1]), e->ends[1]);
        e->asked = 0;
    }
    return first;
}

// A point in the plane of an edge of cloth: kept if it is above the thread.
static int wrap_keep(wrap_list* list, wrap_point p, int closed, const hem_vec3 faces[2], hem_vec3 out, int wrapped,
                     float margin, float length) {
    if (closed) {
        const float first = hem_vec3_dot(faces[0], out), second = hem_vec3_dot(faces[1], out), both = first + second;
        p.up = both > 0.0f;
        // What is just below it is inside the mesh: the thread comes through there.
        const float least = p.up ? hem_minf(first, second) : hem_minf(-first, -second);
        if (wrapped ? !(hem_absf(both) > WRAP_FACES) : !(least > -WRAP_LEANS)) {
            return 1;
        }
    } else if (wrapped) {
        p.up = 1;
    } else if (hem_absf(p.h) < margin) {
        p.up = p.h < 0.0f; // a border has no inside: the cloth is still where it came from
    } else {
        return 1;
    }
    const float height = p.up ? p.h : -p.h;
    if (wrapped ? !p.up : height > WRAP_AT_FIRST * length) {
        return 1;
    }
    p.y = height + margin;
    // Beside an end only what is high above it: what is about level with it, the end has passed.
    const float beside = hem_maxf(-p.t, p.t - length);
    if (!(p.y > WRAP_SINKS * margin) || (beside > 0.0f && !(height > margin + WRAP_STEEP * beside))) {
        return 1;
    }
    if (list->count == HEMI_WRAP_POINTS) {
        return 0;
    }
    p.key = p.t / p.y;
    uint32_t at = list->count++;
    for (; at > 0; --at) {
        const wrap_point* q = &list->point[at - 1];
        if (q->key < p.key || (q->key == p.key && q->y <= p.y)) {
            break;
        }
        list->point[at] = *q;
    }
    list->point[at] = p;
    return 1;
}

static void wrap_slice(const hemi_wrap_args* args, const hemi_wrap_eight* r, const wrap_lanes* l, const wrap_mesh* m,
                       float margin, wrap_list lists[8]) {
    v8 zero = v8_zero(), reach = v8_mul(l->length, v8_set1(WRAP_AT_FIRST));
    reach = v8_select(m8_from_bits(l->wrapped), v8_set1(1e30f), reach);
    for (uint32_t i = 0; i < r->count; ++i) {
        hemi_wrap_edge* edge = &args->wraps->edges[args->wraps->near[r->first + i]];
        const float *p = edge->ends[0], *q = edge->ends[1];
        v8x3 x = v8x3_sub(v8x3_set1(p[0], p[1], p[2]), l->a), y = v8x3_sub(v8x3_set1(q[0], q[1], q[2]), l->a);
        v8 dx = v8x3_dot(x, l->side), dy = v8x3_dot(y, l->side);
        m8 front = v8_gt(dx, zero), other = v8_gt(dy, zero);
        m8 crosses = m8_or(m8_andnot(front, other), m8_andnot(other, front));
        if (!(m8_bits(crosses) & l->lanes)) {
            continue;
        }
        v8 u = v8_div(dx, v8_select(crosses, v8_sub(dx, dy), v8_set1(1.0f)));
        v8x3 at = v8x3_lerp(x, y, u);
        v8 t = v8x3_dot(at, l->along), h = v8x3_dot(at, l->out);
        crosses = m8_and(crosses, m8_and(v8_gt(t, l->low), v8_lt(t, l->high)));
        crosses = m8_and(crosses, v8_lt(v8_abs(h), reach));
        uint32_t bits = m8_bits(crosses) & l->lanes;
        if (!bits) {
            continue;
        }
        const int closed = wrap_faces(m, edge);
        const hem_vec3 faces[2] = {wrap_read3(edge->faces[0]), wrap_read3(edge->faces[1])};
        for (; bits; bits &= bits - 1) {
            const uint32_t lane = hem_lowest_bit(bits);
            const wrap_point point = {
                v8_lane(t, (int)lane), 0.0f, v8_lane(h, (int)lane), v8_lane(u, (int)lane), 0.0f, edge->name, 0};
            if (!wrap_keep(&lists[lane], point, closed, faces, wrap_lane(l->out, lane), (int)(l->wrapped >> lane & 1u),
                           margin, v8_lane(l->length, (int)lane))) {
                ++args->counters->virtual_dropped_count;
            }
        }
    }
}

// Of points on both sides those of the side that is less high: it is where the cloth came from.
static void wrap_one_side(wrap_list* list) {
    float highest[2] = {0.0f, 0.0f};
    for (uint32_t i = 0; i < list->count; ++i) {
        const wrap_point* p = &list->point[i];
        highest[p->up] = hem_maxf(highest[p->up], p->y);
    }
    if (highest[0] > 0.0f && highest[1] > 0.0f) {
        const uint32_t up = highest[1] <= highest[0];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < list->count; ++i) {
            if (list->point[i].up == up) {
                list->point[kept++] = list->point[i];
            }
        }
        list->count = kept;
    }
}

// Whether b is no higher than the line from a to c.
HEM_INLINE int wrap_is_below(float at, float ay, const wrap_point* b, float ct, float cy, float flat) {
    const float t = ct - at, y = cy - ay;
    const float over = t * (b->y - ay) - y * (b->t - at);
    return !(over > flat * hem_sqrtf(t * t + y * y));
}

// A taut thread from (0, 0) to (length, 0) over all of them.
static void wrap_hull(wrap_list* list, float length, float flat) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i <= list->count; ++i) {
        const int last = i == list->count;
        const float t = last ? length : list->point[i].t, y = last ? 0.0f : list->point[i].y;
        while (kept > 0) {
            const wrap_point* before = kept > 1 ? &list->point[kept - 2] : NULL;
            if (!wrap_is_below(before ? before->t : 0.0f, before ? before->y : 0.0f, &list->point[kept - 1], t, y,
                               flat)) {
                break;
            }
            --kept;
        }
        if (!last) {
            list->point[kept++] = list->point[i];
        }
    }
    list->count = kept;
}

// Whether the way from the thread to a point that it would go around is not all inside of the mesh: a triangle that faces the
// cloth lies between, or the thread is beside.
static int wrap_is_hidden(const wrap_mesh* m, const wrap_lanes* l, uint32_t lane, const wrap_list* list) {
    const hem_vec3 a = wrap_lane(l->a, lane), along = wrap_lane(l->along, lane), out = wrap_lane(l->out, lane);
    hem_mat34 into;
    memcpy(into.m, m->into, sizeof(into.m));
    HEM_ALIGN(32) hemi_mesh_touch touch;
    memset(&touch, 0, sizeof(touch));
    const float length = v8_lane(l->length, (int)lane);
    uint32_t asked = 0;
    for (uint32_t i = 0; i < list->count && i < 8; ++i) {
        const wrap_point* p = &list->point[i];
        const float height = p->up ? p->h : -p->h;
        if (!(height > 0.0f)) {
            continue;
        }
        const hem_vec3 line = hem_vec3_madd(along, p->t, a);
        const hem_vec3 from = hem_mat34_point(&into, line);
        const hem_vec3 to = hem_mat34_point(&into, hem_vec3_madd(out, WRAP_SHORT * p->h, line));
        touch.from.x[i] = from.x, touch.from.y[i] = from.y, touch.from.z[i] = from.z;
        touch.to.x[i] = to.x, touch.to.y[i] = to.y, touch.to.z[i] = to.z;
        touch.margin[i] = MESH_LEAST_MARGIN * length + (1.0f - WRAP_SHORT) * height; // so far at most from the surface
        asked |= 1u << i;
    }
    HEMI_NAME(touch_mesh)(&m->then, &touch, asked);
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        const int inside = m->two_sided || touch.depth[i] > touch.margin[i];
        hidden |= (uint32_t)(touch.through[i] || !inside) & (asked >> i & 1u);
    }
    return hidden != 0;
}

// Where its virtual particles are at the end of the substep.
static void wrap_move(const hemi_wrap_args* args, const wrap_mesh* m, hemi_split* split) {
    for (int k = 0; k < 2; ++k) {
        hem_vec3 edge[2];
        wrap_edge_of(&m->now, split->names[k], args->s1, edge);
        const hem_vec3 at = hem_mat34_point(&m->out[1], hem_vec3_lerp(edge[0], edge[1], split->along[k]));
        wrap_store(hem_vec3_add(at, wrap_read3(split->above)), split->place[k]);
        split->lambda[k] = 0.0f;
    }
}

// Lengths along the thread become shares of the rest length: sum r_j = r (section 6).
static void wrap_split(const hemi_wrap_args* args, const wrap_mesh* m, const wrap_lanes* l, uint32_t lane, float margin,
                       const wrap_list* list, hemi_split* split) {
    const hem_vec3 a = wrap_lane(l->a, lane), along = wrap_lane(l->along, lane), out = wrap_lane(l->out, lane);
    const float sign = list->point[0].up ? 1.0f : -1.0f, length = v8_lane(l->length, (int)lane);
    float total = 0.0f, ends[2] = {0.0f, 0.0f}, t = 0.0f, y = 0.0f;
    for (uint32_t i = 0; i <= list->count; ++i) {
        const int last = i == list->count;
        const float next_t = last ? length : list->point[i].t, next_y = last ? 0.0f : list->point[i].y;
        const float piece = hem_sqrtf((next_t - t) * (next_t - t) + (next_y - y) * (next_y - y));
        ends[0] = i == 0 ? piece : ends[0];
        ends[1] = piece;
        total += piece;
        t = next_t, y = next_y;
    }
    for (int k = 0; k < 2; ++k) {
        const wrap_point* p = &list->point[k ? list->count - 1 : 0];
        split->names[k] = p->near;
        split->along[k] = p->u;
        wrap_store(hem_vec3_madd(out, sign * p->y, hem_vec3_madd(along, p->t, a)), split->began[k]);
        split->share[k] = ends[k] / total;
    }
    wrap_store(hem_vec3_scale(out, sign * margin), split->above);
    wrap_move(args, m, split);
}

// All of one edge's, for who reads them.
static void wrap_read(hemi_wrap_args* args, const wrap_lanes* l, uint32_t lane, const wrap_list* list,
                      const hem_virtual_edges* e) {
    const hem_vec3 a = wrap_lane(l->a, lane), along = wrap_lane(l->along, lane), out = wrap_lane(l->out, lane);
    const float sign = list->point[0].up ? 1.0f : -1.0f, length = v8_lane(l->length, (int)lane);
    float way[HEMI_WRAP_POINTS + 1], total = 0.0f, t = 0.0f, y = 0.0f;
    for (uint32_t i = 0; i <= list->count; ++i) {
        const int last = i == list->count;
        const float next_t = last ? length : list->point[i].t, next_y = last ? 0.0f : list->point[i].y;
        total += hem_sqrtf((next_t - t) * (next_t - t) + (next_y - y) * (next_y - y));
        way[i] = total;
        t = next_t, y = next_y;
    }
    for (uint32_t i = 0; i < list->count; ++i) {
        const wrap_point* p = &list->point[i];
        const hem_vec3 at = hem_vec3_madd(out, sign * p->y, hem_vec3_madd(along, p->t, a));
        const float share = way[i] / total;
        if (args->out_count < args->out_capacity && args->out) {
            hem_virtual_particle* to = &args->out[args->out_count];
            wrap_store(at, to->position);
            to->share = share;
            to->particle[0] = e->a[lane];
            to->particle[1] = e->b[lane];
        } else if (args->out_count < args->out_capacity) {
            hem_refined_vertex* to = &args->refined[args->out_count];
            wrap_store(at, to->position);
            to->weight[0] = 1.0f - share;
            to->weight[1] = share;
            to->weight[2] = 0.0f;
            to->particle[0] = e->a[lane];
            to->particle[1] = to->particle[2] = e->b[lane];
        }
        ++args->out_count;
    }
}

HEM_INLINE int8_t wrap_byte(float x) {
    return (int8_t)(int32_t)(x + (x < 0.0f ? -0.5f : 0.5f));
}

static void wrap_eight(hemi_wrap_args* args, uint32_t index, const wrap_mesh* m) {
    const hemi_wrap_eight* r = &args->wraps->eights[index];
    const hem_virtual_edges* e = &args->view->virtual_edges[r->eight];
    hemi_wraps* w = args->wraps;
    hemi_wrapped* wrapped = args->wrapped + 8 * (size_t)r->eight;
    const float margin = wrap_margin(args, e);
    wrap_lanes l = wrap_load(args, r->eight);
    wrap_list lists[8];
    for (uint32_t i = 0; i < 8; ++i) {
        lists[i].count = 0;
        // What one mesh has, no other gets in the same substep.
        l.lanes &= ~((uint32_t)((wrapped[i].now & HEMI_WRAP_SEEN) != 0) << i);
    }
    wrap_slice(args, r, &l, m, margin, lists);
    for (uint32_t i = 0; i < 8; ++i) {
        wrap_list* list = &lists[i];
        if (list->count == 0) {
            continue;
        }
        const int before = (int)(l.wrapped >> i & 1u);
        if (!before) {
            wrap_one_side(list);
        }
        wrap_hull(list, v8_lane(l.length, (int)i), WRAP_FLAT * margin);
        if (list->count == 0 || (!before && wrap_is_hidden(m, &l, i, list))) {
            continue;
        }
        if (list->count > w->split_capacity - w->point_count) {
            args->counters->virtual_dropped_count += list->count;
            continue;
        }
        if ((args->out || args->refined) && (e->face_mask >> i & 1u)) {
            wrap_read(args, &l, i, list, e);
        }
        hemi_split* split = &w->splits[w->split_count++];
        w->point_count += list->count;
        split->particle[0] = e->a[i];
        split->particle[1] = e->b[i];
        split->edge = 8 * r->eight + i;
        split->eight = index;
        split->count = list->count;
        wrap_split(args, m, &l, i, margin, list, split);
        const hem_vec3 out = hem_vec3_scale(wrap_lane(l.out, i), list->point[0].up ? 127.0f : -127.0f);
        wrapped[i] = (hemi_wrapped){{wrap_byte(out.x), wrap_byte(out.y), wrap_byte(out.z)}, 1 | HEMI_WRAP_SEEN};
        args->counters->virtual_count += e->face_mask >> i & 1u ? list->count : 0;
    }
}

static void wrap_mesh_of(const hemi_wrap_args* args, uint32_t collider, wrap_mesh* m) {
    const hemi_collider_path* path = &args->colliders->paths[collider];
    m->then = hemi_mesh_shape_of(path->mesh, args->s0, args->s0);
    m->now = hemi_mesh_shape_of(path->mesh, args->s0, args->s1);
    m->out[0] = wrap_matrix(path, args->s0);
    m->out[1] = wrap_matrix(path, args->s1);
    near_matrix(path, args->s0, m->into);
    m->two_sided = (m->then.view->header->flags & HEM_TRIMESH_TWO_SIDED) != 0;
}

// What slow ones went around they still do: only the mesh has moved on.
static void wrap_again(const hemi_wrap_args* args) {
    hemi_wraps* w = args->wraps;
    const uint32_t before = w->split_count;
    wrap_mesh m;
    uint32_t collider = UINT32_MAX;
    w->split_count = w->point_count = 0;
    for (uint32_t i = 0; args->again && i < before; ++i) {
        const hemi_wrap_eight* r = &w->eights[w->splits[i].eight];
        if (!r->slow) {
            continue;
        }
        hemi_split* split = &w->splits[w->split_count++];
        *split = w->splits[i];
        if (r->collider != collider) {
            collider = r->collider;
            wrap_mesh_of(args, collider, &m);
        }
        memcpy(split->began, split->place, sizeof(split->began));
        wrap_move(args, &m, split);
        args->wrapped[split->edge].now = 1 | HEMI_WRAP_SEEN;
        w->point_count += split->count;
        const int shown = args->view->virtual_edges[split->edge / 8].face_mask >> split->edge % 8 & 1;
        args->counters->virtual_count += shown ? split->count : 0;
    }
}

void HEMI_NAME(wrap_edges)(hemi_wrap_args* args) {
    wrap_mesh m;
    uint32_t collider = UINT32_MAX, placed = 0;
    wrap_again(args);
    for (uint32_t i = 0; i < args->wraps->eight_count; ++i) {
        const hemi_wrap_eight* r = &args->wraps->eights[i];
        if (args->again && r->slow) {
            continue;
        }
        if (r->collider != collider) {
            collider = r->collider;
            wrap_mesh_of(args, collider, &m);
            placed = wrap_place(args, &m, collider, placed);
        }
        wrap_eight(args, i, &m);
    }
}
