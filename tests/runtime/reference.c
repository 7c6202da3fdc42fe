// SPDX-License-Identifier: MIT
#include "tests/runtime/reference.h"

#include <math.h>
#include <string.h>

// Everything as one vector y = (x, v) of 6 n numbers with y' = f(y).

#define SIZE (6 * REFERENCE_LIMIT)

static void pack(const reference_system* s, double* y) {
    memcpy(y, s->x, (size_t)s->count * sizeof(s->x[0]));
    memcpy(y + 3 * s->count, s->v, (size_t)s->count * sizeof(s->v[0]));
}

static void unpack(reference_system* s, const double* y) {
    memcpy(s->x, y, (size_t)s->count * sizeof(s->x[0]));
    memcpy(s->v, y + 3 * s->count, (size_t)s->count * sizeof(s->v[0]));
}

static void add_spring(const reference_spring* k, const double* x, const double* v, double* force) {
    double d[3], u[3], length = 0, along = 0;
    for (int n = 0; n < 3; ++n) {
        d[n] = x[3 * k->a + n] - (k->b < 0 ? k->anchor[n] : x[3 * k->b + n]);
        u[n] = v[3 * k->a + n] - (k->b < 0 ? 0 : v[3 * k->b + n]);
        length += d[n] * d[n];
    }
    length = sqrt(length);
    for (int n = 0; n < 3; ++n) {
        along += u[n] * d[n] / length;
    }
    const double pull = k->stiffness * (length - k->rest) + k->damping * along;
    for (int n = 0; n < 3; ++n) {
        force[3 * k->a + n] -= pull * d[n] / length;
        if (k->b >= 0) {
            force[3 * k->b + n] += pull * d[n] / length;
        }
    }
}

static void derivative(const reference_system* s, const double* y, double* dy) {
    const int n = 3 * s->count;
    double force[3 * REFERENCE_LIMIT];
    for (int i = 0; i < n; ++i) {
        force[i] = s->mass[i / 3] * s->gravity[i % 3] - s->drag * y[n + i];
    }
    for (int i = 0; i < s->spring_count; ++i) {
        add_spring(&s->springs[i], y, y + n, force);
    }
    for (int i = 0; i < n; ++i) {
        dy[i] = y[n + i];
        dy[n + i] = force[i] / s->mass[i / 3];
    }
}

// y + h k
static void step_to(const double* y, const double* k, double h, int n, double* out) {
    for (int i = 0; i < n; ++i) {
        out[i] = y[i] + h * k[i];
    }
}

void reference_euler(reference_system* s, double h) {
    double y[SIZE] = {0}, k[SIZE];
    pack(s, y);
    derivative(s, y, k);
    step_to(y, k, h, 6 * s->count, y);
    unpack(s, y);
}

void reference_midpoint(reference_system* s, double h) {
    double y[SIZE] = {0}, k[SIZE], middle[SIZE] = {0};
    pack(s, y);
    derivative(s, y, k);
    step_to(y, k, 0.5 * h, 6 * s->count, middle);
    derivative(s, middle, k);
    step_to(y, k, h, 6 * s->count, y);
    unpack(s, y);
}

void reference_runge_kutta(reference_system* s, double h) {
    double y[SIZE] = {0}, k[4][SIZE], at[SIZE] = {0};
    const int n = 6 * s->count;
    pack(s, y);
    derivative(s, y, k[0]);
    step_to(y, k[0], 0.5 * h, n, at);
    derivative(s, at, k[1]);
    step_to(y, k[1], 0.5 * h, n, at);
    derivative(s, at, k[2]);
    step_to(y, k[2], h, n, at);
    derivative(s, at, k[3]);
    for (int i = 0; i < n; ++i) {
        y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    unpack(s, y);
}

// Gaussian elimination with pivots.
static void solve(double (*a)[SIZE + 1], int n) {
    for (int i = 0; i < n; ++i) {
        int pivot = i;
        for (int r = i + 1; r < n; ++r) {
            pivot = fabs(a[r][i]) > fabs(a[pivot][i]) ? r : pivot;
        }
        for (int c = i; c <= n; ++c) {
            const double swap = a[i][c];
            a[i][c] = a[pivot][c];
            a[pivot][c] = swap;
        }
        for (int r = 0; r < n; ++r) {
            const double factor = r == i ? 0 : a[r][i] / a[i][i];
            for (int c = i; factor != 0 && c <= n; ++c) {
                a[r][c] -= factor * a[i][c];
            }
        }
    }
}

// z = y + h f(z) by Newton's method, with a Jacobian by differences.
void reference_implicit_euler(reference_system* s, double h) {
    static double a[SIZE][SIZE + 1];
    double y[SIZE] = {0}, z[SIZE], k[SIZE], nudged[SIZE];
    const int n = 6 * s->count;
    pack(s, y);
    memcpy(z, y, sizeof(z));
    for (int pass = 0; pass < 20; ++pass) {
        double size = 0;
        derivative(s, z, k);
        for (int c = 0; c < n; ++c) {
            const double keep = z[c], nudge = 1e-6;
            z[c] = keep + nudge;
            derivative(s, z, nudged);
            z[c] = keep;
            for (int r = 0; r < n; ++r) {
                a[r][c] = (r == c) - h * (nudged[r] - k[r]) / nudge;
            }
        }
        for (int r = 0; r < n; ++r) {
            a[r][n] = y[r] + h * k[r] - z[r];
        }
        solve(a, n);
        for (int r = 0; r < n; ++r) {
            z[r] += a[r][n] / a[r][r];
            size = fmax(size, fabs(a[r][n] / a[r][r]));
        }
        if (size < 1e-12) {
            break;
        }
    }
    unpack(s, z);
}

void reference_run(reference_system* s, reference_integrator* integrator, double h, int steps) {
    for (int i = 0; i < steps; ++i) {
        integrator(s, h);
    }
}

double reference_energy(const reference_system* s) {
    double sum = 0;
    for (int i = 0; i < s->count; ++i) {
        for (int n = 0; n < 3; ++n) {
            sum += s->mass[i] * (0.5 * s->v[i][n] * s->v[i][n] - s->gravity[n] * s->x[i][n]);
        }
    }
    for (int i = 0; i < s->spring_count; ++i) {
        const reference_spring* k = &s->springs[i];
        double length = 0;
        for (int n = 0; n < 3; ++n) {
            const double d = s->x[k->a][n] - (k->b < 0 ? k->anchor[n] : s->x[k->b][n]);
            length += d * d;
        }
        length = sqrt(length) - k->rest;
        sum += 0.5 * k->stiffness * length * length;
    }
    return sum;
}
