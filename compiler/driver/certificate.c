// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"
#include "compiler/recipe/json.h"

#include "hem/budget.h"

#include <stdlib.h>
#include <string.h>

// The certificate: what an instance of the asset costs in a game, in bytes and in microseconds of each level, through the
// runtime's public headers. Bytes are measured. Microseconds are counts of work, taken while the asset plays its own clips,
// times the costs of a target (`hem calibrate` writes those): nothing here depends on the machine that compiles.

enum { FRAMES_A_CLIP = 600, WARM_FRAMES = 20 };

static bool read_costs(hemc_compilation* c, hemc_target* target, const uint8_t* text, size_t size) {
    const hemc_json* json = hemc_json_parse(c->arena, &c->log, target->path, "", (const char*)text, size, false);
    const hemc_json* kind = json != NULL ? hemc_json_member(json, "kind") : NULL;
    const hemc_json* ns = json != NULL ? hemc_json_member(json, "ns") : NULL;
    if (json == NULL) {
        return false;
    }
    if (kind == NULL || kind->kind != HEMC_JSON_STRING || strcmp(kind->string, "hem_costs") != 0 || ns == NULL) {
        return hemc_error(&c->log, HEMC_INPUT, target->path, "",
                          "is no file of costs; make one with: hem calibrate -o %s", target->path);
    }
    for (uint32_t i = 0; i < HEM_COST_COUNT; ++i) {
        const char* name = hem_cost_name((hem_cost)i);
        const hemc_json* value = hemc_json_member(ns, name);
        if (value == NULL || value->kind != HEMC_JSON_NUMBER || !(value->number >= 0.0) || !(value->number <= 1e6)) {
            return hemc_error(&c->log, HEMC_INPUT, target->path, "/ns",
                              "\"%s\" must be there, in nanoseconds from 0 to 1000000; a newer hem calibrate writes it",
                              name);
        }
        target->costs.ns[i] = (float)value->number;
    }
    return true;
}

static bool read_targets(hemc_compilation* c) {
    const hemc_job* job = c->job;
    c->target_count = job->target_count != 0 ? job->target_count : 1;
    c->targets = hemc_alloc(c->arena, c->target_count, sizeof(hemc_target));
    for (uint32_t i = 0; i < c->target_count; ++i) {
        hemc_target* target = &c->targets[i];
        target->path = job->target_count != 0 ? job->targets[i] : NULL;
        target->costs = hem_costs_default();
        uint8_t* text;
        size_t size;
        if (target->path == NULL) {
            continue;
        }
        if (!hemc_read_file(c->arena, target->path, &text, &size)) {
            return hemc_error(&c->log, HEMC_IO, target->path, "", "cannot be read");
        }
        if (!read_costs(c, target, text, size)) {
            return false;
        }
    }
    return true;
}

// -- Playing

typedef struct stage {
    hem_asset* asset;
    hem_scene* scene;
    hem_instance_id id;
    void* block;
    float (*pose)[12];
} stage;

static bool open_stage(hemc_compilation* c, stage* s) {
    memset(s, 0, sizeof(*s));
    s->asset = hemc_alloc(c->arena, 1, sizeof(hem_asset));
    s->pose = hemc_alloc(c->arena, c->model.bone_count + 1, sizeof(*s->pose));
    hem_memory need = {0};
    const hem_slot_def slot = {s->asset, 1};
    hem_scene_def def = hem_scene_def_default();
    def.slots = &slot;
    def.slot_count = 1;
    def.budget = HEM_BUDGET_SKINNED;
    if (hem_asset_open(s->asset, c->bytes, c->size) != HEM_OK || hem_scene_measure(&def, &need) != HEM_OK) {
        return false;
    }
    s->block = hemc_alloc(c->arena, need.size + need.align, 1);
    uint8_t* aligned = (uint8_t*)(((uintptr_t)s->block + need.align - 1) & ~(uintptr_t)(need.align - 1));
    hem_instance_def instance = hem_instance_def_default();
    instance.asset = s->asset;
    return hem_scene_init(&s->scene, &def, aligned, need.size) == HEM_OK &&
           hem_scene_add(s->scene, &instance, &s->id) == HEM_OK;
}

static void pose_at(const hemc_model* model, const hemc_clip* clip, double seconds, float (*pose)[12]) {
    const double at = seconds * (double)clip->hz;
    const uint32_t last = clip->frame_count - 1, a = at < last ? (uint32_t)at : last, b = a < last ? a + 1 : last;
    const float share = (float)(at - (double)a) < 1.0f ? (float)(at - (double)a) : 1.0f;
    for (uint32_t bone = 0; bone < model->bone_count; ++bone) {
        const float* from = clip->frames[(size_t)a * model->bone_count + bone];
        const float* to = clip->frames[(size_t)b * model->bone_count + bone];
        for (int k = 0; k < 12; ++k) {
            pose[bone][k] = from[k] + share * (to[k] - from[k]);
        }
    }
}

static void weigh_frame(const hemc_compilation* c, const stage* s, hemc_predicted* rows) {
    float work[HEM_COST_COUNT];
    for (uint32_t level = 0; level < HEM_LEVEL_COUNT; ++level) {
        if (hem_instance_get_work(s->scene, s->id, (hem_level)level, work) != HEM_OK) {
            continue; // a level that no asset has
        }
        for (uint32_t t = 0; t < c->target_count; ++t) {
            double us = 0;
            for (uint32_t k = 0; k < HEM_COST_COUNT; ++k) {
                us += 1e-3 * (double)work[k] * (double)c->targets[t].costs.ns[k];
            }
            rows[t].mean_us[level] += us;
            rows[t].worst_us[level] = us > rows[t].worst_us[level] ? us : rows[t].worst_us[level];
        }
    }
}

static void play(hemc_compilation* c, stage* s, const hemc_clip* clip, hemc_certified_clip* out) {
    const hem_step_args args = {.dt_seconds = 1.0f / 60.0f};
    const double seconds = clip != NULL ? (double)(clip->frame_count - 1) / (double)clip->hz : 1.0;
    const uint32_t whole = (uint32_t)(seconds * 60.0) + 1, frames = whole < FRAMES_A_CLIP ? whole : FRAMES_A_CLIP;
    out->name = clip != NULL ? clip->name : "rest";
    out->frames = frames;
    out->targets = hemc_alloc(c->arena, c->target_count, sizeof(hemc_predicted));
    for (uint32_t frame = 0; frame < WARM_FRAMES + frames; ++frame) {
        if (clip != NULL) {
            pose_at(&c->model, clip, (double)(frame < WARM_FRAMES ? 0 : frame - WARM_FRAMES) / 60.0, s->pose);
            hem_instance_set_pose(s->scene, s->id, s->pose[0], c->model.bone_count, 0);
        }
        if (frame == 0) {
            hem_instance_reset(s->scene, s->id);
        }
        hem_scene_step(s->scene, &args);
        if (frame >= WARM_FRAMES) {
            weigh_frame(c, s, out->targets);
        }
    }
    for (uint32_t t = 0; t < c->target_count; ++t) {
        for (uint32_t level = 0; level < HEM_LEVEL_COUNT; ++level) {
            out->targets[t].mean_us[level] /= frames;
        }
    }
}

// -- Bytes

static size_t scene_bytes(const hem_asset* asset, uint32_t count, uint32_t budget) {
    const hem_slot_def slot = {asset, count};
    hem_scene_def def = hem_scene_def_default();
    hem_memory need = {0};
    def.slots = &slot;
    def.slot_count = 1;
    def.budget = budget;
    return hem_scene_measure(&def, &need) == HEM_OK ? need.size : 0;
}

static void weigh_bytes(const hem_asset* asset, hemc_certificate* out) {
    // Of many, so that what is rounded up counts as it does in a game.
    const size_t many = 64, one = scene_bytes(asset, 1, 0), all = scene_bytes(asset, 65, 0);
    hem_scene_def def = hem_scene_def_default();
    const hem_slot_def slot = {asset, 1};
    hem_slots_need need = {0};
    def.slots = &slot;
    def.slot_count = 1;
    out->instance_bytes = (all - one + many - 1) / many;
    out->instance_bytes_with_budget = (scene_bytes(asset, 65, 1) - scene_bytes(asset, 1, 1) + many - 1) / many;
    if (hem_slots_measure(&def, &slot, 1, &need) == HEM_OK) {
        out->worker_bytes = need.scratch;
    }
    out->shared_bytes = one - out->instance_bytes - out->worker_bytes;
}

// -- Against the recipe's budget

static void judge(hemc_compilation* c, hemc_certificate* out) {
    const hemc_recipe* recipe = &c->recipe;
    const char* file = c->job->recipe != NULL ? c->job->recipe : c->job->input;
    out->within = true;
    if (recipe->budget_bytes != 0 && out->instance_bytes > recipe->budget_bytes) {
        out->within = false;
        hemc_warn(&c->log, file, "/budget/bytes", "an instance takes %zu bytes, and %u are in the budget",
                  out->instance_bytes, recipe->budget_bytes);
    }
    for (uint32_t t = 0; t < c->target_count && recipe->budget_us > 0; ++t) {
        const hemc_certified_clip* worst = NULL;
        for (uint32_t i = 0; i < out->clip_count; ++i) {
            const hemc_certified_clip* clip = &out->clips[i];
            const bool more = worst == NULL || clip->targets[t].mean_us[0] > worst->targets[t].mean_us[0];
            worst = more ? clip : worst;
        }
        if (worst != NULL && worst->targets[t].mean_us[0] > (double)recipe->budget_us) {
            out->within = false;
            hemc_warn(&c->log, file, "/budget/us",
                      "a frame of \"%s\" takes %.0f us on %s, and %.0f are in the budget; at level light it takes %.0f",
                      worst->name, worst->targets[t].mean_us[0],
                      c->targets[t].path != NULL ? c->targets[t].path : "the shipped target", (double)recipe->budget_us,
                      worst->targets[t].mean_us[HEM_LEVEL_LIGHT]);
        }
    }
}

bool hemc_certify(hemc_compilation* c) {
    stage s;
    if (c->job->target_count == 0 && c->recipe.budget_us == 0 && c->recipe.budget_bytes == 0) {
        return true;
    }
    if (!read_targets(c)) {
        return false;
    }
    if (!open_stage(c, &s)) {
        return hemc_error(&c->log, HEMC_INTERNAL, c->job->input, "", "the result cannot be played for its certificate");
    }
    hemc_certificate* out = hemc_alloc(c->arena, 1, sizeof(hemc_certificate));
    weigh_bytes(s.asset, out);
    out->clip_count = c->model.clip_count != 0 ? c->model.clip_count : 1;
    out->clips = hemc_alloc(c->arena, out->clip_count, sizeof(hemc_certified_clip));
    for (uint32_t i = 0; i < out->clip_count; ++i) {
        play(c, &s, c->model.clip_count != 0 && c->model.clips[i].frame_count != 0 ? &c->model.clips[i] : NULL,
             &out->clips[i]);
    }
    judge(c, out);
    c->certificate = out;
    return true;
}

// -- In the report

static void number(hemc_text* t, const char* key, double value) {
    hemc_text_add(t, "\"%s\": ", key);
    hemc_text_number(t, value);
}

static double tenths(double us) {
    return (double)(int64_t)(us * 10.0 + 0.5) * 0.1;
}

static void report_clip(hemc_text* t, const hemc_certified_clip* clip, uint32_t target) {
    const hemc_predicted* p = &clip->targets[target];
    const char* between = "";
    hemc_text_add(t, "{\"name\": ");
    hemc_text_quoted(t, clip->name);
    hemc_text_add(t, ", \"frames\": %u, \"levels\": {", clip->frames);
    for (uint32_t level = 0; level < HEM_LEVEL_COUNT; ++level) {
        if (level != HEM_LEVEL_COARSE || p->mean_us[level] > 0) { // of an asset with coarser levels of detail
            hemc_text_add(t, "%s\"%s\": {", between, hem_level_name((hem_level)level));
            number(t, "mean_us", tenths(p->mean_us[level]));
            hemc_text_add(t, ", ");
            number(t, "worst_us", tenths(p->worst_us[level]));
            hemc_text_add(t, "}");
            between = ", ";
        }
    }
    hemc_text_add(t, "}}");
}

void hemc_report_certificate(hemc_text* t, const hemc_compilation* c) {
    const hemc_certificate* f = c->certificate;
    hemc_text_add(t,
                  "  \"certificate\": {\"within\": %s, \"instance_bytes\": %zu, \"instance_bytes_with_budget\": %zu, "
                  "\"shared_bytes\": %zu, \"worker_bytes\": %zu,\n    \"budget\": {",
                  f->within ? "true" : "false", f->instance_bytes, f->instance_bytes_with_budget, f->shared_bytes,
                  f->worker_bytes);
    if (c->recipe.budget_us > 0) {
        number(t, "us", (double)c->recipe.budget_us);
    }
    if (c->recipe.budget_bytes != 0) {
        hemc_text_add(t, "%s\"bytes\": %u", c->recipe.budget_us > 0 ? ", " : "", c->recipe.budget_bytes);
    }
    hemc_text_add(t, "},\n    \"targets\": [");
    for (uint32_t i = 0; i < c->target_count; ++i) {
        hemc_text_add(t, "%s{\"costs\": ", i > 0 ? ",\n      " : "");
        hemc_text_quoted(t, c->targets[i].path != NULL ? c->targets[i].path : "shipped");
        hemc_text_add(t, ", \"clips\": [");
        for (uint32_t k = 0; k < f->clip_count; ++k) {
            hemc_text_add(t, "%s", k > 0 ? ",\n        " : "");
            report_clip(t, &f->clips[k], i);
        }
        hemc_text_add(t, "]}");
    }
    hemc_text_add(t, "]},\n");
}
