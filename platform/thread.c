// SPDX-License-Identifier: MIT
// Thin over pthreads and Win32. parallel_for starts and joins its threads each time: tools call it a few times a run
// with long parts, and a pool would be more code than it saves.
#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // sched_getaffinity: containers are often given fewer processors than the machine has
#endif

#include "platform/thread.h"

#include <stddef.h>
#include <stdlib.h>

#define WORKER_CAPACITY 256

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static DWORD WINAPI run_thread(void* user) {
    hem_thread* thread = (hem_thread*)user;
    thread->function(thread->user);
    return 0;
}

bool hem_thread_start(hem_thread* thread, hem_thread_fn* function, void* user) {
    thread->function = function;
    thread->user = user;
    thread->handle = CreateThread(NULL, 0, run_thread, thread, 0, NULL);
    return thread->handle != NULL;
}

void hem_thread_join(hem_thread* thread) {
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

void hem_mutex_init(hem_mutex* mutex) {
    InitializeSRWLock((SRWLOCK*)&mutex->handle);
}

void hem_mutex_destroy(hem_mutex* mutex) {
    (void)mutex;
}

void hem_mutex_lock(hem_mutex* mutex) {
    AcquireSRWLockExclusive((SRWLOCK*)&mutex->handle);
}

void hem_mutex_unlock(hem_mutex* mutex) {
    ReleaseSRWLockExclusive((SRWLOCK*)&mutex->handle);
}

void hem_cond_init(hem_cond* cond) {
    InitializeConditionVariable((CONDITION_VARIABLE*)&cond->handle);
}

void hem_cond_destroy(hem_cond* cond) {
    (void)cond;
}

void hem_cond_wait(hem_cond* cond, hem_mutex* mutex) {
    SleepConditionVariableSRW((CONDITION_VARIABLE*)&cond->handle, (SRWLOCK*)&mutex->handle, INFINITE, 0);
}

void hem_cond_signal(hem_cond* cond) {
    WakeConditionVariable((CONDITION_VARIABLE*)&cond->handle);
}

void hem_cond_broadcast(hem_cond* cond) {
    WakeAllConditionVariable((CONDITION_VARIABLE*)&cond->handle);
}

uint32_t hem_processor_count(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (uint32_t)info.dwNumberOfProcessors : 1;
}

#elif HEM_HAS_THREADS

#include <sched.h>
#include <unistd.h>

static void* run_thread(void* user) {
    hem_thread* thread = (hem_thread*)user;
    thread->function(thread->user);
    return NULL;
}

bool hem_thread_start(hem_thread* thread, hem_thread_fn* function, void* user) {
    thread->function = function;
    thread->user = user;
    return pthread_create(&thread->handle, NULL, run_thread, thread) == 0;
}

void hem_thread_join(hem_thread* thread) {
    pthread_join(thread->handle, NULL);
}

void hem_mutex_init(hem_mutex* mutex) {
    pthread_mutex_init(&mutex->handle, NULL);
}

void hem_mutex_destroy(hem_mutex* mutex) {
    pthread_mutex_destroy(&mutex->handle);
}

void hem_mutex_lock(hem_mutex* mutex) {
    pthread_mutex_lock(&mutex->handle);
}

void hem_mutex_unlock(hem_mutex* mutex) {
    pthread_mutex_unlock(&mutex->handle);
}

void hem_cond_init(hem_cond* cond) {
    pthread_cond_init(&cond->handle, NULL);
}

void hem_cond_destroy(hem_cond* cond) {
    pthread_cond_destroy(&cond->handle);
}

void hem_cond_wait(hem_cond* cond, hem_mutex* mutex) {
    pthread_cond_wait(&cond->handle, &mutex->handle);
}

void hem_cond_signal(hem_cond* cond) {
    pthread_cond_signal(&cond->handle);
}

void hem_cond_broadcast(hem_cond* cond) {
    pthread_cond_broadcast(&cond->handle);
}

uint32_t hem_processor_count(void) {
    long count = 0;
#if defined(__linux__) && defined(CPU_COUNT)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        count = CPU_COUNT(&allowed);
    }
#endif
    if (count < 1) {
        count = sysconf(_SC_NPROCESSORS_ONLN);
    }
    return count > 0 ? (uint32_t)count : 1;
}

#else

bool hem_thread_start(hem_thread* thread, hem_thread_fn* function, void* user) {
    thread->handle = NULL;
    thread->function = function;
    thread->user = user;
    return false;
}

void hem_thread_join(hem_thread* thread) {
    (void)thread;
}

void hem_mutex_init(hem_mutex* mutex) {
    mutex->handle = NULL;
}

void hem_mutex_destroy(hem_mutex* mutex) {
    (void)mutex;
}

void hem_mutex_lock(hem_mutex* mutex) {
    (void)mutex;
}

void hem_mutex_unlock(hem_mutex* mutex) {
    (void)mutex;
}

void hem_cond_init(hem_cond* cond) {
    cond->handle = NULL;
}

void hem_cond_destroy(hem_cond* cond) {
    (void)cond;
}

// With one thread nobody could ever signal: stopping here beats hanging for ever.
void hem_cond_wait(hem_cond* cond, hem_mutex* mutex) {
    (void)cond;
    (void)mutex;
    abort();
}

void hem_cond_signal(hem_cond* cond) {
    (void)cond;
}

void hem_cond_broadcast(hem_cond* cond) {
    (void)cond;
}

uint32_t hem_processor_count(void) {
    return 1;
}

#endif

int64_t hem_counter_add(hem_counter* counter, int64_t amount) {
#if defined(_MSC_VER) && !defined(__clang__)
    return InterlockedExchangeAdd64(&counter->value, amount);
#else
    return __atomic_fetch_add(&counter->value, amount, __ATOMIC_SEQ_CST);
#endif
}

int64_t hem_counter_read(hem_counter* counter) {
    return hem_counter_add(counter, 0);
}

uint32_t hem_parallel_begin(uint32_t count, uint32_t worker_index, uint32_t worker_count) {
    return (uint32_t)((uint64_t)count * worker_index / worker_count);
}

typedef struct part {
    hem_thread thread;
    hem_parallel_fn* function;
    void* user;
    uint32_t begin, end, worker_index;
    bool started;
} part;

static void run_part(void* user) {
    part* p = (part*)user;
    p->function(p->user, p->begin, p->end, p->worker_index);
}

void hem_parallel_for(uint32_t count, uint32_t worker_count, hem_parallel_fn* function, void* user) {
    part parts[WORKER_CAPACITY];
    if (worker_count == 0) {
        worker_count = hem_processor_count();
    }
    if (worker_count > WORKER_CAPACITY) {
        worker_count = WORKER_CAPACITY;
    }
    for (uint32_t w = 0; w < worker_count; ++w) {
        part* p = &parts[w];
        p->function = function;
        p->user = user;
        p->begin = hem_parallel_begin(count, w, worker_count);
        p->end = hem_parallel_begin(count, w + 1, worker_count);
        p->worker_index = w;
        p->started = w > 0 && hem_thread_start(&p->thread, run_part, p);
    }
    // The caller does the first part, and any for which there was no thread.
    for (uint32_t w = 0; w < worker_count; ++w) {
        if (!parts[w].started) {
            run_part(&parts[w]);
        }
    }
    for (uint32_t w = 0; w < worker_count; ++w) {
        if (parts[w].started) {
            hem_thread_join(&parts[w].thread);
        }
    }
}
