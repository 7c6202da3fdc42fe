// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_SCRATCH_H
#define HEM_RUNTIME_SCRATCH_H

// What a step works with besides an instance's input and state: numbers derived from the asset, once per scene, and the
// scratch of a worker, one small struct for each subject. Scratch holds nothing between steps.

#include "runtime/src/meshes.h"

// -- Derived from the asset alone

// The pairs of a cluster with itself and with later ones of its part that the ignore lists name: bit 8 i + j of pairs[k]
// stands for its row i and row j of the cluster that begins at particle first[k]. Almost all neighbours in the mesh are among
// them; what is not is found in the lists.
typedef struct hemi_ignored {
    uint64_t pairs[8];
    uint16_t first[8]; // UINT16_MAX = none
} hemi_ignored;

// Clusters begin anew with each part, so a part adds at most one to those of whole rows.
static inline uint32_t hemi_ignored_at(uint32_t part, uint32_t first_row, uint32_t lane) {
    return ((first_row >> 3) + part) * 8 + lane;
}

// Rows of a lattice whose bars stay among them: a body, or several whose rows are mixed. Sums of one after the other are
// small enough for the nearest cache.
typedef struct hemi_region_tile {
    uint32_t row_begin, row_count; // of the part
    uint32_t bar_begin[3], bar_count[3];
    float cell; // metres, its shortest side
} hemi_region_tile;

// Where sums of a tile in floats are taken from, and how far it reaches from there.
typedef struct hemi_region_shape {
    float middle[3], reach;
} hemi_region_shape;

#define HEMI_ALL_WEIGHTS 0x44

struct hemi_derived {
    uint64_t* part_pairs;     // bit p of entry o: parts o and p collide
    float* mean_inverse_mass; // per part; 1 where it has no groups
    uint32_t* pass_work;      // per part: eights that one pass over its constraints looks at
    float* rest_moment;       // six components per oriented row: m/5 Rrest diag(a^2 b^2 c^2) Rrest^T
    hemi_ignored* ignored;    // per cluster: hemi_ignored_at; NULL = the asset has no ignore lists
    hemi_collider* colliders; // the asset's
    hemi_region_tile* tiles;  // of all lattices
    uint32_t* tile_begin;     // per lattice, and one more
    uint8_t* weights;      // per block of eight vertices: most of bones that one has, 1 to 4, and 16 times of particles
    uint16_t* body_row;    // rows of parts of kind body
    uint16_t* body_target; // and their rows among the targets
    float travel_limit; // metres that anything may go in half a search and still be looked for: see kernels/pairs.inl
    float still;        // metres that a target or a collider may move in a step and still stand
    uint32_t body_row_count;
    uint32_t body_stride;              // rows, rounded up to eight
    uint64_t body_parts;               // parts of kind body
    uint64_t simulated_parts;          // the others
    uint64_t hung_parts;               // of those, the ones that are held by the pose somewhere
    uint32_t simulated_pairs;          // whether any of those collides with any of them
    uint32_t meets;                    // whether any of those collides with any part
    uint32_t ordered;                  // whether any part lies outside of another
    uint32_t cells_whole;              // no vertex in a cell of a lattice follows a bone too
    uint32_t separate;                 // no constraint of a part touches another part: they can be solved side by side
    uint8_t part_order[HEM_MAX_PARTS]; // the one with most constraints first
};

// Whether its particles are looked for: see kernels/pairs.inl.
static inline int hemi_is_searched(const hem_view* view, const hemi_derived* d, uint32_t part) {
    return view->parts[part].kind != HEM_PART_BODY && d->part_pairs[part] != 0;
}

// -- Solve: what constraints and the air need

#define HEMI_REGION_DOUBLES (20 * 8) // a row of a lattice: five vectors of four a particle (kernels/regions.inl)
#define HEMI_REGION_KEPT 256u        // of hemi_solve.region_width: not only of who tracks a pose
#define HEMI_REGION_FIXED 64         // floats a row of what follows from the shape at rest (kernels/regions_near.inl)
#define HEMI_STRAND_FLOATS (42 * 8)  // a member: four matrices and two vectors (kernels/rods.inl)

// Per part and substep: tuning turned into the numbers that the kernels multiply with.
typedef struct hemi_part_step {
    hemi_mat34 frame;                 // what the motion of the character's frame does to a free particle, this substep
    float gravity[3];                 // m/s^2 character space, scaled
    float wind[3];                    // m/s character space
    float keep;                       // exp(-damping h)
    float keep_angular;               // exp(-angular_damping h)
    float damped_h, damped_angular_h; // damping and angular_damping times h
    float drag, lift;                 // times h
    float max_speed;
    float alpha[8];     // compliance / h^2
    float beta[8];      // link damping * compliance / h (XPBD gamma); 0 = undamped
    float stiffness[8]; // PBD and Jacobi
    float drive_keep;   // of the last substep's way, as seen from the target (kernels/drive.inl: E)
    float drive_pull;   // of the way to the target (G); 0 = not driven
    float drive_stiff;  // (omega h)^2
    float drive_fall;   // how much gravity counts beside the spring (G / (omega h)^2)
    uint32_t tracking;
    float rod_stiffness;
    float region_alpha;   // share of the way to its goal that a particle of a lattice goes
    float region_damping; // share of the motion that is not its regions' which is taken away
    uint32_t region_width;
    float shape;        // share of the way to the goal that a group moves its members
    float tether_scale; // 1 + allowance
    float thickness, self_thickness, contact_radius, friction, restitution;
    float spacing; // of the part: what lengths of its contacts are shares of
    float lying;   // metres: twice the way of a substep from rest; what comes to a surface faster is a blow
    uint32_t solver, iterations;
    uint32_t follows; // chains do so
    uint32_t damped;  // any beta != 0
} hemi_part_step;

typedef struct hemi_solve {
    hemi_part_step* parts;
    hemi_target_row* now;  // targets of this substep
    hemi_row4* prev_q;     // oriented rows
    hem_rest_row* rest;    // oriented rows that track the pose: its shape in this substep
    hemi_row4* rest_q;     // and its rotations
    hemi_row3* normal;     // outward normals, for the air
    hemi_row3* force;      // what the force field adds
    hemi_row3* air;        // how it moves, with forces of wind
    float* left;           // of it behind the body, eight a row
    hemi_row4* delta;      // Jacobi corrections and their number; zero between the kernels that use them
    hemi_row3* delta_prev; // the part of them that is no motion
    uint8_t* moved_rows;   // lanes with something in delta; zero like it
    float* above;          // by particle, 0 to 1: it lies outside of cloth near it, as it should (kernels/contacts.inl)
    uint8_t* strained;     // lanes with a link that is too long, before threads are shortened (untangle.c)
    uint8_t* torn;         // and with one that is much too long
    uint8_t* stamps;       // of kernels/stretch.inl, like planes
    hemi_row4* planes;
    float* moment;                    // nine components per oriented row: m/5 R diag(a^2 b^2 c^2) Rrest^T
    float* strand;                    // what the sweeps along the longest strand keep for their way back
    double* region_sums[2];           // of lattices (kernels/regions.inl)
    double* region_share;             // per particle of oriented rows; like what follows, good for region_width
    float* region_fixed;              // HEMI_REGION_FIXED per oriented row
    hemi_region_shape* region_shape;  // per tile
    uint32_t* region_width;           // per lattice, that it was worked out for; 0 = none
    const hemi_derived* region_owner; // and of which class
    float* lambda;                    // XPBD multipliers, 8 per batch; only touched when a part iterates
} hemi_solve;

// -- Search: the broad phase, who may touch whom (kernels/pairs.inl)

// Eight boxes of the pair search, seven cache lines: around positions (low, high), around half ways (slow, fast), then
// the largest radius, and the largest radius against bodies.
#define HEMI_BOX_PLANES 14
typedef struct hemi_box8 {
    float plane[HEMI_BOX_PLANES][8];
} hemi_box8;

typedef struct hemi_hit {
    uint16_t slot, other;
    float distance; // to keep
} hemi_hit;

// Particles of one lane in up to eight successive rows: bit i stands for row + i.
typedef struct hemi_cluster {
    uint16_t row;
    uint8_t part;
    uint8_t members; // that collide
    uint8_t movable; // of those, the simulated ones
    uint8_t reserved[3];
} hemi_cluster;

typedef struct hemi_search {
    hemi_target_row* ahead;  // targets of the last substep before the next search
    hemi_mat34* part_frames; // the frame's motion until then, per part
    hemi_cluster* clusters;
    float* cluster_data;       // eight vectors each
    hemi_box8* cluster_box;    // one for each block
    hemi_box8* block_box;      // one for eight blocks
    hemi_box8* quarter_box;    // one for 64 blocks
    uint64_t* block_parts;     // that have clusters there
    uint64_t* block_partners;  // that collide with those
    hemi_box8* body_box;       // one for eight rows
    hemi_box8* body_block_box; // one for 64 rows
    uint8_t* body_members;     // lanes that are no pads
    hemi_hit* hits;            // with bodies as they are found, before they become lists
    uint8_t* near_counts;      // per particle
    uint32_t hit_capacity;     // of hits, and of pairs in hemi_contacts
    uint32_t hit_count;
} hemi_search;

// -- Contacts: what the search found, and what the contact kernels read of it in every substep (kernels/contacts.inl)

// One contact body: an animated collision particle as its neighbours see it in this substep. Groups of four floats, so
// that eight bodies load and transpose. The matrix S = R diag(a^2 b^2 c^2) R^T gives the support sqrt(n S n).
typedef struct hemi_body {
    float center[3], radius;   // tangent sphere of a surface particle; ellipsoids: center and largest radius
    float axis[3], surface;    // outward axis; surface 1: mirror the push, 0: ellipsoid
    float motion[3], friction; // of the center during this substep
    float s00, s11, s22, s01;
    float s02, s12, widest2, reserved; // widest2 = square of the largest radius
} hemi_body;

// Bodies near eight particles of a part: entry k of number i is list[first + k * 8 + i], and so is the distance to keep.
// Cloth lies on a limb along a line: of a row of particles one or two lanes are near a body, and near many.
typedef struct hemi_near {
    uint32_t first;
    uint16_t depth;
    uint16_t mask;    // which of them are there; the others repeat the first
    uint16_t slot[8]; // particles; the first has the longest list
} hemi_near;

typedef struct hemi_contacts {
    hemi_near* near_body; // those of part p from near_begin[p] on
    uint32_t near_begin[HEM_MAX_PARTS + 1];
    uint16_t* near_rank; // per particle that is near bodies: eight times which of them, and where in it
    uint16_t* near_list;
    float* near_distance; // that the pair keeps: the sum of radii, but never more than it had at rest
    uint32_t near_capacity;
    uint32_t near_count;
    uint16_t *pair_a, *pair_b; // simulated particles, each pair once, in whole eights
    float* pair_distance;      // in the memory of the search's hits, which are done with by then
    uint32_t pair_count;
    uint32_t side_begin, side_end; // pairs whose a lies outside the cloth of b: whole eights at the far end of the same
    hemi_body* bodies;      // one per slot of the body's rows (pads touch nothing) plus a dummy that touches nothing
    float* body_data;       // ten vectors per row: middle and half of their way, radius, center at rest
    uint8_t* body_tangents; // lanes that collide as tangent spheres
    float* support;         // seven components per oriented row: S and widest2 as in hemi_body
} hemi_contacts;

// -- Colliders

// Where a collider goes during the step, character space: position and rotation at its start and its end.
typedef struct hemi_collider_path {
    const hemi_collider* collider;
    const float (*planes)[4];
    const hemi_mesh* mesh;
    float pose[2][7];
} hemi_collider_path;

// A collider in the middle of a substep.
typedef struct hemi_shape {
    uint32_t kind;
    uint32_t mask;
    uint32_t plane_count;
    float friction, restitution, slide;
    float size[4];
    float slope, tangent; // of a capsule's cone: see touch_capsule
    float now[12];        // into its own space, rows of four
    float then[12];       // the same at the start of the substep, in the frame and world of the part
    float position[3];    // now
    float began[3];       // then
    float widest;         // of a capsule or sphere: its larger radius
    float shift, twist;   // |now p - then p| <= shift + twist |now p|
    const float (*planes)[4];
    hemi_mesh_shape mesh; // as it is in this substep
} hemi_shape;

// Boxes around the ways of a row's particles until the next search.
typedef struct hemi_way_row {
    hemi_row3 low, high;
} hemi_way_row;

// Eight threads of cloth and a thin collider that they may meet until the next search.
typedef struct hemi_edge_near {
    uint32_t batch; // of links
    uint32_t collider;
} hemi_edge_near;

typedef struct hemi_colliders {
    hemi_collider_path* paths; // the game's, then the asset's
    uint32_t count;            // of this step; 0 = none, or switched off
    hemi_shape* shapes;        // all of part 0, then all of part 1, ...
    uint64_t* row_colliders;   // bit c: collider c may touch the row; `words` per row
    uint32_t words;
    float* bounds; // six planes of `stride` floats
    uint32_t stride;
    hemi_way_row* ways;
    hemi_edge_near* edges; // by part, batch and collider
    uint32_t edge_capacity, edge_count;
    uint32_t edges_full; // there is no room for all: batches are asked in every substep
    uint32_t met[(HEM_MAX_COLLIDERS + HEMI_SCENE_COLLIDERS) / 32];    // bit c: some row may touch it
    uint32_t placed[(HEM_MAX_COLLIDERS + HEMI_SCENE_COLLIDERS) / 32]; // shapes are where the last substep left them
} hemi_colliders;

// -- Triangle meshes (kernels/mesh_near.inl)

#define HEMI_MESH_NEAR 10    // triangles kept for a particle; one with more near asks the tree in every substep
#define HEMI_MESH_NEAR_ROW 8 // room per row

// A triangle for each particle of a row: entry k has each lane's k-th nearest.
typedef struct hemi_mesh_near {
    hem_trimesh_corners corners, began; // where the step ends and began; the latter only if the mesh changes its shape
    float lower[8];       // metres; no nearer to where the particle was at the search, seen from the mesh there
    uint32_t triangle[8]; // UINT32_MAX = none
} hemi_mesh_near;

// Eight particles of a part that may touch a mesh until the next search, those with about as many triangles together.
typedef struct hemi_mesh_row {
    uint16_t particle[8]; // the last one repeats in lanes that are not there
    uint32_t lanes;       // that are
    uint32_t part, collider;
    uint32_t first, depth; // entries
    uint32_t asking;       // lanes that ask the tree
    uint32_t reserved[6];
    hemi_row3 start; // where the particles were at the search, the mesh's space
    hemi_row3 drift; // how the mesh by them moves until the next one
    float room[8];   // how far they may stray from both, or they ask the tree
} hemi_mesh_row;

typedef struct hemi_meshes {
    hemi_mesh_near* near;
    hemi_mesh_row* rows;
    uint32_t near_capacity, near_count, row_capacity, row_count;
    uint32_t mesh_count; // colliders that are meshes
    float begin, end;    // of the step: from the search to the next one
} hemi_meshes;

// -- Edges of cloth around edges of meshes (wraps.c, kernels/wraps.inl)

#define HEMI_WRAP_NEAR 128  // room per eight of edges for edges of meshes near it
#define HEMI_WRAP_EDGES 48  // and for different ones of them
#define HEMI_WRAP_POINTS 24 // virtual particles on one edge of cloth

// Eight edges of cloth and the edges of one mesh that they may meet until the next search.
typedef struct hemi_wrap_eight {
    uint32_t eight; // VIRTUAL_EDGES
    uint32_t collider;
    uint32_t first, count; // hemi_wraps.near
    uint32_t slow;         // they move so little until the next search that what is found first is good until then
} hemi_wrap_eight;

// An edge of a mesh near cloth, where it is at the start of the substep, character space.
typedef struct hemi_wrap_edge {
    float ends[2][3];
    float faces[2][3]; // normals of its triangles, once they were asked for
    uint32_t name;     // 4 * triangle + corner that it begins at
    uint32_t slot;     // where it is found by its name
    uint16_t collider;
    uint16_t asked; // 0 = not yet, HEMI_WRAP_CLOSED, HEMI_WRAP_OPEN: it has no inside
} hemi_wrap_edge;

#define HEMI_WRAP_CLOSED 1u
#define HEMI_WRAP_OPEN 2u

// An edge of cloth that goes around a mesh in this substep: from its first particle to the first virtual particle, and from
// the last one to its second. What lies between does not move.
typedef struct hemi_split {
    float place[2][3]; // of the first and last virtual particle at the end of the substep
    float began[2][3]; // and at its start
    float share[2];    // of the rest length, before the first and behind the last
    float lambda[2];   // with several passes
    uint16_t particle[2];
    uint32_t edge;     // 8 * VIRTUAL_EDGES + lane
    uint32_t count;    // virtual particles on it
    uint32_t eight;    // hemi_wraps.eights
    uint32_t names[2]; // where the first and the last one are on the mesh: hemi_wrap_edge.name,
    float along[2];    // how far along that edge,
    float above[3];    // and by how much above it
} hemi_split;

#define HEMI_WRAP_FREE 0xffffu

typedef struct hemi_wraps {
    hem_link_batch* links;    // copies of the asset's, in which links that go around something are off
    hem_index_batch* indexed; // the same
    hemi_split* splits;
    uint16_t* near;        // `edges`
    hemi_wrap_edge* edges; // in the order of their colliders
    uint16_t* slots;       // where an edge is found by its name
    hemi_wrap_eight* eights;
    hemi_wrapped* aside; // of who reads: as large as that of an instance
    uint32_t split_capacity, near_capacity, edge_capacity, slot_count, eight_capacity; // slots: a power of two
    uint32_t split_count, near_count, edge_count, eight_count, point_count;
    uint32_t loose_count; // edges that have slipped off, at the far end of `splits`
    uint32_t copied;      // in this step
} hemi_wraps;

// -- Cloth that a limb went through (untangle.c)

// A row with particles that are led back to the pose.
typedef struct hemi_led {
    hemi_row3 goal;
    float left[8]; // seconds until they arrive
    uint32_t row, mask;
    uint32_t reserved[6];
} hemi_led;

typedef struct hemi_untangle {
    hemi_led* led;
    uint32_t led_count;
} hemi_untangle;

// -- Forces (forces.c, kernels/forces.inl)

#define HEMI_WAVES 9

typedef struct hemi_wave { // of turbulence: amplitude * cos(vector . p + phase), the amplitude across the vector
    float vector[3];
    float phase;
    float amplitude[3];
    float reserved;
} hemi_wave;

// A force as it is in a substep, character space.
typedef struct hemi_force_now {
    uint32_t kind, mask;
    uint32_t index;        // among the scene's
    float inverse_radius2; // 0 = everywhere
    float position[3];
    float strength; // by its keys; of drag 1/s
    float axis[3];
    float inverse_length;
    float from, to;    // of an explosion: how far its shell is at the begin and at the end, in lengths
    float velocity[3]; // of what fills a box
    float size[3];
    float into[12]; // of drag: into the box's own space, rows of four
    hemi_wave waves[HEMI_WAVES];
} hemi_force_now;

typedef struct hemi_forces {
    hemi_force_now* now;
    uint32_t count; // that reach the instance in this step
} hemi_forces;

// -- All of a worker's, carved for the largest asset of the scene

typedef struct hemi_counters { // of the running step
    uint32_t candidate_count, contact_count, dropped_count, clamped_count, mended_count;
    uint32_t virtual_count, virtual_dropped_count;
    uint32_t looks, pair_looks;        // of the searches: at eight of the body, at eight particles
    uint32_t swept_rows;               // of threads brought back to their limit
    uint32_t swept_links, swept_pulls; // batches looked at, and those that were too long
    uint64_t work;                     // eights of anything: see hem_step_report.work_count
    uint64_t touched;                  // bit p: part p met a collider in the last pass of contacts
} hemi_counters;

// Guides of hair in the order of their cells (fullness.c); eight more than there are particles.
typedef struct hemi_crowd {
    float *x, *y, *z, *guide, *push, *uncrowd;
    float* out[3];
    uint32_t* slot;       // where in x the particle lies
    uint32_t* cell;       // of the slot
    uint32_t* cell_begin; // HEMI_CROWD_CELLS and one more
    uint32_t capacity;    // particles
} hemi_crowd;

#define HEMI_CROWD_CELLS(particles) (4 * (particles) + 64)

struct hemi_scratch {
    uint8_t* room; // that all arrays lie in: scratch_size bytes
    hemi_solve solve;
    hemi_search search;
    hemi_contacts contacts;
    hemi_colliders colliders;
    hemi_meshes meshes;
    hemi_wraps wraps;
    hemi_untangle untangle;
    hemi_forces forces;
    hemi_crowd crowd;
    hemi_counters counters;
};

#endif
