// SPDX-License-Identifier: MIT
// Lattices: the running sums against plain ones, momentum, stiffness at several frame rates, trilinear skinning against the
// formula in doubles, what follows its clip, and what a validator refuses.

#include "tests/runtime/suites.h"
#include "runtime/src/kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Sums: a box of particles, bent and twisted, by the kernel and by going through every region

typedef struct box {
    int n; // along each axis
    uint32_t count, rows;
    hemi_region_tile tile;
    hem_lattice_bar* bars;
    uint32_t* order;
    hem_rest_row* rest;
    hemi_row4 *x, *q, *prev_q;
    hemi_row3* prev;
    double* share;
    float* fixed;
    hemi_region_shape shape;
    double* sums[2];
    hemi_region_args args;
} box;

static void* aligned(size_t size) {
    void* p = aligned_alloc(64, (size + 63) & ~(size_t)63);
    return p ? memset(p, 0, (size + 63) & ~(size_t)63) : NULL;
}

static uint32_t at(const box* b, int x, int y, int z) {
    return (uint32_t)((z * b->n + y) * b->n + x);
}

// A gap in some bars, so that regions are cut short inside too: between i and the next along the axis.
static int cut_after(const box* b, int axis, int i, int j, int k) {
    return axis == 0 && i == b->n / 2 && j % 5 == 2 && k % 3 == 1;
}

static void bend(const box* b, int x, int y, int z, double out[3]) {
    const double s = 1.0 / b->n, a = 1.3 * y * s, c = x - 0.5 * b->n + 0.3 * sin(9 * s * z);
    out[0] = c * cos(a) - z * sin(a);
    out[1] = y * (1 + 0.2 * sin(6 * s * x));
    out[2] = c * sin(a) + z * cos(a) + 0.2 * cos(11 * s * x);
}

static double place(const box* b, uint32_t p, int axis) {
    const float* x = axis == 0 ? b->x[p >> 3].x : axis == 1 ? b->x[p >> 3].y : b->x[p >> 3].z;
    return (double)x[p & 7];
}

static void box_open(box* b, int n, uint32_t width) {
    memset(b, 0, sizeof(*b));
    b->n = n;
    b->count = (uint32_t)(n * n * n);
    b->rows = (b->count + 7) / 8;
    b->bars = aligned(3 * (size_t)b->count * sizeof(hem_lattice_bar));
    b->order = aligned(3 * (size_t)b->count * sizeof(uint32_t));
    b->rest = aligned(b->rows * sizeof(hem_rest_row));
    b->x = aligned(b->rows * sizeof(hemi_row4));
    b->q = aligned(b->rows * sizeof(hemi_row4));
    b->prev_q = aligned(b->rows * sizeof(hemi_row4));
    b->prev = aligned(b->rows * sizeof(hemi_row3));
    b->share = aligned(b->rows * 64);
    b->fixed = aligned(b->rows * HEMI_REGION_FIXED * sizeof(float));
    b->sums[0] = aligned(b->rows * 8 * 16 * sizeof(double));
    b->sums[1] = aligned(b->rows * 8 * 16 * sizeof(double));
    uint32_t bar = 0, placed = 0;
    for (int axis = 0; axis < 3; ++axis) {
        b->tile.bar_begin[axis] = bar;
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < n; ++i) {
                    if (i == 0 || cut_after(b, axis, i - 1, j, k)) {
                        b->bars[bar++] = (hem_lattice_bar){placed, 0};
                    }
                    ++b->bars[bar - 1].count;
                    b->order[placed++] = axis == 0 ? at(b, i, j, k) : axis == 1 ? at(b, j, i, k) : at(b, j, k, i);
                }
            }
        }
        b->tile.bar_count[axis] = bar - b->tile.bar_begin[axis];
    }
    for (uint32_t p = 0; p < b->count; ++p) {
        const int x = (int)p % n, y = (int)p / n % n, z = (int)p / n / n;
        double to[3];
        bend(b, x, y, z, to);
        b->rest[p >> 3].x[p & 7] = (float)x;
        b->rest[p >> 3].y[p & 7] = (float)y;
        b->rest[p >> 3].z[p & 7] = (float)z;
        b->rest[p >> 3].mass[p & 7] = 0.5f + 0.25f * (float)(p % 5);
        b->x[p >> 3].x[p & 7] = (float)to[0];
        b->x[p >> 3].y[p & 7] = (float)to[1];
        b->x[p >> 3].z[p & 7] = (float)to[2];
        b->x[p >> 3].w[p & 7] = 1;
        b->q[p >> 3].w[p & 7] = 1;
    }
    b->tile.cell = 1.0f;
    b->args = (hemi_region_args){&b->tile,
                                 b->bars,
                                 b->order,
                                 0,
                                 b->rows,
                                 width,
                                 b->rest,
                                 b->rest,
                                 NULL,
                                 b->x,
                                 b->q,
                                 b->prev,
                                 b->prev_q,
                                 b->share,
                                 b->fixed,
                                 &b->shape,
                                 {b->sums[0], b->sums[1]},
                                 0,
                                 0};
}

static void box_close(box* b) {
    void* all[] = {b->bars, b->order, b->rest,  b->x,       b->q,      b->prev_q,
                   b->prev, b->share, b->fixed, b->sums[0], b->sums[1]};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        free(all[i]);
    }
}

// Whom a particle reaches along an axis: [low, high].
static void reach(const box* b, int axis, const int p[3], int w, int* low, int* high) {
    *low = *high = p[axis];
    for (int s = 0; s < w; ++s) {
        int a[3] = {p[0], p[1], p[2]};
        a[axis] = *low - 1;
        *low -= a[axis] >= 0 && !(axis == 0 && cut_after(b, 0, a[axis], p[1], p[2]));
        *high += *high + 1 < b->n && !(axis == 0 && cut_after(b, 0, *high, p[1], p[2]));
    }
}

typedef void (*member_fn)(void* user, const int p[3]);

// Everybody in the region of p, by the definition in hem_format.h: along z, from those along y, from those along x.
static void each_member(const box* b, const int p[3], int w, member_fn fn, void* user) {
    int z0, z1, y0, y1, x0, x1;
    reach(b, 2, p, w, &z0, &z1);
    for (int z = z0; z <= z1; ++z) {
        const int pz[3] = {p[0], p[1], z};
        reach(b, 1, pz, w, &y0, &y1);
        for (int y = y0; y <= y1; ++y) {
            const int py[3] = {p[0], y, z};
            reach(b, 0, py, w, &x0, &x1);
            for (int x = x0; x <= x1; ++x) {
                const int member[3] = {x, y, z};
                fn(user, member);
            }
        }
    }
}

typedef struct region_sum {
    const box* b;
    double mass, c[3], c0[3], a[3][3];
    const int* wanted;
    int found;
} region_sum;

static void add_to_region(void* user, const int p[3]) {
    region_sum* s = user;
    const uint32_t i = at(s->b, p[0], p[1], p[2]);
    const double m = (double)s->b->rest[i >> 3].mass[i & 7] * s->b->share[i];
    s->found |= s->wanted && p[0] == s->wanted[0] && p[1] == s->wanted[1] && p[2] == s->wanted[2];
    s->mass += m;
    for (int r = 0; r < 3; ++r) {
        s->c[r] += m * place(s->b, i, r);
        s->c0[r] += m * p[r];
        for (int k = 0; k < 3; ++k) {
            s->a[r][k] += m * place(s->b, i, r) * p[k];
        }
    }
}

// The rotation of a: Newton's steps as quaternion products, from the identity, until nothing moves.
static void rotation_of(const double a[3][3], double r[3][3]) {
    double q[4] = {0, 0, 0, 1};
    for (int n = 0; n < 60; ++n) {
        const double x = q[0], y = q[1], z = q[2], w = q[3];
        const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                                {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                                {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
        memcpy(r, m, sizeof(m));
        double g[3] = {0, 0, 0}, trace = 0; // sum over columns of R_j x A_j, and of R_j . A_j (Mueller et al., 2016)
        for (int j = 0; j < 3; ++j) {
            g[0] += m[1][j] * a[2][j] - m[2][j] * a[1][j];
            g[1] += m[2][j] * a[0][j] - m[0][j] * a[2][j];
            g[2] += m[0][j] * a[1][j] - m[1][j] * a[0][j];
            trace += m[0][j] * a[0][j] + m[1][j] * a[1][j] + m[2][j] * a[2][j];
        }
        double e[4] = {0.5 * g[0] / fabs(trace), 0.5 * g[1] / fabs(trace), 0.5 * g[2] / fabs(trace), 1};
        double p[4] = {e[3] * x + e[0] * w + e[1] * z - e[2] * y, e[3] * y + e[1] * w + e[2] * x - e[0] * z,
                       e[3] * z + e[2] * w + e[0] * y - e[1] * x, e[3] * w - e[0] * x - e[1] * y - e[2] * z};
        const double s = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int k = 0; k < 4; ++k) {
            q[k] = p[k] / s;
        }
    }
}

// The goal of p: the mean of what all regions want that have it, found by asking every one around.
static int plain_goal(const box* b, const int p[3], int w, double goal[3]) {
    int regions = 0;
    goal[0] = goal[1] = goal[2] = 0;
    for (int z = p[2] - w; z <= p[2] + w; ++z) {
        for (int y = p[1] - w; y <= p[1] + w; ++y) {
            for (int x = p[0] - w; x <= p[0] + w; ++x) {
                if (x < 0 || y < 0 || z < 0 || x >= b->n || y >= b->n || z >= b->n) {
                    continue;
                }
                region_sum s = {.b = b, .wanted = p};
                const int center[3] = {x, y, z};
                each_member(b, center, w, add_to_region, &s);
                if (!s.found) {
                    continue;
                }
                double r[3][3];
                for (int i = 0; i < 3; ++i) {
                    for (int k = 0; k < 3; ++k) {
                        s.a[i][k] -= s.c[i] * s.c0[k] / s.mass;
                    }
                }
                rotation_of((const double(*)[3])s.a, r);
                for (int i = 0; i < 3; ++i) {
                    goal[i] += s.c[i] / s.mass;
                    for (int k = 0; k < 3; ++k) {
                        goal[i] += r[i][k] * (p[k] - s.c0[k] / s.mass);
                    }
                }
                ++regions;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        goal[i] /= regions;
    }
    return regions;
}

static enum greatest_test_res compare_sums(int n, uint32_t width, const int (*samples)[3], int sample_count,
                                           double* worst) {
    const hemi_kernels* kernels = hemi_kernels_choose(wanted_kernel());
    box b;
    box_open(&b, n, width);
    kernels->region_weights(&b.args);
    for (int i = 0; i < 6; ++i) {
        kernels->regions(&b.args); // with alpha 0: rotations settle, nobody moves
    }
    double(*goals)[3] = calloc((size_t)sample_count, sizeof(*goals));
    for (int i = 0; i < sample_count; ++i) {
        const int regions = plain_goal(&b, samples[i], (int)width, goals[i]);
        const uint32_t p = at(&b, samples[i][0], samples[i][1], samples[i][2]);
        ASSERT_EQ_FMT(1.0 / regions, b.share[p], "%g");
    }
    b.args.alpha = 1.0f;
    double moved[3] = {0}, mass = 0; // of the centre of mass, which no rest shape may move
    for (int after = 0; after < 2; ++after) {
        for (uint32_t p = 0; p < b.count; ++p) {
            const double m = (double)b.rest[p >> 3].mass[p & 7];
            mass += m;
            for (int k = 0; k < 3; ++k) {
                moved[k] += (after ? m : -m) * place(&b, p, k);
            }
        }
        if (!after) {
            kernels->regions(&b.args);
        }
    }
    for (int k = 0; k < 3; ++k) {
        ASSERT_IN_RANGE(0.0, moved[k] / mass, 1e-7);
    }
    for (int i = 0; i < sample_count; ++i) {
        const uint32_t p = at(&b, samples[i][0], samples[i][1], samples[i][2]);
        for (int k = 0; k < 3; ++k) {
            *worst = fmax(*worst, fabs(place(&b, p, k) - goals[i][k]));
        }
    }
    free(goals);
    box_close(&b);
    PASS();
}

// Corners, faces, the far end where coordinates are large, on either side of the cuts, and the middle.
TEST running_sums_are_the_plain_ones(void) {
    static const int far[][3] = {{0, 0, 0},    {63, 63, 63}, {63, 0, 31},  {32, 32, 32}, {33, 32, 31},
                                 {31, 62, 31}, {60, 61, 62}, {32, 17, 40}, {33, 17, 40}, {5, 40, 63}};
    static const int wide[][3] = {{63, 63, 63}, {33, 32, 40}};
    double worst = 0;
    if (!is_sanitized()) {
        CHECK_CALL(compare_sums(64, 1, far, 10, &worst));
        CHECK_CALL(compare_sums(64, 3, far, 10, &worst));
        CHECK_CALL(compare_sums(64, 8, wide, 2, &worst));
    }
    if (getenv("HEM_LATTICE")) {
        printf("64 x 64 x 64: worst error %.3g of a cell\n", worst);
    }
    ASSERT_IN_RANGE(0.0, worst, 1e-5);
    // Bodies that are summed in floats: half of the cuts, corners, the middle.
    static const int near[][3] = {{0, 0, 0}, {14, 14, 14}, {14, 0, 7}, {7, 7, 7}, {8, 7, 6}, {3, 12, 9}};
    for (int n = 15; n <= 25; n += 5) {
        double error = 0;
        for (uint32_t width = 1; width <= 8; width += width < 3 ? 1 : 5) {
            CHECK_CALL(compare_sums(n, width, near, 6, &error));
        }
        if (getenv("HEM_LATTICE")) {
            printf("%d x %d x %d: worst error %.3g of a cell\n", n, n, n, error);
        }
        ASSERT_IN_RANGE(0.0, error, 1e-5);
    }
    // Bars of one to seven particles, shorter than a region and as long.
    for (int n = 2; n <= 7; ++n) {
        const int few[][3] = {{0, 0, 0}, {n - 1, n - 1, n - 1}, {n / 2, 1, n - 1}, {n - 1, n / 2, 0}};
        double error = 0;
        for (uint32_t width = 1; width <= 4; ++width) {
            CHECK_CALL(compare_sums(n, width, few, 4, &error));
        }
        ASSERT_IN_RANGE(0.0, error, 1e-5);
    }
    PASS();
}

// -- Whole bodies

static void weightless(world* w, float damping, uint32_t width, float alpha) {
    hem_tuning t = world_tuning(w);
    t.gravity_scale = 0;
    t.damping = t.angular_damping = 0;
    t.region_damping = damping;
    t.region_width = width;
    t.region_alpha = alpha;
    world_tune(w, &t);
    hem_instance_set_features(w->scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
}

// Torn at two particles and let go: what they have together stays, whatever the width and the damping.
TEST a_free_lattice_keeps_its_momentum(void) {
    for (uint32_t width = 1; width <= 8; width += width == 3 ? 5 : 2) {
        for (int damped = 0; damped < 2; ++damped) {
            world w;
            OPEN(w, "lattice");
            weightless(&w, damped ? 5.0f : 0.0f, width, 0.75f);
            world_throw(&w, 1.0f / 60.0f, 0.5f, 0.25f, -0.3f);
            world_throw_apart(&w, nth_particle(&w, false, 3), nth_particle(&w, false, 70), 1.0f / 60.0f, 6.0f);
            const vec3d p = linear_momentum(&w), l = angular_momentum(&w);
            double mass = 0;
            for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
                mass += mass_of(&w, i);
            }
            double drift = 0, turned = 0;
            for (int f = 0; f < 240; ++f) {
                world_step(&w, 1.0f / 60.0f, 0, 1);
                const vec3d now = linear_momentum(&w), spin = angular_momentum(&w);
                drift = fmax(drift, fabs(now.x - p.x) + fabs(now.y - p.y) + fabs(now.z - p.z));
                turned = fmax(turned, fabs(spin.x - l.x) + fabs(spin.y - l.y) + fabs(spin.z - l.z));
            }
            const double size = fabs(l.x) + fabs(l.y) + fabs(l.z);
            if (getenv("HEM_LATTICE")) {
                printf("w %u damping %d: linear drift %.2e m/s, angular %.2f %%\n", width, damped ? 5 : 0, drift / mass,
                       100 * turned / size);
            }
            ASSERT_IN_RANGE(0.0, drift / mass, 1e-3); // at 2 m a float is 6e-5 m/s of a substep
            ASSERT_IN_RANGE(0.0, turned / size, 0.12);
            world_close(&w);
        }
    }
    PASS();
}

static double farthest_from_shape(const world* w) {
    // Distances between particles against those at rest: over all pairs, so that no rotation has to be found.
    double worst = 0;
    const uint32_t count = w->view.info->real_particle_count;
    for (uint32_t n = 0; n < count; n += 3) {
        for (uint32_t m = n + 1; m < count; m += 5) {
            const uint32_t a = nth_particle(w, false, n), c = nth_particle(w, false, m);
            const hem_particle pa = particle_at(w, a), pc = particle_at(w, c);
            const hem_rest_row *ra = &w->view.rest_rows[a >> 3], *rc = &w->view.rest_rows[c >> 3];
            const double d[3] = {(double)(pa.position[0] - pc.position[0]), (double)(pa.position[1] - pc.position[1]),
                                 (double)(pa.position[2] - pc.position[2])};
            const double e[3] = {(double)(ra->x[a & 7] - rc->x[c & 7]), (double)(ra->y[a & 7] - rc->y[c & 7]),
                                 (double)(ra->z[a & 7] - rc->z[c & 7])};
            const double now = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            worst = fmax(worst, fabs(now - sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])));
        }
    }
    return worst;
}

// It takes its shape again, whatever the width, and the damping takes what swings but not what flies.
TEST a_torn_lattice_comes_back_to_its_shape(void) {
    for (uint32_t width = 1; width <= 8; width += width == 1 ? 2 : 5) {
        world w;
        OPEN(w, "lattice");
        weightless(&w, 8.0f, width, 0.75f);
        world_throw(&w, 1.0f / 60.0f, 1.0f, 0.0f, 0.0f);
        world_throw_apart(&w, nth_particle(&w, false, 3), nth_particle(&w, false, 70), 1.0f / 60.0f, 6.0f);
        world_step(&w, 1.0f / 60.0f, 0, 300);
        ASSERT_IN_RANGE(0.0, farthest_from_shape(&w), 0.01);
        const vec3d p = linear_momentum(&w);
        ASSERT(p.x > 0.5); // it weighs 2 to 3 kg, and flies on
        world_close(&w);
    }
    PASS();
}

// -- Many bodies in one part

// Which of the three a particle of "lattice_heap" belongs to: they stand 20 cm apart.
static int body_of(const world* w, uint32_t p) {
    const float x = w->view.rest_rows[p >> 3].x[p & 7];
    return x < 0.3f ? 0 : x < 0.6f ? 1 : 2;
}

static double middle_of(const world* w, int body) {
    double sum = 0, count = 0;
    for (uint32_t n = 0; n < w->view.info->real_particle_count; ++n) {
        const uint32_t p = nth_particle(w, false, n);
        if (body_of(w, p) == body) {
            sum += (double)particle_at(w, p).position[0];
            ++count;
        }
    }
    return sum / count;
}

// No row has particles of two bodies, and the runtime goes through them one by one.
TEST bodies_have_rows_of_their_own(void) {
    world w;
    OPEN(w, "lattice_heap");
    int body[64];
    ASSERT(w.view.info->row_count <= 64);
    memset(body, 0xff, sizeof(body));
    for (uint32_t n = 0; n < w.view.info->real_particle_count; ++n) {
        const uint32_t p = nth_particle(&w, false, n), row = p >> 3;
        ASSERT(body[row] < 0 || body[row] == body_of(&w, p));
        body[row] = body_of(&w, p);
    }
    const hemi_derived* d = w.scene->classes[0].derived;
    ASSERT_EQ(3u, d->tile_begin[1]);
    for (uint32_t t = 0; t < 3; ++t) {
        for (uint32_t row = 0; row < d->tiles[t].row_count; ++row) {
            ASSERT_EQ((int)t, body[d->tiles[t].row_begin + row]);
        }
        for (int axis = 0; axis < 3; ++axis) { // 3 or 2 particles along x, 4 along y and z
            ASSERT_EQ(axis == 0 ? 16u : t == 1 ? 8u : 12u, d->tiles[t].bar_count[axis]);
        }
    }
    world_close(&w);
    PASS();
}

// What collides fills lanes of eight rows: so many clusters has the search to look at, and no more.
TEST colliding_particles_of_a_body_are_few_clusters(void) {
    world w;
    OPEN(w, "penguins");
    const hemi_derived* d = w.scene->classes[0].derived;
    const hem_view* v = &w.view;
    const uint32_t first = v->parts[0].row_begin;
    ASSERT_EQ(150u, d->tile_begin[1]);
    for (uint32_t t = 0; t < 150; ++t) {
        uint32_t colliding = 0, clusters = 0;
        const uint32_t begin = d->tiles[t].row_begin, end = begin + d->tiles[t].row_count;
        for (uint32_t slab = begin / 8; slab <= (end - 1) / 8; ++slab) {
            for (uint32_t lane = 0; lane < 8; ++lane) {
                uint32_t here = 0;
                for (uint32_t row = slab * 8; row < slab * 8 + 8; ++row) {
                    const int inside = row >= begin && row < end;
                    here += inside && (v->particle_flags[(first + row) * 8 + lane] & HEM_PARTICLE_COLLIDES);
                }
                colliding += here;
                clusters += here > 0;
            }
        }
        ASSERT(colliding > 8);
        ASSERT_EQ((colliding + 7) / 8, clusters);
    }
    world_close(&w);
    PASS();
}

// The two outer ones fly into the one between them: nobody passes anybody, and what they have together stays what it was.
TEST bodies_of_one_part_meet_each_other(void) {
    world w;
    OPEN(w, "lattice_heap");
    weightless(&w, 8.0f, 2, 0.9f);
    world_step(&w, 1.0f / 60.0f, 0, 1);
    for (uint32_t n = 0; n < w.view.info->real_particle_count; ++n) {
        const uint32_t at = nth_particle(&w, false, n);
        w.scene->instances[0].v[at >> 3].x[at & 7] = body_of(&w, at) == 0 ? 1.5f : body_of(&w, at) == 2 ? -0.8f : 0.0f;
    }
    const vec3d p = linear_momentum(&w);
    double mass = 0, nearest = 1;
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        mass += mass_of(&w, i);
    }
    for (int f = 0; f < 120; ++f) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const double left = middle_of(&w, 1) - middle_of(&w, 0), right = middle_of(&w, 2) - middle_of(&w, 1);
        nearest = fmin(nearest, fmin(left, right));
    }
    const vec3d now = linear_momentum(&w);
    ASSERT_IN_RANGE(0.0, (fabs(now.x - p.x) + fabs(now.y - p.y) + fabs(now.z - p.z)) / mass, 2e-3);
    ASSERT(nearest > 0.2);  // 0.35 to begin with, 20 cm of it between them, which touch at 10
    ASSERT(nearest < 0.27); // they did meet
    ASSERT(middle_of(&w, 1) - middle_of(&w, 0) > nearest && middle_of(&w, 2) - middle_of(&w, 1) > nearest);
    world_close(&w);
    PASS();
}

// The speed of all of it after six seconds, that began with one along x.
static double speed_kept(const char* asset, float speed, uint32_t features) {
    world w;
    if (!world_open(&w, asset, NULL, NULL, 1)) {
        return -1;
    }
    weightless(&w, 0.0f, 2, 0.9f);
    hem_tuning t = world_tuning(&w);
    t.sleep_speed = 0.01f;
    world_tune(&w, &t);
    hem_instance_set_features(w.scene, w.id, features);
    world_step(&w, 1.0f / 60.0f, 0, 1);
    for (uint32_t n = 0; n < w.view.info->real_particle_count; ++n) {
        const uint32_t at = nth_particle(&w, false, n);
        w.scene->instances[0].v[at >> 3].x[at & 7] = speed;
    }
    world_step(&w, 1.0f / 60.0f, 0, 360);
    double mass = 0;
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        mass += mass_of(&w, i);
    }
    const double kept = linear_momentum(&w).x / mass;
    world_close(&w);
    return kept;
}

// Nothing holds up what is slow: not a body by itself, and not bodies of a heap.
TEST slow_bodies_of_a_heap_fly_on(void) {
    const uint32_t awake = HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP;
    ASSERT_IN_RANGE(0.06, speed_kept("lattice_heap", 0.06f, awake), 1e-3);
    ASSERT_IN_RANGE(0.06, speed_kept("lattice", 0.06f, HEM_FEATURE_ALL), 1e-3);
    PASS();
}

// And what lies in one rests without being put to sleep: a hundred and fifty of them, ten seconds after they were let go.
TEST a_heap_comes_to_rest_by_itself(void) {
    if (is_sanitized()) {
        SKIPm("takes too long");
    }
    static hem_particle before[24576], after[24576];
    world w;
    OPEN(w, "penguins");
    const uint32_t count = w.view.info->particle_count;
    ASSERT(count <= 24576);
    hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    world_step(&w, 1.0f / 60.0f, 0, 600);
    ASSERT_EQ(HEM_OK, hem_instance_get_particles(w.scene, w.id, 0, count, before));
    world_step(&w, 1.0f / 60.0f, 600, 601);
    ASSERT_EQ(HEM_OK, hem_instance_get_particles(w.scene, w.id, 0, count, after));
    double square = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            square += pow((double)(after[i].position[k] - before[i].position[k]), 2);
        }
    }
    ASSERT_IN_RANGE(0.0, 1e3 * sqrt(square / count), 0.02); // millimetres in a frame
    world_close(&w);
    PASS();
}

// How far the free end of a bar hangs: less with wider regions and with more alpha, and the same at any frame rate.
static double sag_of(float rate, uint32_t width, float alpha) {
    world w;
    if (!world_open(&w, "lattice_held", NULL, NULL, 1)) {
        return -1;
    }
    hem_tuning t = world_tuning(&w);
    t.drive = 0;
    t.damping = t.angular_damping = 1;
    t.region_damping = 10;
    t.region_width = width;
    t.region_alpha = alpha;
    world_tune(&w, &t);
    hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    world_step(&w, 1.0f / rate, 0, (int)(6 * rate));
    double lowest = 0;
    for (uint32_t n = 0; n < w.view.info->simulated_count; ++n) {
        lowest = fmin(lowest, (double)particle_at(&w, nth_particle(&w, false, n)).position[1]);
    }
    world_close(&w);
    return -lowest;
}

TEST stiffness_is_that_of_alpha_and_width_at_any_rate(void) {
    const double at60 = sag_of(60, 1, 0.75f);
    if (getenv("HEM_LATTICE")) {
        printf("sag %.4f m; 30 Hz %.4f, 240 Hz %.4f, alpha 0.4 %.4f, w 3 %.4f, w 8 %.4f\n", at60, sag_of(30, 1, 0.75f),
               sag_of(240, 1, 0.75f), sag_of(60, 1, 0.4f), sag_of(60, 3, 0.75f), sag_of(60, 8, 0.75f));
    }
    ASSERT(at60 > 0.001);
    ASSERT_IN_RANGE(at60, sag_of(30, 1, 0.75f), 0.1 * at60);
    ASSERT_IN_RANGE(at60, sag_of(240, 1, 0.75f), 0.1 * at60);
    ASSERT(sag_of(60, 1, 0.4f) > 1.2 * at60);
    ASSERT(sag_of(60, 3, 0.75f) < 0.9 * at60);
    PASS();
}

// -- What is drawn

enum { VERTEX_LIMIT = 32768, BONE_LIMIT = 256 };
static float pose[BONE_LIMIT * 12];
static float positions[VERTEX_LIMIT][3], normals[VERTEX_LIMIT][3];

static bool open_octopus(world* w, int frames) {
    if (!world_open(w, "octopus_lattice", NULL, NULL, 1) || w->view.info->vertex_count > VERTEX_LIMIT ||
        w->view.info->bone_count > BONE_LIMIT) {
        return false;
    }
    for (int f = 1; f <= frames; ++f) {
        clip_pose(w, &w->view.clips[0], f / 60.0, pose);
        hem_instance_set_pose(w->scene, w->id, pose, w->view.info->bone_count, 0);
        world_step(w, 1.0f / 60.0f, 0, 1);
    }
    return true;
}

TEST vertices_are_the_weighted_sum_of_eight_corners(void) {
    world w;
    ASSERT(open_octopus(&w, 40));
    const hem_view* v = &w.view;
    ASSERT(v->vertex_cell_count > 1000 && v->lattice_count == 1);
    hem_skin_args args = {.positions = positions[0], .normals = normals[0], .vertex_count = v->info->vertex_count};
    ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
    double worst = 0, worst_normal = 0;
    for (uint32_t i = 0; i < v->vertex_cell_count; ++i) {
        const hem_vertex_cell* c = &v->vertex_cells[i];
        const hem_lattice_cell* cell = &v->lattice_cells[c->cell];
        double p[3] = {0}, f[3][3] = {{0}};
        ASSERT_EQ(65535, v->vertex_bind[c->vertex].blend);
        for (int k = 0; k < 8; ++k) {
            const hem_particle corner = particle_at(&w, cell->corner[k]);
            double u[3], weight = 1;
            for (int a = 0; a < 3; ++a) {
                u[a] = k >> a & 1 ? (double)c->at[a] : 1 - (double)c->at[a];
                weight *= u[a];
            }
            for (int r = 0; r < 3; ++r) {
                p[r] += weight * (double)corner.position[r];
                for (int a = 0; a < 3; ++a) {
                    const double slope = (k >> a & 1 ? 1 : -1) * u[(a + 1) % 3] * u[(a + 2) % 3];
                    f[r][a] += slope * (double)corner.position[r] / (double)v->lattices[0].spacing[a];
                }
            }
        }
        const float* rest = v->vertex_rest[c->vertex].normal;
        double n[3], length = 0;
        for (int r = 0; r < 3; ++r) { // cofactors
            n[r] = 0;
            for (int a = 0; a < 3; ++a) {
                const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, a1 = (a + 1) % 3, a2 = (a + 2) % 3;
                n[r] += (f[r1][a1] * f[r2][a2] - f[r1][a2] * f[r2][a1]) * (double)rest[a];
            }
            length += n[r] * n[r];
        }
        for (int r = 0; r < 3; ++r) {
            worst = fmax(worst, fabs(p[r] - (double)positions[c->vertex][r]));
            worst_normal = fmax(worst_normal, fabs(n[r] / sqrt(length) - (double)normals[c->vertex][r]));
        }
    }
    ASSERT_IN_RANGE(0.0, worst, 2e-6);
    ASSERT_IN_RANGE(0.0, worst_normal, 1e-4);
    // Places that are asked for alone are made in another way.
    args = (hem_skin_args){.positions = normals[0], .vertex_count = v->info->vertex_count};
    ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
    ASSERT_MEM_EQ(positions[0], normals[0], v->info->vertex_count * sizeof(positions[0]));
    world_close(&w);
    PASS();
}

// What is asked for in pieces is what is asked for at once; a vertex range cuts blocks anywhere.
TEST a_range_of_vertices_is_that_part_of_all(void) {
    static float part[64][3];
    world w;
    ASSERT(open_octopus(&w, 10));
    hem_skin_args args = {.positions = positions[0], .vertex_count = w.view.info->vertex_count};
    ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
    for (uint32_t begin = 3; begin + 61 < w.view.info->vertex_count; begin += 997) {
        hem_skin_args some = {.positions = part[0], .vertex_begin = begin, .vertex_count = 61};
        ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &some));
        ASSERT_MEM_EQ(positions[begin], part[0], 61 * sizeof(part[0]));
    }
    world_close(&w);
    PASS();
}

// Vertices against where the skeleton alone has them: within a twentieth of its size, after the first second.
TEST a_tracked_lattice_follows_its_clip(void) {
    static float skeleton[VERTEX_LIMIT][3];
    world w;
    ASSERT(open_octopus(&w, 60));
    const hem_info* info = w.view.info;
    double size = 0, worst = 0;
    for (int k = 0; k < 3; ++k) {
        size = fmax(size, (double)(info->bounds_max[k] - info->bounds_min[k]));
    }
    for (int f = 61; f <= 180; ++f) {
        clip_pose(&w, &w.view.clips[0], f / 60.0, pose);
        hem_instance_set_pose(w.scene, w.id, pose, info->bone_count, 0);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        hem_skin_args args = {.positions = positions[0], .vertex_count = info->vertex_count};
        ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
        ASSERT_EQ(HEM_OK, hem_instance_set_pose_blend(w.scene, w.id, 0.0f));
        args.positions = skeleton[0];
        ASSERT_EQ(HEM_OK, hem_instance_skin(w.scene, w.id, &args));
        ASSERT_EQ(HEM_OK, hem_instance_set_pose_blend(w.scene, w.id, 1.0f));
        for (uint32_t i = 0; i < info->vertex_count; ++i) {
            double d = 0;
            for (int k = 0; k < 3; ++k) {
                d += pow((double)(positions[i][k] - skeleton[i][k]), 2);
            }
            worst = fmax(worst, sqrt(d));
        }
    }
    if (getenv("HEM_LATTICE")) {
        printf("octopus: at most %.1f %% of its size from its clip\n", 100 * worst / size);
    }
    ASSERT_IN_RANGE(0.0, worst / size, 0.05);
    world_close(&w);
    PASS();
}

// -- What is refused

typedef struct spoiled {
    hem_section_kind section;
    uint32_t element;
    size_t offset;
    uint32_t size; // 2, 4, or 0: a float
    double value;
    hem_format_result result;
    const char* field;
} spoiled;

#define L(field) offsetof(hem_lattice, field)
#define C(field) offsetof(hem_lattice_cell, field)
#define V(field) offsetof(hem_vertex_cell, field)
#define P(field) offsetof(hem_lattice_clip, field)
#define VALUE HEM_FORMAT_BAD_VALUE
#define INDEXES HEM_FORMAT_BAD_INDEX
#define COUNT HEM_FORMAT_BAD_COUNT

static const spoiled faults[] = {
    {HEM_SECTION_LATTICES, 0, L(part), 4, 9, INDEXES, "part"},
    {HEM_SECTION_LATTICES, 0, L(particle_count), 4, 5, COUNT, "particle_count"},
    {HEM_SECTION_LATTICES, 0, L(cell_begin), 4, 1, COUNT, "cell_begin"},
    {HEM_SECTION_LATTICES, 0, L(cell_count), 4, 0, COUNT, "cell_begin"},
    {HEM_SECTION_LATTICES, 0, L(bar_begin) + 4, 4, 0, COUNT, "bar_begin"},
    {HEM_SECTION_LATTICES, 0, L(size), 4, 1, VALUE, "size"},
    {HEM_SECTION_LATTICES, 0, L(size), 4, 1e6, VALUE, "size"},
    {HEM_SECTION_LATTICES, 0, L(spacing) + 8, 0, 0, VALUE, "spacing"},
    {HEM_SECTION_LATTICES, 0, L(origin), 0, 1e9, VALUE, "origin"},
    {HEM_SECTION_LATTICES, 0, L(reserved), 4, 1, VALUE, "reserved"},
    {HEM_SECTION_LATTICE_CELLS, 3, C(corner) + 2, 2, 65000, INDEXES, "corner"},
    {HEM_SECTION_LATTICE_CELLS, 3, C(index), 2, 900, INDEXES, "index"},
    {HEM_SECTION_LATTICE_CELLS, 3, C(lattice), 2, 1, INDEXES, "lattice"},
    {HEM_SECTION_LATTICE_CELLS, 3, C(reserved), 4, 1, VALUE, "reserved"},
    {HEM_SECTION_LATTICE_BARS, 2, 0, 4, 7777, COUNT, "first"},
    {HEM_SECTION_LATTICE_BARS, 2, 4, 4, 0, COUNT, "first"},
    {HEM_SECTION_LATTICE_ORDER, 5, 0, 4, 1e9, INDEXES, "particle"},
    {HEM_SECTION_LATTICE_ORDER, 5, 0, 4, 4, HEM_FORMAT_BAD_BATCH, "particle"},
    {HEM_SECTION_VERTEX_CELLS, 7, V(vertex), 4, 1e9, INDEXES, "vertex"},
    {HEM_SECTION_VERTEX_CELLS, 7, V(vertex), 4, 0, INDEXES, "vertex"},
    {HEM_SECTION_VERTEX_CELLS, 7, V(cell), 4, 60000, INDEXES, "cell"},
    {HEM_SECTION_VERTEX_CELLS, 7, V(at), 0, 7, VALUE, "at"},
    {HEM_SECTION_VERTEX_CELLS, 7, V(reserved), 4, 1, VALUE, "reserved"},
    {HEM_SECTION_LATTICE_CLIPS, 0, P(name_offset), 4, 1e9, INDEXES, "name_offset"},
    {HEM_SECTION_LATTICE_CLIPS, 0, P(lattice), 4, 1, INDEXES, "lattice"},
    {HEM_SECTION_LATTICE_CLIPS, 0, P(key_count), 4, 0, COUNT, "key_begin"},
    {HEM_SECTION_LATTICE_CLIPS, 0, P(key_count), 4, 1e9, COUNT, "key_begin"},
    {HEM_SECTION_LATTICE_CLIPS, 0, P(flags), 4, 4, VALUE, "flags"},
    {HEM_SECTION_LATTICE_CLIPS, 0, P(reserved), 4, 1, VALUE, "reserved"},
    {HEM_SECTION_LATTICE_KEYS, 2, 0, 0, 0, VALUE, "seconds"},
    {HEM_SECTION_LATTICE_KEYS, 2, 0, 0, 1e7, VALUE, "seconds"},
    {HEM_SECTION_LATTICE_KEYS, 2, 4, 4, 7, COUNT, "row_begin"},
    {HEM_SECTION_LATTICE_KEY_ROWS, 5, 4, 0, 1e9, VALUE, "x"},
    {HEM_SECTION_LATTICE_KEY_ROWS, 5, 36, 0, -1e9, VALUE, "x"},
    {HEM_SECTION_LATTICE_KEY_ROWS, 5, 68, 0, 1e9, VALUE, "x"},
    {HEM_SECTION_LATTICE_KEY_ROWS, 5, 100, 0, 2, VALUE, "qx"},
    {HEM_SECTION_TUNING, 0, offsetof(hem_tuning, region_alpha), 0, 1.5, VALUE, "region_alpha"},
    {HEM_SECTION_TUNING, 0, offsetof(hem_tuning, region_width), 4, 0, VALUE, "region_width"},
    {HEM_SECTION_TUNING, 0, offsetof(hem_tuning, region_width), 4, 9, VALUE, "region_width"},
};

TEST spoiled_lattices_are_refused_by_name(void) {
    size_t size;
    uint8_t* bytes = read_asset("octopus_lattice", &size);
    ASSERT(bytes);
    hem_view view;
    hem_format_fault fault;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, &fault));
    const hem_header* header = (const hem_header*)(void*)bytes;
    const hem_section* table = (const hem_section*)(const void*)(bytes + header->header_size);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); ++i) {
        const spoiled* f = &faults[i];
        uint8_t* to = NULL;
        for (uint32_t s = 0; s < header->section_count; ++s) {
            if (table[s].kind == (uint32_t)f->section) {
                to = bytes + table[s].offset + (size_t)f->element * table[s].element_size + f->offset;
            }
        }
        ASSERT(to);
        uint8_t kept[4];
        const uint32_t whole = (uint32_t)f->value;
        const float real = (float)f->value;
        memcpy(kept, to, 4);
        memcpy(to, f->size ? (const void*)&whole : (const void*)&real, f->size ? f->size : 4);
        const hem_format_result result = hem_validate(bytes, size, &view, &fault);
        memcpy(to, kept, 4);
        if (result != f->result || strcmp(fault.field, f->field) != 0) {
            printf("row %zu: %s, %s[%u].%s\n", i, hem_format_result_text(result), hem_section_name(fault.section),
                   fault.element, fault.field);
        }
        ASSERT_EQ(f->result, result);
        ASSERT_STR_EQ(f->field, fault.field);
    }
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, &fault));
    free(bytes);
    PASS();
}

// What several fields break, or one whose right value is another's: each on a fresh copy.
static void spoil(hem_view* v, int row) {
    hem_lattice* l = (hem_lattice*)&v->lattices[0];
    hem_lattice_cell* cells = (hem_lattice_cell*)v->lattice_cells;
    hem_lattice_bar* last = (hem_lattice_bar*)&v->lattice_bars[v->lattice_bar_count - 1];
    hem_lattice_clip* clip = (hem_lattice_clip*)&v->lattice_clips[v->lattice_clip_count - 1];
    uint32_t pad = 0;
    while (!(v->particle_flags[pad] & HEM_PARTICLE_PAD)) {
        ++pad;
    }
    switch (row) {
    case 0:
        cells[3].corner[5] = (uint16_t)pad;
        break;
    case 1:
        cells[3].corner[5] = cells[3].corner[2];
        break;
    case 2:
        ((uint32_t*)v->lattice_order)[5] = pad;
        break;
    case 3:
        --l->bar_count[0];
        break;
    case 4:
        --l->cell_count;
        break;
    case 5:
        last[-1].count += last->count;
        --l->bar_count[2];
        break;
    default:
        --clip->key_count;
        break;
    }
}

TEST lattices_that_contradict_themselves_are_refused(void) {
    static const struct {
        hem_format_result result;
        hem_section_kind section;
        const char* field;
    } want[] = {
        {INDEXES, HEM_SECTION_LATTICE_CELLS, "corner"},      // a pad
        {INDEXES, HEM_SECTION_LATTICE_CELLS, "corner"},      // twice the same
        {INDEXES, HEM_SECTION_LATTICE_ORDER, "particle"},    // a pad in a bar
        {COUNT, HEM_SECTION_LATTICES, "particle_count"},     // particles in no bar
        {COUNT, HEM_SECTION_LATTICE_CELLS, "element_count"}, // a cell of no lattice
        {COUNT, HEM_SECTION_LATTICE_BARS, "element_count"},  // a bar of no lattice
        {COUNT, HEM_SECTION_LATTICE_KEYS, "element_count"},  // a key of no clip
    };
    for (int i = 0; i < (int)(sizeof(want) / sizeof(want[0])); ++i) {
        size_t size;
        uint8_t* bytes = read_asset("octopus_lattice", &size);
        ASSERT(bytes);
        hem_view view;
        hem_format_fault fault;
        ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, size, &view, &fault));
        spoil(&view, i);
        const hem_format_result result = hem_validate(bytes, size, &view, &fault);
        free(bytes);
        ASSERT_EQm(fault.field, want[i].result, result);
        ASSERT_EQ(want[i].section, (hem_section_kind)fault.section);
        ASSERT_STR_EQ(want[i].field, fault.field);
    }
    PASS();
}

SUITE(lattice_suite) {
    RUN_TEST(running_sums_are_the_plain_ones);
    RUN_TEST(a_free_lattice_keeps_its_momentum);
    RUN_TEST(a_torn_lattice_comes_back_to_its_shape);
    RUN_TEST(bodies_have_rows_of_their_own);
    RUN_TEST(colliding_particles_of_a_body_are_few_clusters);
    RUN_TEST(bodies_of_one_part_meet_each_other);
    RUN_TEST(slow_bodies_of_a_heap_fly_on);
    RUN_TEST(a_heap_comes_to_rest_by_itself);
    RUN_TEST(stiffness_is_that_of_alpha_and_width_at_any_rate);
    RUN_TEST(vertices_are_the_weighted_sum_of_eight_corners);
    RUN_TEST(a_range_of_vertices_is_that_part_of_all);
    RUN_TEST(a_tracked_lattice_follows_its_clip);
    RUN_TEST(spoiled_lattices_are_refused_by_name);
    RUN_TEST(lattices_that_contradict_themselves_are_refused);
}
