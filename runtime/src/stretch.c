// SPDX-License-Identifier: MIT
// No thread ends a step longer than its part allows (hem_tuning.stretch_limit).
//
// One pass per substep does not hold the weight of a whole cape on the threads at its shoulders, contacts push a hoop of a
// skirt wider than it is, and painted limits pull against both. So after the last contacts of a step threads that are too
// long are brought back, by sweeps over those alone, see kernels/stretch.inl; and what contacts have just pushed out stays
// out, behind a plane each: contacts that come after the sweeps would stretch the threads again, sweeps that come after
// contacts would pull cloth into the body.
//
// Tried and lost: sweeps in every substep (four times the work, and less short at the end, for there are fewer in a row);
// contacts between the sweeps (threads at 1.2 again); sweeps without planes (a somersault crosses 72 triangles instead of 0).

#include "runtime/src/step.h"

#define STRETCH_SWEEPS 20u
#define STRETCH_PLAIN 4u   // of them, the last ones; so is the first, which is enough for a thread alone
#define STRETCH_RELAX 1.8f // of the others
#define STRETCH_GIVE 0.15f // spacings that cloth may be pulled into what pushed it out; 0.1: what is pinched trembles

static void note_places(hemi_step* s, const hem_part* part) {
    memcpy(s->scratch->solve.planes + part->row_begin, s->instance->x + part->row_begin,
           part->row_count * sizeof(hemi_row4));
}

static int is_last(const hemi_step* s) {
    return s->substep + 1 == s->substep_count && s->pass + 1 >= s->pass_count;
}

static float limit_of(const hemi_step* s, uint32_t p) {
    return s->instance->view->parts[p].kind == HEM_PART_CLOTH ? s->instance->tuning[p].stretch_limit : 0.0f;
}

// Cloth, before contacts.
void hemi_stretch_prepare(hemi_step* s) {
    const hem_view* view = s->instance->view;
    for (uint32_t p = 0; s->stretch && is_last(s) && p < view->info->part_count; ++p) {
        if (limit_of(s, p) > 0.0f) {
            note_places(s, &view->parts[p]);
        }
    }
}

// Of the batches of a kind of range, those from the first to the last one that is part of the weave: kinds lie one behind
// the other.
static void trim(hem_range* range, const void* first, size_t size, size_t kind) {
    if (!range->count) {
        return; // nor need there be a first
    }
    const uint8_t* kinds = (const uint8_t*)first + kind;
    while (range->count && !hem_kind_in(kinds[size * range->begin], HEM_KINDS_WEAVE)) {
        ++range->begin;
        --range->count;
    }
    while (range->count && !hem_kind_in(kinds[size * (range->begin + range->count - 1)], HEM_KINDS_WEAVE)) {
        --range->count;
    }
}

static int has_strands(const hem_view* view, const hem_part* part) {
    return hem_range_of(view->ranges, part, HEM_BATCH_RODS).count ||
           hem_range_of(view->ranges, part, HEM_BATCH_CHAINS).count;
}

// Strands, when they are solved: limits and contacts come next.
void hemi_stretch_prepare_strands(hemi_step* s) {
    const hem_view* view = s->instance->view;
    for (uint32_t p = 0; s->substep + 1 == s->substep_count && p < view->info->part_count; ++p) {
        if (has_strands(view, &view->parts[p])) {
            note_places(s, &view->parts[p]);
        }
    }
}

static void draw_strands(hemi_step* s, const hem_part* part) {
    static const hem_batch_kind kinds[] = {HEM_BATCH_RODS, HEM_BATCH_CHAINS};
    const hem_view* view = s->instance->view;
    const hemi_solve* solve = &s->scratch->solve;
    const hemi_rod_args args = {
        .x = s->instance->x, .room = solve->strand, .prev = s->instance->v, .before = solve->planes};
    for (int i = 0; i < 2; ++i) {
        const hem_range range = hem_range_of(view->ranges, part, kinds[i]);
        if (range.count) { // without batches there is no pointer to add to
            s->scene->kernels->draw_strands(view, view->row_batches + range.begin, range.count, &args);
        }
    }
}

// The multipliers of the substep are not needed any more.
static void take_nothing(const hem_view* view, const hemi_stretch_args* args) {
    memset(args->taken + (size_t)args->rows.begin * 8, 0, (size_t)args->rows.count * 32);
    memset(args->taken + (size_t)(view->link_batch_count + args->indexed.begin) * 8, 0,
           (size_t)args->indexed.count * 32);
}

typedef struct shortened { // what was done of a part
    uint32_t rows, links, pulls, work;
} shortened;

typedef struct shortening {
    hemi_step* s;
    shortened parts[HEM_MAX_PARTS];
} shortening;

static void shorten(hemi_step* s, const hem_part* part, float limit, shortened* done) {
    const hemi_kernels* k = s->scene->kernels;
    const hem_view* view = s->instance->view;
    hemi_solve* solve = &s->scratch->solve;
    hemi_stretch_args args = {view,
                              part,
                              s->instance->x,
                              s->instance->v,
                              limit,
                              STRETCH_GIVE * part->spacing,
                              1.0f,
                              1,
                              solve->stamps,
                              solve->lambda,
                              solve->planes,
                              &done->links,
                              &done->pulls,
                              hem_range_of(view->ranges, part, HEM_BATCH_LINKS),
                              hem_range_of(view->ranges, part, HEM_BATCH_INDEXED_LINKS)};
    trim(&args.rows, view->link_batches, sizeof(hem_link_batch), offsetof(hem_link_batch, kind));
    trim(&args.indexed, view->index_batches, sizeof(hem_index_batch), offsetof(hem_index_batch, kind));
    memset(solve->stamps + part->row_begin, 0, part->row_count);
    take_nothing(view, &args);
    k->make_planes(&args);
    for (; args.sweep <= STRETCH_SWEEPS; ++args.sweep) {
        const int plain = args.sweep == 1 || args.sweep + STRETCH_PLAIN > STRETCH_SWEEPS;
        args.relax = plain ? 1.0f : STRETCH_RELAX;
        done->rows += part->row_count;
        if (!k->limit_links(&args)) {
            return;
        }
        k->hold_planes(&args);
        done->work += part->row_count / 8;
    }
}

static void shorten_part(void* user, uint32_t item, hemi_scratch* mine) {
    shortening* all = user;
    hemi_step* s = all->s;
    const uint32_t p = s->derived->separate ? s->derived->part_order[item] : item;
    const float limit = limit_of(s, p);
    (void)mine;
    if (limit > 0.0f) {
        shorten(s, &s->instance->view->parts[p], limit, &all->parts[p]);
    }
}

static void shorten_all(hemi_step* s) {
    const uint32_t count = s->instance->view->info->part_count;
    shortening all = {.s = s};
    if (s->derived->separate) {
        hemi_share(s, count, shorten_part, &all);
    } else {
        for (uint32_t p = 0; p < count; ++p) {
            shorten_part(&all, p, s->scratch);
        }
    }
    for (uint32_t p = 0; p < count; ++p) {
        s->scratch->counters.swept_rows += all.parts[p].rows;
        s->scratch->counters.swept_links += all.parts[p].links;
        s->scratch->counters.swept_pulls += all.parts[p].pulls;
        s->scratch->counters.work += all.parts[p].work;
    }
}

void hemi_phase_stretch(hemi_step* s) {
    const hem_view* view = s->instance->view;
    if (s->substep + 1 != s->substep_count) {
        return;
    }
    if (s->untangle) {
        hemi_watch_strained(s); // before they are shortened
    }
    if (s->stretch) {
        shorten_all(s);
    }
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        draw_strands(s, &view->parts[p]);
    }
}
