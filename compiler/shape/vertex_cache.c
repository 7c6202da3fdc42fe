// SPDX-License-Identifier: MIT
#include "compiler/shape/vertex_cache.h"

#include "compiler/surface/spatial.h"

// The points of a cache are those of the modelling tool. The exporter has doubled some of them (where texture coordinates or
// normals part), numbered them anew, and turned and moved them into the glTF's space. So each vertex takes the point that is where it
// is at rest in the first sample, as it stands or with z up, and with or without what lies between the middles of the two.

#define NEAR 1e-3 // of the mesh's size

static hemc_d3 place_of(const hemc_vertex_cache* c, uint32_t sample, uint32_t point) {
    float x[3];
    hem_point_cache_place(&c->points, sample, point, x);
    const hemc_d3 at =
        c->z_up ? d3((double)x[0], (double)x[2], -(double)x[1]) : d3((double)x[0], (double)x[1], (double)x[2]);
    return d3_add(d3_scale(at, c->scale), d3(c->offset[0], c->offset[1], c->offset[2]));
}

typedef struct extent {
    double low[3], high[3];
} extent;

static void widen(extent* e, hemc_d3 p, bool first) {
    const double at[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; ++k) {
        e->low[k] = first ? at[k] : fmin(e->low[k], at[k]);
        e->high[k] = first ? at[k] : fmax(e->high[k], at[k]);
    }
}

typedef struct match {
    double worst;
    uint32_t vertex;
} match;

static match match_vertices(hemc_arena* arena, const hemc_vertex_cache* c, const hemc_vec3* rest, uint32_t* point_of) {
    hemc_vec3* points = hemc_alloc(arena, c->points.point_count, sizeof *points);
    for (uint32_t i = 0; i < c->points.point_count; ++i) {
        points[i] = d3_to(place_of(c, 0, i));
    }
    hemc_kd kd;
    hemc_kd_build(arena, &kd, points, c->points.point_count);
    match found = {0, 0};
    for (uint32_t v = 0; v < c->vertex_count; ++v) {
        double distance = 0;
        point_of[v] = (uint32_t)hemc_kd_nearest(&kd, d3_from(rest[v]), 1e30, &distance);
        if (distance > found.worst) {
            found = (match){distance, v};
        }
    }
    return found;
}

bool hemc_vertex_cache_open(hemc_arena* arena, hemc_log* log, const char* file, const void* bytes, size_t size,
                            double scale, const hemc_vec3* rest, uint32_t vertex_count, hemc_vertex_cache* cache) {
    hem_cache_fault fault;
    if (!hem_point_cache_open(bytes, size, &cache->points, &fault)) {
        const char* where = fault.sample != 0 || fault.point != 0
                                ? hemc_format(arena, "sample %u, point %u", fault.sample, fault.point)
                                : "";
        return hemc_error(log, HEMC_INPUT, file, where, "%s", fault.what);
    }
    cache->vertex_count = vertex_count;
    cache->scale = scale;
    uint32_t* point_of = hemc_alloc(arena, vertex_count, sizeof *point_of);
    cache->point_of = point_of;
    extent mesh = {{0}, {0}};
    for (uint32_t v = 0; v < vertex_count; ++v) {
        widen(&mesh, d3_from(rest[v]), v == 0);
    }
    double length = 0;
    for (int k = 0; k < 3; ++k) {
        length = fmax(length, mesh.high[k] - mesh.low[k]);
    }
    match best = {1e300, 0};
    for (int n = 0; n < 4; ++n) {
        extent own = {{0}, {0}};
        cache->z_up = n % 2 != 0;
        cache->offset[0] = cache->offset[1] = cache->offset[2] = 0;
        for (uint32_t i = 0; i < cache->points.point_count; ++i) {
            widen(&own, place_of(cache, 0, i), i == 0);
        }
        for (int k = 0; k < 3 && n >= 2; ++k) {
            cache->offset[k] = 0.5 * (mesh.low[k] + mesh.high[k] - own.low[k] - own.high[k]);
        }
        const match found = match_vertices(arena, cache, rest, point_of);
        if (found.worst <= NEAR * length) {
            return true;
        }
        best = found.worst < best.worst ? found : best;
    }
    return hemc_error(
        log, HEMC_INPUT, file, "",
        "its first sample is not the mesh at rest: vertex %u is %.1f mm from the nearest of %u points; write it "
        "from a frame where the mesh stands as it is bound, in the mesh's own units",
        best.vertex, 1e3 * best.worst, cache->points.point_count);
}

void hemc_vertex_cache_sample(const hemc_vertex_cache* cache, uint32_t sample, hemc_vec3* places) {
    for (uint32_t v = 0; v < cache->vertex_count; ++v) {
        places[v] = d3_to(place_of(cache, sample, cache->point_of[v]));
    }
}

double hemc_vertex_cache_hz(const hemc_vertex_cache* cache, double fps) {
    return fps / (double)cache->points.frames_per_sample;
}
