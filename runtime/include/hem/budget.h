// SPDX-License-Identifier: MIT
#ifndef HEM_BUDGET_H
#define HEM_BUDGET_H

// A time budget for all that Hem does in a frame, spent on the instances by their importance: docs/budget.md.
//
//   hem_scene_def.budget           makes room for it; without, nothing here changes or costs anything
//   hem_scene_set_budget           microseconds of one core for each step; it stays until the next call
//   hem_instance_set_importance    who comes first, every frame if the camera moves
//   hem_scene_step                 begins with a plan: a level for each instance
//   hem_instance_get_plan          which, and why
//
// The plan is made from what the game said, what the last step left, the assets and the costs of the machine that the game
// is made for. It reads no clock: the same inputs give the same levels and the same bits on every machine, with any
// number of workers, and after a load.

#include "hem/hem.h"

#ifdef __cplusplus
extern "C" {
#endif

// What an instance is given, from the best to the cheapest.
typedef enum hem_level {
    HEM_LEVEL_FULL = 0,
    HEM_LEVEL_LIGHT = 1,  // half as many substeps, and cloth is not kept off cloth
    HEM_LEVEL_COARSE = 2, // fewer particles: of assets that have coarser levels of detail, "levels" in their recipe
    HEM_LEVEL_HALF =
        3, // (with a coarser level yet) simulated every other frame, with the time that has passed; shown smoothly in between
    HEM_LEVEL_QUARTER = 4, // every fourth
    HEM_LEVEL_FROZEN = 5,  // keeps the shape that it had and goes with its bones
    HEM_LEVEL_POSE = 6,    // its bones alone, as with a pose_blend of 0
} hem_level;
#define HEM_LEVEL_COUNT 7

const char* hem_level_name(hem_level level); // "full"; NULL = there is none

// What the game pays for besides steps: hem_scene_def.budget.
typedef enum hem_budget_mode {
    HEM_BUDGET_NONE = 0,
    HEM_BUDGET_STEP = 1,   // vertices are skinned elsewhere, from hem_instance_get_matrices
    HEM_BUDGET_MOVING = 2, // hem_instance_skin in every frame for all above HEM_LEVEL_POSE; the game skins those itself
    HEM_BUDGET_SKINNED = 3, // hem_instance_skin in every frame for all
    HEM_BUDGET_DYNAMIC = 4, // as HEM_BUDGET_MOVING, with HEM_SKIN_DYNAMIC
} hem_budget_mode;

// -- Costs

// Work that is counted: X(name, shipped nanoseconds of one, what). The shipped ones are those of the machine in
// docs/performance.md; `hem calibrate` measures those of another.
#define HEM_COSTS(X)                                                                                                   \
    X(bone, 28.5f, "bone of a pose")                                                                                   \
    X(target_row, 12.0f, "row of eight that follows the pose, once a frame")                                           \
    X(target_bone, 10.4f, "bone that such a row follows, once a frame")                                                \
    X(frame, 290.0f, "instance, each frame")                                                                           \
    X(frame_row, 4.8f, "row that follows the pose, each frame")                                                        \
    X(step, 400.0f, "instance that is stepped")                                                                        \
    X(step_row, 4.0f, "row, each step")                                                                                \
    X(inner_row, 70.0f, "row with inner damping, each step")                                                           \
    X(tear_row, 370.0f, "row of what can tear, each step")                                                             \
    X(collider, 67.0f, "collider, each step")                                                                          \
    X(substep, 105.0f, "substep")                                                                                      \
    X(row, 2.0f, "row of cloth, each substep: prediction and velocity")                                                \
    X(soft_row, 20.0f, "row of soft parts, each substep")                                                              \
    X(still_row, 1.0f, "row of the body, each substep")                                                                \
    X(animated_row, 18.0f, "row that follows the pose, each substep")                                                  \
    X(drive_row, 8.0f, "row that a drive pulls, each substep")                                                         \
    X(track_row, 5.0f, "row whose shape at rest is the pose, each substep")                                            \
    X(momentum_row, 145.0f, "row that follows the pose and keeps momentum, each substep")                              \
    X(air_row, 5.0f, "row that air acts on, each substep")                                                             \
    X(force_row, 20.0f, "force and row, each substep")                                                                 \
    X(sweep_row, 4.2f, "such a row, each sweep")                                                                       \
    X(sweep_link, 2.3f, "batch of threads looked at in a sweep")                                                       \
    X(sweep_pull, 13.4f, "batch of threads shortened in a sweep")                                                      \
    X(link, 4.85f, "batch of links, each pass")                                                                        \
    X(indexed_link, 53.0f, "batch of links by index, each pass")                                                       \
    X(group, 20.0f, "batch of groups, each pass")                                                                      \
    X(member, 9.5f, "member of a batch of groups, each pass")                                                          \
    X(rotated_member, 3.0f, "besides, of another lane")                                                                \
    X(indexed_member, 35.0f, "besides, of groups by index")                                                            \
    X(tracked_member, 3.2f, "besides, where the shape at rest is the pose")                                            \
    X(moment_row, 6.0f, "row of soft parts, each pass")                                                                \
    X(rod, 133.0f, "member of a batch of rods, each substep")                                                          \
    X(indexed_rod, 181.0f, "the same of strands by index")                                                             \
    X(chain, 100.0f, "member of a batch of chains, each pass")                                                         \
    X(fabric, 30.0f, "batch of triangles, bends or dihedrals, each pass")                                              \
    X(solid, 231.0f, "batch of tetrahedra, each substep")                                                              \
    X(spring, 20.0f, "batch of springs, each pass")                                                                    \
    X(region, 182.0f, "row of a lattice, each pass")                                                                   \
    X(search_row, 54.0f, "row that may touch, each search")                                                            \
    X(search_body, 108.0f, "row of the body, each search")                                                             \
    X(look, 0.5f, "look at eight of the body, each search")                                                            \
    X(pair_look, 1.8f, "look at eight particles, each search")                                                         \
    X(candidate, 3.3f, "near body or pair found, each search")                                                         \
    X(collider_row, 10.6f, "eight colliders and a row, each search")                                                   \
    X(body_row, 27.5f, "row of the body, each substep with contacts")                                                  \
    X(near, 2.0f, "near body, each contact pass")                                                                      \
    X(pair, 11.0f, "near pair, each contact pass")                                                                     \
    X(contact, 4.0f, "particle that touches, each contact pass")                                                       \
    X(support_row, 2.5f, "row of soft parts, each contact pass")                                                       \
    X(placed, 310.0f, "collider that a part may meet, each substep")                                                   \
    X(touch, 3.0f, "collider near a row, each contact pass")                                                           \
    X(mesh_near, 30.0f, "eight triangles near a row, each contact pass")                                               \
    X(offset_row, 20.0f, "row kept by its bones, each step")                                                           \
    X(show_row, 23.5f, "row shown by its bones, each frame without a step of its own")                                 \
    X(show_bone, 12.1f, "bone that such a row follows, each time")                                                     \
    X(pace_row, 31.0f, "row of an asset with levels of detail, each frame")                                            \
    X(turn_row, 35.6f, "row turned by its neighbours, each frame")                                                     \
    X(matrix_row, 19.3f, "row turned into matrices, each frame")                                                       \
    X(raise_row, 70.0f, "row of two levels of detail, each step of the coarser one")                                   \
    X(bone_vertex, 33.0f, "eight vertices of bones alone")                                                             \
    X(particle_vertex, 33.8f, "eight vertices of particles alone")                                                     \
    X(mixed_vertex, 60.0f, "eight vertices of particles and bones")                                                    \
    X(cell_vertex, 95.0f, "eight vertices in cells of a lattice, besides")

typedef enum hem_cost {
#define HEM_COST_ENUM(name, ns, what) HEM_COST_##name,
    HEM_COSTS(HEM_COST_ENUM)
#undef HEM_COST_ENUM
        HEM_COST_COUNT
} hem_cost;

// Nanoseconds of one of each, 0..1e6. Costs are read when a scene is made and are part of its layout: a save is of the
// same costs.
typedef struct hem_costs {
    uint32_t cookie; // set by hem_costs_default
    float ns[HEM_COST_COUNT];
} hem_costs;

hem_costs hem_costs_default(void);        // those that ship
const char* hem_cost_name(hem_cost cost); // "search_row"; NULL = there is none
const char* hem_cost_text(hem_cost cost); // what it counts

// -- Words

// Microseconds of one core for each step and what the mode of the def names, 0..1e6. 0 = no budget, the default: everybody
// has the best level that hem_instance_set_levels allows.
hem_result hem_scene_set_budget(hem_scene* scene, float microseconds);
// What a frame really took, by the game's clock: poses, step, skinning of all workers together. Optional, once a frame. The
// plan multiplies its costs by what it learns of this, slowly: a calibration of a similar machine will do. It is a word
// like any other: said again in a replay, it gives the same bits.
hem_result hem_scene_set_measured(hem_scene* scene, float microseconds);
// 0..1e6, default 1. Twice as important is worth twice the time. hem_importance makes one of what the camera sees.
hem_result hem_instance_set_importance(hem_scene* scene, hem_instance_id id, float importance);
// The best and the worst level that it may be given: default HEM_LEVEL_FULL and HEM_LEVEL_POSE. Both the same = that one,
// also without a budget.
hem_result hem_instance_set_levels(hem_scene* scene, hem_instance_id id, hem_level best, hem_level worst);

// Share of the height of the picture that something of this radius takes up at this distance, metres both, with a field of
// view of 60 degrees; what is out of sight counts a tenth. 0 for what is no number.
float hem_importance(float radius, float distance, int visible);

// -- Reading

typedef enum hem_plan_reason {
    HEM_PLAN_WANTED = 0, // it has the best level that it may have
    HEM_PLAN_PRICE = 1,  // others are worth more for the same time
    HEM_PLAN_WAITS = 2,  // it may rise when there has been room for a while
    HEM_PLAN_WORST = 3,  // it may not fall further, whatever the budget
    HEM_PLAN_ASLEEP = 4, // it rests and costs next to nothing
} hem_plan_reason;

typedef struct hem_plan {
    hem_level level;
    hem_plan_reason reason;
    uint32_t rank, count; // 1 = the most important of so many
    uint32_t simulated;   // in this step; 0 = shown by its bones
    float blend;          // 0..1, for who skins elsewhere: times its pose_blend, how much particles count
    float wanted_us;      // a frame at its best level
    float given_us;       // a frame at its level, on average
    float now_us;         // what this frame was planned to take
    float left_us;        // of the budget, when all of its rank and above have theirs; below 0: over it
} hem_plan;

// Of the last step that began.
hem_result hem_instance_get_plan(const hem_scene* scene, hem_instance_id id, hem_plan* plan);
// The same in words, cut to size: "half: rank 31 of 40, wanted 41 us, given 12, 3 left: others are worth more".
hem_result hem_instance_plan_text(const hem_scene* scene, hem_instance_id id, char* text, size_t size);

typedef struct hem_budget_report {
    float budget_us;
    float planned_us; // for this frame; more than the budget = all have their worst level and it is still too much
    float scale;      // costs times this, learnt from hem_scene_set_measured; 1 = nothing learnt
    float price;      // of a microsecond: what the last one spent is worth
    uint32_t counts[HEM_LEVEL_COUNT]; // instances at each level
    uint32_t raised, lowered;         // in this step
} hem_budget_report;

hem_result hem_scene_get_budget(const hem_scene* scene, hem_budget_report* report);

// How much of each work a frame of this instance is at a level, now and on average: times hem_costs.ns it is what the plan
// reckons with. For calibration; not for every frame of a game. work: HEM_COST_COUNT numbers.
hem_result hem_instance_get_work(const hem_scene* scene, hem_instance_id id, hem_level level, float* work);

#ifdef __cplusplus
}
#endif
#endif
