// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"
#include "tests/compiler/front_kit.h"

#include <greatest.h>
#include <math.h>
#include <string.h>

// A doll of tubes in one mesh, on a skeleton, called otherwise than automatic mode may expect: by the name of the whole
// character, by words that mean something else, by one name for every bone.

enum { AROUND = 8, RINGS = 6, LOCKS = 8, LIMBS = 6, EYES = 2, EARS = 2, BONES = 16, TUBES = LIMBS + EYES + LOCKS };
enum { TUBE_VERTICES = AROUND * RINGS, TUBE_TRIANGLES = 2 * AROUND * (RINGS - 1) };

typedef struct doll {
    hemc_bone_def bones[BONES];
    hemc_primitive primitive;
    hemc_vec3 positions[TUBES * TUBE_VERTICES], normals[TUBES * TUBE_VERTICES];
    uint16_t vertex_bones[TUBES * TUBE_VERTICES][4];
    float weights[TUBES * TUBE_VERTICES][4];
    uint32_t triangles[3 * TUBES * TUBE_TRIANGLES], triangle_primitive[TUBES * TUBE_TRIANGLES];
} doll;

enum {
    HIPS,
    SPINE,
    CHEST,
    HEAD,
    ARM_L,
    HAND_L,
    ARM_R,
    HAND_R,
    LEG_L,
    FOOT_L,
    LEG_R,
    FOOT_R,
    EAR,
    EAR_TIP,
    EAR_R,
    EAR_R_TIP
};

typedef struct tube {
    double from[3], to[3], radius;
    uint16_t bone, end; // of its two halves
} tube;

// The last ones are ears, if they stand off the head at all, or locks.
static tube tube_of(int i, double ears) {
    static const tube limbs[LIMBS] = {
        {{0, 0.85, 0}, {0, 1.45, 0}, 0.1, HIPS, CHEST},       {{0, 1.45, 0}, {0, 1.7, 0}, 0.09, HEAD, HEAD},
        {{0.15, 1.4, 0}, {0.7, 1.4, 0}, 0.05, ARM_L, HAND_L}, {{-0.15, 1.4, 0}, {-0.7, 1.4, 0}, 0.05, ARM_R, HAND_R},
        {{0.1, 0.85, 0}, {0.1, 0, 0}, 0.07, LEG_L, FOOT_L},   {{-0.1, 0.85, 0}, {-0.1, 0, 0}, 0.07, LEG_R, FOOT_R},
    };
    if (i < LIMBS) {
        return limbs[i];
    }
    const double side = i % 2 == 0 ? 1 : -1;
    if (i < LIMBS + EYES) {
        return (tube){{0.03 * side, 1.6, 0.08}, {0.03 * side, 1.62, 0.08}, 0.01, HEAD, HEAD};
    }
    if (ears > 0) {
        return (tube){{0.07 * side, 1.62, 0},
                      {(0.09 + ears) * side, 1.62 + ears, 0},
                      0.01,
                      side > 0 ? EAR : EAR_R,
                      side > 0 ? EAR_TIP : EAR_R_TIP};
    }
    const double a = 6.283185307179586 * (i + 0.5) / LOCKS, x = 0.16 * cos(a), z = 0.16 * sin(a);
    return (tube){{x, 1.1, z}, {0.7 * x, 1.66, 0.7 * z}, 0.02, HEAD, HEAD};
}

static void add_tube(doll* d, uint32_t index, tube t) {
    const double along[3] = {t.to[0] - t.from[0], t.to[1] - t.from[1], t.to[2] - t.from[2]};
    const bool level = fabs(along[0]) > fabs(along[1]);
    for (uint32_t v = 0; v < TUBE_VERTICES; ++v) {
        const double f = (double)(v / AROUND) / (RINGS - 1), a = 6.283185307179586 * (v % AROUND) / AROUND;
        const double c = t.radius * cos(a), s = t.radius * sin(a);
        const uint32_t at = index * TUBE_VERTICES + v;
        d->positions[at] =
            (hemc_vec3){(float)(t.from[0] + f * along[0] + (level ? 0 : c)),
                        (float)(t.from[1] + f * along[1] + (level ? c : 0)), (float)(t.from[2] + f * along[2] + s)};
        d->normals[at].y = 1;
        d->vertex_bones[at][0] = f < 0.5 ? t.bone : t.end;
        d->weights[at][0] = 1;
    }
    for (uint32_t i = 0; i < TUBE_TRIANGLES; ++i) {
        const uint32_t quad = i / 2, ring = quad / AROUND, k = quad % AROUND, next = (k + 1) % AROUND;
        const uint32_t low = index * TUBE_VERTICES + ring * AROUND, high = low + AROUND;
        const uint32_t corners[2][3] = {{low + k, high + k, low + next}, {low + next, high + k, high + next}};
        memcpy(&d->triangles[3 * (index * TUBE_TRIANGLES + i)], corners[i % 2], sizeof(corners[0]));
    }
}

// Names of bones: a word for all of them, or NULL for a person's.
static void make_doll(kit* k, doll* d, const char* node, const char* bone, int tubes, double ears) {
    static const struct {
        const char* name;
        int32_t parent;
        float x, y;
    } bones[BONES] = {
        {"Hips", HEM_NONE, 0, 0.9f},       {"Spine", HIPS, 0, 1.1f},       {"Chest", SPINE, 0, 1.3f},
        {"Head", CHEST, 0, 1.47f},         {"Arm.L", CHEST, 0.15f, 1.4f},  {"Hand.L", ARM_L, 0.6f, 1.4f},
        {"Arm.R", CHEST, -0.15f, 1.4f},    {"Hand.R", ARM_R, -0.6f, 1.4f}, {"Leg.L", HIPS, 0.1f, 0.85f},
        {"Foot.L", LEG_L, 0.1f, 0.06f},    {"Leg.R", HIPS, -0.1f, 0.85f},  {"Foot.R", LEG_R, -0.1f, 0.06f},
        {"Ear", HEAD, 0.07f, 1.62f},       {"Ear_tip", EAR, 0.09f, 1.7f},  {"Ear.R", HEAD, -0.07f, 1.62f},
        {"Ear.R_tip", EAR_R, -0.09f, 1.7f}};
    kit_data small = kit_good(); // for all that a model has beside its arrays
    kit_import(k, &small, NULL, NULL);
    memset(d, 0, sizeof(*d));
    for (int b = 0; b < BONES; ++b) {
        d->bones[b] = (hemc_bone_def){.name = bone != NULL ? bone : bones[b].name, .parent = bones[b].parent};
        for (int i = 0; i < 3; ++i) {
            d->bones[b].bind[5 * i] = d->bones[b].inverse_bind[5 * i] = 1;
        }
        d->bones[b].bind[3] = bones[b].x;
        d->bones[b].bind[7] = bones[b].y;
        d->bones[b].inverse_bind[3] = -bones[b].x;
        d->bones[b].inverse_bind[7] = -bones[b].y;
    }
    for (int i = 0; i < tubes; ++i) {
        add_tube(d, (uint32_t)i, tube_of(i, ears));
    }
    const uint32_t triangles = (uint32_t)tubes * TUBE_TRIANGLES, vertices = (uint32_t)tubes * TUBE_VERTICES;
    d->primitive = (hemc_primitive){.name = node,
                                    .node_name = node,
                                    .mesh_name = "",
                                    .material_name = "",
                                    .vertex_count = vertices,
                                    .triangle_count = triangles};
    k->model.primitives = &d->primitive;
    k->model.primitive_count = 1;
    k->model.positions = d->positions;
    k->model.normals = d->normals;
    k->model.bones = d->vertex_bones;
    k->model.bone_weights = d->weights;
    k->model.vertex_count = vertices;
    k->model.triangles = d->triangles;
    k->model.triangle_primitive = d->triangle_primitive;
    k->model.triangle_count = triangles;
    k->model.bone_defs = d->bones;
    k->model.bone_count = BONES;
    k->model.paint_count = 0;
    k->model.clip_count = 0;
}

static doll world;

// The name of the part of each tube; "" = none, "?" = some of it.
static bool find(kit* k, const char* node, const char* bone, int tubes, double ears, hemc_recipe* recipe,
                 const char* parts[TUBES]) {
    make_doll(k, &world, node, bone, tubes, ears);
    memset(recipe, 0, sizeof(*recipe));
    if (!hemc_recipe_automatic(k->arena, &k->log, &k->model, recipe)) {
        return false;
    }
    int32_t* owner = hemc_alloc(k->arena, k->model.triangle_count, sizeof(int32_t));
    hemc_select(k->arena, &k->log, &k->model, recipe, owner);
    for (uint32_t t = 0; t < k->model.triangle_count; ++t) {
        const char* name = owner[t] == HEM_NONE ? "" : recipe->parts[owner[t]].name;
        const char** part = &parts[t / TUBE_TRIANGLES];
        *part = t % TUBE_TRIANGLES == 0 || strcmp(*part, name) == 0 ? name : "?";
    }
    return true;
}

// Locks of a few triangles each, in one mesh with all the rest: the skull is no lock, nor are the eyes.
TEST locks_in_one_mesh_are_hair_together(void) {
    static const char* const nodes[] = {"Mesh", "Bearded_Man", "TailGirl"};
    for (int n = 0; n < 3; ++n) {
        kit k;
        hemc_recipe recipe;
        const char* parts[TUBES];
        kit_begin(&k);
        ASSERTm(nodes[n], find(&k, nodes[n], NULL, TUBES, 0, &recipe, parts));
        ASSERT_EQ(1, recipe.part_count);
        for (int i = 0; i < TUBES; ++i) {
            ASSERT_STR_EQm(nodes[n], i >= LIMBS + EYES ? "hair" : "", parts[i]);
        }
        ASSERT_EQ(n > 0, kit_log_has(&k.log, HEMC_NOTE, "would be the character"));
        kit_end(&k);
    }
    PASS();
}

// "Tail" on every bone is the name of the rig; "Trunk" with a head on it a torso.
TEST a_chain_with_limbs_on_it_is_not_loose(void) {
    kit k;
    hemc_recipe recipe = {0};
    const char* parts[TUBES];
    kit_begin(&k);
    ASSERT_FALSE(find(&k, "Mesh", "TailGirl_bone", LIMBS, 0, &recipe, parts));
    kit_end(&k);
    kit_begin(&k);
    make_doll(&k, &world, "Mesh", NULL, LIMBS, 0);
    world.bones[SPINE].name = "Trunk";
    ASSERT_FALSE(hemc_recipe_automatic(k.arena, &k.log, &k.model, &recipe));
    ASSERT(kit_log_has(&k.log, HEMC_NOTE, "bone \"Trunk\" holds the word \"trunk\", but \"Head\" hangs on it"));
    kit_end(&k);
    PASS();
}

// Rigs with a face have bones for a person's ears, too.
TEST ears_move_when_they_stand_off_the_head(void) {
    static const double off[2] = {0.01, 0.12};
    for (int i = 0; i < 2; ++i) {
        kit k;
        hemc_recipe recipe;
        const char* parts[TUBES];
        kit_begin(&k);
        memset(parts, 0, sizeof(parts));
        ASSERT_EQ(i == 1, find(&k, "Mesh", NULL, LIMBS + EYES + EARS, off[i], &recipe, parts));
        kit_end(&k);
    }
    PASS();
}

// Ears whose bones tell nothing are known by their standing up from the head, left and right; a horn in the middle is none.
TEST ears_without_names_stand_up_in_pairs(void) {
    for (int i = 0; i < 3; ++i) {
        kit k;
        hemc_recipe recipe = {0};
        kit_begin(&k);
        make_doll(&k, &world, "Mesh", "bone", LIMBS + EYES + EARS, i == 1 ? 0.01 : 0.12);
        for (int b = EAR_R; b <= EAR_R_TIP && i == 2; ++b) { // the other one grows elsewhere
            world.bones[b].bind[11] = 0.1f;
        }
        ASSERT_EQ(i == 0, hemc_recipe_automatic(k.arena, &k.log, &k.model, &recipe));
        ASSERT_EQ(i == 0 ? 1 : 0, recipe.part_count);
        ASSERT(i != 0 || strcmp(recipe.parts[0].name, "ears") == 0);
        kit_end(&k);
    }
    PASS();
}

// Of two bones called Head the one that holds the ears is meant: it goes by its number.
TEST bones_that_share_a_name_go_by_their_numbers(void) {
    kit k;
    hemc_recipe recipe = {0};
    kit_begin(&k);
    make_doll(&k, &world, "Mesh", NULL, LIMBS + EYES + EARS, 0.12);
    world.bones[CHEST].name = "Head";
    ASSERT(hemc_recipe_automatic(k.arena, &k.log, &k.model, &recipe));
    ASSERT_EQ(1, recipe.part_count);
    const hemc_attach* attach = &recipe.parts[0].attach;
    uint32_t holds = 0;
    for (uint32_t b = 0; b < BONES; ++b) {
        bool named = false;
        for (uint32_t i = 0; i < attach->bone_count; ++i) {
            named = named || hemc_bone_matches(&k.model, b, attach->bones[i]);
        }
        ASSERT_EQ(b == HEAD || b == EAR || b == EAR_R, named);
        holds += named;
    }
    ASSERT_EQ(3, holds);
    ASSERT(hemc_bone_matches(&k.model, HEAD, "#3"));
    ASSERT_FALSE(hemc_bone_matches(&k.model, HEAD, "#"));
    ASSERT_FALSE(hemc_bone_matches(&k.model, HEAD, "#3x"));
    ASSERT_FALSE(hemc_bone_matches(&k.model, HEAD, "#4294967299"));
    kit_end(&k);
    PASS();
}

SUITE(front_called_suite) {
    RUN_TEST(locks_in_one_mesh_are_hair_together);
    RUN_TEST(a_chain_with_limbs_on_it_is_not_loose);
    RUN_TEST(ears_move_when_they_stand_off_the_head);
    RUN_TEST(ears_without_names_stand_up_in_pairs);
    RUN_TEST(bones_that_share_a_name_go_by_their_numbers);
}
