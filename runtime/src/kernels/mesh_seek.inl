// SPDX-License-Identifier: MIT
// Down the tree of a mesh for one particle at a time: the blocks of triangles that may matter to it until the next search,
// the nearest first. What matters, and how long, is said in mesh_near.inl.

#define NEAR_BLOCKS 96  // that meet a box
#define NEAR_NODES 32   // of a cluster: with more of them it is one level higher
#define NEAR_OF_ONE 24  // blocks of one particle
#define NEAR_FRONT 0.1f // margins: which of about equally near triangles tells front from behind
#define NEAR_ROOM 0.15f // margins that a particle may stray beyond NEAR_WAYS times its expected way
#define NEAR_WAYS 1.5f
#define NEAR_ROOM_CHANGING 1.0f // the same by a mesh that changes its shape, beyond a share of the way
#define NEAR_WAYS_CHANGING 0.25f
#define NEAR_HAIR 1e-3f // margins: rounding errors of that
#define NEAR_EASE 0.03f // margins: where a particle cannot reach the surface, its distance may be wrong by so much
#define NEAR_FINE 4.0f  // margins: only among triangles whose sides are shorter

typedef struct near_cluster {
    HEM_ALIGN(32) float low[3][NEAR_NODES];
    HEM_ALIGN(32) float high[3][NEAR_NODES];
    HEM_ALIGN(32) float normal[3][NEAR_NODES]; // of slabs; not of height fields, nor of meshes that change their shape
    HEM_ALIGN(32) float least[NEAR_NODES];
    HEM_ALIGN(32) float most[NEAR_NODES];
    uint32_t block[NEAR_NODES];
    uint32_t slabs;
    uint32_t count, level; // level: 0 = blocks, above: nodes of the tree's level - 1
} near_cluster;

typedef struct near_list {
    uint32_t block[NEAR_BLOCKS];
    uint32_t count, full;
} near_list;

// Blocks whose boxes meet one box; only their numbers.
static void near_blocks(const hemi_mesh_shape* shape, const float low[3], const float high[3], near_list* c) {
    const hem_trimesh_view* view = shape->view;
    struct {
        uint32_t node, level;
    } stack[HEM_TRIMESH_MAX_LEVELS * 8];
    uint32_t depth = 1;
    stack[0].node = 0;
    stack[0].level = view->level_count - 1;
    v8x3 least = v8x3_set1(low[0], low[1], low[2]), most = v8x3_set1(high[0], high[1], high[2]);
    c->count = c->full = 0;
    while (depth > 0) {
        --depth;
        const uint32_t index = stack[depth].node, level = stack[depth].level;
        HEM_ALIGN(32) hem_trimesh_node made;
        const hem_trimesh_node* node = mesh_node(shape, level, index, &made);
        m8 x = m8_and(v8_le(v8_load(node->low[0]), most.x), v8_ge(v8_load(node->high[0]), least.x));
        m8 y = m8_and(v8_le(v8_load(node->low[1]), most.y), v8_ge(v8_load(node->high[1]), least.y));
        m8 z = m8_and(v8_le(v8_load(node->low[2]), most.z), v8_ge(v8_load(node->high[2]), least.z));
        for (uint32_t bits = m8_bits(m8_and(x, m8_and(y, z))); bits; bits &= bits - 1) {
            const uint32_t child = hem_lowest_bit(bits);
            if (level > 0) {
                stack[depth].node = index * 8 + child;
                stack[depth].level = level - 1;
                ++depth;
                continue;
            }
            if (c->count == NEAR_BLOCKS) {
                c->full = 1;
                return;
            }
            c->block[c->count++] = index * 8 + child;
        }
    }
}

typedef struct near_one {
    hem_vec3 start, way; // the mesh's space; the way without the mesh's own change of shape
    float margin, reach; // reach: what the cluster's box has of this one
    hem_vec3 drift; // by a mesh that changes its shape: where the particle is expected when the search ends, from start
    hem_vec3 middle; // of that way
    float half;      // of its length
    float room;
    uint32_t count, asks;
    uint32_t particle;
    uint32_t flat; // the triangle that is the plane through the point across the way from it; MESH_NO_TRIANGLE = none
    hem_vec3 point;
    uint32_t triangle[HEMI_MESH_NEAR];
    float lower[HEMI_MESH_NEAR];
} near_one;

// Distances to eight triangles. Boxes and planes as lower bounds are half the work, but let in three times as many. *away:
// from the nearest point to p.
HEM_INLINE v8 near_distance(const mesh_triangles* t, v8x3 p, m8* front, v8x3* away) {
    v8 zero = v8_zero(), along;
    v8x3 n = mesh_normals(t);
    v8 d = v8x3_dot(v8x3_sub(p, t->a), n), nn = v8_max(v8x3_dot(n, n), v8_set1(1e-30f));
    *front = v8_gt(d, zero);
    v8x3 ab = v8x3_sub(t->b, t->a), bc = v8x3_sub(t->c, t->b), ca = v8x3_sub(t->a, t->c);
    // n x side points inward; p may be taken for its projection, since n drops out.
    m8 u = v8_gt(v8x3_dot(v8x3_cross(n, ab), v8x3_sub(p, t->a)), zero);
    m8 v = v8_gt(v8x3_dot(v8x3_cross(n, bc), v8x3_sub(p, t->b)), zero);
    m8 w = v8_gt(v8x3_dot(v8x3_cross(n, ca), v8x3_sub(p, t->c)), zero);
    v8x3 a = mesh_from_segment(p, t->a, t->b, &along), b = mesh_from_segment(p, t->b, t->c, &along),
         c = mesh_from_segment(p, t->c, t->a, &along);
    v8 aa = v8x3_dot(a, a), bb = v8x3_dot(b, b), cc = v8x3_dot(c, c), ab_least = v8_min(aa, bb);
    m8 inside = m8_and(u, m8_and(v, w));
    *away = v8x3_select(v8_lt(cc, ab_least), c, v8x3_select(v8_lt(bb, aa), b, a));
    *away = v8x3_select(inside, v8x3_scale(n, v8_div(d, nn)), *away);
    return v8_sqrt(v8_select(inside, v8_div(v8_mul(d, d), nn), v8_min(ab_least, cc)));
}

// Those that find no room take it: no farther may the particle stray.
static void near_insert(near_one* one, float lower, uint32_t triangle) {
    if (one->count == HEMI_MESH_NEAR) {
        const float last = one->lower[HEMI_MESH_NEAR - 1];
        one->room = hem_minf(one->room, hem_maxf(lower, last) - one->margin);
        if (lower >= last) {
            return;
        }
        --one->count;
    }
    uint32_t at = one->count++;
    for (; at > 0 && one->lower[at - 1] > lower; --at) {
        one->lower[at] = one->lower[at - 1];
        one->triangle[at] = one->triangle[at - 1];
    }
    one->lower[at] = lower;
    one->triangle[at] = triangle;
}

// How much more than the drift the triangles' corners move.
HEM_INLINE v8 near_apart(const hemi_mesh_shape* shape, uint32_t block, const mesh_triangles* then, hem_vec3 drift) {
    mesh_triangles now = mesh_triangles_at(shape, block, shape->now);
    v8x3 u = v8x3_set1(drift.x, drift.y, drift.z);
    v8x3 a = v8x3_sub(v8x3_sub(now.a, then->a), u), b = v8x3_sub(v8x3_sub(now.b, then->b), u),
         c = v8x3_sub(v8x3_sub(now.c, then->c), u);
    return v8_sqrt(v8_max(v8x3_dot(a, a), v8_max(v8x3_dot(b, b), v8x3_dot(c, c))));
}

// What the parents say of the cluster's nodes.
static void near_gather(const hemi_mesh_shape* shape, near_cluster* c) {
    HEM_ALIGN(32) hem_trimesh_node made;
    const hem_trimesh_node* node = NULL;
    const hem_trimesh_slab* slab = NULL;
    uint32_t parent = UINT32_MAX;
    c->slabs = shape->slabs != NULL;
    for (uint32_t i = 0; i < c->count; ++i) {
        const uint32_t child = c->block[i] % 8;
        if (c->block[i] / 8 != parent) {
            parent = c->block[i] / 8;
            node = mesh_node(shape, c->level, parent, &made);
            slab = shape->slabs ? &shape->slabs[shape->view->level_begin[c->level] + parent] : NULL;
        }
        for (int k = 0; k < 3; ++k) {
            c->low[k][i] = node->low[k][child];
            c->high[k][i] = node->high[k][child];
            c->normal[k][i] = slab ? slab->normal[k][child] : 0.0f;
        }
        c->least[i] = slab ? slab->least[child] : 0.0f;
        c->most[i] = slab ? slab->most[child] : 0.0f;
    }
}

// Nodes of one level whose boxes meet one box: the lowest level of which there is room for all. Level n are nodes of
// level n - 1 of the tree, 0 are blocks. Returns which of the two has them.
static near_cluster* near_nodes(const hemi_mesh_shape* shape, const float low[3], const float high[3],
                                near_cluster two[2]) {
    const hem_trimesh_view* view = shape->view;
    v8x3 least = v8x3_set1(low[0], low[1], low[2]), most = v8x3_set1(high[0], high[1], high[2]);
    near_cluster *here = &two[0], *below = &two[1];
    here->level = view->level_count;
    here->count = 1;
    here->block[0] = 0;
    while (here->level > 0) {
        below->count = 0;
        below->level = here->level - 1;
        for (uint32_t i = 0; i < here->count && below->count <= NEAR_NODES; ++i) {
            HEM_ALIGN(32) hem_trimesh_node made;
            const hem_trimesh_node* node = mesh_node(shape, below->level, here->block[i], &made);
            m8 x = m8_and(v8_le(v8_load(node->low[0]), most.x), v8_ge(v8_load(node->high[0]), least.x));
            m8 y = m8_and(v8_le(v8_load(node->low[1]), most.y), v8_ge(v8_load(node->high[1]), least.y));
            m8 z = m8_and(v8_le(v8_load(node->low[2]), most.z), v8_ge(v8_load(node->high[2]), least.z));
            for (uint32_t bits = m8_bits(m8_and(x, m8_and(y, z))); bits; bits &= bits - 1) {
                const uint32_t at = below->count++;
                if (at == NEAR_NODES) {
                    break;
                }
                below->block[at] = here->block[i] * 8 + hem_lowest_bit(bits);
            }
        }
        if (below->count > NEAR_NODES) {
            break;
        }
        near_cluster* swap = here;
        here = below;
        below = swap;
    }
    near_gather(shape, here);
    return here;
}

// Eight of them, and eight children of a node.
typedef struct near_boxes {
    v8x3 low, high, normal;
    v8 least, most;
    uint32_t slabs;
} near_boxes;

// What one particle has looked into.
typedef struct near_seen {
    v8 lower[NEAR_OF_ONE];
    uint32_t block[NEAR_OF_ONE], front[NEAR_OF_ONE];
    uint32_t count, full;
    float least; // metres to the nearest triangle
    uint32_t nearest;
    float square;   // so far, squared, something may matter
    hem_vec3 point; // the nearest one
    float beside;   // twice what it may stray, with a hair; 0 = nothing is known of what is beside
    float ease;     // square metres: by so much that may be wrong
    uint32_t finds; // how often something nearer was found
} near_seen;

HEM_INLINE v8 near_squares(v8x3 low, v8x3 high, v8x3 p) {
    v8 zero = v8_zero();
    v8 dx = v8_max(v8_max(v8_sub(low.x, p.x), v8_sub(p.x, high.x)), zero);
    v8 dy = v8_max(v8_max(v8_sub(low.y, p.y), v8_sub(p.y, high.y)), zero);
    v8 dz = v8_max(v8_max(v8_sub(low.z, p.z), v8_sub(p.z, high.z)), zero);
    return v8_madd(dz, dz, v8_madd(dy, dy, v8_mul(dx, dx)));
}

// What is farther than this does not matter: nearer than the margin within the particle's room, or than what is nearest now;
// and of what tells front from behind. In a mesh that changes its shape boxes hold both of its ends, and all counts from the
// middle of the way: a point that is farther from there than half of the way and the rest is so from both ends.
static float near_matters(const hemi_mesh_shape* shape, const near_one* one, float least) {
    const float keep = one->margin + one->room, front = least + NEAR_FRONT * one->margin;
    if (shape->began) {
        return hem_minf(one->reach, hem_maxf(keep, front)) + one->half;
    }
    return hem_minf(one->reach, hem_maxf(hem_minf(keep, least + 2.0f * one->room), front));
}

// Where it may be until the search ends. By a mesh that changes its shape that is around its own way, not where it began:
// what lies on the mesh goes with it, and what does not is nearest to where it goes anyway.
static void near_expect(const hemi_mesh_shape* shape, near_one* one) {
    const float way = hem_vec3_length(one->way);
    one->drift = hem_vec3_make(0.0f, 0.0f, 0.0f);
    one->middle = one->start;
    one->half = 0.0f;
    one->room = NEAR_WAYS * way + NEAR_ROOM * one->margin;
    if (shape->began) {
        one->drift = one->way;
        one->middle = hem_vec3_madd(one->way, 0.5f, one->start);
        one->half = 0.5f * way;
        one->room = NEAR_WAYS_CHANGING * way + NEAR_ROOM_CHANGING * one->margin;
    }
}

static void near_look(const hemi_mesh_shape* shape, near_one* one, near_seen* seen, uint32_t block) {
    if (seen->count == NEAR_OF_ONE) {
        seen->full = 1;
        return;
    }
    const uint32_t real = mesh_lanes(shape->view, block), at = seen->count++;
    m8 before;
    v8x3 away;
    mesh_triangles t = mesh_triangles_at(shape, block, shape->then);
    v8 lower = near_distance(&t, v8x3_set1(one->start.x, one->start.y, one->start.z), &before, &away);
    if (real != 0xffu) { // what follows the last triangle repeats it
        lower = v8_select(m8_from_bits(real), lower, v8_set1(1e30f));
    }
    seen->block[at] = block;
    seen->lower[at] = lower;
    seen->front[at] = m8_bits(before);
    const float low = v8_hmin(lower);
    if (!(low < seen->least)) {
        return;
    }
    seen->least = low;
    const uint32_t lane = lowest_lane(v8_eq(lower, v8_set1(low)));
    seen->nearest = block * 8 + lane;
    seen->point = hem_vec3_sub(
        one->start, hem_vec3_make(v8_lane(away.x, (int)lane), v8_lane(away.y, (int)lane), v8_lane(away.z, (int)lane)));
    const float matters = near_matters(shape, one, low);
    seen->square = matters * matters;
    seen->beside = shape->began ? 0.0f : 2.0f * (1.0f + NEAR_HAIR) * one->room;
    const float fine = NEAR_FINE * one->margin;
    v8x3 ab = v8x3_sub(t.b, t.a), ac = v8x3_sub(t.c, t.a);
    const float side = v8_lane(v8_max(v8x3_dot(ab, ab), v8x3_dot(ac, ac)), (int)lane);
    const int eases = !shape->began && low > 2.0f * one->room && side < fine * fine;
    seen->ease = eases ? 2.0f * NEAR_EASE * one->margin * (low - one->room) : 0.0f;
    ++seen->finds;
}

// A fine mesh does not fit into a cache: what will be looked at is fetched together.
HEM_INLINE void near_fetch(const hemi_mesh_shape* shape, uint32_t node, uint32_t level) {
    if (shape->view->heights) {
        return; // made when it is asked for
    }
    const char* at = level == 0 ? (const char*)&shape->corners[node]
                                : (const char*)&shape->nodes[shape->view->level_begin[level - 1] + node];
    for (int bytes = 0; bytes < (level == 0 ? 288 : 192); bytes += 64) {
        HEM_PREFETCH(at, bytes);
    }
    if (level > 0 && shape->slabs) {
        at = (const char*)&shape->slabs[shape->view->level_begin[level - 1] + node];
        for (int bytes = 0; bytes < 160; bytes += 64) {
            HEM_PREFETCH(at, bytes);
        }
    }
}

// Fine meshes: what is beside the nearest point q matters only once the particle has strayed sideways. With p + s,
// |s| <= stray, and w from q to another point of the mesh, that point is not nearer than q as long as
//     |p + s - q - w|^2 > |p + s - q|^2,  that is  |w| - 2 (p - q).w/|w| > 2 stray.
// For all points of a box or a triangle: |w| is at least its distance r from q, and (p - q).w at most its corners' highest
// H. Nor does the particle's way go through it: there, nothing would be nearer.
//
// Where the particle cannot reach the surface, that is asked for no more closely than NEAR_EASE: what is nearer than q by
// less than e may be left out, so |p + s - q - w| > |p + s - q| - e, for which r^2 - 2 H - 2 stray r + 2 e |p + s - q| > 0 is
// enough. In a surface that is nearly flat this holds for all of it, however small its triangles are, and what is kept is not
// the nearest one, which the particle would slip off, but the plane through q across p - q. Returns the boxes that still matter.
HEM_INLINE uint32_t near_open(const near_one* one, const near_seen* seen, v8 squares, const near_boxes* b) {
    m8 open = v8_lt(squares, v8_set1(seen->square));
    if (seen->beside == 0.0f || !m8_any(open)) {
        return m8_bits(open);
    }
    const hem_vec3 at = hem_vec3_sub(one->start, seen->point);
    v8 zero = v8_zero();
    v8x3 q = v8x3_set1(seen->point.x, seen->point.y, seen->point.z), d = v8x3_set1(at.x, at.y, at.z);
    v8x3 l = v8x3_sub(b->low, q), h = v8x3_sub(b->high, q);
    v8 r = near_squares(b->low, b->high, q);
    v8 most = zero;
    if (b->slabs) { // d is a part along the slab's normal and one across
        v8 dn = v8x3_dot(d, b->normal), from = v8x3_dot(b->normal, l);
        most = v8_max(v8_mul(dn, v8_add(from, b->most)), v8_mul(dn, v8_add(from, b->least)));
        d = v8x3_nmadd(b->normal, dn, d);
    }
    most = v8_add(most, v8_max(v8_mul(l.x, d.x), v8_mul(h.x, d.x)));
    most = v8_add(most, v8_max(v8_mul(l.y, d.y), v8_mul(h.y, d.y)));
    most = v8_add(most, v8_max(v8_mul(l.z, d.z), v8_mul(h.z, d.z)));
    most = v8_max(most, zero);
    m8 beside =
        v8_gt(v8_add(v8_nmadd(v8_set1(2.0f), most, r), v8_set1(seen->ease)), v8_mul(v8_set1(seen->beside), v8_sqrt(r)));
    return m8_bits(m8_andnot(open, beside));
}

// How far eight are, squared: at least, and about, to begin with the nearest.
HEM_INLINE v8 near_order(const near_boxes* b, v8x3 p, v8* squares) {
    *squares = near_squares(b->low, b->high, p);
    if (!b->slabs) {
        return *squares;
    }
    v8 along = v8x3_dot(b->normal, v8x3_sub(p, b->low));
    v8 off = v8_sub(along, v8_min(v8_max(along, b->least), b->most)), square = v8_mul(off, off);
    *squares = v8_max(*squares, square);
    return v8_add(square, near_squares(b->low, b->high, v8x3_nmadd(b->normal, off, p))); // from the foot on
}

typedef struct near_frame {
    hem_trimesh_node made;
    const hem_trimesh_node* node;
    const hem_trimesh_slab* slab;
    v8 squares, order;
    uint32_t open, first, level, finds;
} near_frame;

HEM_INLINE near_boxes near_children(const hem_trimesh_node* node, const hem_trimesh_slab* s) {
    v8 zero = v8_zero();
    near_boxes b = {v8x3_make(v8_load(node->low[0]), v8_load(node->low[1]), v8_load(node->low[2])),
                    v8x3_make(v8_load(node->high[0]), v8_load(node->high[1]), v8_load(node->high[2])),
                    v8x3_make(zero, zero, zero),
                    zero,
                    zero,
                    s != NULL};
    if (s) {
        b.normal = v8x3_make(v8_load(s->normal[0]), v8_load(s->normal[1]), v8_load(s->normal[2]));
        b.least = v8_load(s->least);
        b.most = v8_load(s->most);
    }
    return b;
}

// Fetches the block that is probably the nearest, while other particles look at theirs.
static void near_foresee(const hemi_mesh_shape* shape, hem_vec3 start, uint32_t node, uint32_t level) {
    v8x3 p = v8x3_set1(start.x, start.y, start.z);
    for (; level > 0; --level) {
        const uint32_t at = shape->view->level_begin[level - 1] + node;
        const near_boxes boxes = near_children(&shape->nodes[at], shape->slabs ? &shape->slabs[at] : NULL);
        v8 squares, order = near_order(&boxes, p, &squares);
        const uint32_t bits = m8_bits(v8_eq(order, v8_set1(v8_hmin(order))));
        if (!bits) {
            return; // a particle that is nowhere
        }
        node = node * 8 + hem_lowest_bit(bits);
        near_fetch(shape, node, level - 1);
    }
}

static void near_enter(const hemi_mesh_shape* shape, const near_one* one, const near_seen* seen, uint32_t node,
                       uint32_t level, near_frame* f) {
    f->node = mesh_node(shape, level, node, &f->made);
    f->slab = shape->slabs ? &shape->slabs[shape->view->level_begin[level] + node] : NULL;
    const near_boxes boxes = near_children(f->node, f->slab);
    f->order = near_order(&boxes, v8x3_set1(one->middle.x, one->middle.y, one->middle.z), &f->squares);
    f->first = node * 8;
    f->level = level;
    f->finds = seen->finds;
    f->open = near_open(one, seen, f->squares, &boxes);
}

// The nearest child first, so that what matters soon becomes little. Level n are nodes of level n - 1, 0 is a block.
static void near_descend(const hemi_mesh_shape* shape, near_one* one, near_seen* seen, uint32_t node, uint32_t level) {
    if (level == 0) {
        near_look(shape, one, seen, node);
        return;
    }
    near_frame frames[HEM_TRIMESH_MAX_LEVELS];
    uint32_t depth = 1;
    near_enter(shape, one, seen, node, level - 1, &frames[0]);
    while (depth > 0) {
        near_frame* f = &frames[depth - 1];
        if (f->open && f->finds != seen->finds) {
            f->finds = seen->finds;
            const near_boxes boxes = near_children(f->node, f->slab);
            f->open &= near_open(one, seen, f->squares, &boxes);
        }
        if (!f->open) {
            --depth;
            continue;
        }
        v8 order = v8_select(m8_from_bits(f->open), f->order, v8_set1(1e30f));
        const uint32_t child = lowest_lane(v8_eq(order, v8_set1(v8_hmin(order))));
        f->open &= ~(1u << child);
        if (f->level == 0) {
            near_look(shape, one, seen, f->first + child);
        } else {
            near_enter(shape, one, seen, f->first + child, f->level - 1, &frames[depth++]);
        }
    }
}

HEM_INLINE near_boxes near_eight(const near_cluster* c, uint32_t first) {
    return (near_boxes){
        v8x3_make(v8_load(c->low[0] + first), v8_load(c->low[1] + first), v8_load(c->low[2] + first)),
        v8x3_make(v8_load(c->high[0] + first), v8_load(c->high[1] + first), v8_load(c->high[2] + first)),
        v8x3_make(v8_load(c->normal[0] + first), v8_load(c->normal[1] + first), v8_load(c->normal[2] + first)),
        v8_load(c->least + first),
        v8_load(c->most + first),
        c->slabs};
}

// How far each of the cluster's nodes is, squared. Returns about the nearest.
static uint32_t near_measure(const near_cluster* c, hem_vec3 start, float square[NEAR_NODES]) {
    v8x3 p = v8x3_set1(start.x, start.y, start.z);
    float best = 1e30f;
    uint32_t nearest = 0;
    for (uint32_t first = 0; first < c->count; first += 8) {
        const near_boxes boxes = near_eight(c, first);
        v8 squares, order = near_order(&boxes, p, &squares);
        if (c->count - first < 8) {
            m8 real = m8_from_bits((1u << (c->count - first)) - 1);
            squares = v8_select(real, squares, v8_set1(1e30f));
            order = v8_select(real, order, v8_set1(1e30f));
        }
        v8_store(square + first, squares);
        const float least = v8_hmin(order);
        if (least < best) {
            best = least;
            nearest = first + lowest_lane(v8_eq(order, v8_set1(least)));
        }
    }
    return nearest;
}

#include "runtime/src/kernels/field_near.inl"

// The nearest of them first, then the others that still matter.
static void near_see(const hemi_mesh_shape* shape, const near_cluster* c, near_one* one, float square[NEAR_NODES],
                     uint32_t nearest, near_seen* seen) {
    seen->count = seen->full = seen->finds = 0;
    seen->least = 1e30f;
    seen->nearest = MESH_NO_TRIANGLE;
    seen->square = (one->reach + one->half) * (one->reach + one->half);
    seen->beside = seen->ease = 0.0f;
    if (!c) {
        field_see(shape, one, seen);
        return;
    }
    if (c->count == 0 || !(square[nearest] < seen->square)) {
        return;
    }
    near_descend(shape, one, seen, c->block[nearest], c->level);
    square[nearest] = 1e30f;
    for (uint32_t first = 0; first < c->count; first += 8) {
        v8 squares = v8_load(square + first);
        uint32_t open = m8_bits(v8_lt(squares, v8_set1(seen->square)));
        for (uint32_t finds = UINT32_MAX; open; open &= open - 1) {
            if (finds != seen->finds) {
                finds = seen->finds;
                const near_boxes boxes = near_eight(c, first);
                open &= near_open(one, seen, squares, &boxes);
                if (!open) {
                    break;
                }
            }
            near_descend(shape, one, seen, c->block[first + hem_lowest_bit(open)], c->level);
        }
    }
}
