// SPDX-License-Identifier: MIT
#include "tools/options.h"
#include "tools/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 48, OPTIONS_MAX = 64 };

// Letters to insert, delete or change to get from a to b.
static int32_t edit_distance(const char* a, const char* b) {
    size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a >= WORD_MAX || length_b >= WORD_MAX) {
        return WORD_MAX;
    }
    int32_t row[WORD_MAX + 1];
    for (size_t j = 0; j <= length_b; j++) {
        row[j] = (int32_t)j;
    }
    for (size_t i = 1; i <= length_a; i++) {
        int32_t corner = row[0];
        row[0] = (int32_t)i;
        for (size_t j = 1; j <= length_b; j++) {
            int32_t best = corner + (a[i - 1] != b[j - 1]);
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            corner = row[j];
            row[j] = best;
        }
    }
    return row[length_b];
}

const char* option_nearest(const char* text, const char* const* choices, int32_t choice_count) {
    const char* best = NULL;
    int32_t best_distance = (int32_t)strlen(text) / 3 + 2;
    for (int32_t i = 0; i < choice_count; i++) {
        int32_t distance = edit_distance(text, choices[i]);
        if (distance < best_distance) {
            best_distance = distance;
            best = choices[i];
        }
    }
    return best;
}

static void print_help(const option_table* table) {
    printf("usage: %s\n\n%s\n", table->usage, table->about);
    if (table->option_count > 0) {
        printf("\noptions:\n");
    }
    for (int32_t i = 0; i < table->option_count; i++) {
        const option* o = &table->options[i];
        char head[64];
        snprintf(head, sizeof(head), "%s%s%s", o->name, o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
        printf("  %-26s %s\n", head, o->help);
    }
}

static const option* find_option(const option_table* table, const char* name, size_t length) {
    for (int32_t i = 0; i < table->option_count; i++) {
        if (strlen(table->options[i].name) == length && memcmp(table->options[i].name, name, length) == 0) {
            return &table->options[i];
        }
    }
    return NULL;
}

static int unknown_option(const option_table* table, const char* argument) {
    const char* names[OPTIONS_MAX];
    int32_t count = table->option_count < OPTIONS_MAX ? table->option_count : OPTIONS_MAX;
    for (int32_t i = 0; i < count; i++) {
        names[i] = table->options[i].name;
    }
    const char* near = option_nearest(argument, names, count);
    return near != NULL ? command_fail(COMMAND_USAGE, "unknown option '%s'; did you mean '%s'?", argument, near)
                        : command_fail(COMMAND_USAGE, "unknown option '%s'; --help lists them", argument);
}

int options_parse(const option_table* table, int argc, char** argv) {
    bool only_files = false;
    *table->file_count = 0;
    for (int i = 1; i < argc; i++) {
        const char* argument = argv[i];
        if (only_files || argument[0] != '-' || argument[1] == 0) {
            if (*table->file_count == table->file_capacity) {
                return command_fail(COMMAND_USAGE, "'%s' is one argument too many; usage: %s", argument, table->usage);
            }
            table->files[(*table->file_count)++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            only_files = true;
            continue;
        }
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            print_help(table);
            return COMMAND_OK;
        }
        const char* equals = strchr(argument, '=');
        size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
        const option* o = find_option(table, argument, length);
        if (o == NULL) {
            return unknown_option(table, argument);
        }
        if (o->value == NULL) {
            if (equals != NULL) {
                return command_fail(COMMAND_USAGE, "%s takes no value", o->name);
            }
            *o->flag = true;
        } else if (equals != NULL) {
            *o->text = equals + 1;
        } else if (i + 1 < argc) {
            *o->text = argv[++i];
        } else {
            return command_fail(COMMAND_USAGE, "%s needs a value: %s", o->name, o->value);
        }
    }
    return -1;
}

static bool read_number(const char* text, const char** end, float* value) {
    char* stop = NULL;
    float number = strtof(text, &stop);
    *end = stop;
    *value = number;
    return stop != text && number == number && number < 1e30f && number > -1e30f;
}

int option_number(const char* name, const char* text, float low, float high, float* value) {
    if (text == NULL) {
        return COMMAND_OK;
    }
    const char* end;
    float number;
    if (!read_number(text, &end, &number) || *end != 0 || number < low || number > high) {
        return command_fail(COMMAND_USAGE, "%s wants a number from %g to %g, not '%s'", name, (double)low, (double)high,
                            text);
    }
    *value = number;
    return COMMAND_OK;
}

int option_count(const char* name, const char* text, int32_t low, int32_t high, int32_t* value) {
    float number = (float)*value;
    int code = option_number(name, text, (float)low, (float)high, &number);
    if (code == COMMAND_OK && number != (float)(int32_t)number) {
        return command_fail(COMMAND_USAGE, "%s wants a whole number, not '%s'", name, text);
    }
    *value = code == COMMAND_OK ? (int32_t)number : *value;
    return code;
}

int option_vector(const char* name, const char* text, float value[3]) {
    if (text == NULL) {
        return COMMAND_OK;
    }
    float v[3];
    const char* at = text;
    for (int32_t i = 0; i < 3; i++) {
        const char* end;
        if (!read_number(at, &end, &v[i]) || *end != (i < 2 ? ',' : 0)) {
            return command_fail(COMMAND_USAGE, "%s wants three numbers X,Y,Z, not '%s'", name, text);
        }
        at = end + 1;
    }
    memcpy(value, v, sizeof(v));
    return COMMAND_OK;
}

int option_size(const char* name, const char* text, int32_t* width, int32_t* height) {
    if (text == NULL) {
        return COMMAND_OK;
    }
    int w = 0, h = 0;
    char rest;
    if (sscanf(text, "%5dx%5d%c", &w, &h, &rest) != 2 || w < 16 || h < 16 || w > 8192 || h > 8192) {
        return command_fail(COMMAND_USAGE, "%s wants WIDTHxHEIGHT, each from 16 to 8192, not '%s'", name, text);
    }
    *width = w;
    *height = h;
    return COMMAND_OK;
}

int option_choice(const char* name, const char* text, const char* const* choices, int32_t choice_count,
                  int32_t* index) {
    if (text == NULL) {
        return COMMAND_OK;
    }
    char list[512] = "";
    for (int32_t i = 0; i < choice_count; i++) {
        if (strcmp(choices[i], text) == 0) {
            *index = i;
            return COMMAND_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "", choices[i]);
    }
    return command_fail(COMMAND_USAGE, "%s cannot be '%s'; it is one of %s", name, text, list);
}
