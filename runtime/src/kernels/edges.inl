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
} edge8;

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
    keep = v8_min(keep, v8_min(v8_select(free_a, far, from_axis(a, half)), v8_select(free_b, far, from_axis(b, half))));
    const v8x3 fa = transform3(shape->then, e->old_a, 1), fb = transform3(shape->then, e->old_b, 1);
    const v8x3 up = v8x3_make(zero, y, zero);
    const v8x3 p = v8x3_sub(v8x3_madd(d, u, a), up);
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

// All thin colliders in turn against eight threads, of which a bit of `near` says who may meet them.
HEM_INLINE uint32_t push_all_edges(edge_args* args, edge8* e, const uint64_t* near_a, const uint64_t* near_b,
                                   m8 linked) {
    const hemi_part_step* tune = args->tune;
    const v8 margin = v8_set1(hem_minf(tune->thickness, EDGE_MARGIN * args->part->spacing));
    const m8 pinned = m8_and(linked, v8_eq(v8_min(e->wa, e->wb), v8_zero()));
    uint32_t hit = 0;
    for (uint32_t word = 0; word < args->colliders->words; ++word) {
        for (uint64_t bits = near_a[word] | near_b[word]; bits; bits &= bits - 1) {
            const hemi_shape* shape = &args->shapes[word * 64 + hem_lowest_bit(bits)];
            const int cut = what_is_cut(shape->kind, shape->size, args->part->spacing, tune->thickness);
            const m8 lanes = cut == CUTS_ALL ? linked : pinned;
            if (cut != CUTS_NOTHING && m8_any(lanes)) {
                hit |= push_edges(e, shape, margin, lanes);
                args->looks += 2;
            }
        }
    }
    args->hits += hemi_bit_count(hit);
    return hit;
}

static void touch_edge_rows(edge_args* args) {
    const hem_range rows = hem_range_of(args->view->ranges, args->part, HEM_BATCH_LINKS);
    const uint32_t words = args->colliders->words;
    for (uint32_t n = rows.begin; n < rows.begin + rows.count; ++n) {
        const hem_link_batch* batch = &args->view->link_batches[n];
        const uint64_t* near_a = args->colliders->row_colliders + (size_t)batch->row_a * words;
        const uint64_t* near_b = args->colliders->row_colliders + (size_t)batch->row_b * words;
        if (!hem_kind_in(batch->kind, HEM_KINDS_WEAVE)) {
            continue;
        }
        uint64_t any = 0;
        for (uint32_t word = 0; word < words; ++word) {
            any |= near_a[word] | near_b[word];
        }
        if (!any) {
            continue;
        }
        const int rotate = batch->rotate, back = (8 - rotate) & 7;
        hemi_row4 *xa = &args->x[batch->row_a], *xb = &args->x[batch->row_b];
        hemi_row3 *oa = &args->prev[batch->row_a], *ob = &args->prev[batch->row_b];
        edge8 e = {row4_load3(xa),
                   v8x3_rotate_lanes(row4_load3(xb), rotate),
                   row3_load(oa),
                   v8x3_rotate_lanes(row3_load(ob), rotate),
                   v8_load(xa->w),
                   v8_rotate(v8_load(xb->w), rotate),
                   row_friction(args->view, args->tune, batch->row_a),
                   args->tune};
        const edge8 was = e;
        if (push_all_edges(args, &e, near_a, near_b, m8_from_bits(batch->lane_mask))) {
            row4_store3(xa, e.a);
            row3_store(oa, e.old_a);
            // Added, not stored: both may be the same row.
            row4_store3(xb, v8x3_add(row4_load3(xb), v8x3_rotate_lanes(v8x3_sub(e.b, was.b), back)));
            row3_store(ob, v8x3_add(row3_load(ob), v8x3_rotate_lanes(v8x3_sub(e.old_b, was.old_b), back)));
        }
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
        edge8 e = {gather3(base, ia),
                   gather3(base, ib),
                   gather3(prev, pa),
                   gather3(prev, pb),
                   v8_gather(base + 24, ia),
                   v8_gather(base + 24, ib),
                   v8_set1(args->tune->friction),
                   args->tune};
        const m8 linked = m8_from_bits(batch->lane_mask);
        if (push_all_edges(args, &e, near, near, linked)) {
            scatter3(base, ia, e.a, linked);
            scatter3(base, ib, e.b, linked);
            scatter3(prev, pa, e.old_a, linked);
            scatter3(prev, pb, e.old_b, linked);
        }
    }
}

static void touch_edges(const hem_view* view, hemi_row4* x, hemi_row3* prev, const hemi_part_step* parts,
                        const hemi_colliders* s, hemi_counters* counters) {
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        const hemi_shape* shapes = s->shapes + (size_t)p * s->count;
        int thin = 0;
        for (uint32_t c = 0; c < s->count; ++c) {
            thin |= (shapes[c].mask & part->collision_group) &&
                    what_is_cut(shapes[c].kind, shapes[c].size, part->spacing, parts[p].thickness) != CUTS_NOTHING;
        }
        if (part->kind == HEM_PART_CLOTH && thin) {
            edge_args args = {view, part, x, prev, &parts[p], s, shapes, 0, 0};
            touch_edge_rows(&args);
            touch_edge_indices(&args);
            counters->contact_count += args.hits;
            counters->work += args.looks;
        }
    }
}
