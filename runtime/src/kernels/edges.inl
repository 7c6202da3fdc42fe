// SPDX-License-Identifier: MIT
// Links of cloth against capsules and spheres that are thinner than the cloth is fine.
//
// Particles keep out of a collider by their thickness t. Two that lie on a round of radius r, a spacing s apart, have a
// chord that comes nearer to its axis than r unless t (2 r + t) >= s^2 / 4; and where one of them is pinned, close to it,
// unless t (2 r + t) >= s^2. Otherwise particles do not stand for the cloth between them: on a pole, a finger, a whip. So
// each thread is pushed out where it comes nearest to the axis:
//
//     p = a + u (b - a),   a += n k wa (1 - u) / W,   b += n k wb u / W,   W = wa (1 - u)^2 + wb u^2
//
// for a depth k at p; as in a contact of a particle, only what was approach counts as motion.

#define EDGE_MARGIN 0.1f // spacings, or the thickness
#define EDGE_LEVER 2.0f  // times the depth: no end moves further, however short its lever

// Eight threads, where they are and where the substep began.
typedef struct edge8 {
    v8x3 a, b, old_a, old_b;
    v8 wa, wb;
    v8 friction;
    const hemi_part_step* tune;
    v8x3 middle;
    v8 way;   // of the end that went farther in this substep
    v8 reach; // no point of the thread is farther from the middle, now or when the substep began
} edge8;

HEM_INLINE void measure_edges(edge8* e) {
    const v8x3 half = v8x3_scale(v8x3_sub(e->b, e->a), v8_set1(0.5f));
    const v8x3 way_a = v8x3_sub(e->a, e->old_a), way_b = v8x3_sub(e->b, e->old_b);
    const v8 way2 = v8_max(v8x3_dot(way_a, way_a), v8x3_dot(way_b, way_b));
    e->middle = v8x3_add(e->a, half);
    e->way = v8_sqrt(way2);
    e->reach = v8_add(v8x3_length(half), e->way);
}

// Of the axis of a capsule, or the center of a sphere: how far up is nearest to p.
HEM_INLINE v8 clamp_up(v8 y, float half) {
    return v8_min(v8_max(y, v8_set1(-half)), v8_set1(half));
}

HEM_INLINE v8 from_axis(v8x3 p, float half) {
    return v8x3_length(v8x3_make(p.x, v8_sub(p.y, clamp_up(p.y, half)), p.z));
}

// Returns the lanes that were pushed.
HEM_INLINE uint32_t push_edges(edge8* e, const hemi_shape* shape, v8 margin, m8 linked) {
    const v8 zero = v8_zero(), one = v8_set1(1.0f), tiny = v8_set1(1e-12f);
    const float half = shape->kind == HEM_SHAPE_CAPSULE ? shape->size[2] : 0.0f;
    const v8x3 middle = transform3(shape->now, e->middle, 1);
    if (m8_all(stays_clear(shape, middle, e->reach, e->reach, margin, e->tune->spacing))) {
        return 0; // most of what the boxes let through
    }
    const v8x3 a = transform3(shape->now, e->a, 1), b = transform3(shape->now, e->b, 1), d = v8x3_sub(b, a);
    // Nearest to the endless axis, up to where that ends, and nearest to that point.
    v8 flat = v8_max(v8_madd(d.x, d.x, v8_mul(d.z, d.z)), tiny);
    v8 u = v8_div(v8_neg(v8_madd(a.x, d.x, v8_mul(a.z, d.z))), flat);
    v8 y = clamp_up(v8_madd(v8_min(v8_max(u, zero), one), d.y, a.y), half);
    v8x3 to = v8x3_make(v8_neg(a.x), v8_sub(y, a.y), v8_neg(a.z));
    u = v8_min(v8_max(v8_div(v8x3_dot(to, d), v8_max(v8x3_dot(d, d), tiny)), zero), one);
    v8 radius = v8_set1(shape->size[0]);
    if (shape->kind == HEM_SHAPE_CAPSULE) {
        radius = v8_nmadd(v8_set1(shape->slope), y, v8_set1(0.5f * (shape->size[0] + shape->size[1])));
    }
    // What is pinned nearer than that holds the thread there.
    const m8 free_a = v8_gt(e->wa, zero), free_b = v8_gt(e->wb, zero);
    v8 keep = v8_add(radius, margin), far = v8_set1(1e30f);
    if (!m8_all(m8_and(free_a, free_b))) {
        keep = v8_min(keep,
                      v8_min(v8_select(free_a, far, from_axis(a, half)), v8_select(free_b, far, from_axis(b, half))));
    }
    const v8x3 up = v8x3_make(zero, y, zero);
    const v8x3 at = v8x3_madd(d, u, a), p = v8x3_sub(at, up);
    if (m8_all(m8_or(stays_clear(shape, at, v8_add(e->reach, e->reach), e->way, margin, e->tune->spacing),
                     m8_not(linked)))) {
        return 0;
    }
    const v8x3 fa = transform3(shape->then, e->old_a, 1), fb = transform3(shape->then, e->old_b, 1);
    const v8x3 from = v8x3_sub(v8x3_madd(v8x3_sub(fb, fa), u, fa), up);
    const contact8 c = touch_sphere(p, from, keep);
    m8 active = m8_and(m8_and(linked, m8_or(free_a, free_b)), v8_gt(c.depth, zero));
    if (!m8_any(active)) {
        return 0;
    }
    const v8 left = v8_sub(one, u);
    const v8 pa = v8_mul(e->wa, left), pb = v8_mul(e->wb, u);
    const v8 scale = v8_div(one, v8_max(v8_madd(pa, left, v8_mul(pb, u)), v8_set1(1e-20f)));
    const v8 lever = v8_set1(EDGE_LEVER);
    const v8x3 start = v8x3_set1(shape->began[0], shape->began[1], shape->began[2]), n = rotate_out(shape->now, c.n);
    const v8x3 moved_a = v8x3_sub(e->a, v8x3_add(rotate_out(shape->then, a), start));
    const v8x3 moved_b = v8x3_sub(e->b, v8x3_add(rotate_out(shape->then, b), start));
    const grip8 grip = shape_grip(shape, e->friction, e->tune);
    push_out(&e->a, &e->old_a, n, v8_mul(c.depth, v8_min(v8_mul(pa, scale), lever)), m8_and(active, free_a), moved_a,
             &grip);
    push_out(&e->b, &e->old_b, n, v8_mul(c.depth, v8_min(v8_mul(pb, scale), lever)), m8_and(active, free_b), moved_b,
             &grip);
    measure_edges(e);
    return m8_bits(active);
}

typedef struct edge_args {
    const hem_view* view;
    const hem_part* part;
    hemi_row4* x;
    hemi_row3* prev;
    const hemi_part_step* tune;
    const hemi_colliders* colliders;
    const hemi_shape* shapes; // of this part
    uint32_t looks, hits;
} edge_args;

// One thin collider against eight threads.
HEM_INLINE uint32_t push_thin(edge_args* args, edge8* e, uint32_t collider, m8 linked) {
    const hemi_part_step* tune = args->tune;
    const hemi_shape* shape = &args->shapes[collider];
    const v8 margin = v8_set1(hem_minf(tune->thickness, EDGE_MARGIN * args->part->spacing));
    const int cut = what_is_cut(shape->kind, shape->size, args->part->spacing, tune->thickness);
    const m8 lanes = cut == CUTS_ALL ? linked : m8_and(linked, v8_eq(v8_min(e->wa, e->wb), v8_zero()));
    if (cut == CUTS_NOTHING || !m8_any(lanes)) {
        return 0;
    }
    args->looks += 2;
    return push_edges(e, shape, margin, lanes);
}

// Eight threads of a batch, from its rows and back.
typedef struct edge_batch {
    const hem_link_batch* batch;
    hemi_row4 *xa, *xb;
    hemi_row3 *oa, *ob;
    edge8 e;
    uint32_t hit;
} edge_batch;

HEM_INLINE void load_edges(const edge_args* args, const hem_link_batch* batch, edge_batch* b) {
    const int rotate = batch->rotate;
    b->batch = batch;
    b->xa = &args->x[batch->row_a];
    b->xb = &args->x[batch->row_b];
    b->oa = &args->prev[batch->row_a];
    b->ob = &args->prev[batch->row_b];
    b->hit = 0;
    edge8* e = &b->e;
    e->a = row4_load3(b->xa);
    e->b = v8x3_rotate_lanes(row4_load3(b->xb), rotate);
    e->old_a = row3_load(b->oa);
    e->old_b = v8x3_rotate_lanes(row3_load(b->ob), rotate);
    e->wa = v8_load(b->xa->w);
    e->wb = v8_rotate(v8_load(b->xb->w), rotate);
    e->friction = row_friction(args->view, args->tune, batch->row_a);
    e->tune = args->tune;
    measure_edges(e);
}

HEM_INLINE void store_edges(edge_args* args, const edge_batch* b) {
    if (b->hit) {
        const int rotate = b->batch->rotate, back = (8 - rotate) & 7;
        const v8x3 was_b = v8x3_rotate_lanes(row4_load3(b->xb), rotate);
        const v8x3 was_old_b = v8x3_rotate_lanes(row3_load(b->ob), rotate);
        row4_store3(b->xa, b->e.a);
        row3_store(b->oa, b->e.old_a);
        // Added, not stored: both may be the same row.
        row4_store3(b->xb, v8x3_add(row4_load3(b->xb), v8x3_rotate_lanes(v8x3_sub(b->e.b, was_b), back)));
        row3_store(b->ob, v8x3_add(row3_load(b->ob), v8x3_rotate_lanes(v8x3_sub(b->e.old_b, was_old_b), back)));
        args->hits += hemi_bit_count(b->hit);
    }
}

// Those that the search has found, from number `next` on. Returns the first of another part.
static uint32_t touch_found_edges(edge_args* args, uint32_t next) {
    const hemi_colliders* s = args->colliders;
    const hem_range rows = hem_range_of(args->view->ranges, args->part, HEM_BATCH_LINKS);
    while (next < s->edge_count && s->edges[next].batch - rows.begin < rows.count) {
        const uint32_t n = s->edges[next].batch;
        edge_batch b;
        load_edges(args, &args->view->link_batches[n], &b);
        const m8 linked = m8_from_bits(b.batch->lane_mask);
        for (; next < s->edge_count && s->edges[next].batch == n; ++next) {
            b.hit |= push_thin(args, &b.e, s->edges[next].collider, linked);
        }
        store_edges(args, &b);
    }
    return next;
}

// When there are more than were noted: all that the boxes of rows let through.
static void touch_edge_rows(edge_args* args) {
    const hem_range rows = hem_range_of(args->view->ranges, args->part, HEM_BATCH_LINKS);
    const uint32_t words = args->colliders->words;
    for (uint32_t n = rows.begin; n < rows.begin + rows.count; ++n) {
        const hem_link_batch* batch = &args->view->link_batches[n];
        const uint64_t* near_a = args->colliders->row_colliders + (size_t)batch->row_a * words;
        const uint64_t* near_b = args->colliders->row_colliders + (size_t)batch->row_b * words;
        uint64_t any = 0;
        for (uint32_t word = 0; word < words; ++word) {
            any |= near_a[word] | near_b[word];
        }
        if (!any || !hem_kind_in(batch->kind, HEM_KINDS_WEAVE)) {
            continue;
        }
        edge_batch b;
        load_edges(args, batch, &b);
        for (uint32_t word = 0; word < words; ++word) {
            for (uint64_t bits = near_a[word] | near_b[word]; bits; bits &= bits - 1) {
                b.hit |= push_thin(args, &b.e, word * 64 + hem_lowest_bit(bits), m8_from_bits(batch->lane_mask));
            }
        }
        store_edges(args, &b);
    }
}

static void touch_edge_indices(edge_args* args) {
    const hem_range indexed = hem_range_of(args->view->ranges, args->part, HEM_BATCH_INDEXED_LINKS);
    float *base = args->x[0].x, *prev = args->prev[0].x;
    uint64_t near[(HEM_MAX_COLLIDERS + HEMI_SCENE_COLLIDERS) / 64];
    const uint32_t words = args->colliders->words;
    for (uint32_t n = indexed.begin; n < indexed.begin + indexed.count; ++n) {
        const hem_index_batch* batch = &args->view->index_batches[n];
        if (!hem_kind_in(batch->kind, HEM_KINDS_WEAVE)) {
            continue;
        }
        uint64_t any = 0;
        memset(near, 0, sizeof(near));
        for (uint32_t bits = batch->lane_mask; bits; bits &= bits - 1) {
            const uint32_t i = hem_lowest_bit(bits);
            for (uint32_t word = 0; word < words; ++word) {
                near[word] |= args->colliders->row_colliders[(size_t)(batch->a[i] >> 3) * words + word] |
                              args->colliders->row_colliders[(size_t)(batch->b[i] >> 3) * words + word];
                any |= near[word];
            }
        }
        if (!any) {
            continue;
        }
        HEM_ALIGN(32) int32_t ia[8], ib[8], pa[8], pb[8];
        slots_of(batch->a, ia);
        slots_of(batch->b, ib);
        places_of(batch->a, 24, pa);
        places_of(batch->b, 24, pb);
        edge8 e;
        e.a = gather3(base, ia);
        e.b = gather3(base, ib);
        e.old_a = gather3(prev, pa);
        e.old_b = gather3(prev, pb);
        e.wa = v8_gather(base + 24, ia);
        e.wb = v8_gather(base + 24, ib);
        e.friction = v8_set1(args->tune->friction);
        e.tune = args->tune;
        const m8 linked = m8_from_bits(batch->lane_mask);
        uint32_t hit = 0;
        measure_edges(&e);
        for (uint32_t word = 0; word < words; ++word) {
            for (uint64_t left = near[word]; left; left &= left - 1) {
                hit |= push_thin(args, &e, word * 64 + hem_lowest_bit(left), linked);
            }
        }
        args->hits += hemi_bit_count(hit);
        if (hit) {
            scatter3(base, ia, e.a, linked);
            scatter3(base, ib, e.b, linked);
            scatter3(prev, pa, e.old_a, linked);
            scatter3(prev, pb, e.old_b, linked);
        }
    }
}

void HEMI_NAME(touch_edges)(const hem_view* view, hemi_row4* x, hemi_row3* prev, const hemi_part_step* parts,
                            const hemi_colliders* s, hemi_counters* counters) {
    uint32_t next = 0; // of the list
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        const hemi_shape* shapes = s->shapes + (size_t)p * s->count;
        int thin = 0;
        for (uint32_t c = 0; c < s->count; ++c) {
            const hemi_collider* k = s->paths[c].collider;
            thin |= (k->mask & part->collision_group) &&
                    what_is_cut(k->kind, k->size, part->spacing, parts[p].thickness) != CUTS_NOTHING;
        }
        if (part->kind == HEM_PART_CLOTH && thin) {
            edge_args args = {view, part, x, prev, &parts[p], s, shapes, 0, 0};
            if (s->edges_full) {
                touch_edge_rows(&args);
            } else {
                next = touch_found_edges(&args, next);
            }
            touch_edge_indices(&args);
            counters->contact_count += args.hits;
            counters->work += args.looks;
        }
    }
}
