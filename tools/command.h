// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_COMMAND_H
#define HEM_TOOLS_COMMAND_H

// The subcommands of `hem`. Each gets the arguments after its own name in argv[1..] and returns an exit code.

#include "platform/base.h"

typedef enum command_exit {
    COMMAND_OK = 0,
    COMMAND_USAGE = 2,      // the command line is wrong
    COMMAND_INPUT = 3,      // a file cannot be read or is not what it should be
    COMMAND_VALIDATION = 4, // a file was read and found damaged or failing
    COMMAND_IO = 5,         // a result could not be written
    COMMAND_INTERNAL = 70,  // no memory, or a fault of ours
} command_exit;

int command_inspect(int argc, char** argv);
int command_play(int argc, char** argv);
int command_sheet(int argc, char** argv);
int command_figure(int argc, char** argv);

// "hem: error: ..." on stderr; returns `code`, so that it can be returned at once.
int command_fail(int code, const char* format, ...) HEM_PRINTF(2, 3);
// Before long work: is there a folder to write `path` into? NULL is fine. Says so and returns an exit code, or 0.
int command_check_output(const char* path);
void command_warn(const char* format, ...) HEM_PRINTF(1, 2);

#endif
