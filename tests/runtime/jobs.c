// SPDX-License-Identifier: MIT
// The jobs of a step on several threads at once: the bits of one thread. With the thread sanitizer (test_threads of the tsan
// configuration) also that no two jobs touch the same memory.

#include "hem/budget.h"
#include "tests/runtime/suites.h"

#include "platform/thread.h"

#include <stdlib.h>
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

// -- Two callbacks, helpers and skinning in the step

typedef struct one_task {
    hem_counter taken, done;
    void (*run)(void* context, uint32_t worker);
    void* context;
    uint32_t worker;
} one_task;

typedef struct task_pool {
    one_task tasks[256 * WORKERS]; // none is used twice
    hem_counter count, left;       // enqueued; of threads that still lead
    world* w;
    int steps;
    uint64_t* hashes;
    hem_result worst;
} task_pool;

static void run_once(one_task* t) {
    if (hem_counter_add(&t->taken, 1) == 0) {
        t->run(t->context, t->worker);
        hem_counter_add(&t->done, 1);
    }
}

static void* enqueue(void* user, void (*run)(void* context, uint32_t worker), void* context, uint32_t worker) {
    task_pool* p = user;
    one_task* t = &p->tasks[hem_counter_read(&p->count)];
    t->run = run;
    t->context = context;
    t->worker = worker;
    hem_counter_add(&p->count, 1); // now it can be seen
    return t;
}

// Where nobody has begun it, whoever waits for it does it.
static void wait_for(void* user, void* task) {
    one_task* t = task;
    (void)user;
    run_once(t);
    while (hem_counter_read(&t->done) == 0) {}
}

static void lead_or_follow(void* user, uint32_t begin, uint32_t end, uint32_t worker) {
    task_pool* p = user;
    (void)end, (void)worker;
    if (begin == 0) {
        const hem_tasks tasks = {enqueue, wait_for, p};
        for (int step = 0; step < p->steps; ++step) {
            drive(p->w, step);
            const hem_result result = hem_scene_step_tasks(p->w->scene, &(hem_step_args){1.0f / 60.0f, 0}, &tasks);
            p->worst = result != HEM_OK ? result : p->worst;
            p->hashes[step] = hem_scene_hash(p->w->scene);
        }
        hem_counter_add(&p->left, -1);
        return;
    }
    for (int64_t seen = 0; hem_counter_read(&p->left) > 0;) {
        if (seen < hem_counter_read(&p->count)) {
            run_once(&p->tasks[seen++]);
        }
    }
}

// Vertices come out of the step as hem_instance_skin gives them afterwards, whatever the range and the stride.
static int skinned_alike(world* w, hem_instance_id id, const float* output, uint32_t begin, uint32_t count) {
    float* after = calloc((size_t)count * 5 + 1, sizeof(float));
    const hem_skin_args args = {
        .vertex_begin = begin, .vertex_count = count, .positions = after, .position_stride = 20};
    const int same = hem_instance_skin(w->scene, id, &args) == HEM_OK && memcmp(after, output, (size_t)count * 20) == 0;
    free(after);
    return same;
}

TEST tasks_help_each_other_and_give_the_bits_of_one(const char* asset, uint32_t budget) {
    enum { STEPS = 24 };
    size_t size;
    void* there = read_asset(asset, &size);
    free(there);
    if (!there) {
        SKIPm("the sample has not been compiled");
    }
    hem_scene_def def = hem_scene_def_default();
    def.worker_capacity = WORKERS;
    def.budget = budget;
    world one, many;
    const uint32_t count = budget ? INSTANCES : 1;
    ASSERT(world_open(&one, asset, &def, NULL, count) && world_open(&many, asset, &def, NULL, count));
    const uint32_t vertices = many.view.info->vertex_count, first = vertices > 40 ? 13 : 0;
    float* output = calloc((size_t)vertices * 5 + 1, sizeof(float));
    const hem_skin_args args = {
        .vertex_begin = first, .vertex_count = vertices - first, .positions = output, .position_stride = 20};
    ASSERT_EQ(HEM_OK, hem_instance_set_output(many.scene, many.id, &args));
    static task_pool p;
    uint64_t hashes[STEPS];
    memset(&p, 0, sizeof(p));
    p.w = &many;
    p.steps = STEPS;
    p.hashes = hashes;
    hem_counter_add(&p.left, 1);
    hem_parallel_for(WORKERS, WORKERS, lead_or_follow, &p);
    ASSERT_EQ(HEM_OK, p.worst);
    for (int step = 0; step < STEPS; ++step) {
        drive(&one, step);
        world_step(&one, 1.0f / 60.0f, 0, 1);
        ASSERT_EQ(hem_scene_hash(one.scene), hashes[step]);
    }
    ASSERT(skinned_alike(&many, many.id, output, first, vertices - first));
    free(output);
    world_close(&one);
    world_close(&many);
    PASS();
}

static void* run_now(void* user, void (*run)(void* context, uint32_t worker), void* context, uint32_t worker) {
    ++*(int*)user;
    run(context, worker);
    return NULL;
}

static void never_waits(void* user, void* task) {
    (void)user, (void)task;
}

// A job system that has one thread runs a task when it is given one; what is refused changes nothing.
TEST tasks_may_run_at_once_and_are_checked(void) {
    hem_scene_def def = hem_scene_def_default();
    def.worker_capacity = WORKERS;
    world w, plain;
    ASSERT(world_open(&w, "dressed", &def, NULL, 2) && world_open(&plain, "dressed", &def, NULL, 2));
    int asked = 0;
    const hem_tasks tasks = {run_now, never_waits, &asked}, none = {NULL, never_waits, NULL};
    const hem_step_args args = {1.0f / 60.0f, 0}, wrong = {2.0f, 0};
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_step_tasks(w.scene, &args, &none));
    ASSERT_EQ(HEM_ERROR_NULL, hem_scene_step_tasks(w.scene, &args, NULL));
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_step_tasks(w.scene, &wrong, &tasks));
    ASSERT_EQ(HEM_ERROR_NO_STEP, hem_scene_step_help(w.scene, 0));
    for (int step = 0; step < 5; ++step) {
        ASSERT_EQ(HEM_OK, hem_scene_step_tasks(w.scene, &args, &tasks));
        world_step(&plain, 1.0f / 60.0f, 0, 1);
    }
    ASSERT_EQ(5 * (WORKERS - 1), asked);
    ASSERT_EQ(hem_scene_hash(plain.scene), hem_scene_hash(w.scene));
    uint32_t jobs;
    ASSERT_EQ(HEM_OK, hem_scene_step_begin(w.scene, &args, &jobs));
    ASSERT_EQ(HEM_OK, hem_scene_step_help(w.scene, 1)); // nobody works: nothing to help with
    ASSERT_EQ(HEM_ERROR_RANGE, hem_scene_step_help(w.scene, WORKERS));
    for (uint32_t i = 0; i < jobs; ++i) {
        ASSERT_EQ(HEM_OK, hem_scene_step_job(w.scene, i, 2));
    }
    ASSERT_EQ(HEM_OK, hem_scene_step_end(w.scene));
    const hem_skin_args far = {.vertex_count = w.view.info->vertex_count + 1, .positions = (float*)&w};
    ASSERT_EQ(HEM_ERROR_COUNT, hem_instance_set_output(w.scene, w.id, &far));
    ASSERT_EQ(HEM_OK, hem_instance_set_output(w.scene, w.id, NULL));
    world_close(&plain);
    world_close(&w);
    PASS();
}

SUITE(jobs_suite) {
    RUN_TESTp(jobs_on_threads_give_the_bits_of_one, "dressed");
    RUN_TESTp(jobs_on_threads_give_the_bits_of_one, "block");
    RUN_TESTp(jobs_on_threads_give_the_bits_of_one, "sheet_self");
    RUN_TESTp(tasks_help_each_other_and_give_the_bits_of_one, "dressed", HEM_BUDGET_STEP);
    RUN_TESTp(tasks_help_each_other_and_give_the_bits_of_one, "cape_girl", 0);
    RUN_TESTp(tasks_help_each_other_and_give_the_bits_of_one, "cape_girl", HEM_BUDGET_SKINNED);
    RUN_TEST(tasks_may_run_at_once_and_are_checked);
}
