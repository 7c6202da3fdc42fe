// SPDX-License-Identifier: MIT
// Hem on a game's own threads: a small pool of pthreads behind the two callbacks of hem_scene_step_tasks. Skinning is part
// of the step (hem_instance_set_output).
//
//   sample_threads FILE.hem [CHARACTERS [THREADS [FRAMES]]]
//
// Steps the characters once on one thread and once on the pool, and prints what both took and that the bits are the same.

#include "hem/hem.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// -- The pool

enum { MOST_THREADS = 64 };

typedef struct task {
    void (*run)(void* context, uint32_t worker);
    void* context;
    uint32_t worker;
    int done;
} task;

typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed; // something to do, or something is done
    pthread_t threads[MOST_THREADS];
    uint32_t thread_count;
    task tasks[MOST_THREADS]; // of the running step: none is used again before it is waited for
    uint32_t task_count, next;
    int closing;
} pool;

static void* work(void* user) {
    pool* p = user;
    pthread_mutex_lock(&p->lock);
    while (!p->closing) {
        if (p->next == p->task_count) {
            pthread_cond_wait(&p->changed, &p->lock);
            continue;
        }
        task* t = &p->tasks[p->next++];
        pthread_mutex_unlock(&p->lock);
        t->run(t->context, t->worker);
        pthread_mutex_lock(&p->lock);
        t->done = 1;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void* enqueue(void* user, void (*run)(void* context, uint32_t worker), void* context, uint32_t worker) {
    pool* p = user;
    pthread_mutex_lock(&p->lock);
    task* t = &p->tasks[p->task_count++];
    *t = (task){run, context, worker, 0};
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return t;
}

static void wait(void* user, void* handle) {
    pool* p = user;
    const task* t = handle;
    pthread_mutex_lock(&p->lock);
    while (!t->done) {
        pthread_cond_wait(&p->changed, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

// All tasks of the last step have been waited for.
static void begin_frame(pool* p) {
    pthread_mutex_lock(&p->lock);
    p->task_count = p->next = 0;
    pthread_mutex_unlock(&p->lock);
}

static int open_pool(pool* p, uint32_t threads) {
    memset(p, 0, sizeof(*p));
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    while (p->thread_count < threads && pthread_create(&p->threads[p->thread_count], NULL, work, p) == 0) {
        p->thread_count++;
    }
    return p->thread_count == threads;
}

static void close_pool(pool* p) {
    pthread_mutex_lock(&p->lock);
    p->closing = 1;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < p->thread_count; i++) {
        pthread_join(p->threads[i], NULL);
    }
}

// -- The game

static void* read_file(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return NULL;
    }
    const long length = ftell(file);
    rewind(file);
    void* bytes = length > 0 ? aligned_alloc(64, ((size_t)length + 63) / 64 * 64) : NULL;
    *size = bytes != NULL ? fread(bytes, 1, (size_t)length, file) : 0;
    fclose(file);
    return bytes;
}

static double seconds(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Steps a crowd that is shaken to and fro. pool NULL = on this thread alone. Gives the time of a frame and the hash.
static int play(const hem_asset* asset, uint32_t characters, uint32_t workers, uint32_t frames, pool* on,
                double* frame_seconds, uint64_t* hash) {
    hem_asset_info info;
    hem_asset_get_info(asset, &info);
    const hem_slot_def slots = {asset, characters};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slots;
    def.slot_count = 1;
    def.worker_capacity = workers;
    hem_memory need;
    hem_scene* scene;
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return 0;
    }
    void* block = aligned_alloc(need.align, (need.size + need.align - 1) / need.align * need.align);
    float* vertices = calloc((size_t)characters * info.vertex_count * 6 + 1, sizeof(float));
    hem_instance_id* ids = calloc(characters, sizeof(*ids));
    int good =
        block != NULL && vertices != NULL && ids != NULL && hem_scene_init(&scene, &def, block, need.size) == HEM_OK;
    for (uint32_t i = 0; good && i < characters; i++) {
        hem_instance_def instance = hem_instance_def_default();
        instance.asset = asset;
        float* to = vertices + (size_t)i * info.vertex_count * 6;
        const hem_skin_args output = {.vertex_count = info.vertex_count,
                                      .positions = to,
                                      .normals = to + 3,
                                      .position_stride = 24,
                                      .normal_stride = 24};
        good = hem_scene_add(scene, &instance, &ids[i]) == HEM_OK &&
               (info.vertex_count == 0 || hem_instance_set_output(scene, ids[i], &output) == HEM_OK);
    }
    const hem_tasks tasks = {enqueue, wait, on};
    const hem_step_args args = {.dt_seconds = 1.0f / 60.0f};
    const double begin = seconds();
    for (uint32_t frame = 0; good && frame < frames; frame++) {
        for (uint32_t i = 0; i < characters; i++) {
            const double place = 0.01 * ((frame + i * 7) % 40 < 20 ? (frame + i * 7) % 20 : 20 - (frame + i * 7) % 20);
            const hem_root root = {{place, 0, 0}, {0, 0, 0, 1}};
            hem_instance_set_root(scene, ids[i], &root);
        }
        if (on != NULL) {
            begin_frame(on);
            good = hem_scene_step_tasks(scene, &args, &tasks) == HEM_OK;
        } else {
            good = hem_scene_step(scene, &args) == HEM_OK;
        }
    }
    *frame_seconds = (seconds() - begin) / frames;
    *hash = good ? hem_scene_hash(scene) : 0;
    free(ids);
    free(vertices);
    free(block);
    return good;
}

static uint32_t number(int argc, char** argv, int at, uint32_t fallback) {
    const long value = argc > at ? strtol(argv[at], NULL, 10) : 0;
    return value > 0 && value < 10000 ? (uint32_t)value : fallback;
}

int main(int argc, char** argv) {
    static hem_asset asset;
    size_t size = 0;
    void* bytes = argc > 1 ? read_file(argv[1], &size) : NULL;
    if (bytes == NULL) {
        fprintf(stderr, "usage: sample_threads FILE.hem [CHARACTERS [THREADS [FRAMES]]]\n");
        return 2;
    }
    if (hem_asset_open(&asset, bytes, size) != HEM_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], hem_asset_fault(&asset, NULL, NULL));
        return 3;
    }
    const uint32_t characters = number(argc, argv, 2, 8), threads = number(argc, argv, 3, 2) % MOST_THREADS;
    const uint32_t frames = number(argc, argv, 4, 200);
    static pool p;
    double alone, shared;
    uint64_t one, many;
    const int good = open_pool(&p, threads > 0 ? threads - 1 : 0) && // this thread works too
                     play(&asset, characters, 1, frames, NULL, &alone, &one) &&
                     play(&asset, characters, threads > 0 ? threads : 1, frames, &p, &shared, &many);
    close_pool(&p);
    free(bytes);
    if (!good) {
        fprintf(stderr, "no memory, no threads, or a scene that Hem refuses\n");
        return 70;
    }
    printf("%u characters: %.3f ms on one thread, %.3f ms on %u: %.2f times; the same bits: %s\n", characters,
           1e3 * alone, 1e3 * shared, threads, alone / shared, one == many ? "yes" : "NO");
    return one == many ? 0 : 1;
}
