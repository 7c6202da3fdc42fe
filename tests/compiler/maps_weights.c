// SPDX-License-Identifier: MIT
#include "tests/compiler/lanes_kit.h"

#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The maps of equations 1 and 3 and the blend weights, on a flat sheet of vertices over a sheet of particles.

void graph_maps_tests(void);

#define VERTEX_COLUMNS 40
#define VERTEX_LEVELS 40
#define SPACING 0.04f

typedef struct maps_kit {
    lanes_kit lanes;
    hemc_model model;
    hemc_primitive primitive;
    hemc_bone_def bones[3];
    int32_t* owner;
} maps_kit;

// 10 x 10 particles, top level attached; vertices cover them, and `beyond` levels of vertices above belong to no part.
static void maps_start(maps_kit* kit, int beyond) {
    memset(kit, 0, sizeof *kit);
    lanes_kit_start(&kit->lanes, 200);
    lanes_kit_sheet(&kit->lanes, 10, 10);
    lanes_kit_part(&kit->lanes, "sheet", HEM_PART_CLOTH);
    hemc_arena* arena = kit->lanes.arena;
    hemc_model* m = &kit->model;
    const uint32_t rows = (uint32_t)(VERTEX_LEVELS + beyond);
    m->path = "sheet";
    m->vertex_count = VERTEX_COLUMNS * rows;
    m->triangle_count = (VERTEX_COLUMNS - 1) * (rows - 1) * 2;
    m->primitives = &kit->primitive;
    m->primitive_count = 1;
    kit->primitive =
        (hemc_primitive){.name = "sheet/sheet/0", .vertex_count = m->vertex_count, .triangle_count = m->triangle_count};
    m->positions = hemc_alloc(arena, m->vertex_count, sizeof(*m->positions));
    m->normals = hemc_alloc(arena, m->vertex_count, sizeof(*m->normals));
    m->bones = hemc_alloc(arena, m->vertex_count, sizeof(*m->bones));
    m->bone_weights = hemc_alloc(arena, m->vertex_count, sizeof(*m->bone_weights));
    m->triangles = hemc_alloc(arena, (size_t)m->triangle_count * 3, sizeof(uint32_t));
    kit->owner = hemc_alloc(arena, m->triangle_count, sizeof(int32_t));
    m->bone_defs = kit->bones;
    m->bone_count = 3;
    for (uint32_t i = 0; i < m->vertex_count; ++i) {
        const uint32_t c = i % VERTEX_COLUMNS, l = i / VERTEX_COLUMNS;
        m->positions[i] = (hemc_vec3){9 * SPACING * (float)c / (VERTEX_COLUMNS - 1),
                                      9 * SPACING * (float)l / (VERTEX_LEVELS - 1), 0.001f};
        m->normals[i] = (hemc_vec3){0, 0, 1};
        // Bone 0 at the bottom, bone 1 at the top, bone 2 a little everywhere.
        const float up = fminf((float)l / (VERTEX_LEVELS - 1), 1);
        m->bones[i][1] = 1;
        m->bones[i][2] = 2;
        m->bone_weights[i][0] = 0.9f * (1 - up);
        m->bone_weights[i][1] = 0.9f * up;
        m->bone_weights[i][2] = 0.1f;
    }
    uint32_t t = 0;
    for (uint32_t l = 0; l + 1 < rows; ++l) {
        for (uint32_t c = 0; c + 1 < VERTEX_COLUMNS; ++c) {
            const uint32_t a = l * VERTEX_COLUMNS + c, b = a + 1, d = a + VERTEX_COLUMNS, e = d + 1;
            const uint32_t corners[6] = {a, b, e, a, e, d};
            memcpy(m->triangles + (size_t)t * 3, corners, sizeof corners);
            kit->owner[t] = kit->owner[t + 1] = l + 1 < VERTEX_LEVELS ? 0 : HEM_NONE;
            t += 2;
        }
    }
}

static bool maps_run(maps_kit* kit) {
    return hemc_maps(kit->lanes.arena, &kit->lanes.log, &kit->model, &kit->lanes.recipe, kit->owner, &kit->lanes.mesh);
}

TEST particle_weights_are_a_partition_of_unity(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    ASSERT(maps_run(&kit));
    const hemc_skinning* skin = &kit.lanes.mesh.skinning;
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        double sum = 0;
        for (int k = 0; k < 4; ++k) {
            ASSERT(skin->vertex_weight[v][k] >= 0);
            ASSERT(skin->vertex_particle[v][k] < kit.lanes.mesh.all.count);
            sum += skin->vertex_weight[v][k];
        }
        ASSERT_IN_RANGE(1.0, sum, 1e-6);
        // The nearest particle has the largest share.
        const hemc_vec3 x = kit.model.positions[v];
        uint32_t nearest = 0;
        double best = 1e9;
        for (uint32_t p = 0; p < kit.lanes.mesh.all.count; ++p) {
            const hemc_vec3 y = kit.lanes.mesh.all.positions[p];
            const double d = pow((double)x.x - y.x, 2) + pow((double)x.y - y.y, 2) + pow((double)x.z - y.z, 2);
            if (d < best) {
                best = d;
                nearest = p;
            }
        }
        ASSERT_EQ(nearest, skin->vertex_particle[v][0]);
        ASSERT(skin->vertex_weight[v][0] >= skin->vertex_weight[v][1]);
    }
    ASSERT_EQ(0, kit.lanes.log.warning_count);
    lanes_kit_end(&kit.lanes);
    PASS();
}

// Weights change little between neighbouring vertices: no particle enters or leaves with a jump.
TEST particle_weights_are_smooth(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    ASSERT(maps_run(&kit));
    const hemc_skinning* skin = &kit.lanes.mesh.skinning;
    const uint32_t count = kit.lanes.mesh.all.count;
    double* dense = calloc((size_t)kit.model.vertex_count * count, sizeof(double));
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        for (int k = 0; k < 4; ++k) {
            dense[(size_t)v * count + skin->vertex_particle[v][k]] += skin->vertex_weight[v][k];
        }
    }
    double jump = 0;
    for (uint32_t v = 0; v + VERTEX_COLUMNS < kit.model.vertex_count; ++v) {
        for (uint32_t p = 0; p < count; ++p) {
            jump = fmax(jump, fabs(dense[(size_t)v * count + p] - dense[(size_t)(v + VERTEX_COLUMNS) * count + p]));
        }
    }
    free(dense);
    ASSERT(jump < 0.5); // vertices are a quarter of the particles' spacing apart
    lanes_kit_end(&kit.lanes);
    PASS();
}

// (1 - (d/R)^2)^2 with R the distance to the fifth, by brute force over all particles: flat where a particle comes in.
TEST particle_weights_fade_to_the_fifth(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    ASSERT(maps_run(&kit));
    const hemc_skinning* skin = &kit.lanes.mesh.skinning;
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        const hemc_vec3 x = kit.model.positions[v];
        double nearest[5] = {1e9, 1e9, 1e9, 1e9, 1e9}, sum = 0;
        for (uint32_t p = 0; p < kit.lanes.mesh.all.count; ++p) {
            const hemc_vec3 y = kit.lanes.mesh.all.positions[p];
            double d = sqrt(pow((double)x.x - y.x, 2) + pow((double)x.y - y.y, 2) + pow((double)x.z - y.z, 2));
            for (int k = 0; k < 5; ++k) {
                const double larger = fmax(nearest[k], d);
                nearest[k] = fmin(nearest[k], d);
                d = larger;
            }
        }
        for (int k = 0; k < 4; ++k) {
            nearest[k] = pow(1 - pow(nearest[k] / nearest[4], 2), 2);
            sum += nearest[k];
        }
        for (int k = 0; k < 4; ++k) {
            ASSERT_IN_RANGE(nearest[k] / sum, (double)skin->vertex_weight[v][k], 1e-5);
        }
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

// Equation 3, computed straight from its definition.
TEST particle_bones_follow_equation_three(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    ASSERT(maps_run(&kit));
    const hemc_skinning* skin = &kit.lanes.mesh.skinning;
    for (uint32_t p = 0; p < kit.lanes.mesh.all.count; ++p) {
        double weights[3] = {0}, sum = 0;
        for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
            for (int k = 0; k < 4; ++k) {
                for (int b = 0; b < 4 && skin->vertex_particle[v][k] == p; ++b) {
                    weights[kit.model.bones[v][b]] += skin->vertex_weight[v][k] * kit.model.bone_weights[v][b];
                }
            }
        }
        for (int b = 0; b < 3; ++b) {
            sum += weights[b];
        }
        double found[3] = {0}, total = 0;
        for (int k = 0; k < 4; ++k) {
            found[skin->particle_bone[p][k]] += skin->particle_bone_weight[p][k];
            total += skin->particle_bone_weight[p][k];
            ASSERT(k == 0 || skin->particle_bone_weight[p][k] <= skin->particle_bone_weight[p][k - 1]);
        }
        ASSERT_IN_RANGE(1.0, total, 1e-6);
        for (int b = 0; b < 3; ++b) {
            ASSERT_IN_RANGE(weights[b] / sum, found[b], 1e-5);
        }
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

// Fewer vertices than particles: those that no vertex refers to take the surface's weights where they lie.
TEST particles_without_vertices_take_the_surface(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    // Two large triangles in place of the grid.
    hemc_model* m = &kit.model;
    const uint32_t corners[4] = {0, VERTEX_COLUMNS - 1, m->vertex_count - 1, m->vertex_count - VERTEX_COLUMNS};
    const uint32_t triangles[6] = {corners[0], corners[1], corners[2], corners[0], corners[2], corners[3]};
    memcpy(m->triangles, triangles, sizeof triangles);
    m->triangle_count = kit.primitive.triangle_count = 2;
    ASSERT(maps_run(&kit));
    const hemc_skinning* skin = &kit.lanes.mesh.skinning;
    for (uint32_t p = 0; p < kit.lanes.mesh.all.count; ++p) {
        double top = 0;
        for (int k = 0; k < 4; ++k) {
            top += skin->particle_bone[p][k] == 1 ? skin->particle_bone_weight[p][k] : 0;
        }
        // The bones' weights are linear over the sheet. Corners' own particles lie at the ends of that.
        ASSERT_IN_RANGE(0.9 * kit.lanes.mesh.all.level[p] / 9.0, top, 0.12);
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST blend_rises_from_the_attached_level(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    ASSERT(maps_run(&kit));
    const float* blend = kit.lanes.mesh.skinning.vertex_blend;
    for (uint32_t l = 0; l < VERTEX_LEVELS; ++l) {
        const uint32_t v = l * VERTEX_COLUMNS + VERTEX_COLUMNS / 2;
        const double below = 9 * SPACING * (1 - (double)l / (VERTEX_LEVELS - 1)); // metres under the attached level
        if (below > 3 * SPACING) {
            ASSERT_EQ(1.0f, blend[v]);
        }
        if (l > 0) {
            ASSERT(blend[v] <= blend[v - VERTEX_COLUMNS]);
            ASSERT(blend[v - VERTEX_COLUMNS] - blend[v] < 0.3f);
        }
    }
    ASSERT(blend[kit.model.vertex_count - 1] < 0.05f);
    lanes_kit_end(&kit.lanes);
    PASS();
}

// Down the middle of the sheet: none on the attached level, a smooth step that is full where the recipe says.
TEST blend_is_full_at_the_width_of_the_recipe(void) {
    for (int spacings = 2; spacings <= 6; spacings += 2) {
        maps_kit kit;
        maps_start(&kit, 0);
        kit.lanes.parts[0].blend_width = (float)spacings * SPACING;
        ASSERT(maps_run(&kit));
        for (uint32_t l = 0; l < VERTEX_LEVELS; ++l) {
            const uint32_t v = l * VERTEX_COLUMNS + VERTEX_COLUMNS / 2;
            const double below = 9 * (1 - (double)l / (VERTEX_LEVELS - 1)); // spacings under the attached level
            const double x = fmin(fmax((below - 0.25) / (spacings - 0.25), 0), 1);
            ASSERT_IN_RANGE(x * x * (3 - 2 * x), kit.lanes.mesh.skinning.vertex_blend[v], 0.1);
        }
        lanes_kit_end(&kit.lanes);
    }
    PASS();
}

TEST painted_blend_wins(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    uint8_t present = 1;
    float* values = hemc_alloc(kit.lanes.arena, kit.model.vertex_count, sizeof(float));
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        values[v] = (float)(v % 7) / 4 - 0.25f;
    }
    hemc_paint paint = {.name = "_HEM_BLEND", .values = values, .present = &present};
    kit.model.paints = &paint;
    kit.model.paint_count = 1;
    kit.lanes.parts[0].blend_paint = true;
    ASSERT(maps_run(&kit));
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        ASSERT_EQ(fminf(fmaxf(values[v], 0), 1), kit.lanes.mesh.skinning.vertex_blend[v]);
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST the_border_to_unselected_triangles_stays_with_the_skeleton(void) {
    maps_kit kit;
    maps_start(&kit, 5);
    // The seam is split: the unselected side has its own vertices in the same places.
    for (uint32_t p = 0; p < kit.lanes.mesh.all.count; ++p) {
        kit.lanes.mesh.all.flags[p] &= (uint8_t)~HEM_PARTICLE_ANIMATED;
    }
    ASSERT(maps_run(&kit));
    const float* blend = kit.lanes.mesh.skinning.vertex_blend;
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        const uint32_t l = v / VERTEX_COLUMNS;
        ASSERT_EQ(l + 1 < VERTEX_LEVELS ? 1.0f : 0.0f, blend[v]); // nothing is attached, so 1 up to the border
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST vertices_split_by_a_seam_blend_alike(void) {
    maps_kit kit;
    maps_start(&kit, 5);
    hemc_model* m = &kit.model;
    // Level VERTEX_LEVELS moves onto the level below it: two rows of vertices in one place, one of them unselected.
    uint32_t t = 0;
    for (uint32_t l = 0; l + 1 < VERTEX_LEVELS + 5; ++l) {
        for (uint32_t c = 0; c + 1 < VERTEX_COLUMNS; ++c, t += 2) {
            if (l + 1 == VERTEX_LEVELS) {
                kit.owner[t] = kit.owner[t + 1] = 0; // degenerate strip, of the part
            }
        }
    }
    for (uint32_t c = 0; c < VERTEX_COLUMNS; ++c) {
        m->positions[VERTEX_LEVELS * VERTEX_COLUMNS + c] = m->positions[(VERTEX_LEVELS - 1) * VERTEX_COLUMNS + c];
    }
    ASSERT(maps_run(&kit));
    const float* blend = kit.lanes.mesh.skinning.vertex_blend;
    for (uint32_t c = 0; c < VERTEX_COLUMNS; ++c) {
        ASSERT_EQ(0.0f, blend[VERTEX_LEVELS * VERTEX_COLUMNS + c]);
        ASSERT_EQ(0.0f, blend[(VERTEX_LEVELS - 1) * VERTEX_COLUMNS + c]);
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

TEST far_vertices_are_named(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    kit.model.positions[77].z = 3;
    ASSERT(maps_run(&kit));
    ASSERT_EQ(1, kit.lanes.log.warning_count);
    const char* text = kit.lanes.log.messages[0].text;
    ASSERT(strstr(text, "vertex 77 of sheet/sheet/0") != NULL);
    ASSERT(strstr(text, "3000 mm") != NULL);
    lanes_kit_end(&kit.lanes);
    PASS();
}

// Front and back of a flat sleeve, closer to each other than the particles' spacing: weights keep to their side.
TEST layers_do_not_mix(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    lanes_kit* lanes = &kit.lanes;
    // A second sheet of particles half a spacing behind, facing back, in the same part.
    for (uint32_t p = 0; p < 100; ++p) {
        const hemc_vec3 x = lanes->mesh.all.positions[p];
        const uint32_t q =
            lanes_kit_add(lanes, x.x, x.y, -0.02, lanes->mesh.all.level[p], 10 + lanes->mesh.all.column[p], false);
        lanes->mesh.all.normals[q] = (hemc_vec3){0, 0, -1};
    }
    const size_t front = lanes->mesh.all.link_count;
    for (size_t i = 0; i < front; ++i) {
        lanes_kit_link(lanes, lanes->mesh.all.links[i].a + 100, lanes->mesh.all.links[i].b + 100,
                       lanes->mesh.all.links[i].kind);
    }
    lanes->begin[1] = lanes->mesh.all.count;
    for (uint32_t v = 0; v < kit.model.vertex_count; v += 2) {
        kit.model.positions[v].z = -0.019f;
        kit.model.normals[v].z = -1;
    }
    ASSERT(maps_run(&kit));
    for (uint32_t v = 0; v < kit.model.vertex_count; ++v) {
        for (int k = 0; k < 4; ++k) {
            ASSERT_EQ(v % 2 == 0, lanes->mesh.skinning.vertex_particle[v][k] >= 100);
        }
    }
    lanes_kit_end(lanes);
    PASS();
}

// A soft body whose left half follows one bone and whose right half another, without a blend: next to the border, as near to
// the other's particles as to its own, a vertex still goes with its own.
TEST vertices_keep_to_their_bones(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    kit.lanes.kinds[0] = HEM_PART_SOFT;
    hemc_model* m = &kit.model;
    const float border = 4.5f * SPACING;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        m->bones[v][0] = m->positions[v].x < border ? 0 : 1;
        m->bone_weights[v][0] = 1;
        m->bone_weights[v][1] = m->bone_weights[v][2] = 0;
    }
    ASSERT(maps_run(&kit));
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        float own = 0;
        for (int k = 0; k < 4; ++k) {
            const hemc_vec3 x = kit.lanes.mesh.all.positions[kit.lanes.mesh.skinning.vertex_particle[v][k]];
            own += (x.x < border) == (m->positions[v].x < border) ? kit.lanes.mesh.skinning.vertex_weight[v][k] : 0;
        }
        ASSERT(own > 0.85f);
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

// A patch of four vertices a little above the sheet, a piece of its own, becomes what it lies on: its weights are those that
// a vertex of the sheet below it has, and so is its blend, whatever else was painted.
TEST an_ornament_follows_the_cloth_below_it(void) {
    maps_kit kit;
    maps_start(&kit, 0);
    hemc_model* m = &kit.model;
    enum { AT = 20 * VERTEX_COLUMNS + 11 };
    const uint32_t below[4] = {AT, AT + 1, AT + VERTEX_COLUMNS, AT + VERTEX_COLUMNS + 1}, n = m->vertex_count;
    hemc_arena* arena = kit.lanes.arena;
    hemc_model old = *m;
    m->vertex_count = n + 4;
    m->triangle_count += 2;
    m->positions = hemc_alloc(arena, n + 4, sizeof(*m->positions));
    m->normals = hemc_alloc(arena, n + 4, sizeof(*m->normals));
    m->bones = hemc_alloc(arena, n + 4, sizeof(*m->bones));
    m->bone_weights = hemc_alloc(arena, n + 4, sizeof(*m->bone_weights));
    m->triangles = hemc_alloc(arena, (size_t)m->triangle_count * 3, sizeof(uint32_t));
    int32_t* owner = hemc_alloc(arena, m->triangle_count, sizeof(int32_t));
    memcpy(m->positions, old.positions, n * sizeof(*m->positions));
    memcpy(m->normals, old.normals, n * sizeof(*m->normals));
    memcpy(m->bones, old.bones, n * sizeof(*m->bones));
    memcpy(m->bone_weights, old.bone_weights, n * sizeof(*m->bone_weights));
    memcpy(m->triangles, old.triangles, (size_t)old.triangle_count * 3 * sizeof(uint32_t));
    memcpy(owner, kit.owner, old.triangle_count * sizeof(int32_t));
    kit.owner = owner;
    for (uint32_t i = 0; i < 4; ++i) {
        m->positions[n + i] = m->positions[below[i]];
        m->positions[n + i].z += 0.005f;
        m->normals[n + i] = m->normals[below[i]];
        m->bones[n + i][0] = 2; // skinned to something else
        m->bone_weights[n + i][0] = 1;
    }
    const uint32_t corners[6] = {n, n + 1, n + 3, n, n + 3, n + 2};
    memcpy(m->triangles + (size_t)old.triangle_count * 3, corners, sizeof corners);
    kit.primitive.vertex_count = m->vertex_count;
    kit.primitive.triangle_count = m->triangle_count;
    ASSERT(maps_run(&kit));
    const hemc_skinning* skin = &kit.lanes.mesh.skinning;
    // It is smaller than the spacing and follows as one piece: the sheet at its middle.
    for (uint32_t i = 0; i < 4; ++i) {
        double blend = 0, x = 0, y = 0, sum = 0;
        for (int k = 0; k < 4; ++k) {
            const hemc_vec3 p = kit.lanes.mesh.all.positions[skin->vertex_particle[n + i][k]];
            const double w = skin->vertex_weight[n + i][k];
            blend += 0.25 * skin->vertex_blend[below[k]];
            x += w * p.x, y += w * p.y, sum += w;
            ASSERT_EQ(skin->vertex_particle[n][k], skin->vertex_particle[n + i][k]);
            ASSERT_EQ(skin->vertex_weight[n][k], skin->vertex_weight[n + i][k]);
        }
        ASSERT_IN_RANGE(1.0, sum, 1e-6);
        ASSERT_IN_RANGE(blend, skin->vertex_blend[n + i], 0.02);
        const hemc_vec3 low = m->positions[n], high = m->positions[n + 3];
        ASSERT(fabs(x - 0.5 * (low.x + high.x)) < 0.5 * SPACING && fabs(y - 0.5 * (low.y + high.y)) < 0.5 * SPACING);
    }
    lanes_kit_end(&kit.lanes);
    PASS();
}

void graph_maps_tests(void) {
    RUN_TEST(an_ornament_follows_the_cloth_below_it);
    RUN_TEST(particle_weights_are_a_partition_of_unity);
    RUN_TEST(particle_weights_are_smooth);
    RUN_TEST(particle_weights_fade_to_the_fifth);
    RUN_TEST(particle_bones_follow_equation_three);
    RUN_TEST(particles_without_vertices_take_the_surface);
    RUN_TEST(blend_rises_from_the_attached_level);
    RUN_TEST(blend_is_full_at_the_width_of_the_recipe);
    RUN_TEST(painted_blend_wins);
    RUN_TEST(the_border_to_unselected_triangles_stays_with_the_skeleton);
    RUN_TEST(vertices_split_by_a_seam_blend_alike);
    RUN_TEST(far_vertices_are_named);
    RUN_TEST(layers_do_not_mix);
    RUN_TEST(vertices_keep_to_their_bones);
}
