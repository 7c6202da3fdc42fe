// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_CROWD_H
#define HEM_TOOLS_CROWD_H

// Many instances of one asset that play its first clip, each a little later than the one before, with the time of a frame
// taken in its parts: what `hem calibrate` and `hem prove budget` measure on.

#include "tools/asset.h"
#include "hem/budget.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct crowd {
    const asset* source;
    uint32_t count;
    uint32_t workers;
    void* block;
    hem_scene* scene;
    hem_instance_id* ids; // index1 0 = nobody there
    float* poses;         // of the clip, sampled at 60 Hz
    uint32_t pose_count;
    float *positions, *normals; // of one
    float speed;                // of all roots, m/s along z
} crowd;

typedef struct crowd_time { // nanoseconds that the thread was on a core
    uint64_t plan;          // the begin of the step
    uint64_t pose, step, skin;
} crowd_time;

uint64_t crowd_clock(void); // of the thread, nanoseconds

// costs NULL = those that ship. Nobody is there yet. After a failure, too, it is closed by crowd_close.
bool crowd_open(crowd* c, const asset* a, uint32_t count, hem_budget_mode mode, const hem_costs* costs,
                uint32_t workers);
void crowd_close(crowd* c);
bool crowd_add(crowd* c, uint32_t i, uint32_t frame); // in the pose of the frame
void crowd_remove(crowd* c, uint32_t i);
void crowd_say(crowd* c, uint32_t frame); // poses and roots of the frame
// Poses in, a step of 1/60 s, vertices and normals out of all that the mode counts. order NULL = jobs one after the other;
// else a list of all of them, given to the workers in turn.
crowd_time crowd_frame(crowd* c, uint32_t frame, hem_budget_mode mode, const uint32_t* order);

#endif
