// SPDX-License-Identifier: MIT
// One idea: the operating system's monotonic clock, in nanoseconds.
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "platform/clock.h"

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

uint64_t hem_clock_nanoseconds(void) {
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    // Whole seconds apart from the rest, so that the product does not overflow after weeks of uptime.
    uint64_t f = (uint64_t)frequency.QuadPart, t = (uint64_t)ticks.QuadPart;
    return t / f * 1000000000u + t % f * 1000000000u / f;
}

void hem_clock_sleep(double seconds) {
    if (seconds > 0.0) {
        Sleep((DWORD)(seconds * 1000.0 + 0.999));
    }
}

#else

#include <errno.h>
#include <time.h>

uint64_t hem_clock_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void hem_clock_sleep(double seconds) {
    if (!(seconds > 0.0)) {
        return;
    }
    struct timespec left;
    left.tv_sec = (time_t)seconds;
    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
}

#endif

double hem_clock_seconds(void) {
    return (double)hem_clock_nanoseconds() * 1e-9;
}
