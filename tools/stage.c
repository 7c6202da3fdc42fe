// SPDX-License-Identifier: MIT
#include "tools/stage.h"

#include <stdint.h>
#include <stdlib.h>

bool stage_open(stage* s, const asset* a) {
    *s = (stage){.source = a};
    const hem_slot_def slot = {&a->handle, 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    hem_memory need;
    if (hem_scene_measure(&def, &need) != HEM_OK) {
        return false;
    }
    s->block = malloc(need.size + need.align);
    s->pose = malloc(sizeof(float) * 12 * ((size_t)a->info.bone_count + 1));
    s->tuning = malloc(sizeof(*s->tuning) * ((size_t)a->info.part_count + 1));
    if (s->block == NULL || s->pose == NULL || s->tuning == NULL) {
        return false;
    }
    const uintptr_t at = ((uintptr_t)s->block + need.align - 1) / need.align * need.align;
    return hem_scene_init(&s->scene, &def, (void*)at, need.size) == HEM_OK;
}

bool stage_add(stage* s) {
    hem_instance_def def = hem_instance_def_default();
    def.asset = &s->source->handle;
    const size_t size = sizeof(*s->tuning) * s->source->info.part_count;
    return hem_scene_add(s->scene, &def, &s->id) == HEM_OK &&
           hem_instance_get_tuning(s->scene, s->id, s->tuning, size) == HEM_OK;
}

hem_step_report stage_step(stage* s, double seconds) {
    const hem_step_args args = {(float)seconds, 0};
    hem_step_report report = {0};
    hem_scene_step(s->scene, &args);
    hem_scene_get_report(s->scene, &report);
    return report;
}

void stage_close(stage* s) {
    free(s->block);
    free(s->pose);
    free(s->tuning);
}
