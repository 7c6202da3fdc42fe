// SPDX-License-Identifier: MIT
// platform/thread.h and clock.h: nothing is lost, nothing done twice, and the partition is the formula.
#include "tests/platform/suites.h"
#include "platform/clock.h"
#include "platform/cycles.h"
#include "platform/thread.h"

#include <string.h>

#define ITEM_COUNT 100003

static unsigned char visits[ITEM_COUNT];
static unsigned char owners[ITEM_COUNT];
static hem_counter calls;

static void visit(void* user, uint32_t begin, uint32_t end, uint32_t worker_index) {
    hem_counter_add((hem_counter*)user, 1);
    for (uint32_t i = begin; i < end; ++i) {
        visits[i] += 1;
        owners[i] = (unsigned char)worker_index;
    }
}

TEST parallel_for_visits_each_item_once(void) {
    const uint32_t workers[] = {1, 2, 3, 7, 64};
    const uint32_t counts[] = {0, 1, 2, 63, 64, 65, ITEM_COUNT};
    for (size_t w = 0; w < HEM_COUNT_OF(workers); ++w) {
        for (size_t c = 0; c < HEM_COUNT_OF(counts); ++c) {
            memset(visits, 0, sizeof visits);
            calls.value = 0;
            hem_parallel_for(counts[c], workers[w], visit, &calls);
            ASSERT_EQ((int64_t)workers[w], hem_counter_read(&calls));
            for (uint32_t i = 0; i < ITEM_COUNT; ++i) {
                ASSERT_EQ(i < counts[c], visits[i]);
                if (i < counts[c]) {
                    // Owner w has [count w / n, count (w + 1) / n).
                    uint64_t o = owners[i];
                    ASSERT(counts[c] * o / workers[w] <= i && i < counts[c] * (o + 1) / workers[w]);
                }
            }
        }
    }
    memset(visits, 0, sizeof visits);
    hem_parallel_for(ITEM_COUNT, 0, visit, &calls); // as many as there are processors
    ASSERT_EQ(1, visits[0]);
    ASSERT_EQ(1, visits[ITEM_COUNT - 1]);
    ASSERT(hem_processor_count() >= 1);
    // The product must not overflow 32 bits.
    ASSERT_EQ_FMT(4294967295u, (unsigned)hem_parallel_begin(4294967295u, 7, 7), "%u");
    ASSERT_EQ_FMT(2147483647u, (unsigned)hem_parallel_begin(4294967295u, 1, 2), "%u");
    PASS();
}

#if HEM_HAS_THREADS

#define LOCK_ROUNDS 20
#define ADD_ROUNDS 3000000

typedef struct shared {
    hem_mutex mutex;
    hem_cond cond;
    int64_t plain; // guarded by the mutex alone
    hem_counter counter;
    hem_counter ready;
    int turn;
} shared;

static void count_up(void* user) {
    shared* s = (shared*)user;
    for (int i = 0; i < LOCK_ROUNDS; ++i) {
        hem_mutex_lock(&s->mutex);
        int64_t seen = s->plain;
        hem_clock_sleep(1e-4); // without a lock, the others would come in between
        s->plain = seen + 1;
        hem_mutex_unlock(&s->mutex);
    }
    // All at once, and for longer than a time slice, so that they truly overlap.
    hem_counter_add(&s->ready, 1);
    while (hem_counter_read(&s->ready) < 4) {
        hem_clock_sleep(1e-4);
    }
    for (int i = 0; i < ADD_ROUNDS; ++i) {
        hem_counter_add(&s->counter, 3);
    }
}

TEST counts_do_not_get_lost(void) {
    shared s;
    memset(&s, 0, sizeof s);
    hem_mutex_init(&s.mutex);
    hem_thread threads[4];
    for (int i = 0; i < 4; ++i) {
        ASSERT(hem_thread_start(&threads[i], count_up, &s));
    }
    for (int i = 0; i < 4; ++i) {
        hem_thread_join(&threads[i]);
    }
    hem_mutex_destroy(&s.mutex);
    ASSERT_EQ(4 * LOCK_ROUNDS, s.plain);
    ASSERT_EQ(12 * ADD_ROUNDS, hem_counter_read(&s.counter));
    PASS();
}

// Two threads pass a turn back and forth; a lost wake-up would hang.
static void answer(void* user) {
    shared* s = (shared*)user;
    hem_mutex_lock(&s->mutex);
    for (int i = 0; i < 500; ++i) {
        while (s->turn != 1) {
            hem_cond_wait(&s->cond, &s->mutex);
        }
        s->plain += 1;
        s->turn = 0;
        hem_cond_broadcast(&s->cond);
    }
    hem_mutex_unlock(&s->mutex);
}

TEST conditions_wake_the_waiting(void) {
    shared s;
    memset(&s, 0, sizeof s);
    hem_mutex_init(&s.mutex);
    hem_cond_init(&s.cond);
    hem_thread thread;
    ASSERT(hem_thread_start(&thread, answer, &s));
    hem_mutex_lock(&s.mutex);
    for (int i = 0; i < 500; ++i) {
        s.turn = 1;
        hem_cond_signal(&s.cond);
        while (s.turn != 0) {
            hem_cond_wait(&s.cond, &s.mutex);
        }
    }
    hem_mutex_unlock(&s.mutex);
    hem_thread_join(&thread);
    hem_cond_destroy(&s.cond);
    hem_mutex_destroy(&s.mutex);
    ASSERT_EQ(500, s.plain);
    PASS();
}

#endif

TEST clocks_go_forward(void) {
    uint64_t before = hem_clock_nanoseconds(), cycles_before = hem_cycles();
    double seconds = hem_clock_seconds();
    for (int i = 0; i < 1000; ++i) {
        uint64_t now = hem_clock_nanoseconds();
        ASSERT(now >= before);
        before = now;
    }
    hem_clock_sleep(0.002);
    hem_clock_sleep(-1.0);
    ASSERT(hem_clock_seconds() - seconds >= 0.001); // WASI under node may wake up a little early
#if HEM_HAS_CYCLES
    ASSERT(hem_cycles() > cycles_before);
#else
    ASSERT_EQ(0u, hem_cycles() + cycles_before);
#endif
    PASS();
}

SUITE(thread_suite) {
    RUN_TEST(parallel_for_visits_each_item_once);
#if HEM_HAS_THREADS
    RUN_TEST(counts_do_not_get_lost);
    RUN_TEST(conditions_wake_the_waiting);
#endif
    RUN_TEST(clocks_go_forward);
}
