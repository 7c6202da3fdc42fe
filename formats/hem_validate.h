// SPDX-License-Identifier: MIT
#ifndef HEM_VALIDATE_H
#define HEM_VALIDATE_H

// One pure validator: any bytes, any length, never reads out of bounds, and what it accepts the runtime may use without
// looking again. Freestanding.

#include "formats/hem_format.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
#define HEM_FORMAT_RESULTS(X)                                                                                          \
    X(HEM_FORMAT_OK, 0, "the file is valid")                                                                           \
    X(HEM_FORMAT_TOO_SHORT, 1, "the file is shorter than its header says; copy it again")                              \
    X(HEM_FORMAT_BAD_MAGIC, 2, "not a .hem file")                                                                      \
    X(HEM_FORMAT_BAD_VERSION, 3, "a format version that this library, which reads 2 and 3, does not know; compile the asset again with its hemc") \
    X(HEM_FORMAT_BAD_HEADER, 4, "the header contradicts itself")                                                       \
    X(HEM_FORMAT_BAD_SECTION, 5, "the section table contradicts itself or the file")                                   \
    X(HEM_FORMAT_MISSING_SECTION, 6, "a section that every .hem file has is missing")                                  \
    X(HEM_FORMAT_BAD_COUNT, 7, "a count contradicts another or passes a limit")                                        \
    X(HEM_FORMAT_BAD_INDEX, 8, "an index points outside its array")                                                    \
    X(HEM_FORMAT_BAD_VALUE, 9, "a number is not finite or out of its range")                                           \
    X(HEM_FORMAT_BAD_BATCH, 10, "a batch holds a particle twice, or a run batches unlike; compile the asset again")    \
    X(HEM_FORMAT_MISALIGNED, 11, "the bytes do not start on a 64-byte boundary")                                       \
    X(HEM_FORMAT_BAD_HASH, 12, "the content does not match its hash; the file is damaged")                             \
    X(HEM_FORMAT_OLD_VERSION, 13, "format version 1, this library reads 2 and 3: compile the asset again with hemc")
// clang-format on

HEM_STATIC_ASSERT(HEM_FORMAT_VERSION == 2 && HEM_FORMAT_VERSION_LEVELS == 3, "the texts above name them");

typedef enum hem_format_result {
#define HEM_FORMAT_ENUM(name, value, text) name = value,
    HEM_FORMAT_RESULTS(HEM_FORMAT_ENUM)
#undef HEM_FORMAT_ENUM
} hem_format_result;

typedef struct hem_format_fault {
    uint32_t section;  // hem_section_kind
    uint32_t element;  // index inside the section
    const char* field; // static text, e.g. "row_b"
    float value;       // of a number of the tuning that is not in low to high; else all are 0
    float low, high;
} hem_format_fault;

// Every section of a validated file as a typed pointer and a count; absent ones are NULL with count 0.
typedef struct hem_view {
    const hem_header* header;
#define HEM_VIEW_POINTER(name, number, text, element, pointer, ...) const element* pointer;
    HEM_SECTIONS(HEM_VIEW_POINTER)
#undef HEM_VIEW_POINTER
#define HEM_VIEW_COUNT(name, number, text, element, pointer, count, ...) uint32_t count;
    HEM_SECTIONS(HEM_VIEW_COUNT)
#undef HEM_VIEW_COUNT
    uint32_t clip_frame_count; // frames of bone_count matrices: clip_frames[frame * bone_count + bone]
} hem_view;

// Checks everything and fills the view. The bytes must stay where they are while the view is used.
// fault may be NULL. The hash is not looked at: see hem_view_hash_matches in compiler and tools.
hem_format_result hem_validate(const void* bytes, size_t size, hem_view* view, hem_format_fault* fault);

// A tuning section on its own, for swapping while running. With the info of an asset its lengths are bounded by the
// asset's size, as they are in its file; with NULL by 10 km.
hem_format_result hem_validate_tuning(const hem_tuning* tuning, uint32_t count, hem_format_fault* fault);
hem_format_result hem_validate_tuning_of(const hem_info* info, const hem_tuning* tuning, uint32_t count,
                                         hem_format_fault* fault);

// What keeps particles apart (radii, tangent spheres, thickness, contact radii) is no longer than the asset is: the sides
// of its rest bounds together, but a metre at least. Longer ones would make neighbours of all particles.
static inline float hem_longest(const hem_info* info) {
    const float sides = (info->bounds_max[0] - info->bounds_min[0]) + (info->bounds_max[1] - info->bounds_min[1]) +
                        (info->bounds_max[2] - info->bounds_min[2]);
    return sides > HEM_MIN_LONGEST ? sides : HEM_MIN_LONGEST;
}

// Runs of link batches. The runtime begins a batch of a run before the last one is written, and takes one way through
// its code for all of them: so neighbours share no row, and all are of one kind and one rotation, and alike in whether
// the seam is open and whether stiffness is painted. It divides by squared lengths without a look: no link of a run is
// shorter than a micrometre. Tethers are in no run.
#define HEM_RUN_MIN_REST 1e-6f
int hem_may_run(const hem_link_batch* batch);
int hem_may_follow(const hem_link_batch* a, const hem_link_batch* b); // whether b may stand behind a
int hem_is_painted(const hem_link_batch* batch);                      // some lane's stiffness

// No link goes from the last lanes to the first ones. Inline, since the solver asks at every batch that is in no run.
static inline int hem_is_open_seam(const hem_link_batch* b) {
    return b->rotate != 0 && b->lane_mask >> (HEM_LANES - b->rotate) == 0;
}

const char* hem_format_result_text(hem_format_result result);
const char* hem_section_name(uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif
