// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_BENCH_H
#define HEM_TOOLS_BENCH_H

// `hem bench`: what Hem costs, beside engines that do the same work. docs/performance.md explains the workloads.

int hem_bench_main(int argc, char** argv);

#endif
