// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_KERNELS_H
#define HEM_RUNTIME_KERNELS_H

// The work on rows of eight: one table per backend; every function is the same source compiled again.

#include "runtime/src/scratch.h"
#include "runtime/src/field.h"
#include "runtime/src/trimesh.h"

// Apply the frame's motion, forces and damping to a part's rows.
typedef struct hemi_predict {
    hemi_row4* x;
    hemi_row3* v;            // velocities or, chained, where the last substep began; afterwards where this one begins
    const hemi_row3* normal; // read when there is drag or lift
    const hem_shape_row* shape;
    const hem_area_row* area; // NULL = four times b c of the shapes
    const hem_map_row* map;   // NULL = nothing is painted
    const hemi_row3* force;   // NULL = none
    const hemi_row3* wind;    // m/s; NULL = the part's
    const hemi_part_step* part;
    uint32_t* clamped;
    uint32_t count; // rows
    float h;
    int body;    // it lives in the frame and goes where the pose has it
    int chained; // the velocity is (x - v) / h, as the last substep of the same length left it
} hemi_predict;

typedef struct hemi_link_args {
    hemi_row4* x;
    const hemi_row3* prev;
    hemi_row4* delta; // Jacobi
    const hemi_part_step* part;
    float* lambda; // NULL = one iteration, no multipliers kept
    uint32_t tethers;
} hemi_link_args;

typedef struct hemi_spring_args {
    hemi_row4* x;
    const hemi_row3* prev;
    float* lambda; // as in hemi_link_args
    float h, inverse_h2;
    float alpha, damping; // of the part's tuning, added to each spring's own
} hemi_spring_args;

// What a force adds to the accelerations of a part's rows.
// Guides of hair, particle by particle in the order of cells that are as wide as the reach (or wider).
typedef struct hemi_crowd_args {
    const float *x, *y, *z; // eight more than `count` may be read of each array
    const float* guide;
    const float* push;          // of crowd_push: what each adds to the push between two
    const uint32_t* cell_begin; // of each cell, x fastest, and one more
    uint32_t size[3];           // cells along the axes
    float inverse_reach2;
    float* out[3]; // of crowd_sum the first: how crowded; of crowd_push a vector
} hemi_crowd_args;

typedef struct hemi_force_args {
    const hemi_row4* x;
    const hemi_row3* v;      // velocities
    hemi_row3* acceleration; // of wind, the air's velocity
    const float* left;       // of wind: what is left of it behind the body, eight a row; NULL = all
    uint32_t count;          // rows
    float h;
    const hemi_force_now* force;
} hemi_force_args;

// Ties of an instance in a substep, up to eight that share no particle.
typedef struct hemi_tie_batch {
    uint16_t a[8], b[8];            // particles; b of a place is a
    float place[3][8], began[3][8]; // where the substep ends and began, as the particles' x and prev
    float limit[8];                 // N, large = none
    uint32_t places, mask;          // lanes that go to a place, and lanes that there are
    hem_spring spring;
} hemi_tie_batch;

// Rows of one part to the pose, after the prediction.
typedef struct hemi_drive_args {
    hemi_row4* x;
    const hemi_row3* prev;
    const hem_drive_row* rows;
    const hem_map_row* maps; // of all rows; NULL = nothing is painted
    uint32_t count;
    const hemi_target_row *from, *to; // of the whole step
    const hemi_target_row* now;       // at the end of the substep
    float share_of_step, h;
    const hemi_part_step* part;
} hemi_drive_args;

// Targets of a lattice's rows from its clip.
typedef struct hemi_key_args {
    const hem_key_row *a, *b; // NULL = `next` already holds what is wanted
    float share;              // of the way from a to b
    const hem_drive_row* rows;
    uint32_t count;
    const hemi_target_row* prev; // where the last step ended
    hemi_target_row* next;
    float blend; // share of the way from there
    float limit; // metres that a target moves at most; negative = no limit
} hemi_key_args;

// What groups of a part are matched to.
typedef struct hemi_group_args {
    const hem_rest_row* rest; // the shape: at rest, or that of the pose
    const hemi_row4* rest_q;  // rotations of that shape; NULL = at rest
    hemi_row4 *x, *q;
    const float* moment;
    float share;
} hemi_group_args;
typedef struct hemi_solid_args {
    hemi_row4* x;
    float shear, bulk; // Pa times the square of the substep: the constants of Lame, mu and lambda
} hemi_solid_args;

#define HEMI_NO_LIMIT 1e30f

typedef struct hemi_fabric_args {
    hemi_row4* x;
    const hemi_row3* prev;
    float* lambda;  // as in hemi_link_args; four vectors per payload
    float alpha[4]; // compliance / h^2: warp, weft, shear, area; of area negative = none
    float bend;     // the same of the rigidity
    float gamma;    // damping / h; 0 = undamped
    float share;    // of a constraint's own w that stands beside alpha, see fabric.inl
    float strain_limit, compress_limit, buckle_angle, buckle_share; // HEMI_NO_LIMIT where there is none
} hemi_fabric_args;

// Regions of one tile of a lattice. Arrays begin with its first row; sums have room for its particles.
typedef struct hemi_region_args {
    const hemi_region_tile* tile;
    const hem_lattice_bar* bars; // all of the asset
    const uint32_t* order;
    uint32_t first; // particle of the tile
    uint32_t row_count;
    uint32_t width;           // half of a region's, in cells
    const hem_rest_row* mass; // of which the masses
    const hem_rest_row* rest; // and the places: of the asset, or with tracking of the pose
    const hemi_row4* rest_q;  // rotations of the pose; NULL = as modelled
    hemi_row4 *x, *q;
    const hemi_row3* prev;
    const hemi_row4* prev_q;
    double* share; // per particle: one over the number of regions that it is in; 0 of pads
    float* fixed;  // HEMI_REGION_FIXED per row; not read with tracking
    hemi_region_shape* shape;
    double* sums[2];
    float alpha;   // share of the way to the goal
    float damping; // share of what is not the regions' motion; 0 = none
} hemi_region_args;

// Strands, as rods and as chains.
typedef struct hemi_rod_args {
    hemi_row4 *x, *q;
    const hem_rest_row* rest; // with tracking: the shape of the pose
    const hemi_row4* rest_q;  // and its rotations; NULL = as modelled
    void* room;               // for the longest strand of the scene
    float h;
    float stiffer, softer;   // times bending and twist, and one over it
    float alpha;             // of chains: compliance / h^2
    hemi_row3* prev;         // of chains that follow, and of strands that are drawn: where the substep began
    const hemi_row4* before; // of strands that are drawn: where they were before contacts
} hemi_rod_args;

// Who may touch whom while everybody goes on for dt.
typedef struct hemi_search_args {
    const hem_view* view;
    const hemi_derived* derived;
    const hemi_row4* x;
    const hemi_row3* v;
    const hemi_part_step* parts;
    const hemi_target_row *from, *to; // of the bodies
    const hemi_mat34* part_frames;
    float dt;
    int surface; // tangent spheres where the asset has them
    hemi_search* search;
    hemi_contacts* found;
    hemi_counters* counters;
} hemi_search_args;

// What contacts of particles read and write.
typedef struct hemi_contact_args {
    const hem_view* view;
    hemi_row4* x;
    hemi_row3* prev;
    const hemi_contacts* contacts;
    hemi_solve* solve;
    hemi_counters* counters;
    uint32_t part_begin, part_end; // of touch_bodies
} hemi_contact_args;

// Threads of one part that are brought back to their limit.
typedef struct hemi_stretch_args {
    const hem_view* view;
    const hem_part* part;
    hemi_row4* x;
    hemi_row3* prev;
    float limit;               // 0.1 = a tenth longer than at rest
    float give;                // metres below their planes
    float relax;               // of what is too long
    uint32_t sweep;            // from 1
    uint8_t* stamps;           // per row: the last sweep that moved it, 0 = none
    float* taken;              // 8 per batch of links, then of indexed links: metres that sweeps have taken off
    hemi_row4* planes;         // per row: where particles were before the last contacts, then planes
    uint32_t *looked, *pulled; // batches that were not passed over, and of them those that were too long
    hem_range rows, indexed;   // batches of links and of indexed links, the weave among them
} hemi_stretch_args;

// What meshes of triangles read and write.
typedef struct hemi_mesh_args {
    const hem_view* view;
    hemi_row4* x;
    hemi_row3* v; // velocities in the search, where the substep began in the push
    const hemi_part_step* parts;
    const hemi_colliders* colliders;
    hemi_meshes* meshes;
    hemi_counters* counters;
    float s0, s1; // of the substep
} hemi_mesh_args;

// Offsets from the pose on their way to a goal, and where they put the particles.
typedef struct hemi_show_args {
    const hem_view* view;
    const hemi_bone_pose* bones;
    const hemi_row3* goal;
    const hemi_row4* goal_q; // oriented rows
    hemi_row3* offset;
    hemi_row4* offset_q;
    hemi_row4* x; // inverse masses stay as they are; before, with pace: as it was shown a frame ago
    hemi_row4* q;
    const hemi_row4* last; // of watch_pace: as it was shown a frame ago
    float share;           // of the way, 0..1
    hemi_row3* fade;       // shown besides, on its way to nothing, in the axes of the character; NULL = nothing is
    hemi_row4* fade_q;     // before the offset's turn
    int fading;            // of begin_fade: something fades already
    float fade_step;       // metres that it goes in a frame besides
    float fade_times;      // all of that
    float fade_rise;       // of pace, to how far it would go
    float *pace, *pace_q;  // per particle: how far it goes in a frame anyway; NULL = nobody asks, and nothing fades
} hemi_show_args;

// Whose particles follow whose; see hem_level_row. Parts of kind body stay as they are.
typedef struct hemi_level_args {
    const hem_view *view, *from;
    const hem_level_row* rows; // of the view
    const hemi_row4 *from_x, *from_q, *from_frame_q;
    const hemi_row3 *from_v, *from_w;
    hemi_row4 *x, *q; // inverse masses stay as they are
    hemi_row3 *v, *w;
} hemi_level_args;

// What edges of cloth that go around meshes read and write.
typedef struct hemi_wrap_args {
    const hem_view* view;
    const hemi_row4* x;
    const hemi_row3* v; // velocities; of the search alone
    const hemi_part_step* parts;
    const hemi_colliders* colliders;
    hemi_wraps* wraps;
    hemi_wrapped* wrapped;
    hemi_counters* counters;
    float s0, s1;              // of the substep, or from this search to the next one
    int again;                 // not the first substep since the search
    hem_virtual_particle* out; // of who reads them; both NULL = a step
    hem_refined_vertex* refined;
    uint32_t out_capacity, out_count;
} hemi_wrap_args;

// Of hemi_wrapped.now. Loose is what went around something and has slipped off it, folded: as a link it would push its ends
// apart at once. It only pulls until it is straight again.
#define HEMI_WRAP_SEEN 2u
#define HEMI_WRAP_LOOSE 4u

struct hemi_kernels {
    hem_kernel kernel;
#define KERNEL(result, name, arguments) result(*name) arguments;
#include "runtime/src/kernels/list.inl"
};

const hemi_kernels* hemi_kernels_scalar(void);
const hemi_kernels* hemi_kernels_sse2(void);
const hemi_kernels* hemi_kernels_avx2(void);
const hemi_kernels* hemi_kernels_neon(void);
const hemi_kernels* hemi_kernels_wasm(void);
const hemi_kernels* hemi_kernels_choose(hem_kernel wanted); // NULL = not here

#endif
