// SPDX-License-Identifier: MIT
#include "compiler/surface/spatial.h"

#include <string.h>

// Triangles of a surface, and the surface as points of known area.

void hemc_rank_corners(const uint32_t v[3], int rank[3]) {
    rank[0] = (v[0] > v[1]) + (v[0] > v[2]);
    rank[1] = (v[1] >= v[0]) + (v[1] > v[2]);
    rank[2] = (v[2] >= v[0]) + (v[2] >= v[1]);
}

void hemc_sorted_corners(const hemc_surface* surface, uint32_t triangle, hemc_d3 corners[3]) {
    const uint32_t* v = &surface->triangles[3 * (size_t)triangle];
    int rank[3];
    hemc_rank_corners(v, rank);
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
    double minimum = sqrt(4.0 * hemc_surface_area(surface) / (0.5 * SAMPLE_LIMIT));
    sampler s = {arena, samples, 0, 0, size > minimum ? size : minimum, {0, 0, 0}, 0};
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        hemc_d3 normal = hemc_triangle_area_normal(surface, t);
        s.normal = d3_unit(normal, d3(0, 0, 0));
        s.triangle = t;
        hemc_d3 corners[3];
        hemc_sorted_corners(surface, t, corners);
        sample_triangle(&s, corners[0], corners[1], corners[2], d3_length(normal), 40);
    }
}

bool hemc_surface_is_closed(const hemc_surface* surface) {
    double open = 0.0, all = 0.0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        for (int e = 0; e < 3; ++e) {
            double side = d3_distance(hemc_corner(surface, t, e), hemc_corner(surface, t, (e + 1) % 3));
            all += side;
            open += surface->neighbors[3 * (size_t)t + (size_t)e] == HEM_NONE ? side : 0.0;
        }
    }
    return open <= 0.02 * all;
}
