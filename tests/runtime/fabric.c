// SPDX-License-Identifier: MIT
// Cloth of triangles against closed forms: a strip that hangs, a flap that droops about one edge, limits, area, momentum; and
// scenes that are far too stiff.

#include "tests/runtime/suites.h"
#include "hem/inspect.h"

#include <math.h>

#define GRAVITY 9.81

static void stay_awake(world* w) {
    hem_instance_set_features(w->scene, w->id, HEM_FEATURE_ALL & ~(uint32_t)HEM_FEATURE_SLEEP);
}

// Highest and lowest coordinate of the simulated particles at rest and now: those that hang lowest at rest.
static double mean_of_lowest(const world* w, int axis) {
    const hem_view* v = &w->view;
    double lowest = 1e9, sum = 0;
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < v->info->particle_count; ++i) {
            const double y = (double)v->rest_rows[i / 8].y[i % 8];
            if ((v->particle_flags[i] & HEM_PARTICLE_PAD) != 0) {
                continue;
            }
            if (pass == 0) {
                lowest = fmin(lowest, y);
            } else if (y < lowest + 1e-4) {
                sum += (double)particle_at(w, i).position[axis];
                ++count;
            }
        }
    }
    return sum / count;
}

// strip: a metre by 0.3 m, 0.5 kg/m^2, 50 N/m along warp, spaced by 0.1 m. One pass and several, at several rates.
TEST a_strip_hangs_by_its_weight_over_its_stiffness(void) {
    static const struct {
        float rate, stiffness;
        uint32_t passes;
    } rows[] = {{30, 50, 1}, {60, 50, 1}, {240, 50, 1}, {60, 25, 1}, {60, 50, 4}, {60, 200, 16}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        world w;
        OPEN(w, "strip");
        stay_awake(&w);
        hem_tuning t = world_tuning(&w);
        t.iterations = rows[r].passes;
        t.fabric_warp = 1.0f / rows[r].stiffness;
        t.damping = 2.0f;
        ASSERT(world_tune(&w, &t));
        world_step(&w, 1.0f / rows[r].rate, 0, (int)(10 * rows[r].rate));
        const double longer = -mean_of_lowest(&w, 1) - 1.0, aimed = 0.5 * GRAVITY / (2 * (double)rows[r].stiffness);
        ASSERT_IN_RANGE(aimed, longer, 0.04 * aimed);
        world_close(&w);
    }
    PASS();
}

// Beyond the limit nothing gives: with 5 N/m the strip would be half as long again.
TEST strain_stops_at_its_limit(void) {
    world w;
    OPEN(w, "strip");
    stay_awake(&w);
    hem_tuning t = world_tuning(&w);
    t.iterations = 8;
    t.fabric_warp = 1.0f / 5.0f;
    t.damping = 2.0f;
    t.strain_limit = 0.1f;
    ASSERT(world_tune(&w, &t));
    world_step(&w, 1.0f / 60.0f, 0, 600);
    const double longer = -mean_of_lowest(&w, 1) - 1.0;
    // Where the pull is less than a tenth of the stiffness it stays soft: the lower tenth of it.
    const double soft = 5.0 * 0.1 / (0.5 * GRAVITY), aimed = 0.1 * (1 - soft) + 0.1 * soft / 2;
    ASSERT_IN_RANGE(aimed, longer, 0.02);
    world_close(&w);
    PASS();
}

static double area_now(const world* w) {
    const hem_view* v = &w->view;
    double sum = 0;
    for (uint32_t b = 0; b < v->row_batch_count; ++b) {
        const hem_row_batch* batch = &v->row_batches[b];
        if (batch->kind != HEM_KIND_TRIANGLE) {
            continue;
        }
        for (uint32_t lane = 0; lane < 8; ++lane) {
            if ((batch->lane_mask >> lane & 1) == 0) {
                continue;
            }
            double x[3][3];
            for (int k = 0; k < 3; ++k) {
                const uint32_t p = batch->form == HEM_FORM_INDICES
                                       ? v->row_indices[batch->member_begin + (uint32_t)k].index[lane]
                                       : batch->rows[k] * 8u + ((lane + batch->rotates[k]) & 7u);
                for (int n = 0; n < 3; ++n) {
                    x[k][n] = (double)particle_at(w, p).position[n];
                }
            }
            double n2 = 0;
            for (int n = 0; n < 3; ++n) {
                const int i = (n + 1) % 3, j = (n + 2) % 3;
                const double c = (x[1][i] - x[0][i]) * (x[2][j] - x[0][j]) - (x[1][j] - x[0][j]) * (x[2][i] - x[0][i]);
                n2 += c * c;
            }
            sum += 0.5 * sqrt(n2);
        }
    }
    return sum;
}

// What becomes longer becomes narrower when area is dear and width is cheap.
TEST area_is_kept(void) {
    double with[2];
    for (int stiff = 0; stiff < 2; ++stiff) {
        world w;
        OPEN(w, "strip");
        stay_awake(&w);
        const double before = area_now(&w);
        ASSERT_IN_RANGE(0.3, before, 1e-4);
        hem_tuning t = world_tuning(&w);
        t.iterations = 16;
        t.fabric_warp = 1.0f / 20.0f;
        t.fabric_weft = 1.0f / 2.0f;
        t.fabric_area = stiff ? 20000.0f : 0.0f;
        t.damping = 2.0f;
        ASSERT(world_tune(&w, &t));
        world_step(&w, 1.0f / 60.0f, 0, 600);
        with[stiff] = area_now(&w) / before - 1;
        world_close(&w);
    }
    ASSERT(with[0] > 0.08);
    ASSERT(fabs(with[1]) < 0.02);
    PASS();
}

// flap: one row of cells beyond a clamped row, a hinge. Its moment is rigidity over half a cell, per width:
// weight on its far row times lever = width rigidity angle / (spacing / 2).
TEST a_flap_droops_by_its_moment_over_its_rigidity(void) {
    static const struct {
        float bend, buckle, share;
        uint32_t passes;
    } rows[] = {{300, 0, 0, 1}, {1000, 0, 0, 1}, {1000, 0, 0, 4}, {300, 0.05f, 0.2f, 1}, {300, 0.05f, 0.2f, 4}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r) {
        world w;
        OPEN(w, "flap");
        stay_awake(&w);
        hem_tuning t = world_tuning(&w);
        t.iterations = rows[r].passes;
        t.fabric_bend = rows[r].bend;
        t.buckle_angle = rows[r].buckle;
        t.buckle_share = rows[r].share;
        t.damping = 2.0f;
        ASSERT(world_tune(&w, &t));
        world_step(&w, 1.0f / 60.0f, 0, 900);
        double mass = 0, down = 0, out = 0, width = 0;
        uint32_t count = 0;
        for (uint32_t n = 0; n < 5; ++n) {
            const uint32_t i = nth_particle(&w, false, n);
            mass += mass_of(&w, i);
            down -= (double)particle_at(&w, i).position[1] / 5;
            out += ((double)particle_at(&w, i).position[2] - 0.1) / 5;
            width = 0.4;
            ++count;
        }
        ASSERT_EQ(5, count);
        // As far as the kernel's own stiffness: the diagonals do not bend while rows stay straight.
        const double stiffness = width / ((double)rows[r].bend * 0.05), angle = atan2(down, out);
        const double limit = rows[r].buckle > 0 ? (double)rows[r].buckle : 1e9;
        double exact = 0.1;
        for (int i = 0; i < 200; ++i) { // bisection would do as well
            const double moment = mass * GRAVITY * 0.1 * cos(exact) / stiffness;
            const double wanted = moment <= limit ? moment : limit + (moment - limit) / (double)rows[r].share;
            exact += 0.1 * (wanted - exact);
        }
        ASSERT(exact > 0.05 && exact < 1.4);
        ASSERT_IN_RANGE(exact, angle, 0.09 * exact); // its free corners fold a little along the diagonals
        world_close(&w);
    }
    PASS();
}

static void shake(void* user, hem_instance_id id, const float* position, const float* velocity, float* acceleration,
                  uint32_t row_count) {
    (void)id;
    (void)velocity;
    const int* on = user;
    for (uint32_t i = 0; *on && i < row_count * 24; ++i) {
        const uint32_t hash = (i * 2654435761u) >> 16 & 255u;
        acceleration[i] = 0.1f * ((float)hash - 127.5f) + 5.0f * position[i / 24 * 32 + (i + 8) % 24];
    }
}

// What is inside cannot move the whole: no stiffness, limit, bend or area changes momentum.
TEST momentum_is_kept(void) {
    static const char* const names[] = {"fabric_free", "fabric_free_flat"};
    for (int n = 0; n < 2; ++n) {
        world w;
        if (!world_open(&w, names[n], NULL, NULL, 1)) {
            FAILm("cannot open the asset");
        }
        stay_awake(&w);
        hem_tuning t = world_tuning(&w);
        t.iterations = 2;
        t.fabric_area = 50.0f;
        t.strain_limit = 0.2f;
        t.compress_limit = 0.5f;
        t.buckle_angle = 0.3f;
        t.buckle_share = 0.5f;
        t.max_speed = 1000.0f;
        ASSERT(world_tune(&w, &t));
        const float none[3] = {0, 0, 0};
        ASSERT_EQ(HEM_OK, hem_instance_set_gravity(w.scene, w.id, none));
        int on = 1;
        ASSERT_EQ(HEM_OK, hem_scene_set_force_field(w.scene, shake, &on));
        world_step(&w, 1.0f / 60.0f, 0, 12);
        on = 0;
        world_step(&w, 1.0f / 60.0f, 0, 1);
        const vec3d p0 = linear_momentum(&w), l0 = angular_momentum(&w);
        world_step(&w, 1.0f / 60.0f, 0, 30);
        const vec3d p1 = linear_momentum(&w), l1 = angular_momentum(&w);
        const double size = sqrt(p0.x * p0.x + p0.y * p0.y + p0.z * p0.z);
        const double turn = sqrt(l0.x * l0.x + l0.y * l0.y + l0.z * l0.z);
        ASSERT(size > 1e-3 && turn > 1e-5);
        ASSERT_IN_RANGE(0.0, fabs(p1.x - p0.x) + fabs(p1.y - p0.y) + fabs(p1.z - p0.z), 2e-3 * size);
        ASSERT_IN_RANGE(0.0, fabs(l1.x - l0.x) + fabs(l1.y - l0.y) + fabs(l1.z - l0.z), 0.05 * turn + 1e-5);
        world_close(&w);
    }
    PASS();
}

// Thrown, turned and shaken, then left alone for a second: what remains of momentum, turning and ripples.
typedef struct remains {
    double moves, turns; // shares
    double ripples;      // mean change of a link's length, m/s
} remains;

// No motion as a whole changes a length.
static double ripples_of(const world* w) {
    static hem_link_info links[4096];
    uint32_t count = 0;
    double sum = 0;
    hem_asset_get_links(&w->asset, links, 4096, &count);
    for (uint32_t i = 0; i < count && i < 4096; ++i) {
        const hem_particle a = particle_at(w, links[i].a), b = particle_at(w, links[i].b);
        double along = 0, length = 0;
        for (int k = 0; k < 3; ++k) {
            const double d = (double)(a.position[k] - b.position[k]);
            along += d * (double)(a.velocity[k] - b.velocity[k]);
            length += d * d;
        }
        sum += fabs(along) / sqrt(length);
    }
    return count > 0 ? sum / count : -1;
}

static bool left_of(float damping, float inner, remains* out) {
    world w;
    if (!world_open(&w, "fabric_free", NULL, NULL, 1)) {
        return false;
    }
    stay_awake(&w);
    hem_tuning t = world_tuning(&w);
    t.damping = t.angular_damping = damping;
    t.inner_damping = inner;
    t.drag = t.lift = 0.0f;
    t.max_speed = 1000.0f;
    const float none[3] = {0, 0, 0};
    int on = 1;
    bool good = world_tune(&w, &t) && hem_instance_set_gravity(w.scene, w.id, none) == HEM_OK &&
                hem_scene_set_force_field(w.scene, shake, &on) == HEM_OK;
    world_step(&w, 1.0f / 60.0f, 0, 6);
    on = 0;
    const vec3d p0 = linear_momentum(&w), l0 = angular_momentum(&w);
    world_step(&w, 1.0f / 60.0f, 0, 60);
    const vec3d p1 = linear_momentum(&w), l1 = angular_momentum(&w);
    out->moves = (p1.x * p0.x + p1.y * p0.y + p1.z * p0.z) / (p0.x * p0.x + p0.y * p0.y + p0.z * p0.z);
    out->turns = (l1.x * l0.x + l1.y * l0.y + l1.z * l0.z) / (l0.x * l0.x + l0.y * l0.y + l0.z * l0.z);
    out->ripples = ripples_of(&w);
    world_close(&w);
    return good;
}

// Heavy damping of the inside takes ripples away and leaves motion as a whole; plain damping stops everything.
TEST inner_damping_keeps_motion_as_a_whole(void) {
    remains free_one, inner, plain;
    ASSERT(left_of(0, 0, &free_one) && left_of(0, 40, &inner) && left_of(4, 0, &plain));
    printf("after a second: momentum %.3f, turning %.3f, ripples %.2g m/s with inner damping; %.3f, %.3f with plain; "
           "ripples %.2g m/s with none\n",
           inner.moves, inner.turns, inner.ripples, plain.moves, plain.turns, free_one.ripples);
    ASSERT_IN_RANGE(1.0, inner.moves, 0.002);
    ASSERT_IN_RANGE(1.0, inner.turns, 0.05);
    ASSERT(inner.ripples > 0 && inner.ripples < 0.5 * free_one.ripples);
    ASSERT(plain.moves < 0.1);
    PASS();
}

// A thousand times the stiffness, in frames of 1/15 s of one substep.
TEST stiff_fabric_comes_to_rest(void) {
    static const char* const names[] = {"fabric", "fabric_flat"};
    for (int n = 0; n < 2; ++n) {
        world w;
        if (!world_open(&w, names[n], NULL, NULL, 1)) {
            FAILm("cannot open the asset");
        }
        stay_awake(&w);
        hem_tuning t = world_tuning(&w);
        t.fabric_warp *= 1e-3f;
        t.fabric_weft *= 1e-3f;
        t.fabric_shear *= 1e-3f;
        t.fabric_bend *= 1e-3f;
        t.fabric_area = 1e5f;
        t.damping = 1.0f;
        ASSERT(world_tune(&w, &t));
        for (int f = 0; f < 450; ++f) {
            world_step(&w, 1.0f / 15.0f, 1, 1);
        }
        for (uint32_t i = 0; i < 150; ++i) {
            const hem_particle p = particle_at(&w, nth_particle(&w, false, i));
            for (int k = 0; k < 3; ++k) {
                ASSERT(fabs((double)p.position[k]) < 5 && fabs((double)p.velocity[k]) < 0.3);
            }
        }
        world_close(&w);
    }
    PASS();
}

SUITE(fabric_suite) {
    RUN_TEST(a_strip_hangs_by_its_weight_over_its_stiffness);
    RUN_TEST(strain_stops_at_its_limit);
    RUN_TEST(area_is_kept);
    RUN_TEST(a_flap_droops_by_its_moment_over_its_rigidity);
    RUN_TEST(momentum_is_kept);
    RUN_TEST(inner_damping_keeps_motion_as_a_whole);
    RUN_TEST(stiff_fabric_comes_to_rest);
}
