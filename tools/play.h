// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_PLAY_H
#define HEM_TOOLS_PLAY_H

// What the files of `hem play` share: play.c reads the command line and measures, play_picture.c draws strips and films,
// play_curves.c draws plots, play_report.c prints numbers, play_mesh.c makes colliders of meshes.

#include "tools/player.h"
#include "tools/watch.h"
#include "platform/terminal.h"

enum { PLAY_RUNS_MAX = 2 };

// What a name in --compare changes.
typedef struct play_variant {
    const char* name;
    const char* title;
    float pose_blend;
    int animation;
    uint32_t features_off;
    hem_kernel kernel; // AUTO: as --kernel says
    int level1;        // hem_level + 1; 0: as --level says
} play_variant;

typedef struct play_run {
    const play_variant* kind; // NULL: the plain run
    player_setup setup;
    player_frame* frames;
    int32_t frame_count;
    uint64_t hash; // of the last state
    watch seen;    // what crossed over all frames
    size_t scene_size;
    hem_kernel kernel;
    float box_min[3], box_max[3];   // of all frames, around their centres
    float view_min[3], view_max[3]; // of those that are drawn, along the picture's axes
    float (*centres)[2];            // x and z of the figure in each frame; all zero when the camera stands still
} play_run;

typedef struct play {
    asset source;
    int32_t clip, then_clip, lattice_clip;
    float then_seconds;
    float seconds, hz, film_hz;
    float from;         // the first moment that is drawn
    float direction[3]; // to look along; not for an orbit
    bool orbit;
    int32_t strip_count;
    puppet_overlay overlay;
    bool* hidden; // per mesh; NULL: all are drawn
    void* mesh_bytes;
    hem_trimesh mesh; // of --mesh, if mesh_bytes is not NULL
    int32_t strip_width, strip_height, film_width, film_height;
    const char* strip_path;
    const char* film_path;
    const char* plot_path;
    const char* title;
    bool small; // the strip in a palette
    bool as_json, follow, still;
    bool unseen; // triangles are not measured
    play_run runs[PLAY_RUNS_MAX];
    int32_t run_count;
    float box_min[3], box_max[3];   // of all runs
    float view_min[3], view_max[3]; // the same along the picture's axes
    hem_progress progress;
} play;

// Each says what is wrong and returns an exit code, or 0.
int play_build_mesh(play* p, const bool* taken); // meshes of the asset as they stand at rest
int play_write_strip(play* p);
int play_write_film(play* p);
int play_write_plot(play* p);

void play_print_json(const play* p);
void play_print_summary(const play* p);

// "cape.hem, run, 60 Hz"
void play_describe(const play* p, char* text, size_t size);
const char* play_clip_name(const play* p);
// The first frame that is drawn.
int32_t play_first_frame(const play* p, const play_run* r);
// Moves a box along x and z by sign * centre.
void play_shift_box(float box_min[3], float box_max[3], const float centre[2], float sign);
int play_compare_floats(const void* a, const void* b);

#endif
