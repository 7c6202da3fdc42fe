// SPDX-License-Identifier: MIT
#include "tools/play.h"
#include "tools/colour.h"
#include "tools/command.h"
#include "tools/plot.h"
#include "tools/png.h"
#include "platform/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Curves of a run over time: stretch, penetration, energy and cost.

typedef float (*frame_value)(const player_frame* frame);

static float value_stretch_max(const player_frame* f) {
    return 100.0f * f->stats.stretch_max;
}

static float value_stretch_mean(const player_frame* f) {
    return 100.0f * f->stats.stretch_mean;
}

static float value_penetration(const player_frame* f) {
    return 1000.0f * f->stats.penetration_max;
}

static float value_energy(const player_frame* f) {
    return f->stats.kinetic_energy;
}

static float value_cost(const player_frame* f) {
    return f->step_us;
}

static float value_layers_crossed(const player_frame* f) {
    return (float)f->seen.layers_crossed;
}

static float value_body_crossed(const player_frame* f) {
    return (float)f->seen.body_crossed;
}

static float value_crossed(const player_frame* f) {
    return (float)(f->seen.layers_crossed + f->seen.body_crossed);
}

static float value_crossed_alone(const player_frame* f) {
    return (float)(f->alone.layers_crossed + f->alone.body_crossed);
}

static float value_stretched(const player_frame* f) {
    return 100.0f * f->seen.stretched_share;
}

static float value_turned(const player_frame* f) {
    return 100.0f * f->seen.turned_share;
}

static float value_layers_depth(const player_frame* f) {
    return 1000.0f * f->seen.layers_depth;
}

static float value_body_depth(const player_frame* f) {
    return 1000.0f * f->seen.body_depth;
}

// The value that all but a fiftieth stay below: a machine that was busy elsewhere for a moment must not flatten the curve.
static float usual_high(const float* values, int32_t count) {
    float* sorted = malloc(sizeof(float) * (size_t)count);
    if (sorted == NULL) {
        return 0.0f;
    }
    memcpy(sorted, values, sizeof(float) * (size_t)count);
    qsort(sorted, (size_t)count, sizeof(float), play_compare_floats);
    float high = sorted[count - 1 - count / 50];
    free(sorted);
    return high;
}

int play_write_plot(play* p) {
    static const struct {
        const char* title;
        const char* unit;
        frame_value value[2];
        const char* name[2];
    } panels[] = {
        {"Triangles crossed", NULL, {value_layers_crossed, value_body_crossed}, {"between layers", "with the body"}},
        {"Crossed, with physics and without", NULL, {value_crossed, value_crossed_alone}, {"physics", "pose alone"}},
        {"Depth on the wrong side", "mm", {value_layers_depth, value_body_depth}, {"of layers", "of the body"}},
        {"Edges over 1.5, faces turned", "%", {value_stretched, value_turned}, {"edges", "faces"}},
        {"Stretch of links", "%", {value_stretch_max, value_stretch_mean}, {"largest", "mean"}},
        {"Deepest penetration", "mm", {value_penetration, NULL}, {NULL, NULL}},
        {"Kinetic energy", "J", {value_energy, NULL}, {NULL, NULL}},
        {"Cost of a step", "µs", {value_cost, NULL}, {NULL, NULL}},
    };
    enum { PANELS = sizeof(panels) / sizeof(panels[0]), SERIES = 2 * PLAY_RUNS_MAX };
    int32_t count = p->runs[0].frame_count;
    float* values = malloc(sizeof(float) * (size_t)count * PANELS * SERIES);
    if (values == NULL) {
        return command_fail(COMMAND_INTERNAL, "no memory for the curves");
    }
    plot_series series[PANELS][SERIES];
    char names[PANELS][SERIES][64];
    plot_panel list[PANELS];
    memset(series, 0, sizeof(series));
    memset(list, 0, sizeof(list));
    for (int32_t i = 0; i < PANELS; i++) {
        int32_t used = 0;
        for (int32_t k = 0; k < 2; k++) {
            for (int32_t r = 0; r < p->run_count && panels[i].value[k] != NULL; r++) {
                float* y = values + (size_t)count * (size_t)(i * SERIES + used);
                for (int32_t f = 0; f < count; f++) {
                    y[f] = panels[i].value[k](&p->runs[r].frames[f]);
                }
                const char* run_name = p->run_count > 1 ? p->runs[r].kind->name : "";
                const char* value_name = panels[i].name[k] != NULL ? panels[i].name[k] : "";
                snprintf(names[i][used], sizeof(names[i][used]), "%s%s%s", run_name,
                         run_name[0] != 0 && value_name[0] != 0 ? ", " : "", value_name);
                if (panels[i].value[k] == value_cost) {
                    list[i].y_max = hem_maxf(list[i].y_max, 1.3f * usual_high(y, count));
                }
                plot_series* s = &series[i][used];
                s->name = names[i][used][0] != 0 ? names[i][used] : NULL;
                s->y = y;
                s->count = count;
                s->x_step = 1.0f / p->hz;
                s->colour = colour_series(k * p->run_count + r);
                used++;
            }
        }
        list[i].title = panels[i].title;
        list[i].x_label = "time, s";
        list[i].y_label = panels[i].unit;
        list[i].series = series[i];
        list[i].series_count = used;
        list[i].y_fit = !(list[i].y_max > 0.0f);
    }
    char title[256];
    play_describe(p, title, sizeof(title));
    image im = plot_curves(title, list, PANELS, 2, 470, 240);
    hem_file_error error;
    int code = png_write(p->plot_path, &im, &error) ? COMMAND_OK : command_fail(COMMAND_IO, "%s", error.text);
    image_destroy(&im);
    free(values);
    return code;
}
