// SPDX-License-Identifier: MIT
#include "tools/png.h"
#include "tools/deflate.h"
#include "tools/palette.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLOUR_RGB = 2, COLOUR_PALETTE = 3, COLOUR_RGBA = 6, FILTER_COUNT = 5 };

static const uint8_t SIGNATURE[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

// -- Chunks: length, kind, content, CRC of kind and content

static uint32_t crc_of(const uint8_t* data, size_t size) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int32_t k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1u ? 0xedb88320u : 0u);
        }
    }
    return crc ^ 0xffffffffu;
}

// Writes the head with a length to be filled in by chunk_end.
static size_t chunk_begin(bytes* out, const char* kind) {
    bytes_append_u32_be(out, 0);
    bytes_append(out, kind, 4);
    return out->size;
}

static void chunk_end(bytes* out, size_t start) {
    if (out->failed) {
        return;
    }
    uint32_t length = (uint32_t)(out->size - start);
    for (int32_t i = 0; i < 4; i++) {
        out->data[start - 8 + (size_t)i] = (uint8_t)(length >> (24 - 8 * i));
    }
    bytes_append_u32_be(out, crc_of(out->data + start - 4, (size_t)length + 4));
}

static void put_u16(bytes* out, uint32_t value) {
    bytes_append_u8(out, (uint8_t)(value >> 8));
    bytes_append_u8(out, (uint8_t)value);
}

static void put_header(bytes* out, int32_t width, int32_t height, uint8_t colour) {
    bytes_append(out, SIGNATURE, sizeof(SIGNATURE));
    size_t start = chunk_begin(out, "IHDR");
    bytes_append_u32_be(out, (uint32_t)width);
    bytes_append_u32_be(out, (uint32_t)height);
    const uint8_t rest[5] = {8, colour, 0, 0, 0};
    bytes_append(out, rest, sizeof(rest));
    chunk_end(out, start);
}

// -- Stills

static uint8_t paeth(int32_t a, int32_t b, int32_t c) {
    int32_t p = a + b - c;
    int32_t da = abs(p - a), db = abs(p - b), dc = abs(p - c);
    return (uint8_t)(da <= db && da <= dc ? a : db <= dc ? b : c);
}

static void filter_row(uint8_t* to, const uint8_t* row, const uint8_t* above, int32_t size, int32_t step,
                       int32_t filter) {
    for (int32_t i = 0; i < size; i++) {
        int32_t left = i >= step ? row[i - step] : 0;
        int32_t up = above[i];
        int32_t corner = i >= step ? above[i - step] : 0;
        int32_t guess = 0;
        switch (filter) {
        case 1:
            guess = left;
            break;
        case 2:
            guess = up;
            break;
        case 3:
            guess = (left + up) / 2;
            break;
        case 4:
            guess = paeth(left, up, corner);
            break;
        default:
            break;
        }
        to[i] = (uint8_t)(row[i] - guess);
    }
}

// Of the five filters, the one with the smallest sum of absolute values is usually the one that packs best.
static void choose_filter(uint8_t* to, uint8_t* scratch, const uint8_t* row, const uint8_t* above, int32_t size,
                          int32_t step) {
    int64_t best = INT64_MAX;
    for (int32_t filter = 0; filter < FILTER_COUNT; filter++) {
        filter_row(scratch, row, above, size, step, filter);
        int64_t sum = 0;
        for (int32_t i = 0; i < size; i++) {
            sum += scratch[i] < 128 ? scratch[i] : 256 - scratch[i];
        }
        if (sum < best) {
            best = sum;
            to[0] = (uint8_t)filter;
            memcpy(to + 1, scratch, (size_t)size);
        }
    }
}

bool png_encode(bytes* out, const image* im) {
    if (im->pixels == NULL) {
        return false;
    }
    size_t area = (size_t)im->width * (size_t)im->height;
    bool opaque = true;
    for (size_t i = 0; i < area; i++) {
        opaque = opaque && im->pixels[4 * i + 3] == 255;
    }
    int32_t step = opaque ? 3 : 4;
    int32_t row_size = im->width * step;
    uint8_t* raw = malloc(((size_t)row_size + 1) * (size_t)im->height);
    uint8_t* rows = calloc(3, (size_t)row_size);
    if (raw == NULL || rows == NULL) {
        free(raw);
        free(rows);
        return false;
    }
    uint8_t* row = rows;
    uint8_t* above = rows + row_size;
    uint8_t* scratch = rows + 2 * row_size;
    for (int32_t y = 0; y < im->height; y++) {
        const uint8_t* pixels = im->pixels + 4 * (size_t)y * (size_t)im->width;
        for (int32_t x = 0; x < im->width; x++) {
            memcpy(row + x * step, pixels + 4 * x, (size_t)step);
        }
        choose_filter(raw + (size_t)y * ((size_t)row_size + 1), scratch, row, above, row_size, step);
        uint8_t* swap = row;
        row = above;
        above = swap;
    }
    put_header(out, im->width, im->height, opaque ? COLOUR_RGB : COLOUR_RGBA);
    size_t start = chunk_begin(out, "IDAT");
    deflate_zlib(out, raw, ((size_t)row_size + 1) * (size_t)im->height);
    chunk_end(out, start);
    chunk_end(out, chunk_begin(out, "IEND"));
    free(raw);
    free(rows);
    return !out->failed;
}

bool png_encode_small(bytes* out, const image* im) {
    palette p;
    if (im->pixels == NULL || !palette_build(&p, im, 1)) {
        return false;
    }
    size_t width = (size_t)im->width, height = (size_t)im->height;
    uint8_t* indices = malloc(width * height);
    uint8_t* raw = malloc((width + 1) * height);
    bool ok = indices != NULL && raw != NULL;
    if (ok) {
        palette_apply(&p, im, indices);
        for (size_t y = 0; y < height; y++) {
            raw[y * (width + 1)] = 0; // no filter: neighbours in a palette are not alike in number
            memcpy(raw + y * (width + 1) + 1, indices + y * width, width);
        }
        put_header(out, im->width, im->height, COLOUR_PALETTE);
        size_t start = chunk_begin(out, "PLTE");
        bytes_append(out, p.rgb, 3 * (size_t)p.count);
        chunk_end(out, start);
        start = chunk_begin(out, "IDAT");
        deflate_zlib(out, raw, (width + 1) * height);
        chunk_end(out, start);
        chunk_end(out, chunk_begin(out, "IEND"));
    }
    free(indices);
    free(raw);
    palette_destroy(&p);
    return ok && !out->failed;
}

// -- Films

typedef struct area {
    int32_t x0, y0, x1, y1;
} area;

// The rectangle in which two frames differ; one pixel if they do not.
static area changed_area(const uint8_t* now, const uint8_t* before, int32_t width, int32_t height) {
    area a = {width, height, 0, 0};
    for (int32_t y = 0; y < height; y++) {
        for (int32_t x = 0; x < width; x++) {
            size_t k = (size_t)y * (size_t)width + (size_t)x;
            if (now[k] != before[k]) {
                a.x0 = x < a.x0 ? x : a.x0;
                a.x1 = x + 1 > a.x1 ? x + 1 : a.x1;
                a.y0 = y < a.y0 ? y : a.y0;
                a.y1 = y + 1;
            }
        }
    }
    if (a.x1 <= a.x0) {
        a = (area){0, 0, 1, 1};
    }
    return a;
}

static void put_frame_control(bytes* out, uint32_t sequence, area a, int32_t delay_ms) {
    size_t start = chunk_begin(out, "fcTL");
    bytes_append_u32_be(out, sequence);
    bytes_append_u32_be(out, (uint32_t)(a.x1 - a.x0));
    bytes_append_u32_be(out, (uint32_t)(a.y1 - a.y0));
    bytes_append_u32_be(out, (uint32_t)a.x0);
    bytes_append_u32_be(out, (uint32_t)a.y0);
    put_u16(out, (uint32_t)delay_ms);
    put_u16(out, 1000);
    bytes_append_u8(out, 0); // leave the frame in place
    bytes_append_u8(out, 1); // and draw the next one over it
    chunk_end(out, start);
}

static void put_palette(bytes* out, const palette* p) {
    size_t start = chunk_begin(out, "PLTE");
    bytes_append(out, "\0\0\0", 3); // entry 0: unchanged
    bytes_append(out, p->rgb, 3 * (size_t)p->count);
    chunk_end(out, start);
    start = chunk_begin(out, "tRNS");
    bytes_append_u8(out, 0);
    chunk_end(out, start);
}

static bool put_frames(bytes* out, palette* p, const image* frames, int32_t frame_count, int32_t delay_ms) {
    int32_t width = frames[0].width, height = frames[0].height;
    size_t pixel_count = (size_t)width * (size_t)height;
    uint8_t* now = malloc(pixel_count);
    uint8_t* before = malloc(pixel_count);
    uint8_t* raw = malloc(pixel_count + (size_t)height);
    bool ok = now != NULL && before != NULL && raw != NULL;
    uint32_t sequence = 0;
    for (int32_t i = 0; ok && i < frame_count; i++) {
        palette_apply(p, &frames[i], now);
        area a = {0, 0, width, height};
        if (i > 0) {
            a = changed_area(now, before, width, height);
        }
        size_t size = 0;
        for (int32_t y = a.y0; y < a.y1; y++) {
            raw[size++] = 0; // no filter: neighbours in a palette are not alike in number
            for (int32_t x = a.x0; x < a.x1; x++) {
                size_t k = (size_t)y * (size_t)width + (size_t)x;
                raw[size++] = i > 0 && now[k] == before[k] ? 0 : (uint8_t)(now[k] + 1);
            }
        }
        put_frame_control(out, sequence++, a, delay_ms);
        size_t start = chunk_begin(out, i == 0 ? "IDAT" : "fdAT");
        if (i > 0) {
            bytes_append_u32_be(out, sequence++);
        }
        deflate_zlib(out, raw, size);
        chunk_end(out, start);
        uint8_t* swap = now;
        now = before;
        before = swap;
    }
    free(now);
    free(before);
    free(raw);
    return ok && !out->failed;
}

bool apng_encode(bytes* out, const image* frames, int32_t frame_count, int32_t delay_ms) {
    if (frame_count < 1 || delay_ms < 1 || delay_ms > 65535) {
        return false;
    }
    for (int32_t i = 0; i < frame_count; i++) {
        if (frames[i].pixels == NULL || frames[i].width != frames[0].width || frames[i].height != frames[0].height) {
            return false;
        }
    }
    palette p;
    if (!palette_build(&p, frames, frame_count)) {
        return false;
    }
    put_header(out, frames[0].width, frames[0].height, COLOUR_PALETTE);
    size_t start = chunk_begin(out, "acTL");
    bytes_append_u32_be(out, (uint32_t)frame_count);
    bytes_append_u32_be(out, 0); // loop for ever
    chunk_end(out, start);
    put_palette(out, &p);
    bool ok = put_frames(out, &p, frames, frame_count, delay_ms);
    chunk_end(out, chunk_begin(out, "IEND"));
    palette_destroy(&p);
    return ok && !out->failed;
}

// -- Files

static bool write_file(const char* path, bool encoded, const bytes* b, hem_file_error* error) {
    if (encoded) {
        return hem_file_write(path, b->data, b->size, HEM_FILE_FOLDERS, error);
    }
    if (error != NULL) {
        error->code = 0;
        snprintf(error->text, sizeof(error->text), "no memory to make the picture '%s'", path);
    }
    return false;
}

bool png_write(const char* path, const image* im, hem_file_error* error) {
    bytes b = {0};
    bool ok = write_file(path, png_encode(&b, im), &b, error);
    bytes_destroy(&b);
    return ok;
}

bool png_write_small(const char* path, const image* im, hem_file_error* error) {
    bytes b = {0};
    bool ok = write_file(path, png_encode_small(&b, im), &b, error);
    bytes_destroy(&b);
    return ok;
}

bool apng_write(const char* path, const image* frames, int32_t frame_count, int32_t delay_ms, hem_file_error* error) {
    bytes b = {0};
    bool ok = write_file(path, apng_encode(&b, frames, frame_count, delay_ms), &b, error);
    bytes_destroy(&b);
    return ok;
}
