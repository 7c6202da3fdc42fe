// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_LAYOUT_H
#define HEM_RUNTIME_LAYOUT_H

// Carving: one function lays out a range, run once with a NULL base to measure and once with the block to place, so that
// the two cannot disagree.

#include "runtime/src/internal.h"

typedef struct hemi_carve {
    uint8_t* base; // NULL = measuring
    size_t used;
    int overflow;
} hemi_carve;

static inline void* hemi_take(hemi_carve* c, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX / 4 - c->used) / size) {
        c->overflow = 1;
        return NULL;
    }
    size_t at = c->used;
    c->used = (c->used + count * size + 63) & ~(size_t)63;
    return c->base ? c->base + at : NULL;
}

// layout.c
void hemi_layout_state(hemi_carve* c, const hem_view* view, uint32_t collider_capacity, hemi_instance* instance);
void hemi_layout_instance(hemi_carve* c, const hem_view* view, const hem_scene_def* def, hemi_instance* instance);

// Largest of each count over the assets of a scene.
typedef struct hemi_extent {
    uint32_t rows, oriented_rows, particles, anim_rows, parts, bodies, meeting, slabs, batches, colliders;
} hemi_extent;

void hemi_extent_add(hemi_extent* extent, const hem_view* view, const hem_scene_def* def);
void hemi_layout_scratch(hemi_carve* c, const hemi_extent* extent, const hem_scene_def* def, hemi_scratch* scratch);
void hemi_layout_scene(hemi_carve* c, const hem_scene_def* def, hem_scene** scene);

#endif
