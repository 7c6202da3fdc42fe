// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PLAYER_H
#define HEM_TOOLS_PLAYER_H

// Plays a clip of an asset through the runtime, a frame at a time, as a game would: one block of memory, one instance,
// poses in, vertices out. The same setup always gives the same run, bit for bit, so a run may be played once to measure it
// and again to draw it.

#include "tools/asset.h"
#include "tools/puppet.h"
#include "tools/seen.h"
#include "hem/trimesh.h"

typedef struct player_setup {
    const asset* source;
    int32_t clip;                 // -1: the bind pose
    float from;                   // s into the clip, where the run begins
    float hz;                     // frames a second
    const struct player* settled; // has settled in the same pose: begins from there; NULL: settles itself
    float settle_seconds;         // in the first pose, before time 0, speeding up to `velocity`; in whole frames
    float wind[3];                // m/s, world
    float gusts;                  // share of the wind's speed; above 0 the body shelters what is behind it
    float velocity[3];            // of the character through the world, m/s; pictures stay with it
    int32_t then_clip;            // goes over to this one and stops there; -1: does not
    float then_seconds;           // at this time
    int32_t lattice_clip;         // of a lattice itself, in place of what the pose makes of it; -1: none
    bool ground;                  // a plane to stand on
    const hem_trimesh* mesh;      // to lie on, where it was built; NULL: none
    hem_kernel kernel;
    int animation;     // as hem_instance_set_animation
    uint32_t features; // as hem_instance_set_features
    float pose_blend;  // 0: skeleton only
    uint32_t substeps; // 0: the runtime's choice
    int level;         // hem_level that it is held at; -1: no budget
    float throw_velocity[HEM_MAX_PARTS]
                        [3]; // m/s given to each part by an even push during the first PLAYER_THROW_SECONDS
} player_setup;

#define PLAYER_THROW_SECONDS 0.1f
#define PLAYER_GUST_LENGTH 1.0f // metres
#define PLAYER_SHELTER 0.8f
#define PLAYER_VIRTUAL_MAX 8192u
#define PLAYER_BLEND_SECONDS 0.25f // from the clip to then_clip
#define PLAYER_STOP_SECONDS 0.4f   // from `velocity` to standing, evenly

typedef struct player_frame {
    float seconds;
    hem_instance_stats stats;
    hem_step_report report;
    float step_us, skin_us; // measured
    seen_frame seen, alone; // on triangles, with physics and by the pose alone: filled by who watches (watch.h)
} player_frame;

typedef struct player {
    player_setup setup;
    void* block;
    size_t scene_size; // bytes given to the runtime
    hem_scene* scene;
    hem_instance_id id;
    float* pose;
    float* other_pose; // to blend from
    puppet puppet;
    float ground_height;
    int32_t frame_index; // of the frame last stepped; -1 at the start
} player;

player_setup player_setup_default(const asset* a);

// The height of the ground for an asset: 0, or its lowest vertex in the bind pose if that is lower.
float player_ground_height(const asset* a);

// Say what is wrong on stderr and return an exit code, or 0.
int player_begin(player* p, const player_setup* setup);
// Steps one frame; the puppet then shows it. With measure false the stats are left out, which is much faster.
int player_step(player* p, bool measure, player_frame* frame);
// The same without reading anything: the puppet stays as it was.
int player_skip(player* p);
// For scripts: steps once with p->pose, which the caller fills, and the root there at the end of it. puppet_read shows it.
int player_drive(player* p, const hem_root* root, float dt_seconds);
void player_end(player* p);

#endif
