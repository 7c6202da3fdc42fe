// SPDX-License-Identifier: MIT
// Whole characters through their clips: cloth stays outside the body, momentum is kept, nothing blows up, all comes to
// rest. The characters are compiled from the samples; where they are missing these tests are skipped.

#include "tests/runtime/suites.h"
#include "runtime/src/step.h"
#include "hem/inspect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__aarch64__) || defined(__wasm__)
enum { EMULATED = 1 };
#else
enum { EMULATED = 0 };
#endif

enum { POSE_LIMIT = 256 * 12, PARTICLE_LIMIT = 8192 };
static float pose[POSE_LIMIT];
static hem_particle particles[PARTICLE_LIMIT];

static bool is_there(const char* name) {
    size_t size;
    void* bytes = read_asset(name, &size);
    free(bytes);
    return bytes != NULL;
}

// Opens a character on the first frame of a clip.
static bool open_posed(world* w, const char* name, const char* clip) {
    world probe;
    if (!world_open(&probe, name, NULL, NULL, 1)) {
        return false;
    }
    const hem_clip* c = find_clip(&probe, clip);
    bool good =
        c && probe.view.info->bone_count * 12 <= POSE_LIMIT && probe.view.info->particle_count <= PARTICLE_LIMIT;
    if (good) {
        clip_pose(&probe, c, 0, pose);
    }
    world_close(&probe);
    hem_instance_def def = hem_instance_def_default();
    def.pose = pose;
    return good && world_open(w, name, NULL, &def, 1);
}

static bool all_finite(const world* w) {
    uint32_t n = w->view.info->particle_count;
    hem_instance_get_particles(w->scene, w->id, 0, n, particles);
    for (uint32_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (!isfinite(particles[i].position[k]) || !isfinite(particles[i].velocity[k]) ||
                !isfinite(particles[i].rotation[k])) {
                return false;
            }
        }
    }
    return true;
}

// -- Cloth and body

static void outward(const float q[4], double axis[3]) {
    double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3];
    axis[0] = 1 - 2 * (y * y + z * z);
    axis[1] = 2 * (x * y + w * z);
    axis[2] = 2 * (x * z - w * y);
}

typedef struct tangent { // sphere of a body particle, now and at rest
    double now[3], rest[3], axis[3], radius;
} tangent;

static tangent tangents[PARTICLE_LIMIT];

// Depth of every simulated particle into the spheres that the surface particles of the body stand for: the near side
// of each sphere, and no deeper than the pair was when the character was modelled.
static void depths(const world* w, double* depth) {
    const hem_view* v = &w->view;
    uint32_t n = v->info->particle_count, count = 0;
    hem_instance_get_particles(w->scene, w->id, 0, n, particles);
    for (uint32_t b = 0; b < n; ++b) {
        const hem_particle* p = &particles[b];
        if ((p->flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_BODY | HEM_PARTICLE_SURFACE)) !=
            (HEM_PARTICLE_BODY | HEM_PARTICLE_SURFACE)) {
            continue;
        }
        tangent* t = &tangents[count++];
        uint32_t row = b >> 3, lane = b & 7;
        const hem_shape_row* s = &v->shape_rows[row];
        float rest_q[4] = {s->qx[lane], s->qy[lane], s->qz[lane], s->qw[lane]};
        double a = (double)p->radii[0], rb = (double)p->radii[1], rc = (double)p->radii[2], rest_axis[3];
        t->radius = 0.5 * (rb * rb + rc * rc) / a;
        outward(p->rotation, t->axis);
        outward(rest_q, rest_axis);
        const float rest[3] = {v->rest_rows[row].x[lane], v->rest_rows[row].y[lane], v->rest_rows[row].z[lane]};
        for (int k = 0; k < 3; ++k) {
            t->now[k] = (double)p->position[k] + t->axis[k] * (a - t->radius);
            t->rest[k] = (double)rest[k] + rest_axis[k] * (a - t->radius);
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        const hem_particle* p = &particles[i];
        depth[i] = 0;
        if ((p->flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED)) || !(p->flags & HEM_PARTICLE_COLLIDES)) {
            continue;
        }
        const hem_rest_row* row = &v->rest_rows[i >> 3];
        const float rest[3] = {row->x[i & 7], row->y[i & 7], row->z[i & 7]};
        for (uint32_t b = 0; b < count; ++b) {
            const tangent* t = &tangents[b];
            double now2 = 0, rest2 = 0, out = 0;
            for (int k = 0; k < 3; ++k) {
                double d = (double)p->position[k] - t->now[k], e = (double)rest[k] - t->rest[k];
                now2 += d * d;
                rest2 += e * e;
                out += d * t->axis[k];
            }
            if (now2 >= t->radius * t->radius || out < -0.35 * t->radius) {
                continue;
            }
            double allowed = rest2 < t->radius * t->radius ? sqrt(rest2) : t->radius;
            double deep = allowed - sqrt(now2);
            depth[i] = deep > depth[i] ? deep : depth[i];
        }
    }
}

// Where a bone's joint is in the pose.
static void joint_of(const world* w, uint32_t bone, double at[3]) {
    const float *m = w->view.bones[bone].inverse_bind, *p = pose + 12 * bone;
    double bind[3];
    for (int k = 0; k < 3; ++k) {
        bind[k] = -(double)(m[k] * m[3] + m[4 + k] * m[7] + m[8 + k] * m[11]);
    }
    for (int k = 0; k < 3; ++k) {
        at[k] = (double)p[4 * k + 3];
        for (int j = 0; j < 3; ++j) {
            at[k] += (double)p[4 * k + j] * bind[j];
        }
    }
}

// Thighs, and all that hangs on them, turned further in than they were made: into the belly.
static void tuck_further(const world* w, double radians) {
    double hips[2][3], axis[3], length = 0;
    const int32_t thighs[2] = {hem_asset_find_bone(&w->asset, "thigh.L"), hem_asset_find_bone(&w->asset, "thigh.R")};
    for (int side = 0; side < 2; ++side) {
        joint_of(w, (uint32_t)thighs[side], hips[side]);
    }
    for (int k = 0; k < 3; ++k) {
        axis[k] = hips[1][k] - hips[0][k];
        length += axis[k] * axis[k];
    }
    const double c = cos(radians), s = sin(radians), x = axis[0] / sqrt(length), y = axis[1] / sqrt(length),
                 z = axis[2] / sqrt(length), d = 1 - c;
    const double turn[3][3] = {{c + x * x * d, x * y * d - z * s, x * z * d + y * s},
                               {x * y * d + z * s, c + y * y * d, y * z * d - x * s},
                               {x * z * d - y * s, y * z * d + x * s, c + z * z * d}};
    for (uint32_t b = 0; b < w->view.info->bone_count; ++b) {
        int side = -1;
        for (int32_t up = (int32_t)b; up >= 0; up = w->view.bones[up].parent) {
            side = up == thighs[0] ? 0 : up == thighs[1] ? 1 : side;
        }
        float turned[12];
        for (int k = 0; side >= 0 && k < 12; ++k) {
            double sum = k % 4 == 3 ? hips[side][k / 4] : 0.0;
            for (int j = 0; j < 3; ++j) {
                sum += turn[k / 4][j] * ((double)pose[12 * b + 4 * (uint32_t)j + (uint32_t)(k % 4)] -
                                         (k % 4 == 3 ? hips[side][j] : 0.0));
            }
            turned[k] = (float)sum;
        }
        if (side >= 0) {
            memcpy(pose + 12 * b, turned, sizeof(turned));
        }
    }
}

typedef struct inside {
    double share_mean, share_worst; // of simulated particles, over frames
    uint32_t longest;               // frames in a row that one particle was inside
    double deepest;                 // metres
    bool agrees;                    // with the runtime's own statistics
} inside;

#define TUCK_SECONDS 1.8 // where she is tucked most
#define TUCK_RADIANS 0.5

static bool somersault(float hz, uint32_t features, inside* out) {
    static double depth[PARTICLE_LIMIT];
    static uint32_t run[PARTICLE_LIMIT];
    world w;
    memset(out, 0, sizeof(*out));
    memset(run, 0, sizeof(run));
    if (!open_posed(&w, "somersault", "somersault")) {
        return false;
    }
    hem_instance_set_features(w.scene, w.id, features);
    const hem_clip* clip = find_clip(&w, "somersault");
    int frames = (int)((float)(clip->frame_count - 1) / clip->hz * hz);
    out->agrees = true;
    for (int f = 1; f <= frames; ++f) {
        const double seconds = (double)f / (double)hz, apart = fabs(seconds - TUCK_SECONDS);
        clip_pose(&w, clip, seconds, pose);
        tuck_further(&w, TUCK_RADIANS * fmin(fmax(2.0 - apart / 0.1, 0.0), 1.0));
        hem_instance_set_pose(w.scene, w.id, pose, w.view.info->bone_count, 0);
        world_step(&w, 1.0f / hz, 0, 1);
        depths(&w, depth);
        uint32_t bad = 0, simulated = 0;
        for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
            const hem_particle* p = &particles[i];
            if (p->flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED)) {
                continue;
            }
            float radius = fmaxf(p->radii[0], fmaxf(p->radii[1], p->radii[2]));
            bool in = depth[i] > 0.2 * (double)radius;
            ++simulated;
            bad += in;
            run[i] = in ? run[i] + 1 : 0;
            out->longest = run[i] > out->longest ? run[i] : out->longest;
            out->deepest = depth[i] > out->deepest ? depth[i] : out->deepest;
        }
        double share = (double)bad / simulated;
        out->share_mean += share / frames;
        out->share_worst = share > out->share_worst ? share : out->share_worst;
        if (f % 16 == 0) {
            hem_instance_stats stats;
            hem_instance_get_stats(w.scene, w.id, &stats);
            out->agrees = out->agrees && abs((int)stats.penetrating_count - (int)bad) <= 1;
        }
    }
    world_close(&w);
    return true;
}

TEST a_skirt_stays_outside_the_body_through_a_somersault(void) {
    if (!is_there("somersault")) {
        SKIPm("no somersault.hem");
    }
    const float rates[] = {60, 30};
    for (int i = 0; i < (EMULATED ? 1 : 2); ++i) {
        inside with, without;
        ASSERT(somersault(rates[i], HEM_FEATURE_ALL, &with));
        ASSERT(somersault(rates[i], HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SURFACE, &without));
        printf("somersault at %.0f Hz: inside %.2f %% of particles on average, %.2f %% at worst, %u frames at most, "
               "%.1f mm;"
               " without surface particles %.2f %%, %.2f %%, %u frames\n",
               (double)rates[i], 100 * with.share_mean, 100 * with.share_worst, with.longest, 1000 * with.deepest,
               100 * without.share_mean, 100 * without.share_worst, without.longest);
        ASSERT(with.agrees);
        // Threads that may not stretch draw some through the body's skin for a frame or two (stretch.c); what is drawn crosses
        // nothing, says hem prove seen. Before there was a limit, 1 % at worst.
        ASSERT(with.share_worst <= 0.06 && with.share_mean <= 0.002);
        ASSERT(with.longest <= 5);
        ASSERT(without.share_worst > 0.06 || without.longest > 5); // so that this test fails
    }
    PASS();
}

// -- Sag

// Spacings that a free particle of a part's groups ends from where it was modelled, in the pose that it was modelled in.
static double sag_of(const char* name, uint32_t part, float gravity) {
    world w;
    if (!world_open(&w, name, NULL, NULL, 1)) {
        return -1;
    }
    hem_instance_set_gravity(w.scene, w.id, (const float[3]){0, gravity, 0});
    world_step(&w, 1.0f / 60.0f, 0, 300);
    const hem_part* of = &w.view.parts[part];
    double most = 0;
    for (uint32_t i = of->row_begin * 8; i < (of->row_begin + of->row_count) * 8; ++i) {
        const hem_rest_row* rest = &w.view.rest_rows[i >> 3];
        const hem_particle p = particle_at(&w, i);
        if (!(p.flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED))) {
            const double x = (double)p.position[0] - (double)rest->x[i & 7u];
            const double y = (double)p.position[1] - (double)rest->y[i & 7u];
            const double z = (double)p.position[2] - (double)rest->z[i & 7u];
            most = fmax(most, sqrt(x * x + y * y + z * z) / (double)of->spacing);
        }
    }
    world_close(&w);
    return most;
}

// A tail and a belly, which hung 1.6 spacings down, and a chest. Without gravity they rise: it is gravity that they are made for.
TEST flesh_rests_where_it_was_modelled(void) {
    if (!is_there("monster_direct") || !is_there("cape_girl")) {
        SKIPm("no monster_direct.hem or cape_girl.hem");
    }
    ASSERT_IN_RANGE(0.0, sag_of("monster_direct", 0, -9.81f), 0.05);
    ASSERT(sag_of("monster_direct", 0, 0.0f) > 1.0);
    ASSERT_IN_RANGE(0.0, sag_of("cape_girl", 1, -9.81f), 0.005);
    PASS();
}

// -- Momentum

// The middle of all that was modelled between two heights: now, and as modelled.
static void middle_between(const world* w, float low, float high, double now[3], double modelled[3]) {
    double count = 0;
    memset(now, 0, 3 * sizeof(double));
    memset(modelled, 0, 3 * sizeof(double));
    for (uint32_t i = 0; i < w->view.info->particle_count; ++i) {
        const hem_rest_row* row = &w->view.rest_rows[i >> 3];
        const float rest[3] = {row->x[i & 7u], row->y[i & 7u], row->z[i & 7u]};
        if ((w->view.particle_flags[i] & HEM_PARTICLE_PAD) || rest[1] < low || rest[1] > high) {
            continue;
        }
        const hem_particle p = particle_at(w, i);
        for (int k = 0; k < 3; ++k) {
            now[k] += (double)p.position[k];
            modelled[k] += (double)rest[k];
        }
        count += 1;
    }
    for (int k = 0; k < 3; ++k) {
        now[k] /= count;
        modelled[k] /= count;
    }
}

// Degrees that the way from the feet to the head is turned from how it was modelled.
static double tilt_of(const world* w) {
    double feet[3], head[3], feet_then[3], head_then[3], dot = 0, aa = 0, bb = 0;
    middle_between(w, -1.0f, 0.15f, feet, feet_then);
    middle_between(w, 1.2f, 9.0f, head, head_then);
    for (int k = 0; k < 3; ++k) {
        const double a = head[k] - feet[k], b = head_then[k] - feet_then[k];
        dot += a * b;
        aa += a * a;
        bb += b * b;
    }
    return 57.29578 * acos(dot / sqrt(aa * bb));
}

// Nothing but its feet and tail holds it up: the pose acts by its own strength.
static double lowest_vertex(const world* w) {
    const uint32_t count = w->view.info->vertex_count;
    float* positions = malloc(count * 3 * sizeof(float));
    const hem_skin_args skin = {.vertex_count = count, .positions = positions};
    double lowest = 1e9;
    if (positions && hem_instance_skin(w->scene, w->id, &skin) == HEM_OK) {
        for (uint32_t i = 0; i < count; ++i) {
            lowest = fmin(lowest, (double)positions[3 * i + 1]);
        }
    }
    free(positions);
    return lowest;
}

TEST the_monster_stands_on_its_feet(const char* name, double most) {
    if (!is_there("monster")) {
        SKIPm("no monster.hem");
    }
    world w;
    ASSERT(open_posed(&w, "monster", name));
    hem_collider ground = hem_collider_default();
    ground.kind = HEM_COLLIDER_PLANE;
    ground.friction = 0.6f;
    ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &ground, 1));
    const hem_clip* clip = find_clip(&w, name);
    double worst = 0;
    for (int f = 1; f <= 600; ++f) {
        clip_pose(&w, clip, f / 60.0, pose);
        hem_instance_set_pose(w.scene, w.id, pose, w.view.info->bone_count, 0);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        worst = fmax(worst, tilt_of(&w));
    }
    const double soles = lowest_vertex(&w);
    printf("the monster, %s: leans by %.1f degrees at most, by %.1f after 10 s, soles %.0f mm above the ground\n", name,
           worst, tilt_of(&w), 1000 * soles);
    ASSERT_IN_RANGE(0.0, worst, most);
    ASSERT_IN_RANGE(0.0, soles, 0.025);
    world_close(&w);
    PASS();
}

TEST a_leap_with_momentum_falls_and_a_direct_one_flies(void) {
    if (!is_there("monster")) {
        SKIPm("no monster.hem");
    }
    for (int mode = 0; mode < 2; ++mode) {
        world w;
        ASSERT(open_posed(&w, "monster", "leap"));
        ASSERT_EQ(HEM_OK, hem_instance_set_animation(w.scene, w.id, mode));
        hem_tuning tuning[8];
        ASSERT(w.view.info->part_count <= 8);
        ASSERT_EQ(HEM_OK, hem_instance_get_tuning(w.scene, w.id, tuning, sizeof(tuning)));
        for (uint32_t p = 0; p < w.view.info->part_count; ++p) {
            tuning[p].damping = tuning[p].drag = tuning[p].lift = 0;
            tuning[p].max_speed = 1000;
        }
        ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, tuning, w.view.info->part_count));
        const hem_clip* clip = find_clip(&w, "leap");
        hem_instance_stats start, stats;
        hem_instance_get_stats(w.scene, w.id, &start);
        double worst = 0, seconds = 0;
        for (int f = 1; f <= 90; ++f) {
            seconds = f / 60.0;
            clip_pose(&w, clip, seconds, pose);
            hem_instance_set_pose(w.scene, w.id, pose, w.view.info->bone_count, 0);
            world_step(&w, 1.0f / 60.0f, 4, 1);
            hem_instance_get_stats(w.scene, w.id, &stats);
            // Semi-implicit Euler falls g t h / 2 further.
            double fall = 0.5 * 9.81 * seconds * seconds + 0.5 * 9.81 * seconds / 240;
            double error = fabs((double)(start.center_of_mass[1] - stats.center_of_mass[1]) - fall);
            if (seconds > 0.5 && error / fall > worst) {
                worst = error / fall;
            }
        }
        double fell = (double)(start.center_of_mass[1] - stats.center_of_mass[1]);
        double aside = hypot((double)(stats.center_of_mass[0] - start.center_of_mass[0]),
                             (double)(stats.center_of_mass[2] - start.center_of_mass[2]));
        printf("leap, %s: fell %.3f m in %.1f s, off the parabola by %.2f %% at most, aside %.3f m\n",
               mode ? "momentum" : "direct", fell, seconds, 100 * worst, aside);
        if (mode == 1) {
            ASSERT(worst < 0.02);
            ASSERT(aside < 0.02 * fell);
        } else {
            ASSERT(fell < 1.0); // the pose carries it
        }
        world_close(&w);
    }
    PASS();
}

// -- Rough treatment

// The simulated particle farthest from the character's origin, metres; of one that momentum carries, from its middle.
static double farthest(const world* w, bool momentum) {
    uint32_t n = w->view.info->particle_count;
    double far = 0;
    hem_instance_stats stats;
    hem_instance_get_stats(w->scene, w->id, &stats);
    hem_instance_get_particles(w->scene, w->id, 0, n, particles);
    for (uint32_t i = 0; i < n; ++i) {
        double way = 0;
        for (int k = 0; k < 3; ++k) {
            double d = (double)(particles[i].position[k] - (momentum ? stats.center_of_mass[k] : 0.0f));
            way += d * d;
        }
        if (!(particles[i].flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED))) {
            far = fmax(far, sqrt(way));
        }
    }
    return far;
}

typedef struct rough {
    double stretch_mean, far;      // worst
    uint32_t mended, dropped, led; // summed
    double calm, asleep;           // seconds after the clip stopped; -1 = never
    bool finite;
} rough;

// Clip after clip without a blend, three seconds each, at a run (what momentum carries is left to it), with two about-faces
// and a teleport; then everything stops.
static bool treat_roughly(const char* name, float hz, int clip_seconds, double seconds, uint32_t features, rough* out) {
    world w;
    memset(out, 0, sizeof(*out));
    if (!world_open(&w, name, NULL, NULL, 1) || w.view.info->bone_count * 12 > POSE_LIMIT ||
        w.view.info->particle_count > PARTICLE_LIMIT) {
        return false;
    }
    hem_instance_set_features(w.scene, w.id, features);
    uint32_t bones = w.view.info->bone_count;
    bool momentum = w.view.parts[0].animation == HEM_ANIMATE_MOMENTUM;
    if (momentum) { // it would fall for ever
        hem_collider ground = hem_collider_default();
        ground.kind = HEM_COLLIDER_PLANE;
        ground.bone = -1;
        ground.rotation[3] = 1;
        ground.friction = 0.8f;
        ground.mask = ~0u;
        hem_instance_set_colliders(w.scene, w.id, &ground, 1);
    }
    hem_root root = {{0, 0, 0}, {0, 0, 0, 1}};
    int frames = (int)hz * clip_seconds;
    uint32_t turns = (uint32_t)(seconds * (double)hz) / (uint32_t)frames;
    turns = turns > w.view.clip_count ? turns : w.view.clip_count;
    out->finite = true;
    for (uint32_t c = 0; c < turns && out->finite; ++c) {
        const hem_clip* clip = &w.view.clips[c % w.view.clip_count];
        for (int f = 1; f <= frames; ++f) {
            clip_pose(&w, clip, (double)f / (double)hz, pose);
            hem_instance_set_pose(w.scene, w.id, pose, bones, 0);
            root.position[2] += momentum ? 0 : 5.0 / (double)hz;
            if (f == frames / 3 || f == frames / 2) {
                float y = root.rotation[1];
                root.rotation[1] = root.rotation[3];
                root.rotation[3] = -y;
            }
            if (f == 2 * frames / 3) {
                root.position[0] += momentum ? 0 : 100;
                hem_instance_teleport(w.scene, w.id, &root, (int)c & 1);
            } else {
                hem_instance_set_root(w.scene, w.id, &root);
            }
            world_step(&w, 1.0f / hz, 0, 1);
            hem_step_report report;
            hem_scene_get_report(w.scene, &report);
            out->mended += report.mended_count;
            out->dropped += report.dropped_count;
            out->led += report.led_count;
            if (f % (int)hz == 0) {
                hem_instance_stats stats;
                hem_instance_get_stats(w.scene, w.id, &stats);
                out->stretch_mean = fmax(out->stretch_mean, (double)stats.stretch_mean);
                out->far = fmax(out->far, farthest(&w, momentum));
                out->finite = out->finite && all_finite(&w);
            }
        }
    }
    static float last[PARTICLE_LIMIT][3];
    out->calm = out->asleep = -1;
    for (int f = 1; f <= (int)(hz * 20) && out->asleep < 0; ++f) {
        world_step(&w, 1.0f / hz, 0, 1);
        double moving = 0; // what a player sees: the way of a frame
        uint32_t n = w.view.info->particle_count;
        hem_instance_get_particles(w.scene, w.id, 0, n, particles);
        for (uint32_t i = 0; i < n; ++i) {
            double way = 0;
            for (int k = 0; k < 3; ++k) {
                double d = (double)particles[i].position[k] - (double)last[i][k];
                way += d * d;
                last[i][k] = particles[i].position[k];
            }
            if (!(particles[i].flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED))) {
                moving = fmax(moving, sqrt(way) * (double)hz);
            }
        }
        double now = (double)f / (double)hz;
        out->calm = f == 1 || moving >= 0.3 ? -1 : out->calm < 0 ? now : out->calm;
        const hem_event* events;
        uint32_t count;
        hem_scene_get_events(w.scene, &events, &count, NULL);
        for (uint32_t i = 0; i < count; ++i) {
            out->asleep = events[i].kind == HEM_EVENT_SLEEP ? now : out->asleep;
        }
    }
    world_close(&w);
    return true;
}

// Share of the particles of the skirt that were modelled before the thighs, and are there.
static double front_share(const world* w) {
    uint32_t skirt = (uint32_t)hem_asset_find_part(&w->asset, "skirt");
    uint32_t n = w->view.info->particle_count, front = 0, there = 0;
    hem_instance_get_particles(w->scene, w->id, 0, n, particles);
    for (uint32_t i = 0; i < n; ++i) {
        const hem_rest_row* rest = &w->view.rest_rows[i >> 3];
        if (particles[i].part == skirt && !(particles[i].flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED)) &&
            fabsf(rest->x[i & 7]) < 0.12f && rest->z[i & 7] > 0.1f) {
            ++front;
            there += particles[i].position[2] > 0;
        }
    }
    return front > 20 ? (double)there / front : -1;
}

// From standing to 5 m/s within a frame: the front of the skirt meets the legs, and the cloth between its particles must
// not be torn through them. Everything is felt here, and nothing but contacts holds the skirt.
TEST a_sudden_run_leaves_the_skirt_before_the_legs(void) {
    if (!is_there("cape_girl")) {
        SKIPm("no cape_girl.hem");
    }
    const float rates[] = {30, 60, 144};
    for (int r = 0; r < (EMULATED ? 1 : 3); ++r) {
        world w;
        ASSERT(open_posed(&w, "cape_girl", "idle"));
        ASSERT_EQ(HEM_OK, hem_instance_set_felt_limits(w.scene, w.id, 1e6f, 1e6f));
        hem_instance_set_features(w.scene, w.id,
                                  HEM_FEATURE_ALL & ~(uint32_t)(HEM_FEATURE_UNTANGLE | HEM_FEATURE_LIMITS));
        hem_root root = {{0, 0, 0}, {0, 0, 0, 1}};
        for (int f = 1; f <= (int)rates[r]; ++f) {
            root.position[2] += 5.0 / (double)rates[r];
            hem_instance_set_root(w.scene, w.id, &root);
            world_step(&w, 1.0f / rates[r], 0, 1);
        }
        ASSERT(front_share(&w) > 0.97);
        world_close(&w);
    }
    PASS();
}

// The skirt is drawn through the legs while nothing holds it, and let go behind them. Without leading back it
// struggles.
TEST what_went_through_a_limb_is_led_back(void) {
    if (!is_there("cape_girl")) {
        SKIPm("no cape_girl.hem");
    }
    for (int off = 0; off < (EMULATED ? 1 : 2); ++off) {
        world w;
        const float backward[3] = {0, -2, -20};
        ASSERT(open_posed(&w, "cape_girl", "idle"));
        uint32_t features = HEM_FEATURE_ALL & ~(uint32_t)(HEM_FEATURE_LIMITS | (off ? HEM_FEATURE_UNTANGLE : 0));
        hem_instance_set_features(w.scene, w.id, features & ~(uint32_t)HEM_FEATURE_PARTICLE_CONTACTS);
        hem_instance_set_gravity(w.scene, w.id, backward);
        world_step(&w, 1.0f / 60.0f, 0, 90);
        double drawn = front_share(&w);
        hem_instance_set_features(w.scene, w.id, features);
        hem_instance_set_gravity(w.scene, w.id, NULL);
        world_step(&w, 1.0f / 60.0f, 0, EMULATED ? 240 : 600);
        double later = front_share(&w);
        hem_instance_stats stats;
        hem_instance_get_stats(w.scene, w.id, &stats);
        printf(
            "skirt drawn through the legs: %.0f %% of its front before them, ten seconds later%s %.0f %%, asleep %u\n",
            100 * drawn, off ? " without leading back" : "", 100 * later, stats.asleep);
        ASSERT(drawn >= 0 && drawn < 0.7);
        ASSERT(off || later > 0.97);
        ASSERT(EMULATED || (int)stats.asleep == !off);
        world_close(&w);
    }
    PASS();
}

// Threads of the flag that the pole's axis runs through.
static uint32_t cut_by_the_pole(const world* w) {
    static hem_link_info links[4096];
    uint32_t count = 0, cut = 0;
    hem_asset_get_links(&w->asset, links, 4096, &count);
    hem_instance_get_particles(w->scene, w->id, 0, w->view.info->particle_count, particles);
    for (uint32_t i = 0; i < count && i < 4096; ++i) {
        const float *a = particles[links[i].a].position, *b = particles[links[i].b].position;
        double least = 1e30;
        for (int k = 0; k <= 50; ++k) {
            const double u = k / 50.0, x = (double)a[0] + u * (double)(b[0] - a[0]),
                         z = (double)a[2] + u * (double)(b[2] - a[2]);
            least = fmin(least, sqrt(x * x + z * z));
        }
        cut += (links[i].kind == HEM_KIND_WARP || links[i].kind == HEM_KIND_WEFT) && least < 0.012;
    }
    return cut;
}

// The same where there is no body: a flag drawn through its pole.
TEST what_went_through_a_collider_is_led_back(void) {
    if (!is_there("flag")) {
        SKIPm("no flag.hem");
    }
    for (int off = 0; off < 2; ++off) {
        world w;
        const float through[3] = {-20, 0, 0.5f};
        ASSERT(open_posed(&w, "flag", "still"));
        uint32_t features = HEM_FEATURE_ALL & ~(uint32_t)(off ? HEM_FEATURE_UNTANGLE : 0);
        hem_tuning t = world_tuning(&w);
        t.stretch_limit = off ? 0.0f : t.stretch_limit; // threads that may not stretch slip off the pole by themselves
        world_tune(&w, &t);
        hem_instance_set_features(w.scene, w.id, features & ~(uint32_t)HEM_FEATURE_COLLIDERS);
        hem_instance_set_gravity(w.scene, w.id, through);
        world_step(&w, 1.0f / 60.0f, 0, 120);
        const uint32_t drawn = cut_by_the_pole(&w);
        hem_instance_set_features(w.scene, w.id, features);
        hem_instance_set_gravity(w.scene, w.id, NULL);
        world_step(&w, 1.0f / 60.0f, 0, 480);
        const uint32_t later = cut_by_the_pole(&w);
        printf("flag drawn through its pole: %u threads cut by it, eight seconds later%s %u\n", drawn,
               off ? " without leading back" : "", later);
        ASSERT(drawn > 5);
        ASSERT(off ? later > 0 : later == 0);
        world_close(&w);
    }
    PASS();
}

// Metres that the particle that moves most goes in a frame.
static double most_moved(world* w, int frames, float seconds) {
    static hem_particle before[PARTICLE_LIMIT];
    const uint32_t n = w->view.info->particle_count;
    double most = 0;
    for (int f = 0; f < frames; ++f) {
        hem_instance_get_particles(w->scene, w->id, 0, n, before);
        world_step(w, seconds, 0, 1);
        hem_instance_get_particles(w->scene, w->id, 0, n, particles);
        for (uint32_t i = 0; i < n; ++i) {
            double d2 = 0;
            for (int k = 0; k < 3; ++k) {
                const double d = (double)(particles[i].position[k] - before[i].position[k]);
                d2 += d * d;
            }
            most = fmax(most, sqrt(d2));
        }
    }
    return most;
}

// Hair on a collar, a cape on a skirt: what lies on the edge of what it lies outside of has to find a place to stay, at every
// rate and without being put to sleep.
TEST a_held_character_comes_to_rest(const char* name) {
    static const float rates[] = {60.0f, 60000.0f / 1001.0f, 120.0f};
    if (!is_there(name)) {
        SKIPm("not compiled");
    }
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); ++i) {
        world w;
        ASSERT(world_open(&w, name, NULL, NULL, 1));
        ASSERT_EQ(HEM_OK, hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP));
        world_step(&w, 1.0f / rates[i], 0, (int)(8.0f * rates[i]));
        const double most = most_moved(&w, 60, 1.0f / rates[i]);
        printf("%s held at %.2f Hz: %.4f mm a frame at most\n", name, (double)rates[i], 1000 * most);
        ASSERT(most < 2e-5);
        world_close(&w);
    }
    PASS();
}

// In the middle of a somersault tucked too far thighs and belly press the skirt between them, more than there is room for. Held so,
// it must come to rest: what is pinched stays where the pose has it, instead of being pushed out and led back for ever.
TEST a_pose_that_pinches_holds_what_it_pinches(void) {
    if (!is_there("somersault")) {
        SKIPm("no somersault.hem");
    }
    world w;
    ASSERT(open_posed(&w, "somersault", "somersault"));
    const uint32_t bones = w.view.info->bone_count;
    clip_pose(&w, find_clip(&w, "somersault"), TUCK_SECONDS, pose);
    tuck_further(&w, TUCK_RADIANS);
    ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, pose, bones, 0));
    ASSERT_EQ(HEM_OK, hem_instance_reset(w.scene, w.id));
    uint32_t led = 0;
    for (int f = 0; f < 180; ++f) {
        hem_step_report report;
        world_step(&w, 1.0f / 60.0f, 0, 1);
        hem_scene_get_report(w.scene, &report);
        led += report.led_count;
    }
    ASSERT(led > 0); // else it pinches nothing
    world_step(&w, 1.0f / 60.0f, 0, 12 * 60);
    const double most = most_moved(&w, 60, 1.0f / 60.0f);
    printf("pinched by a held pose: %.3f mm a frame at most\n", 1000 * most);
    ASSERT(most < 5e-4);
    // And it is let go when the pose moves on.
    world_step(&w, 1.0f / 60.0f, 0, 1);
    clip_pose(&w, find_clip(&w, "somersault"), 0, pose);
    ASSERT_EQ(HEM_OK, hem_instance_set_pose(w.scene, w.id, pose, bones, 0));
    world_step(&w, 1.0f / 60.0f, 0, 240);
    hem_step_report report;
    hem_scene_get_report(w.scene, &report);
    ASSERT_EQ(0u, report.led_count);
    world_close(&w);
    PASS();
}

// Share of the hair's particles that were modelled behind the head, and are behind it.
static double behind_share(const world* w) {
    uint32_t hair = (uint32_t)hem_asset_find_part(&w->asset, "hair");
    uint32_t n = w->view.info->particle_count, behind = 0, there = 0;
    hem_instance_get_particles(w->scene, w->id, 0, n, particles);
    for (uint32_t i = 0; i < n; ++i) {
        const hem_rest_row* rest = &w->view.rest_rows[i >> 3];
        if (particles[i].part == hair && !(particles[i].flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED)) &&
            rest->z[i & 7] < -0.1f) {
            ++behind;
            there += particles[i].position[2] < -0.05f;
        }
    }
    return behind > 20 ? (double)there / behind : -1;
}

// Share of the hair's particles near the cape that lie outside of it, asked at the particle of the cape that is nearest.
static double outside_share(const world* w) {
    uint32_t hair = (uint32_t)hem_asset_find_part(&w->asset, "hair");
    uint32_t cape = (uint32_t)hem_asset_find_part(&w->asset, "cape");
    uint32_t n = w->view.info->particle_count, near_count = 0, out = 0;
    hem_instance_get_particles(w->scene, w->id, 0, n, particles);
    for (uint32_t i = 0; i < n; ++i) {
        if (particles[i].part != hair || (particles[i].flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED))) {
            continue;
        }
        double nearest = 0.15 * 0.15, height = 0;
        for (uint32_t j = 0; j < n; ++j) {
            if (particles[j].part == cape && !(particles[j].flags & HEM_PARTICLE_PAD)) {
                double d2 = 0, along = 0, axis[3];
                outward(particles[j].rotation, axis);
                for (int k = 0; k < 3; ++k) {
                    double d = (double)particles[i].position[k] - (double)particles[j].position[k];
                    d2 += d * d;
                    along += d * axis[k];
                }
                height = d2 < nearest ? along : height;
                nearest = fmin(nearest, d2);
            }
        }
        near_count += nearest < 0.15 * 0.15;
        out += nearest < 0.15 * 0.15 && height > -0.005;
    }
    return near_count > 20 ? (double)out / near_count : -1;
}

// The hair is drawn through the neck while nothing holds it, and let go before the chest: its way home leads through the
// body. Without leading back it lies there for ever.
TEST hair_before_the_chest_is_led_home(void) {
    if (!is_there("cape_girl")) {
        SKIPm("no cape_girl.hem");
    }
    double later[2] = {0, 0};
    for (int off = 0; off < (EMULATED ? 1 : 2); ++off) {
        world w;
        const float forward[3] = {0, -2, 60};
        ASSERT(open_posed(&w, "cape_girl", "idle"));
        uint32_t features = HEM_FEATURE_ALL & ~(uint32_t)(HEM_FEATURE_LIMITS | (off ? HEM_FEATURE_UNTANGLE : 0));
        hem_instance_set_features(w.scene, w.id, features & ~(uint32_t)HEM_FEATURE_PARTICLE_CONTACTS);
        hem_instance_set_gravity(w.scene, w.id, forward);
        world_step(&w, 1.0f / 60.0f, 0, 90);
        double drawn = behind_share(&w);
        hem_instance_set_features(w.scene, w.id, features);
        hem_instance_set_gravity(w.scene, w.id, NULL);
        world_step(&w, 1.0f / 60.0f, 0, 300);
        later[off] = behind_share(&w);
        printf("hair drawn before the chest: %.0f %% behind, five seconds later%s %.0f %%\n", 100 * drawn,
               off ? " without leading back" : "", 100 * later[off]);
        ASSERT(drawn >= 0 && drawn < 0.7);
        world_close(&w);
    }
    ASSERT(later[0] > 0.97);
    ASSERT(EMULATED || later[1] < later[0]);
    PASS();
}

// The hair is drawn into the cape while nothing holds it, and let go for four seconds. What share of it is outside?
static bool drawn_into_cape(bool ordered, uint32_t features, double* modelled, double* drawn, double* later) {
    const float backward[3] = {0, -9.81f, -9.81f};
    world w;
    hem_tuning tuning[8];
    if (!open_posed(&w, "cape_girl", "idle")) {
        return false;
    }
    const uint32_t hair = (uint32_t)hem_asset_find_part(&w.asset, "hair"), count = w.view.info->part_count;
    for (uint32_t p = 0; !ordered && p < count; ++p) {
        hem_part* part = (hem_part*)((char*)w.bytes + ((const char*)&w.view.parts[p] - (const char*)w.bytes));
        memset(part->outside_of, 0, sizeof(part->outside_of));
    }
    memcpy(tuning, w.view.tuning, count * sizeof(hem_tuning));
    tuning[hair].drive = 1.5f; // a strong drive brings most of it out by itself
    const float gravity_scale = tuning[hair].gravity_scale;
    tuning[hair].gravity_scale = -2.0f; // it goes the other way than the cape
    bool good = count <= 8 && hem_instance_set_tuning(w.scene, w.id, tuning, count) == HEM_OK;
    *modelled = outside_share(&w); // the outermost locks hang beside the cape, below the planes of its rim
    hem_instance_set_features(w.scene, w.id,
                              features & ~(uint32_t)(HEM_FEATURE_PARTICLE_CONTACTS | HEM_FEATURE_UNTANGLE));
    hem_instance_set_gravity(w.scene, w.id, backward);
    world_step(&w, 1.0f / 60.0f, 0, 40);
    *drawn = outside_share(&w);
    tuning[hair].gravity_scale = gravity_scale;
    good = hem_instance_set_tuning(w.scene, w.id, tuning, count) == HEM_OK && good;
    hem_instance_set_features(w.scene, w.id, features);
    hem_instance_set_gravity(w.scene, w.id, NULL);
    world_step(&w, 1.0f / 60.0f, 0, 240);
    *later = outside_share(&w);
    world_close(&w);
    return good && *drawn >= 0;
}

// Where the cape knows that the hair lies outside of it, more of it comes out again: the order is taken away for the
// comparison. What is held below the cape is led home.
TEST hair_below_the_cape_comes_out(void) {
    if (!is_there("cape_girl")) {
        SKIPm("no cape_girl.hem");
    }
    const uint32_t all = HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_LIMITS, held = all & ~(uint32_t)HEM_FEATURE_UNTANGLE;
    double modelled = 1, drawn = 1, led = 0, ordered = 0, plain = 0;
    ASSERT(drawn_into_cape(true, held, &modelled, &drawn, &ordered));
    ASSERT(drawn < 0.6);
    ASSERT(ordered > 0.75);
    if (EMULATED) {
        PASS();
    }
    ASSERT(drawn_into_cape(false, held, &modelled, &drawn, &plain) &&
           drawn_into_cape(true, all, &modelled, &drawn, &led));
    printf(
        "hair drawn into the cape: %.0f %% outside, four seconds later %.0f %%, without leading home %.0f %%, nor an "
        "order %.0f %%\n",
        100 * drawn, 100 * led, 100 * ordered, 100 * plain);
    ASSERT(ordered > plain + 0.1);
    ASSERT(led > modelled - 0.03 && led > ordered + 0.05);
    PASS();
}

// How far a part's farthest particle is from where the pose has it.
static double farthest_from_pose(const world* w, const char* name) {
    const uint32_t part = (uint32_t)hem_asset_find_part(&w->asset, name), n = w->view.info->particle_count;
    const hemi_instance* instance = &w->scene->instances[0];
    double farthest = 0;
    for (uint32_t row = 0; row < w->view.info->row_count; ++row) {
        hemi_led led = {.row = row, .mask = 0xff};
        w->scene->kernels->pose_led(&w->view, instance->bones, &led);
        for (uint32_t i = 0; row * 8 + i < n && i < 8; ++i) {
            const uint32_t flags = w->view.particle_flags[row * 8 + i];
            if (flags >> HEM_PARTICLE_PART_SHIFT == part && !(flags & HEM_PARTICLE_PAD)) {
                const double x = (double)instance->x[row].x[i] - (double)led.goal.x[i];
                const double y = (double)instance->x[row].y[i] - (double)led.goal.y[i];
                const double z = (double)instance->x[row].z[i] - (double)led.goal.z[i];
                farthest = fmax(farthest, sqrt(x * x + y * y + z * z));
            }
        }
    }
    return farthest;
}

// Spun round for two seconds, as hard as nobody turns, at eight moments of the idle: often a lock lands with its
// tip below the rim of the cape, nearer to the pose than what lies over a shoulder.
TEST locks_that_a_spin_leaves_below_a_rim_are_led_home(void) {
    if (EMULATED || !is_there("cape_girl")) {
        SKIPm("no cape_girl.hem");
    }
    uint32_t stuck[2] = {0, 0};
    for (int n = 0; n < 16; ++n) {
        world w;
        const int off = n & 1, begin = 180 + 15 * (n >> 1);
        ASSERT(open_posed(&w, "cape_girl", "idle"));
        hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)(off ? HEM_FEATURE_UNTANGLE : 0));
        const hem_clip* idle = find_clip(&w, "idle");
        for (int f = 1; f <= begin + 360; ++f) { // two of spin, four to come home
            const float angle = 20.0f * fminf(fmaxf((float)(f - begin) / 120.0f, 0.0f), 1.0f);
            hem_root root = {{0, 0, 0}, {0, sinf(angle), 0, cosf(angle)}};
            clip_pose(&w, idle, (double)f / 60.0, pose);
            hem_instance_set_pose(w.scene, w.id, pose, w.view.info->bone_count, 0);
            ASSERT_EQ(HEM_OK, hem_instance_set_root(w.scene, w.id, &root));
            world_step(&w, 1.0f / 60.0f, 0, 1);
        }
        const double left = farthest_from_pose(&w, "hair");
        stuck[off] += left > 0.06;
        world_close(&w);
    }
    printf("spun round 8 times: %u with hair left elsewhere, %u without leading home\n", stuck[0], stuck[1]);
    ASSERT(stuck[0] <= 2 && stuck[0] + 4 <= stuck[1]);
    PASS();
}

TEST the_search_finds_the_candidates_that_brute_force_finds(const char* name, const char* clip) {
    if (!is_there(name)) {
        SKIPm("no characters");
    }
    world w;
    ASSERT(open_posed(&w, name, clip));
    uint32_t n = w.view.info->particle_count;
    // What is led back does not move by itself, and two such are no candidates.
    hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_UNTANGLE);
    for (int f = 0; f < 12; ++f) {
        uint32_t surely, perhaps;
        hem_step_report report;
        hem_instance_get_particles(w.scene, w.id, 0, n, particles);
        count_candidates(&w, particles, 1.0 / 60.0, &surely, &perhaps);
        world_step(&w, 1.0f / 60.0f, 4, 1);
        hem_scene_get_report(w.scene, &report);
        printf("%s, frame %d: %u to %u candidates, found %u, dropped %u\n", name, f, surely, perhaps,
               report.candidate_count, report.dropped_count);
        ASSERT_EQ(0u, report.dropped_count);
        ASSERT(surely >= 10);
        ASSERT(report.candidate_count >= surely && report.candidate_count <= perhaps);
    }
    world_close(&w);
    PASS();
}

static const char* const names[] = {"cape_girl", "monster", "robe", "hair", "somersault"};

// HEM_LONG=600 in the environment: seconds of clips instead of once through all of them.
TEST characters_survive_rough_treatment_and_sleep(void) {
    const float rates[] = {30, 60, 144};
    const char* only = getenv("HEM_LONG_NAME");
    double seconds = getenv("HEM_LONG") ? atof(getenv("HEM_LONG")) : 0;
    uint32_t seen = 0;
    for (int i = 0; i < 5; ++i) {
        if (!is_there(names[i]) || (only && strcmp(only, names[i]) != 0)) {
            continue;
        }
        ++seen;
        // A second of each clip at one rate, which ends in other poses, then three at each.
        for (int r = -1; r < (EMULATED ? 0 : 3); ++r) {
            rough result;
            const float hz = rates[r < 0 ? i % 3 : r];
            ASSERT(treat_roughly(names[i], hz, r < 0 ? 1 : 3, seconds, HEM_FEATURE_ALL, &result));
            printf("%s at %.0f Hz: mean stretch %.3f at worst, nothing beyond %.2f m, dropped %u, led back %u, "
                   "below 0.3 m/s after %.1f s, asleep after %.1f s\n",
                   names[i], (double)hz, result.stretch_mean, result.far, result.dropped, result.led, result.calm,
                   result.asleep);
            ASSERTm(names[i], result.finite);
            ASSERT_EQm(names[i], 0u, result.mended);
            ASSERTm(names[i], result.stretch_mean < 0.25);
            ASSERTm(names[i], result.far < 4);
            ASSERTm(names[i], result.asleep >= 0 && result.asleep <= 15);
        }
    }
    if (!seen) {
        SKIPm("no characters");
    }
    PASS();
}

SUITE(characters_suite) {
    RUN_TEST(a_skirt_stays_outside_the_body_through_a_somersault);
    RUN_TEST(flesh_rests_where_it_was_modelled);
    RUN_TESTp(the_monster_stands_on_its_feet, "idle", 4.0);
    RUN_TESTp(the_monster_stands_on_its_feet, "walk", 12.0);
    RUN_TEST(a_leap_with_momentum_falls_and_a_direct_one_flies);
    RUN_TEST(a_sudden_run_leaves_the_skirt_before_the_legs);
    RUN_TEST(what_went_through_a_limb_is_led_back);
    RUN_TEST(what_went_through_a_collider_is_led_back);
    RUN_TESTp(a_held_character_comes_to_rest, "cape_girl");
    RUN_TESTp(a_held_character_comes_to_rest, "robe");
    RUN_TEST(a_pose_that_pinches_holds_what_it_pinches);
    RUN_TEST(hair_before_the_chest_is_led_home);
    RUN_TEST(hair_below_the_cape_comes_out);
    RUN_TEST(locks_that_a_spin_leaves_below_a_rim_are_led_home);
    RUN_TESTp(the_search_finds_the_candidates_that_brute_force_finds, "cape_girl", "run");
    RUN_TESTp(the_search_finds_the_candidates_that_brute_force_finds, "robe", "walk");
    RUN_TESTp(the_search_finds_the_candidates_that_brute_force_finds, "hair", "shake");
    RUN_TEST(characters_survive_rough_treatment_and_sleep);
}
