// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_STAGE_H
#define HEM_TOOLS_STAGE_H

#include "tools/asset.h"

#include <stdbool.h>

// An asset in a scene of its own, and one instance once it is added.
typedef struct stage {
    const asset* source;
    void* block;
    hem_scene* scene;
    hem_instance_id id;
    float* pose;        // room for one
    hem_tuning* tuning; // room for one per part; stage_add puts the asset's there
} stage;

// A scene that nobody has touched. After a failure, too, the stage is closed.
bool stage_open(stage* s, const asset* a);
bool stage_add(stage* s);
hem_step_report stage_step(stage* s, double seconds);
void stage_close(stage* s);

#endif
