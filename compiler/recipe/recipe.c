// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"

#include <stdio.h>
#include <string.h>

// Where a compile's recipe comes from: the recipe file, with parts from glTF extras that it does not name itself; else
// the extras alone. Without parts in either, what auto.c finds, in the scale, body, clips and colliders that they give.
// The result has every default filled in.

static const char* const top_keys[] = {"$schema", "version", "scale",       "parts",  "body",  "colliders",
                                       "clips",   "accept",  "accessories", "budget", "levels"};

static bool read_body(const hemc_recipe_reader* r, const hemc_json* object, hemc_recipe* recipe) {
    static const char* const keys[] = {"select", "spacing",  "particles", "radius", "surface",
                                       "reach",  "friction", "limbs",     "mesh"};
    hemc_body_recipe* body = &recipe->body;
    const hemc_json* value = hemc_json_member(object, "body");
    if (value == NULL || value->kind == HEMC_JSON_TRUE) {
        return true;
    }
    if (value->kind == HEMC_JSON_FALSE) {
        body->enabled = false;
        return true;
    }
    if (value->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, value, "must be an object, true or false");
    }
    const hemc_json* select = hemc_json_member(value, "select");
    if (!hemc_recipe_keys(r, value, keys, sizeof(keys) / sizeof(keys[0])) ||
        !hemc_recipe_number(r, value, "spacing", 0, true, 10, &body->spacing) ||
        !hemc_recipe_number(r, value, "radius", 0, true, 10, &body->radius) ||
        !hemc_recipe_number(r, value, "reach", 0, false, 1000, &body->reach) ||
        !hemc_recipe_number(r, value, "friction", 0, false, 1, &body->friction) ||
        !hemc_recipe_count(r, value, "particles", 1, HEM_MAX_PARTICLES, &body->particle_target) ||
        !hemc_recipe_bool(r, value, "surface", &body->surface) || !hemc_recipe_bool(r, value, "limbs", &body->limbs) ||
        !hemc_recipe_bool(r, value, "mesh", &body->mesh)) {
        return false;
    }
    if (select != NULL) {
        body->selector = hemc_selector_parse(r, select);
        return body->selector != NULL;
    }
    return true;
}

static bool read_clips(const hemc_recipe_reader* r, const hemc_json* object, hemc_recipe* recipe) {
    static const char* const keys[] = {"include", "hz", "loop", "once"};
    const hemc_json* value = hemc_json_member(object, "clips");
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, value, "must be an object such as {\"include\": [\"walk\"], \"hz\": 30}");
    }
    return hemc_recipe_keys(r, value, keys, 4) && hemc_recipe_number(r, value, "hz", 1, false, 240, &recipe->clip_hz) &&
           hemc_recipe_strings(r, value, "include", &recipe->clip_include, &recipe->clip_include_count) &&
           hemc_recipe_strings(r, value, "loop", &recipe->clip_loop, &recipe->clip_loop_count) &&
           hemc_recipe_strings(r, value, "once", &recipe->clip_once, &recipe->clip_once_count);
}

static bool read_budget(const hemc_recipe_reader* r, const hemc_json* object, hemc_recipe* recipe) {
    static const char* const keys[] = {"us", "bytes"};
    const hemc_json* value = hemc_json_member(object, "budget");
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, value, "must be an object such as {\"us\": 300, \"bytes\": 400000}");
    }
    return hemc_recipe_keys(r, value, keys, 2) &&
           hemc_recipe_number(r, value, "us", 0, true, 1e6, &recipe->budget_us) &&
           hemc_recipe_count(r, value, "bytes", 1, 4e9, &recipe->budget_bytes);
}

// What stands beside the parts, for a recipe that automatic mode prints.
static const char* keep_text(const hemc_recipe_reader* r, const hemc_json* object) {
    static const char* const keys[] = {"body", "clips", "colliders", "accept", "budget", "levels"};
    hemc_text kept = {.arena = r->arena};
    for (int i = 0; i < 6; ++i) {
        const hemc_json* value = hemc_json_member(object, keys[i]);
        if (value != NULL) {
            hemc_text_add(&kept, ",\n  \"%s\": ", keys[i]);
            hemc_text_bytes(&kept, r->text + value->begin, value->end - value->begin);
        }
    }
    return kept.data;
}

static bool read_accessories(const hemc_recipe_reader* r, const hemc_json* object, hemc_recipe* recipe) {
    const hemc_json* value = hemc_json_member(object, "accessories");
    recipe->no_accessories = value != NULL && value->kind == HEMC_JSON_FALSE;
    if (value == NULL || recipe->no_accessories || value->kind == HEMC_JSON_TRUE) {
        return true;
    }
    recipe->accessory_selector = hemc_selector_parse(r, value);
    return recipe->accessory_selector != NULL;
}

static bool read_colliders(const hemc_recipe_reader* r, const hemc_json* object, hemc_recipe* recipe) {
    const hemc_json* value = hemc_json_member(object, "colliders");
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_ARRAY) {
        return hemc_recipe_fault(r, value, "must be an array of colliders");
    }
    if (value->count > HEM_MAX_COLLIDERS) {
        return hemc_recipe_fault(r, value, "%u colliders; up to %d are supported", value->count, HEM_MAX_COLLIDERS);
    }
    recipe->colliders = hemc_alloc(r->arena, value->count, sizeof(hemc_collider_recipe));
    bool good = true;
    uint32_t planes = 0;
    for (const hemc_json* item = value->first; item != NULL; item = item->next) {
        const hemc_collider_recipe* c = &recipe->colliders[recipe->collider_count];
        good = hemc_recipe_collider(r, item, &recipe->colliders[recipe->collider_count++]) && good;
        planes += c->plane_count;
    }
    if (good && planes > HEM_MAX_HULL_PLANES) {
        good = hemc_recipe_fault(r, value, "hulls with %u faces together; a character has up to %d", planes,
                                 HEM_MAX_HULL_PLANES);
    }
    return good;
}

static bool read_parts(const hemc_recipe_reader* r, const hemc_json* object, hemc_recipe* recipe) {
    const hemc_json* value = hemc_json_member(object, "parts");
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_ARRAY) {
        return hemc_recipe_fault(r, value, "must be an array of parts");
    }
    bool good = true;
    for (const hemc_json* item = value->first; item != NULL; item = item->next) {
        const hemc_json* from = hemc_json_member(item, "$from");
        char* path = hemc_json_pointer(r->arena, r->prefix, item);
        if (r->extras && from != NULL) {
            path = hemc_copy_string(r->arena, from->string, strlen(from->string));
        }
        hemc_part_recipe part;
        if (!hemc_recipe_part(r, item, path, &part)) {
            good = false;
            continue;
        }
        bool known = false;
        for (uint32_t i = 0; i < recipe->part_count; ++i) {
            known = known || strcmp(recipe->parts[i].name, part.name) == 0;
        }
        if (known && r->extras) {
            continue; // the recipe file's part of this name wins
        }
        if (known || strcmp(part.name, "body") == 0) {
            good = hemc_recipe_fault(r, hemc_json_member(item, "name"),
                                     known ? "the name \"%s\" is taken by an earlier part"
                                           : "the name \"%s\" is taken by the body",
                                     part.name);
            continue;
        }
        if (recipe->part_count == HEM_MAX_PARTS - 1) {
            return hemc_recipe_fault(r, item, "more than %d parts", HEM_MAX_PARTS - 1);
        }
        size_t capacity = recipe->part_count;
        recipe->parts =
            hemc_grow(r->arena, recipe->parts, &capacity, (size_t)recipe->part_count + 1, sizeof(hemc_part_recipe));
        recipe->parts[recipe->part_count++] = part;
    }
    return good;
}

// Names in collides_with and stitch are those of parts.
static bool check_names(hemc_arena* arena, hemc_log* log, const hemc_recipe* recipe, const char* file) {
    const char** names = hemc_alloc(arena, (size_t)recipe->part_count + 2, sizeof(char*));
    for (uint32_t i = 0; i < recipe->part_count; ++i) {
        names[i] = recipe->parts[i].name;
    }
    names[recipe->part_count] = "body";
    names[recipe->part_count + 1] = "*";
    bool good = true;
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        const hemc_part_recipe* part = &recipe->parts[p];
        for (int list = 0; list < 2; ++list) {
            const char** given = list == 0 ? part->collides_with : part->stitch_with;
            uint32_t count = list == 0 ? part->collides_with_count : part->stitch_with_count;
            for (uint32_t i = 0; i < count; ++i) {
                bool found = false;
                for (uint32_t n = 0; n < recipe->part_count + 2; ++n) {
                    found = found || strcmp(names[n], given[i]) == 0;
                }
                if (!found) {
                    const char* near = hemc_recipe_nearest(given[i], names, recipe->part_count + 2);
                    hemc_text parts = {.arena = arena};
                    for (uint32_t n = 0; n < recipe->part_count + 1; ++n) {
                        hemc_text_add(&parts, "%s%s", n != 0 ? ", " : "", names[n]);
                    }
                    good =
                        hemc_error(log, HEMC_INPUT, file,
                                   hemc_format(arena, "%s/%s", part->json_path, list == 0 ? "collides_with" : "stitch"),
                                   "no part is named \"%s\"%s%s%s; there are: %s", given[i],
                                   near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                                   near != NULL ? "\"?" : "", parts.data);
                }
            }
        }
    }
    return good;
}

// Those in ignores are of colliders, or of bones that colliders may hang on.
static bool check_ignored(hemc_arena* arena, hemc_log* log, const hemc_recipe* recipe, const hemc_model* model,
                          const char* file) {
    const uint32_t count = recipe->collider_count + model->bone_count;
    const char** names = hemc_alloc(arena, (size_t)count + 1, sizeof(char*));
    hemc_text there = {.arena = arena};
    for (uint32_t n = 0; n < count; ++n) {
        names[n] =
            n < recipe->collider_count ? recipe->colliders[n].name : model->bone_defs[n - recipe->collider_count].name;
        if (n < recipe->collider_count) {
            hemc_text_add(&there, "%s%s", n != 0 ? ", " : "; there are: ", names[n]);
        }
    }
    bool good = true;
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        const hemc_part_recipe* part = &recipe->parts[p];
        for (uint32_t i = 0; i < part->ignores_count; ++i) {
            bool found = false;
            for (uint32_t n = 0; n < count; ++n) {
                found = found || hemc_glob(part->ignores[i], names[n]);
            }
            if (!found) {
                const char* near = hemc_recipe_nearest(part->ignores[i], names, count);
                good = hemc_error(log, HEMC_INPUT, file, hemc_format(arena, "%s/ignores", part->json_path),
                                  "no collider and no bone is named \"%s\"%s%s%s%s", part->ignores[i],
                                  near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                                  near != NULL ? "\"?" : "", there.data != NULL ? there.data : "");
            }
        }
    }
    return good;
}

static bool read_text(hemc_arena* arena, hemc_log* log, const char* file, const char* text, size_t size, bool extras,
                      bool files, const hemc_model* model, hemc_recipe* recipe) {
    const hemc_json* json = hemc_json_parse(arena, log, file, extras ? "extras" : "", text, size, true);
    if (json == NULL) {
        return false;
    }
    hemc_recipe_reader r = {.arena = arena,
                            .log = log,
                            .file = file,
                            .text = text,
                            .prefix = extras ? "/extras" : "",
                            .extras = extras,
                            .model = model,
                            .files_allowed = files};
    if (json->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(&r, json, "a recipe is an object {...}, not %s", hemc_json_kind_name(json->kind));
    }
    uint32_t version = 1;
    // Everything that is wrong is reported at once.
    bool good = hemc_recipe_keys(&r, json, top_keys, sizeof(top_keys) / sizeof(top_keys[0]));
    good = hemc_recipe_count(&r, json, "version", 1, 1, &version) && good;
    good = hemc_recipe_number(&r, json, "scale", 0, true, 1e6, &recipe->scale) && good;
    recipe->automatic = recipe->automatic && hemc_json_member(json, "parts") == NULL;
    good = read_parts(&r, json, recipe) && good;
    good = read_body(&r, json, recipe) && good;
    good = read_clips(&r, json, recipe) && good;
    static const char* const grades[] = {"A", "B", "C", "D", "E", "F"};
    uint32_t grade = (uint32_t)(recipe->accept - 'A');
    good = hemc_recipe_word(&r, json, "accept", grades, 6, &grade) && good;
    recipe->accept = (char)('A' + grade);
    good = read_accessories(&r, json, recipe) && good;
    good = read_budget(&r, json, recipe) && good;
    good = hemc_recipe_count(&r, json, "levels", 1, HEM_MAX_LEVELS, &recipe->level_count) && good;
    recipe->kept = keep_text(&r, json);
    return read_colliders(&r, json, recipe) && good;
}

const char* hemc_part_file(const hemc_part_recipe* part, const hemc_model* model) {
    return part->file != NULL ? part->file : model != NULL ? model->path : "";
}

void hemc_recipe_defaults(hemc_recipe* recipe) {
    memset(recipe, 0, sizeof(*recipe));
    recipe->scale = 1;
    recipe->clip_hz = 30;
    recipe->accept = 'C';
    recipe->level_count = 1;
    recipe->body = (hemc_body_recipe){.enabled = true, .surface = true, .limbs = true, .reach = -1, .friction = 0.3f};
}

// What a recipe takes from files is part of it.
static void hash_files(hemc_recipe* recipe) {
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        for (uint32_t i = 0; i < recipe->parts[p].lattice.clip_count; ++i) {
            const hemc_lattice_clip_recipe* clip = &recipe->parts[p].lattice.clips[i];
            if (clip->text != NULL) {
                uint8_t both[32];
                memcpy(both, recipe->recipe_hash, 16);
                hemc_hash128(clip->text, clip->text_size, both + 16);
                hemc_hash128(both, sizeof(both), recipe->recipe_hash);
            }
        }
    }
}

static bool load_text(hemc_arena* arena, hemc_log* log, const char* path, const void* text, size_t text_size,
                      bool files, const hemc_model* model, hemc_recipe* recipe) {
    hemc_recipe_defaults(recipe);
    recipe->path = path;
    recipe->scale = 0;        // until somebody gives it
    recipe->automatic = true; // until somebody names parts
    if (path != NULL) {
        hemc_hash128(text, text_size, recipe->recipe_hash);
        if (!read_text(arena, log, path, text, text_size, false, files, model, recipe)) {
            return false;
        }
    }
    if (model->extras_recipe != NULL) {
        size_t size = strlen(model->extras_recipe);
        if (path == NULL) {
            hemc_hash128(model->extras_recipe, size, recipe->recipe_hash);
        }
        hemc_recipe extras = *recipe;
        if (!read_text(arena, log, model->path, model->extras_recipe, size, true, files, model, &extras)) {
            return false;
        }
        if (path == NULL) {
            *recipe = extras;
        } else {
            recipe->parts = extras.parts; // the file's, then those of the extras; all other keys are the file's
            recipe->part_count = extras.part_count;
            recipe->automatic = extras.automatic;
        }
    }
    hash_files(recipe);
    if (!check_names(arena, log, recipe, path != NULL ? path : model->path) ||
        !check_ignored(arena, log, recipe, model, path != NULL ? path : model->path)) {
        return false;
    }
    if (model->asked_scale > 0) {
        recipe->scale = model->asked_scale;
    }
    if (recipe->automatic) {
        return hemc_recipe_automatic(arena, log, model, recipe);
    }
    recipe->scale = recipe->scale > 0 ? recipe->scale : 1.0f;
    if (recipe->part_count == 0) {
        return hemc_error(log, HEMC_INPUT, path != NULL ? path : model->path, "/parts",
                          "the recipe has no parts; nothing would move");
    }
    return true;
}

bool hemc_recipe_load(hemc_arena* arena, hemc_log* log, const char* path, const hemc_model* model,
                      hemc_recipe* recipe) {
    uint8_t* text = NULL;
    size_t size = 0;
    if (path != NULL && !hemc_read_file(arena, path, &text, &size)) {
        hemc_recipe_defaults(recipe);
        return hemc_error(log, HEMC_IO, path, "", "cannot read the recipe");
    }
    return load_text(arena, log, path, text, size, true, model, recipe);
}

bool hemc_recipe_load_memory(hemc_arena* arena, hemc_log* log, const char* path, const void* text, size_t text_size,
                             const hemc_model* model, hemc_recipe* recipe) {
    return load_text(arena, log, path, text, text_size, false, model, recipe);
}
