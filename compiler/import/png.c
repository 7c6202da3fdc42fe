// SPDX-License-Identifier: MIT
#include "compiler/import/png.h"

#include <string.h>

// PNG for previews: all colour types and depths, not interlaced. The picture is made smaller while it is read, by the mean
// of what falls into each texel, so that a large texture costs time and no memory. What contradicts itself ends the reading
// and is said; checksums are not asked, since nothing depends on a texel.

enum { WINDOW = 32768, CODE_BITS = 15, LITERALS = 288, DISTANCES = 32 };
#define PIXEL_LIMIT (1u << 24) // 4096 x 4096

// -- Rows

typedef struct picture {
    hemc_png* out;
    hemc_png_heights* heights; // instead of out
    uint32_t width, height;
    uint32_t depth, channels; // bits of a sample, samples of a pixel
    bool palette;
    uint8_t colours[256][3];
    size_t row_bytes, stride; // of a row without its filter; of a pixel, at least 1
    uint8_t *row, *above;     // of row_bytes
    size_t at;                // next byte of the row; 0 = its filter
    uint8_t filter;
    uint32_t y;
    uint64_t (*sums)[3]; // per texel of a row of `out`
    uint32_t* counts;
} picture;

static uint32_t sample(const picture* p, const uint8_t* row, uint32_t index) {
    if (p->depth >= 8) {
        return row[(size_t)index * (p->depth / 8)]; // of 16 bits the upper eight
    }
    const uint32_t bit = index * p->depth;
    return row[bit / 8] >> (8 - p->depth - bit % 8) & ((1u << p->depth) - 1);
}

// 0 to 65535, whatever the depth.
static uint32_t whole_sample(const picture* p, uint32_t index) {
    const uint8_t* two = p->row + 2 * (size_t)index;
    return p->depth == 16 ? (uint32_t)two[0] << 8 | two[1] : sample(p, p->row, index) * 65535 / ((1u << p->depth) - 1);
}

static void take_heights(picture* p) {
    uint32_t* to = p->heights->samples + (size_t)p->y * p->width;
    const int has_alpha = p->channels == 2 || p->channels == 4;
    for (uint32_t x = 0; x < p->width; ++x) {
        const uint32_t first = x * p->channels;
        const int hole = has_alpha && whole_sample(p, first + p->channels - 1) == 0;
        to[x] = hole ? HEMC_PNG_HOLE : whole_sample(p, first);
    }
}

static void take_pixels(picture* p) {
    if (p->heights != NULL) {
        take_heights(p);
        return;
    }
    const uint32_t most = (1u << (p->depth < 8 ? p->depth : 8)) - 1;
    for (uint32_t x = 0; x < p->width; ++x) {
        const uint32_t to = (uint32_t)((uint64_t)x * p->out->width / p->width);
        const uint32_t first = sample(p, p->row, x * p->channels);
        for (uint32_t c = 0; c < 3; ++c) {
            const uint32_t value = p->palette         ? p->colours[first][c]
                                   : p->channels <= 2 ? first * 255 / most
                                                      : sample(p, p->row, x * p->channels + c) * 255 / most;
            p->sums[to][c] += value;
        }
        ++p->counts[to];
    }
    const uint64_t row = (uint64_t)p->y * p->out->height / p->height;
    const uint64_t next = ((uint64_t)p->y + 1) * p->out->height / p->height;
    if (next == row) {
        return;
    }
    for (uint32_t x = 0; x < p->out->width; ++x) {
        for (int c = 0; c < 3; ++c) {
            const uint32_t count = p->counts[x];
            p->out->texels[row * p->out->width + x][c] =
                (uint8_t)(count != 0 ? (p->sums[x][c] + count / 2) / count : 0);
            p->sums[x][c] = 0;
        }
        p->counts[x] = 0;
    }
}

static uint8_t paeth(int a, int b, int c) {
    const int p = a + b - c, pa = p > a ? p - a : a - p, pb = p > b ? p - b : b - p, pc = p > c ? p - c : c - p;
    return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

// One byte of the stream. False = no more is wanted.
static bool take_byte(picture* p, uint8_t byte) {
    if (p->y == p->height) {
        return false;
    }
    if (p->at == 0) {
        p->filter = byte;
        p->at = 1;
        return byte <= 4;
    }
    const size_t i = p->at - 1;
    const uint8_t left = i >= p->stride ? p->row[i - p->stride] : 0, up = p->above[i];
    const uint8_t corner = i >= p->stride ? p->above[i - p->stride] : 0;
    const uint8_t guess = p->filter == 0   ? 0
                          : p->filter == 1 ? left
                          : p->filter == 2 ? up
                          : p->filter == 3 ? (uint8_t)((left + up) / 2)
                                           : paeth(left, up, corner);
    p->row[i] = (uint8_t)(byte + guess);
    if (p->at++ == p->row_bytes) {
        take_pixels(p);
        uint8_t* swap = p->above;
        p->above = p->row;
        p->row = swap;
        p->at = 0;
        ++p->y;
    }
    return true;
}

// -- The stream (RFC 1951)

typedef struct stream {
    const uint8_t* in;
    size_t size, at;
    uint32_t held, held_count; // bits that were read and not used
    bool failed;
    uint8_t* window;
    uint64_t out;
    picture* to;
} stream;

typedef struct code {
    uint16_t counts[CODE_BITS + 1]; // codes of each length
    uint16_t symbols[LITERALS];     // by code
} code;

static uint32_t bits(stream* s, uint32_t count) {
    while (s->held_count < count) {
        if (s->at == s->size) {
            s->failed = true;
            return 0;
        }
        s->held |= (uint32_t)s->in[s->at++] << s->held_count;
        s->held_count += 8;
    }
    const uint32_t value = s->held & ((1u << count) - 1);
    s->held >>= count;
    s->held_count -= count;
    return value;
}

static void put(stream* s, uint8_t byte) {
    s->window[s->out++ % WINDOW] = byte;
    if (!take_byte(s->to, byte)) {
        s->failed = true;
    }
}

static void make_code(code* c, const uint8_t* lengths, uint32_t count) {
    uint16_t starts[CODE_BITS + 1] = {0};
    memset(c, 0, sizeof(*c));
    for (uint32_t i = 0; i < count; ++i) {
        ++c->counts[lengths[i]];
    }
    c->counts[0] = 0;
    for (int i = 1; i < CODE_BITS; ++i) {
        starts[i + 1] = (uint16_t)(starts[i] + c->counts[i]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (lengths[i] != 0) {
            c->symbols[starts[lengths[i]]++] = (uint16_t)i;
        }
    }
}

// Codes of one length are successive numbers, and longer ones go on behind them.
static uint32_t symbol(stream* s, const code* c) {
    uint32_t value = 0, first = 0, index = 0;
    for (int length = 1; length <= CODE_BITS && !s->failed; ++length) {
        value |= bits(s, 1);
        const uint32_t count = c->counts[length];
        if (value < first + count) {
            return value >= first ? c->symbols[index + value - first] : 0;
        }
        index += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    s->failed = true;
    return 0;
}

static void read_block(stream* s, const code* literals, const code* distances) {
    static const uint16_t length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                             31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_bits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                            2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    while (!s->failed) {
        const uint32_t what = symbol(s, literals);
        if (what < 256) {
            put(s, (uint8_t)what);
            continue;
        }
        if (what == 256) {
            return;
        }
        if (what - 257 >= 29) {
            s->failed = true;
            return;
        }
        const uint32_t length = length_base[what - 257] + bits(s, length_bits[what - 257]);
        const uint32_t far = symbol(s, distances);
        // Distances: 1 to 4, then two for each power of two.
        const uint32_t more = far < 4 ? 0 : far / 2 - 1;
        if (far >= 30) {
            s->failed = true;
            return;
        }
        const uint32_t distance = far < 4 ? far + 1 : ((2 + far % 2) << more) + 1 + bits(s, more);
        s->failed = s->failed || distance > s->out;
        for (uint32_t i = 0; i < length && !s->failed; ++i) {
            put(s, s->window[(s->out - distance) % WINDOW]);
        }
    }
}

static void read_codes(stream* s, code* literals, code* distances) {
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + DISTANCES] = {0};
    const uint32_t literal_count = bits(s, 5) + 257, distance_count = bits(s, 5) + 1, count = bits(s, 4) + 4;
    for (uint32_t i = 0; i < count; ++i) {
        lengths[order[i]] = (uint8_t)bits(s, 3);
    }
    code of_lengths;
    make_code(&of_lengths, lengths, 19);
    memset(lengths, 0, sizeof(lengths));
    s->failed = s->failed || literal_count > LITERALS || distance_count > DISTANCES;
    for (uint32_t i = 0; i < literal_count + distance_count && !s->failed;) {
        const uint32_t what = symbol(s, &of_lengths);
        uint32_t repeat = 1;
        uint8_t value = (uint8_t)what;
        if (what == 16) {
            s->failed = s->failed || i == 0;
            value = i > 0 ? lengths[i - 1] : 0;
            repeat = 3 + bits(s, 2);
        } else if (what >= 17) {
            value = 0;
            repeat = what == 17 ? 3 + bits(s, 3) : 11 + bits(s, 7);
        }
        s->failed = s->failed || repeat > literal_count + distance_count - i;
        for (; repeat > 0 && !s->failed; --repeat) {
            lengths[i++] = value;
        }
    }
    if (!s->failed) {
        make_code(literals, lengths, literal_count);
        make_code(distances, lengths + literal_count, distance_count);
    }
}

static void fixed_codes(code* literals, code* distances) {
    uint8_t lengths[LITERALS];
    for (int i = 0; i < LITERALS; ++i) {
        lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    }
    make_code(literals, lengths, LITERALS);
    memset(lengths, 5, DISTANCES);
    make_code(distances, lengths, DISTANCES);
}

static void read_stored(stream* s) {
    s->held = s->held_count = 0;
    if (s->size - s->at < 4) {
        s->failed = true;
        return;
    }
    uint32_t length = s->in[s->at] | (uint32_t)s->in[s->at + 1] << 8;
    s->at += 4;
    for (; length > 0 && !s->failed; --length) {
        if (s->at == s->size) {
            s->failed = true;
            return;
        }
        put(s, s->in[s->at++]);
    }
}

static void read_stream(hemc_arena* arena, stream* s) {
    code* codes = hemc_alloc(arena, 2, sizeof(code));
    s->window = hemc_alloc(arena, WINDOW, 1);
    for (bool last = false; !last && !s->failed && s->to->y < s->to->height;) {
        last = bits(s, 1) != 0;
        const uint32_t kind = bits(s, 2);
        if (s->failed || kind == 3) {
            return;
        }
        if (kind == 0) {
            read_stored(s);
            continue;
        }
        if (kind == 1) {
            fixed_codes(&codes[0], &codes[1]);
        } else {
            read_codes(s, &codes[0], &codes[1]);
        }
        read_block(s, &codes[0], &codes[1]);
    }
}

// -- The file

static uint32_t number_at(const uint8_t* p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static const char* read_head(const uint8_t* head, picture* p) {
    static const uint8_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
    const uint8_t depth = head[8], kind = head[9];
    p->width = number_at(head);
    p->height = number_at(head + 4);
    if (p->width == 0 || p->height == 0 || (uint64_t)p->width * p->height > PIXEL_LIMIT) {
        return "it has more than 4096 x 4096 pixels, or none";
    }
    if (head[12] != 0) {
        return "it is interlaced";
    }
    const bool small = depth == 1 || depth == 2 || depth == 4;
    if (kind > 6 || channels[kind] == 0 ||
        !(depth == 8 || (depth == 16 && kind != 3) || (small && (kind == 0 || kind == 3)))) {
        return "its pixels are of no kind that PNG has";
    }
    p->palette = kind == 3;
    p->depth = depth;
    p->channels = channels[kind];
    p->row_bytes = ((size_t)p->width * p->channels * depth + 7) / 8;
    p->stride = (size_t)p->channels * depth / 8;
    p->stride = p->stride > 0 ? p->stride : 1;
    return NULL;
}

static const char* read_picture(hemc_arena* arena, const uint8_t* bytes, size_t size, picture* p) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    stream s = {.to = p};
    if (size < 33 || memcmp(bytes, signature, 8) != 0 || memcmp(bytes + 12, "IHDR", 4) != 0) {
        return p->heights != NULL ? "it is no PNG" : "it is neither PNG nor JPEG";
    }
    const char* fault = read_head(bytes + 16, p);
    if (fault != NULL) {
        return fault;
    }
    uint8_t* data = hemc_alloc(arena, size, 1);
    for (size_t at = 33; size - at >= 12;) {
        const uint32_t length = number_at(bytes + at);
        const uint8_t* body = bytes + at + 8;
        if (length > size - at - 12) {
            break;
        }
        if (memcmp(bytes + at + 4, "PLTE", 4) == 0) {
            memcpy(p->colours, body, length < sizeof(p->colours) ? length : sizeof(p->colours));
        } else if (memcmp(bytes + at + 4, "IDAT", 4) == 0) {
            memcpy(data + s.size, body, length);
            s.size += length;
        }
        at += (size_t)length + 12;
    }
    if (p->heights != NULL) {
        if (p->palette) {
            return "its pixels are numbers of colours; save it as grey";
        }
        p->heights->width = p->width;
        p->heights->height = p->height;
        p->heights->samples = hemc_alloc(arena, (size_t)p->width * p->height, sizeof(uint32_t));
    } else {
        hemc_png* out = p->out;
        out->width = p->width < HEMC_PNG_SIDE ? p->width : HEMC_PNG_SIDE;
        out->height = p->height < HEMC_PNG_SIDE ? p->height : HEMC_PNG_SIDE;
        out->texels = hemc_alloc(arena, (size_t)out->width * out->height, sizeof(*out->texels));
        p->sums = hemc_alloc(arena, out->width, sizeof(*p->sums));
        p->counts = hemc_alloc(arena, out->width, sizeof(uint32_t));
    }
    p->row = hemc_alloc(arena, p->row_bytes, 1);
    p->above = hemc_alloc(arena, p->row_bytes, 1);
    s.in = data;
    s.at = s.size > 2 ? 2 : s.size; // zlib's head
    read_stream(arena, &s);
    return p->y == p->height ? NULL : "it is damaged";
}

const char* hemc_png_read(hemc_arena* arena, const uint8_t* bytes, size_t size, hemc_png* out) {
    picture p = {.out = out};
    return read_picture(arena, bytes, size, &p);
}

const char* hemc_png_read_heights(hemc_arena* arena, const uint8_t* bytes, size_t size, hemc_png_heights* out) {
    picture p = {.heights = out};
    return read_picture(arena, bytes, size, &p);
}
