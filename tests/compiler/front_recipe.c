// SPDX-License-Identifier: MIT
#include "greatest.h"

#include "front_kit.h"

#include "compiler/recipe/json.h"

#include "compiler/recipe/recipe.h"
#include "platform/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Recipes: what is right is read as written, what is wrong is named, and schema, documentation and reader agree.

static bool load(kit* k, const char* text, hemc_recipe* recipe) {
    kit_data d = kit_good();
    if (k->model.vertex_count == 0 && !kit_import(k, &d, NULL, NULL)) {
        return false;
    }
    char folder[512], path[600];
    bool good = kit_folder(folder) && kit_write(folder, "recipe.json", text, strlen(text), path) &&
                hemc_recipe_load(k->arena, &k->log, path, &k->model, recipe);
    kit_folder_end(folder);
    return good;
}

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-6 * (fabs(a) + fabs(b)) + 1e-12;
}

TEST a_short_recipe_has_all_defaults(void) {
    kit k;
    kit_begin(&k);
    hemc_recipe r;
    ASSERT(load(&k, "{ \"version\": 1, \"parts\": [ { \"name\": \"cape\", \"select\": { \"material\": \"Cl*\" } } ] }",
                &r));
    ASSERT_EQ(1, r.part_count);
    const hemc_part_recipe* p = &r.parts[0];
    ASSERT_EQ(HEMC_CUT, p->generator);
    ASSERT_EQ(HEM_PART_CLOTH, p->kind);
    ASSERT(p->axis_auto && p->attach.automatic && p->stitch && p->tethers && !p->self_collision);
    ASSERT_EQ(0, p->spacing);
    ASSERT(near(p->density, 0.2)); // cotton
    ASSERT(near(p->tuning.friction, 0.3));
    ASSERT(p->tuning.collision_thickness < 0); // worked out from both surfaces
    ASSERT(near(p->tuning.tether_allowance, 0.03));
    ASSERT_EQ(1, p->tuning.iterations);
    ASSERT_EQ(HEM_SOLVER_XPBD, p->tuning.solver);
    ASSERT(p->blend_width < 0 && p->max_distance < 0 && p->backstop < 0);
    ASSERT(r.body.enabled && r.body.surface && near(r.body.friction, 0.3) && r.body.reach < 0);
    ASSERT(near(r.clip_hz, 30) && near(r.scale, 1) && !r.automatic);
    ASSERT_EQ(NULL, p->stiffness_paint); // the model has none
    for (int i = 0; i < HEMC_MAP_COUNT; ++i) {
        ASSERT_EQ(NULL, p->map_paints[i]);
    }
    kit_end(&k);
    PASS();
}

TEST every_key_is_read(void) {
    kit k;
    kit_begin(&k);
    hemc_recipe r;
    ASSERT(load(
        &k,
        "{ \"version\": 1, \"scale\": 0.5, // half\n"
        "  \"parts\": [ { \"name\": \"a\", \"select\": { \"node\": [\"Sheet\", \"x*\"] }, \"kind\": \"soft\", "
        "\"generator\": \"vertices\",\n"
        "    \"spacing\": 0.03, \"axis\": [0, 2, 0], \"volume\": true, \"chains\": [\"tail*\"], \"guides\": 7, "
        "\"segments\": 9, \"radius\": "
        "0.02,\n"
        "    \"attach\": { \"top\": 0.1, \"bones\": \"Upper\", \"paint\": \"_HEM_PIN > 0.5\", \"near\": 0.2, \"root\": "
        "0.3, \"box\": { \"min\": [0, 1, 2] } },\n"
        "    \"blend\": 0.07, \"animation\": \"momentum\", \"surface\": false, \"material\": \"leather\", \"mass\": "
        "2,\n"
        "    \"stretch\": 1, \"shear\": 3, \"bend\": 4, \"shape\": 5, \"stiffness_paint\": \"_HEM_PIN\", "
        "\"friction_paint\": \"_HEM_PIN\", \"tether_paint\": \"_HEM_PIN\", "
        "\"link_damping\": 6, \"tethers\": true,\n"
        "    \"tether_allowance\": 0.5, \"tether_stretch\": 0.25, \"damping\": 7, \"inner_damping\": 11, "
        "\"stretch_limit\": 0.12, "
        "\"drag\": 8, "
        "\"lift\": 9, \"gravity\": "
        "-1, \"friction\": 0.25, "
        "\"restitution\": 0.125,\n"
        "    \"thickness\": 0.01, \"self_collision\": true, \"self_thickness\": 0.02, \"collides_with\": [\"b\", "
        "\"body\"], \"max_distance\": 0.3,\n"
        "    \"backstop\": \"_HEM_PIN\", \"backstop_radius\": 2, \"stitch\": [\"b\"], \"linear_inertia\": 0.5, "
        "\"angular_inertia\": 0.75,\n"
        "    \"max_speed\": 12, \"solver\": \"jacobi\", \"iterations\": 8 },\n"
        "   { \"name\": \"b\", \"select\": { \"node\": \"Flag\" }, \"generator\": \"strands\", \"particles\": 100, "
        "\"axis\": \"z\", \"attach\": \"none\", \"stitch\": false, \"weft\": 2 } ],\n"
        "  \"body\": { \"spacing\": 0.1, \"radius\": 0.05, \"surface\": false, \"reach\": 0.3, \"friction\": 0.9, "
        "\"select\": { \"not\": { \"node\": \"Flag\" } } },\n"
        "  \"colliders\": [ { \"name\": \"s\", \"shape\": \"sphere\", \"bone\": \"Lower\", \"center\": [1, 2, 3], "
        "\"radius\": 0.5 } ],\n"
        "  \"clips\": { \"include\": [\"sw*\"], \"hz\": 60 } }",
        &r));
    const hemc_part_recipe* p = &r.parts[0];
    const hem_tuning* t = &p->tuning;
    ASSERT_EQ(2, r.part_count);
    ASSERT_EQ(HEM_PART_SOFT, p->kind);
    ASSERT_EQ(HEMC_VERTICES, p->generator);
    ASSERT(near(p->spacing, 0.03) && near(p->radius, 0.02) && near(p->axis[1], 1) && !p->axis_auto && p->volume);
    ASSERT(p->chain_count == 1 && strcmp(p->chains[0], "tail*") == 0);
    ASSERT(p->guide_count == 7 && p->segment_count == 9 && near(p->blend_width, 0.07) && near(p->mass, 2));
    ASSERT_EQ(HEM_ANIMATE_MOMENTUM, p->animation);
    ASSERT(!p->attach.automatic && near(p->attach.top, 0.1) && near(p->attach.near, 0.2) && near(p->attach.root, 0.3) &&
           p->attach.bottom < 0);
    ASSERT(p->attach.has_box && near(p->attach.box_min[2], 2) && p->attach.box_max[0] > 1e8f &&
           p->attach.bone_count == 1);
    ASSERT(near(t->compliance[HEM_LINK_WARP], 1) && near(t->compliance[HEM_LINK_WEFT], 1) &&
           near(t->compliance[HEM_LINK_STITCH], 1));
    ASSERT(near(t->compliance[HEM_LINK_SHEAR], 3) && near(t->compliance[HEM_LINK_BEND], 4) &&
           near(t->shape_compliance, 5));
    ASSERT(near(t->link_damping[HEM_LINK_BEND], 6) && t->link_damping[HEM_LINK_TETHER] == 0);
    ASSERT(near(p->tether_stretch, 0.25) && !p->tether_stretch_painted);
    ASSERT(near(t->tether_allowance, 0.5) && near(t->damping, 7) && near(t->angular_damping, 7) &&
           near(t->inner_damping, 11) && near(t->stretch_limit, 0.12) && near(t->drag, 8) && near(t->lift, 9));
    ASSERT(near(t->gravity_scale, -1) && near(t->friction, 0.25) && near(t->restitution, 0.125) &&
           near(t->collision_thickness, 0.01));
    ASSERT(p->self_collision && near(p->self_thickness, 0.02) && p->collides_with_count == 2 &&
           near(p->max_distance, 0.3));
    ASSERT_STR_EQ("_HEM_PIN", p->backstop_paint);
    ASSERT_STR_EQ("_HEM_PIN", p->stiffness_paint);
    ASSERT_STR_EQ("_HEM_PIN", p->map_paints[HEMC_FRICTION]);
    ASSERT_STR_EQ("_HEM_PIN", p->map_paints[HEMC_TETHER]);
    ASSERT_EQ(NULL, p->map_paints[HEMC_DRAG]);
    ASSERT(near(p->backstop_radius, 2) && p->stitch && p->stitch_with_count == 1);
    ASSERT(near(t->linear_inertia, 0.5) && near(t->angular_inertia, 0.75) && near(t->max_speed, 12) &&
           t->iterations == 8);
    ASSERT_EQ(HEM_SOLVER_JACOBI, t->solver);
    p = &r.parts[1];
    ASSERT_EQ(HEM_PART_SOFT, p->kind);
    ASSERT(p->particle_target == 100 && near(p->axis[2], 1) && p->attach.none && !p->stitch && !p->tethers);
    ASSERT(near(p->tuning.compliance[HEM_LINK_WEFT], 2) && near(p->density, 150)); // hair
    ASSERT(near(r.body.spacing, 0.1) && !r.body.surface && near(r.body.reach, 0.3) && near(r.body.friction, 0.9) &&
           r.body.selector != NULL);
    ASSERT(r.collider_count == 1 && r.colliders[0].kind == HEM_SHAPE_SPHERE && near(r.colliders[0].size[0], 0.5) &&
           near(r.colliders[0].position[1], 2));
    ASSERT(near(r.scale, 0.5) && near(r.clip_hz, 60) && r.clip_include_count == 1);
    kit_end(&k);
    PASS();
}

TEST wrong_recipes_are_named(void) {
    // The part's text is put into {"parts": [{"name": "c", "select": {"node": "*"}, ...}]}; a leading ! means a whole
    // recipe.
    static const struct {
        const char* text;
        const char* message;
    } rows[] = {
        {"\"spaceing\": 0.1", "/parts/0/spaceing: unknown key; did you mean \"spacing\"?"},
        {"\"spcaing\": 0.1", "did you mean \"spacing\"?"},
        {"\"zzz\": 0.1", "/parts/0/zzz: unknown key; docs/recipe.md"},
        {"\"spacing\": 0", "/parts/0/spacing: 0 is out of range: must be above 0 and at most 10 (line 1, column"},
        {"\"spacing\": -1", "-1 is out of range"},
        {"\"spacing\": \"3cm\"", "/parts/0/spacing: must be a number above 0 and at most 10, not a string"},
        {"\"spacing\": 1e99", "is out of range"},
        {"\"friction\": 30", "/parts/0/friction: 30 is out of range: must be at least 0 and at most 1"},
        {"\"iterations\": 33", "/parts/0/iterations: 33 is not allowed: must be a whole number from 1 to 32"},
        {"\"iterations\": 1.5", "1.5 is not allowed"},
        {"\"particles\": 0", "/parts/0/particles"},
        {"\"particles\": 5, \"spacing\": 0.1", "either \"spacing\" or \"particles\""},
        {"\"mass\": 5, \"density\": 0.1", "either \"density\" or \"mass\""},
        {"\"material\": \"coton\"", "/parts/0/material: \"coton\" is unknown; did you mean \"cotton\"?"},
        {"\"material\": 3", "/parts/0/material: must be \"silk\""},
        {"\"generator\": \"cuts\"", "did you mean \"cut\"?"},
        {"\"kind\": \"x\"", "must be \"cloth\" or \"soft\""},
        {"\"virtual\": \"edge\"", "did you mean \"edges\"?"},
        {"\"virtual\": \"edges\", \"fabric\": true", "/parts/0/virtual: is for cloth of links"},
        {"\"virtual\": \"faces\", \"kind\": \"soft\"", "/parts/0/virtual: is for parts of kind"},
        {"\"fabric\": true, \"material\": \"hair\"", "/parts/0/material: \"hair\" is no fabric"},
        {"\"fabric\": true, \"shear\": 0.1", "/parts/0/shear: is of cloth of links; \"fabric\" has \"shear\" in N/m"},
        {"\"fabric\": {\"bending\": \"links\"}, \"weft\": 0.1", "\"fabric\" has \"weft\" in N/m"},
        {"\"fabric\": true, \"bend\": 0.1", "\"fabric\" has \"bending_length\" in cm"},
        {"\"fabric\": true, \"stretch_limit\": 0.1", "\"fabric\" has \"strain_limit\""},
        {"\"guide_share\": 0.5", "/parts/0/guide_share: is of \"generator\": \"strands\""},
        {"\"solver\": \"follow\"", "/parts/0/solver: \"follow\" is for strands with \"inextensible\""},
        {"\"generator\": \"strands\", \"rods\": true, \"solver\": \"follow\"", "/parts/0/solver: \"follow\""},
        {"\"generator\": \"strands\", \"rods\": true, \"inextensible\": true", "/parts/0/rods: keep their length"},
        {"\"generator\": \"strands\", \"rods\": \"soft\"", "/parts/0/rods: must be true, false or an object"},
        {"\"surface\": 1", "/parts/0/surface: must be true or false, not a number"},
        {"\"surface\": true", "/parts/0/surface: is of the body alone"},
        {"\"axis\": [0, 0, 0]", "/parts/0/axis: must not be zero"},
        {"\"axis\": [0, 0]", "/parts/0/axis: must be an array of 3 numbers"},
        {"\"axis\": \"w\"", "/parts/0/axis"},
        {"\"attach\": 3", "/parts/0/attach: must be \"none\""},
        {"\"attach\": {\"tops\": 1}", "/parts/0/attach/tops: unknown key; did you mean \"top\"?"},
        {"\"attach\": {\"bones\": \"qqqqqqq\"}", "no bone is named \"qqqqqqq\"; there are: "},
        {"\"attach\": {\"qqqqqqq\": 1}", "/parts/0/attach/qqqqqqq: unknown key; there are: "},
        {"\"attach\": {\"bones\": \"Uper\"}", "no bone is named \"Uper\"; did you mean \"Upper\"?"},
        {"\"attach\": {\"paint\": \"_NO > 0.5\"}", "/parts/0/attach/paint"},
        {"\"attach\": {\"paint\": \"_HEM_PIN > x\"}", "/parts/0/attach/paint"},
        {"\"attach\": {\"box\": {\"min\": [1,1,1], \"max\": [0,2,2]}}", "min is above max"},
        {"\"blend\": \"paint\"", "no vertex attribute _HEM_BLEND"},
        {"\"max_distance\": \"_NONE\"", "the model has no \"_NONE\"; there are: "},
        {"\"stiffness_paint\": \"_NONE\"",
         "/parts/0/stiffness_paint: the model has no vertex attribute \"_NONE\"; there are: _HEM_PIN"},
        {"\"damping_paint\": \"_NONE\"", "/parts/0/damping_paint: the model has no vertex attribute \"_NONE\""},
        {"\"drive_paint\": \"_NONE\"", "/parts/0/drive_paint: the model has no vertex attribute \"_NONE\""},
        {"\"collides_with\": [\"d\"]",
         "/parts/0/collides_with: no part is named \"d\"; did you mean \"c\"?; there are: c, body"},
        {"\"ignores\": [\"Lowr\"]",
         "/parts/0/ignores: no collider and no bone is named \"Lowr\"; did you mean \"Lower\"?"},
        {"\"ignores\": 3", "/parts/0/ignores"},
        {"\"stitch\": [\"d\"]", "/parts/0/stitch: no part is named \"d\""},
        {"\"spacing\": 0.1,, ", "1:"},
        {"\"name\": \"x\"", "already given"},
        {"!{\"parts\": [{\"select\": {\"node\": \"*\"}}]}", "/parts/0: has no \"name\""},
        {"!{\"parts\": [{\"name\": \"a\"}]}", "/parts/0: has no \"select\""},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {}}]}", "/parts/0/select: is empty"},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": \"x\"}]}", "/parts/0/select: must be an object"},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {\"nod\": \"*\"}}]}", "did you mean \"node\"?"},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {\"paint\": \"_HEM_PIN = 3\"}}]}", "/parts/0/select/paint"},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {\"paint\": \"_NO\"}}]}", "no vertex attribute"},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {\"bones_below\": true, \"node\": \"*\"}}]}",
         "needs \"bones\" beside it"},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {\"component\": -1}}]}", "/parts/0/select/component"},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {\"any\": []}}]}",
         "/parts/0/select/any: must be an array of selectors"},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {\"node\": \"*\"}}, {\"name\": \"a\", \"select\": {\"node\": "
         "\"*\"}}]}",
         "/parts/1/name: the name \"a\" is taken"},
        {"!{\"parts\": [{\"name\": \"body\", \"select\": {\"node\": \"*\"}}]}", "taken by the body"},
        {"!{\"part\": []}", "/part: unknown key; did you mean \"parts\"?"},
        {"!{\"parts\": {}}", "/parts: must be an array"},
        {"!{\"parts\": []}", "/parts: the recipe has no parts"},
        {"!{\"version\": 2, \"parts\": []}", "/version: 2 is not allowed"},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {\"node\": \"*\"}, \"springs\": [{\"from\": [0,0,0], \"to\": "
         "[0,1,0]}]}]}",
         "/parts/0/springs/0: has no \"stiffness\""},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {\"node\": \"*\"}, \"springs\": [{\"to\": [0,1,0], "
         "\"stiffness\": 1}]}]}",
         "/parts/0/springs/0: has no \"from\""},
        {"!{\"parts\": [{\"name\": \"a\", \"select\": {\"node\": \"*\"}, \"springs\": [{\"from\": [0,0,0], \"to\": "
         "\"nowhere\", \"stiffness\": 1}]}]}",
         "/parts/0/springs/0/to: no bone is named \"nowhere\""},
        {"!{\"scale\": 0, \"parts\": []}", "/scale: 0 is out of range: must be above 0"},
        {"![]", "a recipe is an object"},
        {"!{\"clips\": {\"hz\": 1000}}", "/clips/hz: 1000 is out of range"},
        {"!{\"body\": 3}", "/body: must be an object, true or false"},
        {"!{\"body\": {\"spacin\": 1}}", "did you mean \"spacing\"?"},
        {"!{\"colliders\": [{\"shape\": \"capsule\"}]}", "/colliders/0: a capsule needs"},
        {"!{\"colliders\": [{\"shape\": \"sphere\", \"center\": [0,0,0]}]}",
         "a sphere needs \"center\" and \"radius\""},
        {"!{\"colliders\": [{\"shape\": \"sphere\", \"center\": [0,0,0], \"radius\": 1, \"half\": [1,1,1]}]}",
         "/colliders/0/half: a sphere has no such key"},
        {"!{\"colliders\": [{\"bone\": \"Loewr\"}]}",
         "/colliders/0/bone: no bone is named \"Loewr\"; did you mean \"Lower\"?"},
        {"!{\"colliders\": [{\"shape\": \"hull\", \"points\": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}]}", "lie in a plane"},
        {"!{\"colliders\": [{\"shape\": \"box\", \"center\": [0,0,0], \"half\": [1,0,1]}]}",
         "\"half\" must be three lengths above 0"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        kit k;
        kit_begin(&k);
        hemc_recipe r;
        const char* text =
            rows[i].text[0] == '!'
                ? rows[i].text + 1
                : hemc_format(k.arena, "{\"parts\": [{\"name\": \"c\", \"select\": {\"node\": \"*\"}, %s}]}",
                              rows[i].text);
        ASSERT_FALSEm(rows[i].text, load(&k, text, &r));
        if (!kit_log_has(&k.log, HEMC_ERROR, rows[i].message)) {
            kit_log_print(&k.log);
            FAILm(rows[i].text);
        }
        ASSERT_EQ(HEMC_INPUT, k.log.exit_code);
        kit_end(&k);
    }
    PASS();
}

TEST all_faults_come_at_once(void) {
    kit k;
    kit_begin(&k);
    hemc_recipe r;
    ASSERT_FALSE(load(&k,
                      "{\"scale\": -1, \"parts\": [{\"name\": \"c\", \"select\": {\"node\": \"*\"}, \"friction\": 2, "
                      "\"drag\": -1}], \"clips\": {\"hz\": 0}}",
                      &r));
    ASSERT_EQ(4, k.log.error_count);
    kit_end(&k);
    PASS();
}

TEST presets_are_in_order(void) {
    // Softer means more compliance; the order is what an artist expects from the words.
    const char* const* names;
    ASSERT_EQ(14, hemc_recipe_preset_names(&names));
    hemc_part_recipe p[14];
    for (uint32_t i = 0; i < 14; ++i) {
        hemc_part_defaults(&p[i]);
        ASSERTm(names[i], hemc_recipe_preset(names[i], &p[i]));
        ASSERTm(names[i], p[i].density > 0 && p[i].tuning.damping > 0 && p[i].tuning.drag > 0);
        for (int kind = 0; kind < HEM_LINK_KIND_COUNT; ++kind) {
            ASSERTm(names[i], p[i].tuning.compliance[kind] >= 0 && p[i].tuning.stiffness[kind] > 0 &&
                                  p[i].tuning.stiffness[kind] <= 1);
        }
        ASSERTm(names[i], p[i].tuning.friction >= 0 && p[i].tuning.friction <= 1);
    }
    ASSERT_FALSE(hemc_recipe_preset("wood", &p[0]));
    for (int i = 0; i < 4; ++i) { // silk cotton wool denim leather bend less and less
        ASSERT(p[i].tuning.compliance[HEM_LINK_BEND] > p[i + 1].tuning.compliance[HEM_LINK_BEND]);
        ASSERT(p[i].density < p[i + 1].density);
    }
    PASS();
}

TEST colliders_have_the_right_frames(void) {
    kit k;
    kit_begin(&k);
    hemc_recipe r;
    ASSERT(
        load(&k,
             "{\"parts\": [{\"name\": \"a\", \"select\": {\"node\": \"*\"}}], \"colliders\": [\n"
             " {\"shape\": \"capsule\", \"from\": [1, 0, 0], \"to\": [1, 0, 2], \"radius\": 0.5, \"radius2\": 0.25},\n"
             " {\"shape\": \"plane\", \"point\": [0, 3, 0], \"normal\": [0, -2, 0]},\n"
             " {\"shape\": \"hull\", \"points\": "
             "[[0,0,0],[2,0,0],[0,2,0],[2,2,0],[0,0,2],[2,0,2],[0,2,2],[2,2,2],[1,1,1]]},\n"
             " {\"bone\": \"Lower\"}]}",
             &r));
    const hemc_collider_recipe* c = &r.colliders[0];
    ASSERT(near(c->position[0], 1) && near(c->position[2], 1) && near(c->size[2], 1) && near(c->size[1], 0.25));
    double q[4] = {c->rotation[0], c->rotation[1], c->rotation[2], c->rotation[3]}; // turns y to z
    double y[3] = {2 * (q[0] * q[1] - q[2] * q[3]), 1 - 2 * (q[0] * q[0] + q[2] * q[2]),
                   2 * (q[1] * q[2] + q[0] * q[3])};
    ASSERT(fabs(y[0]) < 1e-6 && fabs(y[1]) < 1e-6 && near(y[2], 1));
    c = &r.colliders[1]; // turns y to -y
    q[0] = c->rotation[0], q[2] = c->rotation[2];
    ASSERT(near(1 - 2 * (q[0] * q[0] + q[2] * q[2]), -1));
    c = &r.colliders[2];
    ASSERT_EQ(6, c->plane_count);
    for (uint32_t i = 0; i < 6; ++i) {
        double length = 0;
        for (int a = 0; a < 3; ++a) {
            length += (double)c->planes[i][a] * c->planes[i][a];
        }
        ASSERT(near(length, 1) && near(c->planes[i][3], 1) && near(c->position[0], 1));
    }
    ASSERT(r.colliders[3].fit);
    ASSERT(hemc_recipe_fit_colliders(k.arena, &k.log, &k.model, &r));
    c = &r.colliders[3]; // the lower half of the sheet and the flag
    ASSERT(!c->fit && c->size[0] > 0 && c->size[1] > 0);
    kit_end(&k);
    PASS();
}

// Prisms over sixteen corners, 18 faces each: 227 of them have 4086 faces, one more has too many. And of one hull as many
// faces as its points give.
TEST hulls_beyond_the_limit_are_refused(void) {
    const struct {
        int hulls, corners;
        uint32_t faces;
        bool good;
    } rows[] = {{227, 16, 18, true}, {228, 16, 18, false}, {5, 32, 34, true}};
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); ++n) {
        kit k;
        kit_begin(&k);
        hemc_text text = {.arena = k.arena};
        hemc_text_add(&text, "{\"parts\": [{\"name\": \"a\", \"select\": {\"node\": \"*\"}}], \"colliders\": [");
        for (int h = 0; h < rows[n].hulls; ++h) {
            hemc_text_add(&text, "%s{\"shape\": \"hull\", \"points\": [", h == 0 ? "" : ", ");
            for (int i = 0; i < 2 * rows[n].corners; ++i) {
                double angle = 6.283185307179586 * (i / 2) / rows[n].corners;
                hemc_text_add(&text, "%s[%.9f, %d, %.9f]", i == 0 ? "" : ", ", cos(angle), i % 2, sin(angle));
            }
            hemc_text_add(&text, "]}");
        }
        hemc_text_add(&text, "]}");
        hemc_recipe r;
        ASSERT_EQ(rows[n].good, load(&k, text.data, &r));
        for (uint32_t i = 0; rows[n].good && i < r.collider_count; ++i) {
            ASSERT_EQ(rows[n].faces, r.colliders[i].plane_count);
        }
        if (!rows[n].good) {
            ASSERT(kit_log_has(&k.log, HEMC_ERROR,
                               "/colliders: hulls with 4104 faces together; a character has up to 4096"));
        }
        kit_end(&k);
    }
    PASS();
}

// A tip of points that lie closer together than the hull can tell: any three of them make a face.
TEST a_hull_of_too_many_faces_is_refused(void) {
    for (int count = 1; count <= 40; count += 39) {
        kit k;
        kit_begin(&k);
        hemc_text text = {.arena = k.arena};
        hemc_text_add(&text,
                      "{\"parts\": [{\"name\": \"a\", \"select\": {\"node\": \"*\"}}], \"colliders\": [{\"shape\": "
                      "\"hull\", \"points\": [[1,0,0], [-0.5,0,0.9], [-0.5,0,-0.9]");
        for (int i = 0; i < count; ++i) {
            const double turn = 2.39996 * i, r = count == 1 ? 0 : 1e-3;
            hemc_text_add(&text, ", [%.9f, %.9f, %.9f]", r * cos(turn), 1 - 4e-7 * (i % 3), r * sin(turn));
        }
        hemc_text_add(&text, "]}]}");
        hemc_recipe r;
        ASSERT_EQ(count == 1, load(&k, text.data, &r));
        ASSERT(count != 1 || r.colliders[0].plane_count == 4);
        ASSERT(count == 1 || kit_log_has(&k.log, HEMC_ERROR, "its hull has more than 124 faces; leave out points"));
        kit_end(&k);
    }
    PASS();
}

TEST a_file_wins_over_extras(void) {
    kit k;
    kit_begin(&k);
    kit_data d = kit_good();
    ASSERT(
        kit_import(&k, &d, "\"name\": \"Flag\",", "\"name\": \"Flag\", \"extras\": {\"hem\": {\"spacing\": 0.25}},"));
    hemc_recipe r;
    ASSERT(load(&k,
                "{\"parts\": [{\"name\": \"Flag\", \"select\": {\"node\": \"Flag\"}, \"spacing\": 0.5}, {\"name\": "
                "\"s\", \"select\": {\"node\": \"Sheet\"}}]}",
                &r));
    ASSERT_EQ(2, r.part_count);
    ASSERT(near(r.parts[0].spacing, 0.5));
    ASSERT(load(&k, "{\"parts\": [{\"name\": \"s\", \"select\": {\"node\": \"Sheet\"}}]}", &r));
    ASSERT_EQ(2, r.part_count); // the extras' part comes on top
    ASSERT_STR_EQ("Flag", r.parts[1].name);
    kit_end(&k);
    PASS();
}

// -- Schema and documentation

static char* read_text(kit* k, const char* path, size_t* size) {
    uint8_t* bytes;
    return hemc_read_file(k->arena, path, &bytes, size) ? (char*)bytes : NULL;
}

TEST schema_reader_and_documentation_agree(void) {
    kit k;
    kit_begin(&k);
    size_t size, doc_size;
    char* text = read_text(&k, "formats/recipe.schema.json", &size);
    char* doc = read_text(&k, "docs/recipe.md", &doc_size);
    if (text == NULL || doc == NULL) {
        kit_end(&k);
        SKIPm("not run from the root");
    }
    const hemc_json* schema = hemc_json_parse(k.arena, &k.log, "schema", "", text, size, false);
    ASSERT(schema != NULL);
    const hemc_json* part = hemc_json_member(hemc_json_member(hemc_json_member(schema, "$defs"), "part"), "properties");
    ASSERT(part != NULL);
    uint32_t count = 0;
    for (const hemc_json* key = part->first; key != NULL; key = key->next, ++count) {
        ASSERTm(key->key, hemc_json_member(key, "description") != NULL);
        char mark[64];
        snprintf(mark, sizeof(mark), "`%s`", key->key);
        static char name[64];
        snprintf(name, sizeof(name), "%s", key->key);
        ASSERTm(name, strstr(doc, mark) != NULL);
        // The reader knows the key: it complains of its value, not of the key.
        kit c;
        kit_begin(&c);
        hemc_recipe r;
        if (strcmp(key->key, "name") != 0 && strcmp(key->key, "select") != 0) {
            char* recipe = hemc_format(
                c.arena, "{\"parts\": [{\"name\": \"c\", \"select\": {\"node\": \"*\"}, \"%s\": {\"no\": 1}}]}",
                key->key);
            ASSERT_FALSEm(name, load(&c, recipe, &r));
            char unknown[96];
            snprintf(unknown, sizeof(unknown), "/parts/0/%s: unknown key", key->key);
            ASSERT_FALSEm(name, kit_log_has(&c.log, HEMC_ERROR, unknown));
        }
        kit_end(&c);
    }
    ASSERT_EQ(79, count);
    // Presets: the schema's words, the reader's, and a row each in the documentation.
    const char* const* names;
    uint32_t preset_count = hemc_recipe_preset_names(&names);
    const hemc_json* words = hemc_json_member(hemc_json_member(part, "material"), "enum");
    ASSERT(words != NULL);
    ASSERT_EQ(preset_count, words->count);
    const hemc_json* word = words->first;
    for (uint32_t i = 0; i < preset_count; ++i, word = word->next) {
        ASSERT_STR_EQ(names[i], word->string);
        char mark[64];
        snprintf(mark, sizeof(mark), "| `%s` |", names[i]);
        const char* row = strstr(doc, mark);
        ASSERTm(names[i], row != NULL);
        // The numbers of the row are the preset's.
        hemc_part_recipe cloth, soft;
        hemc_part_defaults(&cloth);
        hemc_part_defaults(&soft);
        soft.kind = HEM_PART_SOFT;
        hemc_recipe_preset(names[i], &cloth);
        hemc_recipe_preset(names[i], &soft);
        const hem_tuning* t = &cloth.tuning;
        float truth[11] = {cloth.density,
                           soft.density,
                           t->compliance[HEM_LINK_WARP],
                           t->compliance[HEM_LINK_SHEAR],
                           t->compliance[HEM_LINK_BEND],
                           t->shape_compliance,
                           t->damping,
                           t->drag,
                           t->lift,
                           t->friction,
                           t->restitution};
        row += strlen(mark);
        for (int n = 0; n < 11; ++n) {
            double value = 0;
            row += strspn(row, " |");
            size_t used = hemc_parse_number(row, 32, &value);
            ASSERTm(names[i], used != 0);
            ASSERT_EQm(names[i], truth[n], (float)value);
            row += used;
        }
    }
    kit_end(&k);
    PASS();
}

SUITE(front_recipe_suite) {
    RUN_TEST(a_short_recipe_has_all_defaults);
    RUN_TEST(every_key_is_read);
    RUN_TEST(wrong_recipes_are_named);
    RUN_TEST(all_faults_come_at_once);
    RUN_TEST(presets_are_in_order);
    RUN_TEST(colliders_have_the_right_frames);
    RUN_TEST(hulls_beyond_the_limit_are_refused);
    RUN_TEST(a_hull_of_too_many_faces_is_refused);
    RUN_TEST(a_file_wins_over_extras);
    RUN_TEST(schema_reader_and_documentation_agree);
}
