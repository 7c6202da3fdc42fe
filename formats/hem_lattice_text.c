// SPDX-License-Identifier: MIT
#include "formats/hem_lattice_text.h"

// Reading goes line by line, from left to right, and stops at the first fault. Writing puts nine digits, which is what a
// float needs to come back.

// -- Reading

typedef struct reader {
    const char *at, *end; // of the text
    const char *line, *line_end;
    uint32_t number; // of the line, from 1
    hem_text_fault* fault;
} reader;

static int refuse(reader* r, const char* what) {
    r->fault->line = r->number;
    r->fault->what = what;
    return 0;
}

static int is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_space(reader* r) {
    while (r->line < r->line_end && is_space(*r->line)) {
        ++r->line;
    }
}

static int at_end(reader* r) { // of the line
    skip_space(r);
    return r->line == r->line_end;
}

// The next line that says something; 0 = there is none, and the line number is that of the last one.
static int next_line(reader* r, int comments) {
    while (r->at < r->end) {
        r->line = r->at;
        while (r->at < r->end && *r->at != '\n') {
            ++r->at;
        }
        r->line_end = r->at;
        r->at += r->at < r->end;
        ++r->number;
        if (!at_end(r) && !(comments && *r->line == '#')) {
            return 1;
        }
    }
    r->line = r->line_end = r->end;
    return 0;
}

static double power_of_ten(int n) { // exact up to 22
    double p = 1;
    for (int i = 0; i < n; ++i) {
        p *= 10;
    }
    return p;
}

#define DIGITS 18 // that fit 64 bits; those after them do not change a float

static int read_number(reader* r, double* out) {
    skip_space(r);
    const int negative = r->line < r->line_end && *r->line == '-';
    r->line += negative || (r->line < r->line_end && *r->line == '+');
    uint64_t digits = 0;
    int used = 0, seen = 0, exponent = 0, point = 0;
    for (; r->line < r->line_end; ++r->line) {
        const char c = *r->line;
        if (c >= '0' && c <= '9') {
            seen = 1;
            if (used < DIGITS) {
                digits = digits * 10 + (uint64_t)(c - '0');
                used += digits != 0;
                exponent -= point;
            } else {
                exponent += !point;
            }
        } else if (c == '.' && !point) {
            point = 1;
        } else {
            break;
        }
    }
    if (!seen) {
        return refuse(r, "a number is missing here");
    }
    if (r->line < r->line_end && (*r->line == 'e' || *r->line == 'E')) {
        ++r->line;
        const int down = r->line < r->line_end && *r->line == '-';
        r->line += down || (r->line < r->line_end && *r->line == '+');
        int e = 0, any = 0;
        for (; r->line < r->line_end && *r->line >= '0' && *r->line <= '9'; ++r->line) {
            e = e < 1000 ? e * 10 + (*r->line - '0') : e;
            any = 1;
        }
        if (!any) {
            return refuse(r, "an exponent has no digits");
        }
        exponent += down ? -e : e;
    }
    exponent = exponent < -60 ? -60 : exponent > 60 ? 60 : exponent;
    const double value =
        exponent < 0 ? (double)digits / power_of_ten(-exponent) : (double)digits * power_of_ten(exponent);
    if (!(value <= 1e9)) {
        return refuse(r, "a number is larger than 1e9");
    }
    *out = negative ? -value : value;
    return 1;
}

static int read_tuple(reader* r, double out[3]) {
    skip_space(r);
    const int open = r->line < r->line_end && *r->line == '(';
    r->line += open;
    for (int k = 0; k < 3; ++k) {
        if (k > 0) {
            skip_space(r);
            if (r->line == r->line_end || *r->line != ',') {
                return refuse(r, "a tuple has three numbers with commas between them");
            }
            ++r->line;
        }
        if (!read_number(r, &out[k])) {
            return 0;
        }
    }
    if (open) {
        skip_space(r);
        if (r->line == r->line_end || *r->line != ')') {
            return refuse(r, "a parenthesis is not closed");
        }
        ++r->line;
    }
    if (r->line < r->line_end && !is_space(*r->line)) {
        return refuse(r, "after a tuple comes a space or the end of the line");
    }
    return 1;
}

static int read_whole(reader* r, double value, int32_t limit, int32_t* out) {
    if (!(value >= -limit && value <= limit) || (double)(int32_t)value != value) {
        return refuse(r, "must be a whole number, and not a large one");
    }
    *out = (int32_t)value;
    return 1;
}

static int read_index(reader* r, int32_t out[3]) {
    double t[3];
    if (!read_tuple(r, t)) {
        return 0;
    }
    for (int k = 0; k < 3; ++k) {
        if (!read_whole(r, t[k], HEM_MAX_LATTICE_INDEX, &out[k])) {
            return 0;
        }
    }
    return 1;
}

static int read_line_tuple(reader* r, double out[3], const char* missing) {
    if (!next_line(r, 0)) {
        return refuse(r, missing);
    }
    if (!read_tuple(r, out)) {
        return 0;
    }
    return at_end(r) ? 1 : refuse(r, "one tuple stands on a line");
}

int hem_body_read(const char* text, size_t size, hem_body_text* body, int32_t (*indices)[3], hem_text_fault* fault) {
    reader r = {text, text + size, text, text, 0, fault};
    *body = (hem_body_text){.particle_count = 0};
    if (!read_line_tuple(&r, body->offset, "the offset is missing") ||
        !read_line_tuple(&r, body->spacing, "the spacing is missing")) {
        return 0;
    }
    for (int k = 0; k < 3; ++k) {
        if (!(body->spacing[k] > 0)) {
            return refuse(&r, "the spacing must be above zero");
        }
    }
    if (!read_line_tuple(&r, body->scale, "the scale is missing")) {
        return 0;
    }
    while (next_line(&r, 0)) {
        int32_t index[3];
        if (!read_index(&r, index)) {
            return 0;
        }
        if (!at_end(&r)) {
            return refuse(&r, "one tuple stands on a line");
        }
        for (int k = 0; k < 3 && indices; ++k) {
            indices[body->particle_count][k] = index[k];
        }
        ++body->particle_count;
    }
    return body->particle_count ? 1 : refuse(&r, "there are no particles");
}

static int is_word(reader* r, const char* word) {
    skip_space(r);
    const char* at = r->line;
    while (*word) {
        if (at == r->line_end || *at++ != *word++) {
            return 0;
        }
    }
    if (at < r->line_end && !is_space(*at)) {
        return 0;
    }
    r->line = at;
    return 1;
}

static int read_word_line(reader* r, const char* word, const char* missing) {
    if (!next_line(r, 1) || !is_word(r, word)) {
        return refuse(r, missing);
    }
    return at_end(r) ? 1 : refuse(r, "nothing more may stand on this line");
}

static int read_setting(reader* r, const char* word, const char* missing, double* out) {
    if (!next_line(r, 1) || !is_word(r, word)) {
        return refuse(r, missing);
    }
    if (!read_number(r, out)) {
        return 0;
    }
    return at_end(r) ? 1 : refuse(r, "nothing more may stand on this line");
}

static int read_head(reader* r, hem_animation_text* a) {
    double flag;
    if (!read_word_line(r, "particle", "the first word must be: particle") ||
        !read_setting(r, "fps", "here must stand: fps NUMBER", &a->fps)) {
        return 0;
    }
    if (!(a->fps > 0 && a->fps <= 10000)) {
        return refuse(r, "fps must be above 0 and at most 10000");
    }
    if (!read_setting(r, "interpolate", "here must stand: interpolate 0 or 1", &flag)) {
        return 0;
    }
    if (flag != 0 && flag != 1) {
        return refuse(r, "interpolate is 0 or 1");
    }
    a->interpolate = flag == 1;
    return read_word_line(r, "declaration", "here must stand: declaration");
}

int hem_animation_read(const char* text, size_t size, hem_animation_text* a, int32_t (*indices)[3], int32_t* frames,
                       float (*places)[3], hem_text_fault* fault) {
    reader r = {text, text + size, text, text, 0, fault};
    *a = (hem_animation_text){.fps = 0};
    if (!read_head(&r, a)) {
        return 0;
    }
    if (!next_line(&r, 1)) {
        return refuse(&r, "the particles are missing");
    }
    while (!at_end(&r)) {
        int32_t index[3];
        if (!read_index(&r, index)) {
            return 0;
        }
        for (int k = 0; k < 3 && indices; ++k) {
            indices[a->particle_count][k] = index[k];
        }
        ++a->particle_count;
    }
    if (!read_word_line(&r, "frames", "here must stand: frames")) {
        return 0;
    }
    int32_t last = -1;
    for (; next_line(&r, 1); ++a->frame_count) {
        double number, t[3];
        int32_t frame;
        if (!read_number(&r, &number) || !read_whole(&r, number, HEM_MAX_LATTICE_FRAME, &frame)) {
            return 0;
        }
        if (frame <= last) {
            return refuse(&r, "frame numbers begin at 0 or later and grow");
        }
        last = frame;
        for (uint32_t i = 0; i < a->particle_count; ++i) {
            if (at_end(&r)) {
                return refuse(&r, "the frame has fewer places than there are particles");
            }
            if (!read_tuple(&r, t)) {
                return 0;
            }
            for (int k = 0; k < 3 && places; ++k) {
                places[(size_t)a->frame_count * a->particle_count + i][k] = (float)t[k];
            }
        }
        if (!at_end(&r)) {
            return refuse(&r, "the frame has more places than there are particles");
        }
        if (frames) {
            frames[a->frame_count] = frame;
        }
    }
    return a->frame_count ? 1 : refuse(&r, "there are no frames");
}

// -- Writing

typedef struct writer {
    char* out; // NULL = counting
    size_t size;
} writer;

static void put(writer* w, char c) {
    if (w->out) {
        w->out[w->size] = c;
    }
    ++w->size;
}

static void put_text(writer* w, const char* text) {
    while (*text) {
        put(w, *text++);
    }
}

static void put_whole(writer* w, uint64_t n) {
    char digits[20];
    int count = 0;
    do {
        digits[count++] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    while (count) {
        put(w, digits[--count]);
    }
}

static void put_integer(writer* w, int32_t n) {
    if (n < 0) {
        put(w, '-');
    }
    put_whole(w, (uint64_t)(n < 0 ? -(int64_t)n : n));
}

// Nine digits and an exponent, or a whole number as it is.
static void put_number(writer* w, double x) {
    if (x < 0) {
        put(w, '-');
        x = -x;
    }
    if (x < 1e9 && x == (double)(uint64_t)x) {
        put_whole(w, (uint64_t)x);
        return;
    }
    int exponent = 0;
    while (x >= 10 && exponent < 60) {
        x /= 10;
        ++exponent;
    }
    while (x < 1 && exponent > -60) {
        x *= 10;
        --exponent;
    }
    uint64_t digits = (uint64_t)(x * 1e8 + 0.5);
    if (digits >= 1000000000) {
        digits /= 10;
        ++exponent;
    }
    put_whole(w, digits / 100000000);
    put(w, '.');
    char tail[8];
    for (int k = 7; k >= 0; --k) {
        tail[k] = (char)('0' + digits % 10);
        digits /= 10;
    }
    for (int k = 0; k < 8; ++k) {
        put(w, tail[k]);
    }
    if (exponent) {
        put(w, 'e');
        put_integer(w, exponent);
    }
}

static void put_tuple(writer* w, const double t[3]) {
    for (int k = 0; k < 3; ++k) {
        if (k) {
            put(w, ',');
        }
        put_number(w, t[k]);
    }
}

static void put_index(writer* w, const int32_t index[3]) {
    for (int k = 0; k < 3; ++k) {
        if (k) {
            put(w, ',');
        }
        put_integer(w, index[k]);
    }
}

size_t hem_body_write(const hem_body_text* body, const int32_t (*indices)[3], char* out) {
    writer w = {out, 0};
    const double* lines[3] = {body->offset, body->spacing, body->scale};
    for (int k = 0; k < 3; ++k) {
        put_tuple(&w, lines[k]);
        put(&w, '\n');
    }
    for (uint32_t i = 0; i < body->particle_count; ++i) {
        put_index(&w, indices[i]);
        put(&w, '\n');
    }
    return w.size;
}

size_t hem_animation_write(const hem_animation_text* a, const int32_t (*indices)[3], const int32_t* frames,
                           const float (*places)[3], char* out) {
    writer w = {out, 0};
    put_text(&w, "particle\nfps ");
    put_number(&w, a->fps);
    put_text(&w, a->interpolate ? "\ninterpolate 1\ndeclaration\n" : "\ninterpolate 0\ndeclaration\n");
    for (uint32_t i = 0; i < a->particle_count; ++i) {
        if (i) {
            put(&w, ' ');
        }
        put_index(&w, indices[i]);
    }
    put_text(&w, "\nframes\n");
    for (uint32_t f = 0; f < a->frame_count; ++f) {
        put_integer(&w, frames[f]);
        for (uint32_t i = 0; i < a->particle_count; ++i) {
            const float* p = places[(size_t)f * a->particle_count + i];
            const double t[3] = {(double)p[0], (double)p[1], (double)p[2]};
            put(&w, ' ');
            put_tuple(&w, t);
        }
        put(&w, '\n');
    }
    return w.size;
}
