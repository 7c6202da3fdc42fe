// SPDX-License-Identifier: MIT
#include "tests/tools/fixture.h"
#include "tools/watch.h"
#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is seen, against truth from elsewhere: whole-number arithmetic, every pair by brute force, and shapes whose numbers
// are known.

// -- A small world: triangles of layers, built by hand

enum { WORLD_MAX = 20000 };

typedef struct world {
    float positions[3 * WORLD_MAX], normals[3 * WORLD_MAX], moved[WORLD_MAX];
    uint8_t layers[WORLD_MAX];
    uint32_t indices[3 * WORLD_MAX];
    uint32_t vertex_count, triangle_count, layer_count;
    bool thin[SEEN_LAYERS_MAX];
    seen_mesh mesh;
} world;

static world* world_new(uint32_t layer_count) {
    world* w = calloc(1, sizeof(world));
    w->layer_count = layer_count;
    return w;
}

static void world_free(world* w) {
    seen_destroy(&w->mesh);
    free(w);
}

static uint32_t put_vertex(world* w, double x, double y, double z, uint8_t layer) {
    float* p = w->positions + 3 * w->vertex_count;
    p[0] = (float)x, p[1] = (float)y, p[2] = (float)z;
    w->normals[3 * w->vertex_count + 1] = 1.0f;
    w->layers[w->vertex_count] = layer;
    w->moved[w->vertex_count] = layer == SEEN_BODY ? 0.0f : 1.0f;
    return w->vertex_count++;
}

static void put_triangle(world* w, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t* i = w->indices + 3 * w->triangle_count++;
    i[0] = a, i[1] = b, i[2] = c;
}

// n x n squares over [-half, half] at a height, facing up, or down.
static uint32_t put_grid(world* w, int32_t n, double half, double height, bool up, uint8_t layer) {
    uint32_t first = w->vertex_count;
    for (int32_t i = 0; i <= n * n + 2 * n; i++) {
        put_vertex(w, -half + 2.0 * half * (i % (n + 1)) / n, height, -half + 2.0 * half * (i / (n + 1)) / n, layer);
    }
    for (int32_t i = 0; i < n * n; i++) {
        uint32_t a = first + (uint32_t)(i / n * (n + 1) + i % n), b = a + 1, c = a + (uint32_t)n + 1, d = c + 1;
        put_triangle(w, a, up ? c : b, up ? b : c);
        put_triangle(w, b, up ? c : d, up ? d : c);
    }
    return first;
}

static bool build(world* w) {
    const seen_source source = {.vertex_count = w->vertex_count,
                                .triangle_count = w->triangle_count,
                                .layer_count = w->layer_count,
                                .positions = w->positions,
                                .normals = w->normals,
                                .indices = w->indices,
                                .layers = w->layers,
                                .moved = w->moved,
                                .thin = w->thin};
    return seen_create(&w->mesh, &source);
}

static void shift(world* w, uint32_t first, uint32_t count, float x, float y, float z) {
    for (uint32_t i = first; i < first + count; i++) {
        w->positions[3 * i] += x, w->positions[3 * i + 1] += y, w->positions[3 * i + 2] += z;
    }
}

static seen_frame measure(world* w) {
    seen_frame frame;
    seen_measure(&w->mesh, w->positions, w->normals, NULL, 0.0f, &frame);
    return frame;
}

static uint32_t random_bits(uint32_t* state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static double random_unit(uint32_t* state) {
    return random_bits(state) / 16777216.0;
}

// -- Two triangles

typedef int64_t whole3[3];

static void whole_cross(const whole3 a, const whole3 b, whole3 r) {
    r[0] = a[1] * b[2] - a[2] * b[1], r[1] = a[2] * b[0] - a[0] * b[2], r[2] = a[0] * b[1] - a[1] * b[0];
}

static int64_t whole_dot(const whole3 a, const whole3 b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void whole_sub(const whole3 a, const whole3 b, whole3 r) {
    r[0] = a[0] - b[0], r[1] = a[1] - b[1], r[2] = a[2] - b[2];
}

// Corners of t on the plane of u; true if some lie strictly above it and some strictly below.
static bool whole_reaches(whole3 t[3], whole3 u[3], int64_t d[3]) {
    whole3 e, f, n, from;
    whole_sub(u[1], u[0], e), whole_sub(u[2], u[0], f);
    whole_cross(e, f, n);
    bool above = false, below = false;
    for (int32_t k = 0; k < 3; k++) {
        whole_sub(t[k], u[0], from);
        d[k] = whole_dot(n, from);
        above |= d[k] > 0, below |= d[k] < 0;
    }
    return above && below;
}

// The two ends of t's cut with u's plane, along the line `direction`, as fractions n / d with d > 0.
static void whole_cut(whole3 t[3], const int64_t d[3], const whole3 direction, int64_t n[2], int64_t q[2]) {
    int32_t count = 0;
    for (int32_t k = 0; k < 3 && count < 2; k++) {
        if (d[k] == 0) {
            n[count] = whole_dot(direction, t[k]), q[count++] = 1;
        }
    }
    for (int32_t k = 0; k < 3 && count < 2; k++) {
        int64_t a = d[k], b = d[(k + 1) % 3];
        if ((a > 0 && b < 0) || (a < 0 && b > 0)) {
            // x = (x_b a - x_a b) / (a - b)
            int64_t top = whole_dot(direction, t[(k + 1) % 3]) * a - whole_dot(direction, t[k]) * b, under = a - b;
            n[count] = under > 0 ? top : -top, q[count++] = under > 0 ? under : -under;
        }
    }
    if (n[0] * q[1] > n[1] * q[0]) {
        int64_t swap = n[0];
        n[0] = n[1], n[1] = swap;
        swap = q[0], q[0] = q[1], q[1] = swap;
    }
}

// Exact, by the definition: each reaches strictly through the other's plane and the cuts overlap in more than a point.
static bool whole_triangles_cross(whole3 t[3], whole3 u[3]) {
    int64_t dt[3], du[3], nt[2], qt[2], nu[2], qu[2];
    whole3 e, f, normal_t, normal_u, line;
    if (!whole_reaches(t, u, dt) || !whole_reaches(u, t, du)) {
        return false;
    }
    whole_sub(t[1], t[0], e), whole_sub(t[2], t[0], f), whole_cross(e, f, normal_t);
    whole_sub(u[1], u[0], e), whole_sub(u[2], u[0], f), whole_cross(e, f, normal_u);
    whole_cross(normal_t, normal_u, line);
    whole_cut(t, dt, line, nt, qt);
    whole_cut(u, du, line, nu, qu);
    return nt[0] * qu[1] < nu[1] * qt[0] && nu[0] * qt[1] < nt[1] * qu[0];
}

// On a coarse lattice most pairs touch, share a plane or a corner somewhere: all the cases that must not flicker.
TEST triangles_cross_as_whole_numbers_say(void) {
    uint32_t state = 7, crossing = 0;
    for (int32_t round = 0; round < 200000; round++) {
        whole3 t[2][3];
        float f[2][3][3];
        for (int32_t i = 0; i < 18; i++) {
            int64_t x = random_bits(&state) % (round < 100000 ? 4 : 8);
            t[i / 9][i / 3 % 3][i % 3] = x;
            f[i / 9][i / 3 % 3][i % 3] = 0.125f * (float)x;
        }
        bool expected = whole_triangles_cross(t[0], t[1]);
        crossing += expected;
        ASSERT_EQ(expected, seen_triangles_cross((const float(*)[3])f[0], (const float(*)[3])f[1], 1e-5f));
        ASSERT_EQ(expected, seen_triangles_cross((const float(*)[3])f[1], (const float(*)[3])f[0], 1e-5f));
    }
    ASSERT(crossing > 10000 && crossing < 100000);
    PASS();
}

// What touches stays at 0 when the last bits of its places fall otherwise.
TEST touching_does_not_flicker(void) {
    static const float pairs[4][2][3][3] = {
        {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0.2f, 0, 0.2f}, {1, 0, 1}, {0.3f, 0, -1}}},         // one plane
        {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0.2f, 0, 0.2f}, {0.2f, 1, 0.2f}, {0.4f, 1, 0}}},    // a corner on a face
        {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 0, 0}, {1, 0, 0}, {0.5f, 1, 0.2f}}},             // an edge in common
        {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0.1f, 0, 0.1f}, {0.5f, 0, 0.2f}, {0.2f, 1, 0.3f}}}, // an edge on a face
    };
    uint32_t state = 3;
    for (int32_t i = 0; i < 40000; i++) {
        float t[2][3][3];
        memcpy(t, pairs[i % 4], sizeof(t));
        for (int32_t k = 0; k < 18; k++) {
            t[k / 9][k / 3 % 3][k % 3] += (float)(4e-7 * (random_unit(&state) - 0.5));
        }
        ASSERT_FALSE(seen_triangles_cross((const float(*)[3])t[0], (const float(*)[3])t[1], 1e-6f));
    }
    PASS();
}

// -- Many triangles

static double volume(const float* a, const float* b, const float* c, const float* d) {
    double u[3], v[3], w[3];
    for (int32_t k = 0; k < 3; k++) {
        u[k] = (double)b[k] - a[k], v[k] = (double)c[k] - a[k], w[k] = (double)d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// Some edge of one passes through the other: by the signs of five volumes.
static bool edge_pierces(const float* p, const float* q, const float* a, const float* b, const float* c) {
    double above = volume(a, b, c, p), below = volume(a, b, c, q);
    double x = volume(p, q, a, b), y = volume(p, q, b, c), z = volume(p, q, c, a);
    return above * below < 0.0 && ((x > 0.0 && y > 0.0 && z > 0.0) || (x < 0.0 && y < 0.0 && z < 0.0));
}

static bool brute_cross(const world* w, uint32_t t, uint32_t u) {
    for (int32_t side = 0; side < 2; side++) {
        const uint32_t *e = w->indices + 3 * (side == 0 ? t : u), *f = w->indices + 3 * (side == 0 ? u : t);
        for (int32_t k = 0; k < 3; k++) {
            if (edge_pierces(w->positions + 3 * e[k], w->positions + 3 * e[(k + 1) % 3], w->positions + 3 * f[0],
                             w->positions + 3 * f[1], w->positions + 3 * f[2])) {
                return true;
            }
        }
    }
    return false;
}

// Four layers of loose triangles, apart in the bind pose and then thrown together; every pair is tried.
TEST soups_cross_as_brute_force_says(void) {
    enum { TRIANGLES = 1200 };
    for (uint32_t seed = 1; seed <= 4; seed++) {
        world* w = world_new(4);
        uint32_t state = seed;
        for (uint32_t t = 0; t < TRIANGLES; t++) {
            for (int32_t k = 0; k < 3; k++) {
                put_vertex(w, 3.0 * t + random_unit(&state), random_unit(&state), random_unit(&state),
                           (uint8_t)(t % 4));
            }
            put_triangle(w, 3 * t, 3 * t + 1, 3 * t + 2);
        }
        ASSERT(build(w));
        w->mesh.tolerance = 1e-7f; // the bind pose is 3.6 km long
        ASSERT_EQ(0u, w->mesh.rest_pair_count);
        for (uint32_t t = 0; t < TRIANGLES; t++) {
            float centre[3] = {(float)random_unit(&state), (float)random_unit(&state), (float)random_unit(&state)};
            for (int32_t i = 0; i < 9; i++) {
                w->positions[9 * t + (uint32_t)i] = centre[i % 3] + (float)(0.2 * random_unit(&state));
            }
        }
        seen_frame frame = measure(w);
        uint8_t* by_layers = calloc(TRIANGLES, 1);
        uint8_t* by_body = calloc(TRIANGLES, 1);
        uint32_t pairs = 0, layers = 0, body = 0;
        for (uint32_t t = 0; t < TRIANGLES; t++) {
            for (uint32_t u = t + 1; u < TRIANGLES; u++) {
                if (t % 4 != u % 4 && brute_cross(w, t, u)) {
                    uint8_t* by = t % 4 == 0 || u % 4 == 0 ? by_body : by_layers;
                    by[t] = by[u] = 1;
                    pairs++;
                }
            }
        }
        for (uint32_t t = 0; t < TRIANGLES; t++) {
            layers += by_layers[t], body += by_body[t];
            ASSERT_EQ(by_layers[t] != 0, (w->mesh.marks[t] & SEEN_MARK_LAYERS) != 0);
            ASSERT_EQ(by_body[t] != 0, (w->mesh.marks[t] & SEEN_MARK_BODY) != 0);
        }
        free(by_layers);
        free(by_body);
        ASSERT(pairs > 500);
        ASSERT_EQ(pairs, w->mesh.pair_count);
        ASSERT_EQ(layers, frame.layers_crossed);
        ASSERT_EQ(body, frame.body_crossed);
        world_free(w);
    }
    PASS();
}

// Two squares of two triangles each; upright, the second one cuts both of the first.
TEST crossed_squares_count_four(void) {
    world* w = world_new(3);
    put_grid(w, 1, 1.0, 0.0, true, 1);
    uint32_t second = put_grid(w, 1, 1.0, 2.0, true, 2);
    ASSERT(build(w));
    ASSERT_EQ(0u, measure(w).layers_crossed);
    for (uint32_t i = second; i < second + 4; i++) { // stand it up, a little askew
        float x = w->positions[3 * i], z = w->positions[3 * i + 2];
        w->positions[3 * i] = 0.1f + 0.2f * z, w->positions[3 * i + 1] = x, w->positions[3 * i + 2] = z;
    }
    seen_frame frame = measure(w);
    ASSERT_EQ(4u, frame.layers_crossed);
    ASSERT_EQ(0u, frame.body_crossed);
    ASSERT_EQ(2u, w->mesh.crossed[1 * 3 + 2]);
    ASSERT_EQ(2u, w->mesh.crossed[2 * 3 + 1]);
    world_free(w);
    PASS();
}

// A peg through a sheet, as modelled: it may slide within the triangles it meets, not go on through others.
TEST what_crosses_at_rest_is_the_modellers(void) {
    world* w = world_new(2);
    put_grid(w, 20, 1.0, 0.0, true, SEEN_BODY);
    uint32_t peg = put_vertex(w, 0.02, -0.5, 0.03, 1);
    put_vertex(w, 0.03, 0.5, 0.03, 1);
    put_vertex(w, 0.02, 0.5, 0.05, 1);
    put_triangle(w, peg, peg + 1, peg + 2);
    ASSERT(build(w));
    ASSERT(w->mesh.rest_pair_count > 0);
    ASSERT_EQ(0u, measure(w).body_crossed);
    shift(w, peg, 3, 0.06f, 0.0f, 0.0f);
    ASSERT_EQ(0u, measure(w).body_crossed);
    shift(w, peg, 3, 0.4f, 0.0f, 0.0f);
    ASSERT(measure(w).body_crossed >= 2);
    world_free(w);
    PASS();
}

// Layers that share a corner in the bind pose are one surface there, whatever they do; a copy of the corner is the same place.
TEST neighbours_do_not_cross(void) {
    for (int32_t copy = 0; copy < 2; copy++) {
        world* w = world_new(3);
        uint32_t first = put_vertex(w, 0.0, 0.0, 0.0, 1);
        put_vertex(w, 1.0, 0.0, 0.0, 1);
        put_vertex(w, 0.0, 0.0, 1.0, 1);
        uint32_t second = copy ? put_vertex(w, 0.0, 0.0, 0.0, 2) : first;
        uint32_t third = put_vertex(w, 0.3, 1.0, 0.2, 2);
        put_vertex(w, 0.3, 1.0, 0.3, 2);
        put_triangle(w, first, first + 1, first + 2);
        put_triangle(w, third, third + 1, second);
        ASSERT(build(w));
        const float through[6] = {0.6f, -0.4f, 0.2f, 0.2f, 0.4f, 0.4f};
        memcpy(w->positions + 3 * third, through, sizeof(through));
        ASSERT(brute_cross(w, 0, 1));
        ASSERT_EQ(2, w->mesh.triangle_layers[1]);
        ASSERT_EQ(0u, measure(w).layers_crossed);
        world_free(w);
    }
    PASS();
}

// A collar that nothing moves belongs to its cape; a shirt with a small soft spot stays body.
TEST pinned_rows_belong_to_their_garment(void) {
    world* w = world_new(3);
    uint32_t cape = put_grid(w, 8, 1.0, 0.0, true, 1), shirt = put_grid(w, 8, 1.0, -1.0, true, SEEN_BODY);
    for (uint32_t i = 0; i < 27; i++) {
        w->moved[cape + i] = 0.0f, w->layers[cape + i] = SEEN_BODY;
    }
    w->moved[shirt + 40] = 1.0f, w->layers[shirt + 40] = 2;
    ASSERT(build(w));
    ASSERT_EQ(1, w->mesh.vertex_layers[cape]);
    ASSERT_EQ(SEEN_BODY, w->mesh.vertex_layers[shirt]);
    ASSERT_EQ(2, w->mesh.vertex_layers[shirt + 40]);
    world_free(w);
    PASS();
}

// What the skeleton alone does to two triangles is not counted, beside one that particles move.
TEST pinned_triangles_are_the_skeletons(void) {
    world* w = world_new(2);
    uint32_t cloth = put_vertex(w, 0.0, 0.0, 0.0, SEEN_BODY);
    put_vertex(w, 1.0, 0.0, 0.0, SEEN_BODY);
    put_vertex(w, 0.0, 0.0, 1.0, SEEN_BODY);
    put_vertex(w, 1.0, 0.0, 1.0, 1);
    put_triangle(w, cloth, cloth + 1, cloth + 2);
    put_triangle(w, cloth + 1, cloth + 3, cloth + 2);
    uint32_t peg = put_vertex(w, 0.2, 1.0, 0.2, SEEN_BODY);
    put_vertex(w, 0.3, 1.0, 0.2, SEEN_BODY);
    put_vertex(w, 0.2, 2.0, 0.3, SEEN_BODY);
    put_triangle(w, peg, peg + 1, peg + 2);
    ASSERT(build(w));
    ASSERT_EQ(1, w->mesh.triangle_layers[0]);
    shift(w, peg, 3, 0.0f, -1.5f, 0.0f);
    ASSERT_EQ(0u, measure(w).body_crossed);
    shift(w, peg, 3, 0.5f, 0.0f, 0.5f);
    ASSERT_EQ(2u, measure(w).body_crossed);
    world_free(w);
    PASS();
}

// -- The wrong side

static uint32_t put_sphere(world* w, int32_t rings, int32_t sides, double radius, double height, uint8_t layer) {
    const double pi = 3.14159265358979;
    uint32_t first = w->vertex_count;
    put_vertex(w, 0.0, height - radius, 0.0, layer);
    for (int32_t r = 1; r < rings; r++) {
        for (int32_t s = 0; s < sides; s++) {
            double theta = pi * r / rings, phi = 2.0 * pi * (s + 0.37) / sides;
            put_vertex(w, radius * sin(theta) * cos(phi), height - radius * cos(theta), radius * sin(theta) * sin(phi),
                       layer);
        }
    }
    uint32_t top = put_vertex(w, 0.0, height + radius, 0.0, layer), n = (uint32_t)sides;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t t = (s + 1) % n, last = top - n;
        put_triangle(w, first, first + 1 + s, first + 1 + t);
        put_triangle(w, top, last + t, last + s);
        for (uint32_t r = 0; r + 2 < (uint32_t)rings; r++) {
            uint32_t a = first + 1 + r * n, b = a + n;
            put_triangle(w, a + s, b + s, a + t);
            put_triangle(w, a + t, b + s, b + t);
        }
    }
    return first;
}

// A ball of radius R sunk by h into the ground: a cap of 2 pi R h below, a disc of pi (2 R h - h^2) inside the ball.
TEST sunken_ball_has_its_depth_and_area(void) {
    const double radius = 0.5, sunk = 0.1, pi = 3.14159265358979;
    for (int32_t ball_is_body = 0; ball_is_body < 2; ball_is_body++) {
        world* w = world_new(2);
        w->thin[1] = true;
        put_grid(w, 60, 1.0, 0.0, true, ball_is_body ? 1 : SEEN_BODY);
        uint32_t ball = put_sphere(w, 40, 80, radius, 0.7, ball_is_body ? SEEN_BODY : 1);
        uint32_t count = w->vertex_count - ball;
        ASSERT(build(w));
        seen_frame frame = measure(w);
        ASSERT_EQ(0u, frame.body_crossed);
        ASSERT_EQ(0.0f, frame.body_depth);
        shift(w, ball, count, 0.0013f, (float)(-0.2 - sunk), 0.0021f);
        frame = measure(w);
        ASSERT(frame.body_crossed > 100);
        ASSERT_IN_RANGE(sunk, frame.body_depth, 0.0005);
        double area = 2.0 * pi * radius * sunk + pi * (2.0 * radius * sunk - sunk * sunk);
        ASSERT_IN_RANGE(area, frame.body_area, 0.06 * area);
        ASSERT_EQ(0.0f, frame.layers_depth);
        // Out again.
        shift(w, ball, count, 0.0f, (float)(sunk + 0.01), 0.0f);
        frame = measure(w);
        ASSERT_EQ(0u, frame.body_crossed);
        ASSERT_EQ(0.0f, frame.body_depth);
        world_free(w);
    }
    PASS();
}

// Cloth with two walls, 4 mm apart, on a ball that comes 60 mm through: the depth is that below the wall that faced the ball.
TEST thick_cloth_knows_its_sides(void) {
    world* w = world_new(2);
    w->thin[1] = true;
    uint32_t upper = put_grid(w, 40, 1.0, 0.004, true, 1), lower = put_grid(w, 40, 1.0, 0.0, false, 1);
    for (uint32_t i = 0; i < 41; i++) { // the rim, on two sides
        for (uint32_t k = 0; k < 2 && i < 40; k++) {
            uint32_t a = upper + k * 40 * 41 + i, b = lower + k * 40 * 41 + i;
            put_triangle(w, a, k == 0 ? a + 1 : b, k == 0 ? b : a + 1);
            put_triangle(w, b, k == 0 ? a + 1 : b + 1, k == 0 ? b + 1 : a + 1);
        }
    }
    uint32_t ball = put_sphere(w, 40, 60, 0.3, -0.35, SEEN_BODY);
    ASSERT(build(w));
    shift(w, ball, w->vertex_count - ball, 0.001f, 0.11f, 0.002f);
    seen_frame frame = measure(w);
    ASSERT_IN_RANGE(0.06, frame.body_depth, 0.0005);
    ASSERT_IN_RANGE(0.06, w->mesh.depths[SEEN_BODY * 2 + 1], 0.0005);
    ASSERT_IN_RANGE(0.06, w->mesh.depths[1 * 2 + SEEN_BODY], 0.003); // as far as it has corners there
    world_free(w);
    PASS();
}

// A sheet that dives through another and comes out beyond its edge is on the wrong side up to the edge only.
TEST beyond_a_hem_there_is_no_side(void) {
    world* w = world_new(3);
    w->thin[1] = w->thin[2] = true;
    put_grid(w, 20, 0.5, 0.0, true, 1);
    uint32_t second = put_grid(w, 20, 0.5, 0.2, true, 2);
    ASSERT(build(w));
    w->mesh.size = 10.0f; // so that reach is no limit
    for (uint32_t i = second; i < second + 441; i++) {
        float* p = w->positions + 3 * i;
        p[0] += 0.501f;
        p[1] = 0.053f - 0.2f * p[0]; // through at 0.27, at the edge 47 mm below
        p[2] *= 0.5f;
    }
    seen_frame frame = measure(w);
    ASSERT(frame.layers_crossed > 0);
    ASSERT_IN_RANGE(0.042, frame.layers_depth, 0.006);
    world_free(w);
    PASS();
}

// -- Edges, faces, motion

TEST stretched_grid_has_its_ratios(void) {
    enum { N = 10 };
    world* w = world_new(2);
    put_grid(w, N, 0.5, 0.0, true, 1);
    ASSERT(build(w));
    // Edges along x, along z, and diagonals, each once.
    ASSERT_EQ(2u * N * (N + 1) + N * N, w->mesh.edge_count);
    ASSERT_IN_RANGE(1.0, measure(w).stretch_max, 1e-5);
    for (uint32_t i = 0; i < w->vertex_count; i++) {
        w->positions[3 * i] *= 1.6f;
    }
    seen_frame frame = measure(w);
    ASSERT_IN_RANGE(1.6, frame.stretch_max, 1e-4);
    ASSERT_EQ((uint32_t)(N * (N + 1)), frame.stretched_count); // diagonals: sqrt((1.6^2 + 1) / 2) = 1.33
    ASSERT_EQ(0u, frame.torn_count);
    uint32_t marked = 0;
    for (uint32_t i = 0; i < w->mesh.edge_count; i++) {
        marked += w->mesh.stretched[i];
    }
    ASSERT_EQ(frame.stretched_count, marked);
    ASSERT_IN_RANGE(110.0 / 320.0, frame.stretched_share, 1e-6);
    for (uint32_t i = 0; i < w->vertex_count; i++) {
        w->positions[3 * i] *= 2.0f;
    }
    frame = measure(w);
    ASSERT_EQ((uint32_t)(N * (N + 1)), frame.torn_count);
    ASSERT_EQ((uint32_t)(N * (N + 1) + N * N), frame.stretched_count); // 2.37
    world_free(w);
    PASS();
}

TEST turned_faces_are_counted(void) {
    world* w = world_new(2);
    put_grid(w, 4, 0.5, 0.0, true, 1);
    put_grid(w, 4, 0.5, 1.0, false, 1); // lies on its face already in the bind pose, normals up
    ASSERT(build(w));
    ASSERT_EQ(0u, measure(w).turned_count);
    // One column folded back over its neighbour: its eight faces lie on their faces.
    for (uint32_t i = 0; i < 25; i++) {
        if (w->positions[3 * i] > 0.4f) {
            w->positions[3 * i] = 0.1f;
        }
    }
    seen_frame frame = measure(w);
    ASSERT_EQ(8u, frame.turned_count);
    ASSERT_IN_RANGE(8.0 / 64.0, frame.turned_share, 1e-6);
    // Turned as a whole, with its normals, nothing is wrong.
    world_free(w);
    w = world_new(2);
    put_grid(w, 4, 0.5, 0.0, true, 1);
    ASSERT(build(w));
    for (uint32_t i = 0; i < 25; i++) {
        w->positions[3 * i] *= -1.0f;
        w->normals[3 * i + 1] = -1.0f;
    }
    ASSERT_EQ(0u, measure(w).turned_count);
    world_free(w);
    PASS();
}

// Cloth that swings d(t) = a e^(-kt) around a pose which stands still after a second.
TEST drift_jitter_and_settling_are_those_given(void) {
    enum { FRAMES = 600 };
    world* w = world_new(2);
    put_grid(w, 6, 0.5, 0.0, true, 1);
    put_grid(w, 6, 0.5, 1.0, true, SEEN_BODY);
    ASSERT(build(w));
    static seen_frame frames[FRAMES];
    float* pose = malloc(sizeof(w->positions));
    float* rest = malloc(sizeof(w->positions));
    memcpy(rest, w->positions, sizeof(w->positions));
    const double amplitude = 0.1, decay = 2.0, jitter = 2e-5, hz = 60.0;
    for (int32_t i = 0; i < FRAMES; i++) {
        double t = i / hz, moved = t < 1.0 ? t : 1.0, away = amplitude * exp(-decay * t) + (i % 2 ? jitter : 0.0);
        for (uint32_t k = 0; k < 3 * w->vertex_count; k++) {
            pose[k] = rest[k] + (k % 3 == 2 ? (float)(0.5 * moved) : 0.0f);
            w->positions[k] = pose[k] + (k % 3 == 1 ? (float)away : 0.0f);
        }
        seen_measure(&w->mesh, w->positions, w->normals, pose, i > 0 ? (float)(1.0 / hz) : 0.0f, &frames[i]);
        frames[i].seconds = (float)t;
        ASSERT_IN_RANGE(away, frames[i].drift_rms, 1e-6);
        ASSERT_IN_RANGE(away, frames[i].drift_max, 1e-6);
    }
    ASSERT_IN_RANGE(0.5, frames[30].pose_rms, 1e-4);
    ASSERT_EQ(0.0f, frames[0].motion_rms);
    seen_summary s = seen_summarise(frames, FRAMES);
    ASSERT_IN_RANGE(jitter, s.jitter, 0.1 * jitter);
    // a k e^(-kt) = 10 mm/s less the jitter's 1.2 mm/s either way.
    double settled = log(amplitude * decay / (SEEN_SETTLED - jitter * hz)) / decay - 1.0;
    ASSERT_IN_RANGE(settled, s.settle_seconds, 0.05);
    ASSERT_EQ(0, s.drift_rms.worst_frame);
    ASSERT_IN_RANGE(amplitude, s.drift_rms.worst, 1e-6);
    // While the pose moves there is nothing to say.
    s = seen_summarise(frames, 60);
    ASSERT_EQ(-1.0f, s.jitter);
    ASSERT_EQ(-1.0f, s.settle_seconds);
    free(pose);
    free(rest);
    world_free(w);
    PASS();
}

TEST summary_has_mean_and_worst(void) {
    seen_frame frames[4];
    memset(frames, 0, sizeof(frames));
    for (int32_t i = 0; i < 4; i++) {
        frames[i].body_crossed = (uint32_t)(i == 2 ? 10 : i);
        frames[i].stretch_max = 1.0f + 0.1f * (float)i;
    }
    seen_summary s = seen_summarise(frames, 4);
    ASSERT_EQ(4, s.frame_count);
    ASSERT_IN_RANGE(3.5, s.body_crossed.mean, 1e-6);
    ASSERT_EQ(10.0f, s.body_crossed.worst);
    ASSERT_EQ(2, s.body_crossed.worst_frame);
    ASSERT_IN_RANGE(1.3, s.stretch.worst, 1e-6);
    ASSERT_EQ(3, s.stretch.worst_frame);
    PASS();
}

// The curtain of the fixture is part 1 and the post body: in the bind pose apart, and with the curtain moved back by 15 cm in
// the post, while the pose alone stays apart.
TEST assets_are_watched(void) {
    uint8_t* bytes = NULL;
    size_t size = fixture_make(&bytes, true);
    asset a;
    puppet p;
    watch w;
    ASSERT_EQ(0, asset_from_bytes(&a, "fixture", bytes, size));
    ASSERT(puppet_create(&p, &a));
    ASSERT_EQ(0, watch_begin(&w, &a));
    ASSERT_EQ(3u, w.mesh.layer_count);
    ASSERT_STR_EQ("body", watch_layer_name(&w, SEEN_BODY));
    ASSERT_STR_EQ("curtain", watch_layer_name(&w, 2));
    ASSERT_EQ(2, w.mesh.vertex_layers[0]);
    ASSERT_EQ(SEEN_BODY, w.mesh.vertex_layers[64]);
    float matrices[2 * 12];
    seen_frame physics, alone;
    asset_bind_pose(&a, matrices);
    watch_frame(&w, &p, matrices, 0.0f, 0.0f, &physics, &alone);
    ASSERT_EQ(0u, physics.body_crossed);
    ASSERT_EQ(0.0f, physics.drift_rms);
    for (uint32_t i = 0; i < 64; i++) {
        p.positions[3 * i + 2] -= 0.15f;
    }
    watch_frame(&w, &p, matrices, 0.1f, 0.1f, &physics, &alone);
    ASSERT(physics.body_crossed > 0);
    ASSERT_EQ(0u, physics.layers_crossed);
    ASSERT_EQ(0u, alone.body_crossed);
    ASSERT_IN_RANGE(0.15, physics.drift_rms, 1e-5);
    ASSERT_IN_RANGE(1.5, physics.motion_rms, 1e-4);
    ASSERT_EQ(2, w.frame_count);
    ASSERT_EQ((double)physics.body_crossed, w.crossed[2 * 3] + w.crossed[2]);
    watch_end(&w);
    puppet_destroy(&p);
    asset_unload(&a);
    free(bytes);
    PASS();
}

TEST bad_meshes_are_refused(void) {
    world* w = world_new(2);
    put_grid(w, 2, 0.5, 0.0, true, 1);
    w->indices[4] = w->vertex_count;
    ASSERT_FALSE(build(w));
    w->indices[4] = 0;
    w->layer_count = 0;
    ASSERT_FALSE(build(w));
    w->layer_count = SEEN_LAYERS_MAX + 1;
    ASSERT_FALSE(build(w));
    w->layer_count = 2;
    w->triangle_count = w->vertex_count = 0;
    ASSERT(build(w));
    ASSERT_EQ(0u, measure(w).body_crossed);
    world_free(w);
    PASS();
}

// A sheet of 2 m bent along its middle: level until it stands upright, and from there on the crease counts with its length.
TEST creases_count_beyond_a_right_angle(void) {
    world* w = world_new(2);
    const int32_t n = 4;
    const uint32_t first = put_grid(w, n, 1.0, 1.0, true, 1);
    ASSERT(build(w));
    const float total = 12.0f + 16.0f * sqrtf(0.5f); // three lines each way, and the diagonals
    ASSERT_IN_RANGE(total, w->mesh.layers[1].fold_length, 1e-4f);
    const float degrees[] = {0.0f, 60.0f, 85.0f, 95.0f, 170.0f};
    for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++) {
        const float angle = degrees[i] * 0.0174532925f;
        for (uint32_t v = first; v < w->vertex_count; v++) {
            const float x = -1.0f + 0.5f * (float)((v - first) % 5u);
            w->positions[3 * v] = x > 0.0f ? x * cosf(angle) : x;
            w->positions[3 * v + 1] = 1.0f + (x > 0.0f ? x * sinf(angle) : 0.0f);
        }
        measure(w);
        ASSERT_IN_RANGE(degrees[i] > 90.0f ? 2.0f : 0.0f, w->mesh.layers[1].folded_length, 1e-4f);
    }
    world_free(w);
    PASS();
}

// What was modelled at a right angle, a rim, is no crease, however far it goes on bending; nor are the two walls of a cloth that
// share their vertices.
TEST rims_are_no_creases(void) {
    world* w = world_new(2);
    const uint32_t a = put_vertex(w, 0, 0, 0, 1), b = put_vertex(w, 0, 0, 1, 1);
    put_triangle(w, a, b, put_vertex(w, 1, 0, 0, 1));
    const uint32_t top = put_vertex(w, 0, 1, 0, 1);
    put_triangle(w, b, a, top);
    put_triangle(w, top, a, b); // its other wall
    ASSERT(build(w));
    ASSERT_EQ(0u, w->mesh.fold_count);
    shift(w, top, 1, 2.0f, -0.5f, 0.0f);
    measure(w);
    ASSERT_EQ(0.0f, w->mesh.layers[1].folded_length);
    world_free(w);
    PASS();
}

SUITE(seen_suite) {
    RUN_TEST(triangles_cross_as_whole_numbers_say);
    RUN_TEST(touching_does_not_flicker);
    RUN_TEST(soups_cross_as_brute_force_says);
    RUN_TEST(crossed_squares_count_four);
    RUN_TEST(what_crosses_at_rest_is_the_modellers);
    RUN_TEST(neighbours_do_not_cross);
    RUN_TEST(pinned_rows_belong_to_their_garment);
    RUN_TEST(pinned_triangles_are_the_skeletons);
    RUN_TEST(sunken_ball_has_its_depth_and_area);
    RUN_TEST(thick_cloth_knows_its_sides);
    RUN_TEST(beyond_a_hem_there_is_no_side);
    RUN_TEST(stretched_grid_has_its_ratios);
    RUN_TEST(turned_faces_are_counted);
    RUN_TEST(creases_count_beyond_a_right_angle);
    RUN_TEST(rims_are_no_creases);
    RUN_TEST(drift_jitter_and_settling_are_those_given);
    RUN_TEST(summary_has_mean_and_worst);
    RUN_TEST(assets_are_watched);
    RUN_TEST(bad_meshes_are_refused);
}
