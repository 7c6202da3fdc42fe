// SPDX-License-Identifier: MIT
#include "tools/png.h"
#include "tools/deflate.h"
#include "compiler/import/png.h"
#include "greatest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What we write, read back by a stranger's decoder: the deflate stream, still pictures, and each frame of a film put
// together as the APNG specification says.

#if defined(__has_include)
#if __has_include(<stb/stb_image.h>)
#define WITH_STB 1
#endif
#endif

#if WITH_STB
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb/stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif

static uint32_t next_random(uint32_t* state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static uint32_t read_u32(const uint8_t* p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// CRC-32 by polynomial division of the whole message, the definition rather than a table.
static uint32_t crc_by_division(const uint8_t* data, size_t size) {
    uint32_t remainder = 0;
    for (size_t bit = 0; bit < 8 * (size + 4); bit++) {
        uint32_t in = bit < 8 * size ? data[bit / 8] >> (bit % 8) & 1u : 0u;
        in ^= bit < 32 ? 1u : 0u; // the register starts as ones
        uint32_t out = remainder >> 31;
        remainder = remainder << 1 | in;
        remainder ^= out ? 0x04c11db7u : 0u;
    }
    uint32_t reversed = 0;
    for (int32_t i = 0; i < 32; i++) {
        reversed |= (remainder >> i & 1u) << (31 - i);
    }
    return ~reversed;
}

typedef struct chunk {
    const uint8_t* data;
    uint32_t size;
    char kind[5];
} chunk;

// Splits a file into chunks and checks every CRC. Returns the count, or -1.
static int32_t split(const bytes* file, chunk* chunks, int32_t capacity) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    if (file->size < 8 || memcmp(file->data, signature, 8) != 0) {
        return -1;
    }
    int32_t count = 0;
    for (size_t at = 8; at < file->size;) {
        if (count == capacity || file->size - at < 12) {
            return -1;
        }
        chunk* c = &chunks[count++];
        c->size = read_u32(file->data + at);
        if (c->size > file->size - at - 12) {
            return -1;
        }
        memcpy(c->kind, file->data + at + 4, 4);
        c->kind[4] = 0;
        c->data = file->data + at + 8;
        if (crc_by_division(file->data + at + 4, (size_t)c->size + 4) != read_u32(c->data + c->size)) {
            return -1;
        }
        at += (size_t)c->size + 12;
    }
    return count;
}

// Counts that follow the Fibonacci numbers give the deepest tree; lengths must stay within the limit and still be a code:
// the shares 2^-length of all symbols fill no more than the whole. Without need for the limit they are Huffman's: no other
// code is shorter, which for these counts means 1, 2, 3... bits from the most frequent down.
TEST code_lengths_are_a_code_within_the_limit(void) {
    for (int32_t symbols = 1; symbols <= 30; symbols++) {
        uint32_t counts[40] = {0}, a = 1, b = 1;
        for (int32_t i = 0; i < symbols; i++) {
            counts[i + i / 8] = a; // some symbols in between are never used
            uint32_t sum = a + b;
            a = b;
            b = sum;
        }
        static const int32_t limits[] = {7, 15, 40};
        for (int32_t k = 0; k < 3; k++) {
            if (limits[k] == 7 && symbols > 19) {
                continue;
            }
            uint8_t lengths[40];
            deflate_code_lengths(counts, 40, limits[k], lengths);
            double filled = 0.0;
            for (int32_t i = 0; i < 40; i++) {
                ASSERT_EQ(counts[i] > 0, lengths[i] > 0);
                ASSERT(lengths[i] <= limits[k]);
                filled += lengths[i] > 0 ? pow(0.5, lengths[i]) : 0.0;
            }
            ASSERT(filled <= 1.0);
            ASSERT(symbols == 1 || filled == 1.0);
            if (limits[k] == 40 && symbols > 2) {
                ASSERT_EQ(1, lengths[symbols - 1 + (symbols - 1) / 8]);
                ASSERT_EQ(symbols - 1, lengths[0]);
            }
        }
    }
    PASS();
}

#if WITH_STB

static bool survives(const uint8_t* data, size_t size) {
    bytes packed = {0};
    deflate_zlib(&packed, data, size);
    int length = 0;
    char* back = stbi_zlib_decode_malloc((const char*)packed.data, (int)packed.size, &length);
    bool same = back != NULL && (size_t)length == size && (size == 0 || memcmp(back, data, size) == 0);
    free(back);
    bytes_destroy(&packed);
    return same;
}

TEST deflate_is_undone_by_another_inflate(void) {
    enum { SIZE = 300000 };
    uint8_t* data = malloc(SIZE);
    uint32_t seed = 1;
    ASSERT(survives(data, 0));
    for (int32_t kind = 0; kind < 5; kind++) {
        for (int32_t i = 0; i < SIZE; i++) {
            uint32_t r = next_random(&seed);
            switch (kind) {
            case 0: // noise: nothing to match
                data[i] = (uint8_t)r;
                break;
            case 1: // one value: the longest matches, distance 1
                data[i] = 42;
                break;
            case 2: // a period longer than a match, far apart
                data[i] = (uint8_t)(i % 30011 * 7 / 3);
                break;
            case 3: // counts so uneven that code lengths would pass 15 bits
                data[i] = (uint8_t)(r % 3 ? 0 : r % 7 ? 1 : r % 65536 == 0 ? r >> 16 : r % 5);
                break;
            default: // runs and jumps
                data[i] = i > 0 && r % 4 ? data[i - 1] : (uint8_t)(r >> 4);
                break;
            }
        }
        static const int32_t sizes[] = {1, 2, 3, 4, 257, 258, 259, 32767, 32768, 32769, SIZE};
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            ASSERT(survives(data, (size_t)sizes[k]));
        }
    }
    free(data);
    PASS();
}

// Which of the five filters the rows of a PNG use, as bits.
static uint32_t filters_of(const bytes* file, int32_t row_size) {
    chunk chunks[8];
    int32_t count = split(file, chunks, 8);
    uint32_t used = 0;
    for (int32_t i = 0; i < count; i++) {
        int length = 0;
        char* raw = strcmp(chunks[i].kind, "IDAT") == 0
                        ? stbi_zlib_decode_malloc((const char*)chunks[i].data, (int)chunks[i].size, &length)
                        : NULL;
        for (int32_t at = 0; raw != NULL && at < length; at += row_size + 1) {
            used |= 1u << raw[at];
        }
        free(raw);
    }
    return used;
}

// Surfaces for which each filter in turn guesses best.
TEST every_row_filter_is_undone(void) {
    uint32_t used = 0, seed = 11;
    for (int32_t kind = 0; kind < 6; kind++) {
        image im = image_create(67, 40, 0x000000ff);
        int32_t walk = 0;
        for (int32_t i = 0; i < 67 * 40; i++) {
            int32_t x = i % 67, y = i / 67, r = (int32_t)(next_random(&seed) & 255u);
            walk += r % 5 - 2;
            const int32_t values[6] = {x == y ? 200 : 0,
                                       walk,
                                       y * 37 + x % 3 * 50,
                                       x * 3 + y * 2 + r % 3,
                                       x * x / 9 + y * y / 5 + x * y / 7,
                                       x * 2 + y * 2 + r % 23};
            for (int32_t c = 0; c < 3; c++) {
                im.pixels[4 * i + c] = (uint8_t)(values[kind] + (kind > 0 ? c * 20 : 0));
            }
        }
        bytes file = {0};
        ASSERT(png_encode(&file, &im));
        used |= filters_of(&file, 67 * 3);
        int width, height, channels;
        uint8_t* back = stbi_load_from_memory(file.data, (int)file.size, &width, &height, &channels, 4);
        ASSERT(back != NULL);
        ASSERT_MEM_EQ(im.pixels, back, 4 * 67 * 40);
        free(back);
        bytes_destroy(&file);
        image_destroy(&im);
    }
    ASSERT_EQ(31u, used);
    PASS();
}

TEST still_picture_comes_back_pixel_for_pixel(void) {
    uint32_t seed = 3;
    for (int32_t kind = 0; kind < 2; kind++) {
        image im = image_create(61, 37, IMAGE_PAPER);
        for (int32_t i = 0; i < 61 * 37; i++) {
            uint32_t r = next_random(&seed);
            im.pixels[4 * i] = (uint8_t)(i % 61 * 4);
            im.pixels[4 * i + 1] = (uint8_t)(i / 61 * 6 + (int32_t)(r & 3u));
            im.pixels[4 * i + 2] = (uint8_t)r;
            im.pixels[4 * i + 3] = (uint8_t)(kind == 0 ? 255u : r >> 8);
        }
        bytes file = {0};
        ASSERT(png_encode(&file, &im));
        int width, height, channels;
        uint8_t* back = stbi_load_from_memory(file.data, (int)file.size, &width, &height, &channels, 4);
        ASSERT(back != NULL);
        ASSERT_EQ(61, width);
        ASSERT_EQ(37, height);
        ASSERT_EQ(kind == 0 ? 3 : 4, channels);
        ASSERT_MEM_EQ(im.pixels, back, 4 * 61 * 37);
        free(back);
        bytes_destroy(&file);
        image_destroy(&im);
    }
    PASS();
}

#endif

enum { FILM_WIDTH = 48, FILM_HEIGHT = 32, FILM_FRAMES = 5 };

// A square that moves over a gradient; the last two frames are the same.
static void make_film(image* frames) {
    for (int32_t f = 0; f < FILM_FRAMES; f++) {
        frames[f] = image_create(FILM_WIDTH, FILM_HEIGHT, 0x000000ff);
        for (int32_t i = 0; i < FILM_WIDTH * FILM_HEIGHT; i++) {
            uint8_t* p = frames[f].pixels + 4 * i;
            p[0] = (uint8_t)(200 + i / FILM_WIDTH);
            p[1] = p[2] = 180;
        }
        int32_t step = f < 3 ? f : 3;
        image_fill_rect(&frames[f], 4 + 7 * step, 8 + 2 * step, 10, 9, 0xc02040ff);
    }
}

TEST film_has_the_chunks_of_an_apng(void) {
    image frames[FILM_FRAMES];
    make_film(frames);
    bytes file = {0};
    ASSERT(apng_encode(&file, frames, FILM_FRAMES, 40));
    chunk chunks[64];
    int32_t count = split(&file, chunks, 64);
    ASSERT(count > 0);
    static const char* const expected[] = {"IHDR", "acTL", "PLTE", "tRNS", "fcTL", "IDAT", "fcTL", "fdAT",
                                           "fcTL", "fdAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"};
    ASSERT_EQ((int32_t)(sizeof(expected) / sizeof(expected[0])), count);
    uint32_t sequence = 0;
    for (int32_t i = 0; i < count; i++) {
        ASSERT_STR_EQ(expected[i], chunks[i].kind);
        const uint8_t* p = chunks[i].data;
        if (strcmp(chunks[i].kind, "acTL") == 0) {
            ASSERT_EQ((uint32_t)FILM_FRAMES, read_u32(p));
            ASSERT_EQ(0u, read_u32(p + 4));
        } else if (strcmp(chunks[i].kind, "fcTL") == 0) {
            ASSERT_EQ(26u, chunks[i].size);
            ASSERT_EQ(sequence++, read_u32(p));
            ASSERT(read_u32(p + 12) + read_u32(p + 4) <= FILM_WIDTH);
            ASSERT(read_u32(p + 16) + read_u32(p + 8) <= FILM_HEIGHT);
            ASSERT_EQ(40, p[20] << 8 | p[21]);
            ASSERT_EQ(1000, p[22] << 8 | p[23]);
        } else if (strcmp(chunks[i].kind, "fdAT") == 0) {
            ASSERT_EQ(sequence++, read_u32(p));
        }
    }
    // The last frame changed nothing: one pixel, one byte of no change.
    ASSERT_EQ(1u, read_u32(chunks[12].data + 4));
    ASSERT_EQ(1u, read_u32(chunks[12].data + 8));
    bytes_destroy(&file);
    for (int32_t f = 0; f < FILM_FRAMES; f++) {
        image_destroy(&frames[f]);
    }
    PASS();
}

#if WITH_STB

// Plays the film by hand: each frame over the last, entry 0 leaving what was there. With so few colours the palette is
// nearly exact: every pixel within the width of a palette cell and the dither.
TEST film_frames_come_back_near_to_what_was_drawn(void) {
    image frames[FILM_FRAMES];
    make_film(frames);
    bytes file = {0};
    ASSERT(apng_encode(&file, frames, FILM_FRAMES, 40));
    chunk chunks[64];
    int32_t count = split(&file, chunks, 64);
    const uint8_t* colours = chunks[2].data;
    uint8_t canvas[FILM_WIDTH * FILM_HEIGHT] = {0};
    int32_t frame = 0;
    const uint8_t* control = NULL;
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(chunks[i].kind, "fcTL") == 0) {
            control = chunks[i].data;
            continue;
        }
        bool first = strcmp(chunks[i].kind, "IDAT") == 0;
        if (!first && strcmp(chunks[i].kind, "fdAT") != 0) {
            continue;
        }
        uint32_t width = read_u32(control + 4), height = read_u32(control + 8), x0 = read_u32(control + 12),
                 y0 = read_u32(control + 16);
        int length = 0;
        uint32_t skip = first ? 0 : 4;
        uint8_t* raw = (uint8_t*)stbi_zlib_decode_malloc((const char*)chunks[i].data + skip,
                                                         (int)(chunks[i].size - skip), &length);
        ASSERT(raw != NULL);
        ASSERT_EQ((int)((width + 1) * height), length);
        for (uint32_t y = 0; y < height; y++) {
            ASSERT_EQ(0, raw[y * (width + 1)]);
            for (uint32_t x = 0; x < width; x++) {
                uint8_t index = raw[y * (width + 1) + 1 + x];
                if (index != 0) {
                    canvas[(y0 + y) * FILM_WIDTH + x0 + x] = index;
                }
            }
        }
        free(raw);
        for (int32_t k = 0; k < FILM_WIDTH * FILM_HEIGHT; k++) {
            ASSERT(canvas[k] != 0);
            for (int32_t c = 0; c < 3; c++) {
                ASSERT_IN_RANGE(frames[frame].pixels[4 * k + c], colours[3 * canvas[k] + c], 4);
            }
        }
        frame++;
    }
    ASSERT_EQ(FILM_FRAMES, frame);
    bytes_destroy(&file);
    for (int32_t f = 0; f < FILM_FRAMES; f++) {
        image_destroy(&frames[f]);
    }
    PASS();
}

// The same picture in a palette, read by stb: within the width of a palette cell and the dither, and smaller.
TEST small_picture_comes_back_near_to_what_was_drawn(void) {
    image frames[FILM_FRAMES];
    make_film(frames);
    bytes file = {0}, large = {0};
    ASSERT(png_encode_small(&file, &frames[1]));
    ASSERT(png_encode(&large, &frames[1]));
    ASSERT(file.size < large.size + 3 * 255); // but for the palette itself
    int width, height, channels;
    uint8_t* read = stbi_load_from_memory(file.data, (int)file.size, &width, &height, &channels, 3);
    ASSERT(read != NULL);
    ASSERT_EQ(FILM_WIDTH, width);
    ASSERT_EQ(FILM_HEIGHT, height);
    for (int32_t i = 0; i < FILM_WIDTH * FILM_HEIGHT; i++) {
        for (int32_t c = 0; c < 3; c++) {
            ASSERT(abs(read[3 * i + c] - frames[1].pixels[4 * i + c]) <= 6);
        }
    }
    stbi_image_free(read);
    bytes_destroy(&file);
    bytes_destroy(&large);
    for (int32_t f = 0; f < FILM_FRAMES; f++) {
        image_destroy(&frames[f]);
    }
    PASS();
}

#endif

TEST frames_of_two_sizes_are_refused(void) {
    image frames[2] = {image_create(8, 8, IMAGE_PAPER), image_create(8, 9, IMAGE_PAPER)};
    bytes file = {0};
    ASSERT_FALSE(apng_encode(&file, frames, 2, 40));
    ASSERT_FALSE(apng_encode(&file, frames, 0, 40));
    ASSERT_FALSE(apng_encode(&file, frames, 1, 0));
    hem_file_error error;
    ASSERT_FALSE(png_write("/dev/null/picture.png", &frames[0], &error));
    ASSERT(strstr(error.text, "/dev/null") != NULL);
    bytes_destroy(&file);
    image_destroy(&frames[0]);
    image_destroy(&frames[1]);
    PASS();
}

// The compiler reads what the tools write: another implementation, with filters, palettes and all kinds of blocks. Textures
// are made smaller by means.
TEST the_compiler_reads_what_is_written(void) {
    static const int32_t sizes[][2] = {{1, 1}, {7, 5}, {256, 256}, {300, 513}, {64, 700}};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
        for (int32_t small = 0; small < 2; small++) {
            image im = image_create(sizes[k][0], sizes[k][1], 0x000000ffu);
            ASSERT(im.pixels != NULL);
            for (int32_t i = 0; i < im.width * im.height; i++) {
                const int32_t x = i % im.width, y = i / im.width;
                im.pixels[4 * i] = (uint8_t)(small ? 60 * (x / 90) : x * 3 + (y * 7919 + x * 104729) % 5);
                im.pixels[4 * i + 1] = (uint8_t)(small ? 40 * (y / 90) : y);
                im.pixels[4 * i + 2] = (uint8_t)(small ? 9 : x ^ y);
            }
            bytes file = {0};
            ASSERT((small ? png_encode_small : png_encode)(&file, &im));
            hemc_arena* arena = hemc_arena_create();
            hemc_png png;
            ASSERT(arena != NULL);
            ASSERT_EQ(NULL, hemc_png_read(arena, file.data, file.size, &png));
            ASSERT_EQ((uint32_t)(im.width < 256 ? im.width : 256), png.width);
            ASSERT_EQ((uint32_t)(im.height < 256 ? im.height : 256), png.height);
            double sums[2][3] = {{0.0}};
            for (uint32_t i = 0; i < png.width * png.height; i++) {
                for (int32_t c = 0; c < 3; c++) {
                    sums[0][c] += png.texels[i][c] / (double)(png.width * png.height);
                    if (!small && im.width <= 256 && im.height <= 256) {
                        ASSERT_EQ(im.pixels[4 * i + (uint32_t)c], png.texels[i][c]);
                    }
                }
            }
            for (int32_t i = 0; i < im.width * im.height; i++) {
                for (int32_t c = 0; c < 3; c++) {
                    sums[1][c] += im.pixels[4 * i + c] / (double)(im.width * im.height);
                }
            }
            for (int32_t c = 0; c < 3; c++) {
                ASSERT_IN_RANGE(sums[1][c], sums[0][c], 2.0); // texels of one and of two pixels weigh alike
            }
            // Whatever is cut off or spoilt is said, and harms nobody.
            for (size_t size = 0; size < file.size; size += 1 + file.size / 61) {
                // Behind the last row there are 24 bytes of checksums and of an end.
                ASSERT(size + 24 >= file.size || hemc_png_read(arena, file.data, size, &png) != NULL);
                file.data[size] ^= 0x5a;
                hemc_png_read(arena, file.data, file.size, &png);
                file.data[size] ^= 0x5a;
            }
            hemc_arena_destroy(arena);
            bytes_destroy(&file);
            image_destroy(&im);
        }
    }
    PASS();
}

SUITE(png_suite);
SUITE(png_suite) {
#if WITH_STB
    RUN_TEST(deflate_is_undone_by_another_inflate);
    RUN_TEST(the_compiler_reads_what_is_written);
    RUN_TEST(every_row_filter_is_undone);
    RUN_TEST(still_picture_comes_back_pixel_for_pixel);
    RUN_TEST(small_picture_comes_back_near_to_what_was_drawn);
    RUN_TEST(film_frames_come_back_near_to_what_was_drawn);
#endif
    RUN_TEST(code_lengths_are_a_code_within_the_limit);
    RUN_TEST(film_has_the_chunks_of_an_apng);
    RUN_TEST(frames_of_two_sizes_are_refused);
}
