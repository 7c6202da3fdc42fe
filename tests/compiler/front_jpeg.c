// SPDX-License-Identifier: MIT
#include "compiler/import/png.h"
#include "tests/compiler/front_kit.h"

#include <greatest.h>
#include <string.h>

// Textures as JPEG. The pictures are made here, of blocks of one colour each, whose only numbers are the means: luma and the
// two colour differences by the formulas of JFIF. Eight times a mean less 128 is what a block says of it.

enum { BLOCKS = 4, ROOM = 2048 };

typedef struct jpeg {
    uint8_t bytes[ROOM];
    size_t size;
    uint32_t bits, bit_count;
} jpeg;

static void put(jpeg* j, const uint8_t* bytes, size_t size) {
    memcpy(j->bytes + j->size, bytes, size);
    j->size += size;
}

static void put_bits(jpeg* j, uint32_t value, uint32_t count) {
    while (count-- > 0) {
        j->bits = 2 * j->bits + (value >> count & 1);
        if (++j->bit_count == 8) {
            const uint8_t byte = (uint8_t)j->bits;
            put(j, (const uint8_t[2]){byte, 0}, byte == 0xff ? 2 : 1);
            j->bits = j->bit_count = 0;
        }
    }
}

// A difference of DC: its length as a code of four bits, then itself; an AC code of one bit ends the block.
static void put_block(jpeg* j, int32_t difference, bool ends) {
    const uint32_t size = (uint32_t)(difference < 0 ? -difference : difference);
    uint32_t length = 0;
    while (size >> length != 0) {
        ++length;
    }
    put_bits(j, length, 4);
    put_bits(j, difference < 0 ? size ^ ((1u << length) - 1) : size, length);
    put_bits(j, 0, ends ? 1 : 0);
}

static void make_jpeg(jpeg* j, const uint8_t rgb[BLOCKS][3], bool progressive, bool restarts) {
    memset(j, 0, sizeof(*j));
    static const uint8_t begin[] = {0xff, 0xd8, 0xff, 0xdb, 0, 67, 0};
    put(j, begin, sizeof(begin));
    for (int i = 0; i < 64; ++i) {
        put(j, (const uint8_t[1]){1}, 1);
    }
    const uint8_t frame[] = {
        0xff, progressive ? 0xc2 : 0xc0, 0, 17, 8, 0, 8, 0, 8 * BLOCKS, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0};
    put(j, frame, sizeof(frame));
    static const uint8_t dc[] = {0xff, 0xc4, 0, 31, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0,  0, 0,
                                 0,    0,    0, 0,  0, 1, 2, 3, 4,  5, 6, 7, 8, 9, 10, 11};
    put(j, dc, sizeof(dc));
    static const uint8_t ac[] = {0xff, 0xc4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    put(j, ac, sizeof(ac));
    static const uint8_t interval[] = {0xff, 0xdd, 0, 4, 0, 1};
    put(j, interval, restarts ? sizeof(interval) : 0);
    const uint8_t scan[] = {0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, progressive ? 0 : 63, 0};
    put(j, scan, sizeof(scan));
    int32_t last[3] = {0, 0, 0};
    for (int i = 0; i < BLOCKS; ++i) {
        const double r = rgb[i][0], g = rgb[i][1], b = rgb[i][2];
        const double wanted[3] = {0.299 * r + 0.587 * g + 0.114 * b, 128 - 0.168736 * r - 0.331264 * g + 0.5 * b,
                                  128 + 0.5 * r - 0.418688 * g - 0.081312 * b};
        for (int c = 0; c < 3; ++c) {
            const int32_t mean = (int32_t)(8.0 * (wanted[c] - 128.0) + (wanted[c] < 128.0 ? -0.5 : 0.5));
            put_block(j, mean - last[c], !progressive);
            last[c] = mean;
        }
        if (restarts && i + 1 < BLOCKS) {
            put_bits(j, 0x7f, j->bit_count != 0 ? 8 - j->bit_count : 0);
            put(j, (const uint8_t[2]){0xff, (uint8_t)(0xd0 + i)}, 2);
            memset(last, 0, sizeof(last));
        }
    }
    put_bits(j, 0x7f, j->bit_count != 0 ? 8 - j->bit_count : 0);
    put(j, (const uint8_t[2]){0xff, 0xd9}, 2);
}

static const uint8_t colours[BLOCKS][3] = {{220, 30, 40}, {20, 200, 60}, {10, 20, 230}, {250, 250, 245}};

TEST a_jpeg_has_its_colours(void) {
    for (int variant = 0; variant < 4; ++variant) {
        kit k;
        kit_begin(&k);
        jpeg j;
        make_jpeg(&j, colours, variant & 1, variant & 2);
        hemc_png out = {0};
        const char* fault = hemc_jpeg_read(k.arena, j.bytes, j.size, &out);
        ASSERT_EQm(fault, NULL, fault);
        ASSERT_EQ(8 * BLOCKS, out.width);
        ASSERT_EQ(8, out.height);
        for (uint32_t i = 0; i < out.width * out.height; ++i) {
            for (int c = 0; c < 3; ++c) {
                ASSERT_IN_RANGE(colours[i % out.width / 8][c], out.texels[i][c], 2);
            }
        }
        kit_end(&k);
    }
    PASS();
}

// Cut off anywhere, or with any byte changed, it is refused or read, and nothing else.
TEST a_damaged_jpeg_does_no_harm(void) {
    for (int variant = 0; variant < 4; ++variant) {
        jpeg whole;
        make_jpeg(&whole, colours, variant & 1, variant & 2);
        kit k;
        kit_begin(&k);
        for (size_t size = 2; size < whole.size; ++size) {
            uint8_t* part = hemc_alloc(k.arena, size, 1);
            memcpy(part, whole.bytes, size);
            hemc_png out = {0};
            ASSERT(hemc_jpeg_read(k.arena, part, size, &out) != NULL || size + 2 >= whole.size);
        }
        for (size_t at = 2; at < whole.size; ++at) {
            for (int value = 0; value < 256; value += 51) {
                jpeg j = whole;
                j.bytes[at] = (uint8_t)value;
                hemc_png out = {0};
                hemc_jpeg_read(k.arena, j.bytes, j.size, &out);
            }
        }
        kit_end(&k);
    }
    PASS();
}

SUITE(front_jpeg_suite) {
    RUN_TEST(a_jpeg_has_its_colours);
    RUN_TEST(a_damaged_jpeg_does_no_harm);
}
