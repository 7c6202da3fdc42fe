// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"
#include "compiler/driver/lattice_files.h"

#include "platform/file.h"
#include "platform/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The command line. Options may stand anywhere, a value may follow its option or be joined with '='; @file inserts the
// words of a response file. A wrong word is answered with the nearest right one.

static const char help_text[] =
    "hemc " HEMC_VERSION ": compiles a rigged glTF and a recipe into a .hem, the particle mesh that moves it\n"
    "\n"
    "  hemc INPUT -o OUT.hem [options]            one asset (.glb, .gltf, .vrm)\n"
    "  hemc --batch LIST.json [-j N] [options]    many assets, in parallel\n"
    "  hemc mesh INPUT -o OUT.hemmesh [options]   triangles to collide with: a table, stairs, a horse\n"
    "  hemc lattice export|mesh|inverse|check ... a lattice to a modelling tool and back (docs/lattices.md)\n"
    "\n"
    "  -o, --output FILE     the .hem to write\n"
    "  -r, --recipe FILE     what moves and what it is made of (docs/recipe.md). Without it: recipe keys in the "
    "glTF's\n"
    "                        extras; without those: automatic, by names, bones and shape\n"
    "      --report FILE     JSON: counts, sizes, memory, timings, messages (docs/report.md)\n"
    "      --picture FILE    PNG of the result: particles, links, blend weights, from two sides\n"
    "      --depfile FILE    what the output came from, for make and ninja\n"
    "      --cache DIR       reuse results of equal inputs; may be shared by many processes and machines\n"
    "      --ship            leave out what the runtime does not need: triangles, colours, clips, and meshes that no\n"
    "                        particle moves; --ship=all keeps all meshes\n"
    "      --scale NUMBER    metres per unit of the input; else as the recipe says, or as size and names tell\n"
    "      --print-recipe[=FILE]  write what automatic mode decided as a recipe to edit, to stdout or FILE; compiled\n"
    "                        again it gives the same bytes. No -o is needed\n"
    "      --preflight       play every clip of the result (or test motions), grade what is seen A to F, and say what "
    "to\n"
    "                        change; a grade below the recipe's \"accept\" (default C) is a warning\n"
    "      --target FILE     costs of a machine (hem calibrate -o FILE): the report predicts microseconds per clip and "
    "level;\n"
    "                        may be given several times. Over the recipe's \"budget\" is a warning\n"
    "      --strict          warnings are errors\n"
    "      --two-sided       mesh: a sheet that holds from both sides; else what is behind it is inside\n"
    "      --skinned         mesh: it follows the bones of the glTF\n"
    "      --height LOW,HIGH mesh: INPUT is a grey PNG, a height field; metres of black and of white\n"
    "      --cell METRES     with --height: between two pixels; or two numbers, along x and z\n"
    "  -q, --quiet           errors only            -v, --verbose    notes too\n"
    "  -j, --jobs N          threads of a batch (default: one per processor)\n"
    "      --batch LIST      a JSON array of {\"input\", \"recipe\", \"output\", \"report\", \"depfile\"}, paths "
    "relative to it\n"
    "      @FILE             more arguments from a file, separated by blanks or lines; quotes hold blanks together\n"
    "  -h, --help            this                       --version\n"
    "\n"
    "Examples\n"
    "  hemc knight.glb -o knight.hem -v                      see what automatic mode finds, and why\n"
    "  hemc knight.glb -r cape.json -o knight.hem --report knight.json\n"
    "  hemc knight.glb -r cape.json -o knight.hem --depfile knight.d --cache /var/cache/hem --ship --strict\n"
    "  hemc --batch characters.json -j 8 | grep '\"exit\": 3'   which assets are wrong\n"
    "\n"
    "A first recipe\n"
    "  { \"version\": 1, \"parts\": [ { \"name\": \"cape\", \"select\": { \"node\": \"*Cape*\" }, \"material\": "
    "\"wool\" } ] }\n"
    "\n"
    "Exit codes\n"
    "  0 done   2 wrong command line   3 the glTF or the recipe is wrong   4 --strict, or the result is not valid\n"
    "  5 a file cannot be read or written   70 a fault of hemc itself   71 out of memory\n";

static const char* const options_known[] = {
    "--output", "--recipe",  "--report", "--picture",   "--depfile",      "--cache",   "--ship",      "--strict",
    "--quiet",  "--verbose", "--jobs",   "--batch",     "--help",         "--version", "--two-sided", "--skinned",
    "--height", "--cell",    "--scale",  "--preflight", "--print-recipe", "--target"};

typedef struct words {
    char** items;
    size_t count, capacity;
    hemc_arena* arena;
    struct words* responses; // the names of response files
} words;

static void add_word(words* list, const char* text, size_t length) {
    list->items = hemc_grow(list->arena, list->items, &list->capacity, list->count + 1, sizeof(char*));
    list->items[list->count++] = hemc_copy_string(list->arena, text, length);
}

// Blanks separate, "..." and '...' hold together; \" and \\ inside double quotes.
static bool split_response(words* list, const char* text, size_t size) {
    size_t at = 0;
    while (at < size) {
        if (strchr(" \t\r\n", text[at]) != NULL) {
            ++at;
            continue;
        }
        hemc_text word = {.arena = list->arena};
        hemc_text_bytes(&word, "", 0);
        char quote = 0;
        while (at < size && (quote != 0 || strchr(" \t\r\n", text[at]) == NULL)) {
            char c = text[at++];
            if (quote == 0 && (c == '"' || c == '\'')) {
                quote = c;
            } else if (quote != 0 && c == quote) {
                quote = 0;
            } else if (quote == '"' && c == '\\' && at < size && (text[at] == '"' || text[at] == '\\')) {
                hemc_text_bytes(&word, &text[at++], 1);
            } else {
                hemc_text_bytes(&word, &c, 1);
            }
        }
        if (quote != 0) {
            return false;
        }
        add_word(list, word.data, word.size);
    }
    return true;
}

static bool expand(words* list, const char* argument, int depth) {
    if (argument[0] != '@' || argument[1] == 0) {
        add_word(list, argument, strlen(argument));
        return true;
    }
    uint8_t* text;
    size_t size;
    if (depth > 8) {
        fprintf(stderr, "hemc: error: response files are nested too deeply at %s\n", argument);
        return false;
    }
    if (!hemc_read_file(list->arena, argument + 1, &text, &size)) {
        fprintf(stderr, "hemc: error: cannot read the response file %s\n", argument + 1);
        return false;
    }
    add_word(list->responses, argument + 1, strlen(argument + 1));
    words inner = {.arena = list->arena};
    if (!split_response(&inner, (const char*)text, size)) {
        fprintf(stderr, "hemc: error: a quote in the response file %s has no end\n", argument + 1);
        return false;
    }
    for (size_t i = 0; i < inner.count; ++i) {
        if (!expand(list, inner.items[i], depth + 1)) {
            return false;
        }
    }
    return true;
}

static int usage(const char* text, const char* word) {
    fprintf(stderr, "hemc: error: %s%s%s\nhemc --help explains the options\n", text, word != NULL ? " " : "",
            word != NULL ? word : "");
    return HEMC_USAGE;
}

static int unknown(const char* word) {
    const char* best = NULL;
    uint32_t best_distance = 4;
    for (size_t i = 0; i < sizeof(options_known) / sizeof(options_known[0]); ++i) {
        uint32_t d = hemc_edit_distance(word, options_known[i]);
        if (d < best_distance) {
            best = options_known[i];
            best_distance = d;
        }
    }
    fprintf(stderr, "hemc: error: unknown option %s%s%s%s\nhemc --help explains the options\n", word,
            best != NULL ? "; did you mean " : "", best != NULL ? best : "", best != NULL ? "?" : "");
    return HEMC_USAGE;
}

typedef struct command {
    hemc_job job;
    const char* batch;
    const char* scale;
    uint32_t jobs;
    const char* target; // the last
    const char* targets[16];
    bool help, version;
    bool mesh, two_sided, skinned;
    const char *height, *cell;
    float heights[2], cells[2];
} command;

static int parse_scale(command* out) {
    double scale = 0;
    const size_t size = strlen(out->scale);
    if (hemc_parse_number(out->scale, size, &scale) != size || !(scale > 1e-6) || !(scale <= 1e6)) {
        return usage("--scale takes metres per unit, above 0.000001 to 1000000, not", out->scale);
    }
    out->job.scale = (float)scale;
    return HEMC_OK;
}

// Two numbers with a comma between; or one, which is both, where that is allowed. Returns whether it is that.
static bool parse_two(const char* text, bool one_is_both, float two[2]) {
    double a = 0, b = 0;
    const size_t size = strlen(text), first = hemc_parse_number(text, size, &a);
    b = a;
    if (first == 0 || (text[first] != ',' && !(one_is_both && first == size))) {
        return false;
    }
    if (first < size) {
        const size_t left = size - first - 1;
        if (left == 0 || hemc_parse_number(text + first + 1, left, &b) != left) {
            return false;
        }
    }
    two[0] = (float)a;
    two[1] = (float)b;
    return true;
}

static int parse_numbers(command* out) {
    const float most = 1e5f, least = 1e-4f;
    if (out->height != NULL) {
        const float* h = out->heights;
        if (!parse_two(out->height, false, out->heights) || !(h[0] >= -most && h[1] <= most && h[0] < h[1])) {
            return usage("--height takes the metres of black and of white, the second above the first, as -5,80, not",
                         out->height);
        }
    }
    if (out->cell != NULL) {
        const float* c = out->cells;
        if (!parse_two(out->cell, true, out->cells) ||
            !(c[0] >= least && c[1] >= least && c[0] <= most && c[1] <= most)) {
            return usage("--cell takes the metres between two pixels, from 0.0001, as 0.5 or 0.5,1, not", out->cell);
        }
    }
    return out->scale != NULL ? parse_scale(out) : HEMC_OK;
}

static int parse(const words* list, command* out) {
    for (size_t i = 0; i < list->count; ++i) {
        char* word = list->items[i];
        if (i == 0 && strcmp(word, "mesh") == 0) {
            out->mesh = true;
            continue;
        }
        if (word[0] != '-' || word[1] == 0) {
            if (out->job.input != NULL) {
                return usage("more than one input:", word);
            }
            out->job.input = word;
            continue;
        }
        char* joined = word[1] == '-' ? strchr(word, '=') : NULL;
        if (joined != NULL) {
            *joined++ = 0;
        }
        struct {
            const char* small;
            const char* name;
            const char** value;
        } takers[] = {{"-o", "--output", &out->job.output},
                      {"-r", "--recipe", &out->job.recipe},
                      {"", "--report", &out->job.report},
                      {"", "--picture", &out->job.picture},
                      {"", "--depfile", &out->job.depfile},
                      {"", "--cache", &out->job.cache},
                      {"", "--batch", &out->batch},
                      {"", "--scale", &out->scale},
                      {"", "--target", &out->target},
                      {"", "--height", &out->height},
                      {"", "--cell", &out->cell}};
        struct {
            const char* small;
            const char* name;
            bool* flag;
        } flags[] = {{"", "--ship", &out->job.ship},           {"", "--strict", &out->job.strict},
                     {"", "--preflight", &out->job.preflight}, {"", "--two-sided", &out->two_sided},
                     {"", "--skinned", &out->skinned},         {"-h", "--help", &out->help},
                     {"", "--version", &out->version}};
        bool known = false;
        for (size_t k = 0; k < sizeof(takers) / sizeof(takers[0]) && !known; ++k) {
            if (strcmp(word, takers[k].small) != 0 && strcmp(word, takers[k].name) != 0) {
                continue;
            }
            known = true;
            if (joined == NULL && i + 1 >= list->count) {
                return usage("a value must follow", word);
            }
            *takers[k].value = joined != NULL ? joined : list->items[++i];
            if ((*takers[k].value)[0] == 0) {
                return usage("an empty value for", word);
            }
            if (takers[k].value == &out->target) {
                if (out->job.target_count == sizeof(out->targets) / sizeof(out->targets[0])) {
                    return usage("at most 16 times:", word);
                }
                out->targets[out->job.target_count++] = out->target;
            }
        }
        if (strcmp(word, "--print-recipe") == 0) {
            if (joined != NULL && *joined == 0) {
                return usage("an empty value for", word);
            }
            out->job.print_recipe = joined != NULL ? joined : "-";
            known = true;
        }
        for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]) && !known; ++k) {
            if (strcmp(word, flags[k].small) == 0 || strcmp(word, flags[k].name) == 0) {
                bool all = flags[k].flag == &out->job.ship && joined != NULL && strcmp(joined, "all") == 0;
                if (joined != NULL && !all) {
                    return usage(flags[k].flag == &out->job.ship ? "only \"all\" goes with" : "no value goes with",
                                 word);
                }
                out->job.ship_all = out->job.ship_all || all;
                known = true;
                *flags[k].flag = true;
            }
        }
        if (!known && (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0)) {
            out->job.verbosity = -1;
        } else if (!known && (strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0)) {
            out->job.verbosity = 1;
        } else if (!known && (strncmp(word, "-j", 2) == 0 || strcmp(word, "--jobs") == 0)) {
            bool tight = word[1] == 'j' && word[2] != 0;
            const char* text = joined != NULL ? joined : tight ? word + 2 : i + 1 < list->count ? list->items[++i] : "";
            double n = 0;
            size_t used = hemc_parse_number(text, strlen(text), &n);
            if (used == 0 || text[used] != 0 || !(n >= 1) || !(n <= 256) || n != (double)(uint32_t)n) {
                return usage("-j takes a number from 1 to 256, not", text);
            }
            out->jobs = (uint32_t)n;
        } else if (!known) {
            return unknown(word);
        }
    }
    out->job.targets = out->targets;
    return parse_numbers(out);
}

static int check(const command* c) {
    if (c->batch != NULL && c->mesh) {
        return usage("--batch compiles characters; call hemc mesh for each mesh", NULL);
    }
    if (c->batch != NULL) {
        if (c->job.input != NULL || c->job.output != NULL || c->job.recipe != NULL || c->job.report != NULL ||
            c->job.depfile != NULL || c->job.picture != NULL || c->job.print_recipe != NULL) {
            return usage("--batch takes inputs and outputs from its list, not from the command line", NULL);
        }
        return HEMC_OK;
    }
    if (!c->mesh && (c->two_sided || c->skinned)) {
        return usage("--two-sided and --skinned go with: hemc mesh", NULL);
    }
    if (!c->mesh && (c->height != NULL || c->cell != NULL)) {
        return usage("--height and --cell go with: hemc mesh", NULL);
    }
    if ((c->height != NULL) != (c->cell != NULL)) {
        return usage(c->height != NULL ? "--height needs --cell: how many metres are between two pixels?"
                                       : "--cell goes with --height",
                     NULL);
    }
    if (c->height != NULL && c->skinned) {
        return usage("a height field follows no bones: --skinned does not go with --height", NULL);
    }
    if (c->mesh && c->job.target_count != 0) {
        return usage("hemc mesh takes no --target", NULL);
    }
    if (c->mesh && c->scale != NULL) {
        return usage("hemc mesh takes no --scale", NULL);
    }
    if (c->mesh && (c->job.recipe != NULL || c->job.picture != NULL || c->job.cache != NULL || c->job.ship ||
                    c->job.print_recipe != NULL)) {
        return usage("hemc mesh takes no --recipe, --picture, --cache, --ship or --print-recipe", NULL);
    }
    if (c->mesh && c->job.input == NULL) {
        return usage("no input; try: hemc mesh table.glb -o table.hemmesh", NULL);
    }
    if (c->job.input == NULL) {
        return usage("no input; try: hemc character.glb -o character.hem", NULL);
    }
    if (c->job.output == NULL && c->job.report == NULL && c->job.picture == NULL && c->job.print_recipe == NULL) {
        return usage("no output; add -o OUT.hem", NULL);
    }
    if (c->jobs != 0) {
        return usage("-j goes with --batch", NULL);
    }
    return HEMC_OK;
}

static int run_mesh(const command* c) {
    hemc_mesh_job job = {.input = c->job.input,
                         .output = c->job.output,
                         .report = c->job.report,
                         .depfile = c->job.depfile,
                         .two_sided = c->two_sided,
                         .skinned = c->skinned,
                         .field = c->height != NULL,
                         .heights = {c->heights[0], c->heights[1]},
                         .cell = {c->cells[0], c->cells[1]},
                         .strict = c->job.strict,
                         .verbosity = c->job.verbosity,
                         .responses = c->job.responses};
    return hemc_mesh_run(&job, NULL, NULL);
}

int hemc_main(int argc, char** argv) {
    hemc_arena* arena = hemc_arena_create();
    if (arena == NULL || setjmp(*hemc_arena_guard(arena)) != 0) {
        fputs(hemc_no_memory, stderr);
        hemc_arena_destroy(arena);
        return HEMC_MEMORY;
    }
    words responses = {.arena = arena}, list = {.arena = arena, .responses = &responses};
    command c = {0};
    int code = HEMC_OK;
    for (int i = 1; i < argc && code == HEMC_OK; ++i) {
        code = expand(&list, argv[i], 0) ? HEMC_OK : HEMC_IO;
    }
    responses.items = hemc_grow(arena, responses.items, &responses.capacity, responses.count + 1, sizeof(char*));
    responses.items[responses.count] = NULL;
    c.job.responses = (const char* const*)responses.items;
    if (code == HEMC_OK && list.count > 0 && strcmp(list.items[0], "lattice") == 0) {
        code = hemc_lattice_run(arena, (int)list.count - 1, list.items + 1, c.job.responses);
        hemc_arena_destroy(arena);
        return code;
    }
    code = code == HEMC_OK ? parse(&list, &c) : code;
    if (code == HEMC_OK && (c.help || (argc <= 1))) {
        fputs(help_text, argc <= 1 ? stderr : stdout);
        code = argc <= 1 ? HEMC_USAGE : HEMC_OK;
    } else if (code == HEMC_OK && c.version) {
        printf("hemc %s (format %u)\n", HEMC_VERSION, HEM_FORMAT_VERSION);
    } else if (code == HEMC_OK) {
        code = check(&c);
        if (code == HEMC_OK) {
            code = c.batch != NULL ? hemc_batch_run(c.batch, c.jobs, &c.job) : c.mesh ? run_mesh(&c) : hemc_run(&c.job);
        }
    }
    hemc_arena_destroy(arena);
    return code;
}
