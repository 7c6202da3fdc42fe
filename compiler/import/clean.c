// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include <string.h>

// The JSON that cgltf gets to see: what the compiler reads, as the rules of check.c have found it, and nothing else.
//
// cgltf looks at everything (textures, cameras, lights, extras) and answers a slip anywhere with one word for the whole
// file; it reads whole numbers with atoi, for which 6e1 is 6. So it is handed a copy with only the values that a rule
// names, whole numbers written as such, the rest byte for byte. Then it has nothing left to refuse.

typedef struct cursor {
    const char* rest; // of the rule's pattern, at "" or '/'
    const hemc_rule* rule;
} cursor;

// Rules that still lead on from `key`, which is NULL for the items of an array.
static uint32_t narrow(const cursor* all, uint32_t count, const char* key, cursor* out) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const char* begin = all[i].rest;
        if (*begin == 0) {
            continue;
        }
        size_t length = strcspn(++begin, "/");
        bool any = length == 1 && *begin == '*';
        if (any || (key != NULL && strncmp(key, begin, length) == 0 && key[length] == 0)) {
            out[kept++] = (cursor){begin + length, all[i].rule};
        }
    }
    return kept;
}

// Names are for people: one that is not text has been warned about, and is none. What only holds others, such as
// "extensions", has no rule of its own and must be an object.
static bool is_wanted(const hemc_json* member, const cursor* active, uint32_t count) {
    const hemc_rule* own = NULL;
    for (uint32_t i = 0; i < count; ++i) {
        own = active[i].rest[0] == 0 ? active[i].rule : own;
    }
    if (own == NULL) {
        return count != 0 && member->kind == HEMC_JSON_OBJECT;
    }
    return own->kind != RULE_NAME || member->kind == HEMC_JSON_STRING;
}

static void write_value(hemc_source* source, hemc_text* out, const hemc_json* value, const cursor* active,
                        uint32_t count) {
    cursor below[HEMC_RULE_LIMIT];
    const hemc_rule* own = NULL; // the rule for this very value
    bool deeper = false;
    for (uint32_t i = 0; i < count; ++i) {
        own = active[i].rest[0] == 0 ? active[i].rule : own;
        deeper = deeper || active[i].rest[0] != 0;
    }
    bool whole = own != NULL && (own->kind == RULE_SIZE || own->kind == RULE_COUNT || own->kind == RULE_INDEX ||
                                 own->kind == RULE_COMPONENT);
    bool array = value->kind == HEMC_JSON_ARRAY, object = value->kind == HEMC_JSON_OBJECT;
    if (whole) {
        hemc_text_add(out, "%.0f", value->number);
    } else if (!deeper || (!array && !object)) {
        hemc_text_bytes(out, source->json_text + value->begin, value->end - value->begin);
    } else {
        hemc_text_add(out, array ? "[" : "{");
        bool first = true;
        for (const hemc_json* item = value->first; item != NULL; item = item->next) {
            uint32_t left = narrow(active, count, object ? item->key : NULL, below);
            if (object && !is_wanted(item, below, left)) {
                continue;
            }
            hemc_text_add(out, first ? "" : ",");
            if (object) {
                hemc_text_quoted(out, item->key);
                hemc_text_add(out, ":");
            }
            write_value(source, out, item, below, left);
            first = false;
        }
        hemc_text_add(out, array ? "]" : "}");
    }
}

void hemc_clean_json(hemc_source* source, hemc_text* out) {
    cursor all[HEMC_RULE_LIMIT];
    uint32_t count = 0;
    uint32_t rule_count;
    const hemc_rule* rules = hemc_check_rules(&rule_count);
    for (uint32_t i = 0; i < rule_count; ++i) {
        if (!rules[i].unread) {
            all[count++] = (cursor){rules[i].pattern, &rules[i]};
        }
    }
    write_value(source, out, source->json, all, count);
}
