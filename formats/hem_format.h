// SPDX-License-Identifier: MIT
#ifndef HEM_FORMAT_H
#define HEM_FORMAT_H

// The .hem file, exactly as it lies on disk and in memory: little-endian, position independent, used in place.
//
//   hem_header            192 bytes
//   hem_section[count]     32 bytes each, sorted by kind, no kind twice
//   section bytes          each starts on a 64-byte boundary, in table order, gaps are zero
//
// Particles live in rows of eight: particle = row * 8 + lane. Every per-particle quantity is stored by row, component
// after component, eight floats (one 32-byte load) each. The compiler decides who sits where so that constraints line
// up: a link batch names two rows and a lane rotation, not sixteen indices.
//
// Rows are ordered: rows [0, oriented_row_count) carry a simulated or animated orientation, the rest do not.
// Each part owns a contiguous range of rows. Pad lanes have HEM_PARTICLE_PAD set, mass 0 and inverse mass 0, and
// repeat the position of a real particle of their row, so that bounds stay right.

#include "formats/hem_kinds.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef HEM_STATIC_ASSERT
#ifdef __cplusplus
#define HEM_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define HEM_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif
#endif

#define HEM_LANES 8
#define HEM_NONE (-1)
#define HEM_ALIGNMENT 64
#define HEM_FORMAT_VERSION 2u
#define HEM_FORMAT_VERSION_LEVELS 3u // of a file that has LEVELS: what reads only version 2 refuses it by its number

// "\x89HEM\r\n\x1a\n": a text-mode transfer or a 7-bit one breaks it visibly.
#define HEM_MAGIC "\x89HEM\r\n\x1a\n"

// Hard limits of the format. The validator refuses more, so that every product of a count and a size fits 32 bits.
#define HEM_MAX_PARTICLES 65528 // 8191 rows: a particle index fits 16 bits
#define HEM_MAX_BONES 4096
#define HEM_MAX_PARTS 64
#define HEM_MAX_VERTICES 4194304
#define HEM_MAX_COLLIDERS 256
#define HEM_MAX_HULL_PLANES 4096     // of an asset, in all of its hulls; the game may give as many again
#define HEM_MAX_BODY_TRIANGLES 65536 // of BODY_MESH
#define HEM_MIN_HULL_PLANES 4        // of a hull
#define HEM_MAX_GROUP_MEMBERS 32     // with the group's own particle
#define HEM_MAX_ITERATIONS 32        // per substep
#define HEM_MAX_STRAND 512           // particles of a rod or chain
#define HEM_MAX_REGION_WIDTH 8       // steps from a particle of a lattice to the border of its region
#define HEM_MAX_LATTICE_SIZE 1025    // particles along an axis
#define HEM_MAX_VIRTUAL_EDGES 65536  // eights of them
#define HEM_MAX_LATTICE_CLIPS 1024
#define HEM_MAX_LEVELS 4 // of detail, the finest included

// Ranges in which all arithmetic of the solver stays finite.
#define HEM_MAX_METRES 1e6f // of any coordinate or length
#define HEM_MAX_HANG 1e3f   // of a bone: gravity for one of stiffness
#define HEM_MIN_UNIT 1e-6f  // metres per unit of a glTF
#define HEM_MAX_UNIT 1e6f
#define HEM_MIN_RADIUS 1e-6f
#define HEM_MIN_LONGEST 1.0f // see hem_longest
#define HEM_MAX_LINK 64.0f   // of hem_longest: a tether goes along the mesh
#define HEM_MIN_MASS 1e-9f   // kg
#define HEM_MAX_MASS 1e6f
#define HEM_MIN_SPRING_COMPLIANCE 1e-9f // m/N: what is stiffer is a link
#define HEM_MAX_COMPLIANCE 1e9f
#define HEM_MAX_LINK_DAMPING 1e9f // N s/m
#define HEM_MAX_FULLNESS 30.0f    // Hz
#define HEM_MAX_UNCROWD 16.0f
#define HEM_MAX_FABRIC_INVERSE 1e6f // 1/m: of the sides and heights of a triangle of cloth

// Every section, once. The list gives the enum, the names, the order in a file, the element sizes, the pointers and counts
// of hem_view and the first rules of the validator. A new section is a new line here, with the highest number yet of its
// half: what only a preview needs stands from 64 on.
//
//   name, number, text       HEM_SECTION_<name> = number; text is what messages call it
//   element, pointer, count  const element* pointer; uint32_t count; in hem_view
//   presence                 REQUIRED, or OPTIONAL: absent when it would be empty, NULL and 0 in the view
//   rule, number of elements ANY; EXACTLY so many; AT_MOST so many; ALL_OR_NONE: so many or absent; TIMES: a multiple.
//                            The number may speak of `info`, a const hem_info*, whose own counts were checked before.
//
// clang-format off
#define HEM_SECTIONS(X)                                                                                                \
    X(INFO, 1, "info", hem_info, info, info_count, REQUIRED, EXACTLY, 1)                                               \
    /* UTF-8, each string ends with a zero byte; offset 0 is the empty string */                                       \
    X(STRINGS, 2, "strings", char, strings, string_size, REQUIRED, ANY, 0)                                             \
    X(PARTS, 3, "parts", hem_part, parts, part_count, REQUIRED, EXACTLY, info->part_count)                             \
    /* one per part; may be swapped alone */                                                                           \
    X(TUNING, 4, "tuning", hem_tuning, tuning, tuning_count, REQUIRED, EXACTLY, info->part_count)                      \
    X(BONES, 5, "bones", hem_bone, bones, bone_count, REQUIRED, EXACTLY, info->bone_count)                             \
    X(REST_ROWS, 6, "rest_rows", hem_rest_row, rest_rows, rest_row_count, REQUIRED, EXACTLY, info->row_count)          \
    X(SHAPE_ROWS, 7, "shape_rows", hem_shape_row, shape_rows, shape_row_count, REQUIRED, EXACTLY, info->row_count)     \
    /* particle to bone, eq. 3 of the paper */                                                                         \
    X(BIND_ROWS, 8, "bind_rows", hem_bind_row, bind_rows, bind_row_count, REQUIRED, EXACTLY, info->row_count)          \
    X(PARTICLE_FLAGS, 9, "particle_flags", uint32_t, particle_flags, particle_flag_count, REQUIRED, EXACTLY,           \
      info->particle_count)                                                                                            \
    /* rows of which some lane needs its animated target, ascending */                                                 \
    X(ANIM_ROWS, 10, "anim_rows", hem_anim_row, anim_rows, anim_row_count, OPTIONAL, ANY, 0)                           \
    /* painted maximum distance and backstop */                                                                        \
    X(LIMIT_ROWS, 11, "limit_rows", hem_limit_row, limit_rows, limit_row_count, OPTIONAL, ANY, 0)                      \
    /* links, row to row */                                                                                            \
    X(LINK_BATCHES, 12, "link_batches", hem_link_batch, link_batches, link_batch_count, OPTIONAL, ANY, 0)              \
    /* links, the fallback: sixteen indices */                                                                         \
    X(INDEX_BATCHES, 13, "index_batches", hem_index_batch, index_batches, index_batch_count, OPTIONAL, ANY, 0)         \
    /* shape matching */                                                                                               \
    X(GROUP_BATCHES, 14, "group_batches", hem_group_batch, group_batches, group_batch_count, OPTIONAL, ANY, 0)         \
    /* of row group batches */                                                                                         \
    X(GROUP_MEMBERS, 15, "group_members", hem_group_member, group_members, group_member_count, OPTIONAL, ANY, 0)       \
    /* of indexed group batches */                                                                                     \
    X(GROUP_INDICES, 16, "group_indices", hem_group_index, group_indices, group_index_count, OPTIONAL, ANY, 0)         \
    /* rows without orientation: oriented_row_count to the end */                                                      \
    X(FRAME_ROWS, 17, "frame_rows", hem_frame_row, frame_rows, frame_row_count, OPTIONAL, EXACTLY,                     \
      info->row_count - info->oriented_row_count)                                                                      \
    /* into IGNORE_LIST, per particle and the end */                                                                   \
    X(IGNORE_STARTS, 18, "ignore_starts", uint32_t, ignore_starts, ignore_start_count, REQUIRED, EXACTLY,              \
      info->particle_count + 1)                                                                                        \
    /* particles, ascending per particle, symmetric, never itself */                                                   \
    X(IGNORE_LIST, 19, "ignore_list", uint16_t, ignore_list, ignore_count, OPTIONAL, ANY, 0)                           \
    /* in bone space */                                                                                                \
    X(COLLIDERS, 20, "colliders", hem_asset_collider, colliders, collider_count, OPTIONAL, AT_MOST, HEM_MAX_COLLIDERS) \
    X(HULL_PLANES, 21, "hull_planes", hem_plane, hull_planes, hull_plane_count, OPTIONAL, ANY, 0)                      \
    /* one per visual primitive */                                                                                     \
    X(MESHES, 22, "meshes", hem_mesh, meshes, mesh_count, OPTIONAL, EXACTLY, info->mesh_count)                         \
    X(VERTEX_REST, 23, "vertex_rest", hem_vertex_rest, vertex_rest, vertex_rest_count, OPTIONAL, EXACTLY,              \
      info->vertex_count)                                                                                              \
    X(VERTEX_BIND, 24, "vertex_bind", hem_vertex_bind, vertex_bind, vertex_bind_count, OPTIONAL, EXACTLY,              \
      info->vertex_count)                                                                                              \
    /* hem_vertex_block, one per eight vertices of the whole array */                                                  \
    X(VERTEX_BLOCKS, 25, "vertex_blocks", uint8_t, vertex_blocks, vertex_block_count, OPTIONAL, EXACTLY,               \
      (info->vertex_count + HEM_LANES - 1) / HEM_LANES)                                                                \
    /* whose the batches are: by part, then in the order in which they are solved; none empty */                       \
    X(RANGES, 26, "ranges", hem_range, ranges, range_count, OPTIONAL, ANY, 0)                                          \
    /* constraints of any kind that is neither a link nor a group */                                                   \
    X(ROW_BATCHES, 27, "row_batches", hem_row_batch, row_batches, row_batch_count, OPTIONAL, ANY, 0)                   \
    /* of row batches of strands */                                                                                    \
    X(ROW_MEMBERS, 28, "row_members", hem_group_member, row_members, row_member_count, OPTIONAL, ANY, 0)               \
    /* of row batches that are indexed */                                                                              \
    X(ROW_INDICES, 29, "row_indices", hem_group_index, row_indices, row_index_count, OPTIONAL, ANY, 0)                 \
    /* what row batches of springs need to know */                                                                     \
    X(SPRINGS, 30, "springs", hem_spring, springs, spring_count, OPTIONAL, ANY, 0)                                     \
    /* rows that know where the pose has them, all rows of a part or none */                                           \
    X(DRIVE_ROWS, 31, "drive_rows", hem_drive_row, drive_rows, drive_row_count, OPTIONAL, ANY, 0)                      \
    /* what row batches of rods need to know, one for each member */                                                   \
    X(RODS, 32, "rods", hem_rod, rods, rod_count, OPTIONAL, ANY, 0)                                                    \
    /* the same of chains */                                                                                           \
    X(CHAINS, 33, "chains", hem_chain, chains, chain_count, OPTIONAL, ANY, 0)                                          \
    /* what the air acts on; none: four times b c of the shapes */                                                     \
    X(AREA_ROWS, 34, "area_rows", hem_area_row, area_rows, area_row_count, OPTIONAL, ALL_OR_NONE, info->row_count)     \
    /* the same for pieces of cloth, and for edges between two of them: flat, or with an angle */                      \
    X(TRIANGLES, 35, "triangles", hem_triangle, triangles, triangle_count, OPTIONAL, ANY, 0)                           \
    X(BENDS, 36, "bends", hem_bend, bends, bend_count, OPTIONAL, ANY, 0)                                               \
    X(DIHEDRALS, 37, "dihedrals", hem_dihedral, dihedrals, dihedral_count, OPTIONAL, ANY, 0)                           \
    /* painted shares of the tuning; none: all of it everywhere */                                                     \
    X(MAP_ROWS, 38, "map_rows", hem_map_row, map_rows, map_row_count, OPTIONAL, ALL_OR_NONE, info->row_count)          \
    /* eights of neighbouring edges of cloth that may bend around edges of meshes */                                   \
    X(VIRTUAL_EDGES, 39, "virtual_edges", hem_virtual_edges, virtual_edges, virtual_edge_count, OPTIONAL, ANY, 0)      \
    /* one per part that is a lattice, and what they are made of */                                                    \
    X(LATTICES, 40, "lattices", hem_lattice, lattices, lattice_count, OPTIONAL, AT_MOST, HEM_MAX_PARTS)                \
    X(LATTICE_CELLS, 41, "lattice_cells", hem_lattice_cell, lattice_cells, lattice_cell_count, OPTIONAL, AT_MOST,      \
      HEM_MAX_PARTICLES)                                                                                               \
    X(LATTICE_BARS, 42, "lattice_bars", hem_lattice_bar, lattice_bars, lattice_bar_count, OPTIONAL, ANY, 0)            \
    /* particles, bar after bar, of each lattice along x, then y, then z */                                            \
    X(LATTICE_ORDER, 43, "lattice_order", uint32_t, lattice_order, lattice_order_count, OPTIONAL, ANY, 0)              \
    /* vertices that lie in cells, ascending */                                                                        \
    X(VERTEX_CELLS, 44, "vertex_cells", hem_vertex_cell, vertex_cells, vertex_cell_count, OPTIONAL, AT_MOST,           \
      info->vertex_count)                                                                                              \
    /* animations of lattices, their keyframes, and the rows of those, key after key */                                \
    X(LATTICE_CLIPS, 45, "lattice_clips", hem_lattice_clip, lattice_clips, lattice_clip_count, OPTIONAL, AT_MOST,      \
      HEM_MAX_LATTICE_CLIPS)                                                                                           \
    X(LATTICE_KEYS, 46, "lattice_keys", hem_lattice_key, lattice_keys, lattice_key_count, OPTIONAL, ANY, 0)            \
    X(LATTICE_KEY_ROWS, 47, "lattice_key_rows", hem_key_row, lattice_key_rows, lattice_key_row_count, OPTIONAL, ANY,   \
      0)                                                                                                               \
    /* rest shape -> where the glTF binds it; none: in the same place, in metres */                                    \
    X(BONE_SPACES, 48, "bone_spaces", hem_matrix34, bone_spaces, bone_space_count, OPTIONAL, ALL_OR_NONE,              \
      info->bone_count)                                                                                                \
    /* what row batches of tetrahedra need to know */                                                                  \
    X(TETRAHEDRA, 49, "tetrahedra", hem_tetrahedron, tetrahedra, tetrahedron_count, OPTIONAL, ANY, 0)                  \
    /* lattices that can tear: what lies between their cells, and what is drawn where they are apart */                \
    X(TEAR_FACES, 50, "tear_faces", hem_tear_face, tear_faces, tear_face_count, OPTIONAL, AT_MOST,                     \
      3 * HEM_MAX_PARTICLES)                                                                                           \
    X(TEAR_POINTS, 51, "tear_points", hem_tear_point, tear_points, tear_point_count, OPTIONAL, ANY, 0)                 \
    /* cells that a point may belong to, point after point */                                                          \
    X(TEAR_CELLS, 52, "tear_cells", uint32_t, tear_cells, tear_cell_count, OPTIONAL, ANY, 0)                           \
    X(TEAR_CAPS, 53, "tear_caps", hem_tear_cap, tear_caps, tear_cap_count, OPTIONAL, ANY, 0)                           \
    X(TEAR_TRIANGLES, 54, "tear_triangles", hem_tear_triangle, tear_triangles, tear_triangle_count, OPTIONAL, ANY, 0)  \
    /* guides of hair that push each other apart where they crowd */                                                   \
    X(HAIR_ROWS, 55, "hair_rows", hem_hair_row, hair_rows, hair_row_count, OPTIONAL, ALL_OR_NONE, info->row_count)     \
    /* a skinned .hemmesh, for the collider of kind HEM_SHAPE_MESH */                                                  \
    X(BODY_MESH, 56, "body_mesh", uint8_t, body_mesh, body_mesh_size, OPTIONAL, ANY, 0)                                \
    /* what shape matching has at rest, when that is not REST_ROWS: soft parts that do not sag */                      \
    X(GROUP_REST_ROWS, 57, "group_rest_rows", hem_rest_row, group_rest_rows, group_rest_row_count, OPTIONAL,           \
      ALL_OR_NONE, info->oriented_row_count)                                                                           \
    /* coarser levels of detail, finest first; each is a file of its own, of particles alone */                        \
    X(LEVELS, 58, "levels", hem_asset_level, levels, level_count, OPTIONAL, AT_MOST, HEM_MAX_LEVELS - 1)               \
    X(LEVEL_BYTES, 59, "level_bytes", uint8_t, level_bytes, level_byte_count, OPTIONAL, ANY, 0)                        \
    /* from the finest level to each of them and back */                                                               \
    X(LEVEL_ROWS, 60, "level_rows", hem_level_row, level_rows, level_row_count, OPTIONAL, ANY, 0)                      \
    /* three per triangle */                                                                                           \
    X(PREVIEW_INDICES, 64, "preview_indices", uint32_t, preview_indices, preview_index_count, OPTIONAL, ANY, 0)        \
    X(PREVIEW_COLORS, 65, "preview_colors", hem_color, preview_colors, preview_color_count, OPTIONAL, ALL_OR_NONE,     \
      info->vertex_count)                                                                                              \
    X(PREVIEW_CLIPS, 66, "preview_clips", hem_clip, clips, clip_count, OPTIONAL, ANY, 0)                               \
    /* per frame, per bone: skinning matrices (bind pose -> posed) */                                                  \
    X(PREVIEW_FRAMES, 67, "preview_frames", hem_matrix34, clip_frames, clip_matrix_count, OPTIONAL, TIMES,             \
      info->bone_count)
// clang-format on

typedef enum hem_section_kind {
    HEM_SECTION_HEADER = 0, // no section: the header and the table, in messages
#define HEM_SECTION_ENUM(name, number, ...) HEM_SECTION_##name = number,
    HEM_SECTIONS(HEM_SECTION_ENUM)
#undef HEM_SECTION_ENUM
} hem_section_kind;

enum {
#define HEM_SECTION_ONE(...) +1
    HEM_SECTION_COUNT = 0 HEM_SECTIONS(HEM_SECTION_ONE)
#undef HEM_SECTION_ONE
};

typedef float hem_plane[4];     // unit normal, offset: dot(n, x) <= offset inside
typedef uint8_t hem_color[4];   // RGBA, sRGB
typedef float hem_matrix34[12]; // rows of 4

typedef struct hem_header {
    uint8_t magic[8];
    uint32_t version;     // HEM_FORMAT_VERSION
    uint32_t header_size; // sizeof(hem_header)
    uint64_t file_size;   // of the whole file
    uint32_t section_count;
    uint32_t flags;           // HEM_FILE_*
    uint8_t content_hash[16]; // XXH3-128 (canonical, big-endian) of every byte after the header
    uint8_t cache_key[16];    // XXH3-128 over compiler version, recipe, options and every input byte
    uint8_t source_hash[16];  // XXH3-128 of the glTF and its buffers
    uint8_t recipe_hash[16];  // XXH3-128 of the recipe text; zero in automatic mode
    char tool[32];            // "hemc 0.1.0", zero padded
    uint8_t reserved[64];     // zero
} hem_header;
HEM_STATIC_ASSERT(sizeof(hem_header) == 192, "header size");

enum { HEM_FILE_PREVIEW = 1 };

typedef struct hem_section {
    uint32_t kind;
    uint32_t element_size;
    uint64_t offset; // from the start of the file, multiple of 64
    uint64_t size;   // element_size * element_count
    uint32_t element_count;
    uint32_t reserved;
} hem_section;
HEM_STATIC_ASSERT(sizeof(hem_section) == 32, "section size");

typedef struct hem_info {
    uint32_t particle_count; // with pads: row_count * 8
    uint32_t row_count;
    uint32_t oriented_row_count;
    uint32_t real_particle_count; // without pads
    uint32_t simulated_count;     // real particles by role
    uint32_t attached_count;
    uint32_t body_count;
    uint32_t part_count;
    uint32_t bone_count;
    uint32_t vertex_count;
    uint32_t mesh_count;
    uint32_t link_count;   // constraints, not lanes
    uint32_t group_count;  // constraints, not lanes
    float lane_fill;       // constraints / lanes over all batches
    float indexed_share;   // share of constraints in indexed batches
    float particle_radius; // largest
    float bounds_min[3];   // rest positions of particles
    float bounds_max[3];
    float spacing;                 // smallest spacing among parts, metres
    uint32_t row_constraint_count; // constraints in row batches
    float unit;                    // metres per unit of the glTF; 0 = 1
    uint32_t reserved[7];
} hem_info;
HEM_STATIC_ASSERT(sizeof(hem_info) == 128, "info size");

typedef enum hem_part_kind {
    HEM_PART_CLOTH = 0, // links; orientation derived from neighbours for skinning
    HEM_PART_SOFT = 1,  // shape-matching groups (and links, if any); simulated orientation
    HEM_PART_BODY = 2,  // animated collision particles only
} hem_part_kind;

// Of a lattice: its particles stand around what is drawn. Those without HEM_PARTICLE_COLLIDES lie outside of it and meet
// colliders only when they are deeper in them than their radius: that is where what is drawn begins.
#define HEM_PART_SUNK 1u

typedef enum hem_animation_mode { HEM_ANIMATE_DIRECT = 0, HEM_ANIMATE_MOMENTUM = 1 } hem_animation_mode;
// Follow: chains by follow the leader, the cheapest; everything else as with XPBD.
typedef enum hem_solver {
    HEM_SOLVER_XPBD = 0,
    HEM_SOLVER_PBD = 1,
    HEM_SOLVER_JACOBI = 2,
    HEM_SOLVER_FOLLOW = 3
} hem_solver;

// What a part is. What may be tuned while the game runs is in hem_tuning.
typedef struct hem_part {
    uint32_t name_offset; // into STRINGS
    uint32_t kind;        // hem_part_kind
    uint32_t animation;   // hem_animation_mode
    uint32_t flags;       // HEM_PART_*, of lattices
    uint32_t row_begin, row_count;
    uint32_t range_begin, range_count; // RANGES: its constraints
    uint32_t collision_group;          // one bit of 32
    uint32_t collision_mask;           // groups it collides with; its own bit = self-collision
    uint32_t level_count;              // of the generator, for people
    float spacing;                     // metres
    uint32_t outside_of[2];            // bit o % 32 of o / 32: it lies outside part o; not both ways
    float fullness;                    // of strands: Hz of two guides that are pushed together; 0 = they do not push
    float fullness_reach;              // metres: how far a particle feels other guides; 0 without
    uint32_t reserved[16];
} hem_part;
HEM_STATIC_ASSERT(sizeof(hem_part) == 128, "part size");

// Batches [begin, begin + count) of the section of their kind are those of a part. The part is that of particle a, where
// a constraint joins two parts.
typedef struct hem_range {
    uint32_t part;
    uint32_t kind; // hem_batch_kind
    uint32_t begin, count;
} hem_range;
HEM_STATIC_ASSERT(sizeof(hem_range) == 16, "range size");

// The batches of a kind that are a part's; count 0 where there are none. A part has a few ranges: what runs every substep
// walks them in their order instead of asking.
static inline hem_range hem_range_of(const hem_range* ranges, const hem_part* part, hem_batch_kind kind) {
    for (uint32_t i = part->range_begin; i < part->range_begin + part->range_count; ++i) {
        if (ranges[i].kind == (uint32_t)kind) {
            return ranges[i];
        }
    }
    const hem_range none = {0, (uint32_t)kind, 0, 0};
    return none;
}

// All of it may be changed while running. Compliance: metres per newton (XPBD); 0 is rigid.
typedef struct hem_tuning {
    float compliance[8];       // by hem_link_kind; m/N
    float link_damping[8];     // by hem_link_kind; N s/m, 0 = none
    float stiffness[8];        // by hem_link_kind; 0..1 per iteration, for the PBD and Jacobi solvers
    float shape_compliance;    // of shape-matching groups; m/N
    float shape_stiffness;     // 0..1 per iteration, for the PBD solver
    float tether_allowance;    // 0.05 = tethers act beyond 105 % of their rest length
    float gravity_scale;       // 1
    float damping;             // 1/s, of velocities towards the character's frame
    float angular_damping;     // 1/s
    float drag;                // aerodynamic, along the normal; kg/(m^2 s), times particle area
    float lift;                // the same, tangential
    float friction;            // 0..1, against colliders and particles
    float restitution;         // 0..1
    float collision_thickness; // metres added to contacts of this part
    float self_thickness;      // metres: distance kept between particles of parts that self-collide
    float max_speed;           // m/s, relative to the character's frame
    float linear_inertia;      // 0..1: how much of the frame's linear motion the particles feel
    float angular_inertia;     // 0..1
    float sleep_speed;         // m/s; below it for half a second, and with a still pose, an instance sleeps
    uint32_t solver;           // hem_solver
    uint32_t iterations;       // per substep, 1..32
    float contact_radius;      // metres: particles of different parts keep the sum of theirs; of cloth parts
    float drive;               // Hz of the spring to the animated pose, alike for any mass; 0 = none
    float drive_damping;       // of its critical damping; 1 = comes back without swinging over
    uint32_t tracking;         // 1: the rest shape of groups and rods is the animated shape of the moment
    float rod_stiffness;       // times bending and twist of its rods; parts without: 0
    float fabric_warp;         // of triangles: 1 / stiffness of the stuff, m/N; 0 = as stiff as a pass can be
    float fabric_weft;         // the same across
    float fabric_shear;        // the same for shear in the plane
    float fabric_area;         // N/m against a change of area; 0 = none
    float fabric_bend;         // of bends and dihedrals: 1 / bending rigidity, 1/(N m)
    float fabric_damping;      // seconds: internal friction of bending; rigidity times this is the damper
    float
        strain_limit; // triangles stretch no further than this, 0.1 = 10 %; lattices with a reserve tear there; 0 = no limit
    float compress_limit;  // the same for how short they become; 0 = no limit
    float buckle_angle;    // radians that a dihedral is off its rest angle when it becomes softer; 0 = never
                           // (of lattices with a reserve: cells part that are turned so far against each other)
    float buckle_share;    // 0..1: what is left of its stiffness from there on
    float region_alpha;    // of lattices: 0..1, share of the way to its shape in 1/60 s; 1 = as stiff as can be
    float region_damping;  // 1/s: how fast motion dies away that is not that of a region as a whole
    uint32_t region_width; // 1..HEM_MAX_REGION_WIDTH: half-width of regions in cells; parts that are no lattice: 0
    float inner_damping;   // 1/s: of what is not motion of the part as a whole, which neither falls nor turns slower
    float solid_young;     // of tetrahedra: Young's modulus, Pa; parts without: 0
    float solid_poisson;   // 0..0.49: how much it keeps its volume
    float stretch_limit;   // no warp or weft of cloth ends a step longer than this, 0.1 = 10 %; 0 = no limit
} hem_tuning;
HEM_STATIC_ASSERT(sizeof(hem_tuning) == 256, "tuning size");

typedef struct hem_bone {
    uint32_t name_offset;
    int32_t parent;         // index below this bone's own, or HEM_NONE
    float inverse_bind[12]; // 3x4, rows of 4
    float hang;    // towards gravity for one towards its rest: how far it hangs of itself; 0 = where the pose has it
    uint32_t tail; // of what hangs: the bone that it points to at rest, or its parent, which it points away from
} hem_bone;
HEM_STATIC_ASSERT(sizeof(hem_bone) == 64, "bone size");

typedef struct hem_rest_row {
    float x[8], y[8], z[8];
    float mass[8]; // kg, also of animated particles (shape matching needs it); pads 0
} hem_rest_row;
HEM_STATIC_ASSERT(sizeof(hem_rest_row) == 128, "rest row size");

typedef struct hem_shape_row {
    float qx[8], qy[8], qz[8], qw[8]; // rest orientation, unit; column 0 of its matrix is the outward axis
    float a[8], b[8], c[8];           // ellipsoid radii, metres, a along the outward axis; pads: those of a real lane
    float inverse_mass[8];            // 1/kg; 0 = animated or pad
} hem_shape_row;
HEM_STATIC_ASSERT(sizeof(hem_shape_row) == 256, "shape row size");

typedef struct hem_area_row {
    float area[8]; // m2 of the surface that a particle stands for, of one layer of cloth; pads 0
} hem_area_row;
HEM_STATIC_ASSERT(sizeof(hem_area_row) == 32, "area row size");

// Painted: what each particle has of its part's tuning, 0 to 1. Pads: as a real lane.
typedef struct hem_map_row {
    float friction[8];
    float drag[8];    // of drag and lift
    float damping[8]; // of damping and angular_damping
    float contact[8]; // of contact_radius and self_thickness
} hem_map_row;
HEM_STATIC_ASSERT(sizeof(hem_map_row) == 128, "map row size");

// Of parts with fullness: how crowded a particle is by other guides, the sum of (1 - r^2 / reach^2)^2 over all of their particles
// within the reach.
typedef struct hem_hair_row {
    float guide[8];   // a whole number; -1 = of no guide
    float uncrowd[8]; // 1 / how crowded it may be before it pushes; 0 = of no guide
} hem_hair_row;
HEM_STATIC_ASSERT(sizeof(hem_hair_row) == 64, "hair row size");

// A coarser level of detail: a file of this format, version 2, that lies in LEVEL_BYTES from a multiple of 64 on. It has the
// bones, parts and colliders of the whole, in their order, fewer particles, and no vertices: it moves the particles of the
// finest level, and those move the vertices.
typedef struct hem_asset_level {
    uint32_t byte_begin, byte_count;
    uint32_t down_begin; // LEVEL_ROWS, one per row of the level: from which particles of the finest level it begins
    uint32_t up_begin;   // one per row of the finest level: which particles of the level move it
    uint32_t reserved[4];
} hem_asset_level;
HEM_STATIC_ASSERT(sizeof(hem_asset_level) == 32, "asset level size");

// Eight particles of one level by up to four of another each: each goes as if it were fixed to all of them.
typedef struct hem_level_row {
    uint16_t particle[4][8]; // of the same part, no pads
    uint16_t weight[4][8];   // n / 65535, sum over the four = 65535; pads: those of a particle of their row
} hem_level_row;
HEM_STATIC_ASSERT(sizeof(hem_level_row) == 128, "level row size");

typedef struct hem_bind_row {
    uint16_t bone[4][8];
    float weight[4][8]; // sum over the four = 1; pads: bone 0 weight 1
} hem_bind_row;
HEM_STATIC_ASSERT(sizeof(hem_bind_row) == 192, "bind row size");

// Per particle flags.
#define HEM_PARTICLE_PAD 1u
#define HEM_PARTICLE_ANIMATED 2u   // follows the pose (attached or body)
#define HEM_PARTICLE_BODY 4u       // animated, collision only, no constraint refers to it
#define HEM_PARTICLE_SURFACE 8u    // collides as the tangent sphere of section 5.2
#define HEM_PARTICLE_COLLIDES 16u  // takes part in particle collisions
#define HEM_PARTICLE_SPARE 32u     // a pad that becomes a copy of a particle of its lattice when that tears
#define HEM_PARTICLE_PART_SHIFT 24 // part index in the top byte

typedef struct hem_anim_row {
    uint32_t row;
    uint32_t animated_mask; // bit i: lane i is overwritten with its target
    uint32_t target_mask;   // bit i: lane i needs its target (animated, motion limits, or driven); superset
    uint32_t reserved;
} hem_anim_row;
HEM_STATIC_ASSERT(sizeof(hem_anim_row) == 16, "anim row size");

typedef struct hem_limit_row {
    uint32_t row;
    uint32_t anim_row; // index of this row in ANIM_ROWS
    uint32_t reserved[14];
    float max_distance[8];      // metres from the animated position; negative = no limit
    float backstop_distance[8]; // metres from the animated position back along the outward axis to the sphere's top
    float backstop_radius[8];   // metres; negative = no backstop
    float reserved2[8];
} hem_limit_row;
HEM_STATIC_ASSERT(sizeof(hem_limit_row) == 192, "limit row size");

// Row `row` of a part that is driven to the pose, and where its targets are. A part has one for each of its rows.
typedef struct hem_drive_row {
    uint32_t row;
    uint32_t anim_row; // index of this row in ANIM_ROWS
    uint32_t reserved[6];
    float share[8]; // painted: 1 = hem_tuning.drive, 0.5 = half of that frequency; 0 where nothing can move
} hem_drive_row;
HEM_STATIC_ASSERT(sizeof(hem_drive_row) == 64, "drive row size");

// Eight links: lane i joins particle (row_a, i) to particle (row_b, (i + rotate) & 7). One cache line.
// Lanes are independent: no particle stands twice in one batch.
typedef struct hem_link_batch {
    uint32_t row_a, row_b;
    uint8_t rotate; // 0..7
    uint8_t kind;   // hem_link_kind
    uint8_t part;
    uint8_t lane_mask; // bit i: lane i holds a link
    uint32_t run;      // batches from this one to the end of its run, see hem_may_follow; 0 = in no run
    float rest[8];     // metres; lanes without a link: negative
    uint8_t scale[8];  // painted stiffness, 255 = 1; compliance is divided by its square. 255 when not painted
    uint8_t reserved2[8];
} hem_link_batch;
HEM_STATIC_ASSERT(sizeof(hem_link_batch) == 64, "link batch size");

typedef struct hem_index_batch {
    uint16_t a[8],
        b[8]; // particles; lanes without a link: both name a pad or a particle used by no other lane, rest < 0
    float rest[8];
    uint8_t scale[8];
    uint8_t kind, part, lane_mask, reserved;
    uint32_t reserved2[5];
    uint32_t reserved3[8];
} hem_index_batch;
HEM_STATIC_ASSERT(sizeof(hem_index_batch) == 128, "index batch size");

// Eight shape-matching groups: lane i's group belongs to particle (own_row, i) or, indexed, to own[i]. Its members are
// the particle itself and, for each member record, one neighbour per lane. Lanes are independent over all members.
typedef struct hem_group_batch {
    uint32_t own_row;      // row batches; HEM_NONE as uint32 in indexed batches
    uint32_t member_begin; // GROUP_MEMBERS, or GROUP_INDICES in indexed batches
    uint16_t member_count; // records, without the particle itself
    uint8_t part;
    uint8_t lane_mask; // lanes that hold a group
    uint32_t reserved;
    uint16_t own[8];     // the particles; in row batches own_row * 8 + lane
    float center[3][8];  // rest centroid of the group minus the rest position of its own particle
    float total_mass[8]; // kg, > 0 also in lanes without a group
    uint32_t reserved2[8];
} hem_group_batch;
HEM_STATIC_ASSERT(sizeof(hem_group_batch) == 192, "group batch size");

typedef struct hem_group_member { // lane i: particle (row, (i + rotate) & 7)
    uint32_t row;
    uint8_t rotate;
    uint8_t lane_mask; // lanes for which this member exists
    uint16_t reserved;
} hem_group_member;
HEM_STATIC_ASSERT(sizeof(hem_group_member) == 8, "group member size");

typedef struct hem_group_index { // lane i: particle index[i]
    uint16_t index[8];
    uint8_t lane_mask;
    uint8_t reserved[15];
} hem_group_index;
HEM_STATIC_ASSERT(sizeof(hem_group_index) == 32, "group index size");

// Eight constraints of one kind, of two to four particles each, or eight whole strands. What the kind needs to know of each
// lies in its own section, lane by lane: element `payload`, of strands one element a record from there on.
// Lanes are independent: no particle stands in two of them.
typedef enum hem_row_form {
    HEM_FORM_ROWS = 0,    // lane i's particle k is (rows[k], (i + rotates[k]) & 7); rotates[0] is 0; rows differ
    HEM_FORM_INDICES = 1, // it is ROW_INDICES[member_begin + k].index[i]; lanes without one name any particle
    HEM_FORM_STRANDS =
        2, // as rows, for k < member_count, by ROW_MEMBERS[member_begin + k] and where its mask has bit i
} hem_row_form;

#define HEM_MAX_ARITY 4

typedef struct hem_row_batch {
    uint16_t rows[HEM_MAX_ARITY]; // those past the arity are 0, as are all of other forms
    uint8_t rotates[HEM_MAX_ARITY];
    uint8_t kind; // hem_kind
    uint8_t part;
    uint8_t lane_mask; // bit i: lane i holds a constraint
    uint8_t form;      // hem_row_form
    uint32_t member_begin;
    uint16_t member_count; // particles of a constraint; of strands, those of the longest
    uint16_t reserved;
    uint32_t payload;
    uint32_t reserved2;
} hem_row_batch;
HEM_STATIC_ASSERT(sizeof(hem_row_batch) == 32, "row batch size");

// Eight damped springs.
typedef struct hem_spring {
    float rest[8];       // metres; lanes without a spring: -1
    float compliance[8]; // m/N, HEM_MIN_SPRING_COMPLIANCE at least: 1 / stiffness; lanes without a spring: 1
    float damping[8];    // N s/m
} hem_spring;
HEM_STATIC_ASSERT(sizeof(hem_spring) == 96, "spring size");

// Member k of eight rods: its frame, the segment to member k + 1 and the joint between the two frames. Of last members and lanes
// without one all is 0 but the inertia.
typedef struct hem_rod {
    float edge[3][8]; // metres, character space at rest: to the next particle, less what its weight stretches
    float turn[3]
              [8]; // of the next frame against this one at rest, both counted from the modelled shape: half of a unit
                   // quaternion, its vector part; 0 = as modelled, else what carries the weight
    float stretch[8]; // N/m
    float bend[8];    // N m / rad, across
    float twist[8];   // along
    float inertia[8]; // kg m^2; lanes without one: 1
} hem_rod;
HEM_STATIC_ASSERT(sizeof(hem_rod) == 320, "rod size");

typedef struct hem_chain {
    float rest[8]; // metres to member k + 1; 0 where there is none
} hem_chain;
HEM_STATIC_ASSERT(sizeof(hem_chain) == 32, "chain size");

// Eight triangles of cloth, in the material's own plane: p1 and p2 are its sides from particle 0 to 1 and to 2, and
//
//     f1 = q[0] p1 + q[1] p2   along warp,   f2 = q[2] p1 + q[3] p2   along weft
//
// the columns of the deformation gradient; at rest they are unit vectors at a right angle.
typedef struct hem_triangle {
    float q[4][8];         // 1/m; lanes without a triangle: 0
    float inverse_area[8]; // 1/m^2, divided by the square of the painted stiffness; lanes without a triangle: 1
} hem_triangle;
HEM_STATIC_ASSERT(sizeof(hem_triangle) == 160, "triangle size");

// Eight edges that bend, flat at rest: particles 0 and 1 are the edge, 2 and 3 the far corners of its two triangles.
// sum of c[k] x[k] is a vector as long as the angle, for small ones.
typedef struct hem_bend {
    float c[4][8];       // 1/m, sum 0; lanes without one: 0
    float compliance[8]; // times hem_tuning.fabric_bend: width over length of the edge's strip, 1/(N m) to 1/(N m)
} hem_bend;
HEM_STATIC_ASSERT(sizeof(hem_bend) == 160, "bend size");

// The same with an angle of their own at rest, and as a true angle.
typedef struct hem_dihedral {
    float cosine[8], sine[8]; // of the rest angle, 0 = flat; lanes without one: 1 and 0
    float compliance[8];      // as in hem_bend
} hem_dihedral;
HEM_STATIC_ASSERT(sizeof(hem_dihedral) == 96, "dihedral size");

// Eight tetrahedra. With d(k) = x(k) - x(0), k = 1 to 3, as columns, D q is the deformation gradient F; q is the inverse of D at
// rest.
typedef struct hem_tetrahedron {
    float q[9][8];   // 1/m, row after row; lanes without one: 0
    float volume[8]; // m^3 at rest; lanes without one: 0
} hem_tetrahedron;
HEM_STATIC_ASSERT(sizeof(hem_tetrahedron) == 320, "tetrahedron size");

// A lattice: a grid of cells around a mesh, with particles on their corners, shared. Its particles are all that the part
// has; index (i, j, k) lies at origin + (i, j, k) * spacing.
//
// A bar is a row of particles along an axis of which each is joined to the next by an edge of a cell; a particle without
// such a neighbour is a bar of its own. Per axis every particle stands in exactly one bar. The region of a particle: all
// that is reached by at most w steps along its z-bar, from each of those w along y, from each of those w along x.
typedef struct hem_lattice {
    uint32_t part;
    uint32_t particle_count;
    uint32_t cell_begin, cell_count;
    uint32_t bar_begin[3], bar_count[3]; // LATTICE_BARS, by axis
    uint32_t size[3];                    // particles along each axis
    float origin[3], spacing[3];         // metres
    uint32_t spare_begin, spare_count;   // particles in reserve, whole rows at the end of the part; 0 = it cannot tear
    uint32_t face_begin, face_count;     // TEAR_FACES: every pair of cells with a face in common
    uint32_t torn_vertices;              // that there is room for
    uint32_t reserved[8];
} hem_lattice;
HEM_STATIC_ASSERT(sizeof(hem_lattice) == 128, "lattice size");

typedef struct hem_lattice_cell {
    uint16_t index[3]; // of its lowest corner
    uint16_t lattice;
    uint16_t corner[8]; // particles; bit 0 of the number: one further along x, bit 1: y, bit 2: z
    uint32_t reserved[2];
} hem_lattice_cell;
HEM_STATIC_ASSERT(sizeof(hem_lattice_cell) == 32, "lattice cell size");

typedef struct hem_lattice_bar {
    uint32_t first, count; // LATTICE_ORDER
} hem_lattice_bar;
HEM_STATIC_ASSERT(sizeof(hem_lattice_bar) == 8, "lattice bar size");

// A vertex of a lattice: the weight of corner c is the product of (bit of c set ? at : 1 - at) over the three axes. Its
// hem_vertex_bind has the four largest of the eight, for a game that skins by matrices.
typedef struct hem_vertex_cell {
    uint32_t vertex, cell;
    float at[3]; // in the cell, 0..1; a little outside is possible
    uint32_t reserved[3];
} hem_vertex_cell;
HEM_STATIC_ASSERT(sizeof(hem_vertex_cell) == 32, "vertex cell size");

// What lies between two cells of a lattice that can tear. While all four corners of the face are shared it is closed. Once
// some are not, the two sides are apart there, and its closing surface is drawn twice: once for either cell.
typedef struct hem_tear_face {
    uint32_t cell[2];              // the second one lies one further along the axis
    uint16_t axis;                 // 0..2
    uint16_t strength;             // n / 65535 of the part's tolerances; painted
    uint32_t cap_begin, cap_count; // TEAR_CAPS: its closing surface, as seen from the first cell
    uint32_t vertex_count;         // torn vertices that it takes at most when it is open
    uint32_t reserved[2];
} hem_tear_face;
HEM_STATIC_ASSERT(sizeof(hem_tear_face) == 32, "tear face size");

// A place where what is drawn may come apart: a vertex of the mesh around which triangles are of several cells, a corner
// of cells inside the mesh, the middle of a closing surface. Those of its cells that closed faces join move it together.
typedef struct hem_tear_point {
    float at[3];                     // in cells, from the lattice's origin
    uint32_t vertex;                 // a vertex at this place, whose bones it has; HEM_TEAR_NONE = none
    uint32_t cell_begin, cell_count; // TEAR_CELLS, at most HEM_MAX_TEAR_CELLS
    uint32_t reserved[2];
} hem_tear_point;
HEM_STATIC_ASSERT(sizeof(hem_tear_point) == 32, "tear point size");

#define HEM_TEAR_NONE 0xffffffffu
#define HEM_MAX_TEAR_CELLS 64

typedef struct hem_tear_cap {
    uint32_t point[3]; // TEAR_POINTS
    uint32_t reserved;
} hem_tear_cap;
HEM_STATIC_ASSERT(sizeof(hem_tear_cap) == 16, "tear cap size");

// A triangle of the mesh, in the order of MESHES and of their primitives. It stays whole and goes with its cell.
typedef struct hem_tear_triangle {
    uint32_t vertex[3];
    uint32_t point[3]; // of each vertex; HEM_TEAR_NONE = it never comes apart
    uint32_t cell;
    uint32_t mesh, triangle; // of the source primitive
    uint32_t reserved;
} hem_tear_triangle;
HEM_STATIC_ASSERT(sizeof(hem_tear_triangle) == 40, "tear triangle size");

// Eight edges of a part's cloth. Those of its triangulation (`face`: the weave, each cell halved by one diagonal) and the
// other diagonals that are links. Where a mesh comes through the cloth between two particles, the link that the edge is
// goes around it (runtime/src/kernels/wraps.inl). The wings are the third corners of the triangles on
// both sides: a, b, wing 0 and b, a, wing 1 face the same way.
typedef struct hem_virtual_edges {
    uint16_t a[8], b[8]; // particles; lanes without an edge: 0
    uint16_t wing[2][8]; // the same; a border has HEM_VIRTUAL_NO_WING for its second
    uint32_t link[8]; // 8 * LINK_BATCHES + lane, or HEM_VIRTUAL_INDEXED and the same of INDEX_BATCHES, of the same two
                      // particles, warp, weft or shear; HEM_VIRTUAL_NO_LINK = an edge of the triangulation alone
    uint8_t part;
    uint8_t lane_mask; // lanes that hold an edge
    uint8_t face_mask; // of those, edges of the triangulation
    uint8_t flags;     // HEM_VIRTUAL_FACES, the same in all of a part
    uint32_t reserved[7];
} hem_virtual_edges;
HEM_STATIC_ASSERT(sizeof(hem_virtual_edges) == 128, "virtual edges size");

#define HEM_VIRTUAL_FACES 1u // also the faces between them are refined, for display
#define HEM_VIRTUAL_NO_WING 0xffffu
#define HEM_VIRTUAL_INDEXED 0x80000000u
#define HEM_VIRTUAL_NO_LINK 0xffffffffu

// An animation of a lattice. Its part has DRIVE_ROWS: they say which targets the keyframes stand in for.
typedef struct hem_lattice_clip {
    uint32_t name_offset;
    uint32_t lattice;
    uint32_t key_begin, key_count; // LATTICE_KEYS, at least one
    uint32_t flags;                // HEM_LATTICE_CLIP_*
    uint32_t reserved[11];
} hem_lattice_clip;
HEM_STATIC_ASSERT(sizeof(hem_lattice_clip) == 64, "lattice clip size");

#define HEM_LATTICE_CLIP_INTERPOLATES 1u // else targets change at keyframes only
#define HEM_LATTICE_CLIP_LOOPS 2u        // where the game does not say otherwise

typedef struct hem_lattice_key {
    float seconds;      // of the clip, above those of the key before; the clip ends with its last
    uint32_t row_begin; // LATTICE_KEY_ROWS: as many as the lattice's part has rows
} hem_lattice_key;
HEM_STATIC_ASSERT(sizeof(hem_lattice_key) == 8, "lattice key size");

typedef struct hem_key_row {
    float x[8], y[8], z[8];           // metres, character space
    float qx[8], qy[8], qz[8], qw[8]; // how the lattice is turned there, against its rest shape; unit
} hem_key_row;
HEM_STATIC_ASSERT(sizeof(hem_key_row) == 224, "key row size");

// How a particle without orientation gets one for skinning: from the differences u1 - u0 and v1 - v0 of neighbours.
// The rest frame q (built from the same differences at rest) makes the rotation rest -> now.
typedef struct hem_frame_row {
    uint16_t u0[8], u1[8], v0[8], v1[8]; // particles; a missing neighbour is the particle itself
    float qx[8], qy[8], qz[8], qw[8];    // rest frame: x = normalised u, z = u cross v normalised, y = z cross x
} hem_frame_row;
HEM_STATIC_ASSERT(sizeof(hem_frame_row) == 192, "frame row size");

typedef enum hem_shape_kind {
    HEM_SHAPE_PLANE = 0,   // normal = +y of the transform, through its origin
    HEM_SHAPE_SPHERE = 1,  // size[0] radius
    HEM_SHAPE_CAPSULE = 2, // along y, size[0] radius at -size[2], size[1] radius at +size[2]
    HEM_SHAPE_BOX = 3,     // half extents, size[3] rounding radius
    HEM_SHAPE_HULL = 4,    // planes
    HEM_SHAPE_MESH = 5,    // BODY_MESH, in character space; at most one
} hem_shape_kind;

typedef struct hem_asset_collider {
    uint32_t name_offset;
    uint32_t kind;            // hem_shape_kind
    int32_t bone;             // HEM_NONE = character space
    uint32_t collision_group; // bits of the parts it acts on, at least one
    float rotation[4];        // in bind pose, character space
    float position[3];
    float friction;
    float size[4];
    uint32_t plane_begin, plane_count; // HULL_PLANES
    uint32_t reserved[2];
} hem_asset_collider;
HEM_STATIC_ASSERT(sizeof(hem_asset_collider) == 80, "collider size");

typedef struct hem_mesh {
    uint32_t name_offset;                // "node/mesh/primitive"
    uint32_t vertex_begin, vertex_count; // in the order of the source primitive
    uint32_t index_begin, index_count;   // PREVIEW_INDICES; indices are into the whole vertex array
    uint32_t source_node, source_mesh, source_primitive;
    uint32_t flags; // HEM_MESH_DYNAMIC: some vertex has blend > 0
    uint32_t reserved[7];
} hem_mesh;
HEM_STATIC_ASSERT(sizeof(hem_mesh) == 64, "mesh size");

enum { HEM_MESH_DYNAMIC = 1 };

typedef struct hem_vertex_rest {
    float position[3]; // bind pose, character space, metres
    float normal[3];
    float tangent[4]; // w = handedness, 0 0 0 0 = none
} hem_vertex_rest;
HEM_STATIC_ASSERT(sizeof(hem_vertex_rest) == 40, "vertex rest size");

// Weights are n / 65535 and each set of four sums to exactly 65535. A vertex with blend 0 has particle weights
// (65535, 0, 0, 0) on particle 0.
typedef struct hem_vertex_bind {
    uint16_t particle[4], particle_weight[4];
    uint16_t bone[4], bone_weight[4];
    uint16_t blend; // 0 = skeleton, 65535 = particles
    uint16_t reserved;
} hem_vertex_bind;
HEM_STATIC_ASSERT(sizeof(hem_vertex_bind) == 36, "vertex bind size");

typedef enum hem_vertex_block {
    HEM_BLOCK_BONES = 0,     // all eight have blend 0
    HEM_BLOCK_PARTICLES = 1, // all eight have blend 65535
    HEM_BLOCK_MIXED = 2,
    HEM_BLOCK_CELLS = 3, // all eight are in VERTEX_CELLS
} hem_vertex_block;

typedef struct hem_clip {
    uint32_t name_offset;
    uint32_t frame_begin; // in frames of bone_count matrices
    uint32_t frame_count; // >= 1; a looping clip repeats its first frame at the end
    float hz;             // frames per second
    uint32_t flags;       // HEM_CLIP_LOOPS
    uint32_t reserved[3];
} hem_clip;
HEM_STATIC_ASSERT(sizeof(hem_clip) == 32, "clip size");

enum { HEM_CLIP_LOOPS = 1 };

#ifdef __cplusplus
}
#endif
#endif
