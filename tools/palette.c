// SPDX-License-Identifier: MIT
#include "tools/palette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Colours are counted in cells of seven bits a channel. Starting from one box around all cells, the box with the largest
// squared error is cut at its mean along its widest channel until there are enough. A cell weighs the square root of its
// count: otherwise the background would take every entry and a face would get three.

enum { CELL_BITS = 7, CELL_COUNT = 1 << (3 * CELL_BITS), NOT_KNOWN = 0xffff };

typedef struct cell {
    float rgb[3];
    float weight;
} cell;

typedef struct box {
    int32_t first, count;
    float mean[3];
    float error; // summed squared distance to the mean
    int32_t axis;
} box;

static uint32_t cell_of(const int32_t rgb[3]) {
    return (uint32_t)(rgb[0] >> 1) << (2 * CELL_BITS) | (uint32_t)(rgb[1] >> 1) << CELL_BITS | (uint32_t)(rgb[2] >> 1);
}

static void measure(box* b, const cell* cells) {
    double weight = 0.0, sum[3] = {0}, square[3] = {0};
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        weight += cells[i].weight;
        for (int32_t c = 0; c < 3; c++) {
            sum[c] += cells[i].weight * cells[i].rgb[c];
            square[c] += cells[i].weight * cells[i].rgb[c] * cells[i].rgb[c];
        }
    }
    double widest = -1.0, error = 0.0;
    for (int32_t c = 0; c < 3; c++) {
        double spread = square[c] - sum[c] * sum[c] / weight;
        b->mean[c] = (float)(sum[c] / weight);
        error += spread;
        if (spread > widest) {
            widest = spread;
            b->axis = c;
        }
    }
    b->error = b->count > 1 ? (float)error : 0.0f;
}

static int32_t partition(cell* cells, const box* b) {
    int32_t low = b->first, high = b->first + b->count - 1;
    while (low <= high) {
        if (cells[low].rgb[b->axis] <= b->mean[b->axis]) {
            low++;
        } else {
            cell swap = cells[low];
            cells[low] = cells[high];
            cells[high--] = swap;
        }
    }
    return low - b->first;
}

bool palette_build(palette* p, const image* images, int32_t image_count) {
    memset(p, 0, sizeof(*p));
    uint32_t* counts = calloc(CELL_COUNT, sizeof(uint32_t));
    p->nearest = malloc(CELL_COUNT * sizeof(uint16_t));
    if (counts == NULL || p->nearest == NULL) {
        free(counts);
        palette_destroy(p);
        return false;
    }
    memset(p->nearest, 0xff, CELL_COUNT * sizeof(uint16_t));
    int32_t cell_count = 0;
    for (int32_t i = 0; i < image_count; i++) {
        size_t area = (size_t)images[i].width * (size_t)images[i].height;
        for (size_t k = 0; k < area; k++) {
            const uint8_t* pixel = images[i].pixels + 4 * k;
            int32_t rgb[3] = {pixel[0], pixel[1], pixel[2]};
            cell_count += counts[cell_of(rgb)]++ == 0 ? 1 : 0;
        }
    }
    cell* cells = malloc(sizeof(cell) * (size_t)(cell_count > 0 ? cell_count : 1));
    if (cells == NULL) {
        free(counts);
        palette_destroy(p);
        return false;
    }
    int32_t filled = 0;
    for (int32_t i = 0; i < CELL_COUNT; i++) {
        if (counts[i] > 0) {
            cell* c = &cells[filled++];
            c->rgb[0] = (float)(i >> (2 * CELL_BITS)) * 2.0f + 0.5f;
            c->rgb[1] = (float)((i >> CELL_BITS) & 127) * 2.0f + 0.5f;
            c->rgb[2] = (float)(i & 127) * 2.0f + 0.5f;
            c->weight = sqrtf((float)counts[i]);
        }
    }
    box boxes[PALETTE_MAX];
    int32_t box_count = 0;
    if (cell_count > 0) {
        boxes[box_count].first = 0;
        boxes[box_count].count = cell_count;
        measure(&boxes[box_count++], cells);
    }
    while (box_count > 0 && box_count < PALETTE_MAX) {
        int32_t worst = 0;
        for (int32_t i = 1; i < box_count; i++) {
            worst = boxes[i].error > boxes[worst].error ? i : worst;
        }
        box* b = &boxes[worst];
        int32_t lower = b->error > 0.0f ? partition(cells, b) : 0;
        if (lower == 0 || lower == b->count) {
            break;
        }
        box* upper = &boxes[box_count++];
        upper->first = b->first + lower;
        upper->count = b->count - lower;
        b->count = lower;
        measure(b, cells);
        measure(upper, cells);
    }
    for (int32_t i = 0; i < box_count; i++) {
        for (int32_t c = 0; c < 3; c++) {
            p->rgb[i][c] = (uint8_t)(boxes[i].mean[c] + 0.5f);
        }
    }
    p->count = box_count;
    free(cells);
    free(counts);
    return true;
}

void palette_destroy(palette* p) {
    free(p->nearest);
    memset(p, 0, sizeof(*p));
}

static uint16_t find_nearest(const palette* p, const int32_t rgb[3]) {
    int32_t best = 0, best_distance = INT32_MAX;
    for (int32_t i = 0; i < p->count; i++) {
        int32_t r = rgb[0] - p->rgb[i][0], g = rgb[1] - p->rgb[i][1], b = rgb[2] - p->rgb[i][2];
        int32_t distance = 2 * r * r + 4 * g * g + b * b; // the eye's weights, roughly
        if (distance < best_distance) {
            best_distance = distance;
            best = i;
        }
    }
    return (uint16_t)best;
}

void palette_apply(palette* p, const image* im, uint8_t* indices) {
    static const int8_t PATTERN[4][4] = {{-2, 1, -1, 2}, {2, -1, 1, -2}, {-1, 2, -2, 1}, {1, -2, 2, -1}};
    for (int32_t y = 0; y < im->height; y++) {
        for (int32_t x = 0; x < im->width; x++) {
            size_t k = (size_t)y * (size_t)im->width + (size_t)x;
            int32_t rgb[3];
            for (int32_t c = 0; c < 3; c++) {
                int32_t v = im->pixels[4 * k + (size_t)c] + PATTERN[y & 3][x & 3];
                rgb[c] = v < 0 ? 0 : v > 255 ? 255 : v;
            }
            uint16_t* entry = &p->nearest[cell_of(rgb)];
            if (*entry == NOT_KNOWN) {
                int32_t centre[3] = {rgb[0] & ~1, rgb[1] & ~1, rgb[2] & ~1};
                *entry = find_nearest(p, centre);
            }
            indices[k] = (uint8_t)*entry;
        }
    }
}
