// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include "formats/hem_validate.h"
#include "platform/file.h"

#include <hemc_revision.h>
#include <stdlib.h>
#include <string.h>

// A cache of compiled assets in a directory that many processes, and many machines, may share.
//
//   DIR/ab/abcdef...0123.hem    the bytes
//   DIR/ab/abcdef...0123.json   the report of the compile that made them: its messages are repeated on a hit
//
// The key that an asset carries is a hash over all that it is made from: versions of compiler and format, options that change
// the bytes, recipe, every input byte. In automatic mode the recipe is the one that it prints, so that a printed recipe
// compiled again gives the same bytes. The name of an entry is a hash over such a key of what was asked for, the options
// that only change what is said, and the compiler's sources (premake5.lua makes
// HEMC_REVISION of them), so that nothing is served that another build has made, while equal bytes stay equal from build
// to build. Libraries do not count: they decode and hash, and every version does that alike.
//
// Entries are written under another name and renamed, so a reader sees all or nothing; two writers of one key write the
// same bytes, so it does not matter who wins. An entry is believed only if it is valid, carries its own key and has the
// hash that its report remembers; one that does not is made anew.

#define KEY_LAYOUT 12u // of the struct below

static void make_key(const hemc_compilation* c, float scale, uint8_t out[16]) {
    struct {
        char tool[32];
        uint32_t format, ship, unused[2], layout;
        float scale;
        uint8_t source[16], recipe[16];
    } key;
    memset(&key, 0, sizeof(key));
    memcpy(key.tool, "hemc " HEMC_VERSION, sizeof("hemc " HEMC_VERSION));
    key.format = HEM_FORMAT_VERSION;
    key.layout = KEY_LAYOUT;
    key.ship = !c->job->ship ? 0 : c->job->ship_all ? 2 : 1;
    key.scale = scale;
    memcpy(key.source, c->model.source_hash, 16);
    memcpy(key.recipe, c->recipe.recipe_hash, 16); // extras are part of the source; zero in automatic mode
    hemc_hash128(&key, sizeof(key), out);
}

void hemc_asset_key(hemc_compilation* c) {
    make_key(c, c->recipe.printed != NULL ? 0 : c->job->scale, c->cache_key);
}

void hemc_cache_key(hemc_compilation* c) {
    hemc_asset_key(c);
    struct {
        char revision[32];
        uint32_t strict, preflight;
        uint8_t key[16], targets[16];
    } entry;
    memset(&entry, 0, sizeof(entry));
    entry.strict = c->job->strict;       // a compile with warnings must fail under --strict, not be fetched
    entry.preflight = c->job->preflight; // its report says more
    memcpy(entry.revision, HEMC_REVISION, sizeof(HEMC_REVISION));
    memcpy(entry.key, c->cache_key, 16);
    for (uint32_t i = 0; i < c->job->target_count; ++i) { // its report speaks of them
        uint8_t* text;
        size_t size;
        uint8_t hashes[2][16];
        memcpy(hashes[0], entry.targets, 16);
        memset(hashes[1], 0, 16);
        if (hemc_read_file(c->arena, c->job->targets[i], &text, &size)) {
            hemc_hash128(text, size, hashes[1]);
        }
        hemc_hash128(hashes, sizeof(hashes), entry.targets);
    }
    hemc_hash128(&entry, sizeof(entry), c->entry_key);
}

static char* entry_path(const hemc_compilation* c, const char* extension, bool folder) {
    hemc_text t = {.arena = c->arena};
    hemc_text_add(&t, "%s/%02x", c->job->cache, c->entry_key[0]);
    if (!folder) {
        hemc_text_add(&t, "/");
        for (int i = 0; i < 16; ++i) {
            hemc_text_add(&t, "%02x", c->entry_key[i]);
        }
        hemc_text_add(&t, "%s", extension);
    }
    return t.data;
}

// Valid, of this key, and byte for byte what the report's hash says.
static bool entry_is_good(const hemc_compilation* c, const uint8_t* bytes, size_t size, const hemc_json* report) {
    hem_view view;
    uint8_t hash[16];
    const hemc_json* written = hemc_json_member(hemc_json_member(report, "asset"), "file_hash");
    if (written == NULL || written->kind != HEMC_JSON_STRING ||
        hem_validate(bytes, size, &view, NULL) != HEM_FORMAT_OK || view.header->file_size != size ||
        (c->recipe.automatic ? memcmp(view.header->source_hash, c->model.source_hash, 16)
                             : memcmp(view.header->cache_key, c->cache_key, 16)) != 0) {
        return false;
    }
    hemc_hash128(bytes, size, hash);
    hemc_text hex = {.arena = c->arena};
    for (int i = 0; i < 16; ++i) {
        hemc_text_add(&hex, "%02x", hash[i]);
    }
    return strcmp(hex.data, written->string) == 0;
}

// The messages of the first compile, from its report.
static bool take_messages(hemc_compilation* c, const hemc_json* report, hemc_log* log) {
    static const char* const words[] = {"note", "warning"};
    const hemc_json* list = hemc_json_member(report, "messages");
    if (list == NULL || list->kind != HEMC_JSON_ARRAY) {
        return false;
    }
    for (const hemc_json* m = list->first; m != NULL; m = m->next) {
        const hemc_json* severity = hemc_json_member(m, "severity");
        const hemc_json* fields[3] = {hemc_json_member(m, "file"), hemc_json_member(m, "path"),
                                      hemc_json_member(m, "text")};
        for (int i = 0; i < 3; ++i) {
            if (fields[i] == NULL || fields[i]->kind != HEMC_JSON_STRING) {
                return false;
            }
        }
        if (severity == NULL || severity->kind != HEMC_JSON_STRING) {
            return false;
        }
        // Another path may lead to the same bytes: messages about the input name this compile's.
        const char* file = fields[0]->string;
        const hemc_json* input = hemc_json_member(report, "input");
        if (input != NULL && input->kind == HEMC_JSON_STRING && strcmp(input->string, file) == 0) {
            file = c->job->input;
        }
        if (strcmp(severity->string, words[1]) == 0) {
            hemc_warn(log, file, fields[1]->string, "%s", fields[2]->string);
        } else {
            hemc_note(log, file, fields[1]->string, "%s", fields[2]->string);
        }
    }
    return true;
}

bool hemc_cache_fetch(hemc_compilation* c) {
    static const char miss[] = "{\n  \"cache\": \"miss\"";
    uint8_t* bytes;
    uint8_t* text;
    size_t size, text_size;
    char* path = entry_path(c, ".hem", false);
    if (!hemc_read_file(c->arena, path, &bytes, &size) ||
        !hemc_read_file(c->arena, entry_path(c, ".json", false), &text, &text_size)) {
        return false;
    }
    hemc_log log = {.arena = c->arena};
    hemc_json* report = hemc_json_parse(c->arena, &log, "", "", (const char*)text, text_size, false);
    if (report == NULL || text_size < sizeof(miss) || memcmp(text, miss, sizeof(miss) - 1) != 0 ||
        !entry_is_good(c, bytes, size, report) || !take_messages(c, report, &log)) {
        hemc_note(&c->log, path, "", "the cache entry is damaged and is made anew");
        return false;
    }
    c->log = log;
    memcpy(text + sizeof(miss) - 1 - 6, "\"hit\" ", 6); // the place of "miss"
    c->report = (const char*)text;
    c->report_size = text_size;
    c->bytes = bytes;
    c->size = size;
    return true;
}

void hemc_cache_store(hemc_compilation* c) {
    hem_file_error error;
    if (!hem_directory_make(entry_path(c, "", true), &error) ||
        !hem_file_write(entry_path(c, ".json", false), c->report, c->report_size, 0, &error) ||
        !hem_file_write(entry_path(c, ".hem", false), c->bytes, c->size, 0, &error)) {
        hemc_warn(&c->log, c->job->cache, "", "the cache cannot be written: %s", error.text);
    }
}
