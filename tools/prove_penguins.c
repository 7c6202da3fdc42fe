// SPDX-License-Identifier: MIT
#include "tools/prove_penguins.h"
#include "tools/player.h"
#include "platform/clock.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A hundred and fifty penguins fall into a heap: what a frame costs while they fall, tumble and lie, whether what is drawn of them
// stays apart, and what they cost asleep.

enum { PENGUINS = 150, FRAMES = 150, RUNS = 3, PATIENCE = 1800 };

typedef struct heap {
    player player;
    const hem_view* view;
    float* vertices;
    uint32_t vertex_count, triangle_count; // of one penguin
} heap;

static bool heap_begin(heap* h, const asset* a) {
    memset(h, 0, sizeof(*h));
    player_setup setup = player_setup_default(a);
    setup.ground = false; // the recipe has one
    h->view = &a->view;
    h->vertex_count = a->view.info->vertex_count / PENGUINS;
    h->triangle_count = a->view.preview_index_count / 3 / PENGUINS;
    h->vertices = malloc((size_t)a->view.info->vertex_count * 3 * sizeof(float));
    if (h->vertices == NULL || player_begin(&h->player, &setup) != 0) {
        return false;
    }
    asset_bind_pose(a, h->player.pose);
    return true;
}

static void heap_end(heap* h) {
    player_end(&h->player);
    free(h->vertices);
}

static bool heap_step(heap* h) {
    const hem_root root = {.rotation = {0, 0, 0, 1}};
    return player_drive(&h->player, &root, 1.0f / 60.0f) == 0;
}

static bool heap_skin(heap* h) {
    const hem_skin_args args = {.positions = h->vertices, .vertex_count = h->view->info->vertex_count};
    return hem_instance_skin(h->player.scene, h->player.id, &args) == HEM_OK;
}

// -- Who is inside whom, by the triangles that are drawn

typedef struct box {
    float low[3], high[3];
} box;

static box box_of(const heap* h, uint32_t penguin) {
    box b = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (uint32_t i = 0; i < h->vertex_count; i++) {
        const float* v = h->vertices + 3 * (size_t)(penguin * h->vertex_count + i);
        for (int32_t k = 0; k < 3; k++) {
            b.low[k] = v[k] < b.low[k] ? v[k] : b.low[k];
            b.high[k] = v[k] > b.high[k] ? v[k] : b.high[k];
        }
    }
    return b;
}

// How often a ray from p along +y goes through the penguin's triangles is odd.
static bool is_inside(const heap* h, uint32_t penguin, const float* p) {
    const uint32_t* index = h->view->preview_indices + 3 * (size_t)(penguin * h->triangle_count);
    bool inside = false;
    for (uint32_t t = 0; t < h->triangle_count; t++) {
        const float* c[3];
        double side[3];
        for (int32_t k = 0; k < 3; k++) {
            c[k] = h->vertices + 3 * (size_t)index[3 * t + (uint32_t)k];
        }
        for (int32_t k = 0; k < 3; k++) {
            const float *a = c[k], *b = c[(k + 1) % 3];
            side[k] = ((double)a[0] - (double)p[0]) * ((double)b[2] - (double)p[2]) -
                      ((double)a[2] - (double)p[2]) * ((double)b[0] - (double)p[0]);
        }
        const bool same = (side[0] > 0) == (side[1] > 0) && (side[1] > 0) == (side[2] > 0);
        const double area = side[0] + side[1] + side[2];
        if (same && area != 0) { // side k is opposite to corner k + 2
            const double y = (side[1] * (double)c[0][1] + side[2] * (double)c[1][1] + side[0] * (double)c[2][1]) / area;
            inside ^= y > (double)p[1];
        }
    }
    return inside;
}

// Percent of all vertices.
static double share_inside(const heap* h) {
    static box boxes[PENGUINS];
    uint32_t found = 0;
    for (uint32_t i = 0; i < PENGUINS; i++) {
        boxes[i] = box_of(h, i);
    }
    for (uint32_t i = 0; i < PENGUINS * h->vertex_count; i++) {
        const float* p = h->vertices + 3 * (size_t)i;
        bool inside = false;
        for (uint32_t k = 0; k < PENGUINS && !inside; k++) {
            const box* b = &boxes[k];
            if (k != i / h->vertex_count && p[0] > b->low[0] && p[0] < b->high[0] && p[1] > b->low[1] &&
                p[1] < b->high[1] && p[2] > b->low[2] && p[2] < b->high[2]) {
                inside = is_inside(h, k, p);
            }
        }
        found += inside;
    }
    return 100.0 * found / (PENGUINS * h->vertex_count);
}

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

// A second of the fall, then the viewpoint goes far away, and further in every step.
static void prove_far(proof* p, const asset* a) {
    heap h;
    double least = INFINITY;
    hem_instance_stats stats = {0};
    if (heap_begin(&h, a)) {
        hem_instance_set_sleep_distance(h.player.scene, h.player.id, 50.0f, 40.0f);
        for (int32_t f = 0; f < 60 + FRAMES; f++) {
            const double point[3] = {f < 60 ? 0.0 : 100.0 + f, 0.0, 0.0};
            const double begin = hem_clock_seconds();
            hem_scene_set_viewpoint(h.player.scene, point);
            heap_step(&h);
            least = f > 61 ? fmin(least, hem_clock_seconds() - begin) : least;
        }
        hem_instance_get_stats(h.player.scene, h.player.id, &stats);
    }
    proof_at_most(p, 1.0, stats.asleep == 2 ? 1e6 * least : INFINITY, "us",
                  "a step of the heap that hangs in the air, far from a viewpoint that moves");
    heap_end(&h);
}

// Seconds a frame: what happens is the same in every run, so that the least of several leaves out what others do.
static bool measure(const asset* a, double* step, double* skin) {
    for (int32_t run = 0; run < RUNS; run++) {
        heap h;
        bool good = heap_begin(&h, a);
        for (int32_t f = 0; good && f < FRAMES; f++) {
            const double begin = hem_clock_seconds();
            good = heap_step(&h);
            const double stepped = hem_clock_seconds();
            good = good && heap_skin(&h);
            const double end = hem_clock_seconds();
            step[f] = fmin(run > 0 ? step[f] : INFINITY, stepped - begin);
            skin[f] = fmin(run > 0 ? skin[f] : INFINITY, end - stepped);
        }
        heap_end(&h);
        if (!good) {
            return false;
        }
    }
    return true;
}

static void prove_heap(proof* p, const asset* a) {
    static double step[FRAMES], skin[FRAMES];
    heap h;
    if (!measure(a, step, skin) || !heap_begin(&h, a)) {
        proof_unmeasured(p, "4 ms", "it cannot be played", "150 penguins in a heap");
        return;
    }
    qsort(step, FRAMES, sizeof(step[0]), compare);
    qsort(skin, FRAMES, sizeof(skin[0]), compare);
    proof_at_most(p, 4.0, 1e3 * step[FRAMES / 2], "ms", "a step of %d penguins that fall into a heap, %u particles",
                  PENGUINS, a->view.info->real_particle_count);
    proof_at_most(p, 4.0, 1e3 * step[FRAMES - 1], "ms", "the dearest of its %d steps", FRAMES);
    proof_at_most(p, 4.0, 1e3 * (step[FRAMES / 2] + skin[FRAMES / 2]), "ms", "with the vertices, %u of them",
                  a->view.info->vertex_count);
    double worst = 0;
    int32_t frames = 0;
    hem_instance_stats stats = {0};
    for (; frames < PATIENCE && !stats.asleep; frames++) {
        if (!heap_step(&h)) {
            break;
        }
        if (frames % 30 == 29 && frames < 300) {
            heap_skin(&h);
            worst = fmax(worst, share_inside(&h));
        }
        hem_instance_get_stats(h.player.scene, h.player.id, &stats);
    }
    heap_skin(&h);
    proof_at_most(p, 8.0, worst, "%", "vertices inside of another penguin, the worst of the first five seconds");
    proof_at_most(p, 8.0, share_inside(&h), "%", "vertices inside of another penguin, at rest");
    proof_at_most(p, 20.0, stats.asleep ? frames / 60.0 : INFINITY, "s", "until the heap sleeps");
    double least = INFINITY;
    for (int32_t f = 0; f < FRAMES; f++) {
        const double begin = hem_clock_seconds();
        heap_step(&h);
        least = fmin(least, hem_clock_seconds() - begin);
    }
    proof_at_most(p, 1.0, 1e6 * least, "us", "a step of the heap asleep");
    heap_end(&h);
}

void prove_penguins(proof* p) {
    asset a;
    if (proof_sample(p, "penguins", &a)) {
        prove_heap(p, &a);
        prove_far(p, &a);
        asset_unload(&a);
    }
}
