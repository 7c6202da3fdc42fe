// SPDX-License-Identifier: MIT
// Particles against triangle meshes.
//
// The lanes are the mesh's: eight boxes of a node, eight triangles of a block, against one particle at a time, since the
// eight particles of a row lie in eight strips of the cloth and rarely near the same triangles. A particle asks two
// questions: which triangle does my way go through first, and which point of the surface is nearest. What went through is
// put back on the side that it came from, whatever its speed; what is nearer than the margin is pushed away from the
// nearest point. So nothing gets through as long as it begins outside.
//
// One-sided meshes: what is behind the surface by less than REACH margins is inside and comes out. Whether it is behind is
// asked of the normal of the nearest feature (face, edge or vertex; Baerentzen and Aanaes 2005), since beside an edge the
// triangles' planes contradict each other. Two-sided ones, and open borders, have no behind: they push away.
//
// A mesh that changes its shape is seen as it is at both ends of the substep: the plane that the particle was in front of
// then and is behind of now was crossed, at the time at which the two distances give zero.

#define MESH_REACH 4.0f
#define MESH_GRAZE                                                                                                     \
    1e-4f // share of a triangle by which its sides are widened for ways that go through, so that none slips between
#define MESH_NO_TRIANGLE UINT32_MAX

enum { MESH_FACE = 0, MESH_EDGE = 1, MESH_VERTEX = 4 }; // MESH_EDGE + k: from corner k; MESH_VERTEX + k: corner k

typedef struct mesh_probe {
    const hemi_mesh_shape* shape;
    v8x3 from, to; // the same in every lane
    int two_sided;
    float margin;
    v8x3 inverse; // 1 over the components of the way
    float hair;   // by which boxes are widened: rounding errors of the way
    // Found so far
    float time; // of the first crossing, 2 = none
    uint32_t crossed;
    float side;   // of that triangle on which the particle was
    float square; // of the distance to the nearest point
    uint32_t nearest, feature;
    hem_vec3 away; // from the nearest point to the particle
} mesh_probe;

typedef struct mesh_triangles {
    v8x3 a, b, c;
} mesh_triangles;

HEM_INLINE v8x3 mesh_corner(const hem_trimesh_corners* corners, int k) {
    return v8x3_make(v8_load(corners->at[k][0]), v8_load(corners->at[k][1]), v8_load(corners->at[k][2]));
}

// Stored, or made of a height field's heights into the room.
HEM_INLINE const hem_trimesh_node* mesh_node(const hemi_mesh_shape* shape, uint32_t level, uint32_t index,
                                             hem_trimesh_node* room) {
    if (shape->view->heights) {
        hemi_field_node(shape->view, level, index, room);
        return room;
    }
    return &shape->nodes[shape->view->level_begin[level] + index];
}

HEM_INLINE const hem_trimesh_corners* mesh_corners(const hemi_mesh_shape* shape, uint32_t block,
                                                   hem_trimesh_corners* room) {
    if (shape->view->heights) {
        hemi_field_corners(shape->view, block, room);
        return room;
    }
    return &shape->corners[block];
}

static hemi_mesh_edge mesh_edge(const hem_trimesh_view* view, uint32_t triangle, uint32_t k) {
    if (view->heights) {
        return hemi_field_edge(view, triangle, k);
    }
    const hem_trimesh_edge* e = &view->edges[view->names[triangle / 8].edge[k][triangle % 8]];
    return (hemi_mesh_edge){{e->triangle[0], e->triangle[1]}, e->flags};
}

// Lanes of a block that are triangles of their own.
HEM_INLINE uint32_t mesh_lanes(const hem_trimesh_view* view, uint32_t block) {
    const uint32_t left = view->header->triangle_count - block * 8;
    return view->heights || left >= 8 ? 0xffu : (1u << left) - 1;
}

HEM_INLINE mesh_triangles mesh_triangles_at(const hemi_mesh_shape* shape, uint32_t block, float time) {
    HEM_ALIGN(32) hem_trimesh_corners made;
    if (shape->view->heights) {
        hemi_field_corners(shape->view, block, &made);
        return (mesh_triangles){mesh_corner(&made, 0), mesh_corner(&made, 1), mesh_corner(&made, 2)};
    }
    const hem_trimesh_corners* end = shape->began && time <= 0.0f ? &shape->began[block] : &shape->corners[block];
    mesh_triangles t = {mesh_corner(end, 0), mesh_corner(end, 1), mesh_corner(end, 2)};
    if (shape->began && time < 1.0f && time > 0.0f) {
        const hem_trimesh_corners* begin = &shape->began[block];
        v8 w = v8_set1(time);
        t.a = v8x3_lerp(mesh_corner(begin, 0), t.a, w);
        t.b = v8x3_lerp(mesh_corner(begin, 1), t.b, w);
        t.c = v8x3_lerp(mesh_corner(begin, 2), t.c, w);
    }
    return t;
}

HEM_INLINE v8x3 mesh_normals(const mesh_triangles* t) { // times twice the area
    return v8x3_cross(v8x3_sub(t->b, t->a), v8x3_sub(t->c, t->a));
}

// Whether x, in the plane, lies inside or beside by no more than a graze.
HEM_INLINE m8 mesh_holds(const mesh_triangles* t, v8x3 n, v8x3 x) {
    v8 least = v8_mul(v8x3_dot(n, n), v8_set1(-MESH_GRAZE));
    v8 u = v8x3_dot(v8x3_cross(v8x3_sub(t->b, t->a), v8x3_sub(x, t->a)), n);
    v8 v = v8x3_dot(v8x3_cross(v8x3_sub(t->c, t->b), v8x3_sub(x, t->b)), n);
    v8 w = v8x3_dot(v8x3_cross(v8x3_sub(t->a, t->c), v8x3_sub(x, t->c)), n);
    return m8_and(v8_ge(u, least), m8_and(v8_ge(v, least), v8_ge(w, least)));
}

HEM_INLINE uint32_t lowest_lane(m8 m) {
    return hem_lowest_bit(m8_bits(m));
}

HEM_INLINE mesh_triangles mesh_between(const mesh_triangles* then, const mesh_triangles* now, v8 t) {
    mesh_triangles at = {v8x3_lerp(then->a, now->a, t), v8x3_lerp(then->b, now->b, t), v8x3_lerp(then->c, now->c, t)};
    return at;
}

HEM_INLINE v8 mesh_height(const mesh_triangles* t, v8x3 n, v8x3 x) {
    return v8_div(v8x3_dot(v8x3_sub(x, t->a), n), v8_max(v8x3_length(n), v8_set1(1e-30f)));
}

// When a moving plane is met: a cubic, of which regula falsi needs few steps, since heights change almost evenly.
HEM_INLINE v8 mesh_meet(const mesh_probe* probe, const mesh_triangles* then, const mesh_triangles* now, v8 h0, v8 h1) {
    v8 t0 = v8_zero(), t1 = v8_set1(1.0f), side = v8_sign(h0), least = v8_set1(1e-30f), t = t0;
    for (int i = 0; i < 4; ++i) {
        v8 fall = v8_sub(h0, h1);
        v8 share = v8_div(h0, v8_copysign(v8_max(v8_abs(fall), least), fall));
        t = v8_madd(v8_sub(t1, t0), v8_min(v8_max(share, v8_zero()), v8_set1(1.0f)), t0);
        mesh_triangles at = mesh_between(then, now, t);
        v8 h = mesh_height(&at, mesh_normals(&at), v8x3_lerp(probe->from, probe->to, t));
        m8 before = v8_gt(v8_mul(h, side), v8_zero());
        t0 = v8_select(before, t, t0);
        h0 = v8_select(before, h, h0);
        t1 = v8_select(before, t1, t);
        h1 = v8_select(before, h1, h);
    }
    return t;
}

static void mesh_cross(mesh_probe* probe, uint32_t block, const mesh_triangles* now, v8x3 n, v8 d1) {
    v8 zero = v8_zero();
    mesh_triangles then = *now;
    v8x3 n0 = n;
    if (probe->shape->began) {
        then = mesh_triangles_at(probe->shape, block, probe->shape->then);
        n0 = mesh_normals(&then);
    }
    v8 d0 = v8x3_dot(v8x3_sub(probe->from, then.a), n0);
    m8 inwards = m8_and(v8_gt(d0, zero), v8_le(d1, zero)), outwards = m8_and(v8_lt(d0, zero), v8_ge(d1, zero));
    m8 passes = probe->two_sided ? m8_or(inwards, outwards) : inwards;
    if (!m8_any(passes)) {
        return;
    }
    v8 t = v8_div(d0, v8_select(passes, v8_sub(d0, d1), v8_set1(1.0f)));
    mesh_triangles at = *now;
    v8x3 nt = n;
    if (probe->shape->began) {
        t = mesh_meet(probe, &then, now, mesh_height(&then, n0, probe->from), mesh_height(now, n, probe->to));
        at = mesh_between(&then, now, t);
        nt = mesh_normals(&at);
    }
    passes = m8_and(passes, v8_lt(t, v8_set1(probe->time)));
    passes = m8_and(passes, mesh_holds(&at, nt, v8x3_lerp(probe->from, probe->to, t)));
    if (m8_any(passes)) {
        probe->time = v8_hmin(v8_select(passes, t, v8_set1(2.0f)));
        uint32_t lane = lowest_lane(m8_and(passes, v8_eq(t, v8_set1(probe->time))));
        probe->crossed = block * 8 + lane;
        probe->side = v8_lane(d0, (int)lane) > 0.0f ? 1.0f : -1.0f;
    }
}

// Nearest point of eight segments; *along is its place, 0 at a and 1 at b.
HEM_INLINE v8x3 mesh_from_segment(v8x3 p, v8x3 a, v8x3 b, v8* along) {
    v8x3 e = v8x3_sub(b, a), w = v8x3_sub(p, a);
    v8 t = v8_div(v8x3_dot(w, e), v8_max(v8x3_dot(e, e), v8_set1(1e-30f)));
    *along = v8_min(v8_max(t, v8_zero()), v8_set1(1.0f));
    return v8x3_nmadd(e, *along, w);
}

static void mesh_near(mesh_probe* probe, uint32_t block, const mesh_triangles* t, v8x3 n, v8 d1) {
    v8 zero = v8_zero(), nn = v8_max(v8x3_dot(n, n), v8_set1(1e-30f));
    // No point is nearer than the plane.
    if (!m8_any(v8_lt(v8_mul(d1, d1), v8_mul(nn, v8_set1(probe->square))))) {
        return;
    }
    v8 s[3];
    v8x3 away[3] = {mesh_from_segment(probe->to, t->a, t->b, &s[0]), mesh_from_segment(probe->to, t->b, t->c, &s[1]),
                    mesh_from_segment(probe->to, t->c, t->a, &s[2])};
    v8 square = v8x3_dot(away[0], away[0]), code = v8_set1(1.0f), along = s[0];
    v8x3 best = away[0];
    for (int k = 1; k < 3; ++k) {
        v8 other = v8x3_dot(away[k], away[k]);
        m8 nearer = v8_lt(other, square);
        best = v8x3_select(nearer, away[k], best);
        along = v8_select(nearer, s[k], along);
        code = v8_select(nearer, v8_set1((float)(MESH_EDGE + k)), code);
        square = v8_select(nearer, other, square);
    }
    v8x3 x = v8x3_nmadd(n, v8_div(d1, nn), probe->to);
    v8 u = v8x3_dot(v8x3_cross(v8x3_sub(t->b, t->a), v8x3_sub(x, t->a)), n);
    v8 v = v8x3_dot(v8x3_cross(v8x3_sub(t->c, t->b), v8x3_sub(x, t->b)), n);
    v8 w = v8x3_dot(v8x3_cross(v8x3_sub(t->a, t->c), v8x3_sub(x, t->c)), n);
    m8 inside = m8_and(v8_gt(u, zero), m8_and(v8_gt(v, zero), v8_gt(w, zero)));
    v8x3 down = v8x3_scale(n, v8_div(d1, nn));
    best = v8x3_select(inside, down, best);
    square = v8_select(inside, v8_div(v8_mul(d1, d1), nn), square);
    code = v8_select(inside, zero, code);
    m8 better = v8_lt(square, v8_set1(probe->square));
    if (m8_any(better)) {
        probe->square = v8_hmin(v8_select(better, square, v8_set1(probe->square)));
        uint32_t lane = lowest_lane(m8_and(better, v8_eq(square, v8_set1(probe->square))));
        probe->nearest = block * 8 + lane;
        probe->feature = (uint32_t)v8_lane(code, (int)lane);
        if (probe->feature != MESH_FACE) {
            uint32_t k = probe->feature - MESH_EDGE;
            float at = v8_lane(along, (int)lane);
            probe->feature = at <= 0.0f   ? MESH_VERTEX + k
                             : at >= 1.0f ? MESH_VERTEX + (k == 2 ? 0 : k + 1)
                                          : probe->feature;
        }
        probe->away = hem_vec3_make(v8_lane(best.x, (int)lane), v8_lane(best.y, (int)lane), v8_lane(best.z, (int)lane));
    }
}

static void mesh_block(mesh_probe* probe, uint32_t block) {
    mesh_triangles now = mesh_triangles_at(probe->shape, block, probe->shape->now);
    v8x3 n = mesh_normals(&now);
    v8 d1 = v8x3_dot(v8x3_sub(probe->to, now.a), n);
    mesh_cross(probe, block, &now, n, d1);
    mesh_near(probe, block, &now, n, d1);
}

// Narrows the times at which the way is between two planes. Which one it comes to first follows from its direction, not from
// the times: the planes of an empty box are the wrong way round and leave no time.
HEM_INLINE void mesh_slab(v8 low, v8 high, v8 from, v8 inverse, v8 hair, v8* enter, v8* leave) {
    m8 down = v8_lt(inverse, v8_zero());
    low = v8_sub(low, hair);
    high = v8_add(high, hair);
    *enter = v8_max(v8_mul(v8_sub(v8_select(down, high, low), from), inverse), *enter);
    *leave = v8_min(v8_mul(v8_sub(v8_select(down, low, high), from), inverse), *leave);
}

// Children of a node that the way may go through, or where something may be nearer than what was found. Written so that a
// NaN finds nothing. *squares are those of the distances to the boxes.
HEM_INLINE uint32_t mesh_children(const mesh_probe* probe, const hem_trimesh_node* node, v8* squares) {
    v8 zero = v8_zero();
    v8x3 low = v8x3_make(v8_load(node->low[0]), v8_load(node->low[1]), v8_load(node->low[2]));
    v8x3 high = v8x3_make(v8_load(node->high[0]), v8_load(node->high[1]), v8_load(node->high[2]));
    v8 enter = zero, leave = v8_set1(probe->time < 1.0f ? probe->time : 1.0f), hair = v8_set1(probe->hair);
    mesh_slab(low.x, high.x, probe->from.x, probe->inverse.x, hair, &enter, &leave);
    mesh_slab(low.y, high.y, probe->from.y, probe->inverse.y, hair, &enter, &leave);
    mesh_slab(low.z, high.z, probe->from.z, probe->inverse.z, hair, &enter, &leave);
    v8 dx = v8_max(v8_max(v8_sub(low.x, probe->to.x), v8_sub(probe->to.x, high.x)), zero);
    v8 dy = v8_max(v8_max(v8_sub(low.y, probe->to.y), v8_sub(probe->to.y, high.y)), zero);
    v8 dz = v8_max(v8_max(v8_sub(low.z, probe->to.z), v8_sub(probe->to.z, high.z)), zero);
    *squares = v8_madd(dz, dz, v8_madd(dy, dy, v8_mul(dx, dx)));
    *squares = v8_select(v8_le(enter, leave), v8_set1(-1.0f), *squares); // those on the way are never too far
    return m8_bits(v8_lt(*squares, v8_set1(probe->square)));
}

typedef struct mesh_step {
    float square;  // not worth it when something nearer has been found
    uint32_t node; // within its level
    uint32_t level;
} mesh_step;

// Depth first, the nearest child first, so that little is left to look at once something was found.
static void mesh_descend(mesh_probe* probe) {
    const hem_trimesh_view* view = probe->shape->view;
    mesh_step stack[HEM_TRIMESH_MAX_LEVELS * 8];
    uint32_t depth = 1;
    stack[0] = (mesh_step){-1.0f, 0, view->level_count};
    while (depth > 0) {
        mesh_step top = stack[--depth];
        if (!(top.square < probe->square)) {
            continue;
        }
        if (top.level == 0) {
            mesh_block(probe, top.node);
            continue;
        }
        uint32_t level = top.level - 1, first = depth;
        v8 squares;
        HEM_ALIGN(32) hem_trimesh_node made;
        uint32_t bits = mesh_children(probe, mesh_node(probe->shape, level, top.node, &made), &squares);
        HEM_ALIGN(32) float square[8];
        v8_store(square, squares);
        for (; bits; bits &= bits - 1) { // sorted in, the nearest on top, the first of equals above the others
            uint32_t child = hem_lowest_bit(bits), at = depth++;
            for (; at > first && stack[at - 1].square <= square[child]; --at) {
                stack[at] = stack[at - 1];
            }
            stack[at] = (mesh_step){square[child], top.node * 8 + child, level};
        }
    }
}

// -- What was found, one triangle at a time

static void mesh_triangle(const hemi_mesh_shape* shape, uint32_t triangle, float time, hem_vec3 corner[3]) {
    if (shape->view->heights) {
        hemi_field_triangle(shape->view, triangle, corner);
        return;
    }
    const hem_trimesh_corners* end = &shape->corners[triangle / 8];
    uint32_t lane = triangle % 8;
    for (int k = 0; k < 3; ++k) {
        corner[k] = hem_vec3_make(end->at[k][0][lane], end->at[k][1][lane], end->at[k][2][lane]);
        if (shape->began && time < 1.0f) {
            const hem_trimesh_corners* begin = &shape->began[triangle / 8];
            hem_vec3 b = hem_vec3_make(begin->at[k][0][lane], begin->at[k][1][lane], begin->at[k][2][lane]);
            corner[k] = hem_vec3_lerp(b, corner[k], time);
        }
    }
}

static hem_vec3 mesh_unit_normal(const hem_vec3 corner[3]) {
    return hem_vec3_normalise(hem_vec3_cross(hem_vec3_sub(corner[1], corner[0]), hem_vec3_sub(corner[2], corner[0])));
}

// Which way is out at the nearest point; zero = both.
static hem_vec3 mesh_outward(const hemi_mesh_shape* shape, uint32_t triangle, uint32_t feature) {
    const hem_trimesh_view* view = shape->view;
    hem_vec3 none = hem_vec3_make(0.0f, 0.0f, 0.0f), corner[3];
    if (feature >= MESH_VERTEX && view->heights) {
        // What is above its nearest point is above the field, since no point of it lies above another.
        return hemi_field_is_open(view, triangle, feature - MESH_VERTEX) ? none : hem_vec3_make(0.0f, 1.0f, 0.0f);
    }
    if (feature >= MESH_VERTEX) {
        uint32_t v = view->names[triangle / 8].vertex[feature - MESH_VERTEX][triangle % 8];
        const float* n = shape->normals ? shape->normals[v] : view->vertices[v].normal;
        return view->vertices[v].flags & HEM_TRIMESH_VERTEX_OPEN ? none : hem_vec3_make(n[0], n[1], n[2]);
    }
    mesh_triangle(shape, triangle, shape->now, corner);
    hem_vec3 n = mesh_unit_normal(corner);
    if (feature == MESH_FACE) {
        return n;
    }
    const hemi_mesh_edge e = mesh_edge(view, triangle, feature - MESH_EDGE);
    if (e.flags & (HEM_TRIMESH_EDGE_BORDER | HEM_TRIMESH_EDGE_TORN)) {
        return none;
    }
    mesh_triangle(shape, e.triangle[0] == triangle ? e.triangle[1] : e.triangle[0], shape->now, corner);
    return hem_vec3_add(n, mesh_unit_normal(corner));
}

// How far the mesh took the point of the triangle that is now at x.
static hem_vec3 mesh_motion(const hemi_mesh_shape* shape, uint32_t triangle, hem_vec3 x) {
    hem_vec3 now[3], then[3], moved = hem_vec3_make(0.0f, 0.0f, 0.0f);
    if (!shape->began) {
        return moved;
    }
    mesh_triangle(shape, triangle, shape->now, now);
    mesh_triangle(shape, triangle, shape->then, then);
    hem_vec3 n = hem_vec3_cross(hem_vec3_sub(now[1], now[0]), hem_vec3_sub(now[2], now[0]));
    float nn = hem_maxf(hem_vec3_dot(n, n), 1e-30f), sum = 1e-9f;
    for (int k = 0; k < 3; ++k) {
        const hem_vec3 *b = &now[(k + 1) % 3], *c = &now[(k + 2) % 3];
        float share = hem_vec3_dot(hem_vec3_cross(hem_vec3_sub(*c, *b), hem_vec3_sub(x, *b)), n) / nn;
        share = hem_clampf(share, 0.0f, 1.0f); // it may lie beside
        moved = hem_vec3_madd(hem_vec3_sub(now[k], then[k]), share, moved);
        sum += share;
    }
    return hem_vec3_scale(moved, 1.0f / sum);
}

static void mesh_store(hemi_mesh_touch* touch, uint32_t lane, hem_vec3 n, float depth, hem_vec3 moved) {
    touch->normal.x[lane] = n.x;
    touch->normal.y[lane] = n.y;
    touch->normal.z[lane] = n.z;
    touch->moved.x[lane] = moved.x;
    touch->moved.y[lane] = moved.y;
    touch->moved.z[lane] = moved.z;
    touch->depth[lane] = depth;
}

static void mesh_answer(const mesh_probe* probe, hem_vec3 from, hem_vec3 to, hemi_mesh_touch* touch, uint32_t lane) {
    const hemi_mesh_shape* shape = probe->shape;
    if (probe->crossed != MESH_NO_TRIANGLE) {
        hem_vec3 corner[3];
        mesh_triangle(shape, probe->crossed, shape->now, corner);
        hem_vec3 n = hem_vec3_scale(mesh_unit_normal(corner), probe->side);
        float depth = probe->margin - hem_vec3_dot(hem_vec3_sub(to, corner[0]), n);
        touch->triangle[lane] = probe->crossed;
        touch->through[lane] = 1;
        touch->reached[lane] = probe->time;
        mesh_store(touch, lane, n, depth, mesh_motion(shape, probe->crossed, to));
        return;
    }
    if (probe->nearest == MESH_NO_TRIANGLE) {
        return;
    }
    float distance = hem_sqrtf(probe->square);
    hem_vec3 out =
        probe->two_sided ? hem_vec3_make(0.0f, 0.0f, 0.0f) : mesh_outward(shape, probe->nearest, probe->feature);
    hem_vec3 n, nearest = hem_vec3_sub(to, probe->away);
    if (distance > 1e-6f * probe->margin) {
        float behind = hem_vec3_dot(out, probe->away) < 0.0f ? -1.0f : 1.0f;
        n = hem_vec3_scale(probe->away, behind / distance);
        distance *= behind;
    } else { // on the surface: out of the triangle, towards where it came from if both sides are out
        hem_vec3 corner[3];
        mesh_triangle(shape, probe->nearest, shape->now, corner);
        n = mesh_unit_normal(corner);
        int both = hem_vec3_dot(out, out) == 0.0f;
        n = both && hem_vec3_dot(n, hem_vec3_sub(from, to)) < 0.0f ? hem_vec3_scale(n, -1.0f) : n;
        distance = 0.0f;
    }
    if (distance < probe->margin) {
        touch->triangle[lane] = probe->nearest;
        mesh_store(touch, lane, n, probe->margin - distance, mesh_motion(shape, probe->nearest, nearest));
    }
}

// Components that are nothing have an inverse that no box survives but those around the way.
HEM_INLINE v8x3 mesh_inverse(v8x3 u) {
    v8 least = v8_set1(1e-18f), one = v8_set1(1.0f);
    return v8x3_make(v8_div(one, v8_copysign(v8_max(v8_abs(u.x), least), u.x)),
                     v8_div(one, v8_copysign(v8_max(v8_abs(u.y), least), u.y)),
                     v8_div(one, v8_copysign(v8_max(v8_abs(u.z), least), u.z)));
}

// Asks for the lanes whose bits are set. Returns the bits of those that touch.
uint32_t HEMI_NAME(touch_mesh)(const hemi_mesh_shape* shape, hemi_mesh_touch* touch, uint32_t lanes) {
    uint32_t touching = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = hem_lowest_bit(lanes);
        hem_vec3 from = hem_vec3_make(touch->from.x[lane], touch->from.y[lane], touch->from.z[lane]);
        hem_vec3 to = hem_vec3_make(touch->to.x[lane], touch->to.y[lane], touch->to.z[lane]);
        mesh_probe probe;
        probe.shape = shape;
        probe.from = v8x3_set1(from.x, from.y, from.z);
        probe.to = v8x3_set1(to.x, to.y, to.z);
        probe.two_sided = (shape->view->header->flags & HEM_TRIMESH_TWO_SIDED) != 0;
        probe.margin = touch->margin[lane];
        float reach = probe.margin * (probe.two_sided ? 1.0f : MESH_REACH);
        probe.inverse = mesh_inverse(v8x3_sub(probe.to, probe.from));
        probe.hair = 0.01f * probe.margin;
        probe.time = 2.0f;
        probe.square = reach * reach;
        probe.crossed = probe.nearest = MESH_NO_TRIANGLE;
        probe.side = 1.0f;
        probe.feature = MESH_FACE;
        probe.away = hem_vec3_make(0.0f, 0.0f, 0.0f);
        touch->depth[lane] = 0.0f;
        touch->triangle[lane] = MESH_NO_TRIANGLE;
        touch->through[lane] = 0;
        touch->reached[lane] = 1.0f;
        mesh_descend(&probe);
        mesh_answer(&probe, from, to, touch, lane);
        touching |= (uint32_t)(touch->depth[lane] > 0.0f) << lane;
    }
    return touching;
}

// -- Meshes that change their shape

// Vertices of a skinned mesh and their normals, as the bones have them. stirred NULL = all of them.
void HEMI_NAME(skin_mesh)(const hem_trimesh_view* view, const hemi_bone_pose* bones, const uint8_t* stirred,
                          float (*positions)[4], float (*normals)[4]) {
    for (uint32_t i = 0; i < view->header->vertex_count; ++i) {
        if (stirred && !stirred[i]) {
            continue;
        }
        const hem_trimesh_bind* bind = &view->binds[i];
        v8 first = v8_zero(), second = v8_zero(); // rows of the blended matrix: two, then one
        for (int k = 0; k < 4; ++k) {
            if (bind->weight[k] == 0) {
                continue;
            }
            v8 w = v8_set1((float)bind->weight[k] * (1.0f / 65535.0f));
            const float* m = bones[bind->bone[k]].m;
            first = v8_madd(v8_loadu(m), w, first);
            second = v8_madd(v8_loadu(m + 8), w, second);
        }
        HEM_ALIGN(32) float m[16];
        v8_store(m, first);
        v8_store(m + 8, second);
        const float *p = view->vertices[i].position, *n = view->vertices[i].normal;
        for (int row = 0; row < 3; ++row) {
            const float* r = m + 4 * row;
            positions[i][row] = r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3];
            normals[i][row] = r[0] * n[0] + r[1] * n[1] + r[2] * n[2];
        }
        positions[i][3] = normals[i][3] = 0.0f;
    }
}

HEM_INLINE int block_is_stirred(const hem_trimesh_names* names, const uint8_t* stirred) {
    uint32_t any = 0;
    for (int i = 0; i < 8; ++i) {
        any |= stirred[names->vertex[0][i]] | (uint32_t)stirred[names->vertex[1][i]] | stirred[names->vertex[2][i]];
    }
    return any != 0;
}

// Blocks from the vertices as they are, and boxes around those and the blocks before. began may be NULL. stirred: a byte
// for each vertex that has moved, then one for each block whose corners were written by the last call; NULL = all.
void HEMI_NAME(refit_mesh)(const hem_trimesh_view* view, const float (*positions)[4], uint8_t* stirred,
                           const hem_trimesh_corners* began, hem_trimesh_corners* corners, hem_trimesh_node* nodes) {
    uint8_t* before = stirred ? stirred + view->header->vertex_count : NULL;
    v8 low_pad = v8_set1(HEM_TRIMESH_NOWHERE), high_pad = v8_set1(-HEM_TRIMESH_NOWHERE);
    for (uint32_t i = 0; i < view->node_count && !stirred; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            v8_store(nodes[i].low[axis], low_pad);
            v8_store(nodes[i].high[axis], high_pad);
        }
    }
    for (uint32_t block = 0; block < view->block_count; ++block) {
        if (stirred) {
            const uint8_t now = (uint8_t)block_is_stirred(&view->names[block], stirred), skip = !now && !before[block];
            before[block] = now;
            if (skip) {
                continue;
            }
        }
        v8x3 low = {low_pad, low_pad, low_pad}, high = {high_pad, high_pad, high_pad};
        for (int k = 0; k < 3; ++k) {
            v8x3 x;
            v8 unused;
            v8_load_rows4(positions[0], (const int32_t*)view->names[block].vertex[k], &x.x, &x.y, &x.z, &unused);
            v8_store(corners[block].at[k][0], x.x);
            v8_store(corners[block].at[k][1], x.y);
            v8_store(corners[block].at[k][2], x.z);
            v8x3 old = began ? mesh_corner(&began[block], k) : x;
            low = v8x3_least(low, v8x3_least(x, old));
            high = v8x3_most(high, v8x3_most(x, old));
        }
        hem_trimesh_node* node = &nodes[block / 8];
        node->low[0][block % 8] = v8_hmin(low.x);
        node->low[1][block % 8] = v8_hmin(low.y);
        node->low[2][block % 8] = v8_hmin(low.z);
        node->high[0][block % 8] = v8_hmax(high.x);
        node->high[1][block % 8] = v8_hmax(high.y);
        node->high[2][block % 8] = v8_hmax(high.z);
    }
    for (uint32_t level = 1; level < view->level_count; ++level) {
        uint32_t below = view->level_begin[level - 1], here = view->level_begin[level];
        for (uint32_t i = 0; below + i < here; ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                nodes[here + i / 8].low[axis][i % 8] = v8_hmin(v8_load(nodes[below + i].low[axis]));
                nodes[here + i / 8].high[axis][i % 8] = v8_hmax(v8_load(nodes[below + i].high[axis]));
            }
        }
    }
}
