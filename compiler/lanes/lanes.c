// SPDX-License-Identifier: MIT
#include "compiler/lanes/lanes.h"

#include "compiler/graph/graph.h"

#include <string.h>

// From a graph to rows of eight lanes and batches that the runtime reads straight through.
//
// A row batch names two rows and a rotation; its eight links join lane i of one row to lane i + rotation of the other. So a
// batch is full when eight links lie in the same way, and the number of batches, which is the runtime's cost, is decided
// by who sits where. Each part is placed on its own (place.c), oriented parts first; then its links and groups
// are collected by rows and rotation (batches.c, group.c).

static void order_parts(const hemc_mesh* mesh, uint32_t* order) {
    uint32_t count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < mesh->part_count; ++i) {
            if ((mesh->part_kinds[i] == HEM_PART_CLOTH) == (pass == 1)) {
                order[count++] = i;
            }
        }
    }
}

// The links with both ends in [begin, end), renumbered from 0.
static uint32_t local_links(hemc_arena* arena, const hemc_link* links, size_t link_count, uint32_t begin, uint32_t end,
                            uint32_t kind_mask, uint32_t (**ends)[2], uint8_t** kinds, uint32_t** index) {
    uint32_t count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        count = 0;
        for (size_t i = 0; i < link_count; ++i) {
            const hemc_link* l = &links[i];
            if (l->a < begin || l->a >= end || l->b < begin || l->b >= end || (kind_mask >> l->kind & 1) == 0) {
                continue;
            }
            if (pass == 1) {
                (*ends)[count][0] = l->a - begin;
                (*ends)[count][1] = l->b - begin;
                (*kinds)[count] = l->kind;
                (*index)[count] = (uint32_t)i;
            }
            ++count;
        }
        if (pass == 0) {
            *ends = hemc_alloc(arena, count, sizeof(**ends));
            *kinds = hemc_alloc(arena, count, 1);
            *index = hemc_alloc(arena, count, sizeof(uint32_t));
        }
    }
    return count;
}

// The part's own links and groups in local numbers. Stitches reach into other parts and do not shape the placement.
static void make_net(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_net* net) {
    const uint32_t begin = mesh->part_begin[part], end = mesh->part_begin[part + 1];
    net->count = end - begin;
    net->level = mesh->all.level + begin;
    net->column = mesh->all.column + begin;
    net->positions = mesh->all.positions + begin;
    net->fixed = hemc_alloc(arena, net->count, 1);
    for (uint32_t i = 0; i < net->count; ++i) {
        net->fixed[i] = hemc_is_fixed(mesh, begin + i);
    }
    net->link_count = local_links(arena, mesh->links, mesh->link_count, begin, end, UINT32_MAX, &net->ends, &net->kinds,
                                  &net->link_index);
    uint32_t* unused;
    net->weave_count = local_links(arena, mesh->all.links, mesh->all.link_count, begin, end, HEM_KINDS_WEAVE,
                                   &net->weave, &net->weave_kinds, &unused);
    // Copies of anchors that constraints can push would part from the original.
    net->copy_anchors = mesh->part_animations[part] == HEM_ANIMATE_DIRECT;
    const uint32_t first = mesh->group_starts[begin];
    if (mesh->group_starts[end] != first) {
        net->group_starts = hemc_alloc(arena, (size_t)net->count + 1, sizeof(uint32_t));
        net->group_members = hemc_alloc(arena, mesh->group_starts[end] - first, sizeof(uint32_t));
        for (uint32_t i = 0; i <= net->count; ++i) {
            net->group_starts[i] = mesh->group_starts[begin + i] - first;
        }
        for (uint32_t k = 0; k < mesh->group_starts[end] - first; ++k) {
            net->group_members[k] = (uint32_t)mesh->group_members[first + k] - begin;
        }
    }
}

static uint8_t quantize_scale(float scale) {
    const float s = scale < 0 ? 0 : scale > 1 ? 1 : scale;
    const uint32_t q = (uint32_t)(s * 255.0f + 0.5f);
    return (uint8_t)(q < 1 ? 1 : q); // the runtime divides by it
}

static void collect_links(hemc_arena* arena, const hemc_mesh* mesh, const hemc_layout* layout,
                          const int32_t* anchor_slot, uint32_t part, hemc_slot_link** out, size_t* out_count) {
    const uint32_t source = layout->part_order[part];
    size_t capacity = 0;
    *out = NULL;
    *out_count = 0;
    for (size_t i = 0; i < mesh->link_count; ++i) {
        const hemc_link* l = &mesh->links[i];
        const uint32_t part_a = hemc_part_of(mesh, l->a), part_b = hemc_part_of(mesh, l->b);
        hemc_slot_link s = {layout->slot_of[l->a], layout->slot_of[l->b], l->kind, quantize_scale(l->scale), l->rest};
        uint32_t owner = part_a;
        if (anchor_slot[i] != HEM_NONE) {
            s.b = (uint32_t)anchor_slot[i];
        }
        // A stitch belongs to the part that comes first in the file.
        if (part_a != part_b && s.b < s.a) {
            owner = part_b;
            s.a = layout->slot_of[l->b];
            s.b = layout->slot_of[l->a];
        }
        if (owner != source) {
            continue;
        }
        if (part_a != part_b) {
            s.kind = HEM_LINK_STITCH;
        }
        *out = hemc_grow(arena, *out, &capacity, *out_count + 1, sizeof(hemc_slot_link));
        (*out)[(*out_count)++] = s;
    }
}

// The constraints of a range, and how many of them stand in indexed batches.
static uint32_t count_constraints(const hemc_layout* layout, const hem_range* r, uint32_t* indexed) {
    uint32_t constraints = 0, by_index = 0;
    for (uint32_t i = r->begin; i < r->begin + r->count; ++i) {
        switch ((hem_batch_kind)r->kind) {
        case HEM_BATCH_LINKS:
            constraints += hemc_count_bits(layout->links[i].lane_mask);
            break;
        case HEM_BATCH_INDEXED_LINKS:
            by_index += hemc_count_bits(layout->indexed[i].lane_mask);
            break;
        case HEM_BATCH_GROUPS:
            *(layout->groups[i].own_row == (uint32_t)HEM_NONE ? &by_index : &constraints) +=
                hemc_count_bits(layout->groups[i].lane_mask);
            break;
        case HEM_BATCH_RODS:
        case HEM_BATCH_CHAINS:
        case HEM_BATCH_SPRINGS:
        case HEM_BATCH_BENDS:
        case HEM_BATCH_DIHEDRALS:
        case HEM_BATCH_TRIANGLES:
        case HEM_BATCH_TETRAHEDRA:
            *(layout->row_batches[i].form == HEM_FORM_INDICES ? &by_index : &constraints) +=
                hemc_count_bits(layout->row_batches[i].lane_mask);
            break;
        case HEM_BATCH_DRIVES:  // rows, not batches
        case HEM_BATCH_REGIONS: // a lattice
        case HEM_BATCH_KIND_COUNT:
            break;
        }
    }
    *indexed += by_index;
    return constraints + by_index;
}

static void measure_fill(hemc_arena* arena, uint32_t part_count, hemc_layout* layout) {
    uint32_t constraints = 0, indexed = 0, batches = 0;
    layout->part_fill = hemc_alloc(arena, part_count, sizeof(float));
    for (uint32_t part = 0; part < part_count; ++part) {
        const hem_part* p = &layout->parts[part];
        uint32_t own = 0, own_batches = 0;
        for (uint32_t i = p->range_begin; i < p->range_begin + p->range_count; ++i) {
            own += count_constraints(layout, &layout->ranges[i], &indexed);
            const uint32_t kind = layout->ranges[i].kind;
            own_batches += kind != HEM_BATCH_DRIVES && kind != HEM_BATCH_REGIONS ? layout->ranges[i].count : 0;
        }
        layout->part_fill[part] = own_batches != 0 ? (float)own / ((float)own_batches * HEM_LANES) : 1.0f;
        constraints += own;
        batches += own_batches;
    }
    layout->lane_fill = batches != 0 ? (float)constraints / ((float)batches * HEM_LANES) : 1.0f;
    layout->indexed_share = constraints != 0 ? (float)indexed / (float)constraints : 0.0f;
}

// Rows for one part behind those of the parts before it, and slots for its particles. anchor_slot, per link of the mesh,
// becomes the slot of the copied anchor that the link ends in.
static void place_part(hemc_arena* arena, const hemc_mesh* mesh, uint32_t part, hemc_layout* layout,
                       hemc_anchor_rows* anchors, int32_t* anchor_slot) {
    const uint32_t source = layout->part_order[part], begin = mesh->part_begin[source];
    const uint32_t row_begin = layout->row_count;
    uint32_t* slots = layout->slot_of + begin;
    hemc_net net = {0};
    make_net(arena, mesh, source, &net);
    hemc_number_weave(arena, &net);
    uint32_t row_count;
    if (mesh->part_kinds[source] == HEM_PART_BODY) {
        row_count = hemc_place_compact(arena, net.positions, net.count, slots);
    } else if (mesh->part_lattices != NULL && mesh->part_lattices[source] != NULL) {
        row_count = hemc_place_lattice(arena, mesh, source, slots);
    } else {
        row_count = hemc_place(arena, &net, slots);
        hemc_order_rows(arena, &net, row_count, slots);
    }
    hemc_place_tethers(arena, &net, slots, row_count, anchors);
    for (uint32_t i = 0; i < net.link_count; ++i) {
        if (anchors->slot_of_link[i] != HEM_NONE) {
            anchor_slot[net.link_index[i]] = anchors->slot_of_link[i] + (int32_t)(row_begin * HEM_LANES);
        }
    }
    row_count += anchors->row_count;
    for (uint32_t i = 0; i < net.count; ++i) {
        slots[i] += row_begin * HEM_LANES;
    }
    layout->parts[part].row_begin = row_begin;
    layout->parts[part].row_count = row_count;
    layout->row_count += row_count;
    if (mesh->part_kinds[source] != HEM_PART_CLOTH) {
        layout->oriented_row_count = layout->row_count;
    }
}

// Called in the order that HEM_BATCH_KINDS gives; an empty range is left out.
static void add_range(hemc_layout* layout, uint32_t part, hem_batch_kind kind, uint32_t begin, uint32_t end) {
    if (end > begin) {
        layout->ranges[layout->range_count++] = (hem_range){part, (uint32_t)kind, begin, end - begin};
        ++layout->parts[part].range_count;
    }
}

bool hemc_lanes(hemc_arena* arena, hemc_log* log, const hemc_mesh* mesh, hemc_layout* layout) {
    memset(layout, 0, sizeof *layout);
    const uint32_t count = mesh->all.count;
    layout->part_order = hemc_alloc(arena, mesh->part_count, sizeof(uint32_t));
    layout->parts = hemc_alloc(arena, mesh->part_count, sizeof(hem_part));
    layout->ranges = hemc_alloc(arena, (size_t)mesh->part_count * HEM_BATCH_KIND_COUNT, sizeof(hem_range));
    layout->slot_of = hemc_alloc(arena, count, sizeof(uint32_t));
    order_parts(mesh, layout->part_order);
    hemc_anchor_rows* anchors = hemc_alloc(arena, mesh->part_count, sizeof(hemc_anchor_rows));
    int32_t* anchor_slot = hemc_alloc(arena, mesh->link_count, sizeof(int32_t)); // per link: the copy it ends in
    if (mesh->link_count != 0) {
        memset(anchor_slot, 0xff, mesh->link_count * sizeof(int32_t));
    }
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        place_part(arena, mesh, part, layout, &anchors[part], anchor_slot);
    }
    if (layout->row_count > HEM_MAX_PARTICLES / HEM_LANES) {
        return hemc_error(log, HEMC_INPUT, "", "/parts",
                          "%u particles take %u rows of eight; an asset has at most %d: choose a larger spacing", count,
                          layout->row_count, HEM_MAX_PARTICLES / HEM_LANES);
    }
    layout->particle_at = hemc_alloc(arena, (size_t)layout->row_count * HEM_LANES, sizeof(int32_t));
    memset(layout->particle_at, 0xff, (size_t)layout->row_count * HEM_LANES * sizeof(int32_t));
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        const hem_part* p = &layout->parts[part];
        const uint32_t begin = mesh->part_begin[layout->part_order[part]];
        const uint32_t first = (p->row_begin + p->row_count - anchors[part].row_count) * HEM_LANES;
        for (uint32_t i = 0; i < anchors[part].row_count * HEM_LANES; ++i) {
            const int32_t anchor = anchors[part].anchors[i / HEM_LANES][i % HEM_LANES];
            layout->particle_at[first + i] = anchor != HEM_NONE ? anchor + (int32_t)begin : HEM_NONE;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        layout->particle_at[layout->slot_of[i]] = (int32_t)i;
    }
    uint32_t drive_rows = 0;
    for (uint32_t part = 0; part < mesh->part_count; ++part) {
        hemc_slot_link* links;
        size_t link_count;
        collect_links(arena, mesh, layout, anchor_slot, part, &links, &link_count);
        layout->parts[part].range_begin = layout->range_count;
        const uint32_t first[] = {layout->link_batch_count, layout->index_batch_count, layout->group_batch_count,
                                  layout->row_batch_count};
        if (hemc_is_driven(mesh, layout->part_order[part])) {
            add_range(layout, part, HEM_BATCH_DRIVES, drive_rows, drive_rows + layout->parts[part].row_count);
            drive_rows += layout->parts[part].row_count;
        }
        hemc_batch_springs(arena, mesh, part, layout);
        add_range(layout, part, HEM_BATCH_SPRINGS, first[3], layout->row_batch_count);
        const uint32_t bends = layout->row_batch_count;
        hemc_batch_bends(arena, mesh, part, layout);
        add_range(layout, part, hemc_bends_as(mesh, layout->part_order[part]), bends, layout->row_batch_count);
        const uint32_t triangles = layout->row_batch_count;
        hemc_batch_triangles(arena, mesh, part, layout);
        add_range(layout, part, HEM_BATCH_TRIANGLES, triangles, layout->row_batch_count);
        const uint32_t tetrahedra = layout->row_batch_count;
        hemc_batch_tetrahedra(arena, mesh, part, layout);
        add_range(layout, part, HEM_BATCH_TETRAHEDRA, tetrahedra, layout->row_batch_count);
        hemc_batch_links(arena, links, link_count, part, layout->row_count, layout);
        hemc_batch_groups(arena, mesh, layout->part_order[part], part, layout);
        add_range(layout, part, HEM_BATCH_LINKS, first[0], layout->link_batch_count);
        add_range(layout, part, HEM_BATCH_INDEXED_LINKS, first[1], layout->index_batch_count);
        add_range(layout, part, HEM_BATCH_GROUPS, first[2], layout->group_batch_count);
        const uint32_t lattices = layout->lattice_count;
        hemc_batch_lattice(arena, mesh, part, layout);
        add_range(layout, part, HEM_BATCH_REGIONS, lattices, layout->lattice_count);
        const uint32_t rods = layout->row_batch_count;
        hemc_batch_strands(arena, mesh, part, HEMC_STRANDS_RODS, layout);
        add_range(layout, part, HEM_BATCH_RODS, rods, layout->row_batch_count);
        const uint32_t chains = layout->row_batch_count;
        hemc_batch_strands(arena, mesh, part, HEMC_STRANDS_CHAINS, layout);
        add_range(layout, part, HEM_BATCH_CHAINS, chains, layout->row_batch_count);
    }
    hemc_batch_virtual(arena, mesh, layout);
    measure_fill(arena, mesh->part_count, layout);
    return true;
}
