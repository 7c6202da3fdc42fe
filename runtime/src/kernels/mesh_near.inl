// SPDX-License-Identifier: MIT
// Rows of particles against meshes: the tree is asked once per search, for clusters of neighbours, and each particle
// keeps the few triangles that it can come to until the next search. In a substep the lanes are eight particles, each
// against its own triangle; neighbours in a row of the cloth have lists of all lengths, so those with lists of about the
// same length are put together (a third of the triangles that rows look at otherwise; no bit is different).
//
// Why nothing is missed. Let a particle stray by at most `room` from where it was at the search, seen from the mesh that
// moves there by `drift`. A triangle that is `lower` away at the search, less what its own motion differs from the
// drift, cannot be touched while lower - stray >= margin. All with lower < margin + room are kept, the nearest first;
// whoever strays farther, or was found behind the mesh, asks the tree in that substep instead (touch_mesh): slower, the
// same answer. So the lists are a matter of time, not of result, but for the ease of fine meshes (near_open): there a plane
// may stand for many triangles. Where there is no room for all that are near, those that the particle reaches last are left
// out, and its room ends before them.

#define NEAR_MANY 2    // triangles: with more of them, those beside are asked whether they matter
#define NEAR_SLIDES 4  // times that what went through a triangle may go through another one on its way along it
#define NEAR_LIFT 0.1f // margins: so far above the triangle that way begins
#define MESH_LEAST_MARGIN 2e-3f // of the part's spacing: what has no thickness is held off by so much

// Rows are filled by the length of their lists: none, up to SHORT, longer, and those that ask the tree.
#define NEAR_LENGTHS 4
#define NEAR_SHORT 2

// The same for triangles: those that still matter.
HEM_INLINE m8 near_sideways(const near_one* one, const near_seen* seen, uint32_t nearest_lanes, const mesh_triangles* t,
                            m8 near) {
    const hem_vec3 at = hem_vec3_sub(one->start, seen->point);
    v8x3 q = v8x3_set1(seen->point.x, seen->point.y, seen->point.z), d = v8x3_set1(at.x, at.y, at.z);
    v8 high = v8_max(v8x3_dot(v8x3_sub(t->a, q), d), v8x3_dot(v8x3_sub(t->b, q), d));
    high = v8_max(v8_max(high, v8x3_dot(v8x3_sub(t->c, q), d)), v8_zero());
    v8 bound = v8_nmadd(v8_set1(2.0f), high, v8_set1(seen->ease));
    m8 kept = m8_from_bits(nearest_lanes);
    m8 open = m8_andnot(near, v8_gt(bound, v8_set1(0.25f * seen->beside * seen->beside))); // however far beside
    open = m8_andnot(open, kept);
    if (m8_any(open)) {
        m8 unused;
        v8x3 unneeded;
        v8 r = near_distance(t, q, &unused, &unneeded);
        open = m8_andnot(open, v8_gt(v8_madd(r, r, bound), v8_mul(v8_set1(seen->beside), r)));
    }
    return m8_or(open, m8_and(near, kept));
}

// shape->then and now are the search's and the next one's.
static void near_triangles(const hemi_mesh_shape* shape, const near_cluster* c, near_one* one, float square[NEAR_NODES],
                           uint32_t first) {
    near_seen seen;
    one->count = one->asks = 0;
    one->flat = MESH_NO_TRIANGLE;
    near_see(shape, c, one, square, first, &seen);
    if (seen.full) {
        one->asks = 1;
        return;
    }
    const int one_sided = !(shape->view->header->flags & HEM_TRIMESH_TWO_SIDED);
    if (one_sided && seen.least < MESH_REACH * one->margin) {
        uint32_t ahead = 0;
        v8 about = v8_set1(seen.least + NEAR_FRONT * one->margin);
        for (uint32_t i = 0; i < seen.count; ++i) {
            ahead |= m8_bits(v8_le(seen.lower[i], about)) & seen.front[i];
        }
        one->asks = ahead == 0;
    }
    v8 keep = v8_set1(one->margin + one->room);
    uint32_t many = 0;
    one->asks |= shape->began && one->margin + one->room + 2.0f * one->half > one->reach;
    for (uint32_t i = 0; i < seen.count && !one->asks; ++i) {
        if (shape->began) { // in the motion of its corners a triangle may come nearer
            mesh_triangles t = mesh_triangles_at(shape, seen.block[i], shape->then);
            seen.lower[i] = v8_max(v8_sub(seen.lower[i], near_apart(shape, seen.block[i], &t, one->drift)), v8_zero());
        }
        many += hemi_bit_count(m8_bits(v8_lt(seen.lower[i], keep)));
    }
    const int sideways = many > NEAR_MANY && !shape->began;
    if (seen.ease > 0.0f && many > 0) {
        one->flat = seen.nearest;
        one->point = seen.point;
    }
    for (uint32_t i = 0; i < seen.count && !one->asks; ++i) {
        m8 near = v8_lt(seen.lower[i], keep);
        if (sideways && m8_any(near)) {
            mesh_triangles t = mesh_triangles_at(shape, seen.block[i], shape->then);
            const uint32_t here = seen.block[i] == seen.nearest / 8 ? 1u << seen.nearest % 8 : 0;
            near = near_sideways(one, &seen, here, &t, near);
        }
        HEM_ALIGN(32) float each[8];
        v8_store(each, seen.lower[i]);
        for (uint32_t bits = m8_bits(near); bits; bits &= bits - 1) {
            const uint32_t lane = hem_lowest_bit(bits);
            near_insert(one, each[lane], seen.block[i] * 8 + lane);
        }
    }
}

// -- The search

typedef struct near_search {
    const hemi_mesh_args* args;
    const hemi_shape* shape; // of the collider: matrices
    hemi_mesh_shape mesh;
    uint32_t part, collider;
    float into[2][12]; // the mesh's space when the search begins and ends
    near_cluster clusters[2];
    near_one ones[8][8]; // [row][lane]
    near_one open[NEAR_LENGTHS][8];
    uint32_t open_count[NEAR_LENGTHS];
} near_search;

static void near_matrix(const hemi_collider_path* path, float share, float m[12]) {
    const float *a = path->pose[0], *b = path->pose[1];
    hem_vec3 p = hem_vec3_lerp(hem_vec3_make(a[0], a[1], a[2]), hem_vec3_make(b[0], b[1], b[2]), share);
    hem_quat q = hem_quat_nlerp(hem_quat_make(a[3], a[4], a[5], a[6]), hem_quat_make(b[3], b[4], b[5], b[6]), share);
    hem_vec3 origin = hem_quat_rotate_back(q, p);
    hem_mat34 into = hem_mat34_from_quat(hem_quat_conj(q), hem_vec3_make(-origin.x, -origin.y, -origin.z));
    memcpy(m, into.m, sizeof(into.m));
}

HEM_INLINE void near_copy(const hem_trimesh_corners* from, uint32_t lane, hem_trimesh_corners* to, uint32_t at) {
    const float* in = from->at[0][0] + lane; // [corner][axis], eight lanes apart
    float* out = to->at[0][0] + at;
    out[0] = in[0], out[8] = in[8], out[16] = in[16];
    out[24] = in[24], out[32] = in[32], out[40] = in[40];
    out[48] = in[48], out[56] = in[56], out[64] = in[64];
}

// A triangle in that plane, so wide that the particle stays above it.
static void near_flat(const near_one* one, hem_vec3 corner[3]) {
    const hem_vec3 n = hem_vec3_normalise(hem_vec3_sub(one->start, one->point));
    const hem_vec3 axis = hem_absf(n.x) < 0.6f ? hem_vec3_make(1.0f, 0.0f, 0.0f) : hem_vec3_make(0.0f, 1.0f, 0.0f);
    const float wide = 4.0f * one->room;
    const hem_vec3 t = hem_vec3_scale(hem_vec3_normalise(hem_vec3_cross(n, axis)), wide), u = hem_vec3_cross(n, t);
    const hem_vec3 back = hem_vec3_madd(t, -0.5f, one->point);
    corner[0] = hem_vec3_add(one->point, t);
    corner[1] = hem_vec3_madd(u, 0.866f, back);
    corner[2] = hem_vec3_madd(u, -0.866f, back);
}

HEM_INLINE void near_entry(const near_search* s, const near_one* one, uint32_t t, uint32_t lane, hemi_mesh_near* near) {
    if (s->mesh.view->heights || t == one->flat) {
        hem_vec3 corner[3];
        if (t == one->flat) {
            near_flat(one, corner);
        } else {
            hemi_field_triangle(s->mesh.view, t, corner);
        }
        for (int c = 0; c < 3; ++c) {
            near->corners.at[c][0][lane] = corner[c].x;
            near->corners.at[c][1][lane] = corner[c].y;
            near->corners.at[c][2][lane] = corner[c].z;
        }
        return;
    }
    near_copy(&s->mesh.corners[t / 8], t % 8, &near->corners, lane);
    if (s->mesh.began) {
        near_copy(&s->mesh.began[t / 8], t % 8, &near->began, lane);
    }
}

// Writes a row and its entries. What finds no room for entries asks the tree; a row that finds none is left out, counted.
static void near_emit(near_search* s, uint32_t length) {
    hemi_meshes* out = s->args->meshes;
    const near_one* one = s->open[length];
    const uint32_t count = s->open_count[length], lanes = (1u << count) - 1;
    s->open_count[length] = 0;
    if (count == 0) {
        return;
    }
    if (out->row_count == out->row_capacity) {
        s->args->counters->dropped_count += count;
        return;
    }
    hemi_mesh_row* r = &out->rows[out->row_count++];
    memset(r, 0, sizeof(*r));
    r->lanes = lanes;
    r->part = s->part;
    r->collider = s->collider;
    r->first = out->near_count;
    for (uint32_t i = 0; i < 8; ++i) {
        if (i >= count) {
            r->particle[i] = (uint16_t)one[count - 1].particle;
            continue;
        }
        r->particle[i] = (uint16_t)one[i].particle;
        r->start.x[i] = one[i].start.x;
        r->start.y[i] = one[i].start.y;
        r->start.z[i] = one[i].start.z;
        r->drift.x[i] = one[i].drift.x;
        r->drift.y[i] = one[i].drift.y;
        r->drift.z[i] = one[i].drift.z;
        r->room[i] = one[i].room;
        r->asking |= one[i].asks << i;
        r->depth = !one[i].asks && one[i].count > r->depth ? one[i].count : r->depth;
    }
    if (r->depth > out->near_capacity - out->near_count) {
        r->depth = 0;
        r->asking = lanes;
        return;
    }
    out->near_count += r->depth;
    for (uint32_t k = 0; k < r->depth; ++k) { // too far to be looked at, but for those that follow
        v8_store(out->near[r->first + k].lower, v8_set1(1e30f));
        w8_store((int32_t*)out->near[r->first + k].triangle, w8_set1(-1));
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; !one[i].asks && k < one[i].count; ++k) {
            hemi_mesh_near* near = &out->near[r->first + k];
            near->triangle[i] = one[i].triangle[k];
            near->lower[i] = one[i].lower[k];
            near_entry(s, &one[i], one[i].triangle[k], i, near);
        }
    }
}

static void near_pack(near_search* s, const near_one* one) {
    const uint32_t length = one->asks ? 3 : one->count == 0 ? 0 : one->count <= NEAR_SHORT ? 1 : 2;
    s->open[length][s->open_count[length]++] = *one;
    if (s->open_count[length] == 8) {
        near_emit(s, length);
    }
}

// Up to eight rows: their lanes are clusters of neighbours.
static void near_rows(near_search* s, uint32_t begin, uint32_t count, const hemi_mat34* frame, float dt) {
    const hemi_mesh_args* args = s->args;
    const hem_part* part = &args->view->parts[s->part];
    const hemi_colliders* colliders = args->colliders;
    uint32_t lanes_of[8] = {0};
    HEM_ALIGN(32) hemi_row3 start[8];
    HEM_ALIGN(32) hemi_row3 way[8];
    HEM_ALIGN(32) float margin[8][8], reach[8][8];
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t row = begin + i;
        const uint64_t* words = colliders->row_colliders + (size_t)row * colliders->words;
        if (!(words[s->collider / 64] >> (s->collider % 64) & 1u)) {
            continue;
        }
        v8x3 at = row4_load3(&args->x[row]);
        v8x3 to = v8x3_madd(row3_load(&args->v[row]), v8_set1(dt), transform3(frame->m, at, 1));
        v8x3 from = transform3(s->into[0], at, 1), u = v8x3_sub(transform3(s->into[1], to, 1), from);
        v8 keep = v8_set1(args->parts[s->part].thickness);
        if (part->kind == HEM_PART_SOFT) {
            keep = v8_add(keep, v8_load(args->view->shape_rows[row].a));
        }
        keep = v8_max(keep, v8_set1(MESH_LEAST_MARGIN * part->spacing));
        row3_store(&start[i], from);
        row3_store(&way[i], u);
        v8_store(margin[i], keep);
        v8 far = v8_madd(v8_set1(2.0f), v8x3_length(u), v8_mul(keep, v8_set1(2.0f)));
        v8_store(reach[i], v8_max(far, v8_mul(keep, v8_set1(MESH_REACH))));
        lanes_of[i] = m8_bits(v8_gt(v8_load(args->x[row].w), v8_zero()));
    }
    for (uint32_t lane = 0; lane < 8; ++lane) {
        float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f};
        uint32_t members = 0;
        for (uint32_t i = 0; i < count; ++i) {
            if (!(lanes_of[i] >> lane & 1u)) {
                continue;
            }
            const float p[3] = {start[i].x[lane], start[i].y[lane], start[i].z[lane]}, r = reach[i][lane];
            near_one* one = &s->ones[i][lane];
            one->start = hem_vec3_make(p[0], p[1], p[2]);
            one->way = hem_vec3_make(way[i].x[lane], way[i].y[lane], way[i].z[lane]);
            one->margin = margin[i][lane];
            one->reach = r;
            one->particle = (begin + i) * 8 + lane;
            near_expect(&s->mesh, one);
            for (int k = 0; k < 3; ++k) {
                low[k] = p[k] - r < low[k] ? p[k] - r : low[k];
                high[k] = p[k] + r > high[k] ? p[k] + r : high[k];
            }
            members |= 1u << i;
        }
        const int field = s->mesh.view->heights != NULL;
        const near_cluster* cluster = members && !field ? near_nodes(&s->mesh, low, high, s->clusters) : NULL;
        HEM_ALIGN(32) float square[8][NEAR_NODES];
        uint32_t nearest[8] = {0};
        for (uint32_t bits = field ? 0 : members; bits; bits &= bits - 1) {
            const uint32_t i = hem_lowest_bit(bits);
            nearest[i] = near_measure(cluster, s->ones[i][lane].middle, square[i]);
            near_fetch(&s->mesh, cluster->block[nearest[i]], cluster->level);
        }
        for (uint32_t bits = field || !cluster || cluster->level == 0 ? 0 : members; bits; bits &= bits - 1) {
            const uint32_t i = hem_lowest_bit(bits);
            near_foresee(&s->mesh, s->ones[i][lane].middle, cluster->block[nearest[i]], cluster->level);
        }
        for (; members; members &= members - 1) {
            const uint32_t i = hem_lowest_bit(members);
            near_triangles(&s->mesh, cluster, &s->ones[i][lane], square[i], nearest[i]);
            near_pack(s, &s->ones[i][lane]);
        }
    }
}

void HEMI_NAME(find_meshes)(const hemi_mesh_args* args, const hemi_mat34* part_frames, float dt) {
    near_search s;
    s.args = args;
    memset(s.open_count, 0, sizeof(s.open_count));
    for (uint32_t c = 0; c < args->colliders->count; ++c) {
        const hemi_collider_path* path = &args->colliders->paths[c];
        if (!path->mesh || !path->mesh->view) {
            continue;
        }
        s.collider = c;
        s.mesh = hemi_mesh_shape_of(path->mesh, args->s0, args->s1);
        near_matrix(path, args->s0, s.into[0]);
        near_matrix(path, args->s1, s.into[1]);
        for (uint32_t p = 0; p < args->view->info->part_count; ++p) {
            const hem_part* part = &args->view->parts[p];
            const uint32_t end = part->row_begin + part->row_count;
            s.part = p;
            for (uint32_t begin = part->row_begin; part->kind != HEM_PART_BODY && begin < end; begin += 8) {
                near_rows(&s, begin, end - begin < 8 ? end - begin : 8, &part_frames[p], dt);
            }
            for (uint32_t length = 0; length < NEAR_LENGTHS; ++length) {
                near_emit(&s, length);
            }
        }
    }
}

// -- The push

typedef struct near_found {
    mesh_probe ways; // from and to; nothing else of it is used
    int two_sided;
    v8 margin;
    // The nearest point
    v8 square, code, ahead; // code: MESH_FACE, MESH_EDGE + k, MESH_VERTEX + k; ahead: side of the triangle's plane
    v8x3 away, normal, moved;
    w8 triangle;
    // The first crossing
    v8 time, depth;
    v8x3 out, carried;
} near_found;

HEM_INLINE mesh_triangles near_at(const hemi_mesh_near* near, const hemi_mesh_shape* shape, float time) {
    const hem_trimesh_corners* end = shape->began && time <= 0.0f ? &near->began : &near->corners;
    mesh_triangles t = {mesh_corner(end, 0), mesh_corner(end, 1), mesh_corner(end, 2)};
    if (shape->began && time < 1.0f && time > 0.0f) {
        v8 w = v8_set1(time);
        t.a = v8x3_lerp(mesh_corner(&near->began, 0), t.a, w);
        t.b = v8x3_lerp(mesh_corner(&near->began, 1), t.b, w);
        t.c = v8x3_lerp(mesh_corner(&near->began, 2), t.c, w);
    }
    return t;
}

HEM_INLINE v8x3 near_mix(v8 u, v8 v, v8 w, const mesh_triangles* now, const mesh_triangles* then) {
    v8x3 a = v8x3_scale(v8x3_sub(now->a, then->a), u);
    return v8x3_madd(v8x3_sub(now->c, then->c), w, v8x3_madd(v8x3_sub(now->b, then->b), v, a));
}

// Shares of the corners in x, which may lie beside.
HEM_INLINE void near_shares(const mesh_triangles* t, v8x3 n, v8x3 x, v8* u, v8* v, v8* w) {
    *u = v8x3_dot(v8x3_cross(v8x3_sub(t->c, t->b), v8x3_sub(x, t->b)), n);
    *v = v8x3_dot(v8x3_cross(v8x3_sub(t->a, t->c), v8x3_sub(x, t->c)), n);
    *w = v8x3_dot(v8x3_cross(v8x3_sub(t->b, t->a), v8x3_sub(x, t->a)), n);
}

HEM_INLINE void near_crossing(near_found* f, const hemi_mesh_shape* shape, const mesh_triangles* now,
                              const mesh_triangles* then, v8x3 n, v8 d1, m8 lanes) {
    v8 zero = v8_zero(), one = v8_set1(1.0f);
    if (!f->two_sided && !m8_any(m8_and(lanes, v8_le(d1, zero)))) {
        return; // all are in front at the end
    }
    v8x3 n0 = shape->began ? mesh_normals(then) : n;
    v8 d0 = v8x3_dot(v8x3_sub(f->ways.from, then->a), n0);
    m8 inwards = m8_and(v8_gt(d0, zero), v8_le(d1, zero)), outwards = m8_and(v8_lt(d0, zero), v8_ge(d1, zero));
    m8 passes = m8_and(lanes, f->two_sided ? m8_or(inwards, outwards) : inwards);
    if (!m8_any(passes)) {
        return;
    }
    v8 t = v8_div(d0, v8_select(passes, v8_sub(d0, d1), one));
    mesh_triangles at = *now;
    v8x3 nt = n;
    if (shape->began) {
        t = mesh_meet(&f->ways, then, now, mesh_height(then, n0, f->ways.from), mesh_height(now, n, f->ways.to));
        at = mesh_between(then, now, t);
        nt = mesh_normals(&at);
    }
    passes = m8_and(passes, v8_lt(t, f->time));
    passes = m8_and(passes, mesh_holds(&at, nt, v8x3_lerp(f->ways.from, f->ways.to, t)));
    if (!m8_any(passes)) {
        return;
    }
    v8x3 out = v8x3_scale(v8x3_normalise(n), v8_sign(d0));
    f->time = v8_select(passes, t, f->time);
    f->out = v8x3_select(passes, out, f->out);
    f->depth = v8_select(passes, v8_sub(f->margin, v8x3_dot(v8x3_sub(f->ways.to, now->a), out)), f->depth);
    if (shape->began) {
        v8 u, v, w, nn = v8_max(v8x3_dot(n, n), v8_set1(1e-30f));
        near_shares(now, n, f->ways.to, &u, &v, &w);
        u = v8_min(v8_max(v8_div(u, nn), zero), one);
        v = v8_min(v8_max(v8_div(v, nn), zero), one);
        w = v8_min(v8_max(v8_div(w, nn), zero), one);
        v8 sum = v8_add(v8_add(u, v), v8_add(w, v8_set1(1e-9f)));
        v8x3 moved = v8x3_scale(near_mix(u, v, w, now, then), v8_div(one, sum));
        f->carried = v8x3_select(passes, moved, f->carried);
    }
}

HEM_INLINE void near_nearest(near_found* f, const hemi_mesh_shape* shape, const hemi_mesh_near* near,
                             const mesh_triangles* now, const mesh_triangles* then, v8x3 n, v8 d1, m8 lanes) {
    v8 zero = v8_zero(), one = v8_set1(1.0f), nn = v8_max(v8x3_dot(n, n), v8_set1(1e-30f));
    lanes = m8_and(lanes, v8_lt(v8_mul(d1, d1), v8_mul(nn, f->square))); // no point is nearer than the plane
    if (!m8_any(lanes)) {
        return;
    }
    v8x3 p = f->ways.to, best = v8x3_scale(n, v8_div(d1, nn));
    v8 u, v, w, s[3], square = v8_div(v8_mul(d1, d1), nn), code = zero;
    near_shares(now, n, v8x3_sub(p, best), &u, &v, &w);
    m8 inside = m8_and(v8_gt(u, zero), m8_and(v8_gt(v, zero), v8_gt(w, zero)));
    u = v8_div(u, nn);
    v = v8_div(v, nn);
    w = v8_div(w, nn);
    if (m8_any(m8_andnot(lanes, inside))) {
        v8x3 away[3] = {mesh_from_segment(p, now->a, now->b, &s[0]), mesh_from_segment(p, now->b, now->c, &s[1]),
                        mesh_from_segment(p, now->c, now->a, &s[2])};
        v8 edge = v8_set1(1e30f), along = zero, number = zero;
        v8x3 from = away[0];
        for (int k = 0; k < 3; ++k) {
            v8 other = v8x3_dot(away[k], away[k]);
            m8 nearer = v8_lt(other, edge);
            from = v8x3_select(nearer, away[k], from);
            along = v8_select(nearer, s[k], along);
            number = v8_select(nearer, v8_set1((float)k), number);
            edge = v8_select(nearer, other, edge);
        }
        m8 second = v8_eq(number, one), third = v8_gt(number, one), first = v8_eq(number, zero);
        v8 rest = v8_sub(one, along);
        u = v8_select(inside, u, v8_select(first, rest, v8_select(third, along, zero)));
        v = v8_select(inside, v, v8_select(first, along, v8_select(second, rest, zero)));
        w = v8_select(inside, w, v8_select(second, along, v8_select(third, rest, zero)));
        v8 next = v8_select(third, zero, v8_add(number, one));
        v8 of = v8_add(number, v8_set1((float)MESH_EDGE));
        of = v8_select(v8_le(along, zero), v8_add(number, v8_set1((float)MESH_VERTEX)), of);
        of = v8_select(v8_ge(along, one), v8_add(next, v8_set1((float)MESH_VERTEX)), of);
        code = v8_select(inside, zero, of);
        best = v8x3_select(inside, best, from);
        square = v8_select(inside, square, edge);
    }
    m8 better = m8_and(lanes, v8_lt(square, f->square));
    f->square = v8_select(better, square, f->square);
    f->code = v8_select(better, code, f->code);
    f->ahead = v8_select(better, d1, f->ahead);
    f->away = v8x3_select(better, best, f->away);
    f->normal = v8x3_select(better, n, f->normal);
    f->triangle = w8_select(better, w8_load((const int32_t*)near->triangle), f->triangle);
    if (shape->began) {
        f->moved = v8x3_select(better, near_mix(u, v, w, now, then), f->moved);
    }
}

// As mesh_answer, for eight at once. Only the normals of edges and vertices are asked for one by one.
static contact8 near_answer(const near_found* f, const hemi_mesh_shape* shape, m8 lanes, v8x3* moved) {
    v8 zero = v8_zero(), one = v8_set1(1.0f), distance = v8_sqrt(f->square);
    m8 near = m8_andnot(lanes, v8_le(f->time, one));
    near = m8_andnot(near, w8_eq(f->triangle, w8_set1(-1)));
    v8 side = f->two_sided ? one : v8_select(v8_lt(f->ahead, zero), v8_set1(-1.0f), one), both = zero;
    const uint32_t odd = f->two_sided ? 0 : m8_bits(m8_and(near, v8_gt(f->code, zero)));
    if (odd) {
        HEM_ALIGN(32) float sides[8];
        HEM_ALIGN(32) float boths[8] = {0};
        HEM_ALIGN(32) int32_t triangle[8];
        v8_store(sides, side);
        w8_store(triangle, f->triangle);
        for (uint32_t bits = odd; bits; bits &= bits - 1) {
            const int i = (int)hem_lowest_bit(bits);
            hem_vec3 out = mesh_outward(shape, (uint32_t)triangle[i], (uint32_t)v8_lane(f->code, i));
            hem_vec3 away = hem_vec3_make(v8_lane(f->away.x, i), v8_lane(f->away.y, i), v8_lane(f->away.z, i));
            sides[i] = hem_vec3_dot(out, away) < 0.0f ? -1.0f : 1.0f;
            boths[i] = hem_vec3_dot(out, out) == 0.0f ? 1.0f : 0.0f;
        }
        side = v8_load(sides);
        both = v8_load(boths);
    }
    m8 flat = v8_le(distance, v8_mul(f->margin, v8_set1(1e-6f)));
    v8x3 face = v8x3_normalise(f->normal);
    m8 any_side = f->two_sided ? v8_eq(zero, zero) : v8_gt(both, zero);
    m8 turned = m8_and(any_side, v8_lt(v8x3_dot(face, v8x3_sub(f->ways.from, f->ways.to)), zero));
    face = v8x3_select(turned, v8x3_neg(face), face);
    contact8 c;
    c.n = v8x3_select(flat, face, v8x3_scale(f->away, v8_div(side, v8_max(distance, v8_set1(1e-30f)))));
    c.depth = v8_keep(near, v8_sub(f->margin, v8_select(flat, zero, v8_mul(side, distance))));
    m8 crossed = m8_and(lanes, v8_le(f->time, one));
    c.n = v8x3_select(crossed, f->out, c.n);
    c.depth = v8_select(crossed, f->depth, c.depth);
    *moved = v8x3_select(crossed, f->carried, f->moved);
    return c;
}

// The lanes that ask the tree.
static void near_ask(const hemi_mesh_shape* shape, near_found* f, m8 lanes, contact8* c, v8x3* moved) {
    HEM_ALIGN(32) hemi_mesh_touch touch;
    row3_store(&touch.from, f->ways.from);
    row3_store(&touch.to, f->ways.to);
    v8_store(touch.margin, f->margin);
    v8x3 zero = v8x3_set1(0.0f, 0.0f, 0.0f);
    row3_store(&touch.normal, zero);
    row3_store(&touch.moved, zero);
    v8_store(touch.depth, v8_zero());
    memset(touch.through, 0, sizeof(touch.through));
    memset(touch.reached, 0, sizeof(touch.reached));
    HEMI_NAME(touch_mesh)(shape, &touch, m8_bits(lanes));
    c->n = v8x3_select(lanes, row3_load(&touch.normal), c->n);
    c->depth = v8_select(lanes, v8_load(touch.depth), c->depth);
    uint32_t through = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        through |= (uint32_t)(touch.through[i] != 0) << i;
    }
    m8 crossed = m8_and(lanes, m8_from_bits(through));
    f->time = v8_select(crossed, v8_loadu(touch.reached), f->time);
    f->out = v8x3_select(crossed, row3_load(&touch.normal), f->out);
    *moved = v8x3_select(lanes, row3_load(&touch.moved), *moved);
}

// What went through a triangle keeps the part of its way that leads along it. In a valley that part goes through the other
// slope: again, and in the end the particle stays where it is outside for sure.
static void near_slide(const hemi_mesh_shape* shape, const near_found* f, uint32_t lanes, contact8* c) {
    HEM_ALIGN(32) hemi_mesh_touch touch;
    v8x3 start = v8x3_madd(f->out, v8_mul(f->margin, v8_set1(NEAR_LIFT)), v8x3_lerp(f->ways.from, f->ways.to, f->time));
    v8x3 end = v8x3_madd(c->n, c->depth, f->ways.to);
    uint32_t changed = 0;
    for (int round = 0; round < NEAR_SLIDES && lanes; ++round) {
        row3_store(&touch.from, start);
        row3_store(&touch.to, end);
        v8_store(touch.margin, f->margin);
        HEMI_NAME(touch_mesh)(shape, &touch, lanes);
        uint32_t again = 0;
        for (uint32_t i = 0; i < 8; ++i) {
            const int through = (int)(lanes >> i & 1u) && touch.through[i];
            again |= (uint32_t)through << i;
            touch.depth[i] = through ? touch.depth[i] : 0.0f;
            touch.reached[i] = through ? touch.reached[i] : 0.0f;
        }
        m8 more = m8_from_bits(again);
        v8x3 n = row3_load(&touch.normal), at = v8x3_lerp(start, end, v8_loadu(touch.reached));
        v8x3 lifted = v8x3_madd(n, v8_mul(f->margin, v8_set1(NEAR_LIFT)), at);
        v8x3 last = round == NEAR_SLIDES - 1 ? lifted : v8x3_madd(n, v8_load(touch.depth), end);
        start = v8x3_select(more, lifted, start);
        end = v8x3_select(more, last, end);
        changed |= again;
        lanes = again;
    }
    if (changed) {
        m8 those = m8_from_bits(changed);
        v8x3 way = v8x3_sub(end, f->ways.to);
        v8 far = v8_max(v8x3_length(way), v8_set1(1e-30f));
        c->depth = v8_select(those, far, c->depth);
        c->n = v8x3_select(those, v8x3_scale(way, v8_div(v8_set1(1.0f), far)), c->n);
    }
}

static contact8 near_touch(const hemi_meshes* meshes, const hemi_mesh_row* r, const hemi_mesh_shape* shape,
                           near_found* f, m8 free, v8x3* moved) {
    const float span = meshes->end - meshes->begin;
    v8 t0 = v8_set1((shape->then - meshes->begin) / span), t1 = v8_set1((shape->now - meshes->begin) / span);
    v8x3 start = row3_load(&r->start), drift = row3_load(&r->drift);
    v8x3 a = v8x3_sub(f->ways.from, v8x3_madd(drift, t0, start)), b = v8x3_sub(f->ways.to, v8x3_madd(drift, t1, start));
    v8 stray = v8_sqrt(v8_max(v8x3_dot(a, a), v8x3_dot(b, b)));
    m8 asks = m8_and(free, m8_or(m8_from_bits(r->asking), v8_gt(stray, v8_load(r->room))));
    m8 lists = m8_andnot(free, asks);
    v8 limit = v8_add(f->margin, stray);
    contact8 c = {v8x3_set1(0.0f, 0.0f, 0.0f), v8_zero()};
    int looked = 0;
    for (uint32_t k = 0; k < r->depth; ++k) {
        const hemi_mesh_near* near = &meshes->near[r->first + k];
        m8 lanes = m8_and(lists, v8_lt(v8_load(near->lower), limit));
        if (!m8_any(lanes)) {
            break; // those that follow are farther
        }
        looked = 1;
        mesh_triangles now = near_at(near, shape, shape->now);
        mesh_triangles then = shape->began ? near_at(near, shape, shape->then) : now;
        v8x3 n = mesh_normals(&now);
        v8 d1 = v8x3_dot(v8x3_sub(f->ways.to, now.a), n);
        near_crossing(f, shape, &now, &then, n, d1, lanes);
        near_nearest(f, shape, near, &now, &then, n, d1, lanes);
    }
    if (looked) {
        c = near_answer(f, shape, lists, moved);
    }
    if (m8_any(asks)) {
        near_ask(shape, f, asks, &c, moved);
    }
    const uint32_t crossed = shape->began ? 0 : m8_bits(m8_and(free, v8_le(f->time, v8_set1(1.0f))));
    if (crossed) {
        near_slide(shape, f, crossed, &c);
    }
    return c;
}

HEM_INLINE v8 near_shapes(const hem_view* view, const uint16_t particle[8]) {
    HEM_ALIGN(32) float a[8];
    for (int i = 0; i < 8; ++i) {
        a[i] = view->shape_rows[particle[i] / 8].a[particle[i] % 8];
    }
    return v8_load(a);
}

HEM_INLINE m8 near_sunk(const hem_view* view, const hem_part* part, const uint16_t particle[8]) {
    uint32_t sunk = 0;
    for (uint32_t i = 0; (part->flags & HEM_PART_SUNK) && i < 8; ++i) {
        sunk |= (uint32_t) !(view->particle_flags[particle[i]] & HEM_PARTICLE_COLLIDES) << i;
    }
    return m8_from_bits(sunk);
}

void HEMI_NAME(touch_meshes)(const hemi_mesh_args* args) {
    const hemi_meshes* meshes = args->meshes;
    v8 zero = v8_zero();
    v8x3 origin = v8x3_set1(0.0f, 0.0f, 0.0f);
    uint32_t touching = 0;
    for (uint32_t i = 0; i < meshes->row_count; ++i) {
        const hemi_mesh_row* r = &meshes->rows[i];
        const hemi_part_step* tune = &args->parts[r->part];
        const hemi_shape* shape = &args->colliders->shapes[r->part * args->colliders->count + r->collider];
        HEM_ALIGN(32) int32_t in_x[8], in_v[8];
        slots_of(r->particle, in_x);
        places_of(r->particle, 24, in_v);
        v8x3 at = gather3(args->x[0].x, in_x), old = gather3(args->v[0].x, in_v);
        m8 free = m8_and(m8_from_bits(r->lanes), v8_gt(v8_gather(args->x[0].w, in_x), zero));
        v8 margin = v8_set1(tune->thickness);
        if (args->view->parts[r->part].kind == HEM_PART_SOFT) {
            margin = v8_add(margin, near_shapes(args->view, r->particle));
            // A triangle has no inside to be deep in: what is sunk does not meet it.
            free = m8_andnot(free, near_sunk(args->view, &args->view->parts[r->part], r->particle));
        }
        near_found f;
        f.ways.from = transform3(shape->then, old, 1);
        f.ways.to = transform3(shape->now, at, 1);
        f.two_sided = (shape->mesh.view->header->flags & HEM_TRIMESH_TWO_SIDED) != 0;
        f.margin = v8_max(margin, v8_set1(MESH_LEAST_MARGIN * tune->spacing));
        f.square = v8_mul(f.margin, f.margin);
        f.code = f.ahead = f.depth = zero;
        f.away = f.moved = f.out = f.carried = origin;
        f.normal = v8x3_set1(0.0f, 1.0f, 0.0f);
        f.triangle = w8_set1(-1);
        f.time = v8_set1(2.0f);
        v8x3 moved = origin;
        contact8 c = near_touch(meshes, r, &shape->mesh, &f, free, &moved);
        m8 active = m8_and(free, v8_gt(c.depth, zero));
        if (!m8_any(active)) {
            continue;
        }
        // The touched point moves with the mesh and with its change of shape.
        v8x3 began = v8x3_set1(shape->began[0], shape->began[1], shape->began[2]);
        v8x3 ride = v8x3_sub(at, v8x3_add(rotate_out(shape->then, v8x3_sub(f.ways.to, moved)), began));
        const grip8 grip = shape_grip(shape, eight_friction(args->view, tune, r->particle), tune);
        push_out(&at, &old, rotate_out(shape->now, c.n), c.depth, active, ride, &grip);
        scatter3(args->x[0].x, in_x, at, active);
        scatter3(args->v[0].x, in_v, old, active);
        touching += hemi_bit_count(m8_bits(active));
        args->counters->touched |= 1ull << r->part;
    }
    args->counters->contact_count += touching;
}
