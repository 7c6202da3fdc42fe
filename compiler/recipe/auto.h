// SPDX-License-Identifier: MIT
#ifndef HEMC_AUTO_H
#define HEMC_AUTO_H

// What the files of automatic mode share: auto.c (what is loose), auto_names.c (what names tell), auto_size.c (metres),
// auto_hems.c (skirts by shape), auto_shape.c (all by shape, where nothing is named), auto_pieces.c (second thoughts), auto_tune.c (spacing), auto_springs.c (what a VRM swings),
// auto_cards.c (hair of locks), auto_left.c (what was left alone, and why).

#include "compiler/hemc_internal.h"
#include "compiler/recipe/recipe.h"

typedef enum hemc_loose_kind {
    HEMC_LOOSE_CLOTH,
    HEMC_LOOSE_HAIR,
    HEMC_LOOSE_FLESH,  // tails, ears, bellies
    HEMC_LOOSE_FIN,    // a thin, springy sheet of flesh
    HEMC_LOOSE_SPRING, // a VRM says that it swings, and no more
} hemc_loose_kind;

typedef struct hemc_loose_word {
    const char* word;
    const char* part; // name of the part it makes
    hemc_loose_kind kind;
    bool whole; // must be a word of its own, not the beginning or end of one
} hemc_loose_word;

#define HEMC_LOOSE_PARTS 352 // at least the number of words

// auto_names.c
const hemc_loose_word* hemc_name_loose(const char* name); // the first telling word in a name, NULL = none
const hemc_loose_word* hemc_name_chain(const char* name); // the same of a bone that may begin a chain
bool hemc_name_is_limb(const char* name);                 // a bone of head, arms or legs that tells of nothing loose
bool hemc_name_is_accessory(const char* name);            // a sword, a hat, a hair tie: neither loose nor body
bool hemc_name_is_slot(const char* name);                 // a bone for what is held, "handslot.r"
bool hemc_primitive_is_accessory(const hemc_primitive* primitive);
const char* hemc_name_accessory(const char* name);        // the word that says so, NULL = none
bool hemc_name_holds(const char* name, const char* word); // as a word of its own; the word in small letters
// One of them, up to the first NULL; words of scripts without capitals anywhere in the name.
bool hemc_name_holds_any(const char* name, const char* const* some, int count);

// Notes on what belongs to no part and why; the names that there are, for a message. (auto_left.c)
void hemc_auto_tell_left(hemc_log* log, const hemc_model* model, const int32_t* claimed);
const char* hemc_auto_names_told(hemc_arena* arena, const hemc_model* model);

// Metres per unit of the file, 1 when nothing speaks against it; says what it assumed. (auto_size.c)
double hemc_auto_scale(hemc_arena* arena, hemc_log* log, const hemc_model* model);

// A VRM's spring bone as the numbers of a drive (auto_springs.c).
typedef struct hemc_spring_fit {
    double hz, drive_damping; // 0 Hz = no drive
    double damping;           // 1/s, without a drive
    double gravity;           // of earth's
} hemc_spring_fit;
hemc_spring_fit hemc_fit_spring(const hemc_spring_bone* bone, double length); // metres
// The tip's of a chain of several that is led aside as a whole; down: of the way of its first bone, 1 = hanging.
hemc_spring_fit hemc_fit_chain(const hemc_spring_bone* bone, double length, double down, uint32_t count);
double hemc_spring_softness(double spacing, double reach);
// How far the tip of a chain of `count` such bones hangs below its root that stands level.
double hemc_spring_hang(const hemc_spring_bone* bone, double length, uint32_t count);
void hemc_auto_swing(hemc_part_recipe* part, const hemc_spring_bone* bone, double length, double down, uint32_t count,
                     double scale, hemc_text* why);

// Colliders of a VRM that springs with these groups meet at this distance; moves: per vertex. (auto_colliders.c)
void hemc_auto_colliders(hemc_arena* arena, hemc_log* log, const hemc_model* model, const uint8_t* moves,
                         uint64_t groups, double hit_radius, hemc_recipe* recipe);

typedef enum hemc_auto_kind {
    HEMC_AUTO_SURE, // found by bones: all of it is loose
    HEMC_AUTO_CLOTH,
    HEMC_AUTO_HAIR,
    HEMC_AUTO_EARS, // by bones or names: those that lie on the head, as a person's do, stay
} hemc_auto_kind;

// owner[t] = part or HEM_NONE; changed for pieces that belong to another part, or to none.
void hemc_auto_pieces(hemc_arena* arena, const hemc_model* model, const hemc_auto_kind* kinds, uint32_t part_count,
                      int32_t* owner);

// Marks the triangles of nameless skirts among those without an owner; *primitive is one of the first. (auto_hems.c)
bool hemc_auto_hems(hemc_arena* arena, const hemc_model* model, const int32_t* owner, uint8_t* skirt,
                    uint32_t* primitive);

// Where no name tells anything: garments and hair by shape and bones; returns how many. (auto_shape.c)
enum { HEMC_AUTO_SHAPES = 8 };
typedef struct hemc_auto_shape {
    const char* part;
    hemc_loose_kind kind;
    const char* why;
    const uint8_t* mask; // per triangle
} hemc_auto_shape;
uint32_t hemc_auto_shapes(hemc_arena* arena, const hemc_model* model, hemc_auto_shape found[HEMC_AUTO_SHAPES]);
// The bone of the head, by weights and places alone; HEM_NONE = none.
int32_t hemc_auto_head(hemc_arena* arena, const hemc_model* model);
// Whether the skeleton stands: fish and wolves do not.
bool hemc_auto_upright(hemc_arena* arena, const hemc_model* model);
// Chains of bones that go down from the head, and the bones that hold them; returns how many.
uint32_t hemc_auto_head_chains(hemc_arena* arena, const hemc_model* model, uint8_t* bones, uint8_t* anchors);
// Chains of bones in the middle that lead away from the head, as tails do; returns how many.
uint32_t hemc_auto_tail_chains(hemc_arena* arena, const hemc_model* model, uint8_t* bones, uint8_t* anchors);
// Pairs of chains of bones, left and right, that stand up from the head, as ears do; returns how many pairs.
uint32_t hemc_auto_ear_chains(hemc_arena* arena, const hemc_model* model, uint8_t* bones, uint8_t* anchors);
// Of hair: how many guides the locks and cards of it need, 0 = it is none of either; *length of one, units of the file.
// (auto_cards.c)
uint32_t hemc_auto_locks(hemc_arena* arena, const hemc_model* model, const uint8_t* mask, double* length);
double hemc_auto_finest(const hemc_model* model); // least spacing that automatic mode chooses (auto.c)
double hemc_two_digits(double value);             // rounded to a number to talk about (auto.c)

#endif
