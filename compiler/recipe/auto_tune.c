// SPDX-License-Identifier: MIT
#include "compiler/recipe/auto.h"
#include "compiler/generate/generate.h"
#include "compiler/recipe/json.h"

#include <math.h>
#include <setjmp.h>
#include <string.h>

// Automatic mode, second half: the spacing of cloth, found by trial.
//
// How well a net fills the lanes does not follow from its size: 13 levels of 16 columns fill 71 % of them, 12 and 14 levels
// 95 %. So a few spacings around the wanted particle count are tried, each with everything up to the lanes but nothing
// else, and the first that is good enough is taken; without one, the best. Levels are horizontal where the part
// hangs anyway, so that waists and hems are levels; the axis of the shape is tried where that fails.
//
// A trial costs what its part costs in the compile, and gives its memory back. Runs only when the cache has no result.

#define WANTED_PARTICLES 320.0 // of a garment; two layers count once
#define LEAST_PARTICLES 160.0  // of one with few triangles
#define GOOD_FILL 0.86         // the promise is 0.85; stitches may cost a little
#define GOOD_REGULAR 0.92
#define TRIAL_LIMIT 8
#define HANGS 0.8 // cosine between the axis of the shape and up

// Finer first: fill grows with the count. Factors of the spacing.
static const double factors[] = {1.0, 0.95, 1.05, 0.9, 0.86, 1.1, 0.82, 0.78, 0.74, 1.16, 0.7};
enum { FACTORS = sizeof(factors) / sizeof(factors[0]) };

typedef struct trial {
    double spacing, fill, regular, score;
    bool upright;
    uint32_t particles, inner;
} trial;

typedef struct tuner {
    hemc_arena* scratch;
    const hemc_model* model;
    const hemc_recipe* recipe;
    const int32_t* owner;
    const hemc_surface* surface;
    uint32_t part;
} tuner;

static bool run_trial(const tuner* t, trial* out) {
    hemc_arena* arena = t->scratch;
    hemc_log log = {.arena = arena};
    hemc_part_recipe part = t->recipe->parts[t->part];
    part.spacing = (float)out->spacing;
    if (out->upright) {
        part.axis_auto = false;
        part.axis[0] = part.axis[2] = 0;
        part.axis[1] = 1;
    }
    hemc_particles particles, none = {0};
    if (!hemc_generate(arena, &log, t->model, &part, t->surface, &particles)) {
        return false;
    }
    hemc_regularity net = hemc_measure_regularity(arena, &particles);
    out->particles = particles.count;
    out->inner = net.inner;
    out->regular = net.inner != 0 ? (double)net.regular / net.inner : 1.0;
    if (out->regular < GOOD_REGULAR) { // not worth the lanes
        return true;
    }
    hemc_recipe alone = *t->recipe;
    alone.parts = &part;
    alone.part_count = 1;
    alone.body.enabled = false;
    hemc_mesh mesh = {0};
    hemc_layout layout = {0};
    if (!hemc_roles(arena, &log, t->model, &part, t->surface, t->owner, &particles) ||
        !hemc_assemble(arena, &log, t->model, &alone, &particles, &none, &mesh) ||
        !hemc_graph(arena, &log, &alone, &mesh) || !hemc_lanes(arena, &log, &mesh, &layout)) {
        return false;
    }
    out->fill = (double)layout.part_fill[0];
    return true;
}

// In memory that is given back. When that memory ends, the failure is passed on to the compile's arena.
static bool try_one(tuner* t, hemc_arena* home, trial* out) {
    t->scratch = hemc_arena_create();
    if (t->scratch == NULL || setjmp(*hemc_arena_guard(t->scratch)) != 0) {
        hemc_arena_destroy(t->scratch);
        hemc_alloc(home, SIZE_MAX, 2);
        return false;
    }
    bool good = run_trial(t, out);
    hemc_arena_destroy(t->scratch);
    return good;
}

static void tune_part(hemc_arena* arena, hemc_log* log, tuner* t, hemc_part_recipe* part) {
    bool hangs = fabs(hemc_cut_axis(part, t->surface).y) > HANGS;
    // One pass to learn how many layers the surface has: the count of the first guess.
    trial first = {.spacing = (double)part->spacing, .upright = hangs};
    if (!try_one(t, arena, &first) || first.particles < 8) {
        return;
    }
    double wanted = fmax(fmin(WANTED_PARTICLES, 2.0 * t->surface->triangle_count), LEAST_PARTICLES);
    double finest = hemc_two_digits(hemc_auto_finest(t->model));
    double center = fmax(first.spacing * sqrt(first.particles / wanted), finest);
    wanted = fmin(wanted, first.particles * (first.spacing * first.spacing) / (center * center));
    trial best = {.score = -1};
    uint32_t tried = 0;
    bool found = false;
    for (int pass = 0; pass < (hangs ? 2 : 1) && !found; ++pass) {
        for (size_t i = 0; i < FACTORS && !found; ++i) {
            trial now = {.spacing = hemc_two_digits(center * factors[i]), .upright = hangs && pass == 0};
            if (tried == TRIAL_LIMIT || now.spacing < finest ||
                (i > 0 && now.spacing == hemc_two_digits(center * factors[i - 1])) || !try_one(t, arena, &now) ||
                now.particles > 1.7 * wanted || now.particles < 0.5 * wanted) {
                continue;
            }
            ++tried;
            // What is missing to good, and a little for how far the count is from what was wanted.
            now.score = fmin(now.fill / GOOD_FILL, 1.0) + fmin(now.regular / GOOD_REGULAR, 1.0) -
                        0.05 * fabs(now.particles / wanted - 1.0);
            best = now.score > best.score ? now : best;
            found = now.fill >= GOOD_FILL && now.regular >= GOOD_REGULAR;
        }
    }
    best = best.score < 0 ? first : best;
    part->spacing = (float)best.spacing;
    if (best.upright) {
        part->axis_auto = false;
        part->axis[0] = part->axis[2] = 0;
        part->axis[1] = 1;
    }
    hemc_text why = {.arena = arena}, detail = {.arena = arena};
    hemc_text_add(&why, "%s; a spacing of ", part->why);
    hemc_text_number(&why, best.spacing);
    hemc_text_add(&why, " m makes %u particles%s", best.particles, best.upright ? " on level rows" : "");
    part->why = why.data;
    hemc_text_add(&detail, "\"%s\": %s of %u spacings tried", part->name, found ? "the first good" : "the best", tried);
    if (best.fill > 0) {
        hemc_text_add(&detail, ", fills %d %% of the lanes", (int)(100.0 * best.fill));
    }
    if (best.inner != 0) {
        hemc_text_add(&detail, ", %d %% of the inner particles have four neighbours", (int)(100.0 * best.regular));
    }
    hemc_note(log, t->model->path, "", "%s", detail.data);
}

void hemc_recipe_tune(hemc_arena* arena, hemc_log* log, const hemc_model* model, hemc_recipe* recipe,
                      const int32_t* owner) {
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        hemc_part_recipe* part = &recipe->parts[p];
        hemc_surface surface;
        if (part->generator == HEMC_CUT && hemc_weld(arena, model, owner, (int32_t)p, &surface) &&
            surface.triangle_count != 0) {
            tuner t = {.model = model, .recipe = recipe, .owner = owner, .surface = &surface, .part = p};
            tune_part(arena, log, &t, part);
        }
        hemc_note(log, model->path, "", "automatic part \"%s\": %s", part->name, part->why);
    }
}
