// SPDX-License-Identifier: MIT
#include "tools/sample.h"
#include "platform/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sample_folders sample_folders_default(void) {
    return (sample_folders){"build/bin", "build/samples", "samples"};
}

static bool model_of(const sample_folders* folders, const char* name, char* glb) {
    char model[128];
    snprintf(model, sizeof(model), "%s", name);
    for (;;) {
        snprintf(glb, SAMPLE_PATH_MAX, "%s/%s.glb", folders->samples, model);
        char* end = strrchr(model, '_');
        if (hem_file_exists(glb)) {
            return true;
        }
        if (end == NULL) {
            return false;
        }
        *end = 0;
    }
}

bool sample_find(const sample_folders* folders, const char* name, char* glb, char* recipe, char* why) {
    snprintf(recipe, SAMPLE_PATH_MAX, "%s/%s.json", folders->recipes, name);
    if (!hem_file_exists(recipe)) {
        snprintf(why, SAMPLE_PATH_MAX, "no recipe %s; run from the root of the repository or give --recipes", recipe);
        return false;
    }
    if (!model_of(folders, name, glb)) {
        char command[3 * SAMPLE_PATH_MAX];
        hem_directory_make(folders->samples, NULL);
        snprintf(command, sizeof(command), "\"%s/hem_samples\" \"%s\" >\"%s/samples.log\" 2>&1", folders->bin,
                 folders->samples, folders->samples);
        if (system(command) != 0 || !model_of(folders, name, glb)) {
            snprintf(why, SAMPLE_PATH_MAX, "no %s/%s.glb, and %s/hem_samples did not make it", folders->samples, name,
                     folders->bin);
            return false;
        }
    }
    return true;
}
