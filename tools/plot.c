// SPDX-License-Identifier: MIT
#include "tools/plot.h"
#include "tools/colour.h"
#include "tools/font.h"
#include "platform/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS_MAX = 24, TITLE_HEIGHT = 40 };

typedef struct axis {
    float low, high; // of the values, or of their base-10 logarithms
    float step;
    bool logarithmic;
} axis;

// log10 without libm: exponent from the bits, mantissa by a series in (m - 1) / (m + 1). Good to five digits.
static float log_ten(float x) {
    uint32_t bits = hem_bits_of_float(x);
    float exponent = (float)((int32_t)(bits >> 23 & 255u) - 127);
    float m = hem_float_of_bits((bits & 0x7fffffu) | 0x3f800000u);
    if (m > 1.41421356f) {
        m *= 0.5f;
        exponent += 1.0f;
    }
    float u = (m - 1.0f) / (m + 1.0f), u2 = u * u;
    float natural = 2.0f * u * (1.0f + u2 * (1.0f / 3.0f + u2 * (0.2f + u2 / 7.0f)));
    return exponent * 0.30103f + natural * 0.43429448f;
}

static float power_of_ten(int32_t exponent) {
    float value = 1.0f;
    for (int32_t i = 0; i < exponent; i++) {
        value *= 10.0f;
    }
    for (int32_t i = 0; i > exponent; i--) {
        value /= 10.0f;
    }
    return value;
}

static bool usable(float v, bool logarithmic) {
    return v == v && v < 1e30f && v > -1e30f && (!logarithmic || v > 0.0f);
}

const char* plot_number(float value, char* text, size_t size) {
    float magnitude = fabsf(value);
    if (!(value == value)) {
        snprintf(text, size, "NaN");
    } else if (magnitude >= 1e6f) {
        snprintf(text, size, "%.3gM", (double)value / 1e6);
    } else if (magnitude >= 1e4f) {
        snprintf(text, size, "%.3gk", (double)value / 1e3);
    } else if (magnitude >= 1e3f) {
        snprintf(text, size, "%.0f", (double)value);
    } else {
        snprintf(text, size, "%.3g", (double)value);
    }
    return text;
}

// The largest of 1, 2, 5 times a power of ten that gives at least `wanted` steps.
static float nice_step(float span, int32_t wanted) {
    float rough = span / (float)wanted;
    float step = power_of_ten((int32_t)floorf(log_ten(rough)));
    if (step * 5.0f <= rough) {
        return step * 5.0f;
    }
    return step * 2.0f <= rough ? step * 2.0f : step;
}

static axis make_axis(float low, float high, bool logarithmic, bool widen, int32_t wanted) {
    axis a;
    a.logarithmic = logarithmic;
    if (!(low <= high)) { // no data
        low = logarithmic ? 1.0f : 0.0f;
        high = logarithmic ? 10.0f : 1.0f;
    }
    if (logarithmic) {
        a.low = floorf(log_ten(low) + 1e-4f);
        a.high = ceilf(log_ten(high) - 1e-4f);
        a.high = a.high > a.low ? a.high : a.low + 1.0f;
        a.step = 1.0f;
        return a;
    }
    if (high - low < 1e-12f + 1e-6f * fabsf(high)) {
        high = low + (low != 0.0f ? fabsf(low) : 1.0f);
    }
    a.step = nice_step(high - low, wanted);
    a.low = widen ? floorf(low / a.step + 1e-3f) * a.step : low;
    a.high = widen ? ceilf(high / a.step - 1e-3f) * a.step : high;
    return a;
}

static float place(const axis* a, float v) {
    float t = a->logarithmic ? log_ten(v) : v;
    return (t - a->low) / (a->high - a->low);
}

static int32_t ticks_of(const axis* a, float* values) {
    int32_t count = 0;
    for (float first = ceilf(a->low / a->step - 1e-3f); count < TICKS_MAX; count++) {
        float v = (first + (float)count) * a->step;
        if (v > a->high + 1e-3f * a->step) {
            break;
        }
        values[count] = a->logarithmic ? power_of_ten((int32_t)floorf(v + 0.5f)) : v;
    }
    return count;
}

static float series_x(const plot_series* s, int32_t i) {
    return s->x != NULL ? s->x[i] : (float)i * s->x_step;
}

// Long series have many points a pixel: each column then keeps its lowest and highest value only, so peaks survive.
static void draw_series(image* im, const plot_series* s, const axis* ax, const axis* ay, float x0, float y0, float x1,
                        float y1) {
    float* points = malloc(sizeof(float) * 2 * ((size_t)s->count + 1));
    uint8_t* starts = malloc((size_t)s->count + 1);
    if (points == NULL || starts == NULL) {
        free(points);
        free(starts);
        return;
    }
    int32_t count = 0;
    bool broken = true;
    for (int32_t i = 0; i < s->count; i++) {
        float vx = series_x(s, i);
        if (!usable(vx, ax->logarithmic) || !usable(s->y[i], ay->logarithmic)) {
            broken = true;
            continue;
        }
        float px = x0 + place(ax, vx) * (x1 - x0);
        float py = clampf(y0 + place(ay, s->y[i]) * (y1 - y0), y1 - 2.0f, y0 + 2.0f);
        if (count >= 2 && !broken && !starts[count - 1] && !starts[count - 2] && px - points[2 * count - 4] < 0.5f) {
            float low = fminf(points[2 * count - 3], points[2 * count - 1]),
                  high = points[2 * count - 3] + points[2 * count - 1] - low;
            points[2 * count - 3] = fminf(low, py);
            points[2 * count - 1] = fmaxf(high, py);
            continue;
        }
        points[2 * count] = px;
        points[2 * count + 1] = py;
        starts[count++] = broken;
        broken = false;
    }
    image_stroke(im, points, starts, count, 1.7f, s->colour);
    for (int32_t i = 0; s->dots && i < count; i++) {
        image_disc(im, points[2 * i], points[2 * i + 1], 3.2f, s->colour);
    }
    free(points);
    free(starts);
}

static void dashed(image* im, float x0, float x1, float y, image_colour colour) {
    for (float x = x0; x < x1; x += 9.0f) {
        image_line(im, x, y, fminf(x + 5.0f, x1), y, 1.2f, colour);
    }
}

static void draw_panel(image* im, const plot_panel* p, int32_t left, int32_t top, int32_t width, int32_t height) {
    float low_x = 1e30f, high_x = -1e30f, low_y = p->y_fit || p->y_min < p->y_max ? p->y_min : 0.0f, high_y = p->y_max;
    if (p->log_y || p->y_min >= p->y_max) {
        low_y = p->log_y ? 1e30f : low_y;
        high_y = -1e30f;
    }
    for (int32_t k = 0; k < p->series_count; k++) {
        for (int32_t i = 0; i < p->series[k].count; i++) {
            float x = series_x(&p->series[k], i), y = p->series[k].y[i];
            if (usable(x, p->log_x) && usable(y, p->log_y)) {
                low_x = fminf(low_x, x), high_x = fmaxf(high_x, x);
                if (p->y_fit || p->log_y || p->y_min >= p->y_max) {
                    low_y = fminf(low_y, y), high_y = fmaxf(high_y, y);
                }
            }
        }
    }
    bool marked = p->mark > 0.0f;
    if (marked && p->y_fit) {
        high_y = fmaxf(high_y, p->mark);
    }
    axis ax = make_axis(low_x, high_x, p->log_x, false, 5), ay = make_axis(low_y, high_y, p->log_y, true, 4);
    bool legend = p->series_count > 1 || (p->series_count == 1 && p->series[0].name != NULL);
    float x0 = (float)left + 62.0f, x1 = (float)(left + width) - 16.0f;
    float y1 = (float)top + (legend ? 46.0f : 32.0f), y0 = (float)(top + height) - 40.0f;
    char text[32];

    font_draw(im, p->title != NULL ? p->title : "", x0, (float)top + 18.0f, 10.0f, FONT_LEFT, IMAGE_INK);
    float ticks[TICKS_MAX];
    int32_t tick_count = ticks_of(&ay, ticks);
    for (int32_t i = 0; i < tick_count; i++) {
        float y = floorf(y0 + place(&ay, ticks[i]) * (y1 - y0)) + 0.5f;
        image_line(im, x0, y, x1, y, 1.0f, 0xe7e3ddff);
        font_draw(im, plot_number(fabsf(ticks[i]) < 1e-6f * ay.step ? 0.0f : ticks[i], text, sizeof(text)), x0 - 7.0f,
                  y + 3.5f, 7.5f, FONT_RIGHT, IMAGE_MUTED);
    }
    tick_count = ticks_of(&ax, ticks);
    for (int32_t i = 0; i < tick_count; i++) {
        float x = floorf(x0 + place(&ax, ticks[i]) * (x1 - x0)) + 0.5f;
        image_line(im, x, y0, x, y0 + 4.0f, 1.0f, IMAGE_MUTED);
        font_draw(im, plot_number(ticks[i], text, sizeof(text)), x, y0 + 15.0f, 7.5f, FONT_CENTRE, IMAGE_MUTED);
    }
    image_line(im, x0, floorf(y0) + 0.5f, x1, floorf(y0) + 0.5f, 1.0f, IMAGE_MUTED);
    font_draw(im, p->x_label != NULL ? p->x_label : "", 0.5f * (x0 + x1), y0 + 31.0f, 8.0f, FONT_CENTRE, IMAGE_MUTED);
    font_draw_upward(im, p->y_label != NULL ? p->y_label : "", (float)left + 16.0f, 0.5f * (y0 + y1), 8.0f, FONT_CENTRE,
                     IMAGE_MUTED);
    for (int32_t k = p->series_count - 1; k >= 0; k--) { // the first on top
        draw_series(im, &p->series[k], &ax, &ay, x0, y0, x1, y1);
    }
    if (marked) {
        float y = floorf(y0 + place(&ay, p->mark) * (y1 - y0)) + 0.5f;
        dashed(im, x0, x1, y, 0x9a938aff);
        font_draw(im, p->mark_name != NULL ? p->mark_name : "", x1, y - 4.0f, 7.5f, FONT_RIGHT, IMAGE_MUTED);
    }
    float pen = x0;
    for (int32_t k = 0; legend && k < p->series_count; k++) {
        if (p->series[k].name != NULL) {
            image_line(im, pen, (float)top + 32.0f, pen + 14.0f, (float)top + 32.0f, 2.4f, p->series[k].colour);
            font_draw(im, p->series[k].name, pen + 20.0f, (float)top + 35.5f, 7.5f, FONT_LEFT, IMAGE_INK);
            pen += 36.0f + font_width(p->series[k].name, 7.5f);
        }
    }
}

image plot_curves(const char* title, const plot_panel* panels, int32_t panel_count, int32_t columns, int32_t width,
                  int32_t height) {
    columns = columns < 1 ? 1 : columns;
    int32_t rows = (panel_count + columns - 1) / columns;
    int32_t head = title != NULL ? TITLE_HEIGHT : 8;
    image im = image_create(columns * width + 8, rows * height + head + 6, IMAGE_PAPER);
    if (im.pixels == NULL) {
        return im;
    }
    if (title != NULL) {
        font_draw(&im, title, 18.0f, 28.0f, 13.0f, FONT_LEFT, IMAGE_INK);
    }
    for (int32_t i = 0; i < panel_count; i++) {
        draw_panel(&im, &panels[i], i % columns * width, head + i / columns * height, width, height);
    }
    return im;
}

image plot_bars(const plot_bar_chart* chart, int32_t width) {
    const int32_t bar = 15, gap = 14, head = chart->series_count > 1 ? 66 : 50, foot = 40;
    int32_t group = chart->series_count * bar + gap;
    image im = image_create(width, head + chart->row_count * group + foot, IMAGE_PAPER);
    if (im.pixels == NULL) {
        return im;
    }
    float low = 1e30f, high = -1e30f, names = 40.0f;
    for (int32_t i = 0; i < chart->row_count * chart->series_count; i++) {
        if (usable(chart->values[i], chart->log_scale) && chart->values[i] >= 0.0f) {
            low = fminf(low, chart->values[i]);
            high = fmaxf(high, chart->values[i]);
        }
    }
    for (int32_t i = 0; i < chart->row_count; i++) {
        names = fmaxf(names, font_width(chart->rows[i], 8.5f));
    }
    axis a = chart->log_scale ? make_axis(low * 0.5f, high, true, true, 5) : make_axis(0.0f, high, false, true, 5);
    float x0 = 28.0f + names, x1 = (float)width - 60.0f;
    float bottom = (float)(head + chart->row_count * group);
    char text[32];
    font_draw(&im, chart->title, 18.0f, 28.0f, 12.0f, FONT_LEFT, IMAGE_INK);
    float ticks[TICKS_MAX];
    int32_t tick_count = ticks_of(&a, ticks);
    for (int32_t i = 0; i < tick_count; i++) {
        float x = floorf(x0 + place(&a, ticks[i]) * (x1 - x0)) + 0.5f;
        image_line(&im, x, (float)head - 6.0f, x, bottom, 1.0f, 0xe7e3ddff);
        font_draw(&im, plot_number(ticks[i], text, sizeof(text)), x, bottom + 13.0f, 7.5f, FONT_CENTRE, IMAGE_MUTED);
    }
    font_draw(&im, chart->unit, 0.5f * (x0 + x1), bottom + 29.0f, 8.0f, FONT_CENTRE, IMAGE_MUTED);
    for (int32_t r = 0; r < chart->row_count; r++) {
        float top = (float)(head + r * group) + 0.5f * (float)gap;
        font_draw(&im, chart->rows[r], x0 - 10.0f, top + 0.5f * (float)(chart->series_count * bar) + 4.0f, 8.5f,
                  FONT_RIGHT, IMAGE_INK);
        for (int32_t k = 0; k < chart->series_count; k++) {
            float v = chart->values[r * chart->series_count + k];
            if (!usable(v, chart->log_scale) || v < 0.0f) {
                continue;
            }
            float x = x0 + place(&a, v) * (x1 - x0), y = top + (float)(k * bar);
            image_fill_rect(&im, (int32_t)x0, (int32_t)y + 1, (int32_t)(x - x0) + 1, bar - 2, colour_series(k));
            font_draw(&im, plot_number(v, text, sizeof(text)), x + 6.0f, y + 11.0f, 7.5f, FONT_LEFT, IMAGE_INK);
        }
    }
    image_line(&im, x0, (float)head - 6.0f, x0, bottom, 1.0f, IMAGE_MUTED);
    float pen = x0;
    for (int32_t k = 0; chart->series_count > 1 && k < chart->series_count; k++) {
        image_fill_rect(&im, (int32_t)pen, 42, 11, 11, colour_series(k));
        font_draw(&im, chart->series[k], pen + 17.0f, 51.0f, 8.0f, FONT_LEFT, IMAGE_INK);
        pen += 34.0f + font_width(chart->series[k], 8.0f);
    }
    return im;
}
