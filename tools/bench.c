// SPDX-License-Identifier: MIT
#include "tools/bench.h"
#include "tools/bench_private.h"
#include "tools/command.h"
#include "tools/options.h"
#include "platform/file.h"
#include "platform/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `hem bench`: runs the workloads and keeps their results. What each measures is in the file of its name; how it is
// measured in bench_measure.c; what is said about it in bench_report.c.

static hem_progress progress;

void bench_progress(const char* text) {
    hem_progress_show(&progress, "bench: %s", text);
}

bench_result* bench_add(bench* b, const char* workload, const char* contestant) {
    if (b->result_count == BENCH_RESULTS_MAX) {
        return NULL;
    }
    bench_result* r = &b->results[b->result_count++];
    memset(r, 0, sizeof(*r));
    snprintf(r->workload, sizeof(r->workload), "%s", workload);
    snprintf(r->contestant, sizeof(r->contestant), "%s", contestant);
    r->times = (bench_times){NAN, NAN, NAN};
    r->particle_count = r->projection_count = r->bytes_per_particle = r->state_bytes_per_particle = NAN;
    r->allocations_per_frame = r->stretch_mean = r->stretch_max = r->deep = r->crossed = r->lane_fill = NAN;
    r->bytes_per_constraint = r->rate = NAN;
    return r;
}

const bench_result* bench_find(const bench* b, const char* workload, const char* contestant) {
    for (int32_t i = 0; i < b->result_count; i++) {
        if (strcmp(b->results[i].workload, workload) == 0 && strcmp(b->results[i].contestant, contestant) == 0) {
            return &b->results[i];
        }
    }
    return NULL;
}

void bench_note(bench* b, const char* format, ...) {
    if (b->note_count < BENCH_NOTES_MAX) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(b->notes[b->note_count], sizeof(b->notes[0]), format, arguments);
        va_end(arguments);
        for (int32_t i = 0; i < b->note_count; i++) {
            if (strcmp(b->notes[i], b->notes[b->note_count]) == 0) {
                return;
            }
        }
        b->note_count++;
    }
}

// `*` stands for anything, `?` for one letter; without either, any part of the name will do.
static bool matches(const char* pattern, const char* name) {
    for (; *pattern != 0; pattern++, name++) {
        if (*pattern == '*') {
            for (const char* rest = name;; rest++) {
                if (matches(pattern + 1, rest)) {
                    return true;
                }
                if (*rest == 0) {
                    return false;
                }
            }
        }
        if (*name == 0 || (*pattern != '?' && *pattern != *name)) {
            return false;
        }
    }
    return *name == 0;
}

bool bench_wants(const bench* b, const char* workload) {
    return b->only == NULL ||
           (strpbrk(b->only, "*?") != NULL ? matches(b->only, workload) : strstr(workload, b->only) != NULL);
}

int hem_bench_main(int argc, char** argv) {
    const char* json_path = NULL;
    const char* plot_path = NULL;
    const char* frames = NULL;
    const char* turns = NULL;
    int32_t file_count = 0;
    bool alone = false;
    bench b;
    memset(&b, 0, sizeof(b));
    b.folders = sample_folders_default();
    b.work_folder = "build/bench";
    const option options[] = {
        {"--only", "PATTERN", "workloads whose name holds PATTERN, or matches it when it has * or ?", &b.only, NULL},
        {"--json", "FILE", "write the results as JSON (default of a whole run: results.json in the work folder)",
         &json_path, NULL},
        {"--plot", "FILE", "draw frame times as a PNG (default of a whole run: results.png in the work folder)",
         &plot_path, NULL},
        {"--frames", "N", "timed frames per workload (default 300), after a fifth as many to warm up", &frames, NULL},
        {"--repeat", "N", "run sheets, groups and scenes N times and keep the least that each frame took (default 1)",
         &turns, NULL},
        {"--alone", NULL, "without other engines and programs", NULL, &alone},
        {"--bin", "FOLDER", "where hem_samples and wasm/hem.wasm are (default build/bin)", &b.folders.bin, NULL},
        {"--samples", "FOLDER", "sample characters, made there when missing (default build/samples)",
         &b.folders.samples, NULL},
        {"--recipes", "FOLDER", "their recipes (default samples)", &b.folders.recipes, NULL},
        {"--work", "FOLDER", "for files passed on to other programs (default build/bench)", &b.work_folder, NULL},
    };
    const option_table table = {
        .usage = "hem bench [options]",
        .about =
            "Measures Hem beside Bullet (native) and Jolt (WebAssembly) on the same work, one core. Run it from the "
            "root of the repository. Times are of the core, so that other work on the machine disturbs little.",
        .options = options,
        .option_count = (int32_t)HEM_COUNT_OF(options),
        .file_count = &file_count,
    };
    int code = options_parse(&table, argc, argv);
    if (code >= 0) {
        return code;
    }
    b.frame_count = 300;
    code = option_count("--frames", frames, 10, 100000, &b.frame_count);
    b.warm_count = b.frame_count / 5;
    b.turn_count = 1;
    code = code == COMMAND_OK ? option_count("--repeat", turns, 1, 100, &b.turn_count) : code;
    b.peers = !alone;
    char json_default[BENCH_PATH_MAX], plot_default[BENCH_PATH_MAX];
    if (b.only == NULL) { // part of a run does not write over a whole one
        snprintf(json_default, sizeof(json_default), "%s/results.json", b.work_folder);
        snprintf(plot_default, sizeof(plot_default), "%s/results.png", b.work_folder);
        json_path = json_path != NULL ? json_path : json_default;
        plot_path = plot_path != NULL ? plot_path : plot_default;
    }
    if (code != COMMAND_OK) {
        return code;
    }
    hem_file_error error;
    if (!hem_directory_make(b.work_folder, &error)) {
        return command_fail(COMMAND_IO, "%s", error.text);
    }
    code = command_check_outputs((const char*[]){json_path, plot_path}, 2, NULL, 0);
    if (code != COMMAND_OK) {
        return code;
    }
#if !HEM_WITH_BULLET
    if (b.peers) {
        bench_note(&b, "built without Bullet: install libbullet-dev and build again to compare with it");
    }
#endif
    hem_progress_begin(&progress, stderr);
    bench_run_sheets(&b);
    bench_run_groups(&b);
    bench_run_kinds(&b);
    bench_run_scenes(&b);
    bench_run_data(&b);
    bench_run_compile(&b);
    bench_run_wasm(&b);
    hem_progress_end(&progress);
    if (b.result_count == 0 && b.note_count == 0) {
        return command_fail(COMMAND_USAGE, "no workload matches '%s'", b.only);
    }
    bench_print(&b);
    if (json_path != NULL) {
        code = bench_write_json(&b, json_path);
    }
    if (code == COMMAND_OK && plot_path != NULL) {
        code = bench_write_plot(&b, plot_path);
    }
    if (code == COMMAND_OK && json_path != NULL) {
        printf("\nas JSON: %s\n", json_path);
    }
    if (code == COMMAND_OK && plot_path != NULL) {
        printf("as a plot: %s\n", plot_path);
    }
    return code;
}
