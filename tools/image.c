// SPDX-License-Identifier: MIT
#include "tools/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_SIDE_MAX = 32768 };

typedef struct rect {
    int32_t x0, y0, x1, y1; // half open
} rect;

static float min_of(float a, float b) {
    return a < b ? a : b;
}

static float max_of(float a, float b) {
    return a > b ? a : b;
}

// The pixels a set of points may touch when each grows by `margin`, cut to the image. NaN gives an empty rectangle.
static rect bounds(const image* im, const float* points, int32_t point_count, float margin) {
    float x0 = 1e9f, y0 = 1e9f, x1 = -1e9f, y1 = -1e9f;
    for (int32_t i = 0; i < point_count; i++) {
        x0 = min_of(points[2 * i], x0);
        x1 = max_of(points[2 * i], x1);
        y0 = min_of(points[2 * i + 1], y0);
        y1 = max_of(points[2 * i + 1], y1);
    }
    rect r;
    r.x0 = (int32_t)min_of((float)im->width, max_of(0.0f, floorf(x0 - margin)));
    r.y0 = (int32_t)min_of((float)im->height, max_of(0.0f, floorf(y0 - margin)));
    r.x1 = (int32_t)max_of(0.0f, min_of((float)im->width, ceilf(x1 + margin)));
    r.y1 = (int32_t)max_of(0.0f, min_of((float)im->height, ceilf(y1 + margin)));
    return r;
}

static void blend(uint8_t* pixel, image_colour colour, float coverage) {
    float a = coverage * (float)(colour & 255u) * (1.0f / 255.0f);
    for (int32_t c = 0; c < 3; c++) {
        float source = (float)((colour >> (24 - 8 * c)) & 255u);
        float target = (float)pixel[c];
        pixel[c] = (uint8_t)(target + (source - target) * a + 0.5f);
    }
    float alpha = (float)pixel[3];
    pixel[3] = (uint8_t)(alpha + (255.0f - alpha) * a + 0.5f);
}

image image_create(int32_t width, int32_t height, image_colour fill) {
    image im = {0};
    if (width < 1 || height < 1 || width > IMAGE_SIDE_MAX || height > IMAGE_SIDE_MAX) {
        return im;
    }
    im.pixels = malloc((size_t)width * (size_t)height * 4);
    if (im.pixels == NULL) {
        return im;
    }
    im.width = width;
    im.height = height;
    image_fill_rect(&im, 0, 0, width, height, fill);
    return im;
}

void image_destroy(image* im) {
    free(im->pixels);
    memset(im, 0, sizeof(*im));
}

void image_copy(image* to, const image* from, int32_t x, int32_t y) {
    int32_t x0 = x < 0 ? -x : 0;
    int32_t x1 = x + from->width > to->width ? to->width - x : from->width;
    int32_t y0 = y < 0 ? -y : 0;
    int32_t y1 = y + from->height > to->height ? to->height - y : from->height;
    if (x1 <= x0) {
        return;
    }
    for (int32_t row = y0; row < y1; row++) {
        const uint8_t* source = from->pixels + 4 * ((size_t)row * (size_t)from->width + (size_t)x0);
        uint8_t* target = to->pixels + 4 * ((size_t)(row + y) * (size_t)to->width + (size_t)(x + x0));
        memcpy(target, source, 4 * (size_t)(x1 - x0));
    }
}

void image_fill_rect(image* im, int32_t x, int32_t y, int32_t width, int32_t height, image_colour colour) {
    int32_t x0 = x < 0 ? 0 : x;
    int32_t y0 = y < 0 ? 0 : y;
    int32_t x1 = x + width > im->width ? im->width : x + width;
    int32_t y1 = y + height > im->height ? im->height : y + height;
    bool opaque = (colour & 255u) == 255u;
    for (int32_t row = y0; row < y1; row++) {
        uint8_t* pixel = im->pixels + 4 * ((size_t)row * (size_t)im->width + (size_t)x0);
        for (int32_t column = x0; column < x1; column++, pixel += 4) {
            if (opaque) {
                pixel[0] = (uint8_t)(colour >> 24);
                pixel[1] = (uint8_t)(colour >> 16);
                pixel[2] = (uint8_t)(colour >> 8);
                pixel[3] = 255;
            } else {
                blend(pixel, colour, 1.0f);
            }
        }
    }
}

// Raises mask values to the coverage of one round-ended segment: how far the pixel centre lies inside its outline,
// which for edges of any direction is the box-filtered coverage to within a few percent.
static void cover_segment(float* mask, rect r, const float a[2], const float b[2], float half) {
    float dx = b[0] - a[0], dy = b[1] - a[1];
    float length2 = dx * dx + dy * dy;
    if (!(length2 < 1e20f)) {
        return; // not a number, or nowhere near
    }
    float inverse = length2 > 0.0f ? 1.0f / length2 : 0.0f;
    int32_t stride = r.x1 - r.x0;
    int32_t x0 = (int32_t)min_of((float)r.x1, max_of((float)r.x0, floorf(min_of(a[0], b[0]) - half - 1.0f)));
    int32_t x1 = (int32_t)max_of((float)r.x0, min_of((float)r.x1, ceilf(max_of(a[0], b[0]) + half + 1.0f)));
    int32_t y0 = (int32_t)min_of((float)r.y1, max_of((float)r.y0, floorf(min_of(a[1], b[1]) - half - 1.0f)));
    int32_t y1 = (int32_t)max_of((float)r.y0, min_of((float)r.y1, ceilf(max_of(a[1], b[1]) + half + 1.0f)));
    // A line thinner than a pixel becomes fainter, not broken.
    float weight = half < 0.5f ? 2.0f * half : 1.0f;
    float reach = (half < 0.5f ? 0.5f : half) + 0.5f;
    for (int32_t y = y0; y < y1; y++) {
        for (int32_t x = x0; x < x1; x++) {
            float px = (float)x + 0.5f - a[0], py = (float)y + 0.5f - a[1];
            float t = (px * dx + py * dy) * inverse;
            t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
            float ex = px - t * dx, ey = py - t * dy;
            float distance2 = ex * ex + ey * ey;
            if (distance2 >= reach * reach) {
                continue;
            }
            float coverage = weight * min_of(1.0f, reach - sqrtf(distance2));
            float* m = mask + (size_t)(y - r.y0) * (size_t)stride + (size_t)(x - r.x0);
            *m = coverage > *m ? coverage : *m;
        }
    }
}

void image_stroke(image* im, const float* points, const uint8_t* starts, int32_t point_count, float width,
                  image_colour colour) {
    if (point_count < 1 || im->pixels == NULL) {
        return;
    }
    rect r = bounds(im, points, point_count, 0.5f * width + 1.0f);
    if (r.x1 <= r.x0 || r.y1 <= r.y0) {
        return;
    }
    size_t area = (size_t)(r.x1 - r.x0) * (size_t)(r.y1 - r.y0);
    float* mask = calloc(area, sizeof(float));
    if (mask == NULL) {
        return;
    }
    if (point_count == 1) {
        cover_segment(mask, r, points, points, 0.5f * width);
    }
    for (int32_t i = 1; i < point_count; i++) {
        if (starts == NULL || !starts[i]) {
            cover_segment(mask, r, points + 2 * (i - 1), points + 2 * i, 0.5f * width);
        }
    }
    const float* m = mask;
    for (int32_t y = r.y0; y < r.y1; y++) {
        uint8_t* pixel = im->pixels + 4 * ((size_t)y * (size_t)im->width + (size_t)r.x0);
        for (int32_t x = r.x0; x < r.x1; x++, pixel += 4, m++) {
            if (*m > 0.0f) {
                blend(pixel, colour, *m);
            }
        }
    }
    free(mask);
}

void image_line(image* im, float x0, float y0, float x1, float y1, float width, image_colour colour) {
    float points[4] = {x0, y0, x1, y1};
    image_stroke(im, points, NULL, 2, width, colour);
}

void image_disc(image* im, float x, float y, float radius, image_colour colour) {
    float point[2] = {x, y};
    image_stroke(im, point, NULL, 1, 2.0f * radius, colour);
}

// Whether a sample lies inside, by counting the edges that a ray to the right crosses.
static bool inside(const float* points, int32_t point_count, float x, float y) {
    bool odd = false;
    for (int32_t i = 0, j = point_count - 1; i < point_count; j = i++) {
        const float* a = points + 2 * i;
        const float* b = points + 2 * j;
        if ((a[1] > y) != (b[1] > y) && x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0]) {
            odd = !odd;
        }
    }
    return odd;
}

void image_polygon(image* im, const float* points, int32_t point_count, image_colour colour) {
    if (point_count < 3 || im->pixels == NULL) {
        return;
    }
    enum { SIDE = 4 };
    rect r = bounds(im, points, point_count, 0.0f);
    for (int32_t y = r.y0; y < r.y1; y++) {
        for (int32_t x = r.x0; x < r.x1; x++) {
            int32_t hits = 0;
            for (int32_t s = 0; s < SIDE * SIDE; s++) {
                float sx = (float)x + ((float)(s % SIDE) + 0.5f) / SIDE;
                float sy = (float)y + ((float)(s / SIDE) + 0.5f) / SIDE;
                hits += inside(points, point_count, sx, sy) ? 1 : 0;
            }
            if (hits > 0) {
                blend(im->pixels + 4 * ((size_t)y * (size_t)im->width + (size_t)x), colour,
                      (float)hits / (SIDE * SIDE));
            }
        }
    }
}
