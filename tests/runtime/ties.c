// SPDX-License-Identifier: MIT
// Ties: springs that the game lays, against the damped oscillator, Newton's second law and third law, and a hand that pulls.

#include "tests/runtime/suites.h"
#include "runtime/src/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define G 9.81

static bool open_quiet(world* w, const char* name, double gravity) {
    hem_instance_def def = hem_instance_def_default();
    def.gravity_scale = (float)(gravity / G);
    if (!world_open(w, name, NULL, &def, 1)) {
        return false;
    }
    hem_tuning t = world_tuning(w);
    t.damping = 0;
    world_tune(w, &t);
    hem_instance_set_features(w->scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
    return true;
}

// Half a kilogram half a metre below its place: y(t) = -(g / w^2) (1 - e^(-d t) (cos(v t) + d / v sin(v t))).
TEST a_weight_on_a_tie_swings_as_the_closed_form_says(void) {
    static const struct {
        float rate;
        double hz, ratio, path; // path: what may be off, as a share of the drop
    } rows[] = {{30, 1, 0, 0.03}, {60, 2, 0.05, 0.05}, {60, 3, 0.2, 0.05}, {240, 3, 0.1, 0.05}, {60, 2, 0.99, 0.03}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        world w;
        ASSERT(open_quiet(&w, "free", G));
        const double omega = 2 * PI * rows[r].hz, d = rows[r].ratio * omega, v = sqrt(omega * omega - d * d);
        hem_tie tie = hem_tie_default();
        tie.particle = nth_particle(&w, false, 0);
        tie.position[1] = 0.5;
        tie.rest = 0.5f;
        tie.stiffness = (float)(0.5 * omega * omega);
        tie.damping = (float)d; // 2 m d
        ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, &tie, 1));
        for (int i = 1; i <= (int)(2 * rows[r].rate); ++i) {
            world_step(&w, 1.0f / rows[r].rate, 0, 1);
            const double t = i / (double)rows[r].rate, drop = G / (omega * omega);
            const double y = -drop * (1 - exp(-d * t) * (cos(v * t) + d / v * sin(v * t)));
            const hem_particle p = particle_at(&w, tie.particle);
            ASSERT_IN_RANGE(y, (double)p.position[1], rows[r].path * drop);
            ASSERT_IN_RANGE(0.0, (double)p.position[0], 1e-6);
        }
        world_close(&w);
    }
    PASS();
}

// A tie that may not pull harder than half the weight lets it fall at half of g; one that may, holds it at m g / k.
TEST a_tie_pulls_no_harder_than_its_limit(void) {
    for (int held = 0; held < 2; ++held) {
        world w;
        ASSERT(open_quiet(&w, "free", G));
        hem_tie tie = hem_tie_default();
        tie.particle = nth_particle(&w, false, 0);
        tie.position[1] = 1;
        tie.rest = 0.5f; // stretched by far from the first moment on
        tie.stiffness = held ? 100.0f : 1e5f;
        tie.damping = held ? 14.0f : 0.0f;
        tie.force_limit = (float)(held ? 100 * G : 0.25 * G);
        ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, &tie, 1));
        world_step(&w, 1.0f / 60.0f, 0, held ? 240 : 30);
        const hem_particle p = particle_at(&w, tie.particle);
        if (held) {
            ASSERT_IN_RANGE(0.5 - 0.5 * G / 100, (double)p.position[1], 1e-4);
        } else {
            ASSERT_IN_RANGE(-0.5 * G * 0.5, (double)p.velocity[1], 1e-3);
        }
        world_close(&w);
    }
    PASS();
}

// Two grains of 10 g swing against each other with w^2 = 2 k / m; a dozen ties that share grains keep all momentum.
TEST ties_between_particles_keep_momentum(void) {
    hem_scene_def def = hem_scene_def_default();
    def.tie_capacity = 12;
    hem_instance_def one = hem_instance_def_default();
    one.gravity_scale = 0;
    world w;
    ASSERT(world_open(&w, "dust", &def, &one, 1));
    hem_tuning t = world_tuning(&w);
    t.damping = 0;
    world_tune(&w, &t);
    hem_tie ties[12];
    for (uint32_t i = 0; i < 12; ++i) {
        ties[i] = hem_tie_default();
        ties[i].particle = nth_particle(&w, false, i ? i / 3 : 0);
        ties[i].other = (int32_t)nth_particle(&w, false, i ? 4 + i : 1);
        ties[i].rest = i ? 0.3f : 0.6f;
        ties[i].stiffness = i ? 5.0f : (float)(0.005 * 4 * PI * PI); // 1 Hz
        ties[i].damping = i ? 0.01f : 0.0f;
    }
    ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, ties, 1));
    const hem_particle a = particle_at(&w, ties[0].particle), b = particle_at(&w, (uint32_t)ties[0].other);
    const double begin = hypot(hypot((double)(a.position[0] - b.position[0]), (double)(a.position[1] - b.position[1])),
                               (double)(a.position[2] - b.position[2]));
    for (int i = 1; i <= 120; ++i) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const hem_particle p = particle_at(&w, ties[0].particle), q = particle_at(&w, (uint32_t)ties[0].other);
        const double now =
            hypot(hypot((double)(p.position[0] - q.position[0]), (double)(p.position[1] - q.position[1])),
                  (double)(p.position[2] - q.position[2]));
        ASSERT_IN_RANGE(0.6 + (begin - 0.6) * cos(2 * PI * i / 60), now, 0.03 * fabs(begin - 0.6));
    }
    ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, ties, 12));
    const vec3d before = center_of_mass(&w);
    for (int i = 0; i < 120; ++i) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const vec3d p = linear_momentum(&w);
        ASSERT_IN_RANGE(0.0, fabs(p.x) + fabs(p.y) + fabs(p.z), 2e-5);
    }
    const vec3d after = center_of_mass(&w);
    ASSERT_IN_RANGE(0.0, fabs(before.x - after.x) + fabs(before.y - after.y) + fabs(before.z - after.z), 1e-4);
    world_close(&w);
    PASS();
}

// A place in the world stays there while the character walks and turns, and what is tied to it too; one that moves takes
// it along without lag where the damper is strong.
TEST a_place_is_in_the_world(void) {
    world w;
    ASSERT(open_quiet(&w, "free", 0));
    hem_instance_set_felt_limits(w.scene, w.id, 1e6f, 1e6f);
    hem_tie tie = hem_tie_default();
    tie.particle = nth_particle(&w, false, 0);
    tie.stiffness = 2000;
    tie.damping = 30;
    ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, &tie, 1));
    for (int i = 1; i <= 120; ++i) {
        const double s = i / 120.0, angle = 0.5 * s, x = 3 * s * s;
        const hem_root root = {{x, 0, 1 - cos(3 * s)}, {0, (float)sin(angle / 2), 0, (float)cos(angle / 2)}};
        tie.position[1] = i > 60 ? 0.5 * (s - 0.5) : 0;
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, &tie, 1));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const hem_particle p = particle_at(&w, tie.particle);
        const double c = cos(angle), n = sin(angle);
        const double at[3] = {x + c * (double)p.position[0] + n * (double)p.position[2], (double)p.position[1],
                              root.position[2] - n * (double)p.position[0] + c * (double)p.position[2]};
        ASSERT_IN_RANGE(0.0, fabs(at[0]) + fabs(at[2]), 5e-3);
        ASSERT_IN_RANGE(tie.position[1], at[1], 5e-3);
    }
    world_close(&w);
    PASS();
}

// -- Joints: ties without length, as stiff as they come

static hem_tie joint(uint32_t particle) {
    hem_tie tie = hem_tie_default();
    tie.particle = particle;
    tie.stiffness = 1e6f;
    tie.joint = 1;
    return tie;
}

static double apart(const double a[3], const float b[3]) {
    return hypot(hypot(a[0] - (double)b[0], a[1] - (double)b[1]), a[2] - (double)b[2]);
}

// A joint to a place on a bone is where the bone has that place, whatever the bone and the character do, by matrices of the
// test's own; what the particle weighs opens it by m g / k.
TEST a_joint_holds_to_a_bone(void) {
    world w;
    ASSERT(open_quiet(&w, "free", G));
    hem_instance_set_felt_limits(w.scene, w.id, 1e6f, 1e6f);
    hem_tie tie = joint(nth_particle(&w, false, 0));
    const double at[3] = {0.1, -0.2, 0.05};
    memcpy(tie.position, at, sizeof(at));
    tie.bone = 0;
    double worst = 0, way = 0;
    for (int i = 0; i <= 180; ++i) {
        const double s = i / 120.0, a = 0.8 * sin(3 * s), root_turn = 0.7 * s;
        const float m[12] = {(float)cos(a),    (float)-sin(a), 0,
                             (float)(0.3 * s), // about z, and along x
                             (float)sin(a),    (float)cos(a),  0, 0, 0, 0, 1, 0};
        const hem_root root = {{2 * s * s, 0, 0}, {0, (float)sin(root_turn / 2), 0, (float)cos(root_turn / 2)}};
        ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, m, 1, 0));
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        if (i == 0) { // it comes once, and is not said again
            ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, &tie, 1));
        }
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const hem_particle p = particle_at(&w, tie.particle);
        const double want[3] = {cos(a) * at[0] - sin(a) * at[1] + 0.3 * s, sin(a) * at[0] + cos(a) * at[1], at[2]};
        worst = i > 10 ? fmax(worst, apart(want, p.position)) : worst;
        way = fmax(way, hypot(want[0] - at[0], want[1] - at[1]));
    }
    ASSERT(way > 0.3);
    ASSERT_IN_RANGE(0.0, worst, 1e-3);
    world_step(&w, 1.0f / 60.0f, 0, 120); // the bone stands still: only the weight is left
    const hem_particle p = particle_at(&w, tie.particle);
    const double a = 0.8 * sin(4.5);
    const double rest[3] = {cos(a) * at[0] - sin(a) * at[1] + 0.45, sin(a) * at[0] + cos(a) * at[1] - 0.5 * G / 1e6,
                            at[2]};
    ASSERT_IN_RANGE(0.0, apart(rest, p.position), 2e-6);
    world_close(&w);
    PASS();
}

// The corners of one end of a bar of jelly, fixed to the world: the character walks away and they stay, and the rest of the
// bar hangs from them. Let go it falls.
TEST joints_hold_a_lattice_to_the_world(void) {
    hem_scene_def def = hem_scene_def_default();
    def.tie_capacity = 32;
    world w;
    ASSERT(world_open(&w, "lattice", &def, NULL, 1));
    hem_tie ties[32];
    double low = 1e9;
    uint32_t count = 0;
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        const hem_particle p = particle_at(&w, i);
        low = p.flags & HEM_PARTICLE_PAD ? low : fmin(low, (double)p.position[0]);
    }
    for (uint32_t i = 0; i < w.view.info->particle_count && count < 32; ++i) {
        const hem_particle p = particle_at(&w, i);
        if (!(p.flags & HEM_PARTICLE_PAD) && (double)p.position[0] < low + 1e-4) {
            ties[count] = joint(i);
            for (int k = 0; k < 3; ++k) {
                ties[count].position[k] = (double)p.position[k];
            }
            ++count;
        }
    }
    ASSERT(count >= 16);
    ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, ties, count));
    const vec3d before = center_of_mass(&w);
    for (int i = 1; i <= 240; ++i) {
        const hem_root root = {{0.01 * i, 0, 0}, {0, 0, 0, 1}};
        ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    double worst = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const double at[3] = {ties[i].position[0] - 2.4, ties[i].position[1], ties[i].position[2]};
        worst = fmax(worst, apart(at, particle_at(&w, ties[i].particle).position));
    }
    const vec3d held = center_of_mass(&w);
    ASSERT_IN_RANGE(0.0, worst, 1e-3);
    ASSERT(held.y < before.y - 0.005 && held.y > before.y - 0.5);
    ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, NULL, 0));
    world_step(&w, 1.0f / 60.0f, 0, 60);
    ASSERT(center_of_mass(&w).y < held.y - 2.0);
    world_close(&w);
    PASS();
}

// A tie between instances (docs/lattices.md): held to where the other's particle will be at the end of the next step. The roots do
// not turn, so that the way to the world is a sum.
static hem_tie tie_to(const hem_scene* scene, hem_instance_id other, const hem_root* root, uint32_t particle,
                      uint32_t own, float dt) {
    hem_particle end;
    hem_tie tie = joint(own);
    hem_instance_get_particles(scene, other, particle, 1, &end);
    for (int k = 0; k < 3; ++k) {
        tie.position[k] = root->position[k] + (double)end.position[k] + (double)(dt * end.velocity[k]);
    }
    return tie;
}

// Two lattices of a scene, one thrown: the other is led by its end, swings from it, and holds up nobody.
TEST an_instance_is_led_by_another(void) {
    hem_instance_def one = hem_instance_def_default();
    one.gravity_scale = 0;
    world w;
    ASSERT(world_open(&w, "lattice", NULL, &one, 2));
    hem_instance_id other = w.id;
    ++other.index1;
    hem_tuning t = world_tuning(&w);
    t.damping = t.angular_damping = 0;
    double low = 1e9, high = -1e9;
    uint32_t last = 0, first = 0; // the far end of the one, the near end of the other
    for (uint32_t n = 0; n < w.view.info->real_particle_count; ++n) {
        const uint32_t i = nth_particle(&w, false, n);
        const double x = (double)particle_at(&w, i).position[0];
        last = x > high ? i : last;
        first = x < low ? i : first;
        high = fmax(high, x);
        low = fmin(low, x);
    }
    const hem_root root[2] = {{{0, 0, 0}, {0, 0, 0, 1}}, {{high - low, 0, 0}, {0, 0, 0, 1}}};
    for (int i = 0; i < 2; ++i) {
        const hem_instance_id id = i == 0 ? w.id : other;
        hem_instance_set_tuning(w.scene, id, &t, 1);
        hem_instance_set_features(w.scene, id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        hem_instance_set_root(w.scene, id, &root[i]);
    }
    world_step(&w, 1.0f / 60.0f, 0, 1);
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        w.scene->instances[0].v[i >> 3].x[i & 7] = -1.0f;
    }
    const vec3d began = center_of_mass(&w);
    double worst = 0;
    for (int f = 0; f < 240; ++f) {
        const hem_tie tie = tie_to(w.scene, w.id, &root[0], last, first, 1.0f / 60.0f);
        ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, other, &tie, 1));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        hem_particle led;
        ASSERT_EQ(HEM_OK, hem_instance_get_particles(w.scene, other, first, 1, &led));
        const hem_particle leads = particle_at(&w, last);
        const double at[3] = {(double)leads.position[0] - root[1].position[0], (double)leads.position[1],
                              (double)leads.position[2]};
        worst = f > 0 ? fmax(worst, apart(at, led.position)) : worst; // the first place has not travelled
    }
    ASSERT_IN_RANGE(0.0, worst, 1e-3);
    ASSERT_IN_RANGE(began.x - 4.0, center_of_mass(&w).x, 1e-2);
    world_close(&w);
    PASS();
}

// Two bodies of a heap hang together by a joint between the two particles that are nearest to each other, and by nothing else:
// one is thrown away from the other and takes it along, and the momentum of all stays what it was.
TEST a_joint_holds_two_bodies_together(void) {
    hem_instance_def one = hem_instance_def_default();
    one.gravity_scale = 0;
    world w;
    ASSERT(world_open(&w, "lattice_heap", NULL, &one, 1));
    hem_tuning t = world_tuning(&w);
    t.damping = 0;
    world_tune(&w, &t);
    double end = -1e9, low = 1e9, nearest = 1e9; // where the first body ends: bodies are 20 or 10 cm long, 20 apart
    for (uint32_t n = 0; n < w.view.info->real_particle_count; ++n) {
        low = fmin(low, (double)particle_at(&w, nth_particle(&w, false, n)).position[0]);
    }
    hem_tie tie = joint(0);
    for (uint32_t n = 0; n < w.view.info->real_particle_count; ++n) {
        const hem_particle p = particle_at(&w, nth_particle(&w, false, n));
        if ((double)p.position[0] < low + 0.3 && (double)p.position[0] > end) {
            end = (double)p.position[0];
            tie.particle = nth_particle(&w, false, n);
        }
    }
    const hem_particle a = particle_at(&w, tie.particle);
    const double from[3] = {(double)a.position[0], (double)a.position[1], (double)a.position[2]};
    for (uint32_t n = 0; n < w.view.info->real_particle_count; ++n) {
        const uint32_t i = nth_particle(&w, false, n);
        const hem_particle p = particle_at(&w, i);
        if ((double)p.position[0] > end + 0.05 && apart(from, p.position) < nearest) {
            nearest = apart(from, p.position);
            tie.other = (int32_t)i;
        }
        w.scene->instances[0].v[i >> 3].x[i & 7] = (double)p.position[0] < end + 0.05 ? -1.0f : 0.0f;
    }
    tie.rest = (float)nearest;
    ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, &tie, 1));
    const vec3d before = linear_momentum(&w);
    const double began = (double)particle_at(&w, (uint32_t)tie.other).position[0];
    double worst = 0;
    for (int i = 0; i < 120; ++i) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const hem_particle p = particle_at(&w, tie.particle), q = particle_at(&w, (uint32_t)tie.other);
        const double at[3] = {(double)p.position[0], (double)p.position[1], (double)p.position[2]};
        worst = fmax(worst, fabs(apart(at, q.position) - nearest));
    }
    const vec3d after = linear_momentum(&w);
    ASSERT_IN_RANGE(0.0, worst, 2e-3);
    ASSERT(before.x < -1e-3);
    ASSERT_IN_RANGE(0.0, fabs(after.x - before.x) + fabs(after.y - before.y) + fabs(after.z - before.z),
                    -1e-3 * before.x);
    ASSERT((double)particle_at(&w, (uint32_t)tie.other).position[0] < began - 0.5);
    world_close(&w);
    PASS();
}

static int asleep(const world* w) {
    hem_instance_stats stats;
    return hem_instance_get_stats(w->scene, w->id, &stats) == HEM_OK && stats.asleep;
}

// The nearest by brute force; pulled by half a metre it comes along, and the cape with it; let go, it hangs as before.
TEST a_hand_pulls_a_cape(void) {
    world w;
    OPEN(w, "cape");
    hem_tuning t = world_tuning(&w);
    t.damping = 2;
    t.sleep_speed = 0.05f;
    world_tune(&w, &t);
    for (int i = 0; i < 1200 && !asleep(&w); ++i) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    ASSERT(asleep(&w));
    double lowest = 1e9, hand[3] = {0, 0, 0};
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        const hem_particle p = particle_at(&w, i);
        if (!(p.flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED)) && (double)p.position[1] < lowest) {
            lowest = (double)p.position[1];
            for (int k = 0; k < 3; ++k) {
                hand[k] = (double)p.position[k] + 0.03;
            }
        }
    }
    double nearest = 1e9;
    for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
        const hem_particle p = particle_at(&w, i);
        const double d = hypot(hypot((double)p.position[0] - hand[0], (double)p.position[1] - hand[1]),
                               (double)p.position[2] - hand[2]);
        nearest = p.flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED) ? nearest : fmin(nearest, d);
    }
    int32_t held = -1;
    ASSERT_EQ(HEM_OK, hem_instance_find_particle(w.scene, w.id, hand, (float)nearest * 0.9f, &held));
    ASSERT_EQ(-1, held);
    ASSERT_EQ(HEM_OK, hem_instance_find_particle(w.scene, w.id, hand, 0, &held));
    ASSERT(held >= 0);
    hem_particle p = particle_at(&w, (uint32_t)held);
    const vec3d rest = {p.position[0], p.position[1], p.position[2]}, com = center_of_mass(&w);
    ASSERT_IN_RANGE(nearest, hypot(hypot(rest.x - hand[0], rest.y - hand[1]), rest.z - hand[2]), 1e-6);
    hem_tie tie = hem_tie_default();
    tie.particle = (uint32_t)held;
    tie.stiffness = 500;
    for (int i = 0; i < 90; ++i) {
        const double way = 0.5 * fmin(i / 60.0, 1);
        tie.position[0] = rest.x;
        tie.position[1] = rest.y + 0.3 * way;
        tie.position[2] = rest.z + way;
        ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, &tie, 1));
        world_step(&w, 1.0f / 60.0f, 0, 1);
        ASSERT_FALSE(asleep(&w));
    }
    p = particle_at(&w, (uint32_t)held);
    ASSERT_IN_RANGE(rest.z + 0.5, (double)p.position[2], 0.05);
    ASSERT(center_of_mass(&w).z > com.z + 0.05);
    ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, NULL, 0));
    for (int i = 0; i < 1800 && !asleep(&w); ++i) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    ASSERT(asleep(&w));
    ASSERT_IN_RANGE(com.y, center_of_mass(&w).y, 0.02);
    world_close(&w);
    PASS();
}

// A thousand times what a step can follow, in frames of a fifteenth, on a sheet: finite, and at rest.
TEST stiff_ties_come_to_rest(void) {
    hem_scene_def def = hem_scene_def_default();
    def.tie_capacity = 16;
    world w;
    ASSERT(world_open(&w, "cape", &def, NULL, 1));
    hem_tie ties[16];
    for (uint32_t i = 0; i < 16; ++i) {
        ties[i] = hem_tie_default();
        ties[i].particle = nth_particle(&w, false, 10 + i % 4);
        ties[i].other = i < 8 ? -1 : (int32_t)nth_particle(&w, false, 60 + i);
        ties[i].rest = i < 8 ? 0.0f : 0.2f;
        ties[i].position[1] = -0.5;
        ties[i].stiffness = 1e6f;
        ties[i].damping = i % 3 ? 0.0f : 1e6f;
    }
    ASSERT_EQ(HEM_OK, hem_instance_set_ties(w.scene, w.id, ties, 16));
    for (int i = 0; i < 300; ++i) {
        world_step(&w, 1.0f / 15.0f, 0, 1);
        hem_step_report r;
        hem_scene_get_report(w.scene, &r);
        ASSERT_EQ(0, r.mended_count);
    }
    hem_instance_stats stats;
    ASSERT_EQ(HEM_OK, hem_instance_get_stats(w.scene, w.id, &stats));
    ASSERT(stats.speed_max < 0.5f && isfinite(stats.stretch_max));
    world_close(&w);
    PASS();
}

TEST wrong_ties_are_refused_in_words(void) {
    world w;
    OPEN(w, "free");
    const uint64_t before = hem_scene_hash(w.scene);
    uint32_t pad = 0;
    while (!(w.view.particle_flags[pad] & HEM_PARTICLE_PAD)) {
        ++pad;
    }
    const uint32_t real = nth_particle(&w, false, 0);
    const struct {
        hem_result result;
        const char* says;
    } rows[] = {{HEM_ERROR_COOKIE, "ties[0].cookie"},
                {HEM_ERROR_RANGE, "ties[0].particle is "},
                {HEM_ERROR_RANGE, "ties[0].particle is "},
                {HEM_ERROR_RANGE, "ties[0].other is "},
                {HEM_ERROR_RANGE, "ties[0].position[2] is not a number"},
                {HEM_ERROR_RANGE, "ties[0].stiffness is 0"},
                {HEM_ERROR_RANGE, "ties[0].damping is -1"},
                {HEM_ERROR_RANGE, "ties[0].force_limit is infinity"},
                {HEM_ERROR_RANGE, "ties[0].rest is -1"},
                {HEM_ERROR_RANGE, "ties[0].other is -2"},
                {HEM_ERROR_RANGE, "ties[0].bone is 1"},
                {HEM_ERROR_RANGE, "ties[0].bone is -2"},
                {HEM_ERROR_RANGE, "ties[0].joint is 2"}};
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); ++i) {
        hem_tie t = hem_tie_default();
        t.cookie += i == 0;
        t.particle = i == 1 ? pad : i == 2 ? 1u << 20 : real;
        t.other = i == 3 ? (int32_t)real : i == 9 ? -2 : -1;
        t.position[2] = i == 4 ? (double)NAN : 0;
        t.stiffness = i == 5 ? 0.0f : 1.0f;
        t.damping = i == 6 ? -1.0f : 0.0f;
        t.force_limit = i == 7 ? INFINITY : 0.0f;
        t.rest = i == 8 ? -1.0f : 0.0f;
        t.joint = i == 12 ? 2 : 0;
        t.bone = i == 10 ? 1 : i == 11 ? -2 : -1;
        ASSERT_EQ_FMT((int)rows[i].result, (int)hem_instance_set_ties(w.scene, w.id, &t, 1), "%d");
        ASSERTm(hem_scene_refusal(w.scene), strstr(hem_scene_refusal(w.scene), rows[i].says));
        ASSERT_EQ(before, hem_scene_hash(w.scene));
    }
    hem_tie many[5];
    for (int i = 0; i < 5; ++i) {
        many[i] = hem_tie_default();
        many[i].particle = real;
    }
    ASSERT_EQ(HEM_ERROR_COUNT, hem_instance_set_ties(w.scene, w.id, many, 5));
    ASSERT(strstr(hem_scene_refusal(w.scene), "count is 5: has no room: raise tie_capacity"));
    const double far[3] = {1e10, 0, 0}, here[3] = {0, 0, 0};
    int32_t found;
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_find_particle(w.scene, w.id, far, 0, &found));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_instance_find_particle(w.scene, w.id, here, -1, &found));
    ASSERT_EQ(HEM_ERROR_NULL, hem_instance_find_particle(w.scene, w.id, here, 1, NULL));
    world_close(&w);
    PASS();
}

SUITE(ties_suite) {
    RUN_TEST(a_weight_on_a_tie_swings_as_the_closed_form_says);
    RUN_TEST(a_tie_pulls_no_harder_than_its_limit);
    RUN_TEST(ties_between_particles_keep_momentum);
    RUN_TEST(a_place_is_in_the_world);
    RUN_TEST(a_joint_holds_to_a_bone);
    RUN_TEST(joints_hold_a_lattice_to_the_world);
    RUN_TEST(an_instance_is_led_by_another);
    RUN_TEST(a_joint_holds_two_bodies_together);
    RUN_TEST(a_hand_pulls_a_cape);
    RUN_TEST(stiff_ties_come_to_rest);
    RUN_TEST(wrong_ties_are_refused_in_words);
}
