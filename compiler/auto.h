// SPDX-License-Identifier: MIT
#ifndef HEMC_AUTO_H
#define HEMC_AUTO_H

// What the files of automatic mode share: auto.c (what is loose), auto_hems.c (skirts by shape), auto_pieces.c
// (second thoughts), auto_tune.c (spacing).

#include "compiler/hemc_internal.h"

typedef enum hemc_auto_kind {
    HEMC_AUTO_SURE, // found by bones: all of it is loose
    HEMC_AUTO_CLOTH,
    HEMC_AUTO_HAIR,
} hemc_auto_kind;

// owner[t] = part or HEM_NONE; changed for pieces that belong to another part, or to none.
void hemc_auto_pieces(hemc_arena* arena, const hemc_model* model, const hemc_auto_kind* kinds, uint32_t part_count,
                      int32_t* owner);

// Marks the triangles of nameless skirts among those without an owner; *primitive is one of the first. (auto_hems.c)
bool hemc_auto_hems(hemc_arena* arena, const hemc_model* model, const int32_t* owner, uint8_t* skirt,
                    uint32_t* primitive);

double hemc_auto_finest(const hemc_model* model); // least spacing that automatic mode chooses (auto.c)
double hemc_two_digits(double value);             // rounded to a number to talk about (auto.c)

#endif
