// SPDX-License-Identifier: MIT
#include "tools/prove.h"
#include "tools/prove_lattice.h"
#include "tools/prove_penguins.h"
#include "tools/prove_tear.h"
#include "tools/jelly.h"
#include "tools/player.h"
#include "platform/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Lattices: what regions cost at each width, what they keep, and whether a jelly acts: follows its clip, gives way to a slab
// and comes back.

enum { FRAMES = 60, RUNS = 7 };

static void tune(jelly* j, uint32_t width, bool tracking) {
    hem_tuning t;
    hem_instance_get_tuning(j->scene, j->id, &t, sizeof(t));
    t.gravity_scale = 0.0f;
    t.region_width = width;
    t.tracking = tracking;
    hem_instance_set_tuning(j->scene, j->id, &t, 1);
}

static void swing(jelly* j, int32_t frame) {
    const float a = 0.3f * sinf(0.1f * (float)frame), c = cosf(a), s = sinf(a);
    const float pose[12] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0};
    hem_instance_set_pose(j->scene, j->id, pose, 1, 0);
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// Median over frames of the least of several runs, seconds a frame of four substeps.
static double frame_seconds(jelly* j, bool moving) {
    static double least[FRAMES];
    const hem_step_args args = {.dt_seconds = 1.0f / 60.0f, .substeps = 4};
    for (int32_t i = 0; i < FRAMES; i++) {
        least[i] = 1e9;
    }
    for (int32_t run = 0; run < RUNS; run++) {
        for (int32_t frame = 0; frame < FRAMES; frame++) {
            if (moving) {
                swing(j, frame);
            }
            const double begin = hem_clock_seconds();
            hem_scene_step(j->scene, &args);
            const double took = hem_clock_seconds() - begin;
            least[frame] = took < least[frame] ? took : least[frame];
        }
    }
    qsort(least, FRAMES, sizeof(least[0]), compare);
    return least[FRAMES / 2];
}

static void prove_cost(proof* p) {
    jelly j;
    if (!jelly_open(&j, 15, 15, 15, true, 0)) {
        proof_unmeasured(p, "at most 25 ns", "the scene could not be made", "regions");
        jelly_close(&j);
        return;
    }
    double low = 1e9, high = 0;
    for (uint32_t width = 1; width <= HEM_MAX_REGION_WIDTH; width++) {
        tune(&j, width, false);
        const double seconds = frame_seconds(&j, false);
        low = seconds < low ? seconds : low;
        high = seconds > high ? seconds : high;
        if (width == 1 || width == HEM_MAX_REGION_WIDTH) {
            proof_at_most(p, 25.0, 1e9 * seconds / (4.0 * 3375.0), "ns",
                          "per particle and substep, 3375 particles, w = %u", width);
        }
    }
    proof_at_most(p, 15.0, 100.0 * (high / low - 1.0), "%", "dearest over cheapest of w = 1 to 8");
    jelly_close(&j);
    if (jelly_open(&j, 10, 7, 6, true, 0)) {
        tune(&j, 1, true);
        proof_at_most(p, 0.05, 1e3 * frame_seconds(&j, true), "ms",
                      "a frame of 420 particles that track a pose which moves in every frame");
    } else {
        proof_unmeasured(p, "0.05 ms", "the scene could not be made", "420 particles");
    }
    jelly_close(&j);
}

// -- The octopus

static double size_of(const asset* a) {
    double size = 0;
    for (int32_t k = 0; k < 3; k++) {
        const double extent = (double)(a->view.info->bounds_max[k] - a->view.info->bounds_min[k]);
        size = extent > size ? extent : size;
    }
    return size;
}

typedef struct octopus {
    const asset* source;
    player player;
    float *skeleton, *now;
    double size;
} octopus;

static bool open_octopus(octopus* o, const asset* a) {
    memset(o, 0, sizeof(*o));
    player_setup setup = player_setup_default(a);
    setup.ground = false; // the player puts its colliders in the place of ours in every frame
    o->source = a;
    o->size = size_of(a);
    const size_t bytes = (size_t)a->view.info->vertex_count * 3 * sizeof(float);
    o->skeleton = malloc(bytes);
    o->now = malloc(bytes);
    return o->skeleton != NULL && o->now != NULL && player_begin(&o->player, &setup) == 0;
}

static void close_octopus(octopus* o) {
    player_end(&o->player);
    free(o->skeleton);
    free(o->now);
}

// One frame of a clip (-1: the bind pose); how far the farthest vertex is from where the skeleton alone has it, as a share of the
// size.
static double follow(octopus* o, int32_t clip, float seconds) {
    player* p = &o->player;
    const hem_root root = {.rotation = {0, 0, 0, 1}};
    if (clip >= 0) {
        asset_pose(o->source, clip, seconds, p->pose);
    } else {
        asset_bind_pose(o->source, p->pose);
    }
    if (player_drive(p, &root, 1.0f / 60.0f) != 0) {
        return NAN;
    }
    const uint32_t count = o->source->view.info->vertex_count;
    const hem_skin_args args = {.positions = o->now, .vertex_count = count};
    hem_instance_skin(p->scene, p->id, &args);
    asset_skin(o->source, p->pose, o->skeleton, NULL);
    double worst = 0;
    for (uint32_t i = 0; i < count; i++) {
        double square = 0;
        for (int32_t k = 0; k < 3; k++) {
            const double d = (double)(o->now[3 * i + (uint32_t)k] - o->skeleton[3 * i + (uint32_t)k]);
            square += d * d;
        }
        worst = square > worst ? square : worst;
    }
    return sqrt(worst) / o->size;
}

static float lowest(const octopus* o, bool top) {
    float y = o->now[1];
    for (uint32_t i = 1; i < o->source->view.info->vertex_count; i++) {
        const float v = o->now[3 * i + 1];
        y = top ? (v > y ? v : y) : (v < y ? v : y);
    }
    return y;
}

// On the ground, under a slab.
static void slab_at(octopus* o, float height) {
    hem_collider both[2] = {hem_collider_default(), hem_collider_default()};
    both[0].kind = HEM_COLLIDER_PLANE;
    both[0].position[1] = (double)o->player.ground_height;
    both[1].kind = HEM_COLLIDER_BOX;
    both[1].position[1] = (double)height + 0.5;
    both[1].size[0] = both[1].size[2] = 5.0f;
    both[1].size[1] = 0.5f;
    hem_instance_set_colliders(o->player.scene, o->player.id, both, 2);
}

static void prove_octopus(proof* p) {
    asset a;
    octopus o;
    if (!proof_sample(p, "octopus_lattice", &a)) {
        return;
    }
    if (!open_octopus(&o, &a)) {
        proof_unmeasured(p, "5 %", "it cannot be played", "the octopus");
        close_octopus(&o);
        asset_unload(&a);
        return;
    }
    double worst = 0;
    for (int32_t f = 0; f < 240; f++) {
        const double off = follow(&o, 0, (float)f / 60.0f);
        worst = f >= 60 && !(off <= worst) ? off : worst;
    }
    proof_at_most(p, 5.0, 100.0 * worst, "% of its size", "the octopus from its clip, alpha 0.75, in three seconds");
    // A slab comes down on the bind pose to three quarters of the height, and goes.
    for (int32_t f = 0; f < 120; f++) {
        follow(&o, -1, 0.0f);
    }
    const float top = lowest(&o, true), bottom = lowest(&o, false), press = bottom + 0.75f * (top - bottom);
    for (int32_t f = 0; f <= 60; f++) {
        slab_at(&o, top + (press - top) * (float)f / 60.0f);
        follow(&o, -1, 0.0f);
    }
    proof_at_most(p, 2.0, 100.0 * (double)(lowest(&o, true) - press) / o.size, "% of its size",
                  "its highest vertex above the underside of a slab at three quarters of its height");
    hem_instance_set_colliders(o.player.scene, o.player.id, NULL, 0);
    double off = 1;
    int32_t frames = 0;
    for (; frames < 300 && off > 0.05; frames++) {
        off = follow(&o, -1, 0.0f);
    }
    proof_at_most(p, 2.0, off <= 0.05 ? frames / 60.0 : INFINITY, "s", "until it is within 5 %% of its shape again");
    close_octopus(&o);
    asset_unload(&a);
}

void prove_lattice(proof* p) {
    if (proof_wants(p, "cost")) {
        prove_cost(p);
    }
    if (proof_wants(p, "sums")) {
        prove_lattice_sums(p);
    }
    if (proof_wants(p, "momentum")) {
        prove_lattice_momentum(p);
    }
    if (proof_wants(p, "inverse")) {
        prove_lattice_inverse(p);
    }
    if (proof_wants(p, "files")) {
        prove_lattice_files(p);
    }
    if (proof_wants(p, "octopus")) {
        prove_octopus(p);
        prove_lattice_wall(p);
    }
    if (proof_wants(p, "fracture")) {
        prove_tear(p);
        prove_lattice_tears(p);
    }
    if (proof_wants(p, "penguins")) {
        prove_penguins(p);
    }
}
