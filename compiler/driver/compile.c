// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include "compiler/shape/lattice_motion.h"
#include "compiler/shape/tears.h"
#include "formats/hem_validate.h"
#include "platform/clock.h"
#include "platform/file.h"
#include "platform/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One asset from input to files: every stage in order, each timed, all in one arena.
//
// Nothing is written before everything is known: the bytes are packed and validated in memory, then the files are
// replaced one by one, the .hem last but one and the depfile last, so that a build tool that sees the depfile finds
// all the rest. A compile that fails writes its report (if asked) and nothing else; one whose outputs are its own inputs
// writes nothing at all.

static hemc_picture_function picture_function;

void hemc_set_picture_function(hemc_picture_function function) {
    picture_function = function;
}

static hemc_preflight_function preflight_function;
static hemc_moment_function moment_function;

void hemc_set_preflight_functions(hemc_preflight_function fly, hemc_moment_function draw) {
    preflight_function = fly;
    moment_function = draw;
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

// What the graph had to make stiffer so that it holds its shape becomes part of what was decided (graph/sag.c).
static void keep_stiffened(hemc_compilation* c) {
    for (uint32_t p = 0; p < c->recipe.part_count; ++p) {
        hemc_part_recipe* part = &c->recipe.parts[p];
        const float shape = c->mesh.part_tunings[p].shape_compliance;
        if (shape < part->tuning.shape_compliance) {
            hemc_note(&c->log, c->job->input, "",
                      "automatic part \"%s\" is made stiffer, a \"shape\" of %.2g m/N, so that it holds its modelled "
                      "shape",
                      part->name, (double)shape);
            part->tuning.shape_compliance = shape;
        }
    }
}

// From parts with all their numbers to bytes.
bool hemc_make_asset(hemc_compilation* c, hemc_options options, double* clock) {
    c->body = (hemc_particles){0};
    c->mesh = (hemc_mesh){0};
    c->layout = (hemc_layout){0};
    if (!make_parts(c)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_GENERATE, clock);
    const bool triangles = c->recipe.body.enabled && c->recipe.body.mesh;
    if (c->recipe.body.enabled &&
        !hemc_body(c->arena, &c->log, &c->model, &c->recipe, c->owner, c->particles, &c->body)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_BODY, clock);
    // How thin the limbs are is still the particles' to say, and what stands out of them is sharper than they say: elbows and
    // knees come between the corners of a cell. Not all of it: from half of it on, cloth that is held by the collar never rests.
    const float shown = 0.3f;
    hemc_particles none = {0}, *limbs = &c->body, measured = c->body;
    if (triangles) {
        measured.sag *= shown;
        c->body = none;
        limbs = &measured;
    }
    if (!hemc_assemble(c->arena, &c->log, &c->model, &c->recipe, c->particles, &c->body, &c->mesh)) {
        return false;
    }
    if (triangles && !hemc_body_mesh(c->arena, &c->log, &c->model, &c->recipe, c->owner, &c->mesh)) {
        return false;
    }
    hemc_work_out_thickness(c->arena, &c->recipe, c->surfaces, c->particles, limbs, &c->mesh);
    hemc_doubt(c);
    end_stage(c, HEMC_STAGE_ASSEMBLE, clock);
    if (!hemc_maps(c->arena, &c->log, &c->model, &c->recipe, c->owner, &c->mesh) ||
        !hemc_lattice_motion(c->arena, &c->log, &c->model, &c->recipe, &c->mesh) ||
        !hemc_tears(c->arena, &c->log, &c->model, &c->recipe, c->surfaces, &c->mesh)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_MAPS, clock);
    hemc_warp_make(c->arena, &c->model, &c->recipe, c->surfaces, &c->mesh);
    if (!hemc_graph(c->arena, &c->log, &c->recipe, &c->mesh) ||
        !hemc_springs(c->arena, &c->log, &c->model, &c->recipe, &c->mesh)) {
        return false;
    }
    if (c->recipe.automatic) {
        keep_stiffened(c);
        c->recipe.printed = hemc_recipe_print(c->arena, &c->model, &c->recipe, c->owner);
        hemc_hash128(c->recipe.printed, strlen(c->recipe.printed), c->recipe.recipe_hash);
        hemc_asset_key(c);
    }
    hemc_solids(c->arena, &c->mesh);
    hemc_fullness_of(c->arena, &c->recipe, &c->mesh);
    end_stage(c, HEMC_STAGE_GRAPH, clock);
    if (!hemc_lanes(c->arena, &c->log, &c->mesh, &c->layout)) {
        return false;
    }
    c->has_layout = true;
    end_stage(c, HEMC_STAGE_LANES, clock);
    if (!hemc_make_levels(c, options, clock)) {
        return false;
    }
    options.levels = &c->levels;
    if (!hemc_pack(c->arena, &c->log, &c->model, &c->recipe, &c->mesh, &c->layout, &options, c->cache_key, &c->bytes,
                   &c->size)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_PACK, clock);
    return true;
}

#define LOOK_PARTICLES 16.0 // vertices that take as long as a particle

// Plays what was made. What ships has no triangles to look at, so that is made again with them.
bool hemc_fly(hemc_compilation* c, hemc_options options, const hemc_preflight* again) {
    uint8_t* bytes = c->bytes;
    size_t size = c->size;
    if (options.ship) {
        options.ship = false;
        options.levels = &c->levels;
        if (!hemc_pack(c->arena, &c->log, &c->model, &c->recipe, &c->mesh, &c->layout, &options, c->cache_key, &bytes,
                       &size)) {
            return false;
        }
    }
    hemc_preflight* f = hemc_alloc(c->arena, 1, sizeof(hemc_preflight));
    // Whatever is a part is looked at, be it as long as a sword on its bone: so is hair that a scalp is missing under.
    uint8_t* left_out = NULL;
    if (c->recipe.accessories != NULL) {
        left_out = hemc_alloc(c->arena, c->model.triangle_count, 1);
        for (uint32_t t = 0; t < c->model.triangle_count; ++t) {
            left_out[t] = c->recipe.accessories[t] && c->owner[t] == HEM_NONE;
        }
    }
    const hemc_flight flight = {bytes, size, c->job->input, left_out, again};
    if (!preflight_function(&flight, f)) {
        return hemc_error(&c->log, HEMC_INTERNAL, c->job->input, "", "the pre-flight could not be played");
    }
    c->preflight = f;
    c->looked +=
        (double)f->frame_count * (c->model.vertex_count + LOOK_PARTICLES * c->mesh.part_begin[c->mesh.part_count]);
    return true;
}

static void tell_grades(hemc_compilation* c) {
    const hemc_preflight* f = c->preflight;
    for (uint32_t i = 0; i < f->part_count; ++i) {
        hemc_note(&c->log, c->job->input, "", "automatic pre-flight of \"%s\": grade %c", f->parts[i].name,
                  f->parts[i].grade);
    }
    if (f->grade > c->recipe.accept) {
        hemc_warn(&c->log, c->job->input, "", "pre-flight grade %c, and %c is asked for: %s", f->grade,
                  c->recipe.accept, f->advice[0] != 0 ? f->advice : "see the report");
    } else {
        hemc_note(&c->log, c->job->input, "", "automatic pre-flight: grade %c over %u clips%s%s", f->grade,
                  f->clip_count, f->advice[0] != 0 ? "; " : "", f->advice);
    }
}

static bool run_stages(hemc_compilation* c) {
    const hemc_job* job = c->job;
    hemc_options options = {
        .ship = job->ship, .ship_all = job->ship_all, .strict = job->strict, .verbosity = job->verbosity};
    double clock = hem_clock_seconds();
    if (job->input_bytes != NULL
            ? !hemc_import_memory(c->arena, &c->log, job->input, job->input_bytes, job->input_size, &c->model)
            : !hemc_import(c->arena, &c->log, job->input, &c->model)) {
        return false;
    }
    c->has_model = true;
    c->model.asked_scale = job->scale;
    end_stage(c, HEMC_STAGE_IMPORT, &clock);
    if (job->recipe_bytes != NULL ? !hemc_recipe_load_memory(c->arena, &c->log, job->recipe, job->recipe_bytes,
                                                             job->recipe_size, &c->model, &c->recipe)
                                  : !hemc_recipe_load(c->arena, &c->log, job->recipe, &c->model, &c->recipe)) {
        return false;
    }
    c->has_recipe = true;
    if (job->print_recipe != NULL && !c->recipe.automatic) {
        return hemc_error(&c->log, HEMC_USAGE, job->recipe != NULL ? job->recipe : job->input, "/parts",
                          "--print-recipe writes what automatic mode decides, and here the parts are given already");
    }
    end_stage(c, HEMC_STAGE_RECIPE, &clock);
    hemc_cache_key(c);
    if (job->cache != NULL && job->print_recipe == NULL) { // a cached asset does not know what it was made from
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
    hemc_select_accessories(c->arena, &c->model, &c->recipe);
    end_stage(c, HEMC_STAGE_CLIPS, &clock);
    c->owner = hemc_alloc(c->arena, c->model.triangle_count, sizeof(int32_t));
    if (!hemc_select(c->arena, &c->log, &c->model, &c->recipe, c->owner)) {
        return false;
    }
    hemc_hang_unskinned(c->arena, &c->log, &c->model, &c->recipe, c->owner);
    c->given_colliders = c->recipe.colliders;
    c->given_collider_count = c->recipe.collider_count;
    hemc_recipe_bare_limbs(c->arena, &c->log, &c->model, &c->recipe, c->owner);
    hemc_paint_settle(&c->model, &c->recipe, c->owner);
    hemc_paint_tell(c->arena, &c->log, &c->model, &c->recipe, c->owner);
    if (c->recipe.automatic) {
        hemc_recipe_tune(c->arena, &c->log, &c->model, &c->recipe, c->owner);
    }
    end_stage(c, HEMC_STAGE_SELECT, &clock);
    if (!hemc_make_asset(c, options, &clock)) {
        return false;
    }
    if (job->preflight && (!hemc_fly(c, options, NULL) || !hemc_trials(c, options, &clock))) {
        return false;
    }
    if (job->preflight) {
        tell_grades(c);
        if (job->grades != NULL) {
            *job->grades = *c->preflight;
        }
    }
    if (!hemc_certify(c)) {
        return false;
    }
    end_stage(c, HEMC_STAGE_PREFLIGHT, &clock);
    return true;
}

// -- Files

bool hemc_write_output(hemc_log* log, const char* path, const void* bytes, size_t size) {
    hem_file_error error;
    return hem_file_write(path, bytes, size, HEM_FILE_FOLDERS, &error) ||
           hemc_error(log, HEMC_IO, path, "", "%s", error.text);
}

// Before anything is computed: what is asked for can be written, and overwrites nothing that is read.
static bool check_job(hemc_compilation* c) {
    const hemc_job* job = c->job;
    c->outputs_good = hemc_check_outputs(c->arena, &c->log, NULL, job, 1, &c->claims);
    c->claims = job->claims != NULL ? job->claims : c->claims;
    if (c->outputs_good && job->picture != NULL && picture_function == NULL) {
        return hemc_error(&c->log, HEMC_USAGE, job->picture, "",
                          "this program has no renderer; draw the result with: hem inspect OUT.hem --picture P.png");
    }
    if (c->outputs_good && job->preflight && preflight_function == NULL) {
        return hemc_error(&c->log, HEMC_USAGE, job->input, "",
                          "this program cannot play what it makes: call hemc itself");
    }
    return c->outputs_good && hemc_check_writable(&c->log, job);
}

static bool write_outputs(hemc_compilation* c) {
    const hemc_job* job = c->job;
    if (job->picture != NULL) {
        if (!picture_function(c->bytes, c->size, job->picture)) {
            return hemc_error(&c->log, HEMC_IO, job->picture, "", "the picture could not be drawn or written");
        }
    }
    if (job->print_recipe != NULL) {
        const char* text = c->recipe.printed;
        if (strcmp(job->print_recipe, "-") == 0) {
            fputs(text, stdout);
        } else if (!hemc_write_output(&c->log, job->print_recipe, text, strlen(text))) {
            return false;
        }
    }
    if (job->output != NULL && !hemc_write_output(&c->log, job->output, c->bytes, c->size)) {
        return false;
    }
    if (job->depfile != NULL) {
        uint32_t count = c->model.input_count, more = 0;
        for (uint32_t p = 0; p < c->recipe.part_count; ++p) {
            more += c->recipe.parts[p].lattice.clip_count;
        }
        const char** inputs = hemc_alloc(c->arena, (size_t)count + more + 1 + job->target_count, sizeof(char*));
        memcpy(inputs, c->model.input_paths, count * sizeof(char*));
        for (uint32_t p = 0; p < c->recipe.part_count; ++p) {
            const hemc_lattice_recipe* l = &c->recipe.parts[p].lattice;
            for (uint32_t i = 0; i < l->clip_count; ++i) {
                if (l->clips[i].file != NULL) {
                    inputs[count++] = l->clips[i].file;
                }
            }
        }
        if (job->recipe != NULL) {
            inputs[count++] = job->recipe;
        }
        for (uint32_t i = 0; i < job->target_count; ++i) {
            inputs[count++] = job->targets[i];
        }
        char* text = hemc_depfile_make(c->arena, job->output != NULL ? job->output : job->input, inputs, count);
        return hemc_write_output(&c->log, job->depfile, text, strlen(text));
    }
    return true;
}

// -- Messages

void hemc_message_line(hemc_text* text, const hemc_message* m) {
    static const char* const words[] = {"note", "warning", "error"};
    char* raw = hemc_format(text->arena, "%s%s%s%s%s: %s", m->file, m->path[0] != 0 && m->file[0] != 0 ? ":" : "",
                            m->path, m->file[0] != 0 || m->path[0] != 0 ? ": " : "", words[m->severity], m->text);
    size_t size = 4 * strlen(raw) + 1; // names out of files may hold what a terminal obeys
    hemc_text_add(text, "%s\n", hem_printable(hemc_alloc(text->arena, size, 1), size, raw));
}

const char hemc_no_memory[] = "hemc: error: out of memory\n";

static hemc_severity least_shown(int verbosity) {
    return verbosity < 0 ? HEMC_ERROR : verbosity == 0 ? HEMC_WARNING : HEMC_NOTE;
}

void hemc_print_messages(const hemc_log* log, int verbosity) {
    hemc_text text = {.arena = log->arena};
    for (size_t i = 0; i < log->message_count; ++i) {
        if (log->messages[i].severity >= least_shown(verbosity)) {
            hemc_message_line(&text, &log->messages[i]);
        }
    }
    if (text.size != 0) {
        fwrite(text.data, 1, text.size, stderr);
    }
}

static char* keep(const char* text, size_t size) {
    char* copy = hemc_take(size + 1);
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
        bool part = m->severity == HEMC_NOTE && c->recipe.automatic && strncmp(m->text, "automatic ", 10) == 0;
        if (m->severity >= least_shown(c->job->verbosity) || (part && c->job->verbosity >= 0)) {
            hemc_message_line(&text, m);
        }
    }
    hemc_report_messages(&json, &c->log);
    out->exit_code = c->log.error_count != 0 ? (int)c->log.exit_code : HEMC_OK;
    out->error_count = c->log.error_count;
    out->warning_count = c->log.warning_count;
    out->messages = text.size != 0 ? keep(text.data, text.size) : NULL;
    out->json = keep(json.data, json.size);
    if (out->json == NULL || (out->messages == NULL && text.size != 0)) {
        hemc_out_of_memory(c->arena);
    }
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
    bool good = check_job(c) && run_stages(c);
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
    if (c->job->report != NULL && c->outputs_good) {
        if (c->cache != HEMC_CACHE_HIT) {
            hemc_report_make(c);
        }
        good = hemc_report_pictures(c, moment_function) && good;
        good = hemc_write_output(&c->log, c->job->report, c->report, c->report_size) && good;
    }
    if (good && bytes != NULL) {
        size_t rounded = (c->size + HEM_ALIGNMENT - 1) / HEM_ALIGNMENT * HEM_ALIGNMENT;
        *bytes = aligned_alloc(HEM_ALIGNMENT, rounded);
        if (*bytes == NULL) {
            good = hemc_error(&c->log, HEMC_MEMORY, c->job->input, "", "out of memory");
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
    memset(outcome, 0, sizeof(*outcome));
    if (bytes != NULL) {
        *bytes = NULL;
        *size = 0;
    }
    outcome->exit_code = HEMC_MEMORY;
    outcome->error_count = 1;
    hemc_arena* arena = hemc_arena_create();
    if (arena == NULL) {
        outcome->messages = keep(hemc_no_memory, strlen(hemc_no_memory));
        return;
    }
    if (setjmp(*hemc_arena_guard(arena)) != 0) {
        hemc_outcome_free(outcome);
        memset(outcome, 0, sizeof(*outcome));
        if (bytes != NULL && *bytes != NULL) {
            free(*bytes);
            *bytes = NULL;
        }
        outcome->exit_code = HEMC_MEMORY;
        outcome->error_count = 1;
        outcome->messages = keep(hemc_no_memory, strlen(hemc_no_memory));
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
    if (outcome->messages != NULL || outcome->exit_code == HEMC_MEMORY) {
        fputs(outcome->messages != NULL ? outcome->messages : hemc_no_memory, stderr);
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
