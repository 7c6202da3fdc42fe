// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"
#include "compiler/generate/generate.h"
#include "compiler/recipe/auto.h"
#include "compiler/recipe/recipe.h"
#include "formats/hem_validate.h"
#include "platform/file.h"
#include "tests/compiler/front_kit.h"

#include <greatest.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// What automatic mode reads from names and sizes, and what it does with a part that nothing holds.

TEST names_of_many_tools_and_languages_are_read(void) {
    static const struct {
        const char* name;
        const char* part; // NULL = nothing loose
    } rows[] = {{"Knight_Cape", "cape"},
                {"LongSkirt.001", "skirt"},
                {"mixamorig:Tail1", "tail"},
                {"J_Sec_Hair1_01", "hair"},
                {"DEF-ear.L", "ears"},
                {"SK_Umhang_01", "cape"},
                {"cheveux_long", "hair"},
                {"髪_前", "hair"},
                {"右スカート", "skirt"},
                {"披风_01", "cape"},
                {"长头发", "hair"},
                {"꼬리1", "tail"},
                {"Dreadlocks_02", "hair"},
                {"TrenchCoat", "coat"},
                {"ｽｶｰﾄ_0_1", "skirt"},
                {"おさげ左", "hair"},
                {"尾1", "tail"},
                {"马尾", "hair"},
                {"Borat", NULL},
                {"Плащ", "cape"},
                {"волосы_зад", "hair"},
                {"плач", NULL},
                {"Goldfish_Fins", "fins"},
                {"Chair", NULL},
                {"Detail", NULL},
                {"Earring", NULL},
                {"Finger1.L", NULL},
                {"Forearm", NULL},
                {"Scape:Body", NULL},
                {"Rock", NULL},
                {"Breastplate", NULL},
                {"Tailor_Body", NULL},
                {"Cloth", NULL},
                {"Sleeve.L", NULL},
                {"Tailcoat", "coat"},
                {"Nightgown", "skirt"},
                {"J_Opt_C_FoxTail1_01", "tail"},
                {"J_Sec_L_CoatSkirtBack_01", "coat"},
                {"J_Opt_L_RabbitEar1_01", "ears"},
                {"长袍", "robe"},
                {"Pferdeschwanz", "hair"},
                {"Écharpe_01", "scarf"},
                {"Mähne", "mane"},
                {"Aleta_L", "fins"},
                {"Платье", "skirt"},
                {"围裙", "apron"},
                {"앞치마", "apron"},
                {"지느러미", "fins"},
                {"長いスカーフ", "scarf"},
                {"Crinkle", NULL},
                {"Stolen", NULL},
                {"Velocity", NULL},
                {"Mantis", NULL},
                {"", NULL}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        const hemc_loose_word* word = hemc_name_loose(rows[i].name);
        ASSERT_EQm(rows[i].name, rows[i].part != NULL, word != NULL);
        if (word != NULL) {
            ASSERT_STR_EQm(rows[i].name, rows[i].part, word->part);
        }
    }
    PASS();
}

TEST accessories_are_known_by_a_word_of_their_own(void) {
    static const char* const are[] = {"1H_Sword",      "F_PonyTail_Accessory_MAT",
                                      "Knight_Helmet", "HairTie",
                                      "Spellbook",     "Greatsword_02",
                                      "盾_01",         "방패",
                                      "Щит.L",         "귀걸이",
                                      "Schwert"};
    static const char* const are_not[] = {"Knight_Cape", "Swordfish",  "Hatch", "Hair",
                                          "Elbow.L",     "Shinband2x", "Army",  "Armature"};
    for (size_t i = 0; i < sizeof(are) / sizeof(are[0]); ++i) {
        ASSERTm(are[i], hemc_name_is_accessory(are[i]));
    }
    for (size_t i = 0; i < sizeof(are_not) / sizeof(are_not[0]); ++i) {
        ASSERT_FALSEm(are_not[i], hemc_name_is_accessory(are_not[i]));
    }
    ASSERT_STR_EQ("sleeves", hemc_name_chain("J_Sec_L_TipSleeve_01")->part); // of bones alone
    ASSERT_EQ(NULL, hemc_name_chain("Arm"));
    PASS();
}

// A skeleton of these bones at these heights, with two vertices that make the figure `high`.
typedef struct figure {
    hemc_model model;
    hemc_bone_def bones[8];
    hemc_vec3 positions[2];
    uint16_t vertex_bones[2][4];
    float weights[2][4];
    hemc_primitive primitive;
} figure;

static void make_figure(figure* f, const char* mesh, float unit, bool upright, bool person) {
    static const struct {
        const char* name;
        float y, z;
    } human[8] = {{"Hips", 1.0f, 0},       {"Head", 1.5f, 0},       {"UpperArm.L", 1.4f, 0}, {"UpperArm.R", 1.4f, 0},
                  {"UpperLeg.L", 0.9f, 0}, {"UpperLeg.R", 0.9f, 0}, {"Foot.L", 0.06f, 0},    {"Foot.R", 0.06f, 0}};
    memset(f, 0, sizeof(*f));
    for (int i = 0; i < 8; ++i) {
        f->bones[i].name = person ? human[i].name : "bone";
        f->bones[i].bind[7] = unit * human[i].y;
        f->bones[i].bind[11] = unit * (upright ? 0.0f : 2.0f * human[i].y);
    }
    f->weights[0][0] = f->weights[1][0] = 1;
    f->vertex_bones[1][0] = 1;
    f->positions[1].y = unit * 1.7f;
    f->primitive = (hemc_primitive){.node_name = "", .mesh_name = mesh, .material_name = ""};
    f->model = (hemc_model){.path = "figure",
                            .bone_defs = f->bones,
                            .bone_count = 8,
                            .positions = f->positions,
                            .vertex_count = 2,
                            .bones = f->vertex_bones,
                            .bone_weights = f->weights,
                            .primitives = &f->primitive,
                            .primitive_count = 1};
}

TEST a_unit_is_taken_for_what_makes_the_figure_plausible(void) {
    static const struct {
        const char* mesh;
        float unit;
        bool upright, person;
        double scale, tolerance; // of what comes out
    } rows[] = {
        {"Body", 1.0f, true, true, 1.0, 0},            // 1.7 m
        {"Body", 0.6f, true, true, 1.0, 0},            // a child
        {"Body", 100.0f, true, true, 0.01, 0},         // centimetres
        {"Body", 0.01f, true, true, 100.0, 0},         // hundredfold too small
        {"Body", 2.0f, true, true, 0.5, 0.01},         // 3.4 units: no usual slip
        {"Giant", 100.0f, true, true, 0.01, 0},        // but not of 170 m
        {"Giant", 5.0f, true, true, 1.0, 0},           // told
        {"Body", 3.0f, false, true, 1.0, 0},           // lies or goes on four legs: unknown
        {"Body", 3.0f, true, false, 1.0, 0},           // no bones of a person
        {"Body", 100.0f, true, false, 0.01, 0},        // whatever it is, it is not of 170 m
        {"Body", 100.0f, false, false, 0.01, 0},       // nor of 170 m length
        {"Wolf", 1.6f, false, false, 0.95 / 2.7, .01}, // a wolf of 2.7 m
        {"Wolf", 0.7f, false, false, 1.0, 0},          // drawn a little large
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        figure f;
        make_figure(&f, rows[i].mesh, rows[i].unit, rows[i].upright, rows[i].person);
        const double scale = hemc_auto_scale(k.arena, &k.log, &f.model);
        ASSERT_IN_RANGEm(rows[i].mesh, rows[i].scale, scale, rows[i].tolerance + 1e-9);
        ASSERT_EQm(rows[i].mesh, scale != 1.0, kit_log_has(&k.log, HEMC_NOTE, "automatic size"));
        kit_end(&k);
    }
    PASS();
}

static bool load(kit* k, const char* text, hemc_recipe* recipe) {
    kit_data d = kit_good();
    return kit_import(k, &d, "\"name\": \"Sheet\"", "\"name\": \"Cape\"") &&
           hemc_recipe_load_memory(k->arena, &k->log, "recipe.json", text, strlen(text), &k->model, recipe);
}

// Skeletons whose bones are called otherwise, and on four legs.
TEST a_unit_is_taken_from_bones_of_other_names(void) {
    static const char* const japanese[8] = {"センター", "頭", "左腕", "右腕", "左足", "右足", "左足首", "右足首"};
    static const char* const rigify[8] = {"DEF-spine",   "DEF-spine.006", "DEF-upper_arm.L", "DEF-upper_arm.R",
                                          "DEF-thigh.L", "DEF-thigh.R",   "DEF-foot.L",      "DEF-foot.R"};
    static const char* const animal[8] = {"Back",      "Head",      "FrontUpperLeg.L", "FrontUpperLeg.R",
                                          "BackLeg.L", "BackLeg.R", "Foot.L",          "Foot.R"};
    static const struct {
        const char* const* bones;
        float unit;
        double scale, tolerance;
    } rows[] = {{japanese, 1.0f, 1.0, 0},        {japanese, 100.0f, 0.01, 0}, {japanese, 2.0f, 0.5, 0.01},
                {rigify, 100.0f, 0.01, 0},       {rigify, 2.0f, 0.5, 0.01},   {animal, 1.0f, 1.0, 0},
                {animal, 2.0f, 1.0 / 3.4, 0.01}, {animal, 60.0f, 0.01, 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        figure f;
        make_figure(&f, "Body", rows[i].unit, true, true);
        for (int b = 0; b < 8; ++b) {
            f.bones[b].name = rows[i].bones[b];
        }
        const double scale = hemc_auto_scale(k.arena, &k.log, &f.model);
        ASSERT_IN_RANGEm(rows[i].bones[0], rows[i].scale, scale, rows[i].tolerance + 1e-9);
        kit_end(&k);
    }
    PASS();
}

// Z up in the file: somebody who stands lies along z.
TEST who_lies_on_the_ground_is_told_about_y_up(void) {
    for (int lies = 0; lies < 2; ++lies) {
        kit k;
        kit_begin(&k);
        figure f;
        make_figure(&f, "Body", 1.0f, true, true);
        for (int b = 0; b < 8 && lies; ++b) {
            f.bones[b].bind[11] = -f.bones[b].bind[7];
            f.bones[b].bind[7] = 0;
        }
        hemc_auto_scale(k.arena, &k.log, &f.model);
        ASSERT_EQ(lies == 1, kit_log_has(&k.log, HEMC_WARNING, "lies along the ground"));
        kit_end(&k);
    }
    PASS();
}

TEST a_recipe_without_parts_keeps_automatic_mode(void) {
    kit k;
    hemc_recipe recipe;
    kit_begin(&k);
    ASSERT(load(&k, "{\"scale\": 0.5, \"body\": false, \"clips\": {\"hz\": 24}}", &recipe));
    ASSERT(recipe.automatic);
    ASSERT(recipe.part_count > 0);
    ASSERT_EQ(0.5f, recipe.scale);
    ASSERT_EQ(24.0f, recipe.clip_hz);
    ASSERT_FALSE(recipe.body.enabled);
    kit_end(&k);
    kit_begin(&k); // parts that are there and empty are a mistake
    ASSERT_FALSE(load(&k, "{\"parts\": []}", &recipe));
    ASSERT(kit_log_has(&k.log, HEMC_ERROR, "no parts"));
    kit_end(&k);
    PASS();
}

TEST the_command_line_has_the_last_word_about_scale(void) {
    kit k;
    hemc_recipe recipe;
    kit_begin(&k);
    k.model.asked_scale = 0;
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, NULL, NULL));
    k.model.asked_scale = 3;
    static const char text[] = "{\"scale\": 0.5, \"parts\": [{\"name\": \"p\", \"select\": {\"node\": \"*\"}}]}";
    ASSERT(hemc_recipe_load_memory(k.arena, &k.log, "r", text, strlen(text), &k.model, &recipe));
    ASSERT_EQ(3.0f, recipe.scale);
    kit_end(&k);
    PASS();
}

// A ball of particles far from everything, all of it on the second bone: a wig without a head.
TEST a_part_that_nothing_holds_is_held_by_its_bone(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, "_HEM_PIN", "_UNKNOWN"));
    hemc_recipe recipe;
    static const char text[] = "{\"parts\": [{\"name\": \"wig\", \"kind\": \"soft\", \"generator\": \"scatter\", "
                               "\"spacing\": 0.05, \"select\": {\"node\": \"*\"}}]}";
    ASSERT(hemc_recipe_load_memory(k.arena, &k.log, "r", text, strlen(text), &k.model, &recipe));
    ASSERT(hemc_import_finish(k.arena, &k.log, &recipe, &k.model));
    int32_t* owner = hemc_alloc(k.arena, k.model.triangle_count, sizeof(int32_t)); // all of it is the part: no rest
    hemc_surface surface;
    ASSERT(hemc_weld(k.arena, &k.model, owner, 0, &surface));
    hemc_particles p;
    ASSERT(hemc_generate(k.arena, &k.log, &k.model, &recipe.parts[0], &surface, &p));
    hemc_fit(k.arena, &surface, &recipe.parts[0], &p);
    ASSERT(hemc_roles(k.arena, &k.log, &k.model, &recipe.parts[0], &surface, owner, &p));
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "touches nothing that could hold it"));
    // Those that are held are nearer to some joint than those that are not, and both kinds are there.
    bool split = false;
    for (uint32_t b = 0; b < k.model.bone_count; ++b) {
        const float* m = k.model.bone_defs[b].bind;
        double far_held = 0, near_free = 1e30;
        for (uint32_t i = 0; i < p.count; ++i) {
            double r = d3_distance(d3_from(p.positions[i]), d3(m[3], m[7], m[11]));
            if ((p.flags[i] & HEM_PARTICLE_ANIMATED) != 0) {
                far_held = fmax(far_held, r);
            } else {
                near_free = fmin(near_free, r);
            }
        }
        split = split || (far_held > 0 && near_free < 1e30 && far_held <= near_free);
    }
    ASSERT(split);
    kit_end(&k);
    PASS();
}

// The sheet without its skin; the flag hangs on a node that a clip turns, which makes that a bone.
TEST a_part_without_a_skin_hangs_on_the_nearest_bone(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, "\"mesh\": 0, \"skin\": 0", "\"mesh\": 0"));
    ASSERT(k.model.primitives[0].follows_nothing && !k.model.primitives[1].follows_nothing);
    hemc_recipe recipe;
    static const char text[] = "{\"parts\": [{\"name\": \"sheet\", \"select\": {\"node\": \"Sheet\"}}]}";
    ASSERT(hemc_recipe_load_memory(k.arena, &k.log, "r", text, strlen(text), &k.model, &recipe));
    int32_t* owner = hemc_alloc(k.arena, k.model.triangle_count, sizeof(int32_t));
    ASSERT(hemc_select(k.arena, &k.log, &k.model, &recipe, owner));
    const uint16_t flag_bone = k.model.bones[KIT_VERTICES][0];
    ASSERT(flag_bone != k.model.bones[0][0]);
    hemc_hang_unskinned(k.arena, &k.log, &k.model, &recipe, owner);
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "is not skinned"));
    for (uint32_t v = 0; v < KIT_VERTICES; ++v) {
        ASSERT_EQ(flag_bone, k.model.bones[v][0]); // the only bone that carries something
        ASSERT_EQ(1.0f, k.model.bone_weights[v][0]);
    }
    kit_end(&k);
    PASS();
}

// Colliders are ignored by their own name or by their bone's, and only by the part that says so.
TEST a_part_ignores_colliders_by_name(void) {
    static const char recipe[] =
        "{\"body\": false, \"colliders\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"center\": [0, 1, -3], "
        "\"radius\": 0.8}, {\"name\": \"other\", \"shape\": \"sphere\", \"center\": [0, 1, 3], \"radius\": 0.8}, "
        "{\"name\": "
        "\"shin\", \"shape\": \"sphere\", \"bone\": \"Lower\", \"center\": [0, 1, 4], \"radius\": 0.1}], \"parts\": "
        "[{\"name\": \"upper\", \"select\": {\"box\": {\"min\": [-9, 1, -9], \"max\": [9, 9, 9]}}, \"ignores\": "
        "[\"BA*\", "
        "\"lower\"]}, {\"name\": \"lower\", \"select\": {\"box\": {\"min\": [-9, -9, -9], \"max\": [9, 1, 9]}}}]}";
    static const bool met[3][2] = {{false, true}, {true, true}, {false, true}};
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    size_t size, made = 0;
    const char* gltf = kit_gltf(k.arena, &d, NULL, NULL, &size);
    const hemc_job job = {.input = "kit.gltf",
                          .input_bytes = gltf,
                          .input_size = size,
                          .recipe = "r.json",
                          .recipe_bytes = recipe,
                          .recipe_size = sizeof(recipe) - 1};
    hemc_outcome out;
    uint8_t* bytes = NULL;
    hemc_execute(&job, &out, &bytes, &made);
    ASSERT_EQm(out.messages, HEMC_OK, out.exit_code);
    hem_view view;
    ASSERT_EQ(HEM_FORMAT_OK, hem_validate(bytes, made, &view, NULL));
    ASSERT_EQ(3, view.collider_count);
    for (uint32_t c = 0; c < 3; ++c) {
        for (uint32_t p = 0; p < view.info->part_count; ++p) {
            const int part = strcmp(view.strings + view.parts[p].name_offset, "upper") != 0;
            ASSERT_EQ(met[c][part], (view.colliders[c].collision_group & view.parts[p].collision_group) != 0);
        }
    }
    hemc_free(bytes);
    hemc_outcome_free(&out);
    kit_end(&k);
    PASS();
}

// What is surely wrong is a sentence, and under --strict an error.
TEST what_nobody_can_have_meant_is_refused_under_strict(void) {
    static const char few[] = "too few particles to bend: try", count[] = "are too few to bend",
                      absent[] = "there is none", around[] = "simulated particles of part \"sheet\" inside it";
    static const struct {
        const char* keys; // of a sheet of 2 m, 1 m wide around x = 0, from y = 0
        const char* colliders;
        const char* warning;
        bool said;
    } rows[] = {
        {"\"spacing\": 0.1", "", few, false},
        {"\"spacing\": 0.45", "", few, false},
        {"\"spacing\": 0.7", "", few, true},
        {"\"spacing\": 5", "", few, true},
        {"\"particles\": 60", "", count, false},
        {"\"particles\": 3", "", count, true},
        {"\"spacing\": 0.1", "", absent, false},
        {"\"spacing\": 0.1, \"collides_with\": [\"body\"]", "", absent, true},
        {"\"spacing\": 0.1", "{\"shape\": \"sphere\", \"center\": [0, 1, 0], \"radius\": 0.8}", around, true},
        {"\"spacing\": 0.1", "{\"shape\": \"sphere\", \"center\": [0, 1, -3], \"radius\": 0.8}", around, false},
        {"\"spacing\": 0.1", "{\"shape\": \"sphere\", \"center\": [0, 1, 0], \"radius\": 0.1}", around, false},
        {"\"spacing\": 0.1", "{\"from\": [0, 0.5, 0], \"to\": [0, 1.5, 0], \"radius\": 0.6}", around, true},
        {"\"spacing\": 0.1", "{\"from\": [0, 0.5, -3], \"to\": [0, 1.5, -3], \"radius\": 0.6}", around, false},
        {"\"spacing\": 0.1", "{\"shape\": \"box\", \"center\": [0, 1, 0], \"half\": [0.5, 0.5, 0.5]}", around, true},
        {"\"spacing\": 0.1, \"ignores\": \"b?x\"",
         "{\"name\": \"box\", \"shape\": \"box\", \"center\": [0, 1, 0], \"half\": [0.5, 0.5, 0.5]}", around, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        kit_data d = kit_good();
        size_t size;
        const char* gltf = kit_gltf(k.arena, &d, NULL, NULL, &size);
        char text[400];
        const int length =
            snprintf(text, sizeof(text),
                     "{\"body\": false, \"colliders\": [%s], \"parts\": [{\"name\": \"sheet\", \"select\": "
                     "{\"node\": \"Sheet\"}, %s}]}",
                     rows[i].colliders, rows[i].keys);
        const hemc_job job = {.input = "kit.gltf",
                              .input_bytes = gltf,
                              .input_size = size,
                              .recipe = "r.json",
                              .recipe_bytes = text,
                              .recipe_size = (size_t)length,
                              .strict = true};
        hemc_outcome out;
        hemc_execute(&job, &out, NULL, NULL);
        const bool said = out.messages != NULL && strstr(out.messages, rows[i].warning) != NULL;
        ASSERT_EQm(text, rows[i].said, said);
        ASSERTm(text, !rows[i].said || out.exit_code == HEMC_VALIDATION);
        hemc_outcome_free(&out);
        kit_end(&k);
    }
    PASS();
}

TEST two_bones_of_one_name_are_told(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(kit_import(&k, &d, NULL, NULL));
    ASSERT_FALSE(kit_log_has(&k.log, HEMC_WARNING, "have the name of another"));
    kit_end(&k);
    kit_begin(&k);
    ASSERT(kit_import(&k, &d, "\"name\": \"Upper\"", "\"name\": \"Lower\""));
    ASSERT(kit_log_has(&k.log, HEMC_WARNING, "1 bones have the name of another"));
    kit_end(&k);
    PASS();
}

// A head, a hood around it and a cape behind, each a bent sheet of SIDE x SIDE quads.
enum { SIDE = 8, SHEET_VERTICES = (SIDE + 1) * (SIDE + 1), SHEET_TRIANGLES = 2 * SIDE * SIDE, SHEETS = 3 };

typedef struct hooded {
    hemc_model model;
    hemc_bone_def bones[2];
    hemc_vec3 positions[SHEETS * SHEET_VERTICES];
    uint16_t vertex_bones[SHEETS * SHEET_VERTICES][4];
    float weights[SHEETS * SHEET_VERTICES][4];
    uint32_t triangles[3 * SHEETS * SHEET_TRIANGLES];
    int32_t owner[SHEETS * SHEET_TRIANGLES];
} hooded;

static void make_hooded(hooded* h, uint16_t hood_bone) {
    memset(h, 0, sizeof(*h));
    h->bones[0].name = "Body";
    h->bones[1].name = "Head";
    for (uint32_t sheet = 0; sheet < SHEETS; ++sheet) {
        for (uint32_t v = 0; v < SHEET_VERTICES; ++v) {
            const uint32_t at = sheet * SHEET_VERTICES + v;
            const double a = 3.0 * ((v % (SIDE + 1)) / (double)SIDE - 0.5), b = (v / (SIDE + 1)) / (double)SIDE;
            const double r = sheet == 0 ? 0.10 : 0.14; // a head of 10 cm, a hood 4 cm off it
            const hemc_vec3 bent = {(float)(r * sin(a)), (float)(1.5 + 0.2 * b), (float)(-r * cos(a))};
            const hemc_vec3 hangs = {(float)(0.2 * a), (float)(1.4 * b), -0.3f};
            h->positions[at] = sheet == 2 ? hangs : bent;
            h->vertex_bones[at][0] = sheet == 0 ? 1 : sheet == 1 ? hood_bone : 0;
            h->weights[at][0] = 1;
        }
        for (uint32_t t = 0; t < SHEET_TRIANGLES; ++t) {
            const uint32_t quad = t / 2, at = sheet * SHEET_VERTICES + quad / SIDE * (SIDE + 1) + quad % SIDE;
            const uint32_t corners[2][3] = {{at, at + 1, at + SIDE + 1}, {at + 1, at + SIDE + 2, at + SIDE + 1}};
            memcpy(&h->triangles[3 * (sheet * SHEET_TRIANGLES + t)], corners[t % 2], sizeof(corners[0]));
            h->owner[sheet * SHEET_TRIANGLES + t] = sheet == 0 ? HEM_NONE : 0; // hood and cape are one finding
        }
    }
    h->model = (hemc_model){.path = "hooded",
                            .bone_defs = h->bones,
                            .bone_count = 2,
                            .positions = h->positions,
                            .vertex_count = SHEETS * SHEET_VERTICES,
                            .bones = h->vertex_bones,
                            .bone_weights = h->weights,
                            .triangles = h->triangles,
                            .triangle_count = SHEETS * SHEET_TRIANGLES};
}

TEST a_hood_stays_on_its_head(void) {
    static hooded h;
    for (uint16_t bone = 0; bone < 2; ++bone) { // the same shape on the shoulders is no hood
        kit k;
        kit_begin(&k);
        make_hooded(&h, bone);
        const hemc_auto_kind cloth = HEMC_AUTO_CLOTH;
        hemc_auto_pieces(k.arena, &h.model, &cloth, 1, h.owner);
        for (uint32_t t = SHEET_TRIANGLES; t < SHEETS * SHEET_TRIANGLES; ++t) {
            ASSERT_EQ(bone == 1 && t < 2 * SHEET_TRIANGLES ? HEM_NONE : 0, h.owner[t]);
        }
        kit_end(&k);
    }
    PASS();
}

// The small glTF of the kit: 16 triangles in one piece on two bones, a flag of two triangles, one clip of three keys.
TEST a_list_names_what_a_recipe_may_use(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    size_t size;
    char folder[512], path[600];
    char* text = kit_gltf(k.arena, &d, NULL, NULL, &size);
    ASSERT(kit_folder(folder) && kit_write(folder, "kit.gltf", text, size, path));
    const char* list = hemc_list_text(k.arena, &k.log, path, true);
    const char* words = hemc_list_text(k.arena, &k.log, path, false);
    kit_folder_end(folder);
    ASSERT(list != NULL && words != NULL);
    const hemc_json* json = hemc_json_parse(k.arena, &k.log, "list", "", list, strlen(list), false);
    ASSERT(json != NULL);
    const hemc_json *meshes = hemc_json_member(json, "meshes"), *bones = hemc_json_member(json, "bones");
    ASSERT_EQ(2, meshes->count);
    ASSERT_EQ(KIT_TRIANGLES, (int)hemc_json_member(meshes->first, "triangles")->number);
    ASSERT_EQ(1, (int)hemc_json_member(meshes->first, "pieces")->number);
    const hemc_json* component = hemc_json_member(meshes->first, "components")->first;
    ASSERT_EQ(KIT_TRIANGLES, (int)hemc_json_member(component, "triangles")->number);
    for (int side = 0; side < 2; ++side) { // alone it is as large as all
        const char* key = side == 0 ? "low" : "high";
        const hemc_json *a = hemc_json_member(component, key)->first, *b = hemc_json_member(meshes->first, key)->first;
        for (int i = 0; i < 3; ++i, a = a->next, b = b->next) {
            ASSERT_EQ(b->number, a->number);
        }
    }
    double followers = 0;
    for (const hemc_json* b = bones->first; b != NULL; b = b->next) {
        followers += hemc_json_member(b, "vertices")->number;
        ASSERT(strstr(words, hemc_json_member(b, "name")->string) != NULL);
    }
    ASSERT_EQ(KIT_VERTICES + KIT_FLAG_VERTICES, (int)followers);
    ASSERT_EQ(1, hemc_json_member(json, "clips")->count);
    ASSERT(strstr(list, "_HEM_PIN") != NULL && strstr(words, "_HEM_PIN") != NULL);
    kit_end(&k);
    PASS();
}

// -- Spring bones

// The formula of the VRM specification, once a frame of 1/60 s, for one bone with its head at 0 and its rest along x.
typedef struct vrm_bone {
    double stiffness, drag, gravity, length;
    double tail[2], before[2];
} vrm_bone;

static void vrm_step(vrm_bone* b) {
    const double dt = 1.0 / 60.0;
    double next[2], size = 0;
    for (int k = 0; k < 2; ++k) {
        next[k] = b->tail[k] + (b->tail[k] - b->before[k]) * (1.0 - b->drag);
        next[k] += dt * (k == 0 ? b->stiffness : -b->gravity);
        size += next[k] * next[k];
    }
    for (int k = 0; k < 2; ++k) {
        b->before[k] = b->tail[k];
        b->tail[k] = next[k] * b->length / sqrt(size);
    }
}

static vrm_bone vrm_begin(const hemc_spring_bone* s, double length, double angle) {
    vrm_bone b = {(double)s->stiffness, (double)s->drag, (double)s->gravity, length, {0}, {0}};
    b.tail[0] = b.before[0] = length * cos(angle);
    b.tail[1] = b.before[1] = length * sin(angle);
    return b;
}

// Swings as fast, dies away as fast and hangs as low as the VRM's own formula has it.
TEST springs_of_a_vrm_swing_and_hang_as_they_did(void) {
    static const hemc_spring_bone bones[] = {
        {true, 2.5f, 0.4f, 0, 0, false, 0},     {true, 4, 0.1f, 0, 0.02f, false, 0},
        {true, 1, 0.4f, 0.1f, 0, false, 0},     {true, 0.3f, 0.05f, 0.05f, 0, false, 0},
        {true, 0.1f, 0.4f, 0.02f, 0, false, 0}, {true, 0.5f, 0.8f, 0.3f, 0, false, 0}};
    static const double lengths[] = {0.05, 0.12, 0.3};
    for (size_t i = 0; i < sizeof(bones) / sizeof(bones[0]); ++i) {
        for (int k = 0; k < 3; ++k) {
            const hemc_spring_fit fit = hemc_fit_spring(&bones[i], lengths[k]);
            const double omega = 6.283185307179586 * fit.hz;
            // Where it hangs: the direction of stiffness and gravity together.
            vrm_bone b = vrm_begin(&bones[i], lengths[k], 0);
            for (int n = 0; n < 6000; ++n) {
                vrm_step(&b);
            }
            const double sag = 9.81 * fit.gravity / (omega * omega); // of the drive
            ASSERT_IN_RANGE(b.tail[1] / b.tail[0], -sag / lengths[k], 1e-4);
            // How it moves about the rest, without gravity: e^(-decay t) cos(turn t), or two ways of dying away.
            hemc_spring_bone light = bones[i];
            light.gravity = 0;
            b = vrm_begin(&light, lengths[k], 0.01);
            const hemc_spring_fit alone = hemc_fit_spring(&light, lengths[k]);
            const double speed = 6.283185307179586 * alone.hz;
            const double zeta = alone.drive_damping, decay = zeta * speed;
            double most = 0, y0 = b.tail[1];
            for (int n = 0; n < 40; ++n) {
                // The closed form through the first two points.
                const double t = n / 60.0, h = 1.0 / 60.0;
                static double y1;
                y1 = n == 1 ? b.tail[1] : y1;
                if (n >= 2) {
                    double seen;
                    if (zeta < 1) {
                        const double w = speed * sqrt(1 - zeta * zeta);
                        const double s = (y1 * exp(decay * h) - y0 * cos(w * h)) / sin(w * h);
                        seen = exp(-decay * t) * (y0 * cos(w * t) + s * sin(w * t));
                    } else {
                        const double w = speed * sqrt(zeta * zeta - 1), p = exp(-(decay - w) * h),
                                     q = exp(-(decay + w) * h);
                        const double slow = (y1 - y0 * q) / (p - q);
                        seen = slow * exp(-(decay - w) * t) + (y0 - slow) * exp(-(decay + w) * t);
                    }
                    most = fmax(most, fabs(seen - b.tail[1]));
                }
                vrm_step(&b);
            }
            ASSERT_IN_RANGE(0.0, most / y0, 0.002); // of what it was led aside; the formula itself is not linear
        }
    }
    const hemc_spring_bone loose = {true, 0, 0.2f, 0.5f, 0, false, 0};
    const hemc_spring_fit fall = hemc_fit_spring(&loose, 0.1);
    ASSERT_EQ(0.0, fall.hz);
    ASSERT_IN_RANGE(-60.0 * log(0.8), fall.damping, 1e-6);
    PASS();
}

// The same formula for a chain along x, each bone led by the one above it. `tips` are the places of the last tail.
enum { CHAIN_MOST = 8, CHAIN_FRAMES = 120 };

static void vrm_chain(const hemc_spring_bone* s, double length, int count, const double angles[CHAIN_MOST], int frames,
                      double* tips) {
    const double dt = 1.0 / 60.0;
    double tail[CHAIN_MOST][2], before[CHAIN_MOST][2], head[2] = {0, 0};
    for (int k = 0; k < count; ++k) {
        head[0] = tail[k][0] = before[k][0] = head[0] + length * cos(angles[k]);
        head[1] = tail[k][1] = before[k][1] = head[1] + length * sin(angles[k]);
    }
    for (int f = 0; f < frames; ++f) {
        double lead[2] = {1, 0}, from[2] = {0, 0};
        tips[f] = tail[count - 1][1];
        for (int k = 0; k < count; ++k) {
            double next[2], size = 0;
            for (int i = 0; i < 2; ++i) {
                next[i] = tail[k][i] + (tail[k][i] - before[k][i]) * (1.0 - (double)s->drag) +
                          dt * (double)s->stiffness * lead[i] - (i == 1 ? dt * (double)s->gravity : 0) - from[i];
                size += next[i] * next[i];
            }
            for (int i = 0; i < 2; ++i) {
                before[k][i] = tail[k][i];
                lead[i] = next[i] / sqrt(size);
                tail[k][i] = from[i] + length * lead[i];
                from[i] = tail[k][i];
            }
        }
    }
}

// Moments at which a swing goes through its rest.
static int crossings_of(const double* y, int count, double at[CHAIN_FRAMES]) {
    int n = 0;
    for (int i = 1; i < count; ++i) {
        if ((y[i - 1] > 0) != (y[i] > 0)) {
            at[n++] = (i - 1 + y[i - 1] / (y[i - 1] - y[i])) / 60.0;
        }
    }
    return n;
}

// A chain of several bones has the frequency of one bone, within 5 % from its second swing on, however it is led aside; its last
// bone led aside alone has its decay, too. Its hang is what the note says.
TEST chains_of_a_vrm_swing_as_their_bones_do(void) {
    static const hemc_spring_bone bones[] = {
        {true, 1, 0.1f, 0, 0, false, 0}, {true, 2.5f, 0.2f, 0, 0, false, 0}, {true, 4, 0.1f, 0, 0, false, 0}};
    for (size_t i = 0; i < sizeof(bones) / sizeof(bones[0]); ++i) {
        for (int count = 1; count <= 4; ++count) {
            const hemc_spring_fit fit = hemc_fit_spring(&bones[i], 0.1);
            const double zeta = fit.drive_damping, damped = fit.hz * sqrt(1 - zeta * zeta);
            double last[CHAIN_MOST] = {0}, all[CHAIN_MOST], y[CHAIN_FRAMES], at[CHAIN_FRAMES];
            last[count - 1] = 0.02;
            vrm_chain(&bones[i], 0.1, count, last, CHAIN_FRAMES, y);
            ASSERT(crossings_of(y, CHAIN_FRAMES, at) >= 3);
            ASSERT_IN_RANGE(damped, 0.5 / (at[1] - at[0]), 0.05 * damped);
            double area[2] = {0, 0}; // of two half swings: as much smaller as the swing has died away
            for (int f = 0; f < CHAIN_FRAMES; ++f) {
                for (int half = 0; half < 2; ++half) {
                    area[half] += f / 60.0 > at[half] && f / 60.0 < at[half + 1] ? fabs(y[f]) : 0;
                }
            }
            const double decay = log(area[0] / area[1]) / (at[1] - at[0]), wanted = 6.283185307179586 * fit.hz * zeta;
            ASSERT_IN_RANGE(wanted, decay, 0.05 * wanted);
            for (int k = 0; k < count; ++k) {
                all[k] = 0.02;
            }
            vrm_chain(&bones[i], 0.1, count, all, CHAIN_FRAMES, y);
            ASSERT(crossings_of(y, CHAIN_FRAMES, at) >= 4);
            ASSERT_IN_RANGE(damped, 0.5 / (at[2] - at[1]), (count == 1 ? 0.05 : 0.07) * damped);
            hemc_spring_bone heavy = bones[i];
            heavy.gravity = 0.2f;
            double level[CHAIN_MOST] = {0}, rest[2000];
            vrm_chain(&heavy, 0.1, count, level, 2000, rest);
            ASSERT_IN_RANGE(-rest[1999], hemc_spring_hang(&heavy, 0.1, (uint32_t)count), 1e-9);
        }
    }
    PASS();
}

// What automatic mode makes of the good model with an extension.
static bool automatic_with(kit* k, const char* extension, hemc_recipe* recipe) {
    const kit_data data = kit_good();
    memset(recipe, 0, sizeof(*recipe));
    recipe->scale = 1;
    return kit_import(k, &data, "\"scenes\":", hemc_format(k->arena, "%s \"scenes\":", extension)) &&
           hemc_recipe_automatic(k->arena, &k->log, &k->model, recipe);
}

// The same kit as VRM 0 and as VRM 1.
TEST springs_of_both_vrms_become_parts(void) {
    static const char* const extensions[] = {
        "\"extensions\": {\"VRM\": {\"secondaryAnimation\": {\"boneGroups\": [{\"bones\": [2], \"stiffiness\": 2.5, "
        "\"dragForce\": 0.4, \"gravityPower\": 0.1, \"gravityDir\": {\"x\": 0, \"y\": -1, \"z\": 0}, \"hitRadius\": "
        "0.02}]}}},",
        "\"extensions\": {\"VRMC_springBone\": {\"springs\": [{\"joints\": [{\"node\": 2, \"stiffness\": 2.5, "
        "\"dragForce\": 0.4, \"gravityPower\": 0.1, \"gravityDir\": [0, -1, 0], \"hitRadius\": 0.02}]}]}},"};
    for (int i = 0; i < 2; ++i) {
        kit k;
        hemc_recipe recipe;
        kit_begin(&k);
        ASSERT(automatic_with(&k, extensions[i], &recipe));
        ASSERT_EQ(1, recipe.part_count);
        const hemc_part_recipe* part = &recipe.parts[0];
        const hemc_spring_bone bone = {.swings = true, .stiffness = 2.5f, .drag = 0.4f, .gravity = 0.1f};
        ASSERT(strstr(part->why, "VRM spring of stiffness 2.5, drag 0.4 and gravity 0.1 at 60 Hz") != NULL);
        const hemc_spring_fit fit = hemc_fit_chain(&bone, 0.07, 1, 1); // the last bone of a chain
        ASSERT_IN_RANGE(fit.hz, (double)part->tuning.drive, 1e-3);
        ASSERT_IN_RANGE(fit.drive_damping, (double)part->tuning.drive_damping, 1e-3);
        ASSERT_EQ(0.0f, part->tuning.gravity_scale); // its bones hang
        kit_end(&k);
    }
    PASS();
}

// Colliders of both, on the upper bone; the lower one swings. Spheres of VRM 0 count z the other way.
TEST colliders_of_both_vrms_are_met(void) {
    static const char* const extensions[] = {
        "\"extensions\": {\"VRM\": {\"secondaryAnimation\": {\"boneGroups\": [{\"bones\": [2], \"stiffiness\": 1, "
        "\"hitRadius\": 0.03, \"center\": 0, \"colliderGroups\": [1]}], \"colliderGroups\": [{\"node\": 1, "
        "\"colliders\": [{\"radius\": 0.5}]}, {\"node\": 1, \"colliders\": [{\"radius\": 0.25, \"offset\": {\"x\": "
        "0.01, \"y\": 0.02, \"z\": -0.3}}]}]}}},",
        "\"extensions\": {\"VRMC_springBone\": {\"colliders\": [{\"node\": 1, \"shape\": {\"sphere\": {\"radius\": "
        "0.5}}}, {\"node\": 1, \"shape\": {\"capsule\": {\"radius\": 0.25, \"offset\": [0.01, 0.02, 0.3], \"tail\": "
        "[0.01, 0.03, 0.3]}}}], \"colliderGroups\": [{\"colliders\": [0]}, {\"colliders\": [1]}], \"springs\": "
        "[{\"center\": 0, \"colliderGroups\": [1], \"joints\": [{\"node\": 2, \"hitRadius\": 0.03}]}]}},"};
    for (int i = 0; i < 2; ++i) {
        kit k;
        hemc_recipe recipe;
        kit_begin(&k);
        ASSERT(automatic_with(&k, extensions[i], &recipe));
        ASSERT_EQ(1, recipe.part_count);
        ASSERT_EQ(0.0f, recipe.parts[0].tuning.linear_inertia); // it has a centre
        ASSERT_IN_RANGE(0.03, (double)recipe.parts[0].contact_radius, 1e-6);
        ASSERT_EQ(1, recipe.collider_count); // the group that nobody names is not taken
        const hemc_collider_recipe* c = &recipe.colliders[0];
        ASSERT_EQ(i == 0 ? HEM_SHAPE_SPHERE : HEM_SHAPE_CAPSULE, c->kind);
        ASSERT_STR_EQ("Upper", c->bone);
        ASSERT_IN_RANGE(0.25, (double)c->size[0], 1e-6);
        int32_t bone = 0;
        while (strcmp(k.model.bone_defs[bone].name, "Upper") != 0) {
            ++bone;
        }
        const float* m = k.model.bone_defs[bone].bind;
        for (int axis = 0; axis < 3; ++axis) {
            const double y = i == 0 ? 0.02 : 0.025; // of a capsule the middle
            const double wanted = 0.01 * m[4 * axis] + y * m[4 * axis + 1] + 0.3 * m[4 * axis + 2] + m[4 * axis + 3];
            ASSERT_IN_RANGE(wanted, (double)c->position[axis], 1e-4);
        }
        kit_end(&k);
    }
    PASS();
}

// Playing needs the runtime's tools, which this program has not set.
TEST a_preflight_that_cannot_be_played_is_refused(void) {
    hemc_outcome out;
    const hemc_job job = {.input = "nothing.glb", .output = "nothing.hem", .preflight = true, .verbosity = -1};
    hemc_execute(&job, &out, NULL, NULL);
    ASSERT_EQ(HEMC_USAGE, out.exit_code);
    ASSERT(strstr(out.messages, "cannot play") != NULL);
    hemc_outcome_free(&out);
    PASS();
}

static int drawn;

static bool pretend_to_fly(const hemc_flight* flight, hemc_preflight* out) {
    memset(out, 0, sizeof(*out));
    out->grade = flight->size != 0 ? 'B' : 'F';
    out->part_count = 2;
    out->parts[0] = (hemc_preflight_part){.name = "sheet", .grade = 'B', .clip_name = "wave", .clip_seconds = 0.5f};
    out->parts[1] = (hemc_preflight_part){.name = "a b", .grade = 'A', .clip = -1};
    return true;
}

static bool pretend_to_draw(const uint8_t* bytes, size_t size, const hemc_preflight_part* part, const char* path) {
    hem_file_error error;
    drawn += strcmp(part->clip_name, "wave") == 0 && part->clip_seconds == 0.5f && part->grade == 'B';
    return size != 0 && hem_file_write(path, bytes, 4, 0, &error);
}

// The picture of the worst moment lies beside the report that names it, also when the asset comes out of the cache.
TEST a_report_names_the_pictures_beside_it(void) {
    char folder[512], input[600];
    kit k;
    kit_begin(&k);
    ASSERT(kit_folder(folder));
    const kit_data data = kit_good();
    size_t size;
    const char* text = kit_gltf(k.arena, &data, NULL, NULL, &size);
    ASSERT(kit_write(folder, "kit.gltf", text, size, input));
    hemc_set_preflight_functions(pretend_to_fly, pretend_to_draw);
    static const char recipe[] =
        "{\"parts\": [{\"name\": \"sheet\", \"select\": {\"node\": \"Sheet\"}, \"spacing\": 0.1}]}";
    for (int i = 0; i < 2; ++i) {
        hemc_outcome out;
        char* report = hemc_format(k.arena, "%s/r%d.json", folder, i);
        char* picture = hemc_format(k.arena, "%s/r%d.sheet.png", folder, i);
        char* named = hemc_format(k.arena, "\"picture\": \"r%d.sheet.png\"", i);
        const hemc_job job = {.input = input,
                              .recipe = "recipe",
                              .recipe_bytes = recipe,
                              .recipe_size = sizeof(recipe) - 1,
                              .report = report,
                              .cache = hemc_format(k.arena, "%s/cache", folder),
                              .preflight = true,
                              .verbosity = -1};
        drawn = 0;
        hemc_execute(&job, &out, NULL, NULL);
        ASSERT_EQm(out.messages, HEMC_OK, out.exit_code);
        ASSERT_EQ(i == 1, out.cached);
        ASSERT_EQ(1, drawn);
        ASSERT(hem_file_exists(picture));
        uint8_t* bytes;
        ASSERT(hemc_read_file(k.arena, report, &bytes, &size));
        char* said = hemc_format(k.arena, "%.*s", (int)size, (const char*)bytes);
        ASSERT(strstr(said, named) != NULL && strstr(said, "\"picture\": null") != NULL);
        hemc_outcome_free(&out);
    }
    hemc_set_preflight_functions(NULL, NULL);
    kit_folder_end(folder);
    kit_end(&k);
    PASS();
}

TEST the_grade_that_a_recipe_accepts_is_read(void) {
    kit k;
    hemc_recipe recipe;
    kit_begin(&k);
    ASSERT(load(&k, "{}", &recipe));
    ASSERT_EQ('C', recipe.accept);
    ASSERT(load(&k, "{\"accept\": \"B\"}", &recipe));
    ASSERT_EQ('B', recipe.accept);
    ASSERT_FALSE(load(&k, "{\"accept\": \"G\"}", &recipe));
    kit_end(&k);
    PASS();
}

SUITE(front_first_suite) {
    RUN_TEST(names_of_many_tools_and_languages_are_read);
    RUN_TEST(accessories_are_known_by_a_word_of_their_own);
    RUN_TEST(a_unit_is_taken_for_what_makes_the_figure_plausible);
    RUN_TEST(a_unit_is_taken_from_bones_of_other_names);
    RUN_TEST(who_lies_on_the_ground_is_told_about_y_up);
    RUN_TEST(a_recipe_without_parts_keeps_automatic_mode);
    RUN_TEST(the_command_line_has_the_last_word_about_scale);
    RUN_TEST(a_part_that_nothing_holds_is_held_by_its_bone);
    RUN_TEST(a_part_without_a_skin_hangs_on_the_nearest_bone);
    RUN_TEST(a_part_ignores_colliders_by_name);
    RUN_TEST(what_nobody_can_have_meant_is_refused_under_strict);
    RUN_TEST(two_bones_of_one_name_are_told);
    RUN_TEST(a_hood_stays_on_its_head);
    RUN_TEST(a_list_names_what_a_recipe_may_use);
    RUN_TEST(springs_of_a_vrm_swing_and_hang_as_they_did);
    RUN_TEST(chains_of_a_vrm_swing_as_their_bones_do);
    RUN_TEST(springs_of_both_vrms_become_parts);
    RUN_TEST(colliders_of_both_vrms_are_met);
    RUN_TEST(a_preflight_that_cannot_be_played_is_refused);
    RUN_TEST(a_report_names_the_pictures_beside_it);
    RUN_TEST(the_grade_that_a_recipe_accepts_is_read);
}
