// SPDX-License-Identifier: MIT
// Escape sequences are the ECMA-48 ones every terminal since the VT100 knows; Windows consoles are asked to know them.
#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE // TIOCGWINSZ
#endif
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "platform/terminal.h"
#include "platform/clock.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define REDRAW_SECONDS 0.05
#define DEFAULT_WIDTH 80

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <io.h>

static HANDLE console_of(FILE* stream) {
    return (HANDLE)_get_osfhandle(_fileno(stream));
}

bool hem_terminal_is(FILE* stream) {
    DWORD mode;
    return GetConsoleMode(console_of(stream), &mode) &&
           SetConsoleMode(console_of(stream), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

int hem_terminal_width(FILE* stream) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (GetConsoleScreenBufferInfo(console_of(stream), &info)) {
        return info.srWindow.Right - info.srWindow.Left + 1;
    }
    return DEFAULT_WIDTH;
}

#else

#include <unistd.h>
#if !defined(__wasi__)
#include <sys/ioctl.h>
#endif

bool hem_terminal_is(FILE* stream) {
    return isatty(fileno(stream)) == 1;
}

int hem_terminal_width(FILE* stream) {
#if defined(TIOCGWINSZ)
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
#else
    (void)stream;
#endif
    return DEFAULT_WIDTH;
}

#endif

static bool is_dumb(void) {
    const char* term = getenv("TERM");
    return term != NULL && strcmp(term, "dumb") == 0;
}

bool hem_terminal_has_colour(FILE* stream) {
    const char* refusal = getenv("NO_COLOR");
    return !(refusal != NULL && refusal[0] != 0) && !is_dumb() && hem_terminal_is(stream);
}

const char* hem_terminal_style(FILE* stream, hem_style style) {
    static const char* const codes[] = {"\033[0m",  "\033[1m",  "\033[2m", "\033[31m",
                                        "\033[32m", "\033[33m", "\033[34m"};
    return (size_t)style < HEM_COUNT_OF(codes) && hem_terminal_has_colour(stream) ? codes[style] : "";
}

void hem_progress_begin(hem_progress* progress, FILE* stream) {
    progress->stream = stream;
    progress->width = hem_terminal_is(stream) && !is_dumb() ? hem_terminal_width(stream) : 0;
    progress->shown = false;
    progress->last_seconds = -1.0;
}

// One column per code point is near enough for a status line. Controls would break it up and become spaces.
static void cut_to_width(char* text, int width) {
    int columns = 0;
    for (char* p = text; *p != 0; ++p) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f) {
            *p = ' ';
        }
        if (((unsigned char)*p & 0xc0) != 0x80 && ++columns > width) {
            *p = 0;
            return;
        }
    }
}

// Bytes of the UTF-8 character at p, 0 = it is none (cut off, overlong, a surrogate, too large).
static size_t character_size(const unsigned char* p) {
    size_t size = p[0] < 0x80                   ? 1
                  : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                  : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                  : p[0] < 0xf5                 ? 4
                                                : 0;
    if (p[0] >= 0x80 && p[0] < 0xc2) {
        return 0;
    }
    for (size_t i = 1; i < size; ++i) {
        if ((p[i] & 0xc0) != 0x80) { // a zero ends the loop here
            return 0;
        }
    }
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
        (p[0] == 0xf4 && p[1] >= 0x90)) {
        return 0;
    }
    return size;
}

const char* hem_printable(char* out, size_t out_size, const char* text) {
    const unsigned char* p = (const unsigned char*)text;
    size_t at = 0;
    while (*p != 0) {
        size_t size = character_size(p);
        bool obeyed = size == 0 || p[0] < 0x20 || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0);
        size_t count = size == 0 ? 1 : size, room = obeyed ? 4 * count : count;
        if (at + room >= out_size) {
            break;
        }
        for (size_t i = 0; i < count; ++i) {
            at += (size_t)snprintf(out + at, out_size - at, obeyed ? "\\x%02x" : "%c", p[i]);
        }
        p += count;
    }
    if (out_size > 0) {
        out[at] = 0;
    }
    return out;
}

void hem_progress_show(hem_progress* progress, const char* format, ...) {
    if (progress->width <= 1) {
        return;
    }
    double now = hem_clock_seconds();
    if (progress->last_seconds >= 0.0 && now - progress->last_seconds < REDRAW_SECONDS) {
        return;
    }
    progress->last_seconds = now;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cut_to_width(text, progress->width - 1); // a full line would wrap
    fprintf(progress->stream, "\r%s\033[K", text);
    fflush(progress->stream);
    progress->shown = true;
}

void hem_progress_clear(hem_progress* progress) {
    if (progress->shown) {
        fputs("\r\033[K", progress->stream);
        fflush(progress->stream);
        progress->shown = false;
    }
}

void hem_progress_end(hem_progress* progress) {
    hem_progress_clear(progress);
    progress->width = 0;
}
