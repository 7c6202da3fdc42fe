// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_REFUSE_H
#define HEM_RUNTIME_REFUSE_H

// What a call says when it refuses: which call, which field of what, the value seen and what it should have been. The text
// lies in the scene (hem_scene_refusal), or in a buffer of the game where there is no scene yet. Nothing is allocated, and
// libc is not asked for its printf.

#include "runtime/src/internal.h"

typedef struct hemi_fault {
    const char* of;      // "colliders": the field is colliders[of_index].field; NULL = the field stands alone
    int32_t of_index;    // HEM_NONE = of is no array: root.position
    const char* field;   // NULL = the element of `of` itself
    int32_t field_index; // HEM_NONE = no array
    double value;
    uint32_t has_value;
    const char* rule; // what it must be; NULL = from low to high, or the text of the result where both are 0
    double low, high;
} hemi_fault;

typedef struct hemi_text { // always ends with a zero, and is cut where it does not fit
    char* begin;
    size_t size, used;
} hemi_text;

void hemi_text_add(hemi_text* text, const char* more); // NULL = nothing
void hemi_text_number(hemi_text* text, double value);  // six digits that mean something
void hemi_text_fault(hemi_text* text, const char* call, hem_result result, const hemi_fault* fault);

// All of them give `result` back and leave its text in the scene, which has been checked. fault NULL = the result says all.
hem_result hemi_refuse(const hem_scene* scene, const char* call, hem_result result, const hemi_fault* fault);
hem_result hemi_refuse_null(const hem_scene* scene, const char* call, const char* field);
hem_result hemi_refuse_value(const hem_scene* scene, const char* call, hem_result result, const char* field,
                             double value, const char* rule);

// Whose field it is, for faults that were found without knowing it.
static inline hemi_fault hemi_fault_of(const char* of, int32_t of_index, hemi_fault fault) {
    fault.of = of;
    fault.of_index = of_index;
    return fault;
}

static inline hemi_fault hemi_fault_value(const char* field, int32_t field_index, double value, const char* rule) {
    hemi_fault fault = {NULL, HEM_NONE, field, field_index, value, 1, rule, 0, 0};
    return fault;
}

// Where the rule says all.
static inline hemi_fault hemi_fault_plain(const char* of, int32_t of_index, const char* field, const char* rule) {
    hemi_fault fault = {of, of_index, field, HEM_NONE, 0, 0, rule, 0, 0};
    return fault;
}

static inline hemi_fault hemi_fault_null(const char* field) {
    return hemi_fault_plain(NULL, HEM_NONE, field, "is NULL");
}

#endif
