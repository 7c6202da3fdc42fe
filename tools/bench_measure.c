// SPDX-License-Identifier: MIT
#if !defined(_WIN32) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif

#include "tools/bench_private.h"
#include "platform/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if !defined(_WIN32)
#include <sys/resource.h>
#endif

// The clock and what is made of its readings.
//
// A frame is timed by the time that the thread was on a core, not by the wall: on a machine with other work, whole time
// slices would land in single frames and hide what the code does. On a quiet machine the two agree.

uint64_t bench_clock(void) {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) {
        return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    }
#endif
    return hem_clock_nanoseconds();
}

#if !defined(_WIN32)
static double usage_seconds(int who) {
    struct rusage usage;
    if (getrusage(who, &usage) != 0) {
        return hem_clock_seconds();
    }
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double bench_process_seconds(void) {
    return usage_seconds(RUSAGE_SELF);
}

double bench_children_seconds(void) {
    return usage_seconds(RUSAGE_CHILDREN);
}
#else
double bench_process_seconds(void) {
    return hem_clock_seconds();
}

double bench_children_seconds(void) {
    return hem_clock_seconds();
}
#endif

static int compare(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

void bench_keep_least(uint64_t* samples, int32_t frame, int32_t turn, uint64_t nanoseconds) {
    if (turn == 0 || nanoseconds < samples[frame]) {
        samples[frame] = nanoseconds;
    }
}

bench_times bench_summarise(uint64_t* nanoseconds, int32_t count) {
    bench_times t = {NAN, NAN, NAN};
    if (count > 0) {
        qsort(nanoseconds, (size_t)count, sizeof(*nanoseconds), compare);
        t.median_ms = 1e-6 * (double)nanoseconds[count / 2];
        t.p99_ms = 1e-6 * (double)nanoseconds[(int32_t)(0.99 * (double)(count - 1) + 0.5)];
        t.best_ms = 1e-6 * (double)nanoseconds[0];
    }
    return t;
}
