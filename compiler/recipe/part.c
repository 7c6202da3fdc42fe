// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// One part of a recipe, and the small readers that every object of a recipe is read with. Ranges are wide: they catch
// slips (centimetres for metres, a percentage for a share), not taste.

enum { KEYS_TOLD = 20, BONES_TOLD = 24 }; // names in a message

bool hemc_recipe_fault(const hemc_recipe_reader* r, const hemc_json* value, const char* format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    char* pointer = hemc_json_pointer(r->arena, r->prefix, value);
    if (r->extras) {
        // The part's place in the glTF, then what follows its place in the assembled recipe.
        for (const hemc_json* at = value; at != NULL; at = at->parent) {
            const hemc_json* from = hemc_json_member(at, "$from");
            if (from != NULL) {
                size_t inner = strlen(hemc_json_pointer(r->arena, r->prefix, at));
                pointer = hemc_format(r->arena, "%s%s", from->string, pointer + inner);
                break;
            }
        }
        return hemc_error(r->log, HEMC_INPUT, r->file, pointer, "%s", text);
    }
    uint32_t line, column;
    hemc_json_position(r->text, value->begin, &line, &column);
    return hemc_error(r->log, HEMC_INPUT, r->file, pointer, "%s (line %u, column %u)", text, line, column);
}

const char* hemc_recipe_nearest(const char* word, const char* const* words, uint32_t count) {
    const char* best = NULL;
    uint32_t best_distance = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t distance = hemc_edit_distance(word, words[i]);
        if (distance < best_distance) {
            best = words[i];
            best_distance = distance;
        }
    }
    // A third of the word may be wrong.
    return best != NULL && best_distance <= (strlen(word) + 2) / 3 ? best : NULL;
}

static const char* told(hemc_arena* arena, const char* const* names, uint32_t count) {
    hemc_text list = {.arena = arena};
    for (uint32_t i = 0; i < count; ++i) {
        hemc_text_add(&list, "%s%s", i != 0 ? ", " : "", names[i]);
    }
    return count != 0 ? list.data : "none";
}

bool hemc_recipe_no_bone(const hemc_recipe_reader* r, const hemc_json* value, const char* bone) {
    const char** names = hemc_alloc(r->arena, r->model->bone_count, sizeof(char*));
    uint32_t count = 0;
    for (uint32_t b = 0; b < r->model->bone_count; ++b) {
        names[count++] = r->model->bone_defs[b].name;
    }
    const char* near = hemc_recipe_nearest(bone, names, count);
    if (near != NULL) {
        return hemc_recipe_fault(r, value, "no bone is named \"%s\"; did you mean \"%s\"?", bone, near);
    }
    const uint32_t some = count < BONES_TOLD ? count : BONES_TOLD;
    return hemc_recipe_fault(r, value, "no bone is named \"%s\"; there are: %s%s", bone, told(r->arena, names, some),
                             some < count ? " and more (hem list shows them)" : "");
}

const char* hemc_recipe_paints_told(const hemc_recipe_reader* r) {
    const char** names = hemc_alloc(r->arena, (size_t)r->model->paint_count + 1, sizeof(char*));
    for (uint32_t i = 0; i < r->model->paint_count; ++i) {
        names[i] = r->model->paints[i].name;
    }
    return told(r->arena, names, r->model->paint_count);
}

bool hemc_recipe_keys(const hemc_recipe_reader* r, const hemc_json* object, const char* const* keys,
                      uint32_t key_count) {
    bool good = true;
    for (const hemc_json* m = object->first; m != NULL; m = m->next) {
        bool known = r->extras && m->key[0] == '$';
        for (uint32_t i = 0; i < key_count && !known; ++i) {
            known = strcmp(m->key, keys[i]) == 0;
        }
        if (!known) {
            const char* near = hemc_recipe_nearest(m->key, keys, key_count);
            good = near != NULL ? hemc_recipe_fault(r, m, "unknown key; did you mean \"%s\"?", near)
                   : key_count > KEYS_TOLD
                       ? hemc_recipe_fault(r, m, "unknown key; docs/recipe.md lists the keys")
                       : hemc_recipe_fault(r, m, "unknown key; there are: %s", told(r->arena, keys, key_count));
        }
    }
    return good;
}

static const char* number_text(const hemc_recipe_reader* r, double value) {
    hemc_text text = {.arena = r->arena};
    hemc_text_number(&text, value);
    return text.data;
}

bool hemc_recipe_number(const hemc_recipe_reader* r, const hemc_json* object, const char* key, double low,
                        bool low_open, double high, float* out) {
    const hemc_json* value = hemc_json_member(object, key);
    if (value == NULL) {
        return true;
    }
    char range[96];
    if (high >= 1e30) {
        snprintf(range, sizeof(range), "%s %s", low_open ? "above" : "at least", number_text(r, low));
    } else {
        snprintf(range, sizeof(range), "%s %s and at most %s", low_open ? "above" : "at least", number_text(r, low),
                 number_text(r, high));
    }
    if (value->kind != HEMC_JSON_NUMBER) {
        return hemc_recipe_fault(r, value, "must be a number %s, not %s", range, hemc_json_kind_name(value->kind));
    }
    double v = value->number;
    if (!(low_open ? v > low : v >= low) || !(v <= high) || !(fabs(v) <= FLT_MAX)) {
        return hemc_recipe_fault(r, value, "%s is out of range: must be %s", number_text(r, v), range);
    }
    *out = (float)v;
    return true;
}

bool hemc_recipe_count(const hemc_recipe_reader* r, const hemc_json* object, const char* key, double low, double high,
                       uint32_t* out) {
    const hemc_json* value = hemc_json_member(object, key);
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_NUMBER || floor(value->number) != value->number || !(value->number >= low) ||
        !(value->number <= high)) {
        return hemc_recipe_fault(r, value, "%s%smust be a whole number from %.0f to %.0f",
                                 value->kind == HEMC_JSON_NUMBER ? number_text(r, value->number)
                                                                 : hemc_json_kind_name(value->kind),
                                 " is not allowed: ", low, high);
    }
    *out = (uint32_t)value->number;
    return true;
}

bool hemc_recipe_bool(const hemc_recipe_reader* r, const hemc_json* object, const char* key, bool* out) {
    const hemc_json* value = hemc_json_member(object, key);
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_TRUE && value->kind != HEMC_JSON_FALSE) {
        return hemc_recipe_fault(r, value, "must be true or false, not %s", hemc_json_kind_name(value->kind));
    }
    *out = value->kind == HEMC_JSON_TRUE;
    return true;
}

bool hemc_recipe_string(const hemc_recipe_reader* r, const hemc_json* object, const char* key, const char** out) {
    const hemc_json* value = hemc_json_member(object, key);
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_STRING || value->string[0] == 0) {
        return hemc_recipe_fault(r, value, "must be a string, and not an empty one");
    }
    *out = value->string;
    return true;
}

bool hemc_recipe_vector(const hemc_recipe_reader* r, const hemc_json* object, const char* key, uint32_t count,
                        float* out) {
    const hemc_json* value = hemc_json_member(object, key);
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_ARRAY || value->count != count) {
        return hemc_recipe_fault(r, value, "must be an array of %u numbers", count);
    }
    for (const hemc_json* item = value->first; item != NULL; item = item->next) {
        if (item->kind != HEMC_JSON_NUMBER || !(fabs(item->number) <= 1e9)) {
            return hemc_recipe_fault(r, item, "must be a number between -1e9 and 1e9");
        }
        *out++ = (float)item->number;
    }
    return true;
}

bool hemc_recipe_word(const hemc_recipe_reader* r, const hemc_json* object, const char* key, const char* const* words,
                      uint32_t word_count, uint32_t* out) {
    const hemc_json* value = hemc_json_member(object, key);
    if (value == NULL) {
        return true;
    }
    hemc_text list = {.arena = r->arena};
    for (uint32_t i = 0; i < word_count; ++i) {
        if (value->kind == HEMC_JSON_STRING && strcmp(value->string, words[i]) == 0) {
            *out = i;
            return true;
        }
        hemc_text_add(&list, "%s\"%s\"", i == 0 ? "" : i + 1 == word_count ? " or " : ", ", words[i]);
    }
    if (value->kind != HEMC_JSON_STRING) {
        return hemc_recipe_fault(r, value, "must be %s, not %s", list.data, hemc_json_kind_name(value->kind));
    }
    const char* near = hemc_recipe_nearest(value->string, words, word_count);
    return near != NULL ? hemc_recipe_fault(r, value, "\"%s\" is unknown; did you mean \"%s\"? It must be %s",
                                            value->string, near, list.data)
                        : hemc_recipe_fault(r, value, "\"%s\" is unknown; it must be %s", value->string, list.data);
}

bool hemc_recipe_strings(const hemc_recipe_reader* r, const hemc_json* object, const char* key, const char*** out,
                         uint32_t* count) {
    const hemc_json* value = hemc_json_member(object, key);
    if (value == NULL) {
        return true;
    }
    uint32_t n = value->kind == HEMC_JSON_ARRAY ? value->count : 1;
    *out = hemc_alloc(r->arena, n, sizeof(char*));
    *count = 0;
    const hemc_json* item = value->kind == HEMC_JSON_ARRAY ? value->first : value;
    for (uint32_t i = 0; i < n; ++i, item = item->next) {
        if (item->kind != HEMC_JSON_STRING || item->string[0] == 0) {
            return hemc_recipe_fault(r, item, "must be a string or an array of strings");
        }
        (*out)[(*count)++] = item->string;
    }
    return true;
}

bool hemc_recipe_box(const hemc_recipe_reader* r, const hemc_json* object, float low[3], float high[3]) {
    static const char* const keys[] = {"min", "max"};
    if (object->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, object, "must be an object {\"min\": [x,y,z], \"max\": [x,y,z]}");
    }
    for (int i = 0; i < 3; ++i) {
        low[i] = -1e9f; // one side may be left out
        high[i] = 1e9f;
    }
    if (!hemc_recipe_keys(r, object, keys, 2) || !hemc_recipe_vector(r, object, "min", 3, low) ||
        !hemc_recipe_vector(r, object, "max", 3, high)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        if (low[i] > high[i]) {
            return hemc_recipe_fault(r, object, "min is above max");
        }
    }
    return true;
}

// -- Part

static const char* const part_keys[] = {
    "name",
    "select",
    "kind",
    "generator",
    "spacing",
    "particles",
    "axis",
    "volume",
    "chains",
    "guides",
    "guide_share",
    "segments",
    "radius",
    "attach",
    "lies_on",
    "blend",
    "animation",
    "surface",
    "material",
    "density",
    "mass",
    "stretch",
    "weft",
    "shear",
    "bend",
    "shape",
    "stiffness_paint",
    "friction_paint",
    "drag_paint",
    "damping_paint",
    "contact_paint",
    "tether_paint",
    "springs",
    "lateral",
    "fullness",
    "fabric",
    "virtual",
    "link_damping",
    "tethers",
    "tether_allowance",
    "tether_stretch",
    "damping",
    "inner_damping",
    "stretch_limit",
    "drag",
    "lift",
    "gravity",
    "friction",
    "restitution",
    "thickness",
    "self_collision",
    "self_thickness",
    "contact_radius",
    "layer",
    "collides_with",
    "ignores",
    "max_distance",
    "backstop",
    "backstop_radius",
    "drive",
    "drive_damping",
    "drive_paint",
    "tracking",
    "clips",
    "rods",
    "inextensible",
    "sag_free",
    "spring_bones",
    "stitch",
    "linear_inertia",
    "angular_inertia",
    "max_speed",
    "solver",
    "collision",
    "inside",
    "region",
    "solid",
    "fracture",
    "iterations",
};

#define PART(field) offsetof(hemc_part_recipe, field)
#define TUNING(field) (offsetof(hemc_part_recipe, tuning) + offsetof(hem_tuning, field))

static const hemc_number_key number_keys[] = {
    {"spacing", PART(spacing), 0, true, 10}, // read by hemc_recipe_spacing: of lattices it may be three
    {"radius", PART(radius), 0, true, 10},
    {"density", PART(density), 0, true, 1e5},
    {"mass", PART(mass), 0, true, 1e5},
    {"shear", TUNING(compliance[HEM_LINK_SHEAR]), 0, false, 1e6},
    {"bend", TUNING(compliance[HEM_LINK_BEND]), 0, false, 1e6},
    {"shape", TUNING(shape_compliance), 0, false, 1e6},
    {"tether_allowance", TUNING(tether_allowance), 0, false, 1},
    {"damping", TUNING(damping), 0, false, 1000},
    {"inner_damping", TUNING(inner_damping), 0, false, 1000},
    {"stretch_limit", TUNING(stretch_limit), 0, false, 100},
    {"drag", TUNING(drag), 0, false, 1000},
    {"lift", TUNING(lift), 0, false, 1000},
    {"gravity", TUNING(gravity_scale), -100, false, 100},
    {"friction", TUNING(friction), 0, false, 1},
    {"restitution", TUNING(restitution), 0, false, 1},
    {"thickness", TUNING(collision_thickness), 0, false, 1},
    {"self_thickness", PART(self_thickness), 0, true, 1},
    {"contact_radius", PART(contact_radius), 0, true, 10},
    {"guide_share", PART(guide_share), 0, true, 1},
    {"lateral", PART(lateral), 0, false, 100},
    {"fullness", PART(fullness), 0, false, HEM_MAX_FULLNESS},
    {"layer", PART(layer), 0, false, 63},
    {"drive", TUNING(drive), 0, false, 1000},
    {"drive_damping", TUNING(drive_damping), 0, false, 100},
    {"backstop_radius", PART(backstop_radius), 0, true, 1000},
    {"linear_inertia", TUNING(linear_inertia), 0, false, 1},
    {"angular_inertia", TUNING(angular_inertia), 0, false, 1},
    {"max_speed", TUNING(max_speed), 0, true, 1000},
};

const hemc_number_key* hemc_part_number_keys(uint32_t* count) {
    *count = sizeof(number_keys) / sizeof(number_keys[0]);
    return number_keys;
}

static bool read_attach(const hemc_recipe_reader* r, const hemc_json* value, hemc_attach* attach) {
    static const char* const keys[] = {"top", "bottom", "near", "root", "paint", "bones", "box", "every_piece"};
    if (value->kind == HEMC_JSON_STRING && strcmp(value->string, "none") == 0) {
        attach->none = true;
        attach->automatic = false;
        return true;
    }
    if (value->kind == HEMC_JSON_STRING && strcmp(value->string, "auto") == 0) {
        return true;
    }
    if (value->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, value, "must be \"none\", \"auto\" or an object such as {\"top\": 0.1}");
    }
    attach->automatic = value->count == 0;
    if (!hemc_recipe_keys(r, value, keys, sizeof(keys) / sizeof(keys[0])) ||
        !hemc_recipe_number(r, value, "top", 0, false, 1000, &attach->top) ||
        !hemc_recipe_number(r, value, "bottom", 0, false, 1000, &attach->bottom) ||
        !hemc_recipe_number(r, value, "near", 0, true, 1000, &attach->near) ||
        !hemc_recipe_number(r, value, "root", 0, false, 1000, &attach->root) ||
        !hemc_recipe_string(r, value, "paint", &attach->paint) ||
        !hemc_recipe_bool(r, value, "every_piece", &attach->every_piece) ||
        !hemc_recipe_strings(r, value, "bones", &attach->bones, &attach->bone_count)) {
        return false;
    }
    if (attach->paint != NULL) {
        bool holds;
        if (!hemc_paint_test(attach->paint, r->model, 0, &holds)) {
            return hemc_recipe_fault(
                r, hemc_json_member(value, "paint"),
                "\"%s\" names no vertex attribute of the model, or is not NAME > 0.5; there are: %s", attach->paint,
                hemc_recipe_paints_told(r));
        }
    }
    for (uint32_t i = 0; i < attach->bone_count; ++i) {
        bool any = false;
        for (uint32_t b = 0; b < r->model->bone_count && !any; ++b) {
            any = hemc_bone_matches(r->model, b, attach->bones[i]);
        }
        if (!any) {
            return hemc_recipe_no_bone(r, hemc_json_member(value, "bones"), attach->bones[i]);
        }
    }
    const hemc_json* box = hemc_json_member(value, "box");
    attach->has_box = box != NULL;
    return box == NULL || hemc_recipe_box(r, box, attach->box_min, attach->box_max);
}

static bool read_axis(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    static const char* const words[] = {"auto", "x", "y", "z"};
    const hemc_json* value = hemc_json_member(object, "axis");
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_ARRAY) {
        uint32_t word = 0;
        if (!hemc_recipe_word(r, object, "axis", words, 4, &word)) {
            return false;
        }
        part->axis_auto = word == 0;
        for (uint32_t i = 0; i < 3; ++i) {
            part->axis[i] = word == i + 1 ? 1.0f : 0.0f;
        }
        return true;
    }
    if (!hemc_recipe_vector(r, object, "axis", 3, part->axis)) {
        return false;
    }
    double length = sqrt((double)part->axis[0] * part->axis[0] + (double)part->axis[1] * part->axis[1] +
                         (double)part->axis[2] * part->axis[2]);
    if (!(length > 1e-6)) {
        return hemc_recipe_fault(r, value, "must not be zero");
    }
    for (int i = 0; i < 3; ++i) {
        part->axis[i] = (float)(part->axis[i] / length);
    }
    part->axis_auto = false;
    return true;
}

// Metres, the name of a painted attribute, or the usual one where that is painted.
static bool read_limit(const hemc_recipe_reader* r, const hemc_json* object, const char* key, const char* usual,
                       float* metres, const char** paint) {
    const hemc_json* value = hemc_json_member(object, key);
    if (value == NULL) {
        *paint = hemc_paint_values(r->model, usual) != NULL ? usual : NULL;
        return true;
    }
    if (value->kind == HEMC_JSON_NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_STRING) {
        return hemc_recipe_number(r, object, key, 0, false, 1000, metres);
    }
    if (hemc_paint_values(r->model, value->string) == NULL) {
        return hemc_recipe_fault(r, value,
                                 "must be metres or a vertex attribute, but the model has no \"%s\"; there are: %s",
                                 value->string, hemc_recipe_paints_told(r));
    }
    *paint = value->string;
    return true;
}

static bool read_stitch(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    const hemc_json* value = hemc_json_member(object, "stitch");
    if (value == NULL || value->kind == HEMC_JSON_TRUE || value->kind == HEMC_JSON_FALSE) {
        part->stitch = value == NULL || value->kind == HEMC_JSON_TRUE;
        return true;
    }
    return hemc_recipe_strings(r, object, "stitch", &part->stitch_with, &part->stitch_with_count);
}

static bool read_blend(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    const hemc_json* value = hemc_json_member(object, "blend");
    bool painted = hemc_paint_values(r->model, "_HEM_BLEND") != NULL;
    part->blend_paint = painted && value == NULL;
    if (value != NULL && value->kind == HEMC_JSON_STRING) {
        if (strcmp(value->string, "paint") != 0 || !painted) {
            return painted ? hemc_recipe_fault(r, value, "must be metres or \"paint\"")
                           : hemc_recipe_fault(r, value, "the model has no vertex attribute _HEM_BLEND; there are: %s",
                                               hemc_recipe_paints_told(r));
        }
        part->blend_paint = true;
        return true;
    }
    return hemc_recipe_number(r, object, "blend", 0, false, 1000, &part->blend_width);
}

// Generator, kind and material: what decides the defaults of the rest.
static bool read_kind(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    static const char* const kinds[] = {"cloth", "soft"};
    static const char* const generators[] = {"cut", "scatter", "strands", "vertices", "lattice"};
    uint32_t generator = HEMC_CUT, material = 0;
    if (!hemc_recipe_word(r, object, "generator", generators, 5, &generator)) {
        return false;
    }
    part->generator = (hemc_generator)generator;
    uint32_t kind = generator == HEMC_SCATTER || generator == HEMC_STRANDS || generator == HEMC_LATTICE ? 1 : 0;
    if (!hemc_recipe_word(r, object, "kind", kinds, 2, &kind)) {
        return false;
    }
    if (generator == HEMC_LATTICE && kind == 0) {
        return hemc_recipe_fault(r, hemc_json_member(object, "kind"), "a lattice is soft: leave \"kind\" out");
    }
    part->kind = kind == 0 ? HEM_PART_CLOTH : HEM_PART_SOFT;
    const char* const* presets;
    uint32_t preset_count = hemc_recipe_preset_names(&presets);
    const char* name = generator == HEMC_STRANDS ? "hair" : kind == 0 ? "cotton" : "flesh";
    if (hemc_json_member(object, "material") != NULL) {
        if (!hemc_recipe_word(r, object, "material", presets, preset_count, &material)) {
            return false;
        }
        name = presets[material];
    }
    hemc_recipe_preset(name, part);
    part->tethers = part->kind == HEM_PART_CLOTH;
    return true;
}

static bool read_links(const hemc_recipe_reader* r, const hemc_json* object, hem_tuning* t) {
    float stretch = t->compliance[HEM_LINK_WARP], link_damping = 0;
    bool good = hemc_recipe_number(r, object, "stretch", 0, false, 1e6, &stretch);
    float weft = stretch;
    good = hemc_recipe_number(r, object, "weft", 0, false, 1e6, &weft) && good;
    good = hemc_recipe_number(r, object, "link_damping", 0, false, 1e6, &link_damping) && good;
    t->compliance[HEM_LINK_WARP] = stretch;
    t->compliance[HEM_LINK_STITCH] = stretch;
    t->compliance[HEM_LINK_WEFT] = weft;
    if (hemc_json_member(object, "stretch_limit") == NULL &&
        (stretch > HEMC_WOVEN_STRETCH || weft > HEMC_WOVEN_STRETCH)) {
        t->stretch_limit = 0;
    }
    for (int i = 0; i < HEM_LINK_KIND_COUNT; ++i) {
        t->link_damping[i] = i == HEM_LINK_TETHER ? 0.0f : link_damping;
    }
    return good;
}

// The attribute that a key names, which must be there then, or the default where the model has it.
static bool read_paint(const hemc_recipe_reader* r, const hemc_json* object, const char* key, const char** paint) {
    const hemc_json* value = hemc_json_member(object, key);
    if (!hemc_recipe_string(r, object, key, paint)) {
        return false;
    }
    if (value != NULL && hemc_paint_values(r->model, *paint) == NULL) {
        return hemc_recipe_fault(r, value, "the model has no vertex attribute \"%s\"; there are: %s", *paint,
                                 hemc_recipe_paints_told(r));
    }
    *paint = hemc_paint_values(r->model, *paint) != NULL ? *paint : NULL;
    return true;
}

static bool read_paints(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    static const char* const keys[HEMC_MAP_COUNT] = {
        [HEMC_FRICTION] = "friction_paint", [HEMC_DRAG] = "drag_paint",     [HEMC_DAMPING] = "damping_paint",
        [HEMC_CONTACT] = "contact_paint",   [HEMC_TETHER] = "tether_paint",
    };
    bool good = read_paint(r, object, "stiffness_paint", &part->stiffness_paint);
    for (int i = 0; i < HEMC_MAP_COUNT; ++i) {
        good = read_paint(r, object, keys[i], &part->map_paints[i]) && good;
    }
    return good;
}

// "tether_stretch": 0 rigid to 1 free, one number or painted; the way along the mesh over 1 - it is how far a tether lets go.
static bool read_tether_stretch(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    const hemc_json* value = hemc_json_member(object, "tether_stretch");
    if (value == NULL || value->kind != HEMC_JSON_STRING) {
        return hemc_recipe_number(r, object, "tether_stretch", 0, false, 1, &part->tether_stretch);
    }
    if (hemc_json_member(object, "tether_paint") != NULL) {
        return hemc_recipe_fault(r, value, "is painted, and so is \"tether_paint\": give one of them");
    }
    if (hemc_paint_values(r->model, value->string) == NULL) {
        return hemc_recipe_fault(r, value, "must be 0 to 1 or a vertex attribute, but the model has no \"%s\"",
                                 value->string);
    }
    part->map_paints[HEMC_TETHER] = value->string;
    part->tether_stretch_painted = true;
    return true;
}

// "rods": true, false or numbers; "inextensible": true or false. Strands of either kind are solved whole.
static bool read_strands(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    static const char* const keys[] = {"stiffness", "bend", "twist", "taper"};
    const hemc_json* rods = hemc_json_member(object, "rods");
    bool chains = false, good = true, wanted = false;
    good = hemc_recipe_bool(r, object, "sag_free", &part->rods.sag_free) && good;
    good = hemc_recipe_bool(r, object, "spring_bones", &part->spring_bones) && good;
    good = hemc_recipe_bool(r, object, "inextensible", &chains) && good;
    if (rods != NULL && rods->kind == HEMC_JSON_OBJECT) {
        wanted = true;
        good = hemc_recipe_keys(r, rods, keys, 4) && good;
        good = hemc_recipe_number(r, rods, "stiffness", 0, true, 1e4, &part->rods.stiffness) && good;
        good = hemc_recipe_number(r, rods, "bend", 0, true, 1e6, &part->rods.bend) && good;
        good = hemc_recipe_number(r, rods, "twist", 0, true, 100, &part->rods.twist) && good;
        good = hemc_recipe_number(r, rods, "taper", 0, true, 10, &part->rods.taper) && good;
    } else if (rods != NULL && rods->kind != HEMC_JSON_TRUE && rods->kind != HEMC_JSON_FALSE) {
        return hemc_recipe_fault(r, rods, "must be true, false or an object such as {\"stiffness\": 0.05}, not %s",
                                 hemc_json_kind_name(rods->kind));
    } else {
        wanted = rods != NULL && rods->kind == HEMC_JSON_TRUE;
    }
    if (good && wanted && chains) {
        return hemc_recipe_fault(r, rods, "keep their length already: leave \"inextensible\" out, or this");
    }
    if (good && (wanted || chains) && (part->generator != HEMC_STRANDS || part->kind != HEM_PART_SOFT)) {
        return hemc_recipe_fault(r, wanted ? rods : hemc_json_member(object, "inextensible"),
                                 "is of soft parts with \"generator\": \"strands\"");
    }
    if (good && part->lateral > 0 && part->generator != HEMC_STRANDS) {
        return hemc_recipe_fault(r, hemc_json_member(object, "lateral"), "is of \"generator\": \"strands\"");
    }
    if (good && part->fullness > 0 && (part->generator != HEMC_STRANDS || part->kind != HEM_PART_SOFT)) {
        return hemc_recipe_fault(r, hemc_json_member(object, "fullness"),
                                 "is of soft parts with \"generator\": \"strands\"");
    }
    if (good && part->guide_share > 0 && part->generator != HEMC_STRANDS) {
        return hemc_recipe_fault(r, hemc_json_member(object, "guide_share"), "is of \"generator\": \"strands\"");
    }
    if (good && part->tuning.solver == HEM_SOLVER_FOLLOW && !chains) {
        return hemc_recipe_fault(r, hemc_json_member(object, "solver"),
                                 "\"follow\" is for strands with \"inextensible\": true");
    }
    part->strands = wanted ? HEMC_STRANDS_RODS : chains ? HEMC_STRANDS_CHAINS : part->strands;
    part->tuning.rod_stiffness = part->strands == HEMC_STRANDS_RODS ? 1.0f : 0.0f;
    return good;
}

// "drive", if only 0, makes a part know its pose, so that the game may turn it up. Soft parts that are driven track too.
static bool read_drive(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    hem_tuning* t = &part->tuning;
    const hemc_json* drive = hemc_json_member(object, "drive");
    if (!read_paint(r, object, "drive_paint", &part->drive_paint)) {
        return false;
    }
    const bool painted = part->drive_paint != NULL;
    if (painted && drive == NULL) {
        t->drive = HEMC_PAINTED_DRIVE;
        part->painted_drive = true;
    }
    const bool momentum = part->animation == HEM_ANIMATE_MOMENTUM;
    const bool clips = part->lattice.clip_count > 0;
    bool tracking = (t->drive > 0 && part->kind == HEM_PART_SOFT && !momentum) || clips;
    if (!hemc_recipe_bool(r, object, "tracking", &tracking)) {
        return false;
    }
    if (drive != NULL && t->drive > 0 && momentum) {
        return hemc_recipe_fault(r, drive,
                                 "pulls a part that is animated with momentum about; give it \"tracking\": true");
    }
    if (tracking && part->kind != HEM_PART_SOFT) {
        return hemc_recipe_fault(r, hemc_json_member(object, "tracking"),
                                 "is of soft parts and strands; cloth has \"drive\"");
    }
    t->tracking = tracking;
    part->driven = drive != NULL || painted || tracking || clips;
    if (part->driven && hemc_json_member(object, "drive_damping") == NULL) {
        t->drive_damping = 1;
    }
    return true;
}

// Particles on edges of triangle meshes take the place of neighbours in links: cloth of triangles has none.
static bool read_virtual(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    static const char* const words[] = {"none", "edges", "faces"};
    uint32_t word = HEMC_VIRTUAL_NONE;
    if (!hemc_recipe_word(r, object, "virtual", words, 3, &word)) {
        return false;
    }
    const hemc_json* value = hemc_json_member(object, "virtual");
    part->virtual_particles = (hemc_virtual)word;
    if (word != HEMC_VIRTUAL_NONE && part->kind != HEM_PART_CLOTH) {
        return hemc_recipe_fault(r, value, "is for parts of kind \"cloth\"");
    }
    return word == HEMC_VIRTUAL_NONE || !part->fabric.triangles ||
           hemc_recipe_fault(r, value, "is for cloth of links: leave \"fabric\" out, or this");
}

// Simulated particles meet others as balls and ellipsoids; an outer side to be pushed out on is the body's.
static bool refuse_surface(const hemc_recipe_reader* r, const hemc_json* object) {
    bool surface = false;
    if (!hemc_recipe_bool(r, object, "surface", &surface)) {
        return false;
    }
    return !surface || hemc_recipe_fault(r, hemc_json_member(object, "surface"),
                                         "is of the body alone: leave it out here and give it in \"body\"");
}

bool hemc_recipe_part(const hemc_recipe_reader* r, const hemc_json* object, const char* json_path,
                      hemc_part_recipe* part) {
    static const char* const animations[] = {"direct", "momentum"};
    static const char* const solvers[] = {"xpbd", "pbd", "jacobi", "follow"};
    if (object->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, object, "must be an object, not %s", hemc_json_kind_name(object->kind));
    }
    if (!hemc_recipe_keys(r, object, part_keys, sizeof(part_keys) / sizeof(part_keys[0]))) {
        return false;
    }
    hemc_part_defaults(part);
    part->file = r->file;
    part->json_path = json_path;
    if (!hemc_recipe_string(r, object, "name", &part->name)) {
        return false;
    }
    if (part->name == NULL) {
        return hemc_recipe_fault(r, object, "has no \"name\"");
    }
    if (!read_kind(r, object, part)) {
        return false;
    }

    bool good = true;
    for (size_t i = 0; i < sizeof(number_keys) / sizeof(number_keys[0]); ++i) {
        const hemc_number_key* k = &number_keys[i];
        if (k->offset == PART(spacing)) {
            continue;
        }
        float* out = (float*)((char*)part + k->offset);
        good = hemc_recipe_number(r, object, k->key, k->low, k->low_open, k->high, out) && good;
    }
    hem_tuning* t = &part->tuning;
    good = read_links(r, object, t) && good;
    t->angular_damping = t->damping;

    static const char* const places[] = {"nothing", "head", "body"};
    uint32_t animation = 0, solver = 0, lies = HEMC_LIES_FREE;
    good = hemc_recipe_word(r, object, "lies_on", places, 3, &lies) && good;
    part->lies = (hemc_lies)lies;
    good = hemc_recipe_count(r, object, "particles", 1, HEM_MAX_PARTICLES, &part->particle_target) && good;
    good = hemc_recipe_strings(r, object, "chains", &part->chains, &part->chain_count) && good;
    good = hemc_recipe_count(r, object, "guides", 1, 4096, &part->guide_count) && good;
    good = hemc_recipe_count(r, object, "segments", 2, 4096, &part->segment_count) && good;
    good = hemc_recipe_count(r, object, "iterations", 1, HEM_MAX_ITERATIONS, &t->iterations) && good;
    good = hemc_recipe_bool(r, object, "volume", &part->volume) && good;
    good = refuse_surface(r, object) && good;
    good = hemc_recipe_bool(r, object, "tethers", &part->tethers) && good;
    good = hemc_recipe_bool(r, object, "self_collision", &part->self_collision) && good;
    good = hemc_recipe_word(r, object, "animation", animations, 2, &animation) && good;
    good = hemc_recipe_word(r, object, "solver", solvers, 4, &solver) && good;
    part->animation = (hem_animation_mode)animation;
    t->solver = solver;
    good = hemc_recipe_strings(r, object, "collides_with", &part->collides_with, &part->collides_with_count) && good;
    good = hemc_recipe_strings(r, object, "ignores", &part->ignores, &part->ignores_count) && good;
    good = read_limit(r, object, "max_distance", "_HEM_MAX_DISTANCE", &part->max_distance, &part->max_distance_paint) &&
           good;
    good = read_limit(r, object, "backstop", "_HEM_BACKSTOP", &part->backstop, &part->backstop_paint) && good;
    good = read_axis(r, object, part) && good;
    good = read_blend(r, object, part) && good;
    good = read_stitch(r, object, part) && good;
    good = read_paints(r, object, part) && good;
    good = read_tether_stretch(r, object, part) && good;
    good = read_strands(r, object, part) && good;
    good = hemc_recipe_springs(r, object, part) && good;
    good = hemc_recipe_fabric(r, object, part) && good;
    good = read_virtual(r, object, part) && good;
    good = hemc_recipe_spacing(r, object, part) && good;
    good = hemc_recipe_lattice(r, object, part) && good;
    good = read_drive(r, object, part) && good; // clips of a lattice make it track them
    const hemc_json* attach = hemc_json_member(object, "attach");
    good = (attach == NULL || read_attach(r, attach, &part->attach)) && good;
    const hemc_json* spacing = hemc_json_member(object, "spacing");
    if (good && spacing != NULL && part->particle_target != 0) {
        good = hemc_recipe_fault(r, spacing, "give either \"spacing\" or \"particles\", not both");
    }
    if (good && part->mass > 0 && hemc_json_member(object, "density") != NULL) {
        good = hemc_recipe_fault(r, hemc_json_member(object, "mass"), "give either \"density\" or \"mass\", not both");
    }

    const hemc_json* select = hemc_json_member(object, "select");
    if (select == NULL) {
        return hemc_recipe_fault(r, object, "has no \"select\"");
    }
    part->selector = hemc_selector_parse(r, select);
    return part->selector != NULL && good;
}
