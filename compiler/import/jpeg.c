// SPDX-License-Identifier: MIT
#include "compiler/import/png.h"

#include <string.h>

// JPEG for previews: baseline, extended sequential and progressive, 8 bits, grey or three colours, any sampling. Of progressive
// ones only the first scan is read, the means of blocks of 8 x 8 pixels: that is enough for a preview. As with PNG, the picture is made smaller while it is read, by the mean of what falls into each texel, and what
// contradicts itself ends the reading and is said. Whole numbers throughout: the same texels everywhere.

enum { COMPONENTS = 3, TABLES = 4, RESTART = 0xd0, END = 0xd9 };
#define PIXEL_LIMIT (1u << 24) // 4096 x 4096
#define COEFFICIENT_LIMIT 32767

// clang-format off
static const uint8_t zigzag[64] = {
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};
// 4096 cos((2x + 1) u pi / 16), the first row over sqrt 2.
static const int16_t waves[8][8] = {
    {2896, 2896, 2896, 2896, 2896, 2896, 2896, 2896},
    {4017, 3406, 2276, 799, -799, -2276, -3406, -4017},
    {3784, 1567, -1567, -3784, -3784, -1567, 1567, 3784},
    {3406, -799, -4017, -2276, 2276, 4017, 799, -3406},
    {2896, -2896, -2896, 2896, 2896, -2896, -2896, 2896},
    {2276, -4017, 799, 3406, -3406, -799, 4017, -2276},
    {1567, -3784, 3784, -1567, -1567, 3784, -3784, 1567},
    {799, -2276, 3406, -4017, 4017, -3406, 2276, -799}};
// clang-format on

typedef struct codes { // a Huffman table
    uint8_t counts[16], values[256];
    bool given;
} codes;

typedef struct component {
    uint32_t id, across, down; // samples of it in a unit
    uint32_t quantiser, dc, ac;
    int32_t last; // its last DC
    bool seen;
} component;

typedef struct reader {
    const uint8_t* bytes;
    size_t size, at;
    uint32_t bits, bit_count, missing; // missing: bytes that were asked for after the end
    uint16_t quantisers[TABLES][64];
    bool has_quantiser[TABLES];
    codes tables[2][TABLES]; // of DC, of AC
    component components[COMPONENTS];
    uint32_t component_count, width, height, across, down, interval;
    bool rgb, progressive;
    uint32_t shift; // of a progressive scan's numbers
    hemc_png* out;
    uint32_t (*sums)[3]; // per texel
    uint32_t* counts;
} reader;

static uint32_t word_at(const uint8_t* bytes) {
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

// -- Bits

static uint32_t next_bit(reader* r) {
    if (r->bit_count == 0) {
        uint32_t byte = 0;
        if (r->at + 1 < r->size && r->bytes[r->at] == 0xff && r->bytes[r->at + 1] != 0) {
            ++r->missing; // a marker: nothing but zeros until somebody takes it
        } else if (r->at < r->size) {
            byte = r->bytes[r->at++];
            r->at += byte == 0xff;
        } else {
            ++r->missing;
        }
        r->bits = byte;
        r->bit_count = 8;
    }
    return r->bits >> --r->bit_count & 1;
}

static int32_t take_number(reader* r, uint32_t length) {
    int32_t value = 0;
    for (uint32_t i = 0; i < length; ++i) {
        value = 2 * value + (int32_t)next_bit(r);
    }
    return length == 0 || value >= 1 << (length - 1) ? value : value - (1 << length) + 1;
}

static uint32_t take_code(reader* r, const codes* c) { // 256 = none
    uint32_t code = 0, first = 0, index = 0;
    for (int length = 0; length < 16; ++length) {
        code = 2 * code + next_bit(r);
        first *= 2;
        if (code - first < c->counts[length]) {
            return c->values[index + code - first];
        }
        index += c->counts[length];
        first += c->counts[length];
    }
    return 256;
}

// -- Blocks

static bool take_block(reader* r, component* c, int32_t block[64]) {
    const uint16_t* q = r->quantisers[c->quantiser];
    memset(block, 0, 64 * sizeof(int32_t));
    const uint32_t length = take_code(r, &r->tables[0][c->dc]);
    if (length > 11) {
        return false;
    }
    c->last += take_number(r, length);
    c->last = c->last > COEFFICIENT_LIMIT    ? COEFFICIENT_LIMIT
              : c->last < -COEFFICIENT_LIMIT ? -COEFFICIENT_LIMIT
                                             : c->last;
    block[0] = c->last;
    for (uint32_t k = 1; k < 64 && !r->progressive; ++k) {
        const uint32_t code = take_code(r, &r->tables[1][c->ac]);
        if (code > 255) {
            return false;
        }
        k += code >> 4;
        if ((code & 15) == 0) {
            if (code != 0xf0) {
                break;
            }
            continue;
        }
        if (k > 63) {
            return false;
        }
        block[zigzag[k]] = take_number(r, code & 15);
    }
    for (int k = 0; k < 64; ++k) {
        const int64_t value = (int64_t)block[zigzag[k]] * q[k] * (1 << r->shift);
        block[zigzag[k]] = (int32_t)(value > COEFFICIENT_LIMIT    ? COEFFICIENT_LIMIT
                                     : value < -COEFFICIENT_LIMIT ? -COEFFICIENT_LIMIT
                                                                  : value);
    }
    return true;
}

static void transform(const int32_t block[64], uint8_t pixels[64]) {
    int64_t rows[64];
    for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 8; ++x) {
            int64_t sum = 0;
            for (int u = 0; u < 8; ++u) {
                sum += (int64_t)block[8 * y + u] * waves[u][x];
            }
            rows[8 * y + x] = sum;
        }
    }
    for (int x = 0; x < 8; ++x) {
        for (int y = 0; y < 8; ++y) {
            int64_t sum = ((int64_t)128 << 26) + (1 << 25);
            for (int v = 0; v < 8; ++v) {
                sum += rows[8 * v + x] * waves[v][y];
            }
            const int64_t value = sum < 0 ? 0 : sum >> 26;
            pixels[8 * y + x] = (uint8_t)(value > 255 ? 255 : value);
        }
    }
}

// A block of a component into the texels that it covers; left, top: in samples of the component.
static void spread(reader* r, uint32_t index, uint32_t left, uint32_t top, const uint8_t pixels[64]) {
    const component* c = &r->components[index];
    const hemc_png* out = r->out;
    for (uint32_t i = 0; i < 64; ++i) {
        const uint32_t x = left + i % 8, y = top + i / 8;
        const uint32_t x0 = x * r->across / c->across, x1 = (x + 1) * r->across / c->across;
        const uint32_t y0 = y * r->down / c->down, y1 = (y + 1) * r->down / c->down;
        for (uint32_t py = y0; py < y1 && py < r->height; ++py) {
            for (uint32_t px = x0; px < x1 && px < r->width; ++px) {
                const size_t texel = (size_t)((uint64_t)py * out->height / r->height) * out->width +
                                     (size_t)((uint64_t)px * out->width / r->width);
                r->sums[texel][index] += pixels[i];
                r->counts[texel] += index == 0;
            }
        }
    }
}

static bool take_and_spread(reader* r, uint32_t index, uint32_t column, uint32_t row) {
    int32_t block[64];
    uint8_t pixels[64];
    if (!take_block(r, &r->components[index], block)) {
        return false;
    }
    transform(block, pixels);
    spread(r, index, 8 * column, 8 * row, pixels);
    return true;
}

static uint32_t over(uint32_t a, uint32_t b) {
    return (a + b - 1) / b;
}

// Between intervals the bits begin anew, after a marker.
static void restart(reader* r) {
    r->bit_count = 0;
    if (r->at + 1 < r->size && r->bytes[r->at] == 0xff && (r->bytes[r->at + 1] & 0xf8) == RESTART) {
        r->at += 2;
    }
    for (uint32_t i = 0; i < COMPONENTS; ++i) {
        r->components[i].last = 0;
    }
}

static const char* read_scan(reader* r, const uint8_t* head, uint32_t length) {
    const uint32_t count = length > 0 ? head[0] : 0;
    uint32_t list[COMPONENTS];
    if (count == 0 || count > r->component_count || length < 1 + 2 * count) {
        return "it is damaged";
    }
    if (r->progressive) {
        const uint8_t *band = head + 1 + 2 * (size_t)count, *bits = band + 2;
        if (length < 4 + 2 * count || (bits[0] & 15) > 13) {
            return "it is damaged";
        }
        if (band[0] != 0 || bits[0] >> 4 != 0) { // what comes after the means
            return NULL;
        }
        r->shift = bits[0] & 15;
    }
    for (uint32_t i = 0; i < count; ++i) {
        list[i] = COMPONENTS;
        for (uint32_t k = 0; k < r->component_count; ++k) {
            list[i] = r->components[k].id == head[1 + 2 * i] ? k : list[i];
        }
        component* c = &r->components[list[i] < COMPONENTS ? list[i] : 0];
        c->dc = head[2 + 2 * i] >> 4;
        c->ac = head[2 + 2 * i] & 15;
        if (list[i] == COMPONENTS || c->seen || c->dc >= TABLES || c->ac >= TABLES || !r->tables[0][c->dc].given ||
            (!r->tables[1][c->ac].given && !r->progressive) || !r->has_quantiser[c->quantiser]) {
            return "it is damaged";
        }
        c->seen = true;
    }
    // One component alone comes block by block, several in units of across x down.
    const component* only = &r->components[list[0]];
    const uint32_t columns =
        count == 1 ? over(over(r->width * only->across, r->across), 8) : over(r->width, 8 * r->across);
    const uint32_t rows = count == 1 ? over(over(r->height * only->down, r->down), 8) : over(r->height, 8 * r->down);
    restart(r);
    for (uint32_t unit = 0; unit < columns * rows; ++unit) {
        if (r->interval != 0 && unit != 0 && unit % r->interval == 0) {
            restart(r);
        }
        const uint32_t column = unit % columns, row = unit / columns;
        for (uint32_t i = 0; i < count; ++i) {
            const component* c = &r->components[list[i]];
            const uint32_t across = count == 1 ? 1 : c->across, down = count == 1 ? 1 : c->down;
            for (uint32_t k = 0; k < across * down; ++k) {
                if (!take_and_spread(r, list[i], column * across + k % across, row * down + k / across) ||
                    r->missing > 0) {
                    return "it is damaged";
                }
            }
        }
    }
    r->bit_count = 0;
    return NULL;
}

// -- Segments

static const char* read_quantisers(reader* r, const uint8_t* at, uint32_t length) {
    while (length > 0) {
        const uint32_t wide = at[0] >> 4, index = at[0] & 15, need = 1 + 64 * (wide + 1);
        if (wide > 1 || index >= TABLES || length < need) {
            return "it is damaged";
        }
        for (uint32_t k = 0; k < 64; ++k) {
            r->quantisers[index][k] = (uint16_t)(wide ? word_at(at + 1 + 2 * (size_t)k) : at[1 + k]);
        }
        r->has_quantiser[index] = true;
        at += need;
        length -= need;
    }
    return NULL;
}

static const char* read_codes(reader* r, const uint8_t* at, uint32_t length) {
    while (length > 0) {
        if (length < 17 || at[0] >> 4 > 1 || (at[0] & 15) >= TABLES) {
            return "it is damaged";
        }
        codes* c = &r->tables[at[0] >> 4][at[0] & 15];
        uint32_t sum = 0;
        for (int i = 0; i < 16; ++i) {
            c->counts[i] = at[1 + i];
            sum += at[1 + i];
        }
        if (sum > 256 || length < 17 + sum) {
            return "it is damaged";
        }
        memset(c->values, 0, sizeof(c->values));
        memcpy(c->values, at + 17, sum);
        c->given = true;
        at += 17 + sum;
        length -= 17 + sum;
    }
    return NULL;
}

static const char* read_frame(hemc_arena* arena, reader* r, const uint8_t* at, uint32_t length) {
    if (r->component_count != 0 || length < 6 || at[0] != 8 || length < 6 + 3 * (uint32_t)at[5]) {
        return "it is damaged";
    }
    r->height = word_at(at + 1);
    r->width = word_at(at + 3);
    if (at[5] != 1 && at[5] != COMPONENTS) {
        return "it has neither one nor three colours";
    }
    if (r->width == 0 || r->height == 0 || (uint64_t)r->width * r->height > PIXEL_LIMIT) {
        return "it has more than 4096 x 4096 pixels, or none";
    }
    r->component_count = at[5];
    for (uint32_t i = 0; i < r->component_count; ++i) {
        component* c = &r->components[i];
        const uint8_t* own = at + 6 + 3 * (size_t)i;
        *c = (component){.id = own[0], .across = own[1] >> 4, .down = own[1] & 15, .quantiser = own[2]};
        if (c->across < 1 || c->across > 4 || c->down < 1 || c->down > 4 || c->quantiser >= TABLES) {
            return "it is damaged";
        }
        r->across = c->across > r->across ? c->across : r->across;
        r->down = c->down > r->down ? c->down : r->down;
    }
    if (r->component_count == 1) { // sampling means nothing then
        r->components[0].across = r->components[0].down = r->across = r->down = 1;
    }
    r->rgb = r->rgb || (r->component_count == 3 && r->components[0].id == 'R' && r->components[1].id == 'G');
    hemc_png* out = r->out;
    out->width = r->width < HEMC_PNG_SIDE ? r->width : HEMC_PNG_SIDE;
    out->height = r->height < HEMC_PNG_SIDE ? r->height : HEMC_PNG_SIDE;
    const size_t texels = (size_t)out->width * out->height;
    out->texels = hemc_alloc(arena, texels, sizeof(*out->texels));
    r->sums = hemc_alloc(arena, texels, sizeof(*r->sums));
    r->counts = hemc_alloc(arena, texels, sizeof(uint32_t));
    return NULL;
}

// -- Colours

static uint8_t clamped(int32_t value, int32_t unit) {
    return (uint8_t)(value < 0 ? 0 : value / unit > 255 ? 255 : value / unit);
}

static void write_texels(const reader* r) {
    const int32_t unit = 1 << 16, half = unit / 2;
    for (size_t i = 0; i < (size_t)r->out->width * r->out->height; ++i) {
        const uint32_t n = r->counts[i] > 0 ? r->counts[i] : 1;
        int32_t mean[3];
        for (int k = 0; k < 3; ++k) {
            mean[k] = (int32_t)((r->sums[i][k] + n / 2) / n);
        }
        uint8_t* rgb = r->out->texels[i];
        if (r->component_count == 1 || r->rgb) {
            for (int k = 0; k < 3; ++k) {
                rgb[k] = (uint8_t)mean[r->rgb ? k : 0];
            }
            continue;
        }
        const int32_t y = unit * mean[0] + half, blue = mean[1] - 128, red = mean[2] - 128;
        rgb[0] = clamped(y + 91881 * red, unit);
        rgb[1] = clamped(y - 22554 * blue - 46802 * red, unit);
        rgb[2] = clamped(y + 116130 * blue, unit);
    }
}

const char* hemc_jpeg_read(hemc_arena* arena, const uint8_t* bytes, size_t size, hemc_png* out) {
    reader* r = hemc_alloc(arena, 1, sizeof(reader));
    r->bytes = bytes, r->size = size, r->out = out;
    const char* fault = NULL;
    for (r->at = 2; fault == NULL;) {
        while (r->at < size && bytes[r->at] != 0xff) {
            ++r->at;
        }
        while (r->at < size && bytes[r->at] == 0xff) {
            ++r->at;
        }
        const uint32_t marker = r->at < size ? bytes[r->at++] : END;
        if (marker == END) {
            break;
        }
        if (marker == 0 || marker == 1 || (marker & 0xf8) == RESTART) {
            continue;
        }
        const uint32_t length = size - r->at >= 2 ? word_at(bytes + r->at) : 0;
        if (length < 2 || length > size - r->at) {
            return "it is damaged";
        }
        const uint8_t* body = bytes + r->at + 2;
        const uint32_t body_size = length - 2;
        r->at += length;
        if (marker == 0xdb) {
            fault = read_quantisers(r, body, body_size);
        } else if (marker == 0xc4) {
            fault = read_codes(r, body, body_size);
        } else if (marker == 0xc0 || marker == 0xc1 || marker == 0xc2) {
            r->progressive = marker == 0xc2;
            fault = read_frame(arena, r, body, body_size);
        } else if (marker > 0xc1 && marker < 0xd0 && marker != 0xc8 && marker != 0xcc) {
            fault = "it is lossless or arithmetically coded";
        } else if (marker == 0xdd && body_size >= 2) {
            r->interval = word_at(body);
        } else if (marker == 0xee && body_size >= 12 && memcmp(body, "Adobe", 5) == 0) {
            r->rgb = body[11] == 0;
        } else if (marker == 0xda) {
            fault = r->component_count == 0 ? "it is damaged" : read_scan(r, body, body_size);
        }
    }
    for (uint32_t i = 0; i < r->component_count && fault == NULL; ++i) {
        fault = r->components[i].seen ? NULL : "it is damaged";
    }
    if (fault == NULL && r->component_count == 0) {
        fault = "it is damaged";
    }
    if (fault == NULL) {
        write_texels(r);
    }
    return fault;
}
