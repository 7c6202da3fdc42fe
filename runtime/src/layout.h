// SPDX-License-Identifier: MIT
#ifndef HEM_RUNTIME_LAYOUT_H
#define HEM_RUNTIME_LAYOUT_H

// Carving: one function lays out a range, run once with a NULL base to measure and once with the block to place, so that
// the two cannot disagree. The same functions walk the arrays of a range for save, load and hash (visit), and find their
// way about a save (packed).

#include "runtime/src/internal.h"

typedef void (*hemi_visit)(void* user, void* array, size_t size);

typedef struct hemi_carve {
    uint8_t* base; // NULL = measuring
    size_t used;
    int overflow;
    int packed; // as in a save: no gaps
    size_t scratch_begin;
    size_t raw[3]
              [2]; // begin and end of the ranges of a scene's slots, which are cleared one by one: see hemi_clear_raw
    hemi_visit visit;
    void* user;
} hemi_carve;

// With the address sanitizer (HEM_POISON, which only a build with it defines) arrays have a gap behind them that must not
// be touched, and what rounding up leaves is part of it. Saves and hashes do not see the gaps. A block stays poisoned when
// its scene is done with: whoever uses the memory for something else calls __asan_unpoison_memory_region.
#ifdef HEM_POISON
#define HEMI_GAP 64
void __asan_poison_memory_region(void const volatile* begin, size_t size);
void __asan_unpoison_memory_region(void const volatile* begin, size_t size);
#define HEMI_POISON(begin, size) __asan_poison_memory_region(begin, size)
#define HEMI_UNPOISON(begin, size) __asan_unpoison_memory_region(begin, size)
#else
#define HEMI_GAP 0
#define HEMI_POISON(begin, size) ((void)(begin))
#define HEMI_UNPOISON(begin, size) ((void)(begin))
#endif

static inline void* hemi_take(hemi_carve* c, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX / 4 - c->used) / size) {
        c->overflow = 1;
        return NULL;
    }
    size_t at = c->used, end = at + count * size;
    c->used = c->packed ? end : ((end + 63) & ~(size_t)63) + HEMI_GAP;
    HEM_ASSERT(!c->visit || c->base);
    if (c->visit) {
        c->visit(c->user, c->base + at, count * size);
    } else if (c->base && !c->packed) {
        HEMI_POISON(c->base + end, c->used - end);
    }
    return c->base ? c->base + at : NULL;
}

// layout.c
void hemi_layout_scene_input(hemi_carve* c, uint32_t collider_capacity, uint32_t hull_plane_capacity,
                             uint32_t force_capacity, hem_scene* scene);
void hemi_layout_scene_state(hemi_carve* c, uint32_t collider_capacity, uint32_t force_capacity, uint32_t budget,
                             uint32_t reserve_slots, hem_scene* scene);
void hemi_layout_input(hemi_carve* c, const hem_view* view, uint32_t collider_capacity, uint32_t hull_plane_capacity,
                       uint32_t tie_capacity, uint32_t budget, hemi_instance* instance);
void hemi_layout_state(hemi_carve* c, const hem_view* view, uint32_t collider_capacity, uint32_t tie_capacity,
                       uint32_t budget, hemi_instance* instance);
void hemi_layout_instance(hemi_carve* c, const hem_view* view, uint32_t keep_previous, uint32_t budget,
                          hemi_instance* instance);
// Of one coarser level.
void hemi_layout_level_state(hemi_carve* c, const hem_view* view, hemi_instance* level);
void hemi_layout_level_derived(hemi_carve* c, const hem_view* view, hemi_instance* level);
// The arrays of the scene, and those of one instance, in order.
void hemi_visit_scene_input(const hem_scene* scene, hemi_visit visit, void* user);
void hemi_visit_scene_state(const hem_scene* scene, hemi_visit visit, void* user);
void hemi_visit_input(const hem_scene* scene, const hemi_instance* instance, hemi_visit visit, void* user);
void hemi_visit_state(const hem_scene* scene, const hemi_instance* instance, hemi_visit visit, void* user);

// Largest of each count over the assets of a scene.
typedef struct hemi_extent {
    uint32_t rows, oriented_rows, tracked_rows, lattice_rows, weighted_rows, strand, particles, anim_rows, parts,
        bodies, slabs, batches, colliders, edge_batches;
    uint32_t candidates; // near bodies, and as many pairs of particles
    uint32_t mesh_rows;  // that may be near triangle meshes
    uint32_t forces;
    uint32_t crowd; // particles of assets with guides that push each other
    uint32_t virtual_eights, virtual_particles, link_batches, index_batches; // 0 = no virtual particles
} hemi_extent;

void hemi_extent_add(hemi_extent* extent, const hem_view* view, const hem_scene_def* def);
void hemi_layout_scene(hemi_carve* c, const hem_scene_def* def, hem_scene** scene);
// Of the def's slots alone: what hem_scene_add_slots takes of the reserve.
void hemi_layout_slots(hemi_carve* c, const hem_scene_def* def, hemi_instance* instances, hemi_class* slots);
size_t hemi_scratch_size(const hemi_extent* extent); // of a worker
void hemi_lay_scratch(hem_scene* scene, const hemi_extent* extent);

// derive.c
void hemi_layout_derived(hemi_carve* c, const hem_view* view, hemi_derived* derived);
void hemi_derive(const hem_view* view, const hemi_kernels* kernels, hemi_derived* derived); // into zeroed memory
void hemi_derive_class(const hem_scene* scene, const hemi_class* slots); // all of its levels, and their prices

#endif
