// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"
#include "compiler/recipe/json.h"

#include <math.h>
#include <string.h>

// Automatic mode: how many metres one unit of the file is.
//
// glTF says metres, and many files are in something else: a wolf of three units, a person of 180. Gravity is not, so what
// swings would swing too slowly or too fast, and weigh a hundred times too much. Two things tell how large a
// character is meant to be: a skeleton that stands upright on two legs is a person's, and the name of an animal. A
// size within the range that artists draw such a thing in is left alone. Otherwise the usual slips are tried
// first (centimetres, millimetres, inches, a lost factor of ten), then the size itself.
//
// Only names inside the file are read: the same bytes under another file name give the same result.

typedef struct known_size {
    const char* word;
    float metres; // from the ground to the top, or along the body of what swims
    bool along;
} known_size;

// clang-format off
static const known_size sizes[] = {
    {"wolf", 0.95f, false}, {"dog", 0.7f, false}, {"husky", 0.75f, false}, {"shiba", 0.5f, false},
    {"corgi", 0.4f, false}, {"pug", 0.35f, false}, {"puppy", 0.3f, false}, {"cat", 0.35f, false},
    {"kitten", 0.2f, false}, {"fox", 0.5f, false}, {"horse", 2.1f, false}, {"pony", 1.4f, false},
    {"donkey", 1.5f, false}, {"zebra", 1.7f, false}, {"cow", 1.6f, false}, {"bull", 1.7f, false},
    {"deer", 1.5f, false}, {"stag", 1.8f, false}, {"sheep", 0.9f, false}, {"goat", 0.9f, false},
    {"pig", 0.9f, false}, {"bear", 1.3f, false}, {"panda", 1.0f, false}, {"lion", 1.2f, false},
    {"tiger", 1.1f, false}, {"rabbit", 0.4f, false}, {"bunny", 0.4f, false}, {"hare", 0.5f, false},
    {"rat", 0.12f, false}, {"mouse", 0.08f, false}, {"squirrel", 0.25f, false}, {"chicken", 0.45f, false},
    {"rooster", 0.5f, false}, {"duck", 0.4f, false}, {"goose", 0.8f, false}, {"penguin", 0.9f, false},
    {"crow", 0.4f, false}, {"parrot", 0.35f, false}, {"frog", 0.1f, false}, {"alpaca", 1.5f, false},
    {"llama", 1.7f, false}, {"camel", 2.1f, false}, {"elephant", 3.2f, false}, {"giraffe", 5.0f, false},
    {"monkey", 0.7f, false}, {"gorilla", 1.7f, false}, {"raccoon", 0.35f, false}, {"goldfish", 0.12f, true},
    {"clownfish", 0.1f, true}, {"koi", 0.6f, true}, {"fish", 0.3f, true}, {"shark", 3.5f, true},
    {"dolphin", 2.5f, true}, {"whale", 14.0f, true}, {"manta", 4.0f, true}, {"crocodile", 4.0f, true},
};
static const char* const giants[] = {"giant", "troll", "ogre", "golem", "titan", "yeti", "mech", "robot", "dragon",
                                     "dinosaur", "rex", "colossus", "cyclops", "monster", "kaiju", "doll", "toy",
                                     "fairy", "pixie", "figurine", "statue", "gnome", "goblin"};
// clang-format on
static const double slips[] = {0.01, 0.1, 0.001, 100.0, 10.0, 0.0254, 1000.0};

#define PERSON 1.7
#define PERSON_LEAST 0.8 // a child, a figure with a large head and short legs
#define PERSON_MOST 2.8
#define GIANT 2.5
#define GIANT_MOST 15.0
#define GIANT_LEAST 0.05
#define ANIMAL 1.0 // of which nobody says what it is
#define ANIMAL_LEAST 0.08
#define ANIMAL_MOST 2.5
#define ANY_LEAST 0.05 // of whatever has a skeleton without telling names
#define ANY_MOST 15.0
#define STATURE 1.18  // of the way from ankle to the root of the head
#define DRAWN 2.2     // an animal is drawn larger or smaller than life by up to this
#define PLAUSIBLE 1.7 // after one of the usual slips

typedef struct bone_words {
    const char* words[9];
} bone_words;

static bool holds_any(const char* name, const bone_words* w) {
    return hemc_name_holds_any(name, w->words, 9);
}

static const bone_words heads = {{"head", "頭", "头", "머리"}}, feet = {{"foot", "ankle", "feet", "足首", "脚踝"}},
                        arms = {{"hand", "wrist", "arm", "fist", "elbow", "腕", "ひじ", "手首", "手臂"}},
                        legs = {{"leg", "thigh", "knee", "calf", "shin", "足", "ひざ", "腿"}},
                        hips = {{"hip", "hips", "pelvis", "spine", "torso", "センター", "下半身", "臀"}},
                        fore = {{"front", "frontleg", "foreleg", "forepaw", "前足"}};

typedef struct stance {
    bool person;  // it has what a person's skeleton has
    bool animal;  // it has forelegs
    bool upright; // and its head is above its hips
    bool lies;    // feet, hips and head lie one behind the other along the ground
    double stature;
} stance;

// The height of whoever has this skeleton, by its bones and what hangs on them; 0 = it is not upright on two legs.
static stance stance_of(const hemc_model* model, double mesh_height) {
    stance s = {0};
    double head = 1e30, foot[3] = {0, 1e30, 0}, hip[3] = {0}, top[3] = {0, -1e30, 0}, highest[3] = {0, -1e30, 0};
    uint32_t arm_count = 0, leg_count = 0, hip_count = 0;
    bool has_foot = false;
    for (uint32_t b = 0; b < model->bone_count; ++b) {
        const hemc_bone_def* bone = &model->bone_defs[b];
        const bool of_arm = holds_any(bone->name, &arms), of_leg = holds_any(bone->name, &legs);
        const double at[3] = {bone->bind[3], bone->bind[7], bone->bind[11]};
        s.animal = s.animal || holds_any(bone->name, &fore);
        if (holds_any(bone->name, &heads)) {
            if (at[1] < head) {
                head = at[1];
                memcpy(top, at, sizeof(top));
            }
        } else if (holds_any(bone->name, &feet)) {
            if (!has_foot || at[1] < foot[1]) {
                memcpy(foot, at, sizeof(foot));
                has_foot = true;
            }
        } else if (hip_count == 0 && holds_any(bone->name, &hips)) {
            memcpy(hip, at, sizeof(hip));
            ++hip_count;
        } else if (!of_arm && !of_leg && at[1] > highest[1]) {
            memcpy(highest, at, sizeof(highest));
        }
        arm_count += of_arm;
        leg_count += of_leg;
    }
    if (top[1] == -1e30) { // Rigify's head is the last bone of the spine
        memcpy(top, highest, sizeof(top));
    }
    s.person = !s.animal && top[1] != -1e30 && has_foot && hip_count != 0 && arm_count >= 2 && leg_count >= 2;
    const double up = top[1] - hip[1], across = hypot(top[0] - hip[0], top[2] - hip[2]);
    const double under = hip[1] - foot[1], behind = hypot(hip[0] - foot[0], hip[2] - foot[2]);
    s.upright = s.person && up >= across && top[1] > foot[1];
    const double along = (top[0] - hip[0]) * (hip[0] - foot[0]) + (top[2] - hip[2]) * (hip[2] - foot[2]);
    s.lies = s.person && across > 2.0 * fabs(up) && behind > 2.0 * fabs(under) && along > 0.8 * across * behind;
    if (s.upright) {
        const double by_bones = STATURE * (top[1] - foot[1]);
        // A garment or a wig alone says nothing; a figure whose head is half of it says more than its bones.
        s.stature = mesh_height > by_bones && mesh_height < 2.0 * by_bones ? mesh_height : by_bones;
    }
    return s;
}

// The first name in the file that holds the word of some animal.
static const known_size* animal_of(const hemc_model* model, const char** name) {
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const hemc_primitive* primitive = &model->primitives[p];
        const char* names[3] = {primitive->node_name, primitive->mesh_name, primitive->material_name};
        for (int i = 0; i < 3; ++i) {
            for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); ++k) {
                if (hemc_name_holds(names[i], sizes[k].word)) {
                    *name = names[i];
                    return &sizes[k];
                }
            }
        }
    }
    return NULL;
}

static bool is_no_common_size(const hemc_model* model) {
    for (uint32_t p = 0; p < model->primitive_count; ++p) {
        const char* names[2] = {model->primitives[p].node_name, model->primitives[p].mesh_name};
        for (size_t k = 0; k < sizeof(giants) / sizeof(giants[0]); ++k) {
            if (hemc_name_holds(names[0], giants[k]) || hemc_name_holds(names[1], giants[k])) {
                return true;
            }
        }
    }
    return false;
}

static double pick(double size, double wanted, double within) {
    for (size_t i = 0; i < sizeof(slips) / sizeof(slips[0]); ++i) {
        double ratio = size * slips[i] / wanted;
        if (ratio < within && ratio > 1.0 / within) {
            return slips[i];
        }
    }
    return hemc_two_digits(wanted / size);
}

double hemc_auto_scale(hemc_arena* arena, hemc_log* log, const hemc_model* model) {
    double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
    for (uint32_t v = 0; v < model->vertex_count; ++v) {
        const double at[3] = {model->positions[v].x, model->positions[v].y, model->positions[v].z};
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    double height = high[1] - low[1], length = fmax(height, fmax(high[0] - low[0], high[2] - low[2]));
    const char* name = "";
    const stance stands = stance_of(model, height);
    const double stature = model->bone_count > 1 ? stands.stature : 0.0;
    const known_size* animal = animal_of(model, &name);
    double size = stature, wanted = PERSON, scale = 1.0;
    const char* what = "a skeleton that stands on two legs is a person's";
    bool odd;
    if (is_no_common_size(model)) { // anything between a toy and a colossus
        size = stature > 0.0 ? stature : height;
        wanted = GIANT;
        what = "even a giant or a toy has some size";
        odd = size > GIANT_MOST || length < GIANT_LEAST;
    } else if (animal != NULL && stature == 0.0) {
        size = animal->along ? length : height;
        wanted = (double)animal->metres;
        what = hemc_format(arena, "\"%s\" is a %s", name, animal->word);
        odd = size > DRAWN * wanted || size < wanted / DRAWN;
    } else if (stature > 0.0) {
        odd = stature > PERSON_MOST || stature < PERSON_LEAST;
    } else if (stands.animal) {
        size = height;
        wanted = ANIMAL;
        what = "a skeleton on four legs is an animal's";
        odd = height > ANIMAL_MOST || height < ANIMAL_LEAST;
    } else if (model->bone_count >= 3 && (length > ANY_MOST || length < ANY_LEAST)) {
        const bool upright = hemc_auto_upright(arena, model);
        size = upright ? height : length;
        wanted = upright ? PERSON : ANIMAL;
        what = "whatever has a skeleton has some size";
        odd = true;
    } else {
        odd = false;
    }
    if (stands.lies) {
        hemc_warn(
            log, model->path, "",
            "the character lies along the ground, feet, hips and head: glTF has Y up, and what is up is found by it. "
            "Export with +Y up, or apply the rotation of the root");
    }
    if (odd && size > 0.0) {
        scale = pick(size, wanted, wanted == ANIMAL ? 1.2 * PLAUSIBLE : PLAUSIBLE);
        hemc_text why = {.arena = arena};
        hemc_text_add(&why, "automatic size: %s, and ", what);
        hemc_text_number(&why, hemc_two_digits(size));
        hemc_text_add(&why, " m is no size for it: one unit is taken as ");
        hemc_text_number(&why, scale);
        hemc_text_add(&why, " m, which makes it ");
        hemc_text_number(&why, hemc_two_digits(size * scale));
        hemc_text_add(&why, " m (--scale says otherwise)");
        hemc_note(log, model->path, "", "%s", why.data);
    } else if (height > 15.0 || length < 0.05) {
        hemc_warn(log, model->path, "",
                  "the model is %s: if it is not in metres, give --scale or \"scale\" in a recipe",
                  height > 15.0 ? "more than 15 m high" : "less than 5 cm large");
    }
    return scale;
}
