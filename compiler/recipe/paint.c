// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"

#include <string.h>

// What painted attributes are called, and which of them do something.
//
// Tools write one paint under many names: glTF wants an underscore before attributes of one's own, some exporters add a second
// one, some none, some write all in capitals. So underscores at the beginning and case do not count: _HEM_PIN, __hem_pin and
// HEM_PIN are one. A paint that does nothing is said, since an artist who painted waits for something to happen, and
// one that is spelt nearly like ours is surely a slip.

typedef struct known_paint {
    const char* name;
    const char* meaning;
} known_paint;

static const known_paint known[] = {
    {"_HEM_PIN", "what is attached"},
    {"_HEM_BLEND", "how much the particles move the mesh"},
    {"_HEM_STIFFNESS", "how stiff it is"},
    {"_HEM_DRIVE", "how closely it follows the pose"},
    {"_HEM_MAX_DISTANCE", "how far it may go from the pose"},
    {"_HEM_BACKSTOP", "how far behind the pose it may go"},
    {"_HEM_FRICTION", "how much it grips"},
    {"_HEM_DRAG", "how much the air takes it along"},
    {"_HEM_DAMPING", "how soon it calms down"},
    {"_HEM_CONTACT", "how far it keeps from other cloth"},
    {"_HEM_TETHER", "how far it may stretch away from what holds it"},
};

enum { KNOWN_COUNT = sizeof(known) / sizeof(known[0]), NAME_SIZE = 64 };

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool has_prefix(const char* text, const char* prefix) {
    for (; *prefix != 0; ++text, ++prefix) {
        if (upper(*text) != *prefix) {
            return false;
        }
    }
    return true;
}

bool hemc_paint_is_ours(const char* attribute) {
    return attribute[0] == '_' || has_prefix(attribute, "HEM");
}

char* hemc_paint_name(hemc_arena* arena, const char* attribute) {
    const char* bare = attribute + strspn(attribute, "_");
    char* name = has_prefix(bare, "HEM_") ? hemc_format(arena, "_%s", bare) : hemc_format(arena, "%s", attribute);
    for (char* c = name; *c != 0; ++c) {
        *c = upper(*c);
    }
    return name;
}

// Letters and digits alone, in capitals.
static void squeeze(const char* name, char out[NAME_SIZE]) {
    size_t n = 0;
    for (; *name != 0 && n + 1 < NAME_SIZE; ++name) {
        const char c = upper(*name);
        if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
            out[n++] = c;
        }
    }
    out[n] = 0;
}

const char* hemc_paint_meant(const char* name) {
    char given[NAME_SIZE], ours[NAME_SIZE];
    squeeze(name, given);
    const char* best = NULL;
    uint32_t best_distance = UINT32_MAX;
    for (int i = 0; i < KNOWN_COUNT; ++i) {
        if (strcmp(name, known[i].name) == 0) {
            return NULL;
        }
        squeeze(known[i].name, ours);
        const uint32_t distance = hemc_edit_distance(given, ours);
        if (distance < best_distance) {
            best = known[i].name;
            best_distance = distance;
        }
    }
    // A quarter of the word may be wrong; what begins with HEM_ means one of ours whatever follows.
    bool near = best_distance <= (strlen(given) + 1) / 4;
    for (int i = 0; i < KNOWN_COUNT; ++i) { // "_PIN"
        squeeze(known[i].name, ours);
        best = strcmp(given, ours + 3) == 0 ? known[i].name : best;
        near = near || strcmp(given, ours + 3) == 0;
    }
    return near || strncmp(name, "_HEM_", 5) == 0 || strncmp(given, "HEM", 3) == 0 ? (near ? best : "") : NULL;
}

// -- Who uses it

static bool same_paint(const char* a, const char* b) {
    a += strspn(a, "_");
    b += strspn(b, "_");
    for (; upper(*a) == upper(*b); ++a, ++b) {
        if (*a == 0) {
            return true;
        }
    }
    return false;
}

// The paint of "NAME > 0.5".
static bool names(const char* expression, const char* paint) {
    char name[256];
    const size_t length = expression != NULL ? strcspn(expression, " <>=") : 0;
    if (length == 0 || length >= sizeof(name)) {
        return false;
    }
    memcpy(name, expression, length);
    name[length] = 0;
    return same_paint(name, paint);
}

bool hemc_paint_reaches(const hemc_model* model, const char* name, const uint8_t* mask) {
    const float* values = hemc_paint_values(model, name);
    for (uint32_t t = 0; t < model->triangle_count && values != NULL; ++t) {
        for (size_t c = 0; c < 3 && mask[t]; ++c) {
            if (values[model->triangles[3 * (size_t)t + c]] > 0.5f) {
                return true;
            }
        }
    }
    return false;
}

// Whether a triangle of the part has it at all, be it 0. Others read 0, which nobody painted.
static bool carries(const hemc_model* model, const int32_t* owner, int32_t part, const char* paint) {
    for (uint32_t i = 0; i < model->paint_count; ++i) {
        if (!same_paint(model->paints[i].name, paint)) {
            continue;
        }
        for (uint32_t t = 0; t < model->triangle_count; ++t) {
            if (owner[t] == part && model->paints[i].present[model->triangle_primitive[t]]) {
                return true;
            }
        }
    }
    return false;
}

void hemc_paint_settle(const hemc_model* model, hemc_recipe* recipe, const int32_t* owner) {
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        hemc_part_recipe* part = &recipe->parts[p];
        const char** paints[] = {&part->stiffness_paint, &part->max_distance_paint, &part->backstop_paint,
                                 &part->drive_paint};
        for (int k = 0; k < 4; ++k) {
            if (*paints[k] != NULL && !carries(model, owner, (int32_t)p, *paints[k])) {
                *paints[k] = NULL;
            }
        }
        for (int k = 0; k < HEMC_MAP_COUNT; ++k) {
            if (part->map_paints[k] != NULL && !carries(model, owner, (int32_t)p, part->map_paints[k])) {
                part->map_paints[k] = NULL;
            }
        }
        if (part->painted_drive && part->drive_paint == NULL) {
            part->driven = part->painted_drive = false;
            part->tuning.drive = part->tuning.drive_damping = 0;
            part->tuning.tracking = 0;
        }
    }
}

static bool part_uses(const hemc_model* model, const hemc_part_recipe* part, const uint8_t* mask, const char* paint,
                      bool blends) {
    if (hemc_selector_uses_paint(part->selector, paint) || names(part->attach.paint, paint) ||
        names(part->max_distance_paint, paint) || names(part->backstop_paint, paint)) {
        return true;
    }
    for (int k = 0; k < HEMC_MAP_COUNT; ++k) {
        if (names(part->map_paints[k], paint)) {
            return true;
        }
    }
    return (part->attach.automatic && strcmp(paint, "_HEM_PIN") == 0 && hemc_paint_reaches(model, paint, mask)) ||
           (part->blend_paint && strcmp(paint, "_HEM_BLEND") == 0 && blends) || names(part->stiffness_paint, paint) ||
           (part->driven && names(part->drive_paint, paint));
}

static const char* meaning_of(const char* name) {
    for (int i = 0; i < KNOWN_COUNT; ++i) {
        if (strcmp(known[i].name, name) == 0) {
            return known[i].meaning;
        }
    }
    return NULL;
}

static void tell_unused(hemc_arena* arena, hemc_log* log, const hemc_model* model, const char* name) {
    const char* meant = hemc_paint_meant(name);
    if (meant != NULL && strchr(name, '.') == NULL) {
        hemc_text list = {.arena = arena};
        for (int i = 0; i < KNOWN_COUNT; ++i) {
            hemc_text_add(&list, "%s%s", i == 0 ? "" : ", ", known[i].name);
        }
        hemc_warn(log, model->path, "", "paint \"%s\" does nothing%s%s%s Names that do: %s", name,
                  meant[0] != 0 ? "; did you mean \"" : "", meant, meant[0] != 0 ? "\"?" : ".", list.data);
        return;
    }
    const char* meaning = meaning_of(name);
    if (meaning == NULL) {
        hemc_note(log, model->path, "", "paint \"%s\" is not used: nothing in the recipe names it", name);
    } else if (strcmp(name, "_HEM_PIN") == 0) {
        hemc_note(log, model->path, "",
                  "paint \"%s\" (%s) is not used: no part has it above 0.5, or \"attach\" says something else", name,
                  meaning);
    } else {
        hemc_note(log, model->path, "",
                  "paint \"%s\" (%s) is not used: no part carries it, or its recipe says otherwise", name, meaning);
    }
}

void hemc_paint_tell(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                     const int32_t* owner) {
    uint8_t* mask = hemc_alloc(arena, model->triangle_count, 1);
    for (uint32_t i = 0; i < model->paint_count; ++i) {
        const char* name = model->paints[i].name;
        hemc_text users = {.arena = arena};
        for (uint32_t p = 0; p < recipe->part_count; ++p) {
            for (uint32_t t = 0; t < model->triangle_count; ++t) {
                mask[t] = owner[t] == (int32_t)p;
            }
            if (part_uses(model, &recipe->parts[p], mask, name, carries(model, owner, (int32_t)p, "_HEM_BLEND"))) {
                hemc_text_add(&users, "%s\"%s\"", users.size != 0 ? ", " : "", recipe->parts[p].name);
            }
        }
        if ((recipe->body.selector != NULL && hemc_selector_uses_paint(recipe->body.selector, name)) ||
            (recipe->accessory_selector != NULL && hemc_selector_uses_paint(recipe->accessory_selector, name))) {
            hemc_text_add(&users, "%sthe body", users.size != 0 ? ", " : "");
        }
        const char* meaning = meaning_of(name);
        if (users.size != 0) {
            hemc_note(log, model->path, "", "paint \"%s\" is used%s%s%s by %s", name, meaning != NULL ? " (" : "",
                      meaning != NULL ? meaning : "", meaning != NULL ? ")" : "", users.data);
        } else if (strncmp(name, "COLOR_", 6) != 0 && strchr(name, '.') == NULL) { // nearly everything has colours
            tell_unused(arena, log, model, name);
        }
    }
}
