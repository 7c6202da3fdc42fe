// SPDX-License-Identifier: MIT
// The drive against the closed form of the damped oscillator. The pose jumps within one frame and stands still; seen from the
// target, which goes at a constant speed meanwhile, each particle obeys d'' + 2 z w d' + w^2 d = 0 whatever its mass.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define COUNT 12
#define GRAVITY 9.81

typedef struct moving {
    double d, u;
} moving;

// The exact solution after t.
static moving after(moving at, double w, double z, double t) {
    const double y = z * w, v2 = w * w * (1 - z * z), e = exp(-y * t);
    double c, s; // cos, sin / v
    if (fabs(v2) < 1e-12 * w * w) {
        c = 1, s = t;
    } else if (v2 > 0) {
        c = cos(sqrt(v2) * t), s = sin(sqrt(v2) * t) / sqrt(v2);
    } else {
        c = cosh(sqrt(-v2) * t), s = sinh(sqrt(-v2) * t) / sqrt(-v2);
    }
    const double d = e * (at.d * (c + y * s) + at.u * s);
    return (moving){d, e * (at.u * (c - y * s) - at.d * w * w * s)};
}

static void set_drive(world* w, float hz, float ratio, float gravity) {
    hem_tuning t = world_tuning(w);
    t.drive = hz;
    t.drive_damping = ratio;
    t.gravity_scale = gravity;
    world_tune(w, &t);
    hem_instance_set_features(w->scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
}

static void set_pose_at(world* w, float x, float y) {
    const float pose[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, 0};
    hem_instance_set_pose(w->scene, w->id, pose, 1, 0);
}

// Its number in the asset.
static int which_of(const hem_particle* p, double moved) {
    return (int)lround(((double)p->position[0] - moved) / 0.5);
}

// The velocity with which the oscillator goes from one place to the other in t.
static double speed_between(double from, double to, double w, double z, double t) {
    const double still = after((moving){from, 0}, w, z, t).d, unit = after((moving){0, 1}, w, z, t).d;
    return (to - still) / unit;
}

typedef struct path_of {
    moving exact;       // from the jump of the pose on
    moving seen;        // through the second and third place seen
    double first;       // the second place
    double off, beside; // worst distance from either, as shares of the jump
} path_of;

static enum greatest_test_res run(float rate, double hertz, double ratio, path_of path[3]) {
    static const double shares[] = {1, 0.5, 0.25};
    const double dt = 1 / (double)rate, jump = 0.1;
    world w;
    OPEN(w, "driven");
    set_drive(&w, (float)hertz, (float)ratio, 0);
    set_pose_at(&w, 0, (float)jump);
    for (int f = 1; f <= (int)(2 * rate); ++f) {
        world_step(&w, (float)dt, 0, 1);
        for (int k = 0; k < 3; ++k) {
            const double omega = 2 * PI * hertz * shares[k];
            path[k].exact =
                f == 1 ? after((moving){0, -jump / dt}, omega, ratio, dt) : after(path[k].exact, omega, ratio, dt);
            path[k].exact.u += f == 1 ? jump / dt : 0;
            path[k].seen = f > 3 ? after(path[k].seen, omega, ratio, dt) : path[k].seen;
        }
        for (uint32_t n = 0; n < COUNT; ++n) {
            const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
            const int k = which_of(&p, 0) % 3;
            const double d = (double)p.position[1] - jump, omega = 2 * PI * hertz * shares[k];
            path[k].first = f == 2 ? d : path[k].first;
            if (f == 3) {
                path[k].seen = (moving){path[k].first, speed_between(path[k].first, d, omega, ratio, dt)};
                path[k].seen = after(path[k].seen, omega, ratio, dt);
            }
            path[k].off = fmax(path[k].off, fabs(d - path[k].exact.d) / jump);
            path[k].beside = fmax(path[k].beside, f > 3 ? fabs(d - path[k].seen.d) / jump : 0);
        }
    }
    world_close(&w);
    PASS();
}

// From the third place on the path is exact, to rounding, but for painted shares, whose decay is right to second order. Against the
// pose's jump itself, places lie half a substep beside their velocities: omega h / 2 of the amplitude.
TEST a_driven_particle_swings_as_the_closed_form_says(void) {
    static const float rates[] = {30, 60, 240, 144};
    static const double hertz[] = {1, 2, 4}, ratios[] = {0.1, 0.5, 1, 2};
    for (size_t r = 0; r < 4; ++r) {
        for (int h = 0; h < 3; ++h) {
            for (int z = 0; z < 4; ++z) {
                path_of path[3] = {{{0, 0}, {0, 0}, 0, 0, 0}};
                CHECK_CALL(run(rates[r], hertz[h], ratios[z], path));
                if (getenv("HEM_DRIVE")) {
                    printf("%3.0f Hz: drive %.0f Hz, damping %.1f: off %.4f, beside %.5f, painted %.4f %.4f\n",
                           (double)rates[r], hertz[h], ratios[z], path[0].off, path[0].beside, path[1].beside,
                           path[2].beside);
                }
                ASSERT_IN_RANGE(0, path[0].off, 1.6 * PI * hertz[h] * (0.5 + ratios[z]) / 240);
                ASSERT_IN_RANGE(0, path[0].beside, 0.002);
                ASSERT_IN_RANGE(0, fmax(path[1].beside, path[2].beside), 0.02 * hertz[h] * (0.5 + ratios[z]));
            }
        }
    }
    PASS();
}

// g / omega^2, whatever the mass, the rate and the damping.
TEST a_driven_particle_sags_by_gravity_over_stiffness(void) {
    static const double shares[] = {1, 0.5, 0.25};
    for (int row = 0; row < 6; ++row) {
        world w;
        OPEN(w, "driven");
        set_drive(&w, 4, row % 3 == 2 ? 0.3f : 1, 1);
        world_step(&w, row % 3 == 0 ? 1.0f / 30.0f : 1.0f / 60.0f, row < 3 ? 0 : 1, 600);
        for (uint32_t n = 0; n < COUNT; ++n) {
            const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
            const double omega = 2 * PI * 4 * shares[which_of(&p, 0) % 3], sag = GRAVITY / (omega * omega);
            ASSERT_IN_RANGE(-sag, (double)p.position[1], 1e-3 * sag);
        }
        world_close(&w);
    }
    PASS();
}

// Who stands where the pose has it stays, wherever the pose goes, when the pose goes steadily and long enough.
TEST a_steady_pose_is_followed_without_lag(void) {
    world w;
    OPEN(w, "driven");
    set_drive(&w, 4, 1, 0);
    double at = 0;
    for (int f = 0; f < 300; ++f) {
        at += 0.01;
        set_pose_at(&w, (float)at, 0);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    for (uint32_t n = 0; n < COUNT; ++n) {
        const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
        const double off = (double)p.position[0] - at - 0.5 * which_of(&p, at);
        ASSERT_IN_RANGE(0.0, off, 1e-3);
    }
    world_close(&w);
    PASS();
}

// Any drive and any frame: finite, and where the pose has it in the end.
TEST a_stiff_drive_is_stable(void) {
    static const float hertz[] = {10, 60, 1000}, ratios[] = {0.05f, 1, 50};
    for (int h = 0; h < 3; ++h) {
        for (int z = 0; z < 3; ++z) {
            world w;
            OPEN(w, "driven");
            set_drive(&w, hertz[h], ratios[z], 0);
            set_pose_at(&w, 0, 0.3f);
            world_step(&w, 1.0f / 15.0f, 1, 150);
            world_step(&w, 1.0f / 60.0f, 0, 6000 / (h + 1));
            for (uint32_t n = 0; n < COUNT; ++n) {
                const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
                ASSERT_IN_RANGE(0.3, (double)p.position[1], 0.01);
            }
            world_close(&w);
        }
    }
    PASS();
}

// Without a drive, a pose that bends a bar does nothing to its free end, but with tracking the rest shape bends.
static double bend_of(const world* w) {
    double low = 1e9, high = -1e9;
    for (uint32_t n = 0; n < w->view.info->simulated_count; ++n) {
        const hem_particle p = particle_at(w, nth_particle(w, false, n));
        low = fmin(low, (double)p.position[0]);
        high = fmax(high, (double)p.position[0]);
    }
    return high - low;
}

// The asset has one bone, so the pose can only scale the bar: to 1.5 times its length. Groups follow only when they track.
TEST tracking_makes_the_pose_the_rest_shape(void) {
    for (int tracking = 0; tracking < 2; ++tracking) {
        world w;
        OPEN(w, "tracked");
        hem_tuning t = world_tuning(&w);
        t.tracking = (uint32_t)tracking;
        t.gravity_scale = 0;
        t.damping = 2;
        world_tune(&w, &t);
        const double before = bend_of(&w);
        for (int f = 1; f <= 240; ++f) {
            const float s = 1.0f + 0.5f * fminf((float)f / 60.0f, 1.0f);
            const float pose[12] = {s, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
            hem_instance_set_pose(w.scene, w.id, pose, 1, 0);
            world_step(&w, 1.0f / 60.0f, 0, 1);
        }
        ASSERT_IN_RANGE(tracking ? 1.5 : 1.0, bend_of(&w) / before, 0.01);
        world_close(&w);
    }
    PASS();
}

// A rigid turn of the pose is a turn of the rest shape: nothing but the held end must tell a tracked bar from another.
TEST tracking_a_rigid_turn_changes_nothing(void) {
    double place[2][64][3] = {{{0}}};
    uint32_t count = 0;
    for (int tracking = 0; tracking < 2; ++tracking) {
        world w;
        OPEN(w, "tracked");
        hem_tuning t = world_tuning(&w);
        t.tracking = (uint32_t)tracking;
        world_tune(&w, &t);
        for (int f = 1; f <= 120; ++f) {
            const float a = 0.8f * fminf((float)f / 60.0f, 1.0f), c = cosf(a), s = sinf(a);
            const float pose[12] = {c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0};
            hem_instance_set_pose(w.scene, w.id, pose, 1, 0);
            world_step(&w, 1.0f / 60.0f, 0, 1);
        }
        count = w.view.info->simulated_count;
        ASSERT(count <= 64);
        for (uint32_t n = 0; n < count; ++n) {
            const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
            for (int k = 0; k < 3; ++k) {
                place[tracking][n][k] = (double)p.position[k];
            }
        }
        world_close(&w);
    }
    for (uint32_t n = 0; n < count; ++n) {
        for (int k = 0; k < 3; ++k) {
            ASSERT_IN_RANGE(place[0][n][k], place[1][n][k], 2e-4);
        }
    }
    PASS();
}

// What is refused, one spoiled field a row.
TEST spoiled_drive_rows_are_refused(void) {
    static const struct {
        size_t row, offset;
        uint32_t value;
        hem_format_result result;
        const char* field;
    } rows[] = {
        {0, offsetof(hem_drive_row, row), 1, HEM_FORMAT_BAD_INDEX, "row"},
        {1, offsetof(hem_drive_row, anim_row), 0, HEM_FORMAT_BAD_INDEX, "anim_row"},
        {1, offsetof(hem_drive_row, anim_row), 99, HEM_FORMAT_BAD_INDEX, "anim_row"},
        {0, offsetof(hem_drive_row, reserved), 1, HEM_FORMAT_BAD_VALUE, "reserved"},
        {0, offsetof(hem_drive_row, share), 0x40000000u, HEM_FORMAT_BAD_VALUE, "share"},      // 2
        {0, offsetof(hem_drive_row, share), 0x7fc00000u, HEM_FORMAT_BAD_VALUE, "share"},      // NaN
        {1, offsetof(hem_drive_row, share) + 28, 0x3f800000u, HEM_FORMAT_BAD_VALUE, "share"}, // of a pad
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        size_t size = 0;
        hem_view view;
        hem_format_fault fault;
        uint8_t* bytes = read_asset("driven", &size);
        ASSERT(bytes != NULL && hem_validate(bytes, size, &view, &fault) == HEM_FORMAT_OK);
        ASSERT_EQ(2u, view.drive_row_count);
        uint8_t* at = bytes + ((const uint8_t*)&view.drive_rows[rows[i].row] - bytes) + rows[i].offset;
        memcpy(at, &rows[i].value, sizeof rows[i].value);
        ASSERT_EQ(rows[i].result, hem_validate(bytes, size, &view, &fault));
        ASSERT_STR_EQ(rows[i].field, fault.field);
        ASSERT(fault.section == HEM_SECTION_DRIVE_ROWS || fault.section == HEM_SECTION_ANIM_ROWS);
        free(bytes);
    }
    PASS();
}

SUITE(drive_suite) {
    RUN_TEST(a_driven_particle_swings_as_the_closed_form_says);
    RUN_TEST(a_driven_particle_sags_by_gravity_over_stiffness);
    RUN_TEST(a_steady_pose_is_followed_without_lag);
    RUN_TEST(a_stiff_drive_is_stable);
    RUN_TEST(tracking_makes_the_pose_the_rest_shape);
    RUN_TEST(tracking_a_rigid_turn_changes_nothing);
    RUN_TEST(spoiled_drive_rows_are_refused);
}
