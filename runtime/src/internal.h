// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_INTERNAL_H
#define HEM_RUNTIME_INTERNAL_H

// What the runtime's files share. A game never sees this.
//
// The block of a scene, in order (every array starts on 64 bytes; with the address sanitizer what lies between is
// poisoned):
//
//   hem_scene | classes | instance records | mesh records | scratch records | events | per asset DERIVED |
//   INPUT: hemi_scene_input | colliders | planes | forces, per mesh [ hemi_mesh_input | bones | triangles ],
//          per slot [ hemi_input | bones | tuning | colliders | planes | ties | wish | tracks ] |
//   STATE: past of the scene's colliders | ages of its forces | spent | generations of the reserve, per mesh [ hemi_mesh_state | bones_prev ],
//          per slot [ hemi_state | x | v | q | w | target_prev | past | caught | anchor | tie_past | wrapped |
//                     given | goal | goal_q | offset | offset_q | room_x | room_q | coarse | bones_past | fade | fade_q | pace | pace_q |
//                     per coarser level [ x | v | q | w | target_prev | caught | anchor ] | track_past ] |
//   derived from both, per mesh what particles meet, per slot [ target_next | frame_q | palette | bones_prev |
//   palette_prev | per coarser level [ target_next | frame_q | tuning ] ] | who rests | jobs | places of those who rest | bids and orders of the plan | per worker SCRATCH | the reserve, of which every
//   call that adds slots takes one piece: [ DERIVED of the asset | INPUT, STATE and derived of its slots ]
//
// INPUT is what the game said and still holds; ops write it (ops.inl), a step only reads it. STATE is what the last step
// left. Both are free of pointers, and a save, a load and a hash take both. Whatever else a step reads it derives from
// them or from the asset: scratch holds nothing between steps.
//
// Bytes per particle of state: position and inverse mass 16, velocity 12, caught 1, anchor 3; oriented ones 28 more;
// animated rows 28 more.

#include "hem/budget.h"
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

static inline int hemi_is_aligned(const void* p, size_t align) {
    return ((uintptr_t)p & (align - 1)) == 0;
}

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

#define HEM_MAX_SOUP 65536 // triangles
#define HEM_MAX_MESHES 1024

#define HEMI_WORKERS 64              // at most
#define HEMI_TIES 256                // of an instance, at most
#define HEMI_FORCES 256              // at most
#define HEMI_MAX_SUBSTEPS 64u        // of a step
#define HEMI_SCENE_COLLIDERS 256     // at most, besides HEM_MAX_COLLIDERS of an instance and its asset
#define HEMI_FELT_ACCELERATION 60.0f // m/s^2, see hem_instance_def
#define HEMI_FELT_TURNING 200.0f     // rad/s^2

// Where an animated row has to be: at the end of the last step, and at the end of this one.
typedef struct hemi_target_row {
    hemi_row3 x;
    hemi_row4 q;
} hemi_target_row;

// What the game said about an instance and still holds: the head of its input. A step reads it and leaves it as it is.
typedef struct hemi_input {
    hem_root root; // where the next step ends
    float pose_blend;
    float time_scale;
    float gravity_scale;
    float gravity[3]; // world, when own_gravity
    uint32_t own_gravity;
    float wind[3]; // world
    uint32_t features;
    int32_t animation; // -1 = as the asset says
    float felt_acceleration, felt_turning;
    uint64_t user;
    uint32_t collider_count; // the game's
    uint32_t generation;     // of the instance that this was said about
    // A carry holds for one step: the one that state.step_count becomes this number in. 0 = none.
    uint32_t carry_step;
    uint32_t tie_count;
    float carry_rotation[4]; // motion of the frame ridden in, world: p' = rotation * (p - carry_from) + carry_to
    double carry_from[3], carry_to[3];
    float sleep_distance, wake_distance; // from the viewpoint; 0 = however far
} hemi_input;

// The same for all instances.
typedef struct hemi_scene_input {
    float gravity[3];
    uint32_t has_force_field; // the function itself is the game's, outside
    uint32_t collider_count;
    uint32_t force_count;
    float budget_us;
    uint32_t has_viewpoint;
    double viewpoint[3]; // world
} hemi_scene_input;

// What the last step left, and what was said for the next one alone: the head of an instance's state.
typedef struct hemi_state {
    uint32_t generation;
    uint32_t alive;
    uint32_t asleep; // hemi_sleep
    uint32_t step_count;
    uint32_t substep_count; // of the last step whose number was Hem's to choose; 0 = there was none
    float still_seconds;    // how long everything has stayed near its anchor
    float pose_still_seconds;
    float h;                 // seconds of a substep of the last step; 0 = there was none
    hem_root root;           // where the last step ended
    float match_rotation[4]; // momentum conserving animation: where the search for the rotation starts
    float felt_velocity[3];  // of the root as the particles feel it, world, m/s
    float felt_spin[3];      // rad/s
    // Until the end of the next step:
    uint32_t pose_changed;
    uint32_t jumped; // teleported
    uint32_t woken;
    uint32_t heard;  // hash of what was in force in the last step: see heard.c
    float middle[3]; // of all that is simulated, when it fell asleep far away; character space
    uint32_t reserved;
} hemi_state;

typedef enum hemi_sleep {
    HEMI_AWAKE = 0,
    HEMI_AT_REST = 1,
    HEMI_AWAY = 2, // far from the viewpoint: see away.c
} hemi_sleep;

// -- With a budget (budget.c, show.c)

typedef struct hemi_wish { // INPUT
    float importance;
    uint32_t best, worst; // hem_level
    uint32_t reserved;
} hemi_wish;

#define HEMI_BLEND 64 // parts that the fade between particles and bones alone has

typedef struct hemi_given { // STATE, an instance
    uint32_t level;         // hem_level
    uint32_t age;           // frames that it has had it, at most 255
    uint32_t waited;        // frames since it was simulated, at most 255
    float waited_seconds;   // that passed for the character meanwhile
    uint32_t turn;          // whether it is simulated in this step
    uint32_t direct;        // shown is where the particles are; else offsets from the pose are
    uint32_t show_left;     // frames until the offsets shown have arrived
    uint32_t blend;         // of HEMI_BLEND, between bones alone and particles
    uint32_t near_count, pair_count, touch_count, mesh_count; // of its last simulated step
    uint32_t contact_count, placed_count;                     // particles that touched; colliders that a part may meet
    uint32_t look_count, pair_look_count;                     // at eight, a search
    uint32_t sweep_rows, sweep_links, sweep_pulls;            // of threads brought back to their limit
    uint32_t reserved;
    uint32_t rank, reason;
    float wanted_us, given_us, now_us, left_us;
} hemi_given;

typedef struct hemi_coarse { // STATE, an instance of an asset with levels of detail
    uint32_t level;          // whose arrays hold what the last step left besides the finest: of the asset; 0 = none
    uint32_t fades;          // frames since its last change, whose difference is not all gone; 0 = it is
    uint32_t placed;         // on the pose since the last step: there is nothing to fade from
    uint32_t reserved[13];
} hemi_coarse;

typedef struct hemi_spent { // STATE, the scene
    float scale;            // of all costs
    float planned_us;       // of the last step
    float price;
    uint32_t rank_count, raised, lowered;
    uint32_t reserved[2];
} hemi_spent;

// Nanoseconds of an asset's instances, from the costs of the scene.
typedef struct hemi_prices {
    float pose;                          // bones and targets, a frame
    float raise;                         // a step of which a level of detail takes part
    float skin, skin_dynamic, skin_pose; // a frame; without what bones alone move; with bones alone
    float offsets, shown;                // kept by its bones, a step; shown by them, a frame
    float drawn;                         // matrices, a frame
    float step, substep, search;
    float body; // a substep with contacts
    float candidate, near_one, pair_one, touch_one, mesh_one, collider, collider_row, force;
    float contact_one, placed_one, look_one, pair_look_one, sweep_row, sweep_link, sweep_pull;
    float supports;            // a pass of contacts
    float pass[HEM_MAX_PARTS]; // over the constraints of a part
    float once[HEM_MAX_PARTS]; // those that are solved whole, a substep
} hemi_prices;

typedef struct hemi_bid {         // of an instance in this plan; scratch of the step's begin
    float mean[HEM_LEVEL_COUNT];  // ns a frame
    float turn[HEM_LEVEL_COUNT];  // ns of a frame with a turn
    float worth[HEM_LEVEL_COUNT]; // the highest price at which it has the level
    float rest;                   // ns of a frame without
    float importance;
    uint32_t best, worst, level, age; // level: as it was
    uint32_t coarse;                  // the asset has coarser levels of detail
} hemi_bid;

// A collider as the game or the asset gave it. What it did in the last step is in the state: see hemi_collider_past.
typedef struct hemi_collider {
    double position[3];
    float rotation[4];
    float size[4];
    uint32_t kind; // hem_shape_kind, the same numbers as hem_collider_kind
    int32_t bone;  // -1 = world, -2 = character space
    uint32_t mask;
    float friction;
    uint32_t
        first_plane; // of a hull, among the instance's planes or those of the asset; of a mesh, which of the scene's
    uint32_t plane_count;
    float restitution, slide;
} hemi_collider;

typedef struct hemi_collider_past { // at the end of the last step, character space
    float pose[7];
    uint32_t whose; // hemi_collider_identity; 0 = there was none
} hemi_collider_past;

typedef struct hemi_world_past { // of a collider of the scene: where it was at the end of the last step, world
    double position[3];
    float rotation[4];
    uint32_t whose;
    uint32_t reserved;
} hemi_world_past;

// A tie as the game gave it. Where its place was at the end of the last step is in the state.
#define HEMI_TIE_WORLD (-1)         // `other` of a tie to a place in the world
#define HEMI_TIE_BONE(b) (-2 - (b)) // to a place on bone b; and of what is below -1, b

typedef struct hemi_tie {
    double position[3]; // world, or bind pose of the bone
    uint32_t particle;
    int32_t other; // a particle, HEMI_TIE_WORLD or HEMI_TIE_BONE
    float rest, stiffness, damping, force_limit;
    uint32_t joint;
    uint32_t reserved;
} hemi_tie;

// Whose it is stands beside it: after going back to an older state the input still holds later ties.
typedef struct hemi_tie_past {
    double position[3]; // world; on a bone character space
    uint32_t particle1; // + 1; 0 = there was none
    int32_t other;
} hemi_tie_past;

// What a lattice follows besides the pose, as the game said it. Where it is in time is in the state.
typedef struct hemi_track {
    uint32_t clip1; // + 1; 0 = the pose
    uint32_t loops;
    uint32_t keys_only;
    uint32_t paused;
    float speed;      // seconds of the clip per second
    float lerp_speed; // m/s: no target moves faster; 0 = however fast
    uint32_t reserved[2];
} hemi_track;

typedef struct hemi_track_past {
    uint32_t clip1;   // whose seconds they are
    float seconds;    // of the clip
    float blend_left; // seconds until its targets are reached
    uint32_t active;  // its rows' targets are not those of the pose
    uint32_t settled; // targets are where key and share have them
    uint32_t key;     // of the clip
    float share;      // of the way to the next key
    uint32_t reserved;
} hemi_track_past;

// A force as the game gave it. How long it has been there is in the state.
typedef struct hemi_force {
    double position[3];
    float rotation[4];
    float size[3], velocity[3];
    float strength, radius, length, speed, shelter;
    uint32_t reserved;
    uint32_t kind; // hem_force_kind
    uint32_t mask;
    uint32_t index1, generation; // of the instance that it is for; index1 0 = all
    uint32_t key_count;
    float period;
    hem_force_key keys[HEM_FORCE_KEYS];
} hemi_force;

typedef struct hemi_force_past {
    double seconds; // since it began
    uint32_t kind1; // of which kind, + 1; 0 = there was none
    uint32_t reserved;
} hemi_force_past;

typedef struct hemi_asset { // what lies inside hem_asset
    uint32_t cookie;
    uint32_t fault_element;
    const char* fault_section;
    union {
        hem_view views[HEM_MAX_LEVELS]; // of the file, then of its coarser levels
        char fault_text[384];
    };
} hemi_asset;

// view: of an asset, which has so many levels.
HEM_INLINE const hem_view* hemi_level_view(const hem_view* view, uint32_t level) {
    HEM_ASSERT(level <= view->level_count);
    return view + level;
}

HEM_STATIC_ASSERT(sizeof(hemi_asset) <= sizeof(hem_asset), "hem_asset is too small");

// A bone as the kernels gather it: four rows of four.
typedef struct hemi_bone_pose {
    float m[12]; // bind -> posed
    float q[4];  // its rotation, made rigid
} hemi_bone_pose;

// Positions modulo 65536: enough to see whether something stays where it is.
typedef struct hemi_anchor_row {
    uint16_t place[3][8]; // in units that sleep_speed gives: see sleep.c
} hemi_anchor_row;

#define HEMI_LED 128          // of hemi_instance.caught: from here on it is led back
#define HEMI_STRAINED 1.25f   // times its rest length
#define HEMI_TORN 1.6f        // such a link waits a third as long
#define HEMI_CAUGHT_HZ 128.0f // its unit of time
#define HEMI_CAUGHT_SECONDS 0.9f
#define HEMI_LED_SECONDS 0.25f
#define HEMI_PINCHED_SECONDS 3.0f // of a pose that stands still
#define HEMI_SNAGGED 1.5f         // times its rest length: such a link keeps awake

// What an edge of cloth that goes around a mesh remembers: that it does, and which way is up. Without it cloth that hangs
// over a rod on both sides would look the same as cloth below it.
typedef struct hemi_wrapped {
    int8_t up[3]; // n / 127; zero where it goes around nothing
    uint8_t now;  // 0 = a link, 1 = it goes around something, HEMI_WRAP_LOOSE; within a substep also HEMI_WRAP_SEEN
} hemi_wrapped;

typedef struct hemi_derived hemi_derived;
typedef struct hemi_mesh hemi_mesh;
typedef struct hemi_scratch hemi_scratch;

// Vectors of multipliers that constraints may keep from pass to pass: one for each batch of links, indexed links and row
// batches, then four for each triangle, bend and dihedral payload, in this order.
HEM_INLINE uint32_t hemi_fabric_multipliers(const hem_view* view) {
    return view->link_batch_count + view->index_batch_count + view->row_batch_count;
}

HEM_INLINE uint32_t hemi_multiplier_batches(const hem_view* view) {
    return hemi_fabric_multipliers(view) + 4 * (view->triangle_count + view->bend_count + view->dihedral_count);
}
typedef struct hemi_kernels hemi_kernels;

// Rotations are stored relative to the rest state: q is the identity at rest, the outward axis is q * (rest axis).

typedef struct hemi_instance {
    const hem_view* view;
    // INPUT
    hemi_input* input;
    hemi_bone_pose* bones;
    hem_tuning* tuning;       // per part
    hemi_collider* colliders; // the game's
    float (*planes)[4];       // of the game's hulls, one after the other
    hemi_tie* ties;
    hemi_track* tracks; // per lattice; NULL = the asset has no clips of lattices
    // STATE
    hemi_state* state;
    hemi_row4* x;
    hemi_row3* v; // during a substep where it began, in its frame: `prev` in the kernels
    hemi_row4* q; // oriented rows
    hemi_row3* w;
    hemi_target_row* target_prev; // anim rows, where the last step ended
    hemi_collider_past* past;     // room for the game's, then the asset's
    uint8_t* caught;              // per particle, see kernels/caught.inl
    hemi_anchor_row* anchor;      // where it was when still_seconds began
    hemi_tie_past* tie_past;
    hemi_wrapped* wrapped; // per lane of VIRTUAL_EDGES
    hemi_wish* wish;       // INPUT, with a budget; else NULL
    hemi_given* given;     // STATE, with a budget; else NULL
    hemi_row3* goal;       // where the particles are, as offsets from the pose in its axes
    hemi_row4* goal_q;     // oriented rows: turned how against the pose
    hemi_row3* offset;     // the same as it is shown, on its way to the goal
    hemi_row4* offset_q;
    hemi_row4 *room_x, *room_q; // what is drawn when that is not x and q
    hemi_coarse* coarse;        // NULL = the finest level alone: levels.c
    hemi_bone_pose* bones_past; // those that target_prev is of
    hemi_row3* fade;            // what is shown besides the offset, on its way to nothing, in the axes of the character
    hemi_row4* fade_q;          // oriented rows: before the offset's turn
    float *pace, *pace_q;       // eight a row: how far it goes in a frame anyway, metres and sines of half an angle
    uint8_t* level_state;       // arrays of the coarser levels, one level behind the other
    hemi_track_past* track_past;
    uint16_t (*corners)[8];     // per cell of lattices, where some can tear: see tear.h
    uint16_t* homes;            // per particle: whose copy it is
    hemi_bone_pose* body_bones; // where the last step left the asset's own mesh: see meshes.h
    // Derived from both, and anew after a load
    struct hemi_own_mesh* body;   // NULL = the asset has no mesh of its own
    hemi_row4 *show_x, *show_q;   // what is drawn: x and q, or room_x and room_q
    hemi_target_row* target_next; // anim rows, from the bones
    hemi_row4* frame_q;           // cloth rows: orientation rest -> now
    float (*palette)[16];         // particle matrices, padded rows for skinning
    hemi_bone_pose* bones_prev;   // of the frame before, with keep_previous; else the same
    float (*palette_prev)[16];
    uint8_t* level_derived;
    struct hemi_torn* torn; // NULL = nothing can tear
    uint32_t class_index;   // HEMI_NO_CLASS = a slot of the reserve that nobody has
    uint32_t spoken;        // since `said` was made
    uint32_t said;          // hash of what is in force: see heard.c
    // of the running step
    hem_skin_args output; // where its vertices are written; positions NULL = nowhere
    uint32_t stepped;
    uint32_t quiet; // it slept before this step, and had no new pose
    uint32_t event_mask;
    hem_step_report report;
} hemi_instance;

typedef struct hemi_refusal { // see refuse.h
    uint32_t writing;         // atomic
    char text[252];
} hemi_refusal;

typedef struct hemi_class { // slots of one asset
    const hem_view* view;   // NULL = a record of the reserve that nobody has
    uint32_t first_instance, count;
    hemi_derived* derived;
    hemi_prices* prices; // NULL = no budget
    struct hemi_class_level {
        hemi_derived* derived;
        hemi_prices* prices;
    } levels[HEM_MAX_LEVELS - 1];      // coarser ones, with a budget
    size_t reserve_begin, reserve_end; // bytes of the reserve that it has; 0, 0 = none: the def gave it
} hemi_class;

#define HEMI_NO_CLASS 0xffffffffu

// What the step's begin and end read of an instance, a byte each, so that whoever rests costs one. Follows from STATE.
typedef enum hemi_slot {
    HEMI_SLOT_FREE = 0, // nobody lives there
    HEMI_SLOT_OPEN = 1, // it has a job
    HEMI_SLOT_REST = 2, // it sleeps, and nothing has been said since it was found to
    HEMI_SLOT_RAW = 3,  // nobody has ever lived there, and but for the head of its state its memory is as it was found
} hemi_slot;

typedef void (*hemi_section_work)(void* user, uint32_t item, hemi_scratch* mine);

typedef struct hemi_section { // of a worker: see share.c
    hemi_section_work work;
    void* user;
    uint32_t count;
    uint32_t next, open, helpers; // atomic
    uint32_t apart[22];           // two lines each: nobody waits for what a neighbour writes
} hemi_section;

typedef struct hemi_sharing { // atomic, all of them
    uint32_t running;         // jobs that have begun and not ended
    uint32_t left;            // jobs that have not ended
    uint32_t idle;            // workers that wait for something to share
    uint32_t next_job;        // of hem_scene_step_tasks
} hemi_sharing;

typedef struct hemi_job { // of the running step
    uint32_t instance;
    uint32_t taken, done; // atomic: of two workers that are given the same job, one is refused
} hemi_job;

// Of an instance without a job: at which distance from the viewpoint it has one again. Follows from INPUT and STATE.
typedef struct hemi_rest_place {
    double place[3]; // world
    float limit;     // 0 = the distance does not matter
    uint32_t away;
} hemi_rest_place;

struct hemi_op;

// Sees every op before it is applied; instance NULL = the whole scene. Elements may be gone afterwards.
typedef void (*hemi_op_watch)(void* user, const hem_scene* scene, const hemi_instance* instance,
                              const struct hemi_op* op);

struct hem_scene {
    uint32_t cookie;
    uint32_t instance_count;
    uint32_t class_count;
    uint32_t worker_count;
    uint32_t collider_capacity;
    uint32_t hull_plane_capacity;
    uint32_t scene_collider_capacity;
    uint32_t force_capacity;
    uint32_t tie_capacity;
    uint32_t virtual_capacity;
    uint32_t keep_previous;
    uint32_t budget; // hem_budget_mode
    uint32_t substep_limit;
    float substep_hz;
    hem_kernel kernel;
    const hemi_kernels* kernels;
    hemi_class* classes;
    hemi_instance* instances;
    hemi_mesh* meshes;
    uint32_t mesh_count;
    hemi_scratch* scratch;
    hemi_scene_input* input;
    hemi_collider* colliders; // INPUT, for all instances
    float (*planes)[4];
    hemi_force* forces;
    hemi_world_past* past; // STATE, of colliders
    hemi_force_past* force_past;
    hemi_spent* spent;             // STATE, with a budget; else NULL
    uint32_t* generations;         // STATE, per slot of the reserve: the last that lived there; NULL = no reserve
    hemi_bid* bids;                // an instance each
    uint32_t *order, *order_spare; // by importance
    size_t input_size, state_size; // of INPUT and STATE in a save
    uint8_t* slots;                // hemi_slot, an instance each
    uint32_t* rested_from;         // which step_number it rests since: its step_count lags behind, see hemi_catch_up
    hemi_rest_place* rest_places;  // an instance each, valid while it rests
    uint32_t looks_elsewhere;      // the viewpoint has changed since the last step
    hemi_job* jobs;                // of the running step, job_count of them
    uint32_t job_count;
    hemi_sharing* share;
    hemi_section* sections; // a worker each
    uint32_t step_number;
    // The reserve: instances from first_reserved on, classes from first_reserved_class on
    uint32_t first_reserved, first_reserved_class;
    uint8_t* reserve;
    size_t reserve_size, scratch_size;
    uint64_t fixed_hash;    // layout_hash without what came out of the reserve
    hem_scene_def capacity; // as it was made, without slots and meshes
    hem_costs costs;
    const hem_asset* coming; // of the op that adds slots: the asset itself is the game's and not recorded
    hemi_state nobody;       // the state of slots that nobody has
    hem_event* events;
    uint32_t event_capacity, event_count, event_lost;
    uint32_t spoken; // to the scene, since the last step began
    uint64_t said;   // hash of what is in force for all
    uint32_t step_open;
    hem_step_args args;
    hem_step_report report;
    hem_force_field force_field;
    void* force_user;
    hem_profile_hooks hooks;
    hemi_op_watch op_watch; // NULL = nobody
    void* op_watch_user;
    uint64_t layout_hash; // of capacities and assets; a saved state must match
    hemi_refusal refusal; // the last one
};

const hem_view* hemi_asset_view(const hem_asset* asset); // NULL = not open

// scene.c; `call` is the public function that asks, for the text of a refusal.
hem_result hemi_check(const hem_scene* scene);
hem_result hemi_check_idle(const hem_scene* scene, const char* call); // and no step is open
hem_result hemi_find(const hem_scene* scene, const char* call, hem_instance_id id, hemi_instance** instance);
hem_result hemi_find_idle(const hem_scene* scene, const char* call, hem_instance_id id, hemi_instance** instance);

// ops.c
void hemi_default_input(const hem_scene* scene, hemi_instance* instance); // as of an instance that nobody spoke to

// slots.c
void hemi_begin_slots(hem_scene* scene);                                    // of a new scene
void hemi_clear_raw(const hem_scene* scene, const hemi_instance* instance); // if it is: somebody comes, or looks
void hemi_give_slots(hem_scene* scene, const hem_asset* asset, uint32_t count);
void hemi_take_slots(hem_scene* scene, uint32_t class_index);

// away.c
void hemi_note_place(hem_scene* scene, uint32_t index); // of an instance that has no job from now on
void hemi_look_around(hem_scene* scene);                // before a step's jobs: who of them comes near or goes

// jobs.c: resting
void hemi_catch_up(const hem_scene* scene, const hemi_instance* instance); // its step_count is what it would be
void hemi_catch_up_all(const hem_scene* scene);
void hemi_disturb(hem_scene* scene, hemi_instance* instance); // something was said: it has a job in the next step
void hemi_disturb_all(hem_scene* scene);                      // and after a load, or slots that came and went

// instance_save.c
void hemi_restore(hem_scene* scene, hemi_instance* instance, const void* save);

// heard.c
void hemi_gather_words(hem_scene* scene); // before a step's jobs

// sleep.c
void hemi_keep_targets(hemi_instance* instance); // clips.c: those of the pose are where the last step ended
void hemi_wake(hemi_state* state);               // or, if it was awake, lets it rest anew

// pose.c
// NULL = the bind pose. Bones that hang do so where the character stands now.
void hemi_set_bones(const hem_scene* scene, hemi_instance* instance, const float* matrices, size_t stride);
void hemi_place_on_pose(const hem_scene* scene, hemi_instance* instance); // every particle, at rest

// colliders.c
// What makes a collider the same in two steps, so that it moved and did not come; never 0.
HEM_INLINE uint32_t hemi_collider_identity(const hemi_collider* c) {
    const uint32_t mesh = c->kind == HEM_COLLIDER_MESH ? c->first_plane : 0u;
    return 1u | c->kind << 1 | (uint32_t)(c->bone + 2) << 5 | mesh << 19;
}

typedef struct hemi_collider_ref {
    const hemi_collider* collider;
    hemi_collider_past* past;          // NULL = it is the scene's
    const hemi_world_past* world_past; // of the scene's, else NULL
    const float (*planes)[4];          // of a hull, else NULL
    const hemi_mesh* mesh;             // else NULL
} hemi_collider_ref;

uint32_t hemi_collider_total(const hem_scene* scene, const hemi_instance* instance);
// The instance's come first, then the scene's, then the asset's.
hemi_collider_ref hemi_collider_at(const hem_scene* scene, const hemi_instance* instance, uint32_t index);
// Where the last step left it, character space: position and rotation. 0 = it was not there yet.
int hemi_collider_now(const hemi_instance* instance, const hemi_collider_ref* ref, float pose[7]);
void hemi_keep_world_past(hem_scene* scene); // at the end of a step

// forces.c
void hemi_age_forces(hem_scene* scene); // at the end of a step

// snapshot.c
void hemi_measure_saves(hem_scene* scene); // sizes and layout_hash
// `from` points into a save. scene: whose capacities the save has.
int hemi_state_is_good(const hem_scene* scene, const hemi_instance* from, const hem_view* view);
int hemi_input_is_good(const hem_scene* scene, const hemi_instance* from, const hem_view* view);
void hemi_derive_loaded(hem_scene* scene, hemi_instance* instance, uint32_t kind);
uint64_t hemi_input_hash(const hem_scene* scene, const hemi_instance* instance);

// read.c
void hemi_skin(const hem_scene* scene, const hemi_instance* instance, const hem_skin_args* args); // that were checked
hem_skin_args hemi_skin_behind(const hem_skin_args* args, uint32_t done, uint32_t whole);
hem_quat hemi_turn_of(const hem_scene* scene, const hemi_instance* instance, uint32_t particle); // rest -> now

// cost.c
void hemi_price(const hem_view* view, const hem_costs* costs, hemi_prices* prices);
int hemi_costs_are_fine(const hem_costs* costs, uint32_t* worst); // which is not
// A frame's nanoseconds at each level. prices: of the asset, then of its coarser levels.
void hemi_bid_of(const hem_scene* scene, const hemi_instance* instance, const hemi_prices* const* prices,
                 hemi_bid* bid);
// How substeps go at a level.
typedef struct hemi_pace {
    uint32_t period;   // frames to a simulated one
    float hz;          // substeps a second, times those of the scene
    float slowest_hz;  // of substeps: none is longer than one over this
    float searches_hz; // at least so many a second
    uint32_t light;    // cloth is not kept off cloth
} hemi_pace;
const hemi_pace* hemi_pace_of(uint32_t level); // of those that simulate

// plan.c
int hemi_targets_moved(const hemi_instance* instance, float still); // since the last step
int hemi_root_moved(const hemi_input* input, const hemi_state* state, float still);

// budget.c
void hemi_learn_scale(hemi_spent* spent, float measured_us);
void hemi_plan_budget(hem_scene* scene);                 // before a step's jobs
int hemi_is_level(const hem_view* view, uint32_t level); // that an instance of the asset can be given

// levels.c
uint32_t hemi_level_wanted(const hemi_instance* instance, uint32_t level); // of detail, at this one of the plan
void hemi_forget_level(hemi_instance* instance); // the finest has been changed: who steps next begins from it
void hemi_keep_bones(hemi_instance* instance);   // target_prev is of these
void hemi_open_level(hemi_instance* instance, uint32_t level, hemi_instance* out);
void hemi_frame_level(const hem_scene* scene, hemi_instance* level); // its rotations, from where it is

// show.c
void hemi_show_pose(hemi_instance* instance);                              // it has just been placed there
void hemi_fade_from_here(const hem_scene* scene, hemi_instance* instance); // it is elsewhere now than it was shown
void hemi_show_again(hemi_instance* instance);                             // after a load
float hemi_blend_of(const hemi_instance* instance);                        // of particles, in drawing

// settle.c
int hemi_keeps_frames(const hemi_instance* instance);
void hemi_update_palette(const hem_scene* scene, hemi_instance* instance); // and the frames that it needs

#endif
