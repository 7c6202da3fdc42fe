// SPDX-License-Identifier: MIT
#ifndef HEM_TRIMESH_H
#define HEM_TRIMESH_H

// Triangle meshes to collide with: a table, a staircase, a horse's back, a terrain.
//
//   hemc mesh table.glb -o table.hemmesh      compiles one offline; the game opens the bytes with hem_trimesh_open
//   hem_trimesh_build                         makes the same bytes in the game, from triangles of any origin
//   hem_trimesh_build_field                   the same from a terrain's heights, 4 bytes each
//
// An open mesh is used in place by as many instances and scenes as there are; nothing here keeps memory.

#include "hem/hem.h"

#ifdef __cplusplus
extern "C" {
#endif

// Validated bytes. The struct is the game's; its contents are private. The bytes must stay in place, unchanged, while any
// scene uses the mesh, and must start on a 64-byte boundary.
typedef struct hem_trimesh {
    uint64_t opaque[32];
} hem_trimesh;

typedef struct hem_trimesh_info {
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t edge_count;
    uint32_t border_count; // edges with one triangle
    uint32_t bone_count;   // 0 = not skinned
    int closed;            // no border, and all triangles face the same way
    int two_sided;
    uint32_t columns, rows; // of a height field; else 0
    float bounds_min[3], bounds_max[3];
    uint64_t size; // bytes
} hem_trimesh_info;

// Reads every byte. Time is linear in the size. HEM_ERROR_ASSET: hem_trimesh_fault says what is wrong.
hem_result hem_trimesh_open(hem_trimesh* mesh, const void* bytes, size_t size);
// After HEM_ERROR_ASSET: what to do about it, as static text, and where it was found. Never NULL.
const char* hem_trimesh_fault(const hem_trimesh* mesh, const char** array, const char** field, uint32_t* element);
hem_result hem_trimesh_get_info(const hem_trimesh* mesh, hem_trimesh_info* info);

// -- Building

typedef struct hem_trimesh_def {
    uint32_t cookie; // set by hem_trimesh_def_default
    uint32_t vertex_count;
    const float* positions;  // three floats each, metres; equal ones become one vertex
    size_t position_stride;  // bytes, 0 = 12
    const uint32_t* indices; // three per triangle, counter-clockwise seen from outside; NULL = vertices in order
    uint32_t triangle_count; // 1..2^27; with indices NULL at most vertex_count / 3
    int two_sided;           // 1 = a sheet that holds from both sides; default 0: what is behind a triangle is inside
    uint32_t bone_count;     // 0 = not skinned, at most 4096
    const uint16_t* bones;   // four per vertex, when skinned
    const uint16_t* weights; // four per vertex, n / 65535, which sum to exactly 65535
} hem_trimesh_def;

typedef struct hem_trimesh_report {
    size_t size;               // bytes of the mesh: at most what was measured, a multiple of 64
    uint32_t degenerate_count; // triangles without area, left out
    uint32_t duplicate_count;  // triangles with the corners of an earlier one, left out
    uint32_t border_count;     // edges with one triangle
    uint32_t torn_count;       // edges with more than two triangles, or with two that face opposite ways
    uint32_t bad_vertex;       // after HEM_ERROR_RANGE: the first that is not finite or farther than 100 km
} hem_trimesh_report;

hem_trimesh_def hem_trimesh_def_default(void);
// Room for the mesh, and room that is needed while it is built. Looks at the counts only.
hem_result hem_trimesh_measure(const hem_trimesh_def* def, hem_memory* mesh, hem_memory* scratch);
// Writes the bytes of a .hemmesh into `block`; same input, same bytes, on every machine. Time is n log n. On failure the
// block holds no mesh. HEM_ERROR_RANGE: a position is wrong; HEM_ERROR_COUNT: an index is, or no triangle is left.
hem_result hem_trimesh_build(const hem_trimesh_def* def, void* block, size_t size, void* scratch, size_t scratch_size,
                             hem_trimesh_report* report);

// -- Height fields

#define HEM_NO_GROUND 1e30f // as a height: the triangles that meet here are missing

typedef struct hem_trimesh_field_def {
    uint32_t cookie;        // set by hem_trimesh_field_def_default
    uint32_t columns, rows; // 2..8193 heights along x, along z
    const float*
        heights;   // y, metres, within 100 km, or HEM_NO_GROUND. Column c of row r is at (c cell[0], y, r cell[1])
    size_t stride; // bytes from row to row, 0 = 4 columns
    float cell[2]; // metres between columns and between rows, from 1e-4, default 1; 100 km a side at most
    int two_sided; // 1 = holds from below, too; default 0: what is below comes out when it is near
} hem_trimesh_field_def;

hem_trimesh_field_def hem_trimesh_field_def_default(void);
hem_result hem_trimesh_measure_field(const hem_trimesh_field_def* def, hem_memory* mesh);
// Writes the bytes of a .hemmesh into `block`: a header of 192 bytes, then the heights, which may already be there. Each cell is
// two triangles, cut from its column 1, row 0 to its column 0, row 1; nothing is made of them beforehand, so time is that of a
// copy. On failure the block holds no mesh. HEM_ERROR_RANGE: report->bad_vertex is the height that is wrong, or a cell's size is;
// HEM_ERROR_COUNT: a side is, or there is no triangle. report may be NULL.
hem_result hem_trimesh_build_field(const hem_trimesh_field_def* def, void* block, size_t size,
                                   hem_trimesh_report* report);

#ifdef __cplusplus
}
#endif
#endif
