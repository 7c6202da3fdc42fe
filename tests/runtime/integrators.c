// SPDX-License-Identifier: MIT
// The reference against closed forms, with the order of its error; then the runtime against the reference.
// HEM_REFERENCE=1 prints the errors: a line per step length and integrator. HEM_PICTURES=FOLDER plots them there, integrators.svg: both
// axes logarithmic, so that an integrator's order is how steep its line is.

#include "tests/runtime/reference.h"
#include "tests/runtime/suites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81

static const struct {
    const char* name;
    reference_integrator* step;
    double order;
} integrators[] = {{"explicit Euler", reference_euler, 1},
                   {"midpoint", reference_midpoint, 2},
                   {"Runge-Kutta", reference_runge_kutta, 4},
                   {"implicit Euler", reference_implicit_euler, 1}};

// A weight on a spring along y, let go at its rest length: hangs by g / w^2 and swings about it.
static double oscillator(double t, double w, double d) {
    const double v = sqrt(w * w - d * d);
    return -(GRAVITY / (w * w)) * (1 - exp(-d * t) * (cos(v * t) + d / v * sin(v * t)));
}

static double spring_error(reference_integrator* step, int steps) {
    const double w = 6, d = 0.6, mass = 0.5, seconds = 1;
    const reference_spring spring = {0, -1, {0, 0, 0}, mass * w * w, 2 * d * mass, 1};
    reference_system s = {
        .count = 1, .mass = {mass}, .gravity = {0, -GRAVITY, 0}, .springs = &spring, .spring_count = 1};
    s.x[0][1] = -1;
    double worst = 0;
    for (int i = 1; i <= steps; ++i) {
        step(&s, seconds / steps);
        worst = fmax(worst, fabs(s.x[0][1] + 1 - oscillator(i * seconds / steps, w, d)));
    }
    return worst;
}

// Thrown at 10 m/s, with drag: v = (v0 + g m/c) e^(-c t/m) - g m/c.
static double projectile_error(reference_integrator* step, int steps) {
    const double mass = 0.2, drag = 0.3, seconds = 1, rate = drag / mass, fall = GRAVITY / rate;
    reference_system s = {.count = 1, .mass = {mass}, .gravity = {0, -GRAVITY, 0}, .drag = drag};
    s.v[0][0] = 6;
    s.v[0][1] = 8;
    reference_run(&s, step, seconds / steps, steps);
    const double gone = (1 - exp(-rate * seconds)) / rate;
    return hypot(s.x[0][0] - 6 * gone, s.x[0][1] - ((8 + fall) * gone - fall * seconds));
}

// The period of a pendulum of one metre from an angle, by the arithmetic-geometric mean.
static double pendulum_period(double angle) {
    double a = 1, b = cos(angle / 2);
    for (int i = 0; i < 20; ++i) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * 3.14159265358979323846 * sqrt(1 / GRAVITY) / a;
}

// On a spring so stiff that it is a rod, after a whole period: back where it began.
static double pendulum_error(reference_integrator* step, int steps) {
    const double angle = 0.6, mass = 0.1;
    const reference_spring spring = {0, -1, {0, 0, 0}, 2e6, 0, 1};
    reference_system s = {
        .count = 1, .mass = {mass}, .gravity = {0, -GRAVITY, 0}, .springs = &spring, .spring_count = 1};
    const double stretch = mass * GRAVITY * cos(angle) / spring.stiffness;
    s.x[0][0] = (1 + stretch) * sin(angle);
    s.x[0][1] = -(1 + stretch) * cos(angle);
    reference_run(&s, step, pendulum_period(angle) / steps, steps);
    return hypot(s.x[0][0] - sin(angle), s.x[0][1] + cos(angle));
}

static const struct {
    const char* name;
    double (*error)(reference_integrator* step, int steps);
} cases[] = {{"spring", spring_error}, {"projectile", projectile_error}};

// One decade of step lengths by twelve of errors, for each case.
static void plot_errors(const char* folder) {
    enum { LEFT = 70, WIDTH = 360, TOP = 50, HEIGHT = 480, DECADES = 12, PLOT = WIDTH + 120 };
    static const char* const colours[] = {"#c0392b", "#2471a3", "#1e8449", "#af7ac5"};
    char path[1024];
    snprintf(path, sizeof(path), "%s/integrators.svg", folder);
    FILE* f = fopen(path, "w");
    if (!f) {
        return;
    }
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\"><rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            2 * PLOT, TOP + HEIGHT + 60);
    for (int c = 0; c < 2; ++c) {
        const int left = LEFT + c * PLOT;
        fprintf(f, "<text x=\"%d\" y=\"24\" font-size=\"15\">%s: error (m) over step (s)</text>\n", left,
                cases[c].name);
        for (int d = 0; d <= DECADES; d += 2) {
            const int y = TOP + HEIGHT * d / DECADES;
            fprintf(f, "<path d=\"M%d %dh%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%d\">1e%d</text>\n", left, y, WIDTH,
                    left - 40, y + 4, -d);
        }
        for (int steps = 20; steps <= 320; steps *= 2) {
            const double x = left + WIDTH * log2(320.0 / steps) / 4;
            fprintf(f, "<text x=\"%.0f\" y=\"%d\">1/%d</text>\n", x - 12, TOP + HEIGHT + 20, steps);
        }
        for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; ++i) {
            double y = 0;
            fprintf(f, "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"%s\" points=\"", colours[i]);
            for (int steps = 20; steps <= 320; steps *= 2) {
                y = TOP - HEIGHT * log10(cases[c].error(integrators[i].step, steps)) / DECADES;
                fprintf(f, "%.1f,%.1f ", left + WIDTH * log2(320.0 / steps) / 4, y);
            }
            fprintf(f, "\"/><text x=\"%d\" y=\"%.0f\" fill=\"%s\">%s, order %g</text>\n", left + WIDTH - 150,
                    y + (i == 3 ? -6 : 16), colours[i], integrators[i].name, integrators[i].order);
        }
    }
    fprintf(f, "</svg>\n");
    fclose(f);
}

TEST errors_fall_with_the_order_of_the_integrator(void) {
    if (getenv("HEM_PICTURES")) {
        plot_errors(getenv("HEM_PICTURES"));
    }
    for (size_t c = 0; c < 2; ++c) {
        for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; ++i) {
            double last = 0, order = 0;
            for (int steps = 40; steps <= 320; steps *= 2) {
                const double error = cases[c].error(integrators[i].step, steps);
                order = last > 0 ? log2(last / error) : 0;
                if (getenv("HEM_REFERENCE")) {
                    printf("%s, %s, h %g s, error %.3e m, order %.2f\n", cases[c].name, integrators[i].name,
                           1.0 / steps, error, order);
                }
                last = error;
            }
            ASSERT_IN_RANGE(integrators[i].order, order, 0.15);
        }
    }
    PASS();
}

TEST a_stiff_rod_swings_as_the_pendulum_does(void) {
    ASSERT(pendulum_error(reference_runge_kutta, 40000) < 1e-4);
    ASSERT(pendulum_error(reference_implicit_euler, 4000) < 0.05); // any step is stable
    ASSERT(!(pendulum_error(reference_euler, 4000) < 1));          // and this one is not
    PASS();
}

TEST energy_is_kept_by_the_best_of_them(void) {
    const reference_spring springs[2] = {{0, -1, {0, 0, 0}, 200, 0, 0.5}, {1, 0, {0, 0, 0}, 100, 0, 0.5}};
    reference_system s = {
        .count = 2, .mass = {0.3, 0.2}, .gravity = {0, -GRAVITY, 0}, .springs = springs, .spring_count = 2};
    s.x[0][0] = 0.5;
    s.x[1][0] = 1;
    const double before = reference_energy(&s);
    reference_run(&s, reference_runge_kutta, 1e-4, 30000);
    ASSERT_IN_RANGE(before, reference_energy(&s), 1e-6);
    PASS();
}

// -- The runtime beside it

// Twelve weights on springs of 1, 2 and 3 Hz with four dampers, two seconds, against Runge-Kutta.
TEST springs_of_the_runtime_follow_the_reference(void) {
    static const double ratios[4] = {0, 0.05, 0.2, 1};
    static const float rates[] = {30, 60, 240};
    for (size_t r = 0; r < 3; ++r) {
        world w;
        OPEN(w, "springs");
        hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        reference_spring springs[12];
        reference_system s = {.count = 12, .gravity = {0, -GRAVITY, 0}, .springs = springs, .spring_count = 12};
        for (int i = 0; i < 12; ++i) {
            const double f = 2 * 3.14159265358979323846 * (1 + i / 4), mass = 0.5;
            springs[i] = (reference_spring){i, -1, {0.5 * i, 0, 0}, mass * f * f, 2 * mass * ratios[i % 4] * f, 0.5};
            s.mass[i] = mass;
            s.x[i][0] = 0.5 * i;
            s.x[i][1] = -0.5;
        }
        double worst = 0;
        for (int f = 0; f < (int)(2 * rates[r]); ++f) {
            world_step(&w, 1.0f / rates[r], 0, 1);
            reference_run(&s, reference_runge_kutta, 1.0 / ((double)rates[r] * 20), 20);
            for (uint32_t n = 0; n < 12; ++n) {
                const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
                const int which = (int)lround((double)p.position[0] / 0.5);
                const double frequency = 2 * 3.14159265358979323846 * (1 + which / 4);
                worst = fmax(worst, fabs((double)p.position[1] - s.x[which][1]) * frequency * frequency / GRAVITY);
            }
        }
        if (getenv("HEM_REFERENCE")) {
            printf("springs at %g Hz: %.4f of the drop from the reference\n", (double)rates[r], worst);
        }
        ASSERT(worst < 0.08); // a twentieth of a swing after six of them
        world_close(&w);
    }
    PASS();
}

// Rigid and of one link: the period of five degrees.
TEST the_pendulum_of_the_runtime_keeps_time(void) {
    world w;
    OPEN(w, "pendulum");
    hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    // Gravity leans instead of the string: the same swing.
    const double angle = 0.0872664626;
    const float gravity[3] = {(float)(GRAVITY * sin(angle)), (float)(-GRAVITY * cos(angle)), 0};
    ASSERT_EQ(HEM_OK, hem_instance_set_gravity(w.scene, w.id, gravity));
    double crossed[8], last = -1, t = 0;
    int count = 0;
    for (int f = 0; f < 240 * 9 && count < 4; ++f) {
        world_step(&w, 1.0f / 240.0f, 0, 1);
        t += 1.0 / 240;
        const hem_particle p = particle_at(&w, nth_particle(&w, false, 0));
        const double x = (double)p.position[0] - sin(angle);
        if (last < 0 && x >= 0) {
            crossed[count++] = t - x / (x - last) / 240;
        }
        last = x;
    }
    ASSERT(count >= 3);
    const double period = (crossed[count - 1] - crossed[0]) / (count - 1);
    ASSERT_IN_RANGE(pendulum_period(angle), period, 0.004 * period);
    world_close(&w);
    PASS();
}

// A free particle with the part's damping: the projectile above, exactly by steps of e^(-d h).
TEST a_projectile_of_the_runtime_falls_as_far(void) {
    world w;
    OPEN(w, "free");
    hem_instance_set_features(w.scene, w.id, 0);
    hem_tuning t = world_tuning(&w);
    t.damping = 1.5f;
    t.drag = t.lift = 0;
    t.max_speed = 1000;
    ASSERT(world_tune(&w, &t));
    const vec3d from = center_of_mass(&w);
    world_step(&w, 1.0f / 60.0f, 0, 60);
    const vec3d to = center_of_mass(&w);
    const double gone = (1 - exp(-1.5)) / 1.5, fall = GRAVITY / 1.5, exact = fall * gone - fall;
    ASSERT_IN_RANGE(exact, to.y - from.y, 0.01 * fabs(exact));
    world_close(&w);
    PASS();
}

SUITE(integrators_suite) {
    RUN_TEST(errors_fall_with_the_order_of_the_integrator);
    RUN_TEST(a_stiff_rod_swings_as_the_pendulum_does);
    RUN_TEST(energy_is_kept_by_the_best_of_them);
    RUN_TEST(springs_of_the_runtime_follow_the_reference);
    RUN_TEST(the_pendulum_of_the_runtime_keeps_time);
    RUN_TEST(a_projectile_of_the_runtime_falls_as_far);
}
