// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"

#include "platform/base.h"

#include <string.h>

// Placement by search, for nets that no single folded line fits: flared skirts, robes, capes whose columns begin midway.
//
// Slots form a ring of 8 x rows places: place = lane * rows + row, and one past the end of a lane is the start of the next.
// The net is cut into threads (columns of warp links, say), and a thread lies on consecutive places, forwards or backwards.
// Links along a thread then line up by themselves. Links between two threads line up with those of other threads that
// lie as far apart, wherever on the ring: what counts is the difference of places, and where it starts, modulo rows.
// A thread that begins midway is just a shorter thread. It needs no padding, and it throws nobody out of step.
//
// The cost of a placement is the number of distinct (row, row, rotation, kind), slightly bent so that half-full batches
// attract links. Threads are laid down one after another, each where it costs least among places suggested by its
// neighbours and the differences in use, and by the ends of free stretches. Then, for as long as the allowance of work
// lasts, a few threads that lie near each other are taken up and laid down again; what is not worse stays.
// The only randomness is a fixed sequence, and the allowance counts work, not time: the same on every machine.
//
// Nothing here looks at the whole ring or at all threads each time one is laid: the differences in use are ranked by a tree of
// maxima, free stretches are found in a bit set, the next thread comes from a heap, and a place is known to be suggested
// already by a stamp. Otherwise the search would go with the square of the part.

#define DIFFERENCE_LIMIT 6 // popular differences tried per kind
#define CANDIDATE_LIMIT 768
#define FLUSH_LIMIT 64                       // of them at the ends of free stretches
#define KIND_COUNT (HEM_LINK_KIND_COUNT + 1) // one more for membership in a group
#define SAME_ROW_COST 0.75f

// What a batch with this many links costs.
static const float fill_cost[9] = {0, 0.75f, 1.0f, 1.05f, 1.10f, 1.14f, 1.17f, 1.19f, 1.20f};

typedef struct tally {
    uint64_t* keys; // 0 = empty
    uint8_t* counts;
    uint64_t* spare_keys; // for making room: keys whose count fell to zero stay until then
    uint8_t* spare_counts;
    uint32_t mask, used;
} tally;

// How many links of a kind lie how far apart (by the smaller way round the ring), under a tree of maxima: children of node i
// are 2 i and 2 i + 1, the count of difference d is the leaf size + d.
typedef struct histogram {
    uint32_t* maxima;
    uint32_t size;
    uint32_t popular[DIFFERENCE_LIMIT]; // the most common differences when last asked for
    uint32_t popular_count;
    bool stale; // counts have changed since
} histogram;

typedef struct spot {
    uint32_t at;
    int step;
} spot;

typedef struct spot_list {
    spot items[CANDIDATE_LIMIT];
    uint32_t count;
} spot_list;

struct hemc_searcher {
    uint32_t count; // particles
    // Threads: particles[begin .. begin + length). A thread that finds no room is cut in two, hence our own copy.
    uint32_t thread_count;
    uint32_t* thread_begin;
    uint32_t* thread_length;
    const uint32_t* particles;
    uint32_t* thread_of;
    uint32_t* index_of;
    uint32_t row_count;
    uint32_t place_count; // 8 x rows
    uint32_t* slot_of;    // per place: row * 8 + lane
    // Neighbours of each particle: everything but tethers.
    uint32_t* starts;
    uint32_t* neighbors;
    uint8_t* kinds;
    int32_t* place;     // per particle, HEM_NONE = not laid
    int32_t* occupant;  // per place: thread or HEM_NONE
    uint64_t* taken;    // a bit per place: it has an occupant
    uint32_t* ties;     // per thread: links to what is laid
    uint32_t* at_start; // per thread: place of its first particle
    int8_t* step;       // per thread: +1, -1; 0 = not laid
    histogram differences[KIND_COUNT];
    uint32_t* heap;    // threads to be laid, see goes_before
    uint32_t* heap_at; // per thread: where it stands there
    uint32_t heap_count;
    spot_list spots;
    uint32_t* suggested; // per place and direction: number of the list that has it
    uint32_t list_number;
    tally tally;
    double cost;
    uint64_t work; // table look-ups so far
};

// -- The tally of batches

static uint32_t find_key(const tally* t, uint64_t key) {
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & t->mask;
    while (t->keys[at] != 0 && t->keys[at] != key) {
        at = (at + 1) & t->mask;
    }
    return at;
}

static void clear_tally(tally* t) {
    memset(t->keys, 0, ((size_t)t->mask + 1) * sizeof(uint64_t));
    memset(t->counts, 0, (size_t)t->mask + 1);
    t->used = 0;
}

static void rehash(tally* t) {
    uint64_t* old_keys = t->keys;
    uint8_t* old_counts = t->counts;
    t->keys = t->spare_keys;
    t->counts = t->spare_counts;
    t->spare_keys = old_keys;
    t->spare_counts = old_counts;
    clear_tally(t);
    for (uint32_t i = 0; i <= t->mask; ++i) {
        if (old_counts[i] != 0) {
            const uint32_t at = find_key(t, old_keys[i]);
            t->keys[at] = old_keys[i];
            t->counts[at] = old_counts[i];
            ++t->used;
        }
    }
}

// 0 when both lie in one row.
static uint64_t place_key(const hemc_searcher* s, uint32_t a, uint32_t b, uint32_t kind) {
    const uint32_t slot_a = s->slot_of[a], slot_b = s->slot_of[b];
    const uint32_t low = slot_a < slot_b ? slot_a : slot_b, high = slot_a < slot_b ? slot_b : slot_a;
    if (low / HEM_LANES == high / HEM_LANES) {
        return 0;
    }
    return (uint64_t)(low / HEM_LANES) << 32 | (uint64_t)(high / HEM_LANES) << 8 | ((high - low) & 7u) << 3 | kind;
}

static uint32_t difference(const hemc_searcher* s, uint32_t a, uint32_t b) {
    const uint32_t d = a < b ? b - a : a - b;
    return d < s->place_count - d ? d : s->place_count - d;
}

static void count_difference(histogram* h, uint32_t d, int sign) {
    uint32_t* maxima = h->maxima;
    uint32_t at = h->size + d;
    maxima[at] += (uint32_t)sign;
    h->stale = true;
    for (at /= 2; at != 0; at /= 2) {
        const uint32_t maximum = maxima[2 * at] > maxima[2 * at + 1] ? maxima[2 * at] : maxima[2 * at + 1];
        if (maxima[at] == maximum) {
            break;
        }
        maxima[at] = maximum;
    }
}

static double edge_cost(hemc_searcher* s, uint32_t a, uint32_t b, uint32_t kind) {
    const uint64_t key = place_key(s, a, b, kind);
    ++s->work;
    if (key == 0) {
        return SAME_ROW_COST;
    }
    const uint32_t count = s->tally.counts[find_key(&s->tally, key)];
    return count < 8 ? fill_cost[count + 1] - fill_cost[count] : 0;
}

static void count_edge(hemc_searcher* s, uint32_t a, uint32_t b, uint32_t kind, int sign) {
    const uint64_t key = place_key(s, a, b, kind);
    count_difference(&s->differences[kind], difference(s, a, b), sign);
    ++s->work;
    if (key == 0) {
        s->cost += sign * (double)SAME_ROW_COST;
        return;
    }
    const uint32_t at = find_key(&s->tally, key);
    if (s->tally.keys[at] == 0) {
        s->tally.keys[at] = key;
        ++s->tally.used;
    }
    const uint32_t before = s->tally.counts[at];
    const uint32_t after = before + (uint32_t)sign;
    s->tally.counts[at] = (uint8_t)after;
    s->cost += (double)(fill_cost[after > 8 ? 8 : after] - fill_cost[before > 8 ? 8 : before]);
    if (s->tally.used > s->tally.mask / 4 * 3) {
        rehash(&s->tally);
    }
}

// -- Laying and lifting

// Onto the ring; never more than a few rounds off.
static uint32_t wrap(const hemc_searcher* s, int64_t place) {
    const int64_t m = s->place_count;
    while (place < 0) {
        place += m;
    }
    while (place >= m) {
        place -= m;
    }
    return (uint32_t)place;
}

static bool is_free(const hemc_searcher* s, uint32_t thread, uint32_t at, int step) {
    const uint32_t length = s->thread_length[thread];
    for (uint32_t i = 0; i < length; ++i) {
        if (s->occupant[wrap(s, (int64_t)at + step * (int64_t)i)] != HEM_NONE) {
            return false;
        }
    }
    return true;
}

static void count_thread(hemc_searcher* s, uint32_t thread, int sign) {
    const uint32_t begin = s->thread_begin[thread], end = s->thread_begin[thread] + s->thread_length[thread];
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t p = s->particles[i];
        for (uint32_t k = s->starts[p]; k < s->starts[p + 1]; ++k) {
            const uint32_t q = s->neighbors[k];
            if (s->place[q] == HEM_NONE) {
                continue;
            }
            // Links inside the thread are seen from both ends.
            if (s->thread_of[q] == thread && q < p) {
                continue;
            }
            count_edge(s, (uint32_t)s->place[p], (uint32_t)s->place[q], s->kinds[k], sign);
        }
    }
}

static void lay(hemc_searcher* s, uint32_t thread, uint32_t at, int step) {
    const uint32_t begin = s->thread_begin[thread], length = s->thread_length[thread];
    for (uint32_t i = 0; i < length; ++i) {
        const uint32_t place = wrap(s, (int64_t)at + step * (int64_t)i);
        s->place[s->particles[begin + i]] = (int32_t)place;
        s->occupant[place] = (int32_t)thread;
        s->taken[place / 64] |= 1ull << place % 64;
    }
    s->at_start[thread] = at;
    s->step[thread] = (int8_t)step;
    count_thread(s, thread, 1);
}

static void lift(hemc_searcher* s, uint32_t thread) {
    count_thread(s, thread, -1);
    const uint32_t begin = s->thread_begin[thread], length = s->thread_length[thread];
    for (uint32_t i = 0; i < length; ++i) {
        const uint32_t p = s->particles[begin + i];
        s->occupant[s->place[p]] = HEM_NONE;
        s->taken[s->place[p] / 64] &= ~(1ull << s->place[p] % 64);
        s->place[p] = HEM_NONE;
    }
    s->step[thread] = 0;
}

// Cost of the links to what is laid, were the thread put there. Links inside the thread are the same everywhere, nearly.
static double trial_cost(hemc_searcher* s, uint32_t thread, uint32_t at, int step, double limit) {
    const uint32_t begin = s->thread_begin[thread], length = s->thread_length[thread];
    double cost = 0;
    for (uint32_t i = 0; i < length && cost < limit; ++i) {
        const uint32_t p = s->particles[begin + i];
        const uint32_t place = wrap(s, (int64_t)at + step * (int64_t)i);
        for (uint32_t k = s->starts[p]; k < s->starts[p + 1]; ++k) {
            const uint32_t q = s->neighbors[k];
            if (s->place[q] != HEM_NONE) {
                cost += edge_cost(s, place, (uint32_t)s->place[q], s->kinds[k]);
            } else if (s->thread_of[q] == thread && q > p) {
                const uint32_t j = s->index_of[q];
                cost += edge_cost(s, place, wrap(s, (int64_t)at + step * (int64_t)j), s->kinds[k]);
            }
        }
    }
    return cost;
}

// -- Where a thread may go

static void clear_spots(hemc_searcher* s) {
    s->spots.count = 0;
    ++s->list_number;
}

static void add_spot(hemc_searcher* s, uint32_t at, int step) {
    uint32_t* stamp = &s->suggested[2 * at + (step < 0)];
    if (*stamp != s->list_number && s->spots.count < CANDIDATE_LIMIT) {
        *stamp = s->list_number;
        s->spots.items[s->spots.count++] = (spot){at, step};
    }
}

// Differences below this node in ascending order, sorted into the list by how common they are; `minimum` is known to be
// reached by as many as the list can hold.
static void rank_below(histogram* h, uint32_t node, uint32_t minimum) {
    const uint32_t count = h->maxima[node];
    const uint32_t* leaves = h->maxima + h->size;
    const bool full = h->popular_count == DIFFERENCE_LIMIT;
    if (count < minimum || (full && count <= leaves[h->popular[DIFFERENCE_LIMIT - 1]])) {
        return;
    }
    if (node < h->size) {
        rank_below(h, 2 * node, minimum);
        rank_below(h, 2 * node + 1, minimum);
        return;
    }
    uint32_t at = full ? DIFFERENCE_LIMIT - 1 : h->popular_count++;
    for (; at > 0 && leaves[h->popular[at - 1]] < count; --at) {
        h->popular[at] = h->popular[at - 1];
    }
    h->popular[at] = node - h->size;
}

// The differences most links of a kind lie apart; equally common ones in ascending order.
static void rank_differences(histogram* h) {
    if (!h->stale) {
        return;
    }
    // Those that were the most common still set a mark to be passed.
    uint32_t minimum = h->popular_count == DIFFERENCE_LIMIT ? UINT32_MAX : 1;
    for (uint32_t i = 0; i < h->popular_count; ++i) {
        const uint32_t count = h->maxima[h->size + h->popular[i]];
        minimum = count < minimum ? count : minimum;
    }
    h->popular_count = 0;
    rank_below(h, 1, minimum > 1 ? minimum : 1);
    h->stale = false;
}

// Places that line a few of the thread's links up with others of their kind.
static void suggest_aligned(hemc_searcher* s, uint32_t thread) {
    const uint32_t begin = s->thread_begin[thread], length = s->thread_length[thread];
    for (uint32_t sample = 0; sample < 3 && sample < length; ++sample) {
        const uint32_t i = sample == 0 ? length / 2 : sample == 1 ? 0 : length - 1;
        const uint32_t p = s->particles[begin + i];
        for (uint32_t k = s->starts[p]; k < s->starts[p + 1]; ++k) {
            const uint32_t q = s->neighbors[k];
            if (s->place[q] == HEM_NONE) {
                continue;
            }
            histogram* differences = &s->differences[s->kinds[k]];
            rank_differences(differences);
            for (uint32_t d = 0; d < differences->popular_count; ++d) {
                for (int side = -1; side <= 1; side += 2) {
                    const int64_t place = s->place[q] + side * (int64_t)differences->popular[d];
                    add_spot(s, wrap(s, place - i), 1);
                    add_spot(s, wrap(s, place + i), -1);
                }
            }
        }
    }
}

// The first place from here on that is taken, or free; place_count when there is none.
static uint32_t next_place(const hemc_searcher* s, uint32_t from, bool taken) {
    const uint64_t flip = taken ? 0 : ~0ull;
    for (uint32_t word = from / 64; word * 64 < s->place_count; ++word) {
        const uint64_t ahead = word == from / 64 ? ~0ull << from % 64 : ~0ull;
        const uint64_t found = (s->taken[word] ^ flip) & ahead;
        if (found != 0) {
            const uint32_t at = word * 64 + hem_lowest_bit(found);
            return at < s->place_count ? at : s->place_count;
        }
    }
    return s->place_count;
}

// Both ends of the first free stretches that are long enough: of many, any will do.
static void suggest_flush(hemc_searcher* s, uint32_t thread) {
    const uint32_t length = s->thread_length[thread];
    const uint32_t first = next_place(s, 0, true);
    if (first == s->place_count) {
        add_spot(s, 0, 1);
        return;
    }
    const uint32_t limit = s->spots.count + FLUSH_LIMIT;
    for (uint32_t at = first; at < s->place_count && s->spots.count < limit;) {
        at = next_place(s, at, false);
        const uint32_t end = next_place(s, at, true);
        uint32_t run = end - at;
        if (end == s->place_count) { // on round the ring
            run += first;
        }
        if (run > 0 && run >= length) {
            const uint32_t last = at + run - 1;
            add_spot(s, wrap(s, at), 1);
            add_spot(s, wrap(s, (int64_t)at + length - 1), -1);
            add_spot(s, wrap(s, (int64_t)last - length + 1), 1);
            add_spot(s, wrap(s, last), -1);
        }
        at = end;
    }
}

// Lays the thread where it costs least; false when no free stretch holds it.
static bool lay_best(hemc_searcher* s, uint32_t thread) {
    clear_spots(s);
    suggest_aligned(s, thread);
    suggest_flush(s, thread);
    double best = 1e300;
    spot chosen = {0, 0};
    for (uint32_t i = 0; i < s->spots.count; ++i) {
        const spot* c = &s->spots.items[i];
        if (!is_free(s, thread, c->at, c->step)) {
            continue;
        }
        const double cost = trial_cost(s, thread, c->at, c->step, best);
        if (cost < best) {
            best = cost;
            chosen = *c;
        }
    }
    if (chosen.step == 0) {
        return false;
    }
    lay(s, thread, chosen.at, chosen.step);
    return true;
}

// -- Construction

static uint32_t cut_thread(hemc_searcher* s, uint32_t thread) {
    const uint32_t half = s->thread_length[thread] / 2, added = s->thread_count++;
    s->thread_begin[added] = s->thread_begin[thread] + half;
    s->thread_length[added] = s->thread_length[thread] - half;
    s->thread_length[thread] = half;
    for (uint32_t i = 0; i < s->thread_length[added]; ++i) {
        const uint32_t p = s->particles[s->thread_begin[added] + i];
        s->thread_of[p] = added;
        s->index_of[p] = i;
    }
    s->step[added] = 0;
    return added;
}

// Next to lay: the one with most links to what is laid, then the longest, then the first.
static bool goes_before(const hemc_searcher* s, uint32_t a, uint32_t b) {
    if (s->ties[a] != s->ties[b]) {
        return s->ties[a] > s->ties[b];
    }
    if (s->thread_length[a] != s->thread_length[b]) {
        return s->thread_length[a] > s->thread_length[b];
    }
    return a < b;
}

static void heap_put(hemc_searcher* s, uint32_t at, uint32_t thread) {
    s->heap[at] = thread;
    s->heap_at[thread] = at;
}

static void heap_rise(hemc_searcher* s, uint32_t thread) {
    uint32_t at = s->heap_at[thread];
    for (; at > 0 && goes_before(s, thread, s->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap_put(s, at, s->heap[(at - 1) / 2]);
    }
    heap_put(s, at, thread);
}

static void heap_sink(hemc_searcher* s, uint32_t thread) {
    uint32_t at = s->heap_at[thread];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < s->heap_count && goes_before(s, s->heap[child + 1], s->heap[child])) {
            ++child;
        }
        if (child >= s->heap_count || !goes_before(s, s->heap[child], thread)) {
            break;
        }
        heap_put(s, at, s->heap[child]);
        at = child;
    }
    heap_put(s, at, thread);
}

static void heap_add(hemc_searcher* s, uint32_t thread) {
    heap_put(s, s->heap_count++, thread);
    heap_rise(s, thread);
}

static void lay_all(hemc_searcher* s) {
    memset(s->ties, 0, s->count * sizeof(uint32_t));
    s->heap_count = 0;
    for (uint32_t t = 0; t < s->thread_count; ++t) {
        heap_add(s, t);
    }
    while (s->heap_count != 0) {
        const uint32_t thread = s->heap[0];
        if (!lay_best(s, thread)) {
            // There is room for every particle, so a thread of one always finds its place.
            const uint32_t added = cut_thread(s, thread);
            s->ties[added] = s->ties[thread];
            heap_sink(s, thread);
            heap_add(s, added);
            continue;
        }
        heap_put(s, 0, s->heap[--s->heap_count]);
        heap_sink(s, s->heap[0]);
        for (uint32_t i = 0; i < s->thread_length[thread]; ++i) {
            const uint32_t p = s->particles[s->thread_begin[thread] + i];
            for (uint32_t k = s->starts[p]; k < s->starts[p + 1]; ++k) {
                const uint32_t other = s->thread_of[s->neighbors[k]];
                ++s->ties[other];
                if (s->step[other] == 0) {
                    heap_rise(s, other);
                }
            }
        }
    }
}

// -- Improvement

static uint32_t next_random(uint64_t* state, uint32_t limit) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ (z >> 31)) >> 32) * (uint64_t)limit >> 32);
}

#define LIFT_LIMIT 8

typedef struct lifted {
    uint32_t thread, at;
    int step;
} lifted;

static void take_up(hemc_searcher* s, uint32_t thread, lifted* list, uint32_t* count) {
    if (*count < LIFT_LIMIT && s->step[thread] != 0) {
        list[(*count)++] = (lifted){thread, s->at_start[thread], s->step[thread]};
        lift(s, thread);
    }
}

// Takes up the thread to lay it on an aligned place, whoever lies there: they are taken up too. No step = no such place.
static spot push_in(hemc_searcher* s, uint32_t thread, uint64_t* random, lifted* list, uint32_t* count) {
    spot target = {0, 0};
    take_up(s, thread, list, count);
    clear_spots(s);
    suggest_aligned(s, thread);
    if (s->spots.count == 0) {
        return target;
    }
    double best = 1e300;
    for (int tries = 0; tries < 8; ++tries) {
        const spot c = s->spots.items[next_random(random, s->spots.count)];
        const double cost = trial_cost(s, thread, c.at, c.step, best);
        if (cost < best) {
            best = cost;
            target = c;
        }
    }
    for (uint32_t i = 0; i < s->thread_length[thread]; ++i) {
        const int32_t there = s->occupant[wrap(s, (int64_t)target.at + target.step * (int64_t)i)];
        if (there != HEM_NONE) {
            take_up(s, (uint32_t)there, list, count);
        }
    }
    return target;
}

static void improve(hemc_searcher* s, uint64_t allowance) {
    uint64_t random = 1;
    const uint64_t end = s->work + allowance;
    while (s->work < end) {
        ++s->work;
        const double before = s->cost;
        lifted list[LIFT_LIMIT];
        uint32_t count = 0;
        const uint32_t thread = next_random(&random, s->thread_count);
        const uint32_t mode = next_random(&random, 4);
        spot target = {0, 0};
        if (mode == 0) { // alone
            take_up(s, thread, list, &count);
        } else if (mode == 1) { // with its neighbours in the net
            take_up(s, thread, list, &count);
            const uint32_t at = s->thread_begin[thread] + next_random(&random, s->thread_length[thread]);
            const uint32_t p = s->particles[at];
            for (uint32_t k = s->starts[p]; k < s->starts[p + 1]; ++k) {
                take_up(s, s->thread_of[s->neighbors[k]], list, &count);
            }
        } else {
            target = push_in(s, thread, &random, list, &count);
        }
        bool laid = true;
        uint32_t first = 0;
        if (target.step != 0 && is_free(s, thread, target.at, target.step)) {
            lay(s, thread, target.at, target.step);
            first = 1;
        }
        for (uint32_t i = first; i < count && laid; ++i) {
            laid = lay_best(s, list[i].thread);
        }
        if (laid && s->cost <= before + 1e-9) {
            continue;
        }
        for (uint32_t i = 0; i < count; ++i) {
            if (s->step[list[i].thread] != 0) {
                lift(s, list[i].thread);
            }
        }
        for (uint32_t i = 0; i < count; ++i) {
            lay(s, list[i].thread, list[i].at, list[i].step);
        }
    }
}

// -- Entry

static void build_neighbors(hemc_searcher* s, hemc_arena* arena, const hemc_net* net) {
    const uint32_t members = net->group_starts != NULL ? net->group_starts[net->count] : 0;
    const size_t total = 2 * ((size_t)net->link_count + members);
    s->starts = hemc_alloc(arena, (size_t)net->count + 1, sizeof(uint32_t));
    s->neighbors = hemc_alloc(arena, total, sizeof(uint32_t));
    s->kinds = hemc_alloc(arena, total, 1);
    uint32_t* next = hemc_alloc(arena, net->count, sizeof(uint32_t));
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < net->link_count; ++i) {
            if (!hem_kind_in(net->kinds[i], HEM_KINDS_PLACES)) {
                continue;
            }
            for (int end = 0; end < 2; ++end) {
                const uint32_t p = net->ends[i][end];
                if (pass == 0) {
                    ++s->starts[p + 1];
                } else {
                    s->kinds[next[p]] = net->kinds[i];
                    s->neighbors[next[p]++] = net->ends[i][1 - end];
                }
            }
        }
        for (uint32_t p = 0; p < net->count && net->group_starts != NULL; ++p) {
            for (uint32_t k = net->group_starts[p]; k < net->group_starts[p + 1]; ++k) {
                const uint32_t q = net->group_members[k];
                // Membership is nearly always mutual; one edge stands for both.
                if (q < p) {
                    bool mutual = false;
                    for (uint32_t j = net->group_starts[q]; j < net->group_starts[q + 1]; ++j) {
                        mutual |= net->group_members[j] == p;
                    }
                    if (mutual) {
                        continue;
                    }
                }
                if (pass == 0) {
                    ++s->starts[p + 1];
                    ++s->starts[q + 1];
                } else {
                    s->kinds[next[p]] = HEM_LINK_KIND_COUNT;
                    s->neighbors[next[p]++] = q;
                    s->kinds[next[q]] = HEM_LINK_KIND_COUNT;
                    s->neighbors[next[q]++] = p;
                }
            }
        }
        if (pass == 0) {
            for (uint32_t p = 0; p < net->count; ++p) {
                s->starts[p + 1] += s->starts[p];
            }
            memcpy(next, s->starts, net->count * sizeof(uint32_t));
        }
    }
}

hemc_searcher* hemc_search_create(hemc_arena* arena, const hemc_net* net, uint32_t row_limit) {
    hemc_searcher* s = hemc_alloc(arena, 1, sizeof(hemc_searcher));
    const size_t place_limit = (size_t)row_limit * HEM_LANES;
    s->count = net->count;
    build_neighbors(s, arena, net);
    s->place = hemc_alloc(arena, net->count, sizeof(int32_t));
    s->occupant = hemc_alloc(arena, place_limit, sizeof(int32_t));
    s->ties = hemc_alloc(arena, net->count, sizeof(uint32_t));
    s->at_start = hemc_alloc(arena, net->count, sizeof(uint32_t));
    s->step = hemc_alloc(arena, net->count, 1);
    s->thread_begin = hemc_alloc(arena, net->count, sizeof(uint32_t));
    s->thread_length = hemc_alloc(arena, net->count, sizeof(uint32_t));
    s->thread_of = hemc_alloc(arena, net->count, sizeof(uint32_t));
    s->index_of = hemc_alloc(arena, net->count, sizeof(uint32_t));
    s->slot_of = hemc_alloc(arena, place_limit, sizeof(uint32_t));
    s->taken = hemc_alloc(arena, place_limit / 64 + 1, sizeof(uint64_t));
    s->heap = hemc_alloc(arena, net->count, sizeof(uint32_t));
    s->heap_at = hemc_alloc(arena, net->count, sizeof(uint32_t));
    s->suggested = hemc_alloc(arena, 2 * place_limit, sizeof(uint32_t));
    uint32_t size = 1;
    while (size < place_limit / 2 + 1) {
        size *= 2;
    }
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        s->differences[kind].size = size;
        s->differences[kind].maxima = hemc_alloc(arena, 2 * (size_t)size, sizeof(uint32_t));
    }
    size = 64;
    while (size < s->starts[net->count] * 2) {
        size *= 2;
    }
    s->tally.mask = size - 1;
    s->tally.keys = hemc_alloc(arena, size, sizeof(uint64_t));
    s->tally.counts = hemc_alloc(arena, size, 1);
    s->tally.spare_keys = hemc_alloc(arena, size, sizeof(uint64_t));
    s->tally.spare_counts = hemc_alloc(arena, size, 1);
    return s;
}

void hemc_search_place(hemc_searcher* s, const hemc_threads* threads, uint32_t row_count, uint64_t allowance,
                       uint32_t* slots) {
    s->row_count = row_count;
    s->place_count = row_count * HEM_LANES;
    s->particles = threads->particles;
    s->thread_count = threads->count;
    for (uint32_t t = 0; t < threads->count; ++t) {
        s->thread_begin[t] = threads->starts[t];
        s->thread_length[t] = threads->starts[t + 1] - threads->starts[t];
    }
    memcpy(s->thread_of, threads->thread_of, s->count * sizeof(uint32_t));
    memcpy(s->index_of, threads->index_of, s->count * sizeof(uint32_t));
    memset(s->place, 0xff, s->count * sizeof(int32_t));
    memset(s->occupant, 0xff, s->place_count * sizeof(int32_t));
    memset(s->step, 0, s->count);
    memset(s->taken, 0, (s->place_count / 64 + 1) * sizeof(uint64_t));
    for (uint32_t place = 0; place < s->place_count; ++place) {
        s->slot_of[place] = place % row_count * HEM_LANES + place / row_count;
    }
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        histogram* h = &s->differences[kind];
        memset(h->maxima, 0, 2 * (size_t)h->size * sizeof(uint32_t));
        h->popular_count = 0;
        h->stale = true;
    }
    clear_tally(&s->tally);
    s->cost = 0;
    s->work = 0;
    lay_all(s);
    improve(s, allowance);
    for (uint32_t p = 0; p < s->count; ++p) {
        slots[p] = s->slot_of[s->place[p]];
    }
}
