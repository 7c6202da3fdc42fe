// SPDX-License-Identifier: MIT
#ifndef HEM_HEM_H
#define HEM_HEM_H

// Hem, the runtime: physical secondary motion for animated characters, in memory that the game owns.
//
//   hem_asset_open      validates .hem bytes once and uses them in place
//   hem_scene_measure   how much memory a scene wants; hem_scene_init lays it out in the game's block
//   hem_scene_add       puts an instance of an asset into a slot
//   per frame           hem_instance_set_pose, _set_root, _set_colliders; hem_scene_step; hem_instance_skin
//
// No allocation, no globals, no threads, no callbacks but the force field and profiling hooks, no libc but memcpy, memmove
// and memset.
// Two calls on one scene must not overlap in time unless a function says that they may. The same inputs give the same
// bits on every machine, kernel and worker count.
//
// Spaces: everything goes in and comes out in character space (metres, the space of the bind pose), except roots and
// world colliders, which are in world space. World positions are doubles: a character far from the origin does not shake.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEM_VERSION_MAJOR 0
#define HEM_VERSION_MINOR 1
#define HEM_VERSION_PATCH 0
#define HEM_VERSION "0.1.0"

// The version the library was built as, major * 10000 + minor * 100 + patch.
uint32_t hem_version(void);

// -- Results

#define HEM_RESULTS(X)                                                                                                 \
    X(HEM_OK, 0, "done")                                                                                               \
    X(HEM_ERROR_NULL, 1, "a pointer that must be given is NULL")                                                       \
    X(HEM_ERROR_COOKIE, 2, "it was not made by its default function; call hem_..._default first and then fill it in")  \
    X(HEM_ERROR_RANGE, 3, "a value is outside its range or not finite; see the field's comment")                       \
    X(HEM_ERROR_MEMORY, 4, "the block is smaller than hem_scene_measure said, or not aligned as it said")              \
    X(HEM_ERROR_ASSET, 5, "the bytes are not a valid .hem asset; hem_asset_fault names the section and field")         \
    X(HEM_ERROR_ID, 6, "the id names no living instance of this scene")                                                \
    X(HEM_ERROR_FULL, 7, "no free slot for this asset; raise hem_slot_def.count")                                      \
    X(HEM_ERROR_SLOT, 8, "the scene has no slots for this asset; add it to hem_scene_def.slots")                       \
    X(HEM_ERROR_COUNT, 9, "a count does not match the asset or passes a capacity of the scene")                        \
    X(HEM_ERROR_KERNEL, 10, "this kernel is not in this build or not on this machine")                                 \
    X(HEM_ERROR_STATE, 11, "the save is cut short, damaged, or of another scene layout or version")                    \
    X(HEM_ERROR_BUSY, 12, "a step is open: finish its jobs with hem_scene_step_end first")                             \
    X(HEM_ERROR_FIELD, 13, "the saved scene had a force field: call hem_scene_set_force_field before hem_scene_load")  \
    X(HEM_ERROR_JOB_TWICE, 14, "this job of the open step has been run already: each runs once")                       \
    X(HEM_ERROR_JOBS_LEFT, 15, "jobs of the open step have not been run: run them, then end it")                       \
    X(HEM_ERROR_NO_STEP, 16, "no step is open: call hem_scene_step_begin first")                                       \
    X(HEM_ERROR_RESERVE, 17, "the scene's reserve has no room for these slots; hem_slots_measure says what they need") \
    X(HEM_ERROR_IN_USE, 18, "an instance lives in these slots: remove it first")

typedef enum hem_result {
#define HEM_RESULT_ENUM(name, value, text) name = value,
    HEM_RESULTS(HEM_RESULT_ENUM)
#undef HEM_RESULT_ENUM
} hem_result;

const char* hem_result_text(hem_result result);

// Whatever a call on a scene refuses changes nothing, and leaves a text that names the call, the field and the value:
//   "hem_instance_set_colliders: colliders[3].friction is 2: must be 0 to 1"
// It stays until the next refusal; "" = none yet. For calls without a scene: hem_scene_def_check, hem_asset_fault.
typedef struct hem_scene hem_scene;
const char* hem_scene_refusal(const hem_scene* scene);

// -- Assets

// Validated bytes. The struct is the game's; its contents are private. The bytes must stay in place, unchanged, while
// any scene uses the asset, and must start on a 64-byte boundary.
typedef struct hem_asset {
    uint64_t opaque[512];
} hem_asset;

typedef struct hem_asset_info {
    uint32_t particle_count;  // indices of the particle calls run to here; includes pads
    uint32_t simulated_count; // by role, without pads
    uint32_t attached_count;
    uint32_t body_count;
    uint32_t part_count;
    uint32_t bone_count;
    uint32_t vertex_count;
    uint32_t mesh_count;
    uint32_t collider_count;                            // of the asset itself
    uint32_t link_count;                                // distance constraints
    uint32_t group_count;                               // shape-matching groups
    uint32_t spare_count;                               // particles in reserve for tears
    uint32_t torn_vertex_capacity, torn_index_capacity; // see hem_torn; 0 = nothing can tear
    uint32_t input_size;    // bytes per instance in a save: what the game said (default capacities)
    uint32_t state_size;    // and what the last step left
    uint32_t instance_size; // bytes per instance in a scene's block, state included
    float bounds_min[3];    // rest pose, character space
    float bounds_max[3];
    float unit; // metres per unit of the glTF: `scale` of the recipe, or what automatic mode found
} hem_asset_info;

// Reads every byte that the runtime will ever use. Time is linear in the size. asset may be opened again at will.
hem_result hem_asset_open(hem_asset* asset, const void* bytes, size_t size);
// After HEM_ERROR_ASSET: what is wrong, in a sentence that lies in the asset ("bones[3].inverse_bind: a number is not
// finite or out of its range"), its section and element. section and element may be NULL. Never NULL.
const char* hem_asset_fault(const hem_asset* asset, const char** section, uint32_t* element);
hem_result hem_asset_get_info(const hem_asset* asset, hem_asset_info* info);
// Names stay valid as long as the bytes do; NULL when the index is out of range.
const char* hem_asset_bone_name(const hem_asset* asset, uint32_t bone);
const char* hem_asset_part_name(const hem_asset* asset, uint32_t part);
// -1 when there is none.
int32_t hem_asset_find_bone(const hem_asset* asset, const char* name);
int32_t hem_asset_find_part(const hem_asset* asset, const char* name);

// -- Scene

typedef enum hem_kernel {
    HEM_KERNEL_AUTO = 0, // the widest this machine has
    HEM_KERNEL_SCALAR = 1,
    HEM_KERNEL_SSE2 = 2,
    HEM_KERNEL_AVX2 = 3,
    HEM_KERNEL_NEON = 4,
    HEM_KERNEL_WASM = 5,
} hem_kernel;

typedef struct hem_memory {
    size_t size;
    size_t align; // 64
} hem_memory;

typedef struct hem_slot_def {
    const hem_asset* asset;
    uint32_t count; // instances of this asset that can live at once
} hem_slot_def;

struct hem_trimesh; // hem/trimesh.h
struct hem_costs;   // hem/budget.h

// A triangle mesh that colliders of the scene may be: an open one, or room for triangles that the game makes as it goes.
typedef struct hem_mesh_def {
    const struct hem_trimesh* mesh; // used in place, by any number of colliders and scenes; NULL = a soup
    uint32_t triangle_capacity;     // of a soup, at most 65536; about 500 bytes each; 0 = no soup
    int two_sided;                  // of a soup: holds from both sides; default 0: what is behind a triangle is inside
} hem_mesh_def;

typedef struct hem_scene_def {
    uint32_t cookie;                  // set by hem_scene_def_default
    uint32_t slot_count;              // entries of slots, 1..1024; also 0 with reserve_slots
    const hem_slot_def* slots;        // each asset at most once; read during measure and init only
    uint32_t collider_capacity;       // per instance besides the asset's own; 0..256, default 64; 112 bytes each
    uint32_t scene_collider_capacity; // of the scene itself, for all instances; 0..256, default 16; 128 bytes each
    uint32_t hull_plane_capacity;     // planes of the game's hulls together, per instance and of the scene; 0..4096,
                                      // default 128; 16 bytes each
    uint32_t candidate_capacity; // near bodies per particle, on average, and as many near pairs of particles; 4..256,
                                 // default 48; 14 bytes each per worker
    uint32_t worker_capacity;    // jobs that may run at once; 1..64, default 1; one scratch area each
    uint32_t event_capacity;     // default 64
    uint32_t tie_capacity;       // of hem_instance_set_ties, per instance; 0..256, default 0; 88 bytes each
    uint32_t
        virtual_capacity;    // virtual particles that may be in use by an instance at once (docs/meshes.md); 0..65536,
                             // default 1024; 0 = none. 128 bytes each per worker, where an asset has edges for them
    uint32_t force_capacity; // of hem_scene_set_forces; 0..256, default 0; 184 bytes each, and 416 per worker
    uint32_t keep_previous;  // 1 = keep the last frame's matrices for motion vectors; default 0; 64 bytes per particle
    hem_kernel kernel;       // default HEM_KERNEL_AUTO
    float substep_hz;       // substeps are as many as keep each at 1/hz or less; 60..2000, default 240. They may be 5 %
                            // longer before there is one more, so that 59.94 Hz costs what 60 does and nothing flickers
    uint32_t substep_limit; // per step, 1..64, default 16; longer frames lose time rather than stability
    float gravity[3];       // m/s^2, world space, default 0 -9.81 0
    const hem_mesh_def* meshes; // mesh_count of them, read during measure and init only; default NULL
    uint32_t mesh_count;        // 0..1024, default 0. With any, 6 KB of scratch per row of eight particles and worker
    uint32_t budget;            // hem_budget_mode of hem/budget.h, default 0 = none; else 40 bytes per particle,
                                // oriented ones 48 more
    const struct hem_costs* costs; // of the machine, read during measure and init only; NULL = those that ship
    uint32_t
        reserve_slots;   // that hem_scene_add_slots may give while the scene runs; with slots at most 65536; default 0
    size_t reserve_size; // bytes for them: hem_slots_measure; default 0
    size_t reserve_scratch; // bytes of scratch that each worker has at least: as above; default 0
} hem_scene_def;

hem_scene_def hem_scene_def_default(void);
// What measure would say, with the text of a refusal as hem_scene_refusal has it, cut to size. text may be NULL.
hem_result hem_scene_def_check(const hem_scene_def* def, char* text, size_t size);
// Size and alignment of the block. Same checks as init.
hem_result hem_scene_measure(const hem_scene_def* def, hem_memory* need);
// The block is the game's; it must stay in place while the scene is used. There is nothing to destroy.
hem_result hem_scene_init(hem_scene** scene, const hem_scene_def* def, void* block, size_t size);
// What slots that come later take of a scene of this def: for its reserve, or to see beforehand whether they fit.
typedef struct hem_slots_need {
    size_t size;    // bytes of reserve_size
    size_t scratch; // bytes that a worker's scratch must have: reserve_scratch, for these besides those of the def
} hem_slots_need;
hem_result hem_slots_measure(const hem_scene_def* def, const hem_slot_def* slots, uint32_t slot_count,
                             hem_slots_need* need);
// The kernel that was chosen.
hem_kernel hem_scene_kernel(const hem_scene* scene);
const char* hem_kernel_name(hem_kernel kernel);

// -- Instances

typedef struct hem_instance_id {
    uint32_t index1; // index + 1; 0 = null
    uint32_t generation;
} hem_instance_id;

typedef struct hem_root {
    double position[3]; // metres, world
    float rotation[4];  // unit quaternion x y z w
} hem_root;

typedef struct hem_instance_def {
    uint32_t cookie;
    const hem_asset* asset;
    hem_root root;       // default identity
    const float* pose;   // bone_count 3x4 matrices, as hem_instance_set_pose; NULL = bind pose
    float pose_blend;    // 0 = pure animation, 1 = simulation; default 1
    float time_scale;    // 0..8, default 1
    float gravity_scale; // default 1
    // The particles feel the root's motion as a velocity that follows it with bounded acceleration: what a game does to a
    // character within a frame (full speed, about face) is no motion of a body. Steady motion is felt as it is.
    float felt_acceleration; // m/s^2, above 0, at most 1e6; default 60
    float felt_turning;      // rad/s^2, above 0, at most 1e6; default 200
    uint64_t user;           // the game's own
} hem_instance_def;

hem_instance_def hem_instance_def_default(void);
// Starts at rest in the pose.
hem_result hem_scene_add(hem_scene* scene, const hem_instance_def* def, hem_instance_id* id);
hem_result hem_scene_remove(hem_scene* scene, hem_instance_id id);
int hem_instance_is_valid(const hem_scene* scene, hem_instance_id id);

// More slots out of the reserve, for an asset that the scene has none for yet, or more of those that it has. Nothing else
// in the scene moves. Time is that of clearing the memory.
hem_result hem_scene_add_slots(hem_scene* scene, const hem_slot_def* slots);
// Gives back to the reserve all that was added for the asset; what the def gave stays. Refused while an instance lives in
// one of them. Then the asset may be unloaded. Ids of instances that were there never become valid again.
hem_result hem_scene_remove_slots(hem_scene* scene, const hem_asset* asset);

typedef struct hem_reserve_report {
    uint32_t slots_left;
    size_t bytes_left;    // in all
    size_t largest_bytes; // that one call can have: what was taken and given back may leave gaps
} hem_reserve_report;
hem_result hem_scene_get_reserve(const hem_scene* scene, hem_reserve_report* report);

hem_result hem_instance_user(const hem_scene* scene, hem_instance_id id, uint64_t* user);

// Skinning matrices of this frame, bone_count of them, rows of four floats, stride in bytes between matrices (0 = 48): from
// the asset's rest shape (bind pose, character space, metres) to the posed character. What an engine has at hand, global
// joint * inverseBindMatrix of the glTF, is the same only where the glTF is in metres and bound where it stands; where it is
// not, it makes a horse of 540 metres, or one that lies on its back. hem_asset_pose_from_skin (hem/inspect.h) makes the
// right ones of those for every asset, hem_asset_pose_from_joints of the joints alone. A pose of absurd scale is refused.
// Reached at the end of the next step; substeps go there in between. Bones that a VRM swings are turned on top of it to where
// their gravity has them, as root and gravity are at this call.
hem_result hem_instance_set_pose(hem_scene* scene, hem_instance_id id, const float* matrices, uint32_t bone_count,
                                 size_t stride);
// Where the character stands at the end of the next step. The particles feel the motion, as far as felt_acceleration and
// felt_turning allow, scaled by their part's inertia.
hem_result hem_instance_set_root(hem_scene* scene, hem_instance_id id, const hem_root* root);
// Jumps there without feeling it. The cloth keeps its shape; keep_velocity = 0 also brings it to rest, else it moves on as
// before, seen from the character.
hem_result hem_instance_teleport(hem_scene* scene, hem_instance_id id, const hem_root* root, int keep_velocity);
// As in hem_instance_def; 1e6 = everything is felt, however sudden.
hem_result hem_instance_set_felt_limits(hem_scene* scene, hem_instance_id id, float acceleration, float turning);
// The frame the character rides in (a lift, a vehicle) moves by this much, world space, until the end of the next step.
// Its motion is not felt at all; call it together with hem_instance_set_root.
hem_result hem_instance_carry(hem_scene* scene, hem_instance_id id, const hem_root* from, const hem_root* to);
// Puts every particle where the current pose has it, at rest.
hem_result hem_instance_reset(hem_scene* scene, hem_instance_id id);
hem_result hem_instance_set_wind(hem_scene* scene, hem_instance_id id, const float velocity[3]);   // m/s, world
hem_result hem_instance_set_gravity(hem_scene* scene, hem_instance_id id, const float gravity[3]); // NULL = the scene's
hem_result hem_instance_set_pose_blend(hem_scene* scene, hem_instance_id id, float blend);         // 0..1, may fade
hem_result hem_instance_set_time_scale(hem_scene* scene, hem_instance_id id, float scale);         // 0..8; 0 = paused
// Animation mode of every part: 0 direct, 1 momentum conserving, -1 as the asset says.
hem_result hem_instance_set_animation(hem_scene* scene, hem_instance_id id, int mode);
// Switches parts of the method off, for comparisons: bits of hem_feature. All on by default.
hem_result hem_instance_set_features(hem_scene* scene, hem_instance_id id, uint32_t features);
// Whatever is changed by a call wakes, and so do a pose, a root and a collider that move; the same said again does not.
// This is for what Hem cannot see: a force field whose accelerations change.
hem_result hem_instance_wake(hem_scene* scene, hem_instance_id id);

// What is far from here sleeps, and nothing but the distance wakes it: the camera, the player. Said again whenever it moves;
// NULL = there is none, the default.
hem_result hem_scene_set_viewpoint(hem_scene* scene, const double position[3]);
// Falls asleep when the middle of its simulated particles is further than `sleep` metres from the viewpoint, and wakes when it is
// nearer than `wake`, 0..sleep. 0, 0 = however far, the default. What hangs on the pose goes with its bones meanwhile, what is
// free stays where it is; either begins at rest. HEM_FEATURE_SLEEP off = it does not sleep.
hem_result hem_instance_set_sleep_distance(hem_scene* scene, hem_instance_id id, float sleep, float wake);

typedef enum hem_feature {
    HEM_FEATURE_CONTINUOUS = 1,        // flipped pairs are put back, section 5.1
    HEM_FEATURE_SURFACE = 2,           // surface particles, section 5.2
    HEM_FEATURE_PARTICLE_CONTACTS = 4, // particles against particles
    HEM_FEATURE_COLLIDERS = 8,
    HEM_FEATURE_TETHERS = 16,
    HEM_FEATURE_LIMITS = 32,
    HEM_FEATURE_SLEEP = 64,
    HEM_FEATURE_UNTANGLE = 128, // cloth that a limb went through is led back to the pose
    HEM_FEATURE_ALL = 255
} hem_feature;

// Live tuning: the tuning section of a .hem (part_count entries of 256 bytes), copied; nothing is reset.
struct hem_tuning; // hem/tuning.h
hem_result hem_instance_set_tuning(hem_scene* scene, hem_instance_id id, const struct hem_tuning* tuning,
                                   uint32_t part_count);
// Writes part_count entries of 256 bytes (part_count: hem_asset_get_info); HEM_ERROR_COUNT when size is less than that.
hem_result hem_instance_get_tuning(const hem_scene* scene, hem_instance_id id, struct hem_tuning* tuning, size_t size);

// -- Colliders

typedef enum hem_collider_kind {
    HEM_COLLIDER_PLANE = 0,   // +y of the transform is its normal
    HEM_COLLIDER_SPHERE = 1,  // size[0] radius
    HEM_COLLIDER_CAPSULE = 2, // along y: radius size[0] at -size[2], radius size[1] at +size[2]
    HEM_COLLIDER_BOX = 3,     // half extents size[0..2], rounding radius size[3]
    HEM_COLLIDER_HULL = 4,    // planes
    HEM_COLLIDER_MESH = 5,    // triangles: see `mesh`
} hem_collider_kind;

typedef struct hem_collider {
    uint32_t cookie; // set by hem_collider_default
    hem_collider_kind kind;
    int32_t
        bone; // -1 = world space, the default; else the transform is in bind-pose character space and follows this bone
    double position[3];  // metres
    float rotation[4];   // unit quaternion, default 0 0 0 1
    float size[4];       // metres, by kind
    float friction;      // 0..1, default 0; of it and the part's the larger counts
    uint32_t mask;       // collision groups of parts it acts on, default ~0 = all; 0 = none
    const float* planes; // hull: x y z d, unit normals, dot(n, p) <= d is inside; 4 at least, copied
    uint32_t plane_count;
    uint32_t jumped; // 1 = it did not travel here from where it was in the last call
    uint32_t mesh;   // HEM_COLLIDER_MESH: which of hem_scene_def.meshes
    float
        restitution; // 0..1, default 0: speed away from it after a blow over that before; of it and the part's the larger
    float slide;     // 0..1, default 1: the same along it; below 1 a blow takes speed, whatever the friction
} hem_collider;

hem_collider hem_collider_default(void); // a sphere without a radius at the world's origin

// Replaces the instance's colliders. Collider i moves during the next step from where collider i of the last call was.
// Those of the scene and of the asset come on top. The array is copied. At most collider_capacity, with
// hull_plane_capacity planes together.
hem_result hem_instance_set_colliders(hem_scene* scene, hem_instance_id id, const hem_collider* colliders,
                                      uint32_t count);

// Skinning matrices of a skinned mesh (bind pose -> posed, the mesh's own space, rows of four; stride in bytes, 0 = 48).
// Reached at the end of the next step, wherever colliders have the mesh; jumped = 1: it did not travel there.
hem_result hem_scene_set_mesh_pose(hem_scene* scene, uint32_t mesh, const float* matrices, uint32_t bone_count,
                                   size_t stride, int jumped);
// Replaces the triangles of a soup: nine floats each, counter-clockwise seen from outside, the mesh's own space; copied.
// Time is n log n. They do not travel: what was said last is there at once.
hem_result hem_scene_set_mesh_triangles(hem_scene* scene, uint32_t mesh, const float* corners, uint32_t triangle_count);

// The same for all instances, also those that are added later: the ground, a wall, a moving door. World space only. Set
// once they stay until the next call; one that moves is said again every step. At most scene_collider_capacity.
hem_result hem_scene_set_colliders(hem_scene* scene, const hem_collider* colliders, uint32_t count);

// Accelerations added to rows of eight particles, character space. Called once per substep from whatever worker steps
// the instance; must be deterministic. position and velocity: x[8] y[8] z[8] blocks of 32 and 24 floats per row;
// acceleration: 24 floats per row, zero on entry.
typedef void (*hem_force_field)(void* user, hem_instance_id id, const float* position, const float* velocity,
                                float* acceleration, uint32_t row_count);
hem_result hem_scene_set_force_field(hem_scene* scene, hem_force_field field, void* user);

// -- Forces

// Accelerations in the world, the same for a feather and for lead. d is the distance from `position`, the axis is +y of
// `rotation`.
typedef enum hem_force_kind {
    HEM_FORCE_CONSTANT = 0, // along the axis
    HEM_FORCE_POINT = 1,    // towards the position; below 0 away from it
    HEM_FORCE_VORTEX = 2,   // about the axis, counter-clockwise seen from its tip; d is the distance from the axis
    HEM_FORCE_TURBULENCE =
        3, // eddies about as wide as `length` that go by with `speed`; strength is the root of the mean
           // square. They have no sources: what they blow into a place they take out of it
    HEM_FORCE_EXPLOSION = 4, // once: a shell as thick as `length` leaves the position with `speed`, and what it has
                             // passed is `strength` m/s faster, away from there; it ends at `radius`
    HEM_FORCE_DRAG = 5,      // in a box of half extents `size`: takes velocity away, relative to `velocity` of what
                             // fills it, at a rate of `strength` 1/s; a river, tall grass, a cushion of air
    HEM_FORCE_WIND = 6,      // no acceleration but air that moves, felt by drag and lift like hem_instance_set_wind and
    // besides it: `velocity`, times what keys say, with gusts of `strength` times its speed (root
    // of the mean square), about as wide as `length`, which the wind carries along
} hem_force_kind;

#define HEM_FORCE_KEYS 8

typedef struct hem_force_key {
    float seconds;  // since the force began, 0..1e6; not below those of the key before
    float strength; // times the force's own, -1000..1000; straight between keys, before the first as there and so after
} hem_force_key;    // the last

typedef struct hem_force {
    uint32_t cookie; // set by hem_force_default
    hem_force_kind kind;
    double position[3];   // metres, world
    float rotation[4];    // unit quaternion, world, default 0 0 0 1
    float strength;       // m/s^2 where the kind says nothing else; -1e4..1e4, of drag 0..1e4, of wind 0..10; default 0
    float radius;         // metres, 0..1e6: times (1 - d^2 / radius^2)^2; 0 = everywhere alike, the default. Of an
                          // explosion above 0; of drag not read
    float length;         // metres, 0.001..1e6, default 1
    float speed;          // m/s, 0.001..1e4 for an explosion, else 0..1e4; default 10
    float size[3];        // metres, 0..1e6
    float velocity[3];    // m/s, world, within 1000
    float shelter;        // of wind, 0..1: how much of it the body keeps off what is right behind it; default 0
    uint32_t mask;        // collision groups of parts that it acts on, default ~0 = all
    hem_instance_id only; // on this instance; default null = on all, also those that come later
    const hem_force_key* keys; // copied
    uint32_t key_count;        // at most HEM_FORCE_KEYS; 0 = always as strong
    float period;              // seconds after which the keys begin again, 0.001..1e6; 0 = never
    uint32_t restart;          // 1 = begins anew, though it was there in the last call
} hem_force;

hem_force hem_force_default(void);
// Replaces the scene's forces. They stay until the next call and begin with the next step; force i goes on in time from
// where force i of the last call is, if that was of the same kind. Their time is the scene's, not scaled. The array is
// copied. At most force_capacity.
hem_result hem_scene_set_forces(hem_scene* scene, const hem_force* forces, uint32_t count);

// -- Ties

// A damped spring from a particle to another of the same instance, to a place in the world, or to a place on a bone: a hand
// on a cape, a hair tie, a leash. With `joint` it is a joint: a particle fixed to the world, to a bone or to another.
typedef struct hem_tie {
    uint32_t cookie;   // set by hem_tie_default
    uint32_t particle; // as in hem_instance_get_particles, no pad
    int32_t other;     // another one, or -1 = the place, the default
    int32_t bone;    // -1 = the place is in the world, the default; else it is in bind-pose character space and follows
                     // this bone. Not read with another particle
    uint32_t joint;  // 1 = it holds against what the particle is part of, not only beside it: with a high stiffness a
                     // joint, which contacts alone can open. Default 0
    uint32_t jumped; // 1 = the place did not travel here from where it was in the last call
    double position[3]; // of the place, metres; reached at the end of the next step
    float rest;         // metres, 0..1e4, default 0
    float stiffness;    // N/m, 1e-3..1e6, default 100
    float damping;      // N s/m, 0..1e6, default 1
    float force_limit;  // N: it never pulls harder, 0..1e6; 0 = however hard, the default
} hem_tie;

hem_tie hem_tie_default(void);
// Replaces the instance's ties. They stay until the next call; a place that moves is said again every step. The array is
// copied. At most tie_capacity.
hem_result hem_instance_set_ties(hem_scene* scene, hem_instance_id id, const hem_tie* ties, uint32_t count);
// The simulated particle that is nearest to a place in the world, within reach metres of it (0 = however far); -1 = none.
hem_result hem_instance_find_particle(const hem_scene* scene, hem_instance_id id, const double position[3], float reach,
                                      int32_t* particle);

// -- Clips of lattices

// An animation of a lattice itself, as the asset holds it (docs/lattices.md).
typedef struct hem_asset_clip {
    const char* name; // stays valid as long as the bytes do
    uint32_t part;
    uint32_t key_count;
    float seconds;
    uint32_t interpolates; // 0 = targets change at keyframes only
    uint32_t loops;
} hem_asset_clip;

uint32_t hem_asset_clip_count(const hem_asset* asset);
hem_result hem_asset_get_clip(const hem_asset* asset, uint32_t clip, hem_asset_clip* info);
int32_t hem_asset_find_clip(const hem_asset* asset, const char* name); // -1 when there is none

typedef struct hem_clip_play {
    uint32_t cookie;     // set by hem_clip_play_default
    uint32_t clip;       // below hem_asset_clip_count
    float start_seconds; // where in the clip it begins, default 0
    float speed;         // 0..100, default 1
    float blend_seconds; // how long targets take from where they are to the clip, 0..1000, default 0
    float lerp_speed;    // m/s: no target moves faster than this; 0 = however fast, the default
    int32_t loop;        // 0, 1; -1 = as the asset says, the default
    uint32_t
        keys_only; // 1 = targets change at keyframes only, though the clip says otherwise; costs nothing between them
} hem_clip_play;

hem_clip_play hem_clip_play_default(void);
// From the next step on the lattice follows this clip in the place of the pose: its shape at rest (hem_tuning.tracking) and
// where a drive draws it. A clip that ends and does not loop stays at its last key. Time is that of the instance.
hem_result hem_instance_play_clip(hem_scene* scene, hem_instance_id id, const hem_clip_play* play);
hem_result hem_instance_pause_clip(hem_scene* scene, hem_instance_id id, uint32_t part, int paused); // 0 = goes on
// Back to the pose, within so many seconds and as fast as lerp_speed of the last clip allows.
hem_result hem_instance_stop_clip(hem_scene* scene, hem_instance_id id, uint32_t part, float blend_seconds);

typedef struct hem_clip_state {
    int32_t clip;     // -1 = none
    float seconds;    // of the clip
    float blend_left; // seconds
    uint32_t paused;
    uint32_t ended; // it does not loop and is at its last key
} hem_clip_state;

hem_result hem_instance_get_clip(const hem_scene* scene, hem_instance_id id, uint32_t part, hem_clip_state* state);

// -- Step

typedef struct hem_step_args {
    float dt_seconds;  // 0..1; below a microsecond, times time_scale, nothing moves
    uint32_t substeps; // 0 = from substep_hz; else forced, 1..64
} hem_step_args;

typedef struct hem_step_report {
    uint32_t instance_count;  // alive
    uint32_t stepped_count;   // not asleep, not paused
    uint32_t substep_count;   // of the longest
    uint32_t candidate_count; // near pairs tested
    uint32_t contact_count;   // particles that were pushed, by particles, bodies and colliders, last substep
    uint32_t dropped_count;   // candidates that found no room; at least so many: a search ends when it is full
    uint32_t clamped_count;   // particles slowed to max_speed
    uint32_t mended_count;    // particles that were not finite and were put back on the pose
    uint32_t led_count;       // particles led back to the pose: a limb went through them, or lies between them and it
    uint32_t virtual_count;   // virtual particles on edges of cloth, last substep
    uint32_t virtual_dropped_count; // those that found no room, and edges of meshes near cloth that found none
    uint64_t
        work_count; // what was looked at, eight at a time: the same on every machine; docs/runtime.md has its bound
} hem_step_report;

// One step of the whole scene on this thread. Fails only on wrong arguments, and then nothing has changed.
hem_result hem_scene_step(hem_scene* scene, const hem_step_args* args);
// The same in pieces for the game's job system: begin gives the number of jobs; each job must run once, on any thread,
// with a worker number that no other running job has; end closes the step. Same bits for any order and worker count.
// A job that was run is refused (JOB_TWICE), and so is an end before all of them are done (JOBS_LEFT): the step stays open
// and can be completed. Until then all other calls on the scene say BUSY, but those that ask for what a step leaves as it
// is: hem_instance_is_valid, hem_instance_user, hem_scene_kernel, hem_scene_save_size.
hem_result hem_scene_step_begin(hem_scene* scene, const hem_step_args* args, uint32_t* job_count);
hem_result hem_scene_step_job(hem_scene* scene, uint32_t job, uint32_t worker);
hem_result hem_scene_step_end(hem_scene* scene);
// For a worker that finds no more jobs while others still run: takes its share of the large characters among those, by
// parts, rows and vertices, and comes back when no job runs. It spins in between. Nobody waits for a helper that does not
// come, and the bits are the same with any number of them.
hem_result hem_scene_step_help(hem_scene* scene, uint32_t worker);

// The same through two functions of the game's job system. enqueue starts run(context, worker) on another thread, now or
// later, and returns what wait is to be given; wait returns when that has been run. hem_scene_step_tasks enqueues
// worker_capacity - 1 tasks, works on this thread too, waits for all and ends the step. A task that comes late finds nothing
// to do. enqueue may also run it at once.
typedef struct hem_tasks {
    void* (*enqueue)(void* user, void (*run)(void* context, uint32_t worker), void* context, uint32_t worker);
    void (*wait)(void* user, void* task);
    void* user;
} hem_tasks;
hem_result hem_scene_step_tasks(hem_scene* scene, const hem_step_args* args, const hem_tasks* tasks);
hem_result hem_scene_get_report(const hem_scene* scene, hem_step_report* report);

// A step goes through these phases in this order; some of them come again in every substep (docs/runtime.md). Names are
// static. NULL when the index is out of range.
uint32_t hem_phase_count(void);
const char* hem_phase_name(uint32_t phase);

// For profilers: called at the begin and the end of every phase of every instance, from whatever worker steps it. Either
// may be NULL. They must not call into the scene, and nothing that they do changes what is simulated.
typedef struct hem_profile_hooks {
    void (*begin)(void* user, const char* phase, hem_instance_id id);
    void (*end)(void* user, const char* phase, hem_instance_id id);
    void* user;
} hem_profile_hooks;
hem_result hem_scene_set_profile_hooks(hem_scene* scene, const hem_profile_hooks* hooks); // copied; NULL = none

typedef enum hem_event_kind {
    HEM_EVENT_SLEEP = 1,
    HEM_EVENT_WAKE = 2,
    HEM_EVENT_OVERFLOW = 3,     // candidates were dropped; value = how many
    HEM_EVENT_MENDED = 4,       // particles were not finite; value = how many
    HEM_EVENT_TORN = 5,         // a lattice has torn; value = particles that were split
    HEM_EVENT_TEAR_REFUSED = 6, // a lattice would tear, but its reserve is used up; value = faces that hold for that
} hem_event_kind;

typedef struct hem_event {
    hem_event_kind kind;
    hem_instance_id id;
    uint32_t value;
    float place[3]; // of tears: their middle, character space
    float size;     // m2, of the faces that opened, as they are at rest
} hem_event;

// Events of the last step, in instance order; valid until the next step. lost_count = those that found no room.
hem_result hem_scene_get_events(const hem_scene* scene, const hem_event** events, uint32_t* count,
                                uint32_t* lost_count);

// -- Reading

typedef struct hem_particle {
    float position[3];
    float rotation[4]; // now; its first axis points outward
    float velocity[3];
    float radii[3];
    float inverse_mass;
    uint32_t flags; // HEM_PARTICLE_* of hem_format.h
    uint32_t part;
} hem_particle;

// Particles [begin, begin + count). Orientations of cloth particles are derived from their neighbours.
hem_result hem_instance_get_particles(const hem_scene* scene, hem_instance_id id, uint32_t begin, uint32_t count,
                                      hem_particle* particles);
// 3x4 matrices rest -> now, rows of four floats, one per particle, for games that skin on the GPU. stride 0 = 48.
hem_result hem_instance_get_matrices(const hem_scene* scene, hem_instance_id id, float* matrices, size_t stride);

typedef struct hem_skin_args {
    uint32_t vertex_begin, vertex_count; // any range, so that jobs may share an instance
    float* positions;                    // three floats per vertex, required
    float* normals;                      // NULL = not wanted
    float* tangents;                     // xyzw, NULL = not wanted
    size_t position_stride;              // bytes, 0 = 12
    size_t normal_stride;                // bytes, 0 = 12
    size_t tangent_stride;               // bytes, 0 = 16
    int previous;                        // 1 = as of the frame before (needs keep_previous)
    uint32_t flags;                      // hem_skin_flag
} hem_skin_args;

typedef enum hem_skin_flag {
    // Only blocks of eight vertices (0 to 7, 8 to 15, ...) of which particles move at least one; the memory of the others
    // is left alone. The game draws those as it draws any skinned mesh: hem_asset_get_dynamic_ranges tells which.
    HEM_SKIN_DYNAMIC = 1,
} hem_skin_flag;

// Vertices of the asset, and behind them torn ones, blended from particles and bones, character space. Several may run at
// once on one scene. previous is for those of the asset alone.
hem_result hem_instance_skin(const hem_scene* scene, hem_instance_id id, const hem_skin_args* args);

// Skinning as part of the instance's job: from the next step on each step that is done with it writes its vertices here, as
// hem_instance_skin would afterwards, shared among workers as the rest is. args is copied, the buffers are the game's and
// stay until the next call; NULL = none. Vertices of the asset alone. Not part of saves; gone when the instance is removed.
hem_result hem_instance_set_output(hem_scene* scene, hem_instance_id id, const hem_skin_args* args);

typedef struct hem_instance_stats {
    float stretch_mean, stretch_max; // of warp, weft and shear links: |length / rest - 1|
    float kinetic_energy;            // joules, character frame
    float penetration_max;           // metres into body particles or colliders, beyond contact thickness
    uint32_t penetrating_count;      // simulated particles deeper than a fifth of their radius
    uint32_t contact_count;          // simulated particles touching something
    uint32_t simulated_count;
    float speed_max;
    float center_of_mass[3];
    uint32_t asleep; // 0, 1 = at rest, 2 = far from the viewpoint
} hem_instance_stats;

// Brute force, for tools and tests: not for every frame of a game.
hem_result hem_instance_get_stats(const hem_scene* scene, hem_instance_id id, hem_instance_stats* stats);

// -- Torn lattices (docs/lattices.md)

// A vertex that a tear made: behind the asset's, number vertex_count of the asset + its place in the list.
typedef struct hem_torn_vertex {
    uint32_t source;            // the asset's vertex whose attributes it has; HEM_TORN_CAP = of a closing surface
    float rest[3];              // where it lies in the rest shape, for the texture of a closing surface
    uint32_t cell, point, side; // what it is made of, for tools
} hem_torn_vertex;

#define HEM_TORN_CAP 0xffffffffu

typedef struct hem_torn {
    uint32_t change_count; // another number whenever any of this has changed: a tear, a reset, a load
    uint32_t piece_count;  // of all lattices that can tear
    uint32_t spare_used;   // of hem_asset_info.spare_count
    uint32_t vertex_count; // at most hem_asset_info.torn_vertex_capacity
    const hem_torn_vertex* vertices;
    const uint32_t* cap_indices; // closing surfaces, three per triangle, for a material of their own
    uint32_t cap_index_count;    // at most hem_asset_info.torn_index_capacity
} hem_torn;

// Valid until the next step, reset or load. All zero for assets that cannot tear.
hem_result hem_instance_get_torn(const hem_scene* scene, hem_instance_id id, hem_torn* torn);
// Rewrites the indices of a mesh, given as its primitive has them but into the whole vertex array, three per triangle in its
// order: triangles stay, some of their vertices become torn ones. Needed only when change_count is another one.
hem_result hem_instance_get_torn_indices(const hem_scene* scene, hem_instance_id id, uint32_t mesh, uint32_t* indices,
                                         uint32_t count);
// A number that all particles of a connected piece have.
hem_result hem_instance_get_piece(const hem_scene* scene, hem_instance_id id, uint32_t particle, uint32_t* piece);

// A virtual particle on an edge of cloth (docs/meshes.md), character space.
typedef struct hem_virtual_particle {
    float position[3];
    float share;          // of the edge's length, from the first of its particles to here
    uint32_t particle[2]; // the edge
} hem_virtual_particle;

// Those of the edges of its triangulation as they lie now, edge by edge and along each from its first particle, for drawing: worked
// out anew by every call. *count is how many there are; at most capacity are written. Not while another thread reads or steps.
hem_result hem_instance_get_virtual(const hem_scene* scene, hem_instance_id id, hem_virtual_particle* particles,
                                    uint32_t capacity, uint32_t* count);

// A vertex of cloth as it is drawn where it lies on meshes: on a thread between two particles, or within a face.
typedef struct hem_refined_vertex {
    float position[3];
    float weight[3];      // of the particles, for texture coordinates and what else is blended; they sum to 1
    uint32_t particle[3]; // on a thread the third is the second again
} hem_refined_vertex;

typedef struct hem_refined {
    hem_refined_vertex* vertices; // room of the caller, vertex_capacity of them
    uint32_t* indices;            // three per triangle: particles, and particle_count of the asset + i for vertices[i]
    uint32_t vertex_capacity, triangle_capacity;
    uint32_t vertex_count, triangle_count; // what was made; no more than there is room for is written
    uint32_t dropped_count;                // what found no room: the surface is coarser there
} hem_refined;

// All faces of parts with `virtual: faces`, those that a mesh comes through triangulated over it: the surface is outside of the mesh.
// Worked out anew by every call, without allocation. Not while another thread reads or steps.
hem_result hem_instance_get_refined(const hem_scene* scene, hem_instance_id id, hem_refined* refined);

// Colliders as they are now, character space: the instance's, the scene's, the asset's; for drawing. Returns those written in *count.
hem_result hem_instance_get_colliders(const hem_scene* scene, hem_instance_id id, hem_collider* colliders,
                                      uint32_t capacity, uint32_t* count);

// -- Snapshots

// What the next step depends on lies in two ranges. INPUT is what the game said and still holds: poses, roots, colliders,
// tuning, wind, gravity, limits, features, blends, and whether there is a force field. STATE is what the last step left.
// Everything else is derived from them and from the assets.
typedef enum hem_save_kind {
    // For rollback within one game. After the load INPUT is what it was before it: the game says again what it had said
    // for the step that it repeats. An instance that lives again in a slot whose INPUT is of another instance begins with
    // the defaults of hem_instance_def, at its saved root.
    HEM_SAVE_STATE = 1,
    // INPUT and STATE: loaded into a scene of the same def, also one that was never touched, on any machine, it goes on
    // bit for bit. The function of a force field is the game's and is set before the load; whether it is called is saved.
    HEM_SAVE_ALL = 2,
} hem_save_kind;

// Bytes of a save; the same for all saves of a scene. 0 = no scene, or no such kind.
size_t hem_scene_save_size(const hem_scene* scene, hem_save_kind kind);
hem_result hem_scene_save(const hem_scene* scene, hem_save_kind kind, void* bytes, size_t size);
// Either kind: the head of a save says which it is, and of which layout (slots, those of the reserve included, assets,
// capacities). A save that
// does not fit or whose values a call would have refused changes nothing. Ids are valid again as they were. The frame
// before, for motion vectors, is the loaded one.
hem_result hem_scene_load(hem_scene* scene, const void* bytes, size_t size);
hem_result hem_save_get_kind(const void* bytes, size_t size, hem_save_kind* kind);
// One instance alone, as a character that is carried from a lobby to a game, or kept while its slot serves another. It is
// loaded into a living instance of the same asset (the same bytes), of this scene or of another, whose capacities may be
// other ones as long as what was said fits. Id and `user` stay those of the instance; everything else of it is as it was,
// with HEM_SAVE_ALL also what the game had said. It goes on bit for bit in a slot of the same number and the same
// surroundings; in another slot the rare looks for stuck cloth come at other steps.
size_t hem_instance_save_size(const hem_scene* scene, hem_instance_id id, hem_save_kind kind);
hem_result hem_instance_save(const hem_scene* scene, hem_instance_id id, hem_save_kind kind, void* bytes, size_t size);
hem_result hem_instance_load(hem_scene* scene, hem_instance_id id, const void* bytes, size_t size);

// Hashes of INPUT and STATE: equal on every machine for equal inputs. 0 = no scene, or a step is open.
uint64_t hem_scene_hash(const hem_scene* scene);
hem_result hem_instance_hash(const hem_scene* scene, hem_instance_id id, uint64_t* hash);

#ifdef __cplusplus
}
#endif
#endif
