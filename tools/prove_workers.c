// SPDX-License-Identifier: MIT
#include "platform/clock.h"
#include "platform/thread.h"
#include "tools/crowd.h"
#include "tools/prove_budget.h"

#include <stdlib.h>
#include <string.h>

// Two workers against one, by the clock on the wall, skinning included: the same frames in two scenes, turn about. Threads
// of others disturb the slow frames, so what is compared is the quarter of the frames that went fastest.

enum { FRAMES = 160, ROUNDS_ONE = 3, MOST = 40 };

typedef struct task {
    hem_counter taken, done;
    void (*run)(void* context, uint32_t worker);
    void* context;
    uint32_t worker;
} task;

// A thread that waits for tasks with open eyes: one that the system must wake first would be late for a step of 300 us.
typedef struct follower {
    hem_thread thread;
    hem_counter given, closing;
    task tasks[FRAMES * (ROUNDS_ONE + 1)]; // none is used twice
} follower;

static void run_once(task* t) {
    if (hem_counter_add(&t->taken, 1) == 0) {
        t->run(t->context, t->worker);
        hem_counter_add(&t->done, 1);
    }
}

static void follow(void* user) {
    follower* f = user;
    for (int64_t seen = 0; hem_counter_read(&f->closing) == 0;) {
        if (seen < hem_counter_read(&f->given)) {
            run_once(&f->tasks[seen++]);
        }
    }
}

static void* enqueue(void* user, void (*run)(void* context, uint32_t worker), void* context, uint32_t worker) {
    follower* f = user;
    task* t = &f->tasks[hem_counter_read(&f->given)];
    t->run = run;
    t->context = context;
    t->worker = worker;
    hem_counter_add(&f->given, 1); // now it can be seen
    return t;
}

static void wait_for(void* user, void* handle) {
    task* t = handle;
    (void)user;
    run_once(t); // if nobody has begun it
    while (hem_counter_read(&t->done) == 0) {}
}

static double frame_us(crowd* c, uint32_t frame, const hem_tasks* tasks) {
    const hem_step_args args = {.dt_seconds = 1.0f / 60.0f};
    crowd_say(c, frame);
    const uint64_t begin = hem_clock_nanoseconds();
    if (tasks != NULL) {
        hem_scene_step_tasks(c->scene, &args, tasks);
    } else {
        hem_scene_step(c->scene, &args);
    }
    return 1e-3 * (double)(hem_clock_nanoseconds() - begin);
}

static bool open_with_output(crowd* c, const asset* a, uint32_t count, uint32_t workers, float** room) {
    bool good = crowd_open(c, a, count, (hem_budget_mode)0, NULL, workers);
    *room = malloc((size_t)count * a->info.vertex_count * 24 + 1);
    for (uint32_t i = 0; good && i < count; i++) {
        float* to = *room + (size_t)i * a->info.vertex_count * 6;
        const hem_skin_args output = {
            .vertex_count = a->info.vertex_count, .positions = to, .normals = to + (size_t)3 * a->info.vertex_count};
        good = *room != NULL && crowd_add(c, i, 0) && hem_instance_set_output(c->scene, c->ids[i], &output) == HEM_OK;
    }
    return good;
}

static void prove_count(proof* p, const asset* a, uint32_t count, double aimed, follower* f) {
    static double one[FRAMES * ROUNDS_ONE], two[FRAMES * ROUNDS_ONE];
    const uint32_t frames = count == 1 ? FRAMES * ROUNDS_ONE : FRAMES / 2;
    const hem_tasks tasks = {enqueue, wait_for, f};
    crowd alone = {.speed = 3.0f}, shared = {.speed = 3.0f};
    float *alone_room = NULL, *shared_room = NULL;
    if (open_with_output(&alone, a, count, 1, &alone_room) && open_with_output(&shared, a, count, 2, &shared_room)) {
        for (uint32_t frame = 0; frame < frames; frame++) {
            one[frame] = frame_us(&alone, frame, NULL);
            two[frame] = frame_us(&shared, frame, &tasks);
        }
        proof_same(p, hem_scene_hash(alone.scene), hem_scene_hash(shared.scene), "2 workers, %u cape_girl", count);
        proof_median(one, frames); // sorts
        proof_median(two, frames);
        proof_at_least(p, aimed, one[frames / 8] / two[frames / 8], "times", "2 workers, %u cape_girl (%.0f us on one)",
                       count, one[frames / 8]);
    } else {
        proof_unmeasured(p, "faster", "no memory", "2 workers, %u cape_girl", count);
    }
    crowd_close(&alone);
    crowd_close(&shared);
    free(alone_room);
    free(shared_room);
}

void prove_workers(proof* p, const asset* a) {
    static follower f;
    memset(&f, 0, sizeof(f));
    if (!hem_thread_start(&f.thread, follow, &f)) {
        proof_unmeasured(p, "faster", "no thread", "2 workers");
        return;
    }
    prove_count(p, a, 1, 1.5, &f);
    prove_count(p, a, MOST, 1.8, &f);
    hem_counter_add(&f.closing, 1);
    hem_thread_join(&f.thread);
}
