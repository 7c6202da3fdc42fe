// SPDX-License-Identifier: MIT
#include "compiler/generate/cut.h"

#include <string.h>

// Where the cutting planes lie.
//
// Axis. The paper takes the direction of largest extent. A skirt wider than it is tall, or a part whose extents tie,
// would be cut lengthwise, so the principal axis decides only where the part is clearly elongated; otherwise
// gravity does, unless the part lies flat.
//
// Levels. The paper steps s = h * mean inclination, the inclination of a triangle being the sine of the angle between
// its plane and the cutting plane: a slope of angle a rises h sin(a) over a distance h along it, so levels come out h
// apart on the surface. Here the same step is integrated, S(z) = integral of dz / mean_sin(z), sin weighted by the
// length of the cut, and S is divided evenly: the remainder at the top is spread over all levels. The first and
// last level sit a hair inside the ends, or higher where the border is ragged, so that the hem is a course of its own.

// -- Axis

typedef struct moments {
    double area;
    hemc_d3 mean;
    double covariance[6];
} moments;

static moments surface_moments(const hemc_surface* surface) {
    moments m;
    memset(&m, 0, sizeof m);
    hemc_d3 sum = d3(0, 0, 0);
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        double area = d3_length(hemc_triangle_area_normal(surface, t));
        hemc_d3 c = d3_add(d3_add(hemc_corner(surface, t, 0), hemc_corner(surface, t, 1)), hemc_corner(surface, t, 2));
        sum = d3_madd(sum, c, area / 3.0);
        m.area += area;
    }
    if (m.area <= 0.0) {
        return m;
    }
    m.mean = d3_scale(sum, 1.0 / m.area);
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        // Exact second moment of a triangle: area / 12 (sum of corner products + product of the corner sum).
        double w = d3_length(hemc_triangle_area_normal(surface, t)) / 12.0 / m.area;
        hemc_d3 p[4];
        p[3] = d3(0, 0, 0);
        for (int k = 0; k < 3; ++k) {
            p[k] = d3_sub(hemc_corner(surface, t, k), m.mean);
            p[3] = d3_add(p[3], p[k]);
        }
        for (int k = 0; k < 4; ++k) {
            m.covariance[0] += w * p[k].x * p[k].x;
            m.covariance[1] += w * p[k].x * p[k].y;
            m.covariance[2] += w * p[k].x * p[k].z;
            m.covariance[3] += w * p[k].y * p[k].y;
            m.covariance[4] += w * p[k].y * p[k].z;
            m.covariance[5] += w * p[k].z * p[k].z;
        }
    }
    return m;
}

static double mean_inclination(const hemc_surface* surface, hemc_d3 axis) {
    double sum = 0.0, area = 0.0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        hemc_d3 n = hemc_triangle_area_normal(surface, t);
        double a = d3_length(n), along = d3_dot(n, axis);
        double square = a * a - along * along;
        sum += square > 0.0 ? sqrt(square) : 0.0;
        area += a;
    }
    return area > 0.0 ? sum / area : 0.0;
}

static hemc_d3 orient_axis(const hemc_surface* surface, const moments* m, hemc_d3 axis) {
    if (fabs(axis.y) > 0.2) {
        return axis.y < 0.0 ? d3_scale(axis, -1.0) : axis;
    }
    // Nearly horizontal: towards the end where the surface thins out, which turns with the part.
    double third = 0.0, second = 0.0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        double area = d3_length(hemc_triangle_area_normal(surface, t));
        for (int k = 0; k < 3; ++k) {
            double d = d3_dot(d3_sub(hemc_corner(surface, t, k), m->mean), axis);
            third += area * d * d * d;
            second += area * d * d;
        }
    }
    double scale = second * sqrt(second / (3.0 * m->area + 1e-300));
    if (fabs(third) > 1e-3 * scale) {
        return third < 0.0 ? d3_scale(axis, -1.0) : axis;
    }
    double largest = fabs(axis.x) >= fabs(axis.z) ? axis.x : axis.z;
    return largest < 0.0 ? d3_scale(axis, -1.0) : axis;
}

hemc_d3 hemc_cut_axis(const hemc_part_recipe* part, const hemc_surface* surface) {
    if (!part->axis_auto) {
        return d3_unit(d3(part->axis[0], part->axis[1], part->axis[2]), d3(0, 1, 0));
    }
    moments m = surface_moments(surface);
    double values[3];
    hemc_d3 vectors[3];
    hemc_eigen3(m.covariance, values, vectors);
    hemc_d3 up = d3(0, 1, 0), principal = vectors[0];
    double upright = mean_inclination(surface, up);
    bool steep = fabs(principal.y) > 0.82; // within 35 degrees of the vertical
    bool elongated = steep ? values[0] > 2.0 * values[1]
                           : values[0] > 4.0 * values[1] && mean_inclination(surface, principal) > upright - 0.1;
    if (elongated || upright < 0.35) {
        return orient_axis(surface, &m, principal);
    }
    return up;
}

// -- Survey

static uint32_t bin_of(const hemc_survey* survey, double height) {
    const double bin = survey->extent > 0.0 ? (height - survey->low) / survey->extent * survey->bin_count : 0.0;
    return bin >= survey->bin_count ? survey->bin_count - 1 : bin > 0.0 ? (uint32_t)bin : 0;
}

// As many bins as leave each triangle in four of them on average: a plane then meets a good part of those in its bin.
static void fill_bins(hemc_arena* arena, uint32_t triangle_count, hemc_survey* survey) {
    double crossed = 0.0; // triangles that a plane meets on average
    for (uint32_t t = 0; t < triangle_count && survey->extent > 0.0; ++t) {
        crossed += (survey->range[t][1] - survey->range[t][0]) / survey->extent;
    }
    const double wanted = crossed > 1.0 ? 3.0 * triangle_count / crossed : 1.0;
    survey->bin_count = wanted > 4096.0 ? 4096u : wanted > 1.0 ? (uint32_t)wanted : 1u;
    survey->bin_start = hemc_alloc(arena, (size_t)survey->bin_count + 2, sizeof *survey->bin_start);
    uint32_t* next = survey->bin_start + 1;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t t = 0; t < triangle_count; ++t) {
            const uint32_t last = bin_of(survey, survey->range[t][1]);
            for (uint32_t k = bin_of(survey, survey->range[t][0]); k <= last; ++k) {
                if (pass == 0) {
                    ++next[k + 1];
                } else {
                    survey->bin_triangles[next[k]++] = t;
                }
            }
        }
        if (pass == 0) {
            for (uint32_t k = 0; k < survey->bin_count; ++k) {
                next[k + 1] += next[k];
            }
            survey->bin_triangles =
                hemc_alloc(arena, (size_t)next[survey->bin_count] + 1, sizeof *survey->bin_triangles);
        }
    }
}

void hemc_survey_make(hemc_arena* arena, const hemc_surface* surface, hemc_d3 axis, hemc_survey* survey) {
    memset(survey, 0, sizeof *survey);
    survey->axis = axis;
    survey->height = hemc_alloc(arena, surface->vertex_count, sizeof *survey->height);
    survey->normal = hemc_alloc(arena, surface->triangle_count, sizeof *survey->normal);
    survey->range = hemc_alloc(arena, surface->triangle_count, sizeof *survey->range);
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        survey->height[v] = d3_dot(d3_from(surface->positions[v]), axis);
    }
    double high = 0.0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t* v = &surface->triangles[3 * (size_t)t];
        double a = survey->height[v[0]], b = survey->height[v[1]], c = survey->height[v[2]];
        double* range = survey->range[t];
        range[0] = a < b ? (a < c ? a : c) : (b < c ? b : c);
        range[1] = a > b ? (a > c ? a : c) : (b > c ? b : c);
        survey->low = t == 0 || range[0] < survey->low ? range[0] : survey->low;
        high = t == 0 || range[1] > high ? range[1] : high;
        survey->normal[t] = d3_unit(hemc_triangle_area_normal(surface, t), d3(0, 0, 0));
    }
    survey->extent = high - survey->low;
    fill_bins(arena, surface->triangle_count, survey);
}

// -- Levels

// The triangles that the plane at this height meets, ascending, added to the list.
static void find_crossed(hemc_slicer* s, double height, hemc_index_list* list) {
    const hemc_survey* survey = &s->survey;
    const uint32_t bin = bin_of(survey, height);
    const size_t maximum = survey->bin_start[bin + 1] - survey->bin_start[bin];
    list->items =
        hemc_grow(s->gen->arena, list->items, &list->capacity, list->count + maximum + 1, sizeof *list->items);
    for (uint32_t k = survey->bin_start[bin]; k < survey->bin_start[bin + 1]; ++k) {
        const uint32_t t = survey->bin_triangles[k];
        if (survey->range[t][0] < height && height <= survey->range[t][1]) {
            list->items[list->count++] = t;
        }
    }
    s->gen->work += maximum;
}

// Length of the cut of triangle t at height z, which must lie within its range.
static double cut_length(const hemc_slicer* s, uint32_t t, double z) {
    const hemc_surface* surface = s->gen->surface;
    const uint32_t* v = &surface->triangles[3 * (size_t)t];
    hemc_d3 p[2];
    int found = 0;
    for (int e = 0; e < 3 && found < 2; ++e) {
        uint32_t a = v[e], b = v[(e + 1) % 3];
        if ((s->survey.height[a] >= z) != (s->survey.height[b] >= z)) {
            double f = (z - s->survey.height[a]) / (s->survey.height[b] - s->survey.height[a]);
            p[found++] = d3_lerp(d3_from(surface->positions[a]), d3_from(surface->positions[b]), f);
        }
    }
    return found == 2 ? d3_distance(p[0], p[1]) : 0.0;
}

// The surface distance S as a function of height: a table over bins of equal height.
typedef struct ascent {
    double low, extent; // height
    uint32_t bins;
    double* step; // surface distance across each bin
    double total;
} ascent;

static ascent measure_ascent(hemc_slicer* s) {
    ascent out;
    memset(&out, 0, sizeof out);
    out.low = s->survey.low;
    out.extent = s->survey.extent;
    double wanted = 16.0 * out.extent / s->gen->spacing;
    out.bins = wanted < 64.0 ? 64u : wanted > 1024.0 ? 1024u : (uint32_t)wanted;
    out.step = hemc_alloc(s->gen->arena, out.bins, sizeof *out.step);
    hemc_index_list crossed = {NULL, 0, 0};
    for (uint32_t k = 0; k < out.bins; ++k) {
        double z = out.low + (k + 0.5) / out.bins * out.extent, length = 0.0, inclined = 0.0;
        crossed.count = 0;
        find_crossed(s, z, &crossed);
        for (size_t i = 0; i < crossed.count; ++i) {
            uint32_t t = crossed.items[i];
            double along = d3_dot(s->survey.normal[t], s->survey.axis), l = cut_length(s, t, z);
            length += l;
            inclined += l * (1.0 - along * along > 0.0 ? sqrt(1.0 - along * along) : 0.0);
        }
        double sine = length > 0.0 ? inclined / length : 1.0;
        out.step[k] = out.extent / out.bins / (sine > 0.03 ? sine : 0.03);
        out.total += out.step[k];
    }
    return out;
}

static double height_at(const ascent* a, double distance) {
    uint32_t k = 0;
    double at = 0.0;
    while (k + 1 < a->bins && at + a->step[k] < distance) {
        at += a->step[k++];
    }
    double share = a->step[k] > 0.0 ? (distance - at) / a->step[k] : 0.0;
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    return a->low + (k + share) / a->bins * a->extent;
}

// Length of the cut after folding and dropping layers. `mark` must be used once: it stands in for a level number.
static double section_length(hemc_slicer* s, double height, uint32_t mark) {
    hemc_index_list crossed = {NULL, 0, 0};
    hemc_contours contours = {NULL, 0, 0};
    find_crossed(s, height, &crossed);
    hemc_slice(s, mark, height, crossed.items, crossed.count, &contours);
    double length = 0.0;
    for (size_t i = 0; i < contours.count; ++i) {
        length += contours.items[i].length;
    }
    return length;
}

// How far inside an end its level goes: a hair, or up to 0.75 h where the border is ragged. Ragged means that the section
// is shorter than the trend of the next two courses promises: a cone's is not, nor is a waistband without lining.
static double trim_end(hemc_slicer* s, const ascent* a, bool top) {
    double h = s->gen->spacing;
    double inset = 0.01 * h < 0.02 * a->total ? 0.01 * h : 0.02 * a->total;
    if (a->total < 3.0 * h) {
        return inset;
    }
    uint32_t mark = top ? 0xc0000000u : 0x80000000u;
    double one = section_length(s, height_at(a, top ? a->total - h : h), mark);
    double two = section_length(s, height_at(a, top ? a->total - 2.0 * h : 2.0 * h), mark + 1);
    double trend = two - one < one ? 2.0 * one - two : 0.0;
    for (uint32_t k = 0; k < 5; ++k) {
        double inside = inset + 0.15 * h * k;
        double length = section_length(s, height_at(a, top ? a->total - inside : inside), mark + 2 + k);
        if (length >= 0.92 * (trend + (one - trend) * inside / h)) {
            return inside;
        }
    }
    return 0.75 * h;
}

// Which triangles each level meets.
static void collect_triangles(hemc_slicer* s, hemc_levels* out) {
    hemc_index_list list = {NULL, 0, 0};
    out->starts = hemc_alloc(s->gen->arena, (size_t)out->count + 1, sizeof *out->starts);
    for (uint32_t i = 0; i < out->count; ++i) {
        find_crossed(s, out->height[i], &list);
        out->starts[i + 1] = (uint32_t)list.count;
    }
    out->triangles = list.items;
}

hemc_levels hemc_find_levels(hemc_slicer* s) {
    double h = s->gen->spacing;
    hemc_levels out;
    memset(&out, 0, sizeof out);
    ascent a = measure_ascent(s);
    double begin = trim_end(s, &a, false), end = a.total - trim_end(s, &a, true);
    if (end < begin) {
        begin = end = 0.5 * a.total;
    }
    uint32_t steps = (uint32_t)((end - begin) / (h * s->gen->level_scale) + 0.5);
    if (steps == 0 && end - begin > 0.3 * h) {
        steps = 1;
    }
    if (steps == 0) {
        begin = 0.5 * (begin + end);
    }
    out.count = steps + 1;
    out.height = hemc_alloc(s->gen->arena, out.count, sizeof *out.height);
    for (uint32_t i = 0; i < out.count; ++i) {
        out.height[i] = height_at(&a, steps ? begin + (end - begin) * i / steps : begin);
    }
    collect_triangles(s, &out);
    return out;
}
