// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_JSON_H
#define HEM_TOOLS_JSON_H

// Writes JSON as it goes: begin and end must match, commas and indentation take care of themselves. Numbers that are not
// finite become null, since JSON has no word for them.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE* out;
    int32_t depth;
    bool filled; // something stands at this depth already
} json;

// `name` is NULL inside arrays and for the outermost value.
void json_begin(json* j, const char* name, char bracket); // '{' or '['
void json_end(json* j, char bracket);                     // '}' or ']'
void json_text(json* j, const char* name, const char* value);
void json_number(json* j, const char* name, double value);
void json_integer(json* j, const char* name, int64_t value);
void json_flag(json* j, const char* name, bool value);
void json_hex(json* j, const char* name, const uint8_t* bytes, int32_t count);

#endif
