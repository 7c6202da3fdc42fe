// SPDX-License-Identifier: MIT
// The broad phase: who may meet whom, and which collider, until the next search.

#include "runtime/src/step.h"

void hemi_phase_search(hemi_step* s) {
    hemi_instance* instance = s->instance;
    const hem_view* view = instance->view;
    const hemi_kernels* k = s->scene->kernels;
    hemi_scratch* scratch = s->scratch;
    hemi_search* search = &scratch->search;
    const uint32_t n = s->substep_count, begin = s->substep, end = s->search_end;
    HEM_ASSERT(begin < end && end <= n);
    s->search_begin = begin;
    const float s0 = (float)begin / (float)n, s1 = (float)end / (float)n, dt = (float)(end - begin) * s->h;
    const hem_quat world = hem_quat_slerp(s->path.from, s->path.to, s1);
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_tuning* t = &instance->tuning[p];
        search->part_frames[p] = hemi_frame_motion(&s->path, world, s0, s1, t->linear_inertia, t->angular_inertia);
    }
    if (s->touch) {
        hemi_derived without = *s->derived;
        without.simulated_pairs = s->light ? 0 : without.simulated_pairs;
        hemi_search_args args = {.view = view,
                                 .derived = &without,
                                 .x = instance->x,
                                 .v = instance->v,
                                 .parts = scratch->solve.parts,
                                 .from = begin > 0 ? scratch->solve.now : instance->target_prev,
                                 .to = instance->target_next,
                                 .part_frames = search->part_frames,
                                 .dt = dt,
                                 .surface = (instance->input->features & HEM_FEATURE_SURFACE) != 0,
                                 .search = search,
                                 .found = &scratch->contacts,
                                 .counters = &scratch->counters};
        if (end < n) {
            k->interpolate(instance->target_prev, instance->target_next, s1, view->anim_row_count, search->ahead);
            args.to = search->ahead;
        }
        k->find_near(&args);
    }
    if (scratch->colliders.count) {
        scratch->counters.work += (uint64_t)view->info->row_count * ((scratch->colliders.count + 7) / 8);
        k->cull_colliders(view, instance->x, instance->v, scratch->solve.parts, search->part_frames, dt,
                          &scratch->colliders);
    }
    if (scratch->meshes.mesh_count) {
        hemi_meshes* meshes = &scratch->meshes;
        meshes->begin = s0;
        meshes->end = s1;
        meshes->near_count = meshes->row_count = 0;
        if (scratch->colliders.count) {
            const hemi_mesh_args args = {
                view, instance->x, instance->v, scratch->solve.parts, &scratch->colliders, meshes, &scratch->counters,
                s0,   s1};
            k->find_meshes(&args, search->part_frames, dt);
        }
    }
}
