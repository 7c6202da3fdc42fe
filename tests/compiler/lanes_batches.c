// SPDX-License-Identifier: MIT
#include "tests/compiler/lanes_kit.h"

#include "compiler/graph/graph.h"
#include "compiler/lanes/lanes.h"

#include "greatest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Whatever the placement, the batches hold exactly the constraints of the graph, each once, and lanes are independent.
// Checked on every kind of mesh against the graph itself. Then how full the batches are.

typedef enum shape {
    SHEET,
    NARROW_SHEET,
    TINY_SHEET,
    UNNUMBERED_SHEET,
    RING,
    DOUBLING_RING,
    RAGGED_CAPE,
    FLARED_SKIRT,
    ROBE,
    SIXTEEN_RING,
    STRANDS,
    SOFT_STRANDS,
    SCATTER,
    SOFT_SCATTER,
    SOFT_BLOCK,
    MOMENTUM_SHEET,
    TWO_PARTS,
    SHAPE_COUNT
} shape;

static const char* const shape_names[SHAPE_COUNT] = {
    "sheet",       "narrow sheet", "tiny sheet", "unnumbered sheet", "ring",      "doubling ring",
    "ragged cape", "flared skirt", "robe",       "ring of sixteen",  "strands",   "soft strands",
    "scatter",     "soft scatter", "soft block", "momentum sheet",   "two parts",
};

static void make_doubling(lanes_kit* kit, int columns, int levels) {
    int* low = calloc((size_t)columns, sizeof(int));
    int* high = calloc((size_t)columns, sizeof(int));
    for (int c = 0; c < columns; ++c) {
        high[c] = c % 2 != 0 ? levels / 2 : levels - 1;
    }
    lanes_kit_columns(kit, columns, levels, low, high, true);
    free(low);
    free(high);
}

static void make_ragged(lanes_kit* kit) {
    int low[30], high[30];
    for (int c = 0; c < 30; ++c) {
        low[c] = c < 6 ? 12 - 2 * c : c > 23 ? 2 * (c - 23) : 0;
        high[c] = 29;
    }
    lanes_kit_columns(kit, 30, 30, low, high, false);
}

static void make_block(lanes_kit* kit, int nx, int ny, int nz) {
    for (int i = 0; i < nx * ny * nz; ++i) {
        const int x = i % nx, y = i / nx % ny, z = i / nx / ny;
        lanes_kit_add(kit, x * 0.1, y * 0.1, z * 0.1, x + nx * y, z, y == 0);
    }
    for (int i = 0; i < nx * ny * nz; ++i) {
        const int x = i % nx, y = i / nx % ny, z = i / nx / ny;
        if (x + 1 < nx) {
            lanes_kit_link(kit, (uint32_t)i, (uint32_t)(i + 1), HEM_LINK_WARP);
        }
        if (y + 1 < ny) {
            lanes_kit_link(kit, (uint32_t)i, (uint32_t)(i + nx), HEM_LINK_WARP);
        }
        if (z + 1 < nz) {
            lanes_kit_link(kit, (uint32_t)i, (uint32_t)(i + nx * ny), HEM_LINK_WARP);
        }
    }
}

static void make(lanes_kit* kit, shape s) {
    lanes_kit_start(kit, 8192);
    hem_part_kind kind = HEM_PART_CLOTH;
    switch (s) {
    case SHEET:
        lanes_kit_sheet(kit, 20, 20);
        break;
    case NARROW_SHEET:
        lanes_kit_sheet(kit, 3, 25);
        break;
    case TINY_SHEET:
        lanes_kit_sheet(kit, 2, 2);
        break;
    case UNNUMBERED_SHEET:
        lanes_kit_sheet(kit, 17, 17);
        for (uint32_t p = 0; p < kit->mesh.all.count; ++p) {
            kit->mesh.all.level[p] = kit->mesh.all.column[p] = 0;
        }
        break;
    case RING:
        lanes_kit_ring(kit, 45, 30);
        break;
    case DOUBLING_RING:
        make_doubling(kit, 40, 30);
        break;
    case RAGGED_CAPE:
        make_ragged(kit);
        break;
    case FLARED_SKIRT: {
        int n[20];
        for (int l = 0; l < 20; ++l) {
            n[l] = 60 - l * 15 / 19;
        }
        lanes_kit_skirt(kit, 20, n);
        break;
    }
    case ROBE: {
        const int sleeve[] = {5, 7, 8, 8, 8, 7};
        lanes_kit_ring(kit, 24, 12);
        lanes_kit_skirt(kit, 6, sleeve);
        lanes_kit_skirt(kit, 6, sleeve);
        break;
    }
    case SIXTEEN_RING:
        lanes_kit_ring(kit, 16, 17);
        break;
    case STRANDS:
    case SOFT_STRANDS:
        lanes_kit_strands(kit, 40, 10, 17);
        kind = s == STRANDS ? HEM_PART_CLOTH : HEM_PART_SOFT;
        break;
    case SCATTER:
    case SOFT_SCATTER:
        lanes_kit_scatter(kit, 250, 1, 0.13);
        kind = s == SCATTER ? HEM_PART_CLOTH : HEM_PART_SOFT;
        break;
    case SOFT_BLOCK:
        make_block(kit, 5, 6, 17);
        kind = HEM_PART_SOFT;
        break;
    case MOMENTUM_SHEET:
        lanes_kit_sheet(kit, 9, 11);
        break;
    case TWO_PARTS: {
        lanes_kit_sheet(kit, 12, 9);
        lanes_kit_part(kit, "cloth", HEM_PART_CLOTH);
        const uint32_t first = kit->mesh.all.count;
        lanes_kit_scatter(kit, 60, 0.5, 0.15);
        for (uint32_t i = 0; i < 12; ++i) {
            lanes_kit_link(kit, i, first + i * 3, HEM_LINK_STITCH);
        }
        kind = HEM_PART_SOFT;
        break;
    }
    case SHAPE_COUNT:
        break;
    }
    lanes_kit_part(kit, "part", kind);
    if (s == MOMENTUM_SHEET) {
        kit->animations[0] = HEM_ANIMATE_MOMENTUM;
    }
    if (s == SOFT_STRANDS) {
        kit->parts[0].generator = HEMC_STRANDS;
    }
}

// Placing takes a while, so every shape is made once and looked at by all tests.
static lanes_kit* made[SHAPE_COUNT];

static lanes_kit* made_shape(shape s) {
    if (made[s] == NULL) {
        made[s] = calloc(1, sizeof(lanes_kit));
        make(made[s], s);
        for (uint32_t p = 0; p < made[s]->mesh.all.count; ++p) {
            made[s]->mesh.all.stiffness[p] = (float)(p % 5) / 4.0f;
        }
        if (!lanes_kit_run(made[s])) {
            abort();
        }
    }
    return made[s];
}

static void forget_shapes(void) {
    for (int s = 0; s < SHAPE_COUNT; ++s) {
        if (made[s] != NULL) {
            lanes_kit_end(made[s]);
            free(made[s]);
            made[s] = NULL;
        }
    }
}

// -- Slots

TEST every_particle_has_a_slot_of_its_own(void) {
    for (int s = 0; s < SHAPE_COUNT; ++s) {
        const lanes_kit* kit = made_shape((shape)s);
        const hemc_layout* layout = &kit->layout;
        uint32_t* owners = calloc(layout->row_count * HEM_LANES, sizeof(uint32_t));
        for (uint32_t p = 0; p < kit->mesh.all.count; ++p) {
            ASSERT(layout->slot_of[p] < layout->row_count * HEM_LANES);
            ASSERT_EQ((int32_t)p, layout->particle_at[layout->slot_of[p]]);
            ++owners[layout->slot_of[p]];
        }
        uint32_t next_row = 0;
        for (uint32_t part = 0; part < kit->mesh.part_count; ++part) {
            const uint32_t source = layout->part_order[part];
            ASSERT_EQ(next_row, layout->parts[part].row_begin);
            next_row += layout->parts[part].row_count;
            for (uint32_t slot = layout->parts[part].row_begin * HEM_LANES; slot < next_row * HEM_LANES; ++slot) {
                const int32_t p = layout->particle_at[slot];
                if (p == HEM_NONE) {
                    continue;
                }
                ASSERT((uint32_t)p >= kit->begin[source] && (uint32_t)p < kit->begin[source + 1]);
                // Only anchors are repeated.
                ASSERT(owners[slot] == 1 || hemc_is_fixed(&kit->mesh, (uint32_t)p));
            }
        }
        ASSERT_EQ(layout->row_count, next_row);
        free(owners);
    }
    PASS();
}

// -- Links

typedef struct found_link {
    uint32_t a, b; // particles, lower first
    uint8_t kind;
    uint8_t scale;
    float rest;
} found_link;

static int by_ends(const void* x, const void* y) {
    const found_link *p = x, *q = y;
    if (p->kind != q->kind) {
        return p->kind < q->kind ? -1 : 1;
    }
    if (p->a != q->a) {
        return p->a < q->a ? -1 : 1;
    }
    return p->b < q->b ? -1 : p->b > q->b;
}

static found_link named(uint32_t a, uint32_t b, uint8_t kind, uint8_t scale, float rest) {
    return (found_link){a < b ? a : b, a < b ? b : a, kind, scale, rest};
}

static size_t links_of_batches(const lanes_kit* kit, found_link* out) {
    const hemc_layout* layout = &kit->layout;
    size_t count = 0;
    for (uint32_t i = 0; i < layout->link_batch_count; ++i) {
        const hem_link_batch* b = &layout->links[i];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            if ((b->lane_mask >> lane & 1) != 0) {
                const int32_t p = layout->particle_at[b->row_a * HEM_LANES + lane];
                const int32_t q = layout->particle_at[b->row_b * HEM_LANES + (lane + b->rotate) % HEM_LANES];
                out[count++] = named((uint32_t)p, (uint32_t)q, b->kind, b->scale[lane], b->rest[lane]);
            }
        }
    }
    for (uint32_t i = 0; i < layout->index_batch_count; ++i) {
        const hem_index_batch* b = &layout->indexed[i];
        for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
            if ((b->lane_mask >> lane & 1) != 0) {
                out[count++] = named((uint32_t)layout->particle_at[b->a[lane]],
                                     (uint32_t)layout->particle_at[b->b[lane]], b->kind, b->scale[lane], b->rest[lane]);
            }
        }
    }
    return count;
}

TEST batches_hold_every_link_once(void) {
    for (int s = 0; s < SHAPE_COUNT; ++s) {
        const lanes_kit* kit = made_shape((shape)s);
        const size_t count = kit->mesh.link_count;
        const size_t room = ((size_t)kit->layout.link_batch_count + kit->layout.index_batch_count) * HEM_LANES;
        found_link* wanted = calloc(count + 1, sizeof(found_link));
        found_link* found = calloc(room + 1, sizeof(found_link));
        for (size_t i = 0; i < count; ++i) {
            const hemc_link* l = &kit->mesh.links[i];
            const double scale = floor(l->scale * 255.0 + 0.5);
            wanted[i] = named(l->a, l->b, l->kind, (uint8_t)(scale < 1 ? 1 : scale), l->rest);
        }
        const size_t found_count = links_of_batches(kit, found);
        ASSERT_EQ_FMT(count, found_count, "%zu");
        qsort(wanted, count, sizeof(found_link), by_ends);
        qsort(found, count, sizeof(found_link), by_ends);
        for (size_t i = 0; i < count; ++i) {
            ASSERT_EQ_FMT(0, by_ends(&wanted[i], &found[i]), "%d");
            ASSERT_EQ(wanted[i].rest, found[i].rest);
            ASSERT_EQ(wanted[i].scale, found[i].scale);
        }
        free(wanted);
        free(found);
    }
    PASS();
}

// -- Groups

static int by_number(const void* x, const void* y) {
    const uint32_t a = *(const uint32_t*)x, b = *(const uint32_t*)y;
    return a < b ? -1 : a > b;
}

// The members of the group in a lane, sorted, and its own particle.
static uint32_t members_of(const hemc_layout* layout, const hem_group_batch* b, uint32_t lane, uint32_t* members) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < b->member_count; ++k) {
        if (b->own_row == (uint32_t)HEM_NONE) {
            const hem_group_index* g = &layout->group_indices[b->member_begin + k];
            if ((g->lane_mask >> lane & 1) != 0) {
                members[count++] = (uint32_t)layout->particle_at[g->index[lane]];
            }
        } else {
            const hem_group_member* g = &layout->members[b->member_begin + k];
            if ((g->lane_mask >> lane & 1) != 0) {
                members[count++] = (uint32_t)layout->particle_at[g->row * HEM_LANES + (lane + g->rotate) % HEM_LANES];
            }
        }
    }
    qsort(members, count, sizeof(uint32_t), by_number);
    return count;
}

TEST batches_hold_every_group_once(void) {
    for (int s = 0; s < SHAPE_COUNT; ++s) {
        const lanes_kit* kit = made_shape((shape)s);
        const hemc_mesh* mesh = &kit->mesh;
        uint8_t* seen = calloc(mesh->all.count, 1);
        for (uint32_t i = 0; i < kit->layout.group_batch_count; ++i) {
            const hem_group_batch* b = &kit->layout.groups[i];
            for (uint32_t lane = 0; lane < HEM_LANES; ++lane) {
                if ((b->lane_mask >> lane & 1) == 0) {
                    continue;
                }
                const uint32_t own = (uint32_t)kit->layout.particle_at[b->own[lane]];
                const uint32_t begin = mesh->group_starts[own], count = mesh->group_starts[own + 1] - begin;
                uint32_t members[HEM_MAX_GROUP_MEMBERS], wanted[HEM_MAX_GROUP_MEMBERS];
                ASSERT_EQ_FMT(count, members_of(&kit->layout, b, lane, members), "%u");
                double mass = mesh->all.mass[own], x = 0, y = 0, z = 0;
                for (uint32_t k = 0; k < count; ++k) {
                    wanted[k] = mesh->group_members[begin + k];
                    const hemc_vec3 p = mesh->all.positions[wanted[k]], o = mesh->all.positions[own];
                    const double m = mesh->all.mass[wanted[k]];
                    mass += m;
                    x += m * ((double)p.x - o.x);
                    y += m * ((double)p.y - o.y);
                    z += m * ((double)p.z - o.z);
                }
                qsort(wanted, count, sizeof(uint32_t), by_number);
                ASSERT_MEM_EQ(wanted, members, count * sizeof(uint32_t));
                ASSERT_IN_RANGE(mass, b->total_mass[lane], 1e-6);
                ASSERT_IN_RANGE(x / mass, b->center[0][lane], 1e-6);
                ASSERT_IN_RANGE(y / mass, b->center[1][lane], 1e-6);
                ASSERT_IN_RANGE(z / mass, b->center[2][lane], 1e-6);
                ASSERT_EQ(0, seen[own]);
                seen[own] = 1;
            }
        }
        for (uint32_t p = 0; p < mesh->all.count; ++p) {
            ASSERT_EQ(mesh->group_starts[p + 1] != mesh->group_starts[p], seen[p]);
        }
        free(seen);
    }
    PASS();
}

// -- Fill

static uint32_t bits(uint32_t mask) {
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        ++count;
    }
    return count;
}

// Constraints per batch lane, counted here.
static double fill_of(const hemc_layout* layout) {
    uint32_t constraints = 0;
    for (uint32_t i = 0; i < layout->link_batch_count; ++i) {
        constraints += bits(layout->links[i].lane_mask);
    }
    for (uint32_t i = 0; i < layout->index_batch_count; ++i) {
        constraints += bits(layout->indexed[i].lane_mask);
    }
    for (uint32_t i = 0; i < layout->group_batch_count; ++i) {
        constraints += bits(layout->groups[i].lane_mask);
    }
    const uint32_t batches = layout->link_batch_count + layout->index_batch_count + layout->group_batch_count;
    return constraints / (8.0 * batches);
}

TEST fill_is_reported_as_it_is(void) {
    for (int s = 0; s < SHAPE_COUNT; ++s) {
        const lanes_kit* kit = made_shape((shape)s);
        ASSERT_IN_RANGE(fill_of(&kit->layout), kit->layout.lane_fill, 1e-5);
    }
    PASS();
}

TEST clothes_fill_their_batches(void) {
    static const struct {
        shape shape;
        double fill, indexed;
    } rows[] = {
        {SHEET, 0.90, 0},       {UNNUMBERED_SHEET, 0.85, 0}, {RING, 0.89, 0},       {DOUBLING_RING, 0.93, 0},
        {RAGGED_CAPE, 0.85, 0}, {FLARED_SKIRT, 0.82, 0.05},  {ROBE, 0.86, 0.06},    {SIXTEEN_RING, 0.74, 0},
        {STRANDS, 0.85, 0},     {SOFT_STRANDS, 0.90, 0},     {SOFT_BLOCK, 0.95, 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        const lanes_kit* kit = made_shape(rows[i].shape);
        if (kit->layout.lane_fill < rows[i].fill || kit->layout.indexed_share > rows[i].indexed) {
            fprintf(stderr, "%s: fill %g, indexed %g\n", shape_names[rows[i].shape], (double)kit->layout.lane_fill,
                    (double)kit->layout.indexed_share);
        }
        ASSERT(kit->layout.lane_fill >= rows[i].fill);
        ASSERT(kit->layout.indexed_share <= rows[i].indexed);
    }
    PASS();
}

// A sheet's six classes of links need a batch per row each at most, and the rows are the fewest possible.
TEST sheets_need_six_batches_a_row(void) {
    static const int sizes[][2] = {{20, 20}, {37, 38}, {80, 80}, {16, 64}, {64, 16}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        const int w = sizes[i][0], h = sizes[i][1];
        lanes_kit kit;
        lanes_kit_start(&kit, (uint32_t)(w * h));
        lanes_kit_sheet(&kit, w, h);
        lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
        kit.parts[0].tethers = false;
        ASSERT(lanes_kit_run(&kit));
        const uint32_t rows = (uint32_t)(w * h + 7) / 8;
        ASSERT_EQ_FMT(0u, kit.layout.index_batch_count, "%u");
        ASSERT_EQ_FMT(rows, kit.layout.row_count, "%u");
        ASSERT(kit.layout.link_batch_count <= 6 * rows);
        lanes_kit_end(&kit);
    }
    PASS();
}

static bool share_a_row(const hem_link_batch* b, const hem_link_batch* c) {
    return b->row_a == c->row_a || b->row_a == c->row_b || b->row_b == c->row_a || b->row_b == c->row_b;
}

TEST batches_rest_before_they_touch_a_row_again(int w, int h) {
    lanes_kit kit;
    lanes_kit_start(&kit, (uint32_t)(w * h));
    lanes_kit_sheet(&kit, w, h);
    lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
    ASSERT(lanes_kit_run(&kit));
    uint32_t rested = 0;
    for (uint32_t i = 3; i < kit.layout.link_batch_count; ++i) {
        const hem_link_batch* b = &kit.layout.links[i];
        bool free_of_it = true;
        for (uint32_t k = i - 3; k < i; ++k) {
            const hem_link_batch* c = &kit.layout.links[k];
            free_of_it &= !share_a_row(b, c);
        }
        rested += free_of_it;
    }
    printf("%d x %d: %u of %u batches\n", w, h, rested, kit.layout.link_batch_count);
    ASSERT(rested >= (kit.layout.link_batch_count - 3) * 98 / 100);
    lanes_kit_end(&kit);
    PASS();
}

// Within a run no batch shares a row with the next, and all go the same way through the runtime; runs are long.
TEST runs_are_long_and_alike(int w, int h) {
    lanes_kit kit;
    lanes_kit_start(&kit, (uint32_t)(w * h));
    lanes_kit_sheet(&kit, w, h);
    lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
    ASSERT(lanes_kit_run(&kit));
    const hem_link_batch* links = kit.layout.links;
    const uint32_t count = kit.layout.link_batch_count;
    uint32_t runs = 0, batches = 0;
    for (uint32_t i = 0; i < count; i += links[i].run != 0 ? links[i].run : 1) {
        ASSERT_EQ(links[i].kind == HEM_LINK_TETHER, links[i].run == 0);
        ASSERT(links[i].rotate <= HEM_LANES / 2 || links[i].run == 0);
        ASSERT(i + links[i].run <= count);
        for (uint32_t k = 1; k < links[i].run; ++k) {
            const hem_link_batch *b = &links[i + k - 1], *c = &links[i + k];
            ASSERT(!share_a_row(b, c) && b->rotate == c->rotate && b->kind == c->kind);
            ASSERT_EQ_FMT(links[i].run - k, c->run, "%u");
        }
        runs += links[i].run != 0;
        batches += links[i].run;
    }
    ASSERT(runs * 30 <= batches);
    lanes_kit_end(&kit);
    PASS();
}

static uint32_t place_of_kind(uint32_t kind) {
    static const uint8_t order[] = {HEM_LINK_BEND, HEM_LINK_SHEAR,  HEM_LINK_WARP,
                                    HEM_LINK_WEFT, HEM_LINK_STITCH, HEM_LINK_TETHER};
    uint32_t place = 0;
    while (order[place] != kind) {
        ++place;
    }
    return place;
}

// However large the sheet: a row is done with soon after it was first touched, and sees the kinds in their order.
TEST a_row_is_done_with_soon(int w, int h, uint32_t most_batches) {
    lanes_kit kit;
    lanes_kit_start(&kit, (uint32_t)(w * h));
    lanes_kit_sheet(&kit, w, h);
    lanes_kit_part(&kit, "sheet", HEM_PART_CLOTH);
    kit.parts[0].tethers = false;
    ASSERT(lanes_kit_run(&kit));
    const uint32_t rows = kit.layout.row_count;
    uint32_t* first = calloc(rows, sizeof(uint32_t));
    uint32_t* last = calloc(rows, sizeof(uint32_t));
    uint32_t* place = calloc(rows, sizeof(uint32_t));
    bool in_order = true;
    for (uint32_t i = 0; i < kit.layout.link_batch_count; ++i) {
        const hem_link_batch* b = &kit.layout.links[i];
        const uint32_t ends[2] = {b->row_a, b->row_b};
        for (int k = 0; k < 2; ++k) {
            const uint32_t row = ends[k];
            first[row] = last[row] == 0 ? i : first[row];
            last[row] = i + 1;
            in_order &= place_of_kind(b->kind) >= place[row];
            place[row] = place_of_kind(b->kind);
        }
    }
    uint64_t sum = 0;
    for (uint32_t row = 0; row < rows; ++row) {
        sum += last[row] - first[row];
    }
    free(first);
    free(last);
    free(place);
    ASSERT(in_order);
    printf("%d x %d: %.0f of %u batches\n", w, h, (double)sum / rows, kit.layout.link_batch_count);
    ASSERT(sum <= (uint64_t)rows * most_batches);
    lanes_kit_end(&kit);
    PASS();
}

// The same sheet twice, the second one across what would be the end of a band if rows were counted from the first part's.
TEST a_part_is_solved_alike_wherever_it_stands(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 2 * 48 * 48);
    lanes_kit_sheet(&kit, 48, 48);
    lanes_kit_part(&kit, "first", HEM_PART_CLOTH);
    lanes_kit_sheet(&kit, 48, 48);
    lanes_kit_part(&kit, "second", HEM_PART_CLOTH);
    kit.parts[0].tethers = kit.parts[1].tethers = false;
    ASSERT(lanes_kit_run(&kit));
    const hem_part* parts = kit.layout.parts;
    const hem_range first = hem_range_of(kit.layout.ranges, &parts[0], HEM_BATCH_LINKS);
    const hem_range second = hem_range_of(kit.layout.ranges, &parts[1], HEM_BATCH_LINKS);
    ASSERT(first.count > 1000 && parts[1].row_begin > 0);
    ASSERT_EQ_FMT(first.count, second.count, "%u");
    for (uint32_t i = 0; i < first.count; ++i) {
        const hem_link_batch* b = &kit.layout.links[first.begin + i];
        const hem_link_batch* c = &kit.layout.links[second.begin + i];
        ASSERT_EQ(b->row_a - parts[0].row_begin, c->row_a - parts[1].row_begin);
        ASSERT_EQ(b->row_b - parts[0].row_begin, c->row_b - parts[1].row_begin);
        ASSERT_EQ(b->kind, c->kind);
        ASSERT_EQ(b->run, c->run);
    }
    lanes_kit_end(&kit);
    PASS();
}

// Two corners hold a whole sheet: one pair of anchors, hundreds of tethers, and still full batches.
TEST anchors_are_copied_for_tethers(void) {
    lanes_kit kit;
    lanes_kit_start(&kit, 24 * 24);
    lanes_kit_sheet(&kit, 24, 24);
    lanes_kit_part(&kit, "flag", HEM_PART_CLOTH);
    for (uint32_t p = 23 * 24; p < 24 * 24; ++p) {
        if (p != 23 * 24 && p != 24 * 24 - 1) {
            kit.mesh.all.flags[p] = HEM_PARTICLE_COLLIDES;
        }
    }
    ASSERT(lanes_kit_run(&kit));
    uint32_t tethers = 0, batches = 0;
    for (uint32_t i = 0; i < kit.layout.link_batch_count; ++i) {
        const hem_link_batch* b = &kit.layout.links[i];
        if (b->kind == HEM_LINK_TETHER) {
            tethers += bits(b->lane_mask);
            ++batches;
        }
    }
    ASSERT_EQ_FMT(lanes_kit_count(&kit, HEM_LINK_TETHER), tethers, "%u");
    ASSERT(tethers > 500);
    ASSERT(batches * 6 <= tethers);
    ASSERT(kit.layout.row_count <= 24 * 24 / 8 + 24);
    lanes_kit_end(&kit);
    PASS();
}

TEST anchors_that_can_be_pushed_are_not_copied(void) {
    lanes_kit kit;
    make(&kit, MOMENTUM_SHEET);
    ASSERT(lanes_kit_run(&kit));
    uint32_t slots = 0;
    for (uint32_t i = 0; i < kit.layout.row_count * HEM_LANES; ++i) {
        slots += kit.layout.particle_at[i] != HEM_NONE;
    }
    ASSERT_EQ_FMT(kit.mesh.all.count, slots, "%u");
    lanes_kit_end(&kit);
    PASS();
}

TEST the_same_mesh_gives_the_same_layout(void) {
    for (int s = 0; s < SHAPE_COUNT; ++s) {
        const lanes_kit* a = made_shape((shape)s);
        lanes_kit b;
        make(&b, (shape)s);
        ASSERT(lanes_kit_run(&b));
        ASSERT_EQ(a->layout.row_count, b.layout.row_count);
        ASSERT_MEM_EQ(a->layout.slot_of, b.layout.slot_of, b.mesh.all.count * sizeof(uint32_t));
        lanes_kit_end(&b);
    }
    PASS();
}

// Turning, mirroring or scaling a character changes no decision about who sits where.
TEST layouts_do_not_depend_on_the_pose(void) {
    for (int s = 0; s < SHAPE_COUNT; ++s) {
        const lanes_kit* a = made_shape((shape)s);
        lanes_kit b;
        make(&b, (shape)s);
        for (uint32_t i = 0; i < b.mesh.all.count; ++i) {
            const hemc_vec3 p = b.mesh.all.positions[i];
            b.mesh.all.positions[i] = (hemc_vec3){-2 * p.z, 2 * p.y, 2 * p.x}; // powers of two: exact
        }
        ASSERT(lanes_kit_run(&b));
        ASSERT_EQ(a->mesh.link_count, b.mesh.link_count);
        ASSERT_MEM_EQ(a->layout.slot_of, b.layout.slot_of, b.mesh.all.count * sizeof(uint32_t));
        lanes_kit_end(&b);
    }
    PASS();
}

// -- Cost

enum { NET_COUNT = 60, NET_LINKS = 300, NET_MEMBERS = 5 };

// Distinct keys by looking at all before: what hemc_table_cost counts with a hash table.
static uint32_t count_distinct(uint32_t (*keys)[4], uint32_t count) {
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t j = 0;
        while (j < i && memcmp(keys[j], keys[i], sizeof keys[i]) != 0) {
            ++j;
        }
        distinct += j == i;
    }
    return distinct;
}

static double count_cost(const hemc_net* net, const uint32_t* slots, uint32_t rows) {
    static uint32_t keys[NET_LINKS + NET_COUNT * NET_MEMBERS][4];
    uint32_t count = 0, strays = 0, clashes = 0;
    for (uint32_t i = 0; i < net->link_count; ++i) {
        const uint32_t x = slots[net->ends[i][0]], y = slots[net->ends[i][1]];
        const uint32_t a = x < y ? x : y, b = x < y ? y : x;
        const uint32_t key[4] = {a / 8, b / 8, (b - a) % 8, net->kinds[i]};
        if (net->kinds[i] != HEM_LINK_TETHER) {
            strays += a / 8 == b / 8;
            memcpy(keys[count], key, sizeof key);
            count += a / 8 != b / 8;
        }
    }
    double cost = count_distinct(keys, count) + 0.75 * strays + 0.5 * rows;
    if (net->group_starts == NULL) {
        return cost;
    }
    count = 0;
    for (uint32_t p = 0; p < net->count; ++p) {
        for (uint32_t i = net->group_starts[p]; i < net->group_starts[p + 1]; ++i) {
            const uint32_t m = slots[net->group_members[i]];
            const uint32_t key[4] = {slots[p] / 8, m / 8, (m - slots[p]) % 8, 0};
            memcpy(keys[count++], key, sizeof key);
            clashes += m / 8 == slots[p] / 8;
            for (uint32_t j = net->group_starts[p]; j < i; ++j) {
                clashes += m / 8 == slots[net->group_members[j]] / 8;
            }
        }
    }
    return cost + 1.5 * count_distinct(keys, count) + 1.5 * clashes + 6.0 * rows;
}

TEST costs_are_those_of_counting(void) {
    lanes_kit kit; // its arena and its chance
    lanes_kit_start(&kit, 1);
    for (int groups = 0; groups < 2; ++groups) {
        uint32_t ends[NET_LINKS][2], starts[NET_COUNT + 1], members[NET_COUNT * NET_MEMBERS], slots[NET_COUNT];
        uint8_t kinds[NET_LINKS];
        hemc_net net = {.count = NET_COUNT, .link_count = groups ? 40 : NET_LINKS, .ends = ends, .kinds = kinds};
        for (uint32_t i = 0; i < NET_LINKS; ++i) {
            ends[i][0] = (uint32_t)(lanes_kit_random(&kit) * NET_COUNT);
            ends[i][1] = (ends[i][0] + 1 + (uint32_t)(lanes_kit_random(&kit) * (NET_COUNT - 1))) % NET_COUNT;
            kinds[i] = (uint8_t)(lanes_kit_random(&kit) * HEM_LINK_KIND_COUNT);
        }
        for (uint32_t i = 0; i < NET_COUNT * NET_MEMBERS; ++i) {
            starts[i / NET_MEMBERS] = i / NET_MEMBERS * NET_MEMBERS;
            members[i] = (i / NET_MEMBERS + 1 + i % NET_MEMBERS * 3) % NET_COUNT;
        }
        starts[NET_COUNT] = NET_COUNT * NET_MEMBERS;
        if (groups) {
            net.group_starts = starts;
            net.group_members = members;
        }
        hemc_cost_table table;
        hemc_table_init(kit.arena, &table, &net);
        for (int trial = 0; trial < 200; ++trial) {
            const uint32_t rows = 8 + (uint32_t)(lanes_kit_random(&kit) * 3);
            for (uint32_t i = 0; i < NET_COUNT;
                 ++i) { // somebody may sit where another does: that is nobody's business here
                slots[i] = (uint32_t)(lanes_kit_random(&kit) * rows * HEM_LANES);
            }
            const double cost = count_cost(&net, slots, rows);
            ASSERT_EQ(cost, hemc_table_cost(&table, &net, slots, rows, 1e300));
            ASSERT_EQ(cost, hemc_table_cost(&table, &net, slots, rows, cost + 0.25));
            ASSERT(hemc_table_cost(&table, &net, slots, rows, 0.7 * cost) >= 0.7 * cost);
        }
    }
    lanes_kit_end(&kit);
    PASS();
}

SUITE(lanes_suite);
SUITE(lanes_suite) {
    RUN_TEST(every_particle_has_a_slot_of_its_own);
    RUN_TEST(batches_hold_every_link_once);
    RUN_TEST(batches_hold_every_group_once);
    RUN_TEST(fill_is_reported_as_it_is);
    RUN_TEST(clothes_fill_their_batches);
    RUN_TEST(sheets_need_six_batches_a_row);
    RUN_TESTp(batches_rest_before_they_touch_a_row_again, 37, 38);
    RUN_TESTp(batches_rest_before_they_touch_a_row_again, 80, 80);
    RUN_TESTp(runs_are_long_and_alike, 37, 38);
    RUN_TESTp(runs_are_long_and_alike, 80, 80);
    RUN_TESTp(a_row_is_done_with_soon, 80, 80, 3000);
    RUN_TESTp(a_row_is_done_with_soon, 120, 160, 3000);
    RUN_TEST(a_part_is_solved_alike_wherever_it_stands);
    RUN_TEST(anchors_are_copied_for_tethers);
    RUN_TEST(anchors_that_can_be_pushed_are_not_copied);
    RUN_TEST(the_same_mesh_gives_the_same_layout);
    RUN_TEST(layouts_do_not_depend_on_the_pose);
    RUN_TEST(costs_are_those_of_counting);
    forget_shapes();
}
