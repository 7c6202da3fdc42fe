// SPDX-License-Identifier: MIT
#include "compiler/recipe/recipe.h"

#include "formats/hem_lattice_text.h"

#include <string.h>

// "clips" of a part that is a lattice: particle animations, from text files, from clips of the character or from point caches.

// All of it is read here, and what is wrong is said with its line; of a cache when there are vertices to hold it against.
static bool read_animation(const hemc_recipe_reader* r, const hemc_json* value, hemc_lattice_clip_recipe* clip) {
    uint8_t* bytes;
    hem_animation_text animation;
    hem_text_fault fault;
    if (!r->files_allowed) {
        return hemc_recipe_fault(r, value, "needs the file \"%.200s\", and this recipe may read none", clip->file);
    }
    clip->file = hemc_path_beside(r->arena, r->file, clip->file);
    if (!hemc_read_file(r->arena, clip->file, &bytes, &clip->text_size)) {
        return hemc_recipe_fault(r, value, "cannot read %s", clip->file);
    }
    clip->text = (const char*)bytes;
    if (clip->is_cache) {
        return true;
    }
    if (!hem_animation_read(clip->text, clip->text_size, &animation, NULL, NULL, NULL, &fault)) {
        return hemc_error(r->log, HEMC_INPUT, clip->file, "", "line %u: %s", fault.line, fault.what);
    }
    return true;
}

static bool read_flag(const hemc_recipe_reader* r, const hemc_json* object, const char* key, int* out) {
    bool flag = false;
    *out = -1;
    if (hemc_json_member(object, key) == NULL) {
        return true;
    }
    const bool good = hemc_recipe_bool(r, object, key, &flag);
    *out = flag;
    return good;
}

static bool read_clip(const hemc_recipe_reader* r, const hemc_json* object, hemc_lattice_clip_recipe* clip) {
    static const char* const keys[] = {"name", "file", "clip", "cache", "fps", "every", "interpolate", "loop"};
    if (object->kind != HEMC_JSON_OBJECT) {
        return hemc_recipe_fault(r, object, "must be an object such as {\"clip\": \"walk\"}");
    }
    clip->every = 1;
    clip->fps = 24.0f;
    const char* cache = NULL;
    bool good = hemc_recipe_keys(r, object, keys, sizeof(keys) / sizeof(keys[0]));
    good = hemc_recipe_string(r, object, "name", &clip->name) && good;
    good = hemc_recipe_string(r, object, "file", &clip->file) && good;
    good = hemc_recipe_string(r, object, "clip", &clip->clip) && good;
    good = hemc_recipe_string(r, object, "cache", &cache) && good;
    good = hemc_recipe_number(r, object, "fps", 1, false, 1000, &clip->fps) && good;
    good = hemc_recipe_count(r, object, "every", 1, 1000, &clip->every) && good;
    good = read_flag(r, object, "interpolate", &clip->interpolate) && good;
    good = read_flag(r, object, "loop", &clip->loop) && good;
    if (!good) {
        return false;
    }
    if ((clip->file != NULL) + (clip->clip != NULL) + (cache != NULL) != 1) {
        return hemc_recipe_fault(
            r, object,
            "has either a \"file\", a particle animation, a \"clip\" of the model, or a \"cache\" of points");
    }
    clip->is_cache = cache != NULL;
    clip->file = cache != NULL ? cache : clip->file;
    if (cache == NULL && hemc_json_member(object, "fps") != NULL) {
        return hemc_recipe_fault(r, hemc_json_member(object, "fps"), "goes with \"cache\"");
    }
    if (clip->file != NULL && !clip->is_cache && hemc_json_member(object, "every") != NULL) {
        return hemc_recipe_fault(r, hemc_json_member(object, "every"), "goes with \"clip\"; a file has its keyframes");
    }
    if (clip->file != NULL && clip->name == NULL) {
        return hemc_recipe_fault(r, object, "has no \"name\"");
    }
    clip->name = clip->name != NULL ? clip->name : clip->clip;
    return clip->file == NULL || read_animation(r, hemc_json_member(object, clip->is_cache ? "cache" : "file"), clip);
}

bool hemc_recipe_lattice_clips(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part) {
    const hemc_json* value = hemc_json_member(object, "clips");
    if (value == NULL) {
        return true;
    }
    if (value->kind != HEMC_JSON_ARRAY) {
        return hemc_recipe_fault(r, value, "must be an array such as [{\"clip\": \"walk\"}]");
    }
    part->lattice.clips = hemc_alloc(r->arena, value->count, sizeof(hemc_lattice_clip_recipe));
    bool good = true;
    for (const hemc_json* item = value->first; item != NULL; item = item->next) {
        hemc_lattice_clip_recipe* clip = &part->lattice.clips[part->lattice.clip_count];
        clip->json_path = hemc_format(r->arena, "%s/clips/%u", part->json_path, part->lattice.clip_count++);
        good = read_clip(r, item, clip) && good;
        for (uint32_t i = 0; good && i + 1 < part->lattice.clip_count; ++i) {
            if (strcmp(part->lattice.clips[i].name, clip->name) == 0) {
                good = hemc_recipe_fault(r, item, "has the name \"%.200s\" of another", clip->name);
            }
        }
    }
    return good;
}
