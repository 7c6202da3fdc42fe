// SPDX-License-Identifier: MIT
#include "compiler/surface/spatial.h"

#include <string.h>

// The trees are built by selecting medians in place, so their depth is log2(n) whatever the input: a thousand equal
// points or triangles cost no more than a thousand different ones. All choices are by (coordinate, index), a total
// order, so the same input gives the same tree everywhere.

// -- Points

// What a tree is built of: points (of triangles: the centres), moved about together with their numbers.
typedef struct place {
    float p[3];
    uint32_t index;
} place;

static bool place_less(const place* a, const place* b, int axis) {
    return a->p[axis] < b->p[axis] || (a->p[axis] == b->p[axis] && a->index < b->index);
}

// Puts the item of rank `middle` in its place, smaller ones before it, larger ones after it. The pivot is the median of
// three; since the order is total, equal coordinates do not make it slow.
static void select_middle(place* items, int axis, uint32_t begin, uint32_t end, uint32_t middle) {
    while (end - begin > 1) {
        const place a = items[begin], b = items[begin + (end - begin) / 2], c = items[end - 1];
        const place pivot = place_less(&a, &b, axis) ? (place_less(&b, &c, axis)   ? b
                                                        : place_less(&a, &c, axis) ? c
                                                                                   : a)
                                                     : (place_less(&a, &c, axis)   ? a
                                                        : place_less(&b, &c, axis) ? c
                                                                                   : b);
        uint32_t i = begin, j = end - 1;
        for (;;) {
            while (place_less(&items[i], &pivot, axis)) {
                ++i;
            }
            while (place_less(&pivot, &items[j], axis)) {
                --j;
            }
            if (i >= j) {
                break;
            }
            const place swap = items[i];
            items[i] = items[j];
            items[j] = swap;
            // The pivot itself stops both sides, so step over it only when it is not one of the two.
            if (items[i].index != pivot.index) {
                ++i;
            }
            if (items[j].index != pivot.index) {
                --j;
            }
        }
        if (i == middle) {
            return;
        }
        if (middle < i) {
            end = i;
        } else {
            begin = i + 1;
        }
    }
}

static void start_box(hemc_box* box, const float p[3]) {
    memcpy(box->min, p, sizeof box->min);
    memcpy(box->max, p, sizeof box->max);
}

static void widen_box(hemc_box* box, const float low[3], const float high[3]) {
    for (int k = 0; k < 3; ++k) {
        box->min[k] = low[k] < box->min[k] ? low[k] : box->min[k];
        box->max[k] = high[k] > box->max[k] ? high[k] : box->max[k];
    }
}

static hemc_box bound_places(const place* items, uint32_t begin, uint32_t end) {
    hemc_box box;
    start_box(&box, items[begin].p);
    for (uint32_t i = begin + 1; i < end; ++i) {
        widen_box(&box, items[i].p, items[i].p);
    }
    return box;
}

static int widest_axis(const hemc_box* box) {
    float x = box->max[0] - box->min[0], y = box->max[1] - box->min[1], z = box->max[2] - box->min[2];
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static void kd_build_range(hemc_kd* kd, place* items, uint32_t begin, uint32_t end) {
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        kd->boxes[middle] = bound_places(items, begin, end);
        const int axis = widest_axis(&kd->boxes[middle]);
        select_middle(items, axis, begin, end, middle);
        kd->split[middle] = (uint8_t)axis;
        kd_build_range(kd, items, begin, middle);
        begin = middle + 1;
    }
}

void hemc_kd_build(hemc_arena* arena, hemc_kd* kd, const hemc_vec3* points, uint32_t count) {
    memset(kd, 0, sizeof *kd);
    kd->count = count;
    kd->order = hemc_alloc(arena, count ? count : 1, sizeof *kd->order);
    kd->points = hemc_alloc(arena, count ? count : 1, sizeof *kd->points);
    kd->split = hemc_alloc(arena, count ? count : 1, sizeof *kd->split);
    kd->boxes = hemc_alloc(arena, count ? count : 1, sizeof *kd->boxes);
    place* items = hemc_alloc(arena, count ? count : 1, sizeof *items);
    for (uint32_t i = 0; i < count; ++i) {
        items[i] = (place){{points[i].x, points[i].y, points[i].z}, i};
    }
    kd_build_range(kd, items, 0, count);
    for (uint32_t i = 0; i < count; ++i) {
        kd->order[i] = items[i].index;
        kd->points[i] = points[items[i].index];
    }
}

// Ranges of the order yet to be searched. A tree is balanced, so that 2^32 points would not fill it.
//
// A range is left out when the plane that parts it from the point is too far away, and else when its box is: points on a
// line or a sheet are all on the near side of any plane across it, however far the sheet itself is.
#define STACK_LIMIT 40

typedef struct waiting {
    uint32_t begin, end;
    double gap_square; // of the plane that parts the range from the point
} waiting;

// The next range that may hold something within the limit; false when none is left.
static bool next_range(const hemc_kd* kd, hemc_d3 p, double limit_square, const waiting* stack, uint32_t* depth,
                       uint32_t* begin, uint32_t* end) {
    while (*depth > 0) {
        const waiting* w = &stack[--*depth];
        if (w->gap_square <= limit_square && w->begin < w->end &&
            hemc_box_square(&kd->boxes[w->begin + (w->end - w->begin) / 2], p) <= limit_square) {
            *begin = w->begin;
            *end = w->end;
            return true;
        }
    }
    return false;
}

// The k nearest so far, kept sorted. k is small wherever it is used.
typedef struct near_set {
    hemc_kd* kd;
    hemc_d3 p;
    double limit_square; // of what may still enter
    uint32_t count, capacity;
    hemc_near* items;
    double* squares;
} near_set;

static void near_offer(near_set* set, uint32_t index, double square) {
    uint32_t at = set->count;
    while (at > 0 &&
           (set->squares[at - 1] > square || (set->squares[at - 1] == square && set->items[at - 1].index > index))) {
        --at;
    }
    if (at >= set->capacity) {
        return;
    }
    uint32_t last = set->count < set->capacity ? set->count++ : set->capacity - 1;
    for (uint32_t i = last; i > at; --i) {
        set->items[i] = set->items[i - 1];
        set->squares[i] = set->squares[i - 1];
    }
    set->items[at].index = index;
    set->squares[at] = square;
    if (set->count == set->capacity && set->squares[set->count - 1] < set->limit_square) {
        set->limit_square = set->squares[set->count - 1];
    }
}

static void near_visit(near_set* set) {
    hemc_kd* kd = set->kd;
    waiting stack[STACK_LIMIT];
    uint32_t begin = 0, end = kd->count, depth = 0;
    for (;;) {
        while (begin < end) {
            uint32_t middle = begin + (end - begin) / 2;
            hemc_d3 d = d3_sub(set->p, d3_from(kd->points[middle]));
            double square = d3_dot(d, d);
            ++kd->visit_count;
            if (square <= set->limit_square) {
                near_offer(set, kd->order[middle], square);
            }
            if (end - begin == 1) {
                break;
            }
            // The side that p is on first.
            int axis = kd->split[middle];
            double gap = axis == 0 ? d.x : axis == 1 ? d.y : d.z;
            if (gap < 0.0) {
                stack[depth++] = (waiting){middle + 1, end, gap * gap};
                end = middle;
            } else {
                stack[depth++] = (waiting){begin, middle, gap * gap};
                begin = middle + 1;
            }
        }
        if (!next_range(kd, set->p, set->limit_square, stack, &depth, &begin, &end)) {
            return;
        }
    }
}

#define NEAR_LIMIT 64

uint32_t hemc_kd_near(hemc_kd* kd, hemc_d3 p, double radius, uint32_t limit, hemc_near* near) {
    double squares[NEAR_LIMIT];
    near_set set = {kd, p, radius * radius, 0, limit < NEAR_LIMIT ? limit : NEAR_LIMIT, near, squares};
    if (set.capacity == 0 || !(radius >= 0.0)) {
        return 0;
    }
    near_visit(&set);
    for (uint32_t i = 0; i < set.count; ++i) {
        near[i].distance = (float)sqrt(squares[i]);
    }
    return set.count;
}

int32_t hemc_kd_nearest(hemc_kd* kd, hemc_d3 p, double radius, double* distance) {
    hemc_near near;
    double square = 0.0;
    near_set set = {kd, p, radius * radius, 0, 1, &near, &square};
    if (!(radius >= 0.0)) {
        return HEM_NONE;
    }
    near_visit(&set);
    if (set.count == 0) {
        return HEM_NONE;
    }
    if (distance) {
        *distance = sqrt(square);
    }
    return (int32_t)near.index;
}

void hemc_kd_radius(hemc_arena* arena, hemc_kd* kd, hemc_d3 p, double radius, hemc_index_list* list) {
    const double limit = radius * radius;
    waiting stack[STACK_LIMIT];
    uint32_t begin = 0, end = kd->count, depth = 0;
    list->count = 0;
    for (;;) {
        while (begin < end) {
            uint32_t middle = begin + (end - begin) / 2;
            hemc_d3 d = d3_sub(p, d3_from(kd->points[middle]));
            ++kd->visit_count;
            if (d3_dot(d, d) <= limit) {
                if (list->count == list->capacity) {
                    list->items = hemc_grow(arena, list->items, &list->capacity, list->count + 1, sizeof *list->items);
                }
                list->items[list->count++] = kd->order[middle];
            }
            if (end - begin == 1) {
                break;
            }
            int axis = kd->split[middle];
            double gap = axis == 0 ? d.x : axis == 1 ? d.y : d.z;
            if (gap * gap <= limit) {
                stack[depth++] = (waiting){middle + 1, end, 0.0};
                end = middle;
            } else if (gap <= 0.0) {
                end = middle;
            } else {
                begin = middle + 1;
            }
        }
        if (!next_range(kd, p, limit, stack, &depth, &begin, &end)) {
            return;
        }
    }
}

// -- Triangles

#define BVH_LEAF 4

static hemc_d3 bvh_corner(const hemc_bvh* bvh, uint32_t triangle, int corner) {
    return d3_from(bvh->positions[bvh->triangles[3 * (size_t)triangle + (size_t)corner]]);
}

static void bvh_bound_leaf(hemc_bvh* bvh, hemc_bvh_node* node) {
    for (uint32_t i = 0; i < 3 * node->count; ++i) {
        const hemc_vec3 p = bvh->positions[bvh->triangles[3 * (size_t)bvh->order[node->begin + i / 3] + i % 3]];
        const float v[3] = {p.x, p.y, p.z};
        if (i == 0) {
            start_box(&node->box, v);
        }
        widen_box(&node->box, v, v);
    }
}

static void bvh_split(hemc_bvh* bvh, place* items, uint32_t at, uint32_t begin, uint32_t end) {
    hemc_bvh_node* node = &bvh->nodes[at];
    if (end - begin <= BVH_LEAF) {
        for (uint32_t i = begin; i < end; ++i) {
            bvh->order[i] = items[i].index;
        }
        node->begin = begin;
        node->count = end - begin;
        bvh_bound_leaf(bvh, node);
        return;
    }
    const uint32_t middle = begin + (end - begin) / 2;
    const hemc_box centers = bound_places(items, begin, end);
    select_middle(items, widest_axis(&centers), begin, end, middle);
    const uint32_t children = bvh->node_count;
    bvh->node_count += 2;
    node->begin = children;
    node->count = 0;
    bvh_split(bvh, items, children, begin, middle);
    bvh_split(bvh, items, children + 1, middle, end);
    node->box = bvh->nodes[children].box;
    widen_box(&node->box, bvh->nodes[children + 1].box.min, bvh->nodes[children + 1].box.max);
}

void hemc_bvh_build(hemc_arena* arena, hemc_bvh* bvh, const hemc_vec3* positions, const uint32_t* triangles,
                    const uint32_t* subset, uint32_t count) {
    memset(bvh, 0, sizeof *bvh);
    bvh->positions = positions;
    bvh->triangles = triangles;
    bvh->triangle_count = count;
    if (count == 0) {
        return;
    }
    bvh->order = hemc_alloc(arena, count, sizeof *bvh->order);
    place* items = hemc_alloc(arena, count, sizeof *items);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t t = subset ? subset[i] : i;
        hemc_d3 sum = d3_add(d3_add(bvh_corner(bvh, t, 0), bvh_corner(bvh, t, 1)), bvh_corner(bvh, t, 2));
        hemc_vec3 center = d3_to(d3_scale(sum, 1.0 / 3.0));
        items[i] = (place){{center.x, center.y, center.z}, t};
    }
    bvh->nodes = hemc_alloc(arena, 2 * (size_t)count, sizeof *bvh->nodes);
    bvh->node_count = 1;
    bvh_split(bvh, items, 0, 0, count);
}

typedef struct bvh_query {
    hemc_bvh* bvh;
    hemc_d3 p, point;
    double best, bary[3];
    int32_t triangle;
} bvh_query;

static void bvh_visit(bvh_query* query, uint32_t at) {
    hemc_bvh* bvh = query->bvh;
    const hemc_bvh_node* node = &bvh->nodes[at];
    ++bvh->visit_count;
    if (node->count > 0) {
        for (uint32_t i = node->begin; i < node->begin + node->count; ++i) {
            uint32_t t = bvh->order[i];
            // Corners by vertex, as in hemc_sorted_corners: where two triangles are as near as each other to the last bit, a
            // mirrored query finds the same one.
            const uint32_t* v = &bvh->triangles[3 * (size_t)t];
            int rank[3];
            hemc_d3 corner[3], point;
            hemc_rank_corners(v, rank);
            for (int c = 0; c < 3; ++c) {
                corner[rank[c]] = d3_from(bvh->positions[v[c]]);
            }
            double sorted[3];
            double square = hemc_triangle_nearest(corner[0], corner[1], corner[2], query->p, &point, sorted);
            if (square < query->best ||
                (square == query->best && (query->triangle < 0 || (int32_t)t < query->triangle))) {
                query->best = square;
                query->point = point;
                query->triangle = (int32_t)t;
                for (int c = 0; c < 3; ++c) {
                    query->bary[c] = sorted[rank[c]];
                }
            }
        }
        return;
    }
    double a = hemc_box_square(&bvh->nodes[node->begin].box, query->p);
    double b = hemc_box_square(&bvh->nodes[node->begin + 1].box, query->p);
    uint32_t first = node->begin + (b < a ? 1u : 0u), second = node->begin + (b < a ? 0u : 1u);
    if ((b < a ? b : a) <= query->best) {
        bvh_visit(query, first);
    }
    if ((b < a ? a : b) <= query->best) {
        bvh_visit(query, second);
    }
}

int32_t hemc_bvh_nearest(hemc_bvh* bvh, hemc_d3 p, double radius, double* distance, hemc_d3* point, double bary[3]) {
    if (bvh->triangle_count == 0 || !(radius >= 0.0)) {
        return HEM_NONE;
    }
    bvh_query query;
    memset(&query, 0, sizeof query);
    query.bvh = bvh;
    query.p = p;
    query.best = radius * radius;
    query.triangle = HEM_NONE;
    if (hemc_box_square(&bvh->nodes[0].box, p) <= query.best) {
        bvh_visit(&query, 0);
    }
    if (query.triangle == HEM_NONE) {
        return HEM_NONE;
    }
    if (distance) {
        *distance = sqrt(query.best);
    }
    if (point) {
        *point = query.point;
    }
    if (bary) {
        memcpy(bary, query.bary, sizeof query.bary);
    }
    return query.triangle;
}

static bool ray_meets_box(const hemc_bvh_node* node, hemc_d3 p, hemc_d3 inverse) {
    double near = 0.0, far = 1e300;
    const double o[3] = {p.x, p.y, p.z}, r[3] = {inverse.x, inverse.y, inverse.z};
    for (int axis = 0; axis < 3; ++axis) {
        double a = (node->box.min[axis] - o[axis]) * r[axis], b = (node->box.max[axis] - o[axis]) * r[axis];
        double lo = a < b ? a : b, hi = a < b ? b : a;
        near = lo > near ? lo : near;
        far = hi < far ? hi : far;
    }
    // A hair of slack: a flat box must not lose a hit to rounding.
    return near <= far * (1.0 + 1e-9) + 1e-12;
}

// How many there are; *first comes down to the distance of the nearest.
static uint32_t count_hits(hemc_bvh* bvh, uint32_t at, hemc_d3 p, hemc_d3 dir, hemc_d3 inverse, double* first) {
    const hemc_bvh_node* node = &bvh->nodes[at];
    ++bvh->visit_count;
    if (!ray_meets_box(node, p, inverse)) {
        return 0;
    }
    if (node->count == 0) {
        return count_hits(bvh, node->begin, p, dir, inverse, first) +
               count_hits(bvh, node->begin + 1, p, dir, inverse, first);
    }
    uint32_t hits = 0;
    for (uint32_t i = node->begin; i < node->begin + node->count; ++i) {
        hemc_d3 a = bvh_corner(bvh, bvh->order[i], 0);
        hemc_d3 ab = d3_sub(bvh_corner(bvh, bvh->order[i], 1), a), ac = d3_sub(bvh_corner(bvh, bvh->order[i], 2), a);
        hemc_d3 h = d3_cross(dir, ac);
        double det = d3_dot(ab, h);
        if (fabs(det) < 1e-60) {
            continue;
        }
        hemc_d3 ap = d3_sub(p, a);
        double u = d3_dot(ap, h) / det;
        hemc_d3 q = d3_cross(ap, ab);
        double v = d3_dot(dir, q) / det;
        double t = d3_dot(ac, q) / det;
        const bool hit = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0;
        *first = hit && t < *first ? t : *first;
        hits += hit;
    }
    return hits;
}

static hemc_d3 inverse_of(hemc_d3 dir) { // along an axis a large number stands for infinity, which times 0 is none
    return d3(dir.x != 0.0 ? 1.0 / dir.x : 1e300, dir.y != 0.0 ? 1.0 / dir.y : 1e300,
              dir.z != 0.0 ? 1.0 / dir.z : 1e300);
}

double hemc_bvh_first_hit(hemc_bvh* bvh, hemc_d3 p, hemc_d3 direction) {
    double first = 1e30;
    if (bvh->triangle_count != 0) {
        (void)count_hits(bvh, 0, p, direction, inverse_of(direction), &first);
    }
    return first;
}

bool hemc_bvh_inside(hemc_bvh* bvh, hemc_d3 p) {
    // Directions that no modelled edge is likely to be parallel to; a ray that grazes an edge is outvoted.
    static const double directions[3][3] = {
        {0.571348, 0.690381, 0.443757}, {-0.763221, 0.317491, 0.562775}, {0.241807, -0.523491, 0.816992}};
    if (bvh->triangle_count == 0) {
        return false;
    }
    int votes = 0;
    for (int i = 0; i < 3; ++i) {
        hemc_d3 dir = d3(directions[i][0], directions[i][1], directions[i][2]);
        double first = 1e30;
        votes += (int)(count_hits(bvh, 0, p, dir, inverse_of(dir), &first) & 1u);
    }
    return votes >= 2;
}
