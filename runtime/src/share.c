// SPDX-License-Identifier: MIT
// Work within one instance that idle workers share.
//
// Whoever steps an instance opens a section: so many items that touch nothing in common. It goes through them itself; a
// worker that has no job of its own takes items too, as long as there are any. Nobody is waited for who has not begun, so
// a step ends with any number of helpers, none included, and each item gives the same bits whoever does it.
//
//   leader:  work, count | open = 1 | take items | open = 0 | wait while helpers > 0
//   helper:  if open: helpers + 1 | if still open: take items | helpers - 1
//
// open and helpers are written before the other is read, in one order for all, so that a helper that finds a section open
// is one that its leader waits for.

#include "runtime/src/step.h"

#define SHARED_ROWS 48 // an instance with fewer is not worth the talk

static void take_items(hemi_section* section, hemi_scratch* mine) {
    for (uint32_t i = HEM_ATOMIC_ADD(&section->next, 1u); i < section->count; i = HEM_ATOMIC_ADD(&section->next, 1u)) {
        section->work(section->user, i, mine);
    }
}

void hemi_share(const hemi_step* s, uint32_t count, hemi_section_work work, void* user) {
    hemi_section* section = s->section;
    if (!section || count < 2 || !HEM_ATOMIC_LOAD(&s->scene->share->idle) ||
        s->instance->view->info->row_count < SHARED_ROWS) {
        for (uint32_t i = 0; i < count; ++i) {
            work(user, i, s->scratch);
        }
        return;
    }
    section->work = work;
    section->user = user;
    section->count = count;
    HEM_ATOMIC_STORE(&section->next, 0u);
    HEM_ATOMIC_ADD(&section->open, 1u);
    take_items(section, s->scratch);
    HEM_ATOMIC_ADD(&section->open, 0xffffffffu);
    while (HEM_ATOMIC_ADD(&section->helpers, 0u)) {
        HEM_PAUSE();
    }
}

// Whether there was something to do.
static int join(hemi_section* section, hemi_scratch* mine) {
    if (!HEM_ATOMIC_LOAD(&section->open)) {
        return 0;
    }
    HEM_ATOMIC_ADD(&section->helpers, 1u);
    const int open = HEM_ATOMIC_ADD(&section->open, 0u) != 0;
    if (open) {
        take_items(section, mine);
    }
    HEM_ATOMIC_ADD(&section->helpers, 0xffffffffu);
    return open;
}

void hemi_help(hem_scene* scene, uint32_t worker, const uint32_t* others) {
    hemi_sharing* share = scene->share;
    HEM_ATOMIC_ADD(&share->idle, 1u);
    while (HEM_ATOMIC_LOAD(others)) {
        int any = 0;
        for (uint32_t i = 0; i < scene->worker_count; ++i) {
            any |= i != worker && join(&scene->sections[i], &scene->scratch[worker]);
        }
        if (!any) {
            HEM_PAUSE();
        }
    }
    HEM_ATOMIC_ADD(&share->idle, 0xffffffffu);
}
