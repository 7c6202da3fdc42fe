// SPDX-License-Identifier: MIT
#include "tools/json.h"

static void put_text(FILE* out, const char* text) {
    fputc('"', out);
    for (const unsigned char* s = (const unsigned char*)text; *s != 0; s++) {
        if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s);
        } else if (*s < 32 || *s == 127) {
            fprintf(out, "\\u%04x", *s);
        } else if (s[0] == 0xc2 && s[1] >= 0x80 && s[1] < 0xa0) { // C1: a terminal may obey it
            fprintf(out, "\\u%04x", *++s);
        } else {
            fputc(*s, out);
        }
    }
    fputc('"', out);
}

static void put_name(json* j, const char* name) {
    if (j->depth > 0) {
        fprintf(j->out, "%s\n%*s", j->filled ? "," : "", 2 * j->depth, "");
    }
    if (name != NULL) {
        put_text(j->out, name);
        fputs(": ", j->out);
    }
    j->filled = true;
}

void json_begin(json* j, const char* name, char bracket) {
    put_name(j, name);
    fputc(bracket, j->out);
    j->depth++;
    j->filled = false;
}

void json_end(json* j, char bracket) {
    j->depth--;
    if (j->filled) {
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    }
    fputc(bracket, j->out);
    j->filled = true;
    if (j->depth == 0) {
        fputc('\n', j->out);
    }
}

void json_text(json* j, const char* name, const char* value) {
    put_name(j, name);
    put_text(j->out, value);
}

void json_number(json* j, const char* name, double value) {
    put_name(j, name);
    if (value - value != 0.0) {
        fputs("null", j->out);
    } else {
        fprintf(j->out, "%.9g", value);
    }
}

void json_integer(json* j, const char* name, int64_t value) {
    put_name(j, name);
    fprintf(j->out, "%lld", (long long)value);
}

void json_flag(json* j, const char* name, bool value) {
    put_name(j, name);
    fputs(value ? "true" : "false", j->out);
}

void json_hex(json* j, const char* name, const uint8_t* bytes, int32_t count) {
    put_name(j, name);
    fputc('"', j->out);
    for (int32_t i = 0; i < count; i++) {
        fprintf(j->out, "%02x", bytes[i]);
    }
    fputc('"', j->out);
}
