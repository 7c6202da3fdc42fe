// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"
#include "formats/hem_validate.h"

#include <string.h>

// Links to batches. Given the slots, a link's row batch is decided: its two rows, the rotation between its lanes, its
// kind. Sorting by that key makes the batches. Links inside one row have no row batch and go to indexed ones, and so do
// batches of one link where eight such strays cost less as one indexed batch. Lanes that indexed batches have left take
// up whole row batches of few links.
//
// Then the order. What is solved later holds better, so the soft kinds come first: bend, shear, then warp and weft;
// stitches after them, and tethers last, so that the hard limit has the last word. Stretch first and bend last left a
// quarter more stretch; warp after weft a little less on sheets, but capes crumpled.
//
// Within a kind, a batch should not touch a row that the last few batches wrote: the way from its loads through a
// division to its stores is longer than the throughput of one batch. The sorted list is read as a few streams in turn,
// and a small window picks the batch whose rows have rested longest. Batches that are alike in rotation, in whether the
// seam is open and in paint stand together, in the opposite order for every other kind, so that runs are few and long.
//
// A large mesh does not fit into the nearest cache, so all of this is done tile by tile: see order_by_tile.

#define TILE_ROWS 384 // 48 KiB of positions; 96 to 512 took the same time, and larger ones stretch a little less
#define RESTING_BATCHES 4
#define WINDOW 48
#define STREAMS 8
#define FEW_LINKS 3
#define STRAY_LIMIT 6 // an indexed batch costs about as much as this many row batches

static const uint8_t kind_order[] = {
#define KIND_ORDER(name, number, word, batches, arity, order, ...) [order] = number,
    HEM_LINK_KINDS(KIND_ORDER)
#undef KIND_ORDER
};

static hem_link_batch start_batch(uint32_t row_a, uint32_t row_b, uint32_t rotate, uint32_t kind, uint32_t part) {
    hem_link_batch b = {
        .row_a = row_a, .row_b = row_b, .rotate = (uint8_t)rotate, .kind = (uint8_t)kind, .part = (uint8_t)part};
    for (int lane = 0; lane < HEM_LANES; ++lane) {
        b.rest[lane] = -1;
        b.scale[lane] = 255;
    }
    return b;
}

// Whether either end of a link may come first.
static bool ends_are_free(uint32_t kind) {
    return !hem_kind_in(kind, HEM_KINDS_PULLS | HEM_KINDS_BETWEEN);
}

// Row batches of one kind, sorted by rows. Links that fit none are returned as strays.
static size_t make_batches(hemc_arena* arena, const hemc_slot_link* links, size_t count, uint32_t kind, uint32_t part,
                           hem_link_batch* batches, uint32_t* strays, size_t* stray_count) {
    uint64_t* keys = hemc_alloc(arena, count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, count, sizeof(uint32_t));
    size_t found = 0;
    *stray_count = 0;
    for (size_t i = 0; i < count; ++i) {
        if (links[i].kind != kind) {
            continue;
        }
        uint32_t a = links[i].a, b = links[i].b;
        if (ends_are_free(kind) && a > b) {
            a = links[i].b;
            b = links[i].a;
        }
        if (a / HEM_LANES == b / HEM_LANES) {
            strays[(*stray_count)++] = (uint32_t)i;
            continue;
        }
        keys[found] = (uint64_t)(a / HEM_LANES) << 32 | (uint64_t)(b / HEM_LANES) << 8 | ((b - a) & 7u) << 3 | (a & 7u);
        order[found++] = (uint32_t)i;
    }
    hemc_sort(arena, keys, order, found);
    size_t batch_count = 0;
    for (size_t i = 0; i < found; ++i) {
        const hemc_slot_link* l = &links[order[i]];
        const uint32_t lane = (uint32_t)(keys[i] & 7u);
        if (i == 0 || keys[i] >> 3 != keys[i - 1] >> 3) {
            batches[batch_count++] = start_batch((uint32_t)(keys[i] >> 32), (uint32_t)(keys[i] >> 8) & 0xffffffu,
                                                 (uint32_t)(keys[i] >> 3) & 7u, kind, part);
        } else if (keys[i] == keys[i - 1]) {
            continue; // the same pair twice
        }
        hem_link_batch* b = &batches[batch_count - 1];
        b->rest[lane] = l->rest;
        b->scale[lane] = l->scale;
        b->lane_mask |= (uint8_t)(1u << lane);
    }
    return batch_count;
}

static bool single(const hem_link_batch* b) {
    return (b->lane_mask & (b->lane_mask - 1)) == 0;
}

// -- Indexed batches: greedily, the first open batch in which neither end stands yet.

typedef struct stray {
    uint32_t a, b;
    float rest;
    uint8_t scale;
} stray;

static bool in_batch(const hem_index_batch* b, uint32_t count, uint32_t particle) {
    for (uint32_t i = 0; i < count; ++i) {
        if (b->a[i] == particle || b->b[i] == particle) {
            return true;
        }
    }
    return false;
}

// Idle lanes name particles that no other lane uses.
static void fill_idle(hem_index_batch* b, uint32_t count) {
    uint32_t free_particle = 0;
    for (uint32_t lane = count; lane < HEM_LANES; ++lane) {
        while (in_batch(b, lane, free_particle)) {
            ++free_particle;
        }
        b->a[lane] = b->b[lane] = (uint16_t)free_particle;
        b->rest[lane] = -1;
        b->scale[lane] = 255;
    }
}

typedef struct index_set {
    hem_index_batch* batches;
    uint32_t* fill; // lanes in use, per batch
    size_t count, first_open;
} index_set;

// The first batch with a free lane that uses neither end; set->count when there is none.
static size_t find_room(const index_set* set, const stray* s) {
    size_t at = set->first_open;
    while (at < set->count && (set->fill[at] == HEM_LANES || in_batch(&set->batches[at], set->fill[at], s->a) ||
                               in_batch(&set->batches[at], set->fill[at], s->b))) {
        ++at;
    }
    return at;
}

static void put_stray(index_set* set, size_t at, const stray* s) {
    hem_index_batch* b = &set->batches[at];
    const uint32_t lane = set->fill[at]++;
    b->a[lane] = (uint16_t)s->a;
    b->b[lane] = (uint16_t)s->b;
    b->rest[lane] = s->rest;
    b->scale[lane] = s->scale;
    b->lane_mask |= (uint8_t)(1u << lane);
    while (set->first_open < set->count && set->fill[set->first_open] == HEM_LANES) {
        ++set->first_open;
    }
}

static index_set index_batches(hemc_arena* arena, const stray* strays, size_t count, uint32_t kind, uint32_t part) {
    index_set set = {hemc_alloc(arena, count, sizeof(hem_index_batch)), hemc_alloc(arena, count, sizeof(uint32_t)), 0,
                     0};
    for (size_t i = 0; i < count; ++i) {
        const size_t at = find_room(&set, &strays[i]);
        if (at == set.count) {
            set.batches[set.count++] = (hem_index_batch){.kind = (uint8_t)kind, .part = (uint8_t)part};
        }
        put_stray(&set, at, &strays[i]);
    }
    return set;
}

static uint32_t unpack(const hem_link_batch* b, stray links[HEM_LANES]) {
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        if ((b->lane_mask >> lane & 1) != 0) {
            links[count++] = (stray){b->row_a * HEM_LANES + lane, b->row_b * HEM_LANES + ((lane + b->rotate) & 7u),
                                     b->rest[lane], b->scale[lane]};
        }
    }
    return count;
}

// Row batches of few links whose every link finds a free lane in the indexed batches there are. A row batch less for
// nothing. Returns how many row batches are left.
static size_t use_free_lanes(index_set* set, hem_link_batch* batches, size_t batch_count) {
    for (uint32_t size = 1; size <= FEW_LINKS; ++size) {
        size_t kept = 0;
        for (size_t i = 0; i < batch_count; ++i) {
            stray links[HEM_LANES];
            bool moved = unpack(&batches[i], links) == size;
            const index_set before = *set;
            size_t at[FEW_LINKS];
            uint32_t placed = 0;
            for (; placed < size && moved; ++placed) {
                at[placed] = find_room(set, &links[placed]);
                moved = at[placed] < set->count;
                if (!moved) {
                    break;
                }
                put_stray(set, at[placed], &links[placed]);
            }
            if (moved) {
                continue;
            }
            while (placed > 0) { // take back
                const size_t b = at[--placed];
                set->batches[b].lane_mask &= (uint8_t) ~(1u << --set->fill[b]);
            }
            set->first_open = before.first_open;
            batches[kept++] = batches[i];
        }
        batch_count = kept;
    }
    return batch_count;
}

// -- Order

// Sorted by rows, neighbours in the list share rows. Reading the list as several streams parts them.
static void interleave(const hem_link_batch* batches, size_t count, hem_link_batch* out) {
    const size_t length = (count + STREAMS - 1) / STREAMS;
    size_t done = 0;
    for (size_t i = 0; i < length; ++i) {
        for (size_t k = i; k < count; k += length) {
            out[done++] = batches[k];
        }
    }
}

// The same links seen from the other row.
static hem_link_batch turned(const hem_link_batch* b) {
    const uint32_t back = (HEM_LANES - b->rotate) & 7u;
    hem_link_batch t = start_batch(b->row_b, b->row_a, back, b->kind, b->part);
    for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
        const uint32_t from = (lane + back) & 7u;
        t.rest[lane] = b->rest[from];
        t.scale[lane] = b->scale[from];
        t.lane_mask |= (uint8_t)((b->lane_mask >> from & 1u) << lane);
    }
    return t;
}

static uint32_t class_of(const hem_link_batch* b) {
    return (hem_is_painted(b) ? 2u * HEM_LANES : 0u) + 2u * b->rotate + (hem_is_open_seam(b) ? 1u : 0u);
}

#define CLASSES (4 * HEM_LANES)

static bool alike(const hem_link_batch* b, const hem_link_batch* c) {
    return b->kind == c->kind && class_of(b) == class_of(c);
}

// By the row that they are sorted by, the lower one, but the first where the ends are not free; counted from the part's
// first row, so that it does not matter which parts stand before it.
static uint32_t tile_of(const hem_link_batch* b, uint32_t first_row) {
    const uint32_t row = ends_are_free(b->kind) && b->row_b < b->row_a ? b->row_b : b->row_a;
    return row < first_row ? 0 : (row - first_row) / TILE_ROWS;
}

static void order_by_class(hemc_arena* arena, hem_link_batch* batches, size_t count, uint32_t first_row,
                           bool backward) {
    hem_link_batch* sorted = hemc_alloc(arena, count, sizeof(hem_link_batch));
    uint32_t* classes = hemc_alloc(arena, count, sizeof(uint32_t));
    for (size_t i = 0; i < count; ++i) {
        classes[i] = class_of(&batches[i]);
    }
    size_t end = 0;
    for (uint32_t k = 0; k < CLASSES; ++k) {
        for (size_t i = 0; i < count; ++i) {
            if (classes[i] == (backward ? CLASSES - 1 - k : k)) {
                sorted[end++] = batches[i];
            }
        }
    }
    for (size_t from = 0, to = 0; from < count; from = to) {
        while (to < count && alike(&sorted[to], &sorted[from]) &&
               tile_of(&sorted[to], first_row) == tile_of(&sorted[from], first_row)) {
            ++to;
        }
        interleave(sorted + from, to - from, batches + from);
    }
}

// Every row sees its batches in the order they have so far. What may change is when.
typedef struct schedule {
    const hem_link_batch* batches;
    uint32_t* of_rows; // the batches of each row, in their order
    uint32_t* next;    // per row, the first of them that is not done
    uint32_t* seen;    // per row, the first of them that is neither done nor in the window
    int64_t* clock;    // per row, when it was last written
    int64_t time;
    uint32_t window[WINDOW];
    size_t waiting; // in the window
} schedule;

static schedule start_schedule(hemc_arena* arena, const hem_link_batch* batches, size_t count, uint32_t row_count) {
    schedule s = {.batches = batches};
    s.of_rows = hemc_alloc(arena, count * 2, sizeof(uint32_t));
    s.next = hemc_alloc(arena, row_count, sizeof(uint32_t));
    s.seen = hemc_alloc(arena, row_count, sizeof(uint32_t));
    s.clock = hemc_alloc(arena, row_count, sizeof(int64_t));
    uint32_t* end = hemc_alloc(arena, (size_t)row_count + 1, sizeof(uint32_t));
    for (size_t i = 0; i < count; ++i) {
        ++end[batches[i].row_a + 1];
        ++end[batches[i].row_b + 1];
    }
    for (uint32_t row = 0; row < row_count; ++row) {
        end[row + 1] += end[row];
        s.next[row] = s.seen[row] = end[row];
        s.clock[row] = -RESTING_BATCHES;
    }
    for (size_t i = 0; i < count; ++i) {
        s.of_rows[end[batches[i].row_a]++] = (uint32_t)i;
        s.of_rows[end[batches[i].row_b]++] = (uint32_t)i;
    }
    return s;
}

// Whether the batch is the first of both its rows.
static bool is_first(const schedule* s, const uint32_t* first, uint32_t i) {
    const hem_link_batch* b = &s->batches[i];
    return s->of_rows[first[b->row_a]] == i && s->of_rows[first[b->row_b]] == i;
}

static int64_t rested(const schedule* s, uint32_t i) {
    const hem_link_batch* b = &s->batches[i];
    const int64_t last = s->clock[b->row_a] > s->clock[b->row_b] ? s->clock[b->row_a] : s->clock[b->row_b];
    const int64_t rest = s->time - last;
    return rest < RESTING_BATCHES ? rest : RESTING_BATCHES;
}

static void wait_in_window(schedule* s, uint32_t i) {
    ++s->seen[s->batches[i].row_a];
    ++s->seen[s->batches[i].row_b];
    s->window[s->waiting++] = i;
}

// Of the batches that wait, the one whose rows have rested longest. The first of them could always be taken.
static uint32_t take_from_window(schedule* s) {
    size_t best = 0;
    int64_t best_rest = -1;
    for (size_t k = 0; k < s->waiting && best_rest < RESTING_BATCHES; ++k) {
        const int64_t rest = rested(s, s->window[k]);
        if (rest > best_rest && is_first(s, s->next, s->window[k])) {
            best = k;
            best_rest = rest;
        }
    }
    const uint32_t i = s->window[best];
    const hem_link_batch* b = &s->batches[i];
    ++s->next[b->row_a];
    ++s->next[b->row_b];
    s->clock[b->row_a] = s->clock[b->row_b] = s->time++;
    memmove(&s->window[best], &s->window[best + 1], (s->waiting - best - 1) * sizeof(s->window[0]));
    --s->waiting;
    return i;
}

// All kinds of one tile before the first of the next, so that its rows are still near when the next kind wants them.
// What reaches into a later tile waits for it, as do tethers whose anchors stand in the part's last rows.
static void order_by_tile(hemc_arena* arena, hem_link_batch* batches, size_t count, uint32_t first_row,
                          uint32_t row_count) {
    schedule s = start_schedule(arena, batches, count, row_count);
    bool* taken = hemc_alloc(arena, count, sizeof(bool));
    hem_link_batch* out = hemc_alloc(arena, count, sizeof(hem_link_batch));
    size_t done = 0, from = 0; // all before `from` are taken
    for (uint32_t limit = first_row + TILE_ROWS; done < count; limit += TILE_ROWS) {
        for (size_t i = from; i < count || s.waiting != 0;) {
            // Batches that reach into a later tile, or wait for one that does, stay behind.
            for (; i < count && s.waiting < WINDOW; ++i) {
                const hem_link_batch* b = &batches[i];
                if (s.waiting != 0 && !alike(&batches[s.window[0]], b)) {
                    break;
                }
                if (!taken[i] && b->row_a < limit && b->row_b < limit && is_first(&s, s.seen, (uint32_t)i)) {
                    taken[i] = true;
                    wait_in_window(&s, (uint32_t)i);
                }
            }
            if (s.waiting != 0) {
                out[done++] = batches[take_from_window(&s)];
            }
        }
        while (from < count && taken[from]) {
            ++from;
        }
    }
    if (count != 0) {
        memcpy(batches, out, count * sizeof(hem_link_batch));
    }
}

// Each batch counts how many from it on are one run.
static void mark_runs(hem_link_batch* batches, size_t count) {
    for (size_t i = count; i-- > 0;) {
        hem_link_batch* b = &batches[i];
        b->run = hem_may_run(b) ? 1 : 0;
        if (i + 1 < count && hem_may_follow(b, b + 1)) {
            b->run += b[1].run;
        }
    }
}

void* hemc_append(hemc_arena* arena, const void* head, size_t head_count, const void* tail, size_t tail_count,
                  size_t size) {
    uint8_t* out = hemc_alloc(arena, head_count + tail_count, size);
    if (head_count != 0) {
        memcpy(out, head, head_count * size);
    }
    if (tail_count != 0) {
        memcpy(out + head_count * size, tail, tail_count * size);
    }
    return out;
}

void hemc_batch_links(hemc_arena* arena, const hemc_slot_link* links, size_t count, uint32_t part, uint32_t row_count,
                      hemc_layout* layout) {
    hem_link_batch* batches = hemc_alloc(arena, count, sizeof(hem_link_batch));
    uint32_t* stray_links = hemc_alloc(arena, count, sizeof(uint32_t));
    const uint32_t first = layout->link_batch_count, first_row = layout->parts[part].row_begin;
    for (size_t k = 0; k < sizeof kind_order; ++k) {
        const uint32_t kind = kind_order[k];
        size_t stray_count;
        size_t batch_count = make_batches(arena, links, count, kind, part, batches, stray_links, &stray_count);
        stray* strays = hemc_alloc(arena, stray_count + batch_count, sizeof(stray));
        for (size_t i = 0; i < stray_count; ++i) {
            const hemc_slot_link* l = &links[stray_links[i]];
            strays[i] = (stray){l->a, l->b, l->rest, l->scale};
        }
        // Row batches of one link: worth moving when they fill indexed batches.
        size_t lonely = 0;
        for (size_t i = 0; i < batch_count; ++i) {
            lonely += single(&batches[i]);
        }
        if (!hem_kind_in(kind, HEM_KINDS_PULLS) && (lonely >= STRAY_LIMIT || stray_count != 0)) {
            size_t kept = 0;
            const size_t room = stray_count % HEM_LANES != 0 ? HEM_LANES - stray_count % HEM_LANES : 0;
            // As many as fill whole batches, and the last incomplete one if it pays.
            size_t moves = lonely <= room ? lonely : room + (lonely - room) / HEM_LANES * HEM_LANES;
            if (lonely > room && (lonely - room) % HEM_LANES >= STRAY_LIMIT) {
                moves = lonely;
            }
            for (size_t i = 0; i < batch_count; ++i) {
                if (single(&batches[i]) && moves > 0) {
                    stray moved[HEM_LANES];
                    unpack(&batches[i], moved);
                    strays[stray_count++] = moved[0];
                    --moves;
                } else {
                    batches[kept++] = batches[i];
                }
            }
            batch_count = kept;
        }
        index_set indexed = index_batches(arena, strays, stray_count, kind, part);
        batch_count = use_free_lanes(&indexed, batches, batch_count);
        for (size_t i = 0; i < indexed.count; ++i) {
            fill_idle(&indexed.batches[i], indexed.fill[i]);
        }
        // Of the two ways to see a seam one rotation is enough: the kernel sets it up once for all that have it.
        for (size_t i = 0; i < batch_count; ++i) {
            if (ends_are_free(kind) && batches[i].rotate > HEM_LANES / 2) {
                batches[i] = turned(&batches[i]);
            }
        }
        order_by_class(arena, batches, batch_count, first_row, k % 2 != 0);
        layout->links =
            hemc_append(arena, layout->links, layout->link_batch_count, batches, batch_count, sizeof *batches);
        layout->link_batch_count += (uint32_t)batch_count;
        layout->indexed = hemc_append(arena, layout->indexed, layout->index_batch_count, indexed.batches, indexed.count,
                                      sizeof *indexed.batches);
        layout->index_batch_count += (uint32_t)indexed.count;
    }
    order_by_tile(arena, layout->links + first, layout->link_batch_count - first, first_row, row_count);
    mark_runs(layout->links + first, layout->link_batch_count - first);
}
