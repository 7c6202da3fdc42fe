// SPDX-License-Identifier: MIT
#include "tools/crowd.h"
#include "tools/prove_budget.h"

#include <stdlib.h>
#include <string.h>

// A thousand characters: how long the scene takes to lay out, and what those cost that sleep.

enum { SLEEPERS = 1000, AWAKE = 10, ROUNDS = 200, SETTLE_FRAMES = 3000 };

// One of them is stepped until it sleeps; the others are loaded from its save, which is what such saves are for.
static bool put_to_sleep(crowd* c) {
    const hem_step_args args = {.dt_seconds = 1.0f / 60.0f};
    hem_instance_def def = hem_instance_def_default();
    hem_step_report report = {.stepped_count = 1};
    hem_instance_id first = {0, 0};
    def.asset = &c->source->handle;
    bool good = hem_scene_add(c->scene, &def, &first) == HEM_OK;
    for (uint32_t frame = 0; good && frame < SETTLE_FRAMES && report.stepped_count > 0; frame++) {
        hem_scene_step(c->scene, &args);
        hem_scene_get_report(c->scene, &report);
    }
    const size_t size = hem_instance_save_size(c->scene, first, HEM_SAVE_ALL);
    void* saved = malloc(size + 1);
    good = good && report.stepped_count == 0 && saved != NULL &&
           hem_instance_save(c->scene, first, HEM_SAVE_ALL, saved, size) == HEM_OK;
    for (uint32_t i = 1; good && i < SLEEPERS; i++) {
        hem_instance_id id;
        good = hem_scene_add(c->scene, &def, &id) == HEM_OK && hem_instance_load(c->scene, id, saved, size) == HEM_OK;
    }
    hem_scene_step(c->scene, &args);
    hem_scene_step(c->scene, &args);
    hem_scene_get_report(c->scene, &report);
    free(saved);
    return good && report.instance_count == SLEEPERS && report.stepped_count == 0;
}

// Ten play their clip, in a scene of their own and in one where a thousand sleep besides, turn about: the median of what a frame takes
// more.
void prove_sleepers(proof* p, const asset* a) {
    double with[ROUNDS], without[ROUNDS];
    crowd few = {0}, many = {0};
    bool good = crowd_open(&few, a, AWAKE, (hem_budget_mode)0, NULL, 1) &&
                crowd_open(&many, a, AWAKE + SLEEPERS, (hem_budget_mode)0, NULL, 1) && put_to_sleep(&many);
    many.count = AWAKE;
    for (uint32_t i = 0; good && i < AWAKE; i++) {
        good = crowd_add(&few, i, 0) && crowd_add(&many, i, 0);
    }
    if (!good) {
        proof_unmeasured(p, "at most 1 %", "they cannot be put to sleep", "1000 sleepers: added to ten awake");
    }
    for (uint32_t frame = 0; good && frame < ROUNDS; frame++) {
        crowd_time one = {0};
        if (frame % 2 == 0) {
            one = crowd_frame(&few, frame, HEM_BUDGET_SKINNED, NULL);
        }
        const crowd_time other = crowd_frame(&many, frame, HEM_BUDGET_SKINNED, NULL);
        if (frame % 2 == 1) {
            one = crowd_frame(&few, frame, HEM_BUDGET_SKINNED, NULL);
        }
        without[frame] = 1e-3 * (double)(one.pose + one.plan + one.step + one.skin);
        with[frame] = 1e-3 * (double)(other.pose + other.plan + other.step + other.skin);
    }
    if (good) {
        for (uint32_t frame = 0; frame < ROUNDS; frame++) {
            with[frame] = 100.0 * (with[frame] / without[frame] - 1.0);
        }
        const double more = proof_median(with, ROUNDS), alone = proof_median(without, ROUNDS);
        proof_at_most(p, 1.0, more, "%", "1000 sleepers: added to ten awake (%.0f us)", alone);
    }
    crowd_close(&many);
    crowd_close(&few);
}

void prove_layout(proof* p, const asset* a) {
    enum { TIMES = 15 };
    const hem_slot_def slot = {&a->handle, SLEEPERS};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    hem_memory need = {0, 64};
    double measured[TIMES], made[TIMES];
    hem_scene_measure(&def, &need);
    void* block = aligned_alloc(need.align, (need.size + need.align - 1) / need.align * need.align);
    if (block == NULL) {
        proof_unmeasured(p, "at most 1 ms", "no memory", "layout of a scene of 1000");
        return;
    }
    memset(block, 1, need.size); // the pages are there
    for (uint32_t i = 0; i < TIMES; i++) {
        hem_scene* scene;
        const uint64_t begin = crowd_clock();
        hem_scene_measure(&def, &need);
        const uint64_t middle = crowd_clock();
        hem_scene_init(&scene, &def, block, need.size);
        measured[i] = 1e-6 * (double)(middle - begin);
        made[i] = 1e-6 * (double)(crowd_clock() - middle);
    }
    proof_at_most(p, 1.0, proof_median(measured, TIMES), "ms", "a scene of 1000: its layout measured");
    proof_at_most(p, 1.0, proof_median(made, TIMES), "ms", "a scene of 1000: made in its block of %.0f MB",
                  1e-6 * (double)need.size);
    free(block);
}
