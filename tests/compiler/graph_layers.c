// SPDX-License-Identifier: MIT
#include "tests/compiler/lanes_kit.h"

#include "compiler/graph/graph.h"
#include "greatest.h"

// Which part lies outside which.

void graph_layers_tests(void);

enum { COLUMNS = 8, LEVELS = 8 };

// Sheets of 8 x 8 above each other that all look along z, at these heights.
static void stack(lanes_kit* kit, uint32_t count, const double* heights, const hem_part_kind* kinds) {
    lanes_kit_start(kit, 1000);
    for (uint32_t i = 0; i < count; ++i) {
        lanes_kit_sheet(kit, COLUMNS, LEVELS);
        lanes_kit_part(kit, i == 0 ? "first" : i == 1 ? "second" : "third", kinds[i]);
        kit->tunings[i].contact_radius = 0.03f;
        kit->parts[i].layer = -1.0f;
        for (uint32_t p = kit->begin[i]; p < kit->begin[i + 1]; ++p) {
            kit->mesh.all.positions[p].z = (float)heights[i];
            const float along_z[4] = {0.0f, -0.70710678f, 0.0f, 0.70710678f}; // turns x to z
            for (int k = 0; k < 4; ++k) {
                kit->mesh.all.rotation[p][k] = along_z[k];
            }
        }
    }
    kit->recipe.parts = kit->parts;
    kit->recipe.part_count = count;
}

static const hem_part_kind two_cloths_and_hair[3] = {HEM_PART_CLOTH, HEM_PART_CLOTH, HEM_PART_SOFT};

TEST layers_follow_from_the_modelled_shape(void) {
    static const double heights[3] = {0.0, 0.02, 0.04};
    lanes_kit kit;
    stack(&kit, 3, heights, two_cloths_and_hair);
    hemc_layers_find(kit.arena, &kit.recipe, &kit.mesh);
    ASSERT_EQ(0u, kit.mesh.outside_of[0]);
    ASSERT_EQ(1u, kit.mesh.outside_of[1]);
    ASSERT_EQ(3u, kit.mesh.outside_of[2]);
    lanes_kit_end(&kit);
    PASS();
}

TEST cloth_over_hair_lies_outside_of_it(void) {
    static const double heights[3] = {0.0, 0.02, 0.01};
    lanes_kit kit;
    stack(&kit, 3, heights, two_cloths_and_hair);
    hemc_layers_find(kit.arena, &kit.recipe, &kit.mesh);
    ASSERT_EQ(0u, kit.mesh.outside_of[0]);
    ASSERT_EQ(1u | 4u, kit.mesh.outside_of[1]);
    ASSERT_EQ(1u, kit.mesh.outside_of[2]);
    lanes_kit_end(&kit);
    PASS();
}

TEST what_is_far_or_on_both_sides_has_no_order(void) {
    static const double heights[3] = {0.0, 0.02, 0.5};
    lanes_kit kit;
    stack(&kit, 3, heights, two_cloths_and_hair);
    for (uint32_t p = kit.begin[1]; p < kit.begin[2]; ++p) {
        kit.mesh.all.positions[p].z = p % 2 == 0 ? 0.02f : -0.02f;
    }
    hemc_layers_find(kit.arena, &kit.recipe, &kit.mesh);
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(0u, kit.mesh.outside_of[i]);
    }
    lanes_kit_end(&kit);
    PASS();
}

TEST the_recipe_says_it_otherwise(void) {
    static const double heights[3] = {0.0, 0.02, 0.04};
    lanes_kit kit;
    stack(&kit, 3, heights, two_cloths_and_hair);
    kit.parts[0].layer = 2.0f;
    kit.parts[1].layer = 1.0f;
    hemc_layers_find(kit.arena, &kit.recipe, &kit.mesh);
    ASSERT_EQ(2u, kit.mesh.outside_of[0]);
    ASSERT_EQ(0u, kit.mesh.outside_of[1]);
    ASSERT_EQ(3u, kit.mesh.outside_of[2]);
    kit.parts[0].layer = 1.0f; // the same layer: side by side
    hemc_layers_find(kit.arena, &kit.recipe, &kit.mesh);
    ASSERT_EQ(0u, kit.mesh.outside_of[0]);
    ASSERT_EQ(0u, kit.mesh.outside_of[1]);
    lanes_kit_end(&kit);
    PASS();
}

void graph_layers_tests(void) {
    RUN_TEST(layers_follow_from_the_modelled_shape);
    RUN_TEST(cloth_over_hair_lies_outside_of_it);
    RUN_TEST(what_is_far_or_on_both_sides_has_no_order);
    RUN_TEST(the_recipe_says_it_otherwise);
}
