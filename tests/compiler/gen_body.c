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

// An arm that sticks out at 1.5 m, far from the skirt; hanging down its hand is beside it.
static hemc_d3 arm(double u, double v) {
    return d3(0.2 + 0.8 * v, 1.5 + 0.04 * sin(TAU * u), 0.04 * cos(TAU * u));
}

// A blade in its fist, a metre long and bound to the hand alone.
static hemc_d3 blade(double u, double v) {
    return d3(0.95 + 0.01 * cos(TAU * u), 1.45 - v, 0.01 * sin(TAU * u));
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

static bool run_moved(body_kit* b, uint32_t target, float reach, hemc_d3 (*move)(hemc_d3), bool mirrored, bool armed) {
    gen_kit* kit = &b->kit;
    memset(b, 0, sizeof *b);
    gen_begin(kit, 0.05);
    gen_grid(kit, 40, 20, skirt, true, 0);
    gen_grid(kit, 24, 80, body, true, HEM_NONE);
    if (armed) {
        gen_grid(kit, 16, 40, arm, true, HEM_NONE);
        gen_grid(kit, 8, 40, blade, true, HEM_NONE);
    }
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
    return run_moved(b, target, reach, stay, false, false);
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

// Bone 1 carries what was made by `arm`, from its shoulder on, and bone 2 the hand and the blade.
static bool run_arm(body_kit* b) {
    static const struct {
        const char* name;
        int32_t parent;
        float x;
    } bones[3] = {{"root", HEM_NONE, 0.0f}, {"shoulder", 0, 0.2f}, {"wrist", 1, 0.9f}};
    if (!run_moved(b, 0, 0.2f, stay, false, true)) {
        return false;
    }
    hemc_model* m = &b->kit.model;
    m->bone_count = 3;
    m->bone_defs = hemc_alloc(b->kit.arena, 3, sizeof *m->bone_defs);
    for (int i = 0; i < 3; ++i) {
        m->bone_defs[i].name = bones[i].name;
        m->bone_defs[i].parent = bones[i].parent;
        m->bone_defs[i].bind[3] = bones[i].x;
        m->bone_defs[i].bind[7] = 1.5f;
    }
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        const float x = m->positions[v].x;
        m->bones[v][0] = (uint16_t)(x > 0.9f ? 2 : x > 0.27f ? 1 : 0);
    }
    return true;
}

static uint32_t count_beyond(const body_kit* b, float x) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->body.count; ++i) {
        count += b->body.positions[i].x > x;
    }
    return count;
}

// The blade hangs down to 0.45 m: what lies below the arm belongs to it.
static uint32_t count_blade(const body_kit* b) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->body.count; ++i) {
        count += b->body.positions[i].x > 0.8f && b->body.positions[i].y < 1.4f;
    }
    return count;
}

TEST a_hand_that_can_come_to_the_skirt_is_body(void) {
    body_kit b;
    ASSERT(run_arm(&b));
    hemc_select_accessories(b.kit.arena, &b.kit.model, &b.recipe);
    ASSERT(make(&b));
    ASSERT(count_beyond(&b, 0.7f) >= 4);
    memset(b.kit.model.bones, 0, b.kit.model.vertex_count * sizeof *b.kit.model.bones);
    ASSERT(make(&b));
    ASSERT_EQ(0, count_beyond(&b, 0.5f)); // as a part of the trunk it stays where it is
    gen_end(&b.kit);
    PASS();
}

TEST a_sword_is_no_body_whatever_it_is_called(void) {
    body_kit b;
    ASSERT(run_arm(&b));
    b.recipe.no_accessories = true; // somebody insists
    hemc_select_accessories(b.kit.arena, &b.kit.model, &b.recipe);
    ASSERT(make(&b));
    ASSERT(count_blade(&b) > 0);
    b.recipe.no_accessories = false;
    hemc_select_accessories(b.kit.arena, &b.kit.model, &b.recipe);
    for (uint32_t t = 0; t < b.kit.model.triangle_count; ++t) {
        const hemc_vec3 p = b.kit.model.positions[b.kit.model.triangles[3 * (size_t)t]];
        ASSERT_EQ(p.x > 0.9f && p.y < 1.451f && fabsf(p.z) < 0.011f, b.recipe.accessories[t] != 0);
    }
    ASSERT(make(&b));
    ASSERT_EQ(0, count_blade(&b));
    ASSERT(count_beyond(&b, 0.7f) >= 4);        // the hand that holds it
    b.kit.model.bone_defs[2].name = "weapon_r"; // all that follows a bone for weapons
    hemc_select_accessories(b.kit.arena, &b.kit.model, &b.recipe);
    ASSERT(make(&b));
    ASSERT_EQ(0, count_beyond(&b, 0.95f));
    gen_end(&b.kit);
    PASS();
}

// The skirt is 15 to 25 cm wide and 30 cm long around a thigh of which there are two joints and nothing else.
TEST a_limb_that_is_not_there_becomes_a_capsule(void) {
    for (int what = 0; what < 4;
         ++what) { // 0: nothing there; 1: the body is; 2: the recipe has its own; 3: asked not to
        body_kit b;
        static const float heights[3] = {1.2f, 1.02f, 0.68f};
        hemc_collider_recipe own = {.name = "mine", .bone = "thigh"};
        hemc_bone_def bones[3] = {
            {.name = "hip", .parent = HEM_NONE}, {.name = "thigh", .parent = 0}, {.name = "shin", .parent = 1}};
        ASSERT(run(&b, 0, -1.0f));
        for (int i = 0; i < 3; ++i) {
            bones[i].bind[7] = heights[i];
        }
        b.kit.model.bone_defs = bones;
        b.kit.model.bone_count = 3;
        b.recipe.body.limbs = what != 3;
        for (uint32_t t = 0; t < b.kit.model.triangle_count && what != 1; ++t) {
            const hemc_vec3 p = b.kit.model.positions[b.kit.model.triangles[3 * (size_t)t]];
            b.kit.owner[t] = b.kit.owner[t] == HEM_NONE && p.y < 1.1f ? 1 : b.kit.owner[t];
        }
        hemc_part_recipe parts[2] = {b.kit.part, {.kind = HEM_PART_SOFT}}; // the second takes the legs away
        b.recipe.parts = parts;
        b.recipe.colliders = &own;
        b.recipe.collider_count = what == 2;
        hemc_recipe_bare_limbs(b.kit.arena, &b.kit.log, &b.kit.model, &b.recipe, b.kit.owner);
        ASSERT_EQ(what == 0 || what == 2 ? 1u : 0u, b.recipe.collider_count);
        if (what == 0) {
            const hemc_collider_recipe* c = &b.recipe.colliders[0];
            ASSERT_STR_EQ("thigh", c->bone);
            ASSERT_IN_RANGE(0.85f, c->position[1], 1e-6f);
            ASSERT_IN_RANGE(0.17f, c->size[2], 1e-6f);
            ASSERT_IN_RANGE(0.15f * 0.34f, c->size[0], 1e-6f);
        }
        gen_end(&b.kit);
    }
    PASS();
}

TEST clips_do_not_change_the_body(void) {
    body_kit b;
    ASSERT(run_arm(&b));
    b.recipe.body.reach = 0.1f;
    ASSERT(make(&b));
    const hemc_particles without = b.body;
    hemc_clip clip;
    memset(&clip, 0, sizeof clip);
    clip.frame_count = 1;
    clip.frames = hemc_alloc(b.kit.arena, 3, sizeof *clip.frames);
    for (int k = 0; k < 3; ++k) {
        clip.frames[k][0] = clip.frames[k][5] = clip.frames[k][10] = 1.0f;
    }
    clip.frames[1][7] = clip.frames[2][7] = -0.6f; // the arm comes down as it is
    b.kit.model.clips = &clip;
    b.kit.model.clip_count = 1;
    ASSERT(make(&b));
    ASSERT_EQ(without.count, b.body.count);
    ASSERT_EQ(0, memcmp(without.positions, b.body.positions, without.count * sizeof *without.positions));
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
            ASSERT(run_moved(&a, 0, -1.0f, stay, false, false) &&
                   run_moved(&b, 0, -1.0f, moves[k].move, moves[k].mirrored, false));
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
    RUN_TEST(a_hand_that_can_come_to_the_skirt_is_body);
    RUN_TEST(a_sword_is_no_body_whatever_it_is_called);
    RUN_TEST(a_limb_that_is_not_there_becomes_a_capsule);
    RUN_TEST(clips_do_not_change_the_body);
    RUN_TEST(a_count_is_met_and_none_means_none);
    RUN_TEST(the_body_moves_with_the_character);
}
