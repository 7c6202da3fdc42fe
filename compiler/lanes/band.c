// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"
#include "compiler/surface/spatial.h"

#include <string.h>

// Placement of what the cut planes make: levels of columns.
//
// A band is a run of levels through which the columns keep their order: each level continues the one below with all
// columns moved by one and the same number. A band is a piece of the integer grid (column, level), with ragged ends
// where a border slopes, or a ring. Where columns are added in between (a skirt whose number of columns doubles), a new
// band begins.
//
// Each band gets rows of its own and a fold of the grid onto them: place = column * P + level on a ring of 8 x rows places,
// with lane = place / rows. Every kind of link then has one difference of places and takes one batch per row at
// most, whatever the outline of the band: all that is needed is that no two particles fall on one place. So P may be
// less than the tallest column where short ones leave room, as when parcels are stacked askew. For a ring, P times the
// number of columns should be a multiple of the places, so that the last column meets the first. A second kind of fold
// gives each lane a strip of whole columns and turns the lanes against each other.
//
// A ring of sixteen columns is the worst: it closes only if two pitches are a whole number of lanes, and then every second
// column is in the same row, where no row batch holds their bends. Either the seam or the bends are left over, about a
// quarter of the lanes, unless the rows are a multiple of sixteen. Rings of 12, 20, 24, 32 have no such trouble.
//
// Links between bands are few. They line up as far as both bands cut their columns into lanes at the same spots.

#define FOLD_TRIALS 8 // pitches tried for each number of rows
#define STRIP_TRIALS 12
#define SIZE_TRIALS 40 // numbers of rows
#define SCRAP_LIMIT 64 // particles

typedef struct level_piece { // particles joined by weft links on one level
    uint32_t begin, count;   // in `order`
    int32_t level;
    bool closed;
    int32_t above; // piece that continues this one, HEM_NONE
    int32_t below;
    int32_t shift; // number of a particle here minus that of its neighbour below
} level_piece;

typedef struct band {
    uint32_t count;      // particles
    uint32_t* particles; // net numbers
    int32_t* column;     // from 0
    int32_t* level;      // from 0
    uint32_t width, height;
    bool closed;
    uint32_t* by_column; // numbers of its particles: the first column, the last, the second, ...
    uint32_t* by_level;  // the same with levels
} band;

typedef struct banding {
    hemc_arena* arena;
    const hemc_net* net;
    uint32_t* piece_of; // per particle
    uint32_t* number;   // per particle: place along its piece
    uint32_t* order;
    level_piece* pieces;
    uint32_t piece_count;
    band* bands;
    uint32_t band_count;
    uint32_t* band_of; // per particle
} banding;

// -- Pieces

static void make_pieces(banding* b) {
    const hemc_net* net = b->net;
    uint32_t* parent = hemc_alloc(b->arena, net->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < net->count; ++i) {
        parent[i] = i;
    }
    for (uint32_t i = 0; i < net->weave_count; ++i) {
        const uint32_t* e = net->weave[i];
        if (net->weave_kinds[i] == HEM_LINK_WEFT && net->level[e[0]] == net->level[e[1]]) {
            parent[hemc_root_of(parent, e[0])] = hemc_root_of(parent, e[1]);
        }
    }
    // Pieces numbered by their first particle; inside a piece, by column.
    uint64_t* keys = hemc_alloc(b->arena, net->count, sizeof(uint64_t));
    uint32_t* first = hemc_alloc(b->arena, net->count, sizeof(uint32_t));
    b->order = hemc_alloc(b->arena, net->count, sizeof(uint32_t));
    memset(first, 0xff, net->count * sizeof(uint32_t));
    for (uint32_t i = 0; i < net->count; ++i) {
        const uint32_t root = hemc_root_of(parent, i);
        first[root] = first[root] == UINT32_MAX ? i : first[root];
        keys[i] = (uint64_t)first[root] << 32 | ((uint32_t)net->column[i] ^ 0x80000000u);
        b->order[i] = i;
    }
    hemc_sort(b->arena, keys, b->order, net->count);
    b->pieces = hemc_alloc(b->arena, net->count, sizeof(level_piece));
    b->piece_of = hemc_alloc(b->arena, net->count, sizeof(uint32_t));
    b->number = hemc_alloc(b->arena, net->count, sizeof(uint32_t));
    for (uint32_t i = 0; i < net->count; ++i) {
        if (i == 0 || keys[i] >> 32 != keys[i - 1] >> 32) {
            b->pieces[b->piece_count++] =
                (level_piece){.begin = i, .level = net->level[b->order[i]], .above = HEM_NONE, .below = HEM_NONE};
        }
        level_piece* piece = &b->pieces[b->piece_count - 1];
        b->piece_of[b->order[i]] = b->piece_count - 1;
        b->number[b->order[i]] = piece->count++;
    }
    for (uint32_t i = 0; i < net->weave_count; ++i) {
        const uint32_t *e = net->weave[i], piece = b->piece_of[e[0]];
        if (net->weave_kinds[i] == HEM_LINK_WEFT && piece == b->piece_of[e[1]] && b->pieces[piece].count > 2) {
            const uint32_t low = b->number[e[0]] < b->number[e[1]] ? b->number[e[0]] : b->number[e[1]];
            const uint32_t high = b->number[e[0]] < b->number[e[1]] ? b->number[e[1]] : b->number[e[0]];
            b->pieces[piece].closed |= low == 0 && high == b->pieces[piece].count - 1;
        }
    }
}

// -- Continuation

// Pieces of attached particles only have no links among themselves and may as well stand apart.
static bool is_fixed_piece(const banding* b, const level_piece* piece) {
    for (uint32_t i = 0; i < piece->count; ++i) {
        if (!b->net->fixed[b->order[piece->begin + i]]) {
            return false;
        }
    }
    return true;
}

static void join_pieces(banding* b, bool split_fixed) {
    const hemc_net* net = b->net;
    uint64_t* keys = hemc_alloc(b->arena, net->weave_count, sizeof(uint64_t));
    uint32_t* links = hemc_alloc(b->arena, net->weave_count, sizeof(uint32_t));
    uint32_t count = 0;
    for (uint32_t i = 0; i < net->weave_count; ++i) {
        uint32_t lower = net->weave[i][0], upper = net->weave[i][1];
        if (net->weave_kinds[i] != HEM_LINK_WARP || net->level[lower] == net->level[upper]) {
            continue;
        }
        if (net->level[lower] > net->level[upper]) {
            lower = net->weave[i][1];
            upper = net->weave[i][0];
        }
        const level_piece* piece = &b->pieces[b->piece_of[upper]];
        int32_t shift = (int32_t)b->number[upper] - (int32_t)b->number[lower];
        if (piece->closed && shift < 0) {
            shift += (int32_t)piece->count;
        }
        keys[count] =
            (uint64_t)b->piece_of[lower] << 44 | (uint64_t)b->piece_of[upper] << 24 | (uint64_t)(shift + (1 << 20));
        links[count++] = i;
    }
    hemc_sort(b->arena, keys, links, count);
    // Per pair of pieces the commonest shift, and how many links have another.
    for (uint32_t begin = 0; begin < count;) {
        uint32_t end = begin, best_count = 0;
        int32_t best_shift = 0;
        while (end < count && keys[end] >> 24 == keys[begin] >> 24) {
            uint32_t same = end;
            while (same < count && keys[same] == keys[end]) {
                ++same;
            }
            if (same - end > best_count) {
                best_count = same - end;
                best_shift = (int32_t)(keys[end] & 0xffffffu) - (1 << 20);
            }
            end = same;
        }
        level_piece* lower = &b->pieces[keys[begin] >> 44];
        level_piece* upper = &b->pieces[keys[begin] >> 24 & 0xfffffu];
        const uint32_t narrow = lower->count < upper->count ? lower->count : upper->count;
        const bool fits = lower->closed == upper->closed && (!lower->closed || lower->count == upper->count) &&
                          (!split_fixed || is_fixed_piece(b, lower) == is_fixed_piece(b, upper));
        // Nearly all of the narrower piece, and few links astray.
        if (fits && best_count * 4 >= narrow * 3 && best_count * 8 >= (end - begin) * 7 && lower->above == HEM_NONE &&
            upper->below == HEM_NONE) {
            lower->above = (int32_t)(keys[begin] >> 24 & 0xfffffu);
            upper->below = (int32_t)(keys[begin] >> 44);
            upper->shift = best_shift;
        }
        begin = end;
    }
}

// From both ends to the middle. A fold in which two particles meet shows it at once in this order, whether neighbours overlap
// or the last meets the first; in the order of the pieces, most of the band would be laid before.
static uint32_t* order_from_ends(hemc_arena* arena, const int32_t* values, uint32_t limit, uint32_t count) {
    uint64_t* keys = hemc_alloc(arena, count, sizeof(uint64_t));
    uint32_t* order = hemc_alloc(arena, count, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t low = (uint32_t)values[i], high = limit - 1 - low;
        keys[i] = low <= high ? 2 * (uint64_t)low : 2 * (uint64_t)high + 1;
        order[i] = i;
    }
    hemc_sort(arena, keys, order, count);
    return order;
}

static void make_bands(banding* b) {
    b->bands = hemc_alloc(b->arena, b->piece_count, sizeof(band));
    b->band_of = hemc_alloc(b->arena, b->net->count, sizeof(uint32_t));
    for (uint32_t first = 0; first < b->piece_count; ++first) {
        if (b->pieces[first].below != HEM_NONE) {
            continue;
        }
        band* d = &b->bands[b->band_count];
        for (int32_t r = (int32_t)first; r != HEM_NONE; r = b->pieces[r].above) {
            d->count += b->pieces[r].count;
        }
        d->particles = hemc_alloc(b->arena, d->count, sizeof(uint32_t));
        d->column = hemc_alloc(b->arena, d->count, sizeof(int32_t));
        d->level = hemc_alloc(b->arena, d->count, sizeof(int32_t));
        d->closed = b->pieces[first].closed;
        int32_t offset = 0, low = 0, high = 0, level = 0;
        uint32_t next = 0;
        for (int32_t r = (int32_t)first; r != HEM_NONE; r = b->pieces[r].above) {
            const level_piece* piece = &b->pieces[r];
            offset -= piece->shift;
            for (uint32_t i = 0; i < piece->count; ++i) {
                int32_t column = (int32_t)i + offset;
                if (d->closed) {
                    const int32_t width = (int32_t)piece->count;
                    column = (column % width + width) % width;
                }
                low = column < low ? column : low;
                high = column > high ? column : high;
                d->particles[next] = b->order[piece->begin + i];
                d->column[next] = column;
                d->level[next++] = level;
                b->band_of[b->order[piece->begin + i]] = b->band_count;
            }
            ++level;
        }
        for (uint32_t i = 0; i < d->count; ++i) {
            d->column[i] -= low;
        }
        d->width = (uint32_t)(high - low + 1);
        d->height = (uint32_t)level;
        d->by_column = order_from_ends(b->arena, d->column, d->width, d->count);
        d->by_level = order_from_ends(b->arena, d->level, d->height, d->count);
        ++b->band_count;
    }
}

// -- Folding one band

typedef struct fold_search {
    hemc_net links;  // those inside the band and to bands that are placed
    uint32_t* stamp; // per place: trial that used it
    uint32_t trial;
    uint32_t row_begin;
    uint32_t* slots;      // of the whole net
    uint32_t* best_slots; // of the band
    double best_cost;
    uint32_t best_rows;
    hemc_cost_table table;
} fold_search;

static bool take_place(fold_search* f, uint32_t particle, uint32_t rows, uint32_t place) {
    if (f->stamp[place] == f->trial) {
        return false;
    }
    f->stamp[place] = f->trial;
    f->slots[particle] = (f->row_begin + place % rows) * HEM_LANES + place / rows;
    return true;
}

static void judge_fold(fold_search* f, const band* d, uint32_t rows) {
    const double cost = hemc_table_cost(&f->table, &f->links, f->slots, rows, f->best_cost);
    if (cost < f->best_cost) {
        f->best_cost = cost;
        f->best_rows = rows;
        for (uint32_t i = 0; i < d->count; ++i) {
            f->best_slots[i] = f->slots[d->particles[i]];
        }
    }
}

// place = column * pitch + level * rise; false when two particles meet.
static bool try_fold(fold_search* f, const band* d, uint32_t rows, uint32_t pitch, uint32_t rise) {
    const uint32_t place_count = rows * HEM_LANES;
    const uint32_t* order = rise == 1 ? d->by_column : d->by_level;
    ++f->trial;
    for (uint32_t n = 0; n < d->count; ++n) {
        const uint32_t i = order[n];
        const uint64_t place = (uint64_t)d->column[i] * pitch + (uint64_t)d->level[i] * rise;
        if (!take_place(f, d->particles[i], rows, (uint32_t)(place % place_count))) {
            return false;
        }
    }
    judge_fold(f, d, rows);
    return true;
}

// Strips of `strip` columns, one to a lane, each turned by `skew` rows against the last.
static bool try_strips(fold_search* f, const band* d, uint32_t rows, uint32_t strip, uint32_t pitch, uint32_t skew) {
    ++f->trial;
    for (uint32_t n = 0; n < d->count; ++n) {
        const uint32_t i = d->by_column[n];
        const uint32_t column = (uint32_t)d->column[i], lane = column / strip;
        const uint32_t row = (column % strip * pitch + (uint32_t)d->level[i] + skew * lane) % rows;
        if (!take_place(f, d->particles[i], rows, lane * rows + row)) {
            return false;
        }
    }
    judge_fold(f, d, rows);
    return true;
}

// A ring of eight columns in eight lanes would have its weft inside rows, one of sixteen its bends: no row batch holds
// those. Turning each lane by the same number of rows parts them; eight turns must come round for a ring to close.
static void fold_strips(fold_search* f, const band* d, uint32_t rows) {
    const uint32_t strip = (d->width + HEM_LANES - 1) / HEM_LANES;
    if (d->closed && d->width % HEM_LANES != 0) {
        return;
    }
    uint32_t found = 0;
    for (uint32_t skew = 0; skew < rows && found < STRIP_TRIALS; ++skew) {
        if (d->closed && HEM_LANES * skew % rows != 0) {
            continue;
        }
        // Whole columns beneath each other, or spread over the rows there are.
        found += try_strips(f, d, rows, strip, d->height, skew);
        found += rows / strip != d->height && try_strips(f, d, rows, strip, rows / strip, skew);
    }
}

static bool rows_worth_trying(uint32_t rows, uint32_t minimum, const band* d) {
    if (rows <= minimum + 4 || rows % d->height == 0 || rows % d->width == 0) {
        return true;
    }
    return minimum <= 160; // all of them, while that is quick
}

static void fold_band(fold_search* f, const band* d, hemc_folds folds) {
    const uint32_t minimum = (d->count + HEM_LANES - 1) / HEM_LANES;
    const uint32_t maximum = minimum + minimum / 5 + 4;
    f->best_cost = 1e300;
    uint32_t sizes = 0; // a fixed number of them, each in time that goes with the links
    for (uint32_t rows = minimum; rows <= maximum && sizes < SIZE_TRIALS; ++rows) {
        if (!rows_worth_trying(rows, minimum, d) || (folds == HEMC_FOLD_WHOLE_COLUMNS && rows % d->height != 0)) {
            continue;
        }
        ++sizes;
        const uint32_t place_count = rows * HEM_LANES;
        uint32_t found = 0;
        fold_strips(f, d, rows);
        if (d->closed && place_count % d->width == 0) {
            try_fold(f, d, rows, place_count / d->width, 1);
        }
        for (uint32_t k = 0; k <= 2 * d->height && found < FOLD_TRIALS; ++k) {
            // height, height - 1, height + 1, ...
            const uint32_t pitch = k % 2 == 0 ? d->height + k / 2 : d->height > k / 2 + 1 ? d->height - k / 2 - 1 : 0;
            found += pitch > 0 && try_fold(f, d, rows, pitch, 1);
        }
        found = 0;
        for (uint32_t k = 0; k <= 2 * d->width && found < FOLD_TRIALS && folds == HEMC_FOLD_ANY; ++k) {
            const uint32_t rise = k % 2 == 0 ? d->width + k / 2 : d->width > k / 2 + 1 ? d->width - k / 2 - 1 : 0;
            found += rise > 0 && try_fold(f, d, rows, 1, rise);
        }
    }
}

// -- All bands

struct hemc_bands {
    banding b;
    uint32_t* order;       // of the bands: the largest first, the others fit themselves to those
    uint32_t* link_starts; // per band: links with an end in it, in link_list
    uint32_t* link_list;
    uint8_t* placed; // per band
    uint8_t* scrap;
    fold_search fold;
};

static void order_bands(hemc_bands* s) {
    const uint32_t count = s->b.band_count;
    uint64_t* keys = hemc_alloc(s->b.arena, count, sizeof(uint64_t));
    s->order = hemc_alloc(s->b.arena, count, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; ++i) {
        keys[i] = UINT32_MAX - s->b.bands[i].count;
        s->order[i] = i;
    }
    hemc_sort(s->b.arena, keys, s->order, count);
}

static void sort_links(hemc_bands* s) {
    const hemc_net* net = s->b.net;
    s->link_starts = hemc_alloc(s->b.arena, (size_t)s->b.band_count + 2, sizeof(uint32_t));
    s->link_list = hemc_alloc(s->b.arena, 2 * (size_t)net->link_count, sizeof(uint32_t));
    uint32_t* next =
        s->link_starts + 1; // the start of band i + 1 while they are counted, then where i's next link goes
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < net->link_count; ++i) {
            const uint32_t a = s->b.band_of[net->ends[i][0]], b = s->b.band_of[net->ends[i][1]];
            for (int end = 0; end < (a == b ? 1 : 2); ++end) {
                if (pass == 0) {
                    ++next[(end == 0 ? a : b) + 1];
                } else {
                    s->link_list[next[end == 0 ? a : b]++] = i;
                }
            }
        }
        for (uint32_t i = 0; i < s->b.band_count && pass == 0; ++i) {
            next[i + 1] += next[i];
        }
    }
}

// Those inside the band and to bands that are placed.
static void collect_links(hemc_bands* s, uint32_t band_index) {
    const hemc_net* net = s->b.net;
    hemc_net* links = &s->fold.links;
    links->link_count = 0;
    for (uint32_t k = s->link_starts[band_index]; k < s->link_starts[band_index + 1]; ++k) {
        const uint32_t* ends = net->ends[s->link_list[k]];
        const uint32_t band_a = s->b.band_of[ends[0]], band_b = s->b.band_of[ends[1]];
        const uint32_t other = band_a == band_index ? band_b : band_a;
        if (other == band_index || s->placed[other]) {
            links->ends[links->link_count][0] = ends[0];
            links->ends[links->link_count][1] = ends[1];
            links->kinds[links->link_count++] = net->kinds[s->link_list[k]];
        }
    }
}

// Small bands of particles that move: sleeves, collars, torn hems. A fold of its own fills no lanes.
static bool is_scrap(const hemc_net* net, const band* d) {
    bool moves = false;
    for (uint32_t i = 0; i < d->count; ++i) {
        moves |= !net->fixed[d->particles[i]];
    }
    return moves && d->count < SCRAP_LIMIT;
}

hemc_bands* hemc_bands_find(hemc_arena* arena, const hemc_net* net, bool split_fixed) {
    if (net->group_starts != NULL) {
        return NULL;
    }
    hemc_bands* s = hemc_alloc(arena, 1, sizeof *s);
    s->b.arena = arena;
    s->b.net = net;
    make_pieces(&s->b);
    if (s->b.piece_count * 3 > net->count) { // strands and soups have no levels to speak of
        return NULL;
    }
    join_pieces(&s->b, split_fixed);
    make_bands(&s->b);
    if (s->b.band_count * 16 > net->count) {
        return NULL;
    }
    order_bands(s);
    sort_links(s);
    s->placed = hemc_alloc(arena, s->b.band_count, 1);
    s->scrap = hemc_alloc(arena, s->b.band_count, 1);
    fold_search* f = &s->fold;
    f->links.count = net->count;
    f->links.ends = hemc_alloc(arena, net->link_count, sizeof(*f->links.ends));
    f->links.kinds = hemc_alloc(arena, net->link_count, 1);
    f->stamp = hemc_alloc(arena, ((size_t)net->count / HEM_LANES + net->count / 40 + 8) * HEM_LANES, sizeof(uint32_t));
    f->best_slots = hemc_alloc(arena, net->count, sizeof(uint32_t));
    hemc_table_init(arena, &f->table, net);
    return s;
}

uint32_t hemc_bands_place(hemc_bands* s, hemc_folds folds, uint8_t* scraps, uint32_t* slots) {
    const banding* b = &s->b;
    fold_search* f = &s->fold;
    f->slots = slots;
    f->row_begin = 0;
    memset(s->placed, 0, b->band_count);
    memset(s->scrap, 0, b->band_count);
    for (uint32_t n = 0; n < b->band_count && scraps != NULL; ++n) {
        s->scrap[n] = is_scrap(b->net, &b->bands[n]);
        for (uint32_t i = 0; i < b->bands[n].count; ++i) {
            scraps[b->bands[n].particles[i]] = s->scrap[n];
        }
    }
    for (uint32_t n = 0; n < b->band_count; ++n) {
        const uint32_t next = s->order[n];
        const band* d = &b->bands[next];
        if (s->scrap[next]) {
            continue;
        }
        collect_links(s, next);
        fold_band(f, d, folds);
        if (f->best_cost == 1e300) {
            return 0; // no such fold is near the minimum of rows
        }
        for (uint32_t i = 0; i < d->count; ++i) {
            slots[d->particles[i]] = f->best_slots[i];
        }
        s->placed[next] = 1;
        f->row_begin += f->best_rows;
    }
    return f->row_begin;
}
