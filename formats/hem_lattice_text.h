// SPDX-License-Identifier: MIT
#ifndef HEM_LATTICE_TEXT_H
#define HEM_LATTICE_TEXT_H

// The two text files with which lattices go to a modelling tool and back (Sullivan, "Particle-driven animation of soft
// bodies", appendix A.1). Nothing is allocated: a first call with no arrays checks everything and counts, a second one
// fills what the caller has made room for.
//
// The body file, .rmb: one tuple a line, numbers separated by commas.
//
//   x,y,z    the middle of the mesh, seen from the particle with index (0, 0, 0)
//   x,y,z    spacing
//   x,y,z    scale of the mesh
//   i,j,k    the index of a particle, one line each
//
// The particle animation: lines that begin with # are comments.
//
//   particle
//   fps 24
//   interpolate 1                      0 = targets change at keyframes only
//   declaration
//   i,j,k i,j,k ...                    the particles
//   frames
//   12 x,y,z x,y,z ...                 number of a keyframe and the place of each particle, one line a frame
//
// Tuples may stand in parentheses and have spaces after their commas, as Unity writes them. Numbers are decimal with a
// point, whatever the locale.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEM_MAX_LATTICE_INDEX 1024
#define HEM_MAX_LATTICE_FRAME 1000000

typedef struct hem_text_fault {
    uint32_t line;    // from 1
    const char* what; // never NULL after a refusal
} hem_text_fault;

typedef struct hem_body_text {
    double offset[3], spacing[3], scale[3];
    uint32_t particle_count;
} hem_body_text;

typedef struct hem_animation_text {
    double fps;
    uint32_t interpolate;
    uint32_t particle_count, frame_count;
} hem_animation_text;

// 1 = good. indices: NULL, or room for particle_count.
int hem_body_read(const char* text, size_t size, hem_body_text* body, int32_t (*indices)[3], hem_text_fault* fault);

// 1 = good. indices: NULL, or room for particle_count; frames: NULL, or room for frame_count numbers; places: NULL, or
// room for frame_count * particle_count.
int hem_animation_read(const char* text, size_t size, hem_animation_text* animation, int32_t (*indices)[3],
                       int32_t* frames, float (*places)[3], hem_text_fault* fault);

// Characters written, without the zero at the end; out NULL = only counted. Floats come back the same.
size_t hem_body_write(const hem_body_text* body, const int32_t (*indices)[3], char* out);
size_t hem_animation_write(const hem_animation_text* animation, const int32_t (*indices)[3], const int32_t* frames,
                           const float (*places)[3], char* out);

#ifdef __cplusplus
}
#endif
#endif
