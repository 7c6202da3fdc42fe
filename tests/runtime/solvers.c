// SPDX-License-Identifier: MIT
// What each solver makes of a load, in closed form, at several numbers of iterations; and damping by its own law, alike
// at every frame rate.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdio.h>

#define G 9.81
#define H (1.0 / 240.0)
#define MASS 0.1 // of the bob

static const float NO_SLEEP = 0;

// How much longer than a metre the string of a bob is once it hangs still.
static double stretch_of(const char* asset, uint32_t solver, uint32_t iterations, float stiffness, float compliance) {
    world w;
    if (!world_open(&w, asset, NULL, NULL, 1)) {
        return -1;
    }
    hem_tuning t = world_tuning(&w);
    t.damping = 4.0f;
    t.sleep_speed = NO_SLEEP;
    t.solver = solver;
    t.iterations = iterations;
    for (int k = 0; k < 8; ++k) {
        t.compliance[k] = compliance;
        t.stiffness[k] = stiffness;
    }
    world_tune(&w, &t);
    world_step(&w, 1.0f / 60.0f, 4, 600);
    const double y = (double)particle_at(&w, nth_particle(&w, false, 0)).position[1];
    world_close(&w);
    return -1.0 - y;
}

// What falls within a substep, damped like all motion.
static double fall_of_a_substep(void) {
    return G * H * H * exp(-4.0 * H);
}

static const uint32_t ITERATIONS[] = {1, 4, 16};

TEST xpbd_stretches_by_load_times_compliance_at_any_number_of_iterations(void) {
    for (int i = 0; i < 3; ++i) {
        const double one = stretch_of("pendulum", HEM_SOLVER_XPBD, ITERATIONS[i], 1, 0.02f);
        ASSERT_IN_RANGE(0.02 * MASS * G * exp(-4.0 * H), one, 0.01 * one);
        const double two = stretch_of("two_strings", HEM_SOLVER_XPBD, ITERATIONS[i], 1, 0.02f);
        ASSERT_IN_RANGE(0.5 * one, two, 0.03 * one);
    }
    PASS();
}

// Each iteration leaves 1 - k of what is too long, so in balance e = (e + fall) (1 - k)^n. Two strings one after the other
// leave (1 - k)^2; averaged they leave 1 - k like one.
TEST pbd_and_jacobi_leave_the_share_of_their_stiffness(void) {
    static const struct {
        const char* asset;
        uint32_t solver;
        int strings;
    } cases[] = {{"pendulum", HEM_SOLVER_PBD, 1},
                 {"two_strings", HEM_SOLVER_PBD, 2},
                 {"pendulum", HEM_SOLVER_JACOBI, 1},
                 {"two_strings", HEM_SOLVER_JACOBI, 1}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c) {
        for (int i = 0; i < 3; ++i) {
            const double stiffness = ITERATIONS[i] == 16 ? 0.05 : 0.2;
            const double left = pow(1 - stiffness, (double)ITERATIONS[i] * cases[c].strings);
            const double expected = fall_of_a_substep() * left / (1 - left);
            const double found = stretch_of(cases[c].asset, cases[c].solver, ITERATIONS[i], (float)stiffness, 0);
            ASSERT_IN_RANGE(expected, found, 0.02 * expected + 2e-6);
        }
    }
    PASS();
}

// Two parts that ask for four passes and for one, either of them first: each gets its own.
TEST each_part_has_its_own_number_of_passes(void) {
    for (int first = 0; first < 2; ++first) {
        world w;
        ASSERT(world_open(&w, "two_pendulums", NULL, NULL, 1));
        ASSERT_EQ(2u, w.view.info->part_count);
        hem_tuning t[2];
        for (int p = 0; p < 2; ++p) {
            t[p] = world_tuning(&w);
            t[p].damping = 4.0f;
            t[p].sleep_speed = NO_SLEEP;
            t[p].solver = HEM_SOLVER_PBD;
            t[p].iterations = p == first ? 4 : 1;
            for (int k = 0; k < 8; ++k) {
                t[p].stiffness[k] = 0.2f;
            }
        }
        ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, t, 2));
        world_step(&w, 1.0f / 60.0f, 4, 600);
        for (uint32_t p = 0; p < 2; ++p) {
            const uint32_t bob = nth_particle(&w, false, p);
            const uint32_t part = w.view.particle_flags[bob] >> HEM_PARTICLE_PART_SHIFT;
            const double left = pow(0.8, (double)t[part].iterations);
            const double expected = fall_of_a_substep() * left / (1 - left);
            ASSERT_IN_RANGE(expected, -1.0 - (double)particle_at(&w, bob).position[1], 0.02 * expected + 2e-6);
        }
        world_close(&w);
    }
    PASS();
}

TEST stiffness_is_nothing_to_xpbd_and_compliance_nothing_to_pbd(void) {
    ASSERT_IN_RANGE(stretch_of("pendulum", HEM_SOLVER_XPBD, 4, 1, 0.02f),
                    stretch_of("pendulum", HEM_SOLVER_XPBD, 4, 0.1f, 0.02f), 1e-7);
    ASSERT_IN_RANGE(stretch_of("pendulum", HEM_SOLVER_PBD, 4, 0.2f, 0),
                    stretch_of("pendulum", HEM_SOLVER_PBD, 4, 0.2f, 0.02f), 1e-7);
    PASS();
}

// -- Damping

// Of a bob that swings up and down on a soft string: the energy of its swing, as a length squared.
static double swing_after(float hz, float damping, double seconds) {
    world w;
    if (!world_open(&w, "pendulum", NULL, NULL, 1)) {
        return -1;
    }
    hem_tuning t = world_tuning(&w);
    t.damping = 0;
    t.sleep_speed = NO_SLEEP;
    const double compliance = 0.2; // 5 N/m: 0.89 s a swing
    for (int k = 0; k < 8; ++k) {
        t.compliance[k] = (float)compliance;
        t.link_damping[k] = damping;
    }
    world_tune(&w, &t);
    world_step(&w, 1.0f / hz, 0, (int)(seconds * (double)hz + 0.5));
    const hem_particle bob = particle_at(&w, nth_particle(&w, false, 0));
    world_close(&w);
    const double y = (double)bob.position[1] + 1 + MASS * G * compliance, v = (double)bob.velocity[1];
    return y * y + MASS * compliance * v * v;
}

TEST link_damping_is_that_of_the_damped_oscillator_at_every_rate(void) {
    const float rates[] = {30, 60, 240};
    // m x'' + d x' + k x: the energy goes as exp(-d t / m). Two dampings are compared, so that what the integrator
    // itself takes drops out.
    const double weak = 0.02, strong = 0.12, seconds = 1.5;
    const double expected = exp(-(strong - weak) * seconds / MASS);
    for (int i = 0; i < 3; ++i) {
        const double ratio =
            swing_after(rates[i], (float)strong, seconds) / swing_after(rates[i], (float)weak, seconds);
        ASSERT_IN_RANGE(expected, ratio, 0.1 * expected);
    }
    PASS();
}

// A damper that is too strong to swing: m x'' + d x' + k x = m g has two real rates. The faster one, 1000/s, is four times what
// a substep can follow; a damper that is taken from where the step began would throw the bob about.
TEST a_strong_link_damper_creeps_to_its_load_at_every_rate(void) {
    static const struct {
        float hz;
        uint32_t substeps;
    } rates[] = {{30, 0}, {60, 0}, {240, 0}, {60, 1}};
    const double k = 500, d = 100, load = MASS * G / k, root = sqrt(d * d - 4 * k * MASS);
    const double slow = (d - root) / (2 * MASS), fast = (d + root) / (2 * MASS), seconds = 0.2;
    const double expected = load * (1 - (fast * exp(-slow * seconds) - slow * exp(-fast * seconds)) / (fast - slow));
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); ++i) {
        world w;
        OPEN(w, "pendulum");
        hem_tuning t = world_tuning(&w);
        t.damping = t.sleep_speed = 0;
        for (int kind = 0; kind < 8; ++kind) {
            t.compliance[kind] = (float)(1 / k);
            t.link_damping[kind] = (float)d;
        }
        ASSERT(world_tune(&w, &t));
        world_step(&w, 1.0f / rates[i].hz, rates[i].substeps, (int)(seconds * (double)rates[i].hz + 0.5));
        const double stretch = -1.0 - (double)particle_at(&w, nth_particle(&w, false, 0)).position[1];
        ASSERT_IN_RANGE(expected, stretch, 0.04 * load);
        world_close(&w);
    }
    PASS();
}

// Below one that is held hangs another of the same mass, a group of two about either of them. Its goal is half of the way that
// it is too low, so two groups pull with half a spring each: it sags by the load times the compliance.
TEST a_soft_pair_sags_by_load_times_compliance(void) {
    static const float rates[] = {30, 60, 240};
    for (int i = 0; i < 3; ++i) {
        world w;
        OPEN(w, "hung_pair");
        hem_tuning t = world_tuning(&w);
        t.damping = t.angular_damping = 4;
        t.sleep_speed = NO_SLEEP;
        t.shape_compliance = 0.02f;
        ASSERT(world_tune(&w, &t));
        world_step(&w, 1.0f / rates[i], 0, (int)(rates[i] * 6));
        const hem_particle held = particle_at(&w, nth_particle(&w, true, 0));
        const hem_particle bob = particle_at(&w, nth_particle(&w, false, 0));
        const double load = 0.02 * MASS * G;
        ASSERT_IN_RANGE(-0.1 - load, (double)bob.position[1], 0.03 * load);
        ASSERT_IN_RANGE(0.0, (double)held.position[1], 1e-6); // whatever hangs on it
        world_close(&w);
    }
    PASS();
}

// How far the end of a soft arm hangs down once it is still.
static double sag_of(float hz, float compliance) {
    world w;
    if (!world_open(&w, "soft_arm", NULL, NULL, 1)) {
        return -1;
    }
    hem_tuning t = world_tuning(&w);
    t.damping = 4;
    t.angular_damping = 4;
    t.sleep_speed = NO_SLEEP;
    t.shape_compliance = compliance;
    world_tune(&w, &t);
    world_step(&w, 1.0f / hz, 0, (int)(hz * 6));
    double low = 1e9;
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        if (!(w.view.particle_flags[i] & HEM_PARTICLE_PAD)) {
            low = fmin(low, (double)particle_at(&w, i).position[1]);
        }
    }
    world_close(&w);
    return -low;
}

TEST a_soft_arm_sags_alike_at_every_rate_and_more_when_softer(void) {
    const double base = sag_of(60, 1e-3f), rigid = sag_of(60, 0), softer = sag_of(60, 4e-3f);
    printf("soft arm: sags %.4f m rigid, %.4f m at 1 mm/N, %.4f m at 4 mm/N\n", rigid, base, softer);
    ASSERT(base > rigid + 0.002 && softer > base + 0.005);
    ASSERT_IN_RANGE(base, sag_of(30, 1e-3f), 0.03 * base);
    ASSERT_IN_RANGE(base, sag_of(240, 1e-3f), 0.03 * base);
    PASS();
}

static double turned_after(float hz, float angular_damping) {
    world w;
    if (!world_open(&w, "pair", NULL, NULL, 1)) {
        return -1;
    }
    const float none[3] = {0, 0, 0};
    hem_instance_set_gravity(w.scene, w.id, none);
    hem_tuning t = world_tuning(&w);
    t.damping = 0;
    t.angular_damping = angular_damping;
    t.sleep_speed = NO_SLEEP;
    world_tune(&w, &t);
    // One goes up, the other down: the field is the same for both but for its sign.
    const uint32_t a = nth_particle(&w, false, 0), b = nth_particle(&w, false, 1);
    world_throw_apart(&w, a, b, 1.0f / 240.0f, 0.3f);
    world_step(&w, 1.0f / hz, 0, (int)(hz * 0.5f));
    const hem_particle pa = particle_at(&w, a), pb = particle_at(&w, b);
    world_close(&w);
    return atan2((double)(pb.position[1] - pa.position[1]), (double)(pb.position[0] - pa.position[0]));
}

TEST angular_damping_slows_a_turn_alike_at_every_rate(void) {
    const double free_turn = turned_after(60, 0), damped = turned_after(60, 6);
    printf("pair: turns %.3f rad in half a second, %.3f rad with angular damping\n", free_turn, damped);
    ASSERT(fabs(damped) < 0.9 * fabs(free_turn) && fabs(damped) > 0.2 * fabs(free_turn));
    ASSERT_IN_RANGE(damped, turned_after(30, 6), 0.03 * fabs(damped));
    ASSERT_IN_RANGE(damped, turned_after(240, 6), 0.03 * fabs(damped));
    PASS();
}

SUITE(solvers_suite) {
    RUN_TEST(xpbd_stretches_by_load_times_compliance_at_any_number_of_iterations);
    RUN_TEST(pbd_and_jacobi_leave_the_share_of_their_stiffness);
    RUN_TEST(each_part_has_its_own_number_of_passes);
    RUN_TEST(stiffness_is_nothing_to_xpbd_and_compliance_nothing_to_pbd);
    RUN_TEST(link_damping_is_that_of_the_damped_oscillator_at_every_rate);
    RUN_TEST(a_strong_link_damper_creeps_to_its_load_at_every_rate);
    RUN_TEST(a_soft_pair_sags_by_load_times_compliance);
    RUN_TEST(a_soft_arm_sags_alike_at_every_rate_and_more_when_softer);
    RUN_TEST(angular_damping_slows_a_turn_alike_at_every_rate);
}
