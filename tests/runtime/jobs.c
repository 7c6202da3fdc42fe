// SPDX-License-Identifier: MIT
// The jobs of a step on several threads at once: the bits of one thread. With the thread sanitizer (test_threads of the tsan
// configuration) also that no two jobs touch the same memory.

#include "hem/budget.h"
#include "tests/runtime/suites.h"

#include "platform/thread.h"

#include <string.h>

enum { INSTANCES = 7, WORKERS = 3 };

typedef struct crew {
    hem_scene* scene;
    hem_counter next;
    uint32_t job_count;
    hem_counter refused;
} crew;

// Whoever is free takes the next job.
static void work(void* user, uint32_t begin, uint32_t end, uint32_t worker) {
    crew* c = user;
    (void)begin, (void)end;
    for (int64_t job = hem_counter_add(&c->next, 1); job < c->job_count; job = hem_counter_add(&c->next, 1)) {
        if (hem_scene_step_job(c->scene, (uint32_t)job, worker) != HEM_OK) {
            hem_counter_add(&c->refused, 1);
        }
    }
}

static void drive(world* w, int step) {
    const hem_root root = {{0.02 * step, 0, 0.01 * step}, {0, 0, 0, 1}};
    for (uint32_t i = 0; i < INSTANCES; ++i) {
        const hem_instance_id id = {w->id.index1 + i, w->id.generation};
        const float wind[3] = {(float)(step % 5), 0, (float)i};
        hem_instance_set_root(w->scene, id, &root);
        hem_instance_set_wind(w->scene, id, wind);
        hem_instance_set_importance(w->scene, id, (float)((i * 3 + (uint32_t)step / 4) % 7));
    }
    hem_scene_set_budget(w->scene, step < 4 ? 0.0f : step < 8 ? 60.0f : 25.0f);
}

static hem_result step_on_threads(world* w, float seconds) {
    crew c;
    memset(&c, 0, sizeof(c));
    c.scene = w->scene;
    const hem_step_args args = {seconds, 0};
    hem_result result = hem_scene_step_begin(w->scene, &args, &c.job_count);
    if (result == HEM_OK) {
        hem_parallel_for(WORKERS, WORKERS, work, &c);
        result = hem_scene_step_end(w->scene);
    }
    return hem_counter_read(&c.refused) ? HEM_ERROR_RANGE : result;
}

TEST jobs_on_threads_give_the_bits_of_one(const char* asset) {
    hem_scene_def def = hem_scene_def_default();
    def.worker_capacity = WORKERS;
    def.budget = HEM_BUDGET_STEP;
    world one, many;
    ASSERT(world_open(&one, asset, &def, NULL, INSTANCES) && world_open(&many, asset, &def, NULL, INSTANCES));
    hem_budget_report report;
    int kinds = 0;
    for (int step = 0; step < 12; ++step) {
        drive(&one, step);
        drive(&many, step);
        world_step(&one, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(HEM_OK, step_on_threads(&many, 1.0f / 60.0f));
        ASSERT_EQ(hem_scene_hash(one.scene), hem_scene_hash(many.scene));
        hem_scene_get_budget(one.scene, &report);
        kinds |= report.counts[0] < INSTANCES;
    }
    ASSERT(kinds); // levels were not all the best all the time
    world_close(&one);
    world_close(&many);
    PASS();
}

SUITE(jobs_suite) {
    RUN_TESTp(jobs_on_threads_give_the_bits_of_one, "dressed");
    RUN_TESTp(jobs_on_threads_give_the_bits_of_one, "block");
    RUN_TESTp(jobs_on_threads_give_the_bits_of_one, "sheet_self");
}
