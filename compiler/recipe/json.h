// SPDX-License-Identifier: MIT
#ifndef HEMC_RECIPE_JSON_H
#define HEMC_RECIPE_JSON_H

#include "compiler/hemc_internal.h"

typedef enum hemc_json_kind {
    HEMC_JSON_NULL,
    HEMC_JSON_FALSE,
    HEMC_JSON_TRUE,
    HEMC_JSON_NUMBER,
    HEMC_JSON_STRING,
    HEMC_JSON_ARRAY,
    HEMC_JSON_OBJECT
} hemc_json_kind;

typedef struct hemc_json {
    hemc_json_kind kind;
    uint32_t count;     // items of an array, members of an object
    const char* key;    // of a member; NULL otherwise
    const char* string; // decoded, UTF-8
    double number;
    struct hemc_json* first; // item or member, in order
    struct hemc_json* next;
    struct hemc_json* parent;
    size_t begin, end; // bytes of the value in the text
} hemc_json;

#define HEMC_JSON_DEPTH_LIMIT 64

// A syntax error is logged with line and column. `comments` allows // and /* */ and a comma after the last item.
// `path` goes before the position in messages, for text that was embedded in another file.
hemc_json* hemc_json_parse(hemc_arena* arena, hemc_log* log, const char* file, const char* path, const char* text,
                           size_t size, bool comments);
const hemc_json* hemc_json_member(const hemc_json* object, const char* key); // NULL = absent
const char* hemc_json_kind_name(hemc_json_kind kind);                        // "a number", "an array"
// JSON pointer of a value, after `prefix`; '~' and '/' in keys are escaped.
char* hemc_json_pointer(hemc_arena* arena, const char* prefix, const hemc_json* value);
void hemc_json_position(const char* text, size_t at, uint32_t* line, uint32_t* column); // from 1

// Locale independent. Returns the number of bytes used, 0 when no JSON number begins at text.
size_t hemc_parse_number(const char* text, size_t size, double* value);
double hemc_parse_float(const char* text); // atof without locale

// Levenshtein distance with swapped neighbours counted once; for "did you mean".
uint32_t hemc_edit_distance(const char* a, const char* b);

// -- Writing

typedef struct hemc_text {
    hemc_arena* arena;
    char* data;
    size_t size, capacity;
} hemc_text;

void hemc_text_add(hemc_text* text, const char* format, ...);
void hemc_text_bytes(hemc_text* text, const char* bytes, size_t size);
void hemc_text_quoted(hemc_text* text, const char* string); // with quotes and escapes
// The shortest of %.6g, %.9g, %.17g that reads back as `value` would as float; '.' in every locale; null if not finite.
void hemc_text_number(hemc_text* text, double value);

#endif
