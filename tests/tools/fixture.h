// SPDX-License-Identifier: MIT
#ifndef HEM_TESTS_TOOLS_FIXTURE_H
#define HEM_TESTS_TOOLS_FIXTURE_H

// A small .hem file written by hand, byte by byte as the format says: a curtain of 8 x 8 particles (row = column of the
// curtain, lane = level) that hangs from its top level, in front of a post of eight body particles. Two bones, of which
// the second swings the curtain rod in the clip "swing"; "turn" spins it once around.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FIXTURE_SIDE = 8,
    FIXTURE_SWING_FRAMES = 31, // at 30 Hz, looping
    FIXTURE_TURN_FRAMES = 9,
};
#define FIXTURE_SPACING 0.05f
#define FIXTURE_TOP 1.0f

// The caller frees *bytes. With preview false the file is as --ship makes it.
size_t fixture_make(uint8_t** bytes, bool preview);

// Writes it to a file in the temporary directory; the caller removes it. False if that fails.
bool fixture_write(char* path, size_t path_size, const uint8_t* bytes, size_t size, const char* extension);

#endif
