// SPDX-License-Identifier: MIT
#include "compiler/generate/section.h"

#include <string.h>

// From the lines of one cutting plane to contours, one per layer of cloth.
//
// 1. Fold. Cloth modelled with two sides is a flat loop. If its mean thickness is below LAYER x spacing, find the two
//    tips that pair its sides best and replace the loop by the middle line between them. An open contour that comes
//    back alongside itself (cloth folded over at one border) is cut off at the fold.
// 2. Layers. Longest contour first, drop what lies nearer than LAYER x spacing to a contour already kept: linings, and
//    sheets lying on each other. This is the paper's "only if there is no particle on the same level closer", applied
//    to the line instead of to each particle, so that what is left is one even line and not scattered survivors.
// 3. Measure. Stations along the contour, smoothed over one spacing.

#define LAYER 0.7
#define LINGER 1.3        // a layer that was dropped stays dropped up to here,
#define LINGER_LESSER 2.0 // or to here, where most of its contour was dropped
#define FOLD_PAIRS 16

// -- 1. Fold

static double* raw_arcs(hemc_arena* arena, const hemc_raw_contour* contour) {
    double* arc = hemc_alloc(arena, (size_t)contour->count + 1, sizeof *arc);
    for (uint32_t i = 1; i < contour->count; ++i) {
        arc[i] = arc[i - 1] + d3_distance(contour->points[i - 1], contour->points[i]);
    }
    arc[contour->count] = arc[contour->count - 1];
    if (contour->closed) {
        arc[contour->count] += d3_distance(contour->points[contour->count - 1], contour->points[0]);
    }
    return arc;
}

// Arc lengths with, for as many stretches of equal length as there are points, the point at which each begins: a place along
// the contour is then found in a step or two.
typedef struct arc_index {
    const double* arc;
    uint32_t* first; // per stretch
    double per_length;
} arc_index;

static arc_index index_arcs(hemc_arena* arena, const hemc_raw_contour* contour, const double* arc) {
    const double length = arc[contour->count];
    arc_index index = {arc, hemc_alloc(arena, (size_t)contour->count + 1, sizeof(uint32_t)), 0.0};
    index.per_length = length > 0.0 ? contour->count / length : 0.0;
    for (uint32_t k = 0, i = 0; k <= contour->count; ++k) {
        while (i + 1 < contour->count && arc[i + 1] <= length * k / contour->count) {
            ++i;
        }
        index.first[k] = i;
    }
    return index;
}

static void raw_at(const hemc_raw_contour* contour, const arc_index* index, double s, hemc_d3* point, hemc_d3* normal) {
    const double* arc = index->arc;
    double length = arc[contour->count];
    if (contour->closed && length > 0.0) {
        s -= floor(s / length) * length;
    }
    s = s < 0.0 ? 0.0 : s > length ? length : s;
    // The last point not beyond s, but for the end of an open contour.
    const uint32_t top = contour->closed ? contour->count : contour->count - 1;
    const double stretch = s * index->per_length;
    uint32_t lo = index->first[stretch < contour->count ? (uint32_t)stretch : contour->count];
    while (lo > 0 && (arc[lo] > s || lo >= top)) {
        --lo;
    }
    while (lo + 1 < top && arc[lo + 1] <= s) {
        ++lo;
    }
    const uint32_t hi = lo + 1 < top ? lo + 1 : top;
    uint32_t next = hi == contour->count ? 0 : hi;
    double gap = arc[hi] - arc[lo];
    double t = gap > 0.0 ? (s - arc[lo]) / gap : 0.0;
    *point = d3_lerp(contour->points[lo], contour->points[next], t);
    if (normal) {
        *normal = d3_lerp(contour->normals[lo], contour->normals[next], t);
    }
}

// Twice the enclosed area over the length: the width of a flat loop, half the width of a round one... r for a circle.
static double loop_thickness(const hemc_raw_contour* contour) {
    hemc_d3 area = d3(0, 0, 0);
    hemc_d3 origin = contour->points[0];
    for (uint32_t i = 1; i + 1 < contour->count; ++i) {
        area = d3_add(area, d3_cross(d3_sub(contour->points[i], origin), d3_sub(contour->points[i + 1], origin)));
    }
    return contour->length > 0.0 ? d3_length(area) / contour->length : 0.0;
}

// Mean square distance of the two sides between tips at `from` and `from + forward`, paired at equal shares.
// Exact below the limit, else some number not below it.
static double fold_cost(const hemc_raw_contour* contour, const arc_index* index, double from, double forward,
                        double limit) {
    double backward = index->arc[contour->count] - forward, cost = 0.0;
    for (uint32_t k = 1; k < 2 * FOLD_PAIRS && cost < limit; ++k) {
        hemc_d3 a, b;
        raw_at(contour, index, from + forward * k / (2 * FOLD_PAIRS), &a, NULL);
        raw_at(contour, index, from - backward * k / (2 * FOLD_PAIRS), &b, NULL);
        hemc_d3 r = d3_sub(a, b);
        cost += d3_dot(r, r) / (2 * FOLD_PAIRS - 1);
    }
    return cost;
}

// Replaces a flat loop by its middle line; leaves anything else alone.
static void fold_loop(hemc_slicer* s, hemc_raw_contour* contour) {
    double h = s->gen->spacing;
    if (!contour->closed || contour->count < 3 || loop_thickness(contour) > LAYER * h) {
        return;
    }
    hemc_arena* arena = s->gen->arena;
    const double* arc = raw_arcs(arena, contour);
    const arc_index index = index_arcs(arena, contour, arc);
    double length = arc[contour->count];
    double wanted = length / (0.25 * h);
    uint32_t n = wanted < 32.0 ? 32u : wanted > 256.0 ? 256u : (uint32_t)wanted;
    n += n & 1u;
    hemc_d3* p = hemc_alloc(arena, n, sizeof *p);
    for (uint32_t i = 0; i < n; ++i) {
        raw_at(contour, &index, length * i / n, &p[i], NULL);
    }
    // Tips at samples i and j: the two sides run i -> j forwards and backwards; pair them at equal shares.
    double best = -1.0;
    uint32_t best_i = 0, best_j = 0;
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t d = n / 2 - n / 8; d <= n / 2; ++d) {
            double cost = 0.0, limit = best < 0.0 ? 1e300 : best * (1.0 - 1e-9);
            for (uint32_t k = 1; k < FOLD_PAIRS && cost < limit; ++k) {
                uint32_t a = (i + (d * k + FOLD_PAIRS / 2) / FOLD_PAIRS) % n;
                uint32_t b = (i + n - ((n - d) * k + FOLD_PAIRS / 2) / FOLD_PAIRS) % n;
                hemc_d3 r = d3_sub(p[a], p[b]);
                cost += d3_dot(r, r);
            }
            s->gen->work += FOLD_PAIRS;
            if (cost < limit) {
                best = cost;
                best_i = i;
                best_j = (i + d) % n;
            }
        }
    }
    if (sqrt(best / (FOLD_PAIRS - 1)) > 1.2 * LAYER * h) {
        return;
    }
    // The samples start anywhere; the tips must not depend on where. Slide both to the true minimum.
    double from = length * best_i / n;
    double forward = length * ((best_j + n - best_i) % n) / n;
    double cost = fold_cost(contour, &index, from, forward, 1e300);
    for (double move = 0.5 * length / n; move > 1e-4 * h; move *= 0.5) {
        for (int turn = 0; turn < 8; ++turn) {
            bool better = false;
            for (int k = 0; k < 4; ++k) {
                double step_by = k & 1 ? -move : move; // tip one (keeping tip two), then tip two
                double f = k < 2 ? from + step_by : from, w = k < 2 ? forward - step_by : forward + step_by;
                double limit = cost * (1.0 - 1e-9), c = fold_cost(contour, &index, f, w, limit);
                s->gen->work += FOLD_PAIRS;
                if (c < limit) {
                    cost = c;
                    from = f;
                    forward = w;
                    better = true;
                }
            }
            if (!better) {
                break;
            }
        }
    }
    double backward = length - forward;
    uint32_t steps = (uint32_t)((forward > backward ? forward : backward) / (0.125 * h)) + 2;
    hemc_raw_contour line;
    memset(&line, 0, sizeof line);
    line.seed = contour->seed;
    line.count = steps + 1;
    line.points = hemc_alloc(arena, line.count, sizeof *line.points);
    line.normals = hemc_alloc(arena, line.count, sizeof *line.normals);
    for (uint32_t k = 0; k <= steps; ++k) {
        hemc_d3 a, b, na, nb;
        raw_at(contour, &index, from + forward * k / steps, &a, &na);
        raw_at(contour, &index, from - backward * k / steps, &b, &nb);
        line.points[k] = d3_lerp(a, b, 0.5);
        // The longer side is the outer one of a curved cloth.
        line.normals[k] = backward > forward * (1.0 + 1e-6) ? nb : na;
    }
    line.length = hemc_raw_length(&line);
    *contour = line;
}

// -- 2. Layers

typedef struct layer_state {
    hemc_grid kept; // points of kept contours of this level
    hemc_raw_contour* out;
    size_t out_count, out_capacity;
} layer_state;

// Fills gaps so that no two points are farther apart than `gap`.
static void subdivide(hemc_arena* arena, hemc_raw_contour* contour, double gap) {
    uint32_t spans = contour->closed ? contour->count : contour->count - 1;
    size_t total = 0;
    for (uint32_t i = 0; i < spans; ++i) {
        double d = d3_distance(contour->points[i], contour->points[(i + 1) % contour->count]);
        total += (size_t)(d / gap) + 1;
    }
    hemc_d3* points = hemc_alloc(arena, total + 1, sizeof *points);
    hemc_d3* normals = hemc_alloc(arena, total + 1, sizeof *normals);
    uint32_t count = 0;
    for (uint32_t i = 0; i < spans; ++i) {
        uint32_t j = (i + 1) % contour->count;
        uint32_t pieces = (uint32_t)(d3_distance(contour->points[i], contour->points[j]) / gap) + 1;
        for (uint32_t k = 0; k < pieces; ++k) {
            points[count] = d3_lerp(contour->points[i], contour->points[j], (double)k / pieces);
            normals[count++] = d3_lerp(contour->normals[i], contour->normals[j], (double)k / pieces);
        }
    }
    if (!contour->closed) {
        points[count] = contour->points[contour->count - 1];
        normals[count++] = contour->normals[contour->count - 1];
    }
    contour->points = points;
    contour->normals = normals;
    contour->count = count;
}

// Marks points of an open contour that run back alongside an earlier stretch of it.
static void shadow_self(hemc_slicer* s, const hemc_raw_contour* contour, const double* arc, uint8_t* shadowed) {
    double h = s->gen->spacing;
    if (contour->closed || contour->length < 3.0 * h) {
        return;
    }
    hemc_grid grid;
    hemc_grid_init(&grid, s->gen->arena, LAYER * h, contour->count);
    uint32_t inserted = 0;
    bool inside = false;
    for (uint32_t i = 0; i < contour->count; ++i) {
        while (arc[i] - arc[inserted] > 2.0 * h) {
            hemc_grid_add(&grid, contour->points[inserted]);
            ++inserted;
        }
        int32_t near = hemc_grid_nearest(&grid, contour->points[i], LAYER * h);
        bool hit = near != HEM_NONE && !shadowed[near];
        if (hit && !inside) {
            // The fold is halfway between the two points that face each other.
            double fold = 0.5 * (arc[i] + arc[near]);
            for (uint32_t k = i; k > 0 && arc[k] > fold; --k) {
                shadowed[k] = 1;
            }
        }
        shadowed[i] |= hit;
        inside = hit;
    }
    s->gen->work += grid.visit_count;
}

static void keep_range(hemc_arena* arena, layer_state* state, const hemc_raw_contour* contour, uint32_t begin,
                       uint32_t count, bool cut_begin, bool cut_end) {
    hemc_raw_contour piece = *contour;
    piece.closed = false;
    piece.count = count;
    piece.cut_begin = cut_begin;
    piece.cut_end = cut_end;
    piece.points = hemc_alloc(arena, count, sizeof *piece.points);
    piece.normals = hemc_alloc(arena, count, sizeof *piece.normals);
    for (uint32_t k = 0; k < count; ++k) {
        piece.points[k] = contour->points[(begin + k) % contour->count];
        piece.normals[k] = contour->normals[(begin + k) % contour->count];
    }
    piece.length = hemc_raw_length(&piece);
    state->out = hemc_grow(arena, state->out, &state->out_capacity, state->out_count + 1, sizeof *state->out);
    state->out[state->out_count++] = piece;
}

static void drop_layers(hemc_slicer* s, layer_state* state, hemc_raw_contour* contour) {
    hemc_arena* arena = s->gen->arena;
    double h = s->gen->spacing;
    uint8_t* shadowed = hemc_alloc(arena, contour->count, sizeof *shadowed);
    double* arc = raw_arcs(arena, contour);
    shadow_self(s, contour, arc, shadowed);
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < contour->count; ++i) {
        shadowed[i] |= hemc_grid_nearest(&state->kept, contour->points[i], LAYER * h) != HEM_NONE;
        hidden += shadowed[i];
    }
    size_t first = state->out_count;
    if (hidden == 0) {
        state->out = hemc_grow(arena, state->out, &state->out_capacity, state->out_count + 1, sizeof *state->out);
        state->out[state->out_count++] = *contour;
    } else if (hidden < contour->count) {
        // Start where something hidden ends, so that a closed contour needs no special case.
        uint32_t start = 0;
        if (contour->closed) {
            while (!shadowed[start]) {
                ++start;
            }
        }
        for (uint32_t k = 0; k < contour->count;) {
            uint32_t i = (start + k) % contour->count;
            if (shadowed[i]) {
                ++k;
                continue;
            }
            uint32_t run = 1;
            while (k + run < contour->count && !shadowed[(start + k + run) % contour->count]) {
                ++run;
            }
            double extent = 0.0;
            for (uint32_t r = 1; r < run; ++r) {
                extent += d3_distance(contour->points[(i + r - 1) % contour->count],
                                      contour->points[(i + r) % contour->count]);
            }
            bool at_begin = !contour->closed && i == 0, at_end = !contour->closed && i + run == contour->count;
            // Dropped before and after: a lining that stands off a little in between is still a lining.
            bool lingers = !at_begin && !at_end;
            double linger = (extent < 0.5 * contour->length ? LINGER_LESSER : LINGER) * h;
            for (uint32_t r = 0; r < run && lingers; ++r) {
                lingers =
                    hemc_grid_nearest(&state->kept, contour->points[(i + r) % contour->count], linger) != HEM_NONE;
            }
            if (extent >= 0.5 * h && !lingers) {
                keep_range(arena, state, contour, i, run, !at_begin, !at_end);
            }
            k += run;
        }
    }
    for (size_t k = first; k < state->out_count; ++k) {
        for (uint32_t i = 0; i < state->out[k].count; ++i) {
            hemc_grid_add(&state->kept, state->out[k].points[i]);
        }
    }
}

// -- 3. Measure

typedef struct integral {
    const hemc_raw_contour* contour;
    const double* arc;
    hemc_d3* sums; // integral of the position from the start to each point
} integral;

static hemc_d3 integral_to(const integral* in, double s) {
    const hemc_raw_contour* contour = in->contour;
    double length = in->arc[contour->count];
    hemc_d3 turns = d3(0, 0, 0);
    if (contour->closed && length > 0.0) {
        double k = floor(s / length);
        s -= k * length;
        turns = d3_scale(in->sums[contour->count], k);
    }
    s = s < 0.0 ? 0.0 : s > length ? length : s;
    uint32_t lo = 0, hi = contour->closed ? contour->count : contour->count - 1;
    while (hi - lo > 1) {
        uint32_t middle = (lo + hi) / 2;
        if (in->arc[middle] <= s) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    uint32_t next = hi == contour->count ? 0 : hi;
    double gap = in->arc[hi] - in->arc[lo], d = s - in->arc[lo];
    hemc_d3 p = contour->points[lo], q = gap > 0.0 ? d3_lerp(p, contour->points[next], d / gap) : p;
    return d3_add(turns, d3_madd(in->sums[lo], d3_add(p, q), 0.5 * d));
}

static hemc_contour measure(hemc_slicer* s, const hemc_raw_contour* contour, uint32_t level) {
    hemc_arena* arena = s->gen->arena;
    double h = s->gen->spacing;
    hemc_contour out;
    memset(&out, 0, sizeof out);
    out.level = level;
    out.closed = contour->closed;
    out.cut_begin = contour->cut_begin;
    out.cut_end = contour->cut_end;
    out.count = contour->count;
    out.points = contour->points;
    out.normals = contour->normals;
    out.seed = contour->seed;
    out.station = hemc_alloc(arena, (size_t)contour->count + 1, sizeof *out.station);
    double* arc = raw_arcs(arena, contour);
    double length = arc[contour->count];
    integral in = {contour, arc, hemc_alloc(arena, (size_t)contour->count + 1, sizeof(hemc_d3))};
    for (uint32_t i = 0; i < contour->count; ++i) {
        hemc_d3 next = contour->points[(i + 1) % contour->count];
        in.sums[i + 1] = d3_madd(in.sums[i], d3_add(contour->points[i], next), 0.5 * (arc[i + 1] - arc[i]));
    }
    double width = 0.5 * h < length / 16.0 ? 0.5 * h : length / 16.0;
    hemc_d3 first = d3(0, 0, 0), last = d3(0, 0, 0);
    for (uint32_t i = 0; i < contour->count; ++i) {
        double w = width;
        if (!contour->closed) {
            w = arc[i] < w ? arc[i] : w;
            w = length - arc[i] < w ? length - arc[i] : w;
        }
        hemc_d3 smooth = contour->points[i];
        if (w > 1e-9 * h) {
            smooth = d3_scale(d3_sub(integral_to(&in, arc[i] + w), integral_to(&in, arc[i] - w)), 0.5 / w);
        }
        if (i == 0) {
            first = smooth;
        } else {
            out.station[i] = out.station[i - 1] + d3_distance(last, smooth);
        }
        last = smooth;
    }
    out.station[contour->count] = out.station[contour->count - 1] + (contour->closed ? d3_distance(last, first) : 0.0);
    out.length = out.station[contour->count];
    for (uint32_t i = 0; i < out.count; ++i) {
        out.normals[i] = d3_unit(out.normals[i], d3(0, 0, 0));
    }
    return out;
}

static void sort_by_length(hemc_arena* arena, hemc_raw_contour* contours, uint32_t count) {
    hemc_sort_item* order = hemc_alloc(arena, count, sizeof *order);
    hemc_raw_contour* copy = hemc_alloc(arena, count, sizeof *copy);
    memcpy(copy, contours, count * sizeof *copy);
    double longest = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        longest = contours[i].length > longest ? contours[i].length : longest;
    }
    for (uint32_t i = 0; i < count; ++i) {
        // Rounded to a thousandth of the longest: the same shape elsewhere must not swap two equal contours.
        order[i].key = longest > 0.0 ? -floor(contours[i].length / longest * 1000.0 + 0.5) : 0.0;
        order[i].index = i;
    }
    hemc_sort_items(arena, order, count);
    for (uint32_t i = 0; i < count; ++i) {
        contours[i] = copy[order[i].index];
    }
}
void hemc_contours_add(hemc_slicer* slicer, uint32_t level, hemc_raw_contour* raw, uint32_t count,
                       hemc_contours* contours) {
    hemc_arena* arena = slicer->gen->arena;
    layer_state state;
    memset(&state, 0, sizeof state);
    for (uint32_t i = 0; i < count; ++i) {
        fold_loop(slicer, &raw[i]);
        subdivide(arena, &raw[i], 0.125 * slicer->gen->spacing);
    }
    sort_by_length(arena, raw, count);
    hemc_grid_init(&state.kept, arena, LINGER_LESSER * slicer->gen->spacing, 1024);
    for (uint32_t i = 0; i < count; ++i) {
        drop_layers(slicer, &state, &raw[i]);
    }
    slicer->gen->work += state.kept.visit_count;
    sort_by_length(arena, state.out, (uint32_t)state.out_count);
    for (size_t i = 0; i < state.out_count; ++i) {
        contours->items =
            hemc_grow(arena, contours->items, &contours->capacity, contours->count + 1, sizeof *contours->items);
        contours->items[contours->count++] = measure(slicer, &state.out[i], level);
    }
}
