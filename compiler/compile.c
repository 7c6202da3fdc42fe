// SPDX-License-Identifier: MIT
#include "compiler/compile.h"

#include "formats/hem_validate.h"
#include "platform/clock.h"
#include "platform/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One asset from input to files: every stage in order, each timed, all in one arena.
//
// Nothing is written before everything is known: the bytes are packed and validated in memory, then the files are
// replaced one by one, the .hem last but one and the depfile last, so that a build tool that sees the depfile finds
// all the rest. A compile that fails writes its report (if asked) and nothing else.

static hemc_picture_function picture_function;

void hemc_set_picture_function(hemc_picture_function function) {
    picture_function = function;
}

void hemc_free(void* bytes) {
    free(bytes);
}

// -- Stages

static void end_stage(hemc_compilation* c, hemc_stage stage, double* clock) {
    double now = hem_clock_seconds();
    c->seconds[stage] += now - *clock;
    *clock = now;
}

static bool make_parts(hemc_compilation* c) {
    const hemc_recipe* recipe = &c->recipe;
    c->surfaces = hemc_alloc(c->arena, recipe->part_count, sizeof(hemc_surface));
    c->particles = hemc_alloc(c->arena, recipe->part_count, sizeof(hemc_particles));
    for (uint32_t p = 0; p < recipe->part_count; ++p) {
        const hemc_part_recipe* part = &recipe->parts[p];
        hemc_weld(c->arena, &c->model, c->owner, (int32_t)p, &c->surfaces[p]);
        if (c->surfaces[p].triangle_count == 0) {
            return hemc_error(&c->log, HEMC_INPUT, hemc_part_file(part, &c->model), part->json_path,
                              "every triangle of part \"%s\" is degenerate", part->name);
        }
        if (!hemc_generate(c->arena, &c->log, &c->model, part, &c->surfaces[p], &c->particles[p])) {
            return false;
        }
        hemc_fit(c->arena, &c->surfaces[p], part, &c->particles[p]);
        if (!hemc_roles(c->arena, &c->log, &c->model, part, &c->surfaces[p], c->owner, &c->particles[p])) {
            return false;
        }
    }
    return true;
}

static bool run_stages(hemc_compilation* c) {
    const hemc_job* job = c->job;
    hemc_options options = {.ship = job->ship, .strict = job->strict, .verbosity = job->verbosity};
    double clock = hem_clock_seconds();
    if (!hemc_import(c->arena, &c->log, job->input, &c->model)) {
        return false;
    }
    c->has_model = true;
    end_stage(c, HEMC_STAGE_IMPORT, &clock);
    if (!hemc_recipe_load(c->arena, &c->log, job->recipe, &c->model, &c->recipe)) {
        return false;
    }
    c->has_recipe = true;
    end_stage(c, HEMC_STAGE_RECIPE, &clock);
    hemc_cache_key(c);
    if (job->cache != NULL) {
        c->cache = HEMC_CACHE_MISS;
        if (hemc_cache_fetch(c)) {
            c->cache = HEMC_CACHE_HIT;
            return true;
        }
        clock = hem_clock_seconds();
    }
    if (!hemc_import_finish(c->arena, &c->log, &c->recipe, &c->model) ||
        !hemc_recipe_fit_colliders(c->arena, &c->log, &c->model, &c->recipe)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_CLIPS, &clock);
    c->owner = hemc_alloc(c->arena, c->model.triangle_count, sizeof(int32_t));
    if (!hemc_select(c->arena, &c->log, &c->model, &c->recipe, c->owner)) {
        return false;
    }
    if (c->recipe.automatic) {
        hemc_recipe_tune(c->arena, &c->log, &c->model, &c->recipe, c->owner);
    }
    end_stage(c, HEMC_STAGE_SELECT, &clock);
    if (!make_parts(c)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_GENERATE, &clock);
    if (c->recipe.body.enabled &&
        !hemc_body(c->arena, &c->log, &c->model, &c->recipe, c->owner, c->particles, &c->body)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_BODY, &clock);
    if (!hemc_assemble(c->arena, &c->log, &c->model, &c->recipe, c->particles, &c->body, &c->mesh)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_ASSEMBLE, &clock);
    if (!hemc_maps(c->arena, &c->log, &c->model, &c->recipe, c->owner, &c->mesh)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_MAPS, &clock);
    if (!hemc_graph(c->arena, &c->log, &c->recipe, &c->mesh)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_GRAPH, &clock);
    if (!hemc_lanes(c->arena, &c->log, &c->mesh, &c->layout)) {
        return false;
    }
    c->has_layout = true;
    end_stage(c, HEMC_STAGE_LANES, &clock);
    if (!hemc_pack(c->arena, &c->log, &c->model, &c->recipe, &c->mesh, &c->layout, &options, c->cache_key, &c->bytes,
                   &c->size)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_PACK, &clock);
    return true;
}

// -- Files

static bool write_file(hemc_compilation* c, const char* path, const void* bytes, size_t size) {
    hem_file_error error;
    return hem_file_write(path, bytes, size, 0, &error) || hemc_error(&c->log, HEMC_IO, path, "", "%s", error.text);
}

static bool write_outputs(hemc_compilation* c) {
    const hemc_job* job = c->job;
    if (job->picture != NULL) {
        if (picture_function == NULL) {
            return hemc_error(
                &c->log, HEMC_USAGE, job->picture, "",
                "this program has no renderer; draw the result with: hem inspect OUT.hem --picture P.png");
        }
        if (!picture_function(c->bytes, c->size, job->picture)) {
            return hemc_error(&c->log, HEMC_IO, job->picture, "", "the picture could not be drawn or written");
        }
    }
    if (job->output != NULL && !write_file(c, job->output, c->bytes, c->size)) {
        return false;
    }
    if (job->depfile != NULL) {
        uint32_t count = c->model.input_count;
        const char** inputs = hemc_alloc(c->arena, (size_t)count + 1, sizeof(char*));
        memcpy(inputs, c->model.input_paths, count * sizeof(char*));
        if (job->recipe != NULL) {
            inputs[count++] = job->recipe;
        }
        char* text = hemc_depfile_make(c->arena, job->output != NULL ? job->output : job->input, inputs, count);
        return write_file(c, job->depfile, text, strlen(text));
    }
    return true;
}

// -- Messages

static void add_message_text(hemc_text* text, const hemc_message* m) {
    static const char* const words[] = {"note", "warning", "error"};
    hemc_text_add(text, "%s%s%s%s%s: %s\n", m->file, m->path[0] != 0 && m->file[0] != 0 ? ":" : "", m->path,
                  m->file[0] != 0 || m->path[0] != 0 ? ": " : "", words[m->severity], m->text);
}

static char* keep(const char* text, size_t size) {
    char* copy = malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = 0;
    }
    return copy;
}

static void fill_outcome(hemc_compilation* c, hemc_outcome* out) {
    hemc_text text = {.arena = c->arena}, json = {.arena = c->arena};
    for (size_t i = 0; i < c->log.message_count; ++i) {
        const hemc_message* m = &c->log.messages[i];
        bool part = m->severity == HEMC_NOTE && c->recipe.automatic && strncmp(m->text, "automatic part", 14) == 0;
        hemc_severity least = c->job->verbosity < 0 ? HEMC_ERROR : c->job->verbosity == 0 ? HEMC_WARNING : HEMC_NOTE;
        if (m->severity >= least || (part && c->job->verbosity >= 0)) {
            add_message_text(&text, m);
        }
    }
    hemc_report_messages(&json, &c->log);
    out->exit_code = c->log.error_count != 0 ? (int)c->log.exit_code : HEMC_OK;
    out->error_count = c->log.error_count;
    out->warning_count = c->log.warning_count;
    out->messages = text.size != 0 ? keep(text.data, text.size) : NULL;
    out->json = keep(json.data, json.size);
    out->cached = c->cache == HEMC_CACHE_HIT;
    out->seconds = c->total_seconds;
    out->output_size = c->size;
    if (c->bytes != NULL && c->size >= sizeof(hem_header)) {
        hem_view view;
        if (hem_validate(c->bytes, c->size, &view, NULL) == HEM_FORMAT_OK) {
            out->part_count = view.info->part_count;
            out->particle_count = view.info->real_particle_count;
        }
    }
}

// -- Entry

static void run_compilation(hemc_compilation* c, hemc_outcome* out, uint8_t** bytes, size_t* size) {
    double begin = hem_clock_seconds();
    bool good = run_stages(c);
    if (good && c->job->strict && c->log.warning_count != 0) {
        good = hemc_error(&c->log, HEMC_VALIDATION, c->job->input, "", "%d warnings, and --strict takes them as errors",
                          c->log.warning_count);
    }
    if (good && c->cache == HEMC_CACHE_MISS) {
        hemc_report_make(c);
        hemc_cache_store(c);
    }
    c->total_seconds = hem_clock_seconds() - begin;
    if (good) {
        good = write_outputs(c);
    }
    if (c->job->report != NULL) {
        if (c->cache != HEMC_CACHE_HIT) {
            hemc_report_make(c);
        }
        good = write_file(c, c->job->report, c->report, c->report_size) && good;
    }
    if (good && bytes != NULL) {
        size_t rounded = (c->size + HEM_ALIGNMENT - 1) / HEM_ALIGNMENT * HEM_ALIGNMENT;
        *bytes = aligned_alloc(HEM_ALIGNMENT, rounded);
        if (*bytes == NULL) {
            good = hemc_error(&c->log, HEMC_INTERNAL, c->job->input, "", "out of memory");
        } else {
            memcpy(*bytes, c->bytes, c->size);
            *size = c->size;
        }
    }
    fill_outcome(c, out);
    if (!good && out->exit_code == HEMC_OK) {
        out->exit_code = HEMC_INTERNAL; // a stage failed without saying why
    }
}

void hemc_execute(const hemc_job* job, hemc_outcome* outcome, uint8_t** bytes, size_t* size) {
    static const char no_memory[] = "hemc: error: out of memory\n";
    memset(outcome, 0, sizeof(*outcome));
    if (bytes != NULL) {
        *bytes = NULL;
        *size = 0;
    }
    outcome->exit_code = HEMC_INTERNAL;
    outcome->error_count = 1;
    hemc_arena* arena = hemc_arena_create();
    if (arena == NULL) {
        outcome->messages = keep(no_memory, sizeof(no_memory) - 1);
        return;
    }
    if (setjmp(*hemc_arena_guard(arena)) != 0) {
        hemc_outcome_free(outcome);
        memset(outcome, 0, sizeof(*outcome));
        if (bytes != NULL && *bytes != NULL) {
            free(*bytes);
            *bytes = NULL;
        }
        outcome->exit_code = HEMC_INTERNAL;
        outcome->error_count = 1;
        outcome->messages = keep(no_memory, sizeof(no_memory) - 1);
        hemc_arena_destroy(arena);
        return;
    }
    hemc_compilation* c = hemc_alloc(arena, 1, sizeof(hemc_compilation));
    c->job = job;
    c->arena = arena;
    c->log.arena = arena;
    run_compilation(c, outcome, bytes, size);
    hemc_arena_destroy(arena);
}

void hemc_outcome_free(hemc_outcome* outcome) {
    free(outcome->messages);
    free(outcome->json);
    outcome->messages = NULL;
    outcome->json = NULL;
}

static int finish(const hemc_job* job, hemc_outcome* outcome) {
    if (outcome->messages != NULL) {
        fputs(outcome->messages, stderr);
    }
    if (outcome->exit_code == HEMC_OK && job->verbosity >= 0 && job->output != NULL) {
        fprintf(stderr, "%s: %u parts, %u particles, %zu bytes%s\n", job->output, outcome->part_count,
                outcome->particle_count, outcome->output_size, outcome->cached ? ", from the cache" : "");
    }
    int code = outcome->exit_code;
    hemc_outcome_free(outcome);
    return code;
}

int hemc_run(const hemc_job* job) {
    hemc_outcome outcome;
    hemc_execute(job, &outcome, NULL, NULL);
    return finish(job, &outcome);
}

int hemc_compile(const hemc_job* job, uint8_t** bytes, size_t* size) {
    hemc_outcome outcome;
    hemc_execute(job, &outcome, bytes, size);
    return finish(job, &outcome);
}
