// SPDX-License-Identifier: MIT
#ifndef HEM_TRIMESH_FORMAT_H
#define HEM_TRIMESH_FORMAT_H

// The .hemmesh file, a triangle mesh to collide with, exactly as it lies on disk and in memory: little-endian, position
// independent, used in place.
//
//   hem_trimesh_header     192 bytes
//   hem_trimesh_vertex[]   welded, in the order in which the triangles use them first
//   hem_trimesh_bind[]     one per vertex, skinned meshes only
//   hem_trimesh_corners[]  one per block
//   hem_trimesh_names[]    one per block
//   hem_trimesh_edge[]     each edge once, in the order in which the triangles use them first
//   hem_trimesh_node[]     level after level, the blocks' boxes first, the root last
//   hem_trimesh_slab[]     one per node; not of skinned meshes
//
// There is no section table: every array starts on the next 64-byte boundary, gaps are zero, and the header's counts say
// how long each is. A file has no offset that could be wrong.
//
// Triangles are ordered so that eight neighbours make a block and eight neighbouring boxes a node: triangle t is lane
// t % 8 of block t / 8; child c of node i of a level is block, or node of the level below, 8 i + c. The tree has no
// pointers either, so its depth follows from the number of triangles and bytes cannot make it go in circles.
//
// A height field has one array instead of all of these, heights in metres, and two triangles a cell that are made of them
// when they are asked for. Column c, row r is at (c cell[0], height, r cell[1]); a cell is cut from its (1, 0) to its (0, 1).
//
//   hem_trimesh_header     flags have HEM_TRIMESH_FIELD
//   float[]                columns x rows, row after row; HEM_TRIMESH_NOWHERE: no ground, triangles here are missing
//
// Its tree is not stored: a block is four cells of a row, x by x, first their triangles at (0, 0), then those at (1, 1).
// Blocks and nodes n levels above them are as many cells wide as hem_trimesh_columns_bits and rows_bits say.

#include "formats/hem_format.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEM_TRIMESH_VERSION 2u // 2: slabs
#define HEM_TRIMESH_MAGIC "\x89HMM\r\n\x1a\n"
#define HEM_TRIMESH_MAX_TRIANGLES 134217728u // 8^9: three edges each still fit 32 bits
#define HEM_TRIMESH_MAX_LEVELS 9
#define HEM_TRIMESH_MAX_METRES 1e5f
#define HEM_TRIMESH_NOWHERE 1e30f    // an empty box goes from here to minus here
#define HEM_TRIMESH_MAX_SIDE 8193u   // columns and rows of a height field
#define HEM_TRIMESH_LEAST_CELL 1e-4f // metres

enum {
    HEM_TRIMESH_CLOSED = 1,    // each edge has two triangles that run along it in opposite directions
    HEM_TRIMESH_TWO_SIDED = 2, // a sheet: whoever is behind it stays there. Otherwise what is behind is inside
    HEM_TRIMESH_SKINNED = 4,
    HEM_TRIMESH_FIELD = 8, // a height field, with none of the others but TWO_SIDED
};

typedef struct hem_trimesh_header {
    uint8_t magic[8];
    uint32_t version;     // HEM_TRIMESH_VERSION
    uint32_t header_size; // sizeof(hem_trimesh_header)
    uint64_t file_size;
    uint32_t flags;           // HEM_TRIMESH_*
    uint32_t bone_count;      // 0 = not skinned
    uint8_t content_hash[16]; // XXH3-128 (canonical, big-endian) of every byte after the header; zero = built in a game
    uint8_t source_hash[16];  // XXH3-128 of the glTF and its buffers; the same
    char tool[32];            // "hemc 0.1.0", zero padded; the same
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t edge_count;
    uint32_t border_count;  // edges with one triangle
    float low[3], high[3];  // of all vertices
    uint32_t columns, rows; // of a height field, 2..HEM_TRIMESH_MAX_SIDE; else 0
    float cell[2];          // metres between columns, between rows; else 0
    uint8_t reserved[40];   // zero
} hem_trimesh_header;
HEM_STATIC_ASSERT(sizeof(hem_trimesh_header) == 192, "trimesh header size");

enum {
    HEM_TRIMESH_VERTEX_OPEN = 1, // some edge here is a border or torn
};

typedef struct hem_trimesh_vertex {
    float position[3]; // metres
    float normal[3];   // unit: mean of the triangles' normals by their angles here, which tells outside from inside
    uint32_t flags;    // HEM_TRIMESH_VERTEX_*
    uint32_t reserved;
} hem_trimesh_vertex;
HEM_STATIC_ASSERT(sizeof(hem_trimesh_vertex) == 32, "trimesh vertex size");

typedef struct hem_trimesh_bind {
    uint16_t bone[4];
    uint16_t weight[4]; // n / 65535, the four sum to exactly 65535
} hem_trimesh_bind;
HEM_STATIC_ASSERT(sizeof(hem_trimesh_bind) == 16, "trimesh bind size");

// Eight triangles. Lanes behind the last one repeat the last one.
typedef struct hem_trimesh_corners {
    float at[3][3][8]; // [corner][axis][lane]
} hem_trimesh_corners;
HEM_STATIC_ASSERT(sizeof(hem_trimesh_corners) == 288, "trimesh corners size");

typedef struct hem_trimesh_names {
    uint32_t vertex[3][8]; // [corner][lane], counter-clockwise seen from outside
    uint32_t edge[3][8];   // from this corner to the next
} hem_trimesh_names;
HEM_STATIC_ASSERT(sizeof(hem_trimesh_names) == 192, "trimesh names size");

enum {
    HEM_TRIMESH_EDGE_CONVEX = 1,
    HEM_TRIMESH_EDGE_CONCAVE = 2, // neither: flat, or it has not two triangles
    HEM_TRIMESH_EDGE_BORDER = 4,  // one triangle
    HEM_TRIMESH_EDGE_TORN = 8,    // more than two triangles, or two that run along it in the same direction
};

typedef struct hem_trimesh_edge {
    uint32_t vertex[2];   // the lower one first
    uint32_t triangle[2]; // the first two; HEM_NONE as uint32 on a border
    float normal[3];      // unit, mean of its triangles; zero where these are back to back
    uint32_t flags;       // HEM_TRIMESH_EDGE_*
} hem_trimesh_edge;
HEM_STATIC_ASSERT(sizeof(hem_trimesh_edge) == 32, "trimesh edge size");

// Eight boxes. Children that do not exist are empty: low is HEM_TRIMESH_NOWHERE, high the same below zero.
typedef struct hem_trimesh_node {
    float low[3][8], high[3][8];
} hem_trimesh_node;
HEM_STATIC_ASSERT(sizeof(hem_trimesh_node) == 192, "trimesh node size");

// Between two planes lies each of a node's children: a box around triangles that lean bulges out of them on both sides. A
// child that does not exist has zeros.
typedef struct hem_trimesh_slab {
    float normal[3][8];      // no longer than 1; the builder takes the triangles' mean normal
    float least[8], most[8]; // metres along it, least and most of all corners, from the low corner of its box
} hem_trimesh_slab;
HEM_STATIC_ASSERT(sizeof(hem_trimesh_slab) == 160, "trimesh slab size");

typedef struct hem_trimesh_view {
    const hem_trimesh_header* header;
    const hem_trimesh_vertex* vertices;
    const hem_trimesh_bind* binds; // NULL = not skinned
    const hem_trimesh_corners* corners;
    const hem_trimesh_names* names;
    const hem_trimesh_edge* edges;
    const hem_trimesh_node* nodes;
    const hem_trimesh_slab* slabs; // NULL = skinned
    const float* heights;          // NULL = no height field; one has only these
    uint32_t block_count;          // of a height field: numbers below this are blocks, if their cells are in it
    uint32_t node_count;
    uint32_t level_count;
    uint32_t level_begin[HEM_TRIMESH_MAX_LEVELS + 1]; // first node of each level, then node_count
} hem_trimesh_view;

// Of a height field: powers of two of cells along x and z of what is `level` levels above a block.
static inline uint32_t hem_trimesh_columns_bits(uint32_t level) {
    return level == 0 ? 2 : (3 * level + 2) / 2;
}

static inline uint32_t hem_trimesh_rows_bits(uint32_t level) {
    return 3 * level + 2 - hem_trimesh_columns_bits(level);
}

// Where the arrays of a mesh with these counts begin, and where it ends.
typedef struct hem_trimesh_layout {
    uint64_t vertices, binds, corners, names, edges, nodes, slabs, size;
    uint32_t block_count, node_count, level_count;
    uint32_t level_begin[HEM_TRIMESH_MAX_LEVELS + 1];
} hem_trimesh_layout;

// Bytes of a height field, and its triangles whose three heights are ground.
uint64_t hem_trimesh_field_size(uint32_t columns, uint32_t rows);
uint32_t hem_trimesh_field_triangles(uint32_t columns, uint32_t rows, const float* heights);
// How far the corners of some blocks reach along a direction, from the low corner of their box.
void hem_trimesh_reach(const hem_trimesh_corners* corners, uint32_t count, const float normal[3], const float origin[3],
                       float* least, float* most);
// At most HEM_TRIMESH_MAX_TRIANGLES triangles, and at least one.
void hem_trimesh_lay_out(uint32_t vertex_count, uint32_t triangle_count, uint32_t edge_count, int skinned,
                         hem_trimesh_layout* layout);

#ifdef __cplusplus
}
#endif
#endif
