// SPDX-License-Identifier: MIT
// What a constraint of each kind takes: bytes in the file, and with HEM_COSTS in the environment nanoseconds, by calling the kernels
// themselves on an asset that lies in the caches. Times are printed and never judged: machines differ.
//
//     HEM_COSTS=1 build/bin/test_runtime -s costs_suite

#include "tests/runtime/suites.h"
#include "platform/clock.h"
#include "runtime/src/kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 9 };

typedef struct bench {
    world w;
    const hemi_kernels* kernels;
    hemi_row4 *x, *start; // start: where x begins each time, or soon nothing would be left to do
    hemi_row4* q;
    hemi_row3* prev;
    void* room;
} bench;

static void* take(size_t size) {
    const size_t whole = (size + 63) / 64 * 64;
    void* block = aligned_alloc(64, whole);
    return block ? memset(block, 0, whole) : NULL;
}

static bool bench_open(bench* b, const char* name) {
    memset(b, 0, sizeof(*b));
    if (!world_open(&b->w, name, NULL, NULL, 1)) {
        return false;
    }
    const hem_view* v = &b->w.view;
    const uint32_t rows = v->info->row_count;
    b->kernels = hemi_kernels_choose(wanted_kernel());
    b->x = take(rows * sizeof(hemi_row4));
    b->start = take(rows * sizeof(hemi_row4));
    b->q = take(rows * sizeof(hemi_row4));
    b->prev = take(rows * sizeof(hemi_row3));
    b->room = take(1 << 20);
    if (!b->x || !b->start || !b->q || !b->prev || !b->room) {
        return false;
    }
    for (uint32_t i = 0; i < rows; ++i) {
        const hem_rest_row* r = &v->rest_rows[i];
        for (int lane = 0; lane < 8; ++lane) {
            b->x[i].x[lane] = b->prev[i].x[lane] = r->x[lane] * 1.01f;
            b->x[i].y[lane] = b->prev[i].y[lane] = r->y[lane];
            b->x[i].z[lane] = b->prev[i].z[lane] = r->z[lane];
            b->x[i].w[lane] = r->mass[lane] > 0 ? 1 / r->mass[lane] : 0;
            b->q[i].w[lane] = 1;
        }
    }
    memcpy(b->start, b->x, rows * sizeof(hemi_row4));
    return true;
}

static void bench_close(bench* b) {
    free(b->x);
    free(b->start);
    free(b->q);
    free(b->prev);
    free(b->room);
    world_close(&b->w);
}

// Once over a range, as a substep of 1/240 s with one pass does.
static void call(bench* b, const hem_range* range, bool follow) {
    const hem_view* v = &b->w.view;
    const hem_row_batch* batches = v->row_batches + range->begin;
    const float h = 1.0f / 240.0f, h2 = h * h, none = 1e30f;
    const hemi_fabric_args fabric = {
        b->x, b->prev, NULL, {1e-3f / h2, 1e-3f / h2, 1e-2f / h2, -1}, 1e4f / h2, 0, 0.5f, none, none, none, 1};
    const hemi_spring_args spring = {b->x, b->prev, NULL, h, 1 / h2, 0, 0};
    const hemi_rod_args rod = {
        .x = b->x, .q = b->q, .room = b->room, .h = h, .stiffer = 1, .softer = 1, .prev = b->prev};
    const hemi_solid_args solid = {b->x, 1e5f * h2, 1e6f * h2};
    switch ((hem_batch_kind)range->kind) {
    case HEM_BATCH_TRIANGLES:
        b->kernels->triangles(v, batches, range->count, &fabric);
        break;
    case HEM_BATCH_DIHEDRALS:
        b->kernels->dihedrals(v, batches, range->count, &fabric);
        break;
    case HEM_BATCH_BENDS:
        b->kernels->bends(v, batches, range->count, &fabric);
        break;
    case HEM_BATCH_SPRINGS:
        b->kernels->springs(v, batches, range->count, &spring);
        break;
    case HEM_BATCH_RODS:
        b->kernels->rods(v, batches, range->count, &rod);
        break;
    case HEM_BATCH_CHAINS:
        (follow ? b->kernels->follow : b->kernels->chains)(v, batches, range->count, &rod);
        break;
    case HEM_BATCH_TETRAHEDRA:
        b->kernels->tetrahedra(v, batches, range->count, &solid);
        break;
    default:
        break;
    }
}

static uint32_t bits(uint32_t mask) {
    uint32_t count = 0;
    for (; mask; mask &= mask - 1) {
        ++count;
    }
    return count;
}

typedef struct tally {
    uint32_t constraints, in_rows; // of them
    size_t bytes;
} tally;

// Of strands a constraint is a segment: one less than members.
static tally count_range(const hem_view* v, const hem_range* range, size_t payload) {
    tally t = {0, 0, 0};
    for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
        const hem_row_batch* b = &v->row_batches[i];
        const bool strands = range->kind == HEM_BATCH_RODS || range->kind == HEM_BATCH_CHAINS;
        uint32_t lanes = bits(b->lane_mask);
        t.bytes += sizeof(*b) + payload * (strands ? b->member_count : 1);
        if (strands) {
            lanes = 0;
            for (uint32_t k = 1; k < b->member_count; ++k) {
                lanes += bits(b->form == HEM_FORM_STRANDS ? v->row_members[b->member_begin + k].lane_mask
                                                          : v->row_indices[b->member_begin + k].lane_mask);
            }
        }
        if (b->form == HEM_FORM_STRANDS) {
            t.bytes += b->member_count * sizeof(hem_group_member);
        } else if (b->form == HEM_FORM_INDICES) {
            t.bytes += b->member_count * sizeof(hem_group_index);
        }
        t.constraints += lanes;
        t.in_rows += b->form != HEM_FORM_INDICES ? lanes : 0;
    }
    return t;
}

static double nanoseconds(bench* b, const hem_range* range, bool follow, uint32_t constraints) {
    double least = 1e9;
    const int repeats = 1 + 400000 / (int)(constraints + 1);
    for (int turn = 0; turn < TURNS; ++turn) {
        const double begin = hem_clock_seconds();
        for (int i = 0; i < repeats; ++i) {
            memcpy(b->x, b->start, b->w.view.info->row_count * sizeof(hemi_row4));
            call(b, range, follow);
        }
        const double each = 1e9 * (hem_clock_seconds() - begin) / ((double)repeats * constraints);
        least = each < least ? each : least;
    }
    return least;
}

static const struct {
    const char* asset;
    hem_batch_kind kind;
    const char* name;
    bool follow;
    size_t payload;
    double aimed, most_bytes; // ns, bytes a constraint; 0: none
} ROWS[] = {
    {"bench_fabric", HEM_BATCH_TRIANGLES, "triangle strain", false, sizeof(hem_triangle), 4, 26},
    {"bench_fabric", HEM_BATCH_DIHEDRALS, "dihedral", false, sizeof(hem_dihedral), 5, 20},
    {"bench_flat", HEM_BATCH_BENDS, "flat bend", false, sizeof(hem_bend), 0, 28},
    {"bench_rods", HEM_BATCH_RODS, "rod pair", false, sizeof(hem_rod), 4, 46},
    {"bench_chains", HEM_BATCH_CHAINS, "chain segment", false, sizeof(hem_chain), 1.5, 6},
    {"bench_chains", HEM_BATCH_CHAINS, "chain segment that follows", true, sizeof(hem_chain), 0, 6},
    {"solid_held", HEM_BATCH_TETRAHEDRA, "tetrahedron", false, sizeof(hem_tetrahedron), 0, 80},
    {"sprung", HEM_BATCH_SPRINGS, "spring", false, sizeof(hem_spring), 0, 40},
};

TEST bytes_and_nanoseconds_of_each_kind(void) {
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); ++i) {
        bench b;
        ASSERT(bench_open(&b, ROWS[i].asset));
        const hem_view* v = &b.w.view;
        const hem_range range = hem_range_of(v->ranges, &v->parts[0], ROWS[i].kind);
        const tally t = count_range(v, &range, ROWS[i].payload);
        ASSERT(t.constraints > 0);
        const double bytes = (double)t.bytes / t.constraints;
        if (getenv("HEM_COSTS")) {
            printf("%-28s %6.2f ns (aimed %g), %5.1f bytes, %u of which %.0f %% in rows\n", ROWS[i].name,
                   nanoseconds(&b, &range, ROWS[i].follow, t.constraints), ROWS[i].aimed, bytes, t.constraints,
                   100.0 * t.in_rows / t.constraints);
        } else {
            call(&b, &range, ROWS[i].follow);
        }
        ASSERT(bytes < ROWS[i].most_bytes);
        bench_close(&b);
    }
    PASS();
}

SUITE(costs_suite) {
    RUN_TEST(bytes_and_nanoseconds_of_each_kind);
}
