// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

#include <string.h>

// Strands on cards whose centre line is a formula.

#define TAU 6.283185307179586

// A curl: two turns of radius 5 cm, 40 cm down, as a band 2 cm wide.
static hemc_d3 curl_line(double v) {
    return d3(0.05 * cos(2.0 * TAU * v), 1.5 - 0.4 * v, 0.05 * sin(2.0 * TAU * v));
}
static hemc_d3 curl(double u, double v) {
    hemc_d3 p = curl_line(v);
    return d3(p.x, p.y + 0.02 * (u - 0.5), p.z);
}

TEST a_curl_is_followed_turn_by_turn(void) {
    gen_kit kit;
    gen_begin(&kit, 0.0);
    kit.part.generator = HEMC_STRANDS;
    kit.part.segment_count = 24;
    gen_grid(&kit, 4, 120, curl, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    ASSERT_EQ(24u, p->count);
    ASSERT_EQ(23u, p->link_count);
    // Length of the line: sqrt((2 TAU 0.05)^2 + 0.4^2).
    double length = sqrt(4.0 * TAU * TAU * 0.0025 + 0.16);
    for (uint32_t i = 0; i < p->count; ++i) {
        hemc_d3 a = d3_from(p->positions[i]);
        double nearest = 1e30;
        for (int k = 0; k <= 2000; ++k) {
            double d = d3_distance(a, curl_line(k / 2000.0));
            nearest = d < nearest ? d : nearest;
        }
        ASSERT(nearest < 0.008);
        ASSERT_EQ((int32_t)i, p->level[i]);
        if (i > 0) { // the chord over one of 23 gaps, a few percent less than the arc
            double d = d3_distance(a, d3_from(p->positions[i - 1]));
            ASSERT_IN_RANGE(length / 23.0, d, 0.12 * length / 23.0);
        }
    }
    // No character to hang on: the root is the higher end.
    ASSERT(p->positions[0].y > 1.48f);
    ASSERT(p->positions[23].y < 1.12f);
    gen_end(&kit);
    PASS();
}

// A fat tail over four bones in a row, and a fin on a bone that forks off the second.
static const double tail_heads[5][3] = {{0, 1, 0}, {0.1, 0.9, 0}, {0.25, 0.85, 0}, {0.4, 0.85, 0}, {0.1, 1.0, 0.1}};

static hemc_d3 tail_line(double v) {
    double t = v * 4.0;
    int k = t < 3.0 ? (int)t : 2; // straight on beyond the last head
    double f = t - k;
    return d3(tail_heads[k][0] + f * (tail_heads[k + 1][0] - tail_heads[k][0]),
              tail_heads[k][1] + f * (tail_heads[k + 1][1] - tail_heads[k][1]),
              tail_heads[k][2] + f * (tail_heads[k + 1][2] - tail_heads[k][2]));
}
static hemc_d3 tail(double u, double v) {
    hemc_d3 p = tail_line(v);
    return d3(p.x, p.y + 0.08 * cos(TAU * u), p.z + 0.08 * sin(TAU * u));
}
static hemc_d3 fin(double u, double v) {
    return d3(0.1 + 0.02 * (u - 0.5), 0.9 + 0.3 * v, 0.3 * v);
}

static bool run_on_bones(gen_kit* kit, const char* glob) {
    static const char* const names[6] = {"hips", "tail.1", "tail.2", "tail.3", "tail.4", "fin"};
    static const int32_t parents[6] = {HEM_NONE, 0, 1, 2, 3, 2};
    gen_begin(kit, 0.0);
    kit->part.generator = HEMC_STRANDS;
    kit->part.segment_count = 9;
    kit->part.chains = hemc_alloc(kit->arena, 1, sizeof(char*));
    kit->part.chains[0] = glob;
    kit->part.chain_count = 1;
    gen_grid(kit, 12, 32, tail, false, 0);
    uint32_t tail_vertices = kit->model.vertex_count;
    gen_grid(kit, 2, 8, fin, false, 0);
    gen_model(kit);
    hemc_model* m = &kit->model;
    m->bone_count = 6;
    m->bone_defs = hemc_alloc(kit->arena, 6, sizeof *m->bone_defs);
    for (int b = 0; b < 6; ++b) {
        m->bone_defs[b].name = names[b];
        m->bone_defs[b].parent = parents[b];
        for (int k = 0; k < 3 && b > 0; ++k) {
            m->bone_defs[b].bind[4 * k + 3] = (float)tail_heads[b - 1][k];
        }
    }
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        uint32_t level = v / 13; // of the tail's grid
        m->bones[v][0] = v < tail_vertices ? (uint16_t)(1 + (level < 32 ? level / 8 : 3)) : 5;
    }
    return hemc_weld(kit->arena, m, kit->owner, 0, &kit->surface) &&
           hemc_generate(kit->arena, &kit->log, m, &kit->part, &kit->surface, &kit->particles);
}

TEST chains_of_bones_are_followed_to_their_tips(void) {
    gen_kit kit;
    ASSERT(run_on_bones(&kit, "tail.*"));
    const hemc_particles* p = &kit.particles;
    ASSERT_EQ(18u, p->count); // the tail, and the fin that forks off
    uint32_t on_tail = 0, roots = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        hemc_d3 a = d3_from(p->positions[i]);
        double nearest = 1e30;
        for (int k = 0; k <= 4000; ++k) {
            double d = d3_distance(a, tail_line(k / 4000.0));
            nearest = d < nearest ? d : nearest;
        }
        on_tail += nearest < 0.002;
        roots += p->level[i] == 0;
        // Roots first: at the head of the first bone, and of the bone where the fin forks off.
        ASSERT(p->level[i] != 0 || d3_distance(a, d3(0, 1, 0)) < 1e-6 || d3_distance(a, d3(0.1, 0.9, 0)) < 1e-6);
    }
    ASSERT_EQ(2u, roots);
    ASSERT(on_tail >= 9);
    // The tip: as far along the last bone's direction as the surface goes, a quarter of the line beyond its head.
    double reached = 0.0;
    for (uint32_t i = 0; i < p->count; ++i) {
        double d = d3_distance(d3_from(p->positions[i]), tail_line(1.0));
        reached = p->level[i] == 8 && (reached == 0.0 || d < reached) ? d : reached;
    }
    ASSERT(reached < 1e-3);
    gen_end(&kit);
    // A chain may begin anywhere; one that nothing follows is refused by name.
    ASSERT(run_on_bones(&kit, "tail.3"));
    ASSERT_EQ(9u, kit.particles.count);
    ASSERT(d3_distance(d3_from(kit.particles.positions[0]), d3(0.25, 0.85, 0)) < 1e-6);
    gen_end(&kit);
    ASSERT_FALSE(run_on_bones(&kit, "ear*"));
    ASSERT(strstr(kit.log.messages[0].text, "names no bone") != NULL);
    gen_end(&kit);
    PASS();
}

static hemc_d3 rising(double u, double v) { // a plume: its root is below
    return d3(0.02 * (u - 0.5), 1.0 + 0.5 * v, 0.0);
}
static hemc_d3 skull(double u, double v) {
    return d3(0.2 * (u - 0.5), 0.99, 0.2 * (v - 0.5));
}

TEST the_root_is_the_end_near_the_character(void) {
    gen_kit kit;
    gen_begin(&kit, 0.05);
    kit.part.generator = HEMC_STRANDS;
    gen_grid(&kit, 2, 30, rising, false, 0);
    gen_grid(&kit, 4, 4, skull, false, HEM_NONE);
    ASSERT(gen_run(&kit));
    ASSERT_EQ(11u, kit.particles.count);
    ASSERT_IN_RANGE(1.0, kit.particles.positions[0].y, 0.02);
    gen_end(&kit);
    PASS();
}

static double card_angle;
static hemc_d3 card(double u, double v) { // hangs from a crown of radius 10 cm, spreading
    double r = 0.1 + 0.1 * v, side = 0.015 * (u - 0.5);
    return d3(r * cos(card_angle) - side * sin(card_angle), 1.6 - 0.35 * v,
              r * sin(card_angle) + side * cos(card_angle));
}

TEST many_cards_share_few_guides(void) {
    gen_kit kit;
    gen_begin(&kit, 0.0);
    kit.part.generator = HEMC_STRANDS;
    kit.part.guide_count = 8;
    kit.part.segment_count = 7;
    for (int i = 0; i < 64; ++i) {
        card_angle = TAU * i / 64.0;
        gen_grid(&kit, 2, 14, card, false, 0);
    }
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    ASSERT_EQ(56u, p->count);
    ASSERT_EQ(48u, p->link_count);
    // Every card has a guide no farther than its share of the circle at the tips: TAU 0.2 / 8 = 0.157.
    for (int i = 0; i < 64; ++i) {
        card_angle = TAU * i / 64.0;
        double nearest = 1e30;
        for (uint32_t k = 0; k < p->count; ++k) {
            double d = d3_distance(card(0.5, 1.0), d3_from(p->positions[k]));
            nearest = p->level[k] == 6 && d < nearest ? d : nearest;
        }
        ASSERT(nearest < 0.157);
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        ASSERT_EQ((int32_t)(i / 7), p->column[i]);
        ASSERT_EQ((int32_t)(i % 7), p->level[i]);
    }
    gen_end(&kit);
    PASS();
}

// Sixty-four cards: a quarter of eight guides, half of five (three), and of as many as there are; never none.
TEST a_share_of_the_guides_is_kept(void) {
    static const struct {
        uint32_t guides;
        float share;
        uint32_t kept;
    } cases[] = {{8, 0.25f, 2}, {5, 0.5f, 3}, {8, 0.01f, 1}, {8, 1.0f, 8}, {64, 0.1f, 6}};
    for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); ++n) {
        gen_kit kit;
        gen_begin(&kit, 0.0);
        kit.part.generator = HEMC_STRANDS;
        kit.part.guide_count = cases[n].guides;
        kit.part.guide_share = cases[n].share;
        kit.part.segment_count = 7;
        for (int i = 0; i < 64; ++i) {
            card_angle = TAU * i / 64.0;
            gen_grid(&kit, 2, 14, card, false, 0);
        }
        ASSERT(gen_run(&kit));
        ASSERT_EQ(7 * cases[n].kept, kit.particles.count);
        gen_end(&kit);
    }
    PASS();
}

TEST every_card_gets_its_own_guide_when_there_are_enough(void) {
    gen_kit kit;
    gen_begin(&kit, 0.0);
    kit.part.generator = HEMC_STRANDS;
    kit.part.guide_count = 100;
    for (int i = 0; i < 12; ++i) {
        card_angle = TAU * i / 12.0;
        gen_grid(&kit, 2, 14, card, false, 0);
    }
    ASSERT(gen_run(&kit));
    ASSERT_EQ(12u * 8u, kit.particles.count);
    gen_end(&kit);
    PASS();
}

static hemc_d3 tube(double u, double v) {
    double a = TAU * u;
    return d3(0.03 * cos(a) * (1.0 - 0.5 * v), 1.0 - 0.5 * v, 0.03 * sin(a) * (1.0 - 0.5 * v) - 0.2 * v * v);
}

TEST a_tube_is_one_strand_down_its_middle(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06);
    kit.part.generator = HEMC_STRANDS;
    gen_grid(&kit, 16, 40, tube, false, 0);
    ASSERT(gen_run(&kit));
    const hemc_particles* p = &kit.particles;
    ASSERT(p->count >= 9 && p->count <= 11);
    for (uint32_t i = 0; i < p->count; ++i) {
        double v = (1.0 - p->positions[i].y) / 0.5;
        ASSERT(fabs(p->positions[i].x) < 0.008);
        ASSERT_IN_RANGE(-0.2 * v * v, p->positions[i].z, 0.012);
    }
    gen_end(&kit);
    PASS();
}

static hemc_d3 mop(double u, double v) { // a broad sheet with fringes is no single strand
    return d3(0.6 * (u - 0.5), 1.0 - 0.4 * v, 0.0);
}

TEST a_broad_piece_is_shared_out(void) {
    gen_kit kit;
    gen_begin(&kit, 0.06);
    kit.part.generator = HEMC_STRANDS;
    gen_grid(&kit, 24, 16, mop, false, 0);
    ASSERT(gen_run(&kit));
    uint32_t strands = 0;
    for (uint32_t i = 0; i < kit.particles.count; ++i) {
        strands += kit.particles.level[i] == 0;
    }
    ASSERT(strands >= 3);
    gen_end(&kit);
    PASS();
}

// The normals of a tube, or of two sides back to back, cancel: what is left is rounding and must not say which way is out.
static hemc_d3 closed_tube(double u, double v) {
    double r = 0.03 * sqrt(v * (1.0 - v));
    return d3(0.2 + r * cos(TAU * u), 1.0 - 0.5 * v, 0.1 + r * sin(TAU * u) - 0.2 * v * v);
}
static hemc_d3 side(double u, double v) {
    return d3(-0.2 + 0.03 * (u - 0.5), 1.0 - 0.5 * v, -0.1 - 0.2 * v * v);
}

TEST what_faces_nowhere_is_thin_across(void) {
    gen_kit kit;
    gen_begin(&kit, 0.05);
    kit.part.generator = HEMC_STRANDS;
    gen_grid(&kit, 12, 24, closed_tube, false, 0);
    gen_grid(&kit, 4, 24, side, false, 0);
    for (uint32_t v = kit.model.vertex_count - 5 * 25, end = kit.model.vertex_count; v < end; ++v) {
        hemc_d3 p = d3_from(kit.model.positions[v]); // its other side, a hair behind it
        gen_vertex(&kit, d3(p.x, p.y - 2e-4, p.z - 5e-4));
    }
    for (uint32_t t = kit.model.triangle_count - 2 * 4 * 24, end = kit.model.triangle_count; t < end; ++t) {
        const uint32_t* c = &kit.model.triangles[3 * (size_t)t];
        gen_triangle(&kit, c[0] + 125, c[2] + 125, c[1] + 125, 0);
    }
    ASSERT(gen_run(&kit));
    hemc_fit(kit.arena, &kit.surface, &kit.part, &kit.particles);
    const hemc_particles* p = &kit.particles;
    ASSERT(p->link_count > 15);
    hemc_d3 middle = d3(0, 0, 0);
    for (uint32_t i = 0; i < p->count; ++i) {
        middle = d3_madd(middle, d3_from(p->positions[i]), 1.0 / p->count);
    }
    for (uint32_t i = 1; i + 1 < p->count; ++i) {
        if (p->column[i - 1] != p->column[i + 1]) {
            continue; // an end: it faces on
        }
        hemc_d3 along = d3_sub(d3_from(p->positions[i + 1]), d3_from(p->positions[i - 1]));
        hemc_d3 at = d3_from(p->positions[i]), out = d3_from(p->normals[i]);
        ASSERT(fabs(d3_dot(out, d3_unit(along, d3(0, 0, 0)))) < 0.2);
        ASSERT(d3_dot(out, d3_sub(at, middle)) > 0.0);
        ASSERT(p->radii[i][0] <= p->radii[i][1] * 1.001f);
    }
    gen_end(&kit);
    PASS();
}

void gen_strands_tests(void) {
    RUN_TEST(a_curl_is_followed_turn_by_turn);
    RUN_TEST(chains_of_bones_are_followed_to_their_tips);
    RUN_TEST(the_root_is_the_end_near_the_character);
    RUN_TEST(many_cards_share_few_guides);
    RUN_TEST(a_share_of_the_guides_is_kept);
    RUN_TEST(every_card_gets_its_own_guide_when_there_are_enough);
    RUN_TEST(a_tube_is_one_strand_down_its_middle);
    RUN_TEST(a_broad_piece_is_shared_out);
    RUN_TEST(what_faces_nowhere_is_thin_across);
}
