// SPDX-License-Identifier: MIT
#include "compiler/spatial.h"

#include <string.h>

// The trees are built by selecting medians in place, so their depth is log2(n) whatever the input: a thousand equal
// points or triangles cost no more than a thousand different ones. All choices are by (coordinate, index), a total
// order, so the same input gives the same tree everywhere.

// -- Numbers

uint64_t hemc_random_next(hemc_random* random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double hemc_random_unit(hemc_random* random) {
    return (double)(hemc_random_next(random) >> 11) * (1.0 / 9007199254740992.0);
}

double hemc_cube_root(double x) {
    if (!(x > 0.0)) {
        return 0.0;
    }
    // Bring x into [1, 8) by exact factors of 8, then Newton from 1.5 converges in a handful of steps.
    double scale = 1.0;
    while (x >= 8.0) {
        x *= 0.125;
        scale *= 2.0;
    }
    while (x < 1.0) {
        x *= 8.0;
        scale *= 0.5;
    }
    double r = 1.5;
    for (int i = 0; i < 8; ++i) {
        r = (2.0 * r + x / (r * r)) / 3.0;
    }
    return r * scale;
}

static bool item_less(hemc_sort_item a, hemc_sort_item b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
}

void hemc_sort_items(hemc_arena* arena, hemc_sort_item* items, size_t count) {
    if (count < 2) {
        return;
    }
    hemc_sort_item* other = hemc_alloc(arena, count, sizeof *other);
    hemc_sort_item* from = items;
    hemc_sort_item* to = other;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            size_t a = begin, b = middle;
            for (size_t k = begin; k < end; ++k) {
                to[k] = (b >= end || (a < middle && !item_less(from[b], from[a]))) ? from[a++] : from[b++];
            }
        }
        hemc_sort_item* swap = from;
        from = to;
        to = swap;
    }
    if (from != items) {
        memcpy(items, from, count * sizeof *items);
    }
}

void hemc_eigen3(const double m[6], double values[3], hemc_d3 vectors[3]) {
    double a[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int sweep = 0; sweep < 12; ++sweep) {
        for (int k = 0; k < 3; ++k) {
            int p = pairs[k][0], q = pairs[k][1];
            double off = a[p][q];
            if (fabs(off) <= 1e-300) {
                continue;
            }
            double theta = (a[q][q] - a[p][p]) / (2.0 * off);
            double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
            double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
            for (int i = 0; i < 3; ++i) {
                double x = a[i][p], y = a[i][q];
                a[i][p] = c * x - s * y;
                a[i][q] = s * x + c * y;
            }
            for (int i = 0; i < 3; ++i) {
                double x = a[p][i], y = a[q][i];
                a[p][i] = c * x - s * y;
                a[q][i] = s * x + c * y;
            }
            for (int i = 0; i < 3; ++i) {
                double x = v[i][p], y = v[i][q];
                v[i][p] = c * x - s * y;
                v[i][q] = s * x + c * y;
            }
        }
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            if (a[order[j]][order[j]] > a[order[i]][order[i]]) {
                int swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        values[i] = a[order[i]][order[i]];
        vectors[i] = d3(v[0][order[i]], v[1][order[i]], v[2][order[i]]);
    }
    vectors[0] = d3_unit(vectors[0], d3(1, 0, 0));
    vectors[1] = d3_unit(vectors[1], d3(0, 1, 0));
    vectors[2] = d3_cross(vectors[0], vectors[1]);
}

void hemc_quat_from_axes(hemc_d3 x, hemc_d3 y, hemc_d3 z, float q[4]) {
    // The largest of the four candidate components keeps the divisor away from zero.
    double trace = x.x + y.y + z.z;
    double r[4];
    if (trace >= 0.0) {
        double s = 2.0 * sqrt(1.0 + trace);
        r[0] = (y.z - z.y) / s, r[1] = (z.x - x.z) / s, r[2] = (x.y - y.x) / s, r[3] = 0.25 * s;
    } else if (x.x >= y.y && x.x >= z.z) {
        double s = 2.0 * sqrt(1.0 + x.x - y.y - z.z);
        r[0] = 0.25 * s, r[1] = (x.y + y.x) / s, r[2] = (z.x + x.z) / s, r[3] = (y.z - z.y) / s;
    } else if (y.y >= z.z) {
        double s = 2.0 * sqrt(1.0 + y.y - x.x - z.z);
        r[0] = (x.y + y.x) / s, r[1] = 0.25 * s, r[2] = (y.z + z.y) / s, r[3] = (z.x - x.z) / s;
    } else {
        double s = 2.0 * sqrt(1.0 + z.z - x.x - y.y);
        r[0] = (z.x + x.z) / s, r[1] = (y.z + z.y) / s, r[2] = 0.25 * s, r[3] = (x.y - y.x) / s;
    }
    double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    double scale = (r[3] < 0.0 ? -1.0 : 1.0) / (length > 1e-30 ? length : 1.0);
    for (int i = 0; i < 4; ++i) {
        q[i] = (float)(r[i] * scale);
    }
}

hemc_d3 hemc_quat_axis(const float q[4], int axis) {
    double x = q[0], y = q[1], z = q[2], w = q[3];
    switch (axis) {
    case 0:
        return d3(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w));
    case 1:
        return d3(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w));
    default:
        return d3(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y));
    }
}

// -- Triangles of a surface

// Each its own, also where two are one vertex.
static void rank_corners(const uint32_t v[3], int rank[3]) {
    rank[0] = (v[0] > v[1]) + (v[0] > v[2]);
    rank[1] = (v[1] >= v[0]) + (v[1] > v[2]);
    rank[2] = (v[2] >= v[0]) + (v[2] >= v[1]);
}

void hemc_sorted_corners(const hemc_surface* surface, uint32_t triangle, hemc_d3 corners[3]) {
    const uint32_t* v = &surface->triangles[3 * (size_t)triangle];
    int rank[3];
    rank_corners(v, rank);
    for (int i = 0; i < 3; ++i) {
        corners[rank[i]] = d3_from(surface->positions[v[i]]);
    }
}

hemc_d3 hemc_triangle_area_normal(const hemc_surface* surface, uint32_t triangle) {
    hemc_d3 a = hemc_corner(surface, triangle, 0);
    hemc_d3 ab = d3_sub(hemc_corner(surface, triangle, 1), a);
    hemc_d3 ac = d3_sub(hemc_corner(surface, triangle, 2), a);
    return d3_scale(d3_cross(ab, ac), 0.5);
}

hemc_d3 hemc_facing(hemc_d3 area_normal, double area) {
    return d3_length(area_normal) >= 0.25 * area ? d3_unit(area_normal, d3(0, 0, 0)) : d3(0, 0, 0);
}

double hemc_surface_area(const hemc_surface* surface) {
    double area = 0.0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        area += d3_length(hemc_triangle_area_normal(surface, t));
    }
    return area;
}

double hemc_triangle_nearest(hemc_d3 a, hemc_d3 b, hemc_d3 c, hemc_d3 p, hemc_d3* nearest, double bary[3]) {
    // The inside when the plane's foot lies within all three edges; else the best of the three edges. A triangle
    // without area falls through to its edges.
    hemc_d3 ab = d3_sub(b, a), ac = d3_sub(c, a), ap = d3_sub(p, a);
    hemc_d3 n = d3_cross(ab, ac);
    double nn = d3_dot(n, n);
    double w[3] = {1.0, 0.0, 0.0};
    bool inside = false;
    if (nn > 1e-60) {
        double v = d3_dot(d3_cross(ap, ac), n) / nn;
        double u = d3_dot(d3_cross(ab, ap), n) / nn;
        if (v >= 0.0 && u >= 0.0 && u + v <= 1.0) {
            w[0] = 1.0 - u - v, w[1] = v, w[2] = u;
            inside = true;
        }
    }
    if (!inside) {
        const hemc_d3 corner[3] = {a, b, c};
        double best = -1.0;
        for (int e = 0; e < 3; ++e) {
            int f = (e + 1) % 3;
            hemc_d3 d = d3_sub(corner[f], corner[e]);
            double dd = d3_dot(d, d);
            double t = dd > 0.0 ? d3_dot(d3_sub(p, corner[e]), d) / dd : 0.0;
            t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
            hemc_d3 r = d3_sub(p, d3_madd(corner[e], d, t));
            double rr = d3_dot(r, r);
            if (best < 0.0 || rr < best) {
                best = rr;
                w[0] = w[1] = w[2] = 0.0;
                w[e] = 1.0 - t;
                w[f] = t;
            }
        }
    }
    hemc_d3 q = d3_add(d3_add(d3_scale(a, w[0]), d3_scale(b, w[1])), d3_scale(c, w[2]));
    if (nearest) {
        *nearest = q;
    }
    if (bary) {
        memcpy(bary, w, sizeof w);
    }
    hemc_d3 r = d3_sub(p, q);
    return d3_dot(r, r);
}

#define SAMPLE_LIMIT 2000000

typedef struct sampler {
    hemc_arena* arena;
    hemc_samples* out;
    size_t position_capacity, info_capacity;
    double size;
    hemc_d3 normal;
    uint32_t triangle;
} sampler;

// Halves the longest side, so that a sliver is cut along its length only. `depth` bounds the work on absurd input.
static void sample_triangle(sampler* s, hemc_d3 a, hemc_d3 b, hemc_d3 c, double area, int depth) {
    double ab = d3_distance(a, b), bc = d3_distance(b, c), ca = d3_distance(c, a);
    double longest = ab >= bc && ab >= ca ? ab : bc >= ca ? bc : ca;
    if (longest > s->size && depth > 0 && s->out->count < SAMPLE_LIMIT) {
        if (longest == ab) {
            hemc_d3 m = d3_lerp(a, b, 0.5);
            sample_triangle(s, a, m, c, 0.5 * area, depth - 1);
            sample_triangle(s, m, b, c, 0.5 * area, depth - 1);
        } else if (longest == bc) {
            hemc_d3 m = d3_lerp(b, c, 0.5);
            sample_triangle(s, a, b, m, 0.5 * area, depth - 1);
            sample_triangle(s, a, m, c, 0.5 * area, depth - 1);
        } else {
            hemc_d3 m = d3_lerp(c, a, 0.5);
            sample_triangle(s, a, b, m, 0.5 * area, depth - 1);
            sample_triangle(s, m, b, c, 0.5 * area, depth - 1);
        }
        return;
    }
    hemc_samples* out = s->out;
    size_t needed = (size_t)out->count + 1;
    out->positions = hemc_grow(s->arena, out->positions, &s->position_capacity, needed, sizeof *out->positions);
    out->info = hemc_grow(s->arena, out->info, &s->info_capacity, needed, sizeof *out->info);
    hemc_sample sample = {s->normal, area, s->triangle};
    out->positions[out->count] = d3_to(d3_scale(d3_add(d3_add(a, b), c), 1.0 / 3.0));
    out->info[out->count++] = sample;
}

void hemc_surface_samples(hemc_arena* arena, const hemc_surface* surface, double size, hemc_samples* samples) {
    memset(samples, 0, sizeof *samples);
    // A size far below the surface's own would ask for too many points.
    double least = sqrt(4.0 * hemc_surface_area(surface) / (0.5 * SAMPLE_LIMIT));
    sampler s = {arena, samples, 0, 0, size > least ? size : least, {0, 0, 0}, 0};
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        hemc_d3 normal = hemc_triangle_area_normal(surface, t);
        s.normal = d3_unit(normal, d3(0, 0, 0));
        s.triangle = t;
        hemc_d3 corners[3];
        hemc_sorted_corners(surface, t, corners);
        sample_triangle(&s, corners[0], corners[1], corners[2], d3_length(normal), 40);
    }
}

// -- Points that do not change

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

// -- Points that arrive one by one

static uint32_t cell_hash(int64_t x, int64_t y, int64_t z) {
    uint64_t h =
        (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)z * 0x165667b19e3779f9u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32);
}

static int64_t cell_of(double x, double cell) {
    double c = floor(x / cell);
    return c < -4e18 ? INT64_MIN / 4 : c > 4e18 ? INT64_MAX / 4 : (int64_t)c;
}

void hemc_grid_init(hemc_grid* grid, hemc_arena* arena, double cell, uint32_t expected_count) {
    memset(grid, 0, sizeof *grid);
    grid->arena = arena;
    grid->cell = cell > 1e-12 ? cell : 1e-12;
    uint32_t buckets = 64;
    while (buckets < expected_count && buckets < 1u << 24) {
        buckets *= 2;
    }
    grid->bucket_mask = buckets - 1;
    grid->buckets = hemc_alloc(arena, buckets, sizeof *grid->buckets);
    memset(grid->buckets, 0xff, buckets * sizeof *grid->buckets);
}

uint32_t hemc_grid_add(hemc_grid* grid, hemc_d3 p) {
    grid->points = hemc_grow(grid->arena, grid->points, &grid->point_capacity, grid->count + 1, sizeof *grid->points);
    grid->next = hemc_grow(grid->arena, grid->next, &grid->next_capacity, grid->count + 1, sizeof *grid->next);
    uint32_t bucket =
        cell_hash(cell_of(p.x, grid->cell), cell_of(p.y, grid->cell), cell_of(p.z, grid->cell)) & grid->bucket_mask;
    grid->points[grid->count] = p;
    grid->next[grid->count] = grid->buckets[bucket];
    grid->buckets[bucket] = (int32_t)grid->count;
    return (uint32_t)grid->count++;
}

int32_t hemc_grid_nearest(hemc_grid* grid, hemc_d3 p, double radius) {
    double best = radius * radius;
    int32_t found = HEM_NONE;
    if (grid->count == 0) {
        return HEM_NONE;
    }
    int64_t cx = cell_of(p.x, grid->cell), cy = cell_of(p.y, grid->cell), cz = cell_of(p.z, grid->cell);
    for (int64_t x = cx - 1; x <= cx + 1; ++x) {
        for (int64_t y = cy - 1; y <= cy + 1; ++y) {
            for (int64_t z = cz - 1; z <= cz + 1; ++z) {
                // Two of the 27 cells may share a bucket; meeting a point twice does not change the answer.
                for (int32_t i = grid->buckets[cell_hash(x, y, z) & grid->bucket_mask]; i >= 0; i = grid->next[i]) {
                    hemc_d3 d = d3_sub(p, grid->points[i]);
                    double square = d3_dot(d, d);
                    ++grid->visit_count;
                    if (square < best || (square == best && found != HEM_NONE && i < found)) {
                        best = square;
                        found = i;
                    }
                }
            }
        }
    }
    return found;
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
            rank_corners(v, rank);
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

static uint32_t count_hits(hemc_bvh* bvh, uint32_t at, hemc_d3 p, hemc_d3 dir, hemc_d3 inverse) {
    const hemc_bvh_node* node = &bvh->nodes[at];
    ++bvh->visit_count;
    if (!ray_meets_box(node, p, inverse)) {
        return 0;
    }
    if (node->count == 0) {
        return count_hits(bvh, node->begin, p, dir, inverse) + count_hits(bvh, node->begin + 1, p, dir, inverse);
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
        hits += u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0;
    }
    return hits;
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
        hemc_d3 inverse = d3(1.0 / dir.x, 1.0 / dir.y, 1.0 / dir.z);
        votes += (int)(count_hits(bvh, 0, p, dir, inverse) & 1u);
    }
    return votes >= 2;
}
