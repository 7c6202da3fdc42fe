// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include "platform/file.h"

#include <string.h>

// No output may be a file that is read, nor one that another output writes: not by another spelling, not through a link,
// not between two assets of a batch. What is read is the glTF, the files it names (its images too: they are not read,
// but nobody can get them back), the recipe and the animations that either names, the list of a batch and response files.
// Files are compared by place (platform/file.h), so that those that do not exist yet count as well.
//
// All of it is known before anything is computed; whether a place can be written is found out then too. Only pictures of a
// pre-flight have names that come later: they ask the list of what was claimed.

typedef struct claim {
    const char* path;
    const char* role; // "output", "recipe", "/buffers/0"
    uint32_t job;     // NO_JOB = read for all of them
    bool written;
} claim;

struct hemc_claims {
    hemc_arena* arena;
    claim* items;
    size_t count, capacity;
};

typedef hemc_claims claim_list;

#define NO_JOB UINT32_MAX
#define OUTPUT_COUNT 5

typedef struct named_output {
    const char* path; // NULL = none
    const char* role;
} named_output;

static void outputs_of(const hemc_job* job, named_output out[OUTPUT_COUNT]) {
    out[0] = (named_output){job->output, "output"};
    out[1] = (named_output){job->report, "report"};
    out[2] = (named_output){job->picture, "picture"};
    out[3] = (named_output){job->depfile, "depfile"};
    const bool printed = job->print_recipe != NULL && strcmp(job->print_recipe, "-") != 0;
    out[4] = (named_output){printed ? job->print_recipe : NULL, "printed recipe"};
}

// What is written through, /dev/null or a pipe, is replaced by nobody, and may be named more than once.
static bool is_written_through(const char* path) {
    return hem_file_exists(path) && !hem_file_is_regular(path);
}

static void add_claim(claim_list* list, const char* path, const char* role, uint32_t job, bool written) {
    if (path != NULL && !(written && is_written_through(path))) {
        list->items = hemc_grow(list->arena, list->items, &list->capacity, list->count + 1, sizeof(claim));
        list->items[list->count++] = (claim){path, role, job, written};
    }
}

// What a glTF or a recipe names besides.
static void add_named(claim_list* list, const char* path, uint32_t index) {
    hemc_named_file* files;
    uint32_t count = hemc_import_named_files(list->arena, path, &files);
    for (uint32_t i = 0; i < count; ++i) {
        add_claim(list, files[i].path, files[i].where, index, false);
    }
}

static void add_read(claim_list* list, const hemc_job* job, uint32_t index) {
    if (job->input != NULL && job->input_bytes == NULL) {
        add_claim(list, job->input, "input", index, false);
        add_named(list, job->input, index);
    }
    if (job->recipe != NULL && job->recipe_bytes == NULL) {
        add_claim(list, job->recipe, "recipe", index, false);
        add_named(list, job->recipe, index);
    }
}

static void add_job(claim_list* list, const hemc_job* job, uint32_t index) {
    add_read(list, job, index);
    named_output outputs[OUTPUT_COUNT];
    outputs_of(job, outputs);
    for (int k = 0; k < OUTPUT_COUNT; ++k) {
        add_claim(list, outputs[k].path, outputs[k].role, index, true);
    }
}

// `bad` is written; `other` is written too, or read.
static bool refuse(hemc_log* log, const char* list_path, const claim* bad, const claim* other) {
    // "/buffers/0" and the like stand in the glTF or in the recipe.
    const char* name = other->role[0] != '/'                    ? ""
                       : strstr(other->role, "/clips/") != NULL ? "of the recipe"
                                                                : "of the glTF";
    const char* gap = name[0] != 0 ? " " : "";
    if (list_path == NULL) {
        return hemc_error(log, HEMC_USAGE, bad->path, "",
                          "the %s is the same file as the %s%s%s, %s; choose another name", bad->role, other->role, gap,
                          name, other->path);
    }
    char* where = hemc_format(log->arena, "/%u", bad->job);
    if (other->job == NO_JOB) {
        return hemc_error(log, HEMC_INPUT, list_path, where,
                          "its %s %s is the same file as the %s; choose another name", bad->role, bad->path,
                          other->role);
    }
    if (other->written) {
        return hemc_error(log, HEMC_INPUT, list_path, where,
                          "writes the same file as asset %u: its %s %s is the %s of that", other->job, bad->role,
                          bad->path, other->role);
    }
    return hemc_error(log, HEMC_INPUT, list_path, where,
                      "its %s %s is the same file as the %s%s%s of asset %u; choose another name", bad->role, bad->path,
                      other->role, gap, name, other->job);
}

static hemc_claims* make_claims(hemc_arena* arena, const char* list_path, const hemc_job* jobs, uint32_t count) {
    claim_list* list = hemc_alloc(arena, 1, sizeof(claim_list));
    list->arena = arena;
    add_claim(list, list_path, "list", NO_JOB, false);
    for (uint32_t i = 0; count != 0 && jobs[0].responses != NULL && jobs[0].responses[i] != NULL; ++i) {
        add_claim(list, jobs[0].responses[i], "response file", NO_JOB, false);
    }
    for (uint32_t i = 0; count != 0 && i < jobs[0].target_count; ++i) {
        add_claim(list, jobs[0].targets[i], "target", NO_JOB, false);
    }
    for (uint32_t i = 0; i < count; ++i) {
        add_job(list, &jobs[i], i);
    }
    return list;
}

bool hemc_check_outputs(hemc_arena* arena, hemc_log* log, const char* list_path, const hemc_job* jobs, uint32_t count,
                        const hemc_claims** claims) {
    claim_list* list = make_claims(arena, list_path, jobs, count);
    if (claims != NULL) {
        *claims = list;
    }
    uint64_t* keys = hemc_alloc(arena, list->count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, list->count, sizeof(uint32_t));
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->count; ++i) {
        hem_file_place place;
        if (hem_file_place_of(list->items[i].path, &place)) { // else reading or writing will say what is wrong
            uint8_t hash[16];
            hemc_hash128(&place, sizeof(place), hash);
            memcpy(&keys[n], hash, sizeof(uint64_t));
            order[n++] = i;
        }
    }
    hemc_sort(arena, keys, order, n);
    bool good = true;
    for (uint32_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && keys[end] == keys[begin];) {
            ++end;
        }
        // The first that reads it, or else the first that writes it, has it; every other that writes it may not.
        uint32_t owner = begin;
        for (uint32_t i = begin; i < end && list->items[order[owner]].written; ++i) {
            owner = list->items[order[i]].written ? owner : i;
        }
        for (uint32_t i = begin; i < end; ++i) {
            if (i != owner && list->items[order[i]].written) {
                good = refuse(log, list_path, &list->items[order[i]], &list->items[order[owner]]);
            }
        }
    }
    return good;
}

const char* hemc_claimed(const hemc_claims* claims, const char* path) {
    hem_file_place wanted, place;
    bool known = !is_written_through(path) && hem_file_place_of(path, &wanted);
    for (size_t i = 0; known && i < claims->count; ++i) {
        if (hem_file_place_of(claims->items[i].path, &place) && hem_file_place_equal(&place, &wanted)) {
            return claims->items[i].role;
        }
    }
    return NULL;
}

bool hemc_reads(const char* input, const char* path) {
    hemc_arena* arena = hemc_arena_create();
    if (arena == NULL || setjmp(*hemc_arena_guard(arena)) != 0) {
        hemc_arena_destroy(arena);
        return true; // who cannot look does not write
    }
    const hemc_job job = {.input = input};
    claim_list list = {.arena = arena};
    add_read(&list, &job, 0);
    const bool found = hemc_claimed(&list, path) != NULL;
    hemc_arena_destroy(arena);
    return found;
}

bool hemc_check_writable(hemc_log* log, const hemc_job* job) {
    named_output outputs[OUTPUT_COUNT];
    outputs_of(job, outputs);
    bool good = true;
    for (int k = 0; k < OUTPUT_COUNT; ++k) {
        hem_file_error error;
        if (outputs[k].path != NULL && !hem_file_can_write(outputs[k].path, &error)) {
            good = hemc_error(log, HEMC_IO, outputs[k].path, "", "%s", error.text);
        }
    }
    return good;
}
