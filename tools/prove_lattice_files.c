// SPDX-License-Identifier: MIT
#include "tools/prove_lattice.h"
#include "formats/hem_lattice_text.h"

#include <stdlib.h>
#include <string.h>

// The text files of lattices, spoiled: each is refused with a line, or it is a good one and comes back as it is when it is
// written and read again.

enum { FILES = 1000 };

static const char body[] = "0.5, 1.5,-2\n0.25,0.25,0.5\n1,1,1\n0,0,0\n(1, 0, 0)\n\n-1,2,3\n";
static const char animation[] =
    "# made by hand\nparticle\nfps 24.5\ninterpolate 1\ndeclaration\n0,0,0 0,0,1 (0, 1, 1)\n"
    "# keyframes\nframes\n0 0,0,0 0,0,1 0,1,1\n12 0.5,0,0 0.5,0,1.25e-1 (0.5, 1, 1)\n";

enum { ROOM = 512, WRITTEN = 4096 }; // no spoiled file has as many particles times frames, or is as long written

typedef struct counts {
    uint32_t refused, nameless, changed;
} counts;

static uint32_t chance(uint32_t* seed, uint32_t below) {
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*seed * below >> 32);
}

// One to three bytes changed, taken out or put in, sometimes the end cut off. Returns the new size.
static size_t spoil(char* text, size_t size, uint32_t* seed) {
    static const char any[] = "0123456789,.-+e#() \n\txpf\0\xff";
    for (uint32_t k = chance(seed, 3) + 1; k > 0; k--) {
        const uint32_t at = chance(seed, (uint32_t)size), how = chance(seed, 8);
        const char c = any[chance(seed, sizeof(any) - 1)];
        if (how < 2 && size > 8) {
            memmove(text + at, text + at + 1, size - at - 1);
            size--;
        } else if (how < 4) {
            memmove(text + at + 1, text + at, size - at);
            text[at] = c;
            size++;
        } else if (how == 4 && size > 8) {
            size = at > 1 ? at : 1;
        } else {
            text[at] = c;
        }
    }
    return size;
}

// A line that there is; where there is none at all, or the text ends too early, the last one.
static bool names_line(const char* text, size_t size, const hem_text_fault* fault) {
    uint32_t lines = 1, filled = 0;
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
        filled += strchr(" \t\r\n", text[i]) == NULL && text[i] != 0;
    }
    return fault->what != NULL && fault->line <= lines && (fault->line > 0 || filled == 0);
}

static void try_body(const char* text, size_t size, counts* c) {
    static int32_t first[ROOM][3], again[ROOM][3];
    static char written[WRITTEN];
    hem_body_text a, b;
    hem_text_fault fault = {0, NULL};
    if (!hem_body_read(text, size, &a, NULL, &fault)) {
        c->refused++;
        c->nameless += !names_line(text, size, &fault);
        return;
    }
    const bool fits = a.particle_count <= ROOM && hem_body_read(text, size, &a, first, &fault);
    const size_t length = fits ? hem_body_write(&a, (const int32_t(*)[3])first, NULL) : WRITTEN;
    if (length >= WRITTEN) {
        c->changed++;
        return;
    }
    hem_body_write(&a, (const int32_t(*)[3])first, written);
    c->changed += !hem_body_read(written, length, &b, NULL, &fault) || b.particle_count != a.particle_count ||
                  !hem_body_read(written, length, &b, again, &fault) ||
                  memcmp(first, again, a.particle_count * sizeof(first[0])) != 0;
}

static void try_animation(const char* text, size_t size, counts* c) {
    static int32_t first[ROOM][3], again[ROOM][3], frames[ROOM], frames_again[ROOM];
    static float places[ROOM][3], places_again[ROOM][3];
    static char written[WRITTEN];
    hem_animation_text a, b;
    hem_text_fault fault = {0, NULL};
    if (!hem_animation_read(text, size, &a, NULL, NULL, NULL, &fault)) {
        c->refused++;
        c->nameless += !names_line(text, size, &fault);
        return;
    }
    const bool fits = a.particle_count <= ROOM && a.frame_count <= ROOM && a.particle_count * a.frame_count <= ROOM &&
                      hem_animation_read(text, size, &a, first, frames, places, &fault);
    const int32_t(*indices)[3] = (const int32_t(*)[3])first;
    const float(*at)[3] = (const float(*)[3])places;
    const size_t length = fits ? hem_animation_write(&a, indices, frames, at, NULL) : WRITTEN;
    if (length >= WRITTEN) {
        c->changed++;
        return;
    }
    hem_animation_write(&a, indices, frames, at, written);
    bool same = hem_animation_read(written, length, &b, NULL, NULL, NULL, &fault) &&
                b.particle_count == a.particle_count && b.frame_count == a.frame_count &&
                b.interpolate == a.interpolate &&
                hem_animation_read(written, length, &b, again, frames_again, places_again, &fault) &&
                memcmp(first, again, a.particle_count * sizeof(first[0])) == 0 &&
                memcmp(frames, frames_again, a.frame_count * sizeof(int32_t)) == 0;
    for (uint32_t i = 0; same && i < 3 * a.particle_count * a.frame_count; i++) {
        same = places[i / 3][i % 3] == places_again[i / 3][i % 3]; // as numbers: -0 is 0
    }
    c->changed += !same;
}

void prove_lattice_files(proof* p) {
    uint32_t seed = 1;
    counts c = {0};
    for (int32_t n = 0; n < FILES; n++) {
        char text[sizeof(animation) + 8];
        const char* from = n % 2 ? animation : body;
        memcpy(text, from, strlen(from));
        const size_t size = spoil(text, strlen(from), &seed);
        char* exact = malloc(size); // so that a sanitizer sees a byte too many
        if (exact == NULL) {
            proof_unmeasured(p, "0 files", "there is no memory", "spoiled files");
            return;
        }
        memcpy(exact, text, size);
        if (n % 2) {
            try_animation(exact, size, &c);
        } else {
            try_body(exact, size, &c);
        }
        free(exact);
    }
    proof_at_most(p, 0.0, c.nameless, "files",
                  "refused without a line that there is, of %d spoiled .rmb and animations", FILES);
    proof_at_most(p, 0.0, c.changed, "files", "read, that are others when written and read again");
    proof_at_least(p, FILES / 4, c.refused, "files", "of them refused (the others are still good files)");
}
