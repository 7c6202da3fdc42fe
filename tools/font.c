// SPDX-License-Identifier: MIT
#include "tools/font.h"

#include <math.h>
#include <string.h>

// Glyphs are drawn with a round pen along lines and quadratic curves, so one table serves every size. A path is a string
// of commands with whole numbers: M x y lifts the pen, L x y draws a line, Q cx cy x y a curve. The grid: baseline 0,
// capitals 20 high, small letters 14, descenders down to -6. Digits share one width, so columns of numbers line up.

enum { FONT_CAPITAL = 20, FONT_BEARING = 5, FONT_POINTS_MAX = 160, FONT_CURVE_STEPS = 7 };

typedef struct glyph {
    uint8_t width;
    const char* path;
} glyph;

// clang-format off
static const glyph GLYPHS[95] = {
    {4, ""},                                                                            // space
    {0, "M0 20L0 6M0 1L0 0"},                                                           // !
    {4, "M0 20L0 15M4 20L4 15"},                                                        // "
    {15, "M3 0L6 20M9 0L12 20M0 6L14 6M1 14L15 14"},                                    // #
    {12, "M0 4Q1 0 6 0Q12 0 12 5Q12 9 6 10Q0 11 0 15Q0 20 6 20Q11 20 12 16M6 23L6 -3"}, // $
    {14, "M3 12Q0 12 0 16Q0 20 3 20Q6 20 6 16Q6 12 3 12M11 0Q8 0 8 4Q8 8 11 8Q14 8 14 4Q14 0 11 0M13 20L1 0"}, // %
    {14, "M14 0L3 13Q1 16 2 18Q4 20 6 20Q9 20 9 17Q9 14 5 11Q0 8 0 4Q0 0 5 0Q10 0 13 8"}, // &
    {0, "M0 20L0 15"},                                                                  // '
    {4, "M4 22Q0 18 0 9Q0 0 4 -4"},                                                     // (
    {4, "M0 22Q4 18 4 9Q4 0 0 -4"},                                                     // )
    {8, "M4 20L4 10M0 18L8 12M8 18L0 12"},                                              // *
    {12, "M6 15L6 3M0 9L12 9"},                                                         // +
    {1, "M1 1L0 -4"},                                                                   // ,
    {7, "M0 8L7 8"},                                                                    // -
    {0, "M0 0L0 1"},                                                                    // .
    {9, "M0 -3L9 22"},                                                                  // /
    {12, "M6 0Q0 0 0 10Q0 20 6 20Q12 20 12 10Q12 0 6 0"},                               // 0
    {12, "M2 16L7 20L7 0"},                                                             // 1
    {12, "M0 15Q1 20 6 20Q12 20 12 15Q12 11 8 8L0 0L12 0"},                             // 2
    {12, "M0 17Q2 20 6 20Q11 20 11 15Q11 11 5 11Q12 11 12 5Q12 0 6 0Q1 0 0 4"},         // 3
    {12, "M9 0L9 20L0 6L12 6"},                                                         // 4
    {12, "M11 20L2 20L1 11Q3 13 6 13Q12 13 12 6Q12 0 6 0Q1 0 0 4"},                     // 5
    {12, "M10 20Q0 16 0 6Q0 0 6 0Q12 0 12 6Q12 12 6 12Q1 12 0 7"},                      // 6
    {12, "M0 20L12 20L4 0"},                                                            // 7
    {12, "M6 11Q1 11 1 15Q1 20 6 20Q11 20 11 15Q11 11 6 11Q0 11 0 5Q0 0 6 0Q12 0 12 5Q12 11 6 11"}, // 8
    {12, "M2 0Q12 4 12 14Q12 20 6 20Q0 20 0 14Q0 8 6 8Q11 8 12 13"},                    // 9
    {0, "M0 0L0 1M0 12L0 13"},                                                          // :
    {1, "M1 12L1 13M1 1L0 -4"},                                                         // ;
    {11, "M11 16L0 9L11 2"},                                                            // <
    {12, "M0 12L12 12M0 6L12 6"},                                                       // =
    {11, "M0 16L11 9L0 2"},                                                             // >
    {10, "M0 16Q1 20 5 20Q10 20 10 15Q10 11 5 9L5 6M5 1L5 0"},                          // ?
    {18, "M15 -1Q12 -4 8 -4Q0 -4 0 7Q0 18 9 18Q18 18 18 9Q18 3 15 3Q13 3 13 6L13 12M13 9Q13 12 9 12Q6 12 6 8Q6 4 9 4Q13 4 13 8"}, // @
    {14, "M0 0L7 20L14 0M2 6L12 6"},                                                    // A
    {12, "M0 10L7 10Q12 10 12 5Q12 0 7 0L0 0L0 20L6 20Q11 20 11 15Q11 10 6 10"},        // B
    {14, "M14 4Q12 0 7 0Q0 0 0 10Q0 20 7 20Q12 20 14 16"},                              // C
    {13, "M0 0L0 20L5 20Q13 20 13 10Q13 0 5 0L0 0"},                                    // D
    {11, "M11 0L0 0L0 20L11 20M0 10L9 10"},                                             // E
    {11, "M0 0L0 20L11 20M0 10L9 10"},                                                  // F
    {14, "M14 16Q12 20 7 20Q0 20 0 10Q0 0 7 0Q14 0 14 7L14 9L8 9"},                     // G
    {13, "M0 0L0 20M13 0L13 20M0 10L13 10"},                                            // H
    {0, "M0 0L0 20"},                                                                   // I
    {8, "M8 20L8 6Q8 0 4 0Q1 0 0 3"},                                                   // J
    {12, "M0 0L0 20M12 20L0 8M4 12L12 0"},                                              // K
    {10, "M0 20L0 0L10 0"},                                                             // L
    {16, "M0 0L0 20L8 6L16 20L16 0"},                                                   // M
    {13, "M0 0L0 20L13 0L13 20"},                                                       // N
    {14, "M7 0Q0 0 0 10Q0 20 7 20Q14 20 14 10Q14 0 7 0"},                               // O
    {12, "M0 0L0 20L6 20Q12 20 12 14Q12 8 6 8L0 8"},                                    // P
    {14, "M7 0Q0 0 0 10Q0 20 7 20Q14 20 14 10Q14 0 7 0M9 5L14 -1"},                     // Q
    {12, "M0 0L0 20L6 20Q12 20 12 15Q12 10 6 10L0 10M7 10L12 0"},                       // R
    {12, "M0 4Q1 0 6 0Q12 0 12 5Q12 9 6 10Q0 11 0 15Q0 20 6 20Q11 20 12 16"},           // S
    {12, "M0 20L12 20M6 20L6 0"},                                                       // T
    {12, "M0 20L0 7Q0 0 6 0Q12 0 12 7L12 20"},                                          // U
    {14, "M0 20L7 0L14 20"},                                                            // V
    {20, "M0 20L5 0L10 18L15 0L20 20"},                                                 // W
    {13, "M0 0L13 20M0 20L13 0"},                                                       // X
    {14, "M0 20L7 10L14 20M7 10L7 0"},                                                  // Y
    {12, "M0 20L12 20L0 0L12 0"},                                                       // Z
    {4, "M4 22L0 22L0 -4L4 -4"},                                                        // [
    {9, "M0 22L9 -3"},                                                                  // backslash
    {4, "M0 22L4 22L4 -4L0 -4"},                                                        // ]
    {10, "M0 13L5 20L10 13"},                                                           // ^
    {12, "M0 -4L12 -4"},                                                                // _
    {3, "M0 20L3 16"},                                                                  // `
    {10, "M10 14L10 0M10 10Q10 14 5 14Q0 14 0 7Q0 0 5 0Q10 0 10 4"},                    // a
    {10, "M0 20L0 0M0 10Q0 14 5 14Q10 14 10 7Q10 0 5 0Q0 0 0 4"},                       // b
    {9, "M9 11Q8 14 5 14Q0 14 0 7Q0 0 5 0Q8 0 9 3"},                                    // c
    {10, "M10 20L10 0M10 10Q10 14 5 14Q0 14 0 7Q0 0 5 0Q10 0 10 4"},                    // d
    {10, "M0 7L10 7Q10 14 5 14Q0 14 0 7Q0 0 5 0Q9 0 10 3"},                             // e
    {7, "M7 20Q3 20 3 16L3 0M0 14L7 14"},                                               // f
    {10, "M10 14L10 -1Q10 -6 5 -6Q1 -6 0 -3M10 10Q10 14 5 14Q0 14 0 7Q0 0 5 0Q10 0 10 4"}, // g
    {9, "M0 20L0 0M0 9Q0 14 5 14Q9 14 9 9L9 0"},                                        // h
    {0, "M0 14L0 0M0 19L0 20"},                                                         // i
    {3, "M3 14L3 -2Q3 -6 0 -6M3 19L3 20"},                                              // j
    {9, "M0 20L0 0M9 14L0 5M3 8L9 0"},                                                  // k
    {3, "M0 20L0 3Q0 0 3 0"},                                                           // l
    {16, "M0 14L0 0M0 9Q0 14 4 14Q8 14 8 9L8 0M8 9Q8 14 12 14Q16 14 16 9L16 0"},        // m
    {9, "M0 14L0 0M0 9Q0 14 5 14Q9 14 9 9L9 0"},                                        // n
    {10, "M5 0Q0 0 0 7Q0 14 5 14Q10 14 10 7Q10 0 5 0"},                                 // o
    {10, "M0 14L0 -6M0 10Q0 14 5 14Q10 14 10 7Q10 0 5 0Q0 0 0 4"},                      // p
    {10, "M10 14L10 -6M10 10Q10 14 5 14Q0 14 0 7Q0 0 5 0Q10 0 10 4"},                   // q
    {6, "M0 14L0 0M0 9Q0 14 6 14"},                                                     // r
    {8, "M0 3Q1 0 4 0Q8 0 8 4Q8 7 4 7Q0 8 0 11Q0 14 4 14Q7 14 8 11"},                   // s
    {7, "M3 19L3 4Q3 0 7 0M0 14L7 14"},                                                 // t
    {9, "M0 14L0 5Q0 0 4 0Q9 0 9 5M9 14L9 0"},                                          // u
    {10, "M0 14L5 0L10 14"},                                                            // v
    {16, "M0 14L4 0L8 12L12 0L16 14"},                                                  // w
    {9, "M0 0L9 14M0 14L9 0"},                                                          // x
    {10, "M0 14L5 1M10 14L4 -2Q3 -6 0 -6"},                                             // y
    {8, "M0 14L8 14L0 0L8 0"},                                                          // z
    {5, "M5 22Q2 22 2 18L2 13Q2 9 0 9Q2 9 2 5L2 0Q2 -4 5 -4"},                          // {
    {0, "M0 23L0 -5"},                                                                  // |
    {5, "M0 22Q3 22 3 18L3 13Q3 9 5 9Q3 9 3 5L3 0Q3 -4 0 -4"},                          // }
    {12, "M0 8Q2 12 6 9Q10 6 12 10"},                                                   // ~
};

static const struct { uint32_t code; glyph shape; } EXTRAS[] = {
    {0x00b5, {9, "M0 14L0 -6M0 5Q0 0 4 0Q9 0 9 5M9 14L9 0"}},   // micro
    {0x00b0, {6, "M3 13Q0 13 0 16Q0 20 3 20Q6 20 6 16Q6 13 3 13"}}, // degree
    {0x00d7, {9, "M0 4L9 13M0 13L9 4"}},                        // times
    {0x00b7, {0, "M0 8L0 9"}},                                  // middle dot
    {0x00b2, {6, "M0 17Q1 20 3 20Q6 20 6 17Q6 16 0 11L6 11"}},  // squared
    {0x00b1, {12, "M6 16L6 6M0 11L12 11M0 1L12 1"}},            // plus or minus
    {0x2013, {12, "M0 8L12 8"}},                                // en dash
};
// clang-format on

// Reads one character; a broken sequence is passed over a byte at a time and comes out as a question mark.
static const glyph* next_glyph(const char** text) {
    const uint8_t* s = (const uint8_t*)*text;
    uint32_t code = s[0];
    int32_t length = 1;
    if (code >= 0xc2 && code < 0xe0 && (s[1] & 0xc0) == 0x80) {
        code = (code & 31u) << 6 | (s[1] & 63u);
        length = 2;
    } else if (code >= 0xe0 && code < 0xf0 && (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80) {
        code = (code & 15u) << 12 | (s[1] & 63u) << 6 | (s[2] & 63u);
        length = 3;
    }
    *text += length;
    if (code >= 32 && code < 127) {
        return &GLYPHS[code - 32];
    }
    for (size_t i = 0; i < sizeof(EXTRAS) / sizeof(EXTRAS[0]); i++) {
        if (EXTRAS[i].code == code) {
            return &EXTRAS[i].shape;
        }
    }
    return &GLYPHS['?' - 32];
}

static int32_t read_number(const char** path) {
    const char* s = *path;
    while (*s == ' ') {
        s++;
    }
    int32_t sign = 1, value = 0;
    if (*s == '-') {
        sign = -1;
        s++;
    }
    while (*s >= '0' && *s <= '9') {
        value = value * 10 + (*s++ - '0');
    }
    *path = s;
    return sign * value;
}

// Flattens a path into points on the grid; returns how many.
static int32_t flatten(const char* path, float* points, uint8_t* starts) {
    int32_t count = 0;
    while (*path != 0 && count + FONT_CURVE_STEPS < FONT_POINTS_MAX) {
        char command = *path++;
        float x = (float)read_number(&path), y = (float)read_number(&path);
        if (command == 'Q') {
            float ex = (float)read_number(&path), ey = (float)read_number(&path);
            float sx = points[2 * count - 2], sy = points[2 * count - 1];
            for (int32_t i = 1; i <= FONT_CURVE_STEPS; i++) {
                float t = (float)i / FONT_CURVE_STEPS, u = 1.0f - t;
                points[2 * count] = u * u * sx + 2.0f * u * t * x + t * t * ex;
                points[2 * count + 1] = u * u * sy + 2.0f * u * t * y + t * t * ey;
                starts[count++] = 0;
            }
        } else {
            points[2 * count] = x;
            points[2 * count + 1] = y;
            starts[count++] = command == 'M';
        }
    }
    return count;
}

float font_width(const char* text, float size) {
    int32_t advance = 0;
    while (*text != 0) {
        advance += next_glyph(&text)->width + FONT_BEARING;
    }
    return (float)(advance > 0 ? advance - FONT_BEARING : 0) * size / FONT_CAPITAL;
}

static void draw(image* im, const char* text, float x, float y, float size, font_align align, image_colour colour,
                 bool upward) {
    float scale = size / FONT_CAPITAL;
    float pen = align == FONT_LEFT ? 0.0f : -font_width(text, size) * (align == FONT_CENTRE ? 0.5f : 1.0f);
    float width = 0.5f + 0.085f * size;
    while (*text != 0) {
        const glyph* g = next_glyph(&text);
        float points[2 * FONT_POINTS_MAX];
        uint8_t starts[FONT_POINTS_MAX];
        int32_t count = flatten(g->path, points, starts);
        for (int32_t i = 0; i < count; i++) {
            float along = pen + points[2 * i] * scale, above = points[2 * i + 1] * scale;
            points[2 * i] = upward ? x - above : x + along;
            points[2 * i + 1] = upward ? y - along : y - above;
        }
        image_stroke(im, points, starts, count, width, colour);
        pen += (float)(g->width + FONT_BEARING) * scale;
    }
}

void font_draw(image* im, const char* text, float x, float y, float size, font_align align, image_colour colour) {
    draw(im, text, x, y, size, align, colour, false);
}

void font_draw_upward(image* im, const char* text, float x, float y, float size, font_align align,
                      image_colour colour) {
    draw(im, text, x, y, size, align, colour, true);
}
