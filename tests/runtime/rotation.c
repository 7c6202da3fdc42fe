// SPDX-License-Identifier: MIT
// The rotation of shape matching against a double-precision polar decomposition, and on moments that have none; the least
// overlap of two ellipsoids against a search in doubles.
// Both are static functions of kernels; this file compiles their sources once more, on the scalar backend (the
// determinism suite shows that the others give the same bits).

#define HEM_INLINE static inline // see kernels/scalar/backend.h
#define HEM_VEC_SCALAR 1
#define HEMI_NAME(name) hemi_##name##_tested
#include "runtime/src/kernels/chapter_shapes.inl"
#include "runtime/src/kernels/push.inl"
#include "runtime/src/kernels/contacts.inl"

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t seed = 88172645463325252ull;

static double uniform(void) { // -1 .. 1
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

static void random_rotation(double r[3][3]) {
    double q[4], n;
    do {
        n = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = uniform();
            n += q[i] * q[i];
        }
    } while (n > 1 || n < 0.01);
    n = 1 / sqrt(n);
    double x = q[0] * n, y = q[1] * n, z = q[2] * n, w = q[3] * n;
    double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 9; ++i) {
        r[i / 3][i % 3] = m[i / 3][i % 3];
    }
}

// Higham's Newton iteration X <- (X + X^-T) / 2, in double.
static void polar(double a[3][3], double r[3][3]) {
    for (int i = 0; i < 9; ++i) {
        r[i / 3][i % 3] = a[i / 3][i % 3];
    }
    for (int n = 0; n < 60; ++n) {
        double c[3][3];
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
                c[i][j] = r[i1][j1] * r[i2][j2] - r[i1][j2] * r[i2][j1];
            }
        }
        double det = r[0][0] * c[0][0] + r[0][1] * c[0][1] + r[0][2] * c[0][2];
        for (int i = 0; i < 9; ++i) {
            r[i / 3][i % 3] = 0.5 * (r[i / 3][i % 3] + c[i / 3][i % 3] / det);
        }
    }
}

static void set_lane(v8_mat3* m, int lane, double a[3][3]) {
    v8x3* rows[3] = {&m->row0, &m->row1, &m->row2};
    for (int i = 0; i < 3; ++i) {
        v8* cols[3] = {&rows[i]->x, &rows[i]->y, &rows[i]->z};
        for (int j = 0; j < 3; ++j) {
            HEM_ALIGN(32) float f[8];
            v8_store(f, *cols[j]);
            f[lane] = (float)a[i][j];
            *cols[j] = v8_load(f);
        }
    }
}

static double angle_between(double r[3][3], v8x4 q, int lane) {
    double x = (double)v8_lane(q.x, lane), y = (double)v8_lane(q.y, lane), z = (double)v8_lane(q.z, lane);
    double w = (double)v8_lane(q.w, lane);
    double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    double d = 0; // |M - R|_F = 2 sqrt(2) sin(angle / 2)
    for (int i = 0; i < 9; ++i) {
        double e = m[i / 3][i % 3] - r[i / 3][i % 3];
        d += e * e;
    }
    d = sqrt(d) / (2 * sqrt(2.0));
    return 2 * asin(d > 1 ? 1 : d);
}

// Four sweeps from thirty degrees off; the solver itself makes two per substep, from a start that is much nearer.
// A million moments, fewer where every instruction is emulated.
#if defined(__aarch64__) || defined(__wasm__)
enum { SWEEPS = 4, BATCHES = 10000 };
#else
enum { SWEEPS = 4, BATCHES = 125000 };
#endif

TEST from_thirty_degrees_off_it_finds_the_polar_rotation(void) {
    const int batches = as_long_as(BATCHES, BATCHES / 20);
    double worst = 0;
    for (int n = 0; n < batches; ++n) {
        v8_mat3 moment = {
            {v8_zero(), v8_zero(), v8_zero()}, {v8_zero(), v8_zero(), v8_zero()}, {v8_zero(), v8_zero(), v8_zero()}};
        HEM_ALIGN(32) float qs[4][8];
        double truth[8][3][3];
        for (int lane = 0; lane < 8; ++lane) {
            // A = R U diag(s) U^T with singular values within a factor of ten.
            double r[3][3], u[3][3], a[3][3] = {{0}}, s[3];
            random_rotation(r);
            random_rotation(u);
            for (int i = 0; i < 3; ++i) {
                s[i] = 0.1 + 0.45 * (uniform() + 1);
            }
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    for (int k = 0; k < 3; ++k) {
                        double ru = r[i][0] * u[0][k] + r[i][1] * u[1][k] + r[i][2] * u[2][k];
                        a[i][j] += ru * s[k] * u[j][k];
                    }
                }
            }
            polar(a, truth[lane]);
            set_lane(&moment, lane, a);
            // Start: the truth turned by thirty degrees about some axis, as a quaternion.
            hem_mat34 m = {{{0}}};
            for (int i = 0; i < 9; ++i) {
                m.m[i / 3][i % 3] = (float)truth[lane][i / 3][i % 3];
            }
            hem_vec3 axis = hem_vec3_normalise(hem_vec3_make((float)uniform(), (float)uniform(), (float)uniform() + 2));
            hem_quat q = hem_quat_mul(hem_quat_from_mat34(&m), hem_quat_from_axis_angle(axis, 0.5235988f));
            qs[0][lane] = q.x;
            qs[1][lane] = q.y;
            qs[2][lane] = q.z;
            qs[3][lane] = q.w;
        }
        v8x4 q = v8x4_make(v8_load(qs[0]), v8_load(qs[1]), v8_load(qs[2]), v8_load(qs[3]));
        for (int i = 0; i < SWEEPS; ++i) {
            q = rotation_sweep(&moment, q);
        }
        for (int lane = 0; lane < 8; ++lane) {
            double e = angle_between(truth[lane], q, lane);
            worst = e > worst ? e : worst;
        }
    }
    printf("worst angle after %d sweeps over %d moments: %.2g rad\n", SWEEPS, batches * 8, worst);
    ASSERT(worst < 1e-4);
    PASS();
}

TEST moments_without_a_rotation_leave_a_unit_quaternion_and_a_bounded_step(void) {
    for (int n = 0; n < 20000; ++n) {
        v8_mat3 moment = {
            {v8_zero(), v8_zero(), v8_zero()}, {v8_zero(), v8_zero(), v8_zero()}, {v8_zero(), v8_zero(), v8_zero()}};
        for (int lane = 0; lane < 8; ++lane) {
            double r[3][3], u[3][3], a[3][3] = {{0}};
            double kinds[8][3] = {{0, 0, 0},    {1, 0, 0},     {1, 1, 0},          {-1, 1, 1},
                                  {-1, -1, -1}, {1e-20, 0, 0}, {1e15, 1e15, 1e15}, {1, 1e-7, -1e-7}};
            random_rotation(r);
            random_rotation(u);
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    for (int k = 0; k < 3; ++k) {
                        double ru = r[i][0] * u[0][k] + r[i][1] * u[1][k] + r[i][2] * u[2][k];
                        a[i][j] += ru * kinds[lane][k] * u[j][k];
                    }
                }
            }
            set_lane(&moment, lane, a);
        }
        v8x4 q = v8x4_identity();
        for (int i = 0; i < 5; ++i) {
            v8x4 before = q;
            q = rotation_sweep(&moment, q);
            for (int lane = 0; lane < 8; ++lane) {
                float x = v8_lane(q.x, lane), y = v8_lane(q.y, lane), z = v8_lane(q.z, lane), w = v8_lane(q.w, lane);
                ASSERT_IN_RANGE(1.0f, x * x + y * y + z * z + w * w, 1e-5f);
                // Less than half a turn: the quaternions never reach orthogonality.
                float dot = x * v8_lane(before.x, lane) + y * v8_lane(before.y, lane) + z * v8_lane(before.z, lane) +
                            w * v8_lane(before.w, lane);
                ASSERT(dot > 1e-3f);
            }
        }
    }
    PASS();
}

// -- Ellipsoids

typedef struct ellipsoid {
    double q[4], radii[3], s[3][3]; // S = R diag(r^2) R^T
} ellipsoid;

static ellipsoid random_ellipsoid(void) {
    ellipsoid e;
    double n;
    do {
        n = 0;
        for (int i = 0; i < 4; ++i) {
            e.q[i] = uniform();
            n += e.q[i] * e.q[i];
        }
    } while (n > 1 || n < 0.01);
    for (int i = 0; i < 4; ++i) {
        e.q[i] /= sqrt(n);
    }
    double size = 0.02 + 0.01 * uniform();
    for (int i = 0; i < 3; ++i) {
        e.radii[i] = size * (1.5 + 0.5 * uniform()); // aspect at most two
    }
    double x = e.q[0], y = e.q[1], z = e.q[2], w = e.q[3];
    double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 9; ++i) {
        e.s[i / 3][i % 3] = 0;
        for (int k = 0; k < 3; ++k) {
            e.s[i / 3][i % 3] += r[i / 3][k] * e.radii[k] * e.radii[k] * r[i % 3][k];
        }
    }
    return e;
}

static double support(const ellipsoid* e, const double n[3]) {
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
        sum += n[i / 3] * e->s[i / 3][i % 3] * n[i % 3];
    }
    return sqrt(sum);
}

static double overlap(const ellipsoid* a, const ellipsoid* b, const double d[3], const double n[3]) {
    return support(a, n) + support(b, n) - (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]);
}

// Least overlap over all directions: a spiral of points on the sphere, then smaller and smaller rings around the best.
static double least_overlap(const ellipsoid* a, const ellipsoid* b, const double d[3]) {
    double best = 1e9, at[3] = {1, 0, 0};
    for (int i = 0; i < 1000; ++i) {
        double z = 1 - (2 * i + 1) / 1000.0, r = sqrt(1 - z * z), t = i * 2.399963229728653;
        double n[3] = {r * cos(t), r * sin(t), z}, f = overlap(a, b, d, n);
        if (f < best) {
            best = f;
            memcpy(at, n, sizeof(n));
        }
    }
    for (double size = 0.1; size > 1e-5;) {
        bool better = false;
        for (int axis = 0; axis < 6; ++axis) {
            double n[3] = {at[0], at[1], at[2]};
            n[axis % 3] += axis < 3 ? size : -size;
            double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            for (int i = 0; i < 3; ++i) {
                n[i] /= length;
            }
            double f = overlap(a, b, d, n);
            if (f < best) {
                best = f;
                memcpy(at, n, sizeof(n));
                better = true;
            }
        }
        size = better ? size : size / 2;
    }
    return best;
}

TEST ellipsoids_find_the_direction_of_least_overlap(void) {
    enum { ROUNDS = 500 };
    double sum = 0, worst = 0, plain_sum = 0, negative = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        HEM_ALIGN(32) float q[2][4][8], radii[2][3][8], ds[3][8];
        ellipsoid e[2][8];
        double d[8][3];
        for (int lane = 0; lane < 8; ++lane) {
            for (int k = 0; k < 2; ++k) {
                e[k][lane] = random_ellipsoid();
                for (int i = 0; i < 4; ++i) {
                    q[k][i][lane] = (float)e[k][lane].q[i];
                }
                for (int i = 0; i < 3; ++i) {
                    radii[k][i][lane] = (float)e[k][lane].radii[i];
                }
            }
            // As deep as contacts are: between touching and a third of the way in.
            double n[3], length;
            do {
                for (int i = 0; i < 3; ++i) {
                    n[i] = uniform();
                }
                length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            } while (length > 1 || length < 0.1);
            for (int i = 0; i < 3; ++i) {
                n[i] /= length;
            }
            double apart = (support(&e[0][lane], n) + support(&e[1][lane], n)) * (0.825 + 0.175 * uniform());
            for (int i = 0; i < 3; ++i) {
                d[lane][i] = n[i] * apart;
                ds[i][lane] = (float)d[lane][i];
            }
        }
        support8 s[2];
        for (int k = 0; k < 2; ++k) {
            v8x4 turn = v8x4_make(v8_load(q[k][0]), v8_load(q[k][1]), v8_load(q[k][2]), v8_load(q[k][3]));
            s[k] = support_make(turn, v8_load(radii[k][0]), v8_load(radii[k][1]), v8_load(radii[k][2]));
        }
        v8x3 dv = v8x3_make(v8_load(ds[0]), v8_load(ds[1]), v8_load(ds[2]));
        v8x3 n = v8x3_normalise(dv), start = n;
        v8 total = ellipsoid_direction(dv, &s[0], &s[1], &n);
        v8 depth = v8_sub(total, v8x3_dot(dv, n));
        for (int lane = 0; lane < 8; ++lane) {
            double exact = least_overlap(&e[0][lane], &e[1][lane], d[lane]);
            double mean = 0;
            for (int i = 0; i < 3; ++i) {
                mean += (e[0][lane].radii[i] + e[1][lane].radii[i]) / 6;
            }
            double error = ((double)v8_lane(depth, lane) - exact) / mean;
            double first[3] = {(double)v8_lane(start.x, lane), (double)v8_lane(start.y, lane),
                               (double)v8_lane(start.z, lane)};
            plain_sum += (overlap(&e[0][lane], &e[1][lane], d[lane], first) - exact) / mean;
            negative = error < negative ? error : negative;
            sum += fabs(error);
            worst = error > worst ? error : worst;
        }
    }
    double mean = sum / (ROUNDS * 8), plain = plain_sum / (ROUNDS * 8);
    printf("overlap of ellipsoids: mean error %.4f, worst %.3f of the mean radius (line of centers alone: %.4f)\n",
           mean, worst, plain);
    ASSERT(negative > -1e-4); // nothing is less than the least
    ASSERT(mean < 0.005);
    ASSERT(worst < 0.1);
    ASSERT(mean < 0.25 * plain);
    PASS();
}

SUITE(rotation_suite) {
    RUN_TEST(from_thirty_degrees_off_it_finds_the_polar_rotation);
    RUN_TEST(moments_without_a_rotation_leave_a_unit_quaternion_and_a_bounded_step);
    RUN_TEST(ellipsoids_find_the_direction_of_least_overlap);
}
