// SPDX-License-Identifier: MIT
#include "samples/glb.h"
#include "samples/kit_samples.h"
#include "platform/file.h"

#include <stdio.h>
#include <string.h>

// hem_samples OUTDIR [NAME...]
//
// Writes the sample characters as OUTDIR/NAME.glb, all but the large ones when none is named, and prints what each holds.
// Exit codes: 0 done, 1 a sample could not be built, 2 wrong arguments, 3 a file could not be written.

static const kit_sample* sample_at(int32_t i) {
    return i < kit_sample_count ? &kit_samples[i] : &kit_large_samples[i - kit_sample_count];
}

static bool wanted(int32_t sample, int argc, char** argv) {
    for (int i = 2; i < argc; ++i) {
        if (strcmp(argv[i], sample_at(sample)->name) == 0) {
            return true;
        }
    }
    return argc == 2 && sample < kit_sample_count;
}

static bool known(const char* name) {
    for (int32_t i = 0; i < kit_sample_count + kit_large_sample_count; ++i) {
        if (strcmp(sample_at(i)->name, name) == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: hem_samples OUTDIR [NAME...]\nnames:");
        for (int32_t i = 0; i < kit_sample_count + kit_large_sample_count; ++i) {
            fprintf(stderr, " %s", sample_at(i)->name);
        }
        fprintf(stderr, "\n");
        return 2;
    }
    for (int i = 2; i < argc; ++i) {
        if (!known(argv[i])) {
            fprintf(stderr, "hem_samples: no sample is called '%s' (run without arguments for the list)\n", argv[i]);
            return 2;
        }
    }
    hem_file_error error;
    if (!hem_directory_make(argv[1], &error)) {
        fprintf(stderr, "hem_samples: %s\n", error.text);
        return 3;
    }
    printf("%-24s %10s %10s %6s %6s %10s\n", "file", "triangles", "vertices", "bones", "clips", "bytes");
    for (int32_t i = 0; i < kit_sample_count + kit_large_sample_count; ++i) {
        if (!wanted(i, argc, argv)) {
            continue;
        }
        const kit_sample* sample = sample_at(i);
        kit_model* model = kit_model_new(sample->name);
        sample->build(model);
        glb_file file = glb_pack(model);
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s.glb", argv[1], sample->name);
        if (length < 0 || (size_t)length >= sizeof path || !hem_file_write(path, file.bytes, file.size, 0, &error)) {
            fprintf(stderr, "hem_samples: %s\n",
                    length > 0 && (size_t)length < sizeof path ? error.text : "the folder's name is too long");
            kit_model_free(model);
            return 3;
        }
        printf("%-24s %10d %10d %6d %6d %10zu\n", sample->name, (int)file.triangle_count, (int)file.vertex_count,
               (int)file.bone_count, (int)file.clip_count, file.size);
        kit_model_free(model);
    }
    return 0;
}
