// SPDX-License-Identifier: MIT
#include "tools/command.h"
#include "platform/file.h"

#include <stdarg.h>
#include <stdio.h>

int command_fail(int code, const char* format, ...) {
    va_list list;
    va_start(list, format);
    fputs("hem: error: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return code;
}

int command_check_output(const char* path) {
    char folder[1024];
    if (path == NULL || !hem_path_directory(folder, sizeof(folder), path) || hem_directory_exists(folder)) {
        return COMMAND_OK;
    }
    return command_fail(COMMAND_IO, "cannot write '%s': there is no folder '%s'", path, folder);
}

void command_warn(const char* format, ...) {
    va_list list;
    va_start(list, format);
    fputs("hem: warning: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}
