// SPDX-License-Identifier: MIT
#ifndef HEMC_INTERNAL_H
#define HEMC_INTERNAL_H

// What the compiler's stages hand to each other: plain arrays, one struct per border, one function per stage.
//
//   import -> recipe -> select -> [ generate -> fit -> roles ] per part -> body -> maps -> graph -> lanes -> pack
//
// Everything is in character space: metres, bind pose, Y up as in the glTF's scene space, node transforms applied.
// Memory comes from one arena per compile and is never freed singly.

#include "compiler/hemc.h"
#include "formats/hem_format.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- Memory and diagnostics (support.c)

typedef struct hemc_arena hemc_arena; // growable blocks; zeroed memory; fails by HEMC_MEMORY

hemc_arena* hemc_arena_create(void);
void hemc_arena_destroy(hemc_arena* arena);
// Zeroed, 64-byte aligned, never NULL: out of memory (or count * size overflowing, or the fail-at-N test hook) longjmps
// to the compile's error exit set with hemc_arena_guard. Tests without a guard abort.
void* hemc_alloc(hemc_arena* arena, size_t count, size_t size);
// Array growth: returns a block of at least `needed` items holding the old contents.
void* hemc_grow(hemc_arena* arena, void* items, size_t* capacity, size_t needed, size_t size);
char* hemc_format(hemc_arena* arena, const char* format,
                  ...); // printf into the arena, locale independent for %g-free use
char* hemc_copy_string(hemc_arena* arena, const char* text, size_t length);
// `if (setjmp(*hemc_arena_guard(arena)) != 0) { out of memory }`, in a frame that outlives every use of the arena.
jmp_buf* hemc_arena_guard(hemc_arena* arena);
// For libraries that test for NULL (cgltf): as hemc_alloc, but returns NULL when there is no memory.
void* hemc_try_alloc(hemc_arena* arena, size_t size);
void hemc_out_of_memory(hemc_arena* arena);      // does not return; for those who had to let go of something first
size_t hemc_arena_size(const hemc_arena* arena); // bytes asked from the system so far
// Test hooks, per thread: the n-th allocation from now (0 = the next) fails, once or with all after it. Negative switches
// both off.
void hemc_fail_allocation_at(int64_t n);
void hemc_fail_allocations_from(int64_t n);
// For what outlives an arena: malloc that the hooks know. Free with free.
void* hemc_take(size_t size);
// A whole file into the arena, with a zero byte after it. False, without a message, when it cannot be read.
bool hemc_read_file(hemc_arena* arena, const char* path, uint8_t** bytes, size_t* size);
void hemc_hash128(const void* bytes, size_t size, uint8_t digest[16]); // XXH3-128, canonical (big-endian)
static inline uint32_t hemc_count_bits(uint32_t mask) {
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        ++count;
    }
    return count;
}
// Stable sort by key; values (may be NULL) travel along. Ties keep their order, so the order is total.
void hemc_sort(hemc_arena* arena, uint64_t* keys, uint32_t* values, size_t count);

typedef enum hemc_exit {
    HEMC_OK = 0,
    HEMC_USAGE = 2,
    HEMC_INPUT = 3,      // the glTF or the recipe is wrong
    HEMC_VALIDATION = 4, // --strict: a warning became an error; or the result failed its own validation
    HEMC_IO = 5,
    HEMC_INTERNAL = 70,
    HEMC_MEMORY = 71, // no memory, perhaps not even for the messages
} hemc_exit;

typedef enum hemc_severity { HEMC_NOTE, HEMC_WARNING, HEMC_ERROR } hemc_severity;

typedef struct hemc_message {
    hemc_severity severity;
    const char* file; // input or recipe path
    const char* path; // JSON pointer such as "/meshes/3/primitives/0", may be ""
    const char* text;
} hemc_message;

typedef struct hemc_log {
    hemc_arena* arena;
    hemc_message* messages;
    size_t message_count, message_capacity;
    int error_count, warning_count;
    hemc_exit exit_code; // of the first error
} hemc_log;

// Every failure passes here: one breakpoint catches any. Returns false so that `return hemc_error(...)` reads well.
bool hemc_error(hemc_log* log, hemc_exit code, const char* file, const char* path, const char* format, ...);
void hemc_warn(hemc_log* log, const char* file, const char* path, const char* format, ...);
void hemc_note(hemc_log* log, const char* file, const char* path, const char* format, ...);

// -- Model: what import makes of a glTF

typedef struct hemc_vec3 {
    float x, y, z;
} hemc_vec3;

#define HEMC_PAINT_LIMIT 32

// One visual primitive. Arrays are per vertex, in source order.
typedef struct hemc_primitive {
    const char* name; // "node/mesh/primitive index"
    const char* node_name;
    const char* mesh_name;
    const char* material_name;
    uint32_t node, mesh, primitive, material; // glTF indices; material UINT32_MAX = none
    uint32_t vertex_begin, vertex_count;      // in the model's arrays
    uint32_t triangle_begin, triangle_count;
    float base_color[4];  // linear
    bool follows_nothing; // no skin, and no bone above it
} hemc_primitive;

typedef struct hemc_paint { // one named scalar per vertex of the whole model; 0 where a primitive lacks it
    const char* name;       // "_HEM_PIN", "COLOR_0.r", ...
    float* values;
    uint8_t* present; // per primitive
} hemc_paint;

typedef struct hemc_clip {
    const char* name;
    float hz;
    bool loops;
    uint32_t frame_count;
    float (*frames)[12]; // [frame * bone_count + bone]: bind -> posed, rows of 4
    float*
        weights; // [frame * weight_count + weight] less the default ones; NULL = it animates none, or none that is asked for
} hemc_clip;

// A morph target of one primitive whose weight a clip animates: where it moves the rest shape at weight 1.
typedef struct hemc_morph_target {
    uint32_t weight;                     // of a clip's
    uint32_t vertex_begin, vertex_count; // of the model
    hemc_vec3* moves;                    // character space
} hemc_morph_target;

typedef struct hemc_bone_def {
    const char* name;
    int32_t parent;         // lower index or -1
    float inverse_bind[12]; // character space -> bone
    float bind[12];         // bone -> character space in bind pose
    float space[12];        // character space -> where the glTF binds what follows the bone
} hemc_bone_def;

typedef struct hemc_model {
    const char* path;
    hemc_primitive* primitives;
    uint32_t primitive_count;
    uint32_t vertex_count, triangle_count;
    hemc_vec3* positions;
    hemc_vec3* normals;
    float (*tangents)[4];     // NULL when no primitive has them
    uint8_t (*colors)[4];     // vertex colour x base colour, sRGB, for the preview
    uint16_t (*bones)[4];     // skin joints renumbered to the model's bones; rigid meshes: their parent joint
    float (*bone_weights)[4]; // sum 1
    uint32_t* triangles;      // 3 per triangle, indices into the model's vertices
    uint32_t* triangle_primitive;
    hemc_paint* paints;
    uint32_t paint_count;
    float* texture_v; // of the first texture coordinates, per vertex; 0 where a primitive has none, NULL = nobody has
    hemc_bone_def* bone_defs; // topological order; at least one: a model without skin gets a bone "root"
    uint32_t bone_count;
    hemc_clip* clips;
    uint32_t clip_count;
    hemc_clip* shape_clips; // of lattices: they animate weights and move no node
    uint32_t shape_clip_count;
    hemc_morph_target* morph_targets;
    uint32_t morph_target_count, weight_count;
    const char** input_paths; // every file read, for the depfile
    uint32_t input_count;
    uint8_t source_hash[16];
    float asked_scale;          // metres per unit, as the command line says; 0 = it does not
    const char* extras_recipe;  // JSON text of recipe keys found in extras, NULL = none
    struct hemc_source* source; // private to import*.c: what clips are baked from
} hemc_model;

// -- Recipe (recipe/recipe.c): resolved, every default filled in

typedef enum hemc_generator { HEMC_CUT, HEMC_SCATTER, HEMC_STRANDS, HEMC_VERTICES, HEMC_LATTICE } hemc_generator;

typedef struct hemc_selector hemc_selector; // tree, private to surface/select.c

typedef struct hemc_attach {
    bool none, automatic;
    float top, bottom, near, root; // metres, < 0 = not given
    const char* paint;             // NULL = not given
    bool every_piece;              // pieces that the rules leave loose are held where they touch the rest
    const char** bones;
    uint32_t bone_count;
    bool has_box;
    float box_min[3], box_max[3];
} hemc_attach;

// A damped spring: the particles nearest to two places.
typedef struct hemc_spring_place {
    const char* bone; // where it begins; NULL = position
    float position[3];
} hemc_spring_place;

typedef struct hemc_spring_recipe {
    const char* json_path;
    hemc_spring_place from, to;
    const char* part; // in which the second one is; NULL = the same
    float stiffness;  // N/m
    float damping;    // N s/m
    float length;     // metres, < 0 = as modelled
} hemc_spring_recipe;

// What of a part stays with the skeleton where it lies close to the body (shape/roles.c).
typedef enum hemc_lies {
    HEMC_LIES_FREE, // nothing but what is attached
    HEMC_LIES_ON_HEAD,
    HEMC_LIES_ON_BODY,
} hemc_lies;

typedef enum hemc_strand_kind { HEMC_STRANDS_LINKS, HEMC_STRANDS_CHAINS, HEMC_STRANDS_RODS } hemc_strand_kind;

typedef struct hemc_rod_recipe {
    float stiffness; // bending over weight times length squared
    float bend;      // N m^2 in its place; 0 = by stiffness
    float twist;     // over bending
    float taper;     // stiffness at the tip over that at the root
    bool sag_free;   // of soft parts of groups, too
} hemc_rod_recipe;

// Which particles of a lattice collide, and where they begin.
typedef enum hemc_lattice_meets {
    HEMC_MEETS_FITTED,  // all, each as far from its middle as the surface is: colliders meet what is drawn
    HEMC_MEETS_TRIMMED, // those with all their neighbours
    HEMC_MEETS_ALL,
    HEMC_MEETS_PAINTED, // those near a surface painted above a half
} hemc_lattice_meets;

// An animation of a lattice: a particle animation as a text file, or what carries the mesh as a clip of the character does.
typedef struct hemc_lattice_clip_recipe {
    const char* name;
    const char *file, *text; // path and what it holds; NULL = of a clip
    size_t text_size;
    bool is_cache;         // of points, not a particle animation
    float fps;             // of a cache
    const char* clip;      // of the character; NULL = of a file
    uint32_t every;        // frames of it from key to key
    int interpolate, loop; // 0, 1; -1 = as the file or the clip says
    const char* json_path;
} hemc_lattice_clip_recipe;

typedef struct hemc_lattice_recipe {
    float spacing[3]; // metres, 0 = automatic
    bool inside;      // closed surfaces are filled
    hemc_lattice_meets meets;
    const char* paint;
    hemc_lattice_clip_recipe* clips;
    uint32_t clip_count;
    uint32_t reserve;       // particles that tears may take; 0 = it does not tear
    uint32_t torn_vertices; // 0 = as many as can come
    const char* strength;   // a paint: shares of the tolerances; NULL = all of them
} hemc_lattice_recipe;

// A stuff, in its own units, and how it is made of constraints.
typedef enum hemc_bending { HEMC_BEND_DIHEDRAL, HEMC_BEND_ISOMETRIC, HEMC_BEND_LINKS } hemc_bending;

typedef struct hemc_fabric {
    bool triangles;        // false = links are springs, and the rest is not asked for
    hemc_bending bending;  // links: as without triangles
    bool flat;             // rest angles are flat, not those of the mesh
    bool own_passes;       // the recipe says how many; else by the spacing
    float warp, weft;      // N/m
    float shear;           // N/m
    float area;            // N/m, 0 = none
    float bending_length;  // metres
    float damping_ratio;   // share of critical
    float density;         // kg/m^2
    const char* direction; // a paint that rises along warp, "uv" = texture_v; NULL = warp runs along the part's axis
} hemc_fabric;

typedef enum hemc_virtual { HEMC_VIRTUAL_NONE, HEMC_VIRTUAL_EDGES, HEMC_VIRTUAL_FACES } hemc_virtual;

typedef struct hemc_part_recipe {
    const char* name;
    const char* file;      // into which json_path points; NULL = the model's
    const char* json_path; // for messages, "/parts/0"
    hemc_selector* selector;
    const char* material; // the preset
    hem_part_kind kind;
    hemc_generator generator;
    float spacing;            // metres, 0 = automatic
    uint32_t particle_target; // 0 = by spacing
    bool axis_auto;
    float axis[3];
    bool volume;
    uint32_t guide_count, segment_count; // 0 = automatic
    hemc_strand_kind strands;            // how their strands hold together
    hemc_rod_recipe rods;
    const char** chains; // strands: globs of bones at which guides begin
    uint32_t chain_count;
    float radius; // 0 = spacing / 2
    hemc_attach attach;
    float blend_width; // metres, < 0 = automatic
    bool blend_paint;  // use _HEM_BLEND
    hem_animation_mode animation;
    float density, mass; // mass 0 = by density
    const char* stiffness_paint;
    bool tethers;
    float tether_stretch;        // 0 rigid to 1 free
    bool tether_stretch_painted; // map_paints[HEMC_TETHER] is painted like that too
    bool self_collision;
    const char** collides_with; // NULL = everything
    uint32_t collides_with_count;
    const char** ignores; // colliders by their names or by those of their bones; NULL = none
    uint32_t ignores_count;
    float max_distance; // < 0 none
    const char* max_distance_paint;
    float backstop; // < 0 none
    const char* backstop_paint;
    float backstop_radius; // 0 = 10 x spacing
    bool driven;           // it knows where the pose has it: for a drive or for tracking
    const char* drive_paint;
    bool painted_drive;                     // nobody but the paint asks for a drive
    const char* map_paints[HEMC_MAP_COUNT]; // NULL = none
    bool stitch;
    const char** stitch_with; // NULL = all
    uint32_t stitch_with_count;
    hem_tuning tuning;    // complete but for lengths that depend on the spacing:
    float self_thickness; // 0 = 0.6 x spacing
    float contact_radius; // 0 = the radius where one is given, or by the spacing
    float layer;          // from the skin outward; -1 = found from the modelled shape
    hemc_spring_recipe* springs;
    uint32_t spring_count;
    float guide_share; // of strands: how many of its guides are kept, those farthest apart; 0 = all
    float lateral;     // of strands: Hz of the springs between neighbouring guides; 0 = none
    float fullness;    // of strands: Hz with which guides that crowd push each other apart; 0 = they do not
    hemc_fabric fabric;
    hemc_virtual virtual_particles;
    hemc_lattice_recipe lattice;
    const char* why;            // automatic mode: what was seen; NULL otherwise
    bool spring_bones;          // its drive is a VRM's, whose bones hang of themselves; no trial changes it
    const uint8_t* chain_bones; // automatic mode: per bone, the chains it was found by; NULL = none
    const uint8_t* accessories; // as in hemc_recipe
    hemc_lies lies;
} hemc_part_recipe;

typedef struct hemc_body_recipe {
    bool enabled, surface;
    bool limbs;              // capsules for those that have no surface below a garment
    bool mesh;               // its triangles instead of particles
    hemc_selector* selector; // NULL = all triangles in no part
    float spacing, radius;   // 0 = automatic
    uint32_t particle_target;
    float reach; // < 0 = automatic
    float friction;
} hemc_body_recipe;

typedef struct hemc_collider_recipe {
    const char* name;
    const char* bone; // NULL = character space
    hem_shape_kind kind;
    bool fit;         // capsule fitted to the bone's vertices
    float ends[2][3]; // of a VRM's, as they are printed
    float rotation[4], position[3], size[4];
    float (*planes)[4];
    uint32_t plane_count;
} hemc_collider_recipe;

typedef struct hemc_recipe {
    const char* path; // NULL = automatic or extras only
    float scale;
    hemc_part_recipe* parts;
    uint32_t part_count;
    hemc_body_recipe body;
    hemc_collider_recipe* colliders;
    uint32_t collider_count;
    uint32_t spring_collider_count; // the first so many are a VRM's
    const char** clip_include;      // NULL = all
    uint32_t clip_include_count;
    const char **clip_loop, **clip_once; // NULL = those that close, and those that do not
    uint32_t clip_loop_count, clip_once_count;
    float clip_hz;
    uint8_t recipe_hash[16];
    char accept;           // the least grade that a pre-flight may give: 'A' to 'F'
    uint32_t level_count;  // of detail; 1 = the finest alone
    float budget_us;       // of a frame at full level on every target; 0 = any
    uint32_t budget_bytes; // of an instance; 0 = any
    bool automatic;
    hemc_selector* accessory_selector; // NULL = found by name, bone and shape
    bool no_accessories;               // the recipe says so
    const uint8_t* accessories;        // per triangle: neither loose nor body, a sword, a hat; NULL = nobody knows
    const char* kept;    // ",\n  \"clips\": {...}": what stands beside the parts, as it was written; NULL = nothing
    const char* printed; // automatic mode: itself as a recipe (recipe/print.c); NULL otherwise
} hemc_recipe;

// -- Surface: the triangles of one part, welded by position (surface/select.c, surface/weld.c)

typedef struct hemc_surface {
    uint32_t vertex_count, triangle_count;
    hemc_vec3* positions;      // welded
    hemc_vec3* normals;        // area-weighted mean of its triangles
    uint32_t* triangles;       // 3 per triangle; degenerate and duplicate ones removed
    uint32_t* source_triangle; // index in the model, per triangle
    uint32_t* source_vertex;   // one model vertex per welded vertex
    int32_t* neighbors; // 3 per triangle: triangle across edge (v, v+1), HEM_NONE on borders and non-manifold edges
} hemc_surface;

// -- Particles of one part (gen_*.c), then of the whole asset

typedef struct hemc_link {
    uint32_t a, b;
    uint8_t kind; // hem_link_kind
    float rest;   // filled in by graph/graph.c; 0 before
    float scale;  // painted stiffness 0..1
} hemc_link;

typedef struct hemc_lattice_clip {
    const char* name;
    bool interpolates, loops;
    uint32_t key_count;
    float* seconds;    // per key
    hemc_vec3* places; // key after key, per particle of the part
} hemc_lattice_clip;

// What a lattice that can tear is made of besides: the format's own structs, but cells are those of the lattice, vertices
// those of the model, meshes its primitives.
typedef struct hemc_tears_made {
    hem_tear_face* faces;
    hem_tear_point* points;
    uint32_t* cells;
    hem_tear_cap* caps;
    hem_tear_triangle* triangles;
    uint32_t face_count, point_count, cell_count, cap_count, triangle_count;
    uint32_t vertex_count; // torn vertices with every face open
    uint32_t vertex_limit; // that there is room for
} hemc_tears_made;

// Cells with particles on their corners; see hem_lattice.
typedef struct hemc_lattice {
    float origin[3], spacing[3];
    uint32_t size[3]; // particles along each axis
    uint32_t cell_count;
    int32_t (*cells)[3];    // of the lowest corner
    uint32_t (*corners)[8]; // particles of the part
    int32_t (*indices)[3];  // per particle
    hemc_lattice_clip* clips;
    uint32_t clip_count;
    uint32_t spare_count;   // particles in reserve; 0 = it cannot tear
    hemc_tears_made* tears; // NULL = it cannot
} hemc_lattice;

typedef struct hemc_particles {
    uint32_t count, capacity;
    hemc_vec3* positions;
    hemc_vec3* normals;   // mean outward normal of the surface near it
    int32_t* level;       // cut: level number from the bottom; strands: number along the strand from the root; else 0
    int32_t* column;      // cut: running number around the level; strands: strand; else 0
    uint8_t* flags;       // HEM_PARTICLE_ANIMATED etc. (low byte of the format's flags)
    uint8_t* border;      // cut, scatter: 1 where the surface ends, whatever the links
    float (*rotation)[4]; // shape/fit.c: quaternion, first axis outward
    float (*radii)[3];    // shape/fit.c
    float* mass;          // shape/fit.c: kg
    float* area;          // shape/fit.c: m2 of the surface that it stands for, of one layer
    float* stiffness;     // painted, 1 = none
    float* max_distance;  // < 0 = none
    float* backstop;      // < 0 = none
    float* drive; // painted share of hem_tuning.drive; < 0 = the part does not know its pose; NULL = nobody does
    float (*maps)[HEMC_MAP_COUNT]; // painted shares, see hemc_map; NULL = all 1
    hemc_link* links;              // WARP and WEFT (and STITCH) links only; graph/graph.c adds the others
    size_t link_count, link_capacity;
    uint32_t level_count;
    float spacing, radius;
    float sag;             // of the body: how far its skin stands out of its spheres
    hemc_lattice* lattice; // NULL = it is none
} hemc_particles;

// How much a cut is a net of quads. Inner: neither on an open border nor on the first or last level.
typedef struct hemc_regularity {
    uint32_t inner, regular; // regular: inner ones with exactly four neighbours
} hemc_regularity;

hemc_regularity hemc_measure_regularity(hemc_arena* arena, const hemc_particles* particles); // generate/generate.c

typedef struct hemc_skinning {      // shape/maps.c
    uint16_t (*vertex_particle)[4]; // per model vertex, into the asset's particles
    float (*vertex_weight)[4];      // sum 1
    float* vertex_blend;            // 0..1
    uint16_t (*particle_bone)[4];   // per particle
    float (*particle_bone_weight)[4];
    int32_t* vertex_cell;  // per model vertex, of its part's lattice; HEM_NONE = in none; NULL = there are no lattices
    float (*vertex_at)[3]; // in the cell, 0..1
} hemc_skinning;

// The whole asset before renumbering. Particles of part p are [part_begin[p], part_begin[p + 1]).
typedef struct hemc_spring {
    uint32_t a, b;
    float rest, stiffness, damping;
} hemc_spring;

// A strand's member: see hem_rod.
typedef struct hemc_rod {
    float edge[3], turn[3], stretch, bend, twist, inertia;
} hemc_rod;

// A triangle of cloth, see hem_triangle.
typedef struct hemc_triangle {
    uint32_t p[3];
    float q[4], inverse_area;
} hemc_triangle;

// An edge between two of them, see hem_bend and hem_dihedral.
typedef struct hemc_bend {
    uint32_t p[4];
    float c[4], cosine, sine, compliance;
} hemc_bend;

// A piece of a solid, see hem_tetrahedron.
typedef struct hemc_tetrahedron {
    uint32_t p[4];
    float q[9], volume;
} hemc_tetrahedron;

// An edge that may bend around meshes, see hem_virtual_edges.
typedef struct hemc_virtual_edge {
    uint32_t a, b, wing[2]; // UINT32_MAX = none
    bool face;
} hemc_virtual_edge;

typedef struct hemc_mesh {
    uint32_t part_count; // simulated parts, then (if any) one HEM_PART_BODY part last
    const char** part_names;
    hem_part_kind* part_kinds;
    hem_animation_mode* part_animations;
    hem_tuning* part_tunings;
    uint32_t* collision_groups; // one bit each
    uint32_t* collision_masks;
    uint64_t* outside_of;         // bit o: lies outside part o (graph/layers.c); NULL = no order
    uint32_t* part_begin;         // [part_count + 1]
    hemc_fabric* part_fabrics;    // NULL = no part has one
    hemc_lattice** part_lattices; // NULL = no part is one; else per part, NULL = it is none
    uint8_t* part_virtual;        // hemc_virtual; NULL = none
    float* part_fullness;         // Hz; NULL = none of any part (graph/fullness.c)
    float* part_reach;            // metres
    hemc_vec3* warp;    // per particle: which way warp runs, 0 = as its links do; NULL = everywhere so (graph/warp.c)
    float (*hair)[2];   // per particle: guide or -1, and 1 / how crowded it may be
    hemc_particles all; // concatenated; links in asset indices
    // graph/graph.c:
    hemc_link* links; // every distance constraint
    size_t link_count;
    hemc_spring* springs;
    size_t spring_count;
    uint32_t strand_count;
    uint32_t* strand_starts; // [strand_count + 1], into strand_members and rods
    uint32_t* strand_members;
    uint8_t* strand_kinds; // hemc_strand_kind
    hemc_rod* rods;
    hemc_triangle* triangles; // by part
    size_t triangle_count;
    hemc_bend* bends;
    size_t bend_count;
    hemc_tetrahedron* tetrahedra; // by part
    size_t tetrahedron_count;
    hemc_virtual_edge* virtual_edges; // by part
    size_t virtual_edge_count;
    uint32_t* group_starts; // [all.count + 1]; members without the particle itself; empty = no group
    uint16_t* group_members;
    hemc_vec3* shape_places; // where shape matching has particles at rest; NULL = where they are (graph/sag.c)
    uint32_t* ignore_starts; // [all.count + 1]
    uint16_t* ignore_list;
    uint16_t (*frame)[4]; // u0 u1 v0 v1 per particle
    hemc_skinning skinning;
    uint8_t* body_mesh; // a skinned .hemmesh; NULL = none
    size_t body_mesh_size;
    uint32_t body_mesh_groups; // bits of the parts that collide with it
} hemc_mesh;

// -- Rows and batches (lanes/lanes.c): the format's own structs, in final particle numbers

typedef struct hemc_layout {
    uint32_t row_count, oriented_row_count;
    uint32_t* slot_of;    // asset particle -> row * 8 + lane
    int32_t* particle_at; // row * 8 + lane -> asset particle, HEM_NONE = pad
    uint32_t* part_order; // file order of parts: oriented ones first
    hem_part* parts;      // file order
    hem_range* ranges;    // of all parts, file order
    uint32_t range_count;
    hem_link_batch* links;
    uint32_t link_batch_count;
    hem_index_batch* indexed;
    uint32_t index_batch_count;
    hem_group_batch* groups;
    uint32_t group_batch_count;
    hem_group_member* members;
    uint32_t member_count;
    hem_group_index* group_indices;
    uint32_t group_index_count;
    hem_row_batch* row_batches;
    uint32_t row_batch_count;
    hem_group_member* row_members;
    uint32_t row_member_count;
    hem_group_index* row_indices;
    uint32_t row_index_count;
    hem_spring* springs;
    uint32_t spring_count;
    hem_rod* rods;
    uint32_t rod_count;
    hem_chain* chains;
    uint32_t chain_count;
    hem_triangle* triangles;
    uint32_t triangle_count;
    hem_bend* bends;
    uint32_t bend_count;
    hem_dihedral* dihedrals;
    uint32_t dihedral_count;
    hem_tetrahedron* tetrahedra;
    uint32_t tetrahedron_count;
    hem_lattice* lattices;
    uint32_t lattice_count;
    hem_lattice_cell* cells;
    uint32_t cell_count;
    hem_lattice_bar* bars;
    uint32_t bar_count;
    uint32_t* order;
    uint32_t order_count;
    hem_virtual_edges* virtual_edges;
    uint32_t virtual_edge_count;
    float lane_fill;     // constraints / lanes over all batches
    float* part_fill;    // the same per part, file order
    float indexed_share; // of constraints
} hemc_layout;

// Coarser levels of detail, finest first: what they become in the file (driver/coarser.c).
typedef struct hemc_coarser {
    uint32_t count, byte_count, row_count;
    hem_asset_level* levels;
    uint8_t* bytes;
    hem_level_row* rows;
} hemc_coarser;

typedef struct hemc_options {
    bool ship, strict;
    bool particles_alone;       // no vertices, no preview: a coarser level
    const hemc_coarser* levels; // NULL = none
    bool ship_all;              // with ship: meshes that no particle moves stay
    int verbosity;              // -1 quiet, 0 normal, 1 verbose
} hemc_options;

// Whether a primitive goes into the file: with `ship` only those of which particles move a vertex. (pack/vertices.c)
bool hemc_ships(const hemc_mesh* mesh, const hemc_primitive* primitive, bool ship, bool ship_all);

// -- Stages. All return false after an error has been logged.

bool hemc_import(hemc_arena* arena, hemc_log* log, const char* path, hemc_model* model); // import*.c
// The same from memory, without access to files: external buffers are an error. `name` stands in messages.
bool hemc_import_memory(hemc_arena* arena, hemc_log* log, const char* name, const void* bytes, size_t size,
                        hemc_model* model);
// A file that another names, beside that one.
const char* hemc_path_beside(hemc_arena* arena, const char* file, const char* name);
// The files that a glTF or a recipe names: buffers, images, animations of lattices; without reading them. Says nothing about
// one that is wrong.
typedef struct hemc_named_file {
    const char* path;
    const char* where; // "/buffers/0", "/parts/0/clips/1"
} hemc_named_file;
uint32_t hemc_import_named_files(hemc_arena* arena, const char* path, hemc_named_file** files); // how many
int32_t hemc_import_bone_of_node(const hemc_model* model, uint32_t node);                  // HEM_NONE = it is no bone
bool hemc_import_node_is_below(const hemc_model* model, uint32_t node, uint32_t ancestor); // or the same
// What a VRM says of a bone that swings: its own numbers, metres and a frame of 1/60 s in them. (recipe/auto_springs.c)
typedef struct hemc_spring_bone {
    bool swings;
    float stiffness, drag;
    float gravity; // downwards
    float hit_radius;
    bool centred;    // it does not feel how the character moves through the world
    uint64_t groups; // bits of the groups of colliders that it meets
} hemc_spring_bone;
// Per bone; VRM 0 names the roots of chains only. False = none. (import/vrm.c)
bool hemc_import_springs(const hemc_model* model, hemc_spring_bone* springs);
// A sphere, or a capsule from one place to another: character space, bind pose, the file's units.
typedef struct hemc_spring_collider {
    uint32_t bone;
    bool capsule;
    double from[3], to[3];
    float radius;
    uint64_t groups; // bits of the groups that hold it
} hemc_spring_collider;
uint32_t hemc_import_spring_colliders(const hemc_model* model, hemc_spring_collider out[HEM_MAX_COLLIDERS]);
// How far bones hang of themselves, and what they point to. (import/vrm.c)
void hemc_spring_hangs(hemc_arena* arena, const hemc_model* model, hem_bone* bones);
// flags[bone] = 1 for the bones that it names.
bool hemc_import_spring_bones(const hemc_model* model, uint8_t* flags);
// What needs the recipe: applies its scale to the model and bakes the clips it includes. Runs after hemc_recipe_load.
bool hemc_import_finish(hemc_arena* arena, hemc_log* log, const hemc_recipe* recipe, hemc_model* model);
// The same from memory; `name` stands in messages. (recipe.c)
bool hemc_recipe_load_memory(hemc_arena* arena, hemc_log* log, const char* name, const void* bytes, size_t size,
                             const hemc_model* model, hemc_recipe* recipe);
bool hemc_recipe_load(hemc_arena* arena, hemc_log* log, const char* path_or_null, const hemc_model* model,
                      hemc_recipe* recipe); // recipe/recipe.c, falls back on extras, then recipe/auto.c
// recipe/auto.c
bool hemc_recipe_automatic(hemc_arena* arena, hemc_log* log, const hemc_model* model, hemc_recipe* recipe);
// Automatic parts get their spacings by trial, and notes that say why; after hemc_select. (recipe/auto_tune.c)
void hemc_recipe_tune(hemc_arena* arena, hemc_log* log, const hemc_model* model, hemc_recipe* recipe,
                      const int32_t* owner);
// A spring to the pose that gives way under the weight of a part of this length by a share of it. (recipe/auto.c)
void hemc_auto_drive(hemc_part_recipe* part, double length, double sag);
// What automatic mode decided, as the text of a recipe: read again it makes the same asset. `owner` as hemc_select left it.
// (recipe/print.c)
char* hemc_recipe_print(hemc_arena* arena, const hemc_model* model, const hemc_recipe* recipe, const int32_t* owner);
void hemc_recipe_defaults(hemc_recipe* recipe);                                    // recipe/recipe.c: no parts, body on
const char* hemc_part_file(const hemc_part_recipe* part, const hemc_model* model); // for messages (recipe/recipe.c)
// Capsules that are to be fitted get their coordinates; after hemc_import_finish. (recipe/collider.c)
bool hemc_recipe_fit_colliders(hemc_arena* arena, hemc_log* log, const hemc_model* model, hemc_recipe* recipe);
// Capsules where a garment has nothing below it but bones; after hemc_select. (recipe/bare_limbs.c)
void hemc_recipe_bare_limbs(hemc_arena* arena, hemc_log* log, const hemc_model* model, hemc_recipe* recipe,
                            const int32_t* owner);
// Marks: owner[t] = part index or HEM_NONE, first part wins. (surface/select.c)
bool hemc_select(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe, int32_t* owner);
// Parts that follow no bone of a model that has some hang on the nearest one; after hemc_select. (shape/unskinned.c)
void hemc_hang_unskinned(hemc_arena* arena, hemc_log* log, hemc_model* model, const hemc_recipe* recipe,
                         const int32_t* owner);
// One byte per triangle of the model: 1 = selected. For recipe->body.selector. (surface/select.c)
void hemc_selector_mask(hemc_arena* arena, const hemc_model* model, const hemc_selector* selector, uint8_t* mask);
// Which triangles are accessories, as the recipe says or by name, bone and shape; after hemc_import_finish. (surface/accessories.c)
void hemc_select_accessories(hemc_arena* arena, const hemc_model* model, hemc_recipe* recipe);
bool hemc_part_ignores(const hemc_part_recipe* part, const hemc_collider_recipe* collider); // recipe/collider.c
bool hemc_glob(const char* pattern, const char* name); // '*' and '?', ASCII case-insensitive (surface/select.c)
// A glob on its name, or "#7", its number, for bones that share a name (surface/select.c).
bool hemc_bone_matches(const hemc_model* model, uint32_t bone, const char* pattern);
// Paint expression such as "_HEM_PIN > 0.5" per model vertex (surface/select.c); NULL when the attribute does not exist.
float* hemc_paint_values(const hemc_model* model, const char* name);
// recipe/paint.c: whether an attribute that glTF does not know may be paint, and the name under which it is kept.
bool hemc_paint_is_ours(const char* attribute);
char* hemc_paint_name(hemc_arena* arena, const char* attribute);
// One of our names that looks like this one, "" = none in particular; NULL = it is ours, or nothing like it.
const char* hemc_paint_meant(const char* name);
bool hemc_paint_reaches(const hemc_model* model, const char* name,
                        const uint8_t* mask); // above 0.5 on a marked triangle
// Lets go of paints that a part does not carry; after hemc_select.
void hemc_paint_settle(const hemc_model* model, hemc_recipe* recipe, const int32_t* owner);
// A note for every paint that does something, and for every one that does not; after hemc_select.
void hemc_paint_tell(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                     const int32_t* owner);
bool hemc_paint_test(const char* expression, const hemc_model* model, uint32_t vertex, bool* holds);
// welded[v] = running number of v's position among the vertices with used[v] != 0; returns how many there are. (surface/weld.c)
uint32_t hemc_weld_positions(hemc_arena* arena, const hemc_model* model, const uint8_t* used, double tolerance,
                             uint32_t* welded);
// n / 65535 with an exact sum. (pack/vertices.c)
void hemc_quantize_weights(const float weights[4], uint16_t out[4]);
// Triangles with owner[t] == part, welded. (surface/weld.c)
bool hemc_weld(hemc_arena* arena, const hemc_model* model, const int32_t* owner, int32_t part, hemc_surface* surface);

// generate/generate.c calls one of the generators (cut.c, scatter.c, strands.c, per_vertex.c) and meets a count; spacing 0
// in the recipe = chosen here.
bool hemc_generate(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_part_recipe* part,
                   const hemc_surface* surface, hemc_particles* particles);
// Ellipsoids, outward axes, masses. (shape/fit.c)
void hemc_fit(hemc_arena* arena, const hemc_surface* surface, const hemc_part_recipe* part, hemc_particles* particles);
// One outer side for every piece of cloth (shape/sides.c).
void hemc_agree_on_sides(hemc_arena* arena, hemc_particles* particles);
// How far cloth keeps from the body, where the recipe leaves it open (shape/thickness.c).
double hemc_body_sag(hemc_arena* arena, const hemc_surface* surface, const hemc_particles* body);
void hemc_work_out_thickness(hemc_arena* arena, const hemc_recipe* recipe, const hemc_surface* surfaces,
                             const hemc_particles* parts, const hemc_particles* body, hemc_mesh* mesh);
// Attached, surface and painted per-particle values. (shape/roles.c)
bool hemc_roles(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_part_recipe* part,
                const hemc_surface* surface, const int32_t* owner, hemc_particles* particles);
// Animated collision particles where simulated ones can reach. (generate/body.c)
bool hemc_body(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
               const int32_t* owner, const hemc_particles* parts, hemc_particles* body);
// The triangles of no part, or those of them that the recipe selects, welded. False = none. (generate/body.c)
bool hemc_body_surface(hemc_arena* arena, const hemc_model* model, const hemc_recipe* recipe, const int32_t* owner,
                       hemc_surface* surface);
// Instead of particles: its triangles, for the collision groups of the mesh. (generate/body_mesh.c)
bool hemc_body_mesh(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                    const int32_t* owner, hemc_mesh* mesh);
bool hemc_meets_body(const hemc_part_recipe* part); // by collides_with (graph/stitch.c)
// Concatenates parts (and the body, which may have count 0), stitches neighbours, makes collision masks. (graph/stitch.c)
bool hemc_assemble(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                   const hemc_particles* parts, const hemc_particles* body, hemc_mesh* mesh);
// Vertex-particle, vertex-bone, particle-bone maps and blend weights. (shape/maps.c)
bool hemc_maps(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
               const int32_t* owner, hemc_mesh* mesh);
// Shear, bend and tether links, groups, frames, rest overlaps, rest lengths. (graph/graph.c)
bool hemc_graph(hemc_arena* arena, hemc_log* log, const hemc_recipe* recipe, hemc_mesh* mesh);
// The springs of the recipe; after hemc_graph. (graph/springs.c)
void hemc_solids(hemc_arena* arena, hemc_mesh* mesh); // graph/solids.c
bool hemc_springs(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
                  hemc_mesh* mesh);
// Which way warp runs where a recipe says so; before hemc_graph. (graph/warp.c)
void hemc_warp_make(hemc_arena* arena, const hemc_model* model, const hemc_recipe* recipe, const hemc_surface* surfaces,
                    hemc_mesh* mesh);
// Where shape matching has a particle at rest. (graph/sag.c)
hemc_vec3 hemc_shape_place(const hemc_mesh* mesh, uint32_t particle);

// Which guide a particle is of and how crowded it is; after the hertz are filled in. (graph/fullness.c)
void hemc_fullness_make(hemc_arena* arena, hemc_mesh* mesh);
void hemc_fullness_of(hemc_arena* arena, const hemc_recipe* recipe, hemc_mesh* mesh);
// Edges of the parts that have virtual particles; after the links were measured. (graph/virtual.c)
void hemc_virtual_make(hemc_arena* arena, hemc_mesh* mesh);
// Rows, lanes, batches. (lanes/lanes.c)
bool hemc_lanes(hemc_arena* arena, hemc_log* log, const hemc_mesh* mesh, hemc_layout* layout);
// Bytes, validated. model may be NULL (a bare particle mesh, for tests and the benchmark). (pack/pack.c)
bool hemc_pack(hemc_arena* arena, hemc_log* log, const hemc_model* model, const hemc_recipe* recipe,
               const hemc_mesh* mesh, const hemc_layout* layout, const hemc_options* options,
               const uint8_t cache_key[16], uint8_t** bytes, size_t* size);

#endif
