// SPDX-License-Identifier: MIT
#include "tools/command.h"
#include "compiler/hemc.h"
#include "platform/file.h"
#include "platform/terminal.h"

#include <stdarg.h>
#include <stdio.h>

// Messages hold names out of files and paths.
static void say(const char* kind, const char* format, va_list list) {
    char raw[4096], text[8192];
    vsnprintf(raw, sizeof(raw), format, list);
    fprintf(stderr, "hem: %s: %s\n", kind, hem_printable(text, sizeof(text), raw));
}

int command_fail(int code, const char* format, ...) {
    va_list list;
    va_start(list, format);
    say("error", format, list);
    va_end(list);
    return code;
}

static bool same_place(const char* a, const char* b) {
    hem_file_place one, two;
    return a != NULL && b != NULL && hem_file_place_of(a, &one) && hem_file_place_of(b, &two) &&
           hem_file_place_equal(&one, &two) &&
           (hem_file_is_regular(a) || !hem_file_exists(a)); // /dev/null may be named twice
}

int command_check_outputs(const char* const* outputs, int32_t output_count, const char* const* inputs,
                          int32_t input_count) {
    for (int32_t i = 0; i < output_count; i++) {
        hem_file_error error;
        for (int32_t k = 0; k < input_count; k++) {
            if (outputs[i] != NULL && inputs[k] != NULL && hemc_reads(inputs[k], outputs[i])) {
                return command_fail(COMMAND_USAGE, "'%s' would overwrite the input '%s' or a file that it names",
                                    outputs[i], inputs[k]);
            }
        }
        for (int32_t k = 0; k < i; k++) {
            if (same_place(outputs[i], outputs[k])) {
                return command_fail(COMMAND_USAGE, "two outputs are the same file: '%s' and '%s'", outputs[k],
                                    outputs[i]);
            }
        }
        if (outputs[i] != NULL && !hem_file_can_write(outputs[i], &error)) {
            return command_fail(COMMAND_IO, "%s", error.text);
        }
    }
    return COMMAND_OK;
}

void command_warn(const char* format, ...) {
    va_list list;
    va_start(list, format);
    say("warning", format, list);
    va_end(list);
}
