// SPDX-License-Identifier: MIT
#ifndef HEM_VALIDATE_INTERNAL_H
#define HEM_VALIDATE_INTERNAL_H

// What the four files of the validator share: hem_validate_container.c (header, table, view), hem_validate_particles.c (parts,
// tuning, bones, rows), hem_validate_constraints.c (batches) and hem_validate_meshes.c (colliders, vertices, preview).
//
// The border between files and the runtime. Whatever passes here, the kernels use without looking again: they index with
// what the file says, divide by what it holds and store whole rows. So the rule is strict: a field either has one right
// value (a pad, a reserved word, a count that follows from others), or a range in which all later arithmetic stays finite.
//
// Order of work: header, section table, then each section once, from those that others point into (info, parts, flags)
// to those that point (batches, vertices). Nothing is read before the bytes under it are known to exist. Time is linear
// but for the symmetry of the ignore list (a binary search per entry); memory is one byte per row on the stack.
//
// Comparisons are written so that a NaN fails them: hemi_in_range is false for it.

#include "formats/hem_validate.h"

#include <string.h>

#define MAX_ROWS (HEM_MAX_PARTICLES / HEM_LANES)
#define UNIT_TOLERANCE 1e-3f
#define WEIGHT_ONE 65535u
#define HEM_SECTION_LIMIT 68 // one more than the last section
HEM_STATIC_ASSERT(HEM_SECTION_PREVIEW_FRAMES < HEM_SECTION_LIMIT, "section limit");

typedef struct hemi_checker {
    const uint8_t* bytes;
    hem_view* view;
    hem_format_fault* fault;
    uint8_t used[MAX_ROWS + 1]; // lanes of a row that the batch at hand has touched; all zero between batches
} hemi_checker;

static inline hem_format_result hemi_refuse(hem_format_fault* fault, hem_format_result result, uint32_t section,
                                            uint32_t element, const char* field) {
    *fault = (hem_format_fault){section, element, field, 0, 0, 0};
    return result;
}

// The one way out: of a function that has a hemi_checker* c.
#define REFUSE(result, section, element, field)                                                                        \
    hemi_refuse(c->fault, HEM_FORMAT_##result, HEM_SECTION_##section, element, field)
#define REFUSE_IF(condition, result, section, element, field)                                                          \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            return REFUSE(result, section, element, field);                                                            \
        }                                                                                                              \
    } while (0)

static inline int hemi_in_range(float x, float low, float high) {
    return x >= low && x <= high;
}

static inline int hemi_near_one(float x) {
    return hemi_in_range(x, 1.0f - UNIT_TOLERANCE, 1.0f + UNIT_TOLERANCE);
}

static inline int hemi_is_unit_quat(float x, float y, float z, float w) {
    return hemi_near_one(x * x + y * y + z * z + w * w);
}

static inline int hemi_is_zero(const void* bytes, size_t size) {
    const uint8_t* p = (const uint8_t*)bytes;
    for (size_t i = 0; i < size; ++i) {
        if (p[i] != 0) {
            return 0;
        }
    }
    return 1;
}

// Ranges that follow each other and cover the whole array.
static inline int hemi_take_range(uint32_t begin, uint32_t count, uint32_t total, uint32_t* next) {
    if (begin != *next || count > total - *next) {
        return 0;
    }
    *next += count;
    return 1;
}

static inline uint32_t hemi_part_of(const hem_view* v, uint32_t particle) {
    return v->particle_flags[particle] >> HEM_PARTICLE_PART_SHIFT;
}

hem_format_result hemi_check_parts(hemi_checker* c);
// No length is above `longest`.
hem_format_result hemi_check_tuning(const hem_tuning* tuning, uint32_t count, float longest, hem_format_fault* fault);
hem_format_result hemi_check_bones(hemi_checker* c);
hem_format_result hemi_check_flags(hemi_checker* c);
hem_format_result hemi_check_rest(hemi_checker* c);
hem_format_result hemi_check_bind(hemi_checker* c);
hem_format_result hemi_check_limits(hemi_checker* c);
hem_format_result hemi_check_anim(hemi_checker* c);
hem_format_result hemi_check_frames(hemi_checker* c);
hem_format_result hemi_check_ignore(hemi_checker* c);
hem_format_result hemi_check_ranges(hemi_checker* c);
hem_format_result hemi_check_constraints(hemi_checker* c);
hem_format_result hemi_check_lattices(hemi_checker* c);
hem_format_result hemi_check_virtual(hemi_checker* c);
hem_format_result hemi_check_tears(hemi_checker* c);         // after the vertices
hem_format_result hemi_check_lattice_clips(hemi_checker* c); // after the constraints
hem_format_result hemi_check_colliders(hemi_checker* c);
hem_format_result hemi_check_vertices(hemi_checker* c);
hem_format_result hemi_check_vertex_cells(hemi_checker* c);
hem_format_result hemi_check_meshes(hemi_checker* c);
hem_format_result hemi_check_clips(hemi_checker* c);
hem_format_result hemi_check_levels(hemi_checker* c); // last: each is a file of its own

#endif
