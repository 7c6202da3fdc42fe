// SPDX-License-Identifier: MIT
#include "tests/compiler/lanes_kit.h"

#include "greatest.h"

#include <math.h>
#include <string.h>

// How the vertices of hair hold on to guides: cards made by hand beside guides made by hand. Guides hang from y = 0, GAP
// apart along x, a particle every STEP.

void graph_cards_tests(void);

#define GUIDES 4
#define SEGMENTS 9
#define GAP 0.04
#define STEP 0.04
#define ROWS 25
#define COLUMNS 3
#define CARD (ROWS * COLUMNS)
#define CARD_LIMIT 16

typedef struct cards_kit {
    lanes_kit lanes;
    hemc_model model;
    hemc_primitive primitive;
    hemc_bone_def bone;
    int32_t* owner;
    uint32_t columns; // of a card
} cards_kit;

static void cards_start(cards_kit* kit, uint32_t columns) {
    memset(kit, 0, sizeof *kit);
    lanes_kit_start(&kit->lanes, 200);
    const uint32_t vertex_limit = CARD_LIMIT * ROWS * columns, triangle_limit = 2 * vertex_limit;
    hemc_arena* arena = kit->lanes.arena;
    hemc_model* m = &kit->model;
    m->path = "cards";
    m->primitives = &kit->primitive;
    m->primitive_count = 1;
    m->positions = hemc_alloc(arena, vertex_limit, sizeof(*m->positions));
    m->normals = hemc_alloc(arena, vertex_limit, sizeof(*m->normals));
    m->bones = hemc_alloc(arena, vertex_limit, sizeof(*m->bones));
    m->bone_weights = hemc_alloc(arena, vertex_limit, sizeof(*m->bone_weights));
    m->triangles = hemc_alloc(arena, (size_t)triangle_limit * 3, sizeof(uint32_t));
    kit->owner = hemc_alloc(arena, triangle_limit, sizeof(int32_t));
    m->bone_defs = &kit->bone;
    m->bone_count = 1;
    kit->columns = columns;
}

static void straight_guides(cards_kit* kit) {
    for (int g = 0; g < GUIDES; ++g) {
        for (int i = 0; i < SEGMENTS; ++i) {
            const uint32_t p = lanes_kit_add(&kit->lanes, g * GAP, -i * STEP, 0, i, g, i == 0);
            if (i > 0) {
                lanes_kit_link(&kit->lanes, p - 1, p, HEM_LINK_WARP);
            }
        }
    }
}

// A card of its own, `width` wide, from x = top at the guides' roots to x = bottom at their tips.
static void add_card(cards_kit* kit, double top, double bottom, double width, double z) {
    hemc_model* m = &kit->model;
    const uint32_t first = m->vertex_count, columns = kit->columns;
    for (uint32_t i = 0; i < ROWS * columns; ++i) {
        const double t = (double)(i / columns) / (ROWS - 1), side = (double)(i % columns) / (columns - 1) - 0.5;
        m->positions[m->vertex_count] = (hemc_vec3){(float)(top + (bottom - top) * t + side * width),
                                                    (float)(-t * (SEGMENTS - 1) * STEP), (float)z};
        m->normals[m->vertex_count] = (hemc_vec3){0, 0, 1};
        m->bone_weights[m->vertex_count++][0] = 1;
    }
    for (uint32_t i = 0; i + columns < ROWS * columns; ++i) {
        if (i % columns + 1 < columns) {
            const uint32_t a = first + i, b = a + 1, d = a + columns, e = d + 1;
            const uint32_t corners[6] = {a, b, e, a, e, d};
            memcpy(m->triangles + (size_t)m->triangle_count * 3, corners, sizeof corners);
            m->triangle_count += 2;
        }
    }
    kit->primitive =
        (hemc_primitive){.name = "cards/cards/0", .vertex_count = m->vertex_count, .triangle_count = m->triangle_count};
}

static bool cards_run(cards_kit* kit) {
    lanes_kit_part(&kit->lanes, "hair", HEM_PART_SOFT);
    kit->lanes.parts[0].generator = HEMC_STRANDS;
    return hemc_maps(kit->lanes.arena, &kit->lanes.log, &kit->model, &kit->lanes.recipe, kit->owner, &kit->lanes.mesh);
}

// What each guide has of a vertex, and where on it in metres from the root.
static void shares_of(const cards_kit* kit, uint32_t vertex, double share[GUIDES], double arc[GUIDES]) {
    const hemc_skinning* skin = &kit->lanes.mesh.skinning;
    memset(share, 0, GUIDES * sizeof(double));
    memset(arc, 0, GUIDES * sizeof(double));
    for (int k = 0; k < 4; ++k) {
        const uint32_t p = skin->vertex_particle[vertex][k];
        share[p / SEGMENTS] += skin->vertex_weight[vertex][k];
        arc[p / SEGMENTS] += skin->vertex_weight[vertex][k] * (p % SEGMENTS) * STEP;
    }
    for (int g = 0; g < GUIDES; ++g) {
        arc[g] = share[g] > 0 ? arc[g] / share[g] : 0;
    }
}

// Straight and slanted ones, over, between and across guides.
static void many_cards(cards_kit* kit) {
    cards_start(kit, COLUMNS);
    straight_guides(kit);
    for (int i = 0; i < CARD_LIMIT; ++i) {
        const double top = i * (GUIDES - 1) * GAP / (CARD_LIMIT - 1);
        add_card(kit, top, top + (i % 3 - 1) * GAP, 0.01, 0.002 * i);
    }
}

TEST a_card_has_one_or_two_guides_and_constant_shares(void) {
    cards_kit kit;
    many_cards(&kit);
    ASSERT(cards_run(&kit));
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        double share[GUIDES], arc[GUIDES], first[GUIDES], unused[GUIDES], sum = 0;
        int guides = 0;
        shares_of(&kit, v, share, arc);
        shares_of(&kit, v - v % CARD, first, unused);
        for (int g = 0; g < GUIDES; ++g) {
            ASSERT_IN_RANGE(first[g], share[g], 1e-6);
            guides += share[g] > 0;
            sum += share[g];
        }
        ASSERT(guides <= 2);
        ASSERT_IN_RANGE(1.0, sum, 1e-6);
    }
    ASSERT_EQ(0, kit.lanes.log.warning_count);
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST a_card_on_a_guide_is_its_own_and_one_between_is_halved(void) {
    cards_kit kit;
    cards_start(&kit, COLUMNS);
    straight_guides(&kit);
    add_card(&kit, 2 * GAP, 2 * GAP, 0.01, 0.005);
    add_card(&kit, 1.5 * GAP, 1.5 * GAP, 0.01, 0.005);
    add_card(&kit, 3.4 * GAP, 3.4 * GAP, 0.01, 0.005); // beyond the last: between no two
    ASSERT(cards_run(&kit));
    const double expected[3][GUIDES] = {{0, 0, 1, 0}, {0, 0.5, 0.5, 0}, {0, 0, 0, 1}};
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        double share[GUIDES], arc[GUIDES];
        shares_of(&kit, v, share, arc);
        for (int g = 0; g < GUIDES; ++g) {
            ASSERT_IN_RANGE(expected[v / CARD][g], share[g], 1e-4);
            if (share[g] > 0) { // by arc length: beside the guide, as far down it as the vertex is
                ASSERT_IN_RANGE(-(double)kit.model.positions[v].y, arc[g], 1e-6);
            }
        }
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

// Guides bent into arcs, every other one to the other side: by 1 rad along their length, each particle turned with its
// guide. A card at the distance d from a guide becomes longer by d / length at most, and what stands between two guides that
// part is a mean of two such.
TEST bent_guides_do_not_tear_cards(void) {
    cards_kit kit;
    many_cards(&kit);
    ASSERT(cards_run(&kit));
    const hemc_skinning* skin = &kit.lanes.mesh.skinning;
    const double length = (SEGMENTS - 1) * STEP;
    double moved[CARD_LIMIT * CARD][2];
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        moved[v][0] = moved[v][1] = 0;
        for (int k = 0; k < 4; ++k) {
            const uint32_t p = skin->vertex_particle[v][k], g = p / SEGMENTS;
            const double s = (p % SEGMENTS) * STEP, turn = (g % 2 ? 1 : -1) * s / length;
            const double r = (g % 2 ? 1 : -1) * length;
            const double x = g * GAP + r * (1 - cos(turn)), y = -r * sin(turn); // the arc that leaves straight down
            const double ox = kit.model.positions[v].x - g * GAP, oy = kit.model.positions[v].y + s;
            moved[v][0] += skin->vertex_weight[v][k] * (x + cos(turn) * ox - sin(turn) * oy);
            moved[v][1] += skin->vertex_weight[v][k] * (y + sin(turn) * ox + cos(turn) * oy);
        }
    }
    double worst = 0;
    for (uint32_t i = 0; i < 3 * kit.model.triangle_count; ++i) {
        const uint32_t a = kit.model.triangles[i], b = kit.model.triangles[i % 3 == 2 ? i - 2 : i + 1];
        const hemc_vec3 x = kit.model.positions[a], y = kit.model.positions[b];
        const double rest = hypot((double)x.x - y.x, (double)x.y - y.y);
        worst = fmax(worst, hypot(moved[a][0] - moved[b][0], moved[a][1] - moved[b][1]) / rest);
    }
    ASSERT(worst > 1); // something did bend
    ASSERT(worst < 1 + 1.5 * 2 * GAP / length);
    lanes_kit_end(&kit.lanes);
    PASS();
}

// A wig in one piece: shares change smoothly from guide to guide and not at all from root to tip.
TEST a_wide_piece_blends_across_and_not_along(void) {
    cards_kit kit;
    cards_start(&kit, 49);
    straight_guides(&kit);
    const double width = (GUIDES - 1) * GAP + 0.08;
    add_card(&kit, (GUIDES - 1) * GAP / 2, (GUIDES - 1) * GAP / 2, width, 0.001);
    ASSERT(cards_run(&kit));
    bool seen[GUIDES] = {false};
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        double share[GUIDES], arc[GUIDES], above[GUIDES], left[GUIDES];
        shares_of(&kit, v, share, arc);
        shares_of(&kit, v % kit.columns, above, arc);
        shares_of(&kit, v % kit.columns > 0 ? v - 1 : v, left, arc);
        int guides = 0;
        for (int g = 0; g < GUIDES; ++g) {
            ASSERT_IN_RANGE(above[g], share[g], 1e-5);
            ASSERT_IN_RANGE(left[g], share[g], 3 * width / (kit.columns - 1) / GAP);
            seen[g] = seen[g] || share[g] > 0.9;
            guides += share[g] > 0;
        }
        ASSERT(guides <= 2);
    }
    for (int g = 0; g < GUIDES; ++g) {
        ASSERT(seen[g]); // each has its own stretch of the piece
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

// One guide down and up again, 2 cm beside itself; the card runs along the first leg and drifts over to the second.
TEST vertices_stay_on_their_own_winding(void) {
    cards_kit kit;
    cards_start(&kit, COLUMNS);
    for (int i = 0; i < 2 * SEGMENTS; ++i) {
        const bool back = i >= SEGMENTS;
        const uint32_t p =
            lanes_kit_add(&kit.lanes, back ? GAP / 2 : 0, -(back ? 2 * SEGMENTS - 1 - i : i) * STEP, 0, i, 0, i == 0);
        if (i > 0) {
            lanes_kit_link(&kit.lanes, p - 1, p, HEM_LINK_WARP);
        }
    }
    add_card(&kit, 0.35 * GAP, 0, 0.004, 0); // the root is nearer to the leg that comes back
    ASSERT(cards_run(&kit));
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        for (int k = 0; k < 4; ++k) {
            if (v / COLUMNS + 4 < ROWS && kit.lanes.mesh.skinning.vertex_weight[v][k] > 0) {
                ASSERT(kit.lanes.mesh.skinning.vertex_particle[v][k] < SEGMENTS);
            }
        }
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

void graph_cards_tests(void) {
    RUN_TEST(a_card_has_one_or_two_guides_and_constant_shares);
    RUN_TEST(a_card_on_a_guide_is_its_own_and_one_between_is_halved);
    RUN_TEST(bent_guides_do_not_tear_cards);
    RUN_TEST(a_wide_piece_blends_across_and_not_along);
    RUN_TEST(vertices_stay_on_their_own_winding);
}
