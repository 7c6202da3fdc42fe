// SPDX-License-Identifier: MIT
#include "tools/deflate.h"

#include <stdlib.h>
#include <string.h>

// A deflate encoder with dynamic Huffman codes. The single-header PNG writers use the fixed codes of the standard; on
// the palette frames of a film that costs a third more bytes, and a film is most of what the tools write.
//
// The input is cut into tokens: a literal byte, or a match (length 3..258, distance 1..32768) found by walking a hash
// list of earlier places with the same three bytes; a match is given up when the next byte starts a longer one. Tokens
// are gathered into blocks of up to BLOCK_TOKENS, each with codes built from its own counts.

enum {
    WINDOW = 32768,
    HASH_BITS = 15,
    HASH_SIZE = 1 << HASH_BITS,
    TRY_MAX = 96,
    MATCH_MIN = 3,
    MATCH_MAX = 258,
    BLOCK_TOKENS = 32768,
    LITERAL_CODES = 286,
    DISTANCE_CODES = 30,
    LENGTH_CODES = 19,
    CODE_BITS_MAX = 15,
    END_OF_BLOCK = 256,
};

typedef struct token {
    uint16_t length;   // 0: literal
    uint16_t distance; // minus 1; or the literal
} token;

typedef struct encoder {
    bytes* out;
    uint32_t bits;
    int32_t bit_count;
    int32_t token_count;
    token tokens[BLOCK_TOKENS];
    int32_t head[HASH_SIZE];  // last place with this hash, or -1
    int32_t previous[WINDOW]; // the place before it, by place modulo WINDOW
} encoder;

typedef struct code_table {
    uint16_t code[LITERAL_CODES];
    uint8_t length[LITERAL_CODES];
} code_table;

static const uint16_t LENGTH_BASE[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t LENGTH_EXTRA[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t DISTANCE_BASE[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                           33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                           1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t DISTANCE_EXTRA[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                           6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

static int32_t slot_of(const uint16_t* base, int32_t count, int32_t value) {
    int32_t slot = count - 1;
    while (base[slot] > value) {
        slot--;
    }
    return slot;
}

static void put_bits(encoder* e, uint32_t value, int32_t count) {
    e->bits |= value << e->bit_count;
    e->bit_count += count;
    while (e->bit_count >= 8) {
        bytes_append_u8(e->out, (uint8_t)e->bits);
        e->bits >>= 8;
        e->bit_count -= 8;
    }
}

static void put_code(encoder* e, const code_table* table, int32_t symbol) {
    put_bits(e, table->code[symbol], table->length[symbol]);
}

// -- Huffman codes

// Code lengths by merging the two lightest trees until one is left. Ties go to the lower index, so the result is one
// definite answer. Trees deeper than `bits_max` are avoided by flattening the counts and starting over.
void deflate_code_lengths(const uint32_t* counts, int32_t count, int32_t bits_max, uint8_t* lengths) {
    uint32_t weight[2 * LITERAL_CODES];
    int32_t parent[2 * LITERAL_CODES];
    int32_t alive[LITERAL_CODES];
    for (uint32_t flatten = 0;; flatten++) {
        int32_t alive_count = 0, node_count = count;
        memset(lengths, 0, (size_t)count);
        for (int32_t i = 0; i < count; i++) {
            if (counts[i] > 0) {
                weight[i] = counts[i] >> flatten > 0 ? counts[i] >> flatten : 1;
                alive[alive_count++] = i;
            }
        }
        if (alive_count == 1) {
            lengths[alive[0]] = 1;
            return;
        }
        int32_t leaf_count = alive_count;
        int32_t leaves[LITERAL_CODES];
        memcpy(leaves, alive, sizeof(int32_t) * (size_t)leaf_count);
        while (alive_count > 1) {
            int32_t pair[2];
            for (int32_t k = 0; k < 2; k++) {
                int32_t best = 0;
                for (int32_t i = 1; i < alive_count; i++) {
                    if (weight[alive[i]] < weight[alive[best]]) {
                        best = i;
                    }
                }
                pair[k] = alive[best];
                memmove(alive + best, alive + best + 1, sizeof(int32_t) * (size_t)(alive_count - best - 1));
                alive_count--;
            }
            weight[node_count] = weight[pair[0]] + weight[pair[1]];
            parent[pair[0]] = parent[pair[1]] = node_count;
            alive[alive_count++] = node_count++;
        }
        int32_t deepest = 0;
        for (int32_t i = 0; i < leaf_count; i++) {
            int32_t depth = 0;
            for (int32_t node = leaves[i]; node != node_count - 1; node = parent[node]) {
                depth++;
            }
            lengths[leaves[i]] = (uint8_t)(depth < 255 ? depth : 255);
            deepest = depth > deepest ? depth : deepest;
        }
        if (deepest <= bits_max) {
            return;
        }
    }
}

// Canonical codes from lengths, bit-reversed because deflate sends codes most significant bit first.
static void build_codes(code_table* table, int32_t count) {
    uint32_t next = 0;
    for (int32_t bits = 1; bits <= CODE_BITS_MAX; bits++) {
        for (int32_t i = 0; i < count; i++) {
            if (table->length[i] == bits) {
                uint32_t reversed = 0;
                for (int32_t b = 0; b < bits; b++) {
                    reversed |= ((next >> b) & 1u) << (bits - 1 - b);
                }
                table->code[i] = (uint16_t)reversed;
                next++;
            }
        }
        next <<= 1;
    }
}

// -- Blocks

// Runs of code lengths: 16 repeats the last 3..6 times, 17 and 18 are 3..10 and 11..138 zeros. Calls with e == NULL only
// count, so that the codes for the lengths can be built first.
static void put_lengths(encoder* e, const uint8_t* lengths, int32_t count, const code_table* table, uint32_t* counts) {
    for (int32_t i = 0; i < count;) {
        int32_t run = 1;
        while (i + run < count && lengths[i + run] == lengths[i]) {
            run++;
        }
        int32_t symbol = lengths[i], extra_bits = 0, extra = 0;
        if (lengths[i] == 0 && run >= 11) {
            run = run > 138 ? 138 : run;
            symbol = 18, extra_bits = 7, extra = run - 11;
        } else if (lengths[i] == 0 && run >= 3) {
            symbol = 17, extra_bits = 3, extra = run - 3;
        } else if (i > 0 && lengths[i] == lengths[i - 1] && run >= 3) {
            run = run > 6 ? 6 : run;
            symbol = 16, extra_bits = 2, extra = run - 3;
        } else {
            run = 1;
        }
        if (e == NULL) {
            counts[symbol]++;
        } else {
            put_code(e, table, symbol);
            put_bits(e, (uint32_t)extra, extra_bits);
        }
        i += run;
    }
}

static void put_block(encoder* e, bool last) {
    uint32_t literal_counts[LITERAL_CODES] = {0}, distance_counts[DISTANCE_CODES] = {0};
    for (int32_t i = 0; i < e->token_count; i++) {
        token t = e->tokens[i];
        if (t.length == 0) {
            literal_counts[t.distance]++;
        } else {
            literal_counts[257 + slot_of(LENGTH_BASE, 29, t.length)]++;
            distance_counts[slot_of(DISTANCE_BASE, 30, t.distance + 1)]++;
        }
    }
    literal_counts[END_OF_BLOCK] = 1;

    code_table literals = {0}, distances = {0}, lengths = {0};
    deflate_code_lengths(literal_counts, LITERAL_CODES, CODE_BITS_MAX, literals.length);
    int32_t distance_count = 1;
    for (int32_t i = 0; i < DISTANCE_CODES; i++) {
        distance_count = distance_counts[i] > 0 ? i + 1 : distance_count;
    }
    if (e->token_count > 0) {
        distance_counts[0] += 1; // at least one distance code, used or not: some readers refuse none
    }
    deflate_code_lengths(distance_counts, distance_count, CODE_BITS_MAX, distances.length);
    int32_t literal_count = LITERAL_CODES;
    while (literal_count > 257 && literals.length[literal_count - 1] == 0) {
        literal_count--;
    }
    build_codes(&literals, literal_count);
    build_codes(&distances, distance_count);

    uint8_t all[LITERAL_CODES + DISTANCE_CODES];
    memcpy(all, literals.length, (size_t)literal_count);
    memcpy(all + literal_count, distances.length, (size_t)distance_count);
    uint32_t length_counts[LENGTH_CODES] = {0};
    put_lengths(NULL, all, literal_count + distance_count, NULL, length_counts);
    deflate_code_lengths(length_counts, LENGTH_CODES, 7, lengths.length);
    build_codes(&lengths, LENGTH_CODES);

    static const uint8_t ORDER[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    int32_t order_count = LENGTH_CODES;
    while (order_count > 4 && lengths.length[ORDER[order_count - 1]] == 0) {
        order_count--;
    }
    put_bits(e, last ? 1 : 0, 1);
    put_bits(e, 2, 2);
    put_bits(e, (uint32_t)(literal_count - 257), 5);
    put_bits(e, (uint32_t)(distance_count - 1), 5);
    put_bits(e, (uint32_t)(order_count - 4), 4);
    for (int32_t i = 0; i < order_count; i++) {
        put_bits(e, lengths.length[ORDER[i]], 3);
    }
    put_lengths(e, all, literal_count + distance_count, &lengths, NULL);

    for (int32_t i = 0; i < e->token_count; i++) {
        token t = e->tokens[i];
        if (t.length == 0) {
            put_code(e, &literals, t.distance);
            continue;
        }
        int32_t slot = slot_of(LENGTH_BASE, 29, t.length);
        put_code(e, &literals, 257 + slot);
        put_bits(e, (uint32_t)(t.length - LENGTH_BASE[slot]), LENGTH_EXTRA[slot]);
        slot = slot_of(DISTANCE_BASE, 30, t.distance + 1);
        put_code(e, &distances, slot);
        put_bits(e, (uint32_t)(t.distance + 1 - DISTANCE_BASE[slot]), DISTANCE_EXTRA[slot]);
    }
    put_code(e, &literals, END_OF_BLOCK);
    e->token_count = 0;
}

// -- Matches

static uint32_t hash_at(const uint8_t* p) {
    uint32_t three = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return (three * 2654435761u) >> (32 - HASH_BITS);
}

static void remember(encoder* e, const uint8_t* data, size_t size, size_t at) {
    if (size - at >= MATCH_MIN) {
        uint32_t h = hash_at(data + at);
        e->previous[at % WINDOW] = e->head[h];
        e->head[h] = (int32_t)at;
    }
}

static token find_match(const encoder* e, const uint8_t* data, size_t size, size_t at) {
    token best = {0, 0};
    size_t limit = size - at < MATCH_MAX ? size - at : MATCH_MAX;
    if (limit < MATCH_MIN) {
        return best;
    }
    int32_t place = e->head[hash_at(data + at)];
    for (int32_t tries = 0; place >= 0 && tries < TRY_MAX; tries++) {
        size_t distance = at - (size_t)place;
        if (distance > WINDOW - 1) {
            break;
        }
        const uint8_t* a = data + at;
        const uint8_t* b = data + place;
        if (best.length == 0 || a[best.length] == b[best.length]) {
            size_t length = 0;
            while (length < limit && a[length] == b[length]) {
                length++;
            }
            // Three bytes from far away cost more than three literals.
            if (length > best.length && (length > MATCH_MIN || distance < 4096) && length >= MATCH_MIN) {
                best.length = (uint16_t)length;
                best.distance = (uint16_t)(distance - 1);
                if (length == limit) {
                    break;
                }
            }
        }
        place = e->previous[(size_t)place % WINDOW];
    }
    return best;
}

static void put_token(encoder* e, token t) {
    e->tokens[e->token_count++] = t;
    if (e->token_count == BLOCK_TOKENS) {
        put_block(e, false);
    }
}

static void put_tokens(encoder* e, const uint8_t* data, size_t size) {
    token pending = {0, 0};
    for (size_t at = 0; at < size;) {
        token match = pending.length > 0 ? pending : find_match(e, data, size, at);
        pending.length = 0;
        remember(e, data, size, at);
        if (match.length > 0 && match.length < MATCH_MAX && at + 1 < size) {
            token next = find_match(e, data, size, at + 1);
            if (next.length > match.length) {
                pending = next;
                match.length = 0;
            }
        }
        if (match.length == 0) {
            token literal = {0, data[at]};
            put_token(e, literal);
            at++;
            continue;
        }
        put_token(e, match);
        for (size_t i = 1; i < match.length; i++) {
            remember(e, data, size, at + i);
        }
        at += match.length;
    }
}

void deflate_zlib(bytes* out, const uint8_t* data, size_t size) {
    if (size > INT32_MAX) { // places are kept in 32 bits
        out->failed = true;
        return;
    }
    encoder* e = malloc(sizeof(encoder));
    if (e == NULL) {
        out->failed = true;
        return;
    }
    e->out = out;
    e->bits = 0;
    e->bit_count = 0;
    e->token_count = 0;
    memset(e->head, 0xff, sizeof(e->head));
    bytes_append(out, "\x78\x9c", 2);
    put_tokens(e, data, size);
    put_block(e, true);
    if (e->bit_count > 0) {
        put_bits(e, 0, 8 - e->bit_count);
    }
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + data[i]) % 65521u;
        b = (b + a) % 65521u;
    }
    bytes_append_u32_be(out, b << 16 | a);
    free(e);
}
