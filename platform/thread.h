// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_THREAD_H
#define HEM_PLATFORM_THREAD_H

// Threads for tools: the runtime starts none, it is handed ranges of work.
//
// Where there are no threads (WASI) everything compiles and parallel_for runs its parts one after another, with the
// same result: the partition depends on the counts only, never on the machine.

#include <stdbool.h>
#include <stdint.h>

#if defined(__wasi__)
#define HEM_HAS_THREADS 0
#else
#define HEM_HAS_THREADS 1
#endif

#if HEM_HAS_THREADS && !defined(_WIN32)
#include <pthread.h>
#endif

typedef void hem_thread_fn(void* user);

typedef struct hem_thread {
#if HEM_HAS_THREADS && !defined(_WIN32)
    pthread_t handle;
#else
    void* handle;
#endif
    hem_thread_fn* function;
    void* user;
} hem_thread;

typedef struct hem_mutex {
#if HEM_HAS_THREADS && !defined(_WIN32)
    pthread_mutex_t handle;
#else
    void* handle; // an SRWLOCK on Windows
#endif
} hem_mutex;

typedef struct hem_cond {
#if HEM_HAS_THREADS && !defined(_WIN32)
    pthread_cond_t handle;
#else
    void* handle; // a CONDITION_VARIABLE on Windows
#endif
} hem_cond;

// The struct must stay where it is until join. False when the system gives no thread; then there is nothing to join.
bool hem_thread_start(hem_thread* thread, hem_thread_fn* function, void* user);
void hem_thread_join(hem_thread* thread);

void hem_mutex_init(hem_mutex* mutex);
void hem_mutex_destroy(hem_mutex* mutex);
void hem_mutex_lock(hem_mutex* mutex);
void hem_mutex_unlock(hem_mutex* mutex);

// Wait may return without a signal: always wait in a loop over the condition.
void hem_cond_init(hem_cond* cond);
void hem_cond_destroy(hem_cond* cond);
void hem_cond_wait(hem_cond* cond, hem_mutex* mutex);
void hem_cond_signal(hem_cond* cond);
void hem_cond_broadcast(hem_cond* cond);

// A shared counter. add returns the value before, and orders memory both ways.
typedef struct hem_counter {
    volatile int64_t value;
} hem_counter;

int64_t hem_counter_add(hem_counter* counter, int64_t amount);
int64_t hem_counter_read(hem_counter* counter);

// Processors this process may use, at least 1.
uint32_t hem_processor_count(void);

// The part of [0, count) that belongs to a worker: [count * w / n, count * (w + 1) / n).
uint32_t hem_parallel_begin(uint32_t count, uint32_t worker_index, uint32_t worker_count);

// Calls function once for each worker, also when its range is empty, on worker_count threads of which the caller is the
// first, and returns when all are done. worker_count 0 means one per processor.
typedef void hem_parallel_fn(void* user, uint32_t begin, uint32_t end, uint32_t worker_index);
void hem_parallel_for(uint32_t count, uint32_t worker_count, hem_parallel_fn* function, void* user);

#endif
