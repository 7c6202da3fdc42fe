// SPDX-License-Identifier: MIT
// Kernels that go row by row, called by themselves on rows made up here and compared with the formula in doubles, lane by
// lane: what a whole step would hide, since constraints that follow mend it.

#include "tests/runtime/suites.h"
#include "runtime/src/kernels/kernels.h"

#include <math.h>
#include <string.h>

static const float STILL[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

// Lane i turned by 0.3 i about z.
static void turned_row(hemi_row4* q) {
    memset(q, 0, sizeof(*q));
    for (int i = 0; i < 8; ++i) {
        q->z[i] = (float)sin(0.15 * i);
        q->w[i] = (float)cos(0.15 * i);
    }
}

static double angle_about_z(const hemi_row4* q, int i) {
    return 2 * atan2((double)q->z[i], (double)q->w[i]);
}

// Spins of 0, 10 .. 70 rad/s about z, damped to nine tenths, for a hundredth of a second; every second lane is held. No
// spin is above 60. A small turn is taken as 2 atan(angle / 2).
TEST spins_turn_free_particles_up_to_a_limit(void) {
    const hemi_kernels* kernels = hemi_kernels_choose(wanted_kernel());
    for (int frame = 0; frame < 2; ++frame) {
        const double turn = frame ? -0.02 : 0; // of the character's frame about z, as free particles see it
        HEM_ALIGN(32) hemi_row4 q, prev;
        HEM_ALIGN(32) hemi_row3 w;
        HEM_ALIGN(32) hem_shape_row shape;
        hemi_part_step part;
        memset(&part, 0, sizeof(part));
        memset(&shape, 0, sizeof(shape));
        memset(&w, 0, sizeof(w));
        memcpy(part.frame.m, STILL, sizeof(STILL));
        if (frame) {
            part.frame.m[0] = part.frame.m[5] = (float)cos(turn);
            part.frame.m[4] = (float)sin(turn);
            part.frame.m[1] = -part.frame.m[4];
        }
        part.keep_angular = 0.9f;
        turned_row(&q);
        for (int i = 0; i < 8; ++i) {
            w.z[i] = 10.0f * (float)i;
            shape.inverse_mass[i] = i % 2 ? 3.0f : 0.0f;
        }
        kernels->predict_rotation(&q, &w, &prev, &shape, NULL, 1, &part, 0.01f);
        for (int i = 0; i < 8; ++i) {
            const double before = 0.3 * i + turn, spin = fmin(10.0 * i * 0.9, 60.0);
            ASSERT_IN_RANGE(before, angle_about_z(&prev, i), 2e-6);
            ASSERT_IN_RANGE(before + (i % 2 ? 2 * atan(0.005 * spin) : 0), angle_about_z(&q, i), 2e-6);
            ASSERT_IN_RANGE(0.0, (double)(fabsf(q.x[i]) + fabsf(q.y[i])), 1e-6);
        }
    }
    PASS();
}

// Turns of -0.4 .. 0.3 rad within a hundredth of a second, the quaternion with either sign: 2 sin(a / 2) / h.
TEST a_turn_has_the_spin_of_the_shorter_way(void) {
    const hemi_kernels* kernels = hemi_kernels_choose(wanted_kernel());
    HEM_ALIGN(32) hemi_row4 q, prev;
    HEM_ALIGN(32) hemi_row3 w;
    memset(&q, 0, sizeof(q));
    memset(&prev, 0, sizeof(prev));
    for (int i = 0; i < 8; ++i) {
        const double a = 0.1 * (i - 4), sign = i % 3 ? 1 : -1;
        prev.w[i] = 1;
        q.y[i] = (float)(sign * sin(a / 2));
        q.w[i] = (float)(sign * cos(a / 2));
    }
    kernels->angular_velocities(&q, &prev, &w, 1, 100.0f);
    for (int i = 0; i < 8; ++i) {
        ASSERT_IN_RANGE(200 * sin(0.05 * (i - 4)), (double)w.y[i], 1e-4);
        ASSERT_EQ(0.0f, w.x[i]);
    }
    PASS();
}

// Two bones, 170 degrees about y one way and the other: half of each is half a turn, not none. Positions are blended
// linearly.
TEST rotations_blend_along_the_shorter_way(void) {
    const hemi_kernels* kernels = hemi_kernels_choose(wanted_kernel());
    HEM_ALIGN(64) hem_bind_row bind;
    HEM_ALIGN(64) hem_rest_row rest;
    HEM_ALIGN(64) hemi_bone_pose bones[2];
    HEM_ALIGN(64) hemi_target_row out;
    const hem_anim_row anim = {0, 0xff, 0xff, 0};
    hem_info info;
    hem_view view;
    memset(&info, 0, sizeof(info));
    memset(&view, 0, sizeof(view));
    memset(&bind, 0, sizeof(bind));
    memset(&rest, 0, sizeof(rest));
    memset(bones, 0, sizeof(bones));
    info.row_count = 1;
    view.info = &info;
    view.anim_rows = &anim;
    view.anim_row_count = 1;
    view.bind_rows = &bind;
    view.rest_rows = &rest;
    for (int b = 0; b < 2; ++b) {
        const double a = (b ? -170 : 170) * 3.14159265358979323846 / 180;
        const float m[12] = {(float)cos(a),  0, (float)sin(a), 0, 0, 1, 0, (float)b,
                             -(float)sin(a), 0, (float)cos(a), 0};
        memcpy(bones[b].m, m, sizeof(m));
        bones[b].q[1] = (float)sin(a / 2);
        bones[b].q[3] = (float)cos(a / 2);
    }
    for (int i = 0; i < 8; ++i) {
        rest.x[i] = (float)i;
        bind.bone[1][i] = 1;
        bind.weight[0][i] = bind.weight[1][i] = 0.5f;
    }
    kernels->targets(&view, bones, &out);
    for (int i = 0; i < 8; ++i) {
        ASSERT_IN_RANGE(1.0, fabs((double)out.q.y[i]), 1e-6);
        ASSERT_IN_RANGE(0.0, (double)out.q.w[i], 1e-6);
        ASSERT_IN_RANGE(i * cos(170 * 3.14159265358979323846 / 180), (double)out.x.x[i], 1e-5);
        ASSERT_IN_RANGE(0.5, (double)out.x.y[i], 1e-6);
    }
    PASS();
}

SUITE(rows_suite) {
    RUN_TEST(spins_turn_free_particles_up_to_a_limit);
    RUN_TEST(a_turn_has_the_spin_of_the_shorter_way);
    RUN_TEST(rotations_blend_along_the_shorter_way);
}
