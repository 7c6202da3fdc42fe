// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include "compiler/recipe/auto.h"

#include <math.h>
#include <string.h>

// Automatic mode, where the pre-flight has seen what should not be.
//
// A part worse than B goes without a limit of stretch (where body and collar throw a cape about, what is too long here is only
// passed on), then is stiffer (what is flung into a heap over an arm stays broad), then cloth is so and all are driven to the
// pose, loosely, closely, tightly. A trial plays only the clips in which something was wrong; what looks better there is kept
// and changed further, and the last that looks better over all clips stays. The numbers of a VRM's spring bones are what its
// maker meant and are not tried.
//
// What is still worse than C is left with the skeleton, with a warning: better a cape that does not swing than one in rags.
//
// Work is counted in vertices looked at, not in seconds, so that the bytes are the same everywhere: no trial begins that would
// lead beyond LOOK_LIMIT. That takes 2 to 6.5 s on one core of 2026 (EPYC family 26); the promise is 10 s.

#define LOOK_LIMIT 1.4e8

static const double sags[] = {0.3, 0.06, 0.012};  // of a part's height, under its own weight
static const float faster[] = {2.0f, 1.5f, 2.0f}; // of what is driven already
enum { TRIALS = sizeof(sags) / sizeof(sags[0]), NO_LIMIT = -2, STIFFER = -1 };
#define STIFFER_BEND 5e-4f  // m/N, where cloth is softer: that of stiff paper, and what a net of 7 cm still shows of it
#define STIFFER_SHAPE 0.25f // of a soft part's compliance

static uint32_t faults_of(const hemc_preflight* f) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < f->part_count; ++i) {
        sum += (uint32_t)((f->parts[i].grade - 'A') * (f->parts[i].grade - 'A'));
    }
    return sum;
}

// 'A' for what was not judged: nothing of it moves.
static char grade_of(const hemc_compilation* c, uint32_t part) {
    for (uint32_t i = 0; i < c->preflight->part_count; ++i) {
        if (strcmp(c->preflight->parts[i].name, c->recipe.parts[part].name) == 0) {
            return c->preflight->parts[i].grade;
        }
    }
    return 'A';
}

static double height_of(const hemc_surface* surface) {
    double low = 1e30, high = -1e30;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        low = fmin(low, (double)surface->positions[v].y);
        high = fmax(high, (double)surface->positions[v].y);
    }
    return high - low;
}

static float* stiffness_of(hemc_part_recipe* part) {
    return part->kind == HEM_PART_CLOTH ? &part->tuning.compliance[HEM_LINK_BEND] : &part->tuning.shape_compliance;
}

// Strands have stiffness of their own.
static bool stiffen(hemc_part_recipe* part) {
    float* now = stiffness_of(part);
    const float was = *now;
    if (part->kind == HEM_PART_CLOTH) {
        *now = fminf(was, STIFFER_BEND);
    } else if (part->generator != HEMC_STRANDS) {
        *now = STIFFER_SHAPE * was;
    }
    return *now < was;
}

static void tell_better(hemc_compilation* c, const hemc_recipe* before) {
    for (uint32_t p = 0; p < c->recipe.part_count; ++p) {
        const hemc_part_recipe* part = &c->recipe.parts[p];
        if (part->tuning.drive != before->parts[p].tuning.drive) {
            hemc_note(&c->log, c->job->input, "",
                      "automatic part \"%s\" looks better driven to the pose at %.2g Hz, and is", part->name,
                      (double)part->tuning.drive);
        }
        if (part->tuning.stretch_limit != before->parts[p].tuning.stretch_limit) {
            hemc_note(&c->log, c->job->input, "",
                      "automatic part \"%s\" looks better without a limit to its stretch, and has none", part->name);
        }
        if (*stiffness_of(&c->recipe.parts[p]) < *stiffness_of(&before->parts[p])) {
            hemc_note(&c->log, c->job->input, "", "automatic part \"%s\" looks better stiffer against bending, and is",
                      part->name);
        }
    }
}

// Of the clips: those that a trial plays before it is played whole.
static double bad_share(const hemc_preflight* f) {
    uint32_t bad = 0, count = f->clip_count < HEMC_PREFLIGHT_CLIPS ? f->clip_count : HEMC_PREFLIGHT_CLIPS;
    for (uint32_t i = 0; i < count; ++i) {
        bad += f->clips[i].grade > 'B';
    }
    return (double)bad / (count > 0 ? count : 1);
}

// False: there is nothing to try.
static bool change_part(hemc_part_recipe* part, double height, int trial) {
    if (part->spring_bones) {
        return false;
    }
    if (trial == STIFFER) {
        return stiffen(part);
    }
    if (trial == NO_LIMIT) {
        const bool limited = part->tuning.stretch_limit > 0;
        part->tuning.stretch_limit = 0;
        return limited;
    }
    const float was = part->tuning.drive;
    if (part->kind == HEM_PART_CLOTH) { // a quarter each time would add up
        stiffen(part);
    }
    const bool driven = part->driven;
    hemc_auto_drive(part, height, sags[trial]);
    part->tuning.drive = driven ? fminf(was * faster[trial], 20.0f) : part->tuning.drive;
    return true;
}

typedef struct tried {
    hemc_compilation made[TRIALS - NO_LIMIT];
    uint32_t count;
} tried;

// The change as a compilation of its own in `c`, flown where the first flight was bad. False: not better than `faults`.
static bool try_change(hemc_compilation* c, hemc_options options, double* clock, int trial, uint32_t faults,
                       const hemc_preflight* first) {
    hemc_part_recipe* parts = hemc_alloc(c->arena, c->recipe.part_count, sizeof(hemc_part_recipe));
    memcpy(parts, c->recipe.parts, c->recipe.part_count * sizeof(hemc_part_recipe));
    bool any = false;
    for (uint32_t p = 0; p < c->recipe.part_count; ++p) {
        any = (grade_of(c, p) > 'B' && change_part(&parts[p], height_of(&c->surfaces[p]), trial)) || any;
    }
    if (!any) {
        return false;
    }
    c->recipe.parts = parts;
    return hemc_make_asset(c, options, clock) && hemc_fly(c, options, first) && faults_of(c->preflight) < faults;
}

static void go_back(hemc_compilation* c, const hemc_compilation* to) {
    const double looked = c->looked;
    *c = *to;
    c->looked = looked;
}

// What looks better where it was bad is kept and changed further; the whole is flown at the end, of the best first.
static void try_changes(hemc_compilation* c, hemc_options options, double* clock) {
    const hemc_compilation first = *c;
    const hemc_preflight* bad = first.preflight;
    const double whole = c->looked, share = whole * bad_share(bad);
    const uint32_t faults = faults_of(bad);
    tried* better = hemc_alloc(c->arena, 1, sizeof(tried));
    c->log = (hemc_log){.arena = c->arena}; // what it has to say was said before
    for (int trial = NO_LIMIT; trial < TRIALS && c->preflight->grade > 'B' && c->looked + share + whole <= LOOK_LIMIT;
         ++trial) {
        const hemc_compilation before = *c;
        if (try_change(c, options, clock, trial, faults_of(before.preflight), bad)) {
            better->made[better->count++] = *c;
        } else {
            go_back(c, &before);
        }
    }
    bool good = false;
    while (!good && better->count > 0 && c->looked + whole <= LOOK_LIMIT) {
        go_back(c, &better->made[--better->count]);
        good = (c->preflight->clip_count == bad->clip_count || hemc_fly(c, options, NULL)) &&
               faults_of(c->preflight) < faults;
    }
    if (!good) {
        go_back(c, &first);
    }
    c->log = first.log;
    if (good) {
        tell_better(c, &first.recipe);
    }
}

// Gives parts worse than `least` back to the skeleton.
static bool leave_bad(hemc_compilation* c, hemc_options options, double* clock, char least) {
    int32_t* place = hemc_alloc(c->arena, c->recipe.part_count, sizeof(int32_t)); // where a part goes
    hemc_part_recipe* parts = hemc_alloc(c->arena, c->recipe.part_count, sizeof(hemc_part_recipe));
    int32_t* owner = hemc_alloc(c->arena, c->model.triangle_count, sizeof(int32_t));
    uint32_t kept = 0;
    for (uint32_t p = 0; p < c->recipe.part_count; ++p) {
        const char grade = grade_of(c, p);
        place[p] = grade > least ? HEM_NONE : (int32_t)kept;
        if (place[p] != HEM_NONE) {
            parts[kept++] = c->recipe.parts[p];
        } else {
            hemc_warn(&c->log, c->job->input, "",
                      "\"%s\" (%s) looks bad whatever was tried, grade %c, and stays with the skeleton: %s. A recipe "
                      "can do better (--print-recipe, docs/recipe.md)",
                      c->recipe.parts[p].name, c->recipe.parts[p].why, grade,
                      c->preflight->advice[0] != 0 ? c->preflight->advice : "see the report");
        }
    }
    if (kept == c->recipe.part_count) {
        return true;
    }
    if (kept == 0) {
        return hemc_error(&c->log, HEMC_INPUT, c->job->input, "",
                          "nothing is left that moves; say in a recipe what should (-r, see docs/recipe.md)");
    }
    for (uint32_t t = 0; t < c->model.triangle_count; ++t) {
        owner[t] = c->owner[t] == HEM_NONE ? HEM_NONE : place[c->owner[t]];
    }
    c->owner = owner;
    c->recipe.parts = parts;
    c->recipe.part_count = kept;
    c->recipe.colliders = c->given_colliders;
    c->recipe.collider_count = c->given_collider_count;
    const hemc_log said = c->log;
    c->log = (hemc_log){.arena = c->arena};
    hemc_recipe_bare_limbs(c->arena, &c->log, &c->model, &c->recipe, c->owner);
    const bool good = hemc_make_asset(c, options, clock) && hemc_fly(c, options, NULL);
    c->log = good ? said : c->log;
    return good;
}

bool hemc_trials(hemc_compilation* c, hemc_options options, double* clock) {
    if (!c->recipe.automatic) {
        return true;
    }
    try_changes(c, options, clock);
    const char least = c->recipe.accept > 'C' ? c->recipe.accept : 'C';
    return leave_bad(c, options, clock, least);
}
