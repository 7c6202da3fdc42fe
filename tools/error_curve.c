// SPDX-License-Identifier: MIT
#include "tools/error_curve.h"

#include "tools/colour.h"
#include "tools/plot.h"
#include "tools/png.h"

#include <stdio.h>

bool error_curve_draw(const hemc_error_curve* curve, const char* path) {
    const int32_t count = (int32_t)curve->frame_count;
    const plot_series series[] = {
        {.name = "worst vertex",
         .y = curve->worst_mm,
         .count = count,
         .x_step = curve->seconds,
         .colour = colour_series(0)},
        {.name = "mean", .y = curve->mean_mm, .count = count, .x_step = curve->seconds, .colour = colour_series(1)}};
    char title[256];
    snprintf(title, sizeof(title), "%.180s: how far the lattice has the vertices off", curve->name);
    const plot_panel panel = {
        .title = "", .x_label = "time, s", .y_label = "mm", .series = series, .series_count = 2, .y_fit = true};
    image im = plot_curves(title, &panel, 1, 1, 640, 400);
    hem_file_error error;
    const bool drawn = im.pixels != NULL && png_write(path, &im, &error);
    image_destroy(&im);
    return drawn;
}
