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
#define HEM_FORMAT_VERSION 1u

// "\x89HEM\r\n\x1a\n": a text-mode transfer or a 7-bit one breaks it visibly.
#define HEM_MAGIC "\x89HEM\r\n\x1a\n"

// Hard limits of the format. The validator refuses more, so that every product of a count and a size fits 32 bits.
#define HEM_MAX_PARTICLES 65528 // 8191 rows: a particle index fits 16 bits
#define HEM_MAX_BONES 4096
#define HEM_MAX_PARTS 64
#define HEM_MAX_VERTICES 4194304
#define HEM_MAX_COLLIDERS 256
#define HEM_MAX_GROUP_MEMBERS 32

typedef enum hem_section_kind {
    HEM_SECTION_INFO = 1,             // hem_info, exactly one
    HEM_SECTION_STRINGS = 2,          // UTF-8, each string ends with a zero byte; offset 0 is the empty string
    HEM_SECTION_PARTS = 3,            // hem_part
    HEM_SECTION_TUNING = 4,           // hem_tuning, one per part; may be swapped alone
    HEM_SECTION_BONES = 5,            // hem_bone
    HEM_SECTION_REST_ROWS = 6,        // hem_rest_row, one per row
    HEM_SECTION_SHAPE_ROWS = 7,       // hem_shape_row, one per row
    HEM_SECTION_BIND_ROWS = 8,        // hem_bind_row, one per row (particle to bone, eq. 3 of the paper)
    HEM_SECTION_PARTICLE_FLAGS = 9,   // uint32_t, one per particle
    HEM_SECTION_ANIM_ROWS = 10,       // hem_anim_row: rows of which some lane needs its animated target, ascending
    HEM_SECTION_LIMIT_ROWS = 11,      // hem_limit_row: painted maximum distance and backstop
    HEM_SECTION_LINK_BATCHES = 12,    // hem_link_batch: row to row
    HEM_SECTION_INDEX_BATCHES = 13,   // hem_index_batch: the fallback, sixteen indices
    HEM_SECTION_GROUP_BATCHES = 14,   // hem_group_batch: shape matching
    HEM_SECTION_GROUP_MEMBERS = 15,   // hem_group_member (row batches) of all group batches
    HEM_SECTION_GROUP_INDICES = 16,   // hem_group_index (indexed group batches)
    HEM_SECTION_FRAME_ROWS = 17,      // hem_frame_row, one per row without orientation: rows oriented_row_count.. end
    HEM_SECTION_IGNORE_STARTS = 18,   // uint32_t[particle_count + 1] into IGNORE_LIST
    HEM_SECTION_IGNORE_LIST = 19,     // uint16_t particle indices, ascending per particle, symmetric, never itself
    HEM_SECTION_COLLIDERS = 20,       // hem_asset_collider, in bone space
    HEM_SECTION_HULL_PLANES = 21,     // float[4] (unit normal, offset): dot(n, x) <= offset inside
    HEM_SECTION_MESHES = 22,          // hem_mesh: one per visual primitive
    HEM_SECTION_VERTEX_REST = 23,     // hem_vertex_rest
    HEM_SECTION_VERTEX_BIND = 24,     // hem_vertex_bind
    HEM_SECTION_VERTEX_BLOCKS = 25,   // uint8_t hem_vertex_block, one per eight vertices (of the whole array)
    HEM_SECTION_PREVIEW_INDICES = 32, // uint32_t, three per triangle          (preview: left out by --ship)
    HEM_SECTION_PREVIEW_COLORS = 33,  // uint8_t[4] RGBA per vertex, sRGB
    HEM_SECTION_PREVIEW_CLIPS = 34,   // hem_clip
    HEM_SECTION_PREVIEW_FRAMES = 35,  // float[12] per bone per frame: skinning matrices (bind pose -> posed), rows of 4
} hem_section_kind;

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
    float spacing; // smallest spacing among parts, metres
    uint32_t reserved[9];
} hem_info;
HEM_STATIC_ASSERT(sizeof(hem_info) == 128, "info size");

typedef enum hem_part_kind {
    HEM_PART_CLOTH = 0, // links; orientation derived from neighbours for skinning
    HEM_PART_SOFT = 1,  // shape-matching groups (and links, if any); simulated orientation
    HEM_PART_BODY = 2,  // animated collision particles only
} hem_part_kind;

typedef enum hem_animation_mode { HEM_ANIMATE_DIRECT = 0, HEM_ANIMATE_MOMENTUM = 1 } hem_animation_mode;
typedef enum hem_solver { HEM_SOLVER_XPBD = 0, HEM_SOLVER_PBD = 1, HEM_SOLVER_JACOBI = 2 } hem_solver;

// What a part is. What may be tuned while the game runs is in hem_tuning.
typedef struct hem_part {
    uint32_t name_offset; // into STRINGS
    uint32_t kind;        // hem_part_kind
    uint32_t animation;   // hem_animation_mode
    uint32_t flags;       // reserved, zero
    uint32_t row_begin, row_count;
    uint32_t link_begin, link_count;   // LINK_BATCHES, those whose particle a is of this part
    uint32_t index_begin, index_count; // INDEX_BATCHES
    uint32_t group_begin, group_count; // GROUP_BATCHES
    uint32_t collision_group;          // one bit of 32
    uint32_t collision_mask;           // groups it collides with; its own bit = self-collision
    uint32_t level_count;              // of the generator, for people
    float spacing;                     // metres
} hem_part;
HEM_STATIC_ASSERT(sizeof(hem_part) == 64, "part size");

typedef enum hem_link_kind {
    HEM_LINK_WARP = 0,   // along the part's axis (between levels)
    HEM_LINK_WEFT = 1,   // across (along a level)
    HEM_LINK_SHEAR = 2,  // diagonals
    HEM_LINK_BEND = 3,   // two rings
    HEM_LINK_TETHER = 4, // long range attachment: pulls only, a is simulated, b is its animated anchor
    HEM_LINK_STITCH = 5, // between parts
    HEM_LINK_KIND_COUNT = 6
} hem_link_kind;

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
    uint32_t reserved[6];
} hem_tuning;
HEM_STATIC_ASSERT(sizeof(hem_tuning) == 192, "tuning size");

typedef struct hem_bone {
    uint32_t name_offset;
    int32_t parent;         // index below this bone's own, or HEM_NONE
    float inverse_bind[12]; // 3x4, rows of 4
    uint32_t reserved[2];
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
#define HEM_PARTICLE_PART_SHIFT 24 // part index in the top byte

typedef struct hem_anim_row {
    uint32_t row;
    uint32_t animated_mask; // bit i: lane i is overwritten with its target
    uint32_t target_mask;   // bit i: lane i needs its target (animated, or motion limits); superset
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
    HEM_BLOCK_MIXED = 2
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
