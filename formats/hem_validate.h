// SPDX-License-Identifier: MIT
#ifndef HEM_VALIDATE_H
#define HEM_VALIDATE_H

// One pure validator: any bytes, any length, never reads out of bounds, and what it accepts the runtime may use without
// looking again. Freestanding.

#include "formats/hem_format.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEM_FORMAT_RESULTS(X)                                                                                          \
    X(HEM_FORMAT_OK, 0, "the file is valid")                                                                           \
    X(HEM_FORMAT_TOO_SHORT, 1, "the file is shorter than its header says; copy it again")                              \
    X(HEM_FORMAT_BAD_MAGIC, 2, "not a .hem file")                                                                      \
    X(HEM_FORMAT_BAD_VERSION, 3, "made by another version of hemc; compile the asset again")                           \
    X(HEM_FORMAT_BAD_HEADER, 4, "the header contradicts itself")                                                       \
    X(HEM_FORMAT_BAD_SECTION, 5, "the section table contradicts itself or the file")                                   \
    X(HEM_FORMAT_MISSING_SECTION, 6, "a section that every .hem file has is missing")                                  \
    X(HEM_FORMAT_BAD_COUNT, 7, "a count contradicts another or passes a limit")                                        \
    X(HEM_FORMAT_BAD_INDEX, 8, "an index points outside its array")                                                    \
    X(HEM_FORMAT_BAD_VALUE, 9, "a number is not finite or out of its range")                                           \
    X(HEM_FORMAT_BAD_BATCH, 10, "a batch holds a particle twice, or a run batches unlike; compile the asset again")    \
    X(HEM_FORMAT_MISALIGNED, 11, "the bytes do not start on a 64-byte boundary")                                       \
    X(HEM_FORMAT_BAD_HASH, 12, "the content does not match its hash; the file is damaged")

typedef enum hem_format_result {
#define HEM_FORMAT_ENUM(name, value, text) name = value,
    HEM_FORMAT_RESULTS(HEM_FORMAT_ENUM)
#undef HEM_FORMAT_ENUM
} hem_format_result;

typedef struct hem_format_fault {
    uint32_t section;  // hem_section_kind, 0 = header or table
    uint32_t element;  // index inside the section
    const char* field; // static text, e.g. "row_b"
} hem_format_fault;

// Every section of a validated file as a typed pointer; absent ones are NULL with count 0.
typedef struct hem_view {
    const hem_header* header;
    const hem_info* info;
    const char* strings;
    uint32_t string_size;
    const hem_part* parts;
    const hem_tuning* tuning;
    const hem_bone* bones;
    const hem_rest_row* rest_rows;
    const hem_shape_row* shape_rows;
    const hem_bind_row* bind_rows;
    const uint32_t* particle_flags;
    const hem_anim_row* anim_rows;
    uint32_t anim_row_count;
    const hem_limit_row* limit_rows;
    uint32_t limit_row_count;
    const hem_link_batch* link_batches;
    uint32_t link_batch_count;
    const hem_index_batch* index_batches;
    uint32_t index_batch_count;
    const hem_group_batch* group_batches;
    uint32_t group_batch_count;
    const hem_group_member* group_members;
    uint32_t group_member_count;
    const hem_group_index* group_indices;
    uint32_t group_index_count;
    const hem_frame_row* frame_rows;
    uint32_t frame_row_count;
    const uint32_t* ignore_starts;
    const uint16_t* ignore_list;
    uint32_t ignore_count;
    const hem_asset_collider* colliders;
    uint32_t collider_count;
    const float (*hull_planes)[4];
    uint32_t hull_plane_count;
    const hem_mesh* meshes;
    const hem_vertex_rest* vertex_rest;
    const hem_vertex_bind* vertex_bind;
    const uint8_t* vertex_blocks;
    const uint32_t* preview_indices;
    uint32_t preview_index_count;
    const uint8_t (*preview_colors)[4];
    const hem_clip* clips;
    uint32_t clip_count;
    const float (*clip_frames)[12]; // [frame * bone_count + bone]
    uint32_t clip_frame_count;      // frames, not matrices
} hem_view;

// Checks everything and fills the view. The bytes must stay where they are while the view is used.
// fault may be NULL. The hash is not looked at: see hem_view_hash_matches in compiler and tools.
hem_format_result hem_validate(const void* bytes, size_t size, hem_view* view, hem_format_fault* fault);

// A tuning section on its own, for swapping while running.
hem_format_result hem_validate_tuning(const hem_tuning* tuning, uint32_t count, hem_format_fault* fault);

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
