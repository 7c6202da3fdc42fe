// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"

#include <string.h>

// "springs" of a part: an array of damped springs between two places.

// [x,y,z], or the name of a bone.
static bool read_place(const hemc_recipe_reader* r, const hemc_json* object, const char* key,
                       hemc_spring_place* place) {
    const hemc_json* value = hemc_json_member(object, key);
    if (value == NULL) {
        return hemc_recipe_fault(r, object, "has no \"%s\"", key);
    }
    if (value->kind != HEMC_JSON_STRING) {
        return hemc_recipe_vector(r, object, key, 3, place->position);
    }
    return hemc_recipe_string(r, object, key, &place->bone) && hemc_recipe_bone(r, value, place->bone);
}

static bool read_spring(const hemc_recipe_reader* r, const hemc_json* object, hemc_spring_recipe* s) {
    static const char* const keys[] = {"from", "to", "part", "stiffness", "damping", "length"};
    if (object->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, object, "must be an object, not %s", hemc_json_kind_name(object->kind));
    }
    s->length = -1;
    bool good = hemc_recipe_keys(r, object, keys, sizeof(keys) / sizeof(keys[0]));
    good = read_place(r, object, "from", &s->from) && good;
    good = read_place(r, object, "to", &s->to) && good;
    good = hemc_recipe_string(r, object, "part", &s->part) && good;
    good =
        hemc_recipe_number(r, object, "stiffness", 0, true, 1.0 / (double)HEM_MIN_SPRING_COMPLIANCE, &s->stiffness) &&
        good;
    good = hemc_recipe_number(r, object, "damping", 0, false, (double)HEM_MAX_LINK_DAMPING, &s->damping) && good;
    good = hemc_recipe_number(r, object, "length", 0, false, (double)HEM_MAX_METRES, &s->length) && good;
    if (good && hemc_json_member(object, "stiffness") == NULL) {
        return hemc_recipe_fault(r, object, "has no \"stiffness\" (N/m)");
    }
    return good;
}

bool hemc_recipe_springs(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    const hemc_json* value = hemc_json_member(object, "springs");
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_ARRAY) {
        return hemc_recipe_fault(r, value, "must be an array of springs");
    }
    part->springs = hemc_alloc(r->arena, value->count, sizeof(hemc_spring_recipe));
    bool good = true;
    for (const hemc_json* item = value->first; item != NULL; item = item->next) {
        hemc_spring_recipe* s = &part->springs[part->spring_count];
        s->json_path = hemc_format(r->arena, "%s/springs/%u", part->json_path, part->spring_count++);
        good = read_spring(r, item, s) && good;
    }
    return good;
}
