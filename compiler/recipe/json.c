// SPDX-License-Identifier: MIT
#include "compiler/recipe/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// JSON, read into a tree that remembers where everything stood.
//
// Recipes are written by people: a wrong value must be answered with file, line and column, comments must be allowed,
// and a key given twice is a mistake. The same reader looks over a glTF before cgltf does, which bounds its nesting
// (cgltf recurses) and lets the import name faults by JSON pointer.
//
// Numbers do not depend on the locale or the C library: up to 19 digits go into an integer; when it and the power of
// ten are exact doubles, one multiplication or division rounds correctly. Else strtod gets digits and exponent alone, a
// form without a decimal point.

typedef struct reader {
    hemc_arena* arena;
    hemc_log* log;
    const char* file;
    const char* path;
    const char* text;
    size_t size, at;
    bool comments;
    hemc_json* pool;
    uint32_t pool_left;
} reader;

void hemc_json_position(const char* text, size_t at, uint32_t* line, uint32_t* column) {
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < at; ++i) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((uint8_t)text[i] & 0xc0) != 0x80) { // count characters, not UTF-8 continuation bytes
            ++*column;
        }
    }
}

static hemc_json* fail(reader* r, size_t at, const char* text) {
    uint32_t line, column;
    hemc_json_position(r->text, at, &line, &column);
    char* where = hemc_format(r->arena, "%s%s%u:%u", r->path, r->path[0] != 0 ? ":" : "", line, column);
    hemc_error(r->log, HEMC_INPUT, r->file, where, "%s", text);
    return NULL;
}

static hemc_json* new_value(reader* r, hemc_json_kind kind) {
    if (r->pool_left == 0) {
        r->pool_left = 64;
        r->pool = hemc_alloc(r->arena, r->pool_left, sizeof(hemc_json));
    }
    --r->pool_left;
    hemc_json* value = r->pool++;
    value->kind = kind;
    return value;
}

static bool skip_space(reader* r) {
    while (r->at < r->size) {
        char c = r->text[r->at];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++r->at;
        } else if (c == '/' && r->comments && r->at + 1 < r->size && r->text[r->at + 1] == '/') {
            while (r->at < r->size && r->text[r->at] != '\n') {
                ++r->at;
            }
        } else if (c == '/' && r->comments && r->at + 1 < r->size && r->text[r->at + 1] == '*') {
            size_t begin = r->at;
            r->at += 2;
            while (r->at + 1 < r->size && !(r->text[r->at] == '*' && r->text[r->at + 1] == '/')) {
                ++r->at;
            }
            if (r->at + 1 >= r->size) {
                fail(r, begin, "this comment has no end; add */");
                return false;
            }
            r->at += 2;
        } else {
            break;
        }
    }
    return true;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool read_escape(reader* r, uint32_t* code) {
    if (r->size - r->at < 4) {
        return false;
    }
    *code = 0;
    for (int i = 0; i < 4; ++i) {
        int digit = hex_digit(r->text[r->at++]);
        if (digit < 0) {
            return false;
        }
        *code = *code * 16 + (uint32_t)digit;
    }
    return true;
}

static size_t put_utf8(char* out, uint32_t code) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

// At the opening quote. Decoded text is never longer than its source.
static const char* read_string(reader* r) {
    size_t begin = r->at++;
    size_t end = r->at;
    while (end < r->size && r->text[end] != '"') {
        end += r->text[end] == '\\' ? 2 : 1;
    }
    if (end >= r->size) {
        fail(r, begin, "this string has no closing quote");
        return NULL;
    }
    char* out = hemc_alloc(r->arena, end - r->at + 1, 1);
    size_t length = 0;
    while (r->at < end) {
        char c = r->text[r->at++];
        if ((uint8_t)c < 0x20) {
            fail(r, r->at - 1, "a string must not hold a line break or control character; write \\n or \\t");
            return NULL;
        }
        if (c != '\\') {
            out[length++] = c;
            continue;
        }
        c = r->text[r->at++];
        const char* from = "\"\\/bfnrt";
        const char* to = "\"\\/\b\f\n\r\t";
        const char* found = strchr(from, c);
        if (found != NULL && c != 0) {
            out[length++] = to[found - from];
            continue;
        }
        uint32_t code = 0, low = 0;
        if (c != 'u' || !read_escape(r, &code)) {
            fail(r, r->at - 1, "unknown escape in a string; a backslash is written \\\\");
            return NULL;
        }
        if (code == 0) {
            fail(r, r->at - 6, "a string must not hold \\u0000");
            return NULL;
        }
        if (code >= 0xd800 && code < 0xdc00 && r->size - r->at >= 6 && r->text[r->at] == '\\' &&
            r->text[r->at + 1] == 'u') {
            r->at += 2;
            if (!read_escape(r, &low) || low < 0xdc00 || low > 0xdfff) {
                fail(r, r->at - 1, "half of a surrogate pair in a string");
                return NULL;
            }
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        length += put_utf8(out + length, code);
    }
    r->at = end + 1;
    return out;
}

size_t hemc_parse_number(const char* text, size_t size, double* value) {
    static const double powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t at = 0;
    bool negative = at < size && text[at] == '-';
    at += negative ? 1 : 0;
    uint64_t mantissa = 0;
    int32_t digits = 0, exponent = 0;
    bool truncated = false;
    for (int pass = 0; pass < 2; ++pass) {
        size_t begin = at;
        for (; at < size && text[at] >= '0' && text[at] <= '9'; ++at) {
            if (digits < 19) {
                mantissa = mantissa * 10 + (uint64_t)(text[at] - '0');
                digits += mantissa != 0 ? 1 : 0;
                exponent -= pass;
            } else {
                truncated = truncated || text[at] != '0';
                exponent += exponent < 1000000 ? 1 - pass : 0;
            }
        }
        if (at == begin || (pass == 0 && at - begin > 1 && text[begin] == '0')) {
            return 0;
        }
        if (pass == 0 && !(at < size && text[at] == '.')) {
            break;
        }
        at += pass == 0 ? 1 : 0;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        bool minus = at < size && text[at] == '-';
        at += at < size && (text[at] == '-' || text[at] == '+') ? 1 : 0;
        size_t begin = at;
        int32_t e = 0;
        for (; at < size && text[at] >= '0' && text[at] <= '9'; ++at) {
            e = e < 100000 ? e * 10 + (text[at] - '0') : e;
        }
        if (at == begin) {
            return 0;
        }
        exponent += minus ? -e : e;
    }
    double result;
    if (mantissa == 0) {
        result = 0;
    } else if (!truncated && mantissa < (1ull << 53) && exponent >= -22 && exponent <= 22) {
        result = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
    } else {
        // Digits cut off beyond the 19th can only matter for an exact tie; a sticky 1 keeps it on the right side.
        char plain[64];
        snprintf(plain, sizeof(plain), "%llu%se%d", (unsigned long long)mantissa, truncated ? "1" : "",
                 (int)(truncated ? exponent - 1 : exponent));
        result = strtod(plain, NULL);
    }
    *value = negative ? -result : result;
    return at;
}

double hemc_parse_float(const char* text) {
    double value = 0;
    hemc_parse_number(text, strlen(text), &value);
    return value;
}

static hemc_json* read_value(reader* r, hemc_json* parent, int depth);

static hemc_json* read_list(reader* r, hemc_json* parent, int depth) {
    bool object = r->text[r->at] == '{';
    char close = object ? '}' : ']';
    size_t begin = r->at;
    hemc_json* list = new_value(r, object ? HEMC_JSON_OBJECT : HEMC_JSON_ARRAY);
    list->parent = parent;
    hemc_json** tail = &list->first;
    ++r->at;
    for (;;) {
        if (!skip_space(r)) {
            return NULL;
        }
        if (r->at >= r->size) {
            return fail(r, begin, object ? "this { has no closing }" : "this [ has no closing ]");
        }
        if (r->text[r->at] == close && (list->count == 0 || r->comments)) {
            break;
        }
        const char* key = NULL;
        if (object) {
            if (r->text[r->at] != '"') {
                return fail(r, r->at, "expected a key in double quotes");
            }
            size_t key_at = r->at;
            key = read_string(r);
            if (key == NULL || !skip_space(r)) {
                return NULL;
            }
            if (r->comments && hemc_json_member(list, key) != NULL) {
                return fail(r, key_at, "this key is already given above in the same object");
            }
            if (r->at >= r->size || r->text[r->at] != ':') {
                return fail(r, r->at, "expected ':' after a key");
            }
            ++r->at;
            if (!skip_space(r)) {
                return NULL;
            }
        }
        hemc_json* item = read_value(r, list, depth);
        if (item == NULL || !skip_space(r)) {
            return NULL;
        }
        item->key = key;
        *tail = item;
        tail = &item->next;
        ++list->count;
        if (r->at < r->size && r->text[r->at] == ',') {
            ++r->at;
        } else if (r->at >= r->size) {
            return fail(r, begin, object ? "this { has no closing }" : "this [ has no closing ]");
        } else if (r->text[r->at] != close) {
            return fail(r, r->at, object ? "expected ',' or '}'" : "expected ',' or ']'");
        } else {
            break;
        }
    }
    ++r->at;
    list->begin = begin;
    list->end = r->at;
    return list;
}

static hemc_json* read_value(reader* r, hemc_json* parent, int depth) {
    static const struct {
        const char* word;
        hemc_json_kind kind;
    } words[] = {{"null", HEMC_JSON_NULL}, {"false", HEMC_JSON_FALSE}, {"true", HEMC_JSON_TRUE}};
    if (r->at >= r->size) {
        return fail(r, r->at, "expected a value, found the end of the file");
    }
    if (depth >= HEMC_JSON_DEPTH_LIMIT) {
        return fail(r, r->at, "nested deeper than 64 levels");
    }
    size_t begin = r->at;
    hemc_json* value = NULL;
    char c = r->text[r->at];
    if (c == '{' || c == '[') {
        return read_list(r, parent, depth + 1);
    }
    if (c == '"') {
        const char* string = read_string(r);
        if (string == NULL) {
            return NULL;
        }
        value = new_value(r, HEMC_JSON_STRING);
        value->string = string;
    } else {
        for (int i = 0; i < 3 && value == NULL; ++i) {
            size_t length = strlen(words[i].word);
            if (r->size - r->at >= length && memcmp(r->text + r->at, words[i].word, length) == 0) {
                value = new_value(r, words[i].kind);
                r->at += length;
            }
        }
        if (value == NULL) {
            double number;
            size_t length = hemc_parse_number(r->text + r->at, r->size - r->at, &number);
            if (length == 0) {
                return fail(r, r->at, "expected a value: a number, \"text\", true, false, null, [ or {");
            }
            value = new_value(r, HEMC_JSON_NUMBER);
            value->number = number;
            r->at += length;
        }
    }
    value->parent = parent;
    value->begin = begin;
    value->end = r->at;
    return value;
}

hemc_json* hemc_json_parse(hemc_arena* arena, hemc_log* log, const char* file, const char* path, const char* text,
                           size_t size, bool comments) {
    reader r = {
        .arena = arena, .log = log, .file = file, .path = path, .text = text, .size = size, .comments = comments};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        r.at = 3; // a byte order mark says nothing in UTF-8
    }
    if (!skip_space(&r)) {
        return NULL;
    }
    hemc_json* value = read_value(&r, NULL, 0);
    if (value == NULL || !skip_space(&r)) {
        return NULL;
    }
    while (r.at < size && !comments && text[r.at] == 0) {
        ++r.at; // some exporters pad a GLB's JSON chunk with zeros instead of spaces
    }
    if (r.at != size) {
        return fail(&r, r.at, "something follows the end of the document");
    }
    return value;
}

const hemc_json* hemc_json_member(const hemc_json* object, const char* key) {
    if (object == NULL || object->kind != HEMC_JSON_OBJECT) {
        return NULL;
    }
    for (const hemc_json* m = object->first; m != NULL; m = m->next) {
        if (m->key != NULL && strcmp(m->key, key) == 0) {
            return m;
        }
    }
    return NULL;
}

const char* hemc_json_kind_name(hemc_json_kind kind) {
    static const char* const names[] = {"null", "false", "true", "a number", "a string", "an array", "an object"};
    return names[kind];
}

char* hemc_json_pointer(hemc_arena* arena, const char* prefix, const hemc_json* value) {
    if (value == NULL || value->parent == NULL) {
        return hemc_copy_string(arena, prefix, strlen(prefix));
    }
    char* above = hemc_json_pointer(arena, prefix, value->parent);
    if (value->key == NULL) {
        uint32_t index = 0;
        for (const hemc_json* item = value->parent->first; item != NULL && item != value; item = item->next) {
            ++index;
        }
        return hemc_format(arena, "%s/%u", above, index);
    }
    hemc_text out = {.arena = arena};
    hemc_text_add(&out, "%s/", above);
    for (const char* c = value->key; *c != 0; ++c) {
        hemc_text_bytes(&out, *c == '~' ? "~0" : *c == '/' ? "~1" : c, *c == '~' || *c == '/' ? 2 : 1);
    }
    return out.data;
}

uint32_t hemc_edit_distance(const char* a, const char* b) {
    enum { LIMIT = 64 };
    uint32_t rows[3][LIMIT + 1];
    size_t na = strlen(a), nb = strlen(b);
    if (na > LIMIT || nb > LIMIT) {
        return LIMIT;
    }
    uint32_t *two = rows[0], *one = rows[1], *now = rows[2];
    for (size_t j = 0; j <= nb; ++j) {
        one[j] = (uint32_t)j;
    }
    for (size_t i = 1; i <= na; ++i) {
        now[0] = (uint32_t)i;
        for (size_t j = 1; j <= nb; ++j) {
            uint32_t best = one[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
            best = one[j] + 1 < best ? one[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two[j - 2] + 1 < best) {
                best = two[j - 2] + 1;
            }
            now[j] = best;
        }
        uint32_t* spare = two;
        two = one;
        one = now;
        now = spare;
    }
    return one[nb];
}

// -- Writing

void hemc_text_bytes(hemc_text* text, const char* bytes, size_t size) {
    text->data = hemc_grow(text->arena, text->data, &text->capacity, text->size + size + 1, 1);
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = 0;
}

void hemc_text_add(hemc_text* text, const char* format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length > 0) {
        text->data = hemc_grow(text->arena, text->data, &text->capacity, text->size + (size_t)length + 1, 1);
        vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
}

void hemc_text_quoted(hemc_text* text, const char* string) {
    hemc_text_bytes(text, "\"", 1);
    for (const char* c = string; *c != 0; ++c) {
        if (*c == '"' || *c == '\\') {
            hemc_text_add(text, "\\%c", *c);
        } else if ((uint8_t)*c < 0x20 || *c == 0x7f) {
            hemc_text_add(text, "\\u%04x", (unsigned)(uint8_t)*c);
        } else if ((uint8_t)c[0] == 0xc2 && (uint8_t)c[1] >= 0x80 &&
                   (uint8_t)c[1] < 0xa0) { // C1: a terminal may obey it
            hemc_text_add(text, "\\u%04x", (unsigned)(uint8_t) * ++c);
        } else {
            hemc_text_bytes(text, c, 1);
        }
    }
    hemc_text_bytes(text, "\"", 1);
}

void hemc_text_number(hemc_text* text, double value) {
    if (!isfinite(value)) {
        hemc_text_add(text, "null");
        return;
    }
    char buffer[40];
    for (int precision = 6; precision <= 17; precision += precision == 6 ? 3 : 8) {
        snprintf(buffer, sizeof(buffer), "%.*g", precision, value);
        for (char* c = buffer; *c != 0; ++c) {
            *c = *c == ',' ? '.' : *c;
        }
        double back = hemc_parse_float(buffer);
        if ((float)back == (float)value && (precision > 6 || fabs(back - value) <= 1e-6 * fabs(value))) {
            break;
        }
    }
    hemc_text_bytes(text, buffer, strlen(buffer));
}
