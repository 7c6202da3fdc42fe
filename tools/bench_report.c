// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/plot.h"
#include "tools/png.h"
#include "platform/terminal.h"
#include "hem/hem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The results for people (table, targets, plot) and for scripts (JSON).

static double per_particle_ns(const bench_result* r) {
    return r->times.median_ms * 1e6 / r->particle_count;
}

static double per_projection_ns(const bench_result* r) {
    return r->times.median_ms * 1e6 / r->projection_count;
}

// "-" for what is not there. Wide enough for any number that turns up.
static const char* number(char text[24], double value, int decimals) {
    if (isnan(value)) {
        snprintf(text, 24, "-");
    } else {
        snprintf(text, 24, "%.*f", decimals, value);
    }
    return text;
}

static void print_frames(const bench* b) {
    char t[13][24];
    bool any = false;
    for (int32_t i = 0; i < b->result_count; i++) {
        const bench_result* r = &b->results[i];
        if (isnan(r->particle_count)) {
            continue;
        }
        if (!any) {
            printf("%-26s %-10s %9s %9s %9s %8s %8s %7s %6s %6s %8s %8s %6s %7s %5s\n", "frames at 60 Hz", "",
                   "median ms", "p99", "best", "ns/part", "ns/proj", "B/part", "state", "allocs", "stretch", "max",
                   "deep", "crossed", "fill");
            any = true;
        }
        const char* stretch = isnan(r->stretch_mean) ? "" : "%";
        printf("%-26s %-10s %9s %9s %9s %8s %8s %7s %6s %6s %7s%s %7s%s %6s %7s %5s\n", r->workload, r->contestant,
               number(t[0], r->times.median_ms, 4), number(t[1], r->times.p99_ms, 4), number(t[2], r->times.best_ms, 4),
               number(t[3], per_particle_ns(r), 1), number(t[4], per_projection_ns(r), 2),
               number(t[5], r->bytes_per_particle, 0), number(t[6], r->state_bytes_per_particle, 0),
               number(t[7], r->allocations_per_frame, r->allocations_per_frame > 0 ? 1 : 0),
               number(t[8], 100.0 * r->stretch_mean, 2), stretch, number(t[9], 100.0 * r->stretch_max, 1), stretch,
               number(t[10], r->deep, 0), number(t[12], r->crossed, 1), number(t[11], r->lane_fill, 2));
    }
}

static bool is_kind(const bench_result* r) {
    return r->rate_unit != NULL && strcmp(r->rate_unit, BENCH_KIND_UNIT) == 0;
}

static void print_rates(const bench* b) {
    char t[4][24];
    bool any = false;
    for (int32_t i = 0; i < b->result_count; i++) {
        const bench_result* r = &b->results[i];
        if (isnan(r->rate) || is_kind(r)) {
            continue;
        }
        if (!any) {
            printf("\n%-26s %-10s %9s %9s %9s %9s\n", "rates", "", "median ms", "p99", "best", "rate");
            any = true;
        }
        printf("%-26s %-10s %9s %9s %9s %9s %s\n", r->workload, r->contestant, number(t[0], r->times.median_ms, 4),
               number(t[1], r->times.p99_ms, 4), number(t[2], r->times.best_ms, 4),
               number(t[3], r->rate, r->rate < 100.0 ? 2 : 0), r->rate_unit);
    }
}

static void print_kinds(const bench* b) {
    char t[2][24];
    bool any = false;
    for (int32_t i = 0; i < b->result_count; i++) {
        const bench_result* r = &b->results[i];
        if (!is_kind(r)) {
            continue;
        }
        if (!any) {
            printf("\n%-26s %-10s %9s %9s\n", "constraints, each", "", "ns", "bytes");
            any = true;
        }
        printf("%-26s %-10s %9s %9s\n", r->workload, r->contestant, number(t[0], r->rate, 2),
               number(t[1], r->bytes_per_constraint, 1));
    }
}

// -- Targets

typedef enum target_kind {
    TARGET_RATIO,      // times of `against` over times of `contestant`, at least
    TARGET_MS,         // median, at most
    TARGET_PROJECTION, // ns per projection, at most
    TARGET_RATE,       // at least
    TARGET_CONSTRAINT, // ns a constraint, at most
    TARGET_GROWTH,     // ns per particle over that of the workload `against`, at most
} target_kind;

typedef struct target {
    target_kind kind;
    const char* workload;
    const char* contestant;
    const char* against;
    double limit;
    const char* text;
} target;

static const target TARGETS[] = {
    {TARGET_RATIO, "sheet-1406", "hem", "bullet", 10.0, "times as fast as Bullet"},
    {TARGET_RATIO, "sheet-1406-capsules", "hem", "bullet", 8.0, "times as fast as Bullet"},
    {TARGET_RATIO, "sheet-6400", "hem", "bullet", 15.0, "times as fast as Bullet"},
    {TARGET_RATIO, "crowd-100x400", "hem", "bullet", 10.0, "times as fast as Bullet"},
    {TARGET_RATIO, "crowd-100x400-capsules", "hem", "bullet", 9.0, "times as fast as Bullet"},
    {TARGET_MS, "crowd-100x400-self", "hem", NULL, 2.5, "ms a frame"},
    {TARGET_PROJECTION, "groups-512", "hem", NULL, 27.0, "ns a group"},
    {TARGET_PROJECTION, "crowd-100x400", "hem", NULL, 1.0, "ns a projection"},
    {TARGET_CONSTRAINT, "kind-triangle", "hem", NULL, 4.0, "ns a triangle"},
    {TARGET_CONSTRAINT, "kind-dihedral", "hem", NULL, 5.0, "ns a dihedral"},
    {TARGET_CONSTRAINT, "kind-rod", "hem", NULL, 4.0, "ns a pair of a rod"},
    {TARGET_CONSTRAINT, "kind-chain", "hem", NULL, 1.5, "ns a segment of a chain"},
    {TARGET_RATE, "scene-cape_girl", "hem", NULL, 50.0, "times the paper's frame rate"},
    {TARGET_RATIO, "sheet-1406", "hem-wasm", "jolt-wasm", 3.0, "times as fast as Jolt in WASM"},
    {TARGET_GROWTH, "sheet-25600", "hem", "sheet-1406", 1.3, "times the cost per particle of sheet-1406"},
    {TARGET_GROWTH, "sheet-25600-self", "hem", "sheet-1406-self", 1.3,
     "times the cost per particle of sheet-1406-self"},
};

// By medians and, in `best`, by the best frames, which other work on the machine touches least.
static bool weigh(const bench* b, const target* t, double* value, double* best) {
    const bench_result* r = bench_find(b, t->workload, t->contestant);
    const bench_result* other = t->kind == TARGET_RATIO    ? bench_find(b, t->workload, t->against)
                                : t->kind == TARGET_GROWTH ? bench_find(b, t->against, t->contestant)
                                                           : r;
    if (r == NULL || other == NULL) {
        return false;
    }
    double share = r->times.best_ms / r->times.median_ms;
    switch (t->kind) {
    case TARGET_RATIO:
        *value = other->times.median_ms / r->times.median_ms;
        *best = other->times.best_ms / r->times.best_ms;
        break;
    case TARGET_MS:
        *value = r->times.median_ms;
        *best = r->times.best_ms;
        break;
    case TARGET_PROJECTION:
        *value = per_projection_ns(r);
        *best = *value * share;
        break;
    case TARGET_RATE:
        *value = r->rate;
        *best = *value / share;
        break;
    case TARGET_CONSTRAINT:
        *value = *best = r->rate;
        break;
    case TARGET_GROWTH:
        *value = per_particle_ns(r) / per_particle_ns(other);
        *best = *value * share * other->times.median_ms / other->times.best_ms;
        break;
    }
    return true;
}

static bool at_least(const target* t) {
    return t->kind == TARGET_RATIO || t->kind == TARGET_RATE;
}

static void print_targets(const bench* b) {
    bool any = false;
    for (size_t i = 0; i < HEM_COUNT_OF(TARGETS); i++) {
        const target* t = &TARGETS[i];
        double value = 0.0, best = 0.0;
        if (!weigh(b, t, &value, &best)) {
            continue;
        }
        bool reached = at_least(t) ? value >= t->limit : value <= t->limit;
        const char* colour = hem_terminal_style(stdout, reached ? HEM_STYLE_GREEN : HEM_STYLE_YELLOW);
        printf("%s%s%-11s%s  %-24s %-9s %8.2f (best frames %.2f), wanted %s %g %s\n", any ? "" : "\ntargets\n", colour,
               reached ? "reached" : "not reached", hem_terminal_style(stdout, HEM_STYLE_NONE), t->workload,
               t->contestant, value, best, at_least(t) ? ">=" : "<=", t->limit, t->text);
        any = true;
    }
    int32_t counted = 0, allocating = 0;
    for (int32_t i = 0; i < b->result_count; i++) {
        const bench_result* r = &b->results[i];
        if (strcmp(r->contestant, "hem") == 0 && !isnan(r->allocations_per_frame)) {
            counted++;
            allocating += r->allocations_per_frame > 0;
        }
    }
    if (counted > 0) {
        printf("%-11s  hem allocates in %d of %d workloads, wanted 0\n", allocating == 0 ? "reached" : "not reached",
               (int)allocating, (int)counted);
    }
}

void bench_print(const bench* b) {
    print_frames(b);
    print_rates(b);
    print_kinds(b);
    print_targets(b);
    for (int32_t i = 0; i < b->note_count; i++) {
        printf("%snote: %s\n", i == 0 ? "\n" : "", b->notes[i]);
    }
}

// -- JSON

int bench_write_json(const bench* b, const char* path) {
    // The writer needs a stream and a file appears whole: by way of another name.
    char draft[BENCH_PATH_MAX];
    FILE* out = hem_file_temp_name(draft, sizeof(draft), "hem_bench") ? fopen(draft, "wb") : NULL;
    if (out == NULL) {
        return command_fail(COMMAND_IO, "cannot write '%s': no temporary file", path);
    }
    json writer = {.out = out};
    json* j = &writer;
    json_begin(j, NULL, '[');
    for (int32_t i = 0; i < b->result_count; i++) {
        const bench_result* r = &b->results[i];
        json_begin(j, NULL, '{');
        json_text(j, "workload", r->workload);
        json_text(j, "contestant", r->contestant);
        json_number(j, "median_ms", r->times.median_ms);
        json_number(j, "p99_ms", r->times.p99_ms);
        json_number(j, "best_ms", r->times.best_ms);
        json_number(j, "ns_per_particle", per_particle_ns(r));
        json_number(j, "ns_per_projection", per_projection_ns(r));
        json_number(j, "bytes_per_particle", r->bytes_per_particle);
        json_number(j, "state_bytes_per_particle", r->state_bytes_per_particle);
        json_number(j, "allocations_per_frame", r->allocations_per_frame);
        json_number(j, "stretch_mean", r->stretch_mean);
        json_number(j, "stretch_max", r->stretch_max);
        json_number(j, "deep", r->deep);
        json_number(j, "crossed", r->crossed);
        json_number(j, "lane_fill", r->lane_fill);
        json_number(j, "bytes_per_constraint", r->bytes_per_constraint);
        json_number(j, "rate", r->rate);
        json_text(j, "rate_unit", r->rate_unit != NULL ? r->rate_unit : "");
        json_end(j, '}');
    }
    json_end(j, ']');
    fputc('\n', out);
    bool good = ferror(out) == 0;
    good = fclose(out) == 0 && good;
    hem_bytes text = {0};
    hem_file_error error;
    snprintf(error.text, sizeof(error.text), "cannot write '%.500s'", draft);
    good = good && hem_file_read(draft, &text, &error) &&
           hem_file_write(path, text.data, text.size, HEM_FILE_FOLDERS, &error);
    hem_bytes_free(&text);
    (void)hem_file_remove(draft, NULL);
    return good ? COMMAND_OK : command_fail(COMMAND_IO, "%s", error.text);
}

// -- Plot

int bench_write_plot(const bench* b, const char* path) {
    static const char* const SERIES[] = {"hem", "bullet", "hem-wasm", "jolt-wasm"};
    const char* rows[BENCH_RESULTS_MAX];
    float values[BENCH_RESULTS_MAX * HEM_COUNT_OF(SERIES)];
    int32_t row_count = 0, series_count = 1;
    for (int32_t i = 0; i < b->result_count; i++) {
        const bench_result* r = &b->results[i];
        if (isnan(r->particle_count) || (row_count > 0 && strcmp(rows[row_count - 1], r->workload) == 0)) {
            continue;
        }
        bool shown = false;
        for (int32_t k = 0; k < row_count; k++) {
            shown = shown || strcmp(rows[k], r->workload) == 0;
        }
        if (!shown) {
            rows[row_count++] = r->workload;
        }
        for (int32_t s = 0; s < (int32_t)HEM_COUNT_OF(SERIES); s++) {
            series_count = bench_find(b, r->workload, SERIES[s]) != NULL && s + 1 > series_count ? s + 1 : series_count;
        }
    }
    for (int32_t i = 0; i < row_count; i++) {
        for (int32_t s = 0; s < series_count; s++) {
            const bench_result* r = bench_find(b, rows[i], SERIES[s]);
            values[i * series_count + s] = r != NULL ? (float)r->times.median_ms : NAN;
        }
    }
    if (row_count == 0) {
        return command_fail(COMMAND_USAGE, "nothing that was measured goes into a plot of frame times");
    }
    const plot_bar_chart chart = {.title = "Frame time at 60 Hz, one core",
                                  .unit = "ms per frame, median",
                                  .rows = rows,
                                  .row_count = row_count,
                                  .series = SERIES,
                                  .series_count = series_count,
                                  .values = values,
                                  .log_scale = true};
    image im = plot_bars(&chart, 1100);
    if (im.pixels == NULL) {
        return command_fail(COMMAND_INTERNAL, "no memory for the plot");
    }
    hem_file_error error;
    bool good = png_write(path, &im, &error);
    image_destroy(&im);
    return good ? COMMAND_OK : command_fail(COMMAND_IO, "%s", error.text);
}
