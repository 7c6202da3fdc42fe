// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"

#include <string.h>

// What a recipe says of lattices: "spacing" as three numbers, "collision", "inside", "region", "solid", "fracture".

#define REGION_ALPHA 0.75f
#define REGION_DAMPING 2.0f // 1/s
#define REGION_WIDTH 1u
#define TEAR_RESERVE 256u // particles

bool hemc_recipe_spacing(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    const hemc_json* value = hemc_json_member(object, "spacing");
    if (value == NULL || value->kind != HEMC_JSON_ARRAY) {
        const bool good = hemc_recipe_number(r, object, "spacing", 0, true, 10, &part->spacing);
        part->lattice.spacing[0] = part->lattice.spacing[1] = part->lattice.spacing[2] = part->spacing;
        return good;
    }
    if (part->generator != HEMC_LATTICE) {
        return hemc_recipe_fault(r, value, "must be a number; three are for \"generator\": \"lattice\"");
    }
    if (!hemc_recipe_vector(r, object, "spacing", 3, part->lattice.spacing)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        if (!(part->lattice.spacing[i] > 0 && part->lattice.spacing[i] <= 10)) {
            return hemc_recipe_fault(r, value, "each must be above 0 and at most 10");
        }
    }
    part->spacing = part->lattice.spacing[0];
    return true;
}

static bool read_collision(const hemc_recipe_reader* r, const hemc_json* value, hemc_part_recipe* part) {
    static const char* const words[] = {"fitted", "trimmed", "all"};
    for (uint32_t i = 0; i < 3 && value->kind == HEMC_JSON_STRING; ++i) {
        if (strcmp(value->string, words[i]) == 0) {
            part->lattice.meets = (hemc_lattice_meets)i;
            return true;
        }
    }
    if (value->kind != HEMC_JSON_STRING || hemc_paint_values(r->model, value->string) == NULL) {
        return hemc_recipe_fault(r, value,
                                 "must be \"fitted\", \"trimmed\", \"all\" or a vertex attribute of the model");
    }
    part->lattice.meets = HEMC_MEETS_PAINTED;
    part->lattice.paint = value->string;
    return true;
}

// "solid": true, or {"young": kPa, "poisson": 0..0.49}: tetrahedra in place of regions, unless those are asked for too. What
// damps a material then damps its wobble alone: a body falls as bodies do.
static bool read_solid(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    static const char* const keys[] = {"young", "poisson"};
    static const struct {
        const char* material;
        float young; // kPa
    } stuffs[] = {{"jelly", 4}, {"flesh", 20}, {"rubber", 500}};
    const hemc_json* value = hemc_json_member(object, "solid");
    hem_tuning* t = &part->tuning;
    float young = 50;
    bool wanted = value != NULL && value->kind == HEMC_JSON_OBJECT, good = true;
    for (int i = 0; i < 3; ++i) {
        young = strcmp(part->material, stuffs[i].material) == 0 ? stuffs[i].young : young;
    }
    float poisson = 0.45f;
    if (wanted) {
        good = hemc_recipe_keys(r, value, keys, 2) && good;
        good = hemc_recipe_number(r, value, "young", 0, true, 1e6, &young) && good;
        good = hemc_recipe_number(r, value, "poisson", 0, false, 0.49, &poisson) && good;
    } else {
        good = hemc_recipe_bool(r, object, "solid", &wanted);
    }
    if (!good || !wanted) {
        return good;
    }
    t->solid_young = 1000 * young;
    t->solid_poisson = poisson;
    if (hemc_json_member(object, "region") == NULL) {
        t->region_alpha = t->region_damping = 0;
    }
    if (hemc_json_member(object, "damping") == NULL) {
        t->inner_damping = hemc_json_member(object, "inner_damping") == NULL ? t->damping : t->inner_damping;
        t->damping = t->angular_damping = 0;
    }
    return true;
}

static bool read_fracture(const hemc_recipe_reader* r, const hemc_json* value, hemc_part_recipe* part) {
    static const char* const keys[] = {"stretch", "angle", "reserve", "vertices", "strength"};
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, value, "must be an object such as {\"stretch\": 0.5, \"reserve\": 256}");
    }
    hemc_lattice_recipe* l = &part->lattice;
    l->reserve = TEAR_RESERVE;
    bool good = hemc_recipe_keys(r, value, keys, 5);
    good = hemc_recipe_number(r, value, "stretch", 0, false, 100, &part->tuning.strain_limit) && good;
    good = hemc_recipe_number(r, value, "angle", 0, false, 3, &part->tuning.buckle_angle) && good;
    good = hemc_recipe_count(r, value, "reserve", 1, 32768, &l->reserve) && good;
    good = hemc_recipe_count(r, value, "vertices", 1, 1000000, &l->torn_vertices) && good;
    const hemc_json* strength = hemc_json_member(value, "strength");
    if (strength != NULL &&
        (strength->kind != HEMC_JSON_STRING || hemc_paint_values(r->model, strength->string) == NULL)) {
        return hemc_recipe_fault(r, strength, "must be a vertex attribute of the model");
    }
    l->strength = strength != NULL ? strength->string : NULL;
    return good;
}

bool hemc_recipe_lattice(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    static const char* const keys[] = {"alpha", "width", "damping"};
    static const char* const own[] = {"collision", "inside", "region", "clips", "solid", "fracture"};
    hem_tuning* t = &part->tuning;
    if (part->generator != HEMC_LATTICE) {
        for (int i = 0; i < 6; ++i) {
            if (hemc_json_member(object, own[i]) != NULL) {
                return hemc_recipe_fault(r, hemc_json_member(object, own[i]), "is of \"generator\": \"lattice\"");
            }
        }
        return true;
    }
    t->region_alpha = REGION_ALPHA;
    t->region_damping = REGION_DAMPING;
    t->region_width = REGION_WIDTH;
    part->lattice.inside = true;
    part->tethers = false;
    if (part->tuning.collision_thickness < 0) { // what collides is where the surface is
        part->tuning.collision_thickness = 0;
    }
    if (part->particle_target != 0) {
        return hemc_recipe_fault(r, hemc_json_member(object, "particles"), "a lattice has \"spacing\" in its place");
    }
    bool good = hemc_recipe_bool(r, object, "inside", &part->lattice.inside);
    const hemc_json *collision = hemc_json_member(object, "collision"), *region = hemc_json_member(object, "region");
    good = (collision == NULL || read_collision(r, collision, part)) && good;
    if (region != NULL && region->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, region, "must be an object such as {\"alpha\": 0.75, \"width\": 1}");
    }
    if (region != NULL) {
        good = hemc_recipe_keys(r, region, keys, 3) && good;
        good = hemc_recipe_number(r, region, "alpha", 0, false, 1, &t->region_alpha) && good;
        good = hemc_recipe_number(r, region, "damping", 0, false, 1000, &t->region_damping) && good;
        good = hemc_recipe_count(r, region, "width", 1, HEM_MAX_REGION_WIDTH, &t->region_width) && good;
    }
    good = read_solid(r, object, part) && good;
    good = read_fracture(r, hemc_json_member(object, "fracture"), part) && good;
    if (good && part->lattice.reserve != 0 && t->solid_young > 0) {
        return hemc_recipe_fault(r, hemc_json_member(object, "fracture"),
                                 "cannot stand beside \"solid\" yet: give one of them");
    }
    return hemc_recipe_lattice_clips(r, object, part) && good;
}
