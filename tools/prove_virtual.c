// SPDX-License-Identifier: MIT
#include "tools/prove_meshes.h"
#include "hem/inspect.h"
#include "hem/tuning.h"
#include "platform/clock.h"
#include "platform/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The scenes of "Collision Adaptive Particle Systems" (Etzmuss and others, 2000): a hundred particles on a round table, four
// hundred on a square one beside 2500 without virtual particles, a hundred on a ball of about 1227 edges. All meshes are
// convex, so that a point is as deep in one as in the least of its planes. The paper's times are those of its figure 12, on
// an R10000 of 180 MHz: projection and triangulation; ours are of the phase that finds virtual particles on edges.

#define LIMIT 8192 // virtual particles

typedef struct convex {
    double (*planes)[4];
    uint32_t count;
} convex;

typedef struct draped {
    made_cloth cloth;
    made_mesh mesh;
    convex shape;
    void* block;
    hem_scene* scene;
    hem_instance_id id;
    hem_virtual_particle* points;
    uint32_t point_count;
    uint32_t particle_count;           // of the asset
    double step_seconds, wrap_seconds; // per frame
    uint64_t since, wrap_time;
} draped;

static void close_draped(draped* d) {
    forget_cloth(&d->cloth);
    forget_mesh(&d->mesh);
    free(d->shape.planes);
    free(d->block);
    free(d->points);
    memset(d, 0, sizeof(*d));
}

// -- Meshes

static bool make_convex(const float (*at)[3], uint32_t vertex_count, const uint32_t (*triangles)[3], uint32_t count,
                        draped* d) {
    hem_trimesh_def def = hem_trimesh_def_default();
    def.vertex_count = vertex_count;
    def.positions = at[0];
    def.indices = triangles[0];
    def.triangle_count = count;
    d->shape.planes = calloc(count, sizeof(*d->shape.planes));
    for (uint32_t i = 0; d->shape.planes && i < count; i++) {
        const float *a = at[triangles[i][0]], *b = at[triangles[i][1]], *c = at[triangles[i][2]];
        double u[3], v[3], n[3], length = 0, away = 0;
        for (int k = 0; k < 3; k++) {
            u[k] = (double)b[k] - (double)a[k];
            v[k] = (double)c[k] - (double)a[k];
        }
        for (int k = 0; k < 3; k++) {
            n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
            length += n[k] * n[k];
        }
        for (int k = 0; length > 1e-20 && k < 3; k++) {
            n[k] /= sqrt(length);
            away += n[k] * (double)a[k];
            d->shape.planes[d->shape.count][k] = n[k];
        }
        d->shape.planes[d->shape.count][3] = away;
        d->shape.count += length > 1e-20;
    }
    return d->shape.planes && build_mesh(&def, &d->mesh);
}

static double depth_in(const convex* c, const double p[3]) {
    double depth = 1e9;
    for (uint32_t i = 0; i < c->count; i++) {
        const double* n = c->planes[i];
        depth = fmin(depth, n[3] - n[0] * p[0] - n[1] * p[1] - n[2] * p[2]);
    }
    return depth;
}

static bool make_box(const float half[3], draped* d) {
    static const uint32_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    float at[8][3];
    uint32_t triangles[12][3];
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            at[i][k] = i >> k & 1 ? half[k] : -half[k];
        }
    }
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t* s = sides[i / 2];
        triangles[i][0] = s[0];
        triangles[i][1] = s[i % 2 + 1];
        triangles[i][2] = s[i % 2 + 2];
    }
    return make_convex((const float(*)[3])at, 8, (const uint32_t(*)[3])triangles, 12, d);
}

#define AROUND 64

static bool make_drum(float radius, float half, draped* d) {
    static float at[2 * AROUND + 2][3];
    static uint32_t triangles[4 * AROUND][3];
    for (uint32_t i = 0; i < AROUND; i++) {
        const float a = 6.2831853f * (float)i / AROUND;
        const uint32_t n = (i + 1) % AROUND;
        for (uint32_t k = 0; k < 2; k++) {
            at[2 * i + k][0] = radius * hem_sinf(a);
            at[2 * i + k][1] = k ? half : -half;
            at[2 * i + k][2] = radius * hem_cosf(a);
        }
        const uint32_t four[4][3] = {{2 * i, 2 * n, 2 * i + 1},
                                     {2 * n, 2 * n + 1, 2 * i + 1},
                                     {2 * AROUND, 2 * n, 2 * i},
                                     {2 * AROUND + 1, 2 * i + 1, 2 * n + 1}};
        memcpy(triangles[4 * i], four, sizeof(four));
    }
    at[2 * AROUND][1] = -half;
    at[2 * AROUND + 1][1] = half;
    return make_convex((const float(*)[3])at, 2 * AROUND + 2, (const uint32_t(*)[3])triangles, 4 * AROUND, d);
}

#define BALL_AROUND 24
#define BALL_ALONG 18

static bool make_ball(float radius, draped* d) {
    static float at[BALL_AROUND * (BALL_ALONG - 1) + 2][3];
    static uint32_t triangles[2 * BALL_AROUND * (BALL_ALONG - 1)][3];
    const uint32_t rings = BALL_ALONG - 1, low = BALL_AROUND * rings, high = low + 1;
    uint32_t count = 0;
    for (uint32_t i = 0; i < low; i++) {
        const float a = 6.2831853f * (float)(i % BALL_AROUND) / BALL_AROUND;
        const float b = 3.1415927f * (float)(i / BALL_AROUND + 1) / BALL_ALONG;
        at[i][0] = radius * hem_sinf(b) * hem_sinf(a);
        at[i][1] = -radius * hem_cosf(b);
        at[i][2] = radius * hem_sinf(b) * hem_cosf(a);
        const uint32_t next = i % BALL_AROUND == BALL_AROUND - 1 ? i + 1 - BALL_AROUND : i + 1;
        if (i / BALL_AROUND + 1 < rings) {
            const uint32_t two[2][3] = {{i, next, i + BALL_AROUND}, {next, next + BALL_AROUND, i + BALL_AROUND}};
            memcpy(triangles[count], two, sizeof(two));
            count += 2;
        }
        if (i < BALL_AROUND) {
            const uint32_t one[3] = {low, next, i};
            memcpy(triangles[count++], one, sizeof(one));
        } else if (i / BALL_AROUND + 1 == rings) {
            const uint32_t one[3] = {high, i, next};
            memcpy(triangles[count++], one, sizeof(one));
        }
    }
    memset(at[low], 0, sizeof(at[low]));
    memset(at[high], 0, sizeof(at[high]));
    at[low][1] = -radius;
    at[high][1] = radius;
    return make_convex((const float(*)[3])at, low + 2, (const uint32_t(*)[3])triangles, count, d);
}

// -- Scenes

static void phase_begins(void* user, const char* phase, hem_instance_id id) {
    (void)id;
    draped* d = user;
    d->since = strcmp(phase, "wrap") == 0 ? hem_clock_nanoseconds() : 0;
}

static void phase_ends(void* user, const char* phase, hem_instance_id id) {
    (void)id, (void)phase;
    draped* d = user;
    d->wrap_time += d->since ? hem_clock_nanoseconds() - d->since : 0;
}

// A sheet of a metre, 2 cm above the mesh, whose top is at y = 0.
static bool open_scene(draped* d, float top) {
    hem_scene_def def = hem_scene_def_default();
    hem_slot_def slot = {&d->cloth.asset, 1};
    hem_mesh_def one = {&d->mesh.mesh, 0, 0};
    hem_memory need;
    def.slots = &slot;
    def.slot_count = 1;
    def.meshes = &one;
    def.mesh_count = 1;
    def.virtual_capacity = LIMIT;
    d->points = calloc(LIMIT, sizeof(*d->points));
    if (!d->points || hem_scene_measure(&def, &need) != HEM_OK || !(d->block = aligned_alloc(64, need.size)) ||
        hem_scene_init(&d->scene, &def, d->block, need.size) != HEM_OK) {
        return false;
    }
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = &d->cloth.asset;
    hem_scene_add(d->scene, &instance, &d->id);
    hem_asset_info info;
    hem_asset_get_info(&d->cloth.asset, &info);
    d->particle_count = info.particle_count;
    hem_instance_set_features(d->scene, d->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    hem_tuning tuning;
    // The same cloth at any spacing s: a bend link of length 2 s that is curved by k is shorter by (2 s)^3 k^2 / 24, and there are
    // 2 / s^2 of them on a square metre, so that their energy goes with s^4 over the compliance. 0.1 m/N at 1/49 m.
    const float spacing = 49.0f / (hem_sqrtf((float)d->cloth.count) - 1.0f);
    hem_instance_get_tuning(d->scene, d->id, &tuning, sizeof(tuning));
    tuning.collision_thickness = 0.005f;
    tuning.compliance[HEM_LINK_SHEAR] = 1e-3f;
    tuning.compliance[HEM_LINK_BEND] = 0.1f * spacing * spacing * spacing * spacing;
    tuning.damping = 2.0f;
    tuning.stretch_limit = 0.03f; // four substeps of one pass leave what hangs at a corner 9 % too long
    hem_instance_set_tuning(d->scene, d->id, &tuning, 1);
    hem_collider c = hem_collider_default();
    c.kind = HEM_COLLIDER_MESH;
    c.friction = 0.4f;
    c.position[1] = -0.02 - (double)top;
    hem_instance_set_colliders(d->scene, d->id, &c, 1);
    return true;
}

// Five seconds, of which the last is measured: everything lies by then.
static void run(draped* d) {
    hem_step_args args = {1.0f / 60.0f, 0};
    double least[60], wrap[60];
    for (int32_t frame = 0; frame < 300; frame++) {
        hem_profile_hooks hooks = {phase_begins, phase_ends, d};
        hem_scene_set_profile_hooks(d->scene, frame % 2 ? &hooks : NULL); // those that are watched are slower
        d->wrap_time = 0;
        const uint64_t begin = hem_clock_nanoseconds();
        hem_scene_step(d->scene, &args);
        least[frame % 60] = 1e-9 * (double)(hem_clock_nanoseconds() - begin);
        wrap[frame % 60] = 1e-9 * (double)d->wrap_time;
    }
    d->step_seconds = d->wrap_seconds = 1e9;
    for (int32_t i = 0; i < 60; i++) {
        d->step_seconds = i % 2 ? d->step_seconds : fmin(d->step_seconds, least[i]);
        d->wrap_seconds = i % 2 ? fmin(d->wrap_seconds, wrap[i]) : d->wrap_seconds;
    }
    hem_instance_get_virtual(d->scene, d->id, d->points, LIMIT, &d->point_count);
    d->point_count = d->point_count < LIMIT ? d->point_count : LIMIT;
}

static void place_of(const draped* d, uint32_t particle, double at[3]) {
    hem_particle q;
    hem_instance_get_particles(d->scene, d->id, particle, 1, &q);
    for (int k = 0; k < 3; k++) {
        at[k] = (double)q.position[k];
    }
}

typedef struct threads {
    double deepest; // metres in the mesh
    double longest; // over its rest length
} threads;

static void walk_piece(const draped* d, const double a[3], const double b[3], double top, threads* t, double* length) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += (b[k] - a[k]) * (b[k] - a[k]);
    }
    *length += sqrt(sum);
    for (int i = 0; i <= 50; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = a[k] + (b[k] - a[k]) * i / 50;
        }
        p[1] += 0.02 + top;
        t->deepest = fmax(t->deepest, depth_in(&d->shape, p));
    }
}

// All warp and weft threads of the cloth, through their virtual particles, by brute force against all planes.
static threads walk_threads(const draped* d, float top) {
    threads t = {-1, 0};
    uint32_t count = 0;
    hem_asset_get_links(&d->cloth.asset, NULL, 0, &count);
    hem_link_info* links = calloc(count ? count : 1, sizeof(*links));
    hem_asset_get_links(&d->cloth.asset, links, count, &count);
    for (uint32_t i = 0; links && i < count; i++) {
        if (links[i].kind != HEM_LINK_WARP && links[i].kind != HEM_LINK_WEFT) {
            continue;
        }
        double from[3], to[3], end[3], length = 0;
        place_of(d, links[i].a, from);
        place_of(d, links[i].b, end);
        for (uint32_t n = 0; n < d->point_count; n++) {
            // Those of an edge follow each other; the edge may run the other way.
            const hem_virtual_particle* v = &d->points[n];
            const bool forth = v->particle[0] == links[i].a && v->particle[1] == links[i].b;
            if (!forth && !(v->particle[1] == links[i].a && v->particle[0] == links[i].b)) {
                continue;
            }
            uint32_t last = n;
            while (last + 1 < d->point_count && memcmp(d->points[last + 1].particle, v->particle, 8) == 0) {
                last++;
            }
            for (uint32_t m = n; m <= last; m++) {
                const float* at = d->points[forth ? m : n + last - m].position;
                for (int k = 0; k < 3; k++) {
                    to[k] = (double)at[k];
                }
                walk_piece(d, from, to, (double)top, &t, &length);
                memcpy(from, to, sizeof(from));
            }
            break;
        }
        walk_piece(d, from, end, (double)top, &t, &length);
        t.longest = fmax(t.longest, length / (double)links[i].rest);
    }
    free(links);
    return t;
}

// -- The surface that is drawn

#define REFINED_VERTICES 16384
#define REFINED_TRIANGLES 65536

typedef struct surface {
    hem_refined faces;
    double deepest; // metres in the mesh
    double area;    // square metres
} surface;

static void place_of_corner(const draped* d, const surface* s, uint32_t index, double at[3]) {
    if (index < d->particle_count) {
        place_of(d, index, at);
        return;
    }
    for (int k = 0; k < 3; k++) {
        at[k] = (double)s->faces.vertices[index - d->particle_count].position[k];
    }
}

// All triangles, by brute force against all planes: 15 points on each, corners and sides among them.
static void walk_triangle(const draped* d, double corner[3][3], double top, surface* s) {
    double cross[3], size = 0;
    for (int k = 0; k < 3; k++) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        cross[k] = (corner[1][m] - corner[0][m]) * (corner[2][n] - corner[0][n]) -
                   (corner[1][n] - corner[0][n]) * (corner[2][m] - corner[0][m]);
        size += cross[k] * cross[k];
    }
    s->area += 0.5 * sqrt(size);
    for (int i = 0; i <= 4; i++) {
        for (int j = 0; i + j <= 4; j++) {
            double p[3];
            for (int k = 0; k < 3; k++) {
                p[k] = (corner[0][k] * i + corner[1][k] * j + corner[2][k] * (4 - i - j)) / 4;
            }
            p[1] += 0.02 + top;
            s->deepest = fmax(s->deepest, depth_in(&d->shape, p));
        }
    }
}

static bool read_surface(const draped* d, float top, surface* s) {
    memset(s, 0, sizeof(*s));
    s->deepest = -1;
    s->faces.vertices = calloc(REFINED_VERTICES, sizeof(*s->faces.vertices));
    s->faces.indices = calloc(REFINED_TRIANGLES, 3 * sizeof(*s->faces.indices));
    s->faces.vertex_capacity = REFINED_VERTICES;
    s->faces.triangle_capacity = REFINED_TRIANGLES;
    bool good = s->faces.vertices && s->faces.indices &&
                hem_instance_get_refined(d->scene, d->id, &s->faces) == HEM_OK && s->faces.dropped_count == 0;
    for (uint32_t i = 0; good && i < s->faces.triangle_count; i++) {
        double corner[3][3];
        for (int k = 0; k < 3; k++) {
            place_of_corner(d, s, s->faces.indices[3 * (size_t)i + (size_t)k], corner[k]);
        }
        walk_triangle(d, corner, (double)top, s);
    }
    free(s->faces.vertices);
    free(s->faces.indices);
    return good;
}

// Pieces of each split edge as shares of its rest length: they sum to 1, and are as long as their share of the way.
static void measure_shares(const draped* d, double* off_sum, double* off_way) {
    *off_sum = *off_way = 0;
    for (uint32_t n = 0; n < d->point_count;) {
        const hem_virtual_particle* v = &d->points[n];
        uint32_t count = 1;
        while (n + count < d->point_count && memcmp(v[count].particle, v->particle, sizeof(v->particle)) == 0) {
            count++;
        }
        double at[3], next[3], length[256], total = 0;
        float sum = 0.0f, before = 0.0f;
        place_of(d, v->particle[0], at);
        for (uint32_t i = 0; i <= count && count < 255; i++) {
            const float share = i < count ? v[i].share : 1.0f;
            place_of(d, v->particle[1], next);
            for (int k = 0; i < count && k < 3; k++) {
                next[k] = (double)v[i].position[k];
            }
            length[i] = sqrt(pow(next[0] - at[0], 2) + pow(next[1] - at[1], 2) + pow(next[2] - at[2], 2));
            total += length[i];
            sum += share - before;
            before = share;
            memcpy(at, next, sizeof(at));
        }
        double way = 0;
        for (uint32_t i = 0; i < count && count < 255; i++) {
            way += length[i];
            *off_way = fmax(*off_way, fabs((double)v[i].share - way / total));
        }
        *off_sum = fmax(*off_sum, fabs((double)sum - 1.0));
        n += count;
    }
}

static void prove_surface(proof* p, const draped* d, float top, bool flat, const char* name) {
    surface s;
    double off_sum, off_way;
    if (!read_surface(d, top, &s)) {
        proof_unmeasured(p, "0.1 mm, 1 %", "the refined faces found no room", "%s: the surface that is drawn", name);
        return;
    }
    proof_at_most(p, 0.1, 1e3 * s.deepest, "mm", "%s: deepest point of the surface that is drawn, %u triangles", name,
                  s.faces.triangle_count);
    if (flat) { // on a ball cloth is gathered, in folds smaller than a cell
        proof_at_most(p, 1.0, 100.0 * fabs(s.area - 1.0), "%", "%s: its area off that of the sheet, a square metre",
                      name);
    }
    measure_shares(d, &off_sum, &off_way);
    proof_at_most(p, 1.0, 1e6 * off_sum, "millionths",
                  "%s: sum of the rest lengths of a split edge's pieces over the edge's, off 1", name);
    proof_at_most(p, 1.0, 1e3 * off_way, "thousandths", "%s: a piece's share of the rest length off that of the way",
                  name);
}

static void prove_scene(proof* p, draped* d, float top, bool flat, const char* name, double paper) {
    run(d);
    const threads t = walk_threads(d, top);
    proof_at_most(p, 0.1, 1e3 * t.deepest, "mm",
                  "%s: deepest point of its warp and weft in the mesh, %u virtual particles", name, d->point_count);
    proof_at_most(p, 5.0, 100.0 * (t.longest - 1.0), "%", "%s: the longest of them over its rest length", name);
    proof_at_most(p, paper, 1e3 * d->wrap_seconds, "ms",
                  "%s: virtual particles on edges, a frame of four substeps (%s)", name,
                  "the paper: with faces, a step, 1999");
    prove_surface(p, d, top, flat, name);
}

// -- Two surfaces

// Particles of a square sheet by their place at rest.
static bool find_grid(const draped* d, int32_t side, uint32_t* grid) {
    hem_asset_info info;
    hem_asset_get_info(&d->cloth.asset, &info);
    memset(grid, 0xff, (size_t)side * (size_t)side * sizeof(uint32_t));
    for (uint32_t i = 0; i < info.particle_count; i++) {
        hem_particle q;
        hem_instance_get_particles(d->scene, d->id, i, 1, &q);
        const int32_t x = (int32_t)lround(((double)q.position[0] + 0.5) * (side - 1));
        const int32_t z = (int32_t)lround(((double)q.position[2] + 0.5) * (side - 1));
        if (q.inverse_mass > 0 && x >= 0 && z >= 0 && x < side && z < side) {
            grid[z * side + x] = i;
        }
    }
    bool good = true;
    for (int32_t i = 0; i < side * side; i++) {
        good = good && grid[i] != UINT32_MAX;
    }
    return good;
}

static double from_segment(const double p[3], const double a[3], const double b[3]) {
    double along = 0, length = 0, d = 0;
    for (int k = 0; k < 3; k++) {
        along += (p[k] - a[k]) * (b[k] - a[k]);
        length += (b[k] - a[k]) * (b[k] - a[k]);
    }
    along = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
    for (int k = 0; k < 3; k++) {
        d += pow(p[k] - a[k] - along * (b[k] - a[k]), 2);
    }
    return sqrt(d);
}

// To a grid of cells of 2 cm that each is a little fan of points and sides: within a millimetre of the distance.
static double from_sheet(const double p[3], const double (*at)[3], int32_t side) {
    double best = 1e9;
    for (int32_t i = 0; i < (side - 1) * (side - 1); i++) {
        const int32_t x = i % (side - 1), z = i / (side - 1), c = z * side + x;
        const double *a = at[c], *b = at[c + 1], *e = at[c + side], *f = at[c + side + 1];
        double middle[3], near = 0;
        for (int k = 0; k < 3; k++) {
            middle[k] = 0.25 * (a[k] + b[k] + e[k] + f[k]);
            near += (p[k] - middle[k]) * (p[k] - middle[k]);
        }
        if (sqrt(near) < best + 0.03) {
            best = fmin(best, fmin(from_segment(p, a, f), from_segment(p, b, e)));
            best = fmin(best, fmin(from_segment(p, a, b), from_segment(p, a, e)));
            best = fmin(best, sqrt(near));
        }
    }
    return best;
}

static double mean_distance(const draped* coarse, const uint32_t* few, const draped* fine, const uint32_t* many) {
    static double at[2500][3];
    double sum = 0;
    for (int32_t i = 0; i < 2500; i++) {
        place_of(fine, many[i], at[i]);
    }
    for (int32_t i = 0; i < 400; i++) {
        double p[3];
        place_of(coarse, few[i], p);
        sum += from_sheet(p, (const double(*)[3])at, 50);
    }
    for (uint32_t i = 0; i < coarse->point_count; i++) {
        const float* v = coarse->points[i].position;
        const double p[3] = {(double)v[0], (double)v[1], (double)v[2]};
        sum += from_sheet(p, (const double(*)[3])at, 50);
    }
    return sum / (400 + coarse->point_count);
}

static void limit_stretch(draped* d, float limit) {
    hem_tuning tuning;
    hem_instance_get_tuning(d->scene, d->id, &tuning, sizeof(tuning));
    tuning.stretch_limit = limit;
    hem_instance_set_tuning(d->scene, d->id, &tuning, 1);
}

static void prove_cost(proof* p, draped* coarse, draped* fine, const char* how) {
    proof_at_most(p, 1.0 / 3.0, coarse->step_seconds / fine->step_seconds, "times",
                  "their cost over that of the 2500 (%.3f and %.3f ms a frame), %s", 1e3 * coarse->step_seconds,
                  1e3 * fine->step_seconds, how);
}

static void prove_square_table(proof* p) {
    static const float half[3] = {0.25f, 0.03f, 0.25f};
    draped coarse = {0}, fine = {0};
    uint32_t* few = calloc(400, 4);
    uint32_t* many = calloc(2500, 4);
    bool good = few && many && make_cloth(20, 20, 1.0f, 1.0f, false, 2, &coarse.cloth) && make_box(half, &coarse) &&
                open_scene(&coarse, half[1]) && find_grid(&coarse, 20, few);
    good = good && make_cloth(50, 50, 1.0f, 1.0f, false, 0, &fine.cloth) && make_box(half, &fine) &&
           open_scene(&fine, half[1]) && find_grid(&fine, 50, many);
    if (good) {
        prove_scene(p, &coarse, half[1], true, "400 particles on a square table", 171.5);
        run(&fine);
        const double distance = mean_distance(&coarse, few, &fine, many);
        proof_at_most(p, 2.0, 100.0 * distance, "% of the size",
                      "their mean distance from 2500 without virtual particles");
        prove_cost(p, &coarse, &fine, "at most 3 % longer");
        limit_stretch(&coarse, 0.0f);
        limit_stretch(&fine, 0.0f);
        run(&coarse);
        run(&fine);
        prove_cost(p, &coarse, &fine, "no limit");
    } else {
        proof_unmeasured(p, "2 %, a third", "the scene could not be made", "400 on a square table beside 2500");
    }
    free(few);
    free(many);
    close_draped(&coarse);
    close_draped(&fine);
}

void prove_virtual(proof* p) {
    draped d = {0};
    if (make_cloth(10, 10, 1.0f, 1.0f, false, 2, &d.cloth) && make_drum(0.3f, 0.03f, &d) && open_scene(&d, 0.03f)) {
        prove_scene(p, &d, 0.03f, true, "100 particles on a round table", 76.5);
    } else {
        proof_unmeasured(p, "0.1 mm", "the scene could not be made", "100 particles on a round table");
    }
    close_draped(&d);
    prove_square_table(p);
    if (make_cloth(10, 10, 1.0f, 1.0f, false, 2, &d.cloth) && make_ball(0.3f, &d) && open_scene(&d, 0.3f)) {
        char name[64];
        snprintf(name, sizeof(name), "100 particles on a ball of %u edges", d.mesh.info.edge_count);
        prove_scene(p, &d, 0.3f, false, name, 234.0);
    } else {
        proof_unmeasured(p, "nothing seen", "the scene could not be made", "100 particles on a ball of 1227 edges");
    }
    close_draped(&d);
}
