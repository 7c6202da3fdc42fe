// SPDX-License-Identifier: MIT
#include "tools/plot.h"
#include "tools/colour.h"
#include "tools/compose.h"
#include "tools/font.h"
#include "greatest.h"

#include <math.h>
#include <stdlib.h>

// Two-dimensional drawing: strokes have the area of their shape, curves pass through their points, text is as wide as it
// says, colours convert as the standard does.

static double ink(const image* im) {
    double sum = 0.0;
    for (int32_t i = 0; i < im->width * im->height; i++) {
        sum += 1.0 - im->pixels[4 * i] / 255.0;
    }
    return sum;
}

// A stroke of length L and width w with round ends covers L w + pi w^2 / 4, at any angle.
TEST stroke_has_the_area_of_its_shape(void) {
    for (int32_t i = 0; i < 12; i++) {
        double angle = i * 0.2617993878;
        image im = image_create(120, 120, 0xffffffff);
        float dx = (float)(40.0 * cos(angle)), dy = (float)(40.0 * sin(angle));
        image_line(&im, 60.3f - dx, 59.6f - dy, 60.3f + dx, 59.6f + dy, 6.0f, 0x000000ff);
        double expected = 80.0 * 6.0 + 3.14159265 * 9.0;
        ASSERT_IN_RANGE(expected, ink(&im), expected * 0.02);
        image_destroy(&im);
    }
    PASS();
}

TEST thin_stroke_grows_fainter_not_broken(void) {
    image im = image_create(100, 20, 0xffffffff);
    image_line(&im, 10.0f, 10.5f, 90.0f, 10.5f, 0.25f, 0x000000ff);
    ASSERT_IN_RANGE(20.0, ink(&im), 1.5);
    for (int32_t x = 12; x < 88; x++) {
        ASSERT(im.pixels[4 * (10 * 100 + x)] < 230);
    }
    image_destroy(&im);
    PASS();
}

TEST polygon_has_the_area_of_its_shape(void) {
    const float points[8] = {10.0f, 12.0f, 71.5f, 8.0f, 80.0f, 66.0f, 22.0f, 74.0f};
    double area = 0.0;
    for (int32_t i = 0; i < 4; i++) {
        int32_t k = (i + 1) % 4;
        area += 0.5 * ((double)points[2 * i] * points[2 * k + 1] - (double)points[2 * k] * points[2 * i + 1]);
    }
    image im = image_create(90, 90, 0xffffffff);
    image_polygon(&im, points, 4, 0x000000ff);
    ASSERT_IN_RANGE(fabs(area), ink(&im), fabs(area) * 0.01);
    image_destroy(&im);
    PASS();
}

TEST drawing_outside_the_image_is_cut(void) {
    image im = image_create(16, 16, 0xffffffff);
    image other = image_create(9, 9, 0x000000ff);
    image_line(&im, -100.0f, 8.0f, 1e8f, 8.0f, 2.0f, 0x000000ff);
    image_disc(&im, -50.0f, -50.0f, 20.0f, 0x000000ff);
    image_line(&im, NAN, 0.0f, 3.0f, NAN, 2.0f, 0x000000ff);
    image_line(&im, -1e30f, 3.0f, 1e30f, INFINITY, 2.0f, 0x000000ff);
    image_fill_rect(&im, 12, 12, 100, 100, 0x000000ff);
    image_copy(&im, &other, -5, -5);
    image_copy(&im, &other, 14, 14);
    image_copy(&im, &other, 40, -40);
    ASSERT_EQ(0, im.pixels[0]);
    ASSERT_EQ(0, im.pixels[4 * (16 * 15 + 15)]);
    image_destroy(&other);
    image_destroy(&im);
    PASS();
}

// A level curve must darken the row that its value names: half way up for 0.5 on an axis from 0 to 1.
TEST curve_passes_through_its_values(void) {
    const float half[3] = {0.5f, 0.5f, 0.5f}, ends[2] = {0.0f, 1.0f}, x[2] = {0.0f, 2.0f};
    const plot_series series[2] = {{.y = half, .count = 3, .x_step = 1.0f, .colour = 0xff0000ff},
                                   {.x = x, .y = ends, .count = 2, .colour = 0x0000ffff}};
    const plot_panel panel = {.series = series, .series_count = 2, .y_fit = true};
    image im = plot_curves(NULL, &panel, 1, 1, 300, 200);
    ASSERT(im.pixels != NULL);
    // Rows of the red line and the ends of the blue one, wherever the margins put them.
    double red_row = 0.0, red = 0.0;
    int32_t blue_top = im.height, blue_bottom = 0;
    for (int32_t y = 0; y < im.height; y++) {
        for (int32_t i = 0; i < im.width; i++) {
            const uint8_t* p = im.pixels + 4 * (y * im.width + i);
            if (p[0] > 200 && p[1] < 80) {
                red_row += y;
                red += 1.0;
            }
            if (p[2] > 200 && p[1] < 80) {
                blue_top = y < blue_top ? y : blue_top;
                blue_bottom = y > blue_bottom ? y : blue_bottom;
            }
        }
    }
    ASSERT(red > 100.0);
    ASSERT_IN_RANGE(0.5 * (blue_top + blue_bottom), red_row / red, 1.0);
    // The blue line starts at 0, which is where the axis is: the longest dark level line.
    int32_t axis_row = 0, longest = 0;
    for (int32_t y = 0; y < im.height; y++) {
        int32_t dark = 0;
        for (int32_t i = 0; i < im.width; i++) {
            const uint8_t* p = im.pixels + 4 * (y * im.width + i);
            dark += p[0] < 0x80 && p[1] < 0x80 && p[2] < 0x80;
        }
        axis_row = dark > longest ? y : axis_row;
        longest = dark > longest ? dark : longest;
    }
    ASSERT(longest > 150);
    ASSERT_IN_RANGE(axis_row, blue_bottom, 1);
    image_destroy(&im);
    PASS();
}

TEST plots_of_nothing_and_of_no_numbers_are_drawn(void) {
    const float bad[4] = {NAN, INFINITY, -1.0f, 0.0f};
    const plot_series series = {.y = bad, .count = 4, .x_step = 1.0f, .colour = 0xff0000ff};
    const plot_panel panels[3] = {{.series_count = 0},
                                  {.series = &series, .series_count = 1, .y_fit = true},
                                  {.series = &series, .series_count = 1, .log_y = true, .log_x = true}};
    image im = plot_curves("nothing", panels, 3, 2, 200, 150);
    ASSERT(im.pixels != NULL);
    image_destroy(&im);
    const char* const rows[2] = {"a", "b"};
    const plot_bar_chart chart = {.title = "t",
                                  .unit = "u",
                                  .rows = rows,
                                  .row_count = 2,
                                  .series = rows,
                                  .series_count = 2,
                                  .values = bad,
                                  .log_scale = true};
    im = plot_bars(&chart, 300);
    ASSERT(im.pixels != NULL);
    image_destroy(&im);
    PASS();
}

TEST numbers_are_short(void) {
    char text[32];
    ASSERT_STR_EQ("0.125", plot_number(0.125f, text, sizeof(text)));
    ASSERT_STR_EQ("1250", plot_number(1250.0f, text, sizeof(text)));
    ASSERT_STR_EQ("12.5k", plot_number(12500.0f, text, sizeof(text)));
    ASSERT_STR_EQ("3.2M", plot_number(3200000.0f, text, sizeof(text)));
    ASSERT_STR_EQ("NaN", plot_number(NAN, text, sizeof(text)));
    PASS();
}

// Ink of the text lies between its ends; every printable character leaves some, and a broken byte does no harm.
TEST text_is_as_wide_as_it_says(void) {
    for (int32_t c = 33; c < 127; c++) {
        char text[2] = {(char)c, 0};
        image im = image_create(60, 60, 0xffffffff);
        font_draw(&im, text, 20.0f, 40.0f, 20.0f, FONT_LEFT, 0x000000ff);
        ASSERT(ink(&im) > 3.0);
        float width = font_width(text, 20.0f);
        for (int32_t i = 0; i < 60 * 60; i++) {
            if (im.pixels[4 * i] < 128) {
                ASSERT((float)(i % 60) >= 18.0f);
                ASSERT((float)(i % 60) <= 22.0f + width);
            }
        }
        image_destroy(&im);
    }
    image im = image_create(60, 60, 0xffffffff);
    font_draw(&im, "\xff\xc3 \xe2\x80", 0.0f, 40.0f, 12.0f, FONT_LEFT, 0x000000ff);
    ASSERT(ink(&im) > 0.0);
    image_destroy(&im);
    ASSERT_IN_RANGE(font_width("ab", 10.0f) + font_width("cd", 10.0f) + 2.5f, font_width("abcd", 10.0f), 1e-3f);
    PASS();
}

// There and back, and against the standard's own formula, to half a step of a byte.
TEST colours_convert_as_srgb_does(void) {
    for (int32_t i = 0; i < 256; i++) {
        double s = i / 255.0;
        double linear = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
        ASSERT_IN_RANGE(linear, COLOUR_LINEAR[i], 1e-7);
        ASSERT_IN_RANGE(s, colour_from_linear((float)linear), 0.5 / 255.0);
    }
    PASS();
}

TEST colour_maps_meet_their_ends(void) {
    ASSERT_EQ(colour_from_map(COLOUR_MAP_HEAT, -1.0f), colour_from_map(COLOUR_MAP_HEAT, 0.0f));
    ASSERT_EQ(colour_from_map(COLOUR_MAP_HEAT, 9.0f), colour_from_map(COLOUR_MAP_HEAT, 1.0f));
    ASSERT(colour_from_map(COLOUR_MAP_STRETCH, 0.0f) != colour_from_map(COLOUR_MAP_STRETCH, 1.0f));
    ASSERT_EQ(0xff00ffffu, colour_from_map(COLOUR_MAP_STRETCH, NAN));
    PASS();
}

TEST grid_puts_each_image_in_its_place(void) {
    image parts[3] = {image_create(20, 10, 0xff0000ff), image_create(20, 10, 0x00ff00ff),
                      image_create(20, 10, 0x0000ffff)};
    const compose_page page = {.images = parts, .image_count = 3, .columns = 2};
    image im = compose_grid(&page);
    int32_t counts[3] = {0};
    for (int32_t i = 0; i < im.width * im.height; i++) {
        for (int32_t c = 0; c < 3; c++) {
            counts[c] += im.pixels[4 * i + c] == 255 && im.pixels[4 * i + (c + 1) % 3] == 0;
        }
    }
    for (int32_t c = 0; c < 3; c++) {
        ASSERT_EQ(200, counts[c]);
        image_destroy(&parts[c]);
    }
    image_destroy(&im);
    PASS();
}

TEST captions_stay_under_their_pictures(void) {
    image parts[2] = {image_create(60, 10, IMAGE_PAPER), image_create(60, 10, IMAGE_PAPER)};
    const char* captions[2] = {"a name that is much wider than its picture", "another one of the same kind"};
    const compose_page page = {.images = parts, .captions = captions, .image_count = 2, .columns = 2};
    image im = compose_grid(&page);
    // Nothing but the two pictures' columns has ink: neither margin nor the gap between them.
    int32_t left = 14, gap = left + 60, right = gap + 6;
    int32_t under = 0, beside = 0;
    for (int32_t y = 0; y < im.height; y++) {
        for (int32_t x = 0; x < im.width; x++) {
            bool ink = im.pixels[4 * (y * im.width + x)] < 128;
            bool inside = (x >= left - 1 && x <= gap) || (x >= right - 1 && x <= right + 60);
            under += ink && inside;
            beside += ink && !inside;
        }
    }
    ASSERT(under > 0);
    ASSERT_EQ(0, beside);
    image_destroy(&im);
    image_destroy(&parts[0]);
    image_destroy(&parts[1]);
    PASS();
}

SUITE(plot_suite);
SUITE(plot_suite) {
    RUN_TEST(stroke_has_the_area_of_its_shape);
    RUN_TEST(thin_stroke_grows_fainter_not_broken);
    RUN_TEST(polygon_has_the_area_of_its_shape);
    RUN_TEST(drawing_outside_the_image_is_cut);
    RUN_TEST(curve_passes_through_its_values);
    RUN_TEST(plots_of_nothing_and_of_no_numbers_are_drawn);
    RUN_TEST(numbers_are_short);
    RUN_TEST(text_is_as_wide_as_it_says);
    RUN_TEST(colours_convert_as_srgb_does);
    RUN_TEST(colour_maps_meet_their_ends);
    RUN_TEST(grid_puts_each_image_in_its_place);
    RUN_TEST(captions_stay_under_their_pictures);
}
