// SPDX-License-Identifier: MIT
#include "tools/command.h"
#include "tools/options.h"
#include "hem/hem.h"

#if defined(__has_include)
#if __has_include("tools/bench.h")
#include "tools/bench.h"
#define WITH_BENCH 1
#endif
#endif

#include <stdio.h>
#include <string.h>

// `hem`: one program, several tools. See docs/ for what each is for; `hem COMMAND --help` for how to call it.

typedef struct command {
    const char* name;
    int (*function)(int argc, char** argv);
    const char* about;
} command;

static const command COMMANDS[] = {
    {"inspect", command_inspect, "show what is inside a .hem file"},
    {"list", command_list, "show what a glTF holds, by the names that a recipe uses"},
    {"play", command_play, "simulate a clip, measure it, draw it as strip, film or curves"},
    {"sheet", command_sheet, "draw a contact sheet of characters and their clips"},
    {"figure", command_figure, "draw one of the explaining figures"},
    {"prove", command_prove, "measure what was promised"},
    {"calibrate", command_calibrate, "measure what work costs on this machine, for a time budget"},
#if WITH_BENCH
    {"bench", hem_bench_main, "measure speed"},
#endif
};
enum { COMMAND_COUNT = sizeof(COMMANDS) / sizeof(COMMANDS[0]) };

static void print_help(FILE* out) {
    fprintf(out, "usage: hem COMMAND [arguments]\n\ncommands:\n");
    for (int32_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-10s %s\n", COMMANDS[i].name, COMMANDS[i].about);
    }
    fprintf(
        out,
        "\n'hem COMMAND --help' says more. Exit codes: 0 good, 1 missed, 2 usage, 3 input, 4 validation, 5 writing, 70 "
        "internal.\n");
}

int main(int argc, char** argv) {
    if (argc < 2) {
        print_help(stderr);
        return COMMAND_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return COMMAND_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("hem %s\n", HEM_VERSION);
        return COMMAND_OK;
    }
    const char* names[COMMAND_COUNT];
    for (int32_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = COMMANDS[i].name;
        if (strcmp(argv[1], names[i]) == 0) {
            return COMMANDS[i].function(argc - 1, argv + 1);
        }
    }
    const char* near = option_nearest(argv[1], names, COMMAND_COUNT);
    return near != NULL ? command_fail(COMMAND_USAGE, "no command '%s'; did you mean '%s'?", argv[1], near)
                        : command_fail(COMMAND_USAGE, "no command '%s'; 'hem --help' lists them", argv[1]);
}
