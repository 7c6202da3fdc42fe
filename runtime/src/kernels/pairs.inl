// SPDX-License-Identifier: MIT
// Who may touch whom during this step.
//
// Once per step, not per substep: every particle stands for the segment it is about to travel (its middle and half of
// its way). The compiler laid neighbours into one lane of successive rows, so eight rows are eight clusters of
// neighbours, without any sorting; eight successive clusters of a lane are a block, eight successive blocks a quarter.
// Boxes around positions and around motions tell which of them and which particles can meet. Only the difference of
// motions counts: a leap through the air, or a curtain that falls as a whole, brings nobody nearer to anybody. Bodies
// (animated collision particles) are clustered by rows, eight neighbours each.
//
// The result is, against bodies, one list for every eight particles that are near some, entry by entry for all of them; and a
// list of pairs of simulated particles. With each goes the distance that the pair has to
// keep: the sum of radii, but never more than it had at rest, so that what overlaps in the modelled character (a hem on a
// hip, a tangent sphere next to its neighbours) is at peace there and still may not sink deeper. Simulated pairs of one
// part that the compiler listed as touching at rest are left out. Pairs of different parts are not: a skirt under a cape
// overlaps it at rest, and would come through it.

#define NEAR_SLACK 0.11f       // of the finest spacing, what constraints and contacts may add to the way
#define NEAR_SLACK_SHARE 0.25f // of the distance that the pair keeps: thin cloth needs less
#define NEAR_BEND 0.5f         // constraints and contacts bend the way: this much of it is added
#define NEAR_LIMIT 192         // bodies per particle

// What a search may cost: looks at eight things at once, for every particle. Whole steps of the samples take 15 at most, a
// search that fills all of its lists 27 (crossing_large, everything near everything). Clusters that a bad asset spreads over
// everything would take the square of the number of particles: they are left where they are, counted as one dropped.
#define SEARCH_LIMIT 128

HEM_INLINE int is_ignored(const hem_view* view, uint32_t a, uint32_t b) {
    uint32_t i = view->ignore_starts[a], end = view->ignore_starts[a + 1];
    if (i == end || b < view->ignore_list[i] || b > view->ignore_list[end - 1]) { // sorted
        return 0;
    }
    while (view->ignore_list[i] < b) {
        ++i;
    }
    return view->ignore_list[i] == b;
}

// Of the pairs of a cluster with the one that begins at that particle, those that the asset ignores.
HEM_INLINE uint64_t ignored_pairs(const hemi_ignored* ignored, uint32_t first) {
    uint32_t found = m8_bits(w8_eq(w8_load_u16(ignored->first), w8_set1((int32_t)first)));
    return ignored->pairs[hem_lowest_bit(found | 0x80)] & (found ? UINT64_MAX : 0);
}

// Each bit as a byte of eight equal ones.
HEM_INLINE uint64_t spread_bits(uint32_t bits) {
    uint64_t lowest = (bits * 0x0101010101010101u & 0x8040201008040201u);
    return (((lowest + 0x7f7f7f7f7f7f7f7fu) | lowest) & 0x8080808080808080u) / 0x80 * 0xff;
}

HEM_INLINE float rest_distance(const hem_view* view, uint32_t a, uint32_t b) {
    const hem_rest_row* ra = &view->rest_rows[a >> 3];
    const hem_rest_row* rb = &view->rest_rows[b >> 3];
    float dx = ra->x[a & 7] - rb->x[b & 7], dy = ra->y[a & 7] - rb->y[b & 7], dz = ra->z[a & 7] - rb->z[b & 7];
    return hem_sqrtf(dx * dx + dy * dy + dz * dz);
}

// -- Boxes

// Eight boxes in registers, see hemi_box8.
typedef struct near_box {
    v8x3 low, high, slow, fast;
    v8 radius;
} near_box;

#define BOX_RADIUS 12
#define BOX_BODY_RADIUS 13

HEM_INLINE v8x3 box_load3(const hemi_box8* boxes, uint32_t plane) {
    return v8x3_make(v8_load(boxes->plane[plane]), v8_load(boxes->plane[plane + 1]), v8_load(boxes->plane[plane + 2]));
}

HEM_INLINE near_box box_load(const hemi_box8* boxes) {
    near_box b = {box_load3(boxes, 0), box_load3(boxes, 3), box_load3(boxes, 6), box_load3(boxes, 9),
                  v8_load(boxes->plane[BOX_RADIUS])};
    return b;
}

HEM_INLINE v8x3 box_spread3(const hemi_box8* boxes, uint32_t plane, uint32_t i) {
    return v8x3_set1(boxes->plane[plane][i], boxes->plane[plane + 1][i], boxes->plane[plane + 2][i]);
}

// One box of an array of them, eight times.
HEM_INLINE near_box box_spread(const hemi_box8* array, uint32_t index, uint32_t radius_plane) {
    const hemi_box8* boxes = &array[index >> 3];
    uint32_t i = index & 7;
    near_box b = {box_spread3(boxes, 0, i), box_spread3(boxes, 3, i), box_spread3(boxes, 6, i),
                  box_spread3(boxes, 9, i), v8_set1(boxes->plane[radius_plane][i])};
    return b;
}

// Meets nothing.
HEM_INLINE near_box box_empty(void) {
    near_box b = {v8x3_set1(1e18f, 1e18f, 1e18f), v8x3_set1(-1e18f, -1e18f, -1e18f), v8x3_set1(1e15f, 1e15f, 1e15f),
                  v8x3_set1(-1e15f, -1e15f, -1e15f), v8_zero()};
    return b;
}

HEM_INLINE void box_add(near_box* b, v8x3 at, v8x3 half, v8 radius, m8 in) {
    b->low = v8x3_select(in, v8x3_least(at, b->low), b->low);
    b->high = v8x3_select(in, v8x3_most(at, b->high), b->high);
    b->slow = v8x3_select(in, v8x3_least(half, b->slow), b->slow);
    b->fast = v8x3_select(in, v8x3_most(half, b->fast), b->fast);
    b->radius = v8_select(in, v8_max(radius, b->radius), b->radius);
}

// `slack` is that of the asset.
HEM_INLINE v8 near_slack(v8 keep, float slack) {
    return v8_min(v8_set1(slack), v8_mul(keep, v8_set1(NEAR_SLACK_SHARE)));
}

// Lanes whose contents may come near each other: no further apart in the middle of their ways than they keep, with
// slack, and as much as their ways differ. *keep and *way2 (its square) are for reach_of.
HEM_INLINE m8 boxes_meet(const near_box* a, const near_box* b, float slack, v8* keep, v8* way2) {
    v8x3 rel = v8x3_most(v8x3_sub(b->fast, a->slow), v8x3_sub(a->fast, b->slow));
    v8 sum = v8_add(a->radius, b->radius);
    *keep = v8_add(sum, near_slack(sum, slack));
    *way2 = v8_mul(v8x3_dot(rel, rel), v8_set1((1.0f + NEAR_BEND) * (1.0f + NEAR_BEND)));
    v8x3 gap = v8x3_most(v8x3_sub(b->low, a->high), v8x3_sub(a->low, b->high));
    v8 left = v8_sub(v8_max(gap.x, v8_max(gap.y, gap.z)), *keep);
    left = v8_max(left, v8_zero());
    return v8_le(v8_mul(left, left), *way2); // without a root: many wait for the answer
}

HEM_INLINE v8 reach_of(v8 keep, v8 way2) {
    return v8_add(v8_sqrt(way2), keep);
}

// Lanes that come near enough to be a pair: points that are d apart in the middle of their ways, which differ by twice w.
// They are nearest at t = -d.w / w.w, but not before the beginning nor after the end of their ways, -1 and 1.
HEM_INLINE m8 points_meet(v8x3 d, v8x3 w, v8 keep, float slack) {
    v8 d2 = v8x3_dot(d, d), way2 = v8x3_dot(w, w), dot = v8_abs(v8x3_dot(d, w));
    v8 touch = v8_add(v8_madd(v8_sqrt(way2), v8_set1(NEAR_BEND), keep), near_slack(keep, slack));
    v8 outside2 = v8_nmadd(touch, touch, d2);
    m8 at_an_end = v8_lt(v8_add(outside2, way2), v8_add(dot, dot));
    m8 between = v8_lt(v8_mul(outside2, way2), v8_mul(dot, dot)); // both sides times w.w
    m8 ends = v8_le(way2, dot);
    return m8_or(m8_and(ends, at_an_end), m8_andnot(between, ends));
}

// -- Clusters

HEM_INLINE uint32_t cluster_lane(uint32_t cluster) {
    return cluster >> 3 & 7;
}

// Box i becomes number `at` of the i-th eight.
static void box_store(hemi_box8* eights, uint32_t at, const near_box* b, v8 own) {
    const v8 plane[HEMI_BOX_PLANES] = {b->low.x,  b->low.y,  b->low.z,  b->high.x, b->high.y, b->high.z, b->slow.x,
                                       b->slow.y, b->slow.z, b->fast.x, b->fast.y, b->fast.z, b->radius, own};
    for (uint32_t k = 0; k < HEMI_BOX_PLANES; ++k) {
        HEM_ALIGN(32) float lane[8];
        v8_store(lane, plane[k]);
        for (uint32_t i = 0; i < 8; ++i) {
            eights[i].plane[k][at] = lane[i];
        }
    }
}

// Particles of eight rows, transposed: each lane is a cluster.
static void cluster_slab(const hemi_search_args* args, uint32_t p, uint32_t begin, uint32_t count, uint32_t slab) {
    const hem_view* view = args->view;
    hemi_search* s = args->search;
    const float* frame = args->part_frames[p].m;
    v8 zero = v8_zero(), vdt = v8_set1(args->dt), half = v8_set1(0.5f), limit = v8_set1(args->derived->travel_limit);
    int soft = view->parts[p].kind == HEM_PART_SOFT;
    // Pairs of one part keep its self_thickness, whatever the radius against others: see note_pairs.
    uint64_t others = args->derived->part_pairs[p] & args->derived->simulated_parts & ~((uint64_t)1 << p);
    v8 thin = v8_set1(hem_maxf(args->parts[p].self_thickness * 0.5f, others ? args->parts[p].contact_radius : 0.0f));
    v8 thickness = v8_set1(args->parts[p].thickness);
    v8 column[8][8]; // x y z, half way x y z, radius against particles, against bodies
    near_box box = box_empty();
    v8 widest = zero;
    w8 members = w8_set1(0), movable = w8_set1(0);
    for (uint32_t i = 0; i < 8; ++i) {
        if (i >= count) {
            for (uint32_t k = 0; k < 8; ++k) {
                column[k][i] = zero;
            }
            continue;
        }
        uint32_t row = begin + i, bits = 0;
        for (uint32_t lane = 0; lane < 8; ++lane) {
            uint32_t flags = view->particle_flags[row * 8 + lane];
            bits |= (uint32_t)((flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_COLLIDES)) == HEM_PARTICLE_COLLIDES) << lane;
        }
        m8 in = m8_from_bits(bits), free = v8_gt(v8_load(args->x[row].w), zero);
        v8x3 from = row4_load3(&args->x[row]);
        v8x3 to = v8x3_madd(row3_load(&args->v[row]), vdt, transform3(frame, from, 1));
        v8x3 way = v8x3_scale(v8x3_sub(to, from), half);
        v8 length = v8x3_length(way);
        way = v8x3_scale(way, v8_div(v8_min(length, limit), v8_max(length, v8_set1(1e-12f))));
        v8x3 at = v8x3_add(from, way);
        v8 own = thickness, radius = thin;
        if (view->map_rows) {
            radius = v8_mul(radius, v8_load(view->map_rows[row].contact));
        }
        if (soft) {
            const hem_shape_row* shape = &view->shape_rows[row];
            v8 a = v8_load(shape->a);
            radius = v8_mul(v8_add(v8_add(a, v8_load(shape->b)), v8_load(shape->c)), v8_set1(1.0f / 3.0f));
            own = v8_add(own, a);
        }
        box_add(&box, at, way, radius, in);
        widest = v8_max(widest, v8_keep(in, own));
        w8 bit = w8_set1(1 << i);
        members = w8_or(members, w8_select(in, bit, w8_set1(0)));
        movable = w8_or(movable, w8_select(m8_and(in, free), bit, w8_set1(0)));
        const v8 values[8] = {at.x, at.y, at.z, way.x, way.y, way.z, radius, own};
        for (uint32_t k = 0; k < 8; ++k) {
            column[k][i] = values[k];
        }
    }
    uint32_t first = (slab >> 3) * 64 + (slab & 7);
    for (uint32_t k = 0; k < 8; ++k) {
        v8_transpose8(column[k]);
        for (uint32_t lane = 0; lane < 8; ++lane) {
            v8_store(s->cluster_data + (first + lane * 8) * 64 + k * 8, column[k][lane]);
        }
    }
    HEM_ALIGN(32) int32_t all[8], free[8];
    w8_store(all, members);
    w8_store(free, movable);
    for (uint32_t lane = 0; lane < 8; ++lane) {
        hemi_cluster* c = &s->clusters[first + lane * 8];
        c->row = (uint16_t)begin;
        c->part = (uint8_t)p;
        c->members = (uint8_t)all[lane];
        c->movable = (uint8_t)free[lane];
    }
    box_store(s->cluster_box + (slab & ~7u), slab & 7, &box, widest);
}

// Box i lies around the i-th eight of boxes.
static void boxes_around(const hemi_box8* eights, uint32_t count, hemi_box8* boxes) {
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < HEMI_BOX_PLANES; ++k) {
            v8 plane = v8_load(eights[i].plane[k]);
            int least = k < 3 || (k >= 6 && k < 9);
            boxes[i >> 3].plane[k][i & 7] = least ? v8_hmin(plane) : v8_hmax(plane);
        }
    }
}

// Clusters of all rows that collide, and boxes around blocks and quarters of them. Returns the number of blocks.
static uint32_t cluster_rows(const hemi_search_args* args) {
    const hem_view* view = args->view;
    const uint64_t* part_pairs = args->derived->part_pairs;
    hemi_search* s = args->search;
    uint32_t slabs = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        if (!hemi_is_searched(view, args->derived, p)) {
            continue;
        }
        for (uint32_t i = 0; i < part->row_count; i += 8) {
            uint32_t left = part->row_count - i;
            cluster_slab(args, p, part->row_begin + i, left < 8 ? left : 8, slabs++);
        }
    }
    for (; slabs & 7; ++slabs) {
        near_box none = box_empty();
        uint32_t first = (slabs >> 3) * 64 + (slabs & 7);
        for (uint32_t lane = 0; lane < 8; ++lane) {
            memset(&s->clusters[first + lane * 8], 0, sizeof(hemi_cluster));
        }
        box_store(s->cluster_box + (slabs & ~7u), slabs & 7, &none, v8_zero());
    }
    for (uint32_t block = 0; block < slabs; ++block) {
        s->block_parts[block] = s->block_partners[block] = 0;
        for (uint32_t k = 0; k < 8; ++k) {
            uint32_t part = s->clusters[block * 8 + k].part;
            s->block_parts[block] |= (uint64_t)1 << part;
            s->block_partners[block] |= part_pairs[part];
        }
    }
    boxes_around(s->cluster_box, slabs, s->block_box);
    boxes_around(s->block_box, slabs >> 3, s->quarter_box);
    return slabs;
}

// -- Lists

HEM_INLINE void near_hit(hemi_search* s, hemi_counters* counters, uint32_t slot, uint32_t other, float distance) {
    if (s->hit_count == s->hit_capacity || s->near_counts[slot] == NEAR_LIMIT) {
        ++counters->dropped_count;
        return;
    }
    ++s->near_counts[slot];
    hemi_hit* hit = &s->hits[s->hit_count++];
    hit->slot = (uint16_t)slot;
    hit->other = (uint16_t)other;
    hit->distance = distance;
}

// Gives an eight its list, as deep as its deepest and as there is room for, filled up.
static void open_list(hemi_contacts* found, const uint8_t* counts, hemi_near* eight, uint32_t filler,
                      hemi_counters* counters) {
    const uint32_t room = (found->near_capacity - found->near_count) / 8;
    const uint32_t depth = counts[eight->slot[0]] < room ? counts[eight->slot[0]] : room;
    for (uint32_t i = 0; i < 8; ++i) {
        const uint32_t count = eight->mask >> i & 1u ? counts[eight->slot[i]] : 0;
        counters->dropped_count += count > depth ? count - depth : 0;
    }
    eight->first = found->near_count;
    eight->depth = (uint16_t)depth;
    for (uint32_t k = 0; k < depth; ++k, found->near_count += 8) {
        for (uint32_t i = 0; i < 8; ++i) {
            found->near_list[found->near_count + i] = (uint16_t)filler;
        }
        v8_storeu(found->near_distance + found->near_count, v8_set1(-1.0f));
    }
}

// Particles of a part that are near bodies, eight by eight from number `eight` on, those near most bodies first: lists of
// one length hardly need filling up. Returns where the next part's begin.
static uint32_t near_eights(const hemi_search_args* args, const hem_part* part, uint32_t eight, uint32_t filler) {
    const uint8_t* counts = args->search->near_counts;
    hemi_contacts* found = args->found;
    uint32_t place[NEAR_LIMIT + 1], count[NEAR_LIMIT + 1], next = eight * 8;
    memset(count, 0, sizeof(count));
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
        for (uint32_t i = 0; i < 8 && hemi_eight_bytes(counts + row * 8); ++i) {
            ++count[counts[row * 8 + i]];
        }
    }
    for (uint32_t depth = NEAR_LIMIT; depth > 0; --depth) {
        place[depth] = next;
        next += count[depth];
    }
    for (uint32_t row = part->row_begin; row < part->row_begin + part->row_count; ++row) {
        for (uint32_t i = 0; i < 8 && hemi_eight_bytes(counts + row * 8); ++i) {
            const uint32_t slot = row * 8 + i, depth = counts[slot];
            if (depth) {
                found->near_rank[slot] = (uint16_t)place[depth]++;
                found->near_body[found->near_rank[slot] >> 3].slot[found->near_rank[slot] & 7] = (uint16_t)slot;
            }
        }
    }
    for (; eight * 8 < next; ++eight) {
        hemi_near* near = &found->near_body[eight];
        const uint32_t there = next - eight * 8 < 8 ? next - eight * 8 : 8;
        near->mask = (uint16_t)((1u << there) - 1);
        for (uint32_t i = there; i < 8; ++i) {
            near->slot[i] = near->slot[0];
        }
        open_list(found, counts, near, filler, args->counters);
    }
    return eight;
}

// Turns hits into lists of eight particles each.
static void near_lists(const hemi_search_args* args, uint32_t filler) {
    hemi_search* s = args->search;
    hemi_contacts* found = args->found;
    const hem_info* info = args->view->info;
    if (s->hit_count == 0) {
        return;
    }
    args->counters->candidate_count += s->hit_count;
    for (uint32_t p = 0; p < info->part_count; ++p) {
        found->near_begin[p + 1] = near_eights(args, &args->view->parts[p], found->near_begin[p], filler);
    }
    memset(s->near_counts, 0, info->row_count * 8);
    for (uint32_t i = 0; i < s->hit_count; ++i) {
        const hemi_hit* hit = &s->hits[i];
        const uint32_t rank = found->near_rank[hit->slot];
        const hemi_near* near = &found->near_body[rank >> 3];
        uint32_t k = s->near_counts[hit->slot]++;
        if (k < near->depth) {
            uint32_t at = near->first + k * 8 + (rank & 7);
            found->near_list[at] = hit->other;
            found->near_distance[at] = hit->distance;
        }
    }
    s->hit_count = 0;
    memset(s->near_counts, 0, info->row_count * 8);
}

// -- Stages
//
// Which boxes meet is hard to guess, and a wrong guess costs the processor more than a test of eight boxes. So pairs go
// through stages in bulk, and no stage branches on what it finds: it notes down whatever it looks at, and the place of
// the next note moves on only if this one is to be kept.

#define TRY_ROOM 24                  // boxes that wait to be tried with eights of boxes; eight are added at once
#define PAIR_ROOM (2 * 8 * TRY_ROOM) // pairs that wait; half of that is added at once

// A cluster and another one, or eight neighbouring bodies.
typedef struct cluster_pair {
    uint32_t eights; // a; b in the upper half
    float reach;     // of the two boxes
    uint64_t close;  // bit 8 i + j: particle i of a and j of b
} cluster_pair;

// One particle of a and those of b.
typedef struct row_pair {
    uint16_t pair; // which of the cluster pairs
    uint8_t i, bits;
} row_pair;

// What waits between the stages. The note that is not kept may lie behind the last.
typedef struct near_work {
    uint32_t try_count, pair_count;
    uint32_t left;                // looks at eight, before the search ends
    float slack;                  // metres
    uint32_t tries[TRY_ROOM + 1]; // a cluster; in the upper half a block, or a block of bodies
    cluster_pair pairs[PAIR_ROOM + 1];
} near_work;

// What pairs are made of. Data of an eight: vectors of positions, half ways and radii.
typedef struct near_sides {
    const float *a, *b;
    uint32_t stride_b; // floats
    uint32_t radius_a; // of the vector of radii in a, which are others against particles than against bodies
    const uint8_t *members_a, *members_b;
    uint32_t members_stride_b;
    float slack;
} near_sides;

#define CLUSTER_FLOATS 64
#define BODY_FLOATS 80

HEM_INLINE uint32_t eight_a(const cluster_pair* pair) {
    return pair->eights & 0xffffu;
}

HEM_INLINE uint32_t eight_b(const cluster_pair* pair) {
    return pair->eights >> 16;
}

HEM_INLINE v8x3 load_vectors(const float* data) {
    return v8x3_make(v8_load(data), v8_load(data + 8), v8_load(data + 16));
}

// Of a block of clusters those whose bits are set, each to be tried with the eight boxes of another.
HEM_INLINE void add_tries(near_work* work, uint32_t block, uint32_t other, uint32_t bits) {
    HEM_UNROLL8
    for (uint32_t k = 0; k < 8; ++k) {
        work->tries[work->try_count] = (block * 8 + k) | other << 16;
        work->try_count += bits >> k & 1u;
    }
}

// Makes pairs of those whose boxes meet.
HEM_INLINE void add_pairs(near_work* work, const hemi_box8* own_boxes, uint32_t own_radius, const hemi_box8* boxes) {
    uint32_t count = work->pair_count;
    for (uint32_t n = 0; n < work->try_count; ++n) {
        uint32_t a = work->tries[n] & 0xffffu, block = work->tries[n] >> 16;
        near_box own = box_spread(own_boxes, a, own_radius), theirs = box_load(&boxes[block]);
        v8 keep, way2;
        uint32_t bits = m8_bits(boxes_meet(&own, &theirs, work->slack, &keep, &way2));
        HEM_ALIGN(32) float reaches[8];
        v8_store(reaches, reach_of(keep, way2));
        HEM_UNROLL8
        for (uint32_t k = 0; k < 8; ++k) {
            work->pairs[count].eights = a | (block * 8 + k) << 16;
            work->pairs[count].reach = reaches[k];
            count += bits >> k & 1u;
        }
    }
    work->pair_count = count;
    work->left -= work->try_count < work->left ? work->try_count : work->left;
    work->try_count = 0;
}

// Room for what is found, and looks left to find more.
HEM_INLINE int may_go_on(const near_work* work, const hemi_search* s) {
    return work->left != 0 && s->hit_count != s->hit_capacity;
}

// Eight looks a pair of clusters. Returns how many there are.
HEM_INLINE uint32_t pay_for_pairs(near_work* work) {
    const uint32_t count = work->pair_count, able = work->left >> 3;
    work->left = count < able ? work->left - count * 8 : 0;
    work->pair_count = 0;
    return count < able ? count : able;
}

HEM_INLINE void work_begin(const hemi_search_args* args, near_work* work) {
    work->try_count = work->pair_count = 0;
    work->left = args->view->info->particle_count * SEARCH_LIMIT;
    work->slack = NEAR_SLACK * args->view->info->spacing;
}

HEM_INLINE void work_end(const hemi_search_args* args, const near_work* work, int complete, uint32_t* looks) {
    const uint32_t done = args->view->info->particle_count * SEARCH_LIMIT - work->left;
    args->counters->work += done;
    *looks += done;
    args->counters->dropped_count += !complete || work->left == 0;
}

// Finds the particles of each pair that are within reach. Returns how many pairs have some.
HEM_INLINE uint32_t keep_close(const near_sides* s, cluster_pair* pairs, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t n = 0; n < count; ++n) {
        cluster_pair pair = pairs[n];
        uint32_t a = eight_a(&pair), b = eight_b(&pair);
        const float* data = s->a + a * CLUSTER_FLOATS;
        v8x3 at = load_vectors(s->b + b * s->stride_b);
        v8 reach2 = v8_set1(pair.reach * pair.reach);
        pair.close = 0;
        HEM_UNROLL8
        for (uint32_t i = 0; i < 8; ++i) {
            v8x3 d = v8x3_sub(at, v8x3_set1(data[i], data[8 + i], data[16 + i]));
            pair.close |= (uint64_t)m8_bits(v8_lt(v8x3_dot(d, d), reach2)) << 8 * i;
        }
        pair.close &= spread_bits(s->members_a[a * sizeof(hemi_cluster)]);
        pair.close &= s->members_b[b * s->members_stride_b] * 0x0101010101010101u;
        pairs[kept] = pair;
        kept += pair.close != 0;
    }
    return kept;
}

// Of those, the ones that come near enough during the step, particle by particle of a.
HEM_INLINE uint32_t keep_meeting(const near_sides* s, const cluster_pair* pairs, uint32_t count, row_pair* rows) {
    uint32_t listed = 0, kept = 0;
    for (uint32_t n = 0; n < count; ++n) {
        HEM_UNROLL8
        for (uint32_t i = 0; i < 8; ++i) {
            row_pair row = {(uint16_t)n, (uint8_t)i, (uint8_t)(pairs[n].close >> 8 * i)};
            rows[listed] = row;
            listed += row.bits != 0;
        }
    }
    for (uint32_t n = 0; n < listed; ++n) {
        row_pair row = rows[n];
        const cluster_pair* pair = &pairs[row.pair];
        const float* a = s->a + eight_a(pair) * CLUSTER_FLOATS + row.i;
        const float* b = s->b + eight_b(pair) * s->stride_b;
        v8x3 d = v8x3_sub(load_vectors(b), v8x3_set1(a[0], a[8], a[16]));
        v8x3 w = v8x3_sub(load_vectors(b + 24), v8x3_set1(a[24], a[32], a[40]));
        v8 keep = v8_add(v8_load(b + 48), v8_set1(a[s->radius_a]));
        row.bits &= (uint8_t)m8_bits(points_meet(d, w, keep, s->slack));
        rows[kept] = row;
        kept += row.bits != 0;
    }
    return kept;
}

// -- Simulated against simulated

// Each pair of clusters once, of parts that collide.
static uint32_t keep_colliding(const hemi_search_args* args, cluster_pair* pairs, uint32_t count) {
    const hemi_cluster* clusters = args->search->clusters;
    const uint64_t* part_pairs = args->derived->part_pairs;
    uint32_t kept = 0;
    for (uint32_t n = 0; n < count; ++n) {
        cluster_pair pair = pairs[n];
        uint32_t a = eight_a(&pair), b = eight_b(&pair);
        pairs[kept] = pair;
        kept += (uint32_t)(part_pairs[clusters[a].part] >> clusters[b].part & 1u) & (a <= b);
    }
    return kept;
}

// Cloth that is pressed together finds its neighbours in the mesh again and again: they are left out at once. And within
// a cluster each pair is taken once.
static uint32_t keep_unignored(const hemi_search_args* args, cluster_pair* pairs, uint32_t count) {
    const hemi_cluster* clusters = args->search->clusters;
    const hemi_ignored* all = args->derived->ignored;
    uint32_t kept = 0;
    for (uint32_t n = 0; n < count; ++n) {
        cluster_pair pair = pairs[n];
        const hemi_cluster* a = &clusters[eight_a(&pair)];
        const hemi_cluster* b = &clusters[eight_b(&pair)];
        uint32_t lane = cluster_lane(eight_a(&pair));
        pair.close &= a == b ? 0x0080c0e0f0f8fcfeu : UINT64_MAX;
        if (all) {
            uint32_t first = b->row * 8u + cluster_lane(eight_b(&pair));
            int akin = (a->part == b->part) & (first != UINT16_MAX);
            const hemi_ignored* ignored = &all[hemi_ignored_at(a->part, a->row, lane)];
            pair.close &= ~ignored_pairs(ignored, akin ? first : UINT32_MAX);
        }
        pairs[kept] = pair;
        kept += pair.close != 0;
    }
    return kept;
}

// Of a painted part, the share of its self_thickness that two particles keep.
HEM_INLINE float mean_contact(const hem_view* view, uint32_t a, uint32_t b) {
    return 0.5f * (view->map_rows[a >> 3].contact[a & 7] + view->map_rows[b >> 3].contact[b & 7]);
}

// 1: part a lies outside part b, which is cloth and so has a side; -1: the other way round; 0: neither.
HEM_INLINE int order_of(const hem_view* view, uint32_t a, uint32_t b) {
    const hem_part *pa = &view->parts[a], *pb = &view->parts[b];
    int over = (int)(pa->outside_of[b >> 5] >> (b & 31) & 1u) & (pb->kind == HEM_PART_CLOTH);
    int under = (int)(pb->outside_of[a >> 5] >> (a & 31) & 1u) & (pa->kind == HEM_PART_CLOTH);
    return over - under;
}

// Pairs grow from the beginning and, those with an order, from the end; both are filled up to whole eights.
HEM_INLINE int pairs_are_full(const hemi_search* s, const hemi_contacts* found) {
    return s->hit_count == s->hit_capacity ||
           (found->side_begin != found->side_end && s->hit_count + 16 > found->side_begin);
}

static void note_pairs(const hemi_search_args* args, const cluster_pair* pair, const row_pair* row) {
    const hem_view* view = args->view;
    hemi_search* s = args->search;
    hemi_contacts* found = args->found;
    uint32_t cluster = eight_a(pair), partner = eight_b(pair);
    const hemi_cluster* a = &s->clusters[cluster];
    const hemi_cluster* b = &s->clusters[partner];
    const float* radius_a = s->cluster_data + cluster * CLUSTER_FLOATS + 48;
    const float* radius_b = s->cluster_data + partner * CLUSTER_FLOATS + 48;
    uint32_t slot = (a->row + row->i) * 8u + cluster_lane(cluster), moves = a->movable >> row->i & 1u;
    int same = a->part == b->part, cloth = view->parts[a->part].kind == HEM_PART_CLOTH;
    float thickest = same && cloth ? args->parts[a->part].self_thickness : 1e9f;
    int order = same ? 0 : order_of(view, a->part, b->part);
    for (uint32_t bits = row->bits; bits; bits &= bits - 1) {
        uint32_t j = hem_lowest_bit(bits), other = (b->row + j) * 8u + cluster_lane(partner);
        uint32_t yields = b->movable >> j & 1u;
        if (!(moves | yields) || (same && is_ignored(view, slot, other))) {
            continue;
        }
        if (pairs_are_full(s, found)) {
            ++args->counters->dropped_count;
            continue;
        }
        uint32_t at = order ? --found->side_begin : s->hit_count++;
        found->pair_a[at] = (uint16_t)(order < 0 ? other : slot);
        found->pair_b[at] = (uint16_t)(order < 0 ? slot : other);
        float most = same && cloth && view->map_rows ? thickest * mean_contact(view, slot, other) : thickest;
        float radii = hem_minf(radius_a[row->i] + radius_b[j], most);
        found->pair_distance[at] = hem_minf(rest_distance(view, slot, other), radii);
    }
}

static void take_pairs(const hemi_search_args* args, near_work* work) {
    const hemi_search* s = args->search;
    row_pair rows[PAIR_ROOM * 8 + 1];
    const near_sides sides = {s->cluster_data,         s->cluster_data,         CLUSTER_FLOATS,       48,
                              &s->clusters[0].members, &s->clusters[0].members, sizeof(hemi_cluster), work->slack};
    cluster_pair* pairs = work->pairs;
    uint32_t count = keep_colliding(args, pairs, pay_for_pairs(work));
    count = keep_close(&sides, pairs, count);
    count = keep_unignored(args, pairs, count);
    count = keep_meeting(&sides, pairs, count, rows);
    for (uint32_t n = 0; n < count; ++n) {
        note_pairs(args, &pairs[rows[n].pair], &rows[n]);
    }
}

static void try_blocks(const hemi_search_args* args, near_work* work, uint32_t block, uint32_t other) {
    const hemi_search* s = args->search;
    near_box own = box_load(&s->cluster_box[block]), theirs = box_spread(s->block_box, other, BOX_RADIUS);
    v8 keep, way2;
    add_tries(work, block, other, m8_bits(boxes_meet(&own, &theirs, work->slack, &keep, &way2)));
    if (work->try_count > TRY_ROOM - 8) {
        add_pairs(work, s->cluster_box, BOX_RADIUS, s->cluster_box);
    }
    if (work->pair_count > PAIR_ROOM / 2) {
        take_pairs(args, work);
    }
}

static void near_particles(const hemi_search_args* args, uint32_t blocks) {
    hemi_search* s = args->search;
    hemi_contacts* found = args->found;
    near_work work;
    work_begin(args, &work);
    found->side_begin = found->side_end = (s->hit_capacity + 7) & ~7u;
    uint32_t quarters = blocks >> 3, block = 0;
    v8 keep, way2;
    for (; block < blocks && may_go_on(&work, s); ++block) {
        near_box own = box_spread(s->block_box, block, BOX_RADIUS);
        for (uint32_t q = block >> 6 << 3; q < quarters; q += 8) {
            near_box theirs = box_load(&s->quarter_box[q >> 3]);
            uint32_t near_quarters = m8_bits(boxes_meet(&own, &theirs, work.slack, &keep, &way2));
            near_quarters &= quarters - q < 8 ? (1u << (quarters - q)) - 1 : 0xffu;
            near_quarters &= q > block >> 3 ? 0xffu : 0xffu << (block >> 3 & 7);
            for (; near_quarters; near_quarters &= near_quarters - 1) {
                uint32_t first = (q + hem_lowest_bit(near_quarters)) * 8;
                theirs = box_load(&s->block_box[first >> 3]);
                uint32_t met = m8_bits(boxes_meet(&own, &theirs, work.slack, &keep, &way2));
                met &= first > block ? 0xffu : 0xffu << (block & 7);
                for (; met; met &= met - 1) {
                    uint32_t other = first + hem_lowest_bit(met);
                    if (s->block_partners[block] & s->block_parts[other]) {
                        try_blocks(args, &work, block, other);
                    }
                }
            }
        }
    }
    add_pairs(&work, s->cluster_box, BOX_RADIUS, s->cluster_box);
    take_pairs(args, &work);
    work_end(args, &work, block == blocks, &args->counters->pair_looks);
    args->counters->candidate_count += s->hit_count + (found->side_end - found->side_begin);
    for (; s->hit_count & 7; ++s->hit_count) { // whole eights, filled with pairs that keep no distance
        found->pair_a[s->hit_count] = found->pair_b[s->hit_count] = 0;
        found->pair_distance[s->hit_count] = -1.0f;
    }
    while (found->side_begin & 7) {
        --found->side_begin;
        found->pair_a[found->side_begin] = found->pair_b[found->side_begin] = 0;
        found->pair_distance[found->side_begin] = -1.0f;
    }
    found->pair_count = s->hit_count;
}

// -- Simulated against bodies

// Center of a body's sphere at a target; `back` is where it lies from the particle, at rest.
HEM_INLINE v8x3 body_center(const hemi_target_row* t, v8x3 back) {
    return v8x3_add(v8x4_rotate(row4_load(&t->q), back), row3_load(&t->x));
}

// Bodies of a row are neighbours. Tangent spheres of section 5.2: their radius, and how far the center lies behind the
// particle along the outward axis. Ellipsoids: their largest radius.
HEM_INLINE near_box body_row_box(const hemi_search_args* args, uint32_t n) {
    const hem_view* view = args->view;
    v8 half = v8_set1(0.5f), limit = v8_set1(args->derived->travel_limit);
    uint32_t row = args->derived->body_row[n], target = args->derived->body_target[n], tangents = 0, members = 0;
    const hem_shape_row* shape = &view->shape_rows[row];
    const hem_rest_row* rest = &view->rest_rows[row];
    for (uint32_t i = 0; i < 8; ++i) {
        uint32_t flags = view->particle_flags[row * 8 + i];
        tangents |= (uint32_t)(args->surface && (flags & HEM_PARTICLE_SURFACE)) << i;
        members |= (uint32_t) !(flags & HEM_PARTICLE_PAD) << i;
    }
    m8 tangent = m8_from_bits(tangents), in = m8_from_bits(members);
    v8 a = v8_load(shape->a), b = v8_load(shape->b), c = v8_load(shape->c);
    v8 radius = v8_select(tangent, v8_div(v8_mul(half, v8_madd(c, c, v8_mul(b, b))), a), v8_max(a, v8_max(b, c)));
    v8x4 turn = v8x4_make(v8_load(shape->qx), v8_load(shape->qy), v8_load(shape->qz), v8_load(shape->qw));
    v8x3 axis = v8x4_rotate(turn, v8x3_set1(1.0f, 0.0f, 0.0f));
    v8x3 back = v8x3_scale(axis, v8_keep(tangent, v8_sub(a, radius)));
    v8x3 from = body_center(&args->from[target], back), to = body_center(&args->to[target], back);
    v8x3 way = v8x3_scale(v8x3_sub(to, from), half);
    v8 length = v8x3_length(way);
    way = v8x3_scale(way, v8_div(v8_min(length, limit), v8_max(length, v8_set1(1e-12f))));
    v8x3 at = v8x3_add(from, way);
    near_box box = box_empty();
    box_add(&box, at, way, radius, in);
    args->search->body_members[n] = (uint8_t)members;
    args->found->body_tangents[n] = (uint8_t)tangents;
    v8x3 origin = v8x3_add(v8x3_make(v8_load(rest->x), v8_load(rest->y), v8_load(rest->z)), back);
    const v8 values[10] = {at.x, at.y, at.z, way.x, way.y, way.z, radius, origin.x, origin.y, origin.z};
    for (uint32_t k = 0; k < 10; ++k) {
        v8_store(args->found->body_data + n * BODY_FLOATS + k * 8, values[k]);
    }
    return box;
}

static void cluster_bodies(const hemi_search_args* args) {
    hemi_search* s = args->search;
    uint32_t stride = args->derived->body_stride;
    for (uint32_t n = 0; n < stride; ++n) {
        near_box box = n < args->derived->body_row_count ? body_row_box(args, n) : box_empty();
        const float planes[HEMI_BOX_PLANES] = {v8_hmin(box.low.x),  v8_hmin(box.low.y),
                                               v8_hmin(box.low.z),  v8_hmax(box.high.x),
                                               v8_hmax(box.high.y), v8_hmax(box.high.z),
                                               v8_hmin(box.slow.x), v8_hmin(box.slow.y),
                                               v8_hmin(box.slow.z), v8_hmax(box.fast.x),
                                               v8_hmax(box.fast.y), v8_hmax(box.fast.z),
                                               v8_hmax(box.radius), 0.0f};
        for (uint32_t k = 0; k < HEMI_BOX_PLANES; ++k) {
            s->body_box[n >> 3].plane[k][n & 7] = planes[k];
        }
    }
    boxes_around(s->body_box, stride >> 3, s->body_block_box);
}

static uint32_t keep_colliding_bodies(const hemi_search_args* args, cluster_pair* pairs, uint32_t count) {
    const hemi_derived* derived = args->derived;
    uint32_t kept = 0;
    for (uint32_t n = 0; n < count; ++n) {
        cluster_pair pair = pairs[n];
        uint32_t part_a = args->search->clusters[eight_a(&pair)].part;
        uint32_t row_b = derived->body_row[eight_b(&pair)];
        uint32_t part_b = args->view->particle_flags[row_b * 8] >> HEM_PARTICLE_PART_SHIFT;
        pairs[kept] = pair;
        kept += derived->part_pairs[part_a] >> part_b & 1u;
    }
    return kept;
}

static void note_bodies(const hemi_search_args* args, const cluster_pair* pair, const row_pair* row) {
    hemi_search* s = args->search;
    uint32_t cluster = eight_a(pair), bodies = eight_b(pair), lane = cluster_lane(cluster);
    uint32_t row_a = s->clusters[cluster].row + row->i;
    const hem_rest_row* rest = &args->view->rest_rows[row_a];
    const float* data = args->found->body_data + bodies * BODY_FLOATS;
    v8x3 e = v8x3_sub(load_vectors(data + 56), v8x3_set1(rest->x[lane], rest->y[lane], rest->z[lane]));
    v8 keep = v8_add(v8_load(data + 48), v8_set1(s->cluster_data[cluster * CLUSTER_FLOATS + 56 + row->i]));
    HEM_ALIGN(32) float distance[8];
    v8_store(distance, v8_min(v8x3_length(e), keep));
    for (uint32_t bits = row->bits; bits; bits &= bits - 1) {
        uint32_t j = hem_lowest_bit(bits);
        near_hit(s, args->counters, row_a * 8 + lane, bodies * 8 + j, distance[j]);
    }
}

static void take_bodies(const hemi_search_args* args, near_work* work) {
    const hemi_search* s = args->search;
    row_pair rows[PAIR_ROOM * 8 + 1];
    const near_sides sides = {s->cluster_data,         args->found->body_data, BODY_FLOATS, 56,
                              &s->clusters[0].movable, s->body_members,        1,           work->slack};
    cluster_pair* pairs = work->pairs;
    uint32_t count = keep_colliding_bodies(args, pairs, pay_for_pairs(work));
    count = keep_close(&sides, pairs, count);
    count = keep_meeting(&sides, pairs, count, rows);
    for (uint32_t n = 0; n < count; ++n) {
        note_bodies(args, &pairs[rows[n].pair], &rows[n]);
    }
}

static void near_bodies(const hemi_search_args* args, uint32_t blocks) {
    const hemi_search* s = args->search;
    near_work work;
    work_begin(args, &work);
    uint32_t block = 0;
    v8 keep, way2;
    for (; block < blocks && may_go_on(&work, s); ++block) {
        if (!(s->block_partners[block] & args->derived->body_parts)) {
            continue;
        }
        near_box own = box_load(&s->cluster_box[block]);
        own.radius = v8_load(s->cluster_box[block].plane[BOX_BODY_RADIUS]);
        for (uint32_t bodies = 0; bodies < args->derived->body_stride >> 3; ++bodies) {
            near_box theirs = box_spread(s->body_block_box, bodies, BOX_RADIUS);
            add_tries(&work, block, bodies, m8_bits(boxes_meet(&own, &theirs, work.slack, &keep, &way2)));
            if (work.try_count > TRY_ROOM - 8) {
                add_pairs(&work, s->cluster_box, BOX_BODY_RADIUS, s->body_box);
            }
            if (work.pair_count > PAIR_ROOM / 2) {
                take_bodies(args, &work);
            }
        }
    }
    add_pairs(&work, s->cluster_box, BOX_BODY_RADIUS, s->body_box);
    take_bodies(args, &work);
    work_end(args, &work, block == blocks, &args->counters->looks);
}

void HEMI_NAME(find_near)(const hemi_search_args* args) {
    hemi_contacts* found = args->found;
    memset(found->near_begin, 0, (args->view->info->part_count + 1) * sizeof(uint32_t));
    memset(args->search->near_counts, 0, args->view->info->particle_count);
    found->near_count = args->search->hit_count = found->pair_count = 0;
    found->side_begin = found->side_end = 0;
    uint32_t blocks = cluster_rows(args);
    HEM_ASSERT(args->dt > 0.0f && args->view->info->particle_count <= UINT16_MAX + 1u);
    if (args->derived->body_row_count) {
        cluster_bodies(args);
        near_bodies(args, blocks);
        near_lists(args, args->derived->body_row_count * 8); // filled with the dummy
    }
    if (args->derived->simulated_pairs) {
        near_particles(args, blocks);
    }
}
