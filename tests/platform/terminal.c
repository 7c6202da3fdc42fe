// SPDX-License-Identifier: MIT
// platform/terminal.h: silence in a file, and on a terminal (a pseudo terminal made here) one line that cleans up.
#if !defined(_WIN32) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700 // posix_openpt
#endif
#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE // TIOCSWINSZ
#endif

#include "tests/platform/suites.h"
#include "platform/clock.h"
#include "platform/file.h"
#include "platform/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST a_file_gets_no_escapes_and_no_progress(void) {
    char name[512];
    ASSERT(hem_file_temp_name(name, sizeof name, "hem_test_terminal"));
    FILE* file = fopen(name, "wb");
    if (file == NULL) {
        SKIPm("no temporary directory");
    }
    ASSERT(!hem_terminal_is(file) && !hem_terminal_has_colour(file));
    ASSERT_EQ(80, hem_terminal_width(file));
    ASSERT_STR_EQ("", hem_terminal_style(file, HEM_STYLE_RED));
    hem_progress progress;
    hem_progress_begin(&progress, file);
    hem_progress_show(&progress, "compiling %d of %d", 1, 2);
    hem_progress_clear(&progress);
    hem_progress_end(&progress);
    fputs("plain", file);
    fclose(file);
    hem_bytes bytes;
    ASSERT(hem_file_read(name, &bytes, NULL));
    ASSERT_STR_EQ("plain", (const char*)bytes.data);
    hem_bytes_free(&bytes);
    hem_file_remove(name, NULL);
    PASS();
}

#if !defined(_WIN32) && !defined(__wasi__)

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

typedef struct pseudo {
    int master;
    FILE* stream;
} pseudo;

static bool pseudo_open(pseudo* p, int columns) {
    p->stream = NULL;
    p->master = posix_openpt(O_RDWR | O_NOCTTY);
    if (p->master < 0) {
        return false;
    }
    int handle = grantpt(p->master) == 0 && unlockpt(p->master) == 0 ? open(ptsname(p->master), O_RDWR | O_NOCTTY) : -1;
    if (handle < 0) {
        close(p->master);
        return false;
    }
    struct winsize size;
    memset(&size, 0, sizeof size);
    size.ws_row = 24;
    size.ws_col = (unsigned short)columns;
    ioctl(handle, TIOCSWINSZ, &size);
    p->stream = fdopen(handle, "w");
    return p->stream != NULL;
}

static void pseudo_read(pseudo* p, char* out, size_t out_size) {
    fflush(p->stream);
    fcntl(p->master, F_SETFL, O_NONBLOCK);
    ssize_t got = read(p->master, out, out_size - 1);
    out[got > 0 ? got : 0] = 0;
}

static void pseudo_close(pseudo* p) {
    fclose(p->stream);
    close(p->master);
}

TEST a_terminal_gets_one_line_that_goes_away(void) {
    pseudo p;
    if (!pseudo_open(&p, 20)) {
        SKIPm("no pseudo terminal here");
    }
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    char out[512];
    ASSERT(hem_terminal_is(p.stream));
    ASSERT_EQ(20, hem_terminal_width(p.stream));
    hem_progress progress;
    hem_progress_begin(&progress, p.stream);
    hem_progress_show(&progress, "one\ntwo");
    pseudo_read(&p, out, sizeof out);
    ASSERT_STR_EQ("\rone two\033[K", out); // a newline would break the line up
    hem_progress_show(&progress, "too soon");
    pseudo_read(&p, out, sizeof out);
    ASSERT_STR_EQ("", out);
    hem_clock_sleep(0.06);
    hem_progress_show(&progress, "\xc3\xa4 0123456789012345678901234567890");
    pseudo_read(&p, out, sizeof out);
    ASSERT_STR_EQ("\r\xc3\xa4 01234567890123456\033[K", out); // 19 columns, code points not bytes
    hem_progress_end(&progress);
    pseudo_read(&p, out, sizeof out);
    ASSERT_STR_EQ("\r\033[K", out);
    hem_progress_end(&progress);
    pseudo_read(&p, out, sizeof out);
    ASSERT_STR_EQ("", out);
    pseudo_close(&p);
    PASS();
}

TEST colour_asks_the_environment(void) {
    pseudo p;
    if (!pseudo_open(&p, 80)) {
        SKIPm("no pseudo terminal here");
    }
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    ASSERT_STR_EQ("\033[31m", hem_terminal_style(p.stream, HEM_STYLE_RED));
    ASSERT_STR_EQ("\033[0m", hem_terminal_style(p.stream, HEM_STYLE_NONE));
    setenv("NO_COLOR", "", 1); // set but empty does not count, by its convention
    ASSERT(hem_terminal_has_colour(p.stream));
    setenv("NO_COLOR", "1", 1);
    ASSERT_STR_EQ("", hem_terminal_style(p.stream, HEM_STYLE_RED));
    unsetenv("NO_COLOR");
    setenv("TERM", "dumb", 1);
    ASSERT(!hem_terminal_has_colour(p.stream));
    hem_progress progress;
    char out[64];
    hem_progress_begin(&progress, p.stream);
    hem_progress_show(&progress, "nothing");
    pseudo_read(&p, out, sizeof out);
    ASSERT_STR_EQ("", out);
    setenv("TERM", "xterm", 1);
    pseudo_close(&p);
    PASS();
}

#endif

TEST text_from_files_is_made_printable(void) {
    static const struct {
        const char *text, *shown;
    } rows[] = {
        {"cape", "cape"},
        {"", ""},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\xa7\xa3", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\xa7\xa3"},
        {"\x1b[31mred", "\\x1b[31mred"},
        {"a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd"},
        {"\x7f", "\\x7f"},
        {"\xc2\x9b"
         "2J",
         "\\xc2\\x9b2J"},                             // CSI in one character
        {"\xc2\xa0", "\xc2\xa0"},                     // the first after C1
        {"\x9b", "\\x9b"},                            // not UTF-8
        {"\xff\xc3", "\\xff\\xc3"},                   // cut off
        {"\xc0\x9b", "\\xc0\\x9b"},                   // overlong
        {"\xe0\x82\x9b", "\\xe0\\x82\\x9b"},          // overlong
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          // a surrogate
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, // beyond Unicode
    };
    char out[64];
    for (size_t i = 0; i < HEM_COUNT_OF(rows); ++i) {
        ASSERT_STR_EQ(rows[i].shown, hem_printable(out, sizeof out, rows[i].text));
    }
    // Cut at a whole character or a whole escape.
    ASSERT_STR_EQ("ab", hem_printable(out, 6, "ab\x1b"));
    ASSERT_STR_EQ("ab\\x1b", hem_printable(out, 7, "ab\x1b"));
    ASSERT_STR_EQ("a", hem_printable(out, 3, "a\xc3\xa4"));
    ASSERT_STR_EQ("", hem_printable(out, 1, "a"));
    PASS();
}

SUITE(terminal_suite) {
    RUN_TEST(text_from_files_is_made_printable);
    RUN_TEST(a_file_gets_no_escapes_and_no_progress);
#if !defined(_WIN32) && !defined(__wasi__)
    RUN_TEST(a_terminal_gets_one_line_that_goes_away);
    RUN_TEST(colour_asks_the_environment);
#endif
}
