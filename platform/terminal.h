// SPDX-License-Identifier: MIT
#ifndef HEM_PLATFORM_TERMINAL_H
#define HEM_PLATFORM_TERMINAL_H

// What a tool may do to the screen: colour and one progress line, on terminals only. In a pipe or a log file the same
// calls print nothing extra, so output stays the same bytes wherever it goes.

#include "platform/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

bool hem_terminal_is(FILE* stream);
int hem_terminal_width(FILE* stream); // columns; 80 when unknown

// True on a terminal unless NO_COLOR is set and not empty, or TERM is "dumb".
bool hem_terminal_has_colour(FILE* stream);

// Text that came from a file, safe to show: what a terminal would obey (control codes, DEL, the C1 range of UTF-8) and
// bytes that are not UTF-8 become \xNN. Cut where `out` is full. Returns out.
const char* hem_printable(char* out, size_t out_size, const char* text);

typedef enum hem_style {
    HEM_STYLE_NONE, // back to normal
    HEM_STYLE_BOLD,
    HEM_STYLE_DIM,
    HEM_STYLE_RED,
    HEM_STYLE_GREEN,
    HEM_STYLE_YELLOW,
    HEM_STYLE_BLUE,
} hem_style;

// The escape sequence to print, or "" when this stream gets no colour.
const char* hem_terminal_style(FILE* stream, hem_style style);

// One line that is rewritten in place and gone at the end. Not for two threads at once.
typedef struct hem_progress {
    FILE* stream;
    int width;           // 0: not a terminal, say nothing
    bool shown;          // there is a line to erase
    double last_seconds; // of the last redraw
} hem_progress;

void hem_progress_begin(hem_progress* progress, FILE* stream);

// At most about 20 redraws a second reach the terminal; the text is cut to the width. Print ordinary lines only after
// hem_progress_clear, or the two run together.
void hem_progress_show(hem_progress* progress, const char* format, ...) HEM_PRINTF(2, 3);
void hem_progress_clear(hem_progress* progress);
void hem_progress_end(hem_progress* progress);

#endif
