// SPDX-License-Identifier: MIT
// The scene's step as a list of independent jobs, one for each instance that has something to do, and its events.

#include "runtime/src/checks.h"
#include "runtime/src/refuse.h"
#include "runtime/src/step.h"
#include "runtime/src/tear.h"

// -- Rest
//
// A crowd sleeps most of the time, and to look at a sleeper costs its memory: targets, colliders, its state. So who was
// asleep in a step that found nothing moved has no job any more until a game says something to it or to the scene. (Steps
// that it sleeps through count for its step_count; that is caught up when somebody looks.) With forces, clips of lattices or a
// budget time itself may wake it: those are looked at in every step.

static uint32_t index_of(const hem_scene* scene, const hemi_instance* instance) {
    return (uint32_t)(instance - scene->instances);
}

void hemi_catch_up(const hem_scene* scene, const hemi_instance* instance) {
    const uint32_t i = index_of(scene, instance);
    if (scene->slots[i] == HEMI_SLOT_REST) {
        instance->state->step_count += scene->step_number - scene->rested_from[i];
        scene->rested_from[i] = scene->step_number;
    }
}

void hemi_catch_up_all(const hem_scene* scene) {
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        hemi_catch_up(scene, &scene->instances[i]);
    }
}

void hemi_disturb(hem_scene* scene, hemi_instance* instance) {
    const uint32_t i = index_of(scene, instance);
    hemi_catch_up(scene, instance);
    scene->slots[i] = scene->slots[i] == HEMI_SLOT_REST ? HEMI_SLOT_OPEN : scene->slots[i];
}

void hemi_disturb_all(hem_scene* scene) {
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        hemi_disturb(scene, &scene->instances[i]);
    }
}

// After its job.
static int may_rest(const hem_scene* scene, const hemi_instance* instance) {
    const int timeless = !scene->input->force_count && !instance->view->lattice_clip_count;
    return instance->quiet && !instance->output.positions && instance->state->asleep && !instance->stepped &&
           !instance->event_mask && !scene->budget && (timeless || instance->state->asleep == HEMI_AWAY);
}

// -- The step

hem_result hem_scene_step_begin(hem_scene* scene, const hem_step_args* args, uint32_t* job_count) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (!args || !job_count) {
        return hemi_refuse_null(scene, __func__, args ? "job_count" : "args");
    }
    if (!hemi_in_range(args->dt_seconds, 0.0f, 1.0f)) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "args.dt_seconds", (double)args->dt_seconds,
                                 "must be 0 to 1, in seconds");
    }
    if (args->substeps > HEMI_MAX_SUBSTEPS) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "args.substeps", args->substeps, "must be 0 to 64");
    }
    scene->step_open = 1;
    scene->args = *args;
    hemi_look_around(scene);
    hemi_gather_words(scene);
    hemi_begin_meshes(scene);
    hemi_plan_budget(scene);
    scene->job_count = 0;
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        if (scene->slots[i] == HEMI_SLOT_OPEN) {
            scene->jobs[scene->job_count++] = (hemi_job){i, 0, 0};
        }
    }
    *job_count = scene->job_count;
    HEM_ATOMIC_STORE(&scene->share->next_job, 0u);
    HEM_ATOMIC_STORE(&scene->share->left, scene->job_count);
    return HEM_OK;
}

static hem_result check_worker(const hem_scene* scene, const char* call, uint32_t worker) {
    return worker < scene->worker_count ? HEM_OK
                                        : hemi_refuse_value(scene, call, HEM_ERROR_RANGE, "worker", worker,
                                                            "must be below hem_scene_def.worker_capacity");
}

static hem_result check_open(const hem_scene* scene, const char* call) {
    hem_result result = hemi_check(scene);
    return result != HEM_OK || scene->step_open ? result : hemi_refuse(scene, call, HEM_ERROR_NO_STEP, NULL);
}

hem_result hem_scene_step_job(hem_scene* scene, uint32_t job, uint32_t worker) {
    hem_result result = check_open(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (job >= scene->job_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "job", job,
                                 "must be below the job_count of hem_scene_step_begin");
    }
    result = check_worker(scene, __func__, worker);
    if (result != HEM_OK) {
        return result;
    }
    if (HEM_ATOMIC_SWAP(&scene->jobs[job].taken, 1u)) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_JOB_TWICE, "job", job, NULL);
    }
    HEM_ATOMIC_ADD(&scene->share->running, 1u);
    const uint32_t next = job + 1 < scene->job_count ? scene->jobs[job + 1].instance : scene->instance_count;
    hemi_step_instance(scene, &scene->instances[scene->jobs[job].instance],
                       next < scene->instance_count ? &scene->instances[next] : NULL, worker);
    HEM_ATOMIC_STORE(&scene->jobs[job].done, 1u);
    HEM_ATOMIC_ADD(&scene->share->running, 0xffffffffu);
    HEM_ATOMIC_ADD(&scene->share->left, 0xffffffffu);
    return HEM_OK;
}

hem_result hem_scene_step_help(hem_scene* scene, uint32_t worker) {
    hem_result result = check_open(scene, __func__);
    result = result == HEM_OK ? check_worker(scene, __func__, worker) : result;
    if (result == HEM_OK) {
        hemi_help(scene, worker, &scene->share->running);
    }
    return result;
}

// -- The game's threads through two callbacks

static void run_worker(void* context, uint32_t worker) {
    hem_scene* scene = context;
    uint32_t* next = &scene->share->next_job;
    for (uint32_t job = HEM_ATOMIC_ADD(next, 1u); job < scene->job_count; job = HEM_ATOMIC_ADD(next, 1u)) {
        hem_scene_step_job(scene, job, worker);
    }
    hemi_help(scene, worker, &scene->share->left); // all have been taken, and somebody is at each
}

hem_result hem_scene_step_tasks(hem_scene* scene, const hem_step_args* args, const hem_tasks* tasks) {
    uint32_t jobs;
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (!tasks || !tasks->enqueue || !tasks->wait) {
        return hemi_refuse_null(scene, __func__, !tasks ? "tasks" : tasks->enqueue ? "tasks.wait" : "tasks.enqueue");
    }
    result = hem_scene_step_begin(scene, args, &jobs);
    if (result != HEM_OK) {
        return result;
    }
    void* handles[HEMI_WORKERS];
    uint32_t count = 0;
    for (uint32_t worker = 1; jobs && worker < scene->worker_count; ++worker) {
        handles[count++] = tasks->enqueue(tasks->user, run_worker, scene, worker);
    }
    run_worker(scene, 0);
    for (uint32_t i = 0; i < count; ++i) {
        tasks->wait(tasks->user, handles[i]);
    }
    return hem_scene_step_end(scene);
}

static void add_event(hem_scene* scene, hem_event_kind kind, uint32_t index, uint32_t value) {
    if (scene->event_count == scene->event_capacity) {
        ++scene->event_lost;
        return;
    }
    HEM_ASSERT(index < scene->instance_count && scene->event_count < scene->event_capacity);
    hem_event* event = &scene->events[scene->event_count++];
    event->kind = kind;
    event->id.index1 = index + 1;
    event->id.generation = scene->instances[index].state->generation;
    event->value = value;
    const hemi_torn* torn = kind == HEM_EVENT_TORN ? scene->instances[index].torn : NULL;
    memset(event->place, 0, sizeof(event->place));
    memcpy(event->place, torn ? torn->place : event->place, sizeof(event->place));
    event->size = torn ? torn->size : 0.0f;
}

hem_result hem_scene_step_end(hem_scene* scene) {
    hem_result result = check_open(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    for (uint32_t i = 0; i < scene->job_count; ++i) {
        if (!HEM_ATOMIC_LOAD(&scene->jobs[i].done)) {
            return hemi_refuse_value(scene, __func__, HEM_ERROR_JOBS_LEFT, "job", i, "has not been run to its end");
        }
    }
    scene->step_open = 0;
    ++scene->step_number;
    hemi_end_meshes(scene);
    hemi_keep_world_past(scene);
    hemi_age_forces(scene);
    scene->event_count = scene->event_lost = 0;
    hem_step_report* sum = &scene->report;
    memset(sum, 0, sizeof(*sum));
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        sum->instance_count += scene->slots[i] == HEMI_SLOT_OPEN || scene->slots[i] == HEMI_SLOT_REST;
    }
    for (uint32_t job = 0; job < scene->job_count; ++job) {
        const uint32_t i = scene->jobs[job].instance;
        const hemi_instance* instance = &scene->instances[i];
        const hem_step_report* r = &instance->report;
        sum->stepped_count += instance->stepped;
        sum->work_count += r->work_count;
        sum->substep_count = r->substep_count > sum->substep_count ? r->substep_count : sum->substep_count;
        sum->candidate_count += r->candidate_count;
        sum->contact_count += r->contact_count;
        sum->dropped_count += r->dropped_count;
        sum->virtual_count += r->virtual_count;
        sum->virtual_dropped_count += r->virtual_dropped_count;
        sum->clamped_count += r->clamped_count;
        sum->mended_count += r->mended_count;
        sum->led_count += r->led_count;
        for (uint32_t kind = HEM_EVENT_SLEEP; kind <= HEM_EVENT_TEAR_REFUSED; ++kind) {
            if (instance->event_mask >> kind & 1u) {
                uint32_t value = kind == HEM_EVENT_OVERFLOW       ? r->dropped_count
                                 : kind == HEM_EVENT_MENDED       ? r->mended_count
                                 : kind == HEM_EVENT_TORN         ? instance->torn->torn_count
                                 : kind == HEM_EVENT_TEAR_REFUSED ? instance->torn->refused_count
                                                                  : 0;
                add_event(scene, (hem_event_kind)kind, i, value);
            }
        }
        if (may_rest(scene, instance)) {
            scene->slots[i] = HEMI_SLOT_REST;
            scene->rested_from[i] = scene->step_number;
            hemi_note_place(scene, i);
        }
    }
    return HEM_OK;
}

hem_result hem_scene_step(hem_scene* scene, const hem_step_args* args) {
    uint32_t jobs;
    hem_result result = hem_scene_step_begin(scene, args, &jobs);
    if (result != HEM_OK) {
        return result;
    }
    for (uint32_t i = 0; i < jobs; ++i) {
        hem_scene_step_job(scene, i, 0);
    }
    return hem_scene_step_end(scene);
}

hem_result hem_scene_get_report(const hem_scene* scene, hem_step_report* report) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (!report) {
        return hemi_refuse_null(scene, __func__, "report");
    }
    *report = scene->report;
    return HEM_OK;
}

hem_result hem_scene_get_events(const hem_scene* scene, const hem_event** events, uint32_t* count,
                                uint32_t* lost_count) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result != HEM_OK) {
        return result;
    }
    if (!events || !count) {
        return hemi_refuse_null(scene, __func__, events ? "count" : "events");
    }
    *events = scene->events;
    *count = scene->event_count;
    if (lost_count) {
        *lost_count = scene->event_lost;
    }
    return HEM_OK;
}

hem_result hem_scene_set_profile_hooks(hem_scene* scene, const hem_profile_hooks* hooks) {
    hem_result result = hemi_check_idle(scene, __func__);
    if (result == HEM_OK) {
        const hem_profile_hooks none = {0};
        scene->hooks = hooks ? *hooks : none;
    }
    return result;
}
