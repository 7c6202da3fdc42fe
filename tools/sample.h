// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_SAMPLE_H
#define HEM_TOOLS_SAMPLE_H

// The sample characters, for tools that measure on them.

#include <stdbool.h>

enum { SAMPLE_PATH_MAX = 1024 };

typedef struct sample_folders {
    const char* bin;     // where hem_samples is
    const char* samples; // the .glb files, made there when missing
    const char* recipes;
} sample_folders;

sample_folders sample_folders_default(void); // as seen from the root of the repository

// Where a sample and its recipe are; a recipe NAME_MORE without a model of that name is a second one for NAME. All three
// texts have room for SAMPLE_PATH_MAX. False: `why` says what is missing.
bool sample_find(const sample_folders* folders, const char* name, char* glb, char* recipe, char* why);

#endif
