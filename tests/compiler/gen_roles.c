// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

#include <string.h>

// Who follows the skeleton: a skirt (owner 0) around a body (no owner), rule by rule.

#define TAU 6.283185307179586

static hemc_d3 skirt(double u, double v) { // waist at 1.0
    double r = 0.15 + 0.1 * (1.0 - v);
    return d3(r * cos(TAU * u), 0.5 + 0.5 * v, r * sin(TAU * u));
}
static hemc_d3 body(double u, double v) {
    return d3(0.13 * cos(TAU * u), 0.2 + 1.4 * v, 0.13 * sin(TAU * u));
}

static void build(gen_kit* kit) {
    gen_begin(kit, 0.05);
    gen_grid(kit, 40, 20, skirt, true, 0);
    gen_grid(kit, 24, 30, body, true, HEM_NONE);
}

static bool run(gen_kit* kit) {
    if (!gen_run(kit)) {
        return false;
    }
    hemc_fit(kit->arena, &kit->surface, &kit->part, &kit->particles);
    return hemc_roles(kit->arena, &kit->log, &kit->model, &kit->part, &kit->surface, kit->owner, &kit->particles);
}

static bool attached(const gen_kit* kit, uint32_t i) {
    return (kit->particles.flags[i] & HEM_PARTICLE_ANIMATED) != 0;
}

TEST a_skirt_hangs_from_its_waist(void) {
    gen_kit kit;
    build(&kit);
    ASSERT(run(&kit));
    const hemc_particles* p = &kit.particles;
    for (uint32_t i = 0; i < p->count; ++i) {
        ASSERT_EQ(p->level[i] + 1 == (int32_t)p->level_count, attached(&kit, i));
        ASSERT(p->flags[i] & HEM_PARTICLE_COLLIDES);
        ASSERT_FALSE(p->flags[i] & HEM_PARTICLE_SURFACE);
        ASSERT_EQ(1.0f, p->stiffness[i]);
        ASSERT(p->max_distance[i] < 0.0f && p->backstop[i] < 0.0f);
    }
    ASSERT_EQ(0, kit.log.warning_count);
    gen_end(&kit);
    PASS();
}

TEST rules_of_height_box_and_nearness_hold_exactly(void) {
    for (int rule = 0; rule < 4; ++rule) {
        gen_kit kit;
        build(&kit);
        kit.part.attach.automatic = false;
        kit.part.attach.top = rule == 0 ? 0.12f : -1.0f;
        kit.part.attach.bottom = rule == 1 ? 0.12f : -1.0f;
        kit.part.attach.near = rule == 2 ? 0.05f : -1.0f;
        if (rule == 3) {
            kit.part.attach.has_box = true;
            float low[3] = {0, 0, -9}, high[3] = {9, 0.8f, 9};
            memcpy(kit.part.attach.box_min, low, sizeof low);
            memcpy(kit.part.attach.box_max, high, sizeof high);
        }
        ASSERT(run(&kit));
        for (uint32_t i = 0; i < kit.particles.count; ++i) {
            hemc_d3 a = d3_from(kit.particles.positions[i]);
            double margin = rule == 0         ? 0.12 - (1.0 - a.y)
                            : rule == 1       ? 0.12 - (a.y - 0.5)
                            : rule == 2       ? 0.05 - (sqrt(a.x * a.x + a.z * a.z) - 0.13)
                            : a.x < 0.8 - a.y ? a.x
                                              : 0.8 - a.y;
            if (fabs(margin) > 0.003) { // facets and the hair that the outer rows sit inside
                ASSERT_EQ(margin > 0.0, attached(&kit, i));
            }
        }
        gen_end(&kit);
    }
    PASS();
}

static void add_paint(gen_kit* kit, const char* name, float (*value)(hemc_vec3)) {
    hemc_model* m = &kit->model;
    hemc_paint* paints = hemc_alloc(kit->arena, (size_t)m->paint_count + 1, sizeof *paints);
    if (m->paint_count > 0) {
        memcpy(paints, m->paints, m->paint_count * sizeof *paints);
    }
    hemc_paint* paint = &paints[m->paint_count++];
    paint->name = name;
    paint->values = hemc_alloc(kit->arena, m->vertex_count, sizeof *paint->values);
    paint->present = hemc_alloc(kit->arena, 1, sizeof *paint->present);
    paint->present[0] = 1;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        paint->values[v] = value(m->positions[v]);
    }
    m->paints = paints;
}

static float by_height(hemc_vec3 p) {
    return (p.y - 0.5f) * 2.0f;
}
static float right_half(hemc_vec3 p) {
    return p.x > 0.0f ? 1.0f : 0.0f;
}

// 0 rigid to 1 free: tethers act at 1 / (1 - stretch) times the way, one number, painted, and both.
TEST tethers_stretch_as_painted_and_as_told(void) {
    for (int i = 0; i < 4; ++i) {
        gen_kit kit;
        build(&kit);
        add_paint(&kit, "_STRETCH", by_height);
        kit.part.tether_stretch = i & 1 ? 0.25f : 0.0f;
        kit.part.tether_stretch_painted = (i & 2) != 0;
        kit.part.map_paints[HEMC_TETHER] = i & 2 ? "_STRETCH" : NULL;
        ASSERT(run(&kit));
        for (uint32_t k = 0; k < kit.particles.count; ++k) {
            const float painted = i & 2 ? (kit.particles.positions[k].y - 0.5f) * 2.0f : 0.0f;
            ASSERT_IN_RANGE((1 - painted) * (1 - kit.part.tether_stretch), kit.particles.maps[k][HEMC_TETHER], 1e-4f);
        }
        gen_end(&kit);
    }
    PASS();
}

TEST paints_reach_particles_by_interpolation(void) {
    gen_kit kit;
    build(&kit);
    add_paint(&kit, "_HEM_STIFFNESS", by_height);
    add_paint(&kit, "_LIMIT", by_height);
    add_paint(&kit, "_HEM_PIN", right_half);
    kit.part.stiffness_paint = "_HEM_STIFFNESS";
    for (int k = 0; k < HEMC_MAP_COUNT; ++k) { // one paint for all but one, which names none that there is
        kit.part.map_paints[k] = k == HEMC_DRAG ? "_HEM_DRAG" : "_HEM_STIFFNESS";
    }
    kit.part.max_distance_paint = "_LIMIT";
    kit.part.backstop = 0.02f;
    ASSERT(run(&kit));
    const hemc_particles* p = &kit.particles;
    for (uint32_t i = 0; i < p->count; ++i) {
        float wanted = (p->positions[i].y - 0.5f) * 2.0f;
        ASSERT_IN_RANGE(wanted, p->stiffness[i], 1e-4f);
        for (int k = 0; k < HEMC_MAP_COUNT; ++k) {
            ASSERT_IN_RANGE(k == HEMC_DRAG ? 1.0f : wanted, p->maps[i][k], 1e-4f);
        }
        ASSERT_IN_RANGE(wanted, p->max_distance[i], 1e-4f);
        ASSERT_EQ(0.02f, p->backstop[i]);
        if (fabs(p->positions[i].x) > 0.04) {
            ASSERT_EQ(p->positions[i].x > 0.0f, attached(&kit, i)); // the pin wins over the waist
        }
    }
    for (size_t k = 0; k < p->link_count; ++k) {
        ASSERT_IN_RANGE(0.5f * (p->stiffness[p->links[k].a] + p->stiffness[p->links[k].b]), p->links[k].scale, 1e-6f);
    }
    gen_end(&kit);
    PASS();
}

TEST with_momentum_everything_is_matched_to_the_pose(void) {
    gen_kit kit;
    build(&kit);
    kit.part.animation = HEM_ANIMATE_MOMENTUM;
    ASSERT(run(&kit));
    for (uint32_t i = 0; i < kit.particles.count; ++i) {
        ASSERT(attached(&kit, i));
        ASSERT(kit.particles.mass[i] > 0.0f);
    }
    ASSERT_EQ(0, kit.log.warning_count);
    gen_end(&kit);
    PASS();
}

TEST nothing_is_attached_when_told_so_and_a_rule_in_vain_warns(void) {
    gen_kit kit;
    build(&kit);
    kit.part.attach.automatic = false;
    kit.part.attach.none = true;
    ASSERT(run(&kit));
    for (uint32_t i = 0; i < kit.particles.count; ++i) {
        ASSERT_FALSE(attached(&kit, i));
    }
    gen_end(&kit);
    build(&kit);
    kit.part.attach.automatic = false;
    kit.part.attach.near = 0.0001f;
    ASSERT(run(&kit));
    ASSERT_EQ(1, kit.log.warning_count);
    gen_end(&kit);
    PASS();
}

static hemc_d3 tail(double u, double v) { // horizontal, its base at the body
    double r = 0.05 - 0.03 * v;
    return d3(0.13 + 0.6 * v, 0.9 + r * cos(TAU * u), r * sin(TAU * u));
}

TEST a_lying_part_is_held_at_the_end_near_the_body(void) {
    gen_kit kit;
    gen_begin(&kit, 0.04);
    gen_grid(&kit, 24, 40, tail, true, 0);
    gen_grid(&kit, 24, 30, body, true, HEM_NONE);
    ASSERT(run(&kit));
    uint32_t count = 0;
    for (uint32_t i = 0; i < kit.particles.count; ++i) {
        count += attached(&kit, i);
        if (attached(&kit, i)) {
            ASSERT(kit.particles.positions[i].x < 0.25f);
        }
    }
    ASSERT(count >= 3);
    gen_end(&kit);
    PASS();
}

// A skirt cut out of one mesh: its border is shared with triangles of no part.
static hemc_d3 upper(double u, double v) {
    return d3(0.15 * cos(TAU * u), 1.0 + 0.5 * v, 0.15 * sin(TAU * u));
}

TEST a_shared_border_is_held(void) {
    gen_kit kit;
    gen_begin(&kit, 0.05);
    gen_grid(&kit, 40, 20, skirt, true, 0);
    gen_grid(&kit, 40, 20, upper, true, HEM_NONE);
    ASSERT(run(&kit));
    const hemc_particles* p = &kit.particles;
    for (uint32_t i = 0; i < p->count; ++i) {
        ASSERT_EQ(p->level[i] + 1 == (int32_t)p->level_count, attached(&kit, i));
    }
    gen_end(&kit);
    PASS();
}

static hemc_d3 ball(double u, double v) {
    double r = 0.08 * sin(TAU / 2.0 * v);
    return d3(r * cos(TAU * u), 0.08 * cos(TAU / 2.0 * v), r * sin(TAU * u));
}
static hemc_d3 ball_on_bone(double u, double v) { // shares the skin's upper border
    hemc_d3 p = upper(u, 1.0);
    return d3(p.x * (1.0 - v), p.y + 0.1 * v, p.z * (1.0 - v));
}
static hemc_d3 ball_at_side(double u, double v) { // a little way into the body, of which it shares nothing
    hemc_d3 p = ball(u, v);
    return d3(p.x + 0.2, p.y + 1.2, p.z);
}

static hemc_d3 long_hair(double u, double v) { // from the back to above the head
    return d3(0.2 * (u - 0.5), 0.6 + 0.9 * v, -0.13);
}
static hemc_d3 back(double u, double v) { // up to 1.0
    return d3(0.3 * (u - 0.5), 0.3 + 0.7 * v, -0.12);
}
static hemc_d3 skull(double u, double v) { // from 1.3
    return d3(0.3 * (u - 0.5), 1.3 + 0.1 * v, -0.12);
}

// Long hair lies on the back all along. It is held by the head; and where a scalp is missing, around its bone, with a warning.
TEST hair_is_held_by_the_head_and_not_by_the_back(void) {
    for (int scalp = 0; scalp < 2; ++scalp) {
        gen_kit kit;
        gen_begin(&kit, 0.05);
        gen_grid(&kit, 8, 30, long_hair, true, 0);
        gen_grid(&kit, 8, 20, back, true, HEM_NONE);
        if (scalp == 1) {
            gen_grid(&kit, 8, 4, skull, true, HEM_NONE);
        }
        kit.part.generator = HEMC_SCATTER;
        kit.part.kind = HEM_PART_SOFT;
        kit.part.lies = HEMC_LIES_ON_HEAD;
        ASSERT(gen_run(&kit));
        const hemc_bone_def bones[2] = {{.name = "chest", .parent = HEM_NONE},
                                        {.name = "head", .bind = {1, 0, 0, 0, 0, 1, 0, 1.3f, 0, 0, 1, -0.1f}}};
        kit.model.bone_defs = hemc_alloc(kit.arena, 2, sizeof bones[0]);
        memcpy(kit.model.bone_defs, bones, sizeof bones);
        kit.model.bone_count = 2;
        for (uint32_t v = 0; v < kit.model.vertex_count; ++v) { // all but the back follows the head
            kit.model.bones[v][0] = v < 9 * 31 || v >= 9 * 31 + 9 * 21;
        }
        hemc_fit(kit.arena, &kit.surface, &kit.part, &kit.particles);
        ASSERT(hemc_roles(kit.arena, &kit.log, &kit.model, &kit.part, &kit.surface, kit.owner, &kit.particles));
        uint32_t held = 0, low = 0;
        for (uint32_t i = 0; i < kit.particles.count; ++i) {
            held += attached(&kit, i);
            low += attached(&kit, i) && kit.particles.positions[i].y < 0.85f;
        }
        ASSERT(held > 0);
        ASSERT_EQ(0, low);
        ASSERT_EQ(scalp == 0, kit.log.warning_count == 1);
        gen_end(&kit);
    }
    PASS();
}

TEST every_piece_is_held_where_it_touches(void) {
    for (int rule = 0; rule < 2; ++rule) {
        gen_kit kit;
        gen_begin(&kit, 0.04);
        gen_grid(&kit, 40, 8, ball_on_bone, true, 0);
        gen_grid(&kit, 24, 12, ball_at_side, true, 0);
        gen_grid(&kit, 40, 20, upper, true, HEM_NONE);
        kit.part.generator = HEMC_SCATTER;
        kit.part.kind = HEM_PART_SOFT;
        if (rule == 1) { // a rule of one's own is taken as it is, and what it forgets is named
            kit.part.attach.automatic = false;
            kit.part.attach.has_box = true;
            kit.part.attach.box_min[0] = kit.part.attach.box_min[1] = kit.part.attach.box_min[2] = -9.0f;
            kit.part.attach.box_max[0] = kit.part.attach.box_max[2] = 9.0f;
            kit.part.attach.box_max[1] = 9.0f;
            kit.part.attach.box_min[1] = 1.45f;
        }
        ASSERT(run(&kit));
        uint32_t held[2] = {0, 0};
        for (uint32_t i = 0; i < kit.particles.count; ++i) {
            held[kit.particles.positions[i].y < 1.4f] += attached(&kit, i);
        }
        ASSERT(held[0] > 0);
        ASSERT_EQ(rule == 0, held[1] > 0);
        hemc_recipe recipe;
        memset(&recipe, 0, sizeof recipe);
        recipe.parts = &kit.part;
        recipe.part_count = 1;
        hemc_mesh mesh;
        ASSERT(hemc_assemble(kit.arena, &kit.log, &kit.model, &recipe, &kit.particles, NULL, &mesh));
        ASSERT_EQ(rule, kit.log.warning_count);
        ASSERT(rule == 0 || strstr(kit.log.messages[kit.log.message_count - 1].text, "1 of 2 pieces") != NULL);
        gen_end(&kit);
    }
    PASS();
}

void gen_roles_tests(void) {
    RUN_TEST(a_skirt_hangs_from_its_waist);
    RUN_TEST(rules_of_height_box_and_nearness_hold_exactly);
    RUN_TEST(paints_reach_particles_by_interpolation);
    RUN_TEST(tethers_stretch_as_painted_and_as_told);
    RUN_TEST(with_momentum_everything_is_matched_to_the_pose);
    RUN_TEST(nothing_is_attached_when_told_so_and_a_rule_in_vain_warns);
    RUN_TEST(a_lying_part_is_held_at_the_end_near_the_body);
    RUN_TEST(a_shared_border_is_held);
    RUN_TEST(hair_is_held_by_the_head_and_not_by_the_back);
    RUN_TEST(every_piece_is_held_where_it_touches);
}
