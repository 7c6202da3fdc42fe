// SPDX-License-Identifier: MIT
// Contacts against geometry: every collider kind, sweeps, friction, bounce, sheets that meet.

#include "tests/runtime/suites.h"
#include "hem/inspect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static const float NO_GRAVITY[3] = {0, 0, 0};

static hem_collider collider(hem_collider_kind kind, double x, double y, double z) {
    hem_collider c = hem_collider_default();
    c.kind = kind;
    c.bone = -1;
    c.position[0] = x;
    c.position[1] = y;
    c.position[2] = z;
    c.rotation[3] = 1;
    c.mask = ~0u;
    return c;
}

static void turn_about_z(hem_collider* c, double angle) {
    c->rotation[2] = (float)sin(angle / 2);
    c->rotation[3] = (float)cos(angle / 2);
}

static hem_tuning first_tuning(const world* w) {
    hem_tuning tuning[64];
    memset(tuning, 0, sizeof(tuning));
    hem_instance_get_tuning(w->scene, w->id, tuning, sizeof(tuning));
    return tuning[0];
}

// -- One particle, one collider

typedef struct rest_case {
    const char* name;
    hem_collider collider;
    double height; // where a particle comes to rest that falls along x = z = 0
} rest_case;

enum { REST_CASES = 8 };
static const float roof[5][4] = {
    {-0.34202014f, 0.93969262f, 0, 0.1f}, {0, -1, 0, 0.5f}, {1, 0, 0, 0.5f}, {-1, 0, 0, 0.5f}, {0, 0, 1, 0.5f}};

// Friction of one holds the particle on every slope here (at most twenty degrees), so it stays on the line it falls on.
static void rest_cases(rest_case cases[REST_CASES], double t) {
    const double tilt = 20 * PI / 180, s = sin(tilt), c = cos(tilt), y = -0.3;
    hem_collider k = collider(HEM_COLLIDER_PLANE, 0, y, 0);
    cases[0] = (rest_case){"plane", k, y + t};
    turn_about_z(&k, tilt);
    cases[1] = (rest_case){"tilted plane", k, y + t / c};
    k = collider(HEM_COLLIDER_SPHERE, 0, y - 0.2, 0);
    k.size[0] = 0.2f;
    cases[2] = (rest_case){"top of a sphere", k, y + t};
    k = collider(HEM_COLLIDER_SPHERE, -0.2 * s, y, 0); // beside its top
    k.size[0] = 0.2f;
    cases[3] = (rest_case){"side of a sphere", k, y + sqrt((0.2 + t) * (0.2 + t) - 0.04 * s * s)};
    // A cone lying along x: the envelope of its spheres is the line sin(a) x + cos(a) y = mean radius.
    const double r0 = 0.2, r1 = 0.1, half = 0.3, slope = (r0 - r1) / (2 * half);
    k = collider(HEM_COLLIDER_CAPSULE, 0, y, 0);
    turn_about_z(&k, -PI / 2);
    k.size[0] = (float)r0;
    k.size[1] = (float)r1;
    k.size[2] = (float)half;
    cases[4] = (rest_case){"capsule of two radii", k, y + (0.5 * (r0 + r1) + t) / sqrt(1 - slope * slope)};
    k = collider(HEM_COLLIDER_BOX, 0, y, 0);
    turn_about_z(&k, tilt);
    k.size[0] = 0.4f;
    k.size[1] = 0.1f;
    k.size[2] = 0.4f;
    k.size[3] = 0.02f;
    cases[5] = (rest_case){"tilted box with rounding", k, y + (0.12 + t) / c};
    k = collider(HEM_COLLIDER_HULL, 0, y, 0);
    k.planes = roof[0];
    k.plane_count = 5;
    cases[6] = (rest_case){"hull with a slanted roof", k, y + (0.1 + t) / c};
    k = collider(HEM_COLLIDER_BOX, 0, y - 0.4, 0); // its end is far from its middle
    k.size[0] = k.size[2] = 0.03f;
    k.size[1] = 0.4f;
    cases[7] = (rest_case){"end of a thin box", k, y + t};
    for (int i = 0; i < REST_CASES; ++i) {
        cases[i].collider.friction = 1;
    }
}

// Nine cubes of different sizes beside the way, and a ball of a hundred planes that it falls on: each keeps its own.
TEST an_instance_has_as_many_hulls_as_their_planes_have_room(void) {
    enum { CUBES = 9, FACETS = 100, CAPACITY = CUBES * 6 + FACETS };
    static float planes[CAPACITY][4];
    hem_collider all[CUBES + 1];
    for (int i = 0; i < CUBES; ++i) {
        for (int k = 0; k < 6; ++k) {
            planes[i * 6 + k][k / 2] = k % 2 ? -1.0f : 1.0f;
            planes[i * 6 + k][3] = 0.1f + 0.01f * (float)i;
        }
        all[i] = collider(HEM_COLLIDER_HULL, 3.0 + i, 0, 0);
        all[i].planes = planes[i * 6];
        all[i].plane_count = 6;
    }
    for (int i = 0; i < FACETS; ++i) { // even on a sphere; the first one is its top
        const double y = 1 - 2.0 * i / (FACETS - 1), side = sqrt(fmax(0, 1 - y * y)), turn = 2.39996 * i;
        const float plane[4] = {(float)(side * cos(turn)), (float)y, (float)(side * sin(turn)), 0.2f};
        memcpy(planes[CUBES * 6 + i], plane, sizeof(plane));
    }
    all[CUBES] = collider(HEM_COLLIDER_HULL, 0, -0.5, 0);
    all[CUBES].planes = planes[CUBES * 6];
    all[CUBES].plane_count = FACETS;
    all[CUBES].friction = 1;
    hem_scene_def def = hem_scene_def_default();
    def.hull_plane_capacity = CAPACITY;
    world w;
    ASSERT(world_open(&w, "free", &def, NULL, 1));
    ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, all, CUBES + 1));
    hem_collider read[CUBES + 1];
    uint32_t count = 0;
    world_step(&w, 1.0f / 60.0f, 0, 90);
    ASSERT_EQ(HEM_OK, hem_instance_get_colliders(w.scene, w.id, read, CUBES + 1, &count));
    ASSERT_EQ((uint32_t)CUBES + 1, count);
    for (uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(all[i].plane_count, read[i].plane_count);
        ASSERT_MEM_EQ(all[i].planes, read[i].planes, all[i].plane_count * 16);
    }
    const double y = (double)particle_at(&w, nth_particle(&w, false, 0)).position[1];
    ASSERT_IN_RANGE(-0.3 + (double)first_tuning(&w).collision_thickness, y, 1e-3);
    world_close(&w);
    // One plane less of room, and the call is refused and changes nothing.
    def.hull_plane_capacity = CAPACITY - 1;
    ASSERT(world_open(&w, "free", &def, NULL, 1));
    const uint64_t before = hem_scene_hash(w.scene);
    ASSERT_EQ(HEM_ERROR_COUNT, hem_instance_set_colliders(w.scene, w.id, all, CUBES + 1));
    ASSERT_EQ(HEM_OK, hem_instance_get_colliders(w.scene, w.id, read, CUBES + 1, &count));
    ASSERT_EQ(0u, count);
    ASSERT(before == hem_scene_hash(w.scene));
    world_close(&w);
    PASS();
}

TEST a_particle_rests_on_the_analytic_surface(void) {
    const float thicknesses[] = {0.0f, 0.015f};
    for (int n = 0; n < 2; ++n) {
        rest_case cases[REST_CASES];
        rest_cases(cases, (double)thicknesses[n]);
        for (int i = 0; i < REST_CASES; ++i) {
            world w;
            OPEN(w, "free");
            hem_tuning tuning = first_tuning(&w);
            tuning.collision_thickness = thicknesses[n];
            ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
            ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &cases[i].collider, 1));
            world_step(&w, 1.0f / 60.0f, 0, 90);
            hem_particle p = particle_at(&w, nth_particle(&w, false, 0));
            ASSERT_IN_RANGEm(cases[i].name, cases[i].height, (double)p.position[1], 1e-3);
            ASSERT_IN_RANGEm(cases[i].name, 0.0, (double)p.position[0], 2e-3);
            world_close(&w);
        }
    }
    PASS();
}

TEST a_collider_behind_a_bone_and_one_in_the_world_differ_by_the_root(void) {
    // The same plane, once bound to the only bone and once in the world, under a character that stands two metres up.
    for (int bound = 0; bound < 2; ++bound) {
        world w;
        hem_instance_def def = hem_instance_def_default();
        def.root.position[1] = 2.0;
        ASSERT(world_open(&w, "free", NULL, &def, 1));
        hem_collider c = collider(HEM_COLLIDER_PLANE, 0, bound ? -0.3 : 1.7, 0);
        c.bone = bound ? 0 : -1;
        hem_instance_set_colliders(w.scene, w.id, &c, 1);
        world_step(&w, 1.0f / 60.0f, 0, 60);
        double t = (double)first_tuning(&w).collision_thickness;
        ASSERT_IN_RANGE(-0.3 + t, (double)particle_at(&w, nth_particle(&w, false, 0)).position[1], 1e-4);
        world_close(&w);
    }
    PASS();
}

// Half a metre in one substep: ten times the radius of the limb.
static double swept_to(hem_collider c, double from, double to) {
    world w;
    if (!world_open(&w, "free", NULL, NULL, 1)) {
        return -1e9;
    }
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    c.position[0] = from;
    hem_instance_set_colliders(w.scene, w.id, &c, 1);
    world_step(&w, 1.0f / 60.0f, 1, 1);
    c.position[0] = to;
    hem_instance_set_colliders(w.scene, w.id, &c, 1);
    world_step(&w, 1.0f / 60.0f, 1, 1);
    double x = (double)particle_at(&w, nth_particle(&w, false, 0)).position[0];
    world_close(&w);
    return x;
}

TEST a_fast_limb_takes_a_particle_along(void) {
    hem_collider c = collider(HEM_COLLIDER_CAPSULE, 0, 0, 0);
    c.size[0] = c.size[1] = 0.05f;
    c.size[2] = 0.3f;
    double capsule = swept_to(c, -0.3, 0.2);
    c = collider(HEM_COLLIDER_SPHERE, 0, 0, 0);
    c.size[0] = 0.05f;
    double ball = swept_to(c, -0.3, 0.2);
    ASSERT_IN_RANGE(0.25, capsule, 1e-3);
    ASSERT_IN_RANGE(0.25, ball, 1e-3);
    // One that passes beside leaves it alone.
    c.position[2] = 0.06;
    ASSERT_IN_RANGE(0.0, swept_to(c, -0.3, 0.2), 1e-6);
    // Plates of one centimetre: a box, a hull, and the box turned on its way.
    hem_collider plate = collider(HEM_COLLIDER_BOX, 0, 0, 0);
    plate.size[0] = 0.005f;
    plate.size[1] = plate.size[2] = 0.2f;
    ASSERT_IN_RANGE(0.205, swept_to(plate, -0.3, 0.2), 1e-3);
    ASSERT_IN_RANGE(-0.205, swept_to(plate, 0.3, -0.2), 1e-3);
    const float planes[6][4] = {{1, 0, 0, 0.005f}, {-1, 0, 0, 0.005f}, {0, 1, 0, 0.2f},
                                {0, -1, 0, 0.2f},  {0, 0, 1, 0.2f},    {0, 0, -1, 0.2f}};
    hem_collider hull = collider(HEM_COLLIDER_HULL, 0, 0, 0);
    hull.planes = planes[0];
    hull.plane_count = 6;
    ASSERT_IN_RANGE(0.205, swept_to(hull, -0.3, 0.2), 1e-3);
    ASSERT_IN_RANGE(-0.205, swept_to(hull, 0.3, -0.2), 1e-3);
    plate.position[2] = hull.position[2] = 0.21;
    ASSERT_IN_RANGE(0.0, swept_to(plate, -0.3, 0.2), 1e-6);
    ASSERT_IN_RANGE(0.0, swept_to(hull, -0.3, 0.2), 1e-6);
    PASS();
}

// The same way as that limb, but it jumps: nothing lies between here and there.
TEST a_collider_that_jumps_sweeps_nothing(void) {
    for (int shared = 0; shared < 2; ++shared) {
        world w;
        hem_scene_def def = hem_scene_def_default();
        def.scene_collider_capacity = 1;
        ASSERT(world_open(&w, "free", &def, NULL, 1));
        hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
        hem_collider c = collider(HEM_COLLIDER_SPHERE, -0.3, 0, 0);
        c.size[0] = 0.05f;
        for (int step = 0; step < 2; ++step) {
            ASSERT_EQ(HEM_OK, shared ? hem_scene_set_colliders(w.scene, &c, 1)
                                     : hem_instance_set_colliders(w.scene, w.id, &c, 1));
            world_step(&w, 1.0f / 60.0f, 1, 1);
            c.position[0] = 0.2;
            c.jumped = 1;
        }
        ASSERT_IN_RANGE(0.0, (double)particle_at(&w, nth_particle(&w, false, 0)).position[0], 1e-6);
        world_close(&w);
    }
    PASS();
}

// Balls of 50 mm on the floor: their middles lie that much above it.
TEST a_soft_particle_touches_with_its_radius(void) {
    world w;
    OPEN(w, "pair");
    hem_tuning tuning = first_tuning(&w);
    tuning.collision_thickness = 0.01f;
    tuning.damping = 2;
    ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
    const hem_collider floor = collider(HEM_COLLIDER_PLANE, 0, -0.3, 0);
    hem_instance_set_colliders(w.scene, w.id, &floor, 1);
    world_step(&w, 1.0f / 60.0f, 0, 90);
    for (uint32_t n = 0; n < 2; ++n) {
        ASSERT_IN_RANGE(-0.3 + 0.01 + 0.05, (double)particle_at(&w, nth_particle(&w, false, n)).position[1], 1e-3);
    }
    world_close(&w);
    PASS();
}

// A plate of one centimetre at 20 m/s, 83 mm per substep, against a hanging cape; it stops beyond where the cape hung.
static double passed_share(hem_collider c) {
    world w;
    if (!world_open(&w, "cape", NULL, NULL, 1)) {
        return -1;
    }
    world_step(&w, 1.0f / 30.0f, 0, 300);
    hem_instance_stats stats;
    hem_instance_get_stats(w.scene, w.id, &stats);
    double cape = (double)stats.center_of_mass[2];
    for (int k = 0; k < 2; ++k) {
        c.position[k] = (double)stats.center_of_mass[k];
    }
    // Those in its way, not those around which it passes.
    static uint8_t met[4096];
    uint32_t count = w.view.info->particle_count;
    for (uint32_t i = 0; i < count && i < 4096; ++i) {
        hem_particle p = particle_at(&w, i);
        double x = (double)p.position[0] - c.position[0], y = (double)p.position[1] - c.position[1];
        met[i] = !(p.flags & (HEM_PARTICLE_PAD | HEM_PARTICLE_ANIMATED)) && fabs(x) < 0.19 && fabs(y) < 0.19;
    }
    for (int f = 0; f <= 3; ++f) { // -1 m to +0.1 m
        c.position[2] = cape - 1 + (f < 2 ? f * 20.0 / 30.0 : 1.1);
        hem_instance_set_colliders(w.scene, w.id, &c, 1);
        world_step(&w, 1.0f / 30.0f, 0, 1);
    }
    uint32_t behind = 0, before = 0;
    for (uint32_t i = 0; i < count; ++i) {
        hem_particle p = particle_at(&w, i);
        behind += met[i] && (double)p.position[2] < c.position[2];
        before += met[i] && (double)p.position[2] > c.position[2];
    }
    world_close(&w);
    printf("plate at 20 m/s and 30 Hz: %u particles before it, %u behind\n", before, behind);
    return behind + before > 0 ? (double)behind / (behind + before) : -1;
}

TEST a_fast_plate_takes_a_hanging_cloth_along(void) {
    hem_collider plate = collider(HEM_COLLIDER_BOX, 0, 0, 0);
    plate.size[0] = plate.size[1] = 0.2f;
    plate.size[2] = 0.005f;
    ASSERT_EQ(0.0, passed_share(plate));
    const float planes[6][4] = {{0, 0, 1, 0.005f}, {0, 0, -1, 0.005f}, {0, 1, 0, 0.2f},
                                {0, -1, 0, 0.2f},  {1, 0, 0, 0.2f},    {-1, 0, 0, 0.2f}};
    hem_collider hull = collider(HEM_COLLIDER_HULL, 0, 0, 0);
    hull.planes = planes[0];
    hull.plane_count = 6;
    ASSERT_EQ(0.0, passed_share(hull));
    PASS();
}

// The least distance of a link's middle part from the axis of a rod along x: both are cut into pieces and tried.
static double least_distance(const hem_particle* a, const hem_particle* b, const hem_collider* rod) {
    double least = 1e30;
    for (int i = 0; i <= 100; ++i) {
        double d2 = 0, u = i / 100.0;
        for (int k = 0; k < 3; ++k) {
            double at = (double)a->position[k] * (1 - u) + (double)b->position[k] * u - rod->position[k];
            double along = k == 0 ? fmax(fabs(at) - (double)rod->size[2], 0) : at;
            d2 += along * along;
        }
        least = fmin(least, sqrt(d2));
    }
    return least;
}

// A rod as thin as a finger, moved into a hanging cape between two rows of particles: no thread is cut by it, neither on the
// way nor when it has come to rest, and the cape lies before it.
TEST a_rod_thinner_than_the_mesh_takes_cloth_along(void) {
    world w;
    ASSERT(world_open(&w, "cape", NULL, NULL, 1));
    enum { LINKS = 4096, PARTICLES = 1024 };
    static hem_link_info links[LINKS];
    static hem_particle all[PARTICLES];
    uint32_t count = 0, particles = w.view.info->particle_count;
    ASSERT_EQ(HEM_OK, hem_asset_get_links(&w.asset, links, LINKS, &count));
    ASSERT(count <= LINKS && particles <= PARTICLES);
    world_step(&w, 1.0f / 60.0f, 0, 300);
    hem_instance_stats stats;
    hem_instance_get_stats(w.scene, w.id, &stats);
    hem_collider rod = collider(HEM_COLLIDER_CAPSULE, (double)stats.center_of_mass[0], 0, 0);
    turn_about_z(&rod, 0.5 * PI);
    rod.size[0] = rod.size[1] = 0.006f;
    rod.size[2] = 0.6f;
    const double middle = (double)stats.center_of_mass[1], start = (double)stats.center_of_mass[2] - 0.1;
    double least = 1e30, before = 1e30;
    for (int f = 0; f < 120; ++f) {
        rod.position[1] = middle;
        rod.position[2] = start + fmin(f, 40) / 60.0 * 0.6; // 0.6 m/s, 0.4 m, and stays
        hem_instance_set_colliders(w.scene, w.id, &rod, 1);
        world_step(&w, 1.0f / 60.0f, 0, 1);
        hem_instance_get_particles(w.scene, w.id, 0, particles, all);
        for (uint32_t i = 0; i < count; ++i) {
            const bool thread = links[i].kind == HEM_KIND_WARP || links[i].kind == HEM_KIND_WEFT;
            least = thread ? fmin(least, least_distance(&all[links[i].a], &all[links[i].b], &rod)) : least;
        }
    }
    for (uint32_t i = 0; i < particles; ++i) {
        const double up = (double)all[i].position[1] - middle;
        if (!(all[i].flags & HEM_PARTICLE_PAD) && up < 0 && up > -0.05) { // above it leans to where it is pinned
            before = fmin(before, (double)all[i].position[2] - rod.position[2]);
        }
    }
    printf("rod of 6 mm in a mesh of 45: threads come within %.1f mm of its axis, the cape is %.0f mm before it\n",
           1000 * least, 1000 * before);
    world_close(&w);
    ASSERT(least > 0.9 * (double)rod.size[0]);
    ASSERT(before > 0);
    PASS();
}

TEST friction_holds_below_its_angle_and_slides_above_by_coulombs_law(void) {
    const double mu = 0.5, angles[] = {20 * PI / 180, 35 * PI / 180};
    for (int i = 0; i < 2; ++i) {
        world w;
        OPEN(w, "free");
        const float gravity[3] = {(float)(9.81 * sin(angles[i])), (float)(-9.81 * cos(angles[i])), 0};
        hem_instance_set_gravity(w.scene, w.id, gravity);
        hem_collider c = collider(HEM_COLLIDER_PLANE, 0, 0, 0);
        c.friction = (float)mu;
        hem_instance_set_colliders(w.scene, w.id, &c, 1);
        world_step(&w, 1.0f / 60.0f, 4, 60);
        hem_particle p = particle_at(&w, nth_particle(&w, false, 0));
        double slide = 9.81 * (sin(angles[i]) - mu * cos(angles[i])); // m/s after one second
        if (i == 0) {
            ASSERT_IN_RANGE(0.0, (double)p.position[0], 1e-3);
        } else {
            ASSERT_IN_RANGE(slide, (double)p.velocity[0], 0.02 * slide);
            ASSERT_IN_RANGE(0.5 * slide, (double)p.position[0], 0.03 * slide);
        }
        world_close(&w);
    }
    PASS();
}

TEST a_bounce_reaches_the_square_of_restitution(void) {
    const double restitutions[] = {0.3, 0.6, 0.9};
    for (int i = 0; i < 3; ++i) {
        world w;
        OPEN(w, "free");
        hem_tuning tuning = first_tuning(&w);
        tuning.restitution = (float)restitutions[i];
        tuning.collision_thickness = 0;
        ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
        hem_collider c = collider(HEM_COLLIDER_PLANE, 0, -1, 0);
        hem_instance_set_colliders(w.scene, w.id, &c, 1);
        uint32_t only = nth_particle(&w, false, 0);
        double peak = -1;
        int rising = 0;
        for (int f = 0; f < 480 && rising >= 0; ++f) {
            world_step(&w, 1.0f / 240.0f, 1, 1);
            hem_particle p = particle_at(&w, only);
            rising = p.velocity[1] > 0 ? 1 : rising == 1 ? -1 : 0; // until it falls again
            peak = rising == 1 && (double)p.position[1] > peak ? (double)p.position[1] : peak;
        }
        double exact = restitutions[i] * restitutions[i];
        printf("restitution %.1f: bounce %.3f of %.3f\n", restitutions[i], peak + 1, exact);
        ASSERT_IN_RANGE(exact, peak + 1, 0.15 * exact);
        world_close(&w);
    }
    PASS();
}

// A ball is thrown at the ground: speed away from it and along it, each by its own share, on a plane and on a box, at any
// rate. On the ground without friction it then slides for ever: lying is no blow.
TEST a_blow_is_split_into_away_and_along(void) {
    static const float rates[] = {60, 120, 480};
    const struct { float away, along; } cases[] = {{0, 1}, {0, 0.5f}, {0.5f, 0.25f}, {0.8f, 0}, {0.6f, 1}};
    for (int i = 0; i < 15; ++i) {
        const float away = cases[i % 5].away, along = cases[i % 5].along, rate = rates[i / 5];
        world w;
        OPEN(w, "free");
        hem_instance_set_features(w.scene, w.id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
        hem_tuning tuning = first_tuning(&w);
        tuning.collision_thickness = tuning.friction = tuning.damping = tuning.drag = tuning.lift = 0;
        tuning.gravity_scale = 0;
        ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
        hem_collider c = collider(i % 2 ? HEM_COLLIDER_BOX : HEM_COLLIDER_PLANE, 0, i % 2 ? -1.5 : -1.0, 0);
        c.size[0] = c.size[2] = 30;
        c.size[1] = 0.5f;
        c.friction = 0;
        c.restitution = away;
        c.slide = along;
        ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, &c, 1));
        world_throw(&w, 1.0f / rate, 3, -4, 0);
        world_step(&w, 1.0f / rate, 0, (int)(0.5f * rate));
        const hem_particle p = particle_at(&w, nth_particle(&w, false, 0));
        ASSERT_IN_RANGE(3 * along, p.velocity[0], 0.02f);
        ASSERT_IN_RANGE(4 * away, p.velocity[1], 0.02f);
        if (away == 0 && along > 0) {
            tuning.gravity_scale = 1;
            ASSERT_EQ(HEM_OK, hem_instance_set_tuning(w.scene, w.id, &tuning, 1));
            world_step(&w, 1.0f / rate, 0, (int)rate);
            ASSERT_IN_RANGE(3 * along, particle_at(&w, nth_particle(&w, false, 0)).velocity[0], 0.02f);
        }
        world_close(&w);
    }
    PASS();
}

// Every instance stands above another collider of the same crowd; one more than a word of bits holds, and three words.
TEST crowds_of_colliders_are_all_respected(void) {
    const uint32_t counts[] = {64, 130};
    for (int n = 0; n < 2; ++n) {
        static hem_collider crowd[130];
        uint32_t count = counts[n];
        for (uint32_t i = 0; i < count; ++i) {
            crowd[i] = collider(i % 2 ? HEM_COLLIDER_BOX : HEM_COLLIDER_SPHERE, 2.0 * i, -0.3 - 0.001 * i, 0);
            for (int k = 0; k < 3; ++k) {
                crowd[i].size[k] = 0.1f;
            }
        }
        world w;
        hem_scene_def def = hem_scene_def_default();
        def.collider_capacity = 256;
        ASSERT(world_open(&w, "free", &def, NULL, 1));
        double t = (double)first_tuning(&w).collision_thickness;
        for (uint32_t i = 0; i < count; i += i < 60 ? 3 : 1) {
            hem_root root = {{2.0 * i, 0, 0}, {0, 0, 0, 1}};
            ASSERT_EQ(HEM_OK, hem_instance_teleport(w.scene, w.id, &root, 0));
            ASSERT_EQ(HEM_OK, hem_instance_reset(w.scene, w.id));
            ASSERT_EQ(HEM_OK, hem_instance_set_colliders(w.scene, w.id, crowd, count));
            world_step(&w, 1.0f / 60.0f, 4, 30);
            hem_particle p = particle_at(&w, nth_particle(&w, false, 0));
            ASSERT_IN_RANGE(-0.2 - 0.001 * i + t, (double)p.position[1], 1e-3);
        }
        world_close(&w);
    }
    PASS();
}

TEST a_collider_acts_only_on_the_groups_of_its_mask(void) {
    world w;
    OPEN(w, "free");
    hem_collider c = collider(HEM_COLLIDER_PLANE, 0, -0.1, 0);
    c.mask = ~w.view.parts[0].collision_group;
    hem_instance_set_colliders(w.scene, w.id, &c, 1);
    world_step(&w, 1.0f / 60.0f, 0, 60);
    ASSERT(particle_at(&w, nth_particle(&w, false, 0)).position[1] < -4.0f);
    world_close(&w);
    PASS();
}

// -- Sheets

static uint64_t seed = 0x9e3779b97f4a7c15ull;

static double uniform(void) { // -1 .. 1
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 4503599627370496.0 - 1.0;
}

typedef struct throw_args {
    float h;
    int left;
    float upper, lower; // m/s along y, by the sign of y
    float aside;        // m/s along x, both
    float scatter;      // m/s, each particle its own
} throw_args;

static void throw_field(void* user, hem_instance_id id, const float* position, const float* velocity,
                        float* acceleration, uint32_t row_count) {
    throw_args* t = user;
    (void)id, (void)velocity;
    if (t->left-- <= 0) {
        return;
    }
    for (uint32_t row = 0; row < row_count; ++row) {
        for (uint32_t i = 0; i < 8; ++i) {
            acceleration[row * 24 + i] = t->aside / t->h;
            acceleration[row * 24 + 8 + i] = (position[row * 32 + 8 + i] > 0 ? t->upper : t->lower) / t->h;
            for (uint32_t k = 0; k < 3 && t->scatter > 0; ++k) {
                acceleration[row * 24 + k * 8 + i] += t->scatter * (float)uniform() / t->h;
            }
        }
    }
}

// Which sheet a particle of "crossing" belongs to: the upper one rests at +0.3.
static bool is_upper(const world* w, uint32_t i) {
    return w->view.rest_rows[i >> 3].y[i & 7] > 0;
}

// Share of particles of the upper sheet that are below the nearest particle, seen from above, of the lower one.
static double crossed_share(const world* w) {
    uint32_t n = w->view.info->particle_count, wrong = 0, seen = 0;
    static hem_particle p[4096];
    hem_instance_get_particles(w->scene, w->id, 0, n, p);
    for (uint32_t i = 0; i < n; ++i) {
        if ((p[i].flags & HEM_PARTICLE_PAD) || !is_upper(w, i)) {
            continue;
        }
        double best = 1e9, gap = 0;
        for (uint32_t j = 0; j < n; ++j) {
            if ((p[j].flags & HEM_PARTICLE_PAD) || is_upper(w, j)) {
                continue;
            }
            double d =
                hypot((double)(p[i].position[0] - p[j].position[0]), (double)(p[i].position[2] - p[j].position[2]));
            if (d < best) {
                best = d;
                gap = (double)(p[i].position[1] - p[j].position[1]);
            }
        }
        if (best < 0.05) { // under the other sheet at all
            ++seen;
            wrong += gap < 0;
        }
    }
    return seen ? (double)wrong / seen : 1.0;
}

// Thrown in one short step, then seen in substeps of 1/240 s until they would have changed places.
static double thrown(float speed, float thickness, uint32_t features) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.candidate_capacity = 128; // everything within a frame's way is a candidate
    if (!world_open(&w, "crossing", &def, NULL, 1)) {
        return -1;
    }
    hem_tuning tuning = first_tuning(&w);
    tuning.self_thickness = thickness;
    hem_instance_set_tuning(w.scene, w.id, &tuning, 1);
    throw_args t = {1.0f / 2400.0f, 1, -speed, speed, 0, 0};
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_instance_set_features(w.scene, w.id, features);
    hem_scene_set_force_field(w.scene, throw_field, &t);
    world_step(&w, t.h, 1, 1);
    world_step(&w, 1.0f / 240.0f, 1, (int)(0.6f / speed * 240.0f + 1.5f));
    double share = crossed_share(&w);
    world_close(&w);
    return share;
}

// Spacing is 50 mm, so that spheres of 50 mm just touch. At 20 m/s towards each other the sheets move 83 mm a substep.
TEST sheets_thrown_at_each_other_do_not_cross(void) {
    const uint32_t plain = HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_CONTINUOUS;
    const float cases[4][2] = {{10, 0.05f}, {20, 0.10f}, {20, 0.12f}, {30, 0.14f}}; // m/s each, metres
    double with[4], without[4];
    for (int i = 0; i < 4; ++i) {
        with[i] = thrown(cases[i][0], cases[i][1], HEM_FEATURE_ALL);
        without[i] = thrown(cases[i][0], cases[i][1], plain);
        printf("%.0f m/s each, %.0f mm thick: crossed %.2f %%, not continuous %.2f %%\n", (double)cases[i][0],
               1000 * (double)cases[i][1], 100 * with[i], 100 * without[i]);
        ASSERT(with[i] >= 0 && without[i] >= 0);
    }
    // Of spheres that just touch, a few at the rims slip past the other sheet's edge.
    ASSERT(with[0] < 0.03 && without[0] > 0.5);
    ASSERT(with[1] < 0.01 && without[1] > 0.5);
    ASSERT(with[2] < 0.01 && with[3] < 0.01);
    PASS();
}

TEST contacts_keep_linear_momentum(void) {
    world w;
    OPEN(w, "crossing");
    throw_args t = {1.0f / 240.0f, 1, -6, 3, 1, 0};
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_scene_set_force_field(w.scene, throw_field, &t);
    world_step(&w, 1.0f / 240.0f, 1, 1);
    vec3d before = linear_momentum(&w);
    hem_step_report report;
    uint32_t touched = 0;
    for (int f = 0; f < 120; ++f) {
        world_step(&w, 1.0f / 240.0f, 1, 1);
        hem_scene_get_report(w.scene, &report);
        touched += report.contact_count;
    }
    ASSERT(touched > 100);
    vec3d after = linear_momentum(&w);
    double size = sqrt(before.x * before.x + before.y * before.y + before.z * before.z);
    ASSERT(size > 0.5);
    double lost = sqrt((after.x - before.x) * (after.x - before.x) + (after.y - before.y) * (after.y - before.y) +
                       (after.z - before.z) * (after.z - before.z));
    printf("%u contacts moved momentum by %.2g of itself\n", touched, lost / size);
    ASSERT(lost < 1e-3 * size);
    world_close(&w);
    PASS();
}

// Oriented particles meet as ellipsoids, here balls of 50 mm, whether or not there is a body in the scene.
TEST soft_blocks_thrown_at_each_other_do_not_mix(void) {
    world w;
    OPEN(w, "blocks");
    throw_args t = {1.0f / 240.0f, 1, -1.5f, 1.5f, 0, 0};
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_scene_set_force_field(w.scene, throw_field, &t);
    world_step(&w, t.h, 1, 1);
    uint32_t n = w.view.info->particle_count, touched = 0;
    double nearest = 1e9;
    static hem_particle p[256];
    ASSERT(n <= 256);
    for (int frame = 0; frame < 60; ++frame) {
        world_step(&w, 1.0f / 60.0f, 4, 1);
        hem_step_report report;
        hem_scene_get_report(w.scene, &report);
        touched += report.contact_count;
        hem_instance_get_particles(w.scene, w.id, 0, n, p);
        for (uint32_t i = 0; i < n; ++i) {
            for (uint32_t j = 0; j < n; ++j) {
                if (!((p[i].flags | p[j].flags) & HEM_PARTICLE_PAD) && is_upper(&w, i) && !is_upper(&w, j)) {
                    double x = (double)(p[i].position[0] - p[j].position[0]);
                    double y = (double)(p[i].position[1] - p[j].position[1]);
                    double z = (double)(p[i].position[2] - p[j].position[2]);
                    double apart = sqrt(x * x + y * y + z * z);
                    nearest = apart < nearest ? apart : nearest;
                    ASSERT(y > 0);
                }
            }
        }
    }
    printf("blocks of balls of 50 mm: %u contacts, centers never nearer than %.1f mm\n", touched, 1000 * nearest);
    ASSERT(touched > 20);
    ASSERT(nearest > 0.075 && nearest < 0.11);
    world_close(&w);
    PASS();
}

static const hem_event* event_of(const world* w, hem_event_kind kind) {
    const hem_event* events;
    uint32_t count;
    hem_scene_get_events(w->scene, &events, &count, NULL);
    for (uint32_t i = 0; i < count; ++i) {
        if (events[i].kind == kind) {
            return &events[i];
        }
    }
    return NULL;
}

TEST pairs_without_room_are_counted_and_told(void) {
    world w;
    hem_scene_def def = hem_scene_def_default();
    def.candidate_capacity = 4;
    ASSERT(world_open(&w, "crossing", &def, NULL, 1));
    hem_tuning tuning = first_tuning(&w);
    tuning.self_thickness = 0.2f; // four spacings: some fifty neighbours each once the sheets meet
    hem_instance_set_tuning(w.scene, w.id, &tuning, 1);
    throw_args t = {1.0f / 240.0f, 1, -3, 3, 0, 0};
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_scene_set_force_field(w.scene, throw_field, &t);
    hem_step_report report = {0};
    for (int frame = 0; frame < 60 && report.dropped_count == 0; ++frame) {
        ASSERT(!event_of(&w, HEM_EVENT_OVERFLOW));
        world_step(&w, 1.0f / 60.0f, 4, 1);
        hem_scene_get_report(w.scene, &report);
    }
    ASSERT(report.dropped_count > 0);
    ASSERT_EQ_FMT(4 * w.view.info->particle_count, report.candidate_count, "%u"); // all the room is used, and no more
    const hem_event* event = event_of(&w, HEM_EVENT_OVERFLOW);
    ASSERT(event);
    ASSERT_EQ(report.dropped_count, event->value);
    ASSERT_EQ(0u, report.mended_count);
    world_close(&w);
    PASS();
}

static void spoil_field(void* user, hem_instance_id id, const float* position, const float* velocity,
                        float* acceleration, uint32_t row_count) {
    (void)id, (void)position, (void)velocity;
    int* left = user;
    if ((*left)-- == 0) {
        acceleration[(row_count - 1) * 24] = (float)NAN;
    }
}

TEST what_is_no_number_is_put_back_and_told(void) {
    world w;
    OPEN(w, "crossing");
    int left = 30;
    hem_scene_set_force_field(w.scene, spoil_field, &left);
    uint32_t mended = 0;
    for (int frame = 0; frame < 20; ++frame) {
        world_step(&w, 1.0f / 60.0f, 4, 1);
        const hem_event* event = event_of(&w, HEM_EVENT_MENDED);
        hem_step_report report;
        hem_scene_get_report(w.scene, &report);
        ASSERT_EQ(report.mended_count != 0, event != NULL);
        if (event) {
            ++mended;
            ASSERT_EQ(w.view.info->simulated_count, report.mended_count);
            ASSERT_EQ(report.mended_count, event->value);
        }
        for (uint32_t i = 0; i < w.view.info->particle_count; ++i) {
            hem_particle p = particle_at(&w, i);
            for (int k = 0; k < 3; ++k) {
                ASSERT(isfinite(p.position[k]) && isfinite(p.velocity[k]));
            }
        }
    }
    ASSERT_EQ(1u, mended);
    world_close(&w);
    PASS();
}

static void spoil_one(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                      uint32_t row_count) {
    const uint32_t particle = *(const uint32_t*)user;
    (void)id, (void)position, (void)velocity, (void)row_count;
    acceleration[(particle >> 3) * 24 + (particle & 7)] = (float)NAN;
}

// Whichever of two parts it is in.
TEST what_is_no_number_in_any_part_is_put_back(void) {
    for (uint32_t n = 0; n < 2; ++n) {
        world w;
        OPEN(w, "two_pendulums");
        uint32_t bob = nth_particle(&w, false, n);
        hem_scene_set_force_field(w.scene, spoil_one, &bob);
        world_step(&w, 1.0f / 60.0f, 4, 1);
        hem_scene_set_force_field(w.scene, NULL, NULL);
        hem_step_report report;
        hem_scene_get_report(w.scene, &report);
        ASSERT_EQ(2u, report.mended_count);
        for (uint32_t k = 0; k < 2; ++k) {
            ASSERT_IN_RANGE(-1.0, (double)particle_at(&w, nth_particle(&w, false, k)).position[1], 0.01);
        }
        world_close(&w);
    }
    PASS();
}

TEST the_search_finds_the_pairs_that_brute_force_finds(void) {
    world w;
    OPEN(w, "crossing_large");
    static hem_particle p[8192];
    uint32_t n = w.view.info->particle_count, most = 0;
    ASSERT(n > 4096 && n <= 8192);
    throw_args t = {1.0f / 2400.0f, 1, -2, 3, 1, 2};
    hem_instance_set_gravity(w.scene, w.id, NO_GRAVITY);
    hem_scene_set_force_field(w.scene, throw_field, &t);
    world_step(&w, t.h, 1, 1);
    for (int f = 0; f < as_long_as(6, 2); ++f) {
        uint32_t surely, perhaps;
        hem_step_report report;
        hem_instance_get_particles(w.scene, w.id, 0, n, p);
        count_candidates(&w, p, 1.0 / 60.0, &surely, &perhaps);
        world_step(&w, 1.0f / 60.0f, 4, 1);
        hem_scene_get_report(w.scene, &report);
        printf("frame %d: %u to %u pairs, found %u\n", f, surely, perhaps, report.candidate_count);
        ASSERT_EQ(0u, report.dropped_count);
        ASSERT(report.candidate_count >= surely && report.candidate_count <= perhaps);
        most = surely > most ? surely : most;
    }
    ASSERT(most > n);
    world_close(&w);
    PASS();
}

TEST a_crumpled_sheet_keeps_its_thickness(void) {
    world w;
    OPEN(w, "sheet_self");
    // Held at two corners above the floor and two metres long: a wall shoves it into a narrow trough.
    hem_collider sides[3] = {collider(HEM_COLLIDER_PLANE, 0, -0.3, 0), collider(HEM_COLLIDER_PLANE, 0, 0, 2.1),
                             collider(HEM_COLLIDER_PLANE, 0, 0, -0.05)};
    sides[1].rotation[0] = -0.70710678f; // its normal looks back along z
    sides[2].rotation[0] = 0.70710678f;  // and this one's forward
    sides[1].rotation[3] = sides[2].rotation[3] = 0.70710678f;
    for (int f = 0; f < 300; ++f) {
        sides[1].position[2] = f < 180 ? 2.1 - 1.85 * f / 180 : 0.25;
        hem_instance_set_colliders(w.scene, w.id, sides, 3);
        world_step(&w, 1.0f / 60.0f, 4, 1);
    }
    const hem_view* v = &w.view;
    uint32_t n = v->info->particle_count, pairs = 0, near = 0;
    static hem_particle p[4096];
    hem_instance_get_particles(w.scene, w.id, 0, n, p);
    double least = 1e9, thickness = (double)first_tuning(&w).self_thickness;
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = i + 1; j < n; ++j) {
            if ((p[i].flags & HEM_PARTICLE_PAD) || (p[j].flags & HEM_PARTICLE_PAD) || is_listed(v, i, j)) {
                continue;
            }
            double x = (double)(p[i].position[0] - p[j].position[0]), y = (double)(p[i].position[1] - p[j].position[1]);
            double z = (double)(p[i].position[2] - p[j].position[2]), d = sqrt(x * x + y * y + z * z);
            least = d < least ? d : least;
            near += d < 1.2 * thickness;
            pairs += d < 0.5 * thickness;
        }
    }
    printf("heap: %u pairs in contact, %u nearer than half the thickness, least %.1f mm of %.1f\n", near, pairs,
           1000 * least, 1000 * thickness);
    ASSERT(near > 8); // else nothing was tested
    ASSERT_EQ(0u, pairs);
    world_close(&w);
    PASS();
}

SUITE(collision_suite) {
    RUN_TEST(a_particle_rests_on_the_analytic_surface);
    RUN_TEST(an_instance_has_as_many_hulls_as_their_planes_have_room);
    RUN_TEST(a_collider_behind_a_bone_and_one_in_the_world_differ_by_the_root);
    RUN_TEST(a_fast_limb_takes_a_particle_along);
    RUN_TEST(a_collider_that_jumps_sweeps_nothing);
    RUN_TEST(a_soft_particle_touches_with_its_radius);
    RUN_TEST(a_fast_plate_takes_a_hanging_cloth_along);
    RUN_TEST(a_rod_thinner_than_the_mesh_takes_cloth_along);
    RUN_TEST(friction_holds_below_its_angle_and_slides_above_by_coulombs_law);
    RUN_TEST(a_bounce_reaches_the_square_of_restitution);
    RUN_TEST(a_blow_is_split_into_away_and_along);
    RUN_TEST(crowds_of_colliders_are_all_respected);
    RUN_TEST(a_collider_acts_only_on_the_groups_of_its_mask);
    RUN_TEST(sheets_thrown_at_each_other_do_not_cross);
    RUN_TEST(contacts_keep_linear_momentum);
    RUN_TEST(soft_blocks_thrown_at_each_other_do_not_mix);
    RUN_TEST(pairs_without_room_are_counted_and_told);
    RUN_TEST(what_is_no_number_is_put_back_and_told);
    RUN_TEST(what_is_no_number_in_any_part_is_put_back);
    RUN_TEST(the_search_finds_the_pairs_that_brute_force_finds);
    RUN_TEST(a_crumpled_sheet_keeps_its_thickness);
}
