// SPDX-License-Identifier: MIT
// Forces by name, on loose grains, against their formulas in double precision and against what follows from them: the
// integral of keyed strength, an explosion that gives each grain the same speed at every rate, drag that decays
// exponentially, turbulence without sources.

#include "tests/runtime/suites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAINS 64
#define PI 3.14159265358979323846

typedef struct dust {
    world w;
    vec3d at[GRAINS], v[GRAINS]; // world
    hem_root root;
} dust;

static vec3d turned(const float q[4], vec3d v) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const vec3d t = {2 * (y * v.z - z * v.y), 2 * (z * v.x - x * v.z), 2 * (x * v.y - y * v.x)};
    return (vec3d){v.x + w * t.x + y * t.z - z * t.y, v.y + w * t.y + z * t.x - x * t.z,
                   v.z + w * t.z + x * t.y - y * t.x};
}

static void look(dust* d) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->w.view.info->particle_count; ++i) {
        const hem_particle p = particle_at(&d->w, i);
        if (p.flags & HEM_PARTICLE_PAD) {
            continue;
        }
        const vec3d at = turned(d->root.rotation, (vec3d){p.position[0], p.position[1], p.position[2]});
        d->at[n] = (vec3d){d->root.position[0] + at.x, d->root.position[1] + at.y, d->root.position[2] + at.z};
        d->v[n++] = turned(d->root.rotation, (vec3d){p.velocity[0], p.velocity[1], p.velocity[2]});
    }
}

// Without gravity and damping, the character turned by one radian about y and the square root of two hundred metres away.
static bool open_dust(dust* d, uint32_t count) {
    hem_instance_def def = hem_instance_def_default();
    d->root = (hem_root){{1e5, 10, -1e5}, {0, sinf(0.5f), 0, cosf(0.5f)}};
    def.root = d->root;
    def.gravity_scale = 0;
    if (!world_open(&d->w, "dust", NULL, &def, count)) {
        return false;
    }
    hem_tuning t = world_tuning(&d->w);
    t.damping = 0;
    t.max_speed = 1000;
    world_tune(&d->w, &t);
    look(d);
    return true;
}

static hem_force force_of(hem_force_kind kind, const hem_root* root) {
    hem_force f = hem_force_default();
    f.kind = kind;
    f.position[0] = root->position[0] + 0.3;
    f.position[1] = root->position[1] - 0.2;
    f.position[2] = root->position[2] + 0.1;
    f.rotation[0] = 0.6f;
    f.rotation[3] = 0.8f;
    f.strength = 5;
    return f;
}

static vec3d minus(vec3d a, vec3d b) {
    return (vec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec3d times(vec3d a, double s) {
    return (vec3d){a.x * s, a.y * s, a.z * s};
}

static vec3d cross(vec3d a, vec3d b) {
    return (vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double size_of(vec3d a) {
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static double fade(double radius, double d) {
    const double left = radius > 0 ? fmax(1 - d * d / (radius * radius), 0) : 1;
    return left * left;
}

// Of a grain at rest, as docs/runtime.md has it; turbulence and explosions have tests of their own.
static vec3d acceleration_of(const hem_force* f, vec3d at) {
    const vec3d d = minus(at, (vec3d){f->position[0], f->position[1], f->position[2]});
    const vec3d axis = turned(f->rotation, (vec3d){0, 1, 0}), around = cross(axis, d);
    switch (f->kind) {
    case HEM_FORCE_CONSTANT:
        return times(axis, (double)f->strength * fade((double)f->radius, size_of(d)));
    case HEM_FORCE_POINT:
        return times(d, -(double)f->strength * fade((double)f->radius, size_of(d)) / size_of(d));
    default:
        return times(around, (double)f->strength * fade((double)f->radius, size_of(around)) / size_of(around));
    }
}

TEST a_force_is_its_formula(hem_force_kind kind) {
    static const float radii[] = {0, 0.4f, 1.0f, 5.0f};
    int still = 0, moving = 0;
    for (size_t r = 0; r < sizeof radii / sizeof radii[0]; ++r) {
        dust d;
        ASSERT(open_dust(&d, 1));
        vec3d before[GRAINS];
        memcpy(before, d.at, sizeof(before));
        hem_force f = force_of(kind, &d.root);
        f.radius = radii[r];
        ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, &f, 1));
        world_step(&d.w, 1.0f / 60.0f, 1, 1);
        look(&d);
        for (int i = 0; i < GRAINS; ++i) {
            const vec3d wanted = times(acceleration_of(&f, before[i]), 1 / 60.0);
            ASSERT_IN_RANGE(0.0, size_of(minus(d.v[i], wanted)), 5e-5);
            still += size_of(wanted) == 0;
            moving += size_of(wanted) > 1e-3;
        }
        world_close(&d.w);
    }
    ASSERT(still > 10 && moving > 100);
    PASS();
}

// Straight between keys, so that its integral is a sum of trapezoids; a step may see a corner from one side only.
static double integral(const hem_force_key* keys, int count, double period, double seconds) {
    double sum = 0;
    for (int i = 0; i < 100000; ++i) {
        double t = (i + 0.5) * seconds / 100000;
        t = period > 0 ? fmod(t, period) : t;
        double now = (double)keys[count - 1].strength;
        for (int k = 0; k < count; ++k) {
            const double end = (double)keys[k].seconds;
            if (t < end) {
                const hem_force_key* before = &keys[k ? k - 1 : 0];
                const double begin = (double)before->seconds;
                const double share = k ? (t - begin) / (end - begin) : 0;
                now = (double)before->strength + share * ((double)keys[k].strength - (double)before->strength);
                break;
            }
        }
        sum += now * seconds / 100000;
    }
    return sum;
}

TEST speed_is_the_integral_of_keyed_strength(void) {
    static const hem_force_key keys[5] = {{0.1f, 0}, {0.3f, 2}, {0.3f, -1}, {0.6f, 0.5f}, {0.8f, 0}};
    static const float rates[] = {30, 60, 144}, periods[] = {0, 0.5f};
    for (int n = 0; n < 6; ++n) {
        dust d;
        ASSERT(open_dust(&d, 1));
        hem_force f = force_of(HEM_FORCE_CONSTANT, &d.root);
        f.keys = keys;
        f.key_count = 5;
        f.period = periods[n / 3];
        ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, &f, 1));
        for (int i = 1; i <= (int)(rates[n % 3] * 1.2f); ++i) {
            world_step(&d.w, 1.0f / rates[n % 3], 0, 1);
            look(&d);
            const double speed = 5 * integral(keys, 5, (double)periods[n / 3], i / (double)rates[n % 3]);
            const vec3d wanted = times(turned(f.rotation, (vec3d){0, 1, 0}), speed);
            const double jumps = n < 3 ? 1 : 2; // from 2 to -1, each seen half a substep early or late
            ASSERT_IN_RANGE(0.0, size_of(minus(d.v[i % GRAINS], wanted)), jumps * 5.0 * 3 / 240 / 2 + 1e-4);
        }
        world_close(&d.w);
    }
    PASS();
}

TEST an_explosion_gives_its_speed_at_every_rate(void) {
    static const struct {
        float rate;
        uint32_t substeps;
        float length;
    } rows[] = {{30, 1, 0.05f}, {60, 0, 0.05f}, {60, 0, 1}, {240, 4, 0.3f}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        dust d;
        ASSERT(open_dust(&d, 1));
        hem_force f = force_of(HEM_FORCE_EXPLOSION, &d.root);
        f.strength = 0.02f; // slow, so that nobody is somewhere else when it passes
        f.radius = 3;
        f.speed = 10;
        f.length = rows[r].length;
        ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, &f, 1));
        const vec3d center = {f.position[0], f.position[1], f.position[2]};
        vec3d begin[GRAINS];
        memcpy(begin, d.at, sizeof(begin));
        double last = 0, t = 0;
        for (int i = 0; i < (int)(0.5f * rows[r].rate); ++i) {
            world_step(&d.w, 1.0f / rows[r].rate, rows[r].substeps, 1);
            look(&d);
            t = (i + 1) / (double)rows[r].rate;
            for (int k = 0; k < GRAINS; ++k) {
                const vec3d out = minus(begin[k], center);
                const double share = fmin(fmax((10 * t - size_of(out)) / (double)f.length, 0), 1);
                const double passed = share * share * (3 - 2 * share);
                const vec3d wanted = times(out, 0.02 * passed * fade(3, size_of(out)) / size_of(out));
                ASSERT_IN_RANGE(0.0, size_of(minus(d.v[k], wanted)), 4e-4);
                last = share;
            }
        }
        ASSERT_EQ(1.0, last); // all of it has passed
        world_close(&d.w);
    }
    PASS();
}

TEST drag_takes_speed_away_exponentially(void) {
    static const float rates[] = {30, 60, 240};
    for (int n = 0; n < 3; ++n) {
        dust d;
        ASSERT(open_dust(&d, 1));
        world_throw(&d.w, 1.0f / 240.0f, 0.01f, 0.02f, 0.0f);
        look(&d);
        vec3d begin[GRAINS], at[GRAINS];
        memcpy(begin, d.v, sizeof(begin));
        memcpy(at, d.at, sizeof(at));
        hem_force f = force_of(HEM_FORCE_DRAG, &d.root);
        f.strength = 4;
        f.size[0] = 0.31f;
        f.size[1] = 0.72f;
        f.size[2] = 0.83f;
        f.velocity[2] = 0.03f;
        ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, &f, 1));
        world_step(&d.w, 1.0f / rates[n], 0, (int)(rates[n] * 0.3f + 0.5f));
        look(&d);
        const vec3d stream = {0, 0, (double)f.velocity[2]};
        const float back[4] = {-f.rotation[0], 0, 0, f.rotation[3]};
        int in = 0, out = 0;
        for (int i = 0; i < GRAINS; ++i) {
            vec3d local = minus(at[i], (vec3d){f.position[0], f.position[1], f.position[2]});
            local = turned(back, local);
            const double left = fmin(fmin(0.31 - fabs(local.x), 0.72 - fabs(local.y)), 0.83 - fabs(local.z));
            if (fabs(left) < 0.02) {
                continue; // some go in or out
            }
            const double kept = left > 0 ? exp(-4 * 0.3) : 1;
            const vec3d rel = times(minus(begin[i], stream), kept);
            const vec3d wanted = minus(rel, times(stream, -1));
            ASSERT_IN_RANGE(0.0, size_of(minus(d.v[i], wanted)), 5e-5);
            in += left > 0;
            out += left < 0;
        }
        ASSERT(in > 4 && out > 4);
        world_close(&d.w);
    }
    PASS();
}

// What one step gives grains at rest when the eddies' position is moved by so much and time has gone on.
static bool sample(vec3d offset, int steps, vec3d* a, double* square) {
    dust d;
    if (!open_dust(&d, 1)) {
        return false;
    }
    hem_force f = force_of(HEM_FORCE_TURBULENCE, &d.root);
    f.length = 0.7f;
    f.speed = 2;
    f.position[0] -= offset.x; // the grains are as much further on
    f.position[1] -= offset.y;
    f.position[2] -= offset.z;
    hem_instance_set_time_scale(d.w.scene, d.w.id, 0);
    hem_scene_set_forces(d.w.scene, &f, 1);
    world_step(&d.w, 0.05f, 1, steps);
    hem_instance_set_time_scale(d.w.scene, d.w.id, 1);
    world_step(&d.w, 1.0f / 60.0f, 1, 1);
    look(&d);
    for (int i = 0; i < GRAINS; ++i) {
        a[i] = times(d.v[i], 60);
        *square += size_of(a[i]) * size_of(a[i]) / GRAINS;
    }
    world_close(&d.w);
    return true;
}

TEST turbulence_has_its_strength_and_no_sources(void) {
    vec3d a[GRAINS], b[GRAINS], c[GRAINS];
    double square = 0, spare = 0, moved = 0;
    for (int n = 0; n < 200; ++n) {
        ASSERT(sample((vec3d){7.7 * n, -3.1 * n, 1.3 * n}, n, a, &square));
    }
    ASSERT_IN_RANGE(25.0, square / 200, 1.0);
    const double e = 0.02;
    vec3d mean = {0, 0, 0};
    double divergence[GRAINS] = {0}, slope = 0;
    for (int k = 0; k < 3; ++k) {
        const vec3d by = {k == 0 ? e : 0, k == 1 ? e : 0, k == 2 ? e : 0};
        ASSERT(sample(by, 0, a, &spare) && sample(times(by, -1), 0, b, &spare));
        for (int i = 0; i < GRAINS; ++i) {
            const vec3d change = times(minus(a[i], b[i]), 1 / (2 * e));
            divergence[i] += k == 0 ? change.x : k == 1 ? change.y : change.z;
            slope = fmax(slope, size_of(change));
        }
    }
    for (int i = 0; i < GRAINS; ++i) {
        ASSERT_IN_RANGE(0.0, divergence[i], 0.01 * slope);
    }
    ASSERT(slope > 10);
    ASSERT(sample(mean, 0, a, &spare) && sample(mean, 3, b, &spare) && sample((vec3d){0.3, 0, 0}, 0, c, &spare));
    for (int i = 0; i < GRAINS; ++i) {
        moved += size_of(minus(a[i], b[i])) > 0.5 && size_of(minus(a[i], c[i])) > 0.5;
    }
    ASSERT(moved > 50);
    PASS();
}

// For one instance, for some parts, and not for who comes into its place.
TEST a_force_acts_on_whom_it_is_for(void) {
    dust d;
    ASSERT(open_dust(&d, 2));
    const hem_instance_id other = {3 - d.w.id.index1, 1};
    hem_force f[2] = {force_of(HEM_FORCE_CONSTANT, &d.root), force_of(HEM_FORCE_CONSTANT, &d.root)};
    f[0].only = other;
    f[1].mask = 2; // the dust is of group 1
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, f, 2));
    world_step(&d.w, 1.0f / 60.0f, 0, 10);
    ASSERT_EQ(0.0, linear_momentum(&d.w).z);
    hem_particle p;
    ASSERT_EQ(HEM_OK, hem_instance_get_particles(d.w.scene, other, 0, 1, &p));
    ASSERT(fabs((double)p.velocity[1]) > 0.1);
    ASSERT_EQ(HEM_OK, hem_scene_remove(d.w.scene, other));
    hem_instance_def def = hem_instance_def_default();
    def.asset = &d.w.asset;
    def.gravity_scale = 0;
    hem_instance_id next;
    ASSERT_EQ(HEM_OK, hem_scene_add(d.w.scene, &def, &next));
    ASSERT_EQ(other.index1, next.index1);
    world_step(&d.w, 1.0f / 60.0f, 0, 10);
    ASSERT_EQ(HEM_OK, hem_instance_get_particles(d.w.scene, next, 0, 1, &p));
    ASSERT_EQ(0.0f, p.velocity[1]);
    ASSERT_EQ(HEM_ERROR_ID, hem_scene_set_forces(d.w.scene, f, 1)); // nobody is there to act on
    world_close(&d.w);
    PASS();
}

static int asleep(const world* w) {
    hem_instance_stats stats;
    return hem_instance_get_stats(w->scene, w->id, &stats) == HEM_OK && stats.asleep;
}

TEST forces_that_change_keep_awake_whom_they_reach(void) {
    static const hem_force_key keys[2] = {{0, 1}, {1.5f, 0}};
    dust d;
    ASSERT(open_dust(&d, 1));
    hem_tuning t = world_tuning(&d.w);
    t.damping = 20;
    t.sleep_speed = 0.01f;
    world_tune(&d.w, &t);
    hem_force f = force_of(HEM_FORCE_TURBULENCE, &d.root);
    f.strength = 0.001f; // it moves nothing that could be seen
    f.radius = 1;
    f.position[0] += 50;
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, &f, 1));
    world_step(&d.w, 1.0f / 60.0f, 0, 60);
    ASSERT(asleep(&d.w)); // too far away
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, &f, 1));
    world_step(&d.w, 1.0f / 60.0f, 0, 1);
    ASSERT(asleep(&d.w)); // the same said again
    f.position[0] -= 50;
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, &f, 1));
    world_step(&d.w, 1.0f / 60.0f, 0, 120);
    ASSERT_FALSE(asleep(&d.w));
    f.kind = HEM_FORCE_POINT;
    f.keys = keys;
    f.key_count = 2;
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, &f, 1));
    world_step(&d.w, 1.0f / 60.0f, 0, 80);
    ASSERT_FALSE(asleep(&d.w)); // until its last key
    world_step(&d.w, 1.0f / 60.0f, 0, 60);
    ASSERT(asleep(&d.w));
    f.restart = 1;
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, &f, 1));
    world_step(&d.w, 1.0f / 60.0f, 0, 1);
    ASSERT_FALSE(asleep(&d.w));
    f.restart = 0;
    world_step(&d.w, 1.0f / 60.0f, 0, 140);
    ASSERT(asleep(&d.w));
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, NULL, 0));
    world_step(&d.w, 1.0f / 60.0f, 0, 1);
    ASSERT_FALSE(asleep(&d.w)); // what held it is gone
    world_close(&d.w);
    PASS();
}

// A thousandfold strength on a tenth of the mass in frames of a fifteenth: cloth stays finite, and rests when it is over.
TEST violent_forces_leave_cloth_whole(void) {
    world w;
    OPEN(w, "cape");
    hem_force f[7];
    for (int i = 0; i < 7; ++i) {
        f[i] = hem_force_default();
        f[i].kind = (hem_force_kind)i;
        f[i].velocity[2] = i == HEM_FORCE_WIND ? 1000.0f : 0.0f;
        f[i].strength = i == HEM_FORCE_WIND        ? 10.0f
                        : i == HEM_FORCE_DRAG      ? 1e4f
                        : i == HEM_FORCE_EXPLOSION ? 1e3f
                                                   : 1e4f;
        f[i].radius = 3;
        f[i].size[0] = f[i].size[1] = f[i].size[2] = 0.4f;
    }
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(w.scene, f, 7));
    for (int i = 0; i < 60; ++i) {
        world_step(&w, 1.0f / 15.0f, 0, 1);
        hem_step_report r;
        hem_scene_get_report(w.scene, &r);
        ASSERT_EQ(0, r.mended_count);
        hem_instance_stats stats;
        hem_instance_get_stats(w.scene, w.id, &stats);
        ASSERT(isfinite(stats.kinetic_energy) && stats.stretch_max < 1000);
    }
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(w.scene, NULL, 0));
    for (int i = 0; i < 1800 && !asleep(&w); ++i) {
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    hem_instance_stats stats;
    hem_instance_get_stats(w.scene, w.id, &stats);
    ASSERT(stats.stretch_max < 0.3f);
    world_close(&w);
    PASS();
}

// In air so thick that a particle moves with it at once: the kite's particles, turned loose, tell how it moves where they are.
// Its sheet faces x and feels drag alone across, lift along, so both are needed.
static bool open_leaf(world* w, hem_force* f) {
    if (!world_open(w, "kite", NULL, NULL, 1)) {
        return false;
    }
    hem_tuning t = world_tuning(w);
    for (int k = 0; k < 8; ++k) {
        t.compliance[k] = HEM_MAX_COMPLIANCE;
    }
    t.drag = t.lift = 1e6f;
    t.damping = 0;
    t.max_speed = 1000;
    *f = hem_force_default();
    f->kind = HEM_FORCE_WIND;
    f->velocity[0] = 3;
    f->velocity[2] = 4;
    return world_tune(w, &t) && hem_instance_set_gravity(w->scene, w->id, (const float[3]){0, 0, 0}) == HEM_OK;
}

// Without gusts it is the wind that an instance is told of; both add up.
TEST wind_by_name_is_wind(void) {
    world a, b;
    hem_force f;
    ASSERT(open_leaf(&a, &f) && open_leaf(&b, &f));
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(a.scene, &f, 1));
    hem_instance_set_wind(a.scene, a.id, (const float[3]){1, 2, 0});
    hem_instance_set_wind(b.scene, b.id, (const float[3]){4, 2, 4});
    world_step(&a, 1.0f / 60.0f, 0, 30);
    world_step(&b, 1.0f / 60.0f, 0, 30);
    for (uint32_t i = 0; i < a.view.info->particle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            ASSERT_IN_RANGE((double)particle_at(&b, i).position[k], (double)particle_at(&a, i).position[k], 1e-5);
        }
    }
    world_close(&a);
    world_close(&b);
    PASS();
}

// Over many wavelengths the mean is the wind and the root of the mean square its share of the speed; and since the wind
// carries its gusts along, who drifts with it feels them stand still.
TEST gusts_are_as_strong_as_said_and_drift_with_the_wind(void) {
    world w;
    hem_force f;
    ASSERT(open_leaf(&w, &f));
    f.strength = 0.4f;
    f.length = 0.3f;
    double mean[3] = {0, 0, 0}, square = 0, count = 0;
    for (int n = 0; n < 400; ++n) {
        f.position[0] = 3.7 * n;
        f.position[1] = 1.9 * n;
        f.restart = 1;
        ASSERT_EQ(HEM_OK, hem_instance_reset(w.scene, w.id));
        ASSERT_EQ(HEM_OK, hem_scene_set_forces(w.scene, &f, 1));
        world_step(&w, 1e-3f, 1, 1);
        for (uint32_t i = 0; i < 8; ++i) {
            const hem_particle p = particle_at(&w, nth_particle(&w, false, 12 * i));
            for (int k = 0; k < 3; ++k) {
                const double gust = (double)p.velocity[k] - (double)f.velocity[k];
                mean[k] += gust;
                square += gust * gust;
            }
            ++count;
        }
    }
    for (int k = 0; k < 3; ++k) {
        ASSERT_IN_RANGE(0.0, mean[k] / count, 0.1);
    }
    ASSERT_IN_RANGE(0.4 * 5, sqrt(square / count), 0.2);
    // The same grain, and one that is where the wind has carried that place to a second later.
    f.position[0] = f.position[1] = 0;
    f.restart = 0;
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(w.scene, NULL, 0));
    ASSERT_EQ(HEM_OK, hem_instance_reset(w.scene, w.id));
    ASSERT_EQ(HEM_OK, hem_scene_set_forces(w.scene, &f, 1));
    world_step(&w, 1e-3f, 1, 1);
    const hem_particle first = particle_at(&w, nth_particle(&w, false, 5));
    hem_instance_set_time_scale(w.scene, w.id, 0); // the wind's time goes on
    for (int n = 0; n < 999; ++n) {
        world_step(&w, 1e-3f, 1, 1);
    }
    hem_instance_set_time_scale(w.scene, w.id, 1);
    const hem_root root = {{3, 0, 4}, {0, 0, 0, 1}};
    ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &root, 0));
    ASSERT_EQ(HEM_OK, hem_instance_reset(w.scene, w.id));
    world_step(&w, 1e-3f, 1, 1);
    const hem_particle then = particle_at(&w, nth_particle(&w, false, 5));
    for (int k = 0; k < 3; ++k) {
        ASSERT_IN_RANGE((double)first.velocity[k], (double)then.velocity[k], 0.05);
    }
    world_close(&w);
    PASS();
}

// Right behind the body all of the wind is kept off with a shelter of 1, before it none; far behind it is back.
TEST the_body_shelters_what_is_behind_it(void) {
    double moved[2][2] = {{0, 0}, {0, 0}};
    for (int side = 0; side < 2; ++side) {
        for (int shelter = 0; shelter < 2; ++shelter) {
            world w;
            OPEN(w, "cape_girl");
            hem_force f = hem_force_default();
            f.kind = HEM_FORCE_WIND;
            f.velocity[2] = side ? 6.0f : -6.0f;
            f.shelter = (float)shelter;
            ASSERT_EQ(HEM_OK, hem_scene_set_forces(w.scene, &f, 1));
            world_step(&w, 1.0f / 60.0f, 0, 1);
            for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
                const hem_particle p = particle_at(&w, i);
                moved[side][shelter] +=
                    p.flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED) ? 0 : (double)p.velocity[2];
            }
            world_close(&w);
        }
        ASSERT(fabs(moved[side][1]) < 0.95 * fabs(moved[side][0]));
        ASSERT(moved[side][1] * moved[side][0] >= 0);
    }
    PASS();
}

// Gusts keep awake; wind that is steady does not.
TEST steady_wind_lets_sleep(void) {
    for (int gusts = 0; gusts < 2; ++gusts) {
        dust d;
        ASSERT(open_dust(&d, 1));
        hem_tuning t = world_tuning(&d.w);
        t.sleep_speed = 0.01f;
        world_tune(&d.w, &t);
        hem_force f = force_of(HEM_FORCE_WIND, &d.root);
        f.velocity[2] = 0.002f; // what it carries is slower than what sleeps
        f.strength = gusts ? 0.5f : 0.0f;
        ASSERT_EQ(HEM_OK, hem_scene_set_forces(d.w.scene, &f, 1));
        world_step(&d.w, 1.0f / 60.0f, 1, 90);
        ASSERT_EQ(!gusts, asleep(&d.w));
        world_close(&d.w);
    }
    PASS();
}

static const hem_force_key late[2] = {{1, 0}, {0.5f, 1}};

static hem_force spoiled(int row) {
    hem_force f = hem_force_default();
    f.kind = row == 4 || row == 6 ? HEM_FORCE_EXPLOSION : row == 5 ? HEM_FORCE_DRAG : HEM_FORCE_POINT;
    f.radius = row == 6 ? 1.0f : 0.0f;
    f.cookie += row == 0;
    f.kind = row == 1 ? (hem_force_kind)7 : row == 16 ? HEM_FORCE_WIND : f.kind;
    f.position[1] = row == 2 ? NAN : 0;
    f.strength = row == 3 ? 2e4f : row == 16 ? 11.0f : row == 5 ? -1.0f : 1.0f;
    f.speed = row == 6 ? 0.0f : 1.0f;
    f.length = row == 7 ? 0.0f : 1.0f;
    f.period = row == 8 ? 1e-4f : 0.0f;
    f.key_count = row == 9 ? 9 : row == 10 ? 2 : row == 11 ? 1 : 0;
    f.keys = row == 11 ? NULL : late;
    f.only.index1 = row == 12 ? 7 : 0;
    f.rotation[3] = row == 13 ? 2.0f : 1.0f;
    f.size[2] = row == 14 ? -1.0f : 0.0f;
    f.velocity[0] = row == 15 ? INFINITY : 0.0f;
    f.shelter = row == 17 ? 1.5f : 0.0f;
    return f;
}

TEST wrong_forces_are_refused_in_words(void) {
    static const struct {
        hem_result result;
        const char* says;
    } rows[] = {{HEM_ERROR_COOKIE, "forces[1].cookie is "},
                {HEM_ERROR_RANGE, "forces[1].kind is 7: must be one of hem_force_kind"},
                {HEM_ERROR_RANGE, "forces[1].position[1] is not a number"},
                {HEM_ERROR_RANGE, "forces[1].strength is 20000: must be within 1e4"},
                {HEM_ERROR_RANGE, "forces[1].radius is 0: of an explosion must be"},
                {HEM_ERROR_RANGE, "forces[1].strength is -1: of drag must be 0"},
                {HEM_ERROR_RANGE, "forces[1].speed is 0: of an explosion"},
                {HEM_ERROR_RANGE, "forces[1].length is 0: must be 0.001"},
                {HEM_ERROR_RANGE, "forces[1].period is 0.0001: must be 0, or"},
                {HEM_ERROR_RANGE, "forces[1].key_count is 9: must be at most 8"},
                {HEM_ERROR_RANGE, "forces[1].keys[1] is 0.5: seconds"},
                {HEM_ERROR_NULL, "forces[1].keys is NULL"},
                {HEM_ERROR_ID, "forces[1].only.index1 is 7"},
                {HEM_ERROR_RANGE, "forces[1].rotation is 4"},
                {HEM_ERROR_RANGE, "forces[1].size[2] is -1"},
                {HEM_ERROR_RANGE, "forces[1].velocity[0] is infinity"},
                {HEM_ERROR_RANGE, "forces[1].strength is 11: of wind must be 0 to 10 times its speed"},
                {HEM_ERROR_RANGE, "forces[1].shelter is 1.5: must be 0 to 1"}};
    world w;
    OPEN(w, "free");
    const uint64_t before = hem_scene_hash(w.scene);
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); ++i) {
        static const hem_force_key nine[9];
        hem_force f[2] = {hem_force_default(), spoiled(i)};
        f[1].keys = i == 9 ? nine : f[1].keys;
        ASSERT_EQ_FMT((int)rows[i].result, (int)hem_scene_set_forces(w.scene, f, 2), "%d");
        ASSERTm(hem_scene_refusal(w.scene), strstr(hem_scene_refusal(w.scene), rows[i].says));
        ASSERT_EQ(before, hem_scene_hash(w.scene));
    }
    static hem_force many[17];
    for (int i = 0; i < 17; ++i) {
        many[i] = hem_force_default();
    }
    ASSERT_EQ(HEM_ERROR_COUNT, hem_scene_set_forces(w.scene, many, 17));
    ASSERT(strstr(hem_scene_refusal(w.scene), "count is 17: has no room: raise force_capacity"));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_set_forces(w.scene, NULL, 1));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_set_forces(NULL, many, 1));
    world_close(&w);
    PASS();
}

SUITE(forces_suite) {
    RUN_TESTp(a_force_is_its_formula, HEM_FORCE_CONSTANT);
    RUN_TESTp(a_force_is_its_formula, HEM_FORCE_POINT);
    RUN_TESTp(a_force_is_its_formula, HEM_FORCE_VORTEX);
    RUN_TEST(speed_is_the_integral_of_keyed_strength);
    RUN_TEST(an_explosion_gives_its_speed_at_every_rate);
    RUN_TEST(drag_takes_speed_away_exponentially);
    RUN_TEST(turbulence_has_its_strength_and_no_sources);
    RUN_TEST(a_force_acts_on_whom_it_is_for);
    RUN_TEST(forces_that_change_keep_awake_whom_they_reach);
    RUN_TEST(violent_forces_leave_cloth_whole);
    RUN_TEST(wind_by_name_is_wind);
    RUN_TEST(gusts_are_as_strong_as_said_and_drift_with_the_wind);
    RUN_TEST(the_body_shelters_what_is_behind_it);
    RUN_TEST(steady_wind_lets_sleep);
    RUN_TEST(wrong_forces_are_refused_in_words);
}
