// SPDX-License-Identifier: MIT
// The scene's step as a list of independent jobs, one per instance, and its events.

#include "runtime/src/checks.h"
#include "runtime/src/refuse.h"
#include "runtime/src/step.h"
#include "runtime/src/tear.h"

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
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        scene->instances[i].job_taken = scene->instances[i].job_done = 0;
    }
    scene->step_open = 1;
    scene->args = *args;
    hemi_gather_words(scene);
    hemi_begin_meshes(scene);
    hemi_plan_budget(scene);
    *job_count = scene->instance_count;
    return HEM_OK;
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
    if (job >= scene->instance_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "job", job,
                                 "must be below the job_count of hem_scene_step_begin");
    }
    if (worker >= scene->worker_count) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_RANGE, "worker", worker,
                                 "must be below hem_scene_def.worker_capacity");
    }
    hemi_instance* instance = &scene->instances[job];
    if (HEM_ATOMIC_SWAP(&instance->job_taken, 1u)) {
        return hemi_refuse_value(scene, __func__, HEM_ERROR_JOB_TWICE, "job", job, NULL);
    }
    if (instance->state->alive) {
        hemi_step_instance(scene, instance, &scene->scratch[worker]);
    }
    HEM_ATOMIC_STORE(&instance->job_done, 1u);
    return HEM_OK;
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
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        if (!HEM_ATOMIC_LOAD(&scene->instances[i].job_done)) {
            return hemi_refuse_value(scene, __func__, HEM_ERROR_JOBS_LEFT, "job", i, "has not been run to its end");
        }
    }
    scene->step_open = 0;
    hemi_end_meshes(scene);
    hemi_keep_world_past(scene);
    hemi_age_forces(scene);
    scene->event_count = scene->event_lost = 0;
    hem_step_report* sum = &scene->report;
    memset(sum, 0, sizeof(*sum));
    for (uint32_t i = 0; i < scene->instance_count; ++i) {
        const hemi_instance* instance = &scene->instances[i];
        if (!instance->state->alive) {
            continue;
        }
        const hem_step_report* r = &instance->report;
        ++sum->instance_count;
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
