// SPDX-License-Identifier: MIT
#include "formats/hem_lattice_text.h"

#include "greatest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SUITE(lattice_text_suite);

// The text files of lattices: what is written comes back, what the appendix describes is read, and what is wrong is named
// with its line.

static const char body_example[] = "0.5, 1.5,-2\n0.25,0.25,0.5\n1,1,1\n0,0,0\n(1, 0, 0)\n\n-1,2,3\n";
static const char animation_example[] = "# made by hand\nparticle\nfps 24.5\ninterpolate 1\ndeclaration\n"
                                        "0,0,0 0,0,1 (0, 1, 1)\n# keyframes\nframes\n"
                                        "0 0,0,0 0,0,1 0,1,1\n12 0.5,0,0 0.5,0,1.25e-1 (0.5, 1, 1)\n";

TEST examples_are_read(void) {
    hem_body_text body;
    hem_text_fault fault = {0, ""};
    int32_t index[3][3];
    ASSERT_EQm(fault.what, 1, hem_body_read(body_example, strlen(body_example), &body, NULL, &fault));
    ASSERT_EQ(3, body.particle_count);
    ASSERT(hem_body_read(body_example, strlen(body_example), &body, index, &fault));
    ASSERT(body.offset[0] == 0.5 && body.offset[1] == 1.5 && body.offset[2] == -2 && body.spacing[2] == 0.5);
    ASSERT(index[1][0] == 1 && index[2][0] == -1 && index[2][2] == 3);
    hem_animation_text a;
    int32_t frames[2];
    float places[6][3];
    ASSERT(hem_animation_read(animation_example, strlen(animation_example), &a, NULL, NULL, NULL, &fault));
    ASSERT(a.particle_count == 3 && a.frame_count == 2 && a.interpolate == 1 && a.fps == 24.5);
    ASSERT(hem_animation_read(animation_example, strlen(animation_example), &a, index, frames, places, &fault));
    ASSERT(frames[0] == 0 && frames[1] == 12 && index[2][1] == 1);
    ASSERT(places[4][2] == 0.125f && places[5][0] == 0.5f);
    PASS();
}

static uint32_t seed = 1;

static uint32_t chance(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

TEST what_is_written_comes_back(void) {
    enum { PARTICLES = 40, FRAMES = 25 };
    static int32_t index[PARTICLES][3], index2[PARTICLES][3], frames[FRAMES], frames2[FRAMES];
    static float places[PARTICLES * FRAMES][3], places2[PARTICLES * FRAMES][3];
    hem_text_fault fault = {0, ""};
    for (int n = 0; n < 40; ++n) {
        hem_animation_text a = {.fps = 30, .interpolate = n % 2, .particle_count = PARTICLES, .frame_count = FRAMES}, b;
        hem_body_text body = {.spacing = {0.1f, 0.2f, 1e-3f}, .scale = {1, 1, 1}, .particle_count = PARTICLES}, body2;
        for (int i = 0; i < PARTICLES * 3; ++i) {
            index[i / 3][i % 3] = (int32_t)(chance() % 2049) - 1024;
        }
        for (int i = 0; i < FRAMES; ++i) {
            frames[i] = 3 * i + n;
        }
        for (int i = 0; i < PARTICLES * FRAMES * 3; ++i) { // all sizes, both signs
            uint32_t bits = (chance() & 0x807fffffu) | ((chance() % 150) + 5) << 23;
            memcpy(&places[i / 3][i % 3], &bits, 4);
        }
        const size_t size = hem_animation_write(&a, index, frames, places, NULL);
        char* text = malloc(size + 1);
        ASSERT_EQ(size, hem_animation_write(&a, index, frames, places, text));
        text[size] = 0;
        ASSERT_EQm(fault.what, 1, hem_animation_read(text, size, &b, index2, frames2, places2, &fault));
        ASSERT(b.particle_count == PARTICLES && b.frame_count == FRAMES && b.interpolate == a.interpolate &&
               b.fps == 30);
        ASSERT_MEM_EQ(index, index2, sizeof index);
        ASSERT_MEM_EQ(frames, frames2, sizeof frames);
        ASSERT_MEM_EQ(places, places2, sizeof places);
        // The C library agrees about a number of them.
        const char* at = strstr(text, "frames\n") + 7;
        strtod(at, (char**)&at);
        for (int i = 0; i < 3; ++i) {
            ASSERT_EQ(places[0][i], (float)strtod(at, (char**)&at));
            ++at;
        }
        free(text);
        const size_t body_size = hem_body_write(&body, index, NULL);
        text = malloc(body_size + 1);
        hem_body_write(&body, index, text);
        ASSERT(hem_body_read(text, body_size, &body2, index2, &fault));
        ASSERT_MEM_EQ(index, index2, sizeof index);
        ASSERT((float)body2.spacing[0] == 0.1f && (float)body2.spacing[2] == 1e-3f);
        free(text);
    }
    PASS();
}

typedef struct spoiled {
    const char* text;
    uint32_t line;
    const char* what;
} spoiled;

TEST faults_are_named_with_their_line(void) {
    static const spoiled bodies[] = {
        {"", 0, "offset"},
        {"0,0,0\n", 1, "spacing is missing"},
        {"0,0,0\n1,0,1\n", 2, "above zero"},
        {"0,0,0\n1,1,1\n", 2, "scale is missing"},
        {"0,0,0\n1,1,1\n1,1,1\n", 3, "no particles"},
        {"0,0\n1,1,1\n1,1,1\n0,0,0\n", 1, "three numbers"},
        {"0,0,0\n1,1,1\n1,1,1\n0,0.5,0\n", 4, "whole"},
        {"0,0,0\n1,1,1\n1,1,1\n0,5000,0\n", 4, "whole"},
        {"0,0,0\n\n1,1,1\n1,1,1 2,2,2\n", 4, "one tuple"},
        {"0,0,0\n1,x,1\n", 2, "number is missing"},
        {"(0,0,0\n", 1, "not closed"},
        {"0,0,0\n1,1,1\n1,1,1\n0,0,0;\n", 4, "after a tuple"},
        {"1e,0,0\n", 1, "exponent"},
        {"1e12,0,0\n", 1, "larger"},
        {"1e99999,0,0\n", 1, "larger"},
        {"12345678901234567890,0,0\n", 1, "larger"},
        {"1e+,0,0\n", 1, "exponent"},
        {"1e", 1, "exponent"},
        {"-,0,0\n", 1, "number is missing"},
        {"0,0,0\n1,1,1\n1,1,1\n0,0,-5000\n", 4, "whole"},
        {"0,0,0\n1,1,1\n1,1,1\n0,0,0 1,1,1\n", 4, "one tuple"},
    };
    static const spoiled animations[] = {
        {"", 0, "particle"},
        {"#\n\nbones\n", 3, "particle"},
        {"particle\nfps x\n", 2, "number is missing"},
        {"particle\nfps 0\n", 2, "above 0"},
        {"particle\nfps 10001\n", 2, "at most 10000"},
        {"particle\n", 1, "fps"},
        {"particles\n", 1, "particle"},
        {"particle\n# here\ninterpolate 1\n", 3, "fps"},
        {"particle\nfps 1\ninterpolate 2\n", 3, "0 or 1"},
        {"particle\nfps 1 2\n", 2, "nothing more"},
        {"particle\nfps 1\ninterpolate 1\nframes\n", 4, "declaration"},
        {"particle\nfps 1\ninterpolate 1\ndeclaration\n", 4, "particles are missing"},
        {"particle\nfps 1\ninterpolate 1\ndeclaration\n0,0,0\n0 1,1,1\n", 6, "frames"},
        {"particle\nfps 1\ninterpolate 1\ndeclaration\n0,0,0\nframes\n", 6, "no frames"},
        {"particle\nfps 1\ninterpolate 1\ndeclaration\n0,0,0 0,0,1\nframes\n0 1,1,1\n", 7, "fewer places"},
        {"particle\nfps 1\ninterpolate 1\ndeclaration\n0,0,0\nframes\n0 1,1,1 2,2,2\n", 7, "more places"},
        {"particle\nfps 1\ninterpolate 1\ndeclaration\n0,0,0\nframes\n5 1,1,1\n# again\n5 1,1,1\n", 9, "grow"},
        {"particle\nfps 1\ninterpolate 1\ndeclaration\n0,0,0\nframes\n-1 1,1,1\n", 7, "grow"},
        {"particle\nfps 1\ninterpolate 1\ndeclaration\n0,0,0\nframes\n1.5 1,1,1\n", 7, "whole"},
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); ++i) {
        hem_body_text body;
        hem_text_fault fault = {99, "nothing"};
        ASSERT_FALSEm(bodies[i].text, hem_body_read(bodies[i].text, strlen(bodies[i].text), &body, NULL, &fault));
        ASSERTm(fault.what, strstr(fault.what, bodies[i].what) != NULL);
        ASSERT_EQ_FMTm(bodies[i].text, bodies[i].line, fault.line, "%u");
    }
    for (size_t i = 0; i < sizeof(animations) / sizeof(animations[0]); ++i) {
        hem_animation_text a;
        hem_text_fault fault = {99, "nothing"};
        ASSERT_FALSEm(animations[i].text,
                      hem_animation_read(animations[i].text, strlen(animations[i].text), &a, NULL, NULL, NULL, &fault));
        ASSERTm(fault.what, strstr(fault.what, animations[i].what) != NULL);
        ASSERT_EQ_FMTm(animations[i].text, animations[i].line, fault.line, "%u");
    }
    PASS();
}

// Bytes changed, taken out and put in, in memory of exactly the right size: read or refused with a line that there is.
TEST spoiled_files_do_no_harm(void) {
    uint32_t refused = 0;
    for (int n = 0; n < 4000; ++n) {
        const char* from = n % 2 ? animation_example : body_example;
        size_t size = strlen(from);
        char* text = malloc(size + 8);
        memcpy(text, from, size);
        for (uint32_t k = 0; k <= chance() % 3; ++k) {
            const size_t at = chance() % size;
            const char c = "0123456789,.-+e#() \n\txpf\0\xff"[chance() % 27];
            if (chance() % 3 == 0 && size > 8) {
                memmove(text + at, text + at + 1, size - at - 1);
                --size;
            } else {
                text[at] = c;
            }
        }
        char* exact = malloc(size);
        memcpy(exact, text, size);
        uint32_t lines = 1;
        for (size_t i = 0; i < size; ++i) {
            lines += exact[i] == '\n';
        }
        hem_text_fault fault = {0, NULL};
        hem_body_text body;
        hem_animation_text a;
        const int good = n % 2 ? hem_animation_read(exact, size, &a, NULL, NULL, NULL, &fault)
                               : hem_body_read(exact, size, &body, NULL, &fault);
        if (!good) {
            ++refused;
            ASSERT(fault.what != NULL && fault.line <= lines);
        }
        free(exact);
        free(text);
    }
    ASSERT(refused > 1000);
    PASS();
}

// Numbers in all their forms, against the C library.
TEST numbers_are_read_as_c_reads_them(void) {
    static const char* const numbers[] = {
        "0",
        "-0.5",
        "+3",
        ".25",
        "7.",
        "1E3",
        "1e+3",
        "2.5e-3",
        "1e-9",
        "1e-300",
        "0e99999",
        "-12E+02",
        "0.1e1",
        "1e8",
        "999999999",
        "0.000000000000000000000000000001",
        "123.45678901234567890123",
        "0.12345678901234567890123456789",
        "1234567890.1234567890123456789e-5",
        "100000000000000000000e-15",
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        char text[128];
        const int size = snprintf(text, sizeof text, "\t(%s ,0,\t0) \r\n1,1,1\r\n1,1,1\n0,0,0", numbers[i]);
        hem_body_text body;
        hem_text_fault fault = {0, ""};
        ASSERT_EQm(fault.what, 1, hem_body_read(text, (size_t)size, &body, NULL, &fault));
        const double want = strtod(numbers[i], NULL);
        ASSERT_IN_RANGE(want, body.offset[0], 1e-15 * (want < 0 ? -want : want) + 1e-40);
    }
    PASS();
}

// Nine digits: what is rounded up to the next power of ten, what has no fraction, what is large, either sign.
TEST numbers_are_written_with_nine_digits(void) {
    static const struct {
        double value;
        const char* text;
    } rows[] = {
        {0, "0"},
        {-3, "-3"},
        {0.5, "5.00000000e-1"},
        {-1.5, "-1.50000000"},
        {9.9999999999, "1.00000000e1"}, // rounds up
        {999999999, "999999999"},
        {12345678912.0, "1.23456789e10"},
        {1e-20, "1.00000000e-20"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const hem_body_text body = {.offset = {rows[i].value}, .spacing = {1, 1, 1}, .scale = {1, 1, 1}};
        char text[128] = {0};
        const size_t size = hem_body_write(&body, NULL, NULL);
        ASSERT(size < sizeof text);
        ASSERT_EQ(size, hem_body_write(&body, NULL, text));
        *strchr(text, ',') = 0;
        ASSERT_STR_EQ(rows[i].text, text);
    }
    PASS();
}

SUITE(lattice_text_suite) {
    RUN_TEST(numbers_are_read_as_c_reads_them);
    RUN_TEST(numbers_are_written_with_nine_digits);
    RUN_TEST(examples_are_read);
    RUN_TEST(what_is_written_comes_back);
    RUN_TEST(faults_are_named_with_their_line);
    RUN_TEST(spoiled_files_do_no_harm);
}
