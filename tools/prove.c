// SPDX-License-Identifier: MIT
#include "tools/prove.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/options.h"
#include "platform/file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char* name;
    void (*measure)(proof* p);
    const char* about;
} PROOFS[] = {
    {"budget", prove_budget, "forty characters on 10 to 100 % of their cost; jumps, hashes, sleepers, predicted costs"},
    {"first-try", prove_first_try, "characters that nobody prepared, without a recipe, graded by their pre-flight"},
    {"house", prove_house, "phases and kinds from their tables, and samples that go on bit for bit in a fresh scene"},
    {"lattice", prove_lattice,
     "regions of every width by the clock; a jelly that follows its clip and gives way to a slab"},
    {"meshes", prove_meshes, "triangle meshes as colliders: a skinned body, growth with the triangles, speed"},
    {"sound", prove_sound, "held poses, odd frame rates, bad assets, soaks, and every call called wrongly"},
    {"seen", prove_seen,
     "triangles that cross, stretch and turn: stops, clips, sheets, curls, extremes, rates, shared"},
    {"fabrics", prove_fabrics,
     "rods and chains against closed forms, materials in strip, shear frame, cantilever and drape"},
};
enum { PROOF_COUNT = sizeof(PROOFS) / sizeof(PROOFS[0]) };

// -- Rows

bool proof_wants(proof* p, const char* group) {
    bool wanted = p->only == NULL || strstr(group, p->only) != NULL;
    if (wanted) {
        hem_progress_show(&p->progress, "%s", group);
    }
    return wanted;
}

static proof_row* next_row(proof* p, const char* what, va_list arguments) {
    if (p->row_count == p->row_capacity) {
        int32_t capacity = p->row_capacity > 0 ? 2 * p->row_capacity : 32;
        proof_row* rows = realloc(p->rows, (size_t)capacity * sizeof(*rows));
        if (rows == NULL) {
            p->full = true;
            return NULL;
        }
        p->rows = rows;
        p->row_capacity = capacity;
    }
    proof_row* row = &p->rows[p->row_count++];
    memset(row, 0, sizeof(*row));
    vsnprintf(row->what, sizeof(row->what), what, arguments);
    return row;
}

void proof_add(proof* p, bool ok, const char* aimed, const char* reached, const char* what, ...) {
    va_list arguments;
    va_start(arguments, what);
    proof_row* row = next_row(p, what, arguments);
    va_end(arguments);
    if (row != NULL) {
        snprintf(row->aimed, sizeof(row->aimed), "%s", aimed);
        snprintf(row->reached, sizeof(row->reached), "%s", reached);
        row->ok = ok;
    }
}

static void set_numbers(proof_row* row, bool ok, const char* word, double limit, double value, const char* unit) {
    if (row != NULL) {
        const char* space = unit[0] != 0 ? " " : "";
        snprintf(row->aimed, sizeof(row->aimed), "%s %.4g%s%s", word, limit, space, unit);
        snprintf(row->reached, sizeof(row->reached), "%.4g%s%s", value, space, unit);
        row->ok = ok; // NaN is neither at most nor at least anything
    }
}

void proof_at_most(proof* p, double limit, double value, const char* unit, const char* what, ...) {
    va_list arguments;
    va_start(arguments, what);
    set_numbers(next_row(p, what, arguments), value <= limit, "at most", limit, value, unit);
    va_end(arguments);
}

void proof_at_least(proof* p, double limit, double value, const char* unit, const char* what, ...) {
    va_list arguments;
    va_start(arguments, what);
    set_numbers(next_row(p, what, arguments), value >= limit, "at least", limit, value, unit);
    va_end(arguments);
}

void proof_same(proof* p, uint64_t aimed, uint64_t reached, const char* what, ...) {
    va_list arguments;
    va_start(arguments, what);
    proof_row* row = next_row(p, what, arguments);
    va_end(arguments);
    if (row != NULL) {
        snprintf(row->aimed, sizeof(row->aimed), "%016" PRIx64, aimed);
        snprintf(row->reached, sizeof(row->reached), "%016" PRIx64, reached);
        row->ok = aimed == reached;
    }
}

void proof_unmeasured(proof* p, const char* aimed, const char* why, const char* what, ...) {
    va_list arguments;
    va_start(arguments, what);
    proof_row* row = next_row(p, what, arguments);
    va_end(arguments);
    if (row != NULL) {
        snprintf(row->aimed, sizeof(row->aimed), "%s", aimed);
        snprintf(row->reached, sizeof(row->reached), "not measured: %s", why);
    }
}

// -- Samples

bool proof_sample(proof* p, const char* name, asset* a) {
    char glb[SAMPLE_PATH_MAX], recipe[SAMPLE_PATH_MAX], why[SAMPLE_PATH_MAX];
    if (!sample_find(&p->folders, name, glb, recipe, why)) {
        proof_unmeasured(p, "a sample", why, "%s", name);
        return false;
    }
    if (asset_load(a, glb, recipe) != COMMAND_OK) {
        proof_unmeasured(p, "a sample", "it does not compile", "%s", name);
        return false;
    }
    a->path = name;
    return true;
}

static const char* const STRANGERS[PROOF_STRANGERS][3] = {
    {"knight", "kaykit_Knight.glb", "knight_cape.json"},
    {"witch", "quaternius_Witch.gltf", "witch_skirt.json"},
    {"long_skirt", "decentraland_LongSkirt.glb", "long_skirt.json"},
    {"godette", "godette_vrm0.vrm", "godette_hair.json"},
    {"horse", "quaternius_Horse.glb", "horse_tail_mane.json"},
    {"rabbit", "quaternius_PlatformerCharacter.glb", "rabbit_ears.json"},
    {"yeti", "babylon_Yeti/Yeti.gltf", "yeti_belly_beard.json"},
};

const char* proof_stranger_name(int32_t i) {
    return STRANGERS[i][0];
}

const char* proof_stranger(proof* p, int32_t i, asset* a) {
    char model[SAMPLE_PATH_MAX], recipe[SAMPLE_PATH_MAX];
    snprintf(model, sizeof(model), "../shared/assets/%s", STRANGERS[i][1]);
    snprintf(recipe, sizeof(recipe), "tests/recipes/%s", STRANGERS[i][2]);
    if (!hem_file_exists(model) || !hem_file_exists(recipe)) {
        return NULL;
    }
    if (asset_load(a, model, recipe) != COMMAND_OK) {
        proof_unmeasured(p, "a character", "it does not compile", "%s", STRANGERS[i][0]);
        return NULL;
    }
    return STRANGERS[i][0];
}

int32_t proof_each_sample(proof* p, void (*visit)(proof* p, const char* name, asset* a, void* user), void* user) {
    hem_directory_list list;
    hem_file_error error;
    if (!hem_directory_read(p->folders.recipes, &list, &error)) {
        proof_unmeasured(p, "samples", error.text, "samples");
        return 0;
    }
    int32_t count = 0;
    for (size_t i = 0; i < list.count; i++) {
        char name[128];
        snprintf(name, sizeof(name), "%s", list.entries[i].name);
        char* extension = strrchr(name, '.');
        if (extension == NULL || strcmp(extension, ".json") != 0) {
            continue;
        }
        *extension = 0;
        count++;
        asset a;
        if (proof_sample(p, name, &a)) {
            visit(p, name, &a, user);
            asset_unload(&a);
        }
    }
    hem_directory_list_free(&list);
    if (count == 0) {
        proof_unmeasured(p, "samples", "the folder of recipes holds none", "samples");
    }
    return count;
}

// -- The command

static void print_names(FILE* out) {
    for (int32_t i = 0; i < PROOF_COUNT; i++) {
        fprintf(out, "  %-10s %s\n", PROOFS[i].name, PROOFS[i].about);
    }
}

static void print_table(const proof* p) {
    int what = 4, aimed = 5;
    for (int32_t i = 0; i < p->row_count; i++) {
        int w = (int)strlen(p->rows[i].what), a = (int)strlen(p->rows[i].aimed);
        what = w > what ? w : what;
        aimed = a > aimed ? a : aimed;
    }
    printf("          %-*s  %-*s  %s\n", what, "what", aimed, "aimed", "reached");
    for (int32_t i = 0; i < p->row_count; i++) {
        const proof_row* row = &p->rows[i];
        printf("  %-6s  %-*s  %-*s  %s\n", row->ok ? "ok" : "MISSED", what, row->what, aimed, row->aimed, row->reached);
    }
}

static void print_json(const proof* p) {
    json j = {stdout, 0, false};
    json_begin(&j, NULL, '[');
    for (int32_t i = 0; i < p->row_count; i++) {
        json_begin(&j, NULL, '{');
        json_text(&j, "what", p->rows[i].what);
        json_text(&j, "aimed", p->rows[i].aimed);
        json_text(&j, "reached", p->rows[i].reached);
        json_flag(&j, "ok", p->rows[i].ok);
        json_end(&j, '}');
    }
    json_end(&j, ']');
}

static int run(int32_t index, proof* p, bool as_json) {
    hem_progress_begin(&p->progress, stderr);
    PROOFS[index].measure(p);
    hem_progress_end(&p->progress);
    int32_t missed = p->row_count == 0 || p->full ? 1 : 0;
    for (int32_t i = 0; i < p->row_count; i++) {
        missed += !p->rows[i].ok;
    }
    if (as_json) {
        print_json(p);
    } else {
        print_table(p);
        printf("%s: %d of %d missed\n", PROOFS[index].name, (int)missed, (int)p->row_count);
    }
    free(p->rows);
    if (p->full) {
        return command_fail(COMMAND_INTERNAL, "no memory for all rows of the proof");
    }
    return missed != 0 ? COMMAND_MISSED : COMMAND_OK;
}

int command_prove(int argc, char** argv) {
    proof p = {.folders = sample_folders_default()};
    const char* name = NULL;
    int32_t name_count = 0;
    bool as_json = false;
    const char* soak = NULL;
    const option options[] = {
        {"--json", NULL, "print an array of {\"what\", \"aimed\", \"reached\", \"ok\"}", NULL, &as_json},
        {"--only", "TEXT", "groups of rows with this in their name: stops, clips/robe, extremes/a spin ...", &p.only,
         NULL},
        {"--soak", "SECONDS", "how long `sound` soaks each sample (default 2)", &soak, NULL},
        {"--bin", "FOLDER", "where hem_samples is (default build/bin)", &p.folders.bin, NULL},
        {"--samples", "FOLDER", "sample characters, made there when missing (default build/samples)",
         &p.folders.samples, NULL},
        {"--recipes", "FOLDER", "their recipes (default samples)", &p.folders.recipes, NULL},
    };
    const option_table table = {
        "hem prove [NAME] [options]",
        "Measures what was promised and prints it beside the promise; without a name, lists the proofs there are.",
        options,
        (int32_t)(sizeof(options) / sizeof(options[0])),
        &name,
        1,
        &name_count};
    int code = options_parse(&table, argc, argv);
    if (code >= 0) {
        return code;
    }
    if (name_count == 0) {
        print_names(stdout);
        return COMMAND_OK;
    }
    p.seconds = soak != NULL ? strtod(soak, NULL) : 2.0;
    if (!(p.seconds >= 0.0 && p.seconds <= 1e6)) {
        return command_fail(COMMAND_USAGE, "--soak is %s: must be seconds, 0 to 1000000", soak);
    }
    for (int32_t i = 0; i < PROOF_COUNT; i++) {
        if (strcmp(PROOFS[i].name, name) == 0) {
            return run(i, &p, as_json);
        }
    }
    command_fail(COMMAND_USAGE, "no proof is called '%s'; there are:", name);
    print_names(stderr);
    return COMMAND_USAGE;
}
