// SPDX-License-Identifier: MIT
#include "tools/calibrate.h"
#include "tools/crowd.h"
#include "tools/prove_budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A crowd on a budget: forty characters, a camera that goes around them, some of them coming and going. What counts is the
// time of the thread for poses, plan, step and skinning, with those at pose level drawn by the game (HEM_BUDGET_MOVING). The
// game says after each frame what it took.
//
// The full cost, of which budgets are shares, is the median of what the same script takes without a budget: the same frames,
// comings and goings, with everybody at full. So a budget of 100 % binds in half of the frames.
//
// Each run is played twice: the second time as a replay, which is told the times of the first and so gives the same plans and the
// same bits. A frame's time is the lesser of the two. What a frame's work takes is in both; what an interrupt or a neighbour on
// the machine adds to it seldom comes to the same frame again.

enum { CROWD = 40, SIDE = 8, FRAMES = 2000, WARM = 60, FULL_FRAMES = 400, HASH_FRAMES = 90, HASH_CROWD = 8 };

static double sum_us(const crowd_time* t) {
    return 1e-3 * (double)(t->pose + t->plan + t->step + t->skin);
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double proof_median(double* values, uint32_t count) {
    qsort(values, count, sizeof(*values), compare);
    return count ? values[count / 2] : 0.0;
}

// They stand two metres apart; the camera goes around, near some and far from others, and looks at the middle.
static void look(crowd* c, uint32_t frame) {
    const double turn = 0.01 * (double)frame, eye[2] = {14.0 * cos(turn), 10.0 * sin(turn)};
    for (uint32_t i = 0; i < c->count; i++) {
        const double to[2] = {2.0 * (i % SIDE) - SIDE + 1.0 - eye[0], 2.0 * (double)(i / SIDE) - 4.0 - eye[1]};
        const double distance = sqrt(to[0] * to[0] + to[1] * to[1]);
        const bool visible = -(to[0] * eye[0] + to[1] * eye[1]) > 0.0;
        if (c->ids[i].index1) {
            hem_instance_set_importance(c->scene, c->ids[i], hem_importance(1.0f, (float)distance, visible));
        }
    }
}

// Every fifteen frames somebody goes or comes back.
static void come_and_go(crowd* c, uint32_t frame) {
    const uint32_t i = frame / 15 * 7 % c->count;
    if (frame % 15 != 0) {
        return;
    }
    if (c->ids[i].index1 && i % 2 == 0) {
        crowd_remove(c, i);
    } else if (!c->ids[i].index1) {
        crowd_add(c, i, frame);
    }
}

static bool fill(crowd* c, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!crowd_add(c, i, 0)) {
            return false;
        }
    }
    return true;
}

typedef struct run {
    double us[WARM + FRAMES], plan_us[WARM + FRAMES];
    uint32_t planned_over;
    uint64_t hash;
} run;

static bool play_run(const asset* a, const hem_costs* costs, uint32_t frames, double budget,
                     void (*script)(crowd* c, uint32_t frame), run* r, bool replay) {
    crowd c = {.speed = 3.0f};
    if (!crowd_open(&c, a, CROWD, HEM_BUDGET_MOVING, costs, 1)) {
        crowd_close(&c);
        return false;
    }
    hem_scene_set_budget(c.scene, (float)budget);
    r->planned_over = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        script(&c, frame);
        look(&c, frame);
        const crowd_time t = crowd_frame(&c, frame, HEM_BUDGET_MOVING, NULL);
        hem_budget_report report;
        hem_scene_get_budget(c.scene, &report);
        r->planned_over += frame >= WARM && budget > 0 && report.planned_us > report.budget_us;
        const double us = sum_us(&t), plan = 1e-3 * (double)t.plan;
        hem_scene_set_measured(c.scene, (float)(replay ? r->us[frame] : us));
        r->us[frame] = us;
        r->plan_us[frame] = plan;
    }
    r->hash = hem_scene_hash(c.scene);
    crowd_close(&c);
    return true;
}

// Twice, and of each frame the lesser time.
static bool play_twice(const asset* a, const hem_costs* costs, uint32_t frames, double budget,
                       void (*script)(crowd* c, uint32_t frame), run* r) {
    run* again = malloc(sizeof(*again));
    bool good = again != NULL && play_run(a, costs, frames, budget, script, r, false);
    if (good) {
        memcpy(again, r, sizeof(*again));
        good = play_run(a, costs, frames, budget, script, again, true) && again->hash == r->hash;
        for (uint32_t i = 0; i < frames; i++) {
            r->us[i] = fmin(r->us[i], again->us[i]);
            r->plan_us[i] = fmin(r->plan_us[i], again->plan_us[i]);
        }
    }
    free(again);
    return good;
}

static void comings_and_goings(crowd* c, uint32_t frame) {
    if (frame == 0) {
        fill(c, CROWD);
    }
    come_and_go(c, frame);
}

static double full_us(const asset* a, run* r) {
    const bool good = play_twice(a, NULL, WARM + FULL_FRAMES, 0.0, comings_and_goings, r);
    return good ? proof_median(r->us + WARM, FULL_FRAMES) : 0.0;
}

static void prove_share(proof* p, const asset* a, const hem_costs* costs, double full, double share, run* r) {
    double worst = 0, plan = 0;
    uint32_t over = 0;
    const int percent = (int)(100 * share + 0.5);
    if (!(full > 0) || !play_twice(a, costs, WARM + FRAMES, share * full, comings_and_goings, r)) {
        proof_unmeasured(p, "a crowd", "it cannot be opened, or a replay has other bits", "budget %d %%", percent);
        return;
    }
    for (uint32_t i = WARM; i < WARM + FRAMES; i++) {
        r->us[i] /= share * full;
        over += r->us[i] > 1.0;
        worst = r->us[i] > worst ? r->us[i] : worst;
        plan += r->plan_us[i] / CROWD / FRAMES;
    }
    proof_at_most(p, 0.0, r->planned_over, "frames", "budget %d %%: planned above it", percent);
    proof_at_most(p, 1.0, 100.0 * over / FRAMES, "%", "budget %d %%: frames above it", percent);
    proof_at_most(p, 120.0, 100.0 * worst, "%", "budget %d %%: the worst frame", percent);
    if (share >= 0.25) {
        proof_at_least(p, 85.0, 100.0 * proof_median(r->us + WARM, FRAMES), "%", "budget %d %%: median use", percent);
    }
    proof_at_most(p, 0.3, plan, "us", "budget %d %%: begin of the step, per instance", percent);
}

// Twenty become forty in one frame.
enum { JUMP = 120, AFTER_JUMP = 20 };

static void jump(crowd* c, uint32_t frame) {
    for (uint32_t i = frame == JUMP ? CROWD / 2 : 0; i < CROWD && (frame == 0 || frame == JUMP); i++) {
        if (frame == JUMP || i < CROWD / 2) {
            crowd_add(c, i, frame);
        }
    }
}

static void prove_jump(proof* p, const asset* a, const hem_costs* costs, double full, run* r) {
    uint32_t late = 0;
    if (!(full > 0) || !play_twice(a, costs, JUMP + 60, 0.45 * full, jump, r)) {
        proof_unmeasured(p, "a crowd", "it cannot be opened, or a replay has other bits", "a jump in load");
        return;
    }
    for (uint32_t frame = JUMP; frame < JUMP + AFTER_JUMP; frame++) {
        late = r->us[frame] > 0.45 * full ? frame - JUMP + 1 : late;
    }
    proof_at_most(p, 3.0, late, "frames", "twenty become forty: the last of 20 frames above the budget");
}

// The same words, jobs in another order with another number of workers, with a save and a load in the middle.
static uint64_t hash_of(const asset* a, uint32_t workers, bool reload) {
    crowd c = {.speed = 3.0f};
    uint32_t order[HASH_CROWD];
    uint64_t hash = 0;
    bool good = crowd_open(&c, a, HASH_CROWD, HEM_BUDGET_MOVING, NULL, workers) && fill(&c, HASH_CROWD);
    for (uint32_t i = 0; i < HASH_CROWD; i++) {
        order[i] = (i * 3 + workers) % HASH_CROWD;
    }
    for (uint32_t frame = 0; good && frame < HASH_FRAMES; frame++) {
        if (reload && frame == HASH_FRAMES / 2) {
            const size_t size = hem_scene_save_size(c.scene, HEM_SAVE_ALL);
            void* save = malloc(size);
            good = save != NULL && hem_scene_save(c.scene, HEM_SAVE_ALL, save, size) == HEM_OK &&
                   hem_scene_load(c.scene, save, size) == HEM_OK;
            free(save);
        }
        look(&c, frame * 3);
        hem_scene_set_budget(c.scene, frame % 40 < 20 ? 900.0f : 500.0f);
        hem_scene_set_measured(c.scene, 300.0f + 10.0f * (float)(frame % 30));
        crowd_frame(&c, frame, HEM_BUDGET_MOVING, workers > 1 ? order : NULL);
    }
    hash = good ? hem_scene_hash(c.scene) : 0;
    crowd_close(&c);
    return hash;
}

static void prove_hashes(proof* p, const asset* a) {
    const uint64_t one = hash_of(a, 1, false);
    for (uint32_t workers = 2; workers <= 8; workers += 3) {
        proof_same(p, one, hash_of(a, workers, false), "levels changing, %u workers, jobs in another order", workers);
    }
    proof_same(p, one, hash_of(a, 1, true), "levels changing, saved and loaded in the middle");
}

static void prove_costs(proof* p, const asset* a, const char* name, const hem_costs* costs, double aimed) {
    calibration* c = calloc(1, sizeof(*c));
    if (c == NULL || !calibrate_measure(c, a, name)) {
        proof_unmeasured(p, "a prediction", "it cannot be played", "%s: costs", name);
    }
    for (uint32_t i = 0; c != NULL && i < c->row_count; i++) {
        const double off = calibrate_predicted_us(&c->rows[i], costs) / calibrate_measured_us(&c->rows[i]) - 1.0;
        if (!c->rows[i].probe) {
            proof_at_most(p, aimed, 100.0 * fabs(off), "%", "%s, %s: predicted against measured", name,
                          hem_level_name(c->rows[i].level));
        }
    }
    free(c);
}

static void prove_levels(proof* p, const asset* a, const hem_costs* costs) {
    if (proof_wants(p, "levels")) {
        prove_pops(p, a, "cape_girl", "idle");
        prove_pops(p, a, "cape_girl", "run");
        prove_hashes(p, a);
    }
    if (proof_wants(p, "costs")) {
        prove_costs(p, a, "cape_girl with levels of detail", costs, 10.0);
    }
}

// Characters that the fit has not seen.
static void prove_costs_of_strangers(proof* p, const hem_costs* costs) {
    for (int32_t i = 0; i < PROOF_STRANGERS; i++) {
        asset a;
        if (proof_stranger(p, i, &a) != NULL) {
            prove_costs(p, &a, proof_stranger_name(i), costs, 15.0);
            asset_unload(&a);
        }
    }
}

void prove_budget(proof* p) {
    static const double shares[] = {0.10, 0.25, 0.50, 0.75, 1.00};
    static const char* const names[] = {"cape_girl", "monster", "robe", "hair", "somersault"};
    asset a;
    if (!proof_sample(p, "cape_girl", &a)) {
        return;
    }
    // What a plan is worth depends on costs of the machine at hand: those that ship are of another.
    hem_costs costs = hem_costs_default();
    calibration* here = calloc(1, sizeof(*here));
    if (here != NULL && (proof_wants(p, "shares") || proof_wants(p, "jump") || proof_wants(p, "costs"))) {
        calibrate_samples(here, &p->folders);
        calibrate_fit(here);
        costs = here->costs;
    }
    free(here);
    run* r = calloc(1, sizeof(*r));
    const bool timed = r != NULL && (proof_wants(p, "shares") || proof_wants(p, "jump"));
    const double full = timed ? full_us(&a, r) : 0.0;
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]) && timed && proof_wants(p, "shares"); i++) {
        prove_share(p, &a, &costs, full, shares[i], r);
    }
    if (timed && proof_wants(p, "jump")) {
        prove_jump(p, &a, &costs, full, r);
    }
    free(r);
    if (proof_wants(p, "hashes")) {
        prove_hashes(p, &a);
    }
    if (proof_wants(p, "sleepers")) {
        prove_sleepers(p, &a);
    }
    if (proof_wants(p, "layout")) {
        prove_layout(p, &a);
    }
    if (proof_wants(p, "workers")) {
        prove_workers(p, &a);
    }
    asset_unload(&a);
    if ((proof_wants(p, "levels") || proof_wants(p, "costs")) && proof_levels(p, "cape_girl", 4, &a)) {
        prove_levels(p, &a, &costs);
        asset_unload(&a);
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && proof_wants(p, "costs"); i++) {
        if (proof_sample(p, names[i], &a)) {
            prove_costs(p, &a, names[i], &costs, 10.0);
            asset_unload(&a);
        }
    }
    if (proof_wants(p, "costs")) {
        prove_costs_of_strangers(p, &costs);
    }
}
