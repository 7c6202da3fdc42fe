// SPDX-License-Identifier: MIT
#include "tests/compiler/gen_kit.h"
#include "tests/compiler/gen_suites.h"

#include "greatest.h"

#include <string.h>

// Parts put together: numbering, who collides with whom, seams.

static hemc_d3 upper(double u, double v) {
    return d3(0.5 * u, 1.0 + 0.5 * v, 0.0);
}
static hemc_d3 lower(double u, double v) { // hangs from upper's lower border
    return d3(0.5 * u, 0.5 + 0.48 * v, 0.0);
}
static hemc_d3 over(double u, double v) { // lies over the middle of both
    return d3(0.1 + 0.3 * u, 0.7 + 0.6 * v, 0.02);
}

typedef struct parts_kit {
    gen_kit kit;
    hemc_part_recipe parts[3];
    hemc_particles particles[3];
    hemc_recipe recipe;
    hemc_mesh mesh;
} parts_kit;

static bool run(parts_kit* k) {
    memset(k, 0, sizeof *k);
    gen_begin(&k->kit, 0.06);
    gen_grid(&k->kit, 10, 10, upper, false, 0);
    gen_grid(&k->kit, 10, 10, lower, false, 1);
    gen_grid(&k->kit, 10, 10, over, false, 2);
    gen_model(&k->kit);
    static const char* names[3] = {"upper", "lower", "over"};
    for (int i = 0; i < 3; ++i) {
        hemc_surface surface;
        k->parts[i] = k->kit.part;
        k->parts[i].name = names[i];
        if (!hemc_weld(k->kit.arena, &k->kit.model, k->kit.owner, i, &surface) ||
            !hemc_generate(k->kit.arena, &k->kit.log, &k->kit.model, &k->parts[i], &surface, &k->particles[i])) {
            return false;
        }
        hemc_fit(k->kit.arena, &surface, &k->parts[i], &k->particles[i]);
    }
    k->recipe.parts = k->parts;
    k->recipe.part_count = 3;
    return true;
}

static bool assemble(parts_kit* k, const hemc_particles* body) {
    return hemc_assemble(k->kit.arena, &k->kit.log, &k->kit.model, &k->recipe, k->particles, body, &k->mesh);
}

static uint32_t part_of(const hemc_mesh* mesh, uint32_t i) {
    uint32_t k = 0;
    while (i >= mesh->part_begin[k + 1]) {
        ++k;
    }
    return k;
}

TEST particles_and_links_keep_their_parts(void) {
    parts_kit k;
    ASSERT(run(&k));
    ASSERT(assemble(&k, NULL));
    ASSERT_EQ(3u, k.mesh.part_count);
    size_t links = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        ASSERT_EQ(k.particles[i].count, k.mesh.part_begin[i + 1] - k.mesh.part_begin[i]);
        ASSERT_MEM_EQ(k.particles[i].positions, &k.mesh.all.positions[k.mesh.part_begin[i]],
                      k.particles[i].count * sizeof(hemc_vec3));
        links += k.particles[i].link_count;
        ASSERT_IN_RANGE(0.6f * k.particles[i].spacing, k.mesh.part_tunings[i].self_thickness, 1e-6f);
    }
    for (size_t n = 0; n < links; ++n) {
        ASSERT_EQ(part_of(&k.mesh, k.mesh.all.links[n].a), part_of(&k.mesh, k.mesh.all.links[n].b));
    }
    gen_end(&k.kit);
    PASS();
}

TEST borders_that_touch_are_sewn_and_nothing_else(void) {
    parts_kit k;
    ASSERT(run(&k));
    ASSERT(assemble(&k, NULL));
    uint32_t seams = 0;
    uint32_t* used = hemc_alloc(k.kit.arena, k.mesh.all.count, sizeof *used);
    for (size_t n = 0; n < k.mesh.all.link_count; ++n) {
        hemc_link l = k.mesh.all.links[n];
        if (l.kind != HEM_LINK_STITCH) {
            continue;
        }
        ++seams;
        ASSERT(++used[l.a] <= 2 && ++used[l.b] <= 2);
        ASSERT_EQ(0u, part_of(&k.mesh, l.a)); // the cloth that lies over both is sewn to neither
        ASSERT_EQ(1u, part_of(&k.mesh, l.b));
        ASSERT_IN_RANGE(1.0, k.mesh.all.positions[l.a].y, 0.002);
        ASSERT_IN_RANGE(0.98, k.mesh.all.positions[l.b].y, 0.002);
    }
    ASSERT(seams >= 9); // one per column at least
    gen_end(&k.kit);
    PASS();
}

static hemc_d3 beard(double u, double v) { // closed, its tip on the seam between upper and lower
    const double turn = 6.283185307179586;
    double r = 0.1 * sin(0.5 * turn * v);
    return d3(0.25 + r * cos(turn * u), 1.1 + 0.1 * cos(0.5 * turn * v), 0.01 + 0.2 * r * sin(turn * u));
}

// Scattered parts are sewn at their open edges only.
TEST a_closed_part_that_touches_is_not_sewn(void) {
    gen_kit kit;
    hemc_part_recipe parts[3];
    hemc_particles particles[3];
    gen_begin(&kit, 0.06);
    gen_grid(&kit, 10, 10, upper, false, 0);
    gen_grid(&kit, 10, 10, lower, false, 1);
    gen_grid(&kit, 16, 12, beard, false, 2);
    gen_model(&kit);
    for (int i = 0; i < 3; ++i) {
        hemc_surface surface;
        parts[i] = kit.part;
        parts[i].name = i == 0 ? "upper" : i == 1 ? "lower" : "beard";
        parts[i].generator = HEMC_SCATTER;
        ASSERT(hemc_weld(kit.arena, &kit.model, kit.owner, i, &surface));
        ASSERT(hemc_generate(kit.arena, &kit.log, &kit.model, &parts[i], &surface, &particles[i]));
        hemc_fit(kit.arena, &surface, &parts[i], &particles[i]);
    }
    hemc_recipe recipe;
    memset(&recipe, 0, sizeof recipe);
    recipe.parts = parts;
    recipe.part_count = 3;
    hemc_mesh mesh;
    ASSERT(hemc_assemble(kit.arena, &kit.log, &kit.model, &recipe, particles, NULL, &mesh));
    uint32_t seams = 0;
    for (size_t n = 0; n < mesh.all.link_count; ++n) {
        hemc_link l = mesh.all.links[n];
        if (l.kind == HEM_LINK_STITCH) {
            ++seams;
            ASSERT(part_of(&mesh, l.a) < 2 && part_of(&mesh, l.b) < 2);
            ASSERT(mesh.all.positions[l.a].y < 1.06f && mesh.all.positions[l.b].y > 0.92f);
        }
    }
    ASSERT(seams >= 3);
    gen_end(&kit);
    PASS();
}

TEST seams_can_be_refused(void) {
    for (int how = 0; how < 3; ++how) {
        parts_kit k;
        ASSERT(run(&k));
        static const char* names[1] = {"over"};
        k.parts[1].stitch = how != 0;
        k.parts[0].stitch_with = how == 1 ? names : NULL;
        k.parts[0].stitch_with_count = how == 1 ? 1 : 0;
        if (how == 2) { // held by the skeleton already
            memset(k.particles[0].flags, HEM_PARTICLE_ANIMATED, k.particles[0].count);
            memset(k.particles[1].flags, HEM_PARTICLE_ANIMATED, k.particles[1].count);
        }
        ASSERT(assemble(&k, NULL));
        for (size_t n = 0; n < k.mesh.all.link_count; ++n) {
            ASSERT(k.mesh.all.links[n].kind != HEM_LINK_STITCH);
        }
        gen_end(&k.kit);
    }
    PASS();
}

TEST collision_masks_are_mutual(void) {
    parts_kit k;
    ASSERT(run(&k));
    static const char* only_lower[1] = {"lower"};
    k.parts[0].collides_with = only_lower; // neither over nor the body
    k.parts[0].collides_with_count = 1;
    k.parts[2].self_collision = true;
    hemc_particles body;
    memset(&body, 0, sizeof body);
    hemc_particles_add(k.kit.arena, &body, d3(0, 0, 0), d3(0, 1, 0), 0, 0);
    ASSERT(assemble(&k, &body));
    ASSERT_EQ(4u, k.mesh.part_count);
    ASSERT_EQ(HEM_PART_BODY, k.mesh.part_kinds[3]);
    const bool wanted[4][4] = {{0, 1, 0, 0}, {1, 0, 1, 1}, {0, 1, 1, 1}, {0, 1, 1, 0}};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            ASSERT_EQ(wanted[i][j], (k.mesh.collision_masks[i] & k.mesh.collision_groups[j]) != 0);
        }
    }
    gen_end(&k.kit);
    PASS();
}

void gen_stitch_tests(void) {
    RUN_TEST(particles_and_links_keep_their_parts);
    RUN_TEST(borders_that_touch_are_sewn_and_nothing_else);
    RUN_TEST(a_closed_part_that_touches_is_not_sewn);
    RUN_TEST(seams_can_be_refused);
    RUN_TEST(collision_masks_are_mutual);
}
