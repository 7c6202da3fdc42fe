// SPDX-License-Identifier: MIT
// Rods and chains against what is known: the discrete shape that the turns of the joints make, the deflection of a beam, the same
// rod in double precision, and lengths.

#include "tests/runtime/suites.h"
#include "tools/rod_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define MOST 400
#define GRAVITY 9.81

static vec3d turned(rod_rotation q, vec3d v) {
    const rod_rotation r = rod_mul(rod_mul(q, (rod_rotation){v.x, v.y, v.z, 0}), rod_conjugate(q));
    return (vec3d){r.x, r.y, r.z};
}

static vec3d plus(vec3d a, double s, vec3d b) {
    return (vec3d){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double dot(vec3d a, vec3d b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double distance(vec3d a, vec3d b) {
    const vec3d d = plus(a, -1, b);
    return sqrt(dot(d, d));
}

// The strands of an asset as the file has them: lane by lane of its batches, root first.
typedef struct strand {
    uint32_t count;
    uint32_t particle[64];
    const hem_row_batch* batch;
    uint32_t lane;
} strand;

static uint32_t find_strands(const world* w, strand* out) {
    const hem_view* v = &w->view;
    uint32_t count = 0;
    for (uint32_t i = 0; i < v->row_batch_count; ++i) {
        const hem_row_batch* b = &v->row_batches[i];
        for (uint32_t lane = 0; lane < 8; ++lane) {
            strand* s = &out[count];
            *s = (strand){.batch = b, .lane = lane};
            for (uint32_t k = 0; k < b->member_count; ++k) {
                const hem_group_member* m = b->form == HEM_FORM_STRANDS ? &v->row_members[b->member_begin + k] : NULL;
                const hem_group_index* g = b->form == HEM_FORM_INDICES ? &v->row_indices[b->member_begin + k] : NULL;
                if ((m ? m->lane_mask : g->lane_mask) >> lane & 1) {
                    s->particle[s->count++] = m ? m->row * 8 + ((lane + m->rotate) & 7) : g->index[lane];
                }
            }
            count += s->count > 0;
        }
    }
    return count;
}

static vec3d place_of(const world* w, uint32_t p) {
    const hem_particle at = particle_at(w, p);
    return (vec3d){(double)at.position[0], (double)at.position[1], (double)at.position[2]};
}

static vec3d rest_of(const world* w, uint32_t p) {
    const hem_rest_row* r = &w->view.rest_rows[p / 8];
    return (vec3d){(double)r->x[p % 8], (double)r->y[p % 8], (double)r->z[p % 8]};
}

static rod_rotation frame_of(const world* w, uint32_t p) {
    const hem_particle at = particle_at(w, p);
    return (rod_rotation){(double)at.rotation[0], (double)at.rotation[1], (double)at.rotation[2],
                          (double)at.rotation[3]};
}

static void quieten(world* w, float gravity, float damping, float stiffness) {
    hem_tuning t = world_tuning(w);
    t.gravity_scale = gravity;
    t.damping = t.angular_damping = damping;
    t.rod_stiffness = stiffness;
    world_tune(w, &t);
    hem_instance_set_features(w->scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
}

// Degrees between two frames.
static double angle_between(rod_rotation a, rod_rotation b) {
    const rod_rotation d = rod_mul(a, rod_conjugate(b));
    return 2 * asin(fmin(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), 1)) * 180 / PI;
}

TEST bent_and_twisted_rods_are_the_exact_discrete_curve(void) {
    world w;
    strand strands[16];
    OPEN(w, "rods_bent");
    quieten(&w, 0, 3, 1);
    world_step(&w, 1.0f / 60.0f, 0, 900);
    const uint32_t count = find_strands(&w, strands);
    ASSERT_EQ(4u, count);
    for (uint32_t s = 0; s < count; ++s) {
        const strand* t = &strands[s];
        vec3d x = rest_of(&w, t->particle[0]);
        rod_rotation q = {0, 0, 0, 1};
        double worst = 0, side = 0;
        for (uint32_t k = 0; k < t->count; ++k) {
            worst = fmax(worst, distance(x, place_of(&w, t->particle[k])));
            side = fmax(side, hypot(place_of(&w, t->particle[k]).x - rest_of(&w, t->particle[k]).x,
                                    place_of(&w, t->particle[k]).z - rest_of(&w, t->particle[k]).z));
            const hem_rod* rod = &w.view.rods[t->batch->payload + k];
            const double b[3] = {(double)rod->turn[0][t->lane], (double)rod->turn[1][t->lane],
                                 (double)rod->turn[2][t->lane]};
            if (k + 1 < t->count) {
                x = plus(x, 1, turned(q, plus(rest_of(&w, t->particle[k + 1]), -1, rest_of(&w, t->particle[k]))));
                q = rod_mul(q, (rod_rotation){b[0], b[1], b[2], sqrt(1 - b[0] * b[0] - b[1] * b[1] - b[2] * b[2])});
            }
        }
        const double off = angle_between(q, frame_of(&w, t->particle[t->count - 1]));
        const bool twisted = fabs(q.y) > 0.5 && fabs(q.x) + fabs(q.z) < 1e-3;
        if (getenv("HEM_RODS")) {
            printf("%s: tip off by %.4f degrees and %.4f mm, sideways %.4f mm\n", twisted ? "twist" : "bend", off,
                   1000 * worst, 1000 * side);
        }
        ASSERT_IN_RANGE(0, off, twisted ? 0.2 : 0.05);
        ASSERT_IN_RANGE(0, worst, 1e-3);
        if (twisted) {
            ASSERT_IN_RANGE(0, side, 1e-4); // of a metre
        }
    }
    world_close(&w);
    PASS();
}

TEST a_turned_root_takes_the_tip_along(void) {
    world w;
    strand strands[32];
    OPEN(w, "rods");
    quieten(&w, 0, 2, 1);
    // Without weight, sag-free rods lie beside their model; so compare with where they come to lie unturned.
    world_step(&w, 1.0f / 60.0f, 0, 600);
    const uint32_t count = find_strands(&w, strands);
    ASSERT_EQ(11u, count);
    vec3d before[32];
    for (uint32_t s = 0; s < count; ++s) {
        before[s] = place_of(&w, strands[s].particle[strands[s].count - 1]);
    }
    for (int f = 1; f <= 900; ++f) {
        const float a = fminf((float)f / 60.0f, 1.0f) * (float)PI / 2, c = cosf(a), n = sinf(a);
        const float pose[12] = {c, -n, 0, 0, n, c, 0, 0, 0, 0, 1, 0};
        hem_instance_set_pose(w.scene, w.id, pose, 1, 0);
        world_step(&w, 1.0f / 60.0f, 0, 1);
    }
    for (uint32_t s = 0; s < count; ++s) {
        const vec3d b = before[s], wanted = {-b.y, b.x, b.z};
        const double length = 0.05 * (strands[s].count - 1);
        ASSERT_IN_RANGE(0, distance(wanted, place_of(&w, strands[s].particle[strands[s].count - 1])), 0.02 * length);
    }
    world_close(&w);
    PASS();
}

// m g L^3 / (8 B) for small deflections; here 5 cm of 1 m, then 5 mm and 0.5 mm. Masses sit at the ends of segments, so that a
// rod of n has (1 + 1/n)^2 ... of it: each is compared with itself, and the finest with the formula.
TEST a_cantilever_bends_in_proportion_to_its_stiffness(void) {
    static const float stiffness[] = {1, 10, 100};
    double product[3][3];
    for (int i = 0; i < 3; ++i) {
        world w;
        strand strands[16];
        OPEN(w, "rods_level");
        quieten(&w, 1, 4, stiffness[i]);
        world_step(&w, 1.0f / 60.0f, 0, 900);
        ASSERT_EQ(3u, find_strands(&w, strands));
        for (int s = 0; s < 3; ++s) {
            const uint32_t tip = strands[s].particle[strands[s].count - 1];
            const int which = (int)lround(rest_of(&w, tip).x);
            product[i][which] = -place_of(&w, tip).y * (double)stiffness[i];
            if (getenv("HEM_RODS")) {
                printf("%u segments, stiffness %g: deflection %.3f mm, times stiffness %.3f (beam 50)\n",
                       strands[s].count - 1, (double)stiffness[i], -1000 * place_of(&w, tip).y,
                       1000 * product[i][which]);
            }
        }
        world_close(&w);
    }
    for (int s = 0; s < 3; ++s) {
        ASSERT_IN_RANGE(product[0][s], product[1][s], 0.1 * product[0][s]);
        ASSERT_IN_RANGE(product[0][s], product[2][s], 0.1 * product[0][s]);
    }
    ASSERT_IN_RANGE(0.05, product[1][2], 0.1 * 0.05);
    PASS();
}

TEST rods_made_free_of_sag_stay_as_modelled(void) {
    for (int rate = 30; rate <= 240; rate *= 2) {
        world w;
        strand strands[32];
        OPEN(w, "rods");
        quieten(&w, 1, 0.5f, 1);
        world_step(&w, 1.0f / (float)rate, 0, 4 * rate);
        const uint32_t count = find_strands(&w, strands);
        double worst = 0;
        for (uint32_t s = 0; s < count; ++s) {
            for (uint32_t k = 0; k < strands[s].count; ++k) {
                const uint32_t p = strands[s].particle[k];
                worst = fmax(worst, distance(rest_of(&w, p), place_of(&w, p)));
            }
        }
        if (getenv("HEM_RODS")) {
            printf("%d Hz: as modelled within %.4f mm\n", rate, 1000 * worst);
        }
        ASSERT_IN_RANGE(0, worst, 1e-3);
        world_close(&w);
    }
    PASS();
}

TEST a_helix_sags_as_the_reference_does(void) {
    world w;
    strand strands[16];
    static rod_reference r; // the same rod in double precision
    OPEN(w, "rods_helix");
    ASSERT_EQ(1u, find_strands(&w, strands));
    const strand* s = &strands[0];
    memset(&r, 0, sizeof r);
    r.count = s->count;
    r.gravity = GRAVITY;
    for (uint32_t k = 0; k < s->count; ++k) {
        const uint32_t p = s->particle[k];
        const vec3d x = rest_of(&w, p);
        rod_reference_set(&r, k, &w.view.rods[s->batch->payload + k], s->lane, k > 0 ? mass_of(&w, p) : 0.001,
                          (rod_vector){x.x, x.y, x.z});
    }
    for (int i = 0; i < 40000; ++i) {
        rod_reference_step(&r, 12, 5e-5 * 1.5);
    }
    quieten(&w, 1, 3, 1);
    world_step(&w, 1.0f / 60.0f, 0, 1200);
    const double rest = -rest_of(&w, s->particle[s->count - 1]).y, wanted = -r.x[s->count - 1].y;
    const double reached = -place_of(&w, s->particle[s->count - 1]).y;
    const rod_vector v = r.v[s->count - 1];
    const double speed = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    if (getenv("HEM_RODS")) {
        printf("helix of %.4f m: hangs to %.4f m, reference %.4f m (speed left %.1e)\n", rest, reached, wanted, speed);
    }
    ASSERT(wanted > 1.1 * rest); // it does sag
    ASSERT_IN_RANGE(0, speed, 2e-3);
    ASSERT_IN_RANGE(wanted, reached, 0.03 * wanted);
    world_close(&w);
    PASS();
}

// -- Lengths

static double shake(world* w, float hz, float sway) {
    strand strands[32];
    const uint32_t count = find_strands(w, strands);
    double worst = 0;
    for (int f = 1; f <= 300; ++f) {
        const double t = f / 60.0;
        const float pose[12] = {1, 0, 0, sway * (float)sin(2 * PI * (double)hz * t),
                                0, 1, 0, 0,
                                0, 0, 1, 0.5f * sway * (float)sin(2 * PI * 1.37 * (double)hz * t)};
        hem_instance_set_pose(w->scene, w->id, pose, 1, 0);
        world_step(w, 1.0f / 60.0f, 0, 1);
        for (uint32_t s = 0; s < count; ++s) {
            double now = 0, rest = 0;
            for (uint32_t k = 0; k + 1 < strands[s].count; ++k) {
                const uint32_t a = strands[s].particle[k], b = strands[s].particle[k + 1];
                now += distance(place_of(w, a), place_of(w, b));
                rest += distance(rest_of(w, a), rest_of(w, b));
            }
            worst = fmax(worst, fabs(now / rest - 1));
        }
    }
    return worst;
}

TEST strands_keep_their_length_under_a_shake(void) {
    static const char* const names[] = {"chains", "rods"};
    static const double most[] = {0.002, 0.005};
    for (int i = 0; i < 2; ++i) {
        world w;
        ASSERT(world_open(&w, names[i], NULL, NULL, 1));
        const double worst = shake(&w, 2.0f, 0.1f);
        if (getenv("HEM_RODS")) {
            printf("%s: longer or shorter by at most %.4f %%\n", names[i], 100 * worst);
        }
        ASSERT_IN_RANGE(0, worst, most[i]);
        world_close(&w);
    }
    PASS();
}

// A ball that swings through strands pushes single particles. Nothing is longer or shorter for it, and nothing is left inside.
TEST strands_keep_their_length_in_contacts(void) {
    static const char* const names[] = {"chains", "rods"};
    for (int i = 0; i < 2; ++i) {
        world w;
        strand strands[32];
        double longest = 1, shortest = 1, deep = 0;
        ASSERT(world_open(&w, names[i], NULL, NULL, 1));
        const uint32_t count = find_strands(&w, strands);
        vec3d middle = {0, 0, 0}; // of the one that hangs farthest down
        for (uint32_t s = 0; s < count; ++s) {
            const vec3d at = rest_of(&w, strands[s].particle[3 * strands[s].count / 4]);
            middle = at.y < middle.y ? at : middle;
        }
        uint32_t touched = 0;
        for (int f = 0; f < 240; ++f) {
            hem_collider ball = hem_collider_default();
            const double z = middle.z + 0.3 * cos(2 * PI * 0.7 * f / 60.0);
            ball.size[0] = 0.1f;
            ball.friction = 0.5f;
            ball.position[0] = middle.x + 0.02, ball.position[1] = middle.y, ball.position[2] = z;
            ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &ball, 1));
            world_step(&w, 1.0f / 60.0f, 0, 1);
            for (uint32_t s = 0; s < count; ++s) {
                for (uint32_t k = 0; k < strands[s].count; ++k) {
                    const vec3d a = place_of(&w, strands[s].particle[k]);
                    const double in = 0.11 - distance(a, (vec3d){middle.x + 0.02, middle.y, z});
                    deep = k > 0 ? fmax(deep, in) : deep;
                    touched += in > -0.01;
                    if (k + 1 < strands[s].count) {
                        const uint32_t next = strands[s].particle[k + 1];
                        const double now = distance(a, place_of(&w, next));
                        const double rest = distance(rest_of(&w, strands[s].particle[k]), rest_of(&w, next));
                        longest = fmax(longest, now / rest), shortest = fmin(shortest, now / rest);
                    }
                }
            }
        }
        if (getenv("HEM_RODS")) {
            printf("%s beside a ball: segments of %.4f to %.4f, %.3f mm inside, %u touched\n", names[i], shortest,
                   longest, 1000 * deep, touched);
        }
        ASSERT(touched > 100);
        ASSERT_IN_RANGE(1, longest, 0.02);
        ASSERT_IN_RANGE(1, shortest, 0.02);
        ASSERT(deep < 2e-3);
        world_close(&w);
    }
    PASS();
}

// -- Follow the leader

typedef struct followed {
    vec3d x[64], v[64];
} followed;

// The rule as it was published, in double precision: where everybody goes, from the root on to its length from the one before, speeds.
static void follow_step(followed* f, const double* rest, uint32_t count, double h) {
    vec3d p[64], d[64];
    p[0] = f->x[0];
    for (uint32_t k = 1; k < count; ++k) {
        const vec3d goes = plus(plus(f->x[k], h, f->v[k]), h * h, (vec3d){0, -GRAVITY, 0});
        const double far = distance(goes, p[k - 1]);
        p[k] = plus(p[k - 1], rest[k] / far, plus(goes, -1, p[k - 1]));
        d[k] = plus(p[k], -1, goes);
    }
    for (uint32_t k = 1; k < count; ++k) {
        vec3d moved = plus(p[k], -1, f->x[k]);
        moved = k + 1 < count ? plus(moved, -0.9, d[k + 1]) : moved;
        f->v[k] = (vec3d){moved.x / h, moved.y / h, moved.z / h};
        f->x[k] = p[k];
    }
}

// All strands of the asset, lying and hanging, fall as the published rule has them fall, and none is longer than it is.
TEST chains_follow_as_published(void) {
    static followed f[32];
    static double rest[32][64];
    world w;
    strand strands[32];
    OPEN(w, "chains");
    quieten(&w, 1, 0, 1);
    hem_tuning t = world_tuning(&w);
    t.solver = HEM_SOLVER_FOLLOW;
    t.inner_damping = t.drag = t.lift = 0;
    t.max_speed = 1000;
    for (int k = 0; k < 8; ++k) {
        t.compliance[k] = 1e6f; // links beside the chains, which the rule does not know
    }
    ASSERT(world_tune(&w, &t));
    const uint32_t count = find_strands(&w, strands);
    ASSERT_EQ(11u, count);
    for (uint32_t s = 0; s < count; ++s) {
        for (uint32_t k = 0; k < strands[s].count; ++k) {
            f[s].x[k] = rest_of(&w, strands[s].particle[k]);
            f[s].v[k] = (vec3d){0, 0, 0};
            rest[s][k] = k > 0 ? distance(f[s].x[k], f[s].x[k - 1]) : 0;
        }
    }
    double apart = 0, longer = 0;
    for (int i = 0; i < 240; ++i) {
        world_step(&w, 1.0f / 240.0f, 1, 1);
        for (uint32_t s = 0; s < count; ++s) {
            follow_step(&f[s], rest[s], strands[s].count, 1.0 / 240.0);
            for (uint32_t k = 1; k < strands[s].count; ++k) {
                const vec3d at = place_of(&w, strands[s].particle[k]);
                apart = fmax(apart, i < 60 ? distance(at, f[s].x[k]) : 0); // then a hair's breadth is no longer one
                longer = fmax(longer, fabs(distance(at, place_of(&w, strands[s].particle[k - 1])) / rest[s][k] - 1));
            }
        }
    }
    if (getenv("HEM_RODS")) {
        printf("follow: %.2e m beside the rule after a quarter of a second, links longer by %.2e\n", apart, longer);
    }
    ASSERT_IN_RANGE(0, apart, 1e-4);
    ASSERT_IN_RANGE(0, longer, 1e-4);
    world_close(&w);
    PASS();
}

// Shaken and let be, they come to hang straight down, and stay as long as they are all the while.
TEST chains_that_follow_come_to_hang(void) {
    world w;
    strand strands[32];
    OPEN(w, "chains");
    quieten(&w, 1, 2, 1);
    hem_tuning t = world_tuning(&w);
    t.solver = HEM_SOLVER_FOLLOW;
    ASSERT(world_tune(&w, &t));
    ASSERT_IN_RANGE(0, shake(&w, 2.0f, 0.1f), 1e-4);
    const float still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    hem_instance_set_pose(w.scene, w.id, still, 1, 0);
    world_step(&w, 1.0f / 60.0f, 0, 900);
    const uint32_t count = find_strands(&w, strands);
    for (uint32_t s = 0; s < count; ++s) {
        const vec3d root = place_of(&w, strands[s].particle[0]);
        const vec3d tip = place_of(&w, strands[s].particle[strands[s].count - 1]);
        ASSERT_IN_RANGE(root.y - 0.05 * (strands[s].count - 1), tip.y, 1e-3);
    }
    world_close(&w);
    PASS();
}

// How far a chain of this length sags between ends at one height: 2 a sinh(span / 2a) = length, by bisection.
static double catenary(double span, double length) {
    double low = 0.05 * span, high = 50 * span;
    for (int i = 0; i < 100; ++i) {
        const double a = 0.5 * (low + high);
        *(2 * a * sinh(span / (2 * a)) > length ? &low : &high) = a;
    }
    return low * (cosh(span / (2 * low)) - 1);
}

// Held at both ends they hang as a catenary, and no longer than they are.
TEST chains_held_at_both_ends_hang_as_a_catenary(void) {
    world w;
    strand strands[32];
    OPEN(w, "chains_hung");
    quieten(&w, 1, 2, 1);
    world_step(&w, 1.0f / 60.0f, 0, 900);
    const uint32_t count = find_strands(&w, strands);
    ASSERT_EQ_FMT(10u, count, "%u");
    for (uint32_t s = 0; s < count; ++s) {
        const strand* a = &strands[s];
        double length = 0, now = 0, lowest = 0;
        for (uint32_t k = 0; k + 1 < a->count; ++k) {
            length += distance(rest_of(&w, a->particle[k]), rest_of(&w, a->particle[k + 1]));
            now += distance(place_of(&w, a->particle[k]), place_of(&w, a->particle[k + 1]));
            lowest = fmin(lowest, place_of(&w, a->particle[k]).y);
        }
        const double span = distance(rest_of(&w, a->particle[0]), rest_of(&w, a->particle[a->count - 1]));
        const double sag = catenary(span, length);
        if (getenv("HEM_RODS")) {
            printf("%u links: sags %.4f m, catenary %.4f m, %.4f %% longer\n", a->count - 1, -lowest, sag,
                   100 * (now / length - 1));
        }
        ASSERT_IN_RANGE(sag, -lowest, 0.002 * sag);
        ASSERT_IN_RANGE(length, now, 0.0005 * length);
    }
    world_close(&w);
    PASS();
}

// How much nearer than two radii of 10 cm opposite points of a ring come, as a share.
static double fold_of(const world* w, const strand* s) {
    double fold = 0;
    for (uint32_t k = 0; k < s->count / 2; ++k) {
        const vec3d a = place_of(w, s->particle[k]), b = place_of(w, s->particle[k + s->count / 2]);
        fold = fmax(fold, 1 - distance(a, b) / 0.2);
    }
    return fold;
}

// A ring of straight stuff, closed and twisted, stays flat until its twist is 2 pi sqrt(3) B / C, and then folds (Michell 1889, Zajac
// 1962), goes through itself and is flat again with two turns less. Here B = C, both ends are held in one place and frame, and the twist is
// 0.9 and 1.1 of that.
TEST a_twisted_ring_buckles_where_michell_says(void) {
    static const char* const names[] = {"rods_ring_less", "rods_ring_more"};
    for (int i = 0; i < 2; ++i) {
        world w;
        strand strands[16];
        ASSERT(world_open(&w, names[i], NULL, NULL, 1));
        quieten(&w, 0, 1, 1);
        ASSERT_EQ(1u, find_strands(&w, strands));
        double fold = 0;
        for (int f = 0; f < 300; ++f) {
            world_step(&w, 1.0f / 60.0f, 0, 6);
            fold = fmax(fold, fold_of(&w, &strands[0]));
        }
        if (getenv("HEM_RODS")) {
            printf("ring with %s of the twist: folds by %.4f\n", i ? "1.1" : "0.9", fold);
        }
        ASSERT(i ? fold > 0.2 : fold < 0.01);
        world_close(&w);
    }
    PASS();
}

// A thousandth of the stiffness and a thousand times, light and in long frames: finite, and it comes to rest.
TEST rods_of_any_stiffness_come_to_rest(void) {
    static const float stiffness[] = {1e-3f, 1, 1e3f};
    for (int i = 0; i < 3; ++i) {
        world w;
        strand strands[32];
        OPEN(w, "rods");
        quieten(&w, 1, 1, stiffness[i]);
        shake(&w, 3.0f, 0.4f);
        const float pose[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        hem_instance_set_pose(w.scene, w.id, pose, 1, 0);
        for (int f = 0; f < 300; ++f) {
            world_step(&w, 1.0f / 15.0f, 1, 1);
        }
        const uint32_t count = find_strands(&w, strands);
        for (uint32_t s = 0; s < count; ++s) {
            const hem_particle p = particle_at(&w, strands[s].particle[strands[s].count - 1]);
            if (getenv("HEM_RODS")) {
                printf("stiffness %g: tip at %.3f %.3f %.3f, speed %.3f %.3f %.3f\n", (double)stiffness[i],
                       (double)p.position[0], (double)p.position[1], (double)p.position[2], (double)p.velocity[0],
                       (double)p.velocity[1], (double)p.velocity[2]);
            }
            for (int k = 0; k < 3; ++k) {
                ASSERT(fabs((double)p.position[k]) < 10 && fabs((double)p.velocity[k]) < 0.5);
            }
        }
        world_close(&w);
    }
    PASS();
}

SUITE(rods_suite) {
    RUN_TEST(bent_and_twisted_rods_are_the_exact_discrete_curve);
    RUN_TEST(a_turned_root_takes_the_tip_along);
    RUN_TEST(a_cantilever_bends_in_proportion_to_its_stiffness);
    RUN_TEST(rods_made_free_of_sag_stay_as_modelled);
    RUN_TEST(a_helix_sags_as_the_reference_does);
    RUN_TEST(strands_keep_their_length_under_a_shake);
    RUN_TEST(strands_keep_their_length_in_contacts);
    RUN_TEST(chains_follow_as_published);
    RUN_TEST(chains_that_follow_come_to_hang);
    RUN_TEST(chains_held_at_both_ends_hang_as_a_catenary);
    RUN_TEST(a_twisted_ring_buckles_where_michell_says);
    RUN_TEST(rods_of_any_stiffness_come_to_rest);
}
