// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_OPTIONS_H
#define HEM_TOOLS_OPTIONS_H

// Command lines: a table of options says what there is; the same table prints the help. `--name value` and `--name=value`
// are the same. Mistakes are named, with the nearest right spelling.

#include <stdbool.h>
#include <stdint.h>

typedef struct option {
    const char* name;  // "--clip"
    const char* value; // what stands for it in the help, "NAME"; NULL: a switch
    const char* help;
    const char** text; // where the value goes
    bool* flag;        // where a switch is noted
} option;

typedef struct option_table {
    const char* usage; // "hem play FILE.hem [options]"
    const char* about; // a sentence or two
    const option* options;
    int32_t option_count;
    const char** files; // plain arguments, in order
    int32_t file_capacity;
    int32_t* file_count;
} option_table;

// Returns -1 to go on, or an exit code to return at once (0 after --help).
int options_parse(const option_table* table, int argc, char** argv);

// Values. Each says what is wrong and returns an exit code, or 0. A NULL text leaves the default alone.
int option_number(const char* name, const char* text, float low, float high, float* value);
int option_count(const char* name, const char* text, int32_t low, int32_t high, int32_t* value);
int option_vector(const char* name, const char* text, float value[3]);                // "X,Y,Z"
int option_size(const char* name, const char* text, int32_t* width, int32_t* height); // "480x360"
int option_choice(const char* name, const char* text, const char* const* choices, int32_t choice_count, int32_t* index);

// The choice that differs from text by the fewest letters, or NULL when none is near.
const char* option_nearest(const char* text, const char* const* choices, int32_t choice_count);

#endif
