// SPDX-License-Identifier: MIT
#include "compiler/generate/generate.h"

#include <string.h>

// Strands: lines of particles down hair cards, locks, tubes, tassels and tails.
//
// Where the recipe names chains of bones, those are the lines (bones.c) and steps 1 and 2 are left out.
//
// 1. Each connected piece of the surface is a card. Two sweeps of shortest paths over its edges find its two ends, however
//    it is curled. The root is the end nearer to the rest of the character, or the higher one where that is undecided.
//    Distances from a single corner are slanted near it and straight far away, so the number that runs from 0 to 1 along
//    the card is read from the far end everywhere: 1 - d_tip / L at the root, d_root / L at the tip, blended between.
// 2. Its centre line is the mean of the surface over slices of that number. A piece too broad for one line (a cap of hair
//    with many tips, a fringe) is first shared out: its roots are all vertices close to the character (or the highest),
//    tips are spread as far apart as possible, and every vertex goes to the nearest of the shortest paths from the
//    tips to the roots.
// 3. Many lines become few guides: farthest-point starts and Lloyd's iterations on the whole curves; a guide is the mean
//    of its lines. Skinning keeps the volume, since every vertex keeps its offset from the guides near it.
// 4. Particles evenly along each guide. All guides but markedly short ones get the same number, so that eight guides fill
//    eight lanes.

#define CURVE_POINTS 97
#define SLICES 96
#define GUIDE_LIMIT 512
#define SPLIT_LIMIT 48
// What differs by less is equal, and the order decides: locks evenly round a head must not change guides by the rounding
// of a turned head. Centre lines keep about five digits.
#define TIE 1e-4
#define BROAD 0.4 // width / length above which a piece is more than one strand

typedef struct curve {
    hemc_d3 points[CURVE_POINTS]; // root first, evenly by length
    hemc_d3 normal;
    double length, weight;
} curve;

typedef struct curve_list {
    curve* items;
    size_t count, capacity;
} curve_list;

typedef struct strands {
    hemc_gen* gen;
    const hemc_surface* surface;
    uint32_t *edge_starts, *edges; // neighbours of each vertex
    hemc_bvh others;               // the character without this part
    // per vertex, reused by every piece
    double *root_distance, *tip_distance, *path_distance;
    double* along; // 0 at the root, 1 at the tip
    int32_t* towards_root;
    int32_t* strip;
    curve_list curves;
} strands;

// -- Shortest paths along edges

typedef struct frontier {
    hemc_sort_item* items; // heap: nearest first, ties by vertex
    size_t count, capacity;
} frontier;

static bool nearer(hemc_sort_item a, hemc_sort_item b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
}

static void frontier_push(hemc_arena* arena, frontier* f, double key, uint32_t vertex) {
    f->items = hemc_grow(arena, f->items, &f->capacity, f->count + 1, sizeof *f->items);
    size_t at = f->count++;
    hemc_sort_item item = {key, vertex};
    while (at > 0 && nearer(item, f->items[(at - 1) / 2])) {
        f->items[at] = f->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    f->items[at] = item;
}

static hemc_sort_item frontier_pop(frontier* f) {
    hemc_sort_item top = f->items[0], item = f->items[--f->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= f->count) {
            break;
        }
        if (child + 1 < f->count && nearer(f->items[child + 1], f->items[child])) {
            ++child;
        }
        if (!nearer(f->items[child], item)) {
            break;
        }
        f->items[at] = f->items[child];
        at = child;
    }
    f->items[at] = item;
    return top;
}

// distance must be < 0 on the vertices to reach, and >= 0 on the sources, which are pushed already. `from` (may be NULL)
// receives the previous vertex; `label` (may be NULL) is carried along.
static void spread_paths(strands* s, frontier* f, double* distance, int32_t* from, int32_t* label) {
    while (f->count > 0) {
        hemc_sort_item item = frontier_pop(f);
        uint32_t v = item.index;
        ++s->gen->work;
        if (item.key > distance[v]) {
            continue;
        }
        for (uint32_t e = s->edge_starts[v]; e < s->edge_starts[v + 1]; ++e) {
            uint32_t to = s->edges[e];
            double d = item.key + d3_distance(d3_from(s->surface->positions[v]), d3_from(s->surface->positions[to]));
            if (distance[to] < 0.0 || d < distance[to]) {
                distance[to] = d;
                if (from) {
                    from[to] = (int32_t)v;
                }
                if (label) {
                    label[to] = label[v];
                }
                frontier_push(s->gen->arena, f, d, to);
            }
        }
    }
}

static uint32_t paths_from(strands* s, const uint32_t* vertices, uint32_t count, uint32_t source, double* distance,
                           int32_t* from) {
    for (uint32_t i = 0; i < count; ++i) {
        distance[vertices[i]] = -1.0;
    }
    frontier f = {NULL, 0, 0};
    distance[source] = 0.0;
    if (from) {
        from[source] = HEM_NONE;
    }
    frontier_push(s->gen->arena, &f, 0.0, source);
    spread_paths(s, &f, distance, from, NULL);
    uint32_t farthest = source;
    for (uint32_t i = 0; i < count; ++i) {
        // A little more than rounding, so that equal corners are decided by their order.
        if (distance[vertices[i]] > distance[farthest] * (1.0 + 1e-6)) {
            farthest = vertices[i];
        }
    }
    return farthest;
}

// -- Centre lines

static hemc_d3 polyline_at(const hemc_d3* points, const double* arc, uint32_t count, double t) {
    uint32_t lo = 0, hi = count - 1;
    while (hi - lo > 1) {
        uint32_t middle = (lo + hi) / 2;
        if (arc[middle] <= t) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    double gap = arc[hi] - arc[lo];
    double f = gap > 0.0 ? (t - arc[lo]) / gap : 0.0;
    return d3_lerp(points[lo], points[hi], f < 0.0 ? 0.0 : f > 1.0 ? 1.0 : f);
}

static void even_out(const hemc_d3* points, uint32_t count, curve* out) {
    double arc[SLICES + 4];
    arc[0] = 0.0;
    for (uint32_t i = 1; i < count; ++i) {
        arc[i] = arc[i - 1] + d3_distance(points[i - 1], points[i]);
    }
    out->length = arc[count - 1];
    for (uint32_t i = 0; i < CURVE_POINTS; ++i) {
        out->points[i] = count > 1 ? polyline_at(points, arc, count, out->length * i / (CURVE_POINTS - 1)) : points[0];
    }
}

typedef struct slice {
    hemc_d3 sum;
    double square; // area-weighted, about the origin of the piece
    double area;
} slice;

typedef struct slicing {
    slice slices[SLICES];
    hemc_d3 origin, normal; // normal times area
    double area;
} slicing;

// Sorts the triangles whose vertices carry this strip's label into slices.
static void slice_strip(strands* s, const uint32_t* triangles, uint32_t triangle_count, int32_t label, slicing* out) {
    memset(out, 0, sizeof *out);
    out->origin = hemc_corner(s->surface, triangles[0], 0);
    for (uint32_t k = 0; k < triangle_count; ++k) {
        const uint32_t* v = &s->surface->triangles[3 * (size_t)triangles[k]];
        int votes = (s->strip[v[0]] == label) + (s->strip[v[1]] == label) + (s->strip[v[2]] == label);
        // Two of three corners decide; a triangle between three strips goes to the first corner's.
        if (votes < 2 && !(s->strip[v[0]] == label && s->strip[v[1]] != s->strip[v[2]])) {
            continue;
        }
        double at[3];
        hemc_d3 p[3];
        for (int c = 0; c < 3; ++c) {
            at[c] = s->along[v[c]];
            p[c] = d3_sub(d3_from(s->surface->positions[v[c]]), out->origin);
        }
        hemc_d3 n = hemc_triangle_area_normal(s->surface, triangles[k]);
        double spread = fabs(at[0] - at[1]), whole = d3_length(n);
        spread = fabs(at[1] - at[2]) > spread ? fabs(at[1] - at[2]) : spread;
        spread = fabs(at[2] - at[0]) > spread ? fabs(at[2] - at[0]) : spread;
        uint32_t split = (uint32_t)(2.0 * spread * SLICES) + 1;
        out->normal = d3_add(out->normal, n);
        out->area += whole;
        double share = whole / ((double)split * split);
        // Row i holds split - i upright and split - i - 1 inverted small triangles.
        for (uint32_t i = 0; i < split; ++i) {
            for (uint32_t j = 0; j < 2 * (split - i) - 1; ++j) {
                double third = (j & 1u) ? 2.0 / 3.0 : 1.0 / 3.0;
                double u = (i + third) / split, w = (j / 2 + third) / split;
                double t = at[0] * (1.0 - u - w) + at[1] * w + at[2] * u;
                hemc_d3 q = d3_madd(d3_madd(d3_scale(p[0], 1.0 - u - w), p[1], w), p[2], u);
                slice* bin = &out->slices[t >= 1.0 ? SLICES - 1 : t <= 0.0 ? 0 : (uint32_t)(t * SLICES)];
                bin->sum = d3_madd(bin->sum, q, share);
                bin->square += share * d3_dot(q, q);
                bin->area += share;
                ++s->gen->work;
            }
        }
    }
}

// Mean width of the slices: a ribbon of width w has the variance w^2 / 12 across.
static double slicing_width(const slicing* in) {
    double sum = 0.0;
    for (uint32_t i = 0; i < SLICES; ++i) {
        const slice* bin = &in->slices[i];
        if (bin->area > 0.0) {
            hemc_d3 mean = d3_scale(bin->sum, 1.0 / bin->area);
            double variance = bin->square / bin->area - d3_dot(mean, mean);
            sum += bin->area * sqrt(12.0 * (variance > 0.0 ? variance : 0.0));
        }
    }
    return in->area > 0.0 ? sum / in->area : 0.0;
}

static void trace_strip(strands* s, const slicing* in, double width, double length, const uint32_t* vertices,
                        uint32_t vertex_count, int32_t label) {
    // Within about half a width of an end the slices are slanted and hold scraps of one side; their middles mislead.
    double zone = 0.6 * width / length;
    uint32_t skip = (uint32_t)((zone < 0.125 ? zone : 0.125) * SLICES + 0.5);
    hemc_d3 points[SLICES + 2];
    uint32_t count = 1; // room for the root end
    uint32_t first = SLICES, last = 0;
    for (uint32_t i = 0; i < SLICES; ++i) {
        const slice* bin = &in->slices[i];
        // A piece of a few triangles may have all its area in the zones.
        bool inside = (i >= skip && i < SLICES - skip) || (count == 1 && i + 1 == SLICES);
        if (inside && bin->area > 1e-6 * in->area && bin->area > 0.0) {
            points[count++] = d3_madd(in->origin, bin->sum, 1.0 / bin->area);
            first = i < first ? i : first;
            last = i;
        }
    }
    if (count == 1) {
        return;
    }
    // The outermost slices' centres lie inside: go on in the same direction, as far as the surface does.
    points[0] = points[1];
    if (count > 2) {
        uint32_t reach = skip < 2 ? 2 : skip;
        reach = reach < count - 2 ? reach : count - 2;
        double low = (first + 1.0) / SLICES, high = (double)last / SLICES;
        hemc_d3 back = d3_unit(d3_sub(points[1], points[1 + reach]), d3(0, 0, 0));
        hemc_d3 onward = d3_unit(d3_sub(points[count - 1], points[count - 1 - reach]), d3(0, 0, 0));
        double root = 0.0, tip = 0.0;
        for (uint32_t i = 0; i < vertex_count; ++i) {
            uint32_t v = vertices[i];
            if (s->strip[v] != label) {
                continue;
            }
            hemc_d3 p = d3_from(s->surface->positions[v]);
            double r = s->along[v] <= low ? d3_dot(d3_sub(p, points[1]), back) : 0.0;
            double t = s->along[v] >= high ? d3_dot(d3_sub(p, points[count - 1]), onward) : 0.0;
            root = r > root ? r : root;
            tip = t > tip ? t : tip;
        }
        points[0] = d3_madd(points[1], back, root);
        points[count] = d3_madd(points[count - 1], onward, tip);
        ++count;
    }
    s->curves.items =
        hemc_grow(s->gen->arena, s->curves.items, &s->curves.capacity, s->curves.count + 1, sizeof *s->curves.items);
    curve* c = &s->curves.items[s->curves.count];
    memset(c, 0, sizeof *c);
    even_out(points, count, c);
    c->normal = hemc_facing(in->normal, in->area);
    c->weight = in->area;
    s->curves.count += c->length > 0.0;
}

// Distances from all roots of a broad piece, instead of from one corner.
static void spread_from_roots(strands* s, const uint32_t* vertices, uint32_t count) {
    hemc_arena* arena = s->gen->arena;
    double* gap = hemc_alloc(arena, count, sizeof *gap);
    double near = 1e300, far = 0.0, low = 1e300, high = -1e300;
    for (uint32_t i = 0; i < count; ++i) {
        hemc_d3 p = d3_from(s->surface->positions[vertices[i]]);
        gap[i] = 1e30;
        hemc_bvh_nearest(&s->others, p, 1e30, &gap[i], NULL, NULL);
        near = gap[i] < near ? gap[i] : near;
        far = gap[i] > far ? gap[i] : far;
        low = p.y < low ? p.y : low;
        high = p.y > high ? p.y : high;
    }
    uint32_t close = 0;
    for (uint32_t i = 0; i < count; ++i) {
        close += gap[i] <= near + 0.1 * (far - near);
    }
    // Hair that lies on the head all over tells nothing by its distance.
    bool by_height = s->others.triangle_count == 0 || close > 0.4 * count;
    frontier f = {NULL, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t v = vertices[i];
        bool root =
            by_height ? s->surface->positions[v].y >= high - 0.05 * (high - low) : gap[i] <= near + 0.1 * (far - near);
        s->root_distance[v] = root ? 0.0 : -1.0;
        s->towards_root[v] = HEM_NONE;
        if (root) {
            frontier_push(arena, &f, 0.0, v);
        }
    }
    spread_paths(s, &f, s->root_distance, s->towards_root, NULL);
}

// Gives each vertex of a broad piece to one of several strips; returns their number.
static int32_t share_out(strands* s, const uint32_t* vertices, uint32_t count, uint32_t strips, double separation) {
    hemc_arena* arena = s->gen->arena;
    double deepest = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        deepest = s->root_distance[vertices[i]] > deepest ? s->root_distance[vertices[i]] : deepest;
    }
    // Tips: no neighbour is farther from the root. If those are few, anything near the tip end will do.
    uint32_t* tips = hemc_alloc(arena, count, sizeof *tips);
    uint32_t tip_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t v = vertices[i];
        double d = s->root_distance[v];
        bool is_tip = d > 0.3 * deepest;
        for (uint32_t e = s->edge_starts[v]; e < s->edge_starts[v + 1] && is_tip; ++e) {
            is_tip = s->root_distance[s->edges[e]] <= d;
        }
        if (is_tip || d > 0.8 * deepest) {
            tips[tip_count++] = v;
        }
    }
    double* gap = hemc_alloc(arena, (size_t)tip_count + 1, sizeof *gap);
    for (uint32_t i = 0; i < tip_count; ++i) {
        gap[i] = 1e30;
    }
    for (uint32_t i = 0; i < count; ++i) {
        s->strip[vertices[i]] = HEM_NONE;
        s->path_distance[vertices[i]] = -1.0;
    }
    frontier f = {NULL, 0, 0};
    int32_t made = 0;
    for (uint32_t k = 0; k < strips && tip_count > 0; ++k) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < tip_count; ++i) {
            double a = k ? gap[i] : s->root_distance[tips[i]], b = k ? gap[best] : s->root_distance[tips[best]];
            best = a > b * (1.0 + TIE) ? i : best;
        }
        if (k > 0 && gap[best] < separation) {
            break;
        }
        hemc_d3 p = d3_from(s->surface->positions[tips[best]]);
        for (uint32_t i = 0; i < tip_count; ++i) {
            double d = d3_distance(p, d3_from(s->surface->positions[tips[i]]));
            gap[i] = d < gap[i] ? d : gap[i];
        }
        // Walk to the root; where another path already runs, this one has arrived.
        for (int32_t v = (int32_t)tips[best]; v != HEM_NONE && s->strip[v] == HEM_NONE; v = s->towards_root[v]) {
            s->strip[v] = made;
            s->path_distance[v] = 0.0;
            frontier_push(arena, &f, 0.0, (uint32_t)v);
        }
        ++made;
    }
    spread_paths(s, &f, s->path_distance, NULL, s->strip);
    return made;
}

static void trace_piece(strands* s, const uint32_t* vertices, uint32_t vertex_count, const uint32_t* triangles,
                        uint32_t triangle_count) {
    uint32_t a = paths_from(s, vertices, vertex_count, vertices[0], s->root_distance, NULL);
    uint32_t b = paths_from(s, vertices, vertex_count, a, s->root_distance, NULL);
    double length = s->root_distance[b];
    if (!(length > 0.0)) {
        return;
    }
    hemc_d3 pa = d3_from(s->surface->positions[a]), pb = d3_from(s->surface->positions[b]);
    double da = 1e30, db = 1e30;
    hemc_bvh_nearest(&s->others, pa, 1e30, &da, NULL, NULL);
    hemc_bvh_nearest(&s->others, pb, 1e30, &db, NULL, NULL);
    bool a_is_root = fabs(da - db) > 0.15 * length ? da < db : pa.y >= pb.y;
    uint32_t root = a_is_root ? a : b, tip = a_is_root ? b : a;
    paths_from(s, vertices, vertex_count, root, s->root_distance, s->towards_root);
    paths_from(s, vertices, vertex_count, tip, s->tip_distance, NULL);
    for (uint32_t i = 0; i < vertex_count; ++i) {
        uint32_t v = vertices[i];
        double from_root = s->root_distance[v], from_tip = s->tip_distance[v];
        double t = from_root / (from_root + from_tip);
        t = (1.0 - t) * (1.0 - from_tip / length) + t * from_root / length;
        s->along[v] = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
        s->strip[v] = 0;
    }
    slicing slices;
    slice_strip(s, triangles, triangle_count, 0, &slices);
    double width = slicing_width(&slices);
    if (width < BROAD * length || vertex_count < 9) {
        trace_strip(s, &slices, width, length, vertices, vertex_count, 0);
        return;
    }
    spread_from_roots(s, vertices, vertex_count);
    double separation = s->gen->part->spacing > 0.0f ? 1.5 * s->gen->part->spacing : length / 6.0;
    double wanted = floor(width / separation + 0.5);
    wanted = wanted < 1.0 ? 1.0 : wanted > SPLIT_LIMIT ? SPLIT_LIMIT : wanted;
    int32_t strips = share_out(s, vertices, vertex_count, (uint32_t)wanted, separation);
    double* deepest = hemc_alloc(s->gen->arena, (size_t)strips + 1, sizeof *deepest);
    for (uint32_t i = 0; i < vertex_count; ++i) {
        uint32_t v = vertices[i];
        if (s->strip[v] >= 0 && s->root_distance[v] > deepest[s->strip[v]]) {
            deepest[s->strip[v]] = s->root_distance[v];
        }
    }
    for (uint32_t i = 0; i < vertex_count; ++i) {
        uint32_t v = vertices[i];
        double d = s->strip[v] >= 0 ? deepest[s->strip[v]] : 0.0;
        s->along[v] = d > 0.0 && s->root_distance[v] > 0.0 ? s->root_distance[v] / d : 0.0;
    }
    for (int32_t k = 0; k < strips; ++k) {
        slice_strip(s, triangles, triangle_count, k, &slices);
        trace_strip(s, &slices, 0.0, length, vertices, vertex_count, k);
    }
}

// -- Pieces

static void build_edges(strands* s) {
    const hemc_surface* surface = s->surface;
    uint32_t n = surface->vertex_count;
    s->edge_starts = hemc_alloc(s->gen->arena, (size_t)n + 2, sizeof *s->edge_starts);
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t t = 0; t < surface->triangle_count; ++t) {
            for (int e = 0; e < 3; ++e) {
                uint32_t a = surface->triangles[3 * (size_t)t + (size_t)e];
                uint32_t b = surface->triangles[3 * (size_t)t + (size_t)(e + 1) % 3];
                if (pass == 0) {
                    ++s->edge_starts[a + 2];
                    ++s->edge_starts[b + 2];
                } else {
                    s->edges[s->edge_starts[a + 1]++] = b;
                    s->edges[s->edge_starts[b + 1]++] = a;
                }
            }
        }
        if (pass == 0) {
            for (uint32_t i = 1; i < n + 2; ++i) {
                s->edge_starts[i] += s->edge_starts[i - 1];
            }
            s->edges = hemc_alloc(s->gen->arena, (size_t)s->edge_starts[n + 1] + 1, sizeof *s->edges);
        }
    }
}

static void find_others(strands* s) {
    const hemc_model* model = s->gen->model;
    if (model == NULL) {
        return;
    }
    uint8_t* mine = hemc_alloc(s->gen->arena, (size_t)model->triangle_count + 1, sizeof *mine);
    uint32_t* list = hemc_alloc(s->gen->arena, (size_t)model->triangle_count + 1, sizeof *list);
    for (uint32_t t = 0; t < s->surface->triangle_count; ++t) {
        mine[s->surface->source_triangle[t]] = 1;
    }
    uint32_t count = 0;
    for (uint32_t t = 0; t < model->triangle_count; ++t) {
        if (!mine[t]) {
            list[count++] = t;
        }
    }
    hemc_bvh_build(s->gen->arena, &s->others, model->positions, model->triangles, list, count);
}

static void trace_pieces(strands* s) {
    hemc_arena* arena = s->gen->arena;
    const hemc_surface* surface = s->surface;
    uint32_t n = surface->vertex_count;
    uint32_t* roots = hemc_alloc(arena, n, sizeof *roots);
    for (uint32_t v = 0; v < n; ++v) {
        roots[v] = v;
    }
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        for (int c = 1; c < 3; ++c) {
            uint32_t a = hemc_root_of(roots, surface->triangles[3 * (size_t)t]);
            uint32_t b = hemc_root_of(roots, surface->triangles[3 * (size_t)t + (size_t)c]);
            roots[a > b ? a : b] = a > b ? b : a;
        }
    }
    // Vertices and triangles grouped by piece, both by counting.
    uint32_t* vertex_starts = hemc_alloc(arena, (size_t)n + 2, sizeof *vertex_starts);
    uint32_t* triangle_starts = hemc_alloc(arena, (size_t)n + 2, sizeof *triangle_starts);
    uint32_t* vertices = hemc_alloc(arena, n, sizeof *vertices);
    uint32_t* triangles = hemc_alloc(arena, surface->triangle_count, sizeof *triangles);
    for (uint32_t v = 0; v < n; ++v) {
        ++vertex_starts[hemc_root_of(roots, v) + 2];
    }
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        ++triangle_starts[hemc_root_of(roots, surface->triangles[3 * (size_t)t]) + 2];
    }
    for (uint32_t i = 1; i < n + 2; ++i) {
        vertex_starts[i] += vertex_starts[i - 1];
        triangle_starts[i] += triangle_starts[i - 1];
    }
    for (uint32_t v = 0; v < n; ++v) {
        vertices[vertex_starts[hemc_root_of(roots, v) + 1]++] = v;
    }
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        triangles[triangle_starts[hemc_root_of(roots, surface->triangles[3 * (size_t)t]) + 1]++] = t;
    }
    for (uint32_t r = 0; r < n; ++r) {
        uint32_t triangle_count = triangle_starts[r + 1] - triangle_starts[r];
        if (roots[r] == r && triangle_count > 0) {
            trace_piece(s, vertices + vertex_starts[r], vertex_starts[r + 1] - vertex_starts[r],
                        triangles + triangle_starts[r], triangle_count);
        }
    }
}

// -- Guides

static double curve_distance(const curve* a, const curve* b) {
    double sum = 0.0;
    for (int i = 0; i < 5; ++i) {
        int k = i * (CURVE_POINTS - 1) / 4;
        hemc_d3 d = d3_sub(a->points[k], b->points[k]);
        sum += d3_dot(d, d);
    }
    return sqrt(sum / 5.0);
}

static curve mean_curve(const curve_list* curves, const uint32_t* owner, uint32_t guide, const curve* fallback) {
    curve mean;
    memset(&mean, 0, sizeof mean);
    for (size_t i = 0; i < curves->count; ++i) {
        if (owner[i] == guide) {
            for (int k = 0; k < CURVE_POINTS; ++k) {
                mean.points[k] = d3_madd(mean.points[k], curves->items[i].points[k], curves->items[i].weight);
            }
            mean.normal = d3_madd(mean.normal, curves->items[i].normal, curves->items[i].weight);
            mean.weight += curves->items[i].weight;
        }
    }
    if (!(mean.weight > 0.0)) {
        return *fallback;
    }
    for (int k = 0; k < CURVE_POINTS; ++k) {
        mean.points[k] = d3_scale(mean.points[k], 1.0 / mean.weight);
        mean.length += k > 0 ? d3_distance(mean.points[k - 1], mean.points[k]) : 0.0;
    }
    mean.normal = hemc_facing(mean.normal, mean.weight);
    return mean;
}

// wanted 0: as many as it takes for every line to have a guide nearer than `reach`.
static curve_list make_guides(strands* s, uint32_t wanted, double reach) {
    hemc_arena* arena = s->gen->arena;
    const curve_list* curves = &s->curves;
    curve_list guides = {NULL, 0, 0};
    uint32_t limit = wanted > 0 && wanted < GUIDE_LIMIT ? wanted : GUIDE_LIMIT;
    limit = limit < curves->count ? limit : (uint32_t)curves->count;
    guides.items = hemc_alloc(arena, (size_t)limit + 1, sizeof *guides.items);
    double* gap = hemc_alloc(arena, curves->count + 1, sizeof *gap);
    uint32_t* owner = hemc_alloc(arena, curves->count + 1, sizeof *owner);
    while (guides.count < limit) {
        size_t best = 0;
        for (size_t i = 1; i < curves->count; ++i) {
            double a = guides.count ? gap[i] : curves->items[i].weight;
            double b = guides.count ? gap[best] : curves->items[best].weight;
            best = a > b * (1.0 + TIE) ? i : best;
        }
        if (guides.count > 0 && (gap[best] <= 0.0 || (wanted == 0 && gap[best] < reach))) {
            break;
        }
        guides.items[guides.count] = curves->items[best];
        for (size_t i = 0; i < curves->count; ++i) {
            double d = curve_distance(&curves->items[i], &guides.items[guides.count]);
            gap[i] = guides.count == 0 || d < gap[i] ? d : gap[i];
            ++s->gen->work;
        }
        ++guides.count;
    }
    for (int pass = 0; pass < 8; ++pass) {
        for (size_t i = 0; i < curves->count; ++i) {
            double nearest = -1.0;
            for (size_t g = 0; g < guides.count; ++g) {
                double d = curve_distance(&curves->items[i], &guides.items[g]);
                if (nearest < 0.0 || d < nearest * (1.0 - TIE)) {
                    nearest = d;
                    owner[i] = (uint32_t)g;
                }
            }
        }
        for (size_t g = 0; g < guides.count; ++g) {
            guides.items[g] = mean_curve(curves, owner, (uint32_t)g, &guides.items[g]);
        }
    }
    return guides;
}

// Around the vertical through the middle of the roots, so that neighbours have neighbouring numbers.
static void order_guides(hemc_arena* arena, curve_list* guides) {
    hemc_d3 middle = d3(0, 0, 0);
    for (size_t g = 0; g < guides->count; ++g) {
        middle = d3_madd(middle, guides->items[g].points[CURVE_POINTS / 2], 1.0 / (double)guides->count);
    }
    hemc_sort_item* order = hemc_alloc(arena, guides->count + 1, sizeof *order);
    curve* copy = hemc_alloc(arena, guides->count + 1, sizeof *copy);
    memcpy(copy, guides->items, guides->count * sizeof *copy);
    for (size_t g = 0; g < guides->count; ++g) {
        hemc_d3 d = d3_sub(copy[g].points[CURVE_POINTS / 2], middle);
        double sum = fabs(d.x) + fabs(d.z);
        double x = sum > 0.0 ? d.x / sum : 0.0;
        order[g].key = d.z >= 0.0 ? 1.0 - x : 3.0 + x; // grows with the angle, 0 to 4
        order[g].index = (uint32_t)g;
    }
    hemc_sort_items(arena, order, guides->count);
    for (size_t g = 0; g < guides->count; ++g) {
        guides->items[g] = copy[order[g].index];
    }
}

static double median_length(hemc_arena* arena, const curve_list* curves) {
    hemc_sort_item* order = hemc_alloc(arena, curves->count + 1, sizeof *order);
    for (size_t i = 0; i < curves->count; ++i) {
        order[i].key = curves->items[i].length;
        order[i].index = (uint32_t)i;
    }
    hemc_sort_items(arena, order, curves->count);
    return order[curves->count / 2].key;
}

static void trace_bones(strands* s) {
    hemc_bone_line* lines;
    const size_t count = hemc_find_bone_lines(s->gen, &lines);
    s->curves.items = hemc_alloc(s->gen->arena, count + 1, sizeof *s->curves.items);
    for (size_t i = 0; i < count; ++i) {
        curve* c = &s->curves.items[s->curves.count++];
        even_out(lines[i].points, lines[i].count, c);
        c->normal = lines[i].normal;
        c->weight = lines[i].weight;
    }
}

void hemc_gen_strands(hemc_gen* gen, hemc_particles* particles) {
    hemc_arena* arena = gen->arena;
    const hemc_part_recipe* part = gen->part;
    uint32_t n = gen->surface->vertex_count;
    strands s;
    memset(&s, 0, sizeof s);
    s.gen = gen;
    s.surface = gen->surface;
    s.root_distance = hemc_alloc(arena, n, sizeof *s.root_distance);
    s.tip_distance = hemc_alloc(arena, n, sizeof *s.tip_distance);
    s.path_distance = hemc_alloc(arena, n, sizeof *s.path_distance);
    s.along = hemc_alloc(arena, n, sizeof *s.along);
    s.towards_root = hemc_alloc(arena, n, sizeof *s.towards_root);
    s.strip = hemc_alloc(arena, n, sizeof *s.strip);
    if (part->chain_count > 0) {
        trace_bones(&s);
    } else {
        build_edges(&s);
        find_others(&s);
        trace_pieces(&s);
        gen->work += s.others.visit_count;
    }
    if (s.curves.count == 0) {
        return;
    }
    double length = median_length(arena, &s.curves);
    double h = part->spacing > 0.0f ? part->spacing : length / (part->segment_count > 1 ? part->segment_count - 1 : 7);
    double along = floor(length / h + 0.5) + 1.0;
    uint32_t segments = part->segment_count > 1 ? part->segment_count
                        : along < 3.0           ? 3u
                        : along > 64.0          ? 64u
                                                : (uint32_t)along;
    uint32_t wanted = part->guide_count;
    if (wanted == 0 && part->chain_count > 0) { // a guide for each chain
        wanted = (uint32_t)s.curves.count;
        if (part->particle_target > 0 && part->segment_count == 0) {
            segments = part->particle_target / wanted;
            segments = segments < 3 ? 3 : segments > 64 ? 64 : segments;
        }
    } else if (wanted == 0 && part->particle_target > 0) {
        wanted = (part->particle_target + segments / 2) / segments;
        wanted = wanted ? wanted : 1;
    }
    if (part->guide_share > 0.0f) {
        const double all = wanted > 0 ? (double)wanted : (double)make_guides(&s, 0, 1.5 * h).count;
        wanted = (uint32_t)fmax(1.0, floor(all * (double)part->guide_share + 0.5));
    }
    curve_list guides = make_guides(&s, wanted, 1.5 * h);
    order_guides(arena, &guides);
    gen->spacing = length / (segments - 1);
    for (size_t g = 0; g < guides.count; ++g) {
        const curve* c = &guides.items[g];
        double short_count = floor(c->length / gen->spacing + 0.5) + 1.0;
        uint32_t count = c->length > 0.6 * length ? segments : short_count < 3.0 ? 3u : (uint32_t)short_count;
        count = part->segment_count > 1 ? segments : count;
        double arc[CURVE_POINTS];
        arc[0] = 0.0;
        for (int k = 1; k < CURVE_POINTS; ++k) {
            arc[k] = arc[k - 1] + d3_distance(c->points[k - 1], c->points[k]);
        }
        for (uint32_t i = 0; i < count; ++i) {
            hemc_d3 p = polyline_at(c->points, arc, CURVE_POINTS, arc[CURVE_POINTS - 1] * i / (count - 1));
            uint32_t at = hemc_particles_add(arena, particles, p, c->normal, (int32_t)i, (int32_t)g);
            if (i > 0) {
                hemc_particles_link(arena, particles, at - 1, at, HEM_LINK_WARP);
            }
        }
        particles->level_count = count > particles->level_count ? count : particles->level_count;
    }
    hemc_particles_finish(arena, particles);
}
