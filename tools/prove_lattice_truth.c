// SPDX-License-Identifier: MIT
#include "tools/prove_lattice.h"
#include "tools/jelly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Whether a lattice does what its definition says: goals against sums over every region in doubles, and what a free body keeps.
// An asset has room for 65 535 particles; tests/runtime/lattice.c asks the kernel itself at 64 x 64 x 64.

enum { NX = 64, NY = 32, NZ = 31, SAMPLES = 10, FREE_FRAMES = 240 };

#define STEP (1.0f / 60.0f)

// What a force field adds in the next step, by particle.
typedef struct push {
    float (*acceleration)[3];
    uint32_t count; // of particles, with pads
} push;

static void give(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                 uint32_t row_count) {
    const push* p = user;
    (void)id, (void)position, (void)velocity;
    for (uint32_t i = 0; i < row_count * 8 && i < p->count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            acceleration[(i >> 3) * 24 + 8 * k + (i & 7)] = p->acceleration[i][k];
        }
    }
}

static void step(jelly* j, push* p) {
    const hem_step_args args = {.dt_seconds = STEP, .substeps = 1};
    hem_scene_set_force_field(j->scene, p != NULL ? give : NULL, p);
    hem_scene_step(j->scene, &args);
    hem_scene_set_force_field(j->scene, NULL, NULL);
}

static void tune(jelly* j, float alpha, uint32_t width, float damping) {
    hem_tuning t;
    hem_instance_get_tuning(j->scene, j->id, &t, sizeof(t));
    t.gravity_scale = t.damping = t.angular_damping = t.drive = 0.0f;
    t.region_alpha = alpha;
    t.region_width = width;
    t.region_damping = damping;
    t.tracking = 0;
    hem_instance_set_tuning(j->scene, j->id, &t, 1);
}

// -- Sums

typedef struct plain {
    const jelly* j;
    const hem_particle* particles;
    int width;
} plain;

static int low(int at, int width) {
    return at > width ? at - width : 0;
}

static int high(int at, int width, int size) {
    return at + width < size ? at + width : size - 1;
}

// In how many regions a particle is: it is in those that it reaches.
static double regions_of(const plain* s, int x, int y, int z) {
    const int p[3] = {x, y, z};
    double count = 1;
    for (int k = 0; k < 3; k++) {
        count *= high(p[k], s->width, s->j->size[k]) - low(p[k], s->width) + 1;
    }
    return count;
}

// The rotation of a: Newton's steps as quaternion products (Mueller et al., 2016), until nothing moves.
static void rotation_of(const double a[3][3], double r[3][3]) {
    double q[4] = {0, 0, 0, 1};
    for (int n = 0; n < 40; n++) {
        const double x = q[0], y = q[1], z = q[2], w = q[3];
        const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                                {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                                {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
        double g[3] = {0, 0, 0}, trace = 0;
        memcpy(r, m, sizeof(m));
        for (int c = 0; c < 3; c++) {
            g[0] += m[1][c] * a[2][c] - m[2][c] * a[1][c];
            g[1] += m[2][c] * a[0][c] - m[0][c] * a[2][c];
            g[2] += m[0][c] * a[1][c] - m[1][c] * a[0][c];
            trace += m[0][c] * a[0][c] + m[1][c] * a[1][c] + m[2][c] * a[2][c];
        }
        const double e = 0.5 / fabs(trace);
        const double p[4] = {x + e * (g[0] * w + g[1] * z - g[2] * y), y + e * (g[1] * w + g[2] * x - g[0] * z),
                             z + e * (g[2] * w + g[0] * y - g[1] * x), w - e * (g[0] * x + g[1] * y + g[2] * z)};
        const double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int k = 0; k < 4; k++) {
            q[k] = p[k] / size;
        }
    }
}

// What the region around c wants of the particle at p, added to goal.
static void add_region(const plain* s, const int c[3], const int p[3], double goal[3]) {
    const jelly* j = s->j;
    double mass = 0, now[3] = {0}, rest[3] = {0}, a[3][3] = {{0}}, r[3][3];
    for (int z = low(c[2], s->width); z <= high(c[2], s->width, j->size[2]); z++) {
        for (int y = low(c[1], s->width); y <= high(c[1], s->width, j->size[1]); y++) {
            for (int x = low(c[0], s->width); x <= high(c[0], s->width, j->size[0]); x++) {
                const uint32_t i = j->particles[(z * j->size[1] + y) * j->size[0] + x];
                const hem_rest_row* row = &j->view.rest_rows[i >> 3];
                const double m = (double)row->mass[i & 7] / regions_of(s, x, y, z);
                const double to[3] = {(double)row->x[i & 7], (double)row->y[i & 7], (double)row->z[i & 7]};
                mass += m;
                for (int k = 0; k < 3; k++) {
                    const double at = m * (double)s->particles[i].position[k];
                    now[k] += at;
                    rest[k] += m * to[k];
                    a[k][0] += at * to[0];
                    a[k][1] += at * to[1];
                    a[k][2] += at * to[2];
                }
            }
        }
    }
    for (int k = 0; k < 9; k++) {
        a[k / 3][k % 3] -= now[k / 3] * rest[k % 3] / mass;
    }
    rotation_of((const double(*)[3])a, r);
    const uint32_t i = j->particles[(p[2] * j->size[1] + p[1]) * j->size[0] + p[0]];
    const hem_rest_row* row = &j->view.rest_rows[i >> 3];
    const double own[3] = {(double)row->x[i & 7], (double)row->y[i & 7], (double)row->z[i & 7]};
    for (int k = 0; k < 3; k++) {
        goal[k] += now[k] / mass;
        for (int n = 0; n < 3; n++) {
            goal[k] += r[k][n] * (own[n] - rest[n] / mass);
        }
    }
}

static void plain_goal(const plain* s, const int p[3], double goal[3]) {
    const double regions = regions_of(s, p[0], p[1], p[2]);
    goal[0] = goal[1] = goal[2] = 0;
    for (int z = low(p[2], s->width); z <= high(p[2], s->width, s->j->size[2]); z++) {
        for (int y = low(p[1], s->width); y <= high(p[1], s->width, s->j->size[1]); y++) {
            for (int x = low(p[0], s->width); x <= high(p[0], s->width, s->j->size[0]); x++) {
                const int c[3] = {x, y, z};
                add_region(s, c, p, goal);
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        goal[k] /= regions;
    }
}

// Where the one with this index is when the box is bent and twisted, about the middle, metres.
static void bend(const int size[3], int x, int y, int z, double out[3]) {
    const double s = 1.0 / NX, a = 1.3 * (y - 0.5 * size[1]) * s;
    const double c = x - 0.5 * size[0] + 0.3 * sin(9 * s * z), d = z - 0.5 * size[2];
    out[0] = (double)JELLY_CELL * (c * cos(a) - d * sin(a));
    out[1] = (double)JELLY_CELL * (y - 0.5 * size[1]) * (1 + 0.2 * sin(6 * s * x));
    out[2] = (double)JELLY_CELL * (c * sin(a) + d * cos(a) + 0.2 * cos(11 * s * x));
}

// Flies there in one step, stops in the next ones: then rotations have settled, too.
static void deform(jelly* j, push* p, hem_particle* particles) {
    for (int n = 0; n < 8; n++) {
        hem_instance_get_particles(j->scene, j->id, 0, j->info.particle_count, particles);
        for (uint32_t i = 0; i < j->info.particle_count; i++) {
            for (int k = 0; k < 3; k++) {
                p->acceleration[i][k] = -particles[i].velocity[k] / STEP;
            }
        }
        for (int i = 0; n == 0 && i < j->size[0] * j->size[1] * j->size[2]; i++) {
            double to[3];
            const uint32_t at = j->particles[i];
            bend(j->size, i % j->size[0], i / j->size[0] % j->size[1], i / j->size[0] / j->size[1], to);
            for (int k = 0; k < 3; k++) {
                p->acceleration[at][k] = (float)((to[k] - (double)particles[at].position[k]) / (double)(STEP * STEP));
            }
        }
        step(j, p);
    }
    hem_instance_get_particles(j->scene, j->id, 0, j->info.particle_count, particles);
}

// The worst of some goals, in cells: corners, faces, the middle; of wide regions fewer.
static bool sums_error(jelly* j, push* p, hem_particle* particles, uint32_t width, double* worst) {
    static const int samples[SAMPLES][3] = {{0, 0, 0},    {63, 31, 30}, {32, 16, 15}, {63, 0, 15}, {31, 31, 0},
                                            {60, 29, 28}, {32, 8, 20},  {17, 17, 17}, {5, 20, 30}, {50, 3, 12}};
    double goals[SAMPLES][3];
    const plain s = {j, particles, (int)width};
    const int count = width > 3 ? 3 : SAMPLES;
    hem_instance_reset(j->scene, j->id);
    tune(j, 0.0f, width, 0.0f);
    deform(j, p, particles);
    double moved = 0;
    for (int i = 0; i < count; i++) {
        plain_goal(&s, samples[i], goals[i]);
    }
    tune(j, 1.0f, width, 0.0f);
    step(j, NULL);
    for (int i = 0; i < count; i++) {
        const int* at = samples[i];
        const uint32_t particle = j->particles[(at[2] * j->size[1] + at[1]) * j->size[0] + at[0]];
        hem_particle now;
        hem_instance_get_particles(j->scene, j->id, particle, 1, &now);
        for (int k = 0; k < 3; k++) {
            const double off = fabs((double)now.position[k] - goals[i][k]) / (double)JELLY_CELL;
            *worst = !(off <= *worst) ? off : *worst;
            moved = fmax(moved, fabs(goals[i][k] - (double)particles[particle].position[k]) / (double)JELLY_CELL);
        }
    }
    return moved > 1e-3; // else nothing was asked of it
}

void prove_lattice_sums(proof* p) {
    jelly j;
    push field = {0};
    hem_particle* particles = NULL;
    bool good = jelly_open(&j, NX, NY, NZ, false, 0);
    if (good) {
        field.count = j.info.particle_count;
        field.acceleration = calloc(field.count, sizeof(*field.acceleration));
        particles = calloc(field.count, sizeof(*particles));
        good = field.acceleration != NULL && particles != NULL;
    }
    double worst = 0;
    for (uint32_t width = 1; good && width <= 8; width += width == 1 ? 2 : 5) {
        good = sums_error(&j, &field, particles, width, &worst);
    }
    if (good) {
        proof_at_most(p, 1e-5, worst, "cells",
                      "goal of a particle, off from sums over all regions, %d x %d x %d, w 1, 3, 8", NX, NY, NZ);
    } else {
        proof_unmeasured(p, "1e-5 cells", "the scene could not be made", "running sums against plain ones");
    }
    free(field.acceleration);
    free(particles);
    jelly_close(&j);
}

// -- What a free body keeps

typedef struct state {
    double mass, linear[3], angular[3];
} state;

static state state_of(const jelly* j, hem_particle* particles) {
    state s = {0};
    hem_instance_get_particles(j->scene, j->id, 0, j->info.particle_count, particles);
    for (uint32_t i = 0; i < j->info.particle_count; i++) {
        const hem_particle* q = &particles[i];
        const double m =
            (q->flags & HEM_PARTICLE_PAD) == 0 && q->inverse_mass > 0 ? 1.0 / (double)q->inverse_mass : 0.0;
        s.mass += m;
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            s.linear[k] += m * (double)q->velocity[k];
            s.angular[k] +=
                m * ((double)q->position[a] * (double)q->velocity[b] - (double)q->position[b] * (double)q->velocity[a]);
        }
    }
    return s;
}

static double apart(const double a[3], const double b[3]) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        square += (a[k] - b[k]) * (a[k] - b[k]);
    }
    return sqrt(square);
}

// Flies, turns and shakes from the next step on; shake in m/s.
static state set_off(jelly* j, push* p, hem_particle* particles, float shake) {
    uint32_t random = 1;
    hem_instance_get_particles(j->scene, j->id, 0, j->info.particle_count, particles);
    for (uint32_t i = 0; i < j->info.particle_count; i++) {
        const float* x = particles[i].position;
        const float speed[3] = {0.5f - 2.0f * x[1], 0.25f + 2.0f * x[0], -0.3f};
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            p->acceleration[i][k] = (speed[k] + shake * ((float)(random >> 8) / 16777216.0f - 0.5f)) / STEP;
        }
    }
    step(j, p);
    return state_of(j, particles);
}

static const double NONE[3] = {0, 0, 0};

// The worst of four seconds, linear and angular, as shares of what it began with. It flies 3 m; one rounding of a place
// there, in a step of a sixtieth, is 2e-5 of its speed.
static void drift(jelly* j, push* p, hem_particle* particles, uint32_t width, double worst[2]) {
    hem_instance_reset(j->scene, j->id);
    tune(j, 0.75f, width, 5.0f);
    const state first = set_off(j, p, particles, 1.0f);
    for (int f = 0; f < FREE_FRAMES; f++) {
        step(j, NULL);
        const state now = state_of(j, particles);
        worst[0] = fmax(worst[0], apart(now.linear, first.linear) / apart(first.linear, NONE));
        worst[1] = fmax(worst[1], apart(now.angular, first.angular) / apart(first.angular, NONE));
    }
}

// Shaken until it is in pieces: what these have together, against what it had. Returns how many there are.
static uint32_t shatter(jelly* j, push* p, hem_particle* particles, double* mass, double* linear) {
    hem_tuning t;
    hem_torn torn = {0};
    hem_instance_reset(j->scene, j->id);
    tune(j, 0.75f, 2, 0.0f);
    hem_instance_get_tuning(j->scene, j->id, &t, sizeof(t));
    t.strain_limit = 0.15f;
    hem_instance_set_tuning(j->scene, j->id, &t, 1);
    const double whole = state_of(j, particles).mass;
    const state shaken = set_off(j, p, particles, 20.0f);
    for (int f = 0; f < FREE_FRAMES / 2; f++) {
        step(j, NULL);
        const state now = state_of(j, particles);
        *mass = fmax(*mass, fabs(now.mass / whole - 1.0));
        *linear = fmax(*linear, apart(now.linear, shaken.linear) / apart(shaken.linear, NONE));
    }
    hem_instance_get_torn(j->scene, j->id, &torn);
    return torn.piece_count;
}

void prove_lattice_momentum(proof* p) {
    jelly j;
    push field = {0};
    hem_particle* particles = NULL;
    bool good = jelly_open(&j, 9, 7, 5, false, 600);
    if (good) {
        field.count = j.info.particle_count;
        field.acceleration = calloc(field.count, sizeof(*field.acceleration));
        particles = calloc(field.count, sizeof(*particles));
        good = field.acceleration != NULL && particles != NULL;
    }
    double worst[2] = {0, 0}, mass = 0, linear = 0;
    for (uint32_t width = 1; good && width <= 8; width += width == 1 ? 2 : 5) {
        drift(&j, &field, particles, width, worst);
    }
    if (good) {
        proof_at_most(p, 2e-5, worst[0], "of it",
                      "linear momentum lost or won in four seconds, thrown, spun and shaken, w 1, 3, 8");
        proof_at_most(p, 12.0, 100.0 * worst[1], "%", "angular momentum, the same (damping of regions on)");
        const uint32_t pieces = shatter(&j, &field, particles, &mass, &linear);
        proof_at_least(p, 2.0, pieces, "pieces", "of a free body, shaken until it tears");
        proof_at_most(p, 1e-5, mass, "of it", "change of mass while it does");
        proof_at_most(p, 2e-5, linear, "of it", "change of linear momentum while it does");
    } else {
        proof_unmeasured(p, "2e-5 of it", "the scene could not be made", "momentum of a free body");
    }
    free(field.acceleration);
    free(particles);
    jelly_close(&j);
}
