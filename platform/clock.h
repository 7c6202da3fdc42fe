// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_CLOCK_H
#define HEM_PLATFORM_CLOCK_H

// Monotonic time for tools and benches. The runtime never asks for the time; it is handed dt.

#include <stdint.h>

// Since some fixed moment before the first call; never goes backwards.
uint64_t hem_clock_nanoseconds(void);
double hem_clock_seconds(void);

// At least this long. Zero and less return at once.
void hem_clock_sleep(double seconds);

#endif
