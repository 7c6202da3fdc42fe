// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_INTERNAL_H
#define HEM_RUNTIME_INTERNAL_H

// What the runtime's files share. A game never sees this.
//
// The block of a scene, in order (every array starts on 64 bytes):
//
//   hem_scene | instance records | events | per asset ignored pairs |
//   STATE: per slot [ hemi_state | x | v | q | w | targets | past | caught | anchor ] |
//   per slot [ tuning | colliders | matrices ] | per worker scratch
//
// STATE is one pointer-free range: snapshot, rollback and hash work on it alone. Scratch holds nothing between steps.
//
// Bytes per particle of state: position and inverse mass 16, velocity 12, caught 1, anchor 3;
// oriented ones 28 more; animated rows 56 more.

#include "hem/hem.h"
#include "formats/hem_format.h"
#include "formats/hem_validate.h"
#include "platform/base.h"
#include "platform/math.h"

#ifndef HEM_ASSERT
#ifdef HEM_DEBUG
#define HEM_ASSERT(condition) ((condition) ? (void)0 : HEM_TRAP())
#else
#define HEM_ASSERT(condition) ((void)0)
#endif
#endif

void* memcpy(void* restrict to, const void* restrict from, size_t size);
void* memmove(void* to, const void* from, size_t size);
void* memset(void* to, int value, size_t size);

// A byte per lane, all at once: most rows have nothing to do.
static inline uint64_t hemi_eight_bytes(const uint8_t* bytes) {
    uint64_t all;
    memcpy(&all, bytes, 8);
    return all;
}

static inline uint32_t hemi_bit_count(uint32_t bits) {
    uint32_t n = 0;
    for (; bits; bits &= bits - 1) {
        ++n;
    }
    return n;
}

typedef struct hemi_row4 { // positions with inverse mass in w; or quaternions
    float x[8], y[8], z[8], w[8];
} hemi_row4;

typedef struct hemi_row3 {
    float x[8], y[8], z[8];
} hemi_row3;

typedef struct hemi_mat34 { // rows of four
    float m[12];
} hemi_mat34;

HEM_INLINE int hemi_frame_is_still(const hemi_mat34* frame) {
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    int still = 1;
    for (int i = 0; i < 12; ++i) {
        still &= frame->m[i] == identity[i];
    }
    return still;
}

// How fast the radius of a capsule falls from its first end to its second. Not beyond a cone: one sphere may hold the
// other.
HEM_INLINE float hemi_cone_slope(const float size[4]) {
    return size[2] > 0.0f ? hem_clampf((size[0] - size[1]) / (2.0f * size[2]), -0.99f, 0.99f) : 0.0f;
}

#define HEMI_HULL_PLANES 32 // per hull
#define HEMI_HULLS 4        // per instance, the game's and the asset's together

// Where an animated row has to be: at the end of the last step, and at the end of this one.
typedef struct hemi_target_row {
    hemi_row3 x;
    hemi_row4 q;
} hemi_target_row;

// The head of an instance's state.
typedef struct hemi_state {
    uint32_t generation;
    uint32_t alive;
    uint32_t asleep;
    uint32_t pose_changed; // since the last step
    float still_seconds;   // how long everything has stayed near its anchor
    float pose_still_seconds;
    float pose_blend;
    float time_scale;
    float gravity_scale;
    float gravity[3]; // world, when own_gravity
    uint32_t own_gravity;
    float wind[3]; // world
    uint32_t features;
    int32_t animation; // -1 = as the asset says
    uint32_t step_count;
    hem_root root;           // where the last step ended
    hem_root next_root;      // where this one will
    float carry_rotation[4]; // motion of the frame ridden in, world: p' = rotation * (p - carry_from) + carry_to
    double carry_from[3], carry_to[3];
    float match_rotation[4]; // momentum conserving animation: where the search for the rotation starts
    uint32_t carried;
    uint32_t jumped;        // teleported since the last step
    float felt_velocity[3]; // of the root as the particles feel it, world, m/s
    float felt_spin[3];     // rad/s
    float felt_acceleration, felt_turning;
    uint32_t reserved;
    uint64_t user;
} hemi_state;

// A collider as it was given. What it did in the last step is in the state: see hemi_collider_past.
typedef struct hemi_collider {
    uint32_t kind; // hem_shape_kind, the same numbers as hem_collider_kind
    int32_t bone;  // -1 = world, -2 = character space
    uint32_t mask;
    uint32_t plane_count;
    float friction;
    float size[4];
    double position[3];
    float rotation[4];
    uint32_t jumped;
    uint32_t hull;   // which of the instance's hulls
    float now[2][7]; // position and rotation, character space, at the start and the end of the running step
} hemi_collider;

typedef struct hemi_collider_past { // at the end of the last step, character space
    float pose[7];
    uint32_t valid;
} hemi_collider_past;

typedef struct hemi_hull {
    float planes[HEMI_HULL_PLANES][4];
} hemi_hull;

typedef struct hemi_asset { // what lies inside hem_asset
    uint32_t cookie;
    uint32_t fault_element;
    const char* fault_text;
    const char* fault_section;
    hem_view view;
} hemi_asset;

HEM_STATIC_ASSERT(sizeof(hemi_asset) <= sizeof(hem_asset), "hem_asset is too small");

// A bone as the kernels gather it: four rows of four.
typedef struct hemi_bone_pose {
    float m[12]; // bind -> posed
    float q[4];  // its rotation, made rigid
} hemi_bone_pose;

// One contact body: an animated collision particle as its neighbours see it in this substep. Groups of four floats, so
// that eight bodies load and transpose. The matrix S = R diag(a^2 b^2 c^2) R^T gives the support sqrt(n S n).
typedef struct hemi_body {
    float center[3], radius;   // tangent sphere of a surface particle; ellipsoids: center and largest radius
    float axis[3], surface;    // outward axis; surface 1: mirror the push, 0: ellipsoid
    float motion[3], friction; // of the center during this substep
    float s00, s11, s22, s01;
    float s02, s12, widest2, reserved; // widest2 = square of the largest radius
} hemi_body;

// Bodies near one row: entry k of lane i is list[first + k * 8 + i], and so is the distance to keep.
typedef struct hemi_near {
    uint32_t first;
    uint32_t depth;
} hemi_near;

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

// The pairs of a cluster with itself and with later ones of its lane that the ignore lists name: bit 8 i + j of pairs[k]
// stands for its row i and row j of the cluster that begins at row[k]. Almost all neighbours in the mesh are among them;
// what is not is found in the lists.
typedef struct hemi_ignored {
    uint64_t pairs[8];
    uint16_t row[8]; // UINT16_MAX = none
} hemi_ignored;

// Clusters begin anew with each part, so a part adds at most one to those of whole rows.
static inline uint32_t hemi_ignored_at(uint32_t part, uint32_t first_row, uint32_t lane) {
    return ((first_row >> 3) + part) * 8 + lane;
}

// Particles of one lane in up to eight successive rows: bit i stands for row + i.
typedef struct hemi_cluster {
    uint16_t row;
    uint8_t part;
    uint8_t members; // that collide
    uint8_t movable; // of those, the simulated ones
    uint8_t reserved[3];
} hemi_cluster;

// Positions in whole millimetres, modulo 256: enough to see whether something stays where it is.
typedef struct hemi_anchor_row {
    uint8_t mm[3][8];
} hemi_anchor_row;

// A row with particles that are led back to the pose.
typedef struct hemi_led {
    hemi_row3 goal;
    float left[8]; // seconds until they arrive
    uint32_t row, mask;
    uint32_t reserved[6];
} hemi_led;

#define HEMI_LED 128          // of hemi_instance.caught: from here on it is led back
#define HEMI_CAUGHT_HZ 256.0f // its unit of time
#define HEMI_CAUGHT_SECONDS 0.3f
#define HEMI_LED_SECONDS 0.25f

// Rotations are stored relative to the rest state: q is the identity at rest, the outward axis is q * (rest axis).

// Per part and substep: tuning turned into the numbers that the kernels multiply with.
typedef struct hemi_part_step {
    hemi_mat34 frame;   // what the motion of the character's frame does to a free particle, this substep
    float gravity[3];   // m/s^2 character space, scaled
    float wind[3];      // m/s character space
    float keep;         // exp(-damping h)
    float keep_angular; // exp(-angular_damping h)
    float drag, lift;   // times h
    float max_speed;
    float alpha[8];     // compliance / h^2
    float beta[8];      // link damping * compliance / h (XPBD gamma); 0 = undamped
    float stiffness[8]; // PBD and Jacobi
    float shape;        // share of the way to the goal that a group moves its members
    float tether_scale; // 1 + allowance
    float thickness, self_thickness, friction, restitution;
    uint32_t solver, iterations;
    uint32_t damped; // any beta != 0
} hemi_part_step;

// A collider in the middle of a substep.
typedef struct hemi_shape {
    uint32_t kind;
    uint32_t mask;
    uint32_t plane_count;
    float friction;
    float size[4];
    float slope, tangent; // of a capsule's cone: see touch_capsule
    float now[12];        // into its own space, rows of four
    float then[12];       // the same at the start of the substep, in the frame and world of the part
    float position[3];    // now
    float began[3];       // then
    const float (*planes)[4];
} hemi_shape;

// Scratch of one worker, carved for the largest asset of the scene.
typedef struct hemi_scratch {
    hemi_row4* prev_q;      // oriented rows
    hemi_row3* normal;      // outward normals, for the air
    hemi_row3* force;       // what the force field adds
    hemi_row4* delta;       // Jacobi corrections and their number; zero between the kernels that use them
    hemi_row3* delta_prev;  // the part of them that is no motion
    uint8_t* moved_rows;    // rows with something in delta; zero like it
    float* moment;          // nine components per oriented row: m/5 R diag(a^2 b^2 c^2) Rrest^T
    float* rest_moment;     // six components of the same at rest
    float* support;         // seven components per oriented row: S and widest2 as in hemi_body
    float* lambda;          // XPBD multipliers, 8 per batch; only touched when a part iterates
    hemi_target_row* now;   // interpolated targets of this substep
    hemi_target_row* ahead; // and of the last one before the next search
    hemi_body* bodies;      // one per slot of the body's rows (pads touch nothing) plus a dummy that touches nothing
    // What find_near knows of bodies, eight neighbours per row: middle and half of their way, radius, center at rest.
    uint16_t* body_row;
    uint16_t* body_target; // its row among the targets
    uint32_t body_row_count;
    uint32_t body_stride;      // rows, rounded up to eight
    float* body_data;          // ten vectors per row
    hemi_box8* body_box;       // one for eight rows
    hemi_box8* body_block_box; // one for 64 rows
    uint8_t* body_members;     // lanes that are no pads
    uint8_t* body_tangents;    // lanes that collide as tangent spheres
    uint64_t body_parts;       // parts of kind body
    uint64_t simulated_parts;  // the others
    uint32_t simulated_pairs;  // whether any of those collides with any of them
    hemi_near* near_body;      // per row
    uint16_t* near_list;
    float* near_distance; // that the pair keeps: the sum of radii, but never more than it had at rest
    uint32_t near_capacity;
    uint32_t near_count;
    uint8_t* near_counts; // per particle
    hemi_hit* hits;       // with bodies as they are found, before they become lists
    float* pair_distance; // in the same memory afterwards: pairs of simulated particles, each once, in whole eights
    uint16_t *pair_a, *pair_b;
    uint32_t hit_capacity; // of both
    uint32_t hit_count;
    uint32_t pair_count;
    const hemi_ignored* ignored; // of the asset, see hemi_class
    uint64_t* row_colliders;     // bit c: collider c may touch the row; collider_words per row
    uint32_t collider_words;
    hemi_led* led; // rows with caught particles
    uint32_t led_count;
    float* collider_bounds; // six planes of collider_stride floats
    uint32_t collider_stride;
    hemi_part_step* parts;
    uint64_t* part_pairs;    // bit p of entry o: parts o and p collide
    hemi_mat34* part_frames; // the frame's motion over the whole step, per part
    hemi_shape* colliders;   // interpolated, all of part 0, then all of part 1, ...
    uint32_t collider_count;
    // clusters of the pair search: see kernels_pairs.inl
    hemi_cluster* clusters;
    float* cluster_data;      // eight vectors each
    hemi_box8* cluster_box;   // one for each block
    hemi_box8* block_box;     // one for eight blocks
    hemi_box8* quarter_box;   // one for 64 blocks
    uint64_t* block_parts;    // that have clusters there
    uint64_t* block_partners; // that collide with those
    // counters of the running step
    uint32_t candidate_count, contact_count, dropped_count, clamped_count, mended_count;
} hemi_scratch;

struct hemi_kernels;

typedef struct hemi_instance {
    const hem_view* view;
    hemi_state* state;
    hemi_row4* x;
    hemi_row3* v; // during a substep where it began, in its frame: `prev` in the kernels
    hemi_row4* q; // oriented rows
    hemi_row3* w;
    hemi_target_row* target_prev; // anim rows
    hemi_target_row* target_next;
    hemi_collider_past* past;
    uint8_t* caught;          // per particle, see kernels_caught.inl
    hemi_anchor_row* anchor;  // where it was when still_seconds began
    hem_tuning* tuning;       // per part
    hemi_collider* colliders; // the game's, then the asset's
    hemi_hull* hulls;
    hemi_bone_pose* bones;      // pose, and the pose before
    hemi_bone_pose* bones_prev; // keep_previous, else the same
    float (*palette)[16];       // particle matrices of the last step, padded rows for skinning
    float (*palette_prev)[16];  // keep_previous
    hemi_row4* frame_q;         // cloth rows: orientation rest -> now, derived at the end of a step
    uint32_t collider_count;    // the game's
    uint32_t class_index;
    // of the running step
    uint32_t stepped;
    uint32_t event_mask;
    hem_step_report report;
} hemi_instance;

typedef struct hemi_class { // slots of one asset
    const hem_view* view;
    uint32_t first_instance, count;
    uint32_t state_size;   // per instance
    hemi_ignored* ignored; // per cluster: hemi_ignored_at; NULL = the asset has no ignore lists
} hemi_class;

struct hem_scene {
    uint32_t cookie;
    uint32_t instance_count;
    uint32_t class_count;
    uint32_t worker_count;
    uint32_t collider_capacity;
    uint32_t keep_previous;
    uint32_t substep_limit;
    float substep_hz;
    float gravity[3];
    hem_kernel kernel;
    const struct hemi_kernels* kernels;
    hemi_class* classes;
    hemi_instance* instances;
    hemi_scratch* scratch;
    uint8_t* state;
    size_t state_size;
    hem_event* events;
    uint32_t event_capacity, event_count, event_lost;
    uint32_t step_open;
    hem_step_args args;
    hem_step_report report;
    hem_force_field force_field;
    void* force_user;
    uint64_t layout_hash; // of capacities and assets; a saved state must match
};

// Apply the frame's motion, forces and damping to a part's rows.
typedef struct hemi_predict {
    hemi_row4* x;
    hemi_row3* v;            // velocities or, chained, where the last substep began; afterwards where this one begins
    const hemi_row3* normal; // read when there is drag or lift
    const hem_shape_row* shape;
    const hemi_row3* force; // NULL = none
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

// One table per backend; every function is the same source compiled again.
typedef struct hemi_kernels {
    hem_kernel kernel;
    // Bones -> targets of anim rows (eq. 4).
    void (*targets)(const hem_view* view, const hemi_bone_pose* bones, hemi_target_row* out);
    // The same for every row, straight into positions and rotations.
    void (*pose_rows)(const hem_view* view, const hemi_bone_pose* bones, hemi_row4* x, hemi_row4* q);
    void (*predict)(const hemi_predict* args);
    void (*predict_rotation)(hemi_row4* q, const hemi_row3* w, hemi_row4* prev_q, const hem_shape_row* shape,
                             uint32_t count, const hemi_part_step* part, float h);
    // Targets between two poses, and the direct overwrite.
    void (*interpolate)(const hemi_target_row* a, const hemi_target_row* b, float t, uint32_t count,
                        hemi_target_row* out);
    void (*links)(const hem_link_batch* batches, uint32_t count, const hemi_link_args* args);
    void (*links_indexed)(const hem_index_batch* batches, uint32_t count, const hemi_link_args* args);
    // Orientation terms of a soft part's rows: at rest, and turned.
    void (*rest_moments)(const hem_view* view, const hem_part* part, float* at_rest);
    void (*moments)(const hem_part* part, const hemi_row4* q, const float* at_rest, float* moment);
    void (*groups)(const hem_view* view, const hem_group_batch* batches, uint32_t count, hemi_row4* x, hemi_row4* q,
                   const float* moment, float share);
    void (*limits)(const hem_view* view, const hemi_target_row* now, hemi_row4* x);
    void (*apply_delta)(hemi_row4* x, hemi_row4* delta, uint32_t count, int average); // and clears it
    // Who may touch whom during this step; surface = tangent spheres where the asset has them.
    void (*find_near)(const hem_view* view, const hemi_instance* instance, hemi_scratch* scratch, float dt,
                      const hemi_mat34* part_frames, int surface);
    void (*continuous)(const hem_view* view, hemi_row4* x, hemi_row3* prev, hemi_scratch* scratch);
    // Bodies of this substep, from where the pose has them now and had them before.
    void (*place_bodies)(const hem_view* view, const hemi_row4* x, const hemi_row3* prev, const hemi_row4* q,
                         hemi_scratch* scratch);
    void (*supports)(const hem_view* view, const hem_part* part, const hemi_row4* q, float* support);
    void (*touch_bodies)(const hem_view* view, hemi_row4* x, hemi_row3* prev, hemi_scratch* scratch);
    void (*touch_particles)(const hem_view* view, hemi_row4* x, hemi_row3* prev, hemi_scratch* scratch);
    // Cloth that a limb went through (kernels_caught.inl).
    void (*watch_links)(const hem_view* view, const hem_part* part, const hemi_row4* x, uint8_t* strained);
    void (*pose_led)(const hem_view* view, const hemi_bone_pose* bones, hemi_led* led);
    // Colliders: which rows they may touch during the step, then the push.
    void (*cull_colliders)(const hem_view* view, const hemi_instance* instance, hemi_scratch* scratch, float dt,
                           const hemi_mat34* part_frames, uint32_t collider_count);
    void (*touch_colliders)(const hem_view* view, hemi_row4* x, hemi_row3* prev, hemi_scratch* scratch);
    // From where a substep began to velocities, in place. Returns whether all positions are below 32 km and all speeds
    // below 32 km/s, none of them NaN.
    uint32_t (*velocities)(const hemi_row4* x, hemi_row3* v, uint32_t count, float inverse_h);
    void (*angular_velocities)(const hemi_row4* q, const hemi_row4* prev_q, hemi_row3* w, uint32_t count,
                               float inverse_h);
    void (*frames)(const hem_view* view, const hemi_row4* x, uint32_t begin, uint32_t count, hemi_row4* out);
    void (*normals)(const hem_view* view, const hemi_row4* q, const hemi_row4* frame_q, hemi_row3* out);
    void (*palette)(const hem_view* view, const hemi_row4* x, const hemi_row4* q, const hemi_row4* frame_q,
                    float (*out)[16]);
    void (*skin)(const hem_view* view, const float (*palette)[16], const hemi_bone_pose* bones, float pose_blend,
                 const hem_skin_args* args);
} hemi_kernels;

const hemi_kernels* hemi_kernels_scalar(void);
const hemi_kernels* hemi_kernels_sse2(void);
const hemi_kernels* hemi_kernels_avx2(void);
const hemi_kernels* hemi_kernels_neon(void);
const hemi_kernels* hemi_kernels_wasm(void);
const hemi_kernels* hemi_kernels_choose(hem_kernel wanted); // NULL = not here

const hem_view* hemi_asset_view(const hem_asset* asset); // NULL = not open

// scene.c
hem_result hemi_find(const hem_scene* scene, hem_instance_id id, hemi_instance** instance);

// step.c
void hemi_step_instance(const hem_scene* scene, hemi_instance* instance, hemi_scratch* scratch, float dt,
                        uint32_t forced_substeps);
uint32_t hemi_collider_total(const hemi_instance* instance);
void hemi_place_on_pose(const hem_scene* scene, hemi_instance* instance); // every particle, at rest
int hemi_keeps_frames(const hemi_instance* instance);
void hemi_update_palette(const hem_scene* scene, hemi_instance* instance);

#endif
