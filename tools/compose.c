// SPDX-License-Identifier: MIT
#include "tools/compose.h"
#include "tools/font.h"

#include <stddef.h>

enum { GAP = 6, MARGIN = 14 };
#define CAPTION 8.0f // pixels

static const char* caption_of(const compose_page* page, int32_t index) {
    return page->captions != NULL && page->captions[index] != NULL ? page->captions[index] : "";
}

// A caption wider than its picture is drawn smaller: it must not run into the next one.
static void draw_caption(image* im, const char* text, int32_t x, int32_t y, int32_t width) {
    float wide = font_width(text, CAPTION), size = wide > (float)width ? CAPTION * (float)width / wide : CAPTION;
    font_draw(im, text, (float)x + 0.5f * (float)width, (float)y, size, FONT_CENTRE, IMAGE_INK);
}

image compose_grid(const compose_page* page) {
    int32_t columns = page->columns < 1 ? 1 : page->columns;
    int32_t rows = (page->image_count + columns - 1) / columns;
    int32_t width = 0, height = 0;
    for (int32_t i = 0; i < page->image_count; i++) {
        width = page->images[i].width > width ? page->images[i].width : width;
        height = page->images[i].height > height ? page->images[i].height : height;
    }
    int32_t caption = page->captions != NULL ? 22 : 0;
    int32_t left = MARGIN + (page->row_names != NULL ? 24 : 0);
    int32_t top = page->title != NULL ? 44 : MARGIN;
    top += page->note != NULL ? 18 : 0;
    int32_t page_width = left + columns * (width + GAP) - GAP + MARGIN;
    int32_t page_height = top + rows * (height + caption + GAP) - GAP + MARGIN;
    image im = image_create(page_width, page_height, IMAGE_PAPER);
    if (im.pixels == NULL) {
        return im;
    }
    if (page->title != NULL) {
        font_draw(&im, page->title, (float)left, 28.0f, 13.0f, FONT_LEFT, IMAGE_INK);
    }
    if (page->note != NULL) {
        font_draw(&im, page->note, (float)left, page->title != NULL ? 50.0f : 22.0f, 8.0f, FONT_LEFT, IMAGE_MUTED);
    }
    for (int32_t i = 0; i < page->image_count; i++) {
        int32_t x = left + i % columns * (width + GAP), y = top + i / columns * (height + caption + GAP);
        if (page->images[i].pixels != NULL) {
            image_copy(&im, &page->images[i], x, y);
        }
        draw_caption(&im, caption_of(page, i), x, y + height + 14, width);
    }
    for (int32_t r = 0; page->row_names != NULL && r < rows; r++) {
        float y = (float)(top + r * (height + caption + GAP)) + 0.5f * (float)height;
        font_draw_upward(&im, page->row_names[r], (float)MARGIN + 10.0f, y, 9.0f, FONT_CENTRE, IMAGE_INK);
    }
    return im;
}

void compose_legend(image* im, int32_t x, int32_t y, int32_t width, const char* title, colour_map map, const char* low,
                    const char* middle, const char* high) {
    font_draw(im, title, (float)x, (float)y + 8.0f, 7.5f, FONT_LEFT, IMAGE_INK);
    for (int32_t i = 0; i < width; i++) {
        image_fill_rect(im, x + i, y + 13, 1, 8, colour_from_map(map, ((float)i + 0.5f) / (float)width));
    }
    font_draw(im, low, (float)x, (float)y + 32.0f, 7.0f, FONT_LEFT, IMAGE_MUTED);
    font_draw(im, middle, (float)x + 0.5f * (float)width, (float)y + 32.0f, 7.0f, FONT_CENTRE, IMAGE_MUTED);
    font_draw(im, high, (float)(x + width), (float)y + 32.0f, 7.0f, FONT_RIGHT, IMAGE_MUTED);
}

int32_t compose_key(image* im, int32_t x, int32_t y, const char* const* names, const image_colour* colours,
                    int32_t count) {
    for (int32_t i = 0; i < count; i++, y += 16) {
        image_disc(im, (float)x + 5.0f, (float)y + 5.0f, 4.5f, colours[i] | 255u);
        font_draw(im, names[i], (float)x + 16.0f, (float)y + 9.0f, 7.5f, FONT_LEFT, IMAGE_INK);
    }
    return y;
}

void compose_caption(image* im, const char* text) {
    int32_t width = (int32_t)font_width(text, 8.0f) + 16;
    image_fill_rect(im, 8, 8, width, 20, 0xfbfaf8b0);
    font_draw(im, text, 16.0f, 22.0f, 8.0f, FONT_LEFT, IMAGE_INK);
}
