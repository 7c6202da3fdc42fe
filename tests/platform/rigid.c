// SPDX-License-Identifier: MIT
// Vectors, quaternions and matrices of platform/math.h against matrices in double, built here by Rodrigues' formula
// and multiplied out by the definition.
#include "tests/platform/suites.h"
#include "tests/platform/vec_reference.h"
#include "platform/math.h"

#include <math.h>

#define TURNS 20000

typedef struct mat3 {
    double m[3][3];
} mat3;

static double unit(uint64_t* state) {
    return (double)(int64_t)vec_random(state) * 0x1p-63;
}

static hem_vec3 any_vector(uint64_t* state, double size) {
    return hem_vec3_make((float)(unit(state) * size), (float)(unit(state) * size), (float)(unit(state) * size));
}

// Turn by |v| about v: I + sin a K + (1 - cos a) K K.
static mat3 turn_of(double x, double y, double z) {
    double angle = sqrt(x * x + y * y + z * z);
    double s = angle > 0.0 ? 1.0 / angle : 0.0;
    double k[3][3] = {{0, -z * s, y * s}, {z * s, 0, -x * s}, {-y * s, x * s, 0}};
    mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double kk = k[i][0] * k[0][j] + k[i][1] * k[1][j] + k[i][2] * k[2][j];
            r.m[i][j] = (i == j) + sin(angle) * k[i][j] + (1.0 - cos(angle)) * kk;
        }
    }
    return r;
}

static mat3 product(const mat3* a, const mat3* b) {
    mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return r;
}

static double off_vector(const mat3* a, hem_vec3 v, hem_vec3 got) {
    double x = a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z - got.x;
    double y = a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z - got.y;
    double z = a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z - got.z;
    return sqrt(x * x + y * y + z * z);
}

static double off_matrix(const mat3* a, const hem_mat34* got) {
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            worst = fmax(worst, fabs(a->m[i][j] - (double)got->m[i][j]));
        }
    }
    return worst;
}

static double off_unit(hem_quat q) {
    double d = (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    return fabs(sqrt(d) - 1.0);
}

TEST quaternions_turn_as_matrices_do(void) {
    uint64_t state = 1;
    for (int i = 0; i < TURNS; ++i) {
        hem_vec3 u = any_vector(&state, 3.0), w = any_vector(&state, 3.0), v = any_vector(&state, 1.0);
        mat3 mu = turn_of(u.x, u.y, u.z), mw = turn_of(w.x, w.y, w.z), both = product(&mu, &mw);
        hem_quat qu = hem_quat_from_rotation(u), qw = hem_quat_from_rotation(w), q = hem_quat_mul(qu, qw);
        ASSERT(off_unit(qu) < 3e-7);
        ASSERT(off_vector(&mu, v, hem_quat_rotate(qu, v)) < 2e-6);
        ASSERT(off_vector(&both, v, hem_quat_rotate(q, v)) < 3e-6);
        hem_vec3 there_and_back = hem_quat_rotate_back(qu, hem_quat_rotate(qu, v));
        ASSERT(hem_vec3_length(hem_vec3_sub(there_and_back, v)) < 2e-6f);
        hem_mat34 m = hem_mat34_from_quat(qu, v);
        ASSERT(off_matrix(&mu, &m) < 1e-6);

        // Back to a quaternion, up to its sign, and to a rotation vector with an angle of at most pi.
        hem_quat back = hem_quat_from_mat34(&m);
        ASSERT(fabs(fabs((double)hem_quat_dot(back, qu)) - 1.0) < 1e-6 && off_unit(back) < 3e-7);
        hem_vec3 r = hem_quat_to_rotation(qu);
        mat3 mr = turn_of(r.x, r.y, r.z);
        ASSERT(hem_vec3_length(r) < HEM_PI + 1e-5f && off_matrix(&mr, &m) < 3e-6);
    }
    PASS();
}

// Half turns have w = 0, where a careless conversion from a matrix divides by nothing.
TEST half_turns_survive_the_matrix(void) {
    uint64_t state = 2;
    for (int i = 0; i < TURNS; ++i) {
        hem_vec3 axis = i < 3 ? hem_vec3_make(i == 0, i == 1, i == 2) : hem_vec3_normalise(any_vector(&state, 1.0));
        hem_quat q = hem_quat_from_axis_angle(axis, HEM_PI);
        hem_mat34 m = hem_mat34_from_quat(q, hem_vec3_make(0, 0, 0));
        ASSERT(fabs(fabs((double)hem_quat_dot(hem_quat_from_mat34(&m), q)) - 1.0) < 1e-6);
    }
    PASS();
}

TEST small_turns_lose_only_the_third_order(void) {
    uint64_t state = 3;
    for (int i = 0; i < TURNS; ++i) {
        hem_vec3 v = any_vector(&state, 0.1), x = any_vector(&state, 1.0);
        mat3 m = turn_of(v.x, v.y, v.z);
        double size = (double)hem_vec3_length(v);
        ASSERT(off_vector(&m, x, hem_quat_rotate(hem_quat_from_small_rotation(v), x)) <
               2.0 * size * size * size / 12.0 + 1e-6);
        // Tiny ones must not vanish or blow up.
        hem_vec3 tiny = hem_vec3_scale(v, 1e-18f);
        hem_quat q = hem_quat_from_rotation(tiny);
        ASSERT(q.w == 1.0f && q.x == 0.5f * tiny.x);
    }
    PASS();
}

TEST blends_walk_the_shorter_way(void) {
    uint64_t state = 4;
    for (int i = 0; i < TURNS; ++i) {
        hem_quat a = hem_quat_from_rotation(any_vector(&state, 3.0)),
                 b = hem_quat_from_rotation(any_vector(&state, 3.0));
        float t = (float)(0.5 + 0.5 * unit(&state));
        // The turn from a to b, as a rotation vector, taken t of the way.
        hem_vec3 whole = hem_quat_to_rotation(hem_quat_mul(b, hem_quat_conj(a)));
        if (hem_vec3_length(whole) > 3.1f) {
            continue; // two ways of equal length
        }
        hem_quat want = hem_quat_mul(hem_quat_from_rotation(hem_vec3_scale(whole, t)), a);
        hem_quat got = hem_quat_slerp(a, b, t);
        ASSERT(fabs(fabs((double)hem_quat_dot(want, got)) - 1.0) < 2e-6 && off_unit(got) < 3e-7);
        // nlerp meets it at both ends and in the middle, and is unit everywhere.
        hem_quat half = hem_quat_slerp(a, b, 0.5f);
        ASSERT(fabs(fabs((double)hem_quat_dot(half, hem_quat_nlerp(a, b, 0.5f))) - 1.0) < 1e-6);
        ASSERT(fabs(fabs((double)hem_quat_dot(a, hem_quat_nlerp(a, b, 0.0f))) - 1.0) < 1e-6);
        ASSERT(fabs(fabs((double)hem_quat_dot(b, hem_quat_nlerp(a, b, 1.0f))) - 1.0) < 1e-6);
        ASSERT(off_unit(hem_quat_nlerp(a, b, t)) < 3e-7);
    }
    PASS();
}

TEST between_takes_one_direction_to_the_other(void) {
    uint64_t state = 5;
    for (int i = 0; i < TURNS; ++i) {
        hem_vec3 a = hem_vec3_normalise(any_vector(&state, 1.0)), b = hem_vec3_normalise(any_vector(&state, 1.0));
        if (i % 4 == 0) {
            b = hem_vec3_scale(a, i % 8 == 0 ? -1.0f : 1.0f);
        }
        hem_quat q = hem_quat_between(a, b);
        ASSERT(off_unit(q) < 5e-7);
        ASSERT(hem_vec3_length(hem_vec3_sub(hem_quat_rotate(q, a), b)) < 1e-3f);
        if (hem_vec3_dot(a, b) > -0.9f) {
            ASSERT(hem_vec3_length(hem_vec3_sub(hem_quat_rotate(q, a), b)) < 3e-6f);
        }
    }
    PASS();
}

TEST matrices_compose_and_invert(void) {
    uint64_t state = 6;
    for (int i = 0; i < TURNS; ++i) {
        hem_mat34 a = hem_mat34_from_quat(hem_quat_from_rotation(any_vector(&state, 3.0)), any_vector(&state, 5.0));
        hem_mat34 b = hem_mat34_from_quat(hem_quat_from_rotation(any_vector(&state, 3.0)), any_vector(&state, 5.0));
        hem_vec3 p = any_vector(&state, 2.0);
        hem_mat34 ab = hem_mat34_mul(&a, &b), inverse = hem_mat34_inverse_rigid(&a);
        hem_vec3 in_steps = hem_mat34_point(&a, hem_mat34_point(&b, p));
        ASSERT(hem_vec3_length(hem_vec3_sub(hem_mat34_point(&ab, p), in_steps)) < 1e-5f);
        ASSERT(hem_vec3_length(hem_vec3_sub(hem_mat34_point(&inverse, hem_mat34_point(&a, p)), p)) < 1e-5f);
        // A vector does not feel the translation.
        hem_vec3 moved = hem_vec3_sub(hem_mat34_point(&a, p), hem_mat34_translation(&a));
        ASSERT(hem_vec3_length(hem_vec3_sub(moved, hem_mat34_vector(&a, p))) < 3e-6f);
    }
    hem_mat34 one = hem_mat34_identity();
    hem_vec3 same = hem_mat34_point(&one, hem_vec3_make(1, 2, 3));
    ASSERT(same.x == 1.0f && same.y == 2.0f && same.z == 3.0f);
    PASS();
}

TEST things_without_direction_have_a_fallback(void) {
    hem_vec3 v = hem_vec3_normalise(hem_vec3_make(0, 0, 0));
    ASSERT(v.x == 0.0f && v.y == 0.0f && v.z == 0.0f);
    hem_quat q = hem_quat_normalise(hem_quat_make(0, 0, 0, 0));
    ASSERT(q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f);
    float nan = hem_float_of_bits(0x7fc00000u);
    ASSERT(hem_quat_normalise(hem_quat_make(nan, 0, 0, 1)).w == 1.0f);
    ASSERT(hem_vec3_normalise(hem_vec3_make(1, nan, 0)).x == 0.0f);
    PASS();
}

TEST products_follow_the_definitions(void) {
    hem_vec3 a = hem_vec3_make(1, 2, 3), b = hem_vec3_make(-4, 5, 6), c = hem_vec3_cross(a, b);
    ASSERT(c.x == -3.0f && c.y == -18.0f && c.z == 13.0f && hem_vec3_dot(a, b) == 24.0f);
    hem_quat i = hem_quat_make(1, 0, 0, 0), j = hem_quat_make(0, 1, 0, 0), k = hem_quat_mul(i, j);
    ASSERT(k.z == 1.0f && k.x == 0.0f && k.y == 0.0f && k.w == 0.0f); // Hamilton: i j = k
    hem_vec3 middle = hem_vec3_lerp(a, b, 0.5f);
    ASSERT(middle.x == -1.5f && middle.y == 3.5f && middle.z == 4.5f);
    PASS();
}

SUITE(rigid_suite) {
    RUN_TEST(quaternions_turn_as_matrices_do);
    RUN_TEST(half_turns_survive_the_matrix);
    RUN_TEST(small_turns_lose_only_the_third_order);
    RUN_TEST(blends_walk_the_shorter_way);
    RUN_TEST(between_takes_one_direction_to_the_other);
    RUN_TEST(matrices_compose_and_invert);
    RUN_TEST(things_without_direction_have_a_fallback);
    RUN_TEST(products_follow_the_definitions);
}
