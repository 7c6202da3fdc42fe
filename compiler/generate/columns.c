// SPDX-License-Identifier: MIT
#include "compiler/generate/cut.h"

#include <string.h>

// How many particles each contour gets, where, and in which column.
//
// Columns. The paper drops particles every h along each contour, from an arbitrary start; courses then do not line up. Here
// contours of neighbouring levels are matched by overlap into a forest. Each tree starts from its longest contour, and
// every contour takes over the columns of its parent: the same number, evenly spaced along it, as long as the spacing
// stays within [SPACING_MIN, SPACING_MAX] h. When it does not, a new number is chosen, looking ahead for one that
// lasts, preferring twice or half the old one and, for rings, multiples of eight. On open contours the ends say which
// columns exist: a border that runs across the levels gains or loses columns as it goes.

#define SPACING_MIN 0.7 // half of the other: when a course gets too dense, every second column can end
#define SPACING_MAX 1.4
#define RING_SLACK 1.08 // a ring is rather a little off than of another number
#define LAST_ROW_SLACK 1.1
#define SHORT 0.66 // an open contour below this share of the spacing gets one particle
#define OVERLAP_REACH 2.5

static double contour_wrap(const hemc_contour* contour, double t) {
    if (contour->closed && contour->length > 0.0) {
        t -= floor(t / contour->length) * contour->length;
    }
    return t < 0.0 ? 0.0 : t > contour->length ? contour->length : t;
}

// Station along the course's own direction -> point and normal.
void hemc_course_point(const hemc_course* r, double t, hemc_d3* point, hemc_d3* normal) {
    const hemc_contour* contour = r->contour;
    t = contour_wrap(contour, r->reversed ? contour->length - t : t);
    uint32_t lo = 0, hi = contour->closed ? contour->count : contour->count - 1;
    while (hi - lo > 1) {
        uint32_t middle = (lo + hi) / 2;
        if (contour->station[middle] <= t) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    uint32_t next = hi == contour->count ? 0 : hi;
    double gap = contour->station[hi] - contour->station[lo];
    double f = gap > 0.0 ? (t - contour->station[lo]) / gap : 0.0;
    *point = d3_lerp(contour->points[lo], contour->points[next], f);
    *normal = d3_lerp(contour->normals[lo], contour->normals[next], f);
}

// Station of the point of the course nearest to p. Beyond an open end it goes on in a straight line. False = too far.
static bool course_project(hemc_course* r, hemc_d3 p, double reach, double* station) {
    const hemc_contour* contour = r->contour;
    int32_t near = hemc_kd_nearest(&r->kd, p, reach, NULL);
    if (near == HEM_NONE) {
        return false;
    }
    double best = -1.0, t = contour->station[near];
    for (int side = -1; side <= 0; ++side) {
        int64_t a = near + side, b = a + 1;
        if (!contour->closed && (a < 0 || b >= (int64_t)contour->count)) {
            continue;
        }
        uint32_t i = (uint32_t)((a + contour->count) % contour->count), j = (uint32_t)(b % contour->count);
        hemc_d3 d = d3_sub(contour->points[j], contour->points[i]);
        double dd = d3_dot(d, d);
        double f = dd > 0.0 ? d3_dot(d3_sub(p, contour->points[i]), d) / dd : 0.0;
        double g = f < 0.0 ? 0.0 : f > 1.0 ? 1.0 : f;
        // Open ends: let the line go on.
        if (!contour->closed && ((i == 0 && f < 0.0) || (j == contour->count - 1 && f > 1.0))) {
            g = f;
        }
        double square = d3_distance(p, d3_madd(contour->points[i], d, g < 0.0 ? 0.0 : g > 1.0 ? 1.0 : g));
        if (best < 0.0 || square < best) {
            best = square;
            double span = contour->station[i + 1] - contour->station[i];
            t = contour->station[i] + span * (g < 0.0 ? 0.0 : g > 1.0 ? 1.0 : g);
            if (g < 0.0 || g > 1.0) {
                t += (g < 0.0 ? g : g - 1.0) * sqrt(dd);
            }
        }
    }
    *station = r->reversed ? contour->length - t : t;
    return true;
}

// -- Matching contours of neighbouring levels

static void add_overlap(hemc_cut* c, uint32_t low, uint32_t high, double weight) {
    c->overlaps =
        hemc_grow(c->gen->arena, c->overlaps, &c->overlap_capacity, c->overlap_count + 1, sizeof *c->overlaps);
    hemc_overlap o = {low, high, weight};
    c->overlaps[c->overlap_count++] = o;
}

static void index_level(hemc_cut* c, uint32_t level) {
    hemc_arena* arena = c->gen->arena;
    uint32_t begin = c->level_starts[level], end = c->level_starts[level + 1];
    size_t total = 0;
    for (uint32_t r = begin; r < end; ++r) {
        total += c->courses[r].contour->count;
    }
    hemc_vec3* points = hemc_alloc(arena, total + 1, sizeof *points);
    uint32_t* owner = hemc_alloc(arena, total + 1, sizeof *owner);
    total = 0;
    for (uint32_t r = begin; r < end; ++r) {
        for (uint32_t i = 0; i < c->courses[r].contour->count; ++i) {
            points[total] = d3_to(c->courses[r].contour->points[i]);
            owner[total++] = r;
        }
    }
    hemc_kd_build(arena, &c->level_kd[level], points, (uint32_t)total);
    c->level_owner[level] = owner;
}

static void gather_overlaps(hemc_cut* c, uint32_t from_level, uint32_t to_level) {
    hemc_kd* kd = &c->level_kd[to_level];
    const uint32_t* owner = c->level_owner[to_level];
    double reach = OVERLAP_REACH * c->gen->spacing;
    for (uint32_t r = c->level_starts[from_level]; r < c->level_starts[from_level + 1]; ++r) {
        const hemc_contour* contour = c->courses[r].contour;
        int32_t last = HEM_NONE, near = HEM_NONE;
        double weight = 0.0, distance = 0.0;
        for (uint32_t i = 0; i < contour->count; ++i) {
            // What was nearest to the last point is nearly so to this one.
            double bound = reach;
            if (near != HEM_NONE) {
                bound = (distance + d3_distance(contour->points[i - 1], contour->points[i])) * (1.0 + 1e-9);
            }
            near = hemc_kd_nearest(kd, contour->points[i], bound < reach ? bound : reach, &distance);
            int32_t to = near == HEM_NONE ? HEM_NONE : (int32_t)owner[near];
            if (to != last) {
                if (last != HEM_NONE) {
                    add_overlap(c, r < (uint32_t)last ? r : (uint32_t)last, r < (uint32_t)last ? (uint32_t)last : r,
                                weight);
                }
                last = to;
                weight = 0.0;
            }
            // A contour of a single point still counts for something.
            weight += contour->station[i + 1] - contour->station[i] + 1e-6 * c->gen->spacing;
        }
        if (last != HEM_NONE) {
            add_overlap(c, r < (uint32_t)last ? r : (uint32_t)last, r < (uint32_t)last ? (uint32_t)last : r, weight);
        }
    }
}

static void merge_overlaps(hemc_cut* c) {
    hemc_arena* arena = c->gen->arena;
    size_t count = c->overlap_count;
    if (count == 0) {
        return;
    }
    uint64_t* keys = hemc_alloc(arena, count, sizeof *keys);
    uint32_t* values = hemc_alloc(arena, count, sizeof *values);
    for (size_t i = 0; i < count; ++i) {
        keys[i] = (uint64_t)c->overlaps[i].low << 32 | c->overlaps[i].high;
        values[i] = (uint32_t)i;
    }
    hemc_sort(arena, keys, values, count);
    hemc_overlap* merged = hemc_alloc(arena, count, sizeof *merged);
    size_t merged_count = 0;
    for (size_t i = 0; i < count; ++i) {
        hemc_overlap o = c->overlaps[values[i]];
        if (merged_count > 0 && merged[merged_count - 1].low == o.low && merged[merged_count - 1].high == o.high) {
            merged[merged_count - 1].weight += o.weight;
        } else {
            merged[merged_count++] = o;
        }
    }
    c->overlaps = merged;
    c->overlap_count = merged_count;
}

bool hemc_courses_overlap(const hemc_cut* c, uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    size_t lo = 0, hi = c->overlap_count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        const hemc_overlap* o = &c->overlaps[middle];
        if (o->low < low || (o->low == low && o->high < high)) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < c->overlap_count && c->overlaps[lo].low == low && c->overlaps[lo].high == high;
}

static double root_merit(const hemc_course* r) {
    return r->contour->closed ? 1.5 * r->contour->length : r->contour->length;
}

// Maximum spanning forest over the overlaps, each tree hung from its longest contour. Returns courses, parents first.
static uint32_t* build_forest(hemc_cut* c) {
    hemc_arena* arena = c->gen->arena;
    uint32_t n = c->course_count;
    uint32_t* roots = hemc_alloc(arena, n, sizeof *roots);
    uint32_t* starts = hemc_alloc(arena, (size_t)n + 2, sizeof *starts);
    for (uint32_t i = 0; i < n; ++i) {
        roots[i] = i;
    }
    hemc_sort_item* order = hemc_alloc(arena, c->overlap_count + 1, sizeof *order);
    double unit = 0.01 * c->gen->spacing;
    for (size_t i = 0; i < c->overlap_count; ++i) {
        order[i].key = -floor(c->overlaps[i].weight / unit + 0.5);
        order[i].index = (uint32_t)i;
    }
    hemc_sort_items(arena, order, c->overlap_count);
    uint8_t* kept = hemc_alloc(arena, c->overlap_count + 1, sizeof *kept);
    for (size_t i = 0; i < c->overlap_count; ++i) {
        const hemc_overlap* o = &c->overlaps[order[i].index];
        uint32_t a = hemc_root_of(roots, o->low), b = hemc_root_of(roots, o->high);
        if (a != b) {
            roots[a > b ? a : b] = a > b ? b : a;
            kept[order[i].index] = 1;
            ++starts[o->low + 2];
            ++starts[o->high + 2];
        }
    }
    for (uint32_t i = 2; i < n + 2; ++i) {
        starts[i] += starts[i - 1];
    }
    uint32_t* edges = hemc_alloc(arena, (size_t)starts[n + 1] + 1, sizeof *edges);
    for (size_t i = 0; i < c->overlap_count; ++i) {
        if (kept[i]) {
            edges[starts[c->overlaps[i].low + 1]++] = (uint32_t)i;
            edges[starts[c->overlaps[i].high + 1]++] = (uint32_t)i;
        }
    }
    // Root: the lowest contour among those of (nearly) the greatest length, so that rounding cannot move it. Rings count for
    // more: the ragged hem of a skirt, longer but torn, must not set the columns.
    double* longest = hemc_alloc(arena, n, sizeof *longest);
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t r = hemc_root_of(roots, i);
        longest[r] = root_merit(&c->courses[i]) > longest[r] ? root_merit(&c->courses[i]) : longest[r];
    }
    uint32_t* sequence = hemc_alloc(arena, (size_t)n + 1, sizeof *sequence);
    uint32_t count = 0, trees = 0;
    uint8_t* seen = hemc_alloc(arena, n, sizeof *seen);
    uint8_t* rooted = hemc_alloc(arena, n, sizeof *rooted);
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t r = hemc_root_of(roots, i);
        if (rooted[r] || root_merit(&c->courses[i]) < 0.999 * longest[r]) {
            continue;
        }
        rooted[r] = 1;
        seen[i] = 1;
        c->courses[i].parent = HEM_NONE;
        c->courses[i].tree = trees++;
        uint32_t head = count;
        sequence[count++] = i;
        for (; head < count; ++head) {
            uint32_t at = sequence[head];
            c->courses[at].child = HEM_NONE;
            for (uint32_t e = starts[at]; e < starts[at + 1]; ++e) {
                const hemc_overlap* o = &c->overlaps[edges[e]];
                uint32_t to = o->low == at ? o->high : o->low;
                if (seen[to]) {
                    continue;
                }
                seen[to] = 1;
                c->courses[to].parent = (int32_t)at;
                c->courses[to].tree = c->courses[at].tree;
                if (c->courses[at].child == HEM_NONE || o->weight > c->courses[at].child_weight) {
                    c->courses[at].child = (int32_t)to;
                    c->courses[at].child_weight = o->weight;
                }
                sequence[count++] = to;
            }
        }
    }
    c->periods = hemc_alloc(arena, (size_t)trees + 1, sizeof *c->periods);
    c->key_tops = hemc_alloc(arena, (size_t)trees + 1, sizeof *c->key_tops);
    return sequence;
}

// -- How many columns

typedef struct count_range {
    double low, high; // gaps; a closed contour has as many particles, an open one has one more
} count_range;

static count_range gap_range(const hemc_cut* c, const hemc_contour* contour) {
    double h = c->gen->spacing;
    count_range r = {contour->length / (SPACING_MAX * h), contour->length / (SPACING_MIN * h)};
    return r;
}

// The last course of a tree may stretch a little more: one course is not worth a change of columns.
static bool gaps_fit(const hemc_cut* c, const hemc_course* r, double gaps) {
    count_range range = gap_range(c, r->contour);
    double slack = r->child == HEM_NONE ? LAST_ROW_SLACK : r->contour->closed ? RING_SLACK : 1.0;
    return gaps * slack >= range.low && gaps <= range.high * slack && gaps >= (r->contour->closed ? 3.0 : 1.0);
}

static bool has_multiple(double low, double high, double of) {
    return floor(high / of) * of >= low;
}

// Gaps for a contour that cannot keep its parent's: long-lived first, then near the wanted spacing, then lane-friendly.
static uint32_t choose_gaps(const hemc_cut* c, uint32_t at, uint32_t parent_gaps) {
    const hemc_contour* contour = c->courses[at].contour;
    double h = c->gen->spacing;
    count_range range = gap_range(c, contour);
    double low = floor(range.low) < range.low ? floor(range.low) + 1.0 : range.low, high = floor(range.high);
    double minimum = contour->closed ? 3.0 : 1.0;
    if (low > high || high < minimum) { // short contour: what comes nearest
        double n = floor(contour->length / h + 0.5);
        if (!contour->closed && contour->length < SHORT * h) {
            return 0;
        }
        return (uint32_t)(n > minimum ? n : minimum);
    }
    low = low < minimum ? minimum : low;
    double shortest = contour->length, longest = contour->length;
    double multiple = c->gen->column_multiple, ends = contour->closed ? 0.0 : 1.0; // particles = gaps + ends
    multiple = has_multiple(low + ends, high + ends, multiple) ? multiple : 1.0;
    for (int32_t next = c->courses[at].child; next != HEM_NONE; next = c->courses[next].child) {
        const hemc_contour* ahead = c->courses[next].contour;
        count_range r = gap_range(c, ahead);
        double l = r.low > low ? r.low : low, g = r.high < high ? r.high : high;
        l = floor(l) < l ? floor(l) + 1.0 : l;
        g = floor(g);
        if (ahead->closed != contour->closed || l > g || g < minimum || !has_multiple(l + ends, g + ends, multiple)) {
            break;
        }
        low = l;
        high = g;
        shortest = ahead->length < shortest ? ahead->length : shortest;
        longest = ahead->length > longest ? ahead->length : longest;
    }
    double ideal = sqrt(shortest * longest) / h;
    uint32_t best = (uint32_t)low;
    double best_score = -1.0;
    for (double n = low; n <= high; n += 1.0) {
        uint32_t gaps = (uint32_t)n, particles = gaps + (contour->closed ? 0u : 1u);
        double score = n > ideal ? n / ideal - 1.0 : ideal / n - 1.0;
        if (c->gen->column_multiple > 1 && particles % c->gen->column_multiple != 0) {
            score += contour->closed ? (gaps % 2 ? 0.3 : gaps % 4 ? 0.25 : 0.2) : 0.12;
        }
        if (parent_gaps > 0 && gaps != 2 * parent_gaps && 2 * gaps != parent_gaps) {
            score += 2 * gaps == 3 * parent_gaps || 3 * gaps == 2 * parent_gaps ? 0.1 : 0.2;
        }
        if (best_score < 0.0 || score < best_score - 1e-9) {
            best_score = score;
            best = gaps;
        }
    }
    return best;
}

// -- Placing one contour's particles

static uint32_t new_column(hemc_cut* c, uint32_t tree, double key) {
    c->columns = hemc_grow(c->gen->arena, c->columns, &c->column_capacity, c->column_count + 1, sizeof *c->columns);
    hemc_column made = {key, tree, 0};
    c->key_tops[tree] = key >= c->key_tops[tree] ? key + 1.0 : c->key_tops[tree];
    c->columns[c->column_count] = made;
    return (uint32_t)c->column_count++;
}

static void course_alloc(hemc_cut* c, hemc_course* r, uint32_t count) {
    r->count = count;
    r->at = hemc_alloc(c->gen->arena, (size_t)count + 1, sizeof *r->at);
    r->columns = hemc_alloc(c->gen->arena, (size_t)count + 1, sizeof *r->columns);
    r->accepted = hemc_alloc(c->gen->arena, (size_t)count + 1, sizeof *r->accepted);
    memset(r->columns, 0xff, ((size_t)count + 1) * sizeof *r->columns);
    r->placed = true;
}

static void spread(hemc_course* r, uint32_t gaps, double phase) {
    double length = r->contour->length;
    for (uint32_t i = 0; i < r->count; ++i) {
        r->at[i] = r->contour->closed ? phase + length * i / gaps : gaps == 0 ? 0.5 * length : length * i / gaps;
    }
}

// Where an untied ring starts: the point farthest from its middle, so that a symmetric skirt stays symmetric.
static double ring_start(const hemc_contour* contour) {
    hemc_d3 middle = d3(0, 0, 0);
    for (uint32_t i = 0; i < contour->count; ++i) {
        hemc_d3 next = contour->points[(i + 1) % contour->count];
        middle =
            d3_madd(middle, d3_add(contour->points[i], next), 0.5 * (contour->station[i + 1] - contour->station[i]));
    }
    middle = d3_scale(middle, contour->length > 0.0 ? 1.0 / contour->length : 0.0);
    double farthest = 0.0;
    for (uint32_t i = 0; i < contour->count; ++i) {
        double d = d3_distance(contour->points[i], middle);
        farthest = d > farthest ? d : farthest;
    }
    for (uint32_t i = 0; i < contour->count; ++i) {
        // Equal corners of a regular shape differ by rounding only: the first of them.
        if (d3_distance(contour->points[i], middle) >= (1.0 - 1e-6) * farthest) {
            return contour->station[i];
        }
    }
    return 0.0;
}

// The parent's particles seen from this contour: stations, in the parent's order, those out of reach left out.
typedef struct seen_column {
    double at;
    double order; // unwrapped number in the parent
    uint32_t column;
} seen_column;

static uint32_t see_parent(hemc_cut* c, hemc_course* r, const hemc_course* parent, seen_column* seen) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < parent->count; ++i) {
        hemc_d3 p, n;
        double t;
        hemc_course_point(parent, parent->at[i], &p, &n);
        if (course_project(r, p, OVERLAP_REACH * c->gen->spacing, &t)) {
            seen[count].at = t;
            seen[count].order = i;
            seen[count++].column = parent->columns[i];
        }
    }
    return count;
}

static double wrap_half(double d, double length) {
    return length > 0.0 ? d - floor(d / length + 0.5) * length : d;
}

static bool runs_backwards(const hemc_course* r, const hemc_course* parent, const seen_column* seen, uint32_t count) {
    double sum = 0.0;
    for (uint32_t i = 1; i < count; ++i) {
        if (seen[i].order - seen[i - 1].order > 1.5) {
            continue;
        }
        double d = seen[i].at - seen[i - 1].at;
        d = r->contour->closed ? wrap_half(d, r->contour->length) : d;
        // A parent ring over an open contour jumps back once per turn; bound each step's say.
        double maximum = 2.0 * (parent->contour->length / (parent->count > 1 ? parent->count : 1));
        sum += d > maximum ? maximum : d < -maximum ? -maximum : d;
    }
    return sum < 0.0;
}

// A ring over a ring or a line: the shift that brings columns closest to the parent's, in the mean.
static double best_phase(const hemc_course* r, const seen_column* seen, uint32_t count, double gap) {
    double length = r->contour->length;
    double phase = seen[0].at - seen[0].order * gap;
    for (int pass = 0; pass < 4; ++pass) {
        double sum = 0.0;
        for (uint32_t i = 0; i < count; ++i) {
            sum += wrap_half(seen[i].at - seen[i].order * gap - phase, length);
        }
        phase += sum / count;
    }
    return phase;
}

// Columns for particles that took none over: keys between those of their neighbours on the contour.
static void fill_columns(hemc_cut* c, hemc_course* r) {
    double period = c->periods[r->tree];
    uint32_t first = 0;
    while (first < r->count && r->columns[first] == UINT32_MAX) {
        ++first;
    }
    if (first == r->count) {
        double base = c->key_tops[r->tree];
        for (uint32_t i = 0; i < r->count; ++i) {
            r->columns[i] = new_column(c, r->tree, base + i);
        }
        return;
    }
    // Walk from one kept column to the next, round the ring if it is one.
    uint32_t total = r->contour->closed ? r->count + 1 : r->count;
    uint32_t last = first;
    for (uint32_t k = first + 1; k < first + total; ++k) {
        uint32_t i = k % r->count;
        if (k >= r->count && !r->contour->closed) {
            break;
        }
        if (r->columns[i] == UINT32_MAX) {
            continue;
        }
        double a = c->columns[r->columns[last % r->count]].key, b = c->columns[r->columns[i]].key;
        if (period > 0.0) {
            // The short way round.
            b = a + wrap_half(b - a, period);
            if (b == a && k - last > 1) {
                b = a + period;
            }
        }
        for (uint32_t m = last + 1; m < k; ++m) {
            double key = a + (b - a) * (m - last) / (k - last);
            key = period > 0.0 ? key - floor(key / period) * period : key;
            r->columns[m % r->count] = new_column(c, r->tree, key);
        }
        last = k;
    }
    if (!r->contour->closed) {
        uint32_t final = r->count - 1;
        while (r->columns[final] == UINT32_MAX) {
            --final;
        }
        for (uint32_t i = first; i-- > 0;) {
            r->columns[i] = new_column(c, r->tree, c->columns[r->columns[i + 1]].key - 0.01);
        }
        for (uint32_t i = final + 1; i < r->count; ++i) {
            r->columns[i] = new_column(c, r->tree, c->columns[r->columns[i - 1]].key + 0.01);
        }
    }
}

// Particles take over the parent's column that lies nearest, one each, in order of nearness.
static void inherit_columns(hemc_cut* c, hemc_course* r, const seen_column* seen, uint32_t count) {
    hemc_arena* arena = c->gen->arena;
    double length = r->contour->length;
    double gap = r->count > 1 ? (r->contour->closed ? length / r->count : length / (r->count - 1)) : c->gen->spacing;
    hemc_sort_item* order = hemc_alloc(arena, (size_t)count + 1, sizeof *order);
    uint32_t* target = hemc_alloc(arena, (size_t)count + 1, sizeof *target);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double x = (seen[i].at - r->at[0]) / gap;
        double nearest = floor(x + 0.5);
        if (fabs(x - nearest) > 0.499 || (!r->contour->closed && (nearest < 0.0 || nearest >= r->count))) {
            continue;
        }
        double n = r->contour->closed ? nearest - floor(nearest / r->count) * r->count : nearest;
        target[i] = (uint32_t)n < r->count ? (uint32_t)n : 0;
        // Rounded, so that a tie between two columns is decided by their order and not by the last bit.
        order[found].key = floor(fabs(x - nearest) * 1000.0 + 0.5);
        order[found++].index = i;
    }
    hemc_sort_items(arena, order, found);
    for (uint32_t k = 0; k < found; ++k) {
        uint32_t i = order[k].index;
        if (r->columns[target[i]] == UINT32_MAX) {
            r->columns[target[i]] = seen[i].column;
        }
    }
    fill_columns(c, r);
}

static void place_root(hemc_cut* c, uint32_t at) {
    hemc_course* r = &c->courses[at];
    uint32_t gaps = choose_gaps(c, at, 0);
    course_alloc(c, r, r->contour->closed ? gaps : gaps + 1);
    spread(r, gaps, r->contour->closed ? ring_start(r->contour) : 0.0);
    c->periods[r->tree] = r->contour->closed ? gaps : 0.0;
    for (uint32_t i = 0; i < r->count; ++i) {
        r->columns[i] = new_column(c, r->tree, i);
    }
}

static void place_ring(hemc_cut* c, uint32_t at, const hemc_course* parent, seen_column* seen, uint32_t count) {
    hemc_course* r = &c->courses[at];
    uint32_t gaps = parent->contour->closed ? parent->count : 0;
    bool keep = gaps > 0 && count >= 3 && gaps_fit(c, r, gaps);
    if (!keep) {
        gaps = choose_gaps(c, at, gaps);
    }
    double gap = r->contour->length / (parent->contour->closed ? parent->count : gaps);
    course_alloc(c, r, gaps);
    spread(r, gaps, best_phase(r, seen, count, gap));
    if (keep && count == parent->count) {
        memcpy(r->columns, parent->columns, r->count * sizeof *r->columns);
    } else {
        inherit_columns(c, r, seen, count);
    }
}

// The straight line column = offset + slope * station through what the contour sees of its parent. A fit over all of them
// is steadier than the two columns nearest to an end, which is where projections go wrong.
typedef struct column_line {
    double offset, slope;
} column_line;

static column_line fit_columns(const seen_column* seen, uint32_t count, double h) {
    double at = 0.0, order = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        at += seen[i].at / count;
        order += seen[i].order / count;
    }
    double cross = 0.0, square = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        cross += (seen[i].at - at) * (seen[i].order - order);
        square += (seen[i].at - at) * (seen[i].at - at);
    }
    double slope = square > 0.0 ? cross / square : 1.0 / h;
    if (!(slope * h > 0.5 && slope * h < 2.0)) {
        slope = 1.0 / h;
    }
    column_line line = {order - slope * at, slope};
    return line;
}

// Keeps the columns that face the contour; a parent ring is unrolled at the widest gap between those.
static uint32_t facing_columns(hemc_cut* c, const hemc_course* r, const hemc_course* parent, seen_column* seen,
                               uint32_t count) {
    double length = r->contour->length, h = c->gen->spacing;
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (seen[i].at > -0.75 * h && seen[i].at < length + 0.75 * h) {
            seen[used++] = seen[i];
        }
    }
    if (!parent->contour->closed || used < 2) {
        return used;
    }
    uint32_t cut_at = used - 1;
    double widest = 0.0;
    for (uint32_t i = 0; i < used; ++i) {
        double gap = seen[(i + 1) % used].order - seen[i].order;
        gap = gap <= 0.0 ? gap + parent->count : gap;
        // A full turn: cut where the image jumps from one end of the contour to the other.
        double jump = fabs(seen[(i + 1) % used].at - seen[i].at) / length;
        if (gap + jump > widest + 1e-9) {
            widest = gap + jump;
            cut_at = i;
        }
    }
    seen_column* copy = hemc_alloc(c->gen->arena, used, sizeof *copy);
    for (uint32_t i = 0; i < used; ++i) {
        uint32_t from = (cut_at + 1 + i) % used;
        copy[i] = seen[from];
        copy[i].order += from <= cut_at ? parent->count : 0.0;
    }
    memcpy(seen, copy, used * sizeof *seen);
    return used;
}

static void place_line(hemc_cut* c, uint32_t at, const hemc_course* parent, seen_column* seen, uint32_t count) {
    hemc_course* r = &c->courses[at];
    double length = r->contour->length, h = c->gen->spacing;
    uint32_t used = facing_columns(c, r, parent, seen, count);
    bool keep = false;
    uint32_t gaps = 0;
    double low = 0.0;
    if (used > 0) {
        column_line line = fit_columns(seen, used, h);
        low = floor(line.offset + 0.5);
        double high = floor(line.offset + line.slope * length + 0.5);
        keep = high > low && gaps_fit(c, r, high - low);
        gaps = keep ? (uint32_t)(high - low) : 0;
    }
    if (!keep) {
        bool full = !parent->contour->closed && used == parent->count;
        gaps = choose_gaps(c, at, full && parent->count > 1 ? parent->count - 1 : 0);
    }
    course_alloc(c, r, gaps + 1);
    spread(r, gaps, 0.0);
    if (!keep) {
        inherit_columns(c, r, seen, used);
        return;
    }
    for (uint32_t i = 0; i < used; ++i) {
        double n = seen[i].order - low;
        if (n >= 0.0 && n < r->count && r->columns[(uint32_t)n] == UINT32_MAX) {
            r->columns[(uint32_t)n] = seen[i].column;
        }
    }
    fill_columns(c, r);
}

static void place(hemc_cut* c, uint32_t at) {
    hemc_course* r = &c->courses[at];
    if (r->parent == HEM_NONE) {
        place_root(c, at);
        return;
    }
    const hemc_course* parent = &c->courses[r->parent];
    seen_column* seen = hemc_alloc(c->gen->arena, (size_t)parent->count + 1, sizeof *seen);
    uint32_t count = see_parent(c, r, parent, seen);
    if (count > 1 && runs_backwards(r, parent, seen, count)) {
        r->reversed = true;
        for (uint32_t i = 0; i < count; ++i) {
            seen[i].at = r->contour->length - seen[i].at;
        }
    }
    if (count == 0) {
        uint32_t gaps = choose_gaps(c, at, 0);
        course_alloc(c, r, r->contour->closed ? gaps : gaps + 1);
        spread(r, gaps, 0.0);
        fill_columns(c, r);
    } else if (r->contour->closed) {
        place_ring(c, at, parent, seen, count);
    } else {
        place_line(c, at, parent, seen, count);
    }
}

static void number_columns(hemc_cut* c) {
    hemc_arena* arena = c->gen->arena;
    uint64_t* keys = hemc_alloc(arena, c->column_count + 1, sizeof *keys);
    uint32_t* values = hemc_alloc(arena, c->column_count + 1, sizeof *values);
    hemc_sort_item* order = hemc_alloc(arena, c->column_count + 1, sizeof *order);
    for (size_t i = 0; i < c->column_count; ++i) {
        order[i].key = c->columns[i].key;
        order[i].index = (uint32_t)i;
    }
    hemc_sort_items(arena, order, c->column_count);
    for (size_t i = 0; i < c->column_count; ++i) {
        keys[i] = c->columns[order[i].index].tree;
        values[i] = order[i].index;
    }
    hemc_sort(arena, keys, values, c->column_count);
    for (size_t i = 0; i < c->column_count; ++i) {
        c->columns[values[i]].number = (int32_t)i;
    }
}

void hemc_place_courses(hemc_cut* c, const hemc_contours* contours) {
    hemc_arena* arena = c->gen->arena;
    c->course_count = (uint32_t)contours->count;
    c->courses = hemc_alloc(arena, contours->count + 1, sizeof *c->courses);
    for (size_t i = 0; i < contours->count; ++i) {
        hemc_course* r = &c->courses[i];
        r->contour = &contours->items[i];
        r->parent = r->child = HEM_NONE;
        r->kd_points = hemc_alloc(arena, r->contour->count, sizeof *r->kd_points);
        for (uint32_t k = 0; k < r->contour->count; ++k) {
            r->kd_points[k] = d3_to(r->contour->points[k]);
        }
        hemc_kd_build(arena, &r->kd, r->kd_points, r->contour->count);
    }
    c->level_kd = hemc_alloc(arena, (size_t)c->level_count + 1, sizeof *c->level_kd);
    c->level_owner = hemc_alloc(arena, (size_t)c->level_count + 1, sizeof *c->level_owner);
    for (uint32_t i = 0; i < c->level_count; ++i) {
        index_level(c, i);
    }
    for (uint32_t i = 0; i + 1 < c->level_count; ++i) {
        gather_overlaps(c, i, i + 1);
        gather_overlaps(c, i + 1, i);
    }
    merge_overlaps(c);
    uint32_t* sequence = build_forest(c);
    for (uint32_t i = 0; i < c->course_count; ++i) {
        place(c, sequence[i]);
        c->gen->work += c->courses[sequence[i]].kd.visit_count;
    }
    number_columns(c);
}
