// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include "platform/file.h"
#include "platform/terminal.h"
#include "platform/thread.h"

#include <stdio.h>
#include <string.h>

// Many assets at once. Workers take the next asset from a shared counter; each compile has its own arena, so they share
// nothing but this counter and the printing. One that fails stops nobody.
//
// On a terminal: one progress line, and below it whatever is wrong. Into a pipe: one line of JSON per asset on stdout,
// in the order they finish; messages are inside, so a build system needs to read nothing else.

typedef struct batch {
    hemc_job* jobs;
    uint32_t count;
    int* exit_codes;
    hem_counter next;
    hem_mutex print;
    hem_progress progress;
    bool terminal;
    uint32_t done, failed, cached, warnings;
} batch;

// The line of an asset when there is no memory to make one.
static void print_poor_line(const hemc_job* job, int exit_code) {
    fputs("{\"input\": \"", stdout);
    for (const unsigned char* c = (const unsigned char*)job->input; *c != 0; ++c) {
        if (*c == '"' || *c == '\\' || *c < 0x20) {
            fprintf(stdout, "\\u%04x", *c);
        } else {
            fputc(*c, stdout);
        }
    }
    fprintf(stdout, "\", \"exit\": %d, \"messages\": [{\"severity\": \"error\", \"text\": \"out of memory\"}]}\n",
            exit_code != HEMC_OK ? exit_code : HEMC_MEMORY);
    fflush(stdout);
}

static void print_line(const hemc_job* job, const hemc_outcome* out) {
    hemc_arena* arena = out->json != NULL ? hemc_arena_create() : NULL;
    if (arena == NULL || setjmp(*hemc_arena_guard(arena)) != 0) {
        print_poor_line(job, out->exit_code);
        hemc_arena_destroy(arena);
        return;
    }
    hemc_text t = {.arena = arena};
    hemc_text_add(&t, "{\"input\": ");
    hemc_text_quoted(&t, job->input);
    hemc_text_add(&t, ", \"output\": ");
    hemc_text_quoted(&t, job->output);
    hemc_text_add(&t,
                  ", \"exit\": %d, \"errors\": %d, \"warnings\": %d, \"cached\": %s, \"bytes\": %zu, \"particles\": "
                  "%u, \"seconds\": ",
                  out->exit_code, out->error_count, out->warning_count, out->cached ? "true" : "false",
                  out->output_size, out->particle_count);
    hemc_text_number(&t, (double)(int64_t)(out->seconds * 1e6) * 1e-6);
    hemc_text_add(&t, ", \"messages\": %s}\n", out->json);
    fwrite(t.data, 1, t.size, stdout);
    fflush(stdout);
    hemc_arena_destroy(arena);
}

static void work(void* user) {
    batch* b = user;
    for (;;) {
        int64_t i = hem_counter_add(&b->next, 1);
        if (i >= (int64_t)b->count) {
            return;
        }
        hemc_outcome out;
        hemc_execute(&b->jobs[i], &out, NULL, NULL);
        hem_mutex_lock(&b->print);
        b->exit_codes[i] = out.exit_code;
        ++b->done;
        b->failed += out.exit_code != HEMC_OK ? 1 : 0;
        b->cached += out.cached ? 1 : 0;
        b->warnings += (uint32_t)out.warning_count;
        if (!b->terminal) {
            print_line(&b->jobs[i], &out);
        } else {
            if (out.messages != NULL || out.exit_code == HEMC_MEMORY) {
                hem_progress_clear(&b->progress);
                fputs(out.messages != NULL ? out.messages : hemc_no_memory, stderr);
            }
            hem_progress_show(&b->progress, "%u / %u  %u failed  %u cached  %s", b->done, b->count, b->failed,
                              b->cached, hem_path_name(b->jobs[i].input));
        }
        hem_mutex_unlock(&b->print);
        hemc_outcome_free(&out);
    }
}

static const char* resolve(hemc_arena* arena, const char* folder, const hemc_json* value) {
    size_t size = strlen(folder) + strlen(value->string) + 2;
    char* path = hemc_alloc(arena, size, 1);
    hem_path_join(path, size, folder, value->string);
    return path;
}

static bool read_job(hemc_arena* arena, hemc_log* log, const char* list_path, const char* folder, const hemc_json* item,
                     const hemc_job* defaults, hemc_job* job) {
    *job = *defaults;
    const char* where = hemc_json_pointer(arena, "", item);
    struct {
        const char* key;
        const char** value;
    } keys[] = {{"input", &job->input},   {"recipe", &job->recipe},   {"output", &job->output},
                {"report", &job->report}, {"picture", &job->picture}, {"depfile", &job->depfile}};
    if (item->kind != HEMC_JSON_OBJECT) {
        return hemc_error(log, HEMC_INPUT, list_path, where, "must be an object with \"input\" and \"output\"");
    }
    for (const hemc_json* m = item->first; m != NULL; m = m->next) {
        bool known = false;
        for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); ++k) {
            if (strcmp(m->key, keys[k].key) == 0) {
                known = true;
                if (m->kind == HEMC_JSON_NULL) {
                    continue;
                }
                if (m->kind != HEMC_JSON_STRING || m->string[0] == 0) {
                    return hemc_error(log, HEMC_INPUT, list_path, hemc_json_pointer(arena, "", m), "must be a path");
                }
                *keys[k].value = resolve(arena, folder, m);
            }
        }
        if (strcmp(m->key, "ship") == 0 && (m->kind == HEMC_JSON_TRUE || m->kind == HEMC_JSON_FALSE)) {
            known = true;
            job->ship = m->kind == HEMC_JSON_TRUE;
        }
        if (strcmp(m->key, "ship") == 0 && m->kind == HEMC_JSON_STRING && strcmp(m->string, "all") == 0) {
            known = true;
            job->ship = job->ship_all = true;
        }
        if (!known) {
            return hemc_error(log, HEMC_INPUT, list_path, hemc_json_pointer(arena, "", m),
                              "unknown key; an asset has input, recipe, output, report, picture, depfile and ship");
        }
    }
    if (job->input == NULL || job->output == NULL) {
        return hemc_error(log, HEMC_INPUT, list_path, where, "has no \"%s\"", job->input == NULL ? "input" : "output");
    }
    return true;
}

static bool read_list(hemc_arena* arena, hemc_log* log, const char* path, const hemc_job* defaults, batch* b) {
    uint8_t* text;
    size_t size;
    if (!hemc_read_file(arena, path, &text, &size)) {
        return hemc_error(log, HEMC_IO, path, "", "cannot read the list");
    }
    const hemc_json* json = hemc_json_parse(arena, log, path, "", (const char*)text, size, true);
    if (json == NULL) {
        return false;
    }
    const hemc_json* list = json->kind == HEMC_JSON_OBJECT ? hemc_json_member(json, "assets") : json;
    if (list == NULL || list->kind != HEMC_JSON_ARRAY) {
        return hemc_error(log, HEMC_INPUT, path, "", "must be an array of assets, or an object with \"assets\"");
    }
    size_t folder_size = strlen(path) + 2;
    char* folder = hemc_alloc(arena, folder_size, 1);
    hem_path_directory(folder, folder_size, path);
    b->jobs = hemc_alloc(arena, list->count, sizeof(hemc_job));
    b->exit_codes = hemc_alloc(arena, list->count, sizeof(int));
    bool good = true;
    for (const hemc_json* item = list->first; item != NULL; item = item->next) {
        good = read_job(arena, log, path, folder, item, defaults, &b->jobs[b->count++]) && good;
    }
    const hemc_claims* claims = NULL;
    good = good && hemc_check_outputs(arena, log, path, b->jobs, b->count, &claims);
    for (uint32_t i = 0; i < b->count; ++i) {
        b->jobs[i].claims = claims;
    }
    return good;
}

int hemc_batch_run(const char* list_path, uint32_t worker_count, const hemc_job* defaults) {
    hemc_arena* arena = hemc_arena_create();
    if (arena == NULL || setjmp(*hemc_arena_guard(arena)) != 0) {
        fputs(hemc_no_memory, stderr);
        hemc_arena_destroy(arena);
        return HEMC_MEMORY;
    }
    hemc_log log = {.arena = arena};
    batch* b = hemc_alloc(arena, 1, sizeof(batch));
    if (!read_list(arena, &log, list_path, defaults, b)) {
        for (size_t i = 0; i < log.message_count; ++i) {
            hemc_text line = {.arena = arena};
            hemc_message_line(&line, &log.messages[i]);
            fputs(line.data, stderr);
        }
        int code = log.exit_code;
        hemc_arena_destroy(arena);
        return code;
    }
    uint32_t workers = worker_count != 0 ? worker_count : hem_processor_count();
    workers = workers < b->count ? workers : b->count;
    hem_mutex_init(&b->print);
    b->terminal = hem_terminal_is(stdout) && hem_terminal_is(stderr);
    if (b->terminal) {
        hem_progress_begin(&b->progress, stderr);
    }
    hem_thread* threads = hemc_alloc(arena, workers, sizeof(hem_thread));
    uint32_t started = 0;
    while (started + 1 < workers && hem_thread_start(&threads[started], work, b)) {
        ++started;
    }
    work(b); // this thread is a worker too
    for (uint32_t i = 0; i < started; ++i) {
        hem_thread_join(&threads[i]);
    }
    if (b->terminal) {
        hem_progress_end(&b->progress);
    }
    if (defaults->verbosity >= 0) {
        fprintf(stderr, "%u assets, %u failed, %u from the cache, %u warnings\n", b->count, b->failed, b->cached,
                b->warnings);
    }
    int code = HEMC_OK;
    for (uint32_t i = 0; i < b->count && code == HEMC_OK; ++i) {
        code = b->exit_codes[i]; // of the first in the list that failed, whoever finished first
    }
    hem_mutex_destroy(&b->print);
    hemc_arena_destroy(arena);
    return code;
}
