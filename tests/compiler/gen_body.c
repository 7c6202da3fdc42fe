// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

#include <string.h>

// Collision particles of a body (a tall cylinder) under a short skirt.

#define TAU 6.283185307179586

static hemc_d3 skirt(double u, double v) {
    double r = 0.15 + 0.1 * (1.0 - v);
    return d3(r * cos(TAU * u), 0.7 + 0.3 * v, r * sin(TAU * u));
}
static hemc_d3 body(double u, double v) {
    return d3(0.13 * cos(TAU * u), 4.0 * v - 1.0, 0.13 * sin(TAU * u));
}

typedef struct body_kit {
    gen_kit kit;
    hemc_recipe recipe;
    hemc_particles body;
} body_kit;

static hemc_d3 stay(hemc_d3 p) {
    return p;
}
// A turn about the vertical. A box along the axes around the skirt is another after it.
static hemc_d3 turn(hemc_d3 p) {
    return d3(0.6 * p.x + 0.8 * p.z, p.y, -0.8 * p.x + 0.6 * p.z);
}

static bool run_moved(body_kit* b, uint32_t target, float reach, hemc_d3 (*move)(hemc_d3), bool mirrored) {
    gen_kit* kit = &b->kit;
    memset(b, 0, sizeof *b);
    gen_begin(kit, 0.05);
    gen_grid(kit, 40, 20, skirt, true, 0);
    gen_grid(kit, 24, 80, body, true, HEM_NONE);
    for (uint32_t v = 0; v < kit->model.vertex_count; ++v) {
        kit->model.positions[v] = d3_to(move(d3_from(kit->model.positions[v])));
    }
    for (uint32_t t = 0; t < kit->model.triangle_count && mirrored; ++t) {
        uint32_t* c = &kit->model.triangles[3 * (size_t)t];
        const uint32_t swap = c[1];
        c[1] = c[2];
        c[2] = swap;
    }
    if (!gen_run(kit)) {
        return false;
    }
    hemc_fit(kit->arena, &kit->surface, &kit->part, &kit->particles);
    if (!hemc_roles(kit->arena, &kit->log, &kit->model, &kit->part, &kit->surface, kit->owner, &kit->particles)) {
        return false;
    }
    b->recipe.parts = &kit->part;
    b->recipe.part_count = 1;
    b->recipe.body.enabled = b->recipe.body.surface = true;
    b->recipe.body.particle_target = target;
    b->recipe.body.reach = reach;
    return true;
}

static bool run(body_kit* b, uint32_t target, float reach) {
    return run_moved(b, target, reach, stay, false);
}

static bool make(body_kit* b) {
    return hemc_body(b->kit.arena, &b->kit.log, &b->kit.model, &b->recipe, b->kit.owner, &b->kit.particles, &b->body);
}

TEST tips_lie_on_the_skin_and_face_out(void) {
    body_kit b;
    ASSERT(run(&b, 0, -1.0f));
    ASSERT(make(&b));
    ASSERT(b.body.count > 40);
    ASSERT_IN_RANGE(1.3f * b.kit.particles.spacing, b.body.spacing, 1e-6f);
    ASSERT_IN_RANGE(0.75f * b.body.spacing, b.body.radius, 1e-6f);
    for (uint32_t i = 0; i < b.body.count; ++i) {
        hemc_d3 out = hemc_quat_axis(b.body.rotation[i], 0);
        hemc_d3 tip = d3_madd(d3_from(b.body.positions[i]), out, b.body.radii[i][0]);
        ASSERT_IN_RANGE(0.13, sqrt(tip.x * tip.x + tip.z * tip.z), 0.003);
        ASSERT(out.x * tip.x + out.z * tip.z > 0.12);
        ASSERT_EQ(HEM_PARTICLE_ANIMATED | HEM_PARTICLE_BODY | HEM_PARTICLE_COLLIDES | HEM_PARTICLE_SURFACE,
                  (int)b.body.flags[i]);
        ASSERT(b.body.mass[i] > 0.0f);
    }
    ASSERT_EQ(0u, b.body.link_count);
    gen_end(&b.kit);
    PASS();
}

TEST only_what_can_be_reached_gets_particles(void) {
    body_kit b;
    ASSERT(run(&b, 0, 0.2f));
    ASSERT(make(&b));
    ASSERT(b.body.count > 20);
    for (uint32_t i = 0; i < b.body.count; ++i) {
        // The skirt ends at 0.7 with radius 0.25: 0.12 from the skin, so 0.16 further down along it.
        ASSERT(b.body.positions[i].y > 0.7f - 0.17f && b.body.positions[i].y < 1.0f + 0.2f);
    }
    uint32_t narrow = b.body.count;
    b.recipe.body.reach = 0.6f;
    ASSERT(make(&b));
    ASSERT(b.body.count > 2 * narrow);
    gen_end(&b.kit);
    PASS();
}

TEST what_only_a_clip_brings_near_is_found(void) {
    body_kit b;
    ASSERT(run(&b, 0, 0.2f));
    ASSERT(make(&b));
    uint32_t still = b.body.count;
    // Bone 1 carries the top of the body; in the clip it comes down to the skirt.
    hemc_model* m = &b.kit.model;
    m->bone_count = 2;
    m->bone_defs = hemc_alloc(b.kit.arena, 2, sizeof *m->bone_defs);
    m->bone_defs[0].name = "root";
    m->bone_defs[1].name = "top";
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        m->bones[v][0] = m->positions[v].y > 2.0f;
    }
    hemc_clip clip;
    memset(&clip, 0, sizeof clip);
    clip.frame_count = 1;
    clip.frames = hemc_alloc(b.kit.arena, 2, sizeof *clip.frames);
    for (int k = 0; k < 2; ++k) {
        clip.frames[k][0] = clip.frames[k][5] = clip.frames[k][10] = 1.0f;
    }
    clip.frames[1][7] = -1.6f;
    m->clips = &clip;
    m->clip_count = 1;
    ASSERT(make(&b));
    ASSERT(b.body.count > still);
    bool found = false;
    for (uint32_t i = 0; i < b.body.count; ++i) {
        found = found || b.body.positions[i].y > 2.0f;
    }
    ASSERT(found);
    gen_end(&b.kit);
    PASS();
}

TEST a_count_is_met_and_none_means_none(void) {
    body_kit b;
    ASSERT(run(&b, 73, 0.3f));
    ASSERT(make(&b));
    ASSERT_EQ(73u, b.body.count);
    b.recipe.body.enabled = false;
    ASSERT(make(&b));
    ASSERT_EQ(0u, b.body.count);
    gen_end(&b.kit);
    PASS();
}

static hemc_d3 mirror(hemc_d3 p) {
    return d3(-p.x, p.y, p.z);
}

// Also where the recipe leaves the count to the compiler, which then has far more candidates than it needs.
TEST the_body_moves_with_the_character(void) {
    static const struct {
        hemc_d3 (*move)(hemc_d3);
        bool mirrored;
        double least; // share that is in the same place; elimination is a long sequence, rounding may tip a few
    } moves[] = {{mirror, true, 1.0}, {turn, false, 0.97}};
    for (int fine = 0; fine < 2; ++fine) {
        for (int k = 0; k < 2; ++k) {
            body_kit a, b;
            ASSERT(run_moved(&a, 0, -1.0f, stay, false) && run_moved(&b, 0, -1.0f, moves[k].move, moves[k].mirrored));
            if (fine) {
                a.kit.particles.spacing *= 0.1f;
                b.kit.particles.spacing *= 0.1f;
            }
            ASSERT(make(&a) && make(&b));
            ASSERT(a.body.count > (fine ? 500u : 40u));
            ASSERT_EQ(a.body.count, b.body.count);
            uint32_t same = 0;
            for (uint32_t i = 0; i < a.body.count; ++i) {
                const hemc_d3 p = moves[k].move(d3_from(a.body.positions[i]));
                bool found = false;
                for (uint32_t j = 0; j < b.body.count; ++j) {
                    found |= d3_distance(p, d3_from(b.body.positions[j])) < 1e-2 * a.body.spacing;
                }
                same += found;
            }
            ASSERT(same >= moves[k].least * a.body.count);
            gen_end(&a.kit);
            gen_end(&b.kit);
        }
    }
    PASS();
}

void gen_body_tests(void) {
    RUN_TEST(tips_lie_on_the_skin_and_face_out);
    RUN_TEST(only_what_can_be_reached_gets_particles);
    RUN_TEST(what_only_a_clip_brings_near_is_found);
    RUN_TEST(a_count_is_met_and_none_means_none);
    RUN_TEST(the_body_moves_with_the_character);
}
