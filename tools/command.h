// SPDX-License-Identifier: MIT
#ifndef HEM_TOOLS_COMMAND_H
#define HEM_TOOLS_COMMAND_H

// The subcommands of `hem`. Each gets the arguments after its own name in argv[1..] and returns an exit code.

#include "platform/base.h"

#include <stdint.h>

typedef enum command_exit {
    COMMAND_OK = 0,
    COMMAND_MISSED = 1,     // measured, and not what was aimed at
    COMMAND_USAGE = 2,      // the command line is wrong
    COMMAND_INPUT = 3,      // a file cannot be read or is not what it should be
    COMMAND_VALIDATION = 4, // a file was read and found damaged or failing
    COMMAND_IO = 5,         // a result could not be written
    COMMAND_INTERNAL = 70,  // no memory, or a fault of ours
} command_exit;

int command_inspect(int argc, char** argv);
int command_list(int argc, char** argv);
int command_play(int argc, char** argv);
int command_sheet(int argc, char** argv);
int command_figure(int argc, char** argv);
int command_prove(int argc, char** argv);
int command_calibrate(int argc, char** argv);

// "hem: error: ..." on stderr; returns `code`, so that it can be returned at once.
int command_fail(int code, const char* format, ...) HEM_PRINTF(2, 3);
// Before long work: can each output be written, and is none of them an input or another output, however it is spelt? NULL
// entries are fine. Says what is wrong and returns an exit code, or 0.
int command_check_outputs(const char* const* outputs, int32_t output_count, const char* const* inputs,
                          int32_t input_count);
void command_warn(const char* format, ...) HEM_PRINTF(1, 2);

#endif
