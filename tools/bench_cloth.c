// SPDX-License-Identifier: MIT
#include "tools/bench_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Sheets and crowds. The engines take turns frame by frame, so that whatever else the machine does hits all of them, and
// each finds the caches as another has left them, as it would in a game.

enum { ENGINES_MAX = 2, LOOKS = 6 };

typedef struct contestant {
    const bench_engine* engine;
    void* side;
    uint64_t* samples;
    int64_t allocation_count;
    bench_quality quality;
    int32_t look_count;
} contestant;

static void look(contestant* c, const bench_world* world, const bench_capsule* capsules, float (*positions)[3]) {
    bench_quality q;
    // Instances are alike; of a crowd the first and the last are looked at.
    for (int32_t i = 0; i<world->instance_count; i += world->instance_count> 1 ? world->instance_count - 1 : 1) {
        c->engine->read(c->side, i, positions);
        if (bench_judge(world, (const float(*)[3])positions, capsules, &q)) {
            c->quality.stretch_mean += q.stretch_mean;
            c->quality.stretch_max = q.stretch_max > c->quality.stretch_max ? q.stretch_max : c->quality.stretch_max;
            c->quality.deep = q.deep > c->quality.deep ? q.deep : c->quality.deep;
            c->look_count++;
        }
    }
}

static void report(bench* b, const char* workload, const bench_world* world, contestant* c) {
    bench_result* r = bench_add(b, workload, c->engine->name);
    if (r == NULL) {
        return;
    }
    r->times = bench_summarise(c->samples, b->frame_count);
    r->particle_count = (double)world->sheet->count * (double)world->instance_count;
    r->projection_count = (double)world->sheet->link_count * (double)world->instance_count * BENCH_SUBSTEPS;
    r->stretch_mean = c->quality.stretch_mean / (double)c->look_count;
    r->stretch_max = c->quality.stretch_max;
    r->deep = world->variant != BENCH_PLAIN ? c->quality.deep : NAN;
    if (bench_allocation_count() >= 0) {
        r->allocations_per_frame = (double)c->allocation_count / (double)b->frame_count;
    }
    c->engine->describe(c->side, r);
}

static void close_sides(contestant* contestants, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (contestants[i].side != NULL) {
            contestants[i].engine->destroy(contestants[i].side);
            contestants[i].side = NULL;
        }
    }
}

static bool open_sides(bench* b, const bench_world* world, contestant* contestants, int32_t count) {
    close_sides(contestants, count);
    bool ready = true;
    for (int32_t i = 0; i < count; i++) {
        contestants[i].side = contestants[i].engine->create(b, world);
        ready = ready && contestants[i].side != NULL;
    }
    return ready;
}

// One frame of every contestant. Allocations are counted and the cloth is looked at in the first turn.
static void play(const bench* b, const bench_world* world, contestant* contestants, int32_t count, int32_t frame,
                 int32_t turn, float (*positions)[3]) {
    bench_capsule capsules[BENCH_CAPSULES];
    int32_t timed = frame - b->warm_count;
    bench_capsules_at((float)(frame + 1) * BENCH_DT, capsules);
    const bench_capsule* given = bench_capsule_count(world->variant) > 0 ? capsules : NULL;
    for (int32_t i = 0; i < count; i++) {
        contestant* c = &contestants[i];
        int64_t before = bench_allocation_count();
        uint64_t start = bench_clock();
        c->engine->step(c->side, given);
        uint64_t end = bench_clock();
        if (timed >= 0) {
            bench_keep_least(c->samples, timed, turn, end - start);
            c->allocation_count += turn == 0 ? bench_allocation_count() - before : 0;
        }
    }
    if (turn == 0 && timed >= 0 && (timed + 1) * LOOKS / b->frame_count != timed * LOOKS / b->frame_count) {
        for (int32_t i = 0; i < count; i++) {
            look(&contestants[i], world, given, positions);
        }
    }
}

static void run(bench* b, const char* workload, const bench_world* world) {
    contestant contestants[ENGINES_MAX] = {{&bench_engine_hem, NULL, NULL, 0, {0, 0, 0}, 0}};
    int32_t count = 1;
#if HEM_WITH_BULLET
    // Bullet keeps cloth apart from itself by clusters, which is other work; no comparison is made. Nor of 16 capsules,
    // which say no more than 20.
    if (b->peers && world->variant <= BENCH_CAPSULED) {
        contestants[count++].engine = &bench_engine_bullet;
    }
#endif
    float(*positions)[3] = malloc((size_t)world->sheet->count * sizeof(*positions));
    bool ready = positions != NULL;
    for (int32_t i = 0; i < count; i++) {
        contestants[i].samples = malloc((size_t)b->frame_count * sizeof(uint64_t));
        ready = ready && contestants[i].samples != NULL;
    }
    for (int32_t turn = 0; ready && turn < b->turn_count; turn++) {
        ready = open_sides(b, world, contestants, count);
        for (int32_t frame = 0; ready && frame < b->warm_count + b->frame_count; frame++) {
            play(b, world, contestants, count, frame, turn, positions);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        if (ready) {
            report(b, workload, world, &contestants[i]);
        }
        free(contestants[i].samples);
    }
    close_sides(contestants, count);
    free(positions);
}

void bench_run_sheets(bench* b) {
    static const struct {
        int32_t width, height, instances;
    } SIZES[] = {{20, 20, 1}, {37, 38, 1}, {80, 80, 1}, {160, 160, 1}, {20, 20, 100}};
    static const char* const VARIANTS[] = {"", "-capsules", "-self", "-16-capsules", "-hang-self"};
    for (size_t i = 0; i < sizeof(SIZES) / sizeof(SIZES[0]); i++) {
        bench_sheet sheet;
        if (!bench_sheet_create(&sheet, SIZES[i].width, SIZES[i].height)) {
            bench_note(b, "no memory for a sheet");
            return;
        }
        for (int32_t variant = BENCH_PLAIN; variant <= BENCH_HANG_SELF; variant++) {
            char name[48];
            if (variant > BENCH_SELF && sheet.count != 1406 && sheet.count != 6400) {
                continue;
            }
            if (variant == BENCH_HANG_SELF) {
                bench_sheet_hang(&sheet);
            }
            if (SIZES[i].instances > 1) {
                snprintf(name, sizeof(name), "crowd-%dx%d%s", (int)SIZES[i].instances, (int)sheet.count,
                         VARIANTS[variant]);
            } else {
                snprintf(name, sizeof(name), "sheet-%d%s", (int)sheet.count, VARIANTS[variant]);
            }
            if (bench_wants(b, name)) {
                const bench_world world = {&sheet, (bench_variant)variant, SIZES[i].instances};
                bench_progress(name);
                run(b, name, &world);
            }
        }
        bench_sheet_destroy(&sheet);
    }
}
