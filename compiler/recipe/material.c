// SPDX-License-Identifier: MIT
#include "compiler/hemc.h"

#include "compiler/recipe/recipe.h"

#include <string.h>

// What stuffs are, in their own units: weight, stiffness of a strip (force per width over strain, at small strains), the
// length by which a strip holds itself out, and damping as a share of critical at 2 Hz. docs/materials.md has them beside
// what a simulation makes of them.
//
// measured: Wang, O'Brien, Ramamoorthi, "Data-driven elastic models for cloth", 2011, of the fabric named.
// sheet: an elastic sheet of thickness t and modulus E: stretch E t, shear E t / 3 (rubber) or E t / 2.6, rigidity E t^3 / 12.
// estimate: neither; set by weight and by what the stuff is next to.

#define MEASURED(fabric) "measured: " fabric

// clang-format off
static const hemc_material materials[] = {
    //           kg/m2    warp     weft     shear   bending  damping
    //                    N/m      N/m      N/m     length m ratio
    {"silk",     0.113f,    43.f,   171.f,    14.f, 0.025f, 0.02f, MEASURED("polyester jacket lining")},
    {"cotton",   0.220f,  2017.f,  2035.f,   105.f, 0.038f, 0.05f, MEASURED("cotton trousers")},
    {"wool",     0.228f,   152.f,   245.f,    30.f, 0.034f, 0.08f, MEASURED("blanket")},
    {"denim",    0.324f,   205.f,  1014.f,    53.f, 0.029f, 0.06f, MEASURED("11 oz denim")},
    {"leather",  0.600f, 12000.f, 12000.f,  4000.f, 0.060f, 0.10f, "estimate: heavy garment leather, 0.6 kg/m2, E t of 1.2 mm at 10 MPa"},
    {"rubber",   1.000f,  1500.f,  1500.f,   500.f, 0.023f, 0.05f, "sheet: 1 mm of latex, 1.5 MPa"},
    {"paper",    0.080f, 300000.f, 300000.f, 115000.f, 0.068f, 0.05f, "sheet: 80 g/m2, 0.1 mm, 3 GPa"},
    {"knit",     0.224f,    12.f,     3.f,    18.f, 0.028f, 0.10f, MEASURED("sweater knit")},
    {"spandex",  0.204f,    48.f,   105.f,    61.f, 0.030f, 0.05f, MEASURED("nylon/spandex swim")},
    {"canvas",   0.400f,  4000.f,  4000.f,   200.f, 0.055f, 0.06f, "estimate: 12 oz duck, twice the cotton"},
    {"felt",     0.350f,   300.f,   300.f,   110.f, 0.050f, 0.12f, "estimate: 2 mm, unwoven, as stiff one way as the other"},
};
// clang-format on

enum { MATERIAL_COUNT = sizeof(materials) / sizeof(materials[0]) };

uint32_t hemc_material_count(void) {
    return MATERIAL_COUNT;
}

const hemc_material* hemc_material_at(uint32_t index) {
    return index < MATERIAL_COUNT ? &materials[index] : NULL;
}

const hemc_material* hemc_material_find(const char* name) {
    for (uint32_t i = 0; i < MATERIAL_COUNT; ++i) {
        if (strcmp(materials[i].name, name) == 0) {
            return &materials[i];
        }
    }
    return NULL;
}

hemc_fabric hemc_fabric_of(const hemc_material* m) {
    return (hemc_fabric){.warp = m->warp,
                         .weft = m->weft,
                         .shear = m->shear,
                         .bending_length = m->bending_length,
                         .damping_ratio = m->damping_ratio,
                         .density = m->density};
}

// -- "fabric" of a part: true, or an object of what differs from the material

typedef struct fabric_key {
    const char* key;
    size_t offset; // of a float in hemc_part_recipe
    double low;
    bool low_open;
    double high;
} fabric_key;

#define FABRIC(field) (offsetof(hemc_part_recipe, fabric) + offsetof(hemc_fabric, field))
#define TUNING(field) (offsetof(hemc_part_recipe, tuning) + offsetof(hem_tuning, field))

static const fabric_key numbers[] = {
    {"warp", FABRIC(warp), 0, true, 1e9},
    {"weft", FABRIC(weft), 0, true, 1e9},
    {"shear", FABRIC(shear), 0, true, 1e9},
    {"area", FABRIC(area), 0, false, 1e9},
    {"bending_length", FABRIC(bending_length), 0, true, 100}, // cm
    {"damping_ratio", FABRIC(damping_ratio), 0, false, 10},
    {"strain_limit", TUNING(strain_limit), 0, false, 100},
    {"compress_limit", TUNING(compress_limit), 0, false, 1},
    {"buckle_angle", TUNING(buckle_angle), 0, false, 180}, // degrees
    {"buckle_share", TUNING(buckle_share), 0, false, 1},
};

static const char* const keys[] = {"warp",           "weft",         "shear",         "area",         "bending",
                                   "bending_length", "rest",         "damping_ratio", "strain_limit", "compress_limit",
                                   "buckle_angle",   "buckle_share", "direction"};

// "direction": "axis", "uv" or a paint that rises along warp.
static bool read_direction(const hemc_recipe_reader* r, const hemc_json* fabric, hemc_fabric* f) {
    const hemc_json* value = hemc_json_member(fabric, "direction");
    if (value == NULL || (value->kind == HEMC_JSON_STRING && strcmp(value->string, "axis") == 0)) {
        return true;
    }
    const bool uv = value->kind == HEMC_JSON_STRING && strcmp(value->string, "uv") == 0;
    if (uv && r->model->texture_v == NULL) {
        return hemc_recipe_fault(r, value, "needs texture coordinates, which the model does not have");
    }
    if (!uv && (value->kind != HEMC_JSON_STRING || hemc_paint_values(r->model, value->string) == NULL)) {
        return hemc_recipe_fault(r, value, "must be \"axis\", \"uv\" or a vertex attribute of the model");
    }
    f->direction = value->string;
    return true;
}

// Keys of links would do nothing, and two of them have the names of what is meant, in other units.
static bool refuse_link_keys(const hemc_recipe_reader* r, const hemc_json* object, hemc_bending bending) {
    static const struct {
        const char *key, *instead;
    } links[] = {{"stretch_limit", "\"strain_limit\""},
                 {"stretch", "\"warp\" and \"weft\" in N/m"},
                 {"weft", "\"weft\" in N/m"},
                 {"shear", "\"shear\" in N/m"},
                 {"bend", "\"bending_length\" in cm"}};
    const size_t count = sizeof(links) / sizeof(links[0]) - (bending == HEMC_BEND_LINKS);
    for (size_t i = 0; i < count; ++i) {
        const hemc_json* value = hemc_json_member(object, links[i].key);
        if (value != NULL) {
            return hemc_recipe_fault(r, value, "is of cloth of links; \"fabric\" has %s", links[i].instead);
        }
    }
    return true;
}

bool hemc_recipe_fabric(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    static const char* const bendings[] = {"dihedral", "isometric", "links"};
    static const char* const rests[] = {"flat", "mesh"};
    const hemc_json* value = hemc_json_member(object, "fabric");
    if (value == NULL || value->kind == HEMC_JSON_FALSE) {
        return true;
    }
    if (part->kind != HEM_PART_CLOTH) {
        return hemc_recipe_fault(r, value, "is for parts of kind \"cloth\"");
    }
    if (hemc_material_find(part->material) == NULL) {
        return hemc_recipe_fault(
            r, hemc_json_member(object, "material"),
            "\"%s\" is no fabric: \"fabric\" needs one of silk, cotton, wool, denim, leather, rubber, "
            "paper, knit, spandex, canvas, felt",
            part->material);
    }
    hemc_fabric* f = &part->fabric;
    f->triangles = true;
    part->tuning.stretch_limit = 0;
    f->flat = true;
    f->bending_length *= 100;
    f->own_passes = hemc_json_member(object, "iterations") != NULL;
    part->tuning.buckle_share = 0.1f;
    if (hemc_json_member(object, "density") == NULL) {
        part->density = f->density;
    }
    if (hemc_json_member(object, "tether_allowance") == NULL) {
        part->tuning.tether_allowance = 0.005f; // they are longer by what the stuff gives already
    }
    bool good = true;
    if (value->kind != HEMC_JSON_TRUE) {
        if (value->kind != HEMC_JSON_OBJECT) {
            return hemc_recipe_fault(r, value, "must be true or an object such as {\"warp\": 200}, not %s",
                                     hemc_json_kind_name(value->kind));
        }
        good = hemc_recipe_keys(r, value, keys, sizeof(keys) / sizeof(keys[0]));
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
            const fabric_key* k = &numbers[i];
            float* out = (float*)((char*)part + k->offset);
            good = hemc_recipe_number(r, value, k->key, k->low, k->low_open, k->high, out) && good;
        }
        uint32_t bending = HEMC_BEND_DIHEDRAL, rest = 0;
        good = hemc_recipe_word(r, value, "bending", bendings, 3, &bending) && good;
        good = hemc_recipe_word(r, value, "rest", rests, 2, &rest) && good;
        good = read_direction(r, value, f) && good;
        const bool angles = rest == 1 || part->tuning.buckle_angle > 0;
        if (good && angles && bending != HEMC_BEND_DIHEDRAL) {
            return hemc_recipe_fault(r, hemc_json_member(value, "bending"),
                                     "rest angles of the mesh and buckling need \"dihedral\"");
        }
        f->bending = (hemc_bending)bending;
        f->flat = rest == 0;
    }
    good = good && refuse_link_keys(r, object, f->bending);
    f->bending_length *= 0.01f;
    part->tuning.buckle_angle *= 3.14159265f / 180.0f;
    return good;
}
