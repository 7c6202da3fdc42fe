// SPDX-License-Identifier: MIT
// One step of one instance: the list of phases (HEMI_PHASES in step.h), each run with its begin and end reported to
// whoever profiles.

#include "runtime/src/step.h"

// In a game every frame finds the caches cold. So while one instance is stepped, what the next one begins with is
// fetched, a share of it in each substep: [ state | x | v | q | w ], see internal.h.
#define AHEAD_LIMIT 65536 // bytes; more would push out what is being worked on

static void fetch_ahead(const hemi_instance* next, uint32_t step, uint32_t substeps) {
    if (!next) {
        return;
    }
    const uint8_t* begin = (const uint8_t*)next->state;
    size_t size = (size_t)((const uint8_t*)next->target_prev - begin);
    size = size < AHEAD_LIMIT ? size : AHEAD_LIMIT;
    const size_t end = size * (step + 1) / substeps;
    for (size_t at = size * step / substeps & ~(size_t)255; at < end; at += 256) { // four lines at once
        HEM_PREFETCH(begin, at);
        HEM_PREFETCH(begin, at + 64);
        HEM_PREFETCH(begin, at + 128);
        HEM_PREFETCH(begin, at + 192);
    }
}

#define PHASE_NAME(name) #name,
static const char* const PHASE_NAMES[] = {HEMI_PHASES(PHASE_NAME)};
#undef PHASE_NAME

uint32_t hem_phase_count(void) {
    return HEMI_PHASE_COUNT;
}

const char* hem_phase_name(uint32_t phase) {
    return phase < HEMI_PHASE_COUNT ? PHASE_NAMES[phase] : NULL;
}

static void run_watched(hemi_step* s, hemi_phase phase, void (*work)(hemi_step* s)) {
    const hem_profile_hooks* hooks = s->hooks;
    if (hooks->begin) {
        hooks->begin(hooks->user, PHASE_NAMES[phase], s->id);
    }
    work(s);
    if (hooks->end) {
        hooks->end(hooks->user, PHASE_NAMES[phase], s->id);
    }
}

HEM_INLINE void run(hemi_step* s, hemi_phase phase, void (*work)(hemi_step* s)) {
    if (s->hooks) {
        run_watched(s, phase, work);
    } else {
        work(s);
    }
    HEM_ASSERT(hemi_find_fault(s, phase) == NULL);
}

#define RUN(name) run(step, HEMI_PHASE_##name, hemi_phase_##name);

static void run_phases(hemi_step* step, const hemi_instance* next);

#define VERTICES 1024u // of an item; whole blocks of eight

static void write_vertices(void* user, uint32_t item, hemi_scratch* mine) {
    const hemi_step* s = user;
    const hem_skin_args* all = &s->instance->output;
    (void)mine;
    const uint32_t first = VERTICES - all->vertex_begin % VERTICES, done = item ? first + (item - 1) * VERTICES : 0;
    hem_skin_args part = hemi_skin_behind(all, done, 0);
    const uint32_t most = item ? VERTICES : first;
    part.vertex_count = part.vertex_count < most ? part.vertex_count : most;
    hemi_skin(s->scene, s->instance, &part);
}

void hemi_step_instance(const hem_scene* scene, hemi_instance* instance, const hemi_instance* next, uint32_t worker) {
    hemi_scratch* scratch = &scene->scratch[worker];
    hemi_step s = {.scene = scene,
                   .instance = instance,
                   .drawn = instance,
                   .scratch = scratch,
                   .derived = scene->classes[instance->class_index].derived,
                   .hooks = scene->hooks.begin || scene->hooks.end ? &scene->hooks : NULL,
                   .id = {(uint32_t)(instance - scene->instances) + 1, instance->state->generation},
                   .section = scene->worker_count > 1 ? &scene->sections[worker] : NULL,
                   .finite = 1};
    HEM_ASSERT(instance->state->alive && instance->class_index < scene->class_count);
    HEM_ASSERT(instance->input->generation == instance->state->generation);
    HEM_ASSERT(hemi_is_aligned(instance->x, 64) && hemi_is_aligned(instance->v, 64));
    memset(&instance->report, 0, sizeof(instance->report));
    memset(&scratch->counters, 0, sizeof(scratch->counters));
    instance->event_mask = 0;
    instance->stepped = 0;
    instance->quiet = instance->state->asleep && !instance->state->pose_changed;
#ifdef HEM_DEBUG
    const uint64_t said = hemi_input_hash(scene, instance);
#endif
    run_phases(&s, next);
    HEM_ASSERT(said == hemi_input_hash(scene, instance)); // a step only reads it
    if (instance->output.positions && instance->output.vertex_count) {
        const uint32_t end = instance->output.vertex_begin + instance->output.vertex_count;
        hemi_share(&s, (end - 1) / VERTICES - instance->output.vertex_begin / VERTICES + 1, write_vertices, &s);
    }
}

static void run_phases(hemi_step* step, const hemi_instance* next) {
    hemi_instance *instance = step->instance, level;
    if (instance->given && !instance->given->turn) {
        RUN(pose)
        hemi_wait(step);
        if (instance->given->level != HEM_LEVEL_POSE || instance->given->blend) {
            HEMI_PHASES_DRAWN(RUN)
        }
        return;
    }
    step->reframe = instance->show_x != instance->x;
    if (instance->given) {
        hemi_thaw(step);
        hemi_enter_level(step, &level);
    }
    HEMI_PHASES_ALWAYS(RUN)
    instance->stepped = (uint32_t)step->awake;
    if (!step->awake) {
        hemi_arrive(step->instance);
        hemi_leave_level(step, 0);
        if (instance->given && !instance->given->direct) {
            HEMI_PHASES_DRAWN(RUN)
        }
        return;
    }
    HEMI_PHASES_BEFORE(RUN)
    const uint32_t n = step->substep_count;
    for (uint32_t search = 0; step->substep < n; ++step->substep) {
        fetch_ahead(next, step->substep, n);
        step->s0 = (float)step->substep / (float)n;
        step->s1 = (float)(step->substep + 1) / (float)n;
        if (step->substep == search * n / step->search_count) {
            step->search_end = ++search * n / step->search_count;
            HEMI_PHASES_SEARCH(RUN)
        }
        HEMI_PHASES_SUBSTEP_BEGIN(RUN)
        for (step->pass = 0; step->pass < step->pass_count; ++step->pass) {
            HEMI_PHASES_PASS(RUN)
        }
        HEMI_PHASES_SUBSTEP_END(RUN)
    }
    HEMI_PHASES_AFTER(RUN)
}
