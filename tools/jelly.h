// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_JELLY_H
#define HEM_TOOLS_JELLY_H

#include "formats/hem_validate.h"
#include "hem/hem.h"

#include <stdbool.h>

// A box of particles as one lattice, compiled in memory, in a scene of its own.

#define JELLY_CELL 0.1f // metres

typedef struct jelly {
    uint8_t* bytes;
    void* block;
    uint32_t* particles; // of the asset, by place: x first, then y, then z
    int size[3];
    hem_view view;
    hem_asset asset;
    hem_scene* scene;
    hem_instance_id id;
    hem_asset_info info;
} jelly;

// Particles along each axis. driven: it knows its pose. reserve: particles that tears may take; 0: it cannot tear. It does not
// sleep. False: it cannot be made; to be closed all the same.
bool jelly_open(jelly* j, int nx, int ny, int nz, bool driven, uint32_t reserve);
void jelly_close(jelly* j);

#endif
