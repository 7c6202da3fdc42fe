// SPDX-License-Identifier: MIT
// What depends on the asset alone, derived once when a scene is made.

#include "runtime/src/kernels/kernels.h"
#include "runtime/src/layout.h"

void hemi_layout_derived(hemi_carve* c, const hem_view* view, hemi_derived* d) {
    const hem_info* info = view->info;
    uint32_t body_rows = 0;
    for (uint32_t p = 0; p < info->part_count; ++p) {
        body_rows += view->parts[p].kind == HEM_PART_BODY ? view->parts[p].row_count : 0;
    }
    uint32_t lattice_rows = 0;
    for (uint32_t i = 0; i < view->lattice_count; ++i) {
        lattice_rows += view->parts[view->lattices[i].part].row_count;
    }
    const int lists = view->ignore_starts[info->particle_count] != 0;
    const uint32_t clusters = hemi_ignored_at(info->part_count, info->row_count, 0);
    d->part_pairs = hemi_take(c, info->part_count, sizeof(uint64_t));
    d->mean_inverse_mass = hemi_take(c, info->part_count, sizeof(float));
    d->pass_work = hemi_take(c, info->part_count, sizeof(uint32_t));
    d->rest_moment = hemi_take(c, info->oriented_row_count, 48 * sizeof(float));
    d->tiles = hemi_take(c, lattice_rows, sizeof(hemi_region_tile));
    d->tile_begin = hemi_take(c, view->lattice_count + 1, sizeof(uint32_t));
    d->weights = hemi_take(c, (info->vertex_count + 7) / 8, 1);
    d->body_row = hemi_take(c, body_rows, sizeof(uint16_t));
    d->body_target = hemi_take(c, body_rows, sizeof(uint16_t));
    d->colliders = hemi_take(c, view->collider_count, sizeof(hemi_collider));
    d->ignored = hemi_take(c, lists ? clusters : 0, sizeof(hemi_ignored));
    if (!lists) {
        d->ignored = NULL;
    }
}

static void pair_parts(const hem_view* view, hemi_derived* d) {
    const uint32_t count = view->info->part_count;
    for (uint32_t a = 0; a < count; ++a) {
        const hem_part* pa = &view->parts[a];
        const int simulated = pa->kind != HEM_PART_BODY;
        d->body_parts |= (uint64_t)!simulated << a;
        d->simulated_parts |= (uint64_t)simulated << a;
        for (uint32_t b = 0; b < count; ++b) {
            const hem_part* pb = &view->parts[b];
            if ((pa->collision_mask & pb->collision_group) && (pb->collision_mask & pa->collision_group)) {
                d->part_pairs[a] |= 1ull << b;
            }
        }
        d->meets |= simulated && d->part_pairs[a];
        d->ordered |= (pa->outside_of[0] | pa->outside_of[1]) != 0;
    }
    for (uint32_t p = 0; p < count; ++p) {
        d->simulated_pairs |= (d->simulated_parts >> p & 1u) && (d->part_pairs[p] & d->simulated_parts);
    }
}

static void find_hung_parts(const hem_view* view, hemi_derived* d) {
    for (uint32_t i = 0; i < view->anim_row_count; ++i) {
        const hem_anim_row* row = &view->anim_rows[i];
        const uint32_t part = view->particle_flags[row->row * 8] >> HEM_PARTICLE_PART_SHIFT;
        d->hung_parts |= (uint64_t)(row->animated_mask != 0) << part;
    }
    d->hung_parts &= d->simulated_parts;
}

static void list_body_rows(const hem_view* view, hemi_derived* d) {
    uint32_t n = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        uint32_t target = 0; // anim rows are ascending
        for (uint32_t i = 0; part->kind == HEM_PART_BODY && i < part->row_count; ++i, ++n) {
            const uint32_t row = part->row_begin + i;
            while (target + 1 < view->anim_row_count && view->anim_rows[target].row < row) {
                ++target;
            }
            HEM_ASSERT(row <= UINT16_MAX && view->anim_rows[target].row == row); // the pose has all of a body
            d->body_row[n] = (uint16_t)row;
            d->body_target[n] = (uint16_t)target;
        }
    }
    d->body_row_count = n;
    d->body_stride = (n + 7) & ~7u;
}

// Shape matching as a compliant constraint takes one mass for all members of a group: see tune_part in plan.c.
static float mean_inverse_mass(const hem_view* view, const hem_part* part) {
    float sum = 0.0f, count = 0.0f;
    const uint32_t groups = hem_range_of(view->ranges, part, HEM_BATCH_GROUPS).count;
    for (uint32_t row = part->row_begin; groups && row < part->row_begin + part->row_count; ++row) {
        for (uint32_t i = 0; i < 8; ++i) {
            float mass = view->rest_rows[row].mass[i];
            sum += mass;
            count += mass > 0.0f ? 1.0f : 0.0f;
        }
    }
    return sum > 0.0f ? count / sum : 1.0f;
}

static uint32_t pass_work(const hem_view* view, const hem_part* part) {
    uint32_t work = 0;
    for (uint32_t n = 0; n < part->range_count; ++n) {
        const hem_range* range = &view->ranges[part->range_begin + n];
        work += range->count;
        for (uint32_t i = 0; range->kind == HEM_BATCH_GROUPS && i < range->count; ++i) {
            work += view->group_batches[range->begin + i].member_count;
        }
    }
    return work;
}

// Which cluster of the part a particle is in, as the search numbers them: lane by lane within 64 rows.
static uint32_t cluster_order(uint32_t row, uint32_t lane, uint32_t slab_begin) {
    const uint32_t slab = slab_begin + (row >> 3);
    return (slab >> 3) * 64 + lane * 8 + (slab & 7);
}

// The search looks at each pair of clusters once, from the one with the smaller number.
static void note_ignored(const hem_view* view, const hemi_derived* d, hemi_ignored* ignored) {
    if (!ignored) {
        return;
    }
    uint32_t slabs[HEM_MAX_PARTS], count = 0;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        slabs[p] = count;
        count += hemi_is_searched(view, d, p) ? (view->parts[p].row_count + 7) / 8 : 0;
    }
    memset(ignored, 0xff, hemi_ignored_at(view->info->part_count, view->info->row_count, 0) * sizeof(hemi_ignored));
    for (uint32_t a = 0; a < view->info->particle_count; ++a) {
        uint32_t part = view->particle_flags[a] >> HEM_PARTICLE_PART_SHIFT, lane = a & 7;
        uint32_t begin = view->parts[part].row_begin, row_a = (a >> 3) - begin;
        const uint32_t order = cluster_order(row_a, lane, slabs[part]);
        hemi_ignored* own = &ignored[hemi_ignored_at(part, begin + (row_a & ~7u), lane)];
        for (uint32_t i = view->ignore_starts[a]; i < view->ignore_starts[a + 1]; ++i) {
            uint32_t b = view->ignore_list[i], row_b = (b >> 3) - begin;
            if (view->particle_flags[b] >> HEM_PARTICLE_PART_SHIFT != part ||
                cluster_order(row_b, b & 7, slabs[part]) < order) {
                continue;
            }
            uint16_t first = (uint16_t)((begin + (row_b & ~7u)) * 8 + (b & 7));
            for (uint32_t k = 0; k < 8 && first != UINT16_MAX; ++k) {
                if (own->first[k] == UINT16_MAX) {
                    own->first[k] = first;
                    own->pairs[k] = 0;
                }
                if (own->first[k] == first) {
                    own->pairs[k] |= (uint64_t)1 << (8 * (row_a & 7) + (row_b & 7));
                    break;
                }
            }
        }
    }
}

// The rows of a lattice, cut wherever no bar goes across. Returns how many tiles that gives.
static uint32_t cut_rows(const hem_view* view, const hem_lattice* l, hemi_region_tile* tiles) {
    const uint32_t first = view->parts[l->part].row_begin, rows = view->parts[l->part].row_count;
    for (uint32_t row = 0; row < rows; ++row) {
        tiles[row].row_count = row; // for now: the last row that a bar reaches which has none before this one
    }
    for (uint32_t b = l->bar_begin[0]; b < l->bar_begin[2] + l->bar_count[2]; ++b) {
        uint32_t low = UINT32_MAX, high = 0;
        for (uint32_t i = 0; i < view->lattice_bars[b].count; ++i) {
            const uint32_t row = (view->lattice_order[view->lattice_bars[b].first + i] >> 3) - first;
            low = row < low ? row : low;
            high = row > high ? row : high;
        }
        tiles[low].row_count = high > tiles[low].row_count ? high : tiles[low].row_count;
    }
    uint32_t count = 0, last = 0;
    for (uint32_t row = 0, begin = 0; row < rows; ++row) {
        last = tiles[row].row_count > last ? tiles[row].row_count : last;
        if (last == row) {
            tiles[count++] = (hemi_region_tile){.row_begin = begin, .row_count = row + 1 - begin};
            begin = last = row + 1;
        }
    }
    return count;
}

// Each tile's bars, which have to follow each other.
static int give_bars(const hem_view* view, const hem_lattice* l, hemi_region_tile* tiles, uint32_t count) {
    const uint32_t first = view->parts[l->part].row_begin;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        uint32_t bar = l->bar_begin[axis];
        const uint32_t end = bar + l->bar_count[axis];
        for (uint32_t t = 0; t < count; ++t) {
            tiles[t].bar_begin[axis] = bar;
            for (; bar < end; ++bar) {
                const uint32_t row = (view->lattice_order[view->lattice_bars[bar].first] >> 3) - first;
                if (row < tiles[t].row_begin || row >= tiles[t].row_begin + tiles[t].row_count) {
                    break;
                }
            }
            tiles[t].bar_count[axis] = bar - tiles[t].bar_begin[axis];
        }
        if (bar != end) {
            return 0;
        }
    }
    return 1;
}

// What can tear has bars of its own later: one tile.
static void tile_lattices(const hem_view* view, hemi_derived* d) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < view->lattice_count; ++i) {
        const hem_lattice* l = &view->lattices[i];
        hemi_region_tile* tiles = d->tiles + next;
        uint32_t count = l->spare_count ? 0 : cut_rows(view, l, tiles);
        if (count == 0 || !give_bars(view, l, tiles, count)) {
            count = 1;
            tiles[0] = (hemi_region_tile){.row_begin = 0, .row_count = view->parts[l->part].row_count};
            memcpy(tiles[0].bar_begin, l->bar_begin, sizeof(l->bar_begin));
            memcpy(tiles[0].bar_count, l->bar_count, sizeof(l->bar_count));
        }
        for (uint32_t t = 0; t < count; ++t) {
            tiles[t].cell = hem_minf(l->spacing[0], hem_minf(l->spacing[1], l->spacing[2]));
        }
        d->tile_begin[i] = next;
        next += count;
    }
    d->tile_begin[view->lattice_count] = next;
}

static void take_colliders(const hem_view* view, hemi_collider* colliders) {
    for (uint32_t i = 0; i < view->collider_count; ++i) {
        const hem_asset_collider* from = &view->colliders[i];
        hemi_collider* to = &colliders[i];
        to->kind = from->kind;
        to->bone = from->bone == HEM_NONE ? -2 : from->bone;
        to->mask = from->collision_group;
        to->friction = from->friction;
        to->slide = 1.0f;
        to->first_plane = from->plane_begin;
        to->plane_count = from->plane_count;
        memcpy(to->size, from->size, sizeof(to->size));
        memcpy(to->rotation, from->rotation, sizeof(to->rotation));
        for (int k = 0; k < 3; ++k) {
            to->position[k] = from->position[k];
        }
    }
}

static int is_of(const hem_part* part, uint32_t row) {
    return row >= part->row_begin && row < part->row_begin + part->row_count;
}

// Links say which rows they touch; groups and strands are of one part. Other kinds are left as they are.
static int stays_within(const hem_view* view, const hem_part* part) {
    int within = 1;
    for (uint32_t n = 0; n < part->range_count; ++n) {
        const hem_range* range = &view->ranges[part->range_begin + n];
        for (uint32_t i = range->begin; i < range->begin + range->count; ++i) {
            if (range->kind == HEM_BATCH_LINKS) {
                within &= is_of(part, view->link_batches[i].row_a) && is_of(part, view->link_batches[i].row_b);
            } else if (range->kind == HEM_BATCH_INDEXED_LINKS) {
                for (uint32_t k = 0; k < 8; ++k) {
                    within &=
                        is_of(part, view->index_batches[i].a[k] >> 3) && is_of(part, view->index_batches[i].b[k] >> 3);
                }
            } else {
                within &= range->kind == HEM_BATCH_GROUPS || range->kind == HEM_BATCH_DRIVES ||
                          range->kind == HEM_BATCH_CHAINS || range->kind == HEM_BATCH_RODS;
            }
        }
    }
    return within;
}

static void order_parts(const hem_view* view, hemi_derived* d) {
    const uint32_t count = view->info->part_count;
    d->separate = 1;
    for (uint32_t p = 0; p < count; ++p) {
        d->separate &= (uint32_t)stays_within(view, &view->parts[p]);
        uint32_t place = p;
        for (; place > 0 && d->pass_work[d->part_order[place - 1]] < d->pass_work[p]; --place) {
            d->part_order[place] = d->part_order[place - 1];
        }
        d->part_order[place] = (uint8_t)p;
    }
}

// How many there are up to the last that is not zero.
static uint32_t count_weights(const uint16_t weight[4]) {
    return weight[3] ? 4 : weight[2] ? 3 : weight[1] ? 2 : 1;
}

static void count_block_weights(const hem_view* view, uint8_t* weights) {
    for (uint32_t i = 0; i < view->info->vertex_count; ++i) {
        const hem_vertex_bind* bind = &view->vertex_bind[i];
        const uint32_t bones = count_weights(bind->bone_weight), particles = count_weights(bind->particle_weight);
        const uint32_t so_far = i & 7u ? weights[i / 8] : 0x11;
        const uint32_t most_bones = bones > (so_far & 7u) ? bones : so_far & 7u;
        const uint32_t most_particles = particles > so_far >> 4 ? particles : so_far >> 4;
        weights[i / 8] = (uint8_t)(most_bones | most_particles << 4);
    }
}

// What is no length of a part's own.
#define TRAVEL_SPACINGS 40.0f
#define STILL_SPACINGS 1e-4f

static uint32_t are_cells_whole(const hem_view* view) {
    uint32_t whole = 1;
    for (uint32_t i = 0; i < view->vertex_cell_count; ++i) {
        whole &= view->vertex_bind[view->vertex_cells[i].vertex].blend == 65535;
    }
    return whole;
}

static void take_lengths(const hem_view* view, hemi_derived* d) {
    float coarsest = view->info->spacing;
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        coarsest = hem_maxf(coarsest, view->parts[p].spacing);
    }
    d->travel_limit = TRAVEL_SPACINGS * coarsest;
    d->still = STILL_SPACINGS * view->info->spacing;
}

void hemi_derive(const hem_view* view, const hemi_kernels* kernels, hemi_derived* d) {
    pair_parts(view, d);
    find_hung_parts(view, d);
    list_body_rows(view, d);
    take_colliders(view, d->colliders);
    for (uint32_t p = 0; p < view->info->part_count; ++p) {
        const hem_part* part = &view->parts[p];
        d->mean_inverse_mass[p] = mean_inverse_mass(view, part);
        d->pass_work[p] = pass_work(view, part);
        if (hem_range_of(view->ranges, part, HEM_BATCH_GROUPS).count) {
            kernels->rest_moments(view, part, d->rest_moment);
        }
    }
    take_lengths(view, d);
    count_block_weights(view, d->weights);
    d->cells_whole = are_cells_whole(view);
    order_parts(view, d);
    note_ignored(view, d, d->ignored);
    tile_lattices(view, d);
}

void hemi_derive_class(const hem_scene* scene, const hemi_class* slots) {
    hemi_derive(slots->view, scene->kernels, slots->derived);
    if (!scene->budget) {
        return;
    }
    hemi_price(slots->view, &scene->costs, slots->prices);
    for (uint32_t i = 0; i < slots->view->level_count; ++i) {
        const hem_view* level = hemi_level_view(slots->view, i + 1);
        hemi_derive(level, scene->kernels, slots->levels[i].derived);
        hemi_price(level, &scene->costs, slots->levels[i].prices);
    }
}
