// SPDX-License-Identifier: MIT
#ifndef HEMC_RECIPE_H
#define HEMC_RECIPE_H

// What the files of the recipe share: a reader over the JSON tree with messages that name key, value and range.

#include "compiler/hemc.h"
#include "compiler/hemc_internal.h"
#include "compiler/recipe/json.h"

#define HEMC_PAINTED_DRIVE 2.0f // Hz, where it is painted and no number given

typedef struct hemc_recipe_reader {
    hemc_arena* arena;
    hemc_log* log;
    const char* file;
    const char* text;   // for line and column
    const char* prefix; // JSON pointer before the tree's own, for extras
    bool extras;        // keys that begin with '$' are the import's
    const hemc_model* model;
    bool files_allowed; // a recipe that lies in memory reads none
} hemc_recipe_reader;

// All return false after an error; a missing key leaves *out alone and is no error.
bool hemc_recipe_fault(const hemc_recipe_reader* r, const hemc_json* value, const char* format, ...);
bool hemc_recipe_number(const hemc_recipe_reader* r, const hemc_json* object, const char* key, double low,
                        bool low_open, double high, float* out);
bool hemc_recipe_count(const hemc_recipe_reader* r, const hemc_json* object, const char* key, double low, double high,
                       uint32_t* out);
bool hemc_recipe_bool(const hemc_recipe_reader* r, const hemc_json* object, const char* key, bool* out);
bool hemc_recipe_string(const hemc_recipe_reader* r, const hemc_json* object, const char* key, const char** out);
bool hemc_recipe_vector(const hemc_recipe_reader* r, const hemc_json* object, const char* key, uint32_t count,
                        float* out);
// One of the words: its index.
bool hemc_recipe_word(const hemc_recipe_reader* r, const hemc_json* object, const char* key, const char* const* words,
                      uint32_t word_count, uint32_t* out);
// A string or an array of strings.
bool hemc_recipe_strings(const hemc_recipe_reader* r, const hemc_json* object, const char* key, const char*** out,
                         uint32_t* count);
// Every key must be among these; the nearest is suggested.
bool hemc_recipe_keys(const hemc_recipe_reader* r, const hemc_json* object, const char* const* keys,
                      uint32_t key_count);
// The nearest word, NULL when none is near.
const char* hemc_recipe_nearest(const char* word, const char* const* words, uint32_t count);

bool hemc_recipe_box(const hemc_recipe_reader* r, const hemc_json* object, float low[3], float high[3]);
bool hemc_recipe_part(const hemc_recipe_reader* r, const hemc_json* object, const char* json_path,
                      hemc_part_recipe* part);
bool hemc_recipe_fabric(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part);
hemc_fabric hemc_fabric_of(const hemc_material* material);
// "spacing", for a lattice one number or three; "collision", "inside" and "region" (recipe/lattice_keys.c)
bool hemc_recipe_spacing(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part);
bool hemc_recipe_lattice(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part);
bool hemc_recipe_lattice_clips(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part);
bool hemc_recipe_springs(const hemc_recipe_reader* r, const hemc_json* object, hemc_part_recipe* part);
// Whether the model has this bone; if not, `value` is where it is named.
// The fault of naming a bone that is none, with what there is; always false.
bool hemc_recipe_no_bone(const hemc_recipe_reader* r, const hemc_json* value, const char* bone);
const char* hemc_recipe_paints_told(const hemc_recipe_reader* r); // names of the model's paints, for a message
bool hemc_recipe_bone(const hemc_recipe_reader* r, const hemc_json* value, const char* bone);
void hemc_collider_capsule(hemc_collider_recipe* c, const double from[3], const double to[3], double r0, double r1);
bool hemc_recipe_collider(const hemc_recipe_reader* r, const hemc_json* object, hemc_collider_recipe* collider);
// The keys of a part that are one number each.
typedef struct hemc_number_key {
    const char* key;
    size_t offset; // of a float in hemc_part_recipe
    double low;
    bool low_open;
    double high;
} hemc_number_key;
const hemc_number_key* hemc_part_number_keys(uint32_t* count);
// Preset values into a part whose kind and generator are known. False = no such material.
// Threads of stuff this stiff, m/N, grow no longer than this share unless the recipe says otherwise; softer stuff is meant to
// stretch.
#define HEMC_WOVEN_STRETCH 5e-3f
#define HEMC_WOVEN_LIMIT 0.08f

bool hemc_recipe_preset(const char* material, hemc_part_recipe* part);
extern const char* const hemc_map_names[HEMC_MAP_COUNT]; // of the attributes that are looked for
uint32_t hemc_recipe_preset_names(const char* const** names);
void hemc_part_defaults(hemc_part_recipe* part); // everything that depends on neither material nor model

// surface/select.c
hemc_selector* hemc_selector_parse(const hemc_recipe_reader* r, const hemc_json* object);
bool hemc_selector_uses_paint(const hemc_selector* selector, const char* paint); // its name, as in the model
// Connected pieces of what mask holds, numbered from 0, the largest first; UINT32_MAX outside.
uint32_t hemc_number_components(hemc_arena* arena, const hemc_model* model, const uint8_t* mask, uint32_t* numbers);
hemc_selector* hemc_selector_of_primitives(hemc_arena* arena, const uint32_t* primitives, uint32_t count);
hemc_selector* hemc_selector_of_triangles(hemc_arena* arena, const uint8_t* flags, uint32_t count); // of the model
hemc_selector* hemc_selector_of_bones(hemc_arena* arena, const uint8_t* bones, uint32_t count, float weight);

#endif
