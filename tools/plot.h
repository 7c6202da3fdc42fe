// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PLOT_H
#define HEM_TOOLS_PLOT_H

// Curves and bars, drawn to be read at a glance: few rules, units on the axes, names beside the colours.

#include "tools/image.h"

typedef struct plot_series {
    const char* name; // NULL: not in the legend
    const float* x;   // NULL: 0, 1, 2... times x_step
    const float* y;
    int32_t count;
    float x_step;
    image_colour colour;
    bool dots; // a dot at each point, for few measured values
} plot_series;

typedef struct plot_panel {
    const char* title;
    const char* x_label; // with its unit, "time, s"
    const char* y_label;
    const plot_series* series;
    int32_t series_count;
    float y_min, y_max; // widened to hold the data if `y_fit`, else as given
    bool y_fit;
    bool log_x, log_y; // values <= 0 are left out
    float mark;        // a dashed line at this y, e.g. a budget; NaN or 0: none
    const char* mark_name;
} plot_panel;

// Panels in rows of `columns`, each width x height pixels, under one title (NULL: none). pixels == NULL: no memory.
image plot_curves(const char* title, const plot_panel* panels, int32_t panel_count, int32_t columns, int32_t width,
                  int32_t height);

typedef struct plot_bar_chart {
    const char* title;
    const char* unit; // of the values, "ms per frame"
    const char* const* rows;
    int32_t row_count;
    const char* const* series;
    int32_t series_count;
    const float* values; // [row * series_count + series]; NaN or negative: no bar
    bool log_scale;      // bars then start at a power of ten below the smallest
} plot_bar_chart;

// Level bars, one group a row, each with its value written at the end.
image plot_bars(const plot_bar_chart* chart, int32_t width);

// "0.125", "3.4k": three significant digits, no noise. Returns text.
const char* plot_number(float value, char* text, size_t size);

#endif
